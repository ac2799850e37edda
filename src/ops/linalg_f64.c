/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra in float64. */
#include "linalg.h"
#define REAL double
#include "linalg_real.inc"
#include "linalg_all.inc"

const fxi_linalg fxi_linalg_f64 = FXI_LINALG_FUNCTIONS;
