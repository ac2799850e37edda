/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of padding, dynamic slices, gather and scatter. The short forms fill in the attributes of the
 * general primitives; what can be wrong about shapes is said by the shape rules, under the builder's name. */
#include "ops/ops.h"
#include <fluxion/indexing.h>

/* ---- pad ---- */

fx_node *fx_pad(fx_node *x, fx_node *value, fx_pads pads) {
    fxi_build b;
    fx_node *const operands[] = {x, value};
    int64_t low[FX_MAX_RANK] = {0}, high[FX_MAX_RANK] = {0}, interior[FX_MAX_RANK] = {0};
    if (!fxi_build_begin(&b, "fx_pad", operands, 2)) return b.stop;
    if (pads.n && !pads.v) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the pads are NULL");
    if (pads.n > (size_t)x->shape.rank)
        return fxi_build_refuse(&b, FX_ERROR_ATTRIBUTE, "%zu pads for %s, which has rank %d", pads.n,
                                fx_shape_to_text(&x->shape).s, x->shape.rank);
    bool changes = false;
    for (size_t i = 0; i < pads.n; i++) {
        low[i] = pads.v[i].start;
        high[i] = pads.v[i].end;
        interior[i] = pads.v[i].interior;
        changes |= low[i] != 0 || high[i] != 0 || interior[i] != 0;
    }
    size_t rank = (size_t)x->shape.rank;
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_LOW, low, rank),
                              fxi_attr_ints(FXI_ATTR_HIGH, high, rank),
                              fxi_attr_ints(FXI_ATTR_INTERIOR, interior, rank)};
    fx_node *result = fxi_build_node(&b, FX_OP_PAD, operands, 2, attrs, 3, NULL);
    return changes || !result || result->op == FX_OP_INERT ? result : x;
}

/* ---- dynamic slices ---- */

/* The operand, an update when there is one, and the starts, in one list. */
static fx_node *build_dynamic(const char *name, fx_op op, fx_node *x, fx_node *update, fx_nodes starts,
                              const fxi_attr *attrs, size_t attr_count) {
    fxi_build b;
    fx_node *operands[2 + FX_MAX_RANK] = {x, update};
    size_t first = op == FX_OP_DYNAMIC_SLICE ? 1 : 2, n = starts.v && starts.n <= FX_MAX_RANK ? starts.n : 0;
    for (size_t i = 0; i < n; i++) operands[first + i] = starts.v[i];
    if (!fxi_build_begin(&b, name, operands, first + n)) return b.stop;
    if (starts.n != n)
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "%s",
                                starts.v ? "there are more starts than axes" : "the starts are NULL");
    return fxi_build_node(&b, op, operands, first + n, attrs, attr_count, NULL);
}

fx_node *fx_dynamic_slice(fx_node *x, fx_nodes starts, fx_dims sizes) {
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_SIZES, sizes.v, sizes.n);
    return build_dynamic("fx_dynamic_slice", FX_OP_DYNAMIC_SLICE, x, NULL, starts, &attr, 1);
}

fx_node *fx_dynamic_update_slice(fx_node *x, fx_node *update, fx_nodes starts) {
    return build_dynamic("fx_dynamic_update_slice", FX_OP_DYNAMIC_UPDATE_SLICE, x, update, starts, NULL, 0);
}

/* ---- the general forms ---- */

typedef struct lists {
    fxi_axis_list window, dropped, own, other, map;
} lists;

static bool take_list(const fxi_build *b, fx_axes axes, fxi_axis_list *list) {
    list->n = 0;
    if (axes.n > FX_MAX_RANK || (axes.n && !axes.v)) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "%s",
                         axes.v ? "a list has more than 16 axes" : "a list of axes is NULL");
        return false;
    }
    for (size_t i = 0; i < axes.n; i++) list->v[list->n++] = axes.v[i];
    return true;
}

static fxi_attr list_attr(fxi_attr_id id, const fxi_axis_list *list) {
    return fxi_attr_ints(id, list->v, list->n);
}

