/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of compiled programs: what is found, what is evicted, and who compiles when many threads ask at
 * once. The last part uses a backend that the test can hold in the middle of a compilation, so that nothing
 * depends on timing. */
#include "fake_backend.h"
#include "both.h"
#include <time.h>

enum { THREADS = 8, PATIENCE = 20 /* seconds until a test that would hang fails */ };

static fx_node *twice(fx_node *x) {
    return fx_add(x, x);
}

static fx_exec *limited_exec(fx_backend *backend, int limit) {
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.cache_limit = limit}, FX_MUST));
    return exec;
}

static fx_exec_stats stats_of(const fx_exec *exec) {
    fx_exec_stats stats = {.size = sizeof stats};
    assert_true(fx_exec_statistics(exec, &stats));
    return stats;
}

/* A call with n ones; whether it had to compile. */
static bool compiles(fx_exec *exec, int64_t n) {
    static const float ones[100] = {1, 1, 1};
    int64_t before = stats_of(exec).compiled;
    fx_tensor *t =
        fx_exec_call1(exec, &(fx_arg){FX_ARG_VEC, FX_F32, {.vec = {ones, (size_t)n, FX_F32}}}, 1, FX_MUST);
    assert_int_equal(fx_tensor_size(t), n);
    fx_tensor_free(t);
    return stats_of(exec).compiled > before;
}

/* ---- what is kept ---- */

static void found_again(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    assert_true(compiles(exec, 3));
    assert_false(compiles(exec, 3));
    assert_true(compiles(exec, 4));
    assert_false(compiles(exec, 3));
    assert_int_equal(stats_of(exec).hits, 2);
    assert_int_equal(stats_of(exec).cached, 2);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Keys are dtype, rank and dimensions. */
static void keys_differ(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 2, 3),    FX_SHAPE(FX_F32, 3, 2), FX_SHAPE(FX_F32, 6),
                               FX_SHAPE(FX_F32, 1, 6),    FX_SHAPE(FX_F64, 6),    FX_SHAPE(FX_F32, 6, 1),
                               FX_SHAPE(FX_S32, 6),       FX_SHAPE(FX_F32, 0),    FX_SHAPE(FX_F32),
                               FX_SHAPE(FX_F32, 1, 1, 6), FX_SHAPE(FX_F32, 1)};
    for (size_t i = 0; i < COUNT_OF(shapes); i++) assert_true(fx_exec_compile(exec, &shapes[i], 1, FX_MUST));
    assert_int_equal(stats_of(exec).compiled, COUNT_OF(shapes));
    for (size_t i = 0; i < COUNT_OF(shapes); i++) assert_true(fx_exec_compile(exec, &shapes[i], 1, FX_MUST));
    assert_int_equal(stats_of(exec).compiled, COUNT_OF(shapes));
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void least_recently_used_goes(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = limited_exec(backend, 2);
    assert_true(compiles(exec, 1));
    assert_true(compiles(exec, 2));
    assert_false(compiles(exec, 1)); /* 2 is the oldest now */
    assert_true(compiles(exec, 3));
    assert_false(compiles(exec, 1));
    assert_true(compiles(exec, 2));
    assert_true(compiles(exec, 3)); /* 1 was used before 2 */
    assert_int_equal(stats_of(exec).cached, 2);
    fx_exec_free(exec);
    exec = limited_exec(backend, 1);
    for (int round = 0; round < 3; round++)
        for (int n = 1; n <= 3; n++) assert_true(compiles(exec, n));
    assert_int_equal(stats_of(exec).cached, 1);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void never_full(void **state) {
    (void)state;
    fake_hooks hooks = {.compile = NULL};
    fx_backend *backend = fake_backend_open(&hooks);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST); /* the default limit */
    unsigned random = 1;
    for (int i = 0; i < 5000; i++) {
        random = random * 1664525 + 1013904223;
        compiles(exec, random >> 16 & 63);
        assert_in_range(stats_of(exec).cached, 1, 32);
        assert_int_equal(atomic_load(&hooks.programs),
                         stats_of(exec).cached); /* the evicted are freed at once */
    }
    assert_true(stats_of(exec).hits > 1000);
    fx_exec_free(exec);
    assert_int_equal(atomic_load(&hooks.programs), 0);
    assert_true(atomic_load(&hooks.open));
    fx_backend_close(backend);
    assert_false(atomic_load(&hooks.open));
}

