/* SPDX-License-Identifier: Apache-2.0 */
/* What the emitter's files share: the state of one module under construction and the register forms of
 * dtypes.
 *
 * No IR passes run after us (the code generator alone, at its "less" level), so the emitter owns
 * invariants, common subexpressions and strength reduction. All vectors have `lanes` logical lanes on
 * every ISA; LLVM splits them where the machine's registers are narrower, which keeps results equal
 * between AVX2 and AVX-512. No fast-math flags anywhere; FMA only where the emitter writes llvm.fma.
 *
 * Register forms: bool is <W x i1>; integers are themselves, int2/int4/uint2/uint4 extended into i8;
 * float16, bfloat16 and the float8 types are f32 holding an exactly representable value (every op rounds
 * its result once); complex types are two real vectors. In memory (workspace and unpacked buffers) bool is
 * a byte 0/1, 2- and 4-bit integers one byte each, complex interleaved. */
#ifndef FXI_EMIT_H
#define FXI_EMIT_H

#include "base/base.h"
#include <fluxion/dtype.h>
#include <llvm-c/Core.h>

typedef struct fxi_target {
    const char *cpu;      /* LLVM CPU name, e.g. "znver4" */
    const char *features; /* LLVM feature string */
    bool avx512;          /* F, BW, DQ, VL; else AVX2 + FMA + F16C */
    bool avx512_bf16;
    unsigned vector_bytes; /* preferred register width for elementwise code: 64 or 32 */
} fxi_target;

typedef struct fxi_emit {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef function;    /* the function under construction */
    const fxi_target *target;
    unsigned lanes;           /* logical lanes of every vector, 1 for scalar code */
} fxi_emit;

/* A value in registers; im is NULL unless the dtype is complex. */
typedef struct fxi_value {
    LLVMValueRef re, im;
} fxi_value;

/* Bytes of one element in memory. */
static inline int64_t fxi_memory_bytes(fx_dtype dtype) {
    int bits = fx_dtype_bits(dtype);
    return bits < 8 ? 1 : bits / 8;
}

/* Bytes of one element in registers, where small floats have 32 bits. */
static inline int64_t fxi_register_bytes(fx_dtype dtype) {
    int64_t bytes = fxi_memory_bytes(dtype);
    return fx_dtype_is_float(dtype) && bytes < 4 ? 4 : bytes;
}

/* emit_types.c: element type in registers (f32 for halves, component for complex), in memory, and vectors
 * of them */
/* register element type; i1 for bool */
LLVMTypeRef fxi_emit_scalar_type(const fxi_emit *e, fx_dtype dtype);
/* iN / float / double; component type for complex; i8 for bool and packed */
LLVMTypeRef fxi_emit_memory_type(const fxi_emit *e, fx_dtype dtype);
/* <lanes x scalar>, or scalar when lanes is 1 */
LLVMTypeRef fxi_emit_vector_of(const fxi_emit *e, LLVMTypeRef scalar);
LLVMValueRef fxi_emit_splat(const fxi_emit *e, LLVMValueRef scalar);   /* scalar in every lane */
LLVMValueRef fxi_emit_f32(const fxi_emit *e, double value);            /* splat constants */
LLVMValueRef fxi_emit_f64(const fxi_emit *e, double value);
LLVMValueRef fxi_emit_int(const fxi_emit *e, unsigned bits, uint64_t value);
/* Calls an overloaded LLVM intrinsic, e.g. ("llvm.fma", vector type, args, 3). */
LLVMValueRef fxi_emit_intrinsic(fxi_emit *e, const char *name, LLVMTypeRef overload, LLVMValueRef *args,
                                unsigned count);

#endif
