/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of windows.
 *
 * Sums are linear: the adjoint is a sum over windows again, with strides and base dilations exchanged.
 * Extremes pass adjoints on to the element that each window selects, the first extreme one in row-major
 * order: by select_and_scatter, or where windows are dilated by its place. Tangents are read there: places
 * are found by combining (value, place) of neighbours axis by axis, in windows of 1, 2, 4, ... places, where
 * the first of two equal values stays.
 * Products are written out as products of arrays in the same way, windows of 2, 4, 8, ... places, and those
 * are differentiated: log2 of the window as many, and right with any number of zeros. */
#include "grad_internal.h"
#include <fluxion/indexing.h>
#include <fluxion/window.h>

typedef struct window_axis {
    int64_t x, y; /* dimensions */
    int64_t window, stride, base, dilation, low, high;
} window_axis;

typedef struct windows {
    const fxi_build *b;
    size_t rank;
    window_axis axis[FX_MAX_RANK];
    bool dilated, padded; /* padded: some place of a window may have no element */
    bool largest;
} windows;

static windows read_windows(const fxi_build *b, const fx_node *n, const fx_shape *y) {
    const fx_shape *x = &n->operands[0]->shape;
    windows w = {.b = b, .rank = (size_t)x->rank, .largest = fxi_node_int(n, FXI_ATTR_KIND) == FXI_MAX};
    bool select = n->op == FX_OP_SELECT_AND_SCATTER;
    for (size_t i = 0; i < w.rank; i++) {
        window_axis *a = &w.axis[i];
        *a = (window_axis){.x = x->dims[i],
                           .y = y->dims[i],
                           .window = fxi_node_ints(n, FXI_ATTR_WINDOW).v[i],
                           .stride = fxi_node_ints(n, FXI_ATTR_STRIDES).v[i],
                           .base = select ? 1 : fxi_node_ints(n, FXI_ATTR_BASE_DILATION).v[i],
                           .dilation = select ? 1 : fxi_node_ints(n, FXI_ATTR_WINDOW_DILATION).v[i],
                           .low = fxi_node_ints(n, FXI_ATTR_LOW).v[i],
                           .high = fxi_node_ints(n, FXI_ATTR_HIGH).v[i]};
        w.dilated |= a->base != 1 || a->dilation != 1;
        w.padded |= a->base != 1 || a->low > 0 || a->high > 0;
    }
    return w;
}

static bool is_empty(const fx_node *x) {
    return fx_shape_size(&x->shape) == 0;
}

/* ---- sums ---- */

/* Windows lie side by side and cover x. */
static bool tiles(const windows *w) {
    for (size_t i = 0; i < w->rank; i++) {
        const window_axis *a = &w->axis[i];
        bool plain = a->dilation == 1 && a->base == 1 && a->low == 0 && a->high == 0;
        if (!plain || a->window != a->stride || a->y * a->window != a->x) return false;
    }
    return true;
}

/* u repeated under each window: [y0, w0, y1, w1, ...], without axes of windows of one element. */
static fx_node *spread_tiles(const windows *w, fx_node *u, const fx_shape *x) {
    fx_shape all = {.dtype = u->shape.dtype};
    int64_t axes[FX_MAX_RANK];
    size_t rank = 0;
    for (size_t i = 0; i < w->rank; i++) rank += w->axis[i].window > 1 ? 2 : 1;
    if (rank > FX_MAX_RANK) return NULL;
    for (size_t i = 0; i < w->rank; i++) {
        axes[i] = all.rank;
        all.dims[all.rank++] = w->axis[i].y;
        if (w->axis[i].window > 1) all.dims[all.rank++] = w->axis[i].window;
    }
    return fx_reshape_with_shape(fxi_build_broadcast(w->b, u, &all, (fx_dims){axes, w->rank}), x);
}

static fx_node *adjoint_of_sum(const windows *w, const fx_node *n, fx_node *u) {
    int64_t strides[FX_MAX_RANK], base[FX_MAX_RANK], low[FX_MAX_RANK], high[FX_MAX_RANK];
    fx_node *spread = tiles(w) ? spread_tiles(w, u, &n->operands[0]->shape) : NULL;
    if (spread) return spread;
    for (size_t i = 0; i < w->rank; i++) {
        const window_axis *a = &w->axis[i];
        int64_t window = fxi_grad_span(a->window, a->dilation);
        strides[i] = a->base;
        base[i] = a->stride;
        low[i] = window - 1 - a->low;
        high[i] = fxi_grad_span(a->x, a->base) - 1 + window - low[i] - fxi_grad_span(a->y, a->stride);
    }
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_STRIDES, strides, w->rank),
                              fxi_attr_ints(FXI_ATTR_BASE_DILATION, base, w->rank),
                              fxi_attr_ints(FXI_ATTR_LOW, low, w->rank),
                              fxi_attr_ints(FXI_ATTR_HIGH, high, w->rank)};
    return fxi_build_like(w->b, n, &u, attrs, 4, NULL);
}

/* ---- windows by doubling ---- */

