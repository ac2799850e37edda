/* SPDX-License-Identifier: Apache-2.0 */
/* The one scalar meaning of each elementwise operation, used by the interpreter and by exact constant
 * folding.
 *
 * Floats. float32 and narrower are computed in double by the C library and rounded once when stored: its
 * functions are within 1 ulp of double, so the stored result is the correctly rounded one but for about
 * one case in 10^8, and sums, products, quotients and square roots are exactly right (a double has more
 * than twice the bits). float64 takes the extended-precision functions where there are any, to the same
 * effect. Integers are computed in 64 bits and wrap in the store; a bool is an unsigned integer of one
 * bit. Everything is a table indexed by the operation: one row holds its meaning for floats and for
 * integers. */
#include "element_internal.h"
#include "ops/ops.h"
#include <math.h>
#include <string.h>

/* ---- the bits of a float in its own dtype ---- */

static uint64_t float_bits(fx_dtype dtype, fxi_scalar value) {
    uint64_t bits = 0;
    fxi_element_store(dtype, &bits, 0, value);
    if (fx_dtype_bits(dtype) == 64) return bits;
    /* The element's bytes are the first of the word, whatever the byte order. */
    uint32_t word;
    uint16_t half;
    memcpy(&word, &bits, sizeof word);
    memcpy(&half, &bits, sizeof half);
    return fx_dtype_bits(dtype) == 32 ? word : half;
}

static fxi_scalar float_from_bits(fx_dtype dtype, uint64_t bits) {
    uint32_t word = (uint32_t)(bits & UINT32_MAX);
    uint16_t half = (uint16_t)(bits & UINT16_MAX);
    int size = fx_dtype_bits(dtype);
    const void *element = size == 64 ? (void *)&bits : size == 32 ? (void *)&word : (void *)&half;
    return fxi_element_load(dtype, element, 0);
}

/* ---- floats ---- */

static double neg(double x) { return -x; }
static double sign(double x) { return x == 0 || isnan(x) ? x : copysign(1, x); }
static double rsqrt(double x) { return 1 / sqrt(x); }
static long double rsqrt_wide(long double x) { return 1 / sqrtl(x); }
static double logistic(double x) { return 1 / (1 + exp(-x)); }
static long double logistic_wide(long double x) { return 1 / (1 + expl(-x)); }
static double same(double x) { return x; }
static double zero(double x) {
    (void)x;
    return 0;
}

static double add(double x, double y) { return x + y; }
static double sub(double x, double y) { return x - y; }
static double mul(double x, double y) { return x * y; }
static double div_float(double x, double y) { return x / y; }
static double strong_mul(double x, double y) { return x == 0 ? 0 : x * y; }
static double strong_div(double x, double y) { return x == 0 ? 0 : x / y; }

/* NaN wins; -0 < +0. */
static double larger(double x, double y) {
    if (isnan(x) || isnan(y)) return isnan(x) ? x : y;
    if (x == y) return signbit(x) ? y : x;
    return x > y ? x : y;
}

static double smaller(double x, double y) {
    if (isnan(x) || isnan(y)) return isnan(x) ? x : y;
    if (x == y) return signbit(x) ? x : y;
    return x < y ? x : y;
}

/* ---- integers ---- */

typedef struct integers {
    int64_t x, y;
    int bits; /* 1 for bool */
    bool is_signed;
} integers;

static uint64_t low_bits(int64_t value, int bits) { return (uint64_t)value & (~UINT64_C(0) >> (64 - bits)); }

static int64_t int_add(integers a) {
    return a.bits == 1 ? a.x | a.y : (int64_t)((uint64_t)a.x + (uint64_t)a.y);
}
static int64_t int_sub(integers a) { return (int64_t)((uint64_t)a.x - (uint64_t)a.y); }
static int64_t int_mul(integers a) { return (int64_t)((uint64_t)a.x * (uint64_t)a.y); }
static int64_t int_neg(integers a) { return (int64_t)(0 - (uint64_t)a.x); }
static int64_t int_abs(integers a) { return a.is_signed && a.x < 0 ? int_neg(a) : a.x; }
static int64_t int_sign(integers a) { return a.is_signed && a.x < 0 ? -1 : a.x != 0; }
static int64_t int_not(integers a) { return ~a.x; }
static int64_t int_and(integers a) { return a.x & a.y; }
static int64_t int_or(integers a) { return a.x | a.y; }
static int64_t int_xor(integers a) { return a.x ^ a.y; }

