/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of circular and hyperbolic functions and their inverses. Differences of squares are factored,
 * 1 - x^2 = (1 - x)(1 + x), which is exact near the ends of the domain and cannot overflow where the roots
 * are taken apart. Complex: the principal branches, on the cuts continuous from the side that the sign of
 * the zero says. */
#include "grad_internal.h"

/* ---- circular and hyperbolic functions ---- */

static fx_node *d_sin(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)b, (void)y;
    return fx_cos(x);
}
FXI_UNARY_RULE(sin, d_sin)

static fx_node *d_cos(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)b, (void)y;
    return fx_neg(fx_sin(x));
}
FXI_UNARY_RULE(cos, d_cos)

static fx_node *d_tan(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)x;
    return fx_add(fxi_grad_number(b, y, 1), fx_mul(y, y));
}
FXI_UNARY_RULE(tan, d_tan)

static fx_node *d_sinh(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)b, (void)y;
    return fx_cosh(x);
}
FXI_UNARY_RULE(sinh, d_sinh)

static fx_node *d_cosh(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)b, (void)y;
    return fx_sinh(x);
}
FXI_UNARY_RULE(cosh, d_cosh)

static fx_node *d_tanh(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)x;
    return fx_sub(fxi_grad_number(b, y, 1), fx_mul(y, y));
}
FXI_UNARY_RULE(tanh, d_tanh)

/* ---- inverses ---- */

/* 1, for a complex x as 1 - 0i: then 1 + x keeps the sign of x's imaginary zero and 1 - x turns it round. */
static fx_node *one_like(const fxi_build *b, const fx_node *x) {
    return fxi_grad_conj(fxi_grad_number(b, x, 1));
}

/* i x, exactly. */
static fx_node *times_i(fx_node *x) {
    return fx_complex(fx_neg(fx_imag(x)), fx_real(x));
}

static bool is_complex(const fx_node *x) {
    return fx_dtype_is_complex(x->shape.dtype);
}

/* 1 / (sqrt(1 - x) sqrt(1 + x)) */
static fx_node *inverse_circle(const fxi_build *b, fx_node *x) {
    fx_node *one = one_like(b, x), *minus = fx_sub(one, x), *plus = fx_add(one, x);
    if (is_complex(x)) return fx_mul(fx_rsqrt(minus), fx_rsqrt(plus));
    return fx_rsqrt(fx_mul(minus, plus));
}

/* 1 / ((1 - x)(1 + x)) */
static fx_node *inverse_difference(const fxi_build *b, fx_node *x) {
    fx_node *one = one_like(b, x), *minus = fx_sub(one, x), *plus = fx_add(one, x);
    if (is_complex(x)) return fx_mul(fx_reciprocal(minus), fx_reciprocal(plus));
    return fx_reciprocal(fx_mul(minus, plus));
}

static fx_node *d_asin(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)y;
    return inverse_circle(b, x);
}
FXI_UNARY_RULE(asin, d_asin)

static fx_node *d_acos(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)y;
    return fx_neg(inverse_circle(b, x));
}
FXI_UNARY_RULE(acos, d_acos)

static fx_node *d_atan(const fxi_build *b, fx_node *x, fx_node *y) {
    fx_node *one = fxi_grad_number(b, x, 1);
    (void)y;
    if (is_complex(x)) return inverse_difference(b, times_i(x));
    return fx_div(one, fx_add(one, fx_mul(x, x)));
}
FXI_UNARY_RULE(atan, d_atan)

/* The square of a large real x would overflow long before 1 / x vanishes. */
static fx_node *d_asinh(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)y;
    if (is_complex(x)) return inverse_circle(b, times_i(x));
    return fx_reciprocal(fx_hypot(fxi_grad_number(b, x, 1), x));
}
FXI_UNARY_RULE(asinh, d_asinh)

static fx_node *d_acosh(const fxi_build *b, fx_node *x, fx_node *y) {
    fx_node *one = fxi_grad_number(b, x, 1);
    (void)y;
    return fx_mul(fx_rsqrt(fx_sub(x, one)), fx_rsqrt(fx_add(one_like(b, x), x)));
}
FXI_UNARY_RULE(acosh, d_acosh)

static fx_node *d_atanh(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)y;
    return inverse_difference(b, x);
}
FXI_UNARY_RULE(atanh, d_atanh)

/* ---- angle and distance ---- At the origin both have derivative 0, as norms do. */

/* y / (x^2 + y^2) for the angle by x, and so on: without squares that overflow. */
static fx_node *over_square(fx_node *numerator, fx_node *x, fx_node *y) {
    if (is_complex(x)) return fx_div(numerator, fx_add(fx_mul(x, x), fx_mul(y, y)));
    fx_node *radius = fx_hypot(x, y);
    return fx_strong_div(fx_strong_div(numerator, radius), radius);
}

static fx_node *partial_atan2(const fxi_build *b, fx_node *n, uint32_t i) {
    fx_node *y = fxi_build_wide(n->operands[0]), *x = fxi_build_wide(n->operands[1]);
    (void)b;
    return fx_convert(i == 0 ? over_square(x, x, y) : fx_neg(over_square(y, x, y)), n->shape.dtype);
}
const fxi_grad_rule fxi_gradrule_atan2 = {.partial = partial_atan2};

static fx_node *partial_hypot(const fxi_build *b, fx_node *n, uint32_t i) {
    (void)b;
    return fx_strong_div(n->operands[i], n);
}
const fxi_grad_rule fxi_gradrule_hypot = {.partial = partial_hypot};
