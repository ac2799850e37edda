/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling: reduce_window over the axes of space, with what the kinds of pooling add to it. Composites; each
 * checks everything first, under its own name, and then calls other builders, which cannot refuse. */
#include "ops/ops.h"
#include <fluxion/indexing.h>
#include <fluxion/pool.h>
#include <fluxion/window.h>
#include <math.h>

#define MOST (INT64_C(1) << 60) /* of any number, so that sums of a few do not overflow */

/* What the options come down to: lists with one number per axis of x, and which axes are pooled. */
typedef struct plan {
    int64_t window[FX_MAX_RANK], strides[FX_MAX_RANK], low[FX_MAX_RANK], high[FX_MAX_RANK],
        windows[FX_MAX_RANK];
    int first, last; /* pooled axes first .. last - 1 */
    int channels;    /* axis; -1: none */
} plan;

/* ---- options ---- */

static bool find_axes(const fxi_build *b, const fx_node *x, const fx_pool_options *o, plan *p) {
    int rank = x->shape.rank;
    *p = (plan){.last = rank, .channels = -1};
    if (o->full_shape) return true;
    if (rank < 3) {
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%s has no axes between batch and channels",
                         fx_shape_to_text(&x->shape).s);
        return false;
    }
    p->first = o->channels_first ? 2 : 1;
    p->last = o->channels_first ? rank : rank - 1;
    p->channels = o->channels_first ? 1 : rank - 1;
    return true;
}

/* Spreads a list over the pooled axes; false after refusing. */
static bool spread(const fxi_build *b, const plan *p, const char *what, fx_dims given, int64_t *list) {
    size_t axes = (size_t)(p->last - p->first);
    if (!given.v || (given.n != 1 && given.n != axes)) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%zu %s for %zu pooled axes", given.n, what, axes);
        return false;
    }
    for (size_t i = 0; i < axes; i++) {
        int64_t v = list[p->first + (int)i] = given.v[given.n == 1 ? 0 : i];
        if (v >= 1 && v <= MOST) continue;
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%s %lld of axis %d is out of range", what, (long long)v,
                         p->first + (int)i);
        return false;
    }
    return true;
}

static bool find_paddings(const fxi_build *b, const fx_pool_options *o, plan *p) {
    size_t axes = (size_t)(p->last - p->first);
    if (o->pad_same && o->paddings.n) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "pad_same and paddings exclude each other");
        return false;
    }
    if (o->paddings.n && (!o->paddings.v || (o->paddings.n != 1 && o->paddings.n != axes))) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%zu paddings for %zu pooled axes", o->paddings.n, axes);
        return false;
    }
    for (int i = p->first; i < p->last; i++) {
        fx_pad_axis pad = {(p->window[i] - 1) / 2, p->window[i] / 2, 0};
        if (o->paddings.n)
            pad = o->paddings.v[o->paddings.n == 1 ? 0 : i - p->first];
        else if (!o->pad_same)
            continue;
        p->low[i] = pad.start;
        p->high[i] = pad.end;
        if (pad.interior == 0 && pad.start >= 0 && pad.end >= 0 && pad.start <= MOST && pad.end <= MOST)
            continue;
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE,
                         "padding %lld, %lld, interior %lld of axis %d is out of range", (long long)pad.start,
                         (long long)pad.end, (long long)pad.interior, i);
        return false;
    }
    return true;
}

static bool count_windows(const fxi_build *b, const fx_node *x, plan *p) {
    for (int i = 0; i < x->shape.rank; i++) {
        int64_t places;
        bool fits = !__builtin_add_overflow(x->shape.dims[i], p->low[i] + p->high[i], &places);
        if (fits && (places == 0 || places >= p->window[i])) {
            p->windows[i] = places ? (places - p->window[i]) / p->strides[i] + 1 : 0;
            continue;
        }
        fxi_build_refuse(
            b, FX_ERROR_SHAPE,
            "a window of %lld places does not fit into axis %d of %s with %lld and %lld places around it",
            (long long)p->window[i], i, fx_shape_to_text(&x->shape).s, (long long)p->low[i],
            (long long)p->high[i]);
        return false;
    }
    return true;
}