static bool int_less(integers a) { return a.is_signed ? a.x < a.y : (uint64_t)a.x < (uint64_t)a.y; }
static int64_t int_max(integers a) { return int_less(a) ? a.y : a.x; }
static int64_t int_min(integers a) { return int_less(a) ? a.x : a.y; }

/* x / 0 is all ones; the smallest value / -1 wraps to itself (negation avoids the trap). */
static int64_t int_div(integers a) {
    if (a.y == 0) return -1;
    if (!a.is_signed) return (int64_t)((uint64_t)a.x / (uint64_t)a.y);
    return a.y == -1 ? int_neg(a) : a.x / a.y;
}

static int64_t int_rem(integers a) {
    if (a.y == 0) return a.x;
    if (!a.is_signed) return (int64_t)((uint64_t)a.x % (uint64_t)a.y);
    return a.y == -1 ? 0 : a.x % a.y;
}

static int64_t int_pow(integers a) {
    if (a.is_signed && a.y < 0) {
        if (a.x == -1) return a.y % 2 ? -1 : 1;
        return a.x == 1;
    }
    uint64_t result = 1, base = (uint64_t)a.x;
    for (uint64_t e = (uint64_t)a.y; e; e >>= 1) {
        if (e & 1) result *= base;
        base *= base;
    }
    return (int64_t)result;
}

/* A negative count is, as an unsigned number, beyond the width. */
static bool shifts_all(integers a) { return low_bits(a.y, a.bits) >= (uint64_t)a.bits; }

static int64_t int_shift_left(integers a) { return shifts_all(a) ? 0 : (int64_t)((uint64_t)a.x << a.y); }

static int64_t int_shift_right_logical(integers a) {
    return shifts_all(a) ? 0 : (int64_t)(low_bits(a.x, a.bits) >> a.y);
}

/* The sign is the highest bit of the dtype's width, for unsigned dtypes too. */
static int64_t int_shift_right_arithmetic(integers a) {
    uint64_t x = low_bits(a.x, a.bits), sign_bits = x >> (a.bits - 1) ? ~UINT64_C(0) : 0;
    if (shifts_all(a)) return (int64_t)sign_bits;
    uint64_t fill = a.y ? sign_bits << (a.bits - a.y) : 0;
    return (int64_t)((x >> a.y) | fill);
}

static int64_t int_popcount(integers a) {
    int64_t count = 0;
    for (uint64_t x = low_bits(a.x, a.bits); x; x &= x - 1) count++;
    return count;
}

static int64_t int_clz(integers a) {
    int64_t count = a.bits;
    for (uint64_t x = low_bits(a.x, a.bits); x; x >>= 1) count--;
    return count;
}

/* ---- operations that look at attributes or mix dtypes ---- */

static fxi_scalar map_convert(const fx_node *node, const fxi_scalar *v) {
    return fxi_scalar_convert(v[0], node->operands[0]->shape.dtype, node->shape.dtype);
}

static fxi_scalar map_select(const fx_node *node, const fxi_scalar *v) {
    (void)node;
    return v[0].i ? v[1] : v[2];
}

static fxi_scalar map_clamp(const fx_node *node, const fxi_scalar *v) {
    fx_dtype dtype = node->shape.dtype;
    return fxi_reduce_combine(FXI_MIN, dtype, fxi_reduce_combine(FXI_MAX, dtype, v[1], v[0]), v[2]);
}

static fxi_scalar map_complex(const fx_node *node, const fxi_scalar *v) {
    (void)node;
    return (fxi_scalar){.re = v[0].re, .im = v[1].re};
}

static fxi_scalar map_is_finite(const fx_node *node, const fxi_scalar *v) {
    (void)node;
    return (fxi_scalar){.i = isfinite(v[0].re) != 0};
}

/* Order of the bits as sign and magnitude: -NaN < -Inf < ... < -0 < +0 < ... < NaN. Widening to double
 * keeps it. */
static int64_t total_order_key(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits - 1 : bits;
}

static bool decide(fxi_direction direction, bool less, bool equal, bool greater) {
    switch (direction) {
    case FXI_EQ: return equal;
    case FXI_NE: return !equal;
    case FXI_LT: return less;
    case FXI_LE: return less || equal;
    case FXI_GT: return greater;
    case FXI_GE: return greater || equal;
    case FXI_DIRECTIONS: break;
    }
    return false;
}

