/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: what is computed again, that it stays so through the passes of both backends, and that values
 * do not change. */
#include "exec/both.h"

/* x -> w x w x ...: three products behind each mark. */
static fx_node *segment(fx_node *x, fx_node *w) {
    for (int i = 0; i < 3; i++) x = fx_mul(fx_mul(x, w), x);
    return x;
}

static fx_node *plain(fx_node *x, fx_node *w) {
    fx_node *y = segment(segment(x, w), w);
    return fx_vjp(FX_NODES(y), FX_NODES(fx_ones_like(y)), FX_NODES(w), NULL);
}
static fx_node *checkpointed(fx_node *x, fx_node *w) {
    fx_node *y = segment(fx_checkpoint(segment(x, w)), w);
    return fx_vjp(FX_NODES(y), FX_NODES(fx_ones_like(y)), FX_NODES(w), NULL);
}
static fx_node *stopped(fx_node *x, fx_node *w) {
    fx_node *y = segment(fx_stop_checkpoint(segment(fx_checkpoint(x), w)), w);
    return fx_vjp(FX_NODES(y), FX_NODES(fx_ones_like(y)), FX_NODES(w), NULL);
}

static size_t count(const char *text, const char *word) {
    size_t n = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) n++;
    return n;
}

typedef fx_node *(*function)(fx_node *x, fx_node *w);

static fx_tensor *run(fx_backend *backend, function f, size_t *barriers) {
    static char text[100000];
    fx_exec *exec = fx_exec_new2(backend, f, FX_MUST);
    const fx_shape shape = FX_SHAPE(FX_F64, 64);
    fx_program *program = fx_exec_program(exec, (const fx_shape[]){shape, shape}, 2, FX_MUST);
    fx_program_text(program, text, sizeof text);
    *barriers = count(text, "optimization_barrier");
    fx_program_free(program);
    double x[64], w[64];
    for (int i = 0; i < 64; i++) x[i] = 0.5 + i / 64.0, w[i] = 1 - i / 128.0;
    fx_tensor *result = fx_call1(exec, FX_MUST, FX_HOST(x, 64), FX_HOST(w, 64));
    fx_exec_free(exec);
    return result;
}

/* Bit for bit the gradient without checkpoints; the second computation begins at a barrier of its own. */
static void test_same_values(void **state) {
    fx_backend *backend = open_named(state);
    size_t none, two, kept;
    fx_tensor *a = run(backend, plain, &none), *b = run(backend, checkpointed, &two),
              *c = run(backend, stopped, &kept);
    assert_true(fx_tensor_equal(a, b));
    assert_true(fx_tensor_equal(a, c));
    assert_int_equal(none, 0);
    assert_true(two >= 2);
    assert_true(kept >= 3);
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_tensor_free(c);
    fx_backend_close(backend);
}

/* ---- memory ---- */

enum { LAYERS = 25, EVERY = 5, WIDTH = 64, BATCH = 256 };

/* Layers of gelu and the gradient by all weights; *user: whether every fifth is a checkpoint. */
static void deep(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *x = in[LAYERS];
    (void)body, (void)n_in, (void)n_out;
    for (int i = 0; i < LAYERS; i++) {
        if (*(bool *)user && i % EVERY == 0) x = fx_checkpoint(x);
        x = fx_gelu(fx_matmul(x, in[i]));
    }
    fx_gradient(fx_reduce_all_mean(fx_square(x)), (fx_nodes){in, LAYERS}, out);
}

static int64_t workspace(fx_backend *backend, bool with) {
    fx_shape shapes[LAYERS + 1];
    fx_memory memory = {0};
    for (int i = 0; i < LAYERS; i++) shapes[i] = FX_SHAPE(FX_F32, WIDTH, WIDTH);
    shapes[LAYERS] = FX_SHAPE(FX_F32, BATCH, WIDTH);
    fx_exec *exec = fx_exec_new_fn(backend, deep, LAYERS + 1, LAYERS, &with, FX_MUST);
    fx_program *program = fx_exec_program(exec, shapes, LAYERS + 1, FX_MUST);
    assert_true(fx_program_memory(program, &memory));
    fx_program_free(program);
    fx_exec_free(exec);
    return memory.workspace;
}

static void test_memory(void **state) {
    fx_backend *backend = open_named(state);
    assert_true((double)workspace(backend, true) < 0.4 * (double)workspace(backend, false));
    fx_backend_close(backend);
}

static void test_refusals(void **state) {
    (void)state;
    assert_null(fx_checkpoint(NULL));
    assert_null(fx_stop_checkpoint(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(test_same_values),
        BOTH(test_memory),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
