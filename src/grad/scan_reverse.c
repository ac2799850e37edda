/* SPDX-License-Identifier: Apache-2.0 */
/* The reverse rule of scans, as scan_rule.h plans it. Closures take all they read as inputs, in the order
 * of the operands of their nodes, so the forward scan has exactly the operands of the original. */
#include "scan_rule.h"

void *fxi_scan_room(fxi_scan *s, size_t count, size_t size) {
    void *room = fxi_arena_alloc(&s->arena, count, size);
    if (!room) fxi_build_refuse(s->v->b, FX_ERROR_MEMORY, "out of memory");
    return room;
}

/* ---- what takes part ---- */

/* States hand on: what is active at the end of a round is so at its beginning, and what is needed at the
 * beginning is so at the end. */
static bool pass_on(const fxi_scan *s, bool *marks, bool forwards) {
    bool changed = false;
    for (size_t i = 0; i < s->states; i++) {
        int64_t out = s->body->outputs[i]->id, in = s->body->parameters.data[i]->id;
        if (!fxi_grad_carries(s->body->outputs[i]->shape.dtype)) continue;
        bool *to = &marks[forwards ? in : out];
        if (*to || !marks[forwards ? out : in]) continue;
        *to = changed = true;
    }
    return changed;
}

static bool find_activity(fxi_scan *s) {
    size_t count = s->body->nodes.count;
    fxi_grad_level level = {.graph = s->body, .count = count};
    level.active = fxi_scan_room(s, count, sizeof(bool));
    level.needed = fxi_scan_room(s, count, sizeof(bool));
    s->wanted = fxi_scan_room(s, s->parameters, sizeof(bool));
    s->carried = fxi_scan_room(s, s->states, sizeof(bool));
    if (!level.active || !level.needed || !s->wanted || !s->carried) return false;
    for (size_t i = 0; i < s->parameters; i++)
        level.active[s->body->parameters.data[i]->id] = s->v->wanted[i];
    do fxi_grad_mark_active(&level);
    while (pass_on(s, level.active, true));
    for (size_t i = 0; i < s->outputs; i++)
        if (s->v->adjoints[i]) level.needed[s->body->outputs[i]->id] = true;
    do fxi_grad_mark_needed(&level);
    while (pass_on(s, level.needed, false));
    for (size_t i = 0; i < s->parameters; i++) {
        const fx_node *p = s->body->parameters.data[i];
        bool state = i < s->states;
        s->wanted[i] = state ? level.active[p->id] && fxi_grad_carries(p->shape.dtype) : s->v->wanted[i];
        if (state) s->carried[i] = s->wanted[i] && level.needed[s->body->outputs[i]->id];
        s->wanted[i] = state ? s->carried[i] : s->wanted[i];
    }
    return true;
}

/* Whether an adjoint arrives at an output of the body. */
static bool has_adjoint(const fxi_scan *s, size_t output) {
    return output < s->states ? s->carried[output] : s->v->adjoints[output] != NULL;
}

/* ---- the pair ---- */

typedef struct pair_lists {
    fx_nodes outputs, wrt;
    fx_node **adjoints, **results;
} pair_lists;

static bool list_pair(fxi_scan *s, fx_node *const *in, fx_node *const *value, pair_lists *l) {
    fx_node **outputs = fxi_scan_room(s, s->outputs, sizeof *outputs);
    fx_node **wrt = fxi_scan_room(s, s->parameters, sizeof *wrt);
    l->adjoints = fxi_scan_room(s, s->outputs, sizeof(fx_node *));
    l->results = fxi_scan_room(s, s->parameters, sizeof(fx_node *));
    if (!outputs || !wrt || !l->adjoints || !l->results) return false;
    l->outputs = (fx_nodes){outputs, 0};
    l->wrt = (fx_nodes){wrt, 0};
    for (size_t i = 0, next = s->parameters; i < s->outputs; i++) {
        s->value[i] = value[s->body->outputs[i]->id];
        if (!has_adjoint(s, i)) continue;
        s->incoming[i] = in[next++];
        l->adjoints[l->outputs.n] = s->incoming[i];
        outputs[l->outputs.n++] = s->value[i];
    }
    for (size_t i = 0; i < s->parameters; i++)
        if (s->wanted[i]) wrt[l->wrt.n++] = in[i];
    return true;
}

