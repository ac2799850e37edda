/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of Cholesky factors, triangular systems and LU factors.
 *
 * Cholesky (Murray, "Differentiation of the Cholesky decomposition", 2016, complex by conjugate transposes):
 * with S the Hermitian matrix that the triangle of da stands for, dl = l half(l^-1 S l^-H), and backwards
 * half of B + B^H for B = l^-H half(l^H dl) l^-1: a gradient in the triangle that is read.
 * Triangular systems (Giles, "Collected matrix derivative results for forward and reverse mode", 2008): the
 * adjoint of b is the solution of the transposed system, that of a its product with x, in the triangle.
 * LU (de Hoog, Anderssen, Lukas, "Differentiation of matrix functionals using triangular factorization",
 * 2011): for square parts Z = l^-1 (p da) u^-1 falls into its triangles, dl = l tril(Z), du = triu(Z) u. What
 * lies below or beside the square part, of matrices that are not square, follows from l and u by products. */
#include "rule_linalg.h"

static fx_node *solve(fx_node *a, fx_node *b, bool right, bool upper, fx_transpose_kind transpose) {
    return fx_triangular_solve(
        a, b, &(fx_triangular_options){.right = right, .upper = upper, .transpose = transpose});
}

/* ---- Cholesky; the upper factor is the conjugate transpose of the lower one ---- */

static bool is_lower(const fx_node *n) {
    return fxi_node_int(n, FXI_ATTR_LOWER) != 0;
}
static fx_node *turn(fx_node *x, bool turned) {
    return turned ? fxi_linalg_transpose(x) : x;
}

static void vjp_cholesky(const fxi_vjp *v) {
    if (fxi_linalg_is_empty(v->n)) return;
    bool turned = !is_lower(v->n);
    fx_node *l = turn(v->n, turned), *u = turn(v->adjoints[0], turned);
    fx_node *half = fxi_linalg_half(v->b, fx_matmul(fxi_linalg_transpose(l), u), true);
    fx_node *sides = solve(l, solve(l, half, false, false, FX_ADJOINT), true, false, FX_NO_TRANSPOSE);
    fx_node *both = fx_add(sides, fxi_linalg_transpose(sides));
    v->out[0] = turn(fxi_linalg_half(v->b, both, true), turned);
}

static void jvp_cholesky(const fxi_jvp *j) {
    if (fxi_linalg_is_empty(j->n)) return;
    bool turned = !is_lower(j->n);
    fx_node *l = turn(j->n, turned), *s = fxi_linalg_hermitian(j->b, turn(j->tangents[0], turned), true);
    fx_node *sides = solve(l, solve(l, s, false, false, FX_NO_TRANSPOSE), true, false, FX_ADJOINT);
    j->out[0] = turn(fx_matmul(l, fxi_linalg_half(j->b, sides, true)), turned);
}
const fxi_grad_rule fxi_gradrule_cholesky = {.vjp = vjp_cholesky, .jvp = jvp_cholesky};

/* ---- triangular systems ---- */

/* The triangle of x that the system reads. */
static fx_node *triangle(const fx_node *n, fx_node *x) {
    bool unit = fxi_node_int(n, FXI_ATTR_UNIT) != 0;
    return is_lower(n) ? fx_tril(x, unit ? -1 : 0) : fx_triu(x, unit ? 1 : 0);
}

/* The solution of n's system for another side, with another transposition of a. */
static fx_node *solve_like(const fxi_build *b, const fx_node *n, fx_node *side, fxi_transpose transposed) {
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_TRANSPOSED, transposed);
    fx_node *const operands[] = {n->operands[0], side};
    return fxi_build_like(b, n, operands, &attr, 1, NULL);
}

/* The solution with op(a)^H in the place of op(a). */
static fx_node *solve_transposed(const fxi_vjp *v, fx_node *u) {
    switch (fxi_node_int(v->n, FXI_ATTR_TRANSPOSED)) {
    case FXI_TRANSPOSE_NONE: return solve_like(v->b, v->n, u, FXI_TRANSPOSE_ADJOINT);
    case FXI_TRANSPOSE_ADJOINT: return solve_like(v->b, v->n, u, FXI_TRANSPOSE_NONE);
    default: /* op(a)^H = conj(a) */
        return fxi_grad_conj(solve_like(v->b, v->n, fxi_grad_conj(u), FXI_TRANSPOSE_NONE));
    }
}

