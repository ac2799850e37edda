/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for indexing.h: padding, dynamic slices, gather, scatter, masks of
 * matrices and moves along axes. The two forms that only the backend interface has, backend_gather and
 * backend_scatter_sum, become the general builders. */
#include "cases.h"

#include <fluxion/barrier.h>
#include <fluxion/indices.h>
#include <fluxion/window.h>
#include <string.h>

static int64_t integer(const struct value *value, int64_t otherwise) {
    return value ? value->u.number.i : otherwise;
}

static double real(const struct value *value) {
    return value->u.number.f;
}

/* ---- padding ---- */

static bool pad_axis(const struct value *value, fx_pad_axis *pad) {
    if (value->kind != VALUE_LIST || value->u.list.n != 3) return false;
    for (size_t i = 0; i < 3; i++)
        if (value->u.list.v[i]->kind != VALUE_NUMBER) return false;
    struct value **v = value->u.list.v;
    *pad = (fx_pad_axis){v[0]->u.number.i, v[1]->u.number.i, v[2]->u.number.i};
    return true;
}

static struct value *call_pad(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    size_t n = args[2] && args[2]->kind == VALUE_LIST ? args[2]->u.list.n : 0;
    fx_pad_axis *pads = arena_alloc(eval->arena, n + 1, sizeof *pads);
    if (!pads) return case_eval_fail(eval, "no memory");
    for (size_t i = 0; i < n; i++)
        if (!pad_axis(args[2]->u.list.v[i], &pads[i]))
            return case_eval_fail(eval, "pad: wants [[start, end, interior], ...]");
    return case_value_node(eval, fx_pad(args[0]->u.node, args[1]->u.node, (fx_pads){pads, n}));
}

static struct value *call_grow(struct eval *eval, const struct op *op, struct value *const *args) {
    bool left = strcmp(op->name, "grow_left") == 0;
    fx_node *x = args[0]->u.node;
    int axis = case_arg_int(args[1], 0);
    int64_t n = integer(args[2], 0);
    return case_value_node(eval, left ? fx_grow_left(x, axis, n, real(args[3]))
                                      : fx_grow_right(x, axis, n, real(args[3])));
}

/* ---- dynamic slices: the starts are scalars, or one vector of them ---- */

static fx_nodes starts_of(struct eval *eval, const struct value *value) {
    fx_nodes given = case_arg_nodes(eval, value);
    if (given.n != 1 || fx_node_rank(given.v[0]) != 1) return given;
    size_t n = (size_t)fx_node_dim(given.v[0], 0);
    fx_node **nodes = arena_alloc(eval->arena, n + 1, sizeof *nodes);
    for (size_t i = 0; nodes && i < n; i++)
        nodes[i] = fx_reshape(fx_slice_axis(given.v[0], 0, (int64_t)i, (int64_t)i + 1, 1), (fx_dims){0});
    return (fx_nodes){nodes, n};
}

static struct value *call_dynamic_slice(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(
        eval, fx_dynamic_slice(args[0]->u.node, starts_of(eval, args[1]), case_arg_dims(eval, args[2])));
}

static struct value *call_dynamic_update(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(
        eval, fx_dynamic_update_slice(args[0]->u.node, args[1]->u.node, starts_of(eval, args[2])));
}

/* ---- gather and scatter; whether indices are sorted or unique makes no difference here ---- */

static struct value *call_pair(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.binary(args[0]->u.node, args[1]->u.node));
}

static struct value *call_along(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.along(args[0]->u.node, args[1]->u.node, case_arg_int(args[2], 0)));
}

static struct value *call_gather_slices(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_gather_slices(args[0]->u.node, case_arg_axes(eval, args[1]),
                                                  args[2]->u.node, case_arg_dims(eval, args[3])));
}

static struct value *call_backend_gather(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    const fx_gather_options options = {.size = sizeof options,
                                       .index_axis = case_arg_int(args[2], 0),
                                       .offset_axes = case_arg_axes(eval, args[3]),
                                       .collapsed_axes = case_arg_axes(eval, args[4]),
                                       .start_index_map = case_arg_axes(eval, args[5]),
                                       .slice_sizes = case_arg_dims(eval, args[6])};
    return case_value_node(eval, fx_gather_general(args[0]->u.node, args[1]->u.node, &options));
}

