/* SPDX-License-Identifier: Apache-2.0 */
/* Appending nodes: what is checked before the tables are, which graph a node lands in, getters. */
#include "support/graph_helpers.h"

static fx_node *add(fx_node *x, fx_node *y) {
    return fxi_node_new(NULL, FX_OP_ADD, (fx_node *const[]){x, y}, 2, NULL, 0);
}

static void test_append(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 2, 3)), *y = add(x, x);
    assert_node(y, "add", "(float32)[2, 3]");
    assert_ptr_equal(y->graph, g);
    assert_int_equal(y->id, 1);
    assert_ptr_equal(y->operands[1], x);
    assert_int_equal(fx_graph_node_count(g), 2);
    assert_no_error(g);
    fx_graph_free(g);
}

static void test_getters(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const fx_node *x = parameter(g, FX_SHAPE(FX_S8, 2, 3));
    assert_ptr_equal(fx_node_graph(x), g);
    assert_int_equal(fx_node_dtype(x), FX_S8);
    assert_int_equal(fx_node_rank(x), 2);
    assert_int_equal(fx_node_dim(x, 1), 3);
    assert_int_equal(fx_node_dim(x, -2), 2);
    assert_int_equal(fx_node_dim(x, 2), -1);
    assert_string_equal(fx_node_op(x), "parameter");
    assert_null(fx_node_file(x));
    assert_int_equal(fx_node_line(x), 0);
    assert_null(fx_node_graph(NULL));
    assert_int_equal(fx_node_dtype(NULL), FX_INVALID_DTYPE);
    assert_false(fx_shape_is_valid(fx_node_shape(NULL)));
    assert_int_equal(fx_node_rank(NULL), 0);
    assert_int_equal(fx_node_dim(NULL, 0), -1);
    assert_string_equal(fx_node_op(NULL), "inert");
    assert_null(fx_node_file(NULL));
    assert_int_equal(fx_node_line(NULL), 0);
    assert_false(fx_shape_is_valid(fx_node_shape(&g->inert)));
    fx_graph_free(g);
}

static void test_null_operands(void **state) {
    (void)state;
    assert_null(add(NULL, NULL));
    assert_null(fxi_node_new(NULL, FX_OP_ADD, NULL, 0, NULL, 0));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_add: operand 1 is NULL", add(parameter(g, FX_SHAPE(FX_F32)), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_add: the operands are NULL",
                   fxi_node_new(g, FX_OP_ADD, NULL, 2, NULL, 0));
}

static void test_counts_and_ops(void **state) {
    (void)state;
    ASSERT_REFUSED(
        FX_ERROR_ARGUMENT, "fx_add: 1 operands instead of 2",
        fxi_node_new(NULL, FX_OP_ADD, (fx_node *const[]){parameter(g, FX_SHAPE(FX_F32))}, 1, NULL, 0));
    ASSERT_REFUSED(FX_ERROR_INTERNAL, "fx_inert: there is no operation 0",
                   fxi_node_new(g, FX_OP_INERT, NULL, 0, NULL, 0));
    ASSERT_REFUSED(FX_ERROR_INTERNAL, "fx_inert: there is no operation 9999",
                   fxi_node_new(g, (fx_op)9999, NULL, 0, NULL, 0));
}

/* The first error stays, and what is built on an inert node says nothing more. */
static void test_inert_is_silent(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32)), *bad = add(x, NULL);
    assert_ptr_equal(bad, &g->inert);
    assert_ptr_equal(add(bad, NULL), bad);
    assert_ptr_equal(add(x, bad), bad);
    assert_ptr_equal(fx_log_node(bad, NULL), bad);
    assert_error(g, FX_ERROR_ARGUMENT, "fx_add: operand 1 is NULL");
    assert_ptr_equal(fxi_build_fail(g, FX_ERROR_SHAPE, "another"), bad);
    assert_error(g, FX_ERROR_ARGUMENT, "fx_add: operand 1 is NULL");
    assert_null(fxi_build_fail(NULL, FX_ERROR_SHAPE, "nobody hears"));
    fx_graph_free(g);
}

static void test_other_graph(void **state) {
    (void)state;
    fx_graph *g = new_graph(), *h = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32)), *y = parameter(h, FX_SHAPE(FX_F32));
    assert_ptr_equal(add(x, y), &g->inert);
    assert_error(g, FX_ERROR_GRAPH, "fx_add: operand 1, %0 = parameter, belongs to another graph");
    assert_no_error(h);
    fx_graph_free(g);
    fx_graph_free(h);
}

static void test_finished_graph(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32));
    assert_true(fx_graph_finish(g, FX_NODES(x), NULL));
    assert_ptr_equal(add(x, x), &g->inert);
    assert_error(g, FX_ERROR_GRAPH, "fx_add: the graph is finished");
    fx_graph_free(g);
}

static void test_log_label(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    char label[] = "loss";
    fx_node *x = parameter(g, FX_SHAPE(FX_F32));
    assert_ptr_equal(fx_log_node(x, label), x);
    label[0] = 'b';
    assert_string_equal(x->labels->text, "loss");
    assert_null(x->labels->next);
    assert_ptr_equal(fx_log_node(x, label), x); /* a second label joins the first */
    assert_string_equal(x->labels->text, "loss");
    assert_string_equal(x->labels->next->text, "boss");
    assert_null(fx_log_node(NULL, label));
    assert_ptr_equal(fx_log_node(x, NULL), &g->inert);
    assert_error(g, FX_ERROR_ARGUMENT, "fx_log_node: the label is NULL");
    fx_graph_free(g);
}

/* Deep graphs: neither building, verifying, printing nor freeing recurses. */
static void test_long_chain(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 4)), *y = x;
    for (int i = 0; i < 100000; i++) y = add(y, x);
    assert_node(y, "add", "(float32)[4]");
    assert_true(fx_graph_finish(g, FX_NODES(y), NULL));
    assert_true(fxi_verify(g, NULL));
    assert_true(fx_graph_text(g, NULL, 0) > 3000000);
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append),          cmocka_unit_test(test_getters),
        cmocka_unit_test(test_null_operands),   cmocka_unit_test(test_counts_and_ops),
        cmocka_unit_test(test_inert_is_silent), cmocka_unit_test(test_other_graph),
        cmocka_unit_test(test_finished_graph),  cmocka_unit_test(test_log_label),
        cmocka_unit_test(test_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
