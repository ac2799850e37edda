/* SPDX-License-Identifier: Apache-2.0 */
/* Builders that take arrays apart and put them together along an axis: slice, split, concatenate, stack. */
#include "ops/ops.h"

/* ---- slice ---- */

typedef struct slice_spec {
    int64_t starts[FX_MAX_RANK], limits[FX_MAX_RANK], strides[FX_MAX_RANK];
} slice_spec;

static slice_spec whole(const fx_node *x) {
    slice_spec spec;
    for (int i = 0; i < FX_MAX_RANK; i++) {
        spec.starts[i] = 0;
        spec.limits[i] = x->shape.dims[i];
        spec.strides[i] = 1;
    }
    return spec;
}

/* Fills in one axis; bounds below 0 count from the end. The shape rule checks the ranges. */
static void set_axis(slice_spec *spec, const fx_node *x, int64_t axis, int64_t start, int64_t limit,
                     int64_t stride) {
    int64_t dim = x->shape.dims[axis];
    spec->starts[axis] = start < 0 ? start + dim : start;
    spec->limits[axis] = limit < 0 ? limit + dim : limit;
    spec->strides[axis] = stride;
}

static fx_node *slice_by(const fxi_build *b, fx_node *x, const slice_spec *spec) {
    size_t rank = (size_t)x->shape.rank;
    bool changes = false;
    for (size_t i = 0; i < rank; i++)
        changes |= spec->starts[i] != 0 || spec->limits[i] != x->shape.dims[i] || spec->strides[i] != 1;
    if (!changes) return x;
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_STARTS, spec->starts, rank),
                              fxi_attr_ints(FXI_ATTR_LIMITS, spec->limits, rank),
                              fxi_attr_ints(FXI_ATTR_STRIDES, spec->strides, rank)};
    return fxi_build_node(b, FX_OP_SLICE, &x, 1, attrs, 3, NULL);
}

static bool check_count(const fxi_build *b, const fx_node *x, fx_dims list, const char *what) {
    if (list.n == (size_t)x->shape.rank && (list.v || list.n == 0)) return true;
    fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%zu %s for %s, which has rank %d", list.v ? list.n : 0, what,
                     fx_shape_to_text(&x->shape).s, x->shape.rank);
    return false;
}

fx_node *fx_slice(fx_node *x, fx_dims starts, fx_dims limits, fx_dims strides) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_slice", &x, 1)) return b.stop;
    if (!check_count(&b, x, starts, "starts") || !check_count(&b, x, limits, "limits")) return b.stop;
    if (strides.n && !check_count(&b, x, strides, "strides")) return b.stop;
    slice_spec spec = whole(x);
    for (int i = 0; i < x->shape.rank; i++)
        set_axis(&spec, x, i, starts.v[i], limits.v[i], strides.n ? strides.v[i] : 1);
    return slice_by(&b, x, &spec);
}

fx_node *fx_slice_axis(fx_node *x, int axis, int64_t start, int64_t limit, int64_t stride) {
    fxi_build b;
    int64_t normalized;
    if (!fxi_build_begin(&b, "fx_slice_axis", &x, 1)) return b.stop;
    if (!fxi_build_axis(&b, x, axis, &normalized)) return b.stop;
    slice_spec spec = whole(x);
    set_axis(&spec, x, normalized, start, limit, stride);
    return slice_by(&b, x, &spec);
}

/* ---- split ---- */

/* From the last part to the first, so that the first, which is returned, is the newest node: fx_at then
 * stamps them all. */
static void cut(const fxi_build *b, fx_node *x, int64_t axis, int64_t count, fx_node **parts) {
    int64_t size = x->shape.dims[axis] / count;
    slice_spec spec = whole(x);
    for (int64_t i = count - 1; i >= 0; i--) {
        set_axis(&spec, x, axis, i * size, (i + 1) * size, 1);
        parts[i] = slice_by(b, x, &spec);
    }
}

