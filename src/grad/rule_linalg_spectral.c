/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of eigenvalues and singular values, and of their vectors (Giles, "Collected matrix derivative
 * results for forward and reverse mode", 2008; Townsend, "Differentiating the singular value decomposition",
 * 2016), complex by conjugate transposes.
 *
 * Values alone need no quotients. Those of vectors are divided by differences of values; these products are
 * strong, so that vectors on which nothing depends may belong to equal values. Where something does, equal
 * values give infinities or NaN: vectors of equal values are not determined, and have no derivative.
 * The phases of complex vectors are free; v (svd: vh) is taken to keep its own. Derivatives of what does not
 * depend on phases are the same for every choice. */
#include "rule_linalg.h"

static fx_node *real_diagonal(fx_node *x) {
    fx_node *diagonal = fx_diagonal_of(x, 0, -2, -1);
    return fx_dtype_is_complex(x->shape.dtype) ? fx_real(diagonal) : diagonal;
}

/* d[..., n] as columns minus as rows: d_j - d_i at [i, j]; or their sum. */
static fx_node *across(fx_node *d, fx_node *(*op)(fx_node *, fx_node *)) {
    return op(fx_expand_axes(d, (fx_axes){(const int[]){-2}, 1}),
              fx_expand_axes(d, (fx_axes){(const int[]){-1}, 1}));
}

/* x / differences, which are real, and 0 on the diagonal. */
static fx_node *quotients(const fxi_build *b, fx_node *x, fx_node *differences) {
    fx_node *on = fxi_linalg_diagonal(b, differences), *zeros = fx_zeros_like(differences);
    fx_node *f = fx_select(on, zeros, fx_reciprocal(fx_select(on, fx_ones_like(differences), differences)));
    return fx_strong_mul(x, fx_convert(f, x->shape.dtype));
}

static fx_node *plus_transposed(fx_node *x) {
    return fx_add(x, fxi_linalg_transpose(x));
}

/* ---- eigh ---- */

static bool is_lower(const fx_node *n) {
    return fxi_node_int(n, FXI_ATTR_LOWER) != 0;
}

static void vjp_eigh(const fxi_vjp *v) {
    if (fxi_linalg_is_empty(v->n->operands[0])) return;
    fx_node *w = v->n, *vectors = fxi_node_result(w, 1), *inner = NULL;
    fx_node *vh = fxi_linalg_transpose(vectors), *sides;
    if (v->adjoints[1]) inner = quotients(v->b, fx_matmul(vh, v->adjoints[1]), across(w, fx_sub));
    if (inner) {
        if (v->adjoints[0])
            inner = fx_add(inner, fx_convert(fxi_linalg_embed(v->b, v->adjoints[0]), inner->shape.dtype));
        sides = fx_matmul(fx_matmul(vectors, inner), vh);
    } else {
        sides = fx_matmul(fxi_linalg_scale_columns(vectors, v->adjoints[0]), vh);
    }
    v->out[0] = fxi_linalg_half(v->b, plus_transposed(sides), is_lower(v->n));
}

static void jvp_eigh(const fxi_jvp *j) {
    if (fxi_linalg_is_empty(j->n->operands[0])) return;
    fx_node *w = j->n, *vectors = fxi_node_result(w, 1);
    fx_node *s = fxi_linalg_hermitian(j->b, j->tangents[0], is_lower(w));
    fx_node *c = fx_matmul(fx_matmul(fxi_linalg_transpose(vectors), s), vectors);
    j->out[0] = real_diagonal(c);
    j->out[1] = fx_matmul(vectors, quotients(j->b, c, across(w, fx_sub)));
}
const fxi_grad_rule fxi_gradrule_eigh = {.vjp = vjp_eigh, .jvp = jvp_eigh};

/* ---- svd ---- */

/* The first k columns of u and rows of vh; free: u or vh has more, of which there is no derivative. */
typedef struct factors {
    const fxi_build *b;
    fx_node *u, *s, *vh;
    int64_t m, n, k;
    bool free_u, free_v;
} factors;

static factors read_factors(const fxi_build *b, fx_node *node) {
    const fx_node *a = node->operands[0];
    factors f = {.b = b, .u = node, .s = fxi_node_result(node, 1), .vh = fxi_node_result(node, 2)};
    f.m = fxi_linalg_row_count(a);
    f.n = fxi_linalg_column_count(a);
    f.k = f.m < f.n ? f.m : f.n;
    f.free_u = fxi_linalg_column_count(f.u) > f.k;
    f.free_v = fxi_linalg_row_count(f.vh) > f.k;
    if (f.free_u) f.u = fxi_linalg_columns(f.u, 0, f.k);
    if (f.free_v) f.vh = fxi_linalg_rows(f.vh, 0, f.k);
    return f;
}

