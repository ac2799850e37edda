/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of running sums, products, extremes and logsumexps. All take O(n) operations.
 *
 * y_k = the running value, "before" and "after" in the direction in which it runs.
 * Sum: x-adjoint_j = sum over k >= j of u_k, the running sum backwards.
 * Product: y_k's derivative by x_j is (product before j) (product of x_i, j < i <= k), so with
 *   S_j = u_j + x_{j+1} S_{j+1} the adjoint is (product before j) S_j; no division, so zeros do no harm.
 * Logsumexp: e^(x_j - y_k) = e^(x_j - y_j) a_j a_{j+1} ... with a_i = e^(y_i - y_{i+1}) in [0, 1], so with
 *   S_j = u_j + a_j S_{j+1} the adjoint is e^(x_j - y_j) S_j, which neither overflows nor cancels.
 * Max, min: y is piecewise constant; its stretches are independent. In one, y_k is shared by the c_k elements
 *   up to k that equal it, and x_j gets the sum of u_k / c_k from j to the end of its stretch.
 * Such recurrences, S_j = b_j + a_j S_{j+1} and sums that begin anew, are associative scans. */
#include "grad_internal.h"
#include <fluxion/combine.h>
#include <fluxion/indexing.h>
#include <fluxion/window.h>

typedef struct line {
    const fxi_build *b;
    fx_node *y, *x; /* wide: the running values and what they are of */
    int axis;
    bool backwards;
} line;

/* x moved by one place in the direction of the line: to each element the one before it, and `first`, a
 * scalar, to the first. */
static fx_node *before(fx_node *x, fx_node *first, int axis, bool backwards) {
    fx_pad_axis pads[FX_MAX_RANK] = {{0}};
    pads[axis] = (fx_pad_axis){.start = backwards ? -1 : 1, .end = backwards ? 1 : -1};
    return fx_pad(x, first, (fx_pads){pads, (size_t)x->shape.rank});
}

static fx_node *running(fx_node *x, fxi_scan_kind kind, int axis, bool backwards) {
    static fx_node *(*const functions[][2])(fx_node *,
                                            int) = {[FXI_SCAN_SUM] = {fx_cum_sum, fx_cum_sum_reverse},
                                                    [FXI_SCAN_PRODUCT] = {fx_cum_prod, fx_cum_prod_reverse},
                                                    [FXI_SCAN_MAX] = {fx_cum_max, fx_cum_max_reverse}};
    return functions[kind][backwards](x, axis);
}

fx_node *fxi_grad_product_before(const fxi_build *b, fx_node *x, int axis, bool backwards) {
    fx_node *shifted = before(x, fx_scalar_one(b->graph, x->shape.dtype), axis, backwards);
    return running(shifted, FXI_SCAN_PRODUCT, axis, backwards);
}

/* ---- recurrences ---- */

/* S -> a S + b, the first and then the second. Where an adjoint b is 0 an infinite a does no harm. */
static void compose(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_mul(in[0], in[2]);
    out[1] = fx_add(in[3], fx_strong_mul(in[1], in[2]));
}

/* S_k = b_k + a_k S_{k-1} along an axis. */
static fx_node *linear_recurrence(fx_node *a, fx_node *b, int axis, bool backwards) {
    fx_node *const operands[] = {a, b};
    fx_node *results[2];
    fx_associative_scan((fx_nodes){operands, 2}, axis, backwards, compose, NULL, results);
    return results[1];
}

/* (whether a stretch begins, the sum since it began) */
static void add_within(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_logical_or(in[0], in[2]);
    out[1] = fx_where(in[2], in[3], fx_add(in[1], in[3]));
}

static fx_node *sum_since(fx_node *begins, fx_node *x, int axis, bool backwards) {
    fx_node *const operands[] = {begins, x};
    fx_node *results[2];
    fx_associative_scan((fx_nodes){operands, 2}, axis, backwards, add_within, NULL, results);
    return results[1];
}

static fx_node *zero_of(const line *l, fx_dtype dtype) {
    return fx_scalar_zero(l->b->graph, dtype);
}

/* ---- product ---- */

static fx_node *vjp_product(const line *l, fx_node *u) {
    fx_node *next = before(l->x, zero_of(l, l->x->shape.dtype), l->axis, !l->backwards);
    fx_node *s = linear_recurrence(fxi_grad_conj(next), u, l->axis, !l->backwards);
    return fx_strong_mul(s, fxi_grad_conj(fxi_grad_product_before(l->b, l->x, l->axis, l->backwards)));
}

static fx_node *jvp_product(const line *l, fx_node *t) {
    fx_node *d = fx_strong_mul(t, fxi_grad_product_before(l->b, l->x, l->axis, l->backwards));
    return linear_recurrence(l->x, d, l->axis, l->backwards);
}

/* ---- logsumexp ---- */

/* e^(earlier - later): of two running values -Inf or Inf the later continues the earlier, 1. */
static fx_node *decay(const line *l, fx_node *earlier, fx_node *later) {
    fx_node *stays = fx_logical_and(fx_is_inf(later), fx_equal(earlier, later));
    return fx_exp(fx_where(stays, zero_of(l, l->y->shape.dtype), fx_sub(earlier, later)));
}

/* e^(x - y), 0 where all so far is -Inf. */
static fx_node *weight(const line *l) {
    fx_node *lowest = fx_infinity(l->b->graph, l->y->shape.dtype, -1);
    fx_node *base = fx_where(fx_equal(l->y, lowest), zero_of(l, l->y->shape.dtype), l->y);
    return fx_exp(fx_sub(l->x, base));
}

