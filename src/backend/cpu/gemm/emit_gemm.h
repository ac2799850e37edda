/* SPDX-License-Identifier: Apache-2.0 */
/* What the emitters of matrix-product kernels share: loops, addresses, masks, conversions and sums of
 * products. */
#ifndef FXI_EMIT_GEMM_H
#define FXI_EMIT_GEMM_H

#include "gemm_internal.h"

/* ---- emit_gemm_ir.c ---- */

/* Starts `void gemm(ptr, ptr, ..., ptr args)` with `count` pointers; e->function is it, the builder stands
 * in its entry. */
void fxi_gemm_ir_function(fxi_emit *e, unsigned count);
LLVMValueRef fxi_gemm_ir_argument(const fxi_emit *e, unsigned index);
/* Field `index` (an int64) of the argument block that is the function's last parameter. */
LLVMValueRef fxi_gemm_ir_field(const fxi_emit *e, unsigned index);
LLVMValueRef fxi_gemm_ir_i64(const fxi_emit *e, int64_t value);
LLVMValueRef fxi_gemm_ir_add(const fxi_emit *e, LLVMValueRef a, int64_t b);
/* base + bytes, both as values; and with a constant number of bytes. */
LLVMValueRef fxi_gemm_ir_at(const fxi_emit *e, LLVMValueRef base, LLVMValueRef bytes);
LLVMValueRef fxi_gemm_ir_at_const(const fxi_emit *e, LLVMValueRef base, int64_t bytes);

/* for (index = from; index < to; index += step), signed. The builder stands in the body after begin, behind
 * the loop after end. Values that change go through phis of the head: `phi` after begin, then `next` once
 * before end. */
typedef struct fxi_gemm_loop {
    LLVMBasicBlockRef entry, head, done;
    LLVMValueRef index;
} fxi_gemm_loop;
fxi_gemm_loop fxi_gemm_ir_begin(fxi_emit *e, LLVMValueRef from, LLVMValueRef to);
LLVMValueRef fxi_gemm_ir_phi(fxi_emit *e, const fxi_gemm_loop *loop, LLVMValueRef first);
void fxi_gemm_ir_next(fxi_emit *e, LLVMValueRef phi, LLVMValueRef value);
void fxi_gemm_ir_end(fxi_emit *e, const fxi_gemm_loop *loop, int64_t step);

/* Vectors of `lanes` (not e->lanes: register width by compute type); lanes 1 is a scalar. */
LLVMTypeRef fxi_gemm_ir_vector(LLVMTypeRef scalar, unsigned lanes);
LLVMValueRef fxi_gemm_ir_splat(const fxi_emit *e, LLVMValueRef scalar, unsigned lanes);
/* Lanes below `count` (an i64, any value): the mask of a partial vector. */
LLVMValueRef fxi_gemm_ir_mask(const fxi_emit *e, LLVMValueRef count, unsigned lanes);

/* Loads `lanes` elements as they lie in memory for `dtype` and widens them to the register type of
 * `compute`; stores the reverse. Lanes off in the mask (NULL: none) load as zero and leave memory alone.
 * Complex: one component. */
LLVMValueRef fxi_gemm_ir_load(fxi_emit *e, fx_dtype dtype, fx_dtype compute, LLVMValueRef address,
                              unsigned lanes, LLVMValueRef mask);
void fxi_gemm_ir_store(fxi_emit *e, fx_dtype dtype, LLVMValueRef value, LLVMValueRef address, unsigned lanes,
                       LLVMValueRef mask);
/* a * b + c, fused for floats; negated: c - a * b. */
LLVMValueRef fxi_gemm_ir_fma(fxi_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c, bool negated);
LLVMValueRef fxi_gemm_ir_sum(fxi_emit *e, LLVMValueRef a, LLVMValueRef b);

/* Lanes of one register for elements of a compute type. */
unsigned fxi_gemm_ir_lanes(const fxi_emit *e, fx_dtype compute);
/* Bytes between elements in memory (the whole complex one). */
/* Bytes of a component of a complex element, of the element otherwise. */
int64_t fxi_gemm_ir_component(fx_dtype dtype);

/* ---- one per kind of kernel ---- */
void fxi_gemm_emit_micro(fxi_emit *e, const fxi_gemm_kernel *kernel);  /* emit_gemm.c */
void fxi_gemm_emit_move(fxi_emit *e, const fxi_gemm_kernel *kernel);   /* emit_gemm_move.c */
void fxi_gemm_emit_stream(fxi_emit *e, const fxi_gemm_kernel *kernel); /* emit_gemm_narrow.c */
void fxi_gemm_emit_dot(fxi_emit *e, const fxi_gemm_kernel *kernel);

#endif
