/* SPDX-License-Identifier: Apache-2.0 */
/* Constants and iota. A constant tensor is copied, so that a program never depends on what becomes of the
 * caller's memory; whole shapes of one value are a broadcast scalar. fx_scalar converts, as its caller names
 * the dtype; a number that takes its dtype from elsewhere must fit into it, because a product with 0.5 that
 * silently is one with 0 helps nobody. */
#include "ops/ops.h"
#include <math.h>
#include <string.h>

/* Takes over the reference; a NULL tensor stands for the failure in err. */
static fx_node *constant_of(const fxi_build *b, fx_tensor *tensor, const fx_error *err) {
    if (!tensor) return fxi_build_refuse(b, err->code, "%s", err->message);
    fxi_attr attr = {.id = FXI_ATTR_VALUE};
    attr.u.tensor = tensor;
    tensor->read_only = true;
    fx_node *node = fxi_build_node(b, FX_OP_CONSTANT, NULL, 0, &attr, 1, NULL);
    fx_tensor_free(tensor);
    return node;
}

fx_node *fx_constant(fx_graph *graph, const fx_tensor *tensor) {
    fxi_build b;
    fx_error err = {.code = FX_OK};
    if (!fxi_build_begin_leaf(&b, "fx_constant", graph)) return b.stop;
    if (!fx_tensor_is_valid(tensor))
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the tensor %s",
                                tensor ? "was donated to a call" : "is NULL");
    if (!fx_tensor_fetch(tensor, &err)) return constant_of(&b, NULL, &err);
    return constant_of(&b, fx_tensor_copy_from(&tensor->shape, tensor->data, &err), &err);
}

fx_node *fx_constant_host(fx_graph *graph, fx_host host) {
    fxi_build b;
    fx_error err = {.code = FX_OK};
    if (!fxi_build_begin_leaf(&b, "fx_constant_host", graph)) return b.stop;
    return constant_of(&b, fx_tensor_from(host, &err), &err);
}

/* ---- scalars ---- */

static bool begin_typed(fxi_build *b, const char *name, fx_graph *graph, fx_dtype dtype) {
    if (!fxi_build_begin_leaf(b, name, graph)) return false;
    if (fx_dtype_is_valid(dtype)) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there is no dtype %d", (int)dtype);
    return false;
}

static fx_node *scalar_double(const char *name, fx_graph *graph, fx_dtype dtype, double value) {
    fxi_build b;
    fx_error err = {.code = FX_OK};
    if (!begin_typed(&b, name, graph, dtype)) return b.stop;
    return constant_of(&b, fx_tensor_scalar(dtype, value, &err), &err);
}

static fx_node *scalar_int(const char *name, fx_graph *graph, fx_dtype dtype, int64_t value) {
    fxi_build b;
    fx_error err = {.code = FX_OK};
    if (!begin_typed(&b, name, graph, dtype)) return b.stop;
    return constant_of(&b, fx_tensor_scalar_int(dtype, value, &err), &err);
}

fx_node *fx_scalar(fx_graph *graph, fx_dtype dtype, double value) {
    return scalar_double("fx_scalar", graph, dtype, value);
}

fx_node *fxi_build_scalar(fx_graph *graph, fx_dtype dtype, double value) {
    fx_node *node = fx_scalar(graph, dtype, value);
    if (node) node->hidden = true;
    return node;
}

fx_node *fx_scalar_int(fx_graph *graph, fx_dtype dtype, int64_t value) {
    return scalar_int("fx_scalar_int", graph, dtype, value);
}

fx_node *fx_scalar_zero(fx_graph *graph, fx_dtype dtype) {
    return scalar_int("fx_scalar_zero", graph, dtype, 0);
}

fx_node *fx_scalar_one(fx_graph *graph, fx_dtype dtype) {
    return scalar_int("fx_scalar_one", graph, dtype, 1);
}

/* ---- numbers that must fit ---- */

static bool holds_integer(fx_dtype dtype, int64_t value) {
    if (dtype == FX_BOOL) return value == 0 || value == 1;
    int bits = fx_dtype_bits(dtype);
    if (fx_dtype_is_unsigned(dtype)) return value >= 0 && (bits == 64 || value >> bits == 0);
    return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
}

/* A double is compared with powers of two, which it holds exactly. */
static bool holds_double(fx_dtype dtype, double value) {
    if (!(value == trunc(value))) return false;
    if (dtype == FX_BOOL) return value == 0 || value == 1;
    int bits = fx_dtype_bits(dtype) - fx_dtype_is_signed(dtype);
    double limit = ldexp(1, bits);
    return value < limit && value >= (fx_dtype_is_signed(dtype) ? -limit : 0);
}

/* Whether rounding kept a finite number finite, an infinity infinite. */
static bool holds_rounded(const fx_tensor *tensor, double value) {
    double rounded = fxi_element_load(tensor->shape.dtype, tensor->data, 0).re;
    return (isfinite(rounded) || !isfinite(value)) && (!isnan(rounded) || isnan(value));
}

static bool is_exact(fx_dtype dtype) {
    return dtype == FX_BOOL || fx_dtype_is_integer(dtype);
}

static const char *how_to_hold(fx_dtype dtype) {
    return dtype == FX_BOOL             ? "only 0 and 1"
           : fx_dtype_is_integer(dtype) ? "whole numbers in its range only"
                                        : "its largest number is smaller";
}

