/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of elementwise functions of real numbers. Scaling is by powers of two, made of or taken from a
 * number's bits, so it rounds nothing. XLA's processors flush subnormal numbers to zero; what is computed
 * here of subnormal operands counts on nothing else.
 *
 *   exp2           2^n e^(f ln 2), n the nearest integer and f the rest: within 2 ulp
 *   log2, log10    the exponent plus the mantissa's logarithm: exact at powers of two, within 2 ulp
 *   sinh, cosh     by expm1 and e^(x / 2): XLA's e^(x + log(1/2)) is 20 ulp off
 *   hypot          squares of scaled operands: within 1 ulp, nothing overflows
 *   integer pow    squares and products as long as any exponent has bits left: XLA looks at few bits */
#include "lower_family.h"
#include <fluxion/control.h>
#include <math.h>

#define LN2 0.693147180559945309417
#define LOG10_2_HIGH 0x1.344p-2 /* log10(2) to 11 bits: its products with exponents are exact */
#define LOG10_2_LOW 0x1.3509f79fef312p-18
#define LOG2_E 1.44269504088896340736
#define LOG10_E 0.434294481903251827651

fxi_float_layout fxi_lower_layout(fx_dtype dtype) {
    switch (dtype) {
    case FX_F16: return (fxi_float_layout){FX_U16, FX_S16, 16, 10, 15};
    case FX_BF16: return (fxi_float_layout){FX_U16, FX_S16, 16, 7, 127};
    case FX_F32: return (fxi_float_layout){FX_U32, FX_S32, 32, 23, 127};
    default: return (fxi_float_layout){FX_U64, FX_S64, 64, 52, 1023};
    }
}

static fx_node *number(const fx_node *like, double value) { return fxi_lower_number(like, value); }

fx_node *fxi_lower_power_of_two(fx_node *n) {
    fx_dtype dtype = n->shape.dtype;
    const fxi_float_layout f = fxi_lower_layout(dtype);
    fx_node *biased = fx_convert(fx_add(n, number(n, f.bias)), f.word);
    return fx_bitcast(fx_bitwise_shift_left_scalar(biased, f.mantissa), dtype);
}

fx_node *fxi_lower_split(fx_node *x, fx_node **exponent) {
    fx_dtype dtype = x->shape.dtype;
    const fxi_float_layout f = fxi_lower_layout(dtype);
    fx_node *bits = fx_bitcast(x, f.number);
    fx_node *power = fx_bitwise_shift_right_arithmetic_scalar(bits, f.mantissa);
    fx_node *rest = fx_sub(bits, fx_bitwise_shift_left_scalar(power, f.mantissa));
    fx_node *one = fxi_lower_integer(bits, (int64_t)f.bias << f.mantissa);
    fx_node *mantissa = fx_bitcast(fx_add(rest, one), dtype); /* in [1, 2) */
    fx_node *is_large = fx_greater(mantissa, number(x, 1.41421356237309504880));
    fx_node *step = fx_convert(is_large, dtype);
    *exponent = fx_add(fx_sub(fx_convert(power, dtype), number(x, f.bias)), step);
    return fx_select(is_large, fx_mul(mantissa, number(x, 0.5)), mantissa);
}

/* ---- exponentials and logarithms ---- */

/* 2^n in two factors, since their product may be subnormal or 2^(bias + 1) times a number below 1. */
bool fxi_lower_exp2(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b, (void)node;
    fx_node *x = operands[0];
    double most = 2.0 * fxi_lower_layout(x->shape.dtype).bias;
    fx_node *n = fx_clamp(number(x, -most), fx_round(x), number(x, most));
    fx_node *half = fx_floor(fx_mul(n, number(x, 0.5)));
    fx_node *rest = fx_exp(fx_mul(fx_sub(x, n), number(x, LN2)));
    fx_node *scaled = fx_mul(rest, fxi_lower_power_of_two(half));
    return fxi_lower_give(results, fx_mul(scaled, fxi_lower_power_of_two(fx_sub(n, half))));
}

/* e high + (e low + m factor) where x is a positive finite number; elsewhere the natural logarithm is the
 * result. */
