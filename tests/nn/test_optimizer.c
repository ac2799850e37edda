/* SPDX-License-Identifier: Apache-2.0 */
/* Training steps made with optimizers: they learn, repeat bit for bit, and write donated parameters and
 * states in place; the layout of states; and what is refused. The values of single steps are golden cases of
 * the family optimizer. */
#include "exec/both.h"
#include "support/graph_helpers.h"
#include <math.h>
#include <stdio.h>

/* ---- a step of a small perceptron on a fixed batch ---- */

enum { ROWS = 64, IN = 8, HIDDEN = 16, OUT = 4, PARAMETERS = 4, MOST_STATES = 24, STEPS = 40 };

typedef struct model {
    fx_optimizer optimizer;
    size_t n_state;
    bool clip;
} model;

/* in: parameters, state, x, labels; out: parameters, state, loss */
static void train(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const model *m = user;
    fx_node *const *p = in, *x = in[PARAMETERS + m->n_state], *labels = in[PARAMETERS + m->n_state + 1];
    fx_node *hidden = fx_tanh(fx_add(fx_matmul(x, p[0]), fx_expand_left_to_rank(p[1], 2)));
    fx_node *logits = fx_add(fx_matmul(hidden, p[2]), fx_expand_left_to_rank(p[3], 2));
    fx_node *loss = fx_loss_sparse_categorical_cross_entropy_logits(labels, logits, NULL), *d[PARAMETERS];
    const fx_nodes parameters = {p, PARAMETERS}, state = {in + PARAMETERS, m->n_state};
    fx_gradient(loss, parameters, d);
    if (m->clip) fx_gradients_clip_norm((fx_nodes){d, PARAMETERS}, 10, d);
    fx_optimizer_step(&m->optimizer, parameters, (fx_nodes){d, PARAMETERS}, state, NULL, out,
                      out + PARAMETERS);
    out[PARAMETERS + m->n_state] = loss;
    (void)g, (void)n_in, (void)n_out;
}

static fx_tensor *random_tensor(fx_shape shape, uint64_t *seed) {
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    float *v = fx_tensor_mutable_data(t);
    for (int64_t i = 0; i < fx_tensor_size(t); i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        v[i] = (float)(int32_t)(*seed >> 32) / 0x1p31f;
    }
    return t;
}

typedef struct run {
    fx_tensor *p[PARAMETERS + MOST_STATES]; /* and the state */
    double first, last;                     /* losses */
} run;

static void one_step(fx_exec *exec, run *r, size_t n, fx_tensor *x, fx_tensor *labels, double *loss) {
    fx_arg args[PARAMETERS + MOST_STATES + 2];
    fx_tensor *out[PARAMETERS + MOST_STATES + 1];
    for (size_t i = 0; i < n; i++) args[i] = fx_donate(r->p[i]);
    args[n] = FX_ARG(x), args[n + 1] = FX_ARG(labels);
    assert_true(fx_exec_call(exec, args, n + 2, out, n + 1, FX_MUST));
    for (size_t i = 0; i < n; i++) {
        fx_tensor_free(r->p[i]);
        r->p[i] = out[i];
    }
    *loss = fx_tensor_get(out[n], 0);
    fx_tensor_free(out[n]);
}

static const fx_shape shapes[PARAMETERS] = {
    {FX_F32, 2, {IN, HIDDEN}}, {FX_F32, 1, {HIDDEN}}, {FX_F32, 2, {HIDDEN, OUT}}, {FX_F32, 1, {OUT}}};

