/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a graph: parameters, finishing, errors, constants' references, closures and their captures. */
#include "support/graph_helpers.h"

static fx_node *neg(fx_node *x) {
    return fxi_node_new(NULL, FX_OP_NEG, &x, 1, NULL, 0);
}
static fx_node *add(fx_node *x, fx_node *y) {
    return fxi_node_new(NULL, FX_OP_ADD, (fx_node *const[]){x, y}, 2, NULL, 0);
}

static void test_null_arguments(void **state) {
    (void)state;
    fx_error err = {.code = FX_OK};
    const fx_shape scalar = FX_SHAPE(FX_F32);
    fx_graph_free(NULL);
    assert_null(fx_parameter(NULL, &scalar));
    assert_false(fx_graph_error(NULL, &err));
    assert_int_equal(fx_graph_node_count(NULL), 0);
    assert_int_equal(fx_graph_parameter_count(NULL), 0);
    assert_false(fx_graph_finish(NULL, FX_NODES(), &err));
    assert_string_equal(err.message, "fx_graph_finish: the graph is NULL");
    assert_null(fxi_closure_build(NULL, "fx_test", NULL, NULL, NULL, 0, 0));
}

static void test_parameters(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    for (int i = 0; i < 20; i++) {
        const fx_node *x = parameter(g, FX_SHAPE(FX_F32, i));
        assert_int_equal(fxi_node_int(x, FXI_ATTR_INDEX), i);
        assert_ptr_equal(g->parameters.data[i], x);
    }
    assert_int_equal(fx_graph_parameter_count(g), 20);
    fx_graph_free(g);
}

static void test_parameter_errors(void **state) {
    (void)state;
    const fx_shape negative = FX_SHAPE(FX_F32, 3, -2), huge = FX_SHAPE(FX_F32, INT64_MAX, 2);
    const fx_shape deep = fx_shape_make(FX_F32, (int64_t[17]){0}, 17), none = fx_shape_make(FX_F32, NULL, 2);
    const fx_shape untyped = FX_SHAPE((fx_dtype)99, 2), broken = {.dtype = FX_F32, .rank = 17};
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_parameter: the shape is NULL", fx_parameter(g, NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_parameter: the shape has -2 for dimension 1",
                   fx_parameter(g, &negative));
    ASSERT_REFUSED(
        FX_ERROR_MEMORY,
        "fx_parameter: the shape (float32)[9223372036854775807, 2] has more bytes than fit into 63 bits",
        fx_parameter(g, &huge));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_parameter: the shape has 17 dimensions; there can be 16",
                   fx_parameter(g, &deep));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_parameter: the shape has 17 dimensions; there can be 16",
                   fx_parameter(g, &broken));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_parameter: the shape has rank -2: its dimensions were NULL",
                   fx_parameter(g, &none));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_parameter: the shape has no valid dtype",
                   fx_parameter(g, &untyped));
}

static void test_finish(void **state) {
    (void)state;
    fx_graph *g = new_graph(), *h = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32)), *other = parameter(h, FX_SHAPE(FX_F32));
    fx_error err = {.code = FX_OK};
    assert_false(fx_graph_finish(g, FX_NODES(x, NULL), &err));
    assert_string_equal(err.message, "fx_graph_finish: output 1 is NULL");
    assert_false(fx_graph_finish(g, FX_NODES(other), &err));
    assert_string_equal(err.message, "fx_graph_finish: output 0, %0 = parameter, belongs to another graph");
    assert_false(fx_graph_finish(g, (fx_nodes){NULL, 2}, &err));
    assert_string_equal(err.message, "fx_graph_finish: the outputs are NULL");
    assert_true(
        fx_graph_finish(g, FX_NODES(x, x), &err)); /* still possible: nothing was wrong in the graph */
    assert_int_equal(g->output_count, 2);
    assert_ptr_equal(g->outputs[1], x);
    assert_false(fx_graph_finish(g, FX_NODES(x), &err));
    assert_string_equal(err.message, "fx_graph_finish: the graph is finished already");
    assert_true(fx_graph_finish(h, FX_NODES(), NULL));
    fx_graph_free(g);
    fx_graph_free(h);
}

/* A constant keeps its tensor as long as the graph, and drops it with the graph. */
static void test_constant_reference(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const fx_shape shape = FX_SHAPE(FX_S32, 3);
    fx_tensor *tensor = fx_tensor_new(&shape, NULL);
    fxi_attr attr = {.id = FXI_ATTR_VALUE};
    attr.u.tensor = tensor;
    assert_node(fxi_leaf_new(g, FX_OP_CONSTANT, NULL, &attr, 1), "constant", "(int32)[3]");
    assert_int_equal(atomic_load(&tensor->references), 2);
    fx_graph_free(g);
    assert_int_equal(atomic_load(&tensor->references), 1);
    fx_tensor_free(tensor);
}

