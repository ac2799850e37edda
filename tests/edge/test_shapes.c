/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and indices at their edges: repeated letters of einsum, products of dimensions beyond 32 bits,
 * empty arrays and contractions, slices that begin outside, transposed convolutions with dilation, axes of
 * size 1 whose strides mean nothing. Wanted values are by hand, or by plain loops. */
#include "edge/edge.h"
#include <fluxion/convolution.h>
#include <fluxion/einsum.h>
#include <fluxion/indexing.h>
#include <fluxion/indices.h>
#include <math.h>

/* 0, 1, 2, ... as an array. */
static fx_node *counted(fx_node *x, fx_dims dims) {
    const fx_shape shape = fx_shape_make(fx_node_shape(x)->dtype, dims.v, dims.n);
    return fx_add(fx_iota_full(fx_node_graph(x), &shape), x);
}

/* ---- einsum ---- */

#define EINSUM1(name, equation, ...)                                                                         \
    static fx_node *name(fx_node *const *in) {                                                               \
        return fx_einsum(equation, FX_NODES(counted(in[0], FX_DIMS(__VA_ARGS__))));                          \
    }
EINSUM1(trace, "ii", 3, 3)
EINSUM1(trace_to_scalar, "ii->", 3, 3)
EINSUM1(diagonal, "ii->i", 3, 3)
EINSUM1(diagonal_first, "iij->ij", 2, 2, 4)
EINSUM1(diagonal_summed, "iij->i", 2, 2, 4)
EINSUM1(two_diagonals, "tiijj->ij", 2, 3, 3, 2, 2)
static fx_node *diagonal_times(fx_node *const *in) {
    fx_node *x = counted(in[0], FX_DIMS(2, 2, 4));
    return fx_einsum("iij,j->ij", FX_NODES(x, fx_add_scalar(counted(in[0], FX_DIMS(4)), 1)));
}

