/* SPDX-License-Identifier: Apache-2.0 */
/* Categories by the inverse of their distribution function: one word for a value, however many categories
 * there are, where perturbing each logit would take one for each pair. The running sums of the weights are
 * float64; the category is the first of positive weight whose sum exceeds u times the largest such sum, so
 * that rounding inside the sums can never choose one of weight 0. */
#include "random_internal.h"
#include <fluxion/window.h>

/* e^(l - max) along the last axis; infinite logits share alike, -Inf and what stands beside Inf weigh 0. */
static fx_node *weights_of(fx_node *logits) {
    int last = logits->shape.rank - 1;
    const fx_axes axes = {&last, 1};
    fx_node *x = fx_convert(logits, FX_F64), *least = fx_infinity(x->graph, FX_F64, -1);
    fx_node *largest = fx_reduce_and_keep(x, fx_reduce_max, axes);
    fx_node *weight =
        fx_select(fx_equal(x, largest), fx_scalar_one(x->graph, FX_F64), fx_exp(fx_sub(x, largest)));
    return fx_select(fx_equal(x, least), fx_scalar_zero(x->graph, FX_F64), weight);
}

/* Whether dims are those of a draw behind any number of leading axes of it. */
static bool is_tail(const fx_shape *dims, int rank, const fx_shape *shape) {
    bool tail = rank <= shape->rank;
    for (int i = 0; tail && i < rank; i++) tail = dims->dims[i] == shape->dims[shape->rank - rank + i];
    return tail;
}

/* x [dims, k] before the axes that a draw has in front of dims. */
static fx_node *lead(fx_node *x, const fx_shape *shape) {
    int missing = shape->rank + 1 - x->shape.rank;
    int64_t dims[FX_MAX_RANK];
    for (int i = 0; i < missing; i++) dims[i] = 1;
    for (int i = missing; i <= shape->rank; i++) dims[i] = x->shape.dims[i - missing];
    return fx_reshape(x, (fx_dims){dims, (size_t)shape->rank + 1});
}

/* The first category whose sum exceeds the threshold, -1 where there is none. */
static fx_node *choose(fx_node *weights, fx_node *u, const fx_shape *shape) {
    int last = weights->shape.rank - 1;
    const fx_axes axes = {&last, 1}, after = {(const int[]){-1}, 1};
    fx_node *zero = fx_scalar_zero(weights->graph, FX_F64);
    fx_node *sums = fx_cum_sum(weights, last);
    sums = fx_select(fx_greater(weights, zero), sums, zero);
    fx_node *total = fx_reduce_and_keep(sums, fx_reduce_max, axes);
    fx_node *threshold = fx_mul(fx_expand_axes(u, after), lead(total, shape));
    fx_node *first =
        fx_arg_max_dtype(fx_convert(fx_greater(lead(sums, shape), threshold), FX_S8), -1, FX_S64);
    fx_node *some = fx_greater(fx_squeeze(lead(total, shape), after), zero);
    return fx_select(some, first, fx_scalar_int(first->graph, FX_S64, -1));
}

static bool check(const fxi_random *r, const fx_node *logits, const fx_shape *shape) {
    const fx_shape *l = &logits->shape;
    int64_t k = l->rank > 0 ? l->dims[l->rank - 1] : 0;
    const char *values = fx_dtype_name(shape->dtype);
    if (l->dtype != FX_F64 && l->dtype != FX_F32 && !fx_dtype_is_half(l->dtype))
        fxi_build_refuse(&r->b, FX_ERROR_DTYPE, "the logits are %s instead of floats",
                         fx_dtype_name(l->dtype));
    else if (k < 1)
        fxi_build_refuse(&r->b, FX_ERROR_SHAPE, "the logits, %s, have no category along a last axis",
                         fx_shape_to_text(l).s);
    else if (!fx_dtype_is_integer(shape->dtype))
        fxi_build_refuse(&r->b, FX_ERROR_DTYPE, "%s is not accepted; integers are", values);
    else if (!fxi_random_holds(shape->dtype, k - 1))
        fxi_build_refuse(&r->b, FX_ERROR_DTYPE, "%s does not hold %lld categories", values, (long long)k);
    else if (!is_tail(l, l->rank - 1, shape) || shape->rank == FX_MAX_RANK)
        fxi_build_refuse(&r->b, FX_ERROR_SHAPE,
                         "the logits are %s and the shape %s; without their last axis, the categories, the "
                         "logits' dimensions must be the last ones of the shape",
                         fx_shape_to_text(l).s, fx_shape_to_text(shape).s);
    else
        return true;
    return false;
}

fx_node *fx_random_categorical(fx_node *state, fx_node *logits, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    fx_node *const operands[] = {state, logits};
    if (!fxi_random_begin(&r, "fx_random_categorical", operands, 2, shape, new_state)) return r.b.stop;
    if (!check(&r, logits, shape)) return r.b.stop;
    fx_node *u = fxi_random_unit(fxi_random_draw(&r, shape, FX_U64, new_state), 53);
    return fx_convert(choose(weights_of(logits), u, shape), shape->dtype);
}
