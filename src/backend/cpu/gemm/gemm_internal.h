/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of gemm share: the description of a generated kernel, the argument blocks that kernels
 * read, the plan.
 *
 * Words. A "tile" is what one micro-kernel call computes: `rows` rows times one "panel" of columns. "Compute
 * type" is the dtype in which products are summed: f32, f64, s32, s64, c64 or c128. Packed complex operands
 * and their sums are planar: a plane of real parts, then one of imaginary parts. Strides in argument blocks
 * are in bytes. Every element of a tiled product is one chain of fused multiply-adds over ascending p, so
 * its bits depend neither on tile sizes nor on packing, blocking or ISA. The kernels of gemm_vector.c sum in
 * fixed lanes and fixed chunks instead. */
#ifndef FXI_GEMM_INTERNAL_H
#define FXI_GEMM_INTERNAL_H

#include "gemm.h"

/* ---- generated kernels (emit_gemm*.c) ---- */

typedef enum fxi_gemm_kind {
    /* tile += A B; (i, p) of A at i elements + p strides: packed, or column-major in place */
    FXI_GEMM_MICRO_UNIT,
    FXI_GEMM_MICRO_ROWS, /* the same; (i, p) of A at i strides + p elements: row-major in place, or copied */
    /* MICRO_ROWS for several runs of p, which lie apart in A and follow each other in B */
    FXI_GEMM_MICRO_RUNS,
    FXI_GEMM_MOVE_ROWS,      /* 2-D copy with conversion: source unit-stride along inner */
    FXI_GEMM_MOVE_TRANSPOSE, /* source unit-stride along outer */
    FXI_GEMM_MOVE_STRIDED,   /* any strides on both sides, complex too */
    FXI_GEMM_STREAM,         /* few rows times a matrix that is unit-stride along the result */
    FXI_GEMM_DOT             /* few rows times a matrix that is unit-stride along the sum */
} fxi_gemm_kind;

/* The whole of what is baked into a kernel apart from the target: the key of the kernel cache. No padding
 * bytes. */
typedef struct fxi_gemm_kernel {
    char tag[4];     /* "gemm", apart from other kinds of kernels in the cache */
    uint8_t kind;    /* fxi_gemm_kind */
    uint8_t from;    /* fx_dtype of what is read; the compute type for micro-kernels */
    uint8_t to;      /* fx_dtype of what is written */
    uint8_t rows;    /* MICRO: rows of the tile; STREAM, DOT: rows of the small operand */
    uint8_t vectors; /* MICRO: register vectors per row */
    uint8_t masked;  /* MICRO: the last vector is partial */
    uint8_t spare[2];
} fxi_gemm_kernel;

/* Argument blocks; the order of the fields is known to the emitters, all are int64. */
typedef struct fxi_gemm_tile {
    int64_t a_stride, b_stride, c_stride;
    int64_t a_plane, b_plane, c_plane; /* from real to imaginary parts */
    int64_t b_ahead;                   /* what to prefetch, from the element of B in use */
    int64_t k;                         /* at least 1 */
    int64_t width;                     /* columns, read by masked kernels only */
    int64_t accumulate;                /* 0: the chain starts at zero, else at C */
    /* MICRO_RUNS: their number, and from one to the next in A; k is of one */
    int64_t runs, run_step;
} fxi_gemm_tile;

typedef struct fxi_gemm_move {
    int64_t src_outer, src_inner, dst_outer, dst_inner;
    int64_t outer, inner;         /* extents; TRANSPOSE writes rows up to a multiple of 8 of outer */
    int64_t src_plane, dst_plane; /* from real to imaginary parts */
} fxi_gemm_move;

/* Columns that DOT reads side by side at most; tiles of its results are multiples of them. */
#define FXI_GEMM_DOT_COLUMNS 8

