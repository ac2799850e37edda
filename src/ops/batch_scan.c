/* SPDX-License-Identifier: Apache-2.0 */
/* The rule that fits every operation: a scan over the examples whose body is the operation on one of them.
 * Loops with a condition and branches take this way too, since every example has its own number of rounds
 * and its own branch. */
#include "batch.h"

typedef struct one_example {
    const fxi_batch *b;
    const fx_node *n;
    const fxi_batched *operands;
} one_example;

/* Batched operands are the closure's inputs, in their order; the others are captured. */
static void build_example(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    const one_example *one = user;
    fxi_build build;
    if (!fxi_build_begin_leaf(&build, one->b->build->name, body)) return;
    fxi_batch inner = *one->b;
    inner.build = &build;
    fx_node **operands = fxi_alloc_zeroed(one->n->operand_count, sizeof *operands);
    size_t next = 0;
    if (!operands) {
        fxi_build_refuse(&build, FX_ERROR_MEMORY, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < one->n->operand_count; i++)
        operands[i] = one->operands[i].batched && next < n_in ? in[next++] : one->operands[i].node;
    fx_node *made = fxi_build_like(inner.build, one->n, operands, NULL, 0, &one->n->shape);
    for (size_t i = 0; i < n_out; i++) out[i] = fxi_node_result(made, i);
    fxi_free(operands);
}

fx_node *fxi_batch_in_scan(const fxi_batch *b, const fx_node *n, const fxi_batched *operands) {
    one_example one = {b, n, operands};
    fx_node **inputs = fxi_alloc_zeroed(n->operand_count, sizeof *inputs);
    size_t count = 0;
    if (!inputs) return fxi_build_refuse(b->build, FX_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n->operand_count; i++)
        if (operands[i].batched) inputs[count++] = operands[i].node;
    fx_node *made = fxi_build_scan(b->build->name, (fx_nodes){inputs, count}, b->size, fxi_node_results(n),
                                   build_example, &one);
    fxi_free(inputs);
    return made;
}