/* A program that is still used outlives its place in the cache, the executable and the caller's hold on the
 * backend. */
static void evicted_program_lives_on(void **state) {
    (void)state;
    fake_hooks hooks = {.compile = NULL};
    fx_backend *backend = fake_backend_open(&hooks);
    fx_exec *exec = limited_exec(backend, 1);
    fx_program *held = fx_exec_program(exec, &FX_SHAPE(FX_F32, 1), 1, FX_MUST);
    compiles(exec, 2);
    compiles(exec, 3);
    assert_int_equal(atomic_load(&hooks.programs), 2);
    fx_exec_free(exec);
    fx_backend_close(backend);
    assert_int_equal(atomic_load(&hooks.programs), 1);
    assert_true(atomic_load(&hooks.open));
    char text[32];
    assert_int_equal(fx_program_text(held, text, sizeof text), strlen("fake program"));
    assert_string_equal(text, "fake program");
    fx_program_free(held);
    assert_false(atomic_load(&hooks.open));
}

/* ---- who compiles ---- */

static atomic_int builds;
static fx_node *counted(fx_node *x) {
    atomic_fetch_add(&builds, 1);
    return fx_exp(fx_add(x, x));
}

typedef struct job {
    fx_exec *exec;
    meeting *start;
    int64_t n;
    int expected; /* threads at the start */
    bool ok;
    fx_error err;
} job;

static void *call_once(void *context) {
    static const float ones[THREADS + 1] = {1};
    job *j = context;
    if (j->start) meeting_join(j->start, j->expected, PATIENCE);
    fx_arg arg = {FX_ARG_VEC, FX_F32, {.vec = {ones, (size_t)j->n, FX_F32}}};
    fx_tensor *t = fx_exec_call1(j->exec, &arg, 1, &j->err);
    j->ok = t && fx_tensor_size(t) == j->n;
    fx_tensor_free(t);
    return NULL;
}

/* Starts a thread for each job and waits for all. */
static void run_jobs(job *jobs, int count) {
    pthread_t threads[THREADS];
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_once, &jobs[i]), 0);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static void same_shapes_compile_once(void **state) {
    fx_backend *backend = open_named(state);
    for (int round = 0; round < 5; round++) {
        fx_exec *exec = fx_exec_new(backend, counted, FX_MUST);
        meeting start = MEETING;
        job jobs[THREADS];
        atomic_store(&builds, 0);
        for (int i = 0; i < THREADS; i++)
            jobs[i] = (job){.exec = exec, .start = &start, .n = 5, .expected = THREADS};
        run_jobs(jobs, THREADS);
        for (int i = 0; i < THREADS; i++) assert_true(jobs[i].ok);
        assert_int_equal(atomic_load(&builds), 1);
        assert_int_equal(stats_of(exec).compiled, 1);
        assert_int_equal(stats_of(exec).hits, THREADS - 1);
        fx_exec_free(exec);
    }
    fx_backend_close(backend);
}

