/* SPDX-License-Identifier: Apache-2.0 */
/* From a module to an object file in memory and on to callable code: no IR passes, the code generator alone
 * at its "less" level (as fast in what it makes as the full pipeline for explicitly vectorized IR, at under
 * half its compile time), or FastISel for code that runs once.
 *
 * LLVM's ways of ending the process are kept out of reach: diagnostics go to a handler, debug builds verify
 * the module first, and an estimate of the memory it will need is taken and given back beforehand, since LLVM
 * aborts when malloc fails inside it. What is left: memory that runs out between the estimate and the use. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif
#include "jit_internal.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <sys/mman.h>

/* Measured as growth of the resident set: under 1 MB for a kernel of ten instructions, then 2 to 8 KB for
 * each 16-lane instruction. */
#define RESERVE_BASE ((size_t)8 << 20)
#define RESERVE_PER_INSTRUCTION ((size_t)8192)

/* Mapped and unmapped, not allocated: it costs two system calls, and freeing so large a block would move the
 * thresholds of glibc's malloc for the whole process. */
bool fxi_jit_reserve(size_t instructions, fx_error *err) {
    if (instructions > (SIZE_MAX / 2 - RESERVE_BASE) / RESERVE_PER_INSTRUCTION)
        return fxi_fail_memory(err, "jit");
    size_t bytes = RESERVE_BASE + instructions * RESERVE_PER_INSTRUCTION;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return fxi_fail_memory(err, "jit");
    munmap(pages, bytes);
    return true;
}

static size_t count_instructions(LLVMModuleRef module) {
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
                count++;
    return count;
}

/* Frame pointers let profilers walk through kernels; nounwind leaves out .eh_frame, which nothing would
 * register. */
static void set_attributes(LLVMModuleRef module) {
    static const char name[] = "frame-pointer", value[] = "all";
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMAttributeRef frame =
        LLVMCreateStringAttribute(context, name, sizeof name - 1, value, sizeof value - 1);
    unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAttributeRef nounwind = LLVMCreateEnumAttribute(context, kind, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, frame);
        LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, nounwind);
    }
}

static void describe_with(LLVMModuleRef module, LLVMTargetMachineRef machine) {
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMSetTarget(module, FXI_JIT_TRIPLE);
    LLVMDisposeTargetData(layout);
}

bool fxi_jit_describe(LLVMModuleRef module, const fxi_target *target, fx_error *err) {
    LLVMTargetMachineRef machine = fxi_jit_take_machine(target, false, err);
    if (machine == NULL) return false;
    describe_with(module, machine);
    fxi_jit_give_machine(target, false, machine);
    return true;
}

#ifdef NDEBUG
static bool verify(LLVMModuleRef module, fx_error *err) {
    (void)module, (void)err;
    return true;
}
#else
static bool verify(LLVMModuleRef module, fx_error *err) {
    char *message = NULL;
    bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &message) != 0;
    if (broken) fxi_fail(err, FX_ERROR_INTERNAL, "jit: broken module: %s", message != NULL ? message : "?");
    LLVMDisposeMessage(message);
    return !broken;
}
#endif

/* Keeps the first error that LLVM reports about a module; warnings and remarks are dropped. */
static void note_diagnostic(LLVMDiagnosticInfoRef info, void *user) {
    fx_error *first = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || first->code != FX_OK) return;
    char *text = LLVMGetDiagInfoDescription(info);
    fxi_fail(first, FX_ERROR_BACKEND, "jit: %s", text != NULL ? text : "error in LLVM");
    LLVMDisposeMessage(text);
}

static LLVMMemoryBufferRef generate(LLVMModuleRef module, LLVMTargetMachineRef machine, fx_error *err) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMDiagnosticHandler handler = LLVMContextGetDiagnosticHandler(context);
    void *user = LLVMContextGetDiagnosticContext(context);
    fx_error first = {0};
    char *message = NULL;
    LLVMMemoryBufferRef object = NULL;
    LLVMContextSetDiagnosticHandler(context, note_diagnostic, &first);
    bool failed =
        LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object) != 0;
    LLVMContextSetDiagnosticHandler(context, handler, user);
    if (failed && first.code == FX_OK)
        fxi_fail(&first, FX_ERROR_BACKEND, "jit: %s", message != NULL ? message : "no object file");
    if (message != NULL) LLVMDisposeMessage(message);
    if (first.code == FX_OK) return object;
    fxi_fail_copy(err, &first);
    if (!failed && object != NULL) LLVMDisposeMemoryBuffer(object);
    return NULL;
}

LLVMMemoryBufferRef fxi_jit_object(LLVMModuleRef module, const fxi_target *target, bool quick,
                                   fx_error *err) {
    if (module == NULL || target == NULL) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "jit: module or target is NULL");
        return NULL;
    }
    if (!fxi_jit_reserve(count_instructions(module), err)) return NULL;
    LLVMTargetMachineRef machine = fxi_jit_take_machine(target, quick, err);
    if (machine == NULL) return NULL;
    describe_with(module, machine);
    set_attributes(module);
    LLVMMemoryBufferRef object = verify(module, err) ? generate(module, machine, err) : NULL;
    fxi_jit_give_machine(target, quick, machine);
    return object;
}

fxi_code *fxi_jit_compile(LLVMModuleRef module, const fxi_target *target, bool quick, fx_error *err) {
    LLVMMemoryBufferRef object = fxi_jit_object(module, target, quick, err);
    if (object == NULL) return NULL;
    fxi_code *code = fxi_elf_load(LLVMGetBufferStart(object), LLVMGetBufferSize(object), err);
    LLVMDisposeMemoryBuffer(object);
    return code;
}
