/* SPDX-License-Identifier: Apache-2.0 */
/* What builders with quantized weights refuse, and their shapes. */
#include "support/graph_helpers.h"
#include <fluxion/quantize.h>

#define P(dtype, ...) parameter(g, FX_SHAPE(dtype, __VA_ARGS__))
#define LINEAR(...) (&(fx_quantization){.block_axis = 1, __VA_ARGS__})
#define NF4(...) (&(fx_quantization){.scheme = FX_QUANTIZATION_NF4, .block_axis = 1, __VA_ARGS__})
#define GGML(t) (&(fx_quantization){.scheme = FX_QUANTIZATION_GGML, .ggml_type = (fx_ggml_type)(t)})
#define NAME "fx_nn_quantized_dense: "
#define DENSE(code, message, x, w, q, bias)                                                                  \
    ASSERT_REFUSED(code, message, fx_nn_quantized_dense(x, w, q, bias, FX_ACTIVATION_NONE))

static void test_quantization(void **state) {
    (void)state;
    DENSE(FX_ERROR_ARGUMENT, NAME "quantization: got NULL, a description wanted", P(FX_F32, 1, 4),
          P(FX_S8, 4, 6), NULL, NULL);
    DENSE(FX_ERROR_ARGUMENT, NAME "there is no quantization scheme 3", P(FX_F32, 1, 4), P(FX_S8, 4, 6),
          (&(fx_quantization){.scheme = (fx_quantization_scheme)3}), NULL);
    DENSE(FX_ERROR_SHAPE, NAME "weights: got (int8)[4], a matrix wanted", P(FX_F32, 1, 4), P(FX_S8, 4),
          LINEAR(.scale = P(FX_F32, 4, 1)), NULL);
    DENSE(FX_ERROR_DTYPE, NAME "linear weights: got float32, integers wanted", P(FX_F32, 1, 4),
          P(FX_F32, 4, 6), LINEAR(.scale = P(FX_F32, 4, 1)), NULL);
    DENSE(FX_ERROR_ARGUMENT, NAME "scale: got none, a node wanted", P(FX_F32, 1, 4), P(FX_S8, 4, 6),
          LINEAR(.block_size = 2), NULL);
    DENSE(FX_ERROR_SHAPE, NAME "scale: got (float32)[4, 2], (float32)[4, 3] wanted", P(FX_F32, 1, 4),
          P(FX_S8, 4, 6), LINEAR(.scale = P(FX_F32, 4, 2), .block_size = 2), NULL);
    DENSE(FX_ERROR_DTYPE, NAME "scale: got (float16)[4, 3], (float32)[4, 3] wanted", P(FX_F32, 1, 4),
          P(FX_S8, 4, 6), LINEAR(.scale = P(FX_F16, 4, 3), .block_size = 2), NULL);
    DENSE(FX_ERROR_SHAPE, NAME "zero_point: got (float32)[4, 2], (float32)[4, 3] wanted", P(FX_F32, 1, 4),
          P(FX_S8, 4, 6),
          LINEAR(.scale = P(FX_F32, 4, 3), .zero_point = P(FX_F32, 4, 2), .block_size = 2), NULL);
    DENSE(FX_ERROR_AXIS, NAME "block_axis 2: 0 or 1 is wanted", P(FX_F32, 1, 4), P(FX_S8, 4, 6),
          (&(fx_quantization){.scale = P(FX_F32, 4, 3), .block_axis = 2}), NULL);
    DENSE(FX_ERROR_ATTRIBUTE, NAME "block_size -1 is negative", P(FX_F32, 1, 4), P(FX_S8, 4, 6),
          LINEAR(.scale = P(FX_F32, 4, 3), .block_size = -1), NULL);
    DENSE(FX_ERROR_DTYPE, NAME "NF4 weights: got int8, uint4 or int4 wanted", P(FX_F32, 1, 4),
          P(FX_S8, 4, 6), NF4(.scale = P(FX_F32, 4, 1)), NULL);
    DENSE(FX_ERROR_ARGUMENT, NAME "zero_point of NF4: got a node, none wanted", P(FX_F32, 1, 4),
          P(FX_U4, 4, 6), NF4(.scale = P(FX_F32, 4, 1), .zero_point = P(FX_F32, 4, 1)), NULL);
}

static void test_ggml(void **state) {
    (void)state;
    DENSE(FX_ERROR_ARGUMENT, NAME "there is no GGML type 1", P(FX_F32, 1, 32), P(FX_U8, 6, 18), GGML(1), NULL);
    DENSE(FX_ERROR_DTYPE, NAME "GGML weights: got int8, uint8 wanted", P(FX_F32, 1, 32), P(FX_S8, 6, 18),
          GGML(FX_GGML_Q4_0), NULL);
    DENSE(FX_ERROR_SHAPE, NAME "rows of 20 bytes are no whole blocks of q4_0, which have 18", P(FX_F32, 1, 32),
          P(FX_U8, 6, 20), GGML(FX_GGML_Q4_0), NULL);
    DENSE(FX_ERROR_ARGUMENT,
          NAME "scale and zero_point of GGML: got a node, none (blocks hold their own) wanted", P(FX_F32, 1, 32),
          P(FX_U8, 6, 18),
          (&(fx_quantization){
              .scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q4_0, .scale = P(FX_F32, 1)}),
          NULL);
}

