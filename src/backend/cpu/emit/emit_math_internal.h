/* SPDX-License-Identifier: Apache-2.0 */
/* A small vocabulary for writing vector math: one call emits one IR instruction on vectors of one width. The
 * files of emit_math* write each function once for f32 and f64 (fxi_math_code.bits) and take polynomials and
 * constants by precision.
 *
 * Two rules for users. (1) At most one argument of a call may itself emit an instruction: C leaves the
 * order of arguments open, and the IR must not depend on the compiler that built us. (2) add, mul and so
 * on are strict IEEE; products are contracted only where `fma` is written, so error-free transformations
 * (two_sum and the like) hold as written. */
#ifndef FXI_EMIT_MATH_INTERNAL_H
#define FXI_EMIT_MATH_INTERNAL_H

#include "emit_math.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef LLVMValueRef fxi_vec;

typedef struct fxi_math_code {
    fxi_emit *e;
    unsigned bits;      /* width of the arithmetic, 32 or 64 */
    unsigned precision; /* index into fxi_poly pairs: 0 for results of f32 accuracy, 1 for f64 */
    LLVMTypeRef type;   /* vector (or scalar) of floats */
    LLVMTypeRef itype;  /* of integers of the same width */
} fxi_math_code;

/* Coefficients, lowest power first; pairs are for f32 and f64 accuracy. */
typedef struct fxi_poly {
    unsigned count;
    const double *c;
} fxi_poly;

/* An unevaluated sum with |lo| <= ulp(hi)/2, or about that. */
typedef struct fxi_pair {
    fxi_vec hi, lo;
} fxi_pair;

#define FXI_MATH_POLYNOMIALS(X)                                                                              \
    X(exp)                                                                                                   \
    X(exp_minus) X(expm1) X(exp2) X(log) X(log_third) X(log_atanh) X(tanh) X(half_expm1) X(cosh) X(sinh)     \
        X(sin) X(cos) X(tan) X(asin) X(atan) X(cbrt) X(erf) X(erf_log) X(erfc) X(erf_inv_a) X(erf_inv_b)     \
            X(erf_inv_c) X(pow_log) X(lgamma) X(stirling) X(digamma) X(digamma_series) X(bessel_i0)          \
                X(bessel_i1) X(bessel_i0_large) X(bessel_i1_large)
#define X(name) extern const fxi_poly fxi_poly_##name[2];
FXI_MATH_POLYNOMIALS(X)
#undef X

/* ---- one instruction each ---- */
#define FXI_MATH_BINARY(X) \
    X(add, FAdd) X(sub, FSub) X(mul, FMul) X(divide, FDiv) \
    X(iadd, Add) X(isub, Sub) X(iand, And) X(ior, Or) X(ixor, Xor)
#define X(name, instruction) \
    static inline fxi_vec name(fxi_math_code *m, fxi_vec a, fxi_vec b) { \
        return LLVMBuild##instruction(m->e->builder, a, b, ""); \
    }
FXI_MATH_BINARY(X)
#undef X
static inline fxi_vec negate(fxi_math_code *m, fxi_vec a) { return LLVMBuildFNeg(m->e->builder, a, ""); }
static inline fxi_vec as_int(fxi_math_code *m, fxi_vec a) {
    return LLVMBuildBitCast(m->e->builder, a, m->itype, "");
}
static inline fxi_vec as_float(fxi_math_code *m, fxi_vec a) {
    return LLVMBuildBitCast(m->e->builder, a, m->type, "");
}
static inline fxi_vec pick(fxi_math_code *m, fxi_vec mask, fxi_vec yes, fxi_vec no) {
    return LLVMBuildSelect(m->e->builder, mask, yes, no, "");
}
static inline fxi_vec fcmp(fxi_math_code *m, LLVMRealPredicate p, fxi_vec a, fxi_vec b) {
    return LLVMBuildFCmp(m->e->builder, p, a, b, "");
}
static inline fxi_vec icmp(fxi_math_code *m, LLVMIntPredicate p, fxi_vec a, fxi_vec b) {
    return LLVMBuildICmp(m->e->builder, p, a, b, "");
}

