/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse mode: from the adjoints of the outputs down to those of the nodes that are asked for, each node
 * once, in the order of falling ids, so that all of a node's adjoint has arrived when its turn comes. */
#include "grad_internal.h"

/* Adjoints from a partial derivative: strong_mul(adjoint, conj(partial)). */
static void vjp_by_partial(const fxi_vjp *v, fxi_partial partial) {
    for (uint32_t i = 0; i < v->n->operand_count; i++) {
        fx_node *d = v->wanted[i] ? partial(v->b, v->n, i) : NULL;
        if (d) v->out[i] = fxi_grad_times(v->adjoints[0], fxi_grad_conj(d));
    }
}

static fx_node *first_value(fx_node *const *values, size_t n) {
    size_t i = 0;
    while (i < n && !values[i]) i++;
    return i < n ? values[i] : NULL;
}

static void run_rule(fxi_grad_walk *w, fx_node *n, const fxi_vjp *v) {
    const fxi_grad_rule *rule = fxi_grad_rule_of(n->op);
    if (rule->vjp)
        rule->vjp(v);
    else if (rule->partial)
        vjp_by_partial(v, rule->partial);
    else
        fxi_grad_refuse(w, n);
}

/* Adds what the rule gives to the operands' adjoints. */
static void differentiate(fxi_grad_walk *w, fxi_grad_level *level, fx_node *n, const bool *wanted) {
    fx_node **adjoints = &level->value[level->slot[n->id]], **out = w->room.data;
    fx_node *twin = fxi_twin_of(w, level, n, first_value(adjoints, fxi_node_results(n)));
    if (fxi_grad_failed(w)) return;
    size_t since = w->build.graph->nodes.count;
    run_rule(w, twin, &(fxi_vjp){&w->build, twin, adjoints, wanted, out});
    for (uint32_t i = 0; i < n->operand_count; i++)
        if (wanted[i]) fxi_grad_add(w, fxi_grad_place(w, n->operands[i]), n->operands[i], out[i]);
    fxi_grad_stamp(w, since, n);
}

static bool reverse_node(fxi_grad_walk *w, fxi_grad_level *level, fx_node *n) {
    fx_node **adjoints = &level->value[level->slot[n->id]];
    if (n->op == FX_OP_RESULT || n->operand_count == 0 || !level->active[n->id] ||
        !first_value(adjoints, fxi_node_results(n)))
        return true;
    bool *wanted = fxi_alloc_zeroed(n->operand_count, sizeof *wanted), any = false;
    bool ok = wanted && FXI_RESERVE(&w->room, n->operand_count);
    for (uint32_t i = 0; ok && i < n->operand_count; i++) {
        any |= wanted[i] = fxi_grad_takes_part(level, n, i);
        w->room.data[i] = NULL;
    }
    if (!ok) fxi_build_refuse(&w->build, FX_ERROR_MEMORY, "out of memory");
    if (ok && any) differentiate(w, level, n, wanted);
    fxi_free(wanted);
    return !fxi_grad_failed(w);
}

/* What arrived at captured values goes on outside. */
static void leave_level(fxi_grad_walk *w, const fxi_grad_level *level) {
    for (size_t i = 0; i < fxi_grad_links(level); i++) {
        const fxi_capture *c = fxi_grad_link(level, i);
        if ((size_t)c->inner->id >= level->count || !level->active[c->inner->id]) continue;
        fxi_grad_add(w, fxi_grad_place(w, c->outer), c->outer, level->value[level->slot[c->inner->id]]);
    }
}

static bool sweep(fxi_grad_walk *w) {
    for (int k = 0; k < w->levels; k++) {
        fxi_grad_level *level = &w->level[k];
        for (size_t id = level->count; id-- > 0;)
            if (!reverse_node(w, level, level->graph->nodes.data[id])) return false;
        leave_level(w, level);
    }
    return !fxi_grad_failed(w);
}

static bool begin_twins(const fxi_grad_walk *w, fxi_grad_level *level) {
    if (fxi_twins_begin(level)) return true;
    fxi_build_refuse(&w->build, FX_ERROR_MEMORY, "out of memory");
    return false;
}

bool fxi_reverse(const char *name, fx_nodes outputs, fx_node *const *adjoints, fx_nodes wrt,
                 fx_node **results) {
    fxi_grad_walk w;
    bool ok = fxi_grad_walk_begin(&w, name, wrt, outputs, (fx_nodes){adjoints, outputs.n});
    for (int k = 0; ok && k < w.levels; k++) ok = begin_twins(&w, &w.level[k]);
    for (size_t i = 0; ok && i < outputs.n; i++)
        fxi_grad_add(&w, fxi_grad_place(&w, outputs.v[i]), outputs.v[i], adjoints[i]);
    ok = ok && sweep(&w);
    for (size_t i = 0; ok && i < wrt.n; i++)
        results[i] = fxi_grad_show(*fxi_grad_place(&w, wrt.v[i]), wrt.v[i]->shape.dtype);
    fxi_grad_walk_free(&w);
    return ok;
}
