/* SPDX-License-Identifier: Apache-2.0 */
/* Complex operations that work part by part or by the plain formula. A product is ac - bd, ad + bc with four
 * roundings of products and two of sums: never contracted, and without C's recovery of infinities, as in
 * every tensor library. */
#include "emit_ops.h"

fxi_value fxi_emit_complex_neg(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    return (fxi_value){ir_fneg(e, x[0].re), ir_fneg(e, x[0].im)};
}

fxi_value fxi_emit_complex_real(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)e, (void)element;
    return ir_one(x[0].re);
}

fxi_value fxi_emit_complex_imag(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)e, (void)element;
    return ir_one(x[0].im);
}

fxi_value fxi_emit_complex_conj(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    return (fxi_value){x[0].re, ir_fneg(e, x[0].im)};
}

fxi_value fxi_emit_complex_add(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    return (fxi_value){ir_fadd(e, x[0].re, x[1].re), ir_fadd(e, x[0].im, x[1].im)};
}

fxi_value fxi_emit_complex_sub(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    return (fxi_value){ir_fsub(e, x[0].re, x[1].re), ir_fsub(e, x[0].im, x[1].im)};
}

fxi_value fxi_emit_complex_mul(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    (void)element;
    fxi_ir re = ir_fsub(e, ir_fmul(e, x[0].re, x[1].re), ir_fmul(e, x[0].im, x[1].im));
    fxi_ir im = ir_fadd(e, ir_fmul(e, x[0].re, x[1].im), ir_fmul(e, x[0].im, x[1].re));
    return (fxi_value){re, im};
}

/* Only equality has a meaning, and complex numbers have no total order. */
fxi_value fxi_emit_complex_compare(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    const fxi_element part = {.op = element->op,
                              .from = (uint8_t)fx_dtype_real((fx_dtype)element->from),
                              .to = element->to,
                              .word = element->word};
    fxi_ir re = fxi_emit_float_compare(e, &part, (fxi_value[]){ir_one(x[0].re), ir_one(x[1].re)}).re;
    fxi_ir im = fxi_emit_float_compare(e, &part, (fxi_value[]){ir_one(x[0].im), ir_one(x[1].im)}).re;
    return ir_one(element->word == FXI_NE ? ir_or(e, re, im) : ir_and(e, re, im));
}

static fxi_value strong(fxi_emit *e, const fxi_value *x, fxi_value result) {
    fxi_ir zero = LLVMConstNull(LLVMTypeOf(x->re));
    fxi_ir is_zero = ir_and(e, ir_fcmp(e, LLVMRealOEQ, x->re, zero), ir_fcmp(e, LLVMRealOEQ, x->im, zero));
    return (fxi_value){ir_select(e, is_zero, zero, result.re), ir_select(e, is_zero, zero, result.im)};
}

fxi_value fxi_emit_complex_strong_mul(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    return strong(e, x, fxi_emit_complex_mul(e, element, x));
}

fxi_value fxi_emit_complex_strong_div(fxi_emit *e, const fxi_element *element, const fxi_value *x) {
    fxi_element quotient = *element;
    quotient.op = FX_OP_DIV;
    return strong(e, x, fxi_emit_complex_function(e, &quotient, x));
}