static fx_node *number_of(const fxi_build *b, fx_tensor *tensor, double value, const fx_error *err) {
    if (!tensor || is_exact(tensor->shape.dtype) || holds_rounded(tensor, value)) {
        fx_node *node = constant_of(b, tensor, err);
        if (node) node->hidden = true;
        return node;
    }
    fx_dtype dtype = tensor->shape.dtype;
    fx_tensor_free(tensor);
    return fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%s cannot hold %.15g: %s", fx_dtype_name(dtype), value,
                            how_to_hold(dtype));
}

fx_node *fxi_build_number(const fxi_build *b, fx_dtype dtype, double value) {
    fx_error err = {.code = FX_OK};
    if (is_exact(dtype) && !holds_double(dtype, value))
        return fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%s cannot hold %.15g: %s", fx_dtype_name(dtype),
                                value, how_to_hold(dtype));
    return number_of(b, fx_tensor_scalar(dtype, value, &err), value, &err);
}

fx_node *fxi_build_integer(const fxi_build *b, fx_dtype dtype, int64_t value) {
    fx_error err = {.code = FX_OK};
    if (is_exact(dtype) && !holds_integer(dtype, value))
        return fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%s cannot hold %lld: %s", fx_dtype_name(dtype),
                                (long long)value, how_to_hold(dtype));
    return number_of(b, fx_tensor_scalar_int(dtype, value, &err), (double)value, &err);
}

fx_node *fx_infinity(fx_graph *graph, fx_dtype dtype, int sign) {
    fxi_build b;
    fx_error err = {.code = FX_OK};
    if (!begin_typed(&b, "fx_infinity", graph, dtype)) return b.stop;
    if (sign != 1 && sign != -1)
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the sign is %d; it must be 1 or -1", sign);
    const fx_shape shape = fxi_shape_scalar(dtype);
    const fx_shape *shapes[] = {&shape};
    const fxi_shape_args args = {.name = b.name, .op = FX_OP_REM, .operands = shapes, .operand_count = 1};
    if (!fxi_dtypes_check(&args, &err)) return fxi_build_fail(graph, err.code, "%s", err.message);
    fx_tensor *tensor = fx_tensor_new(&shape, &err);
    if (tensor)
        fxi_element_store(dtype, tensor->data, 0,
                          sign > 0 ? fxi_dtype_highest(dtype) : fxi_dtype_lowest(dtype));
    return constant_of(&b, tensor, &err);
}

/* ---- whole shapes ---- */

static bool begin_shaped(fxi_build *b, const char *name, fx_graph *graph, const fx_shape *shape) {
    if (!fxi_build_begin_leaf(b, name, graph)) return false;
    if (fx_shape_is_valid(shape)) return true;
    const fxi_shape_fault fault = fxi_shape_fault_of(shape);
    fxi_build_refuse(b, fault.code, "the shape %s", fault.text);
    return false;
}

static fx_node *filled(const char *name, fx_graph *graph, const fx_shape *shape, double value) {
    fxi_build b;
    if (!begin_shaped(&b, name, graph, shape)) return b.stop;
    fx_node *scalar = fxi_build_number(&b, shape->dtype, value);
    if (scalar->op == FX_OP_INERT) return scalar;
    scalar->hidden = shape->rank > 0; /* else it is what the caller gets */
    return fxi_build_broadcast(&b, scalar, shape, (fx_dims){NULL, 0});
}

fx_node *fx_fill_scalar(fx_graph *graph, const fx_shape *shape, double value) {
    return filled("fx_fill_scalar", graph, shape, value);
}

fx_node *fx_zeros(fx_graph *graph, const fx_shape *shape) {
    return filled("fx_zeros", graph, shape, 0);
}
fx_node *fx_ones(fx_graph *graph, const fx_shape *shape) {
    return filled("fx_ones", graph, shape, 1);
}

fx_node *fx_zeros_like(fx_node *x) {
    fxi_build b;
    return fxi_build_begin(&b, "fx_zeros_like", &x, 1) ? filled(b.name, b.graph, &x->shape, 0) : b.stop;
}

fx_node *fx_ones_like(fx_node *x) {
    fxi_build b;
    return fxi_build_begin(&b, "fx_ones_like", &x, 1) ? filled(b.name, b.graph, &x->shape, 1) : b.stop;
}

/* ---- iota ---- */

fx_node *fx_iota(fx_graph *graph, const fx_shape *shape, int axis) {
    fxi_build b;
    if (!begin_shaped(&b, "fx_iota", graph, shape)) return b.stop;
    int normalized = fxi_axis_normalize(axis, shape->rank);
    if (normalized < 0)
        return fxi_build_refuse(&b, FX_ERROR_AXIS, "axis %d is out of range for %s (rank %d)", axis,
                                fx_shape_to_text(shape).s, shape->rank);
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_AXIS, normalized);
    return fxi_build_node(&b, FX_OP_IOTA, NULL, 0, &attr, 1, shape);
}

fx_node *fx_iota_full(fx_graph *graph, const fx_shape *shape) {
    fxi_build b;
    if (!begin_shaped(&b, "fx_iota_full", graph, shape)) return b.stop;
    int64_t size = fx_shape_size(shape);
    if (size < 0)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s has too many elements", fx_shape_to_text(shape).s);
    const fx_shape flat = fx_shape_make(shape->dtype, &size, 1);
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_AXIS, 0);
    fx_node *index = fxi_build_node(&b, FX_OP_IOTA, NULL, 0, &attr, 1, &flat);
    if (index->op == FX_OP_INERT || shape->rank == 1) return index;
    return fxi_build_node(&b, FX_OP_RESHAPE, &index, 1, NULL, 0, shape);
}
