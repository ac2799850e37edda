/* SPDX-License-Identifier: Apache-2.0 */
/* Caches of keys and values. With n = length - sinks, row p has the place p while p < length, else
 * (p - sinks) mod n + sinks. Turned round: when rows up to `last` were written, whose place is cut, a place s
 * beyond the sinks holds row last - age with age = cut - s, plus n where that is negative. Ages are below n,
 * so what is done for each place is done with int32, though positions are int64: streams do not end. Updates
 * are one scatter, in which the last row of a place stays; it works in place where the cache's memory may be
 * taken over. */
#include "ops/ops.h"
#include <fluxion/attention.h>
#include <fluxion/indexing.h>

static fx_node *number(fx_graph *graph, int64_t value) {
    return fx_scalar_int(graph, FX_S64, value);
}

static bool check_options(const fxi_build *b, const fx_kv_cache_options *o, int64_t length) {
    const char *wrong = NULL;
    if (o->layout != FX_ATTENTION_BHSD && o->layout != FX_ATTENTION_BSHD) wrong = "there is no such layout";
    if (o->window < 0) wrong = "the window is negative";
    if (o->sinks < 0 || (o->sinks > 0 && o->sinks >= length))
        wrong = "the sinks are negative or fill the cache";
    if (wrong) fxi_build_refuse(b, FX_ERROR_ARGUMENT, "%s", wrong);
    return !wrong;
}

static bool check_position(const fxi_build *b, const fx_node *position, int64_t batch) {
    const fx_shape *s = &position->shape;
    bool fits = s->rank == 0 || (s->rank == 1 && (batch < 0 || s->dims[0] == batch));
    if (fits && fx_dtype_is_integer(s->dtype)) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the position is %s; it must be an integer, or one per example",
                     fx_shape_to_text(s).s);
    return false;
}

/* ---- update ---- */

static int sequence_axis(const fx_kv_cache_options *o) {
    return o->layout == FX_ATTENTION_BHSD ? 2 : 1;
}

static bool check_rows(const fxi_build *b, const fx_node *cache, const fx_node *rows, int axis) {
    const fx_shape *c = &cache->shape, *r = &rows->shape;
    bool fits = c->rank == 4 && r->rank == 4 && c->dtype == r->dtype;
    for (int i = 0; fits && i < 4; i++) fits = i == axis || c->dims[i] == r->dims[i];
    if (fits) return true;
    fxi_build_refuse(b, FX_ERROR_SHAPE, "rows %s do not go into a cache %s along axis %d",
                     fx_shape_to_text(r).s, fx_shape_to_text(c).s, axis);
    return false;
}

/* The places of n rows from position on, [n] or [batch, n]; -1 for rows before 0. */
static fx_node *places(fx_node *position, int64_t n, int64_t length, int64_t sinks) {
    fx_graph *graph = position->graph;
    fx_node *row = fx_nn_sequential_positions(graph, fx_convert(position, FX_S64), n);
    fx_node *turned = fx_mod(fx_sub(row, number(graph, sinks)), number(graph, length - sinks));
    fx_node *place =
        fx_select(fx_less(row, number(graph, length)), row, fx_add(turned, number(graph, sinks)));
    return fx_select(fx_less(row, number(graph, 0)), number(graph, -1), place);
}

fx_node *fx_nn_kv_cache_update(fx_node *cache, fx_node *rows, fx_node *position,
                               const fx_kv_cache_options *options) {
    fxi_build b;
    fx_kv_cache_options o;
    fxi_build_options(&o, sizeof o, options);
    if (!fxi_build_begin_roles(&b, "fx_nn_kv_cache_update", (fx_node *const[]){cache, rows, position}, 3,
                               FXI_ROLES("the cache", "rows", "the position")))
        return b.stop;
    int axis = sequence_axis(&o), heads = 3 - axis;
    if (!check_rows(&b, cache, rows, axis) || !check_options(&b, &o, cache->shape.dims[axis])) return b.stop;
    if (!check_position(&b, position, cache->shape.dims[0])) return b.stop;
    if (fx_shape_size(&rows->shape) == 0 || cache->shape.dims[axis] == 0) return cache;
    bool shared = position->shape.rank == 0;
    const fx_axes batch = {(const int[]){0}, shared ? 0 : 1}, inserted = {&axis, 1};
    const int windows[] = {0, heads, 3};
    fx_node *place = places(position, rows->shape.dims[axis], cache->shape.dims[axis], o.sinks);
    const fx_scatter_options how = {.window_axes = shared ? (fx_axes){windows, 3} : (fx_axes){windows + 1, 2},
                                    .inserted_axes = inserted,
                                    .operand_batch_axes = batch,
                                    .indices_batch_axes = batch,
                                    .index_map = inserted,
                                    .index_axis = shared ? 1 : 2};
    return fx_scatter_general(cache, place, rows, FX_SCATTER_UPDATE, &how);
}