static fxi_scalar map_compare(const fx_node *node, const fxi_scalar *v) {
    const fxi_dtype_info *info = fxi_dtype_info_of(node->operands[0]->shape.dtype);
    fxi_direction direction = (fxi_direction)fxi_node_int(node, FXI_ATTR_DIRECTION);
    bool less, equal, greater;
    if (info->kind == FXI_KIND_FLOAT && fxi_node_int(node, FXI_ATTR_TOTAL_ORDER)) {
        int64_t x = total_order_key(v[0].re), y = total_order_key(v[1].re);
        less = x < y;
        equal = x == y;
        greater = x > y;
    } else if (info->kind == FXI_KIND_FLOAT || info->kind == FXI_KIND_COMPLEX) {
        less = v[0].re < v[1].re;
        greater = v[0].re > v[1].re;
        equal = v[0].re == v[1].re && v[0].im == v[1].im;
    } else {
        integers a = {v[0].i, v[1].i, 64, info->kind == FXI_KIND_SIGNED};
        less = int_less(a);
        equal = a.x == a.y;
        greater = !less && !equal;
    }
    return (fxi_scalar){.i = decide(direction, less, equal, greater)};
}

/* The neighbour of x in its own dtype; as magnitudes the bits of finite floats are consecutive. */
static fxi_scalar map_nextafter(const fx_node *node, const fxi_scalar *v) {
    fx_dtype dtype = node->shape.dtype;
    double x = v[0].re, y = v[1].re;
    if (isnan(x)) return v[0];
    if (isnan(y) || x == y) return v[1];
    uint64_t sign_bit = UINT64_C(1) << (fx_dtype_bits(dtype) - 1), bits = float_bits(dtype, v[0]);
    if (x == 0) return float_from_bits(dtype, (y < 0 ? sign_bit : 0) | 1);
    return float_from_bits(dtype, (y > x) == (x > 0) ? bits + 1 : bits - 1);
}

/* StableHLO's algorithm on the bits: round the mantissa to nearest even, then let the exponent overflow to
 * infinity or underflow to zero (subnormals of the narrower exponent become zero). NaN stays NaN. */
static fxi_scalar map_reduce_precision(const fx_node *node, const fxi_scalar *v) {
    fx_dtype dtype = node->shape.dtype;
    int mantissa = dtype == FX_F64 ? 52 : dtype == FX_F32 ? 23 : dtype == FX_F16 ? 10 : 7;
    int exponent = fx_dtype_bits(dtype) - 1 - mantissa;
    int64_t to_exponent = fxi_node_int(node, FXI_ATTR_EXPONENT),
            to_mantissa = fxi_node_int(node, FXI_ATTR_MANTISSA);
    if (isnan(v[0].re)) return v[0];
    uint64_t bits = float_bits(dtype, v[0]), sign_bit = UINT64_C(1) << (exponent + mantissa);
    uint64_t negative = bits & sign_bit, magnitude = bits & (sign_bit - 1);
    if (to_mantissa < mantissa) {
        uint64_t last = UINT64_C(1) << (mantissa - to_mantissa), odd = magnitude & last ? 1 : 0;
        magnitude = (magnitude + (last >> 1) - 1 + odd) & ~(last - 1);
    }
    if (to_exponent < exponent) {
        uint64_t bias = (UINT64_C(1) << (exponent - 1)) - 1, reduced = (UINT64_C(1) << (to_exponent - 1)) - 1;
        uint64_t biased = magnitude >> mantissa, infinity = ((UINT64_C(1) << exponent) - 1) << mantissa;
        if (biased > bias + reduced) magnitude = infinity;
        if (biased <= bias - reduced) magnitude = 0;
    }
    return float_from_bits(dtype, negative | magnitude);
}

/* ---- the table ---- */

typedef struct element_rule {
    double (*one)(double);                /* floats, one operand */
    long double (*one_wide)(long double); /* float64; all floats where `one` is NULL */
    double (*two)(double, double);        /* floats, two operands */
    long double (*two_wide)(long double, long double);
    int64_t (*integer)(integers);                           /* integers and bool */
    fxi_scalar (*any)(const fx_node *, const fxi_scalar *); /* whatever the dtypes; comes first */
} element_rule;

