/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of tiled products: tile and panel counts, blocks, what is packed, the grid of tasks, the workspace,
 * the kernels.
 *
 * Rows are balanced over the tiles (1024 rows are 62 tiles of 14 and 12 of 13, not 73 of 14 and one of 2);
 * small products get tiles of one size where some size divides them, which halves what must be generated.
 * An operand is read where it lies if its elements already are of the compute type with a unit stride that
 * the micro-kernel takes, and it is small or used a few times. It is packed all the same where its other
 * stride is a multiple of 4 KB, which would put a whole tile or panel into the same few sets of a cache (f64
 * 512 fell to half speed). The sum is cut into blocks of at most 1024, and a block of at most 2048 x 2048 of
 * C is packed at a time, which bounds the workspace for any size: 8 MB an operand for f32. */
#include "gemm_internal.h"

#include <stdio.h>

#define K_BLOCK 1024
#define EVEN_WORK (1 << 25) /* multiply-adds, a third of a millisecond of f32 */
#define BLOCK_EXTENT 2048
#define UNPACKED_BYTES ((int64_t)1 << 20)
#define DIRECT_TILES 8 /* tiles that use a panel of B before packing it pays, whatever its size */
#define SET_STRIDE 4096
#define PACK_TASK_BYTES ((int64_t)128 << 10)

static bool is_read_in_place(const fxi_gemm *gemm) {
    const fxi_gemm_shape *s = &gemm->shape;
    if (fx_dtype_is_complex(s->dtype)) return false;
    return s->dtype == gemm->compute ||
           (fx_dtype_is_integer(s->dtype) && fx_dtype_bits(s->dtype) == fx_dtype_bits(gemm->compute));
}

static int64_t round_up(int64_t value, int64_t multiple) {
    return fxi_size_ceil_div(value, multiple) * multiple;
}

static void choose_packing(fxi_gemm *gemm) {
    const fxi_gemm_shape *s = &gemm->shape;
    fxi_gemm_tiled *t = &gemm->u.tiled;
    bool in_place = is_read_in_place(gemm);
    int64_t a_stride = (s->a_col == 1 ? s->a_row : s->a_col) * gemm->in_bytes;
    int64_t b_stride = s->b_row * gemm->in_bytes;
    bool a_small = s->m * s->k * gemm->in_bytes <= UNPACKED_BYTES && a_stride % SET_STRIDE != 0;
    bool b_small = s->k * s->n * gemm->in_bytes <= UNPACKED_BYTES && b_stride % SET_STRIDE != 0;
    bool a_direct = in_place && (s->a_col == 1 || s->a_row == 1) && (a_small || t->panels == 1);
    bool b_direct = in_place && s->b_col == 1 && (b_small || t->tiles <= DIRECT_TILES);
    t->a_packed = !a_direct;
    t->b_packed = !b_direct || s->b_made;
    t->a_rows = !fx_dtype_is_complex(s->dtype) && (s->a_col == 1 || s->a_row != 1);
    t->through_sums =
        fx_dtype_is_complex(s->dtype) || fx_dtype_bits(s->result) != fx_dtype_bits(gemm->compute);
}

/* Rows that cut m into equal tiles, so that one kernel does where two would be generated; m + 1 if none are
 * large enough to keep the machine busy, or if the product is so large that the last per cent counts more
 * than a kernel. Eight first: many sizes share it. */
static int64_t even_rows(const fxi_gemm_shape *s, int64_t most) {
    int64_t least = (most * 4 + 6) / 7;
    if ((double)s->m * (double)s->n * (double)s->k > EVEN_WORK) return s->m + 1;
    if (most >= 8 && s->m % 8 == 0) return 8;
    for (int64_t rows = most; rows >= least; rows--)
        if (s->m % rows == 0) return rows;
    return s->m + 1;
}

