/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of convolutions: panels of the kernel, blocks of channels, strips, units, the workspace, the
 * generated kernels.
 *
 * A strip's patch should lie in the second-level cache beside a panel of the kernel, and there should be
 * units enough for several threads, at first of fewer rows, then of fewer panels. The sum is cut into
 * blocks of channels such that a block of a panel stays in that cache while the strip's tiles stream past. */
#include "conv.h"

#include <string.h>

enum {
    PATCH_BYTES = 256 << 10,
    SUMS_BYTES = 512 << 10,
    SUM_BLOCK = 1024, /* terms of a block, and what is not worth cutting */
    SUM_WHOLE = 1536,
    LEAST_ROWS = 4,   /* of a strip before its panels are shared out */
    SET_BYTES = 2048, /* pixels this far apart fall into two sets of the first-level cache */
    LANE_BYTES = 256, /* of a lanewise panel */
    SLOTS_BYTES = 64 << 20,
    PARTS_BYTES = 16 << 20, /* sums of all parts */
    MANY_TAPS = 8,          /* outer ones, which are worth blocks */
    DEEP_TAP = 128,         /* terms of an outer tap that are */
    FEW_SLOTS = 8
};

static int64_t round_up(int64_t value, int64_t multiple) {
    return fxi_size_ceil_div(value, multiple) * multiple;
}

/* Products and sums of sizes that stay at the largest value instead of overflowing. */
static int64_t times(int64_t a, int64_t b) {
    int64_t product;
    return fxi_size_mul(a, b, &product) ? product : INT64_MAX;
}

static int64_t plus(int64_t a, int64_t b) {
    int64_t sum;
    return fxi_size_add(a, b, &sum) ? sum : INT64_MAX;
}

/* ---- the sum ---- */

static void count_taps(fxi_conv *c) {
    c->outer_taps = 1;
    for (int i = 0; i < c->rank - 2; i++) c->outer_taps *= c->axis[i].kernel;
    c->taps = c->outer_taps * c->axis[c->rank - 2].kernel * c->axis[c->rank - 1].kernel;
}

static void choose_panels(fxi_conv *c, fxi_gemm_tile_size size) {
    int64_t most = c->lanewise ? LANE_BYTES / c->bytes : size.vectors * size.lanes;
    c->panel_width = fxi_size_min(most, round_up(c->features, c->lanewise ? 64 / c->bytes : size.lanes));
    c->panels = fxi_size_ceil_div(c->features, c->panel_width);
    int64_t rows = plus(times(c->taps, c->channels), FXI_CONV_SLACK);
    c->panel_bytes = times(rows, c->panel_width * c->bytes * c->planes);
}

/* Of one channel all is a row anyway, of complex kernels nothing can be turned. */
static void find_dense(fxi_conv *c) {
    bool fits = c->taps <= FXI_CONV_TURNED && c->panel_width * c->bytes <= FXI_CONV_ROW_BYTES;
    int64_t last = 0;
    if (!fits || c->lanewise || c->planes > 1 || c->channels == 1 || c->w_channel != c->taps) return;
    for (int64_t tap = 0; tap < c->taps; tap++) last = fxi_size_max(last, fxi_conv_tap(c, tap));
    c->dense_kernel = last == c->taps - 1;
}

static void choose_block(fxi_conv *c) {
    c->block = c->lanewise ? c->panel_width : c->channels;
    if (c->lanewise || times(c->channels, c->taps) <= SUM_WHOLE) return;
    int64_t least = 64 / c->bytes, most = fxi_size_max(SUM_BLOCK / c->taps / least * least, least);
    c->block = fxi_size_min(
        c->channels, round_up(fxi_size_ceil_div(c->channels, fxi_size_ceil_div(c->channels, most)), least));
}

/* ---- strips ---- */

static int64_t span(const fxi_conv_axis *a, int64_t count) {
    return (count - 1) * a->stride + (a->kernel - 1) * a->dilation + 1;
}

/* Pixels of the largest tiles in a row. */
static int64_t strip_width(const fxi_conv *c) {
    return fxi_size_min(c->strip_tiles * c->tile_rows, c->axis[c->rank - 1].out);
}

/* Measures of the patch for strips of the chosen rows and tiles. */
static void measure_patch(fxi_conv *c) {
    const fxi_conv_axis *rows = &c->axis[c->rank - 2], *columns = &c->axis[c->rank - 1];
    c->width = strip_width(c);
    int64_t each_row = times(c->rows, rows->kernel), each_column = times(c->width, columns->kernel);
    bool tiny = columns->dilation > 1 && c->block * c->bytes < 256;
    c->explicit_rows = each_row < span(rows, c->rows);
    c->interleaved = each_column < span(columns, c->width) || (tiny && columns->kernel > 1);
    c->patch_rows = c->explicit_rows ? each_row : span(rows, c->rows);
    c->patch_width = c->interleaved ? each_column : span(columns, c->width);
    int64_t step = c->interleaved ? columns->kernel : columns->stride;
    c->padded = !c->lanewise && times(step, c->block * c->bytes) % SET_BYTES == 0 &&
                (!c->interleaved || columns->kernel == 1);
    int64_t pixels = plus(times(times(c->tap_block, c->patch_rows), c->patch_width), FXI_CONV_SLACK);
    c->patch_bytes = times(times(pixels, fxi_conv_pixel(c, c->block) * c->bytes), c->planes);
}

