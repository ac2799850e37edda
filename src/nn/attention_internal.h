/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of attention share.
 *
 * fx.attention. Inputs: queries, keys, values (rank 4), then those present of bias and mask (rank 4: batch,
 * heads, queries, keys, each dimension 1 or whole; the mask bool or float), query lengths and key lengths
 * (int32 [batch], any values: to be clamped to what there is). Settings: fxi_attention_setting in ops.h.
 * Results: the output, of the queries' dtype and layout with the values' last dimension; and the logsumexp of
 * each row of scores [batch, heads, queries], float32 (float64 of float64), -Inf for a row that sees no key.
 *
 * fx.attention_grad. Inputs: those of fx.attention, its two results, and the adjoint of the output. Results:
 * the adjoints of queries, keys and values, then of bias and mask, of their shapes, as FXI_ATTENTION_WANTS
 * says; an adjoint that nobody reads need not be computed.
 *
 * The decomposition of the gradient depends on neither of the two results among its inputs: it computes the
 * coefficients again. So no adjoint of the logsumexp ever arises, and derivatives of any order are those of
 * plain operations. */
#ifndef FXI_ATTENTION_INTERNAL_H
#define FXI_ATTENTION_INTERNAL_H

#include "ops/ops.h"
#include <fluxion/attention.h>

enum { FXI_ATTENTION_INPUTS = 7 }; /* most inputs of fx.attention */

typedef struct fxi_attention {
    const char *name; /* of the function that the user called */
    int64_t layout, causal, has_offset, offset, window, wants;
    double scale, softcap;
    fx_node *q, *k, *v;
    fx_node *bias, *mask, *query_lengths, *key_lengths; /* or NULL */
    int64_t batch, heads, key_heads, queries, keys, dim, value_dim;
} fxi_attention;

/* attention_check.c: a checked call, with what it brings in the form of the composite's inputs. */
bool fxi_attention_begin(fxi_build *b, const char *name, fxi_attention *a, fx_node *q, fx_node *k, fx_node *v,
                         const fx_attention_options *o);
/* Mask and bias with rank 4; reads q's dtype, batch, heads, queries and keys of a. */
bool fxi_attention_take_terms(const fxi_build *b, fxi_attention *a, const fx_attention_options *o);

/* attention.c: fx_nn_attention under another name; the options are whole. */
fx_node *fxi_attention_call(const char *name, fx_node *q, fx_node *k, fx_node *v,
                            const fx_attention_options *o, fx_node **coefficients, fx_node **new_state);

/* attention_mask.c: which keys are seen. NULL: no limit. */
typedef struct fxi_attention_seen {
    fx_node *rows;  /* bool [batch, 1, queries, 1]: queries that there are */
    fx_node *pairs; /* bool, rank 4, dimensions 1 or whole: the other limits */
    fx_node *all;   /* both together */
} fxi_attention_seen;
void fxi_attention_see(const fxi_attention *a, fx_graph *graph, fxi_attention_seen *seen);

/* attention_product.c: the two products, skipping what is not seen. scores: wide queries and keys, heads
 * first, to [batch, heads, queries, keys]. product: coefficients, zero where not seen, and wide values, heads
 * first, to [batch, heads, queries, value dim]. */
fx_node *fxi_attention_scores(const fxi_attention *a, const fxi_attention_seen *seen, fx_node *q, fx_node *k);
fx_node *fxi_attention_product(const fxi_attention *a, const fxi_attention_seen *seen, fx_node *coefficients,
                               fx_node *v);

/* attention_plain.c: attention in plain operations. */
typedef struct fxi_attention_plain {
    double dropout_rate;
    fx_node *random_state;
    fx_node *output, *logsumexp, *coefficients, *new_state; /* results; coefficients are wide, heads first */
} fxi_attention_plain;
void fxi_attention_build_plain(const fxi_attention *a, fx_graph *graph, fxi_attention_plain *p);

/* attention_composite.c: as a composite; gives the output. */
fx_node *fxi_attention_build_composite(const fxi_build *b, const fxi_attention *a);

#endif