static fx_node *gather_node(const fxi_build *b, fx_node *const *operands, const lists *l, fx_dims sizes,
                            int64_t axis) {
    const fxi_attr attrs[] = {
        fxi_attr_ints(FXI_ATTR_SIZES, sizes.v, sizes.n), list_attr(FXI_ATTR_WINDOW_AXES, &l->window),
        list_attr(FXI_ATTR_DROPPED_AXES, &l->dropped),   list_attr(FXI_ATTR_OPERAND_BATCH, &l->own),
        list_attr(FXI_ATTR_INDICES_BATCH, &l->other),    list_attr(FXI_ATTR_INDEX_MAP, &l->map),
        fxi_attr_int(FXI_ATTR_INDEX_AXIS, axis)};
    return fxi_build_node(b, FX_OP_GATHER, operands, 2, attrs, 7, NULL);
}

static fx_node *scatter_node(const fxi_build *b, fx_node *const *operands, const lists *l, int64_t kind,
                             int64_t axis) {
    const fxi_attr attrs[] = {
        fxi_attr_int(FXI_ATTR_COMBINE, kind),          list_attr(FXI_ATTR_WINDOW_AXES, &l->window),
        list_attr(FXI_ATTR_DROPPED_AXES, &l->dropped), list_attr(FXI_ATTR_OPERAND_BATCH, &l->own),
        list_attr(FXI_ATTR_INDICES_BATCH, &l->other),  list_attr(FXI_ATTR_INDEX_MAP, &l->map),
        fxi_attr_int(FXI_ATTR_INDEX_AXIS, axis)};
    return fxi_build_node(b, FX_OP_SCATTER, operands, 3, attrs, 7, NULL);
}

fx_node *fx_gather_general(fx_node *x, fx_node *indices, const fx_gather_options *o) {
    fxi_build b;
    lists l;
    fx_node *const operands[] = {x, indices};
    if (!fxi_build_begin(&b, "fx_gather_general", operands, 2)) return b.stop;
    if (!o) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the options are NULL");
    bool ok = take_list(&b, o->offset_axes, &l.window) && take_list(&b, o->collapsed_axes, &l.dropped) &&
              take_list(&b, o->operand_batch_axes, &l.own) &&
              take_list(&b, o->indices_batch_axes, &l.other) && take_list(&b, o->start_index_map, &l.map);
    return ok ? gather_node(&b, operands, &l, o->slice_sizes, o->index_axis) : b.stop;
}

fx_node *fx_scatter_general(fx_node *x, fx_node *indices, fx_node *updates, fx_scatter_kind kind,
                            const fx_scatter_options *o) {
    fxi_build b;
    lists l;
    fx_node *const operands[] = {x, indices, updates};
    if (!fxi_build_begin(&b, "fx_scatter_general", operands, 3)) return b.stop;
    if (!o) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the options are NULL");
    bool ok = take_list(&b, o->window_axes, &l.window) && take_list(&b, o->inserted_axes, &l.dropped) &&
              take_list(&b, o->operand_batch_axes, &l.own) &&
              take_list(&b, o->indices_batch_axes, &l.other) && take_list(&b, o->index_map, &l.map);
    return ok ? scatter_node(&b, operands, &l, (int64_t)kind, o->index_axis) : b.stop;
}

/* ---- indices [o..., N] into the first N axes ---- */

/* Lists for that form; indices of rank 0 count as [1], without a node for it: they have no index axis. */
static bool leading_lists(const fxi_build *b, const fx_node *x, const fx_node *indices, lists *l) {
    int batch = indices->shape.rank > 0 ? indices->shape.rank - 1 : 0;
    int64_t components = indices->shape.rank > 0 ? indices->shape.dims[batch] : 1;
    *l = (lists){0};
    if (components > x->shape.rank) {
        fxi_build_refuse(b, FX_ERROR_SHAPE, "indices of %lld components for %s, which has rank %d",
                         (long long)components, fx_shape_to_text(&x->shape).s, x->shape.rank);
        return false;
    }
    for (int i = 0; i < x->shape.rank; i++) {
        if (i < components) {
            l->map.v[l->map.n++] = i;
            l->dropped.v[l->dropped.n++] = i;
        } else {
            l->window.v[l->window.n++] = batch + i - components;
        }
    }
    return true;
}

/* The index axis: the last, or none. */
static int64_t last_axis(const fx_node *indices) {
    return indices->shape.rank > 0 ? indices->shape.rank - 1 : 0;
}

