/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool: each task runs once and is seen by the caller, at any thread count, nested, from many
 * callers, after a fork, with a caller's own parallel-for, and under the default floating-point mode
 * (edge cases N02 and T06). */
#define _GNU_SOURCE
#include "faulty.h"

#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ThreadSanitizer does not support threads started in the child of a threaded process; it ends that child. */
#if defined(__SANITIZE_THREAD__)
#define FORK_TESTS 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FORK_TESTS 0
#endif
#endif
#ifndef FORK_TESTS
#define FORK_TESTS 1
#endif

enum { MOST = 1000 };

static void nap(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

typedef struct marks {
    int runs[MOST]; /* plain: the pool must make them visible */
} marks;

static void mark(void *context, int64_t i)
{
    ((marks *)context)->runs[i]++;
}

static void runs_each_task_once(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 3, 8, 40};
    static const int64_t counts[] = {0, 1, 2, 3, 7, 64, MOST};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        fxi_pool *pool = fxi_pool_new(threads[t], NULL, NULL, NULL);
        assert_non_null(pool);
        assert_int_equal(fxi_pool_threads(pool), threads[t]);
        marks seen = {{0}};
        int expected[MOST] = {0};
        for (int round = 0; round < 300; round++) {
            int64_t count = counts[round % 7];
            fxi_pool_run(pool, count, mark, &seen);
            for (int64_t i = 0; i < count; i++)
                expected[i]++;
            assert_memory_equal(seen.runs, expected, sizeof expected);
            if (round % 50 == 0)
                nap(2000000); /* workers fall asleep and are woken */
        }
        fxi_pool_free(pool);
    }
    assert_int_equal(faulty_blocks(), 0);
}

static void runs_many_empty_regions(void **state)
{
    (void)state; /* more than the epoch can count */
    fxi_pool *pool = fxi_pool_new(2, NULL, NULL, NULL);
    marks seen = {{0}};
    for (int round = 0; round < 10000; round++)
        fxi_pool_run(pool, 2, mark, &seen);
    assert_int_equal(seen.runs[0], 10000);
    assert_int_equal(seen.runs[1], 10000);
    fxi_pool_free(pool);
}

typedef struct meeting {
    atomic_int arrived;
    int wanted;
    bool met;
} meeting;

/* Returns only when `wanted` tasks run at once, or after ten seconds. */
static void meet(void *context, int64_t i)
{
    (void)i;
    meeting *place = context;
    atomic_fetch_add(&place->arrived, 1);
    for (int waits = 0; atomic_load(&place->arrived) < place->wanted && waits < 10000; waits++)
        nap(1000000);
}

static void workers_really_work(void **state)
{
    (void)state;
    for (int threads = 2; threads <= 5; threads++) {
        fxi_pool *pool = fxi_pool_new((unsigned)threads, NULL, NULL, NULL);
        for (int round = 0; round < 5; round++) {
            meeting place = {.wanted = threads};
            fxi_pool_run(pool, threads, meet, &place);
            assert_int_equal(atomic_load(&place.arrived), threads);
            nap(round % 2 == 0 ? 0 : 3000000);
        }
        fxi_pool_free(pool);
    }
}

typedef struct nested {
    fxi_pool *pool;
    atomic_int inner;
} nested;

static void count_inner(void *context, int64_t i)
{
    (void)i;
    atomic_fetch_add(&((nested *)context)->inner, 1);
}

static void run_inner(void *context, int64_t i)
{
    (void)i;
    fxi_pool_run(((nested *)context)->pool, 10, count_inner, context);
}

static void nested_calls_run_inline(void **state)
{
    (void)state;
    nested outer = {.pool = fxi_pool_new(3, NULL, NULL, NULL)};
    for (int round = 0; round < 100; round++)
        fxi_pool_run(outer.pool, 20, run_inner, &outer);
    assert_int_equal(atomic_load(&outer.inner), 100 * 20 * 10);
    fxi_pool_free(outer.pool);
}

static void *call_often(void *pool)
{
    marks seen = {{0}};
    for (int round = 1; round <= 500; round++) {
        fxi_pool_run(pool, 50, mark, &seen);
        for (int i = 0; i < 50; i++)
            if (seen.runs[i] != round)
                return NULL;
    }
    return pool;
}

static void many_callers(void **state)
{
    (void)state;
    enum { CALLERS = 6 };
    fxi_pool *pool = fxi_pool_new(3, NULL, NULL, NULL);
    pthread_t callers[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, call_often, pool), 0);
    for (int i = 0; i < CALLERS; i++) {
        void *result = NULL;
        pthread_join(callers[i], &result);
        assert_ptr_equal(result, pool);
    }
    fxi_pool_free(pool);
}

