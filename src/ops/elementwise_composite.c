/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise functions made of other builders. Each checks its operands first, under its own name, so that
 * what follows cannot fail but for memory; the formulas are chosen so that their gradients, made rule by
 * rule, are right at the awkward places too. */
#include "ops/ops.h"
#include <float.h>
#include <math.h>

/* Begins a composite of one operand whose dtype must be one that `model` takes. */
static bool begin_unary(fxi_build *b, const char *name, fx_node *x, fx_op model) {
    return fxi_build_begin(b, name, &x, 1) && fxi_build_takes(b, x, model);
}

static fx_node *map2(const fxi_build *b, fx_op op, fx_node *x, fx_node *y) {
    return fxi_build_map(b->name, op, (fx_node *const[]){x, y}, 2, NULL, 0);
}

/* A scalar of x's dtype. */
static fx_node *number(const fxi_build *b, const fx_node *x, double value) {
    return fxi_build_number(b, x->shape.dtype, value);
}

static fx_node *is_below_zero(const fxi_build *b, fx_node *x) {
    return fxi_build_compare(b->name, x, number(b, x, 0), FXI_LT, false);
}

/* ---- arithmetic with one ---- */

fx_node *fx_square(fx_node *x) {
    fxi_build b;
    return begin_unary(&b, "fx_square", x, FX_OP_SUB) ? map2(&b, FX_OP_MUL, x, x) : b.stop;
}

fx_node *fx_one_minus(fx_node *x) {
    fxi_build b;
    return begin_unary(&b, "fx_one_minus", x, FX_OP_SUB) ? map2(&b, FX_OP_SUB, number(&b, x, 1), x) : b.stop;
}

fx_node *fx_minus_one(fx_node *x) {
    fxi_build b;
    return begin_unary(&b, "fx_minus_one", x, FX_OP_SUB) ? map2(&b, FX_OP_SUB, x, number(&b, x, 1)) : b.stop;
}

fx_node *fx_one_plus(fx_node *x) {
    fxi_build b;
    return begin_unary(&b, "fx_one_plus", x, FX_OP_SUB) ? map2(&b, FX_OP_ADD, number(&b, x, 1), x) : b.stop;
}

fx_node *fx_reciprocal(fx_node *x) {
    fxi_build b;
    return begin_unary(&b, "fx_reciprocal", x, FX_OP_DIV) ? map2(&b, FX_OP_DIV, number(&b, x, 1), x) : b.stop;
}

/* ---- with a number ---- */

