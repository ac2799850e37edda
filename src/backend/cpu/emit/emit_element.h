/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operations on values in registers: one table from operation to emitter, and the conversions
 * between memory and register forms (emit.h says what those are). */
#ifndef FXI_EMIT_ELEMENT_H
#define FXI_EMIT_ELEMENT_H

#include "emit.h"
#include "graph/graph.h"

/* One elementwise operation, free of graph pointers: part of kernel keys, compared bytewise (zero the
 * struct first). */
typedef struct fxi_element {
    uint16_t op;       /* fx_op of class MAP */
    uint8_t from;      /* fx_dtype of operand 0 (of operand 1 for SELECT) */
    uint8_t to;        /* fx_dtype of the result */
    uint8_t word;      /* direction of COMPARE; exponent bits of REDUCE_PRECISION */
    uint8_t word2;     /* total_order of COMPARE; mantissa bits of REDUCE_PRECISION */
} fxi_element;
fxi_element fxi_element_of(const fx_node *node);

/* Emits it; the result is in the register form of `to`, already rounded for half types. FXI_MAP_OPERANDS
 * at most. */
fxi_value fxi_emit_element(fxi_emit *e, const fxi_element *element, const fxi_value *operands);
/* emit_random.c: PHILOX of words first, first + 1, ... (an i64, a multiple of the group) for as many vectors
 * as fxi_emit_philox_group says, which share their blocks. operands[3] is not looked at; the others are
 * splats. */
unsigned fxi_emit_philox_group(const fxi_element *element);
void fxi_emit_philox_run(fxi_emit *e, const fxi_element *element, const fxi_value *operands,
                         LLVMValueRef first, fxi_value *results);
/* Reductions: one combining step, the neutral element in every lane, and the fixed-order combination of
 * the lanes of a vector into one (lane tree 8+8, 4+4, 2+2, 1+1) given back as scalars. Accumulators of
 * halves are plain f32 (not rounded), those of int8/int16 and packed types stay in their register form
 * (wrapping is exact). */
fxi_value fxi_emit_reduce_step(fxi_emit *e, fxi_reduce_kind kind, fx_dtype dtype, fxi_value a, fxi_value b);
fxi_value fxi_emit_reduce_neutral(fxi_emit *e, fxi_reduce_kind kind, fx_dtype dtype);
fxi_value fxi_emit_reduce_lanes(fxi_emit *e, fxi_reduce_kind kind, fx_dtype dtype, fxi_value vector);
/* Rounds an f32 register value to the half dtype and back to f32 (round to nearest even, NaN kept,
 * subnormals kept, integer arithmetic for bfloat16); any other dtype: unchanged. Finishes a reduction of a
 * half type. */
fxi_value fxi_emit_round(fxi_emit *e, fx_dtype dtype, fxi_value value);

/* Memory access of `lanes` elements. address: pointer to the first element. mask: <lanes x i1> or NULL for
 * all; masked-off lanes read as zero, are not touched in memory. stride_elements: NULL for 1 (dense), else
 * an i64: gather/scatter with that element stride (loads of a constant stride of 2 or -1 are fast). With
 * e->lanes == 1 these are scalar accesses (mask NULL). */
fxi_value fxi_emit_load(fxi_emit *e, fx_dtype dtype, LLVMValueRef address, LLVMValueRef mask,
                        LLVMValueRef stride_elements);
void fxi_emit_store(fxi_emit *e, fx_dtype dtype, LLVMValueRef address, fxi_value value, LLVMValueRef mask,
                    LLVMValueRef stride_elements);
/* One scalar element from memory, splat to all lanes (a broadcast operand). */
fxi_value fxi_emit_load_splat(fxi_emit *e, fx_dtype dtype, LLVMValueRef address);
/* base + lane * step in the dtype (iota along the vector axis; step is 1 or 0 as i64, base an i64): wraps
 * for integers, rounds once for floats. */
fxi_value fxi_emit_iota(fxi_emit *e, fx_dtype dtype, LLVMValueRef base, LLVMValueRef step);
/* A constant in every lane from its memory bits (low `bits` of re/im patterns as fxi_element_store would
 * write them). */
fxi_value fxi_emit_constant(fxi_emit *e, fx_dtype dtype, const void *element);

#endif
