/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for products of a few rows with a large matrix, which is read once, where it lies, at the speed of
 * memory.
 *
 * STREAM (the matrix L [k, width] is unit-stride along its width): a few rows of L at a time are multiplied
 * by broadcast elements of the small operand and added to the output, which stays in a near cache. Each
 * output is one chain over ascending p.
 * DOT (L is unit-stride along k): a few columns of L at a time, each with one vector of sums per small row.
 * The vector has 16 logical lanes for 4-byte sums and 8 for 8-byte ones whatever the machine's registers
 * are, and its lanes are added in a fixed tree, so bits don't depend on the ISA. */
#include "emit_gemm.h"

#define MAX_SUMS 32
#define STREAM_ROWS                                                                                          \
    4 /* of L at a time: enough to make little of the traffic of outputs, few enough streams */
#define HELD_FACTORS 16u /* broadcast elements of S that are kept in registers */

enum { L_STRIDE, S_STRIDE, O_STRIDE, DEPTH, WIDTH }; /* fields of fxi_gemm_narrow */

typedef struct narrow {
    fxi_emit *e;
    fx_dtype from, compute;
    unsigned small, lanes;
    int64_t from_bytes, bytes;
    LLVMValueRef s, l, o, l_stride, s_stride, o_stride, k, width, zero;
} narrow;

static narrow start(fxi_emit *e, const fxi_gemm_kernel *kernel) {
    fxi_gemm_ir_function(e, 4);
    narrow n = {
        .e = e, .from = (fx_dtype)kernel->from, .compute = (fx_dtype)kernel->to, .small = kernel->rows};
    n.from_bytes = fxi_memory_bytes(n.from);
    n.bytes = fxi_memory_bytes(n.compute);
    n.s = fxi_gemm_ir_argument(e, 0);
    n.l = fxi_gemm_ir_argument(e, 1);
    n.o = fxi_gemm_ir_argument(e, 2);
    n.l_stride = fxi_gemm_ir_field(e, L_STRIDE);
    n.s_stride = fxi_gemm_ir_field(e, S_STRIDE);
    n.o_stride = fxi_gemm_ir_field(e, O_STRIDE);
    n.k = fxi_gemm_ir_field(e, DEPTH);
    n.width = fxi_gemm_ir_field(e, WIDTH);
    n.zero = fxi_gemm_ir_i64(e, 0);
    return n;
}

static LLVMValueRef scaled(const narrow *n, LLVMValueRef base, LLVMValueRef index, int64_t bytes) {
    return fxi_gemm_ir_at(n->e, base, LLVMBuildMul(n->e->builder, index, fxi_gemm_ir_i64(n->e, bytes), ""));
}

/* Masked loads of every width are single instructions with AVX-512, and of 4 and 8 bytes with AVX2; then
 * there is one masked loop and no second one for whole vectors. */
static bool masks_are_cheap(const narrow *n) {
    return n->e->target->avx512 || n->from_bytes >= 4;
}

/* ---- STREAM ---- */

/* Rows of L at a time; `factors` holds the broadcast elements of S where registers suffice, else is NULL and
 * they are read as operands of the multiplications. */
typedef struct stream_rows {
    unsigned rows;
    LLVMValueRef s, l;
    LLVMValueRef *factors;
} stream_rows;

static LLVMValueRef factor(const narrow *n, const stream_rows *block, unsigned row, unsigned i) {
    unsigned index = row * n->small + i;
    if (block->factors != NULL) return block->factors[index];
    LLVMValueRef at = fxi_gemm_ir_at_const(n->e, block->s, (int64_t)index * n->bytes);
    return fxi_gemm_ir_splat(n->e, fxi_gemm_ir_load(n->e, n->compute, n->compute, at, 1, NULL), n->lanes);
}

/* One vector of columns from x on, for all small rows. */
static void stream_vector(const narrow *n, const stream_rows *block, LLVMValueRef x, bool partial) {
    fxi_emit *e = n->e;
    LLVMValueRef mask = NULL, columns[MAX_SUMS];
    if (partial) mask = fxi_gemm_ir_mask(e, LLVMBuildSub(e->builder, n->width, x, ""), n->lanes);
    LLVMValueRef at = scaled(n, block->l, x, n->from_bytes);
    for (unsigned r = 0; r < block->rows; r++) {
        columns[r] = fxi_gemm_ir_load(e, n->from, n->compute, at, n->lanes, mask);
        at = fxi_gemm_ir_at(e, at, n->l_stride);
    }
    LLVMValueRef out = scaled(n, n->o, x, n->bytes);
    for (unsigned i = 0; i < n->small; i++) {
        LLVMValueRef sum = fxi_gemm_ir_load(e, n->compute, n->compute, out, n->lanes, mask);
        for (unsigned r = 0; r < block->rows; r++)
            sum = fxi_gemm_ir_fma(e, factor(n, block, r, i), columns[r], sum, false);
        fxi_gemm_ir_store(e, n->compute, sum, out, n->lanes, mask);
        out = fxi_gemm_ir_at(e, out, n->o_stride);
    }
}

