/* SPDX-License-Identifier: Apache-2.0 */
/* Rechecks a whole graph, and the closures in it, against the tables: run after building and between
 * passes in debug builds and tests. Nothing is believed: numbering, membership and order of operands (which
 * is what excludes cycles), then dtypes, attributes and shape of every node through the same rules that
 * builders used. A violation is a fault of this library, so its code is FX_ERROR_INTERNAL. */
#include "graph/graph.h"

static bool fail_node(const fx_node *node, fx_error *err, const char *what) {
    char line[200];
    fxi_text text = fxi_text_fixed(line, sizeof line);
    fxi_node_add_text(&text, node);
    return fxi_fail_at(err, FX_ERROR_INTERNAL, node->file, node->line, "verify: %s: %s", line, what);
}

static bool is_node_of(const fx_graph *graph, const fx_node *node) {
    return node->id >= 0 && (size_t)node->id < graph->nodes.count && graph->nodes.data[node->id] == node;
}

static bool check_operands(const fx_node *node, fx_error *err) {
    for (uint32_t i = 0; i < node->operand_count; i++) {
        const fx_node *x = node->operands[i];
        if (!x) return fail_node(node, err, "an operand is NULL");
        if (!is_node_of(node->graph, x)) return fail_node(node, err, "an operand is not in its graph");
        if (x->id >= node->id)
            return fail_node(node, err, "an operand does not come before it");
    }
    return true;
}

static bool infer(const fx_node *node, fx_shape *shape, fxi_shapes *more, fx_error *err) {
    const fx_shape **shapes = fxi_alloc_zeroed(node->operand_count, sizeof(fx_shape *));
    if (!shapes) return fxi_fail_memory(err, "verify");
    for (uint32_t i = 0; i < node->operand_count; i++) shapes[i] = &node->operands[i]->shape;
    const fxi_shape_args args = {
        .op = node->op,
        .operands = shapes,
        .operand_count = node->operand_count,
        .attrs = node->attrs,
        .attr_count = node->attr_count,
        .more = more,
    };
    bool ok = fxi_shape_infer(&args, shape, err);
    fxi_free(shapes);
    return ok;
}

static bool has_results(const fx_node *node, const fx_shape *shape, const fxi_shapes *more) {
    if (!fx_shape_equal(shape, &node->shape) || more->count != node->more_count) return false;
    for (size_t i = 0; i < more->count; i++)
        if (!fx_shape_equal(&more->data[i], &node->more[i])) return false;
    return true;
}

static bool check_shapes(const fx_node *node, fx_error *err) {
    fx_shape shape = node->shape;
    fx_error found = {.code = FX_OK};
    fxi_shapes more = {0};
    bool ok = infer(node, &shape, &more, &found);
    bool same = ok && has_results(node, &shape, &more);
    fxi_free(more.data);
    if (!ok && found.code == FX_ERROR_MEMORY) return fxi_fail_copy(err, &found);
    if (!ok) return fail_node(node, err, found.message);
    return same || fail_node(node, err, "its shape is not what the rule gives");
}

/* The shape of a RESULT is given to its rule, so it is compared with the operand's list here. */
static bool check_result(const fx_node *node, fx_error *err) {
    if (node->op != FX_OP_RESULT) return true;
    const fx_node *of = node->operands[0];
    int64_t number = fxi_node_int(node, FXI_ATTR_RESULT);
    if (number < 1 || number > of->more_count) return fail_node(node, err, "its operand has no such result");
    return fx_shape_equal(&of->more[number - 1], &node->shape) ||
           fail_node(node, err, "its shape is not that of the result");
}

static bool check_graph(const fx_graph *graph, fx_error *err);

/* Recursion ends because closures nest FXI_MAX_NESTING deep at most. */
static bool check_bodies(const fx_node *node, fx_error *err) {
    fxi_graphs bodies = fxi_node_bodies(node);
    for (size_t i = 0; i < bodies.n; i++) FX_TRY(check_graph(bodies.v[i], err));
    return true;
}

static bool check_node(const fx_graph *graph, size_t i, fx_error *err) {
    const fx_node *node = graph->nodes.data[i];
    if (!node || node->graph != graph || node->id != (int64_t)i)
        return fxi_fail(err, FX_ERROR_INTERNAL, "verify: node %zu is not numbered or owned as it should be",
                        i);
    FX_TRY(check_operands(node, err));
    FX_TRY(check_shapes(node, err));
    return check_result(node, err) && check_bodies(node, err);
}

static bool check_parameters(const fx_graph *graph, fx_error *err) {
    size_t found = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const fx_node *node = graph->nodes.data[i];
        if (node->op != FX_OP_PARAMETER) continue;
        int64_t index = fxi_node_int(node, FXI_ATTR_INDEX);
        if ((size_t)index >= graph->parameters.count || graph->parameters.data[index] != node)
            return fail_node(node, err, "it is not in the list of parameters at its index");
        found++;
    }
    if (found == graph->parameters.count) return true;
    return fxi_fail(err, FX_ERROR_INTERNAL, "verify: %zu parameters are listed, %zu are there",
                    graph->parameters.count, found);
}

static bool check_graph(const fx_graph *graph, fx_error *err) {
    if (graph->error.code != FX_OK) return fxi_fail_copy(err, &graph->error);
    for (size_t i = 0; i < graph->nodes.count; i++) FX_TRY(check_node(graph, i, err));
    FX_TRY(check_parameters(graph, err));
    for (size_t i = 0; i < graph->output_count; i++) {
        const fx_node *output = graph->outputs[i];
        if (!output || !is_node_of(graph, output))
            return fxi_fail(err, FX_ERROR_INTERNAL, "verify: output %zu is not a node of the graph", i);
    }
    return true;
}

bool fxi_verify(const fx_graph *graph, fx_error *err) {
    if (!graph) return fxi_fail(err, FX_ERROR_ARGUMENT, "verify: the graph is NULL");
    return check_graph(graph, err);
}
