/* SPDX-License-Identifier: Apache-2.0 */
/* The arena: alignment, zeroing, addresses that stay, geometric growth, large requests, failure. */
#include "faulty.h"

#include <string.h>

static bool is_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static void gives_zeroed_aligned_memory(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static unsigned char *given[COUNT];
    fxi_arena arena = {0};
    size_t total = 0;
    for (size_t i = 0; i < COUNT; i++) {
        size_t bytes = i * 37 % 300;
        given[i] = fxi_arena_alloc(&arena, bytes, 1);
        assert_non_null(given[i]);
        assert_int_equal((uintptr_t)given[i] % 16, 0);
        assert_true(is_zero(given[i], bytes));
        memset(given[i], (int)(i % 255) + 1, bytes);
        total += bytes;
    }
    assert_int_equal(arena.bytes, total);
    for (size_t i = 0; i < COUNT; i++) /* nobody wrote over anybody */
        for (size_t at = 0; at < i * 37 % 300; at++)
            assert_int_equal(given[i][at], i % 255 + 1);
    assert_in_range(faulty_blocks(), 2, 12); /* 750 KB by doubling from 4 KiB */
    fxi_arena_free(&arena);
    assert_int_equal(faulty_blocks(), 0);
    assert_null(arena.last);
    assert_int_equal(arena.bytes, 0);
    fxi_arena_free(&arena);
    fxi_arena_free(NULL);
}

static void keeps_the_current_block_for_small_requests(void **state)
{
    (void)state;
    fxi_arena arena = {0};
    char *first = fxi_arena_alloc(&arena, 16, 1);
    unsigned char *large = fxi_arena_alloc(&arena, (size_t)3 << 20, 1);
    char *second = fxi_arena_alloc(&arena, 16, 1);
    assert_non_null(first);
    assert_non_null(large);
    assert_non_null(second);
    assert_true(is_zero(large, (size_t)3 << 20));
    assert_in_range(second - first, 16, 64);
    assert_int_equal(faulty_blocks(), 2);
    fxi_arena_free(&arena);
    assert_int_equal(faulty_blocks(), 0);
}

static void grows_to_a_limit(void **state)
{
    (void)state;
    fxi_arena arena = {0};
    for (size_t bytes = 500; bytes <= 4000; bytes *= 2) { /* 10 MB: 8 doublings, then 1 MiB each */
        for (size_t i = 0; i < 10000000 / bytes; i++)
            assert_non_null(fxi_arena_alloc(&arena, bytes, 1));
        assert_in_range(faulty_blocks(), 14, 28);
        fxi_arena_free(&arena);
        assert_int_equal(faulty_blocks(), 0);
    }
}

static void takes_empty_requests(void **state)
{
    (void)state;
    fxi_arena arena = {0};
    void *a = fxi_arena_alloc(&arena, 0, 8), *b = fxi_arena_alloc(&arena, 8, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    assert_non_null(fxi_arena_copy(&arena, NULL, 0));
    const char *copy = fxi_arena_copy(&arena, "shape", 6);
    assert_string_equal(copy, "shape");
    fxi_arena_free(&arena);
}

static void fails_cleanly(void **state)
{
    (void)state;
    fxi_arena arena = {0};
    assert_null(fxi_arena_alloc(NULL, 1, 1));
    assert_null(fxi_arena_alloc(&arena, SIZE_MAX / 2, 3));
    assert_null(fxi_arena_alloc(&arena, SIZE_MAX - 3, 1));
    assert_null(fxi_arena_alloc(&arena, SIZE_MAX - 40, 1));
    assert_null(fxi_arena_copy(&arena, "x", SIZE_MAX));
    assert_null(arena.last);
    faulty_fail_after(1);
    char *kept = fxi_arena_alloc(&arena, 1, 900);
    assert_non_null(kept);
    assert_null(fxi_arena_alloc(&arena, 1, 1000000));
    int more = 0;
    while (fxi_arena_alloc(&arena, 1, 100) != NULL)
        more++;
    assert_in_range(more, 0, 40); /* what is left of the first block */
    faulty_fail_after(-1);
    kept[899] = 1;
    assert_non_null(fxi_arena_alloc(&arena, 1, 1000000));
    fxi_arena_free(&arena);
    assert_int_equal(faulty_blocks(), 0);
}

int main(void)
{
    faulty_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_zeroed_aligned_memory),
        cmocka_unit_test(keeps_the_current_block_for_small_requests),
        cmocka_unit_test(grows_to_a_limit),
        cmocka_unit_test(takes_empty_requests),
        cmocka_unit_test(fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
