/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform values of a range and normal values, at every dtype: distribution, limits that are kept for the
 * extreme words too, ranges of one value, tails; equal bits; correlations within and between streams;
 * refusals. */
#include "draws.h"
#include <math.h>

static const fx_dtype floats[] = {FX_F64, FX_F32, FX_F16, FX_BF16};
static const uint32_t all_zero[4], all_ones[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

/* The draw at hand; tests run one after the other. */
static struct {
    fx_shape shape;
    double lo, hi;
} now;

static fx_node *range(fx_node *state, fx_node **new_state) {
    return fx_random_uniform_range(state, now.lo, now.hi, &now.shape, new_state);
}
static fx_node *between(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    return fx_random_uniform_between(state, fx_scalar(g, now.shape.dtype, now.lo),
                                     fx_scalar(g, now.shape.dtype, now.hi), &now.shape, new_state);
}
static fx_node *unit(fx_node *state, fx_node **new_state) {
    return fx_random_uniform(state, &now.shape, new_state);
}
static fx_node *normal(fx_node *state, fx_node **new_state) {
    return fx_random_normal(state, &now.shape, new_state);
}
static void set(fx_shape shape, double lo, double hi) {
    now.shape = shape;
    now.lo = lo, now.hi = hi;
}

/* ---- ranges ---- */

static double cdf_range(double x) {
    return (x - now.lo) / (now.hi - now.lo);
}

static void test_range_distribution(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (int i = 0; i < 2; i++) {
            set(FX_SHAPE(floats[i], 1 << 16), -3, 4.5);
            drawn d = draw_seed(fast_backend, seed == 2 ? between : range, seed);
            assert_distribution(d.values, cdf_range);
            assert_moments(d.values, 0.75, 7.5 * 7.5 / 12, 1.8);
            drawn_free(&d);
        }
    }
}

/* The value of one element whose words are all zeros or all ones. */
static double extreme(const char *backend, make_fn *make, const uint32_t *words) {
    uint64_t state[3];
    state_of_block(words, state);
    drawn d = draw_on(backend, make, state);
    double value = fx_tensor_get(d.values, 0);
    drawn_free(&d);
    return value;
}

static double next_above(fx_dtype dtype, double x) {
    return x * (1 + (dtype == FX_F64   ? 0x1p-52
                     : dtype == FX_F32 ? 0x1p-23
                     : dtype == FX_F16 ? 0x1p-10
                                       : 0x1p-7));
}

static void test_range_ends(void **state) {
    for (size_t i = 0; i < COUNT_OF(floats); i++) {
        double largest = floats[i] == FX_F16   ? 65504
                         : floats[i] == FX_F64 ? 1.7976931348623157e308
                                               : 0x1.fep127;
        const double ranges[][2] = {{3, 4},
                                    {0, 1},
                                    {-largest, largest},
                                    {1, next_above(floats[i], 1)},
                                    {-1, 0},
                                    {-0x1p-100, 0x1p-90},
                                    {-4, 0.0078125}};
        for (size_t k = 0; k < COUNT_OF(ranges); k++) {
            if (floats[i] == FX_F16 && k == 5) continue; /* too small for it */
            set(FX_SHAPE(floats[i]), ranges[k][0], ranges[k][1]);
            make_fn *const makes[] = {range, between};
            for (int m = 0; m < 2; m++) {
                assert_true(extreme(*state, makes[m], all_zero) == now.lo);
                double last = extreme(*state, makes[m], all_ones);
                assert_true(last < now.hi && last >= now.lo && isfinite(last));
                assert_true(k != 3 || last == 1);
                if (k != 3) assert_true(cdf_range(last / 2 + last / 2) > 0.98 || k == 2);
            }
        }
    }
}

/* 0 and the largest value below 1 that has p bits. */
static void test_unit_ends(void **state) {
    static const double steps[] = {0x1p-53, 0x1p-24, 0x1p-11, 0x1p-8};
    for (size_t i = 0; i < COUNT_OF(floats); i++) {
        now.shape = FX_SHAPE(floats[i]);
        assert_true(extreme(*state, unit, all_zero) == 0);
        assert_true(extreme(*state, unit, all_ones) == 1 - steps[i]);
    }
}

