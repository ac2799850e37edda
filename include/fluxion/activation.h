/* SPDX-License-Identifier: Apache-2.0 */
/* Activation functions. What ops.h says of dtypes, errors and results holds here. All are elementwise, take
 * floats unless said otherwise, and compute float16 and bfloat16 in float32, rounded once at the end. */
#ifndef FLUXION_ACTIVATION_H
#define FLUXION_ACTIVATION_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x where x > 0, else 0; NaN stays. The derivative at 0 is 0. Numbers. */
FX_API fx_node *fx_relu(fx_node *x);
/* fx_leaky_relu_with of 0.3. */
FX_API fx_node *fx_leaky_relu(fx_node *x);
/* x where x >= 0, else alpha x. */
FX_API fx_node *fx_leaky_relu_with(fx_node *x, double alpha);
/* x where x >= 0, else alpha x; alpha, of x's dtype, broadcasts elementwise: one that is learned. */
FX_API fx_node *fx_prelu(fx_node *x, fx_node *alpha);
/* x within 0 and 6; NaN stays. The derivative is 0 at both. Numbers. */
FX_API fx_node *fx_relu6(fx_node *x);
/* fx_elu_with of 1. */
FX_API fx_node *fx_elu(fx_node *x);
/* x where x > 0, else alpha (e^x - 1). */
FX_API fx_node *fx_elu_with(fx_node *x, double alpha);
/* fx_celu_with of 1. */
FX_API fx_node *fx_celu(fx_node *x);
/* x where x > 0, else alpha (e^(x / alpha) - 1), which has no kink for any alpha; 0 is an error. */
FX_API fx_node *fx_celu_with(fx_node *x, double alpha);
/* 1.05070098... (x where x > 0, else 1.67326324... (e^x - 1)). */
FX_API fx_node *fx_selu(fx_node *x);
/* x sigmoid(x). */
FX_API fx_node *fx_swish(fx_node *x);
/* Another name of fx_swish. */
FX_API fx_node *fx_silu(fx_node *x);
/* fx_hard_sigmoid_with of 0.2 and 0.5. */
FX_API fx_node *fx_hard_sigmoid(fx_node *x);
/* alpha x + beta, within 0 and 1. */
FX_API fx_node *fx_hard_sigmoid_with(fx_node *x, double alpha, double beta);
/* x within -1 and 1; the derivative is 1 at both, as that of fx_clamp. */
FX_API fx_node *fx_hard_tanh(fx_node *x);
/* x / (1 + |x|). */
FX_API fx_node *fx_softsign(fx_node *x);
/* log of sigmoid(x), which is -fx_softplus(-x). */
FX_API fx_node *fx_log_sigmoid(fx_node *x);
/* x tanh(fx_softplus(x)). */
FX_API fx_node *fx_mish(fx_node *x);
/* x times (x / 6 + 0.5), the latter within 0 and 1. */
FX_API fx_node *fx_hard_swish(fx_node *x);
/* x times (scale x + bias), the latter within 0 and 1; scale and bias broadcast elementwise. */
FX_API fx_node *fx_hard_swish_with(fx_node *x, fx_node *scale, fx_node *bias);
/* x (1 + erf(x / sqrt 2)) / 2, by erfc, which keeps the digits of the negative tail. */
FX_API fx_node *fx_gelu(fx_node *x);
/* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, as x times the logistic function of twice that
 * argument. */
FX_API fx_node *fx_gelu_approximate(fx_node *x);
/* swish of the first half of the last axis times the second half; an odd last axis is an error. */
FX_API fx_node *fx_swi_glu(fx_node *x);
/* The first half of the last axis times sigmoid of the second; an odd last axis is an error. */
FX_API fx_node *fx_glu(fx_node *x);

typedef enum fx_activation {
    FX_ACTIVATION_NONE = 0, /* x itself */
    FX_ACTIVATION_RELU,
    FX_ACTIVATION_SIGMOID,
    FX_ACTIVATION_HARD_SIGMOID,
    FX_ACTIVATION_LEAKY_RELU,
    FX_ACTIVATION_SELU,
    FX_ACTIVATION_SWISH,
    FX_ACTIVATION_HARD_SWISH,
    FX_ACTIVATION_SILU,
    FX_ACTIVATION_TANH,
    FX_ACTIVATION_GELU,
    FX_ACTIVATION_GELU_APPROXIMATE,
    FX_ACTIVATION_SWI_GLU,
    FX_ACTIVATION_ELU,
    FX_ACTIVATION_CELU,
    FX_ACTIVATION_SOFTPLUS,
    FX_ACTIVATION_LOG_SIGMOID,
    FX_ACTIVATION_MISH,
    FX_ACTIVATION_HARD_TANH,
    FX_ACTIVATION_RELU6,
    FX_ACTIVATION_SOFTSIGN,
    FX_ACTIVATION_GLU /* the last one */
} fx_activation;
/* The function of that number, of x. An error for a number that is none. */
FX_API fx_node *fx_activate(fx_node *x, fx_activation activation);
/* Name of an activation: "leaky_relu"; NULL for a number that is none. Static storage. Any thread. */
FX_API const char *fx_activation_name(fx_activation activation);
/* The activation of a name, in which case and underscores do not matter: "leaky_relu", "LeakyRelu"; also
 * "gelu_approx" and "gelu_pytorch_tanh" for FX_ACTIVATION_GELU_APPROXIMATE, and "" for FX_ACTIVATION_NONE.
 * False, *activation untouched, when there is none of that name. Any thread. */
FX_API bool fx_activation_parse(const char *name, fx_activation *activation);

#ifdef __cplusplus
}
#endif
#endif
