/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers. A generator is a value: a state node, which every function here takes and gives back
 * advanced, so that a program is a pure function of its inputs and any part of it can be repeated. The rules
 * at the head of ops.h hold here too.
 *
 * A state is a uint64[3]: a key and a 128-bit counter, lower half first. Words come from Philox 4x32-10
 * (Salmon et al. 2011): block i of a draw is the bijection of counter + i under the key, and the counter
 * advances by the number of blocks that were begun; a draw of no elements leaves it alone. Elements take
 * words in row-major order: those of 64 bits two words each, the lower first; all others one word each, of
 * which narrow dtypes keep the low bits. Bits are the same on every backend. Words are made inside the
 * kernels that use them.
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
/* n independent states, uint64[n][3] with a leading axis (fx_slice_axis, fx_vmap), all 192 bits of each drawn
 * from `state`. n >= 1. */
FX_API fx_node *fx_random_split(fx_node *state, int64_t n, fx_node **new_state);

/* Bits of an integer or float dtype, uniform over all bit patterns. */
FX_API fx_node *fx_random_bits(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* Uniform in [0, 1), never 1: the top p bits of a word times 2^-p with p = 53, 24, 11, 8 for float64,
 * float32, float16, bfloat16. Complex: both parts, independent. */
FX_API fx_node *fx_random_uniform(fx_node *state, const fx_shape *shape, fx_node **new_state);
/* Normal with mean 0 and standard deviation 1. float32 and narrower by Box and Muller's method from two
 * words, up to 6.7 deviations; float64 as sqrt(2) erf_inv of a uniform value of 53 bits, up to 8.2. Complex:
 * both parts, independent, each with deviation 1. */
FX_API fx_node *fx_random_normal(fx_node *state, const fx_shape *shape, fx_node **new_state);

/* Integers of the range [lo, hi), each as probable as any other. Integer dtypes and bool, which must hold lo
 * and hi - 1; an empty range is an error. Two words an element, however many attempts it took. */
FX_API fx_node *fx_random_int(fx_node *state, int64_t lo, int64_t hi, const fx_shape *shape,
                              fx_node **new_state);
/* The same with limits that are nodes: integers of one dtype, scalars or arrays that broadcast to the shape.
 * Values are made in the limits' dtype and converted to that of the shape as fx_convert does. An empty range
 * gives lo. */
FX_API fx_node *fx_random_int_between(fx_node *state, fx_node *lo, fx_node *hi, const fx_shape *shape,
                                      fx_node **new_state);

#ifdef __cplusplus
}
#endif

#endif
