/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: creation, reference counting and access to elements.
 *
 * Memory that the library owns is 64-byte aligned with a capacity rounded up to 64 bytes (at least one
 * block, so that the data of an empty tensor is not NULL), which lets vector code touch the padding.
 * Wrapped memory has no padding and goes back through the caller's release. Dropping the last reference is
 * the only place where memory is given back; a donated tensor has handed its memory on and only its struct
 * is left. */
#include "tensor/tensor.h"
#include <math.h>
#include <string.h>

#define BLOCK 64 /* alignment and capacity unit of owned memory */

/* ---- making and freeing ---- */

static void release_plain(void *data, void *user) {
    (void)user;
    fxi_free_aligned(data);
}

static void release_pages(void *data, void *user) { fxi_pages_give(user, data); }

fx_tensor *fxi_tensor_over(const fx_shape *shape, void *data, void (*release)(void *, void *), void *user,
                           bool padded, fx_error *err) {
    int64_t bytes = fx_shape_bytes(shape);
    if (bytes < 0) {
        const fxi_shape_fault fault = fxi_shape_fault_of(shape);
        fxi_fail(err, fault.code, "tensor: the shape %s", fault.text);
        return NULL;
    }
    fx_tensor *tensor = fxi_alloc_zeroed(1, sizeof *tensor);
    if (!tensor) {
        fxi_fail_memory(err, "tensor");
        return NULL;
    }
    atomic_init(&tensor->references, 1);
    atomic_init(&tensor->in_use, 0);
    atomic_init(&tensor->donated, false);
    tensor->shape = *shape;
    for (int i = shape->rank; i < FX_MAX_RANK; i++) tensor->shape.dims[i] = 0;
    tensor->bytes = bytes;
    tensor->data = data;
    tensor->release = release;
    tensor->user = user;
    tensor->padded = padded;
    return tensor;
}

fx_tensor *fxi_tensor_new_from(fxi_pages *pages, const fx_shape *shape, fx_error *err) {
    fx_tensor *tensor = fxi_tensor_over(shape, NULL, pages ? release_pages : release_plain, pages, true, err);
    if (!tensor) return NULL;
    int64_t capacity;
    if (fxi_size_add(tensor->bytes, BLOCK - 1, &capacity) && (uint64_t)capacity <= SIZE_MAX) {
        capacity = capacity / BLOCK * BLOCK;
        if (capacity == 0) capacity = BLOCK;
        tensor->data = pages ? fxi_pages_take(pages, (size_t)capacity) : fxi_alloc_data((size_t)capacity);
    }
    if (!tensor->data) {
        fxi_fail(err, FX_ERROR_MEMORY, "tensor: no memory for %lld bytes of %s", (long long)tensor->bytes,
                 fx_shape_to_text(shape).s);
        fxi_free(tensor);
        return NULL;
    }
    return tensor;
}

fx_tensor *fx_tensor_ref(fx_tensor *tensor) {
    if (tensor) atomic_fetch_add_explicit(&tensor->references, 1, memory_order_relaxed);
    return tensor;
}

void fx_tensor_free(fx_tensor *tensor) {
    if (!tensor || atomic_fetch_sub_explicit(&tensor->references, 1, memory_order_acq_rel) != 1) return;
    if (!atomic_load(&tensor->donated)) fxi_tensor_drop(tensor);
    fxi_free(tensor);
}

fx_tensor *fx_tensor_new(const fx_shape *shape, fx_error *err) {
    fx_tensor *tensor = fxi_tensor_new_from(NULL, shape, err);
    if (tensor) memset(tensor->data, 0, (size_t)tensor->bytes);
    return tensor;
}

/* ---- copies of the caller's memory ---- */

fx_tensor *fx_tensor_copy_from(const fx_shape *shape, const void *data, fx_error *err) {
    if (!data && fx_shape_bytes(shape) > 0) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_tensor_copy_from: data is NULL for shape %s",
                 fx_shape_to_text(shape).s);
        return NULL;
    }
    fx_tensor *tensor = fxi_tensor_new_from(NULL, shape, err);
    if (tensor && tensor->bytes > 0) memcpy(tensor->data, data, (size_t)tensor->bytes);
    return tensor;
}

