/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of sorts by a comparator that captured something, for which XLA's sort has no room. What the
 * comparator computes of its captures alone is computed before the sort; the scalars that are left become
 * operands of the sort, the same in all elements, so that they arrive with every pair. A comparator that then
 * still holds more than arithmetic of scalars is asked before, about all pairs (lower_pairs.c). */
#include "lower_family.h"
#include <fluxion/sorting.h>

typedef struct sorting {
    const fxi_build *b;
    const fx_graph *body;
    size_t sorted; /* operands that the sort has */
    bool *inside;  /* by id: depends on the elements compared, or is_free */
    bool *passed;  /* by id: computed before, used inside */
    size_t n_passed;
    fx_node **values;   /* by id, before the sort */
    fx_node **operands; /* of the new sort: room for all nodes of the body too */
} sorting;

/* Arithmetic of scalars, which is all that plugins have code for in a comparator. */
static bool is_simple(const fx_node *n) {
    fxi_class kind = fxi_op_info_of(n->op)->op_class;
    const fxi_lowering *row = fxi_lowering_of(n);
    return n->shape.rank == 0 && n->op != FX_OP_ATAN && !(row && row->is_function) &&
           (kind == FXI_CLASS_MAP || kind == FXI_CLASS_LEAF || kind == FXI_CLASS_MOVE);
}

bool fxi_lower_when_comparator_differs(const fx_node *n) {
    const fx_graph *body = fxi_node_bodies(n).v[0];
    bool differs = body->parameters.count > 2 * (body->parameters.count - n->operand_count);
    for (size_t i = 0; i < body->nodes.count && !differs; i++) differs = !is_simple(body->nodes.data[i]);
    return differs;
}

/* A constant or iota: written where it is used. */
static bool is_free(const fx_node *n) { return n->operand_count == 0 && n->op != FX_OP_PARAMETER; }

static void pass(sorting *s, const fx_node *n) {
    if (s->inside[n->id] || s->passed[n->id]) return;
    s->passed[n->id] = true;
    s->n_passed++;
}

/* Which nodes stay in the comparator, and what they read of the others. */
static void divide(sorting *s) {
    for (size_t i = 0; i < 2 * s->sorted; i++) s->inside[s->body->parameters.data[i]->id] = true;
    for (size_t i = 0; i < s->body->nodes.count; i++) {
        const fx_node *n = s->body->nodes.data[i];
        if (is_free(n)) s->inside[i] = true;
        for (uint32_t k = 0; k < n->operand_count && !s->inside[i]; k++)
            s->inside[i] = s->inside[n->operands[k]->id] && !is_free(n->operands[k]);
        for (uint32_t k = 0; k < n->operand_count && s->inside[i]; k++) pass(s, n->operands[k]);
    }
    pass(s, s->body->outputs[0]);
}

/* Whether the comparator is arithmetic of scalars, the passed ones too. */
static bool fits(const sorting *s) {
    for (size_t i = 0; i < s->body->nodes.count; i++) {
        const fx_node *n = s->body->nodes.data[i];
        if (s->passed[i] && n->shape.rank > 0) return false;
        if (s->inside[i] && !is_free(n) && !is_simple(n)) return false;
    }
    return true;
}

/* The passed values, as operands after those that are sorted. */
static bool compute_passed(sorting *s, const fx_node *n, fx_node *const *operands) {
    bool *wanted = fxi_alloc_zeroed(s->body->nodes.count, sizeof *wanted);
    if (!wanted) return fxi_build_refuse(s->b, FX_ERROR_MEMORY, "out of memory"), false;
    for (size_t i = 0; i < s->body->nodes.count; i++) wanted[i] = s->passed[i];
    fxi_inline_mark(s->body, wanted);
    for (size_t i = 2 * s->sorted; i < s->body->parameters.count; i++)
        s->values[s->body->parameters.data[i]->id] = operands[i - s->sorted];
    bool ok = fxi_inline(s->b, s->body, wanted, s->values);
    fxi_free(wanted);
    size_t next = s->sorted;
    for (size_t i = 0; ok && i < s->body->nodes.count; i++) {
        if (!s->passed[i]) continue;
        s->operands[next++] =
            fxi_build_broadcast(s->b, s->values[i], &n->operands[0]->shape, (fx_dims){NULL, 0});
    }
    return ok;
}

static void compare(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    const sorting *s = user;
    const fxi_build b = {s->b->name, graph, &graph->inert};
    fx_node **values = fxi_alloc_zeroed(s->body->nodes.count, sizeof *values);
    (void)n_in, (void)n_out;
    if (!values) {
        fxi_build_refuse(&b, FX_ERROR_MEMORY, "out of memory");
        return;
    }
    size_t next = 2 * s->sorted;
    for (size_t i = 0; i < 2 * s->sorted; i++) values[s->body->parameters.data[i]->id] = in[i];
    for (size_t i = 0; i < s->body->nodes.count; i++)
        if (s->passed[i]) values[i] = in[next], next += 2;
    if (fxi_inline(&b, s->body, s->inside, values)) out[0] = values[s->body->outputs[0]->id];
    fxi_free(values);
}

static bool build_sort(sorting *s, const fx_node *n, fx_node *const *operands, fx_node **results) {
    for (size_t i = 0; i < s->sorted; i++) s->operands[i] = operands[i];
    divide(s);
    if (!fits(s)) return fxi_lower_sort_pairs(s->b, n, operands, results);
    FX_TRY(compute_passed(s, n, operands));
    size_t count = s->sorted + s->n_passed;
    const fx_node *made = fx_sort_func(compare, s, (int)fxi_node_int(n, FXI_ATTR_AXIS),
                                       (fx_nodes){s->operands, count}, s->operands);
    for (size_t i = 0; i < s->sorted; i++) results[i] = s->operands[i];
    return made && made->op != FX_OP_INERT;
}

bool fxi_lower_sort_by(const fxi_build *b, const fx_node *n, fx_node *const *operands, fx_node **results) {
    sorting s = {.b = b, .body = fxi_node_bodies(n).v[0]};
    size_t nodes = s.body->nodes.count;
    s.sorted = s.body->parameters.count - n->operand_count;
    s.inside = fxi_alloc_zeroed(nodes, sizeof *s.inside);
    s.passed = fxi_alloc_zeroed(nodes, sizeof *s.passed);
    s.values = fxi_alloc_zeroed(nodes, sizeof *s.values);
    s.operands = fxi_alloc_zeroed(nodes + s.sorted, sizeof *s.operands);
    bool ok = s.inside && s.passed && s.values && s.operands;
    if (!ok) fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    ok = ok && build_sort(&s, n, operands, results);
    fxi_free(s.inside);
    fxi_free(s.passed);
    fxi_free(s.values);
    fxi_free(s.operands);
    return ok;
}
