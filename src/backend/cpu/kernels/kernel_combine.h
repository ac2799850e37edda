/* SPDX-License-Identifier: Apache-2.0 */
/* One step of a scatter: updates combined into as many elements of the target. */
#ifndef FXI_KERNEL_COMBINE_H
#define FXI_KERNEL_COMBINE_H

#include "kernels.h"

typedef void (*fxi_combine_fn)(void *target, const void *update, int64_t count);

/* Sums and products of half types have a float32 target; all others a target of the updates' dtype. NULL when
 * the kind is not defined for the dtype. */
fxi_combine_fn fxi_combine_of(fxi_scatter_kind kind, fx_dtype dtype);
bool fxi_combine_is_wide(fxi_scatter_kind kind, fx_dtype dtype);

#endif
