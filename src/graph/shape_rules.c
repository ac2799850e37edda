/* SPDX-License-Identifier: Apache-2.0 */
/* What each operation demands of its operands and attributes, and the shape it gives: one function per word
 * of the shape column of ops.def, found through a table that the column itself fills. Builders use this to
 * check a new node, verify.c to recheck an old one, so that there is one statement of each rule. Attributes
 * are normalised when they come here (no negative axes). Messages name the public function, what it got and
 * what it wanted. */
#include "shape_rules.h"
#include <string.h>

/* ---- messages ---- */

fx_shape_text fxi_dims_text(const int64_t *dims, size_t n) {
    fx_shape_text result = {{0}};
    fxi_text text = fxi_text_fixed(result.s, sizeof result.s);
    for (size_t i = 0; i < n; i++) fxi_text_add(&text, "%s%lld", i ? ", " : "[", (long long)dims[i]);
    fxi_text_add(&text, "%s", n ? "]" : "[]");
    return result;
}

bool fxi_rule_fail(const fxi_shape_args *args, fx_error *err, fx_error_code code, const char *format, ...) {
    char detail[sizeof err->message];
    fxi_text text = fxi_text_fixed(detail, sizeof detail);
    va_list list;
    va_start(list, format);
    fxi_text_add_list(&text, format, list);
    va_end(list);
    if (args->name) return fxi_fail(err, code, "%s: %s", args->name, detail);
    return fxi_fail(err, code, "fx_%s: %s", fxi_op_info_of(args->op)->text, detail);
}

/* ---- attributes ---- */

/* The ids of attrs.def in its order, with their pointers in place. */
static bool check_attributes(const fxi_shape_args *args, fx_error *err) {
    size_t count;
    const fxi_attr_id *ids = fxi_op_attrs(args->op, &count);
    if (args->attr_count != count || (count && !args->attrs))
        return fail(args, err, FX_ERROR_INTERNAL, "has %zu attributes instead of %zu", args->attr_count,
                    count);
    for (size_t i = 0; i < count; i++) {
        const fxi_attr *attr = &args->attrs[i];
        if (attr->id != ids[i])
            return fail(args, err, FX_ERROR_INTERNAL, "attribute %zu is %s instead of %s", i,
                        fxi_attr_text(attr->id), fxi_attr_text(ids[i]));
        fxi_attr_kind kind = fxi_attr_kind_of(attr->id);
        bool missing = (kind == FXI_KIND_OF_INTS && attr->u.ints.n && !attr->u.ints.v) ||
                       (kind == FXI_KIND_OF_TENSOR && !attr->u.tensor) ||
                       (kind == FXI_KIND_OF_CUSTOM && !attr->u.custom) ||
                       (kind == FXI_KIND_OF_TEXT && !attr->u.text) ||
                       (kind == FXI_KIND_OF_GRAPHS && attr->u.graphs.n && !attr->u.graphs.v) ||
                       (kind == FXI_KIND_OF_DTYPE && !fx_dtype_is_valid(attr->u.dtype));
        if (missing)
            return fail(args, err, FX_ERROR_ATTRIBUTE, "%s is %s", fxi_attr_text(attr->id),
                        kind == FXI_KIND_OF_DTYPE ? "not a dtype" : "NULL");
    }
    return true;
}

/* ---- dtypes ---- */

/* "integer, float" for a set: whole groups by name, a part of a group by its dtypes. */
static void add_set_text(fxi_text *text, uint32_t set) {
    static const struct {
        const char *name;
        bool (*has)(fx_dtype);
    } groups[] = {
        {"integer", fx_dtype_is_integer}, {"float", fx_dtype_is_float}, {"complex", fx_dtype_is_complex}};
    const char *comma = "";
    if (set >> FX_BOOL & 1) {
        fxi_text_add(text, "bool");
        comma = ", ";
    }
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        bool any = false;
        for (int d = 1; d < FX_DTYPE_LIMIT; d++)
            any |= (set >> d & 1) && fx_dtype_is_valid((fx_dtype)d) && groups[g].has((fx_dtype)d);
        if (!any) continue;
        fxi_text_add(text, "%s%s", comma, groups[g].name);
        comma = ", ";
    }
}

