/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering: operations that StableHLO lacks, or means otherwise, made of others by graph builders. The writer
 * lowers every graph before it writes it, function or region, again and again until nothing is left to lower
 * (FXI_MOST_LOWERINGS times at most): so a lowering may use operations that are lowered themselves.
 *
 * In what order: half types and sub-byte integers are widened first (lower_wide.c), for all elementwise
 * operations that compute and for sums of products, so that rows of the table below see float32, float64 and
 * complex operands of such operations, and integers of 8 bits at least. */
#ifndef FXI_LOWER_H
#define FXI_LOWER_H

#include "ops/ops.h"

enum { FXI_MOST_LOWERINGS = 16 };

/* Builds what `node` means in b->graph, of its operands there: results[0 .. fxi_node_results(node) - 1], with
 * the node's dtypes and shapes. Attributes are read from the node; messages begin with b->name. False after a
 * failure, which is recorded in the graph. */
typedef bool (*fxi_lowering_fn)(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                                fx_node **results);

typedef struct fxi_lowering {
    fxi_lowering_fn build;                /* NULL: the operation is written as it is */
    bool (*applies)(const fx_node *node); /* NULL: to every node of the operation */
    bool is_function; /* long: becomes a private function, one for all nodes with equal attributes and operand
                         shapes; else built in place. */
} fxi_lowering;

/* The lowering of a node, or NULL when it is written as it is. */
const fxi_lowering *fxi_lowering_of(const fx_node *node);
/* lower.c: the row of the table for an operation; never NULL. */
const fxi_lowering *fxi_lowering_row(fx_op op);
/* lower_wide.c: the widening of a node, or NULL; lower_packed.c: the part of it for packed integers. */
const fxi_lowering *fxi_lowering_wide(const fx_node *node);
const fxi_lowering *fxi_lowering_packed(const fx_node *node);

/* lower_scan.c: a loop. */
bool fxi_lower_scan(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results);

/* lower_graph.c: a finished graph with the same parameters and outputs in which nothing is to be lowered in
 * place, closures apart (they are lowered when they are written); `graph` itself, referenced, when that is so
 * already. NULL after a failure. */
fx_graph *fxi_lower_graph(const char *name, const fx_graph *graph, bool inline_composites, fx_error *err);
/* The function of a node whose lowering is one: parameters are the node's operands, outputs its results. */
fx_graph *fxi_lower_function(const char *name, const fx_node *node, fx_error *err);

#endif