/* -p x^H of a system op(a) x = b, -x^H p of x op(a) = b, p being the adjoint of b; op undone. */
static fx_node *adjoint_of_triangle(const fxi_vjp *v, fx_node *p) {
    bool left = fxi_node_int(v->n, FXI_ATTR_LEFT) != 0;
    fx_node *x = v->n, *product;
    if (fxi_node_int(v->n, FXI_ATTR_TRANSPOSED) == FXI_TRANSPOSE_NONE)
        product = left ? fx_matmul(p, fxi_linalg_transpose(x)) : fx_matmul(fxi_linalg_transpose(x), p);
    else
        product = left ? fx_matmul(x, fxi_linalg_transpose(p)) : fx_matmul(fxi_linalg_transpose(p), x);
    if (fxi_node_int(v->n, FXI_ATTR_TRANSPOSED) == FXI_TRANSPOSE_PLAIN) product = fxi_grad_conj(product);
    return triangle(v->n, fx_neg(product));
}

static void vjp_tri_solve(const fxi_vjp *v) {
    if (fxi_linalg_is_empty(v->n)) return;
    fx_node *p = solve_transposed(v, v->adjoints[0]);
    if (v->wanted[0]) v->out[0] = adjoint_of_triangle(v, p);
    if (v->wanted[1]) v->out[1] = p;
}

/* op(da) x, or x op(da) */
static fx_node *moved_side(const fx_node *n, fx_node *x, fx_node *da) {
    int64_t transposed = fxi_node_int(n, FXI_ATTR_TRANSPOSED);
    fx_node *op = triangle(n, da);
    if (transposed != FXI_TRANSPOSE_NONE) op = fx_transpose(op, -1, -2);
    if (transposed == FXI_TRANSPOSE_ADJOINT) op = fxi_grad_conj(op);
    return fxi_node_int(n, FXI_ATTR_LEFT) ? fx_matmul(op, x) : fx_matmul(x, op);
}

static void jvp_tri_solve(const fxi_jvp *j) {
    if (fxi_linalg_is_empty(j->n)) return;
    fx_node *side = j->tangents[1];
    if (j->tangents[0]) {
        fx_node *moved = moved_side(j->n, j->n, j->tangents[0]);
        side = side ? fx_sub(side, moved) : fx_neg(moved);
    }
    j->out[0] = solve_like(j->b, j->n, side, (fxi_transpose)fxi_node_int(j->n, FXI_ATTR_TRANSPOSED));
}
const fxi_grad_rule fxi_gradrule_tri_solve = {.vjp = vjp_tri_solve, .jvp = jvp_tri_solve};

/* ---- LU ---- */

/* The square part is l, with ones on the diagonal, and u, in one matrix; below: further rows of l, beside:
 * further columns of u; at most one of the two. */
typedef struct factors {
    const fxi_build *b;
    fx_node *square, *below, *beside, *permutation;
    int64_t rows, columns, k;
} factors;

static factors read_factors(const fxi_build *b, fx_node *n) {
    factors f = {.b = b, .square = n, .rows = fxi_linalg_row_count(n), .columns = fxi_linalg_column_count(n)};
    f.k = f.rows < f.columns ? f.rows : f.columns;
    f.permutation = fxi_node_result(n, 2);
    if (f.rows > f.k) f.below = fxi_linalg_rows(n, f.k, f.rows);
    if (f.rows > f.k) f.square = fxi_linalg_rows(n, 0, f.k);
    if (f.columns > f.k) f.beside = fxi_linalg_columns(n, f.k, f.columns);
    if (f.columns > f.k) f.square = fxi_linalg_columns(n, 0, f.k);
    return f;
}

static fx_node *l_solve(const factors *f, fx_node *x, fx_transpose_kind transpose) {
    return fx_triangular_solve(f->square, x,
                               &(fx_triangular_options){.unit_diagonal = true, .transpose = transpose});
}
/* x u^-1 */
static fx_node *u_solve(const factors *f, fx_node *x, fx_transpose_kind transpose) {
    return solve(f->square, x, true, true, transpose);
}

