/* SPDX-License-Identifier: Apache-2.0 */
/* Equality, hash and lookup of attributes, through nodes that differ in one of them. */
#include "support/graph_helpers.h"
#include <math.h>

static fx_node *reduce(fx_node *x, int64_t kind, const int64_t *axes, size_t n) {
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, kind), fxi_attr_ints(FXI_ATTR_AXES, axes, n)};
    fx_node *node = fxi_node_new(NULL, FX_OP_REDUCE, &x, 1, attrs, 2);
    assert_string_equal(fx_node_op(node), "reduce");
    return node;
}

static void test_words_and_lists(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 2, 3, 4));
    const int64_t axes[] = {0, 2, 1};
    const fx_node *a = reduce(x, FXI_SUM, axes, 2), *same = reduce(x, FXI_SUM, axes, 2);
    assert_true(fxi_attrs_equal(a, same));
    assert_true(fxi_attrs_hash(a) == fxi_attrs_hash(same));
    const fx_node *others[] = {reduce(x, FXI_MAX, axes, 2), reduce(x, FXI_SUM, axes, 1),
                               reduce(x, FXI_SUM, axes, 3), reduce(x, FXI_SUM, axes + 1, 2),
                               reduce(x, FXI_SUM, axes, 0)};
    for (size_t i = 0; i < 5; i++) {
        assert_false(fxi_attrs_equal(a, others[i]));
        assert_true(fxi_attrs_hash(a) != fxi_attrs_hash(others[i]));
    }
    assert_int_equal(fxi_node_int(others[0], FXI_ATTR_KIND), FXI_MAX);
    assert_int_equal(fxi_node_ints(a, FXI_ATTR_AXES).n, 2);
    assert_int_equal(fxi_node_ints(a, FXI_ATTR_AXES).v[1], 2);
    assert_ptr_not_equal(fxi_node_ints(a, FXI_ATTR_AXES).v, axes);
    fx_graph_free(g);
}

static fx_node *convert(fx_node *x, fx_dtype dtype) {
    const fxi_attr attr = fxi_attr_dtype(dtype);
    return fxi_node_new(NULL, FX_OP_CONVERT, &x, 1, &attr, 1);
}

static void test_dtypes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32));
    const fx_node *a = convert(x, FX_S8), *b = convert(x, FX_S8), *c = convert(x, FX_U8);
    assert_true(fxi_attrs_equal(a, b));
    assert_true(fxi_attrs_hash(a) == fxi_attrs_hash(b));
    assert_false(fxi_attrs_equal(a, c));
    assert_true(fxi_attrs_hash(a) != fxi_attrs_hash(c));
    assert_false(fxi_attrs_equal(a, x)); /* another number of attributes, or another id */
    fx_graph_free(g);
}

static fx_node *constant(fx_graph *g, fx_shape shape, const void *data) {
    fx_tensor *tensor = fx_tensor_copy_from(&shape, data, NULL);
    assert_non_null(tensor);
    fxi_attr attr = {.id = FXI_ATTR_VALUE};
    attr.u.tensor = tensor;
    fx_node *node = fxi_leaf_new(g, FX_OP_CONSTANT, &shape, &attr, 1);
    fx_tensor_free(tensor);
    return node;
}

static void test_tensors(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const float nan[2] = {NAN, 0}, zeros[2] = {0, 0}, minus[2] = {0, -0.0f};
    const fx_node *a = constant(g, FX_SHAPE(FX_F32, 2), nan), *b = constant(g, FX_SHAPE(FX_F32, 2), nan);
    assert_true(fxi_attrs_equal(a, b));
    assert_true(fxi_attrs_hash(a) == fxi_attrs_hash(b));
    const fx_node *z = constant(g, FX_SHAPE(FX_F32, 2), zeros), *m = constant(g, FX_SHAPE(FX_F32, 2), minus);
    assert_false(fxi_attrs_equal(z, m));
    assert_true(fxi_attrs_hash(z) != fxi_attrs_hash(m));
    const fx_node *column = constant(g, FX_SHAPE(FX_F32, 2, 1), zeros);
    assert_false(fxi_attrs_equal(z, column));
    const fx_node *empty = constant(g, FX_SHAPE(FX_F32, 0), NULL);
    assert_true(fxi_attrs_equal(empty, empty));
    fx_graph_free(g);
}

/* Bits of the last byte that are no element take part in neither. */
static void test_packed_tensors(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const uint8_t clean[2] = {0x21, 0x03}, dirty[2] = {0x21, 0xf3}, other[2] = {0x21, 0x04};
    const fx_node *a = constant(g, FX_SHAPE(FX_U4, 3), clean), *b = constant(g, FX_SHAPE(FX_U4, 3), dirty);
    const fx_node *c = constant(g, FX_SHAPE(FX_U4, 3), other);
    assert_true(fxi_attrs_equal(a, b));
    assert_true(fxi_attrs_hash(a) == fxi_attrs_hash(b));
    assert_false(fxi_attrs_equal(a, c));
    assert_true(fxi_attrs_hash(a) != fxi_attrs_hash(c));
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_and_lists),
        cmocka_unit_test(test_dtypes),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_packed_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
