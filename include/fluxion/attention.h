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

/* ---- positions ---- */

/* start, start + 1, ... up to `length` of them: [length] for a scalar start, [batch, length] for [batch]. Of
 * start's dtype, an integer; start NULL: from 0, int32. */
FX_API fx_node *fx_nn_sequential_positions(fx_graph *graph, fx_node *start, int64_t length);

/* All zero: the whole last axis in halves, with base frequency 10000. */
typedef struct fx_rope_options {
    size_t size;              /* sizeof(fx_rope_options), or 0 */
    double base_frequency;    /* 0: 10000 */
    int64_t first, count;     /* rotated elements of the last axis; count 0: all from first on. Even */
    bool interleaved;         /* elements 2i and 2i + 1 are rotated together; else i and i + count / 2 */
    double linear_scaling;    /* positions are divided by it, as floats; 0: 1 */
    double frequency_divisor; /* in the exponent, instead of count; 0: count */
} fx_rope_options;
/* Rotary position embedding (Su et al. 2021): pair i of the row at position p is rotated by the angle
 *
 *     p / linear_scaling base_frequency^(-2i / frequency_divisor)
 *
 * (a, b) becoming (a cos - b sin, a sin + b cos). Rows of x run along sequence_axis (negative: from the end);
 * it must not be the last. positions: [sequence], or [batch, sequence] where axis 0 of x is the batch, of
 * numbers; any dimension may also be 1. Floats; angles are computed in float32 (float64 of float64). options
 * NULL: all defaults. */
FX_API fx_node *fx_nn_rope(fx_node *x, fx_node *positions, int sequence_axis, const fx_rope_options *options);
/* The same with given cosines and sines, [sequence, pairs] or [batch, sequence, pairs], of x's dtype or of
 * float32 beside a half type: 2 pairs elements are rotated, from the first on. */
FX_API fx_node *fx_nn_rope_cos_sin(fx_node *x, fx_node *cosines, fx_node *sines, int sequence_axis,
                                   const fx_rope_options *options);
/* x plus the rows of a table [length, dim] at the positions of its own rows; positions and sequence_axis as
 * for fx_nn_rope, but integers. One outside the table counts as the nearest inside. positions NULL: 0, 1,
 * ... Table of x's dtype; dim is the last axis of x. */
FX_API fx_node *fx_nn_learned_positions(fx_node *x, fx_node *table, fx_node *positions, int sequence_axis);

/* ---- caches of keys and values ----
 *
 * A cache is a tensor of the layout's keys or values, [batch, key heads, length, dim] or [batch, length, key
 * heads, dim], that a program takes and gives back; donated (fx_donate), or as the state of a scan, it is
 * written in place on the cpu backend. Row p of the sequence is kept at place p while p < length; beyond that
 * the first `sinks` places keep their rows and the others are used in turn, so that the cache holds the sinks
 * and the latest rows:
 *
 *     keys = fx_nn_kv_cache_update(keys, new_keys, position, &cache);
 *     values = fx_nn_kv_cache_update(values, new_values, position, &cache);
 *     mask = fx_nn_kv_cache_mask(position, number of new queries, length, &cache);
 *     fx_nn_attention(queries, keys, values, &(fx_attention_options){.mask = mask}, NULL, NULL)
 *
 * A cache is begun as zeros, or as anything: what was never written is never seen. */
typedef struct fx_kv_cache_options {
    size_t size; /* sizeof(fx_kv_cache_options), or 0 */
    fx_attention_layout layout;
    int64_t sinks;  /* places that are never used again; less than the length */
    int64_t window; /* of the mask: a query sees the latest `window` rows, its own among them, and the sinks;
                       0: all that are there */
} fx_kv_cache_options;
/* The cache with rows written that follow each other from `position` on, as if one after the other. rows: the
 * layout's new keys or values, of the cache's dtype, any dtype. position: an integer scalar, or [batch]. Rows
 * before position 0 are not written. */
FX_API fx_node *fx_nn_kv_cache_update(fx_node *cache, fx_node *rows, fx_node *position,
                                      const fx_kv_cache_options *options);
/* What queries at position, position + 1, ... see of a cache into which as many rows from that position on
 * were just written: bool [1, 1, queries, length], or [batch, 1, queries, length] with [batch] positions. A
 * query sees the rows up to its own that the cache still holds. */
FX_API fx_node *fx_nn_kv_cache_mask(fx_node *position, int64_t queries, int64_t length,
                                    const fx_kv_cache_options *options);
/* The cache with more places, for as long as no place has been used twice: zeros after the others. */
FX_API fx_node *fx_nn_kv_cache_grow(fx_node *cache, int64_t length, const fx_kv_cache_options *options);

#ifdef __cplusplus
}
#endif
#endif
