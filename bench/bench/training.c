/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmark cases of training: a dense layer, a transformer block, attention, cross entropy, a
 * recurrent layer, and their gradients; the same functions on the same shapes as the peers' script. */
#include "bench.h"

#define CASE(name)                                                                                           \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)n_out, (void)user

enum { BATCH = 128, CLASSES = 10, D = 256, F = 1024, HEADS = 4 };

/* Inputs of an equal kind one after the other. */
typedef struct shapes {
    fx_shape *v;
    size_t n;
} shapes;
static void add(shapes *s, fx_shape shape) { s->v[s->n++] = shape; }

/* x w + b over the last axis */
static fx_node *dense(fx_node *x, fx_node *w, fx_node *b) {
    fx_node *y = fx_dot_general(x, FX_AXES(-1), FX_AXES(), w, FX_AXES(0), FX_AXES());
    return b ? fx_add(y, fx_expand_left_to_rank(b, fx_node_rank(y))) : y;
}

CASE(dense_gelu) {
    UNUSED;
    out[0] = fx_gelu_approximate(dense(in[0], in[1], in[2]));
}

static fx_node *layer_norm(fx_node *x, fx_node *gain, fx_node *bias) {
    int rank = fx_node_rank(x);
    fx_node *centred = fx_sub(x, fx_reduce_and_keep(x, fx_reduce_mean, FX_AXES(-1)));
    fx_node *variance = fx_reduce_and_keep(fx_square(centred), fx_reduce_mean, FX_AXES(-1));
    fx_node *y = fx_mul(centred, fx_rsqrt(fx_add_scalar(variance, 1e-5)));
    return fx_add(fx_mul(y, fx_expand_left_to_rank(gain, rank)), fx_expand_left_to_rank(bias, rank));
}
CASE(cross_entropy_gradient) {
    UNUSED;
    fx_gradient(fx_loss_sparse_categorical_cross_entropy_logits(in[1], in[0], NULL), FX_NODES(in[0]), out);
}

/* ---- a perceptron and a step of Adam: parameters w, b of three layers, both moments of each, t, x,
 * labels ---- */

enum { LAYERS = 3, PARAMETERS = 2 * LAYERS };

static void mlp_shapes(fx_shape *in) {
    static const int64_t width[] = {784, 512, 256, CLASSES};
    shapes s = {in, 0};
    for (int copy = 0; copy < 3; copy++)
        for (int i = 0; i < LAYERS; i++) {
            add(&s, FX_SHAPE(FX_F32, width[i], width[i + 1]));
            add(&s, FX_SHAPE(FX_F32, width[i + 1]));
        }
    add(&s, FX_SHAPE(FX_F32));
    add(&s, FX_SHAPE(FX_F32, BATCH, 784));
    add(&s, FX_SHAPE(FX_S32, BATCH));
}

static fx_node *mlp_loss(fx_node *const *p, fx_node *x, fx_node *labels) {
    for (int i = 0; i < LAYERS; i++) {
        x = dense(x, p[2 * i], p[2 * i + 1]);
        if (i < LAYERS - 1) x = fx_relu(x);
    }
    return fx_loss_sparse_categorical_cross_entropy_logits(labels, x, NULL);
}

CASE(mlp_adam_step) {
    UNUSED;
    enum { STATES = 1 + 2 * PARAMETERS };
    const fx_optimizer adam = {.kind = FX_OPTIMIZER_ADAM};
    fx_node *const *m = in + PARAMETERS, *const *v = in + 2 * PARAMETERS, *const *others = in + 3 * PARAMETERS;
    fx_node *d[PARAMETERS], *state[STATES] = {fx_convert(others[0], FX_S64)};
    const fx_nodes parameters = {in, PARAMETERS};
    fx_node *loss = mlp_loss(in, others[1], others[2]);
    fx_gradient(loss, parameters, d);
    for (int i = 0; i < PARAMETERS; i++) state[1 + 2 * i] = m[i], state[2 + 2 * i] = v[i];
    fx_optimizer_step(&adam, parameters, (fx_nodes){d, PARAMETERS}, (fx_nodes){state, STATES}, NULL, out, state);
    for (int i = 0; i < PARAMETERS; i++) {
        out[PARAMETERS + i] = state[1 + 2 * i];
        out[2 * PARAMETERS + i] = state[2 + 2 * i];
    }
    out[3 * PARAMETERS] = fx_convert(state[0], FX_F32);
    out[3 * PARAMETERS + 1] = loss;
}

