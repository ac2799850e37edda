/* SPDX-License-Identifier: Apache-2.0 */
/* Complex exponential and its kin: products of a real exponential function of one part with a circular one
 * of the other.
 *
 * Where the exponential overflows but the product need not (true doubles only) it is multiplied in as two
 * square roots. The selects after the formulas give C's values where the formulas make NaN of 0 times
 * infinity. */
#include "emit_complex_internal.h"

static fxi_ir not_finite(fxi_complex *c, fxi_ir a) {
    return ir_not(c->e, c_less(c, c_abs(c, a), c_real(c, (double)INFINITY)));
}

/* e^x times factor, for x where e^x alone may overflow. */
static fxi_ir exp_times(fxi_complex *c, fxi_ir x, fxi_ir e_to_x, fxi_ir factor) {
    fxi_ir plain = c_mul(c, e_to_x, factor);
    if (!c->wide_range) return plain;
    fxi_ir root = c_math(c, FXI_MATH_EXP, c_scale(c, 0.5, x));
    return c_select(c, c_greater(c, x, c_real(c, 700.0)), c_mul(c, c_mul(c, root, factor), root), plain);
}

fxi_value fxi_complex_exp(fxi_complex *c, const fxi_value *z) {
    fxi_ir x = z->re, y = z->im, zero = c_real(c, 0.0), e_to_x = c_math(c, FXI_MATH_EXP, x),
           bad = not_finite(c, y);
    fxi_ir re = exp_times(c, x, e_to_x, c_math(c, FXI_MATH_COS, y));
    fxi_ir im = exp_times(c, x, e_to_x, c_math(c, FXI_MATH_SIN, y));
    im = c_select(c, c_is(c, y, 0.0), y, im);
    fxi_ir vanishes = ir_and(c->e, bad, c_is(c, x, -(double)INFINITY));
    fxi_ir explodes = ir_and(c->e, bad, c_is(c, x, (double)INFINITY));
    re = c_select(c, vanishes, zero, c_select(c, explodes, x, re));
    return (fxi_value){re, c_select(c, vanishes, zero, im)};
}

/* e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2) */
fxi_value fxi_complex_expm1(fxi_complex *c, const fxi_value *z) {
    fxi_ir x = z->re, y = z->im, cosine = c_math(c, FXI_MATH_COS, y), less_one = c_math(c, FXI_MATH_EXPM1, x);
    fxi_ir half = c_math(c, FXI_MATH_SIN, c_scale(c, 0.5, y));
    fxi_ir re = c_sub(c, exp_times(c, x, less_one, cosine), c_scale(c, 2.0, c_mul(c, half, half)));
    fxi_ir im = exp_times(c, x, c_math(c, FXI_MATH_EXP, x), c_math(c, FXI_MATH_SIN, y));
    fxi_value real = {less_one, y};
    return c_select_both(c, c_is(c, y, 0.0), real, (fxi_value){re, im});
}

/* Replaces the circular factor by 1 where x is infinite and y is no number: the part is then infinite. */
static fxi_ir or_one(fxi_complex *c, fxi_ir x, fxi_ir bad, fxi_ir factor) {
    return c_select(c, ir_and(c->e, bad, c_is_infinite(c, x)), c_real(c, 1.0), factor);
}

/* function(x) times factor, where the function behaves as e^|x| / 2 with the sign of `sign` (NULL: +) for
 * large |x|. */
static fxi_ir hyperbolic_times(fxi_complex *c, fxi_math fn, fxi_ir x, fxi_ir sign, fxi_ir factor) {
    fxi_ir plain = c_mul(c, c_math(c, fn, x), factor);
    if (!c->wide_range) return plain;
    fxi_ir size = c_abs(c, x), root = c_math(c, FXI_MATH_EXP, c_scale(c, 0.5, size));
    fxi_ir half = c_scale(c, 0.5, root);
    if (sign != NULL) half = c_sign_of(c, half, sign);
    return c_select(c, c_greater(c, size, c_real(c, 700.0)), c_mul(c, c_mul(c, root, factor), half), plain);
}

fxi_value fxi_complex_sinh(fxi_complex *c, const fxi_value *z) {
    fxi_ir x = z->re, y = z->im, bad = not_finite(c, y);
    fxi_ir cosine = or_one(c, x, bad, c_math(c, FXI_MATH_COS, y)), sine = c_math(c, FXI_MATH_SIN, y);
    fxi_ir re = hyperbolic_times(c, FXI_MATH_SINH, x, x, cosine);
    fxi_ir im = hyperbolic_times(c, FXI_MATH_COSH, x, NULL, sine);
    re = c_select(c, ir_and(c->e, bad, c_is(c, x, 0.0)), x, re);
    return (fxi_value){re, c_select(c, c_is(c, y, 0.0), y, im)};
}

