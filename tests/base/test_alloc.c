/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation through a caller's allocator: alignment, zeroing, overflow, failure, and that every block
 * comes back. */
#include "faulty.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void refuses_incomplete_allocators(void **state)
{
    (void)state;
    fx_allocator allocator = {.size = sizeof allocator};
    assert_false(fx_set_allocator(NULL));
    assert_false(fx_set_allocator(&allocator));
    assert_int_equal(faulty_blocks(), 0);
    void *block = fxi_alloc(10);
    assert_non_null(block); /* still the allocator of main */
    assert_int_equal(faulty_blocks(), 1);
    fxi_free(block);
    assert_int_equal(faulty_blocks(), 0);
}

static void allocates(void **state)
{
    (void)state;
    void *empty = fxi_alloc(0), *other = fxi_alloc(0);
    assert_non_null(empty);
    assert_non_null(other);
    assert_ptr_not_equal(empty, other);
    fxi_free(empty);
    fxi_free(other);
    unsigned char *zeroed = fxi_alloc_zeroed(1000, 7);
    assert_non_null(zeroed);
    assert_int_equal((uintptr_t)zeroed % 16, 0);
    for (int i = 0; i < 7000; i++)
        assert_int_equal(zeroed[i], 0);
    memset(zeroed, 1, 7000);
    zeroed = fxi_resize(zeroed, 1000, 100);
    assert_non_null(zeroed);
    assert_int_equal(zeroed[6999], 1);
    fxi_free(zeroed);
    fxi_free(NULL);
    void *fresh = fxi_resize(NULL, 3, 5);
    assert_non_null(fresh);
    fresh = fxi_resize(fresh, 0, 5);
    assert_non_null(fresh);
    fxi_free(fresh);
    assert_int_equal(faulty_blocks(), 0);
}

static void refuses_overflow(void **state)
{
    (void)state;
    void *block = fxi_alloc(16);
    assert_non_null(block);
    long before = faulty_calls();
    assert_null(fxi_alloc(SIZE_MAX));
    assert_null(fxi_alloc((size_t)PTRDIFF_MAX + 1));
    assert_null(fxi_alloc_zeroed(SIZE_MAX / 2, 3));
    assert_null(fxi_alloc_zeroed((size_t)1 << 63, 2));
    assert_null(fxi_resize(block, SIZE_MAX / 2, 4));
    assert_null(fxi_resize(NULL, SIZE_MAX / 2, 4));
    assert_null(fxi_alloc_aligned(SIZE_MAX - 100, 128));
    assert_int_equal(faulty_calls(), before); /* the allocator never saw these */
    fxi_free(block);
    assert_int_equal(faulty_blocks(), 0);
}

static void aligns(void **state)
{
    (void)state;
    for (size_t alignment = 16; alignment <= (size_t)4 << 20; alignment *= 2)
        for (size_t bytes = 0; bytes < 200; bytes += 33) {
            unsigned char *block = fxi_alloc_aligned(bytes, alignment);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % alignment, 0);
            memset(block, 0xFF, bytes);
            fxi_free_aligned(block);
        }
    fxi_free_aligned(NULL);
    assert_null(fxi_alloc_aligned(100, 0));
    assert_null(fxi_alloc_aligned(100, 8));
    assert_null(fxi_alloc_aligned(100, 48));
    assert_int_equal(faulty_blocks(), 0);
}

static void fails_cleanly(void **state)
{
    (void)state;
    unsigned char *block = fxi_alloc(16);
    assert_non_null(block);
    block[15] = 9;
    faulty_fail_after(0);
    assert_null(fxi_alloc(1));
    assert_null(fxi_alloc_zeroed(1, 1));
    assert_null(fxi_resize(block, 100, 1));
    assert_null(fxi_alloc_aligned(1, 64));
    assert_null(fxi_copy_string("text"));
    faulty_fail_after(-1);
    assert_int_equal(block[15], 9);
    fxi_free(block);
    assert_int_equal(faulty_blocks(), 0);
}

static void copies_strings(void **state)
{
    (void)state;
    assert_null(fxi_copy_string(NULL));
    char *copy = fxi_copy_string("");
    assert_string_equal(copy, "");
    fxi_free(copy);
    copy = fxi_copy_string("axis");
    assert_string_equal(copy, "axis");
    fxi_free(copy);
    assert_int_equal(faulty_blocks(), 0);
}

/* Is the page at `address` in a mapping whose flags ask for huge pages? */
static bool wants_huge_pages(const void *address)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    assert_non_null(maps);
    char line[1024];
    bool inside = false, wanted = false;
    while (fgets(line, sizeof line, maps)) {
        uintptr_t first, last;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &last) == 2)
            inside = first <= (uintptr_t)address && (uintptr_t)address < last;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0)
            wanted |= strstr(line, " hg") != NULL;
    }
    fclose(maps);
    return wanted;
}

static void large_data_lies_on_huge_pages(void **state)
{
    (void)state;
    char *small = fxi_alloc_data(1000), *large = fxi_alloc_data(((size_t)5 << 20) + 1000);
    assert_non_null(small);
    assert_non_null(large);
    assert_int_equal((uintptr_t)small % 64, 0);
    assert_int_equal((uintptr_t)large % ((size_t)2 << 20), 0);
    memset(small, 1, 1000);
    memset(large, 2, ((size_t)5 << 20) + 1000);
#if defined(__linux__)
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) == 0) /* kernels without them have no flag */
        assert_true(wants_huge_pages(large));
#endif
    fxi_free_aligned(small);
    fxi_free_aligned(large);
    assert_null(fxi_alloc_data(SIZE_MAX));
    assert_int_equal(faulty_blocks(), 0);
}

int main(void)
{
    faulty_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_incomplete_allocators), cmocka_unit_test(allocates),
        cmocka_unit_test(refuses_overflow),              cmocka_unit_test(aligns),
        cmocka_unit_test(fails_cleanly),                 cmocka_unit_test(copies_strings),
        cmocka_unit_test(large_data_lies_on_huge_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
