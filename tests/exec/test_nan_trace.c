/* SPDX-License-Identifier: Apache-2.0 */
/* fx_exec_options.trace_nan: which node is named, forward, backward, in closures; that calls without NaN are as
 * ever. */
#include "both.h"
#include <math.h>

static fx_exec *traced(fx_backend *backend, fx_fn1 f) {
    fx_exec *exec = fx_exec_new1(backend, f, FX_MUST);
    const fx_exec_options options = {.size = sizeof options, .trace_nan = true};
    assert_true(fx_exec_configure(exec, &options, FX_MUST));
    return exec;
}

static fx_node *forward(fx_node *x) {
    fx_node *y = fx_mul(x, x);
    y = fx_log(fx_sub(y, x)); /* line 16 */
    return fx_add(y, x);
}

/* An infinite adjoint makes the first NaN behind the derivative. */
static fx_node *backward(fx_node *x) {
    fx_node *y = fx_sqrt(x);
    fx_node *d;
    fx_vjp(FX_NODES(y), FX_NODES(fx_infinity(fx_node_graph(x), FX_F32, 1)), FX_NODES(x), &d);
    return fx_sub(d, d); /* line 25 */
}

static void halve(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_sqrt(fx_sub_scalar(in[1], 2)); /* line 30 */
}
static fx_node *looped(fx_node *x) {
    return fx_for(5, FX_NODES(x), halve, NULL, NULL);
}

static fx_node *hidden(fx_node *x) {
    return fx_where(fx_greater(x, fx_zeros_like(x)), fx_sqrt(x), x);
}

static void expect(void **state, fx_fn1 f, float value, const char *text, int line) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = traced(backend, f);
    fx_error err = {.code = FX_OK};
    fx_tensor *result = fx_call1(exec, &err, value);
    if (!text) {
        assert_non_null(result);
        fx_tensor_free(result);
    } else {
        assert_null(result);
        assert_failed(err, FX_ERROR_NAN, text);
        assert_int_equal(err.line, line);
        assert_non_null(strstr(err.file, "test_nan_trace.c"));
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void test_forward(void **state) {
    expect(state, forward, 0.5f, "log makes a NaN of -0.25: element 0 of (float32)", 16);
    expect(state, forward, 2, NULL, 0);
}
static void test_backward(void **state) {
    expect(state, backward, 1, "sub makes a NaN of inf, inf", 25);
}
static void test_loop(void **state) {
    expect(state, looped, 3, "sqrt makes a NaN of -1", 30);
}
static void test_hidden(void **state) {
    expect(state, hidden, -1, NULL, 0);
}

/* A NaN that comes in makes no node guilty. */
static void test_input(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = traced(backend, forward);
    fx_error err = {.code = FX_OK};
    assert_null(fx_call1(exec, &err, (float)NAN));
    assert_failed(err, FX_ERROR_NAN, "fx_call: output 0 has a NaN that came with an input");
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* Donated inputs are still there to be looked at, and are gone afterwards as ever. */
static void test_donated(void **state) {
    fx_backend *backend = open_named(state);
    fx_exec *exec = traced(backend, forward);
    fx_error err = {.code = FX_OK};
    fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){2, 0.5f}), 2), FX_MUST);
    assert_null(fx_call1(exec, &err, fx_donate(x)));
    assert_failed(err, FX_ERROR_NAN, "log makes a NaN of -0.25: element 1 of (float32)[2]");
    assert_false(fx_tensor_is_valid(x));
    fx_tensor_free(x);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(test_forward), BOTH(test_backward), BOTH(test_loop),
                                       BOTH(test_hidden),  BOTH(test_input),    BOTH(test_donated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