static run train_for(const char *backend_name, fx_optimizer optimizer, int steps, bool clip) {
    run r = {.first = 0};
    uint64_t seed = 5;
    int32_t label[ROWS];
    fx_backend *backend = fx_backend_open(backend_name, FX_MUST);
    model m = {optimizer, fx_optimizer_state_count(&optimizer, shapes, PARAMETERS, FX_MUST), clip};
    size_t n = PARAMETERS + m.n_state;
    fx_exec *exec = fx_exec_new_fn(backend, train, n + 2, n + 1, &m, FX_MUST);
    fx_tensor *x = random_tensor(FX_SHAPE(FX_F32, ROWS, IN), &seed);
    for (int i = 0; i < ROWS; i++) label[i] = (int32_t)(fx_tensor_get(x, i * IN) * 2 + 2);
    fx_tensor *labels = fx_tensor_from(FX_HOST(label, ROWS), FX_MUST);
    for (int i = 0; i < PARAMETERS; i++) r.p[i] = random_tensor(shapes[i], &seed);
    fx_optimizer_init(&optimizer, (const fx_tensor *const *)r.p, PARAMETERS, r.p + PARAMETERS, FX_MUST);
    for (int i = 0; i < steps; i++) one_step(exec, &r, n, x, labels, i == 0 ? &r.first : &r.last);
    fx_tensor_free(x);
    fx_tensor_free(labels);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return r;
}

static void free_run(run *r) {
    for (size_t i = 0; i < COUNT_OF(r->p); i++) fx_tensor_free(r->p[i]);
}

/* A rate at which each kind takes off a good part of the loss in a few steps. */
static const struct {
    fx_optimizer_kind kind;
    double rate, momentum;
} learners[] = {{FX_OPTIMIZER_SGD, 0.5, 0.5},      {FX_OPTIMIZER_ADAM, 0.05, 0},
                {FX_OPTIMIZER_ADAMW, 0.05, 0},     {FX_OPTIMIZER_ADAMAX, 0.05, 0},
                {FX_OPTIMIZER_RMSPROP, 0.01, 0.5}, {FX_OPTIMIZER_ADAFACTOR, 0.1, 0},
                {FX_OPTIMIZER_LION, 0.01, 0},      {FX_OPTIMIZER_LAMB, 0.05, 0}};

static void all_learn(void **state) {
    for (size_t i = 0; i < COUNT_OF(learners); i++) {
        const fx_optimizer o = {
            .kind = learners[i].kind, .learning_rate = learners[i].rate, .momentum = learners[i].momentum};
        run r = train_for(*state, o, STEPS, true);
        if (!(r.last < 0.5 * r.first)) fail_msg("%s: %g to %g", fx_optimizer_name(o.kind), r.first, r.last);
        assert_int_equal(fx_tensor_get_int(r.p[PARAMETERS], 0), STEPS);
        free_run(&r);
    }
}

/* in: parameters, state, gradients; out: parameters, state */
static void update(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const model *m = user;
    const fx_nodes parameters = {in, PARAMETERS}, state = {in + PARAMETERS, m->n_state};
    const fx_nodes gradients = {in + PARAMETERS + m->n_state, PARAMETERS};
    fx_optimizer_step(&m->optimizer, parameters, gradients, state, NULL, out, out + PARAMETERS);
    (void)g, (void)n_in, (void)n_out;
}

/* How many of the donated tensors an update did not write over. */
static size_t count_moved(const char *backend_name, fx_optimizer optimizer) {
    fx_backend *backend = fx_backend_open(backend_name, FX_MUST);
    model m = {optimizer, fx_optimizer_state_count(&optimizer, shapes, PARAMETERS, FX_MUST), false};
    size_t n = PARAMETERS + m.n_state, moved = 0;
    uint64_t seed = 5;
    fx_tensor *given[2 * PARAMETERS + MOST_STATES], *out[PARAMETERS + MOST_STATES];
    fx_arg args[2 * PARAMETERS + MOST_STATES];
    const void *memory[PARAMETERS + MOST_STATES];
    for (int i = 0; i < PARAMETERS; i++) given[i] = random_tensor(shapes[i], &seed);
    fx_optimizer_init(&optimizer, (const fx_tensor *const *)given, PARAMETERS, given + PARAMETERS, FX_MUST);
    for (int i = 0; i < PARAMETERS; i++) given[n + (size_t)i] = random_tensor(shapes[i], &seed);
    for (size_t i = 0; i < n; i++) args[i] = fx_donate(given[i]), memory[i] = fx_tensor_data(given[i]);
    for (size_t i = n; i < n + PARAMETERS; i++) args[i] = FX_ARG(given[i]);
    fx_exec *exec = fx_exec_new_fn(backend, update, n + PARAMETERS, n, &m, FX_MUST);
    assert_true(fx_exec_call(exec, args, n + PARAMETERS, out, n, FX_MUST));
    for (size_t i = 0; i < n; i++) moved += fx_tensor_data(out[i]) != memory[i];
    for (size_t i = 0; i < n; i++) fx_tensor_free(out[i]);
    for (size_t i = 0; i < n + PARAMETERS; i++) fx_tensor_free(given[i]);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return moved;
}