fx_node *fx_gather(fx_node *x, fx_node *indices) {
    fxi_build b;
    lists l;
    fx_node *const operands[] = {x, indices};
    int64_t sizes[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_gather", operands, 2) || !leading_lists(&b, x, indices, &l)) return b.stop;
    for (int i = 0; i < x->shape.rank; i++)
        sizes[i] = i < (int)l.map.n && x->shape.dims[i] > 0 ? 1 : x->shape.dims[i];
    return gather_node(&b, operands, &l, (fx_dims){sizes, (size_t)x->shape.rank}, last_axis(indices));
}

fx_node *fx_gather_slices(fx_node *x, fx_axes sliced_axes, fx_node *starts, fx_dims sizes) {
    fxi_build b;
    lists l = {0};
    fx_node *const operands[] = {x, starts};
    int64_t all[FX_MAX_RANK];
    if (!fxi_build_begin(&b, "fx_gather_slices", operands, 2) || !fxi_build_axes(&b, x, sliced_axes, &l.map))
        return b.stop;
    if (sizes.n != l.map.n || (sizes.n && !sizes.v))
        return fxi_build_refuse(&b, FX_ERROR_ATTRIBUTE, "%zu sizes for %zu sliced axes",
                                sizes.v ? sizes.n : 0, l.map.n);
    for (size_t i = 1; i < l.map.n; i++)
        if (l.map.v[i - 1] >= l.map.v[i])
            return fxi_build_refuse(&b, FX_ERROR_AXIS, "the sliced axes are not increasing");
    for (int i = 0; i < x->shape.rank; i++) {
        all[i] = x->shape.dims[i];
        l.window.v[l.window.n++] = last_axis(starts) + i;
    }
    for (size_t i = 0; i < l.map.n; i++) all[l.map.v[i]] = sizes.v[i];
    return gather_node(&b, operands, &l, (fx_dims){all, (size_t)x->shape.rank}, last_axis(starts));
}

static fx_node *scatter_leading(const char *name, int64_t kind, fx_node *x, fx_node *indices,
                                fx_node *updates) {
    fxi_build b;
    lists l;
    fx_node *const operands[] = {x, indices, updates};
    if (!fxi_build_begin(&b, name, operands, 3) || !leading_lists(&b, x, indices, &l)) return b.stop;
    return scatter_node(&b, operands, &l, kind, last_axis(indices));
}

fx_node *fx_scatter_sum(fx_node *x, fx_node *indices, fx_node *updates) {
    return scatter_leading("fx_scatter_sum", FXI_SCATTER_SUM, x, indices, updates);
}
fx_node *fx_scatter_mul(fx_node *x, fx_node *indices, fx_node *updates) {
    return scatter_leading("fx_scatter_mul", FXI_SCATTER_PRODUCT, x, indices, updates);
}
fx_node *fx_scatter_max(fx_node *x, fx_node *indices, fx_node *updates) {
    return scatter_leading("fx_scatter_max", FXI_SCATTER_MAX, x, indices, updates);
}
fx_node *fx_scatter_min(fx_node *x, fx_node *indices, fx_node *updates) {
    return scatter_leading("fx_scatter_min", FXI_SCATTER_MIN, x, indices, updates);
}
fx_node *fx_scatter_update(fx_node *x, fx_node *indices, fx_node *updates) {
    return scatter_leading("fx_scatter_update", FXI_SCATTER_UPDATE, x, indices, updates);
}

fx_node *fx_scatter(fx_node *indices, fx_node *updates, const fx_shape *shape) {
    fxi_build b;
    fx_node *const operands[] = {indices, updates};
    if (!fxi_build_begin(&b, "fx_scatter", operands, 2)) return b.stop;
    if (!shape) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the shape is NULL");
    return scatter_leading("fx_scatter", FXI_SCATTER_SUM, fx_zeros(b.graph, shape), indices, updates);
}

/* ---- along an axis ---- */

/* Under the name of the builder that asks. */
static fx_node *normalized(const fxi_build *b, const fx_node *x, fx_node *indices, int64_t axis) {
    fx_dtype dtype = indices->shape.dtype;
    if (!fx_dtype_is_integer(dtype))
        return fxi_build_refuse(b, FX_ERROR_DTYPE, "the indices are %s; they must be integers",
                                fx_dtype_name(dtype));
    int64_t dim = x->shape.dims[axis];
    if (!fx_dtype_is_signed(dtype)) return indices;
    if (dim > INT64_MAX >> (64 - fx_dtype_bits(dtype))) /* the sum needs more room */
        indices = fx_convert(indices, FX_S64);
    return fx_where(fx_is_negative(indices), fx_add_scalar_int(indices, dim), indices);
}

fx_node *fx_normalize_indices(fx_node *x, fx_node *indices, int axis) {
    fxi_build b;
    int64_t at;
    fx_node *const operands[] = {x, indices};
    if (!fxi_build_begin(&b, "fx_normalize_indices", operands, 2) || !fxi_build_axis(&b, x, axis, &at))
        return b.stop;
    return normalized(&b, x, indices, at);
}

fx_node *fx_take(fx_node *x, fx_node *indices, int axis) {
    fxi_build b;
    lists l = {0};
    int64_t at, sizes[FX_MAX_RANK];
    fx_node *operands[] = {x, indices};
    if (!fxi_build_begin(&b, "fx_take", operands, 2) || !fxi_build_axis(&b, x, axis, &at)) return b.stop;
    operands[1] = normalized(&b, x, indices, at);
    for (int i = 0; i < x->shape.rank; i++) {
        sizes[i] = i == at && x->shape.dims[i] > 0 ? 1 : x->shape.dims[i];
        if (i != at) l.window.v[l.window.n++] = i < at ? i : i - 1 + indices->shape.rank;
    }
    l.map.v[l.map.n++] = at;
    l.dropped.v[l.dropped.n++] = at;
    return gather_node(&b, operands, &l, (fx_dims){sizes, (size_t)x->shape.rank}, indices->shape.rank);
}

/* All axes but one are batching axes of both arrays. */
static void along_lists(const fx_node *x, int64_t axis, lists *l) {
    *l = (lists){0};
    for (int i = 0; i < x->shape.rank; i++)
        if (i != axis) l->own.v[l->own.n++] = l->other.v[l->other.n++] = i;
    l->map.v[l->map.n++] = axis;
    l->dropped.v[l->dropped.n++] = axis;
}

static bool check_along(const fxi_build *b, const fx_node *x, const fx_node *indices, int64_t axis) {
    bool fits = x->shape.rank == indices->shape.rank;
    for (int i = 0; fits && i < x->shape.rank; i++)
        fits = i == axis || x->shape.dims[i] == indices->shape.dims[i];
    if (!fits)
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%s and indices %s must agree but for axis %lld",
                         fx_shape_to_text(&x->shape).s, fx_shape_to_text(&indices->shape).s, (long long)axis);
    return fits;
}

