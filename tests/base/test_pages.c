/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of warm memory: alignment and capacity at every size class, reuse, trimming of the oldest,
 * blocks that outlive the cache, failure, threads. */
#define _POSIX_C_SOURCE 200809L
#include "faulty.h"

#include "base/pages.h"

#include <pthread.h>
#include <string.h>

static void aligns_and_pads(void **state)
{
    (void)state;
    fxi_pages *pages = fxi_pages_new((size_t)1 << 30, NULL);
    assert_non_null(pages);
    for (size_t power = 1; power <= (size_t)1 << 24; power *= 2)
        for (size_t step = 0; step < 8; step++) {
            size_t bytes = power + power * step / 8;
            for (size_t change = 0; change < 3; change++) {
                size_t asked = bytes + change - 1, padded = (asked + 63) / 64 * 64;
                char *block = fxi_pages_take(pages, asked);
                assert_non_null(block);
                assert_int_equal((uintptr_t)block % 64, 0);
                if (asked >= (size_t)4 << 20)
                    assert_int_equal((uintptr_t)block % ((size_t)2 << 20), 0);
                if (asked <= 65536)
                    memset(block, 0x55, padded);
                else
                    block[0] = block[padded - 1] = 0x55;
                size_t before = fxi_pages_warm(pages);
                fxi_pages_give(pages, block);
                size_t capacity = fxi_pages_warm(pages) - before;
                assert_int_equal(capacity % 64, 0);
                assert_in_range(capacity, padded, padded + asked / 4 + 64);
            }
        }
    fxi_pages_close(pages);
    assert_int_equal(faulty_blocks(), 0);
}

static void reuses_the_newest(void **state)
{
    (void)state;
    fxi_pages *pages = fxi_pages_new((size_t)1 << 26, NULL);
    void *a = fxi_pages_take(pages, 1000), *b = fxi_pages_take(pages, 1000);
    assert_ptr_not_equal(a, b);
    assert_int_equal(fxi_pages_misses(pages), 2);
    assert_int_equal(fxi_pages_warm(pages), 0);
    fxi_pages_give(pages, a);
    fxi_pages_give(pages, b);
    assert_int_equal(fxi_pages_warm(pages), 2048);
    assert_ptr_equal(fxi_pages_take(pages, 1024), b);
    assert_ptr_equal(fxi_pages_take(pages, 897), a);
    void *c = fxi_pages_take(pages, 896); /* the class below */
    assert_ptr_not_equal(c, a);
    assert_int_equal(fxi_pages_misses(pages), 3);
    fxi_pages_give(pages, c);
    void *d = fxi_pages_take(pages, 1000);
    assert_int_equal(fxi_pages_misses(pages), 4);
    fxi_pages_give(pages, d);
    fxi_pages_give(pages, a);
    fxi_pages_give(pages, b);
    fxi_pages_close(pages);
    assert_int_equal(faulty_blocks(), 0);
}

static void a_second_round_needs_nothing_new(void **state)
{
    (void)state;
    fxi_pages *pages = fxi_pages_new((size_t)1 << 26, NULL);
    for (int round = 0; round < 2; round++) {
        for (size_t batch = 1; batch <= 64; batch++)
            fxi_pages_give(pages, fxi_pages_take(pages, batch * 1000));
        if (round == 0)
            assert_in_range(fxi_pages_misses(pages), 10, 40);
    }
    uint64_t misses = fxi_pages_misses(pages);
    for (size_t batch = 64; batch >= 1; batch--)
        fxi_pages_give(pages, fxi_pages_take(pages, batch * 1000));
    assert_int_equal(fxi_pages_misses(pages), misses);
    fxi_pages_close(pages);
    assert_int_equal(faulty_blocks(), 0);
}

static void drops_the_oldest(void **state)
{
    (void)state;
    enum { KIB = 1024 };
    fxi_pages *pages = fxi_pages_new(100 * KIB, NULL);
    void *first = fxi_pages_take(pages, 32 * KIB), *second = fxi_pages_take(pages, 48 * KIB);
    void *third = fxi_pages_take(pages, 40 * KIB), *fourth = fxi_pages_take(pages, 32 * KIB);
    fxi_pages_give(pages, first);
    fxi_pages_give(pages, second);
    assert_int_equal(fxi_pages_warm(pages), 80 * KIB);
    assert_int_equal(faulty_blocks(), 5);
    fxi_pages_give(pages, third); /* 120: the first goes, though others of its class are out */
    assert_int_equal(fxi_pages_warm(pages), 88 * KIB);
    assert_int_equal(faulty_blocks(), 4);
    fxi_pages_give(pages, fourth); /* 120 again: the second goes */
    assert_int_equal(fxi_pages_warm(pages), 72 * KIB);
    assert_ptr_equal(fxi_pages_take(pages, 40 * KIB), third);
    assert_ptr_equal(fxi_pages_take(pages, 32 * KIB), fourth);
    fxi_pages_give(pages, third);
    fxi_pages_give(pages, fourth);
    void *large = fxi_pages_take(pages, 101 * KIB); /* can never be kept: it must not drive out the others */
    fxi_pages_give(pages, large);
    assert_int_equal(fxi_pages_warm(pages), 72 * KIB);
    fxi_pages_close(pages);
    assert_int_equal(faulty_blocks(), 0);
}

