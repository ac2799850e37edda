/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to lists of gradients and parameters outside of a step: clipping, norms, moving averages. A
 * global norm is a reduction per node and one scalar; the scaling fuses with whatever uses the result. */
#include "optimizer_internal.h"
#include <math.h>

/* False, after refusing, unless there are nodes and all are floats. */
static bool begin_list(fxi_build *b, const char *name, fx_nodes nodes) {
    if (!fxi_build_begin(b, name, nodes.v, nodes.v ? nodes.n : 0)) return false;
    for (size_t i = 0; i < nodes.n; i++) {
        if (fxi_optimizer_takes(nodes.v[i]->shape.dtype)) continue;
        fxi_build_refuse(b, FX_ERROR_DTYPE, "node %zu is %s; it must be a float", i,
                         fx_shape_to_text(&nodes.v[i]->shape).s);
        return false;
    }
    return true;
}

static fx_node *fail_list(const fxi_build *b, fx_node **results, size_t n) {
    for (size_t i = 0; results && i < n; i++) results[i] = b->stop;
    return b->stop;
}

static bool check_limit(const fxi_build *b, double limit) {
    if (limit > 0) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the limit is %g; it must be above 0", limit);
    return false;
}

fx_node *fx_gradients_clip(fx_nodes gradients, double limit, fx_node **results) {
    fxi_build b;
    if (!begin_list(&b, "fx_gradients_clip", gradients) || !check_limit(&b, limit))
        return fail_list(&b, results, gradients.n);
    fx_node *first = NULL;
    for (size_t i = 0; i < gradients.n; i++) {
        fx_node *wide = fxi_build_wide(gradients.v[i]);
        fx_dtype dtype = wide->shape.dtype;
        fx_node *high = fx_scalar(b.graph, dtype, limit), *low = fx_scalar(b.graph, dtype, -limit);
        fx_node *clipped = fx_convert(fx_clamp(low, wide, high), gradients.v[i]->shape.dtype);
        if (i == 0) first = clipped;
        if (results) results[i] = clipped;
    }
    return first;
}

/* In the dtype of the widest node. */
static fx_node *norm_of(fx_nodes nodes) {
    fx_dtype dtype = FX_F32;
    fx_node *sum = NULL;
    for (size_t i = 0; i < nodes.n; i++)
        if (nodes.v[i]->shape.dtype == FX_F64) dtype = FX_F64;
    for (size_t i = 0; i < nodes.n; i++) {
        fx_node *part = fx_convert(fx_reduce_all_sum(fx_square(fxi_build_wide(nodes.v[i]))), dtype);
        sum = sum ? fx_add(sum, part) : part;
    }
    return fx_sqrt(sum);
}

fx_node *fx_gradients_norm(fx_nodes gradients) {
    fxi_build b;
    return begin_list(&b, "fx_gradients_norm", gradients) ? norm_of(gradients) : b.stop;
}

/* limit / max(norm, limit) is 1, exactly, up to the limit. */
fx_node *fx_gradients_clip_norm(fx_nodes gradients, double limit, fx_node **results) {
    fxi_build b;
    if (!begin_list(&b, "fx_gradients_clip_norm", gradients) || !check_limit(&b, limit))
        return fail_list(&b, results, gradients.n);
    fx_node *norm = norm_of(gradients), *most = fx_scalar(b.graph, norm->shape.dtype, limit);
    fx_node *scale = fx_div(most, fx_max(norm, most));
    for (size_t i = 0; results && i < gradients.n; i++) {
        fx_node *wide = fxi_build_wide(gradients.v[i]);
        wide = fx_mul(wide, fx_convert(scale, wide->shape.dtype));
        results[i] = fx_convert(wide, gradients.v[i]->shape.dtype);
    }
    return norm;
}

/* ---- moving averages ---- */

static bool check_averages(const fxi_build *b, fx_nodes averages, fx_nodes values, double decay,
                           const fx_node *step) {
    if (!(decay >= 0 && decay <= 1))
        return fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the decay is %g; it must be in [0, 1]", decay) == NULL;
    if (averages.n != values.n)
        return fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there are %zu averages of %zu values", averages.n,
                                values.n) == NULL;
    if (step &&
        (step->shape.rank != 0 || step->shape.dtype == FX_BOOL || fx_dtype_is_complex(step->shape.dtype)))
        return fxi_build_refuse(b, FX_ERROR_SHAPE, "the step is %s; it must be a scalar that counts",
                                fx_shape_to_text(&step->shape).s) == NULL;
    for (size_t i = 0; i < values.n; i++) {
        const fx_shape *a = &averages.v[i]->shape, *v = &values.v[i]->shape;
        bool fits = a->dtype == v->dtype || a->dtype == fxi_optimizer_wide(v->dtype);
        if (fits && fx_shape_equal_dims(a, v)) continue;
        return fxi_build_refuse(b, FX_ERROR_SHAPE, "average %zu is %s, its value %s", i,
                                fx_shape_to_text(a).s, fx_shape_to_text(v).s) == NULL;
    }
    return true;
}

/* The decay as a scalar, min(decay, (1 + step) / (10 + step)) with a step. */
static fx_node *decay_at(const fxi_build *b, fx_dtype dtype, double decay, fx_node *step) {
    fx_node *most = fxi_build_number(b, dtype, decay);
    if (!step) return most;
    fx_node *made = fx_convert(step, dtype);
    return fx_min(most, fx_div(fx_add_scalar(made, 1), fx_add_scalar(made, 10)));
}

fx_node *fx_moving_averages(fx_nodes averages, fx_nodes values, double decay, fx_node *step,
                            fx_node **results) {
    static const char name[] = "fx_moving_averages";
    fxi_build b, rest;
    fx_node *first = NULL;
    bool ok = begin_list(&b, name, averages);
    if (ok && !begin_list(&rest, name, values)) /* which has no graph to tell when there are no nodes */
        ok = fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "there are no values") == NULL;
    if (ok && step) ok = fxi_build_begin(&rest, name, (fx_node *const[]){averages.v[0], step}, 2);
    if (!ok || !check_averages(&b, averages, values, decay, step)) return fail_list(&b, results, averages.n);
    for (size_t i = 0; i < averages.n; i++) {
        fx_node *a = fxi_build_wide(averages.v[i]), *v = fxi_build_wide(values.v[i]);
        fx_node *keep = decay_at(&b, a->shape.dtype, decay, step);
        fx_node *next = fx_add(fx_mul(a, keep), fx_mul(v, fx_one_minus(keep)));
        next = fx_convert(next, averages.v[i]->shape.dtype);
        if (i == 0) first = next;
        if (results) results[i] = next;
    }
    return first;
}
