/* SPDX-License-Identifier: Apache-2.0 */
/* Gamma, beta and Dirichlet values against their distribution functions, from alphas so small that most
 * values are below every float to very large ones; parameters that are extreme, invalid, or arrays;
 * gradients; refusals. */
#include "draws.h"
#include <math.h>

/* The draw at hand; tests run one after the other. */
static struct {
    fx_shape shape;
    double alpha, b;
} now;

static fx_node *number(fx_node *state, double value) {
    return fx_scalar(fx_node_graph(state), FX_F64, value);
}
static fx_node *gamma_values(fx_node *state, fx_node **new_state) {
    return fx_random_gamma(state, number(state, now.alpha), &now.shape, new_state);
}
static fx_node *beta(fx_node *state, fx_node **new_state) {
    return fx_random_beta(state, number(state, now.alpha), number(state, now.b), &now.shape, new_state);
}
static fx_node *dirichlet(fx_node *state, fx_node **new_state) {
    return fx_random_dirichlet(state, number(state, now.alpha), &now.shape, new_state);
}

/* ---- distributions ---- */

/* Regularized lower incomplete gamma function: series, or Lentz's continued fraction (DLMF 8.7.1, 8.9.2). */
static double cdf_gamma(double x) {
    double a = now.alpha, front = exp(a * log(x) - x - lgamma(a));
    if (!(x > 0)) return 0;
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < 10000 && term > sum * 1e-16; n++) sum += term *= x / (a + n);
        return front * sum;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int i = 1; i < 10000; i++) {
        double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b), c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-15) break;
    }
    return 1 - front * h;
}

static void test_gamma(void **state) {
    static const double alphas[] = {0.03, 0.5, 0.999, 1, 2.5, 40, 1000};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(alphas); i++) {
        now.alpha = alphas[i];
        now.shape = FX_SHAPE(i % 2 ? FX_F32 : FX_F64, 1 << 13);
        drawn d = draw_seed(fast_backend, gamma_values, i + 1);
        assert_distribution(d.values, cdf_gamma);
        drawn_free(&d);
    }
}

/* Wilson and Hilferty's cube root is normal to 1 / alpha. */
static double cdf_large(double x) {
    double z = (cbrt(x / now.alpha) - (1 - 1 / (9 * now.alpha))) * 3 * sqrt(now.alpha);
    return erfc(-z / sqrt(2)) / 2;
}
static void test_large(void **state) {
    static const double alphas[] = {1e6, 1e12};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(alphas); i++) {
        now.alpha = alphas[i];
        now.shape = FX_SHAPE(FX_F64, 1 << 13);
        drawn d = draw_seed(fast_backend, gamma_values, 1);
        assert_distribution(d.values, cdf_large);
        drawn_free(&d);
    }
}

static double cdf_arcsine(double x) {
    return 2 / 3.14159265358979323846 * asin(sqrt(x));
}
static double cdf_beta_2_3(double x) {
    return x * x * (6 + x * (3 * x - 8));
}
static double cdf_beta_1_b(double x) {
    return -expm1(now.b * log1p(-x));
}

static void test_beta(void **state) {
    static const struct {
        double a, b;
        double (*cdf)(double x);
    } rows[] = {
        {0.5, 0.5, cdf_arcsine}, {2, 3, cdf_beta_2_3}, {1, 0.25, cdf_beta_1_b}, {1, 200, cdf_beta_1_b}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        now.alpha = rows[i].a, now.b = rows[i].b;
        now.shape = FX_SHAPE(FX_F64, 1 << 13);
        drawn d = draw_seed(fast_backend, beta, i + 1);
        assert_distribution(d.values, rows[i].cdf);
        drawn_free(&d);
    }
    now.alpha = now.b = 1e-4;
    now.shape = FX_SHAPE(FX_F32, 1 << 12);
    drawn d = draw_seed(fast_backend, beta, 1);
    assert_moments(d.values, 0.5, 0.25, 1.001);
    drawn_free(&d);
}

