/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of singular and eigenvalues, both by one-sided Jacobi rotations as in src/ops/linalg_svd.inc: rows
 * are turned in disjoint pairs until all are orthogonal. A loop does one round of a tournament, all pairs of
 * all matrices at once; a sweep is as many rounds as there are rows, less one.
 *
 * Singular values: of r of a tall matrix's q r. Eigenvalues: a + c of a Hermitian a is positive for c above
 * a's norm, and then left and right singular vectors are a's eigenvectors v; the values are v^H a v, whose
 * error is the square of the vector's. */
#include "lower_matrix.h"
#include <fluxion/control.h>
#include <fluxion/indexing.h>
#include <fluxion/linalg.h>
#include <fluxion/sorting.h>
#include <math.h>

enum { MOST_SWEEPS = 40 };
enum { AGAIN, TURNED, ROUND, SWEEP, TOP, BOTTOM, STATES };

/* ---- rotations ---- */

typedef struct rotations {
    fx_node *turns, *c, *s, *phase; /* per pair; x, y become c x - s phase y, s x + c phase y */
} rotations;

static rotations rotations_of(fx_node *x, fx_node *y) {
    fx_node *inner = fxi_lower_inner(x, y, 2), *gamma = fx_abs(inner);
    fx_node *alpha = fxi_lower_square(x, 2), *beta = fxi_lower_square(y, 2);
    fx_node *one = fxi_lower_number(alpha, 1), *zero = fxi_lower_number(alpha, 0);
    double eps = alpha->shape.dtype == FX_F64 ? 0x1p-52 : 0x1p-23;
    fx_node *tolerance = fxi_lower_number(alpha, eps * sqrt((double)x->shape.dims[2]));
    fx_node *least = fxi_lower_number(alpha, eps == 0x1p-52 ? 0x1p-1000 : 0x1p-120); /* else no unit phase */
    fx_node *limit = fx_mul(tolerance, fx_mul(fx_sqrt(alpha), fx_sqrt(beta)));
    fx_node *turns = fx_greater(gamma, fx_max(limit, least));
    fx_node *zeta = fx_div(fx_sub(beta, alpha), fx_add(gamma, gamma));
    fx_node *size = fx_abs(zeta), *is_far = fx_greater(size, fxi_lower_number(size, 0x1p30));
    fx_node *root = fx_select(is_far, size, fx_sqrt(fx_add(fx_mul(zeta, zeta), one)));
    fx_node *t = fx_div(fx_copysign(one, zeta), fx_add(size, root));
    fx_node *c = fx_div(one, fx_sqrt(fx_add(fx_mul(t, t), one)));
    fx_node *phase = fx_div(fxi_lower_conjugate(inner), fx_convert(gamma, inner->shape.dtype));
    return (rotations){turns, fx_select(turns, c, one), fx_select(turns, fx_mul(c, t), zero),
                       fx_select(turns, phase, fxi_lower_number(phase, 1))};
}

/* The first player stays, the others go round. */
static void next_round(fx_node **top, fx_node **bottom) {
    int64_t n = (*top)->shape.dims[1];
    if (n == 1) return;
    fx_node *first = fx_slice_axis(*top, 1, 0, 1, 1), *last = fx_slice_axis(*top, 1, n - 1, n, 1);
    fx_node *head = fxi_lower_join(first, fx_slice_axis(*bottom, 1, 0, 1, 1), 1);
    fx_node *above = n == 2 ? head : fxi_lower_join(head, fx_slice_axis(*top, 1, 1, n - 1, 1), 1);
    *bottom = fxi_lower_join(fx_slice_axis(*bottom, 1, 1, n, 1), last, 1);
    *top = above;
}

/* user: the number of columns whose inner products count. */
static void turn_pairs(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)n_in, (void)n_out;
    int64_t n = *(const int64_t *)user, rounds = 2 * in[TOP]->shape.dims[1] - 1;
    fx_node *top = in[TOP], *bottom = in[BOTTOM];
    const rotations r = rotations_of(fxi_lower_first_columns(top, n), fxi_lower_first_columns(bottom, n));
    fx_node *turned = fx_mul(bottom, r.phase);
    out[TOP] = fx_sub(fxi_lower_scaled(top, r.c), fxi_lower_scaled(turned, r.s));
    out[BOTTOM] = fx_add(fxi_lower_scaled(top, r.s), fxi_lower_scaled(turned, r.c));
    next_round(&out[TOP], &out[BOTTOM]);
    fx_node *any = fx_or(in[TURNED], fx_reduce_all_or(r.turns)), *one = fx_scalar_int(graph, FX_S64, 1);
    fx_node *is_last = fx_equal(in[ROUND], fx_scalar_int(graph, FX_S64, rounds - 1));
    fx_node *sweep = fx_add(in[SWEEP], fx_select(is_last, one, fxi_lower_integer(one, 0)));
    out[SWEEP] = sweep;
    out[ROUND] = fx_select(is_last, fxi_lower_integer(one, 0), fx_add(in[ROUND], one));
    out[TURNED] = fx_and(any, fx_not(is_last));
    fx_node *goes_on = fx_and(any, fx_less(sweep, fx_scalar_int(graph, FX_S64, MOST_SWEEPS)));
    out[AGAIN] = fx_select(is_last, goes_on, in[AGAIN]);
}

