/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential and Gumbel values and decisions: distributions, the ends of their ranges at every dtype,
 * decisions of tiny and of extreme probabilities, refusals. */
#include "draws.h"
#include <math.h>

static const uint32_t all_zero[4], all_ones[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
static const fx_dtype floats[] = {FX_F64, FX_F32, FX_F16, FX_BF16};

/* The draw at hand; tests run one after the other. */
static struct {
    fx_shape shape;
    fx_dtype p_dtype;
    double p;
} now;

static fx_node *exponential(fx_node *state, fx_node **new_state) {
    return fx_random_exponential(state, &now.shape, new_state);
}
static fx_node *gumbel(fx_node *state, fx_node **new_state) {
    return fx_random_gumbel(state, &now.shape, new_state);
}
static fx_node *bernoulli(fx_node *state, fx_node **new_state) {
    return fx_random_bernoulli(state, fx_scalar(fx_node_graph(state), now.p_dtype, now.p), &now.shape,
                               new_state);
}

static double extreme(const char *backend, make_fn *make, const uint32_t *words) {
    uint64_t state[3];
    state_of_block(words, state);
    drawn d = draw_on(backend, make, state);
    double value = fx_tensor_get(d.values, 0);
    drawn_free(&d);
    return value;
}

/* ---- exponential, Gumbel ---- */

static double cdf_exponential(double x) {
    return -expm1(-x);
}
static double cdf_gumbel(double x) {
    return exp(-exp(-x));
}

static void test_distributions(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        now.shape = FX_SHAPE(floats[i], 1 << 15);
        drawn d = draw_seed(fast_backend, exponential, 1);
        assert_distribution(d.values, cdf_exponential);
        assert_moments(d.values, 1, 1, 9);
        drawn_free(&d);
        d = draw_seed(fast_backend, gumbel, 2);
        assert_distribution(d.values, cdf_gumbel);
        assert_moments(d.values, 0.57721566490153286, 1.6449340668482264, 5.4);
        drawn_free(&d);
    }
}

static void test_ends(void **state) {
    for (size_t i = 0; i < COUNT_OF(floats); i++) {
        bool wide = floats[i] == FX_F64;
        double smallest = wide ? 0x1p-53 : 0x1p-33, largest = -log(smallest),
               error = floats[i] == FX_BF16 ? 0.01 : 1e-3;
        now.shape = FX_SHAPE(floats[i]);
        assert_true(fabs(extreme(*state, exponential, all_zero) / largest - 1) < error);
        double low = extreme(*state, exponential, all_ones);
        assert_true(floats[i] == FX_F16 ? low == 0
                                        : fabs(low / smallest - 1) < error); /* below float16's range */
        assert_true(fabs(extreme(*state, gumbel, all_zero) / -log(largest) - 1) < error);
        assert_true(fabs(extreme(*state, gumbel, all_ones) / largest - 1) < error);
    }
}

static void test_near(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(floats); i++) {
        now.shape = FX_SHAPE(floats[i], 5, 67);
        near_on_both("exponential", exponential,
                     floats[i] == FX_F64   ? 1e-15
                     : floats[i] == FX_F32 ? 1e-6
                                           : 0.01);
        near_on_both("gumbel", gumbel, floats[i] == FX_F64 ? 1e-14 : floats[i] == FX_F32 ? 1e-6 : 0.01);
    }
}

/* ---- decisions ---- */

/* Decided by the word: below p 2^64 or not. */
static bool decides(const char *backend, double p, uint64_t word) {
    const uint32_t words[4] = {(uint32_t)(word & UINT32_MAX), (uint32_t)(word >> 32), 0, 0};
    now.p = p;
    return extreme(backend, bernoulli, words) != 0;
}

