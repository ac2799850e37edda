/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of elementwise emission share: the shape of an emitter, short names for the IR builder's
 * calls, and the conversions that several of them need.
 *
 * Emitters never open a block in the function under construction, so that a caller may note its block before
 * and use it in a phi afterwards; whatever needs a loop or is long becomes an internal function of the
 * module (fxi_emit_shared). A poison value (an over-long shift, a conversion out of range) may be computed
 * where a select then drops it. */
#ifndef FXI_EMIT_OPS_H
#define FXI_EMIT_OPS_H

#include "emit_element.h"
#include "emit_math.h"

typedef LLVMValueRef fxi_ir; /* a vector of e->lanes, or a scalar when lanes is 1 */
typedef fxi_value (*fxi_emit_op)(fxi_emit *e, const fxi_element *element, const fxi_value *operands);

/* ---- builder calls ---- */
#define FXI_IR_BINARY(name, build)                                                                           \
    static inline fxi_ir ir_##name(const fxi_emit *e, fxi_ir a, fxi_ir b) {                                  \
        return build(e->builder, a, b, "");                                                                  \
    }
FXI_IR_BINARY(add, LLVMBuildAdd)
FXI_IR_BINARY(sub, LLVMBuildSub)
FXI_IR_BINARY(mul, LLVMBuildMul)
FXI_IR_BINARY(and, LLVMBuildAnd)
FXI_IR_BINARY(or, LLVMBuildOr)
FXI_IR_BINARY(xor, LLVMBuildXor)
FXI_IR_BINARY(shl, LLVMBuildShl)
FXI_IR_BINARY(lshr, LLVMBuildLShr)
FXI_IR_BINARY(ashr, LLVMBuildAShr)
FXI_IR_BINARY(fadd, LLVMBuildFAdd)
FXI_IR_BINARY(fsub, LLVMBuildFSub)
FXI_IR_BINARY(fmul, LLVMBuildFMul)
FXI_IR_BINARY(fdiv, LLVMBuildFDiv)
#undef FXI_IR_BINARY

static inline fxi_ir ir_neg(const fxi_emit *e, fxi_ir a) {
    return LLVMBuildNeg(e->builder, a, "");
}
static inline fxi_ir ir_not(const fxi_emit *e, fxi_ir a) {
    return LLVMBuildNot(e->builder, a, "");
}
static inline fxi_ir ir_fneg(const fxi_emit *e, fxi_ir a) {
    return LLVMBuildFNeg(e->builder, a, "");
}
static inline fxi_ir ir_icmp(const fxi_emit *e, LLVMIntPredicate p, fxi_ir a, fxi_ir b) {
    return LLVMBuildICmp(e->builder, p, a, b, "");
}
static inline fxi_ir ir_fcmp(const fxi_emit *e, LLVMRealPredicate p, fxi_ir a, fxi_ir b) {
    return LLVMBuildFCmp(e->builder, p, a, b, "");
}
static inline fxi_ir ir_select(const fxi_emit *e, fxi_ir condition, fxi_ir yes, fxi_ir no) {
    return LLVMBuildSelect(e->builder, condition, yes, no, "");
}
static inline fxi_ir ir_cast(const fxi_emit *e, LLVMOpcode opcode, fxi_ir a, LLVMTypeRef vector) {
    return LLVMBuildCast(e->builder, opcode, a, vector, "");
}
static inline fxi_ir ir_call1(fxi_emit *e, const char *intrinsic, fxi_ir a) {
    return fxi_emit_intrinsic(e, intrinsic, LLVMTypeOf(a), &a, 1);
}
static inline fxi_ir ir_call2(fxi_emit *e, const char *intrinsic, fxi_ir a, fxi_ir b) {
    return fxi_emit_intrinsic(e, intrinsic, LLVMTypeOf(a), (fxi_ir[]){a, b}, 2);
}

/* ---- types and constants ---- */
static inline LLVMTypeRef ir_int_type(const fxi_emit *e, unsigned bits) {
    return fxi_emit_vector_of(e, LLVMIntTypeInContext(e->context, bits));
}
static inline LLVMTypeRef ir_float_type(const fxi_emit *e, unsigned bits) {
    return fxi_emit_vector_of(e, bits == 64 ? LLVMDoubleTypeInContext(e->context)
                                            : LLVMFloatTypeInContext(e->context));
}
static inline fxi_ir ir_real(const fxi_emit *e, unsigned bits, double value) {
    return bits == 64 ? fxi_emit_f64(e, value) : fxi_emit_f32(e, value);
}
/* A float's bits as an integer vector of the same width, and back. */
static inline fxi_ir ir_bits(const fxi_emit *e, unsigned bits, fxi_ir a) {
    return ir_cast(e, LLVMBitCast, a, ir_int_type(e, bits));
}
static inline fxi_ir ir_from_bits(const fxi_emit *e, unsigned bits, fxi_ir a) {
    return ir_cast(e, LLVMBitCast, a, ir_float_type(e, bits));
}
/* Integer vector resized, by the signedness of where it comes from. */
static inline fxi_ir ir_resize(const fxi_emit *e, fxi_ir a, unsigned bits, bool is_signed) {
    return LLVMBuildIntCast2(e->builder, a, ir_int_type(e, bits), is_signed, "");
}

/* Width of the register form of a float dtype (or of a complex one's parts): 32 or 64. */
static inline unsigned ir_float_bits(fx_dtype dtype) {
    return dtype == FX_F64 || dtype == FX_C128 ? 64 : 32;
}
/* Width of the register form of an integer dtype: 8 for the packed ones. */
static inline unsigned ir_int_bits(fx_dtype dtype) {
    int bits = fx_dtype_bits(dtype);
    return bits < 8 ? 8 : (unsigned)bits;
}
static inline fxi_value ir_one(fxi_ir re) {
    return (fxi_value){re, NULL};
}

