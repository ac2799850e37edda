/* SPDX-License-Identifier: Apache-2.0 */
/* Loops, lane masks and the store fence (emit_loop.h). A loop tests at its head, so that empty ranges do
 * nothing; division happens once per call, indices are then kept by carrying. */
#include "emit_loop.h"

static LLVMTypeRef i64_type(const fxi_emit *e) {
    return LLVMInt64TypeInContext(e->context);
}
static LLVMValueRef i64(const fxi_emit *e, int64_t v) {
    return LLVMConstInt(i64_type(e), (uint64_t)v, 1);
}

fxi_flat_loop fxi_nest_loop(fxi_emit *e, LLVMValueRef first, LLVMValueRef last, const LLVMValueRef *extents,
                            int count) {
    fxi_flat_loop loop = {.first = first, .last = last, .step = 1, .count = count};
    (void)e;
    for (int k = 0; k < count; k++) loop.extent[k] = extents[k];
    return loop;
}

fxi_flat_loop fxi_inner_loop(fxi_emit *e, LLVMValueRef first, LLVMValueRef last, int64_t step) {
    (void)e;
    return (fxi_flat_loop){.first = first, .last = last, .step = step};
}

void fxi_loop_start(fxi_emit *e, fxi_flat_loop *loop) {
    LLVMValueRef rest = loop->first;
    for (int k = loop->count - 1; k > 0; k--) {
        loop->start[k] = LLVMBuildURem(e->builder, rest, loop->extent[k], "");
        rest = LLVMBuildUDiv(e->builder, rest, loop->extent[k], "");
    }
    loop->start[0] = rest;
}

static LLVMValueRef add_phi(fxi_emit *e, LLVMValueRef initial, LLVMBasicBlockRef from) {
    LLVMValueRef phi = LLVMBuildPhi(e->builder, LLVMTypeOf(initial), "");
    LLVMAddIncoming(phi, &initial, &from, 1);
    return phi;
}

void fxi_loop_begin(fxi_emit *e, fxi_flat_loop *loop, LLVMValueRef *carried, int count) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    loop->header = LLVMAppendBasicBlockInContext(e->context, e->function, "loop");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, e->function, "body");
    loop->exit = LLVMAppendBasicBlockInContext(e->context, e->function, "exit");
    LLVMBuildBr(e->builder, loop->header);
    LLVMPositionBuilderAtEnd(e->builder, loop->header);
    loop->at = add_phi(e, loop->first, before);
    for (int k = 0; k < loop->count; k++)
        loop->index[k] = loop->phi[k] = loop->count == 1 ? loop->at : add_phi(e, loop->start[k], before);
    loop->carried_count = count;
    for (int i = 0; i < count; i++) carried[i] = loop->carried[i] = add_phi(e, carried[i], before);
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, loop->at, loop->last, "");
    LLVMBuildCondBr(e->builder, more, body, loop->exit);
    LLVMPositionBuilderAtEnd(e->builder, body);
}

/* index[k] + 1, back to 0 with a carry to the next outer loop. */
static void next_indices(fxi_emit *e, const fxi_flat_loop *loop, LLVMValueRef *next) {
    LLVMValueRef carry = NULL;
    for (int k = loop->count - 1; k >= 0; k--) {
        LLVMValueRef by = carry ? LLVMBuildZExt(e->builder, carry, i64_type(e), "") : i64(e, 1);
        LLVMValueRef up = LLVMBuildAdd(e->builder, loop->index[k], by, "");
        carry = LLVMBuildICmp(e->builder, LLVMIntEQ, up, loop->extent[k], "");
        next[k] = k == 0 ? up : LLVMBuildSelect(e->builder, carry, i64(e, 0), up, "");
    }
}

void fxi_loop_advance(fxi_emit *e, fxi_flat_loop *loop) {
    LLVMValueRef next[FXI_MAX_LOOPS];
    next_indices(e, loop, next);
    for (int k = 0; k < loop->count; k++) loop->index[k] = next[k];
}

fxi_flat_loop fxi_loop_after(const fxi_flat_loop *done, LLVMValueRef last) {
    fxi_flat_loop rest = {.first = done->at, .last = last, .step = 1, .count = done->count};
    for (int k = 0; k < done->count; k++) {
        rest.extent[k] = done->extent[k];
        rest.start[k] = done->phi[k];
    }
    return rest;
}

void fxi_loop_end(fxi_emit *e, fxi_flat_loop *loop, LLVMValueRef *carried) {
    LLVMValueRef next[FXI_MAX_LOOPS];
    if (loop->count > 1) next_indices(e, loop, next);
    LLVMValueRef at = LLVMBuildAdd(e->builder, loop->at, i64(e, loop->step), "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->builder);
    LLVMAddIncoming(loop->at, &at, &from, 1);
    for (int k = 0; k < loop->count && loop->count > 1; k++)
        LLVMAddIncoming(loop->phi[k], &next[k], &from, 1);
    for (int i = 0; i < loop->carried_count; i++) {
        LLVMAddIncoming(loop->carried[i], &carried[i], &from, 1);
        carried[i] = loop->carried[i];
    }
    LLVMBuildBr(e->builder, loop->header);
    LLVMPositionBuilderAtEnd(e->builder, loop->exit);
}

LLVMValueRef fxi_emit_lane_mask(fxi_emit *e, LLVMValueRef left) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef full = i64(e, e->lanes);
    LLVMValueRef many = LLVMBuildICmp(e->builder, LLVMIntSGT, left, full, "");
    LLVMValueRef clamped =
        LLVMBuildTrunc(e->builder, LLVMBuildSelect(e->builder, many, full, left, ""), i32, "");
    LLVMValueRef numbers[64];
    for (unsigned i = 0; i < e->lanes; i++) numbers[i] = LLVMConstInt(i32, i, 0);
    LLVMValueRef lanes = LLVMConstVector(numbers, e->lanes);
    return LLVMBuildICmp(e->builder, LLVMIntSLT, lanes, fxi_emit_splat(e, clamped), "");
}

void fxi_emit_store_fence(fxi_emit *e) {
    static const char name[] = "llvm.x86.sse.sfence";
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, NULL, 0);
    LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->context, id, NULL, 0), f, NULL, 0, "");
}
