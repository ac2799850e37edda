/* SPDX-License-Identifier: Apache-2.0 */
/* Quantization of activations inside a graph, element by element, as ONNX's QuantizeLinear, DequantizeLinear
 * and DynamicQuantizeLinear say: round to nearest, ties to even, then the zero point, then
 * saturation. Half types are computed in float32, so that a quotient is not rounded to a tie before it is
 * rounded to an integer. */
#include "quantize_internal.h"

enum { MOST_BITS = 16 }; /* of quantized integers: float32 holds them, sums with a zero point too */

static bool check_integer(const fxi_build *b, const char *what, fx_dtype dtype) {
    if (fx_dtype_is_integer(dtype) && fx_dtype_bits(dtype) <= MOST_BITS) return true;
    fxi_build_refuse(b, FX_ERROR_DTYPE, "%s %s: an integer of at most 16 bits is wanted", what,
                     fx_dtype_name(dtype));
    return false;
}

static bool check_zero(const fxi_build *b, const fx_node *zero_point, fx_dtype dtype) {
    if (!zero_point || zero_point->shape.dtype == dtype) return true;
    fxi_build_refuse(b, FX_ERROR_DTYPE, "zero_point is %s, the quantized values %s",
                     fx_dtype_name(zero_point->shape.dtype), fx_dtype_name(dtype));
    return false;
}

fx_node *fx_quantize_linear(fx_node *x, fx_node *scale, fx_node *zero_point, fx_dtype dtype) {
    fxi_build b;
    fx_node *in[3] = {x, scale, zero_point};
    if (!fxi_build_begin_roles(&b, "fx_quantize_linear", in, zero_point ? 3 : 2,
                               FXI_ROLES("x", "scale", "zero_point")))
        return b.stop;
    if (!fxi_build_floats(&b, x, "quantization", FX_OP_ERF) || !fxi_build_same(&b, x, scale)) return b.stop;
    if (!check_integer(&b, "dtype", dtype) || !check_zero(&b, zero_point, dtype)) return b.stop;
    fx_node *steps = fx_round(fx_div(fxi_build_wide(x), fxi_build_wide(scale)));
    if (zero_point) steps = fx_add(steps, fx_convert(zero_point, steps->shape.dtype));
    return fx_convert(steps, dtype);
}

fx_node *fx_dequantize_linear(fx_node *q, fx_node *scale, fx_node *zero_point) {
    fxi_build b;
    fx_node *in[3] = {q, scale, zero_point};
    if (!fxi_build_begin_roles(&b, "fx_dequantize_linear", in, zero_point ? 3 : 2,
                               FXI_ROLES("q", "scale", "zero_point")))
        return b.stop;
    if (!check_integer(&b, "q is", q->shape.dtype) || !check_zero(&b, zero_point, q->shape.dtype))
        return b.stop;
    if (!fxi_build_floats(&b, scale, "quantization", FX_OP_ERF)) return b.stop;
    fx_node *wide = fxi_build_wide(scale), *steps = fx_convert(q, wide->shape.dtype);
    if (zero_point) steps = fx_sub(steps, fx_convert(zero_point, wide->shape.dtype));
    return fx_convert(fx_mul(steps, wide), scale->shape.dtype);
}

fx_node *fx_quantize_dynamic(fx_node *x, fx_node **results) {
    fxi_build b;
    fx_node *own[3], **r = results ? results : own;
    bool ok = fxi_build_begin(&b, "fx_quantize_dynamic", &x, 1);
    r[0] = r[1] = r[2] = b.stop;
    if (!ok) return b.stop;
    if (x->shape.dtype != FX_F32)
        return fxi_build_refuse(&b, FX_ERROR_DTYPE, "x is %s: float32 is wanted (fx_convert)",
                                fx_dtype_name(x->shape.dtype));
    fx_node *low = fx_min_scalar(fx_reduce_all_min(x), 0), *high = fx_max_scalar(fx_reduce_all_max(x), 0);
    fx_node *step = fx_div_scalar(fx_sub(high, low), 255);
    fx_node *zero = fx_scalar_zero(x->graph, FX_F32), *one = fx_scalar_one(x->graph, FX_F32);
    r[1] = fx_select(fx_equal(step, zero), one, step);
    r[2] = fx_convert(fx_round(fx_div(fx_neg(low), r[1])), FX_U8);
    r[0] = fx_quantize_linear(x, r[1], r[2], FX_U8);
    return r[0];
}
