/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose number of rounds is found while running. Forward: one loop of states and tangents, whose
 * condition reads the states. Reverse has to keep something of every round, so it needs a bound
 * (fx_while_bounded): the loop is run again as a scan of so many rounds, each an IF on the condition, and
 * the scan's rule does the rest. Rounds after the end run the branch that gives the states back: their
 * adjoints pass unchanged, and nothing of the body is evaluated where it might be infinite or NaN. A loop
 * that counts (fxi_loop_count) takes all its rounds, which need no condition. */
#include "scan_rule.h"
#include <fluxion/control.h>

/* ---- forward ---- */

typedef struct marks {
    bool *tangent, *condition_tangent, *given, *out, *none;
} marks;

/* The condition: one output, nothing of the tangents that it is given. */
static fx_graph *dual_condition(const fxi_jvp *j, const marks *m, size_t states) {
    fx_graph *condition = fxi_node_bodies(j->n).v[0];
    const size_t ends[2] = {states, condition->parameters.count};
    return fxi_dual_build(
        j->b, &(fxi_dual){j->b->name, condition, ends, 2, 0, m->condition_tangent, m->given, m->none});
}

static bool list_operands(const fxi_jvp *j, const marks *m, const fxi_dual *body, size_t states,
                          fxi_nodes *list) {
    const size_t read =
        fxi_node_bodies(j->n).v[0]->parameters.count; /* states and what the condition captured */
    const fxi_dual first = {.ends = &states, .groups = 1, .tangent = m->tangent};
    bool ok = fxi_dual_operands(j->b, &first, j->n->operands, j->tangents, list);
    for (size_t i = states; ok && i < read; i++) ok = FXI_PUSH(list, j->n->operands[i]);
    size_t count = body->body->parameters.count - states, from = read;
    const fxi_dual rest = {.ends = &count, .groups = 1, .tangent = m->tangent + states};
    return ok && fxi_dual_operands(j->b, &rest, j->n->operands + from, j->tangents + from, list);
}

static void run(const fxi_jvp *j, const marks *m, size_t states) {
    fxi_graphs bodies = fxi_node_bodies(j->n);
    const size_t ends[2] = {states, bodies.v[1]->parameters.count};
    const fxi_dual dual = {j->b->name, bodies.v[1], ends, 2, states, m->tangent, m->given, m->out};
    fx_graph *made[2] = {dual_condition(j, m, states), NULL};
    fxi_nodes operands = {0};
    if (made[0]) made[1] = fxi_dual_build(j->b, &dual);
    if (made[1] && list_operands(j, m, &dual, states, &operands)) {
        const fxi_attr attrs[] = {fxi_attr_graphs(FXI_ATTR_BODIES, made, 2),
                                  *fxi_node_attr(j->n, FXI_ATTR_TRIPS)};
        fx_node *loop = fxi_build_node(j->b, FX_OP_WHILE, operands.data, operands.count, attrs, 2, NULL);
        for (size_t i = 0, next = states; i < states; i++)
            if (m->out[i]) j->out[i] = fxi_node_result(loop, next++);
    } else if (made[1]) {
        fxi_build_refuse(j->b, FX_ERROR_MEMORY, "out of memory");
    }
    fxi_free(operands.data);
}

/* tangent: per parameter of the body, whose captured values come last among the operands. */
static bool mark(const fxi_jvp *j, fxi_arena *arena, size_t states, marks *m) {
    fxi_graphs bodies = fxi_node_bodies(j->n);
    size_t read = bodies.v[0]->parameters.count, all = bodies.v[1]->parameters.count;
    m->tangent = fxi_arena_alloc(arena, all, sizeof(bool));
    m->condition_tangent = fxi_arena_alloc(arena, read, sizeof(bool));
    m->given = fxi_arena_alloc(arena, states, sizeof(bool));
    m->out = fxi_arena_alloc(arena, states, sizeof(bool));
    m->none = fxi_arena_alloc(arena, 1, sizeof(bool));
    if (!m->tangent || !m->condition_tangent || !m->given || !m->out || !m->none) return false;
    for (size_t i = 0; i < states; i++) m->given[i] = true;
    for (size_t i = 0; i < all; i++) m->tangent[i] = j->tangents[i < states ? i : read + i - states] != NULL;
    if (!fxi_dual_spread(bodies.v[1], states, m->tangent, m->out)) return false;
    for (size_t i = 0; i < states; i++) m->condition_tangent[i] = m->tangent[i];
    return true;
}

static void jvp_while(const fxi_jvp *j) {
    fxi_arena arena = {0};
    marks m;
    size_t states = fxi_node_states(j->n);
    if (mark(j, &arena, states, &m))
        run(j, &m, states);
    else
        fxi_build_refuse(j->b, FX_ERROR_MEMORY, "out of memory");
    fxi_arena_free(&arena);
}

