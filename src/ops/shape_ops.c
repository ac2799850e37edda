/* SPDX-License-Identifier: Apache-2.0 */
/* Builders that move elements: other dimensions, other orders, parts. All of them come down to reshape,
 * transpose, broadcast_in_dim, slice, reverse and concatenate; a call that would change nothing gives back
 * its operand. */
#include "ops/ops.h"
#include <string.h>

/* A span of the caller's: a NULL pointer with a count is an error. */
static bool check_span(const fxi_build *b, const void *v, size_t n, const char *what) {
    if (n == 0 || v) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the %s are NULL", what);
    return false;
}

/* The shape that given dimensions make with x's dtype. */
static bool take_dims(const fxi_build *b, const fx_node *x, fx_dims dims, fx_shape *shape) {
    if (!check_span(b, dims.v, dims.n, "dimensions")) return false;
    *shape = fx_shape_make(x->shape.dtype, dims.v, dims.n);
    if (fx_shape_is_valid(shape)) return true;
    fxi_build_refuse(b, FX_ERROR_SHAPE, "%s are no dimensions of a shape", fxi_dims_text(dims.v, dims.n).s);
    return false;
}

static fx_shape_text dims_of(const fx_node *x) {
    return fxi_dims_text(x->shape.dims, (size_t)x->shape.rank);
}

/* ---- reshape ---- */

static fx_node *reshape_to(const fxi_build *b, fx_node *x, const fx_shape *shape) {
    if (fx_shape_equal_dims(&x->shape, shape)) return x;
    return fxi_build_node(b, FX_OP_RESHAPE, &x, 1, NULL, 0, shape);
}

/* Replaces one -1 by what is left of x's size. */
static bool infer_dim(const fxi_build *b, const fx_node *x, int64_t *dims, size_t n) {
    size_t unknown = n;
    int64_t known = 1, size = fx_shape_size(&x->shape);
    for (size_t i = 0; i < n; i++) {
        if (dims[i] != -1) {
            if (dims[i] >= 0 && !fxi_size_mul(known, dims[i], &known)) known = -1;
            if (known < 0) break;
        } else if (unknown < n) {
            fxi_build_refuse(b, FX_ERROR_SHAPE, "%s has more than one -1", fxi_dims_text(dims, n).s);
            return false;
        } else {
            unknown = i;
        }
    }
    if (unknown == n) return true;
    if (known <= 0 || size % known != 0) {
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%s has %lld elements, from which the -1 of %s cannot be told",
                         dims_of(x).s, (long long)size, fxi_dims_text(dims, n).s);
        return false;
    }
    dims[unknown] = size / known;
    return true;
}

fx_node *fx_reshape(fx_node *x, fx_dims dims) {
    fxi_build b;
    int64_t known[FX_MAX_RANK] = {0};
    fx_shape shape;
    if (!fxi_build_begin(&b, "fx_reshape", &x, 1)) return b.stop;
    if (!check_span(&b, dims.v, dims.n, "dimensions")) return b.stop;
    if (dims.n > 0 && dims.n <= FX_MAX_RANK) {
        memcpy(known, dims.v, dims.n * sizeof *known);
        if (!infer_dim(&b, x, known, dims.n)) return b.stop;
        dims.v = known;
    }
    return take_dims(&b, x, dims, &shape) ? reshape_to(&b, x, &shape) : b.stop;
}

/* The dimensions of a caller's shape. */
static bool take_shape(const fxi_build *b, const fx_node *x, const fx_shape *given, fx_shape *shape) {
    if (given) *shape = *given;
    if (given) shape->dtype = x->shape.dtype;
    if (given && fx_shape_is_valid(shape)) return true;
    const fxi_shape_fault fault = fxi_shape_fault_of(given ? shape : NULL);
    fxi_build_refuse(b, fault.code, "the shape %s", fault.text);
    return false;
}

