/* SPDX-License-Identifier: Apache-2.0 */
/* Complex logarithm, power and the inverse functions. The inverses of sin, cos and their hyperbolic forms
 * follow Kahan ("Branch cuts for complex elementary functions", 1987): from the roots of 1 - z and 1 + z, in
 * combinations whose terms have equal signs, so nothing cancels and the sign of a zero part picks the side
 * of the cut. */
#include "emit_complex_internal.h"

#define RIGHT_ANGLE 0x1.921fb54442d18p0
#define LOG_2 0x1.62e42fefa39efp-1

/* log |z|. Near the unit circle from |z|^2 - 1 = (m - 1)(m + 1) + l^2, elsewhere log m + log1p((l / m)^2) /
 * 2, where m and l are the larger and the smaller part. */
static fxi_ir log_size(fxi_complex *c, fxi_ir x, fxi_ir y) {
    fxi_ir one = c_real(c, 1.0), zero = c_real(c, 0.0), a = c_abs(c, x), b = c_abs(c, y),
           first = c_greater(c, a, b);
    fxi_ir m = c_select(c, first, a, b), l = c_select(c, first, b, a), square = c_norm(c, m, l);
    fxi_ir near = ir_and(c->e, c_greater(c, square, c_real(c, 0.5)), c_less(c, square, c_real(c, 3.0)));
    fxi_ir from_one = c_add(c, c_mul(c, c_sub(c, m, one), c_add(c, m, one)), c_mul(c, l, l));
    fxi_ir ratio = c_select(c, c_is(c, l, 0.0), zero, c_div(c, l, m));
    fxi_ir rest = c_math(c, FXI_MATH_LOG1P, c_select(c, near, from_one, c_mul(c, ratio, ratio)));
    fxi_ir base = c_select(c, near, zero, c_math(c, FXI_MATH_LOG, m));
    fxi_ir infinite = ir_or(c->e, c_is_infinite(c, x), c_is_infinite(c, y));
    return c_select(c, infinite, c_real(c, (double)INFINITY), c_add(c, base, c_scale(c, 0.5, rest)));
}

fxi_value fxi_complex_log(fxi_complex *c, const fxi_value *z) {
    return (fxi_value){log_size(c, z->re, z->im), c_math2(c, FXI_MATH_ATAN2, z->im, z->re)};
}

/* |1 + z|^2 - 1 = x (2 + x) + y^2, as long as that is not near -1. */
fxi_value fxi_complex_log1p(fxi_complex *c, const fxi_value *z) {
    fxi_ir x = z->re, y = z->im, one = c_real(c, 1.0), two = c_real(c, 2.0);
    const fxi_value moved = {c_add(c, one, x), y};
    fxi_value result = fxi_complex_call(c, FX_OP_LOG, &moved);
    fxi_ir from_one = c_add(c, c_mul(c, x, c_add(c, two, x)), c_mul(c, y, y));
    fxi_ir near = ir_and(c->e, c_greater(c, from_one, c_real(c, -0.5)), c_less(c, from_one, two));
    result.re = c_select(c, near, c_scale(c, 0.5, c_math(c, FXI_MATH_LOG1P, from_one)), result.re);
    return result;
}

/* e^(w log z), with the limits that the formula misses: z^0 = 1 always, 0^w = 0 where Re w > 0. */
fxi_value fxi_complex_pow(fxi_complex *c, const fxi_value *x) {
    fxi_value z = x[0], w = x[1], log_z = fxi_complex_call(c, FX_OP_LOG, &z);
    fxi_ir zero = c_real(c, 0.0), is_real = c_is(c, w.im, 0.0);
    fxi_value product = {c_sub(c, c_mul(c, w.re, log_z.re), c_mul(c, w.im, log_z.im)),
                         c_add(c, c_mul(c, w.re, log_z.im), c_mul(c, w.im, log_z.re))};
    fxi_value by_real = {c_mul(c, w.re, log_z.re), c_mul(c, w.re, log_z.im)};
    product = c_select_both(c, is_real, by_real, product);
    fxi_value power = fxi_complex_call(c, FX_OP_EXP, &product);
    fxi_ir base_zero = ir_and(c->e, c_is(c, z.re, 0.0), c_is(c, z.im, 0.0));
    power =
        c_select_both(c, ir_and(c->e, base_zero, c_greater(c, w.re, zero)), (fxi_value){zero, zero}, power);
    return c_select_both(c, ir_and(c->e, c_is(c, w.re, 0.0), is_real), (fxi_value){c_real(c, 1.0), zero},
                         power);
}

/* Largest magnitude among two numbers' parts becomes about 1: the angle does not depend on a common
 * factor. */
