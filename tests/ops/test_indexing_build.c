/* SPDX-License-Identifier: Apache-2.0 */
/* What the builders of indexing.h refuse: one call per precondition, with the message it gets. */
#include "support/graph_helpers.h"
#include <fluxion/indexing.h>
#define P(dtype, ...) parameter(g, FX_SHAPE(dtype, __VA_ARGS__))
#define S(dtype) parameter(g, FX_SHAPE(dtype))

/* The general forms with what the refusals below vary. */
static fx_node *general_gather(fx_node *x, fx_node *indices, fx_axes offset, fx_axes collapsed, fx_axes map, int axis,
                               fx_dims sizes) {
    const fx_gather_options o = {.offset_axes = offset, .collapsed_axes = collapsed, .start_index_map = map,
                                 .index_axis = axis, .slice_sizes = sizes};
    return fx_gather_general(x, indices, &o);
}

static fx_node *general_scatter(fx_node *x, fx_node *indices, fx_node *updates, int kind) {
    const fx_scatter_options o = {.inserted_axes = FX_AXES(0), .index_map = FX_AXES(0), .index_axis = 1};
    return fx_scatter_general(x, indices, updates, (fx_scatter_kind)kind, &o);
}

static void padding(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_pad: the pads are NULL",
                   fx_pad(P(FX_F32, 3), S(FX_F32), (fx_pads){NULL, 1}));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_pad: 2 pads for (float32)[3], which has rank 1",
                   fx_pad(P(FX_F32, 3), S(FX_F32), (fx_pads){(const fx_pad_axis[]){{0, 0, 0}, {1, 0, 0}}, 2}));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_pad: dtypes float32 and float64 differ; convert one of them with fx_convert",
                   fx_pad(P(FX_F32, 3), S(FX_F64), (fx_pads){(const fx_pad_axis[]){{1, 0, 0}}, 1}));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_pad: the value is (float32)[1]; it must be a scalar",
                   fx_pad(P(FX_F32, 3), P(FX_F32, 1), (fx_pads){(const fx_pad_axis[]){{1, 0, 0}}, 1}));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_pad: interior -1 of axis 0 is negative",
                   fx_pad(P(FX_F32, 3), S(FX_F32), (fx_pads){(const fx_pad_axis[]){{1, 0, -1}}, 1}));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_pad: low -2, high -2, interior 0 of axis 0, which has 3: the result would have -1",
                   fx_pad(P(FX_F32, 3), S(FX_F32), (fx_pads){(const fx_pad_axis[]){{-2, -2, 0}}, 1}));
    ASSERT_REFUSED(FX_ERROR_MEMORY, "fx_pad: axis 0 does not fit into 63 bits",
                   fx_pad(P(FX_F32, 3), S(FX_F32), (fx_pads){(const fx_pad_axis[]){{INT64_MAX, 1, 0}}, 1}));
    ASSERT_REFUSED(FX_ERROR_MEMORY, "fx_pad: axis 0 does not fit into 63 bits",
                   fx_pad(P(FX_F32, 3), S(FX_F32), (fx_pads){(const fx_pad_axis[]){{0, 0, INT64_MAX}}, 1}));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_grow_left: -1 elements are fewer than none",
                   fx_grow_left(P(FX_F32, 3), 0, -1, 0));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_grow_right: axis 1 is out of range for (float32)[3] (rank 1)",
                   fx_grow_right(P(FX_F32, 3), 1, 1, 0));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_grow_right: int8 cannot hold 300: whole numbers in its range only",
                   fx_grow_right(P(FX_S8, 3), 0, 1, 300));
}

