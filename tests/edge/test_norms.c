/* SPDX-License-Identifier: Apache-2.0 */
/* Norms of values whose spread is small against their size, where E[x^2] - E[x]^2 has no digits left, and of
 * constants, where it turns negative. */
#include "edge/edge.h"
#include <math.h>

static fx_node *layer_norm_of(fx_node *const *in) {
    return fx_nn_layer_norm(in[0], FX_AXES(-1), 1e-5, NULL, NULL, NULL);
}

/* The right result of layer norm, of the float32 operand in float64. */
static void check_row(void **state, fx_tensor *x, double first, double bound) {
    double mean = 0, variance = 0, n = (double)fx_tensor_size(x);
    fx_tensor *got = edge_run(state, layer_norm_of, &x, 1);
    for (int64_t i = 0; i < fx_tensor_size(x); i++) mean += fx_tensor_get(x, i) / n;
    for (int64_t i = 0; i < fx_tensor_size(x); i++) variance += pow(fx_tensor_get(x, i) - mean, 2) / n;
    for (int64_t i = 0; i < fx_tensor_size(x); i++) {
        double want = (fx_tensor_get(x, i) - mean) / sqrt(variance + 1e-5);
        if (!(fabs(fx_tensor_get(got, i) - want) <= bound))
            fail_msg("%.9g, not %.9g, at mean %g", fx_tensor_get(got, i), want, mean);
    }
    if (!(fabs(fx_tensor_get(got, 0) - first) <= 2e-5 + bound))
        fail_msg("the first is %.9g, not %.9g", fx_tensor_get(got, 0), first);
    fx_tensor_free(got);
    fx_tensor_free(x);
}

/* The mean is rounded to half a unit in the last place, which the deviation divides. */
static void small_spread_is_kept(void **state) {
    static const double means[] = {0, 100, 1000, 10000}, firsts[] = {-1.34164, -1.34153, -1.34151, -1.33133};
    check_row(state, EDGE_REALS(FX_F32, 40000, 40001, 40002, 40003), -1.34163542, 1e-6);
    check_row(state, EDGE_REALS(FX_F32, 80000, 80001, 80002, 80003), -1.34163542, 1e-6);
    for (size_t k = 0; k < COUNT_OF(means); k++) {
        double row[16];
        for (int i = 0; i < 16; i++) row[i] = (double)(float)(means[k] + i * 1e-3);
        double unit = nextafterf((float)means[k], INFINITY) - (float)means[k];
        check_row(state, edge_reals(FX_F32, row, 16), firsts[k], 2e-6 + unit / 4.6e-3);
    }
}

/* All rows of one constant are 0, whatever their length. */
static void is_zero(const fx_tensor *y, int64_t length) {
    for (int64_t i = 0; i < fx_tensor_size(y); i++)
        if (!(fabs(fx_tensor_get(y, i)) <= 1e-2))
            fail_msg("%g in a constant row of %d", fx_tensor_get(y, i), (int)length);
}

static fx_node *batch_norm_of(fx_node *const *in) {
    return fx_nn_batch_norm_training(in[0], NULL, NULL, 1e-5, -1, NULL, NULL);
}
static fx_node *inference_of(fx_node *const *in) {
    fx_graph *g = fx_node_graph(in[0]);
    const fx_shape one = FX_SHAPE(FX_F32, 1);
    fx_node *mean = fx_fill_scalar(g, &one, 1234), *variance = fx_zeros(g, &one);
    return fx_nn_batch_norm(in[0], NULL, NULL, mean, variance, 1e-5, -1);
}

static void constants_give_zero(void **state) {
    for (int64_t n = 1; n <= 300; n += n < 40 || n > 250 ? 1 : 7) {
        double row[300];
        for (int64_t i = 0; i < n; i++) row[i] = 1234;
        fx_tensor *x = edge_reals(FX_F32, row, n), *column = fx_tensor_new(&FX_SHAPE(FX_F32, n, 1), FX_MUST);
        memcpy(column->data, x->data, (size_t)n * sizeof(float));
        fx_tensor *y[] = {edge_run(state, layer_norm_of, &x, 1), edge_run(state, batch_norm_of, &column, 1),
                          edge_run(state, inference_of, &column, 1)};
        for (size_t k = 0; k < COUNT_OF(y); k++) {
            is_zero(y[k], n);
            fx_tensor_free(y[k]);
        }
        fx_tensor_free(x);
        fx_tensor_free(column);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(small_spread_is_kept), BOTH(constants_give_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
