/* SPDX-License-Identifier: Apache-2.0 */
/* Slices move towards the leaves: a slice of a slice, concatenation or pad becomes one of what it shows, so
 * that backends neither make nor read the rest. Along an axis a slice shows the positions start + k * stride
 * for k < count; those that fall into a range are again such positions, from the first k to the last.
 *
 * A concatenation or pad that others read too is made anyway and its slice costs nothing, so it is replaced
 * only where nothing must be joined or padded afresh. */
#include "rewrite.h"
#include <string.h>

typedef struct spec {
    int64_t start[FX_MAX_RANK], stride[FX_MAX_RANK];
    fx_shape shape; /* of the slice: dims are the counts */
} spec;

static spec spec_of(const fxi_draft *d) {
    spec s = {.shape = *d->shape};
    fx_dims starts = fxi_draft_ints(d, FXI_ATTR_STARTS), strides = fxi_draft_ints(d, FXI_ATTR_STRIDES);
    for (size_t axis = 0; axis < starts.n; axis++) {
        s.start[axis] = starts.v[axis];
        s.stride[axis] = strides.v[axis];
    }
    return s;
}

/* Rules apply recursively to the slices that they make: so many nodes are looked through at most. */
enum { MOST_NESTED = 16 };

/* The slice of a node of the new graph; the node itself when it shows all of it. nested: other slices,
 * concatenations and pads may be looked through. */
static fx_node *slice_of(fxi_rewrite *r, fx_node *x, const spec *s, bool nested) {
    int64_t starts[FX_MAX_RANK] = {0}, limits[FX_MAX_RANK] = {0}, strides[FX_MAX_RANK] = {0};
    size_t rank = (size_t)x->shape.rank;
    bool whole = fx_shape_equal(&x->shape, &s->shape);
    for (size_t i = 0; i < rank; i++) {
        int64_t count = s->shape.dims[i];
        strides[i] = count > 1 ? s->stride[i] : 1;
        starts[i] = count > 0 ? s->start[i] : 0;
        limits[i] = count > 0 ? starts[i] + (count - 1) * strides[i] + 1 : 0;
    }
    if (whole) return x;
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_STARTS, starts, rank),
                              fxi_attr_ints(FXI_ATTR_LIMITS, limits, rank),
                              fxi_attr_ints(FXI_ATTR_STRIDES, strides, rank)};
    fx_node *const list[1] = {x};
    fxi_draft d = {.op = FX_OP_SLICE,
                   .operands = {x},
                   .all = list,
                   .operand_count = 1,
                   .attrs = attrs,
                   .attr_count = 3,
                   .shape = &s->shape};
    fx_node *simpler = NULL;
    if (nested && r->nested < MOST_NESTED) {
        r->nested++;
        simpler = fxi_rules_apply(r, &d);
        r->nested--;
    }
    return simpler || r->failed ? simpler : fxi_rewrite_add(r, &d);
}

/* slice(slice(x)) -> slice(x) */
fx_node *fxi_rule_slice_slice(fxi_rewrite *r, const fxi_draft *d) {
    const fx_node *inner = d->operands[0];
    if (inner->op != FX_OP_SLICE) return NULL;
    fx_dims starts = fxi_node_ints(inner, FXI_ATTR_STARTS), strides = fxi_node_ints(inner, FXI_ATTR_STRIDES);
    spec s = spec_of(d);
    for (int axis = 0; axis < s.shape.rank; axis++) {
        if (s.shape.dims[axis] == 0) continue;
        s.start[axis] = starts.v[axis] + s.start[axis] * strides.v[axis];
        if (s.shape.dims[axis] > 1) s.stride[axis] *= strides.v[axis];
    }
    return slice_of(r, inner->operands[0], &s, true);
}

/* Which k of an axis fall into low .. low + dim - 1; their number. */
static int64_t positions(const spec *s, int axis, int64_t low, int64_t dim, int64_t *first) {
    int64_t start = s->start[axis], stride = s->stride[axis], last = s->shape.dims[axis] - 1;
    *first = start >= low ? 0 : (low - start - 1) / stride + 1;
    if (dim == 0 || low + dim <= start) return 0;
    last = fxi_size_min(last, (low + dim - 1 - start) / stride);
    return last < *first ? 0 : last - *first + 1;
}

