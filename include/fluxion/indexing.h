/* SPDX-License-Identifier: Apache-2.0 */
/* Padding, parts at computed places, gather and scatter, masks and moves along axes. What ops.h says of
 * dtypes, axes, errors and results holds here. Unless said otherwise functions take any dtype, and indices
 * are of any integer dtype.
 *
 * Indices. Gather and dynamic slices clamp a start so that the whole part lies inside; scatter drops an
 * update that does not lie inside as a whole. Negative indices count from the end only where it is said.
 * Updates of one element are combined in row-major order of the updates, whatever the number of threads;
 * sums and products of float16 and bfloat16 are carried in float32 and rounded once. */
#ifndef FLUXION_INDEXING_H
#define FLUXION_INDEXING_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- padding ---- */

/* Of one axis: elements before, after and between those of x; before and after may be negative, which
 * removes elements (those between included). */
typedef struct fx_pad_axis {
    int64_t start, end, interior;
} fx_pad_axis;
typedef struct fx_pads {
    const fx_pad_axis *v;
    size_t n;
} fx_pads;
/* x with the scalar `value`, of x's dtype, around and between its elements. One entry per axis, from the
 * first on; axes without one stay. An error when a negative padding removes more than there is. */
FX_API fx_node *fx_pad(fx_node *x, fx_node *value, fx_pads pads);
/* n elements of the given value, which x's dtype must hold as in fx_add_scalar, before those of x along an
 * axis. */
FX_API fx_node *fx_grow_left(fx_node *x, int axis, int64_t n, double value);
/* The same after those of x. */
FX_API fx_node *fx_grow_right(fx_node *x, int axis, int64_t n, double value);

/* ---- slices ---- */

/* What to take of one axis. Zero: all of it. Negative start and end count from the end of the axis. */
typedef struct fx_slice_range {
    int64_t start, end; /* end: the first element not taken */
    int64_t stride;     /* 0 means 1 */
    bool has_end;       /* else up to the end of the axis */
    bool spacer;        /* stands for as many axes as the others leave */
} fx_slice_range;
typedef struct fx_slice_ranges_list {
    const fx_slice_range *v;
    size_t n;
} fx_slice_ranges_list;
/* All of an axis. Any thread, as the next four. */
FX_API fx_slice_range fx_axis_all(void);
/* Elements start .. end - 1. */
FX_API fx_slice_range fx_axis_range(int64_t start, int64_t end);
/* Elements from start on. */
FX_API fx_slice_range fx_axis_range_to_end(int64_t start);
/* Elements up to end - 1. */
FX_API fx_slice_range fx_axis_range_from_start(int64_t end);
/* One element; the axis stays, with size 1. */
FX_API fx_slice_range fx_axis_elem(int64_t index);
/* One range per axis from the first on; axes without one are taken whole. A range with `spacer`, at most
 * one, is used for all axes that the others leave (maybe none). An error when a range does not lie inside
 * its axis. */
FX_API fx_node *fx_slice_ranges(fx_node *x, fx_slice_ranges_list ranges);

/* The part of the given sizes that begins at the starts, one integer scalar per axis, all of one dtype. */
FX_API fx_node *fx_dynamic_slice(fx_node *x, fx_nodes starts, fx_dims sizes);
/* x with the part that begins at the starts replaced by `update`, which is of x's dtype and rank. */
FX_API fx_node *fx_dynamic_update_slice(fx_node *x, fx_node *update, fx_nodes starts);

/* ---- gather ---- */

/* Signed indices with the dimension of x's axis added to negative ones; unsigned ones are given back. */
FX_API fx_node *fx_normalize_indices(fx_node *x, fx_node *indices, int axis);
/* Slices of x at indices [o..., N]: an index has N components, for the first N axes of x, which are missing
 * in the result [o..., rest of x]. Scalar indices are one component. x must not be a scalar. */
FX_API fx_node *fx_gather(fx_node *x, fx_node *indices);
/* Slices of x of the given sizes, one per sliced axis, that begin at starts [o..., n], which have one
 * component per sliced axis; sliced axes increase. The result is [o..., all axes of x]. */
FX_API fx_node *fx_gather_slices(fx_node *x, fx_axes sliced_axes, fx_node *starts, fx_dims sizes);