fxi_value fxi_complex_cosh(fxi_complex *c, const fxi_value *z) {
    fxi_ir x = z->re, y = z->im, bad = not_finite(c, y);
    fxi_ir cosine = or_one(c, x, bad, c_math(c, FXI_MATH_COS, y)), sine = c_math(c, FXI_MATH_SIN, y);
    fxi_ir re = hyperbolic_times(c, FXI_MATH_COSH, x, NULL, cosine);
    fxi_ir im = hyperbolic_times(c, FXI_MATH_SINH, x, x, sine);
    im = c_select(c, ir_and(c->e, bad, c_is(c, x, 0.0)), x, im);
    return (fxi_value){re, c_select(c, c_is(c, y, 0.0), c_mul(c, y, c_sign_of(c, c_real(c, 1.0), x)), im)};
}

/* Kahan's formula, free of cancellation: with t = tan y, s = sinh x, beta = 1 + t^2 the parts are
 * beta s sqrt(1 + s^2) and t over 1 + beta s^2. From |x| = 22 on the real part is 1 to the last bit. */
fxi_value fxi_complex_tanh(fxi_complex *c, const fxi_value *z) {
    fxi_ir x = z->re, y = z->im, one = c_real(c, 1.0), zero = c_real(c, 0.0), bad = not_finite(c, y);
    fxi_ir t = c_math(c, FXI_MATH_TAN, y), s = c_math(c, FXI_MATH_SINH, x),
           beta = c_add(c, one, c_mul(c, t, t));
    fxi_ir s2 = c_mul(c, s, s), below = c_add(c, one, c_mul(c, beta, s2));
    fxi_value near = {c_div(c, c_mul(c, c_mul(c, beta, c_sqrt(c, c_add(c, one, s2))), s), below),
                      c_div(c, t, below)};
    fxi_ir decay = c_math(c, FXI_MATH_EXP, c_scale(c, -2.0, c_abs(c, x)));
    fxi_value far = {c_sign_of(c, one, x), c_mul(c, c_scale(c, 4.0, c_div(c, t, beta)), decay)};
    fxi_value r = c_select_both(c, c_greater(c, c_abs(c, x), c_real(c, 22.0)), far, near);
    fxi_ir infinite = c_is_infinite(c, x);
    r.re = c_select(c, ir_and(c->e, bad, ir_not(c->e, infinite)), t, r.re);
    r.re = c_select(c, c_is(c, x, 0.0), x, r.re);
    r.im = c_select(c, ir_and(c->e, bad, infinite), zero, r.im);
    return (fxi_value){r.re, c_select(c, c_is(c, y, 0.0), y, r.im)};
}

/* f(z) = -i g(iz) for the circular functions, cos z = cosh iz. */
fxi_value fxi_complex_sin(fxi_complex *c, const fxi_value *z) {
    fxi_value turned = c_turn_left(c, *z);
    return c_turn_right(c, fxi_complex_call(c, FX_OP_SINH, &turned));
}

fxi_value fxi_complex_cos(fxi_complex *c, const fxi_value *z) {
    fxi_value turned = c_turn_left(c, *z);
    return fxi_complex_call(c, FX_OP_COSH, &turned);
}

fxi_value fxi_complex_tan(fxi_complex *c, const fxi_value *z) {
    fxi_value turned = c_turn_left(c, *z);
    return c_turn_right(c, fxi_complex_call(c, FX_OP_TANH, &turned));
}

/* 1 / (1 + e^-z), or e^z / (1 + e^z) where e^-z would overflow. */
fxi_value fxi_complex_logistic(fxi_complex *c, const fxi_value *z) {
    fxi_ir one = c_real(c, 1.0), zero = c_real(c, 0.0), left = c_less(c, z->re, zero);
    fxi_value inner = c_select_both(c, left, *z, (fxi_value){c_neg(c, z->re), c_neg(c, z->im)});
    fxi_value w = fxi_complex_call(c, FX_OP_EXP, &inner);
    const fxi_value pair[2] = {c_select_both(c, left, w, (fxi_value){one, zero}),
                               {c_add(c, one, w.re), w.im}};
    return fxi_complex_call(c, FX_OP_DIV, pair);
}
