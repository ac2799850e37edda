/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of scatters of every kind: duplicates, overlapping windows, dropped updates, zeros, ties. */
#include "support/gradients.h"
#include <math.h>

GRAPH_FN(sum, fx_scatter_sum(x, z, y))
GRAPH_FN(product, fx_scatter_mul(x, z, y))
GRAPH_FN(update, fx_scatter_update(x, z, y))
GRAPH_FN(max, fx_scatter_max(x, z, y))
GRAPH_FN(min, fx_scatter_min(x, z, y))
GRAPH_FN(squared, fx_mul(fx_scatter_sum(x, z, y), fx_scatter_sum(x, z, y)))
GRAPH_FN(put_along, fx_put_along_axis(x, z, y, 1))

/* windows of 2 at starts along axis 0, and batching axes */
#define WINDOWS(kind)                                                                                        \
    fx_scatter_general(                                                                                      \
        x, z, y, kind,                                                                                       \
        &(fx_scatter_options){.window_axes = FX_AXES(1), .index_map = FX_AXES(0), .index_axis = 1})
GRAPH_FN(window_sum, WINDOWS(FX_SCATTER_SUM))
GRAPH_FN(window_product, WINDOWS(FX_SCATTER_PRODUCT))
GRAPH_FN(window_update, WINDOWS(FX_SCATTER_UPDATE))
GRAPH_FN(window_max, WINDOWS(FX_SCATTER_MAX))
#define BATCHES(kind)                                                                                        \
    fx_scatter_general(x, z, y, kind,                                                                        \
                       &(fx_scatter_options){.window_axes = FX_AXES(0),                                      \
                                             .inserted_axes = FX_AXES(2),                                    \
                                             .operand_batch_axes = FX_AXES(0),                               \
                                             .indices_batch_axes = FX_AXES(1),                               \
                                             .index_map = FX_AXES(2, 1),                                     \
                                             .index_axis = 0})
GRAPH_FN(batch_sum, BATCHES(FX_SCATTER_SUM))
GRAPH_FN(batch_product, BATCHES(FX_SCATTER_PRODUCT))
GRAPH_FN(batch_update, BATCHES(FX_SCATTER_UPDATE))
GRAPH_FN(batch_min, BATCHES(FX_SCATTER_MIN))

static fx_tensor *indices(fx_shape shape, double low, double high, unsigned seed) {
    return random_values(FX_S64, (fx_dims){shape.dims, (size_t)shape.rank}, low, high, seed);
}
#define RANDOM_INDICES(seed, low, high, ...) indices(FX_SHAPE(FX_S64, __VA_ARGS__), low, high, seed)

static void check_kind(const char *name, fx_fn fn, bool complex) {
    const derivative_case rows[] = {
        {.fn = fn, .in = {RANDOM_F64(1, -2, 2, 4), RANDOM_F64(2, -2, 2, 6), RANDOM_INDICES(3, 0, 4, 6, 1)}},
        {.fn = fn, .in = {RANDOM_F64(1, -2, 2, 4), RANDOM_F64(2, -2, 2, 6), RANDOM_INDICES(3, -3, 7, 6, 1)}},
        {.fn = fn,
         .in = {RANDOM_F64(1, -2, 2, 3, 2), RANDOM_F64(2, -2, 2, 4, 2), RANDOM_INDICES(3, 0, 3, 4, 1)}},
        {.fn = fn,
         .in = {RANDOM_F64(1, -2, 2, 3, 2), RANDOM_F64(2, -2, 2, 4), RANDOM_INDICES(3, 0, 3, 4, 2)}},
        {.fn = fn, .in = {RANDOM_F64(1, -2, 2, 3), RANDOM_F64(2, -2, 2, 0), RANDOM_INDICES(3, 0, 3, 0, 1)}},
        {.fn = fn, .in = {RANDOM_F64(1, -2, 2, 0), RANDOM_F64(2, -2, 2, 2), RANDOM_INDICES(3, 0, 3, 2, 1)}},
        {.fn = fn,
         .in = {RANDOM_C128(1, -1, 1, 3), RANDOM_C128(2, -1, 1, 4), RANDOM_INDICES(3, 0, 3, 4, 1)}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        derivative_case c = rows[i];
        c.name = name, c.n_in = 3, c.n_out = 1;
        if (!complex && fx_tensor_dtype(c.in[0]) == FX_C128) {
            for (size_t k = 0; k < 3; k++) fx_tensor_free(c.in[k]);
            continue;
        }
        check_derivatives(&c);
    }
}

static void test_kinds(void **state) {
    (void)state;
    check_kind("sum", sum, true);
    check_kind("product", product, true);
    check_kind("update", update, true);
    check_kind("max", max, false);
    check_kind("min", min, false);
    check_kind("squared", squared, true);
}

static void test_windows(void **state) {
    (void)state;
#define WINDOW_ROW(fn)                                                                                       \
    ROW(fn, RANDOM_F64(1, -2, 2, 5), RANDOM_F64(2, -2, 2, 4, 2), RANDOM_INDICES(3, -1, 5, 4, 1))
#define BATCH_ROW(fn)                                                                                        \
    ROW(fn, RANDOM_F64(1, -2, 2, 2, 4, 3), RANDOM_F64(2, -2, 2, 2, 2, 5), RANDOM_INDICES(3, -1, 3, 2, 2, 5))
    CHECK_ROWS(WINDOW_ROW(window_sum), WINDOW_ROW(window_product), WINDOW_ROW(window_update),
               WINDOW_ROW(window_max), BATCH_ROW(batch_sum), BATCH_ROW(batch_product),
               BATCH_ROW(batch_update), BATCH_ROW(batch_min),
               ROW(put_along, RANDOM_F64(1, -2, 2, 2, 4), RANDOM_F64(2, -2, 2, 2, 5),
                   RANDOM_INDICES(3, -4, 4, 2, 5)));
}

#define AT(...)                                                                                              \
    FLOATS(FX_SHAPE(FX_S32, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), 1), __VA_ARGS__)

