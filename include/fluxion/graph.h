/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs and nodes: the symbolic program that builder functions (ops.h) append to.
 *
 * Ownership. A graph owns its nodes; they live as long as it does.
 * Threads. A graph is built by one thread at a time; reading a finished graph is safe from any number of
 * threads.
 * Errors. Builders never fail loudly: the first violation is kept in the graph and returned by whoever
 * finishes it; until then they return an inert node of that graph, so that code needs no checks between
 * operations. */
#ifndef FLUXION_GRAPH_H
#define FLUXION_GRAPH_H

#include <fluxion/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fx_graph fx_graph;
typedef struct fx_node fx_node;

/* A span of nodes: FX_NODES(a, b). */
typedef struct fx_nodes {
    fx_node *const *v;
    size_t n;
} fx_nodes;

/* A closure, also the most general graph function: builds n_out nodes from n_in nodes in graph `body`. It
 * is run once. It may use nodes of the graphs that enclose body (captures). An out[] left NULL is an error
 * that the finisher reports. */
typedef void (*fx_fn)(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user);

/* An empty graph; free it with fx_graph_free. NULL: no memory. Executables (exec.h) make their own. */
FX_API fx_graph *fx_graph_new(fx_error *err);
/* Frees the graph, its nodes and its closures. NULL-safe. */
FX_API void fx_graph_free(fx_graph *graph);
/* Appends the next parameter. Any valid shape. */
FX_API fx_node *fx_parameter(fx_graph *graph, const fx_shape *shape);
/* Names the outputs and ends building: later builder calls on this graph are errors. False, with the first
 * build error, when one happened or an output is NULL or of another graph. */
FX_API bool fx_graph_finish(fx_graph *graph, fx_nodes outputs, fx_error *err);
/* The first build error so far; false (err untouched) when there is none. */
FX_API bool fx_graph_error(const fx_graph *graph, fx_error *err);
/* Number of nodes, those of closures apart; 0 for NULL. */
FX_API size_t fx_graph_node_count(const fx_graph *graph);
/* Number of parameters; 0 for NULL. */
FX_API size_t fx_graph_parameter_count(const fx_graph *graph);
/* One line per node: "%3 = add %1 %2 : (float32)[2, 3]  model.c:42". As snprintf: gives the length needed. */
FX_API size_t fx_graph_text(const fx_graph *graph, char *buffer, size_t size);

/* Graph of a node; NULL for NULL. */
FX_API fx_graph *fx_node_graph(const fx_node *node);
/* Shape of a node, valid as long as the graph; an invalid shape for NULL or an inert node. */
FX_API const fx_shape *fx_node_shape(const fx_node *node);
/* Element type of a node; FX_INVALID_DTYPE for NULL or an inert node. */
FX_API fx_dtype fx_node_dtype(const fx_node *node);
/* Number of axes; 0 for NULL or an inert node. */
FX_API int fx_node_rank(const fx_node *node);
/* Dimension of an axis (negative: from the end); -1 when there is none. */
FX_API int64_t fx_node_dim(const fx_node *node, int axis);
/* Name of the operation, e.g. "add"; "inert" after an error. Static storage. */
FX_API const char *fx_node_op(const fx_node *node);
/* File of the user's call that made the node, valid for the life of the process; NULL when unknown. */
FX_API const char *fx_node_file(const fx_node *node);
/* Line of that call; 0 when unknown. */
FX_API int fx_node_line(const fx_node *node);

/* Stamps every node made since the last stamp, up to `node`, and the graph's pending error, with the place
 * of a call. Gives back node. The macros of at.h put this around each builder; bindings may call it with
 * their own places. `file` is copied. NULL node or file: nothing happens. */
FX_API fx_node *fx_at(fx_node *node, const char *file, int line);

/* Asks that each run hands the node's value to the executable's log callback (fx_exec_options) under
 * `label` (copied), with the place of the call that made the node. Gives back the node. A node may have
 * several labels: it is handed over once under each, in the order of these calls. */
FX_API fx_node *fx_log_node(fx_node *node, const char *label);

#ifdef __cplusplus
}
#endif
#endif
