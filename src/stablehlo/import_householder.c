/* SPDX-License-Identifier: Apache-2.0 */
/* Reflections by graph builders, so that programs which call LAPACK run on every backend and can be
 * differentiated.
 *
 * A reduction is a loop over columns; each round makes the reflection that maps the column below a place to
 * beta e (larfg: beta is real with the sign opposite to the first element's) and applies it to the whole
 * matrix, masks keeping what is finished. The column is scaled by its largest magnitude first, so that no
 * square overflows or vanishes.
 *
 * A product is applied at once, by the compact form (Schreiber and Van Loan 1989): H_0 H_1 ... = I - V t V^H
 * with t = (I + D u)^-1 D, where D = diag(taus) and u is what lies above the diagonal of V^H V. */
#include "stablehlo/import_householder.h"
#include "stablehlo/import_matrix.h"
#include <fluxion/control.h>
#include <fluxion/linalg.h>

static fx_node *sum_kept(fx_node *x, int axis) {
    return fx_reduce_and_keep(x, fx_reduce_sum, (fx_axes){&axis, 1});
}

typedef struct reflection {
    fx_node *v;    /* [..., m, 1]: 0 above the place, 1 there */
    fx_node *tau;  /* [..., 1, 1] */
    fx_node *beta; /* [..., 1, 1], real */
} reflection;

/* Of a column [..., m, 1], whose entries before the place are not looked at. */
static reflection make_reflection(fx_node *column, fx_node *place) {
    const int rows = -2;
    fx_node *row = fxi_hlo_places(column, -2), *at = fx_equal(row, place), *below = fx_greater(row, place);
    fx_node *x = fxi_hlo_masked(fx_or(at, below), column);
    fx_node *largest = fx_reduce_and_keep(fx_abs(x), fx_reduce_max, (fx_axes){&rows, 1});
    fx_node *usable = fx_and(fx_is_positive(largest), fx_is_finite(largest));
    fx_node *scale = fx_select(usable, largest, fx_scalar_one(fx_node_graph(x), fx_node_dtype(largest)));
    x = fx_div(x, fxi_hlo_like(scale, x));
    fx_node *alpha = sum_kept(fxi_hlo_masked(at, x), -2), *tail = fxi_hlo_masked(below, x);
    fx_node *squares = sum_kept(fx_square(fx_abs(tail)), -2);
    fx_node *norm = fx_sqrt(fx_add(squares, fx_square(fx_abs(alpha))));
    fx_node *beta = fx_neg(fx_copysign(norm, fx_real(alpha)));
    /* A column that is mapped already, to a real number, stays: tau is 0. */
    fx_node *done = fx_is_zero(squares);
    if (fx_dtype_is_complex(fx_node_dtype(x))) done = fx_and(done, fx_is_zero(fx_imag(alpha)));
    fx_node *wide = fxi_hlo_like(beta, x), *one = fx_scalar_one(fx_node_graph(x), fx_node_dtype(x));
    fx_node *head = fx_select(done, one, fx_sub(alpha, wide));
    reflection r;
    r.tau = fx_select(done, fxi_hlo_zero_of(x), fx_div(fx_sub(wide, alpha), fx_select(done, one, wide)));
    r.beta = fx_mul(fx_select(done, fx_real(alpha), beta), scale);
    r.v = fx_select(at, one, fx_div(tail, head));
    return r;
}

/* a - tau v (v^H a), with the conjugate of tau for H^H, where the mask holds. */
static fx_node *reflect_left(const reflection *r, fx_node *a, fx_node *mask) {
    fx_node *along = fx_matmul(fxi_hlo_adjoint_of(r->v), a);
    fx_node *change = fx_mul(fx_mul(fx_conj(r->tau), r->v), along);
    return fx_sub(a, fxi_hlo_masked(mask, change));
}

/* a - tau (a v) v^H where the mask holds. */
static fx_node *reflect_right(const reflection *r, fx_node *a, fx_node *mask) {
    fx_node *along = fx_mul(r->tau, fx_matmul(a, r->v));
    return fx_sub(a, fxi_hlo_masked(mask, fx_mul(along, fxi_hlo_adjoint_of(r->v))));
}

/* ---- reductions ---- */

typedef struct reduction {
    int64_t below; /* how far below the diagonal a reflection has its place */
    bool two_sided;
} reduction;

static fx_node *column_of(fx_node *a, fx_node *number) {
    fx_shape shape = *fx_node_shape(a);
    fx_node *starts[FX_MAX_RANK];
    if (shape.rank < 2) return a; /* the inert node */
    for (int i = 0; i < shape.rank; i++) starts[i] = fx_scalar_int(fx_node_graph(number), FX_S64, 0);
    starts[shape.rank - 1] = number;
    shape.dims[shape.rank - 1] = 1;
    return fx_dynamic_slice(a, (fx_nodes){starts, (size_t)shape.rank},
                            (fx_dims){shape.dims, (size_t)shape.rank});
}

