/* SPDX-License-Identifier: Apache-2.0 */
/* Index arithmetic at compile time: tensors here are so small that the operand's element of every result
 * element is simply computed, one by one, and becomes a lane of a shuffle's mask. */
#include "tiny.h"
#include <string.h>

fxi_tiny_index fxi_tiny_unflatten(const fx_shape *shape, int64_t flat) {
    fxi_tiny_index index;
    memset(&index, 0, sizeof index);
    for (int axis = shape->rank - 1; axis >= 0; axis--) {
        index.v[axis] = flat % shape->dims[axis];
        flat /= shape->dims[axis];
    }
    return index;
}

int64_t fxi_tiny_flatten(const fx_shape *shape, const fxi_tiny_index *index) {
    int64_t flat = 0;
    for (int axis = 0; axis < shape->rank; axis++) flat = flat * shape->dims[axis] + index->v[axis];
    return flat;
}

static void move_index(const fx_node *node, const fxi_tiny_index *to, fxi_tiny_index *from) {
    const fx_shape *x = &node->operands[0]->shape;
    for (int axis = 0; axis < x->rank; axis++) {
        switch (node->op) {
        case FX_OP_BROADCAST_IN_DIM:
            from->v[axis] = x->dims[axis] == 1 ? 0 : to->v[fxi_node_ints(node, FXI_ATTR_AXES).v[axis]];
            break;
        case FX_OP_SLICE:
            from->v[axis] = fxi_node_ints(node, FXI_ATTR_STARTS).v[axis] +
                            to->v[axis] * fxi_node_ints(node, FXI_ATTR_STRIDES).v[axis];
            break;
        case FX_OP_REVERSE: {
            bool reversed = fxi_dims_has(fxi_node_ints(node, FXI_ATTR_AXES), axis);
            from->v[axis] = reversed ? x->dims[axis] - 1 - to->v[axis] : to->v[axis];
            break;
        }
        default: /* TRANSPOSE: result axis i is operand axis permutation[i] */
            from->v[fxi_node_ints(node, FXI_ATTR_PERMUTATION).v[axis]] = to->v[axis];
        }
    }
}

int64_t fxi_tiny_moved_from(const fx_node *node, int64_t flat) {
    if (node->op == FX_OP_RESHAPE) return flat;
    fxi_tiny_index to = fxi_tiny_unflatten(&node->shape, flat), from;
    memset(&from, 0, sizeof from);
    move_index(node, &to, &from);
    return fxi_tiny_flatten(&node->operands[0]->shape, &from);
}

/* ---- reductions ---- */

int64_t fxi_tiny_reduced(const fx_node *node) {
    return fx_shape_size(&node->operands[0]->shape) / fx_shape_size(&node->shape);
}

int64_t fxi_tiny_reduced_from(const fx_node *node, int64_t flat, int64_t step) {
    const fx_shape *x = &node->operands[0]->shape;
    fx_dims axes = fxi_node_ints(node, FXI_ATTR_AXES);
    fxi_tiny_index to = fxi_tiny_unflatten(&node->shape, flat), from;
    memset(&from, 0, sizeof from);
    for (int axis = x->rank - 1, kept = node->shape.rank - 1; axis >= 0; axis--) {
        if (!fxi_dims_has(axes, axis)) {
            from.v[axis] = to.v[kept--];
            continue;
        }
        from.v[axis] = step % x->dims[axis];
        step /= x->dims[axis];
    }
    return fxi_tiny_flatten(x, &from);
}

/* ---- products ---- */

int64_t fxi_tiny_contracted(const fx_node *node) {
    fx_dims contract = fxi_node_ints(node, FXI_ATTR_LHS_CONTRACT);
    int64_t steps = 1;
    for (size_t i = 0; i < contract.n; i++) steps *= node->operands[0]->shape.dims[contract.v[i]];
    return steps;
}

/* One side: batch axes are the result's first, the free ones lie from `place` on. */
static int64_t side(const fx_node *node, int which, const fxi_tiny_index *to, int place, int64_t step) {
    const fx_shape *x = &node->operands[which]->shape;
    fx_dims batch = fxi_node_ints(node, which ? FXI_ATTR_RHS_BATCH : FXI_ATTR_LHS_BATCH);
    fx_dims contract = fxi_node_ints(node, which ? FXI_ATTR_RHS_CONTRACT : FXI_ATTR_LHS_CONTRACT);
    fxi_tiny_index from;
    memset(&from, 0, sizeof from);
    for (size_t i = 0; i < batch.n; i++) from.v[batch.v[i]] = to->v[i];
    for (size_t i = contract.n; i-- > 0;) {
        from.v[contract.v[i]] = step % x->dims[contract.v[i]];
        step /= x->dims[contract.v[i]];
    }
    for (int axis = 0; axis < x->rank; axis++)
        if (!fxi_dims_has(batch, axis) && !fxi_dims_has(contract, axis)) from.v[axis] = to->v[place++];
    return fxi_tiny_flatten(x, &from);
}

void fxi_tiny_multiplied(const fx_node *node, int64_t flat, int64_t step, int64_t *lhs, int64_t *rhs) {
    fxi_tiny_index to = fxi_tiny_unflatten(&node->shape, flat);
    int batch = (int)fxi_node_ints(node, FXI_ATTR_LHS_BATCH).n;
    int contract = (int)fxi_node_ints(node, FXI_ATTR_LHS_CONTRACT).n;
    int free_lhs = node->operands[0]->shape.rank - batch - contract;
    *lhs = side(node, 0, &to, batch, step);
    *rhs = side(node, 1, &to, batch + free_lhs, step);
}
