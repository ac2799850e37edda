/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rules of padding, dynamic slices, gather and scatter. The constraints of gather and scatter are those
 * of StableHLO. Both describe windows of one operand: its axes fall into dropped ones (a window has size 1
 * there and lacks the axis), batching ones (paired with axes of the indices) and the rest, which the window
 * axes of the other array (the gather's result, the scatter's updates) follow in order. */
#include "shape_rules.h"

/* ---- pad ---- */

/* low + high + dim + (dim - 1) interior, where there are gaps; all of it can overflow. The bound lets later
 * layers add and subtract a padding and a dimension. */
static bool padded_dim(int64_t dim, int64_t low, int64_t high, int64_t interior, int64_t *result) {
    int64_t gaps = dim > 0 ? dim - 1 : 0, bound = INT64_C(1) << 61;
    if (low < -bound || low > bound || high < -bound || high > bound || interior > bound) return false;
    return !__builtin_mul_overflow(gaps, interior, &gaps) && !__builtin_add_overflow(dim, gaps, result) &&
           !__builtin_add_overflow(*result, low, result) && !__builtin_add_overflow(*result, high, result);
}

bool shape_pad(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    fx_dims low = ints_of(args, FXI_ATTR_LOW), high = ints_of(args, FXI_ATTR_HIGH),
            interior = ints_of(args, FXI_ATTR_INTERIOR);
    *result = *x;
    if (args->operands[1]->rank != 0)
        return fail(args, err, FX_ERROR_SHAPE, "the value is %s; it must be a scalar",
                    fx_shape_to_text(args->operands[1]).s);
    FX_TRY(check_length(args, low, FXI_ATTR_LOW, x, err));
    FX_TRY(check_length(args, high, FXI_ATTR_HIGH, x, err));
    FX_TRY(check_length(args, interior, FXI_ATTR_INTERIOR, x, err));
    for (int i = 0; i < x->rank; i++) {
        if (interior.v[i] < 0)
            return fail(args, err, FX_ERROR_ATTRIBUTE, "interior %lld of axis %d is negative",
                        (long long)interior.v[i], i);
        if (!padded_dim(x->dims[i], low.v[i], high.v[i], interior.v[i], &result->dims[i]))
            return fail(args, err, FX_ERROR_MEMORY, "axis %d does not fit into 63 bits", i);
        if (result->dims[i] < 0)
            return fail(args, err, FX_ERROR_ATTRIBUTE,
                        "low %lld, high %lld, interior %lld of axis %d, which has %lld: the result would have "
                        "%lld",
                        (long long)low.v[i], (long long)high.v[i], (long long)interior.v[i], i,
                        (long long)x->dims[i], (long long)result->dims[i]);
    }
    return true;
}

/* ---- dynamic slices ---- */

/* The operands from `first` on: one integer scalar per axis of x, of one dtype. */
static bool check_starts(const fxi_shape_args *args, size_t first, fx_error *err) {
    const fx_shape *x = args->operands[0];
    size_t count = args->operand_count - first;
    if (count != (size_t)x->rank)
        return fail(args, err, FX_ERROR_ARGUMENT, "%zu starts for %s, which has rank %d", count,
                    fx_shape_to_text(x).s, x->rank);
    for (size_t i = first; i < args->operand_count; i++) {
        const fx_shape *start = args->operands[i];
        if (start->rank != 0 || !fx_dtype_is_integer(start->dtype))
            return fail(args, err, start->rank ? FX_ERROR_SHAPE : FX_ERROR_DTYPE,
                        "start %zu is %s; it must be an integer scalar", i - first, fx_shape_to_text(start).s);
        if (start->dtype != args->operands[first]->dtype)
            return fail(args, err, FX_ERROR_DTYPE, "starts of dtypes %s and %s; they must be equal",
                        fx_dtype_name(args->operands[first]->dtype), fx_dtype_name(start->dtype));
    }
    return true;
}