static void repeated_letters(void **state) {
    static const struct {
        edge_fn fn;
        const char *want;
    } rows[] = {
        {trace, "float32(12)"},
        {trace_to_scalar, "float32(12)"},
        {diagonal, "[3]float32{0, 4, 8}"},
        {diagonal_first, "[2][4]float32{{0, 1, 2, 3}, {12, 13, 14, 15}}"},
        {diagonal_summed, "[2]float32{6, 54}"},
        {diagonal_times, "[2][4]float32{{0, 2, 6, 12}, {12, 26, 42, 60}}"},
        {two_diagonals, "[3][2]float32{{36, 42}, {68, 74}, {100, 106}}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fx_tensor *zero = fx_tensor_new(&FX_SHAPE(FX_F32), FX_MUST);
        fxi_element_store(FX_F32, zero->data, 0, (fxi_scalar){.re = 0});
        EDGE_TEXT(state, rows[i].fn, rows[i].want, zero);
    }
}

/* ---- sizes beyond 32 bits ---- */

static fx_node *unraveled(fx_node *const *in) {
    return fx_unravel_index(in[0], FX_DIMS(201996, 201996));
}
static fx_node *raveled(fx_node *const *in) {
    return fx_ravel_index(fx_unravel_index(in[0], FX_DIMS(201996, 201996)), FX_DIMS(201996, 201996));
}

static void flat_numbers_of_large_arrays(void **state) {
#define FLAT EDGE_INTS(FX_S64, 0, INT64_C(40802384015), INT64_C(2147483648))
    EDGE_TEXT(state, unraveled, "[3][2]int64{{0, 0}, {201995, 201995}, {10631, 64172}}", FLAT);
    EDGE_TEXT(state, raveled, "[3]int64{0, 40802384015, 2147483648}", FLAT);
    EDGE_TEXT(state, unraveled, "[1][2]int32{{0, 0}}", EDGE_INTS(FX_S32, 0));
}

/* ---- nothing at all ---- */

static fx_node *taken(fx_node *const *in) {
    return fx_take(in[0], in[1], 0);
}
static fx_node *taken_across(fx_node *const *in) {
    return fx_take(fx_broadcast_in_dim(in[0], FX_DIMS(0, 3), FX_AXES(1)), in[1], 1);
}
static fx_node *product_with_empty(fx_node *const *in) {
    return fx_matmul(fx_broadcast_to_dims(fx_expand_axes(in[0], FX_AXES(0)), FX_DIMS(10, 0)), in[1]);
}
static fx_node *empty_matmul(fx_node *const *in) {
    fx_graph *g = fx_node_graph(in[0]);
    fx_node *lhs = fx_zeros(g, &FX_SHAPE(FX_F32, 3, 0)), *rhs = fx_zeros(g, &FX_SHAPE(FX_F32, 0, 4));
    return fx_add(fx_matmul(lhs, rhs), in[0]);
}
static fx_node *empty_convolution(fx_node *const *in) {
    fx_graph *g = fx_node_graph(in[0]);
    fx_node *x = fx_zeros(g, &FX_SHAPE(FX_F32, 1, 4, 0)), *kernel = fx_zeros(g, &FX_SHAPE(FX_F32, 2, 0, 2));
    return fx_add(fx_convolve(x, kernel, NULL), in[0]);
}
static fx_node *empty_reductions(fx_node *const *in) {
    fx_node *x = fx_broadcast_to_dims(fx_expand_axes(in[0], FX_AXES(0)), FX_DIMS(2, 0));
    return fx_stack(FX_NODES(fx_reduce_sum(x, FX_AXES(1)), fx_reduce_product(x, FX_AXES(1)),
                             fx_reduce_max(x, FX_AXES(1)), fx_reduce_min(x, FX_AXES(1)),
                             fx_reduce_mean(x, FX_AXES(1))),
                    0);
}
static fx_tensor *empty(fx_dtype dtype) {
    return fx_tensor_new(&FX_SHAPE(dtype, 0), FX_MUST);
}

static void empty_arrays(void **state) {
    EDGE_TEXT(state, taken, "[0]float32{}", empty(FX_F32), empty(FX_S32));
    EDGE_TEXT(state, taken, "[0]float32{}", EDGE_REALS(FX_F32, 1, 2), empty(FX_S32));
    EDGE_TEXT(state, taken_across, "[0][2]float32{}", EDGE_REALS(FX_F32, 1, 2, 3), EDGE_INTS(FX_S32, 0, 2));
    EDGE_TEXT(state, product_with_empty, "[10]float32{0, 0, 0, ..., 0, 0, 0}", empty(FX_F32), empty(FX_F32));
    EDGE_TEXT(state, empty_matmul, "[3][4]float32{{5, 5, 5, 5}, {5, 5, 5, 5}, {5, 5, 5, 5}}",
              fx_tensor_copy_from(&FX_SHAPE(FX_F32), &(float){5}, FX_MUST));
    EDGE_TEXT(state, empty_convolution, "[1][3][2]float32{{{5, 5}, {5, 5}, {5, 5}}}",
              fx_tensor_copy_from(&FX_SHAPE(FX_F32), &(float){5}, FX_MUST));
    EDGE_TEXT(state, empty_reductions, "[5][2]float32{{0, 0}, {1, 1}, {-Inf, -Inf}, {Inf, Inf}, {NaN, NaN}}",
              empty(FX_F32));
}

/* ---- slices that begin outside ---- */

static fx_node *part_of(fx_node *const *in) {
    fx_node *x = fx_iota_full(fx_node_graph(in[0]), &FX_SHAPE(FX_S32, 4, 4));
    fx_node *row = fx_reshape(fx_slice_axis(in[0], 0, 0, 1, 1), FX_DIMS());
    fx_node *column = fx_reshape(fx_slice_axis(in[0], 0, 1, 2, 1), FX_DIMS());
    return fx_dynamic_slice(x, FX_NODES(row, column), FX_DIMS(2, 2));
}
static fx_node *updated(fx_node *const *in) {
    fx_node *x = fx_zeros(fx_node_graph(in[0]), &FX_SHAPE(FX_S32, 3, 3));
    fx_node *row = fx_reshape(fx_slice_axis(in[0], 0, 0, 1, 1), FX_DIMS());
    fx_node *column = fx_reshape(fx_slice_axis(in[0], 0, 1, 2, 1), FX_DIMS());
    fx_node *update = fx_ones(fx_node_graph(in[0]), &FX_SHAPE(FX_S32, 2, 2));
    return fx_dynamic_update_slice(x, update, FX_NODES(row, column));
}

static void starts_are_clamped(void **state) {
    static const struct {
        int64_t start[2];
        const char *part, *update;
    } rows[] = {
        {{-1, 0}, "[2][2]int32{{0, 1}, {4, 5}}", "[3][3]int32{{1, 1, 0}, {1, 1, 0}, {0, 0, 0}}"},
        {{3, 3}, "[2][2]int32{{10, 11}, {14, 15}}", "[3][3]int32{{0, 0, 0}, {0, 1, 1}, {0, 1, 1}}"},
        {{100, 100}, "[2][2]int32{{10, 11}, {14, 15}}", "[3][3]int32{{0, 0, 0}, {0, 1, 1}, {0, 1, 1}}"},
        {{INT32_MIN, 0}, "[2][2]int32{{0, 1}, {4, 5}}", "[3][3]int32{{1, 1, 0}, {1, 1, 0}, {0, 0, 0}}"},
        {{0, INT32_MAX}, "[2][2]int32{{2, 3}, {6, 7}}", "[3][3]int32{{0, 1, 1}, {0, 1, 1}, {0, 0, 0}}"},
        {{1, -5}, "[2][2]int32{{4, 5}, {8, 9}}", "[3][3]int32{{0, 0, 0}, {1, 1, 0}, {1, 1, 0}}"},
    };
    static const fx_dtype dtypes[] = {FX_S32, FX_S64};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t d = 0; d < COUNT_OF(dtypes); d++) {
            EDGE_TEXT(state, part_of, rows[i].part, edge_ints(dtypes[d], rows[i].start, 2));
            EDGE_TEXT(state, updated, rows[i].update, edge_ints(dtypes[d], rows[i].start, 2));
        }
    EDGE_TEXT(state, part_of, "[2][2]int32{{10, 11}, {14, 15}}", EDGE_INTS(FX_U64, -1, -1));
    EDGE_TEXT(state, part_of, "[2][2]int32{{0, 1}, {4, 5}}", EDGE_INTS(FX_S64, INT64_MIN, INT64_MIN));
    EDGE_TEXT(state, part_of, "[2][2]int32{{10, 11}, {14, 15}}", EDGE_INTS(FX_U8, 255, 200));
}