/* ---- mask ---- */

/* Sizes are below this, so that sums of two of them are int32. */
#define MOST_PLACES (INT64_C(1) << 29)

static fx_node *along(fx_graph *graph, int axis, int64_t count) {
    fx_shape shape = {.dtype = FX_S32, .rank = 4, .dims = {1, 1, 1, 1}};
    shape.dims[axis] = count;
    return fx_iota(graph, &shape, axis);
}

static fx_node *small(fx_graph *graph, int64_t value) {
    return fx_scalar_int(graph, FX_S32, value);
}

/* last: int64 [batch or 1, 1, 1, 1]. Queries are counted backwards from the last one by `back`; what a query
 * sees of the places beyond the sinks is not older than the first row and, with a window, than that. */
static fx_node *see(fx_node *last, int64_t queries, int64_t length, const fx_kv_cache_options *o) {
    fx_graph *g = last->graph;
    int64_t n = length - o->sinks, window = o->window < MOST_PLACES ? o->window : MOST_PLACES;
    fx_node *turned = fx_mod(fx_sub(last, number(g, o->sinks)), number(g, n)), *place = along(g, 3, length);
    fx_node *cut = fx_convert(fx_add(turned, number(g, o->sinks)), FX_S32);
    fx_node *near =
        fx_clamp(number(g, -1), last, number(g, length + queries)); /* beyond, all rows are there */
    fx_node *written = fx_convert(near, FX_S32), *back = fx_sub(small(g, queries - 1), along(g, 2, queries));
    fx_node *ahead = fx_sub(cut, place),
            *age = fx_select(fx_less(ahead, small(g, 0)), fx_add(ahead, small(g, n)), ahead);
    fx_node *seen =
        fx_and(fx_greater_or_equal(age, back), fx_less_or_equal(age, fx_sub(written, small(g, o->sinks))));
    if (window > 0) seen = fx_and(seen, fx_less(age, fx_add(back, small(g, window))));
    if (o->sinks == 0) return seen;
    fx_node *sink = fx_less_or_equal(fx_add(place, back), written);
    return fx_select(fx_less(place, small(g, o->sinks)), sink, seen);
}

fx_node *fx_nn_kv_cache_mask(fx_node *position, int64_t queries, int64_t length,
                             const fx_kv_cache_options *options) {
    fxi_build b;
    fx_kv_cache_options o;
    fxi_build_options(&o, sizeof o, options);
    if (!fxi_build_begin(&b, "fx_nn_kv_cache_mask", &position, 1)) return b.stop;
    if (queries < 0 || length < 0 || queries >= MOST_PLACES || length >= MOST_PLACES)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE,
                                "%lld queries and %lld places; at most 2^29 - 1 are taken",
                                (long long)queries, (long long)length);
    if (!check_position(&b, position, -1) || !check_options(&b, &o, length)) return b.stop;
    const int64_t dims[4] = {position->shape.rank ? position->shape.dims[0] : 1, 1, 1, 1};
    const fx_shape all = {.dtype = FX_BOOL, .rank = 4, .dims = {dims[0], 1, queries, length}};
    if (fx_shape_size(&all) == 0) return fx_zeros(b.graph, &all);
    fx_node *first = fx_reshape(fx_convert(position, FX_S64), (fx_dims){dims, 4});
    fx_node *seen = see(fx_add(first, number(b.graph, queries - 1)), queries, length, &o);
    return fx_broadcast_to_dims(seen, (fx_dims){all.dims, 4});
}

/* ---- growth ---- */

fx_node *fx_nn_kv_cache_grow(fx_node *cache, int64_t length, const fx_kv_cache_options *options) {
    fxi_build b;
    fx_kv_cache_options o;
    fxi_build_options(&o, sizeof o, options);
    if (!fxi_build_begin(&b, "fx_nn_kv_cache_grow", &cache, 1)) return b.stop;
    int axis = sequence_axis(&o);
    if (cache->shape.rank != 4 || length < cache->shape.dims[axis])
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s does not grow to length %lld along axis %d",
                                fx_shape_to_text(&cache->shape).s, (long long)length, axis);
    fx_pad_axis pads[4] = {{0}};
    pads[axis].end = length - cache->shape.dims[axis];
    return fx_pad(cache, fx_scalar_zero(b.graph, cache->shape.dtype), (fx_pads){pads, 4});
}
