/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers: values that the compiler may not compute in another way or place. What ops.h says of errors and
 * results holds here. Any dtype and shape; values pass unchanged, to the bit, and so do gradients of the
 * operand. */
#ifndef FLUXION_BARRIER_H
#define FLUXION_BARRIER_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x, which is computed as a whole before what uses the result begins: nothing is fused, moved or simplified
 * across. */
FX_API fx_node *fx_optimization_barrier(fx_node *x);
/* The same for several operands at once, put into results[]: all are computed before what uses any of them
 * begins. Gives the first. After an error all results are the inert node. */
FX_API fx_node *fx_optimization_barriers(fx_nodes operands, fx_node **results);
/* x, not before all of `others` are computed; their values do not matter. */
FX_API fx_node *fx_scheduling_barrier(fx_node *x, fx_nodes others);

#ifdef __cplusplus
}
#endif
#endif
