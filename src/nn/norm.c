/* SPDX-License-Identifier: Apache-2.0 */
/* Norms over axes of one example. Mean and variance take two passes: the variance is the mean of squared
 * distances, so that large values with a small spread keep it and a constant row has none (E[x^2] - E[x]^2
 * would give rounding errors, negative ones too). On cpu the passes are sweeps of one row kernel. */
#include "nn_internal.h"
#include <fluxion/masked.h>

/* What a body needs beside its inputs, which are x and those of gamma, beta and mask that there are. */
typedef struct norm {
    const char *name;
    double epsilon;
    fxi_axis_list axes;
    bool has_gamma, has_beta, has_mask;
} norm;

/* ---- formulas ---- */

static fx_node *mean_of(const fxi_axis_list *axes, fx_node *x, fx_node *mask) {
    int named[FX_MAX_RANK];
    if (!mask) return fxi_build_kept(axes, fx_reduce_mean, x);
    for (size_t i = 0; i < axes->n; i++) named[i] = (int)axes->v[i];
    if (axes->n == 0) return x;
    return fx_masked_reduce_and_keep(x, mask, fx_masked_reduce_mean, (fx_axes){named, axes->n});
}

static fx_node *inverse_root(const fxi_build *b, fx_node *square, double epsilon) {
    return fx_rsqrt(fx_add(square, fxi_build_scalar(b->graph, square->shape.dtype, epsilon)));
}

/* x, which is wide, minus its mean and over its deviation. */
static fx_node *standardize(const fxi_build *b, const fxi_axis_list *axes, double epsilon, fx_node *x,
                            fx_node *mask) {
    fx_node *distance = fx_sub(x, mean_of(axes, x, mask));
    fx_node *variance = mean_of(axes, fx_square(distance), mask);
    fx_node *y = fx_mul(distance, inverse_root(b, variance, epsilon));
    return mask ? fx_where(mask, y, fx_scalar_zero(b->graph, y->shape.dtype)) : y;
}

static void layer_norm_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    const norm *n = user;
    fxi_build b;
    (void)n_out;
    if (!fxi_build_begin_leaf(&b, n->name, graph)) return;
    fx_node *mask = n->has_mask ? in[n_in - 1] : NULL;
    fx_node *y = standardize(&b, &n->axes, n->epsilon, fxi_build_wide(in[0]), mask);
    if (n->has_gamma) y = fx_mul(y, fxi_nn_spread(&b, in[1], &y->shape));
    if (n->has_beta) y = fx_add(y, fxi_nn_spread(&b, in[1 + n->has_gamma], &y->shape));
    out[0] = fx_convert(y, in[0]->shape.dtype);
}

static void rms_norm_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    const norm *n = user;
    fxi_build b;
    (void)n_in, (void)n_out;
    if (!fxi_build_begin_leaf(&b, n->name, graph)) return;
    fx_node *x = fxi_build_wide(in[0]);
    fx_node *y = fx_mul(x, inverse_root(&b, mean_of(&n->axes, fx_square(x), NULL), n->epsilon));
    if (n->has_gamma) y = fx_mul(y, fxi_nn_spread(&b, in[1], &y->shape));
    out[0] = fx_convert(y, in[0]->shape.dtype);
}

/* ---- layer norm and RMS norm ---- */

/* Settings: which inputs there are, the bits of epsilon, the axes counted from the end, so that a batch
 * (fx_vmap) leaves them right. */
static fx_node *build(const fxi_build *b, const char *composite_name, fx_fn body, norm *n,
                      fx_node *const *inputs, size_t count) {
    int64_t settings[2 + FX_MAX_RANK] = {n->has_gamma + 2 * n->has_beta + 4 * n->has_mask,
                                         fxi_bits_of_double(n->epsilon)};
    for (size_t i = 0; i < n->axes.n; i++) settings[2 + i] = n->axes.v[i] - inputs[0]->shape.rank;
    const fxi_composite composite = {.name = composite_name,
                                     .settings = settings,
                                     .n_settings = 2 + n->axes.n,
                                     .forward = body,
                                     .user = n};
    return fxi_build_composite(b, &composite, (fx_nodes){inputs, count}, 1);
}

static bool begin(fxi_build *b, norm *n, fx_node *const *operands, fx_axes axes) {
    fx_node *x = operands[0];
    return fxi_nn_begin(b, n->name, operands, 4) && fxi_build_floats(b, x, "norm", FX_OP_ERF) &&
           fxi_build_reduced_axes(b, x, axes, &n->axes) && fxi_nn_epsilon(b, n->epsilon) &&
           fxi_nn_trailing(b, x, operands[1], "gamma") && fxi_nn_trailing(b, x, operands[2], "beta");
}

