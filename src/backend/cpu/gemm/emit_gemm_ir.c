/* SPDX-License-Identifier: Apache-2.0 */
/* The small vocabulary in which the kernels of matrix products are written: loops with phis, byte addresses,
 * masks of partial vectors, loads that widen to the compute type and stores that narrow from it.
 *
 * Narrowing to bfloat16 is done with integers, because the instruction for it flushes subnormals; to float16
 * the conversion instruction rounds once, to nearest even under the pool's MXCSR. Masked accesses never
 * touch memory in the lanes that are off, which is what keeps kernels inside their operands. */
#include "emit_gemm.h"

#include <string.h>

void fxi_gemm_ir_function(fxi_emit *e, unsigned count) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMTypeRef parameters[4] = {pointer, pointer, pointer, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, count, 0);
    e->function = LLVMAddFunction(e->module, "gemm", type);
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, e->function, "entry"));
}

LLVMValueRef fxi_gemm_ir_argument(const fxi_emit *e, unsigned index) {
    return LLVMGetParam(e->function, index);
}

LLVMValueRef fxi_gemm_ir_field(const fxi_emit *e, unsigned index) {
    LLVMValueRef block = LLVMGetLastParam(e->function);
    LLVMValueRef address = fxi_gemm_ir_at_const(e, block, (int64_t)index * 8);
    return LLVMBuildLoad2(e->builder, LLVMInt64TypeInContext(e->context), address, "");
}

LLVMValueRef fxi_gemm_ir_i64(const fxi_emit *e, int64_t value) {
    return LLVMConstInt(LLVMInt64TypeInContext(e->context), (unsigned long long)value, 1);
}

LLVMValueRef fxi_gemm_ir_add(const fxi_emit *e, LLVMValueRef a, int64_t b) {
    return LLVMBuildAdd(e->builder, a, fxi_gemm_ir_i64(e, b), "");
}

LLVMValueRef fxi_gemm_ir_at(const fxi_emit *e, LLVMValueRef base, LLVMValueRef bytes) {
    return LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), base, &bytes, 1, "");
}

LLVMValueRef fxi_gemm_ir_at_const(const fxi_emit *e, LLVMValueRef base, int64_t bytes) {
    return bytes == 0 ? base : fxi_gemm_ir_at(e, base, fxi_gemm_ir_i64(e, bytes));
}

fxi_gemm_loop fxi_gemm_ir_begin(fxi_emit *e, LLVMValueRef from, LLVMValueRef to) {
    fxi_gemm_loop loop = {.entry = LLVMGetInsertBlock(e->builder)};
    loop.head = LLVMAppendBasicBlockInContext(e->context, e->function, "head");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, e->function, "body");
    loop.done = LLVMAppendBasicBlockInContext(e->context, e->function, "done");
    LLVMBuildBr(e->builder, loop.head);
    LLVMPositionBuilderAtEnd(e->builder, loop.head);
    loop.index = LLVMBuildPhi(e->builder, LLVMTypeOf(from), "");
    LLVMAddIncoming(loop.index, &from, &loop.entry, 1);
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, loop.index, to, "");
    LLVMBuildCondBr(e->builder, more, body, loop.done);
    LLVMPositionBuilderAtEnd(e->builder, body);
    return loop;
}

LLVMValueRef fxi_gemm_ir_phi(fxi_emit *e, const fxi_gemm_loop *loop, LLVMValueRef first) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef entry = loop->entry;
    LLVMPositionBuilderBefore(e->builder, LLVMGetFirstInstruction(loop->head));
    LLVMValueRef phi = LLVMBuildPhi(e->builder, LLVMTypeOf(first), "");
    LLVMAddIncoming(phi, &first, &entry, 1);
    LLVMPositionBuilderAtEnd(e->builder, here);
    return phi;
}

void fxi_gemm_ir_next(fxi_emit *e, LLVMValueRef phi, LLVMValueRef value) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMAddIncoming(phi, &value, &here, 1);
}

void fxi_gemm_ir_end(fxi_emit *e, const fxi_gemm_loop *loop, int64_t step) {
    fxi_gemm_ir_next(e, loop->index, fxi_gemm_ir_add(e, loop->index, step));
    LLVMBuildBr(e->builder, loop->head);
    LLVMPositionBuilderAtEnd(e->builder, loop->done);
}

LLVMTypeRef fxi_gemm_ir_vector(LLVMTypeRef scalar, unsigned lanes) {
    return lanes == 1 ? scalar : LLVMVectorType(scalar, lanes);
}

LLVMValueRef fxi_gemm_ir_splat(const fxi_emit *e, LLVMValueRef scalar, unsigned lanes) {
    fxi_emit narrowed = *e;
    narrowed.lanes = lanes;
    return fxi_emit_splat(&narrowed, scalar);
}

