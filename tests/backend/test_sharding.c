/* SPDX-License-Identifier: Apache-2.0 */
/* Shardings on backends that have one device: the value to the bit, no step of a program more, wherever they
 * stand; and the number of the only device. */
#include "exec/both.h"
#include <stdio.h>

static const fx_mesh mesh = {.names = {"data", "model"}, .sizes = {2, 2}};

/* With or without shardings, the same function. */
typedef struct choice {
    bool sharded;
} choice;

static fx_node *mark(const choice *c, fx_node *x, const char *first, const char *second) {
    return c->sharded ? fx_shard(x, FX_SHARDING(&mesh, first, second)) : x;
}

static void rounds(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    out[0] = mark(user, fx_tanh(mark(user, in[1], "data", NULL)), "model", "data");
}

/* in: x [4, 6], w [6, 2]; out: a product, its derivative, a loop, the parameter itself. */
static void everywhere(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)g, (void)n_in, (void)n_out;
    fx_node *x = mark(user, in[0], "data", NULL), *w = mark(user, in[1], NULL, "model");
    fx_node *y = mark(user, fx_matmul(x, w), "data", "model");
    out[0] = mark(user, y, NULL, NULL);
    out[1] = fx_gradient(fx_reduce_all_sum(fx_square(y)), FX_NODES(in[1]), NULL);
    out[2] = fx_for(3, FX_NODES(in[0]), rounds, user, NULL);
    out[3] = mark(user, x, "data", "model");
}

static void run(const char *name, bool sharded, fx_tensor *out[4], fx_memory *memory) {
    fx_backend *backend = fx_backend_open(name, FX_MUST);
    choice c = {sharded};
    fx_exec *exec = fx_exec_new_fn(backend, everywhere, 2, 4, &c, FX_MUST);
    float x[4][6], w[6][2];
    for (int i = 0; i < 24; i++) x[i / 6][i % 6] = (float)i / 8 - 1;
    for (int i = 0; i < 12; i++) w[i / 2][i % 2] = 1 - (float)i / 4;
    assert_true(fx_call(exec, out, 4, FX_MUST, FX_HOST(&x[0][0], 4, 6), FX_HOST(&w[0][0], 6, 2)));
    const fx_shape shapes[2] = {FX_SHAPE(FX_F32, 4, 6), FX_SHAPE(FX_F32, 6, 2)};
    fx_program *program = fx_exec_program(exec, shapes, 2, FX_MUST);
    assert_true(fx_program_memory(program, memory));
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void changes_nothing(void **state) {
    fx_tensor *with[4], *without[4];
    fx_memory marked = {.size = sizeof marked}, plain = {.size = sizeof plain};
    run(*state, true, with, &marked);
    run(*state, false, without, &plain);
    for (int i = 0; i < 4; i++) {
        assert_true(fx_tensor_equal(with[i], without[i]));
        fx_tensor_free(with[i]);
        fx_tensor_free(without[i]);
    }
    assert_int_equal(marked.steps, plain.steps);
    assert_int_equal(marked.workspace, plain.workspace);
    assert_int_equal(marked.kernels, plain.kernels);
}

/* ---- labels stay ---- */

static void count(const char *label, const fx_tensor *value, const char *file, int line, void *user) {
    (void)file, (void)line;
    assert_string_equal(label, "marked");
    assert_text(value, "[2]float32{1, 2}");
    ++*(int *)user;
}

static fx_node *logged(fx_node *x) {
    return fx_neg(fx_log_node(fx_shard(x, FX_SHARDING(&mesh, "data")), "marked"));
}

static void is_logged(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, logged, FX_MUST);
    int calls = 0;
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.log = count, .log_user = &calls}, FX_MUST));
    fx_tensor_free(fx_call1(exec, FX_MUST, FX_VEC(float, 1, 2)));
    assert_int_equal(calls, 1);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- device numbers ---- */

static void number_rounds(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    (void)n_in, (void)n_out, (void)user;
    out[0] = fx_add(in[1], fx_convert(fx_replica_id(g), FX_F32));
}

static void numbers(fx_node *x, fx_node **out) {
    fx_graph *g = fx_node_graph(x);
    out[0] = fx_replica_id(g);
    out[1] = fx_add(fx_add(x, fx_convert(fx_partition_id(g), FX_F32)), fx_convert(out[0], FX_F32));
    out[2] = fx_for(3, FX_NODES(x), number_rounds, NULL, NULL);
}

static void device_is_0(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new_outputs(backend, numbers, 3, FX_MUST);
    fx_tensor *out[3];
    assert_true(fx_call(exec, out, 3, FX_MUST, 5.0f));
    assert_text(out[0], "uint32(0)");
    assert_text(out[1], "float32(5)");
    assert_text(out[2], "float32(5)");
    for (int i = 0; i < 3; i++) fx_tensor_free(out[i]);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(changes_nothing), BOTH(is_logged), BOTH(device_is_0)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
