/* SPDX-License-Identifier: Apache-2.0 */
/* Moves work out of loops. What hoist_find.c chose is inlined before the loop by the machinery of vmap
 * (ops/batch.h): slices become whole stacked arrays, so that a product in every round becomes one product.
 * The body is made anew with a parameter for each thing that it reads from there, a slice or a capture, and
 * without the parameters that it no longer needs. Stacked results that need no round leave the loop, and a
 * loop without results is no loop. Elements are computed by the same operations as before; only the order of
 * a sum may change with the shape of its operation, as everywhere. Bodies were through all passes before,
 * inner loops first, so what leaves an inner loop goes as far out as it can. */
#include "ops/batch.h"
#include "hoist.h"

/* One loop on its way into the new graph. */
typedef struct moving {
    fxi_rewrite *r;
    const fx_node *loop;
    fx_node **map; /* from the old graph's nodes to the new one's */
    fxi_hoist closures[2];
    fxi_batched *values[2]; /* of the closures' nodes, in the new graph */
    fx_graph *bodies[2];
    size_t closure_count;
    FXI_VEC(fx_node *) operands; /* of the new loop */
    size_t inputs;
    fx_node **results;
} moving;

/* ---- before the loop ---- */

/* The operand that a parameter stands for: the captures of the second closure follow those of the first. */
static fx_node *passed(const moving *m, size_t closure, size_t index) {
    const fxi_hoist *h = &m->closures[closure];
    size_t own = h->states + h->inputs, captures = closure == 0 ? own : m->closures[0].body->parameters.count;
    return m->map[m->loop->operands[index < own ? index : captures + index - own]->id];
}

static bool inline_moved(moving *m, size_t closure) {
    const fxi_hoist *h = &m->closures[closure];
    fxi_build build;
    if (!fxi_build_begin_leaf(&build, "fx_scan", m->r->graph)) return false;
    m->values[closure] = fxi_alloc_zeroed(h->body->nodes.count + 1, sizeof *m->values[closure]);
    if (!m->values[closure]) return false;
    for (size_t i = 0; i < h->body->parameters.count; i++) {
        int64_t id = h->body->parameters.data[i]->id;
        m->values[closure][id] = (fxi_batched){passed(m, closure, i), h->depends[id] == FXI_DEPENDS_SLICE};
    }
    fxi_batch batch = {.build = &build, .size = h->rounds, .values = m->values[closure]};
    return fxi_batch_inline_some(&batch, h->body, h->moved);
}

/* ---- the new body ---- */

static bool is_input(const fxi_hoist *h, size_t index) {
    return index >= h->states && index < h->states + h->inputs;
}

/* A parameter of the new body for a node of the old one, and the operand that it stands for. */
static bool add_parameter(moving *m, fxi_rewrite *inner, const fx_node *n, fx_node *operand, fx_node **map) {
    map[n->id] = fx_parameter(inner->graph, &n->shape);
    return map[n->id] && map[n->id]->op != FX_OP_INERT && operand && FXI_PUSH(&m->operands, operand);
}

/* Axes of a transpose that puts the last one first. */
static fxi_attr last_first(const fx_shape *shape, int64_t *permutation) {
    for (int i = 0; i < shape->rank; i++) permutation[i] = i == 0 ? shape->rank - 1 : i - 1;
    return fxi_attr_ints(FXI_ATTR_PERMUTATION, permutation, (size_t)shape->rank);
}

/* Parameters for matrices with the last axis first, which the transposes before the loop give. */
static bool add_turned(moving *m, size_t closure, fxi_rewrite *inner, fx_node **turned) {
    const fxi_hoist *h = &m->closures[closure];
    int64_t permutation[FX_MAX_RANK];
    for (size_t i = 0; i < h->body->nodes.count; i++) {
        if (!h->turned[i]) continue;
        const fxi_attr attr = last_first(&h->body->nodes.data[i]->shape, permutation);
        fx_node *made = fxi_node_make(&(fxi_node_spec){.graph = m->r->graph,
                                                       .op = FX_OP_TRANSPOSE,
                                                       .operands = &m->values[closure][i].node,
                                                       .operand_count = 1,
                                                       .attrs = &attr,
                                                       .attr_count = 1});
        turned[i] = made ? fx_parameter(inner->graph, &made->shape) : NULL;
        if (!turned[i] || turned[i]->op == FX_OP_INERT || !FXI_PUSH(&m->operands, made)) return false;
    }
    return true;
}

