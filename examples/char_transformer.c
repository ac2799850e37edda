/* SPDX-License-Identifier: Apache-2.0 */
/* A transformer learns to write like Shakespeare, character by character: an embedding, blocks of causal
 * attention with rotary positions and of a gelu perceptron, each after an RMS norm and added to what came in,
 * and the embedding again to tell the next character.
 *
 * All that lives from step to step is one map of named tensors: weights, AdamW's moments, the random state
 * that picks the pieces of text and drops values out. A training step is a pure function of it; what it
 * replaces is updated in place. The map is saved as a safetensors file at the end and on Ctrl-C, and --resume
 * goes on from there, bit by bit as if it had never stopped. The sample is written one character at a time
 * with caches of keys and values, which are entries of a map too.
 *
 * usage: char_transformer [--quick] [--steps N] [--seed N] [--sample N] [--data FILE] [--svg FILE]
 *                         [--save FILE] [--resume] */
#include "support/curve.h"
#include "support/progress.h"
#include "support/stop.h"
#include <errno.h>
#include <fluxion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    int64_t classes; /* different characters */
    int64_t width, heads, layers, context, batch;
    int steps;
    double rate, dropout;
} settings;

static const settings usual = {.width = 128,
                               .heads = 4,
                               .layers = 4,
                               .context = 128,
                               .batch = 16,
                               .steps = 2000,
                               .rate = 3e-3,
                               .dropout = 0.1};
static const settings quick = {.width = 32,
                               .heads = 2,
                               .layers = 2,
                               .context = 32,
                               .batch = 16,
                               .steps = 150,
                               .rate = 1e-2,
                               .dropout = 0};
static const fx_optimizer optimizer = {.kind = FX_OPTIMIZER_ADAMW, .beta2 = 0.99, .weight_decay = 0.1};

enum { MOST_LAYERS = 16, LAYER_WEIGHTS = 8, MOST_WEIGHTS = MOST_LAYERS * LAYER_WEIGHTS + 2 };
enum { MOST_STATES = 1 + 2 * MOST_WEIGHTS };

/* ---- the model ---- */

static fx_node *weight(fx_params *p, int64_t layer, const char *name) {
    return fx_params_node(p, fx_name("model/layer%d/%s", (int)layer, name).s);
}

static void init_layer(fx_params *p, int64_t layer, const settings *s, fx_node **random) {
    const int64_t w = s->width;
    const double spread = 0.02,
                 last = spread / sqrt(2 * (double)s->layers); /* of what is added to the stream */
    const struct {
        const char *name;
        fx_shape shape;
        double spread;
    } rows[LAYER_WEIGHTS] = {
        {"norm1", FX_SHAPE(FX_F32, w), 0},          {"qkv", FX_SHAPE(FX_F32, w, 3 * w), spread},
        {"merge", FX_SHAPE(FX_F32, w, w), last},    {"norm2", FX_SHAPE(FX_F32, w), 0},
        {"up", FX_SHAPE(FX_F32, w, 4 * w), spread}, {"up_bias", FX_SHAPE(FX_F32, 4 * w), 0},
        {"down", FX_SHAPE(FX_F32, 4 * w, w), last}, {"down_bias", FX_SHAPE(FX_F32, w), 0},
    };
    for (int i = 0; i < LAYER_WEIGHTS; i++) {
        const fx_shape *shape = &rows[i].shape;
        fx_node *first = rows[i].spread > 0 ? fx_init_normal(*random, rows[i].spread, shape, random)
                         : strncmp(rows[i].name, "norm", 4) == 0 ? fx_init_ones(*random, shape, NULL)
                                                                 : fx_init_zeros(*random, shape, NULL);
        fx_params_set_node(p, fx_name("model/layer%d/%s", (int)layer, rows[i].name).s, first);
    }
}

/* First values of weights and moments; the map holds "random". */
static void init(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const settings *s = user;
    fx_node *random = fx_params_node(p, "random"), *moments[MOST_STATES];
    const fx_shape table = FX_SHAPE(FX_F32, s->classes, s->width), norm = FX_SHAPE(FX_F32, s->width);
    fx_params_set_node(p, "model/embedding", fx_init_normal(random, 0.02, &table, &random));
    for (int64_t i = 0; i < s->layers; i++) init_layer(p, i, s, &random);
    fx_params_set_node(p, "model/norm", fx_init_ones(random, &norm, NULL));
    fx_params_set_node(p, "random", random);
    fx_nodes weights = fx_params_nodes(p, "model/");
    fx_optimizer_init_nodes(&optimizer, weights, moments);
    fx_params_set_nodes(p, "optimizer/", (fx_nodes){moments, 1 + 2 * weights.n});
    (void)in, (void)n_in, (void)out, (void)n_out;
}