/* ---- transposed convolutions ---- */

static fx_node *spread_kernel(fx_node *const *in) {
    fx_node *x = fx_reshape(in[0], FX_DIMS(1, 1, 3, 3)), *kernel = fx_reshape(in[1], FX_DIMS(1, 1, 3, 3));
    const fx_pad_axis pads[] = {{2, 2, 0}, {2, 2, 0}}; /* 2 (3 - 1) - 2, of a padding of 2 that is cropped */
    return fx_conv_transpose(x, kernel,
                             &(fx_conv_transpose_options){.channels_first = true,
                                                          .strides = FX_AXES(2, 2),
                                                          .dilations = FX_AXES(2, 2),
                                                          .paddings = {pads, 2},
                                                          .transpose_kernel = true});
}

static fx_node *size_of_transposed(fx_node *const *in) {
    fx_graph *g = fx_node_graph(in[0]);
    fx_node *x = fx_ones(g, &FX_SHAPE(FX_F32, 1, 1, 50, 50)),
            *kernel = fx_ones(g, &FX_SHAPE(FX_F32, 1, 1, 3, 5));
    const fx_pad_axis pads[] = {{6 - 4, 6 - 4, 0}, {4 - 2, 4 - 2, 0}};
    fx_node *y = fx_conv_transpose(x, kernel,
                                   &(fx_conv_transpose_options){.channels_first = true,
                                                                .strides = FX_AXES(2, 1),
                                                                .dilations = FX_AXES(3, 1),
                                                                .paddings = {pads, 2},
                                                                .transpose_kernel = true});
    const fx_shape *shape = fx_node_shape(y);
    assert_string_equal(fx_shape_to_text(shape).s, "(float32)[1, 1, 97, 50]");
    return fx_add(fx_reduce_all_sum(y), in[0]);
}

/* What transposed convolution means: every element, spread by the stride, adds the kernel, spread by the
 * dilation, and a border is cropped. */
static double sum_of_spread(int64_t n, int64_t out, int64_t k, int64_t stride, int64_t dilation,
                            int64_t crop) {
    double hits = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) {
            int64_t at = i * stride + j * dilation - crop;
            hits += at >= 0 && at < out;
        }
    return hits;
}

