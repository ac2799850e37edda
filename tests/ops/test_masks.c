/* SPDX-License-Identifier: Apache-2.0 */
/* Diagonals of arrays whose sizes are at the edge of 63 bits. Values are golden cases. */
#include "support/graph_helpers.h"
#include <fluxion/indexing.h>

static void diagonals_of_long_axes(void **state) {
    (void)state;
    const int64_t wide = INT64_C(1) << 40;
    fx_graph *g = new_graph();
    fx_node *empty = parameter(g, FX_SHAPE(FX_F32, 0, wide, wide)); /* rows times columns overflow */
    assert_node(fx_diagonal_of(empty, 0, 1, 2), "broadcast_in_dim", "(float32)[0, 1099511627776]");
    assert_node(fx_diagonal_of(empty, wide + 1, 1, 2), "broadcast_in_dim", "(float32)[0, 0]");
    assert_node(fx_diagonal_of(empty, INT64_MIN, -1, -2), "broadcast_in_dim", "(float32)[0, 0]");
    assert_node(fx_trace(empty, 7, 1, 2), "reduce", "(float32)[0]");
    fx_node *row = parameter(g, FX_SHAPE(FX_U8, 1, INT64_MAX)); /* so would columns + 1 */
    assert_node(fx_diagonal_of(row, INT64_MAX - 1, 0, 1), "slice", "(uint8)[1]");
    assert_node(fx_diagonal_of(row, -1, 0, 1), "slice", "(uint8)[0]");
    assert_no_error(g);
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(diagonals_of_long_axes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
