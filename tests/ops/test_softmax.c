/* SPDX-License-Identifier: Apache-2.0 */
/* What softmax and its relatives refuse; their values are golden cases of the family rows. */
#include "support/graph_helpers.h"
#include <fluxion/ops.h>
#include <fluxion/softmax.h>

static void test_dtypes(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_softmax: int32 has no softmax; convert to a float dtype first",
                   fx_softmax(parameter(g, FX_SHAPE(FX_S32, 3)), FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_log_softmax: bool has no softmax; convert to a float dtype first",
                   fx_log_softmax(parameter(g, FX_SHAPE(FX_BOOL, 3)), FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_logsumexp: uint8 has no logsumexp; convert to a float dtype first",
                   fx_logsumexp(parameter(g, FX_SHAPE(FX_U8, 3)), FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_softmax: complex64 is not accepted; it takes float dtypes (fx_convert converts)",
                   fx_softmax(parameter(g, FX_SHAPE(FX_C64, 3)), FX_AXES()));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE, "fx_masked_softmax: the mask is int8; it must be bool",
        fx_masked_softmax(parameter(g, FX_SHAPE(FX_F32, 3)), parameter(g, FX_SHAPE(FX_S8, 3)), FX_AXES()));
}

static void test_axes(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_softmax: axis -1 is out of range for (float32) (rank 0)",
                   fx_softmax(parameter(g, FX_SHAPE(FX_F32)), FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_softmax: axis 1 of (float32)[2, 3] is named twice",
                   fx_softmax(parameter(g, FX_SHAPE(FX_F32, 2, 3)), FX_AXES(1, -1)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_logsumexp: axis 2 is out of range for (float32)[2, 3] (rank 2)",
                   fx_logsumexp(parameter(g, FX_SHAPE(FX_F32, 2, 3)), FX_AXES(2)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_log_softmax: the axes are NULL",
                   fx_log_softmax(parameter(g, FX_SHAPE(FX_F32, 2)), (fx_axes){NULL, 2}));
}

static void test_masks(void **state) {
    (void)state;
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_masked_log_softmax: axis 0 of the mask [3] is 3, that of x [2, 3] is 2; the first axes are "
        "aligned, each of the same dimension or 1",
        fx_masked_log_softmax(parameter(g, FX_SHAPE(FX_F32, 2, 3)), parameter(g, FX_SHAPE(FX_BOOL, 3)),
                              FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_masked_softmax: the axes of the mask [2, 1] are 2, those of x [2] only 1",
                   fx_masked_softmax(parameter(g, FX_SHAPE(FX_F32, 2)), parameter(g, FX_SHAPE(FX_BOOL, 2, 1)),
                                     FX_AXES()));
}

/* A NULL mask is none; a NULL operand is an error like any other. */
static void test_null(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F16, 2, 3));
    assert_node(fx_masked_softmax(x, NULL, FX_AXES(0)), "composite", "(float16)[2, 3]");
    assert_node(fx_logsumexp(x, FX_AXES(0)), "convert", "(float16)[3]");
    assert_null(fx_softmax(NULL, FX_AXES()));
    assert_no_error(graph);
    fx_graph_free(graph);
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_masked_softmax: operand 0 is NULL",
                   fx_masked_softmax(NULL, parameter(g, FX_SHAPE(FX_BOOL, 3)), FX_AXES()));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dtypes),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
