/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: for each result element one walk over the reduced axes. Sums are the only kind whose order
 * shows in the result; they are carried in double for float32 and narrower and in extended precision for
 * float64, rounded once at the end, so that they are closer to the exact sum than any order a backend may
 * choose. Everything else combines by ops/element.c. */
#include "interp_internal.h"
#include "ops/ops.h"
#include <math.h>

/* ---- splitting the axes ---- */

static void split_axes(const fx_shape *operand, fx_dims axes, fxi_interp_cursor *kept,
                       fxi_interp_cursor *reduced) {
    int64_t strides[FX_MAX_RANK];
    fxi_shape_strides(operand, strides);
    for (int i = 0; i < operand->rank; i++)
        fxi_interp_add_axis(fxi_dims_has(axes, i) ? reduced : kept, operand->dims[i], strides[i]);
}

/* ---- one result element; `start` is its offset in the operand ---- */

static fxi_scalar sum_elements(const fx_tensor *x, int64_t start, fxi_interp_cursor *walk, int64_t count) {
    fx_dtype dtype = x->shape.dtype;
    fxi_scalar sum = {0};
    for (int64_t i = 0; i < count; i++, fxi_interp_advance(walk)) {
        fxi_scalar v = fxi_element_load(dtype, x->data, start + walk->offset);
        sum.re += v.re;
        sum.im += v.im;
    }
    return sum;
}

static fxi_scalar sum_elements_wide(const fx_tensor *x, int64_t start, fxi_interp_cursor *walk,
                                    int64_t count) {
    fx_dtype dtype = x->shape.dtype;
    long double re = 0, im = 0;
    for (int64_t i = 0; i < count; i++, fxi_interp_advance(walk)) {
        fxi_scalar v = fxi_element_load(dtype, x->data, start + walk->offset);
        re += v.re;
        im += v.im;
    }
    return (fxi_scalar){.re = (double)re, .im = (double)im};
}

static fxi_scalar combine_elements(fxi_reduce_kind kind, const fx_tensor *x, int64_t start,
                                   fxi_interp_cursor *walk, int64_t count) {
    fx_dtype dtype = x->shape.dtype;
    fxi_scalar result = fxi_reduce_neutral(kind, dtype);
    for (int64_t i = 0; i < count; i++, fxi_interp_advance(walk))
        result =
            fxi_reduce_combine(kind, dtype, result, fxi_element_load(dtype, x->data, start + walk->offset));
    return result;
}

bool fxi_interp_reduce(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    (void)err;
    const fx_tensor *x = operands[0];
    fxi_reduce_kind kind = (fxi_reduce_kind)fxi_node_int(node, FXI_ATTR_KIND);
    fxi_interp_cursor kept = {0}, reduced = {0};
    split_axes(&x->shape, fxi_node_ints(node, FXI_ATTR_AXES), &kept, &reduced);
    int64_t count = fx_shape_size(&result->shape);
    if (count == 0) return true;
    int64_t inner = fxi_interp_size(&reduced);
    fx_dtype real = fx_dtype_real(x->shape.dtype);
    bool sums_floats = kind == FXI_SUM && fx_dtype_is_float(real);
    for (int64_t i = 0; i < count; i++, fxi_interp_advance(&kept)) {
        fxi_scalar value = !sums_floats     ? combine_elements(kind, x, kept.offset, &reduced, inner)
                           : real == FX_F64 ? sum_elements_wide(x, kept.offset, &reduced, inner)
                                            : sum_elements(x, kept.offset, &reduced, inner);
        fxi_element_store(result->shape.dtype, result->data, i, value);
    }
    return true;
}

/* ---- index of the largest or smallest ---- */

/* Whether v replaces best: a NaN does unless best is one, else a strictly better value (so the first of
 * equals stays). */
static bool is_better(fxi_reduce_kind kind, const fxi_dtype_info *info, fxi_scalar v, fxi_scalar best) {
    bool less, greater;
    if (info->kind == FXI_KIND_FLOAT) {
        if (isnan(v.re) || isnan(best.re)) return isnan(v.re) && !isnan(best.re);
        less = v.re < best.re;
        greater = v.re > best.re;
    } else if (info->kind == FXI_KIND_SIGNED) {
        less = v.i < best.i;
        greater = v.i > best.i;
    } else {
        less = (uint64_t)v.i < (uint64_t)best.i;
        greater = (uint64_t)v.i > (uint64_t)best.i;
    }
    return kind == FXI_MAX ? greater : less;
}

bool fxi_interp_arg_reduce(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                           fx_error *err) {
    (void)err;
    const fx_tensor *x = operands[0];
    fxi_reduce_kind kind = (fxi_reduce_kind)fxi_node_int(node, FXI_ATTR_KIND);
    int64_t axis = fxi_node_int(node, FXI_ATTR_AXIS), count = fx_shape_size(&result->shape);
    const fxi_dtype_info *info = fxi_dtype_info_of(x->shape.dtype);
    fxi_interp_cursor kept = {0}, along = {0};
    split_axes(&x->shape, (fx_dims){&axis, 1}, &kept, &along);
    for (int64_t i = 0; i < count; i++, fxi_interp_advance(&kept)) {
        fxi_scalar best = {0}, index = {0};
        for (int64_t j = 0; j < along.dims[0]; j++, fxi_interp_advance(&along)) {
            fxi_scalar v = fxi_element_load(x->shape.dtype, x->data, kept.offset + along.offset);
            if (j > 0 && !is_better(kind, info, v, best)) continue;
            best = v;
            index.i = j;
        }
        fxi_scalar stored = fxi_scalar_convert(index, FX_S64, result->shape.dtype);
        fxi_element_store(result->shape.dtype, result->data, i, stored);
    }
    return true;
}
