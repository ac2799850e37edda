/* SPDX-License-Identifier: Apache-2.0 */
/* Counts: Poisson and binomial values, computed in float64.
 *
 * Means below 10: sequential search. One u, and the probabilities f(0), f(1), ... are subtracted from it
 * until it is smaller. Means from 10 on: transformed rejection (Hoermann: The transformed rejection method
 * for generating Poisson random variables, 1993, PTRS; The generation of binomial random variates, 1993,
 * BTRS): from u in (-1/2, 1/2), s = 1/2 - |u|, k = floor((2 a / s + b) u + c) is accepted when v <= f(k)
 * (a / s^2 + b) / g. The quick tests of these papers only save logarithms and are left out.
 *
 * Logarithms of probabilities have Loader's form (Fast and accurate computation of binomial probabilities,
 * 2000):
 *     D(k, m) = k log(k / m) + m - k,  r(k) = log k! - k log k + k,
 *     log f(k) = -D(k, mean) - r(k) for Poisson,
 *     log f(k) = -D(k, n p) - D(n - k, n q) - r(k) - r(n - k) + r(n) for binomial values;
 * the terms are as small as the result is, so it is right for every n below 2^53. */
#include "random_internal.h"
#include <fluxion/control.h>
#include <fluxion/grad.h>
#include <math.h>

#define SMALL_MEAN 10.0

static fx_node *number(const fx_node *x, double value) {
    return fx_scalar(x->graph, FX_F64, value);
}
static fx_node *is_zero(fx_node *x) {
    return fx_equal(x, number(x, 0));
}

/* ---- sequential search ---- */

/* f(k + 1) / f(k) = ratio (n - k) / (k + 1); of Poisson values n - k is 1. */
typedef struct search {
    fx_node *ratio, *n; /* n: NULL for Poisson values */
    fx_node *mean;
} search;

enum { COUNT, LEFT, PROBABILITY, SEARCH_STATES, STEPS_PER_ROUND = 8 };

/* Beyond the mean a probability of 2^-60 ends the search: what is left of u is the sums' rounding. */
static fx_node *goes_on(const search *s, fx_node *const *at) {
    fx_node *over =
        fx_logical_and(fx_less(at[PROBABILITY], number(s->mean, 0x1p-60)), fx_greater(at[COUNT], s->mean));
    return fx_logical_and(fx_greater(at[LEFT], at[PROBABILITY]), fx_logical_not(over));
}

static void search_any(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_logical_any(goes_on(user, in), (fx_axes){NULL, 0});
}

static void search_step(const search *s, fx_node **at) {
    fx_node *go = goes_on(s, at), *next = fx_add_scalar(at[COUNT], 1);
    fx_node *factor = fx_div(s->n ? fx_mul(s->ratio, fx_sub(s->n, at[COUNT])) : s->ratio, next);
    fx_node *left = fx_sub(at[LEFT], at[PROBABILITY]);
    at[COUNT] = fx_select(go, next, at[COUNT]);
    at[LEFT] = fx_select(go, left, at[LEFT]);
    at[PROBABILITY] = fx_select(go, fx_mul(at[PROBABILITY], factor), at[PROBABILITY]);
}

static void search_round(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    (void)body, (void)n_in, (void)n_out;
    for (int i = 0; i < SEARCH_STATES; i++) out[i] = in[i];
    for (int i = 0; i < STEPS_PER_ROUND; i++) search_step(user, out);
}

/* first: f(0), with the dimensions of the parameters. */
static fx_node *search_from(const fxi_random *r, search *s, fx_node *first, const fx_shape *shape) {
    fx_node *results[SEARCH_STATES], *u = fxi_random_inner(fxi_random_words(r, shape, FX_U64));
    fx_node *states[] = {fx_zeros_like(u), u,
                         fx_broadcast_to_dims(first, (fx_dims){shape->dims, (size_t)shape->rank})};
    fx_while((fx_nodes){states, SEARCH_STATES}, search_any, search_round, s, results);
    return results[COUNT];
}

/* ---- logarithms of probabilities ---- */

/* D(k, m) from k and d = (k - m) / m. */
static fx_node *deviance(fx_node *k, fx_node *m, fx_node *d) {
    fx_node *inside = fx_sub(fx_mul(fx_add_scalar(d, 1), fx_log1p(d)), d);
    return fx_mul(m, fx_select(is_zero(k), number(k, 1), inside));
}

