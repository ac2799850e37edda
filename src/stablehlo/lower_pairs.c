/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts whose comparator is more than arithmetic of scalars: XLA has no code for loops, reductions or calls
 * in one, and some of its versions end the process. The comparator is asked about all pairs of a line at
 * once, as a batch; an element's place is the number of those that go before it, or are equal and stand
 * before it. */
#include "lower_family.h"
#include "ops/batch.h"
#include <fluxion/indexing.h>

/* [lines, n] of an operand, and back. */
static fx_node *to_lines(const fxi_build *b, fx_node *x, int axis) {
    x = fxi_batch_move_axis(b, x, axis, x->shape.rank - 1);
    int64_t n = x->shape.dims[x->shape.rank - 1];
    return fx_reshape(x, (fx_dims){(const int64_t[]){fx_shape_size(&x->shape) / n, n}, 2});
}

static fx_node *from_lines(const fxi_build *b, fx_node *x, const fx_shape *shape, int axis) {
    fx_shape moved = *shape;
    for (int i = axis; i + 1 < shape->rank; i++) moved.dims[i] = shape->dims[i + 1];
    moved.dims[shape->rank - 1] = shape->dims[axis];
    return fxi_batch_move_axis(b, fx_reshape_with_shape(x, &moved), shape->rank - 1, axis);
}

/* Element i, or j, of each pair of a line, all in one row. */
static fx_node *of_pairs(fx_node *x, bool second) {
    int64_t lines = x->shape.dims[0], n = x->shape.dims[1];
    const int64_t dims[] = {lines, second ? 1 : n, second ? n : 1}, all[] = {lines, n, n};
    fx_node *wide = fx_broadcast_to_dims(fx_reshape(x, (fx_dims){dims, 3}), (fx_dims){all, 3});
    return fx_reshape(wide, (fx_dims){(const int64_t[]){lines * n * n}, 1});
}

/* Whether i goes before j: [lines, n, n]; NULL after a failure. */
static fx_node *ask(const fxi_build *b, const fx_node *node, fx_node *const *lines, size_t sorted,
                    fx_node *const *captured) {
    const fx_graph *body = fxi_node_bodies(node).v[0];
    int64_t count = lines[0]->shape.dims[0], n = lines[0]->shape.dims[1];
    fxi_batched *values = fxi_alloc_zeroed(body->nodes.count, sizeof *values);
    if (!values) return fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    fxi_batch batch = {b, count * n * n, values};
    for (size_t i = 0; i < body->parameters.count; i++) {
        fxi_batched *value = &values[body->parameters.data[i]->id];
        value->batched = i < 2 * sorted;
        value->node = value->batched ? of_pairs(lines[i / 2], i % 2) : captured[i - 2 * sorted];
    }
    fx_node *before = b->stop;
    if (fxi_batch_inline(&batch, body)) before = fxi_batch_spread(&batch, values[body->outputs[0]->id]);
    fxi_free(values);
    return fx_reshape(before, (fx_dims){(const int64_t[]){count, n, n}, 3});
}

static fx_node *places_of(fx_node *before) {
    fx_shape shape = before->shape;
    shape.dtype = FX_S64;
    fx_node *i = fx_iota(before->graph, &shape, 1), *j = fx_iota(before->graph, &shape, 2);
    fx_node *is_first = fx_and(fx_less(i, j), fx_not(fx_transpose(before, 1, 2)));
    fx_node *precedes = fx_and(fx_or(before, is_first), fx_not_equal(i, j));
    return fx_reduce_sum(fx_convert(precedes, FX_S64), (fx_axes){(const int[]){1}, 1});
}

bool fxi_lower_sort_pairs(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                          fx_node **results) {
    size_t sorted = fxi_node_results(node);
    int axis = (int)fxi_node_int(node, FXI_ATTR_AXIS);
    for (size_t i = 0; i < sorted; i++) results[i] = operands[i];
    if (fx_shape_size(&node->shape) == 0) return true;
    fx_node **lines = fxi_alloc_zeroed(sorted, sizeof *lines);
    if (!lines) return fxi_lower_give(results, fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory"));
    for (size_t i = 0; i < sorted; i++) lines[i] = to_lines(b, operands[i], axis);
    fx_node *place = places_of(ask(b, node, lines, sorted, operands + sorted));
    bool ok = true;
    for (size_t i = 0; ok && i < sorted; i++) {
        fx_node *line = fx_put_along_axis(lines[i], place, lines[i], 1);
        ok = fxi_lower_give(&results[i], from_lines(b, line, &operands[i]->shape, axis));
    }
    fxi_free(lines);
    return ok;
}
