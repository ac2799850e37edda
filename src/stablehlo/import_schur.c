/* SPDX-License-Identifier: Apache-2.0 */
/* The complex QR algorithm by graph builders: a Hessenberg form (import_householder.h), then sweeps of Givens
 * rotations that chase the bulge of Wilkinson's shift down the active block, which ends above the last
 * eigenvalue found and begins below the last subdiagonal element that is negligible beside its neighbours
 * (Golub and Van Loan, chapter 7). Every tenth sweep without success takes another shift. Batches run one by
 * one, as their loops differ in length. */
#include "stablehlo/import_schur.h"
#include "stablehlo/import_householder.h"
#include "stablehlo/import_matrix.h"
#include <float.h>
#include <fluxion/control.h>
#include <fluxion/vmap.h>

enum { SWEEPS = 30, EXCEPTIONAL = 10 }; /* sweeps for each eigenvalue */

static fx_node *one_of(fx_node *x) {
    return fx_scalar_one(fx_node_graph(x), fx_node_dtype(x));
}

static double epsilon_of(const fx_node *x) {
    return fx_node_dtype(x) == FX_C64 ? (double)FLT_EPSILON : DBL_EPSILON;
}

/* The part [rows, columns] of a matrix that begins at a row and column, int64 scalars. */
static fx_node *part_of(fx_node *h, fx_node *row, fx_node *column, int64_t rows, int64_t columns) {
    return fx_dynamic_slice(h, (fx_nodes){(fx_node *const[]){row, column}, 2},
                            (fx_dims){(const int64_t[]){rows, columns}, 2});
}

static fx_node *with_part(fx_node *h, fx_node *part, fx_node *row, fx_node *column) {
    return fx_dynamic_update_slice(h, part, (fx_nodes){(fx_node *const[]){row, column}, 2});
}

static fx_node *element(fx_node *h, fx_node *row, fx_node *column) {
    return fx_reshape(part_of(h, row, column, 1, 1), (fx_dims){NULL, 0});
}

/* ---- one sweep ---- */

/* The unitary [2, 2] that maps (x, y) to (r, 0). */
static fx_node *rotation(fx_node *x, fx_node *y) {
    fx_node *size = fx_hypot(fx_abs(x), fx_abs(y)), *idle = fx_is_zero(size);
    fx_node *divisor =
        fxi_hlo_like(fx_select(idle, fx_scalar_one(fx_node_graph(x), fx_node_dtype(size)), size), x);
    fx_node *c = fx_select(idle, one_of(x), fx_div(x, divisor)), *s = fx_div(y, divisor);
    fx_node *const rows[] = {fx_conj(c), fx_conj(s), fx_neg(s), c};
    return fx_reshape(fx_stack((fx_nodes){rows, 4}, 0), (fx_dims){(const int64_t[]){2, 2}, 2});
}

/* States: h, z, the row, the pair to rotate, the last row. */
static void goes_on(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_less(in[2], in[5]);
}

static void rotate_rows(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    (void)n_in, (void)n_out, (void)user;
    fx_node *h = in[0], *z = in[1], *k = in[2], *g = rotation(in[3], in[4]), *back = fxi_hlo_adjoint_of(g);
    fx_node *zero = fx_scalar_int(body, FX_S64, 0);
    int64_t n = fx_node_dim(h, 0);
    h = with_part(h, fx_matmul(g, part_of(h, k, zero, 2, n)), k, zero);
    h = with_part(h, fx_matmul(part_of(h, zero, k, n, 2), back), zero, k);
    out[0] = h;
    out[1] = with_part(z, fx_matmul(part_of(z, zero, k, n, 2), back), zero, k);
    out[2] = fx_add_scalar_int(k, 1);
    out[3] = element(h, out[2], k);
    out[4] = element(h, fx_add_scalar_int(k, 2), k);
    out[5] = in[5];
}

/* The eigenvalue of the last 2 x 2 block that is nearer to its last element. */
static fx_node *shift_of(fx_node *h, fx_node *last, fx_node *sweeps) {
    fx_node *before = fx_sub_scalar_int(last, 1);
    fx_node *a = element(h, before, before), *b = element(h, before, last);
    fx_node *c = element(h, last, before), *d = element(h, last, last);
    fx_node *half = fx_mul_scalar(fx_sub(a, d), 0.5), *product = fx_mul(b, c);
    fx_node *root = fx_sqrt(fx_add(fx_square(half), product));
    fx_node *plus = fx_add(half, root), *minus = fx_sub(half, root);
    fx_node *larger = fx_select(fx_greater_or_equal(fx_abs(plus), fx_abs(minus)), plus, minus);
    fx_node *none = fx_is_zero(larger);
    fx_node *step = fx_div(product, fx_select(none, one_of(h), larger));
    fx_node *shift = fx_sub(d, fx_select(none, fxi_hlo_zero_of(h), step));
    fx_node *stuck = fx_equal_scalar_int(fx_mod_scalar(sweeps, EXCEPTIONAL), EXCEPTIONAL - 1);
    return fx_select(stuck, fx_add(d, fxi_hlo_like(fx_abs(c), d)), shift);
}

