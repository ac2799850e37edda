/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of a range: every value as probable as any other, also where words must be refused; limits at
 * the ends of every dtype; values above 2^24, which floats would leave out; empty ranges; refusals. */
#include "draws.h"
#include <math.h>

/* The draw at hand; tests run one after the other. */
static struct {
    fx_shape shape;
    int64_t lo, hi;
} now;

static fx_node *numbers(fx_node *state, fx_node **new_state) {
    return fx_random_int(state, now.lo, now.hi, &now.shape, new_state);
}

static fx_node *nodes(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    fx_dtype dtype = now.shape.dtype == FX_BOOL ? FX_S8 : now.shape.dtype;
    return fx_random_int_between(state, fx_scalar_int(g, dtype, now.lo), fx_scalar_int(g, dtype, now.hi),
                                 &now.shape, new_state);
}

/* ---- probabilities ---- */

/* Counts of (value - lo) / width in `cells` cells of equal length. */
static void cells_are_equal(make_fn *make, int64_t lo, int64_t width, size_t cells, uint64_t seed) {
    int64_t seen[64] = {0};
    double p[64];
    now.lo = lo;
    now.hi = (int64_t)((uint64_t)lo + (uint64_t)width * cells);
    drawn d = draw_seed(fast_backend, make, seed);
    int64_t n = fx_tensor_size(d.values);
    for (int64_t i = 0; i < n; i++) {
        int64_t v = fx_tensor_get_int(d.values, i);
        assert_true(v >= now.lo && v < now.hi);
        seen[((uint64_t)v - (uint64_t)lo) / (uint64_t)width]++;
    }
    for (size_t i = 0; i < cells; i++) p[i] = 1.0 / (double)cells;
    assert_cells(seen, p, cells, n);
    drawn_free(&d);
}

static void test_equal(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        now.shape = FX_SHAPE(FX_S32, 1 << 17);
        cells_are_equal(numbers, -5, 1, 13, seed);
        cells_are_equal(nodes, 100, 7, 48, seed);
        now.shape = FX_SHAPE(FX_U8, 1 << 17);
        cells_are_equal(numbers, 0, 1, 3, seed);
        now.shape = FX_SHAPE(FX_S64, 1 << 17); /* a quarter of the words is refused: a remainder would fail */
        cells_are_equal(numbers, INT64_MIN, INT64_C(1) << 62, 3, seed);
        cells_are_equal(nodes, INT64_MIN, INT64_C(1) << 62, 3, seed);
    }
}

/* Lower limits per row, upper ones per column. */
static fx_node *table(fx_node *state, fx_node **new_state) {
    fx_graph *g = fx_node_graph(state);
    const int32_t lo[2][1] = {{-10}, {3}}, hi[1][3] = {{-9, 4, 3}};
    return fx_random_int_between(state, fx_constant_host(g, FX_HOST(&lo[0][0], 2, 1)),
                                 fx_constant_host(g, FX_HOST(&hi[0][0], 1, 3)), &FX_SHAPE(FX_S64, 2, 3),
                                 new_state);
}

static void test_nodes(void **state) {
    drawn d = draw_seed(*state, table, 5);
    assert_int_equal(fx_tensor_get_int(d.values, 0), -10);
    for (int i = 1; i < 3; i++) assert_in_range(fx_tensor_get_int(d.values, i) + 10, 0, 13);
    for (int i = 3; i < 6; i++) assert_int_equal(fx_tensor_get_int(d.values, i), 3); /* one value, or empty */
    assert_text(d.state, "[3]uint64{5, 3, 0}");
    drawn_free(&d);
}

/* ---- ends ---- */

