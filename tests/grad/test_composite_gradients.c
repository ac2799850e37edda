/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of composites where rules meet traps: rows that are all masked or all -Inf, norms and deviations of
 * nothing but zeros, a maximum of NaN, products with zeros, starts that are clamped, and what has none. Smooth
 * places are compared with JAX (tests/golden/gradient.py), and with differences to second order here. */
#include "support/gradients.h"
#include <math.h>

#define INF INFINITY
#define F64(n, ...) FLOATS(FX_SHAPE(FX_F64, n), __VA_ARGS__)
#define ROWS(rows, columns, ...) FLOATS(FX_SHAPE(FX_F64, rows, columns), __VA_ARGS__)
#define MASK(rows, columns, ...) FLOATS(FX_SHAPE(FX_BOOL, rows, columns), __VA_ARGS__)
#define IDS(n, ...) FLOATS(FX_SHAPE(FX_S32, n), __VA_ARGS__)

/* ---- softmax and its relatives ---- */

GRAPH_FN(softmax, fx_mul(y, fx_softmax(x, FX_AXES(-1))))
GRAPH_FN(log_softmax, fx_mul(y, fx_log_softmax(x, FX_AXES(-1))))
GRAPH_FN(logsumexp, fx_logsumexp(x, FX_AXES(-1)))
GRAPH_FN(plain_log_softmax, fx_log_softmax(x, FX_AXES(-1)))
GRAPH_FN(masked_softmax, fx_mul(z, fx_masked_softmax(x, y, FX_AXES(-1))))
GRAPH_FN(masked_log_softmax, fx_masked_log_softmax(x, y, FX_AXES(-1)))
GRAPH_FN(plain_softmax, fx_softmax(x, FX_AXES(-1)))
GRAPH_FN(axes_softmax, fx_log_softmax(x, FX_AXES(0, 2)))

static void test_softmax(void **state) {
    (void)state;
    CHECK_ROWS(ROW(softmax, RANDOM_F64(1, -2, 2, 2, 4), RANDOM_F64(2, -2, 2, 2, 4)),
               ROW(log_softmax, RANDOM_F64(1, -2, 2, 2, 4), RANDOM_F64(2, -2, 2, 2, 4)),
               ROW(logsumexp, RANDOM_F64(1, -2, 2, 2, 4)), ROW(logsumexp, RANDOM_F64(1, -2, 2, 2, 1)),
               ROW(logsumexp, ROWS(2, 3, 1, 1, 1, 2, 2, 1)), ROW(plain_softmax, RANDOM_F64(1, -2, 2, 0, 3)),
               ROW(plain_softmax, RANDOM_F64(1, -2, 2, 3, 0)),
               ROW(axes_softmax, RANDOM_F64(1, -2, 2, 2, 2, 2)),
               ROW(masked_softmax, RANDOM_F64(1, -2, 2, 2, 3), MASK(2, 3, 1, 1, 0, 0, 0, 0),
                   RANDOM_F64(2, -2, 2, 2, 3)));
    check_vjp_in(FX_BF16,
                 &(derivative_case)ROW(softmax, RANDOM_F64(1, -2, 2, 2, 4), RANDOM_F64(2, -2, 2, 2, 4)),
                 0x1p-6);
}

static void test_empty_rows(void **state) {
    (void)state;
    GRADIENTS(logsumexp, "[2]float64{0, 0}", F64(2, -INF, -INF));
    GRADIENTS(logsumexp, "[2]float64{0, 1}", F64(2, -INF, 1));
    GRADIENTS(plain_log_softmax, "[2]float64{0, 0}", F64(2, -INF, -INF));
    GRADIENTS(plain_softmax, "[2][2]float64{{0, 0}, {0, 0}}", ROWS(2, 2, -INF, -INF, -INF, 1));
    GRADIENTS(masked_softmax, "[1][2]float64{{0, 0}}; [1][2]float64{{0, 0}}", ROWS(1, 2, 1, 2),
              MASK(1, 2, 0, 0), ROWS(1, 2, 3, 4));
    GRADIENTS(masked_softmax, "[1][2]float64{{0, 0}}; [1][2]float64{{0, 0}}", ROWS(1, 2, NAN, INF),
              MASK(1, 2, 0, 0), ROWS(1, 2, 3, 4));
    GRADIENTS(masked_log_softmax, "[2][2]float64{{0, 0}, {0, 0}}", ROWS(2, 2, 1, NAN, 3, 4),
              MASK(2, 2, 1, 0, 0, 0));
}

