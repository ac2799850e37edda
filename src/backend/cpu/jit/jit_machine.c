/* SPDX-License-Identifier: Apache-2.0 */
/* Target machines, kept for the next compilation: making one costs 0.2 ms (it parses the feature list and
 * fills the scheduling and lowering tables again), as much as generating a small kernel.
 *
 * A machine serves one compilation at a time, so the idle ones wait in a short locked list; a compilation
 * that finds none makes its own, and one that comes back to a full list is disposed of. Only the static
 * targets of jit_target.c are kept, because they are told apart by address. */
#include "jit_internal.h"

#include <pthread.h>

#define IDLE_LIMIT 8 /* about as many compilations as run at once; a machine holds some 100 KB */

typedef struct idle_machine {
    LLVMTargetMachineRef machine;
    const fxi_target *target;
    bool quick;
} idle_machine;

static struct machine_pool {
    pthread_mutex_t lock;
    unsigned count;
    idle_machine idle[IDLE_LIMIT];
} machine_pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static LLVMTargetMachineRef take_idle(const fxi_target *target, bool quick) {
    LLVMTargetMachineRef found = NULL;
    pthread_mutex_lock(&machine_pool.lock);
    for (unsigned i = machine_pool.count; i-- > 0 && found == NULL;) {
        if (machine_pool.idle[i].target != target || machine_pool.idle[i].quick != quick) continue;
        found = machine_pool.idle[i].machine;
        machine_pool.idle[i] = machine_pool.idle[--machine_pool.count];
    }
    pthread_mutex_unlock(&machine_pool.lock);
    return found;
}

LLVMTargetMachineRef fxi_jit_take_machine(const fxi_target *target, bool quick, fx_error *err) {
    LLVMTargetMachineRef machine = take_idle(target, quick);
    if (machine != NULL) return machine;
    fxi_jit_initialise();
    LLVMTargetRef x86 = NULL;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(FXI_JIT_TRIPLE, &x86, &message)) {
        fxi_fail(err, FX_ERROR_BACKEND, "jit: %s", message != NULL ? message : "no X86 target in LLVM");
        LLVMDisposeMessage(message);
        return NULL;
    }
    LLVMCodeGenOptLevel level = quick ? LLVMCodeGenLevelNone : LLVMCodeGenLevelLess;
    machine = LLVMCreateTargetMachine(x86, FXI_JIT_TRIPLE, target->cpu, target->features, level, LLVMRelocPIC,
                                      LLVMCodeModelSmall);
    if (machine == NULL)
        fxi_fail(err, FX_ERROR_BACKEND, "jit: LLVM made no target machine for %s", target->cpu);
    return machine;
}

void fxi_jit_give_machine(const fxi_target *target, bool quick, LLVMTargetMachineRef machine) {
    bool kept = false;
    if (fxi_target_is_static(target)) {
        pthread_mutex_lock(&machine_pool.lock);
        kept = machine_pool.count < IDLE_LIMIT;
        if (kept) machine_pool.idle[machine_pool.count++] = (idle_machine){machine, target, quick};
        pthread_mutex_unlock(&machine_pool.lock);
    }
    if (!kept) LLVMDisposeTargetMachine(machine);
}

void fxi_jit_drop_machines(void) {
    idle_machine dropped[IDLE_LIMIT];
    pthread_mutex_lock(&machine_pool.lock);
    unsigned count = machine_pool.count;
    for (unsigned i = 0; i < count; i++) dropped[i] = machine_pool.idle[i];
    machine_pool.count = 0;
    pthread_mutex_unlock(&machine_pool.lock);
    for (unsigned i = 0; i < count; i++) LLVMDisposeTargetMachine(dropped[i].machine);
}
