/* SPDX-License-Identifier: Apache-2.0 */
/* The FFT library for AVX2; this file alone is compiled for it. */
#define FXI_FFT_LIBRARY fxi_fft_avx2
#define FXI_FFT_NAMESPACE fxi_pocketfft_avx2
#define FXI_FFT_BYTES 32
#include "fft_lines.inc"
