/* SPDX-License-Identifier: Apache-2.0 */
/* Composition of affine index maps (index_map.h). Each MOVE operation rewrites the rows of its result into
 * rows of its operand. A reshape is decomposed into the smallest groups of axes with equal products;
 * within a group the result rows are merged into one mixed-radix number whose digits are loops, and the
 * operand's axes are read off the digits from the innermost outwards, splitting a loop where an axis ends
 * inside a digit. */
#include "index_map.h"
#include <string.h>

void fxi_nest_free(fxi_nest *nest) {
    for (size_t i = 0; i < nest->maps.count; i++) fxi_free(nest->maps.data[i]);
    fxi_free(nest->maps.data);
    memset(&nest->maps, 0, sizeof nest->maps);
}

int fxi_nest_add_map(fxi_nest *nest, const fxi_index_map *map) {
    for (size_t i = 0; i < nest->maps.count; i++)
        if (memcmp(nest->maps.data[i], map, sizeof *map) == 0) return (int)i;
    fxi_index_map *copy = fxi_alloc(sizeof *copy);
    if (!copy) return -1;
    *copy = *map;
    if (!FXI_PUSH(&nest->maps, copy)) {
        fxi_free(copy);
        return -1;
    }
    return (int)nest->maps.count - 1;
}

int fxi_nest_add_loop(fxi_nest *nest, int64_t extent, bool reduce) {
    fxi_loops *l = &nest->loops;
    if (l->count == FXI_LOOPS) return -1;
    l->extent[l->count] = extent;
    l->reduce[l->count] = reduce;
    l->group[l->count] = 0;
    return l->count++;
}

bool fxi_nest_identity(fxi_nest *nest, const fx_shape *shape, bool reduce, fxi_index_map *map) {
    memset(map, 0, sizeof *map);
    map->rank = shape->rank;
    for (int axis = 0; axis < shape->rank; axis++) {
        if (shape->dims[axis] == 1) continue;
        int loop = fxi_nest_add_loop(nest, shape->dims[axis], reduce);
        if (loop < 0) return false;
        map->coef[axis][loop] = 1;
    }
    return true;
}

/* Makes room for one loop after `loop` in every row. */
static void shift_rows(fxi_index_map *map, int loop, int64_t inner) {
    for (int row = 0; row < map->rank; row++) {
        int64_t *c = map->coef[row];
        memmove(c + loop + 2, c + loop + 1, (size_t)(FXI_LOOPS - loop - 2) * sizeof *c);
        c[loop + 1] = c[loop];
        c[loop] *= inner;
    }
}

/* Loop of extent E becomes two, E / inner outside and inner inside. */
static bool split_loop(fxi_nest *nest, int loop, int64_t inner, fxi_index_map *other) {
    fxi_loops *l = &nest->loops;
    if (l->count == FXI_LOOPS) return false;
    for (int k = l->count; k > loop + 1; k--) {
        l->extent[k] = l->extent[k - 1];
        l->reduce[k] = l->reduce[k - 1];
        l->group[k] = l->group[k - 1];
    }
    l->count++;
    l->extent[loop + 1] = inner;
    l->reduce[loop + 1] = l->reduce[loop];
    l->group[loop + 1] = l->group[loop];
    l->extent[loop] /= inner;
    for (size_t i = 0; i < nest->maps.count; i++) shift_rows(nest->maps.data[i], loop, inner);
    shift_rows(other, loop, inner);
    return true;
}

typedef struct digits {
    int count;
    int loop[FXI_LOOPS]; /* innermost (coefficient 1) last */
} digits;

/* Reads a row as a mixed-radix number over loops that covers 0 .. total-1 exactly. */
static bool row_digits(const fxi_loops *loops, const int64_t *coef, int64_t total, digits *d) {
    d->count = 0;
    bool used[FXI_LOOPS] = {false};
    int found[FXI_LOOPS];
    int64_t expected = 1;
    while (expected < total) {
        int loop = -1;
        for (int k = 0; k < loops->count && loop < 0; k++)
            if (!used[k] && coef[k] == expected && loops->extent[k] > 1) loop = k;
        if (loop < 0) return false;
        used[loop] = true;
        found[d->count++] = loop;
        if (__builtin_mul_overflow(expected, loops->extent[loop], &expected)) return false;
    }
    if (expected != total) return false;
    for (int k = 0; k < loops->count; k++)
        if (coef[k] != 0 && !used[k] && loops->extent[k] != 1) return false;
    for (int i = 0; i < d->count; i++) d->loop[i] = found[d->count - 1 - i];
    return true;
}

