/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions in registers: one combining step, neutral elements, and the fixed tree over the lanes of a
 * vector. The order is the same on every ISA because `lanes` is, whatever the machine's registers hold. Sums
 * and products of half types are kept in f32 by calling the emitters below the dispatcher's rounding. */
#include "emit_ops.h"

#include <math.h>

typedef struct step_row {
    fxi_emit_op boolean, integer, real, complex;
} step_row;

static const step_row steps[FXI_REDUCE_KINDS] = {
    [FXI_SUM] = {fxi_emit_int_or, fxi_emit_int_add, fxi_emit_float_add, fxi_emit_complex_add},
    [FXI_PRODUCT] = {fxi_emit_int_and, fxi_emit_int_mul, fxi_emit_float_mul, fxi_emit_complex_mul},
    [FXI_MAX] = {fxi_emit_int_or, fxi_emit_int_max, fxi_emit_float_max_op, NULL},
    [FXI_MIN] = {fxi_emit_int_and, fxi_emit_int_min, fxi_emit_float_min_op, NULL},
    [FXI_AND] = {fxi_emit_int_and, fxi_emit_int_and, NULL, NULL},
    [FXI_OR] = {fxi_emit_int_or, fxi_emit_int_or, NULL, NULL},
    [FXI_XOR] = {fxi_emit_int_xor, fxi_emit_int_xor, NULL, NULL},
};

fxi_value fxi_emit_reduce_step(fxi_emit *e, fxi_reduce_kind kind, fx_dtype dtype, fxi_value a, fxi_value b) {
    const fxi_element element = {.from = (uint8_t)dtype, .to = (uint8_t)dtype};
    const step_row *row = &steps[kind];
    fxi_emit_op step = dtype == FX_BOOL             ? row->boolean
                       : fx_dtype_is_integer(dtype) ? row->integer
                                                    : row->real;
    if (fx_dtype_is_complex(dtype)) step = row->complex;
    return step(e, &element, (fxi_value[]){a, b});
}

static fxi_ir neutral_float(fxi_emit *e, fxi_reduce_kind kind, unsigned bits) {
    static const double values[FXI_REDUCE_KINDS] = {
        [FXI_PRODUCT] = 1.0, [FXI_MAX] = -(double)INFINITY, [FXI_MIN] = (double)INFINITY};
    return ir_real(e, bits, values[kind]);
}

/* All the neutral elements of integers are 0, 1, all ones, or an end of the range. */
static fxi_ir neutral_integer(fxi_emit *e, fxi_reduce_kind kind, fx_dtype dtype) {
    int width = fx_dtype_bits(dtype);
    bool is_signed = fx_dtype_is_signed(dtype);
    uint64_t value = 0;
    if (kind == FXI_PRODUCT)
        value = 1;
    else if (kind == FXI_AND || (kind == FXI_MIN && !is_signed))
        value = UINT64_MAX;
    else if (kind == FXI_MIN)
        value = ((uint64_t)1 << (width - 1)) - 1;
    else if (kind == FXI_MAX && is_signed)
        value = (uint64_t)1 << (width - 1);
    return fxi_emit_wrap(e, dtype, fxi_emit_int(e, ir_int_bits(dtype), value));
}

fxi_value fxi_emit_reduce_neutral(fxi_emit *e, fxi_reduce_kind kind, fx_dtype dtype) {
    if (dtype == FX_BOOL)
        return ir_one(fxi_emit_int(e, 1, kind == FXI_PRODUCT || kind == FXI_MIN || kind == FXI_AND));
    if (fx_dtype_is_integer(dtype)) return ir_one(neutral_integer(e, kind, dtype));
    fxi_value value = ir_one(neutral_float(e, kind, ir_float_bits(dtype)));
    if (fx_dtype_is_complex(dtype)) value.im = ir_real(e, ir_float_bits(dtype), 0.0);
    return value;
}

/* Lanes [first, first + count) as a vector of that length (a scalar when count is 1). */
static fxi_ir lanes_of(fxi_emit *e, fxi_ir vector, unsigned first, unsigned count) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef indices[512];
    if (vector == NULL) return NULL;
    if (count == 1) return LLVMBuildExtractElement(e->builder, vector, LLVMConstInt(i32, first, false), "");
    for (unsigned i = 0; i < count && i < 512; i++) indices[i] = LLVMConstInt(i32, first + i, false);
    return LLVMBuildShuffleVector(e->builder, vector, vector, LLVMConstVector(indices, count), "");
}

fxi_value fxi_emit_reduce_lanes(fxi_emit *e, fxi_reduce_kind kind, fx_dtype dtype, fxi_value vector) {
    unsigned lanes = e->lanes;
    while (e->lanes > 1) {
        unsigned half = e->lanes / 2;
        fxi_value low = {lanes_of(e, vector.re, 0, half), lanes_of(e, vector.im, 0, half)};
        fxi_value high = {lanes_of(e, vector.re, half, half), lanes_of(e, vector.im, half, half)};
        e->lanes = half;
        vector = fxi_emit_reduce_step(e, kind, dtype, low, high);
    }
    e->lanes = lanes;
    return vector;
}
