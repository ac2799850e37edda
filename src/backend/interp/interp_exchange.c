/* SPDX-License-Identifier: Apache-2.0 */
/* What a collective gives to one replica, from the operands of all: the definitions of StableHLO, element by
 * element. Compiling has checked that the groups are of the replicas that there are. */
#include "interp_internal.h"
#include "ops/ops.h"
#include <string.h>

/* The group of a replica, in its order. */
typedef struct group {
    const int64_t *members; /* NULL: all, in order */
    size_t count, place;    /* place: of the replica in it; count: it is in none */
} group;

static group group_of(const fx_node *node, size_t replicas, size_t number) {
    const fx_dims list = fxi_node_ints(node, FXI_ATTR_GROUPS);
    if (list.n == 0) return (group){NULL, replicas, number};
    const size_t size = (size_t)fxi_node_int(node, FXI_ATTR_GROUP_SIZE);
    for (size_t i = 0; i < list.n; i++) {
        if (list.v[i] != (int64_t)number) continue;
        group g = {list.v + i / size * size, 0, i % size};
        while (g.count < size && g.members[g.count] >= 0) g.count++;
        return g;
    }
    return (group){NULL, 0, 0};
}

static size_t member(const group *g, size_t place) {
    return g->members ? (size_t)g->members[place] : place;
}

/* An array as [outer][dim][inner] around an axis. */
typedef struct split {
    int64_t outer, dim, inner;
} split;

static split split_at(const fx_shape *shape, int64_t axis) {
    split s = {1, shape->dims[axis], 1};
    for (int i = 0; i < shape->rank; i++)
        if (i < axis)
            s.outer *= shape->dims[i];
        else if (i > axis)
            s.inner *= shape->dims[i];
    return s;
}

/* The combination of all members' elements `from`, put at `to`. */
static void combine(const group *g, fxi_reduce_kind kind, fx_tensor *const *operands, int64_t from,
                    fx_tensor *result, int64_t to) {
    const fx_dtype dtype = result->shape.dtype;
    fxi_scalar value = fxi_reduce_neutral(kind, dtype);
    for (size_t m = 0; m < g->count; m++)
        value = fxi_reduce_combine(kind, dtype, value,
                                   fxi_element_load(dtype, operands[member(g, m)]->data, from));
    fxi_element_store(dtype, result->data, to, value);
}

static void all_reduce(const fx_node *node, const group *g, fx_tensor *const *operands, fx_tensor *result) {
    const fxi_reduce_kind kind = (fxi_reduce_kind)fxi_node_int(node, FXI_ATTR_KIND);
    for (int64_t i = 0; i < fx_shape_size(&result->shape); i++) combine(g, kind, operands, i, result, i);
}

static void reduce_scatter(const fx_node *node, const group *g, fx_tensor *const *operands,
                           fx_tensor *result) {
    const fxi_reduce_kind kind = (fxi_reduce_kind)fxi_node_int(node, FXI_ATTR_KIND);
    const split s = split_at(&result->shape, fxi_node_int(node, FXI_ATTR_AXIS));
    const int64_t run = s.dim * s.inner, whole = run * (int64_t)g->count, first = run * (int64_t)g->place;
    for (int64_t o = 0; o < s.outer; o++)
        for (int64_t i = 0; i < run; i++)
            combine(g, kind, operands, o * whole + first + i, result, o * run + i);
}

static void copy_element(const fx_tensor *from, int64_t i, fx_tensor *to, int64_t k) {
    const fx_dtype dtype = to->shape.dtype;
    if (fxi_dtype_is_packed(dtype)) {
        fxi_element_store(dtype, to->data, k, fxi_element_load(dtype, from->data, i));
        return;
    }
    const size_t bytes = (size_t)fx_dtype_bits(dtype) / 8;
    memcpy((char *)to->data + (size_t)k * bytes, (const char *)from->data + (size_t)i * bytes, bytes);
}

static void all_gather(const fx_node *node, const group *g, fx_tensor *const *operands, fx_tensor *result) {
    const split s = split_at(&node->operands[0]->shape, fxi_node_int(node, FXI_ATTR_AXIS));
    const int64_t run = s.dim * s.inner;
    int64_t k = 0;
    for (int64_t o = 0; o < s.outer; o++)
        for (size_t m = 0; m < g->count; m++)
            for (int64_t i = 0; i < run; i++) copy_element(operands[member(g, m)], o * run + i, result, k++);
}

/* Each element of the result: which sender, from the place along the axis of concatenation; where there, from
 * this device's place along the axis of the cut. */
static void all_to_all(const fx_node *node, const group *g, fx_tensor *const *operands, fx_tensor *result) {
    const fx_shape *from = &node->operands[0]->shape, *to = &result->shape;
    const int64_t cut = fxi_node_int(node, FXI_ATTR_SPLIT_AXIS),
                  joined = fxi_node_int(node, FXI_ATTR_CONCAT_AXIS);
    const int64_t part = from->dims[cut] / (int64_t)g->count;
    const int64_t span = cut == joined ? part : from->dims[joined];
    int64_t strides[FX_MAX_RANK], index[FX_MAX_RANK] = {0};
    fxi_shape_strides(from, strides);
    for (int64_t k = 0; k < fx_shape_size(to); k++) {
        const size_t sender = (size_t)(index[joined] / span);
        int64_t offset = part * (int64_t)g->place * strides[cut];
        for (int i = 0; i < to->rank; i++) offset += (i == joined ? index[i] % span : index[i]) * strides[i];
        copy_element(operands[member(g, sender)], offset, result, k);
        for (int i = to->rank - 1; i >= 0 && ++index[i] == to->dims[i]; i--) index[i] = 0;
    }
}

static void take(const fx_tensor *from, fx_tensor *result) {
    if (result->bytes == 0) return;
    if (from)
        memcpy(result->data, from->data, (size_t)result->bytes);
    else
        memset(result->data, 0, (size_t)result->bytes);
}

static void permute(const fx_node *node, size_t number, fx_tensor *const *operands, fx_tensor *result) {
    const fx_dims pairs = fxi_node_ints(node, FXI_ATTR_PAIRS);
    const fx_tensor *from = NULL;
    for (size_t i = 0; i + 1 < pairs.n; i += 2)
        if (pairs.v[i + 1] == (int64_t)number) from = operands[pairs.v[i]];
    take(from, result);
}

void fxi_interp_exchange_values(const fx_node *node, size_t replicas, size_t number,
                                fx_tensor *const *operands, fx_tensor *result) {
    if (node->op == FX_OP_COLLECTIVE_PERMUTE) {
        permute(node, number, operands, result);
        return;
    }
    const group g = group_of(node, replicas, number);
    switch (node->op) {
    case FX_OP_ALL_REDUCE: all_reduce(node, &g, operands, result); break;
    case FX_OP_REDUCE_SCATTER: reduce_scatter(node, &g, operands, result); break;
    case FX_OP_ALL_GATHER: all_gather(node, &g, operands, result); break;
    case FX_OP_ALL_TO_ALL: all_to_all(node, &g, operands, result); break;
    default: take(g.count ? operands[member(&g, 0)] : NULL, result); break;
    }
}
