/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of scans: one scan whose states, slices and captured values have the batch axis in front, as far as
 * they depend on the batch. The axis of the rounds comes before it, so batched inputs and stacked results
 * change the order of their first two axes outside. Which results have a batch shows in their ranks. */
#include "batch.h"

typedef struct batched_scan {
    const fxi_batch *b;
    const fx_node *n;
    const fx_graph *body;
    size_t states, inputs;
    bool *marks;   /* by id of the body: depends on the batch */
    bool *batched; /* the same per parameter */
} batched_scan;

/* Until no state becomes batched by what a round makes of it. */
static void spread_marks(const batched_scan *s) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t id = 0; id < s->body->nodes.count; id++) {
            const fx_node *n = s->body->nodes.data[id];
            for (uint32_t i = 0; i < n->operand_count; i++) s->marks[id] |= s->marks[n->operands[i]->id];
        }
        for (size_t i = 0; i < s->states; i++) {
            int64_t in = s->body->parameters.data[i]->id, out = s->body->outputs[i]->id;
            if (s->marks[in] || !s->marks[out]) continue;
            s->marks[in] = changed = true;
        }
    }
}

/* A state that is batched stays so in every round. */
static fx_node *output(const fxi_batch_body *w, const fxi_batch *inner, fxi_batched value, size_t i) {
    return i < w->states && w->batched[i] ? fxi_batch_spread(inner, value) : value.node;
}

/* ---- the node ---- */

static fx_node *make_scan(const batched_scan *s, const fxi_batched *x, fx_node **operands) {
    fx_graph *body = fxi_batch_closure(&(fxi_batch_body){s->b, s->body, s->batched, output, s->states});
    if (!body) return s->b->build->stop;
    for (size_t i = 0; i < s->n->operand_count; i++) {
        bool input = i >= s->states && i < s->states + s->inputs;
        operands[i] = s->batched[i] ? fxi_batch_spread(s->b, x[i]) : x[i].node;
        if (input && x[i].batched) operands[i] = fxi_batch_move_axis(s->b->build, operands[i], 0, 1);
    }
    const fxi_attr attr = fxi_attr_graphs(FXI_ATTR_BODIES, &body, 1);
    return fxi_build_like(s->b->build, s->n, operands, &attr, 1, NULL);
}

fx_node *fxi_batch_scan(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    fxi_arena arena = {0};
    batched_scan s = {.b = b, .n = n, .body = fxi_node_bodies(n).v[0]};
    s.states = (size_t)fxi_node_int(n, FXI_ATTR_STATES);
    s.inputs = (size_t)fxi_node_int(n, FXI_ATTR_INPUTS);
    s.marks = fxi_arena_alloc(&arena, s.body->nodes.count, sizeof *s.marks);
    s.batched = fxi_arena_alloc(&arena, n->operand_count, sizeof *s.batched);
    fx_node **operands = fxi_arena_alloc(&arena, n->operand_count, sizeof *operands), *made;
    for (size_t i = 0; s.marks && i < n->operand_count; i++)
        s.marks[s.body->parameters.data[i]->id] = x[i].batched;
    if (s.marks && s.batched && operands) {
        spread_marks(&s);
        for (size_t i = 0; i < n->operand_count; i++) s.batched[i] = s.marks[s.body->parameters.data[i]->id];
        made = make_scan(&s, x, operands);
    } else {
        made = fxi_build_refuse(b->build, FX_ERROR_MEMORY, "out of memory");
    }
    fxi_arena_free(&arena);
    return made;
}

fxi_batched fxi_batch_scan_result(const fxi_batch *b, const fx_node *n, fx_node *made, size_t number) {
    fx_node *x = fxi_node_result(made, number);
    if (!x || x->op == FX_OP_INERT) return (fxi_batched){x, true};
    bool batched = x->shape.rank > fxi_node_result_shape(n, number)->rank;
    bool row = number >= (size_t)fxi_node_int(n, FXI_ATTR_STATES);
    return (fxi_batched){batched && row ? fxi_batch_move_axis(b->build, x, 1, 0) : x, batched};
}
