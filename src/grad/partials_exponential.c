/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of exponentials, logarithms, roots and powers. Each formula keeps its relative accuracy over
 * the whole domain, unless only the absolute one is lost where the function is flat; the result y is used
 * where that costs none. */
#include "grad_internal.h"

/* ---- exponentials ---- */

static fx_node *d_exp(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)b, (void)x;
    return y;
}
FXI_UNARY_RULE(exp, d_exp)

/* Not y + 1, which has few digits left where y is near -1. */
static fx_node *d_expm1(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)b, (void)y;
    return fx_exp(x);
}
FXI_UNARY_RULE(expm1, d_expm1)

static fx_node *d_exp2(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)x;
    return fx_mul(y, fxi_grad_number(b, y, 0.69314718055994530942)); /* log 2 */
}
FXI_UNARY_RULE(exp2, d_exp2)

/* t / (1 + t)^2 with t = e^-|x|, whose relative accuracy y (1 - y) lacks; |x| by a select, whose derivative
 * at 0 is not 0. Complex: y(x) y(-x). */
static fx_node *d_logistic(const fxi_build *b, fx_node *x, fx_node *y) {
    fx_node *negative = fx_neg(x);
    if (fx_dtype_is_complex(x->shape.dtype)) return fx_mul(y, fx_logistic(negative));
    fx_node *t = fx_exp(fx_select(fx_less(x, fxi_grad_number(b, x, 0)), x, negative));
    fx_node *sum = fx_add(fxi_grad_number(b, x, 1), t);
    return fx_div(t, fx_mul(sum, sum));
}
FXI_UNARY_RULE(logistic, d_logistic)

/* ---- logarithms ---- */

static fx_node *d_log(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)y;
    return fx_div(fxi_grad_number(b, x, 1), x);
}
FXI_UNARY_RULE(log, d_log)

static fx_node *d_log1p(const fxi_build *b, fx_node *x, fx_node *y) {
    fx_node *one = fxi_grad_number(b, x, 1);
    (void)y;
    return fx_div(one, fx_add(one, x));
}
FXI_UNARY_RULE(log1p, d_log1p)

static fx_node *d_log2(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)y;
    return fx_div(fxi_grad_number(b, x, 1.44269504088896340736), x); /* 1 / log 2 */
}
FXI_UNARY_RULE(log2, d_log2)

static fx_node *d_log10(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)y;
    return fx_div(fxi_grad_number(b, x, 0.43429448190325182765), x); /* 1 / log 10 */
}
FXI_UNARY_RULE(log10, d_log10)

/* ---- roots ---- */

static fx_node *d_sqrt(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)x;
    return fx_div(fxi_grad_number(b, y, 0.5), y);
}
FXI_UNARY_RULE(sqrt, d_sqrt)

/* -y^3 / 2: y^2 = 1 / x is in range whenever x is normal. */
static fx_node *d_rsqrt(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)x;
    return fx_mul(fx_mul(y, fxi_grad_number(b, y, -0.5)), fx_mul(y, y));
}
FXI_UNARY_RULE(rsqrt, d_rsqrt)

static fx_node *d_cbrt(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)x;
    return fx_div(fxi_grad_number(b, y, 1.0 / 3), fx_mul(y, y));
}
FXI_UNARY_RULE(cbrt, d_cbrt)

/* ---- powers ---- */

/* y x^(y - 1), and 0 for y = 0, also at x = 0. A constant exponent is worked out here, so that what it gives
 * is again a constant exponent. */
static fx_node *power_by_base(const fxi_build *b, fx_node *x, fx_node *y) {
    double exponent;
    if (!fxi_grad_splat(y, &exponent))
        return fx_strong_mul(y, fx_pow(x, fx_sub(y, fxi_grad_number(b, x, 1))));
    if (exponent == 0) return NULL;
    fx_node *factor = fxi_grad_number(b, x, exponent);
    if (exponent == 1) return factor;
    return fx_mul(factor, exponent == 2 ? x : fx_pow(x, fxi_grad_number(b, x, exponent - 1)));
}

/* n log x, by choice 0 at x = 0 and for negative x; 0 log inf counts as 0, its limit. The logarithm is taken
 * of 1 where it does not count, so that further derivatives are 0 there as well. */
static fx_node *power_by_exponent(const fxi_build *b, fx_node *n, fx_node *x) {
    fx_node *zero = fxi_grad_number(b, x, 0), *one = fxi_grad_number(b, x, 1);
    bool is_complex = fx_dtype_is_complex(x->shape.dtype);
    fx_node *is_flat = is_complex ? fx_equal(x, zero) : fx_less_or_equal(x, zero);
    return fx_select(is_flat, zero, fx_strong_mul(n, fx_log(fx_select(is_flat, one, x))));
}

static fx_node *partial_pow(const fxi_build *b, fx_node *n, uint32_t i) {
    fx_node *x = fxi_build_wide(n->operands[0]);
    fx_node *d = i == 0 ? power_by_base(b, x, fxi_build_wide(n->operands[1]))
                        : power_by_exponent(b, fxi_build_wide(n), x);
    return d ? fx_convert(d, n->shape.dtype) : NULL;
}
const fxi_grad_rule fxi_gradrule_pow = {.partial = partial_pow};
