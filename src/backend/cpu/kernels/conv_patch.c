/* SPDX-License-Identifier: Apache-2.0 */
/* Fills patches. Along the last axis what a patch's row holds comes from the input in arithmetic runs: one
 * where the row spans the input under the strip, one per tap where it holds a pixel per tap and place. A
 * run is one 2-D move of the matrix products (pixels times channels), which converts; everything else is
 * zero. */
#include "conv.h"

#include <string.h>

typedef struct run {
    int64_t first, step, count; /* pixels of the patch's row */
    int64_t input, input_step;  /* of the input axis */
} run;

/* The part that lies in the input of places at + t step (t < count) of the padded axis, which are pixels
 * first + t apart of the patch. */
static run find_run(const fxi_conv_axis *a, int64_t at, int64_t step, int64_t count, int64_t first,
                    int64_t apart) {
    run r = {.count = 0};
    int64_t start = at - a->low, end = (a->in - 1) * a->spread;
    int64_t from = start < 0 ? fxi_size_ceil_div(-start, step) : 0;
    if (a->in == 0 || start > end) return r;
    int64_t to = fxi_size_min((end - start) / step, count - 1);
    while (from <= to && (start + from * step) % a->spread != 0) from++;
    if (from > to) return r;
    int64_t each = a->spread / fxi_conv_gcd(step, a->spread);
    r.first = first + from * apart;
    r.step = each * apart;
    r.count = (to - from) / each + 1;
    r.input = (start + from * step) / a->spread;
    r.input_step = step * each / a->spread;
    return r;
}

typedef struct patching {
    const fxi_conv *c;
    const fxi_conv_unit *unit;
    const char *x;                /* the first channel of the unit's group */
    int64_t channels, first_lane; /* to copy, or lanes */
    int64_t pixel, width;         /* bytes of a pixel; pixels of a row in use */
    int64_t plane;
} patching;

static void zero_pixels(const patching *p, char *row, int64_t first, int64_t end) {
    for (int64_t plane = 0; plane < p->c->planes && first < end; plane++)
        memset(row + plane * p->plane + first * p->pixel, 0, (size_t)((end - first) * p->pixel));
}

static fxi_gemm_move run_move(const patching *p, const run *r) {
    const fxi_conv *c = p->c;
    return (fxi_gemm_move){.src_outer = r->input_step * c->axis[c->rank - 1].x * c->in_bytes,
                           .src_inner = c->x_channel * c->in_bytes,
                           .dst_outer = r->step * p->pixel,
                           .dst_inner = c->bytes,
                           .outer = r->count,
                           .inner = p->channels,
                           .src_plane = c->in_bytes / 2,
                           .dst_plane = p->plane};
}

static void copy_pixels(const patching *p, const run *r, const char *src, char *dst, fxi_gemm_move *args) {
    const fxi_conv *c = p->c;
    if (c->copy_x_kind == FXI_GEMM_MOVE_ROWS && args->src_outer == args->inner * c->in_bytes &&
        args->dst_outer == args->inner * c->bytes) { /* dense on both sides: one long row */
        args->inner *= args->outer;
        args->outer = 1;
    }
    bool turns = c->copy_x_kind ==
                 FXI_GEMM_MOVE_TRANSPOSE; /* writes beyond the run, which must not lie between others */
    if (turns && (args->src_outer != c->in_bytes || r->step != 1 || c->interleaved))
        c->copy_x_any(src, dst, args);
    else
        c->copy_x(src, dst, args);
}

/* Lane i * repeat of each pixel, written `repeat` times from there on; with the usual numbers known, these
 * are stores of vectors. */
