/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for products of a few rows with a large matrix, which is read once, where it lies, at the speed of memory.
 *
 * STREAM (the matrix L [k, width] is unit-stride along its width): a few rows of L at a time are multiplied by
 * broadcast elements of the small operand and added to the output, which stays in a near cache. Each output is one
 * chain over ascending p.
 * DOT (L is unit-stride along k): a few columns of L at a time, each with one vector of sums per small row. The vector has 16 logical
 * lanes for 4-byte sums and 8 for 8-byte ones whatever the machine's registers are, and its lanes are added in a fixed
 * tree, so bits don't depend on the ISA. The last vector along k is masked. */
#include "emit_gemm.h"

#define MAX_SMALL 8
#define MAX_SUMS 16

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
    narrow n = {.e = e, .from = (fx_dtype)kernel->from, .compute = (fx_dtype)kernel->to, .small = kernel->rows};
    n.from_bytes = fxi_gemm_ir_bytes(n.from);
    n.bytes = fxi_gemm_ir_bytes(n.compute);
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

/* ---- STREAM ---- */

/* One vector of columns of `rows` rows of L, for all small rows. */
static void stream_vector(const narrow *n, LLVMValueRef *factors, unsigned rows, LLVMValueRef l, LLVMValueRef x,
                          bool partial) {
    fxi_emit *e = n->e;
    LLVMValueRef mask = NULL, columns[MAX_SUMS];
    if (partial) mask = fxi_gemm_ir_mask(e, LLVMBuildSub(e->builder, n->width, x, ""), n->lanes);
    LLVMValueRef at = scaled(n, l, x, n->from_bytes);
    for (unsigned r = 0; r < rows; r++) {
        columns[r] = fxi_gemm_ir_load(e, n->from, n->compute, at, n->lanes, mask);
        at = fxi_gemm_ir_at(e, at, n->l_stride);
    }
    LLVMValueRef out = scaled(n, n->o, x, n->bytes);
    for (unsigned i = 0; i < n->small; i++) {
        LLVMValueRef sum = fxi_gemm_ir_load(e, n->compute, n->compute, out, n->lanes, mask);
        for (unsigned r = 0; r < rows; r++)
            sum = fxi_gemm_ir_fma(e, factors[r * n->small + i], columns[r], sum, false);
        fxi_gemm_ir_store(e, n->compute, sum, out, n->lanes, mask);
        out = fxi_gemm_ir_at(e, out, n->o_stride);
    }
}

/* Rows [from, to) of L, `rows` at a time; `to - from` is a multiple of it. */
static void stream_rows(const narrow *n, unsigned rows, LLVMValueRef from, LLVMValueRef to) {
    fxi_emit *e = n->e;
    LLVMValueRef factors[MAX_SUMS];
    LLVMValueRef whole = LLVMBuildAnd(e->builder, n->width, fxi_gemm_ir_i64(e, -(int64_t)n->lanes), "");
    fxi_gemm_loop down = fxi_gemm_ir_begin(e, from, to);
    LLVMValueRef s = scaled(n, n->s, down.index, n->bytes * n->small);
    LLVMValueRef l = fxi_gemm_ir_at(e, n->l, LLVMBuildMul(e->builder, down.index, n->l_stride, ""));
    for (unsigned f = 0; f < rows * n->small; f++) {
        LLVMValueRef at = fxi_gemm_ir_at_const(e, s, (int64_t)f * n->bytes);
        factors[f] = fxi_gemm_ir_splat(e, fxi_gemm_ir_load(e, n->compute, n->compute, at, 1, NULL), n->lanes);
    }
    fxi_gemm_loop full = fxi_gemm_ir_begin(e, n->zero, whole);
    stream_vector(n, factors, rows, l, full.index, false);
    fxi_gemm_ir_end(e, &full, n->lanes);
    fxi_gemm_loop rest = fxi_gemm_ir_begin(e, whole, n->width);
    stream_vector(n, factors, rows, l, rest.index, true);
    fxi_gemm_ir_end(e, &rest, n->lanes);
    fxi_gemm_ir_end(e, &down, rows);
}

void fxi_gemm_emit_stream(fxi_emit *e, const fxi_gemm_kernel *kernel) {
    narrow n = start(e, kernel);
    unsigned registers = e->target->avx512 ? 16 : 8;
    unsigned rows = n.small > registers / 2 ? 1 : n.small > registers / 4 ? 2 : 4;
    n.lanes = fxi_gemm_ir_lanes(e, n.compute);
    LLVMValueRef main = LLVMBuildAnd(e->builder, n.k, fxi_gemm_ir_i64(e, -(int64_t)rows), "");
    stream_rows(&n, rows, n.zero, main);
    if (rows > 1) stream_rows(&n, 1, main, n.k);
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
        LLVMValueRef lower = LLVMBuildShuffleVector(n->e->builder, value, none, LLVMConstVector(low, half), "");
        LLVMValueRef upper = LLVMBuildShuffleVector(n->e->builder, value, none, LLVMConstVector(high, half), "");
        value = fxi_gemm_ir_sum(n->e, lower, upper);
    }
    return LLVMBuildExtractElement(n->e->builder, value, LLVMConstInt(i32, 0, 0), "");
}

