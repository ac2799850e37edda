/* SPDX-License-Identifier: Apache-2.0 */
/* Composites, and fx_custom_gradient, which makes one. Without a backward closure the derivative is that
 * of the decomposition. With one, reverse mode inlines it; forward mode follows from it: it is linear in
 * the adjoints, and its transpose takes tangents of the inputs to those of the results. */
#include "grad_internal.h"
#include <fluxion/grad.h>

/* A rule at work: a closure is built for what is given, and inlined at once. */
typedef struct inlined {
    const fxi_build *b;
    fx_node *n;
    fxi_graphs bodies;
    size_t inputs, outputs;
    fxi_nodes given;
    const bool *wanted;     /* reverse: per operand */
    fx_node *const *values; /* adjoints or tangents */
    fx_node **out;
} inlined;

static void begin(inlined *s, const fxi_build *b, fx_node *n) {
    *s = (inlined){.b = b, .n = n, .bodies = fxi_node_bodies(n)};
    s->inputs = (size_t)fxi_node_int(n, FXI_ATTR_INPUTS);
    s->outputs = fxi_node_results(n);
}

static bool give(inlined *s, fx_node *x) {
    if (FXI_PUSH(&s->given, x)) return true;
    fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
    return false;
}

/* What the backward closure takes: inputs, results, their adjoints, and what it captured. */
static bool give_backward(inlined *s, fx_node *const *adjoints) {
    size_t own = s->bodies.v[0]->parameters.count;
    for (size_t i = 0; i < s->inputs; i++) FX_TRY(give(s, s->n->operands[i]));
    for (size_t i = 0; i < s->outputs; i++) FX_TRY(give(s, fxi_node_result(s->n, i)));
    for (size_t i = 0; i < s->outputs; i++)
        FX_TRY(
            give(s, fxi_grad_or_zeros(s->b, adjoints ? adjoints[i] : NULL, fxi_node_result_shape(s->n, i))));
    for (size_t i = own; i < s->n->operand_count; i++) FX_TRY(give(s, s->n->operands[i]));
    return true;
}

/* The closure that fn builds for what is given, inlined. */
static void run(inlined *s, fx_fn fn, size_t n_out, fx_node **out) {
    fxi_shapes shapes = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < s->given.count; i++) ok = FXI_PUSH(&shapes, s->given.data[i]->shape);
    if (!ok) fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
    const fx_graph *body =
        ok ? fxi_closure_build(s->b->graph, s->b->name, fn, s, shapes.data, shapes.count, n_out) : NULL;
    fxi_free(shapes.data);
    if (body) fxi_inline_closure(s->b, body, s->given.data, out);
}

/* Values of a body whose parameters are the nodes of `in`; NULL after refusing. */
static fx_node **values_of(const fxi_build *b, const fx_graph *body, fx_node *const *in, fxi_arena *arena) {
    fx_node **value = fxi_arena_alloc(arena, body->nodes.count, sizeof *value);
    if (!value) fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; value && i < body->parameters.count; i++) value[body->parameters.data[i]->id] = in[i];
    return value && fxi_inline(b, body, NULL, value) ? value : NULL;
}

/* ---- the decomposition, reverse ---- */

typedef struct lists {
    fx_node **outputs, **adjoints, **wrt, **found;
    size_t n_outputs, n_wrt;
} lists;

static bool make_lists(const fxi_build *b, fxi_arena *arena, size_t n, lists *l) {
    *l = (lists){.outputs = fxi_arena_alloc(arena, n, sizeof(fx_node *)),
                 .adjoints = fxi_arena_alloc(arena, n, sizeof(fx_node *)),
                 .wrt = fxi_arena_alloc(arena, n, sizeof(fx_node *)),
                 .found = fxi_arena_alloc(arena, n, sizeof(fx_node *))};
    if (l->outputs && l->adjoints && l->wrt && l->found) return true;
    fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    return false;
}

static bool reverse(const char *name, const lists *l) {
    return fxi_reverse(name, (fx_nodes){l->outputs, l->n_outputs}, l->adjoints, (fx_nodes){l->wrt, l->n_wrt},
                       l->found);
}