/* ---- constants in every lane ---- */
static inline fxi_vec real(fxi_math_code *m, double value) {
    return m->bits == 32 ? fxi_emit_f32(m->e, value) : fxi_emit_f64(m->e, value);
}
static inline fxi_vec integer(fxi_math_code *m, int64_t value) {
    return fxi_emit_int(m->e, m->bits, (uint64_t)value);
}
/* The constant for the width of the arithmetic. */
static inline fxi_vec real2(fxi_math_code *m, double value32, double value64) {
    return real(m, m->bits == 32 ? value32 : value64);
}
static inline int64_t mantissa_bits(const fxi_math_code *m) { return m->bits == 32 ? 23 : 52; }
static inline int64_t exponent_bias(const fxi_math_code *m) { return m->bits == 32 ? 127 : 1023; }
static inline int64_t sign_bit(const fxi_math_code *m) {
    return m->bits == 32 ? INT64_C(0x80000000) : INT64_MIN;
}
static inline int64_t infinity_bits(const fxi_math_code *m) {
    return m->bits == 32 ? INT64_C(0x7f800000) : INT64_C(0x7ff0000000000000);
}

/* ---- emit_math_common.c ---- */
fxi_math_code fxi_math_begin(fxi_emit *e, unsigned bits); /* arithmetic and precision of `bits` */

/* Arithmetic in f64 for results of f32 accuracy: the way out where f32 would need much compensation. */
fxi_math_code fxi_math_widened(const fxi_math_code *m);
fxi_vec fxi_math_widen(fxi_math_code *wide, fxi_vec a); /* f32 to f64 */
fxi_vec fxi_math_narrow(fxi_math_code *m, fxi_vec a);   /* f64 to f32 */

fxi_vec fxi_math_fma(fxi_math_code *m, fxi_vec a, fxi_vec b, fxi_vec c); /* a * b + c, rounded once */
fxi_vec fxi_math_abs(fxi_math_code *m, fxi_vec a);
fxi_vec fxi_math_sqrt(fxi_math_code *m, fxi_vec a);
fxi_vec fxi_math_trunc(fxi_math_code *m, fxi_vec a);
fxi_vec fxi_math_floor(fxi_math_code *m, fxi_vec a);
fxi_vec fxi_math_nearest(fxi_math_code *m, fxi_vec a); /* integer, ties to even */
fxi_vec fxi_math_min(fxi_math_code *m, fxi_vec a, fxi_vec limit); /* one instruction; keeps a NaN in a */
fxi_vec fxi_math_max(fxi_math_code *m, fxi_vec a, fxi_vec limit);
fxi_vec fxi_math_sign(fxi_math_code *m, fxi_vec a);                 /* the sign bit alone, as integer */
/* magnitude >= 0; sign from fxi_math_sign. */
fxi_vec fxi_math_with_sign(fxi_math_code *m, fxi_vec magnitude, fxi_vec sign);
fxi_vec fxi_math_flip(fxi_math_code *m, fxi_vec a, fxi_vec sign);   /* a with its sign bit xored */
fxi_vec fxi_math_infinity(fxi_math_code *m);
fxi_vec fxi_math_nan(fxi_math_code *m);

/* Integers below 2^22 (f32) or 2^51 (f64) in size, signed. */
fxi_vec fxi_math_small_to_float(fxi_math_code *m, fxi_vec n);

/* Horner's scheme in x over the coefficients for the precision of m. */
fxi_vec fxi_math_poly(fxi_math_code *m, fxi_vec x, const fxi_poly pair[2]);

/* The same with each lane's coefficients from `yes` or `no`. */
fxi_vec fxi_math_poly_pick(fxi_math_code *m, fxi_vec x, fxi_vec mask, const fxi_poly yes[2],
                           const fxi_poly no[2]);

/* n = x * scale rounded to an integer, both as float and as integer; |n| below 2^22 (f32) or 2^51 (f64). */
fxi_vec fxi_math_round(fxi_math_code *m, fxi_vec x, fxi_vec scale, fxi_vec *n_int);
/* The same with n moved to the exponent's place, n 2^(mantissa bits); |n| within the exponent's range. */
fxi_vec fxi_math_round_exponent(fxi_math_code *m, fxi_vec x, fxi_vec scale, fxi_vec *n_exponent);
/* 2^n for normal results, n an integer vector. */
fxi_vec fxi_math_power_of_two(fxi_math_code *m, fxi_vec n);
/* a * 2^n, rounded once if it becomes subnormal; |n| up to twice the exponent range. */
fxi_vec fxi_math_scale(fxi_math_code *m, fxi_vec a, fxi_vec n);
fxi_vec fxi_math_scale_rounded(fxi_math_code *m, fxi_vec a, fxi_vec n, fxi_vec n_int); /* n in both forms */

LLVMValueRef fxi_math_any(fxi_math_code *m, fxi_vec mask); /* an i1: some lane of the mask is set */