/* ---- a transformer block: g1 b1 g2 b2 wqkv wo w1 c1 w2 c2, then x ---- */

enum { BLOCK = 10, STACK = 12 };

static void block_parameters(shapes *s) {
    for (int i = 0; i < 4; i++) add(s, FX_SHAPE(FX_F32, D));
    add(s, FX_SHAPE(FX_F32, D, 3 * D));
    add(s, FX_SHAPE(FX_F32, D, D));
    add(s, FX_SHAPE(FX_F32, D, F));
    add(s, FX_SHAPE(FX_F32, F));
    add(s, FX_SHAPE(FX_F32, F, D));
    add(s, FX_SHAPE(FX_F32, D));
}
static void block_shapes(fx_shape *in) {
    shapes s = {in, 0};
    block_parameters(&s);
    add(&s, FX_SHAPE(FX_F32, 4, 128, D));
}
static void stack_shapes(fx_shape *in) {
    shapes s = {in, 0};
    for (int i = 0; i < STACK; i++) block_parameters(&s);
    add(&s, FX_SHAPE(FX_F32, 1, 64, D));
}

static fx_node *head_part(fx_node *qkv, int64_t i) {
    fx_node *part = fx_slice_axis(qkv, 2, i, i + 1, 1);
    const fx_shape *s = fx_node_shape(part);
    return fx_transpose_all_axes(fx_reshape(part, FX_DIMS(s->dims[0], s->dims[1], HEADS, D / HEADS)),
                                 FX_AXES(0, 2, 1, 3));
}

static fx_node *block(fx_node *const *p, fx_node *x) {
    int64_t n = fx_node_dim(x, 0), length = fx_node_dim(x, 1);
    fx_node *qkv = fx_reshape(dense(layer_norm(x, p[0], p[1]), p[4], NULL),
                              FX_DIMS(n, length, 3, HEADS, D / HEADS));
    fx_node *q = head_part(qkv, 0), *k = head_part(qkv, 1), *v = head_part(qkv, 2);
    fx_node *scores = fx_einsum("bhqd,bhkd->bhqk", FX_NODES(q, k));
    fx_node *a = fx_softmax(fx_div_scalar(scores, 8), FX_AXES(-1)); /* sqrt(D / HEADS) */
    fx_node *mixed = fx_transpose_all_axes(fx_einsum("bhqk,bhkd->bhqd", FX_NODES(a, v)), FX_AXES(0, 2, 1, 3));
    x = fx_add(x, dense(fx_reshape(mixed, FX_DIMS(n, length, D)), p[5], NULL));
    fx_node *h = fx_gelu_approximate(dense(layer_norm(x, p[2], p[3]), p[6], p[7]));
    return fx_add(x, dense(h, p[8], p[9]));
}

CASE(block_gradient) {
    UNUSED;
    out[0] = fx_reduce_all_mean(fx_square(block(in, in[BLOCK])));
    fx_gradient(out[0], (fx_nodes){in, BLOCK + 1}, out + 1);
}

static void stack(fx_node *const *in, fx_node **out, bool checkpointed) {
    fx_node *x = in[STACK * BLOCK];
    for (int i = 0; i < STACK; i++) x = block(in + BLOCK * i, checkpointed ? fx_checkpoint(x) : x);
    fx_gradient(fx_reduce_all_mean(fx_square(x)), (fx_nodes){in, STACK * BLOCK}, out);
}
CASE(stack_gradient) {
    UNUSED;
    stack(in, out, false);
}
CASE(stack_checkpointed) {
    UNUSED;
    stack(in, out, true);
}

/* ---- 25 layers of gelu, every fifth a checkpoint ---- */

enum { DEEP = 25, EVERY = 5, WIDTH = 256 };

