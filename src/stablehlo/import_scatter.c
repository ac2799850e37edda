/* SPDX-License-Identifier: Apache-2.0 */
/* Scatter with a region, window by window. First everything is brought into one form: starts [count, rank of
 * x], one row for each window with a column for every axis of x (0 where no component of an index belongs to
 * it, a number counting up along batch axes), and updates [count, window in all axes of x]. The loop reads
 * the window that a row of starts names, applies the region to it and the update, and writes it back; one
 * that does not lie inside as a whole is written back as it was. */
#include "stablehlo/import_scatter.h"
#include <fluxion/control.h>

typedef struct windows {
    const fxi_hlo_scatter *s;
    const fxi_hlo_region *region;
    fx_node *starts, **updates; /* in the form above */
    fx_shape window;            /* with all axes of x */
    int64_t count;
} windows;

static bool has(const fxi_hlo_axes *axes, int axis) {
    for (size_t i = 0; i < axes->n; i++)
        if (axes->v[i] == axis) return true;
    return false;
}

/* The dimensions of a window: those of the update's window axes, in order, where x has axes that are neither
 * inserted nor batches; else 1. */
static void find_window(windows *w) {
    const fxi_hlo_scatter *s = w->s;
    w->window = *fx_node_shape(s->x[0]);
    size_t next = 0;
    for (int i = 0; i < w->window.rank; i++) {
        bool missing = has(&s->inserted, i) || has(&s->batch, i);
        w->window.dims[i] = missing ? 1 : fx_node_dim(s->updates[0], s->window.v[next++]);
    }
}

/* Updates with the axes that number windows first, as one axis, then the window. */
static fx_node *order_update(const windows *w, fx_node *update) {
    int order[FX_MAX_RANK], n = 0;
    for (int i = 0; i < fx_node_rank(update); i++)
        if (!has(&w->s->window, i)) order[n++] = i;
    for (size_t i = 0; i < w->s->window.n; i++) order[n++] = w->s->window.v[i];
    int64_t dims[FX_MAX_RANK + 1] = {w->count};
    for (int i = 0; i < w->window.rank; i++) dims[i + 1] = w->window.dims[i];
    return fx_reshape(fx_transpose_all_axes(update, (fx_axes){order, (size_t)n}),
                      (fx_dims){dims, (size_t)w->window.rank + 1});
}

/* Column of starts for an axis of x, [count, 1]. */
static fx_node *column(const windows *w, fx_node *indices, const fx_shape *numbering, int axis) {
    const fxi_hlo_scatter *s = w->s;
    fx_graph *graph = s->im->graph;
    const int64_t dims[] = {w->count, 1};
    for (size_t i = 0; i < s->map.n; i++)
        if (s->map.v[i] == axis)
            return fx_slice(indices, (fx_dims){(const int64_t[]){0, (int64_t)i}, 2},
                            (fx_dims){(const int64_t[]){w->count, (int64_t)i + 1}, 2}, (fx_dims){NULL, 0});
    for (size_t i = 0; i < s->batch.n; i++)
        if (s->batch.v[i] == axis) {
            int along = s->indices_batch.v[i];
            return fx_reshape(fx_iota(graph, numbering, along > s->index_axis ? along - 1 : along),
                              (fx_dims){dims, 2});
        }
    fx_shape zeros = fx_shape_make(FX_S64, dims, 2);
    return fx_zeros(graph, &zeros);
}

/* Starts [count, rank] from the indices, whose component axis goes last; numbering gets the others. */
static void find_starts(windows *w) {
    const fxi_hlo_scatter *s = w->s;
    fx_node *indices = fxi_hlo_as(s->indices, FX_S64), *columns[FX_MAX_RANK];
    int rank = fx_node_rank(indices);
    int64_t numbering[FX_MAX_RANK], n = 0, flat[2] = {0, (int64_t)s->map.n};
    for (int i = 0; i < rank; i++)
        if (i != s->index_axis) numbering[n++] = fx_node_dim(indices, i);
    fx_shape shape = fx_shape_make(FX_S64, numbering, (size_t)n);
    w->count = flat[0] = fx_shape_size(&shape);
    if (s->index_axis < rank) indices = fx_moveaxis(indices, s->index_axis, -1);
    indices = fx_reshape(indices, (fx_dims){flat, 2});
    int axes = fx_node_rank(s->x[0]);
    for (int i = 0; i < axes; i++) columns[i] = column(w, indices, &shape, i);
    w->starts = axes ? fx_concatenate((fx_nodes){columns, (size_t)axes}, 1) : NULL;
}