/* ---- the algorithm; states: h, z, the last row of the active block, sweeps since it began ---- */

static void not_done(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_and(fx_is_positive(in[2]), fx_less_scalar_int(in[3], SWEEPS));
}

/* Bool [n]: row i has no subdiagonal element that counts; row 0 never has. */
static fx_node *find_breaks(fx_node *h) {
    fx_node *size = fx_abs(fx_diagonal_of(h, 0, 0, 1)), *beside = fx_abs(fx_diagonal_of(h, -1, 0, 1));
    int64_t n = fx_node_dim(size, 0);
    fx_node *around = fx_add(fx_slice_axis(size, 0, 0, n - 1, 1), fx_slice_axis(size, 0, 1, n, 1));
    fx_node *small = fx_less_or_equal(beside, fx_mul_scalar(around, epsilon_of(h)));
    return fx_pad(small, fx_scalar_one(fx_node_graph(h), FX_BOOL), (fx_pads){&(fx_pad_axis){.start = 1}, 1});
}

static void sweep(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)n_in, (void)n_out, (void)user;
    fx_node *h = in[0], *last = in[2], *breaks = find_breaks(h);
    const int rows = 0;
    fx_node *row = fxi_hlo_places(h, -2), *column = fxi_hlo_places(h, -1),
            *number = fxi_hlo_places(breaks, -1);
    fx_node *gone = fx_broadcast_in_dim(breaks, (fx_dims){fx_node_shape(h)->dims, 2}, (fx_axes){&rows, 1});
    gone = fx_and(gone, fx_less(column, row));
    h = fx_select(gone, fxi_hlo_zero_of(h), h);
    fx_node *starts = fx_and(breaks, fx_less_or_equal(number, last));
    fx_node *first = fx_reduce_all_max(fx_select(starts, number, fx_scalar_int(body, FX_S64, 0)));
    fx_node *found = fx_equal(first, last);
    fx_node *x = fx_sub(element(h, first, first), shift_of(h, last, in[3]));
    fx_node *y = element(h, fx_add_scalar_int(first, 1), first);
    fx_node *states[] = {h, in[1], first, x, y, last}, *done[6];
    fx_while((fx_nodes){states, 6}, goes_on, rotate_rows, NULL, done);
    /* What rounding left below the subdiagonal. */
    out[0] = fxi_hlo_masked(fx_less_or_equal(fx_sub_scalar_int(row, 1), column), done[0]);
    out[1] = done[1];
    out[2] = fx_select(found, fx_sub_scalar_int(last, 1), last);
    out[3] = fx_select(found, fx_scalar_int(body, FX_S64, 0), fx_add_scalar_int(in[3], 1));
}

/* The Hessenberg form of a [n, n], n > 1, and its unitary matrix. */
static void begin_schur(fx_node *a, fx_node *states[2]) {
    int64_t n = fx_node_dim(a, 0);
    fx_node *packed[2];
    fxi_hlo_gehrd(a, packed);
    fx_node *row = fxi_hlo_places(a, -2), *column = fxi_hlo_places(a, -1);
    states[0] = fxi_hlo_masked(fx_less_or_equal(fx_sub_scalar_int(row, 1), column), packed[0]);
    fx_node *factor = fx_slice(packed[0], (fx_dims){(const int64_t[]){1, 0}, 2},
                               (fx_dims){(const int64_t[]){n, n - 1}, 2}, (fx_dims){NULL, 0});
    const fx_pad_axis pads[] = {{.start = 1}, {.start = 1}};
    fx_node *z = fx_pad(fxi_hlo_orgqr(factor, packed[1]), fxi_hlo_zero_of(a), (fx_pads){pads, 2});
    fx_node *corner = fx_and(fx_is_zero(row), fx_is_zero(column));
    states[1] = fx_select(corner, one_of(a), z);
}

static void schur_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)n_in, (void)n_out, (void)user;
    int64_t n = fx_node_dim(in[0], 0);
    fx_node *states[4], *done[4];
    out[0] = in[0], out[1] = fx_ones_like(in[0]), out[2] = fx_scalar_int(body, FX_S32, 0);
    if (n == 1) return;
    begin_schur(in[0], states);
    states[2] = fx_scalar_int(body, FX_S64, n - 1);
    states[3] = fx_scalar_int(body, FX_S64, 0);
    fx_while((fx_nodes){states, 4}, not_done, sweep, NULL, done);
    out[0] =
        fxi_hlo_masked(fx_less_or_equal(fxi_hlo_places(done[0], -2), fxi_hlo_places(done[0], -1)), done[0]);
    out[1] = done[1];
    out[2] = fx_convert(done[2], FX_S32);
}

