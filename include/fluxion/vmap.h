/* SPDX-License-Identifier: Apache-2.0 */
/* Vectorization of graph functions: a function written for one example runs on a batch of them, as if in a
 * loop but in whole operations. The rules at the head of ops.h hold here too. */
#ifndef FLUXION_VMAP_H
#define FLUXION_VMAP_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An axis of fx_vmap: this input has no batch axis and is the same for every example. */
#define FX_NOT_BATCHED (-1000)

/* Applies fn to every example of a batch. Input i has its examples along axis in_axes[i] (negative: from
 * the end), which fn does not see, or is shared by all (FX_NOT_BATCHED); in_axes NULL: all along axis 0.
 * All batch axes have one length; at least one input has one. fn, a closure (graph.h), gets n inputs and
 * gives n_results nodes; it may capture. Result i has its examples along axis out_axes[i] of the result
 * (out_axes NULL: 0); one that does not depend on any example is repeated. results as in control.h.
 * Operations without a rule for batches run in a scan over the examples. */
FX_API fx_node *fx_vmap(fx_nodes inputs, const int *in_axes, fx_fn fn, void *user, size_t n_results,
                        const int *out_axes, fx_node **results);

#ifdef __cplusplus
}
#endif
#endif