/* Rows [from, to) of L, `rows` at a time; `to - from` is a multiple of it. Whole vectors apart from the rest
 * unless `masked`. */
static void stream_loop(const narrow *n, unsigned rows, LLVMValueRef from, LLVMValueRef to, bool masked) {
    fxi_emit *e = n->e;
    LLVMValueRef held[MAX_SUMS], whole = n->zero;
    unsigned count = rows * n->small;
    fxi_gemm_loop down = fxi_gemm_ir_begin(e, from, to);
    stream_rows block = {.rows = rows, .s = scaled(n, n->s, down.index, n->bytes * n->small)};
    block.l = fxi_gemm_ir_at(e, n->l, LLVMBuildMul(e->builder, down.index, n->l_stride, ""));
    for (unsigned f = 0; f < count && count <= HELD_FACTORS; f++)
        held[f] = factor(n, &block, f / n->small, f % n->small);
    if (count <= HELD_FACTORS) block.factors = held;
    if (!masked) {
        whole = LLVMBuildAnd(e->builder, n->width, fxi_gemm_ir_i64(e, -(int64_t)n->lanes), "");
        fxi_gemm_loop full = fxi_gemm_ir_begin(e, n->zero, whole);
        stream_vector(n, &block, full.index, false);
        fxi_gemm_ir_end(e, &full, n->lanes);
    }
    fxi_gemm_loop rest = fxi_gemm_ir_begin(e, whole, n->width);
    stream_vector(n, &block, rest.index, true);
    fxi_gemm_ir_end(e, &rest, n->lanes);
    fxi_gemm_ir_end(e, &down, rows);
}

void fxi_gemm_emit_stream(fxi_emit *e, const fxi_gemm_kernel *kernel) {
    narrow n = start(e, kernel);
    n.lanes = fxi_gemm_ir_lanes(e, n.compute);
    LLVMValueRef main = LLVMBuildAnd(e->builder, n.k, fxi_gemm_ir_i64(e, -STREAM_ROWS), "");
    stream_loop(&n, STREAM_ROWS, n.zero, main, e->target->avx512);
    stream_loop(&n, 1, main, n.k, masks_are_cheap(&n));
    LLVMBuildRetVoid(e->builder);
}

/* ---- DOT ---- */

/* Adds the lanes of a vector: upper half onto lower half, until one is left. */
static LLVMValueRef add_lanes(const narrow *n, LLVMValueRef value) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(n->e->context);
    for (unsigned half = n->lanes / 2; half >= 1; half /= 2) {
        LLVMValueRef low[MAX_SUMS], high[MAX_SUMS];
        for (unsigned l = 0; l < half; l++) {
            low[l] = LLVMConstInt(i32, l, 0);
            high[l] = LLVMConstInt(i32, half + l, 0);
        }
        LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(value));
        LLVMValueRef lower =
            LLVMBuildShuffleVector(n->e->builder, value, none, LLVMConstVector(low, half), "");
        LLVMValueRef upper =
            LLVMBuildShuffleVector(n->e->builder, value, none, LLVMConstVector(high, half), "");
        value = fxi_gemm_ir_sum(n->e, lower, upper);
    }
    return LLVMBuildExtractElement(n->e->builder, value, LLVMConstInt(i32, 0, 0), "");
}

/* A group of columns of L; where fewer are left, the last one is taken several times over. */
typedef struct dot_group {
    unsigned columns;
    LLVMValueRef l[FXI_GEMM_DOT_COLUMNS], o[FXI_GEMM_DOT_COLUMNS];
    LLVMValueRef sums[MAX_SUMS]; /* [small][columns] */
} dot_group;

