/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of factorisations: systems, inverses, determinants, pseudo-inverses. */
#include "ops/ops.h"
#include <fluxion/indexing.h>
#include <fluxion/linalg.h>
#include <math.h>

static fx_node *number_like(const fx_node *x, double value) {
    return fxi_build_scalar(x->graph, x->shape.dtype, value);
}

/* ---- systems ---- */

fx_node *fxi_build_permute_rows(const fxi_build *b, fx_node *x, fx_node *permutation) {
    int batch[FX_MAX_RANK], row = x->shape.rank - 2, column = row + 1;
    int64_t sizes[FX_MAX_RANK];
    for (int i = 0; i < row; i++) batch[i] = i;
    for (int i = 0; i < column; i++) sizes[i] = 1;
    sizes[column] = x->shape.dims[column];
    for (int i = 0; i < x->shape.rank; i++)
        if (x->shape.dims[i] == 0) return x;
    if (x->op == FX_OP_INERT || permutation->op == FX_OP_INERT) return b->stop;
    const fx_gather_options options = {.offset_axes = {&column, 1},
                                       .collapsed_axes = {&row, 1},
                                       .operand_batch_axes = {batch, (size_t)row},
                                       .indices_batch_axes = {batch, (size_t)row},
                                       .start_index_map = {&row, 1},
                                       .index_axis = column,
                                       .slice_sizes = {sizes, (size_t)x->shape.rank}};
    return fx_gather_general(x, permutation, &options);
}

static fx_node *solve_matrices(const fxi_build *build, fx_node *a, fx_node *b) {
    fx_node *f[3];
    const fx_triangular_options l = {.unit_diagonal = true}, u = {.upper = true};
    fx_lu(a, f);
    return fx_triangular_solve(f[0], fx_triangular_solve(f[0], fxi_build_permute_rows(build, b, f[2]), &l),
                               &u);
}

static bool check_side(const fxi_build *build, const fx_node *a, const fx_node *b) {
    const fx_shape *s = &a->shape, *t = &b->shape;
    bool vector = s->rank == 2 && t->rank == 1, fits = vector || s->rank == t->rank;
    for (int i = 0; fits && i < s->rank - 1; i++) fits = t->dims[i] == s->dims[i];
    if (!fits)
        fxi_build_refuse(
            build, FX_ERROR_SHAPE, "a %s and b %s do not fit: b must be [..., n, m] for a [..., n, n]",
            fxi_dims_text(s->dims, (size_t)s->rank).s, fxi_dims_text(t->dims, (size_t)t->rank).s);
    return fits;
}

fx_node *fx_solve(fx_node *a, fx_node *b) {
    fxi_build build;
    if (!fxi_build_begin(&build, "fx_solve", (fx_node *const[]){a, b}, 2)) return build.stop;
    if (!fxi_build_matrix(&build, a, true) || !fxi_build_same(&build, a, b) || !check_side(&build, a, b))
        return build.stop;
    if (b->shape.rank > 1) return solve_matrices(&build, a, b);
    int64_t n = b->shape.dims[0];
    return fx_reshape(solve_matrices(&build, a, fx_reshape(b, (fx_dims){(const int64_t[]){n, 1}, 2})),
                      (fx_dims){&n, 1});
}

fx_node *fx_inverse(fx_node *a) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_inverse", &a, 1) || !fxi_build_matrix(&b, a, true)) return b.stop;
    return solve_matrices(&b, a, fxi_build_identity(a));
}

/* ---- determinants ---- */

/* -1 where an odd number of rows was swapped, else 1, in the dtype of a. */
static fx_node *parity(const fx_node *a, fx_node *pivots) {
    fx_node *places = fx_iota(a->graph, &pivots->shape, pivots->shape.rank - 1);
    fx_node *swaps =
        fx_reduce_sum(fx_convert(fx_not_equal(pivots, places), FX_S32), (fx_axes){(const int[]){-1}, 1});
    fx_node *odd = fx_equal(fx_and(swaps, number_like(swaps, 1)), number_like(swaps, 1));
    return fx_where(odd, number_like(a, -1), number_like(a, 1));
}

