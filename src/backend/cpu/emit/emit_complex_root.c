/* SPDX-License-Identifier: Apache-2.0 */
/* Complex magnitude, sign, quotient and square root.
 *
 * True doubles are first brought near 1 by powers of two taken from their exponents, so that no square
 * overflows or loses bits; the powers are put back at the end. */
#include "emit_complex_internal.h"

static fxi_ir larger_magnitude(fxi_complex *c, fxi_ir a, fxi_ir b) {
    fxi_ir x = c_abs(c, a), y = c_abs(c, b);
    return c_select(c, c_greater(c, x, y), x, y);
}

/* Biased exponent of a magnitude, kept so far from both ends that 2^(1023 - it) and 2^(it - 1023) are normal
 * numbers. */
static fxi_ir safe_exponent(fxi_complex *c, fxi_ir magnitude) {
    fxi_ir exponent = ir_lshr(c->e, ir_bits(c->e, 64, magnitude), fxi_emit_int(c->e, 64, 52));
    exponent = ir_call2(c->e, "llvm.umax", exponent, fxi_emit_int(c->e, 64, 2));
    return ir_call2(c->e, "llvm.umin", exponent, fxi_emit_int(c->e, 64, 2044));
}

/* 2^(biased - 1023) */
static fxi_ir power_of_two(fxi_complex *c, fxi_ir biased) {
    return ir_from_bits(c->e, 64, ir_shl(c->e, biased, fxi_emit_int(c->e, 64, 52)));
}

static fxi_value times(fxi_complex *c, fxi_value z, fxi_ir factor) {
    return (fxi_value){c_mul(c, z.re, factor), c_mul(c, z.im, factor)};
}

static fxi_value brought_near_one(fxi_complex *c, fxi_value z, fxi_ir exponent) {
    return times(c, z, power_of_two(c, ir_sub(c->e, fxi_emit_int(c->e, 64, 2046), exponent)));
}

fxi_ir fxi_complex_size(fxi_complex *c, fxi_ir a, fxi_ir b) {
    fxi_ir size = c->wide_range ? c_math2(c, FXI_MATH_HYPOT, a, b) : c_sqrt(c, c_norm(c, a, b));
    fxi_ir infinite = ir_or(c->e, c_is_infinite(c, a), c_is_infinite(c, b));
    return c_select(c, infinite, c_real(c, (double)INFINITY), size);
}

fxi_value fxi_complex_abs(fxi_complex *c, const fxi_value *x) {
    return (fxi_value){fxi_complex_size(c, x->re, x->im), c_real(c, 0.0)};
}

/* z / |z|; zero is its own sign. */
fxi_value fxi_complex_sign(fxi_complex *c, const fxi_value *x) {
    fxi_value z = *x;
    if (c->wide_range) z = brought_near_one(c, z, safe_exponent(c, larger_magnitude(c, z.re, z.im)));
    fxi_complex scaled = {c->e, false};
    fxi_ir size = fxi_complex_size(&scaled, z.re, z.im);
    fxi_value unit = {c_div(c, z.re, size), c_div(c, z.im, size)};
    return c_select_both(c, c_is(c, size, 0.0), *x, unit);
}

/* (a + ib)(c - id) / (c^2 + d^2) */
static fxi_value plain_quotient(fxi_complex *c, fxi_value x, fxi_value y) {
    fxi_ir square = c_norm(c, y.re, y.im);
    fxi_ir re = c_add(c, c_mul(c, x.re, y.re), c_mul(c, x.im, y.im));
    fxi_ir im = c_sub(c, c_mul(c, x.im, y.re), c_mul(c, x.re, y.im));
    return (fxi_value){c_div(c, re, square), c_div(c, im, square)};
}

/* The difference of the exponents goes back in two halves, because it can be twice what one double holds. */
fxi_value fxi_complex_div(fxi_complex *c, const fxi_value *x) {
    if (!c->wide_range) return plain_quotient(c, x[0], x[1]);
    fxi_emit *e = c->e;
    fxi_ir above = safe_exponent(c, larger_magnitude(c, x[0].re, x[0].im));
    fxi_ir below = safe_exponent(c, larger_magnitude(c, x[1].re, x[1].im));
    fxi_value q = plain_quotient(c, brought_near_one(c, x[0], above), brought_near_one(c, x[1], below));
    fxi_ir back = ir_sub(e, ir_add(e, above, fxi_emit_int(e, 64, 2046)), below); /* biased twice, positive */
    fxi_ir half = ir_lshr(e, back, fxi_emit_int(e, 64, 1));
    q = times(c, q, power_of_two(c, half));
    return times(c, q, power_of_two(c, ir_sub(e, back, half)));
}

/* With t = sqrt((|x| + |z|) / 2) the parts are t and |y| / 2t, in the order that the sign of x says. */
static fxi_value root_near_one(fxi_complex *c, fxi_value z) {
    fxi_ir zero = c_real(c, 0.0);
    fxi_ir t = c_sqrt(c, c_scale(c, 0.5, c_add(c, c_abs(c, z.re), fxi_complex_size(c, z.re, z.im))));
    fxi_ir u = c_scale(c, 0.5, c_div(c, c_abs(c, z.im), t));
    u = c_select(c, c_is(c, t, 0.0), zero, u);
    fxi_ir left = c_less(c, z.re, zero);
    return (fxi_value){c_select(c, left, u, t), c_sign_of(c, c_select(c, left, t, u), z.im)};
}

fxi_value fxi_complex_sqrt(fxi_complex *c, const fxi_value *x) {
    fxi_value z = *x, root;
    if (c->wide_range) {
        fxi_ir one = c_real(c, 1.0), m = larger_magnitude(c, z.re, z.im);
        fxi_ir huge = c_greater(c, m, c_real(c, 0x1p1000)), tiny = c_less(c, m, c_real(c, 0x1p-900));
        fxi_ir in = c_select(c, huge, c_real(c, 0x1p-200), c_select(c, tiny, c_real(c, 0x1p200), one));
        fxi_ir out = c_select(c, huge, c_real(c, 0x1p100), c_select(c, tiny, c_real(c, 0x1p-100), one));
        root = times(c, root_near_one(c, times(c, z, in)), out);
    } else {
        root = root_near_one(c, z);
    }
    fxi_value upright = {c_real(c, (double)INFINITY), z.im};
    return c_select_both(c, c_is_infinite(c, z.im), upright, root);
}

fxi_value fxi_complex_rsqrt(fxi_complex *c, const fxi_value *x) {
    const fxi_value pair[2] = {{c_real(c, 1.0), c_real(c, 0.0)}, fxi_complex_call(c, FX_OP_SQRT, x)};
    return fxi_complex_div(c, pair);
}
