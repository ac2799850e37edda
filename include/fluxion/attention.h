/* SPDX-License-Identifier: Apache-2.0 */
/* Attention. The rules at the head of ops.h hold here too: floats of one dtype; float16 and bfloat16 are
 * computed in float32 and rounded once at the end.
 *
 * Queries are [batch, heads, queries, dim] (or with the two middle axes exchanged, as the layout says), keys
 * [batch, key heads, keys, dim], values [batch, key heads, keys, value dim]. The heads are a multiple of the
 * key heads; head h reads key head h / (heads / key heads). One key head is multi-query attention, several
 * are grouped-query attention.
 *
 *     scores = scale (queries keys^T), soft-capped, + bias, + a mask of floats
 *     coefficients = softmax of the scores over the keys that the query sees, 0 at the others
 *     result = coefficients values
 *
 * A query sees a key when every limit that is given lets it: a mask of bool, the causal order, the window,
 * the lengths. A key that it does not see is skipped, not multiplied by zero: whatever that key and its value
 * hold, NaN too, reaches neither the query's result nor a derivative. A query that sees no key, or whose
 * scores are all -Inf, gives zeros and passes none on. */
#ifndef FLUXION_ATTENTION_H
#define FLUXION_ATTENTION_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fx_attention_layout {
    FX_ATTENTION_BHSD = 0, /* [batch, heads, sequence, dim] */
    FX_ATTENTION_BSHD      /* [batch, sequence, heads, dim] */
} fx_attention_layout;

/* All zero: the plain form. Options combine freely. */
typedef struct fx_attention_options {
    size_t size; /* sizeof(fx_attention_options), or 0 */
    fx_attention_layout layout;
    double scale; /* 0: 1 / sqrt(dim) */
    /* Bool, true where a query sees a key; or floats of the queries' dtype (or float32 beside a half type)
     * that are added to the scores. [queries, keys], [batch, queries, keys] or [batch, heads, queries, keys],
     * in either layout, where any dimension may also be 1. */
    fx_node *mask;
    /* Added to the scores; dtypes as a mask of floats. [queries, keys], [heads, queries, keys] or [batch,
     * heads, queries, keys], where any dimension may also be 1. */
    fx_node *bias;
    /* Integers, [batch] or a scalar: how many queries and keys, the first ones, there are in each example.
     * What is negative counts as 0, what is too large as all. Queries beyond give zeros. */
    fx_node *query_lengths, *key_lengths;
    /* Query i sees keys up to i + offset. By default the ends meet: offset = number of keys - number of
     * queries, of which those lengths count that are given. */
    bool causal;
    bool has_causal_offset;
    int64_t causal_offset; /* instead of that, when has_causal_offset: also for the window */
    int64_t window;        /* query i sees keys from i + offset - window + 1 on; 0: no limit */
    double softcap;        /* scores become softcap tanh(score / softcap); 0: they do not */
    /* Coefficients are dropped with this probability and the others divided by 1 - rate, as by
     * fx_nn_dropout, which says what the state is for; 0: none. */
    double dropout_rate;
    fx_node *random_state;
    bool disable_fusion; /* made of plain operations, even where the backend has a kernel for all of it */
} fx_attention_options;

/* Attention; options NULL: the plain form. The result is of the queries' layout and dtype.
 * coefficients: NULL, or receives those that the values were multiplied with, after dropout: [batch, heads,
 * queries, keys], in the other layout [batch, queries, heads, keys]; of the queries' dtype. new_state: NULL,
 * or receives the advanced random state (the given one without dropout).
 * Without coefficients and dropout this is one composite, fx.attention, its derivative another,
 * fx.attention_grad: backends that know them never hold all scores at once (fx_backend_supports).
 * Errors: other ranks than 4, dimensions that do not go together, a mask, bias or lengths that do not fit, a
 * scale or softcap that is not finite, a negative softcap or window, a rate outside 0 to 1, dropout without a
 * state. */
FX_API fx_node *fx_nn_attention(fx_node *queries, fx_node *keys, fx_node *values,
                                const fx_attention_options *options, fx_node **coefficients,
                                fx_node **new_state);

#ifdef __cplusplus
}
#endif
#endif