static bool fail_dtype(const fxi_shape_args *args, uint32_t set, fx_dtype dtype, fx_error *err) {
    char wanted[120];
    fxi_text text = fxi_text_fixed(wanted, sizeof wanted);
    add_set_text(&text, set);
    return fail(args, err, FX_ERROR_DTYPE, "%s is not accepted; it takes %s dtypes (fx_convert converts)",
                fx_dtype_name(dtype), wanted);
}

bool fxi_rule_add_result(const fxi_shape_args *args, const fx_shape *shape, fx_error *err) {
    if (!fx_shape_is_valid(shape))
        return fail(args, err, FX_ERROR_MEMORY, "the result %s does not fit into 63 bits",
                    fx_shape_to_text(shape).s);
    fx_shape clean = *shape;
    for (int i = clean.rank; i < FX_MAX_RANK; i++) clean.dims[i] = 0;
    return !args->more || FXI_PUSH(args->more, clean) || fxi_fail_memory(err, "graph");
}

bool fxi_rule_check_dtype(const fxi_shape_args *args, uint32_t set, fx_dtype dtype, fx_error *err) {
    return (set >> dtype & 1) || fail_dtype(args, set, dtype, err);
}

bool fxi_dtypes_check(const fxi_shape_args *args, fx_error *err) {
    const fxi_op_info *info = fxi_op_info_of(args->op);
    if (args->operand_count == 0) return true;
    fx_dtype first = args->operands[0]->dtype;
    if (!fx_dtype_is_valid(first) || !(info->dtypes >> first & 1))
        return fail_dtype(args, info->dtypes, first, err);
    size_t same = (size_t)info->same;
    for (size_t i = 1; i < same && i < args->operand_count; i++) {
        if (args->operands[i]->dtype != first)
            return fail(args, err, FX_ERROR_DTYPE,
                        "dtypes %s and %s differ; convert one of them with fx_convert", fx_dtype_name(first),
                        fx_dtype_name(args->operands[i]->dtype));
    }
    return true;
}

/* ---- broadcasting ---- */

static bool fail_broadcast(const fxi_shape_args *args, const fx_shape *a, const fx_shape *b, fx_error *err) {
    if (a->rank != b->rank)
        return fail(args, err, FX_ERROR_SHAPE,
                    "shapes %s and %s do not broadcast: their ranks are %d and %d (fx_insert_axes adds axes)",
                    dims_of(a).s, dims_of(b).s, a->rank, b->rank);
    int axis = 0;
    while (axis < a->rank - 1 && (a->dims[axis] == b->dims[axis] || a->dims[axis] == 1 || b->dims[axis] == 1))
        axis++;
    return fail(args, err, FX_ERROR_SHAPE, "shapes %s and %s do not broadcast: axis %d has %lld and %lld",
                dims_of(a).s, dims_of(b).s, axis, (long long)a->dims[axis], (long long)b->dims[axis]);
}

bool fxi_shape_broadcast(const char *name, const fx_shape *a, const fx_shape *b, fx_shape *result,
                         fx_error *err) {
    fx_dtype dtype = result->dtype;
    const fxi_shape_args args = {.name = name};
    if (a->rank != b->rank && a->rank != 0 && b->rank != 0) return fail_broadcast(&args, a, b, err);
    fx_shape dims = a->rank == 0 ? *b : *a;
    for (int i = 0; a->rank == b->rank && i < a->rank; i++) {
        if (a->dims[i] != b->dims[i] && a->dims[i] != 1 && b->dims[i] != 1)
            return fail_broadcast(&args, a, b, err);
        if (a->dims[i] == 1) dims.dims[i] = b->dims[i];
    }
    *result = dims;
    result->dtype = dtype;
    return true;
}

