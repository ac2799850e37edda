/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of Householder factors, column by column, with the signs of src/ops/linalg_qr.inc: H = 1 - tau v
 * v^H, v zero before its place and one there; H^H maps a column to a real beta whose sign is opposite to
 * that of the column's element there. Columns are scaled by a power of two, so that no square overflows. */
#include "lower_matrix.h"
#include <fluxion/control.h>

typedef struct reflection {
    fx_node *v, *tau, *beta; /* a column and two elements */
} reflection;

static reflection reflect(fx_node *a, fx_node *j, fx_node *rows) {
    fx_dtype dtype = a->shape.dtype;
    fx_node *zero = fxi_lower_number(a, 0), *one = fxi_lower_number(a, 1);
    fx_node *is_at = fx_equal(rows, j), *is_after = fx_greater(rows, j);
    fx_node *x = fx_select(fx_less(rows, j), zero, fxi_lower_column(a, j));
    fx_node *tail = fxi_lower_largest(fxi_lower_one_norm(fx_select(is_after, x, zero)));
    fx_node *scale = fxi_lower_down_scale(fxi_lower_largest(fxi_lower_one_norm(x)));
    fx_node *first = fxi_lower_part(a, j, j, 1, 1), *is_done = fx_is_zero(tail);
    is_done = fx_and(is_done, fx_dtype_is_complex(dtype) ? fx_is_zero(fx_imag(first)) : fx_is_finite(first));
    fx_node *y = fxi_lower_scaled(x, scale), *y0 = fxi_lower_scaled(first, scale);
    fx_node *norm = fx_sqrt(fxi_lower_square(y, 1));
    fx_node *is_positive = fx_greater(fx_real(y0), fxi_lower_number(norm, 0));
    fx_node *mirrored = fx_select(is_positive, fx_neg(norm), norm);
    fx_node *difference = fx_sub(y0, fx_convert(mirrored, dtype));
    fx_node *v = fx_select(is_after, fx_div(y, difference), zero);
    fx_node *tau = fx_neg(fx_div(difference, fx_convert(mirrored, dtype)));
    return (reflection){fx_select(is_at, one, fx_select(is_done, zero, v)), fx_select(is_done, zero, tau),
                        fx_select(is_done, fx_real(first), fx_div(mirrored, scale))};
}

/* x - factor v (v^H x) */
static fx_node *apply(fx_node *x, fx_node *factor, fx_node *v) {
    return fx_sub(x, fx_mul(fx_mul(factor, v), fxi_lower_inner(v, x, 1)));
}

/* in: j, a, vectors [batch, m, count], taus [batch, 1, count] */
static void reduce_column(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    (void)graph, (void)n_in, (void)n_out, (void)user;
    fx_node *j = in[0], *a = in[1], *none = fxi_lower_integer(j, 0);
    fx_node *rows = fxi_lower_places(a, 1, a->shape.dims[1]);
    fx_node *columns = fxi_lower_places(a, 2, a->shape.dims[2]);
    const reflection h = reflect(a, j, rows);
    fx_node *below = fx_select(fx_greater(rows, j), fxi_lower_number(a, 0), fxi_lower_column(a, j));
    fx_node *column = fx_select(fx_equal(rows, j), fx_convert(h.beta, a->shape.dtype), below);
    fx_node *is_inside = fx_and(fx_greater_or_equal(rows, j), fx_greater(columns, j));
    fx_node *turned = fx_select(is_inside, apply(a, fxi_lower_conjugate(h.tau), h.v), a);
    out[0] = fx_select(fx_equal(columns, j), column, turned);
    out[1] = fxi_lower_with_part(in[2], h.v, none, j);
    out[2] = fxi_lower_with_part(in[3], h.tau, none, j);
}

/* user: vectors and taus. The product of all reflections, the last one first. */
static void apply_one(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)graph, (void)n_in, (void)n_out;
    fx_node *const *h = user;
    fx_node *j = fx_sub(fxi_lower_integer(in[0], h[0]->shape.dims[2] - 1), in[0]);
    out[0] = apply(in[1], fxi_lower_column(h[1], j), fxi_lower_column(h[0], j));
}

void fxi_lower_qr_of(fx_node *a, int64_t k, fx_node **q, fx_node **r) {
    int64_t m = a->shape.dims[1], n = a->shape.dims[2], count = m < n ? m : n;
    fx_shape shape = {.dtype = a->shape.dtype, .rank = 3, .dims = {a->shape.dims[0], m, count}};
    fx_node *states[] = {a, fx_zeros(a->graph, &shape), NULL};
    shape.dims[1] = 1;
    states[2] = fx_zeros(a->graph, &shape);
    if (count > 0) fx_for(count, (fx_nodes){states, 3}, reduce_column, NULL, states);
    *r = fx_slice_axis(states[0], 1, 0, k, 1);
    fx_node *is_diagonal = fx_equal(fxi_lower_places(a, 1, m), fxi_lower_places(a, 2, k));
    shape = (fx_shape){.dtype = a->shape.dtype, .rank = 3, .dims = {a->shape.dims[0], m, k}};
    *q = fx_broadcast_to_shape(fx_convert(is_diagonal, shape.dtype), &shape);
    if (count > 0) fx_for(count, (fx_nodes){q, 1}, apply_one, states + 1, q);
}

bool fxi_lower_qr(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b;
    const fx_shape *shape = &node->shape;
    fx_node *q, *r;
    fxi_lower_qr_of(fxi_lower_matrices(operands[0]), shape->dims[shape->rank - 1], &q, &r);
    return fxi_lower_give_matrix(node, 0, q, results) && fxi_lower_give_matrix(node, 1, r, results);
}
