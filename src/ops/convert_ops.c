/* SPDX-License-Identifier: Apache-2.0 */
/* Builders that change the element type or its precision. */
#include "ops/ops.h"

static bool check_dtype(const fxi_build *b, fx_dtype dtype) {
    if (fx_dtype_is_valid(dtype)) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there is no dtype %d", (int)dtype);
    return false;
}

static fx_node *build_retyped(const char *name, fx_op op, fx_node *x, fx_dtype dtype) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, &x, 1) || !check_dtype(&b, dtype)) return b.stop;
    if (x->shape.dtype == dtype) return x;
    const fxi_attr attr = fxi_attr_dtype(dtype);
    return fxi_build_node(&b, op, &x, 1, &attr, 1, NULL);
}

fx_node *fx_convert(fx_node *x, fx_dtype dtype) {
    return build_retyped("fx_convert", FX_OP_CONVERT, x, dtype);
}

fx_node *fx_bitcast(fx_node *x, fx_dtype dtype) {
    return build_retyped("fx_bitcast", FX_OP_BITCAST, x, dtype);
}

fx_node *fx_reduce_precision(fx_node *x, int exponent_bits, int mantissa_bits) {
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_EXPONENT, exponent_bits),
                              fxi_attr_int(FXI_ATTR_MANTISSA, mantissa_bits)};
    return fxi_build_map("fx_reduce_precision", FX_OP_REDUCE_PRECISION, &x, 1, attrs, 2);
}