static bool check_size(const fxi_shape_args *args, int64_t size, int axis, fx_error *err) {
    const fx_shape *x = args->operands[0];
    if (size >= 0 && size <= x->dims[axis]) return true;
    return fail(args, err, FX_ERROR_ATTRIBUTE, "size %lld of axis %d; it must be from 0 to %lld",
                (long long)size, axis, (long long)x->dims[axis]);
}

bool shape_dyn_slice(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    if (args->operand_count == 0) return fail(args, err, FX_ERROR_ARGUMENT, "needs an operand");
    fx_dims sizes = ints_of(args, FXI_ATTR_SIZES);
    *result = *args->operands[0];
    FX_TRY(check_length(args, sizes, FXI_ATTR_SIZES, args->operands[0], err));
    FX_TRY(check_starts(args, 1, err));
    for (int i = 0; i < result->rank; i++) {
        FX_TRY(check_size(args, sizes.v[i], i, err));
        result->dims[i] = sizes.v[i];
    }
    return true;
}

bool shape_dyn_update(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    if (args->operand_count < 2) return fail(args, err, FX_ERROR_ARGUMENT, "needs an operand and an update");
    const fx_shape *x = args->operands[0], *update = args->operands[1];
    *result = *x;
    FX_TRY(check_starts(args, 2, err));
    bool fits = update->rank == x->rank;
    for (int i = 0; fits && i < x->rank; i++) fits = update->dims[i] <= x->dims[i];
    return fits || fail(args, err, FX_ERROR_SHAPE, "the update %s does not fit into %s", dims_of(update).s,
                        dims_of(x).s);
}

/* ---- barriers: the others are only waited for ---- */

bool shape_barrier(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    if (args->operand_count == 0) return fail(args, err, FX_ERROR_ARGUMENT, "needs an operand");
    *result = *args->operands[0];
    return true;
}

/* ---- gather and scatter ---- */

static bool check_increasing(const fxi_shape_args *args, fxi_attr_id id, fx_error *err) {
    fx_dims list = ints_of(args, id);
    for (size_t i = 1; i < list.n; i++)
        if (list.v[i - 1] >= list.v[i])
            return fail(args, err, FX_ERROR_AXIS, "%s %s are not increasing", fxi_attr_text(id),
                        fxi_dims_text(list.v, list.n).s);
    return true;
}

/* Axes of the operand: dropped and batching ones are disjoint, and the index map avoids the batching ones. */
static bool check_operand_axes(const fxi_shape_args *args, uint32_t *without_window, fx_error *err) {
    const fx_shape *x = args->operands[0];
    uint32_t batch = 0;
    FX_TRY(check_increasing(args, FXI_ATTR_DROPPED_AXES, err));
    FX_TRY(check_increasing(args, FXI_ATTR_OPERAND_BATCH, err));
    FX_TRY(check_axes(args, ints_of(args, FXI_ATTR_OPERAND_BATCH), x, &batch, err));
    uint32_t indexed = batch;
    *without_window = batch;
    FX_TRY(check_axes(args, ints_of(args, FXI_ATTR_DROPPED_AXES), x, without_window, err));
    return check_axes(args, ints_of(args, FXI_ATTR_INDEX_MAP), x, &indexed, err);
}

/* The indices: integers whose index axis (or its absence) agrees with the index map, and batching axes that
 * pair with the operand's. */
