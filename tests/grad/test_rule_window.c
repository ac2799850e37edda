/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of windows: every kind with every option, real and complex, to second order; which elements
 * extremes select; products with zeros; pools and interpolation, which are made of windows. */
#include "support/gradients.h"
#include <fluxion/combine.h>
#include <fluxion/convolution.h>
#include <fluxion/grad.h>
#include <fluxion/pool.h>
#include <fluxion/window.h>
#include <math.h>
#include <stdio.h>

#define DIMS(...)                                                                                            \
    { (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t) }
#define PADS(...)                                                                                            \
    { (const fx_pad_axis[]){__VA_ARGS__}, sizeof((fx_pad_axis[]){__VA_ARGS__}) / sizeof(fx_pad_axis) }

/* ---- reduce_window ---- */

typedef struct row {
    const char *name;
    fx_dims x;
    fx_window_options options;
} row;

static const row table[] = {
    {"a vector", DIMS(9), {.window = DIMS(3), .strides = DIMS(1)}},
    {"windows side by side", DIMS(6, 4), {.window = DIMS(2, 2)}},
    {"windows side by side, places left over", DIMS(7, 5), {.window = DIMS(2, 3)}},
    {"overlapping", DIMS(2, 7, 6, 2), {.window = DIMS(1, 3, 2, 1), .strides = DIMS(1, 2, 1, 1)}},
    {"padded",
     DIMS(5, 6),
     {.window = DIMS(3, 2), .strides = DIMS(2, 2), .paddings = PADS({1, 1, 0}, {0, 2, 0})}},
    {"negative paddings",
     DIMS(8, 7),
     {.window = DIMS(2, 3), .strides = DIMS(1, 2), .paddings = PADS({-2, 1, 0}, {1, -1, 0})}},
    {"windows in padding alone",
     DIMS(3),
     {.window = DIMS(2), .strides = DIMS(2), .paddings = PADS({4, 5, 0})}},
    {"strides beyond the window", DIMS(11), {.window = DIMS(2), .strides = DIMS(4)}},
    {"dilated windows",
     DIMS(9, 5),
     {.window = DIMS(3, 2), .strides = DIMS(1, 1), .window_dilations = DIMS(2, 3)}},
    {"dilated operand",
     DIMS(4, 3),
     {.window = DIMS(3, 2), .strides = DIMS(2, 1), .base_dilations = DIMS(3, 2)}},
    {"all of these",
     DIMS(5, 4),
     {.window = DIMS(3, 5),
      .strides = DIMS(2, 3),
      .base_dilations = DIMS(2, 3),
      .window_dilations = DIMS(3, 1),
      .paddings = PADS({2, -1, 0}, {-1, 4, 0})}},
    {"long windows", DIMS(40), {.window = DIMS(23), .strides = DIMS(5)}},
    {"windows of one element", DIMS(3, 2), {.strides = DIMS(2, 1)}},
    {"a scalar", {NULL, 0}, {0}},
    {"one element", DIMS(1, 1), {.window = DIMS(1, 1)}},
    {"no element", DIMS(0, 3), {.window = DIMS(1, 2)}},
    {"nothing but padding", DIMS(0, 3), {.window = DIMS(2, 1), .paddings = PADS({2, 2, 0}, {0, 0, 0})}},
};

typedef struct window_call {
    fx_window_kind kind;
    const fx_window_options *options;
} window_call;

static void window_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    const window_call *call = user;
    (void)body, (void)n_in, (void)n_out;
    fx_node *y = fx_reduce_window(in[0], call->kind, call->options);
    if (call->kind == FX_WINDOW_MAX) y = fx_max_scalar(y, -5); /* windows without elements give -Inf */
    if (call->kind == FX_WINDOW_MIN) y = fx_min_scalar(y, 5);
    out[0] = y;
}

static void check_rows(fx_window_kind kind, const char *kind_name, fx_dtype dtype) {
    char name[120];
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        window_call call = {kind, &table[i].options};
        snprintf(name, sizeof name, "%s: %s", kind_name, table[i].name);
        check_derivatives(&(derivative_case){.name = name,
                                             .fn = window_fn,
                                             .user = &call,
                                             .n_in = 1,
                                             .n_out = 1,
                                             .in = {random_values(dtype, table[i].x, -2, 2, 3)}});
    }
}

static void test_sums(void **state) {
    (void)state;
    check_rows(FX_WINDOW_SUM, "sum", FX_F64);
    check_rows(FX_WINDOW_SUM, "complex sum", FX_C128);
}
static void test_extremes(void **state) {
    (void)state;
    check_rows(FX_WINDOW_MAX, "max", FX_F64);
    check_rows(FX_WINDOW_MIN, "min", FX_F64);
}
static void test_products(void **state) {
    (void)state;
    check_rows(FX_WINDOW_PRODUCT, "product", FX_F64);
    check_rows(FX_WINDOW_PRODUCT, "complex product", FX_C128);
}

