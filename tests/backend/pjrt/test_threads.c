/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads on one executable: the first calls compile once, results of one thread are arguments of
 * others, and several read one result at a time. */
#include "pjrt_tests.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, CALLS = 60, LENGTH = 3000 };

static fx_node *multiply_add(fx_node *a, fx_node *b) {
    return fx_add(fx_mul(a, b), a);
}

typedef struct job {
    fx_exec *exec;
    fx_tensor *shared; /* on the device, not fetched when the threads start */
    pthread_barrier_t barrier;
    atomic_int wrong;
} job;

static void *call_often(void *argument) {
    job *j = argument;
    fx_tensor *mine = vector(LENGTH, 1);
    pthread_barrier_wait(&j->barrier);
    for (int i = 0; i < CALLS; i++) {
        fx_error err = {.code = FX_OK};
        fx_tensor *a = fx_exec_call1(j->exec, (fx_arg[]){FX_ARG(mine), FX_ARG(j->shared)}, 2, &err);
        fx_tensor *b = fx_exec_call1(j->exec, (fx_arg[]){FX_ARG(j->shared), fx_donate(a)}, 2, &err);
        /* x + x s = a, s + s a with x = 1 + k, s = x + x x */
        double s = 2, wanted = s + s * (1 + s);
        if (!b || fx_tensor_get(b, 0) != wanted || fx_tensor_get(j->shared, 0) != s)
            atomic_fetch_add(&j->wrong, 1);
        fx_tensor_free(a);
        fx_tensor_free(b);
    }
    fx_tensor_free(mine);
    return NULL;
}

static void threads_call(void **state) {
    fx_backend *backend = open_plugin(state);
    job j = {.exec = fx_exec_new(backend, multiply_add, FX_MUST)};
    fx_tensor *host = vector(LENGTH, 1);
    j.shared = fx_call1(j.exec, FX_MUST, host, host);
    atomic_init(&j.wrong, 0);
    pthread_barrier_init(&j.barrier, NULL, THREADS);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, call_often, &j), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&j.wrong), 0);
    fx_exec_stats stats = {.size = sizeof stats};
    assert_true(fx_exec_statistics(j.exec, &stats) && stats.compiled == 1);
    pthread_barrier_destroy(&j.barrier);
    fx_tensor_free(host);
    fx_tensor_free(j.shared);
    fx_exec_free(j.exec);
    fx_backend_close(backend);
}

static void *open_and_close(void *argument) {
    job *j = argument;
    pthread_barrier_wait(&j->barrier);
    fx_exec *exec = j->exec; /* keeps its backend */
    fx_tensor *a = fx_exec_call1(exec, (fx_arg[]){FX_ARG(1.0), FX_ARG(2.0)}, 2, NULL);
    if (!a || fx_tensor_get(a, 0) != 3) atomic_fetch_add(&j->wrong, 1);
    fx_tensor_free(a);
    return NULL;
}

/* The first call of a program, on all threads at once. */
static void threads_compile(void **state) {
    fx_backend *backend = open_plugin(state);
    job j = {.exec = fx_exec_new(backend, multiply_add, FX_MUST)};
    atomic_init(&j.wrong, 0);
    pthread_barrier_init(&j.barrier, NULL, THREADS);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, &j), 0);
    fx_backend_close(backend);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&j.wrong), 0);
    pthread_barrier_destroy(&j.barrier);
    fx_exec_free(j.exec);
}

int main(void) {
    if (!pjrt_begin()) return PJRT_SKIPPED;
    const struct CMUnitTest tests[] = {
        EACH_WAY(threads_call),
        EACH_WAY(threads_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