fx_node *fx_take_along_axis(fx_node *x, fx_node *indices, int axis) {
    fxi_build b;
    lists l;
    int64_t at, sizes[FX_MAX_RANK];
    fx_node *operands[] = {x, indices};
    if (!fxi_build_begin(&b, "fx_take_along_axis", operands, 2) || !fxi_build_axis(&b, x, axis, &at))
        return b.stop;
    if (!check_along(&b, x, indices, at)) return b.stop;
    operands[1] = normalized(&b, x, indices, at);
    for (int i = 0; i < x->shape.rank; i++) sizes[i] = x->shape.dims[i] > 0;
    along_lists(x, at, &l);
    return gather_node(&b, operands, &l, (fx_dims){sizes, (size_t)x->shape.rank}, indices->shape.rank);
}

fx_node *fx_put_along_axis(fx_node *x, fx_node *indices, fx_node *values, int axis) {
    fxi_build b;
    lists l;
    int64_t at;
    fx_node *operands[] = {x, indices, values};
    if (!fxi_build_begin(&b, "fx_put_along_axis", operands, 3) || !fxi_build_axis(&b, x, axis, &at))
        return b.stop;
    if (!check_along(&b, x, indices, at)) return b.stop;
    operands[1] = normalized(&b, x, indices, at);
    if (values->shape.rank == 0) operands[2] = fx_broadcast_to_shape(values, &indices->shape);
    along_lists(x, at, &l);
    return scatter_node(&b, operands, &l, FXI_SCATTER_UPDATE, indices->shape.rank);
}

