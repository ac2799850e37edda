/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as text: every kind of attribute, places, captured operands, and buffers that are too small. */
#include "support/graph_helpers.h"

static const char *text_of(const fx_node *node) {
    static char buffer[400];
    fxi_text text = fxi_text_fixed(buffer, sizeof buffer);
    fxi_node_add_text(&text, node);
    return buffer;
}

static fx_node *node(fx_op op, fx_node *const *operands, size_t n, const fxi_attr *attrs, size_t attr_count) {
    return fxi_node_new(NULL, op, operands, n, attrs, attr_count);
}

static void test_attributes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 2, 3));
    assert_string_equal(text_of(x), "%0 = parameter index=0 : (float32)[2, 3]");
    const int64_t axes[] = {0, 1};
    const fxi_attr reduce[] = {fxi_attr_int(FXI_ATTR_KIND, FXI_MAX), fxi_attr_ints(FXI_ATTR_AXES, axes, 2)};
    assert_string_equal(text_of(node(FX_OP_REDUCE, &x, 1, reduce, 2)),
                        "%1 = reduce %0 kind=max axes=[0, 1] : (float32)");
    const fxi_attr compare[] = {fxi_attr_int(FXI_ATTR_DIRECTION, FXI_LE),
                                fxi_attr_int(FXI_ATTR_TOTAL_ORDER, 1)};
    assert_string_equal(text_of(node(FX_OP_COMPARE, (fx_node *const[]){x, x}, 2, compare, 2)),
                        "%2 = compare %0 %0 direction=le total_order=1 : (bool)[2, 3]");
    const fxi_attr dtype = fxi_attr_dtype(FX_BF16);
    assert_string_equal(text_of(node(FX_OP_CONVERT, &x, 1, &dtype, 1)),
                        "%3 = convert %0 dtype=bfloat16 : (bfloat16)[2, 3]");
    const fxi_attr none = fxi_attr_ints(FXI_ATTR_AXES, NULL, 0);
    assert_string_equal(text_of(node(FX_OP_REVERSE, &x, 1, &none, 1)),
                        "%4 = reverse %0 axes=[] : (float32)[2, 3]");
    assert_string_equal(text_of(&g->inert), "%-1 = inert : (invalid)");
    fx_graph_free(g);
}

static void test_constant(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const float values[2] = {1, 2.5f};
    const fx_shape shape = FX_SHAPE(FX_F32, 2);
    fxi_attr attr = {.id = FXI_ATTR_VALUE};
    attr.u.tensor = fx_tensor_copy_from(&shape, values, NULL);
    const fx_node *c = fxi_leaf_new(g, FX_OP_CONSTANT, NULL, &attr, 1);
    assert_string_equal(text_of(c), "%0 = constant value=[2]float32{1, 2.5} : (float32)[2]");
    fx_tensor_free(attr.u.tensor);
    fx_graph_free(g);
}

static void test_graph_text(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = fx_at(parameter(g, FX_SHAPE(FX_S32)), "model.c", 41);
    fx_at(node(FX_OP_ADD, (fx_node *const[]){x, x}, 2, NULL, 0), "model.c", 42);
    static const char wanted[] = "%0 = parameter index=0 : (int32)  model.c:41\n"
                                 "%1 = add %0 %0 : (int32)  model.c:42\n";
    char buffer[200], small[12];
    assert_int_equal(fx_graph_text(g, buffer, sizeof buffer), sizeof wanted - 1);
    assert_string_equal(buffer, wanted);
    assert_int_equal(fx_graph_text(g, small, sizeof small), sizeof wanted - 1);
    assert_string_equal(small, "%0 = parame");
    assert_int_equal(fx_graph_text(g, NULL, 0), sizeof wanted - 1);
    assert_int_equal(fx_graph_text(g, NULL, 50), sizeof wanted - 1);
    assert_int_equal(fx_graph_text(NULL, buffer, sizeof buffer), 0);
    assert_string_equal(buffer, "");
    fx_graph_free(g);
}

static void capture(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = node(FX_OP_ADD, (fx_node *const[]){user, in[0]}, 2, NULL, 0);
    assert_string_equal(text_of(out[0]), "%2 = add %1 %0 : (int32)");
}

static void test_captured_operand(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const fx_shape shape = FX_SHAPE(FX_S32);
    assert_non_null(fxi_closure_build(g, "fx_test", capture, parameter(g, shape), &shape, 1, 1));
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_graph_text),
        cmocka_unit_test(test_captured_operand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