/* Compared in 32 bits, as wide as the lanes of most vectors; the count is clamped so that it fits. */
LLVMValueRef fxi_gemm_ir_mask(const fxi_emit *e, LLVMValueRef count, unsigned lanes) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef iota[64], all = fxi_gemm_ir_i64(e, lanes), none = fxi_gemm_ir_i64(e, 0);
    for (unsigned i = 0; i < lanes; i++) iota[i] = LLVMConstInt(i32, i, 0);
    LLVMValueRef above = LLVMBuildICmp(e->builder, LLVMIntSGT, count, all, "");
    count = LLVMBuildSelect(e->builder, above, all, count, "");
    LLVMValueRef below = LLVMBuildICmp(e->builder, LLVMIntSLT, count, none, "");
    count = LLVMBuildSelect(e->builder, below, none, count, "");
    LLVMValueRef limit = fxi_gemm_ir_splat(e, LLVMBuildTrunc(e->builder, count, i32, ""), lanes);
    return LLVMBuildICmp(e->builder, LLVMIntULT, LLVMConstVector(iota, lanes), limit, "");
}

static LLVMValueRef call_masked(fxi_emit *e, const char *name, LLVMTypeRef vector, LLVMValueRef *args) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef types[2] = {vector, LLVMPointerTypeInContext(e->context, 0)};
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, types, 2);
    return LLVMBuildCall2(e->builder, type, function, args, 4, "");
}

static LLVMValueRef raw_load(fxi_emit *e, LLVMTypeRef type, LLVMValueRef address, unsigned align,
                             LLVMValueRef mask) {
    if (mask == NULL) {
        LLVMValueRef value = LLVMBuildLoad2(e->builder, type, address, "");
        LLVMSetAlignment(value, align);
        return value;
    }
    LLVMValueRef alignment = LLVMConstInt(LLVMInt32TypeInContext(e->context), align, 0);
    LLVMValueRef args[4] = {address, alignment, mask, LLVMConstNull(type)};
    return call_masked(e, "llvm.masked.load", type, args);
}

static void raw_store(fxi_emit *e, LLVMValueRef value, LLVMValueRef address, unsigned align,
                      LLVMValueRef mask) {
    if (mask == NULL) {
        LLVMSetAlignment(LLVMBuildStore(e->builder, value, address), align);
        return;
    }
    LLVMValueRef alignment = LLVMConstInt(LLVMInt32TypeInContext(e->context), align, 0);
    LLVMValueRef args[4] = {value, address, alignment, mask};
    call_masked(e, "llvm.masked.store", LLVMTypeOf(value), args);
}

static LLVMValueRef int_of(const fxi_emit *e, unsigned bits, uint64_t value, unsigned lanes) {
    return fxi_gemm_ir_splat(e, LLVMConstInt(LLVMIntTypeInContext(e->context, bits), value, 0), lanes);
}

static LLVMValueRef widen_half(fxi_emit *e, fx_dtype dtype, LLVMValueRef bits, unsigned lanes) {
    LLVMTypeRef f32 = fxi_gemm_ir_vector(LLVMFloatTypeInContext(e->context), lanes);
    if (dtype == FX_F16) {
        LLVMTypeRef half = fxi_gemm_ir_vector(LLVMHalfTypeInContext(e->context), lanes);
        return LLVMBuildFPExt(e->builder, LLVMBuildBitCast(e->builder, bits, half, ""), f32, "");
    }
    LLVMTypeRef i32 = fxi_gemm_ir_vector(LLVMInt32TypeInContext(e->context), lanes);
    LLVMValueRef wide = LLVMBuildZExt(e->builder, bits, i32, "");
    return LLVMBuildBitCast(e->builder, LLVMBuildShl(e->builder, wide, int_of(e, 32, 16, lanes), ""), f32,
                            "");
}

/* Round half to even on the upper 16 bits; a NaN keeps its upper bits and becomes quiet. */
static LLVMValueRef narrow_to_bf16(fxi_emit *e, LLVMValueRef value, unsigned lanes) {
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef i32 = fxi_gemm_ir_vector(LLVMInt32TypeInContext(e->context), lanes);
    LLVMTypeRef i16 = fxi_gemm_ir_vector(LLVMInt16TypeInContext(e->context), lanes);
    LLVMValueRef bits = LLVMBuildBitCast(b, value, i32, "");
    LLVMValueRef upper = LLVMBuildLShr(b, bits, int_of(e, 32, 16, lanes), "");
    LLVMValueRef odd = LLVMBuildAnd(b, upper, int_of(e, 32, 1, lanes), "");
    LLVMValueRef bias = LLVMBuildAdd(b, odd, int_of(e, 32, 0x7FFF, lanes), "");
    LLVMValueRef rounded = LLVMBuildAdd(b, bits, bias, "");
    rounded = LLVMBuildLShr(b, rounded, int_of(e, 32, 16, lanes), "");
    LLVMValueRef quiet = LLVMBuildOr(b, upper, int_of(e, 32, 0x40, lanes), "");
    LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, value, value, "");
    return LLVMBuildTrunc(b, LLVMBuildSelect(b, nan, quiet, rounded, ""), i16, "");
}

