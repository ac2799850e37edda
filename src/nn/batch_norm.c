/* SPDX-License-Identifier: Apache-2.0 */
/* Batch norm: one mean and variance per channel, of the batch or given. The variance of a batch takes two
 * passes, as in norm.c. Scale and root are combined per channel, so an element costs a subtraction and two
 * operations. */
#include "nn_internal.h"
#include <fluxion/grad.h>

typedef struct channels {
    fxi_build b;
    fx_node *x; /* wide */
    int64_t axis;
    fxi_axis_list others;
    double count; /* elements of a channel */
} channels;

static bool check_batch(channels *c, fx_node *x, fx_node *scale, fx_node *offset, double epsilon, int axis) {
    if (!fxi_build_floats(&c->b, x, "norm", FX_OP_ERF) || !fxi_build_axis(&c->b, x, axis, &c->axis))
        return false;
    const fx_dims dims = {&x->shape.dims[c->axis], 1};
    c->x = fxi_build_wide(x);
    c->others.n = 0;
    c->count = 1;
    for (int i = 0; i < x->shape.rank; i++) {
        if (i == c->axis) continue;
        c->others.v[c->others.n++] = i;
        c->count *= (double)x->shape.dims[i];
    }
    return fxi_nn_epsilon(&c->b, epsilon) && fxi_nn_exactly(&c->b, x, scale, dims, "scale") &&
           fxi_nn_exactly(&c->b, x, offset, dims, "offset");
}

static fx_node *along(const channels *c, fx_node *value) {
    return fxi_nn_along(&c->b, value, &c->x->shape, c->axis);
}

/* The distances to a mean, made into the result. */
static fx_node *finish(const channels *c, fx_node *distance, fx_node *variance, double epsilon,
                       fx_node *scale, fx_node *offset) {
    fx_node *factor = fxi_build_wide(variance);
    factor = fx_rsqrt(fx_add(factor, fxi_build_scalar(c->b.graph, factor->shape.dtype, epsilon)));
    if (scale) factor = fx_mul(factor, fxi_build_wide(scale));
    fx_node *y = fx_mul(distance, along(c, factor));
    return offset ? fx_add(y, along(c, offset)) : y;
}

fx_node *fx_nn_batch_norm(fx_node *x, fx_node *scale, fx_node *offset, fx_node *mean, fx_node *variance,
                          double epsilon, int axis) {
    channels c;
    if (!fxi_build_begin_roles(&c.b, "fx_nn_batch_norm", (fx_node *const[]){x, mean, variance}, 3,
                               FXI_ROLES("x", "the mean", "the variance")))
        return c.b.stop;
    if (!fxi_nn_begin(&c.b, "fx_nn_batch_norm", (fx_node *const[]){x, scale, offset}, 3)) return c.b.stop;
    if (!check_batch(&c, x, scale, offset, epsilon, axis)) return c.b.stop;
    const fx_dims dims = {&x->shape.dims[c.axis], 1};
    if (!fxi_nn_exactly(&c.b, x, mean, dims, "mean") || !fxi_nn_exactly(&c.b, x, variance, dims, "variance"))
        return c.b.stop;
    fx_node *distance = fx_sub(c.x, along(&c, mean));
    return fx_convert(finish(&c, distance, variance, epsilon, scale, offset), x->shape.dtype);
}

/* ---- training ---- */

static bool check_averages(const channels *c, const fx_node *x, const fx_batch_averages *a) {
    const fx_dims dims = {&x->shape.dims[c->axis], 1};
    if (!a || (!a->mean && !a->variance)) return true;
    if (!a->mean || !a->variance) {
        fxi_build_refuse(&c->b, FX_ERROR_ARGUMENT, "averages: the %s is NULL", a->mean ? "variance" : "mean");
        return false;
    }
    if (!(a->momentum >= 0 && a->momentum <= 1)) {
        fxi_build_refuse(&c->b, FX_ERROR_ARGUMENT, "the momentum is %g; it must be within 0 and 1",
                         a->momentum);
        return false;
    }
    return fxi_nn_exactly(&c->b, x, a->mean, dims, "running mean") &&
           fxi_nn_exactly(&c->b, x, a->variance, dims, "running variance");
}

/* momentum old + (1 - momentum) factor batch */
static fx_node *updated(fx_node *old, fx_node *batch, double momentum, double factor) {
    fx_graph *graph = batch->graph;
    fx_dtype dtype = batch->shape.dtype;
    fx_node *kept = fx_mul(fxi_build_wide(fx_stop_gradient(old)), fx_scalar(graph, dtype, momentum));
    fx_node *added = fx_mul(fx_stop_gradient(batch), fx_scalar(graph, dtype, (1 - momentum) * factor));
    return fx_convert(fx_add(kept, added), old->shape.dtype);
}

static void update(const channels *c, const fx_batch_averages *a, fx_batch_statistics *s) {
    if (!a || !a->mean) return;
    double factor = a->unbiased && c->count > 1 ? c->count / (c->count - 1) : 1;
    s->running_mean = updated(a->mean, s->mean, a->momentum, 1);
    s->running_variance = updated(a->variance, s->variance, a->momentum, factor);
}

static fx_node *train(channels *c, fx_node *x, fx_node *scale, fx_node *offset, double epsilon,
                      fx_batch_statistics *s) {
    s->mean = fxi_build_over(&c->others, fx_reduce_mean, c->x);
    fx_node *distance = fx_sub(c->x, along(c, s->mean));
    s->variance = fxi_build_over(&c->others, fx_reduce_mean, fx_square(distance));
    return fx_convert(finish(c, distance, s->variance, epsilon, scale, offset), x->shape.dtype);
}

fx_node *fx_nn_batch_norm_training(fx_node *x, fx_node *scale, fx_node *offset, double epsilon, int axis,
                                   const fx_batch_averages *averages, fx_batch_statistics *statistics) {
    channels c;
    fx_batch_statistics found = {NULL, NULL, NULL, NULL};
    fx_node *const operands[] = {x, scale, offset, averages ? averages->mean : NULL,
                                 averages ? averages->variance : NULL};
    fx_node *made;
    if (!fxi_nn_begin(&c.b, "fx_nn_batch_norm_training", operands, 5) ||
        !check_batch(&c, x, scale, offset, epsilon, axis) || !check_averages(&c, x, averages)) {
        made = c.b.stop;
        found = (fx_batch_statistics){made, made, made, made};
    } else {
        made = train(&c, x, scale, offset, epsilon, &found);
        update(&c, averages, &found);
    }
    if (statistics) *statistics = found;
    return made;
}
