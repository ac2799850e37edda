/* SPDX-License-Identifier: Apache-2.0 */
/* What layers refuse, under their own names, and what they leave alone. Their values are golden cases of the
 * families nn and gradient_nn. */
#include "support/graph_helpers.h"
#include <fluxion/attention.h>
#include <fluxion/nn.h>
#include <fluxion/quantize.h>
#include <fluxion/random.h>
#include <math.h>

#define P(...) parameter(g, FX_SHAPE(__VA_ARGS__))
#define F(...) parameter(g, FX_SHAPE(FX_F32, __VA_ARGS__))
#define SCALAR(dtype) parameter(g, FX_SHAPE(dtype))
#define NO_AXES ((fx_axes){NULL, 0})
#define IO FX_DENSE_INPUT_OUTPUTS
#define OI FX_DENSE_OUTPUTS_INPUT
#define NONE FX_ACTIVATION_NONE

static void test_dense(void **state) {
    (void)state;
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_nn_dense: the last axis of x [2, 3] is 3, but the weight [4, 2] takes 4 inputs (axis 0, its "
        "layout is [input, outputs...]); they must be equal",
        fx_nn_dense(F(2, 3), F(4, 2), NULL, IO, NONE));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_nn_dense: the last axis of x [2, 3] is 3, but the weight [3, 4] takes 4 inputs (axis 1, its "
        "layout is [outputs..., input]); they must be equal",
        fx_nn_dense(F(2, 3), F(3, 4), NULL, OI, NONE));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_dense: the bias is [3]; it must be [4]",
                   fx_nn_dense(F(2, 3), F(3, 4), F(3), IO, NONE));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_nn_dense: the bias is float64 and x is float32; convert one of them with fx_convert",
                   fx_nn_dense(F(2, 3), F(3, 4), P(FX_F64, 4), IO, NONE));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_nn_dense: dtypes float32 and bfloat16 differ; convert one of them with fx_convert",
                   fx_nn_dense(F(2, 3), P(FX_BF16, 3, 4), NULL, IO, NONE));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_nn_dense: x and the weight must not be scalars; they are (float32) and (float32)[3]",
                   fx_nn_dense(SCALAR(FX_F32), F(3), NULL, IO, NONE));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_dense: there is no layout 2",
                   fx_nn_dense(F(2, 3), F(3, 4), NULL, (fx_dense_layout)2, NONE));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_dense: there is no activation 99",
                   fx_nn_dense(F(2, 3), F(3, 4), NULL, IO, (fx_activation)99));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_nn_dense: swi_glu wants two halves of the last output axis; the outputs are [2, 5]",
                   fx_nn_dense(F(2, 3), F(3, 2, 5), NULL, IO, FX_ACTIVATION_SWI_GLU));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_dense: int32 has no activation; convert to a float dtype first",
                   fx_nn_dense(P(FX_S32, 2, 3), P(FX_S32, 3, 4), NULL, IO, FX_ACTIVATION_TANH));
    fx_graph *g = new_graph();
    fx_node *half = fx_nn_dense(P(FX_BF16, 2, 3), P(FX_BF16, 3, 4, 5), P(FX_F32, 4, 5), IO, NONE);
    assert_node(half, "composite", "(bfloat16)[2, 4, 5]");
    assert_null(fx_nn_dense(NULL, NULL, NULL, IO, NONE));
    fx_graph_free(g);
}

static void test_qkv(void **state) {
    fx_node *k, *v;
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_qkv_projection: the weight is [3, 9]; it must be [in, 4 + 2 * 2]",
                   fx_nn_qkv_projection(F(2, 3), F(3, 9), NULL, NULL, NULL, 4, 2, &k, &v));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_qkv_projection: the weight is [3, 8]; it must be [in, -4 + 2 * 6]",
                   fx_nn_qkv_projection(F(2, 3), F(3, 8), NULL, NULL, NULL, -4, 6, &k, &v));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_qkv_projection: the value bias is [3]; it must be [2]",
                   fx_nn_qkv_projection(F(2, 3), F(3, 8), F(4), NULL, F(3), 4, 2, &k, &v));
    fx_graph *g = new_graph();
    fx_node *q = fx_nn_qkv_projection(F(2, 7, 3), F(3, 8), NULL, F(2), NULL, 4, 2, &k, NULL);
    assert_node(q, "composite", "(float32)[2, 7, 4]");
    assert_node(k, "result", "(float32)[2, 7, 2]");
    assert_no_error(g);
    fx_nn_qkv_projection(F(2, 3), F(3, 8), F(3), NULL, NULL, 4, 2, &k, &v);
    assert_string_equal(fx_node_op(k), "inert");
    assert_string_equal(fx_node_op(v), "inert");
    assert_null(fx_nn_qkv_projection(NULL, NULL, NULL, NULL, NULL, 1, 1, &k, &v));
    assert_null(k);
    fx_graph_free(g);
}