static void build_pair(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    fxi_scan *s = user;
    pair_lists l;
    fxi_build b;
    (void)n_in, (void)out, (void)n_out;
    if (!fxi_build_begin_leaf(&b, s->v->b->name, graph)) return;
    fx_node **value = fxi_scan_room(s, s->body->nodes.count, sizeof *value);
    if (!value) return;
    for (size_t i = 0; i < s->parameters; i++) value[s->body->parameters.data[i]->id] = in[i];
    if (!fxi_inline(&b, s->body, NULL, value) || !list_pair(s, in, value, &l)) return;
    s->body_end = graph->nodes.count;
    if (!fxi_reverse(b.name, l.outputs, l.adjoints, l.wrt, l.results)) return;
    for (size_t i = 0, next = 0; i < s->parameters; i++)
        if (s->wanted[i]) s->found[i] = l.results[next++];
}

static bool make_pair(fxi_scan *s) {
    fxi_shapes shapes = {0};
    s->value = fxi_scan_room(s, s->outputs, sizeof(fx_node *));
    s->incoming = fxi_scan_room(s, s->outputs, sizeof(fx_node *));
    s->found = fxi_scan_room(s, s->parameters, sizeof(fx_node *));
    bool ok = s->value && s->incoming && s->found;
    for (size_t i = 0; ok && i < s->parameters; i++)
        ok = FXI_PUSH(&shapes, s->body->parameters.data[i]->shape);
    for (size_t i = 0; ok && i < s->outputs; i++)
        if (has_adjoint(s, i)) ok = FXI_PUSH(&shapes, s->body->outputs[i]->shape);
    if (!ok) fxi_build_refuse(s->v->b, FX_ERROR_MEMORY, "out of memory");
    const fxi_build *b = s->v->b;
    if (ok) s->pair = fxi_closure_build(b->graph, b->name, build_pair, s, shapes.data, shapes.count, 0);
    fxi_free(shapes.data);
    return ok && s->pair;
}

/* ---- the forward scan ---- */

typedef struct forward_lists {
    fxi_scan *s;
    const fx_node **stacked; /* the further outputs */
    size_t count;
} forward_lists;

static void build_forward(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    const forward_lists *f = user;
    fxi_scan *s = f->s;
    fxi_build b;
    (void)n_in, (void)n_out;
    if (!fxi_build_begin_leaf(&b, s->v->b->name, graph)) return;
    fx_node **value = fxi_scan_room(s, s->pair->nodes.count, sizeof *value);
    bool *need = fxi_scan_room(s, s->pair->nodes.count, sizeof *need);
    if (!value || !need) return;
    for (size_t i = 0; i < s->parameters; i++) value[s->pair->parameters.data[i]->id] = in[i];
    for (size_t i = 0; i < s->outputs; i++) need[s->value[i]->id] = true;
    for (size_t i = 0; i < f->count; i++) need[f->stacked[i]->id] = true;
    fxi_inline_mark(s->pair, need);
    if (!fxi_inline(&b, s->pair, need, value)) return;
    for (size_t i = 0; i < s->outputs; i++) out[i] = value[s->value[i]->id];
    for (size_t i = 0; i < f->count; i++) out[s->outputs + i] = value[f->stacked[i]->id];
}

/* A node like the scan with another body. */
static fx_node *with_body(const fxi_scan *s, fx_graph *body) {
    const fxi_attr attr = fxi_attr_graphs(FXI_ATTR_BODIES, &body, 1);
    return fxi_build_like(s->v->b, s->n, s->n->operands, &attr, 1, NULL);
}

/* What the scan stacks already; NULL: it does not. */
static fx_node *stacked_already(const fxi_scan *s, const fx_node *x) {
    for (size_t i = s->states; i < s->outputs; i++)
        if (s->value[i] == x) return fxi_node_result((fx_node *)s->n, i);
    return NULL;
}