/* What the slice shows of a part that lies at `low` of an axis. False: nothing. */
static bool cut_axis(spec *s, int axis, int64_t low, int64_t dim, int64_t *first) {
    int64_t count = positions(s, axis, low, dim, first);
    if (count == 0) return false;
    s->start[axis] += *first * s->stride[axis] - low;
    s->shape.dims[axis] = count;
    return true;
}

static size_t parts_shown(const fx_node *joined, const spec *s, int axis) {
    int64_t low = 0, first;
    size_t shown = 0;
    for (uint32_t i = 0; i < joined->operand_count; i++) {
        int64_t dim = joined->operands[i]->shape.dims[axis];
        shown += positions(s, axis, low, dim, &first) > 0;
        low += dim;
    }
    return shown;
}

/* Slices of the parts that are shown, into the list; their number. */
static size_t slice_parts(fxi_rewrite *r, const fx_node *joined, const spec *s, int axis, bool nested,
                          fx_node **list) {
    int64_t low = 0, first;
    size_t count = 0;
    for (uint32_t i = 0; i < joined->operand_count && !r->failed; i++) {
        int64_t dim = joined->operands[i]->shape.dims[axis];
        spec part = *s;
        if (cut_axis(&part, axis, low, dim, &first))
            list[count++] = slice_of(r, joined->operands[i], &part, nested);
        low += dim;
    }
    return count;
}

static fx_node *join(fxi_rewrite *r, const fxi_draft *d, int axis, fx_node *const *list, size_t count) {
    if (r->failed) return NULL;
    if (count == 1) return list[0];
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_AXIS, axis);
    fxi_draft joined = {.op = FX_OP_CONCATENATE,
                        .all = list,
                        .operand_count = count,
                        .attrs = &attr,
                        .attr_count = 1,
                        .shape = d->shape};
    for (size_t i = 0; i < FXI_MAP_OPERANDS && i < count; i++) joined.operands[i] = list[i];
    return fxi_rewrite_add(r, &joined);
}

/* slice(concatenate(x, y, ...)) -> concatenate of slices of those that it shows, or the slice of one */
fx_node *fxi_rule_slice_concatenate(fxi_rewrite *r, const fxi_draft *d) {
    const fx_node *inner = d->operands[0];
    if (inner->op != FX_OP_CONCATENATE || fx_shape_size(d->shape) == 0) return NULL;
    int axis = (int)fxi_node_int(inner, FXI_ATTR_AXIS);
    bool sole = fxi_rewrite_is_sole(r, inner);
    const spec s = spec_of(d);
    size_t shown = parts_shown(inner, &s, axis);
    if (shown > 1 && !sole) return NULL;
    fx_node **list = fxi_alloc_zeroed(shown, sizeof(fx_node *));
    if (!list) r->failed = true;
    fx_node *made = list ? join(r, d, axis, list, slice_parts(r, inner, &s, axis, sole, list)) : NULL;
    fxi_free(list);
    return made;
}

/* ---- pad ---- */

static fx_node *splat(fxi_rewrite *r, fx_node *value, const fx_shape *shape) {
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_AXES, NULL, 0);
    fx_node *const list[1] = {value};
    fxi_draft d = {.op = FX_OP_BROADCAST_IN_DIM,
                   .operands = {value},
                   .all = list,
                   .operand_count = 1,
                   .attrs = &attr,
                   .attr_count = 1,
                   .shape = shape};
    return fxi_rewrite_add(r, &d);
}

typedef struct padding {
    int64_t low[FX_MAX_RANK], high[FX_MAX_RANK], interior[FX_MAX_RANK];
    bool any, nothing; /* any padding is left; nothing of the operand is */
} padding;

/* Turns positions in a pad's result into those in its operand, and says what pads these. False: positions
 * between elements are in the way. */
