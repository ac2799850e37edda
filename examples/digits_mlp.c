/* SPDX-License-Identifier: Apache-2.0 */
/* A perceptron with two hidden layers learns to read handwritten digits, and is judged by those it never saw.
 *
 * Everything that lives from step to step is in one map of named tensors: weights, the optimizer's moments, the
 * state of the random numbers. A step of training is a pure function of that map and a batch. The loop around
 * it is support/digits_run.c.
 *
 * usage: digits_mlp [--seed N] [--epochs N] [--data FILE] [--svg FILE] [--save FILE] [--load FILE] */
#include "support/digits.h"
#include "support/digits_run.h"

enum { LAYERS = 3, WEIGHTS = 2 * LAYERS, MOMENTS = 1 + 2 * WEIGHTS /* Adam's, and its count of steps */ };

static const int64_t widths[LAYERS + 1] = {DIGITS_PIXELS, 256, 128, DIGITS_CLASSES};
static const fx_optimizer optimizer = {.kind = FX_OPTIMIZER_ADAMW, .weight_decay = 0.05};

/* First values: weights by He, biases 0, moments 0. */
static void init(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *random = fx_params_node(p, "random"), *moments[MOMENTS];
    for (int i = 0; i < LAYERS; i++) {
        const fx_shape weight = FX_SHAPE(FX_F32, widths[i], widths[i + 1]);
        const fx_shape bias = FX_SHAPE(FX_F32, widths[i + 1]);
        fx_params_set_node(p, fx_name("model/weight%d", i).s, fx_init_he_normal(random, &weight, &random));
        fx_params_set_node(p, fx_name("model/bias%d", i).s, fx_zeros(fx_params_graph(p), &bias));
    }
    fx_optimizer_init_nodes(&optimizer, fx_params_nodes(p, "model/"), moments);
    fx_params_set_nodes(p, "optimizer/", (fx_nodes){moments, MOMENTS});
    fx_params_set_node(p, "random", random);
    (void)in, (void)n_in, (void)out, (void)n_out, (void)user;
}

/* images [N, 64] -> logits [N, 10]. random: where dropout draws from; NULL: no dropout. */
static fx_node *logits_of(fx_params *p, fx_node *x, fx_node **random) {
    for (int i = 0; i < LAYERS; i++) {
        fx_node *weight = fx_params_node(p, fx_name("model/weight%d", i).s);
        fx_node *bias = fx_params_node(p, fx_name("model/bias%d", i).s);
        fx_activation activation = i < LAYERS - 1 ? FX_ACTIVATION_RELU : FX_ACTIVATION_NONE;
        if (random && i > 0) x = fx_nn_dropout(x, 0.2, *random, random);
        x = fx_nn_dense(x, weight, bias, FX_DENSE_INPUT_OUTPUTS, activation);
    }
    return x;
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
    return digits_run(&(digits_network){"digits_mlp", 60, init, step, judge}, argc, argv);
}
