/* SPDX-License-Identifier: Apache-2.0 */
/* Draws, inverse blocks and statistics, written from their definitions. */
#include "draws.h"
#include <math.h>
#include <stdlib.h>

#if FLUXION_CPU
const char *const fast_backend = "cpu";
#else
const char *const fast_backend = "interp";
#endif

static void build(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    make_fn **make = user;
    (void)g, (void)n_in, (void)n_out;
    out[0] = (*make)(in[0], &out[1]);
}

drawn draw_on(const char *backend_name, make_fn *make, const uint64_t *state) {
    fx_tensor *out[2];
    fx_backend *backend = fx_backend_open(backend_name, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, build, 1, 2, &make, FX_MUST);
    const fx_arg arg = FX_ARG(FX_HOST(state, 3));
    assert_true(fx_exec_call(exec, &arg, 1, out, 2, FX_MUST));
    fx_exec_free(exec);
    fx_backend_close(backend);
    return (drawn){out[0], out[1]};
}

drawn draw_seed(const char *backend, make_fn *make, uint64_t seed) {
    return draw_on(backend, make, (const uint64_t[]){seed, 0, 0});
}

void drawn_free(drawn *d) {
    fx_tensor_free(d->values);
    fx_tensor_free(d->state);
}

void state_of_block(const uint32_t *words, uint64_t *state) {
    uint32_t c[4] = {words[0], words[1], words[2], words[3]};
    state[0] = UINT64_C(0x0123456789abcdef); /* any key */
    for (uint32_t round = 10; round-- > 0;) {
        uint32_t k0 = (uint32_t)(state[0] & UINT32_MAX) + round * UINT32_C(0x9E3779B9);
        uint32_t k1 = (uint32_t)(state[0] >> 32) + round * UINT32_C(0xBB67AE85);
        uint32_t x0 = c[3] * UINT32_C(0x991A7CDB), x2 = c[1] * UINT32_C(0x6D7CAE67); /* inverse factors */
        uint32_t high0 = (uint32_t)(UINT64_C(0xD2511F53) * x0 >> 32);
        uint32_t high2 = (uint32_t)(UINT64_C(0xCD9E8D57) * x2 >> 32);
        uint32_t x1 = c[0] ^ high2 ^ k0, x3 = c[2] ^ high0 ^ k1;
        c[0] = x0, c[1] = x1, c[2] = x2, c[3] = x3;
    }
    state[1] = c[0] | (uint64_t)c[1] << 32;
    state[2] = c[2] | (uint64_t)c[3] << 32;
}

/* ---- both backends ---- */

static const uint64_t before_carry[3] = {17, UINT64_MAX - 3, 4};

void same_on_both(const char *what, make_fn *make) {
    drawn a = draw_on("interp", make, before_carry), b = draw_on(fast_backend, make, before_carry);
    if (!fx_tensor_equal(a.values, b.values) || !fx_tensor_equal(a.state, b.state))
        fail_msg("%s: backends differ", what);
    drawn_free(&a), drawn_free(&b);
}

void near_on_both(const char *what, make_fn *make, double bound) {
    drawn a = draw_on("interp", make, before_carry), b = draw_on(fast_backend, make, before_carry);
    assert_true(fx_tensor_equal(a.state, b.state));
    for (int64_t i = 0; i < fx_tensor_size(a.values); i++) {
        double x = fx_tensor_get(a.values, i), y = fx_tensor_get(b.values, i);
        if (!(fabs(x - y) <= bound * fmax(1, fabs(x)))) fail_msg("%s: %.17g and %.17g", what, x, y);
    }
    drawn_free(&a), drawn_free(&b);
}

/* ---- statistics ---- */

double mean_of(const fx_tensor *t) {
    double sum = 0;
    int64_t n = fx_tensor_size(t);
    for (int64_t i = 0; i < n; i++) sum += fx_tensor_get(t, i);
    return sum / (double)n;
}

double variance_of(const fx_tensor *t) {
    double sum = 0, mean = mean_of(t);
    int64_t n = fx_tensor_size(t);
    for (int64_t i = 0; i < n; i++) {
        double d = fx_tensor_get(t, i) - mean;
        sum += d * d;
    }
    return sum / (double)n;
}

void assert_moments(const fx_tensor *t, double mean, double variance, double kurtosis) {
    double n = (double)fx_tensor_size(t), z = 4;
    double m = mean_of(t), v = variance_of(t);
    double mean_error = z * sqrt(variance / n), variance_error = z * variance * sqrt((kurtosis - 1) / n);
    if (!(fabs(m - mean) <= mean_error)) fail_msg("mean %g instead of %g +- %g", m, mean, mean_error);
    if (!(fabs(v - variance) <= variance_error))
        fail_msg("variance %g instead of %g +- %g", v, variance, variance_error);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double kolmogorov(const fx_tensor *t, double (*cdf)(double x)) {
    int64_t n = fx_tensor_size(t);
    double largest = 0, *x = malloc((size_t)n * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) x[i] = fx_tensor_get(t, i);
    qsort(x, (size_t)n, sizeof *x, by_value);
    for (int64_t i = 0; i < n; i++) {
        double f = cdf(x[i]), below = fabs(f - (double)i / (double)n),
               above = fabs((double)(i + 1) / (double)n - f);
        largest = fmax(largest, fmax(below, above));
    }
    free(x);
    return largest * sqrt((double)n);
}

double chi_square(const int64_t *seen, const double *probability, size_t cells, int64_t n) {
    double sum = 0, rest_seen = 0, rest_expected = 0, degrees = -1;
    for (size_t i = 0; i < cells; i++) {
        double expected = probability[i] * (double)n, d = (double)seen[i] - expected;
        if (expected < 5) {
            rest_seen += (double)seen[i], rest_expected += expected;
            continue;
        }
        sum += d * d / expected;
        degrees += 1;
    }
    if (rest_expected >= 1) {
        sum += (rest_seen - rest_expected) * (rest_seen - rest_expected) / rest_expected;
        degrees += 1;
    } else if (rest_seen > 12) {
        return INFINITY;
    }
    double spread = 2 / (9 * degrees);
    return (cbrt(sum / degrees) - (1 - spread)) / sqrt(spread);
}

void assert_refused(fx_graph *graph, const char *message) {
    fx_error err = {.code = FX_OK};
    assert_true(fx_graph_error(graph, &err));
    assert_string_equal(err.message, message);
    fx_graph_free(graph);
}
