/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a tiled product: block after block of C, block after block of the sum; each is packed by tasks, then
 * multiplied by tasks, all threads sharing what was packed.
 *
 * A multiplying task is one part of the plan's grid: it walks its panels, and for each panel its tiles, so
 * that a panel of B stays in the near caches while tiles of A stream past. What lies in place needs no
 * packing step; if both operands do, tasks walk all of the sum themselves and the whole product is one
 * parallel region. Results of a dtype other than the compute type (and complex ones) gather in the
 * workspace, and each tile is converted when its last block of the sum is done. The epilogue follows panels
 * that were finished one after another, as many as a near cache holds: rows are then long enough for what it
 * reads besides. */
#include "gemm_internal.h"

#define EPILOGUE_BYTES ((int64_t)128 << 10) /* of results at a time */

#define PACKED_AHEAD 16 /* rows of a packed panel that a micro-kernel prefetches ahead */
#define PACK_ROWS                                                                                            \
    32 /* packed at a time, panel after panel, so that each page of a row-major operand is met once */

/* A block of columns of a B that is made: those of the widest panel, some of their elements at a time. */
enum { MADE_COLUMNS = 64, MADE_ROWS = 128 };

typedef struct tiled_run {
    const fxi_gemm *gemm;
    const fxi_gemm_item *item;
    const char *a, *b;
    char *c, *packed_a, *packed_b, *sums;
    int64_t tile, tiles, panel, panels; /* the block of C */
    int64_t p, depth;                   /* what is packed of the sum, or the whole */
} tiled_run;

/* ---- packing ---- */

/* Rows [p, p + depth) of the block of the sum, of one tile of A. */
static void pack_tile(const tiled_run *run, int64_t tile, int64_t p, int64_t depth) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_shape *s = &gemm->shape;
    const fxi_gemm_tiled *t = &gemm->u.tiled;
    int64_t row = fxi_gemm_tile_row(t, tile), rows = fxi_gemm_tile_row(t, tile + 1) - row;
    int64_t local = row - fxi_gemm_tile_row(t, run->tile);
    int64_t planes = fx_dtype_is_complex(gemm->compute) ? 2 : 1, bytes = gemm->compute_bytes;
    const char *src = run->a + (row * s->a_row + (run->p + p) * s->a_col) * gemm->in_bytes;
    fxi_gemm_move args = {.dst_inner = bytes, .src_plane = gemm->in_bytes / 2, .dst_plane = rows * bytes};
    if (t->a_rows) {
        args.src_outer = s->a_row * gemm->in_bytes;
        args.src_inner = s->a_col * gemm->in_bytes;
        args.dst_outer = t->a_row_bytes;
        args.outer = rows;
        args.inner = depth;
        t->pack_a(src, run->packed_a + local * t->a_row_bytes + p * bytes, &args);
    } else {
        args.src_outer = s->a_col * gemm->in_bytes;
        args.src_inner = s->a_row * gemm->in_bytes;
        args.dst_outer = rows * bytes * planes;
        args.outer = depth;
        args.inner = rows;
        t->pack_a(src, run->packed_a + (local * t->depth + p * rows) * bytes * planes, &args);
    }
}

/* Part of a panel of a B that is made: its rows as they lie in the panel; of columns, some elements of each
 * at a time, which are turned into the panel. */
