/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier must find every kind of damage: each test breaks one thing of a good graph by hand. */
#include "support/graph_helpers.h"

typedef struct sample {
    fx_graph *graph;
    fx_node *x, *y, *sum, *reduced;
} sample;

static sample make(void) {
    sample s = {.graph = new_graph()};
    s.x = parameter(s.graph, FX_SHAPE(FX_F32, 2, 3));
    s.y = parameter(s.graph, FX_SHAPE(FX_F32, 2, 3));
    s.sum = fxi_node_new(NULL, FX_OP_ADD, (fx_node *const[]){s.x, s.y}, 2, NULL, 0);
    const int64_t axis = 1;
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, FXI_SUM), fxi_attr_ints(FXI_ATTR_AXES, &axis, 1)};
    s.reduced = fxi_node_new(NULL, FX_OP_REDUCE, &s.sum, 1, attrs, 2);
    assert_true(fx_graph_finish(s.graph, FX_NODES(s.reduced), NULL));
    assert_true(fxi_verify(s.graph, NULL));
    return s;
}

/* The graph is refused with a message that holds `part`. */
static void assert_refused(sample s, const char *part) {
    fx_error err = {.code = FX_OK};
    assert_false(fxi_verify(s.graph, &err));
    assert_int_equal(err.code, FX_ERROR_INTERNAL);
    if (!strstr(err.message, part)) fail_msg("%s does not contain %s", err.message, part);
    fx_graph_free(s.graph);
}

static fxi_attr *attr_of(const fx_node *node, size_t i) {
    return (fxi_attr *)(uintptr_t)&node->attrs[i];
}
static fx_node **operands_of(const fx_node *node) {
    return (fx_node **)(uintptr_t)node->operands;
}

static void test_structure(void **state) {
    (void)state;
    sample s = make();
    s.sum->id = 7;
    assert_refused(s, "node 2 is not numbered");
    s = make();
    operands_of(s.sum)[1] = NULL;
    assert_refused(s, "an operand is NULL");
    s = make();
    operands_of(s.sum)[1] = s.reduced;
    assert_refused(s, "does not come before it");
    s = make();
    operands_of(s.sum)[0] = s.sum;
    assert_refused(s, "does not come before it");
    s = make();
    s.sum->operand_count = 1;
    assert_refused(s, "1 operands instead of 2");
    s = make();
    s.sum->op = FX_OP_INERT;
    assert_refused(s, "there is no operation");
}

static void test_membership(void **state) {
    (void)state;
    sample s = make(), other = make();
    operands_of(s.sum)[0] = other.x;
    assert_refused(s, "not in its graph");
    s = make();
    fx_node copy = *s.x;
    operands_of(s.sum)[0] = &copy;
    assert_refused(s, "not in its graph");
    s = make();
    s.graph->outputs[0] = other.x;
    assert_refused(s, "output 0");
    s = make();
    s.graph->parameters.data[1] = s.x;
    assert_refused(s, "not in the list of parameters");
    s = make();
    s.graph->parameters.count = 1;
    assert_refused(s, "not in the list of parameters");
    fx_graph_free(other.graph);
}

static void test_facts(void **state) {
    (void)state;
    sample s = make();
    s.sum->shape.dims[1] = 4;
    assert_refused(s, "its shape is not what the rule gives");
    s = make();
    s.sum->shape.dtype = FX_S32;
    assert_refused(s, "its shape is not what the rule gives");
    s = make();
    s.y->shape.dims[0] = 5;
    assert_refused(s, "do not broadcast");
    s = make();
    s.y->shape.dtype = FX_F64;
    assert_refused(s, "dtypes float32 and float64 differ");
    s = make();
    attr_of(s.reduced, 1)->id = FXI_ATTR_AXIS;
    assert_refused(s, "attribute 1 is axis instead of axes");
    s = make();
    attr_of(s.reduced, 0)->u.i = 99;
    assert_refused(s, "there is no kind 99");
    s = make();
    s.reduced->attr_count = 1;
    assert_refused(s, "has 1 attributes instead of 2");
    s = make();
    attr_of(s.reduced, 1)->u.ints.v = NULL;
    assert_refused(s, "axes is NULL");
}

static void add_captured(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fxi_node_new(NULL, FX_OP_ADD, (fx_node *const[]){in[0], user}, 2, NULL, 0);
}

/* Damage inside one of several closures is found from the program. */
static void test_closures(void **state) {
    (void)state;
    sample s = {.graph = new_graph()};
    const fx_shape shape = FX_SHAPE(FX_F32);
    s.x = parameter(s.graph, shape);
    fx_graph *bodies[3];
    for (int i = 0; i < 3; i++) {
        bodies[i] = fxi_closure_build(s.graph, "fx_test", add_captured, s.x, &shape, 1, 1);
        assert_non_null(bodies[i]);
    }
    assert_true(fxi_verify(s.graph, NULL));
    fx_graph *const loop[] = {bodies[0], bodies[1]};
    const fxi_attr attrs[] = {fxi_attr_graphs(FXI_ATTR_BODIES, loop, 2), fxi_attr_int(FXI_ATTR_TRIPS, -1)};
    fx_node *const operands[] = {s.x, s.x, s.x};
    bodies[0]->outputs[0]->shape.dtype = FX_BOOL; /* a condition, for the time of building the node */
    fxi_node_new(NULL, FX_OP_WHILE, operands, 3, attrs, 2);
    bodies[0]->outputs[0]->shape.dtype = FX_F32;
    assert_true(fxi_verify(bodies[1], NULL));
    assert_refused(s, "instead of (bool)");
}

static void test_errors_pass_through(void **state) {
    (void)state;
    fx_error err = {.code = FX_OK};
    assert_false(fxi_verify(NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    fx_graph *g = new_graph();
    fxi_build_fail(g, FX_ERROR_SHAPE, "fx_test: wrong");
    assert_false(fxi_verify(g, &err));
    assert_int_equal(err.code, FX_ERROR_SHAPE);
    assert_string_equal(err.message, "fx_test: wrong");
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_membership),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_closures),
        cmocka_unit_test(test_errors_pass_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
