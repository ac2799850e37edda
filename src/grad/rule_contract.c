/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of dot_general. It is linear in each operand; its transpose by one is a dot_general of the
 * adjoint and the other, which sums over the other's free axes. Of the two orders of its operands the one is
 * taken whose result has its axes where the operand has them, so that matrix products are followed by no
 * transpose. Products stay IEEE: an infinite weight times an adjoint of 0 is NaN.
 *
 * A product may have a wider dtype than its operands; then its adjoint has it too, the other operand is
 * widened to it, and the result narrowed at the end: nothing is rounded on the way. */
#include "grad_internal.h"

/* The axes of one operand, of a node whose sides are called `own` (differentiated by) and `other`. */
typedef struct dot_sides {
    fx_dims own_batch, other_batch, own_contract, other_contract;
    const fx_shape *own, *other;
    bool own_first; /* own is operand 0: its free axes come first in the result */
} dot_sides;

static dot_sides sides_of(const fx_node *n, int i) {
    static const fxi_attr_id batch[] = {FXI_ATTR_LHS_BATCH, FXI_ATTR_RHS_BATCH};
    static const fxi_attr_id contract[] = {FXI_ATTR_LHS_CONTRACT, FXI_ATTR_RHS_CONTRACT};
    return (dot_sides){.own_batch = fxi_node_ints(n, batch[i]),
                       .other_batch = fxi_node_ints(n, batch[1 - i]),
                       .own_contract = fxi_node_ints(n, contract[i]),
                       .other_contract = fxi_node_ints(n, contract[1 - i]),
                       .own = &n->operands[i]->shape,
                       .other = &n->operands[1 - i]->shape,
                       .own_first = i == 0};
}

typedef struct axis_array {
    int v[FX_MAX_RANK];
    size_t n;
} axis_array;

static void push(axis_array *list, int64_t axis) {
    list->v[list->n++] = (int)axis;
}

static axis_array free_axes(const fx_shape *shape, fx_dims batch, fx_dims contract) {
    axis_array list = {.n = 0};
    for (int i = 0; i < shape->rank; i++)
        if (!fxi_dims_has(batch, i) && !fxi_dims_has(contract, i)) push(&list, i);
    return list;
}

/* The product of adjoint and other has these axes of own after the batch axes: the free ones, in order, and
 * the contracted ones, in the order that their partners have in other. */
static axis_array contracted_order(const dot_sides *s) {
    axis_array list = {.n = 0};
    for (int i = 0; i < s->other->rank; i++)
        for (size_t k = 0; k < s->other_contract.n; k++)
            if (s->other_contract.v[k] == i) push(&list, s->own_contract.v[k]);
    return list;
}

/* Which axis of own each axis of the product is, with own's free axes first or last. */
static axis_array origins(const dot_sides *s, bool free_first) {
    axis_array list = {.n = 0};
    const axis_array parts[] = {free_axes(s->own, s->own_batch, s->own_contract), contracted_order(s)};
    for (size_t i = 0; i < s->own_batch.n; i++) push(&list, s->own_batch.v[i]);
    for (int part = 0; part < 2; part++) {
        const axis_array *p = &parts[free_first ? part : 1 - part];
        for (size_t i = 0; i < p->n; i++) push(&list, p->v[i]);
    }
    return list;
}

static bool in_order(const axis_array *list) {
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i] != (int)i) return false;
    return true;
}

static fx_node *back_in_order(fx_node *product, const axis_array *origin) {
    axis_array permutation = {.n = origin->n};
    for (size_t i = 0; i < origin->n; i++) permutation.v[origin->v[i]] = (int)i;
    return fx_transpose_all_axes(product, (fx_axes){permutation.v, permutation.n});
}

static fx_node *transposed_dot(const dot_sides *s, fx_node *adjoint, fx_node *other) {
    axis_array batch = {.n = 0}, other_batch = {.n = 0}, summed = {.n = 0};
    axis_array own_free = free_axes(s->own, s->own_batch, s->own_contract),
               other_free = free_axes(s->other, s->other_batch, s->other_contract);
    for (size_t i = 0; i < s->own_batch.n; i++) {
        push(&batch, (int64_t)i);
        push(&other_batch, s->other_batch.v[i]);
    }
    size_t first = s->own_batch.n + (s->own_first ? own_free.n : 0);
    for (size_t i = 0; i < other_free.n; i++) push(&summed, (int64_t)(first + i));
    const fx_axes adjoint_batch = {batch.v, batch.n}, adjoint_summed = {summed.v, summed.n},
                  own_batch = {other_batch.v, other_batch.n}, own_summed = {other_free.v, other_free.n};
    axis_array origin = origins(s, true), swapped = origins(s, false);
    if (!in_order(&origin) && in_order(&swapped))
        return fx_dot_general(other, own_summed, own_batch, adjoint, adjoint_summed, adjoint_batch);
    fx_node *product = fx_dot_general(adjoint, adjoint_summed, adjoint_batch, other, own_summed, own_batch);
    return back_in_order(product, &origin);
}

static void vjp_dot_general(const fxi_vjp *v) {
    for (int i = 0; i < 2; i++) {
        if (!v->wanted[i]) continue;
        const dot_sides s = sides_of(v->n, i);
        fx_node *other = fxi_grad_conj(fx_convert(v->n->operands[1 - i], v->n->shape.dtype));
        v->out[i] = fx_convert(transposed_dot(&s, v->adjoints[0], other), s.own->dtype);
    }
}
const fxi_grad_rule fxi_gradrule_dot_general = {.vjp = vjp_dot_general, .jvp = fxi_jvp_bilinear};