static bool begin(fxi_build *b, plan *p, const char *name, fx_node *x, const fx_pool_options *o,
                  fx_op model) {
    if (!fxi_build_begin(b, name, &x, 1) || !fxi_build_takes(b, x, model)) return false;
    if (!o || o->window.n == 0) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the window is missing");
        return false;
    }
    if (!find_axes(b, x, o, p)) return false;
    for (int i = 0; i < x->shape.rank; i++) p->window[i] = p->strides[i] = 1;
    if (!spread(b, p, "window sizes", o->window, p->window)) return false;
    for (int i = p->first; i < p->last; i++) p->strides[i] = o->pad_same ? 1 : p->window[i];
    if (o->strides.n && !spread(b, p, "strides", o->strides, p->strides)) return false;
    return find_paddings(b, o, p) && count_windows(b, x, p);
}

/* ---- pools that are one reduce_window ---- */

static fx_node *pool(const plan *p, fx_node *x, fx_window_kind kind) {
    size_t rank = (size_t)x->shape.rank;
    fx_pad_axis pads[FX_MAX_RANK];
    for (size_t i = 0; i < rank; i++) pads[i] = (fx_pad_axis){p->low[i], p->high[i], 0};
    const fx_window_options options = {
        .window = {p->window, rank}, .strides = {p->strides, rank}, .paddings = {pads, rank}};
    return fx_reduce_window(x, kind, &options);
}

#define POOL(word, kind, model)                                                                              \
    fx_node *fx_##word##_pool(fx_node *x, const fx_pool_options *options) {                                  \
        fxi_build b;                                                                                         \
        plan p;                                                                                              \
        return begin(&b, &p, "fx_" #word "_pool", x, options, model) ? pool(&p, x, kind) : b.stop;           \
    }
POOL(max, FX_WINDOW_MAX, FX_OP_MAX)
POOL(min, FX_WINDOW_MIN, FX_OP_MIN)
POOL(sum, FX_WINDOW_SUM, FX_OP_SUB)

/* ---- mean ---- */

static bool is_padded(const plan *p, int axis) {
    return p->low[axis] > 0 || p->high[axis] > 0;
}

/* Elements under each window along an axis, [1, .., windows, .., 1] of dtype: min(i s + w, low + n) - max(i
 * s, low). */
static fx_node *count_along(const fxi_build *b, const plan *p, const fx_node *x, int axis, fx_dtype dtype) {
    fx_shape shape = {.dtype = FX_S64, .rank = x->shape.rank};
    for (int i = 0; i < shape.rank; i++) shape.dims[i] = i == axis ? p->windows[i] : 1;
    fx_node *start = fx_mul_scalar_int(fx_iota(b->graph, &shape, axis), p->strides[axis]);
    fx_node *end =
        fx_min_scalar_int(fx_add_scalar_int(start, p->window[axis]), p->low[axis] + x->shape.dims[axis]);
    fx_node *count = fx_sub(end, fx_max_scalar_int(start, p->low[axis]));
    return fx_convert(fx_max_scalar_int(count, 0), dtype);
}

/* Divides sums of windows by the numbers of their elements. */
static fx_node *divide(const fxi_build *b, const plan *p, const fx_node *x, fx_node *sums) {
    double plain = 1;
    fx_node *counts = NULL;
    fx_dtype real = fx_dtype_real(sums->shape.dtype);
    for (int i = p->first; i < p->last; i++) {
        if (!is_padded(p, i)) {
            plain *= (double)p->window[i];
            continue;
        }
        fx_node *count = count_along(b, p, x, i, real);
        counts = counts ? fx_mul(counts, count) : count;
    }
    if (counts) counts = fx_convert(fx_mul_scalar(counts, plain), sums->shape.dtype);
    return counts ? fx_div(sums, counts) : fx_div_scalar(sums, plain);
}

static fx_node *widen(fx_node *x) {
    return fx_dtype_is_half(x->shape.dtype) ? fx_convert(x, FX_F32) : x;
}

fx_node *fx_mean_pool(fx_node *x, const fx_pool_options *options) {
    fxi_build b;
    plan p;
    if (!begin(&b, &p, "fx_mean_pool", x, options, FX_OP_EXP)) return b.stop;
    fx_node *sums = pool(&p, widen(x), FX_WINDOW_SUM);
    return sums && sums->op != FX_OP_INERT ? fx_convert(divide(&b, &p, x, sums), x->shape.dtype) : sums;
}