/* All operands of a MAP node have the same dimensions; builders have inserted broadcasts before. */
static bool check_equal_dims(const fxi_shape_args *args, fx_error *err) {
    for (size_t i = 1; i < args->operand_count; i++)
        if (!fx_shape_equal_dims(args->operands[0], args->operands[i]))
            return fail_broadcast(args, args->operands[0], args->operands[i], err);
    return true;
}

/* ---- leaves: the shape is given, in *result ---- */

static bool shape_attr(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    if (args->op == FX_OP_CONSTANT) {
        *result = attr_of(args, FXI_ATTR_VALUE)->u.tensor->shape;
    } else if (int_of(args, FXI_ATTR_INDEX) < 0) {
        return fail(args, err, FX_ERROR_ATTRIBUTE, "index is negative");
    }
    return true;
}

static bool shape_iota(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    uint32_t set = fxi_op_info_of(args->op)->dtypes;
    if (!fx_dtype_is_valid(result->dtype) || !(set >> result->dtype & 1))
        return fail_dtype(args, set, result->dtype, err);
    return check_axis(args, int_of(args, FXI_ATTR_AXIS), result, err);
}

/* ---- elementwise ---- */

static bool shape_same(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    *result = *args->operands[0];
    if (args->op == FX_OP_REDUCE_PRECISION) {
        int64_t exponent = int_of(args, FXI_ATTR_EXPONENT), mantissa = int_of(args, FXI_ATTR_MANTISSA);
        if (exponent < 1 || exponent > 64 || mantissa < 0 || mantissa > 64)
            return fail(args, err, FX_ERROR_ATTRIBUTE,
                        "%lld exponent bits and %lld mantissa bits: they must be in 1..64 and 0..64",
                        (long long)exponent, (long long)mantissa);
    }
    return check_equal_dims(args, err);
}

static bool shape_real(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    (void)err;
    *result = *args->operands[0];
    result->dtype = fx_dtype_real(result->dtype);
    return true;
}

/* Complex numbers have no order, and the total order is one of floats. */
static bool shape_predicate(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    fx_dtype dtype = args->operands[0]->dtype;
    if (args->op == FX_OP_COMPARE) {
        int64_t direction = int_of(args, FXI_ATTR_DIRECTION), total = int_of(args, FXI_ATTR_TOTAL_ORDER);
        if (direction < 0 || direction >= FXI_DIRECTIONS || total < 0 || total > 1)
            return fail(args, err, FX_ERROR_ATTRIBUTE, "direction %lld, total order %lld: no such comparison",
                        (long long)direction, (long long)total);
        if (fx_dtype_is_complex(dtype) && direction != FXI_EQ && direction != FXI_NE)
            return fail(args, err, FX_ERROR_DTYPE,
                        "%s has no order; compare parts (fx_real) or magnitudes (fx_abs)",
                        fx_dtype_name(dtype));
        if (total && !fx_dtype_is_float(dtype))
            return fail(args, err, FX_ERROR_DTYPE,
                        "%s is not accepted; the total order is one of float dtypes", fx_dtype_name(dtype));
    }
    *result = *args->operands[0];
    result->dtype = FX_BOOL;
    return check_equal_dims(args, err);
}

static bool shape_convert(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    (void)err;
    *result = *args->operands[0];
    result->dtype = attr_of(args, FXI_ATTR_DTYPE)->u.dtype;
    return true;
}

/* Operands of 64 unsigned bits; a word of 32 or 64. */
static bool shape_philox(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    fx_dtype dtype = attr_of(args, FXI_ATTR_DTYPE)->u.dtype;
    *result = *args->operands[0];
    if (result->dtype != FX_U64)
        return fail(args, err, FX_ERROR_DTYPE, "%s is not accepted; the operands are uint64",
                    fx_dtype_name(result->dtype));
    if (dtype != FX_U32 && dtype != FX_U64)
        return fail(args, err, FX_ERROR_DTYPE, "a word is uint32 or uint64, not %s", fx_dtype_name(dtype));
    result->dtype = dtype;
    return check_equal_dims(args, err);
}