/* ---- which element is selected; zeros of products ---- */

#define WINDOW(...) (&(fx_window_options){__VA_ARGS__})
#define POOL(...) (&(fx_pool_options){.full_shape = true, __VA_ARGS__})

GRAPH_FN(max_of_two, fx_reduce_window(x, FX_WINDOW_MAX, WINDOW(.window = FX_DIMS(2), .strides = FX_DIMS(1))))
GRAPH_FN(min_of_two, fx_reduce_window(x, FX_WINDOW_MIN, WINDOW(.window = FX_DIMS(2), .strides = FX_DIMS(1))))
GRAPH_FN(max_of_squares,
         fx_reduce_window(x, FX_WINDOW_MAX, WINDOW(.window = FX_DIMS(2, 2), .strides = FX_DIMS(1, 1))))
GRAPH_FN(dilated_max, fx_reduce_window(x, FX_WINDOW_MAX,
                                       WINDOW(.window = FX_DIMS(2), .strides = FX_DIMS(1),
                                              .window_dilations = FX_DIMS(2))))
GRAPH_FN(padded_max, fx_reduce_window(x, FX_WINDOW_MAX,
                                      WINDOW(.window = FX_DIMS(2), .strides = FX_DIMS(2),
                                             .paddings = {(const fx_pad_axis[]){{3, 2, 0}}, 1})))
GRAPH_FN(padded_dilated_max,
         fx_reduce_window(x, FX_WINDOW_MAX,
                          WINDOW(.window = FX_DIMS(2), .strides = FX_DIMS(1), .base_dilations = FX_DIMS(3))))
GRAPH_FN(product_of_three,
         fx_reduce_window(x, FX_WINDOW_PRODUCT, WINDOW(.window = FX_DIMS(3), .strides = FX_DIMS(1))))
GRAPH_FN(whole_max, fx_max_pool(x, POOL(.window = FX_DIMS(2, 2))))

static void test_selection(void **state) {
    (void)state;
    GRADIENTS(max_of_two, "[4]float64{1, 1, 1, 0}", FLOATS(FX_SHAPE(FX_F64, 4), 2, 2, 2, 1));
    GRADIENTS(max_of_two, "[4]float64{0, 2, 1, 0}", FLOATS(FX_SHAPE(FX_F64, 4), 2, 3, 2, 2));
    GRADIENTS(min_of_two, "[3]float64{1, 1, 0}", FLOATS(FX_SHAPE(FX_F64, 3), -0.0, 0, -0.0));
    GRADIENTS(max_of_two, "[4]float64{0, 2, 1, 0}", FLOATS(FX_SHAPE(FX_F64, 4), 1, NAN, NAN, INFINITY));
    GRADIENTS(max_of_squares, "[3][2]float64{{0, 1}, {0, 0}, {1, 0}}",
              FLOATS(FX_SHAPE(FX_F64, 3, 2), 0, 7, 7, 6, 8, 7));
    GRADIENTS(dilated_max, "[5]float64{1, 1, 1, 0, 0}", FLOATS(FX_SHAPE(FX_F64, 5), 2, 3, 2, 3, 1));
    GRADIENTS(padded_max, "[2]float64{1, 1}", FLOATS(FX_SHAPE(FX_F64, 2), -INFINITY, -INFINITY));
    GRADIENTS(padded_dilated_max, "[2]float64{1, 1}", FLOATS(FX_SHAPE(FX_F64, 2), -INFINITY, -INFINITY));
    GRADIENTS(max_of_two, "[3]float16{1, 1, 0}", FLOATS(FX_SHAPE(FX_F16, 3), 2, 2, 2));
    GRADIENTS(whole_max, "[2][2]float64{{0, 1}, {0, 0}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 1, 2, 2, 1));
    GRADIENTS(product_of_three, "[4]float64{0, 8, 0, 0}", FLOATS(FX_SHAPE(FX_F64, 4), 2, 0, 4, 0));
    GRADIENTS(product_of_three, "[4]float64{0, 21, 0, 0}", FLOATS(FX_SHAPE(FX_F64, 4), 2, 0, 3, 5));
}

/* ---- select_and_scatter, and max pooling where it is differentiated twice ---- */

GRAPH_FN(scatter_largest, fx_select_and_scatter(x, y, FX_WINDOW_MAX,
                                                WINDOW(.window = FX_DIMS(3, 2), .strides = FX_DIMS(2, 1))))
GRAPH_FN(scatter_smallest, fx_select_and_scatter(x, y, FX_WINDOW_MIN,
                                                 WINDOW(.window = FX_DIMS(2), .strides = FX_DIMS(1),
                                                        .paddings = {(const fx_pad_axis[]){{1, 2, 0}}, 1})))

static fx_node *cube(fx_node *x) {
    return fx_mul(x, fx_mul(x, x));
}
GRAPH_FN(cubed_max_pool, cube(fx_max_pool(x, POOL(.window = FX_DIMS(2), .strides = FX_DIMS(1)))))

/* A gradient as the function: three orders in all. */
GRAPH_FN(gradient_of_cubes, fx_gradient(fx_reduce_all_sum(cube(fx_max_pool(x, POOL(.window = FX_DIMS(2),
                                                                                   .strides = FX_DIMS(1))))),
                                        FX_NODES(x), NULL))
GRAPH_FN(gradient_of_products,
         fx_gradient(fx_reduce_all_sum(fx_reduce_window(x, FX_WINDOW_PRODUCT,
                                                        WINDOW(.window = FX_DIMS(3), .strides = FX_DIMS(1)))),
                     FX_NODES(x), NULL))

static void test_select_and_scatter(void **state) {
    (void)state;
    CHECK_ROWS(ROW(scatter_largest, RANDOM_F64(1, -2, 2, 5, 4), RANDOM_F64(2, -2, 2, 2, 3)),
               ROW(scatter_smallest, RANDOM_F64(1, -2, 2, 4), RANDOM_F64(2, -2, 2, 6)),
               ROW(cubed_max_pool, RANDOM_F64(3, -2, 2, 4, 5)),
               ROW(gradient_of_cubes, RANDOM_F64(3, -2, 2, 4, 5)),
               ROW(gradient_of_products, FLOATS(FX_SHAPE(FX_F64, 6), 2, 0, 0, 3, -1, 4)));
    GRADIENTS(scatter_smallest, "[2]float64{0, 0}; [4]float64{1, 1, 1, 0}", FLOATS(FX_SHAPE(FX_F64, 2), 5, 5),
              FLOATS(FX_SHAPE(FX_F64, 4), 1, 2, 3, 4));
}

/* ---- closures: (a + 1)(b + 1) - 1 is associative ---- */

static void combine_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_add(fx_add(in[0], in[1]), fx_mul(in[0], in[1]));
}