/* [0, 1) as a range is fx_random_uniform, for the dtypes that draw as many bits for both. */
static void test_range_unit(void **state) {
    for (int i = 0; i < 2; i++) {
        set(FX_SHAPE(floats[i], 1001), 0, 1);
        drawn a = draw_seed(*state, range, 3), b = draw_seed(*state, unit, 3),
              c = draw_seed(*state, between, 3);
        assert_true(fx_tensor_equal(a.values, b.values) && fx_tensor_equal(a.state, b.state));
        assert_true(fx_tensor_equal(a.values, c.values));
        drawn_free(&a), drawn_free(&b), drawn_free(&c);
    }
}

/* Limits of a row and a column; an empty range gives its lower limit. */
static fx_node *table(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    const float lo[2][1] = {{-1}, {2}}, hi[1][2] = {{-0.5F, 3}};
    return fx_random_uniform_between(state, fx_constant_host(g, FX_HOST(&lo[0][0], 2, 1)),
                                     fx_constant_host(g, FX_HOST(&hi[0][0], 1, 2)), &FX_SHAPE(FX_F32, 2, 2),
                                     new_state);
}

static void test_range_nodes(void **state) {
    drawn d = draw_seed(*state, table, 11);
    double v[4];
    for (int i = 0; i < 4; i++) v[i] = fx_tensor_get(d.values, i);
    assert_true(v[0] >= -1 && v[0] < -0.5 && v[1] >= -1 && v[1] < 3 && v[2] == 2 && v[3] >= 2 && v[3] < 3);
    drawn_free(&d);
}

/* ---- normal ---- */

static double cdf_normal(double x) {
    return erfc(-x / sqrt(2)) / 2;
}

static void test_normal(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            set(FX_SHAPE(floats[i], 1 << 16), 0, 0);
            drawn d = draw_seed(fast_backend, normal, seed);
            assert_distribution(d.values, cdf_normal);
            assert_moments(d.values, 0, 1, 3);
            drawn_free(&d);
        }
    }
}

/* The farthest values: beyond 8 deviations in float64, 6.5 in float32, never infinite. */
static void test_normal_ends(void **state) {
    static const uint32_t far[4] = {0, 0, 0, 0}; /* u = 2^-33 at angle 0 */
    set(FX_SHAPE(FX_F64), 0, 0);
    assert_true(fabs(extreme(*state, normal, all_zero) + 8.2095) < 1e-3);
    assert_true(extreme(*state, normal, all_ones) == -extreme(*state, normal, all_zero));
    set(FX_SHAPE(FX_F32), 0, 0);
    assert_true(extreme(*state, normal, far) > 6.5 && extreme(*state, normal, far) < 7);
    assert_true(fabs(extreme(*state, normal, all_ones)) < 1e-3);
}

/* Both parts of complex values are independent. */
static fx_node *parts_product(fx_node *state, fx_node **new_state) {
    fx_node *z = fx_random_normal(state, &FX_SHAPE(FX_C64, 1 << 16), new_state);
    return fx_mul(fx_real(z), fx_imag(z));
}

static void test_complex(void **state) {
    (void)state;
    drawn d = draw_seed(fast_backend, parts_product, 1);
    assert_moments(d.values, 0, 1, 9);
    drawn_free(&d);
}

/* ---- correlations ---- */

/* Pearson's coefficient of a sample of n with another; its standard error is 1 / sqrt(n). */
static double correlation(const fx_tensor *a, int64_t from_a, const fx_tensor *b, int64_t from_b, int64_t n) {
    const float *x = (const float *)fx_tensor_data(a) + from_a,
                *y = (const float *)fx_tensor_data(b) + from_b;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += ((double)x[i] - 0.5) * ((double)y[i] - 0.5);
    return sum * 12 / (double)n;
}

