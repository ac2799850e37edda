/* SPDX-License-Identifier: Apache-2.0 */
/* What random_graph.c and random_node.c share: one graph under construction. */
#ifndef RANDOM_MAKER_H
#define RANDOM_MAKER_H

#include "support/random_graph.h"

#define MAKER_NODES 1024 /* more than a graph ever gets */
#define MAKER_MUST 4     /* cells per graph */

typedef struct maker {
    random_state r;
    fx_graph *graph;
    int64_t limit;              /* elements of a tensor */
    bool loose[MAKER_NODES];    /* the bits of a NaN in this node are not defined: no look at them */
    bool reserved[MAKER_NODES]; /* has its one consumer, which it can join: mostly not read by others */
    bool exact;                 /* as in random_options */
    bool strict; /* cells are never empty and have one reader, which they can join: fusion is certain */
    int depth;   /* of operands made for operands */
} maker;

int64_t maker_size(maker *m, int64_t limit); /* of an axis */
fx_shape maker_shape(maker *m, fx_dtype dtype, int least_rank);

/* A node with that op, variant and dtype, with all it needs. */
fx_node *maker_add_cell(maker *m, const graph_cell *cell);
/* An elementwise node that reads this one. */
fx_node *maker_add_consumer(maker *m, fx_node *node);

#endif
