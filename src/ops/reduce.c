/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of reductions. The primitive has a kind and the reduced axes; means and variances are composites,
 * computed in float32 for half types so that neither the sum nor the squares overflow or lose bits. */
#include "ops/ops.h"

static fx_node *reduce_axes(const fxi_build *b, fx_node *x, fxi_reduce_kind kind, const fxi_axis_list *axes) {
    if (axes->n == 0) return x; /* a scalar: nothing to combine */
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, kind),
                              fxi_attr_ints(FXI_ATTR_AXES, axes->v, axes->n)};
    return fxi_build_node(b, FX_OP_REDUCE, &x, 1, attrs, 2, NULL);
}

/* ---- one kind ---- */

typedef enum family { NUMBERS, ORDERED, BOOLS, INTEGERS } family;

/* The dtypes of a family are those of an elementwise operation, except for bool and integers alone. */
static bool check_family(const fxi_build *b, const fx_node *x, family wanted) {
    fx_dtype dtype = x->shape.dtype;
    if (wanted == NUMBERS) return fxi_build_takes(b, x, FX_OP_SUB);
    if (wanted == ORDERED) return fxi_build_takes(b, x, FX_OP_MAX);
    if (wanted == INTEGERS) return fxi_build_takes(b, x, FX_OP_POPCOUNT);
    if (dtype == FX_BOOL) return true;
    fxi_build_refuse(b, FX_ERROR_DTYPE, "%s is not accepted; it takes bool dtypes (fx_convert converts)",
                     fx_dtype_name(dtype));
    return false;
}

static fx_node *reduce(const char *name, fx_node *x, fxi_reduce_kind kind, family wanted, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, name, &x, 1) || !check_family(&b, x, wanted)) return b.stop;
    return fxi_build_reduced_axes(&b, x, axes, &list) ? reduce_axes(&b, x, kind, &list) : b.stop;
}

#define REDUCE(word, kind, family)                                                                           \
    fx_node *fx_reduce_##word(fx_node *x, fx_axes axes) {                                                    \
        return reduce("fx_reduce_" #word, x, kind, family, axes);                                            \
    }                                                                                                        \
    fx_node *fx_reduce_all_##word(fx_node *x) {                                                              \
        return reduce("fx_reduce_all_" #word, x, kind, family, (fx_axes){NULL, 0});                          \
    }
REDUCE(sum, FXI_SUM, NUMBERS)
REDUCE(product, FXI_PRODUCT, NUMBERS)
REDUCE(max, FXI_MAX, ORDERED)
REDUCE(min, FXI_MIN, ORDERED)
REDUCE(and, FXI_AND, BOOLS)
REDUCE(or, FXI_OR, BOOLS)
REDUCE(xor, FXI_XOR, BOOLS)
REDUCE(bitwise_and, FXI_AND, INTEGERS)
REDUCE(bitwise_or, FXI_OR, INTEGERS)
REDUCE(bitwise_xor, FXI_XOR, INTEGERS)

static fx_node *reduce_truth(const char *name, fx_node *x, fxi_reduce_kind kind, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_takes(&b, x, FX_OP_ADD)) return b.stop;
    if (!fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    fx_node *truth = fx_convert(x, FX_BOOL);
    return truth->op == FX_OP_INERT ? truth : reduce_axes(&b, truth, kind, &list);
}

fx_node *fx_logical_all(fx_node *x, fx_axes axes) {
    return reduce_truth("fx_logical_all", x, FXI_AND, axes);
}
fx_node *fx_logical_any(fx_node *x, fx_axes axes) {
    return reduce_truth("fx_logical_any", x, FXI_OR, axes);
}

/* ---- mean and variance ---- */

/* The checks of a statistic of floats (and complex numbers where the model takes them). */
static bool begin_statistic(fxi_build *b, const char *name, fx_node *x, const char *what, fx_op model,
                            fx_axes axes, fxi_axis_list *list) {
    if (!fxi_build_begin(b, name, &x, 1) || !fxi_build_floats(b, x, what, model)) return false;
    return fxi_build_reduced_axes(b, x, axes, list);
}