static void test_serial(void **state) {
    enum { N = 1 << 17, LAGS = 40 };
    const double bound = 4.5 / sqrt(N - LAGS);
    (void)state;
    set(FX_SHAPE(FX_F32, N), 0, 1);
    drawn a = draw_seed(fast_backend, unit, 1), b = draw_seed(fast_backend, unit, 2);
    drawn next = draw_on(fast_backend, unit, fx_tensor_data(a.state));
    drawn high = draw_on(fast_backend, unit, (const uint64_t[]){1, 0, 1});
    for (int lag = 1; lag <= LAGS; lag++)
        assert_true(fabs(correlation(a.values, 0, a.values, lag, N - LAGS)) < bound);
    assert_true(fabs(correlation(a.values, 0, b.values, 0, N)) < bound);
    assert_true(fabs(correlation(a.values, 0, next.values, 0, N)) < bound);
    assert_true(fabs(correlation(a.values, 0, high.values, 0, N)) < bound);
    drawn_free(&a), drawn_free(&b), drawn_free(&next), drawn_free(&high);
}

/* Uniform values of 64 streams that a split gave, 2048 of each. */
static void one_stream(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_random_uniform(in[0], &FX_SHAPE(FX_F32, 2048), NULL);
}
static fx_node *of_streams(fx_node *state, fx_node **new_state) {
    fx_node *states = fx_random_split(state, 64, new_state);
    return fx_vmap(FX_NODES(states), NULL, one_stream, NULL, 1, NULL, NULL);
}

static void test_streams(void **state) {
    (void)state;
    drawn d = draw_seed(fast_backend, of_streams, 9);
    for (int a = 0; a < 64; a++) {
        for (int b = 0; b < a; b++)
            assert_true(fabs(correlation(d.values, a * 2048, d.values, b * 2048, 2048)) < 5 / sqrt(2048));
    }
    assert_moments(d.values, 0.5, 1.0 / 12, 1.8);
    drawn_free(&d);
    same_on_both("streams of a split", of_streams);
}

/* ---- in programs ---- */

/* Each round of a scan draws anew and hands the state on. */
static void draw_row(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[1] = fx_random_normal(in[0], &FX_SHAPE(FX_F32, 8), &out[0]);
}
static fx_node *rows_of_scan(fx_node *state, fx_node **new_state) {
    fx_node *results[2];
    fx_scan(FX_NODES(state), FX_NODES(), 5, 1, draw_row, NULL, results);
    *new_state = results[0];
    return results[1];
}
/* The same draws one after the other: blocks are whole, so the numbers are those of one draw. */
static fx_node *rows_at_once(fx_node *state, fx_node **new_state) {
    return fx_random_normal(state, &FX_SHAPE(FX_F32, 5, 8), new_state);
}

static void test_scan(void **state) {
    drawn a = draw_seed(*state, rows_of_scan, 4), b = draw_seed(*state, rows_at_once, 4);
    assert_true(fx_tensor_equal(a.values, b.values) && fx_tensor_equal(a.state, b.state));
    drawn_free(&a), drawn_free(&b);
}

/* Two draws of one state are the same, of successive states not; nothing is folded or shared that is not
 * equal. */
static fx_node *two_and_next(fx_node *state, fx_node **new_state) {
    fx_node *next, *a = fx_random_uniform(state, &FX_SHAPE(FX_F32, 16), &next);
    fx_node *b = fx_random_uniform(state, &FX_SHAPE(FX_F32, 16), NULL);
    return fx_stack(FX_NODES(a, b, fx_random_uniform(next, &FX_SHAPE(FX_F32, 16), new_state)), 0);
}
/* A state that is a constant of the program: every run gives the same. */
static fx_node *constant_state(fx_node *state, fx_node **new_state) {
    return two_and_next(fx_random_state(fx_node_graph(state), 7), new_state);
}

static void test_repetition(void **state) {
    drawn runs[4] = {draw_seed(*state, two_and_next, 1)};
    runs[1] = draw_on(*state, two_and_next, fx_tensor_data(runs[0].state));
    runs[2] = draw_seed(*state, constant_state, 1), runs[3] = draw_seed(*state, two_and_next, 7);
    const float *v = fx_tensor_data(runs[0].values), *next = fx_tensor_data(runs[1].values);
    assert_memory_equal(v, v + 16, 64);
    for (int i = 0; i < 16; i++) assert_true(v[i] != v[32 + i] && v[i] != next[i] && v[32 + i] != next[i]);
    assert_true(fx_tensor_equal(runs[2].values, runs[3].values));
    for (int i = 0; i < 4; i++) drawn_free(&runs[i]);
}

