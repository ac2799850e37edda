/* SPDX-License-Identifier: Apache-2.0 */
/* Activation functions, each in float32 for half types and rounded once. Choices are selects, so that the
 * branch not taken gives no gradient, also where it is infinite. */
#include "ops/ops.h"
#include <ctype.h>
#include <fluxion/activation.h>

static bool begin_activation(fxi_build *b, const char *name, fx_node *x, fx_node **wide) {
    if (!fxi_build_begin(b, name, &x, 1) || !fxi_build_floats(b, x, "activation", FX_OP_ERF)) return false;
    *wide = fxi_build_wide(x);
    return (*wide)->op != FX_OP_INERT;
}

static fx_node *number(const fxi_build *b, const fx_node *x, double value) {
    return fxi_build_number(b, x->shape.dtype, value);
}

static fx_node *within_unit(const fxi_build *b, fx_node *x) {
    return fx_clamp(number(b, x, 0), x, number(b, x, 1));
}

/* ---- pieces of lines ---- */

fx_node *fx_relu(fx_node *x) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_relu", &x, 1) || !fxi_build_takes(&b, x, FX_OP_REM)) return b.stop;
    fx_node *zero = number(&b, x, 0);
    return fx_select(fx_less_or_equal(x, zero), zero, x);
}

static fx_node *leaky(const char *name, fx_node *x, double alpha) {
    fxi_build b;
    fx_node *wide;
    if (!begin_activation(&b, name, x, &wide)) return b.stop;
    fx_node *below = fx_mul(wide, number(&b, wide, alpha));
    return fx_convert(fx_select(fx_less(wide, number(&b, wide, 0)), below, wide), x->shape.dtype);
}

fx_node *fx_leaky_relu(fx_node *x) {
    return leaky("fx_leaky_relu", x, 0.3);
}
fx_node *fx_leaky_relu_with(fx_node *x, double alpha) {
    return leaky("fx_leaky_relu_with", x, alpha);
}

static fx_node *hard_sigmoid(const char *name, fx_node *x, double alpha, double beta) {
    fxi_build b;
    fx_node *wide;
    if (!begin_activation(&b, name, x, &wide)) return b.stop;
    fx_node *line = fx_add(fx_mul(wide, number(&b, wide, alpha)), number(&b, wide, beta));
    return fx_convert(within_unit(&b, line), x->shape.dtype);
}

fx_node *fx_hard_sigmoid(fx_node *x) {
    return hard_sigmoid("fx_hard_sigmoid", x, 0.2, 0.5);
}
fx_node *fx_hard_sigmoid_with(fx_node *x, double alpha, double beta) {
    return hard_sigmoid("fx_hard_sigmoid_with", x, alpha, beta);
}

fx_node *fx_hard_swish(fx_node *x) {
    fxi_build b;
    fx_node *wide;
    if (!begin_activation(&b, "fx_hard_swish", x, &wide)) return b.stop;
    fx_node *line = fx_add(fx_mul(wide, number(&b, wide, 1.0 / 6)), number(&b, wide, 0.5));
    return fx_convert(fx_mul(wide, within_unit(&b, line)), x->shape.dtype);
}

fx_node *fx_hard_swish_with(fx_node *x, fx_node *scale, fx_node *bias) {
    fxi_build b;
    fx_node *const operands[] = {x, scale, bias};
    if (!fxi_build_begin(&b, "fx_hard_swish_with", operands, 3)) return b.stop;
    if (!fxi_build_floats(&b, x, "activation", FX_OP_ERF)) return b.stop;
    if (!fxi_build_same(&b, x, scale) || !fxi_build_same(&b, x, bias)) return b.stop;
    fx_node *wide = fxi_build_wide(x);
    fx_node *line = fx_add(fx_mul(wide, fxi_build_wide(scale)), fxi_build_wide(bias));
    return fx_convert(fx_mul(wide, within_unit(&b, line)), x->shape.dtype);
}

/* 0, x or 6. Numbers, as fx_relu. */
fx_node *fx_relu6(fx_node *x) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_relu6", &x, 1) || !fxi_build_takes(&b, x, FX_OP_REM)) return b.stop;
    fx_node *zero = number(&b, x, 0), *six = number(&b, x, 6);
    fx_node *below = fx_select(fx_greater_or_equal(x, six), six, x);
    return fx_select(fx_less_or_equal(x, zero), zero, below);
}

fx_node *fx_prelu(fx_node *x, fx_node *alpha) {
    fxi_build b;
    fx_node *const operands[] = {x, alpha};
    if (!fxi_build_begin(&b, "fx_prelu", operands, 2)) return b.stop;
    if (!fxi_build_floats(&b, x, "activation", FX_OP_ERF) || !fxi_build_same(&b, x, alpha)) return b.stop;
    fx_node *wide = fxi_build_wide(x);
    fx_node *below = fx_mul(wide, fxi_build_wide(alpha));
    return fx_convert(fx_where(fx_less(wide, number(&b, wide, 0)), below, wide), x->shape.dtype);
}

