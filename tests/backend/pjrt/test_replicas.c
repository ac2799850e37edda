/* SPDX-License-Identifier: Apache-2.0 */
/* Replicas on devices of the plugins: every collective, its derivative and its place in a loop give what the
 * interpreter's replicas give, whose values tests/backend/test_replicas.c works out; values stay on their
 * devices from call to call. */
#include "pjrt_tests.h"
#include "support/replica_programs.h"

enum { MOST = 4 };

/* Replica r has x = {10 r, 10 r + 1, 10 r + 2, 10 r + 3}. Small integers, so that sums are exact. */
static void run(fx_backend *backend, fx_fn fn, size_t replicas, fx_tensor **out) {
    fx_exec *exec = fx_exec_new_fn(backend, fn, 1, 1, &replicas, FX_MUST);
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.replicas = (int)replicas}, FX_MUST));
    fx_tensor *x[MOST];
    fx_arg args[MOST];
    for (size_t r = 0; r < replicas; r++) args[r] = FX_ARG(x[r] = vector(4, (float)(10 * r)));
    assert_true(fx_exec_call_replicas(exec, args, replicas, out, replicas, FX_MUST));
    for (size_t r = 0; r < replicas; r++) fx_tensor_free(x[r]);
    fx_exec_free(exec);
}

static void compare(fx_backend *devices, fx_backend *interp, const struct replica_program *program,
                    size_t replicas) {
    fx_tensor *got[MOST], *want[MOST];
    run(devices, program->fn, replicas, got);
    run(interp, program->fn, replicas, want);
    for (size_t r = 0; r < replicas; r++) {
        if (!fx_tensor_equal(got[r], want[r]))
            fail_msg("%s, replica %zu of %zu: %s, not %s", program->name, r, replicas,
                     fx_tensor_text(got[r]).s, fx_tensor_text(want[r]).s);
        fx_tensor_free(got[r]);
        fx_tensor_free(want[r]);
    }
}

static void equals_interp(void **state) {
    fx_backend *devices = pjrt_open(plugin_of(state), "&cpu_device_count=4");
    fx_backend *interp = fx_backend_open("interp", FX_MUST);
    for (size_t i = 0; i < REPLICA_PROGRAMS; i++) {
        if (replica_programs[i].for_two) compare(devices, interp, &replica_programs[i], 2);
        if (replica_programs[i].for_four) compare(devices, interp, &replica_programs[i], 4);
    }
    fx_backend_close(interp);
    fx_backend_close(devices);
}

/* What the plugin lacks is an error, not a crash. */
static void is_lacking(void **state) {
    static const fx_fn programs[] = {spread, slope_of_spread};
    fx_backend *backend = pjrt_open(plugin_of(state), "&cpu_device_count=4");
    size_t replicas = 4;
    fx_tensor *out[4], *x = vector(4, 0);
    const fx_arg args[] = {FX_ARG(x), FX_ARG(x), FX_ARG(x), FX_ARG(x)};
    for (int i = 0; i < 2; i++) {
        fx_error err = {.code = FX_OK};
        fx_exec *exec = fx_exec_new_fn(backend, programs[i], 1, 1, &replicas, FX_MUST);
        assert_true(fx_exec_configure(exec, &(fx_exec_options){.replicas = 4}, FX_MUST));
        assert_false(fx_exec_call_replicas(exec, args, 4, out, 4, &err));
        assert_failed(err, FX_ERROR_UNSUPPORTED, "collective-broadcast");
        fx_exec_free(exec);
    }
    fx_tensor_free(x);
    fx_backend_close(backend);
}

static void stay_in_place(void **state) {
    fx_backend *backend = pjrt_open(plugin_of(state), "&cpu_device_count=2");
    size_t replicas = 2;
    fx_exec *exec = fx_exec_new_fn(backend, sum, 1, 1, &replicas, FX_MUST);
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.replicas = 2}, FX_MUST));
    fx_tensor *x[2] = {vector(4, 0), vector(4, 1)}, *out[2];
    for (int i = 0; i < 3; i++) {
        const fx_arg args[] = {fx_donate(x[0]), fx_donate(x[1])};
        assert_true(fx_exec_call_replicas(exec, args, 2, out, 2, FX_MUST));
        for (size_t r = 0; r < 2; r++) {
            fx_tensor_part part;
            assert_int_equal(fx_tensor_part_count(out[r]), 1);
            assert_true(fx_tensor_part_at(out[r], 0, &part));
            assert_int_equal(part.device, r);
            assert_false(fx_tensor_is_valid(x[r]));
            fx_tensor_free(x[r]);
            x[r] = out[r];
        }
    }
    assert_text(x[0], "[4]float32{4, 12, 20, 28}");
    const fx_arg crossed[] = {FX_ARG(x[1]), FX_ARG(x[0])}; /* each on the other's device: sent anew */
    assert_true(fx_exec_call_replicas(exec, crossed, 2, out, 2, FX_MUST));
    assert_text(out[1], "[4]float32{8, 24, 40, 56}");
    for (size_t r = 0; r < 2; r++) {
        fx_tensor_free(x[r]);
        fx_tensor_free(out[r]);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void too_many(void **state) {
    fx_backend *backend = pjrt_open(plugin_of(state), "&cpu_device_count=2");
    size_t replicas = 4;
    fx_error err = {.code = FX_OK};
    fx_exec *exec = fx_exec_new_fn(backend, sum, 1, 1, &replicas, FX_MUST);
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.replicas = 4}, FX_MUST));
    fx_tensor *out[4];
    const fx_arg args[] = {FX_ARG(1.0f), FX_ARG(2.0f), FX_ARG(3.0f), FX_ARG(4.0f)};
    assert_false(fx_exec_call_replicas(exec, args, 4, out, 4, &err));
    assert_failed(err, FX_ERROR_UNSUPPORTED, "the program needs device 2, counted from 0; the plugin has 2");
    for (int r = 0; r < 4; r++) assert_null(out[r]);
    fx_exec_free(exec);
    exec = fx_exec_new_fn(backend, sum_in_pairs, 1, 1, &replicas, FX_MUST);
    fx_tensor *x = vector(4, 0);
    assert_null(fx_call1(exec, &err, x));
    assert_failed(err, FX_ERROR_UNSUPPORTED, "pjrt: all_reduce names device 2; this backend has one device");
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH_PLUGINS(equals_interp), BOTH_PLUGINS(is_lacking),
                                       BOTH_PLUGINS(stay_in_place), BOTH_PLUGINS(too_many)};
    return pjrt_begin() ? cmocka_run_group_tests(tests, NULL, NULL) : PJRT_SKIPPED;
}