static void test_same_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(floats); i++) {
        set(FX_SHAPE(floats[i], 3, 7, 11), -0.3, 1.7);
        same_on_both("range", range);
        same_on_both("between", between);
        near_on_both("normal", normal, floats[i] == FX_F64 ? 1e-14 : floats[i] == FX_F32 ? 2e-6 : 0.01);
    }
}

/* Bits do not repeat where the lower half of the counter carries into the upper one. */
static fx_node *blocks(fx_node *state, fx_node **new_state) {
    return fx_random_bits(state, &FX_SHAPE(FX_U64, 16), new_state);
}

static void test_carry(void **state) {
    drawn long_draw = draw_on(*state, blocks, (const uint64_t[]){5, UINT32_MAX - 1, 0});
    drawn start = draw_on(*state, blocks, (const uint64_t[]){5, 0, 0});
    drawn wrapped = draw_on(*state, blocks, (const uint64_t[]){5, UINT64_MAX - 1, 0});
    drawn above = draw_on(*state, blocks, (const uint64_t[]){5, 0, 1});
    for (int i = 4; i < 16; i++) {
        assert_true(fx_tensor_get_int(long_draw.values, i) != fx_tensor_get_int(start.values, i - 4));
        assert_true(fx_tensor_get_int(wrapped.values, i) != fx_tensor_get_int(start.values, i - 4));
        assert_true(fx_tensor_get_int(wrapped.values, i) == fx_tensor_get_int(above.values, i - 4));
    }
    assert_text(wrapped.state, "[3]uint64{5, 6, 1}");
    drawn_free(&long_draw), drawn_free(&start), drawn_free(&wrapped), drawn_free(&above);
}

/* ---- refusals ---- */

static fx_graph *with(double lo, double hi, fx_dtype dtype) {
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_random_uniform_range(fx_random_state(graph, 1), lo, hi, &FX_SHAPE(dtype, 2), NULL);
    return graph;
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused(with(2, 2, FX_F32), "fx_random_uniform_range: the range [2, 2) is empty in float32");
    assert_refused(with(3, 2, FX_F64), "fx_random_uniform_range: the range [3, 2) is empty in float64");
    assert_refused(with(1, 1.0001, FX_F16),
                   "fx_random_uniform_range: the range [1, 1.0001) is empty in float16");
    assert_refused(with(0, 1e30, FX_F16),
                   "fx_random_uniform_range: the range [0, 1e+30) is not finite in float16");
    assert_refused(with(NAN, 1, FX_F32),
                   "fx_random_uniform_range: the range [nan, 1) is not finite in float32");
    assert_refused(with(0, 1, FX_S32),
                   "fx_random_uniform_range: int32 is not accepted; float16, bfloat16, float32 and "
                   "float64 are");
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_random_uniform_between(fx_random_state(g, 1), fx_scalar(g, FX_F64, 0), fx_scalar(g, FX_F32, 1),
                              &FX_SHAPE(FX_F32, 2), NULL);
    assert_refused(g, "fx_random_uniform_between: the lower limit is float64 instead of float32");
    g = fx_graph_new(FX_MUST);
    fx_random_uniform_between(fx_random_state(g, 1), fx_scalar(g, FX_F32, 0),
                              fx_zeros(g, &FX_SHAPE(FX_F32, 3)), &FX_SHAPE(FX_F32, 2), NULL);
    assert_refused(
        g, "fx_random_uniform_between: the upper limit, (float32)[3], does not broadcast to the shape "
           "(float32)[2]");
    assert_null(fx_random_uniform_range(NULL, 0, 1, NULL, NULL));
    assert_null(fx_random_uniform_between(NULL, NULL, NULL, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_range_distribution),
        BOTH(test_range_ends),
        BOTH(test_range_unit),
        BOTH(test_unit_ends),
        BOTH(test_range_nodes),
        cmocka_unit_test(test_normal),
        BOTH(test_normal_ends),
        cmocka_unit_test(test_complex),
        cmocka_unit_test(test_serial),
        cmocka_unit_test(test_streams),
        BOTH(test_scan),
        BOTH(test_repetition),
        cmocka_unit_test(test_same_bits),
        BOTH(test_carry),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
