/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of sorting and selecting: the permutation taken, however ties and NaNs fell. */
#include "support/gradients.h"
#include <fluxion/sorting.h>
#include <math.h>

static fx_node *sorted_operand(fx_node *const *operands, size_t n, size_t keys, size_t which) {
    fx_node *results[4];
    fx_sort_many((fx_nodes){operands, n}, keys, 0, false, results);
    return results[which];
}

/* By the larger y + capture x; the comparator's captures have no derivative. */
static void by_shifted(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_greater(fx_add(in[2], user), fx_add(in[3], user));
}

static fx_node *sorted_by(fx_node *x, fx_node *y, fx_node *shift) {
    fx_node *const operands[] = {x, y};
    fx_node *results[2];
    fx_sort_func(by_shifted, shift, 0, (fx_nodes){operands, 2}, results);
    return fx_mul(results[0], fx_mul(results[1], results[1]));
}

GRAPH_FN(ascending, fx_sort(x, -1, true))
GRAPH_FN(descending_first, fx_sort(x, 0, false))
GRAPH_FN(square_sorted, fx_mul(fx_sort(x, 0, true), fx_sort(fx_mul(x, x), 0, true)))
GRAPH_FN(by_key, fx_mul(fx_sort_by_key(x, y, 1, true), fx_sort(x, 1, true)))
GRAPH_FN(complex_by_key, fx_sort_by_key(x, y, 1, true))
GRAPH_FN(third, sorted_operand((fx_node *const[]){x, y, z}, 3, 2, 2))
GRAPH_FN(second_key, sorted_operand((fx_node *const[]){x, y, z}, 3, 2, 1))
GRAPH_FN(compared, sorted_by(x, y, fx_reduce_max(x, FX_AXES(0))))
GRAPH_FN(top, fx_top_k(x, 2, -1, NULL))
GRAPH_FN(bottom_first, fx_bottom_k(x, 3, 0, NULL))
GRAPH_FN(middle, fx_median(x, -1))
GRAPH_FN(quarter, fx_quantile(x, 0.3, 0))
GRAPH_FN(argsorted, fx_mul(y, fx_take_along_axis(x, fx_argsort(y, 0, true), 0)))
GRAPH_FN(weighted, fx_mul(y, fx_sort(x, 0, true)))
GRAPH_FN(weighted_top, fx_mul(y, fx_top_k(x, 2, 0, NULL)))

static void test_sort(void **state) {
    (void)state;
    CHECK_ROWS(ROW(ascending, RANDOM_F64(4, -2, 2, 2, 5)), ROW(ascending, RANDOM_C128(1, -2, 2, 2, 3)),
               ROW(ascending, RANDOM_F64(1, -2, 2, 2, 0)), ROW(ascending, RANDOM_F64(1, -2, 2, 3, 1)),
               ROW(descending_first, RANDOM_F64(1, -2, 2, 5, 2)),
               ROW(square_sorted, FLOATS(FX_SHAPE(FX_F64, 5), 0.9, -1.7, 0.3, -0.5, 1.2)),
               ROW(by_key, RANDOM_F64(1, -2, 2, 2, 4), RANDOM_F64(2, -2, 2, 2, 4)),
               ROW(complex_by_key, RANDOM_F64(1, -2, 2, 2, 4), RANDOM_C128(2, -2, 2, 2, 4)),
               ROW(third, RANDOM_F64(1, -2, 2, 4), RANDOM_F64(2, -2, 2, 4), RANDOM_F64(3, -2, 2, 4)),
               ROW(second_key, RANDOM_F64(1, -2, 2, 4), RANDOM_F64(2, -2, 2, 4), RANDOM_F64(3, -2, 2, 4)),
               ROW(compared, RANDOM_F64(1, -2, 2, 5), RANDOM_F64(2, -2, 2, 5)));
    GRADIENTS(weighted, "[4]float64{4, 2, 3, 1}; [4]float64{1, 2, 2, NaN}",
              FLOATS(FX_SHAPE(FX_F64, 4), NAN, 2, 2, 1), FLOATS(FX_SHAPE(FX_F64, 4), 1, 2, 3, 4));
    check_vjp_in(FX_BF16, &(derivative_case)ROW(ascending, RANDOM_F64(1, -2, 2, 2, 5)), 0);
}

static void test_select(void **state) {
    (void)state;
    CHECK_ROWS(ROW(top, RANDOM_F64(1, -2, 2, 2, 5)), ROW(top, RANDOM_F64(1, -2, 2, 0, 5)),
               ROW(bottom_first, RANDOM_F64(1, -2, 2, 5, 2)), ROW(middle, RANDOM_F64(1, -2, 2, 2, 5)),
               ROW(middle, RANDOM_F64(1, -2, 2, 2, 4)), ROW(quarter, RANDOM_F64(1, -2, 2, 6, 2)),
               ROW(argsorted, RANDOM_F64(1, -2, 2, 5), RANDOM_F64(2, -2, 2, 5)));
    GRADIENTS(weighted_top, "[4]float64{0, 2, 3, 0}; [2]float64{NaN, 2}",
              FLOATS(FX_SHAPE(FX_F64, 4), 1, NAN, 2, 2), FLOATS(FX_SHAPE(FX_F64, 2), 2, 3));
}

/* ---- cost: an index that the sort carries is used ---- */

static size_t count_nodes(const fx_graph *graph, const char *op) {
    size_t count = 0;
    for (size_t i = 0; i < graph->nodes.count; i++)
        count += strcmp(fx_node_op(graph->nodes.data[i]), op) == 0;
    return count;
}

static void test_index_is_used(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F32, 3, 4)), *results[2];
    fx_node *const operands[] = {x, fx_iota(graph, &FX_SHAPE(FX_S32, 3, 4), 1)};
    fx_sort_many((fx_nodes){operands, 2}, 1, 1, true, results);
    fx_gradient(fx_reduce_all_sum(fx_mul(results[0], results[0])), FX_NODES(x), NULL);
    assert_no_error(graph);
    assert_int_equal(count_nodes(graph, "sort"), 1);
    fx_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sort), cmocka_unit_test(test_select),
                                       cmocka_unit_test(test_index_is_used)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
