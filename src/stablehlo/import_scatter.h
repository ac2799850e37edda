/* SPDX-License-Identifier: Apache-2.0 */
/* A scatter with any region and any number of operands, as a loop over its windows. Also what
 * select_and_scatter is made of where the library has no kind for its regions. */
#ifndef FXI_STABLEHLO_IMPORT_SCATTER_H
#define FXI_STABLEHLO_IMPORT_SCATTER_H

#include "stablehlo/import_rules.h"

typedef struct fxi_hlo_scatter {
    fxi_hlo_import *im;
    const fxi_hlo_op *op;
    size_t n; /* operands, and updates for each */
    fx_node *const *x, *indices, *const *updates;
    fxi_hlo_axes window, inserted, batch, indices_batch, map; /* as in fx_scatter_options */
    int index_axis;
} fxi_hlo_scatter;
/* The axes must have been checked (fx_scatter_general of the first operand). */
bool fxi_hlo_scatter_windows(const fxi_hlo_scatter *s, const fxi_hlo_region *region, fx_node **out);

#endif
