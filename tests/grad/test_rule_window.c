/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of windows: every kind with every option, real and complex, to second order; which elements
 * extremes select; products with zeros; pools and interpolation, which are made of windows. */
#include "support/derivatives.h"
#include "support/run_graph.h"
#include <fluxion/window.h>
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

static const row rows[] = {
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        window_call call = {kind, &rows[i].options};
        snprintf(name, sizeof name, "%s: %s", kind_name, rows[i].name);
        check_derivatives(&(derivative_case){.name = name,
                                             .order = kind == FX_WINDOW_MAX || kind == FX_WINDOW_MIN ? 1 : 2,
                                             .fn = window_fn,
                                             .user = &call,
                                             .n_in = 1,
                                             .n_out = 1,
                                             .in = {random_values(dtype, rows[i].x, -2, 2, 3)}});
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_extremes),
                                       cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
