/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes whose result elements are operand elements, and iota. Broadcast, transpose, slice and reverse are
 * one loop: result axis i steps through the operand by a stride of its own, which may be 0 or negative,
 * from a start offset. Elements are copied as bytes, so NaN payloads survive; packed dtypes go element by
 * element. */
#include "interp_internal.h"
#include <string.h>

/* Copies `count` elements at distance `stride` in the source to consecutive ones. */
static void copy_run(fx_tensor *to, int64_t to_index, const fx_tensor *from, int64_t from_index,
                     int64_t count, int64_t stride) {
    fx_dtype dtype = to->shape.dtype;
    int bits = fx_dtype_bits(dtype);
    if (bits < 8) {
        for (int64_t i = 0; i < count; i++)
            fxi_element_store(dtype, to->data, to_index + i,
                              fxi_element_load(dtype, from->data, from_index + i * stride));
        return;
    }
    int64_t size = bits / 8;
    char *target = (char *)to->data + to_index * size;
    const char *source = (const char *)from->data + from_index * size;
    if (stride == 1) {
        memcpy(target, source, (size_t)(count * size));
        return;
    }
    for (int64_t i = 0; i < count; i++) memcpy(target + i * size, source + i * stride * size, (size_t)size);
}

/* ---- one operand through strides ---- */

/* Fills the walk over the operand that yields the result's elements in order; the offset becomes that of
 * the first. */
static void plan_view(const fx_node *node, const fx_shape *operand, fxi_interp_cursor *view) {
    int64_t source[FX_MAX_RANK], strides[FX_MAX_RANK] = {0};
    fxi_shape_strides(operand, source);
    for (int i = 0; i < operand->rank; i++) {
        int64_t stride = source[i];
        if (node->op == FX_OP_BROADCAST_IN_DIM) {
            strides[fxi_node_ints(node, FXI_ATTR_AXES).v[i]] = operand->dims[i] == 1 ? 0 : stride;
        } else if (node->op == FX_OP_TRANSPOSE) {
            strides[i] = source[fxi_node_ints(node, FXI_ATTR_PERMUTATION).v[i]];
        } else if (node->op == FX_OP_SLICE) {
            view->offset += fxi_node_ints(node, FXI_ATTR_STARTS).v[i] * stride;
            strides[i] = fxi_node_ints(node, FXI_ATTR_STRIDES).v[i] * stride;
        } else {
            bool reversed = fxi_dims_has(fxi_node_ints(node, FXI_ATTR_AXES), i);
            view->offset += reversed ? (operand->dims[i] - 1) * stride : 0;
            strides[i] = reversed ? -stride : stride;
        }
    }
    for (int i = 0; i < node->shape.rank; i++) fxi_interp_add_axis(view, node->shape.dims[i], strides[i]);
}

bool fxi_interp_view(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    (void)err;
    int64_t count = fx_shape_size(&result->shape);
    if (count == 0) return true;
    fxi_interp_cursor view = {0};
    plan_view(node, &operands[0]->shape, &view);
    int64_t row = 1, stride = 1;
    if (view.rank > 0) {
        view.rank--; /* the innermost axis is copied as a run */
        row = view.dims[view.rank];
        stride = view.strides[view.rank];
    }
    for (int64_t i = 0; i < count; i += row) {
        copy_run(result, i, operands[0], view.offset, row, stride);
        fxi_interp_advance(&view);
    }
    return true;
}

/* ---- the others ---- */

bool fxi_interp_same_bytes(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                           fx_error *err) {
    if (result->bytes != operands[0]->bytes)
        return fxi_fail(err, FX_ERROR_INTERNAL, "interp: %s from %lld to %lld bytes",
                        fxi_op_info_of(node->op)->text, (long long)operands[0]->bytes,
                        (long long)result->bytes);
    if (result->bytes > 0) memcpy(result->data, operands[0]->data, (size_t)result->bytes);
    return true;
}

bool fxi_interp_concatenate(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                            fx_error *err) {
    (void)err;
    if (fx_shape_size(&result->shape) == 0) return true;
    const int64_t *dims = result->shape.dims;
    int64_t axis = fxi_node_int(node, FXI_ATTR_AXIS), outer = 1, inner = 1, done = 0;
    for (int i = 0; i < axis; i++) outer *= dims[i];
    for (int i = (int)axis + 1; i < result->shape.rank; i++) inner *= dims[i];
    for (uint32_t k = 0; k < node->operand_count; k++) {
        int64_t run = operands[k]->shape.dims[axis] * inner;
        if (run == 0) continue;
        for (int64_t o = 0; o < outer; o++)
            copy_run(result, o * dims[axis] * inner + done, operands[k], o * run, run, 1);
        done += run;
    }
    return true;
}

bool fxi_interp_iota(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    (void)operands;
    (void)err;
    int64_t axis = fxi_node_int(node, FXI_ATTR_AXIS), count = fx_shape_size(&result->shape), inner = 1;
    if (count == 0) return true;
    for (int i = (int)axis + 1; i < result->shape.rank; i++) inner *= result->shape.dims[i];
    for (int64_t i = 0; i < count; i++) {
        fxi_scalar index = {.i = i / inner % result->shape.dims[axis]};
        fxi_element_store(result->shape.dtype, result->data, i,
                          fxi_scalar_convert(index, FX_S64, result->shape.dtype));
    }
    return true;
}
