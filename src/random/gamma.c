/* SPDX-License-Identifier: Apache-2.0 */
/* Gamma values and what is made of them, by their logarithms: for a small alpha nearly all gamma values
 * are too small for any float, and shares of a Dirichlet or beta value are quotients of such.
 *
 * Marsaglia and Tsang (A simple method for generating gamma variables, 2000): with d = alpha - 1/3, t a
 * normal value over 3 sqrt(d) and v = 1 + t, d v^3 is accepted when v > 0 and log u < x^2 / 2 + d (1 - v^3
 * + 3 log v), more than 95 times in 100. For alpha < 1: gamma(alpha) is gamma(alpha + 1) u^(1 / alpha). */
#include "random_internal.h"
#include <fluxion/grad.h>
#include <fluxion/softmax.h>
#include <math.h>

typedef struct trial {
    const fx_shape *shape;
    fx_node *d, *scale, *log_d;
} trial;

static fx_node *try_gamma(const fxi_random *r, const void *user, fx_node **again) {
    const trial *g = user;
    fxi_random second = fxi_random_after(r, fx_shape_size(g->shape), FX_U64);
    fx_node *x = fxi_random_normal_wide(fxi_random_words(r, g->shape, FX_U64));
    fx_node *u = fxi_random_inner(fxi_random_words(&second, g->shape, FX_U64));
    fx_node *t = fx_mul(x, g->scale), *log_v = fx_mul_scalar(fx_log1p(t), 3);
    fx_node *powers = fx_mul(t, fx_add_scalar(fx_mul(t, fx_add_scalar(t, 3)), 3)); /* v^3 - 1 */
    fx_node *bound = fx_add(fx_mul_scalar(fx_mul(x, x), 0.5), fx_mul(g->d, fx_sub(log_v, powers)));
    fx_node *below = fx_less_or_equal(t, fx_scalar(t->graph, FX_F64, -1));
    *again = fx_logical_or(below, fx_greater_or_equal(fx_log(u), bound)); /* false where alpha is NaN */
    return fx_add(log_v, g->log_d);
}

fx_node *fxi_random_log_gamma(fxi_random *r, fx_node *alpha, const fx_shape *shape) {
    fx_graph *graph = r->b.graph;
    int64_t n = fx_shape_size(shape);
    fx_node *zero = fx_scalar_zero(graph, FX_F64), *one = fx_scalar_one(graph, FX_F64);
    alpha = fx_stop_gradient(alpha);
    alpha = fx_select(fx_greater_or_equal(alpha, zero), alpha, fx_scalar(graph, FX_F64, NAN));
    fx_node *small = fx_less(alpha, one), *raised = fx_select(small, fx_add_scalar(alpha, 1), alpha);
    trial g = {.shape = shape, .d = fx_sub_scalar(raised, 1.0 / 3)};
    g.scale = fx_reciprocal(fx_mul_scalar(fx_sqrt(g.d), 3));
    g.log_d = fx_log(g.d);
    fx_shape all = alpha->shape;
    all.dtype = FX_BOOL;
    fx_node *made = fxi_random_reject_long(r, shape, fx_ones(graph, &all), try_gamma, &g);
    *r = fxi_random_after(r, n, FX_U64);
    *r = fxi_random_after(r, n, FX_U64);
    fx_node *log_u = fx_log(fxi_random_inner(fxi_random_words(r, shape, FX_U64)));
    *r = fxi_random_after(r, n, FX_U64);
    return fx_select(small, fx_add(made, fx_div(log_u, alpha)), made);
}

/* The state at which a stream stands now. */
static void finish(const fxi_random *r, const fx_shape *shape, fx_node **new_state) {
    if (new_state) *new_state = fx_shape_size(shape) == 0 ? r->state : fxi_random_state_of(r);
}

fx_node *fx_random_gamma(fx_node *state, fx_node *alpha, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    fx_node *const operands[] = {state, alpha};
    if (!fxi_random_begin(&r, "fx_random_gamma", operands, 2, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_floats(&r, shape)) return r.b.stop;
    fx_node *wide = fxi_random_parameter(&r, "alpha", alpha, shape);
    if (!wide) return r.b.stop;
    fx_node *made = fx_exp(fxi_random_log_gamma(&r, wide, shape));
    finish(&r, shape, new_state);
    return fx_convert(made, shape->dtype);
}

fx_node *fx_random_beta(fx_node *state, fx_node *a, fx_node *b, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    fx_node *const operands[] = {state, a, b};
    if (!fxi_random_begin(&r, "fx_random_beta", operands, 3, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_floats(&r, shape)) return r.b.stop;
    fx_node *wide_a = fxi_random_parameter(&r, "a", a, shape);
    fx_node *wide_b = wide_a ? fxi_random_parameter(&r, "b", b, shape) : NULL;
    if (!wide_b) return r.b.stop;
    fx_node *first = fxi_random_log_gamma(&r, wide_a, shape);
    fx_node *second = fxi_random_log_gamma(&r, wide_b, shape);
    finish(&r, shape, new_state);
    return fx_convert(fx_logistic(fx_sub(first, second)), shape->dtype);
}

fx_node *fx_random_dirichlet(fx_node *state, fx_node *alpha, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    fx_node *const operands[] = {state, alpha};
    if (!fxi_random_begin(&r, "fx_random_dirichlet", operands, 2, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_floats(&r, shape)) return r.b.stop;
    if (shape->rank == 0)
        return fxi_build_refuse(&r.b, FX_ERROR_SHAPE, "a scalar has no axis of shares; the last axis is it");
    fx_node *wide = fxi_random_parameter(&r, "alpha", alpha, shape);
    if (!wide) return r.b.stop;
    fx_node *made = fx_softmax(fxi_random_log_gamma(&r, wide, shape), (fx_axes){(const int[]){-1}, 1});
    finish(&r, shape, new_state);
    return fx_convert(made, shape->dtype);
}