/* The outputs of a body, `n` of them, whose adjoints are there, which are `in` one after the other. */
static void list_outputs(lists *l, const inlined *s, const fx_graph *body, size_t n, fx_node *const *value,
                         fx_node *const *in) {
    for (size_t i = 0; i < n; i++) {
        if (!s->values[i]) continue;
        l->adjoints[l->n_outputs] = in[l->n_outputs];
        l->outputs[l->n_outputs++] = value[body->outputs[i]->id];
    }
}

static void give_found(const fxi_build *b, const lists *l, fx_node **out, size_t n_out) {
    if (!reverse(b->name, l)) return;
    for (size_t i = 0; i < n_out; i++) out[i] = fxi_grad_or_zeros(b, l->found[i], &l->wrt[i]->shape);
}

/* in: the operands, then the adjoints that are there. out: an adjoint for each operand that is asked for. */
static void decomposed(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    const inlined *s = user;
    const fx_graph *body = s->bodies.v[0];
    fxi_build b;
    fxi_arena arena = {0};
    lists l;
    size_t parameters = body->parameters.count;
    if (!fxi_build_begin_leaf(&b, s->b->name, graph)) return;
    fx_node **value = make_lists(&b, &arena, n_in + s->outputs, &l) ? values_of(&b, body, in, &arena) : NULL;
    if (value) list_outputs(&l, s, body, s->outputs, value, in + parameters);
    for (size_t i = 0; value && i < parameters; i++)
        if (s->wanted[i]) l.wrt[l.n_wrt++] = in[i];
    if (value) give_found(&b, &l, out, n_out);
    fxi_arena_free(&arena);
}

static void reverse_decomposition(inlined *s) {
    size_t parameters = s->bodies.v[0]->parameters.count, n = 0;
    for (size_t i = 0; i < parameters; i++) {
        if (!give(s, s->n->operands[i])) return;
        n += s->wanted[i];
    }
    for (size_t i = 0; i < s->outputs; i++)
        if (s->values[i] && !give(s, s->values[i])) return;
    fx_node **found = fxi_alloc_zeroed(n + 1, sizeof *found);
    if (found)
        run(s, decomposed, n, found);
    else
        fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0, next = 0; found && i < parameters; i++)
        if (s->wanted[i]) s->out[i] = found[next++];
    fxi_free(found);
}

/* ---- the backward closure ---- */

static void run_backward(inlined *s) {
    for (size_t i = s->inputs; i < s->n->operand_count; i++)
        if (s->wanted[i]) {
            fxi_build_refuse(
                s->b, FX_ERROR_UNSUPPORTED,
                "%%%lld = composite at %s:%d has no derivative by %%%lld, which its closure captured: "
                "make it an input",
                (long long)s->n->id, s->n->file ? s->n->file : "?", s->n->line,
                (long long)s->n->operands[i]->id);
            return;
        }
    if (!give_backward(s, s->values)) return;
    fxi_arena arena = {0};
    fx_node **value = values_of(s->b, s->bodies.v[1], s->given.data, &arena);
    for (size_t i = 0; value && i < s->inputs; i++)
        if (s->wanted[i]) s->out[i] = value[s->bodies.v[1]->outputs[i]->id];
    fxi_arena_free(&arena);
}

static void vjp_composite(const fxi_vjp *v) {
    inlined s;
    begin(&s, v->b, v->n);
    s.wanted = v->wanted;
    s.values = v->adjoints;
    s.out = v->out;
    if (s.bodies.n == 2)
        run_backward(&s);
    else
        reverse_decomposition(&s);
    fxi_free(s.given.data);
}

/* ---- forward: the transpose of the backward closure ---- */

/* in: what the backward closure takes, then the tangents that are there. out: tangents of the results that
 * carry one. */
