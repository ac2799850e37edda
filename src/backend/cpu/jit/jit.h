/* SPDX-License-Identifier: Apache-2.0 */
/* From an LLVM module to callable machine code: target machine, code generation into a memory object, our
 * own small ELF loader (W^X pages, external symbols through a table), and the process-wide, bounded cache
 * of compiled kernels. LLVM is kept at arm's length: no ORC, no global options, nothing that aborts on bad
 * input of ours. Thread-safe. */
#ifndef FXI_JIT_H
#define FXI_JIT_H

#include "../emit/emit.h"

/* jit_target.c: the machine we run on, found once per process; NULL with an error where AVX2+FMA+F16C is
 * missing. isa: NULL for the best, "avx2" or "avx512" to force one. Static storage. */
const fxi_target *fxi_target_find(const char *isa, fx_error *err);

/* Loaded machine code; reference counted, unmapped with the last reference. */
typedef struct fxi_code fxi_code;
fxi_code *fxi_code_ref(fxi_code *code);
void fxi_code_free(fxi_code *code);                          /* drops one reference; NULL-safe */
/* a defined function's address, NULL if absent */
void *fxi_code_symbol(const fxi_code *code, const char *name);
size_t fxi_code_bytes(const fxi_code *code);

/* jit_compile.c: verifies (debug builds), generates code for the module (which stays the caller's) and
 * loads it. quick: FastISel, for code that runs once. External symbols may only be those of the table in
 * jit_symbols.c. */
fxi_code *fxi_jit_compile(LLVMModuleRef module, const fxi_target *target, bool quick, fx_error *err);
/* The object file's bytes alone (for tools and tests); released with LLVMDisposeMemoryBuffer. */
LLVMMemoryBufferRef fxi_jit_object(LLVMModuleRef module, const fxi_target *target, bool quick, fx_error *err);
/* elf_load.c: hostile bytes give an error, never a crash (fuzzed). */
fxi_code *fxi_elf_load(const void *bytes, size_t size, fx_error *err);

/* kernel_cache.c: one compilation per key in the process, whoever asks; concurrent callers with the same
 * key wait for it, different keys compile concurrently. `build` fills the module; its functions are then
 * looked up in the code. The key must hold everything that is baked into the code apart from the target,
 * which the cache adds. */
typedef bool (*fxi_kernel_build)(fxi_emit *e, const void *description, fx_error *err);
fxi_code *fxi_kernel_get(const fxi_target *target, const void *key, size_t key_bytes, fxi_kernel_build build,
                         const void *description, fx_error *err);
typedef struct fxi_kernel_stats {
    uint64_t compiled, hits, evicted; /* since process start */
    size_t bytes, count;              /* held now */
} fxi_kernel_stats;
fxi_kernel_stats fxi_kernel_cache_stats(void);
void fxi_kernel_cache_clear(void); /* drops all that is unused; a cold cache for benchmarks and tests */

#endif
