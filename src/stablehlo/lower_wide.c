/* SPDX-License-Identifier: Apache-2.0 */
/* Half types round after every operation; plugins keep such intermediate values wider. So what computes with
 * halves is done in float32 and rounded by operations that no compiler removes. Sums of products keep half
 * operands, which devices multiply fast, and have float32 results. */
#include "stablehlo/lower_build.h"

static fx_dtype wide_of(fx_dtype dtype) { return fx_dtype_is_half(dtype) ? FX_F32 : dtype; }

/* ---- back to the narrow dtype ---- */

/* float16's subnormal numbers are multiples of 2^-24, which reduce_precision would make zero. */
static fx_node *round_half(fx_node *x, fx_dtype dtype) {
    if (dtype == FX_BF16) return fx_convert(fx_reduce_precision(x, 8, 7), dtype);
    fx_node *steps = fx_round(fx_mul(x, fxi_lower_number(x, 0x1p24)));
    fx_node *is_small = fx_less(fx_abs(x), fxi_lower_number(x, 0x1p-14));
    fx_node *small = fx_mul(steps, fxi_lower_number(x, 0x1p-24));
    return fx_convert(fx_select(is_small, small, fx_reduce_precision(x, 5, 10)), dtype);
}

static fx_node *narrow(fx_node *x, fx_dtype dtype) {
    return x->shape.dtype == dtype || x->op == FX_OP_INERT ? x : round_half(x, dtype);
}

/* ---- any operation: operands made wide, results narrow again ---- */

static fx_node *widen_operand(const fx_node *node, fx_node *x) {
    bool products = node->op == FX_OP_DOT_GENERAL || node->op == FX_OP_CONVOLUTION;
    return products || !fx_dtype_is_half(x->shape.dtype) ? x : fx_convert(x, FX_F32);
}

static fx_node *build_wide(const fxi_build *b, const fx_node *node, fx_node *const *operands) {
    fxi_attr attr = {.id = FXI_ATTR_COUNT};
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].id == FXI_ATTR_DTYPE) attr = fxi_attr_dtype(wide_of(node->attrs[i].u.dtype));
    return fxi_build_like(b, node, operands, &attr, attr.id == FXI_ATTR_COUNT ? 0 : 1, NULL);
}

static bool widen(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    fx_node **wide = fxi_alloc_zeroed(node->operand_count, sizeof *wide);
    if (!wide) {
        fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < node->operand_count; i++) wide[i] = widen_operand(node, operands[i]);
    fx_node *made = build_wide(b, node, wide);
    fxi_free(wide);
    if (!made || made->op == FX_OP_INERT) return false;
    for (size_t i = 0; i < fxi_node_results(node); i++)
        results[i] = narrow(fxi_node_result(made, i), fxi_node_result_shape(node, i)->dtype);
    return results[0]->op != FX_OP_INERT;
}

/* ---- which nodes ---- */

static bool computes_halves(const fx_node *n) {
    const fxi_op_info *info = fxi_op_info_of(n->op);
    switch (n->op) {
    case FX_OP_REDUCE:
    case FX_OP_REDUCE_WINDOW: /* XLA's CPU plugins end the process over maxima of bfloat16 in a comparator */
        return fxi_node_int(n, FXI_ATTR_KIND) <= FXI_PRODUCT || n->shape.dtype == FX_BF16;
    case FX_OP_SCATTER: return fxi_node_int(n, FXI_ATTR_COMBINE) <= FXI_SCATTER_PRODUCT;
    case FX_OP_CUMULATIVE: {
        int64_t kind = fxi_node_int(n, FXI_ATTR_SCAN);
        return kind != FXI_SCAN_MAX && kind != FXI_SCAN_MIN;
    }
    case FX_OP_SELECT_AND_SCATTER: return true;
    case FX_OP_DOT_GENERAL:
    case FX_OP_CONVOLUTION: return fx_dtype_is_half(n->shape.dtype);
    case FX_OP_REDUCE_PRECISION: return false;
    default: return info->op_class == FXI_CLASS_MAP && info->work > FXI_WORK_EXACT;
    }
}

const fxi_lowering *fxi_lowering_wide(const fx_node *node) {
    static const fxi_lowering row = {widen, NULL, false};
    if (node->operand_count > 0 && fx_dtype_is_half(node->operands[0]->shape.dtype) && computes_halves(node))
        return &row;
    return fxi_lowering_packed(node);
}