GRAPH_FN(reduce_with, fx_reduce_with(FX_NODES(x), FX_NODES(y), FX_AXES(1), combine_fn, NULL, NULL))
GRAPH_FN(window_with,
         fx_reduce_window_with(FX_NODES(x), FX_NODES(y),
                               WINDOW(.window = FX_DIMS(2, 3), .strides = FX_DIMS(1, 2),
                                      .paddings = {(const fx_pad_axis[]){{1, 0, 0}, {0, 1, 0}}, 2}),
                               combine_fn, NULL, NULL))
GRAPH_FN(scan_with, fx_associative_scan(FX_NODES(x), 1, true, combine_fn, NULL, NULL))

static void test_closures(void **state) {
    (void)state;
    CHECK_ROWS(
        ROW(reduce_with, RANDOM_F64(1, -1, 1, 2, 5), random_values(FX_F64, (fx_dims){NULL, 0}, -1, 1, 2)),
        ROW(reduce_with, RANDOM_F64(1, -1, 1, 2, 0), random_values(FX_F64, (fx_dims){NULL, 0}, -1, 1, 2)),
        ROW(window_with, RANDOM_F64(1, -1, 1, 3, 4), random_values(FX_F64, (fx_dims){NULL, 0}, -1, 1, 2)),
        ROW(scan_with, RANDOM_F64(1, -1, 1, 2, 5)), ROW(scan_with, RANDOM_C128(1, -1, 1, 2, 3)));
}

/* ---- pools ---- */

#define SIDES(...) .paddings = {(const fx_pad_axis[]){__VA_ARGS__}, 2}
GRAPH_FN(mean_pool, fx_mean_pool(x, POOL(.window = FX_DIMS(2, 2))))
GRAPH_FN(padded_mean_pool, fx_mean_pool(x, POOL(.window = FX_DIMS(3, 2), .strides = FX_DIMS(2, 1),
                                                SIDES({1, 1, 0}, {1, 0, 0}))))
GRAPH_FN(padded_sum_pool,
         fx_sum_pool(x, POOL(.window = FX_DIMS(3, 2), .strides = FX_DIMS(2, 1), SIDES({1, 1, 0}, {1, 0, 0}))))