static fx_node *logarithm(fx_node *x, double high, double low, double factor) {
    const fxi_float_layout f = fxi_lower_layout(x->shape.dtype);
    fx_node *is_subnormal = fx_less(x, number(x, ldexp(1, 1 - f.bias))); /* normal after a shift */
    fx_node *shifted = fx_mul(x, number(x, ldexp(1, f.mantissa)));
    fx_node *e, *m = fxi_lower_split(fx_select(is_subnormal, shifted, x), &e);
    e = fx_select(is_subnormal, fx_sub(e, number(x, f.mantissa)), e);
    fx_node *small = fx_add(fx_mul(e, number(x, low)), fx_mul(fx_log(m), number(x, factor)));
    fx_node *is_normal = fx_and(fx_greater(x, number(x, 0)), fx_less(x, number(x, INFINITY)));
    return fx_select(is_normal, fx_add(fx_mul(e, number(x, high)), small), fx_log(x));
}

bool fxi_lower_log2(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b, (void)node;
    return fxi_lower_give(results, logarithm(operands[0], 1, 0, LOG2_E));
}

bool fxi_lower_log10(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b, (void)node;
    return fxi_lower_give(results, logarithm(operands[0], LOG10_2_HIGH, LOG10_2_LOW, LOG10_E));
}

/* (t + t / (1 + t)) / 2 with t = e^|x| - 1; where that overflows, (e^(|x| / 2) / 2) e^(|x| / 2). */
bool fxi_lower_sinh_any(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                         fx_node **results) {
    if (fxi_lower_when_complex(node)) return fxi_lower_sinh_complex(b, node, operands, results);
    fx_node *x = operands[0], *size = fx_abs(x), *t = fx_expm1(size), *half = number(x, 0.5);
    fx_node *root = fx_exp(fx_mul(size, half));
    fx_node *near = fx_mul(fx_add(t, fx_div(t, fx_add(t, number(x, 1)))), half);
    fx_node *is_far = fx_greater(size, number(x, x->shape.dtype == FX_F64 ? 40 : 20)); /* e^-x is nothing */
    return fxi_lower_give(results, fx_copysign(fx_select(is_far, fx_mul(fx_mul(root, half), root), near), x));
}

bool fxi_lower_cosh_any(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                         fx_node **results) {
    if (fxi_lower_when_complex(node)) return fxi_lower_cosh_complex(b, node, operands, results);
    fx_node *x = operands[0], *half = number(x, 0.5), *root = fx_exp(fx_mul(fx_abs(x), half));
    fx_node *rest = fx_div(fx_div(half, root), root);
    return fxi_lower_give(results, fx_add(fx_mul(fx_mul(root, half), root), rest));
}

/* ---- roundings, signs and magnitudes ---- */

bool fxi_lower_trunc(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b, (void)node;
    fx_node *x = operands[0];
    return fxi_lower_give(results, fx_select(fx_less(x, number(x, 0)), fx_ceil(x), fx_floor(x)));
}

bool fxi_lower_copysign(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                        fx_node **results) {
    (void)b, (void)node;
    fx_dtype dtype = operands[0]->shape.dtype;
    const fxi_float_layout f = fxi_lower_layout(dtype);
    fx_node *x = fx_bitcast(operands[0], f.word), *y = fx_bitcast(operands[1], f.word);
    fx_node *sign = fx_bitwise_shift_left_scalar(fxi_lower_integer(x, 1), f.bits - 1);
    return fxi_lower_give(results,
                          fx_bitcast(fx_or(fx_and(x, fx_not(sign)), fx_and(y, sign)), dtype));
}

/* With s a power of two that makes the larger operand's square a normal number; an infinite operand wins
 * over NaN. */