/* Of slices, or of what is the same in every round: first the parameters that stay, then what moved. */
static bool add_parameters(moving *m, size_t closure, fxi_rewrite *inner, bool slices, fx_node **map) {
    const fxi_hoist *h = &m->closures[closure];
    for (size_t i = h->states; i < h->body->parameters.count; i++) {
        const fx_node *p = h->body->parameters.data[i];
        if (is_input(h, i) != slices || !h->kept[p->id]) continue;
        if (!add_parameter(m, inner, p, passed(m, closure, i), map)) return false;
    }
    for (size_t i = 0; i < h->body->nodes.count; i++) {
        const fx_node *n = h->body->nodes.data[i];
        bool sliced = h->depends[i] == FXI_DEPENDS_SLICE;
        if (!h->kept[i] || !fxi_hoist_is_read(h, n) || sliced != slices) continue;
        if (!add_parameter(m, inner, n, m->values[closure][i].node, map)) return false;
    }
    return true;
}

/* The product, with its right operand turned. */
static fx_node *copy_turned(fxi_rewrite *inner, const fx_node *n, fx_node *const *turned,
                            fx_node *const *map) {
    static const int64_t first = 0;
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_RHS_CONTRACT, &first, 1);
    fx_node *const operands[] = {map[n->operands[0]->id], turned[n->operands[1]->id]};
    fxi_build build;
    if (!fxi_build_begin_leaf(&build, "fx_scan", inner->graph)) return NULL;
    fx_node *made = fxi_build_like(&build, n, operands, &attr, 1, &n->shape);
    return made && made->op != FX_OP_INERT ? made : NULL;
}

static bool copy_kept(const fxi_hoist *h, fxi_rewrite *inner, fx_node *const *turned, fx_node **map) {
    for (size_t i = 0; i < h->body->nodes.count; i++) {
        const fx_node *n = h->body->nodes.data[i];
        if (!h->kept[i] || map[i]) continue;
        if (!fxi_hoist_turns(h, n)) {
            if (!fxi_rewrite_copy(inner, n, map)) return false;
            continue;
        }
        map[i] = copy_turned(inner, n, turned, map);
        if (!map[i]) return false;
        map[i]->file = n->file;
        map[i]->line = n->line;
        if (!fxi_node_add_labels(map[i], n)) return false;
    }
    return true;
}

static bool finish_body(const fxi_hoist *h, fx_graph *made, fx_node *const *map) {
    fx_node **outputs = fxi_alloc_zeroed(h->body->output_count + 1, sizeof *outputs);
    size_t count = 0;
    for (size_t i = 0; outputs && i < h->body->output_count; i++)
        if (!fxi_hoist_is_output(h, i)) outputs[count++] = map[h->body->outputs[i]->id];
    bool ok = outputs && fx_graph_finish(made, (fx_nodes){outputs, count}, NULL);
    fxi_free(outputs);
    return ok;
}

/* The states were pushed to the operands by the caller; each closure has parameters for all of them. */
static bool fill_body(moving *m, size_t closure, fxi_rewrite *inner, fx_node **turned, fx_node **map) {
    const fxi_hoist *h = &m->closures[closure];
    for (size_t i = 0; i < h->states; i++) {
        const fx_node *p = h->body->parameters.data[i];
        map[p->id] = fx_parameter(inner->graph, &p->shape);
        if (!map[p->id] || map[p->id]->op == FX_OP_INERT) return false;
    }
    if (!add_parameters(m, closure, inner, true, map)) return false;
    if (closure == 0) m->inputs = m->operands.count - h->states;
    return add_parameters(m, closure, inner, false, map) && add_turned(m, closure, inner, turned) &&
           copy_kept(h, inner, turned, map) && finish_body(h, inner->graph, map);
}

static bool make_body(moving *m, size_t closure) {
    fxi_rewrite inner = {.graph = fx_graph_new(NULL)};
    m->bodies[closure] = inner.graph;
    fx_node **map = fxi_alloc_zeroed(m->closures[closure].body->nodes.count + 1, sizeof *map);
    fx_node **turned = fxi_alloc_zeroed(m->closures[closure].body->nodes.count + 1, sizeof *turned);
    bool ok = inner.graph && map && turned && fill_body(m, closure, &inner, turned, map);
    fxi_rewrite_end(&inner);
    fxi_free(turned);
    fxi_free(map);
    return ok;
}

/* ---- the new loop ---- */

static fx_node *add_loop(moving *m) {
    fxi_attr attrs[8];
    size_t count = 0;
    for (; count < m->loop->attr_count && count < 8; count++) {
        attrs[count] = m->loop->attrs[count];
        if (attrs[count].id == FXI_ATTR_BODIES)
            attrs[count] = fxi_attr_graphs(FXI_ATTR_BODIES, m->bodies, m->closure_count);
        if (attrs[count].id == FXI_ATTR_INPUTS) attrs[count].u.i = (int64_t)m->inputs;
    }
    fx_node *made = fxi_node_make(&(fxi_node_spec){.graph = m->r->graph,
                                                   .op = m->loop->op,
                                                   .operands = m->operands.data,
                                                   .operand_count = m->operands.count,
                                                   .attrs = attrs,
                                                   .attr_count = count});
    if (!made || made->op == FX_OP_INERT) return NULL;
    made->file = m->loop->file;
    made->line = m->loop->line;
    return fxi_node_add_labels(made, m->loop) ? made : NULL;
}

