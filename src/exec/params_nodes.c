/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of nodes, as graph functions see them. Faults are kept in the graph, as builders keep them. Lists of
 * nodes are copies in the map's arena, so that replacing entries while going through a list is safe. */
#include "params_exec.h"
#include <fluxion/grad.h>
#include <string.h>

fx_params *fxi_params_of_nodes(fx_graph *graph, const fxi_names *names, fx_node *const *nodes) {
    fx_params *params = fx_params_new(NULL);
    if (!params) return NULL;
    params->graph = graph;
    for (size_t i = 0; i < names->list.count; i++) {
        fxi_param *entry = fxi_names_add(&params->entries, names->list.data[i]->name);
        if (!entry) {
            fx_params_free(params);
            return NULL;
        }
        entry->node = nodes[i];
    }
    return params;
}

fx_graph *fx_params_graph(const fx_params *params) {
    return params ? params->graph : NULL;
}

fx_node *fx_params_node(const fx_params *params, const char *name) {
    if (!fx_params_graph(params)) return NULL;
    if (!name) return fxi_build_fail(params->graph, FX_ERROR_ARGUMENT, "fx_params_node: name is NULL");
    const fxi_param *entry = fxi_names_find(&params->entries, name);
    if (entry) return entry->node;
    return fxi_build_fail(params->graph, FX_ERROR_ARGUMENT,
                          "fx_params_node: there is no \"%s\" among %zu entries", name,
                          params->entries.list.count);
}

/* Whether a node may be an entry; if not, the fault is in the graph. Inert nodes have their error there. */
static bool check_node(const fx_params *params, const char *function, const fx_node *node) {
    if (!node) {
        fxi_build_fail(params->graph, FX_ERROR_GRAPH, "%s: the node is NULL", function);
        return false;
    }
    if (node->graph == params->graph) return true;
    fxi_build_fail(params->graph, FX_ERROR_GRAPH, "%s: the node is of another graph", function);
    return false;
}

fx_node *fx_params_set_node(fx_params *params, const char *name, fx_node *node) {
    fx_graph *graph = fx_params_graph(params);
    if (!graph) return NULL;
    const char *fault = fxi_name_fault(name);
    if (fault) return fxi_build_fail(graph, FX_ERROR_ARGUMENT, "fx_params_set_node: the name %s", fault);
    if (!check_node(params, "fx_params_set_node", node)) return &graph->inert;
    fxi_param *entry = fxi_names_add(&params->entries, name);
    if (!entry) return fxi_build_fail(graph, FX_ERROR_MEMORY, "fx_params_set_node: out of memory");
    entry->node = node;
    return node;
}

static size_t count_prefix(const fx_params *params, const char *prefix) {
    size_t n = 0;
    for (size_t i = 0; i < params->entries.list.count; i++)
        n += fxi_text_begins(params->entries.list.data[i]->name, prefix);
    return n;
}

/* Room for so many nodes in the map's arena. */
static fx_node **new_span(fx_params *params, const char *function, size_t n) {
    fx_node **list = fxi_arena_alloc(&params->spans, n, sizeof *list);
    if (!list) fxi_build_fail(params->graph, FX_ERROR_MEMORY, "%s: out of memory", function);
    return list;
}

static fx_nodes nodes_of(fx_params *params, const char *function, const char *prefix) {
    if (!prefix) prefix = "";
    fx_node **list = new_span(params, function, count_prefix(params, prefix));
    if (!list) return (fx_nodes){NULL, 0};
    size_t n = 0;
    for (size_t i = 0; i < params->entries.list.count; i++) {
        const fxi_param *entry = params->entries.list.data[i];
        if (fxi_text_begins(entry->name, prefix)) list[n++] = entry->node;
    }
    return (fx_nodes){list, n};
}

fx_nodes fx_params_nodes(fx_params *params, const char *prefix) {
    return fx_params_graph(params) ? nodes_of(params, "fx_params_nodes", prefix) : (fx_nodes){NULL, 0};
}

