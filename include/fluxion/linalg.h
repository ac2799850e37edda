/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra. What ops.h says of dtypes, axes, errors and results holds here.
 *
 * Matrices are the last two axes; the axes before them are a batch, each matrix of which is handled by
 * itself. Functions take float32, float64, complex64 and complex128; others are an error: fx_convert
 * converts. ^H is the conjugate transpose, eps the distance from 1 to the next number of the dtype, |a| a
 * norm of the matrix, n in a bound its larger dimension plus 4. Nothing fails because of values: results are
 * then NaN or infinite, as is said.
 *
 * Derivatives are those of the functions as they are described: where one triangle of a is read, by that
 * triangle. Where a factor has no derivative, because a is singular or values are equal, they are infinite or
 * NaN. Phases are free; what does not depend on them has the same derivatives whatever they are, and of
 * anything else derivatives mean nothing. */
#ifndef FLUXION_LINALG_H
#define FLUXION_LINALG_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- factors and systems ---- */

/* Cholesky factor of positive definite a [..., n, n]: l with a = l l^H, or with lower false u with a = u^H
 * u. One triangle of a is read, the lower or upper one; the other one of the result is 0. The factored
 * triangle is NaN where a is not positive definite. |a - l l^H| <= n eps |a|. An error unless a is square. */
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
/* The solution x of a triangular system, of b's shape; a [..., n, n], b [..., n, m], on the right [..., m,
 * n], with equal axes before them. A 0 on the diagonal gives infinities and NaN, as divisions do. options
 * may be NULL. |b - op(a) x| <= n eps |a| |x|. An error when the shapes do not fit. */
FX_API fx_node *fx_triangular_solve(fx_node *a, fx_node *b, const fx_triangular_options *options);
/* The solution x of a x = b from a's Cholesky factor, fx_cholesky(a, lower). Shapes as
 * fx_triangular_solve. */
FX_API fx_node *fx_cholesky_solve(fx_node *factor, fx_node *b, bool lower);

/* ---- factors of several results: all are written to results[0], results[1], ... (NULL when only the
 * first is wanted), and the first is also returned. After an error they are inert or NULL. ---- */

/* a [..., m, n] with swapped rows = l u: results lu [..., m, n], which holds u on and above the diagonal
 * and below it l, whose diagonal is ones; pivots int32 [..., min(m, n)]: in step i row i was swapped with
 * row pivots[i]; permutation int32 [..., m]: row i of l u is row permutation[i] of a. The pivot is the
 * largest |re| + |im| of its column; a column of zeros leaves a 0 on u's diagonal, where there is no
 * derivative. |l u - a| <= n eps |l| |u|. */
FX_API fx_node *fx_lu(fx_node *a, fx_node **results);
/* a [..., m, n] = q r: q [..., m, k] with orthonormal columns, r [..., k, n] upper triangular; k = m when
 * full, else min(m, n). r's diagonal is real, of the sign opposite to that of the element it was made of,
 * as LAPACK's and NumPy's. |q r - a| <= n eps |a|, |q^H q - 1| <= n eps. Derivatives: where the first min(m,
 * n) columns of a are independent. Those of full q where m > n are an error, since its last columns are free;
 * r has one in reverse mode. */
FX_API fx_node *fx_qr(fx_node *a, bool full, fx_node **results);
/* a v = v diag(w) of Hermitian a [..., n, n], of which one triangle is read and the diagonal's real part:
 * w [..., n] real and ascending, v [..., n, n] with orthonormal columns, whose phases are free, and for
 * equal w their choice. Each w is within n eps |a| of an exact one. Where a has an infinity or NaN all is
 * NaN. Derivatives of w need no more, and equal w have those of some order of theirs; what is made of v has
 * one where no v it depends on has an equal w, else infinities or NaN. */
