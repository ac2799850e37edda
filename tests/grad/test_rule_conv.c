/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of convolution: every option, also together, real and complex, to second order; and what the
 * adjoints are made of. */
#include "support/derivatives.h"
#include "support/run_graph.h"
#include <fluxion/convolution.h>
#include <fluxion/grad.h>

#define PADS(...)                                                                                            \
    ((fx_pads){(const fx_pad_axis[]){__VA_ARGS__},                                                           \
               sizeof((fx_pad_axis[]){__VA_ARGS__}) / sizeof(fx_pad_axis)})
#define DIMS(...)                                                                                            \
    { (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t) }
#define AXES(...)                                                                                            \
    { (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int) }

/* Batch and channels last, then one and two spatial axes; and one in which every axis is elsewhere. */
#define LINE                                                                                                 \
    {                                                                                                        \
        .input_channels = -1, .input_spatial = AXES(1), .kernel_input_channels = 1,                          \
        .kernel_output_channels = 2, .kernel_spatial = AXES(0), .output_channels = -1,                       \
        .output_spatial = AXES(1)                                                                            \
    }
#define PLANE                                                                                                \
    {                                                                                                        \
        .input_channels = -1, .input_spatial = AXES(1, 2), .kernel_input_channels = 2,                       \
        .kernel_output_channels = 3, .kernel_spatial = AXES(0, 1), .output_channels = -1,                    \
        .output_spatial = AXES(1, 2)                                                                         \
    }
#define ELSEWHERE                                                                                            \
    {                                                                                                        \
        .input_batch = 2, .input_channels = 0, .input_spatial = AXES(3, 1), .kernel_input_channels = 3,      \
        .kernel_output_channels = 1, .kernel_spatial = AXES(2, 0), .output_batch = 1, .output_channels = 3,  \
        .output_spatial = AXES(0, 2)                                                                         \
    }

static void convolution_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                           void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_conv_general(in[0], in[1], user);
}

typedef struct row {
    const char *name;
    fx_dims x, kernel;
    fx_conv_general_options options;
} row;