static bool shape_complex(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    *result = *args->operands[0];
    if (result->dtype != FX_F32 && result->dtype != FX_F64)
        return fail(args, err, FX_ERROR_DTYPE, "%s is not accepted; the parts are float32 or float64",
                    fx_dtype_name(result->dtype));
    result->dtype = result->dtype == FX_F32 ? FX_C64 : FX_C128;
    return check_equal_dims(args, err);
}

static bool shape_select(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    fx_dtype on_true = args->operands[1]->dtype, on_false = args->operands[2]->dtype;
    if (on_true != on_false)
        return fail(args, err, FX_ERROR_DTYPE, "dtypes %s and %s differ; convert one of them with fx_convert",
                    fx_dtype_name(on_true), fx_dtype_name(on_false));
    *result = *args->operands[1];
    return check_equal_dims(args, err);
}

/* ---- moves ---- */

/* Equal widths keep the shape; a narrower dtype appends an axis of the pieces, a wider one takes it away. */
static bool shape_bitcast(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    fx_dtype to = attr_of(args, FXI_ATTR_DTYPE)->u.dtype;
    *result = *x;
    result->dtype = to;
    if (to == x->dtype) return true;
    if (to == FX_BOOL || x->dtype == FX_BOOL || fx_dtype_is_complex(to) != fx_dtype_is_complex(x->dtype))
        return fail(args, err, FX_ERROR_DTYPE, "%s and %s share no representation", fx_dtype_name(x->dtype),
                    fx_dtype_name(to));
    int from_bits = fx_dtype_bits(x->dtype), to_bits = fx_dtype_bits(to);
    if (from_bits > to_bits) {
        if (x->rank == FX_MAX_RANK)
            return fail(args, err, FX_ERROR_SHAPE, "%s has no room for another axis", fx_shape_to_text(x).s);
        result->dims[result->rank++] = from_bits / to_bits;
    } else if (from_bits < to_bits) {
        if (x->rank == 0 || x->dims[x->rank - 1] != to_bits / from_bits)
            return fail(args, err, FX_ERROR_SHAPE, "%s to %s: the last axis must have %d elements",
                        fx_shape_to_text(x).s, fx_dtype_name(to), to_bits / from_bits);
        result->dims[--result->rank] = 0;
    }
    return true;
}

static bool shape_broadcast(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    fx_dims axes = ints_of(args, FXI_ATTR_AXES);
    uint32_t seen = 0;
    result->dtype = x->dtype;
    FX_TRY(check_length(args, axes, FXI_ATTR_AXES, x, err));
    FX_TRY(check_axes(args, axes, result, &seen, err));
    for (int i = 0; i < x->rank; i++) {
        int64_t to = axes.v[i];
        if (x->dims[i] != 1 && x->dims[i] != result->dims[to])
            return fail(args, err, FX_ERROR_SHAPE,
                        "%s does not broadcast to %s: axis %d has %lld, axis %lld of the result %lld",
                        dims_of(x).s, dims_of(result).s, i, (long long)x->dims[i], (long long)to,
                        (long long)result->dims[to]);
    }
    return true;
}

static bool shape_reshape(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    int64_t from = fx_shape_size(x), to = fx_shape_size(result);
    result->dtype = x->dtype;
    if (from == to) return true;
    return fail(args, err, FX_ERROR_SHAPE, "%s has %lld elements, %s has %lld", dims_of(x).s, (long long)from,
                dims_of(result).s, (long long)to);
}

static bool shape_transpose(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    fx_dims permutation = ints_of(args, FXI_ATTR_PERMUTATION);
    uint32_t seen = 0;
    *result = *x;
    FX_TRY(check_length(args, permutation, FXI_ATTR_PERMUTATION, x, err));
    FX_TRY(check_axes(args, permutation, x, &seen, err));
    for (int i = 0; i < x->rank; i++) result->dims[i] = x->dims[permutation.v[i]];
    return true;
}

