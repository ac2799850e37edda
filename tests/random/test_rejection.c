/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* The two ways of rejection give the same: rounds over the whole array, and rounds over collected
 * elements, also when these are more than there is room for; every element has the first attempt that was
 * not refused. */
#include "draws.h"
#include "random/random_internal.h"

enum { N = (1 << 17) + 77 };

/* Refuses every word that is not a multiple of `divisor`. */
static int64_t divisor;

static fx_node *try_word(const fxi_random *r, const void *user, fx_node **again) {
    fx_node *word = fxi_random_words(r, user, FX_U64), *d = fx_scalar_int(r->b.graph, FX_U64, divisor);
    *again = fx_not_equal(fx_rem(word, d), fx_scalar_int(r->b.graph, FX_U64, 0));
    return fxi_random_unit(word, 53);
}

/* Values drawn in one way; [1] is not a scalar, so that it is the plain way. */
static fx_node *draw(fx_node *state, bool collected, fx_node **new_state) {
    static fx_shape shape;
    fxi_random r;
    shape = FX_SHAPE(FX_F64, N);
    fx_node *wanted = fx_scalar_one(fx_node_graph(state), FX_BOOL);
    if (!fxi_random_begin(&r, "draw", &state, 1, &shape, new_state)) return r.b.stop;
    *new_state = fxi_random_advance(&r, N, FX_U64);
    return fxi_random_reject_long(&r, &shape, collected ? wanted : fx_reshape(wanted, FX_DIMS(1)), try_word,
                                  &shape);
}

static fx_node *difference(fx_node *state, fx_node **new_state) {
    return fx_sub(draw(state, true, new_state), draw(state, false, new_state));
}
static fx_node *collected(fx_node *state, fx_node **new_state) {
    return draw(state, true, new_state);
}

/* Room is for a sixth: a half and two thirds of all come after the first attempt. */
static void test_same(void **state) {
    (void)state;
    for (divisor = 1; divisor <= 3; divisor++) {
        drawn d = draw_seed(fast_backend, difference, 1);
        const double *v = fx_tensor_data(d.values);
        for (int i = 0; i < N; i++) assert_true(v[i] == 0);
        drawn_free(&d);
    }
}

/* Attempts by hand: the word at the place of the element, 2^112 farther on for each. */
static fx_node *attempts(fx_node *state, fx_node **new_state) {
    fx_node *words[8];
    *new_state = state;
    for (int a = 0; a < 8; a++) {
        const uint64_t step[3] = {0, 0, (uint64_t)a << 48};
        fx_node *from = fx_add(state, fx_constant_host(fx_node_graph(state), FX_HOST(step, 3)));
        words[a] = fx_random_bits(from, &FX_SHAPE(FX_U64, N), NULL);
    }
    return fx_stack((fx_nodes){words, 8}, 0);
}

static void test_first(void **state) {
    divisor = 2;
    drawn d = draw_seed(*state, collected, 5), words = draw_seed(fast_backend, attempts, 5);
    const double *v = fx_tensor_data(d.values);
    const uint64_t *w = fx_tensor_data(words.values);
    int compared = 0;
    for (int i = 0; i < N; i++) {
        int a = 0;
        while (a < 8 && w[a * N + i] % 2 != 0) a++;
        if (a == 8) continue;
        assert_true(v[i] == (double)(w[a * N + i] >> 11) * 0x1p-53);
        compared++;
    }
    assert_true(compared > N * 99 / 100);
    drawn_free(&d), drawn_free(&words);
}

/* A distribution at a size that is collected, with a mean that is a scalar and one that is an array. */
static fx_node *poisson_difference(fx_node *state, fx_node **new_state) {
    fx_node *mean = fx_scalar(fx_node_graph(state), FX_F64, 10);
    fx_node *whole = fx_random_poisson(state, fx_reshape(mean, FX_DIMS(1, 1)), &FX_SHAPE(FX_F64, 2, N), NULL);
    return fx_reduce_all_max(
        fx_abs(fx_sub(fx_random_poisson(state, mean, &FX_SHAPE(FX_F64, 2, N), new_state), whole)));
}
/* Nothing is drawn where nothing is wanted. */
static fx_node *small_mean(fx_node *state, fx_node **new_state) {
    fx_node *mean = fx_scalar(fx_node_graph(state), FX_F64, 2);
    return fx_reduce_all_mean(fx_random_poisson(state, mean, &FX_SHAPE(FX_F64, N), new_state));
}

static void test_poisson(void **state) {
    (void)state;
    drawn d = draw_seed(fast_backend, poisson_difference, 1);
    assert_true(fx_tensor_get(d.values, 0) == 0);
    drawn_free(&d);
    d = draw_seed(fast_backend, small_mean, 1);
    assert_true(fx_tensor_get(d.values, 0) > 1.98 && fx_tensor_get(d.values, 0) < 2.02);
    drawn_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), BOTH(test_first), cmocka_unit_test(test_poisson)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
