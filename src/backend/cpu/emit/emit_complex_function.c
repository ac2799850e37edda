/* SPDX-License-Identifier: Apache-2.0 */
/* Complex functions: the table, and the step from operands to one shared function per operation.
 *
 * All of them are computed in f64, whatever the dtype: that gives complex64 more bits and range than any
 * careful formula in f32 would, and leaves one set of formulas. `wide_range` tells a formula that its
 * operands are true doubles and may overflow when squared; for complex64 the guards are left out. The result
 * of a function is a struct of two vectors. */
#include "emit_complex_internal.h"

#include <stdio.h>

static const struct {
    const char *name;
    fxi_complex_body body;
    unsigned operands;
} functions[FX_OP_COUNT] = {
#define X(id, name, operands) [FX_OP_##id] = {#name, fxi_complex_##name, operands},
    FXI_COMPLEX_FUNCTIONS(X)
#undef X
};

typedef struct function_key {
    uint16_t op;
    bool wide_range;
} function_key;

static void function_body(fxi_emit *e, const void *context) {
    const function_key *key = context;
    fxi_complex c = {e, key->wide_range};
    fxi_value x[2] = {{NULL, NULL}, {NULL, NULL}};
    for (unsigned i = 0; i < functions[key->op].operands; i++)
        x[i] = (fxi_value){LLVMGetParam(e->function, 2 * i), LLVMGetParam(e->function, 2 * i + 1)};
    fxi_value result = functions[key->op].body(&c, x);
    LLVMBuildAggregateRet(e->builder, (LLVMValueRef[]){result.re, result.im}, 2);
}

fxi_value fxi_complex_call(fxi_complex *c, fx_op op, const fxi_value *x) {
    fxi_emit *e = c->e;
    const function_key key = {(uint16_t)op, c->wide_range};
    unsigned count = 2 * functions[op].operands;
    char name[64];
    (void)snprintf(name, sizeof name, "fx.complex.%s.%s.%u", functions[op].name,
                   c->wide_range ? "f64" : "f32", e->lanes);
    LLVMTypeRef vector = ir_float_type(e, 64), parameters[4] = {vector, vector, vector, vector};
    LLVMTypeRef result = LLVMStructTypeInContext(e->context, parameters, 2, false);
    fxi_shared f = fxi_emit_shared(e, name, result, parameters, count, function_body, &key);
    LLVMValueRef arguments[4];
    for (unsigned i = 0; i < count; i++) arguments[i] = i % 2 ? x[i / 2].im : x[i / 2].re;
    LLVMValueRef pair = fxi_emit_shared_call(e, f, arguments, count);
    return (fxi_value){LLVMBuildExtractValue(e->builder, pair, 0, ""),
                       LLVMBuildExtractValue(e->builder, pair, 1, "")};
}

fxi_value fxi_emit_complex_function(fxi_emit *e, const fxi_element *element, const fxi_value *operands) {
    bool widen = element->from == FX_C64;
    fx_op op = (fx_op)element->op;
    fxi_complex c = {e, !widen};
    fxi_value x[2] = {{NULL, NULL}, {NULL, NULL}};
    for (unsigned i = 0; i < functions[op].operands; i++) {
        x[i] = operands[i];
        if (widen) x[i] = fxi_emit_convert(e, FX_C64, FX_C128, x[i]);
    }
    fxi_value result = fxi_complex_call(&c, op, x);
    if (widen) result = fxi_emit_convert(e, FX_C128, FX_C64, result);
    return op == FX_OP_ABS ? ir_one(result.re) : result;
}
