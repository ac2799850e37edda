/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of padding, slices, gathers, scatters, masks and moves: attributes as arguments. */
#include "ops/cases.h"

static int64_t number(const case_args *a, const char *key) { return golden_int(a->c, key, 0); }

static int axis_of(const case_args *a) { return (int)number(a, "axis"); }

void case_pad(const case_args *a) {
    const golden_list low = golden_ints(a->c, "low"), high = golden_ints(a->c, "high"), interior = golden_ints(a->c, "interior");
    fx_pad_axis pads[FX_MAX_RANK];
    for (size_t i = 0; i < low.n; i++) pads[i] = (fx_pad_axis){low.v[i], high.v[i], interior.v[i]};
    a->out[0] = fx_pad(a->in[0], a->in[1], (fx_pads){pads, low.n});
}

void case_dynamic_slice(const case_args *a) {
    const golden_list sizes = golden_ints(a->c, "sizes");
    a->out[0] = fx_dynamic_slice(a->in[0], (fx_nodes){a->in + 1, a->n_in - 1}, GOLDEN_DIMS(sizes));
}

void case_dynamic_update_slice(const case_args *a) {
    a->out[0] = fx_dynamic_update_slice(a->in[0], a->in[1], (fx_nodes){a->in + 2, a->n_in - 2});
}

/* ---- gather ---- */

void case_gather_general(const case_args *a) {
    const golden_list sizes = golden_ints(a->c, "sizes"), offset = golden_ints(a->c, "offset"), map = golden_ints(a->c, "map");
    const golden_list collapsed = golden_ints(a->c, "collapsed"), x = golden_ints(a->c, "operand_batch");
    const golden_list indices = golden_ints(a->c, "indices_batch");
    const fx_gather_options o = {.size = sizeof o, .slice_sizes = GOLDEN_DIMS(sizes), .offset_axes = GOLDEN_AXES(offset),
                                 .collapsed_axes = GOLDEN_AXES(collapsed), .operand_batch_axes = GOLDEN_AXES(x),
                                 .indices_batch_axes = GOLDEN_AXES(indices), .start_index_map = GOLDEN_AXES(map),
                                 .index_axis = (int)number(a, "index_axis")};
    a->out[0] = fx_gather_general(a->in[0], a->in[1], &o);
}

void case_gather_slices(const case_args *a) {
    const golden_list sliced = golden_ints(a->c, "sliced"), sizes = golden_ints(a->c, "sizes");
    a->out[0] = fx_gather_slices(a->in[0], GOLDEN_AXES(sliced), a->in[1], GOLDEN_DIMS(sizes));
}

void case_take(const case_args *a) { a->out[0] = fx_take(a->in[0], a->in[1], axis_of(a)); }

void case_take_along_axis(const case_args *a) { a->out[0] = fx_take_along_axis(a->in[0], a->in[1], axis_of(a)); }

void case_one_hot(const case_args *a) {
    a->out[0] = fx_one_hot(a->in[0], number(a, "depth"), golden_dtype(a->c, "dtype", FX_F32));
}

/* ---- scatter ---- */

static fx_scatter_kind kind_of(const golden_case *c) {
    static const char *const names[] = {"sum", "product", "max", "min", "update"};
    const char *word = golden_word(c, "kind", "");
    size_t i = 0;
    while (strcmp(names[i], word) != 0)
        if (++i == COUNT_OF(names)) fail_msg("%s:%d: no kind of scatter: \"%s\"", c->file, c->line, word);
    return (fx_scatter_kind)i;
}

void case_scatter_general(const case_args *a) {
    const golden_list window = golden_ints(a->c, "window"), inserted = golden_ints(a->c, "inserted");
    const golden_list x = golden_ints(a->c, "operand_batch"), indices = golden_ints(a->c, "indices_batch");
    const golden_list map = golden_ints(a->c, "map");
    const fx_scatter_options o = {.size = sizeof o, .window_axes = GOLDEN_AXES(window), .inserted_axes = GOLDEN_AXES(inserted),
                                  .operand_batch_axes = GOLDEN_AXES(x), .indices_batch_axes = GOLDEN_AXES(indices),
                                  .index_map = GOLDEN_AXES(map), .index_axis = (int)number(a, "index_axis")};
    a->out[0] = fx_scatter_general(a->in[0], a->in[1], a->in[2], kind_of(a->c), &o);
}

