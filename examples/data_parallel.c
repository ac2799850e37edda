/* SPDX-License-Identifier: Apache-2.0 */
/* Data-parallel training over several devices, in both ways that there are, beside the training on one: a
 * perceptron with two hidden layers learns handwritten digits on 1, 2 and 4 devices of a PJRT plugin.
 *
 *   sharded     the step of one device, its batch marked as cut over a mesh; the plugin's compiler cuts the
 *               program and adds the exchanges
 *   replicated  one program per device on its own part of the batch, the gradients summed by an all_reduce
 *
 * All learn the same weights, up to the order of sums. Without a plugin the program says so and ends with
 * status 77. The CPU plugins that scripts/get-pjrt-cpu fetches do; their devices are threads.
 *
 * usage: data_parallel [--seed N] [--data FILE] */
#include "support/arguments.h"
#include "support/digits.h"
#include <fluxion.h>
#include <math.h>

enum { LAYERS = 3, WEIGHTS = 2 * LAYERS, BATCH = 64, STEPS = 120, MOST_DEVICES = 4, NO_PLUGIN = 77 };

static const int64_t widths[LAYERS + 1] = {DIGITS_PIXELS, 128, 64, DIGITS_CLASSES};

/* ---- the program ---- */

typedef struct way {
    const char *name;
    const fx_mesh *mesh; /* the batch is cut over its axis "data"; NULL: it is not */
    int replicas;        /* 0: there are none */
} way;

static void init(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *random = in[0];
    for (int i = 0; i < LAYERS; i++) {
        out[2 * i] = fx_init_he_normal(random, &FX_SHAPE(FX_F32, widths[i], widths[i + 1]), &random);
        out[2 * i + 1] = fx_zeros(graph, &FX_SHAPE(FX_F32, widths[i + 1]));
    }
    (void)n_in, (void)n_out, (void)user;
}

static fx_node *loss_of(fx_node *const *weights, fx_node *x, fx_node *labels) {
    for (int i = 0; i < LAYERS; i++) {
        fx_activation activation = i < LAYERS - 1 ? FX_ACTIVATION_RELU : FX_ACTIVATION_NONE;
        x = fx_nn_dense(x, weights[2 * i], weights[2 * i + 1], FX_DENSE_INPUT_OUTPUTS, activation);
    }
    return fx_loss_sparse_categorical_cross_entropy_logits(labels, x, NULL);
}

/* The mean over all replicas of what each has for its part of the batch. */
static fx_node *mean_of_replicas(const way *w, fx_node *x) {
    return w->replicas ? fx_div_scalar(fx_all_reduce_one(x, FX_COLLECTIVE_SUM, NULL), w->replicas) : x;
}

/* in: weights, images, labels; out: weights after a step of gradient descent, the loss before it. */
static void step(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const way *w = user;
    fx_node *images = in[WEIGHTS], *labels = in[WEIGHTS + 1], *slopes[WEIGHTS];
    if (w->mesh) {
        images = fx_shard(images, FX_SHARDING(w->mesh, "data"));
        labels = fx_shard(labels, FX_SHARDING(w->mesh, "data"));
    }
    fx_node *loss = loss_of(in, images, labels);
    fx_gradient(loss, (fx_nodes){in, WEIGHTS}, slopes);
    for (int i = 0; i < WEIGHTS; i++)
        out[i] = fx_sub(in[i], fx_mul_scalar(mean_of_replicas(w, slopes[i]), 0.2));
    out[WEIGHTS] = mean_of_replicas(w, loss);
    (void)graph, (void)n_in, (void)n_out;
}

/* ---- training ---- */

typedef struct result {
    double first, last; /* loss */
    fx_tensor *weights[WEIGHTS];
} result;

/* Arguments of all replicas, one after the other: each its own weights and its part of the batch. */
static void list_arguments(const way *w, fx_tensor **state, bool donate, float (*images)[DIGITS_PIXELS],
                           const int32_t *labels, fx_arg *args) {
    const int replicas = w->replicas ? w->replicas : 1, part = BATCH / replicas;
    static int64_t dims[MOST_DEVICES][2];
    for (int r = 0; r < replicas; r++) {
        fx_arg *mine = &args[r * (WEIGHTS + 2)];
        for (int i = 0; i < WEIGHTS; i++) {
            fx_tensor *t = state[r * (WEIGHTS + 1) + i];
            mine[i] = donate ? fx_donate(t) : FX_ARG(t);
        }
        dims[r][0] = part, dims[r][1] = DIGITS_PIXELS;
        mine[WEIGHTS] = FX_ARG(((fx_host){images[r * part], FX_F32, dims[r], 2}));
        mine[WEIGHTS + 1] = FX_ARG(((fx_host){labels + r * part, FX_S32, dims[r], 1}));
    }
}

