/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of both modes: which graphs take part, which of their nodes depend on what is differentiated by
 * and which the outputs depend on, and the places where adjoints or tangents are kept.
 *
 * Derivatives may be asked for inside a closure of values that lie outside it (a Jacobian is a batch of such
 * closures, a loop may take steps along a gradient). The walk therefore covers the graph where nodes are
 * built, the innermost, and all that enclose it; a captured value is the link between two levels. All is
 * linear in the number of nodes, and nothing recurses. */
#include "grad_internal.h"

/* ---- levels ---- */

static bool fill_level(fxi_grad_level *level, fx_graph *graph) {
    size_t n = graph->nodes.count, slots = 0;
    *level = (fxi_grad_level){.graph = graph, .count = n, .captures = graph->captures.count};
    level->copies = graph->copies.count;
    level->active = fxi_alloc_zeroed(n + 1, sizeof *level->active);
    level->needed = fxi_alloc_zeroed(n + 1, sizeof *level->needed);
    level->slot = fxi_alloc_zeroed(n + 1, sizeof *level->slot);
    if (!level->active || !level->needed || !level->slot) return false;
    for (size_t i = 0; i < n; i++) {
        level->slot[i] = slots;
        slots += fxi_node_results(graph->nodes.data[i]);
    }
    level->value = fxi_alloc_zeroed(slots + 1, sizeof *level->value);
    return level->value != NULL;
}

void fxi_grad_walk_free(fxi_grad_walk *w) {
    for (int i = 0; i < w->levels; i++) {
        fxi_free(w->level[i].active);
        fxi_free(w->level[i].needed);
        fxi_free(w->level[i].slot);
        fxi_free(w->level[i].value);
        fxi_free(w->level[i].again);
        fxi_free(w->level[i].twin);
    }
    fxi_free(w->room.data);
    fxi_free(w->stack.data);
    w->levels = 0;
}

static fxi_grad_level *level_of(fxi_grad_walk *w, const fx_graph *graph) {
    for (int i = 0; i < w->levels; i++)
        if (w->level[i].graph == graph) return &w->level[i];
    return NULL;
}

fx_node **fxi_grad_place(fxi_grad_walk *w, const fx_node *node) {
    fxi_grad_level *level = level_of(w, node->graph);
    size_t number = 0;
    if (node->op == FX_OP_RESULT) {
        number = (size_t)fxi_node_int(node, FXI_ATTR_RESULT);
        node = node->operands[0];
    }
    if (!level || node->id < 0 || (size_t)node->id >= level->count) return NULL;
    return &level->value[level->slot[node->id] + number];
}

/* ---- marks ---- */

static bool result_carries(const fx_node *n) {
    bool any = fxi_grad_carries(n->shape.dtype);
    for (uint32_t i = 0; i < n->more_count; i++) any |= fxi_grad_carries(n->more[i].dtype);
    return any;
}

bool fxi_grad_takes_part(const fxi_grad_level *level, const fx_node *n, uint32_t i) {
    const fx_node *operand = n->operands[i];
    if (!level->active[operand->id]) return false;
    return n->op == FX_OP_RESULT || fxi_grad_carries(operand->shape.dtype);
}

void fxi_grad_mark_active(fxi_grad_level *level) {
    for (size_t id = 0; id < level->count; id++) {
        const fx_node *n = level->graph->nodes.data[id];
        bool any = level->active[id];
        if (!fxi_grad_stops(n) && result_carries(n))
            for (uint32_t i = 0; i < n->operand_count && !any; i++) any = fxi_grad_takes_part(level, n, i);
        level->active[id] = any;
    }
}

/* Outer to inner: what was captured is as active as it was outside. */
static void mark_captures_active(const fxi_grad_level *outer, fxi_grad_level *inner) {
    for (size_t i = 0; i < fxi_grad_links(inner); i++) {
        const fxi_capture *c = fxi_grad_link(inner, i);
        if (c->outer->graph == outer->graph && (size_t)c->inner->id < inner->count &&
            (size_t)c->outer->id < outer->count)
            inner->active[c->inner->id] |= outer->active[c->outer->id];
    }
}

void fxi_grad_mark_needed(const fxi_grad_level *level) {
    for (size_t id = level->count; id-- > 0;) {
        const fx_node *n = level->graph->nodes.data[id];
        bool passes = level->needed[id] && level->active[id];
        for (uint32_t i = 0; passes && i < n->operand_count; i++)
            if (fxi_grad_takes_part(level, n, i)) level->needed[n->operands[i]->id] = true;
    }
}

static void mark_captures_needed(const fxi_grad_level *inner, fxi_grad_level *outer) {
    for (size_t i = 0; i < fxi_grad_links(inner); i++) {
        const fxi_capture *c = fxi_grad_link(inner, i);
        if (c->outer->graph == outer->graph && (size_t)c->inner->id < inner->count &&
            (size_t)c->outer->id < outer->count)
            outer->needed[c->outer->id] |= inner->needed[c->inner->id];
    }
}

static void mark(fxi_grad_walk *w, fx_nodes from, fx_nodes to) {
    for (size_t i = 0; i < from.n; i++) level_of(w, from.v[i]->graph)->active[from.v[i]->id] = true;
    for (size_t i = 0; i < to.n; i++) level_of(w, to.v[i]->graph)->needed[to.v[i]->id] = true;
    for (int k = w->levels - 1; k >= 0; k--) {
        fxi_grad_mark_active(&w->level[k]);
        if (k > 0) mark_captures_active(&w->level[k], &w->level[k - 1]);
    }
    for (int k = 0; k < w->levels; k++) {
        fxi_grad_mark_needed(&w->level[k]);
        if (k + 1 < w->levels) mark_captures_needed(&w->level[k], &w->level[k + 1]);
    }
}

