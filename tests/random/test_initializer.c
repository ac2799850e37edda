/* SPDX-License-Identifier: Apache-2.0 */
/* First values of weights: deviation and edges from the fans of the shape, zeros for biases, orthonormal
 * columns or rows, the state's advance, every float dtype; refusals. */
#include "draws.h"
#include <math.h>

/* The draw at hand; tests run one after the other. */
static struct {
    fx_shape shape;
    fx_initializer *make;
    double amount;
    fx_fan fan;
    fx_spread spread;
} now;

static fx_node *plain(fx_node *state, fx_node **new_state) {
    return now.make(state, &now.shape, new_state);
}
static fx_node *normal(fx_node *state, fx_node **new_state) {
    return fx_init_normal(state, now.amount, &now.shape, new_state);
}
static fx_node *truncated(fx_node *state, fx_node **new_state) {
    return fx_init_truncated_normal(state, now.amount, &now.shape, new_state);
}
static fx_node *uniform(fx_node *state, fx_node **new_state) {
    return fx_init_uniform(state, -now.amount, now.amount, &now.shape, new_state);
}
static fx_node *scaling(fx_node *state, fx_node **new_state) {
    return fx_init_variance_scaling(state, now.amount, now.fan, now.spread, &now.shape, new_state);
}
static fx_node *orthogonal(fx_node *state, fx_node **new_state) {
    return fx_init_orthogonal(state, now.amount, &now.shape, new_state);
}

/* Moments of a distribution, and that no value is farther out than `edge`. */
static void check(make_fn *make, double variance, double kurtosis, double edge) {
    drawn d = draw_seed(fast_backend, make, 3);
    double farthest = 0;
    for (int64_t i = 0; i < fx_tensor_size(d.values); i++)
        farthest = fmax(farthest, fabs(fx_tensor_get(d.values, i)));
    assert_moments(d.values, 0, variance, kurtosis);
    assert_true(farthest <= edge * (1 + 1e-6));
    assert_true(isinf(edge) || farthest > 0.99 * edge);
    drawn_free(&d);
}

static const double uniform_kurtosis = 1.8, normal_kurtosis = 3, truncated_kurtosis = 2.37;

static void test_deviations(void **state) {
    (void)state;
    now.shape = FX_SHAPE(FX_F32, 100, 400);
    now.amount = 0.02;
    check(normal, 4e-4, normal_kurtosis, INFINITY);
    check(truncated, 4e-4, truncated_kurtosis, 0.04 / 0.87962566103423978);
    check(uniform, 4e-4 / 3, uniform_kurtosis, 0.02);
}

static void test_fans(void **state) {
    static const struct {
        fx_initializer *make;
        double variance; /* times 1 / in, 1 / average */
        bool average, uniform;
    } rows[] = {
        {fx_init_glorot_uniform, 1, true, true}, {fx_init_glorot_normal, 1, true, false},
        {fx_init_he_uniform, 2, false, true},    {fx_init_he_normal, 2, false, false},
        {fx_init_lecun_uniform, 1, false, true}, {fx_init_lecun_normal, 1, false, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int conv = 0; conv < 2; conv++) {
            double in = conv ? 9.0 * 20 : 100, out = conv ? 9.0 * 200 : 400;
            double variance = rows[i].variance / (rows[i].average ? (in + out) / 2 : in);
            now.shape = conv ? FX_SHAPE(FX_F32, 3, 3, 20, 200) : FX_SHAPE(FX_F32, 100, 400);
            now.make = rows[i].make;
            check(plain, variance, rows[i].uniform ? uniform_kurtosis : normal_kurtosis,
                  rows[i].uniform ? sqrt(3 * variance) : INFINITY);
        }
    }
    now.amount = 3, now.fan = FX_FAN_OUT, now.spread = FX_SPREAD_TRUNCATED;
    now.shape = FX_SHAPE(FX_F64, 100, 400);
    check(scaling, 3.0 / 400, truncated_kurtosis, 2 * sqrt(3.0 / 400) / 0.87962566103423978);
}

/* Half types too get values, and rounding keeps them within the edge's own rounding. */
static void test_halves(void **state) {
    static const fx_dtype halves[] = {FX_F16, FX_BF16};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(halves); i++) {
        now.shape = FX_SHAPE(halves[i], 64, 256);
        now.amount = 0.5;
        drawn d = draw_seed(fast_backend, normal, 1);
        assert_true(fabs(variance_of(d.values) - 0.25) < 0.02);
        drawn_free(&d);
        now.make = fx_init_he_uniform;
        d = draw_seed(fast_backend, plain, 1);
        assert_true(fabs(variance_of(d.values) - 2.0 / 64) < 0.002);
        drawn_free(&d);
    }
}

static void test_constants(void **state) {
    fx_initializer *const biases[] = {fx_init_zeros, fx_init_glorot_uniform, fx_init_he_normal, fx_init_ones};
    now.shape = FX_SHAPE(FX_F32, 3);
    for (size_t i = 0; i < COUNT_OF(biases); i++) {
        now.make = biases[i];
        drawn d = draw_seed(*state, plain, 1);
        assert_text(d.values, i == 3 ? "[3]float32{1, 1, 1}" : "[3]float32{0, 0, 0}");
        assert_text(d.state, "[3]uint64{1, 0, 0}");
        drawn_free(&d);
    }
    now.shape = FX_SHAPE(FX_F32, 0, 3);
    now.make = fx_init_he_normal;
    drawn d = draw_seed(*state, plain, 1);
    assert_int_equal(fx_tensor_size(d.values), 0);
    drawn_free(&d);
    now.shape = FX_SHAPE(FX_F32, 2, 2);
    now.amount = 0;
    d = draw_seed(*state, truncated, 1);
    for (int i = 0; i < 4; i++) assert_true(fx_tensor_get(d.values, i) == 0);
    drawn_free(&d);
}

