/* SPDX-License-Identifier: Apache-2.0 */
/* Runs self-checking programs. Elements are compared as doubles: those of complex dtypes by their real part,
 * so that programs which check complex numbers check both parts apart; 64-bit integers as such. */
#include "self_check.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One unit in the last place of a number of that dtype. */
static double unit_of(fx_dtype dtype, double x) {
    static const struct {
        fx_dtype dtype;
        double epsilon, smallest;
    } floats[] = {{FX_F64, DBL_EPSILON, DBL_MIN},
                  {FX_F32, FLT_EPSILON, FLT_MIN},
                  {FX_F16, 0x1p-10, 0x1p-14},
                  {FX_BF16, 0x1p-7, FLT_MIN}};
    for (size_t i = 0; i < COUNT_OF(floats); i++)
        if (floats[i].dtype == dtype) return floats[i].epsilon * fmax(fabs(x), floats[i].smallest);
    return 0;
}

static bool is_near(const fx_check *check, fx_dtype dtype, double got, double want) {
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
    if (isinf(got) || isinf(want) || check->kind == FX_CHECK_EQ) return got == want;
    double most =
        check->kind == FX_CHECK_ALMOST_EQ ? check->tolerance : (double)check->max_ulp * unit_of(dtype, want);
    return fabs(got - want) <= most;
}

static void compare(const char *function, const fx_check *check, const fx_tensor *got,
                    const fx_tensor *want) {
    assert_true(fx_shape_equal(fx_tensor_shape(got), fx_tensor_shape(want)));
    fx_dtype dtype = fx_tensor_dtype(got);
    for (int64_t i = 0; i < fx_tensor_size(got); i++) {
        bool same = fx_dtype_is_integer(dtype)
                        ? fx_tensor_get_int(got, i) == fx_tensor_get_int(want, i)
                        : is_near(check, dtype, fx_tensor_get(got, i), fx_tensor_get(want, i));
        if (!same)
            fail_msg("@%s, line %d: element %lld is %.17g instead of %.17g of %s", function, check->line,
                     (long long)i, fx_tensor_get(got, i), fx_tensor_get(want, i), fx_tensor_text(want).s);
    }
}

static void run_function(fx_backend *backend, const fx_module *module, size_t function) {
    fx_error err = {.code = FX_OK};
    const char *name = fx_module_function_name(module, function);
    size_t n = fx_module_check_count(module, function);
    fx_exec *exec = fx_exec_new_checks(backend, module, function, &err);
    if (!exec) fail_msg("@%s: %s", name, err.message);
    fx_tensor **out = calloc(2 * n, sizeof *out);
    assert_non_null(out);
    if (!fx_exec_call(exec, NULL, 0, out, 2 * n, &err)) fail_msg("@%s: %s", name, err.message);
    for (size_t i = 0; i < n; i++) {
        fx_check check;
        assert_true(fx_module_check(module, function, i, &check));
        compare(name, &check, out[2 * i], out[2 * i + 1]);
        fx_tensor_free(out[2 * i]);
        fx_tensor_free(out[2 * i + 1]);
    }
    free(out);
    fx_exec_free(exec);
}

void check_file(void **state, const char *name, size_t functions) {
    char path[500];
    fx_error err = {.code = FX_OK};
    fx_backend *backend = open_named(state);
    snprintf(path, sizeof path, FX_TEST_DIR "/stablehlo/import/%s.mlir", name);
    fx_module *module = fx_module_read(path, &err);
    if (!module) fail_msg("%s", err.message);
    size_t ran = 0;
    for (size_t i = 0; i < fx_module_function_count(module); i++) {
        if (!fx_module_function_is_public(module, i) || fx_module_input_count(module, i) > 0) continue;
        run_function(backend, module, i);
        ran++;
    }
    assert_true(ran >= functions);
    fx_module_free(module);
    fx_backend_close(backend);
}

void check_refusals(void **state, const refusal *refusals, size_t n) {
    fx_backend *backend = open_named(state);
    for (size_t i = 0; i < n; i++) {
        fx_error err = {.code = FX_OK};
        char text[4000];
        snprintf(text, sizeof text,
                 "func.func @main() -> tensor<i32> {\n%s\n  %%nothing = stablehlo.constant dense<0> "
                 ": tensor<i32>\n  return %%nothing : tensor<i32>\n}\n",
                 refusals[i].body);
        fx_module *module = fx_module_parse(text, strlen(text), "test.mlir", &err);
        if (!module) fail_msg("%s", err.message);
        fx_exec *exec = fx_exec_new_module(backend, module, 0, &err);
        fx_tensor *out = NULL;
        if (exec && fx_exec_call(exec, NULL, 0, &out, 1, &err)) fail_msg("taken: %s", refusals[i].body);
        assert_failed(err, refusals[i].code, refusals[i].part);
        fx_exec_free(exec);
        fx_module_free(module);
    }
    fx_backend_close(backend);
}
