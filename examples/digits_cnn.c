/* SPDX-License-Identifier: Apache-2.0 */
/* A convolutional network learns to read handwritten digits, and is judged by those it never saw. What differs
 * from digits_mlp.c, which says more, is the model.
 *
 * usage: digits_cnn [--seed N] [--epochs N] [--data FILE] [--svg FILE] [--save FILE] [--load FILE] */
#include "support/digits.h"
#include "support/digits_run.h"

enum { LAYERS = 3, WEIGHTS = 2 * LAYERS, MOMENTS = 1 + 2 * WEIGHTS /* Adam's, and its count of steps */ };

/* Two convolutions [3, 3, in, out], and what is left of the image to ten classes. */
static const fx_shape shapes[LAYERS] = {
    {FX_F32, 4, {3, 3, 1, 16}}, {FX_F32, 4, {3, 3, 16, 32}}, {FX_F32, 2, {4 * 4 * 32, DIGITS_CLASSES}}};
static const fx_optimizer optimizer = {.kind = FX_OPTIMIZER_ADAMW, .weight_decay = 0.05};

/* First values: weights by He, biases 0, moments 0. */
static void init(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *random = fx_params_node(p, "random"), *moments[MOMENTS];
    for (int i = 0; i < LAYERS; i++) {
        const fx_shape bias = FX_SHAPE(FX_F32, fx_shape_dim(&shapes[i], -1));
        fx_params_set_node(p, fx_name("model/weight%d", i).s, fx_init_he_normal(random, &shapes[i], &random));
        fx_params_set_node(p, fx_name("model/bias%d", i).s, fx_zeros(fx_params_graph(p), &bias));
    }
    fx_optimizer_init_nodes(&optimizer, fx_params_nodes(p, "model/"), moments);
    fx_params_set_nodes(p, "optimizer/", (fx_nodes){moments, MOMENTS});
    fx_params_set_node(p, "random", random);
    (void)in, (void)n_in, (void)out, (void)n_out, (void)user;
}

static fx_node *weight(fx_params *p, int i) {
    return fx_params_node(p, fx_name("model/weight%d", i).s);
}
static fx_node *bias(fx_params *p, int i) {
    return fx_params_node(p, fx_name("model/bias%d", i).s);
}

/* x [N, height, width, in] -> relu(x * weight + bias) [N, height, width, out] */
static fx_node *convolution(fx_params *p, int i, fx_node *x) {
    fx_node *y = fx_convolve(x, weight(p, i), &(fx_conv_options){.pad_same = true});
    return fx_relu(fx_add(y, fx_expand_left_to_rank(bias(p, i), 4)));
}

/* images [N, 64] -> logits [N, 10]. random: where dropout draws from; NULL: no dropout. */
static fx_node *logits_of(fx_params *p, fx_node *x, fx_node **random) {
    x = fx_reshape(x, FX_DIMS(-1, DIGITS_SIDE, DIGITS_SIDE, 1));
    x = convolution(p, 1, convolution(p, 0, x));                  /* [N, 8, 8, 32] */
    x = fx_max_pool(x, &(fx_pool_options){.window = FX_DIMS(2)}); /* [N, 4, 4, 32] */
    x = fx_reshape(x, FX_DIMS(-1, 4 * 4 * 32));
    if (random) x = fx_nn_dropout(x, 0.3, *random, random);
    return fx_nn_dense(x, weight(p, 2), bias(p, 2), FX_DENSE_INPUT_OUTPUTS, FX_ACTIVATION_NONE);
}

/* in: images [N, 64], labels [N]; out: the loss. user: the number of steps in all. */
static void step(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const int *steps = user;
    fx_node *random = fx_params_node(p, "random"), *weights[WEIGHTS], *moments[MOMENTS];
    fx_node *logits = logits_of(p, in[0], &random);
    const fx_loss_options smoothing = {.label_smoothing = 0.05};
    out[0] = fx_loss_sparse_categorical_cross_entropy_logits(in[1], logits, &smoothing);

    fx_nodes gradients = fx_params_gradient(out[0], p, "model/"), state = fx_params_nodes(p, "optimizer/");
    const fx_cosine_options warm_up = {.warm_up = *steps / 20.0};
    fx_node *rate = fx_schedule_cosine(state.v[0], 4e-3, *steps, &warm_up);
    fx_optimizer_step(&optimizer, fx_params_nodes(p, "model/"), gradients, state, rate, weights, moments);
    fx_params_set_nodes(p, "model/", (fx_nodes){weights, WEIGHTS});
    fx_params_set_nodes(p, "optimizer/", (fx_nodes){moments, MOMENTS});
    fx_params_set_node(p, "random", random);
    (void)n_in, (void)n_out;
}

/* in: images, labels; out: how many are read right. */
static void judge(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *guess = fx_arg_max(logits_of(p, in[0], NULL), -1);
    out[0] = fx_reduce_all_sum(fx_convert(fx_equal(guess, in[1]), FX_S32));
    (void)n_in, (void)n_out, (void)user;
}

int main(int argc, char **argv) {
    return digits_run(&(digits_network){"digits_cnn", 40, init, step, judge}, argc, argv);
}
