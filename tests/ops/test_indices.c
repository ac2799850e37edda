/* SPDX-License-Identifier: Apache-2.0 */
/* What indices as values, parts by index and assertions refuse. Values are golden cases of the family indices. */
#include "support/graph_helpers.h"
#include <fluxion/indices.h>
#include <fluxion/ops.h>

#define F32(...) parameter(g, FX_SHAPE(FX_F32, __VA_ARGS__))
#define S32(...) parameter(g, FX_SHAPE(FX_S32, __VA_ARGS__))
#define FLOAT_SCALAR parameter(g, FX_SHAPE(FX_F32))

static void test_positions(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_indices_for_shape: a scalar has no positions",
                   fx_indices_for_shape(g, FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_indices_for_shape: [2, -1] are no dimensions of a shape",
                   fx_indices_for_shape(g, FX_DIMS(2, -1)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_indices_for_shape: the dimensions are NULL",
                   fx_indices_for_shape(g, (fx_dims){NULL, 2}));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_unravel_index: a scalar has no positions",
                   fx_unravel_index(S32(3), FX_DIMS()));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_unravel_index: float32 is not accepted; it takes integer dtypes (fx_convert converts)",
                   fx_unravel_index(F32(3), FX_DIMS(2)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_ravel_index: the last axis of (int32)[4, 3] must have 2, the rank of [5, 6]",
                   fx_ravel_index(S32(4, 3), FX_DIMS(5, 6)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_ravel_index: the last axis of (int32) must have 1, the rank of [5]",
                   fx_ravel_index(parameter(g, FX_SHAPE(FX_S32)), FX_DIMS(5)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_ravel_index: float32 is not accepted; it takes integer dtypes (fx_convert converts)",
                   fx_ravel_index(F32(1), FX_DIMS(5)));
    assert_null(fx_indices_for_shape(NULL, FX_DIMS(2)));
    assert_null(fx_unravel_index(NULL, FX_DIMS(2)));
    assert_null(fx_ravel_index(NULL, FX_DIMS(2)));
}

static void test_parts(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_part_at: the index [2] lies outside (float32)[2, 3]",
                   fx_part_at(F32(2, 3), FX_DIMS(2)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_part_at: the index [0, -4] lies outside (float32)[2, 3]",
                   fx_part_at(F32(2, 3), FX_DIMS(0, -4)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_part_at: the index [0, 0] lies outside (float32)[2]",
                   fx_part_at(F32(2), FX_DIMS(0, 0)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_part_at: the index is NULL",
                   fx_part_at(F32(2), (fx_dims){NULL, 1}));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_update_at: the value is (float32)[2]; it must be a scalar or (float32)[3]",
                   fx_update_at(F32(2, 3), FX_DIMS(0), F32(2)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_update_at: dtypes float32 and int32 differ; convert one of them with fx_convert",
                   fx_update_at(F32(2, 3), FX_DIMS(0), S32(3)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_update_at: the index [5] lies outside (float32)[2, 3]",
                   fx_update_at(F32(2, 3), FX_DIMS(5), F32(3)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_update_at: operand 1 is NULL",
                   fx_update_at(F32(2, 3), FX_DIMS(0), NULL));
}

static void test_put(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_put: the value is (float32)[4]; it must be a scalar or (float32)[2, 4]",
                   fx_put(F32(2, 3), S32(4), F32(4), 1, FX_SCATTER_SUM));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_put: axis 2 is out of range for (float32)[2, 3] (rank 2)",
                   fx_put(F32(2, 3), S32(4), FLOAT_SCALAR, 2, FX_SCATTER_SUM));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_put: float32 is not accepted; it takes integer dtypes (fx_convert converts)",
                   fx_put(F32(2, 3), F32(4), FLOAT_SCALAR, 0, FX_SCATTER_SUM));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_put: (float32)[1, 1, 1, 1, 1, 1, 1, 1, 1] at indices (int32)[1, 1, 1, 1, 1, 1, 1, 1, "
                   "1] has more than 16 axes",
                   fx_put(F32(1, 1, 1, 1, 1, 1, 1, 1, 1), S32(1, 1, 1, 1, 1, 1, 1, 1, 1), FLOAT_SCALAR, 0,
                          FX_SCATTER_SUM));
}

static void test_assertions(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F32, 2, 3)), *scalar = parameter(graph, FX_SHAPE(FX_F32));
    assert_ptr_equal(fx_assert_dims(x, FX_DIMS(-1, 3)), x);
    assert_ptr_equal(fx_assert_rank(x, 2), x);
    assert_ptr_equal(fx_assert_scalar(scalar), scalar);
    assert_ptr_equal(fx_assert_dims(scalar, FX_DIMS()), scalar);
    assert_no_error(graph);
    fx_graph_free(graph);
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_assert_dims: (float32)[2, 3] is not [-1, 4]",
                   fx_assert_dims(F32(2, 3), FX_DIMS(-1, 4)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_assert_dims: (float32)[2, 3] is not [2]",
                   fx_assert_dims(F32(2, 3), FX_DIMS(2)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_assert_dims: the dimensions are NULL",
                   fx_assert_dims(F32(2), (fx_dims){NULL, 1}));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_assert_rank: (float32)[2, 3] has rank 2, not 3",
                   fx_assert_rank(F32(2, 3), 3));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_assert_scalar: (float32)[1] is not a scalar",
                   fx_assert_scalar(F32(1)));
    assert_null(fx_assert_scalar(NULL));
}

/* Empty arrays whose other dimensions do not fit together, indices at the ends of int64. */
static void test_extremes(void **state) {
    (void)state;
    const int64_t wide = INT64_C(1) << 40;
    fx_graph *g = new_graph();
    assert_int_equal(fx_node_dim(fx_unravel_index(S32(3), FX_DIMS(0, wide, wide)), -1), 3);
    assert_int_equal(fx_node_rank(fx_ravel_index(S32(4, 3), FX_DIMS(wide, wide, 0))), 1);
    assert_no_error(g);
    fx_graph_free(g);
    const int64_t far[] = {INT64_MAX, INT64_MIN, 3, -4};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        g = new_graph();
        assert_int_equal(fx_part_at(F32(3, 2), (fx_dims){&far[i], 1})->op, FX_OP_INERT);
        assert_int_equal(g->error.code, FX_ERROR_ATTRIBUTE);
        fx_graph_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_put),
        cmocka_unit_test(test_assertions),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