static void is_again(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)graph, (void)n_in, (void)n_out, (void)user;
    out[0] = in[AGAIN];
}

/* Makes the rows of x [batch, n, n] orthogonal: v x with unitary v. */
static void orthogonalize(fx_node **x, fx_node **v) {
    fx_graph *graph = (*x)->graph;
    int64_t n = (*x)->shape.dims[1], half = (n + 1) / 2;
    fx_node *rows = fxi_lower_join(*x, fxi_build_identity(*x), 2);
    if (n > 1) {
        if (n % 2) rows = fx_grow_right(rows, 1, 1, 0);
        fx_node *zero = fx_scalar_int(graph, FX_S64, 0), *no = fx_scalar_int(graph, FX_BOOL, 0);
        fx_node *states[STATES] = {fx_not(no), no, zero, zero, fx_slice_axis(rows, 1, 0, half, 1),
                                   fx_slice_axis(rows, 1, half, 2 * half, 1)};
        fx_while((fx_nodes){states, STATES}, is_again, turn_pairs, &n, states);
        rows = fx_slice_axis(fxi_lower_join(states[TOP], states[BOTTOM], 1), 1, 0, n, 1);
    }
    *x = fx_slice_axis(rows, 2, 0, n, 1);
    *v = fx_slice_axis(rows, 2, n, 2 * n, 1);
}

/* Order of keys [batch, n, 1], sorted with them. */
static fx_node *sort_keys(fx_node **keys, bool ascending) {
    fx_shape shape = (*keys)->shape;
    shape.dtype = FX_S64;
    fx_node *both[] = {*keys, fx_iota((*keys)->graph, &shape, 1)};
    fx_sort_many((fx_nodes){both, 2}, 1, 1, ascending, both);
    *keys = both[0];
    return both[1];
}

static fx_node *or_nan(fx_node *is_finite, fx_node *x) {
    return fx_select(is_finite, x, fxi_lower_number(x, NAN));
}

/* ---- eigenvalues ---- */

/* All of a Hermitian matrix of one triangle. */
static fx_node *fill_hermitian(fx_node *a, bool lower) {
    fx_dtype dtype = a->shape.dtype;
    fx_node *rows = fxi_lower_places(a, 1, a->shape.dims[1]);
    fx_node *columns = fxi_lower_places(a, 2, a->shape.dims[1]);
    fx_node *is_read = lower ? fx_greater(rows, columns) : fx_less(rows, columns);
    fx_node *diagonal = fx_dtype_is_complex(dtype) ? fx_convert(fx_real(a), dtype) : a;
    return fx_select(is_read, a, fx_select(fx_equal(rows, columns), diagonal, fxi_lower_adjoint(a)));
}

bool fxi_lower_eigh(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b;
    if (fx_shape_size(&operands[0]->shape) == 0)
        return fxi_lower_give(results, fx_zeros(b->graph, &node->shape)) &&
               fxi_lower_give(results + 1, operands[0]);
    fx_node *a = fill_hermitian(fxi_lower_matrices(operands[0]), fxi_node_int(node, FXI_ATTR_LOWER) != 0);
    fx_node *largest = fxi_lower_largest(fxi_lower_one_norm(a)), *is_finite = fx_is_finite(largest);
    fx_node *scale = fxi_lower_down_scale(largest), *v;
    a = fxi_lower_scaled(a, scale);
    fx_node *sums = fx_reduce_and_keep(fxi_lower_one_norm(a), fx_reduce_sum, (fx_axes){(const int[]){2}, 1});
    fx_node *shift = fxi_lower_scaled(fxi_build_identity(a), fxi_lower_largest(sums));
    fx_node *x = fxi_lower_conjugate(fx_add(a, shift));
    orthogonalize(&x, &v);
    fx_node *norm = fx_sqrt(fxi_lower_square(v, 2));
    v = fx_div(v, fx_convert(norm, v->shape.dtype));
    fx_node *image = fx_matmul(v, fx_transpose(a, 1, 2));
    fx_node *values = fx_real(fxi_lower_inner(v, image, 2)), *order = sort_keys(&values, true);
    fx_node *vectors = fx_transpose(fxi_lower_take_rows(v, order), 1, 2);
    return fxi_lower_give_matrix(node, 0, or_nan(is_finite, fx_div(values, scale)), results) &&
           fxi_lower_give_matrix(node, 1, or_nan(is_finite, vectors), results);
}

