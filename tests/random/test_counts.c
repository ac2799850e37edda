/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson and binomial values against their probabilities, on both sides of the change of methods and for
 * very large parameters; parameters that are extreme, invalid, or arrays; refusals. */
#include "draws.h"
#include "random/random_internal.h"
#include <math.h>

/* The draw at hand; tests run one after the other. */
static struct {
    fx_shape shape;
    double mean, n, p;
} now;

static fx_node *poisson(fx_node *state, fx_node **new_state) {
    return fx_random_poisson(state, fx_scalar(fx_node_graph(state), FX_F64, now.mean), &now.shape, new_state);
}
static fx_node *binomial(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    return fx_random_binomial(state, fx_scalar(g, FX_F64, now.n), fx_scalar(g, FX_F64, now.p), &now.shape,
                              new_state);
}

/* ---- frequencies ---- */

enum { CELLS = 2048 };

/* Frequencies of the counts from `first` on; all others must be improbable. */
static void assert_counts(make_fn *make, double first, const double *p, uint64_t seed) {
    static int64_t seen[CELLS + 1];
    static double all[CELLS + 1];
    drawn d = draw_seed(fast_backend, make, seed);
    int64_t n = fx_tensor_size(d.values);
    memset(seen, 0, sizeof seen);
    all[CELLS] = 1;
    for (int i = 0; i < CELLS; i++) all[i] = p[i], all[CELLS] -= p[i];
    all[CELLS] = fmax(all[CELLS], 0);
    for (int64_t i = 0; i < n; i++) {
        double at = fx_tensor_get(d.values, i) - first;
        assert_true(at == floor(at) && first + at >= 0);
        seen[at >= 0 && at < CELLS ? (int)at : CELLS]++;
    }
    assert_cells(seen, all, CELLS + 1, n);
    drawn_free(&d);
}

static void test_poisson(void **state) {
    static const double means[] = {0.01, 0.7, 3, 9.99, 10, 11.5, 40, 1000};
    static double p[CELLS];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(means); i++) {
        now.mean = means[i];
        now.shape = FX_SHAPE(i % 2 ? FX_F32 : FX_S32, 1 << 14);
        double first = fmax(0, floor(now.mean - CELLS / 2));
        for (int k = 0; k < CELLS; k++) {
            long double at = (long double)first + k;
            p[k] = (double)expl(at * logl((long double)now.mean) - (long double)now.mean - lgammal(at + 1));
        }
        assert_counts(poisson, first, p, i + 1);
    }
}

static void test_binomial(void **state) {
    static const double cases[][2] = {{1, 0.5},    {20, 0.3},     {20, 0.7},          {21, 0.5},
                                      {30, 0.34},  {100, 0.0999}, {100, 0.1},         {100, 0.95},
                                      {400, 0.01}, {1459, 0.4},   {1000000, 0.00005}, {4000, 0.999}};
    static double p[CELLS];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        now.n = cases[i][0], now.p = cases[i][1];
        now.shape = FX_SHAPE(i % 2 ? FX_F32 : FX_S32, 1 << 14);
        double first = fmax(0, floor(now.n * now.p - CELLS / 2));
        for (int k = 0; k < CELLS; k++) {
            long double at = (long double)first + k, n = (long double)now.n, q = (long double)now.p;
            p[k] = at > n ? 0
                          : (double)expl(lgammal(n + 1) - lgammal(at + 1) - lgammal(n - at + 1) +
                                         at * logl(q) + (n - at) * log1pl(-q));
        }
        assert_counts(binomial, first, p, i + 1);
    }
}

/* ---- probabilities ---- */

enum { PROBABILITIES = 400 };

static double count_of(int i) {
    return i < 200 ? i : floor(200 * pow(1.08, i - 200)); /* up to 10^9 */
}
static double mean_of_count(int i) {
    double k = count_of(i);
    return i % 3 == 0 ? k + 1 : fmax(0.3, k + (i % 3 - 1.5) * 4 * sqrt(k));
}

