/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that run on finished rectangles of a matrix product (epilogue.c): what plan.c and kernel_plan.c
 * call. */
#ifndef FXI_EPILOGUE_H
#define FXI_EPILOGUE_H

#include "kernel_build.h"

/* Fills fxi_value_info.readers. False: no memory. */
bool fxi_epilogue_count_readers(fxi_plan *plan);
/* Notes who writes and reads what in the steps from number `first` on. */
void fxi_epilogue_note(fxi_plan *plan, size_t first);
/* The step of the product on whose rectangles the kernel in the builder shall run; its loops are then in
 * order, but not collapsed. -1: none. */
int fxi_epilogue_find(fxi_builder *b);
/* Adds the described kernel to the step, which then owns what the kernel owns. False: no memory. */
bool fxi_epilogue_join(fxi_builder *b, int product, fxi_step *kernel);
/* Removes the places of steps that were moved. */
void fxi_epilogue_close(fxi_plan *plan);

#endif