/* What surrounds a pass through the model. */
typedef struct pass {
    fx_params *p;
    const settings *s;
    fx_node *positions; /* [sequence] */
    fx_node *random;    /* dropout draws from it; NULL: none */
    bool cached;        /* keys and values of earlier characters are in the map's caches */
} pass;

static fx_node *drop(pass *a, fx_node *x) {
    return a->random && a->s->dropout > 0 ? fx_nn_dropout(x, a->s->dropout, a->random, &a->random) : x;
}

/* Puts new rows into a cache of the map and gives all of it. */
static fx_node *remember(pass *a, const char *name, int64_t layer, fx_node *rows) {
    const fx_kv_cache_options options = {.layout = FX_ATTENTION_BSHD};
    const fx_text full = fx_name("cache/%s%d", name, (int)layer);
    fx_node *first = fx_reshape(fx_slice_axis(a->positions, 0, 0, 1, 1), FX_DIMS());
    return fx_params_set_node(a->p, full.s,
                              fx_nn_kv_cache_update(fx_params_node(a->p, full.s), rows, first, &options));
}

/* x [batch, sequence, width] */
static fx_node *attention(pass *a, int64_t layer, fx_node *x) {
    const settings *s = a->s;
    const int64_t w = s->width, batch = fx_node_dim(x, 0), length = fx_node_dim(x, 1);
    const fx_dims heads = FX_DIMS(batch, length, s->heads, w / s->heads);
    fx_node *k, *v, *q = fx_nn_qkv_projection(x, weight(a->p, layer, "qkv"), NULL, NULL, NULL, w, w, &k, &v);
    q = fx_nn_rope(fx_reshape(q, heads), a->positions, 1, NULL);
    k = fx_nn_rope(fx_reshape(k, heads), a->positions, 1, NULL);
    v = fx_reshape(v, heads);
    fx_attention_options options = {.layout = FX_ATTENTION_BSHD, .causal = !a->cached};
    if (a->cached) {
        const fx_kv_cache_options cache = {.layout = FX_ATTENTION_BSHD};
        k = remember(a, "keys", layer, k);
        v = remember(a, "values", layer, v);
        fx_node *first = fx_reshape(fx_slice_axis(a->positions, 0, 0, 1, 1), FX_DIMS());
        options.mask = fx_nn_kv_cache_mask(first, length, s->context, &cache);
    }
    fx_node *y = fx_reshape(fx_nn_attention(q, k, v, &options, NULL, NULL), FX_DIMS(batch, length, w));
    return fx_nn_dense(y, weight(a->p, layer, "merge"), NULL, FX_DENSE_INPUT_OUTPUTS, FX_ACTIVATION_NONE);
}

static fx_node *perceptron(pass *a, int64_t layer, fx_node *x) {
    x = fx_nn_dense(x, weight(a->p, layer, "up"), weight(a->p, layer, "up_bias"), FX_DENSE_INPUT_OUTPUTS,
                    FX_ACTIVATION_GELU);
    return fx_nn_dense(x, weight(a->p, layer, "down"), weight(a->p, layer, "down_bias"),
                       FX_DENSE_INPUT_OUTPUTS, FX_ACTIVATION_NONE);
}

/* characters [batch, sequence] -> logits of the next ones [batch, sequence, classes] */
static fx_node *logits_of(pass *a, fx_node *characters) {
    fx_node *table = fx_params_node(a->p, "model/embedding");
    fx_node *x = drop(a, fx_nn_embedding(table, characters));
    for (int64_t i = 0; i < a->s->layers; i++) {
        fx_node *y = fx_nn_rms_norm(x, FX_AXES(-1), 1e-6, weight(a->p, i, "norm1"));
        x = fx_add(x, drop(a, attention(a, i, y)));
        y = fx_nn_rms_norm(x, FX_AXES(-1), 1e-6, weight(a->p, i, "norm2"));
        x = fx_add(x, drop(a, perceptron(a, i, y)));
    }
    x = fx_nn_rms_norm(x, FX_AXES(-1), 1e-6, fx_params_node(a->p, "model/norm"));
    return fx_nn_dense(x, table, NULL, FX_DENSE_OUTPUTS_INPUT, FX_ACTIVATION_NONE);
}

