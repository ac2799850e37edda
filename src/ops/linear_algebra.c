/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of linear algebra: the primitives of one result, and what is made of them and of products. */
#include "ops/ops.h"
#include <fluxion/indexing.h>
#include <fluxion/linalg.h>
#include <fluxion/statistics.h>
#include <math.h>

bool fxi_build_matrix(const fxi_build *b, const fx_node *a, bool square) {
    const fx_shape *s = &a->shape;
    if (s->dtype != FX_F32 && s->dtype != FX_F64 && !fx_dtype_is_complex(s->dtype))
        fxi_build_refuse(
            b, FX_ERROR_DTYPE,
            "%s is not accepted; it takes float32, float64, complex64, complex128 (fx_convert converts)",
            fx_dtype_name(s->dtype));
    else if (s->rank < 2)
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%s is no matrix; the rank must be at least 2",
                         fx_shape_to_text(s).s);
    else if (square && s->dims[s->rank - 1] != s->dims[s->rank - 2])
        fxi_build_refuse(b, FX_ERROR_SHAPE, "the matrices of %s are not square", fx_shape_to_text(s).s);
    else
        return true;
    return false;
}

/* ---- factors and systems ---- */

fx_node *fx_cholesky(fx_node *a, bool lower) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_cholesky", &a, 1)) return b.stop;
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_LOWER, lower);
    return fxi_build_node(&b, FX_OP_CHOLESKY, &a, 1, &attr, 1, NULL);
}

static fx_node *solve_triangular(const fxi_build *b, fx_node *a, fx_node *rhs,
                                 const fx_triangular_options *o) {
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_LEFT, !o->right), fxi_attr_int(FXI_ATTR_LOWER, !o->upper),
                              fxi_attr_int(FXI_ATTR_UNIT, o->unit_diagonal),
                              fxi_attr_int(FXI_ATTR_TRANSPOSED, o->transpose)};
    return fxi_build_node(b, FX_OP_TRIANGULAR_SOLVE, (fx_node *const[]){a, rhs}, 2, attrs, 4, NULL);
}

fx_node *fx_triangular_solve(fx_node *a, fx_node *b, const fx_triangular_options *options) {
    fxi_build build;
    fx_triangular_options o;
    if (!fxi_build_begin(&build, "fx_triangular_solve", (fx_node *const[]){a, b}, 2)) return build.stop;
    if (!fxi_build_options_exact(&build, &o, sizeof o, options)) return build.stop;
    return solve_triangular(&build, a, b, &o);
}

fx_node *fx_cholesky_solve(fx_node *factor, fx_node *b, bool lower) {
    fxi_build build;
    if (!fxi_build_begin(&build, "fx_cholesky_solve", (fx_node *const[]){factor, b}, 2)) return build.stop;
    const fx_triangular_options first = {.upper = !lower, .transpose = lower ? FX_NO_TRANSPOSE : FX_ADJOINT};
    const fx_triangular_options second = {.upper = !lower, .transpose = lower ? FX_ADJOINT : FX_NO_TRANSPOSE};
    return solve_triangular(&build, factor, solve_triangular(&build, factor, b, &first), &second);
}

/* ---- factors of several results ---- */

static fx_node *factor(const char *name, fx_op op, fx_node *a, const fxi_attr *attr, fx_node **results,
                       size_t n) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, &a, 1)) return fxi_build_results(b.stop, results, n);
    return fxi_build_results(fxi_build_node(&b, op, &a, 1, attr, attr ? 1 : 0, NULL), results, n);
}

fx_node *fx_lu(fx_node *a, fx_node **results) {
    return factor("fx_lu", FX_OP_LU, a, NULL, results, 3);
}

fx_node *fx_qr(fx_node *a, bool full, fx_node **results) {
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_FULL, full);
    return factor("fx_qr", FX_OP_QR, a, &attr, results, 2);
}

fx_node *fx_eigh(fx_node *a, bool lower, fx_node **results) {
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_LOWER, lower);
    return factor("fx_eigh", FX_OP_EIGH, a, &attr, results, 2);
}

fx_node *fx_svd(fx_node *a, bool full, fx_node **results) {
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_FULL, full);
    return factor("fx_svd", FX_OP_SVD, a, &attr, results, 3);
}

/* ---- powers ---- */

fx_node *fxi_build_identity(const fx_node *a) {
    const fx_shape *s = &a->shape;
    fx_node *eye = fx_convert(fx_diagonal(a->graph, s->dims[s->rank - 1]), s->dtype);
    return fx_broadcast_prefix(eye, (fx_dims){s->dims, (size_t)s->rank - 2});
}

