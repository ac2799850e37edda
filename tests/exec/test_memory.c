/* SPDX-License-Identifier: Apache-2.0 */
/* Memory over time: many input sizes in random order, round after round, and opening and closing again and
 * again, leave as many blocks as the first rounds did (T05). Counted in blocks of the library's allocator,
 * so nothing depends on the system. */
#include "both.h"
#include "support/allocations.h"
#if FLUXION_CPU
#include "backend/cpu/jit/jit.h"
#endif

enum { SIZES = 64, ROUNDS = 12, WIDTH = 100 };

static fx_node *normalised(fx_node *x) {
    return fx_div(x, fx_add_scalar(fx_reduce_and_keep(fx_square(x), fx_reduce_sum, FX_AXES(1)), 1));
}

/* Numbers 1 .. SIZES in an order that depends on the round. */
static void shuffle(int *order, unsigned seed) {
    for (int i = 0; i < SIZES; i++) order[i] = i + 1;
    for (int i = SIZES - 1; i > 0; i--) {
        seed = seed * 1664525 + 1013904223;
        int k = (int)((seed >> 16) % (unsigned)(i + 1)), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
}

static void run_round(fx_exec *exec, unsigned seed) {
    static float data[SIZES * WIDTH];
    int order[SIZES];
    shuffle(order, seed);
    for (int i = 0; i < SIZES; i++) {
        fx_tensor *t = fx_call1(exec, FX_MUST, FX_HOST(data, order[i], WIDTH));
        assert_int_equal(fx_tensor_size(t), order[i] * WIDTH);
        fx_tensor_free(t);
    }
}

static void many_sizes(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new(backend, normalised, FX_MUST);
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.cache_limit = 1}, FX_MUST));
    run_round(exec, 1);
    fx_tensor *last = fx_call1(exec, FX_MUST, FX_HOST(((float[]){1}), 1, 1));
    int64_t after_first = allocations_live();
    fx_tensor_free(last);
    for (unsigned round = 2; round <= ROUNDS; round++) run_round(exec, round);
    last = fx_call1(exec, FX_MUST, FX_HOST(((float[]){1}), 1, 1)); /* the same program is held as then */
    assert_int_equal(allocations_live(), after_first);
    fx_tensor_free(last);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void open_and_close(void **state) {
    int64_t before = 0;
    for (int i = 0; i < 10; i++) {
        fx_backend *backend = open_named(state);
        fx_exec *exec = fx_exec_new(backend, normalised, FX_MUST);
        run_round(exec, (unsigned)i);
        fx_exec_free(exec);
        fx_backend_close(backend);
#if FLUXION_CPU
        fxi_kernel_cache_clear(); /* the process keeps compiled kernels, within a limit of its own */
#endif
        if (i == 0) before = allocations_live();
        assert_int_equal(allocations_live(), before);
    }
    assert_int_equal(before, 0);
}

int main(void) {
    if (!allocations_install()) return 1;
    const struct CMUnitTest tests[] = {BOTH(open_and_close), BOTH(many_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
