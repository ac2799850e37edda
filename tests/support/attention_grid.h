/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of attention over all its options, freely combined: case number n draws sizes and options from n, so
 * that every number is a call and tests of different things meet the same ones. */
#ifndef ATTENTION_GRID_H
#define ATTENTION_GRID_H

#include <fluxion.h>

enum { ATTENTION_INPUTS = 7 };

typedef struct attention_case {
    char name[1000];        /* what was drawn, for messages */
    fx_dtype dtype;         /* computed in, or 0: in that of the inputs */
    fx_attention_options o; /* without nodes */
    int64_t batch, heads, key_heads, queries, keys, dim, value_dim;
    fx_shape bias, mask; /* rank 0: none */
    bool query_lengths, key_lengths;
} attention_case;

/* Case number n with up to `size` queries, keys and elements of a head (at least 2). */
attention_case attention_draw(unsigned n, int64_t size);
/* Its inputs in float64: queries, keys, values and, those that there are, bias, mask, lengths of queries and
 * of keys. Gives their number. */
size_t attention_inputs(const attention_case *c, unsigned seed, fx_tensor **in);
/* A graph function of them; user: the case. out[0] is the result, converted to float64 unless dtype is 0. */
void attention_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user);
/* out[0] is the result, out[1] the coefficients (only with dtype 0). */
void attention_coefficients_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                               void *user);
/* out: the gradients of the sum of weights times the result, weights being one more input of its shape, by
 * the float inputs in their order. */
void attention_gradients_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user);
/* The shape of the result, in float64. */
fx_shape attention_result(const attention_case *c);
/* Number of float inputs. */
size_t attention_floats(const attention_case *c);

/* Runs a graph function on a backend; frees nothing. Fails the test on an error. */
void attention_run(const char *backend, fx_fn fn, const attention_case *c, fx_tensor *const *in, size_t n_in,
                   fx_tensor **out, size_t n_out);
/* The result by its definition, key by key, of float64 inputs: [batch, heads, queries, value dim]; free it. */
double *attention_reference(const attention_case *c, fx_tensor *const *in);
/* Whether query i of head h sees key k. */
bool attention_sees(const attention_case *c, fx_tensor *const *in, int64_t b, int64_t h, int64_t i,
                    int64_t k);
/* Place of an element of [batch, heads, queries, last] in the case's layout. */
int64_t attention_place(const attention_case *c, int64_t b, int64_t h, int64_t i, int64_t last_dim,
                        int64_t last);

#endif