/* Mean loss of telling each character of pieces of the text from those before it. text [n], starts [batch] */
static fx_node *loss_of(pass *a, fx_node *text, fx_node *starts) {
    const int64_t length = a->s->context;
    fx_node *pieces =
        fx_gather_slices(text, FX_AXES(0), fx_reshape(starts, FX_DIMS(-1, 1)), FX_DIMS(length + 1));
    pieces = fx_convert(pieces, FX_S32);
    a->positions = fx_nn_sequential_positions(fx_node_graph(text), NULL, length);
    fx_node *logits = logits_of(a, fx_slice_axis(pieces, 1, 0, length, 1));
    return fx_loss_sparse_categorical_cross_entropy_logits(fx_slice_axis(pieces, 1, 1, length + 1, 1), logits,
                                                           NULL);
}

/* ---- one step of each kind ---- */

/* in: the text [n]; out: the loss. */
static void train_step(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    const settings *s = user;
    const fx_cosine_options warm_up = {.warm_up = s->steps / 20.0, .minimum = s->rate / 20};
    fx_node *next[MOST_WEIGHTS], *moments[MOST_STATES], *gradients[MOST_WEIGHTS];
    pass a = {.p = p, .s = s, .random = fx_params_node(p, "random")};
    const int64_t most = fx_node_dim(in[0], 0) - s->context;
    fx_node *starts = fx_random_int(a.random, 0, most, &FX_SHAPE(FX_S32, s->batch), &a.random);
    out[0] = loss_of(&a, in[0], starts);
    fx_nodes weights = fx_params_nodes(p, "model/"), state = fx_params_nodes(p, "optimizer/");
    fx_gradients_clip_norm(fx_params_gradient(out[0], p, "model/"), 1, gradients);
    fx_node *rate = fx_schedule_cosine(state.v[0], s->rate, s->steps, &warm_up);
    fx_optimizer_step(&optimizer, weights, (fx_nodes){gradients, weights.n}, state, rate, next, moments);
    fx_params_set_nodes(p, "model/", (fx_nodes){next, weights.n});
    fx_params_set_nodes(p, "optimizer/", (fx_nodes){moments, state.n});
    fx_params_set_node(p, "random", a.random);
    (void)n_in, (void)n_out;
}

/* in: the text [n], where the first piece begins; out: the loss of pieces that follow each other. */
static void judge(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const settings *s = user;
    pass a = {.p = p, .s = s};
    fx_node *pieces = fx_iota(fx_params_graph(p), &FX_SHAPE(FX_S32, s->batch), 0);
    out[0] = loss_of(&a, in[0], fx_add(fx_mul_scalar(pieces, (double)s->context), in[1]));
    (void)n_in, (void)n_out;
}

/* in: a character [1, 1] and its position; out: the next character, drawn from the model's probabilities. */
static void write_next(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    pass a = {.p = p, .s = user, .cached = true};
    a.positions = fx_reshape(in[1], FX_DIMS(1));
    fx_node *random, *logits = fx_reshape(logits_of(&a, in[0]), FX_DIMS(a.s->classes));
    fx_node *cooler = fx_div_scalar(logits, 0.8);
    out[0] = fx_random_categorical(fx_params_node(p, "random"), cooler, &FX_SHAPE(FX_S32, 1, 1), &random);
    fx_params_set_node(p, "random", random);
    (void)n_in, (void)n_out;
}

/* ---- text ---- */

typedef struct corpus {
    uint8_t *v;         /* numbers of characters */
    size_t n, held_out; /* the last ones are not learned from */
    char alphabet[257];
    int64_t classes;
} corpus;

static void number_characters(corpus *t) {
    int number[256];
    bool there[256] = {false};
    for (size_t i = 0; i < t->n; i++) there[t->v[i]] = true;
    for (int c = 1; c < 256; c++)
        if (there[c]) {
            number[c] = (int)t->classes;
            t->alphabet[t->classes++] = (char)c;
        }
    for (size_t i = 0; i < t->n; i++) t->v[i] = (uint8_t)number[t->v[i]];
    t->held_out = t->n / 10;
}

static bool read_text(corpus *t, const char *path) {
    FILE *file = fopen(path, "rb");
    size_t room = 0, got = 1;
    while (file && got > 0) {
        uint8_t *bigger = t->n + 4096 > room ? realloc(t->v, room = 2 * room + 65536) : t->v;
        if (!bigger) break;
        t->v = bigger;
        got = fread(t->v + t->n, 1, room - t->n, file);
        t->n += got;
    }
    bool ok = file && got == 0 && !ferror(file) && t->n > 10000 && !memchr(t->v, 0, t->n);
    if (!ok) fprintf(stderr, "%s: %s\n", path, file ? "no text of 10,000 characters" : strerror(errno));
    if (file) fclose(file);
    if (ok) number_characters(t);
    return ok;
}

/* ---- the program ---- */