/* Shares sum to 1; the first of three with alpha 1 is beta(1, 2). */
static void test_dirichlet(void **state) {
    enum { N = 1 << 12 };
    (void)state;
    now.alpha = 1;
    now.shape = FX_SHAPE(FX_F64, N, 3);
    drawn d = draw_seed(fast_backend, dirichlet, 1);
    fx_tensor *first = fx_tensor_new(&FX_SHAPE(FX_F64, N), FX_MUST);
    const double *v = fx_tensor_data(d.values);
    for (int i = 0; i < N; i++) {
        ((double *)fx_tensor_mutable_data(first))[i] = v[3 * i];
        assert_true(fabs(v[3 * i] + v[3 * i + 1] + v[3 * i + 2] - 1) < 1e-15);
    }
    now.b = 2;
    assert_distribution(first, cdf_beta_1_b);
    fx_tensor_free(first);
    drawn_free(&d);
}

/* Tiny alphas: a corner each time, every corner as often, nothing in the middle and no NaN. */
static void test_corners(void **state) {
    enum { N = 1 << 13 };
    (void)state;
    static const double alphas[] = {0.01, 1e-6};
    for (size_t k = 0; k < COUNT_OF(alphas); k++) {
        int64_t corner[3] = {0}, middle = 0;
        now.alpha = alphas[k];
        now.shape = FX_SHAPE(FX_F32, N, 3);
        drawn d = draw_seed(fast_backend, dirichlet, 1);
        const float *v = fx_tensor_data(d.values);
        for (int i = 0; i < N; i++) {
            float largest = fmaxf(v[3 * i], fmaxf(v[3 * i + 1], v[3 * i + 2]));
            assert_true(largest > 1.0F / 3.01F && largest <= 1);
            for (int j = 0; j < 3; j++) corner[j] += v[3 * i + j] == largest;
            middle += largest < 0.34F;
        }
        assert_int_equal(middle, 0);
        for (int j = 0; j < 3; j++) assert_true(fabs((double)corner[j] - N / 3.0) < 4 * sqrt(N * 2.0 / 9));
        drawn_free(&d);
    }
}

/* ---- parameters ---- */

static fx_node *edges(fx_node *state, fx_node **new_state) {
    const double alpha[] = {0, NAN, -1, INFINITY};
    return fx_random_gamma(state, fx_constant_host(fx_node_graph(state), FX_HOST(alpha, 4)),
                           &FX_SHAPE(FX_F32, 4), new_state);
}
/* An alpha per column, of integers. */
static fx_node *columns(fx_node *state, fx_node **new_state) {
    const int32_t alpha[1][2] = {{1, 100}};
    return fx_random_gamma(state, fx_constant_host(fx_node_graph(state), FX_HOST(&alpha[0][0], 1, 2)),
                           &FX_SHAPE(FX_F64, 64, 2), new_state);
}

static void test_parameters(void **state) {
    drawn d = draw_seed(*state, edges, 1);
    assert_text(d.values, "[4]float32{0, NaN, NaN, Inf}");
    assert_text(d.state, "[3]uint64{1, 6, 0}");
    drawn_free(&d);
    d = draw_seed(*state, columns, 1);
    double sums[2] = {0, 0};
    for (int i = 0; i < 128; i++) sums[i % 2] += fx_tensor_get(d.values, i) / 64;
    assert_true(fabs(sums[0] - 1) < 0.5 && fabs(sums[1] - 100) < 5);
    drawn_free(&d);
    now.alpha = 2;
    now.shape = FX_SHAPE(FX_F32, 0);
    d = draw_seed(*state, gamma_values, 1);
    assert_text(d.state, "[3]uint64{1, 0, 0}");
    drawn_free(&d);
}

static void test_near(void **state) {
    (void)state;
    near_on_both("columns", columns, 1e-13);
    now.alpha = 0.3, now.b = 4;
    now.shape = FX_SHAPE(FX_F32, 5, 50);
    near_on_both("gamma", gamma_values, 1e-6);
    near_on_both("beta", beta, 1e-6);
    near_on_both("Dirichlet", dirichlet, 1e-6);
}

