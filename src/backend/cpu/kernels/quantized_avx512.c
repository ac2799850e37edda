/* SPDX-License-Identifier: Apache-2.0 */
/* Products with quantized matrices for AVX-512; this file alone is compiled for it. */
#define FXI_QUANTIZED_WIDE 1
#define FXI_QUANTIZED_LANES fxi_quantized_avx512
#include "quantized_lanes.inc"
