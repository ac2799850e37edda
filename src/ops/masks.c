/* SPDX-License-Identifier: Apache-2.0 */
/* Masks of matrices and what they select: triangles and diagonals. Each is a comparison of two iotas, which
 * the compiler fuses into whatever uses it. */
#include "ops/ops.h"
#include <fluxion/indexing.h>

static bool begin_mask(fxi_build *b, const char *name, fx_graph *graph, int64_t rows, int64_t columns) {
    if (!fxi_build_begin_leaf(b, name, graph)) return false;
    const int64_t dims[] = {rows, columns};
    fx_shape shape = fx_shape_make(FX_S64, dims, 2);
    if (fx_shape_is_valid(&shape)) return true;
    fxi_build_refuse(b, FX_ERROR_SHAPE, "%lld rows and %lld columns", (long long)rows, (long long)columns);
    return false;
}

/* column - row, compared with k; indices are int32 where they fit. */
static fx_node *mask_by_diagonal(fx_graph *graph, int64_t rows, int64_t columns, int64_t k,
                                 fx_node *(*compare)(fx_node *, fx_node *)) {
    bool narrow = rows < INT32_MAX && columns < INT32_MAX;
    fx_shape shape = {.dtype = narrow ? FX_S32 : FX_S64, .rank = 2, .dims = {rows, columns}};
    int64_t limit = rows > columns ? rows : columns; /* beyond it nothing changes */
    k = k > limit ? limit : k < -limit ? -limit : k;
    fx_node *distance = fx_sub(fx_iota(graph, &shape, 1), fx_iota(graph, &shape, 0));
    return compare(distance, fx_scalar_int(graph, shape.dtype, k));
}

fx_node *fx_shaped_lower_triangular(fx_graph *graph, int64_t rows, int64_t columns, int64_t k) {
    fxi_build b;
    if (!begin_mask(&b, "fx_shaped_lower_triangular", graph, rows, columns)) return b.stop;
    return mask_by_diagonal(graph, rows, columns, k, fx_less_or_equal);
}

fx_node *fx_lower_triangular(fx_graph *graph, int64_t dim) {
    fxi_build b;
    if (!begin_mask(&b, "fx_lower_triangular", graph, dim, dim)) return b.stop;
    return mask_by_diagonal(graph, dim, dim, 0, fx_less_or_equal);
}

fx_node *fx_upper_triangular(fx_graph *graph, int64_t dim) {
    fxi_build b;
    if (!begin_mask(&b, "fx_upper_triangular", graph, dim, dim)) return b.stop;
    return mask_by_diagonal(graph, dim, dim, 0, fx_greater_or_equal);
}

fx_node *fx_diagonal(fx_graph *graph, int64_t dim) {
    fxi_build b;
    if (!begin_mask(&b, "fx_diagonal", graph, dim, dim)) return b.stop;
    return mask_by_diagonal(graph, dim, dim, 0, fx_equal);
}

fx_node *fx_diagonal_with_value(fx_node *scalar, int64_t dim) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_diagonal_with_value", &scalar, 1)) return b.stop;
    if (scalar->shape.rank != 0)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s is not a scalar", fx_shape_to_text(&scalar->shape).s);
    if (!begin_mask(&b, "fx_diagonal_with_value", b.graph, dim, dim)) return b.stop;
    fx_node *on = mask_by_diagonal(b.graph, dim, dim, 0, fx_equal);
    return fx_where(on, scalar, fx_scalar_zero(b.graph, scalar->shape.dtype));
}

static fx_node *take_triangle(const char *name, fx_node *x, int64_t k,
                              fx_node *(*compare)(fx_node *, fx_node *)) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, &x, 1)) return b.stop;
    int rank = x->shape.rank;
    if (rank < 2)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s is no matrix", fx_shape_to_text(&x->shape).s);
    const int64_t *dims = x->shape.dims;
    const int last[] = {rank - 2, rank - 1};
    fx_node *mask = mask_by_diagonal(b.graph, dims[rank - 2], dims[rank - 1], k, compare);
    mask = fx_broadcast_in_dim(mask, (fx_dims){dims, (size_t)rank}, (fx_axes){last, 2});
    return fx_where(mask, x, fx_zeros_like(x));
}

