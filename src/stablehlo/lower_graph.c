/* SPDX-License-Identifier: Apache-2.0 */
/* The pass that lowers a graph before it is written: nodes are copied in order into a new graph, those with a
 * lowering in place being what it builds of their operands' copies. It is repeated while it changes anything,
 * since lowerings use operations that are lowered themselves. Nodes that are not needed are left out, so
 * what a composite's further closures captured for derivatives is not written either. */
#include "stablehlo/lower.h"

typedef struct lowering {
    fxi_build b; /* of the new graph */
    bool inline_composites;
    fxi_arena arena;
    fx_node **map, ***results; /* of the old graph's nodes, by id: all results where a lowering made them */
    const fx_node *at;         /* the node that is lowered now, whose place a failure has */
    fxi_nodes operands;
} lowering;

static bool is_in_place(const fx_node *n, bool inline_composites) {
    if (n->op == FX_OP_COMPOSITE) return inline_composites;
    const fxi_lowering *row = fxi_lowering_of(n);
    return row && !row->is_function;
}

static bool has_any(const fx_graph *g, bool inline_composites) {
    for (size_t i = 0; i < g->nodes.count; i++)
        if (is_in_place(g->nodes.data[i], inline_composites)) return true;
    return false;
}

/* Inputs and what the decomposition captured come first among the operands. */
static bool build_composite(const fxi_build *b, const fx_node *n, fx_node *const *operands,
                            fx_node **results) {
    const fx_graph *body = fxi_node_bodies(n).v[0];
    fx_node **values = fxi_alloc_zeroed(body->nodes.count + 1, sizeof *values);
    if (!values) {
        fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
        return false;
    }
    for (size_t i = 0; i < body->parameters.count; i++) values[body->parameters.data[i]->id] = operands[i];
    bool ok = fxi_inline(b, body, NULL, values);
    for (size_t i = 0; ok && i < body->output_count; i++) results[i] = values[body->outputs[i]->id];
    fxi_free(values);
    return ok;
}

/* New nodes are at the place of the one they stand for. */
static void set_places(const lowering *l, size_t since, const fx_node *n) {
    for (size_t i = since; i < l->b.graph->nodes.count; i++) {
        fx_node *made = l->b.graph->nodes.data[i];
        if (made->file) continue;
        made->file = n->file;
        made->line = n->line;
    }
}

static bool lower_node(lowering *l, const fx_node *n) {
    fx_node **list = fxi_arena_alloc(&l->arena, fxi_node_results(n), sizeof *list);
    if (!list) {
        fxi_build_refuse(&l->b, FX_ERROR_MEMORY, "out of memory");
        return false;
    }
    size_t since = l->b.graph->nodes.count;
    const fxi_lowering *row = fxi_lowering_of(n);
    FX_TRY(n->op == FX_OP_COMPOSITE ? build_composite(&l->b, n, l->operands.data, list)
                                    : row->build(&l->b, n, l->operands.data, list));
    for (size_t i = 0; i < fxi_node_results(n); i++)
        if (!list[i] || list[i]->op == FX_OP_INERT) return false;
    set_places(l, since, n);
    l->map[n->id] = list[0];
    l->results[n->id] = list;
    return true;
}