/* Everything that changes is written over what it was; the interpreter makes new tensors. */
static void in_place(void **state) {
    bool is_cpu = strcmp(*state, "cpu") == 0;
    for (size_t i = 0; i < 2 * COUNT_OF(learners); i++) {
        const fx_optimizer o = {
            .kind = learners[i / 2].kind, .momentum = learners[i / 2].momentum, .accumulate = i % 2 ? 2 : 1};
        size_t moved = count_moved(*state, o);
        if (is_cpu && moved)
            fail_msg("%s, %d at a time: %zu tensors moved", fx_optimizer_name(o.kind), (int)o.accumulate,
                     moved);
    }
}

static void same_seed_same_bits(void **state) {
    for (size_t i = 0; i < COUNT_OF(learners); i++) {
        const fx_optimizer o = {.kind = learners[i].kind};
        run a = train_for(*state, o, STEPS, true), b = train_for(*state, o, STEPS, true);
        for (size_t k = 0; k < COUNT_OF(a.p); k++)
            if (a.p[k]) assert_true(fx_tensor_equal(a.p[k], b.p[k]));
        free_run(&a);
        free_run(&b);
    }
}

/* Three times one batch, accumulated, is one step on it; before that nothing moves. */
static void accumulation(void **state) {
    const fx_optimizer once = {.kind = FX_OPTIMIZER_SGD},
                       thrice = {.kind = FX_OPTIMIZER_SGD, .accumulate = 3};
    run none = train_for(*state, once, 0, false), two = train_for(*state, thrice, 2, false),
        one = train_for(*state, once, 1, false), three = train_for(*state, thrice, 3, false);
    for (int i = 0; i < PARAMETERS; i++) {
        assert_true(fx_tensor_equal(two.p[i], none.p[i]));
        for (int64_t k = 0; k < fx_tensor_size(one.p[i]); k++)
            assert_float_equal(fx_tensor_get(three.p[i], k), fx_tensor_get(one.p[i], k), 1e-6);
    }
    run *const runs[] = {&none, &two, &one, &three};
    for (size_t i = 0; i < COUNT_OF(runs); i++) free_run(runs[i]);
}

/* ---- states ---- */

static void assert_state(const fx_optimizer *o, fx_dtype dtype, const char *wanted) {
    const fx_shape p[] = {FX_SHAPE(dtype, 200, 130), FX_SHAPE(dtype, 3)};
    fx_shape state[MOST_STATES];
    char text[1000] = "";
    size_t n = fx_optimizer_state_count(o, p, 2, FX_MUST), parameter = 9;
    assert_true(fx_optimizer_state_shapes(o, p, 2, state, FX_MUST));
    for (size_t i = 0; i < n; i++) {
        const char *name = fx_optimizer_state_name(o, p, 2, i, &parameter);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%zu %s;", name, parameter,
                 fx_shape_to_text(&state[i]).s);
    }
    assert_string_equal(text, wanted);
    assert_null(fx_optimizer_state_name(o, p, 2, n, NULL));
}