static void different_shapes_from_many_threads(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec =
        limited_exec(backend, 3); /* less than the threads, so that some are evicted while others compile */
    for (int round = 0; round < 5; round++) {
        meeting start = MEETING;
        job jobs[THREADS];
        for (int i = 0; i < THREADS; i++)
            jobs[i] = (job){.exec = exec, .start = &start, .n = i % 5 + 1, .expected = THREADS};
        run_jobs(jobs, THREADS);
        for (int i = 0; i < THREADS; i++) assert_true(jobs[i].ok);
        assert_true(stats_of(exec).cached <= 3);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Every compilation waits for all others: only if they run at the same time does any come to an end. */
static bool wait_for_all(void *user, const fx_graph *graph, fx_error *err) {
    (void)graph;
    return meeting_join(user, THREADS, PATIENCE) || fxi_fail(err, FX_ERROR_BACKEND, "alone");
}

static void different_shapes_compile_at_once(void **state) {
    (void)state;
    meeting all = MEETING;
    fake_hooks hooks = {.compile = wait_for_all, .user = &all};
    fx_backend *backend = fake_backend_open(&hooks);
    fx_exec *exec = limited_exec(backend, 2);
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) jobs[i] = (job){.exec = exec, .n = i + 1};
    run_jobs(jobs, THREADS);
    for (int i = 0; i < THREADS; i++) assert_true(jobs[i].ok);
    assert_int_equal(stats_of(exec).compiled, THREADS);
    assert_int_equal(stats_of(exec).cached, 2);
    assert_int_equal(atomic_load(&hooks.programs), 2);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Compilation fails once the others wait for it: they are told, and a later call tries again. */
typedef struct failing {
    fx_exec *exec;
    int attempts;
} failing;

static bool fail_first(void *user, const fx_graph *graph, fx_error *err) {
    (void)graph;
    failing *f = user;
    if (f->attempts++ > 0) return true;
    for (int i = 0; i < PATIENCE * 1000 && stats_of(f->exec).hits < THREADS - 1; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return fxi_fail(err, FX_ERROR_BACKEND, "not today");
}

static void failure_reaches_all_who_wait(void **state) {
    (void)state;
    failing f = {.attempts = 0};
    fake_hooks hooks = {.compile = fail_first, .user = &f};
    fx_backend *backend = fake_backend_open(&hooks);
    f.exec = limited_exec(backend, 1);
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) jobs[i] = (job){.exec = f.exec, .n = 2};
    run_jobs(jobs, THREADS);
    assert_int_equal(f.attempts, 1);
    for (int i = 0; i < THREADS; i++) {
        assert_false(jobs[i].ok);
        assert_failed(jobs[i].err, FX_ERROR_BACKEND, "not today");
    }
    assert_int_equal(stats_of(f.exec).cached, 0);
    assert_true(compiles(f.exec, 2));
    fx_exec_free(f.exec);
    fx_backend_close(backend);
}

/* ---- max_concurrent ---- */

typedef struct crowd {
    atomic_int now, most;
    meeting *all;
    int expected;
} crowd;

static bool enter_crowd(void *user, const fxi_run_args *args, fx_error *err) {
    (void)args;
    crowd *c = user;
    int now = atomic_fetch_add(&c->now, 1) + 1, most = atomic_load(&c->most);
    while (now > most && !atomic_compare_exchange_weak(&c->most, &most, now)) continue;
    bool met = !c->expected || meeting_join(c->all, c->expected, PATIENCE);
    nanosleep(&(struct timespec){0, 2000000},
              NULL); /* gives a wrong implementation time to let another in; a right one passes without it */
    atomic_fetch_sub(&c->now, 1);
    return met || fxi_fail(err, FX_ERROR_BACKEND, "alone");
}

static int most_at_once(int max_concurrent, int expected) {
    meeting all = MEETING;
    crowd c = {.all = &all, .expected = expected};
    fake_hooks hooks = {.run = enter_crowd, .user = &c};
    fx_backend *backend = fake_backend_open(&hooks);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.max_concurrent = max_concurrent}, FX_MUST));
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) jobs[i] = (job){.exec = exec, .n = 1};
    run_jobs(jobs, THREADS);
    for (int i = 0; i < THREADS; i++) assert_true(jobs[i].ok);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return atomic_load(&c.most);
}

static void concurrent_calls_are_limited(void **state) {
    (void)state;
    assert_int_equal(most_at_once(0, THREADS), THREADS); /* no limit: all are in at the same time */
    assert_int_equal(most_at_once(1, 0), 1);
    assert_in_range(most_at_once(3, 3), 3, 3);
}

/* ---- a function that calls its own executable ---- */

static fx_exec *own;
static fx_error own_error;
static fx_node *calls_itself(fx_node *x) {
    fx_tensor *t = fx_call1(own, &own_error, FX_VEC(float, 1, 2, 3, 4));
    assert_null(t);
    return fx_neg(x);
}

static void own_executable_is_refused(void **state) {
    fx_backend *backend = open_named(state);
    own = fx_exec_new(backend, calls_itself, FX_MUST);
    for (int n = 3; n <= 4; n++) { /* with other shapes, then with the very same */
        own_error = (fx_error){.code = FX_OK};
        assert_true(compiles(own, n));
        assert_failed(own_error, FX_ERROR_ARGUMENT, "calls its own executable");
    }
    assert_false(compiles(own, 4));
    fx_exec_free(own);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(found_again),
        BOTH(keys_differ),
        BOTH(least_recently_used_goes),
        cmocka_unit_test(never_full),
        cmocka_unit_test(evicted_program_lives_on),
        BOTH(same_shapes_compile_once),
        BOTH(different_shapes_from_many_threads),
        cmocka_unit_test(different_shapes_compile_at_once),
        cmocka_unit_test(failure_reaches_all_who_wait),
        cmocka_unit_test(concurrent_calls_are_limited),
        BOTH(own_executable_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