static const row rows[] = {
    {"plain", DIMS(2, 7, 3), DIMS(3, 3, 4), {.axes = LINE}},
    {"no spatial axes",
     DIMS(3, 4),
     DIMS(4, 2),
     {.axes = {.input_channels = 1, .kernel_output_channels = 1, .output_channels = 1}}},
    {"strides that leave places over", DIMS(2, 9, 2), DIMS(3, 2, 3), {.axes = LINE, .strides = DIMS(4)}},
    {"dilated kernel", DIMS(1, 9, 2), DIMS(3, 2, 2), {.axes = LINE, .kernel_dilations = DIMS(3)}},
    {"dilated input", DIMS(2, 5, 2), DIMS(3, 2, 3), {.axes = LINE, .input_dilations = DIMS(3)}},
    {"paddings, one negative",
     DIMS(1, 6, 2),
     DIMS(3, 2, 2),
     {.axes = LINE, .paddings = {(const fx_pad_axis[]){{-2, 3, 0}}, 1}}},
    {"more padding than kernel",
     DIMS(1, 3, 2),
     DIMS(2, 2, 2),
     {.axes = LINE, .paddings = {(const fx_pad_axis[]){{4, 5, 0}}, 1}}},
    {"reversed", DIMS(2, 6, 2), DIMS(4, 2, 3), {.axes = LINE, .reversed = DIMS(1)}},
    {"all of these",
     DIMS(2, 6, 5, 2),
     DIMS(3, 2, 2, 3),
     {.axes = PLANE,
      .strides = DIMS(2, 3),
      .paddings = {(const fx_pad_axis[]){{3, -1, 0}, {-2, 4, 0}}, 2},
      .input_dilations = DIMS(3, 2),
      .kernel_dilations = DIMS(2, 3),
      .reversed = DIMS(0, 1)}},
    {"axes elsewhere",
     DIMS(2, 5, 3, 4),
     DIMS(2, 3, 3, 2),
     {.axes = ELSEWHERE,
      .strides = DIMS(2, 1),
      .paddings = {(const fx_pad_axis[]){{1, 1, 0}, {0, 2, 0}}, 2},
      .kernel_dilations = DIMS(1, 2)}},
    {"feature groups", DIMS(2, 5, 6), DIMS(3, 2, 9), {.axes = LINE, .channel_groups = 3, .strides = DIMS(2)}},
    {"feature groups of axes elsewhere",
     DIMS(4, 5, 3, 4),
     DIMS(2, 6, 3, 2),
     {.axes = ELSEWHERE, .channel_groups = 2, .input_dilations = DIMS(1, 2), .reversed = DIMS(1, 0)}},
    {"depthwise", DIMS(2, 5, 3), DIMS(3, 1, 3), {.axes = LINE, .channel_groups = 3}},
    {"depthwise, several for each", DIMS(2, 5, 3), DIMS(3, 1, 6), {.axes = LINE, .channel_groups = 3}},
    {"batch groups",
     DIMS(6, 5, 2),
     DIMS(3, 2, 6),
     {.axes = LINE, .batch_groups = 3, .kernel_dilations = DIMS(2)}},
    {"batch groups of one entry", DIMS(3, 5, 2), DIMS(3, 2, 3), {.axes = LINE, .batch_groups = 3}},
    {"batch groups of axes elsewhere",
     DIMS(2, 5, 6, 4),
     DIMS(2, 4, 3, 2),
     {.axes = ELSEWHERE, .batch_groups = 2, .strides = DIMS(2, 2), .reversed = DIMS(0, 1)}},
    {"sizes of one", DIMS(1, 1, 1), DIMS(1, 1, 1), {.axes = LINE}},
    {"an empty batch", DIMS(0, 5, 2), DIMS(3, 2, 2), {.axes = LINE}},
    {"no channels", DIMS(2, 5, 0), DIMS(3, 0, 2), {.axes = LINE}},
    {"a kernel without elements",
     DIMS(2, 5, 2),
     DIMS(0, 2, 2),
     {.axes = LINE, .paddings = {(const fx_pad_axis[]){{1, 0, 0}}, 1}}},
    {"nothing but padding",
     DIMS(2, 0, 2),
     DIMS(3, 2, 2),
     {.axes = LINE, .paddings = {(const fx_pad_axis[]){{2, 2, 0}}, 1}}},
    {"a kernel that fits nowhere", DIMS(2, 3, 2), DIMS(5, 2, 2), {.axes = LINE}},
};

static void check_row(const row *r, fx_dtype dtype) {
    check_derivatives(&(derivative_case){
        .name = r->name,
        .fn = convolution_fn,
        .user = (void *)&r->options,
        .n_in = 2,
        .n_out = 1,
        .in = {random_values(dtype, r->x, -2, 2, 1), random_values(dtype, r->kernel, -2, 2, 2)}});
}

static void test_options(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_row(&rows[i], FX_F64);
        check_row(&rows[i], FX_C128);
    }
}

/* ---- exact values ---- */

static fx_node *vector(fx_graph *graph, fx_dtype dtype, fx_dims dims, const double *values) {
    fx_shape shape = {.dtype = FX_F64, .rank = (int)dims.n};
    memcpy(shape.dims, dims.v, dims.n * sizeof *dims.v);
    fx_tensor *t = fx_tensor_copy_from(&shape, values, FX_MUST);
    fx_node *node = fx_convert(fx_constant(graph, t), dtype);
    fx_tensor_free(t);
    return node;
}

/* The adjoint of operand i under ones, of x = 1 .. 7 and the kernel 1, 2, 4 with dilation 2. */
static void check_dilated(fx_dtype dtype, fx_dtype wide, size_t i, const char *wanted) {
    fx_graph *graph = new_graph();
    fx_node *x = vector(graph, dtype, FX_DIMS(1, 7, 1), (const double[]){1, 2, 3, 4, 5, 6, 7});
    fx_node *kernel = vector(graph, dtype, FX_DIMS(3, 1, 1), (const double[]){1, 2, 4}), *results[2];
    fx_node *y = fx_convolve(x, kernel, &(fx_conv_options){.dilations = FX_AXES(2), .dtype = wide});
    fx_vjp(FX_NODES(y), FX_NODES(fx_ones_like(y)), FX_NODES(x, kernel), results);
    assert_int_equal(results[i]->shape.dtype, dtype);
    assert_value(graph, fx_reshape(results[i], FX_DIMS(-1)), wanted);
}

