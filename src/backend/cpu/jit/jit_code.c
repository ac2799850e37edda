/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded machine code: a reference-counted mapping and the functions in it. Programs that run hold
 * references, so code may be dropped from the cache at any time without pulling it from under a caller. */
#include "jit_internal.h"

#include <string.h>
#include <sys/mman.h>

/* The counts come from an object file that is in memory, so the sum cannot overflow. */
fxi_code *fxi_code_new(unsigned char *base, size_t mapped, size_t count, size_t name_bytes, fx_error *err) {
    size_t bytes = sizeof(fxi_code) + count * sizeof(fxi_code_entry) + name_bytes;
    fxi_code *code = fxi_alloc(bytes);
    if (code == NULL) {
        fxi_fail_memory(err, "compiled code");
        return NULL;
    }
    atomic_init(&code->references, 1);
    code->base = base;
    code->mapped = mapped;
    code->bytes = mapped + bytes;
    code->count = 0;
    return code;
}

fxi_code *fxi_code_ref(fxi_code *code) {
    if (code != NULL) atomic_fetch_add_explicit(&code->references, 1, memory_order_relaxed);
    return code;
}

void fxi_code_free(fxi_code *code) {
    if (code == NULL || atomic_fetch_sub_explicit(&code->references, 1, memory_order_acq_rel) != 1) return;
    munmap(code->base, code->mapped);
    fxi_free(code);
}

bool fxi_code_is_shared(const fxi_code *code) {
    return atomic_load_explicit(&code->references, memory_order_acquire) > 1;
}

/* A kernel has a handful of functions, looked up once when a program is built. */
void *fxi_code_symbol(const fxi_code *code, const char *name) {
    if (code == NULL || name == NULL) return NULL;
    for (size_t i = 0; i < code->count; i++)
        if (strcmp(code->symbols[i].name, name) == 0) return code->symbols[i].address;
    return NULL;
}

size_t fxi_code_bytes(const fxi_code *code) {
    return code != NULL ? code->bytes : 0;
}