fx_node *fx_hard_tanh(fx_node *x) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_hard_tanh", &x, 1)) return b.stop;
    if (!fxi_build_floats(&b, x, "activation", FX_OP_ERF)) return b.stop;
    return fx_clamp(number(&b, x, -1), x, number(&b, x, 1));
}

fx_node *fx_softsign(fx_node *x) {
    fxi_build b;
    fx_node *wide;
    if (!begin_activation(&b, "fx_softsign", x, &wide)) return b.stop;
    return fx_convert(fx_div(wide, fx_add(fx_abs(wide), number(&b, wide, 1))), x->shape.dtype);
}

/* ---- with exponentials ---- */

/* scale (x where x > 0, else alpha (e^(x / width) - 1)) */
static fx_node *exponential(const char *name, fx_node *x, double scale, double alpha, double width) {
    fxi_build b;
    fx_node *wide;
    if (!begin_activation(&b, name, x, &wide)) return b.stop;
    fx_node *zero = number(&b, wide, 0), *is_above = fx_greater(wide, zero);
    fx_node *below = fx_select(is_above, zero, wide); /* e^x is never infinite, nor are its derivatives */
    below = fx_expm1(width == 1 ? below : fx_div(below, number(&b, wide, width)));
    below = fx_mul(below, number(&b, wide, scale * alpha));
    fx_node *above = scale == 1 ? wide : fx_mul(wide, number(&b, wide, scale));
    return fx_convert(fx_select(is_above, above, below), x->shape.dtype);
}

/* The fixed point of G. Klambauer et al., Self-Normalizing Neural Networks, equation 2. */
fx_node *fx_selu(fx_node *x) {
    return exponential("fx_selu", x, 1.0507009873554805, 1.6732632423543772, 1);
}
fx_node *fx_elu(fx_node *x) {
    return exponential("fx_elu", x, 1, 1, 1);
}
fx_node *fx_elu_with(fx_node *x, double alpha) {
    return exponential("fx_elu_with", x, 1, alpha, 1);
}

static fx_node *celu(const char *name, fx_node *x, double alpha) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, &x, 1)) return b.stop;
    if (alpha == 0) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "alpha is 0");
    return exponential(name, x, 1, alpha, alpha);
}

fx_node *fx_celu(fx_node *x) {
    return celu("fx_celu", x, 1);
}
fx_node *fx_celu_with(fx_node *x, double alpha) {
    return celu("fx_celu_with", x, alpha);
}

static fx_node *swish(const char *name, fx_node *x) {
    fxi_build b;
    fx_node *wide;
    if (!begin_activation(&b, name, x, &wide)) return b.stop;
    return fx_convert(fx_mul(wide, fx_logistic(wide)), x->shape.dtype);
}

fx_node *fx_swish(fx_node *x) {
    return swish("fx_swish", x);
}
fx_node *fx_silu(fx_node *x) {
    return swish("fx_silu", x);
}

/* ---- gelu, a composite (fx.gelu): its one setting says whether it is the approximation ---- */

static void gelu_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    fxi_build b;
    (void)n_in, (void)n_out;
    if (!fxi_build_begin_leaf(&b, ((const fxi_build *)user)->name, graph)) return;
    fx_node *wide = fxi_build_wide(in[0]);
    fx_node *tail = fx_erfc(fx_mul(wide, number(&b, wide, -0.70710678118654752440)));
    out[0] = fx_convert(fx_mul(fx_mul(wide, number(&b, wide, 0.5)), tail), in[0]->shape.dtype);
}

/* (1 + tanh u) / 2 = logistic(2 u), and 2 sqrt(2 / pi) = 1.5957691216... */
static void approximate_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                             void *user) {
    fxi_build b;
    (void)n_in, (void)n_out;
    if (!fxi_build_begin_leaf(&b, ((const fxi_build *)user)->name, graph)) return;
    fx_node *wide = fxi_build_wide(in[0]);
    fx_node *square = fx_mul(fx_square(wide), number(&b, wide, 0.044715 * 1.5957691216057307));
    fx_node *argument = fx_mul(wide, fx_add(square, number(&b, wide, 1.5957691216057307)));
    out[0] = fx_convert(fx_mul(wide, fx_logistic(argument)), in[0]->shape.dtype);
}

static fx_node *gelu(const char *name, fx_node *x, fx_fn body) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_floats(&b, x, "activation", FX_OP_ERF)) return b.stop;
    const int64_t is_approximate = body == approximate_body;
    const fxi_composite composite = {
        .name = "fx.gelu", .settings = &is_approximate, .n_settings = 1, .forward = body, .user = &b};
    return fxi_build_composite(&b, &composite, (fx_nodes){&x, 1}, 1);
}

fx_node *fx_gelu(fx_node *x) {
    return gelu("fx_gelu", x, gelu_body);
}
fx_node *fx_gelu_approximate(fx_node *x) {
    return gelu("fx_gelu_approximate", x, approximate_body);
}

