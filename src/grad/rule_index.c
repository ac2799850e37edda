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
    return fx_pad(v->adjoints[0], fx_scalar_zero(v->b->graph, v->n->shape.dtype), (fx_pads){pads, low.n});
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
    fx_node *const operands[] = {fx_zeros(v->b->graph, &shape), fx_scalar_one(v->b->graph, FX_BOOL)};
    fx_node *filled = fxi_grad_remake(v->b, v->n, operands, NULL, 0, NULL);
    fx_node *zero = fx_scalar_zero(v->b->graph, v->n->shape.dtype);
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
