/* SPDX-License-Identifier: Apache-2.0 */
/* Composites that move elements along axes: slices by ranges, growing, shifting, rolling, tiling. They come
 * down to slice, concatenate, pad, broadcast and reshape, which the compiler fuses. */
#include "ops/ops.h"
#include <fluxion/indexing.h>

/* ---- ranges ---- */

fx_slice_range fx_axis_all(void) {
    return (fx_slice_range){0};
}
fx_slice_range fx_axis_range(int64_t start, int64_t end) {
    return (fx_slice_range){.start = start, .end = end, .has_end = true};
}
fx_slice_range fx_axis_range_to_end(int64_t start) {
    return (fx_slice_range){.start = start};
}
fx_slice_range fx_axis_range_from_start(int64_t end) {
    return (fx_slice_range){.end = end, .has_end = true};
}
fx_slice_range fx_axis_elem(int64_t index) {
    int64_t end = index < INT64_MAX ? index + 1 : index; /* no axis has such an element */
    return (fx_slice_range){.start = index, .end = end, .has_end = index != -1};
}

/* Which range each axis gets: number in the list, or -1 for all of it. */
static bool assign_ranges(const fxi_build *b, const fx_node *x, fx_slice_ranges_list ranges, int *range_of) {
    size_t rank = (size_t)x->shape.rank, spacer = ranges.n, spacers = 0;
    for (size_t i = 0; i < ranges.n; i++) {
        if (!ranges.v[i].spacer) continue;
        spacer = i;
        spacers++;
    }
    if (spacers > 1 || ranges.n - spacers > rank) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%zu ranges, of which %zu are spacers, for %s", ranges.n,
                         spacers, fx_shape_to_text(&x->shape).s);
        return false;
    }
    size_t repeats = spacers ? rank - (ranges.n - 1) : 0;
    for (size_t axis = 0; axis < rank; axis++) {
        size_t i = axis < spacer ? axis : axis < spacer + repeats ? spacer : axis - repeats + 1;
        range_of[axis] = i < ranges.n ? (int)i : -1;
    }
    return true;
}

fx_node *fx_slice_ranges(fx_node *x, fx_slice_ranges_list ranges) {
    fxi_build b;
    int range_of[FX_MAX_RANK];
    int64_t starts[FX_MAX_RANK], limits[FX_MAX_RANK], strides[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_slice_ranges", &x, 1)) return b.stop;
    if (ranges.n && !ranges.v) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the ranges are NULL");
    if (!assign_ranges(&b, x, ranges, range_of)) return b.stop;
    size_t rank = (size_t)x->shape.rank;
    bool changes = false;
    for (size_t axis = 0; axis < rank; axis++) {
        fx_slice_range r = range_of[axis] >= 0 ? ranges.v[range_of[axis]] : (fx_slice_range){0};
        int64_t dim = x->shape.dims[axis], end = r.has_end ? r.end : dim;
        starts[axis] = r.start < 0 ? r.start + dim : r.start;
        limits[axis] = end < 0 ? end + dim : end;
        strides[axis] = r.stride ? r.stride : 1;
        changes |= starts[axis] != 0 || limits[axis] != dim || strides[axis] != 1;
    }
    if (!changes) return x;
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_STARTS, starts, rank),
                              fxi_attr_ints(FXI_ATTR_LIMITS, limits, rank),
                              fxi_attr_ints(FXI_ATTR_STRIDES, strides, rank)};
    return fxi_build_node(&b, FX_OP_SLICE, &x, 1, attrs, 3, NULL);
}

/* ---- growing and shifting ---- */

static fx_node *fill_like(const fxi_build *b, const fx_node *x, int64_t axis, int64_t n, double value) {
    fx_node *scalar = fxi_build_number(b, x->shape.dtype, value);
    if (scalar->op == FX_OP_INERT) return scalar;
    fx_shape shape = x->shape;
    shape.dims[axis] = n;
    return fxi_build_broadcast(b, scalar, &shape, (fx_dims){NULL, 0});
}

static fx_node *join(fx_node *a, fx_node *b, int64_t axis) {
    fx_node *const both[] = {a, b};
    return fx_concatenate((fx_nodes){both, 2}, (int)axis);
}

static fx_node *grow(const char *name, fx_node *x, int axis, int64_t n, double value, bool left) {
    fxi_build b;
    int64_t at;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_axis(&b, x, axis, &at)) return b.stop;
    if (n < 0)
        return fxi_build_refuse(&b, FX_ERROR_ATTRIBUTE, "%lld elements are fewer than none", (long long)n);
    fx_node *more = fill_like(&b, x, at, n, value);
    if (n == 0) return more->op == FX_OP_INERT ? more : x;
    return left ? join(more, x, at) : join(x, more, at);
}

fx_node *fx_grow_left(fx_node *x, int axis, int64_t n, double value) {
    return grow("fx_grow_left", x, axis, n, value, true);
}
fx_node *fx_grow_right(fx_node *x, int axis, int64_t n, double value) {
    return grow("fx_grow_right", x, axis, n, value, false);
}

