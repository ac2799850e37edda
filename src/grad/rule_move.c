/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of operations that move elements. All are linear, so the forward mode is the operation itself
 * on the tangent, and the reverse mode its transpose: every element of the adjoint goes back to where it came
 * from, and those of one origin are summed. */
#include "grad_internal.h"
#include <fluxion/indexing.h>

static void jvp_unary(const fxi_jvp *j) {
    fxi_jvp_linear(j, 1);
}

/* ---- broadcast_in_dim ---- */

/* What a broadcast repeats: the axes of the result that no axis of x has, or that repeat one of size 1. */
static void repeated_axes(const fx_node *n, fxi_axis_list *repeated) {
    const fx_shape *x = &n->operands[0]->shape;
    fx_dims axes = fxi_node_ints(n, FXI_ATTR_AXES);
    bool once[FX_MAX_RANK] = {false};
    for (int i = 0; i < x->rank; i++) once[axes.v[i]] = x->dims[i] == n->shape.dims[axes.v[i]];
    repeated->n = 0;
    for (int i = 0; i < n->shape.rank; i++)
        if (!once[i]) repeated->v[repeated->n++] = i;
}

/* The axes that are left, in the order of x's: it may differ from the result's. */
static fx_node *order_as_operand(const fx_node *n, fx_node *sum) {
    fx_dims axes = fxi_node_ints(n, FXI_ATTR_AXES);
    const fx_shape *x = &n->operands[0]->shape;
    int permutation[FX_MAX_RANK];
    size_t rank = 0;
    for (int i = 0; i < x->rank; i++) {
        if (x->dims[i] != n->shape.dims[axes.v[i]]) continue;
        int before = 0;
        for (int k = 0; k < x->rank; k++)
            before += axes.v[k] < axes.v[i] && x->dims[k] == n->shape.dims[axes.v[k]];
        permutation[rank++] = before;
    }
    return fx_transpose_all_axes(sum, (fx_axes){permutation, rank});
}

static void vjp_broadcast(const fxi_vjp *v) {
    fxi_axis_list repeated;
    fx_node *sum = v->adjoints[0];
    repeated_axes(v->n, &repeated);
    if (repeated.n > 0) sum = fxi_build_over(&repeated, fx_reduce_sum, sum);
    v->out[0] = fx_reshape_with_shape(order_as_operand(v->n, sum), &v->n->operands[0]->shape);
}
const fxi_grad_rule fxi_gradrule_broadcast_in_dim = {.vjp = vjp_broadcast, .jvp = jvp_unary};

/* ---- reshape, transpose, reverse ---- */

static void vjp_reshape(const fxi_vjp *v) {
    v->out[0] = fx_reshape_with_shape(v->adjoints[0], &v->n->operands[0]->shape);
}
const fxi_grad_rule fxi_gradrule_reshape = {.vjp = vjp_reshape, .jvp = jvp_unary};

static void vjp_transpose(const fxi_vjp *v) {
    fx_dims permutation = fxi_node_ints(v->n, FXI_ATTR_PERMUTATION);
    int inverse[FX_MAX_RANK];
    for (size_t i = 0; i < permutation.n; i++) inverse[permutation.v[i]] = (int)i;
    v->out[0] = fx_transpose_all_axes(v->adjoints[0], (fx_axes){inverse, permutation.n});
}
const fxi_grad_rule fxi_gradrule_transpose = {.vjp = vjp_transpose, .jvp = jvp_unary};

static void vjp_reverse(const fxi_vjp *v) {
    fx_dims axes = fxi_node_ints(v->n, FXI_ATTR_AXES);
    int list[FX_MAX_RANK];
    for (size_t i = 0; i < axes.n; i++) list[i] = (int)axes.v[i];
    v->out[0] = fx_reverse(v->adjoints[0], (fx_axes){list, axes.n});
}
const fxi_grad_rule fxi_gradrule_reverse = {.vjp = vjp_reverse, .jvp = jvp_unary};

/* ---- slice: zeros around and between the elements that were taken ---- */

static void vjp_slice(const fxi_vjp *v) {
    const fx_node *n = v->n;
    const fx_shape *x = &n->operands[0]->shape;
    fx_dims starts = fxi_node_ints(n, FXI_ATTR_STARTS), strides = fxi_node_ints(n, FXI_ATTR_STRIDES);
    fx_pad_axis pads[FX_MAX_RANK];
    if (fx_shape_size(&n->shape) == 0) return;
    for (int i = 0; i < x->rank; i++) {
        int64_t last = starts.v[i] + (n->shape.dims[i] - 1) * strides.v[i];
        int64_t interior = n->shape.dims[i] > 1 ? strides.v[i] - 1 : 0;
        pads[i] = (fx_pad_axis){.start = starts.v[i], .end = x->dims[i] - 1 - last, .interior = interior};
    }
    v->out[0] = fx_pad(v->adjoints[0], fx_scalar_zero(v->b->graph, fxi_grad_dtype(x->dtype)),
                       (fx_pads){pads, (size_t)x->rank});
}
const fxi_grad_rule fxi_gradrule_slice = {.vjp = vjp_slice, .jvp = jvp_unary};

/* ---- concatenate: to each operand its part ---- */

static void vjp_concatenate(const fxi_vjp *v) {
    int axis = (int)fxi_node_int(v->n, FXI_ATTR_AXIS);
    int64_t start = 0;
    for (uint32_t i = 0; i < v->n->operand_count; i++) {
        int64_t limit = start + v->n->operands[i]->shape.dims[axis];
        if (v->wanted[i] && limit > start) v->out[i] = fx_slice_axis(v->adjoints[0], axis, start, limit, 1);
        start = limit;
    }
}
static void jvp_concatenate(const fxi_jvp *j) {
    fxi_jvp_linear(j, j->n->operand_count);
}
const fxi_grad_rule fxi_gradrule_concatenate = {.vjp = vjp_concatenate, .jvp = jvp_concatenate};
