/* SPDX-License-Identifier: Apache-2.0 */
/* Attention as one kernel against its decomposition on the same backend, results and gradients, over all
 * combinations of options, of sizes that cross the blocks of the kernel. */
#include "support/attention_grid.h"
#include "support/derivatives.h"
#include "support/graph_helpers.h"
#include <math.h>

#if FLUXION_CPU
/* in: also the adjoint. out: the result and the gradients, computed in the case's dtype from float64. */
static void all_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    attention_fn(body, in, n_in - 1, out, 1, user);
    attention_gradients_fn(body, in, n_in, out + 1, n_out - 1, user);
}

/* The gradients by queries, keys and values alone, and by the last term of the scores alone. */
static void most_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)n_out;
    attention_gradients_fn(body, in, n_in, out, 3, user);
}

static void last_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    fx_node *y;
    (void)n_out;
    attention_fn(body, in, n_in - 1, &y, 1, user);
    fx_vjp((fx_nodes){&y, 1}, (fx_nodes){&in[n_in - 1], 1}, (fx_nodes){&in[attention_floats(user) - 1], 1},
           out);
}

/* Sums of at most 150 rounded products of values up to 2 and adjoints up to 1, in another order; a half type
 * rounds results and gradients once, and its adjoint. */
static double tolerance(fx_dtype dtype) {
    return dtype == FX_F64 ? 1e-12 : dtype == FX_F32 ? 2e-4 : dtype == FX_BF16 ? 0x1p-6 : 0x1p-9;
}

/* The kernel's gradient reads the result as it was rounded: the scores of a row get an error of its last bit
 * times the adjoint, in sum, which queries and keys of size 1 pass on; an element of a bias adds those of all
 * rows that it is repeated for. */
static double passed_on(const attention_case *c, const fx_tensor *x, size_t which) {
    if (which == 0 || !fx_dtype_is_half(c->dtype)) return 0;
    const fx_shape *s = fx_tensor_shape(x);
    double rows = which < 4 ? 1 : (double)(c->batch * c->heads * c->queries);
    for (int i = 0; which >= 4 && i < s->rank - 1; i++) rows /= (double)s->dims[i];
    return rows * (double)c->value_dim * tolerance(c->dtype) / 64;
}

static void compare(const attention_case *c, size_t which, const fx_tensor *got, const fx_tensor *want) {
    double largest = 1, more = passed_on(c, want, which);
    for (int64_t i = 0; i < fx_tensor_size(want); i++) largest = fmax(largest, fabs(fx_tensor_get(want, i)));
    for (int64_t i = 0; i < fx_tensor_size(want); i++) {
        double a = fx_tensor_get(got, i), b = fx_tensor_get(want, i);
        if (!(fabs(a - b) <= tolerance(c->dtype) * largest + more))
            fail_msg("%s, %s: output %zu at %d: %.9g, not %.9g", c->name, fx_dtype_name(c->dtype), which,
                     (int)i, a, b);
    }
}

static void check(attention_case *c, unsigned seed) {
    fx_tensor *in[ATTENTION_INPUTS + 1], *got[ATTENTION_INPUTS], *want[ATTENTION_INPUTS];
    fx_shape result = attention_result(c);
    size_t n = attention_inputs(c, seed, in), n_out = 1 + attention_floats(c);
    in[n++] = random_values(FX_F64, (fx_dims){result.dims, 4}, -1, 1, seed + 77);
    attention_run("cpu", all_fn, c, in, n, got, n_out);
    c->o.disable_fusion = true;
    attention_run("cpu", all_fn, c, in, n, want, n_out);
    for (size_t i = 0; i < n_out; i++) {
        compare(c, i, got[i], want[i]);
        fx_tensor_free(got[i]), fx_tensor_free(want[i]);
    }
    for (size_t i = 0; i < n; i++) fx_tensor_free(in[i]);
}

/* What nobody reads is not computed, and the rest is the same. */
static void check_some(const attention_case *c, unsigned seed) {
    fx_tensor *in[ATTENTION_INPUTS + 1], *all[ATTENTION_INPUTS], *some[3], *last;
    fx_shape result = attention_result(c);
    size_t n = attention_inputs(c, seed, in), n_out = attention_floats(c);
    in[n++] = random_values(FX_F64, (fx_dims){result.dims, 4}, -1, 1, seed + 77);
    attention_run("cpu", attention_gradients_fn, c, in, n, all, n_out);
    attention_run("cpu", most_fn, c, in, n, some, 3);
    attention_run("cpu", last_fn, c, in, n, &last, 1);
    for (size_t i = 0; i < 3; i++) compare(c, 1 + i, some[i], all[i]);
    compare(c, n_out, last, all[n_out - 1]);
    for (size_t i = 0; i < n_out; i++) fx_tensor_free(all[i]);
    for (size_t i = 0; i < 3; i++) fx_tensor_free(some[i]);
    fx_tensor_free(last);
    for (size_t i = 0; i < n; i++) fx_tensor_free(in[i]);
}

static void test_some(void **state) {
    (void)state;
    int tried = 0;
    for (unsigned n = 2100; tried < 20; n++) {
        attention_case c = attention_draw(n, 40);
        c.dtype = n % 2 ? FX_F32 : FX_BF16;
        if (attention_floats(&c) == 3) continue;
        check_some(&c, n);
        tried++;
    }
}

static void test_grid(void **state) {
    static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_F32, FX_BF16, FX_F32, FX_F16};
    (void)state;
    for (unsigned n = 2000; n < 2060; n++) {
        attention_case c = attention_draw(n, n % 3 ? 70 : 150);
        c.dtype = dtypes[n % 6];
        check(&c, n);
    }
}
#else
static void test_some(void **state) {
    (void)state;
}
static void test_grid(void **state) {
    (void)state;
    attention_case c = attention_draw(1, 8);
    assert_non_null(c.name);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grid), cmocka_unit_test(test_some)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