void fxi_hlo_schur(fx_node *a, fx_node *results[3]) {
    fx_shape shape = *fx_node_shape(a), info = shape;
    results[0] = results[1] = results[2] = a;
    if (shape.rank < 2) return; /* the inert node */
    const int64_t n = shape.dims[shape.rank - 1], dims[] = {-1, n, n};
    info.rank -= 2;
    info.dtype = FX_S32;
    int64_t count = fx_shape_size(&info);
    if (count == 0 || n == 0) {
        results[2] = fx_zeros(fx_node_graph(a), &info);
        return;
    }
    fx_node *flat = fx_reshape(a, (fx_dims){dims, 3});
    fx_vmap((fx_nodes){&flat, 1}, NULL, schur_fn, NULL, 3, NULL, results);
    results[0] = fx_reshape_with_shape(results[0], &shape);
    results[1] = fx_reshape_with_shape(results[1], &shape);
    results[2] = fx_reshape_with_shape(results[2], &info);
}

/* ---- eigenvectors ---- */

typedef struct substitution {
    fx_node *matrix, *values; /* triangular; its diagonal as a row [..., 1, n] */
    fx_node *smallest;        /* [..., 1, 1]: differences of eigenvalues count as no less */
    bool left;
} substitution;

/* in: the round, the vectors so far, of which row r gets its values: 1 on the diagonal, 0 beyond, elsewhere
 * what makes row r of (matrix - value) x vanish. */
static void substitute(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_in, (void)n_out;
    const substitution *s = user;
    const int rows = -2, columns = -1;
    int64_t n = fx_node_dim(in[1], -1);
    fx_node *r = s->left ? in[0] : fx_neg(fx_sub_scalar_int(in[0], n - 1));
    fx_node *row = fxi_hlo_places(in[1], -2), *column = fxi_hlo_places(in[1], -1), *here = fx_equal(row, r);
    fx_node *line = fx_reduce_and_keep(fxi_hlo_masked(here, s->matrix), fx_reduce_sum, (fx_axes){&rows, 1});
    fx_node *diagonal =
        fx_reduce_and_keep(fxi_hlo_masked(fx_equal(column, r), line), fx_reduce_sum, (fx_axes){&columns, 1});
    fx_node *difference = fx_sub(diagonal, s->values);
    fx_node *close = fx_less(fx_abs(difference), s->smallest);
    difference = fx_select(close, fxi_hlo_like(s->smallest, difference), difference);
    fx_node *solved = fx_neg(fx_div(fx_matmul(line, in[1]), difference));
    fx_node *number = fxi_hlo_places(solved, -1);
    fx_node *later = s->left ? fx_less(number, r) : fx_greater(number, r);
    solved = fx_select(fx_equal(number, r), one_of(solved), fxi_hlo_masked(later, solved));
    out[0] = fx_select(here, solved, in[1]);
}

/* Columns of length 1, their largest component real. */
static fx_node *normalised(fx_node *v) {
    const int rows = -2;
    fx_node *size = fx_abs(v);
    fx_node *norm = fx_sqrt(fx_reduce_and_keep(fx_square(size), fx_reduce_sum, (fx_axes){&rows, 1}));
    fx_node *place = fx_expand_axes(fx_arg_max_dtype(size, -2, FX_S64), (fx_axes){&rows, 1});
    fx_node *largest = fx_take_along_axis(v, place, -2);
    fx_node *turn = fx_div(fx_conj(largest), fxi_hlo_like(fx_abs(largest), v));
    return fx_mul(fx_div(v, fxi_hlo_like(norm, v)), turn);
}

fx_node *fxi_hlo_eigenvectors(fx_node *t, fx_node *z, bool left) {
    const int both[] = {-1, -2}, row = -2;
    substitution s = {.matrix = left ? fxi_hlo_adjoint_of(t) : t, .left = left};
    fx_node *diagonal = fx_diagonal_of(s.matrix, 0, -2, -1);
    if (fx_node_rank(t) < 2 || fx_node_dim(t, -1) == 0) return t;
    s.values = fx_expand_axes(diagonal, (fx_axes){&row, 1});
    fx_node *size = fx_reduce_and_keep(fx_abs(t), fx_reduce_max, (fx_axes){both, 2});
    double least = fx_node_dtype(t) == FX_C64 ? (double)FLT_MIN : DBL_MIN;
    s.smallest = fx_max_scalar(fx_mul_scalar(size, epsilon_of(t)), least);
    fx_node *zeros = fx_zeros_like(t), *x;
    fx_for(fx_node_dim(t, -1), (fx_nodes){&zeros, 1}, substitute, &s, &x);
    return normalised(fx_matmul(z, x));
}
