/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of linear algebra. */
#include "ops/cases.h"
#include <fluxion/linalg.h>

static bool flag(const case_args *a, const char *key) { return golden_int(a->c, key, 0) != 0; }

void case_cholesky(const case_args *a) { a->out[0] = fx_cholesky(a->in[0], flag(a, "lower")); }

void case_cholesky_solve(const case_args *a) {
    a->out[0] = fx_cholesky_solve(a->in[0], a->in[1], flag(a, "lower"));
}

void case_triangular_solve(const case_args *a) {
    const fx_triangular_options options = {.size = sizeof options,
                                           .right = flag(a, "right"),
                                           .upper = flag(a, "upper"),
                                           .unit_diagonal = flag(a, "unit"),
                                           .transpose = (fx_transpose_kind)golden_int(a->c, "transpose", 0)};
    a->out[0] = fx_triangular_solve(a->in[0], a->in[1], a->c->attr_count ? &options : NULL);
}

void case_matrix_power(const case_args *a) { a->out[0] = fx_matrix_power(a->in[0], golden_int(a->c, "n", 0)); }

void case_norm(const case_args *a) {
    golden_list axes = golden_ints(a->c, "axes");
    a->out[0] = fx_norm(a->in[0], golden_real(a->c, "order", 2), GOLDEN_AXES(axes));
}

void case_matrix_norm(const case_args *a) {
    a->out[0] = fx_matrix_norm(a->in[0], (fx_matrix_norm_kind)golden_int(a->c, "kind", 0));
}

void case_lu(const case_args *a) { fx_lu(a->in[0], a->out); }

void case_qr(const case_args *a) { fx_qr(a->in[0], flag(a, "full"), a->out); }

static fx_node *adjoint(fx_node *x) { return fx_conj(fx_transpose(x, -1, -2)); }

/* q r; q^H q. */
void case_qr_product(const case_args *a) {
    fx_node *f[2];
    fx_qr(a->in[0], flag(a, "full"), f);
    a->out[0] = fx_matmul(f[0], f[1]);
    a->out[1] = fx_matmul(adjoint(f[0]), f[0]);
}

/* The first k columns of x; k may be all. */
static fx_node *columns(fx_node *x, int64_t k) { return fx_slice_axis(x, 1, 0, k, 1); }

/* Values; v diag(w) v^H; v^H v. */
void case_eigh(const case_args *a) {
    fx_node *f[2];
    fx_eigh(a->in[0], flag(a, "lower"), f);
    fx_node *w = fx_expand_axes(fx_convert(f[0], fx_node_dtype(f[1])), FX_AXES(0));
    a->out[0] = f[0];
    a->out[1] = fx_matmul(fx_mul(f[1], w), adjoint(f[1]));
    a->out[2] = fx_matmul(adjoint(f[1]), f[1]);
}

/* Values; u diag(s) vh; u^H u; vh vh^H. */
void case_svd(const case_args *a) {
    fx_node *f[3];
    fx_svd(a->in[0], flag(a, "full"), f);
    int64_t k = fx_node_dim(f[1], 0);
    fx_node *s = fx_expand_axes(fx_convert(f[1], fx_node_dtype(f[0])), FX_AXES(0));
    a->out[0] = f[1];
    a->out[1] = fx_matmul(fx_mul(columns(f[0], k), s), fx_slice_axis(f[2], 0, 0, k, 1));
    a->out[2] = fx_matmul(adjoint(f[0]), f[0]);
    a->out[3] = fx_matmul(f[2], adjoint(f[2]));
}

void case_slogdet(const case_args *a) { fx_slogdet(a->in[0], a->out); }

void case_pinv(const case_args *a) { a->out[0] = fx_pinv(a->in[0], -1); }

void case_least_squares(const case_args *a) { a->out[0] = fx_least_squares(a->in[0], a->in[1], -1); }

void case_matrix_rank(const case_args *a) { a->out[0] = fx_matrix_rank(a->in[0], -1); }
