/* SPDX-License-Identifier: Apache-2.0 */
/* Counting, and rows of unequal lengths: scatters of ones and of the elements, which drop what lies
 * outside. */
#include "ops/ops.h"
#include <fluxion/grad.h>
#include <fluxion/indices.h>
#include <math.h>

/* ---- counting ---- */

static fx_node *flatten(fx_node *x, bool as_column) {
    const int64_t dims[] = {fx_shape_size(&x->shape), 1};
    return fx_reshape(x, (fx_dims){dims, as_column ? 2 : 1});
}

static bool check_length(const fxi_build *b, const fx_node *x, int64_t length, const char *what) {
    const fx_shape shape = {.dtype = FX_S32, .rank = 1, .dims = {length}};
    if (length < 0 || !fx_shape_is_valid(&shape)) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%lld %s", (long long)length, what);
        return false;
    }
    if (fx_shape_size(&x->shape) <= INT32_MAX) return true;
    fxi_build_refuse(b, FX_ERROR_SHAPE, "%s has more elements than int32 can count",
                     fx_shape_to_text(&x->shape).s);
    return false;
}

static fx_node *count(fx_node *numbers, fx_node *weights, int64_t length) {
    const fx_shape shape = {.dtype = weights->shape.dtype, .rank = 1, .dims = {length}};
    return fx_scatter(flatten(numbers, true), flatten(weights, false), &shape);
}

fx_node *fx_bincount(fx_node *numbers, int64_t length) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_bincount", &numbers, 1)) return b.stop;
    if (!fxi_build_takes(&b, numbers, FX_OP_POPCOUNT) || !check_length(&b, numbers, length, "counters"))
        return b.stop;
    fx_shape shape = numbers->shape;
    shape.dtype = FX_S32;
    return count(numbers, fx_ones(b.graph, &shape), length);
}

fx_node *fx_bincount_weighted(fx_node *numbers, fx_node *weights, int64_t length) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_bincount_weighted", (fx_node *const[]){numbers, weights}, 2)) return b.stop;
    if (!fxi_build_takes(&b, numbers, FX_OP_POPCOUNT) || !fxi_build_takes(&b, weights, FX_OP_SUB))
        return b.stop;
    if (!check_length(&b, numbers, length, "counters")) return b.stop;
    if (!fx_shape_equal_dims(&numbers->shape, &weights->shape))
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "the numbers are %s, the weights %s",
                                fx_shape_to_text(&numbers->shape).s, fx_shape_to_text(&weights->shape).s);
    return count(numbers, weights, length);
}

/* The lower edge of a part, in float64: low + part (high - low) / bins. */
static fx_node *edge_of(fx_node *part, double low, double step) {
    return fx_add_scalar(fx_mul_scalar(part, step), low);
}

/* The quotient may be one part off where an element is next to an edge; comparing with the edges on both
 * sides of it decides. */
fx_node *fx_histogram(fx_node *x, int64_t bins, double low, double high) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_histogram", &x, 1) || !fxi_build_takes(&b, x, FX_OP_REM)) return b.stop;
    if (bins < 1) return fxi_build_refuse(&b, FX_ERROR_ATTRIBUTE, "%lld parts", (long long)bins);
    if (!check_length(&b, x, bins, "parts")) return b.stop;
    if (!isfinite(low) || !isfinite(high) || !(low < high) || !isfinite(high - low))
        return fxi_build_refuse(&b, FX_ERROR_ATTRIBUTE, "the range from %g to %g", low, high);
    double step = (high - low) / (double)bins, last = (double)(bins - 1);
    fx_node *value = fx_convert(x, FX_F64);
    fx_node *part = fx_floor(fx_div_scalar(fx_sub_scalar(value, low), step));
    part = fx_clip_scalar(part, 0, last);
    fx_node *is_below = fx_less(value, edge_of(part, low, step));
    fx_node *is_above = fx_and(fx_greater_or_equal(value, edge_of(fx_add_scalar(part, 1), low, step)),
                               fx_less_scalar(part, last));
    part = fx_add(part, fx_sub(fx_convert(is_above, FX_F64), fx_convert(is_below, FX_F64)));
    fx_node *inside = fx_and(fx_greater_or_equal_scalar(value, low), fx_less_or_equal_scalar(value, high));
    part = fx_where(inside, part, fx_scalar(b.graph, FX_F64, -1));
    fx_shape shape = x->shape;
    shape.dtype = FX_S32;
    return count(fx_convert(part, FX_S64), fx_ones(b.graph, &shape), bins);
}

