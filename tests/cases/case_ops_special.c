/* SPDX-License-Identifier: Apache-2.0 */
/* Operations whose arguments need more than a family's call: constants with nested lists, the slice
 * language, several results. */
#include "cases.h"

/* ---- constants ---- */

/* Dimensions of nested lists, from the first item of each level; whether they are regular shows when they
 * are stored. */
static bool list_shape(const struct value *value, fx_shape *shape) {
    for (; value->kind == VALUE_LIST; value = value->u.list.v[0]) {
        if (shape->rank == FX_MAX_RANK) return false;
        shape->dims[shape->rank++] = (int64_t)value->u.list.n;
        if (value->u.list.n == 0) break;
    }
    return true;
}

/* Stores nested lists in row-major order. As deep as the rank, which list_shape limited. */
static bool store_list(fx_tensor *tensor, const struct value *value, int axis, int64_t *index) {
    const fx_shape *shape = fx_tensor_shape(tensor);
    if (value->kind == VALUE_LIST) {
        if (axis == shape->rank || (int64_t)value->u.list.n != shape->dims[axis]) return false;
        for (size_t i = 0; i < value->u.list.n; i++) {
            if (!store_list(tensor, value->u.list.v[i], axis + 1, index)) return false;
        }
        return true;
    }
    struct number number = value->u.number;
    if (value->kind == VALUE_BOOL) number = (struct number){true, value->u.b, value->u.b};
    if (axis != shape->rank || (value->kind != VALUE_NUMBER && value->kind != VALUE_BOOL)) return false;
    return case_tensor_store(tensor, (*index)++, number);
}

struct value *case_op_const(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_shape shape = {.dtype = args[0]->u.dtype};
    fx_error err = {FX_OK, 0, NULL, ""};
    int64_t index = 0;
    if (!list_shape(args[1], &shape))
        return case_eval_fail(eval, "const: lists are nested more than %d deep", FX_MAX_RANK);
    if (fx_shape_size(&shape) > CASE_MAX_ELEMENTS) return case_eval_fail(eval, "const: too many elements");
    fx_tensor *tensor = fx_tensor_new(&shape, &err);
    if (!tensor) return case_eval_fail(eval, "const: %s", err.message);
    struct value *result = NULL;
    if (fx_dtype_is_complex(shape.dtype) ||
        (fx_shape_size(&shape) > 0 && !store_list(tensor, args[1], 0, &index))) {
        case_eval_fail(eval, "const: the value does not fit the dtype, or its lists are irregular");
    } else {
        result = case_value_node(eval, fx_constant(eval->graph, tensor));
    }
    fx_tensor_free(tensor);
    return result;
}

struct value *case_op_infinity(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_infinity(eval->graph, args[0]->u.dtype, case_arg_int(args[1], 1)));
}

struct value *case_op_fill_scalar(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_shape shape = case_arg_shape(eval, args[0], args[1]);
    return case_value_node(eval, fx_fill_scalar(eval->graph, &shape, args[2]->u.number.f));
}

struct value *case_op_iota(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_shape shape = case_arg_shape(eval, args[0], args[1]);
    return case_value_node(eval, fx_iota(eval->graph, &shape, case_arg_int(args[2], 0)));
}

/* ---- elementwise ---- */

struct value *case_op_clip_scalar(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_clip_scalar(args[0]->u.node, args[1]->u.number.f, args[2]->u.number.f));
}

struct value *case_op_nan_to_num(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(
        eval, fx_nan_to_num(args[0]->u.node, args[1]->u.number.f, args[2]->u.number.f, args[3]->u.number.f));
}

struct value *case_op_reduce_precision(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(
        eval, fx_reduce_precision(args[0]->u.node, case_arg_int(args[1], 0), case_arg_int(args[2], 0)));
}

/* ---- shapes ---- */

struct value *case_op_transpose(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval,
                           fx_transpose(args[0]->u.node, case_arg_int(args[1], 0), case_arg_int(args[2], 0)));
}

