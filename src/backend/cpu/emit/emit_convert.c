/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between dtypes, with one rounding each.
 *
 * The traps avoided here: fptosi out of range is poison and llvm.fptosi.sat is scalarised; AVX2 has no
 * vector conversion between 64-bit integers and floats; rounding to f32 on the way from f64 or a wide
 * integer to a half type would round twice. For the last, the intermediate step rounds to odd: the discarded
 * bits survive as a sticky last bit, and with at least two bits to spare the final rounding to nearest even
 * is then that of the exact value. */
#include "emit_ops.h"

#include <math.h>

static fxi_ir zero_like(fxi_ir a) {
    return LLVMConstNull(LLVMTypeOf(a));
}

/* ---- small floats ---- */

/* The float8 formats: mantissa bits stored, smallest normal exponent, largest finite value, value beyond
 * it. */
typedef struct float8 {
    unsigned mantissa;
    int lowest;
    double largest, beyond;
} float8;

static float8 float8_of(fx_dtype dtype) {
    return dtype == FX_F8E5M2 ? (float8){2, -14, 57344.0, (double)INFINITY}
                              : (float8){3, -6, 448.0, (double)NAN};
}

/* Bits of an f32 magnitude rounded to nearest even at `mantissa` bits; a carry raises the exponent as it
 * should. */
static fxi_ir rounded_bits(fxi_emit *e, fxi_ir bits, unsigned mantissa) {
    unsigned dropped = 23 - mantissa;
    fxi_ir last = ir_and(e, ir_lshr(e, bits, fxi_emit_int(e, 32, dropped)), fxi_emit_int(e, 32, 1));
    fxi_ir sum = ir_add(e, bits, ir_add(e, last, fxi_emit_int(e, 32, (1u << (dropped - 1)) - 1)));
    return ir_and(e, sum, fxi_emit_int(e, 32, ~((1u << dropped) - 1)));
}

/* bfloat16 shares f32's exponents, so the carry gives infinities and subnormals alike; only NaN needs
 * care. */
static fxi_ir round_bf16(fxi_emit *e, fxi_ir value) {
    fxi_ir bits = ir_bits(e, 32, value), quiet = ir_and(e, bits, fxi_emit_int(e, 32, 0xffff0000));
    quiet = ir_or(e, quiet, fxi_emit_int(e, 32, 0x00400000));
    fxi_ir rounded = ir_select(e, ir_fcmp(e, LLVMRealUNO, value, value), quiet, rounded_bits(e, bits, 7));
    return ir_from_bits(e, 32, rounded);
}

/* float8: normal numbers by rounded_bits, subnormal ones by adding a number whose last place is their
 * grid. */
static fxi_ir round_float8(fxi_emit *e, fx_dtype dtype, fxi_ir value) {
    float8 f = float8_of(dtype);
    fxi_ir magnitude = ir_call1(e, "llvm.fabs", value);
    fxi_ir normal = ir_from_bits(e, 32, rounded_bits(e, ir_bits(e, 32, magnitude), f.mantissa));
    fxi_ir grid = fxi_emit_f32(e, ldexp(1.0, f.lowest - (int)f.mantissa + 23));
    fxi_ir subnormal = ir_fsub(e, ir_fadd(e, magnitude, grid), grid);
    fxi_ir is_subnormal = ir_fcmp(e, LLVMRealOLT, magnitude, fxi_emit_f32(e, ldexp(1.0, f.lowest)));
    fxi_ir result = ir_select(e, is_subnormal, subnormal, normal);
    fxi_ir beyond = ir_fcmp(e, LLVMRealOGT, result, fxi_emit_f32(e, f.largest));
    result = ir_select(e, beyond, fxi_emit_f32(e, f.beyond), result);
    result = ir_call2(e, "llvm.copysign", result, value);
    fxi_ir nan = ir_call2(e, "llvm.copysign", fxi_emit_f32(e, (double)NAN), value);
    return ir_select(e, ir_fcmp(e, LLVMRealUNO, value, value), nan, result);
}

fxi_ir fxi_emit_round_small(fxi_emit *e, fx_dtype dtype, fxi_ir value) {
    if (dtype == FX_BF16) return round_bf16(e, value);
    if (dtype != FX_F16) return round_float8(e, dtype, value);
    LLVMTypeRef half = fxi_emit_vector_of(e, LLVMHalfTypeInContext(e->context));
    return ir_cast(e, LLVMFPExt, ir_cast(e, LLVMFPTrunc, value, half), ir_float_type(e, 32));
}

