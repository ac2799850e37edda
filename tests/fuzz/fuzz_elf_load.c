/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes given to the ELF loader load or fail with an error. Start from objects of the
 * code generator (corpus/elf_load). The code is never run. */
#include "backend/cpu/jit/jit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fxi_code *code = fxi_elf_load(data, size, &err);
    if ((code == NULL) != (err.code != FX_OK)) __builtin_trap();
    if (code != NULL && fxi_code_bytes(code) == 0) __builtin_trap();
    fxi_code_symbol(code, "add");
    fxi_code_free(code);
    return 0;
}