/* ---- rows of unequal lengths ---- */

/* Elements whose id lies outside read some segment, but are replaced by 0 in the end. */
static fx_node *segment_softmax(const char *name, fx_node *x, fx_node *ids, int64_t segments) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, (fx_node *const[]){x, ids}, 2)) return b.stop;
    if (!fxi_build_floats(&b, x, "softmax", FX_OP_ERF) || !fxi_build_takes(&b, ids, FX_OP_POPCOUNT))
        return b.stop;
    if (x->shape.rank != 1 || !fx_shape_equal_dims(&x->shape, &ids->shape) || segments < 1)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE,
                                "%s, ids %s, %lld segments: there must be a vector with an id "
                                "per element",
                                fx_shape_to_text(&x->shape).s, fx_shape_to_text(&ids->shape).s,
                                (long long)segments);
    const int64_t dims[] = {x->shape.dims[0], 1};
    const fx_dims column = {dims, 2};
    fx_node *wide = fxi_build_wide(x), *index = fx_reshape(ids, column);
    fx_node *largest = fx_segment_max(wide, ids, segments);
    fx_node *zero = fx_scalar_zero(b.graph, wide->shape.dtype),
            *one = fx_scalar_one(b.graph, wide->shape.dtype);
    fx_node *lowest = fx_infinity(b.graph, wide->shape.dtype, -1);
    largest = fx_stop_gradient(fx_where(fx_equal(largest, lowest), zero, largest)); /* as in softmax.c */
    fx_node *terms = fx_exp(fx_sub(wide, fx_gather(largest, index)));
    fx_node *sums = fx_segment_sum(terms, ids, segments);
    sums = fx_where(fx_equal(sums, zero), one, sums);
    fx_node *wide_ids =
        fx_dtype_is_unsigned(ids->shape.dtype) ? fx_convert(ids, FX_U64) : fx_convert(ids, FX_S64);
    fx_node *inside =
        fx_and(fx_greater_or_equal_scalar_int(wide_ids, 0), fx_less_scalar_int(wide_ids, segments));
    return fx_convert(fx_where(inside, fx_div(terms, fx_gather(sums, index)), zero), x->shape.dtype);
}

fx_node *fx_segment_softmax(fx_node *x, fx_node *ids, int64_t segments) {
    return segment_softmax("fx_segment_softmax", x, ids, segments);
}

fx_ragged2d fx_make_ragged2d(int64_t rows, fx_node *flat, fx_node *row_ids) {
    fxi_build b;
    fx_ragged2d ragged = {rows, flat, row_ids};
    if (!fxi_build_begin(&b, "fx_make_ragged2d", (fx_node *const[]){flat, row_ids}, 2))
        return (fx_ragged2d){rows, b.stop, b.stop};
    if (flat->shape.rank != 1 || !fx_shape_equal_dims(&flat->shape, &row_ids->shape) || rows < 0 ||
        !fx_dtype_is_integer(row_ids->shape.dtype))
        ragged.flat = fxi_build_refuse(&b, FX_ERROR_SHAPE,
                                       "%lld rows of %s, row ids %s: there must be a vector and "
                                       "an integer per element",
                                       (long long)rows, fx_shape_to_text(&flat->shape).s,
                                       fx_shape_to_text(&row_ids->shape).s);
    return ragged;
}

fx_node *fx_ragged2d_reduce_sum_cols(fx_ragged2d ragged) {
    return fx_segment_sum(ragged.flat, ragged.row_ids, ragged.rows);
}
fx_node *fx_ragged2d_reduce_max_cols(fx_ragged2d ragged) {
    return fx_segment_max(ragged.flat, ragged.row_ids, ragged.rows);
}
fx_node *fx_ragged2d_reduce_min_cols(fx_ragged2d ragged) {
    return fx_segment_min(ragged.flat, ragged.row_ids, ragged.rows);
}
fx_ragged2d fx_ragged2d_softmax(fx_ragged2d ragged) {
    ragged.flat = segment_softmax("fx_ragged2d_softmax", ragged.flat, ragged.row_ids, ragged.rows);
    return ragged;
}