static void slices(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_slice_ranges: the ranges are NULL",
                   fx_slice_ranges(P(FX_F32, 3), (fx_slice_ranges_list){NULL, 1}));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_slice_ranges: 2 ranges, of which 0 are spacers, for (float32)[3]",
                   fx_slice_ranges(P(FX_F32, 3), (fx_slice_ranges_list){(const fx_slice_range[]){{0}, {0}}, 2}));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_slice_ranges: 2 ranges, of which 2 are spacers, for (float32)[3, 3]",
                   fx_slice_ranges(P(FX_F32, 3, 3), (fx_slice_ranges_list){(const fx_slice_range[]){{.spacer = true},
                       {.spacer = true}}, 2}));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_slice_ranges: start 4, limit 3, stride 1 of axis 0: they need 0 <= start "
                   "<= limit <= 3 and stride >= 1",
                   fx_slice_ranges(P(FX_F32, 3), (fx_slice_ranges_list){(const fx_slice_range[]){{.start = 4}}, 1}));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_slice_ranges: start 2, limit 1, stride 1 of axis 0: they need 0 <= start "
                   "<= limit <= 3 and stride >= 1",
                   fx_slice_ranges(P(FX_F32, 3), (fx_slice_ranges_list){(const fx_slice_range[]){{.start = 2, .end = 1,
                       .has_end = true}}, 1}));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_dynamic_slice: the starts are NULL",
                   fx_dynamic_slice(P(FX_F32, 3), (fx_nodes){NULL, 1}, FX_DIMS(1)));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_dynamic_slice: 2 starts for (float32)[3], which has rank 1",
                   fx_dynamic_slice(P(FX_F32, 3), FX_NODES(S(FX_S32), S(FX_S32)), FX_DIMS(1)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_dynamic_slice: start 0 is (int32)[1]; it must be an integer scalar",
                   fx_dynamic_slice(P(FX_F32, 3), FX_NODES(P(FX_S32, 1)), FX_DIMS(1)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_dynamic_slice: start 0 is (float32); it must be an integer scalar",
                   fx_dynamic_slice(P(FX_F32, 3), FX_NODES(S(FX_F32)), FX_DIMS(1)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_dynamic_slice: starts of dtypes int32 and int64; they must be equal",
                   fx_dynamic_slice(P(FX_F32, 3, 3), FX_NODES(S(FX_S32), S(FX_S64)), FX_DIMS(1, 1)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_dynamic_slice: size 4 of axis 0; it must be from 0 to 3",
                   fx_dynamic_slice(P(FX_F32, 3), FX_NODES(S(FX_S32)), FX_DIMS(4)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_dynamic_slice: size -1 of axis 0; it must be from 0 to 3",
                   fx_dynamic_slice(P(FX_F32, 3), FX_NODES(S(FX_S32)), FX_DIMS(-1)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_dynamic_slice: 2 sizes for (float32)[3], which has rank 1",
                   fx_dynamic_slice(P(FX_F32, 3), FX_NODES(S(FX_S32)), FX_DIMS(1, 1)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_dynamic_update_slice: the update [4] does not fit into [3]",
                   fx_dynamic_update_slice(P(FX_F32, 3), P(FX_F32, 4), FX_NODES(S(FX_S32))));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_dynamic_update_slice: the update [1, 1] does not fit into [3]",
                   fx_dynamic_update_slice(P(FX_F32, 3), P(FX_F32, 1, 1), FX_NODES(S(FX_S32))));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_dynamic_update_slice: dtypes float32 and float64 differ; convert one of them "
                   "with fx_convert",
                   fx_dynamic_update_slice(P(FX_F32, 3), P(FX_F64, 1), FX_NODES(S(FX_S32))));
}

static void gathers(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_gather_general: the options are NULL",
                   fx_gather_general(P(FX_F32, 3), P(FX_S32, 2, 1), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_gather_general: a list of axes is NULL",
                   fx_gather_general(P(FX_F32, 3), P(FX_S32, 2, 1), &(fx_gather_options){.offset_axes = {NULL, 1}}));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_gather_general: a list has more than 16 axes",
                   fx_gather_general(P(FX_F32, 3), P(FX_S32, 2, 1),
                       &(fx_gather_options){.offset_axes = {(const int[17]){0}, 17}}));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_gather_general: the indices are float32; they must be integers",
                   general_gather(P(FX_F32, 3, 4), P(FX_F32, 2, 1), FX_AXES(1), FX_AXES(0), FX_AXES(0), 1, FX_DIMS(1, 4)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_gather_general: index_axis 3 is out of range for indices [2, 1]",
                   general_gather(P(FX_F32, 3, 4), P(FX_S32, 2, 1), FX_AXES(1), FX_AXES(0), FX_AXES(0), 3, FX_DIMS(1, 4)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_gather_general: window_axes [2] are out of range: slices and indices make rank 2",
                   general_gather(P(FX_F32, 3, 4), P(FX_S32, 2, 1), FX_AXES(2), FX_AXES(0), FX_AXES(0), 1, FX_DIMS(1, 4)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_gather_general: window_axes [1, 0] are not increasing",
                   general_gather(P(FX_F32, 3, 4), P(FX_S32, 2, 1), FX_AXES(1, 0), FX_AXES(), FX_AXES(0), 1, FX_DIMS(1, 4)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_gather_general: 2 axes in index_map, but an index has 1 components",
                   general_gather(P(FX_F32, 3, 4), P(FX_S32, 2, 1), FX_AXES(1), FX_AXES(0), FX_AXES(0, 1), 1, FX_DIMS(1, 4)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_gather_general: axis 0 is named twice",
                   general_gather(P(FX_F32, 3, 4), P(FX_S32, 2, 2), FX_AXES(1), FX_AXES(0), FX_AXES(0, 0), 1, FX_DIMS(1, 4)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_gather_general: 0 window, 1 dropped and 0 batching axes for (float32)[3, 4] (rank 2)",
                   general_gather(P(FX_F32, 3, 4), P(FX_S32, 2, 1), FX_AXES(), FX_AXES(0), FX_AXES(0), 1, FX_DIMS(1, 4)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_gather_general: size 5 of axis 1; it must be from 0 to 4",
                   general_gather(P(FX_F32, 3, 4), P(FX_S32, 2, 1), FX_AXES(1), FX_AXES(0), FX_AXES(0), 1, FX_DIMS(1, 5)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_gather_general: size 2 of axis 0; it must be 1, since the result lacks the axis",
                   general_gather(P(FX_F32, 3, 4), P(FX_S32, 2, 1), FX_AXES(1), FX_AXES(0), FX_AXES(0), 1, FX_DIMS(2, 4)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_gather_general: 1 sizes for (float32)[3, 4], which has rank 2",
                   general_gather(P(FX_F32, 3, 4), P(FX_S32, 2, 1), FX_AXES(1), FX_AXES(0), FX_AXES(0), 1, FX_DIMS(1)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_gather_general: 1 batching axes of the operand, 0 of the indices",
                   fx_gather_general(P(FX_F32, 3, 4), P(FX_S32, 3, 1), &(fx_gather_options){.offset_axes = FX_AXES(1),
                       .operand_batch_axes = FX_AXES(0),
                       .start_index_map = FX_AXES(1), .index_axis = 1, .slice_sizes = FX_DIMS(1, 4)}));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_gather_general: batching axes 0 of [3, 4] and 0 of [2, 1] differ",
                   fx_gather_general(P(FX_F32, 3, 4), P(FX_S32, 2, 1), &(fx_gather_options){.offset_axes = FX_AXES(1),
                       .operand_batch_axes = FX_AXES(0), .indices_batch_axes = FX_AXES(0),
                       .start_index_map = FX_AXES(1), .index_axis = 1, .slice_sizes = FX_DIMS(1, 4)}));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_gather: indices of 2 components for (float32)[3], which has rank 1",
                   fx_gather(P(FX_F32, 3), P(FX_S32, 2, 2)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_gather: indices of 1 components for (float32), which has rank 0",
                   fx_gather(S(FX_F32), P(FX_S32, 2, 1)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_gather: size 0 of axis 0 of [0]: there is nothing to take",
                   fx_gather(P(FX_F32, 0), P(FX_S32, 2, 1)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_gather: the indices are bool; they must be integers",
                   fx_gather(P(FX_F32, 3), P(FX_BOOL, 2, 1)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_gather_slices: 2 sizes for 1 sliced axes",
                   fx_gather_slices(P(FX_F32, 3, 4), FX_AXES(0), P(FX_S32, 2, 1), FX_DIMS(1, 2)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_gather_slices: the sliced axes are not increasing",
                   fx_gather_slices(P(FX_F32, 3, 4), FX_AXES(1, 0), P(FX_S32, 2, 2), FX_DIMS(1, 2)));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_gather_slices: 1 axes in index_map, but an index has 2 components",
                   fx_gather_slices(P(FX_F32, 3, 4), FX_AXES(0), P(FX_S32, 2, 2), FX_DIMS(1)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_normalize_indices: the indices are float32; they must be integers",
                   fx_normalize_indices(P(FX_F32, 3), P(FX_F32, 2), 0));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_normalize_indices: axis 1 is out of range for (float32)[3] (rank 1)",
                   fx_normalize_indices(P(FX_F32, 3), P(FX_S32, 2), 1));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_take: the indices are float32; they must be integers",
                   fx_take(P(FX_F32, 3), P(FX_F32, 2), 0));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_take: axis 1 is out of range for (float32)[3] (rank 1)",
                   fx_take(P(FX_F32, 3), P(FX_S32, 2), 1));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_take: size 0 of axis 0 of [0]: there is nothing to take",
                   fx_take(P(FX_F32, 0), P(FX_S32, 2), 0));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_take_along_axis: (float32)[3, 4] and indices (int32)[3, 2] must agree but for axis 0",
                   fx_take_along_axis(P(FX_F32, 3, 4), P(FX_S32, 3, 2), 0));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_take_along_axis: (float32)[3, 4] and indices (int32)[3] must agree but for axis 0",
                   fx_take_along_axis(P(FX_F32, 3, 4), P(FX_S32, 3), 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_one_hot: the indices are float32; they must be integers",
                   fx_one_hot(P(FX_F32, 3), 4, FX_F32));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_one_hot: depth -1 for indices (int32)[3]",
                   fx_one_hot(P(FX_S32, 3), -1, FX_F32));
}

static void scatters(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_scatter: the shape is NULL",
                   fx_scatter(P(FX_S32, 2, 1), P(FX_F32, 2), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_scatter_general: the options are NULL",
                   fx_scatter_general(P(FX_F32, 3), P(FX_S32, 2, 1), P(FX_F32, 2), FX_SCATTER_SUM, NULL));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_scatter_general: there is no kind 5",
                   general_scatter(P(FX_F32, 3), P(FX_S32, 2, 1), P(FX_F32, 2), 5));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_scatter_general: max of complex64 is not defined",
                   general_scatter(P(FX_C64, 3), P(FX_S32, 2, 1), P(FX_C64, 2), FX_SCATTER_MAX));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_scatter_general: sum of float8_e5m2 is not defined",
                   general_scatter(P(FX_F8E5M2, 3), P(FX_S32, 2, 1), P(FX_F8E5M2, 2), FX_SCATTER_SUM));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_scatter_general: dtypes float32 and float64 of operand and updates differ; "
                   "convert one of them with fx_convert",
                   general_scatter(P(FX_F32, 3), P(FX_S32, 2, 1), P(FX_F64, 2), FX_SCATTER_SUM));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_scatter_general: the updates are [3]; with indices [2, 1] they must be [2]",
                   general_scatter(P(FX_F32, 3), P(FX_S32, 2, 1), P(FX_F32, 3), FX_SCATTER_SUM));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_scatter_general: the updates [2, 1] must have rank 1",
                   general_scatter(P(FX_F32, 3), P(FX_S32, 2, 1), P(FX_F32, 2, 1), FX_SCATTER_SUM));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_scatter_sum: axis 1 of the updates [2, 5] does not fit into axis 1 of [3, 4]",
                   fx_scatter_sum(P(FX_F32, 3, 4), P(FX_S32, 2, 1), P(FX_F32, 2, 5)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_scatter_update: the indices are bool; they must be integers",
                   fx_scatter_update(P(FX_F32, 3), P(FX_BOOL, 2, 1), P(FX_F32, 2)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_scatter_max: indices of 2 components for (float32)[3], which has rank 1",
                   fx_scatter_max(P(FX_F32, 3), P(FX_S32, 2, 2), P(FX_F32, 2)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_put_along_axis: (float32)[3, 4] and indices (int32)[3, 2] must agree but for axis 0",
                   fx_put_along_axis(P(FX_F32, 3, 4), P(FX_S32, 3, 2), P(FX_F32, 3, 2), 0));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_put_along_axis: the updates are [3, 4]; with indices [2, 4] they must be [2, 4]",
                   fx_put_along_axis(P(FX_F32, 3, 4), P(FX_S32, 2, 4), P(FX_F32, 3, 4), 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_put_along_axis: dtypes float32 and float64 of operand and updates differ; "
                   "convert one of them with fx_convert",
                   fx_put_along_axis(P(FX_F32, 3, 4), P(FX_S32, 2, 4), P(FX_F64, 2, 4), 0));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_segment_sum: (float32)[3, 4], ids (int32)[2], 4 segments: there must be one id "
                   "per row",
                   fx_segment_sum(P(FX_F32, 3, 4), P(FX_S32, 2), 4));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_segment_sum: (float32)[3, 4], ids (int32)[3], -1 segments: there must be one "
                   "id per row",
                   fx_segment_sum(P(FX_F32, 3, 4), P(FX_S32, 3), -1));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_segment_prod: (float32), ids (int32)[3], 4 segments: there must be one id per row",
                   fx_segment_prod(S(FX_F32), P(FX_S32, 3), 4));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_segment_max: complex64 is not accepted; it takes integer, float dtypes "
                   "(fx_convert converts)",
                   fx_segment_max(P(FX_C64, 3), P(FX_S32, 3), 4));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_segment_mean: int32 has no mean; convert to a float dtype first",
                   fx_segment_mean(P(FX_S32, 3), P(FX_S32, 3), 4));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_segment_min: the indices are float32; they must be integers",
                   fx_segment_min(P(FX_F32, 3), P(FX_F32, 3), 4));
}