typedef struct fxi_gemm_narrow {
    int64_t l_stride; /* of the large matrix: STREAM along the sum, DOT along the result */
    int64_t s_stride; /* DOT: between rows of the small operand (STREAM has it as [k][rows], dense) */
    int64_t o_stride; /* between rows of the output, which is of the compute type */
    int64_t k, width;
} fxi_gemm_narrow;

typedef void (*fxi_gemm_micro_fn)(const void *a, const void *b, void *c, const fxi_gemm_tile *args);
typedef void (*fxi_gemm_move_fn)(const void *src, void *dst, const fxi_gemm_move *args);
typedef void (*fxi_gemm_narrow_fn)(const void *s, const void *l, void *o, const fxi_gemm_narrow *args);

/* emit_gemm.c: fills the module with one function "gemm" as the description says (an fxi_kernel_build). */
bool fxi_gemm_emit(fxi_emit *e, const void *description, fx_error *err);

/* Tile of the micro-kernels for a compute type, by the number of registers: 32 with AVX-512, 16 with AVX2. */
typedef struct fxi_gemm_tile_size {
    int rows, vectors, lanes; /* the panel's width is vectors * lanes */
} fxi_gemm_tile_size;
fxi_gemm_tile_size fxi_gemm_tile_of(fx_dtype compute, bool avx512);

/* ---- the plan ---- */

typedef enum fxi_gemm_path { FXI_GEMM_NOTHING, FXI_GEMM_ZERO, FXI_GEMM_TILED, FXI_GEMM_NARROW } fxi_gemm_path;

/* Tiled product: a grid of row tiles times column panels. Tiles differ by at most one row (balanced), larger
 * ones first. */
typedef struct fxi_gemm_tiled {
    bool a_packed, b_packed, a_rows; /* a_rows: A is read by FXI_GEMM_MICRO_ROWS */
    bool through_sums;               /* sums gather in the workspace and are converted into C at the end */
    int64_t tile_rows, tiles, long_tiles; /* rows of a long tile; the others have one less */
    int64_t panel_width, panels;
    int64_t k_block;                   /* a multiple of 16 when k is cut */
    int64_t block_tiles, block_panels; /* what is packed at a time */
    int64_t grid_rows, grid_columns;   /* compute tasks per block */
    int64_t a_pack_tasks, b_pack_tasks;
    int64_t depth;       /* rows of p that a packed panel has room for, a multiple of 16 */
    int64_t a_row_bytes; /* packed A, a_rows: bytes from row to row */
    int64_t b_panel_bytes;
    int64_t sums_stride, sums_plane;
    size_t a_bytes, b_bytes, sums_bytes;
    fxi_gemm_micro_fn micro[2][2];           /* [short tile][partial panel] */
    fxi_gemm_move_fn pack_a, pack_b, finish; /* NULL where not needed */
} fxi_gemm_tiled;

/* First row of a tile; tile = tiles gives m. */
static inline int64_t fxi_gemm_tile_row(const fxi_gemm_tiled *t, int64_t tile) {
    return tile * t->tile_rows - fxi_size_max(tile - t->long_tiles, 0);
}

/* Narrow product: at most 8 rows of S [small, k] times L [k, width]; C's element (i, j) at i * o_small + j *
 * o_width. */
typedef struct fxi_gemm_narrow_plan {
    bool dot;     /* L is unit-stride along k */
    bool swapped; /* S is B transposed, L is A transposed */
    bool s_packed;
    bool direct; /* one chunk, written straight into C */
    int64_t small, width;
    int64_t s_small, s_k, l_k, l_width, o_small, o_width; /* element strides */
    int64_t k_chunk, k_chunks, tile, tiles;               /* tasks: k_chunks * tiles */
    int64_t span_chunks;                                  /* chunks whose part of S is packed at a time */
    int64_t s_row_bytes, partial_row_bytes;
    size_t s_bytes, partial_bytes;
    fxi_gemm_narrow_fn kernel;
    fxi_gemm_move_fn pack_s, finish;
} fxi_gemm_narrow_plan;