/* ---- a caller's own parallel-for ---- */

typedef struct outside {
    int calls;
    int64_t tasks;
} outside;

typedef struct half_of {
    int64_t first, end;
    fxi_task task;
    void *context;
} half_of;

static void *run_half(void *argument)
{
    const half_of *part = argument;
    for (int64_t i = part->first; i < part->end; i++)
        part->task(part->context, i);
    return NULL;
}

static void two_threads(void *user, int64_t count, fxi_task task, void *context)
{
    outside *seen = user;
    half_of first = {0, count / 2, task, context}, second = {count / 2, count, task, context};
    pthread_t thread;
    seen->calls++;
    seen->tasks += count;
    if (pthread_create(&thread, NULL, run_half, &second) != 0)
        abort();
    run_half(&first);
    pthread_join(thread, NULL);
}

static void uses_the_callers_threads(void **state)
{
    (void)state;
    outside user = {0};
    marks seen = {{0}};
    fxi_pool *pool = fxi_pool_new(2, two_threads, &user, NULL);
    fxi_pool_run(pool, 1, mark, &seen);
    assert_int_equal(user.calls, 0);
    fxi_pool_run(pool, 100, mark, &seen);
    assert_int_equal(user.calls, 1);
    assert_int_equal(user.tasks, 100);
    assert_int_equal(seen.runs[0], 2);
    for (int i = 1; i < 100; i++)
        assert_int_equal(seen.runs[i], 1);
    nested outer = {.pool = pool};
    fxi_pool_run(pool, 4, run_inner, &outer);
    assert_int_equal(atomic_load(&outer.inner), 40);
    assert_int_equal(user.calls, 2);
    fxi_pool_free(pool);
}

/* ---- floating-point mode ---- */

#if defined(__x86_64__)
enum { DEFAULT = 0x1F80, CALLERS_OWN = 0xBFC0 /* flush both ways, round down, all masked */ };

typedef struct modes {
    unsigned seen[64];
    atomic_int arrived;
} modes;

static void note_mode(void *context, int64_t i)
{
    modes *noted = context;
    noted->seen[i] = _mm_getcsr() & ~0x3Fu;
    atomic_fetch_add(&noted->arrived, 1);
    for (int waits = 0; i < 2 && atomic_load(&noted->arrived) < 2 && waits < 10000; waits++)
        nap(1000000); /* the first two run on different threads where there are two */
}

static void check_modes(fxi_pool *pool, int64_t count)
{
    modes noted;
    memset(&noted, 0, sizeof noted);
    atomic_store(&noted.arrived, count == 1 || pool == NULL || fxi_pool_threads(pool) == 1 ? 2 : 0);
    unsigned before = _mm_getcsr();
    fxi_pool_run(pool, count, note_mode, &noted);
    unsigned after = _mm_getcsr();
    assert_int_equal(after, before);
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(noted.seen[i], DEFAULT);
}

static void mode_is_the_default(void **state)
{
    (void)state;
    unsigned original = _mm_getcsr();
    outside user = {0};
    _mm_setcsr(CALLERS_OWN); /* the workers inherit it */
    fxi_pool *pools[] = {NULL, fxi_pool_new(1, NULL, NULL, NULL), fxi_pool_new(2, NULL, NULL, NULL),
                         fxi_pool_new(2, two_threads, &user, NULL)};
    for (size_t p = 0; p < sizeof pools / sizeof *pools; p++)
        for (int64_t count = 1; count <= 64; count += 21) {
            _mm_setcsr(CALLERS_OWN);
            check_modes(pools[p], count);
            _mm_setcsr(DEFAULT | 0x20); /* only a sticky flag differs */
            check_modes(pools[p], count);
        }
    for (size_t p = 0; p < sizeof pools / sizeof *pools; p++)
        fxi_pool_free(pools[p]);
    _mm_setcsr(original);
}
#else
static void mode_is_the_default(void **state)
{
    (void)state; /* nothing to set on this processor: only that tasks run */
    marks seen = {{0}};
    fxi_pool_run(NULL, 2, mark, &seen);
    assert_int_equal(seen.runs[1], 1);
}
#endif

/* ---- fork ---- */

#if FORK_TESTS

/* Runs in the child, where a hang ends by the alarm. True if tasks ran on two threads at once again. */
static bool works_in_child(fxi_pool *pool)
{
    alarm(60);
    marks seen = {{0}};
    meeting place = {.wanted = 2};
    fxi_pool_run(pool, 2, meet, &place);
    fxi_pool_run(pool, 100, mark, &seen);
    for (int i = 0; i < 100; i++)
        if (seen.runs[i] != 1)
            return false;
    fxi_pool_free(pool);
    return atomic_load(&place.arrived) == 2;
}

