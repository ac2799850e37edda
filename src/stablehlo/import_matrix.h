/* SPDX-License-Identifier: Apache-2.0 */
/* What factorisations of LAPACK are made of as nodes. Matrices are the last two axes, batches come before. */
#ifndef FXI_STABLEHLO_IMPORT_MATRIX_H
#define FXI_STABLEHLO_IMPORT_MATRIX_H

#include "stablehlo/import_rules.h"
#include <fluxion/linalg.h>

static inline fx_node *fxi_hlo_adjoint_of(fx_node *x) {
    return fx_conj(fx_transpose(x, -1, -2));
}
/* The number of the row (axis -2) or column (axis -1) in every place of the last two axes of x, int64, with
 * all axes of x. */
static inline fx_node *fxi_hlo_places(fx_node *x, int axis) {
    fx_shape shape = *fx_node_shape(x);
    shape.dtype = FX_S64;
    return fx_iota(fx_node_graph(x), &shape, shape.rank + axis);
}
static inline fx_node *fxi_hlo_zero_of(fx_node *x) {
    return fx_scalar_zero(fx_node_graph(x), fx_node_dtype(x));
}
/* x where the mask holds, else 0. */
static inline fx_node *fxi_hlo_masked(fx_node *mask, fx_node *x) {
    return fx_select(mask, x, fxi_hlo_zero_of(x));
}
/* A real number as an element of x's dtype. */
static inline fx_node *fxi_hlo_like(fx_node *real, fx_node *x) {
    return fxi_hlo_as(real, fx_node_dtype(x));
}

#endif
