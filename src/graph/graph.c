/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: making and freeing, parameters, finishing, the pending error. Everything a graph holds lies in
 * its arena, so freeing walks the nodes only to drop the references to constant tensors and closures.
 *
 * Closures are closed when they are finished: each node of an enclosing graph that they use is replaced, at
 * the moment of its first use, by a parameter of the closure (in every graph between), so that a finished
 * body can be rewritten, compiled and shared on its own. */
#include "graph/graph.h"
#include <string.h>

static fx_graph *new_graph(fx_graph *parent) {
    fx_graph *graph = fxi_alloc_zeroed(1, sizeof *graph);
    if (!graph) return NULL;
    atomic_init(&graph->references, 1);
    graph->parent = parent;
    graph->depth = parent ? parent->depth + 1 : 0;
    graph->inert = (fx_node){.graph = graph, .id = -1, .op = FX_OP_INERT};
    return graph;
}

fx_graph *fx_graph_new(fx_error *err) {
    fx_graph *graph = new_graph(NULL);
    if (!graph) fxi_fail_memory(err, "fx_graph_new");
    return graph;
}

fx_graph *fxi_graph_ref(fx_graph *graph) {
    if (graph) atomic_fetch_add_explicit(&graph->references, 1, memory_order_relaxed);
    return graph;
}

static void drop_attr(const fxi_attr *attr) {
    fxi_attr_kind kind = fxi_attr_kind_of(attr->id);
    if (kind == FXI_KIND_OF_TENSOR) fx_tensor_free(attr->u.tensor);
    if (kind != FXI_KIND_OF_GRAPHS) return;
    for (size_t i = 0; i < attr->u.graphs.n; i++) fx_graph_free(attr->u.graphs.v[i]);
}

void fx_graph_free(fx_graph *graph) {
    if (!graph || atomic_fetch_sub_explicit(&graph->references, 1, memory_order_acq_rel) > 1) return;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const fx_node *node = graph->nodes.data[i];
        for (uint32_t a = 0; a < node->attr_count; a++) drop_attr(&node->attrs[a]);
    }
    for (size_t i = 0; i < graph->bodies.count; i++) fx_graph_free(graph->bodies.data[i]);
    fxi_free(graph->bodies.data);
    fxi_free(graph->captures.data);
    fxi_free(graph->copies.data);
    fxi_map_free(&graph->captured);
    fxi_free(graph->nodes.data);
    fxi_free(graph->parameters.data);
    fxi_arena_free(&graph->arena);
    fxi_free(graph);
}

static fx_node *add_parameter(fx_graph *graph, const fx_shape *shape) {
    const fxi_attr index = fxi_attr_int(FXI_ATTR_INDEX, (int64_t)graph->parameters.count);
    if (!FXI_RESERVE(&graph->parameters, graph->parameters.count + 1))
        return fxi_build_fail(graph, FX_ERROR_MEMORY, "fx_parameter: out of memory");
    fx_node *node = fxi_leaf_new(graph, FX_OP_PARAMETER, shape, &index, 1);
    if (node->op != FX_OP_INERT) graph->parameters.data[graph->parameters.count++] = node;
    return node;
}

fx_node *fx_parameter(fx_graph *graph, const fx_shape *shape) {
    if (!graph) return NULL;
    if (!fx_shape_is_valid(shape)) {
        const fxi_shape_fault fault = fxi_shape_fault_of(shape);
        return fxi_build_fail(graph, fault.code, "fx_parameter: the shape %s", fault.text);
    }
    if (graph->parent)
        return fxi_build_fail(graph, FX_ERROR_GRAPH, "fx_parameter: a closure has its inputs and no others");
    return add_parameter(graph, shape);
}

/* ---- captures ---- */

/* What costs nothing and helps the compiler when it is known inside. */
static bool is_copied(const fx_node *node) {
    return node->op == FX_OP_CONSTANT || node->op == FX_OP_IOTA;
}

static fx_node *capture_one(fx_graph *graph, fx_node *outer) {
    fx_node *inner = is_copied(outer)
                         ? fxi_leaf_new(graph, outer->op, &outer->shape, outer->attrs, outer->attr_count)
                         : add_parameter(graph, &outer->shape);
    fxi_capture *capture = fxi_arena_alloc(&graph->arena, 1, sizeof *capture);
    if (!inner || inner->op == FX_OP_INERT || !capture) return NULL;
    *capture = (fxi_capture){outer, inner};
    inner->file = outer->file;
    inner->line = outer->line;
    if (!(is_copied(outer) ? FXI_PUSH(&graph->copies, capture) : FXI_PUSH(&graph->captures, capture)))
        return NULL;
    uint64_t hash = fxi_hash_u64((uint64_t)(uintptr_t)outer, 1);
    return fxi_map_put(&graph->captured, hash, capture) ? inner : NULL;
}

static bool has_outer(const void *value, const void *key) {
    return ((const fxi_capture *)value)->outer == key;
}

const fx_node *fxi_graph_captured(const fx_graph *graph, const fx_node *outer) {
    uint64_t hash = fxi_hash_u64((uint64_t)(uintptr_t)outer, 1);
    const fxi_capture *known = fxi_map_find(&graph->captured, hash, outer, has_outer);
    return known ? known->inner : NULL;
}

