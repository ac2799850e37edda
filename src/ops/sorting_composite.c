/* SPDX-License-Identifier: Apache-2.0 */
/* What sorted lines are good for: quantiles, searching in them, distinct values. */
#include "ops/ops.h"
#include <fluxion/indexing.h>
#include <fluxion/sorting.h>
#include <fluxion/window.h>
#include <math.h>

static fx_node *index_number(const fxi_build *b, fx_dtype dtype, int64_t value) {
    return fx_scalar_int(b->graph, dtype, value);
}

/* ---- quantiles ---- */

/* Element i of each line along the axis, which goes. */
static fx_node *pick(fx_node *x, int64_t axis, int64_t i) {
    return fx_squeeze(fx_slice_axis(x, (int)axis, i, i + 1, 1), (fx_axes){(int[]){(int)axis}, 1});
}

static fx_node *quantile_of_nothing(const fxi_build *b, const fx_node *x, int64_t axis) {
    fx_shape shape = x->shape;
    shape.rank--;
    for (int i = (int)axis; i < shape.rank; i++) shape.dims[i] = shape.dims[i + 1];
    return fx_fill_scalar(b->graph, &shape, NAN);
}

/* Between neighbours: low (1 - t) + high t overflows nowhere and keeps an infinity, but for equal
 * neighbours, which stay. */
static fx_node *quantile(const fxi_build *b, fx_node *x, double q, int axis) {
    int64_t along;
    if (!fxi_build_takes(b, x, FX_OP_FLOOR) || !fxi_build_axis(b, x, axis, &along)) return b->stop;
    int64_t n = x->shape.dims[along];
    if (n == 0) return quantile_of_nothing(b, x, along);
    double position = q * (double)(n - 1), t = position - floor(position);
    int64_t at = (int64_t)position;
    fx_node *sorted = fx_sort(x, (int)along, true), *last = pick(sorted, along, n - 1),
            *value = pick(sorted, along, at);
    if (t > 0 && at + 1 < n) {
        fx_dtype dtype = x->shape.dtype;
        fx_dtype wide = fx_dtype_is_half(dtype) ? FX_F32 : dtype; /* rounded once */
        fx_node *low = fx_convert(value, wide), *high = fx_convert(pick(sorted, along, at + 1), wide);
        fx_node *between = fx_add(fx_mul_scalar(low, 1 - t), fx_mul_scalar(high, t));
        value = fx_convert(fx_where(fx_equal(low, high), low, between), dtype);
    }
    return fx_where(fx_is_nan(last), last, value);
}

fx_node *fx_quantile(fx_node *x, double q, int axis) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_quantile", &x, 1)) return b.stop;
    if (!(q >= 0 && q <= 1))
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "q is %g; it must be from 0 to 1", q);
    return quantile(&b, x, q, axis);
}

fx_node *fx_median(fx_node *x, int axis) {
    fxi_build b;
    return fxi_build_begin(&b, "fx_median", &x, 1) ? quantile(&b, x, 0.5, axis) : b.stop;
}

/* ---- search ---- */

/* Whether a comes before b in sorted order. */
static fx_node *comes_before(fx_node *a, fx_node *b) {
    fx_node *less = fx_less(a, b);
    if (!fx_dtype_is_float(a->shape.dtype)) return less;
    return fx_or(less, fx_and(fx_is_nan(b), fx_not(fx_is_nan(a))));
}

static bool check_search(const fxi_build *b, const fx_node *sorted, const fx_node *values) {
    if (!fxi_build_takes(b, sorted, FX_OP_MAX)) return false;
    if (sorted->shape.rank != 1)
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%s must have one axis", fx_shape_to_text(&sorted->shape).s);
    else if (sorted->shape.dtype != values->shape.dtype)
        fxi_build_refuse(b, FX_ERROR_DTYPE, "the dtypes %s and %s must be equal",
                         fx_dtype_name(sorted->shape.dtype), fx_dtype_name(values->shape.dtype));
    else return true;
    return false;
}

/* Binary search for all values at once: `found` elements are known to come before the value; a step asks
 * whether `step` more do. The steps are the powers of two from the largest that fits. */
