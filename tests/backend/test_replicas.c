/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that run as replicas on the interpreter, which has as many devices as are asked for: values of
 * every collective worked out by hand, replicas that diverge, and what calls refuse. The same programs on
 * plugins are in tests/backend/pjrt/test_replicas.c. */
#include "exec/both.h"
#include "support/allocations.h"
#include "support/replica_programs.h"
#include <stdio.h>

enum { MOST = 4 };

/* Replica r has x = [4] {10 r, 10 r + 1, 10 r + 2, 10 r + 3}. */
static void run(fx_fn fn, size_t replicas, fx_tensor **out, fx_error *err) {
    fx_backend *backend = fx_backend_open("interp", FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, fn, 1, 1, &replicas, FX_MUST);
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.replicas = (int)replicas}, FX_MUST));
    float x[MOST][4];
    fx_arg args[MOST];
    const int64_t four = 4;
    for (size_t r = 0; r < replicas; r++) {
        for (int i = 0; i < 4; i++) x[r][i] = (float)(10 * (int)r + i);
        args[r] = (fx_arg){.kind = FX_ARG_HOST, .u.host = {x[r], FX_F32, &four, 1}};
    }
    bool ok = fx_exec_call_replicas(exec, args, replicas, out, replicas, err);
    for (size_t r = 0; !ok && r < replicas; r++) assert_null(out[r]);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void check(fx_fn fn, size_t replicas, const char *const *want) {
    fx_tensor *out[MOST];
    run(fn, replicas, out, FX_MUST);
    for (size_t r = 0; r < replicas; r++) {
        assert_text(out[r], want[r]);
        fx_tensor_free(out[r]);
    }
}

static void two_replicas(void **state) {
    (void)state;
    check(sum, 2, (const char *[]){"[4]float32{10, 12, 14, 16}", "[4]float32{10, 12, 14, 16}"});
    check(largest, 2, (const char *[]){"[4]float32{-0, -1, -2, -3}", "[4]float32{-0, -1, -2, -3}"});
    check(
        gather, 2,
        (const char *[]){"[8]float32{0, 1, 2, 3, 10, 11, 12, 13}", "[8]float32{0, 1, 2, 3, 10, 11, 12, 13}"});
    check(scatter, 2, (const char *[]){"[2]float32{10, 12}", "[2]float32{14, 16}"});
    check(to_all, 2, (const char *[]){"[4]float32{0, 1, 10, 11}", "[4]float32{2, 3, 12, 13}"});
    check(shifted, 2, (const char *[]){"[4]float32{0, 0, 0, 0}", "[4]float32{0, 1, 2, 3}"});
    check(numbered, 2, (const char *[]){"[4]float32{0, 0, 0, 0}", "[4]float32{1, 1, 1, 1}"});
}

/* Pairs are (2, 0) and (1, 3). */
static void four_replicas(void **state) {
    (void)state;
    check(sum, 4,
          (const char *[]){"[4]float32{60, 64, 68, 72}", "[4]float32{60, 64, 68, 72}",
                           "[4]float32{60, 64, 68, 72}", "[4]float32{60, 64, 68, 72}"});
    check(sum_in_pairs, 4,
          (const char *[]){"[4]float32{20, 22, 24, 26}", "[4]float32{40, 42, 44, 46}",
                           "[4]float32{20, 22, 24, 26}", "[4]float32{40, 42, 44, 46}"});
    const char *const even = "[2][4]float32{{20, 21, 0, 1}, {22, 23, 2, 3}}",
                      *const odd = "[2][4]float32{{10, 11, 30, 31}, {12, 13, 32, 33}}";
    check(gather_in_pairs, 4, (const char *[]){even, odd, even, odd});
    check(scatter, 4,
          (const char *[]){"[1]float32{60}", "[1]float32{64}", "[1]float32{68}", "[1]float32{72}"});
    check(scatter_in_pairs, 4,
          (const char *[]){"[2]float32{22, 23}", "[2]float32{30, 31}", "[2]float32{20, 21}",
                           "[2]float32{32, 33}"});
    check(to_all, 4,
          (const char *[]){"[4]float32{0, 10, 20, 30}", "[4]float32{1, 11, 21, 31}",
                           "[4]float32{2, 12, 22, 32}", "[4]float32{3, 13, 23, 33}"});
    check(to_all_across, 4,
          (const char *[]){"[1][4]float32{{22, 23, 2, 3}}", "[1][4]float32{{10, 11, 30, 31}}",
                           "[1][4]float32{{20, 21, 0, 1}}", "[1][4]float32{{12, 13, 32, 33}}"});
    check(spread, 4,
          (const char *[]){"[4]float32{20, 21, 22, 23}", "[4]float32{10, 11, 12, 13}",
                           "[4]float32{20, 21, 22, 23}", "[4]float32{10, 11, 12, 13}"});
}

