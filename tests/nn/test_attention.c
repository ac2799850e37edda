/* SPDX-License-Identifier: Apache-2.0 */
/* Values of attention over all combinations of its options, against its definition. */
#include "support/attention_grid.h"
#include "support/graph_helpers.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

static const char *const backends[] = {"interp",
#if FLUXION_CPU
                                       "cpu"
#endif
};
enum { BACKENDS = sizeof backends / sizeof *backends };

/* ---- inputs as a narrower dtype holds them ---- */

static void round_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    const attention_case *c = user;
    (void)body, (void)n_in;
    for (size_t i = 0; i < n_out; i++)
        out[i] =
            fx_dtype_is_float(fx_node_dtype(in[i])) ? fx_convert(fx_convert(in[i], c->dtype), FX_F64) : in[i];
}

static void round_inputs(const attention_case *c, fx_tensor **in, size_t n) {
    fx_tensor *rounded[ATTENTION_INPUTS];
    attention_run("interp", round_fn, c, in, n, rounded, n);
    for (size_t i = 0; i < n; i++) {
        fx_tensor_free(in[i]);
        in[i] = rounded[i];
    }
}

/* Scores are sums of `dim` products of at most 2.25, each rounded; an error of a score is a relative one of
 * its term, twice in the quotient, of values up to 2. A half type rounds once more. */
static double tolerance(const attention_case *c) {
    double dim = (double)c->dim, epsilon = c->dtype == FX_F64 ? DBL_EPSILON : FLT_EPSILON;
    double rounding = c->dtype == FX_BF16 ? 0x1p-8 : c->dtype == FX_F16 ? 0x1p-11 : 0;
    return epsilon * (dim + 8) * 2.25 * dim * 4 + 2 * rounding;
}

static void compare(const attention_case *c, const char *backend, const fx_tensor *got, const double *want) {
    double bound = tolerance(c);
    for (int64_t at = 0; at < fx_tensor_size(got); at++) {
        int64_t d = at % c->value_dim, row = at / c->value_dim, i = row % c->queries;
        int64_t h = row / c->queries % c->heads, b = row / c->queries / c->heads;
        double value = fx_tensor_get(got, attention_place(c, b, h, i, c->value_dim, d));
        if (!(fabs(value - want[at]) <= bound))
            fail_msg("%s, %s of %s at [%d, %d, %d, %d]: %.17g, not %.17g", c->name, backend,
                     fx_dtype_name(c->dtype), (int)b, (int)h, (int)i, (int)d, value, want[at]);
    }
}

static void check_case(attention_case *c, unsigned seed) {
    fx_tensor *in[ATTENTION_INPUTS], *got;
    size_t n = attention_inputs(c, seed, in);
    round_inputs(c, in, n);
    double *want = attention_reference(c, in);
    for (int i = 0; i < BACKENDS; i++)
        for (int plain = 0; plain < 2; plain++) {
            c->o.disable_fusion = plain;
            attention_run(backends[i], attention_fn, c, in, n, &got, 1);
            compare(c, backends[i], got, want);
            fx_tensor_free(got);
        }
    free(want);
    for (size_t i = 0; i < n; i++) fx_tensor_free(in[i]);
}

static void test_values(void **state) {
    static const fx_dtype dtypes[] = {FX_F64, FX_F32, FX_BF16, FX_F16};
    (void)state;
    for (unsigned n = 0; n < 120; n++) {
        attention_case c = attention_draw(n, 6);
        c.dtype = dtypes[n % 4];
        check_case(&c, n);
    }
}

static void test_larger(void **state) {
    (void)state;
    for (unsigned n = 1000; n < 1016; n++) {
        attention_case c = attention_draw(n, 40);
        c.dtype = n % 2 ? FX_F32 : FX_BF16;
        check_case(&c, n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_larger)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
