/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of windows (window_walk.h). The walk clips each axis to the places that meet an element, so that
 * nothing is tested per element; along the last axis it clips the rows of the tile instead. */
#include "window_walk.h"

bool fxi_window_is_plain(const fxi_window_axis *a) {
    return a->window == 1 && a->stride == 1 && a->base == 1 && a->low == 0 && a->out == a->dim;
}

static fxi_window_axis axis_of(const fx_node *node, const fx_shape *windows, int i) {
    bool dilated = node->op == FX_OP_REDUCE_WINDOW;
    fxi_window_axis a = {.dim = node->operands[0]->shape.dims[i],
                         .out = windows->dims[i],
                         .window = fxi_node_ints(node, FXI_ATTR_WINDOW).v[i],
                         .stride = fxi_node_ints(node, FXI_ATTR_STRIDES).v[i],
                         .base = dilated ? fxi_node_ints(node, FXI_ATTR_BASE_DILATION).v[i] : 1,
                         .dilation = dilated ? fxi_node_ints(node, FXI_ATTR_WINDOW_DILATION).v[i] : 1,
                         .low = fxi_node_ints(node, FXI_ATTR_LOW).v[i]};
    if (a.dim <= 1) a.base = 1;
    if (a.window == 1) a.dilation = 1;
    if (a.out == 1) a.stride = 1;
    return a;
}

void fxi_window_find(fxi_window_space *s, const fx_node *node, const fx_shape *windows) {
    int n = 0;
    for (int i = 0; i < windows->rank; i++) {
        fxi_window_axis a = axis_of(node, windows, i);
        if (fxi_window_is_plain(&a) && n > 0 && fxi_window_is_plain(&s->axes[n - 1])) {
            s->axes[n - 1].dim *= a.dim;
            s->axes[n - 1].out = s->axes[n - 1].dim;
        } else {
            s->axes[n++] = a;
        }
    }
    s->inner = n > 0 && fxi_window_is_plain(&s->axes[n - 1]) ? s->axes[--n].dim : 1;
    if (n == 0) {
        s->axes[n++] = (fxi_window_axis){s->inner, s->inner, 1, 1, 1, 1, 0};
        s->inner = 1;
    }
    s->rank = n;
    fxi_window_set_strides(s);
}

void fxi_window_set_strides(fxi_window_space *s) {
    int64_t from = s->inner, to = s->inner;
    for (int i = s->rank - 1; i >= 0; i--) {
        s->strides[i] = from;
        s->out_strides[i] = to;
        from *= s->axes[i].dim;
        to *= s->axes[i].out;
    }
}

/* Places of the window along an axis, at window `out`, that meet an element: first .. last - 1. */
static void clip_places(const fxi_window_axis *a, int64_t out, int64_t *first, int64_t *last) {
    int64_t start = out * a->stride - a->low;
    *first = fxi_at_least(0, fxi_ceil_div(-start, a->dilation));
    *last = fxi_at_most(a->window, fxi_floor_div(a->dim - 1 - start, a->dilation) + 1);
}

/* The places along the last axis; `from` is the offset of what the other axes say. */
static void visit_last(const fxi_window_space *s, const fxi_window_tile *t, int64_t from,
                       fxi_window_visit visit, void *context) {
    const fxi_window_axis *a = &s->axes[s->rank - 1];
    int64_t first, last, unused, end = t->row + t->rows;
    clip_places(a, end - 1, &first, &unused);
    clip_places(a, t->row, &unused, &last);
    for (int64_t k = first; k < last; k++) {
        int64_t offset = k * a->dilation - a->low;
        int64_t begin = fxi_at_least(t->row, fxi_ceil_div(-offset, a->stride));
        int64_t stop = fxi_at_most(end, fxi_floor_div(a->dim - 1 - offset, a->stride) + 1);
        if (begin < stop)
            visit(context, begin - t->row, stop - begin, from + (begin * a->stride + offset) * s->inner,
                  a->stride * s->inner);
    }
}

void fxi_window_walk(const fxi_window_space *s, const fxi_window_tile *t, fxi_window_visit visit,
                     void *context) {
    int64_t first[FX_MAX_RANK + 1], last[FX_MAX_RANK + 1], place[FX_MAX_RANK + 1], from = t->column;
    int outer = s->rank - 1;
    for (int i = 0; i < outer; i++) {
        const fxi_window_axis *a = &s->axes[i];
        clip_places(a, t->out[i], &first[i], &last[i]);
        if (first[i] >= last[i]) return;
        place[i] = first[i];
        from += (t->out[i] * a->stride - a->low + first[i] * a->dilation) * s->strides[i];
    }
    for (int i = 0; i >= 0;) {
        visit_last(s, t, from, visit, context);
        for (i = outer - 1; i >= 0; i--) {
            int64_t step = s->axes[i].dilation * s->strides[i];
            from += step;
            if (++place[i] < last[i]) break;
            from -= step * (last[i] - first[i]);
            place[i] = first[i];
        }
    }
}
