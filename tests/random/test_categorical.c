/* SPDX-License-Identifier: Apache-2.0 */
/* Categories and permutations: frequencies, categories that must never come up, rows of logits, rows
 * without a category; all orders of four as frequent, slices that stay together; refusals. */
#include "draws.h"
#include <math.h>

static const uint32_t all_zero[4], all_ones[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

/* The draw at hand; tests run one after the other. */
static struct {
    fx_shape shape;
    float logits[64];
    int64_t rows, k; /* rows 0: logits [k] */
    fx_dtype dtype;
} now;

static fx_node *categorical(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    fx_node *logits = fx_constant_host(g, FX_HOST(now.logits, now.rows ? now.rows * now.k : now.k));
    if (now.rows) logits = fx_reshape(logits, FX_DIMS(now.rows, now.k));
    return fx_random_categorical(state, fx_convert(logits, now.dtype), &now.shape, new_state);
}

static void set(const float *logits, int64_t rows, int64_t k, fx_dtype dtype) {
    memcpy(now.logits, logits, (size_t)((rows ? rows : 1) * k) * sizeof *logits);
    now.rows = rows, now.k = k, now.dtype = dtype;
}

/* ---- categories ---- */

/* Draws [n, rows]; each column has its row's frequencies. */
static void assert_frequencies(const fx_tensor *t, int64_t rows, int64_t k) {
    const int32_t *v = fx_tensor_data(t);
    int64_t n = fx_tensor_size(t) / rows;
    for (int64_t row = 0; row < rows; row++) {
        int64_t seen[64] = {0};
        double p[64], sum = 0;
        for (int64_t i = 0; i < k; i++) sum += exp((double)now.logits[row * k + i]);
        for (int64_t i = 0; i < k; i++) p[i] = exp((double)now.logits[row * k + i]) / sum;
        for (int64_t i = 0; i < n; i++) {
            assert_in_range(v[i * rows + row], 0, k - 1);
            assert_true(p[v[i * rows + row]] > 0);
            seen[v[i * rows + row]]++;
        }
        assert_cells(seen, p, (size_t)k, n);
    }
}

static void test_frequencies(void **state) {
    static const float one[] = {0, 1, -INFINITY, 2, -3, -INFINITY};
    static const float rows[] = {0, 0, 0, 1, -1, 0.5F, -INFINITY, -2, 4};
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        set(one, 0, 6, wide ? FX_F64 : FX_F32);
        now.shape = FX_SHAPE(FX_S32, 1 << 15);
        drawn d = draw_seed(fast_backend, categorical, 1);
        assert_frequencies(d.values, 1, 6);
        drawn_free(&d);
        set(rows, 3, 3, wide ? FX_F64 : FX_F16);
        now.shape = FX_SHAPE(FX_S32, 1 << 14, 3);
        d = draw_seed(fast_backend, categorical, 2);
        assert_frequencies(d.values, 3, 3);
        drawn_free(&d);
    }
    now.shape = FX_SHAPE(FX_U8, 7, 3);
    same_on_both("categorical", categorical);
    now.shape = FX_SHAPE(FX_S64, 3);
    same_on_both("categorical", categorical);
}

static int64_t extreme(const char *backend, const uint32_t *words) {
    uint64_t state[3];
    state_of_block(words, state);
    drawn d = draw_on(backend, categorical, state);
    int64_t value = fx_tensor_get_int(d.values, 0);
    drawn_free(&d);
    return value;
}

/* The first and the last category of positive weight, for the extreme words; logits far from 0. */
static void test_ends(void **state) {
    static const float cases[][4] = {{-INFINITY, 0, 1, -INFINITY},
                                     {1e30F, 1e30F, 1e30F, 1e30F},
                                     {-1e4F, 1e4F, 1e4F, -1e4F},
                                     {INFINITY, 0, INFINITY, 5},
                                     {0, 3, 2, 1},
                                     {-INFINITY, -INFINITY, 7, -INFINITY}};
    static const int64_t ends[][2] = {{1, 2}, {0, 3}, {1, 2}, {0, 2}, {0, 3}, {2, 2}};
    now.shape = FX_SHAPE(FX_S32);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        set(cases[i], 0, 4, FX_F32);
        assert_int_equal(extreme(*state, all_zero), ends[i][0]);
        assert_int_equal(extreme(*state, all_ones), ends[i][1]);
    }
    static const float none[][2] = {{NAN, 1}, {0, NAN}, {-INFINITY, -INFINITY}};
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        set(none[i], 0, 2, FX_F32);
        assert_int_equal(extreme(*state, all_zero), -1);
    }
    set(cases[0], 0, 4, FX_F32);
    now.shape = FX_SHAPE(FX_S32, 0);
    drawn d = draw_seed(*state, categorical, 1);
    assert_int_equal(fx_tensor_size(d.values), 0);
    assert_text(d.state, "[3]uint64{1, 0, 0}");
    drawn_free(&d);
}

/* ---- permutations ---- */

static fx_node *permutation(fx_node *state, fx_node **new_state) {
    return fx_random_permutation(state, &now.shape, new_state);
}