/* One vector along k: sums[i][c] += s[i] l[c]. */
static void dot_vector(const narrow *n, dot_group *g, LLVMValueRef p, bool partial) {
    fxi_emit *e = n->e;
    LLVMValueRef mask = NULL, column[FXI_GEMM_DOT_COLUMNS];
    if (partial) mask = fxi_gemm_ir_mask(e, LLVMBuildSub(e->builder, n->k, p, ""), n->lanes);
    for (unsigned c = 0; c < g->columns; c++) {
        LLVMValueRef at = scaled(n, g->l[c], p, n->from_bytes);
        column[c] = fxi_gemm_ir_load(e, n->from, n->compute, at, n->lanes, mask);
    }
    LLVMValueRef s = scaled(n, n->s, p, n->bytes);
    for (unsigned i = 0; i < n->small; i++) {
        LLVMValueRef row = fxi_gemm_ir_load(e, n->compute, n->compute, s, n->lanes, mask);
        for (unsigned c = 0; c < g->columns; c++) {
            LLVMValueRef *sum = &g->sums[i * g->columns + c];
            *sum = fxi_gemm_ir_fma(e, row, column[c], *sum, false);
        }
        s = fxi_gemm_ir_at(e, s, n->s_stride);
    }
}

/* A loop along k over [from, to), of whole vectors or with a mask; sums go in and come out. */
static void dot_loop(const narrow *n, dot_group *g, LLVMValueRef from, LLVMValueRef to, bool partial) {
    fxi_emit *e = n->e;
    LLVMValueRef phis[MAX_SUMS];
    fxi_gemm_loop along = fxi_gemm_ir_begin(e, from, to);
    for (unsigned i = 0; i < n->small * g->columns; i++)
        g->sums[i] = phis[i] = fxi_gemm_ir_phi(e, &along, g->sums[i]);
    dot_vector(n, g, along.index, partial);
    for (unsigned i = 0; i < n->small * g->columns; i++) {
        fxi_gemm_ir_next(e, phis[i], g->sums[i]);
        g->sums[i] = phis[i];
    }
    fxi_gemm_ir_end(e, &along, n->lanes);
}

static void start_group(const narrow *n, dot_group *g, LLVMValueRef first) {
    fxi_emit *e = n->e;
    LLVMTypeRef vector = fxi_gemm_ir_vector(fxi_emit_scalar_type(e, n->compute), n->lanes);
    LLVMValueRef last = fxi_gemm_ir_add(e, n->width, -1);
    for (unsigned c = 0; c < g->columns; c++) {
        LLVMValueRef x = fxi_gemm_ir_add(e, first, c);
        x = LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, x, last, ""), x, last, "");
        g->l[c] = fxi_gemm_ir_at(e, n->l, LLVMBuildMul(e->builder, x, n->l_stride, ""));
        g->o[c] = scaled(n, n->o, x, n->bytes);
    }
    for (unsigned i = 0; i < n->small * g->columns; i++) g->sums[i] = LLVMConstNull(vector);
}

/* As many as registers hold the sums of; memory delivers most when about eight runs are read side by side. */
static unsigned columns_at_once(const narrow *n) {
    unsigned registers = n->e->target->avx512 ? 24 : 6, columns = registers / n->small;
    if (columns >= FXI_GEMM_DOT_COLUMNS) return FXI_GEMM_DOT_COLUMNS;
    return columns > 4 ? 4 : columns < 1 ? 1 : columns;
}

void fxi_gemm_emit_dot(fxi_emit *e, const fxi_gemm_kernel *kernel) {
    narrow n = start(e, kernel);
    dot_group g = {.columns = columns_at_once(&n)};
    LLVMValueRef whole = n.zero;
    n.lanes = n.bytes == 4 ? 16 : 8;
    fxi_gemm_loop across = fxi_gemm_ir_begin(e, n.zero, n.width);
    start_group(&n, &g, across.index);
    if (!masks_are_cheap(&n)) {
        whole = LLVMBuildAnd(e->builder, n.k, fxi_gemm_ir_i64(e, -(int64_t)n.lanes), "");
        dot_loop(&n, &g, n.zero, whole, false);
    }
    dot_loop(&n, &g, whole, n.k, true);
    for (unsigned i = 0; i < n.small; i++)
        for (unsigned c = 0; c < g.columns; c++) {
            fxi_gemm_ir_store(e, n.compute, add_lanes(&n, g.sums[i * g.columns + c]), g.o[c], 1, NULL);
            g.o[c] = fxi_gemm_ir_at(e, g.o[c], n.o_stride);
        }
    fxi_gemm_ir_end(e, &across, g.columns);
    LLVMBuildRetVoid(e->builder);
}