fx_node *fx_searchsorted(fx_node *sorted, fx_node *values, bool right) {
    fxi_build b;
    fx_node *const operands[] = {sorted, values};
    if (!fxi_build_begin(&b, "fx_searchsorted", operands, 2) || !check_search(&b, sorted, values))
        return b.stop;
    int64_t n = sorted->shape.dims[0], step = 1;
    fx_dtype dtype = fxi_dtype_of_count(n);
    fx_shape shape = values->shape, with_axis = values->shape;
    shape.dtype = with_axis.dtype = dtype;
    if (shape.rank == FX_MAX_RANK)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "values have %d axes; there may be at most %d",
                                FX_MAX_RANK, FX_MAX_RANK - 1);
    with_axis.dims[with_axis.rank++] = 1;
    fx_node *found = fx_fill_scalar(b.graph, &shape, 0);
    if (n == 0 || fx_shape_size(&shape) == 0) return found;
    while (step <= n / 2) step *= 2;
    for (; step > 0; step /= 2) {
        fx_node *next = fx_add_scalar_int(found, step);
        fx_node *last = fx_gather(sorted, fx_reshape_with_shape(fx_add_scalar_int(next, -1), &with_axis));
        fx_node *before = right ? fx_not(comes_before(values, last)) : comes_before(last, values);
        found = fx_where(fx_and(before, fx_less_or_equal(next, index_number(&b, dtype, n))), next, found);
    }
    return found;
}

/* ---- distinct values ---- */

/* Which elements of a sorted vector differ from the one before. */
static fx_node *starts_of_runs(const fxi_build *b, fx_node *sorted, int64_t n) {
    fx_node *before = fx_slice_axis(sorted, 0, 0, n - 1, 1), *here = fx_slice_axis(sorted, 0, 1, n, 1);
    fx_node *differs = fx_not_equal(here, before);
    if (fx_dtype_is_float(sorted->shape.dtype) || fx_dtype_is_complex(sorted->shape.dtype))
        differs = fx_and(differs, fx_not(fx_and(fx_is_nan(here), fx_is_nan(before))));
    fx_shape one = {.dtype = FX_BOOL, .rank = 1, .dims = {1}};
    return fx_concatenate((fx_nodes){(fx_node *[]){fx_fill_scalar(b->graph, &one, 1), differs}, 2}, 0);
}

static fx_node *fill_of(const fxi_build *b, fx_node *sorted, fx_node *fill, int64_t n) {
    if (fill) return fill;
    return n ? fx_reshape(fx_slice_axis(sorted, 0, 0, 1, 1), (fx_dims){0})
             : fx_scalar_zero(b->graph, sorted->shape.dtype);
}

static bool check_unique(const fxi_build *b, fx_node *x, int64_t size, const fx_node *fill) {
    if (!fxi_build_takes(b, x, FX_OP_COMPARE)) return false;
    fx_shape shape = {.dtype = x->shape.dtype, .rank = 1, .dims = {size}};
    if (size < 0 || !fx_shape_is_valid(&shape))
        fxi_build_refuse(b, FX_ERROR_SHAPE, "the size is %lld", (long long)size);
    else if (fill && (fill->shape.rank != 0 || fill->shape.dtype != x->shape.dtype))
        fxi_build_refuse(b, FX_ERROR_SHAPE, "the fill is %s; it must be a scalar of dtype %s",
                         fx_shape_to_text(&fill->shape).s, fx_dtype_name(x->shape.dtype));
    else return true;
    return false;
}

fx_node *fx_unique(fx_node *x, int64_t size, fx_node *fill, fx_node **count) {
    fxi_build b;
    fx_node *const operands[] = {x, fill};
    if (count) *count = NULL;
    if (!fxi_build_begin(&b, "fx_unique", operands, fill ? 2 : 1)) return count ? (*count = b.stop) : b.stop;
    if (!check_unique(&b, x, size, fill)) return count ? (*count = b.stop) : b.stop;
    int64_t n = fx_shape_size(&x->shape);
    fx_dtype dtype = fxi_dtype_of_count(fxi_size_max(n, size));
    fx_node *sorted = fx_sort(fx_reshape(x, (fx_dims){&n, 1}), 0, true);
    fx_node *filled = fx_broadcast_to_dims(fill_of(&b, sorted, fill, n), (fx_dims){&size, 1});
    if (n == 0) {
        if (count) *count = index_number(&b, dtype, 0);
        return filled;
    }
    fx_node *first = starts_of_runs(&b, sorted, n), *run = fx_cum_sum(fx_convert(first, dtype), 0);
    if (count) *count = pick(run, 0, n - 1);
    /* Others are placed where nothing is. */
    fx_node *place = fx_where(first, fx_add_scalar_int(run, -1), index_number(&b, dtype, size));
    return fx_scatter_update(filled, fx_reshape(place, (fx_dims){(int64_t[]){n, 1}, 2}), sorted);
}
