/* SPDX-License-Identifier: Apache-2.0 */
/* What rules are made of. */
#include "grad_internal.h"

bool fxi_grad_carries(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype);
}

fx_node *fxi_grad_sum(fx_node *x, fx_node *y) {
    if (!x || !y) return x ? x : y;
    return fx_add(x, y);
}

fx_node *fxi_grad_or_zeros(const fxi_build *b, fx_node *x, const fx_shape *shape) {
    return x ? x : fx_zeros(b->graph, shape);
}

fx_node *fxi_grad_conj(fx_node *x) {
    return x && fx_dtype_is_complex(x->shape.dtype) ? fx_conj(x) : x;
}

enum { MOST_ATTRS = 16 };

fx_node *fxi_grad_remake(const fxi_build *b, const fx_node *n, fx_node *const *operands,
                         const fxi_attr *attrs, size_t attr_count, const fx_shape *shape) {
    fxi_attr list[MOST_ATTRS];
    if (n->attr_count > MOST_ATTRS) return fxi_build_refuse(b, FX_ERROR_INTERNAL, "too many attributes");
    for (uint32_t i = 0; i < n->attr_count; i++) {
        list[i] = n->attrs[i];
        for (size_t k = 0; k < attr_count; k++)
            if (attrs[k].id == list[i].id) list[i] = attrs[k];
    }
    return fxi_build_node(b, n->op, operands, n->operand_count, list, n->attr_count, shape);
}

/* n's operands in a list of their own, where rules put tangents in their places. */
static fx_node **copy_operands(const fxi_jvp *j) {
    fx_node **copy = fxi_alloc_zeroed(j->n->operand_count + 1u, sizeof *copy);
    if (!copy) fxi_build_refuse(j->b, FX_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; copy && i < j->n->operand_count; i++) copy[i] = j->n->operands[i];
    return copy;
}

void fxi_jvp_linear(const fxi_jvp *j, uint32_t linear) {
    fx_node **operands = copy_operands(j);
    if (!operands) return;
    for (uint32_t i = 0; i < linear && i < j->n->operand_count; i++)
        operands[i] = fxi_grad_or_zeros(j->b, j->tangents[i], &j->n->operands[i]->shape);
    j->out[0] = fxi_grad_remake(j->b, j->n, operands, NULL, 0, &j->n->shape);
    fxi_free(operands);
}

void fxi_jvp_bilinear(const fxi_jvp *j) {
    fx_node **operands = copy_operands(j);
    for (uint32_t i = 0; operands && i < 2; i++) {
        if (!j->tangents[i]) continue;
        operands[i] = j->tangents[i];
        j->out[0] = fxi_grad_sum(j->out[0], fxi_grad_remake(j->b, j->n, operands, NULL, 0, &j->n->shape));
        operands[i] = j->n->operands[i];
    }
    fxi_free(operands);
}
