/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of convolutions: shapes for each option, values of small examples, and one message for each thing
 * they refuse. */
#include "support/run_graph.h"
#include <fluxion/convolution.h>
#include <fluxion/ops.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define PADS(...)                                                                                            \
    ((fx_pads){(const fx_pad_axis[]){__VA_ARGS__},                                                           \
               sizeof((fx_pad_axis[]){__VA_ARGS__}) / sizeof(fx_pad_axis)})
#define CONV(...) (&(fx_conv_options){__VA_ARGS__})
#define TRANSPOSE(...) (&(fx_conv_transpose_options){__VA_ARGS__})

static fx_node *p(fx_graph *g, fx_shape shape) {
    return parameter(g, shape);
}

/* ---- shapes ---- */

static void test_shapes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = p(g, FX_SHAPE(FX_F32, 2, 9, 10, 6)), *w = p(g, FX_SHAPE(FX_F32, 3, 4, 6, 8));
    assert_node(fx_convolve(x, w, NULL), "convolution", "(float32)[2, 7, 7, 8]");
    assert_node(fx_convolve(x, w, CONV(.pad_same = true)), "convolution", "(float32)[2, 9, 10, 8]");
    assert_node(fx_convolve(x, w, CONV(.strides = FX_AXES(2), .pad_same = true)), "convolution",
                "(float32)[2, 5, 5, 8]");
    assert_node(fx_convolve(x, w, CONV(.strides = FX_AXES(2, 3))), "convolution", "(float32)[2, 4, 3, 8]");
    assert_node(fx_convolve(x, w, CONV(.dilations = FX_AXES(4, 3))), "convolution", "(float32)[2, 1, 1, 8]");
    assert_node(fx_convolve(x, w, CONV(.dilations = FX_AXES(2), .pad_same = true)), "convolution",
                "(float32)[2, 9, 10, 8]");
    assert_node(fx_convolve(x, w, CONV(.input_dilations = FX_AXES(2, 1))), "convolution",
                "(float32)[2, 15, 7, 8]");
    assert_node(fx_convolve(x, w, CONV(.paddings = PADS({1, 0, 0}, {-2, 3, 0}))), "convolution",
                "(float32)[2, 8, 8, 8]");
    assert_node(fx_convolve(x, p(g, FX_SHAPE(FX_F32, 3, 4, 2, 9)), CONV(.channel_groups = 3)), "convolution",
                "(float32)[2, 7, 7, 9]");
    assert_node(fx_convolve(x, w, CONV(.batch_groups = 2)), "convolution", "(float32)[1, 7, 7, 8]");
    assert_node(fx_convolve(x, w, CONV(.dtype = FX_F64)), "convolution", "(float64)[2, 7, 7, 8]");
    assert_node(fx_convolve(x, p(g, FX_SHAPE(FX_F32, 5, 9, 3, 3)), CONV(.channels_first = true)),
                "convolution", "(float32)[2, 5, 8, 4]");
    assert_node(fx_convolve(p(g, FX_SHAPE(FX_S8, 2, 3)), p(g, FX_SHAPE(FX_S8, 3, 4)), CONV(.dtype = FX_S32)),
                "convolution", "(int32)[2, 4]");
    assert_node(fx_convolve(p(g, FX_SHAPE(FX_F32, 2, 0, 3)), p(g, FX_SHAPE(FX_F32, 5, 3, 4)), NULL),
                "convolution", "(float32)[2, 0, 4]");
    assert_no_error(g);
    fx_graph_free(g);
}

static void test_general_shapes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = p(g, FX_SHAPE(FX_F32, 7, 2, 5)), *w = p(g, FX_SHAPE(FX_F32, 4, 3, 5));
    fx_conv_general_options o = {.axes = {.input_batch = 1,
                                          .input_channels = -1,
                                          .input_spatial = FX_AXES(0),
                                          .kernel_input_channels = 2,
                                          .kernel_output_channels = 0,
                                          .kernel_spatial = FX_AXES(1),
                                          .output_batch = -1,
                                          .output_channels = 0,
                                          .output_spatial = FX_AXES(1)}};
    assert_node(fx_conv_general(x, w, &o), "convolution", "(float32)[4, 5, 2]");
    o.strides = FX_DIMS(3);
    o.reversed = FX_DIMS(1);
    assert_node(fx_conv_general(x, w, &o), "convolution", "(float32)[4, 2, 2]");
    o.size = offsetof(fx_conv_general_options, strides); /* a caller that knows no strides */
    assert_node(fx_conv_general(x, w, &o), "convolution", "(float32)[4, 5, 2]");
    o.size = sizeof o;
    o.kernel_dilations = FX_DIMS(4); /* larger than the axis */
    assert_node(fx_conv_general(x, w, &o), "convolution", "(float32)[4, 0, 2]");
    assert_no_error(g);
    fx_graph_free(g);
}

