/* SPDX-License-Identifier: Apache-2.0 */
/* LAPACK's packed reflections as nodes: a factor holds the vectors v of H = I - tau v v^H below its diagonal,
 * their leading 1 left out. Matrices are the last two axes, batches come before them. */
#ifndef FXI_STABLEHLO_IMPORT_HOUSEHOLDER_H
#define FXI_STABLEHLO_IMPORT_HOUSEHOLDER_H

#include "stablehlo/import_rules.h"

/* geqrf: a [..., m, n] = q r. results: r with the vectors below, taus [..., min(m, n)]. */
void fxi_hlo_geqrf(fx_node *a, fx_node *results[2]);
/* geqp3 without columns that must come first: a with its columns in another order = q r, so that the
 * magnitudes on r's diagonal do not grow. results: r with the vectors below, the columns' numbers from 1,
 * int32 [..., n], taus [..., min(m, n)]. */
void fxi_hlo_geqp3(fx_node *a, fx_node *results[3]);
/* gehrd: a [..., n, n] = q h q^H with h upper Hessenberg. results: h with the vectors below its second
 * diagonal, taus [..., n - 1]. */
void fxi_hlo_gehrd(fx_node *a, fx_node *results[2]);
/* sytrd of one triangle of Hermitian a [..., n, n] = q t q^H. results: a with t on its two diagonals and the
 * vectors below (above), the diagonal [..., n] and the one beside it [..., n - 1], both real, taus
 * [..., n - 1]. */
void fxi_hlo_sytrd(fx_node *a, bool lower, fx_node *results[4]);

/* How the product q = H_0 H_1 ... is applied. */
typedef struct fxi_hlo_reflecting {
    bool right;   /* c q instead of q c */
    bool adjoint; /* q^H */
} fxi_hlo_reflecting;
/* c [..., m, n] with the product applied, from factor [..., m, >= k] (on the right [..., n, >= k]) and taus
 * [..., k]. */
fx_node *fxi_hlo_reflect(fx_node *factor, fx_node *taus, fx_node *c, fxi_hlo_reflecting how);
/* The first columns of the product: of the factor's shape. */
fx_node *fxi_hlo_orgqr(fx_node *factor, fx_node *taus);

#endif
