/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map against a plain array of what is in it, with good and with colliding hashes; and the hash
 * functions. */
#include "faulty.h"

#include <string.h>

static bool equal_int(const void *value, const void *key)
{
    return *(const int *)value == *(const int *)key;
}

enum { KEYS = 600 };

/* Random puts and removes; after each stretch every key must be found exactly if it is in. */
static void agrees_with_a_set(uint64_t (*hash)(int key))
{
    static int values[KEYS];
    bool in[KEYS] = {false};
    size_t count = 0;
    fxi_map map = {0};
    uint64_t random = 1;
    for (int step = 0; step < 20000; step++) {
        random = fxi_hash_u64(random, 5);
        int key = (int)(random % KEYS);
        values[key] = key;
        if (!in[key]) {
            assert_true(fxi_map_put(&map, hash(key), &values[key]));
            count++;
        } else {
            assert_true(fxi_map_remove(&map, hash(key), &values[key]));
            assert_false(fxi_map_remove(&map, hash(key), &values[key]));
            count--;
        }
        in[key] = !in[key];
        assert_int_equal(map.count, count);
        for (int k = 0; step % 500 == 0 && k < KEYS; k++)
            assert_ptr_equal(fxi_map_find(&map, hash(k), &k, equal_int), in[k] ? &values[k] : NULL);
    }
    fxi_map_free(&map);
    assert_null(map.slots);
    assert_int_equal(faulty_blocks(), 0);
}

static uint64_t good_hash(int key) { return fxi_hash_u64((uint64_t)key, 0); }
static uint64_t plain_hash(int key) { return (uint64_t)key; }
static uint64_t aligned_hash(int key) { return (uint64_t)key << 40; }
static uint64_t few_hashes(int key) { return (uint64_t)key % 7; }

static void finds_what_is_in(void **state)
{
    (void)state;
    agrees_with_a_set(good_hash);
    agrees_with_a_set(plain_hash);
    agrees_with_a_set(aligned_hash);
    agrees_with_a_set(few_hashes);
}

static void compares_by_identity_without_function(void **state)
{
    (void)state;
    int a = 1, b = 1;
    fxi_map map = {0};
    assert_null(fxi_map_find(&map, 1, &a, NULL));
    assert_false(fxi_map_remove(&map, 1, &a));
    assert_true(fxi_map_put(&map, 1, &a));
    assert_ptr_equal(fxi_map_find(&map, 1, &a, NULL), &a);
    assert_null(fxi_map_find(&map, 1, &b, NULL));
    assert_ptr_equal(fxi_map_find(&map, 1, &b, equal_int), &a);
    assert_null(fxi_map_find(&map, 2, &a, equal_int));
    assert_false(fxi_map_put(&map, 1, NULL));
    assert_false(fxi_map_put(NULL, 1, &a));
    assert_null(fxi_map_find(NULL, 1, &a, NULL));
    assert_false(fxi_map_remove(NULL, 1, &a));
    fxi_map_free(&map);
    fxi_map_free(NULL);
}

static void keeps_its_content_on_failure(void **state)
{
    (void)state;
    static int values[1000];
    fxi_map map = {0};
    faulty_fail_after(0);
    assert_false(fxi_map_put(&map, 1, &values[0]));
    assert_int_equal(map.count, 0);
    faulty_fail_after(3);
    size_t n = 0;
    while (n < 1000 && fxi_map_put(&map, good_hash((int)n), &values[n]))
        n++;
    faulty_fail_after(-1);
    assert_int_equal(n, 48); /* three quarters of the third table */
    assert_int_equal(map.count, n);
    for (size_t i = 0; i < n; i++)
        assert_ptr_equal(fxi_map_find(&map, good_hash((int)i), &values[i], NULL), &values[i]);
    assert_true(fxi_map_put(&map, good_hash((int)n), &values[n]));
    fxi_map_free(&map);
    assert_int_equal(faulty_blocks(), 0);
}

static void hashes_are_stable(void **state)
{
    (void)state; /* what is written to disk must mean the same in the next process */
    assert_int_equal(fxi_hash_u64(0, 0), fxi_hash_u64(0, 0));
    char text[64] = "xThe quick brown fox";
    char other[64] = "The quick brown fox";
    assert_int_equal(fxi_hash_bytes(text + 1, 19, 3), fxi_hash_bytes(other, 19, 3)); /* at any alignment */
    assert_int_equal(fxi_hash_bytes("abc", 3, 0), UINT64_C(0xD703D81A8CE31F8B));
    assert_int_equal(fxi_hash_bytes("abcdefghijk", 11, 7), UINT64_C(0xD242780A8F7B02DB));
    assert_int_equal(fxi_hash_bytes(NULL, 0, 0), fxi_hash_bytes("", 0, 0));
}

static int bits_in(uint64_t value)
{
    return __builtin_popcountll(value);
}

static void hashes_mix(void **state)
{
    (void)state;
    for (size_t length = 1; length <= 24; length++) {
        unsigned char data[24] = {0};
        uint64_t base = fxi_hash_bytes(data, length, 0);
        int changed = 0, least = 64;
        for (size_t bit = 0; bit < 8 * length; bit++) {
            data[bit / 8] = (unsigned char)(1u << bit % 8);
            int bits = bits_in(base ^ fxi_hash_bytes(data, length, 0));
            data[bit / 8] = 0;
            changed += bits;
            least = bits < least ? bits : least;
        }
        assert_in_range(changed / (int)(8 * length), 26, 38);
        assert_in_range(least, 8, 40);
        assert_in_range(bits_in(base ^ fxi_hash_bytes(data, length, 1)), 12, 52);
        assert_in_range(bits_in(base ^ fxi_hash_bytes(data, length - 1, 0)), 12, 52);
    }
}

int main(void)
{
    faulty_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_in),
        cmocka_unit_test(compares_by_identity_without_function),
        cmocka_unit_test(keeps_its_content_on_failure),
        cmocka_unit_test(hashes_are_stable),
        cmocka_unit_test(hashes_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
