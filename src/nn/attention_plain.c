/* SPDX-License-Identifier: Apache-2.0 */
/* Attention in plain operations: what it means. The softmax is that of ops/softmax.c, with its logsumexp:
 * rows without keys, or of -Inf alone, have the sum 0, which counts as 1. */
#include "attention_internal.h"
#include <float.h>
#include <fluxion/grad.h>
#include <fluxion/nn.h>
#include <math.h>

static fx_node *heads_first(const fxi_attention *a, fx_node *x) {
    return a->layout == FX_ATTENTION_BHSD ? x : fx_transpose(x, 1, 2);
}

static fx_node *number(const fx_node *x, double value) {
    return fxi_build_scalar(x->graph, x->shape.dtype, value);
}

static fx_node *over_keys(fx_reducer reducer, fx_node *x) {
    return fx_reduce_and_keep(x, reducer, (fx_axes){(const int[]){3}, 1});
}

/* The scores that the softmax is taken of, -Inf where not seen. */
static fx_node *finished_scores(const fxi_attention *a, const fxi_attention_seen *seen, fx_node *scores) {
    scores = fx_mul(scores, number(scores, a->scale));
    if (a->softcap > 0) {
        fx_node *cap = number(scores, a->softcap);
        scores = fx_mul(cap, fx_tanh(fx_div(scores, cap)));
    }
    if (a->bias) scores = fx_add(scores, fxi_build_wide(a->bias));
    if (a->mask && a->mask->shape.dtype != FX_BOOL) scores = fx_add(scores, fxi_build_wide(a->mask));
    return seen->all ? fx_select(seen->all, scores, number(scores, (double)-INFINITY)) : scores;
}

static void take_softmax(fxi_attention_plain *p, const fxi_attention_seen *seen, fx_node *scores) {
    double lowest = scores->shape.dtype == FX_F64 ? -DBL_MAX : -(double)FLT_MAX;
    fx_node *largest = fx_max(over_keys(fx_reduce_max, scores), number(scores, lowest));
    largest = fx_stop_gradient(largest);
    fx_node *terms = fx_exp(fx_sub(scores, largest)), *sum = over_keys(fx_reduce_sum, terms);
    fx_node *is_empty = fx_equal(sum, number(sum, 0)), *total = fx_select(is_empty, number(sum, 1), sum);
    fx_node *result = fx_div(terms, total), *logarithm = fx_add(largest, fx_log(total));
    if (seen->all) result = fx_select(seen->all, result, number(result, 0));
    logarithm = fx_select(is_empty, number(sum, (double)-INFINITY), logarithm);
    p->coefficients = result;
    p->logsumexp = fx_squeeze(logarithm, (fx_axes){(const int[]){3}, 1});
}

void fxi_attention_build_plain(const fxi_attention *a, fx_graph *graph, fxi_attention_plain *p) {
    fx_node *q = fxi_build_wide(heads_first(a, a->q)), *k = fxi_build_wide(heads_first(a, a->k));
    fx_node *v = fxi_build_wide(heads_first(a, a->v));
    fxi_attention_seen seen;
    fxi_attention_see(a, graph, &seen);
    take_softmax(p, &seen, finished_scores(a, &seen, fxi_attention_scores(a, &seen, q, k)));
    p->new_state = p->random_state;
    if (p->dropout_rate > 0)
        p->coefficients = fx_nn_dropout(p->coefficients, p->dropout_rate, p->random_state, &p->new_state);
    fx_node *output = heads_first(a, fxi_attention_product(a, &seen, p->coefficients, v));
    p->output = fx_convert(output, a->q->shape.dtype);
}
