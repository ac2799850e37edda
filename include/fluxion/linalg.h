/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra. What ops.h says of dtypes, axes, errors and results holds here.
 *
 * Matrices are the last two axes; the axes before them are a batch, each matrix of which is handled by itself.
 * Functions take float32, float64, complex64 and complex128; others are an error: fx_convert converts. ^H is the
 * conjugate transpose, eps the distance from 1 to the next number of the dtype, |a| a norm of the matrix.
 * Nothing fails because of values: results are then NaN or infinite, as is said. */
#ifndef FLUXION_LINALG_H
#define FLUXION_LINALG_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- factors and systems ---- */

/* Cholesky factor of positive definite a [..., n, n]: l with a = l l^H, or with lower false u with a = u^H u. One triangle
 * of a is read, the lower or upper one; the other one of the result is 0. The factored triangle is NaN where a is not
 * positive definite. |a - l l^H| <= n eps |a|. An error unless a is square. */
FX_API fx_node *fx_cholesky(fx_node *a, bool lower);

typedef enum fx_transpose_kind { FX_NO_TRANSPOSE = 0, FX_TRANSPOSE, FX_ADJOINT } fx_transpose_kind;
/* Zero: op(a) x = b with lower triangular a as it is. */
typedef struct fx_triangular_options {
    size_t size;        /* sizeof(fx_triangular_options), or 0 */
    bool right;         /* x op(a) = b instead */
    bool upper;         /* the triangle of a that is read */
    bool unit_diagonal; /* its diagonal counts as ones and is not read */
    fx_transpose_kind transpose;
} fx_triangular_options;
/* The solution x of a triangular system, of b's shape; a [..., n, n], b [..., n, m], on the right [..., m, n], with equal
 * axes before them. A 0 on the diagonal gives infinities and NaN, as divisions do. options may be NULL.
 * |b - op(a) x| <= n eps |a| |x|. An error when the shapes do not fit. */
FX_API fx_node *fx_triangular_solve(fx_node *a, fx_node *b, const fx_triangular_options *options);
/* The solution x of a x = b from a's Cholesky factor, fx_cholesky(a, lower). Shapes as fx_triangular_solve. */
FX_API fx_node *fx_cholesky_solve(fx_node *factor, fx_node *b, bool lower);

/* ---- powers and norms ---- */

/* a multiplied by itself |n| times, with about log2(n) products; n = 0 gives the identity. Numbers and complex, any square
 * a; an error for negative n (fx_inverse first). */
FX_API fx_node *fx_matrix_power(fx_node *a, int64_t n);

/* (sum |x|^order)^(1 / order) over the named axes, which disappear; FX_AXES(): all. Infinity: the largest |x|, -infinity the
 * smallest, 0 the number of elements that are not 0. Floats, half types in
 * float32; complex, in the component dtype; others are an error, and so is the order NaN. Of nothing: 0, but Inf for a
 * negative order. The derivative of order 2 at 0 is 0. */
FX_API fx_node *fx_norm(fx_node *x, double order, fx_axes axes);

typedef enum fx_matrix_norm_kind {
    FX_MATRIX_NORM_FROBENIUS = 0, /* root of the sum of squares */
    FX_MATRIX_NORM_ONE,           /* largest sum of a column's magnitudes */
    FX_MATRIX_NORM_INFINITY,      /* largest sum of a row's magnitudes */
    FX_MATRIX_NORM_MAX            /* largest magnitude */
} fx_matrix_norm_kind;
/* A norm of each matrix [..., m, n], in the component dtype. Floats, complex; an error for rank below 2. Of nothing: 0. */
FX_API fx_node *fx_matrix_norm(fx_node *a, fx_matrix_norm_kind kind);

#ifdef __cplusplus
}
#endif
#endif
