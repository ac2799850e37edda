/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a finished graph (rewrite.h): dead nodes are left out, the others pass through rules, folding and sharing. All
 * parameters stay, in their order, since callers pass them all. */
#include "rewrite.h"
#include <string.h>

static bool *find_live(const fx_graph *g) {
    bool *live = fxi_alloc_zeroed(g->nodes.count + 1, sizeof *live);
    if (!live) return NULL;
    for (size_t i = 0; i < g->output_count; i++) live[g->outputs[i]->id] = true;
    for (size_t i = g->nodes.count; i-- > 0;) {
        const fx_node *n = g->nodes.data[i];
        live[i] = live[i] || n->op == FX_OP_PARAMETER || n->log_label;
        for (uint32_t k = 0; live[i] && k < n->operand_count; k++) live[n->operands[k]->id] = true;
    }
    return live;
}

static fx_node *rewrite_node(fxi_rewrite *r, const fx_node *n, fx_node *const *operands) {
    fxi_draft d = {.op = n->op, .all = operands, .operand_count = n->operand_count, .attrs = n->attrs, .attr_count = n->attr_count, .shape = &n->shape};
    for (size_t i = 0; i < 3 && i < d.operand_count; i++) d.operands[i] = operands[i];
    fx_node *made = NULL;
    if (!n->log_label) { /* a logged node stays what it is */
        made = fxi_rules_apply(r, &d);
        if (!made && !r->failed) made = fxi_fold(r, &d);
    }
    if (!made && !r->failed) made = fxi_rewrite_add(r, &d);
    return r->failed ? NULL : made;
}

static void keep_place(fx_node *made, const fx_node *old) {
    if (!made->file) {
        made->file = old->file;
        made->line = old->line;
    }
}

/* Two logged nodes never become one: each is reported under its own label. */
static fx_node *keep_label(fxi_rewrite *r, fx_node *made, const fx_node *old) {
    if (!old->log_label) return made;
    if (made->log_label) {
        made = fxi_node_make(&(fxi_node_spec){.graph = r->graph, .op = made->op, .operands = made->operands, .attrs = made->attrs,
                                              .operand_count = made->operand_count, .attr_count = made->attr_count, .shape = &old->shape});
        if (!made || made->op == FX_OP_INERT) return NULL;
        keep_place(made, old);
    }
    made->log_label = fxi_arena_copy(&r->graph->arena, old->log_label, strlen(old->log_label) + 1);
    return made->log_label ? made : NULL;
}

static bool rewrite_all(fxi_rewrite *r, const fx_graph *g, const bool *live, fx_node **map) {
    FXI_VEC(fx_node *) operands = {0};
    bool ok = true;
    for (size_t i = 0; i < g->nodes.count && ok; i++) {
        const fx_node *n = g->nodes.data[i];
        if (!live[i]) continue;
        ok = FXI_RESERVE(&operands, n->operand_count + 1u);
        for (uint32_t k = 0; ok && k < n->operand_count; k++) operands.data[k] = map[n->operands[k]->id];
        fx_node *made = ok ? rewrite_node(r, n, operands.data) : NULL;
        if (made) keep_place(made, n);
        map[i] = made ? keep_label(r, made, n) : NULL;
        ok = map[i] != NULL;
    }
    fxi_free(operands.data);
    return ok;
}

static bool finish(fxi_rewrite *r, const fx_graph *g, fx_node *const *map, fx_error *err) {
    fx_node **outputs = fxi_alloc_zeroed(g->output_count + 1, sizeof *outputs);
    if (!outputs) return fxi_fail_memory(err, "graph");
    for (size_t i = 0; i < g->output_count; i++) outputs[i] = map[g->outputs[i]->id];
    bool ok = fx_graph_finish(r->graph, (fx_nodes){outputs, g->output_count}, err);
    fxi_free(outputs);
    return ok;
}

fx_graph *fxi_passes_run(const fx_graph *graph, fx_error *err) {
    fxi_rewrite r = {.graph = fx_graph_new(err)};
    if (!r.graph) return NULL;
    bool *live = find_live(graph);
    fx_node **map = fxi_alloc_zeroed(graph->nodes.count + 1, sizeof *map);
    bool ok = live && map && rewrite_all(&r, graph, live, map);
    if (!ok && !fx_graph_error(r.graph, err)) fxi_fail_memory(err, "graph");
    ok = ok && finish(&r, graph, map, err);
    fxi_map_free(&r.equal);
    fxi_free(live);
    fxi_free(map);
    if (ok) return r.graph;
    fx_graph_free(r.graph);
    return NULL;
}