static fx_node *vjp_logsumexp(const line *l, fx_node *u) {
    fx_node *next = before(l->y, zero_of(l, l->y->shape.dtype), l->axis, !l->backwards);
    return fx_strong_mul(linear_recurrence(decay(l, l->y, next), u, l->axis, !l->backwards), weight(l));
}

static fx_node *jvp_logsumexp(const line *l, fx_node *t) {
    fx_node *previous = before(l->y, zero_of(l, l->y->shape.dtype), l->axis, l->backwards);
    return linear_recurrence(decay(l, previous, l->y), fx_strong_mul(t, weight(l)), l->axis, l->backwards);
}

/* ---- max and min ---- */

typedef struct stretches {
    fx_node *begins;  /* bool: y differs from the one before */
    fx_node *equals;  /* bool: x is the running extreme */
    fx_node *sharing; /* how many elements of the stretch so far equal it */
} stretches;

static stretches stretches_of(const line *l) {
    stretches s;
    fx_shape shape = l->x->shape;
    shape.dtype = fxi_dtype_of_count(shape.dims[l->axis]);
    fx_node *nothing = zero_of(l, shape.dtype), *none = fx_scalar_zero(l->b->graph, FX_BOOL);
    fx_node *previous = before(l->y, zero_of(l, l->y->shape.dtype), l->axis, l->backwards);
    fx_node *has_previous = before(fx_broadcast_to_shape(fx_scalar_one(l->b->graph, FX_BOOL), &shape), none,
                                   l->axis, l->backwards);
    s.begins = fx_logical_not(fx_logical_and(has_previous, fxi_grad_same(l->y, previous)));
    s.equals = fxi_grad_same(l->x, l->y);
    fx_node *ones = fx_convert(s.equals, shape.dtype);
    fx_node *count = running(ones, FXI_SCAN_SUM, l->axis, l->backwards);
    fx_node *earlier = fx_where(s.begins, fx_sub(count, ones), nothing);
    count = fx_sub(count, running(earlier, FXI_SCAN_MAX, l->axis, l->backwards));
    s.sharing = fx_convert(count, l->x->shape.dtype);
    return s;
}

static fx_node *vjp_extreme(const line *l, fx_node *u) {
    const stretches s = stretches_of(l);
    fx_node *last = fx_scalar_one(l->b->graph, FX_BOOL);
    fx_node *ends = before(s.begins, last, l->axis, !l->backwards);
    fx_node *sum = sum_since(ends, fx_div(u, s.sharing), l->axis, !l->backwards);
    return fx_where(s.equals, sum, zero_of(l, sum->shape.dtype));
}

static fx_node *jvp_extreme(const line *l, fx_node *t) {
    const stretches s = stretches_of(l);
    fx_node *taken = fx_where(s.equals, t, zero_of(l, t->shape.dtype));
    return fx_div(sum_since(s.begins, taken, l->axis, l->backwards), s.sharing);
}

/* ---- the rule ---- */

typedef fx_node *(*transform)(const line *l, fx_node *value);

static fx_node *vjp_sum(const line *l, fx_node *u) {
    return running(u, FXI_SCAN_SUM, l->axis, !l->backwards);
}
static fx_node *jvp_sum(const line *l, fx_node *t) {
    return running(t, FXI_SCAN_SUM, l->axis, l->backwards);
}

static const transform transforms[FXI_SCAN_KINDS][2] = {
    [FXI_SCAN_SUM] = {vjp_sum, jvp_sum},
    [FXI_SCAN_PRODUCT] = {vjp_product, jvp_product},
    [FXI_SCAN_MAX] = {vjp_extreme, jvp_extreme},
    [FXI_SCAN_MIN] = {vjp_extreme, jvp_extreme},
    [FXI_SCAN_LOGSUMEXP] = {vjp_logsumexp, jvp_logsumexp},
};

/* The running values, wide: those of halves are not the rounded ones, of which e^(x - y) would be far off. */
static fx_node *running_values(const fxi_build *b, fx_node *n) {
    if (!fx_dtype_is_half(n->shape.dtype)) return n;
    fx_node *const wide[] = {fxi_build_wide(n->operands[0])};
    return fxi_build_like(b, n, wide, NULL, 0, NULL);
}

static fx_node *apply(const fxi_build *b, fx_node *n, fx_node *value, int mode) {
    int64_t kind = fxi_node_int(n, FXI_ATTR_SCAN);
    const line l = {.b = b,
                    .y = kind == FXI_SCAN_LOGSUMEXP ? running_values(b, n) : fxi_build_wide(n),
                    .x = fxi_build_wide(n->operands[0]),
                    .axis = (int)fxi_node_int(n, FXI_ATTR_AXIS),
                    .backwards = fxi_node_int(n, FXI_ATTR_BACKWARDS) != 0};
    fx_node *wide = kind == FXI_SCAN_SUM ? value : fxi_build_wide(value);
    return fx_convert(transforms[kind][mode](&l, wide), n->shape.dtype);
}

static void vjp_cumulative(const fxi_vjp *v) {
    v->out[0] = apply(v->b, v->n, v->adjoints[0], 0);
}
static void jvp_cumulative(const fxi_jvp *j) {
    j->out[0] = apply(j->b, j->n, j->tangents[0], 1);
}
const fxi_grad_rule fxi_gradrule_cumulative = {.vjp = vjp_cumulative, .jvp = jvp_cumulative};
