/* SPDX-License-Identifier: Apache-2.0 */
/* Inlining of a finished closure into a graph for a whole batch at once: every node of the closure becomes
 * a node that has one more axis, the first, if it depends on the batch. */
#ifndef FXI_BATCH_H
#define FXI_BATCH_H

#include "ops/ops.h"

typedef struct fxi_batched {
    fx_node *node;
    bool batched; /* axis 0 is the batch */
} fxi_batched;

typedef struct fxi_batch {
    const fxi_build *build; /* names the function in messages, and the graph to build in */
    int64_t size;           /* of the batch */
    fxi_batched *values;    /* by id of the closure's nodes */
} fxi_batch;

/* Values of all nodes of a body whose parameters have theirs. False when building failed (the graph has
 * the error). */
bool fxi_batch_inline(fxi_batch *b, const fx_graph *body);
/* The same for some of the nodes, by id; those that they read are wanted too. */
bool fxi_batch_inline_some(fxi_batch *b, const fx_graph *body, const bool *wanted);

/* Whether a node of which these operands are batched needs no scan over the examples. */
bool fxi_batch_is_whole(const fx_node *n, const bool *batched);

/* A shape with the batch axis in front; false after refusing. */
bool fxi_batch_shape(const fxi_batch *b, const fx_shape *shape, fx_shape *result);
/* The node with a batch axis in front, repeated if it has none. */
fx_node *fxi_batch_spread(const fxi_batch *b, fxi_batched value);
/* Axis `from` of x moved to place `to`. */
fx_node *fxi_batch_move_axis(const fxi_build *build, fx_node *x, int from, int to);

/* A rule: the node for operands of which at least one is batched; its results all have the batch axis. */
typedef fx_node *(*fxi_batch_rule)(const fxi_batch *b, const fx_node *n, const fxi_batched *operands);

/* batch_rules.c: of the operations that need more than a longer list of axes; NULL: none. */
fxi_batch_rule fxi_batch_rule_of(fx_op op);
/* batch_scan.c: any operation, one example after the other. */
fx_node *fxi_batch_in_scan(const fxi_batch *b, const fx_node *n, const fxi_batched *operands);

/* batch_loop.c: a scan, some of whose results may be without a batch; and one of its results. */
fx_node *fxi_batch_scan(const fxi_batch *b, const fx_node *n, const fxi_batched *operands);
fxi_batched fxi_batch_scan_result(const fxi_batch *b, const fx_node *n, fx_node *made, size_t number);

/* batch_starts.c: a dynamic slice and an update of which some starts are batched; the arrays may be too. */
fx_node *fxi_batch_slice_at(const fxi_batch *b, const fx_node *n, const fxi_batched *operands);
fx_node *fxi_batch_update_at(const fxi_batch *b, const fx_node *n, const fxi_batched *operands);

/* A body inlined for the whole batch into a closure of its own. batched: per parameter. */
typedef struct fxi_batch_body {
    const fxi_batch *b;
    const fx_graph *body;
    const bool *batched;
    /* what becomes of output i, whose value is given, in the new closure */
    fx_node *(*output)(const struct fxi_batch_body *w, const fxi_batch *inner, fxi_batched value, size_t i);
    size_t states; /* for `output` */
} fxi_batch_body;
/* batch_body.c; NULL after refusing. */
fx_graph *fxi_batch_closure(const fxi_batch_body *w);

/* batch_composite.c: a composite of the same name. */
fx_node *fxi_batch_composite(const fxi_batch *b, const fx_node *n, const fxi_batched *operands);

/* A list of axes for a batch in front: each one higher; with `first`, axis 0 before them. */
typedef struct fxi_axes_room {
    int64_t v[FX_MAX_RANK + 1];
} fxi_axes_room;
fxi_attr fxi_batch_axes(const fx_node *n, fxi_attr_id id, bool first, fxi_axes_room *room);
/* A list of numbers, one per axis, with that of the batch axis before them. */
fxi_attr fxi_batch_numbers(const fx_node *n, fxi_attr_id id, int64_t of_batch, fxi_axes_room *room);

#endif
