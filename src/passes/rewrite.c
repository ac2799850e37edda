/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a finished graph (rewrite.h): nodes that nothing needs are left out, the others pass through
 * rules, folding and sharing. All parameters stay, in their order, since callers pass them all; logged nodes
 * stay under their labels. */
#include "rewrite.h"
#include <string.h>

/* How often outputs, labels and needed nodes read each node; operands come before their users, so one pass
 * from the end suffices. */
static uint32_t *count_uses(const fx_graph *g, size_t *count) {
    uint32_t *uses = fxi_alloc_zeroed(g->nodes.count, sizeof *uses);
    if (!uses) return NULL;
    *count = 0;
    for (size_t i = 0; i < g->output_count; i++) uses[g->outputs[i]->id]++;
    for (size_t i = g->nodes.count; i-- > 0;) {
        const fx_node *n = g->nodes.data[i];
        uses[i] += n->op == FX_OP_PARAMETER || n->labels;
        *count += uses[i] > 0;
        for (uint32_t k = 0; uses[i] && k < n->operand_count; k++) uses[n->operands[k]->id]++;
    }
    return uses;
}

bool fxi_rewrite_is_sole(const fxi_rewrite *r, const fx_node *node) {
    return (size_t)node->id >= r->uses.count || r->uses.data[node->id] <= 1;
}

/* A node of the new graph is read wherever the old one, or another that became the same, is read. */
static bool add_uses(fxi_rewrite *r, const fx_node *made, uint32_t uses) {
    while (r->uses.count <= (size_t)made->id)
        if (!FXI_PUSH(&r->uses, 0)) return false;
    r->uses.data[made->id] += uses;
    return true;
}

/* ---- one node ---- */

/* Closures are rewritten by themselves, through all passes; the recursion ends because they nest
 * FXI_MAX_NESTING deep at most. */
static bool rewrite_bodies(fxi_rewrite *r, fxi_graphs from, fx_graph **to) {
    fx_error err = {.code = FX_OK};
    for (size_t i = 0; i < from.n; i++) {
        to[i] = r->bodies ? fxi_passes_run(from.v[i], &err) : fxi_graph_ref(from.v[i]);
        if (!to[i]) return false;
    }
    return true;
}

static fx_node *add_with_bodies(fxi_rewrite *r, fxi_draft *d, fxi_attr *attrs, fxi_graphs from) {
    fx_graph **bodies = fxi_alloc_zeroed(from.n, sizeof(fx_graph *));
    fx_node *made = NULL;
    r->failed = !bodies || !rewrite_bodies(r, from, bodies);
    if (!r->failed) {
        for (size_t i = 0; i < d->attr_count; i++)
            attrs[i] = d->attrs[i].id == FXI_ATTR_BODIES ? fxi_attr_graphs(FXI_ATTR_BODIES, bodies, from.n)
                                                         : d->attrs[i];
        d->attrs = attrs;
        made = fxi_rewrite_add(r, d);
    }
    for (size_t i = 0; bodies && i < from.n; i++) fx_graph_free(bodies[i]);
    fxi_free(bodies);
    return made;
}

/* A node with closures; no rule looks at it. */
static fx_node *rewrite_control(fxi_rewrite *r, const fx_node *n, fxi_draft *d) {
    fxi_attr *attrs = fxi_alloc_zeroed(n->attr_count, sizeof *attrs);
    fx_node *made = attrs ? add_with_bodies(r, d, attrs, fxi_node_bodies(n)) : NULL;
    r->failed |= !attrs;
    fxi_free(attrs);
    return made;
}

static fx_node *rewrite_node(fxi_rewrite *r, const fx_node *n, fx_node *const *operands) {
    fxi_draft d = {.op = n->op,
                   .all = operands,
                   .operand_count = n->operand_count,
                   .attrs = n->attrs,
                   .attr_count = n->attr_count,
                   .shape = &n->shape};
    for (size_t i = 0; i < FXI_MAP_OPERANDS && i < d.operand_count; i++) d.operands[i] = operands[i];
    if (fxi_node_bodies(n).n > 0) return rewrite_control(r, n, &d);
    fx_node *made = NULL;
    if (r->simplify && !n->labels) { /* a logged node stays what it is */
        made = fxi_rules_apply(r, &d);
        if (!made && !r->failed) made = fxi_fold(r, &d);
    }
    if (!made && !r->failed) made = fxi_rewrite_add(r, &d);
    return r->failed ? NULL : made;
}

static void set_place(fx_node *made, const fx_node *old) {
    made->file = old->file;
    made->line = old->line;
}

/* What was made for a part of a composite is a part of it. */
static void keep_origin(const fxi_rewrite *r, size_t since, const fx_node *old) {
    for (size_t i = since; old->composite && i < r->graph->nodes.count; i++) {
        r->graph->nodes.data[i]->composite = old->composite;
        r->graph->nodes.data[i]->composite_number = old->composite_number;
    }
}

/* A copy that equal nodes are not shared with. */
static fx_node *copy_node(const fx_node *node) {
    fx_node *made = fxi_node_make(&(fxi_node_spec){.graph = node->graph,
                                                   .op = node->op,
                                                   .operands = node->operands,
                                                   .operand_count = node->operand_count,
                                                   .attrs = node->attrs,
                                                   .attr_count = node->attr_count,
                                                   .shape = &node->shape});
    return made && made->op != FX_OP_INERT ? made : NULL;
}