static bool run_forward(fxi_scan *s, const forward_lists *f) {
    FXI_VEC(fx_shape) shapes = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < s->parameters; i++)
        ok = FXI_PUSH(&shapes, s->body->parameters.data[i]->shape);
    if (!ok) fxi_build_refuse(s->v->b, FX_ERROR_MEMORY, "out of memory");
    const fxi_build *b = s->v->b;
    fx_graph *body = ok ? fxi_closure_build(b->graph, b->name, build_forward, (void *)f, shapes.data,
                                            shapes.count, s->outputs + f->count)
                        : NULL;
    fxi_free(shapes.data);
    fx_node *made = body ? with_body(s, body) : NULL;
    for (size_t i = 0; made && i < f->count; i++)
        s->stack[f->stacked[i]->id] = fxi_node_result(made, s->outputs + i);
    return made && made->op != FX_OP_INERT;
}

/* Fills the stacks: from the operands, the scan's own results, and a forward scan if more are missing. */
static bool stack_residuals(fxi_scan *s) {
    size_t count = s->pair->nodes.count;
    forward_lists f = {.s = s, .stacked = fxi_scan_room(s, count, sizeof(fx_node *))};
    if (!f.stacked) return false;
    for (size_t i = 0; i < s->inputs; i++)
        s->stack[s->pair->parameters.data[s->states + i]->id] = s->n->operands[s->states + i];
    for (size_t i = s->states; i < s->outputs; i++)
        if (s->incoming[i]) s->stack[s->incoming[i]->id] = s->v->adjoints[i];
    for (size_t id = 0; id < count; id++) {
        const fx_node *x = s->pair->nodes.data[id];
        if (s->how[id] != FXI_SCAN_STACKED || !(s->used[id] || s->kept[id])) continue;
        s->stack[id] = stacked_already(s, x);
        if (!s->stack[id]) f.stacked[f.count++] = x;
    }
    return f.count == 0 || run_forward(s, &f);
}

/* Captured values, and what is made of them alone and is too dear to repeat, in the outer graph. */
static bool make_invariants(fxi_scan *s) {
    size_t count = s->pair->nodes.count;
    bool *need = fxi_scan_room(s, count, sizeof *need), any = false;
    if (!need) return false;
    for (size_t i = s->states + s->inputs; i < s->parameters; i++)
        s->stack[s->pair->parameters.data[i]->id] = s->n->operands[i];
    for (size_t id = 0; id < count; id++)
        if (s->used[id] && s->how[id] == FXI_SCAN_BEFORE) any = need[id] = true;
    if (!any) return true;
    fx_node **value = fxi_scan_room(s, count, sizeof *value);
    if (!value) return false;
    fxi_inline_mark(s->pair, need);
    for (size_t i = s->states + s->inputs; i < s->parameters; i++)
        value[s->pair->parameters.data[i]->id] = s->n->operands[i];
    if (!fxi_inline(s->v->b, s->pair, need, value)) return false;
    for (size_t id = 0; id < count; id++)
        if (s->used[id] && s->how[id] == FXI_SCAN_BEFORE) s->stack[id] = value[id];
    return true;
}

/* ---- the reverse scan ---- */

/* Its states are the carried adjoints and an accumulator for every captured value with a term that is not
 * made outside; its inputs the stacks it reads and the adjoints of stacked results, after which it takes
 * what is the same in every round; its stacked results the adjoints of slices and the rows for sums
 * outside. */
typedef struct reverse_lists {
    fxi_scan *s;
    fxi_nodes operands;
    size_t states, inputs;
    FXI_VEC(const fx_node *) read; /* per operand after the states: the node of the pair it stands for */
    FXI_VEC(const fx_node *) rows; /* per stacked result: the node of the pair */
    FXI_VEC(size_t) sums;          /* per accumulator: the parameter of the body */
} reverse_lists;

static fx_node *sum_of_terms(const fxi_scan *s, size_t parameter, fx_node *const *value, fx_node *sum) {
    for (size_t i = 0; i < s->terms.count; i++) {
        const fxi_scan_term *term = &s->terms.data[i];
        if (term->parameter == parameter && !term->outside)
            sum = fx_add(sum, fxi_build_wide(value[term->root->id]));
    }
    return sum;
}

static void give_reverse(const reverse_lists *r, const fxi_build *b, fx_node *const *in,
                         fx_node *const *value, fx_node **out) {
    const fxi_scan *s = r->s;
    size_t next = 0;
    for (size_t i = 0; i < s->states; i++)
        if (s->carried[i]) {
            fx_node *x = s->found[i] ? value[s->found[i]->id] : NULL;
            out[next++] = fxi_grad_or_zeros(b, x, &s->body->parameters.data[i]->shape);
        }
    for (size_t i = 0; i < r->sums.count; i++, next++)
        out[next] = sum_of_terms(s, r->sums.data[i], value, in[next]);
    for (size_t i = 0; i < r->rows.count; i++) out[next++] = value[r->rows.data[i]->id];
}