static void test_ends(void **state) {
    const uint32_t low[4] = {0, 0, 1, 0}, high[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    static const struct {
        fx_dtype dtype;
        int64_t lo, hi;
    } rows[] = {
        {FX_S4, -8, 8},
        {FX_U2, 0, 4},
        {FX_BOOL, 0, 2},
        {FX_S8, -128, 128},
        {FX_U8, 0, 256},
        {FX_S16, -32768, 32768},
        {FX_U16, 0, 65536},
        {FX_S32, INT32_MIN, 2147483648},
        {FX_S32, 0, INT32_MAX},
        {FX_U32, 0, 4294967296},
        {FX_S64, INT64_MIN, INT64_MAX},
        {FX_U64, 0, INT64_MAX},
        {FX_S32, 16777216, 16777219},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t words[3];
        now.shape = FX_SHAPE(rows[i].dtype);
        now.lo = rows[i].lo, now.hi = rows[i].hi;
        state_of_block(high, words);
        drawn d = draw_on(*state, numbers, words);
        assert_int_equal(fx_tensor_get_int(d.values, 0), now.hi - 1);
        drawn_free(&d);
        uint64_t length = (uint64_t)now.hi - (uint64_t)now.lo;
        bool whole = (length & (length - 1)) == 0; /* a power of two */
        if (!whole) continue;                      /* the word 0 is refused */
        state_of_block(low, words);
        d = draw_on(*state, numbers, words);
        assert_int_equal(fx_tensor_get_int(d.values, 0), now.lo);
        drawn_free(&d);
    }
}

/* Word 0 is refused for a length of 3: the value is that of the next attempt, at the counter + 2^112. */
static void test_attempts(void **state) {
    const uint32_t zero[4] = {0, 0, 0, 0};
    uint64_t words[3], next[3];
    now.shape = FX_SHAPE(FX_S32);
    for (now.hi = 3; now.hi < 90; now.hi *= 5) {
        now.lo = 0;
        state_of_block(zero, words);
        memcpy(next, words, sizeof next);
        next[2] += UINT64_C(1) << 48;
        drawn a = draw_on(*state, numbers, words), b = draw_on(*state, numbers, next);
        assert_true(fx_tensor_equal(a.values, b.values));
        assert_false(fx_tensor_equal(a.state, b.state));
        drawn_free(&a), drawn_free(&b);
    }
}

/* Of [2^24, 2^24 + 3) all three come up, and odd values below 2^31 as often as even ones. */
static void test_above_floats(void **state) {
    (void)state;
    now.shape = FX_SHAPE(FX_S32, 1 << 16);
    cells_are_equal(numbers, 16777216, 1, 3, 1);
    now.lo = 0, now.hi = INT32_MAX;
    drawn d = draw_seed(fast_backend, numbers, 2);
    int64_t odd = 0, n = fx_tensor_size(d.values);
    for (int64_t i = 0; i < n; i++) odd += fx_tensor_get_int(d.values, i) & 1;
    assert_true(fabs((double)odd - (double)n / 2) < 4 * sqrt((double)n / 4));
    drawn_free(&d);
}

static void test_same_bits(void **state) {
    static const fx_dtype dtypes[] = {FX_S4, FX_U8, FX_S16, FX_U32, FX_S32, FX_U64, FX_S64, FX_BOOL};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        now.lo = 0, now.hi = dtypes[i] == FX_BOOL ? 2 : 7;
        now.shape = FX_SHAPE(dtypes[i], 7, 33);
        same_on_both(fx_dtype_name(dtypes[i]), numbers);
        same_on_both(fx_dtype_name(dtypes[i]), nodes);
    }
    now.shape = FX_SHAPE(FX_S64, 999);
    now.lo = INT64_MIN, now.hi = INT64_C(1) << 62; /* every fourth word is refused */
    same_on_both("refused words", numbers);
    now.shape = FX_SHAPE(FX_S64, 0, 3);
    same_on_both("no elements", numbers);
}

/* ---- refusals ---- */

static fx_graph *with(int64_t lo, int64_t hi, fx_dtype dtype) {
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_random_int(fx_random_state(graph, 1), lo, hi, &FX_SHAPE(dtype, 2), NULL);
    return graph;
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused(with(3, 3, FX_S32), "fx_random_int: the range [3, 3) is empty");
    assert_refused(with(5, 2, FX_S32), "fx_random_int: the range [5, 2) is empty");
    assert_refused(with(-1, 2, FX_U8), "fx_random_int: the range [-1, 2) does not fit uint8");
    assert_refused(with(0, 257, FX_U8), "fx_random_int: the range [0, 257) does not fit uint8");
    assert_refused(with(0, 3, FX_BOOL), "fx_random_int: the range [0, 3) does not fit bool");
    assert_refused(with(0, 2, FX_F32), "fx_random_int: float32 is not accepted; integers and bool are");
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_random_int_between(fx_random_state(g, 1), fx_scalar_int(g, FX_S32, 0), fx_scalar_int(g, FX_U32, 3),
                          &FX_SHAPE(FX_S32, 2), NULL);
    assert_refused(
        g, "fx_random_int_between: the limits are int32 and uint32 instead of two integers of one dtype");
    g = fx_graph_new(FX_MUST);
    fx_random_int_between(fx_random_state(g, 1), fx_zeros(g, &FX_SHAPE(FX_S32, 3)),
                          fx_scalar_int(g, FX_S32, 3), &FX_SHAPE(FX_S32, 2), NULL);
    assert_refused(g, "fx_random_int_between: the lower limit, (int32)[3], does not broadcast to the shape "
                      "(int32)[2]");
    g = fx_graph_new(FX_MUST);
    fx_random_int(fx_random_state(g, 1), 0, 1, NULL, NULL);
    assert_refused(g, "fx_random_int: the shape is NULL");
    assert_null(fx_random_int(NULL, 0, 1, &FX_SHAPE(FX_S32), NULL));
    assert_null(fx_random_int_between(NULL, NULL, NULL, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),
        BOTH(test_nodes),
        BOTH(test_ends),
        BOTH(test_attempts),
        cmocka_unit_test(test_above_floats),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