static result train(fx_backend *backend, const way *w, fx_tensor *const *start, const digits *d) {
    const size_t replicas = w->replicas ? (size_t)w->replicas : 1;
    fx_tensor *state[MOST_DEVICES * (WEIGHTS + 1)], *next[MOST_DEVICES * (WEIGHTS + 1)];
    fx_arg args[MOST_DEVICES * (WEIGHTS + 2)];
    float images[BATCH][DIGITS_PIXELS];
    result made = {0};
    way mutable = *w;
    fx_exec *exec = fx_exec_new_fn(backend, step, WEIGHTS + 2, WEIGHTS + 1, &mutable, FX_MUST);
    fx_exec_configure(exec, &(fx_exec_options){.replicas = w->replicas}, FX_MUST);
    for (size_t i = 0; i < replicas * (WEIGHTS + 1); i++)
        state[i] = i % (WEIGHTS + 1) < WEIGHTS ? fx_tensor_ref(start[i % (WEIGHTS + 1)]) : NULL;
    for (int s = 0; s < STEPS; s++) {
        const int at = s % (DIGITS_TRAIN / BATCH) * BATCH;
        memcpy(images, d->images[at], sizeof images);
        list_arguments(w, state, s > 0, images, &d->labels[at], args); /* the start is everybody's */
        fx_exec_call_replicas(exec, args, replicas * (WEIGHTS + 2), next, replicas * (WEIGHTS + 1), FX_MUST);
        for (size_t i = 0; i < replicas * (WEIGHTS + 1); i++) fx_tensor_free(state[i]);
        memcpy(state, next, sizeof state);
        made.last = fx_tensor_get(state[WEIGHTS], 0);
        if (s == 0) made.first = made.last;
    }
    for (int i = 0; i < WEIGHTS; i++) made.weights[i] = fx_tensor_ref(state[i]);
    for (size_t i = 0; i < replicas * (WEIGHTS + 1); i++) fx_tensor_free(state[i]);
    fx_exec_free(exec);
    return made;
}

/* The largest difference of two results' weights. */
static double distance(const result *a, const result *b) {
    double most = 0;
    for (int i = 0; i < WEIGHTS; i++)
        for (int64_t k = 0; k < fx_tensor_size(a->weights[i]); k++)
            most = fmax(most, fabs(fx_tensor_get(a->weights[i], k) - fx_tensor_get(b->weights[i], k)));
    return most;
}

static void free_result(result *r) {
    for (int i = 0; i < WEIGHTS; i++) fx_tensor_free(r->weights[i]);
}

/* ---- all ways ---- */

static void compare(fx_backend *backend, const way *w, int devices, const result *alone,
                    fx_tensor *const *start, const digits *d) {
    result made = train(backend, w, start, d);
    const double far = distance(&made, alone);
    printf("%-10s over %d: loss %.1f to %.1f, weights %s\n", w->name, devices, made.first, made.last,
           far < 1e-4 ? "as on one device" : "that differ");
    fprintf(stderr, "%s over %d: largest difference of a weight %.1e, %zu devices hold one\n", w->name,
            devices, far, fx_tensor_part_count(made.weights[0]));
    free_result(&made);
}

int main(int argc, char **argv) {
    static digits d;
    arguments a = {.seed = 1, .data = "examples/data/digits.txt"};
    fx_error err;
    if (!arguments_read(&a, argc, argv) || !digits_read(&d, a.data, a.seed)) return 1;
    fx_backend *backend = fx_backend_open("pjrt?cpu_device_count=4&logs=quiet", &err);
    if (!backend) {
        fprintf(stderr, "%s\nno plugin, no devices: scripts/get-pjrt-cpu fetches one\n", err.message);
        return NO_PLUGIN;
    }
    fx_exec *begin = fx_exec_new_fn(backend, init, 1, WEIGHTS, NULL, FX_MUST);
    fx_tensor *random = fx_random_state_tensor(a.seed, FX_MUST), *start[WEIGHTS];
    fx_call(begin, start, WEIGHTS, FX_MUST, random);
    result alone = train(backend, &(way){.name = "alone"}, start, &d);
    printf("one device        : loss %.1f to %.1f\n", alone.first, alone.last);
    for (int devices = 1; devices <= MOST_DEVICES; devices *= 2) {
        const fx_mesh mesh = {.names = {"data"}, .sizes = {devices}};
        compare(backend, &(way){.name = "sharded", .mesh = &mesh}, devices, &alone, start, &d);
        compare(backend, &(way){.name = "replicated", .replicas = devices}, devices, &alone, start, &d);
    }
    free_result(&alone);
    for (int i = 0; i < WEIGHTS; i++) fx_tensor_free(start[i]);
    fx_tensor_free(random);
    fx_exec_free(begin);
    fx_backend_close(backend);
    return 0;
}
