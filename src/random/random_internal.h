/* SPDX-License-Identifier: Apache-2.0 */
/* What the distributions are made of (bits.c): words of a stream and the advance of its counter. */
#ifndef FXI_RANDOM_INTERNAL_H
#define FXI_RANDOM_INTERNAL_H

#include "ops/ops.h"
#include <fluxion/random.h>

typedef struct fxi_random {
    fxi_build b;
    fx_node *state, *key, *low, *high; /* key and counter, uint64 scalars */
    fx_node *elements;                 /* numbers of the words to draw, uint64; NULL: all in order */
} fxi_random;

/* Begins a function of operands[0], the state, and parameters: checks operands and shape. *new_state is the
 * inert node until a draw writes it, so that it is after every refusal. False after refusing. */
bool fxi_random_begin(fxi_random *r, const char *name, fx_node *const *operands, size_t count,
                      const fx_shape *shape, fx_node **new_state);
/* False, after refusing, unless a parameter, `what` in messages, broadcasts to the dimensions of a draw. */
bool fxi_random_fits(const fxi_random *r, const char *what, const fx_node *parameter, const fx_shape *shape);
/* False, after refusing, unless the dtype of a draw is a float that is computed with. */
bool fxi_random_takes_floats(const fxi_random *r, const fx_shape *shape);
/* The same with integers. */
bool fxi_random_takes_numbers(const fxi_random *r, const fx_shape *shape);
/* False, after refusing, unless a limit is of a draw's dtype and broadcasts to it. */
bool fxi_random_limit(const fxi_random *r, const char *what, const fx_node *limit, const fx_shape *shape);
/* A number as a dtype holds it. */
double fxi_random_rounded(fx_dtype dtype, double value);
/* Whether an integer dtype or bool holds a number (integer.c). */
bool fxi_random_holds(fx_dtype dtype, int64_t value);
/* A number that fits a draw, as float64 with its own dimensions; NULL after refusing. */
fx_node *fxi_random_parameter(const fxi_random *r, const char *what, fx_node *parameter,
                              const fx_shape *shape);
/* Words of 32 or 64 bits with the dimensions of a shape: those of a draw that begins at the state's
 * counter, or with the dimensions of r->elements those of the draw that these number. */
fx_node *fxi_random_words(const fxi_random *r, const fx_shape *dims, fx_dtype word);
/* The stream behind a draw of so many words of that kind, and its state. */
fxi_random fxi_random_after(const fxi_random *r, int64_t words, fx_dtype word);
fx_node *fxi_random_state_of(const fxi_random *r);
fx_node *fxi_random_advance(const fxi_random *r, int64_t words, fx_dtype word);
/* A draw: its words, and the state after it. */
fx_node *fxi_random_draw(const fxi_random *r, const fx_shape *dims, fx_dtype word, fx_node **new_state);
/* The top p bits of a word, times 2^-p, in float32 or float64: words of 64 bits give float64. */
fx_node *fxi_random_unit(fx_node *words, int p);
/* (k + 1/2) 2^-p in float64, k being a word of p = 32 bits or the top p = 52 bits of one of 64: exact,
 * never 0 or 1, and 1 minus it is such a value too. */
fx_node *fxi_random_inner(fx_node *words);
/* fx_random_uniform_range under the name of its caller (uniform.c). */
fx_node *fxi_random_range(const char *name, fx_node *state, double lo, double hi, const fx_shape *shape,
                          fx_node **new_state);
/* Normal values of words of 64 bits, float64 (uniform.c). */
fx_node *fxi_random_normal_wide(fx_node *words);
/* Logarithm of the probability of k >= 0 under a Poisson distribution, float64, within about |k - mean|
 * 2^-50 + 2^-45 (counts.c). */
fx_node *fxi_random_log_poisson(fx_node *k, fx_node *mean);
/* Logarithms of gamma values with shape alpha, float64 with its own dimensions (gamma.c): three draws of
 * 64-bit words, behind which *r is moved. */
fx_node *fxi_random_log_gamma(fxi_random *r, fx_node *alpha, const fx_shape *shape);

/* ---- rejection (rejection.c) ---- */

/* Makes values of a draw from stream r, and in *again whether each must be drawn anew: both with the
 * dimensions of the draw. Called once per graph, of which r->b.graph is the one at hand. */
typedef fx_node *fxi_random_try(const fxi_random *r, const void *user, fx_node **again);
/* Values of the first attempt that was not refused, each element for itself. Words are a function of
 * element and attempt: attempt a is drawn at the stream's counter + a 2^112. The first attempt comes
 * before the loop: for samplers that are short and seldom refuse. */
fx_node *fxi_random_reject(const fxi_random *r, fxi_random_try *attempt, const void *user);
/* The same with all attempts in the loop, so that a long sampler is compiled once, and with no round where
 * nothing is wanted. float64 values; wanted is bool and broadcasts to the shape; values elsewhere are 0. It
 * must not be a scalar unless all parameters in `user` are: the sampler is then also called with some
 * elements of the draw, [any number], in r->elements. */
fx_node *fxi_random_reject_long(const fxi_random *r, const fx_shape *shape, fx_node *wanted,
                                fxi_random_try *attempt, const void *user);

#endif