static struct value *call_backend_scatter(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    const fx_scatter_options options = {.size = sizeof options,
                                        .index_axis = case_arg_int(args[3], 0),
                                        .window_axes = case_arg_axes(eval, args[4]),
                                        .inserted_axes = case_arg_axes(eval, args[5]),
                                        .index_map = case_arg_axes(eval, args[6])};
    return case_value_node(eval, fx_scatter_general(args[0]->u.node, args[1]->u.node, args[2]->u.node,
                                                    FX_SCATTER_SUM, &options));
}

static struct value *call_scatter(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_dims dims = case_arg_dims(eval, args[2]);
    fx_shape shape = fx_shape_make(fx_node_dtype(args[1]->u.node), dims.v, dims.n);
    return case_value_node(eval, fx_scatter(args[0]->u.node, args[1]->u.node, &shape));
}

static struct value *call_scatter_into(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.ternary(args[0]->u.node, args[1]->u.node, args[2]->u.node));
}

static struct value *call_put_along(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(
        eval, fx_put_along_axis(args[0]->u.node, args[1]->u.node, args[2]->u.node, case_arg_int(args[3], 0)));
}

static struct value *call_segment(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.segment(args[0]->u.node, args[1]->u.node, integer(args[2], 0)));
}

static struct value *call_one_hot(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_one_hot(args[0]->u.node, integer(args[1], 0), args[2]->u.dtype));
}

/* ---- indices as values ---- */

static struct value *call_indices(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_indices_for_shape(eval->graph, case_arg_dims(eval, args[0])));
}

static struct value *call_put(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_put(args[0]->u.node, args[1]->u.node, args[2]->u.node,
                                        case_arg_int(args[3], 0), FX_SCATTER_UPDATE));
}

static struct value *call_update_at(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval,
                           fx_update_at(args[0]->u.node, case_arg_dims(eval, args[1]), args[2]->u.node));
}

static struct value *call_histogram(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval,
                           fx_histogram(args[0]->u.node, integer(args[1], 0), real(args[2]), real(args[3])));
}

/* ---- barriers ---- */

static struct value *call_barriers(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_nodes operands = case_arg_nodes(eval, args[0]);
    fx_node **results = arena_alloc(eval->arena, operands.n + 1, sizeof *results);
    if (!results) return case_eval_fail(eval, "no memory");
    fx_node *first = fx_optimization_barriers(operands, results);
    return operands.n ? case_value_nodes(eval, results, operands.n) : case_value_node(eval, first);
}

static struct value *call_scheduling(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_scheduling_barrier(args[0]->u.node, case_arg_nodes(eval, args[1])));
}

static struct value *call_barrier(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_optimization_barrier(args[0]->u.node));
}

/* ---- masks ---- */

static struct value *call_square(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.square(eval->graph, integer(args[0], 0)));
}

static struct value *call_shaped_lower(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_shaped_lower_triangular(eval->graph, integer(args[0], 0),
                                                            integer(args[1], 0), integer(args[2], 0)));
}

static struct value *call_int(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.shift(args[0]->u.node, integer(args[1], 0)));
}

static struct value *call_diagonal_of(struct eval *eval, const struct op *op, struct value *const *args) {
    bool sum = strcmp(op->name, "trace") == 0;
    fx_node *x = args[0]->u.node;
    int64_t offset = integer(args[1], 0);
    int a = case_arg_int(args[2], 0), b = case_arg_int(args[3], 1);
    return case_value_node(eval, sum ? fx_trace(x, offset, a, b) : fx_diagonal_of(x, offset, a, b));
}

/* ---- moves along axes ---- */

static bool take_direction(struct eval *eval, const char *name, const struct value *value,
                           fx_shift_direction *direction) {
    *direction = strcmp(value->u.s, "left") == 0 ? FX_SHIFT_LEFT : FX_SHIFT_RIGHT;
    if (*direction == FX_SHIFT_LEFT || strcmp(value->u.s, "right") == 0) return true;
    return case_eval_fail(eval, "%s: the direction is neither \"left\" nor \"right\"", name) != NULL;
}

static struct value *call_shift(struct eval *eval, const struct op *op, struct value *const *args) {
    fx_shift_direction direction;
    fx_node *x = args[0]->u.node;
    int axis = case_arg_int(args[1], 0);
    int64_t n = integer(args[3], 0);
    if (!take_direction(eval, op->name, args[2], &direction)) return NULL;
    if (strcmp(op->name, "shift") == 0) return case_value_node(eval, fx_shift(x, axis, direction, n));
    if (strcmp(op->name, "shift_with_value") == 0)
        return case_value_node(eval, fx_shift_with_value(x, axis, direction, n, args[4]->u.node));
    return case_value_node(eval, fx_shift_with_scalar(x, axis, direction, n, real(args[4])));
}