/* A random sequence against the rule: never above the limit, every block comes back in the end. */
static void keeps_its_books(void **state)
{
    (void)state;
    enum { SLOTS = 40 };
    const size_t limit = 300000;
    fxi_pages *pages = fxi_pages_new(limit, NULL);
    unsigned char *held[SLOTS] = {NULL};
    size_t sizes[SLOTS] = {0};
    uint64_t random = 3;
    for (int step = 0; step < 20000; step++) {
        random = fxi_hash_u64(random, 9);
        size_t slot = random % SLOTS;
        if (held[slot] != NULL) {
            assert_int_equal(held[slot][0], slot);
            assert_int_equal(held[slot][sizes[slot] - 1], slot);
            fxi_pages_give(pages, held[slot]);
            held[slot] = NULL;
        } else {
            sizes[slot] = 1 + (size_t)(random >> 20) % ((size_t)1 << (random >> 40) % 17);
            held[slot] = fxi_pages_take(pages, sizes[slot]);
            assert_non_null(held[slot]);
            held[slot][0] = held[slot][sizes[slot] - 1] = (unsigned char)slot;
        }
        assert_in_range(fxi_pages_warm(pages), 0, limit);
    }
    for (size_t slot = 0; slot < SLOTS; slot++)
        fxi_pages_give(pages, held[slot]);
    fxi_pages_close(pages);
    assert_int_equal(faulty_blocks(), 0);
}

static void blocks_outlive_the_cache(void **state)
{
    (void)state;
    fxi_pages *pages = fxi_pages_new((size_t)1 << 20, NULL);
    char *a = fxi_pages_take(pages, 100), *b = fxi_pages_take(pages, 100);
    fxi_pages_give(pages, fxi_pages_take(pages, 5000));
    fxi_pages_close(pages);
    assert_int_equal(faulty_blocks(), 3);
    memset(a, 1, 100);
    fxi_pages_give(pages, a);
    assert_int_equal(faulty_blocks(), 2);
    memset(b, 1, 100);
    fxi_pages_give(pages, b);
    assert_int_equal(faulty_blocks(), 0);
}

static void fails_cleanly(void **state)
{
    (void)state;
    fx_error err = {0};
    faulty_fail_after(0);
    assert_null(fxi_pages_new(1, &err));
    faulty_fail_after(-1);
    assert_int_equal(err.code, FX_ERROR_MEMORY);
    fxi_pages *pages = fxi_pages_new((size_t)1 << 20, NULL);
    void *block = fxi_pages_take(pages, 1000);
    assert_null(fxi_pages_take(pages, SIZE_MAX));
    assert_null(fxi_pages_take(pages, SIZE_MAX / 8));
    faulty_fail_after(0);
    assert_null(fxi_pages_take(pages, 5000));
    fxi_pages_give(pages, block);
    assert_ptr_equal(fxi_pages_take(pages, 1000), block); /* a warm one needs no memory */
    fxi_pages_give(pages, block);
    assert_null(fxi_pages_take(pages, 5000)); /* gives up the warm ones before it fails */
    faulty_fail_after(-1);
    assert_int_equal(fxi_pages_warm(pages), 0);
    fxi_pages_give(pages, NULL);
    fxi_pages_give(NULL, NULL);
    fxi_pages_close(pages);
    fxi_pages_close(NULL);
    assert_null(fxi_pages_take(NULL, 1));
    assert_int_equal(fxi_pages_warm(NULL), 0);
    assert_int_equal(fxi_pages_misses(NULL), 0);
    assert_int_equal(faulty_blocks(), 0);
}

static void keeps_nothing_without_limit(void **state)
{
    (void)state;
    fxi_pages *pages = fxi_pages_new(0, NULL);
    fxi_pages_give(pages, fxi_pages_take(pages, 0));
    assert_int_equal(fxi_pages_warm(pages), 0);
    assert_int_equal(faulty_blocks(), 1);
    fxi_pages_close(pages);
    assert_int_equal(faulty_blocks(), 0);
}

static void *take_and_give(void *argument)
{
    fxi_pages *pages = argument;
    uint64_t random = (uint64_t)(uintptr_t)&pages;
    for (int round = 0; round < 3000; round++) {
        random = fxi_hash_u64(random, 2);
        size_t bytes = 1 + random % 3000;
        unsigned char *block = fxi_pages_take(pages, bytes);
        if (block == NULL)
            return NULL;
        memset(block, (int)(random & 0xFF), bytes); /* a race, if two threads have it */
        if (block[bytes - 1] != (random & 0xFF))
            return NULL;
        fxi_pages_give(pages, block);
    }
    return pages;
}

static void serves_many_threads(void **state)
{
    (void)state;
    enum { THREADS = 6 };
    fxi_pages *pages = fxi_pages_new(8000, NULL);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, pages), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        assert_ptr_equal(result, pages);
    }
    assert_in_range(fxi_pages_warm(pages), 0, 8000);
    fxi_pages_close(pages);
    assert_int_equal(faulty_blocks(), 0);
}

typedef struct parting {
    fxi_pages *pages;
    void *block;
} parting;

static void *give_back(void *argument)
{
    const parting *p = argument;
    fxi_pages_give(p->pages, p->block);
    return NULL;
}

static void the_last_block_may_race_with_closing(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        parting p = {.pages = fxi_pages_new(10000, NULL)};
        p.block = fxi_pages_take(p.pages, 100);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, give_back, &p), 0);
        fxi_pages_close(p.pages);
        pthread_join(thread, NULL);
        assert_int_equal(faulty_blocks(), 0);
    }
}

int main(void)
{
    faulty_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligns_and_pads),
        cmocka_unit_test(reuses_the_newest),
        cmocka_unit_test(a_second_round_needs_nothing_new),
        cmocka_unit_test(drops_the_oldest),
        cmocka_unit_test(keeps_its_books),
        cmocka_unit_test(blocks_outlive_the_cache),
        cmocka_unit_test(fails_cleanly),
        cmocka_unit_test(keeps_nothing_without_limit),
        cmocka_unit_test(serves_many_threads),
        cmocka_unit_test(the_last_block_may_race_with_closing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