static void scale_pair(fxi_complex *c, fxi_value *x, fxi_value *y) {
    fxi_ir parts[4] = {x->re, x->im, y->re, y->im}, largest = c_abs(c, parts[0]);
    for (int i = 1; i < 4; i++)
        largest = c_select(c, c_greater(c, c_abs(c, parts[i]), largest), c_abs(c, parts[i]), largest);
    fxi_ir factor =
        c_select(c, c_greater(c, largest, c_real(c, 0x1p300)), c_real(c, 0x1p-600), c_real(c, 1.0));
    factor = c_select(c, c_less(c, largest, c_real(c, 0x1p-300)), c_real(c, 0x1p600), factor);
    *x = (fxi_value){c_mul(c, x->re, factor), c_mul(c, x->im, factor)};
    *y = (fxi_value){c_mul(c, y->re, factor), c_mul(c, y->im, factor)};
}

/* -i log u with u = (x + iy) / sqrt(x^2 + y^2); where y is small against x and u is on the right, atan(y /
 * x), which keeps the bits that u loses next to 1. */
fxi_value fxi_complex_atan2(fxi_complex *c, const fxi_value *operands) {
    fxi_value y = operands[0], x = operands[1];
    if (c->wide_range) scale_pair(c, &x, &y);
    const fxi_value squares = {c_add(c, c_mul(c, c_sub(c, x.re, x.im), c_add(c, x.re, x.im)),
                                     c_mul(c, c_sub(c, y.re, y.im), c_add(c, y.re, y.im))),
                               c_scale(c, 2.0, c_add(c, c_mul(c, x.re, x.im), c_mul(c, y.re, y.im)))};
    const fxi_value pair[2] = {{c_sub(c, x.re, y.im), c_add(c, x.im, y.re)},
                               fxi_complex_call(c, FX_OP_SQRT, &squares)};
    fxi_value unit = fxi_complex_call(c, FX_OP_DIV, pair);
    fxi_value angle = c_turn_right(c, fxi_complex_call(c, FX_OP_LOG, &unit));
    const fxi_value parts[2] = {y, x};
    fxi_value ratio = fxi_complex_call(c, FX_OP_DIV, parts);
    fxi_ir small = c_less(c, c_norm(c, ratio.re, ratio.im), c_real(c, 0.25));
    fxi_ir direct = ir_and(c->e, small, c_greater(c, unit.re, c_real(c, 0.0)));
    return c_select_both(c, direct, fxi_complex_call(c, FX_OP_ATAN, &ratio), angle);
}

/* ---- inverse circular and hyperbolic functions ---- */

typedef struct roots {
    fxi_value minus, plus; /* sqrt(1 - z), sqrt(1 + z) */
} roots;

static roots roots_of(fxi_complex *c, fxi_value z) {
    fxi_ir one = c_real(c, 1.0);
    const fxi_value minus = {c_sub(c, one, z.re), c_neg(c, z.im)}, plus = {c_add(c, one, z.re), z.im};
    return (roots){fxi_complex_call(c, FX_OP_SQRT, &minus), fxi_complex_call(c, FX_OP_SQRT, &plus)};
}

/* Im(conj(a) b) */
static fxi_ir cross(fxi_complex *c, fxi_value a, fxi_value b) {
    return c_sub(c, c_mul(c, a.re, b.im), c_mul(c, a.im, b.re));
}

/* Directions of an infinite z as numbers: infinite parts become +-1, finite ones +-0, NaN stays. */
static fxi_ir direction_part(fxi_complex *c, fxi_ir part) {
    fxi_ir size = c_select(c, c_is_infinite(c, part), c_real(c, 1.0), c_scale(c, 0.0, part));
    return c_sign_of(c, size, part);
}

static fxi_value direction(fxi_complex *c, fxi_value z) {
    return (fxi_value){direction_part(c, z.re), direction_part(c, z.im)};
}

static fxi_ir is_infinite(fxi_complex *c, fxi_value z) {
    return ir_or(c->e, c_is_infinite(c, z.re), c_is_infinite(c, z.im));
}

/* asinh(Im(conj(a) b)); far out, where the product overflows before its asinh does, it is log 2|z|. */
static fxi_ir height(fxi_complex *c, fxi_value z, fxi_value a, fxi_value b) {
    fxi_ir product = cross(c, a, b), near = c_math(c, FXI_MATH_ASINH, product);
    if (!c->wide_range) return near;
    fxi_ir x = c_abs(c, z.re), y = c_abs(c, z.im), limit = c_real(c, 0x1p500);
    fxi_ir is_far = ir_or(c->e, c_greater(c, x, limit), c_greater(c, y, limit));
    fxi_ir far = c_add(c, fxi_complex_call(c, FX_OP_LOG, &z).re, c_real(c, LOG_2));
    return c_select(c, is_far, c_sign_of(c, far, product), near);
}

