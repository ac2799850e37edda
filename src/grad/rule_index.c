/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of padding, dynamic slices and gather: linear in the array, transposed by putting elements of
 * the adjoint back where they came from. Reads clamp their starts where writes drop what does not fit, so the
 * transpose of a gather clamps its indices first. */
#include "grad_internal.h"
#include <fluxion/indexing.h>

/* ---- pad ---- */

/* u without its paddings, and with zeros where a negative one removed elements. */
static fx_node *without_edges(const fxi_vjp *v, fx_dims low, fx_dims high) {
    fx_pad_axis pads[FX_MAX_RANK];
    for (size_t i = 0; i < low.n; i++) pads[i] = (fx_pad_axis){.start = -low.v[i], .end = -high.v[i]};
    return fx_pad(v->adjoints[0], fx_scalar_zero(v->b->graph, fxi_grad_dtype(v->n->shape.dtype)),
                  (fx_pads){pads, low.n});
}

static fx_node *pad_operand(const fxi_vjp *v) {
    fx_dims low = fxi_node_ints(v->n, FXI_ATTR_LOW), high = fxi_node_ints(v->n, FXI_ATTR_HIGH),
            interior = fxi_node_ints(v->n, FXI_ATTR_INTERIOR);
    int64_t starts[FX_MAX_RANK] = {0}, strides[FX_MAX_RANK];
    for (size_t i = 0; i < low.n; i++) strides[i] = interior.v[i] + 1;
    fx_node *u = without_edges(v, low, high);
    return fx_slice(u, (fx_dims){starts, low.n}, (fx_dims){u->shape.dims, low.n}, (fx_dims){strides, low.n});
}

/* The sum over what is no element of x: not the difference of two sums, which would cancel. */
static fx_node *pad_value(const fxi_vjp *v) {
    fx_shape shape = v->n->operands[0]->shape;
    shape.dtype = FX_BOOL;
    fx_node *const operands[] = {fxi_grad_or_zeros(v->b, NULL, &shape), fx_scalar_one(v->b->graph, FX_BOOL)};
    fx_node *filled = fxi_build_like(v->b, v->n, operands, NULL, 0, NULL);
    fx_node *zero = fx_scalar_zero(v->b->graph, fxi_grad_dtype(v->n->shape.dtype));
    return fx_reduce_all_sum(fx_where(filled, v->adjoints[0], zero));
}

static void vjp_pad(const fxi_vjp *v) {
    if (v->wanted[0] && fx_shape_size(&v->n->operands[0]->shape) > 0) v->out[0] = pad_operand(v);
    if (v->wanted[1]) v->out[1] = pad_value(v);
}
static void jvp_pad(const fxi_jvp *j) {
    fxi_jvp_linear(j, 2);
}
const fxi_grad_rule fxi_gradrule_pad = {.vjp = vjp_pad, .jvp = jvp_pad};

/* ---- dynamic slices ---- */

static void vjp_dynamic_slice(const fxi_vjp *v) {
    const fx_nodes starts = {v->n->operands + 1, v->n->operand_count - 1u};
    fx_node *zeros = fxi_grad_or_zeros(v->b, NULL, &v->n->operands[0]->shape);
    v->out[0] = fx_dynamic_update_slice(zeros, v->adjoints[0], starts);
}
static void jvp_first(const fxi_jvp *j) {
    fxi_jvp_linear(j, 1);
}
const fxi_grad_rule fxi_gradrule_dynamic_slice = {.vjp = vjp_dynamic_slice, .jvp = jvp_first};

static void vjp_dynamic_update_slice(const fxi_vjp *v) {
    const fx_nodes starts = {v->n->operands + 2, v->n->operand_count - 2u};
    const fx_shape *update = &v->n->operands[1]->shape;
    const fx_dims sizes = {update->dims, (size_t)update->rank};
    fx_node *u = v->adjoints[0];
    if (v->wanted[0]) v->out[0] = fx_dynamic_update_slice(u, fxi_grad_or_zeros(v->b, NULL, update), starts);
    if (v->wanted[1]) v->out[1] = fx_dynamic_slice(u, starts, sizes);
}
static void jvp_dynamic_update_slice(const fxi_jvp *j) {
    fxi_jvp_linear(j, 2);
}
const fxi_grad_rule fxi_gradrule_dynamic_update_slice = {.vjp = vjp_dynamic_update_slice,
                                                         .jvp = jvp_dynamic_update_slice};

/* ---- places of windows ---- */

void fxi_grad_window_attrs(const fx_node *n, fxi_attr first, fxi_attr *attrs) {
    static const fxi_attr_id shared[] = {FXI_ATTR_WINDOW_AXES,   FXI_ATTR_DROPPED_AXES,
                                         FXI_ATTR_OPERAND_BATCH, FXI_ATTR_INDICES_BATCH,
                                         FXI_ATTR_INDEX_MAP,     FXI_ATTR_INDEX_AXIS};
    attrs[0] = first;
    for (size_t i = 1; i < FXI_WINDOW_ATTRS; i++) attrs[i] = *fxi_node_attr(n, shared[i - 1]);
}