static void masks(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_shaped_lower_triangular: -1 rows and 2 columns",
                   fx_shaped_lower_triangular(g, -1, 2, 0));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_lower_triangular: -1 rows and -1 columns",
                   fx_lower_triangular(g, -1));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_diagonal_with_value: (float32)[1] is not a scalar",
                   fx_diagonal_with_value(P(FX_F32, 1), 3));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_tril: (float32)[3] is no matrix",
                   fx_tril(P(FX_F32, 3), 0));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_take_upper_triangular: (float32)[3] is no matrix",
                   fx_take_upper_triangular(P(FX_F32, 3), 0));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_diagonal_of: axis 1 is named twice",
                   fx_diagonal_of(P(FX_F32, 3, 3), 0, 1, 1));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_diagonal_of: axis 2 is out of range for (float32)[3, 3] (rank 2)",
                   fx_diagonal_of(P(FX_F32, 3, 3), 0, 0, 2));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_trace: bool is not accepted; it takes integer, float, complex dtypes "
                   "(fx_convert converts)",
                   fx_trace(P(FX_BOOL, 3, 3), 0, 0, 1));
}

static void moves(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_shift: 4 places along axis 0 of (float32)[3]; they must be from 0 to 3",
                   fx_shift(P(FX_F32, 3), 0, FX_SHIFT_LEFT, 4));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_shift: there is no direction 2",
                   fx_shift(P(FX_F32, 3), 0, (fx_shift_direction)2, 1));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_shift_with_scalar: -1 places along axis 0 of (float32)[3]; they must be "
                   "from 0 to 3",
                   fx_shift_with_scalar(P(FX_F32, 3), 0, FX_SHIFT_RIGHT, -1, 0));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_shift_left: axis -1 is out of range for (float32) (rank 0)",
                   fx_shift_left(S(FX_F32), 1, 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_shift_with_value: dtypes float32 and float64 differ; convert one of them with "
                   "fx_convert",
                   fx_shift_with_value(P(FX_F32, 3), 0, FX_SHIFT_LEFT, 1, S(FX_F64)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_consecutive_difference: axis 1 is out of range for (float32)[3] (rank 1)",
                   fx_consecutive_difference(P(FX_F32, 3), 1, false));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_roll: axis 1 is out of range for (float32)[3] (rank 1)",
                   fx_roll(P(FX_F32, 3), 1, 1));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_flip: axis 1 is out of range for (float32)[3] (rank 1)",
                   fx_flip(P(FX_F32, 3), FX_AXES(1)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_moveaxis: axis 1 is out of range for (float32)[3] (rank 1)",
                   fx_moveaxis(P(FX_F32, 3), 0, 1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_tile: the counts are NULL",
                   fx_tile(P(FX_F32, 3), (fx_dims){NULL, 1}));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_tile: count -1 of axis 0",
                   fx_tile(P(FX_F32, 3), FX_DIMS(-1)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_repeat: axis 1 is out of range for (float32)[3] (rank 1)",
                   fx_repeat(P(FX_F32, 3), 1, 2));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_repeat: count -2 of axis 0",
                   fx_repeat(P(FX_F32, 3), 0, -2));
}

/* NULL operands are errors of the graph they are used in, or NULL where there is none. */
static void null_operands(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_gather: operand 1 is NULL", fx_gather(P(FX_F32, 3), NULL));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_pad: operand 1 is NULL", fx_pad(P(FX_F32, 3), NULL, (fx_pads){NULL, 0}));
    assert_null(fx_gather(NULL, NULL));
    assert_null(fx_scatter_sum(NULL, NULL, NULL));
    assert_null(fx_tril(NULL, 0));
    assert_null(fx_roll(NULL, 0, 1));
    assert_null(fx_lower_triangular(NULL, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(padding),  cmocka_unit_test(slices), cmocka_unit_test(gathers),
                                       cmocka_unit_test(scatters), cmocka_unit_test(masks),  cmocka_unit_test(moves),
                                       cmocka_unit_test(null_operands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
