/* SPDX-License-Identifier: Apache-2.0 */
/* Half types round after every operation and packed integers wrap at their few bits; plugins keep such
 * intermediate values wider, or have no code for them. So what computes with halves is done in float32 and
 * rounded by operations that no compiler removes, and packed integers are bytes that are cut to their bits.
 * Sums of products keep half operands, which devices multiply fast, and have float32 results. */
#include "stablehlo/lower_build.h"

static bool is_packed(fx_dtype dtype) { return fx_dtype_is_integer(dtype) && fx_dtype_bits(dtype) < 8; }

static fx_dtype wide_of(fx_dtype dtype) {
    if (fx_dtype_is_half(dtype)) return FX_F32;
    if (is_packed(dtype)) return fx_dtype_is_signed(dtype) ? FX_S8 : FX_U8;
    return dtype;
}

/* ---- back to the narrow dtype ---- */

/* float16's subnormal numbers are multiples of 2^-24, which reduce_precision would make zero. */
static fx_node *round_half(fx_node *x, fx_dtype dtype) {
    if (dtype == FX_BF16) return fx_convert(fx_reduce_precision(x, 8, 7), dtype);
    fx_node *steps = fx_round(fx_mul(x, fxi_lower_number(x, 0x1p24)));
    fx_node *is_small = fx_less(fx_abs(x), fxi_lower_number(x, 0x1p-14));
    fx_node *small = fx_mul(steps, fxi_lower_number(x, 0x1p-24));
    return fx_convert(fx_select(is_small, small, fx_reduce_precision(x, 5, 10)), dtype);
}

static fx_node *low_bits(fx_node *x, int bits) {
    return fx_and(x, fxi_lower_integer(x, (1 << bits) - 1));
}

/* The low bits of a byte with the highest of them as its sign. */
static fx_node *extend(fx_node *x, int bits) {
    return fx_bitwise_shift_right_arithmetic_scalar(fx_bitwise_shift_left_scalar(x, 8 - bits), 8 - bits);
}

static fx_node *narrow(fx_node *x, fx_dtype dtype) {
    if (x->shape.dtype == dtype || x->op == FX_OP_INERT) return x;
    if (fx_dtype_is_half(dtype)) return round_half(x, dtype);
    int bits = fx_dtype_bits(dtype);
    return fx_convert(fx_dtype_is_signed(dtype) ? extend(x, bits) : low_bits(x, bits), dtype);
}

/* ---- any operation: operands made wide, results narrow again ---- */

/* Bits above the narrow ones are those of the number's sign, or zero; two operations want others. */
static fx_node *widen_operand(const fx_node *node, uint32_t number, fx_node *x) {
    fx_dtype dtype = x->shape.dtype, wide = wide_of(dtype);
    bool products = node->op == FX_OP_DOT_GENERAL || node->op == FX_OP_CONVOLUTION;
    if (wide == dtype || (products && fx_dtype_is_half(dtype))) return x;
    x = fx_convert(x, wide);
    if (!is_packed(dtype) || number > 0) return x;
    int bits = fx_dtype_bits(dtype);
    switch (node->op) {
    case FX_OP_SHIFT_RIGHT_LOGICAL:
    case FX_OP_POPCOUNT: return low_bits(x, bits);
    case FX_OP_CLZ: return fx_bitwise_shift_left_scalar(x, 8 - bits); /* zeros: 8 of them, see below */
    case FX_OP_SHIFT_RIGHT_ARITHMETIC: return extend(x, bits);
    default: return x;
    }
}

/* What stands for no element at all is the end of the wide range. */
static bool may_be_neutral(const fx_node *n) {
    if (n->op != FX_OP_REDUCE && n->op != FX_OP_REDUCE_WINDOW) return false;
    int64_t kind = fxi_node_int(n, FXI_ATTR_KIND);
    return is_packed(n->shape.dtype) && (kind == FXI_MAX || kind == FXI_MIN);
}

static fx_node *into_range(fx_node *x, fx_dtype dtype) {
    fx_node *low = fxi_lower_integer(x, fxi_dtype_lowest(dtype).i);
    return fx_clamp(low, x, fxi_lower_integer(x, fxi_dtype_highest(dtype).i));
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
    for (uint32_t i = 0; i < node->operand_count; i++) wide[i] = widen_operand(node, i, operands[i]);
    fx_node *made = build_wide(b, node, wide);
    fxi_free(wide);
    if (!made || made->op == FX_OP_INERT) return false;
    if (node->op == FX_OP_CLZ) {
        int bits = fx_dtype_bits(node->shape.dtype);
        made = fx_min(made, fxi_lower_integer(made, bits));
    }
    if (may_be_neutral(node)) made = into_range(made, node->shape.dtype);
    for (size_t i = 0; i < fxi_node_results(node); i++)
        results[i] = narrow(fxi_node_result(made, i), fxi_node_result_shape(node, i)->dtype);
    return results[0]->op != FX_OP_INERT;
}

/* ---- which nodes ---- */

static bool computes_halves(const fx_node *n) {
    const fxi_op_info *info = fxi_op_info_of(n->op);
    switch (n->op) {
    case FX_OP_REDUCE:
    case FX_OP_REDUCE_WINDOW: return fxi_node_int(n, FXI_ATTR_KIND) <= FXI_PRODUCT;
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

static bool computes_packed(const fx_node *n) {
    switch (n->op) {
    case FX_OP_REDUCE:
    case FX_OP_REDUCE_WINDOW:
    case FX_OP_ARG_REDUCE:
    case FX_OP_CUMULATIVE:
    case FX_OP_SELECT_AND_SCATTER:
    case FX_OP_TOP_K:
    case FX_OP_SORT:
    case FX_OP_DOT_GENERAL:
    case FX_OP_CONVOLUTION: return true;
    case FX_OP_SCATTER: return fxi_node_int(n, FXI_ATTR_COMBINE) != FXI_SCATTER_UPDATE;
    case FX_OP_SELECT:
    case FX_OP_CONVERT: return false;
    default: return fxi_op_info_of(n->op)->op_class == FXI_CLASS_MAP;
    }
}

const fxi_lowering *fxi_lowering_wide(const fx_node *node) {
    static const fxi_lowering row = {widen, NULL, false};
    if (node->operand_count == 0) return NULL;
    fx_dtype dtype = node->operands[0]->shape.dtype;
    if (fx_dtype_is_half(dtype)) return computes_halves(node) ? &row : NULL;
    return is_packed(dtype) && computes_packed(node) ? &row : NULL;
}
