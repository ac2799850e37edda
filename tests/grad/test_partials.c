/* SPDX-License-Identifier: Apache-2.0 */
/* Every elementwise operation that has derivatives, in float64 and complex128 where it takes them, to second
 * order, over shapes with none, one and several elements. The domains keep away from kinks and poles; what
 * happens there is in test_partials_awkward.c. */
#include "support/derivatives.h"
#include "support/graph_helpers.h"
#include <stdio.h>

typedef fx_node *(*one_fn)(fx_node *);
typedef fx_node *(*two_fn)(fx_node *, fx_node *);

static fx_node *square_by_pow(fx_node *x) {
    return fx_pow_scalar(x, 2);
}
static fx_node *power_of_number(fx_node *x) {
    return fx_pow_scalar(x, -2.5);
}
static fx_node *number_to_power(fx_node *x) {
    return fx_pow(fx_scalar(x->graph, x->shape.dtype, 1.75), x);
}
static fx_node *leaky_relu(fx_node *x) {
    return fx_leaky_relu_with(x, 0.25);
}
static fx_node *clip(fx_node *x) {
    return fx_clip_scalar(x, -5, 5);
}
static fx_node *mod(fx_node *x) {
    return fx_mod_scalar(x, 5);
}
static fx_node *chosen(fx_node *x) {
    return fx_select(fx_is_positive(x), fx_exp(x), fx_mul(x, x));
}
static fx_node *clamped(fx_node *x) {
    return fx_clamp(fx_sin(x), x, fx_exp(x));
}

typedef struct unary {
    const char *name;
    one_fn make;
    double low, high;
    double complex_low, complex_high; /* both parts; equal: not for complex numbers */
    double tolerance, step;
} unary;