static void make_panel(const tiled_run *run, int64_t panel, int64_t p, int64_t depth) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_tiled *t = &gemm->u.tiled;
    const fxi_gemm_maker *b = run->item->maker;
    int64_t column = panel * t->panel_width, width = fxi_size_min(t->panel_width, gemm->shape.n - column);
    float *to = (float *)(void *)(run->packed_b + (panel - run->panel) * t->b_panel_bytes);
    if (b->rows) {
        for (int64_t i = p; i < p + depth; i++)
            b->make(b->context, run->p + i, column, width, to + i * t->panel_width);
        return;
    }
    float turned[MADE_COLUMNS * MADE_ROWS];
    fxi_gemm_move args = {.src_outer = sizeof(float),
                          .src_inner = MADE_ROWS * sizeof(float),
                          .dst_outer = t->panel_width * (int64_t)sizeof(float),
                          .dst_inner = sizeof(float),
                          .inner = width};
    for (int64_t i = p; i < p + depth; i += MADE_ROWS) {
        args.outer = fxi_size_min(MADE_ROWS, p + depth - i);
        for (int64_t k = 0; k < width; k++)
            b->make(b->context, column + k, run->p + i, args.outer, turned + k * MADE_ROWS);
        t->pack_b(turned, to + i * t->panel_width, &args);
    }
}

static void pack_panel(const tiled_run *run, int64_t panel, int64_t p, int64_t depth) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_shape *s = &gemm->shape;
    const fxi_gemm_tiled *t = &gemm->u.tiled;
    int64_t column = panel * t->panel_width, width = fxi_size_min(t->panel_width, s->n - column);
    int64_t planes = fx_dtype_is_complex(gemm->compute) ? 2 : 1, bytes = gemm->compute_bytes;
    const char *src = run->b + (column * s->b_col + (run->p + p) * s->b_row) * gemm->in_bytes;
    fxi_gemm_move args = {.src_outer = s->b_row * gemm->in_bytes,
                          .src_inner = s->b_col * gemm->in_bytes,
                          .dst_outer = t->panel_width * bytes * planes,
                          .dst_inner = bytes,
                          .outer = depth,
                          .inner = width,
                          .src_plane = gemm->in_bytes / 2,
                          .dst_plane = t->panel_width * bytes};
    t->pack_b(src, run->packed_b + (panel - run->panel) * t->b_panel_bytes + p * args.dst_outer, &args);
}

/* Rows of p to pack at a time: few where they are the operand's rows in memory, all where it is transposed.
 */
static int64_t pack_step(const tiled_run *run, int64_t other, int64_t along_p) {
    bool across = (other < 0 ? -other : other) < (along_p < 0 ? -along_p : along_p);
    return across ? PACK_ROWS : run->depth;
}

static void pack_task(void *context, int64_t task) {
    const tiled_run *run = context;
    const fxi_gemm_shape *s = &run->gemm->shape;
    const fxi_gemm_tiled *t = &run->gemm->u.tiled;
    bool is_b = task < t->b_pack_tasks;
    int64_t step = is_b ? pack_step(run, s->b_col, s->b_row) : pack_step(run, s->a_row, s->a_col);
    int64_t first = is_b ? run->panel : run->tile, count = is_b ? run->panels : run->tiles;
    int64_t parts = is_b ? t->b_pack_tasks : t->a_pack_tasks, part = is_b ? task : task - t->b_pack_tasks;
    int64_t from = first + fxi_gemm_cut(count, parts, part),
            to = first + fxi_gemm_cut(count, parts, part + 1);
    for (int64_t p = 0; p < run->depth; p += step) {
        int64_t depth = fxi_size_min(step, run->depth - p);
        for (int64_t i = from; i < to; i++) {
            if (is_b && run->item->maker)
                make_panel(run, i, p, depth);
            else if (is_b)
                pack_panel(run, i, p, depth);
            else
                pack_tile(run, i, p, depth);
        }
    }
}

/* ---- multiplying ---- */

/* One micro-kernel call's place: rows [row, row + rows) and columns [column, column + width) of C, sums from
 * p on. */
typedef struct place {
    int64_t row, rows, column, width, p;
    bool is_short, partial;
} place;