static void layouts(void **state) {
    (void)state;
    assert_state(&(fx_optimizer){.kind = FX_OPTIMIZER_SGD}, FX_F32, "step9 (int64);");
    assert_state(&(fx_optimizer){.kind = FX_OPTIMIZER_SGD, .momentum = 0.5}, FX_F64,
                 "step9 (int64);momentum0 (float64)[200, 130];momentum1 (float64)[3];");
    assert_state(
        &(fx_optimizer){.kind = FX_OPTIMIZER_ADAM, .master = true, .accumulate = 2}, FX_BF16,
        "step9 (int64);m0 (float32)[200, 130];v0 (float32)[200, 130];master0 (float32)[200, 130];sum0 "
        "(float32)[200, 130];m1 (float32)[3];v1 (float32)[3];master1 (float32)[3];sum1 (float32)[3];");
    assert_state(&(fx_optimizer){.kind = FX_OPTIMIZER_ADAFACTOR}, FX_F32,
                 "step9 (int64);row0 (float32)[200];column0 (float32)[130];v1 (float32)[3];");
    assert_state(&(fx_optimizer){.kind = FX_OPTIMIZER_RMSPROP, .centered = true, .momentum = 0.1}, FX_F16,
                 "step9 (int64);v0 (float32)[200, 130];mean0 (float32)[200, 130];momentum0 (float32)[200, "
                 "130];v1 (float32)[3];mean1 (float32)[3];momentum1 (float32)[3];");
}

static void names(void **state) {
    (void)state;
    fx_optimizer_kind kind = FX_OPTIMIZER_ADAM;
    for (int i = FX_OPTIMIZER_SGD; i <= FX_OPTIMIZER_LAMB; i++) {
        assert_true(fx_optimizer_parse(fx_optimizer_name((fx_optimizer_kind)i), &kind));
        assert_int_equal(kind, i);
    }
    assert_false(fx_optimizer_parse("adamx", &kind));
    assert_false(fx_optimizer_parse(NULL, &kind));
    assert_int_equal(kind, FX_OPTIMIZER_LAMB);
    assert_null(fx_optimizer_name((fx_optimizer_kind)8));
    assert_null(fx_optimizer_name((fx_optimizer_kind)-1));
}

/* A master copy begins as the parameter, everything else as zeros; no memory leaves nothing behind. */
static void initial_tensors(void **state) {
    (void)state;
    const fx_optimizer o = {.kind = FX_OPTIMIZER_LION, .master = true};
    fx_tensor *p = fx_tensor_scalar(FX_BF16, 1.5, FX_MUST), *s[3] = {NULL};
    assert_true(fx_optimizer_init(&o, (const fx_tensor *const *)&p, 1, s, FX_MUST));
    assert_text(s[0], "int64(0)");
    assert_text(s[1], "float32(0)");
    assert_text(s[2], "float32(1.5)");
    for (int i = 0; i < 3; i++) fx_tensor_free(s[i]);
    fx_error err;
    assert_false(fx_optimizer_init(&o, (const fx_tensor *const[]){p, NULL}, 2, s, &err));
    assert_string_equal(err.message, "fx_optimizer_init: parameter 1 is NULL");
    fx_tensor_free(p);
    p = fx_tensor_scalar(FX_S32, 1, FX_MUST);
    assert_false(fx_optimizer_init(&o, (const fx_tensor *const *)&p, 1, s, &err));
    assert_string_equal(err.message, "fx_optimizer_init: parameter 0 is (int32); parameters are floats");
    fx_tensor_free(p);
}

/* ---- what is refused ---- */

#define P(dtype, ...) parameter(g, FX_SHAPE(dtype, __VA_ARGS__))
#define STEP(o, p, gr, s, rate) fx_optimizer_step(o, p, gr, s, rate, room, room + 8)
#define SGD (&(fx_optimizer){.kind = FX_OPTIMIZER_SGD})
#define COUNTED parameter(g, FX_SHAPE(FX_S64))

