/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU compiler, from a finished graph to a table of steps.
 *
 *   graph ──► plan/lower.c     graph nodes to values; views (reshape, transpose, slice, reverse, broadcast) become index maps
 *         ──► plan/fuse.c      which values are materialised, which are computed inside their consumers
 *         ──► plan/kernel.c    one canonical kernel description per group: loops, accesses, operations, stores
 *         ──► plan/memory.c    liveness, one workspace with fixed offsets, in-place reuse
 *         ──► emit/            kernel description to LLVM IR
 *         ──► jit/             IR to machine code, shared through the kernel cache
 *         ──► program.c        the step table and its C loop
 */
#ifndef FXI_CPU_H
#define FXI_CPU_H

#include "backend/backend.h"

extern const fxi_backend_ops fxi_cpu_backend;

#endif