fx_node *fx_log_sigmoid(fx_node *x) {
    fxi_build b;
    fx_node *wide;
    if (!begin_activation(&b, "fx_log_sigmoid", x, &wide)) return b.stop;
    return fx_convert(fx_neg(fx_softplus(fx_neg(wide))), x->shape.dtype);
}

fx_node *fx_mish(fx_node *x) {
    fxi_build b;
    fx_node *wide;
    if (!begin_activation(&b, "fx_mish", x, &wide)) return b.stop;
    return fx_convert(fx_mul(wide, fx_tanh(fx_softplus(wide))), x->shape.dtype);
}

/* One half of the last axis times the logistic function of the other, which swi_glu multiplies by, too. */
static fx_node *gated(const char *name, fx_node *x, bool is_swish) {
    fxi_build b;
    fx_node *wide;
    if (!begin_activation(&b, name, x, &wide)) return b.stop;
    int64_t dim = fx_node_dim(x, -1);
    if (dim < 0 || dim % 2 != 0)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "the last axis of %s has no two halves",
                                fx_shape_to_text(&x->shape).s);
    fx_node *first = fx_slice_axis(wide, -1, 0, dim / 2, 1),
            *second = fx_slice_axis(wide, -1, dim / 2, dim, 1);
    fx_node *y = is_swish ? fx_mul(fx_mul(first, fx_logistic(first)), second)
                          : fx_mul(first, fx_logistic(second));
    return fx_convert(y, x->shape.dtype);
}

fx_node *fx_swi_glu(fx_node *x) {
    return gated("fx_swi_glu", x, true);
}
fx_node *fx_glu(fx_node *x) {
    return gated("fx_glu", x, false);
}

/* ---- by number and by name ---- */

static const struct entry {
    const char *name;
    fx_node *(*apply)(fx_node *x);
} entries[] = {
    [FX_ACTIVATION_NONE] = {"none", fx_identity},
    [FX_ACTIVATION_RELU] = {"relu", fx_relu},
    [FX_ACTIVATION_SIGMOID] = {"sigmoid", fx_sigmoid},
    [FX_ACTIVATION_HARD_SIGMOID] = {"hard_sigmoid", fx_hard_sigmoid},
    [FX_ACTIVATION_LEAKY_RELU] = {"leaky_relu", fx_leaky_relu},
    [FX_ACTIVATION_SELU] = {"selu", fx_selu},
    [FX_ACTIVATION_SWISH] = {"swish", fx_swish},
    [FX_ACTIVATION_HARD_SWISH] = {"hard_swish", fx_hard_swish},
    [FX_ACTIVATION_SILU] = {"silu", fx_silu},
    [FX_ACTIVATION_TANH] = {"tanh", fx_tanh},
    [FX_ACTIVATION_GELU] = {"gelu", fx_gelu},
    [FX_ACTIVATION_GELU_APPROXIMATE] = {"gelu_approximate", fx_gelu_approximate},
    [FX_ACTIVATION_SWI_GLU] = {"swi_glu", fx_swi_glu},
    [FX_ACTIVATION_ELU] = {"elu", fx_elu},
    [FX_ACTIVATION_CELU] = {"celu", fx_celu},
    [FX_ACTIVATION_SOFTPLUS] = {"softplus", fx_softplus},
    [FX_ACTIVATION_LOG_SIGMOID] = {"log_sigmoid", fx_log_sigmoid},
    [FX_ACTIVATION_MISH] = {"mish", fx_mish},
    [FX_ACTIVATION_HARD_TANH] = {"hard_tanh", fx_hard_tanh},
    [FX_ACTIVATION_RELU6] = {"relu6", fx_relu6},
    [FX_ACTIVATION_SOFTSIGN] = {"softsign", fx_softsign},
    [FX_ACTIVATION_GLU] = {"glu", fx_glu},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

fx_node *fx_activate(fx_node *x, fx_activation activation) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_activate", &x, 1)) return b.stop;
    if ((unsigned)activation >= ENTRIES)
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "there is no activation %d", (int)activation);
    return entries[activation].apply(x);
}

const char *fx_activation_name(fx_activation activation) {
    return (unsigned)activation < ENTRIES ? entries[activation].name : NULL;
}

/* Equal but for case and underscores. */
static bool is_name(const char *given, const char *name) {
    for (;; given++, name++) {
        while (*given == '_') given++;
        while (*name == '_') name++;
        if (tolower((unsigned char)*given) != *name) return false;
        if (!*name) return true;
    }
}

bool fx_activation_parse(const char *name, fx_activation *activation) {
    static const struct {
        const char *name;
        fx_activation activation;
    } others[] = {{"", FX_ACTIVATION_NONE},
                  {"gelu_approx", FX_ACTIVATION_GELU_APPROXIMATE},
                  {"gelu_pytorch_tanh", FX_ACTIVATION_GELU_APPROXIMATE}};
    if (!name || !activation) return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!is_name(name, others[i].name)) continue;
        *activation = others[i].activation;
        return true;
    }
    for (int i = 0; i < ENTRIES; i++) {
        if (!is_name(name, entries[i].name)) continue;
        *activation = (fx_activation)i;
        return true;
    }
    return false;
}