fx_tensor *fx_tensor_from(fx_host host, fx_error *err) {
    fx_shape shape = fx_shape_make(host.dtype, host.dims, host.rank);
    if (!fx_shape_is_valid(&shape)) {
        const fxi_shape_fault fault = fxi_shape_fault_of(&shape);
        fxi_fail(err, fault.code, "fx_tensor_from: the array %s", fault.text);
        return NULL;
    }
    return fx_tensor_copy_from(&shape, host.data, err);
}

/* Inlined with a constant size below, so that each memcpy is one load and one store. */
static inline void copy_elements(char *to, const char *from, int64_t count, int64_t stride, size_t size) {
    for (int64_t i = 0; i < count; i++) memcpy(to + i * (int64_t)size, from + i * stride, size);
}

static void copy_row(char *to, const char *from, int64_t count, int64_t stride, size_t size) {
    if (stride == (int64_t)size) {
        memcpy(to, from, (size_t)count * size);
        return;
    }
    switch (size) {
    case 1: copy_elements(to, from, count, stride, 1); break;
    case 2: copy_elements(to, from, count, stride, 2); break;
    case 4: copy_elements(to, from, count, stride, 4); break;
    case 8: copy_elements(to, from, count, stride, 8); break;
    default: copy_elements(to, from, count, stride, 16); break;
    }
}

/* Rows of the innermost axis one after the other; an odometer over the outer axes keeps the source offset. */
static void copy_rows(fx_tensor *tensor, const char *from, const int64_t *strides) {
    const fx_shape *shape = &tensor->shape;
    size_t size = (size_t)fx_dtype_bits(shape->dtype) / 8;
    int outer = shape->rank > 0 ? shape->rank - 1 : 0;
    int64_t row = shape->rank > 0 ? shape->dims[outer] : 1,
            row_stride = shape->rank > 0 ? strides[outer] : (int64_t)size;
    int64_t rows = tensor->bytes / (row * (int64_t)size), offset = 0, index[FX_MAX_RANK] = {0};
    char *to = tensor->data;
    for (int64_t r = 0; r < rows; r++) {
        copy_row(to, from + offset, row, row_stride, size);
        to += row * (int64_t)size;
        for (int axis = outer - 1; axis >= 0; axis--) {
            if (shape->dims[axis] == 1) continue; /* its stride may be anything */
            offset += strides[axis];
            if (++index[axis] < shape->dims[axis]) break;
            offset -= strides[axis] * shape->dims[axis];
            index[axis] = 0;
        }
    }
}

fx_tensor *fx_tensor_copy_strided(const fx_shape *shape, const void *data, const int64_t *byte_strides,
                                  fx_error *err) {
    int64_t bytes = fx_shape_bytes(shape);
    if (bytes > 0 && (!data || (shape->rank > 0 && !byte_strides))) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_tensor_copy_strided: %s is NULL",
                 data ? "byte_strides" : "data");
        return NULL;
    }
    if (bytes >= 0 && fxi_dtype_is_packed(shape->dtype)) {
        fxi_fail(err, FX_ERROR_DTYPE, "fx_tensor_copy_strided: %s is packed and has no byte strides",
                 fx_dtype_name(shape->dtype));
        return NULL;
    }
    fx_tensor *tensor = fxi_tensor_new_from(NULL, shape, err);
    if (tensor && bytes > 0) copy_rows(tensor, data, byte_strides);
    return tensor;
}

/* ---- scalars and wrapping ---- */

static fx_tensor *new_scalar(fx_dtype dtype, fxi_scalar value, fx_dtype from, fx_error *err) {
    if (!fx_dtype_is_valid(dtype)) {
        fxi_fail(err, FX_ERROR_DTYPE, "fx_tensor_scalar: %d is no dtype", (int)dtype);
        return NULL;
    }
    fx_shape shape = fxi_shape_scalar(dtype);
    fx_tensor *tensor = fx_tensor_new(&shape, err);
    if (tensor) fxi_element_store(dtype, tensor->data, 0, fxi_scalar_convert(value, from, dtype));
    return tensor;
}

fx_tensor *fx_tensor_scalar(fx_dtype dtype, double value, fx_error *err) {
    return new_scalar(dtype, (fxi_scalar){.re = value}, FX_F64, err);
}

fx_tensor *fx_tensor_scalar_int(fx_dtype dtype, int64_t value, fx_error *err) {
    return new_scalar(dtype, (fxi_scalar){.i = value}, FX_S64, err);
}

