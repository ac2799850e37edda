/* SPDX-License-Identifier: Apache-2.0 */
/* Between memory.c and memory_steps.c. */
#ifndef FXI_CPU_MEMORY_H
#define FXI_CPU_MEMORY_H

#include "step.h"

/* Memory from its first step to its last. */
typedef struct fxi_block {
    int value; /* owner; its twins share the offset */
    int first, last;
    int64_t bytes, offset;
} fxi_block;

/* Gives each block its offset; raises *total. False: no memory. */
bool fxi_place_by_steps(fxi_block *blocks, size_t count, int64_t *total);

#endif
