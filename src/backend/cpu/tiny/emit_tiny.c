/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a small closure as vector values (tiny.h). A tensor lies in the first lanes of its vector in
 * row-major order; what the further lanes hold is of no consequence, but it is always computed from
 * elements of the tensor, so that no lane meets operands that the tensor does not have. The emitter's
 * lanes change with every node. */
#include "../emit/emit_ops.h"
#include "tiny.h"
#include <string.h>

/* ---- shuffles ---- */

/* Lanes of a vector (or the scalar) as a vector of `count` lanes (or a scalar). */
static LLVMValueRef pick(fxi_emit *e, LLVMValueRef x, unsigned lanes, const int64_t *from, unsigned count) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    if (!x) return NULL;
    if (lanes == 1) {
        e->lanes = count;
        return fxi_emit_splat(e, x);
    }
    if (count == 1)
        return LLVMBuildExtractElement(e->builder, x, LLVMConstInt(i32, (uint64_t)from[0], false), "");
    LLVMValueRef mask[FXI_TINY_ELEMENTS];
    for (unsigned i = 0; i < count; i++) mask[i] = LLVMConstInt(i32, (uint64_t)from[i], false);
    return LLVMBuildShuffleVector(e->builder, x, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(mask, count),
                                  "");
}

static fxi_value pick_value(fxi_emit *e, fxi_value x, unsigned lanes, const int64_t *from, unsigned count) {
    return (fxi_value){pick(e, x.re, lanes, from, count), pick(e, x.im, lanes, from, count)};
}

/* ---- constants ---- */

static fxi_value one_constant(fxi_emit *e, fx_dtype dtype, fxi_scalar value) {
    _Alignas(16) unsigned char bytes[16] = {0};
    fxi_element_store(dtype, bytes, 0, value);
    e->lanes = 1;
    return fxi_emit_constant(e, dtype, bytes);
}

static fxi_scalar constant_element(const fx_node *n, int64_t i) {
    if (n->op == FX_OP_CONSTANT)
        return fxi_element_load(n->shape.dtype, fxi_node_attr(n, FXI_ATTR_VALUE)->u.tensor->data, i);
    fxi_scalar at = {.i = fxi_tiny_unflatten(&n->shape, i).v[fxi_node_int(n, FXI_ATTR_AXIS)]};
    return fxi_scalar_convert(at, FX_S64, n->shape.dtype);
}

static LLVMValueRef with_lane(fxi_emit *e, LLVMValueRef vector, LLVMValueRef scalar, unsigned lane,
                              unsigned lanes) {
    if (!scalar) return NULL;
    e->lanes = lanes;
    if (!vector) vector = LLVMGetPoison(fxi_emit_vector_of(e, LLVMTypeOf(scalar)));
    LLVMValueRef at = LLVMConstInt(LLVMInt32TypeInContext(e->context), lane, false);
    return LLVMBuildInsertElement(e->builder, vector, scalar, at, "");
}

/* Lanes beyond the tensor repeat its first element. */
static fxi_value emit_constant(fxi_emit *e, const fx_node *n) {
    unsigned lanes = fxi_tiny_lanes(&n->shape);
    int64_t size = fx_shape_size(&n->shape);
    fxi_value vector = {NULL, NULL};
    for (unsigned i = 0; i < lanes; i++) {
        fxi_value one = one_constant(e, n->shape.dtype, constant_element(n, i < size ? (int64_t)i : 0));
        if (lanes == 1) return one;
        vector.re = with_lane(e, vector.re, one.re, i, lanes);
        vector.im = with_lane(e, vector.im, one.im, i, lanes);
    }
    return vector;
}

/* ---- moves ---- */

static fxi_value operand(const fx_node *n, uint32_t k, const fxi_value *values) {
    return values[n->operands[k]->id];
}

static fxi_value emit_move(fxi_emit *e, const fx_node *n, const fxi_value *values) {
    unsigned lanes = fxi_tiny_lanes(&n->shape);
    int64_t from[FXI_TINY_ELEMENTS], size = fx_shape_size(&n->shape);
    for (unsigned i = 0; i < lanes; i++) from[i] = fxi_tiny_moved_from(n, i < size ? (int64_t)i : 0);
    return pick_value(e, operand(n, 0, values), fxi_tiny_lanes(&n->operands[0]->shape), from, lanes);
}