static void transposed(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    const inlined *s = user;
    const fx_graph *body = s->bodies.v[1];
    fxi_build b;
    fxi_arena arena = {0};
    lists l;
    if (!fxi_build_begin_leaf(&b, s->b->name, graph)) return;
    fx_node **value = make_lists(&b, &arena, n_in + s->outputs, &l) ? values_of(&b, body, in, &arena) : NULL;
    if (value) list_outputs(&l, s, body, s->inputs, value, in + body->parameters.count);
    for (size_t i = 0; value && i < s->outputs; i++) {
        fx_node *adjoint = in[s->inputs + s->outputs + i];
        if (fxi_grad_carries(adjoint->shape.dtype)) l.wrt[l.n_wrt++] = adjoint;
    }
    if (value) give_found(&b, &l, out, n_out);
    fxi_arena_free(&arena);
}

static void forward_backward(inlined *s) {
    size_t n = 0;
    if (!give_backward(s, NULL)) return;
    for (size_t i = 0; i < s->inputs; i++)
        if (s->values[i] && !give(s, s->values[i])) return;
    for (size_t i = 0; i < s->outputs; i++) n += fxi_grad_carries(fxi_node_result_shape(s->n, i)->dtype);
    fx_node **found = fxi_alloc_zeroed(n + 1, sizeof *found);
    if (found)
        run(s, transposed, n, found);
    else
        fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0, next = 0; found && i < s->outputs; i++)
        if (fxi_grad_carries(fxi_node_result_shape(s->n, i)->dtype)) s->out[i] = found[next++];
    fxi_free(found);
}

/* ---- forward: the decomposition ---- */

static void dual(inlined *s, bool *tangent, bool *none, bool *out) {
    fx_graph *body = s->bodies.v[0];
    const size_t ends[1] = {body->parameters.count};
    for (size_t i = 0; i < ends[0]; i++) tangent[i] = s->values[i] != NULL;
    if (!fxi_dual_spread(body, 0, tangent, out)) {
        fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
        return;
    }
    const fxi_dual d = {s->b->name, body, ends, 1, 0, tangent, none, out};
    const fx_graph *made = fxi_dual_build(s->b, &d);
    fx_node **found = made ? fxi_alloc_zeroed(s->outputs + 1, sizeof *found) : NULL;
    if (made && (!found || !fxi_dual_operands(s->b, &d, s->n->operands, s->values, &s->given)))
        fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
    else if (made && fxi_inline_closure(s->b, made, s->given.data, found))
        for (size_t i = 0, next = 0; i < s->outputs; i++)
            if (out[i]) s->out[i] = found[next++];
    fxi_free(found);
}

static void forward_decomposition(inlined *s) {
    size_t count = s->n->operand_count + s->outputs;
    bool *marks = fxi_alloc_zeroed(3 * count, sizeof *marks);
    if (marks)
        dual(s, marks, marks + count, marks + 2 * count);
    else
        fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(marks);
}

static void jvp_composite(const fxi_jvp *j) {
    inlined s;
    begin(&s, j->b, j->n);
    s.values = j->tangents;
    s.out = j->out;
    if (s.bodies.n == 2)
        forward_backward(&s);
    else
        forward_decomposition(&s);
    fxi_free(s.given.data);
}

const fxi_grad_rule fxi_gradrule_composite = {.vjp = vjp_composite, .jvp = jvp_composite};

/* ---- fx_custom_gradient ---- */

fx_node *fx_custom_gradient(fx_nodes inputs, fx_fn forward, fx_fn backward, void *user, size_t n_results,
                            fx_node **results) {
    fxi_build b;
    const fxi_composite composite = {
        .name = "fx.custom_gradient", .forward = forward, .backward = backward, .user = user};
    fx_node *made;
    if (!fxi_build_begin(&b, "fx_custom_gradient", inputs.v, inputs.v ? inputs.n : 0))
        made = b.stop;
    else if (!forward || !backward || n_results == 0)
        made = fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "%s",
                                n_results ? "a closure is NULL" : "the function gives no result");
    else
        made = fxi_build_composite(&b, &composite, inputs, n_results);
    return fxi_build_results(made, results, n_results);
}
