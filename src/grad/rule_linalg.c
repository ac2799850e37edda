/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the rules of factorisations (rule_linalg.h). All are elementwise, or slices, and fuse with what is
 * around them. */
#include "rule_linalg.h"

fx_node *fxi_linalg_transpose(fx_node *x) {
    return fxi_grad_conj(fx_transpose(x, -1, -2));
}

fx_node *fxi_linalg_half(const fxi_build *b, fx_node *x, bool lower) {
    fx_node *half = fx_scalar(b->graph, x->shape.dtype, 0.5);
    fx_node *strict = lower ? fx_tril(x, -1) : fx_triu(x, 1);
    return fx_select(fxi_linalg_diagonal(b, x), fx_mul(x, half), strict);
}

fx_node *fxi_linalg_hermitian(const fxi_build *b, fx_node *x, bool lower) {
    fx_node *half = fxi_linalg_half(b, x, lower);
    return fx_add(half, fxi_linalg_transpose(half));
}

fx_node *fxi_linalg_diagonal(const fxi_build *b, const fx_node *x) {
    fx_shape shape = x->shape;
    shape.dtype = FX_S64;
    return fx_equal(fx_iota(b->graph, &shape, shape.rank - 2), fx_iota(b->graph, &shape, shape.rank - 1));
}

/* d as rows (axis -2) or columns (axis -1) of one element, in x's dtype. */
static fx_node *beside(const fx_node *x, fx_node *d, int axis) {
    return fx_convert(fx_expand_axes(d, (fx_axes){&axis, 1}), x->shape.dtype);
}

fx_node *fxi_linalg_scale_columns(fx_node *x, fx_node *d) {
    return fx_mul(x, beside(x, d, -2));
}
fx_node *fxi_linalg_scale_rows(fx_node *d, fx_node *x) {
    return fx_mul(x, beside(x, d, -1));
}
fx_node *fxi_linalg_divide_columns(fx_node *x, fx_node *d) {
    return fx_strong_mul(x, beside(x, fx_reciprocal(d), -2));
}
fx_node *fxi_linalg_divide_rows(fx_node *d, fx_node *x) {
    return fx_strong_mul(x, beside(x, fx_reciprocal(d), -1));
}

fx_node *fxi_linalg_embed(const fxi_build *b, fx_node *d) {
    if (d->op == FX_OP_INERT) return d;
    fx_shape square = d->shape;
    square.dims[square.rank] = square.dims[square.rank - 1];
    square.rank++;
    fx_node *zeros = fx_zeros(b->graph, &square);
    fx_node *spread = fx_broadcast_to_shape(fx_expand_axes(d, (fx_axes){(const int[]){-2}, 1}), &square);
    return fx_select(fxi_linalg_diagonal(b, zeros), spread, zeros);
}

fx_node *fxi_linalg_rows(fx_node *x, int64_t from, int64_t to) {
    return fx_slice_axis(x, -2, from, to, 1);
}
fx_node *fxi_linalg_columns(fx_node *x, int64_t from, int64_t to) {
    return fx_slice_axis(x, -1, from, to, 1);
}