static const element_rule rules[FX_OP_COUNT] = {
    [FX_OP_ABS] = {.one = fabs, .integer = int_abs},
    [FX_OP_NEG] = {.one = neg, .integer = int_neg},
    [FX_OP_SIGN] = {.one = sign, .integer = int_sign},
    [FX_OP_CEIL] = {.one = ceil},
    [FX_OP_FLOOR] = {.one = floor},
    [FX_OP_ROUND] = {.one = nearbyint},
    [FX_OP_ROUND_AWAY] = {.one = round},
    [FX_OP_TRUNC] = {.one = trunc},
    [FX_OP_EXP] = {.one = exp, .one_wide = expl},
    [FX_OP_EXPM1] = {.one = expm1, .one_wide = expm1l},
    [FX_OP_EXP2] = {.one = exp2, .one_wide = exp2l},
    [FX_OP_LOG] = {.one = log, .one_wide = logl},
    [FX_OP_LOG1P] = {.one = log1p, .one_wide = log1pl},
    [FX_OP_LOG2] = {.one = log2, .one_wide = log2l},
    [FX_OP_LOG10] = {.one = log10, .one_wide = log10l},
    [FX_OP_SQRT] = {.one = sqrt},
    [FX_OP_RSQRT] = {.one = rsqrt, .one_wide = rsqrt_wide},
    [FX_OP_CBRT] = {.one = cbrt, .one_wide = cbrtl},
    [FX_OP_SIN] = {.one = sin, .one_wide = sinl},
    [FX_OP_COS] = {.one = cos, .one_wide = cosl},
    [FX_OP_TAN] = {.one = tan, .one_wide = tanl},
    [FX_OP_ASIN] = {.one = asin, .one_wide = asinl},
    [FX_OP_ACOS] = {.one = acos, .one_wide = acosl},
    [FX_OP_ATAN] = {.one = atan, .one_wide = atanl},
    [FX_OP_SINH] = {.one = sinh, .one_wide = sinhl},
    [FX_OP_COSH] = {.one = cosh, .one_wide = coshl},
    [FX_OP_TANH] = {.one = tanh, .one_wide = tanhl},
    [FX_OP_ASINH] = {.one = asinh, .one_wide = asinhl},
    [FX_OP_ACOSH] = {.one = acosh, .one_wide = acoshl},
    [FX_OP_ATANH] = {.one = atanh, .one_wide = atanhl},
    [FX_OP_LOGISTIC] = {.one = logistic, .one_wide = logistic_wide},
    [FX_OP_ERF] = {.one = erf, .one_wide = erfl},
    [FX_OP_ERFC] = {.one = erfc, .one_wide = erfcl},
    [FX_OP_ERF_INV] = {.one_wide = fxi_element_erf_inv},
    [FX_OP_LGAMMA] = {.one_wide = fxi_element_lgamma},
    [FX_OP_DIGAMMA] = {.one_wide = fxi_element_digamma},
    [FX_OP_BESSEL_I0E] = {.one_wide = fxi_element_bessel_i0e},
    [FX_OP_BESSEL_I1E] = {.one_wide = fxi_element_bessel_i1e},
    [FX_OP_NOT] = {.integer = int_not},
    [FX_OP_POPCOUNT] = {.integer = int_popcount},
    [FX_OP_CLZ] = {.integer = int_clz},
    [FX_OP_IS_FINITE] = {.any = map_is_finite},
    [FX_OP_REAL] = {.one = same},
    [FX_OP_IMAG] = {.one = zero},
    [FX_OP_CONJ] = {.one = same},
    [FX_OP_REDUCE_PRECISION] = {.any = map_reduce_precision},
    [FX_OP_CONVERT] = {.any = map_convert},
    [FX_OP_ADD] = {.two = add, .integer = int_add},
    [FX_OP_SUB] = {.two = sub, .integer = int_sub},
    [FX_OP_MUL] = {.two = mul, .integer = int_mul},
    [FX_OP_DIV] = {.two = div_float, .integer = int_div},
    [FX_OP_REM] = {.two = fmod, .integer = int_rem},
    [FX_OP_POW] = {.two = pow, .two_wide = powl, .integer = int_pow},
    [FX_OP_MAX] = {.two = larger, .integer = int_max},
    [FX_OP_MIN] = {.two = smaller, .integer = int_min},
    [FX_OP_ATAN2] = {.two = atan2, .two_wide = atan2l},
    [FX_OP_HYPOT] = {.two = hypot, .two_wide = hypotl},
    [FX_OP_COPYSIGN] = {.two = copysign},
    [FX_OP_NEXTAFTER] = {.any = map_nextafter},
    [FX_OP_COMPLEX] = {.any = map_complex},
    [FX_OP_AND] = {.integer = int_and},
    [FX_OP_OR] = {.integer = int_or},
    [FX_OP_XOR] = {.integer = int_xor},
    [FX_OP_SHIFT_LEFT] = {.integer = int_shift_left},
    [FX_OP_SHIFT_RIGHT_ARITHMETIC] = {.integer = int_shift_right_arithmetic},
    [FX_OP_SHIFT_RIGHT_LOGICAL] = {.integer = int_shift_right_logical},
    [FX_OP_COMPARE] = {.any = map_compare},
    [FX_OP_STRONG_MUL] = {.two = strong_mul},
    [FX_OP_STRONG_DIV] = {.two = strong_div},
    [FX_OP_SELECT] = {.any = map_select},
    [FX_OP_CLAMP] = {.any = map_clamp},
    [FX_OP_PHILOX] = {.any = fxi_element_philox},
};

