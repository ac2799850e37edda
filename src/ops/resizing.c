/* SPDX-License-Identifier: Apache-2.0 */
/* Adaptive pooling and interpolation, one axis after the other. Sizes are known while building, so which
 * elements make up each result is computed here, in double, and becomes constants: a gather along the axis,
 * weights, and windows. Half types are widened before the first axis and rounded after the last. */
#include "ops/ops.h"
#include <fluxion/indexing.h>
#include <fluxion/pool.h>
#include <fluxion/window.h>
#include <math.h>

static fx_node *widen(fx_node *x) {
    return fx_dtype_is_half(x->shape.dtype) ? fx_convert(x, FX_F32) : x;
}

static bool is_inert(const fx_node *node) {
    return !node || node->op == FX_OP_INERT;
}

/* A vector of constants of dtype along an axis of rank dimensions: element i is value(context, i). */
typedef double (*value_fn)(const void *context, int64_t i);
static fx_node *vector(const fxi_build *b, fx_dtype dtype, int64_t n, int rank, int axis, value_fn value,
                       const void *context) {
    fx_error err = {.code = FX_OK};
    fx_shape shape = {.dtype = dtype, .rank = rank};
    for (int i = 0; i < rank; i++) shape.dims[i] = i == axis ? n : 1;
    fx_tensor *t = fx_tensor_new(&shape, &err);
    if (!t)
        return fxi_build_refuse(b, FX_ERROR_MEMORY, "a vector of %lld elements: %s", (long long)n,
                                err.message);
    for (int64_t i = 0; i < n; i++) {
        double v = value(context, i);
        fxi_element_store(dtype, t->data, i, (fxi_scalar){.i = (int64_t)v, .re = v});
    }
    fx_node *node = fx_constant(b->graph, t);
    fx_tensor_free(t);
    return node;
}

/* x at the given places of an axis. */
static fx_node *gather_along(const fxi_build *b, fx_node *x, int axis, int64_t n, value_fn place,
                             const void *context) {
    fx_node *places = vector(b, FX_S64, n, 1, 0, place, context);
    if (is_inert(x) || is_inert(places)) return b->stop;
    int others[FX_MAX_RANK];
    int64_t sizes[FX_MAX_RANK];
    size_t count = 0;
    for (int i = 0; i < x->shape.rank; i++) {
        sizes[i] = i == axis ? 1 : x->shape.dims[i];
        if (i != axis) others[count++] = i;
    }
    const fx_gather_options options = {.offset_axes = {others, count},
                                       .collapsed_axes = {&axis, 1},
                                       .start_index_map = {&axis, 1},
                                       .index_axis = 1,
                                       .slice_sizes = {sizes, (size_t)x->shape.rank}};
    return fx_gather_general(x, places, &options);
}

/* ---- adaptive pooling ---- */

/* Bins of an axis of n elements. Larger numbers than a double holds cannot be built: no tensor has them. */
typedef struct bins {
    int64_t n, m, longest;
} bins;

/* floor(i n / m) without overflow. */
static int64_t bin_start(const bins *s, int64_t i) {
    return i * (s->n / s->m) + i * (s->n % s->m) / s->m;
}
static int64_t bin_end(const bins *s, int64_t i) {
    return (i + 1) * (s->n / s->m) + ((i + 1) * (s->n % s->m) + s->m - 1) / s->m;
}

static double bin_place(const void *context, int64_t at) {
    const bins *s = context;
    int64_t i = at / s->longest, place = bin_start(s, i) + at % s->longest, last = bin_end(s, i) - 1;
    return (double)(place < last ? place : last);
}
/* 1 at the places that are not there to fill up. */
static double bin_counts(const void *context, int64_t at) {
    const bins *s = context;
    int64_t i = at / s->longest;
    return at % s->longest < bin_end(s, i) - bin_start(s, i);
}
static double bin_size(const void *context, int64_t i) {
    return (double)(bin_end(context, i) - bin_start(context, i));
}