/* Fills the operand's row for one axis of size `need` from the innermost digits left. */
static bool take_axis(fxi_nest *nest, digits *d, int64_t need, int axis, fxi_index_map *operand) {
    int64_t factor = 1;
    while (need > 1) {
        if (d->count == 0) return false;
        int loop = d->loop[d->count - 1];
        int64_t extent = nest->loops.extent[loop];
        if (extent > need) {
            if (extent % need || !split_loop(nest, loop, need, operand)) return false;
            for (int i = 0; i < d->count - 1; i++) d->loop[i] += d->loop[i] > loop;
            operand->coef[axis][loop + 1] += factor;
            return true; /* the outer part stays as the last digit */
        }
        if (need % extent) return false;
        operand->coef[axis][loop] += factor;
        factor *= extent;
        need /= extent;
        d->count--;
    }
    return true;
}

typedef struct group {
    int result_first, result_last, operand_first, operand_last; /* half-open ranges of axes */
} group;

/* The result rows of a group as one number; false when it has an offset or overflows. */
static bool merge_rows(const fx_shape *shape, const fxi_index_map *result, const group *g, int64_t *coef,
                       int64_t *offset) {
    int64_t factor = 1;
    memset(coef, 0, sizeof(int64_t) * FXI_LOOPS);
    *offset = 0;
    for (int axis = g->result_last - 1; axis >= g->result_first; axis--) {
        for (int k = 0; k < FXI_LOOPS; k++) coef[k] += result->coef[axis][k] * factor;
        *offset += result->offset[axis] * factor;
        factor *= shape->dims[axis];
    }
    return true;
}

static bool reshape_group(fxi_nest *nest, const fx_node *node, int result, const group *g,
                          fxi_index_map *operand) {
    const fx_shape *to = &node->shape, *from = &node->operands[0]->shape;
    int64_t coef[FXI_LOOPS], offset, total = 1;
    merge_rows(to, nest->maps.data[result], g, coef, &offset);
    int axes = 0, only = -1;
    for (int axis = g->operand_first; axis < g->operand_last; axis++) {
        total *= from->dims[axis];
        if (from->dims[axis] != 1) {
            axes++;
            only = axis;
        }
    }
    if (axes == 0) return true;
    if (axes == 1) {
        memcpy(operand->coef[only], coef, sizeof coef);
        operand->offset[only] = offset;
        return true;
    }
    digits d;
    if (offset != 0 || !row_digits(&nest->loops, coef, total, &d)) return false;
    for (int axis = g->operand_last - 1; axis >= g->operand_first; axis--)
        if (!take_axis(nest, &d, from->dims[axis], axis, operand)) return false;
    return true;
}

static fxi_map_outcome map_reshape(fxi_nest *nest, const fx_node *node, int result, fxi_index_map *operand) {
    const fx_shape *to = &node->shape, *from = &node->operands[0]->shape;
    if (fx_shape_size(to) == 0) return FXI_MAP_ROWS; /* nothing is visited */
    group g = {0};
    while (g.operand_last < from->rank || g.result_last < to->rank) {
        int64_t a = 1, b = 1;
        g.operand_first = g.operand_last;
        g.result_first = g.result_last;
        do {
            if (a <= b && g.operand_last < from->rank)
                a *= from->dims[g.operand_last++];
            else if (g.result_last < to->rank)
                b *= to->dims[g.result_last++];
            else
                a *= from->dims[g.operand_last++];
        } while (a != b);
        if (!reshape_group(nest, node, result, &g, operand)) {
            fxi_map_linearize(nest->maps.data[result], to, operand);
            return FXI_MAP_LINEAR;
        }
    }
    return FXI_MAP_ROWS;
}

static void copy_row(fxi_index_map *to, int to_row, const fxi_index_map *from, int from_row) {
    memcpy(to->coef[to_row], from->coef[from_row], sizeof to->coef[0]);
    to->offset[to_row] = from->offset[from_row];
}