/* ---- derivatives: of the sum of all replicas' losses ---- */

/* L = sum over replicas of |s|^2 with s = x0 + x1: dL/dx = 2 * 2 s; gathered values count twice; a scattered
 * sum's square is |s|^2 in all; a shifted value counts where it came from,
 * a broadcast one for all of its group. */
static void derivatives(void **state) {
    (void)state;
    check(slope_of_sum, 2, (const char *[]){"[4]float32{40, 48, 56, 64}", "[4]float32{40, 48, 56, 64}"});
    check(slope_of_gather, 2, (const char *[]){"[4]float32{0, 4, 8, 12}", "[4]float32{40, 44, 48, 52}"});
    check(slope_of_scatter, 2, (const char *[]){"[4]float32{20, 24, 28, 32}", "[4]float32{20, 24, 28, 32}"});
    check(slope_of_shift, 2, (const char *[]){"[4]float32{0, 2, 4, 6}", "[4]float32{0, 0, 0, 0}"});
    check(slope_of_spread, 4,
          (const char *[]){"[4]float32{0, 0, 0, 0}", "[4]float32{40, 44, 48, 52}",
                           "[4]float32{80, 84, 88, 92}", "[4]float32{0, 0, 0, 0}"});
}

/* ---- loops and divergence ---- */

static void exchange(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_all_reduce_one(user, FX_COLLECTIVE_SUM, NULL);
}
static void keep(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)in, (void)n_in, (void)n_out;
    out[0] = user;
}
static void one_way(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)n_in, (void)n_out, (void)user;
    fx_node *first = fx_equal(fx_replica_id(g), fx_scalar(g, FX_U32, 0));
    out[0] = fx_if(first, exchange, keep, 1, in[0], NULL);
}

static void loops(void **state) {
    (void)state;
    check(in_loop, 2, (const char *[]){"[4]float32{40, 48, 56, 64}", "[4]float32{40, 48, 56, 64}"});
}

static void diverged(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        fx_tensor *out[MOST];
        fx_error err = {.code = FX_OK};
        run(one_way, 3, out, &err);
        assert_failed(err, FX_ERROR_ARGUMENT, "interp: not all replicas come to this all_reduce");
    }
}

/* ---- without memory ---- */

static bool run_three(fx_error *err) {
    size_t replicas = 3;
    fx_backend *backend = fx_backend_open("interp", err);
    fx_exec *exec = backend ? fx_exec_new_fn(backend, in_loop, 1, 1, &replicas, err) : NULL;
    fx_tensor *out[3] = {NULL};
    const fx_arg args[] = {FX_ARG(1.0f), FX_ARG(2.0f), FX_ARG(3.0f)};
    bool ok = exec && fx_exec_configure(exec, &(fx_exec_options){.replicas = 3}, err) &&
              fx_exec_call_replicas(exec, args, 3, out, 3, err);
    for (int r = 0; r < 3; r++) {
        if (ok)
            assert_text(out[r], "float32(54)");
        else
            assert_null(out[r]);
        fx_tensor_free(out[r]);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
    return ok;
}

/* Whichever replica lacks memory, the others do not wait for it. */
static void without_memory(void **state) {
    (void)state;
    const int64_t before = allocations_live();
    for (int64_t number = 0, happened = 1; happened; number++) {
        fx_error err = {.code = FX_OK};
        allocations_fail(number, false);
        bool ok = run_three(&err);
        happened = allocations_failed();
        allocations_fail(-1, false);
        assert_int_equal(allocations_live(), before);
        if (!ok) assert_int_equal(err.code, FX_ERROR_MEMORY);
        assert_true(number < 10000);
    }
}

/* ---- programs that were read ---- */

static const char module_text[] =
    "module @two attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {\n"
    "  func.func public @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {\n"
    "    %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({\n"
    "    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "      %s = stablehlo.add %a, %b : tensor<f32>\n"
    "      stablehlo.return %s : tensor<f32>\n"
    "    }) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    %1 = stablehlo.replica_id : tensor<ui32>\n"
    "    return %0, %1 : tensor<2xf32>, tensor<ui32>\n"
    "  }\n"
    "}\n";

static void module_for_two(void **state) {
    (void)state;
    fx_module *module = fx_module_parse(module_text, sizeof module_text - 1, NULL, FX_MUST);
    fx_backend *backend = fx_backend_open("interp", FX_MUST);
    fx_exec *exec = fx_exec_new_module(backend, module, 0, FX_MUST);
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.replicas = 2}, FX_MUST));
    const fx_arg args[] = {FX_ARG(FX_VEC(float, 1, 2)), FX_ARG(FX_VEC(float, 10, 20))};
    fx_tensor *out[4];
    assert_true(fx_exec_call_replicas(exec, args, 2, out, 4, FX_MUST));
    assert_text(out[0], "[2]float32{11, 22}");
    assert_text(out[1], "uint32(0)");
    assert_text(out[2], "[2]float32{11, 22}");
    assert_text(out[3], "uint32(1)");
    for (int i = 0; i < 4; i++) fx_tensor_free(out[i]);
    fx_exec_free(exec);
    fx_backend_close(backend);
    fx_module_free(module);
}