static fx_node *log_probabilities(fx_node *state, fx_node **new_state) {
    static double k[PROBABILITIES], mean[PROBABILITIES];
    fx_graph *g = fx_node_graph(state);
    for (int i = 0; i < PROBABILITIES; i++) k[i] = count_of(i), mean[i] = mean_of_count(i);
    *new_state = state;
    return fxi_random_log_poisson(fx_constant_host(g, FX_HOST(k, PROBABILITIES)),
                                  fx_constant_host(g, FX_HOST(mean, PROBABILITIES)));
}

static void test_log_probability(void **state) {
    drawn d = draw_seed(*state, log_probabilities, 1);
    for (int i = 0; i < PROBABILITIES; i++) {
        long double k = (long double)count_of(i), mean = (long double)mean_of_count(i);
        long double terms = k * logl(mean), right = terms - mean - lgammal(k + 1);
        double bound = 4e-14 + fabs((double)(k - mean)) * 0x1p-50 + (double)terms * 1e-18;
        if (fabs(fx_tensor_get(d.values, i) - (double)right) > bound)
            fail_msg("k = %g: %.17g instead of %.17g", (double)k, fx_tensor_get(d.values, i), (double)right);
    }
    drawn_free(&d);
}

/* ---- large parameters: normal but for 1 / sqrt(mean) ---- */

static double cdf_standardized(double x) {
    double spread = now.mean > 0 ? sqrt(now.mean) : sqrt(now.n * now.p * (1 - now.p));
    double mean = now.mean > 0 ? now.mean : now.n * now.p;
    return erfc(-(x + 0.5 - mean) / spread / sqrt(2)) / 2;
}

static void test_large(void **state) {
    static const double means[] = {1e7, 1e12, 1e15},
                        cases[][2] = {{1e9, 0.3}, {1e13, 1e-4}, {4e15, 0.5}, {4e15, 0.75}};
    (void)state;
    now.shape = FX_SHAPE(FX_F64, 1 << 13);
    for (size_t i = 0; i < COUNT_OF(means); i++) {
        now.mean = means[i];
        drawn d = draw_seed(fast_backend, poisson, i);
        assert_distribution(d.values, cdf_standardized);
        drawn_free(&d);
    }
    now.mean = 0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        now.n = cases[i][0], now.p = cases[i][1];
        drawn d = draw_seed(fast_backend, binomial, i);
        assert_distribution(d.values, cdf_standardized);
        drawn_free(&d);
    }
}

/* A search that once did not end elsewhere. */
static void test_tiny_probability(void **state) {
    (void)state;
    now.n = 16000000, now.p = 3.1444753148558566e-10;
    now.shape = FX_SHAPE(FX_F32, 1 << 16);
    drawn d = draw_seed(fast_backend, binomial, 1);
    assert_true(fabs(mean_of(d.values) - 0.00503116) < 4 * sqrt(0.00503116 / (1 << 16)));
    drawn_free(&d);
}

/* ---- extreme words ---- */