typedef struct options {
    bool quick, resume;
    int steps, sample, seed;
    const char *data, *save, *svg;
} options;

static bool read_number(const char *value, int *number) {
    char *end;
    long n = strtol(value, &end, 10);
    *number = (int)n;
    return end != value && !*end && n >= 0 && n <= 10000000;
}

/* An option with a value. */
static bool read_value(options *o, const char *name, const char *value) {
    const struct {
        const char *name;
        int *number; /* or */
        const char **words;
    } rows[] = {{"--steps", &o->steps, NULL}, {"--sample", &o->sample, NULL}, {"--seed", &o->seed, NULL},
                {"--data", NULL, &o->data},   {"--save", NULL, &o->save},     {"--svg", NULL, &o->svg}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) != 0) continue;
        if (rows[i].number) return read_number(value, rows[i].number);
        *rows[i].words = value;
        return true;
    }
    return false;
}

static bool read_options(options *o, int argc, char **argv) {
    bool ok = true;
    for (int i = 1; i < argc && ok; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            o->quick = true;
        else if (strcmp(argv[i], "--resume") == 0)
            o->resume = true;
        else if ((ok = i + 1 < argc && read_value(o, argv[i], argv[i + 1])))
            i++;
    }
    if (!ok)
        fprintf(stderr,
                "usage: %s [--quick] [--steps N] [--seed N] [--sample N] [--data FILE] [--svg FILE] "
                "[--save FILE] [--resume]\n",
                argv[0]);
    return ok;
}

/* A new state, or the saved one; NULL with a line on stderr. */
static fx_params *open_state(fx_backend *backend, const options *o, settings *s, const corpus *t) {
    if (o->resume) {
        fx_error err = {0};
        fx_params *state = fx_safetensors_load(o->save, &err);
        const char *alphabet = fx_params_metadata(state, "alphabet");
        if (state && alphabet && strcmp(alphabet, t->alphabet) == 0) return state;
        fprintf(stderr, "%s\n", state ? "the file is not of this text" : err.message);
        fx_params_free(state);
        return NULL;
    }
    fx_params *state = fx_params_new(FX_MUST);
    fx_params_set(state, "random", fx_random_state_tensor((uint64_t)o->seed, FX_MUST), FX_MUST);
    fx_params_set_metadata(state, "alphabet", t->alphabet, FX_MUST);
    fx_params_exec *create = fx_params_exec_new(backend, init, 0, 0, s, FX_MUST);
    fx_params_call(create, state, NULL, 0, FX_MUST);
    fx_params_exec_free(create);
    return state;
}

/* Steps until the end or Ctrl-C. */
static void train(fx_backend *backend, fx_params *state, settings *s, fx_tensor *learned, curve *losses) {
    fx_params_exec *exec = fx_params_exec_new(backend, train_step, 1, 1, s, FX_MUST);
    int begin = (int)fx_tensor_get_int(fx_params_get(state, "optimizer/0", FX_MUST), 0);
    progress bar = progress_begin("steps", s->steps);
    for (int i = begin; i < s->steps && !stop_asked(); i++) {
        fx_tensor *loss = fx_params_call1(exec, state, FX_MUST, learned);
        char note[32];
        curve_add(losses, fx_tensor_get(loss, 0));
        snprintf(note, sizeof note, "loss %.3f", fx_tensor_get(loss, 0));
        progress_show(&bar, i + 1, note);
        fx_tensor_free(loss);
    }
    progress_end(&bar);
    fx_params_exec_free(exec);
}

/* Mean loss of the text that was held out. */
static double held_out_loss(fx_backend *backend, fx_params *state, settings *s, fx_tensor *text, int64_t n) {
    fx_params_exec *exec = fx_params_exec_new(backend, judge, 2, 1, s, FX_MUST);
    const int64_t piece = s->batch * s->context;
    double sum = 0;
    int parts = 0;
    for (int64_t at = 0; at + piece < n; at += piece, parts++) {
        fx_tensor *loss = fx_params_call1(exec, state, FX_MUST, text, (int)at);
        sum += fx_tensor_get(loss, 0);
        fx_tensor_free(loss);
    }
    fx_params_exec_free(exec);
    return sum / parts;
}

/* The weights and empty caches. */
static fx_params *open_writer(const fx_params *state, const settings *s, int seed) {
    fx_params *writer = fx_params_copy(state, "model/", FX_MUST);
    const fx_shape cache = FX_SHAPE(FX_F32, 1, s->context, s->heads, s->width / s->heads);
    for (int i = 0; i < s->layers; i++) {
        fx_params_set(writer, fx_name("cache/keys%d", i).s, fx_tensor_new(&cache, FX_MUST), FX_MUST);
        fx_params_set(writer, fx_name("cache/values%d", i).s, fx_tensor_new(&cache, FX_MUST), FX_MUST);
    }
    fx_params_set(writer, "random", fx_random_state_tensor((uint64_t)seed, FX_MUST), FX_MUST);
    return writer;
}

