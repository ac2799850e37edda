/* SPDX-License-Identifier: Apache-2.0 */
/* Generated graphs with inputs, for tests that compare backends.
 *
 * * A graph is a function of its number alone. All combinations of operation, variant and dtype ("cells")
 * are put in one fixed order; graph number n must contain the next few cells after the graph before, so that
 * any run of consecutive graphs covers the table evenly. Around these nodes the generator makes what they
 * need: operands that are parameters, constants, iotas, moves or conversions of other nodes, or nodes that
 * are there already (diamonds); consumers, so that there is something to fuse; and several outputs. Nodes
 * come from fxi_node_make directly, so that builders play no part. */
#ifndef RANDOM_GRAPH_H
#define RANDOM_GRAPH_H

#include "graph/graph.h"

/* One thing to be covered: variant is the kind of a reduction and 0 elsewhere (the direction of a COMPARE
 * and the result of a CONVERT are drawn); dtype that of operand 0 (of operand 1 for SELECT), or of the
 * result for leaves. */
typedef struct graph_cell {
    fx_op op;
    int variant;
    fx_dtype dtype;
} graph_cell;

#define GRAPH_CELLS_LIMIT 2048
size_t graph_cells(graph_cell *cells);          /* room for GRAPH_CELLS_LIMIT; in the order of ops.def */
/* The same for the operations that run as library kernels, with the kind of a scan, scatter or transform as
 * variant. They are not among the cells above, since nothing is ever fused into them: every other graph
 * contains the next of these. */
size_t graph_library_cells(graph_cell *cells);
fx_dtype graph_cell_dtype(const fx_node *node); /* the dtype under which a node counts */

typedef struct random_graph {
    uint64_t number;
    fx_graph *graph;
    fx_tensor **inputs; /* one per parameter */
} random_graph;

typedef struct random_options {
    int64_t elements; /* most elements of a tensor, or 0: mostly hundreds, sometimes enough for threads */
    int must;         /* cells per graph, or 0: 3 or 4 */
    bool no_library; /* no library kernels */
    bool exact; /* only operations that are exact, whatever the order: no functions, float sums or products */
} random_options;

random_graph random_graph_make(uint64_t number, const random_options *options);
void random_graph_free(random_graph *g);

/* What is left of a graph: these outputs, which are nodes of it, and what they need. */
typedef struct random_cut {
    fx_node *const *outputs;
    size_t count;
    const bool *as_parameter; /* per node: becomes a parameter with the value values[id]; NULL: none */
    fx_tensor *const *values;
} random_cut;
random_graph random_graph_cut(const random_graph *g, const random_cut *cut);
/* The same graph with every node an output, in order. */
random_graph random_graph_whole(const random_graph *g);

/* ---- random numbers and tensors (random_data.c) ---- */
typedef struct random_state {
    uint64_t s;
} random_state;
uint64_t random_bits(random_state *r);
int random_below(random_state *r, int n); /* 0 .. n-1 */
bool random_chance(random_state *r, int percent);

/* How elements are drawn. */
typedef enum random_style {
    RANDOM_PLAIN,
    RANDOM_SMALL_INTEGERS,
    RANDOM_SPECIAL,
    RANDOM_WIDE,
    RANDOM_STYLES
} random_style;
fx_tensor *random_tensor(random_state *r, const fx_shape *shape, random_style style);

#endif
