/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra in float32. */
#include "linalg.h"
#define REAL float
#include "linalg_real.inc"
#include "linalg_all.inc"

const fxi_linalg fxi_linalg_f32 = FXI_LINALG_FUNCTIONS;
