/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers. A generator is a value: a state node, which every function here takes and gives back
 * advanced, so that a program is a pure function of its inputs and any part of it can be repeated. The
 * rules at the head of ops.h hold here too.
 *
 * A state is a uint64[3]: a key and a 128-bit counter, lower half first. Words come from Philox 4x32-10
 * (Salmon et al. 2011): block i of a draw is the bijection of counter + i under the key, and the counter
 * advances by the number of blocks that were begun; a draw of no elements leaves it alone. Elements take
 * words in row-major order: those of 64 bits two words each, the lower first; all others one word each, of
 * which narrow dtypes keep the low bits. Words, and what is made of them exactly (bits, uniform values,
 * integers, permutations, categories, counts), are the same on every backend, bit for bit; what goes through
 * a logarithm or the like (normal values) agrees within the rounding of that function. Words are made
 * inside the kernels that use them.
 *
 * new_state receives the advanced state (NULL: not wanted); the values are returned. */
#ifndef FLUXION_RANDOM_H
#define FLUXION_RANDOM_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A state with that seed, as a constant: key = seed, counter 0. */
FX_API fx_node *fx_random_state(fx_graph *graph, uint64_t seed);
/* The same as a tensor, to be an input of a program; with fx_random_seed from the operating system. Free it
 * with fx_tensor_free. NULL: no memory. */
FX_API fx_tensor *fx_random_state_tensor(uint64_t seed, fx_error *err);
/* 64 bits of the operating system's randomness into *seed; false when there is none to be had. */
FX_API bool fx_random_seed(uint64_t *seed, fx_error *err);
/* n independent states, uint64[n][3] with a leading axis (fx_slice_axis, fx_vmap), all 192 bits of each
 * drawn from `state`. n >= 1. */
FX_API fx_node *fx_random_split(fx_node *state, int64_t n, fx_node **new_state);

/* ---- bits and integers ---- */

