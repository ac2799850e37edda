/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow inside a program: loops, branches, scans. Bodies are closures (fx_fn in graph.h), run once
 * while the graph is built; they may use any node of the enclosing graphs, to any depth up to 64, which
 * the operation then passes in. The rules at the head of ops.h hold here too.
 *
 * Each operation gives several results: all of them are written to results[0], results[1], ... (the
 * caller's array; NULL when only the first is wanted) and the first is also returned. After an error they
 * are inert or NULL. */
#ifndef FLUXION_CONTROL_H
#define FLUXION_CONTROL_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* while (condition(states)) states = body(states); results: the final states, one per state.
 * condition: one output, a bool scalar. body: as many outputs as inputs, with the same dtypes and shapes.
 * At least one state, any dtypes and shapes. When the condition is false at first the results are the
 * states. A loop that never ends is not detected. user is passed to both closures.
 *
 * Reverse mode (grad.h) needs the number of rounds, which is known of a loop that counts: a state that is
 * an integer scalar begins as a constant, the body adds a constant to it (or subtracts one), and the
 * condition is nothing but a comparison of it with a constant that it reaches without overflow. Others have
 * forward mode only. */
FX_API fx_node *fx_while(fx_nodes states, fx_fn condition, fx_fn body, void *user, fx_node **results);

/* fx_while that ends after max_trips >= 0 rounds at the latest, whatever the condition says: a loop that
 * can be differentiated in reverse mode too (grad.h), in time and memory for max_trips rounds, of which
 * those that did not take place do nothing. Without derivatives it costs what fx_while does. */
FX_API fx_node *fx_while_bounded(int64_t max_trips, fx_nodes states, fx_fn condition, fx_fn body, void *user,
                                 fx_node **results);

/* `count` rounds of states = body(round, states), where round is an int64 scalar counting from 0. results:
 * the final states. body: in[0] is the round, then the states; as many outputs as states. count >= 0; at
 * least one state. */
FX_API fx_node *fx_for(int64_t count, fx_nodes states, fx_fn body, void *user, fx_node **results);

/* The results of `then` where predicate (a bool scalar) is true, else those of `otherwise`. Only the
 * chosen branch is run. Branches have no inputs (they capture) and give n_results >= 1 nodes with equal
 * dtypes and shapes. */
FX_API fx_node *fx_if(fx_node *predicate, fx_fn then, fx_fn otherwise, size_t n_results, void *user,
                      fx_node **results);

/* The results of branches[index]; index is an integer scalar, and one that is out of range chooses the
 * last branch. At least one branch; otherwise as fx_if. */
FX_API fx_node *fx_switch(fx_node *index, const fx_fn *branches, size_t n_branches, size_t n_results,
                          void *user, fx_node **results);

/* Carries states along slices of inputs and stacks what comes out:
 *   for i in 0 .. length - 1: states, rows = body(states, input[0][i], input[1][i], ...); stacked[k][i] =
 *     rows[k]
 * results: the final states, then n_stacked arrays [length, ...]. Inputs have a leading axis of length
 * `length`. body: inputs are the states and then the slices (without the leading axis); outputs are the
 * new states (same dtypes and shapes) and then n_stacked rows. At least one state or input; at least one
 * state or stacked row. length >= 0. */
FX_API fx_node *fx_scan(fx_nodes states, fx_nodes inputs, int64_t length, size_t n_stacked, fx_fn body,
                        void *user, fx_node **results);
/* fx_scan from the last slice to the first; stacked rows keep the places of their slices. */
FX_API fx_node *fx_scan_reverse(fx_nodes states, fx_nodes inputs, int64_t length, size_t n_stacked,
                                fx_fn body, void *user, fx_node **results);

#ifdef __cplusplus
}
#endif
#endif