struct value *case_op_broadcast_in_dim(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_broadcast_in_dim(args[0]->u.node, case_arg_dims(eval, args[1]),
                                                     case_arg_axes(eval, args[2])));
}

struct value *case_op_expand_and_broadcast(struct eval *eval, const struct op *op,
                                           struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_expand_and_broadcast(args[0]->u.node, case_arg_dims(eval, args[1]),
                                                         case_arg_axes(eval, args[2])));
}

struct value *case_op_broadcast_to_shape(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_shape shape = case_arg_shape(eval, args[1], args[2]);
    return case_value_node(eval, fx_broadcast_to_shape(args[0]->u.node, &shape));
}

struct value *case_op_expand_left(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_expand_left_to_rank(args[0]->u.node, case_arg_int(args[1], 0)));
}

struct value *case_op_split(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    int64_t count = args[2]->u.number.i;
    if (count > CASE_MAX_VALUES) return case_eval_fail(eval, "split: more than %d parts", CASE_MAX_VALUES);
    size_t room = count > 0 ? (size_t)count : 1;
    fx_node **parts = arena_alloc(eval->arena, room, sizeof *parts);
    if (!parts) return case_eval_fail(eval, "no memory");
    fx_node *first = fx_split(args[0]->u.node, case_arg_int(args[1], 0), count, parts);
    return count > 0 ? case_value_nodes(eval, parts, room) : case_value_node(eval, first);
}

/* ---- slices ---- */

struct value *case_op_axis_range(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    struct value *value = case_value_new(eval, VALUE_RANGE);
    if (!value) return NULL;
    value->u.range = (struct axis_range){
        .start = args[0] ? args[0]->u.number.i : 0,
        .end = args[1] ? args[1]->u.number.i : 0,
        .stride = args[2] ? args[2]->u.number.i : 1,
        .has_end = args[1] != NULL,
        .spacer = args[3] && args[3]->u.b,
    };
    return value;
}

struct value *case_op_axis_elem(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    struct value *value = case_value_new(eval, VALUE_RANGE);
    if (!value) return NULL;
    value->u.range = (struct axis_range){
        .start = args[0]->u.number.i, .stride = 1, .is_element = true, .spacer = args[1] && args[1]->u.b};
    return value;
}

/* starts, limits and strides of a slice under construction */
struct spans {
    int64_t *starts, *limits, *strides;
    size_t n, room;
};

/* One axis more. Of an axis that x lacks the dimension is taken as 0: the builder refuses the number of
 * axes. */
static void add_range(struct spans *spans, const fx_shape *shape, struct axis_range range) {
    if (spans->n == spans->room) return;
    int64_t dim = spans->n < (size_t)shape->rank ? shape->dims[spans->n] : 0;
    int64_t start = range.start < 0 ? range.start + dim : range.start;
    int64_t end = !range.has_end ? dim : range.end < 0 ? range.end + dim : range.end;
    spans->starts[spans->n] = start;
    spans->limits[spans->n] = range.is_element ? start + (start < INT64_MAX) : end;
    spans->strides[spans->n++] = range.stride;
}

static struct value *slice_by(struct eval *eval, fx_node *x, struct value *const *specs, size_t n) {
    const fx_shape *shape = fx_node_shape(x);
    if (!fx_shape_is_valid(shape)) return case_value_node(eval, x); /* inert: nothing to compute from */
    size_t rank = (size_t)shape->rank, room = n > rank ? n : rank, left = rank + 1 > n ? rank + 1 - n : 0;
    int64_t *v = arena_alloc(eval->arena, 3 * room + 1, sizeof *v);
    if (!v) return case_eval_fail(eval, "no memory");
    struct spans spans = {v, v + room, v + 2 * room, 0, room};
    for (size_t i = 0; i < n; i++) {
        if (specs[i]->kind != VALUE_RANGE)
            return case_eval_fail(eval, "slice: a specification is no axis_range");
        /* A spacer stands for all axes that the others leave, possibly none. */
        size_t times = specs[i]->u.range.spacer ? left : 1;
        while (times-- > 0) add_range(&spans, shape, specs[i]->u.range);
    }
    while (spans.n < rank) add_range(&spans, shape, (struct axis_range){.stride = 1});
    return case_value_node(eval,
                           fx_slice(x, (fx_dims){spans.starts, spans.n}, (fx_dims){spans.limits, spans.n},
                                    (fx_dims){spans.strides, spans.n}));
}

