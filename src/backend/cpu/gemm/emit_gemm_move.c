/* SPDX-License-Identifier: Apache-2.0 */
/* 2-D copies with conversion: what packs operands into panels and what turns finished sums into results.
 *
 * dst[o][i] = src[o][i] for o < outer, i < inner. Three forms, by the unit stride of the source: along
 * inner, whole vectors; along outer, square blocks turned in registers, which writes whole vectors too (and
 * outer rounded up to a block, for which the destination must have room); any strides, element by element,
 * which is also the only form for complex numbers: it takes interleaved pairs apart into planes, or puts
 * them together. */
#include "emit_gemm.h"

#define MAX_LANES 8     /* of a block */
#define BLOCK_BYTES 32u /* blocks of 256-bit registers are as fast as of 512 and a third of the code */

enum {
    SRC_OUTER,
    SRC_INNER,
    DST_OUTER,
    DST_INNER,
    OUTER,
    INNER,
    SRC_PLANE,
    DST_PLANE
}; /* fields of fxi_gemm_move */

typedef struct move {
    fxi_emit *e;
    fx_dtype from, to, compute; /* compute: the wider of the two, whose registers carry the values */
    unsigned lanes;
    int64_t from_bytes, to_bytes;
    LLVMValueRef src, dst, src_outer, src_inner, dst_outer, outer, inner;
} move;

/* Registers in between: packing widens into the compute type, finishing narrows from it. */
static fx_dtype between(fx_dtype from, fx_dtype to) {
    bool from_computes = from == FX_F32 || from == FX_F64 || from == FX_S32 || from == FX_S64;
    if (!from_computes) return to;
    return fx_dtype_bits(to) > fx_dtype_bits(from) ? to : from;
}

static void copy_vector(const move *m, LLVMValueRef src_row, LLVMValueRef dst_row, LLVMValueRef i,
                        bool partial) {
    fxi_emit *e = m->e;
    LLVMValueRef mask = NULL;
    if (partial) mask = fxi_gemm_ir_mask(e, LLVMBuildSub(e->builder, m->inner, i, ""), m->lanes);
    LLVMValueRef from =
        fxi_gemm_ir_at(e, src_row, LLVMBuildMul(e->builder, i, fxi_gemm_ir_i64(e, m->from_bytes), ""));
    LLVMValueRef to =
        fxi_gemm_ir_at(e, dst_row, LLVMBuildMul(e->builder, i, fxi_gemm_ir_i64(e, m->to_bytes), ""));
    LLVMValueRef value = fxi_gemm_ir_load(e, m->from, m->compute, from, m->lanes, mask);
    fxi_gemm_ir_store(e, m->to, value, to, m->lanes, mask);
}

static void emit_rows(const move *m) {
    fxi_emit *e = m->e;
    LLVMValueRef zero = fxi_gemm_ir_i64(e, 0);
    LLVMValueRef whole = LLVMBuildAnd(e->builder, m->inner, fxi_gemm_ir_i64(e, -(int64_t)m->lanes), "");
    fxi_gemm_loop rows = fxi_gemm_ir_begin(e, zero, m->outer);
    LLVMValueRef src = fxi_gemm_ir_phi(e, &rows, m->src), dst = fxi_gemm_ir_phi(e, &rows, m->dst);
    fxi_gemm_loop full = fxi_gemm_ir_begin(e, zero, whole);
    copy_vector(m, src, dst, full.index, false);
    fxi_gemm_ir_end(e, &full, m->lanes);
    fxi_gemm_loop rest = fxi_gemm_ir_begin(e, whole, m->inner);
    copy_vector(m, src, dst, rest.index, true);
    fxi_gemm_ir_end(e, &rest, m->lanes);
    fxi_gemm_ir_next(e, src, fxi_gemm_ir_at(e, src, m->src_outer));
    fxi_gemm_ir_next(e, dst, fxi_gemm_ir_at(e, dst, m->dst_outer));
    fxi_gemm_ir_end(e, &rows, 1);
}

