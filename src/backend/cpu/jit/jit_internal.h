/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of jit/ share among themselves: loaded code, externals, target machines, preparation of a
 * module. */
#ifndef FXI_JIT_INTERNAL_H
#define FXI_JIT_INTERNAL_H

#include "jit.h"
#include <llvm-c/TargetMachine.h>
#include <stdatomic.h>

/* ELF and the System V calling convention, which the loader and the emitter assume. */
#define FXI_JIT_TRIPLE "x86_64-pc-linux-gnu"

typedef struct fxi_code_entry {
    const char *name;
    void *address;
} fxi_code_entry;

struct fxi_code {
    atomic_size_t references;
    unsigned char *base;  /* one mapping */
    size_t mapped, bytes; /* of the mapping; with this block */
    size_t count;
    fxi_code_entry symbols[]; /* functions; their names follow */
};

/* jit_code.c: takes over the mapping on success, with room for `count` symbols (which the caller fills and
 * counts) and for their names. */
fxi_code *fxi_code_new(unsigned char *base, size_t mapped, size_t count, size_t name_bytes, fx_error *err);
bool fxi_code_is_shared(const fxi_code *code); /* more than one reference now */

/* jit_symbols.c: address of an external that generated code may use; NULL for any other name. */
void *fxi_jit_external(const char *name);

/* jit_target.c: makes LLVM's X86 target known, once per process; any thread. */
void fxi_jit_initialise(void);
/* True for the static targets that fxi_target_find hands out. */
bool fxi_target_is_static(const fxi_target *target);

/* jit_machine.c: a target machine for one compilation, from the pool where one is idle. Give it back with the
 * same target and tier. */
LLVMTargetMachineRef fxi_jit_take_machine(const fxi_target *target, bool quick, fx_error *err);
void fxi_jit_give_machine(const fxi_target *target, bool quick, LLVMTargetMachineRef machine);
void fxi_jit_drop_machines(void); /* disposes of all idle ones */

/* jit_compile.c: triple and data layout for a new module. */
bool fxi_jit_describe(LLVMModuleRef module, const fxi_target *target, fx_error *err);
/* Fails where the memory that LLVM will need for so many instructions cannot be had now. */
bool fxi_jit_reserve(size_t instructions, fx_error *err);

#endif