/* Two logged nodes never become one: each is reported under its own labels and place. */
static fx_node *keep_labels(fx_node *made, const fx_node *old) {
    if (!old->labels) return made;
    if (made->labels) made = copy_node(made);
    if (!made) return NULL;
    set_place(made, old);
    return fxi_node_add_labels(made, old) ? made : NULL;
}

/* ---- the graph ---- */

bool fxi_rewrite_copy(fxi_rewrite *r, const fx_node *n, fx_node **map) {
    const fx_node *as = fxi_rewrite_wider_sort(r, n);
    const fx_node *last = as == n ? NULL : as->operands[n->operand_count]; /* an index, a leaf */
    if (last && !map[last->id] && !fxi_rewrite_copy(r, last, map)) return false;
    if (!FXI_RESERVE(&r->operands, as->operand_count + 1u)) return false;
    for (uint32_t k = 0; k < as->operand_count; k++) r->operands.data[k] = map[as->operands[k]->id];
    size_t since = r->graph->nodes.count;
    fx_node *made = rewrite_node(r, as, r->operands.data);
    keep_origin(r, since, n);
    if (made && !made->file) set_place(made, n);
    map[n->id] = made ? keep_labels(made, n) : NULL;
    return map[n->id] != NULL;
}

bool fxi_rewrite_copy_with(fxi_rewrite *r, const fx_node *n, fxi_graphs bodies, fx_node **map) {
    fxi_attr *attrs = fxi_alloc_zeroed(n->attr_count, sizeof *attrs);
    fx_node changed = *n;
    changed.attrs = attrs;
    for (uint32_t i = 0; attrs && i < n->attr_count; i++)
        attrs[i] = n->attrs[i].id == FXI_ATTR_BODIES ? fxi_attr_graphs(FXI_ATTR_BODIES, bodies.v, bodies.n)
                                                     : n->attrs[i];
    bool ok = attrs && fxi_rewrite_copy(r, &changed, map);
    fxi_free(attrs);
    return ok;
}

static bool rewrite_all(fxi_rewrite *r, const fx_graph *g, const uint32_t *uses, fx_node **map) {
    for (size_t i = 0; r->simplify && i < g->nodes.count; i++)
        if (uses[i] && !fxi_rewrite_note_sort(r, g->nodes.data[i])) return false;
    for (size_t i = 0; i < g->nodes.count; i++)
        if (uses[i] && !(fxi_rewrite_copy(r, g->nodes.data[i], map) && add_uses(r, map[i], uses[i])))
            return false;
    return true;
}

bool fxi_rewrite_finish(fxi_rewrite *r, const fx_graph *g, fx_node *const *map, fx_error *err) {
    fx_node **outputs = fxi_alloc_zeroed(g->output_count, sizeof(fx_node *));
    if (!outputs) return fxi_fail_memory(err, "graph");
    for (size_t i = 0; i < g->output_count; i++) outputs[i] = map[g->outputs[i]->id];
    bool ok = fx_graph_finish(r->graph, (fx_nodes){outputs, g->output_count}, err);
    fxi_free(outputs);
    return ok;
}

void fxi_rewrite_end(fxi_rewrite *r) {
    fxi_map_free(&r->equal);
    fxi_free(r->uses.data);
    fxi_free(r->sorts.data);
    fxi_free(r->operands.data);
}

static fx_graph *rewrite_live(fxi_rewrite *r, const fx_graph *graph, const uint32_t *uses, fx_error *err) {
    r->graph = fx_graph_new(err);
    if (!r->graph) return NULL;
    fx_node **map = fxi_alloc_zeroed(graph->nodes.count, sizeof(fx_node *));
    bool ok = map && rewrite_all(r, graph, uses, map);
    if (!ok && !fx_graph_error(r->graph, err)) fxi_fail_memory(err, "graph");
    ok = ok && fxi_rewrite_finish(r, graph, map, err);
    fxi_rewrite_end(r);
    fxi_free(map);
    if (ok) return r->graph;
    fx_graph_free(r->graph);
    return NULL;
}

static fx_graph *rewrite_graph(fxi_rewrite *r, const fx_graph *graph, fx_error *err) {
    size_t count = 0;
    uint32_t *uses = count_uses(graph, &count);
    if (!uses) {
        fxi_fail_memory(err, "graph");
        return NULL;
    }
    fx_graph *made = rewrite_live(r, graph, uses, err);
    fxi_free(uses);
    return made;
}

fx_graph *fxi_simplify(const fx_graph *graph, uint64_t *fired, fx_error *err) {
    fxi_rewrite r = {.simplify = true, .bodies = true, .fired = fired};
    return rewrite_graph(&r, graph, err);
}

fx_graph *fxi_simplify_outside(const fx_graph *graph, fx_error *err) {
    fxi_rewrite r = {.simplify = true};
    return rewrite_graph(&r, graph, err);
}

bool fxi_has_dead_nodes(const fx_graph *graph, bool *dead, fx_error *err) {
    size_t count = 0;
    uint32_t *uses = count_uses(graph, &count);
    if (!uses) return fxi_fail_memory(err, "graph");
    fxi_free(uses);
    *dead = count < graph->nodes.count;
    return true;
}

fx_graph *fxi_prune(const fx_graph *graph, fx_error *err) {
    fxi_rewrite r = {.simplify = false};
    return rewrite_graph(&r, graph, err);
}
