/* SPDX-License-Identifier: Apache-2.0 */
/* Opening backends: config strings, the environment, the default, and a caller's own parallel-for. */
#include "both.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void opens(const char *config, const char *name) {
    fx_error err = {0};
    fx_backend *backend = fx_backend_open(config, &err);
    if (!backend) fail_msg("\"%s\": %s", config ? config : "NULL", err.message);
    assert_string_equal(fx_backend_name(backend), name);
    fx_backend_close(backend);
}

static void refuses(const char *config, const char *part) {
    fx_error err = {0};
    fx_backend *backend = fx_backend_open(config, &err);
    if (backend) fail_msg("\"%s\" was opened", config);
    assert_failed(err, FX_ERROR_ARGUMENT, part);
    assert_memory_equal(err.message, "fx_backend_open: ", strlen("fx_backend_open: "));
    assert_null(fx_backend_open(config, NULL));
}

static void known_names(void **state) {
    (void)state;
    opens("interp", "interp");
    opens("", FLUXION_CPU ? "cpu" : "interp");
    opens(NULL, FLUXION_CPU ? "cpu" : "interp");
#if FLUXION_CPU
    opens("cpu", "cpu");
    opens("cpu?threads=1", "cpu");
    opens("cpu?threads=0", "cpu");
    opens("cpu?threads=3&pages=1000000&isa=avx2&debug=ranges&fusion=off&kernels=cold", "cpu");
#endif
}

static void wrong_strings(void **state) {
    (void)state;
    refuses("gpu", "unknown backend \"gpu\"");
    refuses("gpu", "interp"); /* the known ones are named */
    refuses("CPU", "unknown backend");
    refuses("interp ", "unknown backend");
    refuses("?threads=1", "unknown backend \"\"");
    refuses("interp?", "no key=value");
    refuses("interp?threads", "no key=value");
    refuses("interp?=1", "no key=value");
    refuses("interp?a&b=1", "no key=value");
    refuses("interp?threads=1", "interp has no option \"threads\"");
    char many[256] = "interp?";
    for (int i = 0; i < 17; i++) {
        char option[] = "&a=1";
        option[1] = (char)('a' + i);
        strcat(many, i ? option : option + 1);
    }
    refuses(many, "more than 16 options");
#if FLUXION_CPU
    refuses("cpu?", "no key=value");
    refuses("cpu?threads=1&", "no key=value");
    refuses("cpu?threads=", "threads=");
    refuses("cpu?threads=two", "threads=two");
    refuses("cpu?threads=-1", "threads=-1");
    refuses("cpu?threads=1x", "threads=1x");
    refuses("cpu?threads= 1", "threads= 1");
    refuses("cpu?threads=99999999999999999999", "threads=");
    refuses("cpu?threads=5000", "threads=5000");
    refuses("cpu?threads=2&pages=0&threads=2", "option threads is given twice");
    refuses("cpu?pages=many", "pages=many");
    refuses("cpu?isa=sse9", "sse9");
    refuses("cpu?debug=all", "debug=all");
    refuses("cpu?fusion=on", "fusion=on");
    refuses("cpu?kernels=hot", "kernels=hot");
    refuses("cpu?colour=red", "unknown option colour");
#endif
}

static void environment(void **state) {
    (void)state;
    assert_int_equal(setenv("FLUXION_BACKEND", "interp", 1), 0);
    opens(NULL, "interp");
    opens("", FLUXION_CPU ? "cpu" : "interp"); /* a string was given */
    assert_int_equal(setenv("FLUXION_BACKEND", "", 1), 0);
    opens(NULL, FLUXION_CPU ? "cpu" : "interp");
    assert_int_equal(setenv("FLUXION_BACKEND", "nonsense?", 1), 0);
    fx_error err = {0};
    assert_null(fx_backend_open(NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    opens("interp", "interp"); /* the caller's own words count more */
    assert_int_equal(unsetenv("FLUXION_BACKEND"), 0);
    opens(NULL, FLUXION_CPU ? "cpu" : "interp");
}

static void queries(void **state) {
    fx_backend *backend = open_named(state);
    assert_string_equal(fx_backend_name(backend), *state);
    assert_string_equal(fx_backend_name(NULL), "");
    assert_false(fx_backend_supports(backend, "no.such.composite"));
    assert_false(fx_backend_supports(backend, NULL));
    assert_false(fx_backend_supports(NULL, "fx.dense"));
    fx_backend_close(backend);
    fx_backend_close(NULL);
}

/* ---- a caller's parallel-for ---- */

typedef struct team {
    atomic_int regions, tasks;
    int threads;
} team;

typedef struct share {
    void (*task)(void *context, int64_t i);
    void *context;
    int64_t first, count;
    int step;
    team *team;
} share;

static void *run_share(void *context) {
    share *s = context;
    for (int64_t i = s->first; i < s->count; i += s->step) {
        s->task(s->context, i);
        atomic_fetch_add(&s->team->tasks, 1);
    }
    return NULL;
}

/* Backwards and on threads made for the occasion: nothing is promised about order. */
static void run_in_team(void *user, int64_t count, void (*task)(void *context, int64_t i), void *context) {
    team *t = user;
    pthread_t threads[4];
    share shares[4];
    atomic_fetch_add(&t->regions, 1);
    for (int k = 0; k < t->threads; k++)
        shares[k] = (share){task, context, t->threads - 1 - k, count, t->threads, t};
    for (int k = 0; k < t->threads; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, run_share, &shares[k]), 0);
    for (int k = 0; k < t->threads; k++) pthread_join(threads[k], NULL);
}

static fx_node *mean_square(fx_node *x) {
    return fx_reduce_sum(fx_mul(x, x), FX_AXES(0));
}

static fx_tensor *result_with(fx_backend *backend, const fx_tensor *x) {
    fx_exec *exec = fx_exec_new(backend, mean_square, FX_MUST);
    fx_tensor *y = fx_call1(exec, FX_MUST, x);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return y;
}

static void own_parallel_for(void **state) {
    fx_tensor *x = fx_tensor_new(&FX_SHAPE(FX_F32, 2000, 300), FX_MUST);
    float *data = fx_tensor_mutable_data(x);
    for (int i = 0; i < 2000 * 300; i++) data[i] = (float)(i % 1013) / 7;
    fx_tensor *want = result_with(open_named(state), x);
    for (int threads = 1; threads <= 4; threads++) {
        team t = {.threads = threads};
        fx_tensor *got = result_with(fx_backend_open_with(*state, run_in_team, &t, FX_MUST), x);
        assert_true(fx_tensor_equal(got, want)); /* the same bits, whoever ran the tasks */
        if (strcmp(*state, "cpu") == 0) {
            assert_true(atomic_load(&t.regions) > 0);
            assert_true(atomic_load(&t.tasks) > 1);
        }
        fx_tensor_free(got);
    }
    fx_tensor_free(want);
    fx_tensor_free(x);
}

int main(void) {
    unsetenv("FLUXION_BACKEND");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_names), cmocka_unit_test(wrong_strings),
        cmocka_unit_test(environment), BOTH(queries),
        BOTH(own_parallel_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