/* Bits of an integer or float dtype, uniform over all bit patterns. */
FX_API fx_node *fx_random_bits(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* Integers of the range [lo, hi), each as probable as any other. Integer dtypes and bool, which must hold
 * lo and hi - 1; an empty range is an error. Two words an element, however many attempts it took. */
FX_API fx_node *fx_random_int(fx_node *state, int64_t lo, int64_t hi, const fx_shape *shape,
                              fx_node **new_state);
/* The same with limits that are nodes: integers of one dtype, scalars or arrays that broadcast to the
 * shape. Values are made in the limits' dtype and converted to that of the shape as fx_convert does. An
 * empty range gives lo. */
FX_API fx_node *fx_random_int_between(fx_node *state, fx_node *lo, fx_node *hi, const fx_shape *shape,
                                      fx_node **new_state);
/* Permutations of 0, 1, ..., n - 1 along the last axis, whose dimension n is; one for each of the rows
 * that the other axes number. Integer dtypes that hold n - 1, rank at least 1. */
FX_API fx_node *fx_random_permutation(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* x with its slices along an axis in random order: one permutation, which keeps rows together. Any dtype. */
FX_API fx_node *fx_random_shuffle(fx_node *state, fx_node *x, int axis, fx_node **new_state);

/* ---- uniform and normal ---- */

/* Uniform in [0, 1), never 1: the top p bits of a word times 2^-p with p = 53, 24, 11, 8 for float64,
 * float32, float16, bfloat16. Complex: both parts, independent. */
FX_API fx_node *fx_random_uniform(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* Uniform in [lo, hi), never hi: lo + (hi - lo) u rounded down, with a u of 53 bits for float64 and 24 for
 * the others, which are computed in float64. Floats; lo and hi, rounded to the dtype, must be finite and
 * differ. */
FX_API fx_node *fx_random_uniform_range(fx_node *state, double lo, double hi, const fx_shape *shape,
                                        fx_node **new_state);
/* The same with limits that are nodes of the shape's dtype: scalars, or arrays that broadcast to the
 * shape. An empty range gives lo; limits that are not finite give values of no meaning. */
FX_API fx_node *fx_random_uniform_between(fx_node *state, fx_node *lo, fx_node *hi, const fx_shape *shape,
                                          fx_node **new_state);
/* Normal with mean 0 and standard deviation 1. float32 and narrower by Box and Muller's method from two
 * words, up to 6.7 deviations; float64 as sqrt(2) erf_inv of a uniform value of 52 bits, up to 8.2.
 * Complex: both parts, independent, each with deviation 1. */
FX_API fx_node *fx_random_normal(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* Standard normal under the condition that it lies in [lo, hi], however far out that is: for a mean and a
 * deviation, truncate at (limit - mean) / deviation and scale. Floats; lo < hi once rounded to the dtype,
 * either may be infinite. By the inverse of the distribution function in float64, from 32 bits (float64:
 * 52). */
FX_API fx_node *fx_random_truncated_normal(fx_node *state, double lo, double hi, const fx_shape *shape,
                                           fx_node **new_state);
/* The same with limits that are nodes of the shape's dtype: scalars, or arrays that broadcast to the shape.
 * lo = hi gives lo; lo > hi gives NaN. Twice the work of the function above, as both of its formulas are
 * computed. */
FX_API fx_node *fx_random_truncated_normal_between(fx_node *state, fx_node *lo, fx_node *hi,
                                                   const fx_shape *shape, fx_node **new_state);

/* ---- other distributions ---- Their parameters are nodes of any integer or float dtype, scalars or
 * arrays that broadcast to the shape; they are computed with as float64, whatever the result's dtype is.
 * Gradients with respect to parameters of gamma, beta, Dirichlet, Poisson and binomial values are zero:
 * values are drawn by rejection. An invalid parameter gives NaN (in integer dtypes 0). */

/* Exponential with mean 1, -log(u): never 0, and as exact near 0 as in the tail, which ends at 22.9
 * (float64: 36.7). Floats. */
FX_API fx_node *fx_random_exponential(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* Gumbel with location 0 and scale 1: -log of exponential values; from -3.1 to 22.9 (float64: -3.6 to
 * 36.7). Floats. */
FX_API fx_node *fx_random_gumbel(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* True (1) with probability p, compared with 64 bits: right for the smallest p. p <= 0 and NaN give false,
 * p >= 1 true. Bool, integers, floats. */
FX_API fx_node *fx_random_bernoulli(fx_node *state, fx_node *p, const fx_shape *shape, fx_node **new_state);
/* Category i with a probability proportional to e^logits[i]. logits [..., k], floats, have k >= 1
 * categories along their last axis; their other dimensions are the last ones of the shape, before which it
 * may have any: of logits [k] any shape is a sample, of [rows, k] shapes [rows] and [n, rows]. Categories
 * of -Inf are never chosen; of several infinite logits each is as probable. A row with NaN, or of nothing
 * but -Inf, gives -1. Integer dtypes that hold k - 1. By the inverse of the distribution function, one
 * word of 64 bits a value. */
FX_API fx_node *fx_random_categorical(fx_node *state, fx_node *logits, const fx_shape *shape,
                                      fx_node **new_state);
/* Gamma with shape alpha >= 0 and scale 1 by Marsaglia and Tsang's method; multiply for another scale. A
 * small alpha gives 0 where the value is too small for the dtype. Floats. */
FX_API fx_node *fx_random_gamma(fx_node *state, fx_node *alpha, const fx_shape *shape, fx_node **new_state);
/* Beta with parameters a, b > 0: a quotient of gamma values, made from their logarithms. Floats. */
FX_API fx_node *fx_random_beta(fx_node *state, fx_node *a, fx_node *b, const fx_shape *shape,
                               fx_node **new_state);
/* Dirichlet along the last axis: shares that sum to 1, with parameters alpha > 0 that broadcast to the
 * shape. Made from logarithms, so that tiny alphas give corners and not NaN. Floats, rank at least 1. */
FX_API fx_node *fx_random_dirichlet(fx_node *state, fx_node *alpha, const fx_shape *shape,
                                    fx_node **new_state);
/* Poisson with mean >= 0: sequential search below 10, Hoermann's transformed rejection from there on.
 * Numbers; float dtypes round counts that they do not hold, integers saturate. */
FX_API fx_node *fx_random_poisson(fx_node *state, fx_node *mean, const fx_shape *shape, fx_node **new_state);
/* Successes in n trials (rounded down, >= 0, below 2^53) of probability p in [0, 1]: sequential search
 * where n p or n (1 - p) is below 10, Hoermann's transformed rejection elsewhere. dtypes as
 * fx_random_poisson. */
FX_API fx_node *fx_random_binomial(fx_node *state, fx_node *n, fx_node *p, const fx_shape *shape,
                                   fx_node **new_state);

#ifdef __cplusplus
}
#endif

#endif