static bool copy_node(lowering *l, const fx_node *n) {
    l->at = n;
    if (!FXI_RESERVE(&l->operands, n->operand_count + 1u)) {
        fxi_build_refuse(&l->b, FX_ERROR_MEMORY, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < n->operand_count; i++) l->operands.data[i] = l->map[n->operands[i]->id];
    if (is_in_place(n, l->inline_composites)) return lower_node(l, n);
    fx_node **results = n->op == FX_OP_RESULT ? l->results[n->operands[0]->id] : NULL;
    fx_node *made =
        results ? results[fxi_node_int(n, FXI_ATTR_RESULT)] : fxi_inline_node(&l->b, n, l->operands.data);
    l->map[n->id] = made;
    if (!made || made->op == FX_OP_INERT) return false;
    made->lowered |= n->lowered; /* also of what a lowering made to be written as it is */
    return true;
}

/* All parameters in their order, then the other nodes that outputs need. */
static bool copy_nodes(lowering *l, const fx_graph *g, bool *wanted) {
    for (size_t i = 0; i < g->parameters.count; i++) {
        const fx_node *p = g->parameters.data[i];
        fx_node *made = fx_parameter(l->b.graph, &p->shape);
        if (!made || made->op == FX_OP_INERT) return false;
        l->map[p->id] = made;
    }
    for (size_t i = 0; i < g->output_count; i++) wanted[g->outputs[i]->id] = true;
    fxi_inline_mark(g, wanted);
    for (size_t i = 0; i < g->nodes.count; i++)
        if (wanted[i] && !l->map[i]) FX_TRY(copy_node(l, g->nodes.data[i]));
    return true;
}

static bool finish(const lowering *l, const fx_graph *g, fx_node **outputs, fx_error *err) {
    for (size_t i = 0; i < g->output_count; i++) outputs[i] = l->map[g->outputs[i]->id];
    return fx_graph_finish(l->b.graph, (fx_nodes){outputs, g->output_count}, err);
}

/* Hands the graph's error on; it is at the place of the node. */
static bool fail_there(const lowering *l, fx_error *err) {
    fx_error error = {.code = FX_OK};
    if (!fx_graph_error(l->b.graph, &error)) return fxi_fail_memory(err, l->b.name);
    if (!error.file && l->at) {
        error.file = l->at->file;
        error.line = l->at->line;
    }
    return fxi_fail_copy(err, &error);
}

/* One round. */
static fx_graph *lower_once(const char *name, const fx_graph *g, bool inline_composites, fx_error *err) {
    fx_graph *made = fx_graph_new(err);
    if (!made) return NULL;
    lowering l = {.b = {name, made, &made->inert}, .inline_composites = inline_composites};
    l.map = fxi_arena_alloc(&l.arena, g->nodes.count, sizeof *l.map);
    l.results = fxi_arena_alloc(&l.arena, g->nodes.count, sizeof *l.results);
    bool *wanted = fxi_arena_alloc(&l.arena, g->nodes.count, sizeof *wanted);
    fx_node **outputs = fxi_arena_alloc(&l.arena, g->output_count, sizeof *outputs);
    bool ok = l.map && l.results && wanted && outputs;
    if (!ok) fxi_fail_memory(err, name);
    if (ok && !copy_nodes(&l, g, wanted)) ok = fail_there(&l, err);
    ok = ok && finish(&l, g, outputs, err);
    fxi_free(l.operands.data);
    fxi_arena_free(&l.arena);
    if (ok) return made;
    fx_graph_free(made);
    return NULL;
}

fx_graph *fxi_lower_graph(const char *name, const fx_graph *graph, bool inline_composites, fx_error *err) {
    fx_graph *g = fxi_graph_ref((fx_graph *)(uintptr_t)graph);
    for (int round = 0; has_any(g, inline_composites); round++) {
        fx_graph *next = NULL;
        if (round < FXI_MOST_LOWERINGS)
            next = lower_once(name, g, inline_composites, err);
        else
            fxi_fail(err, FX_ERROR_INTERNAL, "%s: lowering does not end", name);
        fx_graph_free(g);
        if (!next) return NULL;
        g = next;
    }
    return g;
}

static bool build_function(const fxi_build *b, const fx_node *n, fx_node **in, fx_node **out, fx_error *err) {
    bool ok = in && out;
    for (uint32_t i = 0; ok && i < n->operand_count; i++) {
        in[i] = fx_parameter(b->graph, &n->operands[i]->shape);
        ok = in[i] && in[i]->op != FX_OP_INERT;
    }
    ok = ok && fxi_lowering_of(n)->build(b, n, in, out);
    if (ok) return fx_graph_finish(b->graph, (fx_nodes){out, fxi_node_results(n)}, err);
    return fx_graph_error(b->graph, err) ? false : fxi_fail_memory(err, b->name);
}

fx_graph *fxi_lower_function(const char *name, const fx_node *n, fx_error *err) {
    fx_graph *g = fx_graph_new(err);
    if (!g) return NULL;
    const fxi_build b = {name, g, &g->inert};
    fx_node **in = fxi_alloc_zeroed(n->operand_count + 1u, sizeof *in);
    fx_node **out = fxi_alloc_zeroed(fxi_node_results(n), sizeof *out);
    bool ok = build_function(&b, n, in, out, err);
    fxi_free(in);
    fxi_free(out);
    if (ok) return g;
    fx_graph_free(g);
    return NULL;
}