/* e4m3fn: exponent field and mantissa move 20 bits up and the bias grows by 120. Subnormals are put on top
 * of the smallest normal number, which is then subtracted: no multiplication of f32 subnormals, which is
 * slow on some machines. */
static fxi_ir decode_e4m3fn(fxi_emit *e, fxi_ir memory) {
    fxi_ir wide = ir_resize(e, memory, 32, false), code = ir_and(e, wide, fxi_emit_int(e, 32, 0x7f));
    fxi_ir moved = ir_shl(e, code, fxi_emit_int(e, 32, 20));
    fxi_ir normal = ir_from_bits(e, 32, ir_add(e, moved, fxi_emit_int(e, 32, 120u << 23)));
    fxi_ir raised = ir_from_bits(e, 32, ir_add(e, moved, fxi_emit_int(e, 32, 121u << 23)));
    fxi_ir subnormal = ir_fsub(e, raised, fxi_emit_f32(e, 0x1p-6));
    fxi_ir value = ir_select(e, ir_icmp(e, LLVMIntULT, code, fxi_emit_int(e, 32, 8)), subnormal, normal);
    fxi_ir is_nan = ir_icmp(e, LLVMIntEQ, code, fxi_emit_int(e, 32, 0x7f));
    value = ir_select(e, is_nan, fxi_emit_f32(e, (double)NAN), value);
    fxi_ir sign = ir_shl(e, ir_and(e, wide, fxi_emit_int(e, 32, 0x80)), fxi_emit_int(e, 32, 24));
    return ir_from_bits(e, 32, ir_or(e, ir_bits(e, 32, value), sign));
}

fxi_ir fxi_emit_decode_small(fxi_emit *e, fx_dtype dtype, fxi_ir memory) {
    if (dtype == FX_BF16)
        return ir_from_bits(e, 32, ir_shl(e, ir_resize(e, memory, 32, false), fxi_emit_int(e, 32, 16)));
    if (dtype == FX_F8E4M3FN) return decode_e4m3fn(e, memory);
    if (dtype == FX_F8E5M2) /* the upper byte of a float16 */
        memory = ir_shl(e, ir_resize(e, memory, 16, false), fxi_emit_int(e, 16, 8));
    LLVMTypeRef half = fxi_emit_vector_of(e, LLVMHalfTypeInContext(e->context));
    return ir_cast(e, LLVMFPExt, ir_cast(e, LLVMBitCast, memory, half), ir_float_type(e, 32));
}

static fxi_ir encode_e4m3fn(fxi_emit *e, fxi_ir value) {
    fxi_ir magnitude = ir_call1(e, "llvm.fabs", value), shift = fxi_emit_int(e, 32, 20);
    fxi_ir normal = ir_sub(e, ir_bits(e, 32, magnitude), fxi_emit_int(e, 32, 120u << 23));
    fxi_ir raised = ir_bits(e, 32, ir_fadd(e, magnitude, fxi_emit_f32(e, 0x1p-6)));
    fxi_ir subnormal = ir_sub(e, raised, fxi_emit_int(e, 32, 121u << 23));
    fxi_ir is_subnormal = ir_fcmp(e, LLVMRealOLT, magnitude, fxi_emit_f32(e, 0x1p-6));
    fxi_ir code = ir_lshr(e, ir_select(e, is_subnormal, subnormal, normal), shift);
    code = ir_select(e, ir_fcmp(e, LLVMRealUNO, value, value), fxi_emit_int(e, 32, 0x7f), code);
    fxi_ir sign = ir_lshr(e, ir_bits(e, 32, value), fxi_emit_int(e, 32, 24));
    return ir_resize(e, ir_or(e, code, ir_and(e, sign, fxi_emit_int(e, 32, 0x80))), 8, false);
}

fxi_ir fxi_emit_encode_small(fxi_emit *e, fx_dtype dtype, fxi_ir value) {
    if (dtype == FX_BF16)
        return ir_resize(e, ir_lshr(e, ir_bits(e, 32, value), fxi_emit_int(e, 32, 16)), 16, false);
    if (dtype == FX_F8E4M3FN) return encode_e4m3fn(e, value);
    LLVMTypeRef half = fxi_emit_vector_of(e, LLVMHalfTypeInContext(e->context));
    fxi_ir bits = ir_cast(e, LLVMBitCast, ir_cast(e, LLVMFPTrunc, value, half), ir_int_type(e, 16));
    if (dtype == FX_F16) return bits;
    return ir_resize(e, ir_lshr(e, bits, fxi_emit_int(e, 16, 8)), 8, false);
}