fxi_value fxi_complex_asin(fxi_complex *c, const fxi_value *z) {
    roots r = roots_of(c, *z);
    fxi_value to = direction(c, *z);
    fxi_ir re_product = c_sub(c, c_mul(c, r.minus.re, r.plus.re), c_mul(c, r.minus.im, r.plus.im));
    fxi_value finite = {c_math2(c, FXI_MATH_ATAN2, z->re, re_product), height(c, *z, r.minus, r.plus)};
    finite.re = c_select(c, c_is(c, z->re, 0.0), z->re, finite.re); /* also where z->im is NaN */
    fxi_value infinite = {c_math2(c, FXI_MATH_ATAN2, to.re, c_abs(c, to.im)),
                          c_sign_of(c, c_real(c, (double)INFINITY), z->im)};
    return c_select_both(c, is_infinite(c, *z), infinite, finite);
}

fxi_value fxi_complex_acos(fxi_complex *c, const fxi_value *z) {
    roots r = roots_of(c, *z);
    fxi_value to = direction(c, *z);
    fxi_value finite = {c_scale(c, 2.0, c_math2(c, FXI_MATH_ATAN2, r.minus.re, r.plus.re)),
                        height(c, *z, r.plus, r.minus)};
    finite.re = c_select(c, c_is(c, z->re, 0.0), c_real(c, RIGHT_ANGLE), finite.re);
    fxi_ir far = c_sign_of(c, c_real(c, (double)INFINITY), c_neg(c, z->im));
    fxi_value infinite = {c_math2(c, FXI_MATH_ATAN2, c_abs(c, to.im), to.re), far};
    return c_select_both(c, is_infinite(c, *z), infinite, finite);
}

/* asinh z = -i asin iz */
fxi_value fxi_complex_asinh(fxi_complex *c, const fxi_value *z) {
    fxi_value turned = c_turn_left(c, *z);
    return c_turn_right(c, fxi_complex_call(c, FX_OP_ASIN, &turned));
}

/* acosh z is i acos z or -i acos z, whichever has the real part that is not negative. */
fxi_value fxi_complex_acosh(fxi_complex *c, const fxi_value *z) {
    fxi_value a = fxi_complex_call(c, FX_OP_ACOS, z);
    return (fxi_value){c_abs(c, a.im), c_sign_of(c, a.re, z->im)};
}

/* For magnitudes x and y: log1p(4x / ((1 - x)^2 + y^2)) / 4 and atan2(2y, (1 - x)(1 + x) - y^2) / 2. Among
 * true doubles the squares leave the range next to 1, where the real part is log(2 / |1 - z|) / 2, and far
 * out, where atanh z is 1 / z + i pi / 2 to the last bit. */
static fxi_value atanh_of_magnitudes(fxi_complex *c, fxi_ir x, fxi_ir y) {
    fxi_ir one = c_real(c, 1.0), gap = c_sub(c, one, x), below = c_norm(c, gap, y),
           right_angle = c_real(c, RIGHT_ANGLE);
    fxi_ir ratio = c_div(c, c_scale(c, 4.0, x), below);
    fxi_ir other = c_sub(c, c_mul(c, gap, c_add(c, one, x)), c_mul(c, y, y));
    fxi_value result = {c_scale(c, 0.25, c_math(c, FXI_MATH_LOG1P, ratio)),
                        c_scale(c, 0.5, c_math2(c, FXI_MATH_ATAN2, c_scale(c, 2.0, y), other))};
    if (!c->wide_range) return result;
    fxi_ir log_gap = c_math(c, FXI_MATH_LOG, fxi_complex_size(c, gap, y));
    fxi_ir by_log = c_scale(c, 0.5, c_sub(c, c_real(c, LOG_2), log_gap));
    result.re = c_select(c, c_less(c, below, c_real(c, 0x1p-900)), by_log, result.re);
    fxi_ir size = fxi_complex_size(c, x, y);
    fxi_value far = {c_div(c, c_div(c, x, size), size),
                     c_sub(c, right_angle, c_div(c, c_div(c, y, size), size))};
    return c_select_both(c, c_greater(c, size, c_real(c, 0x1p30)), far, result);
}

fxi_value fxi_complex_atanh(fxi_complex *c, const fxi_value *z) {
    fxi_value size = atanh_of_magnitudes(c, c_abs(c, z->re), c_abs(c, z->im));
    fxi_value infinite = {c_real(c, 0.0), c_select(c, c_is_nan(c, z->im), z->im, c_real(c, RIGHT_ANGLE))};
    size = c_select_both(c, is_infinite(c, *z), infinite, size);
    size.re = c_select(c, c_is(c, z->re, 0.0), z->re, size.re);
    return (fxi_value){c_sign_of(c, size.re, z->re), c_sign_of(c, size.im, z->im)};
}

fxi_value fxi_complex_atan(fxi_complex *c, const fxi_value *z) {
    fxi_value turned = c_turn_left(c, *z);
    return c_turn_right(c, fxi_complex_call(c, FX_OP_ATANH, &turned));
}