static fx_node *mean_over(const fxi_build *b, fx_node *x, const fxi_axis_list *axes) {
    if (x->op == FX_OP_INERT || axes->n == 0) return x;
    double count = 1;
    for (size_t i = 0; i < axes->n; i++) count *= (double)x->shape.dims[axes->v[i]];
    return fx_div(reduce_axes(b, x, FXI_SUM, axes), fxi_build_scalar(b->graph, x->shape.dtype, count));
}

static fx_node *mean(const char *name, fx_node *x, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!begin_statistic(&b, name, x, "mean", FX_OP_EXP, axes, &list)) return b.stop;
    return fx_convert(mean_over(&b, fxi_build_wide(x), &list), x->shape.dtype);
}

fx_node *fx_reduce_mean(fx_node *x, fx_axes axes) {
    return mean("fx_reduce_mean", x, axes);
}
fx_node *fx_reduce_all_mean(fx_node *x) {
    return mean("fx_reduce_all_mean", x, (fx_axes){NULL, 0});
}

/* Reduced values back over x's dimensions. */
static fx_node *spread(const fxi_build *b, fx_node *reduced, const fx_node *x, const fxi_axis_list *axes) {
    if (reduced->op == FX_OP_INERT) return reduced;
    int64_t kept[FX_MAX_RANK];
    size_t n = 0, next = 0;
    for (int i = 0; i < x->shape.rank; i++) {
        if (next < axes->n && axes->v[next] == i)
            next++;
        else
            kept[n++] = i;
    }
    return fxi_build_broadcast(b, reduced, &x->shape, (fx_dims){kept, n});
}

static fx_node *variance(const char *name, fx_node *x, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!begin_statistic(&b, name, x, "variance", FX_OP_ERF, axes, &list)) return b.stop;
    fx_node *wide = fxi_build_wide(x);
    fx_node *distance = fx_sub(wide, spread(&b, mean_over(&b, wide, &list), x, &list));
    return fx_convert(mean_over(&b, fx_mul(distance, distance), &list), x->shape.dtype);
}

fx_node *fx_reduce_variance(fx_node *x, fx_axes axes) {
    return variance("fx_reduce_variance", x, axes);
}

fx_node *fx_reduce_all_variance(fx_node *x) {
    return variance("fx_reduce_all_variance", x, (fx_axes){NULL, 0});
}

/* ---- with the axes kept ---- */

fx_node *fx_reduce_and_keep(fx_node *x, fx_reducer reducer, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, "fx_reduce_and_keep", &x, 1)) return b.stop;
    if (!reducer) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the reducer is NULL");
    if (!fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    int named[FX_MAX_RANK];
    for (size_t i = 0; i < list.n; i++) named[i] = (int)list.v[i];
    return fxi_build_keep(&b, x, reducer(x, (fx_axes){named, list.n}), &list);
}

/* ---- index of the largest or smallest ---- */

static fx_node *arg_reduce(const char *name, fx_node *x, fxi_reduce_kind kind, int axis, fx_dtype dtype) {
    fxi_build b;
    int64_t normalized;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_takes(&b, x, FX_OP_ARG_REDUCE)) return b.stop;
    if (!fxi_build_axis(&b, x, axis, &normalized)) return b.stop;
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, kind), fxi_attr_int(FXI_ATTR_AXIS, normalized),
                              fxi_attr_dtype(dtype)};
    return fxi_build_node(&b, FX_OP_ARG_REDUCE, &x, 1, attrs, 3, NULL);
}

fx_node *fx_arg_max(fx_node *x, int axis) {
    return arg_reduce("fx_arg_max", x, FXI_MAX, axis, FX_S32);
}
fx_node *fx_arg_min(fx_node *x, int axis) {
    return arg_reduce("fx_arg_min", x, FXI_MIN, axis, FX_S32);
}

fx_node *fx_arg_max_dtype(fx_node *x, int axis, fx_dtype dtype) {
    return arg_reduce("fx_arg_max_dtype", x, FXI_MAX, axis, dtype);
}

fx_node *fx_arg_min_dtype(fx_node *x, int axis, fx_dtype dtype) {
    return arg_reduce("fx_arg_min_dtype", x, FXI_MIN, axis, dtype);
}