static void measure_sums(fxi_conv *c) {
    if (c->direct) return;
    c->sums_stride = c->chunk_panels * c->panel_width * c->bytes + 64;
    c->sums_plane = times(times(c->rows, c->width), c->sums_stride);
    c->sums_bytes = times(c->sums_plane, c->planes);
}

static int64_t count_patches(const fxi_conv *c) {
    int64_t patches = c->groups;
    for (int i = 0; i < c->rank - 2; i++) patches = times(patches, c->axis[i].out);
    patches = times(patches, fxi_size_ceil_div(c->axis[c->rank - 2].out, c->rows));
    return times(patches, fxi_size_ceil_div(c->tiles, c->strip_tiles));
}

/* Tasks for the number of multiply-adds, as for matrix products. */
static int64_t count_tasks(const fxi_conv *c) {
    double work = (double)c->groups * (double)c->features * (double)c->channels * (double)c->taps;
    for (int i = 0; i < c->rank; i++) work *= (double)c->axis[i].out;
    if (c->lanewise) work *= 8;
    double tasks = work / (1 << 17);
    if (tasks > 16) tasks = work / (1 << 25) > 16 ? work / (1 << 25) : 16;
    return tasks < 1 ? 1 : tasks > FXI_CONV_SLOTS ? FXI_CONV_SLOTS : (int64_t)tasks;
}

static int64_t half(int64_t value) {
    return fxi_size_ceil_div(value, 2);
}

/* Of a large kernel: as many outer taps as fit into a patch together. */
static void choose_taps(fxi_conv *c) {
    c->tap_block = c->outer_taps;
    c->parts = 1;
    if (c->lanewise || c->outer_taps < MANY_TAPS || c->taps / c->outer_taps * c->block < DEEP_TAP) return;
    for (measure_patch(c); c->patch_bytes > PATCH_BYTES && c->tap_block > 1; measure_patch(c))
        c->tap_block = half(c->tap_block);
}

/* Parts for as many units as there should be tasks. */
static void choose_parts(fxi_conv *c) {
    int64_t units = times(count_patches(c), fxi_size_ceil_div(c->panels, c->chunk_panels)),
            tasks = count_tasks(c);
    c->part_bytes = times(times(c->groups, c->features), c->bytes);
    for (int i = 0; i < c->rank; i++) c->part_bytes = times(c->part_bytes, c->axis[i].out);
    bool floats = c->compute == FX_F32 || c->compute == FX_F64;
    if (!c->direct || c->is_phase || !floats || c->tap_block == c->outer_taps || units >= tasks) return;
    int64_t most = fxi_size_min(c->outer_taps / c->tap_block, PARTS_BYTES / c->part_bytes);
    c->parts = fxi_size_max(1, fxi_size_min(fxi_size_ceil_div(tasks, units), most));
}

static void fit_patch(fxi_conv *c) {
    for (measure_patch(c); c->patch_bytes > PATCH_BYTES && (c->rows > 1 || c->strip_tiles > 1);
         measure_patch(c)) {
        if (c->rows > 1)
            c->rows = half(c->rows);
        else
            c->strip_tiles = half(c->strip_tiles);
    }
    c->chunk_panels = c->lanewise ? 1 : c->panels;
    if (c->direct) return;
    for (measure_sums(c); c->sums_bytes > SUMS_BYTES && c->chunk_panels > 1; measure_sums(c))
        c->chunk_panels = half(c->chunk_panels);
}

static void share_out(fxi_conv *c) {
    int64_t tasks = count_tasks(c);
    while (times(times(c->parts, count_patches(c)), fxi_size_ceil_div(c->panels, c->chunk_panels)) < tasks) {
        if (c->rows > LEAST_ROWS)
            c->rows = half(c->rows);
        else if (c->chunk_panels > 1)
            c->chunk_panels = half(c->chunk_panels);
        else if (c->rows > 1)
            c->rows = half(c->rows);
        else if (c->strip_tiles > 1)
            c->strip_tiles = half(c->strip_tiles);
        else
            return;
    }
}