/* gain^2 times the identity, from the side that has more. */
static void assert_orthonormal(const char *backend, fx_shape shape, double gain, double bound) {
    now.shape = shape, now.amount = gain;
    drawn d = draw_seed(backend, orthogonal, 2);
    int64_t columns = shape.dims[shape.rank - 1], rows = fx_shape_size(&shape) / columns;
    bool wide = rows < columns;
    int64_t vectors = wide ? rows : columns, length = wide ? columns : rows;
    assert_true(fx_shape_equal(fx_tensor_shape(d.values), &shape));
    for (int64_t a = 0; a < vectors; a++) {
        for (int64_t b = 0; b <= a; b++) {
            double dot = 0;
            for (int64_t i = 0; i < length; i++)
                dot += fx_tensor_get(d.values, wide ? a * columns + i : i * columns + a) *
                       fx_tensor_get(d.values, wide ? b * columns + i : i * columns + b);
            assert_true(fabs(dot - (a == b ? gain * gain : 0)) < bound);
        }
    }
    drawn_free(&d);
}

static void test_orthogonal(void **state) {
    assert_orthonormal(*state, FX_SHAPE(FX_F32, 12, 5), 1, 1e-5);
    assert_orthonormal(*state, FX_SHAPE(FX_F64, 5, 12), 2, 1e-13);
    assert_orthonormal(*state, FX_SHAPE(FX_F64, 3, 2, 6), 0.5, 1e-14);
    assert_orthonormal(*state, FX_SHAPE(FX_BF16, 8, 8), 1, 0.05);
}

/* Uniform among the rotations of the plane: the first column's angle has no preferred direction or sign. */
static void one_angle(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    fx_node *q = fx_init_orthogonal(in[0], 1, &FX_SHAPE(FX_F64, 2, 2), NULL);
    fx_node *x = fx_reshape(fx_slice(q, FX_DIMS(0, 0), FX_DIMS(1, 1), FX_DIMS()), FX_DIMS());
    fx_node *y = fx_reshape(fx_slice(q, FX_DIMS(1, 0), FX_DIMS(2, 1), FX_DIMS()), FX_DIMS());
    out[0] = fx_atan2(y, x);
}
static fx_node *first_angles(fx_node *state, fx_node **new_state) {
    return fx_vmap(FX_NODES(fx_random_split(state, 1 << 12, new_state)), NULL, one_angle, NULL, 1, NULL,
                   NULL);
}
static double cdf_angle(double x) {
    return (x + 3.14159265358979323846) / (2 * 3.14159265358979323846);
}
static void test_angles(void **state) {
    (void)state;
    drawn d = draw_seed(fast_backend, first_angles, 1);
    assert_distribution(d.values, cdf_angle);
    drawn_free(&d);
}

/* ---- refusals ---- */

static void test_refusals(void **state) {
    (void)state;
    const fx_shape whole = FX_SHAPE(FX_S32, 2, 2), real = FX_SHAPE(FX_F32, 2, 2), flat = FX_SHAPE(FX_F32, 4);
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_init_he_normal(fx_random_state(g, 1), &whole, NULL);
    assert_refused(g, "fx_init_he_normal: int32 is not accepted; float16, bfloat16, float32 and float64 are");
    g = fx_graph_new(FX_MUST);
    fx_init_normal(fx_random_state(g, 1), -1, &real, NULL);
    assert_refused(g, "fx_init_normal: the deviation is -1");
    g = fx_graph_new(FX_MUST);
    fx_init_truncated_normal(fx_random_state(g, 1), NAN, &real, NULL);
    assert_refused(g, "fx_init_truncated_normal: the deviation is nan");
    g = fx_graph_new(FX_MUST);
    fx_init_uniform(fx_random_state(g, 1), 1, 1, &real, NULL);
    assert_refused(g, "fx_init_uniform: the range [1, 1) is empty in float32");
    g = fx_graph_new(FX_MUST);
    fx_init_variance_scaling(fx_random_state(g, 1), 1, (fx_fan)3, FX_SPREAD_NORMAL, &real, NULL);
    assert_refused(g, "fx_init_variance_scaling: there is no fan 3 or no spread 0");
    g = fx_graph_new(FX_MUST);
    fx_init_orthogonal(fx_random_state(g, 1), 1, &flat, NULL);
    assert_refused(g, "fx_init_orthogonal: the shape (float32)[4] has fewer than two axes");
    g = fx_graph_new(FX_MUST);
    fx_init_orthogonal(fx_random_state(g, 1), INFINITY, &real, NULL);
    assert_refused(g, "fx_init_orthogonal: the gain is inf");
    assert_null(fx_init_zeros(NULL, &real, NULL));
    assert_null(fx_init_glorot_uniform(NULL, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deviations),
        cmocka_unit_test(test_fans),
        cmocka_unit_test(test_halves),
        BOTH(test_constants),
        BOTH(test_orthogonal),
        cmocka_unit_test(test_angles),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