static void deep_shapes(fx_shape *in) {
    shapes s = {in, 0};
    for (int i = 0; i < DEEP; i++) {
        add(&s, FX_SHAPE(FX_F32, WIDTH, WIDTH));
        add(&s, FX_SHAPE(FX_F32, WIDTH));
    }
    add(&s, FX_SHAPE(FX_F32, 2048, WIDTH));
}
static void deep(fx_node *const *in, fx_node **out, bool checkpointed) {
    fx_node *x = in[2 * DEEP];
    for (int i = 0; i < DEEP; i++) {
        if (checkpointed && i % EVERY == 0) x = fx_checkpoint(x);
        x = fx_gelu_approximate(dense(x, in[2 * i], in[2 * i + 1]));
    }
    fx_gradient(fx_reduce_all_mean(fx_square(x)), (fx_nodes){in, 2 * DEEP}, out);
}
CASE(deep_gradient) {
    UNUSED;
    deep(in, out, false);
}
CASE(deep_checkpointed) {
    UNUSED;
    deep(in, out, true);
}

/* ---- attention that looks back only ---- */

static fx_node *attention(fx_node *q, fx_node *k, fx_node *v) {
    const fx_attention_options options = {.size = sizeof options, .causal = true};
    return fx_nn_attention(q, k, v, &options, NULL, NULL);
}
CASE(attention_case) {
    UNUSED;
    out[0] = attention(in[0], in[1], in[2]);
}
CASE(attention_gradient) {
    UNUSED;
    fx_node *loss = fx_reduce_all_sum(fx_square(attention(in[0], in[1], in[2])));
    fx_gradient(loss, FX_NODES(in[0], in[1], in[2]), out);
}

/* ---- a recurrent layer: the mean square of its outputs by both weights ---- */

CASE(lstm_gradient) {
    UNUSED;
    fx_node *zero = fx_zeros(g, &FX_SHAPE(FX_F32, 32, 64)), *weights[2] = {in[0], in[1]}, *results[3];
    fx_scan(FX_NODES(zero, zero), FX_NODES(in[2]), 128, 1, fxb_lstm_step, weights, results);
    out[0] = fx_reduce_all_mean(fx_square(results[2]));
    fx_gradient(out[0], FX_NODES(in[0], in[1]), out + 1);
}

#define F32 FX_F32
#define QKV {{F32, 4, {4, 8, 512, 64}}, {F32, 4, {4, 8, 512, 64}}, {F32, 4, {4, 8, 512, 64}}}

const fxb_case fxb_training_cases[] = {
    {"e_dense_gelu_256x768x3072", dense_gelu, 3, 1, {{F32, 2, {256, 768}}, {F32, 2, {768, 3072}}, {F32, 1, {3072}}}, 0, NULL},
    {"f_mlp_adam_step", mlp_adam_step, 3 * PARAMETERS + 3, 3 * PARAMETERS + 2, {{0}}, CLASSES, mlp_shapes},
    {"g_block_fwdbwd", block_gradient, BLOCK + 1, BLOCK + 2, {{0}}, 0, block_shapes},
    {"k_attention_4x8x512x64", attention_case, 3, 1, QKV, 0, NULL},
    {"k_attention_grad_4x8x512x64", attention_gradient, 3, 3, QKV, 0, NULL},
    {"o_scan_lstm_grad_128x32x64", lstm_gradient, 3, 3, {{F32, 2, {64, 256}}, {F32, 2, {64, 256}}, {F32, 3, {128, 32, 64}}}, 0, NULL},
    {"q_xent_grad_512x32000", cross_entropy_gradient, 2, 1, {{F32, 2, {512, 32000}}, {FX_S32, 1, {512}}}, 32000, NULL},
    {"s_stack12_grad", stack_gradient, STACK * BLOCK + 1, STACK * BLOCK, {{0}}, 0, stack_shapes},
    {"s_stack12_grad_checkpointed", stack_checkpointed, STACK * BLOCK + 1, STACK * BLOCK, {{0}}, 0, stack_shapes},
    {"s_deep25_grad", deep_gradient, 2 * DEEP + 1, 2 * DEEP, {{0}}, 0, deep_shapes},
    {"s_deep25_grad_checkpointed", deep_checkpointed, 2 * DEEP + 1, 2 * DEEP, {{0}}, 0, deep_shapes},
};
const size_t fxb_training_case_count = sizeof fxb_training_cases / sizeof fxb_training_cases[0];