static bool check_indices(const fxi_shape_args *args, fx_error *err) {
    const fx_shape *x = args->operands[0], *indices = args->operands[1];
    int64_t axis = int_of(args, FXI_ATTR_INDEX_AXIS);
    fx_dims map = ints_of(args, FXI_ATTR_INDEX_MAP), own = ints_of(args, FXI_ATTR_OPERAND_BATCH),
            other = ints_of(args, FXI_ATTR_INDICES_BATCH);
    if (!fx_dtype_is_integer(indices->dtype))
        return fail(args, err, FX_ERROR_DTYPE, "the indices are %s; they must be integers",
                    fx_dtype_name(indices->dtype));
    if (axis < 0 || axis > indices->rank)
        return fail(args, err, FX_ERROR_AXIS, "index_axis %lld is out of range for indices %s",
                    (long long)axis, dims_of(indices).s);
    int64_t components = axis < indices->rank ? indices->dims[axis] : 1;
    if ((int64_t)map.n != components)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "%zu axes in index_map, but an index has %lld components",
                    map.n, (long long)components);
    uint32_t seen = axis < indices->rank ? UINT32_C(1) << axis : 0;
    FX_TRY(check_axes(args, other, indices, &seen, err));
    if (own.n != other.n)
        return fail(args, err, FX_ERROR_AXIS, "%zu batching axes of the operand, %zu of the indices", own.n,
                    other.n);
    for (size_t i = 0; i < own.n; i++)
        if (x->dims[own.v[i]] != indices->dims[other.v[i]])
            return fail(args, err, FX_ERROR_SHAPE, "batching axes %lld of %s and %lld of %s differ",
                        (long long)own.v[i], dims_of(x).s, (long long)other.v[i], dims_of(indices).s);
    return true;
}

/* Places the dimensions of the indices (without the index axis) around the window axes of `shape`, whose
 * rank is set; the window's own dimensions come from `window`, in order. */
static void merge_dims(const fxi_shape_args *args, const int64_t *window, fx_shape *shape) {
    const fx_shape *indices = args->operands[1];
    fx_dims axes = ints_of(args, FXI_ATTR_WINDOW_AXES);
    int64_t index_axis = int_of(args, FXI_ATTR_INDEX_AXIS);
    size_t next_window = 0;
    int next_batch = 0;
    for (int i = 0; i < shape->rank; i++) {
        if (next_window < axes.n && axes.v[next_window] == i) {
            shape->dims[i] = window[next_window++];
        } else {
            next_batch += next_batch == index_axis;
            shape->dims[i] = indices->dims[next_batch++];
        }
    }
}

/* Checks what gather and scatter have in common; gives the operand's axes that no window axis follows, and
 * the rank of the array that holds the windows. */
static bool check_windows(const fxi_shape_args *args, uint32_t *without_window, int *rank, fx_error *err) {
    const fx_shape *x = args->operands[0], *indices = args->operands[1];
    fx_dims window = ints_of(args, FXI_ATTR_WINDOW_AXES);
    size_t gone = ints_of(args, FXI_ATTR_DROPPED_AXES).n + ints_of(args, FXI_ATTR_OPERAND_BATCH).n;
    FX_TRY(check_operand_axes(args, without_window, err));
    FX_TRY(check_indices(args, err));
    if (gone + window.n != (size_t)x->rank)
        return fail(args, err, FX_ERROR_AXIS, "%zu window, %zu dropped and %zu batching axes for %s (rank %d)",
                    window.n, ints_of(args, FXI_ATTR_DROPPED_AXES).n, ints_of(args, FXI_ATTR_OPERAND_BATCH).n,
                    fx_shape_to_text(x).s, x->rank);
    *rank = indices->rank - (int_of(args, FXI_ATTR_INDEX_AXIS) < indices->rank) + (int)window.n;
    if (*rank > FX_MAX_RANK)
        return fail(args, err, FX_ERROR_SHAPE, "%d axes of slices at indices %s are more than %d", *rank,
                    dims_of(indices).s, FX_MAX_RANK);
    FX_TRY(check_increasing(args, FXI_ATTR_WINDOW_AXES, err));
    if (window.n > 0 && (window.v[0] < 0 || window.v[window.n - 1] >= *rank))
        return fail(args, err, FX_ERROR_AXIS, "window_axes %s are out of range: slices and indices make rank %d",
                    fxi_dims_text(window.v, window.n).s, *rank);
    return true;
}

