/* SPDX-License-Identifier: Apache-2.0 */
/* Pools, adaptive pools and interpolation: what they refuse, and in which words. Their values are golden
 * cases (windows). */
#include "exec/both.h"
#include "support/graph_helpers.h"

#define PADS(...)                                                                                            \
    ((fx_pads){(const fx_pad_axis[]){__VA_ARGS__},                                                           \
               sizeof((fx_pad_axis[]){__VA_ARGS__}) / sizeof(fx_pad_axis)})
#define POOL(...) fx_max_pool(parameter(g, FX_SHAPE(FX_F32, 1, 5, 5, 2)), &(fx_pool_options){__VA_ARGS__})

static void pools(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_max_pool: the window is missing",
                   fx_max_pool(parameter(g, FX_SHAPE(FX_F32, 1, 5, 2)), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_max_pool: the window is missing", POOL(.strides = FX_DIMS(1)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_max_pool: 3 window sizes for 2 pooled axes",
                   POOL(.window = FX_DIMS(1, 1, 1)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_max_pool: 3 strides for 2 pooled axes",
                   POOL(.window = FX_DIMS(2), .strides = FX_DIMS(1, 1, 1)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_max_pool: 3 paddings for 2 pooled axes",
                   POOL(.window = FX_DIMS(2), .paddings = PADS({0}, {0}, {0})));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_max_pool: window sizes 0 of axis 2 is out of range",
                   POOL(.window = FX_DIMS(2, 0)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_max_pool: strides 0 of axis 1 is out of range",
                   POOL(.window = FX_DIMS(2), .strides = FX_DIMS(0)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_max_pool: padding -1, 0, interior 0 of axis 1 is out of range",
                   POOL(.window = FX_DIMS(2), .paddings = PADS({-1, 0, 0})));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_max_pool: padding 0, 0, interior 1 of axis 1 is out of range",
                   POOL(.window = FX_DIMS(2), .paddings = PADS({0, 0, 1})));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_max_pool: pad_same and paddings exclude each other",
                   POOL(.window = FX_DIMS(2), .paddings = PADS({1, 0, 0}), .pad_same = true));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_max_pool: a window of 6 places does not fit into axis 1 of (float32)[1, 5, 5, 2] with "
                   "0 and 0 places "
                   "around it",
                   POOL(.window = FX_DIMS(6)));
    const fx_pool_options two = {.window = FX_DIMS(2)}, full = {.window = FX_DIMS(2), .full_shape = true};
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_sum_pool: (float32)[5, 5] has no axes between batch and channels",
                   fx_sum_pool(parameter(g, FX_SHAPE(FX_F32, 5, 5)), &two));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_mean_pool: int32 is not accepted; it takes float, complex dtypes (fx_convert converts)",
        fx_mean_pool(parameter(g, FX_SHAPE(FX_S32, 1, 5, 2)), &two));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_min_pool: complex64 is not accepted; it takes bool, integer, float dtypes (fx_convert converts)",
        fx_min_pool(parameter(g, FX_SHAPE(FX_C64, 1, 5, 2)), &two));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_concat_pool: there is no channel axis with full_shape",
                   fx_concat_pool(parameter(g, FX_SHAPE(FX_F32, 5, 5)), &full));
    const fx_pool_options wide = {.window = FX_DIMS(5000)};
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_concat_pool: windows of more than 4096 places cannot be concatenated",
                   fx_concat_pool(parameter(g, FX_SHAPE(FX_F32, 1, 5000, 2)), &wide));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_lp_pool: the norm's p is 0.5; it must be at least 1",
                   fx_lp_pool(parameter(g, FX_SHAPE(FX_F32, 1, 5, 2)), 0.5, &two));
    assert_null(fx_max_pool(NULL, &two));
}

static void adaptive(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_adaptive_max_pool: 2 sizes for 1 axes of space of (float32)[1, 5, 2]",
                   fx_adaptive_max_pool(parameter(g, FX_SHAPE(FX_F32, 1, 5, 2)), FX_DIMS(1, 1), false));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_adaptive_max_pool: 1 sizes for 0 axes of space of (float32)[5]",
                   fx_adaptive_max_pool(parameter(g, FX_SHAPE(FX_F32, 5)), FX_DIMS(1), false));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_adaptive_mean_pool: 0 elements of axis 2, which has 2: both must be at least 1",
                   fx_adaptive_mean_pool(parameter(g, FX_SHAPE(FX_F32, 1, 5, 2)), FX_DIMS(0), true));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_adaptive_mean_pool: 2 elements of axis 1, which has 0: both must be at least 1",
                   fx_adaptive_mean_pool(parameter(g, FX_SHAPE(FX_F32, 1, 0, 2)), FX_DIMS(2), false));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_adaptive_mean_pool: bool is not accepted; it takes float, complex dtypes (fx_convert converts)",
        fx_adaptive_mean_pool(parameter(g, FX_SHAPE(FX_BOOL, 1, 5, 2)), FX_DIMS(1), false));
    assert_null(fx_adaptive_mean_pool(NULL, FX_DIMS(1), false));
}

static void interpolation(void **state) {
    (void)state;
    const fx_interpolate_options both = {.align_corners = true, .half_pixel_centers = 1};
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_interpolate: align_corners and half_pixel_centers exclude each other",
                   fx_interpolate(parameter(g, FX_SHAPE(FX_F32, 5)), FX_DIMS(3), &both));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_interpolate: 2 sizes for (float32)[5], which has rank 1",
                   fx_interpolate(parameter(g, FX_SHAPE(FX_F32, 5)), FX_DIMS(3, 3), NULL));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_interpolate: 0 elements of axis 0, which has 5: both must be at least 1",
                   fx_interpolate(parameter(g, FX_SHAPE(FX_F32, 5)), FX_DIMS(0), NULL));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE,
                   "fx_interpolate: 3 elements of axis 0, which has 0: both must be at least 1",
                   fx_interpolate(parameter(g, FX_SHAPE(FX_F32, 0)), FX_DIMS(3), NULL));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_interpolate: int32 is not accepted; it takes float, complex dtypes (fx_convert converts)",
        fx_interpolate(parameter(g, FX_SHAPE(FX_S32, 5)), FX_DIMS(3), NULL));
    assert_null(fx_interpolate(NULL, FX_DIMS(1), NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pools), cmocka_unit_test(adaptive),
                                       cmocka_unit_test(interpolation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