fx_node *fx_reshape_with_shape(fx_node *x, const fx_shape *shape) {
    fxi_build b;
    fx_shape own;
    if (!fxi_build_begin(&b, "fx_reshape_with_shape", &x, 1)) return b.stop;
    return take_shape(&b, x, shape, &own) ? reshape_to(&b, x, &own) : b.stop;
}

/* ---- axes of size 1 ---- */

/* x with axes of size 1 at the positions of the result that the set names. */
static fx_node *expand(const fxi_build *b, fx_node *x, uint32_t positions, int rank) {
    fx_shape shape = {.dtype = x->shape.dtype, .rank = rank};
    for (int i = 0, from = 0; i < rank; i++) shape.dims[i] = positions >> i & 1 ? 1 : x->shape.dims[from++];
    return reshape_to(b, x, &shape);
}

/* The rank after adding axes; -1, after refusing, when it is too large. */
static int grown_rank(const fxi_build *b, const fx_node *x, size_t added) {
    if (added <= (size_t)(FX_MAX_RANK - x->shape.rank)) return x->shape.rank + (int)added;
    fxi_build_refuse(b, FX_ERROR_SHAPE, "%zu axes more than %s has are more than %d", added,
                     fx_shape_to_text(&x->shape).s, FX_MAX_RANK);
    return -1;
}

fx_node *fx_insert_axes(fx_node *x, fx_axes before) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_insert_axes", &x, 1)) return b.stop;
    if (!check_span(&b, before.v, before.n, "axes")) return b.stop;
    int rank = grown_rank(&b, x, before.n), count[FX_MAX_RANK + 1] = {0};
    if (rank < 0) return b.stop;
    for (size_t i = 0; i < before.n; i++) {
        /* Positions between axes: one more than there are axes. */
        int position = fxi_axis_normalize(before.v[i], x->shape.rank + 1);
        if (position < 0)
            return fxi_build_refuse(&b, FX_ERROR_AXIS, "axis %d is out of range for %s (rank %d)",
                                    before.v[i], fx_shape_to_text(&x->shape).s, x->shape.rank);
        count[position]++;
    }
    uint32_t positions = 0;
    for (int i = 0, to = 0; i <= x->shape.rank; i++, to++)
        for (int k = 0; k < count[i]; k++) positions |= UINT32_C(1) << to++;
    return expand(&b, x, positions, rank);
}

/* The set of distinct positions, each in a result of the given rank. */
static bool take_positions(const fxi_build *b, const fx_node *x, fx_axes axes, int rank, uint32_t *set) {
    *set = 0;
    for (size_t i = 0; i < axes.n; i++) {
        int position = fxi_axis_normalize(axes.v[i], rank);
        if (position < 0) {
            fxi_build_refuse(b, FX_ERROR_AXIS, "axis %d is out of range for the result of %s (rank %d)",
                             axes.v[i], fx_shape_to_text(&x->shape).s, rank);
            return false;
        }
        if (*set >> position & 1) {
            fxi_build_refuse(b, FX_ERROR_AXIS, "axis %d of the result is named twice", position);
            return false;
        }
        *set |= UINT32_C(1) << position;
    }
    return true;
}

fx_node *fx_expand_axes(fx_node *x, fx_axes positions) {
    fxi_build b;
    uint32_t set;
    if (!fxi_build_begin(&b, "fx_expand_axes", &x, 1)) return b.stop;
    if (!check_span(&b, positions.v, positions.n, "axes")) return b.stop;
    int rank = grown_rank(&b, x, positions.n);
    if (rank < 0 || !take_positions(&b, x, positions, rank, &set)) return b.stop;
    return expand(&b, x, set, rank);
}

fx_node *fx_expand_left_to_rank(fx_node *x, int rank) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_expand_left_to_rank", &x, 1)) return b.stop;
    if (rank < x->shape.rank || rank > FX_MAX_RANK)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "rank %d: it must be from %d, the rank of %s, to %d",
                                rank, x->shape.rank, fx_shape_to_text(&x->shape).s, FX_MAX_RANK);
    return expand(&b, x, (UINT32_C(1) << (rank - x->shape.rank)) - 1, rank);
}

