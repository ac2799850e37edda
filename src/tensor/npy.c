/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of NumPy: a header, then the elements. What the header says is compared with the bytes that are
 * there before anything is allocated. Elements go straight from the file to their tensor; those in Fortran
 * order and packed integers, which files hold one to a byte, go through a second one. */
#include "tensor/npy.h"
#include <string.h>

static const char who[] = "fx_npy_load"; /* where memory ends, which callers say anew */

enum { LEAD_BYTES = 8, MOST_HEADER = 1 << 20 };

/* ---- elements ---- */

static void swap_bytes(void *data, int64_t bytes, int width) {
    unsigned char *at = data;
    for (int64_t i = 0; i < bytes; i += width, at += width)
        for (int k = 0; k < width / 2; k++) {
            unsigned char byte = at[k];
            at[k] = at[width - 1 - k];
            at[width - 1 - k] = byte;
        }
}

/* A new tensor whose element [i, j, ...] is element [..., j, i] of a tensor of the reversed shape. */
static fx_tensor *from_fortran(fx_tensor *tensor, const fx_shape *shape, fx_error *err) {
    int64_t strides[FX_MAX_RANK], stride = fx_dtype_bits(shape->dtype) / 8;
    for (int i = 0; i < shape->rank; i++) {
        strides[i] = stride;
        stride *= shape->dims[i];
    }
    fx_tensor *result = fx_tensor_copy_strided(shape, tensor->data, strides, err);
    fx_tensor_free(tensor);
    return result;
}

/* The bits of an integer, with zeros above them, as ml_dtypes writes it, or its sign. */
static bool fits_packed(fx_dtype dtype, const fx_tensor *bytes) {
    int bits = fx_dtype_bits(dtype), low = fx_dtype_is_signed(dtype) ? 256 - (1 << (bits - 1)) : 256;
    const unsigned char *data = bytes->data;
    for (int64_t i = 0; i < bytes->bytes; i++)
        if (data[i] >> bits != 0 && data[i] < low) return false;
    return true;
}

static fx_tensor *pack(fx_tensor *bytes, const fx_shape *shape, fx_error *err) {
    fx_tensor *result = NULL;
    if (!fits_packed(shape->dtype, bytes))
        fxi_fail(err, FX_ERROR_FILE, "an element is no %s", fx_dtype_name(shape->dtype));
    else
        result = fxi_tensor_new_from(NULL, shape, err);
    if (result) fxi_pack(shape->dtype, bytes->data, bytes->bytes, result->data);
    fx_tensor_free(bytes);
    return result;
}

static fx_tensor *read_elements(fxi_npy_source *source, const fxi_npy_header *header, fx_error *err) {
    fx_shape wide = header->shape;
    bool packed = fxi_dtype_is_packed(wide.dtype);
    if (packed) wide.dtype = FX_U8;
    fx_tensor *tensor = fxi_tensor_new_from(NULL, &wide, err);
    bool ok = tensor && source->read(source->user, tensor->data, header->bytes, err);
    if (ok && wide.dtype == FX_BOOL && !fxi_file_are_bools(tensor))
        ok = fxi_fail(err, FX_ERROR_FILE, "a bool is neither 0 nor 1");
    if (!ok) {
        fx_tensor_free(tensor);
        return NULL;
    }
    source->left -= header->bytes;
    if (header->swapped)
        swap_bytes(tensor->data, header->bytes, fx_dtype_bits(fx_dtype_real(wide.dtype)) / 8);
    if (header->fortran && wide.rank > 1 && header->bytes > 0) tensor = from_fortran(tensor, &wide, err);
    return tensor && packed ? pack(tensor, &header->shape, err) : tensor;
}

/* ---- reading ---- */

/* Bytes of the literal, which is then next; -1 with an error. */
static int64_t read_lead(fxi_npy_source *source, fx_error *err) {
    unsigned char lead[LEAD_BYTES], length[4] = {0, 0, 0, 0};
    bool ok = source->left >= LEAD_BYTES + 2 && source->read(source->user, lead, LEAD_BYTES, err);
    if (source->left < LEAD_BYTES + 2 || (ok && memcmp(lead, "\x93NUMPY", 6) != 0))
        ok = fxi_fail(err, FX_ERROR_FILE, "no array of NumPy");
    if (ok && (lead[6] < 1 || lead[6] > 3 || lead[7] != 0))
        ok = fxi_fail(err, FX_ERROR_FILE, "version %d.%d of the format is unknown", lead[6], lead[7]);
    if (!ok) return -1;
    int width = lead[6] == 1 ? 2 : 4;
    source->left -= LEAD_BYTES + width;
    if (source->left < 0)
        fxi_fail(err, FX_ERROR_FILE, "it ends too early");
    else if (source->read(source->user, length, width, err)) {
        int64_t bytes = (int64_t)length[0] | (int64_t)length[1] << 8 | (int64_t)length[2] << 16 |
                        (int64_t)length[3] << 24;
        if (bytes <= source->left && bytes <= MOST_HEADER) return bytes;
        fxi_fail(err, FX_ERROR_FILE, "a header of %lld bytes; there are %lld, and at most %d are allowed",
                 (long long)bytes, (long long)source->left, MOST_HEADER);
    }
    return -1;
}

