/* SPDX-License-Identifier: Apache-2.0 */
/* What the vector functions are built from: fused multiply-add, sign handling, Horner, rounding, scaling
 * by powers of two, and the error-free sums and products behind results of about half an ulp. Everything
 * is branch-free and keeps to operations that every supported machine has in vector form. */
#include "emit_math_internal.h"

fxi_math_code fxi_math_begin(fxi_emit *e, unsigned bits) {
    LLVMTypeRef f32 = LLVMFloatTypeInContext(e->context), f64 = LLVMDoubleTypeInContext(e->context);
    fxi_math_code m = {.e = e, .bits = bits, .precision = bits == 64};
    m.type = fxi_emit_vector_of(e, bits == 32 ? f32 : f64);
    m.itype = fxi_emit_vector_of(e, LLVMIntTypeInContext(e->context, bits));
    return m;
}

fxi_math_code fxi_math_widened(const fxi_math_code *m) {
    fxi_math_code wide = fxi_math_begin(m->e, 64);
    wide.precision = 0;
    return wide;
}

fxi_vec fxi_math_widen(fxi_math_code *wide, fxi_vec a) {
    return LLVMBuildFPExt(wide->e->builder, a, wide->type, "");
}

fxi_vec fxi_math_narrow(fxi_math_code *m, fxi_vec a) {
    return LLVMBuildFPTrunc(m->e->builder, a, m->type, "");
}

fxi_vec fxi_math_fma(fxi_math_code *m, fxi_vec a, fxi_vec b, fxi_vec c) {
    fxi_vec arguments[] = {a, b, c};
    return fxi_emit_intrinsic(m->e, "llvm.fma", m->type, arguments, 3);
}

fxi_vec fxi_math_abs(fxi_math_code *m, fxi_vec a) {
    return fxi_emit_intrinsic(m->e, "llvm.fabs", m->type, &a, 1);
}

fxi_vec fxi_math_sqrt(fxi_math_code *m, fxi_vec a) {
    return fxi_emit_intrinsic(m->e, "llvm.sqrt", m->type, &a, 1);
}

fxi_vec fxi_math_trunc(fxi_math_code *m, fxi_vec a) {
    return fxi_emit_intrinsic(m->e, "llvm.trunc", m->type, &a, 1);
}

fxi_vec fxi_math_floor(fxi_math_code *m, fxi_vec a) {
    return fxi_emit_intrinsic(m->e, "llvm.floor", m->type, &a, 1);
}

fxi_vec fxi_math_nearest(fxi_math_code *m, fxi_vec a) {
    return fxi_emit_intrinsic(m->e, "llvm.roundeven", m->type, &a, 1);
}

/* limit < a ? limit : a, which is exactly what a minps with the NaN candidate second computes. */
fxi_vec fxi_math_min(fxi_math_code *m, fxi_vec a, fxi_vec limit) {
    return pick(m, fcmp(m, LLVMRealOLT, limit, a), limit, a);
}

fxi_vec fxi_math_max(fxi_math_code *m, fxi_vec a, fxi_vec limit) {
    return pick(m, fcmp(m, LLVMRealOGT, limit, a), limit, a);
}

fxi_vec fxi_math_sign(fxi_math_code *m, fxi_vec a) { return iand(m, as_int(m, a), integer(m, sign_bit(m))); }

fxi_vec fxi_math_with_sign(fxi_math_code *m, fxi_vec magnitude, fxi_vec sign) {
    return as_float(m, ior(m, as_int(m, magnitude), sign));
}

fxi_vec fxi_math_flip(fxi_math_code *m, fxi_vec a, fxi_vec sign) {
    return as_float(m, ixor(m, as_int(m, a), sign));
}

fxi_vec fxi_math_infinity(fxi_math_code *m) { return real(m, INFINITY); }

fxi_vec fxi_math_nan(fxi_math_code *m) { return real(m, NAN); }

fxi_vec fxi_math_poly(fxi_math_code *m, fxi_vec x, const fxi_poly pair[2]) {
    const fxi_poly *p = &pair[m->precision];
    fxi_vec sum = real(m, p->c[p->count - 1]);
    for (unsigned i = p->count - 1; i > 0; i--) sum = fxi_math_fma(m, sum, x, real(m, p->c[i - 1]));
    return sum;
}

fxi_vec fxi_math_poly_pick(fxi_math_code *m, fxi_vec x, fxi_vec mask, const fxi_poly yes[2],
                           const fxi_poly no[2]) {
    const fxi_poly *p = &yes[m->precision], *q = &no[m->precision];
    unsigned count = p->count > q->count ? p->count : q->count;
    fxi_vec sum = NULL;
    for (unsigned i = count; i-- > 0;) {
        fxi_vec c = real(m, i < p->count ? p->c[i] : 0);
        c = pick(m, mask, c, real(m, i < q->count ? q->c[i] : 0));
        sum = sum ? fxi_math_fma(m, sum, x, c) : c;
    }
    return sum;
}

/* Adding 1.5 * 2^(mantissa bits) leaves the rounded integer in the low bits of the sum: one fma rounds and
 * converts. */
