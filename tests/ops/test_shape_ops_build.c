/* SPDX-License-Identifier: Apache-2.0 */
/* Builders that move elements: result shapes, attributes, operands given back, and what they refuse. */
#include "support/graph_helpers.h"
#include <fluxion/ops.h>

static fx_node *x23(fx_graph *g) {
    return parameter(g, FX_SHAPE(FX_F32, 2, 3));
}
static fx_node *x213(fx_graph *g) {
    return parameter(g, FX_SHAPE(FX_F32, 2, 1, 3));
}

/* ---- reshape and axes of size 1 ---- */

static void test_reshape(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = x23(g), *empty = parameter(g, FX_SHAPE(FX_F32, 0, 4)),
            *one = parameter(g, FX_SHAPE(FX_F32, 1));
    assert_node(fx_reshape(x, FX_DIMS(3, 2)), "reshape", "(float32)[3, 2]");
    assert_node(fx_reshape(x, FX_DIMS(-1)), "reshape", "(float32)[6]");
    assert_node(fx_reshape(x, FX_DIMS(1, -1, 2)), "reshape", "(float32)[1, 3, 2]");
    assert_node(fx_reshape(empty, FX_DIMS(4, -1)), "reshape", "(float32)[4, 0]");
    assert_node(fx_reshape(one, FX_DIMS()), "reshape", "(float32)");
    assert_ptr_equal(fx_reshape(x, FX_DIMS(2, -1)), x);
    const fx_shape other = FX_SHAPE(FX_S8, 6, 1);
    assert_node(fx_reshape_with_shape(x, &other), "reshape", "(float32)[6, 1]");
    assert_ptr_equal(fx_reshape_with_shape(x, &x->shape), x);
    assert_no_error(g);
    fx_graph_free(g);
}

static void test_reshape_errors(void **state) {
    (void)state;
    static const int64_t ones[17] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6};
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_reshape: [2, 3] has 6 elements, [4] has 4",
                   fx_reshape(x23(g), FX_DIMS(4)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_reshape: [-1, -1] has more than one -1",
                   fx_reshape(x23(g), FX_DIMS(-1, -1)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_reshape: [2, 3] has 6 elements, from which the -1 of [4, -1] cannot be told",
                   fx_reshape(x23(g), FX_DIMS(4, -1)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_reshape: [2, 3] has 6 elements, from which the -1 of [0, -1] cannot be told",
                   fx_reshape(x23(g), FX_DIMS(0, -1)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_reshape: [-2, 3] are no dimensions of a shape",
                   fx_reshape(x23(g), FX_DIMS(-2, 3)));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_reshape: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6] are no dimensions of a shape",
        fx_reshape(x23(g), (fx_dims){ones, 17}));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_reshape: [9223372036854775807, 3] are no dimensions of a shape",
                   fx_reshape(x23(g), FX_DIMS(INT64_MAX, 3)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_reshape: the dimensions are NULL",
                   fx_reshape(x23(g), (fx_dims){NULL, 2}));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_reshape_with_shape: the shape is NULL",
                   fx_reshape_with_shape(x23(g), NULL));
}

static void test_new_axes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = x23(g);
    assert_node(fx_insert_axes(x, FX_AXES(0)), "reshape", "(float32)[1, 2, 3]");
    assert_node(fx_insert_axes(x, FX_AXES(-1)), "reshape", "(float32)[2, 3, 1]");
    assert_node(fx_insert_axes(x, FX_AXES(1, 1, -1)), "reshape", "(float32)[2, 1, 1, 3, 1]");
    assert_ptr_equal(fx_insert_axes(x, FX_AXES()), x);
    assert_node(fx_expand_axes(x, FX_AXES(0, -1)), "reshape", "(float32)[1, 2, 3, 1]");
    assert_node(fx_expand_axes(x, FX_AXES(2, 1)), "reshape", "(float32)[2, 1, 1, 3]");
    assert_node(fx_expand_left_to_rank(x, 4), "reshape", "(float32)[1, 1, 2, 3]");
    assert_ptr_equal(fx_expand_left_to_rank(x, 2), x);
    fx_graph_free(g);
}

