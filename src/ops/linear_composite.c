/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of factorisations: systems, inverses, determinants, pseudo-inverses. */
#include "ops/ops.h"
#include <fluxion/control.h>
#include <fluxion/indexing.h>
#include <fluxion/linalg.h>
#include <fluxion/window.h>
#include <math.h>

static fx_node *number_like(const fx_node *x, double value) {
    return fxi_build_scalar(x->graph, x->shape.dtype, value);
}

static fx_node *adjoint(fx_node *a) {
    return fx_conj(fx_transpose(a, -1, -2));
}

/* ---- systems ---- */

fx_node *fxi_build_permute_rows(const fxi_build *b, fx_node *x, fx_node *permutation) {
    int batch[FX_MAX_RANK], row = x->shape.rank - 2, column = row + 1;
    int64_t sizes[FX_MAX_RANK];
    if (x->op == FX_OP_INERT || permutation->op == FX_OP_INERT) return b->stop; /* of no rank */
    for (int i = 0; i < row; i++) batch[i] = i;
    for (int i = 0; i < column; i++) sizes[i] = 1;
    sizes[column] = x->shape.dims[column];
    for (int i = 0; i < x->shape.rank; i++)
        if (x->shape.dims[i] == 0) return x;
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

static fx_node *det_by_lu(fx_node *a) {
    fx_node *f[3];
    fx_lu(a, f);
    fx_node *product = fx_reduce_product(fx_diagonal_of(f[0], 0, -2, -1), (fx_axes){(const int[]){-1}, 1});
    return fx_mul(parity(a, f[1]), product);
}

/* Determinants [...] as matrices [..., 1, 1]. */
static fx_node *beside(fx_node *det) {
    return fx_expand_axes(det, (fx_axes){(const int[]){-2, -1}, 2});
}

typedef struct determinants {
    const fxi_build *b;
    fx_node *a, *det;
} determinants;

/* det^H a^-H */
static void regular_cofactors(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                              void *user) {
    const determinants *d = user;
    (void)body, (void)in, (void)n_in, (void)n_out;
    fx_node *inverse = solve_matrices(d->b, d->a, fxi_build_identity(d->a));
    out[0] = adjoint(fx_mul(inverse, beside(d->det)));
}

/* The same from singular values, of which some are 0: u diag(products of the others) vh det(u vh)^H. */
static void singular_cofactors(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                               void *user) {
    const determinants *d = user;
    fx_node *f[3];
    (void)body, (void)in, (void)n_in, (void)n_out;
    fx_svd(d->a, false, f);
    fx_node *before = fx_shift_with_scalar(fx_cum_prod(f[1], -1), -1, FX_SHIFT_RIGHT, 1, 1);
    fx_node *after = fx_shift_with_scalar(fx_cum_prod_reverse(f[1], -1), -1, FX_SHIFT_LEFT, 1, 1);
    fx_node *others = fx_convert(fx_mul(before, after), d->a->shape.dtype);
    fx_node *columns = fx_mul(f[0], fx_expand_axes(others, (fx_axes){(const int[]){-2}, 1}));
    fx_node *sign = fx_conj(det_by_lu(fx_matmul(f[0], f[2])));
    out[0] = fx_mul(fx_matmul(columns, f[2]), beside(sign));
}

static void det_forward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = det_by_lu(in[0]);
}

/* d det = trace(adjugate(a) da), which singular matrices have too. */
static void det_backward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    const fxi_build b = {.name = "fx_det", .graph = body, .stop = &body->inert};
    determinants d = {&b, in[0], in[1]};
    (void)n_in, (void)n_out, (void)user;
    fx_node *singular = fx_equal(in[1], fx_scalar_zero(body, in[1]->shape.dtype));
    fx_node *cofactors =
        fx_if(fx_reduce_all_or(singular), singular_cofactors, regular_cofactors, 1, &d, NULL);
    out[0] = fx_strong_mul(beside(in[2]), cofactors);
}

fx_node *fx_det(fx_node *a) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_det", &a, 1) || !fxi_build_matrix(&b, a, true)) return b.stop;
    if (a->shape.dims[a->shape.rank - 1] == 0) return det_by_lu(a);
    const fxi_composite composite = {.name = "fx.det", .forward = det_forward, .backward = det_backward};
    return fxi_build_composite(&b, &composite, (fx_nodes){&a, 1}, 1);
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