/* ---- beginning ---- */

/* A node whose closure has a copy of the constant n, so that what it gives depends on n in a way that nobody
 * sees; NULL: there is none. */
static const fx_node *find_copy(const fx_node *n) {
    if (n->op != FX_OP_CONSTANT && n->op != FX_OP_IOTA) return NULL;
    for (size_t id = (size_t)n->id + 1; id < n->graph->nodes.count; id++) {
        const fx_node *user = n->graph->nodes.data[id];
        fxi_graphs bodies = fxi_node_bodies(user);
        for (size_t k = 0; k < bodies.n; k++)
            if (fxi_graph_captured(bodies.v[k], n)) return user;
    }
    return NULL;
}

static bool check_wrt(const fxi_grad_walk *w, fx_nodes from) {
    for (size_t i = 0; i < from.n; i++) {
        const fx_node *n = from.v[i], *user = find_copy(n);
        if (user) {
            fxi_build_refuse(&w->build, FX_ERROR_UNSUPPORTED,
                             "node %zu, %%%lld = %s, is a constant that a closure of %%%lld = %s has a copy "
                             "of: pass it to the closure, or make it a parameter",
                             i, (long long)n->id, fx_node_op(n), (long long)user->id, fx_node_op(user));
            return false;
        }
        if (fxi_grad_carries(n->shape.dtype)) continue;
        fxi_build_refuse(&w->build, FX_ERROR_DTYPE,
                         "node %zu, %%%lld = %s, is %s: only floats and complex numbers have derivatives", i,
                         (long long)n->id, fx_node_op(n), fx_shape_to_text(&n->shape).s);
        return false;
    }
    return true;
}

/* All nodes in one list, so that the innermost graph is found among them; in the last NULL stands for
 * zero. */
static bool list_nodes(fxi_grad_walk *w, const fx_nodes *lists, size_t n_lists) {
    for (size_t k = 0; k < n_lists; k++)
        for (size_t i = 0; i < lists[k].n; i++) {
            if (!lists[k].v[i] && k + 1 == n_lists) continue;
            if (!FXI_PUSH(&w->room, lists[k].v[i])) return false;
        }
    return true;
}

static bool begin_build(fxi_grad_walk *w, const char *name, const fx_nodes *lists, size_t n_lists) {
    if (list_nodes(w, lists, n_lists)) return fxi_build_begin(&w->build, name, w->room.data, w->room.count);
    if (fxi_build_begin(&w->build, name, lists[0].v, lists[0].n))
        fxi_build_refuse(&w->build, FX_ERROR_MEMORY, "out of memory");
    return false;
}

bool fxi_grad_walk_begin(fxi_grad_walk *w, const char *name, fx_nodes from, fx_nodes to, fx_nodes others) {
    const fx_nodes lists[] = {to, from, others};
    w->levels = 0;
    w->room.data = NULL;
    w->room.count = w->room.capacity = 0;
    w->stack.data = NULL;
    w->stack.count = w->stack.capacity = 0;
    if (!begin_build(w, name, lists, 3) || !check_wrt(w, from)) return false;
    int outermost = w->build.graph->depth;
    for (size_t i = 0; i < w->room.count; i++)
        if (w->room.data[i]->graph->depth < outermost) outermost = w->room.data[i]->graph->depth;
    for (fx_graph *g = w->build.graph; g && g->depth >= outermost; g = g->parent)
        if (!fill_level(&w->level[w->levels++], g)) {
            fxi_build_refuse(&w->build, FX_ERROR_MEMORY, "out of memory");
            return false;
        }
    mark(w, from, to);
    return true;
}

/* ---- values ---- */

void fxi_grad_add(fxi_grad_walk *w, fx_node **place, const fx_node *node, fx_node *value) {
    if (!value || !place) return;
    if (value->op != FX_OP_INERT) value = fx_convert(value, fxi_grad_dtype(value->shape.dtype));
    if (!fxi_grad_fits(value, &node->shape)) {
        fxi_build_refuse(&w->build, FX_ERROR_INTERNAL, "the derivative of %%%lld = %s is %s instead of %s",
                         (long long)node->id, fx_node_op(node), fx_shape_to_text(&value->shape).s,
                         fx_shape_to_text(&node->shape).s);
        return;
    }
    *place = fxi_grad_sum(*place, value);
    if (!*place) fxi_build_refuse(&w->build, FX_ERROR_MEMORY, "out of memory");
}

void fxi_grad_stamp(const fxi_grad_walk *w, size_t since, const fx_node *n) {
    const fx_graph *graph = w->build.graph;
    for (size_t i = since; i < graph->nodes.count; i++) {
        graph->nodes.data[i]->hidden = true;
        if (graph->nodes.data[i]->file) continue;
        graph->nodes.data[i]->file = n->file;
        graph->nodes.data[i]->line = n->line;
    }
}

void fxi_grad_refuse_node(const fxi_build *b, const fx_node *n, const char *why) {
    fxi_build_refuse(b, FX_ERROR_UNSUPPORTED, "%%%lld = %s at %s:%d has no derivative: %s", (long long)n->id,
                     fx_node_op(n), n->file ? n->file : "?", n->line, why);
}

fx_node *fxi_grad_show(fx_node *result, fx_dtype dtype) {
    if (!result || result->op == FX_OP_INERT) return result;
    result = fx_convert(result, dtype);
    result->hidden = false;
    return result;
}

void fxi_grad_refuse(const fxi_grad_walk *w, const fx_node *n) {
    const char *why = fxi_grad_rule_of(n->op)->refusal;
    fxi_grad_refuse_node(&w->build, n, why ? why : "it has no rule");
}
