/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU compiler, from a finished graph to a table of steps.
 *
 *   graph ──► plan/fuse.c         which nodes get memory, which are computed inside their consumers; moves
 *                                 are index maps
 *         ──► plan/kernel_plan.c  one kernel description per cluster: loops, accesses, operations, stores
 *         ──► plan/dot_plan.c     matrix products: strides that absorb moves
 *         ──► plan/memory.c       liveness, one workspace with fixed offsets, in-place reuse
 *         ──► emit/               kernel description to LLVM IR
 *         ──► jit/                IR to machine code, shared through the kernel cache
 *         ──► program.c           the step table and its run; kernels/ has the steps that are library code
 */
#ifndef FXI_CPU_H
#define FXI_CPU_H

#include "backend/backend.h"

extern const fxi_backend_ops fxi_cpu_backend;

#endif
