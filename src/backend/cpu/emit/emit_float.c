/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operations of floats. Half types arrive as f32 and are rounded by the dispatcher afterwards,
 * so nothing here knows them except where the grid itself matters (nextafter).
 *
 * max and min: NaN wins and -0 < +0. llvm.maximum is five instructions; where one operand is a constant that
 * is neither zero nor NaN, one instruction does, because x86's vmaxps gives its second operand on NaN and on
 * equality. */
#include "emit_ops.h"

#include <math.h>

static fxi_ir fabs_of(fxi_emit *e, fxi_ir a) {
    return ir_call1(e, "llvm.fabs", a);
}

static fxi_ir zero_like(fxi_ir a) {
    return LLVMConstNull(LLVMTypeOf(a));
}

static unsigned width(const fxi_element *element) {
    return ir_float_bits((fx_dtype)element->from);
}

/* ---- one operand ---- */

fxi_value fxi_emit_float_math(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    static const uint8_t functions[FX_OP_COUNT] = {
#define X(id, operands) [FX_OP_##id] = FXI_MATH_##id,
        FXI_MATH_FUNCTIONS(X)
#undef X
    };
    fxi_math function = (fxi_math)functions[element->op];
    bool binary = function == FXI_MATH_POW || function == FXI_MATH_ATAN2 || function == FXI_MATH_HYPOT ||
                  function == FXI_MATH_REM;
    return ir_one(fxi_emit_math(e, function, width(element), x[0].re, binary ? x[1].re : NULL));
}

fxi_value fxi_emit_float_neg(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    return ir_one(ir_fneg(e, x[0].re));
}

/* Zeros and NaN are their own sign. */
fxi_value fxi_emit_float_sign(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fxi_ir one = ir_call2(e, "llvm.copysign", ir_real(e, width(element), 1.0), x[0].re);
    return ir_one(ir_select(e, ir_fcmp(e, LLVMRealONE, x[0].re, zero_like(x[0].re)), one, x[0].re));
}

/* Adding the largest number below 1/2 cannot carry 0.49999997 up to 1, and takes every tie across. */
fxi_value fxi_emit_float_round_away(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    unsigned bits = width(element);
    fxi_ir half = ir_real(e, bits, bits == 64 ? nextafter(0.5, 0.0) : (double)nextafterf(0.5f, 0.0f));
    return ir_one(
        ir_call1(e, "llvm.trunc", ir_fadd(e, x[0].re, ir_call2(e, "llvm.copysign", half, x[0].re))));
}

fxi_value fxi_emit_float_is_finite(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return ir_one(ir_fcmp(e, LLVMRealOLT, fabs_of(e, x[0].re), ir_real(e, width(element), (double)INFINITY)));
}

fxi_value fxi_emit_float_identity(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)e, (void)element;
    return x[0];
}

fxi_value fxi_emit_float_imag(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)e, (void)element;
    return ir_one(zero_like(x[0].re));
}

/* float16 goes through its own bits, where its subnormals lie on one grid; bfloat16's bits are those of its
 * f32. */
static unsigned grid_bits(fx_dtype dtype) {
    return dtype == FX_F16 ? 16 : ir_float_bits(dtype);
}

static fxi_ir to_grid(fxi_emit *e, fx_dtype dtype, fxi_ir value) {
    return dtype == FX_F16 ? fxi_emit_encode_small(e, dtype, value) : ir_bits(e, ir_float_bits(dtype), value);
}

static fxi_ir from_grid(fxi_emit *e, fx_dtype dtype, fxi_ir bits) {
    return dtype == FX_F16 ? fxi_emit_decode_small(e, dtype, bits)
                           : ir_from_bits(e, ir_float_bits(dtype), bits);
}

/* A magnitude's bits without the `dropped` lowest, to nearest even; a carry moves the exponent up, as it
 * should. */
static fxi_ir without_low_bits(fxi_emit *e, unsigned bits, unsigned dropped, fxi_ir magnitude) {
    fxi_ir last = ir_and(e, ir_lshr(e, magnitude, fxi_emit_int(e, bits, dropped)), fxi_emit_int(e, bits, 1));
    fxi_ir bias = ir_add(e, last, fxi_emit_int(e, bits, ((uint64_t)1 << (dropped - 1)) - 1));
    return ir_and(e, ir_add(e, magnitude, bias), fxi_emit_int(e, bits, ~(((uint64_t)1 << dropped) - 1)));
}

