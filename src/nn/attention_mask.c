/* SPDX-License-Identifier: Apache-2.0 */
/* Which keys a query sees. Each limit is a comparison of iotas with dimensions 1 where it says nothing, so
 * that the compiler computes it inside whatever uses it. Key k is at the distance k - query of a query, which
 * must be at most the offset (the causal order) and above offset - window. Sizes are below 2^30, so that
 * differences of positions and lengths are int32. */
#include "attention_internal.h"
#include <fluxion/indexing.h>

static fx_node *positions(fx_graph *graph, int axis, int64_t count) {
    fx_shape shape = {.dtype = FX_S32, .rank = 4, .dims = {1, 1, 1, 1}};
    shape.dims[axis] = count;
    return fx_iota(graph, &shape, axis);
}

static fx_node *both(fx_node *x, fx_node *y) {
    return x && y ? fx_and(x, y) : x ? x : y;
}

/* Lengths as int32 [batch, 1, 1, 1], within 0 .. most. */
static fx_node *clamped(fx_graph *graph, fx_node *lengths, int64_t most) {
    fx_node *low = fx_scalar_int(graph, FX_S32, 0), *high = fx_scalar_int(graph, FX_S32, most);
    const int64_t dims[4] = {lengths->shape.dims[0], 1, 1, 1};
    return fx_reshape(fx_clamp(low, lengths, high), (fx_dims){dims, 4});
}

/* distance - offset at least `least` or at most `most`, for offsets that are values of the program. */
static fx_node *see_ordered(const fxi_attention *a, fx_node *distance, fx_node *offset) {
    fx_graph *graph = distance->graph;
    fx_node *from_offset = fx_sub(distance, offset), *seen = NULL;
    int64_t window = a->window < INT32_MAX ? a->window : INT32_MAX;
    if (a->causal) seen = fx_less_or_equal(from_offset, fx_scalar_int(graph, FX_S32, 0));
    if (window > 0) seen = both(seen, fx_greater(from_offset, fx_scalar_int(graph, FX_S32, -window)));
    return seen;
}

/* The nearest number that means the same beside distances of less than 2^30. */
static fx_node *bound(fx_graph *graph, int64_t limit) {
    const int64_t far = INT64_C(1) << 30;
    return fx_scalar_int(graph, FX_S32, limit > far ? far : limit < -far ? -far : limit);
}

static fx_node *see_ordered_by(const fxi_attention *a, fx_node *distance, int64_t offset) {
    fx_graph *graph = distance->graph;
    fx_node *seen = NULL;
    int64_t below = offset < INT64_MIN + a->window ? INT64_MIN : offset - a->window;
    if (a->causal) seen = fx_less_or_equal(distance, bound(graph, offset));
    if (a->window > 0) seen = both(seen, fx_greater(distance, bound(graph, below)));
    return seen;
}

static fx_node *see_in_order(const fxi_attention *a, fx_graph *graph, fx_node *rows, fx_node *columns) {
    if (!a->causal && a->window == 0) return NULL;
    fx_node *distance = fx_sub(positions(graph, 3, a->keys), positions(graph, 2, a->queries));
    if (a->has_offset || !(rows || columns))
        return see_ordered_by(a, distance, a->has_offset ? a->offset : a->keys - a->queries);
    if (!rows) rows = fx_scalar_int(graph, FX_S32, a->queries);
    if (!columns) columns = fx_scalar_int(graph, FX_S32, a->keys);
    return see_ordered(a, distance, fx_sub(columns, rows));
}

void fxi_attention_see(const fxi_attention *a, fx_graph *graph, fxi_attention_seen *seen) {
    fx_node *rows = a->query_lengths ? clamped(graph, a->query_lengths, a->queries) : NULL;
    fx_node *columns = a->key_lengths ? clamped(graph, a->key_lengths, a->keys) : NULL;
    fx_node *mask = a->mask && a->mask->shape.dtype == FX_BOOL ? a->mask : NULL;
    seen->rows = rows ? fx_less(positions(graph, 2, a->queries), rows) : NULL;
    seen->pairs = both(mask, see_in_order(a, graph, rows, columns));
    if (columns) seen->pairs = both(seen->pairs, fx_less(positions(graph, 3, a->keys), columns));
    seen->all = both(seen->pairs, seen->rows);
}