fxi_value fxi_emit_round(fxi_emit *e, fx_dtype dtype, fxi_value value) {
    return fx_dtype_is_half(dtype) ? ir_one(fxi_emit_round_small(e, dtype, value.re)) : value;
}

/* ---- float to float ---- */

/* f64 to f32 rounded to odd: from the nearest f32, one step back if it lies further out, then the sticky
 * bit. */
static fxi_ir narrow_to_odd(fxi_emit *e, fxi_ir value) {
    fxi_ir nearest = ir_cast(e, LLVMFPTrunc, value, ir_float_type(e, 32));
    fxi_ir back = ir_cast(e, LLVMFPExt, nearest, LLVMTypeOf(value));
    fxi_ir further = ir_fcmp(e, LLVMRealOGT, ir_call1(e, "llvm.fabs", back), ir_call1(e, "llvm.fabs", value));
    fxi_ir inexact = ir_fcmp(e, LLVMRealONE, back, value);
    fxi_ir bits = ir_bits(e, 32, nearest);
    bits = ir_add(e, bits, ir_cast(e, LLVMSExt, further, ir_int_type(e, 32)));
    return ir_from_bits(e, 32, ir_or(e, bits, ir_cast(e, LLVMZExt, inexact, ir_int_type(e, 32))));
}

static bool is_small(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) && dtype != FX_F32 && dtype != FX_F64;
}

/* A value of the float dtype `from` (f32 or f64 in registers) as the float dtype `to`. */
static fxi_ir float_to_float(fxi_emit *e, fx_dtype from, fx_dtype to, fxi_ir value) {
    if (from == to) return value;
    if (to == FX_F64) return ir_cast(e, LLVMFPExt, value, ir_float_type(e, 64));
    if (to == FX_F32) return from == FX_F64 ? ir_cast(e, LLVMFPTrunc, value, ir_float_type(e, 32)) : value;
    if (from == FX_F64) value = narrow_to_odd(e, value);
    return fxi_emit_round_small(e, to, value);
}

/* ---- integer to float ---- */

/* AVX2 has no conversion from 64-bit integers: the halves become mantissas of numbers near 2^84 and 2^52,
 * whose offsets cancel in a subtraction that is exact and one addition that rounds. */
static fxi_ir long_to_double(fxi_emit *e, bool is_signed, fxi_ir value) {
    if (e->target->avx512 || e->lanes == 1)
        return ir_cast(e, is_signed ? LLVMSIToFP : LLVMUIToFP, value, ir_float_type(e, 64));
    fxi_ir low = ir_and(e, value, fxi_emit_int(e, 64, 0xffffffff));
    low = ir_from_bits(e, 64, ir_or(e, low, fxi_emit_int(e, 64, 0x4330000000000000)));
    fxi_ir high = ir_lshr(e, value, fxi_emit_int(e, 64, 32));
    high = ir_xor(e, high, fxi_emit_int(e, 64, is_signed ? 0x4530000080000000 : 0x4530000000000000));
    double offset = 0x1p84 + 0x1p52 + (is_signed ? 0x1p63 : 0.0);
    return ir_fadd(e, ir_fsub(e, ir_from_bits(e, 64, high), fxi_emit_f64(e, offset)), low);
}

/* A 64-bit integer whose double is exact: from 2^53 on, the 11 lowest bits become one sticky bit above
 * them. */
static fxi_ir long_to_odd(fxi_emit *e, bool is_signed, fxi_ir value) {
    fxi_ir rest = ir_and(e, value, fxi_emit_int(e, 64, 0x7ff));
    fxi_ir sticky = ir_and(e, ir_add(e, rest, fxi_emit_int(e, 64, 0x7ff)), fxi_emit_int(e, 64, 0x800));
    fxi_ir rounded = ir_or(e, ir_sub(e, value, rest), sticky);
    fxi_ir offset = fxi_emit_int(e, 64, is_signed ? (uint64_t)1 << 53 : 0);
    fxi_ir limit = fxi_emit_int(e, 64, (uint64_t)1 << (is_signed ? 54 : 53));
    fxi_ir exact = ir_icmp(e, LLVMIntULT, ir_add(e, value, offset), limit);
    return ir_select(e, exact, value, rounded);
}