/* Up to MOST arrays that are combined together. */
enum { MOST = 2 };
typedef struct arrays {
    fx_node *v[MOST];
    size_t n;
} arrays;

typedef arrays (*combine_fn)(const windows *w, const arrays *first, const arrays *second);

/* Places [from, from + count) of an axis. */
static fx_node *part(fx_node *x, size_t axis, int64_t from, int64_t count) {
    return fx_slice_axis(x, (int)axis, from, from + count, 1);
}

static arrays part_of(const arrays *x, size_t axis, int64_t from, int64_t count) {
    arrays r = {.n = x->n};
    for (size_t i = 0; i < x->n; i++) r.v[i] = part(x->v[i], axis, from, count);
    return r;
}

/* Two neighbouring windows of an axis combined, the second `distance` places on; it has `length` places. */
static arrays neighbours(const windows *w, const arrays *x, size_t axis, int64_t length, int64_t distance,
                         combine_fn combine) {
    const arrays first = part_of(x, axis, 0, length - distance),
                 second = part_of(x, axis, distance, length - distance);
    return combine(w, &first, &second);
}

/* Every window of one axis. `length`: places of the axis, padding included, at least the window's span.
 * Windows of 1, 2, 4, ... are made until the binary digits of its size have all been used. */
static arrays combine_axis(const windows *w, arrays x, size_t axis, int64_t length, combine_fn combine) {
    const window_axis *a = &w->axis[axis];
    arrays all = {.n = 0};
    int64_t last = length - fxi_grad_span(a->window, a->dilation) + 1, done = 0, size = 1;
    for (int64_t rest = a->window; rest; rest /= 2) {
        if (rest % 2) {
            const arrays next = part_of(&x, axis, done * a->dilation, last);
            all = all.n ? combine(w, &all, &next) : next;
            done += size;
        }
        if (rest == 1) break;
        x = neighbours(w, &x, axis, length - (size - 1) * a->dilation, size * a->dilation, combine);
        size *= 2;
    }
    return all;
}

static fx_node *pad(const windows *w, fx_node *x, fx_node *value) {
    fx_pad_axis pads[FX_MAX_RANK];
    bool any = false;
    for (size_t i = 0; i < w->rank; i++) {
        pads[i] = (fx_pad_axis){w->axis[i].low, w->axis[i].high, w->axis[i].base - 1};
        any |= pads[i].start || pads[i].end || pads[i].interior;
    }
    return any ? fx_pad(x, value, (fx_pads){pads, w->rank}) : x;
}

/* All windows of x, which is padded: from the last axis to the first. */
static arrays combine_windows(const windows *w, arrays x, combine_fn combine) {
    for (size_t i = w->rank; i-- > 0;) {
        const window_axis *a = &w->axis[i];
        int64_t length = fxi_grad_span(a->x, a->base) + a->low + a->high;
        if (a->window > 1) x = combine_axis(w, x, i, length, combine);
        if (a->stride == 1 && a->window > 1) continue;
        for (size_t k = 0; k < x.n; k++)
            x.v[k] = fx_slice_axis(x.v[k], (int)i, 0, fxi_grad_span(a->y, a->stride), a->stride);
    }
    return x;
}

/* ---- places of extremes ---- */

/* The first of two (value, place), unless the second is better; a place of -1 has no element. */
static arrays better_of(const windows *w, const arrays *first, const arrays *second) {
    fx_node *a = first->v[0], *b = second->v[0];
    fx_node *wins = w->largest ? fx_less(a, b) : fx_less(b, a);
    wins = fx_or(wins, fx_and(fx_is_nan(b), fx_not(fx_is_nan(a))));
    if (w->padded) {
        fx_node *none = fx_less_scalar_int(first->v[1], 0),
                *exists = fx_greater_or_equal_scalar_int(second->v[1], 0);
        wins = fx_and(exists, fx_or(none, wins));
    }
    arrays r = {.n = 2};
    for (size_t i = 0; i < 2; i++) r.v[i] = fx_select(wins, second->v[i], first->v[i]);
    return r;
}

/* Where in x, counted in row-major order, the element lies that each window selects; -1: there is none. One
 * axis. */
static fx_node *places(const windows *w, fx_node *x) {
    fx_shape shape = x->shape;
    shape.dtype = fxi_dtype_of_count(fx_shape_size(&shape));
    fx_node *place = fx_iota_full(w->b->graph, &shape);
    const arrays padded = {.v = {pad(w, x, fx_scalar_zero(w->b->graph, x->shape.dtype)),
                                 pad(w, place, fx_scalar_int(w->b->graph, shape.dtype, -1))},
                           .n = 2};
    return fx_reshape(combine_windows(w, padded, better_of).v[1], (fx_dims){(const int64_t[]){-1}, 1});
}

static fx_node *flat(fx_node *x) {
    return fx_reshape(x, (fx_dims){(const int64_t[]){-1}, 1});
}

/* Indices for flat arrays: one component each, inside. */
static fx_node *indices_of(const windows *w, fx_node *place) {
    if (w->padded) place = fx_max_scalar_int(place, 0);
    return fx_reshape(place, (fx_dims){(const int64_t[]){-1, 1}, 2});
}