static void choose_strips(fxi_conv *c, fxi_gemm_tile_size size) {
    int64_t out_rows = c->axis[c->rank - 2].out, out = c->axis[c->rank - 1].out;
    c->tiles = fxi_size_ceil_div(out, size.rows);
    c->tile_rows = fxi_size_ceil_div(out, c->tiles);
    c->long_tiles = out - c->tiles * (c->tile_rows - 1);
    c->rows = out_rows;
    c->strip_tiles = c->tiles;
    choose_taps(c);
    fit_patch(c);
    choose_parts(c);
    share_out(c);
    c->row_strips = fxi_size_ceil_div(out_rows, c->rows);
    c->rows = fxi_size_ceil_div(out_rows, c->row_strips);
    c->tile_strips = fxi_size_ceil_div(c->tiles, c->strip_tiles);
    c->chunks = fxi_size_ceil_div(c->panels, c->chunk_panels);
    measure_patch(c);
    measure_sums(c);
    c->patches = count_patches(c);
    c->units = times(times(c->patches, c->chunks), c->parts);
}

/* ---- the workspace: flags of the slots, the packed kernel, the slots ---- */

static bool lay_out(fxi_conv *c, fx_error *err) {
    int64_t kernel = times(times(c->groups, c->panels), c->panel_bytes), limit = INT64_MAX / 256;
    int64_t slot = plus(c->patch_bytes, c->sums_bytes);
    if (kernel > limit || slot > limit || c->units > limit)
        return fxi_fail(err, FX_ERROR_MEMORY, "convolution: sizes beyond 63 bits");
    c->kernel_bytes = (size_t)round_up(kernel, 64);
    c->patch_bytes = round_up(c->patch_bytes, 64 * c->planes);
    c->slot_bytes = (size_t)round_up(c->patch_bytes + c->sums_bytes, 64) + 64;
    c->slots = fxi_size_min(c->units, FXI_CONV_SLOTS);
    while (c->slots > FEW_SLOTS && (size_t)c->slots * c->slot_bytes > SLOTS_BYTES) c->slots--;
    return true;
}

int64_t fxi_conv_workspace(const fxi_conv *c) {
    if (c->zero) return 0;
    int64_t parts = c->parts > 1 ? c->parts * c->part_bytes : 0;
    return (int64_t)(FXI_CONV_SLOTS * sizeof(int) + c->kernel_bytes + (size_t)c->slots * c->slot_bytes) +
           parts;
}

/* ---- generated kernels ---- */

static void *get_code(fxi_conv *c, const fxi_gemm_kernel *kernel, fx_error *err) {
    void *function = NULL;
    fxi_code *code = fxi_gemm_code_get(c->target, kernel, &function, err);
    if (code != NULL) c->codes[c->code_count++] = code;
    return function;
}

static bool get_move(fxi_conv *c, fxi_gemm_kernel kernel, fxi_gemm_move_fn *move, fx_error *err) {
    *move = (fxi_gemm_move_fn)(uintptr_t)get_code(c, &kernel, err);
    return *move != NULL;
}

static bool get_micro(fxi_conv *c, fxi_gemm_tile_size size, bool is_short, bool partial, fx_error *err) {
    int64_t rest = c->features % c->panel_width;
    fxi_gemm_kernel kernel = {
        .kind = FXI_GEMM_MICRO_RUNS, .from = (uint8_t)c->compute, .to = (uint8_t)c->compute};
    kernel.rows = (uint8_t)(c->tile_rows - is_short);
    kernel.vectors = (uint8_t)fxi_size_ceil_div(partial ? rest : c->panel_width, size.lanes);
    kernel.masked = partial && rest % size.lanes != 0;
    c->micro[is_short][partial] = (fxi_gemm_micro_fn)(uintptr_t)get_code(c, &kernel, err);
    return c->micro[is_short][partial] != NULL;
}

static bool get_micros(fxi_conv *c, fxi_gemm_tile_size size, fx_error *err) {
    for (int is_short = 0; is_short <= (c->long_tiles < c->tiles); is_short++) {
        if (c->features >= c->panel_width) FX_TRY(get_micro(c, size, is_short, false, err));
        if (c->features % c->panel_width != 0) FX_TRY(get_micro(c, size, is_short, true, err));
    }
    return true;
}

/* Sums lie pixel after pixel; they are turned where the result's pixels are next to each other. */
static bool get_finish(fxi_conv *c, fx_error *err) {
    const fxi_gemm_move_dtypes out = {c->compute, c->result};
    bool turned = c->y_feature != 1 && c->axis[c->rank - 1].y == 1;
    fxi_gemm_kernel finish =
        fxi_gemm_move_kernel(c->target, &out, turned, !turned, turned || c->y_feature == 1);
    fxi_gemm_kernel any = fxi_gemm_move_kernel(c->target, &out, 0, 0, false);
    c->finish_kind = (fxi_gemm_kind)finish.kind;
    return get_move(c, finish, &c->finish, err) && get_move(c, any, &c->finish_any, err);
}

