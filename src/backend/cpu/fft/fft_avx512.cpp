/* SPDX-License-Identifier: Apache-2.0 */
/* The FFT library for AVX512; this file alone is compiled for it. */
#define FXI_FFT_LIBRARY fxi_fft_avx512
#define FXI_FFT_NAMESPACE fxi_pocketfft_avx512
#define FXI_FFT_BYTES 64
#include "fft_lines.inc"
