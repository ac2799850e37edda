/* SPDX-License-Identifier: Apache-2.0 */
/* Internal functions of a module: code too long to repeat at each use, or code that loops. The function
 * under construction keeps its single block this way, and a kernel that uses complex log three times holds
 * it once. */
#include "emit_ops.h"

#include <string.h>

/* Target features and frame pointer settings are string attributes of the kernel; its helpers must have the
 * same ones, or vectors would be passed differently on the two sides of a call. */
static void copy_attributes(LLVMValueRef from, LLVMValueRef to) {
    static const char *const names[] = {"target-cpu", "target-features", "prefer-vector-width",
                                        "min-legal-vector-width", "frame-pointer"};
    if (from == NULL) return;
    const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(from, whole, names[i], (unsigned)strlen(names[i]));
        if (a != NULL) LLVMAddAttributeAtIndex(to, whole, a);
    }
}

fxi_shared fxi_emit_shared(fxi_emit *e, const char *name, LLVMTypeRef result, LLVMTypeRef *parameters,
                           unsigned count, fxi_shared_body body, const void *context) {
    fxi_shared shared = {LLVMGetNamedFunction(e->module, name),
                         LLVMFunctionType(result, parameters, count, false)};
    if (shared.function != NULL) return shared;
    shared.function = LLVMAddFunction(e->module, name, shared.type);
    LLVMSetLinkage(shared.function, LLVMInternalLinkage);
    copy_attributes(e->function, shared.function);
    LLVMBasicBlockRef caller_block = LLVMGetInsertBlock(e->builder);
    LLVMValueRef caller = e->function;
    e->function = shared.function;
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, shared.function, ""));
    body(e, context);
    e->function = caller;
    LLVMPositionBuilderAtEnd(e->builder, caller_block);
    return shared;
}

fxi_ir fxi_emit_shared_call(fxi_emit *e, fxi_shared shared, fxi_ir *arguments, unsigned count) {
    return LLVMBuildCall2(e->builder, shared.type, shared.function, arguments, count, "");
}

fxi_lane_loop fxi_emit_lane_loop(fxi_emit *e, LLVMValueRef limit) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(e->builder);
    fxi_lane_loop loop = {.head = LLVMAppendBasicBlockInContext(e->context, e->function, ""),
                          .exit = LLVMAppendBasicBlockInContext(e->context, e->function, "")};
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, e->function, "");
    LLVMBuildBr(e->builder, loop.head);
    LLVMPositionBuilderAtEnd(e->builder, loop.head);
    loop.index = LLVMBuildPhi(e->builder, i64, "");
    LLVMAddIncoming(loop.index, (LLVMValueRef[]){LLVMConstInt(i64, 0, false)}, &entry, 1);
    LLVMBuildCondBr(e->builder, ir_icmp(e, LLVMIntULT, loop.index, limit), body, loop.exit);
    LLVMPositionBuilderAtEnd(e->builder, body);
    loop.next = ir_add(e, loop.index, LLVMConstInt(i64, 1, false));
    return loop;
}

void fxi_emit_lane_loop_end(fxi_emit *e, fxi_lane_loop *loop) {
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->builder);
    LLVMAddIncoming(loop->index, &loop->next, &latch, 1);
    LLVMBuildBr(e->builder, loop->head);
    LLVMPositionBuilderAtEnd(e->builder, loop->exit);
}