fx_node *fx_nn_layer_norm(fx_node *x, fx_axes axes, double epsilon, fx_node *gamma, fx_node *beta,
                          fx_node *mask) {
    fxi_build b;
    fx_node *const operands[] = {x, gamma, beta, mask};
    norm n = {.name = "fx_nn_layer_norm",
              .epsilon = epsilon,
              .has_gamma = gamma != NULL,
              .has_beta = beta != NULL,
              .has_mask = mask != NULL};
    if (!begin(&b, &n, operands, axes)) return b.stop;
    fx_node *inputs[4] = {x};
    size_t count = 1;
    if (gamma) inputs[count++] = gamma;
    if (beta) inputs[count++] = beta;
    if (mask) inputs[count++] = fxi_build_mask(&b, x, mask);
    if (mask && (!inputs[count - 1] || inputs[count - 1]->op == FX_OP_INERT)) return b.stop;
    return build(&b, "fx.layer_norm", layer_norm_body, &n, inputs, count);
}

fx_node *fx_nn_rms_norm(fx_node *x, fx_axes axes, double epsilon, fx_node *gamma) {
    fxi_build b;
    fx_node *const operands[] = {x, gamma, NULL, NULL};
    norm n = {.name = "fx_nn_rms_norm", .epsilon = epsilon, .has_gamma = gamma != NULL};
    if (!begin(&b, &n, operands, axes)) return b.stop;
    return build(&b, "fx.rms_norm", rms_norm_body, &n, operands, gamma ? 2 : 1);
}

/* ---- groups of channels ---- */

/* The channels as an axis of groups and one inside the group; all axes but that of examples and groups are
 * normalised over. */
static fx_node *by_groups(const fxi_build *b, fx_node *x, int64_t groups, int64_t axis, double epsilon) {
    fx_shape split = {.dtype = x->shape.dtype, .rank = x->shape.rank + 1};
    fxi_axis_list axes = {.n = 0};
    for (int i = 0; i < split.rank; i++) {
        int64_t from = i - (i > axis);
        split.dims[i] = i == axis ? groups : x->shape.dims[from] / (i == axis + 1 && groups ? groups : 1);
        if (i != 0 && i != axis) axes.v[axes.n++] = i;
    }
    x = fx_reshape(x, (fx_dims){split.dims, (size_t)split.rank});
    return standardize(b, &axes, epsilon, x, NULL);
}

static bool check_groups(const fxi_build *b, const fx_node *x, int64_t groups, int axis, int64_t *at) {
    if (!fxi_build_floats(b, x, "norm", FX_OP_ERF) || !fxi_build_axis(b, x, axis, at)) return false;
    if (*at == 0 || x->shape.rank == FX_MAX_RANK) {
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%s",
                         *at == 0 ? "axis 0 is that of the examples; channels have another"
                                  : "x has too many axes to split one");
        return false;
    }
    int64_t channels = x->shape.dims[*at];
    if (groups >= 1 && channels % groups == 0) return true;
    if (groups == 0 && channels == 0) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, "%lld channels do not make %lld equal groups",
                     (long long)channels, (long long)groups);
    return false;
}

/* groups -1: one per channel. */
static fx_node *group_norm(const char *name, fx_node *x, int64_t groups, int axis, double epsilon,
                           fx_node *gamma, fx_node *beta) {
    fxi_build b;
    int64_t at;
    if (!fxi_nn_begin(&b, name, (fx_node *const[]){x, gamma, beta}, 3)) return b.stop;
    if (groups == -1) groups = axis >= -x->shape.rank && axis < x->shape.rank ? fx_node_dim(x, axis) : 1;
    if (!check_groups(&b, x, groups, axis, &at) || !fxi_nn_epsilon(&b, epsilon)) return b.stop;
    const fx_dims channels = {&x->shape.dims[at], 1};
    if (!fxi_nn_exactly(&b, x, gamma, channels, "gamma") || !fxi_nn_exactly(&b, x, beta, channels, "beta"))
        return b.stop;
    fx_node *y = by_groups(&b, fxi_build_wide(x), groups, at, epsilon);
    y = fx_reshape(y, (fx_dims){x->shape.dims, (size_t)x->shape.rank});
    if (gamma) y = fx_mul(y, fxi_nn_along(&b, gamma, &y->shape, at));
    if (beta) y = fx_add(y, fxi_nn_along(&b, beta, &y->shape, at));
    return fx_convert(y, x->shape.dtype);
}

fx_node *fx_nn_group_norm(fx_node *x, int64_t groups, int axis, double epsilon, fx_node *gamma,
                          fx_node *beta) {
    return group_norm("fx_nn_group_norm", x, groups < 0 ? 0 : groups, axis, epsilon, gamma, beta);
}

fx_node *fx_nn_instance_norm(fx_node *x, int axis, double epsilon, fx_node *gamma, fx_node *beta) {
    return group_norm("fx_nn_instance_norm", x, -1, axis, epsilon, gamma, beta);
}