/* log x! - x log x + x by Stirling's series, x >= 10, from x and log x: its next term is below 10^-15. */
static fx_node *stirling(fx_node *x, fx_node *log_x) {
    static const double c[] = {1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12};
    fx_node *t = fx_reciprocal(x), *square = fx_mul(t, t), *sum = number(x, -691.0 / 360360);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) sum = fx_add_scalar(fx_mul(sum, square), c[i]);
    const double half_log_2_pi = 0.91893853320467274178;
    return fx_add(fx_add_scalar(fx_mul_scalar(log_x, 0.5), half_log_2_pi), fx_mul(sum, t));
}

/* r(k). Below 16 from that of x = k + 10: log k! = log x! - log((k + 1) ... x). */
static fx_node *remainder_of(fx_node *k) {
    fx_node *limit = number(k, 16), *is_small = fx_less(k, limit), *low = fx_min(k, limit);
    fx_node *x = fx_select(is_small, fx_add_scalar(k, 10), k), *log_x = fx_log(x);
    fx_node *made = stirling(x, log_x), *product = fx_add_scalar(low, 1);
    for (int i = 2; i <= 10; i++) product = fx_mul(product, fx_add_scalar(low, i));
    fx_node *k_log_k = fx_mul(low, fx_log(fx_max(low, number(k, 1))));
    fx_node *moved = fx_sub(fx_mul(x, fx_sub_scalar(log_x, 1)), fx_sub(k_log_k, low));
    fx_node *small = fx_add(made, fx_sub(moved, fx_log(product)));
    return fx_select(is_small, small, made);
}

/* ---- transformed rejection ---- */

typedef struct hat {
    const fx_shape *shape;
    fx_node *a, *b, *c, *g; /* of the hat; float64 with the dimensions of the parameters */
    fx_node *mean, *other;  /* n p and n q; other: NULL for Poisson values */
    fx_node *n, *top;       /* of binomial values: the largest value, the logarithm at the mode */
} hat;

fx_node *fxi_random_log_poisson(fx_node *k, fx_node *mean) {
    fx_node *d = fx_div(fx_sub(k, mean), mean);
    return fx_neg(fx_add(deviance(k, mean, d), remainder_of(k)));
}

/* log f(k), but for a constant. */
static fx_node *log_probability(const hat *h, fx_node *k) {
    fx_node *made = fxi_random_log_poisson(k, h->mean);
    if (!h->n) return made;
    fx_node *rest = fx_sub(h->n, k), *d = fx_div(fx_sub(h->mean, k), h->other);
    return fx_sub(made, fx_add(deviance(rest, h->other, d), remainder_of(rest)));
}

static fx_node *try_hat(const fxi_random *r, const void *user, fx_node **again) {
    const hat *h = user;
    fxi_random second = fxi_random_after(r, fx_shape_size(h->shape), FX_U64);
    fx_node *u = fx_sub_scalar(fxi_random_inner(fxi_random_words(r, h->shape, FX_U64)), 0.5);
    fx_node *v = fxi_random_inner(fxi_random_words(&second, h->shape, FX_U64));
    fx_node *s = fx_sub(number(u, 0.5), fx_abs(u)), *a_by_s = fx_div(h->a, s);
    fx_node *k = fx_floor(fx_add(fx_mul(fx_add(fx_mul_scalar(a_by_s, 2), h->b), u), h->c));
    fx_node *outside = fx_less(k, number(k, 0));
    if (h->n) outside = fx_logical_or(outside, fx_greater(k, h->n));
    fx_node *inside = fx_select(outside, number(k, 0), k);
    fx_node *left = fx_log(fx_div(fx_mul(v, h->g), fx_add(fx_div(a_by_s, s), h->b)));
    fx_node *right = log_probability(h, inside);
    if (h->top) right = fx_sub(right, h->top);
    *again = fx_logical_or(outside, fx_greater(left, right));
    return k;
}

/* ---- Poisson ---- */

static fx_node *poisson(const fxi_random *r, fx_node *mean, const fx_shape *shape) {
    fx_node *ten = number(mean, SMALL_MEAN), *zero = number(mean, 0);
    fx_node *large = fx_greater_or_equal(mean, ten);
    hat h = {.shape = shape, .mean = fx_max(mean, ten)};
    h.b = fx_add_scalar(fx_mul_scalar(fx_sqrt(h.mean), 2.53), 0.931);
    h.a = fx_add_scalar(fx_mul_scalar(h.b, 0.02483), -0.059);
    h.c = fx_add_scalar(h.mean, 0.43);
    h.g = fx_add_scalar(fx_div(number(mean, 1.1328), fx_sub_scalar(h.b, 3.4)), 1.1239);
    fx_node *small = fx_select(large, zero, mean);
    search s = {.ratio = small, .mean = small};
    return fx_select(large, fxi_random_reject_long(r, shape, large, try_hat, &h),
                     search_from(r, &s, fx_exp(fx_neg(small)), shape));
}

