/* SPDX-License-Identifier: Apache-2.0 */
/* Forward mode: tangents from the nodes that are differentiated by to the outputs, in the order of the nodes,
 * for the nodes that lie between them only. */
#include "grad_internal.h"

/* The tangent from partial derivatives: sum of strong_mul(tangent i, partial i). */
static void jvp_by_partial(const fxi_jvp *j, fxi_partial partial) {
    for (uint32_t i = 0; i < j->n->operand_count; i++) {
        fx_node *d = j->tangents[i] ? partial(j->b, j->n, i) : NULL;
        if (d) j->out[0] = fxi_grad_sum(j->out[0], fxi_grad_times(j->tangents[i], d));
    }
}

static void run_rule(fxi_grad_walk *w, fx_node *n, const fxi_jvp *j) {
    const fxi_grad_rule *rule = fxi_grad_rule_of(n->op);
    if (rule->jvp)
        rule->jvp(j);
    else if (rule->partial)
        jvp_by_partial(j, rule->partial);
    else
        fxi_grad_refuse(w, n);
}

static void keep_results(fxi_grad_walk *w, fxi_grad_level *level, const fx_node *n, fx_node *const *out) {
    for (size_t k = 0; k < fxi_node_results(n); k++) {
        const fx_shape *shape = fxi_node_result_shape(n, k);
        fx_node **place = &level->value[level->slot[n->id] + k];
        if (!out[k]) continue;
        if (!fxi_grad_fits(out[k], shape))
            fxi_build_refuse(&w->build, FX_ERROR_INTERNAL, "the tangent of %%%lld = %s is %s instead of %s",
                             (long long)n->id, fx_node_op(n), fx_shape_to_text(&out[k]->shape).s,
                             fx_shape_to_text(shape).s);
        else if (fxi_grad_carries(shape->dtype))
            *place = fxi_grad_sum(*place, out[k]); /* a tangent that was given is of something added to it */
    }
}

static bool forward_node(fxi_grad_walk *w, fxi_grad_level *level, fx_node *n) {
    size_t results = fxi_node_results(n), operands = n->operand_count;
    bool any = false;
    if (n->op == FX_OP_RESULT || operands == 0 || !level->active[n->id] || !level->needed[n->id]) return true;
    w->room.count = 0;
    if (!FXI_RESERVE(&w->room, operands + results)) {
        fxi_build_refuse(&w->build, FX_ERROR_MEMORY, "out of memory");
        return false;
    }
    fx_node **tangents = w->room.data, **out = tangents + operands;
    for (uint32_t i = 0; i < operands; i++) {
        tangents[i] = NULL;
        if (fxi_grad_takes_part(level, n, i)) tangents[i] = *fxi_grad_place(w, n->operands[i]);
        any |= tangents[i] != NULL;
    }
    for (size_t k = 0; k < results; k++) out[k] = NULL;
    if (!any) return true;
    size_t since = w->build.graph->nodes.count;
    run_rule(w, n, &(fxi_jvp){&w->build, n, tangents, out});
    keep_results(w, level, n, out);
    fxi_grad_stamp(w, since, n);
    return !fxi_grad_failed(w);
}

static void enter_level(fxi_grad_walk *w, const fxi_grad_level *level) {
    for (size_t i = 0; i < fxi_grad_links(level); i++) {
        const fxi_capture *c = fxi_grad_link(level, i);
        fx_node **outer = fxi_grad_place(w, c->outer);
        if ((size_t)c->inner->id < level->count && outer && level->active[c->inner->id])
            level->value[level->slot[c->inner->id]] = *outer;
    }
}

static bool sweep(fxi_grad_walk *w) {
    for (int k = w->levels - 1; k >= 0; k--) {
        fxi_grad_level *level = &w->level[k];
        enter_level(w, level);
        for (size_t id = 0; id < level->count; id++)
            if (!forward_node(w, level, level->graph->nodes.data[id])) return false;
    }
    return true;
}

bool fxi_forward(const char *name, fx_nodes outputs, fx_nodes wrt, fx_node *const *tangents,
                 fx_node **results) {
    fxi_grad_walk w;
    bool ok = fxi_grad_walk_begin(&w, name, wrt, outputs, (fx_nodes){tangents, wrt.n});
    for (size_t i = 0; ok && i < wrt.n; i++)
        fxi_grad_add(&w, fxi_grad_place(&w, wrt.v[i]), wrt.v[i], tangents[i]);
    ok = ok && sweep(&w);
    for (size_t i = 0; ok && i < outputs.n; i++)
        results[i] = fxi_grad_show(*fxi_grad_place(&w, outputs.v[i]), outputs.v[i]->shape.dtype);
    fxi_grad_walk_free(&w);
    return ok;
}
