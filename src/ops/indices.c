/* SPDX-License-Identifier: Apache-2.0 */
/* Indices as values and parts by index. Positions are quotients and remainders of an iota or of the caller's
 * numbers, which fuse into their use; parts at fixed places are slices, others gathers and scatters. */
#include "ops/ops.h"
#include <fluxion/indices.h>

static bool take_dims(const fxi_build *b, fx_dims dims, fx_shape *shape) {
    *shape = fx_shape_make(FX_S64, dims.v, dims.n && !dims.v ? 0 : dims.n);
    if (dims.n && !dims.v)
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the dimensions are NULL");
    else if (dims.n == 0)
        fxi_build_refuse(b, FX_ERROR_SHAPE, "a scalar has no positions");
    else if (!fx_shape_is_valid(shape))
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%s are no dimensions of a shape",
                         fxi_dims_text(dims.v, dims.n).s);
    else
        return true;
    return false;
}

static bool takes_integers(const fxi_build *b, const fx_node *x) {
    return fxi_build_takes(b, x, FX_OP_POPCOUNT);
}

/* ---- positions and flat numbers ---- */

fx_node *fx_indices_for_shape(fx_graph *graph, fx_dims dims) {
    fxi_build b;
    fx_shape shape;
    fx_node *columns[FX_MAX_RANK];
    if (!fxi_build_begin_leaf(&b, "fx_indices_for_shape", graph) || !take_dims(&b, dims, &shape))
        return b.stop;
    const int64_t column[] = {fx_shape_size(&shape), 1};
    for (int i = 0; i < shape.rank; i++)
        columns[i] = fx_reshape(fx_iota(graph, &shape, i), (fx_dims){column, 2});
    return fx_concatenate((fx_nodes){columns, dims.n}, 1);
}

/* Elements that one step along an axis skips; an empty array counts as one element. */
static int64_t stride_of(const fx_shape *shape, int axis) {
    int64_t stride = 1;
    for (int i = axis + 1; i < shape->rank; i++) /* only in an empty array, where all is 0, may it not fit */
        if (!fxi_size_mul(stride, shape->dims[i] > 0 ? shape->dims[i] : 1, &stride)) return 1;
    return stride;
}

/* x as int64 within 0 .. limit - 1. */
static fx_node *clamp_index(fx_node *x, int64_t limit) {
    int64_t last = limit > 0 ? limit - 1 : 0;
    if (x->shape.dtype == FX_U64) x = fx_min_scalar_int(x, INT64_MAX);
    return fx_min_scalar_int(fx_max_scalar_int(fx_convert(x, FX_S64), 0), last);
}

fx_node *fx_unravel_index(fx_node *numbers, fx_dims dims) {
    fxi_build b;
    fx_shape shape;
    fx_node *parts[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_unravel_index", &numbers, 1) || !takes_integers(&b, numbers)) return b.stop;
    if (!take_dims(&b, dims, &shape)) return b.stop;
    fx_node *rest = clamp_index(numbers, fx_shape_size(&shape));
    for (int i = 0; i < shape.rank; i++) {
        int64_t stride = stride_of(&shape, i);
        fx_node *part = stride == 1 ? rest : fx_div_scalar_int(rest, stride);
        parts[i] = fx_convert(part, numbers->shape.dtype);
        rest = stride == 1 ? rest : fx_sub(rest, fx_mul_scalar_int(part, stride));
    }
    return fx_stack((fx_nodes){parts, dims.n}, -1);
}

fx_node *fx_ravel_index(fx_node *positions, fx_dims dims) {
    fxi_build b;
    fx_shape shape;
    if (!fxi_build_begin(&b, "fx_ravel_index", &positions, 1) || !takes_integers(&b, positions))
        return b.stop;
    if (!take_dims(&b, dims, &shape)) return b.stop;
    int rank = positions->shape.rank;
    if (rank == 0 || fx_node_dim(positions, -1) != shape.rank)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "the last axis of %s must have %d, the rank of %s",
                                fx_shape_to_text(&positions->shape).s, shape.rank,
                                fxi_dims_text(dims.v, dims.n).s);
    fx_node *sum = NULL;
    const int last = -1;
    for (int i = 0; i < shape.rank; i++) {
        fx_node *part = fx_squeeze(fx_slice_axis(positions, -1, i, i + 1, 1), (fx_axes){&last, 1});
        part = fx_mul_scalar_int(clamp_index(part, shape.dims[i]), stride_of(&shape, i));
        sum = sum ? fx_add(sum, part) : part;
    }
    return sum;
}

/* ---- parts by index ---- */

/* A slice's starts and limits for a position in the first axes. */
typedef struct place {
    int64_t starts[FX_MAX_RANK], limits[FX_MAX_RANK];
    fx_shape part; /* without those axes */
} place;

