/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* A life of a client through a plugin that counts what is alive and fails the n-th call, for every n, and the
 * same with the n-th allocation failing: an error every time, nothing left behind, and everything works
 * afterwards. */
#include "pjrt_tests.h"
#include "support/allocations.h"
#include "tensor/tensor.h"
#include <dlfcn.h>
#include <stdio.h>

static void (*fail_at)(long number);
static long (*alive)(void);
static int (*failed)(void);
static int which_plugin;

static fx_node *multiply_add(fx_node *a, fx_node *b) {
    return fx_add(fx_mul(a, b), a);
}

/* Frees and gives on. */
static bool keep(fx_tensor **to, fx_tensor *next) {
    fx_tensor_free(*to);
    *to = next;
    return next != NULL;
}

static bool use(fx_exec *exec, bool donates, fx_error *err) {
    const int64_t large = 40000;
    fx_shape shapes[2] = {FX_SHAPE(FX_F32, large), FX_SHAPE(FX_F32, large)};
    fx_tensor *a = fx_tensor_new(shapes, err), *b = NULL, *c = NULL;
    bool ok = a && fx_exec_compile(exec, shapes, 2, err);
    ok = ok && keep(&b, fx_exec_call1(exec, (fx_arg[]){FX_ARG(a), FX_ARG(a)}, 2, err));
    ok = ok &&
         keep(&c, fx_exec_call1(exec, (fx_arg[]){donates ? fx_donate(b) : FX_ARG(b), FX_ARG(b)}, 2, err));
    ok = ok || (donates && c == NULL && b && err->code == FX_ERROR_ARGUMENT); /* an argument given twice */
    ok = ok &&
         keep(&c, fx_exec_call1(exec, (fx_arg[]){donates ? fx_donate(b) : FX_ARG(b), FX_ARG(a)}, 2, err));
    ok = ok && fx_tensor_fetch(c, err) && fx_tensor_get(c, large - 1) == 0;
    fx_program *program = ok ? fx_exec_program(exec, shapes, 2, err) : NULL;
    fx_memory memory = {.size = sizeof memory};
    ok = ok && program && fx_program_memory(program, &memory);
    fx_program_free(program);
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_tensor_free(c);
    return ok;
}

static bool life(bool donates, const char *more, fx_error *err) {
    char config[400];
    snprintf(config, sizeof config, "pjrt:" PJRT_TEST_MODULES "/proxy.so?logs=quiet%s", more);
    fx_backend *backend = fx_backend_open(config, err);
    fx_exec *exec = backend ? fx_exec_new(backend, multiply_add, err) : NULL;
    bool ok = exec && use(exec, donates, err);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return ok;
}

/* Memory statistics and the question whether a buffer is gone may fail unnoticed; that is all that may. */
static void every_call_fails(bool donates, const char *more) {
    fx_error err = {.code = FX_OK};
    fail_at(0);
    if (!life(donates, more, &err)) fail_msg("%s", err.message);
    assert_int_equal(alive(), 0);
    int unnoticed = 0, number = 1;
    for (;; number++) {
        err = (fx_error){.code = FX_OK};
        fail_at(number);
        bool ok = life(donates, more, &err);
        int happened = failed();
        fail_at(0);
        if (alive() != 0) fail_msg("call %d: %ld objects are left", number, alive());
        if (!happened) break;
        if (!ok) assert_failed(err, FX_ERROR_ARGUMENT, "pjrt: ");
        unnoticed += ok;
        assert_true(number < 1000);
    }
    assert_true(number > 15);
    assert_in_range(unnoticed, 0, 3);
}

static void calls_fail(void **state) {
    (void)state;
    every_call_fails(false, "");
    every_call_fails(true, "");
}
static void calls_fail_where_elements_are_copied(void **state) {
    (void)state;
    every_call_fails(false, "&debug=copies");
    every_call_fails(true, "&debug=copies&cpu_device_count=2");
}

static void allocations_fail_too(void **state) {
    (void)state;
    for (int donates = 0; donates < 2; donates++) {
        int64_t before = allocations_live(), number = 0;
        for (;; number++) {
            fx_error err = {.code = FX_OK};
            allocations_fail(number, false);
            bool ok =
                life(donates != 0, donates ? "&debug=copies&xla_backend_optimization_level=1" : "", &err);
            bool happened = allocations_failed();
            allocations_fail(-1, false);
            if (allocations_live() != before || alive() != 0)
                fail_msg("request %lld: %lld blocks and %ld objects are left", (long long)number,
                         (long long)(allocations_live() - before), alive());
            if (!ok) assert_int_equal(err.code, FX_ERROR_MEMORY);
            if (!happened) break;
            assert_true(number < 10000);
        }
        assert_true(number > 30);
    }
}

/* What failed once can be asked for again. */
static void a_fetch_is_tried_again(void **state) {
    (void)state;
    fx_backend *backend = fx_backend_open("pjrt:" PJRT_TEST_MODULES "/proxy.so?logs=quiet", FX_MUST);
    fx_exec *exec = fx_exec_new(backend, multiply_add, FX_MUST);
    fx_tensor *a = fx_call1(exec, FX_MUST, 3.0, 5.0);
    for (int number = 1; number <= 3; number++) { /* ready event, waiting, address */
        fx_error err = {.code = FX_OK};
        fail_at(number);
        assert_false(fx_tensor_fetch(a, &err));
        assert_failed(err, FX_ERROR_ARGUMENT, "pjrt: ");
        fail_at(number);
        assert_null(fx_tensor_data(a));
        fail_at(number);
        assert_string_equal(fx_tensor_text(a).s, "float64<lost>");
    }
    fail_at(0);
    assert_text(a, "float64(18)");
    fx_tensor_free(a);
    fx_exec_free(exec);
    fx_backend_close(backend);
    assert_int_equal(alive(), 0);
}

/* The plugin list outlives a scenario, so the plugin is loaded before blocks are counted. */
static int load_proxy(void **state) {
    (void)state;
    setenv("PROXY_PLUGIN", pjrt_plugin(which_plugin), 1);
    void *library = dlopen(PJRT_TEST_MODULES "/proxy.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) return -1;
    const char *const names[] = {"proxy_fail_at", "proxy_alive", "proxy_failed"};
    void *targets[] = {&fail_at, &alive, &failed};
    for (int i = 0; i < 3; i++) {
        void *symbol = dlsym(library, names[i]);
        memcpy(targets[i], &symbol, sizeof symbol);
        if (!symbol) return -1;
    }
    fx_backend_close(fx_backend_open("pjrt:" PJRT_TEST_MODULES "/proxy.so?logs=quiet", FX_MUST));
    return 0;
}

int main(int count, char **arguments) {
    if (!pjrt_begin() || !allocations_install()) return PJRT_SKIPPED;
    which_plugin = count > 1 && arguments[1][0] == '0' ? 0 : 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fetch_is_tried_again),
        cmocka_unit_test(calls_fail),
        cmocka_unit_test(calls_fail_where_elements_are_copied),
        cmocka_unit_test(allocations_fail_too),
    };
    return cmocka_run_group_tests(tests, load_proxy, NULL);
}