static void test_operands(void **state) {
    (void)state;
    DENSE(FX_ERROR_SHAPE, NAME "x (float32)[1, 31]: its last axis must be as long as the 32 rows of W",
          P(FX_F32, 1, 31), P(FX_U8, 6, 18), GGML(FX_GGML_Q4_0), NULL);
    DENSE(FX_ERROR_SHAPE, NAME "x (float32): its last axis must be as long as the 32 rows of W",
          parameter(g, FX_SHAPE(FX_F32)), P(FX_U8, 6, 18), GGML(FX_GGML_Q4_0), NULL);
    DENSE(FX_ERROR_DTYPE, NAME "x is float64: float32, float16 or bfloat16 is wanted (fx_convert)",
          P(FX_F64, 1, 32), P(FX_U8, 6, 18), GGML(FX_GGML_Q4_0), NULL);
    DENSE(FX_ERROR_SHAPE, NAME "bias (float32)[5]: a vector of 6 is wanted", P(FX_F32, 1, 32),
          P(FX_U8, 6, 18), GGML(FX_GGML_Q4_0), P(FX_F32, 5));
    DENSE(FX_ERROR_DTYPE, NAME "bias is float16: x's bfloat16 or float32 is wanted", P(FX_BF16, 1, 32),
          P(FX_U8, 6, 18), GGML(FX_GGML_Q4_0), P(FX_F16, 6));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, NAME "there is no activation 99",
                   fx_nn_quantized_dense(P(FX_F32, 1, 32), P(FX_U8, 6, 18), GGML(FX_GGML_Q4_0), NULL,
                                         (fx_activation)99));
    assert_null(fx_nn_quantized_dense(NULL, NULL, NULL, NULL, FX_ACTIVATION_NONE));
    assert_null(fx_dequantize(NULL, NULL));
}

static void test_tables(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_nn_quantized_gather: the table must be of a GGML type",
                   fx_nn_quantized_gather(P(FX_S8, 4, 6), P(FX_S32, 2, 1), LINEAR(.scale = P(FX_F32, 4, 1))));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_nn_quantized_gather: indices are float32: integers are wanted",
                   fx_nn_quantized_gather(P(FX_U8, 4, 18), P(FX_F32, 2, 1), GGML(FX_GGML_Q4_0)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_nn_quantized_gather: indices (int32)[2, 3]: the last axis must have size 1",
                   fx_nn_quantized_gather(P(FX_U8, 4, 18), P(FX_S32, 2, 3), GGML(FX_GGML_Q4_0)));
}

static void test_elements(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_quantize_linear: dtype int32: an integer of at most 16 bits is wanted",
                   fx_quantize_linear(P(FX_F32, 4), P(FX_F32, 1), NULL, FX_S32));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_quantize_linear: zero_point is int8, the quantized values uint8",
                   fx_quantize_linear(P(FX_F32, 4), P(FX_F32, 1), P(FX_S8, 1), FX_U8));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_dequantize_linear: q is float32: an integer of at most 16 bits is wanted",
                   fx_dequantize_linear(P(FX_F32, 4), P(FX_F32, 1), NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_quantize_dynamic: x is float16: float32 is wanted (fx_convert)",
                   fx_quantize_dynamic(P(FX_F16, 4), NULL));
}

static void test_shapes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const fx_quantization *q = GGML(FX_GGML_Q6_K);
    fx_node *w = P(FX_U8, 6, 420);
    fx_shape made = fx_nn_quantized_dense(P(FX_F16, 2, 3, 512), w, q, NULL, FX_ACTIVATION_SWI_GLU)->shape;
    assert_string_equal(fx_shape_to_text(&made).s, "(float16)[2, 3, 3]");
    made = fx_nn_quantized_gather(w, P(FX_S64, 5, 4, 1), q)->shape;
    assert_string_equal(fx_shape_to_text(&made).s, "(float32)[5, 4, 512]");
    made = fx_nn_quantized_embedding(w, P(FX_S64, 5, 4), q)->shape;
    assert_string_equal(fx_shape_to_text(&made).s, "(float32)[5, 4, 512]");
    assert_int_equal(fx_ggml_type_parse("IQ4_NL"), FX_GGML_IQ4_NL);
    assert_int_equal(fx_ggml_type_parse("q4_1"), FX_GGML_NONE);
    assert_int_equal(fx_ggml_type_parse(NULL), FX_GGML_NONE);
    assert_string_equal(fx_ggml_type_name(FX_GGML_Q3_K), "q3_k");
    assert_null(fx_ggml_type_name(FX_GGML_NONE));
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quantization), cmocka_unit_test(test_ggml),
                                       cmocka_unit_test(test_operands),     cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_elements),     cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