static bool take_place(const fxi_build *b, const fx_node *x, fx_dims index, place *p) {
    if (index.n && !index.v) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the index is NULL");
        return false;
    }
    p->part = (fx_shape){.dtype = x->shape.dtype};
    bool fits = index.n <= (size_t)x->shape.rank;
    for (int i = 0; fits && i < x->shape.rank; i++) {
        int64_t dim = x->shape.dims[i];
        p->starts[i] = 0;
        p->limits[i] = dim;
        if ((size_t)i >= index.n) {
            p->part.dims[p->part.rank++] = dim;
            continue;
        }
        fits = index.v[i] >= -dim && index.v[i] < dim;
        if (!fits) break;
        p->starts[i] = index.v[i] < 0 ? index.v[i] + dim : index.v[i];
        p->limits[i] = p->starts[i] + 1;
    }
    if (!fits)
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "the index %s lies outside %s",
                         fxi_dims_text(index.v, index.n).s, fx_shape_to_text(&x->shape).s);
    return fits;
}

fx_node *fx_part_at(fx_node *x, fx_dims index) {
    fxi_build b;
    place p;
    if (!fxi_build_begin(&b, "fx_part_at", &x, 1) || !take_place(&b, x, index, &p)) return b.stop;
    size_t rank = (size_t)x->shape.rank;
    fx_node *part = fx_slice(x, (fx_dims){p.starts, rank}, (fx_dims){p.limits, rank}, (fx_dims){NULL, 0});
    return fx_reshape_with_shape(part, &p.part);
}

/* A value of the wanted dimensions, or a scalar that is repeated to them. */
static fx_node *take_value(const fxi_build *b, const fx_node *x, fx_node *value, const fx_shape *wanted) {
    if (!fxi_build_same(b, x, value)) return b->stop;
    if (value->shape.rank == 0 || fx_shape_equal_dims(&value->shape, wanted))
        return fx_broadcast_to_shape(value, wanted);
    return fxi_build_refuse(b, FX_ERROR_SHAPE, "the value is %s; it must be a scalar or %s",
                            fx_shape_to_text(&value->shape).s, fx_shape_to_text(wanted).s);
}

fx_node *fx_update_at(fx_node *x, fx_dims index, fx_node *value) {
    fxi_build b;
    place p;
    fx_node *starts[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_update_at", (fx_node *const[]){x, value}, 2)) return b.stop;
    if (!take_place(&b, x, index, &p)) return b.stop;
    fx_node *update = take_value(&b, x, value, &p.part);
    fx_shape window = x->shape;
    for (int i = 0; i < x->shape.rank; i++) {
        window.dims[i] = p.limits[i] - p.starts[i];
        starts[i] = fx_scalar_int(b.graph, FX_S64, p.starts[i]);
    }
    update = fx_reshape_with_shape(update, &window);
    return index.n ? fx_dynamic_update_slice(x, update, (fx_nodes){starts, (size_t)x->shape.rank}) : update;
}

fx_node *fx_put(fx_node *x, fx_node *indices, fx_node *values, int axis, fx_scatter_kind kind) {
    fxi_build b;
    int64_t at;
    fx_shape wanted = {0};
    int window[FX_MAX_RANK], n = 0;
    if (!fxi_build_begin(&b, "fx_put", (fx_node *const[]){x, indices, values}, 3)) return b.stop;
    if (!fxi_build_axis(&b, x, axis, &at) || !takes_integers(&b, indices)) return b.stop;
    int rank = x->shape.rank - 1 + indices->shape.rank, own = (int)at;
    if (rank > FX_MAX_RANK)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s at indices %s has more than %d axes",
                                fx_shape_to_text(&x->shape).s, fx_shape_to_text(&indices->shape).s,
                                FX_MAX_RANK);
    wanted.dtype = x->shape.dtype;
    for (int i = 0; i < x->shape.rank; i++) {
        for (int k = 0; i == own && k < indices->shape.rank; k++)
            wanted.dims[wanted.rank++] = indices->shape.dims[k];
        if (i == own) continue;
        window[n++] = wanted.rank;
        wanted.dims[wanted.rank++] = x->shape.dims[i];
    }
    fx_node *updates = take_value(&b, x, values, &wanted);
    const fx_scatter_options options = {.size = sizeof options,
                                        .window_axes = {window, (size_t)n},
                                        .inserted_axes = {&own, 1},
                                        .index_map = {&own, 1},
                                        .index_axis = indices->shape.rank};
    return fx_scatter_general(x, fx_normalize_indices(x, indices, own), updates, kind, &options);
}

/* ---- assertions ---- */

fx_node *fx_assert_dims(fx_node *x, fx_dims dims) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_assert_dims", &x, 1)) return b.stop;
    if (dims.n && !dims.v) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the dimensions are NULL");
    bool fits = dims.n == (size_t)x->shape.rank;
    for (size_t i = 0; fits && i < dims.n; i++) fits = dims.v[i] == -1 || dims.v[i] == x->shape.dims[i];
    if (fits) return x;
    return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s is not %s", fx_shape_to_text(&x->shape).s,
                            fxi_dims_text(dims.v, dims.n).s);
}

fx_node *fx_assert_rank(fx_node *x, int rank) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_assert_rank", &x, 1)) return b.stop;
    if (x->shape.rank == rank) return x;
    return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s has rank %d, not %d", fx_shape_to_text(&x->shape).s,
                            x->shape.rank, rank);
}

fx_node *fx_assert_scalar(fx_node *x) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_assert_scalar", &x, 1)) return b.stop;
    if (x->shape.rank == 0) return x;
    return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s is not a scalar", fx_shape_to_text(&x->shape).s);
}
