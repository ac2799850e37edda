/* SPDX-License-Identifier: Apache-2.0 */
/* reduce. A region that is one well-known combination becomes the library's reduction, combined with the
 * initial value unless that is neutral; any other one, and reductions of several operands at once, such as
 * the arg-max that JAX writes, go to fx_reduce_with, which takes closures. StableHLO leaves the order of
 * combination open and wants an associative region, as the library does.
 *
 * A region may work in wider types than the operands have: they are converted first. */
#include "stablehlo/import_rules.h"
#include <fluxion/combine.h>
#include <math.h>

static const fx_reducer of_numbers[] = {fx_reduce_sum, fx_reduce_product, fx_reduce_max, fx_reduce_min,
                                        fx_reduce_bitwise_and, fx_reduce_bitwise_or, fx_reduce_bitwise_xor};
/* A sum of bools is their or, a product their and; the largest is true if any is. */
static const fx_reducer of_bools[] = {fx_reduce_or, fx_reduce_and, fx_reduce_or, fx_reduce_and,
                                      fx_reduce_and, fx_reduce_or, fx_reduce_xor};

/* The library's reduction for a combination, NULL: none. */
static fx_reducer reducer_of(fxi_hlo_combine combine, fx_dtype dtype) {
    bool of_order = combine == FXI_HLO_COMBINE_MAX || combine == FXI_HLO_COMBINE_MIN;
    if (combine > FXI_HLO_COMBINE_XOR || (fx_dtype_is_complex(dtype) && of_order)) return NULL;
    return dtype == FX_BOOL ? of_bools[combine] : of_numbers[combine];
}

/* Whether combining with it changes nothing. */
static bool is_neutral(fxi_hlo_combine combine, const fx_node *initial) {
    bool is_float = fx_dtype_is_float(initial->shape.dtype);
    switch (combine) {
    case FXI_HLO_COMBINE_SUM:
    case FXI_HLO_COMBINE_OR:
    case FXI_HLO_COMBINE_XOR: return fxi_hlo_is_all(initial, 0);
    case FXI_HLO_COMBINE_PRODUCT: return fxi_hlo_is_all(initial, 1);
    case FXI_HLO_COMBINE_MAX: return is_float && fxi_hlo_is_all(initial, -HUGE_VAL);
    case FXI_HLO_COMBINE_MIN: return is_float && fxi_hlo_is_all(initial, HUGE_VAL);
    case FXI_HLO_COMBINE_AND: return initial->shape.dtype == FX_BOOL && fxi_hlo_is_all(initial, 1);
    default: return false;
    }
}

/* Operands and initial values in the dtypes of the region's arguments, the operands first. */
static fx_node **widen(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in) {
    size_t n = op->n_operands / 2;
    const fxi_hlo_region *region = op->regions[0];
    fx_node **all = fxi_arena_alloc(im->arena, 2 * n, sizeof *all);
    if (!all) {
        fxi_hlo_no_memory(im);
        return NULL;
    }
    for (size_t i = 0; i < 2 * n; i++)
        all[i] = fxi_hlo_as(in[i], region->arguments[i % n]->type->shape.dtype);
    return all;
}

/* No axes: each element is combined with the initial value alone. */
static bool combine_once(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node **in, fx_node **out) {
    size_t n = op->n_operands / 2;
    fx_node **pairs = fxi_arena_alloc(im->arena, 2 * n, sizeof *pairs);
    if (!pairs) return fxi_hlo_no_memory(im);
    for (size_t i = 0; i < n; i++) {
        pairs[i] = fxi_hlo_fill(in[n + i], fx_node_shape(in[i]));
        pairs[n + i] = in[i];
    }
    return fxi_hlo_region_map(im, op->regions[0], pairs, 2 * n, out, n);
}

static bool check_reduce(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in) {
    size_t n = op->n_operands / 2;
    const fxi_hlo_region *region = op->regions[0];
    if (n == 0 || op->n_operands % 2 != 0 || op->n_results != n || region->n_arguments != 2 * n)
        return fxi_hlo_wrong(im, op->place, "%zu operands, %zu results and %zu arguments of the region",
                             op->n_operands, op->n_results, region->n_arguments);
    for (size_t i = 0; i < 2 * n; i++) {
        FX_TRY(fxi_hlo_type_check(im, region->arguments[i]->type, op->place));
        if (region->arguments[i]->type->kind != FXI_HLO_TENSOR || in[n + i % n]->shape.rank != 0 ||
            region->arguments[i]->type->shape.dtype != region->arguments[i % n]->type->shape.dtype)
            return fxi_hlo_wrong(im, op->place, "a reduction combines pairs of scalars");
    }
    return true;
}

static bool rule_reduce(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    size_t n = op->n_operands / 2;
    fxi_hlo_axes axes;
    FX_TRY(check_reduce(im, op, in));
    FX_TRY(fxi_hlo_attr_axes(im, op, "dimensions", fx_node_rank(in[0]), &axes));
    fx_node **all = widen(im, op, in);
    if (!all) return false;
    fxi_hlo_combine combine = n == 1 ? fxi_hlo_region_combine(op->regions[0]) : FXI_HLO_COMBINE_OTHER;
    fx_reducer reducer = reducer_of(combine, fx_node_dtype(all[0]));
    if (axes.n == 0) return combine_once(im, op, all, out);
    if (reducer) {
        out[0] = reducer(all[0], fxi_hlo_span_of(&axes));
        if (!is_neutral(combine, all[1])) out[0] = fxi_hlo_combine_two(combine, all[1], out[0]);
        return true;
    }
    fxi_hlo_closure closure = {.im = im, .region = op->regions[0]};
    fx_reduce_with((fx_nodes){all, n}, (fx_nodes){all + n, n}, fxi_hlo_span_of(&axes), fxi_hlo_closure_fn,
                   &closure, out);
    return im->err->code == FX_OK;
}

static const fxi_hlo_row rows[] = {{"stablehlo.reduce", FXI_HLO_ANY, FXI_HLO_ANY, 1, rule_reduce}};
const fxi_hlo_table fxi_hlo_reductions = FXI_HLO_TABLE(rows);
