/* SPDX-License-Identifier: Apache-2.0 */
/* Runs planned convolutions: packs the kernel into panels, then works on units in tasks. A task takes some
 * slot of the workspace that is free; which one does not matter to results, and with few threads few slots
 * are touched, so that patches stay in their caches. */
#include "conv.h"

#include <stdatomic.h>
#include <string.h>

typedef struct conv_run {
    const fxi_conv *c;
    const char *x, *w;
    char *y, *kernel, *slots, *parts; /* parts: sums of each */
    atomic_int *busy;                 /* per slot */
} conv_run;

/* ---- the kernel ---- */

static fxi_gemm_move panel_move(const fxi_conv *c, int64_t width) {
    int64_t row_bytes = c->panel_width * c->bytes;
    return (fxi_gemm_move){.src_outer = c->w_channel * c->in_bytes,
                           .src_inner = c->w_feature * c->in_bytes,
                           .dst_outer = row_bytes * c->planes,
                           .dst_inner = c->bytes,
                           .inner = width,
                           .src_plane = c->in_bytes / 2,
                           .dst_plane = row_bytes};
}

/* Rows of a panel, block after block of the channels: [block][tap][channel]. */
static void pack_taps(const fxi_conv *c, const char *w, char *to, int64_t width) {
    fxi_gemm_move args = panel_move(c, width);
    int64_t step = c->lanewise ? 1 : c->block;
    for (int64_t channel = 0; channel < c->channels; channel += step) {
        args.outer = fxi_size_min(step, c->channels - channel);
        for (int64_t tap = 0; tap < c->taps; tap++) {
            c->copy_w(w + (channel * c->w_channel + fxi_conv_tap(c, tap)) * c->in_bytes, to, &args);
            to += args.outer * args.dst_outer;
        }
    }
}

/* The same where each feature's channels and taps lie next to each other: some channels are turned at a
 * time, which reads the kernel as it lies, and their rows put into their places. */
static void pack_dense(const fxi_conv *c, const char *w, char *to, int64_t width) {
    _Alignas(64) char turned[(FXI_CONV_TURNED + FXI_CONV_SLACK) * FXI_CONV_ROW_BYTES];
    int64_t offsets[FXI_CONV_TURNED];
    fxi_gemm_move args = panel_move(c, width);
    int64_t step = FXI_CONV_TURNED / c->taps;
    args.src_outer = c->in_bytes;
    for (int64_t tap = 0; tap < c->taps; tap++) offsets[tap] = fxi_conv_tap(c, tap);
    for (int64_t channel = 0, n; channel < c->channels; channel += n) {
        int64_t first = channel / c->block * c->block, block = fxi_size_min(c->block, c->channels - first);
        n = fxi_size_min(step, first + block - channel);
        args.outer = n * c->taps;
        c->copy_w(w + channel * c->taps * c->in_bytes, turned, &args);
        for (int64_t i = 0; i < args.outer; i++) {
            int64_t tap = i % c->taps, row = first * c->taps + tap * block + channel - first + i / c->taps;
            memcpy(to + row * args.dst_outer,
                   turned + (i / c->taps * c->taps + offsets[tap]) * args.dst_outer,
                   (size_t)(width * c->bytes));
        }
    }
}

static void pack_panel(void *context, int64_t task) {
    const conv_run *run = context;
    const fxi_conv *c = run->c;
    int64_t group = task / c->panels, panel = task % c->panels;
    const char *w = run->w + (group * c->w_group + panel * c->panel_width * c->w_feature) * c->in_bytes;
    char *to = run->kernel + task * c->panel_bytes;
    if (c->dense_kernel)
        pack_dense(c, w, to, fxi_conv_width(c, panel));
    else
        pack_taps(c, w, to, fxi_conv_width(c, panel));
}

/* ---- units ---- */

static void find_unit(const fxi_conv *c, int64_t number, fxi_conv_unit *u) {
    int64_t each = c->units / c->parts, rest = u->patch = number / c->chunks;
    u->part = number / each;
    u->first_tap = fxi_gemm_cut(c->outer_taps, c->parts, u->part);
    u->end_tap = fxi_gemm_cut(c->outer_taps, c->parts, u->part + 1);
    rest -= u->part * (each / c->chunks);
    u->panel = number % c->chunks * c->chunk_panels;
    u->panels = fxi_size_min(c->chunk_panels, c->panels - u->panel);
    u->tile = rest % c->tile_strips * c->strip_tiles;
    u->tiles = fxi_size_min(c->strip_tiles, c->tiles - u->tile);
    rest /= c->tile_strips;
    u->row = rest % c->row_strips * c->rows;
    u->rows = fxi_size_min(c->rows, c->axis[c->rank - 2].out - u->row);
    rest /= c->row_strips;
    for (int i = c->rank - 3; i >= 0; i--) {
        u->at[i] = rest % c->axis[i].out;
        rest /= c->axis[i].out;
    }
    u->group = rest;
    int64_t end = u->tile + u->tiles;
    u->pixel = u->tile * c->tile_rows - fxi_size_max(u->tile - c->long_tiles, 0);
    u->pixels = end * c->tile_rows - fxi_size_max(end - c->long_tiles, 0) - u->pixel;
}