static void choose_tiles(fxi_gemm *gemm, fxi_gemm_tile_size size) {
    const fxi_gemm_shape *s = &gemm->shape;
    fxi_gemm_tiled *t = &gemm->u.tiled;
    t->tiles = s->m / even_rows(s, size.rows);
    if (t->tiles == 0) t->tiles = fxi_size_ceil_div(s->m, size.rows);
    t->tile_rows = fxi_size_ceil_div(s->m, t->tiles);
    t->long_tiles = s->m - t->tiles * (t->tile_rows - 1);
    t->panel_width = size.vectors * size.lanes;
    t->panels = fxi_size_ceil_div(s->n, t->panel_width);
}

static void choose_blocks(fxi_gemm *gemm) {
    const fxi_gemm_shape *s = &gemm->shape;
    fxi_gemm_tiled *t = &gemm->u.tiled;
    int64_t most = fx_dtype_is_complex(gemm->compute) ? K_BLOCK / 2 : K_BLOCK;
    t->k_block = s->k;
    if (s->k > most) t->k_block = round_up(fxi_size_ceil_div(s->k, fxi_size_ceil_div(s->k, most)), 16);
    t->block_tiles = t->tiles;
    t->block_panels = t->panels;
    if (t->a_packed || t->b_packed) {
        t->block_tiles = fxi_size_ceil_div(t->tiles, fxi_size_ceil_div(s->m, BLOCK_EXTENT));
        t->block_panels = fxi_size_ceil_div(t->panels, fxi_size_ceil_div(s->n, BLOCK_EXTENT));
    }
}

/* Tasks for a number of multiply-adds: 2 from 2^18 on, 16 from 2^21, then only as many more as keep one
 * above 2^25, up to 64 times a block. */
static int64_t count_tasks(double work) {
    double tasks = work / (1 << 17);
    if (tasks > 16) tasks = work / (1 << 25) > 16 ? work / (1 << 25) : 16;
    if (tasks > 64) tasks = 64;
    return tasks < 1 ? 1 : (int64_t)tasks;
}

/* Cuts a block of C into a grid of about `tasks` parts: the one that wastes least by parts of unequal size
 * and reads least, a part reading (its rows + its columns) per row times column. */
static void choose_grid(fxi_gemm *gemm) {
    fxi_gemm_tiled *t = &gemm->u.tiled;
    double rows = (double)t->tile_rows, best = 0;
    int64_t tasks = count_tasks((double)(t->block_tiles * t->block_panels) * rows * (double)t->panel_width *
                                (double)t->k_block);
    t->grid_rows = t->grid_columns = 1;
    for (int64_t down = 1; down <= tasks && down <= t->block_tiles; down *= 2)
        for (int64_t across = tasks / down; across > 0; across /= 2) {
            if (across > t->block_panels) continue;
            double part_tiles = (double)fxi_size_ceil_div(t->block_tiles, down);
            double part_panels = (double)fxi_size_ceil_div(t->block_panels, across);
            double waste = part_tiles * (double)down * part_panels * (double)across /
                           ((double)t->block_tiles * (double)t->block_panels);
            double reads = 1 / (part_tiles * rows) + 1 / (part_panels * (double)t->panel_width);
            double missing = (double)tasks / (double)(down * across);
            double cost = waste * (1 + 4 * reads) * (1 + 0.15 * missing);
            if (best != 0 && cost >= best) continue;
            best = cost;
            t->grid_rows = down;
            t->grid_columns = across;
        }
}

static size_t aligned(int64_t bytes) {
    return (size_t)round_up(bytes, 64);
}

/* Rows of packed A lie an odd number of cache lines apart, so that those of a tile fall into different sets.
 */