/* Values along the indices' index axis. */
static fx_node *per_component(const fxi_build *b, const fx_node *n, const int64_t *values, size_t count) {
    const fx_shape *indices = &n->operands[1]->shape;
    const int64_t dims[] = {(int64_t)count}, axis = fxi_node_int(n, FXI_ATTR_INDEX_AXIS);
    const fx_shape shape = fx_shape_make(FX_S64, dims, 1);
    fx_error err = {.code = FX_OK};
    fx_tensor *t = fx_tensor_copy_from(&shape, values, &err);
    if (!t) return fxi_build_refuse(b, err.code, "%s", err.message);
    fx_node *x = fx_convert(fx_constant(b->graph, t), indices->dtype);
    fx_tensor_free(t);
    return fxi_build_broadcast(b, x, indices, (fx_dims){&axis, 1});
}

fx_node *fxi_grad_last_starts(const fxi_build *b, const fx_node *n, const int64_t *sizes) {
    const fx_shape *x = &n->operands[0]->shape;
    fx_dtype dtype = n->operands[1]->shape.dtype;
    fx_dims map = fxi_node_ints(n, FXI_ATTR_INDEX_MAP);
    int64_t last[FX_MAX_RANK] = {0};
    bool equal = true, narrow = fx_dtype_bits(dtype) < 64;
    for (size_t i = 0; i < map.n; i++) {
        last[i] = x->dims[map.v[i]] - sizes[map.v[i]];
        int64_t highest = fxi_dtype_highest(dtype).i;
        if (narrow && last[i] > highest) last[i] = highest;
        equal &= last[i] == last[0];
    }
    return equal ? fx_scalar_int(b->graph, dtype, last[0]) : per_component(b, n, last, map.n);
}

/* ---- gather ---- */

/* Whether one element is taken of every line of x along an axis, as of the logits by their labels. */
static bool takes_one_of_line(const fx_node *n) {
    const fx_shape *x = &n->operands[0]->shape;
    fx_dims own = fxi_node_ints(n, FXI_ATTR_OPERAND_BATCH), other = fxi_node_ints(n, FXI_ATTR_INDICES_BATCH),
            map = fxi_node_ints(n, FXI_ATTR_INDEX_MAP);
    if (map.n != 1 || (int)own.n != x->rank - 1 || fxi_node_ints(n, FXI_ATTR_WINDOW_AXES).n > 0) return false;
    for (size_t i = 1; i < other.n; i++)
        if (other.v[i - 1] > other.v[i]) return false;
    return fx_shape_size(&n->shape) == fx_shape_size(x) / x->dims[map.v[0]];
}

/* The adjoint of such: where the index along the axis is the one that was taken. It fuses with what reads it,
 * where a scatter has to write all of it first. */
static fx_node *at_one_of_line(const fxi_vjp *v, fx_node *indices) {
    const fx_shape *x = &v->n->operands[0]->shape;
    int axis = (int)fxi_node_ints(v->n, FXI_ATTR_INDEX_MAP).v[0];
    fx_shape places = *x, line = *x;
    places.dtype = fxi_dtype_of_count(x->dims[axis]);
    line.dims[axis] = 1;
    fx_node *taken = fx_reshape_with_shape(fx_convert(indices, places.dtype), &line);
    fx_node *here = fx_equal(fx_iota(v->b->graph, &places, axis), taken);
    fx_node *u = fx_broadcast_to_shape(fx_reshape_with_shape(v->adjoints[0], &line), x);
    return fx_where(here, u, fx_scalar_zero(v->b->graph, fxi_grad_dtype(x->dtype)));
}

static fx_node *clamped(const fxi_vjp *v, fx_node *indices) {
    if (fx_dtype_is_signed(indices->shape.dtype)) indices = fx_max_scalar_int(indices, 0);
    return fx_min(indices, fxi_grad_last_starts(v->b, v->n, fxi_node_ints(v->n, FXI_ATTR_SIZES).v));
}

static void vjp_gather(const fxi_vjp *v) {
    fx_node *n = v->n;
    if (fx_shape_size(&n->shape) == 0) return;
    fx_node *indices = clamped(v, n->operands[1]);
    if (takes_one_of_line(n)) {
        v->out[0] = at_one_of_line(v, indices);
        return;
    }
    fxi_attr attrs[FXI_WINDOW_ATTRS];
    fxi_grad_window_attrs(n, fxi_attr_int(FXI_ATTR_COMBINE, FXI_SCATTER_SUM), attrs);
    fx_node *const operands[] = {fxi_grad_or_zeros(v->b, NULL, &n->operands[0]->shape), indices,
                                 v->adjoints[0]};
    v->out[0] = fxi_build_node(v->b, FX_OP_SCATTER, operands, 3, attrs, FXI_WINDOW_ATTRS, NULL);
}
const fxi_grad_rule fxi_gradrule_gather = {.vjp = vjp_gather, .jvp = jvp_first};
