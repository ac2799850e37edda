/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of sorting: what they make, and the message of each precondition. */
#include "support/graph_helpers.h"
#include <fluxion/sorting.h>

static void test_nodes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 2, 3));
    fx_node *sorted = fx_sort(x, -1, false);
    assert_node(sorted, "sort", "(float32)[2, 3]");
    assert_int_equal(fxi_node_int(sorted, FXI_ATTR_AXIS), 1);
    assert_int_equal(fxi_node_ints(sorted, FXI_ATTR_ORDERS).n, 1);
    assert_int_equal(fxi_node_ints(sorted, FXI_ATTR_ORDERS).v[0], 1);
    assert_null(fx_sort(NULL, 0, true));
    assert_no_error(g);
    fx_graph_free(g);
}

static void test_messages(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_sort: axis 2 is out of range for (float32)[2, 3] (rank 2)",
                   fx_sort(parameter(g, FX_SHAPE(FX_F32, 2, 3)), 2, true));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_sort: axis 0 is out of range for (float32) (rank 0)",
                   fx_sort(parameter(g, FX_SHAPE(FX_F32)), 0, true));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_sort: float8_e5m2 is not accepted; it takes bool, integer, float, complex dtypes (fx_convert converts)",
                   fx_sort(parameter(g, FX_SHAPE(FX_F8E5M2, 2)), 0, true));
}

/* What only the rule of shapes sees: lists of orders that no builder makes. */
static void test_rule(void **state) {
    (void)state;
    const int64_t orders[] = {0, 2};
    for (size_t n = 0; n < 3; n++) {
        fx_graph *g = new_graph();
        fx_node *x = parameter(g, FX_SHAPE(FX_F32, 2));
        const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_AXIS, 0), fxi_attr_ints(FXI_ATTR_ORDERS, orders + (n == 1), n)};
        assert_int_equal(fxi_node_new(g, FX_OP_SORT, &x, 1, attrs, 2)->op, FX_OP_INERT);
        static const char *const messages[] = {
            "fx_sort: 0 keys of 1 operands; there must be at least one, and no more than operands",
            "fx_sort: the order of key 0 is 2; it is 0 or 1",
            "fx_sort: 2 keys of 1 operands; there must be at least one, and no more than operands"};
        assert_error(g, FX_ERROR_ATTRIBUTE, messages[n]);
        fx_graph_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nodes), cmocka_unit_test(test_messages), cmocka_unit_test(test_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
