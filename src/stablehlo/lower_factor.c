/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of Cholesky and LU factors. XLA's cholesky leaves its input in the other triangle and NaN from the
 * first column on that is not positive: both are mended. LU is made of blocks of columns: a block is factored
 * column by column in a loop, its rows of u are a triangular solve, and the rest is a product. */
#include "lower_matrix.h"
#include <fluxion/control.h>
#include <fluxion/indexing.h>
#include <fluxion/linalg.h>
#include <math.h>

/* ---- cholesky ---- */

bool fxi_lower_cholesky(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                        fx_node **results) {
    bool lower = fxi_node_int(node, FXI_ATTR_LOWER) != 0;
    fx_node *a = fxi_lower_matrices(operands[0]);
    int64_t n = a->shape.dims[1];
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_LOWER, lower);
    if (fx_shape_size(&a->shape) == 0) return fxi_lower_give(results, operands[0]);
    fx_node *rows = fxi_lower_places(a, 1, n), *columns = fxi_lower_places(a, 2, n);
    fx_node *is_read = lower ? fx_greater_or_equal(rows, columns) : fx_less_or_equal(rows, columns);
    fx_node *zero = fxi_lower_number(a, 0), *is_diagonal = fx_equal(rows, columns);
    if (fx_dtype_is_complex(a->shape.dtype))
        a = fx_select(is_diagonal, fx_convert(fx_real(a), a->shape.dtype), a);
    fx_node *made = fxi_lower_as_it_is(fxi_build_node(b, FX_OP_CHOLESKY, &a, 1, &attr, 1, NULL));
    made = fx_select(is_read, made, zero);
    /* A diagonal of positive numbers: NaN anywhere reaches it. */
    fx_node *diagonal = fx_select(is_diagonal, fx_real(made), fxi_lower_number(fx_real(made), 1));
    fx_node *is_definite = fx_greater(diagonal, fxi_lower_number(diagonal, 0));
    is_definite = fx_reduce_and_keep(is_definite, fx_reduce_and, (fx_axes){(const int[]){1, 2}, 2});
    fx_node *bad = fx_select(is_read, fxi_lower_number(a, NAN), zero);
    return fxi_lower_give_matrix(node, 0, fx_select(is_definite, made, bad), results);
}

/* ---- lu ---- */

enum { LU_BLOCKS = 4, LU_LEAST = 64 }; /* each block is a loop to be compiled */

/* Rows `at` and `pivot` of x change places. */
typedef struct swap {
    fx_node *at, *pivot, *is_at, *is_pivot; /* pivot [batch, 1, 1] */
} swap;

static fx_node *swap_rows(const swap *s, fx_node *x) {
    fx_node *low = fxi_lower_take_rows(x, s->pivot);
    return fx_select(s->is_at, low, fx_select(s->is_pivot, fxi_lower_row(x, s->at), x));
}

/* The first largest magnitude from row j on; no comparison finds a NaN larger, or anything larger than it. */
static fx_node *find_pivot(fx_node *column, fx_node *rows, fx_node *j) {
    fx_node *size = fxi_lower_one_norm(column), *none = fxi_lower_number(size, -1);
    fx_node *of_nan = fx_select(fx_equal(rows, j), fxi_lower_number(size, INFINITY), none);
    size = fx_select(fx_is_nan(size), of_nan, size);
    fx_node *found = fx_arg_max_dtype(fx_select(fx_less(rows, j), none, size), 1, FX_S64);
    return fx_reshape(found, (fx_dims){(const int64_t[]){column->shape.dims[0], 1, 1}, 3});
}

/* in: j, a, order [batch, m, 1], pivots [batch, w, 1]. A column of zeros is left as it is. */
static void eliminate(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)graph, (void)n_in, (void)n_out, (void)user;
    fx_node *j = in[0], *a = in[1], *rows = fxi_lower_places(a, 1, a->shape.dims[1]);
    swap s = {j, find_pivot(fxi_lower_column(a, j), rows, j), fx_equal(rows, j), NULL};
    s.is_pivot = fx_equal(rows, s.pivot);
    a = swap_rows(&s, a);
    fx_node *column = fxi_lower_column(a, j), *d = fxi_lower_part(a, j, j, 1, 1);
    fx_node *factors = fx_div(column, d), *columns = fxi_lower_places(a, 2, a->shape.dims[2]);
    fx_node *is_below = fx_and(fx_greater(rows, j), fx_not(fx_is_zero(d)));
    fx_node *less = fx_sub(a, fx_mul(factors, fxi_lower_row(a, j)));
    fx_node *right = fx_select(fx_greater(columns, j), less, a);
    out[0] = fx_select(is_below, fx_select(fx_equal(columns, j), factors, right), a);
    out[1] = swap_rows(&s, in[2]);
    out[2] = fxi_lower_with_part(in[3], fx_convert(s.pivot, FX_S32), j, fxi_lower_integer(j, 0));
}

