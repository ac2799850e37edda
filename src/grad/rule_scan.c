/* SPDX-License-Identifier: Apache-2.0 */
/* Scans, and loops of a known number of rounds, which are scans. Forward: a scan of states and tangents
 * together. Reverse: scan_reverse.c. */
#include "scan_rule.h"

typedef struct lists {
    bool *tangent, *value_out, *tangent_out;
} lists;

static size_t count(const bool *marks, size_t from, size_t to) {
    size_t n = 0;
    for (size_t i = from; i < to; i++) n += marks[i];
    return n;
}

/* The results: states, their tangents, stacked tangents. */
static void deliver(const fxi_jvp *j, const lists *l, fx_node *made, size_t states) {
    size_t next = states;
    for (size_t i = 0; i < fxi_node_results(j->n); i++)
        if (l->tangent_out[i]) j->out[i] = fxi_node_result(made, next++);
}

static void run(const fxi_jvp *j, const lists *l, size_t states, size_t inputs) {
    fx_graph *body = fxi_node_bodies(j->n).v[0];
    const size_t ends[3] = {states, states + inputs, j->n->operand_count};
    const fxi_dual dual = {j->b->name, body, ends, 3, states, l->tangent, l->value_out, l->tangent_out};
    fx_graph *made = fxi_dual_build(j->b, &dual);
    fxi_nodes operands = {0};
    if (made && fxi_dual_operands(j->b, &dual, j->n->operands, j->tangents, &operands)) {
        const fxi_attr attrs[] = {
            fxi_attr_graphs(FXI_ATTR_BODIES, &made, 1),
            fxi_attr_int(FXI_ATTR_STATES, (int64_t)(states + count(l->tangent, 0, states))),
            fxi_attr_int(FXI_ATTR_INPUTS, (int64_t)(inputs + count(l->tangent, states, states + inputs))),
            *fxi_node_attr(j->n, FXI_ATTR_LENGTH), *fxi_node_attr(j->n, FXI_ATTR_BACKWARDS)};
        deliver(j, l, fxi_build_node(j->b, FX_OP_SCAN, operands.data, operands.count, attrs, 5, NULL),
                states);
    } else if (made) {
        fxi_build_refuse(j->b, FX_ERROR_MEMORY, "out of memory");
    }
    fxi_free(operands.data);
}

static void jvp_scan(const fxi_jvp *j) {
    fxi_arena arena = {0};
    fx_graph *body = fxi_node_bodies(j->n).v[0];
    size_t states = (size_t)fxi_node_int(j->n, FXI_ATTR_STATES), outputs = body->output_count;
    const lists l = {fxi_arena_alloc(&arena, j->n->operand_count, sizeof(bool)),
                     fxi_arena_alloc(&arena, outputs, sizeof(bool)),
                     fxi_arena_alloc(&arena, outputs, sizeof(bool))};
    bool ok = l.tangent && l.value_out && l.tangent_out;
    for (size_t i = 0; ok && i < j->n->operand_count; i++) l.tangent[i] = j->tangents[i] != NULL;
    for (size_t i = 0; ok && i < states; i++) l.value_out[i] = true;
    ok = ok && fxi_dual_spread(body, states, l.tangent, l.tangent_out);
    if (!ok)
        fxi_build_refuse(j->b, FX_ERROR_MEMORY, "out of memory");
    else if (count(l.tangent_out, 0, outputs) > 0) /* else there may be nothing to scan */
        run(j, &l, states, (size_t)fxi_node_int(j->n, FXI_ATTR_INPUTS));
    fxi_arena_free(&arena);
}

const fxi_grad_rule fxi_gradrule_scan = {.vjp = fxi_scan_vjp, .jvp = jvp_scan};