/* ---- masked reductions ---- */

GRAPH_FN(masked_sum, fx_masked_reduce_sum(x, y, FX_AXES(1)))
GRAPH_FN(masked_mean, fx_masked_reduce_mean(x, y, FX_AXES(1)))
GRAPH_FN(masked_max, fx_masked_reduce_max(x, y, FX_AXES(1)))
GRAPH_FN(masked_min, fx_masked_reduce_min(x, y, FX_AXES(1)))

static void test_masked(void **state) {
    (void)state;
    GRADIENTS(masked_sum, "[2][2]float64{{1, 0}, {0, 0}}", ROWS(2, 2, 1, NAN, 3, INF),
              MASK(2, 2, 1, 0, 0, 0));
    GRADIENTS(masked_mean, "[2][2]float64{{1, 0}, {0, 0}}", ROWS(2, 2, 1, NAN, 3, INF),
              MASK(2, 2, 1, 0, 0, 0));
    GRADIENTS(masked_max, "[2][2]float64{{1, 0}, {0, 0}}", ROWS(2, 2, 1, 9, 3, INF), MASK(2, 2, 1, 0, 0, 0));
    GRADIENTS(masked_min, "[2][2]float64{{0.5, 0.5}, {0, 0}}", ROWS(2, 2, 1, 1, 3, NAN),
              MASK(2, 2, 1, 1, 0, 0));
}

/* ---- statistics and norms ---- */

GRAPH_FN(deviation, fx_reduce_std(x, FX_AXES(1)))
GRAPH_FN(variance, fx_reduce_variance(x, FX_AXES(1)))
GRAPH_FN(skewness, fx_reduce_skewness(x, FX_AXES(1)))
GRAPH_FN(l2_norm, fx_l2_norm(x, FX_AXES(1)))
GRAPH_FN(l2_normalize, fx_l2_normalize(x, FX_AXES(1)))
GRAPH_FN(norm_3, fx_norm(x, 3, FX_AXES(1)))
GRAPH_FN(norm_infinite, fx_norm(x, INFINITY, FX_AXES(1)))
GRAPH_FN(median, fx_median(x, 0))
GRAPH_FN(chosen_norm,
         fx_where(fx_greater_scalar(fx_sqrt(fx_reduce_sum(fx_mul(x, x), FX_AXES(1))), 0.5),
                  fx_sqrt(fx_reduce_sum(fx_mul(x, x), FX_AXES(1))), fx_scalar(fx_node_graph(x), FX_F64, 1)))

static void test_statistics(void **state) {
    (void)state;
    CHECK_ROWS(ROW(deviation, RANDOM_F64(1, -2, 2, 2, 4)), ROW(variance, RANDOM_F64(1, -2, 2, 2, 4)),
               ROW(skewness, RANDOM_F64(1, -2, 2, 2, 4)), ROW(l2_normalize, RANDOM_F64(1, -2, 2, 2, 3)),
               ROW(norm_3, RANDOM_F64(1, -2, 2, 2, 3)), ROW(l2_norm, RANDOM_C128(1, -2, 2, 2, 3)));
    GRADIENTS(deviation, "[1][2]float64{{0, 0}}", ROWS(1, 2, 5, 5));
    GRADIENTS(l2_norm, "[1][2]float64{{0, 0}}", ROWS(1, 2, 0, 0));
    GRADIENTS(norm_3, "[1][2]float64{{0, 0}}", ROWS(1, 2, 0, 0));
    GRADIENTS(norm_infinite, "[1][2]float64{{0, 0}}", ROWS(1, 2, 0, 0));
    GRADIENTS(median, "[4]float64{0, 0.5, 0.5, 0}", F64(4, 1, 2, 3, 9));
    GRADIENTS(chosen_norm, "[2][2]float64{{0.6000000000000001, 0.8}, {0, 0}}", ROWS(2, 2, 3, 4, 0, 0));
}