static void lay_out_workspace(fxi_gemm *gemm) {
    fxi_gemm_tiled *t = &gemm->u.tiled;
    int64_t planes = fx_dtype_is_complex(gemm->compute) ? 2 : 1, bytes = gemm->compute_bytes;
    int64_t rows = t->block_tiles * t->tile_rows;
    t->depth = round_up(t->k_block, 16);
    t->a_row_bytes = (round_up(t->depth * bytes, 64) / 64 | 1) * 64;
    t->b_panel_bytes = t->depth * t->panel_width * bytes * planes;
    if (t->a_packed)
        t->a_bytes = aligned(t->a_rows ? rows * t->a_row_bytes : rows * t->depth * bytes * planes);
    if (t->b_packed) t->b_bytes = aligned(t->block_panels * t->b_panel_bytes);
    t->sums_stride = t->block_panels * t->panel_width * bytes + 64;
    t->sums_plane = rows * t->sums_stride;
    if (t->through_sums) t->sums_bytes = aligned(t->sums_plane * planes);
    gemm->item_workspace = t->a_bytes + t->b_bytes + t->sums_bytes;
    int64_t a_block = rows * t->depth * bytes * planes, b_block = t->block_panels * t->b_panel_bytes;
    if (t->a_packed)
        t->a_pack_tasks = fxi_size_min(t->block_tiles, fxi_size_ceil_div(a_block, PACK_TASK_BYTES));
    if (t->b_packed)
        t->b_pack_tasks = fxi_size_min(t->block_panels, fxi_size_ceil_div(b_block, PACK_TASK_BYTES));
}

static bool get_micro(fxi_gemm *gemm, fxi_gemm_tile_size size, bool is_short, bool partial, fx_error *err) {
    fxi_gemm_tiled *t = &gemm->u.tiled;
    int64_t rest = gemm->shape.n % t->panel_width;
    fxi_gemm_kernel kernel = {.from = (uint8_t)gemm->compute, .to = (uint8_t)gemm->compute};
    kernel.kind = t->a_rows ? FXI_GEMM_MICRO_ROWS : FXI_GEMM_MICRO_UNIT;
    kernel.rows = (uint8_t)(t->tile_rows - is_short);
    kernel.vectors = (uint8_t)(partial ? fxi_size_ceil_div(rest, size.lanes) : size.vectors);
    kernel.masked = partial && rest % size.lanes != 0;
    t->micro[is_short][partial] = (fxi_gemm_micro_fn)(uintptr_t)fxi_gemm_kernel_get(gemm, &kernel, err);
    return t->micro[is_short][partial] != NULL;
}

static bool get_kernels(fxi_gemm *gemm, fxi_gemm_tile_size size, fx_error *err) {
    const fxi_gemm_shape *s = &gemm->shape;
    fxi_gemm_tiled *t = &gemm->u.tiled;
    for (int is_short = 0; is_short <= (t->long_tiles < t->tiles); is_short++) {
        if (s->n >= t->panel_width) FX_TRY(get_micro(gemm, size, is_short, false, err));
        if (s->n % t->panel_width != 0) FX_TRY(get_micro(gemm, size, is_short, true, err));
    }
    if (t->a_packed) {
        int64_t outer = t->a_rows ? s->a_row : s->a_col, inner = t->a_rows ? s->a_col : s->a_row;
        t->pack_a = fxi_gemm_move_get(gemm, s->dtype, gemm->compute, outer, inner, true, err);
        if (t->pack_a == NULL) return false;
    }
    if (t->b_packed) {
        t->pack_b = fxi_gemm_move_get(gemm, s->dtype, gemm->compute, s->b_row, s->b_col, true, err);
        if (t->pack_b == NULL) return false;
    }
    if (t->through_sums) t->finish = fxi_gemm_move_get(gemm, gemm->compute, s->result, 0, 1, true, err);
    return !t->through_sums || t->finish != NULL;
}

bool fxi_gemm_tiled_plan(fxi_gemm *gemm, fx_error *err) {
    fxi_gemm_tiled *t = &gemm->u.tiled;
    fxi_gemm_tile_size size = fxi_gemm_tile_of(gemm->compute, gemm->target->avx512);
    choose_tiles(gemm, size);
    choose_packing(gemm);
    choose_blocks(gemm);
    choose_grid(gemm);
    lay_out_workspace(gemm);
    static const char *const packing[2][2] = {{"unpacked", "packed b"}, {"packed a", "packed"}};
    snprintf(gemm->text, sizeof gemm->text, "%s %dx%d kc %lld", packing[t->a_packed][t->b_packed],
             (int)t->tile_rows, (int)t->panel_width, (long long)t->k_block);
    return get_kernels(gemm, size, err);
}