static bool shape_slice(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    fx_dims starts = ints_of(args, FXI_ATTR_STARTS), limits = ints_of(args, FXI_ATTR_LIMITS),
            strides = ints_of(args, FXI_ATTR_STRIDES);
    *result = *x;
    FX_TRY(check_length(args, starts, FXI_ATTR_STARTS, x, err));
    FX_TRY(check_length(args, limits, FXI_ATTR_LIMITS, x, err));
    FX_TRY(check_length(args, strides, FXI_ATTR_STRIDES, x, err));
    for (int i = 0; i < x->rank; i++) {
        int64_t start = starts.v[i], limit = limits.v[i], stride = strides.v[i];
        if (start < 0 || start > limit || limit > x->dims[i] || stride < 1)
            return fail(args, err, FX_ERROR_ATTRIBUTE,
                        "start %lld, limit %lld, stride %lld of axis %d: they need 0 <= start <= limit <= "
                        "%lld and stride >= 1",
                        (long long)start, (long long)limit, (long long)stride, i, (long long)x->dims[i]);
        int64_t extent = limit - start;
        result->dims[i] = extent / stride + (extent % stride != 0);
    }
    return true;
}

static bool shape_reverse(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    uint32_t seen = 0;
    *result = *args->operands[0];
    return check_axes(args, ints_of(args, FXI_ATTR_AXES), result, &seen, err);
}

static bool shape_concatenate(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    if (args->operand_count == 0) return fail(args, err, FX_ERROR_ARGUMENT, "needs at least one operand");
    int64_t axis = int_of(args, FXI_ATTR_AXIS);
    *result = *args->operands[0];
    FX_TRY(check_axis(args, axis, result, err));
    for (size_t i = 1; i < args->operand_count; i++) {
        const fx_shape *x = args->operands[i];
        fx_shape other = *x;
        if (x->rank == result->rank) other.dims[axis] = args->operands[0]->dims[axis];
        if (!fx_shape_equal_dims(&other, args->operands[0]))
            return fail(args, err, FX_ERROR_SHAPE,
                        "operands 0 and %zu have %s and %s: they may differ only along axis %lld", i,
                        dims_of(args->operands[0]).s, dims_of(x).s, (long long)axis);
        if (!fxi_size_add(result->dims[axis], x->dims[axis], &result->dims[axis]))
            return fail(args, err, FX_ERROR_MEMORY, "axis %lld does not fit into 63 bits", (long long)axis);
    }
    return true;
}

/* ---- reductions and contraction ---- */

static const char kind_dtypes[FXI_REDUCE_KINDS] = {
    [FXI_SUM] = 'n', [FXI_PRODUCT] = 'n', [FXI_MAX] = 'o', [FXI_MIN] = 'o',
    [FXI_AND] = 'b', [FXI_OR] = 'b',      [FXI_XOR] = 'b',
};

/* Sums and products take numbers, max and min ordered dtypes, the others bool and integers. */
bool fxi_rule_check_kind(const fxi_shape_args *args, fx_dtype dtype, fx_error *err) {
    int64_t kind = int_of(args, FXI_ATTR_KIND);
    if (kind < 0 || kind >= FXI_REDUCE_KINDS)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "there is no kind %lld", (long long)kind);
    char wanted = kind_dtypes[kind];
    fx_op model = wanted == 'n' ? FX_OP_SUB : wanted == 'o' ? FX_OP_MAX : FX_OP_AND;
    uint32_t set = fxi_op_info_of(model)->dtypes;
    return fxi_rule_check_dtype(args, set, dtype, err);
}

static void remove_axes(fx_shape *shape, uint32_t axes) {
    int rank = 0;
    for (int i = 0; i < shape->rank; i++)
        if (!(axes >> i & 1)) shape->dims[rank++] = shape->dims[i];
    for (int i = rank; i < shape->rank; i++) shape->dims[i] = 0;
    shape->rank = rank;
}

