/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of adjoints of slices. A value that is split (the gates of a recurrent cell, queries, keys and
 * values) gets from each part an adjoint that is zero elsewhere. Neighbours along one axis are joined to
 * one part instead of being added, so what remains when all parts have arrived is a concatenation, without
 * zeros and sums. Parts arrive in any order, so the sum so far is looked at one addition deep
 * (fxi_grad_sum). */
#include "grad_internal.h"
#include <fluxion/indexing.h>

typedef struct part {
    fx_node *x; /* what is padded */
    fx_dims low, high;
    int axis; /* the only one that is padded, -1: several */
} part;

static bool is_zero(const fx_node *n) {
    if (n->op != FX_OP_CONSTANT) return false;
    const fx_tensor *t = fxi_node_attr(n, FXI_ATTR_VALUE)->u.tensor;
    const unsigned char *bytes = fx_tensor_data(t);
    for (int64_t i = 0, count = fx_shape_bytes(&t->shape); i < count; i++)
        if (bytes[i]) return false;
    return true;
}

static bool read_part(fx_node *n, part *p) {
    if (n->op != FX_OP_PAD || !is_zero(n->operands[1])) return false;
    *p = (part){n->operands[0], fxi_node_ints(n, FXI_ATTR_LOW), fxi_node_ints(n, FXI_ATTR_HIGH), -1};
    const fx_dims interior = fxi_node_ints(n, FXI_ATTR_INTERIOR);
    int padded = 0;
    for (size_t i = 0; i < interior.n; i++) {
        if (interior.v[i] != 0 || p->low.v[i] < 0 || p->high.v[i] < 0) return false;
        if (p->low.v[i] == 0 && p->high.v[i] == 0) continue;
        p->axis = (int)i;
        padded++;
    }
    return padded == 1;
}

/* Parts of a concatenation along the axis count as its operands, so that chains stay flat. */
static bool list_parts(fx_node *x, int axis, fxi_nodes *list) {
    bool joined = x->op == FX_OP_CONCATENATE && fxi_node_int(x, FXI_ATTR_AXIS) == axis;
    bool ok = joined || FXI_PUSH(list, x);
    for (uint32_t i = 0; ok && joined && i < x->operand_count; i++) ok = FXI_PUSH(list, x->operands[i]);
    return ok;
}

/* first and then second, which begins where first ends. */
static fx_node *join(const part *first, const part *second, fx_node *value) {
    fxi_nodes list = {0};
    fx_pad_axis pads[FX_MAX_RANK] = {{0}};
    int axis = first->axis;
    bool ok = list_parts(first->x, axis, &list) && list_parts(second->x, axis, &list);
    fx_node *made = ok ? fx_concatenate((fx_nodes){list.data, list.count}, axis) : NULL;
    fxi_free(list.data);
    pads[axis] = (fx_pad_axis){.start = first->low.v[axis], .end = second->high.v[axis]};
    if (!made || (pads[axis].start == 0 && pads[axis].end == 0)) return made;
    return fx_pad(made, value, (fx_pads){pads, first->low.n});
}

fx_node *fxi_grad_join_pads(fx_node *x, fx_node *y) {
    part a, b;
    if (!read_part(x, &a) || !read_part(y, &b) || a.axis != b.axis) return NULL;
    int64_t a_end = a.low.v[a.axis] + a.x->shape.dims[a.axis],
            b_end = b.low.v[b.axis] + b.x->shape.dims[b.axis];
    if (a_end == b.low.v[b.axis]) return join(&a, &b, x->operands[1]);
    return b_end == a.low.v[a.axis] ? join(&b, &a, x->operands[1]) : NULL;
}