/* Results of the old loop, by number: those of the new one, or what moved. */
static bool list_results(moving *m) {
    const fxi_hoist *h = &m->closures[m->closure_count - 1];
    fxi_build build;
    size_t count = h->body->output_count, left = 0;
    m->results = fxi_alloc_zeroed(count, sizeof *m->results);
    if (!m->results || !fxi_build_begin_leaf(&build, "fx_scan", m->r->graph)) return false;
    fx_node *made = m->bodies[m->closure_count - 1]->output_count > 0 ? add_loop(m) : NULL;
    const fxi_batch batch = {.build = &build, .size = h->rounds};
    for (size_t i = 0; i < count; i++) {
        if (fxi_hoist_is_output(h, i))
            m->results[i] = fxi_batch_spread(&batch, m->values[0][h->body->outputs[i]->id]);
        else
            m->results[i] = made ? fxi_node_result(made, left++) : NULL;
        if (!m->results[i] || m->results[i]->op == FX_OP_INERT) return false;
    }
    return true;
}

static bool make_loop(moving *m) {
    for (size_t i = 0; i < m->closures[0].states; i++)
        if (!FXI_PUSH(&m->operands, m->map[m->loop->operands[i]->id])) return false;
    for (size_t i = 0; i < m->closure_count; i++)
        if (!inline_moved(m, i) || !make_body(m, i)) return false;
    return list_results(m);
}

static void end_moving(moving *m) {
    for (size_t i = 0; i < m->closure_count; i++) {
        fxi_hoist_free(&m->closures[i]);
        fxi_free(m->values[i]);
        fx_graph_free(m->bodies[i]);
    }
    fxi_free(m->operands.data);
}

/* Results in *results, NULL when nothing moves. A logged loop stays the node that it is. */
static bool move_out(fxi_rewrite *r, const fx_node *loop, fx_node **map, fx_node ***results) {
    moving m = {.r = r, .loop = loop, .map = map, .closure_count = fxi_node_bodies(loop).n};
    bool any = false, ok = true;
    for (size_t i = 0; i < m.closure_count && ok; i++) {
        ok = fxi_hoist_find(&m.closures[i], loop, i);
        any |= m.closures[i].any;
    }
    if (ok && any) ok = make_loop(&m);
    end_moving(&m);
    *results = m.results;
    return ok;
}

/* ---- the graph ---- */

static bool is_loop(const fx_node *n) {
    return (n->op == FX_OP_SCAN || n->op == FX_OP_WHILE) && !n->labels;
}

typedef struct walk {
    fxi_rewrite r;
    fx_node **map;
    fx_node ***results; /* by id of a loop that something moved out of */
    bool any;
} walk;

static bool rewrite_one(walk *w, const fx_node *n) {
    if (is_loop(n)) {
        if (!move_out(&w->r, n, w->map, &w->results[n->id])) return false;
        if (w->results[n->id]) {
            w->map[n->id] = w->results[n->id][0];
            return w->any = true;
        }
    }
    if (n->op == FX_OP_RESULT && w->results[n->operands[0]->id]) {
        fx_node *made = w->results[n->operands[0]->id][fxi_node_int(n, FXI_ATTR_RESULT)];
        w->map[n->id] = made;
        return fxi_node_add_labels(made, n);
    }
    return fxi_rewrite_copy(&w->r, n, w->map);
}

static bool rewrite_all(walk *w, const fx_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (!rewrite_one(w, graph->nodes.data[i])) return false;
    return true;
}

static void end_walk(walk *w, size_t nodes) {
    for (size_t i = 0; w->results && i < nodes; i++) fxi_free(w->results[i]);
    fxi_free(w->results);
    fxi_free(w->map);
    fxi_rewrite_end(&w->r);
    fx_graph_free(w->r.graph);
}

bool fxi_hoist_graph(const fx_graph *graph, fx_graph **made, fx_error *err) {
    bool loops = false;
    *made = NULL;
    for (size_t i = 0; i < graph->nodes.count; i++) loops |= is_loop(graph->nodes.data[i]);
    if (!loops) return true;
    walk w = {.r = {.graph = fx_graph_new(err)}};
    if (!w.r.graph) return false;
    w.map = fxi_alloc_zeroed(graph->nodes.count, sizeof *w.map);
    w.results = fxi_alloc_zeroed(graph->nodes.count, sizeof *w.results);
    bool ok = w.map && w.results && rewrite_all(&w, graph);
    if (!ok && !fx_graph_error(w.r.graph, err)) fxi_fail_memory(err, "graph");
    if (ok && w.any) {
        ok = fxi_rewrite_finish(&w.r, graph, w.map, err);
        *made = ok ? fxi_simplify_outside(w.r.graph, err) : NULL;
        ok = *made != NULL;
    }
    end_walk(&w, graph->nodes.count);
    return ok;
}