static void test_transposed_shapes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = p(g, FX_SHAPE(FX_F32, 1, 5, 2)), *w = p(g, FX_SHAPE(FX_F32, 3, 2, 4));
    assert_node(fx_conv_transpose(x, w, NULL), "convolution", "(float32)[1, 7, 4]");
    assert_node(fx_conv_transpose(x, w, TRANSPOSE(.strides = FX_AXES(2))), "convolution",
                "(float32)[1, 11, 4]");
    assert_node(fx_conv_transpose(x, w, TRANSPOSE(.strides = FX_AXES(5))), "convolution",
                "(float32)[1, 25, 4]");
    assert_node(fx_conv_transpose(x, w, TRANSPOSE(.strides = FX_AXES(2), .pad_same = true)), "convolution",
                "(float32)[1, 10, 4]");
    assert_node(fx_conv_transpose(x, w, TRANSPOSE(.dilations = FX_AXES(3))), "convolution",
                "(float32)[1, 11, 4]");
    assert_node(fx_conv_transpose(x, p(g, FX_SHAPE(FX_F32, 3, 4, 2)), TRANSPOSE(.transpose_kernel = true)),
                "convolution", "(float32)[1, 7, 4]");
    /* S14: stride (2, 1), dilation (3, 1), cropped by (4, 2) on both sides: low = high = k - 1 - crop */
    fx_node *image = p(g, FX_SHAPE(FX_F32, 1, 1, 50, 50)), *kernel = p(g, FX_SHAPE(FX_F32, 1, 1, 3, 5));
    const fx_conv_transpose_options o = {.channels_first = true,
                                         .strides = FX_AXES(2, 1),
                                         .dilations = FX_AXES(3, 1),
                                         .transpose_kernel = true,
                                         .paddings = PADS({2, 2, 0}, {2, 2, 0})};
    assert_node(fx_conv_transpose(image, kernel, &o), "convolution", "(float32)[1, 1, 97, 50]");
    assert_no_error(g);
    fx_graph_free(g);
}

/* ---- values ---- */

static fx_node *f32(fx_graph *g, const float *v, fx_shape shape) {
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    memcpy(t->data, v, (size_t)t->bytes);
    fx_node *node = fx_constant(g, t);
    fx_tensor_free(t);
    return node;
}

static void test_values(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = f32(g, (float[]){1, 2, 3, 4}, FX_SHAPE(FX_F32, 1, 4, 1)),
            *w = f32(g, (float[]){1, 10, 100}, FX_SHAPE(FX_F32, 3, 1, 1));
    assert_value(g, fx_convolve(x, w, CONV(.pad_same = true)),
                 "[1][4][1]float32{{{210}, {321}, {432}, {43}}}");
    /* S09: no input channels, sums of nothing */
    g = new_graph();
    assert_value(
        g,
        fx_convolve(fx_zeros(g, &FX_SHAPE(FX_F32, 1, 4, 0)), fx_zeros(g, &FX_SHAPE(FX_F32, 3, 0, 2)), NULL),
        "[1][2][2]float32{{{0, 0}, {0, 0}}}");
    /* a zero of the padding takes part */
    g = new_graph();
    fx_node *infinite = f32(g, (float[]){1, INFINITY}, FX_SHAPE(FX_F32, 2, 1, 1));
    x = f32(g, (float[]){1, 2}, FX_SHAPE(FX_F32, 1, 2, 1));
    assert_value(g, fx_convolve(x, infinite, CONV(.paddings = PADS({0, 1, 0}))),
                 "[1][2][1]float32{{{Inf}, {NaN}}}");
}