static const char *operand_a(const tiled_run *run, const place *at, fxi_gemm_tile *args) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_shape *s = &gemm->shape;
    const fxi_gemm_tiled *t = &gemm->u.tiled;
    if (!t->a_packed) {
        args->a_stride = (t->a_rows ? s->a_row : s->a_col) * gemm->in_bytes;
        return run->a + (at->row * s->a_row + at->p * s->a_col) * gemm->in_bytes;
    }
    int64_t local = at->row - fxi_gemm_tile_row(t, run->tile);
    if (t->a_rows) {
        args->a_stride = t->a_row_bytes;
        return run->packed_a + local * t->a_row_bytes;
    }
    int64_t planes = fx_dtype_is_complex(gemm->compute) ? 2 : 1;
    args->a_stride = at->rows * gemm->compute_bytes * planes;
    args->a_plane = at->rows * gemm->compute_bytes;
    return run->packed_a + local * t->depth * gemm->compute_bytes * planes;
}

static const char *operand_b(const tiled_run *run, const place *at, fxi_gemm_tile *args) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_shape *s = &gemm->shape;
    const fxi_gemm_tiled *t = &gemm->u.tiled;
    if (!t->b_packed) {
        args->b_stride = s->b_row * gemm->in_bytes;
        args->b_ahead = t->panel_width * gemm->in_bytes;
        return run->b + (at->p * s->b_row + at->column) * gemm->in_bytes;
    }
    int64_t planes = fx_dtype_is_complex(gemm->compute) ? 2 : 1;
    args->b_plane = t->panel_width * gemm->compute_bytes;
    args->b_stride = args->b_plane * planes;
    args->b_ahead = PACKED_AHEAD * args->b_stride;
    return run->packed_b + (at->column / t->panel_width - run->panel) * t->b_panel_bytes;
}

/* Where the sums of a tile gather: C itself, or the workspace. */
static char *sums_at(const tiled_run *run, const place *at) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_tiled *t = &gemm->u.tiled;
    if (!t->through_sums) return run->c + (at->row * gemm->shape.n + at->column) * gemm->out_bytes;
    int64_t row = at->row - fxi_gemm_tile_row(t, run->tile),
            column = at->column - run->panel * t->panel_width;
    return run->sums + row * t->sums_stride + column * gemm->compute_bytes;
}

/* A tile whose sums are complete is converted. */
static void finish_tile(const tiled_run *run, const place *at) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_tiled *t = &gemm->u.tiled;
    if (!t->through_sums) return;
    fxi_gemm_move args = {.src_outer = t->sums_stride,
                          .src_inner = gemm->compute_bytes,
                          .dst_outer = gemm->shape.n * gemm->out_bytes,
                          .dst_inner = gemm->out_bytes,
                          .outer = at->rows,
                          .inner = at->width,
                          .src_plane = t->sums_plane,
                          .dst_plane = gemm->out_bytes / 2};
    t->finish(sums_at(run, at), run->c + (at->row * gemm->shape.n + at->column) * gemm->out_bytes, &args);
}

static void multiply_panel(const tiled_run *run, int64_t panel, int64_t tile, int64_t end_tile, int64_t p) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_tiled *t = &gemm->u.tiled;
    fxi_gemm_tile args = {.k = fxi_size_min(t->k_block, gemm->shape.k - p), .accumulate = p > 0};
    args.c_stride = t->through_sums ? t->sums_stride : gemm->shape.n * gemm->out_bytes;
    args.c_plane = t->sums_plane;
    bool last = p + args.k == gemm->shape.k;
    place at = {.column = panel * t->panel_width, .p = p};
    at.width = args.width = fxi_size_min(t->panel_width, gemm->shape.n - at.column);
    at.partial = at.width < t->panel_width;
    const char *b = operand_b(run, &at, &args);
    for (; tile < end_tile; tile++) {
        at.row = fxi_gemm_tile_row(t, tile);
        at.is_short = tile >= t->long_tiles;
        at.rows = t->tile_rows - at.is_short;
        const char *a = operand_a(run, &at, &args);
        t->micro[at.is_short][at.partial](a, b, sums_at(run, &at), &args);
        if (last) finish_tile(run, &at);
    }
}

