/* SPDX-License-Identifier: Apache-2.0 */
/* Every builder of random numbers with the n-th allocation failing, for every n until all pass: the graph
 * says that memory is out, nothing leaks, nothing is read that was not made. */
#include "draws.h"
#include "support/allocations.h"

static fx_node *number(fx_graph *g, double value) {
    return fx_scalar(g, FX_F32, value);
}

static void draws(fx_graph *g) {
    fx_node *s = fx_random_state(g, 1), *table = fx_zeros(g, &FX_SHAPE(FX_F32, 2, 3));
    const fx_shape f = FX_SHAPE(FX_F32, 2, 3), w = FX_SHAPE(FX_F64, 2, 3), i = FX_SHAPE(FX_S32, 2, 3);
    fx_random_split(s, 2, &s);
    fx_random_bits(s, &i, &s);
    fx_random_normal(s, &FX_SHAPE(FX_C64, 2), &s);
    fx_random_uniform_range(s, 0, 2, &f, &s);
    fx_random_uniform_between(s, number(g, 0), table, &f, &s);
    fx_random_uniform_range(s, 0, 2, &w, &s);
    fx_random_truncated_normal_between(s, table, number(g, 3), &f, &s);
    fx_random_truncated_normal(s, 3, 4, &w, &s);
    fx_random_int(s, 0, 3, &i, &s);
    fx_random_int_between(s, fx_scalar_int(g, FX_S64, 0), fx_scalar_int(g, FX_S64, 5), &i, &s);
}

static void samplers(fx_graph *g) {
    fx_node *s = fx_random_state(g, 1), *table = fx_zeros(g, &FX_SHAPE(FX_F32, 2, 3));
    const fx_shape f = FX_SHAPE(FX_F32, 2, 3), i = FX_SHAPE(FX_S32, 4, 2);
    fx_random_exponential(s, &f, &s);
    fx_random_gumbel(s, &f, &s);
    fx_random_bernoulli(s, table, &f, &s);
    fx_random_categorical(s, table, &i, &s);
    fx_random_permutation(s, &i, &s);
    fx_random_shuffle(s, table, 1, &s);
}

static void rejected(fx_graph *g) {
    fx_node *s = fx_random_state(g, 1);
    const fx_shape f = FX_SHAPE(FX_F32, 2);
    fx_random_beta(s, number(g, 1), number(g, 2), &f, &s);
    fx_random_dirichlet(s, number(g, 1), &f, &s);
    fx_random_poisson(s, number(g, 1), &f, &s);
    fx_random_binomial(s, number(g, 4), number(g, 1), &f, &s);
}

static void weights(fx_graph *g) {
    fx_node *s = fx_random_state(g, 1);
    const fx_shape f = FX_SHAPE(FX_F16, 4, 3);
    fx_init_he_uniform(s, &f, &s);
    fx_init_truncated_normal(s, 0.5, &f, &s);
    fx_init_orthogonal(s, 1, &f, &s);
}

static void test_draws(void **state) {
    (void)state;
    allocations_fail_each(draws);
}
static void test_samplers(void **state) {
    (void)state;
    allocations_fail_each(samplers);
}
static void test_rejected(void **state) {
    (void)state;
    allocations_fail_each(rejected);
}
static void test_weights(void **state) {
    (void)state;
    allocations_fail_each(weights);
}

int main(void) {
    if (!allocations_install()) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_draws), cmocka_unit_test(test_samplers),
                                       cmocka_unit_test(test_rejected), cmocka_unit_test(test_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