fx_node *fx_one_hot(fx_node *indices, int64_t depth, fx_dtype dtype) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_one_hot", &indices, 1)) return b.stop;
    if (!fx_dtype_is_integer(indices->shape.dtype))
        return fxi_build_refuse(&b, FX_ERROR_DTYPE, "the indices are %s; they must be integers",
                                fx_dtype_name(indices->shape.dtype));
    fx_shape shape = indices->shape;
    if (fx_dtype_bits(shape.dtype) < 64)
        shape.dtype = depth < INT32_MAX && fx_dtype_bits(shape.dtype) < 32 ? FX_S32 : FX_S64;
    if (fx_dtype_bits(indices->shape.dtype) == 32 && depth < INT32_MAX) shape.dtype = indices->shape.dtype;
    if (depth < 0 || shape.rank == FX_MAX_RANK)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "depth %lld for indices %s", (long long)depth,
                                fx_shape_to_text(&indices->shape).s);
    shape.dims[shape.rank++] = depth;
    fx_node *places = fx_convert(indices, shape.dtype);
    places = fx_expand_axes(places, (fx_axes){(const int[]){-1}, 1});
    return fx_convert(fx_equal(places, fx_iota(b.graph, &shape, -1)), dtype);
}

/* ---- segments ---- */

static fx_node *segment(const char *name, int64_t kind, fx_node *x, fx_node *ids, int64_t segments,
                        fx_node *(*neutral)(fx_graph *graph, fx_dtype dtype)) {
    fxi_build b;
    fx_node *const operands[] = {x, ids};
    if (!fxi_build_begin(&b, name, operands, 2)) return b.stop;
    if (x->shape.rank == 0 || ids->shape.rank != 1 || ids->shape.dims[0] != x->shape.dims[0] || segments < 0)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s, ids %s, %lld segments: there must be one id per row",
                                fx_shape_to_text(&x->shape).s, fx_shape_to_text(&ids->shape).s,
                                (long long)segments);
    bool ordered = kind == FXI_SCATTER_MAX || kind == FXI_SCATTER_MIN;
    if (ordered && !fxi_build_takes(&b, x, FX_OP_REM)) return b.stop; /* numbers */
    fx_shape shape = x->shape;
    shape.dims[0] = segments;
    if (!fx_shape_is_valid(&shape))
        return fxi_build_refuse(&b, FX_ERROR_MEMORY, "the result does not fit into 63 bits");
    fx_node *start = fx_broadcast_to_shape(neutral(b.graph, shape.dtype), &shape);
    return scatter_leading(name, kind, start, fx_expand_axes(ids, (fx_axes){(const int[]){1}, 1}), x);
}

static fx_node *lowest(fx_graph *graph, fx_dtype dtype) { return fx_infinity(graph, dtype, -1); }
static fx_node *highest(fx_graph *graph, fx_dtype dtype) { return fx_infinity(graph, dtype, 1); }

fx_node *fx_segment_sum(fx_node *x, fx_node *ids, int64_t segments) {
    return segment("fx_segment_sum", FXI_SCATTER_SUM, x, ids, segments, fx_scalar_zero);
}
fx_node *fx_segment_prod(fx_node *x, fx_node *ids, int64_t segments) {
    return segment("fx_segment_prod", FXI_SCATTER_PRODUCT, x, ids, segments, fx_scalar_one);
}
fx_node *fx_segment_max(fx_node *x, fx_node *ids, int64_t segments) {
    return segment("fx_segment_max", FXI_SCATTER_MAX, x, ids, segments, lowest);
}
fx_node *fx_segment_min(fx_node *x, fx_node *ids, int64_t segments) {
    return segment("fx_segment_min", FXI_SCATTER_MIN, x, ids, segments, highest);
}

fx_node *fx_segment_mean(fx_node *x, fx_node *ids, int64_t segments) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_segment_mean", (fx_node *const[]){x, ids}, 2)) return b.stop;
    if (!fxi_build_floats(&b, x, "mean", FX_OP_EXP)) return b.stop;
    fx_node *wide = fxi_build_wide(x);
    fx_node *sum = segment("fx_segment_mean", FXI_SCATTER_SUM, wide, ids, segments, fx_scalar_zero);
    if (!sum || sum->op == FX_OP_INERT) return sum;
    fx_node *count = fx_segment_sum(fx_ones_like(fx_convert(ids, FX_S64)), ids, segments);
    count = fx_convert(fx_max_scalar_int(count, 1), wide->shape.dtype);
    int64_t dims[FX_MAX_RANK] = {segments};
    for (int i = 1; i < x->shape.rank; i++) dims[i] = 1;
    count = fx_reshape(count, (fx_dims){dims, (size_t)x->shape.rank});
    return fx_convert(fx_div(sum, count), x->shape.dtype);
}
