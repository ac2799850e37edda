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

#include <fluxion/nn.h>

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

/* ---- attention with its projections ---- */

/* x W + bias, as by fx_nn_dense; weight NULL: x itself; bias NULL: none. */
typedef struct fx_projection {
    fx_node *weight, *bias;
} fx_projection;

/* All zero but `heads`: nothing is projected, every query sees every key. */
typedef struct fx_multi_head_options {
    size_t size;             /* sizeof(fx_multi_head_options), or 0 */
    int64_t heads;           /* at least 1 */
    int64_t key_heads;       /* 0: heads */
    fx_dense_layout weights; /* of all weights */
    /* Weights [in, heads dim] or [in, heads, dim] (FX_DENSE_OUTPUTS_INPUT: with `in` last), those of keys and
     * values with the key heads; biases like a weight without `in`. */
    fx_projection query, key, value;
    fx_node *query_key_value; /* instead of those weights: [in, (heads + 2 key heads) dim], as for
                                 fx_nn_qkv_projection, whose layout it has; biases [..] of the three above */
    fx_projection output;     /* weight [heads value dim, out...] */
    /* Queries and keys of each head divided by their root of mean squares, as by fx_nn_rms_norm. */
    bool query_key_norm;
    double norm_epsilon;
    fx_node *query_norm, *key_norm; /* [dim], multiplied by; NULL: 1 */
    bool norm_offset;               /* 1 is added to them first */
    /* Rotations of queries and keys; NULL: none. */
    const fx_rope_options *rope;
    fx_node *query_positions, *key_positions; /* as for fx_nn_rope; NULL: from cache_position, or 0, on */
    /* True for queries and keys that there are: bool [batch, inner...]. Queries that there are not give what
     * the output's bias gives. */
    fx_node *query_mask, *key_mask;
    /* The caches that keys and values are written into at cache_position, and read from; NULL: none. The
     * queries then see what fx_nn_kv_cache_mask says, by the window below; causal is implied. */
    fx_node *key_cache, *value_cache, *cache_position;
    const fx_kv_cache_options *cache;
    bool want_coefficients;
    fx_attention_options attention; /* mask, bias, lengths, causal, window, softcap, scale, dropout, ...;
                                       its layout does not matter */
} fx_multi_head_options;
/* What else it gives; NULL where it was not asked for. */
typedef struct fx_multi_head_results {
    fx_node *coefficients; /* [batch, heads, queries, keys] */
    fx_node *new_state;    /* of the random numbers */
    fx_node *key_cache, *value_cache;
} fx_multi_head_results;
/* Attention of `heads` heads over projections: query [batch, inner..., in], key and value [batch, inner...,
 * in], where several inner axes count as one sequence in row-major order. key NULL: the query; value NULL:
 * the key. The result is [batch, inner axes of the query..., out...], without an output projection [batch,
 * inner..., heads value dim]. One dtype, floats. results: NULL, or filled in. Errors: as of its parts; ranks
 * below 3; dimensions that do not split into heads; query_key_value with a key or value of their own or with
 * other weights; a cache without the other or without a position, or together with lengths or a causal
 * offset. */
FX_API fx_node *fx_nn_multi_head_attention(fx_node *query, fx_node *key, fx_node *value,
                                           const fx_multi_head_options *options,
                                           fx_multi_head_results *results);

#ifdef __cplusplus
}
#endif
#endif