/* How StableHLO's gather is put together. Axes must not be negative. */
typedef struct fx_gather_options {
    size_t size;            /* sizeof(fx_gather_options), or 0 */
    fx_axes offset_axes;    /* increasing: axes of the result that run over a slice */
    fx_axes collapsed_axes; /* increasing: axes of x missing in the result; slices have size 1 there */
    fx_axes operand_batch_axes, indices_batch_axes; /* paired axes of x and indices with one common index */
    fx_axes start_index_map; /* axes of x that the components of an index belong to */
    int index_axis;          /* of the indices: that of the components; their rank: one component, no axis */
    fx_dims slice_sizes;     /* one per axis of x */
} fx_gather_options;
/* The operation itself, with every option; the other gathers are made of it. */
FX_API fx_node *fx_gather_general(fx_node *x, fx_node *indices, const fx_gather_options *options);

/* x at indices along an axis, which the axes of the indices replace. Negative indices count from the end. */
FX_API fx_node *fx_take(fx_node *x, fx_node *indices, int axis);
/* result[..., i, ...] = x[..., indices[..., i, ...], ...] along an axis; the other dimensions are equal.
 * Negative indices count from the end. */
FX_API fx_node *fx_take_along_axis(fx_node *x, fx_node *indices, int axis);

/* ---- scatter ---- */

typedef enum fx_scatter_kind {
    FX_SCATTER_SUM = 0, /* or of bool; numbers, complex, bool */
    FX_SCATTER_PRODUCT, /* and of bool; numbers, complex, bool */
    FX_SCATTER_MAX,     /* NaN wins; numbers, bool */
    FX_SCATTER_MIN,
    FX_SCATTER_UPDATE   /* the last update stays; any dtype */
} fx_scatter_kind;
/* Sums of updates in an array of zeros: fx_scatter_sum. The shape's dtype is that of the updates. */
FX_API fx_node *fx_scatter(fx_node *indices, fx_node *updates, const fx_shape *shape);
/* x with updates [o..., rest of x] added at indices [o..., N], which are as for fx_gather. */
FX_API fx_node *fx_scatter_sum(fx_node *x, fx_node *indices, fx_node *updates);
/* The same with products. */
FX_API fx_node *fx_scatter_mul(fx_node *x, fx_node *indices, fx_node *updates);
/* The same with the largest. */
FX_API fx_node *fx_scatter_max(fx_node *x, fx_node *indices, fx_node *updates);
/* The same with the smallest. */
FX_API fx_node *fx_scatter_min(fx_node *x, fx_node *indices, fx_node *updates);
/* The same, replacing; the last update of an element stays. */
FX_API fx_node *fx_scatter_update(fx_node *x, fx_node *indices, fx_node *updates);

/* How StableHLO's scatter is put together. Axes must not be negative. */
typedef struct fx_scatter_options {
    size_t size;           /* sizeof(fx_scatter_options), or 0 */
    fx_axes window_axes;   /* increasing: axes of the updates that run over a window */
    fx_axes inserted_axes; /* increasing: axes of x missing in the updates; windows have size 1 there */
    fx_axes operand_batch_axes, indices_batch_axes;
    fx_axes index_map; /* axes of x that the components of an index belong to */
    int index_axis;    /* as in fx_gather_options */
} fx_scatter_options;
/* The operation itself, with every option; the other scatters are made of it. */
FX_API fx_node *fx_scatter_general(fx_node *x, fx_node *indices, fx_node *updates, fx_scatter_kind kind,
                                   const fx_scatter_options *options);
/* x with values put at indices along an axis, as fx_take_along_axis reads them; values are a scalar or of
 * the indices' dimensions. Negative indices count from the end. */
FX_API fx_node *fx_put_along_axis(fx_node *x, fx_node *indices, fx_node *values, int axis);

/* Rows of x, along its first axis, combined by the segment numbers in ids [rows]: result [segments, rest of
 * x]. Rows whose number is not from 0 to segments - 1 are dropped. An empty segment gives 0. */
FX_API fx_node *fx_segment_sum(fx_node *x, fx_node *ids, int64_t segments);
/* Products; 1 of an empty segment. */
FX_API fx_node *fx_segment_prod(fx_node *x, fx_node *ids, int64_t segments);
/* The largest; -Inf or the smallest value of an empty segment. Numbers. */
FX_API fx_node *fx_segment_max(fx_node *x, fx_node *ids, int64_t segments);
/* The smallest; Inf or the largest value of an empty segment. Numbers. */
FX_API fx_node *fx_segment_min(fx_node *x, fx_node *ids, int64_t segments);
/* Sum over count; 0 of an empty segment. Floats, complex. */
FX_API fx_node *fx_segment_mean(fx_node *x, fx_node *ids, int64_t segments);

