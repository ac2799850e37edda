/* SPDX-License-Identifier: Apache-2.0 */
/* A regression is learned in float32, then its weights are quantized in every way the library knows, and
 * each set of them predicts what the first never saw: how many bits a weight takes, and what that costs.
 *
 * What is learned is a function of J. Friedman's (1991) of ten inputs in [0, 1), of which five matter,
 * 10 sin(pi a b) + 20 (c - 1/2)^2 + 10 d + 5 e, seen with noise of deviation 1. Quantized weights stay
 * packed: the same graph function multiplies with floats or with what it finds under their names in the map.
 *
 * usage: quantized_regression [--quick] [--svg FILE] */
#include "support/curve.h"
#include "support/progress.h"
#include "support/stop.h"
#include <fluxion.h>
#include <math.h>
#include <string.h>

enum { INPUTS = 10, WIDTH = 256, LEARNED = 4000, HELD_OUT = 1000, POINTS = LEARNED + HELD_OUT, BATCH = 128 };
enum { LAYERS = 3, WEIGHTS = 2 * LAYERS, STATES = 1 + 2 * WEIGHTS };
static const int64_t widths[LAYERS + 1] = {INPUTS, WIDTH, WIDTH, 1};
static const fx_optimizer optimizer = {.kind = FX_OPTIMIZER_ADAMW};

/* ---- the data ---- */

/* in: a random state; out: x [points, inputs], y [points]. */
static void make_data(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    fx_node *random = in[0], *v[5],
            *x = fx_random_uniform(random, &FX_SHAPE(FX_F32, POINTS, INPUTS), &random);
    for (int i = 0; i < 5; i++) v[i] = fx_reshape(fx_slice_axis(x, 1, i, i + 1, 1), FX_DIMS(POINTS));
    fx_node *waves = fx_mul_scalar(fx_sin(fx_mul_scalar(fx_mul(v[0], v[1]), acos(-1))), 10);
    fx_node *bowl = fx_mul_scalar(fx_square(fx_sub_scalar(v[2], 0.5)), 20);
    fx_node *plane = fx_add(fx_mul_scalar(v[3], 10), fx_mul_scalar(v[4], 5));
    fx_node *noise = fx_random_normal(random, &FX_SHAPE(FX_F32, POINTS), NULL);
    out[0] = x;
    out[1] = fx_add(fx_add(waves, bowl), fx_add(plane, noise));
    (void)graph, (void)n_in, (void)n_out, (void)user;
}

/* ---- the model ---- */

/* A way to keep weights. */
typedef struct way {
    const char *name;
    fx_quantize_options options;
} way;

/* x times the weights called `name`, plus a bias, rectified but for the last layer. */
static fx_node *layer(fx_params *p, int i, fx_node *x, const way *how) {
    const fx_text name = fx_name("model/weight%d", i);
    const fx_activation activation = i < LAYERS - 1 ? FX_ACTIVATION_RELU : FX_ACTIVATION_NONE;
    fx_node *weight = fx_params_node(p, name.s), *bias = fx_params_node(p, fx_name("model/bias%d", i).s);
    fx_quantization q = {.block_size = how->options.block_size, .block_axis = how->options.block_axis};
    const fx_text scale = fx_name("%s/scale", name.s), zero = fx_name("%s/zero_point", name.s);
    if (fx_node_dtype(weight) == FX_F32)
        return fx_nn_dense(x, weight, bias, FX_DENSE_INPUT_OUTPUTS, activation);
    q.scheme = how->options.scheme;
    q.ggml_type = how->options.ggml_type;
    if (fx_params_find(p, scale.s) >= 0) q.scale = fx_params_node(p, scale.s);
    if (fx_params_find(p, zero.s) >= 0) q.zero_point = fx_params_node(p, zero.s);
    return fx_nn_quantized_dense(x, weight, &q, bias, activation);
}

/* x [n, inputs] -> y [n] */
static fx_node *predict(fx_params *p, fx_node *x, const way *how) {
    for (int i = 0; i < LAYERS; i++) x = layer(p, i, x, how);
    return fx_reshape(x, FX_DIMS(-1));
}

static void init(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *random = fx_params_node(p, "random"), *moments[STATES];
    for (int i = 0; i < LAYERS; i++) {
        const fx_shape weight = FX_SHAPE(FX_F32, widths[i], widths[i + 1]),
                       bias = FX_SHAPE(FX_F32, widths[i + 1]);
        fx_params_set_node(p, fx_name("model/weight%d", i).s, fx_init_he_normal(random, &weight, &random));
        fx_params_set_node(p, fx_name("model/bias%d", i).s, fx_init_zeros(random, &bias, NULL));
    }
    fx_params_set_node(p, "random", random);
    fx_optimizer_init_nodes(&optimizer, fx_params_nodes(p, "model/"), moments);
    fx_params_set_nodes(p, "optimizer/", (fx_nodes){moments, STATES});
    (void)in, (void)n_in, (void)out, (void)n_out, (void)user;
}