/* ---- moves, indices, counts ---- */

static fx_node *sine_at_1(fx_node *x) {
    return fx_update_at(x, FX_DIMS(1), fx_sin(fx_part_at(x, FX_DIMS(1))));
}

/* b < 1 is evaluated beside b^2 and changes nothing. */
static fx_node *beside(fx_node *x) {
    fx_node *b = fx_add(fx_broadcast_to_dims(fx_reshape(x, FX_DIMS(1, 3, 3)), FX_DIMS(3, 3, 3)),
                        fx_ones(fx_node_graph(x), &FX_SHAPE(FX_F64, 3, 3, 3)));
    fx_node *unused = fx_convert(fx_less_scalar(b, 1), FX_F64);
    return fx_add(fx_mul(b, b), fx_mul_scalar(unused, 0));
}

static fx_node *unique(fx_node *x) {
    fx_node *count;
    return fx_unique(x, 3, NULL, &count);
}

GRAPH_FN(scattered_sine, sine_at_1(x))
GRAPH_FN(compared_beside, beside(x))
GRAPH_FN(counted, fx_mul(x, fx_convert(fx_histogram(x, 2, 0, 2), FX_F64)))
GRAPH_FN(distinct, fx_mul(y, unique(x)))
GRAPH_FN(hot, fx_mul(x, fx_one_hot(y, 2, FX_F64)))
GRAPH_FN(lower, fx_tril(x, 0))
GRAPH_FN(averages, fx_segment_mean(x, y, 3))
GRAPH_FN(segment_weights, fx_mul(z, fx_segment_softmax(x, y, 3)))

static void test_moves(void **state) {
    (void)state;
    CHECK_ROWS(ROW(scattered_sine, F64(2, 1, 2)),
               ROW(segment_weights, RANDOM_F64(1, -2, 2, 4), IDS(4, 0, 2, 0, 2), RANDOM_F64(2, -2, 2, 4)));
    GRADIENTS(compared_beside, "[3][3]float64{{12, 12, 12}, {12, 12, 12}, {12, 12, 12}}",
              ROWS(3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1));
    GRADIENTS(counted, "[2]float64{1, 1}", F64(2, 0.5, 1.5));
    GRADIENTS(hot, "[2][2]float64{{1, 0}, {0, 1}}", ROWS(2, 2, 0.5, 0.5, 1.5, 1.5), IDS(2, 0, 1));
    GRADIENTS(lower, "[2][2]float64{{1, 0}, {1, 1}}", ROWS(2, 2, 0.5, INF, 1.5, 1.5));
    GRADIENTS(averages, "[3]float64{0.5, 0, 0.5}", F64(3, 1, 2, 3), IDS(3, 0, 7, 0));
    GRADIENTS(distinct, "[4]float64{4, 2, 0, 3}; [3]float64{1, 2, 5}", F64(4, 5, 1, 1, 2), F64(3, 2, 3, 4));
}

/* ---- closures over whole arrays ---- */

static void grow(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_mul(in[0], fx_sin(in[1]));
}

static fx_node *reduced(fx_node *x, fx_node *initial) {
    return fx_reduce_with(FX_NODES(x), FX_NODES(initial), FX_AXES(0), grow, NULL, NULL);
}

GRAPH_FN(reduced_with, reduced(x, y))

static void test_closures(void **state) {
    (void)state;
    CHECK_ROWS(ROW(reduced_with, RANDOM_F64(1, -2, 2, 1, 2), FLOATS(FX_SHAPE(FX_F64), 0.7)));
}