/* ---- emit_shared.c: internal functions of the module ---- */
typedef struct fxi_shared {
    LLVMValueRef function;
    LLVMTypeRef type;
} fxi_shared;
/* Builds the body with e's builder and function moved into the new function, at its entry block; must end
 * with a return. */
typedef void (*fxi_shared_body)(fxi_emit *e, const void *context);
/* The module's internal function `name`, made on first use. */
fxi_shared fxi_emit_shared(fxi_emit *e, const char *name, LLVMTypeRef result, LLVMTypeRef *parameters,
                           unsigned count, fxi_shared_body body, const void *context);
fxi_ir fxi_emit_shared_call(fxi_emit *e, fxi_shared shared, fxi_ir *arguments, unsigned count);
/* A counted loop in a shared function: for i in [0, limit) of i64. begin leaves the builder in the body and
 * gives i. */
typedef struct fxi_lane_loop {
    LLVMBasicBlockRef head, exit;
    LLVMValueRef index, next;
} fxi_lane_loop;
fxi_lane_loop fxi_emit_lane_loop(fxi_emit *e, LLVMValueRef limit);
void fxi_emit_lane_loop_end(fxi_emit *e, fxi_lane_loop *loop);

/* ---- emit_integer.c ---- */
/* Brings an integer back into the register form of a packed dtype (wrapping); any other dtype: unchanged. */
fxi_ir fxi_emit_wrap(fxi_emit *e, fx_dtype dtype, fxi_ir value);

/* ---- emit_float.c ---- */
fxi_ir fxi_emit_float_max(fxi_emit *e, unsigned bits, fxi_ir a, fxi_ir b);
fxi_ir fxi_emit_float_min(fxi_emit *e, unsigned bits, fxi_ir a, fxi_ir b);

/* ---- emit_convert.c ---- */
/* The value converted between any two dtypes, result in register form. */
fxi_value fxi_emit_convert(fxi_emit *e, fx_dtype from, fx_dtype to, fxi_value value);
/* An f32 rounded to any small float (f16, bf16, float8), kept as f32. */
fxi_ir fxi_emit_round_small(fxi_emit *e, fx_dtype dtype, fxi_ir value);
/* Between the memory bits of small floats (integer vectors of 8 or 16 bits) and f32; encoding takes
 * representable values. */
fxi_ir fxi_emit_decode_small(fxi_emit *e, fx_dtype dtype, fxi_ir memory);
fxi_ir fxi_emit_encode_small(fxi_emit *e, fx_dtype dtype, fxi_ir value);

/* ---- emitters, by kind of operand; the table in emit_element.c says which operation uses which ---- */
#define FXI_EMIT_OP(name)                                                                                    \
    fxi_value fxi_emit_##name(fxi_emit *e, const fxi_element *element, const fxi_value *operands)
FXI_EMIT_OP(bool_not);
FXI_EMIT_OP(bool_compare);
FXI_EMIT_OP(bool_clamp);
FXI_EMIT_OP(int_identity);
FXI_EMIT_OP(int_abs);
FXI_EMIT_OP(int_neg);
FXI_EMIT_OP(int_sign);
FXI_EMIT_OP(int_not);
FXI_EMIT_OP(int_popcount);
FXI_EMIT_OP(int_clz);
FXI_EMIT_OP(int_add);
FXI_EMIT_OP(int_sub);
FXI_EMIT_OP(int_mul);
FXI_EMIT_OP(int_div);
FXI_EMIT_OP(int_rem);
FXI_EMIT_OP(int_pow);
FXI_EMIT_OP(int_max);
FXI_EMIT_OP(int_min);
FXI_EMIT_OP(int_and);
FXI_EMIT_OP(int_or);
FXI_EMIT_OP(int_xor);
FXI_EMIT_OP(int_shift_left);
FXI_EMIT_OP(int_shift_right_arithmetic);
FXI_EMIT_OP(int_shift_right_logical);
FXI_EMIT_OP(int_compare);
FXI_EMIT_OP(int_clamp);
FXI_EMIT_OP(float_math);
FXI_EMIT_OP(float_neg);
FXI_EMIT_OP(float_sign);
FXI_EMIT_OP(float_round_away);
FXI_EMIT_OP(float_is_finite);
FXI_EMIT_OP(float_identity);
FXI_EMIT_OP(float_imag);
FXI_EMIT_OP(float_reduce_precision);
FXI_EMIT_OP(float_add);
FXI_EMIT_OP(float_sub);
FXI_EMIT_OP(float_mul);
FXI_EMIT_OP(float_div);
FXI_EMIT_OP(float_max_op);
FXI_EMIT_OP(float_min_op);
FXI_EMIT_OP(float_copysign);
FXI_EMIT_OP(float_nextafter);
FXI_EMIT_OP(float_complex);
FXI_EMIT_OP(float_compare);
FXI_EMIT_OP(float_strong_mul);
FXI_EMIT_OP(float_strong_div);
FXI_EMIT_OP(float_clamp);
FXI_EMIT_OP(complex_neg);
FXI_EMIT_OP(complex_real);
FXI_EMIT_OP(complex_imag);
FXI_EMIT_OP(complex_conj);
FXI_EMIT_OP(complex_add);
FXI_EMIT_OP(complex_sub);
FXI_EMIT_OP(complex_mul);
FXI_EMIT_OP(complex_compare);
FXI_EMIT_OP(complex_strong_mul);
FXI_EMIT_OP(complex_strong_div);
FXI_EMIT_OP(philox);
FXI_EMIT_OP(complex_function); /* all others: one shared function per operation */
#undef FXI_EMIT_OP

#endif