/* S13: each element of x spreads the kernel, as it stands, around its place. */
static void test_transposed_values(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = f32(g, (float[]){0, 0, 0, 0, 1, 0, 0, 0, 0}, FX_SHAPE(FX_F32, 1, 1, 3, 3));
    fx_node *w = f32(g, (float[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, FX_SHAPE(FX_F32, 1, 1, 3, 3));
    const fx_conv_transpose_options o = {.channels_first = true,
                                         .strides = FX_AXES(2),
                                         .dilations = FX_AXES(2),
                                         .transpose_kernel = true,
                                         .paddings = PADS({2, 2, 0}, {2, 2, 0})};
    assert_value(
        g, fx_reshape(fx_conv_transpose(x, w, &o), FX_DIMS(5, 5)),
        "[5][5]float32{{1, 0, 2, 0, 3}, {0, 0, 0, 0, 0}, {4, 0, 5, 0, 6}, {0, 0, 0, 0, 0}, {7, 0, 8, 0, 9}}");
}

/* ---- what is refused ---- */

#define X FX_SHAPE(FX_F32, 2, 5, 6)
#define W FX_SHAPE(FX_F32, 3, 6, 4)
#define REFUSED(code, message, ...)                                                                          \
    ASSERT_REFUSED(code, "fx_convolve: " message, fx_convolve(p(g, X), p(g, W), CONV(__VA_ARGS__)))

static void test_operands_refused(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_convolve: dtypes float32 and float64 differ; convert one of them with fx_convert",
                   fx_convolve(p(g, X), p(g, FX_SHAPE(FX_F64, 3, 6, 4)), NULL));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_convolve: bool is not accepted; it takes integer, float, complex dtypes (fx_convert converts)",
        fx_convolve(p(g, FX_SHAPE(FX_BOOL, 2, 5, 6)), p(g, FX_SHAPE(FX_BOOL, 3, 6, 4)), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_convolve: x is (float32)[2, 5, 6] and the kernel (float32)[6, 4]: both need the same "
                   "rank, at least 2",
                   fx_convolve(p(g, X), p(g, FX_SHAPE(FX_F32, 6, 4)), NULL));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_convolve: x is (float32)[2] and the kernel (float32)[6]: both need the same rank, at least 2",
        fx_convolve(p(g, FX_SHAPE(FX_F32, 2)), p(g, FX_SHAPE(FX_F32, 6)), NULL));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE,
        "fx_convolve: the kernel has 3 elements along spatial axis 0, which has 2 with its padding",
        fx_convolve(p(g, FX_SHAPE(FX_F32, 2, 1, 6)), p(g, W), CONV(.paddings = PADS({1, 0, 0}))));
    REFUSED(FX_ERROR_DTYPE, "float32 operands give float32 or a wider dtype of its kind, not int64",
            .dtype = FX_S64);
}

static void test_lists_refused(void **state) {
    (void)state;
    REFUSED(FX_ERROR_ATTRIBUTE, "2 strides for 1 spatial axes; give one for all, or one for each",
            .strides = FX_AXES(1, 2));
    REFUSED(FX_ERROR_ATTRIBUTE, "strides 0 of spatial axis 0; it must be from 1 to 2305843009213693952",
            .strides = FX_AXES(0));
    REFUSED(FX_ERROR_ATTRIBUTE, "2 dilations for 1 spatial axes; give one for all, or one for each",
            .dilations = FX_AXES(1, 1));
    REFUSED(FX_ERROR_ATTRIBUTE,
            "kernel_dilation -1 of spatial axis 0; it must be from 1 to 2305843009213693952",
            .dilations = FX_AXES(-1));
    REFUSED(FX_ERROR_ATTRIBUTE, "2 input dilations for 1 spatial axes; give one for all, or one for each",
            .input_dilations = FX_AXES(1, 1));
    REFUSED(FX_ERROR_ATTRIBUTE,
            "input_dilation 0 of spatial axis 0; it must be from 1 to 2305843009213693952",
            .input_dilations = FX_AXES(0));
    REFUSED(FX_ERROR_ATTRIBUTE, "2 paddings for 1 spatial axes", .paddings = PADS({0, 0, 0}, {0, 0, 0}));
    REFUSED(FX_ERROR_ATTRIBUTE, "interior padding 1 of spatial axis 0; use input dilations",
            .paddings = PADS({0, 0, 1}));
    REFUSED(FX_ERROR_ATTRIBUTE, "pad_same and paddings exclude each other", .pad_same = true,
            .paddings = PADS({0, 0, 0}));
    REFUSED(FX_ERROR_ATTRIBUTE, "low -3 and high -3 remove more than there is of spatial axis 0",
            .paddings = PADS({-3, -3, 0}));
    REFUSED(FX_ERROR_MEMORY, "spatial axis 0 does not fit into 61 bits",
            .paddings = PADS({INT64_C(1) << 61, 0, 0}));
    REFUSED(FX_ERROR_ATTRIBUTE,
            "high 2305843009213693953 of spatial axis 0; it must be from -2305843009213693952 to "
            "2305843009213693952",
            .paddings = PADS({0, (INT64_C(1) << 61) + 1, 0}));
}