static void map_broadcast(const fx_node *node, const fxi_index_map *result, fxi_index_map *operand) {
    fx_dims axes = fxi_node_ints(node, FXI_ATTR_AXES);
    const fx_shape *from = &node->operands[0]->shape;
    for (int axis = 0; axis < from->rank; axis++)
        if (from->dims[axis] != 1) copy_row(operand, axis, result, (int)axes.v[axis]);
}

static void map_transpose(const fx_node *node, const fxi_index_map *result, fxi_index_map *operand) {
    fx_dims permutation = fxi_node_ints(node, FXI_ATTR_PERMUTATION);
    for (size_t axis = 0; axis < permutation.n; axis++)
        copy_row(operand, (int)permutation.v[axis], result, (int)axis);
}

static void map_slice(const fx_node *node, const fxi_index_map *result, fxi_index_map *operand) {
    fx_dims starts = fxi_node_ints(node, FXI_ATTR_STARTS), strides = fxi_node_ints(node, FXI_ATTR_STRIDES);
    for (int axis = 0; axis < operand->rank; axis++) {
        for (int k = 0; k < FXI_LOOPS; k++) operand->coef[axis][k] = result->coef[axis][k] * strides.v[axis];
        operand->offset[axis] = result->offset[axis] * strides.v[axis] + starts.v[axis];
    }
}

static void map_reverse(const fx_node *node, const fxi_index_map *result, fxi_index_map *operand) {
    fx_dims axes = fxi_node_ints(node, FXI_ATTR_AXES);
    for (int axis = 0; axis < operand->rank; axis++) copy_row(operand, axis, result, axis);
    for (size_t i = 0; i < axes.n; i++) {
        int axis = (int)axes.v[i];
        for (int k = 0; k < FXI_LOOPS; k++) operand->coef[axis][k] = -operand->coef[axis][k];
        operand->offset[axis] = node->shape.dims[axis] - 1 - operand->offset[axis];
    }
}

fxi_map_outcome fxi_map_operand(fxi_nest *nest, const fx_node *node, int result, fxi_index_map *operand) {
    const fxi_index_map *from = nest->maps.data[result];
    memset(operand, 0, sizeof *operand);
    if (fxi_op_info_of(node->op)->op_class == FXI_CLASS_COLLECTIVE) { /* of the only device */
        *operand = *from;
        return from->linear ? FXI_MAP_LINEAR : FXI_MAP_ROWS;
    }
    if (from->linear) { /* only a reshape keeps the order of elements */
        *operand = *from;
        return node->op == FX_OP_RESHAPE ? FXI_MAP_LINEAR : FXI_MAP_FAILED;
    }
    operand->rank = node->operands[0]->shape.rank;
    switch (node->op) {
    case FX_OP_BROADCAST_IN_DIM: map_broadcast(node, from, operand); return FXI_MAP_ROWS;
    case FX_OP_TRANSPOSE: map_transpose(node, from, operand); return FXI_MAP_ROWS;
    case FX_OP_SLICE: map_slice(node, from, operand); return FXI_MAP_ROWS;
    case FX_OP_REVERSE: map_reverse(node, from, operand); return FXI_MAP_ROWS;
    case FX_OP_RESHAPE: return map_reshape(nest, node, result, operand);
    default: return FXI_MAP_FAILED;
    }
}

void fxi_map_linearize(const fxi_index_map *map, const fx_shape *shape, fxi_index_map *linear) {
    if (map->linear) {
        *linear = *map;
        return;
    }
    int64_t strides[FX_MAX_RANK];
    fxi_shape_strides(shape, strides);
    fxi_index_map out;
    memset(&out, 0, sizeof out);
    out.rank = 1;
    out.linear = true;
    for (int axis = 0; axis < map->rank; axis++) {
        out.offset[0] += map->offset[axis] * strides[axis];
        for (int k = 0; k < FXI_LOOPS; k++) out.coef[0][k] += map->coef[axis][k] * strides[axis];
    }
    *linear = out;
}

bool fxi_map_is_dense(const fxi_loops *loops, const fxi_index_map *linear) {
    int64_t expected = 1;
    if (linear->offset[0] != 0) return false;
    for (int k = loops->count - 1; k >= 0; k--) {
        if (loops->reduce[k]) {
            if (linear->coef[0][k] != 0) return false;
            continue;
        }
        if (loops->extent[k] == 1) continue;
        if (linear->coef[0][k] != expected) return false;
        expected *= loops->extent[k];
    }
    return true;
}