static fx_node *where_selected(const windows *w, fx_node *place, fx_node *values) {
    if (!w->padded) return values;
    return fx_select(fx_greater_or_equal_scalar_int(place, 0), values, fx_zeros_like(values));
}

/* Of each window of x the element of t at the place it selects, 0 if there is none; of y's shape. */
static fx_node *gather_selected(const windows *w, fx_node *x, fx_node *t, const fx_shape *y) {
    fx_node *place = places(w, x);
    fx_node *taken = fx_gather(flat(t), indices_of(w, place));
    return fx_reshape_with_shape(where_selected(w, place, taken), y);
}

/* The transpose of that. */
static fx_node *scatter_selected(const windows *w, fx_node *x, fx_node *u) {
    fx_node *place = places(w, x);
    fx_node *sums =
        fx_scatter_sum(flat(fx_zeros_like(x)), indices_of(w, place), where_selected(w, place, flat(u)));
    return fx_reshape_with_shape(sums, &x->shape);
}

static fx_node *select_and_scatter(const windows *w, const fx_node *n, fx_node *x, fx_node *source) {
    const fxi_attr attrs[] = {*fxi_node_attr(n, FXI_ATTR_KIND), *fxi_node_attr(n, FXI_ATTR_WINDOW),
                              *fxi_node_attr(n, FXI_ATTR_STRIDES), *fxi_node_attr(n, FXI_ATTR_LOW),
                              *fxi_node_attr(n, FXI_ATTR_HIGH)};
    return fxi_build_node(w->b, FX_OP_SELECT_AND_SCATTER, (fx_node *const[]){x, source}, 2, attrs, 5, NULL);
}

/* ---- products ---- */

static arrays product_of(const windows *w, const arrays *first, const arrays *second) {
    (void)w;
    return (arrays){.v = {fx_mul(first->v[0], second->v[0])}, .n = 1};
}

/* n written out. */
static fx_node *write_product(const windows *w, const fx_node *n) {
    fx_node *x = fxi_build_wide(n->operands[0]);
    const arrays padded = {.v = {pad(w, x, fx_scalar_one(w->b->graph, x->shape.dtype))}, .n = 1};
    return fx_convert(combine_windows(w, padded, product_of).v[0], n->shape.dtype);
}

/* ---- reduce_window ---- */

static void vjp_reduce_window(const fxi_vjp *v) {
    fx_node *n = v->n, *x = n->operands[0], *u = v->adjoints[0];
    if (is_empty(x) || is_empty(n)) return;
    const windows w = read_windows(v->b, n, &n->shape);
    int64_t kind = fxi_node_int(n, FXI_ATTR_KIND);
    if (kind == FXI_SUM) {
        v->out[0] = adjoint_of_sum(&w, n, u);
    } else if (kind == FXI_PRODUCT) {
        fx_node *y = write_product(&w, n);
        fxi_reverse(v->b->name, (fx_nodes){&y, 1}, &u, (fx_nodes){&x, 1}, &v->out[0]);
    } else {
        v->out[0] = w.dilated ? scatter_selected(&w, x, u) : select_and_scatter(&w, n, x, u);
    }
}

static void jvp_reduce_window(const fxi_jvp *j) {
    fx_node *n = j->n, *x = n->operands[0], *t = j->tangents[0];
    if (is_empty(x) || is_empty(n)) return;
    const windows w = read_windows(j->b, n, &n->shape);
    int64_t kind = fxi_node_int(n, FXI_ATTR_KIND);
    if (kind == FXI_SUM) {
        fxi_jvp_linear(j, 1);
    } else if (kind == FXI_PRODUCT) {
        fx_node *y = write_product(&w, n);
        fxi_forward(j->b->name, (fx_nodes){&y, 1}, (fx_nodes){&x, 1}, &t, &j->out[0]);
    } else {
        j->out[0] = gather_selected(&w, x, t, &n->shape);
    }
}
const fxi_grad_rule fxi_gradrule_reduce_window = {.vjp = vjp_reduce_window, .jvp = jvp_reduce_window};

/* ---- select_and_scatter: linear in the source; x only selects ---- */

static void vjp_select_and_scatter(const fxi_vjp *v) {
    fx_node *n = v->n, *x = n->operands[0], *source = n->operands[1];
    if (!v->wanted[1] || is_empty(x) || is_empty(source)) return;
    const windows w = read_windows(v->b, n, &source->shape);
    v->out[1] = gather_selected(&w, x, v->adjoints[0], &source->shape);
}

static void jvp_select_and_scatter(const fxi_jvp *j) {
    fx_node *const operands[] = {j->n->operands[0], j->tangents[1]};
    if (j->tangents[1]) j->out[0] = fxi_build_like(j->b, j->n, operands, NULL, 0, NULL);
}
const fxi_grad_rule fxi_gradrule_select_and_scatter = {.vjp = vjp_select_and_scatter,
                                                       .jvp = jvp_select_and_scatter};
