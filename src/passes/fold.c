/* SPDX-License-Identifier: Apache-2.0 */
/* Constant folding, only where every backend must give these very bits (NaN for NaN): operations on integers
 * and bool, reshapes, and the operations that ops.def calls exact, which select, move or round exactly.
 * Results are small (never more than the limit below), so programs do not grow; larger constants stay what
 * they are, usually a broadcast scalar. */
#include "rewrite.h"

enum { FOLD_ELEMENTS = 64 };

static bool is_exact(const fxi_draft *d) {
    if (!fxi_op_is_map(d->op)) return false;
    fx_dtype dtype = d->operands[0]->shape.dtype;
    if (fx_dtype_is_integer(dtype) || dtype == FX_BOOL) return true;
    if (fx_dtype_is_complex(dtype) && (d->op == FX_OP_ABS || d->op == FX_OP_SIGN)) return false;
    return fxi_op_info_of(d->op)->work == FXI_WORK_EXACT;
}

static const fx_tensor *constant_of(const fx_node *n) {
    return n->op == FX_OP_CONSTANT ? fxi_node_attr(n, FXI_ATTR_VALUE)->u.tensor : NULL;
}

static fx_tensor *evaluate_map(const fxi_draft *d) {
    fx_tensor *result = fx_tensor_new(d->shape, NULL);
    if (!result) return NULL;
    fx_node node = {.op = d->op,
                    .operands = d->all,
                    .attrs = d->attrs,
                    .operand_count = (uint32_t)d->operand_count,
                    .attr_count = (uint32_t)d->attr_count};
    node.shape = *d->shape;
    for (int64_t i = 0, n = fx_shape_size(d->shape); i < n; i++) {
        fxi_scalar in[FXI_MAP_OPERANDS];
        for (size_t k = 0; k < d->operand_count; k++) {
            const fx_tensor *t = constant_of(d->operands[k]);
            in[k] = fxi_element_load(t->shape.dtype, t->data, i);
        }
        fxi_element_store(d->shape->dtype, result->data, i, fxi_map_element(&node, in));
    }
    return result;
}

static bool are_constant(const fxi_draft *d) {
    for (size_t i = 0; i < d->operand_count; i++)
        if (!constant_of(d->operands[i])) return false;
    return d->operand_count > 0;
}

fx_node *fxi_fold(fxi_rewrite *r, const fxi_draft *d) {
    bool moved = d->op == FX_OP_RESHAPE;
    if (d->operand_count > FXI_MAP_OPERANDS || !are_constant(d) || !(moved || is_exact(d))) return NULL;
    int64_t size = fx_shape_size(d->shape);
    if (size < 0 || size > FOLD_ELEMENTS) return NULL;
    fx_tensor *value =
        moved ? fx_tensor_copy_from(d->shape, constant_of(d->operands[0])->data, NULL) : evaluate_map(d);
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