void case_scatter(const case_args *a) {
    const golden_list dims = golden_ints(a->c, "dims");
    const fx_shape shape = fx_shape_make(golden_dtype(a->c, "dtype", FX_F32), dims.v, dims.n);
    a->out[0] = fx_scatter(a->in[0], a->in[1], &shape);
}

void case_put_along_axis(const case_args *a) { a->out[0] = fx_put_along_axis(a->in[0], a->in[1], a->in[2], axis_of(a)); }

#define SEGMENT(function) \
    void case_##function(const case_args *a) { a->out[0] = fx_##function(a->in[0], a->in[1], number(a, "segments")); }
SEGMENT(segment_sum)
SEGMENT(segment_prod)
SEGMENT(segment_max)
SEGMENT(segment_min)
SEGMENT(segment_mean)

/* ---- masks ---- */

void case_shaped_lower_triangular(const case_args *a) {
    a->out[0] = fx_shaped_lower_triangular(a->graph, number(a, "rows"), number(a, "columns"), number(a, "k"));
}

void case_lower_triangular(const case_args *a) { a->out[0] = fx_lower_triangular(a->graph, number(a, "dim")); }

void case_upper_triangular(const case_args *a) { a->out[0] = fx_upper_triangular(a->graph, number(a, "dim")); }

void case_diagonal(const case_args *a) { a->out[0] = fx_diagonal(a->graph, number(a, "dim")); }

void case_tril(const case_args *a) { a->out[0] = fx_tril(a->in[0], number(a, "k")); }

void case_triu(const case_args *a) { a->out[0] = fx_triu(a->in[0], number(a, "k")); }

void case_diagonal_of(const case_args *a) {
    const golden_list axes = golden_ints(a->c, "axes");
    a->out[0] = fx_diagonal_of(a->in[0], number(a, "offset"), axes.axes[0], axes.axes[1]);
}

void case_trace(const case_args *a) {
    const golden_list axes = golden_ints(a->c, "axes");
    a->out[0] = fx_trace(a->in[0], number(a, "offset"), axes.axes[0], axes.axes[1]);
}

/* ---- moves ---- */

static fx_shift_direction direction_of(const case_args *a) {
    return strcmp(golden_word(a->c, "direction", ""), "left") == 0 ? FX_SHIFT_LEFT : FX_SHIFT_RIGHT;
}

void case_roll(const case_args *a) { a->out[0] = fx_roll(a->in[0], axis_of(a), number(a, "n")); }

void case_flip(const case_args *a) {
    const golden_list axes = golden_ints(a->c, "axes");
    a->out[0] = fx_flip(a->in[0], GOLDEN_AXES(axes));
}

void case_moveaxis(const case_args *a) { a->out[0] = fx_moveaxis(a->in[0], (int)number(a, "from"), (int)number(a, "to")); }

void case_tile(const case_args *a) {
    const golden_list counts = golden_ints(a->c, "counts");
    a->out[0] = fx_tile(a->in[0], GOLDEN_DIMS(counts));
}

void case_repeat(const case_args *a) { a->out[0] = fx_repeat(a->in[0], axis_of(a), number(a, "count")); }

void case_shift(const case_args *a) { a->out[0] = fx_shift(a->in[0], axis_of(a), direction_of(a), number(a, "n")); }

void case_shift_with_scalar(const case_args *a) {
    a->out[0] = fx_shift_with_scalar(a->in[0], axis_of(a), direction_of(a), number(a, "n"), golden_real(a->c, "value", 0));
}

void case_consecutive_difference(const case_args *a) {
    a->out[0] = fx_consecutive_difference(a->in[0], axis_of(a), number(a, "preserve") == 1);
}

void case_meshgrid(const case_args *a) { fx_meshgrid((fx_nodes){a->in, a->n_in}, a->out); }
