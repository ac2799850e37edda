/* SPDX-License-Identifier: Apache-2.0 */
/* What a region of two scalars computes, told from the tree without building anything: reductions, windows
 * and scatters by one of the well-known combinations have ways of their own that are much faster than a
 * closure. Only what is surely such a combination is recognised. */
#include "stablehlo/import.h"

const fxi_hlo_op *fxi_hlo_region_source(const fxi_hlo_region *region, const fxi_hlo_value *value) {
    for (size_t i = region->n_ops; i-- > 0;)
        for (size_t j = 0; j < region->ops[i]->n_results; j++)
            if (region->ops[i]->results[j] == value) return region->ops[i];
    return NULL;
}

static const struct {
    const char *name;
    fxi_hlo_combine combine;
} combinations[] = {
    {"stablehlo.add", FXI_HLO_COMBINE_SUM},
    {"stablehlo.multiply", FXI_HLO_COMBINE_PRODUCT},
    {"stablehlo.maximum", FXI_HLO_COMBINE_MAX},
    {"stablehlo.minimum", FXI_HLO_COMBINE_MIN},
    {"stablehlo.and", FXI_HLO_COMBINE_AND},
    {"stablehlo.or", FXI_HLO_COMBINE_OR},
    {"stablehlo.xor", FXI_HLO_COMBINE_XOR},
};

static fxi_hlo_combine combine_of(const fxi_hlo_op *op) {
    for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++)
        if (fxi_hlo_span_is(op->name, combinations[i].name)) return combinations[i].combine;
    return FXI_HLO_COMBINE_OTHER;
}

static bool is_wider(fx_dtype wide, fx_dtype narrow) {
    return fx_dtype_is_float(wide) && fx_dtype_is_float(narrow) &&
           fx_dtype_bits(wide) > fx_dtype_bits(narrow);
}

/* The operand of a conversion to a wider float (or, `back`, from one); else the value itself. */
static const fxi_hlo_value *skip_convert(const fxi_hlo_region *region, const fxi_hlo_value *value,
                                         bool back) {
    const fxi_hlo_op *op = fxi_hlo_region_source(region, value);
    if (!op || !fxi_hlo_span_is(op->name, "stablehlo.convert") || op->n_operands != 1) return value;
    fx_dtype from = op->operands[0]->type->shape.dtype, to = value->type->shape.dtype;
    return (back ? is_wider(from, to) : is_wider(to, from)) ? op->operands[0] : value;
}

fxi_hlo_combine fxi_hlo_region_combine(const fxi_hlo_region *region) {
    if (region->n_arguments != 2 || region->n_ops == 0) return FXI_HLO_COMBINE_OTHER;
    const fxi_hlo_op *last = region->ops[region->n_ops - 1];
    if (last->n_operands != 1) return FXI_HLO_COMBINE_OTHER;
    const fxi_hlo_value *x = region->arguments[0], *y = region->arguments[1], *result = last->operands[0];
    if (result == x) return FXI_HLO_COMBINE_FIRST;
    if (result == y) return FXI_HLO_COMBINE_SECOND;
    const fxi_hlo_op *op = fxi_hlo_region_source(region, skip_convert(region, result, true));
    if (!op || op->n_operands != 2) return FXI_HLO_COMBINE_OTHER;
    const fxi_hlo_value *a = skip_convert(region, op->operands[0], false);
    const fxi_hlo_value *b = skip_convert(region, op->operands[1], false);
    return (a == x && b == y) || (a == y && b == x) ? combine_of(op) : FXI_HLO_COMBINE_OTHER;
}
