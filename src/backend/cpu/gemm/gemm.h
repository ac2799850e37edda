/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products: C[b, i, j] = sum over p of A[b, i, p] * B[b, p, j], for every integer, float and
 * complex dtype.
 *
 * A plan chooses, from shape and dtype alone (never from thread count or detected caches, so that bits are
 * equal everywhere), between a packed, cache-blocked driver, an unpacked one for small sizes, and kernels
 * for matrix-vector, vector-matrix and skinny shapes; its micro-kernels are generated for dtype, tile and
 * ISA and shared through the kernel cache. Operands have arbitrary element strides, so transposes cost
 * nothing but a different packing; C is dense, row-major [batch, m, n]. Accumulation: float16/bfloat16 in
 * f32, rounded once; float32/float64/complex in their own type by FMA in a fixed order; integers wrap
 * modulo 2^bits of the result (narrow ones may accumulate wider and wrap at the end); bool is not taken. */
#ifndef FXI_GEMM_H
#define FXI_GEMM_H

#include "../jit/jit.h"
#include "base/pool.h"

#define FXI_GEMM_BATCH_RANK 8

typedef struct fxi_gemm_shape {
    fx_dtype dtype;  /* of A and B in memory (2- and 4-bit integers: one byte each, extended) */
    fx_dtype result; /* of C: the same dtype, or a wider one of its kind (s8 -> s32, bf16 -> f32, ...) */
    int64_t m, n, k; /* any may be 0 or 1; k = 0 gives zeros */
    /* element strides of A along i and p (complex: in complex elements); 0 is a broadcast */
    int64_t a_row, a_col;
    int64_t b_row, b_col; /* element strides of B along p and j */
    int batch_rank;       /* 0: one product */
    int64_t batch[FXI_GEMM_BATCH_RANK]; /* extents, outermost first */
    int64_t a_batch[FXI_GEMM_BATCH_RANK], b_batch[FXI_GEMM_BATCH_RANK]; /* element strides */
    bool b_made; /* B is not in memory: fxi_gemm_run_made; float32, no batch, k at least 1 */
} fxi_gemm_shape;

/* What makes parts of a float32 B while they are packed, from any number of threads at once: `count` elements
 * of a line from `at` on. */
typedef struct fxi_gemm_maker {
    void (*make)(const void *context, int64_t line, int64_t at, int64_t count, float *to);
    const void *context;
    bool rows; /* lines are rows of B, whose b_col is 1; else columns, whose b_row is 1; at least 2 long */
} fxi_gemm_maker;

typedef struct fxi_gemm fxi_gemm; /* immutable once made: any number of threads may run it at once */

fxi_gemm *fxi_gemm_new(const fxi_gemm_shape *shape, const fxi_target *target, fx_error *err);
void fxi_gemm_free(fxi_gemm *gemm); /* NULL-safe */

/* Bytes of 64-byte aligned scratch (packing buffers of all tasks) that a run needs; part of the planned
 * workspace. Must not depend on the thread count beyond a fixed cap of tasks. */
size_t fxi_gemm_workspace(const fxi_gemm *gemm);

/* Runs it; c must not overlap a or b. Safe on memory guarded at both ends: never reads or writes outside
 * the elements that the strides reach, nor outside the workspace. */
void fxi_gemm_run(const fxi_gemm *gemm, fxi_pool *pool, const void *a, const void *b, void *c,
                  void *workspace);

/* The same for a shape with b_made. */
void fxi_gemm_run_made(const fxi_gemm *gemm, fxi_pool *pool, const void *a, const fxi_gemm_maker *b, void *c,
                       void *workspace);

/* What becomes of results while they are in a near cache. Called when their sums are complete, once for each
 * element, in rectangles: columns [column, column + width) of rows [row, row + rows), the rows of all batches
 * counted one after another. Rectangles come from several threads at once; which they are follows from the
 * shape alone. */
typedef struct fxi_gemm_rect {
    int64_t row, rows, column, width;
} fxi_gemm_rect;
typedef struct fxi_gemm_epilogue {
    void (*run)(const void *context, const fxi_gemm_rect *rect);
    const void *context;
} fxi_gemm_epilogue;

/* fxi_gemm_run with an epilogue, which may write over the results it is called for; NULL: none. */
void fxi_gemm_run_through(const fxi_gemm *gemm, fxi_pool *pool, const void *a, const void *b, void *c,
                          void *workspace, const fxi_gemm_epilogue *epilogue);
/* A power of two: every rectangle begins at a multiple of so many columns and is as wide as a multiple of
 * them. */
int64_t fxi_gemm_grain(const fxi_gemm *gemm);
/* Tasks in which results are finished. */
int64_t fxi_gemm_tasks(const fxi_gemm *gemm);

/* One line for program dumps: "packed 14x32 kc 768", "unpacked 13x32", "matvec", ... Static or owned by
 * gemm. */
const char *fxi_gemm_text(const fxi_gemm *gemm);

#endif