bool fxi_lower_hypot(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b, (void)node;
    fx_node *x = fx_abs(operands[0]), *y = fx_abs(operands[1]), *large = fx_max(x, y);
    bool is_double = x->shape.dtype == FX_F64;
    double limit = is_double ? 0x1p500 : 0x1p60, step = is_double ? 0x1p600 : 0x1p75;
    fx_node *one = number(x, 1), *is_large = fx_greater(large, number(x, limit));
    fx_node *is_small = fx_less(large, number(x, 1 / limit));
    fx_node *scale = fx_where(is_large, number(x, 1 / step), fx_where(is_small, number(x, step), one));
    fx_node *back = fx_where(is_large, number(x, step), fx_where(is_small, number(x, 1 / step), one));
    fx_node *u = fx_mul(x, scale), *v = fx_mul(y, scale);
    fx_node *root = fx_mul(fx_sqrt(fx_add(fx_mul(u, u), fx_mul(v, v))), back);
    fx_node *infinity = number(x, INFINITY);
    fx_node *is_infinite = fx_or(fx_equal(x, infinity), fx_equal(y, infinity));
    return fxi_lower_give(results, fx_where(is_infinite, infinity, root));
}

/* Zero exactly where x is, whatever y. */
static bool give_strong(fx_node *x, fx_node *made, fx_node **results) {
    return fxi_lower_give(results, fx_where(fx_is_zero(x), number(x, 0), made));
}

bool fxi_lower_strong_mul(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                          fx_node **results) {
    (void)b, (void)node;
    return give_strong(operands[0], fx_mul(operands[0], operands[1]), results);
}

bool fxi_lower_strong_div(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                          fx_node **results) {
    (void)b, (void)node;
    return give_strong(operands[0], fx_div(operands[0], operands[1]), results);
}

/* ---- what StableHLO refuses: signs of unsigned numbers, parts of real ones ---- */

bool fxi_lower_when_unsigned(const fx_node *node) { return fx_dtype_is_unsigned(node->shape.dtype); }

bool fxi_lower_when_real(const fx_node *node) {
    return !fx_dtype_is_complex(node->operands[0]->shape.dtype);
}

bool fxi_lower_same(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b, (void)node;
    return fxi_lower_give(results, operands[0]);
}

bool fxi_lower_zero(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b, (void)node;
    return fxi_lower_give(results, fx_zeros_like(operands[0]));
}

bool fxi_lower_sign_unsigned(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                             fx_node **results) {
    (void)b, (void)node;
    return fxi_lower_give(results, fx_min(operands[0], fxi_lower_integer(operands[0], 1)));
}

/* ---- powers of integers ---- */

enum { RESULT, BASE, LEFT, STATES };

static void has_bits(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)graph, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_reduce_all_or(fx_not(fx_is_zero(in[LEFT])));
}

static void take_bit(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)graph, (void)n_in, (void)n_out, (void)user;
    fx_node *is_odd = fx_not(fx_is_zero(fx_and(in[LEFT], fxi_lower_integer(in[LEFT], 1))));
    out[RESULT] = fx_select(is_odd, fx_mul(in[RESULT], in[BASE]), in[RESULT]);
    out[BASE] = fx_mul(in[BASE], in[BASE]);
    out[LEFT] = fx_bitwise_shift_right_logical_scalar(in[LEFT], 1);
}

/* 1 / x^-y, of which only 1 and -1 have an integer other than 0. */
static fx_node *negative_power(fx_node *x, fx_node *y) {
    fx_node *one = fxi_lower_integer(x, 1), *minus = fxi_lower_integer(x, -1);
    fx_node *zero = fxi_lower_integer(x, 0);
    fx_node *is_odd = fx_not(fx_is_zero(fx_and(y, one)));
    fx_node *of_minus = fx_where(is_odd, minus, one);
    return fx_where(fx_equal(x, minus), of_minus, fx_where(fx_equal(x, one), one, zero));
}

bool fxi_lower_when_integer(const fx_node *node) { return fx_dtype_is_integer(node->shape.dtype); }

bool fxi_lower_pow(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b, (void)node;
    fx_node *x = operands[0], *y = operands[1], *states[STATES] = {fx_ones_like(x), x, y};
    bool is_signed = fx_dtype_is_signed(x->shape.dtype);
    fx_node *zero = fxi_lower_integer(y, 0);
    if (is_signed) states[LEFT] = fx_max(y, zero);
    fx_while((fx_nodes){states, STATES}, has_bits, take_bit, NULL, states);
    fx_node *power = states[RESULT];
    if (is_signed) power = fx_select(fx_less(y, zero), negative_power(x, y), power);
    return fxi_lower_give(results, power);
}
