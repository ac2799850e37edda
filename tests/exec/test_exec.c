/* SPDX-License-Identifier: Apache-2.0 */
/* Executables: making and configuring, compiling ahead, programs and what they tell, logged nodes, life
 * times, and the state of the calling process (floating-point environment, forks, threads) around a call. */
#include "both.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static fx_node *twice(fx_node *x) {
    return fx_add(x, x);
}
static void general(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = in[0];
}

/* ---- making and configuring ---- */

static void makers_check(void **state) {
    fx_backend *backend = open_named(state);
    fx_error err = {0};
    assert_null(fx_exec_new(NULL, twice, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "backend is NULL");
    assert_null(fx_exec_new0(backend, NULL, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "function is NULL");
    assert_null(fx_exec_new1(backend, NULL, NULL));
    assert_null(fx_exec_new2(backend, NULL, NULL));
    assert_null(fx_exec_new3(backend, NULL, NULL));
    assert_null(fx_exec_new4(backend, NULL, NULL));
    assert_null(fx_exec_new5(backend, NULL, NULL));
    assert_null(fx_exec_new6(backend, NULL, NULL));
    assert_null(fx_exec_new_fn(backend, NULL, 1, 1, NULL, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "function is NULL");
    assert_null(fx_exec_new_fn(backend, general, 1, 0, NULL, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "at least one output");
    assert_null(fx_exec_new_fn(backend, general, SIZE_MAX, 1, NULL, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "at most");
    assert_null(fx_exec_new_fn(backend, general, 1, SIZE_MAX, NULL, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "at most");
    fx_exec_free(NULL);
    assert_false(fx_exec_statistics(NULL, NULL));
    fx_backend_close(backend);
}

static void options_are_checked(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    fx_error err = {0};
    fx_exec_options options = {.cache_limit = -1};
    assert_false(fx_exec_configure(NULL, &options, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "exec is NULL");
    assert_false(fx_exec_configure(exec, NULL, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "options is NULL");
    assert_false(fx_exec_configure(exec, &options, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "negative");
    options = (fx_exec_options){.max_concurrent = -1};
    assert_false(fx_exec_configure(exec, &options, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "negative");
    options = (fx_exec_options){.size = offsetof(fx_exec_options, cache_limit),
                                .cache_limit = -1}; /* not looked at */
    assert_true(fx_exec_configure(exec, &options, FX_MUST));
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.size = sizeof options}, FX_MUST));
    assert_true(fx_exec_compile(exec, &FX_SHAPE(FX_F32), 1, FX_MUST));
    assert_false(fx_exec_configure(exec, &(fx_exec_options){0}, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "already been used");
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- ahead of time ---- */

static void compiling_ahead(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    assert_true(fx_exec_compile(exec, &FX_SHAPE(FX_F32, 2), 1, FX_MUST));
    fx_exec_stats stats = {.size = sizeof stats};
    assert_true(fx_exec_statistics(exec, &stats));
    assert_int_equal(stats.compiled, 1);
    assert_int_equal(stats.hits, 0);
    fx_tensor *t = fx_call1(exec, FX_MUST, FX_VEC(float, 1, 2));
    assert_text(t, "[2]float32{2, 4}");
    assert_true(fx_exec_statistics(exec, &stats));
    assert_int_equal(stats.compiled, 1);
    assert_int_equal(stats.hits, 1);
    fx_tensor_free(t);
    fx_error err = {0};
    assert_false(fx_exec_compile(NULL, NULL, 0, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "exec is NULL");
    assert_false(fx_exec_compile(exec, NULL, 1, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "shapes is NULL");
    assert_false(fx_exec_compile(exec, NULL, 0, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "takes 1 arguments, got 0 shapes");
    assert_false(fx_exec_compile(exec, &FX_SHAPE(FX_F32, -1), 1, &err));
    assert_failed(err, FX_ERROR_SHAPE, "shape 0 has -1 for dimension 0");
    assert_null(fx_exec_program(exec, &FX_SHAPE(FX_INVALID_DTYPE), 1, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "shape 0 has no valid dtype");
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static fx_node *with_constant(fx_node *x) {
    fx_node *table = fx_constant_host(fx_node_graph(x), FX_HOST(((float[]){1, 2, 3, 4}), 1, 4));
    return fx_reduce_sum(fx_mul(fx_exp(x), table), FX_AXES(1));
}

static void programs_tell(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, with_constant, FX_MUST);
    fx_program *program = fx_exec_program(exec, &FX_SHAPE(FX_F32, 8, 4), 1, FX_MUST);
    fx_memory memory = {.size = sizeof memory};
    assert_true(fx_program_memory(program, &memory));
    assert_int_equal(memory.size, sizeof memory);
    assert_int_equal(memory.parameters, 8 * 4 * 4);
    assert_int_equal(memory.outputs, 8 * 4);
    assert_int_equal(memory.constants, 4 * 4);
    assert_true(memory.steps >= 1);
    assert_true(memory.workspace >= 0);
    bool is_cpu = strcmp(fx_backend_name(backend), "cpu") == 0;
    assert_int_equal(memory.kernels > 0, is_cpu);
    assert_int_equal(memory.code > 0, is_cpu);
    memset(&memory, 0x55, sizeof memory);
    fx_memory untouched = memory;
    memory.size = offsetof(fx_memory, outputs); /* an older caller's struct */
    assert_true(fx_program_memory(program, &memory));
    assert_int_equal(memory.parameters, 8 * 4 * 4);
    assert_int_equal(memory.outputs, untouched.outputs);
    assert_false(fx_program_memory(NULL, &memory));
    assert_false(fx_program_memory(program, NULL));
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void programs_as_text(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, with_constant, FX_MUST);
    fx_program *program = fx_exec_program(exec, &FX_SHAPE(FX_F32, 8, 4), 1, FX_MUST);
    size_t length = fx_program_text(program, NULL, 0);
    assert_true(length > 10);
    char *text = malloc(length + 1), cut[8];
    assert_int_equal(fx_program_text(program, text, length + 1), length);
    assert_int_equal(strlen(text), length);
    assert_non_null(strstr(text, "test_exec.c:")); /* the user's places */
    assert_int_equal(fx_program_text(program, cut, sizeof cut), length);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    assert_memory_equal(cut, text, sizeof cut - 1);
    assert_int_equal(fx_program_text(NULL, cut, sizeof cut), 0);
    assert_string_equal(cut, "");
    assert_int_equal(fx_program_text(NULL, NULL, 9), 0);
    free(text);
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- life times ---- */

static void everything_outlives_the_backend(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    fx_backend_close(backend);
    fx_tensor *t = fx_call1(exec, FX_MUST, FX_VEC(float, 1, 2)); /* the executable keeps it alive */
    fx_program *program = fx_exec_program(exec, &FX_SHAPE(FX_F32, 2), 1, FX_MUST);
    fx_program *again = fx_program_ref(program);
    assert_ptr_equal(again, program);
    fx_exec_free(exec);
    fx_program_free(program);
    assert_true(fx_program_text(again, NULL, 0) > 0);
    fx_program_free(again);
    assert_text(t, "[2]float32{2, 4}");
    assert_non_null(fx_tensor_mutable_data(t));
    fx_tensor_free(t);
    assert_null(fx_program_ref(NULL));
    fx_program_free(NULL);
}

/* ---- logged nodes ---- */

typedef struct seen {
    int count;
    char label[8][16], text[8][64];
    int line[8];
    bool place[8];
} seen;

static void note(const char *label, const fx_tensor *value, const char *file, int line, void *user) {
    seen *s = user;
    if (s->count == 8) return;
    snprintf(s->label[s->count], sizeof s->label[0], "%.15s", label);
    snprintf(s->text[s->count], sizeof s->text[0], "%.63s", fx_tensor_text(value).s);
    s->line[s->count] = line;
    s->place[s->count++] = file && strstr(file, "test_exec.c");
}

static void assert_noted(const seen *s, const char *label, const char *text, int line) {
    for (int i = 0; i < s->count; i++) {
        if (strcmp(s->label[i], label) != 0) continue;
        assert_string_equal(s->text[i], text);
        assert_true(s->place[i]);
        assert_int_equal(s->line[i], line);
        return;
    }
    fail_msg("nothing was logged as %s", label);
}

static int first_line;
static fx_node *logged(fx_node *x) {
    first_line = __LINE__ + 1;
    fx_node *sum = fx_log_node(fx_add(x, x), "sum");
    fx_node *unused = fx_log_node(fx_neg(x), "unused");
    fx_node *table = fx_log_node(fx_scalar(fx_node_graph(x), FX_F32, 3), "constant");
    fx_node *equal = fx_log_node(fx_log_node(fx_add(x, x), "equal"), "once more");
    fx_node *twice_neg = fx_neg(fx_log_node(fx_neg(sum), "inner"));
    (void)unused;
    return fx_log_node(fx_mul(fx_add(twice_neg, equal), table), "output");
}

static void values_are_logged(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, logged, FX_MUST);
    seen s = {0};
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.log = note, .log_user = &s}, FX_MUST));
    fx_tensor *t = fx_call1(exec, FX_MUST, FX_VEC(float, 1, -2));
    assert_text(t, "[2]float32{12, -24}");
    assert_int_equal(s.count, 7);
    assert_noted(&s, "sum", "[2]float32{2, -4}", first_line);
    assert_noted(&s, "unused", "[2]float32{-1, 2}", first_line + 1);
    assert_noted(&s, "constant", "float32(3)", first_line + 2);
    assert_noted(&s, "equal", "[2]float32{2, -4}", first_line + 3);
    assert_noted(&s, "once more", "[2]float32{2, -4}", first_line + 3);
    assert_noted(&s, "inner", "[2]float32{-2, 4}", first_line + 4);
    assert_noted(&s, "output", "[2]float32{12, -24}", first_line + 6);
    fx_tensor_free(t);
    t = fx_call1(exec, FX_MUST, FX_VEC(float, 1, -2)); /* each run again */
    assert_int_equal(s.count, 8);
    fx_tensor_free(t);
    fx_exec_free(exec);
    exec = fx_exec_new(backend, logged, FX_MUST); /* without a callback the labels change nothing */
    t = fx_call1(exec, FX_MUST, FX_VEC(float, 1, -2));
    assert_text(t, "[2]float32{12, -24}");
    fx_tensor_free(t);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static fx_node *logs_its_input(fx_node *x) {
    return fx_neg(fx_log_node(x, "x"));
}

/* An input is logged as it came, also when the result was written over it. */
static void inputs_are_logged(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, logs_its_input, FX_MUST);
    seen s = {0};
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.log = note, .log_user = &s}, FX_MUST));
    fx_tensor *t = fx_call1(exec, FX_MUST, 2.5f);
    assert_int_equal(s.count, 1);
    assert_string_equal(s.text[0], "float32(2.5)");
    fx_tensor *again = fx_call1(exec, FX_MUST, fx_donate(t));
    assert_int_equal(s.count, 2);
    assert_string_equal(s.text[1], "float32(-2.5)");
    assert_text(again, "float32(2.5)");
    fx_tensor_free(t);
    fx_tensor_free(again);
    const unsigned char bytes[] = {0x21, 0xF3, 0x02};
    t = fx_tensor_copy_from(&FX_SHAPE(FX_S4, 5), bytes, FX_MUST);
    again = fx_call1(exec, FX_MUST, t);
    assert_string_equal(s.text[2], "[5]int4{1, 2, 3, -1, 2}");
    fx_tensor_free(t);
    fx_tensor_free(again);
    t = fx_call1(exec, FX_MUST, ((fx_vec){NULL, 0, FX_F64}));
    assert_int_equal(s.count, 4);
    fx_tensor_free(t);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- the floating-point environment ---- */

#if defined(__x86_64__)
/* Rounding, flushing and masks; the other bits only remember which exceptions there were. */
static unsigned mode_now(void) {
    return _mm_getcsr() & 0xFFC0;
}

enum { DEFAULT_MODE = 0x1F80, FLUSH_ROUND_DOWN = 0x1F80 | 0x8040 | 0x2000 };

static fx_node *sum_of(fx_node *x) {
    return fx_reduce_all_sum(x);
}

static void *run_on_thread(void *exec) {
    unsigned before = mode_now();
    fx_tensor *t = fx_call1(exec, FX_MUST, FX_VEC(float, 1, 2, 3));
    volatile float tiny = 0x1p-140f;
    bool ok = fx_tensor_get(t, 0) == 6 && mode_now() == before && tiny * 2 == 0x1p-139f;
    fx_tensor_free(t);
    return ok ? exec : NULL;
}

/* Opening, compiling and running leave flush-to-zero alone, on this thread and on others (T06). */
static void mode_is_left_alone(void **state) {
    unsigned before = mode_now();
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, sum_of, FX_MUST);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, run_on_thread, exec), 0);
    for (int i = 0; i < 4; i++) {
        void *ok;
        pthread_join(threads[i], &ok);
        assert_non_null(ok);
    }
    assert_non_null(run_on_thread(exec));
    fx_exec_free(exec);
    fx_backend_close(backend);
    assert_int_equal(mode_now(), before);
}

static double sum_with(const char *config, unsigned mode, float value) {
    enum { N = 1000000 };
    float *data = malloc(N * sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < N; i++) data[i] = value;
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new(backend, sum_of, FX_MUST);
    unsigned before = _mm_getcsr();
    _mm_setcsr(mode);
    fx_tensor *t = fx_call1(exec, FX_MUST, FX_HOST(data, N));
    unsigned after = mode_now();
    _mm_setcsr(before);
    assert_int_equal(after, mode);
    double sum = fx_tensor_get(t, 0);
    fx_tensor_free(t);
    fx_exec_free(exec);
    fx_backend_close(backend);
    free(data);
    return sum;
}

/* The caller's flush-to-zero and rounding do not reach the result, whatever the number of threads (N02). */
static void mode_of_the_caller_does_not_matter(void **state) {
    bool is_cpu = strcmp(*state, "cpu") == 0;
    const char *one = is_cpu ? "cpu?threads=1" : "interp", *two = is_cpu ? "cpu?threads=2" : "interp";
    static const float values[] = {0.1f, 0x1p-140f};
    for (int i = 0; i < 2; i++) {
        double want = sum_with(one, DEFAULT_MODE, values[i]);
        assert_true(want > 0);
        assert_true(sum_with(two, DEFAULT_MODE, values[i]) == want);
        assert_true(sum_with(one, FLUSH_ROUND_DOWN, values[i]) == want);
        assert_true(sum_with(two, FLUSH_ROUND_DOWN, values[i]) == want);
    }
}
#endif

/* ---- many threads on one executable ---- */

enum { CALLERS = 8, CALLS = 20, ROWS = 300, COLUMNS = 700 };

static fx_node *row_softmax(fx_node *x) {
    fx_node *e = fx_exp(fx_sub(x, fx_reduce_and_keep(x, fx_reduce_max, FX_AXES(1))));
    return fx_add(fx_div(e, fx_reduce_and_keep(e, fx_reduce_sum, FX_AXES(1))), fx_reduce_all_sum(x));
}

typedef struct caller {
    fx_exec *exec;
    const fx_tensor *x, *want;
    bool donates;
    int right;
} caller;

static void *call_often(void *context) {
    caller *c = context;
    for (int i = 0; i < CALLS; i++) {
        fx_tensor *own =
            c->donates ? fx_tensor_copy_from(fx_tensor_shape(c->x), fx_tensor_data(c->x), NULL) : NULL;
        fx_tensor *t = c->donates ? fx_call1(c->exec, NULL, fx_donate(own)) : fx_call1(c->exec, NULL, c->x);
        c->right += fx_tensor_equal(t, c->want);
        fx_tensor_free(t);
        fx_tensor_free(own);
    }
    return NULL;
}

/* Every call gives the bits of a call that was alone, on one thread. */
static void many_callers(void **state) {
    bool is_cpu = strcmp(*state, "cpu") == 0;
    fx_tensor *x = fx_tensor_new(&FX_SHAPE(FX_F32, ROWS, COLUMNS), FX_MUST);
    float *data = fx_tensor_mutable_data(x);
    for (int i = 0; i < ROWS * COLUMNS; i++) data[i] = (float)(i % 997) / 100 - 5;
    fx_backend *alone = fx_backend_open(is_cpu ? "cpu?threads=1" : "interp", FX_MUST);
    fx_exec *exec = fx_exec_new(alone, row_softmax, FX_MUST);
    fx_tensor *want = fx_call1(exec, FX_MUST, x);
    fx_exec_free(exec);
    fx_backend_close(alone);
    fx_backend *backend = fx_backend_open(is_cpu ? "cpu?threads=3" : "interp", FX_MUST);
    exec = fx_exec_new(backend, row_softmax, FX_MUST);
    pthread_t threads[CALLERS];
    caller callers[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){exec, x, want, i % 2 == 1, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(callers[i].right, CALLS);
    }
    fx_tensor_free(want);
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- forks ---- */

static bool works(fx_exec *exec, int64_t n) {
    float *data = calloc((size_t)n, sizeof *data);
    if (!data) return false;
    data[n - 1] = 3;
    fx_tensor *t = fx_call1(exec, NULL, FX_HOST(data, n));
    bool ok = t && fx_tensor_get(t, n - 1) == 6 && fx_tensor_size(t) == n;
    fx_tensor_free(t);
    free(data);
    return ok;
}

/* The thread sanitizer does not survive threads made by a child: there, the child's calls are too small for
 * them. */
#if defined(__SANITIZE_THREAD__)
enum { CHILD_SIZE = 100 };
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
enum { CHILD_SIZE = 100 };
#else
enum { CHILD_SIZE = 1000000 };
#endif
#else
enum { CHILD_SIZE = 1000000 };
#endif

/* A child may go on with what its parent opened: its threads are gone, so it makes its own. */
static void child_goes_on(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, twice, FX_MUST);
    assert_true(works(exec, 1000000)); /* large enough for threads */
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(60);
            bool ok = works(exec, CHILD_SIZE) && works(exec, 7);
            fx_exec_free(exec);
            fx_backend_close(backend);
            _exit(ok ? 0 : 1);
        }
        int status = 1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(works(exec, 1000000));
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(makers_check),       BOTH(options_are_checked),
        BOTH(compiling_ahead),    BOTH(programs_tell),
        BOTH(programs_as_text),   BOTH(everything_outlives_the_backend),
        BOTH(values_are_logged),  BOTH(inputs_are_logged),
#if defined(__x86_64__)
        BOTH(mode_is_left_alone), BOTH(mode_of_the_caller_does_not_matter),
#endif
        BOTH(many_callers),       BOTH(child_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