static bool get_kernels(fxi_conv *c, fxi_gemm_tile_size size, fx_error *err) {
    const fxi_gemm_move_dtypes in = {c->from, c->compute};
    fxi_gemm_kernel x =
        fxi_gemm_move_kernel(c->target, &in, c->axis[c->rank - 1].x, c->lanewise ? c->x_group : c->x_channel,
                             !c->lanewise || c->repeat == 1);
    fxi_gemm_kernel any = fxi_gemm_move_kernel(c->target, &in, 0, 0, false);
    fxi_gemm_kernel w =
        fxi_gemm_move_kernel(c->target, &in, c->dense_kernel ? 1 : c->w_channel, c->w_feature, true);
    c->copy_x_kind = (fxi_gemm_kind)x.kind;
    if (c->lanewise)
        c->lanes = fxi_conv_lanes_of(c->compute);
    else
        FX_TRY(get_micros(c, size, err));
    FX_TRY(get_move(c, x, &c->copy_x, err) && get_move(c, any, &c->copy_x_any, err) &&
           get_move(c, w, &c->copy_w, err));
    return c->direct || get_finish(c, err);
}

/* Bytes from a lanewise patch's pixel to the lanes of each term of its sums, [channel][tap]. */
static bool list_taps(fxi_conv *c, fx_error *err) {
    const fxi_conv_axis *rows = &c->axis[c->rank - 2], *columns = &c->axis[c->rank - 1];
    int64_t pixel = fxi_conv_pixel(c, c->block) * c->bytes;
    if (!c->lanewise) return true;
    c->tap_offsets = fxi_alloc_zeroed((size_t)(c->taps * c->channels), sizeof *c->tap_offsets);
    if (c->tap_offsets == NULL) return fxi_fail_memory(err, "convolution");
    for (int64_t i = 0; i < c->taps * c->channels; i++) {
        int64_t tap = i % c->taps, channel = i / c->taps;
        int64_t column = tap % columns->kernel, row = tap / columns->kernel % rows->kernel,
                outer = tap / columns->kernel / rows->kernel;
        row = c->explicit_rows ? row * c->rows : row * rows->dilation;
        column = c->interleaved ? column : column * columns->dilation;
        c->tap_offsets[i] = ((outer * c->patch_rows + row) * c->patch_width + column) * pixel;
        c->tap_offsets[i] += channel * c->panel_width * c->bytes;
    }
    return true;
}

/* ---- prepare and release ---- */

static bool has_terms(const fxi_conv *c) {
    bool terms = c->channels > 0;
    for (int i = 0; i < c->rank; i++) terms = terms && c->axis[i].kernel > 0;
    return terms;
}

static bool make_plan(fxi_conv *c, const fx_node *node, const int64_t *remainders, fx_error *err) {
    c->from = node->operands[0]->shape.dtype;
    c->result = node->shape.dtype;
    c->compute = fxi_gemm_compute(c->result);
    c->planes = fx_dtype_is_complex(c->compute) ? 2 : 1;
    c->in_bytes = fxi_memory_bytes(c->from);
    c->out_bytes = fxi_memory_bytes(c->result);
    c->bytes = fxi_memory_bytes(fx_dtype_real(c->compute));
    fxi_conv_read(c, node);
    if (remainders != NULL) fxi_conv_take_phase(c, remainders);
    c->zero = !has_terms(c) || fx_shape_size(&node->shape) == 0;
    if (c->zero) return true;
    fxi_gemm_tile_size size = fxi_gemm_tile_of(c->compute, c->target->avx512);
    fxi_conv_order(c,
                   fxi_gemm_tile_of(c->compute, true).rows); /* on every machine: the order of sums follows */
    c->direct = c->planes == 1 && c->y_feature == 1 && fx_dtype_bits(c->result) == fx_dtype_bits(c->compute);
    count_taps(c);
    choose_panels(c, size);
    choose_block(c);
    find_dense(c);
    choose_strips(c, size);
    return lay_out(c, err) && get_kernels(c, size, err) && list_taps(c, err);
}

fxi_conv *fxi_conv_new(const fx_node *node, const fxi_target *target, const int64_t *remainders,
                       fx_error *err) {
    fxi_conv *c = fxi_alloc_zeroed(1, sizeof *c);
    if (c == NULL) {
        fxi_fail_memory(err, "convolution");
        return NULL;
    }
    c->target = target;
    if (make_plan(c, node, remainders, err)) return c;
    fxi_conv_free(c);
    return NULL;
}

void fxi_conv_free(fxi_conv *c) {
    if (c == NULL) return;
    for (int i = 0; i < c->code_count; i++) fxi_code_free(c->codes[i]);
    fxi_free(c->tap_offsets);
    fxi_free(c);
}