/* StableHLO's rule: rounded mantissa, then exponents outside the narrower range become infinite or zero. */
fxi_value fxi_emit_float_reduce_precision(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fx_dtype dtype = (fx_dtype)element->to;
    unsigned bits = grid_bits(dtype),
             mantissa = bits == 64   ? 52
                        : bits == 32 ? 23
                                     : 10,
             exponent = bits - 1 - mantissa;
    fxi_ir magnitude = to_grid(e, dtype, fabs_of(e, x[0].re));
    if (element->word2 < mantissa)
        magnitude = without_low_bits(e, bits, mantissa - element->word2, magnitude);
    if (element->word < exponent && element->word > 0) {
        uint64_t middle = ((uint64_t)1 << (exponent - 1)) - 1,
                 reach = ((uint64_t)1 << (element->word - 1)) - 1;
        fxi_ir infinite = fxi_emit_int(e, bits, ((middle << 1) + 1) << mantissa);
        fxi_ir largest = fxi_emit_int(e, bits, ((middle + reach + 1) << mantissa) - 1);
        fxi_ir smallest = fxi_emit_int(e, bits, (middle - reach + 1) << mantissa);
        magnitude = ir_select(e, ir_icmp(e, LLVMIntUGT, magnitude, largest), infinite, magnitude);
        magnitude =
            ir_select(e, ir_icmp(e, LLVMIntULT, magnitude, smallest), fxi_emit_int(e, bits, 0), magnitude);
    }
    fxi_ir rounded = ir_call2(e, "llvm.copysign", from_grid(e, dtype, magnitude), x[0].re);
    return ir_one(ir_select(e, ir_fcmp(e, LLVMRealUNO, x[0].re, x[0].re), x[0].re, rounded));
}

/* ---- two operands ---- */

#define ARITHMETIC(name)                                                                                     \
    fxi_value fxi_emit_float_##name(fxi_emit *e, const fxi_element *element, const fxi_value *x) {           \
        (void)element;                                                                                       \
        return ir_one(ir_f##name(e, x[0].re, x[1].re));                                                      \
    }
ARITHMETIC(add)
ARITHMETIC(sub)
ARITHMETIC(mul)
ARITHMETIC(div)
#undef ARITHMETIC

/* 0 exactly where x is 0, whatever y is: infinities and NaN of a local derivative must not leak from a zero
 * adjoint. */
static fxi_value strong(fxi_emit *e, fxi_ir x, fxi_ir result) {
    fxi_ir zero = zero_like(x);
    return ir_one(ir_select(e, ir_fcmp(e, LLVMRealOEQ, x, zero), zero, result));
}

fxi_value fxi_emit_float_strong_mul(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    return strong(e, x[0].re, ir_fmul(e, x[0].re, x[1].re));
}

fxi_value fxi_emit_float_strong_div(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    return strong(e, x[0].re, ir_fdiv(e, x[0].re, x[1].re));
}

/* Whether every lane is a constant that is neither zero nor NaN. */
static bool is_plain_constant(const fxi_emit *e, fxi_ir value) {
    if (!LLVMIsConstant(value) || (e->lanes > 1 && LLVMIsAConstantDataVector(value) == NULL)) return false;
    for (unsigned i = 0; i < e->lanes; i++) {
        fxi_ir lane = e->lanes == 1 ? value : LLVMGetAggregateElement(value, i);
        if (LLVMIsAConstantFP(lane) == NULL) return false;
        LLVMBool inexact;
        double number = LLVMConstRealGetDouble(lane, &inexact);
        if (isnan(number) || number == 0) return false;
    }
    return true;
}

/* The one-instruction form: gives b where a is not above (below) it and on NaN. */
static fxi_ir extreme_of(fxi_emit *e, LLVMRealPredicate above, fxi_ir a, fxi_ir b) {
    return ir_select(e, ir_fcmp(e, above, a, b), a, b);
}

