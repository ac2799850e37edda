/* SPDX-License-Identifier: Apache-2.0 */
/* Branches. Both modes are an IF on the same index, whose branches run the original ones again together with
 * their derivatives, so that only what was chosen is computed, and a NaN of the other branch harms nobody.
 *
 * Reverse: operands that are the same node outside share one result, and each branch gives zeros for those
 * that only others read. */
#include "grad_internal.h"

typedef struct branches {
    const fxi_build *b;
    const fx_node *n;
    fxi_arena arena;
    fxi_graphs bodies;
    fx_graph **made;
    fxi_nodes operands;
    size_t outputs;
    /* reverse */
    const fxi_vjp *v;
    fx_node **targets; /* the distinct nodes whose adjoints are asked for */
    size_t n_targets;
    size_t *target; /* per operand: number of its target */
    size_t branch;  /* the one being built */
    size_t first;   /* operand with its first captured value */
} branches;

static void *room(branches *s, size_t count, size_t size) {
    void *made = fxi_arena_alloc(&s->arena, count, size);
    if (!made) fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
    return made;
}

static bool begin(branches *s, const fxi_build *b, const fx_node *n) {
    *s = (branches){.b = b, .n = n, .bodies = fxi_node_bodies(n)};
    s->outputs = s->bodies.v[0]->output_count;
    s->made = room(s, s->bodies.n, sizeof(fx_graph *));
    if (s->made && FXI_PUSH(&s->operands, n->operands[0])) return true;
    fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    return false;
}

static fx_node *finish(branches *s) {
    const fxi_attr attr = fxi_attr_graphs(FXI_ATTR_BODIES, s->made, s->bodies.n);
    return fxi_build_node(s->b, FX_OP_IF, s->operands.data, s->operands.count, &attr, 1, NULL);
}

static void end(branches *s) {
    fxi_free(s->operands.data);
    fxi_arena_free(&s->arena);
}

/* ---- forward ---- */

/* Outputs that have a tangent in any branch. */
static bool find_tangents(branches *s, const bool *tangent, bool *out) {
    bool *here = room(s, s->outputs, sizeof *here), *marks = room(s, s->n->operand_count, sizeof *marks);
    if (!here || !marks) return false;
    for (size_t k = 0, at = 1; k < s->bodies.n; at += s->bodies.v[k++]->parameters.count) {
        for (size_t i = 0; i < s->bodies.v[k]->parameters.count; i++) marks[i] = tangent[at + i];
        if (!fxi_dual_spread(s->bodies.v[k], 0, marks, here)) {
            fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
            return false;
        }
        for (size_t i = 0; i < s->outputs; i++) out[i] |= here[i];
    }
    return true;
}

static bool dual_branch(branches *s, const fxi_jvp *j, size_t k, size_t at, const bool *tangent,
                        const bool *tangent_out) {
    const bool *none = room(s, s->outputs, sizeof *none);
    const size_t ends[1] = {s->bodies.v[k]->parameters.count};
    const fxi_dual dual = {s->b->name, s->bodies.v[k], ends, 1, 0, tangent + at, none, tangent_out};
    s->made[k] = none ? fxi_dual_build(s->b, &dual) : NULL;
    if (!s->made[k]) return false;
    if (fxi_dual_operands(s->b, &dual, s->n->operands + at, j->tangents + at, &s->operands)) return true;
    fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
    return false;
}

static void forward(branches *s, const fxi_jvp *j) {
    bool *tangent = room(s, s->n->operand_count, sizeof *tangent), any = false;
    bool *out = room(s, s->outputs, sizeof *out), ok = tangent && out;
    for (size_t i = 0; ok && i < s->n->operand_count; i++) tangent[i] = j->tangents[i] != NULL;
    ok = ok && find_tangents(s, tangent, out);
    for (size_t i = 0; ok && i < s->outputs; i++) any |= out[i];
    if (!ok || !any) return;
    for (size_t k = 0, at = 1; ok && k < s->bodies.n; at += s->bodies.v[k++]->parameters.count)
        ok = dual_branch(s, j, k, at, tangent, out);
    fx_node *made = ok ? finish(s) : NULL;
    for (size_t i = 0, next = 0; made && i < s->outputs; i++)
        if (out[i]) j->out[i] = fxi_node_result(made, next++);
}

static void jvp_if(const fxi_jvp *j) {
    branches s;
    if (begin(&s, j->b, j->n)) forward(&s, j);
    end(&s);
}

/* ---- reverse ---- */

