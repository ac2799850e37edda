/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of selections. Which element is the largest: the first that equals the reduced value, or the
 * first NaN. The largest k come from chlo.top_k, which has a fast way for float32; it orders floats by their
 * bits, so NaN and zeros lose their signs before, and the elements themselves are fetched by their indices.
 * The smallest k are the first of a sorted line. */
#include "lower_family.h"
#include <fluxion/indexing.h>
#include <fluxion/sorting.h>
#include <math.h>

/* Numbers 0, 1, ... along an axis of x's shape, of a dtype that holds them. */
static fx_node *places_of(const fx_node *x, int axis) {
    fx_shape shape = x->shape;
    shape.dtype = shape.dims[axis] > INT32_MAX ? FX_S64 : FX_S32;
    return fx_iota(x->graph, &shape, axis);
}

/* ---- arg_reduce ---- */

bool fxi_lower_arg_reduce(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                          fx_node **results) {
    (void)b;
    fx_node *x = operands[0];
    int axis = (int)fxi_node_int(node, FXI_ATTR_AXIS);
    const fx_axes axes = {&axis, 1};
    bool largest = fxi_node_int(node, FXI_ATTR_KIND) == FXI_MAX;
    if (x->shape.dtype == FX_BOOL) x = fx_convert(x, FX_U8);
    fx_node *best = fx_reduce_and_keep(x, largest ? fx_reduce_max : fx_reduce_min, axes);
    fx_node *is_best = fx_equal(x, best);
    if (fx_dtype_is_float(x->shape.dtype)) is_best = fx_or(is_best, fx_is_nan(x));
    fx_node *places = places_of(x, axis);
    fx_node *beyond = fxi_lower_integer(places, x->shape.dims[axis]);
    fx_node *first = fx_reduce_min(fx_where(is_best, places, beyond), axes);
    return fxi_lower_give(results, fx_convert(first, node->shape.dtype));
}

/* ---- top_k ---- */

/* NaN positive, zeros positive. */
static fx_node *in_order(fx_node *x) {
    if (!fx_dtype_is_float(x->shape.dtype)) return x;
    fx_node *zero = fxi_lower_number(x, 0);
    return fx_where(fx_is_nan(x), fxi_lower_number(x, NAN), fx_where(fx_equal(x, zero), zero, x));
}

bool fxi_lower_when_top_k_differs(const fx_node *node) {
    return fxi_node_int(node, FXI_ATTR_SMALLEST) || fxi_node_result_shape(node, 1)->dtype != FX_S32 ||
           fx_dtype_is_float(node->shape.dtype);
}

static bool smallest(const fx_node *node, fx_node *x, fx_node **results) {
    int axis = x->shape.rank - 1;
    int64_t k = fxi_node_int(node, FXI_ATTR_K);
    fx_node *sorted[2] = {x, places_of(x, axis)};
    fx_sort_many((fx_nodes){sorted, 2}, 1, axis, true, sorted);
    fx_node *index = fx_slice_axis(sorted[1], axis, 0, k, 1);
    return fxi_lower_give(results, fx_slice_axis(sorted[0], axis, 0, k, 1)) &&
           fxi_lower_give(results + 1, fx_convert(index, fxi_node_result_shape(node, 1)->dtype));
}

bool fxi_lower_top_k(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    fx_node *x = operands[0], *ordered = in_order(x);
    if (fxi_node_int(node, FXI_ATTR_SMALLEST)) return smallest(node, x, results);
    const fxi_attr attr = fxi_attr_dtype(FX_S32);
    fx_node *made = fxi_lower_as_it_is(fxi_build_like(b, node, &ordered, &attr, 1, NULL));
    fx_node *index = fxi_node_result(made, 1);
    results[0] = ordered == x ? made : fx_take_along_axis(x, index, -1);
    results[1] = fx_convert(index, fxi_node_result_shape(node, 1)->dtype);
    return results[0]->op != FX_OP_INERT && results[1]->op != FX_OP_INERT;
}