/* Takes the lanes of b where `second` says so. */
static LLVMValueRef blend(fxi_emit *e, LLVMValueRef a, LLVMValueRef b, const bool *second, unsigned lanes) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef mask[FXI_TINY_ELEMENTS];
    if (!a || !b) return b;
    for (unsigned i = 0; i < lanes; i++) mask[i] = LLVMConstInt(i32, second[i] ? lanes + i : i, false);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(mask, lanes), "");
}

static fxi_value emit_concatenate(fxi_emit *e, const fx_node *n, const fxi_value *values) {
    int axis = (int)fxi_node_int(n, FXI_ATTR_AXIS);
    unsigned lanes = fxi_tiny_lanes(&n->shape);
    int64_t first = 0, size = fx_shape_size(&n->shape);
    fxi_value result = {NULL, NULL};
    for (uint32_t k = 0; k < n->operand_count; k++) {
        const fx_shape *x = &n->operands[k]->shape;
        int64_t from[FXI_TINY_ELEMENTS] = {0};
        bool here[FXI_TINY_ELEMENTS] = {false};
        for (unsigned i = 0; i < lanes && i < size; i++) {
            fxi_tiny_index at = fxi_tiny_unflatten(&n->shape, i);
            at.v[axis] -= first;
            here[i] = at.v[axis] >= 0 && at.v[axis] < x->dims[axis];
            if (here[i]) from[i] = fxi_tiny_flatten(x, &at);
        }
        fxi_value part = pick_value(e, operand(n, k, values), fxi_tiny_lanes(x), from, lanes);
        if (lanes == 1) return part; /* one element, and no operand is empty */
        result =
            (fxi_value){blend(e, result.re, part.re, here, lanes), blend(e, result.im, part.im, here, lanes)};
        first += x->dims[axis];
    }
    return result;
}

/* ---- reductions and products ---- */

static fx_dtype carried(fx_dtype dtype) { return dtype == FX_F16 || dtype == FX_BF16 ? FX_F32 : dtype; }

/* All elements into one: neutral elements fill the vector, whose halves are combined. */
static fxi_value reduce_all(fxi_emit *e, const fx_node *n, fxi_value x, fxi_reduce_kind kind,
                            fx_dtype dtype) {
    unsigned lanes = fxi_tiny_lanes(&n->operands[0]->shape);
    int64_t size = fx_shape_size(&n->operands[0]->shape);
    bool beyond[FXI_TINY_ELEMENTS];
    e->lanes = lanes;
    fxi_value neutral = fxi_emit_reduce_neutral(e, kind, dtype);
    for (unsigned i = 0; i < lanes; i++) beyond[i] = i >= size;
    x = (fxi_value){blend(e, x.re, neutral.re, beyond, lanes),
                    x.im ? blend(e, x.im, neutral.im, beyond, lanes) : NULL};
    return fxi_emit_reduce_lanes(e, kind, dtype, x);
}

/* Several results: the elements of each step as one vector, combined in pairs. */
static fxi_value reduce_some(fxi_emit *e, const fx_node *n, fxi_value x, fxi_reduce_kind kind,
                             fx_dtype dtype) {
    unsigned lanes = fxi_tiny_lanes(&n->shape), wide = fxi_tiny_lanes(&n->operands[0]->shape);
    int64_t size = fx_shape_size(&n->shape), steps = fxi_tiny_reduced(n);
    fxi_value parts[FXI_TINY_ELEMENTS];
    for (int64_t s = 0; s < steps; s++) {
        int64_t from[FXI_TINY_ELEMENTS];
        for (unsigned i = 0; i < lanes; i++) from[i] = fxi_tiny_reduced_from(n, i < size ? (int64_t)i : 0, s);
        parts[s] = pick_value(e, x, wide, from, lanes);
    }
    e->lanes = lanes;
    for (int64_t width = 1; width < steps; width *= 2)
        for (int64_t s = 0; s + width < steps; s += 2 * width)
            parts[s] = fxi_emit_reduce_step(e, kind, dtype, parts[s], parts[s + width]);
    return parts[0];
}