/* Whether the entries of that prefix can be differentiated by; messages name entries, as the user knows them.
 * A map without any entries has no names that could be mistaken. */
static bool check_prefix(const fx_params *params, const char *prefix) {
    if (!prefix) prefix = "";
    if (count_prefix(params, prefix) == 0 && params->entries.list.count > 0) {
        fxi_build_fail(params->graph, FX_ERROR_ARGUMENT,
                       "fx_params_gradient: no entry begins with \"%s\"; there are %zu, the first is \"%s\"",
                       prefix, params->entries.list.count, params->entries.list.data[0]->name);
        return false;
    }
    for (size_t i = 0; i < params->entries.list.count; i++) {
        const fxi_param *entry = params->entries.list.data[i];
        const fx_shape *shape = &entry->node->shape;
        if (!fxi_text_begins(entry->name, prefix) || entry->node->op == FX_OP_INERT) continue;
        if (fx_dtype_is_float(shape->dtype) || fx_dtype_is_complex(shape->dtype)) continue;
        fxi_build_fail(params->graph, FX_ERROR_DTYPE,
                       "fx_params_gradient: \"%s\" is %s: only floats and complex numbers have derivatives",
                       entry->name, fx_shape_to_text(shape).s);
        return false;
    }
    return true;
}

fx_nodes fx_params_gradient(fx_node *loss, fx_params *params, const char *prefix) {
    const fx_nodes none = {NULL, 0};
    if (!fx_params_graph(params)) return none;
    if (!loss) fxi_build_fail(params->graph, FX_ERROR_GRAPH, "fx_params_gradient: the loss is NULL");
    if (!loss || !check_prefix(params, prefix)) return none;
    fx_nodes wrt = nodes_of(params, "fx_params_gradient", prefix);
    if (wrt.n == 0) return none;
    fx_node **gradients = new_span(params, "fx_params_gradient", wrt.n);
    if (!gradients) return none;
    fx_gradient(loss, wrt, gradients);
    return params->graph->error.code ? none : (fx_nodes){gradients, wrt.n};
}

/* ---- whole groups ---- */

static fx_node *replace_nodes(fx_params *params, const char *prefix, fx_nodes nodes) {
    size_t n = 0;
    for (size_t i = 0; i < params->entries.list.count; i++) {
        fxi_param *entry = params->entries.list.data[i];
        if (fxi_text_begins(entry->name, prefix)) entry->node = nodes.v[n++];
    }
    return nodes.v[0];
}

/* Prefix and number; the caller checked the room. */
static fx_node *add_nodes(fx_params *params, const char *prefix, fx_nodes nodes) {
    for (size_t i = 0; i < nodes.n; i++) {
        fx_node *set = fx_params_set_node(params, fx_name("%s%zu", prefix, i).s, nodes.v[i]);
        if (set != nodes.v[i]) return set;
    }
    return nodes.v[0];
}

fx_node *fx_params_set_nodes(fx_params *params, const char *prefix, fx_nodes nodes) {
    fx_graph *graph = fx_params_graph(params);
    if (!graph) return NULL;
    if (!prefix) prefix = "";
    size_t have = count_prefix(params, prefix);
    if (have > 0 && have != nodes.n)
        return fxi_build_fail(graph, FX_ERROR_ARGUMENT,
                              "fx_params_set_nodes: %zu nodes for %zu entries \"%s...\"", nodes.n, have,
                              prefix);
    if (nodes.n == 0) return NULL;
    if (!nodes.v) return fxi_build_fail(graph, FX_ERROR_ARGUMENT, "fx_params_set_nodes: nodes.v is NULL");
    for (size_t i = 0; i < nodes.n; i++)
        if (!check_node(params, "fx_params_set_nodes", nodes.v[i])) return &graph->inert;
    return have > 0 ? replace_nodes(params, prefix, nodes) : add_nodes(params, prefix, nodes);
}
