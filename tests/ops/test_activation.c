/* SPDX-License-Identifier: Apache-2.0 */
/* Activations by number and by name, and what they refuse; their values are golden cases of the family rows. */
#include "support/graph_helpers.h"
#include <fluxion/activation.h>
#include <fluxion/ops.h>
#include <stdio.h>

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *name;
        fx_activation activation;
    } rows[] = {
        {"", FX_ACTIVATION_NONE},
        {"relu", FX_ACTIVATION_RELU},
        {"leaky_relu", FX_ACTIVATION_LEAKY_RELU},
        {"LeakyRelu", FX_ACTIVATION_LEAKY_RELU},
        {"hardswish", FX_ACTIVATION_HARD_SWISH},
        {"gelu_approx", FX_ACTIVATION_GELU_APPROXIMATE},
        {"GeluApproximate", FX_ACTIVATION_GELU_APPROXIMATE},
        {"gelu_pytorch_tanh", FX_ACTIVATION_GELU_APPROXIMATE},
        {"SwiGLU", FX_ACTIVATION_SWI_GLU},
        {"ReLU6", FX_ACTIVATION_RELU6},
        {"logsigmoid", FX_ACTIVATION_LOG_SIGMOID},
    };
    fx_activation got = FX_ACTIVATION_TANH;
    assert_false(fx_activation_parse("relu7", &got));
    assert_false(fx_activation_parse("rel", &got));
    assert_false(fx_activation_parse(NULL, &got));
    assert_false(fx_activation_parse("relu", NULL));
    assert_int_equal(got, FX_ACTIVATION_TANH);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(fx_activation_parse(rows[i].name, &got));
        assert_int_equal(got, rows[i].activation);
    }
    for (int i = FX_ACTIVATION_NONE; i <= FX_ACTIVATION_GLU; i++) {
        assert_true(fx_activation_parse(fx_activation_name((fx_activation)i), &got));
        assert_int_equal((int)got, i);
    }
    assert_null(fx_activation_name((fx_activation)(FX_ACTIVATION_GLU + 1)));
    assert_null(fx_activation_name((fx_activation)-1));
}

static void test_activate(void **state) {
    (void)state;
    for (int i = FX_ACTIVATION_NONE; i <= FX_ACTIVATION_GLU; i++) {
        fx_graph *graph = new_graph();
        fx_node *x = parameter(graph, FX_SHAPE(FX_BF16, 4)), *y = fx_activate(x, (fx_activation)i);
        assert_no_error(graph);
        assert_int_equal(fx_node_dtype(y), FX_BF16);
        assert_true((y == x) == (i == FX_ACTIVATION_NONE));
        assert_null(fx_activate(NULL, (fx_activation)i));
        fx_graph_free(graph);
    }
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_activate: there is no activation 22",
                   fx_activate(parameter(g, FX_SHAPE(FX_F32)), (fx_activation)22));
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *name;
        fx_node *(*apply)(fx_node *);
    } rows[] = {
        {"fx_leaky_relu", fx_leaky_relu},
        {"fx_elu", fx_elu},
        {"fx_celu", fx_celu},
        {"fx_hard_tanh", fx_hard_tanh},
        {"fx_softsign", fx_softsign},
        {"fx_log_sigmoid", fx_log_sigmoid},
        {"fx_mish", fx_mish},
        {"fx_glu", fx_glu},
        {"fx_selu", fx_selu},
        {"fx_swish", fx_swish},
        {"fx_silu", fx_silu},
        {"fx_hard_sigmoid", fx_hard_sigmoid},
        {"fx_gelu", fx_gelu},
        {"fx_swi_glu", fx_swi_glu},
        {"fx_gelu_approximate", fx_gelu_approximate},
        {"fx_hard_swish", fx_hard_swish},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s: int32 has no activation; convert to a float dtype first",
                 rows[i].name);
        ASSERT_REFUSED(FX_ERROR_DTYPE, text, rows[i].apply(parameter(g, FX_SHAPE(FX_S32, 4))));
        assert_null(rows[i].apply(NULL));
    }
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_swi_glu: the last axis of (float32)[4, 3] has no two halves",
                   fx_swi_glu(parameter(g, FX_SHAPE(FX_F32, 4, 3))));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_swi_glu: the last axis of (float32) has no two halves",
                   fx_swi_glu(parameter(g, FX_SHAPE(FX_F32))));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_hard_swish_with: dtypes float32 and float64 differ; convert one of them with fx_convert",
        fx_hard_swish_with(parameter(g, FX_SHAPE(FX_F32)), parameter(g, FX_SHAPE(FX_F32)),
                           parameter(g, FX_SHAPE(FX_F64))));
    fx_graph *graph = new_graph();
    assert_int_equal(fx_relu(parameter(graph, FX_SHAPE(FX_C64)))->op, FX_OP_INERT);
    fx_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_activate),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