fxi_ir fxi_emit_float_max(fxi_emit *e, unsigned bits, fxi_ir a, fxi_ir b) {
    if (is_plain_constant(e, a)) return extreme_of(e, LLVMRealOGT, a, b);
    if (is_plain_constant(e, b)) return extreme_of(e, LLVMRealOGT, b, a);
    if (LLVMIsNull(a) || LLVMIsNull(b)) { /* relu: adding +0 turns the -0 that may come back into +0 */
        fxi_ir zero = ir_real(e, bits, 0.0);
        return ir_fadd(e, extreme_of(e, LLVMRealOGT, zero, LLVMIsNull(a) ? b : a), zero);
    }
    return ir_call2(e, "llvm.maximum", a, b);
}

fxi_ir fxi_emit_float_min(fxi_emit *e, unsigned bits, fxi_ir a, fxi_ir b) {
    (void)bits;
    if (is_plain_constant(e, a)) return extreme_of(e, LLVMRealOLT, a, b);
    if (is_plain_constant(e, b)) return extreme_of(e, LLVMRealOLT, b, a);
    return ir_call2(e, "llvm.minimum", a, b);
}

fxi_value fxi_emit_float_max_op(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return ir_one(fxi_emit_float_max(e, width(element), x[0].re, x[1].re));
}

fxi_value fxi_emit_float_min_op(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return ir_one(fxi_emit_float_min(e, width(element), x[0].re, x[1].re));
}

fxi_value fxi_emit_float_clamp(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    unsigned bits = width(element);
    return ir_one(fxi_emit_float_min(e, bits, fxi_emit_float_max(e, bits, x[1].re, x[0].re), x[2].re));
}

fxi_value fxi_emit_float_copysign(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    return ir_one(ir_call2(e, "llvm.copysign", x[0].re, x[1].re));
}

fxi_value fxi_emit_float_complex(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)e, (void)element;
    return (fxi_value){x[0].re, x[1].re};
}

/* Neighbours are neighbouring integers; bfloat16's step lies 16 bits up in its f32. */
fxi_value fxi_emit_float_nextafter(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fx_dtype dtype = (fx_dtype)element->to;
    unsigned bits = grid_bits(dtype);
    fxi_ir a = x[0].re, b = x[1].re, zero = zero_like(a),
           step = fxi_emit_int(e, bits, dtype == FX_BF16 ? 0x10000 : 1);
    fxi_ir integer = to_grid(e, dtype, a), target = to_grid(e, dtype, b);
    fxi_ir outwards = ir_xor(e, ir_fcmp(e, LLVMRealOLT, a, b), ir_fcmp(e, LLVMRealOLT, a, zero));
    fxi_ir next = ir_select(e, outwards, ir_add(e, integer, step), ir_sub(e, integer, step));
    fxi_ir sign = ir_and(e, target, fxi_emit_int(e, bits, (uint64_t)1 << (bits - 1)));
    next = ir_select(e, ir_fcmp(e, LLVMRealOEQ, a, zero), ir_or(e, sign, step), next);
    fxi_ir value = ir_select(e, ir_fcmp(e, LLVMRealOEQ, a, b), b, from_grid(e, dtype, next));
    return ir_one(ir_select(e, ir_fcmp(e, LLVMRealUNO, a, b), ir_fadd(e, a, b), value));
}

/* ---- comparison ---- */

/* Bits ordered as signed integers: -NaN < -Inf < ... < -0 < +0 < ... < Inf < NaN. */
static fxi_ir order_key(fxi_emit *e, unsigned bits, fxi_ir a) {
    fxi_ir integer = ir_bits(e, bits, a);
    fxi_ir sign = ir_ashr(e, integer, fxi_emit_int(e, bits, bits - 1));
    return ir_xor(e, integer, ir_lshr(e, sign, fxi_emit_int(e, bits, 1)));
}

fxi_value fxi_emit_float_compare(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    static const LLVMIntPredicate total[FXI_DIRECTIONS] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
                                                           LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    static const LLVMRealPredicate ieee[FXI_DIRECTIONS] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                                           LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
    unsigned bits = width(element);
    if (!element->word2) return ir_one(ir_fcmp(e, ieee[element->word], x[0].re, x[1].re));
    return ir_one(ir_icmp(e, total[element->word], order_key(e, bits, x[0].re), order_key(e, bits, x[1].re)));
}
