/* SPDX-License-Identifier: Apache-2.0 */
/* Types of elements in registers and in memory, vectors of them, splat constants and calls of LLVM's
 * intrinsics.
 *
 * One table row per dtype says both forms: small floats live in memory as integers of their width and in
 * registers as f32 (so that no instruction or library call for half types is ever needed), packed integers as
 * i8 in both. A dtype that is none gives NULL. Constants are built as splats directly: LLVM interns them, so
 * a repeated one costs a lookup, and the code generator folds them into broadcast loads. */
#include "emit.h"

#include <string.h>

typedef enum form { NONE, I1, I8, I16, I32, I64, FLOAT, DOUBLE } form;

static const struct {
    unsigned char scalar, memory; /* form */
} forms[FX_DTYPE_LIMIT] = {
    [FX_BOOL] = {I1, I8},      [FX_S8] = {I8, I8},          [FX_S16] = {I16, I16},
    [FX_S32] = {I32, I32},     [FX_S64] = {I64, I64},       [FX_U8] = {I8, I8},
    [FX_U16] = {I16, I16},     [FX_U32] = {I32, I32},       [FX_U64] = {I64, I64},
    [FX_F16] = {FLOAT, I16},   [FX_F32] = {FLOAT, FLOAT},   [FX_F64] = {DOUBLE, DOUBLE},
    [FX_BF16] = {FLOAT, I16},  [FX_C64] = {FLOAT, FLOAT},   [FX_C128] = {DOUBLE, DOUBLE},
    [FX_F8E5M2] = {FLOAT, I8}, [FX_F8E4M3FN] = {FLOAT, I8}, [FX_S4] = {I8, I8},
    [FX_U4] = {I8, I8},        [FX_S2] = {I8, I8},          [FX_U2] = {I8, I8},
};

static LLVMTypeRef type_of(const fxi_emit *e, unsigned char which) {
    switch ((form)which) {
    case I1: return LLVMInt1TypeInContext(e->context);
    case I8: return LLVMInt8TypeInContext(e->context);
    case I16: return LLVMInt16TypeInContext(e->context);
    case I32: return LLVMInt32TypeInContext(e->context);
    case I64: return LLVMInt64TypeInContext(e->context);
    case FLOAT: return LLVMFloatTypeInContext(e->context);
    case DOUBLE: return LLVMDoubleTypeInContext(e->context);
    case NONE: break;
    }
    return NULL;
}

LLVMTypeRef fxi_emit_scalar_type(const fxi_emit *e, fx_dtype dtype) {
    return (unsigned)dtype < FX_DTYPE_LIMIT ? type_of(e, forms[dtype].scalar) : NULL;
}

LLVMTypeRef fxi_emit_memory_type(const fxi_emit *e, fx_dtype dtype) {
    return (unsigned)dtype < FX_DTYPE_LIMIT ? type_of(e, forms[dtype].memory) : NULL;
}

LLVMTypeRef fxi_emit_vector_of(const fxi_emit *e, LLVMTypeRef scalar) {
    return e->lanes == 1 ? scalar : LLVMVectorType(scalar, e->lanes);
}

/* For constants the builder folds both steps, so this gives a constant splat then. */
LLVMValueRef fxi_emit_splat(const fxi_emit *e, LLVMValueRef scalar) {
    if (e->lanes == 1) return scalar;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef none = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(scalar), e->lanes));
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(i32, e->lanes)); /* also the shuffle mask */
    LLVMValueRef first = LLVMBuildInsertElement(e->builder, none, scalar, LLVMConstInt(i32, 0, 0), "");
    return LLVMBuildShuffleVector(e->builder, first, none, zeros, "");
}

LLVMValueRef fxi_emit_f32(const fxi_emit *e, double value) {
    return fxi_emit_splat(e, LLVMConstReal(LLVMFloatTypeInContext(e->context), value));
}

LLVMValueRef fxi_emit_f64(const fxi_emit *e, double value) {
    return fxi_emit_splat(e, LLVMConstReal(LLVMDoubleTypeInContext(e->context), value));
}

LLVMValueRef fxi_emit_int(const fxi_emit *e, unsigned bits, uint64_t value) {
    uint64_t kept = bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
    return fxi_emit_splat(e, LLVMConstInt(LLVMIntTypeInContext(e->context, bits), kept, 0));
}

LLVMValueRef fxi_emit_intrinsic(fxi_emit *e, const char *name, LLVMTypeRef overload, LLVMValueRef *args,
                                unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (id == 0) return NULL;
    size_t overloads = LLVMIntrinsicIsOverloaded(id) ? 1 : 0;
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, &overload, overloads);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, &overload, overloads);
    return LLVMBuildCall2(e->builder, type, function, args, count, "");
}
