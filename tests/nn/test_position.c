/* SPDX-License-Identifier: Apache-2.0 */
/* Rotations and positions: shapes, properties and refusals; their values are golden cases of the family
 * attention. */
#include "support/gradients.h"
#include <math.h>

#define P(...) parameter(g, FX_SHAPE(__VA_ARGS__))

/* ---- positions ---- */

static void test_sequential(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    assert_value(g, fx_nn_sequential_positions(g, NULL, 3), "[3]int32{0, 1, 2}");
    g = new_graph();
    assert_value(g, fx_nn_sequential_positions(NULL, fx_scalar_int(g, FX_S64, 7), 2), "[2]int64{7, 8}");
    g = new_graph();
    const uint8_t starts[2] = {5, 254};
    fx_node *start = fx_constant_host(g, FX_HOST(starts, 2));
    assert_value(g, fx_nn_sequential_positions(g, start, 2), "[2][2]uint8{{5, 6}, {254, 255}}");
    assert_null(fx_nn_sequential_positions(NULL, NULL, 2));
}

static void test_learned(void **state) {
    (void)state;
    const float table[3][2] = {{1, 2}, {10, 20}, {100, 200}};
    const int32_t positions[2][2] = {{0, 5}, {-7, 1}};
    fx_graph *g = new_graph();
    fx_node *x = fx_zeros(g, &FX_SHAPE(FX_F32, 2, 2, 2)), *rows = fx_constant_host(g, FX_HOST(table, 3, 2));
    fx_node *made = fx_nn_learned_positions(x, rows, fx_constant_host(g, FX_HOST(positions, 2, 2)), 1);
    assert_value(g, made, "[2][2][2]float32{{{1, 2}, {100, 200}}, {{1, 2}, {10, 20}}}");
    g = new_graph();
    x = fx_zeros(g, &FX_SHAPE(FX_F32, 1, 1, 3, 2));
    made = fx_nn_learned_positions(x, fx_constant_host(g, FX_HOST(table, 3, 2)), NULL, -2);
    assert_value(g, made, "[1][1][3][2]float32{{{{1, 2}, {10, 20}, {100, 200}}}}");
}

/* ---- rotations ---- */

static fx_node *rotated(fx_graph *g, fx_dtype dtype, fx_node *x, double position, const fx_rope_options *o) {
    fx_node *at = fx_reshape(fx_scalar(g, dtype, position), FX_DIMS(1));
    return fx_nn_rope(x, at, 0, o);
}

/* In a half type angles are not rounded to it: position 1001 is not 1000. */
static void test_half(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const float row[1][2] = {{1, 0}};
    fx_node *x = fx_convert(fx_constant_host(g, FX_HOST(row, 1, 2)), FX_BF16);
    fx_node *y = rotated(g, FX_S32, x, 1001, NULL);
    fx_tensor *t = run_graph(g, fx_convert(y, FX_F64));
    assert_true(fabs(fx_tensor_get(t, 0) - cos(1001.)) < 0x1p-8 &&
                fabs(fx_tensor_get(t, 1) - sin(1001.)) < 0x1p-8);
    fx_tensor_free(t);
}

/* Linear scaling divides positions as floats, also of integers. */
static void test_scaling(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const double row[1][2] = {{1, 0}};
    fx_node *x = fx_constant_host(g, FX_HOST(row, 1, 2));
    fx_node *whole = rotated(g, FX_S32, x, 7, &(fx_rope_options){.linear_scaling = 2});
    fx_node *real = rotated(g, FX_F64, x, 3.5, NULL);
    fx_tensor *t = run_graph(g, fx_sub(whole, real));
    assert_true(fx_tensor_get(t, 0) == 0 && fx_tensor_get(t, 1) == 0);
    fx_tensor_free(t);
}

/* Heads first and sequence first, positions of each example, the same as for one row of it. */
static void test_layouts(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = fx_iota_full(g, &FX_SHAPE(FX_F64, 2, 3, 4, 6));
    fx_node *positions = fx_add_scalar_int(fx_iota_full(g, &FX_SHAPE(FX_S64, 2, 3)), 40);
    fx_node *by_rows = fx_nn_rope(x, positions, 1, NULL);
    fx_node *by_heads = fx_transpose(fx_nn_rope(fx_transpose(x, 1, 2), positions, 2, NULL), 1, 2);
    fx_node *row =
        fx_reshape(fx_slice(x, FX_DIMS(1, 2, 3, 0), FX_DIMS(2, 3, 4, 6), FX_DIMS()), FX_DIMS(1, 6));
    fx_node *one = fx_slice(by_rows, FX_DIMS(1, 2, 3, 0), FX_DIMS(2, 3, 4, 6), FX_DIMS());
    fx_node *alone = rotated(g, FX_S64, row, 45, NULL);
    fx_node *differ = fx_logical_any(fx_not_equal(by_rows, by_heads), FX_AXES());
    differ = fx_or(differ, fx_logical_any(fx_not_equal(fx_reshape(one, FX_DIMS(1, 6)), alone), FX_AXES()));
    assert_value(g, differ, "bool(false)");
}

GRAPH_FN(halves, fx_nn_rope(x, y, 1, &((fx_rope_options){.first = 1, .count = 4})))
GRAPH_FN(interleaved, fx_nn_rope(x, y, -2, &((fx_rope_options){.interleaved = true})))
GRAPH_FN(given, fx_nn_rope_cos_sin(x, y, z, 1, NULL))
GRAPH_FN(learned, fx_nn_learned_positions(x, y, NULL, 1))

