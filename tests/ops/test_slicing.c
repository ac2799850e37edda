/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges at the edge of 64 bits. Values are golden cases. */
#include "support/graph_helpers.h"
#include <fluxion/indexing.h>

static fx_node *take(fx_graph *g, fx_slice_range range) {
    return fx_slice_ranges(parameter(g, FX_SHAPE(FX_F32, 5)), (fx_slice_ranges_list){&range, 1});
}

static void elements_far_away(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    assert_node(take(g, fx_axis_elem(4)), "slice", "(float32)[1]");
    assert_node(take(g, fx_axis_elem(-1)), "slice", "(float32)[1]");
    assert_node(take(g, fx_axis_elem(-5)), "slice", "(float32)[1]");
    assert_no_error(g);
    fx_graph_free(g);
    const int64_t far[] = {5, -6, INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        g = new_graph();
        assert_int_equal(take(g, fx_axis_elem(far[i]))->op, FX_OP_INERT);
        assert_int_equal(g->error.code, FX_ERROR_ATTRIBUTE);
        fx_graph_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_far_away)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
