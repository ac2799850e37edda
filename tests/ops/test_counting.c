/* SPDX-License-Identifier: Apache-2.0 */
/* What counting and rows of unequal lengths refuse. Values are golden cases of the family indices. */
#include "support/graph_helpers.h"
#include <fluxion/indices.h>
#include <fluxion/ops.h>
#include <math.h>

#define F32(...) parameter(g, FX_SHAPE(FX_F32, __VA_ARGS__))
#define S32(...) parameter(g, FX_SHAPE(FX_S32, __VA_ARGS__))

static void test_bincount(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_bincount: -1 counters", fx_bincount(S32(3), -1));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_bincount: float32 is not accepted; it takes integer dtypes (fx_convert converts)",
                   fx_bincount(F32(3), 4));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_bincount: (int8)[65536, 65536] has more elements than int32 can count",
                   fx_bincount(parameter(g, FX_SHAPE(FX_S8, 65536, 65536)), 4));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_bincount_weighted: the numbers are (int32)[3], the weights (float32)[2]",
                   fx_bincount_weighted(S32(3), F32(2), 4));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_bincount_weighted: bool is not accepted; it takes integer, float, complex dtypes (fx_convert "
        "converts)",
        fx_bincount_weighted(S32(3), parameter(g, FX_SHAPE(FX_BOOL, 3)), 4));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_bincount_weighted: operand 1 is NULL",
                   fx_bincount_weighted(S32(3), NULL, 4));
    assert_null(fx_bincount(NULL, 2));
}

static void test_histogram(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_histogram: 0 parts", fx_histogram(F32(3), 0, 0, 1));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_histogram: the range from 1 to 1", fx_histogram(F32(3), 2, 1, 1));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_histogram: the range from 0 to inf",
                   fx_histogram(F32(3), 2, 0, (double)INFINITY));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_histogram: the range from -1e+308 to 1e+308",
                   fx_histogram(F32(3), 2, -1e308, 1e308));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_histogram: complex64 is not accepted; it takes integer, float dtypes (fx_convert converts)",
        fx_histogram(parameter(g, FX_SHAPE(FX_C64, 3)), 2, 0, 1));
    assert_null(fx_histogram(NULL, 2, 0, 1));
}

static void test_segments(void **state) {
    (void)state;
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_segment_softmax: (float32)[3], ids (int32)[2], 2 segments: there must be a vector with an id per "
        "element",
        fx_segment_softmax(F32(3), S32(2), 2));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_segment_softmax: (float32)[3], ids (int32)[3], 0 segments: there must be a vector with an id per "
        "element",
        fx_segment_softmax(F32(3), S32(3), 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_segment_softmax: int32 has no softmax; convert to a float dtype first",
                   fx_segment_softmax(S32(3), S32(3), 2));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_segment_softmax: float32 is not accepted; it takes integer dtypes (fx_convert converts)",
        fx_segment_softmax(F32(3), F32(3), 2));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_segment_mean: int32 has no mean; convert to a float dtype first",
                   fx_segment_mean(S32(3), S32(3), 2));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_make_ragged2d: 2 rows of (float32)[3], row ids (int32)[4]: there must be a vector and an integer "
        "per element",
        fx_make_ragged2d(2, F32(3), S32(4)).flat);
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_make_ragged2d: 2 rows of (float32)[3], row ids (float32)[3]: there must be a vector and an "
        "integer per element",
        fx_ragged2d_reduce_sum_cols(fx_make_ragged2d(2, F32(3), F32(3))));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_make_ragged2d: operand 1 is NULL",
                   fx_make_ragged2d(2, F32(3), NULL).flat);
    assert_null(fx_make_ragged2d(2, NULL, NULL).flat);
    assert_null(fx_ragged2d_softmax(fx_make_ragged2d(2, NULL, NULL)).flat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bincount),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