static void test_groups_refused(void **state) {
    (void)state;
    REFUSED(FX_ERROR_ATTRIBUTE, "-1 feature groups and 1 batch groups; there is at least one",
            .channel_groups = -1);
    REFUSED(FX_ERROR_ATTRIBUTE, "2 feature groups and 2 batch groups; one must be 1", .channel_groups = 2,
            .batch_groups = 2);
    REFUSED(FX_ERROR_SHAPE, "6 input features in 2 groups, but the kernel has 6 input features",
            .channel_groups = 2);
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_convolve: 4 output features do not divide into 3 groups",
                   fx_convolve(p(g, X), p(g, FX_SHAPE(FX_F32, 3, 2, 4)), CONV(.channel_groups = 3)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_convolve: 4 output features do not divide into 3 groups",
                   fx_convolve(p(g, FX_SHAPE(FX_F32, 3, 5, 6)), p(g, W), CONV(.batch_groups = 3)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_convolve: a batch of 2 does not divide into 4 groups",
                   fx_convolve(p(g, X), p(g, W), CONV(.batch_groups = 4)));
}

static const fx_conv_axes axes = {.input_channels = 2,
                                  .input_spatial = {(const int[]){1}, 1},
                                  .kernel_input_channels = 1,
                                  .kernel_output_channels = 2,
                                  .kernel_spatial = {(const int[]){0}, 1},
                                  .output_channels = 2,
                                  .output_spatial = {(const int[]){1}, 1}};

static fx_node *general(fx_graph *g, fx_conv_general_options o) {
    if (!o.axes.input_channels) o.axes = axes;
    return fx_conv_general(p(g, X), p(g, W), &o);
}
#define GENERAL_REFUSED(code, message, ...)                                                                  \
    ASSERT_REFUSED(code, "fx_conv_general: " message, general(g, (fx_conv_general_options){__VA_ARGS__}))

static void test_general_refused(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_conv_general: the options are NULL",
                   fx_conv_general(p(g, X), p(g, W), NULL));
    GENERAL_REFUSED(FX_ERROR_ATTRIBUTE, "2 strides for 1 spatial axes", .strides = FX_DIMS(1, 1));
    GENERAL_REFUSED(FX_ERROR_ATTRIBUTE, "2 input dilations for 1 spatial axes",
                    .input_dilations = FX_DIMS(1, 1));
    GENERAL_REFUSED(FX_ERROR_ATTRIBUTE, "2 kernel dilations for 1 spatial axes",
                    .kernel_dilations = FX_DIMS(1, 1));
    GENERAL_REFUSED(FX_ERROR_ATTRIBUTE, "2 reversed for 1 spatial axes", .reversed = FX_DIMS(1, 1));
    GENERAL_REFUSED(FX_ERROR_ATTRIBUTE, "reversed 2 of spatial axis 0; it must be from 0 to 1",
                    .reversed = FX_DIMS(2));
    fx_conv_axes wrong = axes;
    wrong.input_channels = 3;
    GENERAL_REFUSED(FX_ERROR_AXIS, "axis 3 is out of range for (float32)[2, 5, 6] (rank 3)", .axes = wrong);
    wrong = axes;
    wrong.kernel_input_channels = 0;
    GENERAL_REFUSED(FX_ERROR_AXIS, "axis 0 of (float32)[3, 6, 4] is named twice", .axes = wrong);
    wrong = axes;
    wrong.output_spatial.n = 0;
    GENERAL_REFUSED(FX_ERROR_ARGUMENT, "0 spatial axes of the output; (float32)[2, 5, 6] has 1",
                    .axes = wrong);
    wrong = axes;
    wrong.input_spatial.v = NULL;
    GENERAL_REFUSED(FX_ERROR_ARGUMENT, "1 spatial axes of the input; (float32)[2, 5, 6] has 1",
                    .axes = wrong);
}

static void test_transpose_refused(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_conv_transpose: stride 0 of spatial axis 0; it must be at least 1",
                   fx_conv_transpose(p(g, X), p(g, W), TRANSPOSE(.strides = FX_AXES(0))));
    ASSERT_REFUSED(
        FX_ERROR_ATTRIBUTE, "fx_conv_transpose: pad_same and paddings exclude each other",
        fx_conv_transpose(p(g, X), p(g, W), TRANSPOSE(.pad_same = true, .paddings = PADS({0, 0, 0}))));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_conv_transpose: 6 input features in 1 groups, but the kernel has 4 input features",
                   fx_conv_transpose(p(g, X), p(g, FX_SHAPE(FX_F32, 3, 4, 4)), NULL));
    assert_null(fx_convolve(NULL, NULL, NULL));
    assert_null(fx_conv_general(NULL, NULL, NULL));
    assert_null(fx_conv_transpose(NULL, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_general_shapes),
                                       cmocka_unit_test(test_transposed_shapes),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_transposed_values),
                                       cmocka_unit_test(test_operands_refused),
                                       cmocka_unit_test(test_lists_refused),
                                       cmocka_unit_test(test_groups_refused),
                                       cmocka_unit_test(test_general_refused),
                                       cmocka_unit_test(test_transpose_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