fxi_vec fxi_math_round(fxi_math_code *m, fxi_vec x, fxi_vec scale, fxi_vec *n_int) {
    fxi_vec magic = real2(m, 0x1.8p23, 0x1.8p52);
    fxi_vec shifted = fxi_math_fma(m, x, scale, magic);
    if (n_int) *n_int = isub(m, as_int(m, shifted), LLVMConstBitCast(magic, m->itype));
    return sub(m, shifted, magic);
}

/* The low bits of the magic number are zero, so shifting the sum gives n at the place of the exponent at
 * once. */
fxi_vec fxi_math_round_exponent(fxi_math_code *m, fxi_vec x, fxi_vec scale, fxi_vec *n_exponent) {
    fxi_vec magic = real2(m, 0x1.8p23, 0x1.8p52);
    fxi_vec shifted = fxi_math_fma(m, x, scale, magic);
    *n_exponent = LLVMBuildShl(m->e->builder, as_int(m, shifted), integer(m, mantissa_bits(m)), "");
    return sub(m, shifted, magic);
}

/* The way back of the same trick, as AVX2 cannot convert 64-bit integers. */
fxi_vec fxi_math_small_to_float(fxi_math_code *m, fxi_vec n) {
    if (m->bits == 32) return LLVMBuildSIToFP(m->e->builder, n, m->type, "");
    fxi_vec magic = real(m, 0x1.8p52);
    fxi_vec shifted = iadd(m, n, LLVMConstBitCast(magic, m->itype));
    return sub(m, as_float(m, shifted), magic);
}

fxi_vec fxi_math_power_of_two(fxi_math_code *m, fxi_vec n) {
    fxi_vec biased = iadd(m, n, integer(m, exponent_bias(m)));
    return as_float(m, LLVMBuildShl(m->e->builder, biased, integer(m, mantissa_bits(m)), ""));
}

/* Two factors: the first product stays normal (it is exact), the second rounds. */
fxi_vec fxi_math_scale(fxi_math_code *m, fxi_vec a, fxi_vec n) {
    fxi_vec half = LLVMBuildAShr(m->e->builder, n, integer(m, 1), "");
    fxi_vec rest = isub(m, n, half);
    fxi_vec first = mul(m, a, fxi_math_power_of_two(m, half));
    return mul(m, first, fxi_math_power_of_two(m, rest));
}

/* AVX-512 has an instruction for it, with the same single rounding; it takes n as a float. */
fxi_vec fxi_math_scale_rounded(fxi_math_code *m, fxi_vec a, fxi_vec n, fxi_vec n_int) {
    const fxi_target *target = m->e->target;
    bool fits = target->avx512 && target->vector_bytes == 64 && m->bits * m->e->lanes == 512;
    if (!fits) return fxi_math_scale(m, a, n_int);
    LLVMContextRef context = m->e->context;
    LLVMTypeRef mask = LLVMIntTypeInContext(context, m->e->lanes);
    LLVMValueRef current_rounding = LLVMConstInt(LLVMInt32TypeInContext(context), 4, 0);
    LLVMValueRef arguments[] = {a, n, a, LLVMConstAllOnes(mask), current_rounding};
    static const char f32_name[] = "llvm.x86.avx512.mask.scalef.ps.512";
    static const char f64_name[] = "llvm.x86.avx512.mask.scalef.pd.512";
    return fxi_emit_intrinsic(m->e, m->bits == 32 ? f32_name : f64_name, m->type, arguments, 5);
}

LLVMValueRef fxi_math_any(fxi_math_code *m, fxi_vec mask) {
    if (m->e->lanes == 1) return mask;
    LLVMTypeRef flat = LLVMIntTypeInContext(m->e->context, m->e->lanes);
    LLVMValueRef bits = LLVMBuildBitCast(m->e->builder, mask, flat, "");
    return LLVMBuildICmp(m->e->builder, LLVMIntNE, bits, LLVMConstNull(flat), "");
}

fxi_pair fxi_math_fast_two_sum(fxi_math_code *m, fxi_vec a, fxi_vec b) {
    fxi_pair s = {.hi = add(m, a, b)};
    s.lo = sub(m, b, sub(m, s.hi, a));
    return s;
}

fxi_pair fxi_math_two_sum(fxi_math_code *m, fxi_vec a, fxi_vec b) {
    fxi_pair s = {.hi = add(m, a, b)};
    fxi_vec b_part = sub(m, s.hi, a);
    fxi_vec a_error = sub(m, a, sub(m, s.hi, b_part));
    fxi_vec b_error = sub(m, b, b_part);
    s.lo = add(m, a_error, b_error);
    return s;
}

fxi_pair fxi_math_two_prod(fxi_math_code *m, fxi_vec a, fxi_vec b) {
    fxi_pair p = {.hi = mul(m, a, b)};
    p.lo = fxi_math_fma(m, a, b, negate(m, p.hi));
    return p;
}

fxi_pair fxi_math_cube(fxi_math_code *m, fxi_vec a, fxi_vec square) {
    fxi_vec square_lo = fxi_math_fma(m, a, a, negate(m, square));
    fxi_pair cube = fxi_math_two_prod(m, square, a);
    cube.lo = fxi_math_fma(m, square_lo, a, cube.lo);
    return cube;
}