fxi_pair fxi_math_fast_two_sum(fxi_math_code *m, fxi_vec a, fxi_vec b); /* needs |a| >= |b| or a = 0 */
fxi_pair fxi_math_two_sum(fxi_math_code *m, fxi_vec a, fxi_vec b);
fxi_pair fxi_math_two_prod(fxi_math_code *m, fxi_vec a, fxi_vec b);
fxi_pair fxi_math_cube(fxi_math_code *m, fxi_vec a, fxi_vec square); /* a^3, given a * a rounded */

/* ---- parts that several families share ---- */
typedef struct fxi_math_reduced {
    fxi_vec n;       /* integer vector */
    fxi_vec r, r_lo; /* the rest, as a pair */
} fxi_math_reduced;
fxi_math_reduced fxi_math_exp_reduce(fxi_math_code *m, fxi_vec x); /* x = n ln2 + r */
fxi_vec fxi_math_exp_poly(fxi_math_code *m, fxi_vec r);            /* e^r, |r| <= ln2/2 */

/* |x| = n pi/2 + r, x >= 0; emits branches, so it belongs in out-of-line functions. Infinity gives NaN. */
fxi_math_reduced fxi_math_trig_reduce(fxi_math_code *m, fxi_vec x);

/* sin(q pi/2 + r + lo), |r| <= pi/4; the lowest two bits of q count. */
fxi_vec fxi_math_sin_quadrant(fxi_math_code *m, fxi_vec q, fxi_vec r, fxi_vec lo);

typedef struct fxi_math_split {
    fxi_vec k, f; /* x = 2^k (1 + f), both as floats, f exact */
    fxi_vec k_int;
} fxi_math_split;
fxi_math_split fxi_math_log_split(fxi_math_code *m, fxi_vec x); /* x > 0, finite; subnormals too */
fxi_vec fxi_math_log_tail(fxi_math_code *m, fxi_vec f);         /* log(1+f) - f */
/* log(2^more_k (hi + lo + lowest)) for a pair; lowest and more_k (a float vector) may be NULL. */
fxi_vec fxi_math_log_pair(fxi_math_code *m, fxi_vec hi, fxi_vec lo, fxi_vec lowest, fxi_vec more_k);
/* The same as an unevaluated sum, lo below hi; numbers > 0 only. */
fxi_pair fxi_math_log_both(fxi_math_code *m, fxi_vec hi, fxi_vec lo, fxi_vec lowest, fxi_vec more_k);
fxi_vec fxi_math_log_specials(fxi_math_code *m, fxi_vec x, fxi_vec result);

/* ---- the functions, by family; each handles every special value ---- */
typedef fxi_vec (*fxi_math_emitter)(fxi_math_code *m, fxi_vec a, fxi_vec b);

/* emit_math_exp.c */
fxi_vec fxi_math_exp(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_exp2(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_expm1(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_logistic(fxi_math_code *m, fxi_vec x, fxi_vec unused);
/* emit_math_log.c */
fxi_vec fxi_math_log(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_log1p(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_log2(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_log10(fxi_math_code *m, fxi_vec x, fxi_vec unused);
/* emit_math_hyperbolic.c */
fxi_vec fxi_math_tanh(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_sinh(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_cosh(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_asinh(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_acosh(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_atanh(fxi_math_code *m, fxi_vec x, fxi_vec unused);
/* emit_math_trig.c */
fxi_vec fxi_math_sin(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_cos(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_tan(fxi_math_code *m, fxi_vec x, fxi_vec unused);
/* emit_math_arc.c */
fxi_vec fxi_math_asin(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_acos(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_atan(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_atan2(fxi_math_code *m, fxi_vec a, fxi_vec b);
/* emit_math_power.c */
fxi_vec fxi_math_cbrt(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_rsqrt(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_hypot(fxi_math_code *m, fxi_vec a, fxi_vec b);
fxi_vec fxi_math_rem(fxi_math_code *m, fxi_vec a, fxi_vec b);
/* emit_math_pow.c */
fxi_vec fxi_math_pow(fxi_math_code *m, fxi_vec a, fxi_vec b);
/* emit_math_erf.c */
fxi_vec fxi_math_erf(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_erfc(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_erf_inv(fxi_math_code *m, fxi_vec x, fxi_vec unused);
/* emit_math_gamma.c */
fxi_vec fxi_math_lgamma(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_digamma(fxi_math_code *m, fxi_vec x, fxi_vec unused);
/* emit_math_bessel.c */
fxi_vec fxi_math_bessel_i0e(fxi_math_code *m, fxi_vec x, fxi_vec unused);
fxi_vec fxi_math_bessel_i1e(fxi_math_code *m, fxi_vec x, fxi_vec unused);

#endif