/* Each example draws as it does alone. */
static void one(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_random_gamma(in[0], in[1], &FX_SHAPE(FX_F64, 7), NULL);
}
static fx_node *batch(fx_node *state, fx_node **new_state) {
    const double alpha[] = {0.5, 3, 20};
    fx_node *alphas = fx_constant_host(fx_node_graph(state), FX_HOST(alpha, 3));
    fx_node *states = fx_random_split(state, 3, new_state), *rows[3];
    fx_node *made = fx_vmap(FX_NODES(states, alphas), NULL, one, NULL, 1, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        fx_node *key = fx_reshape(fx_slice_axis(states, 0, i, i + 1, 1), FX_DIMS(3));
        rows[i] = fx_random_gamma(key, number(state, alpha[i]), &FX_SHAPE(FX_F64, 7), NULL);
    }
    return fx_sub(made, fx_stack((fx_nodes){rows, 3}, 0));
}

static void test_vmap(void **state) {
    drawn d = draw_seed(*state, batch, 1);
    for (int i = 0; i < 21; i++) assert_true(fabs(fx_tensor_get(d.values, i)) < 1e-12);
    drawn_free(&d);
}

/* Draws have no derivative with respect to alpha and do not stand in the way of others. */
static fx_node *derivative(fx_node *state, fx_node **new_state) {
    fx_node *x = number(state, 3), *alpha = number(state, 2), *gradients[2];
    fx_node *values = fx_random_gamma(state, alpha, &FX_SHAPE(FX_F64, 4), new_state);
    fx_gradient(fx_reduce_all_sum(fx_mul(values, x)), FX_NODES(x, alpha), gradients);
    return fx_stack(FX_NODES(fx_sub(gradients[0], fx_reduce_all_sum(values)), gradients[1]), 0);
}
static void test_gradient(void **state) {
    drawn d = draw_seed(*state, derivative, 1);
    assert_text(d.values, "[2]float64{0, 0}");
    drawn_free(&d);
}

static void test_refusals(void **state) {
    (void)state;
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_random_gamma(fx_random_state(g, 1), fx_scalar(g, FX_F32, 1), &FX_SHAPE(FX_S32, 2), NULL);
    assert_refused(g, "fx_random_gamma: int32 is not accepted; float16, bfloat16, float32 and float64 are");
    g = fx_graph_new(FX_MUST);
    fx_random_gamma(fx_random_state(g, 1), fx_zeros(g, &FX_SHAPE(FX_F32, 3)), &FX_SHAPE(FX_F32, 2), NULL);
    assert_refused(g, "fx_random_gamma: alpha, (float32)[3], does not broadcast to the shape (float32)[2]");
    g = fx_graph_new(FX_MUST);
    fx_random_beta(fx_random_state(g, 1), fx_scalar(g, FX_F32, 1), fx_scalar(g, FX_BOOL, 1),
                   &FX_SHAPE(FX_F32, 2), NULL);
    assert_refused(g, "fx_random_beta: b is bool instead of a number");
    g = fx_graph_new(FX_MUST);
    fx_random_dirichlet(fx_random_state(g, 1), fx_scalar(g, FX_F32, 1), &FX_SHAPE(FX_F32), NULL);
    assert_refused(g, "fx_random_dirichlet: a scalar has no axis of shares; the last axis is it");
    assert_null(fx_random_gamma(NULL, NULL, NULL, NULL));
    assert_null(fx_random_beta(NULL, NULL, NULL, NULL, NULL));
    assert_null(fx_random_dirichlet(NULL, NULL, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gamma),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_beta),
        cmocka_unit_test(test_dirichlet),
        cmocka_unit_test(test_corners),
        BOTH(test_parameters),
        cmocka_unit_test(test_near),
        BOTH(test_vmap),
        BOTH(test_gradient),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
