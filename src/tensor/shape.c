/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes as values: construction, checked sizes, strides and axis arithmetic. All products are checked
 * against 63 bits, because dimensions come from users and files; a dimension of 0 makes the product 0
 * whatever the other dimensions are. */
#include "tensor/tensor.h"
#include <limits.h>
#include <string.h>

fx_shape fx_shape_make(fx_dtype dtype, const int64_t *dims, size_t rank) {
    fx_shape shape = {.dtype = FX_INVALID_DTYPE};
    if (rank > FX_MAX_RANK || (rank > 0 && !dims)) { /* negative: loops over its dimensions do nothing */
        shape.rank = rank > INT_MAX ? -INT_MAX : -(int)rank;
        return shape;
    }
    shape.rank = (int)rank;
    if (rank) memcpy(shape.dims, dims, rank * sizeof *dims);
    for (size_t i = 0; i < rank; i++)
        if (dims[i] < 0) return shape;
    if (fx_dtype_is_valid(dtype)) shape.dtype = dtype;
    return shape;
}

fx_shape fxi_shape_scalar(fx_dtype dtype) { return fx_shape_make(dtype, NULL, 0); }

/* The parts of validity that every other question relies on. */
static bool has_valid_parts(const fx_shape *shape) {
    if (!shape || !fx_dtype_is_valid(shape->dtype) || shape->rank < 0 || shape->rank > FX_MAX_RANK)
        return false;
    for (int i = 0; i < shape->rank; i++)
        if (shape->dims[i] < 0) return false;
    return true;
}

bool fx_shape_is_valid(const fx_shape *shape) { return fx_shape_bytes(shape) >= 0; }

bool fx_shape_equal_dims(const fx_shape *a, const fx_shape *b) {
    if (!a || !b || a->rank != b->rank || a->rank < 0 || a->rank > FX_MAX_RANK) return false;
    return memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

bool fx_shape_equal(const fx_shape *a, const fx_shape *b) {
    return fx_shape_equal_dims(a, b) && a->dtype == b->dtype;
}

int64_t fx_shape_size(const fx_shape *shape) {
    if (!shape || shape->rank < 0 || shape->rank > FX_MAX_RANK) return -1;
    for (int i = 0; i < shape->rank; i++)
        if (shape->dims[i] == 0) return 0;
    int64_t size = 1;
    for (int i = 0; i < shape->rank; i++)
        if (!fxi_size_mul(size, shape->dims[i], &size)) return -1;
    return size;
}

int64_t fx_shape_bytes(const fx_shape *shape) {
    if (!has_valid_parts(shape)) return -1;
    int64_t size = fx_shape_size(shape), bytes;
    int bits = fx_dtype_bits(shape->dtype);
    /* Groups of eight elements are whole bytes in every dtype, so the product in bits is never formed. */
    if (size < 0 || !fxi_size_mul(size / 8, bits, &bytes)) return -1;
    if (!fxi_size_add(bytes, (size % 8 * bits + 7) / 8, &bytes)) return -1;
    return bytes;
}

static fx_error_code describe_fault(const fx_shape *shape, fxi_text *text) {
    if (!shape) {
        fxi_text_add(text, "is NULL");
        return FX_ERROR_ARGUMENT;
    }
    int rank = shape->rank;
    if (rank > FX_MAX_RANK || rank < -FX_MAX_RANK) {
        fxi_text_add(text, "has %d dimensions; there can be %d", rank < 0 ? -rank : rank, FX_MAX_RANK);
        return FX_ERROR_SHAPE;
    }
    if (rank < 0) {
        fxi_text_add(text, "has rank %d: its dimensions were NULL", rank);
        return FX_ERROR_ARGUMENT;
    }
    for (int i = 0; i < rank; i++) {
        if (shape->dims[i] >= 0) continue;
        fxi_text_add(text, "has %lld for dimension %d", (long long)shape->dims[i], i);
        return FX_ERROR_SHAPE;
    }
    if (!fx_dtype_is_valid(shape->dtype)) {
        fxi_text_add(text, "has no valid dtype");
        return FX_ERROR_ARGUMENT;
    }
    fxi_shape_add_text(text, shape);
    fxi_text_add(text, " has more bytes than fit into 63 bits");
    return FX_ERROR_MEMORY;
}

fxi_shape_fault fxi_shape_fault_of(const fx_shape *shape) {
    fxi_shape_fault fault = {.code = FX_OK};
    fxi_text text = fxi_text_fixed(fault.text, sizeof fault.text);
    fault.code = describe_fault(shape, &text);
    return fault;
}

int fxi_axis_normalize(int64_t axis, int rank) {
    if (axis < -(int64_t)rank || axis >= rank) return -1;
    return (int)(axis < 0 ? axis + rank : axis);
}

int64_t fx_shape_dim(const fx_shape *shape, int axis) {
    if (!shape || shape->rank < 0 || shape->rank > FX_MAX_RANK) return -1;
    int i = fxi_axis_normalize(axis, shape->rank);
    return i < 0 ? -1 : shape->dims[i];
}

void fxi_shape_strides(const fx_shape *shape, int64_t strides[FX_MAX_RANK]) {
    /* Unsigned: in a shape without elements the product may wrap, and then no stride is ever used. */
    uint64_t stride = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        strides[i] = (int64_t)stride;
        stride *= (uint64_t)shape->dims[i];
    }
}

void fxi_shape_add_text(fxi_text *text, const fx_shape *shape) {
    if (!shape) {
        fxi_text_add(text, "(invalid)");
        return;
    }
    fxi_text_add(text, "(%s)", fx_dtype_name(shape->dtype));
    for (int i = 0; i < shape->rank && i < FX_MAX_RANK; i++)
        fxi_text_add(text, "%s%lld", i ? ", " : "[", (long long)shape->dims[i]);
    if (shape->rank > 0) fxi_text_add(text, "]");
}

fx_shape_text fx_shape_to_text(const fx_shape *shape) {
    fx_shape_text result = {{0}};
    fxi_text text = fxi_text_fixed(result.s, sizeof result.s);
    fxi_shape_add_text(&text, shape);
    return result;
}
