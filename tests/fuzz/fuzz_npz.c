/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes are an archive that opens, whose arrays are read within what deflate can make of
 * so many bytes, or an error. Start from the corpus (corpus/npz). */
#include "tensor/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition) __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fx_npz *file = fx_npz_open_memory(data, size, &err);
    check((file == NULL) == (err.code != FX_OK));
    int64_t bytes = 0;
    for (size_t i = 0; i < fx_npz_count(file); i++) {
        check(fx_npz_find(file, fx_npz_name(file, i)) == (int64_t)i);
        fx_error why = {0};
        fx_tensor *tensor = fx_npz_read(file, i, FX_BF16, &why);
        check((tensor == NULL) == (why.code != FX_OK));
        if (tensor) bytes += tensor->bytes;
        fx_tensor_free(tensor);
    }
    check(bytes <= (int64_t)size * 1033);
    fx_npz_close(file);
    return 0;
}