bool shape_gather(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    fx_dims sizes = ints_of(args, FXI_ATTR_SIZES);
    uint32_t without_window = 0;
    int64_t window[FX_MAX_RANK] = {0};
    int rank, n = 0, empty = -1;
    FX_TRY(check_length(args, sizes, FXI_ATTR_SIZES, x, err));
    FX_TRY(check_windows(args, &without_window, &rank, err));
    for (int i = 0; i < x->rank; i++) {
        FX_TRY(check_size(args, sizes.v[i], i, err));
        if (!(without_window >> i & 1)) {
            window[n++] = sizes.v[i];
        } else if (sizes.v[i] > 1) {
            return fail(args, err, FX_ERROR_ATTRIBUTE,
                        "size %lld of axis %d; it must be 1, since the result lacks the axis",
                        (long long)sizes.v[i], i);
        } else if (sizes.v[i] == 0) {
            empty = i;
        }
    }
    *result = (fx_shape){.dtype = x->dtype, .rank = rank};
    merge_dims(args, window, result);
    if (empty >= 0 && fx_shape_size(result) != 0)
        return fail(args, err, FX_ERROR_SHAPE, "size 0 of axis %d of %s: there is nothing to take", empty,
                    dims_of(x).s);
    return true;
}

/* What each kind takes: the ops that combine two elements, and any dtype to replace one. */
static bool check_combine(const fxi_shape_args *args, fx_error *err) {
    static const fx_op models[FXI_SCATTER_KINDS] = {
        [FXI_SCATTER_SUM] = FX_OP_ADD, [FXI_SCATTER_PRODUCT] = FX_OP_MUL,     [FXI_SCATTER_MAX] = FX_OP_MAX,
        [FXI_SCATTER_MIN] = FX_OP_MIN, [FXI_SCATTER_UPDATE] = FX_OP_PARAMETER};
    int64_t kind = int_of(args, FXI_ATTR_COMBINE);
    if (kind < 0 || kind >= FXI_SCATTER_KINDS)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "there is no kind %lld", (long long)kind);
    fx_dtype dtype = args->operands[0]->dtype;
    if (!(fxi_op_info_of(models[kind])->dtypes >> dtype & 1))
        return fail(args, err, FX_ERROR_DTYPE, "%s of %s is not defined",
                    fxi_scatter_kind_name((fxi_scatter_kind)kind), fx_dtype_name(dtype));
    if (args->operands[2]->dtype != dtype)
        return fail(args, err, FX_ERROR_DTYPE,
                    "dtypes %s and %s of operand and updates differ; convert one of them with fx_convert",
                    fx_dtype_name(dtype), fx_dtype_name(args->operands[2]->dtype));
    return true;
}

bool shape_scatter(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0], *updates = args->operands[2];
    fx_dims window = ints_of(args, FXI_ATTR_WINDOW_AXES);
    uint32_t without_window = 0;
    int64_t own[FX_MAX_RANK] = {0};
    int rank, n = 0;
    *result = *x;
    FX_TRY(check_combine(args, err));
    FX_TRY(check_windows(args, &without_window, &rank, err));
    if (updates->rank != rank)
        return fail(args, err, FX_ERROR_SHAPE, "the updates %s must have rank %d", dims_of(updates).s, rank);
    for (int i = 0; i < x->rank; i++) {
        if (without_window >> i & 1) continue;
        own[n] = updates->dims[window.v[n]];
        if (own[n] > x->dims[i])
            return fail(args, err, FX_ERROR_SHAPE,
                        "axis %lld of the updates %s does not fit into axis %d of %s", (long long)window.v[n],
                        dims_of(updates).s, i, dims_of(x).s);
        n++;
    }
    fx_shape wanted = {.dtype = updates->dtype, .rank = rank};
    merge_dims(args, own, &wanted);
    if (!fx_shape_equal_dims(&wanted, updates))
        return fail(args, err, FX_ERROR_SHAPE, "the updates are %s; with indices %s they must be %s",
                    dims_of(updates).s, dims_of(args->operands[1]).s, dims_of(&wanted).s);
    return true;
}
