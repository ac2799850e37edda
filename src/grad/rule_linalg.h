/* SPDX-License-Identifier: Apache-2.0 */
/* What rules of factorisations are made of. Matrices are the last two axes; x^H is the conjugate transpose,
 * and half(x) a triangle of x with half of its diagonal, so that half(x) + half(x)^H is the Hermitian matrix
 * that has this triangle. */
#ifndef FXI_RULE_LINALG_H
#define FXI_RULE_LINALG_H

#include "grad_internal.h"
#include <fluxion/indexing.h>
#include <fluxion/linalg.h>

fx_node *fxi_linalg_transpose(fx_node *x); /* x^H */
fx_node *fxi_linalg_half(const fxi_build *b, fx_node *x, bool lower);
/* half(x) + half(x)^H */
fx_node *fxi_linalg_hermitian(const fxi_build *b, fx_node *x, bool lower);
/* Bool of x's dimensions, true on the diagonals. */
fx_node *fxi_linalg_diagonal(const fxi_build *b, const fx_node *x);
/* x with column (row) j of each matrix multiplied by d[..., j], a vector of real numbers. */
fx_node *fxi_linalg_scale_columns(fx_node *x, fx_node *d);
fx_node *fxi_linalg_scale_rows(fx_node *d, fx_node *x);
/* The same by 1 / d, zero exactly where x is zero. */
fx_node *fxi_linalg_divide_columns(fx_node *x, fx_node *d);
fx_node *fxi_linalg_divide_rows(fx_node *d, fx_node *x);
/* Zeros with d, [..., n], on the diagonals. */
fx_node *fxi_linalg_embed(const fxi_build *b, fx_node *d);
/* Rows or columns [from, to). */
fx_node *fxi_linalg_rows(fx_node *x, int64_t from, int64_t to);
fx_node *fxi_linalg_columns(fx_node *x, int64_t from, int64_t to);
static inline int64_t fxi_linalg_row_count(const fx_node *x) {
    return x->shape.dims[x->shape.rank - 2];
}
static inline int64_t fxi_linalg_column_count(const fx_node *x) {
    return x->shape.dims[x->shape.rank - 1];
}
static inline bool fxi_linalg_is_empty(const fx_node *x) {
    return fx_shape_size(&x->shape) == 0;
}

#endif
