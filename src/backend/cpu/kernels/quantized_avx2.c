/* SPDX-License-Identifier: Apache-2.0 */
/* Products with quantized matrices for AVX2, FMA and F16C; this file alone is compiled for it. */
#define FXI_QUANTIZED_WIDE 0
#define FXI_QUANTIZED_LANES fxi_quantized_avx2
#include "quantized_lanes.inc"