static double apply_float(const element_rule *rule, bool wide, const fxi_scalar *v) {
    if (rule->one && !(wide && rule->one_wide)) return rule->one(v[0].re);
    if (rule->one_wide) return (double)rule->one_wide(v[0].re);
    if (rule->two_wide && wide) return (double)rule->two_wide(v[0].re, v[1].re);
    return rule->two ? rule->two(v[0].re, v[1].re) : (double)NAN;
}

static int64_t apply_integer(const element_rule *rule, const fxi_dtype_info *info, int64_t x, int64_t y) {
    bool is_bool = info->kind == FXI_KIND_BOOL;
    integers a = {.x = x,
                  .y = y,
                  .bits = is_bool ? 1 : info->bits,
                  .is_signed = info->kind == FXI_KIND_SIGNED};
    int64_t result = rule->integer ? rule->integer(a) : 0;
    return is_bool ? result & 1 : result;
}

static fxi_scalar apply(fx_op op, fx_dtype dtype, const fxi_scalar *v, int operands) {
    const element_rule *rule = &rules[op];
    const fxi_dtype_info *info = fxi_dtype_info_of(dtype);
    fxi_scalar r = {0};
    if (info->kind == FXI_KIND_FLOAT) {
        r.re = apply_float(rule, dtype == FX_F64, v);
    } else if (info->kind == FXI_KIND_COMPLEX) {
        r = fxi_element_complex(op, v);
    } else {
        r.i = apply_integer(rule, info, v[0].i, operands > 1 ? v[1].i : 0);
    }
    return r;
}

fxi_scalar fxi_map_element(const fx_node *node, const fxi_scalar *operands) {
    const element_rule *rule = &rules[node->op];
    if (rule->any) return rule->any(node, operands);
    return apply(node->op, node->operands[0]->shape.dtype, operands, (int)node->operand_count);
}

/* ---- reductions ---- */

static const fx_op reduce_ops[FXI_REDUCE_KINDS] = {
    [FXI_SUM] = FX_OP_ADD, [FXI_PRODUCT] = FX_OP_MUL, [FXI_MAX] = FX_OP_MAX, [FXI_MIN] = FX_OP_MIN,
    [FXI_AND] = FX_OP_AND, [FXI_OR] = FX_OP_OR,       [FXI_XOR] = FX_OP_XOR,
};

fxi_scalar fxi_reduce_combine(fxi_reduce_kind kind, fx_dtype dtype, fxi_scalar a, fxi_scalar b) {
    const fxi_scalar pair[2] = {a, b};
    return apply(reduce_ops[kind], dtype, pair, 2);
}

fxi_scalar fxi_reduce_neutral(fxi_reduce_kind kind, fx_dtype dtype) {
    switch (kind) {
    case FXI_PRODUCT: return (fxi_scalar){.i = 1, .re = 1};
    case FXI_MAX: return fxi_dtype_lowest(dtype);
    case FXI_MIN: return fxi_dtype_highest(dtype);
    case FXI_AND: return (fxi_scalar){.i = dtype == FX_BOOL ? 1 : -1};
    case FXI_SUM:
    case FXI_OR:
    case FXI_XOR:
    case FXI_REDUCE_KINDS: break;
    }
    return (fxi_scalar){0};
}
