/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of QR factors.
 *
 * Of square and tall a, r square (Seeger, Hetzel, Dai, Meissner, Lawrence, "Auto-differentiating linear
 * algebra", 2017): with W = da r^-1 and C = q^H W, T = triu(C, 1) + tril(C, -1)^H + Re diag(C) is C without
 * its rotation; dr = T r, dq = W - q T. The diagonal of r is real, and stays so.
 * Of wide a = [x, y] (Walter and Lehmann, "Algorithmic differentiation of linear algebra functions with
 * application in optimum experimental design", 2010): the factors are those of x, and r = [u, q^H y].
 *
 * A full q of tall a has columns that a does not determine, so there is no derivative of them; r alone has
 * one. Where r is singular derivatives are infinite or NaN. */
#include "rule_linalg.h"

typedef struct factors {
    const fxi_build *b;
    fx_node *q, *r; /* [m, k], [k, k] */
    fx_node *x, *y; /* columns of a, y NULL: none */
    int64_t m, n, k;
    bool free_columns; /* q has more columns than these */
} factors;

static factors read_factors(const fxi_build *b, fx_node *node) {
    fx_node *a = node->operands[0], *r = fxi_node_result(node, 1);
    factors f = {.b = b, .q = node, .x = a, .m = fxi_linalg_row_count(a), .n = fxi_linalg_column_count(a)};
    f.k = f.m < f.n ? f.m : f.n;
    f.free_columns = fxi_linalg_column_count(node) > f.k;
    if (f.free_columns) {
        f.q = fxi_linalg_columns(node, 0, f.k);
        r = fxi_linalg_rows(r, 0, f.k);
    }
    f.r = r;
    if (f.n > f.k) {
        f.r = fxi_linalg_columns(r, 0, f.k);
        f.x = fxi_linalg_columns(a, 0, f.k);
        f.y = fxi_linalg_columns(a, f.k, f.n);
    }
    return f;
}

/* x r^-1, or x r^-H */
static fx_node *divide(const factors *f, fx_node *x, fx_transpose_kind transpose) {
    return fx_triangular_solve(
        f->r, x, &(fx_triangular_options){.right = true, .upper = true, .transpose = transpose});
}

static void refuse(const fxi_build *b, const fx_node *n) {
    fxi_grad_refuse_node(b, n, "the last columns of a full q are free; ask for q without them");
}

/* ---- reverse ---- */

/* The adjoint of x from those of q and of the square r, either of which may be NULL. */
static fx_node *adjoint_of_square(const factors *f, fx_node *q, fx_node *r) {
    fx_node *m = NULL;
    if (r) m = fx_matmul(r, fxi_linalg_transpose(f->r));
    if (q) {
        fx_node *inner = fx_matmul(fxi_linalg_transpose(f->q), q);
        m = m ? fx_sub(m, inner) : fx_neg(inner);
    }
    fx_node *w = fxi_grad_sum(q, fx_matmul(f->q, fxi_linalg_hermitian(f->b, m, false)));
    return divide(f, w, FX_ADJOINT);
}

static void vjp_qr(const fxi_vjp *v) {
    fx_node *q = v->adjoints[0], *r = v->adjoints[1];
    if (fxi_linalg_is_empty(v->n->operands[0])) return;
    const factors f = read_factors(v->b, v->n);
    if (f.free_columns && q) {
        refuse(v->b, v->n);
        return;
    }
    if (r && f.free_columns) r = fxi_linalg_rows(r, 0, f.k);
    if (!f.y) {
        v->out[0] = adjoint_of_square(&f, q, r);
        return;
    }
    fx_node *y = NULL;
    if (r) {
        fx_node *beside = fxi_linalg_columns(r, f.k, f.n);
        y = fx_matmul(f.q, beside);
        q = fxi_grad_sum(q, fx_matmul(f.y, fxi_linalg_transpose(beside)));
        r = fxi_linalg_columns(r, 0, f.k);
    }
    y = fxi_grad_or_zeros(v->b, y, &f.y->shape);
    v->out[0] = fx_concatenate((fx_nodes){(fx_node *[]){adjoint_of_square(&f, q, r), y}, 2}, -1);
}

/* ---- forward ---- */

static void jvp_qr(const fxi_jvp *j) {
    fx_node *t = j->tangents[0], *beside = NULL;
    if (fxi_linalg_is_empty(t)) return;
    const factors f = read_factors(j->b, j->n);
    if (f.free_columns) {
        refuse(j->b, j->n);
        return;
    }
    if (f.y) beside = fxi_linalg_columns(t, f.k, f.n), t = fxi_linalg_columns(t, 0, f.k);
    fx_node *qh = fxi_linalg_transpose(f.q), *w = divide(&f, t, FX_NO_TRANSPOSE), *c = fx_matmul(qh, w);
    fx_node *half = fxi_linalg_half(j->b, c, false), *low = fxi_linalg_half(j->b, c, true);
    fx_node *upper = fx_add(half, fxi_linalg_transpose(low)); /* half of the diagonal from each */
    j->out[0] = fx_sub(w, fx_matmul(f.q, upper));
    j->out[1] = fx_matmul(upper, f.r);
    if (!f.y) return;
    beside = fx_add(fx_matmul(fxi_linalg_transpose(j->out[0]), f.y), fx_matmul(qh, beside));
    j->out[1] = fx_concatenate((fx_nodes){(fx_node *[]){j->out[1], beside}, 2}, -1);
}
const fxi_grad_rule fxi_gradrule_qr = {.vjp = vjp_qr, .jvp = jvp_qr};
