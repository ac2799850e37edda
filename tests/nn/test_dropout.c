/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout: how many elements stay, that all are scaled, that the backward pass and the same state drop the
 * same ones, that another state does not. */
#include "exec/both.h"
#include <math.h>

enum { N = 20000 };

static double rate;

/* x, state -> y, the derivative of the sum of 3 y, the state afterwards */
static void program(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    out[0] = fx_nn_dropout(in[0], *(double *)user, in[1], &out[2]);
    fx_gradient(fx_reduce_all_sum(fx_mul_scalar(out[0], 3)), FX_NODES(in[0]), &out[1]);
}

static void run(fx_exec *exec, const fx_tensor *x, const fx_tensor *rng, fx_tensor **out) {
    const fx_arg args[] = {FX_ARG(x), FX_ARG(rng)};
    fx_exec_call(exec, args, 2, out, 3, FX_MUST);
}

/* Values are 2; number of those kept, which must be 2 / (1 - rate) each. */
static int kept(const fx_tensor *y, const fx_tensor *derivative) {
    int n = 0;
    double scale = (double)(float)(1 / (1 - rate));
    for (int i = 0; i < N; i++) {
        double v = fx_tensor_get(y, i);
        if (v != 0) {
            n++;
            assert_true(v == 2 * scale);
        }
        assert_true(fx_tensor_get(derivative, i) == (v != 0 ? (double)(float)(3 * scale) : 0));
    }
    return n;
}

static void check_rate(fx_backend *backend, double wanted) {
    static float data[N];
    fx_tensor *first[3], *again[3], *next[3];
    for (int i = 0; i < N; i++) data[i] = 2;
    rate = wanted;
    fx_tensor *x = fx_tensor_from(FX_HOST(data, N), FX_MUST), *rng = fx_random_state_tensor(42, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, program, 2, 3, &rate, FX_MUST);
    run(exec, x, rng, first);
    run(exec, x, rng, again);
    run(exec, x, first[2], next);
    double n = kept(first[0], first[1]), deviation = sqrt(N * rate * (1 - rate));
    assert_true(fabs(n - N * (1 - rate)) <= 5 * deviation); /* one in two million seeds misses this */
    assert_true(fx_tensor_equal(first[0], again[0]));
    assert_false(fx_tensor_equal(first[0], next[0]));
    for (int i = 0; i < 3; i++) {
        fx_tensor_free(first[i]);
        fx_tensor_free(again[i]);
        fx_tensor_free(next[i]);
    }
    fx_exec_free(exec);
    fx_tensor_free(x);
    fx_tensor_free(rng);
}

static void test_rates(void **state) {
    fx_backend *backend = open_named(state);
    check_rate(backend, 0.1);
    check_rate(backend, 0.5);
    check_rate(backend, 0.875);
    fx_backend_close(backend);
}

/* Nothing is drawn for rates 0 and 1; what is dropped may be NaN. */
static void test_ends(void **state) {
    fx_backend *backend = open_named(state);
    static const float data[] = {1, NAN, INFINITY};
    fx_tensor *x = fx_tensor_from(FX_HOST(data, 3), FX_MUST), *rng = fx_random_state_tensor(1, FX_MUST);
    for (int one = 0; one < 2; one++) {
        double end = one;
        fx_tensor *out[3];
        fx_exec *exec = fx_exec_new_fn(backend, program, 2, 3, &end, FX_MUST);
        run(exec, x, rng, out);
        assert_text(out[0], one ? "[3]float32{0, 0, 0}" : "[3]float32{1, NaN, Inf}");
        assert_text(out[1], one ? "[3]float32{0, 0, 0}" : "[3]float32{3, 3, 3}");
        assert_true(fx_tensor_equal(out[2], rng));
        for (int i = 0; i < 3; i++) fx_tensor_free(out[i]);
        fx_exec_free(exec);
    }
    fx_tensor_free(x);
    fx_tensor_free(rng);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(test_rates), BOTH(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