static void print_sample(fx_backend *backend, const fx_params *state, settings *s, const corpus *t,
                         const options *o) {
    static const char prompt[] = "\nGLOUCESTER:\n";
    fx_params *writer = open_writer(state, s, o->seed);
    fx_params_exec *exec = fx_params_exec_new(backend, write_next, 2, 1, s, FX_MUST);
    int32_t drawn = 0;
    for (int i = 0; i < o->sample; i++) {
        const char *place = i < (int)sizeof prompt - 1 ? strchr(t->alphabet, prompt[i]) : NULL;
        int32_t character = place ? (int32_t)(place - t->alphabet) : drawn;
        putchar(t->alphabet[character]);
        fx_tensor *next = fx_params_call1(exec, writer, FX_MUST, FX_HOST(&character, 1, 1), i);
        drawn = (int32_t)fx_tensor_get_int(next, 0);
        fx_tensor_free(next);
    }
    putchar('\n');
    fx_params_exec_free(exec);
    fx_params_free(writer);
}

static int64_t count_weights(const fx_params *state) {
    fx_params *weights = fx_params_copy(state, "model/", FX_MUST);
    int64_t n = 0;
    for (size_t i = 0; i < fx_params_count(weights); i++) n += fx_tensor_size(fx_params_tensor(weights, i));
    fx_params_free(weights);
    return n;
}

/* --quick says less, so that every machine says the same. */
static void report(const options *o, const curve *losses, double held_out) {
    enum { PARTS = 50 };
    if (o->quick) {
        double last = curve_mean(losses, 9, 10);
        printf("learned   the loss fell %s 2.6\n", last < 2.6 ? "below" : "not below");
        printf("held out  it is %s 2.7\n", held_out < 2.7 ? "below" : "not below");
        return;
    }
    if (losses->n >= PARTS) {
        printf("loss      ");
        curve_print(losses, PARTS);
        printf("  %.2f to %.2f\n", curve_mean(losses, 0, PARTS), curve_mean(losses, PARTS - 1, PARTS));
    }
    printf("held out  %.2f\n", held_out);
}

static void run(fx_backend *backend, fx_params *state, settings *s, const corpus *t, const options *o) {
    const int64_t learned = (int64_t)(t->n - t->held_out), rest = (int64_t)t->held_out;
    fx_tensor *before = fx_tensor_copy_from(&FX_SHAPE(FX_U8, learned), t->v, FX_MUST);
    fx_tensor *after = fx_tensor_copy_from(&FX_SHAPE(FX_U8, rest), t->v + learned, FX_MUST);
    curve losses = {NULL, 0, 0};
    printf("text      %zu characters, %d different\n", t->n, (int)t->classes);
    printf("model     %lld weights in %d layers\n", (long long)count_weights(state), (int)s->layers);
    fflush(stdout);
    train(backend, state, s, before, &losses);
    fx_error err = {0};
    if (o->save && !fx_safetensors_save(state, o->save, &err)) fprintf(stderr, "%s\n", err.message);
    if (stop_asked() && o->save) fprintf(stderr, "stopped; --resume goes on from %s\n", o->save);
    report(o, &losses, held_out_loss(backend, state, s, after, rest));
    if (!o->quick) print_sample(backend, state, s, t, o);
    if (o->svg) curve_write_svg(&losses, o->svg, "char_transformer: loss");
    curve_free(&losses);
    fx_tensor_free(before);
    fx_tensor_free(after);
}

int main(int argc, char **argv) {
    options o = {.steps = -1, .sample = 500, .seed = 1, .data = "examples/data/shakespeare.txt"};
    corpus t = {.v = NULL};
    if (!read_options(&o, argc, argv) || !read_text(&t, o.data)) return 1;
    if (!o.save && (!o.quick || o.resume)) o.save = "char_transformer.safetensors";
    settings s = o.quick ? quick : usual;
    s.classes = t.classes;
    if (o.steps >= 0) s.steps = o.steps;
    stop_watch();
    fx_backend *backend = fx_backend_open(NULL, FX_MUST);
    fx_params *state = open_state(backend, &o, &s, &t);
    if (state) run(backend, state, &s, &t, &o);
    fx_params_free(state);
    fx_backend_close(backend);
    free(t.v);
    return state ? 0 : 1;
}
