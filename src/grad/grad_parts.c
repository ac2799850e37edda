/* SPDX-License-Identifier: Apache-2.0 */
/* What rules are made of. */
#include "grad_internal.h"
#include <math.h>

bool fxi_grad_carries(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype);
}

fx_dtype fxi_grad_dtype(fx_dtype dtype) {
    return fx_dtype_is_float(dtype) && fx_dtype_bits(dtype) == 8 ? FX_F32 : dtype;
}

bool fxi_grad_fits(const fx_node *value, const fx_shape *shape) {
    return value->op == FX_OP_INERT ||
           (fx_shape_equal_dims(&value->shape, shape) && value->shape.dtype == fxi_grad_dtype(shape->dtype));
}

fx_node *fxi_grad_sum(fx_node *x, fx_node *y) {
    if (!x || !y) return x ? x : y;
    fx_node *joined = fxi_grad_join_pads(x, y);
    for (int i = 0; !joined && x->op == FX_OP_ADD && i < 2; i++) {
        fx_node *part = fxi_grad_join_pads(x->operands[i], y), *rest = x->operands[1 - i];
        if (part) joined = fxi_grad_join_pads(rest, part);
        if (part && !joined) joined = fx_add(rest, part);
    }
    return joined ? joined : fx_add(x, y);
}

fx_node *fxi_grad_or_zeros(const fxi_build *b, fx_node *x, const fx_shape *shape) {
    fx_shape computed = *shape;
    computed.dtype = fxi_grad_dtype(shape->dtype);
    return x ? x : fx_zeros(b->graph, &computed);
}

fx_node *fxi_grad_conj(fx_node *x) {
    return x && fx_dtype_is_complex(x->shape.dtype) ? fx_conj(x) : x;
}

fx_node *fxi_grad_number(const fxi_build *b, const fx_node *x, double value) {
    return fxi_build_scalar(b->graph, x->shape.dtype, value);
}

fx_node *fxi_grad_seed(const fxi_build *b, fx_dtype dtype) {
    return fxi_build_scalar(b->graph, dtype, 1);
}

/* ---- products with partial derivatives ---- */

bool fxi_grad_splat(const fx_node *x, double *value) {
    while ((x->op == FX_OP_BROADCAST_IN_DIM || x->op == FX_OP_RESHAPE) && x->hidden) x = x->operands[0];
    if (!x->hidden) return false;
    if (x->op != FX_OP_CONSTANT || fx_shape_size(&x->shape) != 1) return false;
    const void *data = fx_tensor_data(fxi_node_attr(x, FXI_ATTR_VALUE)->u.tensor);
    const fxi_scalar scalar = fxi_element_load(x->shape.dtype, data, 0);
    *value = scalar.re;
    return fxi_grad_carries(x->shape.dtype) && scalar.im == 0;
}

/* Whether x is finite whatever its operands are: a constant, what was bool, a choice of such. */
static bool is_finite(const fx_node *x, int depth) {
    double value;
    if (fxi_grad_splat(x, &value)) return isfinite(value) != 0;
    if (x->op == FX_OP_CONVERT) return x->operands[0]->shape.dtype == FX_BOOL;
    return x->op == FX_OP_SELECT && depth > 0 && is_finite(x->operands[1], depth - 1) &&
           is_finite(x->operands[2], depth - 1);
}

fx_node *fxi_grad_filled(const fx_node *x, fx_dtype dtype, double value) {
    fx_node *scalar = fxi_build_scalar(x->graph, dtype, value),
            *wide = fx_broadcast_to_dims(scalar, (fx_dims){x->shape.dims, (size_t)x->shape.rank});
    if (wide) wide->hidden = true;
    return wide;
}

static fx_node *filled_like(const fx_node *x, double value) {
    return fxi_grad_filled(x, x->shape.dtype, value);
}

fx_node *fxi_grad_over(fx_node *value, fx_node *divisor) {
    double x, y;
    if (value && divisor && fxi_grad_splat(value, &x) && fxi_grad_splat(divisor, &y) && x != 0 && y != 0)
        return filled_like(value, x / y);
    return fx_strong_div(value, divisor);
}

fx_node *fxi_grad_times(fx_node *value, fx_node *partial) {
    double number, factor;
    if (value && partial) {
        bool are_constant = fxi_grad_splat(value, &number) && fxi_grad_splat(partial, &factor);
        if (are_constant && number != 0) return filled_like(value, number * factor);
        if (fxi_grad_splat(partial, &number) && number == 1) return value;
        bool is_constant = fxi_grad_splat(value, &number) && number != 0;
        if (is_constant && number == 1 && fx_shape_equal(&value->shape, &partial->shape)) return partial;
        if (is_constant || is_finite(partial, 4)) return fx_mul(value, partial);
    }
    return fx_strong_mul(value, partial);
}

fx_node *fxi_grad_unary(const fxi_build *b, fx_node *n, fxi_derivative f) {
    return fx_convert(f(b, fxi_build_wide(n->operands[0]), fxi_build_wide(n)), n->shape.dtype);
}

/* ---- wide dtypes, equality ---- */

fx_dtype fxi_grad_wide_dtype(fx_dtype dtype) {
    return fx_dtype_is_half(dtype) ? FX_F32 : dtype;
}

fx_node *fxi_grad_same(fx_node *x, fx_node *y) {
    fx_node *both_nan = fx_logical_and(fx_not_equal(x, x), fx_not_equal(y, y));
    return fx_logical_or(fx_equal(x, y), both_nan);
}

/* n's operands in a list of their own, where rules put tangents in their places. */
static fx_node **copy_operands(const fxi_jvp *j) {
    fx_node **copy = fxi_alloc_zeroed(j->n->operand_count + 1u, sizeof *copy);
    if (!copy) fxi_build_refuse(j->b, FX_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; copy && i < j->n->operand_count; i++) copy[i] = j->n->operands[i];
    return copy;
}

void fxi_jvp_linear(const fxi_jvp *j, uint32_t linear) {
    fx_node **operands = copy_operands(j);
    fx_shape shape = j->n->shape;
    shape.dtype = fxi_grad_dtype(shape.dtype);
    if (!operands) return;
    for (uint32_t i = 0; i < linear && i < j->n->operand_count; i++)
        operands[i] = fxi_grad_or_zeros(j->b, j->tangents[i], &j->n->operands[i]->shape);
    j->out[0] = fxi_build_like(j->b, j->n, operands, NULL, 0, &shape);
    fxi_free(operands);
}

void fxi_jvp_bilinear(const fxi_jvp *j) {
    fx_node **operands = copy_operands(j);
    for (uint32_t i = 0; operands && i < 2; i++) {
        if (!j->tangents[i]) continue;
        operands[i] = j->tangents[i];
        j->out[0] = fxi_grad_sum(j->out[0], fxi_build_like(j->b, j->n, operands, NULL, 0, &j->n->shape));
        operands[i] = j->n->operands[i];
    }
    fxi_free(operands);
}
