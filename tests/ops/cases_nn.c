/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of layers. Operands that a layer may go without are there when there are more
 * operands, or when an attribute says so. */
#include "ops/cases.h"
#include <fluxion/grad.h>
#include <fluxion/nn.h>

static fx_activation activation_of(const case_args *a) {
    fx_activation activation = FX_ACTIVATION_NONE;
    const char *word = golden_word(a->c, "activation", "none");
    if (!fx_activation_parse(word, &activation)) fail_msg("there is no activation %s", word);
    return activation;
}

void case_activate(const case_args *a) { a->out[0] = fx_activate(a->in[0], activation_of(a)); }
void case_elu_with(const case_args *a) { a->out[0] = fx_elu_with(a->in[0], golden_real(a->c, "alpha", 1)); }
void case_celu_with(const case_args *a) { a->out[0] = fx_celu_with(a->in[0], golden_real(a->c, "alpha", 1)); }
void case_nn_softcap(const case_args *a) { a->out[0] = fx_nn_softcap(a->in[0], golden_real(a->c, "cap", 0)); }

void case_nn_dense(const case_args *a) {
    a->out[0] = fx_nn_dense(a->in[0], a->in[1], a->n_in > 2 ? a->in[2] : NULL,
                            (fx_dense_layout)golden_int(a->c, "layout", 0), activation_of(a));
}

void case_nn_qkv_projection(const case_args *a) {
    const golden_list has = golden_ints(a->c, "biases");
    fx_node *biases[3] = {NULL, NULL, NULL};
    for (size_t i = 0, next = 2; i < 3; i++)
        if (has.v[i]) biases[i] = a->in[next++];
    a->out[0] = fx_nn_qkv_projection(a->in[0], a->in[1], biases[0], biases[1], biases[2],
                                     golden_int(a->c, "query_dim", 0), golden_int(a->c, "key_dim", 0),
                                     &a->out[1], &a->out[2]);
}

void case_nn_layer_norm(const case_args *a) {
    const golden_list axes = golden_ints(a->c, "axes"), has = golden_ints(a->c, "parts");
    fx_node *parts[3] = {NULL, NULL, NULL};
    for (size_t i = 0, next = 1; i < 3; i++)
        if (has.v[i]) parts[i] = a->in[next++];
    a->out[0] = fx_nn_layer_norm(a->in[0], GOLDEN_AXES(axes), golden_real(a->c, "epsilon", 0), parts[0],
                                 parts[1], parts[2]);
}

void case_nn_rms_norm(const case_args *a) {
    const golden_list axes = golden_ints(a->c, "axes");
    a->out[0] = fx_nn_rms_norm(a->in[0], GOLDEN_AXES(axes), golden_real(a->c, "epsilon", 0),
                               a->n_in > 1 ? a->in[1] : NULL);
}

void case_nn_group_norm(const case_args *a) {
    fx_node *gamma = a->n_in > 1 ? a->in[1] : NULL, *beta = a->n_in > 2 ? a->in[2] : NULL;
    a->out[0] = fx_nn_group_norm(a->in[0], golden_int(a->c, "groups", 1), (int)golden_int(a->c, "axis", 1),
                                 golden_real(a->c, "epsilon", 0), gamma, beta);
}

void case_nn_instance_norm(const case_args *a) {
    a->out[0] = fx_nn_instance_norm(a->in[0], (int)golden_int(a->c, "axis", 1),
                                    golden_real(a->c, "epsilon", 0), NULL, NULL);
}

void case_nn_batch_norm(const case_args *a) {
    fx_node *scale = a->n_in > 3 ? a->in[3] : NULL, *offset = a->n_in > 4 ? a->in[4] : NULL;
    a->out[0] = fx_nn_batch_norm(a->in[0], scale, offset, a->in[1], a->in[2],
                                 golden_real(a->c, "epsilon", 0), (int)golden_int(a->c, "axis", -1));
}

void case_nn_batch_norm_training(const case_args *a) {
    fx_batch_averages averages = {.momentum = golden_real(a->c, "momentum", 0),
                                  .unbiased = golden_int(a->c, "unbiased", 0) != 0};
    fx_batch_statistics found;
    bool full = a->n_in == 5;
    if (full) averages.mean = a->in[3], averages.variance = a->in[4];
    a->out[0] = fx_nn_batch_norm_training(a->in[0], a->n_in > 1 ? a->in[1] : NULL,
                                          a->n_in > 2 ? a->in[2] : NULL, golden_real(a->c, "epsilon", 0),
                                          (int)golden_int(a->c, "axis", -1), full ? &averages : NULL, &found);
    a->out[1] = found.mean;
    a->out[2] = found.variance;
    if (!full) return;
    a->out[3] = found.running_mean;
    a->out[4] = found.running_variance;
}

void case_nn_embedding(const case_args *a) { a->out[0] = fx_nn_embedding(a->in[0], a->in[1]); }

/* ---- gradients: the last operands are adjoints, the results the derivatives of the float operands ---- */

static void vjp_nn(const case_args *a, case_builder build) {
    size_t outputs = (size_t)golden_int(a->c, "outputs", 1), n = a->n_in - outputs, floats = 0;
    fx_node *y[GOLDEN_TENSORS], *wrt[GOLDEN_TENSORS];
    build(&(case_args){a->c, a->graph, a->in, n, y});
    for (size_t i = 0; i < n; i++)
        if (fx_dtype_is_float(fx_node_dtype(a->in[i]))) wrt[floats++] = a->in[i];
    fx_vjp((fx_nodes){y, outputs}, (fx_nodes){a->in + n, outputs}, (fx_nodes){wrt, floats}, a->out);
}

static void prelu(const case_args *a) { a->out[0] = fx_prelu(a->in[0], a->in[1]); }
void vjp_prelu(const case_args *a) { vjp_nn(a, prelu); }

#define VJP(word)                                                                                            \
    void vjp_##word(const case_args *a) { vjp_nn(a, case_##word); }
VJP(activate)
VJP(elu_with)
VJP(celu_with)
VJP(nn_softcap)
VJP(nn_dense)
VJP(nn_qkv_projection)
VJP(nn_layer_norm)
VJP(nn_rms_norm)
VJP(nn_group_norm)
VJP(nn_batch_norm)
VJP(nn_batch_norm_training)
VJP(nn_embedding)