fx_node *fx_matrix_power(fx_node *a, int64_t n) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_matrix_power", &a, 1) || !fxi_build_takes(&b, a, FX_OP_DOT_GENERAL))
        return b.stop;
    const fx_shape *s = &a->shape;
    if (s->rank < 2 || s->dims[s->rank - 1] != s->dims[s->rank - 2])
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s is no square matrix, or batch of such",
                                fx_shape_to_text(s).s);
    if (n < 0 && !fxi_build_matrix(&b, a, true)) return b.stop;
    if (n == 0) return fxi_build_identity(a);
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
    fx_node *result = NULL;
    for (fx_node *square = n < 0 ? fx_inverse(a) : a; left > 0; left >>= 1) {
        if (left & 1) result = result ? fx_matmul(result, square) : square;
        if (left > 1) square = fx_matmul(square, square);
    }
    return result;
}

/* ---- norms ---- */

static bool begin_norm(fxi_build *b, const char *name, fx_node *x) {
    return fxi_build_begin(b, name, &x, 1) && fxi_build_floats(b, x, "norm", FX_OP_EXP);
}

static fx_node *number_like(const fx_node *x, double value) {
    return fxi_build_scalar(x->graph, x->shape.dtype, value);
}

/* Magnitudes are never negative, so that 0 changes only the largest of nothing. */
static fx_node *largest(const fxi_axis_list *list, fx_node *size) {
    return fx_max(fxi_build_over(list, fx_reduce_max, size), number_like(size, 0));
}

static fx_node *order_norm(const fxi_axis_list *list, fx_node *size, double order) {
    fx_node *powers = fx_pow(size, number_like(size, order));
    fx_node *sum = fxi_build_over(list, fx_reduce_sum, powers);
    fx_node *at_zero = number_like(size, order > 0 ? 0 : (double)INFINITY); /* derivative 0, not infinite */
    return fx_select(fx_is_zero(sum), at_zero, fx_pow(sum, number_like(size, 1 / order)));
}

static fx_node *norm_of(const fxi_axis_list *list, fx_node *x, double order) {
    fx_node *size = fx_abs(fxi_build_wide(x));
    if (order == INFINITY) return largest(list, size);
    if (order == -INFINITY) return fxi_build_over(list, fx_reduce_min, size);
    if (order == 0)
        return fxi_build_over(list, fx_reduce_sum, fx_convert(fx_not(fx_is_zero(size)), size->shape.dtype));
    return order == 1 ? fxi_build_over(list, fx_reduce_sum, size) : order_norm(list, size, order);
}

/* The root of the sum of squares, whose derivative at 0 is 0; its axes disappear. */
static fx_node *two_norm(const fxi_axis_list *list, fx_node *x) {
    int axes[FX_MAX_RANK];
    int64_t dims[FX_MAX_RANK];
    size_t rank = 0;
    for (size_t i = 0; i < list->n; i++) axes[i] = (int)list->v[i];
    for (int i = 0, next = 0; i < x->shape.rank; i++) {
        bool gone = (size_t)next < list->n && list->v[next] == i;
        if (!gone) dims[rank++] = x->shape.dims[i];
        next += gone;
    }
    return fx_reshape(fx_l2_norm(x, (fx_axes){axes, list->n}), (fx_dims){dims, rank});
}

fx_node *fx_norm(fx_node *x, double order, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!begin_norm(&b, "fx_norm", x) || !fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    if (isnan(order)) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the order is NaN");
    fx_dtype dtype = fx_dtype_real(x->shape.dtype);
    return fx_convert(order == 2 ? two_norm(&list, x) : norm_of(&list, x, order), dtype);
}

/* [..., k]; of its axes the last one is the column axis of a. */
static fx_node *singular_values(fx_node *a) {
    fx_node *results[3];
    fx_svd(a, false, results);
    return results[1];
}

fx_node *fx_matrix_norm(fx_node *a, fx_matrix_norm_kind kind) {
    fxi_build b;
    if (!begin_norm(&b, "fx_matrix_norm", a)) return b.stop;
    int rank = a->shape.rank;
    bool singular = kind == FX_MATRIX_NORM_TWO || kind == FX_MATRIX_NORM_NUCLEAR;
    if (singular && !fxi_build_matrix(&b, a, false)) return b.stop;
    if (rank < 2)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s is no matrix; the rank must be at least 2",
                                fx_shape_to_text(&a->shape).s);
    const fxi_axis_list both = {{rank - 2, rank - 1}, 2}, row = {{rank - 1}, 1}, column = {{rank - 2}, 1};
    fx_dtype dtype = fx_dtype_real(a->shape.dtype);
    switch (kind) {
    case FX_MATRIX_NORM_FROBENIUS: return fx_convert(two_norm(&both, a), dtype);
    case FX_MATRIX_NORM_ONE: return fx_convert(largest(&column, norm_of(&column, a, 1)), dtype);
    case FX_MATRIX_NORM_INFINITY: return fx_convert(largest(&column, norm_of(&row, a, 1)), dtype);
    case FX_MATRIX_NORM_MAX: return fx_convert(norm_of(&both, a, INFINITY), dtype);
    case FX_MATRIX_NORM_TWO: return norm_of(&column, singular_values(a), INFINITY);
    case FX_MATRIX_NORM_NUCLEAR: return norm_of(&column, singular_values(a), 1);
    default: return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "there is no norm %d", (int)kind);
    }
}
