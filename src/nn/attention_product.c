/* SPDX-License-Identifier: Apache-2.0 */
/* The products of attention, in which a key that is not seen is skipped: coefficients are 0 there, but 0
 * times a NaN of an unwritten row would be NaN.
 *
 * Where the limits are the same for all queries of a key head, what no query sees is replaced by zeros
 * first. Else a row may be seen by one query and not by another. The plain product is right as long as
 * everything it reads is finite; whether that is so is found at run time, at the cost of reading the rows
 * once more, and where it is not, the product of what is finite gets an Inf or NaN for each query that sees
 * one. Products in the gradient of such a product are of the same kind, so they have a derivative of their
 * own here.
 *
 * Heads that share a key head are one longer list of queries, [batch, key heads, group queries, ...]. */
#include "attention_internal.h"
#include <fluxion/activation.h>
#include <fluxion/control.h>
#include <fluxion/grad.h>
#include <math.h>

/* ---- a product of weights [b, h, m, n], 0 where not seen, with rows; over n, or m with axis 2 ---- */

typedef struct skipping {
    fx_node *weights, *rows, *seen; /* seen [b, h, m, n] */
    int axis;
} skipping;

static fx_node *dot(fx_node *weights, fx_node *rows, int axis, int rows_axis) {
    const fx_axes batch = {(const int[]){0, 1}, 2};
    return fx_dot_general(weights, (fx_axes){&axis, 1}, batch, rows, (fx_axes){&rows_axis, 1}, batch);
}

static fx_node *number(const fx_node *x, double value) {
    return fxi_build_scalar(x->graph, x->shape.dtype, value);
}

static void plain_branch(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    const skipping *s = user;
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = dot(s->weights, s->rows, s->axis, 2);
}

/* What is infinite with that sign, or NaN, seen by any: an infinity of that sign. NaN is both. */
static fx_node *infinities(const skipping *s, fx_node *seen, fx_node *is_nan, double sign) {
    fx_node *infinity = number(s->rows, sign * (double)INFINITY);
    fx_node *marks = fx_convert(fx_or(is_nan, fx_equal(s->rows, infinity)), s->rows->shape.dtype);
    fx_node *count = dot(seen, marks, s->axis, 2);
    return fx_select(fx_greater(count, number(count, 0)), infinity, number(count, 0));
}

static void careful_branch(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                           void *user) {
    const skipping *s = user;
    (void)body, (void)in, (void)n_in, (void)n_out;
    fx_node *finite = fx_select(fx_is_finite(s->rows), s->rows, number(s->rows, 0));
    fx_node *seen = fx_convert(s->seen, s->rows->shape.dtype), *is_nan = fx_is_nan(s->rows);
    fx_node *more = fx_add(infinities(s, seen, is_nan, 1), infinities(s, seen, is_nan, -1));
    out[0] = fx_add(dot(s->weights, finite, s->axis, 2), more);
}

static fx_node *skipping_product(fx_node *weights, fx_node *rows, fx_node *seen, int axis) {
    skipping s = {weights, rows, seen, axis};
    fx_node *all_finite = fx_reduce_all_and(fx_is_finite(rows));
    return fx_if(all_finite, plain_branch, careful_branch, 1, &s, NULL);
}

/* ---- the two products as functions of (left, rows, seen) with derivatives ---- */

static void scores_forward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                           void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = dot(in[0], in[1], 3, 3);
}

static void scores_backward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = skipping_product(in[4], in[1], in[2], 3);
    out[1] = skipping_product(in[4], in[0], in[2], 2);
}

static void product_forward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = skipping_product(in[0], in[1], in[2], 3);
}

static void product_backward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                             void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = dot(in[4], in[1], 3, 3);
    out[1] = skipping_product(in[0], in[4], in[2], 2);
}

/* ---- attention's ---- */

static fx_node *grouped(const fxi_attention *a, fx_node *x) {
    int64_t group = a->key_heads > 0 ? a->heads / a->key_heads : 1;
    const int64_t dims[] = {a->batch, a->key_heads, group * a->queries, x->shape.dims[3]};
    return fx_reshape(x, (fx_dims){dims, 4});
}

static fx_node *ungrouped(const fxi_attention *a, fx_node *x) {
    const int64_t dims[] = {a->batch, a->heads, a->queries, x->shape.dims[3]};
    return fx_reshape(x, (fx_dims){dims, 4});
}

/* What is seen as a mask of the rows of keys and values, [batch, key heads, keys, 1] with any dimension 1;
 * NULL where queries or heads of a group differ. */
static fx_node *seen_rows(const fxi_attention *a, fx_node *pairs) {
    const int64_t *d = pairs->shape.dims;
    if (d[2] != 1 || (d[1] != 1 && a->heads != a->key_heads)) return NULL;
    const int64_t dims[] = {d[0], d[1], d[3], 1};
    return fx_reshape(pairs, (fx_dims){dims, 4});
}

/* left: grouped. */
static fx_node *multiply(const fxi_attention *a, const fxi_attention_seen *seen, fx_node *left, fx_node *rows,
                         bool is_scores) {
    fx_node *mask = seen->pairs ? seen_rows(a, seen->pairs) : NULL;
    if (mask) rows = fx_select(mask, rows, number(rows, 0));
    if (mask || !seen->pairs) return dot(left, rows, 3, is_scores ? 3 : 2);
    const int64_t dims[] = {a->batch, a->heads, a->queries, a->keys};
    fx_node *all = grouped(a, fx_broadcast_to_dims(seen->all, (fx_dims){dims, 4}));
    fx_node *const in[] = {left, rows, all};
    return fx_custom_gradient((fx_nodes){in, 3}, is_scores ? scores_forward : product_forward,
                              is_scores ? scores_backward : product_backward, NULL, 1, NULL);
}

/* Queries that are not there count as zeros, and so do their results, which stops their adjoints. */
static fx_node *only_there(const fxi_attention_seen *seen, fx_node *x) {
    return seen->rows ? fx_select(seen->rows, x, number(x, 0)) : x;
}

fx_node *fxi_attention_scores(const fxi_attention *a, const fxi_attention_seen *seen, fx_node *q,
                              fx_node *k) {
    return ungrouped(a, multiply(a, seen, grouped(a, only_there(seen, q)), k, true));
}

fx_node *fxi_attention_product(const fxi_attention *a, const fxi_attention_seen *seen, fx_node *coefficients,
                               fx_node *v) {
    return only_there(seen, ungrouped(a, multiply(a, seen, grouped(a, coefficients), v, false)));
}
