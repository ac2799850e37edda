/* SPDX-License-Identifier: Apache-2.0 */
/* Small modules built by hand, shared by the tests of the jit. Each builder has the form of fxi_kernel_build,
 * so that it serves both the kernel cache and a module of the test's own. */
#ifndef JIT_MODULES_H
#define JIT_MODULES_H

#include "backend/cpu/jit/jit.h"

static LLVMValueRef begin_function(fxi_emit *e, const char *name, LLVMTypeRef result, LLVMTypeRef *types,
                                   unsigned n) {
    e->function = LLVMAddFunction(e->module, name, LLVMFunctionType(result, types, n, 0));
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, e->function, "entry"));
    return e->function;
}

static LLVMValueRef at_index(fxi_emit *e, LLVMValueRef base, LLVMValueRef index) {
    return LLVMBuildGEP2(e->builder, LLVMFloatTypeInContext(e->context), base, &index, 1, "");
}

/* void add(const float *a, const float *b, float *c, int64_t n): n a positive multiple of 16; c = a + b, and
 * with a description c = a + b + (0, 1, ..., 15) from the constant pool. */
static inline bool build_add(fxi_emit *e, const void *description, fx_error *err) {
    (void)err;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0), i64 = LLVMInt64TypeInContext(e->context);
    LLVMTypeRef vector = fxi_emit_vector_of(e, fxi_emit_scalar_type(e, FX_F32)),
                types[] = {pointer, pointer, pointer, i64};
    LLVMValueRef f = begin_function(e, "add", LLVMVoidTypeInContext(e->context), types, 4);
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, f, "body");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(e->context, f, "end");
    LLVMBuildBr(e->builder, body);
    LLVMPositionBuilderAtEnd(e->builder, body);
    LLVMValueRef i = LLVMBuildPhi(e->builder, i64, "i"), sum;
    LLVMValueRef a = LLVMBuildLoad2(e->builder, vector, at_index(e, LLVMGetParam(f, 0), i), "a");
    LLVMValueRef b = LLVMBuildLoad2(e->builder, vector, at_index(e, LLVMGetParam(f, 1), i), "b");
    LLVMSetAlignment(a, 4);
    LLVMSetAlignment(b, 4);
    sum = LLVMBuildFAdd(e->builder, a, b, "sum");
    if (description != NULL) {
        LLVMValueRef lane[16];
        for (unsigned l = 0; l < 16; l++) lane[l] = LLVMConstReal(LLVMFloatTypeInContext(e->context), l);
        sum = LLVMBuildFAdd(e->builder, sum, LLVMConstVector(lane, 16), "ramp");
    }
    LLVMSetAlignment(LLVMBuildStore(e->builder, sum, at_index(e, LLVMGetParam(f, 2), i)), 4);
    LLVMValueRef next = LLVMBuildAdd(e->builder, i, LLVMConstInt(i64, 16, 0), "next");
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntULT, next, LLVMGetParam(f, 3), ""), body,
                    end);
    LLVMAddIncoming(i, (LLVMValueRef[]){LLVMConstInt(i64, 0, 0), next}, (LLVMBasicBlockRef[]){entry, body},
                    2);
    LLVMPositionBuilderAtEnd(e->builder, end);
    LLVMBuildRetVoid(e->builder);
    return true;
}

/* double call(double, double), which calls the external that `description` names. */
static inline bool build_call(fxi_emit *e, const void *description, fx_error *err) {
    (void)err;
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context), types[] = {f64, f64};
    LLVMValueRef external = LLVMAddFunction(e->module, description, LLVMFunctionType(f64, types, 2, 0));
    LLVMValueRef f = begin_function(e, "call", f64, types, 2);
    LLVMValueRef args[] = {LLVMGetParam(f, 0), LLVMGetParam(f, 1)};
    LLVMBuildRet(e->builder,
                 LLVMBuildCall2(e->builder, LLVMFunctionType(f64, types, 2, 0), external, args, 2, ""));
    return true;
}

/* int64_t next(void): adds 3 to a writable global that starts at 39 and gives the sum; reached through a
 * constant pointer to it, which needs an address in data. int64_t twice(void) calls it twice and gives the
 * second result. */
static inline bool build_counter(fxi_emit *e, const void *description, fx_error *err) {
    (void)description, (void)err;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context), pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMValueRef counter = LLVMAddGlobal(e->module, i64, "counter"),
                 place = LLVMAddGlobal(e->module, pointer, "place");
    LLVMSetInitializer(counter, LLVMConstInt(i64, 39, 0));
    LLVMSetInitializer(place, counter);
    LLVMSetGlobalConstant(place, 1);
    LLVMValueRef f = begin_function(e, "next", i64, NULL, 0);
    LLVMValueRef at = LLVMBuildLoad2(e->builder, pointer, place, "");
    LLVMValueRef old = LLVMBuildLoad2(e->builder, i64, at, ""),
                 sum = LLVMBuildAdd(e->builder, old, LLVMConstInt(i64, 3, 0), "");
    LLVMBuildStore(e->builder, sum, at);
    LLVMBuildRet(e->builder, sum);
    begin_function(e, "twice", i64, NULL, 0);
    LLVMBuildCall2(e->builder, LLVMFunctionType(i64, NULL, 0, 0), f, NULL, 0, "");
    LLVMBuildRet(e->builder, LLVMBuildCall2(e->builder, LLVMFunctionType(i64, NULL, 0, 0), f, NULL, 0, ""));
    return true;
}

/* A module of the test's own; ended with end_module. */
static inline fxi_emit begin_module(const fxi_target *target) {
    fxi_emit e = {.context = LLVMContextCreate(), .target = target, .lanes = 16};
    e.module = LLVMModuleCreateWithNameInContext("test", e.context);
    e.builder = LLVMCreateBuilderInContext(e.context);
    return e;
}

static inline void end_module(fxi_emit *e) {
    LLVMDisposeBuilder(e->builder);
    LLVMDisposeModule(e->module);
    LLVMContextDispose(e->context);
}

/* Builds and compiles in one step; NULL with the error on failure. */
static inline fxi_code *compile_built(const fxi_target *target, bool quick, fxi_kernel_build build,
                                      const void *description, fx_error *err) {
    fxi_emit e = begin_module(target);
    fxi_code *code = build(&e, description, err) ? fxi_jit_compile(e.module, target, quick, err) : NULL;
    end_module(&e);
    return code;
}

#endif