struct value *case_op_slice(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    if (!args[1]) return slice_by(eval, args[0]->u.node, NULL, 0);
    if (args[1]->kind != VALUE_LIST) return case_eval_fail(eval, "slice: wants a list of axis_range");
    return slice_by(eval, args[0]->u.node, args[1]->u.list.v, args[1]->u.list.n);
}

struct value *case_op_slice_axis(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    if (args[2]->kind != VALUE_RANGE) return case_eval_fail(eval, "slice_axis: wants an axis_range");
    fx_node *x = args[0]->u.node;
    int axis = case_arg_int(args[1], 0);
    fx_shape one = {.dtype = FX_F32, .rank = 1, .dims = {fx_node_dim(x, axis)}};
    int64_t v[3];
    struct spans spans = {v, v + 1, v + 2, 0, 1};
    add_range(&spans, &one, args[2]->u.range);
    return case_value_node(eval, fx_slice_axis(x, axis, v[0], v[1], v[2]));
}

struct value *case_op_backend_slice(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_slice(args[0]->u.node, case_arg_dims(eval, args[1]),
                                          case_arg_dims(eval, args[2]), case_arg_dims(eval, args[3])));
}

/* ---- reductions and products ---- */

struct value *case_op_reduce_and_keep(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    const struct op *reducer = case_op_find(args[1]->u.s);
    if (!reducer || reducer->apply != case_op_reduce) {
        case_eval_fail(eval, "reduce_and_keep(%.100s)", args[1]->u.s);
        eval->unsupported = true;
        return NULL;
    }
    return case_value_node(
        eval, fx_reduce_and_keep(args[0]->u.node, reducer->call.axes, case_arg_axes(eval, args[2])));
}

/* The library accumulates half types in float32 by itself and gives the operands' dtype; another
 * accumulator is a wider result that is converted. */
struct value *case_op_dot_general(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_node *lhs = args[0]->u.node, *rhs = args[3]->u.node;
    fx_axes lhs_contract = case_arg_axes(eval, args[1]), lhs_batch = case_arg_axes(eval, args[2]);
    fx_axes rhs_contract = case_arg_axes(eval, args[4]), rhs_batch = case_arg_axes(eval, args[5]);
    fx_dtype own = fx_node_dtype(lhs);
    fx_dtype output = args[7] ? args[7]->u.dtype : own;
    fx_dtype accumulator = args[6] && !fx_dtype_is_half(own) ? args[6]->u.dtype : output;
    if (accumulator == own) {
        return case_value_node(eval,
                               fx_dot_general(lhs, lhs_contract, lhs_batch, rhs, rhs_contract, rhs_batch));
    }
    fx_node *wide =
        fx_dot_general_dtype(lhs, lhs_contract, lhs_batch, rhs, rhs_contract, rhs_batch, accumulator);
    return case_value_node(eval, accumulator == output ? wide : fx_convert(wide, output));
}

struct value *case_op_dot_product(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    static const int last = -1, first = 0;
    const fx_axes none = {NULL, 0};
    fx_node *lhs = args[0]->u.node, *rhs = args[1]->u.node;
    if (!args[2]) return case_value_node(eval, fx_dot_product(lhs, rhs));
    return case_value_node(eval, fx_dot_general_dtype(lhs, (fx_axes){&last, 1}, none, rhs,
                                                      (fx_axes){&first, 1}, none, args[2]->u.dtype));
}