/* ---- batches: derivatives of a batch, and a batch of derivatives ---- */

static void slice_at(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_dynamic_slice(in[0], FX_NODES(in[1]), FX_DIMS(2));
}

static void by_sine(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_less(fx_sin(fx_mul(in[0], user)), fx_sin(fx_mul(in[1], user)));
}

static fx_node *order_of_sines(fx_node *x) {
    fx_node *sorted;
    fx_sort_func(by_sine, fx_reduce_max(fx_abs(x), FX_AXES(0)), 0, FX_NODES(x), &sorted);
    return sorted;
}

static void several(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *x = in[0], *best = fx_top_k(x, 2, 0, NULL);
    fx_node *sum = fx_add(fx_mul(fx_sort(x, 0, true), fx_cum_prod(x, 0)), order_of_sines(x));
    out[0] = fx_add(fx_reduce_all_sum(fx_mul(sum, sum)), fx_reduce_all_sum(fx_mul(best, best)));
}

static void several_gradients(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                              void *user) {
    fx_node *loss[1];
    several(body, in, n_in, loss, n_out, user);
    fx_gradient(loss[0], FX_NODES(in[0]), out);
}

static fx_node *mapped(fx_node *x, fx_node *y, fx_fn fn) {
    const int axes[] = {FX_NOT_BATCHED, 0};
    return y ? fx_vmap(FX_NODES(x, y), axes, fn, NULL, 1, NULL, NULL)
             : fx_vmap(FX_NODES(x), NULL, fn, NULL, 1, NULL, NULL);
}

GRAPH_FN(batch_of_slices, mapped(x, y, slice_at))
GRAPH_FN(gradient_of_batch, mapped(x, NULL, several))
GRAPH_FN(batch_of_gradients, mapped(x, NULL, several_gradients))

static void test_batches(void **state) {
    (void)state;
    CHECK_ROWS(ROW(batch_of_slices, RANDOM_F64(1, -2, 2, 5), IDS(3, 1, -4, 9)),
               ROW(gradient_of_batch, ROWS(2, 3, 0.3, -0.9, 1.4, 1.1, 0.2, -0.6)),
               {.name = "batch_of_gradients",
                .fn = batch_of_gradients,
                .n_in = 1,
                .n_out = 1,
                .order = 1,
                .in = {ROWS(2, 3, 0.3, -0.9, 1.4, 1.1, 0.2, -0.6)}});
    GRADIENTS(batch_of_slices, "[5]float32{1, 1, 0, 2, 2}", FLOATS(FX_SHAPE(FX_F32, 5), 1, 2, 3, 4, 5),
              IDS(3, 0, 9, 3));
}

/* ---- third derivatives ---- */

GRAPH_FN(cubic, fx_reduce_product(x, FX_AXES(0)))
GRAPH_FN(running, fx_cum_prod(x, 0))

static void gradient_of(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    const fx_fn *fn = user;
    fx_node *y[1];
    (*fn)(body, in, n_in, y, n_out, NULL);
    fx_gradient(fx_reduce_all_sum(y[0]), FX_NODES(in[0]), out);
}

static void test_third(void **state) {
    (void)state;
    fx_fn functions[] = {cubic, running, logsumexp, plain_softmax, deviation};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        check_derivatives(&(derivative_case){.name = "third",
                                             .fn = gradient_of,
                                             .user = &functions[i],
                                             .n_in = 1,
                                             .n_out = 1,
                                             .in = {i < 2 ? F64(3, 0, 2, 0) : ROWS(2, 3, 1, 2, 4, 0, 1, 5)}});
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_softmax), cmocka_unit_test(test_empty_rows),
                                       cmocka_unit_test(test_masked),  cmocka_unit_test(test_statistics),
                                       cmocka_unit_test(test_moves),   cmocka_unit_test(test_closures),
                                       cmocka_unit_test(test_batches), cmocka_unit_test(test_third)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
