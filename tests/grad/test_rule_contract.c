/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of dot_general: every arrangement of axes, dtypes of the product, and no transpose where the
 * axes already lie right. */
#include "support/gradients.h"
#include <math.h>

GRAPH_FN(product, fx_matmul(x, y))
GRAPH_FN(inner, fx_dot_general(x, FX_AXES(0), FX_AXES(), y, FX_AXES(0), FX_AXES()))
GRAPH_FN(outer, fx_dot_general(x, FX_AXES(), FX_AXES(), y, FX_AXES(), FX_AXES()))
GRAPH_FN(rows_by_rows, fx_dot_general(x, FX_AXES(1), FX_AXES(), y, FX_AXES(1), FX_AXES()))
GRAPH_FN(columns, fx_dot_general(x, FX_AXES(0), FX_AXES(), y, FX_AXES(0), FX_AXES()))
GRAPH_FN(columns_rows, fx_dot_general(x, FX_AXES(0), FX_AXES(), y, FX_AXES(1), FX_AXES()))
GRAPH_FN(batched, fx_dot_general(x, FX_AXES(2), FX_AXES(0), y, FX_AXES(1), FX_AXES(0)))
GRAPH_FN(batch_last, fx_dot_general(x, FX_AXES(0), FX_AXES(2), y, FX_AXES(2), FX_AXES(1)))
GRAPH_FN(two_batches, fx_dot_general(x, FX_AXES(1), FX_AXES(3, 0), y, FX_AXES(2), FX_AXES(1, 0)))
GRAPH_FN(two_sums, fx_dot_general(x, FX_AXES(3, 1), FX_AXES(), y, FX_AXES(0, 2), FX_AXES()))
GRAPH_FN(all, fx_dot_general(x, FX_AXES(1, 0), FX_AXES(), y, FX_AXES(0, 1), FX_AXES()))
GRAPH_FN(itself, fx_matmul(x, x))

static void test_arrangements(void **state) {
    (void)state;
    CHECK_ROWS(ROW(product, RANDOM_F64(1, -1, 1, 3, 4), RANDOM_F64(2, -1, 1, 4, 2)),
               ROW(product, RANDOM_F64(1, -1, 1, 2, 3, 4), RANDOM_F64(2, -1, 1, 4, 2)),
               ROW(product, RANDOM_F64(1, -1, 1, 4), RANDOM_F64(2, -1, 1, 3, 4, 2)),
               ROW(inner, RANDOM_F64(1, -1, 1, 5), RANDOM_F64(2, -1, 1, 5)),
               ROW(outer, RANDOM_F64(1, -1, 1, 3), RANDOM_F64(2, -1, 1, 2)),
               ROW(rows_by_rows, RANDOM_F64(1, -1, 1, 3, 4), RANDOM_F64(2, -1, 1, 2, 4)),
               ROW(columns, RANDOM_F64(1, -1, 1, 3, 4), RANDOM_F64(2, -1, 1, 3, 2)),
               ROW(columns_rows, RANDOM_F64(1, -1, 1, 3, 4), RANDOM_F64(2, -1, 1, 2, 3)),
               ROW(batched, RANDOM_F64(1, -1, 1, 2, 3, 4), RANDOM_F64(2, -1, 1, 2, 4, 5)),
               ROW(batch_last, RANDOM_F64(1, -1, 1, 4, 3, 2), RANDOM_F64(2, -1, 1, 5, 2, 4)),
               ROW(two_batches, RANDOM_F64(1, -1, 1, 2, 3, 4, 5), RANDOM_F64(2, -1, 1, 2, 5, 3, 2)),
               ROW(two_sums, RANDOM_F64(1, -1, 1, 2, 3, 2, 4), RANDOM_F64(2, -1, 1, 4, 2, 3)),
               ROW(all, RANDOM_F64(1, -1, 1, 2, 3), RANDOM_F64(2, -1, 1, 3, 2)),
               ROW(itself, RANDOM_F64(1, -1, 1, 3, 3)),
               ROW(product, RANDOM_F64(1, -1, 1, 3, 0), RANDOM_F64(2, -1, 1, 0, 2)),
               ROW(product, RANDOM_F64(1, -1, 1, 0, 3), RANDOM_F64(2, -1, 1, 3, 2)),
               ROW(product, RANDOM_F64(1, -1, 1, 1, 1), RANDOM_F64(2, -1, 1, 1, 1)));
}