fx_node *fx_squeeze(fx_node *x, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, "fx_squeeze", &x, 1) || !fxi_build_axes(&b, x, axes, &list)) return b.stop;
    uint32_t removed = 0;
    for (size_t i = 0; i < list.n; i++) removed |= UINT32_C(1) << list.v[i];
    fx_shape shape = {.dtype = x->shape.dtype};
    for (int i = 0; i < x->shape.rank; i++) {
        bool is_named = removed >> i & 1, is_one = x->shape.dims[i] == 1;
        if (is_named && !is_one)
            return fxi_build_refuse(&b, FX_ERROR_SHAPE, "axis %d of %s is not of size 1", i,
                                    fx_shape_to_text(&x->shape).s);
        if (!is_named && !(list.n == 0 && is_one)) shape.dims[shape.rank++] = x->shape.dims[i];
    }
    return reshape_to(&b, x, &shape);
}

/* ---- transpose and reverse ---- */

static fx_node *permute(const fxi_build *b, fx_node *x, const int64_t *permutation) {
    int rank = x->shape.rank;
    bool changes = false;
    for (int i = 0; i < rank; i++) changes |= permutation[i] != i;
    if (!changes) return x;
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_PERMUTATION, permutation, (size_t)rank);
    return fxi_build_node(b, FX_OP_TRANSPOSE, &x, 1, &attr, 1, NULL);
}

fx_node *fx_transpose(fx_node *x, int axis_a, int axis_b) {
    fxi_build b;
    int64_t first, second, permutation[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_transpose", &x, 1)) return b.stop;
    if (!fxi_build_axis(&b, x, axis_a, &first) || !fxi_build_axis(&b, x, axis_b, &second)) return b.stop;
    for (int i = 0; i < x->shape.rank; i++) permutation[i] = i == first ? second : i == second ? first : i;
    return permute(&b, x, permutation);
}

fx_node *fx_transpose_all_axes(fx_node *x, fx_axes permutation) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, "fx_transpose_all_axes", &x, 1)) return b.stop;
    if (!fxi_build_axes(&b, x, permutation, &list)) return b.stop;
    if (list.n != (size_t)x->shape.rank)
        return fxi_build_refuse(&b, FX_ERROR_AXIS, "%zu axes for %s: all %d must be named", list.n,
                                fx_shape_to_text(&x->shape).s, x->shape.rank);
    return permute(&b, x, list.v);
}

fx_node *fx_reverse(fx_node *x, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, "fx_reverse", &x, 1) || !fxi_build_axes(&b, x, axes, &list)) return b.stop;
    if (list.n == 0 || !fxi_build_reduced_axes(&b, x, axes, &list)) return x; /* which sorts them */
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_AXES, list.v, list.n);
    return fxi_build_node(&b, FX_OP_REVERSE, &x, 1, &attr, 1, NULL);
}

/* ---- broadcast ---- */

