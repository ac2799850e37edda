/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of matrices [..., n, n] that need not be Hermitian, complex64 or complex128, n >= 1. */
#ifndef FXI_STABLEHLO_IMPORT_SCHUR_H
#define FXI_STABLEHLO_IMPORT_SCHUR_H

#include "stablehlo/import_rules.h"

/* a = z t z^H with upper triangular t. results: t, z, and int32 [...]: 0, or how many eigenvalues were not
 * found. */
void fxi_hlo_schur(fx_node *a, fx_node *results[3]);
/* Eigenvectors as columns, from t and z: right ones, a v = v diag(t), or left ones, v^H a = diag(t) v^H; of
 * length 1, their largest component real. */
fx_node *fxi_hlo_eigenvectors(fx_node *t, fx_node *z, bool left);

#endif