static const unary unaries[] = {
    {.name = "abs", .make = fx_abs, .low = 0.2, .high = 2, .complex_low = 0.3, .complex_high = 2},
    {.name = "abs of negative", .make = fx_abs, .low = -2, .high = -0.2},
    {.name = "sign", .make = fx_sign, .low = 0.2, .high = 2, .complex_low = 0.3, .complex_high = 2},
    {.name = "neg", .make = fx_neg, .low = -2, .high = 2, .complex_low = -2, .complex_high = 2},
    {.name = "floor", .make = fx_floor, .low = 0.1, .high = 0.9},
    {.name = "exp", .make = fx_exp, .low = -2, .high = 2, .complex_low = -2, .complex_high = 2},
    {.name = "expm1", .make = fx_expm1, .low = -2, .high = 2, .complex_low = -2, .complex_high = 2},
    {.name = "exp2", .make = fx_exp2, .low = -2, .high = 2},
    {.name = "log", .make = fx_log, .low = 0.4, .high = 3, .complex_low = 0.4, .complex_high = 2},
    {.name = "log1p", .make = fx_log1p, .low = -0.5, .high = 2, .complex_low = -0.5, .complex_high = 2},
    {.name = "log2", .make = fx_log2, .low = 0.4, .high = 3},
    {.name = "log10", .make = fx_log10, .low = 0.4, .high = 3},
    {.name = "sqrt", .make = fx_sqrt, .low = 0.4, .high = 3, .complex_low = 0.4, .complex_high = 2},
    {.name = "rsqrt", .make = fx_rsqrt, .low = 0.4, .high = 3, .complex_low = 0.4, .complex_high = 2},
    {.name = "cbrt", .make = fx_cbrt, .low = -3, .high = -0.4},
    {.name = "sin", .make = fx_sin, .low = -2, .high = 2, .complex_low = -2, .complex_high = 2},
    {.name = "cos", .make = fx_cos, .low = -2, .high = 2, .complex_low = -2, .complex_high = 2},
    {.name = "tan", .make = fx_tan, .low = -1, .high = 1, .complex_low = -1, .complex_high = 1},
    {.name = "asin", .make = fx_asin, .low = -0.8, .high = 0.8, .complex_low = -2, .complex_high = -0.3},
    {.name = "acos", .make = fx_acos, .low = -0.8, .high = 0.8, .complex_low = 0.3, .complex_high = 2},
    {.name = "atan", .make = fx_atan, .low = -2, .high = 2, .complex_low = 0.3, .complex_high = 2},
    {.name = "sinh", .make = fx_sinh, .low = -2, .high = 2, .complex_low = -2, .complex_high = 2},
    {.name = "cosh", .make = fx_cosh, .low = -2, .high = 2, .complex_low = -2, .complex_high = 2},
    {.name = "tanh", .make = fx_tanh, .low = -2, .high = 2, .complex_low = -1, .complex_high = 1},
    {.name = "asinh", .make = fx_asinh, .low = -2, .high = 2, .complex_low = 0.3, .complex_high = 2},
    {.name = "acosh", .make = fx_acosh, .low = 1.3, .high = 3, .complex_low = -2, .complex_high = -0.3},
    {.name = "atanh", .make = fx_atanh, .low = -0.8, .high = 0.8, .complex_low = 0.3, .complex_high = 2},
    {.name = "logistic", .make = fx_logistic, .low = -3, .high = 3, .complex_low = -1, .complex_high = 1},
    {.name = "erf", .make = fx_erf, .low = -2, .high = 2},
    {.name = "erfc", .make = fx_erfc, .low = -2, .high = 2},
    {.name = "erf_inv", .make = fx_erf_inv, .low = -0.7, .high = 0.7},
    {.name = "lgamma", .make = fx_lgamma, .low = 0.6, .high = 5},
    {.name = "lgamma of negative", .make = fx_lgamma, .low = -1.7, .high = -1.3},
    {.name = "digamma", .make = fx_digamma, .low = 0.6, .high = 5},
    {.name = "digamma of negative", .make = fx_digamma, .low = -1.6, .high = -1.4, .tolerance = 1e-5},
    {.name = "bessel_i0e", .make = fx_bessel_i0e, .low = 0.1, .high = 4},
    {.name = "bessel_i1e", .make = fx_bessel_i1e, .low = -4, .high = -0.1},
    {.name = "bessel_i0e afar", .make = fx_bessel_i0e, .low = 31, .high = 60},
    {.name = "bessel_i1e afar", .make = fx_bessel_i1e, .low = -60, .high = -31},
    {.name = "bessel_i1e near 0", .make = fx_bessel_i1e, .low = 0.01, .high = 0.9},
    {.name = "square by pow", .make = square_by_pow, .low = -2, .high = 2},
    {.name = "power -2.5", .make = power_of_number, .low = 0.5, .high = 2},
    {.name = "1.75 to a power",
     .make = number_to_power,
     .low = -2,
     .high = 2,
     .complex_low = -1,
     .complex_high = 1},
    {.name = "select", .make = chosen, .low = 0.1, .high = 2},
    {.name = "other select", .make = chosen, .low = -2, .high = -0.1},
    {.name = "clamp at low", .make = clamped, .low = -2, .high = -0.5},
    {.name = "clamp inside", .make = clamped, .low = 0.2, .high = 0.6},
    {.name = "clip", .make = clip, .low = -2, .high = 2},
    {.name = "mod", .make = mod, .low = -2, .high = -0.5},
    {.name = "mirrored_log1p", .make = fx_mirrored_log1p, .low = -2, .high = -0.1},
    {.name = "softplus", .make = fx_softplus, .low = -3, .high = 3},
    {.name = "relu", .make = fx_relu, .low = 0.1, .high = 3},
    {.name = "relu of negative", .make = fx_relu, .low = -3, .high = -0.1},
    {.name = "leaky_relu", .make = leaky_relu, .low = -3, .high = -0.1},
    {.name = "hard_sigmoid", .make = fx_hard_sigmoid, .low = -2, .high = 2},
    {.name = "hard_swish", .make = fx_hard_swish, .low = -2, .high = 2},
    {.name = "selu", .make = fx_selu, .low = -3, .high = -0.1},
    {.name = "elu", .make = fx_elu, .low = -3, .high = -0.1},
    {.name = "swish", .make = fx_swish, .low = -3, .high = 3},
    {.name = "gelu", .make = fx_gelu, .low = -3, .high = 3},
    {.name = "gelu_approximate", .make = fx_gelu_approximate, .low = -3, .high = 3},
    {.name = "real", .make = fx_real, .complex_low = -2, .complex_high = 2},
    {.name = "imag", .make = fx_imag, .complex_low = -2, .complex_high = 2},
    {.name = "conj", .make = fx_conj, .complex_low = -2, .complex_high = 2},
};

typedef struct binary {
    const char *name;
    two_fn make;
    double low[2], high[2];
    bool is_complex; /* takes complex numbers too */
} binary;

static const binary binaries[] = {
    {"add", fx_add, {-2, -2}, {2, 2}, true},
    {"sub", fx_sub, {-2, -2}, {2, 2}, true},
    {"mul", fx_mul, {-2, -2}, {2, 2}, true},
    {"div", fx_div, {-2, 0.5}, {2, 2}, true},
    {"rem", fx_rem, {3.2, 1.5}, {3.9, 1.55}, false},
    {"rem of negative", fx_rem, {-3.9, 1.5}, {-3.2, 1.55}, false},
    {"pow", fx_pow, {0.4, -2}, {3, 3}, true},
    {"max", fx_max, {-2, 0.1}, {-0.1, 2}, false},
    {"min", fx_min, {-2, 0.1}, {-0.1, 2}, false},
    {"atan2", fx_atan2, {0.3, -2}, {2, 2}, false},
    {"complex atan2", fx_atan2, {0.8, 0.1}, {1.3, 0.3}, true},
    {"hypot", fx_hypot, {0.3, -2}, {2, 2}, false},
    {"copysign", fx_copysign, {0.3, -2}, {2, -0.1}, false},
    {"nextafter", fx_nextafter, {0.3, -2}, {0.4, -0.1}, false},
    {"complex", fx_complex, {-2, -2}, {2, 2}, false},
    {"log_add_exp", fx_log_add_exp, {-2, -2}, {2, 2}, false},
    {"strong_mul", fx_strong_mul, {0.2, -2}, {2, 2}, true},
    {"strong_div", fx_strong_div, {0.2, 0.5}, {2, 2}, true},
};