#define REPEAT(name, element)                                                                                \
    static inline void repeat_##name(char *dst, int64_t step, int64_t pixels, int64_t count,                 \
                                     int64_t repeat) {                                                       \
        for (int64_t p = 0; p < pixels; p++) {                                                               \
            element *lane = (element *)(void *)(dst + p * step);                                             \
            for (int64_t i = 0; i < count; i += repeat) {                                                    \
                const element value = lane[i];                                                               \
                for (int64_t k = 0; k < repeat; k++) lane[i + k] = value;                                    \
            }                                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static void repeat_lanes_##name(char *dst, int64_t step, int64_t pixels, int64_t count,                  \
                                    int64_t repeat) {                                                        \
        switch (repeat) {                                                                                    \
        case 2: repeat_##name(dst, step, pixels, count, 2); break;                                           \
        case 4: repeat_##name(dst, step, pixels, count, 4); break;                                           \
        case 8: repeat_##name(dst, step, pixels, count, 8); break;                                           \
        default: repeat_##name(dst, step, pixels, count, repeat); break;                                     \
        }                                                                                                    \
    }
REPEAT(32, uint32_t)
REPEAT(64, uint64_t)

/* Lane l belongs to group (first lane + l) / repeat; panels begin and end between groups. */
static void copy_whole_groups(const patching *p, const char *src, char *dst, fxi_gemm_move *args) {
    const fxi_conv *c = p->c;
    args->dst_inner = c->repeat * c->bytes;
    args->inner = p->channels / c->repeat;
    c->copy_x_any(src + p->first_lane / c->repeat * args->src_inner, dst, args);
    if (c->bytes == 4)
        repeat_lanes_32(dst, args->dst_outer, args->outer, p->channels, c->repeat);
    else
        repeat_lanes_64(dst, args->dst_outer, args->outer, p->channels, c->repeat);
}

/* The same where panels begin or end within groups. */
static void copy_cut_groups(const patching *p, const char *src, char *dst, fxi_gemm_move *args) {
    const fxi_conv *c = p->c;
    args->dst_inner = c->repeat * c->bytes;
    for (int64_t k = 0; k < c->repeat; k++) {
        int64_t lane = (k - p->first_lane % c->repeat + c->repeat) % c->repeat;
        if (lane >= p->channels) continue;
        int64_t group = (p->first_lane + lane) / c->repeat;
        args->inner = (p->channels - 1 - lane) / c->repeat + 1;
        c->copy_x_any(src + group * args->src_inner, dst + lane * c->bytes, args);
    }
}

/* One channel of each lane's group. */
static void copy_lanes(const patching *p, const run *r, int64_t channel, const char *src, char *dst) {
    const fxi_conv *c = p->c;
    fxi_gemm_move args = run_move(p, r);
    args.src_inner = c->x_group * c->in_bytes;
    src += channel * c->x_channel * c->in_bytes;
    dst += channel * c->panel_width * c->bytes;
    if (c->repeat == 1)
        copy_pixels(p, r, src + p->first_lane * args.src_inner, dst, &args);
    else if (c->panel_width % c->repeat == 0)
        copy_whole_groups(p, src, dst, &args);
    else
        copy_cut_groups(p, src, dst, &args);
}

static void copy_run(const patching *p, const run *r, const char *src, char *row) {
    const fxi_conv *c = p->c;
    char *dst = row + r->first * p->pixel;
    src += r->input * c->axis[c->rank - 1].x * c->in_bytes;
    fxi_gemm_move args = run_move(p, r);
    if (!c->lanewise) copy_pixels(p, r, src, dst, &args);
    for (int64_t channel = 0; c->lanewise && channel < c->channels; channel++)
        copy_lanes(p, r, channel, src, dst);
}

/* A row that spans the input. */
static void fill_span(const patching *p, const char *src, char *row) {
    const fxi_conv *c = p->c;
    const fxi_conv_axis *a = &c->axis[c->rank - 1];
    run r = find_run(a, p->unit->pixel * a->stride, 1, p->width, 0, 1);
    if (r.count == 0 || r.step > 1) zero_pixels(p, row, 0, p->width);
    if (r.count == 0) return;
    if (r.step == 1) zero_pixels(p, row, 0, r.first);
    copy_run(p, &r, src, row);
    if (r.step == 1) zero_pixels(p, row, r.first + r.count, p->width);
}

/* A row with a pixel per place and tap. */
static void fill_interleaved(const patching *p, const char *src, char *row) {
    const fxi_conv *c = p->c;
    const fxi_conv_axis *a = &c->axis[c->rank - 1];
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < a->kernel; k++) {
            run r = find_run(a, p->unit->pixel * a->stride + k * a->dilation, a->stride, p->unit->pixels, k,
                             a->kernel);
            if (pass == 1 && r.count > 0) copy_run(p, &r, src, row);
            if (pass == 1 || r.count == p->unit->pixels) continue;
            zero_pixels(p, row, 0, p->width);
            break;
        }
}

/* Row j of the rows under one outer tap, whose part of the input begins at src (NULL: it is all zeros). */
static void fill_row(const patching *p, int64_t j, const char *src, char *row) {
    const fxi_conv *c = p->c;
    const fxi_conv_axis *a = &c->axis[c->rank - 2];
    int64_t at = p->unit->row * a->stride + j, offset = 0;
    if (c->explicit_rows) at = (p->unit->row + j % c->rows) * a->stride + j / c->rows * a->dilation;
    if (c->explicit_rows && j % c->rows >= p->unit->rows) return;
    if (src == NULL || !fxi_conv_locate(a, at, &offset))
        zero_pixels(p, row, 0, p->width);
    else if (c->interleaved)
        fill_interleaved(p, src + offset * c->in_bytes, row);
    else
        fill_span(p, src + offset * c->in_bytes, row);
}

/* Offset of the input under an outer tap, counted row-major; false: it lies in zeros. */
static bool locate_outer(const fxi_conv *c, const fxi_conv_unit *unit, int64_t tap, int64_t *offset) {
    bool inside = true;
    for (int i = c->rank - 3; i >= 0; i--) {
        const fxi_conv_axis *a = &c->axis[i];
        inside =
            fxi_conv_locate(a, unit->at[i] * a->stride + tap % a->kernel * a->dilation, offset) && inside;
        tap /= a->kernel;
    }
    return inside;
}

void fxi_conv_patch(const fxi_conv *c, const fxi_conv_unit *unit, const char *x, const fxi_conv_block *block,
                    char *patch) {
    const fxi_conv_axis *rows = &c->axis[c->rank - 2], *columns = &c->axis[c->rank - 1];
    int64_t channel = c->lanewise ? 0 : block->first;
    patching p = {.c = c, .unit = unit, .channels = block->count, .first_lane = block->first};
    p.x = x + (unit->group * c->x_group + channel * c->x_channel) * c->in_bytes;
    p.pixel = fxi_conv_pixel(c, block->count) * c->bytes;
    p.plane = c->patch_bytes / c->planes;
    p.width = c->interleaved
                  ? unit->pixels * columns->kernel
                  : (unit->pixels - 1) * columns->stride + (columns->kernel - 1) * columns->dilation + 1;
    int64_t used = (unit->rows - 1) * rows->stride + (rows->kernel - 1) * rows->dilation + 1;
    if (c->explicit_rows) used = c->patch_rows;
    for (int64_t tap = 0; tap < block->taps; tap++) {
        int64_t offset = 0;
        bool inside = locate_outer(c, unit, block->tap + tap, &offset);
        const char *src = inside ? p.x + offset * c->in_bytes : NULL;
        char *row = patch + tap * c->patch_rows * c->patch_width * p.pixel;
        for (int64_t j = 0; j < used; j++) fill_row(&p, j, src, row + j * c->patch_width * p.pixel);
    }
}
