/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts that differ by an index alone become one, in either order, and no others do. */
#include "rewriting.h"

#define F32 FX_SHAPE(FX_F32, 4, 5)
#define BUILD(name, expression)                                                                              \
    static fx_node *name(fx_node *x, fx_node *y) {                                                           \
        (void)y;                                                                                             \
        return expression;                                                                                   \
    }

static fx_node *index_of(fx_node *x, int axis, bool ascending) {
    return fx_convert(fx_argsort(x, axis, ascending), FX_F32);
}

static fx_node *first_of_two(fx_node *x, fx_node *y) {
    fx_node *results[3];
    fx_sort_many(FX_NODES(x, y), 1, 0, true, results);
    fx_node *sum = fx_add(results[0], results[1]);
    fx_sort_many(FX_NODES(x, y, fx_iota(x->graph, &FX_SHAPE(FX_S64, 4, 5), 1)), 1, 0, true, results);
    return fx_add(sum, fx_convert(results[2], FX_F32));
}

BUILD(before, fx_sub(fx_sort(x, 0, true), index_of(x, 0, true)))
BUILD(behind, fx_sub(index_of(x, 0, true), fx_sort(x, 0, true)))
BUILD(other_axis, fx_sub(fx_sort(x, 1, true), index_of(x, 0, true)))
BUILD(other_order, fx_sub(fx_sort(x, 0, false), index_of(x, 0, true)))
BUILD(other_keys, fx_sub(fx_sort(y, 0, true), index_of(x, 0, true)))
BUILD(other_values, fx_sub(fx_sort(x, 0, true), fx_sort_by_key(x, y, 0, true)))
BUILD(of_derivative, fx_gradient(fx_reduce_all_sum(fx_mul(y, fx_sort(x, 0, true))), FX_NODES(x), NULL))

static size_t sorts_after(pair_fn build) {
    fx_graph *g = graph_of(build, &F32), *simple = fxi_passes_run(g, FX_MUST);
    size_t count = 0;
    assert_same_meaning(g, simple ? simple : g);
    for (size_t i = 0; simple && i < simple->nodes.count; i++)
        count += simple->nodes.data[i]->op == FX_OP_SORT;
    fx_graph_free(g);
    fx_graph_free(simple);
    return count;
}

static void same_keys(void **state) {
    (void)state;
    assert_int_equal(sorts_after(before), 1);
    assert_int_equal(sorts_after(behind), 1);
    assert_int_equal(sorts_after(first_of_two), 1);
    assert_int_equal(sorts_after(of_derivative), 1);
}

static void others(void **state) {
    (void)state;
    assert_stays(other_axis, &F32);
    assert_stays(other_order, &F32);
    assert_stays(other_keys, &F32);
    assert_stays(other_values, &F32);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_keys), cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