enum { UNARIES = sizeof unaries / sizeof *unaries, BINARIES = sizeof binaries / sizeof *binaries };

static void unary_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = ((const unary *)user)->make(in[0]);
}

static void binary_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = ((const binary *)user)->make(in[0], in[1]);
}

static const int64_t square[] = {2, 3}, row[] = {1, 3}, empty[] = {3, 0, 2}, one[] = {1};
#define DIMS(list) ((fx_dims){list, sizeof(list) / sizeof *(list)})

static fx_tensor *within(fx_dtype dtype, fx_dims dims, double low, double high, unsigned seed) {
    return random_values(dtype, dims, low, high, seed);
}

static void check_unary(const unary *u, fx_dtype dtype, double low, double high) {
    const fx_dims shapes[] = {DIMS(square), DIMS(empty), DIMS(one), {NULL, 0}};
    char name[100];
    snprintf(name, sizeof name, "%s of %s", u->name, fx_dtype_name(dtype));
    for (int k = 0; k < 4; k++)
        check_derivatives(&(derivative_case){.name = name,
                                             .fn = unary_fn,
                                             .user = (void *)u,
                                             .n_in = 1,
                                             .n_out = 1,
                                             .in = {within(dtype, shapes[k], low, high, (unsigned)k + 1)},
                                             .order = k == 0 ? 2 : 1,
                                             .tolerance = u->tolerance,
                                             .step = u->step});
}

static void test_unary(void **state) {
    (void)state;
    for (int i = 0; i < UNARIES; i++) {
        const unary *u = &unaries[i];
        if (u->low < u->high) check_unary(u, FX_F64, u->low, u->high);
        if (u->complex_low < u->complex_high) check_unary(u, FX_C128, u->complex_low, u->complex_high);
    }
}

static void check_binary(const binary *u, fx_dtype dtype) {
    const fx_dims shapes[][2] = {{DIMS(square), DIMS(square)},
                                 {DIMS(row), DIMS(row)},
                                 {DIMS(empty), DIMS(empty)},
                                 {DIMS(one), DIMS(one)}};
    char name[100];
    snprintf(name, sizeof name, "%s of %s", u->name, fx_dtype_name(dtype));
    for (int k = 0; k < 4; k++)
        check_derivatives(
            &(derivative_case){.name = name,
                               .fn = binary_fn,
                               .user = (void *)u,
                               .n_in = 2,
                               .n_out = 1,
                               .in = {within(dtype, shapes[k][0], u->low[0], u->high[0], (unsigned)k + 1),
                                      within(dtype, shapes[k][1], u->low[1], u->high[1], (unsigned)k + 9)},
                               .order = k == 0 ? 2 : 1});
}

/* ---- narrower dtypes: few roundings of float32 arithmetic, one of a half's ---- */

static const fx_dtype narrow[] = {FX_F32, FX_F16, FX_BF16};

static void test_narrow_unary(void **state) {
    (void)state;
    for (int i = 0; i < UNARIES; i++) {
        const unary *u = &unaries[i];
        derivative_case c = {.name = u->name, .fn = unary_fn, .user = (void *)u, .n_in = 1, .n_out = 1};
        for (int k = 0; k < 3 && u->low < u->high; k++) {
            c.in[0] = within(FX_F64, DIMS(square), u->low, u->high, 5);
            check_narrow_derivatives(&c, narrow[k], 16);
        }
        if (u->complex_low >= u->complex_high) continue;
        c.in[0] = within(FX_C128, DIMS(square), u->complex_low, u->complex_high, 5);
        check_narrow_derivatives(&c, FX_C64, 16);
    }
}

static void test_narrow_binary(void **state) {
    (void)state;
    for (int i = 0; i < BINARIES; i++) {
        const binary *u = &binaries[i];
        derivative_case c = {.name = u->name, .fn = binary_fn, .user = (void *)u, .n_in = 2, .n_out = 1};
        for (int k = 0; k < 4; k++) {
            fx_dtype dtype = k == 3 ? FX_C128 : FX_F64;
            if ((k == 3 && !u->is_complex) || (k > 0 && u->make == fx_complex)) continue;
            for (int j = 0; j < 2; j++)
                c.in[j] = within(dtype, DIMS(square), u->low[j], u->high[j], (unsigned)j + 5);
            check_narrow_derivatives(&c, k == 3 ? FX_C64 : narrow[k], 32);
        }
    }
}

static void test_binary(void **state) {
    (void)state;
    for (int i = 0; i < BINARIES; i++) {
        check_binary(&binaries[i], FX_F64);
        if (binaries[i].is_complex) check_binary(&binaries[i], FX_C128);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unary), cmocka_unit_test(test_binary),
                                       cmocka_unit_test(test_narrow_unary),
                                       cmocka_unit_test(test_narrow_binary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
