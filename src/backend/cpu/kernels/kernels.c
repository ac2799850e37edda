/* SPDX-License-Identifier: Apache-2.0 */
/* The table of library kernels, by operation. */
#include "kernels.h"

static const fxi_host_kernel *const kernels[FX_OP_COUNT] = {
    [FX_OP_BARRIER] = &fxi_kernel_barrier,
    [FX_OP_COLLECTIVE_PERMUTE] = &fxi_kernel_permute,
    [FX_OP_CONVOLUTION] = &fxi_kernel_convolution,
    [FX_OP_CUSTOM_CALL] = &fxi_kernel_custom_call,
    [FX_OP_CUMULATIVE] = &fxi_kernel_cumulative,
    [FX_OP_DYNAMIC_SLICE] = &fxi_kernel_dynamic_slice,
    [FX_OP_DYNAMIC_UPDATE_SLICE] = &fxi_kernel_dynamic_update_slice,
    [FX_OP_GATHER] = &fxi_kernel_gather,
    [FX_OP_SCATTER] = &fxi_kernel_scatter,
    [FX_OP_REPLICA_ID] = &fxi_kernel_permute,
    [FX_OP_PARTITION_ID] = &fxi_kernel_permute,
    [FX_OP_SORT] = &fxi_kernel_sort,
    [FX_OP_TOP_K] = &fxi_kernel_top_k,
    [FX_OP_FFT] = &fxi_kernel_fft,
    [FX_OP_REDUCE_WINDOW] = &fxi_kernel_reduce_window,
    [FX_OP_SELECT_AND_SCATTER] = &fxi_kernel_select_and_scatter,
    [FX_OP_CHOLESKY] = &fxi_kernel_linalg,
    [FX_OP_TRIANGULAR_SOLVE] = &fxi_kernel_linalg,
    [FX_OP_LU] = &fxi_kernel_linalg,
    [FX_OP_QR] = &fxi_kernel_linalg,
    [FX_OP_EIGH] = &fxi_kernel_linalg,
    [FX_OP_SVD] = &fxi_kernel_linalg,
};

const fxi_host_kernel *fxi_host_kernel_of(fx_op op) {
    return op > FX_OP_INERT && op < FX_OP_COUNT ? kernels[op] : NULL;
}