static void test_new_axes_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_insert_axes: axis 3 is out of range for (float32)[2, 3] (rank 2)",
                   fx_insert_axes(x23(g), FX_AXES(3)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_expand_axes: axis 0 of the result is named twice",
                   fx_expand_axes(x23(g), FX_AXES(0, 0)));
    ASSERT_REFUSED(FX_ERROR_AXIS,
                   "fx_expand_axes: axis 3 is out of range for the result of (float32)[2, 3] (rank 3)",
                   fx_expand_axes(x23(g), FX_AXES(3)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_insert_axes: 15 axes more than (float32)[2, 3] has are more than 16",
                   fx_insert_axes(x23(g), FX_AXES(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_expand_left_to_rank: rank 1: it must be from 2, the rank of (float32)[2, 3], to 16",
                   fx_expand_left_to_rank(x23(g), 1));
}

static void test_squeeze(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = x213(g), *empty = parameter(g, FX_SHAPE(FX_F32, 0, 1));
    assert_node(fx_squeeze(x, FX_AXES()), "reshape", "(float32)[2, 3]");
    assert_node(fx_squeeze(x, FX_AXES(-2)), "reshape", "(float32)[2, 3]");
    assert_node(fx_squeeze(empty, FX_AXES()), "reshape", "(float32)[0]");
    fx_node *y = x23(g);
    assert_ptr_equal(fx_squeeze(y, FX_AXES()), y);
    fx_graph_free(g);
}

static void test_squeeze_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_squeeze: axis 2 of (float32)[2, 1, 3] is not of size 1",
                   fx_squeeze(x213(g), FX_AXES(2)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_squeeze: axis 1 of (float32)[2, 1, 3] is named twice",
                   fx_squeeze(x213(g), FX_AXES(1, -2)));
}

/* ---- orders ---- */

static void test_transpose(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = x213(g);
    const fx_node *swapped = fx_transpose(x, 0, -1);
    assert_node(swapped, "transpose", "(float32)[3, 1, 2]");
    assert_int_equal(fxi_node_ints(swapped, FXI_ATTR_PERMUTATION).v[0], 2);
    assert_ptr_equal(fx_transpose(x, 1, -2), x);
    assert_node(fx_transpose_all_axes(x, FX_AXES(1, -1, 0)), "transpose", "(float32)[1, 3, 2]");
    assert_ptr_equal(fx_transpose_all_axes(x, FX_AXES(0, 1, 2)), x);
    assert_node(fx_reverse(x, FX_AXES(-1, 0)), "reverse", "(float32)[2, 1, 3]");
    assert_ptr_equal(fx_reverse(x, FX_AXES()), x);
    fx_graph_free(g);
}

static void test_transpose_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_transpose: axis 3 is out of range for (float32)[2, 1, 3] (rank 3)",
                   fx_transpose(x213(g), 0, 3));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_transpose_all_axes: axis 0 of (float32)[2, 3] is named twice",
                   fx_transpose_all_axes(x23(g), FX_AXES(0, 0)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_transpose_all_axes: 1 axes for (float32)[2, 3]: all 2 must be named",
                   fx_transpose_all_axes(x23(g), FX_AXES(1)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_reverse: axis -3 is out of range for (float32)[2, 3] (rank 2)",
                   fx_reverse(x23(g), FX_AXES(-3)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_reverse: the axes are NULL",
                   fx_reverse(x23(g), (fx_axes){NULL, 1}));
}

/* ---- broadcasts ---- */

static void test_broadcasts(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = x23(g), *scalar = parameter(g, FX_SHAPE(FX_F32)),
            *vector = parameter(g, FX_SHAPE(FX_F32, 3));
    assert_node(fx_broadcast_in_dim(x, FX_DIMS(3, 5, 2), FX_AXES(-1, 0)), "broadcast_in_dim",
                "(float32)[3, 5, 2]");
    assert_ptr_equal(fx_broadcast_in_dim(x, FX_DIMS(2, 3), FX_AXES(0, 1)), x);
    assert_node(fx_broadcast_prefix(vector, FX_DIMS(4, 2)), "broadcast_in_dim", "(float32)[4, 2, 3]");
    assert_ptr_equal(fx_broadcast_prefix(vector, FX_DIMS()), vector);
    assert_node(fx_expand_and_broadcast(vector, FX_DIMS(2, 3, 4), FX_AXES(0, -1)), "broadcast_in_dim",
                "(float32)[2, 3, 4]");
    assert_node(fx_broadcast_to_dims(scalar, FX_DIMS(2, 0)), "broadcast_in_dim", "(float32)[2, 0]");
    assert_node(fx_broadcast_to_dims(x213(g), FX_DIMS(2, 4, 3, 5)), "broadcast_in_dim",
                "(float32)[2, 4, 3, 5]");
    const fx_shape wanted = FX_SHAPE(FX_S8, 2, 3, 4);
    const fx_node *to = fx_broadcast_to_shape(x, &wanted);
    assert_node(to, "broadcast_in_dim", "(float32)[2, 3, 4]");
    assert_int_equal(fxi_node_ints(to, FXI_ATTR_AXES).v[1], 1);
    assert_ptr_equal(fx_broadcast_to_shape(x, &x->shape), x);
    assert_no_error(g);
    fx_graph_free(g);
}

static void test_broadcast_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_broadcast_in_dim: 1 axes are mapped, but (float32)[2, 3] has 2",
                   fx_broadcast_in_dim(x23(g), FX_DIMS(2, 3), FX_AXES(0)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_broadcast_in_dim: axis 0 of the result is named twice",
                   fx_broadcast_in_dim(x23(g), FX_DIMS(2, 3), FX_AXES(0, 0)));
    ASSERT_REFUSED(FX_ERROR_AXIS,
                   "fx_broadcast_in_dim: axis 2 is out of range for the result of (float32)[2, 3] (rank 2)",
                   fx_broadcast_in_dim(x23(g), FX_DIMS(2, 3), FX_AXES(0, 2)));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_broadcast_in_dim: [2, 3] does not broadcast to [2, 4]: axis 1 has 3, axis 1 of the result 4",
        fx_broadcast_in_dim(x23(g), FX_DIMS(2, 4), FX_AXES(0, 1)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_broadcast_to_dims: [2, 3] has a higher rank than [6]",
                   fx_broadcast_to_dims(x23(g), FX_DIMS(6)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_broadcast_to_dims: [2, 3] does not broadcast to [2, 4]: axis 1 has 3, not 4",
                   fx_broadcast_to_dims(x23(g), FX_DIMS(2, 4)));
    ASSERT_REFUSED(
        FX_ERROR_AXIS,
        "fx_expand_and_broadcast: 1 axes are new and (float32)[2, 3] has 2: they do not make the 2 of [2, 3]",
        fx_expand_and_broadcast(x23(g), FX_DIMS(2, 3), FX_AXES(0)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_broadcast_prefix: [-4, 2, 3] are no dimensions of a shape",
                   fx_broadcast_prefix(x23(g), FX_DIMS(-4)));
}

/* ---- parts ---- */

static void test_slice(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 10, 5));
    assert_node(fx_slice(x, FX_DIMS(1, 0), FX_DIMS(8, 5), FX_DIMS(3, 2)), "slice", "(float32)[3, 3]");
    assert_node(fx_slice(x, FX_DIMS(-2, 0), FX_DIMS(10, -1), FX_DIMS()), "slice", "(float32)[2, 4]");
    assert_ptr_equal(fx_slice(x, FX_DIMS(0, 0), FX_DIMS(10, 5), FX_DIMS(1, 1)), x);
    assert_node(fx_slice_axis(x, -1, 2, 2, 1), "slice", "(float32)[10, 0]");
    assert_ptr_equal(fx_slice_axis(x, 0, -10, 10, 1), x);
    fx_graph_free(g);
}

