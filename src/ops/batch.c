/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a closure's nodes (batch.h) and the general rule: most operations work along axes that are
 * named by attributes, so a batch axis in front only raises the axes named and lengthens lists that have a
 * number per axis. */
#include "batch.h"
#include <string.h>

/* ---- parts that rules share ---- */

fxi_attr fxi_batch_axes(const fx_node *n, fxi_attr_id id, bool first, fxi_axes_room *room) {
    fx_dims axes = fxi_node_ints(n, id);
    size_t count = 0;
    if (first) room->v[count++] = 0;
    for (size_t i = 0; i < axes.n && count <= FX_MAX_RANK; i++) room->v[count++] = axes.v[i] + 1;
    return fxi_attr_ints(id, room->v, count);
}

fxi_attr fxi_batch_numbers(const fx_node *n, fxi_attr_id id, int64_t of_batch, fxi_axes_room *room) {
    fx_dims numbers = fxi_node_ints(n, id);
    size_t count = 1;
    room->v[0] = of_batch;
    for (size_t i = 0; i < numbers.n && count <= FX_MAX_RANK; i++) room->v[count++] = numbers.v[i];
    return fxi_attr_ints(id, room->v, count);
}

bool fxi_batch_shape(const fxi_batch *b, const fx_shape *shape, fx_shape *result) {
    if (shape->rank >= FX_MAX_RANK) {
        fxi_build_refuse(b->build, FX_ERROR_SHAPE, "a batch axis would exceed the highest rank, %d",
                         FX_MAX_RANK);
        return false;
    }
    *result = (fx_shape){.dtype = shape->dtype, .rank = shape->rank + 1, .dims = {b->size}};
    for (int i = 0; i < shape->rank; i++) result->dims[i + 1] = shape->dims[i];
    return true;
}

fx_node *fxi_batch_spread(const fxi_batch *b, fxi_batched value) {
    fx_shape shape;
    if (value.batched) return value.node;
    if (!fxi_batch_shape(b, &value.node->shape, &shape)) return b->build->stop;
    int64_t axes[FX_MAX_RANK];
    for (int i = 0; i < value.node->shape.rank; i++) axes[i] = i + 1;
    return fxi_build_broadcast(b->build, value.node, &shape, (fx_dims){axes, (size_t)value.node->shape.rank});
}

fx_node *fxi_batch_move_axis(const fxi_build *build, fx_node *x, int from, int to) {
    int64_t permutation[FX_MAX_RANK];
    int rank = x->shape.rank, next = 0;
    if (from == to || x->op == FX_OP_INERT) return x;
    for (int i = 0; i < rank; i++) {
        if (i == to) {
            permutation[i] = from;
            continue;
        }
        if (next == from) next++;
        permutation[i] = next++;
    }
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_PERMUTATION, permutation, (size_t)rank);
    return fxi_build_node(build, FX_OP_TRANSPOSE, &x, 1, &attr, 1, NULL);
}

/* ---- the general rule ---- */

typedef enum change {
    KEPT,
    RAISED,
    RAISED_LIST,
    RAISED_AFTER_0,
    AFTER_0,
    AFTER_1,
    AFTER_SIZE,
    AFTER_OPEN
} change;

static const unsigned char changes[FXI_ATTR_COUNT] = {
    [FXI_ATTR_AXIS] = RAISED,    [FXI_ATTR_AXES] = RAISED_LIST,      [FXI_ATTR_PERMUTATION] = RAISED_AFTER_0,
    [FXI_ATTR_STARTS] = AFTER_0, [FXI_ATTR_LIMITS] = AFTER_SIZE,     [FXI_ATTR_STRIDES] = AFTER_1,
    [FXI_ATTR_LOW] = AFTER_0,    [FXI_ATTR_HIGH] = AFTER_0,          [FXI_ATTR_INTERIOR] = AFTER_0,
    [FXI_ATTR_WINDOW] = AFTER_1, [FXI_ATTR_BASE_DILATION] = AFTER_1, [FXI_ATTR_WINDOW_DILATION] = AFTER_1,
    [FXI_ATTR_SPLIT_AXIS] = RAISED, [FXI_ATTR_CONCAT_AXIS] = RAISED,
    [FXI_ATTR_SHARDING] = AFTER_OPEN,
};

static fxi_attr change_attr(const fxi_batch *b, const fx_node *n, fxi_attr_id id, fxi_axes_room *room) {
    change how = (change)changes[id];
    if (n->op == FX_OP_BROADCAST_IN_DIM && id == FXI_ATTR_AXES) how = RAISED_AFTER_0;
    switch (how) {
    case RAISED: return fxi_attr_int(id, fxi_node_int(n, id) + 1);
    case RAISED_LIST: return fxi_batch_axes(n, id, false, room);
    case RAISED_AFTER_0: return fxi_batch_axes(n, id, true, room);
    case AFTER_0: return fxi_batch_numbers(n, id, 0, room);
    case AFTER_1: return fxi_batch_numbers(n, id, 1, room);
    case AFTER_SIZE: return fxi_batch_numbers(n, id, b->size, room);
    case AFTER_OPEN: return fxi_batch_numbers(n, id, FXI_SHARDING_OPEN, room);
    default: return *fxi_node_attr(n, id);
    }
}