/* Element offset of the unit's first result in y. */
static int64_t result_offset(const fxi_conv *c, const fxi_conv_unit *u) {
    int64_t offset = u->group * c->y_group + u->panel * c->panel_width * c->y_feature;
    offset += u->row * c->axis[c->rank - 2].y + u->pixel * c->axis[c->rank - 1].y;
    for (int i = 0; i < c->rank - 2; i++) offset += u->at[i] * c->axis[i].y;
    return offset;
}

/* Where sums are made: in the result, or in the slot. */
typedef struct place {
    char *at;
    int64_t row, pixel, panel; /* bytes from one to the next */
} place;

static place find_place(const conv_run *run, const fxi_conv_unit *u, char *slot) {
    const fxi_conv *c = run->c;
    place p = {.at = slot + c->patch_bytes, .pixel = c->sums_stride, .panel = c->panel_width * c->bytes};
    p.row = u->pixels * c->sums_stride;
    if (!c->direct) return p;
    p.at = c->parts > 1 ? run->parts + u->part * c->part_bytes : run->y;
    p.at += result_offset(c, u) * c->out_bytes;
    p.pixel = c->axis[c->rank - 1].y * c->out_bytes;
    p.row = c->axis[c->rank - 2].y * c->out_bytes;
    return p;
}

/* Patch bytes from a result's pixel to the next along rows and along the last axis, and along their taps. */
typedef struct steps {
    int64_t row, pixel, outer_tap, row_tap, pixel_tap;
} steps;

static steps find_steps(const fxi_conv *c, int64_t channels) {
    const fxi_conv_axis *rows = &c->axis[c->rank - 2], *columns = &c->axis[c->rank - 1];
    int64_t pixel = fxi_conv_pixel(c, channels) * c->bytes, row = c->patch_width * pixel;
    return (steps){.row = c->explicit_rows ? row : rows->stride * row,
                   .pixel = c->interleaved ? columns->kernel * pixel : columns->stride * pixel,
                   .outer_tap = c->patch_rows * row,
                   .row_tap = c->explicit_rows ? c->rows * row : rows->dilation * row,
                   .pixel_tap = c->interleaved ? pixel : columns->dilation * pixel};
}

/* One block of channels of one tile: runs of the patch under it. Where the taps along the last axis are
 * neighbours in the patch a run is one row of taps and the kernel takes all rows; else it is one tap, and the
 * kernel takes one row. */
typedef struct tile_work {
    fxi_gemm_tile args;
    fxi_gemm_micro_fn micro;
    steps step;
    int64_t calls; /* per outer tap */
} tile_work;

static void sum_tile(int64_t taps, tile_work *t, const char *patch, const char *kernel, char *sums,
                     bool first) {
    t->args.accumulate = !first;
    for (int64_t outer = 0; outer < taps; outer++)
        for (int64_t row = 0; row < t->calls; row++) {
            t->micro(patch + outer * t->step.outer_tap + row * t->step.row_tap, kernel, sums, &t->args);
            kernel += t->args.runs * t->args.k * t->args.b_stride;
            t->args.accumulate = 1;
        }
}

static tile_work start_tiles(const fxi_conv *c, int64_t channels, const place *p) {
    const fxi_conv_axis *rows = &c->axis[c->rank - 2], *columns = &c->axis[c->rank - 1];
    bool joined = !c->padded && (c->interleaved || columns->dilation == 1);
    tile_work t = {.step = find_steps(c, channels), .calls = joined ? 1 : rows->kernel};
    t.args = (fxi_gemm_tile){.a_stride = t.step.pixel,
                             .b_stride = c->panel_width * c->bytes * c->planes,
                             .c_stride = p->pixel,
                             .a_plane = c->patch_bytes / c->planes,
                             .b_plane = c->panel_width * c->bytes,
                             .c_plane = c->sums_plane,
                             .k = joined ? columns->kernel * channels : channels,
                             .runs = joined ? rows->kernel : columns->kernel,
                             .run_step = joined ? t.step.row_tap : t.step.pixel_tap};
    t.args.b_ahead = 16 * t.args.b_stride;
    return t;
}