static void test_slice_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(
        FX_ERROR_ATTRIBUTE,
        "fx_slice: start 1, limit 4, stride 1 of axis 1: they need 0 <= start <= limit <= 3 and stride >= 1",
        fx_slice(x23(g), FX_DIMS(0, 1), FX_DIMS(2, 4), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_slice_axis: start 1, limit 2, stride 0 of axis 0: they need 0 <= start <= limit <= 2 "
                   "and stride >= 1",
                   fx_slice_axis(x23(g), 0, 1, 2, 0));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_slice_axis: start -1, limit 2, stride 1 of axis 0: they need 0 <= start <= limit <= 2 "
                   "and stride >= 1",
                   fx_slice_axis(x23(g), 0, -3, 2, 1));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_slice: 1 limits for (float32)[2, 3], which has rank 2",
                   fx_slice(x23(g), FX_DIMS(0, 1), FX_DIMS(2), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_slice: 0 starts for (float32)[2, 3], which has rank 2",
                   fx_slice(x23(g), (fx_dims){NULL, 2}, FX_DIMS(2, 3), FX_DIMS()));
}

static void test_split(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 2, 6)), *parts[3];
    const fx_node *first = fx_at(fx_split(x, 1, 3, parts), "model.c", 8);
    assert_ptr_equal(first, parts[0]);
    for (int i = 0; i < 3; i++) {
        assert_node(parts[i], "slice", "(float32)[2, 2]");
        assert_int_equal(fxi_node_ints(parts[i], FXI_ATTR_STARTS).v[1], 2 * i);
        assert_int_equal(fx_node_line(parts[i]), 8);
    }
    assert_ptr_equal(fx_split(x, 0, 1, parts), x);
    assert_ptr_equal(parts[0], x);
    assert_null(fx_split(NULL, 0, 3, parts));
    assert_null(parts[2]);
    assert_ptr_equal(fx_split(x, 1, 4, NULL), &g->inert);
    assert_error(g, FX_ERROR_ARGUMENT, "fx_split: the list of parts is NULL");
    fx_graph_free(g);
    g = new_graph();
    x = x23(g);
    fx_split(x, 1, 2, parts);
    assert_error(g, FX_ERROR_ATTRIBUTE, "fx_split: axis 1 of (float32)[2, 3] does not divide into 2 parts");
    assert_ptr_equal(parts[0], &g->inert);
    assert_ptr_equal(parts[1], &g->inert);
    fx_graph_free(g);
}