/* in: x, y; out: the mean squared error of a batch of those to learn from. user: the number of steps. */
static void step(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    static const way floats = {.name = "float32"};
    fx_node *random = fx_params_node(p, "random"), *next[WEIGHTS], *moments[STATES];
    fx_node *batch = fx_random_int(random, 0, LEARNED, &FX_SHAPE(FX_S32, BATCH), &random);
    fx_node *guess = predict(p, fx_take(in[0], batch, 0), &floats);
    out[0] = fx_loss_mean_squared_error(fx_take(in[1], batch, 0), guess, NULL);
    fx_nodes d = fx_params_gradient(out[0], p, "model/"), state = fx_params_nodes(p, "optimizer/");
    fx_node *rate = fx_schedule_cosine(state.v[0], 3e-3, *(const int *)user, NULL);
    fx_optimizer_step(&optimizer, fx_params_nodes(p, "model/"), d, state, rate, next, moments);
    fx_params_set_nodes(p, "model/", (fx_nodes){next, WEIGHTS});
    fx_params_set_nodes(p, "optimizer/", (fx_nodes){moments, STATES});
    fx_params_set_node(p, "random", random);
    (void)n_in, (void)n_out;
}

/* in: x, y, the predictions of float32; out: roots of the mean squares, over what was held out, of the
 * distances to y and to those predictions; and the predictions. user: the way of the weights. */
static void judge(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *x = fx_slice_axis(in[0], 0, LEARNED, POINTS, 1),
            *y = fx_slice_axis(in[1], 0, LEARNED, POINTS, 1);
    out[2] = predict(p, x, user);
    out[0] = fx_sqrt(fx_reduce_all_mean(fx_square(fx_sub(out[2], y))));
    out[1] = fx_sqrt(fx_reduce_all_mean(fx_square(fx_sub(out[2], in[2]))));
    (void)n_in, (void)n_out;
}

/* ---- training ---- */

static fx_params *train(fx_backend *backend, fx_tensor *const *data, int steps, curve *losses) {
    fx_params *state = fx_params_new(FX_MUST);
    fx_params_set(state, "random", fx_random_state_tensor(3, FX_MUST), FX_MUST);
    fx_params_exec *create = fx_params_exec_new(backend, init, 0, 0, NULL, FX_MUST);
    fx_params_exec *learn = fx_params_exec_new(backend, step, 2, 1, &steps, FX_MUST);
    fx_params_call(create, state, NULL, 0, FX_MUST);
    progress bar = progress_begin("steps", steps);
    for (int i = 0; i < steps && !stop_asked(); i++) {
        fx_tensor *loss = fx_params_call1(learn, state, FX_MUST, data[0], data[1]);
        char note[32];
        curve_add(losses, fx_tensor_get(loss, 0));
        snprintf(note, sizeof note, "error %.2f", fx_tensor_get(loss, 0));
        progress_show(&bar, i + 1, note);
        fx_tensor_free(loss);
    }
    progress_end(&bar);
    fx_params_exec_free(create);
    fx_params_exec_free(learn);
    return state;
}

/* ---- quantized weights ---- */

static fx_node *turned(fx_node *x) {
    return fx_transpose(x, 0, 1);
}

/* The model with the weights behind the first layer, whose rows are too short for blocks, quantized; and how
 * many bits one of them takes. */
static fx_params *quantize(fx_backend *backend, const fx_params *model, const way *how, double *bits) {
    fx_params *made = fx_params_copy(model, "model/", FX_MUST);
    fx_exec *turn =
        fx_exec_new(backend, turned, FX_MUST); /* blocks of the GGML formats lie along the inputs */
    double count = 0, bytes = 0;
    for (int i = 1; i < LAYERS; i++) {
        const fx_text name = fx_name("model/weight%d", i);
        fx_tensor *floats = fx_tensor_ref(fx_params_get(model, name.s, FX_MUST));
        if (how->options.scheme == FX_QUANTIZATION_GGML) {
            fx_tensor *rows = fx_call1(turn, FX_MUST, floats);
            fx_tensor_free(floats);
            floats = rows;
        }
        fx_quantized q;
        fx_quantize_tensor(floats, &how->options, &q, FX_MUST);
        fx_tensor *const parts[] = {q.weights, q.scale, q.zero_point};
        static const char *const names[] = {"%s", "%s/scale", "%s/zero_point"};
        for (int k = 0; k < 3; k++) {
            if (!parts[k]) continue;
            bytes += (double)fx_shape_bytes(fx_tensor_shape(parts[k]));
            fx_params_set(made, fx_name(names[k], name.s).s, fx_tensor_ref(parts[k]), FX_MUST);
        }
        count += (double)fx_tensor_size(floats);
        fx_quantized_free(&q);
        fx_tensor_free(floats);
    }
    fx_exec_free(turn);
    *bits = 8 * bytes / count;
    return made;
}

