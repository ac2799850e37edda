/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra in complex64. */
#include "linalg.h"
#define REAL float
#define FXI_SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#include "linalg_complex.inc"
#include "linalg_all.inc"

const fxi_linalg fxi_linalg_c64 = FXI_LINALG_FUNCTIONS;
