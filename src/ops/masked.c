/* SPDX-License-Identifier: Apache-2.0 */
/* Masked reductions: the elements that do not count are replaced by the neutral element, in the kernel that
 * reduces. The mean divides by an exact integer count, never below 1. */
#include "ops/ops.h"
#include <fluxion/masked.h>

static bool begin_masked(fxi_build *b, const char *name, fx_node *x, fx_node **mask) {
    fx_node *const operands[] = {x, *mask};
    if (!fxi_build_begin(b, name, operands, *mask ? 2 : 1)) return false;
    if (*mask) *mask = fxi_build_mask(b, x, *mask);
    return !*mask || (*mask)->op != FX_OP_INERT;
}

static fx_node *masked(const char *name, fx_node *x, fx_node *mask, fx_axes axes, fx_op model,
                       fx_reducer reducer, int sign) {
    fxi_build b;
    fxi_axis_list list;
    if (!begin_masked(&b, name, x, &mask) || !fxi_build_takes(&b, x, model)) return b.stop;
    if (!fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    fx_dtype dtype = x->shape.dtype;
    fx_node *neutral = NULL;
    if (mask) neutral = sign ? fx_infinity(b.graph, dtype, sign) : fx_scalar_zero(b.graph, dtype);
    return fxi_build_over(&list, reducer, mask ? fx_where(mask, x, neutral) : x);
}

/* The number of true elements, at least 1, in a dtype. */
static fx_node *count_of(const fxi_axis_list *list, fx_node *mask, fx_dtype dtype) {
    fx_dtype counter = fxi_dtype_of_count(fx_shape_size(&mask->shape));
    fx_node *count = fxi_build_over(list, fx_reduce_sum, fx_convert(mask, counter));
    return fx_convert(fx_max_scalar(count, 1), dtype);
}

static fx_node *masked_mean(const char *name, fx_node *x, fx_node *mask, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!begin_masked(&b, name, x, &mask) || !fxi_build_floats(&b, x, "mean", FX_OP_EXP)) return b.stop;
    if (!fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    if (!mask) return fxi_build_over(&list, fx_reduce_mean, x);
    fx_node *wide = fxi_build_wide(x);
    fx_node *kept = fx_where(mask, wide, fx_scalar_zero(b.graph, wide->shape.dtype));
    fx_node *sum = fxi_build_over(&list, fx_reduce_sum, kept);
    return fx_convert(fx_div(sum, count_of(&list, mask, wide->shape.dtype)), x->shape.dtype);
}

#define MASKED(word, call)                                                                                   \
    fx_node *fx_masked_reduce_##word(fx_node *x, fx_node *mask, fx_axes axes) {                              \
        const char *name = "fx_masked_reduce_" #word;                                                        \
        return call;                                                                                         \
    }                                                                                                        \
    fx_node *fx_masked_reduce_all_##word(fx_node *x, fx_node *mask) {                                        \
        const char *name = "fx_masked_reduce_all_" #word;                                                    \
        const fx_axes axes = {NULL, 0};                                                                      \
        return call;                                                                                         \
    }
MASKED(sum, masked(name, x, mask, axes, FX_OP_SUB, fx_reduce_sum, 0))
MASKED(mean, masked_mean(name, x, mask, axes))
MASKED(max, masked(name, x, mask, axes, FX_OP_REM, fx_reduce_max, -1))
MASKED(min, masked(name, x, mask, axes, FX_OP_REM, fx_reduce_min, 1))

fx_node *fx_masked_reduce_and_keep(fx_node *x, fx_node *mask, fx_masked_reducer reducer, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    int named[FX_MAX_RANK];
    fx_node *const operands[] = {x, mask};
    if (!fxi_build_begin(&b, "fx_masked_reduce_and_keep", operands, mask ? 2 : 1)) return b.stop;
    if (!reducer) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the reducer is NULL");
    if (!fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    for (size_t i = 0; i < list.n; i++) named[i] = (int)list.v[i];
    return fxi_build_keep(&b, x, reducer(x, mask, (fx_axes){named, list.n}), &list);
}