/* in: the round, the matrix, the taus [..., 1, k]. */
static void reduce_column(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    (void)body, (void)n_in, (void)n_out;
    const reduction *how = user;
    fx_node *a = in[1], *round = in[0], *place = fx_add_scalar_int(round, how->below);
    reflection r = make_reflection(column_of(a, round), place);
    fx_node *row = fxi_hlo_places(a, -2), *column = fxi_hlo_places(a, -1);
    fx_node *here = fx_equal(column, round);
    fx_node *reduced = reflect_left(&r, a, fx_greater(column, round));
    if (how->two_sided) reduced = reflect_right(&r, reduced, fx_greater(column, round));
    fx_node *beta = fx_and(here, fx_equal(row, place)), *below = fx_and(here, fx_greater(row, place));
    reduced = fx_select(beta, fxi_hlo_like(r.beta, a), reduced);
    out[0] = fx_select(below, r.v, reduced);
    out[1] = fx_select(fx_equal(fxi_hlo_places(in[2], -1), round), r.tau, in[2]);
}

/* The matrix after `count` rounds and its taus [..., count]. */
static void reduce_columns(fx_node *a, int64_t count, reduction how, fx_node *results[2]) {
    fx_shape shape = *fx_node_shape(a);
    if (shape.rank < 2) { /* the inert node */
        results[0] = results[1] = a;
        return;
    }
    shape.dims[shape.rank - 2] = 1;
    shape.dims[shape.rank - 1] = count;
    fx_node *states[] = {a, fx_zeros(fx_node_graph(a), &shape)};
    results[0] = states[0], results[1] = states[1];
    if (count > 0) fx_for(count, (fx_nodes){states, 2}, reduce_column, &how, results);
    const int row = -2;
    results[1] = fx_squeeze(results[1], (fx_axes){&row, 1});
}

void fxi_hlo_geqrf(fx_node *a, fx_node *results[2]) {
    int64_t m = fx_node_dim(a, -2), n = fx_node_dim(a, -1);
    reduce_columns(a, m < n ? m : n, (reduction){0, false}, results);
}

/* x with its last axis in another order: places, int64, of the dimensions of a row. */
static fx_node *reorder(fx_node *x, fx_node *order) {
    return fx_take_along_axis(x, fx_broadcast_to_shape(order, fx_node_shape(x)), -1);
}

/* The columns `round` and that of the largest norm from there on exchanged: the order [..., 1, n]. */
static fx_node *exchange(fx_node *a, fx_node *round) {
    const int rows = -2, last = -1;
    fx_node *left = fxi_hlo_masked(fx_greater_or_equal(fxi_hlo_places(a, -2), round), a);
    fx_node *norms = fx_reduce_and_keep(fx_square(fx_abs(left)), fx_reduce_sum, (fx_axes){&rows, 1});
    fx_node *number = fxi_hlo_places(norms, -1);
    fx_node *minus_one = fx_scalar(fx_node_graph(a), fx_node_dtype(norms), -1);
    norms = fx_select(fx_greater_or_equal(number, round), norms, minus_one);
    fx_node *largest = fx_insert_axes(fx_arg_max_dtype(norms, -1, FX_S64), (fx_axes){&last, 1});
    fx_node *other = fx_select(fx_equal(number, largest), round, number);
    return fx_select(fx_equal(number, round), largest, other);
}

/* in: the round, the matrix, the taus [..., 1, k], the columns' numbers [..., 1, n]. */
static void reduce_largest(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                           void *user) {
    (void)n_in, (void)n_out;
    fx_node *order = exchange(in[1], in[0]);
    fx_node *const exchanged[] = {in[0], reorder(in[1], order), in[2]};
    reduce_column(body, exchanged, 3, out, 2, user);
    out[2] = reorder(in[3], order);
}

void fxi_hlo_geqp3(fx_node *a, fx_node *results[3]) {
    reduction how = {0, false};
    fx_shape shape = *fx_node_shape(a);
    results[0] = results[1] = results[2] = a;
    if (shape.rank < 2) return; /* the inert node */
    int64_t m = shape.dims[shape.rank - 2], n = shape.dims[shape.rank - 1], count = m < n ? m : n;
    const int row = -2;
    shape.dims[shape.rank - 2] = 1;
    fx_shape numbers = shape;
    numbers.dtype = FX_S32;
    shape.dims[shape.rank - 1] = count;
    fx_node *first = fx_add_scalar_int(fx_iota(fx_node_graph(a), &numbers, shape.rank - 1), 1);
    fx_node *states[] = {a, fx_zeros(fx_node_graph(a), &shape), first}, *done[] = {a, states[1], first};
    if (count > 0) fx_for(count, (fx_nodes){states, 3}, reduce_largest, &how, done);
    results[0] = done[0];
    results[1] = fx_squeeze(done[2], (fx_axes){&row, 1});
    results[2] = fx_squeeze(done[1], (fx_axes){&row, 1});
}