static fxi_ir long_to_float(fxi_emit *e, bool is_signed, fx_dtype to, fxi_ir value) {
    if (to == FX_F64) return long_to_double(e, is_signed, value);
    if (to == FX_F32 && (e->target->avx512 || e->lanes == 1))
        return ir_cast(e, is_signed ? LLVMSIToFP : LLVMUIToFP, value, ir_float_type(e, 32));
    return float_to_float(e, FX_F64, to, long_to_double(e, is_signed, long_to_odd(e, is_signed, value)));
}

static fxi_ir int_to_float(fxi_emit *e, fx_dtype from, fx_dtype to, fxi_ir value) {
    unsigned bits = ir_int_bits(from);
    bool is_signed = fx_dtype_is_signed(from);
    if (bits == 64) return long_to_float(e, is_signed, to, value);
    if (bits < 32) {
        value = ir_cast(e, LLVMSIToFP, ir_resize(e, value, 32, is_signed),
                        ir_float_type(e, to == FX_F64 ? 64 : 32));
        return is_small(to) ? fxi_emit_round_small(e, to, value) : value;
    }
    LLVMOpcode opcode = is_signed ? LLVMSIToFP : LLVMUIToFP;
    if (to == FX_F32) return ir_cast(e, opcode, value, ir_float_type(e, 32));
    return float_to_float(e, FX_F64, to, ir_cast(e, opcode, value, ir_float_type(e, 64)));
}

/* ---- float to integer: truncates, saturates, NaN gives 0 ---- */

/* To at most 32 bits from a format that holds both bounds exactly: clamp, then convert. */
static fxi_ir clamped_to_int(fxi_emit *e, fx_dtype to, unsigned bits, fxi_ir value) {
    int width = fx_dtype_bits(to);
    bool is_signed = fx_dtype_is_signed(to);
    double low = is_signed ? -ldexp(1.0, width - 1) : 0.0,
           high = ldexp(1.0, is_signed ? width - 1 : width) - 1.0;
    if (is_signed) /* for unsigned dtypes the lower bound turns NaN into 0 by itself */
        value = ir_select(e, ir_fcmp(e, LLVMRealUNO, value, value), zero_like(value), value);
    fxi_ir bound = ir_real(e, bits, low);
    value = ir_select(e, ir_fcmp(e, LLVMRealOGT, value, bound), value, bound);
    bound = ir_real(e, bits, high);
    value = ir_select(e, ir_fcmp(e, LLVMRealOLT, value, bound), value, bound);
    bool wide = !is_signed && width == 32;
    value = ir_cast(e, wide ? LLVMFPToUI : LLVMFPToSI, value, ir_int_type(e, 32));
    return ir_resize(e, value, ir_int_bits(to), is_signed);
}

/* To 32 bits from f32: the upper bound is not a float, so out of range is found by comparing. */
static fxi_ir float_to_int32(fxi_emit *e, bool is_signed, fxi_ir value) {
    fxi_ir low = fxi_emit_f32(e, is_signed ? -0x1p31 : 0.0),
           high = fxi_emit_f32(e, is_signed ? 0x1p31 : 0x1p32);
    fxi_ir bounded = ir_select(e, ir_fcmp(e, LLVMRealOGT, value, low), value, low);
    fxi_ir above = ir_fcmp(e, LLVMRealOGE, value, high);
    fxi_ir largest = fxi_emit_int(e, 32, is_signed ? 0x7fffffff : 0xffffffff);
    fxi_ir result = ir_cast(e, is_signed ? LLVMFPToSI : LLVMFPToUI, bounded, ir_int_type(e, 32));
    result = ir_select(e, above, largest, result);
    if (!is_signed) return result;
    return ir_select(e, ir_fcmp(e, LLVMRealUNO, value, value), fxi_emit_int(e, 32, 0), result);
}

/* Truncation of |value| < 2^64 to 64 bits by shifting the mantissa, for AVX2, which has no such
 * conversion. */
static fxi_ir magnitude_to_long(fxi_emit *e, fxi_ir value) {
    fxi_ir bits = ir_bits(e, 64, value), zero = fxi_emit_int(e, 64, 0), limit = fxi_emit_int(e, 64, 64);
    fxi_ir exponent = ir_and(e, ir_lshr(e, bits, fxi_emit_int(e, 64, 52)), fxi_emit_int(e, 64, 0x7ff));
    fxi_ir mantissa = ir_and(e, bits, fxi_emit_int(e, 64, 0x000fffffffffffff));
    mantissa = ir_or(e, mantissa, fxi_emit_int(e, 64, 0x0010000000000000));
    fxi_ir left = ir_sub(e, exponent, fxi_emit_int(e, 64, 1075)), right = ir_neg(e, left);
    fxi_ir larger = ir_select(e, ir_icmp(e, LLVMIntULT, left, limit), ir_shl(e, mantissa, left), zero);
    fxi_ir smaller = ir_select(e, ir_icmp(e, LLVMIntULT, right, limit), ir_lshr(e, mantissa, right), zero);
    return ir_or(e, larger, smaller); /* both only when the shift is 0, and then they are equal */
}

