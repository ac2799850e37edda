/* SPDX-License-Identifier: Apache-2.0 */
/* Normal values between limits: distribution from the middle to the far tails, limits that are kept for
 * the extreme words and after rounding to narrow dtypes, both forms alike, refusals. */
#include "draws.h"
#include <math.h>
#include <stdlib.h>

static const uint32_t all_zero[4], all_ones[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

/* The draw at hand; tests run one after the other. */
static struct {
    fx_shape shape;
    double lo, hi;
} now;

static fx_node *numbers(fx_node *state, fx_node **new_state) {
    return fx_random_truncated_normal(state, now.lo, now.hi, &now.shape, new_state);
}
static fx_node *nodes(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    return fx_random_truncated_normal_between(state, fx_scalar(g, now.shape.dtype, now.lo),
                                              fx_scalar(g, now.shape.dtype, now.hi), &now.shape, new_state);
}

static void set(fx_shape shape, double lo, double hi) {
    now.shape = shape;
    now.lo = lo, now.hi = hi;
}

/* ---- distribution ---- */

static double below(double x) {
    return erfc(-x / sqrt(2)) / 2;
}
/* From the end that is nearer to the middle, where the differences are exact. */
static double cdf(double x) {
    if (now.lo > 0) return (below(-now.lo) - below(-x)) / (below(-now.lo) - below(-now.hi));
    return (below(x) - below(now.lo)) / (below(now.hi) - below(now.lo));
}

static void assert_within(const fx_tensor *t) {
    fx_tensor *lo = fx_tensor_scalar(now.shape.dtype, now.lo, FX_MUST);
    fx_tensor *hi = fx_tensor_scalar(now.shape.dtype, now.hi, FX_MUST);
    for (int64_t i = 0; i < fx_tensor_size(t); i++) {
        double x = fx_tensor_get(t, i);
        assert_true(x >= fx_tensor_get(lo, 0) && x <= fx_tensor_get(hi, 0) && isfinite(x));
    }
    fx_tensor_free(lo), fx_tensor_free(hi);
}

static const double limits[][2] = {{-2, 2},    {-1, 3},        {-100, 100},     {0, 0.0625},
                                   {1.9, 2.5}, {2.1, 2.2},     {-9, -3},        {-8, -1},
                                   {5, 1e6},   {12, INFINITY}, {-INFINITY, 0.5}};

static void test_distribution(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        for (int wide = 0; wide < 2; wide++) {
            set(FX_SHAPE(wide ? FX_F64 : FX_F32, 1 << 12), limits[i][0], limits[i][1]);
            drawn d = draw_seed(fast_backend, (i + (size_t)wide) % 2 ? numbers : nodes, i + 1);
            assert_within(d.values);
            assert_distribution(d.values, cdf);
            drawn_free(&d);
        }
    }
}

/* Means and medians by 40-digit arithmetic. */
static int by_value(const void *a, const void *b) {
    double x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}
static void test_tail(void **state) {
    static const double rows[][3] = {{5, 5.1865, 5.132}, {5.25, 5.4287, 5.376}, {5.5, 5.6714, 5.621}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        enum { N = 1 << 15 };
        set(FX_SHAPE(FX_F32, N), rows[i][0], 1e6);
        drawn d = draw_seed(fast_backend, numbers, 1);
        assert_true(fabs(mean_of(d.values) - rows[i][1]) < 4 * 0.18 / sqrt(N) + 5e-5);
        qsort(fx_tensor_mutable_data(d.values), N, sizeof(float), by_value);
        assert_true(fabs(fx_tensor_get(d.values, N / 2) - rows[i][2]) < 4 * 0.19 / sqrt(N) + 5e-4);
        drawn_free(&d);
    }
}

/* Far beyond the underflow of erfc, where (x - a) a is exponential. */
static double cdf_far(double x) {
    return -expm1((now.lo - x) * (x + now.lo) / 2);
}
static void test_beyond(void **state) {
    (void)state;
    static const double from[] = {1e3, 1e6};
    for (size_t i = 0; i < COUNT_OF(from); i++) {
        set(FX_SHAPE(FX_F64, 1 << 13), from[i], INFINITY);
        drawn d = draw_seed(fast_backend, numbers, 1);
        assert_distribution(d.values, cdf_far);
        drawn_free(&d);
    }
}

/* ---- ends ---- */

static double extreme(const char *backend, make_fn *make, const uint32_t *words) {
    uint64_t state[3];
    state_of_block(words, state);
    drawn d = draw_on(backend, make, state);
    assert_within(d.values);
    double value = fx_tensor_get(d.values, 0);
    drawn_free(&d);
    return value;
}