FX_API fx_node *fx_eigh(fx_node *a, bool lower, fx_node **results);
/* a [..., m, n] = u diag(s) vh: s [..., k] real and descending, k = min(m, n), u [..., m, k] with
 * orthonormal columns, vh [..., k, n] with orthonormal rows; when full u [..., m, m] and vh [..., n, n].
 * Phases are free. Each s is within n eps |a| of an exact one. Where a has an infinity or NaN all is NaN.
 * Derivatives of s need no more, and equal s have those of some order of theirs; what is made of u or vh has
 * one where no vector it depends on has an equal s, or, unless a is square, an s of 0. Those of full u where
 * m > n, and of full vh where n > m, are an error. */
FX_API fx_node *fx_svd(fx_node *a, bool full, fx_node **results);

/* ---- made of factors ---- */

/* The solution x of a x = b for square a [..., n, n], b [..., n, m] with equal axes before them; b [n]
 * with a [n, n] gives [n]. By fx_lu: |b - a x| <= n eps |l| |u| |x|. Infinities and NaN where a is
 * singular. */
FX_API fx_node *fx_solve(fx_node *a, fx_node *b);
/* The inverse of square matrices, fx_solve of the identity. */
FX_API fx_node *fx_inverse(fx_node *a);
/* The determinant of square a [..., n, n]: [...]; 0 where fx_lu meets a column of zeros, 1 of [0, 0]. The
 * gradients of singular matrices are taken by way of fx_svd, so second derivatives may be infinite or NaN
 * there. */
FX_API fx_node *fx_det(fx_node *a);
/* Sign (complex: phase) and logarithm of the magnitude of the determinant, which does not overflow:
 * results sign and log, the latter real; 0 and -Inf of a singular matrix. */
FX_API fx_node *fx_slogdet(fx_node *a, fx_node **results);
/* The pseudo-inverse [..., n, m] of a [..., m, n], by fx_svd; singular values of at most `tolerance` times
 * the largest count as 0; a negative tolerance stands for max(m, n) eps. The derivative is
 * that among matrices of the same rank; with a larger tolerance than that it is taken by way of fx_svd, and
 * singular values that are equal make it NaN or infinite. */
FX_API fx_node *fx_pinv(fx_node *a, double tolerance);
/* The x of least norm among those with the least |a x - b|: fx_pinv(a, tolerance) b, shapes as fx_matmul. */
FX_API fx_node *fx_least_squares(fx_node *a, fx_node *b, double tolerance);
/* The number of singular values above `tolerance` times the largest, int32 [...]; negative tolerance as
 * fx_pinv. */
FX_API fx_node *fx_matrix_rank(fx_node *a, double tolerance);

/* ---- powers and norms ---- */

/* a multiplied by itself |n| times, with about log2(n) products; n = 0 gives the identity, negative n the
 * power of the inverse. Numbers and complex, any square a; negative n for the dtypes of fx_inverse. */
FX_API fx_node *fx_matrix_power(fx_node *a, int64_t n);

/* (sum |x|^order)^(1 / order) over the named axes, which disappear; FX_AXES(): all. Infinity: the largest
 * |x|, -infinity the smallest, 0 the number of elements that are not 0. Floats, half types in float32;
 * complex, in the component dtype; others are an error, and so is the order NaN. Of nothing: 0, but Inf
 * for a negative order. The derivative of order 2 at 0 is 0. */
FX_API fx_node *fx_norm(fx_node *x, double order, fx_axes axes);

typedef enum fx_matrix_norm_kind {
    FX_MATRIX_NORM_FROBENIUS = 0, /* root of the sum of squares */
    FX_MATRIX_NORM_ONE,           /* largest sum of a column's magnitudes */
    FX_MATRIX_NORM_INFINITY,      /* largest sum of a row's magnitudes */
    FX_MATRIX_NORM_MAX,           /* largest magnitude */
    FX_MATRIX_NORM_TWO,           /* largest singular value */
    FX_MATRIX_NORM_NUCLEAR        /* sum of the singular values */
} fx_matrix_norm_kind;
/* A norm of each matrix [..., m, n], in the component dtype. Floats, complex; the last two take the dtypes
 * of fx_svd. An error for rank below 2. Of nothing: 0. */
FX_API fx_node *fx_matrix_norm(fx_node *a, fx_matrix_norm_kind kind);

#ifdef __cplusplus
}
#endif
#endif