typedef struct result {
    double error, distance; /* from the truth, from float32's predictions */
    fx_tensor *predictions;
} result;

static result judge_one(fx_backend *backend, fx_params *model, way *how, fx_tensor *const *data,
                        fx_tensor *floats) {
    fx_params_exec *exec = fx_params_exec_new(backend, judge, 3, 3, how, FX_MUST);
    fx_tensor *out[3], *none = floats ? NULL : fx_tensor_new(&FX_SHAPE(FX_F32, HELD_OUT), FX_MUST);
    fx_params_call(exec, model, out, 3, FX_MUST, data[0], data[1], floats ? floats : none);
    const result r = {fx_tensor_get(out[0], 0), fx_tensor_get(out[1], 0), out[2]};
    fx_tensor_free(out[0]);
    fx_tensor_free(out[1]);
    fx_tensor_free(none);
    fx_params_exec_free(exec);
    return r;
}

/* Blocks of 32 inputs share a scale; the formats of GGML bring blocks of their own. */
static way ways[] = {
    {"int8", {.dtype = FX_S8, .block_size = 32}},
    {"int4", {.dtype = FX_S4, .block_size = 32}},
    {"uint4, zero points", {.dtype = FX_U4, .asymmetric = true, .block_size = 32}},
    {"nf4", {.scheme = FX_QUANTIZATION_NF4, .block_size = 32}},
    {"q8_0", {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q8_0}},
    {"q6_k", {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q6_K}},
    {"q5_k", {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q5_K}},
    {"q4_k", {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q4_K}},
    {"iq4_nl", {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_IQ4_NL}},
    {"q4_0", {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q4_0}},
    {"q3_k", {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q3_K}},
    {"q2_k", {.scheme = FX_QUANTIZATION_GGML, .ggml_type = FX_GGML_Q2_K}},
};

/* How far a way may be from float32, by its bits, where what there is to predict has a deviation of 5. */
static double allowed(double bits) {
    return bits > 8 ? 0.05 : bits > 5.2 ? 0.5 : bits > 4 ? 1 : 5;
}

static void compare(fx_backend *backend, const fx_params *model, fx_tensor *const *data, bool quick) {
    way floats = {.name = "float32"};
    fx_params *plain = fx_params_copy(model, "model/", FX_MUST);
    const result best = judge_one(backend, plain, &floats, data, NULL);
    printf("%-20s %4s  %10s  %s\n", "weights", "bits", "error", "from float32");
    if (quick)
        printf("%-20s %4.1f  %10s\n", floats.name, 32.0, best.error < 1.5 ? "below 1.5" : "too large");
    else
        printf("%-20s %4.1f  %10.3f\n", floats.name, 32.0, best.error);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        double bits;
        fx_params *quantized = quantize(backend, model, &ways[i], &bits);
        const result r = judge_one(backend, quantized, &ways[i], data, best.predictions);
        const double most = allowed(bits);
        if (quick)
            printf("%-20s %4.1f  %10s  %s %.2f\n", ways[i].name, bits, "",
                   r.distance < most ? "below" : "NOT BELOW", most);
        else
            printf("%-20s %4.1f  %10.3f  %.4f\n", ways[i].name, bits, r.error, r.distance);
        fx_tensor_free(r.predictions);
        fx_params_free(quantized);
    }
    fx_tensor_free(best.predictions);
    fx_params_free(plain);
}

int main(int argc, char **argv) {
    const char *svg = NULL;
    bool quick = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else if (strcmp(argv[i], "--svg") == 0 && i + 1 < argc) {
            svg = argv[++i];
        } else {
            fprintf(stderr, "usage: %s [--quick] [--svg FILE]\n", argv[0]);
            return 1;
        }
    }
    stop_watch();
    fx_backend *backend = fx_backend_open(NULL, FX_MUST);
    fx_exec *make = fx_exec_new_fn(backend, make_data, 1, 2, NULL, FX_MUST);
    fx_tensor *data[2] = {NULL, NULL}, *random = fx_random_state_tensor(1, FX_MUST);
    fx_call(make, data, 2, FX_MUST, random);
    curve losses = {NULL, 0, 0};
    fx_params *state = train(backend, data, quick ? 2000 : 3000, &losses);
    if (!quick) {
        printf("mean squared error  ");
        curve_print(&losses, 40);
        printf("  %.2f to %.2f\n", curve_mean(&losses, 0, 40), curve_mean(&losses, 39, 40));
    }
    compare(backend, state, data, quick);
    if (svg) curve_write_svg(&losses, svg, "quantized_regression: mean squared error");
    curve_free(&losses);
    fx_params_free(state);
    for (int i = 0; i < 2; i++) fx_tensor_free(data[i]);
    fx_tensor_free(random);
    fx_exec_free(make);
    fx_backend_close(backend);
    return 0;
}