/* ---- what is refused ---- */

static void refuse_program(fx_fn fn, size_t replicas, fx_error_code code, const char *message) {
    fx_tensor *out[MOST];
    fx_error err = {.code = FX_OK};
    run(fn, replicas, out, &err);
    assert_failed(err, code, message);
}

static void programs_refused(void **state) {
    (void)state;
    refuse_program(sum_in_pairs, 2, FX_ERROR_UNSUPPORTED,
                   "interp: all_reduce names device 2; the program runs as 2 replicas");
    refuse_program(shifted, 1, FX_ERROR_UNSUPPORTED,
                   "interp: collective_permute names device 1; this backend has one device, number 0");
    refuse_program(gather_in_pairs, 3, FX_ERROR_UNSUPPORTED,
                   "interp: all_gather names device 3; the program runs as 3 replicas");
}

static fx_node *same(fx_node *x) {
    return fx_neg(x);
}

static void calls_refused(void **state) {
    (void)state;
    fx_error err = {.code = FX_OK};
    fx_backend *backend = fx_backend_open("interp", FX_MUST);
    fx_exec *exec = fx_exec_new(backend, same, FX_MUST);
    assert_false(fx_exec_configure(exec, &(fx_exec_options){.replicas = -1}, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "-1 replicas; at most 4096");
    assert_false(fx_exec_configure(exec, &(fx_exec_options){.replicas = 5000}, &err));
    assert_false(fx_exec_configure(exec, &(fx_exec_options){.replicas = 2, .trace_nan = true}, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "trace_nan is for programs without replicas");
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.replicas = 2}, FX_MUST));
    fx_tensor *out[2], *one = fx_tensor_scalar(FX_F32, 1, FX_MUST);
    assert_null(fx_call1(exec, &err, 1.0f));
    assert_failed(err, FX_ERROR_ARGUMENT, "runs as 2 replicas; fx_exec_call_replicas calls them all");
    const fx_arg args[] = {FX_ARG(1.0f), FX_ARG(FX_VEC(float, 1, 2)), fx_donate(one), FX_ARG(one)};
    assert_false(fx_exec_call_replicas(exec, args, 1, out, 2, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "1 arguments in each of 2 replicas, got 1");
    assert_false(fx_exec_call_replicas(exec, args, 2, out, 1, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "1 outputs in each of 2 replicas, 1 are asked for");
    assert_false(fx_exec_call_replicas(exec, args, 2, out, 2, &err));
    assert_failed(err, FX_ERROR_SHAPE, "argument 0 of replica 1 is (float32)[2], of replica 0 (float32)");
    assert_false(fx_exec_call_replicas(exec, args + 2, 2, out, 2, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "is being donated");
    assert_false(fx_exec_call_replicas(NULL, args, 2, out, 2, &err));
    fx_tensor_free(one);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

#if FLUXION_CPU
static void cpu_has_one(void **state) {
    (void)state;
    fx_error err = {.code = FX_OK};
    fx_backend *backend = fx_backend_open("cpu", FX_MUST);
    fx_exec *exec = fx_exec_new(backend, same, FX_MUST);
    assert_false(fx_exec_configure(exec, &(fx_exec_options){.replicas = 2}, &err));
    assert_failed(err, FX_ERROR_UNSUPPORTED, "2 replicas; the backend cpu has one device");
    assert_true(fx_exec_configure(exec, &(fx_exec_options){.replicas = 1}, FX_MUST));
    fx_tensor *out = NULL;
    const fx_arg args[] = {FX_ARG(2.0f)};
    assert_true(fx_exec_call_replicas(exec, args, 1, &out, 1, FX_MUST));
    assert_text(out, "float32(-2)");
    fx_tensor_free(out);
    fx_exec_free(exec);
    fx_backend_close(backend);
}
#endif

int main(void) {
    if (!allocations_install()) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_replicas),  cmocka_unit_test(four_replicas),  cmocka_unit_test(derivatives),
        cmocka_unit_test(loops),         cmocka_unit_test(diverged),       cmocka_unit_test(programs_refused),
        cmocka_unit_test(calls_refused), cmocka_unit_test(module_for_two), cmocka_unit_test(without_memory),
#if FLUXION_CPU
        cmocka_unit_test(cpu_has_one),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
