/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and scans with a combination of the user's own, a closure (fx_fn in graph.h). The combination
 * must be associative: (a b) c = a (b c); it need not be commutative, since neighbours are combined in
 * their order. Which parentheses are set depends on shapes alone. The closure is built once and works on
 * whole arrays, so it costs as much as writing the operations out. The rules at the head of ops.h and, for
 * several results, of control.h hold here too. */
#ifndef FLUXION_COMBINE_H
#define FLUXION_COMBINE_H

#include <fluxion/graph.h>
#include <fluxion/window.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Combines the elements along `axes` (none: all) of k operands of equal dimensions. initials: k scalars
 * with the operands' dtypes, which count once, as the first elements. combine: 2k scalar inputs, k of what
 * comes first and k of what comes next, and k outputs with the operands' dtypes. results: k arrays without
 * the axes; where there is nothing to combine, the initials. */
FX_API fx_node *fx_reduce_with(fx_nodes operands, fx_nodes initials, fx_axes axes, fx_fn combine, void *user,
                               fx_node **results);

/* fx_reduce_with over the elements of each window (fx_window_options), in row-major order; padding and the
 * gaps of a base dilation count as initials. Rank at most 8. */
FX_API fx_node *fx_reduce_window_with(fx_nodes operands, fx_nodes initials, const fx_window_options *options,
                                      fx_fn combine, void *user, fx_node **results);

/* Running combination along an axis: result[i] combines slices 0 .. i of k operands with equal dimensions;
 * backwards: slices n - 1 down to i, in that order. combine: 2k inputs, which are slices without the axis,
 * and k outputs of the same dtypes and shapes. About 2 log2(n) steps of n slices at most. */
FX_API fx_node *fx_associative_scan(fx_nodes operands, int axis, bool backwards, fx_fn combine, void *user,
                                    fx_node **results);

#ifdef __cplusplus
}
#endif
#endif
