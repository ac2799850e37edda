/* SPDX-License-Identifier: Apache-2.0 */
/* Caches of keys and values. With n = length - sinks, row p has the place p while p < length, else
 * (p - sinks) mod n + sinks. Turned round: when rows up to `last` were written, place s holds row s where s <
 * sinks, else the last row p <= last with p = s modulo n. Updates are one scatter, in which the last row of a
 * place stays; it works in place where the cache's memory may be taken over. Positions are int64: streams do
 * not end. */
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
    if (!fxi_build_begin(&b, "fx_nn_kv_cache_update", (fx_node *const[]){cache, rows, position}, 3))
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

static fx_node *along(fx_graph *graph, int axis, int64_t count) {
    fx_shape shape = {.dtype = FX_S64, .rank = 4, .dims = {1, 1, 1, 1}};
    shape.dims[axis] = count;
    return fx_iota(graph, &shape, axis);
}

/* The row that each place holds after row `last` was written: negative or beyond last where there is none. */
static fx_node *held(fx_node *last, int64_t length, int64_t sinks) {
    fx_graph *graph = last->graph;
    fx_node *place = along(graph, 3, length), *n = number(graph, length - sinks);
    fx_node *row = fx_add(place, fx_mul(n, fx_floor_div(fx_sub(last, place), n)));
    fx_node *is_sink = fx_less(place, number(graph, sinks));
    return fx_select(fx_or(is_sink, fx_less(row, number(graph, sinks))), place, row);
}

fx_node *fx_nn_kv_cache_mask(fx_node *position, int64_t queries, int64_t length,
                             const fx_kv_cache_options *options) {
    fxi_build b;
    fx_kv_cache_options o;
    fxi_build_options(&o, sizeof o, options);
    if (!fxi_build_begin(&b, "fx_nn_kv_cache_mask", &position, 1)) return b.stop;
    if (queries < 0 || length < 0)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%lld queries and %lld places", (long long)queries,
                                (long long)length);
    if (!check_position(&b, position, -1) || !check_options(&b, &o, length)) return b.stop;
    const int64_t dims[4] = {position->shape.rank ? position->shape.dims[0] : 1, 1, 1, 1};
    const int64_t all[4] = {dims[0], 1, queries, length};
    const fx_shape empty = {.dtype = FX_BOOL, .rank = 4, .dims = {dims[0], 1, queries, length}};
    if (fx_shape_size(&empty) == 0) return fx_zeros(b.graph, &empty);
    fx_node *first = fx_reshape(fx_convert(position, FX_S64), (fx_dims){dims, 4});
    fx_node *query = fx_add(along(b.graph, 2, queries), first);
    fx_node *row = held(fx_add(first, number(b.graph, queries - 1)), length, o.sinks);
    fx_node *seen = fx_less_or_equal(row, query);
    if (o.window > 0) {
        fx_node *is_near = fx_greater(row, fx_sub(query, number(b.graph, o.window)));
        if (o.sinks > 0) is_near = fx_or(is_near, fx_less(row, number(b.graph, o.sinks)));
        seen = fx_and(seen, is_near);
    }
    return fx_broadcast_to_dims(seen, (fx_dims){all, 4});
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