/* Panels whose results, in these tiles, are finished together. */
static int64_t panels_at_once(const tiled_run *run, int64_t tile, int64_t end_tile) {
    const fxi_gemm_tiled *t = &run->gemm->u.tiled;
    int64_t rows = fxi_gemm_tile_row(t, end_tile) - fxi_gemm_tile_row(t, tile);
    return fxi_size_max(EPILOGUE_BYTES / (rows * t->panel_width * run->gemm->out_bytes), 1);
}

static void finish_panels(const tiled_run *run, int64_t tile, int64_t end_tile, int64_t panel,
                          int64_t end_panel) {
    const fxi_gemm_tiled *t = &run->gemm->u.tiled;
    int64_t row = fxi_gemm_tile_row(t, tile), column = panel * t->panel_width;
    int64_t end = fxi_size_min(end_panel * t->panel_width, run->gemm->shape.n);
    fxi_gemm_finish(run->item, row, fxi_gemm_tile_row(t, end_tile) - row, column, end - column);
}

static void multiply_task(void *context, int64_t task) {
    const tiled_run *run = context;
    const fxi_gemm_tiled *t = &run->gemm->u.tiled;
    int64_t down = task / t->grid_columns, across = task % t->grid_columns;
    int64_t tile = run->tile + fxi_gemm_cut(run->tiles, t->grid_rows, down);
    int64_t end_tile = run->tile + fxi_gemm_cut(run->tiles, t->grid_rows, down + 1);
    int64_t panel = run->panel + fxi_gemm_cut(run->panels, t->grid_columns, across);
    int64_t end_panel = run->panel + fxi_gemm_cut(run->panels, t->grid_columns, across + 1);
    for (int64_t p = run->p; p < run->p + run->depth; p += t->k_block) {
        bool last = run->item->epilogue != NULL && p + t->k_block >= run->gemm->shape.k;
        int64_t group = last ? panels_at_once(run, tile, end_tile) : end_panel - panel;
        for (int64_t i = panel, end; i < end_panel; i = end) {
            end = fxi_size_min(i + group, end_panel);
            for (int64_t j = i; j < end; j++) multiply_panel(run, j, tile, end_tile, p);
            if (last) finish_panels(run, tile, end_tile, i, end);
        }
    }
}

/* One block of C. */
static void run_block(tiled_run *run, fxi_pool *pool) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_tiled *t = &gemm->u.tiled;
    int64_t packs = t->a_pack_tasks + t->b_pack_tasks;
    int64_t step = packs > 0 ? t->k_block : gemm->shape.k;
    for (run->p = 0; run->p < gemm->shape.k; run->p += step) {
        run->depth = fxi_size_min(step, gemm->shape.k - run->p);
        if (packs > 0) fxi_gemm_each(pool, packs, pack_task, run);
        fxi_gemm_each(pool, t->grid_rows * t->grid_columns, multiply_task, run);
    }
}

void fxi_gemm_tiled_run(const fxi_gemm *gemm, fxi_pool *pool, const fxi_gemm_item *item) {
    const fxi_gemm_tiled *t = &gemm->u.tiled;
    tiled_run run = {.gemm = gemm, .item = item, .a = item->a, .b = item->b, .c = item->c};
    run.packed_a = item->workspace;
    run.packed_b = item->workspace + t->a_bytes;
    run.sums = item->workspace + t->a_bytes + t->b_bytes;
    for (run.panel = 0; run.panel < t->panels; run.panel += t->block_panels) {
        run.panels = fxi_size_min(t->block_panels, t->panels - run.panel);
        for (run.tile = 0; run.tile < t->tiles; run.tile += t->block_tiles) {
            run.tiles = fxi_size_min(t->block_tiles, t->tiles - run.tile);
            run_block(&run, pool);
        }
    }
}