static void test_norms(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_nn_layer_norm: the gamma [3] does not go with x [2, 4]: the last axes are aligned, "
                   "each of the same dimension or 1",
                   fx_nn_layer_norm(F(2, 4), FX_AXES(-1), 1e-5, F(3), NULL, NULL));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_nn_layer_norm: the beta [1, 2, 4] does not go with x [2, 4]: the last axes are aligned, "
        "each of the same dimension or 1",
        fx_nn_layer_norm(F(2, 4), FX_AXES(-1), 1e-5, NULL, F(1, 2, 4), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_layer_norm: epsilon is -1; it must be finite and not negative",
                   fx_nn_layer_norm(F(2, 4), FX_AXES(-1), -1, NULL, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_rms_norm: epsilon is inf; it must be finite and not negative",
                   fx_nn_rms_norm(F(2, 4), FX_AXES(-1), (double)INFINITY, NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_layer_norm: the mask is float32; it must be bool",
                   fx_nn_layer_norm(F(2, 4), FX_AXES(-1), 1e-5, NULL, NULL, F(2, 4)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_layer_norm: int32 has no norm; convert to a float dtype first",
                   fx_nn_layer_norm(P(FX_S32, 4), NO_AXES, 1e-5, NULL, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_nn_rms_norm: the gamma is float64 and x is float16; convert one of them with "
                   "fx_convert",
                   fx_nn_rms_norm(P(FX_F16, 4), NO_AXES, 1e-5, P(FX_F64, 4)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_group_norm: 6 channels do not make 4 equal groups",
                   fx_nn_group_norm(F(2, 6, 3), 4, 1, 1e-5, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_group_norm: 6 channels do not make 0 equal groups",
                   fx_nn_group_norm(F(2, 6, 3), -1, 1, 1e-5, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_group_norm: axis 0 is that of the examples; channels have another",
                   fx_nn_group_norm(F(6, 3), 2, 0, 1e-5, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_instance_norm: the gamma is [3]; it must be [6]",
                   fx_nn_instance_norm(F(2, 6, 3), 1, 1e-5, F(3), NULL));
    fx_graph *g = new_graph();
    assert_int_equal(fx_nn_instance_norm(F(2, 6), 5, 1e-5, NULL, NULL)->op, FX_OP_INERT);
    assert_null(fx_nn_layer_norm(NULL, NO_AXES, 0, NULL, NULL, NULL));
    assert_null(fx_nn_group_norm(NULL, 1, 1, 0, NULL, NULL));
    assert_null(fx_nn_instance_norm(NULL, 1, 0, NULL, NULL));
    fx_graph_free(g);
}

static void test_batch_norm(void **state) {
    fx_batch_statistics found;
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_batch_norm: the mean is [2]; it must be [3]",
                   fx_nn_batch_norm(F(5, 3), NULL, NULL, F(2), F(3), 1e-5, -1));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_batch_norm: the scale is [2, 3]; it must be [3]",
                   fx_nn_batch_norm(F(5, 3), F(2, 3), NULL, F(3), F(3), 1e-5, -1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_batch_norm_training: averages: the variance is NULL",
                   fx_nn_batch_norm_training(F(5, 3), NULL, NULL, 1e-5, -1,
                                             &(fx_batch_averages){.mean = F(3), .momentum = 0.5}, &found));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT,
                   "fx_nn_batch_norm_training: the momentum is 1.5; it must be within 0 and 1",
                   fx_nn_batch_norm_training(F(5, 3), NULL, NULL, 1e-5, -1,
                                             &(fx_batch_averages){F(3), F(3), 1.5, false}, NULL));
    fx_graph *g = new_graph();
    const fx_batch_averages mixed = {P(FX_F32, 3), P(FX_BF16, 3), 0.9, true};
    fx_node *y = fx_nn_batch_norm_training(P(FX_BF16, 4, 3), NULL, NULL, 1e-5, -1, &mixed, &found);
    assert_string_equal(fx_shape_to_text(fx_node_shape(y)).s, "(bfloat16)[4, 3]");
    assert_int_equal(fx_node_dtype(found.mean), FX_F32);
    assert_int_equal(fx_node_dtype(found.running_mean), FX_F32);
    assert_int_equal(fx_node_dtype(found.running_variance), FX_BF16);
    fx_nn_batch_norm_training(F(4, 3), NULL, NULL, 1e-5, -1, NULL, &found);
    assert_null(found.running_mean);
    assert_no_error(g);
    fx_nn_batch_norm_training(F(4, 3), NULL, F(2), 1e-5, -1, NULL, &found);
    assert_string_equal(fx_node_op(found.mean), "inert");
    assert_null(fx_nn_batch_norm_training(NULL, NULL, NULL, 0, 0, NULL, NULL));
    assert_null(fx_nn_batch_norm(NULL, NULL, NULL, NULL, NULL, 0, 0));
    fx_graph_free(g);
}

static void test_others(void **state) {
    fx_node *after;
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_dropout: the rate is 1.5; it must be within 0 and 1",
                   fx_nn_dropout(F(4), 1.5, P(FX_U64, 3), &after));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_dropout: the rate is nan; it must be within 0 and 1",
                   fx_nn_dropout(F(4), (double)NAN, P(FX_U64, 3), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_dropout: the state is (uint32)[3]; a random state is (uint64)[3]",
                   fx_nn_dropout(F(4), 0.5, P(FX_U32, 3), &after));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_dropout: int32 has no dropout; convert to a float dtype first",
                   fx_nn_dropout(P(FX_S32, 4), 0.5, P(FX_U64, 3), NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_embedding: the indices are float32; they must be integers",
                   fx_nn_embedding(F(5, 2), F(3)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_embedding: the table (float32)[0, 2] has no rows",
                   fx_nn_embedding(F(0, 2), P(FX_S32, 3)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_softcap: int32 has no soft cap; convert to a float dtype first",
                   fx_nn_softcap(P(FX_S32, 4), 1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_softcap: the cap is NaN", fx_nn_softcap(F(4), (double)NAN));
    fx_graph *g = new_graph();
    fx_node *x = F(4), *rng = P(FX_U64, 3);
    assert_ptr_equal(fx_nn_dropout(x, 0, rng, &after), x);
    assert_ptr_equal(after, rng);
    fx_nn_dropout(x, 1, rng, &after);
    assert_ptr_equal(after, rng);
    fx_nn_dropout(x, 0.5, rng, &after);
    assert_ptr_not_equal(after, rng);
    assert_ptr_equal(fx_nn_softcap(x, -1), x);
    assert_no_error(g);
    fx_nn_dropout(x, 2, rng, &after);
    assert_string_equal(fx_node_op(after), "inert");
    assert_null(fx_nn_dropout(NULL, 0.5, NULL, NULL));
    assert_null(fx_nn_embedding(NULL, NULL));
    assert_null(fx_nn_softcap(NULL, 1));
    fx_graph_free(g);
}

/* Builders that take nodes of different roles say which one is missing. */
static void test_missing(void **state) {
    (void)state;
#define MISSING(function, role, ...)                                                                         \
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, #function ": " role " is NULL", function(__VA_ARGS__))
    MISSING(fx_nn_dropout, "the random state", F(4), 0.5, NULL, NULL);
    MISSING(fx_nn_dropout, "x", NULL, 0.5, P(FX_U64, 3), NULL);
    MISSING(fx_nn_dense, "the weight", F(2, 3), NULL, NULL, IO, NONE);
    MISSING(fx_nn_dense, "x", NULL, F(2, 3), F(3), IO, NONE);
    MISSING(fx_nn_qkv_projection, "the weight", F(2, 3), NULL, NULL, NULL, F(2), 4, 2, NULL, NULL);
    MISSING(fx_nn_embedding, "indices", F(2, 3), NULL);
    MISSING(fx_nn_embedding, "the table", NULL, P(FX_S32, 3));
    MISSING(fx_nn_batch_norm, "the mean", F(2, 3), NULL, NULL, NULL, F(3), 0, -1);
    MISSING(fx_nn_batch_norm, "the variance", F(2, 3), NULL, NULL, F(3), NULL, 0, -1);
    MISSING(fx_nn_batch_norm_training, "x", NULL, F(3), NULL, 0, -1, NULL, NULL);
    MISSING(fx_nn_layer_norm, "x", NULL, FX_AXES(-1), 0, F(3), NULL, NULL);
    MISSING(fx_nn_rope, "positions", F(2, 3, 4), NULL, -2, NULL);
    MISSING(fx_nn_rope_cos_sin, "sines", F(2, 3, 4), F(3, 2), NULL, -2, NULL);
    MISSING(fx_nn_learned_positions, "the table", F(2, 3, 4), NULL, NULL, -2);
    MISSING(fx_nn_kv_cache_update, "rows", F(2, 1, 3, 4), NULL, SCALAR(FX_S32), NULL);
    MISSING(fx_nn_kv_cache_update, "the position", F(2, 1, 3, 4), F(2, 1, 3, 4), NULL, NULL);
    MISSING(fx_nn_quantized_dense, "weights", F(2, 3), NULL, NULL, NULL, NONE);
    MISSING(fx_nn_quantized_gather, "indices", F(2, 3), NULL, NULL);
    MISSING(fx_quantize_linear, "scale", F(2, 3), NULL, NULL, FX_S8);
    MISSING(fx_dequantize_linear, "q", NULL, F(3), NULL);
    MISSING(fx_random_categorical, "the random state", NULL, F(3), &FX_SHAPE(FX_S32), NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),      cmocka_unit_test(test_qkv),    cmocka_unit_test(test_norms),
        cmocka_unit_test(test_batch_norm), cmocka_unit_test(test_others), cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
