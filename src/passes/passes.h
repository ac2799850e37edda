/* SPDX-License-Identifier: Apache-2.0 */
/* Rewriting of finished graphs, the same for all backends: never more work, and numerically exact, but for
 * the order of sums where a product moves out of a loop (hoist.c). */
#ifndef FXI_PASSES_H
#define FXI_PASSES_H

#include "graph/graph.h"

/* A new, finished graph that means the same: dead nodes gone, equal nodes shared, moves merged, exact
 * constants folded, what rounds of a loop would repeat moved before it. The input is left as it is. Places of
 * nodes and log labels are kept; parameters keep their number and order. NULL: no memory. */
fx_graph *fxi_passes_run(const fx_graph *graph, fx_error *err);

/* Whether a backend runs that composite, as it is, by itself; as in backend.h. */
typedef bool (*fxi_composite_known)(const void *state, const fx_node *composite);
/* composites.c: a graph that means the same, a new one or one more reference, without the composites that are
 * not known (NULL: none is) and, unless `shards` keeps them, without shardings. To be run before the passes.
 * NULL: no memory. */
fx_graph *fxi_composites_inline(const fx_graph *graph, fxi_composite_known known, const void *state,
                                bool shards, fx_error *err);

#endif