/* Row `round` of an array [count, ...], without that axis. */
static fx_node *row_of(fx_node *rows, fx_node *round) {
    fx_shape shape = *fx_node_shape(rows);
    fx_node *starts[FX_MAX_RANK + 1] = {round};
    if (shape.rank < 1) return rows; /* the inert node */
    for (int i = 1; i < shape.rank; i++) starts[i] = fx_scalar_int(fx_node_graph(round), FX_S64, 0);
    shape.dims[0] = 1;
    fx_node *row = fx_dynamic_slice(rows, (fx_nodes){starts, (size_t)shape.rank},
                                    (fx_dims){shape.dims, (size_t)shape.rank});
    return fx_reshape(row, (fx_dims){shape.dims + 1, (size_t)shape.rank - 1});
}

/* The starts of a round as scalars, and whether the window lies inside x. */
static fx_node *find_place(const windows *w, fx_graph *body, fx_node *round, const fx_shape *x,
                           fx_node **starts) {
    fx_node *inside = fx_scalar_one(body, FX_BOOL), *row = w->starts ? row_of(w->starts, round) : NULL;
    for (int i = 0; i < x->rank; i++) {
        starts[i] = fx_reshape(fx_slice_axis(row, 0, i, i + 1, 1), (fx_dims){NULL, 0});
        inside = fx_and(inside, fx_greater_or_equal_scalar_int(starts[i], 0));
        inside = fx_and(inside, fx_less_or_equal_scalar_int(starts[i], x->dims[i] - w->window.dims[i]));
    }
    return inside;
}

/* A round: in[0] is its number, in[1 + i] operand i as it is now. */
static bool combine_window(const windows *w, fx_graph *body, fx_node *const *in, fx_node **out) {
    size_t n = w->s->n;
    fxi_hlo_import *im = w->s->im;
    fx_node *starts[FX_MAX_RANK], **old = fxi_arena_alloc(im->arena, 3 * n, sizeof *old);
    if (!old) return fxi_hlo_no_memory(im);
    const fx_shape *x = fx_node_shape(in[1]);
    fx_node *inside = find_place(w, body, in[0], x, starts), **made = old + 2 * n;
    fx_nodes place = {starts, (size_t)x->rank};
    for (size_t i = 0; i < n; i++) {
        fx_dims dims = {w->window.dims, (size_t)x->rank};
        old[i] = x->rank ? fx_dynamic_slice(in[1 + i], place, dims) : in[1 + i];
        old[n + i] = row_of(w->updates[i], in[0]);
    }
    if (!fxi_hlo_region_map(im, w->region, old, 2 * n, made, n)) return false;
    for (size_t i = 0; i < n; i++) {
        fx_node *kept = fx_select(inside, made[i], old[i]);
        out[i] = x->rank ? fx_dynamic_update_slice(in[1 + i], kept, place) : kept;
    }
    return true;
}

static void round_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)n_in, (void)n_out;
    const windows *w = user;
    fx_graph *around = w->s->im->graph;
    w->s->im->graph = body;
    w->s->im->regions++;
    combine_window(w, body, in, out);
    w->s->im->regions--;
    w->s->im->graph = around;
}

bool fxi_hlo_scatter_windows(const fxi_hlo_scatter *s, const fxi_hlo_region *region, fx_node **out) {
    windows w = {.s = s, .region = region};
    w.updates = fxi_arena_alloc(s->im->arena, s->n, sizeof *w.updates);
    if (!w.updates) return fxi_hlo_no_memory(s->im);
    if (fx_node_rank(s->x[0]) >= FX_MAX_RANK)
        return fxi_hlo_unsupported(s->im, s->op->place, "a scatter with a region of its own of rank %d",
                                   fx_node_rank(s->x[0]));
    for (size_t i = 1; i < s->n; i++)
        if (!fx_shape_equal_dims(fx_node_shape(s->x[i]), fx_node_shape(s->x[0])) ||
            !fx_shape_equal_dims(fx_node_shape(s->updates[i]), fx_node_shape(s->updates[0])))
            return fxi_hlo_wrong(s->im, s->op->place, "operands of different dimensions");
    if (fx_shape_size(fx_node_shape(s->updates[0])) == 0) { /* no window, or windows of nothing */
        for (size_t i = 0; i < s->n; i++) out[i] = s->x[i];
        return true;
    }
    find_window(&w);
    find_starts(&w);
    for (size_t i = 0; i < s->n; i++) w.updates[i] = order_update(&w, s->updates[i]);
    fx_for(w.count, (fx_nodes){s->x, s->n}, round_fn, &w, out);
    return s->im->err->code == FX_OK;
}