/* ---- singular values ---- */

typedef struct completion {
    fx_node *right, *is_zero;
} completion;

static void keep_rows(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)graph, (void)in, (void)n_in, (void)n_out;
    out[0] = ((const completion *)user)->right;
}

/* Rows of a null space: the columns of q that follow those of the other rows. */
static void complete_rows(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    (void)graph, (void)in, (void)n_in, (void)n_out;
    const completion *c = user;
    fx_node *q, *r;
    fxi_lower_qr_of(fx_transpose(c->right, 1, 2), c->right->shape.dims[1], &q, &r);
    out[0] = fx_select(c->is_zero, fx_transpose(q, 1, 2), c->right);
}

typedef struct svd_parts {
    fx_node *u, *s, *vh; /* [batch, m, k], [batch, n, 1], [batch, n, n] */
} svd_parts;

/* Of square matrices; s descending. */
static svd_parts svd_square(fx_node *square) {
    fx_node *largest = fxi_lower_largest(fxi_lower_one_norm(square)), *is_finite = fx_is_finite(largest);
    fx_node *scale = fxi_lower_down_scale(largest), *v;
    fx_node *x = fxi_lower_conjugate(fxi_lower_scaled(square, scale));
    orthogonalize(&x, &v);
    fx_node *norms = fx_sqrt(fxi_lower_square(x, 2)), *order = sort_keys(&norms, false);
    /* Of smaller rows the square is too small to be a norm's. */
    double least = norms->shape.dtype == FX_F64 ? 0x1p-480 : 0x1p-50;
    fx_node *is_zero = fx_less(norms, fxi_lower_number(norms, least)), *zero = fxi_lower_number(x, 0);
    x = fxi_lower_take_rows(x, order);
    completion c = {fx_select(is_zero, zero, fx_div(x, fx_convert(norms, x->shape.dtype))), is_zero};
    fx_node *right;
    fx_if(fx_reduce_all_or(is_zero), complete_rows, keep_rows, 1, &c, &right);
    fx_node *u = fx_transpose(fxi_lower_take_rows(v, order), 1, 2);
    return (svd_parts){or_nan(is_finite, u), or_nan(is_finite, fx_div(norms, scale)),
                       or_nan(is_finite, fxi_lower_conjugate(right))};
}

/* For m >= n. */
static svd_parts svd_tall(fx_node *a, bool full) {
    int64_t m = a->shape.dims[1], n = a->shape.dims[2], k = full ? m : n;
    fx_node *q, *r;
    fxi_lower_qr_of(a, k, &q, &r);
    svd_parts p = svd_square(fx_slice_axis(r, 1, 0, n, 1));
    p.u = fx_matmul(fxi_lower_first_columns(q, n), p.u);
    if (k > n) {
        fx_node *is_finite = fx_not(fx_is_nan(fx_slice_axis(p.s, 1, 0, 1, 1)));
        p.u = fxi_lower_join(p.u, or_nan(is_finite, fx_slice_axis(q, 2, n, k, 1)), 2);
    }
    return p;
}

bool fxi_lower_svd(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    fx_node *a = fxi_lower_matrices(operands[0]);
    bool full = fxi_node_int(node, FXI_ATTR_FULL) != 0, is_tall = a->shape.dims[1] >= a->shape.dims[2];
    svd_parts p;
    if (fx_shape_size(&a->shape) == 0) {
        const fx_shape *vh = fxi_node_result_shape(node, 2), *s = fxi_node_result_shape(node, 1);
        fx_node *u = fxi_lower_matrices(fx_zeros(b->graph, &node->shape));
        fx_node *v = fxi_lower_matrices(fx_zeros(b->graph, vh));
        if (full) u = fxi_build_identity(u);
        p = (svd_parts){u, fx_zeros(b->graph, s), full ? fxi_build_identity(v) : v};
    } else if (is_tall) {
        p = svd_tall(a, full);
    } else {
        const svd_parts turned = svd_tall(fxi_lower_adjoint(a), full);
        p = (svd_parts){fxi_lower_adjoint(turned.vh), turned.s, fxi_lower_adjoint(turned.u)};
    }
    return fxi_lower_give_matrix(node, 0, p.u, results) && fxi_lower_give_matrix(node, 1, p.s, results) &&
           fxi_lower_give_matrix(node, 2, p.vh, results);
}