static fx_node *remake_all(const fxi_batch *b, const fx_node *n, fx_node *const *operands) {
    fxi_attr attrs[FXI_MOST_ATTRS];
    fxi_axes_room rooms[FXI_MOST_ATTRS];
    fx_shape shape;
    size_t count = n->attr_count < FXI_MOST_ATTRS ? n->attr_count : FXI_MOST_ATTRS;
    if (!fxi_batch_shape(b, &n->shape, &shape)) return b->build->stop;
    for (size_t i = 0; i < count; i++) attrs[i] = change_attr(b, n, n->attrs[i].id, &rooms[i]);
    return fxi_build_like(b->build, n, operands, attrs, count, &shape);
}

static fx_node *general(const fxi_batch *b, const fx_node *n, const fxi_batched *operands) {
    fx_node **spread = fxi_alloc_zeroed(n->operand_count, sizeof *spread);
    if (!spread) return fxi_build_refuse(b->build, FX_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n->operand_count; i++) spread[i] = fxi_batch_spread(b, operands[i]);
    fx_node *made = remake_all(b, n, spread);
    fxi_free(spread);
    return made;
}

/* Operations that do the same to every part of an array, or along axes that their attributes name. */
static bool is_general(fx_op op) {
    static const bool others[FX_OP_COUNT] = {
        [FX_OP_CUMULATIVE] = true, [FX_OP_SORT] = true,          [FX_OP_TOP_K] = true,
        [FX_OP_FFT] = true,        [FX_OP_REDUCE_WINDOW] = true, [FX_OP_SELECT_AND_SCATTER] = true,
        [FX_OP_BARRIER] = true,    [FX_OP_CHOLESKY] = true,   [FX_OP_TRIANGULAR_SOLVE] = true};
    fxi_class op_class = fxi_op_info_of(op)->op_class;
    return op_class == FXI_CLASS_MAP || op_class == FXI_CLASS_MOVE || op_class == FXI_CLASS_REDUCE ||
           op_class == FXI_CLASS_COLLECTIVE || others[op];
}

bool fxi_batch_is_whole(const fx_node *n, const bool *batched) {
    if (n->op == FX_OP_RESULT) return true;
    if (!is_general(n->op) && !fxi_batch_rule_of(n->op)) return false;
    if ((n->op == FX_OP_CONVOLUTION || n->op == FX_OP_PAD) && batched[1]) return false;
    bool dynamic = n->op == FX_OP_DYNAMIC_SLICE || n->op == FX_OP_DYNAMIC_UPDATE_SLICE;
    return n->shape.rank < FX_MAX_RANK && !(dynamic && n->shape.rank == 0);
}

/* ---- the walk ---- */

/* A RESULT of a scan, whose first result may have changed the order of its axes. */
static fxi_batched scan_result(const fxi_batch *b, const fx_node *n, fx_node *first) {
    fx_node *scan = first->op == FX_OP_TRANSPOSE ? first->operands[0] : first;
    return fxi_batch_scan_result(b, n->operands[0], scan, (size_t)fxi_node_int(n, FXI_ATTR_RESULT));
}

static fxi_batched batch_node(const fxi_batch *b, const fx_node *n, const fxi_batched *operands,
                              fx_node **plain) {
    bool any = false;
    for (uint32_t i = 0; i < n->operand_count; i++) {
        plain[i] = operands[i].node;
        any |= operands[i].batched;
    }
    if (n->op == FX_OP_RESULT && n->operands[0]->op == FX_OP_SCAN) return scan_result(b, n, plain[0]);
    if (any && n->op == FX_OP_SCAN) return fxi_batch_scan_result(b, n, fxi_batch_scan(b, n, operands), 0);
    if (!any || n->op == FX_OP_RESULT) return (fxi_batched){fxi_inline_node(b->build, n, plain), any};
    fxi_batch_rule rule = is_general(n->op) ? general : fxi_batch_rule_of(n->op);
    return (fxi_batched){(rule ? rule : fxi_batch_in_scan)(b, n, operands), true};
}

bool fxi_batch_inline(fxi_batch *b, const fx_graph *body) {
    return fxi_batch_inline_some(b, body, NULL);
}

bool fxi_batch_inline_some(fxi_batch *b, const fx_graph *body, const bool *wanted) {
    FXI_VEC(fxi_batched) operands = {0};
    FXI_VEC(fx_node *) plain = {0};
    bool ok = true;
    for (size_t i = 0; i < body->nodes.count && ok; i++) {
        const fx_node *n = body->nodes.data[i];
        if (n->op == FX_OP_PARAMETER || (wanted && !wanted[i])) continue;
        ok = FXI_RESERVE(&operands, n->operand_count + 1u) && FXI_RESERVE(&plain, n->operand_count + 1u);
        for (uint32_t k = 0; ok && k < n->operand_count; k++)
            operands.data[k] = b->values[n->operands[k]->id];
        if (ok) b->values[i] = batch_node(b, n, operands.data, plain.data);
        if (!ok) fxi_build_refuse(b->build, FX_ERROR_MEMORY, "out of memory");
        ok = ok && b->values[i].node && b->values[i].node->op != FX_OP_INERT;
        if (ok && !b->values[i].node->file) {
            b->values[i].node->file = n->file;
            b->values[i].node->line = n->line;
        }
    }
    fxi_free(operands.data);
    fxi_free(plain.data);
    return ok;
}