/* max(m, n) eps */
static double usual_tolerance(const fx_node *a) {
    const fx_shape *shape = &a->shape;
    int64_t m = shape->dims[shape->rank - 2], n = shape->dims[shape->rank - 1];
    return (double)(m > n ? m : n) * (fx_dtype_real(shape->dtype) == FX_F32 ? 0x1p-23 : 0x1p-52);
}

/* Singular values [..., k] that count, as bool. */
static fx_node *usable(const fx_node *a, fx_node *s, double tolerance) {
    if (!(tolerance >= 0)) tolerance = usual_tolerance(a);
    fx_node *most = fx_reduce_and_keep(s, fx_reduce_max, (fx_axes){(const int[]){-1}, 1});
    return fx_greater(s, fx_mul(most, number_like(s, tolerance)));
}

static bool begin_singular(fxi_build *b, const char *name, fx_node *a) {
    return fxi_build_begin(b, name, &a, 1) && fxi_build_matrix(b, a, false);
}

/* v diag(1 / s) u^H; a NaN among the singular values makes all NaN, since v and u are. */
static void singular_inverse(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                             void *user) {
    const double *tolerance = user;
    fx_node *a = in[0], *f[3];
    (void)body, (void)n_in, (void)n_out;
    fx_svd(a, false, f);
    fx_node *counts = usable(a, f[1], *tolerance), *one = number_like(f[1], 1);
    fx_node *inverse = fx_where(counts, fx_div(one, fx_where(counts, f[1], one)), fx_zeros_like(f[1]));
    fx_node *row = fx_expand_axes(fx_convert(inverse, a->shape.dtype), (fx_axes){(const int[]){-2}, 1});
    out[0] = fx_matmul(fx_mul(adjoint(f[2]), row), adjoint(f[0]));
}

/* x y z, from the right where that keeps what is in between small. */
static fx_node *product(fx_node *x, fx_node *y, fx_node *z, bool tall) {
    return tall ? fx_matmul(x, fx_matmul(y, z)) : fx_matmul(fx_matmul(x, y), z);
}

/* The transpose of dp = -p da p + p p^H da^H (1 - a p) + (1 - p a) da^H p^H p (Golub and Pereyra, "The
 * differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate", 1973),
 * which holds where the rank stays, also of equal singular values. */
static void inverse_backward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                             void *user) {
    fx_node *a = in[0], *p = in[1], *u = in[2], *ph = adjoint(p), *uh = adjoint(u);
    const fx_shape *shape = &a->shape;
    bool tall = shape->dims[shape->rank - 2] >= shape->dims[shape->rank - 1];
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *left = fx_sub(uh, product(a, p, uh, tall)), *right = product(ph, p, uh, tall);
    fx_node *outside = fx_add(product(left, p, ph, tall), fx_sub(right, product(right, p, a, tall)));
    out[0] = fx_sub(outside, product(ph, u, ph, tall));
}

/* A larger tolerance than the usual one may leave out singular values that are not 0; then the derivative is
 * that of the factors. */
static fx_node *pseudo_inverse(const fxi_build *b, fx_node *a, double tolerance) {
    const fxi_composite composite = {
        .name = "fx.pinv", .forward = singular_inverse, .backward = inverse_backward, .user = &tolerance};
    fx_node *inverse;
    if (!(tolerance > usual_tolerance(a))) return fxi_build_composite(b, &composite, (fx_nodes){&a, 1}, 1);
    singular_inverse(b->graph, &a, 1, &inverse, 1, &tolerance);
    return inverse;
}

fx_node *fx_pinv(fx_node *a, double tolerance) {
    fxi_build b;
    return begin_singular(&b, "fx_pinv", a) ? pseudo_inverse(&b, a, tolerance) : b.stop;
}

fx_node *fx_least_squares(fx_node *a, fx_node *b, double tolerance) {
    fxi_build build;
    if (!fxi_build_begin(&build, "fx_least_squares", (fx_node *const[]){a, b}, 2)) return build.stop;
    if (!fxi_build_matrix(&build, a, false) || !fxi_build_same(&build, a, b)) return build.stop;
    return fx_matmul(pseudo_inverse(&build, a, tolerance), b);
}

fx_node *fx_matrix_rank(fx_node *a, double tolerance) {
    fxi_build b;
    fx_node *f[3];
    if (!begin_singular(&b, "fx_matrix_rank", a)) return b.stop;
    fx_svd(a, false, f);
    return fx_reduce_sum(fx_convert(usable(a, f[1], tolerance), FX_S32), (fx_axes){(const int[]){-1}, 1});
}