static bool check_shift(const fxi_build *b, const fx_node *x, int64_t axis, fx_shift_direction direction,
                        int64_t n) {
    bool known = direction == FX_SHIFT_LEFT || direction == FX_SHIFT_RIGHT;
    if (known && n >= 0 && n <= x->shape.dims[axis]) return true;
    if (known)
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE,
                         "%lld places along axis %lld of %s; they must be from 0 to %lld", (long long)n,
                         (long long)axis, fx_shape_to_text(&x->shape).s, (long long)x->shape.dims[axis]);
    else fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "there is no direction %d", (int)direction);
    return false;
}

/* What stays of x after a shift, with the opened space beside it. */
static fx_node *shifted(fx_node *x, int64_t axis, fx_shift_direction direction, int64_t n, fx_node *opened) {
    int64_t dim = x->shape.dims[axis];
    if (direction == FX_SHIFT_LEFT) return join(fx_slice_axis(x, (int)axis, n, dim, 1), opened, axis);
    return join(opened, fx_slice_axis(x, (int)axis, 0, dim - n, 1), axis);
}

static fx_node *shift_scalar(const char *name, fx_node *x, int axis, fx_shift_direction direction, int64_t n,
                             double fill) {
    fxi_build b;
    int64_t at;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_axis(&b, x, axis, &at)) return b.stop;
    if (!check_shift(&b, x, at, direction, n)) return b.stop;
    fx_node *opened = fill_like(&b, x, at, n, fill);
    if (n == 0) return opened->op == FX_OP_INERT ? opened : x;
    return shifted(x, at, direction, n, opened);
}

fx_node *fx_shift_left(fx_node *x, int64_t n, double fill) {
    return shift_scalar("fx_shift_left", x, -1, FX_SHIFT_LEFT, n, fill);
}
fx_node *fx_shift_right(fx_node *x, int64_t n, double fill) {
    return shift_scalar("fx_shift_right", x, -1, FX_SHIFT_RIGHT, n, fill);
}
fx_node *fx_shift_with_scalar(fx_node *x, int axis, fx_shift_direction direction, int64_t n, double fill) {
    return shift_scalar("fx_shift_with_scalar", x, axis, direction, n, fill);
}

fx_node *fx_shift_with_value(fx_node *x, int axis, fx_shift_direction direction, int64_t n, fx_node *value) {
    fxi_build b;
    int64_t at;
    fx_node *const operands[] = {x, value};
    if (!fxi_build_begin(&b, "fx_shift_with_value", operands, 2) || !fxi_build_axis(&b, x, axis, &at))
        return b.stop;
    if (!check_shift(&b, x, at, direction, n)) return b.stop;
    if (value->shape.dtype != x->shape.dtype)
        return fxi_build_refuse(&b, FX_ERROR_DTYPE,
                                "dtypes %s and %s differ; convert one of them with fx_convert",
                                fx_dtype_name(x->shape.dtype), fx_dtype_name(value->shape.dtype));
    if (n == 0) return x;
    fx_shape space = x->shape;
    space.dims[at] = n;
    return shifted(x, at, direction, n, fx_broadcast_to_shape(value, &space));
}

fx_node *fx_shift(fx_node *x, int axis, fx_shift_direction direction, int64_t n) {
    fxi_build b;
    int64_t at;
    if (!fxi_build_begin(&b, "fx_shift", &x, 1) || !fxi_build_axis(&b, x, axis, &at)) return b.stop;
    if (!check_shift(&b, x, at, direction, n)) return b.stop;
    if (n == 0) return x;
    int64_t edge = direction == FX_SHIFT_LEFT ? x->shape.dims[at] - 1 : 0;
    fx_shape space = x->shape;
    space.dims[at] = n;
    fx_node *last = fx_slice_axis(x, (int)at, edge, edge + 1, 1);
    return shifted(x, at, direction, n, fx_broadcast_to_shape(last, &space));
}

fx_node *fx_consecutive_difference(fx_node *x, int axis, bool preserve_shape) {
    fxi_build b;
    int64_t at;
    if (!fxi_build_begin(&b, "fx_consecutive_difference", &x, 1) || !fxi_build_takes(&b, x, FX_OP_SUB))
        return b.stop;
    if (!fxi_build_axis(&b, x, axis, &at)) return b.stop;
    int64_t dim = x->shape.dims[at];
    if (dim == 0) return x;
    fx_node *later = fx_slice_axis(x, (int)at, 1, dim, 1),
            *earlier = fx_slice_axis(x, (int)at, 0, dim - 1, 1);
    fx_node *difference = fx_sub(later, earlier);
    return preserve_shape ? join(fx_slice_axis(x, (int)at, 0, 1, 1), difference, at) : difference;
}

/* ---- rolling, flipping, moving ---- */

fx_node *fx_roll(fx_node *x, int axis, int64_t n) {
    fxi_build b;
    int64_t at;
    if (!fxi_build_begin(&b, "fx_roll", &x, 1) || !fxi_build_axis(&b, x, axis, &at)) return b.stop;
    int64_t dim = x->shape.dims[at], by = dim > 0 ? n % dim : 0;
    if (by < 0) by += dim;
    if (by == 0) return x;
    return join(fx_slice_axis(x, (int)at, dim - by, dim, 1), fx_slice_axis(x, (int)at, 0, dim - by, 1), at);
}