/* A new last axis of size depth, 1 at the index and 0 elsewhere; all 0 for an index outside. */
FX_API fx_node *fx_one_hot(fx_node *indices, int64_t depth, fx_dtype dtype);

/* ---- masks ---- */

/* Bool [rows, columns], true where column <= row + k. */
FX_API fx_node *fx_shaped_lower_triangular(fx_graph *graph, int64_t rows, int64_t columns, int64_t k);
/* Bool [dim, dim], true on and below the diagonal. */
FX_API fx_node *fx_lower_triangular(fx_graph *graph, int64_t dim);
/* Bool [dim, dim], true on and above the diagonal. */
FX_API fx_node *fx_upper_triangular(fx_graph *graph, int64_t dim);
/* Bool [dim, dim], true on the diagonal. */
FX_API fx_node *fx_diagonal(fx_graph *graph, int64_t dim);
/* [dim, dim] with a scalar on the diagonal, 0 elsewhere. */
FX_API fx_node *fx_diagonal_with_value(fx_node *scalar, int64_t dim);
/* x where column <= row + k in its last two axes, else 0. Rank at least 2. */
FX_API fx_node *fx_take_lower_triangular(fx_node *x, int64_t k);
/* x where column >= row + k in its last two axes, else 0. Rank at least 2. */
FX_API fx_node *fx_take_upper_triangular(fx_node *x, int64_t k);
/* fx_take_lower_triangular under its NumPy name. */
FX_API fx_node *fx_tril(fx_node *x, int64_t k);
/* fx_take_upper_triangular under its NumPy name. */
FX_API fx_node *fx_triu(fx_node *x, int64_t k);
/* The elements of the diagonal with column = row + offset in two axes, as a new last axis. */
FX_API fx_node *fx_diagonal_of(fx_node *x, int64_t offset, int axis_a, int axis_b);
/* Their sum. Numbers, complex. */
FX_API fx_node *fx_trace(fx_node *x, int64_t offset, int axis_a, int axis_b);

/* ---- moves along axes ---- */

typedef enum fx_shift_direction { FX_SHIFT_LEFT = 0, FX_SHIFT_RIGHT } fx_shift_direction;
/* The last axis moved n places to the left, the opened places filled with a value that x's dtype must hold as
 * in fx_add_scalar. */
FX_API fx_node *fx_shift_left(fx_node *x, int64_t n, double fill);
/* The same to the right. */
FX_API fx_node *fx_shift_right(fx_node *x, int64_t n, double fill);
/* The same along any axis. n must not be larger than the dimension. */
FX_API fx_node *fx_shift_with_scalar(fx_node *x, int axis, fx_shift_direction direction, int64_t n,
                                     double fill);
/* The same filled with a node, which broadcasts to the opened space. */
FX_API fx_node *fx_shift_with_value(fx_node *x, int axis, fx_shift_direction direction, int64_t n,
                                    fx_node *value);
/* The same filled with the element at the edge. */
FX_API fx_node *fx_shift(fx_node *x, int axis, fx_shift_direction direction, int64_t n);
/* x[i] - x[i - 1] along an axis, one element fewer; with preserve_shape the first element comes first. */
FX_API fx_node *fx_consecutive_difference(fx_node *x, int axis, bool preserve_shape);
/* Elements moved by n places along an axis, those that leave at one end coming in at the other. */
FX_API fx_node *fx_roll(fx_node *x, int axis, int64_t n);
/* Another name of fx_reverse, with no axes: all of them. */
FX_API fx_node *fx_flip(fx_node *x, fx_axes axes);
/* One axis moved to another place, the others in order. */
FX_API fx_node *fx_moveaxis(fx_node *x, int from, int to);
/* The whole of x repeated along each axis. With fewer counts than axes these are for the last axes; with
 * more, x gets axes before its own. */
FX_API fx_node *fx_tile(fx_node *x, fx_dims counts);
/* Each element repeated along an axis. */
FX_API fx_node *fx_repeat(fx_node *x, int axis, int64_t count);
/* For vectors v[0], v[1], ...: arrays of rank n, out[i][k0, k1, ...] = v[i][k_i]; gives the first. */
FX_API fx_node *fx_meshgrid(fx_nodes vectors, fx_node **out);

#ifdef __cplusplus
}
#endif
#endif
