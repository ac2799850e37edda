/* SPDX-License-Identifier: Apache-2.0 */
/* What lowerings of factorisations share. Matrices are [batch, rows, columns], whatever axes the batch has;
 * columns are [batch, rows, 1], rows [batch, 1, columns], elements [batch, 1, 1]. Numbers of rows, columns
 * and rounds are int64. */
#ifndef FXI_LOWER_MATRIX_H
#define FXI_LOWER_MATRIX_H

#include "lower_family.h"

/* One batch axis before the matrix axes. */
fx_node *fxi_lower_matrices(fx_node *a);
/* Back to the axes of the node's result `number`; false when it failed. */
bool fxi_lower_give_matrix(const fx_node *node, size_t number, fx_node *made, fx_node **results);
/* Numbers of the rows [1, m, 1] or columns [1, 1, n] of a: axis 1 or 2. */
fx_node *fxi_lower_places(const fx_node *a, int axis, int64_t count);
/* The part of a at these places, of sizes rows and columns. */
fx_node *fxi_lower_part(fx_node *a, fx_node *row, fx_node *column, int64_t rows, int64_t columns);
fx_node *fxi_lower_column(fx_node *a, fx_node *j);
fx_node *fxi_lower_row(fx_node *a, fx_node *i);
fx_node *fxi_lower_with_part(fx_node *a, fx_node *part, fx_node *row, fx_node *column);
/* Rows of x by their numbers [batch, any, 1]. */
fx_node *fxi_lower_take_rows(fx_node *x, fx_node *order);
/* |re| + |im| */
fx_node *fxi_lower_one_norm(fx_node *a);
/* [batch, 1, 1] or along one axis, real: sums of squares of magnitudes; the largest of x. */
fx_node *fxi_lower_square(fx_node *a, int axis);
fx_node *fxi_lower_largest(fx_node *x);
/* Sums along an axis of conj(x) y. */
fx_node *fxi_lower_inner(fx_node *x, fx_node *y, int axis);
/* x times a real number. */
fx_node *fxi_lower_scaled(fx_node *x, fx_node *real);
/* The power of two that brings `largest` into [1/2, 1), 1 for zero, infinities and NaN. */
fx_node *fxi_lower_down_scale(fx_node *largest);
/* Joins what is not empty along an axis. */
fx_node *fxi_lower_join(fx_node *x, fx_node *y, int axis);
/* x itself when it is real. */
fx_node *fxi_lower_conjugate(fx_node *x);
/* x^H of each matrix. */
fx_node *fxi_lower_adjoint(fx_node *x);
/* The first columns. */
fx_node *fxi_lower_first_columns(fx_node *a, int64_t count);
/* Householder factors (lower_qr.c): q [batch, m, k] and r [batch, k, n]. */
void fxi_lower_qr_of(fx_node *a, int64_t k, fx_node **q, fx_node **r);

#endif
