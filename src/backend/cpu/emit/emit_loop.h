/* SPDX-License-Identifier: Apache-2.0 */
/* Loops in IR: one counter that runs over a flattened nest, with an index per nested loop kept by carrying
 * (an odometer), and values carried from iteration to iteration in phis. */
#ifndef FXI_EMIT_LOOP_H
#define FXI_EMIT_LOOP_H

#include "../plan/kernel.h"

#define FXI_CARRIED 48

typedef struct fxi_flat_loop {
    LLVMValueRef first, last; /* half-open, int64 */
    int64_t step;
    int count; /* nested loops; 0: only the counter */
    LLVMValueRef extent[FXI_MAX_LOOPS], start[FXI_MAX_LOOPS];
    LLVMBasicBlockRef header, exit;
    LLVMValueRef at;                   /* the counter, inside */
    LLVMValueRef index[FXI_MAX_LOOPS]; /* of each nested loop, inside; outermost first */
    LLVMValueRef phi[FXI_MAX_LOOPS];   /* index at the head of an iteration, or where the loop ended */
    LLVMValueRef carried[FXI_CARRIED]; /* phis */
    int carried_count;
} fxi_flat_loop;

fxi_flat_loop fxi_nest_loop(fxi_emit *e, LLVMValueRef first, LLVMValueRef last, const LLVMValueRef *extents,
                            int count);
fxi_flat_loop fxi_inner_loop(fxi_emit *e, LLVMValueRef first, LLVMValueRef last, int64_t step);
/* Divides `first` into the nested loops' starting indices; emitted once, outside, before fxi_loop_begin. */
void fxi_loop_start(fxi_emit *e, fxi_flat_loop *loop);
/* Opens the loop; carried values become phis in place. */
void fxi_loop_begin(fxi_emit *e, fxi_flat_loop *loop, LLVMValueRef *carried, int count);
/* Moves the indices on by one iteration, inside a loop whose step is more than 1. */
void fxi_loop_advance(fxi_emit *e, fxi_flat_loop *loop);
/* The iterations up to `last` that follow where `done` ended. */
fxi_flat_loop fxi_loop_after(const fxi_flat_loop *done, LLVMValueRef last);
/* Closes it with the values carried on; afterwards they hold what the loop ended with. */
void fxi_loop_end(fxi_emit *e, fxi_flat_loop *loop, LLVMValueRef *carried);

/* <lanes x i1>: lane < left (an i64, maybe beyond the lanes). */
LLVMValueRef fxi_emit_lane_mask(fxi_emit *e, LLVMValueRef left);
/* Orders non-temporal stores before whatever another thread does next: LLVM emits no fence of its own. */
void fxi_emit_store_fence(fxi_emit *e);

#endif