fx_node *fxi_graph_capture(fx_graph *graph, fx_node *outer) {
    fx_graph *inside[FXI_MAX_NESTING + 1]; /* the graphs between, the innermost first */
    int n = 0;
    for (fx_graph *g = graph; g && g != outer->graph && n <= FXI_MAX_NESTING; g = g->parent) inside[n++] = g;
    fx_node *node = outer;
    while (node && n-- > 0) {
        uint64_t hash = fxi_hash_u64((uint64_t)(uintptr_t)node, 1);
        const fxi_capture *known = fxi_map_find(&inside[n]->captured, hash, node, has_outer);
        node = known ? known->inner : capture_one(inside[n], node);
    }
    return node;
}

/* ---- finishing ---- */

bool fx_graph_error(const fx_graph *graph, fx_error *err) {
    if (!graph || graph->error.code == FX_OK) return false;
    fxi_fail_copy(err, &graph->error);
    return true;
}

static bool check_output(const fx_graph *graph, const fx_node *output, size_t i, fx_error *err) {
    if (!output) return fxi_fail(err, FX_ERROR_GRAPH, "fx_graph_finish: output %zu is NULL", i);
    if (output->op == FX_OP_INERT && output->graph != graph && fx_graph_error(output->graph, err))
        return false; /* what went wrong there says more than that it is another graph */
    if (!fxi_node_is_visible(output, graph))
        return fxi_fail(err, FX_ERROR_GRAPH,
                        "fx_graph_finish: output %zu, %%%lld = %s, belongs to another graph", i,
                        (long long)output->id, fx_node_op(output));
    if (output->op == FX_OP_INERT) /* of an enclosing graph: its own error is pending there */
        return fxi_fail_copy(err, &output->graph->error);
    return true;
}

bool fx_graph_finish(fx_graph *graph, fx_nodes outputs, fx_error *err) {
    if (!graph) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_graph_finish: the graph is NULL");
    if (graph->error.code != FX_OK) return fxi_fail_copy(err, &graph->error);
    if (graph->finished)
        return fxi_fail(err, FX_ERROR_GRAPH, "fx_graph_finish: the graph is finished already");
    if (graph->body) return fxi_fail(err, FX_ERROR_GRAPH, "fx_graph_finish: a closure in it is being built");
    if (outputs.n && !outputs.v)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_graph_finish: the outputs are NULL");
    for (size_t i = 0; i < outputs.n; i++) FX_TRY(check_output(graph, outputs.v[i], i, err));
    fx_node **copy = fxi_arena_alloc(&graph->arena, outputs.n, sizeof(fx_node *));
    if (!copy) return fxi_fail_memory(err, "fx_graph_finish");
    for (size_t i = 0; i < outputs.n; i++) {
        copy[i] = fxi_graph_capture(graph, outputs.v[i]);
        if (!copy[i]) return fxi_fail_memory(err, "fx_graph_finish");
    }
    graph->outputs = copy;
    graph->output_count = outputs.n;
    graph->finished = true;
    return true;
}

size_t fx_graph_node_count(const fx_graph *graph) {
    return graph ? graph->nodes.count : 0;
}
size_t fx_graph_parameter_count(const fx_graph *graph) {
    return graph ? graph->parameters.count : 0;
}

/* ---- closures ---- */

/* Parameters in, the user's function, outputs out; lists are the body's own memory. */
static bool fill_body(fx_graph *body, fx_fn fn, void *user, const fx_shape *in_shapes, size_t n_in,
                      size_t n_out, fx_error *err) {
    fx_node **in = fxi_arena_alloc(&body->arena, n_in, sizeof(fx_node *));
    fx_node **out = fxi_arena_alloc(&body->arena, n_out, sizeof(fx_node *));
    if (!in || !out) return fxi_fail_memory(err, "closure");
    for (size_t i = 0; i < n_in; i++) in[i] = add_parameter(body, &in_shapes[i]);
    fn(body, in, n_in, out, n_out, user);
    return fx_graph_finish(body, (fx_nodes){out, n_out}, err);
}

fx_graph *fxi_closure_build(fx_graph *parent, const char *name, fx_fn fn, void *user,
                            const fx_shape *in_shapes, size_t n_in, size_t n_out) {
    if (!parent) return NULL;
    if (!fn || parent->finished || parent->body) {
        fxi_build_fail(parent, fn ? FX_ERROR_GRAPH : FX_ERROR_ARGUMENT, "%s: %s", name,
                       !fn                ? "the closure is NULL"
                       : parent->finished ? "the graph is finished"
                                          : "another closure of this graph is being built");
        return NULL;
    }
    if (parent->depth + 1 >= FXI_MAX_NESTING) {
        fxi_build_fail(parent, FX_ERROR_GRAPH, "%s: closures nest deeper than %d", name, FXI_MAX_NESTING);
        return NULL;
    }
    fx_graph *body = new_graph(parent);
    if (!body || !FXI_PUSH(&parent->bodies, body)) {
        fx_graph_free(body);
        fxi_build_fail(parent, FX_ERROR_MEMORY, "%s: out of memory", name);
        return NULL;
    }
    parent->body = body;
    fx_error err = {.code = FX_OK};
    bool ok = fill_body(body, fn, user, in_shapes, n_in, n_out, &err);
    parent->body = NULL;
    body->parent = NULL; /* closed: it may outlive this graph */
    if (ok) return body;
    if (parent->error.code == FX_OK) {
        parent->error = err;
        parent->error_stamped = err.file != NULL;
    }
    body->finished = true; /* nothing more is added to it; it stays until the parent goes */
    return NULL;
}
