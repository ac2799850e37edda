/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: what reverse mode computes again instead of keeping. A gradient needs values of the forward
 * computation; kept from there, they take memory until the gradient has used them. The values between two
 * checkpoints are instead computed a second time, from the first of the two, when the gradient arrives
 * there: a deep network then keeps the checkpoints and, at one time, the values of one part. The forward
 * computation costs up to twice its time; results are the same to the bit. The rules at the head of ops.h
 * hold here too. */
#ifndef FLUXION_CHECKPOINT_H
#define FLUXION_CHECKPOINT_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x, a checkpoint: reverse mode computes again all that depends on it, up to the next checkpoints and
 * fx_stop_checkpoint. Any dtype and shape; passes values and derivatives unchanged and acts as
 * fx_optimization_barrier. In closures it holds for the closure. Random values are repeated exactly, since
 * their state is a node. */
FX_API fx_node *fx_checkpoint(fx_node *x);
/* x, kept: what depends on it alone is no longer computed again. Otherwise as fx_checkpoint. */
FX_API fx_node *fx_stop_checkpoint(fx_node *x);

#ifdef __cplusplus
}
#endif

#endif