static void test_concatenate(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = x23(g), *scalar = parameter(g, FX_SHAPE(FX_F32));
    assert_node(fx_concatenate(FX_NODES(x, x, x), -1), "concatenate", "(float32)[2, 9]");
    assert_ptr_equal(fx_concatenate(FX_NODES(x), 0), x);
    assert_node(fx_concatenate(FX_NODES(scalar), 0), "reshape", "(float32)[1]");
    assert_node(fx_concatenate(FX_NODES(scalar, scalar), 0), "concatenate", "(float32)[2]");
    assert_node(fx_stack(FX_NODES(x, x), 1), "concatenate", "(float32)[2, 2, 3]");
    assert_node(fx_stack(FX_NODES(scalar, scalar, scalar), -1), "concatenate", "(float32)[3]");
    assert_node(fx_stack(FX_NODES(x), -1), "reshape", "(float32)[2, 3, 1]");
    fx_node *many[100];
    for (int i = 0; i < 100; i++) many[i] = x;
    assert_node(fx_concatenate((fx_nodes){many, 100}, 0), "concatenate", "(float32)[200, 3]");
    assert_no_error(g);
    assert_null(fx_concatenate(FX_NODES(), 0));
    assert_null(fx_stack((fx_nodes){NULL, 3}, 0));
    fx_graph_free(g);
}

static void test_concatenate_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_concatenate: dtypes float32 and int32 differ; convert one of them with fx_convert",
                   fx_concatenate(FX_NODES(x23(g), parameter(g, FX_SHAPE(FX_S32, 2, 3))), 0));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_concatenate: operands 0 and 1 have [2, 3] and [2, 1, 3]: they may differ only along axis 0",
        fx_concatenate(FX_NODES(x23(g), x213(g)), 0));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_concatenate: axis 2 is out of range for (float32)[2, 3] (rank 2)",
                   fx_concatenate(FX_NODES(x23(g), x23(g)), 2));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_concatenate: operands 0 and 1 are (float32) and (float32)[2, 3]",
                   fx_concatenate(FX_NODES(parameter(g, FX_SHAPE(FX_F32)), x23(g)), 0));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_concatenate: operand 1 is NULL",
                   fx_concatenate(FX_NODES(x23(g), NULL), 0));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_stack: operands 0 and 1 are (float32)[2, 3] and (float32)[2, 1, 3]; they must be equal",
        fx_stack(FX_NODES(x23(g), x213(g)), 0));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_stack: axis 3 is out of range for a stack of (float32)[2, 3] (rank 3)",
                   fx_stack(FX_NODES(x23(g), x23(g)), 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reshape),
        cmocka_unit_test(test_reshape_errors),
        cmocka_unit_test(test_new_axes),
        cmocka_unit_test(test_new_axes_errors),
        cmocka_unit_test(test_squeeze),
        cmocka_unit_test(test_squeeze_errors),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_transpose_errors),
        cmocka_unit_test(test_broadcasts),
        cmocka_unit_test(test_broadcast_errors),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_slice_errors),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_concatenate),
        cmocka_unit_test(test_concatenate_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