fx_node *fx_take_lower_triangular(fx_node *x, int64_t k) {
    return take_triangle("fx_take_lower_triangular", x, k, fx_less_or_equal);
}
fx_node *fx_take_upper_triangular(fx_node *x, int64_t k) {
    return take_triangle("fx_take_upper_triangular", x, k, fx_greater_or_equal);
}
fx_node *fx_tril(fx_node *x, int64_t k) {
    return take_triangle("fx_tril", x, k, fx_less_or_equal);
}
fx_node *fx_triu(fx_node *x, int64_t k) {
    return take_triangle("fx_triu", x, k, fx_greater_or_equal);
}

/* ---- diagonals: the two axes, last, as one of rows * columns, in which the diagonal is a slice ---- */

static fx_node *diagonal(const char *name, fx_node *x, int64_t offset, int axis_a, int axis_b) {
    fxi_build b;
    int64_t rows_axis, columns_axis;
    if (!fxi_build_begin(&b, name, &x, 1)) return b.stop;
    if (!fxi_build_axis(&b, x, axis_a, &rows_axis) || !fxi_build_axis(&b, x, axis_b, &columns_axis))
        return b.stop;
    if (rows_axis == columns_axis)
        return fxi_build_refuse(&b, FX_ERROR_AXIS, "axis %lld is named twice", (long long)rows_axis);
    int rank = x->shape.rank, permutation[FX_MAX_RANK], n = 0;
    int64_t dims[FX_MAX_RANK], rows = x->shape.dims[rows_axis], columns = x->shape.dims[columns_axis];
    for (int i = 0; i < rank; i++)
        if (i != rows_axis && i != columns_axis) {
            dims[n] = x->shape.dims[i];
            permutation[n++] = i;
        }
    permutation[n] = (int)rows_axis;
    permutation[n + 1] = (int)columns_axis;
    bool fits = fxi_size_mul(rows, columns, &dims[n]);
    int64_t first_row = offset < 0 ? (offset < -rows ? rows : -offset) : 0;
    int64_t first_column = offset > 0 ? (offset > columns ? columns : offset) : 0;
    int64_t count = rows - first_row < columns - first_column ? rows - first_row : columns - first_column;
    if (!fits) { /* then another axis is empty, and so is the result */
        dims[n] = count > 0 ? count : 0;
        const fx_shape empty = fx_shape_make(x->shape.dtype, dims, (size_t)n + 1);
        return fx_zeros(b.graph, &empty);
    }
    fx_node *flat = fx_reshape(fx_transpose_all_axes(x, (fx_axes){permutation, (size_t)rank}),
                               (fx_dims){dims, (size_t)n + 1});
    if (count <= 0) return fx_slice_axis(flat, -1, 0, 0, 1);
    int64_t start = first_row * columns + first_column;
    if (count == 1) return fx_slice_axis(flat, -1, start, start + 1, 1);
    return fx_slice_axis(flat, -1, start, start + (count - 1) * (columns + 1) + 1, columns + 1);
}

fx_node *fx_diagonal_of(fx_node *x, int64_t offset, int axis_a, int axis_b) {
    return diagonal("fx_diagonal_of", x, offset, axis_a, axis_b);
}

fx_node *fx_trace(fx_node *x, int64_t offset, int axis_a, int axis_b) {
    fxi_build b;
    const int last = -1;
    if (!fxi_build_begin(&b, "fx_trace", &x, 1) || !fxi_build_takes(&b, x, FX_OP_SUB)) return b.stop;
    return fx_reduce_sum(diagonal("fx_trace", x, offset, axis_a, axis_b), (fx_axes){&last, 1});
}