fx_node *fx_split(fx_node *x, int axis, int64_t count, fx_node **parts) {
    fxi_build b;
    int64_t normalized = 0;
    bool ok = fxi_build_begin(&b, "fx_split", &x, 1) && fxi_build_axis(&b, x, axis, &normalized);
    if (ok && (!parts || count < 1 || x->shape.dims[normalized] % count != 0)) {
        ok = false;
        if (!parts)
            fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the list of parts is NULL");
        else
            fxi_build_refuse(&b, FX_ERROR_ATTRIBUTE, "axis %lld of %s does not divide into %lld parts",
                             (long long)normalized, fx_shape_to_text(&x->shape).s, (long long)count);
    }
    if (ok) cut(&b, x, normalized, count, parts);
    for (int64_t i = 0; parts && !ok && i < count; i++) parts[i] = b.stop;
    return ok ? parts[0] : b.stop;
}

/* ---- concatenate and stack ---- */

static fx_node *join(const fxi_build *b, fx_node *const *operands, size_t count, int64_t axis) {
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_AXIS, axis);
    return fxi_build_node(b, FX_OP_CONCATENATE, operands, count, &attr, 1, NULL);
}

/* Joins the operands after each was given an axis of size 1; the list of these is temporary. */
static fx_node *join_expanded(const fxi_build *b, fx_nodes operands, int axis) {
    fx_node **expanded = fxi_alloc_zeroed(operands.n, sizeof(fx_node *));
    if (!expanded) return fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < operands.n; i++) expanded[i] = fx_expand_axes(operands.v[i], (fx_axes){&axis, 1});
    fx_node *result = join(b, expanded, operands.n, axis);
    fxi_free(expanded);
    return result;
}

/* With no operands there is no graph that could keep an error: the result is NULL. */
static bool begin_list(fxi_build *b, const char *name, fx_nodes operands) {
    return fxi_build_begin(b, name, operands.v, operands.v ? operands.n : 0);
}

fx_node *fx_concatenate(fx_nodes operands, int axis) {
    fxi_build b;
    int64_t normalized;
    if (!begin_list(&b, "fx_concatenate", operands)) return b.stop;
    fx_node *first = operands.v[0];
    if (first->shape.rank == 0) {
        for (size_t i = 0; i < operands.n; i++)
            if (operands.v[i]->shape.rank != 0 || operands.v[i]->shape.dtype != first->shape.dtype)
                return fxi_build_refuse(&b, FX_ERROR_SHAPE, "operands 0 and %zu are %s and %s", i,
                                        fx_shape_to_text(&first->shape).s,
                                        fx_shape_to_text(&operands.v[i]->shape).s);
        if (axis != 0 && axis != -1)
            return fxi_build_refuse(&b, FX_ERROR_AXIS, "axis %d is out of range: scalars give a vector",
                                    axis);
        return operands.n == 1 ? fx_expand_axes(first, (fx_axes){&(int){0}, 1})
                               : join_expanded(&b, operands, 0);
    }
    if (!fxi_build_axis(&b, first, axis, &normalized)) return b.stop;
    return operands.n == 1 ? first : join(&b, operands.v, operands.n, normalized);
}

fx_node *fx_stack(fx_nodes operands, int axis) {
    fxi_build b;
    if (!begin_list(&b, "fx_stack", operands)) return b.stop;
    const fx_shape *first = &operands.v[0]->shape;
    int normalized = fxi_axis_normalize(axis, first->rank + 1);
    if (normalized < 0)
        return fxi_build_refuse(&b, FX_ERROR_AXIS, "axis %d is out of range for a stack of %s (rank %d)",
                                axis, fx_shape_to_text(first).s, first->rank + 1);
    if (first->rank == FX_MAX_RANK)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s has no room for another axis",
                                fx_shape_to_text(first).s);
    for (size_t i = 1; i < operands.n; i++)
        if (!fx_shape_equal(first, &operands.v[i]->shape))
            return fxi_build_refuse(&b, FX_ERROR_SHAPE,
                                    "operands 0 and %zu are %s and %s; they must be equal", i,
                                    fx_shape_to_text(first).s, fx_shape_to_text(&operands.v[i]->shape).s);
    if (operands.n == 1) return fx_expand_axes(operands.v[0], (fx_axes){&normalized, 1});
    return join_expanded(&b, operands, normalized);
}
