/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting: for each line along the axis a merge sort of indices that asks, for two of them, whether the second element goes
 * before the first. Merging takes the first unless it must not, so equal elements keep their order. */
#include "interp_internal.h"
#include <math.h>

/* One line: operands and where it lies in them. */
typedef struct line {
    const fx_node *node;
    fx_tensor *const *operands;
    int64_t start, stride;
} line;

/* -1, 0 or 1; NaN comes after everything and is equal to NaN, in either direction. */
static int order_floats(double a, double b, bool descending) {
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    int order = (a > b) - (a < b);
    return descending ? -order : order;
}

static int order_elements(fx_dtype dtype, fxi_scalar a, fxi_scalar b, bool descending) {
    if (fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype)) {
        int real = order_floats(a.re, b.re, descending);
        return real || !fx_dtype_is_complex(dtype) ? real : order_floats(a.im, b.im, descending);
    }
    int order = fx_dtype_is_signed(dtype) ? (a.i > b.i) - (a.i < b.i)
                                          : ((uint64_t)a.i > (uint64_t)b.i) - ((uint64_t)a.i < (uint64_t)b.i);
    return descending ? -order : order;
}

/* Whether element b of the line must come before element a. */
static bool goes_before(const line *l, int64_t b, int64_t a) {
    fx_dims orders = fxi_node_ints(l->node, FXI_ATTR_ORDERS);
    for (size_t key = 0; key < orders.n; key++) {
        fx_dtype dtype = l->operands[key]->shape.dtype;
        const void *data = l->operands[key]->data;
        int order = order_elements(dtype, fxi_element_load(dtype, data, l->start + b * l->stride),
                                   fxi_element_load(dtype, data, l->start + a * l->stride), orders.v[key] != 0);
        if (order) return order < 0;
    }
    return false;
}

static void merge(const line *l, const int64_t *from, int64_t *to, int64_t first, int64_t middle, int64_t end) {
    int64_t a = first, b = middle;
    for (int64_t i = first; i < end; i++) {
        bool second = a == middle || (b < end && goes_before(l, from[b], from[a]));
        to[i] = second ? from[b++] : from[a++];
    }
}

/* Sorts the indices of a line; gives the array that holds them. */
static int64_t *sort_indices(const line *l, int64_t count, int64_t *indices, int64_t *spare) {
    for (int64_t i = 0; i < count; i++) indices[i] = i;
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t first = 0; first < count; first += 2 * width) {
            int64_t middle = fxi_size_min(first + width, count);
            merge(l, indices, spare, first, middle, fxi_size_min(middle + width, count));
        }
        int64_t *other = indices;
        indices = spare;
        spare = other;
    }
    return indices;
}

bool fxi_interp_sort(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    const fx_shape *shape = &node->shape;
    int64_t axis = fxi_node_int(node, FXI_ATTR_AXIS), count = fx_shape_size(shape), along = shape->dims[axis], stride = 1;
    if (count == 0) return true;
    for (int i = (int)axis + 1; i < shape->rank; i++) stride *= shape->dims[i];
    int64_t *memory = fxi_alloc_zeroed((size_t)along, 2 * sizeof *memory);
    if (!memory) return fxi_fail_memory(err, "interp: sort");
    for (int64_t i = 0; i < count / along; i++) {
        line l = {node, operands, i / stride * stride * along + i % stride, stride};
        const int64_t *sorted = sort_indices(&l, along, memory, memory + along);
        for (int64_t k = 0; k < along; k++)
            fxi_element_store(shape->dtype, result->data, l.start + k * stride,
                              fxi_element_load(shape->dtype, operands[0]->data, l.start + sorted[k] * stride));
    }
    fxi_free(memory);
    return true;
}
