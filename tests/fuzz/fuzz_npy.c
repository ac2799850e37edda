/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes are a .npy file that is read, and comes back from its own bytes equal, or an
 * error. Start from the corpus (corpus/npy). */
#include "tensor/npy.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition) __builtin_trap();
}

static bool keep(void *text, const char *bytes, size_t n) {
    fxi_text_add_bytes(text, bytes, n);
    return !((fxi_text *)text)->failed;
}

static void read_as(const uint8_t *data, size_t size, fx_dtype raw) {
    fx_error err = {0};
    fx_tensor *tensor = fx_npy_read(data, size, raw, &err);
    check((tensor == NULL) == (err.code != FX_OK));
    if (!tensor) return;
    check(fx_shape_is_valid(&tensor->shape) && tensor->bytes <= (int64_t)size);
    fxi_text text = {NULL, 0, 0, false, false};
    check(fx_npy_write(tensor, keep, &text, NULL));
    fx_tensor *back = fx_npy_read(text.data, text.length, tensor->shape.dtype, NULL);
    check(back && fx_tensor_equal(tensor, back));
    fx_tensor_free(back);
    fx_tensor_free(tensor);
    fxi_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_as(data, size, FX_INVALID_DTYPE);
    read_as(data, size, FX_BF16);
    read_as(data, size, FX_S4);
    return 0;
}