static fx_node *pool_bins(fx_node *x, int axis, int64_t window, fx_window_kind kind) {
    int64_t sizes[FX_MAX_RANK];
    for (int i = 0; i < x->shape.rank; i++) sizes[i] = i == axis ? window : 1;
    const fx_window_options options = {.window = {sizes, (size_t)x->shape.rank}};
    return fx_reduce_window(x, kind, &options);
}

static fx_node *pool_axis(const fxi_build *b, fx_node *x, int axis, int64_t m, bool mean) {
    bins s = {x->shape.dims[axis], m, 0};
    if (s.n == m) return x;
    fx_window_kind kind = mean ? FX_WINDOW_SUM : FX_WINDOW_MAX;
    if (s.n % m == 0) {
        fx_node *pooled = pool_bins(x, axis, s.n / m, kind);
        return mean && !is_inert(pooled) ? fx_div_scalar(pooled, (double)(s.n / m)) : pooled;
    }
    for (int64_t i = 0; i < m; i++)
        if (bin_end(&s, i) - bin_start(&s, i) > s.longest) s.longest = bin_end(&s, i) - bin_start(&s, i);
    fx_node *spread = gather_along(b, x, axis, m * s.longest, bin_place, &s);
    if (is_inert(spread) || !mean)
        return is_inert(spread) ? spread : pool_bins(spread, axis, s.longest, kind);
    int rank = x->shape.rank;
    fx_node *counted =
        fx_broadcast_to_shape(vector(b, FX_BOOL, m * s.longest, rank, axis, bin_counts, &s), &spread->shape);
    fx_node *sums = pool_bins(fx_select(counted, spread, fx_zeros_like(spread)), axis, s.longest, kind);
    fx_node *sizes = vector(b, fx_dtype_real(x->shape.dtype), m, rank, axis, bin_size, &s);
    return is_inert(sums) || is_inert(sizes) ? b->stop : fx_div(sums, fx_convert(sizes, x->shape.dtype));
}

static bool check_sizes(const fxi_build *b, const fx_node *x, fx_dims sizes, int first, int axes) {
    if (axes < 1 || !sizes.v || (sizes.n != 1 && sizes.n != (size_t)axes)) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%zu sizes for %d axes of space of %s", sizes.n,
                         axes > 0 ? axes : 0, fx_shape_to_text(&x->shape).s);
        return false;
    }
    for (int i = 0; i < axes; i++) {
        int64_t m = sizes.v[sizes.n == 1 ? 0 : i], n = x->shape.dims[first + i];
        if (m < 0 || (m > 0 && n > 0 && m <= INT32_MAX && n < INT64_C(1) << 53)) continue;
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE,
                         "%lld elements of axis %d, which has %lld: both must be at least 1", (long long)m,
                         first + i, (long long)n);
        return false;
    }
    return true;
}

static fx_node *adaptive_pool(const char *name, fx_node *x, fx_dims sizes, bool channels_first, bool mean) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_takes(&b, x, mean ? FX_OP_EXP : FX_OP_MAX))
        return b.stop;
    int first = channels_first ? 2 : 1, axes = x->shape.rank - 2;
    if (!check_sizes(&b, x, sizes, first, axes)) return b.stop;
    fx_node *pooled = mean ? widen(x) : x;
    for (int i = 0; i < axes && !is_inert(pooled); i++) {
        int64_t m = sizes.v[sizes.n == 1 ? 0 : i];
        if (m > 0) pooled = pool_axis(&b, pooled, first + i, m, mean);
    }
    return is_inert(pooled) ? b.stop : fx_convert(pooled, x->shape.dtype);
}

fx_node *fx_adaptive_mean_pool(fx_node *x, fx_dims sizes, bool channels_first) {
    return adaptive_pool("fx_adaptive_mean_pool", x, sizes, channels_first, true);
}
fx_node *fx_adaptive_max_pool(fx_node *x, fx_dims sizes, bool channels_first) {
    return adaptive_pool("fx_adaptive_max_pool", x, sizes, channels_first, false);
}

/* ---- interpolation ---- */

typedef struct resize {
    int64_t n, m;
    bool nearest, align, half_pixel;
} resize;