static void expect_child(pid_t child)
{
    int status = -1;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void lives_on_after_fork(void **state)
{
    (void)state;
    fxi_pool *pool = fxi_pool_new(2, NULL, NULL, NULL);
    marks seen = {{0}};
    fxi_pool_run(pool, 10, mark, &seen);
    pid_t child = fork();
    if (child == 0)
        _exit(works_in_child(pool) ? 0 : 1);
    expect_child(child);
    child = fork();
    if (child == 0) { /* freed without any run: there is nobody to join */
        alarm(60);
        fxi_pool_free(pool);
        _exit(0);
    }
    expect_child(child);
    fxi_pool_run(pool, 10, mark, &seen);
    assert_int_equal(seen.runs[9], 2);
    fxi_pool_free(pool);
}

typedef struct forking {
    fxi_pool *pool;
    pid_t child;
    meeting place;
} forking;

/* Task 0 is in the middle of a region while another thread forks. */
static void fork_inside(void *context, int64_t i)
{
    forking *f = context;
    meet(&f->place, i);
    if (i == 1 && (f->child = fork()) == 0)
        _exit(works_in_child(f->pool) ? 0 : 1);
}

static void survives_fork_during_a_region(void **state)
{
    (void)state;
    forking f = {.pool = fxi_pool_new(2, NULL, NULL, NULL), .place = {.wanted = 2}};
    fxi_pool_run(f.pool, 2, fork_inside, &f);
    expect_child(f.child);
    marks seen = {{0}};
    fxi_pool_run(f.pool, 10, mark, &seen);
    assert_int_equal(seen.runs[9], 1);
    fxi_pool_free(f.pool);
}

#endif

/* ---- odds and ends ---- */

static void fails_cleanly(void **state)
{
    (void)state;
    for (long calls = 0; calls < 8; calls++) {
        fx_error err = {0};
        faulty_fail_after(calls);
        fxi_pool *pool = fxi_pool_new(4, NULL, NULL, &err);
        faulty_fail_after(-1);
        if (pool == NULL)
            assert_int_equal(err.code, FX_ERROR_MEMORY);
        fxi_pool_free(pool);
        assert_int_equal(faulty_blocks(), 0);
        assert_true(pool == NULL || calls >= 2);
    }
    fx_error err = {0};
    assert_null(fxi_pool_new(100000, NULL, NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ATTRIBUTE);
    fxi_pool_free(NULL);
    assert_int_equal(fxi_pool_threads(NULL), 1);
    fxi_pool_run(NULL, 3, NULL, NULL);
    marks seen = {{0}};
    fxi_pool_run(NULL, 3, mark, &seen);
    assert_int_equal(seen.runs[2], 1);
    fxi_pool_run(NULL, -1, mark, &seen);
    assert_int_equal(seen.runs[0], 1);
}

static void unused_pools_have_no_threads_to_join(void **state)
{
    (void)state;
    fxi_pool *pool = fxi_pool_new(0, NULL, NULL, NULL);
    assert_non_null(pool);
    assert_int_equal(fxi_pool_threads(pool), fxi_usable_cpus());
    fxi_pool_free(pool);
}

/* Edge case T08: idle workers sleep. The time counted is the processor's, so the load of the machine does
 * not matter. */
static void idle_workers_sleep(void **state)
{
    (void)state;
    fxi_pool *pool = fxi_pool_new(2, NULL, NULL, NULL);
    marks seen = {{0}};
    fxi_pool_run(pool, 2, mark, &seen);
    clock_t before = clock();
    nap(400000000);
    double used = (double)(clock() - before) / CLOCKS_PER_SEC;
    assert_true(used < 0.2);
    fxi_pool_free(pool);
}

int main(void)
{
    faulty_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_each_task_once),
        cmocka_unit_test(runs_many_empty_regions),
        cmocka_unit_test(workers_really_work),
        cmocka_unit_test(nested_calls_run_inline),
        cmocka_unit_test(many_callers),
        cmocka_unit_test(uses_the_callers_threads),
        cmocka_unit_test(mode_is_the_default),
#if FORK_TESTS
        cmocka_unit_test(lives_on_after_fork),
        cmocka_unit_test(survives_fork_during_a_region),
#endif
        cmocka_unit_test(fails_cleanly),
        cmocka_unit_test(unused_pools_have_no_threads_to_join),
        cmocka_unit_test(idle_workers_sleep),
    };
    if (!FORK_TESTS)
        print_message("ThreadSanitizer: without the two tests that fork\n");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
