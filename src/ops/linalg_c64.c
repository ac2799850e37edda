/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra in complex64. */
#include "linalg.h"
#define REAL float
#include "linalg_complex.inc"
#include "linalg_all.inc"

const fxi_linalg fxi_linalg_c64 = FXI_LINALG_FUNCTIONS;