static void dilated_transposes(void **state) {
    EDGE_TEXT(state, spread_kernel,
              "[1][1][5][5]float32{{{{1, 0, 2, 0, 3}, {0, 0, 0, 0, 0}, {4, 0, 5, 0, 6}, {0, 0, 0, 0, 0}, {7, "
              "0, 8, 0, 9}}}}",
              EDGE_REALS(FX_F32, 0, 0, 0, 0, 1, 0, 0, 0, 0), EDGE_REALS(FX_F32, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    fx_tensor *zero = fx_tensor_copy_from(&FX_SHAPE(FX_F32), &(float){0}, FX_MUST);
    fx_tensor *sum = edge_run(state, size_of_transposed, &zero, 1);
    assert_true(fx_tensor_get(sum, 0) ==
                sum_of_spread(50, 97, 3, 2, 3, 4) * sum_of_spread(50, 50, 5, 1, 1, 2));
    fx_tensor_free(sum);
    fx_tensor_free(zero);
}

/* ---- axes of size 1 and of stride 0 ---- */

static fx_node *mask_spread(fx_node *const *in) {
    fx_node *mask = fx_greater_scalar(fx_expand_axes(in[0], FX_AXES(1)), 5);
    fx_node *spread = fx_broadcast_to_dims(fx_reshape(mask, FX_DIMS(1, 1, 13, 1)), FX_DIMS(1, 1, 13, 13));
    return fx_reduce_sum(fx_convert(spread, FX_F32), FX_AXES(0, 1, 3));
}
static fx_node *transposed_twice(fx_node *const *in) {
    fx_node *x = fx_transpose(fx_reshape(in[0], FX_DIMS(4, 4)), 0, 1);
    return fx_transpose(fx_squeeze(fx_transpose(fx_expand_axes(x, FX_AXES(0)), 1, 2), FX_AXES(0)), 0, 1);
}
static fx_node *row_as_column(fx_node *const *in) {
    fx_node *row = fx_reshape(in[0], FX_DIMS(1, -1));
    return fx_matmul(fx_transpose(row, 0, 1), row);
}
static fx_node *column_as_row(fx_node *const *in) {
    fx_node *row = fx_reshape(in[0], FX_DIMS(1, -1));
    return fx_matmul(row, fx_transpose(row, 0, 1));
}

static void strides_of_single_places(void **state) {
    EDGE_TEXT(state, mask_spread, "[13]float32{0, 0, 0, ..., 13, 13, 13}",
              EDGE_REALS(FX_F32, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    EDGE_TEXT(state, transposed_twice,
              "[4][4]float32{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}",
              EDGE_REALS(FX_F32, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    EDGE_TEXT(state, row_as_column, "[3][3]float32{{1, 2, 3}, {2, 4, 6}, {3, 6, 9}}",
              EDGE_REALS(FX_F32, 1, 2, 3));
    EDGE_TEXT(state, column_as_row, "[1][1]float32{{14}}", EDGE_REALS(FX_F32, 1, 2, 3));
}

/* ---- spreads that are small against their mean ---- */

static fx_node *standardized(fx_node *const *in) {
    fx_node *mean = fx_reduce_and_keep(in[0], fx_reduce_mean, FX_AXES(0));
    fx_node *variance = fx_reduce_and_keep(in[0], fx_reduce_variance, FX_AXES(0));
    return fx_mul(fx_sub(in[0], mean), fx_rsqrt(fx_add_scalar(variance, 1e-5)));
}

static void check_near(void **state, fx_tensor *x, double first, double tolerance) {
    fx_tensor *y = edge_run(state, standardized, &x, 1), *z = edge_run_constants(state, standardized, &x, 1);
    double a = fx_tensor_get(y, 0), b = fx_tensor_get(z, 0);
    if (!(a - first <= tolerance && first - a <= tolerance && b - first <= tolerance &&
          first - b <= tolerance))
        fail_msg("%s: %g and %g instead of %g", fx_tensor_text(x).s, a, b, first);
    fx_tensor_free(y);
    fx_tensor_free(z);
    fx_tensor_free(x);
}

static void small_spreads(void **state) {
    check_near(state, EDGE_REALS(FX_F32, 40000, 40001, 40002, 40003), -1.34163542, 2e-7);
    check_near(state, EDGE_REALS(FX_F32, 80000, 80001, 80002, 80003), -1.34163542, 2e-7);
    static const double means[] = {0, 100, 1000, 10000};
    for (size_t m = 0; m < COUNT_OF(means); m++) {
        double v[16], mean = 0, variance = 0;
        for (int i = 0; i < 16; i++) v[i] = (double)((float)means[m] + (float)i * 1e-3f);
        for (int i = 0; i < 16; i++) mean += v[i] / 16;
        for (int i = 0; i < 16; i++) variance += (v[i] - mean) * (v[i] - mean) / 16;
        /* the mean is rounded to float32, by up to half an ulp of it */
        double ulp = ldexp(1, ilogb(mean) - 23), scale = 1 / sqrt(variance + 1e-5);
        check_near(state, edge_reals(FX_F32, v, 16), (v[0] - mean) * scale, ulp * scale + 1e-6);
    }
    for (int64_t n = 1; n <= 300; n += n < 40 ? 1 : 37) {
        double v[300];
        for (int64_t i = 0; i < n; i++) v[i] = 1234;
        check_near(state, edge_reals(FX_F32, v, n), 0, 1e-2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(repeated_letters),   BOTH(flat_numbers_of_large_arrays), BOTH(empty_arrays),
        BOTH(starts_are_clamped), BOTH(dilated_transposes),           BOTH(strides_of_single_places),
        BOTH(small_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
