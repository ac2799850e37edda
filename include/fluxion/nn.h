/* SPDX-License-Identifier: Apache-2.0 */
/* Layers as pure functions: weights, running averages and random states are arguments, and what changes is
 * given back. The rules at the head of ops.h hold here too. float16 and bfloat16 are computed in float32 and
 * rounded once at the end; a parameter (weights apart) may be of x's dtype or, where x is a half type, of
 * float32. A parameter that may be NULL is left out of the formula then.
 *
 * Several of these are composites with a name that a backend may know (fx_backend_supports): fx.dense,
 * fx.layer_norm, fx.rms_norm, fx.qkv_projection; so are fx_softmax and fx_masked_softmax (fx.softmax),
 * fx_gelu and fx_gelu_approximate (fx.gelu). Values and gradients are those of the formulas here whoever
 * computes them, but for rounding. */
#ifndef FLUXION_NN_H
#define FLUXION_NN_H

#include <fluxion/activation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- products ---- */

typedef enum fx_dense_layout {
    FX_DENSE_INPUT_OUTPUTS = 0, /* weight [in, out...] */
    FX_DENSE_OUTPUTS_INPUT      /* weight [out..., in], as PyTorch keeps it */
} fx_dense_layout;
/* activation(x W + bias): x [batch..., in], bias [out...] or NULL, result [batch..., out...]. x and weight
 * are of one dtype. Numbers and complex without an activation; FX_ACTIVATION_SWI_GLU halves the last axis. */
FX_API fx_node *fx_nn_dense(fx_node *x, fx_node *weight, fx_node *bias, fx_dense_layout layout,
                            fx_activation activation);
/* The three projections of attention by one product: x [batch..., in] times weight [in, query_dim +
 * 2 key_dim], whose columns are those of queries, keys and values in this order. Returns queries [batch...,
 * query_dim]; *keys and *values are [batch..., key_dim]. The biases [query_dim], [key_dim], [key_dim] may be
 * NULL, each by itself. */
FX_API fx_node *fx_nn_qkv_projection(fx_node *x, fx_node *weight, fx_node *query_bias, fx_node *key_bias,
                                     fx_node *value_bias, int64_t query_dim, int64_t key_dim, fx_node **keys,
                                     fx_node **values);

/* ---- norms ---- */

/* (x - mean) / sqrt(variance + epsilon) gamma + beta, mean and variance (of the population, from distances
 * to the mean) over the axes; no axes: all. gamma and beta broadcast to x from the right: their axes are
 * x's last ones, each of x's dimension or 1. With a mask (bool, over x's dimensions as softmax.h says) only
 * what counts enters mean and variance, and the rest is 0 before gamma and beta. epsilon >= 0. */
FX_API fx_node *fx_nn_layer_norm(fx_node *x, fx_axes axes, double epsilon, fx_node *gamma, fx_node *beta,
                                 fx_node *mask);
/* x / sqrt(mean of x^2 over the axes + epsilon) gamma; no axes: all. gamma as in fx_nn_layer_norm. */
FX_API fx_node *fx_nn_rms_norm(fx_node *x, fx_axes axes, double epsilon, fx_node *gamma);
/* x [batch, ...] with its channels along `axis` in groups of equal size: each group of each example is
 * normalised over its channels and all other axes as by fx_nn_layer_norm. gamma and beta [channels]. `groups`
 * divides the number of channels. */
FX_API fx_node *fx_nn_group_norm(fx_node *x, int64_t groups, int axis, double epsilon, fx_node *gamma,
                                 fx_node *beta);
/* fx_nn_group_norm with a group for each channel. */
FX_API fx_node *fx_nn_instance_norm(fx_node *x, int axis, double epsilon, fx_node *gamma, fx_node *beta);

/* (x - mean) / sqrt(variance + epsilon) scale + offset with given mean and variance, one per element along
 * `axis`: all four are [channels]; scale and offset may be NULL. For inference. */
FX_API fx_node *fx_nn_batch_norm(fx_node *x, fx_node *scale, fx_node *offset, fx_node *mean,
                                 fx_node *variance, double epsilon, int axis);
/* Running averages before a step. */
typedef struct fx_batch_averages {
    fx_node *mean, *variance; /* [channels]; both or none */
    double momentum;          /* new = momentum old + (1 - momentum) batch; 0 <= momentum <= 1 */
    bool unbiased;            /* takes the batch's variance times n / (n - 1), as PyTorch does */
} fx_batch_averages;
/* What a step of training measured; [channels], of float32 where x is a half type. */
typedef struct fx_batch_statistics {
    fx_node *mean, *variance;                 /* of the batch; the variance is the population's */
    fx_node *running_mean, *running_variance; /* updated averages, of their own dtype; NULL without them */
} fx_batch_statistics;
/* fx_nn_batch_norm with mean and variance of x itself over all axes but `axis`, through which derivatives
 * go. averages: NULL, or those to update, to which no derivative goes. statistics: NULL, or what is filled
 * in. */
FX_API fx_node *fx_nn_batch_norm_training(fx_node *x, fx_node *scale, fx_node *offset, double epsilon,
                                          int axis, const fx_batch_averages *averages,
                                          fx_batch_statistics *statistics);

/* ---- the others ---- */

/* x / (1 - rate) where a random word says so, else 0; an element is dropped with probability `rate`, to
 * within 2^-32. Forward and backward pass take the same words of `state`, a random state (random.h);
 * *new_state receives the advanced one (NULL: not wanted). rate 0 gives x and rate 1 zeros, and both leave
 * the state alone. Floats. */
FX_API fx_node *fx_nn_dropout(fx_node *x, double rate, fx_node *state, fx_node **new_state);
/* Rows of a table [vocabulary, row...] at integer indices [batch...]: [batch..., row...]. An index outside
 * the vocabulary, negative ones too, counts as the nearest inside. The derivative adds to the rows that were
 * read, in a fixed order. */
FX_API fx_node *fx_nn_embedding(fx_node *table, fx_node *indices);
/* cap tanh(x / cap), which stays within -cap and cap; x itself for cap <= 0. Floats. */
FX_API fx_node *fx_nn_softcap(fx_node *x, double cap);

#ifdef __cplusplus
}
#endif
#endif
