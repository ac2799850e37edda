/* SPDX-License-Identifier: Apache-2.0 */
/* ThreeFry 2x32 of 20 rounds, also called by programs that were lowered for GPUs. */
#ifndef FXI_STABLEHLO_IMPORT_RANDOM_H
#define FXI_STABLEHLO_IMPORT_RANDOM_H

#include "stablehlo/import_rules.h"

/* The bijection of pairs x under a key, both two uint32 arrays of equal dimensions or scalars; x becomes the
 * result. */
void fxi_hlo_threefry(fx_node *const key[2], fx_node *x[2]);

#endif
