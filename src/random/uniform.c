/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform and normal values. Complex values draw both parts from one stream, part after part in memory.
 *
 * Ranges. lo + (hi - lo) u is computed in float64 for narrower dtypes, hi - lo with 29 bits and u with 24,
 * so that the product is exact and it does not matter whether a compiler contracts it with the sum. The
 * result is rounded down: a value then stands for the reals up to the next one, and hi, which the
 * unrounded value cannot reach, is never returned. float64 has no wider type: there the last step is a
 * clamp. */
#include "random_internal.h"
#include <math.h>

typedef fx_node *(*real_fn)(const fxi_random *r, const fx_shape *shape, fx_node **new_state);

/* The last axis of 2 as the parts of complex values. */
static fx_node *join_parts(fx_node *parts) {
    int axis = parts->shape.rank - 1;
    const fx_axes last = {&axis, 1};
    return fx_complex(fx_squeeze(fx_slice_axis(parts, axis, 0, 1, 1), last),
                      fx_squeeze(fx_slice_axis(parts, axis, 1, 2, 1), last));
}

/* A function of reals for reals and complex. */
static fx_node *draw(const char *name, fx_node *state, const fx_shape *shape, fx_node **new_state,
                     real_fn make) {
    fxi_random r;
    if (!fxi_random_begin(&r, name, &state, 1, shape, new_state)) return r.b.stop;
    bool is_complex = fx_dtype_is_complex(shape->dtype);
    fx_shape real = *shape;
    real.dtype = fx_dtype_real(shape->dtype);
    if (real.dtype != FX_F64 && real.dtype != FX_F32 && !fx_dtype_is_half(real.dtype))
        return fxi_build_refuse(&r.b, FX_ERROR_DTYPE,
                                "%s is not accepted; float16, bfloat16, float32, float64 and complex are",
                                fx_dtype_name(shape->dtype));
    if (is_complex && real.rank == FX_MAX_RANK)
        return fxi_build_refuse(&r.b, FX_ERROR_SHAPE, "complex values have at most %d axes here",
                                FX_MAX_RANK - 1);
    if (is_complex) real.dims[real.rank++] = 2;
    fx_node *made = make(&r, &real, new_state);
    return is_complex ? join_parts(made) : made;
}

/* ---- uniform ---- */

static fx_node *uniform(const fxi_random *r, const fx_shape *shape, fx_node **new_state) {
    fx_dtype dtype = shape->dtype;
    int p = dtype == FX_F64 ? 53 : dtype == FX_F32 ? 24 : dtype == FX_F16 ? 11 : 8;
    fx_node *words = fxi_random_draw(r, shape, dtype == FX_F64 ? FX_U64 : FX_U32, new_state);
    return fx_convert(fxi_random_unit(words, p), dtype);
}

fx_node *fx_random_uniform(fx_node *state, const fx_shape *shape, fx_node **new_state) {
    return draw("fx_random_uniform", state, shape, new_state, uniform);
}

/* ---- ranges ---- */

static fx_node *round_down(fx_node *x, fx_dtype dtype) {
    fx_node *near = fx_convert(x, dtype), *least = fx_infinity(x->graph, dtype, -1);
    return fx_select(fx_greater(fx_convert(near, FX_F64), x), fx_nextafter(near, least), near);
}

/* lo where the range is empty. */
static fx_node *length_of(fx_node *lo, fx_node *hi) {
    return fx_max(fx_sub(hi, lo), fx_scalar_zero(lo->graph, FX_F64));
}

static fx_node *range_narrow(const fxi_random *r, const fx_shape *shape, fx_node *lo, fx_node *hi) {
    fx_node *low = fx_convert(lo, FX_F64), *length = length_of(low, fx_convert(hi, FX_F64));
    fx_node *u = fx_convert(fxi_random_unit(fxi_random_words(r, shape, FX_U32), 24), FX_F64);
    return round_down(fx_add(low, fx_mul(fx_reduce_precision(length, 11, 28), u)), shape->dtype);
}

/* Halved where hi - lo would overflow. */
static fx_node *range_wide(const fxi_random *r, const fx_shape *shape, fx_node *lo, fx_node *hi) {
    fx_graph *g = r->b.graph;
    fx_node *one = fx_scalar_one(g, FX_F64), *fits = fx_is_finite(fx_sub(hi, lo));
    fx_node *scale = fx_select(fits, one, fx_scalar(g, FX_F64, 0.5));
    fx_node *low = fx_mul(lo, scale), *length = length_of(low, fx_mul(hi, scale));
    fx_node *u = fxi_random_unit(fxi_random_words(r, shape, FX_U64), 53);
    fx_node *x = fx_div(fx_add(low, fx_mul(length, u)), scale);
    return fx_max(lo, fx_min(x, fx_nextafter(hi, fx_infinity(g, FX_F64, -1))));
}