#define SCALAR_FORM(word, op)                                                                                \
    fx_node *fx_##word##_scalar(fx_node *x, double value) {                                                  \
        fxi_build b;                                                                                         \
        if (!begin_unary(&b, "fx_" #word "_scalar", x, op)) return b.stop;                                   \
        return map2(&b, op, x, number(&b, x, value));                                                        \
    }                                                                                                        \
    fx_node *fx_##word##_scalar_int(fx_node *x, int64_t value) {                                             \
        fxi_build b;                                                                                         \
        if (!begin_unary(&b, "fx_" #word "_scalar_int", x, op)) return b.stop;                               \
        return map2(&b, op, x, fxi_build_integer(&b, x->shape.dtype, value));                                \
    }
SCALAR_FORM(add, FX_OP_ADD)
SCALAR_FORM(sub, FX_OP_SUB)
SCALAR_FORM(mul, FX_OP_MUL)
SCALAR_FORM(div, FX_OP_DIV)
SCALAR_FORM(pow, FX_OP_POW)
SCALAR_FORM(max, FX_OP_MAX)
SCALAR_FORM(min, FX_OP_MIN)

fx_node *fx_mod_scalar(fx_node *x, double value) {
    fxi_build b;
    return begin_unary(&b, "fx_mod_scalar", x, FX_OP_REM) ? fx_mod(x, number(&b, x, value)) : b.stop;
}

fx_node *fx_mod_scalar_int(fx_node *x, int64_t value) {
    fxi_build b;
    if (!begin_unary(&b, "fx_mod_scalar_int", x, FX_OP_REM)) return b.stop;
    return fx_mod(x, fxi_build_integer(&b, x->shape.dtype, value));
}

/* The dtypes are those of the comparison of two nodes: with an order, or any. */
static bool begin_comparison(fxi_build *b, const char *name, fx_node *x, fxi_direction direction) {
    bool ordered = direction != FXI_EQ && direction != FXI_NE;
    return begin_unary(b, name, x, ordered ? FX_OP_MAX : FX_OP_COMPARE);
}

#define COMPARE_FORM(word, direction)                                                                        \
    fx_node *fx_##word##_scalar(fx_node *x, double value) {                                                  \
        fxi_build b;                                                                                         \
        if (!begin_comparison(&b, "fx_" #word "_scalar", x, direction)) return b.stop;                       \
        return fxi_build_compare(b.name, x, number(&b, x, value), direction, false);                         \
    }                                                                                                        \
    fx_node *fx_##word##_scalar_int(fx_node *x, int64_t value) {                                             \
        fxi_build b;                                                                                         \
        if (!begin_comparison(&b, "fx_" #word "_scalar_int", x, direction)) return b.stop;                   \
        return fxi_build_compare(b.name, x, fxi_build_integer(&b, x->shape.dtype, value), direction, false); \
    }
COMPARE_FORM(equal, FXI_EQ)
COMPARE_FORM(not_equal, FXI_NE)
COMPARE_FORM(less, FXI_LT)
COMPARE_FORM(less_or_equal, FXI_LE)
COMPARE_FORM(greater, FXI_GT)
COMPARE_FORM(greater_or_equal, FXI_GE)

/* ---- shifts: the count may be of another integer dtype ----
 * A count is taken as unsigned, so negative ones shift everything out. Converting it to x's dtype keeps that,
 * unless it is wider and would wrap into a small one: then the shift is done in the wider dtype, with x
 * extended by what the shift brings in (its sign or zeros). */

static fx_dtype signed_of(fx_dtype dtype) {
    static const fx_dtype map[FX_DTYPE_LIMIT] = {[FX_U2] = FX_S2,   [FX_U4] = FX_S4,   [FX_U8] = FX_S8,
                                                 [FX_U16] = FX_S16, [FX_U32] = FX_S32, [FX_U64] = FX_S64};
    return map[dtype] ? map[dtype] : dtype;
}

static fx_dtype unsigned_of(fx_dtype dtype) {
    static const fx_dtype map[FX_DTYPE_LIMIT] = {[FX_S2] = FX_U2,   [FX_S4] = FX_U4,   [FX_S8] = FX_U8,
                                                 [FX_S16] = FX_U16, [FX_S32] = FX_U32, [FX_S64] = FX_U64};
    return map[dtype] ? map[dtype] : dtype;
}

static fx_node *build_shift(const char *name, fx_op op, fx_node *x, fx_node *n) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, (fx_node *const[]){x, n}, 2)) return b.stop;
    if (!fxi_build_takes(&b, x, op) || !fxi_build_takes(&b, n, op)) return b.stop;
    fx_dtype dtype = x->shape.dtype, count = n->shape.dtype;
    if (fx_dtype_bits(count) <= fx_dtype_bits(dtype)) return map2(&b, op, x, fx_convert(n, dtype));
    bool is_arithmetic = op == FX_OP_SHIFT_RIGHT_ARITHMETIC;
    fx_node *bits = fx_convert(x, is_arithmetic ? signed_of(dtype) : unsigned_of(dtype));
    return fx_convert(map2(&b, op, fx_convert(bits, count), n), dtype);
}

static fx_node *build_shift_scalar(const char *name, fx_op op, fx_node *x, int64_t n) {
    fxi_build b;
    if (!begin_unary(&b, name, x, op)) return b.stop;
    int bits = fx_dtype_bits(x->shape.dtype);
    return map2(&b, op, x, fx_scalar_int(b.graph, x->shape.dtype, n < 0 || n > bits ? bits : n));
}

#define SHIFT(function, op)                                                                                  \
    fx_node *function(fx_node *x, fx_node *n) {                                                              \
        return build_shift(#function, op, x, n);                                                             \
    }                                                                                                        \
    fx_node *function##_scalar(fx_node *x, int64_t n) {                                                      \
        return build_shift_scalar(#function "_scalar", op, x, n);                                            \
    }
SHIFT(fx_bitwise_shift_left, FX_OP_SHIFT_LEFT)
SHIFT(fx_bitwise_shift_right_arithmetic, FX_OP_SHIFT_RIGHT_ARITHMETIC)
SHIFT(fx_bitwise_shift_right_logical, FX_OP_SHIFT_RIGHT_LOGICAL)

/* ---- predicates and indicators ---- */

fx_node *fx_is_nan(fx_node *x) {
    fxi_build b;
    if (!begin_unary(&b, "fx_is_nan", x, FX_OP_EXP)) return b.stop;
    return fxi_build_compare(b.name, x, x, FXI_NE, false);
}

fx_node *fx_is_inf(fx_node *x) {
    fxi_build b;
    if (!begin_unary(&b, "fx_is_inf", x, FX_OP_EXP)) return b.stop;
    if (fx_dtype_is_complex(x->shape.dtype)) return fx_or(fx_is_inf(fx_real(x)), fx_is_inf(fx_imag(x)));
    return fxi_build_compare(b.name, fx_abs(x), number(&b, x, (double)INFINITY), FXI_EQ, false);
}

static fx_node *compare_with_zero(const char *name, fx_node *x, fxi_direction direction, fx_op model) {
    fxi_build b;
    if (!begin_unary(&b, name, x, model)) return b.stop;
    return fxi_build_compare(name, x, number(&b, x, 0), direction, false);
}

fx_node *fx_is_zero(fx_node *x) {
    return compare_with_zero("fx_is_zero", x, FXI_EQ, FX_OP_SUB);
}

#define SIGN_TEST(word, direction)                                                                           \
    fx_node *fx_is_##word(fx_node *x) {                                                                      \
        return compare_with_zero("fx_is_" #word, x, direction, FX_OP_REM);                                   \
    }                                                                                                        \
    fx_node *fx_##word##_indicator(fx_node *x) {                                                             \
        return fx_convert(compare_with_zero("fx_" #word "_indicator", x, direction, FX_OP_REM),              \
                          fx_node_dtype(x));                                                                 \
    }
SIGN_TEST(positive, FXI_GT)
SIGN_TEST(non_negative, FXI_GE)
SIGN_TEST(negative, FXI_LT)
SIGN_TEST(non_positive, FXI_LE)

fx_node *fx_sign_plus_or_minus(fx_node *x) {
    fx_node *condition = compare_with_zero("fx_sign_plus_or_minus", x, FXI_GE, FX_OP_REM);
    if (!condition || condition->op == FX_OP_INERT) return condition;
    fx_dtype dtype = x->shape.dtype;
    return fx_where(condition, fx_scalar_int(condition->graph, dtype, 1),
                    fx_scalar_int(condition->graph, dtype, -1));
}

static double largest_finite(fx_dtype dtype) {
    switch (dtype) {
    case FX_F16: return 65504.0;
    case FX_BF16: return 0x1.FEp127;
    case FX_F32: return FLT_MAX;
    default: return DBL_MAX;
    }
}

fx_node *fx_nan_to_num(fx_node *x, double nan, double positive_infinity, double negative_infinity) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_nan_to_num", &x, 1)) return b.stop;
    fx_dtype dtype = x->shape.dtype;
    if (fx_dtype_is_integer(dtype)) return x;
    if (!fxi_build_takes(&b, x, FX_OP_EXP)) return b.stop;
    if (fx_dtype_is_complex(dtype))
        return fx_complex(fx_nan_to_num(fx_real(x), nan, positive_infinity, negative_infinity),
                          fx_nan_to_num(fx_imag(x), nan, positive_infinity, negative_infinity));
    double largest = largest_finite(dtype), infinity = (double)INFINITY;
    fx_node *from[] = {number(&b, x, infinity), number(&b, x, -infinity)};
    fx_node *result = fx_where(fx_is_nan(x), number(&b, x, fmax(-largest, fmin(largest, nan))), x);
    result = fx_where(fx_equal(x, from[0]), number(&b, x, fmax(-largest, fmin(largest, positive_infinity))),
                      result);
    return fx_where(fx_equal(x, from[1]), number(&b, x, fmax(-largest, fmin(largest, negative_infinity))),
                    result);
}

/* ---- floored division ---- */

/* Whether a remainder r, which has x's sign, has to be moved into y's. */
static fx_node *needs_step(const fxi_build *b, fx_node *r, fx_node *y) {
    fx_node *zero = number(b, r, 0);
    fx_node *differ = fx_xor(fx_less(r, zero), fx_less(y, zero));
    return fx_and(differ, fx_not_equal(r, zero));
}

/* With s the sign of y: s ((s x) mod |y|), where the inner one only has to add |y| to negative remainders.
 * The added +0 also turns a remainder of -0 into the divisor's zero. */
static fx_node *mod_float(const fxi_build *b, fx_node *x, fx_node *y) {
    fx_node *sign = fx_copysign(number(b, y, 1), y), *size = fx_mul(y, sign);
    fx_node *r = map2(b, FX_OP_REM, fx_mul(x, sign), size);
    fx_node *step = fx_select(is_below_zero(b, r), size, number(b, r, 0));
    return fx_mul(fx_add(r, step), sign);
}

static bool begin_division(fxi_build *b, const char *name, fx_node *x, fx_node *y, fx_node **rem) {
    if (!fxi_build_begin(b, name, (fx_node *const[]){x, y}, 2)) return false;
    *rem = map2(b, FX_OP_REM, x, y); /* also checks dtypes and shapes */
    return (*rem)->op != FX_OP_INERT;
}

fx_node *fx_mod(fx_node *x, fx_node *y) {
    fxi_build b;
    fx_node *r;
    if (!begin_division(&b, "fx_mod", x, y, &r)) return b.stop;
    if (fx_dtype_is_float(x->shape.dtype)) return mod_float(&b, x, y);
    if (fx_dtype_is_unsigned(x->shape.dtype)) return r;
    return fx_select(needs_step(&b, r, y), fx_add(r, y), r); /* y = 0 adds nothing */
}

/* x - r is a multiple of y but for one rounding, so the quotient is an integer that ROUND makes exact. */
static fx_node *floor_div_float(const fxi_build *b, fx_node *x, fx_node *y, fx_node *r) {
    fx_node *quotient = fx_round(fx_div(fx_sub(x, r), y));
    quotient = fx_select(needs_step(b, r, y), fx_sub(quotient, number(b, y, 1)), quotient);
    return fx_select(fx_equal(y, number(b, y, 0)), fx_div(x, y), quotient);
}

static fx_node *floor_div_signed(const fxi_build *b, fx_node *x, fx_node *y, fx_node *r) {
    fx_node *quotient = fx_div(x, y), *is_valid = fx_not_equal(y, number(b, y, 0));
    fx_node *step = fx_and(needs_step(b, r, y), is_valid);
    return fx_select(step, fx_sub(quotient, number(b, y, 1)), quotient);
}

fx_node *fx_floor_div(fx_node *x, fx_node *y) {
    fxi_build b;
    fx_node *r;
    if (!begin_division(&b, "fx_floor_div", x, y, &r)) return b.stop;
    fx_dtype dtype = x->shape.dtype;
    if (fx_dtype_is_half(dtype)) {
        fx_node *wide_x = fx_convert(x, FX_F32), *wide_y = fx_convert(y, FX_F32);
        fx_node *wide_r = map2(&b, FX_OP_REM, wide_x, wide_y);
        return fx_convert(floor_div_float(&b, wide_x, wide_y, wide_r), dtype);
    }
    if (fx_dtype_is_float(dtype)) return floor_div_float(&b, x, y, r);
    if (fx_dtype_is_unsigned(dtype)) return fx_div(x, y);
    return floor_div_signed(&b, x, y, r);
}

/* ---- logarithms of sums ---- */

/* With h and l the operands in descending order h + log1p(e^(l - h)): the choice, made by comparison, is all
 * that is not smooth, and where the operands are equal both choices have equal derivatives of every order.
 * Equal infinities are the result themselves; l - h would be NaN there. fx_round, which leaves them alone,
 * has derivative 0: this is what they give, as a row of -Inf does in fx_logsumexp. */
static fx_node *log_add_exp(const fxi_build *b, fx_node *x, fx_node *y) {
    fx_node *x_wins = fxi_build_compare(b->name, x, y, FXI_GT, false);
    fx_node *high = fx_select(x_wins, x, y), *low = fx_select(x_wins, y, x);
    fx_node *distance = map2(b, FX_OP_SUB, low, high);
    fx_node *is_same = fx_and(fx_equal(low, high), fx_not_equal(distance, distance));
    distance = fx_select(is_same, number(b, high, (double)-INFINITY), distance);
    return fx_add(fx_select(is_same, fx_round(high), high), fx_log1p(fx_exp(distance)));
}

fx_node *fx_log_add_exp(fx_node *x, fx_node *y) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_log_add_exp", (fx_node *const[]){x, y}, 2)) return b.stop;
    if (!fxi_build_takes(&b, x, FX_OP_ERF)) return b.stop;
    return log_add_exp(&b, x, y);
}

fx_node *fx_softplus(fx_node *x) {
    fxi_build b;
    if (!begin_unary(&b, "fx_softplus", x, FX_OP_ERF)) return b.stop;
    return log_add_exp(&b, x, number(&b, x, 0));
}

/* s log1p(s x) with s = 1 or -1 constant: the derivative 1 / (1 + |x|) comes out right at 0. */
fx_node *fx_mirrored_log1p(fx_node *x) {
    fxi_build b;
    if (!begin_unary(&b, "fx_mirrored_log1p", x, FX_OP_ERF)) return b.stop;
    fx_node *sign = fx_where(is_below_zero(&b, x), number(&b, x, -1), number(&b, x, 1));
    return fx_mul(sign, fx_log1p(fx_mul(sign, x)));
}