/* ---- reverse: a scan of as many rounds as there may be ---- */

typedef struct bounded {
    const fxi_build *b;
    const fx_node *n;
    fx_node *const *in; /* of the scan's body: the operands of the loop */
    bool exact;         /* every round takes place */
} bounded;

/* Values of the parameters of a closure of the loop: its states, then what it captured. */
static bool pass_operands(const bounded *w, const fxi_build *b, size_t which, fx_node **value) {
    fxi_graphs bodies = fxi_node_bodies(w->n);
    const fx_graph *body = bodies.v[which];
    size_t states = fxi_node_states(w->n), captured = which ? bodies.v[0]->parameters.count : states;
    bool ok = value != NULL;
    for (size_t i = 0; ok && i < body->parameters.count; i++) {
        fx_node *x = fxi_graph_capture(b->graph, w->in[i < states ? i : captured + i - states]);
        value[body->parameters.data[i]->id] = x;
        ok = x != NULL;
    }
    if (!ok) fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    return ok;
}

/* One closure of the loop on the operands it has. */
static bool run_body(const bounded *w, const fxi_build *b, size_t which, fx_node **out) {
    const fx_graph *body = fxi_node_bodies(w->n).v[which];
    fx_node **value = fxi_alloc_zeroed(body->nodes.count + 1, sizeof *value);
    bool ok = pass_operands(w, b, which, value) && fxi_inline(b, body, NULL, value);
    for (size_t i = 0; ok && i < body->output_count; i++) out[i] = value[body->outputs[i]->id];
    fxi_free(value);
    return ok;
}

static void go_on(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const bounded *w = user;
    fxi_build b;
    (void)in, (void)n_in, (void)n_out;
    if (fxi_build_begin_leaf(&b, w->b->name, graph)) run_body(w, &b, 1, out);
}

static void stay(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const bounded *w = user;
    (void)graph, (void)in, (void)n_in;
    for (size_t i = 0; i < n_out; i++) out[i] = w->in[i];
}

static void build_round(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    bounded w = *(const bounded *)user;
    fxi_build b;
    fx_node *again = NULL;
    (void)n_in;
    w.in = in;
    if (!fxi_build_begin_leaf(&b, w.b->name, graph)) return;
    if (w.exact)
        run_body(&w, &b, 1, out);
    else if (run_body(&w, &b, 0, &again))
        fx_if(again, go_on, stay, n_out, &w, out);
}

static fx_node *as_scan(const fxi_vjp *v, int64_t trips) {
    fxi_shapes shapes = {0};
    size_t states = fxi_node_states(v->n);
    fxi_graphs bodies = fxi_node_bodies(v->n);
    bounded w = {.b = v->b, .n = v->n};
    w.exact = fxi_loop_count(bodies.v[0], bodies.v[1], v->n->operands, states) == trips;
    fx_graph *body = NULL;
    bool ok = true;
    for (uint32_t i = 0; ok && i < v->n->operand_count; i++) ok = FXI_PUSH(&shapes, v->n->operands[i]->shape);
    if (ok)
        body = fxi_closure_build(v->b->graph, v->b->name, build_round, &w, shapes.data, shapes.count, states);
    else
        fxi_build_refuse(v->b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(shapes.data);
    if (!body) return NULL;
    const fxi_attr attrs[] = {fxi_attr_graphs(FXI_ATTR_BODIES, &body, 1),
                              fxi_attr_int(FXI_ATTR_STATES, (int64_t)states),
                              fxi_attr_int(FXI_ATTR_INPUTS, 0), fxi_attr_int(FXI_ATTR_LENGTH, trips),
                              fxi_attr_int(FXI_ATTR_BACKWARDS, 0)};
    fx_node *scan = fxi_build_node(v->b, FX_OP_SCAN, v->n->operands, v->n->operand_count, attrs, 5, NULL);
    return scan && scan->op != FX_OP_INERT ? scan : NULL;
}

static void vjp_while(const fxi_vjp *v) {
    int64_t trips = fxi_node_int(v->n, FXI_ATTR_TRIPS);
    if (trips < 0) {
        fxi_build_refuse(v->b, FX_ERROR_UNSUPPORTED,
                         "%%%lld = while at %s:%d has no reverse derivative: the number of its rounds is not "
                         "known; use fx_for or fx_scan, or fx_while_bounded, or forward mode (fx_jvp); "
                         "of a program that was read, let its exporter write the gradient",
                         (long long)v->n->id, v->n->file ? v->n->file : "?", v->n->line);
        return;
    }
    fxi_vjp scan = *v;
    scan.n = as_scan(v, trips);
    if (scan.n) fxi_scan_vjp(&scan);
}

const fxi_grad_rule fxi_gradrule_while = {.vjp = vjp_while, .jvp = jvp_while};
