/* SPDX-License-Identifier: Apache-2.0 */
/* What composites over rows share: the check that says to convert integers, half types in float32, masks over
 * an operand's dimensions, and reductions whose axes stay with size 1, so that the results meet the operand
 * again by the ordinary broadcast. */
#include "ops/ops.h"

bool fxi_build_floats(const fxi_build *b, const fx_node *x, const char *what, fx_op model) {
    fx_dtype dtype = x->shape.dtype;
    if (!fx_dtype_is_integer(dtype) && dtype != FX_BOOL) return fxi_build_takes(b, x, model);
    fxi_build_refuse(b, FX_ERROR_DTYPE, "%s has no %s; convert to a float dtype first", fx_dtype_name(dtype),
                     what);
    return false;
}

bool fxi_build_same(const fxi_build *b, const fx_node *x, const fx_node *y) {
    if (x->shape.dtype == y->shape.dtype) return true;
    fxi_build_refuse(b, FX_ERROR_DTYPE, "dtypes %s and %s differ; convert one of them with fx_convert",
                     fx_dtype_name(x->shape.dtype), fx_dtype_name(y->shape.dtype));
    return false;
}

fx_node *fxi_build_wide(fx_node *x) {
    return x && fx_dtype_is_half(x->shape.dtype) ? fx_convert(x, FX_F32) : x;
}

bool fxi_build_leading(const fxi_build *b, const char *what, const fx_shape *m, const char *whose,
                       const fx_shape *x) {
    const fx_shape_text given = fxi_dims_text(m->dims, (size_t)m->rank),
                        wanted = fxi_dims_text(x->dims, (size_t)x->rank);
    if (m->rank > x->rank) {
        fxi_build_refuse(b, FX_ERROR_SHAPE, "the axes of %s %s are %d, those of %s %s only %d", what, given.s,
                         m->rank, whose, wanted.s, x->rank);
        return false;
    }
    for (int i = 0; i < m->rank; i++) {
        if (m->dims[i] == 1 || m->dims[i] == x->dims[i]) continue;
        fxi_build_refuse(b, FX_ERROR_SHAPE,
                         "axis %d of %s %s is %lld, that of %s %s is %lld; the first axes are aligned, each "
                         "of the same dimension or 1",
                         i, what, given.s, (long long)m->dims[i], whose, wanted.s, (long long)x->dims[i]);
        return false;
    }
    return true;
}

fx_node *fxi_build_mask(const fxi_build *b, const fx_node *x, fx_node *mask) {
    const fx_shape *m = &mask->shape;
    if (m->dtype != FX_BOOL)
        return fxi_build_refuse(b, FX_ERROR_DTYPE, "the mask is %s; it must be bool",
                                fx_dtype_name(m->dtype));
    if (!fxi_build_leading(b, "the mask", m, "x", &x->shape)) return b->stop;
    return fx_broadcast_to_dims(mask, (fx_dims){x->shape.dims, (size_t)x->shape.rank});
}

fx_node *fxi_build_keep(const fxi_build *b, const fx_node *x, fx_node *reduced, const fxi_axis_list *list) {
    fxi_build check;
    fx_shape kept = x->shape, removed = {.dtype = x->shape.dtype};
    for (size_t i = 0; i < list->n; i++) kept.dims[list->v[i]] = 1;
    for (int i = 0, next = 0; i < x->shape.rank; i++) {
        if ((size_t)next < list->n && list->v[next] == i)
            next++;
        else
            removed.dims[removed.rank++] = x->shape.dims[i];
    }
    if (!reduced) return fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the reducer returned NULL");
    if (!fxi_build_begin(&check, b->name, &reduced, 1)) return check.stop;
    if (!fx_shape_equal_dims(&reduced->shape, &removed))
        return fxi_build_refuse(b, FX_ERROR_SHAPE, "the reducer made %s of %s instead of %s",
                                fxi_dims_text(reduced->shape.dims, (size_t)reduced->shape.rank).s,
                                fxi_dims_text(x->shape.dims, (size_t)x->shape.rank).s,
                                fxi_dims_text(removed.dims, (size_t)removed.rank).s);
    return list->n ? fxi_build_node(&check, FX_OP_RESHAPE, &reduced, 1, NULL, 0, &kept) : reduced;
}

fx_node *fxi_build_kept(const fxi_axis_list *list, fx_reducer reducer, fx_node *x) {
    int axes[FX_MAX_RANK];
    for (size_t i = 0; i < list->n; i++) axes[i] = (int)list->v[i];
    return fx_reduce_and_keep(x, reducer, (fx_axes){axes, list->n});
}

fx_node *fxi_build_over(const fxi_axis_list *list, fx_reducer reducer, fx_node *x) {
    int axes[FX_MAX_RANK];
    for (size_t i = 0; i < list->n; i++) axes[i] = (int)list->v[i];
    return reducer(x, (fx_axes){axes, list->n});
}