fx_tensor *fx_tensor_wrap(const fx_shape *shape, void *data, void (*release)(void *data, void *user),
                          void *user, fx_error *err) {
    int64_t bytes = fx_shape_bytes(shape);
    if (bytes > 0 && !data) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_tensor_wrap: data is NULL for shape %s",
                 fx_shape_to_text(shape).s);
        return NULL;
    }
    if (bytes > 0) {
        unsigned size = (unsigned)fx_dtype_bits(fx_dtype_real(shape->dtype)) / 8;
        if (size > 1 && (uintptr_t)data % size != 0) {
            fxi_fail(err, FX_ERROR_ARGUMENT, "fx_tensor_wrap: data is not aligned to %u bytes as %s needs",
                     size, fx_dtype_name(shape->dtype));
            return NULL;
        }
    }
    return fxi_tensor_over(shape, data, release, user, false, err);
}

/* ---- queries ---- */

const fx_shape *fx_tensor_shape(const fx_tensor *tensor) {
    static const fx_shape invalid = {.dtype = FX_INVALID_DTYPE};
    return tensor ? &tensor->shape : &invalid;
}

fx_dtype fx_tensor_dtype(const fx_tensor *tensor) { return fx_tensor_shape(tensor)->dtype; }

int fx_tensor_rank(const fx_tensor *tensor) { return fx_tensor_shape(tensor)->rank; }

int64_t fx_tensor_size(const fx_tensor *tensor) { return tensor ? fx_shape_size(&tensor->shape) : -1; }

bool fx_tensor_is_valid(const fx_tensor *tensor) { return tensor && !atomic_load(&tensor->donated); }

const void *fx_tensor_data(const fx_tensor *tensor) {
    return fx_tensor_fetch(tensor, NULL) ? tensor->data : NULL;
}

void *fx_tensor_mutable_data(fx_tensor *tensor) {
    if (!fx_tensor_is_valid(tensor) || tensor->read_only || !fxi_tensor_settle(tensor, NULL)) return NULL;
    return tensor->data;
}

static bool has_element(const fx_tensor *tensor, int64_t index) {
    return tensor && index >= 0 && index < fx_shape_size(&tensor->shape) && fx_tensor_fetch(tensor, NULL);
}

double fx_tensor_get(const fx_tensor *tensor, int64_t index) {
    if (!has_element(tensor, index)) return (double)NAN;
    fxi_scalar value = fxi_element_load(tensor->shape.dtype, tensor->data, index);
    return fxi_scalar_convert(value, tensor->shape.dtype, FX_F64).re;
}

int64_t fx_tensor_get_int(const fx_tensor *tensor, int64_t index) {
    if (!has_element(tensor, index)) return 0;
    fxi_scalar value = fxi_element_load(tensor->shape.dtype, tensor->data, index);
    return fxi_scalar_convert(value, tensor->shape.dtype, FX_S64).i;
}

int64_t fxi_tensor_find_nan(const fx_tensor *tensor) {
    fx_dtype dtype = tensor->shape.dtype;
    bool complex = fx_dtype_is_complex(dtype);
    if (!complex && !fx_dtype_is_float(dtype)) return -1;
    for (int64_t i = 0, n = fx_shape_size(&tensor->shape); i < n; i++) {
        fxi_scalar value = fxi_element_load(dtype, tensor->data, i);
        if (isnan(value.re) || (complex && isnan(value.im))) return i;
    }
    return -1;
}

bool fx_tensor_equal(const fx_tensor *a, const fx_tensor *b) {
    if (!fx_tensor_is_valid(a) || !fx_tensor_is_valid(b) || !fx_shape_equal(&a->shape, &b->shape))
        return false;
    if (!fx_tensor_fetch(a, NULL) || !fx_tensor_fetch(b, NULL)) return false;
    if (a->bytes == 0 || a->data == b->data) return true;
    /* Bits of a packed type's last byte that belong to an element; 0 when it is full. */
    int used = (int)(fx_shape_size(&a->shape) % 8) * fx_dtype_bits(a->shape.dtype) % 8;
    size_t whole = (size_t)a->bytes - (used ? 1 : 0);
    if (memcmp(a->data, b->data, whole) != 0) return false;
    unsigned differing = used ? ((const uint8_t *)a->data)[whole] ^ ((const uint8_t *)b->data)[whole] : 0;
    return (differing & ((1u << used) - 1)) == 0;
}