/* Where result i lies, in elements; not yet kept inside. */
static double position(const resize *r, int64_t i) {
    double n = (double)r->n, m = (double)r->m, at = (double)i;
    if (r->align) return r->m > 1 ? at * (n - 1) / (m - 1) : 0;
    if (!r->half_pixel) return at * n / m;
    return r->nearest ? (at + 0.5) * n / m : (at + 0.5) * n / m - 0.5;
}

static double keep_inside(double v, int64_t n) {
    return v < 0 ? 0 : v > (double)(n - 1) ? (double)(n - 1) : v;
}

static double nearest_place(const void *context, int64_t i) {
    const resize *r = context;
    double at = position(r, i);
    return keep_inside(r->align ? nearbyint(at) : floor(at), r->n);
}
static double lower_place(const void *context, int64_t i) {
    const resize *r = context;
    return floor(keep_inside(position(r, i), r->n));
}
static double upper_place(const void *context, int64_t i) {
    const resize *r = context;
    return keep_inside(lower_place(context, i) + 1, r->n);
}
static double upper_weight(const void *context, int64_t i) {
    const resize *r = context;
    return keep_inside(position(r, i), r->n) - lower_place(context, i);
}
static double lower_weight(const void *context, int64_t i) {
    return 1 - upper_weight(context, i);
}

/* A weight of 0 takes nothing, not even of an infinite neighbour. */
static fx_node *weighted(const fxi_build *b, fx_node *x, int axis, const resize *r, value_fn place,
                         value_fn weight) {
    fx_node *taken = gather_along(b, x, axis, r->m, place, r);
    fx_node *weights = vector(b, fx_dtype_real(x->shape.dtype), r->m, x->shape.rank, axis, weight, r);
    if (is_inert(taken) || is_inert(weights)) return b->stop;
    return fx_strong_mul(fx_convert(weights, x->shape.dtype), taken);
}

static fx_node *resize_axis(const fxi_build *b, fx_node *x, int axis, const resize *r) {
    if (r->nearest) return gather_along(b, x, axis, r->m, nearest_place, r);
    fx_node *lower = weighted(b, x, axis, r, lower_place, lower_weight);
    fx_node *upper = weighted(b, x, axis, r, upper_place, upper_weight);
    return is_inert(lower) || is_inert(upper) ? b->stop : fx_add(lower, upper);
}

static bool check_resize(const fxi_build *b, const fx_node *x, fx_dims sizes,
                         const fx_interpolate_options *o) {
    if (o->align_corners && o->half_pixel_centers > 0) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "align_corners and half_pixel_centers exclude each other");
        return false;
    }
    if (sizes.n != (size_t)x->shape.rank || (sizes.n && !sizes.v)) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%zu sizes for %s, which has rank %d", sizes.n,
                         fx_shape_to_text(&x->shape).s, x->shape.rank);
        return false;
    }
    for (int i = 0; i < x->shape.rank; i++) {
        int64_t n = x->shape.dims[i], m = sizes.v[i], most = INT64_C(1) << 53;
        if (m < 0 || m == n || (m > 0 && n > 0 && m < most && n < most)) continue;
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE,
                         "%lld elements of axis %d, which has %lld: both must be at least 1", (long long)m, i,
                         (long long)n);
        return false;
    }
    return true;
}

fx_node *fx_interpolate(fx_node *x, fx_dims sizes, const fx_interpolate_options *options) {
    static const fx_interpolate_options defaults;
    const fx_interpolate_options *o = options ? options : &defaults;
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_interpolate", &x, 1)) return b.stop;
    if (!o->nearest && !fxi_build_takes(&b, x, FX_OP_EXP)) return b.stop;
    if (!check_resize(&b, x, sizes, o)) return b.stop;
    fx_node *resized = o->nearest ? x : widen(x);
    for (int i = 0; i < x->shape.rank && !is_inert(resized); i++) {
        resize r = {x->shape.dims[i], sizes.v[i], o->nearest, o->align_corners, o->half_pixel_centers >= 0};
        if (r.m >= 0 && r.m != r.n) resized = resize_axis(&b, resized, i, &r);
    }
    return is_inert(resized) ? b.stop : fx_convert(resized, x->shape.dtype);
}