static void build_reverse(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    const reverse_lists *r = user;
    fxi_scan *s = r->s;
    fxi_build b;
    (void)n_in, (void)n_out;
    if (!fxi_build_begin_leaf(&b, s->v->b->name, graph)) return;
    fx_node **value = fxi_scan_room(s, s->pair->nodes.count, sizeof *value);
    if (!value) return;
    size_t next = 0;
    for (size_t i = 0; i < s->states; i++)
        if (s->carried[i]) value[s->incoming[i]->id] = in[next++];
    next += r->sums.count;
    for (size_t i = 0; i < r->read.count; i++) value[r->read.data[i]->id] = in[next++];
    if (fxi_inline(&b, s->pair, s->used, value)) give_reverse(r, &b, in, value, out);
}

static bool list_states(fxi_scan *s, reverse_lists *r) {
    bool ok = true;
    for (size_t i = 0; ok && i < s->states; i++)
        if (s->carried[i])
            ok = FXI_PUSH(&r->operands,
                          fxi_grad_or_zeros(s->v->b, s->v->adjoints[i], &s->n->operands[i]->shape));
    for (size_t i = 0; ok && i < s->terms.count; i++) {
        size_t parameter = s->terms.data[i].parameter;
        if (s->terms.data[i].outside || (r->sums.count && r->sums.data[r->sums.count - 1] == parameter))
            continue;
        ok = FXI_PUSH(&r->sums, parameter) &&
             FXI_PUSH(&r->operands,
                      fxi_build_wide(fx_zeros(s->v->b->graph, &s->n->operands[parameter]->shape)));
    }
    return ok;
}

static bool read_as(reverse_lists *r, const fx_node *x, fx_node *operand) {
    return FXI_PUSH(&r->read, x) && FXI_PUSH(&r->operands, operand);
}

static bool list_inputs(const fxi_scan *s, reverse_lists *r) {
    bool ok = true;
    r->states = r->operands.count;
    for (size_t id = 0; ok && id < s->pair->nodes.count; id++) {
        bool given = s->how[id] == FXI_SCAN_GIVEN && s->depends[id] == FXI_SCAN_VARYING;
        if (s->used[id] && (given || s->how[id] == FXI_SCAN_STACKED))
            ok = read_as(r, s->pair->nodes.data[id], s->stack[id]);
    }
    for (size_t i = s->states; ok && i < s->outputs; i++)
        if (s->incoming[i]) ok = read_as(r, s->incoming[i], s->v->adjoints[i]);
    r->inputs = r->operands.count - r->states;
    for (size_t id = 0; ok && id < s->pair->nodes.count; id++)
        if (s->used[id] && !s->depends[id] && s->stack[id])
            ok = read_as(r, s->pair->nodes.data[id], s->stack[id]);
    return ok;
}

static bool list_rows(const fxi_scan *s, reverse_lists *r) {
    bool ok = true;
    for (size_t i = s->states; ok && i < s->states + s->inputs; i++)
        if (s->found[i] && !s->late[i]) ok = FXI_PUSH(&r->rows, s->found[i]);
    for (size_t id = 0; ok && id < s->pair->nodes.count; id++)
        if (s->row[id]) ok = FXI_PUSH(&r->rows, s->pair->nodes.data[id]);
    return ok;
}

static fx_node *sum_outside(const fxi_scan *s, size_t parameter) {
    fx_node *sum = NULL;
    for (size_t i = 0; i < s->terms.count; i++)
        if (s->terms.data[i].parameter == parameter && s->terms.data[i].outside)
            sum = fxi_grad_sum(sum, fxi_scan_sum(s, &s->terms.data[i]));
    return sum;
}

static fx_node *narrow(fx_node *x, fx_dtype dtype) {
    return x->shape.dtype == dtype ? x : fx_convert(x, dtype);
}

