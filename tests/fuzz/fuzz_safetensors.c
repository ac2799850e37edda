/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes are a safetensors file that opens and whose tensors fill it exactly, or an
 * error. Start from the corpus (corpus/safetensors). */
#include "tensor/safetensors.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition) __builtin_trap();
}

static int64_t read_tensors(const fx_safetensors *file) {
    int64_t bytes = 0;
    for (size_t i = 0; i < fx_safetensors_count(file); i++) {
        const char *name = fx_safetensors_name(file, i);
        check(name != NULL && fx_safetensors_find(file, name) == (int64_t)i);
        bytes += fx_shape_bytes(fx_safetensors_shape(file, i));
        fx_error err = {0};
        fx_tensor *tensor = fx_safetensors_read(file, i, &err);
        check((tensor == NULL) == (err.code != FX_OK));
        check(tensor == NULL || fx_shape_equal(&tensor->shape, fx_safetensors_shape(file, i)));
        fx_tensor_free(tensor);
    }
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fx_safetensors *file = fx_safetensors_open_memory(data, size, &err);
    check((file == NULL) == (err.code != FX_OK));
    if (!file) return 0;
    uint64_t header;
    memcpy(&header, data, sizeof header);
    check(read_tensors(file) == (int64_t)(size - 8 - header));
    const char *key;
    for (size_t i = 0; (key = fx_safetensors_metadata_key(file, i)) != NULL; i++)
        check(fx_safetensors_metadata(file, key) != NULL);
    fx_safetensors_close(file);
    return 0;
}
