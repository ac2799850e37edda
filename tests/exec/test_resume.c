/* SPDX-License-Identifier: Apache-2.0 */
/* Training that is interrupted, saved, loaded and continued gives the bits of training without a break: all
 * of the state is in the map, weights, moments, the count of steps, the random state that dropout draws from.
 */
#include "both.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { IN = 24, HIDDEN = 37, OUT = 5, BATCH = 16, WEIGHTS = 4, MOST_STATES = 1 + 4 * WEIGHTS };

/* AdamW with a float32 copy of the bfloat16 weight; an update takes two batches, the break comes between
 * them. */
static const fx_optimizer optimizer = {.kind = FX_OPTIMIZER_ADAMW, .master = true, .accumulate = 2};

static void init(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *random = fx_params_node(p, "random"), *state[MOST_STATES];
    fx_params_set_node(p, "model/w1", fx_init_he_normal(random, &FX_SHAPE(FX_F32, IN, HIDDEN), &random));
    fx_params_set_node(p, "model/b1", fx_init_zeros(random, &FX_SHAPE(FX_F32, HIDDEN), NULL));
    fx_params_set_node(p, "model/w2", fx_init_he_normal(random, &FX_SHAPE(FX_BF16, HIDDEN, OUT), &random));
    fx_params_set_node(p, "model/b2", fx_init_zeros(random, &FX_SHAPE(FX_F32, OUT), NULL));
    fx_params_set_node(p, "random", random);
    fx_shape shapes[WEIGHTS];
    fx_nodes weights = fx_params_nodes(p, "model/");
    for (size_t i = 0; i < weights.n; i++) shapes[i] = *fx_node_shape(weights.v[i]);
    size_t n = fx_optimizer_state_count(&optimizer, shapes, weights.n, NULL);
    assert_in_range(n, 1, MOST_STATES);
    fx_optimizer_init_nodes(&optimizer, weights, state);
    fx_params_set_nodes(p, "adam/", (fx_nodes){state, n});
    (void)in, (void)n_in, (void)out, (void)n_out, (void)user;
}

/* in: none, the batch is random too. out: the loss. */
static void step(fx_params *p, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *random = fx_params_node(p, "random"), *next[WEIGHTS], *state[MOST_STATES];
    fx_node *x = fx_random_normal(random, &FX_SHAPE(FX_F32, BATCH, IN), &random);
    fx_node *hidden = fx_nn_dense(x, fx_params_node(p, "model/w1"), fx_params_node(p, "model/b1"),
                                  FX_DENSE_INPUT_OUTPUTS, FX_ACTIVATION_RELU);
    hidden = fx_nn_dropout(hidden, 0.3, random, &random);
    fx_node *w2 = fx_convert(fx_params_node(p, "model/w2"), FX_F32);
    fx_node *y = fx_add(fx_matmul(hidden, w2),
                        fx_broadcast_in_dim(fx_params_node(p, "model/b2"), FX_DIMS(BATCH, OUT), FX_AXES(1)));
    out[0] = fx_reduce_all_mean(fx_square(fx_sub(y, fx_slice_axis(x, 1, 0, OUT, 1))));
    fx_nodes d = fx_params_gradient(out[0], p, "model/"), old = fx_params_nodes(p, "adam/");
    fx_node *rate = fx_schedule_warm_up(old.v[0], fx_schedule_constant(old.v[0], 0.01), 6);
    fx_optimizer_step(&optimizer, fx_params_nodes(p, "model/"), d, old, rate, next, state);
    fx_params_set_nodes(p, "model/", (fx_nodes){next, WEIGHTS});
    fx_params_set_nodes(p, "adam/", (fx_nodes){state, old.n});
    fx_params_set_node(p, "random", random);
    (void)in, (void)n_in, (void)n_out, (void)user;
}

static fx_params *begin(fx_backend *backend) {
    fx_params *p = fx_params_new(FX_MUST);
    fx_params_set(p, "random", fx_random_state_tensor(11, FX_MUST), FX_MUST);
    fx_params_exec *create = fx_params_exec_new(backend, init, 0, 0, NULL, FX_MUST);
    assert_true(fx_params_call(create, p, NULL, 0, FX_MUST));
    fx_params_exec_free(create);
    return p;
}

/* With an executable of its own; gives the last loss. */
static double train(fx_backend *backend, fx_params *p, int steps) {
    fx_params_exec *exec = fx_params_exec_new(backend, step, 0, 1, NULL, FX_MUST);
    double last = 0;
    for (int i = 0; i < steps; i++) {
        fx_tensor *loss = fx_params_call1(exec, p, FX_MUST);
        last = fx_tensor_get(loss, 0);
        fx_tensor_free(loss);
    }
    fx_params_exec_free(exec);
    return last;
}

static void assert_equal_maps(const fx_params *a, const fx_params *b) {
    assert_int_equal(fx_params_count(a), fx_params_count(b));
    for (size_t i = 0; i < fx_params_count(a); i++) {
        assert_string_equal(fx_params_name(a, i), fx_params_name(b, i));
        if (!fx_tensor_equal(fx_params_tensor(a, i), fx_params_tensor(b, i)))
            fail_msg("\"%s\" differs", fx_params_name(a, i));
    }
}

static void resumes_bit_by_bit(void **state) {
    enum { FIRST = 5, SECOND = 8 };
    char path[] = "/tmp/fluxion-resume-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    fx_backend *backend = open_named(state);
    fx_params *whole = begin(backend), *part = begin(backend);
    assert_equal_maps(whole, part);
    double loss = train(backend, whole, FIRST + SECOND);
    double before = train(backend, part, FIRST);
    assert_true(fx_safetensors_save(part, path, FX_MUST));
    fx_params_free(part);
    fx_backend_close(backend);

    backend = open_named(state); /* as another process would */
    part = fx_safetensors_load(path, FX_MUST);
    double resumed = train(backend, part, SECOND);
    assert_true(resumed == loss && loss != before);
    assert_equal_maps(whole, part);
    assert_true(fx_tensor_get_int(fx_params_get(part, "adam/0", FX_MUST), 0) > 0);
    fx_params_free(part);
    part = fx_safetensors_load(path, FX_MUST); /* a test that can fail: another random state */
    fx_params_set(part, "random", fx_random_state_tensor(12, FX_MUST), FX_MUST);
    assert_true(train(backend, part, SECOND) != loss);
    fx_params_free(part);
    fx_params_free(whole);
    fx_backend_close(backend);
    unlink(path);
}

#if FLUXION_CPU
/* A pause in which the number of threads changes makes no difference either. */
static void whatever_the_threads(void **state) {
    (void)state;
    fx_backend *one = fx_backend_open("cpu?threads=1", FX_MUST),
               *three = fx_backend_open("cpu?threads=3", FX_MUST);
    fx_params *a = begin(one), *b = begin(three);
    double x = train(one, a, 6), y = train(three, b, 3);
    assert_true(x != y);
    assert_true(train(one, b, 3) == x);
    assert_equal_maps(a, b);
    fx_params_free(a);
    fx_params_free(b);
    fx_backend_close(one);
    fx_backend_close(three);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(resumes_bit_by_bit),
#if FLUXION_CPU
        cmocka_unit_test(whatever_the_threads),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
