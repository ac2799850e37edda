/* SPDX-License-Identifier: Apache-2.0 */
/* Which loops are compiled whole: operations that have a form in registers, small tensors, and not so much
 * work in a round that registers would spill for long or compilation would take longer than steps do. */
#include "tiny.h"

static bool is_small(const fx_shape *shape) {
    int64_t size = fx_shape_size(shape);
    return size >= 1 && size <= FXI_TINY_ELEMENTS;
}

/* Machine registers that a tensor takes, of 64 bytes. */
static int64_t registers(const fx_shape *shape) {
    return ((int64_t)fxi_tiny_lanes(shape) * fx_dtype_bits(shape->dtype) + 511) / 512;
}

static bool is_plain_number(fx_dtype dtype) {
    return dtype == FX_F32 || dtype == FX_F64 || fx_dtype_is_integer(dtype);
}

/* Vector instructions, -1: it has no form in registers. */
static int64_t cost_of(const fx_node *n) {
    static const int64_t weights[] = {[FXI_WORK_NONE] = 1,
                                      [FXI_WORK_EXACT] = 1,
                                      [FXI_WORK_PLAIN] = 1,
                                      [FXI_WORK_DIVIDE] = 4,
                                      [FXI_WORK_FUNCTION] = 50};
    if (fxi_op_is_map(n->op)) return weights[fxi_op_info_of(n->op)->work] * registers(&n->shape);
    switch (n->op) {
    case FX_OP_PARAMETER:
    case FX_OP_CONSTANT:
    case FX_OP_IOTA:
    case FX_OP_RESHAPE: return 0;
    case FX_OP_BROADCAST_IN_DIM:
    case FX_OP_TRANSPOSE:
    case FX_OP_SLICE:
    case FX_OP_REVERSE: return 3 * registers(&n->shape);
    case FX_OP_CONCATENATE: return 5 * registers(&n->shape) * n->operand_count;
    case FX_OP_REDUCE: return 4 * registers(&n->shape) * fxi_tiny_reduced(n);
    case FX_OP_DOT_GENERAL:
        if (!is_plain_number(n->shape.dtype) || n->shape.dtype != n->operands[0]->shape.dtype) return -1;
        return 7 * registers(&n->shape) * fxi_tiny_contracted(n);
    default: return -1;
    }
}

static bool fits_graph(const fx_graph *g, int64_t *nodes, int64_t *cost) {
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *n = g->nodes.data[i];
        if (!is_small(&n->shape) || n->labels || ++*nodes > FXI_TINY_NODES) return false;
        for (uint32_t k = 0; k < n->operand_count; k++)
            if (!is_small(&n->operands[k]->shape)) return false;
        int64_t more = cost_of(n);
        if (more < 0 || (*cost += more) > FXI_TINY_COST) return false;
    }
    return true;
}

bool fxi_tiny_fits(const fx_node *loop) {
    fxi_graphs bodies = fxi_node_bodies(loop);
    int64_t nodes = 0, cost = 0;
    if (loop->op != FX_OP_WHILE && loop->op != FX_OP_SCAN) return false;
    for (size_t i = 0; i < bodies.n; i++)
        if (!fits_graph(bodies.v[i], &nodes, &cost)) return false;
    return true;
}