#define FXI_GEMM_CODES 8

struct fxi_gemm {
    fxi_gemm_shape shape; /* simplified: extents of 1 dropped from the batch, batches of A folded into m */
    const fxi_target *target;
    fxi_gemm_path path;
    fx_dtype compute;
    int64_t in_bytes, out_bytes, compute_bytes; /* element sizes; compute_bytes is of one plane */
    int64_t items;                              /* products in the batch */
    int64_t item_chunk; /* 0: items one after another, each over all threads; else items a task */
    size_t item_workspace, workspace;
    union {
        fxi_gemm_tiled tiled;
        fxi_gemm_narrow_plan narrow;
    } u;
    fxi_code *codes[FXI_GEMM_CODES];
    int code_count;
    char text[64];
};

/* gemm_plan.c: the dtype in which a result is summed. */
fx_dtype fxi_gemm_compute(fx_dtype result);
/* A kernel from the cache and its function; NULL on failure, else released with fxi_code_free. */
fxi_code *fxi_gemm_code_get(const fxi_target *target, const fxi_gemm_kernel *kernel, void **function,
                            fx_error *err);
typedef struct fxi_gemm_move_dtypes {
    fx_dtype from, to;
} fxi_gemm_move_dtypes;
/* The move kernel that suits the source's strides (in elements along outer and inner). 8- and 16-bit masks
 * are only cheap with AVX-512, so partial vectors of those go the scalar way without it. */
fxi_gemm_kernel fxi_gemm_move_kernel(const fxi_target *target, const fxi_gemm_move_dtypes *dtypes,
                                     int64_t src_outer, int64_t src_inner, bool dst_unit);
/* The same two for a plan: kept until it is freed. */
void *fxi_gemm_kernel_get(fxi_gemm *gemm, const fxi_gemm_kernel *kernel, fx_error *err);
fxi_gemm_move_fn fxi_gemm_move_get(fxi_gemm *gemm, fx_dtype from, fx_dtype to, int64_t src_outer,
                                   int64_t src_inner, bool dst_unit, fx_error *err);
/* First index of part `part` of `count` things cut into `parts` near-equal runs. */
static inline int64_t fxi_gemm_cut(int64_t count, int64_t parts, int64_t part) {
    return part * (count / parts) + fxi_size_min(part, count % parts);
}

/* fxi_pool_run, or everything on the caller where there is no pool. */
static inline void fxi_gemm_each(fxi_pool *pool, int64_t count, fxi_task task, void *context) {
    if (pool != NULL)
        fxi_pool_run(pool, count, task, context);
    else
        for (int64_t i = 0; i < count; i++) task(context, i);
}

/* One product of a batch. */
typedef struct fxi_gemm_item {
    const char *a, *b;
    char *c, *workspace;
    int64_t row; /* of all batches' rows, the first */
    const fxi_gemm_maker *maker; /* of b_made, instead of b */
    const fxi_gemm_epilogue *epilogue;
} fxi_gemm_item;

static inline void fxi_gemm_finish(const fxi_gemm_item *item, int64_t row, int64_t rows, int64_t column,
                                   int64_t width) {
    const fxi_gemm_rect rect = {item->row + row, rows, column, width};
    if (item->epilogue != NULL) item->epilogue->run(item->epilogue->context, &rect);
}

bool fxi_gemm_tiled_plan(fxi_gemm *gemm, fx_error *err); /* gemm_tiled_plan.c */
void fxi_gemm_tiled_run(const fxi_gemm *gemm, fxi_pool *pool, const fxi_gemm_item *item);
bool fxi_gemm_narrow_fits(const fxi_gemm *gemm); /* gemm_vector.c */
bool fxi_gemm_narrow_plan_make(fxi_gemm *gemm, fx_error *err);
void fxi_gemm_narrow_run(const fxi_gemm *gemm, fxi_pool *pool, const fxi_gemm_item *item);

#endif