/* One block of channels and outer taps of a panel, over all rows and tiles of the unit. */
static void sum_panel(const conv_run *run, const fxi_conv_unit *u, int64_t panel, const fxi_conv_block *block,
                      const char *patch, const place *p) {
    const fxi_conv *c = run->c;
    tile_work t = start_tiles(c, block->count, p);
    int64_t rows_before = block->first * c->taps + block->tap * (c->taps / c->outer_taps) * block->count;
    const char *kernel = run->kernel + (u->group * c->panels + panel) * c->panel_bytes;
    kernel += rows_before * t.args.b_stride;
    t.args.width = fxi_conv_width(c, panel);
    bool partial = t.args.width < c->panel_width;
    char *sums = p->at + (panel - u->panel) * p->panel;
    for (int64_t row = 0; row < u->rows; row++) {
        int64_t pixel = 0;
        for (int64_t tile = u->tile; tile < u->tile + u->tiles; tile++) {
            bool is_short = tile >= c->long_tiles;
            t.micro = c->micro[is_short][partial];
            sum_tile(block->taps, &t, patch + row * t.step.row + pixel * t.step.pixel, kernel,
                     sums + row * p->row + pixel * p->pixel, block->first == 0 && block->tap == u->first_tap);
            pixel += c->tile_rows - is_short;
        }
    }
}

/* Lanewise: the unit is one panel. */
static void sum_lanes(const conv_run *run, const fxi_conv_unit *u, const char *patch, const place *p) {
    const fxi_conv *c = run->c;
    steps step = find_steps(c, c->block);
    const fxi_conv_lanes args = {.plan = c,
                                 .pixels = u->pixels,
                                 .step = step.pixel,
                                 .y_step = p->pixel,
                                 .count = fxi_conv_width(c, u->panel),
                                 .taps = c->tap_offsets};
    const char *kernel = run->kernel + u->panel * c->panel_bytes;
    for (int64_t row = 0; row < u->rows; row++)
        c->lanes(patch + row * step.row, kernel, p->at + row * p->row, &args);
}

/* Sums of one row and panel into the result. */
static void finish_row(const fxi_conv *c, const char *sums, char *y, int64_t pixels, int64_t features) {
    int64_t y_pixel = c->axis[c->rank - 1].y * c->out_bytes, y_feature = c->y_feature * c->out_bytes;
    int64_t turned = c->finish_kind == FXI_GEMM_MOVE_TRANSPOSE ? features / 8 * 8 : 0;
    fxi_gemm_move args = {.src_outer = c->bytes,
                          .src_inner = c->sums_stride,
                          .dst_outer = y_feature,
                          .dst_inner = y_pixel,
                          .outer = turned,
                          .inner = pixels,
                          .src_plane = c->sums_plane,
                          .dst_plane = c->out_bytes / 2};
    if (turned > 0) c->finish(sums, y, &args); /* whole blocks only: it writes no fewer */
    args = (fxi_gemm_move){.src_outer = c->sums_stride,
                           .src_inner = c->bytes,
                           .dst_outer = y_pixel,
                           .dst_inner = y_feature,
                           .outer = pixels,
                           .inner = features - turned,
                           .src_plane = c->sums_plane,
                           .dst_plane = c->out_bytes / 2};
    fxi_gemm_move_fn rest = c->finish_kind == FXI_GEMM_MOVE_TRANSPOSE ? c->finish_any : c->finish;
    if (features > turned) rest(sums + turned * c->bytes, y + turned * y_feature, &args);
}

static void finish_unit(const conv_run *run, const fxi_conv_unit *u, const place *p) {
    const fxi_conv *c = run->c;
    char *y = run->y + result_offset(c, u) * c->out_bytes;
    for (int64_t panel = u->panel; panel < u->panel + u->panels; panel++)
        for (int64_t row = 0; row < u->rows; row++) {
            int64_t to = (panel - u->panel) * c->panel_width * c->y_feature + row * c->axis[c->rank - 2].y;
            finish_row(c, p->at + (panel - u->panel) * p->panel + row * p->row, y + to * c->out_bytes,
                       u->pixels, fxi_conv_width(c, panel));
        }
}

