/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays and checked sizes. */
#include "faulty.h"

static void pushes(void **state)
{
    (void)state;
    FXI_VEC(int64_t) v = {0};
    long before = faulty_calls();
    for (int64_t i = 0; i < 100000; i++)
        assert_true(FXI_PUSH(&v, i * i));
    assert_int_equal(v.count, 100000);
    assert_in_range(faulty_calls() - before, 1, 16); /* doubles */
    for (int64_t i = 0; i < 100000; i++)
        assert_int_equal(v.data[i], i * i);
    size_t capacity = v.capacity;
    assert_true(FXI_RESERVE(&v, 5));
    assert_int_equal(v.capacity, capacity);
    assert_true(FXI_RESERVE(&v, capacity * 3));
    assert_int_equal(v.capacity, capacity * 3);
    fxi_free(v.data);
    assert_int_equal(faulty_blocks(), 0);
}

static void keeps_data_on_failure(void **state)
{
    (void)state;
    FXI_VEC(int) v = {0};
    faulty_fail_after(0);
    assert_false(FXI_PUSH(&v, 1));
    assert_null(v.data);
    faulty_fail_after(-1);
    assert_true(FXI_PUSH(&v, 1));
    size_t capacity = v.capacity;
    faulty_fail_after(0);
    while (FXI_PUSH(&v, 2))
        ;
    faulty_fail_after(-1);
    assert_int_equal(v.count, capacity);
    assert_int_equal(v.capacity, capacity);
    assert_int_equal(v.data[0], 1);
    assert_int_equal(v.data[capacity - 1], 2);
    assert_false(FXI_RESERVE(&v, SIZE_MAX / 2));
    assert_false(FXI_RESERVE(&v, SIZE_MAX));
    assert_int_equal(v.capacity, capacity);
    fxi_free(v.data);
    assert_int_equal(faulty_blocks(), 0);
}

static void checks_sizes(void **state)
{
    (void)state;
    int64_t r = -1;
    assert_true(fxi_size_mul(0, INT64_MAX, &r));
    assert_int_equal(r, 0);
    assert_true(fxi_size_mul(INT64_C(3037000499), INT64_C(3037000499), &r));
    assert_int_equal(r, INT64_C(9223372030926249001));
    assert_false(fxi_size_mul(INT64_C(3037000500), INT64_C(3037000500), &r));
    assert_false(fxi_size_mul(INT64_MAX, 2, &r));
    assert_false(fxi_size_mul(-1, 1, &r));
    assert_false(fxi_size_mul(1, -1, &r));
    assert_false(fxi_size_mul(-1, -1, &r));
    assert_false(fxi_size_mul(INT64_MIN, INT64_MIN, &r));
    assert_true(fxi_size_add(INT64_MAX - 1, 1, &r));
    assert_int_equal(r, INT64_MAX);
    assert_false(fxi_size_add(INT64_MAX, 1, &r));
    assert_false(fxi_size_add(-1, 1, &r));
    assert_false(fxi_size_add(5, -1, &r));
}

int main(void)
{
    faulty_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushes), cmocka_unit_test(keeps_data_on_failure), cmocka_unit_test(checks_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