/* ---- norms ---- */

fx_node *fx_lp_pool(fx_node *x, double norm, const fx_pool_options *options) {
    fxi_build b;
    plan p;
    if (!begin(&b, &p, "fx_lp_pool", x, options, FX_OP_ERF)) return b.stop;
    if (!(norm >= 1))
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the norm's p is %g; it must be at least 1", norm);
    fx_dtype dtype = x->shape.dtype;
    fx_node *size = fx_abs(widen(x));
    if (isinf(norm)) return fx_convert(fx_max_scalar(pool(&p, size, FX_WINDOW_MAX), 0), dtype);
    if (norm == 1) return fx_convert(pool(&p, size, FX_WINDOW_SUM), dtype);
    fx_node *sums = pool(&p, norm == 2 ? fx_square(size) : fx_pow_scalar(size, norm), FX_WINDOW_SUM);
    fx_node *root = norm == 2 ? fx_sqrt(sums) : fx_pow_scalar(sums, 1 / norm);
    fx_node *zero = fx_scalar_zero(b.graph, size->shape.dtype);
    return fx_convert(fx_select(fx_is_zero(sums), zero, root), dtype); /* derivative 0 at 0, not infinite */
}

/* ---- concatenation ---- */

enum { MOST_PLACES = 4096 };

static int64_t places_of(const plan *p) {
    int64_t places = 1;
    for (int i = p->first; i < p->last && places <= MOST_PLACES; i++)
        if (__builtin_mul_overflow(places, p->window[i], &places)) return INT64_MAX;
    return places;
}

static fx_node *pad_with_zeros(const fxi_build *b, const plan *p, fx_node *x) {
    fx_pad_axis pads[FX_MAX_RANK] = {{0}};
    bool any = false;
    for (int i = p->first; i < p->last; i++) {
        pads[i] = (fx_pad_axis){p->low[i], p->high[i], 0};
        any |= is_padded(p, i);
    }
    return any ? fx_pad(x, fx_scalar(b->graph, x->shape.dtype, 0), (fx_pads){pads, (size_t)x->shape.rank})
               : x;
}

/* Element `place` of every window. */
static fx_node *slice_place(const plan *p, fx_node *padded, int64_t place) {
    int64_t starts[FX_MAX_RANK] = {0}, limits[FX_MAX_RANK], strides[FX_MAX_RANK];
    size_t rank = (size_t)padded->shape.rank;
    for (int i = 0; i < padded->shape.rank; i++) {
        limits[i] = padded->shape.dims[i];
        strides[i] = 1;
    }
    for (int i = p->last - 1; i >= p->first; i--) {
        starts[i] = place % p->window[i];
        place /= p->window[i];
        strides[i] = p->strides[i];
        limits[i] = p->windows[i] ? starts[i] + (p->windows[i] - 1) * strides[i] + 1 : starts[i];
        if (limits[i] > padded->shape.dims[i]) starts[i] = limits[i] = 0; /* an empty axis */
    }
    return fx_slice(padded, (fx_dims){starts, rank}, (fx_dims){limits, rank}, (fx_dims){strides, rank});
}

fx_node *fx_concat_pool(fx_node *x, const fx_pool_options *options) {
    fxi_build b;
    plan p;
    if (!begin(&b, &p, "fx_concat_pool", x, options, FX_OP_REDUCE)) return b.stop;
    if (p.channels < 0)
        return fxi_build_refuse(&b, FX_ERROR_ATTRIBUTE, "there is no channel axis with full_shape");
    int64_t places = places_of(&p);
    if (places > MOST_PLACES)
        return fxi_build_refuse(&b, FX_ERROR_ATTRIBUTE,
                                "windows of more than %d places cannot be concatenated", MOST_PLACES);
    fx_node *padded = pad_with_zeros(&b, &p, x),
            **parts = fxi_arena_alloc(&b.graph->arena, (size_t)places, sizeof *parts);
    if (!parts) return fxi_build_refuse(&b, FX_ERROR_MEMORY, "out of memory");
    if (!padded || padded->op == FX_OP_INERT) return padded;
    for (int64_t k = 0; k < places; k++) parts[k] = slice_place(&p, padded, k);
    return places == 1 ? parts[0] : fx_concatenate((fx_nodes){parts, (size_t)places}, p.channels);
}