static void test_product(void **state) {
    (void)state;
    GRADIENTS(window_product, "[4]float64{2, 15, 7, 1}; [2][2]float64{{1, 5}, {3, 1}}",
              FLOATS(FX_SHAPE(FX_F64, 4), 1, 1, 1, 1), FLOATS(FX_SHAPE(FX_F64, 2, 2), 2, 3, 5, 7), AT(0, 1));
    /* polynomials in what is zero: to second order */
    CHECK_ROWS(ROW(product, FLOATS(FX_SHAPE(FX_F64, 2), 0, 3), FLOATS(FX_SHAPE(FX_F64, 5), 0, 2, 0, 5, 0),
                   AT(0, 1, 1, 0, 7)),
               ROW(product, FLOATS(FX_SHAPE(FX_F64, 2), 2, 3), FLOATS(FX_SHAPE(FX_F64, 4), 0, 2, 4, 5),
                   AT(0, 0, 0, 1)));
    check_vjp_in(
        FX_BF16,
        &(derivative_case)ROW(product, RANDOM_F64(1, 0.5, 2, 3), RANDOM_F64(2, 0.5, 2, 5), AT(0, 1, 1, 2, 1)),
        0x1p-6);
}

static void test_last_wins(void **state) {
    (void)state;
    GRADIENTS(update, "[3]float64{0, 0, 1}; [4]float64{0, 1, 1, 0}", FLOATS(FX_SHAPE(FX_F64, 3), 1, 2, 3),
              FLOATS(FX_SHAPE(FX_F64, 4), 4, 5, 6, 7), AT(1, 0, 1, 3));
}

static void test_ties(void **state) {
    (void)state;
    GRADIENTS(max, "[2]float64{0.25, 0}; [5]float64{0.25, 0.25, 0.25, 1, 0}",
              FLOATS(FX_SHAPE(FX_F64, 2), 4, 1), FLOATS(FX_SHAPE(FX_F64, 5), 4, 4, 4, 2, 9),
              AT(0, 0, 0, 1, 2));
    GRADIENTS(min, "[2]float64{0.5, 1}; [3]float64{0.5, 0, 0}", FLOATS(FX_SHAPE(FX_F64, 2), NAN, 1),
              FLOATS(FX_SHAPE(FX_F64, 3), NAN, 0, INFINITY), AT(0, 0, 1));
}

/* ---- composites ---- */

GRAPH_FN(segments_sum, fx_segment_sum(x, y, 3))
GRAPH_FN(segments_prod, fx_segment_prod(x, y, 2))
GRAPH_FN(segments_max, fx_segment_max(x, y, 3))
GRAPH_FN(segments_min, fx_segment_min(x, y, 3))
GRAPH_FN(segments_mean, fx_segment_mean(x, y, 3))

#define IDS(...) FLOATS(FX_SHAPE(FX_S32, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), __VA_ARGS__)

static void test_segments(void **state) {
    (void)state;
    CHECK_ROWS(ROW(segments_sum, RANDOM_F64(1, -2, 2, 4, 2), IDS(0, 2, 0, 3)),
               ROW(segments_prod, RANDOM_F64(1, -2, 2, 4, 2), IDS(0, 1, 0, 1)),
               ROW(segments_max, RANDOM_F64(1, -2, 2, 4, 2), IDS(0, 2, 1, 2)),
               ROW(segments_min, RANDOM_F64(1, -2, 2, 4), IDS(0, 1, 2, 0)),
               ROW(segments_mean, RANDOM_F64(1, -2, 2, 4, 2), IDS(0, 2, 0, 3)));
    GRADIENTS(segments_prod, "[4]float64{3, 2, 7, 5}", FLOATS(FX_SHAPE(FX_F64, 4), 2, 3, 5, 7),
              IDS(0, 0, 1, 1));
    GRADIENTS(segments_max, "[3]float64{0.5, 0.5, 1}", FLOATS(FX_SHAPE(FX_F64, 3), 2, 2, -9), IDS(0, 0, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),   cmocka_unit_test(test_windows),
                                       cmocka_unit_test(test_product), cmocka_unit_test(test_last_wins),
                                       cmocka_unit_test(test_ties),    cmocka_unit_test(test_segments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