/* Factors a block in place: order receives the rows' old numbers, pivots what was swapped. */
static void factor_panel(fx_node **a, fx_node **order, fx_node **pivots) {
    int64_t batch = (*a)->shape.dims[0], m = (*a)->shape.dims[1], w = (*a)->shape.dims[2];
    fx_shape shape = {.dtype = FX_S64, .rank = 3, .dims = {batch, m, 1}};
    fx_node *states[] = {*a, fx_iota((*a)->graph, &shape, 1), NULL};
    shape = (fx_shape){.dtype = FX_S32, .rank = 3, .dims = {batch, w < m ? w : m, 1}};
    states[2] = fx_zeros((*a)->graph, &shape);
    if (shape.dims[1] > 0) fx_for(shape.dims[1], (fx_nodes){states, 3}, eliminate, NULL, states);
    *a = states[0];
    *order = states[1];
    *pivots = states[2];
}

static fx_node *rows_of(fx_node *a, int64_t first, int64_t limit) {
    return fx_slice_axis(a, 1, first, limit, 1);
}

static fx_node *columns_of(fx_node *a, int64_t first, int64_t limit) {
    return fx_slice_axis(a, 2, first, limit, 1);
}

typedef struct lu_parts {
    fx_node *a, *order, *pivots;
    int64_t m, n;
} lu_parts;

/* Columns [first, first + w) from row `first` on, then the columns right of them. */
static void factor_block(lu_parts *p, int64_t first, int64_t w) {
    fx_node *head = rows_of(p->a, 0, first), *tail = rows_of(p->a, first, p->m), *order, *pivots;
    fx_node *panel = columns_of(tail, first, first + w);
    factor_panel(&panel, &order, &pivots);
    fx_node *left = fxi_lower_take_rows(columns_of(tail, 0, first), order);
    fx_node *right = fxi_lower_take_rows(columns_of(tail, first + w, p->n), order);
    int64_t below = p->m - first, rest = p->n - first - w;
    if (rest > 0) {
        const fx_triangular_options unit = {.unit_diagonal = true};
        fx_node *u = fx_triangular_solve(rows_of(panel, 0, w), rows_of(right, 0, w), &unit);
        fx_node *low = rows_of(right, w, below);
        if (below > w) low = fx_sub(low, fx_matmul(rows_of(panel, w, below), u));
        right = fxi_lower_join(u, low, 1);
    }
    p->a = fxi_lower_join(head, fxi_lower_join(fxi_lower_join(left, panel, 2), right, 2), 1);
    fx_node *swapped = fxi_lower_take_rows(rows_of(p->order, first, p->m), order);
    p->order = fxi_lower_join(rows_of(p->order, 0, first), swapped, 1);
    pivots = fx_add(pivots, fxi_lower_integer(pivots, first));
    p->pivots = p->pivots ? fxi_lower_join(p->pivots, pivots, 1) : pivots;
}

bool fxi_lower_lu(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    lu_parts p = {.a = fxi_lower_matrices(operands[0])};
    p.m = p.a->shape.dims[1];
    p.n = p.a->shape.dims[2];
    int64_t k = p.m < p.n ? p.m : p.n, block = (k + LU_BLOCKS - 1) / LU_BLOCKS;
    if (block < LU_LEAST) block = LU_LEAST;
    const fx_shape orders = {.dtype = FX_S64, .rank = 3, .dims = {p.a->shape.dims[0], p.m, 1}};
    p.order = fx_iota(b->graph, &orders, 1);
    if (fx_shape_size(&p.a->shape) == 0) {
        const fx_shape none = {.dtype = FX_S32, .rank = 3, .dims = {orders.dims[0], k, 1}};
        p.pivots = fx_zeros(b->graph, &none);
    } else {
        for (int64_t j = 0; j < k; j += block) factor_block(&p, j, k - j < block ? k - j : block);
    }
    return fxi_lower_give_matrix(node, 0, p.a, results) &&
           fxi_lower_give_matrix(node, 1, p.pivots, results) &&
           fxi_lower_give_matrix(node, 2, fx_convert(p.order, FX_S32), results);
}