/* One stage: lanes and vectors whose numbers differ in bit `bit` change places; after all bits the block is
 * transposed. */
static void exchange(const move *m, LLVMValueRef *block, unsigned bit) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->e->context);
    LLVMValueRef low[MAX_LANES], high[MAX_LANES];
    for (unsigned l = 0; l < m->lanes; l++) {
        bool set = (l & bit) != 0;
        low[l] = LLVMConstInt(i32, set ? m->lanes + l - bit : l, 0);
        high[l] = LLVMConstInt(i32, set ? m->lanes + l : l + bit, 0);
    }
    LLVMValueRef low_mask = LLVMConstVector(low, m->lanes), high_mask = LLVMConstVector(high, m->lanes);
    for (unsigned i = 0; i < m->lanes; i++) {
        if (i & bit) continue;
        LLVMValueRef a = block[i], b = block[i | bit];
        block[i] = LLVMBuildShuffleVector(m->e->builder, a, b, low_mask, "");
        block[i | bit] = LLVMBuildShuffleVector(m->e->builder, a, b, high_mask, "");
    }
}

/* The mask cuts off what lies beyond outer; vectors beyond inner read the last one again and are not stored.
 */
static void load_block(const move *m, LLVMValueRef *block, LLVMValueRef src, LLVMValueRef o, LLVMValueRef i) {
    fxi_emit *e = m->e;
    LLVMValueRef mask = fxi_gemm_ir_mask(e, LLVMBuildSub(e->builder, m->outer, o, ""), m->lanes);
    LLVMValueRef zero = fxi_gemm_ir_i64(e, 0);
    for (unsigned t = 0; t < m->lanes; t++) {
        block[t] = fxi_gemm_ir_load(e, m->from, m->compute, src, m->lanes, mask);
        LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, fxi_gemm_ir_add(e, i, t + 1), m->inner, "");
        src = fxi_gemm_ir_at(e, src, LLVMBuildSelect(e->builder, more, m->src_inner, zero, ""));
    }
}

static void store_block(const move *m, LLVMValueRef *block, LLVMValueRef dst, LLVMValueRef i) {
    fxi_emit *e = m->e;
    LLVMValueRef mask = fxi_gemm_ir_mask(e, LLVMBuildSub(e->builder, m->inner, i, ""), m->lanes);
    for (unsigned t = 0; t < m->lanes; t++) {
        fxi_gemm_ir_store(e, m->to, block[t], dst, m->lanes, mask);
        dst = fxi_gemm_ir_at(e, dst, m->dst_outer);
    }
}

static void emit_transpose(const move *m) {
    fxi_emit *e = m->e;
    LLVMValueRef block[MAX_LANES], zero = fxi_gemm_ir_i64(e, 0);
    fxi_gemm_loop across = fxi_gemm_ir_begin(e, zero, m->inner);
    LLVMValueRef skip = LLVMBuildMul(e->builder, across.index, m->src_inner, "");
    LLVMValueRef step = LLVMBuildMul(e->builder, across.index, fxi_gemm_ir_i64(e, m->to_bytes), "");
    LLVMValueRef src = fxi_gemm_ir_at(e, m->src, skip), dst = fxi_gemm_ir_at(e, m->dst, step);
    fxi_gemm_loop down = fxi_gemm_ir_begin(e, zero, m->outer);
    src = fxi_gemm_ir_phi(e, &down, src);
    dst = fxi_gemm_ir_phi(e, &down, dst);
    load_block(m, block, src, down.index, across.index);
    for (unsigned bit = 1; bit < m->lanes; bit *= 2) exchange(m, block, bit);
    store_block(m, block, dst, across.index);
    LLVMValueRef far = LLVMBuildMul(e->builder, m->dst_outer, fxi_gemm_ir_i64(e, m->lanes), "");
    fxi_gemm_ir_next(e, src, fxi_gemm_ir_at_const(e, src, (int64_t)m->lanes * m->from_bytes));
    fxi_gemm_ir_next(e, dst, fxi_gemm_ir_at(e, dst, far));
    fxi_gemm_ir_end(e, &down, m->lanes);
    fxi_gemm_ir_end(e, &across, m->lanes);
}