/* ---- closures ---- */

typedef struct capture {
    fx_node *outer;
    fx_graph *body;
    fx_node *captured_only; /* made from captured nodes alone */
} capture;

static void body_with_capture(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                              void *user) {
    capture *c = user;
    assert_int_equal(n_in, 1);
    assert_int_equal(n_out, 2);
    c->body = body;
    c->captured_only = neg(c->outer);
    out[0] = add(in[0], c->captured_only);
    out[1] = c->outer;
}

static void test_closure_captures(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    capture c = {.outer = parameter(g, FX_SHAPE(FX_F32, 2))};
    const fx_shape in = FX_SHAPE(FX_F32, 2);
    fx_graph *body = fxi_closure_build(g, "fx_test", body_with_capture, &c, &in, 1, 2);
    assert_non_null(body);
    assert_ptr_equal(body, c.body);
    assert_ptr_equal(c.captured_only->graph, body);
    assert_int_equal(body->captures.count, 1);
    assert_ptr_equal(body->captures.data[0]->outer, c.outer);
    assert_ptr_equal(body->outputs[1], body->captures.data[0]->inner);
    assert_ptr_equal(body->outputs[1], body->parameters.data[1]);
    assert_int_equal(fx_graph_node_count(g), 1);
    assert_true(fxi_verify(g, NULL));
    /* Afterwards nodes of the body are of no use outside, and the body is closed. */
    assert_ptr_equal(neg(c.outer)->graph, g);
    assert_ptr_equal(neg(c.captured_only), &body->inert);
    fx_graph_free(g);
}

static void returns_nothing(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    (void)body, (void)in, (void)n_in, (void)out, (void)n_out, (void)user;
}

static void uses_a_stranger(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_at(add(in[0], user), "body.c", 4);
}

static void test_closure_errors(void **state) {
    (void)state;
    const fx_shape in = FX_SHAPE(FX_F32);
    fx_graph *g = new_graph();
    assert_null(fxi_closure_build(g, "fx_test", returns_nothing, NULL, &in, 1, 1));
    assert_error(g, FX_ERROR_GRAPH, "fx_graph_finish: output 0 is NULL");
    fx_graph_free(g);

    g = new_graph();
    fx_graph *h = new_graph();
    assert_null(fxi_closure_build(g, "fx_test", uses_a_stranger, parameter(h, in), &in, 1, 1));
    assert_error(g, FX_ERROR_GRAPH, "fx_add: operand 1, %0 = parameter, belongs to another graph");
    assert_int_equal(g->error.line, 4);
    assert_string_equal(g->error.file, "body.c");
    fx_graph_free(g);
    fx_graph_free(h);

    g = new_graph();
    assert_null(fxi_closure_build(g, "fx_test", NULL, NULL, &in, 1, 1));
    assert_error(g, FX_ERROR_ARGUMENT, "fx_test: the closure is NULL");
    fx_graph_free(g);
}

/* Builds a closure inside the closure, down to a depth; every level captures the outermost parameter. */
static void nested(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)n_in, (void)n_out;
    capture *c = user;
    const fx_shape shape = FX_SHAPE(FX_F32, 2);
    if (body->depth < 5) assert_non_null(fxi_closure_build(body, "fx_test", nested, c, &shape, 1, 1));
    fx_node *inner = neg(c->outer);
    assert_ptr_equal(inner->graph, body);
    out[0] = add(in[0], inner);
}

static void test_nested_closures(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    capture c = {.outer = parameter(g, FX_SHAPE(FX_F32, 2))};
    const fx_shape shape = FX_SHAPE(FX_F32, 2);
    for (int i = 0; i < 3; i++) assert_non_null(fxi_closure_build(g, "fx_test", nested, &c, &shape, 1, 1));
    assert_no_error(g);
    assert_true(fxi_verify(g, NULL));
    fx_graph_free(g);
}

static void finishes_parent(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    (void)n_in, (void)n_out, (void)user;
    fx_error err = {.code = FX_OK};
    assert_false(fx_graph_finish(body->parent, FX_NODES(), &err));
    assert_string_equal(err.message, "fx_graph_finish: a closure in it is being built");
    out[0] = in[0];
}

static void test_parent_is_open(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const fx_shape shape = FX_SHAPE(FX_F32);
    assert_non_null(fxi_closure_build(g, "fx_test", finishes_parent, NULL, &shape, 1, 1));
    assert_true(fx_graph_finish(g, FX_NODES(), NULL));
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_arguments),     cmocka_unit_test(test_parameter_errors),
        cmocka_unit_test(test_parameters),         cmocka_unit_test(test_finish),
        cmocka_unit_test(test_constant_reference), cmocka_unit_test(test_closure_captures),
        cmocka_unit_test(test_closure_errors),     cmocka_unit_test(test_nested_closures),
        cmocka_unit_test(test_parent_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
