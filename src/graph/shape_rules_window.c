/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rules of operations over neighbours. Cumulative operations keep the operand's shape, for the dtypes
 * that the kind of combination takes, which is asked of the row of an elementwise operation that takes the
 * same. Windows follow StableHLO: an axis of n elements that lie base_dilation apart, with low and high more
 * around them, has one window per stride as long as a whole window fits; paddings may be negative. */
#include "shape_rules.h"

static const fx_op scan_models[FXI_SCAN_KINDS] = {
    [FXI_SCAN_SUM] = FX_OP_SUB, [FXI_SCAN_PRODUCT] = FX_OP_SUB,   [FXI_SCAN_MAX] = FX_OP_REM,
    [FXI_SCAN_MIN] = FX_OP_REM, [FXI_SCAN_LOGSUMEXP] = FX_OP_ERF,
};

bool shape_cumulative(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    int64_t kind = int_of(args, FXI_ATTR_SCAN), backwards = int_of(args, FXI_ATTR_BACKWARDS);
    if (kind < 0 || kind >= FXI_SCAN_KINDS)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "there is no kind %lld", (long long)kind);
    if (backwards != 0 && backwards != 1)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "backwards is %lld; it is 0 or 1", (long long)backwards);
    FX_TRY(fxi_rule_check_dtype(args, fxi_op_info_of(scan_models[kind])->dtypes, x->dtype, err));
    *result = *x;
    return check_axis(args, int_of(args, FXI_ATTR_AXIS), x, err);
}

/* ---- windows ---- */

/* Sizes and positions of windows stay below this, so that later layers may add and subtract two of them. */
static const int64_t most = INT64_C(1) << 61;

static bool check_positive(const fxi_shape_args *args, fxi_attr_id id, const fx_shape *x, fx_error *err) {
    fx_dims list = ints_of(args, id);
    FX_TRY(check_length(args, list, id, x, err));
    for (size_t i = 0; i < list.n; i++)
        if (list.v[i] < 1)
            return fail(args, err, FX_ERROR_ATTRIBUTE, "%s %lld of axis %zu; it must be at least 1",
                        fxi_attr_text(id), (long long)list.v[i], i);
    return true;
}

/* (count - 1) distance + 1, and 0 of nothing. */
static bool spread_of(int64_t count, int64_t distance, int64_t *spread) {
    if (count == 0) return *spread = 0, true;
    return !__builtin_mul_overflow(count - 1, distance, spread) && *spread < most && ++*spread;
}

/* Number of windows along an axis; false when a size does not fit. */
static bool count_windows(int64_t dim, int64_t window, int64_t stride, int64_t base, int64_t dilation,
                          int64_t low, int64_t high, int64_t *count) {
    int64_t padded, spread;
    if (low < -most || low > most || high < -most || high > most) return false;
    if (!spread_of(dim, base, &padded) || !spread_of(window, dilation, &spread)) return false;
    if (__builtin_add_overflow(padded, low, &padded) || __builtin_add_overflow(padded, high, &padded))
        return false;
    *count = padded < spread ? 0 : (padded - spread) / stride + 1;
    return padded <= most;
}

static bool infer_windows(const fxi_shape_args *args, bool dilated, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    *result = *x;
    FX_TRY(check_positive(args, FXI_ATTR_WINDOW, x, err));
    FX_TRY(check_positive(args, FXI_ATTR_STRIDES, x, err));
    if (dilated) FX_TRY(check_positive(args, FXI_ATTR_BASE_DILATION, x, err));
    if (dilated) FX_TRY(check_positive(args, FXI_ATTR_WINDOW_DILATION, x, err));
    fx_dims low = ints_of(args, FXI_ATTR_LOW), high = ints_of(args, FXI_ATTR_HIGH);
    FX_TRY(check_length(args, low, FXI_ATTR_LOW, x, err));
    FX_TRY(check_length(args, high, FXI_ATTR_HIGH, x, err));
    for (int i = 0; i < x->rank; i++) {
        int64_t base = dilated ? ints_of(args, FXI_ATTR_BASE_DILATION).v[i] : 1,
                dilation = dilated ? ints_of(args, FXI_ATTR_WINDOW_DILATION).v[i] : 1;
        if (!count_windows(x->dims[i], ints_of(args, FXI_ATTR_WINDOW).v[i],
                           ints_of(args, FXI_ATTR_STRIDES).v[i], base, dilation, low.v[i], high.v[i],
                           &result->dims[i]))
            return fail(args, err, FX_ERROR_MEMORY, "the windows of axis %d do not fit into 63 bits", i);
    }
    return true;
}

bool shape_reduce_window(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    FX_TRY(fxi_rule_check_kind(args, args->operands[0]->dtype, err));
    return infer_windows(args, true, result, err);
}

bool shape_select_scatter(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *source = args->operands[1];
    fx_shape windows;
    int64_t kind = int_of(args, FXI_ATTR_KIND);
    if (kind != FXI_MAX && kind != FXI_MIN)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "kind %lld is neither max nor min", (long long)kind);
    FX_TRY(infer_windows(args, false, &windows, err));
    if (!fx_shape_equal_dims(&windows, source))
        return fail(args, err, FX_ERROR_SHAPE, "the source is %s; there are %s windows", dims_of(source).s,
                    dims_of(&windows).s);
    *result = *args->operands[0];
    return true;
}
