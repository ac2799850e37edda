/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operations: all but a few are their row of the op table, hlo column, with operands and result
 * of equal dimensions. Half types and packed integers were widened before (lower_wide.c). */
#include "stablehlo/write.h"

void fxi_write_map(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    char name[FXI_WRITE_NAME];
    fxi_write_name(n->op, name);
    fxi_write_node(w, s, n, name);
}

/* SIGNED and UNSIGNED of integers, UNSIGNED of bool, FLOAT of floats and complex. */
static const char *compare_type(fx_dtype dtype, bool total_order) {
    if (total_order && fx_dtype_is_float(dtype)) return "TOTALORDER";
    switch (fxi_dtype_info_of(dtype)->kind) {
    case FXI_KIND_SIGNED: return "SIGNED";
    case FXI_KIND_UNSIGNED:
    case FXI_KIND_BOOL: return "UNSIGNED";
    default: return "FLOAT";
    }
}

void fxi_write_compare_attrs(fxi_writer *w, fxi_direction direction, fx_dtype dtype, bool total_order) {
    static const char *const words[FXI_DIRECTIONS] = {
        [FXI_EQ] = "EQ", [FXI_NE] = "NE", [FXI_LT] = "LT", [FXI_LE] = "LE", [FXI_GT] = "GT", [FXI_GE] = "GE"};
    fxi_write_attr_word(w, "comparison_direction", "comparison_direction", words[direction]);
    fxi_write_attr_word(w, "compare_type", "comparison_type", compare_type(dtype, total_order));
}

void fxi_write_node_compare(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_compare_attrs(w, (fxi_direction)fxi_node_int(n, FXI_ATTR_DIRECTION),
                            n->operands[0]->shape.dtype, fxi_node_int(n, FXI_ATTR_TOTAL_ORDER) != 0);
    fxi_write_node(w, s, n, "stablehlo.compare");
}

void fxi_write_reduce_precision(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_attr(w, "exponent_bits", "%lld : i32", (long long)fxi_node_int(n, FXI_ATTR_EXPONENT));
    fxi_write_attr(w, "mantissa_bits", "%lld : i32", (long long)fxi_node_int(n, FXI_ATTR_MANTISSA));
    fxi_write_node(w, s, n, "stablehlo.reduce_precision");
}