static void emit_strided(const move *m) {
    fxi_emit *e = m->e;
    unsigned planes = fx_dtype_is_complex(m->from) ? 2 : 1;
    LLVMValueRef dst_inner = fxi_gemm_ir_field(e, DST_INNER), zero = fxi_gemm_ir_i64(e, 0);
    LLVMValueRef src_plane = fxi_gemm_ir_field(e, SRC_PLANE), dst_plane = fxi_gemm_ir_field(e, DST_PLANE);
    fxi_gemm_loop rows = fxi_gemm_ir_begin(e, zero, m->outer);
    LLVMValueRef src_row = fxi_gemm_ir_phi(e, &rows, m->src), dst_row = fxi_gemm_ir_phi(e, &rows, m->dst);
    fxi_gemm_loop across = fxi_gemm_ir_begin(e, zero, m->inner);
    LLVMValueRef src = fxi_gemm_ir_phi(e, &across, src_row), dst = fxi_gemm_ir_phi(e, &across, dst_row);
    for (unsigned plane = 0; plane < planes; plane++) {
        LLVMValueRef from = plane == 0 ? src : fxi_gemm_ir_at(e, src, src_plane);
        LLVMValueRef to = plane == 0 ? dst : fxi_gemm_ir_at(e, dst, dst_plane);
        fxi_gemm_ir_store(e, m->to, fxi_gemm_ir_load(e, m->from, m->compute, from, 1, NULL), to, 1, NULL);
    }
    fxi_gemm_ir_next(e, src, fxi_gemm_ir_at(e, src, m->src_inner));
    fxi_gemm_ir_next(e, dst, fxi_gemm_ir_at(e, dst, dst_inner));
    fxi_gemm_ir_end(e, &across, 1);
    fxi_gemm_ir_next(e, src_row, fxi_gemm_ir_at(e, src_row, m->src_outer));
    fxi_gemm_ir_next(e, dst_row, fxi_gemm_ir_at(e, dst_row, m->dst_outer));
    fxi_gemm_ir_end(e, &rows, 1);
}

void fxi_gemm_emit_move(fxi_emit *e, const fxi_gemm_kernel *kernel) {
    fxi_gemm_ir_function(e, 3);
    move m = {.e = e, .from = (fx_dtype)kernel->from, .to = (fx_dtype)kernel->to};
    m.compute = between(m.from, m.to);
    m.lanes = fxi_gemm_ir_lanes(e, m.compute);
    if (kernel->kind == FXI_GEMM_MOVE_TRANSPOSE)
        m.lanes = BLOCK_BYTES / (unsigned)fxi_memory_bytes(m.compute);
    m.from_bytes = fxi_gemm_ir_component(m.from);
    m.to_bytes = fxi_gemm_ir_component(m.to);
    m.src = fxi_gemm_ir_argument(e, 0);
    m.dst = fxi_gemm_ir_argument(e, 1);
    m.src_outer = fxi_gemm_ir_field(e, SRC_OUTER);
    m.src_inner = fxi_gemm_ir_field(e, SRC_INNER);
    m.dst_outer = fxi_gemm_ir_field(e, DST_OUTER);
    m.outer = fxi_gemm_ir_field(e, OUTER);
    m.inner = fxi_gemm_ir_field(e, INNER);
    switch ((fxi_gemm_kind)kernel->kind) {
    case FXI_GEMM_MOVE_ROWS: emit_rows(&m); break;
    case FXI_GEMM_MOVE_TRANSPOSE: emit_transpose(&m); break;
    default: emit_strided(&m); break;
    }
    LLVMBuildRetVoid(e->builder);
}