static struct value *call_shift_last(struct eval *eval, const struct op *op, struct value *const *args) {
    bool left = strcmp(op->name, "shift_left") == 0;
    int64_t n = integer(args[1], 0);
    return case_value_node(eval, left ? fx_shift_left(args[0]->u.node, n, real(args[2]))
                                      : fx_shift_right(args[0]->u.node, n, real(args[2])));
}

static struct value *call_difference(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(
        eval, fx_consecutive_difference(args[0]->u.node, case_arg_int(args[1], 0), args[2] && args[2]->u.b));
}

static struct value *call_roll(struct eval *eval, const struct op *op, struct value *const *args) {
    bool roll = strcmp(op->name, "roll") == 0;
    int axis = case_arg_int(args[1], 0);
    int64_t n = integer(args[2], 0);
    return case_value_node(eval,
                           roll ? fx_roll(args[0]->u.node, axis, n) : fx_repeat(args[0]->u.node, axis, n));
}

static struct value *call_running(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.running(args[0]->u.node, case_arg_int(args[1], 0)));
}

static struct value *call_moveaxis(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval,
                           fx_moveaxis(args[0]->u.node, case_arg_int(args[1], 0), case_arg_int(args[2], 0)));
}

static struct value *call_axes(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.axes(args[0]->u.node, case_arg_axes(eval, args[1])));
}

static struct value *call_dims(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.dims(args[0]->u.node, case_arg_dims(eval, args[1])));
}

static struct value *call_meshgrid(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_nodes vectors = case_arg_nodes(eval, args[0]);
    fx_node **out = arena_alloc(eval->arena, vectors.n + 1, sizeof *out);
    if (!out) return case_eval_fail(eval, "no memory");
    fx_node *first = fx_meshgrid(vectors, out);
    return vectors.n ? case_value_nodes(eval, out, vectors.n) : case_value_node(eval, first);
}

/* clang-format off */
#define ROW(name, signature, function)             {name, signature, function, {.unary = NULL}}
#define PAIR(name, signature, builder)             {name, signature, call_pair, {.binary = builder}}
#define SCATTER(name, builder) \
    {name, "n:x n:indices n:updates b:sorted? b:unique?", call_scatter_into, {.ternary = builder}}
#define SEGMENT(name, builder) {name, "n:x n:ids i:segments", call_segment, {.segment = builder}}
#define ALONG(name, builder)   {name, "n:x n:indices i:axis", call_along, {.along = builder}}
#define SQUARE(name, builder)  {name, "i:dim", call_square, {.square = builder}}
#define TRIANGLE(name, builder) {name, "n:x i:k", call_int, {.shift = builder}}
#define SHIFT(name, more)      ROW(name, "n:x i:axis s:direction i:n" more, call_shift)
#define RUNNING(name, builder) {name, "n:x i:axis", call_running, {.running = builder}}