static fx_node *lower_of(const factors *f) { /* l with its ones */
    return fx_select(fxi_linalg_diagonal(f->b, f->square), fx_ones_like(f->square), fx_tril(f->square, -1));
}
static fx_node *upper_of(const factors *f) {
    return fx_triu(f->square, 0);
}

/* The square part of x, and what is below or beside it. */
static void cut(const factors *f, fx_node *x, fx_node **square, fx_node **below, fx_node **beside) {
    *square = x;
    if (f->below) *square = fxi_linalg_rows(x, 0, f->k), *below = fxi_linalg_rows(x, f->k, f->rows);
    if (f->beside)
        *square = fxi_linalg_columns(x, 0, f->k), *beside = fxi_linalg_columns(x, f->k, f->columns);
}

static fx_node *join(const factors *f, fx_node *square, fx_node *below, fx_node *beside) {
    if (f->below) return fx_concatenate((fx_nodes){(fx_node *[]){square, below}, 2}, -2);
    if (f->beside) return fx_concatenate((fx_nodes){(fx_node *[]){square, beside}, 2}, -1);
    return square;
}

/* Row i of what is given goes to row permutation[i]. */
static fx_node *undo_permutation(const factors *f, fx_node *x) {
    const fx_shape *shape = &f->permutation->shape;
    fx_node *inverse = fx_put_along_axis(fx_zeros(f->b->graph, shape), f->permutation,
                                         fx_iota(f->b->graph, shape, shape->rank - 1), -1);
    return fxi_build_permute_rows(f->b, x, inverse);
}

static void vjp_lu(const fxi_vjp *v) {
    if (!v->adjoints[0] || fxi_linalg_is_empty(v->n)) return;
    const factors f = read_factors(v->b, v->n);
    fx_node *g, *g_below = NULL, *g_beside = NULL, *below = NULL, *beside = NULL;
    cut(&f, v->adjoints[0], &g, &g_below, &g_beside);
    fx_node *low = fx_matmul(fxi_linalg_transpose(lower_of(&f)), g);
    fx_node *up = fx_matmul(g, fxi_linalg_transpose(upper_of(&f)));
    if (f.below) {
        up = fx_sub(up, fx_matmul(fxi_linalg_transpose(f.below), g_below));
        below = u_solve(&f, g_below, FX_ADJOINT);
    }
    if (f.beside) {
        low = fx_sub(low, fx_matmul(g_beside, fxi_linalg_transpose(f.beside)));
        beside = l_solve(&f, g_beside, FX_ADJOINT);
    }
    fx_node *z = fx_add(fx_tril(low, -1), fx_triu(up, 0));
    fx_node *square = u_solve(&f, l_solve(&f, z, FX_ADJOINT), FX_ADJOINT);
    v->out[0] = undo_permutation(&f, join(&f, square, below, beside));
}

static void jvp_lu(const fxi_jvp *j) {
    if (fxi_linalg_is_empty(j->n)) return;
    const factors f = read_factors(j->b, j->n);
    fx_node *t, *t_below = NULL, *t_beside = NULL, *below = NULL, *beside = NULL;
    cut(&f, fxi_build_permute_rows(j->b, j->tangents[0], f.permutation), &t, &t_below, &t_beside);
    fx_node *z = u_solve(&f, l_solve(&f, t, FX_NO_TRANSPOSE), FX_NO_TRANSPOSE);
    fx_node *low = fx_matmul(lower_of(&f), fx_tril(z, -1)), *up = fx_triu(z, 0);
    if (f.below) below = fx_sub(u_solve(&f, t_below, FX_NO_TRANSPOSE), fx_matmul(f.below, up));
    if (f.beside)
        beside = fx_sub(l_solve(&f, t_beside, FX_NO_TRANSPOSE), fx_matmul(fx_tril(z, -1), f.beside));
    j->out[0] = join(&f, fx_add(low, fx_matmul(up, upper_of(&f))), below, beside);
}
const fxi_grad_rule fxi_gradrule_lu = {.vjp = vjp_lu, .jvp = jvp_lu};
