/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of gradients: a case of another family, whose last operands are the adjoints of
 * its results ("outputs" of them), and whose results are the adjoints of the other operands. */
#include "ops/cases.h"
#include <fluxion/grad.h>
#include <fluxion/linalg.h>

static void vjp_of(const case_args *a, case_builder build) {
    size_t outputs = (size_t)golden_int(a->c, "outputs", 1), n = a->n_in - outputs;
    fx_node *y[GOLDEN_TENSORS];
    build(&(case_args){a->c, a->graph, a->in, n, y});
    fx_vjp((fx_nodes){y, outputs}, (fx_nodes){a->in + n, outputs}, (fx_nodes){a->in, n}, a->out);
}

#define VJP(word)                                                                                            \
    void vjp_##word(const case_args *a) { vjp_of(a, case_##word); }
VJP(reduce_window)
VJP(max_pool)
VJP(mean_pool)
VJP(sum_pool)
VJP(lp_pool)
VJP(interpolate)
VJP(triangular_solve)
VJP(qr)
VJP(pinv)
VJP(slogdet)
VJP(matrix_power)
VJP(matrix_norm)

/* ---- those with other operands or results than in their own family ---- */

static fx_node *adjoint(fx_node *x) { return fx_conj(fx_transpose(x, -1, -2)); }

static fx_node *hermitian(fx_node *x) { return fx_mul_scalar(fx_add(x, adjoint(x)), 0.5); }

static void cholesky(const case_args *a) {
    a->out[0] = fx_cholesky(hermitian(a->in[0]), golden_int(a->c, "lower", 1) != 0);
}

/* Values, and the projector on the vectors from the second on. */
static void eigh(const case_args *a) {
    fx_node *f[2];
    fx_eigh(hermitian(a->in[0]), true, f);
    fx_node *some = fx_slice_axis(f[1], -1, 1, fx_node_dim(f[1], -1), 1);
    a->out[0] = f[0];
    a->out[1] = fx_matmul(some, adjoint(some));
}

static void singular_values(const case_args *a) {
    fx_node *f[3];
    fx_svd(a->in[0], false, f);
    a->out[0] = f[1];
}

static void lu(const case_args *a) { a->out[0] = fx_lu(a->in[0], NULL); }
static void solve(const case_args *a) { a->out[0] = fx_solve(a->in[0], a->in[1]); }
static void inverse(const case_args *a) { a->out[0] = fx_inverse(a->in[0]); }
static void det(const case_args *a) { a->out[0] = fx_det(a->in[0]); }

void vjp_cholesky(const case_args *a) { vjp_of(a, cholesky); }
void vjp_eigh(const case_args *a) { vjp_of(a, eigh); }
void vjp_svd(const case_args *a) { vjp_of(a, singular_values); }
void vjp_lu(const case_args *a) { vjp_of(a, lu); }
void vjp_solve(const case_args *a) { vjp_of(a, solve); }
void vjp_inverse(const case_args *a) { vjp_of(a, inverse); }
void vjp_det(const case_args *a) { vjp_of(a, det); }
