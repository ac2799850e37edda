/* SPDX-License-Identifier: Apache-2.0 */
/* Normal values between two limits, from one word each by the inverse of the distribution function, in
 * float64. A range that lies more on the left is mirrored, so that its lower limit a is the one nearer to
 * the middle.
 *
 * a < 2: x = sqrt(2) erf_inv(e), where e is uniform between the erf of both limits. a >= 2: erf is 1
 * there. With h(x) the logarithm of the upper tail, the distance d = x - a solves
 *     h(a + d) - h(a) = D,  D = log(1 - u w),  w = 1 - exp(h(b) - h(a)),
 *     h(x) = -x^2 / 2 + log(g(x) / 2),  g(x) = exp(x^2 / 2) erfc(x / sqrt(2)).
 * Without g it is a d + d^2 / 2 = -D, whose root is too large; h is concave, so Newton's steps from there
 * descend to d, and no step takes the difference of large numbers: a = 10^6 is as good as a = 2. */
#include "random_internal.h"
#include <math.h>

#define SQRT_HALF 0.70710678118654752440
#define SQRT_2_BY_PI 0.79788456080286535588
#define TAIL_BEGINS 2.0

typedef struct limits {
    fx_node *a, *b; /* float64 */
} limits;

/* ---- the middle ---- */

/* An e of +-1 would give infinity: rounding must not make one. */
static fx_node *middle(const limits *l, fx_node *u) {
    fx_node *from = fx_erf(fx_mul_scalar(l->a, SQRT_HALF)), *to = fx_erf(fx_mul_scalar(l->b, SQRT_HALF));
    fx_node *e = fx_add(from, fx_mul(u, fx_sub(to, from)));
    const double most = 1 - 0x1p-53;
    return fx_mul_scalar(fx_erf_inv(fx_clip_scalar(e, -most, most)), 2 * SQRT_HALF);
}

/* ---- the tail ---- */

/* g(x), x >= 2: the asymptotic series (Abramowitz and Stegun 26.2.12) where the product would underflow;
 * its next term is below 2^-53 from x = 34 on. */
static fx_node *scaled_tail(fx_node *x) {
    static const double c[] = {-945, 105, -15, 3, -1, 1};
    fx_node *square = fx_mul(x, x), *t = fx_reciprocal(square), *sum = fx_scalar(x->graph, FX_F64, 10395);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) sum = fx_add_scalar(fx_mul(sum, t), c[i]);
    fx_node *far = fx_div(fx_mul_scalar(sum, SQRT_2_BY_PI), x);
    fx_node *near = fx_mul(fx_exp(fx_mul_scalar(square, 0.5)), fx_erfc(fx_mul_scalar(x, SQRT_HALF)));
    return fx_select(fx_less(x, fx_scalar(x->graph, FX_F64, 34)), near, far);
}

/* h(a) - h(a + d). */
static fx_node *descent(const limits *l, fx_node *d, fx_node *tail_a, fx_node *tail_x) {
    fx_node *square = fx_mul(d, fx_add(l->a, fx_mul_scalar(d, 0.5)));
    return fx_sub(square, fx_log(fx_div(tail_x, tail_a)));
}

static fx_node *tail(const limits *l, fx_node *u) {
    fx_node *tail_a = scaled_tail(l->a), *width = fx_sub(l->b, l->a);
    fx_node *weight = fx_neg(fx_expm1(fx_neg(descent(l, width, tail_a, scaled_tail(l->b)))));
    fx_node *target = fx_neg(fx_log1p(fx_neg(fx_mul(u, weight)))), *twice = fx_mul_scalar(target, 2);
    fx_node *d = fx_div(twice, fx_add(l->a, fx_sqrt(fx_add(fx_mul(l->a, l->a), twice))));
    for (int i = 0; i < 3; i++) {
        fx_node *tail_x = scaled_tail(fx_add(l->a, d));
        fx_node *beyond = fx_sub(descent(l, d, tail_a, tail_x), target);
        d = fx_sub(d, fx_mul(beyond, fx_mul_scalar(tail_x, 1 / SQRT_2_BY_PI)));
    }
    return fx_add(l->a, d);
}

/* ---- draws ---- */

static fx_node *words(const fxi_random *r, const fx_shape *shape, fx_node **new_state) {
    return fxi_random_inner(fxi_random_draw(r, shape, shape->dtype == FX_F64 ? FX_U64 : FX_U32, new_state));
}

/* Rounding to the dtype must not leave the range. */
static fx_node *within(fx_node *x, fx_node *lo, fx_node *hi, fx_dtype dtype) {
    return fx_clip(fx_convert(x, dtype), lo, hi);
}

fx_node *fx_random_truncated_normal(fx_node *state, double lo, double hi, const fx_shape *shape,
                                    fx_node **new_state) {
    fxi_random r;
    if (!fxi_random_begin(&r, "fx_random_truncated_normal", &state, 1, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_floats(&r, shape)) return r.b.stop;
    double low = fxi_random_rounded(shape->dtype, lo), high = fxi_random_rounded(shape->dtype, hi);
    if (!(low < high))
        return fxi_build_refuse(&r.b, FX_ERROR_ARGUMENT, "the range [%g, %g] is empty in %s", lo, hi,
                                fx_dtype_name(shape->dtype));
    fx_graph *g = r.b.graph;
    bool mirrored = low + high < 0;
    double a = mirrored ? -high : low, b = mirrored ? -low : high;
    const limits l = {fx_scalar(g, FX_F64, a), fx_scalar(g, FX_F64, b)};
    fx_node *u = words(&r, shape, new_state), *x = a < TAIL_BEGINS ? middle(&l, u) : tail(&l, u);
    return within(mirrored ? fx_neg(x) : x, fx_scalar(g, shape->dtype, low), fx_scalar(g, shape->dtype, high),
                  shape->dtype);
}

fx_node *fx_random_truncated_normal_between(fx_node *state, fx_node *lo, fx_node *hi, const fx_shape *shape,
                                            fx_node **new_state) {
    fxi_random r;
    fx_node *const operands[] = {state, lo, hi};
    if (!fxi_random_begin(&r, "fx_random_truncated_normal_between", operands, 3, shape, new_state))
        return r.b.stop;
    if (!fxi_random_takes_floats(&r, shape)) return r.b.stop;
    if (!fxi_random_limit(&r, "the lower limit", lo, shape)) return r.b.stop;
    if (!fxi_random_limit(&r, "the upper limit", hi, shape)) return r.b.stop;
    fx_graph *g = r.b.graph;
    fx_node *low = fx_convert(lo, FX_F64), *high = fx_convert(hi, FX_F64);
    fx_node *mirrored = fx_less(fx_add(low, high), fx_scalar_zero(g, FX_F64));
    const limits l = {fx_select(mirrored, fx_neg(high), low), fx_select(mirrored, fx_neg(low), high)};
    fx_node *begins = fx_scalar(g, FX_F64, TAIL_BEGINS), *u = words(&r, shape, new_state);
    const limits far = {fx_max(l.a, begins), fx_max(l.b, begins)}; /* so that what is not chosen is finite */
    fx_node *x = fx_select(fx_less(l.a, begins), middle(&l, u), tail(&far, u));
    fx_node *made = within(fx_select(mirrored, fx_neg(x), x), lo, hi, shape->dtype);
    return fx_select(fx_greater(lo, hi), fx_scalar(g, shape->dtype, NAN), made);
}