static int64_t one_less(int64_t n) {
    return n > 0 ? n - 1 : 0;
}

void fxi_hlo_gehrd(fx_node *a, fx_node *results[2]) {
    reduce_columns(a, one_less(fx_node_dim(a, -1)), (reduction){1, true}, results);
}

static fx_node *turned(fx_node *x, size_t axes) {
    static const int last[] = {-1, -2};
    return fx_reverse(x, (fx_axes){last, axes});
}

static void reduce_lower(fx_node *a, fx_node *results[4]) {
    fx_node *row = fxi_hlo_places(a, -2), *column = fxi_hlo_places(a, -1), *reduced[2];
    fx_node *lower = fx_greater_or_equal(row, column);
    fx_node *full = fx_select(lower, a, fxi_hlo_adjoint_of(a));
    int64_t count = one_less(fx_node_dim(a, -1));
    reduce_columns(full, count, (reduction){1, true}, reduced);
    results[0] = fx_select(lower, reduced[0], a);
    results[1] = fx_real(fx_diagonal_of(reduced[0], 0, -2, -1));
    results[2] = fx_real(fx_diagonal_of(reduced[0], -1, -2, -1));
    results[3] = reduced[1];
}

/* The upper triangle is the lower one of the matrix with rows and columns in reverse, and so is its
 * reduction, which begins at the last column. */
void fxi_hlo_sytrd(fx_node *a, bool lower, fx_node *results[4]) {
    reduce_lower(lower ? a : turned(a, 2), results);
    for (size_t i = 0; !lower && i < 4; i++) results[i] = turned(results[i], i == 0 ? 2 : 1);
}

/* ---- products ---- */

/* The vectors [..., m, k] in full. */
static fx_node *vectors_of(fx_node *factor, int64_t k) {
    fx_node *v = fx_slice_axis(factor, -1, 0, k, 1);
    fx_node *row = fxi_hlo_places(v, -2), *column = fxi_hlo_places(v, -1);
    fx_node *one = fx_scalar_one(fx_node_graph(v), fx_node_dtype(v));
    return fx_select(fx_equal(row, column), one, fxi_hlo_masked(fx_greater(row, column), v));
}

static fx_node *compact_factor(fx_node *v, fx_node *taus) {
    fx_node *products = fx_matmul(fxi_hlo_adjoint_of(v), v);
    fx_node *row = fxi_hlo_places(products, -2), *column = fxi_hlo_places(products, -1);
    const int last = -1;
    fx_node *diagonal = fx_insert_axes(taus, (fx_axes){&last, 1}); /* [..., k, 1]: a number per row */
    fx_node *system = fx_mul(diagonal, fxi_hlo_masked(fx_less(row, column), products));
    fx_node *right =
        fxi_hlo_masked(fx_equal(row, column), fx_broadcast_to_shape(diagonal, fx_node_shape(products)));
    return fx_triangular_solve(system, right, &(fx_triangular_options){.upper = true, .unit_diagonal = true});
}

fx_node *fxi_hlo_reflect(fx_node *factor, fx_node *taus, fx_node *c, fxi_hlo_reflecting how) {
    fx_node *v = vectors_of(factor, fx_node_dim(taus, -1)), *t = compact_factor(v, taus);
    if (how.adjoint) t = fxi_hlo_adjoint_of(t);
    if (how.right) return fx_sub(c, fx_matmul(fx_matmul(fx_matmul(c, v), t), fxi_hlo_adjoint_of(v)));
    return fx_sub(c, fx_matmul(v, fx_matmul(t, fx_matmul(fxi_hlo_adjoint_of(v), c))));
}

fx_node *fxi_hlo_orgqr(fx_node *factor, fx_node *taus) {
    fx_node *one = fx_scalar_one(fx_node_graph(factor), fx_node_dtype(factor));
    fx_node *diagonal = fx_equal(fxi_hlo_places(factor, -2), fxi_hlo_places(factor, -1));
    return fxi_hlo_reflect(factor, taus, fx_select(diagonal, one, fxi_hlo_zero_of(factor)),
                           (fxi_hlo_reflecting){.right = false});
}
