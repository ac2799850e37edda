/* SPDX-License-Identifier: Apache-2.0 */
/* Attention and its gradient in plain double loops, with a bound of what any evaluation in the compute type
 * may differ by, and the problems that they are tested with. */
#ifndef ATTENTION_BOUNDS_H
#define ATTENTION_BOUNDS_H

#include "support/random_graph.h"
#include <fluxion/attention.h>

/* How a term or a mask is given. */
typedef enum bounded_term {
    TERM_NONE,
    TERM_WHOLE,     /* [batch, heads, queries, keys] */
    TERM_SHARED,    /* [queries, keys] */
    TERM_KEYS_ONLY, /* [batch, 1, 1, keys] */
    TERM_ROWS_ONLY, /* [heads, queries, 1] as a bias, [batch, queries, 1] as a mask */
} bounded_term;

typedef struct bounded_problem {
    char text[200];
    fx_dtype dtype;
    bool sequence_first; /* BSHD */
    int64_t batch, heads, key_heads, queries, keys, dim, value_dim;
    bool causal, has_offset;
    int64_t offset, window;
    double softcap;
    bounded_term bias, mask;
    bool added;      /* the mask is of floats */
    bool lengths;    /* both */
    bool nans;       /* in keys and values: the last key, and where lengths end */
    bool query_nans; /* in the first query, and where lengths end */
} bounded_problem;

/* Options, dtypes and awkward sizes. */
extern const bounded_problem bounded_problems[];
extern const size_t bounded_problem_count;
/* Problem number n, any of them: sizes at the edges of panels, tiles and blocks with options drawn from n. */
enum { BOUNDED_ONE_QUERY = 10000 }; /* numbers from there on have one */
void bounded_draw(unsigned n, bounded_problem *p);

enum { BOUNDED_INPUTS = 7, BOUNDED_MOST_RESULTS = 5 };

/* Queries, keys, values, bias, mask, query lengths, key lengths; NULL for what is not given. */
typedef struct bounded_data {
    fx_tensor *input[BOUNDED_INPUTS];
    size_t count; /* of those given */
} bounded_data;

void bounded_make_data(const bounded_problem *p, uint64_t seed, bounded_data *d);
fx_tensor *bounded_make_adjoint(const bounded_problem *p, uint64_t seed);
void bounded_free_data(bounded_data *d);
/* The options on nodes in the order of the inputs given; returns their number. */
fx_node *bounded_build(const bounded_problem *p, fx_node *const *in, bool fused);

/* value[i] and bound[i] for each element of the output; of the adjoints of the first three inputs, and of
 * bias and mask of floats, for an adjoint of the output. The arrays are freed by the caller. */
typedef struct bounded_result {
    double *value, *bound;
    int64_t count;
} bounded_result;
void bounded_attention(const bounded_problem *p, const bounded_data *d, bounded_result *output);
void bounded_gradient(const bounded_problem *p, const bounded_data *d, const fx_tensor *adjoint,
                      bounded_result results[BOUNDED_MOST_RESULTS]);

/* -1, or the first element that is not within its bound. */
int64_t bounded_compare(const bounded_result *want, const fx_tensor *got);

#endif