/* The results of the reverse scan at their places. */
static void deliver(fxi_scan *s, const reverse_lists *r, fx_node *const *results) {
    size_t next = 0;
    for (size_t i = 0; i < s->states; i++)
        if (s->carried[i]) s->v->out[i] = results[next++];
    for (size_t i = 0; i < r->sums.count; i++) {
        size_t parameter = r->sums.data[i];
        s->v->out[parameter] = narrow(results[next++], s->n->operands[parameter]->shape.dtype);
    }
    for (size_t i = s->states; i < s->states + s->inputs; i++)
        if (s->found[i] && !s->late[i]) s->v->out[i] = results[next++];
    for (size_t id = 0; id < s->pair->nodes.count; id++)
        if (s->row[id]) s->stack[id] = results[next++];
    for (size_t i = s->states; i < s->states + s->inputs; i++)
        if (s->late[i]) s->v->out[i] = fxi_scan_late(s, i);
    for (size_t i = s->states + s->inputs; i < s->parameters; i++)
        if (s->found[i]) s->v->out[i] = fxi_grad_sum(s->v->out[i], sum_outside(s, i));
}

static fx_graph *reverse_body(const fxi_scan *s, reverse_lists *r) {
    const fxi_build *b = s->v->b;
    fxi_shapes shapes = {0};
    fx_graph *made = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < r->operands.count; i++) {
        fx_shape shape = r->operands.data[i]->shape;
        if (i >= r->states && i < r->states + r->inputs)
            shape = fx_shape_make(shape.dtype, shape.dims + 1, (size_t)shape.rank - 1);
        ok = FXI_PUSH(&shapes, shape);
    }
    if (ok)
        made = fxi_closure_build(b->graph, b->name, build_reverse, r, shapes.data, shapes.count,
                                 r->states + r->rows.count);
    else
        fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(shapes.data);
    return made;
}

static void run_reverse(fxi_scan *s, reverse_lists *r) {
    size_t count = r->states + r->rows.count;
    fx_node **results = fxi_scan_room(s, count, sizeof *results);
    fx_graph *body = results && count > 0 ? reverse_body(s, r) : NULL;
    if (!results || (count > 0 && !body)) return;
    const fxi_attr attrs[] = {
        fxi_attr_graphs(FXI_ATTR_BODIES, &body, 1), fxi_attr_int(FXI_ATTR_STATES, (int64_t)r->states),
        fxi_attr_int(FXI_ATTR_INPUTS, (int64_t)r->inputs), fxi_attr_int(FXI_ATTR_LENGTH, s->length),
        fxi_attr_int(FXI_ATTR_BACKWARDS, !s->backwards)};
    if (count > 0)
        fxi_build_results(
            fxi_build_node(s->v->b, FX_OP_SCAN, r->operands.data, r->operands.count, attrs, 5, NULL), results,
            count);
    if (s->v->b->graph->error.code == FX_OK) deliver(s, r, results);
}

static void reverse_scan(fxi_scan *s) {
    reverse_lists r = {.s = s};
    s->stack = fxi_scan_room(s, s->pair->nodes.count, sizeof(fx_node *));
    if (s->stack && stack_residuals(s) && make_invariants(s)) {
        if (list_states(s, &r) && list_inputs(s, &r) && list_rows(s, &r))
            run_reverse(s, &r);
        else
            fxi_build_refuse(s->v->b, FX_ERROR_MEMORY, "out of memory");
    }
    fxi_free(r.operands.data);
    fxi_free(r.read.data);
    fxi_free(r.rows.data);
    fxi_free(r.sums.data);
}

void fxi_scan_vjp(const fxi_vjp *v) {
    const fx_node *n = v->n;
    fxi_scan s = {.v = v, .n = n, .body = fxi_node_bodies(n).v[0]};
    s.states = (size_t)fxi_node_int(n, FXI_ATTR_STATES);
    s.inputs = (size_t)fxi_node_int(n, FXI_ATTR_INPUTS);
    s.length = fxi_node_int(n, FXI_ATTR_LENGTH);
    s.backwards = fxi_node_int(n, FXI_ATTR_BACKWARDS) != 0;
    s.parameters = n->operand_count;
    s.outputs = s.body->output_count;
    if (find_activity(&s) && make_pair(&s) && fxi_scan_mark(&s) && fxi_scan_find_sums(&s) &&
        fxi_scan_split(&s))
        reverse_scan(&s);
    fxi_free(s.terms.data);
    fxi_arena_free(&s.arena);
}