static bool through_pad(const fx_shape *x, const fx_shape *padded, const padding *by, spec *s,
                        padding *left) {
    *left = (padding){.any = false};
    for (int axis = 0; axis < s->shape.rank; axis++) {
        int64_t count = s->shape.dims[axis], dim = x->dims[axis];
        if (by->interior[axis] > 0 && dim > 1) {
            if (count != padded->dims[axis]) return false;
            left->low[axis] = by->low[axis];
            left->high[axis] = by->high[axis];
            left->interior[axis] = by->interior[axis];
            left->any = true;
            s->shape.dims[axis] = dim;
            continue;
        }
        left->nothing = !cut_axis(s, axis, by->low[axis], dim, &left->low[axis]);
        if (left->nothing) return true;
        left->high[axis] = count - left->low[axis] - s->shape.dims[axis];
        left->any |= s->shape.dims[axis] != count;
    }
    return true;
}

static padding padding_of(fx_dims low, fx_dims high, fx_dims interior) {
    padding p = {.any = true};
    for (size_t axis = 0; axis < low.n; axis++) {
        p.low[axis] = low.v[axis];
        p.high[axis] = high.v[axis];
        p.interior[axis] = interior.v[axis];
    }
    return p;
}

static fx_node *pad_of(fxi_rewrite *r, fx_node *x, fx_node *value, const padding *p, const fx_shape *shape) {
    if (!x || !p->any) return x;
    size_t rank = (size_t)x->shape.rank;
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_LOW, p->low, rank),
                              fxi_attr_ints(FXI_ATTR_HIGH, p->high, rank),
                              fxi_attr_ints(FXI_ATTR_INTERIOR, p->interior, rank)};
    fx_node *const list[2] = {x, value};
    fxi_draft d = {.op = FX_OP_PAD,
                   .operands = {x, value},
                   .all = list,
                   .operand_count = 2,
                   .attrs = attrs,
                   .attr_count = 3,
                   .shape = shape};
    return fxi_rewrite_add(r, &d);
}

/* slice(pad(x, v)) -> slice(x), v broadcast, or pad(slice(x), v), by what it shows */
fx_node *fxi_rule_slice_pad(fxi_rewrite *r, const fxi_draft *d) {
    const fx_node *inner = d->operands[0];
    if (inner->op != FX_OP_PAD || fx_shape_size(d->shape) == 0) return NULL;
    fx_node *x = inner->operands[0], *value = inner->operands[1];
    bool sole = fxi_rewrite_is_sole(r, inner);
    padding by = padding_of(fxi_node_ints(inner, FXI_ATTR_LOW), fxi_node_ints(inner, FXI_ATTR_HIGH),
                            fxi_node_ints(inner, FXI_ATTR_INTERIOR)),
            left;
    spec s = spec_of(d);
    if (!through_pad(&x->shape, &inner->shape, &by, &s, &left)) return NULL;
    if (left.nothing) return splat(r, value, d->shape);
    if (left.any && !sole) return NULL;
    return pad_of(r, slice_of(r, x, &s, sole), value, &left, d->shape);
}

/* pad(x, v) that takes elements away -> pad(slice(x), v), slice(x), or v broadcast */
fx_node *fxi_rule_pad_crop(fxi_rewrite *r, const fxi_draft *d) {
    fx_node *x = d->operands[0], *value = d->operands[1];
    padding by = padding_of(fxi_draft_ints(d, FXI_ATTR_LOW), fxi_draft_ints(d, FXI_ATTR_HIGH),
                            fxi_draft_ints(d, FXI_ATTR_INTERIOR)),
            left;
    size_t bytes = (size_t)d->shape->rank * sizeof *by.low;
    spec s = {.shape = *d->shape};
    if (fx_shape_size(d->shape) == 0) return NULL;
    for (int axis = 0; axis < s.shape.rank; axis++) s.stride[axis] = 1;
    if (!through_pad(&x->shape, d->shape, &by, &s, &left)) return NULL;
    if (left.nothing) return splat(r, value, d->shape);
    if (left.any && memcmp(left.low, by.low, bytes) == 0 && memcmp(left.high, by.high, bytes) == 0)
        return NULL;
    return pad_of(r, slice_of(r, x, &s, true), value, &left, d->shape);
}
