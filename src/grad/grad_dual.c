/* SPDX-License-Identifier: Apache-2.0 */
/* Closures with tangents (grad_internal.h): what the forward rules of scans, loops and branches have in
 * common. A closure takes everything as inputs, so two operands that are the same node stay two inputs, and
 * nothing is counted twice. */
#include "grad_internal.h"

/* ---- which states have tangents ---- */

static bool hand_on(const fx_graph *body, size_t states, bool *active) {
    bool changed = false;
    for (size_t i = 0; i < states; i++) {
        const fx_node *in = body->parameters.data[i], *out = body->outputs[i];
        if (active[in->id] || !active[out->id] || !fxi_grad_carries(in->shape.dtype)) continue;
        active[in->id] = changed = true;
    }
    return changed;
}

bool fxi_dual_spread(fx_graph *body, size_t states, bool *tangent, bool *out) {
    fxi_grad_level level = {.graph = body, .count = body->nodes.count};
    level.active = fxi_alloc_zeroed(level.count + 1, sizeof(bool));
    if (!level.active) return false;
    for (size_t i = 0; i < body->parameters.count; i++)
        level.active[body->parameters.data[i]->id] = tangent[i];
    do fxi_grad_mark_active(&level);
    while (hand_on(body, states, level.active));
    for (size_t i = 0; i < states; i++) tangent[i] = level.active[body->parameters.data[i]->id];
    for (size_t i = 0; i < body->output_count; i++) {
        const fx_node *x = body->outputs[i];
        out[i] = i < states ? tangent[i] : level.active[x->id] && fxi_grad_carries(x->shape.dtype);
    }
    fxi_free(level.active);
    return true;
}

/* ---- operands ---- */

bool fxi_dual_operands(const fxi_build *b, const fxi_dual *d, fx_node *const *operands,
                       fx_node *const *tangents, fxi_nodes *list) {
    bool ok = true;
    for (size_t g = 0, from = 0; ok && g < d->groups; from = d->ends[g++]) {
        for (size_t i = from; ok && i < d->ends[g]; i++) ok = FXI_PUSH(list, operands[i]);
        for (size_t i = from; ok && i < d->ends[g]; i++)
            if (d->tangent[i]) ok = FXI_PUSH(list, fxi_grad_or_zeros(b, tangents[i], &operands[i]->shape));
    }
    return ok;
}

/* ---- the closure ---- */

typedef struct dual_room {
    const fxi_dual *d;
    fx_node **value;              /* by id of the body */
    fx_node **wrt, **tangent;     /* per parameter that has a tangent */
    fx_node **outputs, **results; /* per output whose tangent is asked for */
    size_t n_wrt, n_outputs;
} dual_room;

static void take_inputs(dual_room *r, fx_node *const *in) {
    const fxi_dual *d = r->d;
    for (size_t g = 0, from = 0; g < d->groups; from = d->ends[g++]) {
        for (size_t i = from; i < d->ends[g]; i++) r->value[d->body->parameters.data[i]->id] = *in++;
        for (size_t i = from; i < d->ends[g]; i++) {
            if (!d->tangent[i]) continue;
            r->wrt[r->n_wrt] = r->value[d->body->parameters.data[i]->id];
            r->tangent[r->n_wrt++] = *in++;
        }
    }
}

static void give_outputs(const dual_room *r, const fxi_build *b, fx_node **out) {
    const fxi_dual *d = r->d;
    const size_t ends[2] = {d->states, d->body->output_count};
    size_t next = 0;
    for (size_t g = 0, from = 0; g < 2; from = ends[g++]) {
        for (size_t i = from; i < ends[g]; i++)
            if (d->value_out[i]) *out++ = r->value[d->body->outputs[i]->id];
        for (size_t i = from; i < ends[g]; i++)
            if (d->tangent_out[i])
                *out++ = fxi_grad_or_zeros(b, r->results[next++], &d->body->outputs[i]->shape);
    }
}

static void run_dual(dual_room *r, const fxi_build *b, fx_node *const *in, fx_node **out) {
    take_inputs(r, in);
    if (!fxi_inline(b, r->d->body, NULL, r->value)) return;
    for (size_t i = 0; i < r->d->body->output_count; i++)
        if (r->d->tangent_out[i]) r->outputs[r->n_outputs++] = r->value[r->d->body->outputs[i]->id];
    const fx_nodes outputs = {r->outputs, r->n_outputs}, wrt = {r->wrt, r->n_wrt};
    if (r->n_outputs == 0 || r->n_wrt == 0 || fxi_forward(b->name, outputs, wrt, r->tangent, r->results))
        give_outputs(r, b, out);
}

static void build_dual(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    const fxi_dual *d = user;
    fxi_build b;
    fxi_arena arena = {0};
    (void)n_in, (void)n_out;
    if (!fxi_build_begin_leaf(&b, d->name, graph)) return;
    size_t parameters = d->body->parameters.count, outputs = d->body->output_count;
    dual_room r = {.d = d,
                   .value = fxi_arena_alloc(&arena, d->body->nodes.count, sizeof(fx_node *)),
                   .wrt = fxi_arena_alloc(&arena, parameters, sizeof(fx_node *)),
                   .tangent = fxi_arena_alloc(&arena, parameters, sizeof(fx_node *)),
                   .outputs = fxi_arena_alloc(&arena, outputs, sizeof(fx_node *)),
                   .results = fxi_arena_alloc(&arena, outputs, sizeof(fx_node *))};
    if (r.value && r.wrt && r.tangent && r.outputs && r.results)
        run_dual(&r, &b, in, out);
    else
        fxi_build_refuse(&b, FX_ERROR_MEMORY, "out of memory");
    fxi_arena_free(&arena);
}

static bool list_shapes(const fxi_dual *d, fxi_shapes *shapes) {
    bool ok = true;
    for (size_t g = 0, from = 0; ok && g < d->groups; from = d->ends[g++]) {
        for (size_t i = from; ok && i < d->ends[g]; i++)
            ok = FXI_PUSH(shapes, d->body->parameters.data[i]->shape);
        for (size_t i = from; ok && i < d->ends[g]; i++)
            if (d->tangent[i]) ok = FXI_PUSH(shapes, d->body->parameters.data[i]->shape);
    }
    return ok;
}

fx_graph *fxi_dual_build(const fxi_build *b, const fxi_dual *d) {
    fxi_shapes shapes = {0};
    size_t n_out = 0;
    fx_graph *made = NULL;
    for (size_t i = 0; i < d->body->output_count; i++) n_out += (size_t)d->value_out[i] + d->tangent_out[i];
    if (list_shapes(d, &shapes))
        made = fxi_closure_build(b->graph, b->name, build_dual, (void *)d, shapes.data, shapes.count, n_out);
    else
        fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(shapes.data);
    return made;
}