static fxi_value emit_reduce(fxi_emit *e, const fx_node *n, const fxi_value *values) {
    fxi_reduce_kind kind = (fxi_reduce_kind)fxi_node_int(n, FXI_ATTR_KIND);
    fx_dtype dtype = carried(n->shape.dtype);
    fxi_value x = operand(n, 0, values);
    bool whole = fx_shape_size(&n->shape) == 1 && fxi_tiny_reduced(n) > 1;
    x = whole ? reduce_all(e, n, x, kind, dtype) : reduce_some(e, n, x, kind, dtype);
    e->lanes = fxi_tiny_lanes(&n->shape);
    /* sums begin with +0 everywhere: of nothing but -0 they are +0 */
    if (kind == FXI_SUM) x = fxi_emit_reduce_step(e, kind, dtype, x, fxi_emit_reduce_neutral(e, kind, dtype));
    return fxi_emit_round(e, n->shape.dtype, x);
}

/* Sums of products in the order of the contracted axes, as a matrix product's micro-kernel forms them. */
static fxi_value emit_dot(fxi_emit *e, const fx_node *n, const fxi_value *values) {
    unsigned lanes = fxi_tiny_lanes(&n->shape), wide[2];
    int64_t size = fx_shape_size(&n->shape);
    bool is_float = fx_dtype_is_float(n->shape.dtype);
    for (int k = 0; k < 2; k++) wide[k] = fxi_tiny_lanes(&n->operands[k]->shape);
    e->lanes = lanes;
    LLVMValueRef sum = fxi_emit_reduce_neutral(e, FXI_SUM, n->shape.dtype).re;
    for (int64_t s = 0; s < fxi_tiny_contracted(n); s++) {
        int64_t from[2][FXI_TINY_ELEMENTS];
        for (unsigned i = 0; i < lanes; i++)
            fxi_tiny_multiplied(n, i < size ? (int64_t)i : 0, s, &from[0][i], &from[1][i]);
        LLVMValueRef a = pick(e, operand(n, 0, values).re, wide[0], from[0], lanes);
        LLVMValueRef b = pick(e, operand(n, 1, values).re, wide[1], from[1], lanes);
        e->lanes = lanes;
        if (is_float) {
            sum = fxi_emit_intrinsic(e, "llvm.fma", LLVMTypeOf(a), (LLVMValueRef[]){a, b, sum}, 3);
        } else {
            fxi_value product = fxi_emit_reduce_step(e, FXI_PRODUCT, n->shape.dtype, ir_one(a), ir_one(b));
            sum = fxi_emit_reduce_step(e, FXI_SUM, n->shape.dtype, ir_one(sum), product).re;
        }
    }
    return ir_one(sum);
}

/* ---- the graph ---- */

static fxi_value emit_map(fxi_emit *e, const fx_node *n, const fxi_value *values) {
    fxi_element element = fxi_element_of(n);
    fxi_value operands[FXI_MAP_OPERANDS];
    for (uint32_t k = 0; k < n->operand_count && k < FXI_MAP_OPERANDS; k++)
        operands[k] = operand(n, k, values);
    e->lanes = fxi_tiny_lanes(&n->shape);
    return fxi_emit_element(e, &element, operands);
}

static fxi_value emit_node(fxi_emit *e, const fx_node *n, const fxi_value *values) {
    if (fxi_op_is_map(n->op)) return emit_map(e, n, values);
    switch (n->op) {
    case FX_OP_CONSTANT:
    case FX_OP_IOTA: return emit_constant(e, n);
    case FX_OP_RESHAPE: return operand(n, 0, values);
    case FX_OP_CONCATENATE: return emit_concatenate(e, n, values);
    case FX_OP_REDUCE: return emit_reduce(e, n, values);
    case FX_OP_DOT_GENERAL: return emit_dot(e, n, values);
    default: return emit_move(e, n, values);
    }
}

void fxi_emit_tiny(fxi_emit *e, const fx_graph *graph, fxi_value *values) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const fx_node *n = graph->nodes.data[i];
        if (n->op != FX_OP_PARAMETER) values[i] = emit_node(e, n, values);
    }
}
