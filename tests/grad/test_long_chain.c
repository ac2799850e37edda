/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Size and depth: the gradient of a chain of 100,000 elementwise operations is built, compiled, run and freed
 * on a small stack, and a tower of diamonds stays linear. */
#define _GNU_SOURCE
#include "exec/both.h"
#include <math.h>
#include <pthread.h>

enum { LINKS = 25000, SMALL_STACK = 512 * 1024 };

/* y <- tanh(sin(y) + x) / 2, four operations */
static fx_node *chain_gradient(fx_node *x) {
    fx_node *y = x, *d;
    for (int i = 0; i < LINKS; i++) y = fx_mul_scalar(fx_tanh(fx_add(fx_sin(y), x)), 0.5);
    fx_gradient(fx_reduce_all_sum(y), FX_NODES(x), &d);
    return d;
}

static double derivative_of_chain(double x) {
    double y = x, d = 1;
    for (int i = 0; i < LINKS; i++) {
        double s = cos(y) * d + 1, t = tanh(sin(y) + x);
        d = 0.5 * (1 - t * t) * s;
        y = 0.5 * t;
    }
    return d;
}

static void *run_chain(void *backend) {
    double x[3] = {0.1, -0.7, 2};
    fx_exec *exec = fx_exec_new(backend, chain_gradient, FX_MUST);
    fx_tensor *d = fx_call1(exec, FX_MUST, FX_HOST(x, 3));
    bool right = true;
    for (int i = 0; i < 3; i++) right &= fabs(fx_tensor_get(d, i) - derivative_of_chain(x[i])) < 1e-12;
    fx_tensor_free(d);
    fx_exec_free(exec);
    return right ? backend : NULL;
}

static void test_chain(void **state) {
    fx_backend *backend = open_named(state);
    pthread_attr_t attr;
    pthread_t thread;
    void *right = NULL;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, SMALL_STACK);
    assert_int_equal(pthread_create(&thread, &attr, run_chain, backend), 0);
    pthread_join(thread, &right);
    pthread_attr_destroy(&attr);
    assert_non_null(right);
    fx_backend_close(backend);
}

/* x + x sixty times: 2^60, to second order of its square. */
static fx_node *diamonds(fx_node *x) {
    fx_node *y = x, *d;
    for (int i = 0; i < 60; i++) y = fx_add(y, y);
    fx_gradient(fx_square(y), FX_NODES(x), &d);
    return fx_gradient(d, FX_NODES(x), NULL);
}

static void test_diamonds(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, diamonds, FX_MUST);
    fx_tensor *d = fx_call1(exec, FX_MUST, 3.0);
    assert_true(fx_tensor_get(d, 0) == 2 * 0x1p120);
    fx_memory memory;
    fx_program *program = fx_exec_program(exec, &FX_SHAPE(FX_F64), 1, FX_MUST);
    assert_true(fx_program_memory(program, &memory));
    assert_true(memory.steps < 1000);
    fx_program_free(program);
    fx_tensor_free(d);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(test_chain), BOTH(test_diamonds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