static void refuse(const fxi_build *b, const fx_node *n, const char *why) {
    fxi_grad_refuse_node(b, n, why);
}
#define FREE_U "the last columns of a full u are free; ask for u without them"
#define FREE_V "the last rows of a full vh are free; ask for vh without them"

/* x over s_j^2 - s_i^2 */
static fx_node *divide_squares(const factors *f, fx_node *x) {
    return quotients(f->b, x, fx_mul(across(f->s, fx_sub), across(f->s, fx_add)));
}

/* i Im(x_jj) / s_j on the diagonal; NULL: x is real. */
static fx_node *phases(const factors *f, fx_node *x) {
    if (!fx_dtype_is_complex(x->shape.dtype)) return NULL;
    fx_node *imaginary = fx_imag(fx_diagonal_of(x, 0, -2, -1));
    fx_node *ratio = fx_strong_mul(imaginary, fx_reciprocal(f->s));
    return fxi_linalg_embed(f->b, fx_complex(fx_zeros_like(ratio), ratio));
}

/* The adjoint of u^H da v, and of `outside`, da v / s outside of u's space, by u's adjoint. */
static fx_node *part_of_u(const factors *f, fx_node *u, fx_node **outside) {
    fx_node *inner = fx_matmul(fxi_linalg_transpose(f->u), u);
    if (f->m > f->k) *outside = fxi_linalg_divide_columns(fx_sub(u, fx_matmul(f->u, inner)), f->s);
    fx_node *turned = fxi_linalg_scale_columns(plus_transposed(divide_squares(f, inner)), f->s);
    return fxi_grad_sum(turned, phases(f, inner));
}

/* The same by vh's; inner is v^H v' for the adjoint v' of v. */
static fx_node *part_of_v(const factors *f, fx_node *vh, fx_node **outside) {
    fx_node *inner = fx_matmul(f->vh, fxi_linalg_transpose(vh));
    if (f->n > f->k)
        *outside = fxi_linalg_divide_rows(f->s, fx_sub(vh, fx_matmul(fxi_linalg_transpose(inner), f->vh)));
    return fxi_linalg_scale_rows(f->s, plus_transposed(divide_squares(f, inner)));
}

static void vjp_svd(const fxi_vjp *v) {
    fx_node *u = v->adjoints[0], *s = v->adjoints[1], *vh = v->adjoints[2];
    if (fxi_linalg_is_empty(v->n->operands[0])) return;
    const factors f = read_factors(v->b, v->n);
    if ((f.free_u && u) || (f.free_v && vh)) {
        refuse(v->b, v->n, f.free_u && u ? FREE_U : FREE_V);
        return;
    }
    if (!u && !vh) {
        v->out[0] = fx_matmul(fxi_linalg_scale_columns(f.u, s), f.vh);
        return;
    }
    fx_node *left = NULL, *right = NULL;
    fx_node *inner = u ? part_of_u(&f, u, &left) : NULL;
    if (vh) inner = fxi_grad_sum(inner, part_of_v(&f, vh, &right));
    if (s) inner = fx_add(inner, fx_convert(fxi_linalg_embed(v->b, s), inner->shape.dtype));
    fx_node *columns = fxi_grad_sum(fx_matmul(f.u, inner), left);
    v->out[0] = fxi_grad_sum(fx_matmul(columns, f.vh), right ? fx_matmul(f.u, right) : NULL);
}

static void jvp_svd(const fxi_jvp *j) {
    fx_node *t = j->tangents[0];
    if (fxi_linalg_is_empty(t)) return;
    const factors f = read_factors(j->b, j->n);
    if (f.free_u || f.free_v) {
        refuse(j->b, j->n, f.free_u ? FREE_U : FREE_V);
        return;
    }
    fx_node *v = fxi_linalg_transpose(f.vh), *uh = fxi_linalg_transpose(f.u);
    fx_node *right = fx_matmul(t, v), *left = fx_matmul(uh, t), *p = fx_matmul(uh, right);
    fx_node *columns = fxi_linalg_scale_columns(p, f.s), *rows = fxi_linalg_scale_rows(f.s, p);
    fx_node *turn_u = divide_squares(&f, plus_transposed(columns)),
            *turn_v = divide_squares(&f, plus_transposed(rows));
    j->out[0] = fx_matmul(f.u, fxi_grad_sum(turn_u, phases(&f, p)));
    j->out[1] = real_diagonal(p);
    j->out[2] = fx_neg(fx_matmul(turn_v, f.vh));
    if (f.m > f.k)
        j->out[0] = fx_add(j->out[0], fxi_linalg_divide_columns(fx_sub(right, fx_matmul(f.u, p)), f.s));
    if (f.n > f.k)
        j->out[2] = fx_add(j->out[2], fxi_linalg_divide_rows(f.s, fx_sub(left, fx_matmul(p, f.vh))));
}
const fxi_grad_rule fxi_gradrule_svd = {.vjp = vjp_svd, .jvp = jvp_svd};
