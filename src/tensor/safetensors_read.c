/* SPDX-License-Identifier: Apache-2.0 */
/* Reading safetensors files: the header is read, checked and forgotten, tensors are read at their places
 * straight into their own memory, which has the alignment that kernels want. */
#include "tensor/safetensors.h"

struct fx_safetensors {
    fxi_file file;
    int64_t data; /* where it begins */
    fxi_file_header header;
};

enum { LENGTH_BYTES = 8 };

/* ---- opening ---- */

/* Length of the header, checked against the file; -1 with an error. */
static int64_t header_bytes(const fx_safetensors *file, fx_error *err) {
    unsigned char word[LENGTH_BYTES];
    if (file->file.bytes < LENGTH_BYTES) {
        fxi_fail(err, FX_ERROR_FILE, "%lld bytes are no safetensors file", (long long)file->file.bytes);
        return -1;
    }
    if (!fxi_file_read(&file->file, 0, word, LENGTH_BYTES, err)) return -1;
    uint64_t length = 0;
    for (int i = LENGTH_BYTES - 1; i >= 0; i--) length = length << 8 | word[i];
    if (length > (uint64_t)(file->file.bytes - LENGTH_BYTES))
        fxi_fail(err, FX_ERROR_FILE,
                 "its first bytes tell of a header of %llu bytes; it has %lld behind them",
                 (unsigned long long)length, (long long)(file->file.bytes - LENGTH_BYTES));
    else if (length > FXI_MOST_HEADER)
        fxi_fail(err, FX_ERROR_FILE, "a header of %llu bytes; at most %d are allowed",
                 (unsigned long long)length, FXI_MOST_HEADER);
    else
        return (int64_t)length;
    return -1;
}

static bool read_header(fx_safetensors *file, fx_error *err) {
    int64_t length = header_bytes(file, err);
    if (length < 0) return false;
    char *json = fxi_alloc_zeroed((size_t)length + YYJSON_PADDING_SIZE, 1);
    if (!json) return fxi_fail_memory(err, "fx_safetensors_open");
    file->data = LENGTH_BYTES + length;
    bool ok = fxi_file_read(&file->file, LENGTH_BYTES, json, length, err) &&
              fxi_file_header_parse(&file->header, json, (size_t)length, file->file.bytes - file->data, err);
    fxi_free(json);
    return ok;
}

/* Closes what it does not take over. */
static fx_safetensors *open_any(fxi_file *from, fx_error *err) {
    fx_safetensors *file = fxi_alloc_zeroed(1, sizeof *file);
    if (!file) {
        fxi_fail_memory(err, "fx_safetensors_open");
        fxi_file_close(from);
        return NULL;
    }
    file->file = *from;
    if (read_header(file, err)) return file;
    fx_safetensors_close(file);
    return NULL;
}

/* Under the name of the function that was called. */
static fx_safetensors *open_named(const char *function, const char *path, fx_error *err) {
    fx_error why = {.code = FX_OK};
    if (!path) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "%s: path is NULL", function);
        return NULL;
    }
    fxi_file from;
    fx_safetensors *file = fxi_file_open(&from, path, &why) ? open_any(&from, &why) : NULL;
    if (!file) fxi_file_fail(err, function, path, &why);
    return file;
}

fx_safetensors *fx_safetensors_open(const char *path, fx_error *err) {
    return open_named("fx_safetensors_open", path, err);
}

fx_safetensors *fx_safetensors_open_memory(const void *data, size_t size, fx_error *err) {
    fxi_file from;
    fx_error why = {.code = FX_OK};
    fx_safetensors *file = fxi_file_over(&from, data, size, &why) ? open_any(&from, &why) : NULL;
    if (!file) fxi_file_fail(err, "fx_safetensors_open_memory", NULL, &why);
    return file;
}

void fx_safetensors_close(fx_safetensors *file) {
    if (!file) return;
    fxi_file_close(&file->file);
    fxi_file_header_free(&file->header);
    fxi_free(file);
}

/* ---- what is in it ---- */

size_t fx_safetensors_count(const fx_safetensors *file) {
    return file ? file->header.tensors.count : 0;
}

const char *fx_safetensors_name(const fx_safetensors *file, size_t i) {
    return file ? fx_params_name(file->header.names, i) : NULL;
}

int64_t fx_safetensors_find(const fx_safetensors *file, const char *name) {
    return file ? fx_params_find(file->header.names, name) : -1;
}

const fx_shape *fx_safetensors_shape(const fx_safetensors *file, size_t i) {
    return i < fx_safetensors_count(file) ? &file->header.tensors.data[i].shape : NULL;
}

const char *fx_safetensors_metadata(const fx_safetensors *file, const char *key) {
    return file ? fx_params_metadata(file->header.names, key) : NULL;
}

const char *fx_safetensors_metadata_key(const fx_safetensors *file, size_t i) {
    return file ? fx_params_metadata_key(file->header.names, i) : NULL;
}

/* ---- tensors ---- */

static fx_tensor *read_tensor(const fx_safetensors *file, size_t i, fx_error *err) {
    const fxi_file_tensor *entry = &file->header.tensors.data[i];
    fx_tensor *tensor = fxi_tensor_new_from(NULL, &entry->shape, err);
    bool ok =
        tensor && fxi_file_read(&file->file, file->data + entry->begin, tensor->data, tensor->bytes, err);
    if (ok && entry->shape.dtype == FX_BOOL && !fxi_file_are_bools(tensor))
        ok = fxi_fail(err, FX_ERROR_FILE, "\"%s\": a bool is neither 0 nor 1", fx_safetensors_name(file, i));
    if (ok) return tensor;
    fx_tensor_free(tensor);
    return NULL;
}

fx_tensor *fx_safetensors_read(const fx_safetensors *file, size_t i, fx_error *err) {
    static const char name[] = "fx_safetensors_read";
    fx_error why = {.code = FX_OK};
    if (!file) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "%s: file is NULL", name);
        return NULL;
    }
    fx_tensor *tensor = NULL;
    if (i < fx_safetensors_count(file))
        tensor = read_tensor(file, i, &why);
    else
        fxi_fail(&why, FX_ERROR_ARGUMENT, "there is no tensor %zu among %zu", i, fx_safetensors_count(file));
    if (!tensor) fxi_file_fail(err, name, file->file.path, &why);
    return tensor;
}

static bool read_all(const fx_safetensors *file, fx_params *params, fx_error *err) {
    for (size_t i = 0; i < fx_safetensors_count(file); i++) {
        fx_tensor *tensor = read_tensor(file, i, err);
        if (!tensor || !fx_params_set(params, fx_safetensors_name(file, i), tensor, err)) return false;
    }
    const char *key;
    for (size_t i = 0; (key = fx_safetensors_metadata_key(file, i)) != NULL; i++)
        FX_TRY(fx_params_set_metadata(params, key, fx_safetensors_metadata(file, key), err));
    return true;
}

fx_params *fx_safetensors_load(const char *path, fx_error *err) {
    static const char name[] = "fx_safetensors_load";
    fx_safetensors *file = open_named(name, path, err);
    if (!file) return NULL;
    fx_error why = {.code = FX_OK};
    fx_params *params = fx_params_new(&why);
    if (!params || !read_all(file, params, &why)) {
        fxi_file_fail(err, name, path, &why);
        fx_params_free(params);
        params = NULL;
    }
    fx_safetensors_close(file);
    return params;
}
