/* SPDX-License-Identifier: Apache-2.0 */
/* What lowerings of factorisations share: parts and norms of batches of matrices. */
#include "lower_matrix.h"
#include <fluxion/indexing.h>
#include <fluxion/linalg.h>

fx_node *fxi_lower_matrices(fx_node *a) {
    const fx_shape *s = &a->shape;
    int64_t batch = 1;
    for (int i = 0; i + 2 < s->rank; i++) batch *= s->dims[i];
    return fx_reshape(a, (fx_dims){(const int64_t[]){batch, s->dims[s->rank - 2], s->dims[s->rank - 1]}, 3});
}

bool fxi_lower_give_matrix(const fx_node *node, size_t number, fx_node *made, fx_node **results) {
    return fxi_lower_give(results + number, fx_reshape_with_shape(made, fxi_node_result_shape(node, number)));
}

fx_node *fxi_lower_places(const fx_node *a, int axis, int64_t count) {
    fx_shape shape = {.dtype = FX_S64, .rank = 3, .dims = {1, 1, 1}};
    shape.dims[axis] = count;
    return fx_iota(a->graph, &shape, axis);
}

/* ---- parts ---- */

fx_node *fxi_lower_part(fx_node *a, fx_node *row, fx_node *column, int64_t rows, int64_t columns) {
    fx_node *starts[] = {fx_scalar_int(row->graph, FX_S64, 0), row, column};
    const int64_t sizes[] = {a->shape.dims[0], rows, columns};
    return fx_dynamic_slice(a, (fx_nodes){starts, 3}, (fx_dims){sizes, 3});
}

fx_node *fxi_lower_column(fx_node *a, fx_node *j) {
    return fxi_lower_part(a, fxi_lower_integer(j, 0), j, a->shape.dims[1], 1);
}

fx_node *fxi_lower_row(fx_node *a, fx_node *i) {
    return fxi_lower_part(a, i, fxi_lower_integer(i, 0), 1, a->shape.dims[2]);
}

fx_node *fxi_lower_with_part(fx_node *a, fx_node *part, fx_node *row, fx_node *column) {
    fx_node *starts[] = {fx_scalar_int(row->graph, FX_S64, 0), row, column};
    return fx_dynamic_update_slice(a, part, (fx_nodes){starts, 3});
}

fx_node *fxi_lower_first_columns(fx_node *a, int64_t count) { return fx_slice_axis(a, 2, 0, count, 1); }

fx_node *fxi_lower_take_rows(fx_node *x, fx_node *order) {
    const int64_t dims[] = {order->shape.dims[0], order->shape.dims[1], x->shape.dims[2]};
    return fx_take_along_axis(x, fx_broadcast_to_dims(order, (fx_dims){dims, 3}), 1);
}

fx_node *fxi_lower_join(fx_node *x, fx_node *y, int axis) {
    if (x->shape.dims[axis] == 0 || y->shape.dims[axis] == 0) return x->shape.dims[axis] ? x : y;
    return fx_concatenate((fx_nodes){(fx_node *const[]){x, y}, 2}, axis);
}

/* ---- norms ---- */

fx_node *fxi_lower_one_norm(fx_node *a) {
    if (!fx_dtype_is_complex(a->shape.dtype)) return fx_abs(a);
    return fx_add(fx_abs(fx_real(a)), fx_abs(fx_imag(a)));
}

fx_node *fxi_lower_square(fx_node *a, int axis) {
    fx_node *re = fx_real(a), *squares = fx_mul(re, re);
    if (fx_dtype_is_complex(a->shape.dtype)) {
        fx_node *im = fx_imag(a);
        squares = fx_add(squares, fx_mul(im, im));
    }
    return fx_reduce_and_keep(squares, fx_reduce_sum, (fx_axes){&axis, 1});
}

fx_node *fxi_lower_largest(fx_node *x) {
    return fx_reduce_and_keep(x, fx_reduce_max, (fx_axes){(const int[]){1, 2}, 2});
}

fx_node *fxi_lower_inner(fx_node *x, fx_node *y, int axis) {
    fx_node *products = fx_mul(fxi_lower_conjugate(x), y);
    return fx_reduce_and_keep(products, fx_reduce_sum, (fx_axes){&axis, 1});
}

fx_node *fxi_lower_scaled(fx_node *x, fx_node *real) { return fx_mul(x, fx_convert(real, x->shape.dtype)); }

fx_node *fxi_lower_down_scale(fx_node *largest) {
    fx_node *zero = fxi_lower_number(largest, 0), *one = fxi_lower_number(largest, 1), *exponent;
    fx_node *is_number = fx_and(fx_greater(largest, zero), fx_is_finite(largest));
    fxi_lower_split(fx_select(is_number, largest, one), &exponent);
    double most = fxi_lower_layout(largest->shape.dtype).bias - 1; /* beyond, the factor would be subnormal */
    exponent = fx_clamp(fxi_lower_number(largest, -most), fx_neg(exponent), fxi_lower_number(largest, most));
    return fx_select(is_number, fxi_lower_power_of_two(exponent), one);
}

/* ---- adjoints ---- */

fx_node *fxi_lower_conjugate(fx_node *x) { return fx_dtype_is_complex(x->shape.dtype) ? fx_conj(x) : x; }

fx_node *fxi_lower_adjoint(fx_node *x) { return fxi_lower_conjugate(fx_transpose(x, 1, 2)); }