static void test_complex(void **state) {
    (void)state;
    CHECK_ROWS(ROW(product, RANDOM_C128(1, -1, 1, 2, 3), RANDOM_C128(2, -1, 1, 3, 2)),
               ROW(columns_rows, RANDOM_C128(1, -1, 1, 3, 2), RANDOM_C128(2, -1, 1, 2, 3)),
               ROW(batched, RANDOM_C128(1, -1, 1, 2, 1, 2), RANDOM_C128(2, -1, 1, 2, 2, 3)),
               ROW(itself, RANDOM_C128(1, -1, 1, 2, 2)));
}

/* ---- dtypes ---- */

GRAPH_FN(wider, fx_dot_general_dtype(x, FX_AXES(1), FX_AXES(), y, FX_AXES(0), FX_AXES(), FX_F32))

static void test_dtypes(void **state) {
    (void)state;
#define CASE(function)                                                                                       \
    &(derivative_case)ROW(function, RANDOM_F64(1, -1, 1, 3, 40), RANDOM_F64(2, -1, 1, 40, 2))
    check_vjp_in(FX_F32, CASE(product), 0x1p-21);
    check_vjp_in(FX_F16, CASE(product), 0x1p-10);
    check_vjp_in(FX_BF16, CASE(product), 0x1p-7);
    GRADIENTS(wider, "[1][2]bfloat16{{5, 7}}; [2][1]bfloat16{{2}, {3}}",
              FLOATS(FX_SHAPE(FX_BF16, 1, 2), 2, 3), FLOATS(FX_SHAPE(FX_BF16, 2, 1), 5, 7));
}

/* Contractions stay IEEE: an infinite weight is not hidden by an adjoint of zero. */
GRAPH_FN(hidden, fx_mul(fx_matmul(x, y), z))

static void test_infinite(void **state) {
    (void)state;
    GRADIENTS(hidden, "[1][2]float64{{NaN, 0}}; [2][1]float64{{0}, {0}}; [1][1]float64{{Inf}}",
              FLOATS(FX_SHAPE(FX_F64, 1, 2), 1, 2), FLOATS(FX_SHAPE(FX_F64, 2, 1), INFINITY, 1),
              FLOATS(FX_SHAPE(FX_F64, 1, 1), 0));
}

/* ---- cost: the gradients of a product are two products ---- */

static size_t count_nodes(const fx_graph *graph, const char *op) {
    size_t count = 0;
    for (size_t i = 0; i < graph->nodes.count; i++)
        count += strcmp(fx_node_op(graph->nodes.data[i]), op) == 0;
    return count;
}

static void assert_no_transpose(fx_fn fn, fx_shape x, fx_shape y) {
    fx_graph *graph = new_graph();
    fx_node *in[] = {parameter(graph, x), parameter(graph, y)}, *out[1];
    fn(graph, in, 2, out, 1, NULL);
    fx_node *u = fx_parameter(graph, fx_node_shape(out[0]));
    fx_vjp((fx_nodes){out, 1}, FX_NODES(u), (fx_nodes){in, 2}, NULL);
    assert_no_error(graph);
    assert_int_equal(count_nodes(graph, "transpose"), 0);
    assert_int_equal(count_nodes(graph, "dot_general"), 3);
    fx_graph_free(graph);
}

static void test_no_transpose(void **state) {
    (void)state;
    assert_no_transpose(product, FX_SHAPE(FX_F32, 3, 4), FX_SHAPE(FX_F32, 4, 2));
    assert_no_transpose(rows_by_rows, FX_SHAPE(FX_F32, 3, 4), FX_SHAPE(FX_F32, 2, 4));
    assert_no_transpose(columns, FX_SHAPE(FX_F32, 3, 4), FX_SHAPE(FX_F32, 3, 2));
    assert_no_transpose(columns_rows, FX_SHAPE(FX_F32, 3, 4), FX_SHAPE(FX_F32, 2, 3));
    assert_no_transpose(batched, FX_SHAPE(FX_F32, 2, 3, 4), FX_SHAPE(FX_F32, 2, 4, 5));
    assert_no_transpose(product, FX_SHAPE(FX_F32, 2, 3, 4), FX_SHAPE(FX_F32, 4, 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arrangements), cmocka_unit_test(test_complex),
                                       cmocka_unit_test(test_dtypes), cmocka_unit_test(test_infinite),
                                       cmocka_unit_test(test_no_transpose)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