/* The smallest and the largest u of a search: 0, and a count whose probability is about 2^-53. */
static void test_words(void **state) {
    static const uint32_t all_zero[4], all_ones[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    uint64_t words[3];
    now.shape = FX_SHAPE(FX_S32);
    now.mean = 9.5, now.n = 15, now.p = 0.5;
    for (int ones = 0; ones < 2; ones++) {
        state_of_block(ones ? all_ones : all_zero, words);
        drawn a = draw_on(*state, poisson, words), b = draw_on(*state, binomial, words);
        int64_t k = fx_tensor_get_int(a.values, 0);
        assert_true(ones ? k > 40 && k < 60 : k == 0);
        assert_int_equal(fx_tensor_get_int(b.values, 0), ones ? 15 : 0);
        drawn_free(&a), drawn_free(&b);
    }
}

/* ---- parameters ---- */

static fx_node *poisson_edges(fx_node *state, fx_node **new_state) {
    const double mean[] = {0, NAN, -1, INFINITY, 1e-300};
    return fx_random_poisson(state, fx_constant_host(fx_node_graph(state), FX_HOST(mean, 5)),
                             &FX_SHAPE(FX_F64, 5), new_state);
}
static fx_node *binomial_edges(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    const double n[2][1] = {{7.9}, {100}};
    const float p[1][6] = {{0, 1, NAN, -0.1F, 1.1F, 1e-38F}};
    return fx_random_binomial(state, fx_constant_host(g, FX_HOST(&n[0][0], 2, 1)),
                              fx_constant_host(g, FX_HOST(&p[0][0], 1, 6)), &FX_SHAPE(FX_F32, 2, 6),
                              new_state);
}
static fx_node *trials_edges(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    const double n[] = {0, -1, NAN, INFINITY};
    return fx_random_binomial(state, fx_constant_host(g, FX_HOST(n, 4)), fx_scalar(g, FX_F32, 0.5),
                              &FX_SHAPE(FX_F32, 4), new_state);
}

static void test_parameters(void **state) {
    drawn d = draw_seed(*state, poisson_edges, 1);
    assert_text(d.values, "[5]float64{0, NaN, NaN, NaN, 0}");
    assert_text(d.state, "[3]uint64{1, 6, 0}");
    drawn_free(&d);
    d = draw_seed(*state, binomial_edges, 1);
    assert_text(d.values, "[2][6]float32{{0, 7, NaN, NaN, NaN, 0}, {0, 100, NaN, NaN, NaN, 0}}");
    drawn_free(&d);
    d = draw_seed(*state, trials_edges, 1);
    assert_text(d.values, "[4]float32{0, NaN, NaN, NaN}");
    drawn_free(&d);
}

/* Means of both methods side by side: each element is what it is alone. */
static fx_node *mixed(fx_node *state, fx_node **new_state) {
    const double mean[2][1] = {{2}, {200}};
    return fx_random_poisson(state, fx_constant_host(fx_node_graph(state), FX_HOST(&mean[0][0], 2, 1)),
                             &FX_SHAPE(FX_S32, 2, 128), new_state);
}
static fx_node *mixed_binomial(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    const int32_t n[2][1] = {{8}, {800}};
    return fx_random_binomial(state, fx_constant_host(g, FX_HOST(&n[0][0], 2, 1)), fx_scalar(g, FX_F16, 0.75),
                              &FX_SHAPE(FX_S32, 2, 128), new_state);
}

static void test_mixed(void **state) {
    (void)state;
    same_on_both("Poisson", mixed);
    same_on_both("binomial", mixed_binomial);
    drawn d = draw_seed(fast_backend, mixed, 1);
    double sums[2] = {0, 0};
    for (int i = 0; i < 256; i++) sums[i / 128] += fx_tensor_get(d.values, i) / 128;
    assert_true(fabs(sums[0] - 2) < 4 * sqrt(2.0 / 128) && fabs(sums[1] - 200) < 4 * sqrt(200.0 / 128));
    drawn_free(&d);
}

static void test_refusals(void **state) {
    (void)state;
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_random_poisson(fx_random_state(g, 1), fx_scalar(g, FX_C64, 1), &FX_SHAPE(FX_F32, 2), NULL);
    assert_refused(g, "fx_random_poisson: the mean is complex64 instead of a number");
    g = fx_graph_new(FX_MUST);
    fx_random_poisson(fx_random_state(g, 1), fx_scalar(g, FX_F32, 1), &FX_SHAPE(FX_BOOL, 2), NULL);
    assert_refused(
        g, "fx_random_poisson: bool is not accepted; integers, float16, bfloat16, float32 and float64 are");
    g = fx_graph_new(FX_MUST);
    fx_random_binomial(fx_random_state(g, 1), fx_zeros(g, &FX_SHAPE(FX_F32, 3)), fx_scalar(g, FX_F32, 0.5),
                       &FX_SHAPE(FX_F32, 2), NULL);
    assert_refused(g,
                   "fx_random_binomial: the number of trials, (float32)[3], does not broadcast to the shape "
                   "(float32)[2]");
    g = fx_graph_new(FX_MUST);
    fx_random_binomial(fx_random_state(g, 1), fx_scalar(g, FX_F32, 3), fx_scalar(g, FX_BOOL, 1),
                       &FX_SHAPE(FX_F32, 2), NULL);
    assert_refused(g, "fx_random_binomial: the probability is bool instead of a number");
    assert_null(fx_random_poisson(NULL, NULL, NULL, NULL));
    assert_null(fx_random_binomial(NULL, NULL, NULL, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poisson),
        cmocka_unit_test(test_binomial),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_tiny_probability),
        BOTH(test_words),
        BOTH(test_log_probability),
        BOTH(test_parameters),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
