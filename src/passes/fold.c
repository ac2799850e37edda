/* SPDX-License-Identifier: Apache-2.0 */
/* Constant folding, only where every backend must give these very bits: operations on integers and bool, comparisons, selections,
 * sign changes, and conversions. Results are small (never more than the limit below), so programs do not grow. */
#include "rewrite.h"

enum { FOLD_ELEMENTS = 64 };

static bool is_exact(const fxi_draft *d) {
    if (!fxi_op_is_map(d->op)) return false;
    switch (d->op) {
    case FX_OP_COMPARE: case FX_OP_SELECT: case FX_OP_CONVERT: case FX_OP_NEG: case FX_OP_MAX: case FX_OP_MIN: case FX_OP_IS_FINITE:
    case FX_OP_REAL: case FX_OP_IMAG: case FX_OP_CONJ: case FX_OP_COMPLEX: case FX_OP_COPYSIGN: return true;
    case FX_OP_CLAMP: return true;
    default: break;
    }
    fx_dtype dtype = d->operands[0]->shape.dtype;
    return fx_dtype_is_integer(dtype) || dtype == FX_BOOL;
}

static const fx_tensor *constant_of(const fx_node *n) {
    return n->op == FX_OP_CONSTANT ? fxi_node_attr(n, FXI_ATTR_VALUE)->u.tensor : NULL;
}

static fx_tensor *evaluate(const fxi_draft *d) {
    fx_tensor *result = fx_tensor_new(d->shape, NULL);
    if (!result) return NULL;
    fx_node node = {.op = d->op, .operands = d->all, .attrs = d->attrs, .operand_count = (uint32_t)d->operand_count, .attr_count = (uint32_t)d->attr_count};
    node.shape = *d->shape;
    for (int64_t i = 0, n = fx_shape_size(d->shape); i < n; i++) {
        fxi_scalar in[3];
        for (size_t k = 0; k < d->operand_count; k++) {
            const fx_tensor *t = constant_of(d->operands[k]);
            in[k] = fxi_element_load(t->shape.dtype, t->data, i);
        }
        fxi_element_store(d->shape->dtype, result->data, i, fxi_map_element(&node, in));
    }
    return result;
}

fx_node *fxi_fold(fxi_rewrite *r, const fxi_draft *d) {
    if (d->operand_count == 0 || d->operand_count > 3 || !is_exact(d)) return NULL;
    int64_t size = fx_shape_size(d->shape);
    if (size < 0 || size > FOLD_ELEMENTS) return NULL;
    for (size_t i = 0; i < d->operand_count; i++)
        if (!constant_of(d->operands[i])) return NULL;
    fx_tensor *value = evaluate(d);
    if (!value) {
        r->failed = true;
        return NULL;
    }
    fxi_attr attr = {.id = FXI_ATTR_VALUE};
    attr.u.tensor = value;
    fxi_draft constant = {.op = FX_OP_CONSTANT, .attrs = &attr, .attr_count = 1, .shape = d->shape};
    fx_node *made = fxi_rewrite_add(r, &constant);
    fx_tensor_free(value);
    return made;
}