static bool shape_reduce(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    uint32_t seen = 0;
    *result = *args->operands[0];
    FX_TRY(fxi_rule_check_kind(args, result->dtype, err));
    FX_TRY(check_axes(args, ints_of(args, FXI_ATTR_AXES), result, &seen, err));
    remove_axes(result, seen);
    return true;
}

bool fxi_rule_index_fits(int64_t count, fx_dtype dtype) {
    int bits = fx_dtype_bits(dtype) - (fx_dtype_is_signed(dtype) ? 1 : 0);
    return bits >= 63 || count <= INT64_C(1) << bits;
}

static bool shape_arg_reduce(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    int64_t axis = int_of(args, FXI_ATTR_AXIS), kind = int_of(args, FXI_ATTR_KIND);
    fx_dtype dtype = attr_of(args, FXI_ATTR_DTYPE)->u.dtype;
    if (kind != FXI_MAX && kind != FXI_MIN)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "kind %s is neither max nor min",
                    fxi_reduce_kind_name((fxi_reduce_kind)kind));
    FX_TRY(check_axis(args, axis, x, err));
    if (!fx_dtype_is_integer(dtype))
        return fail(args, err, FX_ERROR_DTYPE, "indices cannot be %s; use an integer dtype",
                    fx_dtype_name(dtype));
    if (x->dims[axis] == 0)
        return fail(args, err, FX_ERROR_SHAPE, "axis %lld of %s is empty: there is no index to give",
                    (long long)axis, fx_shape_to_text(x).s);
    if (!fxi_rule_index_fits(x->dims[axis], dtype))
        return fail(args, err, FX_ERROR_DTYPE, "the indices of axis %lld of %s do not fit into %s",
                    (long long)axis, fx_shape_to_text(x).s, fx_dtype_name(dtype));
    *result = *x;
    result->dtype = dtype;
    remove_axes(result, UINT32_C(1) << axis);
    return true;
}

/* The operands' dtype, or a wider one of its family to accumulate in. */
bool fxi_rule_is_accumulator(fx_dtype from, fx_dtype to) {
    if (from == to) return true;
    bool family = (fx_dtype_is_integer(from) && fx_dtype_is_integer(to)) ||
                  (fx_dtype_is_float(from) && fx_dtype_is_float(to)) ||
                  (fx_dtype_is_complex(from) && fx_dtype_is_complex(to));
    return family && fx_dtype_bits(to) > fx_dtype_bits(from);
}

static bool check_pairs(const fxi_shape_args *args, fxi_attr_id lhs_id, fxi_attr_id rhs_id, const char *what,
                        fx_error *err) {
    const fx_shape *lhs = args->operands[0], *rhs = args->operands[1];
    fx_dims l = ints_of(args, lhs_id), r = ints_of(args, rhs_id);
    if (l.n != r.n)
        return fail(args, err, FX_ERROR_AXIS, "%zu %s axes of the left operand, %zu of the right", l.n, what,
                    r.n);
    for (size_t i = 0; i < l.n; i++) {
        if (lhs->dims[l.v[i]] != rhs->dims[r.v[i]])
            return fail(args, err, FX_ERROR_SHAPE, "%s and %s: the %s axes %lld and %lld have %lld and %lld",
                        dims_of(lhs).s, dims_of(rhs).s, what, (long long)l.v[i], (long long)r.v[i],
                        (long long)lhs->dims[l.v[i]], (long long)rhs->dims[r.v[i]]);
    }
    return true;
}

static bool append_free(const fxi_shape_args *args, const fx_shape *x, uint32_t used, fx_shape *result,
                        fx_error *err) {
    for (int i = 0; i < x->rank; i++) {
        if (used >> i & 1) continue;
        if (result->rank == FX_MAX_RANK)
            return fail(args, err, FX_ERROR_SHAPE, "%s and %s: the result has more than %d axes",
                        dims_of(args->operands[0]).s, dims_of(args->operands[1]).s, FX_MAX_RANK);
        result->dims[result->rank++] = x->dims[i];
    }
    return true;
}

