/* SPDX-License-Identifier: Apache-2.0 */
/* What fx_nn_attention refuses, and the shapes it gives. */
#include "support/graph_helpers.h"
#include <fluxion/attention.h>
#include <math.h>

#define P(...) parameter(g, FX_SHAPE(__VA_ARGS__))
#define X P(FX_F32, 2, 4, 3, 5)
#define ATTEND(...)                                                                                          \
    fx_nn_attention(X, P(FX_F32, 2, 2, 6, 5), P(FX_F32, 2, 2, 6, 7), &(fx_attention_options){__VA_ARGS__},   \
                    NULL, NULL)

static void test_operands(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_attention: the keys are (float32)[2, 3, 5]; they must have 4 axes",
                   fx_nn_attention(X, P(FX_F32, 2, 3, 5), X, NULL, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_attention: int32 has no attention; convert to a float dtype first",
                   fx_nn_attention(P(FX_S32, 2, 4, 3, 5), X, X, NULL, NULL, NULL));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_nn_attention: the values are float64 beside queries of float32; convert one of them with "
        "fx_convert",
        fx_nn_attention(X, X, P(FX_F64, 2, 4, 3, 5), NULL, NULL, NULL));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_nn_attention: queries (float32)[2, 4, 3, 5], keys (float32)[2, 4, 3, 6] and values "
        "(float32)[2, 4, 3, 5]: the batch of all, the last dimension of queries and keys, heads and "
        "length of keys and values must be equal",
        fx_nn_attention(X, P(FX_F32, 2, 4, 3, 6), X, NULL, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_attention: 4 heads are no multiple of the 3 of keys and values",
                   fx_nn_attention(X, P(FX_F32, 2, 3, 3, 5), P(FX_F32, 2, 3, 3, 5), NULL, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_attention: 4 heads are no multiple of the 0 of keys and values",
                   fx_nn_attention(X, P(FX_F32, 2, 0, 3, 5), P(FX_F32, 2, 0, 3, 5), NULL, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_nn_attention: 1 queries and 1073741824 keys; at most 2^30 - 1 are taken",
                   fx_nn_attention(P(FX_F32, 1, 1, 1, 1), P(FX_F32, 1, 1, 1 << 30, 1),
                                   P(FX_F32, 1, 1, 1 << 30, 1), NULL, NULL, NULL));
    assert_null(fx_nn_attention(NULL, NULL, NULL, NULL, NULL, NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_attention: key is NULL",
                   fx_nn_attention(X, NULL, X, NULL, NULL, NULL));
}

static void test_terms(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_nn_attention: the mask must be bool or of the queries' dtype, not (int32)[3, 6]",
                   ATTEND(.mask = P(FX_S32, 3, 6)));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_nn_attention: the mask (bool)[4, 3, 6] does not go with scores [batch 2, heads 4, queries "
        "3, keys 6]",
        ATTEND(.mask = P(FX_BOOL, 4, 3, 6)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_nn_attention: the bias (float32)[2, 3, 6] does not go with scores [batch 2, heads 4, "
                   "queries 3, keys 6]",
                   ATTEND(.bias = P(FX_F32, 2, 3, 6)));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_nn_attention: the bias (float32)[6] does not go with scores [batch 2, heads 4, queries 3, "
        "keys 6]",
        ATTEND(.bias = P(FX_F32, 6)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_nn_attention: the bias must be of the queries' dtype, not (float64)[3, 6]",
                   ATTEND(.bias = P(FX_F64, 3, 6)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_attention: lengths must be integers, not (float32)[2]",
                   ATTEND(.key_lengths = P(FX_F32, 2)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_attention: lengths (int32)[3] for a batch of 2",
                   ATTEND(.query_lengths = P(FX_S32, 3)));
}

static void test_numbers(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_attention: the scale is not finite",
                   ATTEND(.scale = (double)NAN));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_attention: the softcap is negative or not finite",
                   ATTEND(.softcap = -1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_attention: the window is negative", ATTEND(.window = -1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_attention: the rate of dropout is not in 0 to 1",
                   ATTEND(.dropout_rate = 1.5));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_attention: dropout needs a random state",
                   ATTEND(.dropout_rate = 0.5));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_attention: a random state is (uint64)[3], not (uint64)[2]",
                   ATTEND(.random_state = P(FX_U64, 2)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_attention: there is no such layout",
                   ATTEND(.layout = (fx_attention_layout)7));
}

static void test_shapes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *coefficients = NULL, *next = NULL, *random = P(FX_U64, 3);
    assert_node(ATTEND(.causal = true), "composite", "(float32)[2, 4, 3, 7]");
    assert_node(ATTEND(.bias = P(FX_F32, 4, 1, 6), .mask = P(FX_BOOL, 2, 3, 1), .key_lengths = P(FX_S64)),
                "composite", "(float32)[2, 4, 3, 7]");
    assert_string_equal(fx_shape_to_text(fx_node_shape(ATTEND(.disable_fusion = true))).s,
                        "(float32)[2, 4, 3, 7]");
    fx_attention_options o = {.layout = FX_ATTENTION_BSHD, .dropout_rate = 0.5, .random_state = random};
    fx_node *q = P(FX_BF16, 2, 3, 4, 5), *k = P(FX_BF16, 2, 6, 2, 5), *v = P(FX_BF16, 2, 6, 2, 7);
    fx_node *made = fx_nn_attention(q, k, v, &o, &coefficients, &next);
    assert_string_equal(fx_shape_to_text(fx_node_shape(made)).s, "(bfloat16)[2, 3, 4, 7]");
    assert_string_equal(fx_shape_to_text(fx_node_shape(coefficients)).s, "(bfloat16)[2, 3, 4, 6]");
    assert_string_equal(fx_shape_to_text(fx_node_shape(next)).s, "(uint64)[3]");
    assert_ptr_not_equal(next, random);
    fx_nn_attention(q, k, v, &(fx_attention_options){.layout = FX_ATTENTION_BSHD, .random_state = random},
                    NULL, &next);
    assert_ptr_equal(next, random);
    assert_no_error(g);
    fx_nn_attention(q, k, k, &o, &coefficients, &next);
    assert_no_error(g);
    fx_nn_attention(q, k, q, &o, &coefficients, &next);
    assert_string_equal(fx_node_op(coefficients), "inert");
    assert_string_equal(fx_node_op(next), "inert");
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operands), cmocka_unit_test(test_terms),
                                       cmocka_unit_test(test_numbers), cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