static LLVMValueRef narrow_to_f16(fxi_emit *e, LLVMValueRef value, unsigned lanes) {
    LLVMTypeRef half = fxi_gemm_ir_vector(LLVMHalfTypeInContext(e->context), lanes);
    LLVMTypeRef i16 = fxi_gemm_ir_vector(LLVMInt16TypeInContext(e->context), lanes);
    return LLVMBuildBitCast(e->builder, LLVMBuildFPTrunc(e->builder, value, half, ""), i16, "");
}

static LLVMValueRef widen(fxi_emit *e, fx_dtype dtype, LLVMTypeRef to, LLVMValueRef value, unsigned lanes) {
    if (fx_dtype_is_integer(dtype)) {
        bool sign = fx_dtype_is_signed(dtype);
        if (LLVMTypeOf(value) == to) return value;
        return sign ? LLVMBuildSExt(e->builder, value, to, "") : LLVMBuildZExt(e->builder, value, to, "");
    }
    if (fx_dtype_is_half(dtype)) value = widen_half(e, dtype, value, lanes);
    return LLVMTypeOf(value) == to ? value : LLVMBuildFPExt(e->builder, value, to, "");
}

/* 2- and 4-bit results wrap within their byte. */
static LLVMValueRef wrap_packed(fxi_emit *e, fx_dtype dtype, LLVMValueRef byte, unsigned lanes) {
    unsigned unused = 8 - (unsigned)fx_dtype_bits(dtype);
    LLVMValueRef count = int_of(e, 8, unused, lanes);
    LLVMValueRef up = LLVMBuildShl(e->builder, byte, count, "");
    return fx_dtype_is_signed(dtype) ? LLVMBuildAShr(e->builder, up, count, "")
                                     : LLVMBuildLShr(e->builder, up, count, "");
}

static LLVMValueRef narrow(fxi_emit *e, fx_dtype dtype, LLVMTypeRef to, LLVMValueRef value, unsigned lanes) {
    if (dtype == FX_BF16) return narrow_to_bf16(e, value, lanes);
    if (dtype == FX_F16) return narrow_to_f16(e, value, lanes);
    if (!fx_dtype_is_integer(dtype)) return value;
    if (LLVMTypeOf(value) != to) value = LLVMBuildTrunc(e->builder, value, to, "");
    return fx_dtype_bits(dtype) < 8 ? wrap_packed(e, dtype, value, lanes) : value;
}

LLVMValueRef fxi_gemm_ir_load(fxi_emit *e, fx_dtype dtype, fx_dtype compute, LLVMValueRef address,
                              unsigned lanes, LLVMValueRef mask) {
    LLVMTypeRef memory = fxi_gemm_ir_vector(fxi_emit_memory_type(e, dtype), lanes);
    LLVMTypeRef to = fxi_gemm_ir_vector(fxi_emit_scalar_type(e, compute), lanes);
    LLVMValueRef raw = raw_load(e, memory, address, (unsigned)fxi_gemm_ir_component(dtype), mask);
    return widen(e, dtype, to, raw, lanes);
}

void fxi_gemm_ir_store(fxi_emit *e, fx_dtype dtype, LLVMValueRef value, LLVMValueRef address, unsigned lanes,
                       LLVMValueRef mask) {
    LLVMTypeRef memory = fxi_gemm_ir_vector(fxi_emit_memory_type(e, dtype), lanes);
    raw_store(e, narrow(e, dtype, memory, value, lanes), address, (unsigned)fxi_gemm_ir_component(dtype),
              mask);
}

static bool is_float(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) != LLVMIntegerTypeKind;
}

LLVMValueRef fxi_gemm_ir_fma(fxi_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c, bool negated) {
    if (!is_float(a)) return LLVMBuildAdd(e->builder, LLVMBuildMul(e->builder, a, b, ""), c, "");
    LLVMValueRef args[3] = {negated ? LLVMBuildFNeg(e->builder, a, "") : a, b, c};
    return fxi_emit_intrinsic(e, "llvm.fma", LLVMTypeOf(a), args, 3);
}

LLVMValueRef fxi_gemm_ir_sum(fxi_emit *e, LLVMValueRef a, LLVMValueRef b) {
    return is_float(a) ? LLVMBuildFAdd(e->builder, a, b, "") : LLVMBuildAdd(e->builder, a, b, "");
}

unsigned fxi_gemm_ir_lanes(const fxi_emit *e, fx_dtype compute) {
    return (unsigned)fxi_gemm_tile_of(compute, e->target->avx512).lanes;
}

int64_t fxi_gemm_ir_component(fx_dtype dtype) {
    return fxi_memory_bytes(fx_dtype_real(dtype));
}