static void refused_steps(void **state) {
    (void)state;
    fx_node *room[16];
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_optimizer_step: the optimizer is NULL",
                   STEP(NULL, FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3)), FX_NODES(COUNTED), NULL));
    ASSERT_REFUSED(
        FX_ERROR_ARGUMENT, "fx_optimizer_step: there are 2 gradients for 1 parameters",
        STEP(SGD, FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3), P(FX_F32, 3)), FX_NODES(COUNTED), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_optimizer_step: gradient 0 is (float32)[4], its parameter (float32)[3]",
                   STEP(SGD, FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 4)), FX_NODES(COUNTED), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_optimizer_step: gradient 0 is (bfloat16)[3], its parameter (float32)[3]",
                   STEP(SGD, FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_BF16, 3)), FX_NODES(COUNTED), NULL));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_optimizer_step: parameter 0 is (int8)[3]; parameters are floats",
                   STEP(SGD, FX_NODES(P(FX_S8, 3)), FX_NODES(P(FX_S8, 3)), FX_NODES(COUNTED), NULL));
    ASSERT_REFUSED(
        FX_ERROR_ARGUMENT, "fx_optimizer_step: there are 2 states; sgd keeps 1 for these parameters",
        STEP(SGD, FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3)), FX_NODES(COUNTED, COUNTED), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT,
                   "fx_optimizer_step: there are 0 states; sgd keeps 1 for these parameters",
                   STEP(SGD, FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3)), ((fx_nodes){NULL, 0}), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_optimizer_step: state 0, step, is (int32) instead of (int64)",
                   STEP(SGD, FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3)),
                        FX_NODES(parameter(g, FX_SHAPE(FX_S32))), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_optimizer_step: state 1, m, is (float32)[2] instead of (float32)[3]",
                   STEP(&(fx_optimizer){.kind = FX_OPTIMIZER_LION}, FX_NODES(P(FX_F32, 3)),
                        FX_NODES(P(FX_F32, 3)), FX_NODES(COUNTED, P(FX_F32, 2)), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_optimizer_step: the learning rate is (int64); it must be a float scalar",
                   STEP(SGD, FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3)), FX_NODES(COUNTED), COUNTED));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_optimizer_step: a list is NULL",
                   fx_optimizer_step(SGD, FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3)), FX_NODES(COUNTED),
                                     NULL, NULL, room));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_optimizer_step: gradient 0 is NULL",
                   STEP(SGD, FX_NODES(P(FX_F32, 3)), FX_NODES(NULL), FX_NODES(COUNTED), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_optimizer_step: parameter 0 is NULL",
                   STEP(SGD, FX_NODES(NULL, P(FX_F32, 3)), FX_NODES(P(FX_F32, 3)), FX_NODES(COUNTED), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_optimizer_step: state 1 is NULL",
                   STEP(SGD, FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3)), FX_NODES(COUNTED, NULL), NULL));
    assert_null(STEP(SGD, ((fx_nodes){NULL, 0}), ((fx_nodes){NULL, 0}), ((fx_nodes){NULL, 0}), NULL));
}

/* Any number of states but the right one is refused with both numbers, whatever the optimizer. */
static void counts_states(void **state) {
    (void)state;
    const fx_shape of[] = {FX_SHAPE(FX_F32, 3), FX_SHAPE(FX_BF16, 200, 130), FX_SHAPE(FX_F32)};
    for (int kind = 0; fx_optimizer_name((fx_optimizer_kind)kind); kind++)
        for (size_t n = 1; n <= 3; n++) {
            const fx_optimizer o = {
                .kind = (fx_optimizer_kind)kind, .master = n == 2, .accumulate = n == 3 ? 2 : 0};
            size_t wanted = fx_optimizer_state_count(&o, of, n, FX_MUST);
            fx_shape state_shapes[MOST_STATES];
            assert_true(wanted + 2 < MOST_STATES);
            assert_true(fx_optimizer_state_shapes(&o, of, n, state_shapes, FX_MUST));
            for (size_t given = 0; given <= wanted + 2; given++) {
                fx_graph *g = new_graph();
                fx_node *p[3], *states[MOST_STATES], *next[3], *after[MOST_STATES];
                fx_error err = {.code = FX_OK};
                for (size_t i = 0; i < n; i++) p[i] = parameter(g, of[i]);
                for (size_t i = 0; i < given; i++)
                    states[i] = parameter(g, state_shapes[i < wanted ? i : wanted - 1]);
                fx_optimizer_step(&o, (fx_nodes){p, n}, (fx_nodes){p, n}, (fx_nodes){states, given}, NULL,
                                  next, after);
                char text[200];
                snprintf(text, sizeof text,
                         "fx_optimizer_step: there are %zu states; %s keeps %zu for these parameters", given,
                         fx_optimizer_name(o.kind), wanted);
                assert_int_equal(fx_graph_error(g, &err), given != wanted);
                if (given != wanted) assert_string_equal(err.message, text);
                fx_graph_free(g);
            }
        }
}