static bool read_header(fxi_npy_source *source, fxi_npy_header *header, fx_dtype raw, fx_error *err) {
    int64_t bytes = read_lead(source, err);
    if (bytes < 0) return false;
    char *text = fxi_alloc((size_t)bytes);
    if (!text) return fxi_fail_memory(err, who);
    bool ok = source->read(source->user, text, bytes, err) &&
              fxi_npy_header_parse(header, text, (size_t)bytes, raw, err);
    source->left -= bytes;
    fxi_free(text);
    if (ok && header->bytes != source->left)
        ok = fxi_fail(err, FX_ERROR_FILE, "its elements have %lld bytes, but %lld are there",
                      (long long)header->bytes, (long long)source->left);
    return ok;
}

fx_tensor *fxi_npy_read(fxi_npy_source *source, fx_dtype raw, fx_error *err) {
    fxi_npy_header header;
    return read_header(source, &header, raw, err) ? read_elements(source, &header, err) : NULL;
}

typedef struct place {
    const fxi_file *file;
    int64_t at;
} place;

static bool read_place(void *user, void *to, int64_t bytes, fx_error *err) {
    place *p = user;
    FX_TRY(fxi_file_read(p->file, p->at, to, bytes, err));
    p->at += bytes;
    return true;
}

/* Closes the file. */
static fx_tensor *read_file(const char *function, fxi_file *file, fx_dtype raw, fx_error *err) {
    fx_error why = {.code = FX_OK};
    place p = {file, 0};
    fxi_npy_source source = {read_place, &p, file->bytes};
    fx_tensor *tensor = fxi_npy_read(&source, raw, &why);
    if (!tensor) fxi_file_fail(err, function, file->path, &why);
    fxi_file_close(file);
    return tensor;
}

fx_tensor *fx_npy_load(const char *path, fx_dtype raw, fx_error *err) {
    fxi_file file;
    fx_error why = {.code = FX_OK};
    if (!path)
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_npy_load: path is NULL");
    else if (fxi_file_open(&file, path, &why))
        return read_file("fx_npy_load", &file, raw, err);
    else
        fxi_file_fail(err, "fx_npy_load", path, &why);
    return NULL;
}

fx_tensor *fx_npy_read(const void *data, size_t size, fx_dtype raw, fx_error *err) {
    fxi_file file;
    fx_error why = {.code = FX_OK};
    if (fxi_file_over(&file, data, size, &why)) return read_file("fx_npy_read", &file, raw, err);
    fxi_file_fail(err, "fx_npy_read", NULL, &why);
    return NULL;
}

/* ---- writing ---- */

bool fxi_npy_write_on(void *writer, const void *bytes, int64_t n, fx_error *err) {
    const fxi_npy_writer *w = writer;
    return n == 0 || w->write(w->user, bytes, (size_t)n) ||
           fxi_fail(err, FX_ERROR_FILE, "the caller's function took no more");
}

bool fxi_npy_write_file(void *descriptor, const void *bytes, int64_t n, fx_error *err) {
    return fxi_file_write(*(const int *)descriptor, bytes, n, err);
}

/* A piece at a time, which has whole bytes of the packed ones. Above the bits of an integer are zeros. */
static bool write_unpacked(const fx_tensor *tensor, fxi_npy_sink sink, void *user, fx_error *err) {
    unsigned char piece[4096];
    int bits = fx_dtype_bits(tensor->shape.dtype), per_byte = 8 / bits;
    int64_t count = fx_shape_size(&tensor->shape);
    for (int64_t i = 0; i < count; i += (int64_t)sizeof piece) {
        int64_t n = fxi_size_min(count - i, (int64_t)sizeof piece);
        fxi_unpack(tensor->shape.dtype, (const char *)tensor->data + i / per_byte, n, piece);
        for (int64_t k = 0; k < n; k++) piece[k] &= (unsigned char)((1 << bits) - 1);
        FX_TRY(sink(user, piece, n, err));
    }
    return true;
}

bool fxi_npy_write(const fx_tensor *tensor, fxi_npy_sink sink, void *user, fx_error *err) {
    char buffer[640];
    fxi_text header = fxi_text_fixed(buffer, sizeof buffer);
    fxi_npy_header_add(&header, &tensor->shape);
    FX_TRY(fx_tensor_fetch(tensor, err) && sink(user, buffer, (int64_t)header.length, err));
    if (fxi_dtype_is_packed(tensor->shape.dtype)) return write_unpacked(tensor, sink, user, err);
    return sink(user, tensor->data, tensor->bytes, err);
}

static bool check_tensor(const char *function, const fx_tensor *tensor, fx_error *err) {
    return fx_tensor_is_valid(tensor) || fxi_fail(err, FX_ERROR_ARGUMENT, "%s: the tensor %s", function,
                                                  tensor ? "has no contents" : "is NULL");
}

static bool fill_file(int descriptor, const void *tensor, fx_error *err) {
    return fxi_npy_write(tensor, fxi_npy_write_file, &descriptor, err);
}

bool fx_npy_save(const fx_tensor *tensor, const char *path, fx_error *err) {
    fx_error why = {.code = FX_OK};
    FX_TRY(check_tensor("fx_npy_save", tensor, err));
    if (!path) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_npy_save: path is NULL");
    return fxi_file_replace(path, fill_file, tensor, &why) || fxi_file_fail(err, "fx_npy_save", path, &why);
}

bool fx_npy_write(const fx_tensor *tensor, fx_write_fn write, void *user, fx_error *err) {
    fx_error why = {.code = FX_OK};
    fxi_npy_writer writer = {write, user};
    FX_TRY(check_tensor("fx_npy_write", tensor, err));
    if (!write) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_npy_write: write is NULL");
    return fxi_npy_write(tensor, fxi_npy_write_on, &writer, &why) ||
           fxi_file_fail(err, "fx_npy_write", NULL, &why);
}