static fx_node *range(const fxi_random *r, const fx_shape *shape, fx_node *lo, fx_node *hi,
                      fx_node **new_state) {
    bool wide = shape->dtype == FX_F64;
    if (new_state) *new_state = fxi_random_advance(r, fx_shape_size(shape), wide ? FX_U64 : FX_U32);
    return wide ? range_wide(r, shape, lo, hi) : range_narrow(r, shape, lo, hi);
}

fx_node *fxi_random_range(const char *name, fx_node *state, double lo, double hi, const fx_shape *shape,
                          fx_node **new_state) {
    fxi_random r;
    if (!fxi_random_begin(&r, name, &state, 1, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_floats(&r, shape)) return r.b.stop;
    double low = fxi_random_rounded(shape->dtype, lo), high = fxi_random_rounded(shape->dtype, hi);
    if (!isfinite(low) || !isfinite(high) || !(low < high))
        return fxi_build_refuse(&r.b, FX_ERROR_ARGUMENT, "the range [%g, %g) %s in %s", lo, hi,
                                low >= high ? "is empty" : "is not finite", fx_dtype_name(shape->dtype));
    return range(&r, shape, fx_scalar(r.b.graph, shape->dtype, lo), fx_scalar(r.b.graph, shape->dtype, hi),
                 new_state);
}

fx_node *fx_random_uniform_range(fx_node *state, double lo, double hi, const fx_shape *shape,
                                 fx_node **new_state) {
    return fxi_random_range("fx_random_uniform_range", state, lo, hi, shape, new_state);
}

fx_node *fx_random_uniform_between(fx_node *state, fx_node *lo, fx_node *hi, const fx_shape *shape,
                                   fx_node **new_state) {
    fxi_random r;
    fx_node *const operands[] = {state, lo, hi};
    if (!fxi_random_begin(&r, "fx_random_uniform_between", operands, 3, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_floats(&r, shape)) return r.b.stop;
    if (!fxi_random_limit(&r, "the lower limit", lo, shape)) return r.b.stop;
    if (!fxi_random_limit(&r, "the upper limit", hi, shape)) return r.b.stop;
    return range(&r, shape, lo, hi, new_state);
}

/* ---- normal ---- */

/* sqrt(2) erf_inv(2 v - 1): v has 52 bits and a half, so that 2 v - 1 is exact, symmetric and never +-1. */
fx_node *fxi_random_normal_wide(fx_node *words) {
    fx_node *u = fx_sub_scalar(fx_mul_scalar(fxi_random_inner(words), 2), 1);
    return fx_mul_scalar(fx_erf_inv(u), 1.41421356237309504880);
}

/* sqrt(-2 log u) cos(2 pi v): u = (k + 1/2) 2^-32 from the lower 32 bits, whose logarithm is exact enough
 * at both ends, v = m 2^-32 from the upper ones, as a signed number: |2 pi v| <= pi. */
static fx_node *normal_narrow(fx_node *words) {
    fx_graph *g = words->graph;
    fx_node *low = fx_convert(words, FX_U32);
    fx_node *high = fx_convert(fx_bitwise_shift_right_logical(words, fx_scalar_int(g, FX_U64, 32)), FX_S32);
    fx_node *u =
        fx_mul(fx_add(fx_convert(low, FX_F32), fx_scalar(g, FX_F32, 0.5)), fx_scalar(g, FX_F32, 0x1p-32));
    fx_node *angle = fx_mul(fx_convert(high, FX_F32), fx_scalar(g, FX_F32, 6.28318530717958647692 * 0x1p-32));
    fx_node *radius = fx_sqrt(fx_mul(fx_log(u), fx_scalar(g, FX_F32, -2)));
    return fx_mul(radius, fx_cos(angle));
}

static fx_node *normal(const fxi_random *r, const fx_shape *shape, fx_node **new_state) {
    fx_node *words = fxi_random_draw(r, shape, FX_U64, new_state);
    return fx_convert(shape->dtype == FX_F64 ? fxi_random_normal_wide(words) : normal_narrow(words),
                      shape->dtype);
}

fx_node *fx_random_normal(fx_node *state, const fx_shape *shape, fx_node **new_state) {
    return draw("fx_random_normal", state, shape, new_state, normal);
}
