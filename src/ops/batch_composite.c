/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of composites: the closures are inlined for the whole batch into closures of a composite of the
 * same name, so that its derivative stays its own. What has no batch stays without; in the backward
 * closure its adjoint is the sum over the batch. All results have the batch. */
#include "batch.h"

/* The first outputs of a backward closure, as many as `states` says, are adjoints of parameters, which must
 * be as these. */
static fx_node *output(const fxi_batch_body *w, const fxi_batch *inner, fxi_batched value, size_t i) {
    if (i >= w->states || w->batched[i]) return fxi_batch_spread(inner, value);
    const fx_node *parameter = w->body->parameters.data[i];
    if (fx_dtype_is_float(parameter->shape.dtype) || fx_dtype_is_complex(parameter->shape.dtype))
        return fx_reduce_sum(fxi_batch_spread(inner, value), (fx_axes){(const int[]){0}, 1});
    return fx_zeros(inner->build->graph, &parameter->shape);
}

static fx_node *remake(const fxi_batch *b, const fx_node *n, const fxi_batched *x, fx_graph **made,
                       bool *marks, fx_node **operands) {
    fxi_graphs bodies = fxi_node_bodies(n);
    size_t inputs = (size_t)fxi_node_int(n, FXI_ATTR_INPUTS), outputs = bodies.v[0]->output_count;
    size_t first = bodies.v[0]->parameters.count; /* of the operands that the backward closure captured */
    for (uint32_t i = 0; i < n->operand_count; i++) {
        operands[i] = x[i].node;
        marks[i] = x[i].batched;
    }
    made[0] = fxi_batch_closure(&(fxi_batch_body){b, bodies.v[0], marks, output, 0});
    if (!made[0]) return b->build->stop;
    for (size_t i = 0; i < 2 * outputs; i++) marks[inputs + i] = true;
    for (size_t i = first; i < n->operand_count; i++) marks[inputs + 2 * outputs + i - first] = x[i].batched;
    if (bodies.n == 2) made[1] = fxi_batch_closure(&(fxi_batch_body){b, bodies.v[1], marks, output, inputs});
    if (bodies.n == 2 && !made[1]) return b->build->stop;
    const fxi_attr attr = fxi_attr_graphs(FXI_ATTR_BODIES, made, bodies.n);
    return fxi_build_like(b->build, n, operands, &attr, 1, NULL);
}

fx_node *fxi_batch_composite(const fxi_batch *b, const fx_node *n, const fxi_batched *operands) {
    fx_graph *made[2] = {NULL, NULL};
    fxi_arena arena = {0};
    size_t count = n->operand_count + 2 * fxi_node_results(n);
    bool *marks = fxi_arena_alloc(&arena, count, sizeof *marks);
    fx_node **list = fxi_arena_alloc(&arena, count, sizeof *list);
    fx_node *result = marks && list ? remake(b, n, operands, made, marks, list)
                                    : fxi_build_refuse(b->build, FX_ERROR_MEMORY, "out of memory");
    fxi_arena_free(&arena);
    return result;
}