/* Both ways begin with the same words; only one of them is used. */
static void finish(const fxi_random *r, const fx_shape *shape, fx_node **new_state) {
    const fxi_random second = fxi_random_after(r, fx_shape_size(shape), FX_U64);
    if (new_state) *new_state = fxi_random_advance(&second, fx_shape_size(shape), FX_U64);
}

fx_node *fx_random_poisson(fx_node *state, fx_node *mean, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    fx_node *const operands[] = {state, mean};
    if (!fxi_random_begin(&r, "fx_random_poisson", operands, 2, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_numbers(&r, shape)) return r.b.stop;
    fx_node *wide = fxi_random_parameter(&r, "the mean", mean, shape);
    if (!wide) return r.b.stop;
    wide = fx_stop_gradient(wide);
    finish(&r, shape, new_state);
    fx_node *zero = number(wide, 0),
            *valid = fx_logical_and(fx_greater_or_equal(wide, zero), fx_is_finite(wide));
    fx_node *made = poisson(&r, fx_select(valid, wide, zero), shape);
    return fx_convert(fx_select(valid, made, number(wide, NAN)), shape->dtype);
}

/* ---- binomial ---- */

/* p at most 1/2. */
static fx_node *binomial(const fxi_random *r, fx_node *n, fx_node *p, const fx_shape *shape) {
    fx_node *q = fx_sub(number(p, 1), p), *mean = fx_mul(n, p), *zero = number(p, 0),
            *ten = number(p, SMALL_MEAN);
    fx_node *large = fx_greater_or_equal(mean, ten);
    hat h = {.shape = shape};
    /* a harmless pair where the search is used */
    fx_node *safe_p = fx_select(large, p, number(p, 0.5)), *safe_q = fx_select(large, q, number(p, 0.5));
    h.n = fx_select(large, n, number(p, 2 * SMALL_MEAN));
    h.mean = fx_mul(h.n, safe_p), h.other = fx_mul(h.n, safe_q);
    fx_node *spread = fx_sqrt(fx_mul(h.mean, safe_q));
    h.b = fx_add_scalar(fx_mul_scalar(spread, 2.53), 1.15);
    h.a = fx_add(fx_add_scalar(fx_mul_scalar(h.b, 0.0248), -0.0873), fx_mul_scalar(safe_p, 0.01));
    h.c = fx_add_scalar(h.mean, 0.5);
    h.g = fx_mul(fx_add_scalar(fx_div(number(p, 5.1), h.b), 2.83), spread);
    h.top = log_probability(&h, fx_floor(fx_add(h.mean, safe_p)));
    fx_node *small_n = fx_select(large, zero, n), *small_p = fx_select(large, zero, p);
    search s = {.ratio = fx_div(small_p, q), .n = small_n, .mean = fx_mul(small_n, small_p)};
    fx_node *first = fx_exp(fx_mul(small_n, fx_log1p(fx_neg(small_p))));
    return fx_select(large, fxi_random_reject_long(r, shape, large, try_hat, &h),
                     search_from(r, &s, first, shape));
}

fx_node *fx_random_binomial(fx_node *state, fx_node *n, fx_node *p, const fx_shape *shape,
                            fx_node **new_state) {
    fxi_random r;
    fx_node *const operands[] = {state, n, p};
    if (!fxi_random_begin(&r, "fx_random_binomial", operands, 3, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_numbers(&r, shape)) return r.b.stop;
    fx_node *trials = fxi_random_parameter(&r, "the number of trials", n, shape);
    fx_node *wide = trials ? fxi_random_parameter(&r, "the probability", p, shape) : NULL;
    if (!wide) return r.b.stop;
    finish(&r, shape, new_state);
    trials = fx_floor(fx_stop_gradient(trials)), wide = fx_stop_gradient(wide);
    fx_node *zero = number(wide, 0), *one = number(wide, 1);
    fx_node *valid_p = fx_logical_and(fx_greater_or_equal(wide, zero), fx_less_or_equal(wide, one));
    fx_node *valid_n = fx_logical_and(fx_greater_or_equal(trials, zero), fx_is_finite(trials));
    trials = fx_select(valid_n, trials, zero), wide = fx_select(valid_p, wide, zero);
    fx_node *mirrored = fx_greater(wide, number(wide, 0.5)), *rest = fx_sub(one, wide);
    fx_node *made = binomial(&r, trials, fx_select(mirrored, rest, wide), shape);
    made = fx_select(mirrored, fx_sub(trials, made), made);
    return fx_convert(fx_select(fx_logical_and(valid_n, valid_p), made, number(wide, NAN)), shape->dtype);
}
