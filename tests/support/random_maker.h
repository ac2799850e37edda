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

/* The shape of a node that is there, or a new one. */
fx_shape maker_any_shape(maker *m, fx_dtype dtype, int least_rank);

/* A node of that shape: one that is there, a parameter, or something computed. tight: its bits are defined,
 * those of NaN too. */
fx_node *maker_operand(maker *m, const fx_shape *shape, bool tight);
/* One of values of which sums (signs: products) are exact in any order, computed so that there is something
 * to fuse; integers of any value. */
fx_node *maker_exact_values(maker *m, const fx_shape *shape, bool signs);

/* random_library.c: an operation that runs as a library kernel. */
fx_node *maker_add_library_cell(maker *m, const graph_cell *cell);

/* A node with that op, variant and dtype, with all it needs. */
fx_node *maker_add_cell(maker *m, const graph_cell *cell);
/* A reduction over the last axes of a value, spread along them and put together with the value again, a few
 * times over; the last node. */
fx_node *maker_add_rows(maker *m);
/* An elementwise node that reads this one. */
fx_node *maker_add_consumer(maker *m, fx_node *node);

/* ---- random_node.c, for the other files ---- */

fx_node *maker_node(maker *m, fx_op op, fx_node *const *operands, size_t count, const fxi_attr *attrs,
                    size_t attr_count, const fx_shape *shape);
/* axes[i]: the axis of the result that axis i of x becomes. */
fx_node *maker_broadcast(maker *m, fx_node *x, const fx_shape *shape, const int64_t *axes);
fx_node *maker_splat(maker *m, const fx_shape *shape, int64_t value);
/* Mostly such values. */
fx_node *maker_exact_operand(maker *m, const fx_shape *shape, bool signs);

#endif
