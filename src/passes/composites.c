/* SPDX-License-Identifier: Apache-2.0 */
/* What a backend does not know is taken apart before all passes, wherever it is: in the graph, in closures,
 * in composites. Composites that it does not run by itself become what their first closures say; shardings,
 * when it has one device, the values that they mark. So passes see plain operations. Nodes of a composite
 * keep the name of the (outermost) one, so that a program's text can say which a kernel holds. The recursion
 * is bounded by how deep closures nest. */
#include "rewrite.h"

typedef struct inlining {
    fxi_composite_known known;
    const void *state;
    bool shards;     /* shardings stay */
    uint32_t *count; /* of those inlined so far */
} inlining;

/* Results of the composites of one graph, by id: lists of nodes of the new one. */
typedef struct copying {
    const inlining *how;
    fxi_rewrite *r;
    fxi_arena arena;
    fx_node **map, ***results;
} copying;

static bool is_inlined(const inlining *how, const fx_node *n) {
    if (n->op != FX_OP_COMPOSITE) return false;
    return !how->known || !how->known(how->state, n);
}

static bool is_dropped(const inlining *how, const fx_node *n) {
    return n->op == FX_OP_SHARD && !how->shards;
}

static bool has_any(const inlining *how, const fx_graph *g) {
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *n = g->nodes.data[i];
        if (is_inlined(how, n) || is_dropped(how, n)) return true;
        fxi_graphs bodies = fxi_node_bodies(n);
        for (size_t k = 0; k < bodies.n; k++)
            if (has_any(how, bodies.v[k])) return true;
    }
    return false;
}

static bool copy_nodes(copying *c, const fx_graph *g);

/* A logged result is a node of its own: what it stands for may be a parameter, or logged already. */
static fx_node *keep_labels(const copying *c, fx_node *made, const fx_node *n) {
    if (!n->labels) return made;
    made = fxi_node_make(&(fxi_node_spec){.graph = c->r->graph,
                                          .op = FX_OP_RESHAPE,
                                          .operands = &made,
                                          .operand_count = 1,
                                          .shape = &n->shape});
    if (!made || made->op == FX_OP_INERT) return NULL;
    made->file = n->file;
    made->line = n->line;
    return fxi_node_add_labels(made, n) ? made : NULL;
}

/* New nodes are of this composite, and at its place if they have none; composites inside it are a part. */
static void note_origin(const copying *c, size_t since, const fx_node *n) {
    const char *name = fxi_intern_file(fxi_node_attr(n, FXI_ATTR_NAME)->u.text);
    uint32_t number = ++*c->how->count;
    for (size_t i = since; i < c->r->graph->nodes.count; i++) {
        fx_node *made = c->r->graph->nodes.data[i];
        made->composite = name;
        made->composite_number = number;
        if (made->file) continue;
        made->file = n->file;
        made->line = n->line;
    }
}

/* Inputs and what the decomposition captured come first among the operands. */
static bool expand(copying *c, const fx_node *n) {
    const fx_graph *body = fxi_node_bodies(n).v[0];
    copying inner = {.how = c->how, .r = c->r};
    inner.map = fxi_arena_alloc(&inner.arena, body->nodes.count, sizeof *inner.map);
    inner.results = fxi_arena_alloc(&inner.arena, body->nodes.count, sizeof *inner.results);
    fx_node **list = fxi_arena_alloc(&c->arena, body->output_count, sizeof *list);
    bool ok = inner.map && inner.results && list;
    for (size_t i = 0; ok && i < body->parameters.count; i++)
        inner.map[body->parameters.data[i]->id] = c->map[n->operands[i]->id];
    size_t since = c->r->graph->nodes.count;
    ok = ok && copy_nodes(&inner, body);
    if (ok) note_origin(c, since, n);
    for (size_t i = 0; ok && i < body->output_count; i++) list[i] = inner.map[body->outputs[i]->id];
    fxi_arena_free(&inner.arena);
    FX_TRY(ok);
    c->results[n->id] = list;
    c->map[n->id] = keep_labels(c, list[0], n);
    return c->map[n->id] != NULL;
}

static bool make_graph(const inlining *how, const fx_graph *g, fx_graph **made);

/* A node whose closures hold composites. */
static bool copy_control(copying *c, const fx_node *n) {
    fxi_graphs bodies = fxi_node_bodies(n);
    fx_graph **made = fxi_alloc_zeroed(bodies.n, sizeof *made);
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < bodies.n; i++) ok = make_graph(c->how, bodies.v[i], &made[i]);
    ok = ok && fxi_rewrite_copy_with(c->r, n, (fxi_graphs){made, bodies.n}, c->map);
    for (size_t i = 0; made && i < bodies.n; i++) fx_graph_free(made[i]);
    fxi_free(made);
    return ok;
}

static bool copy_one(copying *c, const fx_node *n) {
    if (is_inlined(c->how, n)) return expand(c, n);
    if (is_dropped(c->how, n)) {
        c->map[n->id] = keep_labels(c, c->map[n->operands[0]->id], n);
        return c->map[n->id] != NULL;
    }
    if (n->op == FX_OP_RESULT && c->results[n->operands[0]->id]) {
        fx_node *made = c->results[n->operands[0]->id][fxi_node_int(n, FXI_ATTR_RESULT)];
        c->map[n->id] = keep_labels(c, made, n);
        return c->map[n->id] != NULL;
    }
    return fxi_node_bodies(n).n > 0 ? copy_control(c, n) : fxi_rewrite_copy(c->r, n, c->map);
}

static bool copy_nodes(copying *c, const fx_graph *g) {
    for (size_t i = 0; i < g->nodes.count; i++)
        if (!c->map[i]) FX_TRY(copy_one(c, g->nodes.data[i]));
    return true;
}

static bool make_graph(const inlining *how, const fx_graph *g, fx_graph **made) {
    if (!has_any(how, g)) {
        *made = fxi_graph_ref((fx_graph *)g);
        return true;
    }
    fxi_rewrite r = {.graph = fx_graph_new(NULL)};
    copying c = {.how = how, .r = &r};
    c.map = fxi_arena_alloc(&c.arena, g->nodes.count, sizeof *c.map);
    c.results = fxi_arena_alloc(&c.arena, g->nodes.count, sizeof *c.results);
    bool ok = r.graph && c.map && c.results && copy_nodes(&c, g) && fxi_rewrite_finish(&r, g, c.map, NULL);
    fxi_rewrite_end(&r);
    fxi_arena_free(&c.arena);
    if (ok)
        *made = r.graph;
    else
        fx_graph_free(r.graph);
    return ok;
}

fx_graph *fxi_composites_inline(const fx_graph *graph, fxi_composite_known known, const void *state,
                                bool shards, fx_error *err) {
    uint32_t count = 0;
    const inlining how = {known, state, shards, &count};
    fx_graph *made = NULL;
    if (!make_graph(&how, graph, &made)) fxi_fail_memory(err, "graph");
    return made;
}