/* One vector along k of `columns` columns: sums[i * columns + c] += s[i] l[c]. */
static void dot_vector(const narrow *n, LLVMValueRef *sums, unsigned columns, LLVMValueRef l, LLVMValueRef p,
                       bool partial) {
    fxi_emit *e = n->e;
    LLVMValueRef mask = NULL, column[MAX_SUMS];
    if (partial) mask = fxi_gemm_ir_mask(e, LLVMBuildSub(e->builder, n->k, p, ""), n->lanes);
    LLVMValueRef at = scaled(n, l, p, n->from_bytes);
    for (unsigned c = 0; c < columns; c++) {
        column[c] = fxi_gemm_ir_load(e, n->from, n->compute, at, n->lanes, mask);
        at = fxi_gemm_ir_at(e, at, n->l_stride);
    }
    LLVMValueRef s = scaled(n, n->s, p, n->bytes);
    for (unsigned i = 0; i < n->small; i++) {
        LLVMValueRef row = fxi_gemm_ir_load(e, n->compute, n->compute, s, n->lanes, mask);
        for (unsigned c = 0; c < columns; c++) {
            LLVMValueRef *sum = &sums[i * columns + c];
            *sum = fxi_gemm_ir_fma(e, row, column[c], *sum, false);
        }
        s = fxi_gemm_ir_at(e, s, n->s_stride);
    }
}

/* A loop along k over [from, to), whole vectors or the partial one; sums go in and come out. */
static void dot_loop(const narrow *n, LLVMValueRef *sums, unsigned columns, LLVMValueRef l, LLVMValueRef from,
                     LLVMValueRef to, bool partial) {
    fxi_emit *e = n->e;
    LLVMValueRef phis[MAX_SUMS];
    fxi_gemm_loop along = fxi_gemm_ir_begin(e, from, to);
    for (unsigned i = 0; i < n->small * columns; i++) sums[i] = phis[i] = fxi_gemm_ir_phi(e, &along, sums[i]);
    dot_vector(n, sums, columns, l, along.index, partial);
    for (unsigned i = 0; i < n->small * columns; i++) {
        fxi_gemm_ir_next(e, phis[i], sums[i]);
        sums[i] = phis[i];
    }
    fxi_gemm_ir_end(e, &along, n->lanes);
}

/* Columns [from, to) of L, `columns` at a time; `to - from` is a multiple of it. */
static void dot_columns(const narrow *n, unsigned columns, LLVMValueRef from, LLVMValueRef to) {
    fxi_emit *e = n->e;
    LLVMTypeRef vector = fxi_gemm_ir_vector(fxi_emit_scalar_type(e, n->compute), n->lanes);
    LLVMValueRef sums[MAX_SUMS];
    LLVMValueRef whole = LLVMBuildAnd(e->builder, n->k, fxi_gemm_ir_i64(e, -(int64_t)n->lanes), "");
    fxi_gemm_loop across = fxi_gemm_ir_begin(e, from, to);
    LLVMValueRef l = fxi_gemm_ir_at(e, n->l, LLVMBuildMul(e->builder, across.index, n->l_stride, ""));
    for (unsigned i = 0; i < n->small * columns; i++) sums[i] = LLVMConstNull(vector);
    dot_loop(n, sums, columns, l, n->zero, whole, false);
    dot_loop(n, sums, columns, l, whole, n->k, true);
    LLVMValueRef out = scaled(n, n->o, across.index, n->bytes);
    for (unsigned i = 0; i < n->small; i++) {
        for (unsigned c = 0; c < columns; c++) {
            LLVMValueRef at = fxi_gemm_ir_at_const(e, out, (int64_t)c * n->bytes);
            fxi_gemm_ir_store(e, n->compute, add_lanes(n, sums[i * columns + c]), at, 1, NULL);
        }
        out = fxi_gemm_ir_at(e, out, n->o_stride);
    }
    fxi_gemm_ir_end(e, &across, columns);
}

void fxi_gemm_emit_dot(fxi_emit *e, const fxi_gemm_kernel *kernel) {
    narrow n = start(e, kernel);
    unsigned registers = e->target->avx512 ? 16 : 4;
    unsigned columns = n.small * 4 <= registers ? 4 : n.small * 2 <= registers ? 2 : 1;
    n.lanes = n.bytes == 4 ? 16 : 8;
    LLVMValueRef main = LLVMBuildAnd(e->builder, n.width, fxi_gemm_ir_i64(e, -(int64_t)columns), "");
    dot_columns(&n, columns, n.zero, main);
    if (columns > 1) dot_columns(&n, 1, main, n.width);
    LLVMBuildRetVoid(e->builder);
}