/* Adjoints of the branch's captured values, summed for those that are one node outside. */
static void give_adjoints(branches *s, const fxi_build *b, fx_node *const *found, fx_node **out) {
    const fx_graph *body = s->bodies.v[s->branch];
    for (size_t i = 0, next = 0; i < body->parameters.count; i++)
        if (s->v->wanted[s->first + i]) {
            fx_node **place = &out[s->target[s->first + i]];
            *place = fxi_grad_sum(*place, found[next++]);
        }
    for (size_t i = 0; i < s->n_targets; i++) out[i] = fxi_grad_or_zeros(b, out[i], &s->targets[i]->shape);
}

static void run_branch(branches *s, const fxi_build *b, fx_node *const *in, fx_node **out) {
    fx_graph *body = s->bodies.v[s->branch];
    size_t parameters = body->parameters.count;
    fx_node **value = room(s, body->nodes.count, sizeof *value);
    fx_node **wrt = room(s, parameters, sizeof *wrt), **found = room(s, parameters, sizeof *found);
    fx_node **outputs = room(s, s->outputs, sizeof *outputs),
            **adjoints = room(s, s->outputs, sizeof *adjoints);
    size_t n_wrt = 0, n_outputs = 0;
    if (!value || !wrt || !found || !outputs || !adjoints) return;
    for (size_t i = 0; i < parameters; i++) {
        value[body->parameters.data[i]->id] = in[i];
        if (s->v->wanted[s->first + i]) wrt[n_wrt++] = in[i];
    }
    if (!fxi_inline(b, body, NULL, value)) return;
    for (size_t i = 0; i < s->outputs; i++) {
        if (!s->v->adjoints[i]) continue;
        adjoints[n_outputs] = in[parameters + n_outputs];
        outputs[n_outputs++] = value[body->outputs[i]->id];
    }
    if (n_wrt > 0 &&
        !fxi_reverse(b->name, (fx_nodes){outputs, n_outputs}, adjoints, (fx_nodes){wrt, n_wrt}, found))
        return;
    give_adjoints(s, b, found, out);
}

static void build_branch(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    branches *s = user;
    fxi_build b;
    (void)n_in, (void)n_out;
    if (fxi_build_begin_leaf(&b, s->b->name, graph)) run_branch(s, &b, in, out);
}

static bool find_targets(branches *s) {
    size_t operands = s->n->operand_count;
    s->targets = room(s, operands, sizeof *s->targets);
    s->target = room(s, operands, sizeof *s->target);
    if (!s->targets || !s->target) return false;
    for (size_t i = 1; i < operands; i++) {
        size_t k = 0;
        if (!s->v->wanted[i]) continue;
        while (k < s->n_targets && s->targets[k] != s->n->operands[i]) k++;
        if (k == s->n_targets) s->targets[s->n_targets++] = s->n->operands[i];
        s->target[i] = k;
    }
    return true;
}

/* A branch takes what the original captured and then the adjoints of the results. */
static bool reverse_branch(branches *s) {
    const fx_graph *body = s->bodies.v[s->branch];
    fxi_shapes shapes = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < body->parameters.count; i++)
        ok = FXI_PUSH(&shapes, body->parameters.data[i]->shape) &&
             FXI_PUSH(&s->operands, s->n->operands[s->first + i]);
    for (size_t i = 0; ok && i < s->outputs; i++)
        if (s->v->adjoints[i])
            ok = FXI_PUSH(&shapes, body->outputs[i]->shape) && FXI_PUSH(&s->operands, s->v->adjoints[i]);
    if (ok)
        s->made[s->branch] = fxi_closure_build(s->b->graph, s->b->name, build_branch, s, shapes.data,
                                               shapes.count, s->n_targets);
    else
        fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(shapes.data);
    return ok && s->made[s->branch];
}

static void reverse(branches *s) {
    bool ok = find_targets(s);
    s->first = 1;
    for (s->branch = 0; ok && s->branch < s->bodies.n; s->branch++) {
        ok = reverse_branch(s);
        s->first += s->bodies.v[s->branch]->parameters.count;
    }
    fx_node *made = ok ? finish(s) : NULL;
    for (size_t k = 0; made && k < s->n_targets; k++) {
        size_t i = 1;
        while (!s->v->wanted[i] || s->target[i] != k) i++;
        s->v->out[i] = fxi_node_result(made, k);
    }
}

static void vjp_if(const fxi_vjp *v) {
    branches s;
    bool ok = begin(&s, v->b, v->n);
    s.v = v;
    if (ok) reverse(&s);
    end(&s);
}

const fxi_grad_rule fxi_gradrule_if = {.vjp = vjp_if, .jvp = jvp_if};
