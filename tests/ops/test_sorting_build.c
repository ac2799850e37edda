/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of sorting: what they make, and the message of each precondition. */
#include "support/graph_helpers.h"
#include <fluxion/ops.h>
#include <fluxion/sorting.h>
#include <math.h>

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

#define X(...) parameter(g, FX_SHAPE(__VA_ARGS__))

static void test_messages_of_composites(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_quantile: q is 1.5; it must be from 0 to 1", fx_quantile(X(FX_F32, 2), 1.5, 0));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_quantile: q is nan; it must be from 0 to 1",
                   fx_quantile(X(FX_F32, 2), (double)NAN, 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_median: int32 is not accepted; it takes float dtypes (fx_convert converts)",
                   fx_median(X(FX_S32, 2), 0));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_median: axis 1 is out of range for (float32)[2] (rank 1)", fx_median(X(FX_F32, 2), 1));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_searchsorted: (float32)[2, 2] must have one axis",
                   fx_searchsorted(X(FX_F32, 2, 2), X(FX_F32, 3), false));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_searchsorted: the dtypes float32 and float64 must be equal",
                   fx_searchsorted(X(FX_F32, 2), X(FX_F64, 3), false));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_searchsorted: complex64 is not accepted; it takes bool, integer, float dtypes (fx_convert converts)",
                   fx_searchsorted(X(FX_C64, 2), X(FX_C64, 3), false));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_searchsorted: values have 16 axes; there may be at most 15",
                   fx_searchsorted(X(FX_F32, 2), X(FX_F32, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), false));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_unique: the size is -1", fx_unique(X(FX_F32, 2), -1, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_unique: the fill is (int32); it must be a scalar of dtype float32",
                   fx_unique(X(FX_F32, 2), 1, X(FX_S32), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_unique: the fill is (float32)[1]; it must be a scalar of dtype float32",
                   fx_unique(X(FX_F32, 2), 1, X(FX_F32, 1), NULL));
}

static void test_messages_of_several(void **state) {
    (void)state;
    fx_node *out[2];
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_sort_by_key: operands 0 and 1 have the dimensions [2] and [3]; they must be equal",
                   fx_sort_by_key(X(FX_F32, 2), X(FX_F32, 3), 0, true));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_sort_by_key: float8_e5m2 is not accepted; it takes bool, integer, float, complex dtypes (fx_convert converts)",
                   fx_sort_by_key(X(FX_F8E5M2, 2), X(FX_F32, 2), 0, true));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_sort_many: 2 keys of 1 operands; there must be at least one, and no more than operands",
                   fx_sort_many(FX_NODES(X(FX_F32, 2)), 2, 0, true, out));
    fx_graph *graph = new_graph();
    fx_sort_many(FX_NODES(parameter(graph, FX_SHAPE(FX_F32, 2))), 2, 0, true, out);
    assert_string_equal(fx_node_op(out[0]), "inert");
    fx_graph_free(graph);
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_sort_many: 0 keys of 1 operands; there must be at least one, and no more than operands",
                   fx_sort_many(FX_NODES(X(FX_F32, 2)), 0, 0, true, NULL));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_argsort: axis 1 is out of range for (float32)[2] (rank 1)",
                   fx_argsort(X(FX_F32, 2), 1, true));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_argsort: the indices of axis 0 of (int8)[2147483649] do not fit into int32",
                   fx_argsort(X(FX_S8, INT64_C(2147483649)), 0, true));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_argsort_dtype: the indices' dtype is float32; it must be an integer",
                   fx_argsort_dtype(X(FX_S8, 2), 0, true, FX_F32));
}