static void test_orders(void **state) {
    enum { N = 1 << 13 };
    int64_t seen[256] = {0}, kept[24], k = 0;
    double p[24];
    (void)state;
    now.shape = FX_SHAPE(FX_U8, N, 4);
    drawn d = draw_seed(fast_backend, permutation, 1);
    const uint8_t *v = fx_tensor_data(d.values);
    for (int i = 0; i < N; i++) seen[v[4 * i] | v[4 * i + 1] << 2 | v[4 * i + 2] << 4 | v[4 * i + 3] << 6]++;
    drawn_free(&d);
    for (int i = 0; i < 256; i++) {
        int mask = 1 << (i & 3) | 1 << (i >> 2 & 3) | 1 << (i >> 4 & 3) | 1 << (i >> 6 & 3);
        assert_true(mask == 15 || seen[i] == 0);
        if (mask == 15) p[k] = 1.0 / 24, kept[k++] = seen[i];
    }
    assert_cells(kept, p, 24, N);
}

static void test_permutation(void **state) {
    now.shape = FX_SHAPE(FX_S64, 1000);
    drawn d = draw_seed(*state, permutation, 1);
    bool found[1000] = {false};
    int64_t fixed = 0;
    for (int64_t i = 0; i < 1000; i++) {
        int64_t at = fx_tensor_get_int(d.values, i);
        assert_in_range(at, 0, 999);
        assert_false(found[at]);
        found[at] = true;
        fixed += at == i;
    }
    assert_true(fixed < 10);
    drawn_free(&d);
    static const fx_dtype dtypes[] = {FX_S4, FX_U4, FX_S8, FX_U16, FX_S32, FX_U64};
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        now.shape = FX_SHAPE(dtypes[i], 3, 8);
        same_on_both(fx_dtype_name(dtypes[i]), permutation);
    }
    now.shape = FX_SHAPE(FX_S32, 3, 0);
    d = draw_seed(*state, permutation, 1);
    assert_int_equal(fx_tensor_size(d.values), 0);
    drawn_free(&d);
}

/* Columns of a table, in another order but whole. */
static fx_node *columns(fx_node *state, fx_node **new_state) {
    fx_node *table = fx_iota_full(fx_node_graph(state), &FX_SHAPE(FX_S32, 3, 10));
    return fx_random_shuffle(state, table, -1, new_state);
}
static void test_shuffle(void **state) {
    drawn d = draw_seed(*state, columns, 5);
    const int32_t *v = fx_tensor_data(d.values);
    int found = 0, moved = 0;
    for (int i = 0; i < 10; i++) {
        found |= 1 << v[i];
        moved += v[i] != i;
        assert_true(v[10 + i] == v[i] + 10 && v[20 + i] == v[i] + 20);
    }
    assert_int_equal(found, 1023);
    assert_true(moved > 0);
    assert_text(d.state, "[3]uint64{5, 5, 0}");
    drawn_free(&d);
}

/* ---- refusals ---- */

static fx_graph *with(fx_dtype logits, fx_dtype values, int64_t rows, int64_t k) {
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_random_categorical(fx_random_state(g, 1), fx_zeros(g, &FX_SHAPE(logits, rows, k)),
                          &FX_SHAPE(values, 5, 2), NULL);
    return g;
}
static fx_graph *permuted(const fx_shape *shape) {
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_random_permutation(fx_random_state(g, 1), shape, NULL);
    return g;
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused(with(FX_S32, FX_S32, 2, 3),
                   "fx_random_categorical: the logits are int32 instead of floats");
    assert_refused(with(FX_F32, FX_S32, 2, 0),
                   "fx_random_categorical: the logits, (float32)[2, 0], have no category along a last axis");
    assert_refused(with(FX_F32, FX_F32, 2, 3),
                   "fx_random_categorical: float32 is not accepted; integers are");
    assert_refused(with(FX_F32, FX_S8, 2, 129), "fx_random_categorical: int8 does not hold 129 categories");
    assert_refused(
        with(FX_F32, FX_S32, 5, 3),
        "fx_random_categorical: the logits are (float32)[5, 3] and the shape (int32)[5, 2]; without "
        "their last axis, the categories, the logits' dimensions must be the last ones of the shape");
    assert_refused(permuted(&FX_SHAPE(FX_F32, 4)),
                   "fx_random_permutation: float32 is not accepted; integers are");
    assert_refused(permuted(&FX_SHAPE(FX_S32)), "fx_random_permutation: a scalar has no last axis to number");
    assert_refused(permuted(&FX_SHAPE(FX_S8, 129)),
                   "fx_random_permutation: int8 does not hold the numbers below 129");
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_random_shuffle(fx_random_state(g, 1), fx_zeros(g, &FX_SHAPE(FX_F32, 2)), 1, NULL);
    assert_refused(g, "fx_random_shuffle: axis 1 is out of range for (float32)[2] (rank 1)");
    assert_null(fx_random_categorical(NULL, NULL, NULL, NULL));
    assert_null(fx_random_permutation(NULL, NULL, NULL));
    assert_null(fx_random_shuffle(NULL, NULL, 0, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frequencies),
        BOTH(test_ends),
        cmocka_unit_test(test_orders),
        BOTH(test_permutation),
        BOTH(test_shuffle),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
