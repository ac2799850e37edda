/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of random numbers: draws on a named backend, states whose first block is known, and statistics
 * that samples are judged by. Seeds are fixed, so a test either holds or does not; bounds are such that a
 * correct sampler would break one in fewer than 10^4 seeds. */
#ifndef DRAWS_H
#define DRAWS_H

#include "exec/both.h"

/* A draw under test: builds values from a state. */
typedef fx_node *make_fn(fx_node *state, fx_node **new_state);

typedef struct drawn {
    fx_tensor *values, *state; /* after the draw */
} drawn;

/* `state` holds three words. Free with drawn_free. */
drawn draw_on(const char *backend, make_fn *make, const uint64_t *state);
/* From the state of a seed. */
drawn draw_seed(const char *backend, make_fn *make, uint64_t seed);
void drawn_free(drawn *d);
/* The backend for large samples: cpu where there is one. */
extern const char *const fast_backend;

/* A state whose first block has these four words: the inverse of Philox. */
void state_of_block(const uint32_t *words, uint64_t *state);
/* Fails unless both backends give the same values, to the bit, and the same state. */
void same_on_both(const char *what, make_fn *make);
/* Fails unless both give values that differ by at most `bound`, relative to the larger of them and 1. */
void near_on_both(const char *what, make_fn *make, double bound);

double mean_of(const fx_tensor *t);
double variance_of(const fx_tensor *t);
/* Fails unless mean and variance of a sample are within z standard errors; kurtosis: of the distribution,
 * for the error of the variance. */
void assert_moments(const fx_tensor *t, double mean, double variance, double kurtosis);
/* The Kolmogorov-Smirnov statistic sqrt(n) sup |F_n - F|; above 2.3 in 1 of 20,000 samples. */
double kolmogorov(const fx_tensor *t, double (*cdf)(double x));
#define assert_distribution(tensor, cdf) assert_true(kolmogorov(tensor, cdf) < 2.3)
/* Pearson's statistic as a standard normal value (Wilson and Hilferty); cells that expect fewer than 5 are
 * put together. */
double chi_square(const int64_t *seen, const double *probability, size_t cells, int64_t n);
#define assert_cells(seen, probability, cells, n) assert_true(chi_square(seen, probability, cells, n) < 4)
/* The message of a graph that refused; frees the graph. */
void assert_refused(fx_graph *graph, const char *message);

#endif
