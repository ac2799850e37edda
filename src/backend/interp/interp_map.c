/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise nodes: load, compute by the one scalar meaning (ops/element.c), store. Three cases work on
 * bits instead, because a detour through double would quiet a signaling NaN: selection, conversion to the
 * same dtype, and negation and magnitude of floats, which change the sign bit only. */
#include "interp_internal.h"
#include "ops/ops.h"
#include <string.h>

/* ---- on bits ---- */

#define CHANGE_SIGN(type)                                                          \
    for (int64_t i = 0; i < count; i++) {                                          \
        type bits;                                                                 \
        memcpy(&bits, (const char *)from + i * (int64_t)sizeof bits, sizeof bits); \
        type sign = (type)((type)1 << (8 * sizeof bits - 1));                      \
        bits = (type)(clear ? bits & (type)~sign : bits ^ sign);                   \
        memcpy((char *)to + i * (int64_t)sizeof bits, &bits, sizeof bits);         \
    }                                                                              \
    break

/* Clears or flips the sign of `count` floats of `size` bytes. */
static void change_sign(void *to, const void *from, int64_t count, int size, bool clear) {
    switch (size) {
    case 2: CHANGE_SIGN(uint16_t);
    case 4: CHANGE_SIGN(uint32_t);
    default: CHANGE_SIGN(uint64_t);
    }
}

static void select_bytes(fx_tensor *const *operands, fx_tensor *result, int64_t count, size_t size) {
    const uint8_t *predicate = operands[0]->data;
    const char *yes = operands[1]->data, *no = operands[2]->data;
    char *to = result->data;
    for (int64_t i = 0; i < count; i++) {
        size_t at = (size_t)i * size;
        memcpy(to + at, (predicate[i] ? yes : no) + at, size);
    }
}

/* True when the node was one of the cases that must not touch the values. */
static bool map_bits(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, int64_t count) {
    fx_dtype dtype = operands[0]->shape.dtype;
    bool is_complex = fx_dtype_is_complex(dtype), is_float = fx_dtype_is_float(dtype) || is_complex;
    if ((node->op == FX_OP_NEG && is_float) || (node->op == FX_OP_ABS && is_float && !is_complex)) {
        int size = fx_dtype_bits(fx_dtype_real(dtype)) / 8;
        change_sign(result->data, operands[0]->data, is_complex ? 2 * count : count, size,
                    node->op == FX_OP_ABS);
        return true;
    }
    if (node->op == FX_OP_SELECT && fx_dtype_bits(result->shape.dtype) >= 8) {
        select_bytes(operands, result, count, (size_t)fx_dtype_bits(result->shape.dtype) / 8);
        return true;
    }
    if (node->op == FX_OP_CONVERT && dtype == result->shape.dtype) {
        memcpy(result->data, operands[0]->data, (size_t)result->bytes);
        return true;
    }
    return false;
}

/* ---- on values ---- */

bool fxi_interp_map(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    int64_t count = fx_shape_size(&result->shape);
    if (node->operand_count > FXI_MAP_OPERANDS)
        return fxi_fail(err, FX_ERROR_INTERNAL, "interp: %s has %u operands", fxi_op_info_of(node->op)->text,
                        node->operand_count);
    if (count == 0 || map_bits(node, operands, result, count)) return true;
    fx_dtype dtypes[FXI_MAP_OPERANDS] = {FX_INVALID_DTYPE}, to = result->shape.dtype;
    for (uint32_t k = 0; k < node->operand_count; k++) dtypes[k] = operands[k]->shape.dtype;
    for (int64_t i = 0; i < count; i++) {
        fxi_scalar values[FXI_MAP_OPERANDS];
        for (uint32_t k = 0; k < node->operand_count; k++)
            values[k] = fxi_element_load(dtypes[k], operands[k]->data, i);
        fxi_element_store(to, result->data, i, fxi_map_element(node, values));
    }
    return true;
}