/* A block of channels: its outer taps, some at a time. */
static void sum_channels(const conv_run *run, const fxi_conv_unit *u, fxi_conv_block *block, int64_t *patch,
                         char *slot, const place *p) {
    const fxi_conv *c = run->c;
    bool whole = c->block == c->channels && c->tap_block == c->outer_taps;
    for (block->tap = u->first_tap; block->tap < u->end_tap; block->tap += c->tap_block) {
        block->taps = fxi_size_min(c->tap_block, u->end_tap - block->tap);
        bool kept = whole && *patch == u->patch; /* of the unit before, with other panels */
        if (!kept) fxi_conv_patch(c, u, run->x, block, slot);
        for (int64_t i = 0; i < u->panels; i++) sum_panel(run, u, u->panel + i, block, slot, p);
    }
}

static void work_unit(const conv_run *run, int64_t number, int64_t *patch, char *slot) {
    const fxi_conv *c = run->c;
    fxi_conv_unit u = {0};
    find_unit(c, number, &u);
    place p = find_place(run, &u, slot);
    fxi_conv_block block = {.taps = c->outer_taps};
    if (c->lanewise) {
        block.first = u.panel * c->panel_width;
        block.count = fxi_conv_width(c, u.panel);
        fxi_conv_patch(c, &u, run->x, &block, slot);
        sum_lanes(run, &u, slot, &p);
    }
    for (; !c->lanewise && block.first < c->channels; block.first += c->block) {
        block.count = fxi_size_min(c->block, c->channels - block.first);
        sum_channels(run, &u, &block, patch, slot, &p);
    }
    *patch = u.patch;
    if (!c->direct) finish_unit(run, &u, &p);
}

/* ---- parts ---- */

#define ADD_PARTS(name, element)                                                                             \
    static void add_##name(char *restrict to, const char *restrict from, int64_t count) {                    \
        element *restrict sums = (element *)(void *)to;                                                      \
        const element *restrict part = (const element *)(const void *)from;                                  \
        for (int64_t i = 0; i < count; i++) sums[i] += part[i];                                              \
    }
ADD_PARTS(32, float)
ADD_PARTS(64, double)

enum { ADDED = 4096 }; /* results of a task */

static void add_parts(void *context, int64_t task) {
    const conv_run *run = context;
    const fxi_conv *c = run->c;
    int64_t from = task * ADDED * c->bytes, bytes = fxi_size_min(ADDED * c->bytes, c->part_bytes - from);
    memcpy(run->y + from, run->parts + from, (size_t)bytes);
    for (int64_t part = 1; part < c->parts; part++)
        (c->bytes == 4 ? add_32 : add_64)(run->y + from, run->parts + part * c->part_bytes + from,
                                          bytes / c->bytes);
}

/* ---- tasks ---- */

static int64_t take_slot(const conv_run *run) {
    for (int64_t slot = 0;; slot = slot + 1 < run->c->slots ? slot + 1 : 0)
        if (atomic_exchange_explicit(&run->busy[slot], 1, memory_order_acquire) == 0) return slot;
}

/* There are as many tasks as slots, so one is free. */
static void work_task(void *context, int64_t task) {
    const conv_run *run = context;
    const fxi_conv *c = run->c;
    int64_t slot = take_slot(run), patch = -1, end = fxi_gemm_cut(c->units, c->slots, task + 1);
    char *memory = run->slots + (size_t)slot * c->slot_bytes;
    for (int64_t unit = fxi_gemm_cut(c->units, c->slots, task); unit < end; unit++)
        work_unit(run, unit, &patch, memory);
    atomic_store_explicit(&run->busy[slot], 0, memory_order_release);
}

void fxi_conv_run(const fxi_conv *c, const fxi_host_call *call) {
    conv_run run = {.c = c, .x = call->operands[0]};
    run.w = (const char *)call->operands[1] + c->w_start * c->in_bytes;
    run.y = (char *)call->result + c->y_start * c->out_bytes;
    if (c->zero) return;
    run.busy = call->workspace;
    for (int i = 0; i < FXI_CONV_SLOTS; i++) atomic_init(&run.busy[i], 0);
    run.kernel = (char *)call->workspace + FXI_CONV_SLOTS * sizeof(int);
    run.slots = run.kernel + c->kernel_bytes;
    run.parts = run.slots + (size_t)c->slots * c->slot_bytes;
    fxi_pool_run(call->pool, c->groups * c->panels, pack_panel, &run);
    fxi_pool_run(call->pool, c->slots, work_task, &run);
    if (c->parts > 1)
        fxi_pool_run(call->pool, fxi_size_ceil_div(c->part_bytes, ADDED * c->bytes), add_parts, &run);
}
