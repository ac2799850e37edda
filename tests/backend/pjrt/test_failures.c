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

/* The same over two devices: an argument cut, a result whole. */
static fx_node *sharded(fx_node *a, fx_node *b) {
    static const fx_mesh mesh = {.names = {"x"}, .sizes = {2}};
    return fx_add(fx_mul(fx_shard(a, FX_SHARDING(&mesh, "x")), b), a);
}
static fx_node *sharded_all(fx_node *a, fx_node *b) {
    static const fx_mesh mesh = {.names = {"x"}, .sizes = {2}};
    return fx_shard(sharded(a, fx_shard(b, FX_SHARDING(&mesh, "x"))), FX_SHARDING(&mesh, "x"));
}
static fx_fn2 function = multiply_add;

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
    fx_exec *exec = backend ? fx_exec_new(backend, function, err) : NULL;
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

static void calls_fail_on_two_devices(void **state) {
    (void)state;
    function = sharded_all;
    every_call_fails(true, "&cpu_device_count=2");
    function = sharded;
    every_call_fails(false, "&cpu_device_count=2&debug=copies");
    function = multiply_add;
}

/* ---- replicas ---- */

static fx_node *summed(fx_node *x) {
    return fx_all_reduce_one(x, FX_COLLECTIVE_SUM, NULL);
}

static bool call_twice(fx_exec *exec, fx_error *err) {
    fx_tensor *first[2] = {NULL, NULL}, *second[2] = {NULL, NULL};
    bool ok = fx_exec_configure(exec, &(fx_exec_options){.replicas = 2}, err) &&
              fx_exec_call_replicas(exec, (fx_arg[]){FX_ARG(1.0f), FX_ARG(2.0f)}, 2, first, 2, err) &&
              fx_exec_call_replicas(exec, (fx_arg[]){fx_donate(first[0]), fx_donate(first[1])}, 2, second, 2,
                                    err) &&
              fx_tensor_fetch(second[0], err) && fx_tensor_fetch(second[1], err);
    if (ok) assert_text(second[1], "float32(6)");
    for (int r = 0; r < 2; r++) {
        fx_tensor_free(first[r]);
        fx_tensor_free(second[r]);
    }
    return ok;
}

static bool life_of_replicas(fx_error *err) {
    fx_backend *backend =
        fx_backend_open("pjrt:" PJRT_TEST_MODULES "/proxy.so?logs=quiet&cpu_device_count=2", err);
    fx_exec *exec = backend ? fx_exec_new(backend, summed, err) : NULL;
    bool ok = exec && call_twice(exec, err);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return ok;
}

static void calls_of_replicas_fail(void **state) {
    (void)state;
    for (int number = 1, happened = 1; happened; number++) {
        fx_error err = {.code = FX_OK};
        fail_at(number);
        life_of_replicas(&err);
        happened = failed();
        fail_at(0);
        if (alive() != 0) fail_msg("call %d: %ld objects are left", number, alive());
        assert_true(number < 1000);
    }
}

static void check_allocations(bool (*run)(fx_error *err)) {
    int64_t before = allocations_live(), number = 0;
    for (bool happened = true; happened; number++) {
        fx_error err = {.code = FX_OK};
        allocations_fail(number, false);
        bool ok = run(&err);
        happened = allocations_failed();
        allocations_fail(-1, false);
        if (allocations_live() != before || alive() != 0)
            fail_msg("request %lld: %lld blocks and %ld objects are left", (long long)number,
                     (long long)(allocations_live() - before), alive());
        if (!ok) assert_int_equal(err.code, FX_ERROR_MEMORY);
        assert_true(number < 10000);
    }
    assert_true(number > 30);
}

static bool life_sharded(fx_error *err) {
    function = sharded_all;
    bool ok = life(true, "&debug=copies&cpu_device_count=2", err);
    function = multiply_add;
    return ok;
}

static void allocations_fail_on_two_devices(void **state) {
    (void)state;
    check_allocations(life_sharded);
    check_allocations(life_of_replicas);
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
        cmocka_unit_test(calls_fail_on_two_devices),
        cmocka_unit_test(calls_of_replicas_fail),
        cmocka_unit_test(allocations_fail_too),
        cmocka_unit_test(allocations_fail_on_two_devices),
    };
    return cmocka_run_group_tests(tests, load_proxy, NULL);
}