GRAPH_FN(norm_pool, fx_lp_pool(x, 2, POOL(.window = FX_DIMS(2, 2), .strides = FX_DIMS(1, 1))))
GRAPH_FN(third_norm_pool, fx_lp_pool(x, 3, POOL(.window = FX_DIMS(2, 2), .strides = FX_DIMS(1, 1))))
GRAPH_FN(largest_pool, fx_lp_pool(x, INFINITY, POOL(.window = FX_DIMS(2, 2), .strides = FX_DIMS(1, 1))))
GRAPH_FN(magnitude_pool, fx_lp_pool(x, 1, POOL(.window = FX_DIMS(2, 2), .strides = FX_DIMS(1, 1))))
GRAPH_FN(concat_pool,
         fx_concat_pool(x, &(fx_pool_options){.window = FX_DIMS(2),
                                              .strides = FX_DIMS(1),
                                              .paddings = {(const fx_pad_axis[]){{1, 0, 0}}, 1}}))
GRAPH_FN(adaptive_mean, fx_adaptive_mean_pool(x, FX_DIMS(3, 2), false))
GRAPH_FN(adaptive_max, fx_adaptive_max_pool(x, FX_DIMS(3, 2), false))

static void test_pools(void **state) {
    (void)state;
    CHECK_ROWS(
        ROW(mean_pool, RANDOM_F64(1, -2, 2, 4, 6)), ROW(mean_pool, RANDOM_C128(1, -2, 2, 4, 5)),
        ROW(padded_mean_pool, RANDOM_F64(1, -2, 2, 5, 4)), ROW(padded_sum_pool, RANDOM_C128(1, -2, 2, 5, 4)),
        ROW(norm_pool, RANDOM_F64(1, -2, 2, 3, 3)), ROW(third_norm_pool, RANDOM_F64(1, -2, 2, 3, 3)),
        ROW(largest_pool, RANDOM_F64(1, -2, 2, 3, 3)), ROW(magnitude_pool, RANDOM_F64(1, -2, 2, 3, 3)),
        ROW(concat_pool, RANDOM_F64(1, -2, 2, 2, 4, 3)), ROW(adaptive_mean, RANDOM_F64(1, -2, 2, 2, 7, 4, 2)),
        ROW(adaptive_max, RANDOM_F64(1, -2, 2, 2, 7, 4, 2)));
    GRADIENTS(norm_pool, "[2][2]float64{{0, 0}, {0, 0}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 0, 0, 0, 0));
    GRADIENTS(third_norm_pool, "[2][2]float64{{0, 0}, {0, 0}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 0, 0, 0, 0));
    GRADIENTS(norm_pool, "[2][2]float64{{0, 0}, {0, -1}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 0, 0, 0, -4));
    GRADIENTS(mean_pool, "[2][2]float16{{0.25, 0.25}, {0.25, 0.25}}",
              FLOATS(FX_SHAPE(FX_F16, 2, 2), 1, 2, 3, 4));
    check_vjp_in(FX_BF16, &(derivative_case)ROW(padded_mean_pool, RANDOM_F64(1, -2, 2, 5, 4)), 0x1p-7);
    check_vjp_in(FX_F32, &(derivative_case)ROW(product_of_three, RANDOM_F64(1, -2, 2, 9)), 0x1p-20);
    check_vjp_in(FX_F16, &(derivative_case)ROW(product_of_three, RANDOM_F64(1, 1, 2, 9)), 0x1p-9);
}

/* ---- interpolation ---- */

GRAPH_FN(bilinear, fx_interpolate(x, FX_DIMS(5, 3), NULL))
GRAPH_FN(aligned, fx_interpolate(x, FX_DIMS(5, 2), &(fx_interpolate_options){.align_corners = true}))
GRAPH_FN(shifted, fx_interpolate(x, FX_DIMS(2, 7), &(fx_interpolate_options){.half_pixel_centers = -1}))
GRAPH_FN(nearest, fx_interpolate(x, FX_DIMS(7, 2), &(fx_interpolate_options){.nearest = true}))

static void test_interpolation(void **state) {
    (void)state;
    CHECK_ROWS(ROW(bilinear, RANDOM_F64(1, -2, 2, 3, 4)), ROW(bilinear, RANDOM_C128(1, -2, 2, 3, 4)),
               ROW(aligned, RANDOM_F64(1, -2, 2, 3, 4)), ROW(shifted, RANDOM_F64(1, -2, 2, 3, 4)),
               ROW(nearest, RANDOM_F64(1, -2, 2, 3, 4)), ROW(bilinear, RANDOM_F64(1, -2, 2, 1, 1)));
    GRADIENTS(nearest, "[2][1]float64{{6}, {8}}", FLOATS(FX_SHAPE(FX_F64, 2, 1), 1, 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums),
                                       cmocka_unit_test(test_extremes),
                                       cmocka_unit_test(test_products),
                                       cmocka_unit_test(test_selection),
                                       cmocka_unit_test(test_select_and_scatter),
                                       cmocka_unit_test(test_closures),
                                       cmocka_unit_test(test_pools),
                                       cmocka_unit_test(test_interpolation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