static void test_derivatives(void **state) {
    (void)state;
    CHECK_ROWS(
        ROW(halves, RANDOM_F64(1, -1, 1, 2, 3, 6), RANDOM_F64(2, 0, 9, 3)),
        ROW(interleaved, RANDOM_F64(3, -1, 1, 2, 3, 6), RANDOM_F64(4, 0, 9, 2, 3)),
        ROW(given, RANDOM_F64(5, -1, 1, 2, 3, 6), RANDOM_F64(6, -1, 1, 3, 2), RANDOM_F64(7, -1, 1, 3, 2)),
        ROW(learned, RANDOM_F64(8, -1, 1, 2, 3, 4), RANDOM_F64(9, -1, 1, 5, 4)));
}

static void test_refusals(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_sequential_positions: the length is negative",
                   fx_nn_sequential_positions(g, NULL, -1));
    ASSERT_REFUSED(
        FX_ERROR_ARGUMENT,
        "fx_nn_sequential_positions: the start is (float32); it must be an integer or [batch] of them",
        fx_nn_sequential_positions(g, P(FX_F32), 2));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_nn_learned_positions: the table is (float32)[4]; it must be [length, 2]",
                   fx_nn_learned_positions(P(FX_F32, 3, 2), P(FX_F32, 4), NULL, 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_learned_positions: positions are float32; they must be integers",
                   fx_nn_learned_positions(P(FX_F32, 3, 2), P(FX_F32, 4, 2), P(FX_F32, 3), 0));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_nn_rope: axis 1 is the last of (float32)[3, 4]",
                   fx_nn_rope(P(FX_F32, 3, 4), P(FX_S32, 3), 1, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_rope: 5 elements from 0 on are no pairs",
                   fx_nn_rope(P(FX_F32, 3, 5), P(FX_S32, 3), 0, NULL));
    ASSERT_REFUSED(
        FX_ERROR_ARGUMENT, "fx_nn_rope: 0 elements from -9223372036854775808 on do not lie in (float32)[3, 5]",
        fx_nn_rope(P(FX_F32, 3, 5), P(FX_S32, 3), 0, &(fx_rope_options){.first = INT64_MIN}));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT,
                   "fx_nn_rope_cos_sin: 9223372036854775807 elements from 0 on do not lie in (float32)[0, 4]",
                   fx_nn_rope_cos_sin(P(FX_F32, 0, 4), P(FX_F32, 0, INT64_C(1) << 62),
                                      P(FX_F32, 0, INT64_C(1) << 62), 0, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_rope: 4 elements from 2 on do not lie in (float32)[3, 5]",
                   fx_nn_rope(P(FX_F32, 3, 5), P(FX_S32, 3), 0, &(fx_rope_options){.first = 2, .count = 4}));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_nn_rope: positions (int32)[4] do not go with (float32)[3, 4], whose rows are along axis 0",
        fx_nn_rope(P(FX_F32, 3, 4), P(FX_S32, 4), 0, NULL));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_nn_rope: positions (int32) do not go with (float32)[3, 4], whose rows are along axis 0",
        fx_nn_rope(P(FX_F32, 3, 4), P(FX_S32), 0, NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_rope: positions are bool; they must be numbers",
                   fx_nn_rope(P(FX_F32, 3, 4), P(FX_BOOL, 3), 0, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_rope: the linear scaling is negative or not finite",
                   fx_nn_rope(P(FX_F32, 3, 4), P(FX_S32, 3), 0, &(fx_rope_options){.linear_scaling = -1}));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_nn_rope_cos_sin: cosines (float32)[3, 2] and sines (float32)[3, 1] differ",
                   fx_nn_rope_cos_sin(P(FX_F32, 3, 4), P(FX_F32, 3, 2), P(FX_F32, 3, 1), 0, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT,
                   "fx_nn_rope_cos_sin: 6 elements from 0 on do not lie in (float32)[3, 4]",
                   fx_nn_rope_cos_sin(P(FX_F32, 3, 4), P(FX_F32, 3, 3), P(FX_F32, 3, 3), 0, NULL));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_nn_rope_cos_sin: dtypes float32 and float64 differ; convert one of them with fx_convert",
        fx_nn_rope_cos_sin(P(FX_F32, 3, 4), P(FX_F64, 3, 2), P(FX_F64, 3, 2), 0, NULL));
    fx_graph *g = new_graph();
    assert_string_equal(
        fx_shape_to_text(fx_node_shape(fx_nn_rope(P(FX_BF16, 2, 0, 4), P(FX_S32, 0), 1, NULL))).s,
        "(bfloat16)[2, 0, 4]");
    fx_node *none = fx_nn_rope(P(FX_F32, 2, 3, 0), P(FX_S32, 1), 1, NULL);
    assert_string_equal(fx_shape_to_text(fx_node_shape(none)).s, "(float32)[2, 3, 0]");
    assert_no_error(g);
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sequential), cmocka_unit_test(test_learned),
                                       cmocka_unit_test(test_half),       cmocka_unit_test(test_scaling),
                                       cmocka_unit_test(test_layouts),    cmocka_unit_test(test_derivatives),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