fx_node *fx_det(fx_node *a) {
    fxi_build b;
    fx_node *f[3];
    if (!fxi_build_begin(&b, "fx_det", &a, 1) || !fxi_build_matrix(&b, a, true)) return b.stop;
    fx_lu(a, f);
    fx_node *product = fx_reduce_product(fx_diagonal_of(f[0], 0, -2, -1), (fx_axes){(const int[]){-1}, 1});
    return fx_mul(parity(a, f[1]), product);
}

fx_node *fx_slogdet(fx_node *a, fx_node **results) {
    fxi_build b;
    fx_node *f[3], *own[2];
    if (!results) results = own;
    if (!fxi_build_begin(&b, "fx_slogdet", &a, 1) || !fxi_build_matrix(&b, a, true))
        return results[0] = results[1] = b.stop;
    fx_lu(a, f);
    fx_node *diagonal = fx_diagonal_of(f[0], 0, -2, -1);
    const fx_axes last = {(const int[]){-1}, 1};
    results[0] = fx_mul(parity(a, f[1]), fx_reduce_product(fx_sign(diagonal), last));
    results[1] = fx_reduce_sum(fx_log(fx_abs(diagonal)), last);
    return results[0];
}

/* ---- by singular values ---- */

/* Singular values [..., k] that count, as bool. */
static fx_node *usable(const fx_node *a, fx_node *s, double tolerance) {
    const fx_shape *shape = &a->shape;
    int64_t m = shape->dims[shape->rank - 2], n = shape->dims[shape->rank - 1];
    if (!(tolerance >= 0))
        tolerance = (double)(m > n ? m : n) * (s->shape.dtype == FX_F32 ? 0x1p-23 : 0x1p-52);
    fx_node *most = fx_reduce_and_keep(s, fx_reduce_max, (fx_axes){(const int[]){-1}, 1});
    return fx_greater(s, fx_mul(most, number_like(s, tolerance)));
}

static bool begin_singular(fxi_build *b, const char *name, fx_node *a) {
    return fxi_build_begin(b, name, &a, 1) && fxi_build_matrix(b, a, false);
}

static fx_node *adjoint(fx_node *a) {
    return fx_conj(fx_transpose(a, -1, -2));
}

/* v diag(1 / s) u^H; a NaN among the singular values makes all NaN, since v and u are. */
static fx_node *pseudo_inverse(fx_node *a, double tolerance) {
    fx_node *f[3];
    fx_svd(a, false, f);
    fx_node *counts = usable(a, f[1], tolerance), *one = number_like(f[1], 1);
    fx_node *inverse = fx_where(counts, fx_div(one, fx_where(counts, f[1], one)), fx_zeros_like(f[1]));
    fx_node *row = fx_expand_axes(fx_convert(inverse, a->shape.dtype), (fx_axes){(const int[]){-2}, 1});
    return fx_matmul(fx_mul(adjoint(f[2]), row), adjoint(f[0]));
}

fx_node *fx_pinv(fx_node *a, double tolerance) {
    fxi_build b;
    return begin_singular(&b, "fx_pinv", a) ? pseudo_inverse(a, tolerance) : b.stop;
}

fx_node *fx_least_squares(fx_node *a, fx_node *b, double tolerance) {
    fxi_build build;
    if (!fxi_build_begin(&build, "fx_least_squares", (fx_node *const[]){a, b}, 2)) return build.stop;
    if (!fxi_build_matrix(&build, a, false) || !fxi_build_same(&build, a, b)) return build.stop;
    return fx_matmul(pseudo_inverse(a, tolerance), b);
}

fx_node *fx_matrix_rank(fx_node *a, double tolerance) {
    fxi_build b;
    fx_node *f[3];
    if (!begin_singular(&b, "fx_matrix_rank", a)) return b.stop;
    fx_svd(a, false, f);
    return fx_reduce_sum(fx_convert(usable(a, f[1], tolerance), FX_S32), (fx_axes){(const int[]){-1}, 1});
}