static bool shape_dot_general(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *lhs = args->operands[0], *rhs = args->operands[1];
    uint32_t lhs_used = 0, rhs_used = 0;
    fx_dims batch = ints_of(args, FXI_ATTR_LHS_BATCH);
    FX_TRY(check_axes(args, batch, lhs, &lhs_used, err));
    FX_TRY(check_axes(args, ints_of(args, FXI_ATTR_LHS_CONTRACT), lhs, &lhs_used, err));
    FX_TRY(check_axes(args, ints_of(args, FXI_ATTR_RHS_BATCH), rhs, &rhs_used, err));
    FX_TRY(check_axes(args, ints_of(args, FXI_ATTR_RHS_CONTRACT), rhs, &rhs_used, err));
    FX_TRY(check_pairs(args, FXI_ATTR_LHS_BATCH, FXI_ATTR_RHS_BATCH, "batch", err));
    FX_TRY(check_pairs(args, FXI_ATTR_LHS_CONTRACT, FXI_ATTR_RHS_CONTRACT, "contracting", err));
    fx_dtype dtype = attr_of(args, FXI_ATTR_DTYPE)->u.dtype;
    if (!fxi_rule_is_accumulator(lhs->dtype, dtype))
        return fail(args, err, FX_ERROR_DTYPE, "%s operands give %s or a wider dtype of its kind, not %s",
                    fx_dtype_name(lhs->dtype), fx_dtype_name(lhs->dtype), fx_dtype_name(dtype));
    *result = (fx_shape){.dtype = dtype};
    for (size_t i = 0; i < batch.n; i++) result->dims[result->rank++] = lhs->dims[batch.v[i]];
    return append_free(args, lhs, lhs_used, result, err) && append_free(args, rhs, rhs_used, result, err);
}

/* ---- the table ---- */

typedef bool (*shape_rule)(const fxi_shape_args *args, fx_shape *result, fx_error *err);

static const shape_rule rules[FX_OP_COUNT] = {
#define FX_OP(id, text, operands, class, work, dtypes, same, shape, gradient, hlo, meaning)                  \
    [FX_OP_##id] = shape_##shape,
#include "graph/ops.def"
#undef FX_OP
};

static bool is_shape_given(fx_op op) {
    return op == FX_OP_PARAMETER || op == FX_OP_IOTA || op == FX_OP_RESULT || op == FX_OP_RESHAPE ||
           op == FX_OP_BROADCAST_IN_DIM;
}

bool fxi_shape_infer(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fxi_op_info *info = fxi_op_info_of(args->op);
    if ((unsigned)args->op >= FX_OP_COUNT || !rules[args->op])
        return fail(args, err, FX_ERROR_INTERNAL, "there is no operation %d", (int)args->op);
    if (info->operands != FXI_MANY && args->operand_count != (size_t)info->operands)
        return fail(args, err, FX_ERROR_ARGUMENT, "%zu operands instead of %d", args->operand_count,
                    info->operands);
    FX_TRY(check_attributes(args, err));
    FX_TRY(fxi_dtypes_check(args, err));
    if (is_shape_given(args->op)) {
        if (args->operand_count > 0 && args->op != FX_OP_RESULT) result->dtype = args->operands[0]->dtype;
        if (!fx_shape_is_valid(result)) {
            const fxi_shape_fault fault = fxi_shape_fault_of(result);
            return fail(args, err, fault.code, "the shape %s", fault.text);
        }
    }
    FX_TRY(rules[args->op](args, result, err));
    if (!fx_shape_is_valid(result))
        return fail(args, err, FX_ERROR_MEMORY, "the result %s does not fit into 63 bits",
                    fx_shape_to_text(result).s);
    return true;
}
