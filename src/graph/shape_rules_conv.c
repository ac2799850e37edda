/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rule of convolution; the constraints are those of StableHLO. Layouts are lists of axes: batch,
 * feature, spatial axes of the input and the result; output feature, input feature, spatial axes of the
 * kernel.
 *
 * padded   = low + high + (dim - 1) input_dilation + 1         (dim 0: low + high) window   = (kernel - 1)
 * kernel_dilation + 1                  (kernel 0: 0) result   = (padded - window) / stride + 1, rounded
 * down; 0 where padded is 0 or the window larger */
#include "shape_rules.h"

enum { FIRST_SPATIAL = 2 };

static bool check_layout(const fxi_shape_args *args, fxi_attr_id id, const fx_shape *x, fx_error *err) {
    fx_dims layout = ints_of(args, id);
    uint32_t seen = 0;
    if (layout.n != (size_t)x->rank)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "%s names %zu axes of %s, which has rank %d",
                    fxi_attr_text(id), layout.n, fx_shape_to_text(x).s, x->rank);
    return check_axes(args, layout, x, &seen, err);
}

static bool check_layouts(const fxi_shape_args *args, fx_error *err) {
    const fx_shape *x = args->operands[0], *kernel = args->operands[1];
    if (x->rank < FIRST_SPATIAL)
        return fail(args, err, FX_ERROR_SHAPE, "%s has no batch and feature axes", fx_shape_to_text(x).s);
    if (kernel->rank != x->rank)
        return fail(args, err, FX_ERROR_SHAPE, "the kernel %s must have the rank of %s: %d",
                    dims_of(kernel).s, dims_of(x).s, x->rank);
    return check_layout(args, FXI_ATTR_INPUT_LAYOUT, x, err) &&
           check_layout(args, FXI_ATTR_KERNEL_LAYOUT, kernel, err) &&
           check_layout(args, FXI_ATTR_OUTPUT_LAYOUT, x, err);
}

/* A list with one entry per spatial axis, each in [least, most]. */
static bool check_list(const fxi_shape_args *args, fxi_attr_id id, int64_t least, int64_t most,
                       fx_error *err) {
    fx_dims list = ints_of(args, id);
    size_t spatial = (size_t)args->operands[0]->rank - FIRST_SPATIAL;
    if (list.n != spatial)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "%zu %s for %zu spatial axes", list.n, fxi_attr_text(id),
                    spatial);
    for (size_t i = 0; i < list.n; i++)
        if (list.v[i] < least || list.v[i] > most)
            return fail(args, err, FX_ERROR_ATTRIBUTE,
                        "%s %lld of spatial axis %zu; it must be from %lld to %lld", fxi_attr_text(id),
                        (long long)list.v[i], i, (long long)least, (long long)most);
    return true;
}

static bool check_lists(const fxi_shape_args *args, fx_error *err) {
    int64_t most = INT64_C(1) << 61; /* lets later layers add two of them */
    return check_list(args, FXI_ATTR_STRIDES, 1, most, err) &&
           check_list(args, FXI_ATTR_LOW, -most, most, err) &&
           check_list(args, FXI_ATTR_HIGH, -most, most, err) &&
           check_list(args, FXI_ATTR_INPUT_DILATION, 1, most, err) &&
           check_list(args, FXI_ATTR_KERNEL_DILATION, 1, most, err) &&
           check_list(args, FXI_ATTR_REVERSED, 0, 1, err);
}

/* The sizes of the axes that groups divide. */
typedef struct features {
    int64_t batch, in, kernel_in, out, groups, batch_groups;
} features;

static features find_features(const fxi_shape_args *args) {
    const fx_shape *x = args->operands[0], *kernel = args->operands[1];
    fx_dims input = ints_of(args, FXI_ATTR_INPUT_LAYOUT), k = ints_of(args, FXI_ATTR_KERNEL_LAYOUT);
    return (features){.batch = x->dims[input.v[0]],
                      .in = x->dims[input.v[1]],
                      .kernel_in = kernel->dims[k.v[1]],
                      .out = kernel->dims[k.v[0]],
                      .groups = int_of(args, FXI_ATTR_FEATURE_GROUPS),
                      .batch_groups = int_of(args, FXI_ATTR_BATCH_GROUPS)};
}