fx_node *fx_broadcast_in_dim(fx_node *x, fx_dims dims, fx_axes mapping) {
    fxi_build b;
    fx_shape shape;
    int64_t axes[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_broadcast_in_dim", &x, 1)) return b.stop;
    if (!take_dims(&b, x, dims, &shape) || !check_span(&b, mapping.v, mapping.n, "axes")) return b.stop;
    if (mapping.n != (size_t)x->shape.rank)
        return fxi_build_refuse(&b, FX_ERROR_AXIS, "%zu axes are mapped, but %s has %d", mapping.n,
                                fx_shape_to_text(&x->shape).s, x->shape.rank);
    uint32_t set;
    if (!take_positions(&b, x, mapping, shape.rank, &set)) return b.stop;
    for (size_t i = 0; i < mapping.n; i++) axes[i] = fxi_axis_normalize(mapping.v[i], shape.rank);
    return fxi_build_broadcast(&b, x, &shape, (fx_dims){axes, mapping.n});
}

/* x's axes go, in order, to the axes of the result that the set does not name; each is equal or 1. */
static fx_node *broadcast_around(const fxi_build *b, fx_node *x, const fx_shape *shape, uint32_t new_axes) {
    int64_t axes[FX_MAX_RANK];
    size_t n = 0;
    for (int i = 0; i < shape->rank; i++) {
        if (new_axes >> i & 1) continue;
        int64_t own = x->shape.dims[n];
        if (own != 1 && own != shape->dims[i])
            return fxi_build_refuse(b, FX_ERROR_SHAPE,
                                    "%s does not broadcast to %s: axis %zu has %lld, not %lld", dims_of(x).s,
                                    fxi_dims_text(shape->dims, (size_t)shape->rank).s, n, (long long)own,
                                    (long long)shape->dims[i]);
        axes[n++] = i;
    }
    return fxi_build_broadcast(b, x, shape, (fx_dims){axes, n});
}

fx_node *fx_broadcast_prefix(fx_node *x, fx_dims prefix) {
    fxi_build b;
    fx_shape shape;
    if (!fxi_build_begin(&b, "fx_broadcast_prefix", &x, 1)) return b.stop;
    if (!check_span(&b, prefix.v, prefix.n, "dimensions")) return b.stop;
    int rank = grown_rank(&b, x, prefix.n);
    if (rank < 0) return b.stop;
    int64_t dims[FX_MAX_RANK];
    if (prefix.n) memcpy(dims, prefix.v, prefix.n * sizeof *dims);
    memcpy(dims + prefix.n, x->shape.dims, (size_t)x->shape.rank * sizeof *dims);
    if (!take_dims(&b, x, (fx_dims){dims, (size_t)rank}, &shape)) return b.stop;
    return broadcast_around(&b, x, &shape, (UINT32_C(1) << prefix.n) - 1);
}

fx_node *fx_expand_and_broadcast(fx_node *x, fx_dims dims, fx_axes expanded_axes) {
    fxi_build b;
    fx_shape shape;
    uint32_t set;
    if (!fxi_build_begin(&b, "fx_expand_and_broadcast", &x, 1)) return b.stop;
    if (!take_dims(&b, x, dims, &shape)) return b.stop;
    if (!check_span(&b, expanded_axes.v, expanded_axes.n, "axes")) return b.stop;
    if (!take_positions(&b, x, expanded_axes, shape.rank, &set)) return b.stop;
    if (expanded_axes.n + (size_t)x->shape.rank != (size_t)shape.rank)
        return fxi_build_refuse(&b, FX_ERROR_AXIS,
                                "%zu axes are new and %s has %d: they do not make the %d of %s",
                                expanded_axes.n, fx_shape_to_text(&x->shape).s, x->shape.rank, shape.rank,
                                fxi_dims_text(shape.dims, (size_t)shape.rank).s);
    return broadcast_around(&b, x, &shape, set);
}

static fx_node *broadcast_to(const fxi_build *b, fx_node *x, const fx_shape *shape) {
    if (x->shape.rank > shape->rank)
        return fxi_build_refuse(b, FX_ERROR_SHAPE, "%s has a higher rank than %s", dims_of(x).s,
                                fxi_dims_text(shape->dims, (size_t)shape->rank).s);
    return broadcast_around(b, x, shape, ~UINT32_C(0) << x->shape.rank);
}

fx_node *fx_broadcast_to_dims(fx_node *x, fx_dims dims) {
    fxi_build b;
    fx_shape shape;
    if (!fxi_build_begin(&b, "fx_broadcast_to_dims", &x, 1)) return b.stop;
    return take_dims(&b, x, dims, &shape) ? broadcast_to(&b, x, &shape) : b.stop;
}

fx_node *fx_broadcast_to_shape(fx_node *x, const fx_shape *shape) {
    fxi_build b;
    fx_shape own;
    if (!fxi_build_begin(&b, "fx_broadcast_to_shape", &x, 1)) return b.stop;
    return take_shape(&b, x, shape, &own) ? broadcast_to(&b, x, &own) : b.stop;
}