static void test_ends(void **state) {
    static const fx_dtype floats[] = {FX_F64, FX_F32, FX_F16, FX_BF16};
    for (size_t k = 0; k < COUNT_OF(floats); k++) {
        for (size_t i = 0; i < COUNT_OF(limits); i++) {
            if (floats[k] == FX_F16 && limits[i][1] == 1e6) continue;
            set(FX_SHAPE(floats[k]), limits[i][0], limits[i][1]);
            make_fn *const make = i % 2 ? numbers : nodes;
            double first = extreme(*state, make, all_zero), last = extreme(*state, make, all_ones);
            assert_true(first != last);
        }
        set(FX_SHAPE(floats[k]), -100, 100);
        assert_true(extreme(*state, numbers, all_zero) < -6 && extreme(*state, numbers, all_ones) > 6);
    }
}

/* The value is the inverse of the distribution function at the word's u, to the last digits. */
static void test_inverse(void **state) {
    static const uint32_t highs[] = {0x100, 0x12345678, 0x80000000, 0xc0ffee00, 0xfffffeff};
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        for (size_t k = 0; k < COUNT_OF(highs); k++) {
            make_fn *const make = k % 2 ? numbers : nodes;
            double u = ((double)highs[k] + 0.5 * 0x1p-20) * 0x1p-32;
            bool mirrored = limits[i][0] + limits[i][1] < 0;
            set(FX_SHAPE(FX_F64), limits[i][0], limits[i][1]);
            double x = extreme(*state, make, (const uint32_t[]){0, highs[k], 0, 0});
            if (mirrored) set(FX_SHAPE(FX_F64), -limits[i][1], -limits[i][0]), x = -x;
            /* an error of x counts with the density there, one of its erf as it is */
            double total = below(-now.lo) - below(-now.hi), above = (below(-x) - below(-now.hi)) / total;
            double density = exp(-x * x / 2) / sqrt(2 * 3.14159265358979323846), e = now.lo < 2 ? 0x1p-50 : 0;
            double bound = 1e-12 * (1 - u) + (fabs(x) * density * 0x1p-50 + e) / total + 0x1p-52;
            if (fabs(above - (1 - u)) > bound)
                fail_msg("[%g, %g] at %.17g: %g instead of %g", now.lo, now.hi, x, above, 1 - u);
        }
    }
}

/* bfloat16 with deviation 0.02 in [-2, 2]: nothing gathers at a limit. */
static fx_node *narrow(fx_node *state, fx_node **new_state) {
    return fx_mul_scalar(fx_random_truncated_normal(state, -100, 100, &FX_SHAPE(FX_BF16, 1 << 15), new_state),
                         0.02);
}
static void test_narrow(void **state) {
    (void)state;
    drawn d = draw_seed(fast_backend, narrow, 1);
    for (int64_t i = 0; i < fx_tensor_size(d.values); i++)
        assert_true(fabs(fx_tensor_get(d.values, i)) < 0.12);
    assert_true(fabs(sqrt(variance_of(d.values)) - 0.02) < 4e-4);
    drawn_free(&d);
}

/* lo = hi, and limits that contain nothing. */
static fx_node *degenerate(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    const float lo[] = {1, 2, 7, NAN}, hi[] = {1, 1, 7, 1};
    return fx_random_truncated_normal_between(state, fx_constant_host(g, FX_HOST(lo, 4)),
                                              fx_constant_host(g, FX_HOST(hi, 4)), &FX_SHAPE(FX_F32, 4),
                                              new_state);
}
static void test_degenerate(void **state) {
    drawn d = draw_seed(*state, degenerate, 1);
    assert_text(d.values, "[4]float32{1, NaN, 7, NaN}");
    drawn_free(&d);
}

static void test_near(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        set(FX_SHAPE(FX_F64, 61), limits[i][0], limits[i][1]);
        near_on_both("numbers", numbers, 1e-11);
        near_on_both("nodes", nodes, 1e-11);
    }
}

static fx_graph *with(double lo, double hi, fx_dtype dtype) {
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_random_truncated_normal(fx_random_state(graph, 1), lo, hi, &FX_SHAPE(dtype, 2), NULL);
    return graph;
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused(with(2, 2, FX_F32), "fx_random_truncated_normal: the range [2, 2] is empty in float32");
    assert_refused(with(NAN, 2, FX_F32),
                   "fx_random_truncated_normal: the range [nan, 2] is empty in float32");
    assert_refused(with(0, 1, FX_C64),
                   "fx_random_truncated_normal: complex64 is not accepted; float16, bfloat16, "
                   "float32 and float64 are");
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_random_truncated_normal_between(fx_random_state(g, 1), fx_scalar(g, FX_F32, 0),
                                       fx_scalar(g, FX_F64, 1), &FX_SHAPE(FX_F32, 2), NULL);
    assert_refused(g, "fx_random_truncated_normal_between: the upper limit is float64 instead of float32");
    assert_null(fx_random_truncated_normal(NULL, 0, 1, NULL, NULL));
    assert_null(fx_random_truncated_normal_between(NULL, NULL, NULL, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distribution),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_beyond),
        BOTH(test_ends),
        BOTH(test_inverse),
        cmocka_unit_test(test_narrow),
        BOTH(test_degenerate),
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