static void test_values(void **state) {
    (void)state;
    check_dilated(FX_F64, FX_F64, 0, "[7]float64{1, 1, 3, 2, 6, 4, 4}");
    check_dilated(FX_F64, FX_F64, 1, "[3]float64{6, 12, 18}");
    check_dilated(FX_BF16, FX_BF16, 1, "[3]bfloat16{6, 12, 18}");
}

/* Sums in the wider dtype of the result: 2^24 + 1 + 1 would stay 2^24 in float32, and 2049 is no float16. */
static void test_wide(void **state) {
    (void)state;
    check_dilated(FX_F32, FX_F64, 0, "[7]float32{1, 1, 3, 2, 6, 4, 4}");
    check_dilated(FX_F16, FX_F32, 1, "[3]float16{6, 12, 18}");
    fx_graph *graph = new_graph();
    fx_node *x = vector(graph, FX_F32, FX_DIMS(1, 3, 1), (const double[]){0x1p24, 1, 1});
    fx_node *kernel = vector(graph, FX_F32, FX_DIMS(1, 1, 1), (const double[]){1});
    fx_node *y = fx_convolve(x, kernel, &(fx_conv_options){.dtype = FX_F64});
    fx_node *d = fx_vjp(FX_NODES(y), FX_NODES(fx_ones_like(y)), FX_NODES(kernel), NULL);
    assert_value(graph, d, "[1][1][1]float32{{{16777218}}}");
}

/* ---- what they are made of ---- */

static size_t count_ops(const fx_graph *graph, size_t since, fx_op op) {
    size_t count = 0;
    for (size_t i = since; i < graph->nodes.count; i++) count += graph->nodes.data[i]->op == op;
    return count;
}

/* One convolution for each operand, and so many transposes; a reshape may stand beside those. */
static void check_made_of(const row *r, size_t transposes) {
    fx_graph *graph = new_graph();
    fx_shape x_shape = {.dtype = FX_F32, .rank = (int)r->x.n}, kernel_shape = x_shape;
    memcpy(x_shape.dims, r->x.v, r->x.n * sizeof *r->x.v);
    memcpy(kernel_shape.dims, r->kernel.v, r->kernel.n * sizeof *r->kernel.v);
    fx_node *x = parameter(graph, x_shape), *kernel = parameter(graph, kernel_shape), *results[2];
    fx_node *y = fx_conv_general(x, kernel, &r->options), *u = parameter(graph, y->shape);
    size_t since = graph->nodes.count;
    fx_vjp(FX_NODES(y), FX_NODES(u), FX_NODES(x, kernel), results);
    assert_no_error(graph);
    if (count_ops(graph, since, FX_OP_CONVOLUTION) != 2 ||
        count_ops(graph, since, FX_OP_TRANSPOSE) != transposes ||
        graph->nodes.count - since >
            2 + (r->options.channel_groups || r->options.batch_groups ? 6u : 0u) + r->options.reversed.n)
        fail_msg("%s: %zu convolutions, %zu transposes, %zu nodes", r->name,
                 count_ops(graph, since, FX_OP_CONVOLUTION), count_ops(graph, since, FX_OP_TRANSPOSE),
                 graph->nodes.count - since);
    fx_graph_free(graph);
}

static void test_made_of(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        bool depthwise = strstr(r->name, "depthwise");
        bool grouped = r->options.channel_groups > 1, batches = r->options.batch_groups > 1;
        if (strstr(r->name, "empty") || strstr(r->name, "no channels") || strstr(r->name, "without") ||
            strstr(r->name, "nothing") || strstr(r->name, "nowhere"))
            continue;
        check_made_of(r, depthwise ? 0 : grouped ? 1 : batches ? 2 : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_options), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_wide), cmocka_unit_test(test_made_of)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