static const struct op ops[] = {
    /* padding and dynamic slices */
    ROW("pad", "n:x n:value v:pads?", call_pad),
    ROW("grow_left", "n:x i:axis i:n f:value", call_grow),
    ROW("grow_right", "n:x i:axis i:n f:value", call_grow),
    ROW("dynamic_slice", "n:x l:starts a:sizes", call_dynamic_slice),
    ROW("dynamic_update_slice", "n:x n:update l:starts", call_dynamic_update),

    /* gather */
    ALONG("take", fx_take),
    ALONG("take_along_axis", fx_take_along_axis),
    ALONG("normalize_indices", fx_normalize_indices),
    PAIR("gather", "n:x n:indices b:sorted?", fx_gather),
    ROW("gather_slices", "n:x a:sliced_axes n:starts a:sizes b:sorted?", call_gather_slices),
    ROW("backend_gather", "n:x n:indices i:index_vector_axis a:offset_output_axes a:collapsed_slice_axes "
        "a:start_index_map a:slice_sizes b:sorted?", call_backend_gather),

    /* scatter */
    ROW("scatter", "n:indices n:updates a:dims b:sorted? b:unique?", call_scatter),
    SCATTER("scatter_sum", fx_scatter_sum),
    SCATTER("scatter_mul", fx_scatter_mul),
    SCATTER("scatter_max", fx_scatter_max),
    SCATTER("scatter_min", fx_scatter_min),
    SCATTER("scatter_update", fx_scatter_update),
    ROW("backend_scatter_sum", "n:x n:indices n:updates i:index_vector_axis a:update_window_axes "
        "a:inserted_window_axes a:scatter_axes_to_operand_axes b:sorted? b:unique?", call_backend_scatter),
    ROW("put_along_axis", "n:x n:indices n:values i:axis", call_put_along),
    SEGMENT("segment_sum", fx_segment_sum),
    SEGMENT("segment_prod", fx_segment_prod),
    SEGMENT("segment_max", fx_segment_max),
    SEGMENT("segment_min", fx_segment_min),
    SEGMENT("segment_mean", fx_segment_mean),
    ROW("one_hot", "n:indices i:depth d:dtype", call_one_hot),

    SEGMENT("segment_softmax", fx_segment_softmax),

    /* indices as values */
    ROW("indices_for_shape", "a:dims", call_indices),
    {"unravel_index", "n:numbers a:dims", call_dims, {.dims = fx_unravel_index}},
    {"ravel_index", "n:positions a:dims", call_dims, {.dims = fx_ravel_index}},
    {"part_at", "n:x a:index", call_dims, {.dims = fx_part_at}},
    ROW("update_at", "n:x a:index n:value", call_update_at),
    ROW("put", "n:x n:indices n:values i:axis", call_put),
    TRIANGLE("bincount", fx_bincount),
    SEGMENT("bincount_weighted", fx_bincount_weighted),
    ROW("histogram", "n:x i:bins f:low f:high", call_histogram),
    {"assert_dims", "n:x a:dims", call_dims, {.dims = fx_assert_dims}},

    /* barriers */
    ROW("optimization_barrier", "n:x", call_barrier),
    ROW("optimization_barriers", "l:operands*", call_barriers),
    ROW("scheduling_barrier", "n:x l:others*", call_scheduling),

    /* masks */
    SQUARE("lower_triangular", fx_lower_triangular),
    SQUARE("upper_triangular", fx_upper_triangular),
    SQUARE("diagonal", fx_diagonal),
    TRIANGLE("diagonal_with_value", fx_diagonal_with_value),
    ROW("shaped_lower_triangular", "i:rows i:columns i:k", call_shaped_lower),
    TRIANGLE("take_lower_triangular", fx_take_lower_triangular),
    TRIANGLE("take_upper_triangular", fx_take_upper_triangular),
    TRIANGLE("tril", fx_tril),
    TRIANGLE("triu", fx_triu),
    ROW("diagonal_of", "n:x i:offset? i:axis_a? i:axis_b?", call_diagonal_of),
    ROW("trace", "n:x i:offset? i:axis_a? i:axis_b?", call_diagonal_of),

    /* moves along axes */
    ROW("shift_left", "n:x i:n f:fill", call_shift_last),
    ROW("shift_right", "n:x i:n f:fill", call_shift_last),
    SHIFT("shift", ""),
    SHIFT("shift_with_scalar", " f:fill"),
    SHIFT("shift_with_value", " n:value"),
    ROW("consecutive_difference", "n:x i:axis b:preserve_shape?", call_difference),
    ROW("roll", "n:x i:axis i:n", call_roll),
    ROW("repeat", "n:x i:axis i:count", call_roll),
    {"flip", "n:x a:axes?", call_axes, {.axes = fx_flip}},
    ROW("moveaxis", "n:x i:from i:to", call_moveaxis),
    {"tile", "n:x a:counts", call_dims, {.dims = fx_tile}},
    ROW("meshgrid", "l:vectors", call_meshgrid),

    /* running combinations */
    RUNNING("cum_sum", fx_cum_sum),
    RUNNING("cum_sum_reverse", fx_cum_sum_reverse),
    RUNNING("cum_prod", fx_cum_prod),
    RUNNING("cum_prod_reverse", fx_cum_prod_reverse),
    RUNNING("cum_max", fx_cum_max),
    RUNNING("cum_max_reverse", fx_cum_max_reverse),
    RUNNING("cum_min", fx_cum_min),
    RUNNING("cum_min_reverse", fx_cum_min_reverse),
    RUNNING("cum_logsumexp", fx_cum_logsumexp),
    RUNNING("cum_logsumexp_reverse", fx_cum_logsumexp_reverse),
};
/* clang-format on */

const struct op_table case_ops_index = {ops, sizeof ops / sizeof *ops};