fx_node *fx_flip(fx_node *x, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, "fx_flip", &x, 1) || !fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_AXES, list.v, list.n);
    return list.n == 0 ? x : fxi_build_node(&b, FX_OP_REVERSE, &x, 1, &attr, 1, NULL);
}

fx_node *fx_moveaxis(fx_node *x, int from, int to) {
    fxi_build b;
    int64_t source, target;
    int permutation[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_moveaxis", &x, 1)) return b.stop;
    if (!fxi_build_axis(&b, x, from, &source) || !fxi_build_axis(&b, x, to, &target)) return b.stop;
    for (int i = 0, next = 0; i < x->shape.rank; i++) {
        if (i == target) {
            permutation[i] = (int)source;
            continue;
        }
        next += next == source;
        permutation[i] = next++;
    }
    return fx_transpose_all_axes(x, (fx_axes){permutation, (size_t)x->shape.rank});
}

/* ---- repeating ---- */

/* x of shape [d0, d1, ...] as [d0, 1, d1, 1, ...] or with the 1 before each, repeated, and merged again. */
static fx_node *repeat_axes(const fxi_build *b, fx_node *x, const int64_t *counts, bool whole) {
    int rank = x->shape.rank;
    int64_t result[FX_MAX_RANK];
    for (int i = 0; i < rank; i++)
        if (counts[i] < 0 || !fxi_size_mul(x->shape.dims[i], counts[i], &result[i]))
            return fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "count %lld of axis %d", (long long)counts[i], i);
    for (int i = 0; i < rank; i++) { /* an axis at a time, so that the rank grows by one only */
        if (counts[i] == 1) continue;
        int64_t dims[FX_MAX_RANK + 1], merged[FX_MAX_RANK];
        int new_axis = whole ? i : i + 1, n = 0;
        if (rank == FX_MAX_RANK) return fxi_build_refuse(b, FX_ERROR_SHAPE, "the operand has too many axes");
        for (int k = 0; k < rank; k++) {
            if (k == i && whole) dims[n++] = counts[i];
            dims[n++] = x->shape.dims[k];
            if (k == i && !whole) dims[n++] = counts[i];
            merged[k] = k == i ? result[i] : x->shape.dims[k];
        }
        x = fx_expand_and_broadcast(x, (fx_dims){dims, (size_t)n}, (fx_axes){&new_axis, 1});
        x = fx_reshape(x, (fx_dims){merged, (size_t)rank});
        if (!x || x->op == FX_OP_INERT) return x;
    }
    return x;
}

fx_node *fx_tile(fx_node *x, fx_dims counts) {
    fxi_build b;
    int64_t all[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_tile", &x, 1)) return b.stop;
    if (counts.n > FX_MAX_RANK || (counts.n && !counts.v))
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "%s",
                                counts.v ? "there are too many counts" : "the counts are NULL");
    if (counts.n > (size_t)x->shape.rank) x = fx_expand_left_to_rank(x, (int)counts.n);
    if (!x || x->op == FX_OP_INERT) return b.stop;
    size_t missing = (size_t)x->shape.rank - counts.n;
    for (size_t i = 0; i < (size_t)x->shape.rank; i++) all[i] = i < missing ? 1 : counts.v[i - missing];
    return repeat_axes(&b, x, all, true);
}

fx_node *fx_repeat(fx_node *x, int axis, int64_t count) {
    fxi_build b;
    int64_t at, counts[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_repeat", &x, 1) || !fxi_build_axis(&b, x, axis, &at)) return b.stop;
    for (int i = 0; i < x->shape.rank; i++) counts[i] = i == at ? count : 1;
    return repeat_axes(&b, x, counts, false);
}

fx_node *fx_meshgrid(fx_nodes vectors, fx_node **out) {
    fxi_build b;
    int64_t dims[FX_MAX_RANK];
    bool ok = fxi_build_begin(&b, "fx_meshgrid", vectors.v, vectors.v ? vectors.n : 0);
    if (ok && (!out || vectors.n > FX_MAX_RANK)) {
        fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "%s",
                         out ? "there are more than 16 vectors" : "the list of results is NULL");
        ok = false;
    }
    for (size_t i = 0; ok && i < vectors.n; i++) {
        const fx_shape *v = &vectors.v[i]->shape;
        dims[i] = v->dims[0];
        if (v->rank == 1) continue;
        fxi_build_refuse(&b, FX_ERROR_SHAPE, "vector %zu is %s", i, fx_shape_to_text(v).s);
        ok = false;
    }
    for (size_t i = vectors.n; out && i-- > 0;) { /* the first last, so that a call stamps them all */
        int axis = (int)i;
        out[i] =
            ok ? fx_broadcast_in_dim(vectors.v[i], (fx_dims){dims, vectors.n}, (fx_axes){&axis, 1}) : b.stop;
    }
    return ok ? out[0] : b.stop;
}