static void assert_bad(fx_optimizer o, const char *message) {
    fx_error err;
    assert_int_equal(fx_optimizer_state_count(&o, NULL, 0, &err), 0);
    if (strncmp(err.message, "fx_optimizer_state_count: ", 26) != 0) fail_msg("%s", err.message);
    assert_string_equal(err.message + 26, message);
    fx_shape room;
    assert_false(fx_optimizer_state_shapes(&o, NULL, 0, &room, &err));
    assert_null(fx_optimizer_state_name(&o, NULL, 0, 0, NULL));
}

static void refused_options(void **state) {
    (void)state;
    assert_bad((fx_optimizer){.kind = (fx_optimizer_kind)99}, "there is no optimizer 99");
    assert_bad((fx_optimizer){.size = 3}, "optimizer.size is 3; it must be 128 or 0");
    assert_bad((fx_optimizer){.kind = FX_OPTIMIZER_ADAM, .beta2 = 1}, "beta2 is 1; it must be in [0, 1)");
    assert_bad((fx_optimizer){.learning_rate = (double)INFINITY}, "learning_rate is inf; it must be finite");
    assert_bad((fx_optimizer){.kind = FX_OPTIMIZER_LION, .momentum = 0.5}, "lion takes no momentum");
    assert_bad((fx_optimizer){.kind = FX_OPTIMIZER_ADAM, .centered = true}, "adam cannot be centered");
    assert_bad((fx_optimizer){.nesterov = true}, "nesterov is for sgd with momentum");
    assert_bad((fx_optimizer){.accumulate = -1}, "accumulate is -1; it must not be negative");
    assert_bad((fx_optimizer){.min_factored = -1}, "min_factored is -1; it must not be negative");
    assert_bad((fx_optimizer){.clip_threshold = -1}, "clip_threshold is 0; it must be above 0");
}

static void refused_lists(void **state) {
    (void)state;
    fx_node *room[4];
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_gradients_clip: the limit is 0; it must be above 0",
                   fx_gradients_clip(FX_NODES(P(FX_F32, 3)), 0, room));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_gradients_clip_norm: node 1 is (bool)[3]; it must be a float",
                   fx_gradients_clip_norm(FX_NODES(P(FX_F32, 3), P(FX_BOOL, 3)), 1, room));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_moving_averages: the decay is 2; it must be in [0, 1]",
                   fx_moving_averages(FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3)), 2, NULL, room));
    ASSERT_REFUSED(
        FX_ERROR_ARGUMENT, "fx_moving_averages: there are 1 averages of 2 values",
        fx_moving_averages(FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3), P(FX_F32, 3)), 0.5, NULL, room));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_moving_averages: there are no values",
                   fx_moving_averages(FX_NODES(P(FX_F32, 3)), (fx_nodes){NULL, 1}, 0.5, NULL, room));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_moving_averages: there are no values",
                   fx_moving_averages(FX_NODES(P(FX_F32, 3)), (fx_nodes){room, 0}, 0.5, NULL, room));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_moving_averages: there are no values",
                   fx_moving_averages(FX_NODES(P(FX_F32, 3)), FX_NODES((fx_node *)NULL), 0.5, NULL, room));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_moving_averages: average 0 is (float32)[3], its value (float64)[3]",
                   fx_moving_averages(FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F64, 3)), 0.5, NULL, room));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE, "fx_moving_averages: the step is (int64)[1]; it must be a scalar that counts",
        fx_moving_averages(FX_NODES(P(FX_F32, 3)), FX_NODES(P(FX_F32, 3)), 0.5, P(FX_S64, 1), room));
    assert_null(fx_gradients_norm((fx_nodes){NULL, 0}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(all_learn),
        BOTH(in_place),
        BOTH(same_seed_same_bits),
        BOTH(accumulation),
        cmocka_unit_test(layouts),
        cmocka_unit_test(names),
        cmocka_unit_test(initial_tensors),
        cmocka_unit_test(refused_steps),
        cmocka_unit_test(counts_states),
        cmocka_unit_test(refused_options),
        cmocka_unit_test(refused_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