static void test_thresholds(void **state) {
    static const double p[] = {1e-9, 1e-7, 1e-15, 0.3, 0.5, 0.999999};
    now.shape = FX_SHAPE(FX_BOOL);
    now.p_dtype = FX_F64;
    for (size_t i = 0; i < COUNT_OF(p); i++) {
        uint64_t limit = (uint64_t)(p[i] * 0x1p64);
        assert_true(decides(*state, p[i], limit - 1));
        assert_false(decides(*state, p[i], limit));
        assert_true(decides(*state, p[i], 0));
        assert_false(decides(*state, p[i], UINT64_MAX));
    }
    static const double never[] = {0, -1, -INFINITY, NAN}, always[] = {1, 1.5, INFINITY};
    for (size_t i = 0; i < COUNT_OF(never); i++) assert_false(decides(*state, never[i], 0));
    for (size_t i = 0; i < COUNT_OF(always); i++) assert_true(decides(*state, always[i], UINT64_MAX));
}

static void test_frequency(void **state) {
    static const fx_dtype dtypes[] = {FX_BOOL, FX_S8, FX_F16, FX_F32, FX_F64};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        now.shape = FX_SHAPE(dtypes[i], 1 << 15);
        now.p_dtype = i % 2 ? FX_F32 : FX_F16;
        now.p = i % 2 ? 0.1 : 0.5;
        drawn d = draw_seed(fast_backend, bernoulli, i);
        double n = 1 << 15;
        assert_true(fabs(mean_of(d.values) - now.p) < 4 * sqrt(now.p * (1 - now.p) / n) + 1e-8);
        drawn_free(&d);
        same_on_both(fx_dtype_name(dtypes[i]), bernoulli);
    }
}

/* A probability per row. */
static fx_node *rows(fx_node *state, fx_node **new_state) {
    const float p[3][1] = {{0}, {1}, {0.5F}};
    return fx_random_bernoulli(state, fx_constant_host(fx_node_graph(state), FX_HOST(&p[0][0], 3, 1)),
                               &FX_SHAPE(FX_S32, 3, 64), new_state);
}
static void test_rows(void **state) {
    drawn d = draw_seed(*state, rows, 3);
    const int32_t *v = fx_tensor_data(d.values);
    int sums[3] = {0};
    for (int i = 0; i < 192; i++) sums[i / 64] += v[i];
    assert_true(sums[0] == 0 && sums[1] == 64 && sums[2] > 10 && sums[2] < 54);
    drawn_free(&d);
}

static void test_refusals(void **state) {
    (void)state;
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_random_exponential(fx_random_state(g, 1), &FX_SHAPE(FX_S32, 2), NULL);
    assert_refused(
        g, "fx_random_exponential: int32 is not accepted; float16, bfloat16, float32 and float64 are");
    g = fx_graph_new(FX_MUST);
    fx_random_gumbel(fx_random_state(g, 1), &FX_SHAPE(FX_C64, 2), NULL);
    assert_refused(g,
                   "fx_random_gumbel: complex64 is not accepted; float16, bfloat16, float32 and float64 are");
    g = fx_graph_new(FX_MUST);
    fx_random_bernoulli(fx_random_state(g, 1), fx_scalar(g, FX_BOOL, 1), &FX_SHAPE(FX_BOOL, 2), NULL);
    assert_refused(g, "fx_random_bernoulli: the probability is bool instead of a number");
    g = fx_graph_new(FX_MUST);
    fx_random_bernoulli(fx_random_state(g, 1), fx_zeros(g, &FX_SHAPE(FX_F32, 3)), &FX_SHAPE(FX_BOOL, 2),
                        NULL);
    assert_refused(
        g, "fx_random_bernoulli: the probability, (float32)[3], does not broadcast to the shape (bool)[2]");
    assert_null(fx_random_exponential(NULL, NULL, NULL));
    assert_null(fx_random_gumbel(NULL, NULL, NULL));
    assert_null(fx_random_bernoulli(NULL, NULL, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distributions), BOTH(test_ends),
        cmocka_unit_test(test_near),          BOTH(test_thresholds),
        cmocka_unit_test(test_frequency),     BOTH(test_rows),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