static fxi_ir double_to_long(fxi_emit *e, bool is_signed, fxi_ir value) {
    double limit = is_signed ? 0x1p63 : 0x1p64;
    fxi_ir zero = fxi_emit_int(e, 64, 0), result;
    if (e->target->avx512 || e->lanes == 1) {
        result = ir_cast(e, is_signed ? LLVMFPToSI : LLVMFPToUI, value, ir_int_type(e, 64));
    } else {
        result = magnitude_to_long(e, value);
        fxi_ir negative = ir_fcmp(e, LLVMRealOLT, value, fxi_emit_f64(e, 0.0));
        result = is_signed ? ir_select(e, negative, ir_neg(e, result), result) : result;
    }
    fxi_ir largest = fxi_emit_int(e, 64, is_signed ? INT64_MAX : UINT64_MAX);
    fxi_ir smallest = fxi_emit_int(e, 64, is_signed ? (uint64_t)1 << 63 : 0);
    fxi_ir above = ir_fcmp(e, LLVMRealOGE, value, fxi_emit_f64(e, limit));
    fxi_ir below = ir_fcmp(e, LLVMRealOLT, value, fxi_emit_f64(e, is_signed ? -limit : 0.0));
    result = ir_select(e, above, largest, ir_select(e, below, smallest, result));
    return ir_select(e, ir_fcmp(e, LLVMRealUNO, value, value), zero, result);
}

static fxi_ir float_to_int(fxi_emit *e, fx_dtype from, fx_dtype to, fxi_ir value) {
    unsigned bits = ir_float_bits(from), width = ir_int_bits(to);
    bool is_signed = fx_dtype_is_signed(to);
    if (width == 64)
        return double_to_long(e, is_signed,
                              bits == 64 ? value : ir_cast(e, LLVMFPExt, value, ir_float_type(e, 64)));
    if (width == 32 && bits == 32) return float_to_int32(e, is_signed, value);
    return clamped_to_int(e, to, bits, value);
}

/* ---- all pairs ---- */

static fxi_ir to_bool(fxi_emit *e, fx_dtype from, fxi_ir value) {
    if (from == FX_BOOL) return value;
    if (fx_dtype_is_integer(from)) return ir_icmp(e, LLVMIntNE, value, zero_like(value));
    return ir_fcmp(e, LLVMRealUNE, value, zero_like(value));
}

static fxi_ir convert_part(fxi_emit *e, fx_dtype from, fx_dtype to, fxi_ir value) {
    if (to == FX_BOOL) return to_bool(e, from, value);
    if (from == FX_BOOL) {
        fxi_ir zero =
            fx_dtype_is_float(to) ? ir_real(e, ir_float_bits(to), 0.0) : fxi_emit_int(e, ir_int_bits(to), 0);
        fxi_ir one =
            fx_dtype_is_float(to) ? ir_real(e, ir_float_bits(to), 1.0) : fxi_emit_int(e, ir_int_bits(to), 1);
        return fxi_emit_wrap(e, to, ir_select(e, value, one, zero));
    }
    if (fx_dtype_is_float(from))
        return fx_dtype_is_float(to) ? float_to_float(e, from, to, value) : float_to_int(e, from, to, value);
    if (fx_dtype_is_float(to)) return int_to_float(e, from, to, value);
    return fxi_emit_wrap(e, to, ir_resize(e, value, ir_int_bits(to), fx_dtype_is_signed(from)));
}

fxi_value fxi_emit_convert(fxi_emit *e, fx_dtype from, fx_dtype to, fxi_value value) {
    fx_dtype from_part = fx_dtype_real(from), to_part = fx_dtype_real(to);
    fxi_value result = ir_one(convert_part(e, from_part, to_part, value.re));
    if (to == FX_BOOL && value.im != NULL) result.re = ir_or(e, result.re, to_bool(e, from_part, value.im));
    if (fx_dtype_is_complex(to))
        result.im = value.im != NULL ? convert_part(e, from_part, to_part, value.im) : zero_like(result.re);
    return result;
}