static bool check_groups(const fxi_shape_args *args, const features *f, fx_error *err) {
    if (f->groups < 1 || f->batch_groups < 1)
        return fail(args, err, FX_ERROR_ATTRIBUTE,
                    "%lld feature groups and %lld batch groups; there is at least one", (long long)f->groups,
                    (long long)f->batch_groups);
    if (f->groups > 1 && f->batch_groups > 1)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "%lld feature groups and %lld batch groups; one must be 1",
                    (long long)f->groups, (long long)f->batch_groups);
    if (f->in % f->groups != 0 || f->in / f->groups != f->kernel_in)
        return fail(args, err, FX_ERROR_SHAPE,
                    "%lld input features in %lld groups, but the kernel has %lld input features",
                    (long long)f->in, (long long)f->groups, (long long)f->kernel_in);
    if (f->out % f->groups != 0 || f->out % f->batch_groups != 0)
        return fail(args, err, FX_ERROR_SHAPE, "%lld output features do not divide into %lld groups",
                    (long long)f->out, (long long)(f->groups > 1 ? f->groups : f->batch_groups));
    if (f->batch % f->batch_groups != 0)
        return fail(args, err, FX_ERROR_SHAPE, "a batch of %lld does not divide into %lld groups",
                    (long long)f->batch, (long long)f->batch_groups);
    return true;
}

/* (dim - 1) step + 1, or 0. */
static bool dilated(int64_t dim, int64_t step, int64_t *result) {
    *result = 0;
    return dim == 0 ||
           (!__builtin_mul_overflow(dim - 1, step, result) && !__builtin_add_overflow(*result, 1, result));
}

static bool spatial_dim(const fxi_shape_args *args, size_t i, int64_t *result, fx_error *err) {
    int64_t axis = ints_of(args, FXI_ATTR_INPUT_LAYOUT).v[i + FIRST_SPATIAL];
    int64_t dim = args->operands[0]->dims[axis], padded, window, low = ints_of(args, FXI_ATTR_LOW).v[i],
            high = ints_of(args, FXI_ATTR_HIGH).v[i];
    int64_t kernel = args->operands[1]->dims[ints_of(args, FXI_ATTR_KERNEL_LAYOUT).v[i + FIRST_SPATIAL]];
    bool fits = dilated(dim, ints_of(args, FXI_ATTR_INPUT_DILATION).v[i], &padded) &&
                dilated(kernel, ints_of(args, FXI_ATTR_KERNEL_DILATION).v[i], &window) &&
                !__builtin_add_overflow(padded, low, &padded) &&
                !__builtin_add_overflow(padded, high, &padded) && padded < INT64_C(1) << 61 &&
                window < INT64_C(1) << 61;
    if (!fits) return fail(args, err, FX_ERROR_MEMORY, "spatial axis %zu does not fit into 61 bits", i);
    if (padded < 0)
        return fail(args, err, FX_ERROR_ATTRIBUTE,
                    "low %lld and high %lld remove more than there is of spatial axis %zu", (long long)low,
                    (long long)high, i);
    *result =
        padded == 0 || window > padded ? 0 : (padded - window) / ints_of(args, FXI_ATTR_STRIDES).v[i] + 1;
    return true;
}

bool shape_convolution(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    FX_TRY(check_layouts(args, err));
    FX_TRY(check_lists(args, err));
    features f = find_features(args);
    FX_TRY(check_groups(args, &f, err));
    fx_dims layout = ints_of(args, FXI_ATTR_OUTPUT_LAYOUT);
    fx_dtype dtype = attr_of(args, FXI_ATTR_DTYPE)->u.dtype;
    if (!fxi_rule_is_accumulator(x->dtype, dtype))
        return fail(args, err, FX_ERROR_DTYPE, "%s operands give %s or a wider dtype of its kind, not %s",
                    fx_dtype_name(x->dtype), fx_dtype_name(x->dtype), fx_dtype_name(dtype));
    *result = (fx_shape){.dtype = dtype, .rank = x->rank};
    result->dims[layout.v[0]] = f.batch / f.batch_groups;
    result->dims[layout.v[1]] = f.out;
    for (size_t i = 0; i + FIRST_SPATIAL < (size_t)x->rank; i++)
        FX_TRY(spatial_dim(args, i, &result->dims[layout.v[i + FIRST_SPATIAL]], err));
    return true;
}