static void test_messages_of_selections(void **state) {
    (void)state;
    fx_node *out;
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_top_k: k is 4 for an axis of 3 elements; it must be from 1 to their number",
                   fx_top_k(X(FX_F32, 3, 5), 4, 0, &out));
    fx_graph *graph = new_graph();
    fx_top_k(parameter(graph, FX_SHAPE(FX_F32, 3, 5)), 4, 0, &out);
    assert_string_equal(fx_node_op(out), "inert");
    fx_graph_free(graph);
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_bottom_k: k is 0 for an axis of 3 elements; it must be from 1 to their number",
                   fx_bottom_k(X(FX_F32, 3), 0, 0, NULL));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_top_k_mask: k is 4 for an axis of 3 elements; it must be from 1 to their number",
                   fx_top_k_mask(X(FX_F32, 3), 4, 0));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_top_k: axis 0 is out of range for (float32) (rank 0)", fx_top_k(X(FX_F32), 1, 0, NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_top_k: complex64 is not accepted; it takes bool, integer, float dtypes (fx_convert converts)",
                   fx_top_k(X(FX_C64, 3), 1, 0, NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_top_k_dtype: indices are int32 or int64, not uint8",
                   fx_top_k_dtype(X(FX_F32, 3), 1, 0, FX_U8, NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_bottom_k: the indices of an axis of 2147483649 elements do not fit into int32",
                   fx_bottom_k(X(FX_S8, INT64_C(2147483649)), 1, 0, NULL));
}

#define COMPARATOR(name)                                                                                     \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
COMPARATOR(gives_difference) { (void)g, (void)n_in, (void)n_out, (void)user; out[0] = fx_sub(in[0], in[1]); }
COMPARATOR(gives_nothing) { (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user; }
COMPARATOR(less) { (void)g, (void)n_in, (void)n_out; out[0] = fx_less(fx_add(in[0], user), in[1]); }

static void test_comparators(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *out[2], *x = X(FX_F32, 2, 3);
    const fx_node *first = fx_sort_func(less, X(FX_F32), -2, FX_NODES(x, X(FX_S4, 2, 3)), out);
    assert_ptr_equal(first, out[0]);
    assert_node(out[0], "sort_by", "(float32)[2, 3]");
    assert_node(out[1], "result", "(int4)[2, 3]");
    assert_int_equal(out[0]->operand_count, 3);
    assert_no_error(g);
    fx_graph_free(g);
    g = new_graph();
    assert_string_equal(fx_node_op(fx_sort_func(gives_nothing, NULL, 0, FX_NODES(X(FX_F32, 2)), NULL)), "inert");
    fx_graph_free(g);
    assert_null(fx_sort_func(less, NULL, 0, (fx_nodes){NULL, 0}, NULL));
}

static void test_messages_of_comparators(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_sort_func: the comparator gives (float32) instead of (bool)",
                   fx_sort_func(gives_difference, NULL, 0, FX_NODES(X(FX_F32, 2)), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_sort_func: operands 0 and 1 have the dimensions [2] and [3]; they must be equal",
                   fx_sort_func(less, X(FX_F32), 0, FX_NODES(X(FX_F32, 2), X(FX_F32, 3)), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_sort_func: the closure is NULL", fx_sort_func(NULL, NULL, 0, FX_NODES(X(FX_F32, 2)), NULL));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_sort_func: axis 1 is out of range for (float32)[2] (rank 1)",
                   fx_sort_func(less, NULL, 1, FX_NODES(X(FX_F32, 2)), NULL));
}

static void test_null(void **state) {
    (void)state;
    fx_node *count;
    assert_null(fx_median(NULL, 0));
    assert_null(fx_quantile(NULL, 0.5, 0));
    assert_null(fx_searchsorted(NULL, NULL, true));
    assert_null(fx_unique(NULL, 3, NULL, &count));
    assert_null(count);
    assert_null(fx_sort_by_key(NULL, NULL, 0, true));
    assert_null(fx_sort_many((fx_nodes){NULL, 2}, 1, 0, true, &count));
    assert_null(fx_argsort(NULL, 0, true));
    count = (fx_node *)&count;
    assert_null(fx_top_k(NULL, 1, 0, &count));
    assert_null(count);
    assert_null(fx_top_k_mask(NULL, 1, 0));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nodes), cmocka_unit_test(test_messages),
                                       cmocka_unit_test(test_messages_of_composites),
                                       cmocka_unit_test(test_messages_of_several), cmocka_unit_test(test_messages_of_selections),
                                       cmocka_unit_test(test_comparators),
                                       cmocka_unit_test(test_messages_of_comparators), cmocka_unit_test(test_null), cmocka_unit_test(test_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
