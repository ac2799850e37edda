/* SPDX-License-Identifier: Apache-2.0 */
/* Entry of the vector math: the table of functions, with the error bounds they are held to, and out-of-line
 * code.
 *
 * A short function is emitted in place. A heavy one becomes an internal function of the module on its
 * first use, named after what it computes, so that ten uses in a kernel cost ten calls: half the compile
 * time for a few cycles per call. This table is the one place for bounds; fluxion-ulp measures them and
 * the tests enforce them. */
#include "emit_math_internal.h"
#include <stdio.h>

enum { IN_PLACE = 0, HEAVY64 = 64, HEAVY = 32 | 64 };

typedef struct math_function {
    const char *name;
    fxi_math_emitter emit;
    unsigned heavy;          /* mask of the widths that are emitted out of line */
    double bound32, bound64; /* in ulp of the result */
} math_function;

static const math_function FUNCTIONS[FXI_MATH_COUNT] = {
    [FXI_MATH_EXP] = {"exp", fxi_math_exp, IN_PLACE, 1, 1},
    [FXI_MATH_EXP2] = {"exp2", fxi_math_exp2, IN_PLACE, 1, 1},
    [FXI_MATH_EXPM1] = {"expm1", fxi_math_expm1, IN_PLACE, 1, 1.25},
    [FXI_MATH_LOG] = {"log", fxi_math_log, IN_PLACE, 1, 1},
    [FXI_MATH_LOG1P] = {"log1p", fxi_math_log1p, IN_PLACE, 1, 1},
    [FXI_MATH_LOG2] = {"log2", fxi_math_log2, IN_PLACE, 1, 1.25},
    [FXI_MATH_LOG10] = {"log10", fxi_math_log10, IN_PLACE, 1, 1},
    [FXI_MATH_SINH] = {"sinh", fxi_math_sinh, HEAVY, 1, 1},
    [FXI_MATH_COSH] = {"cosh", fxi_math_cosh, HEAVY, 1, 1},
    [FXI_MATH_ASINH] = {"asinh", fxi_math_asinh, HEAVY, 1, 1},
    [FXI_MATH_ACOSH] = {"acosh", fxi_math_acosh, HEAVY, 1, 1},
    [FXI_MATH_ATANH] = {"atanh", fxi_math_atanh, HEAVY, 1, 1},
    [FXI_MATH_TANH] = {"tanh", fxi_math_tanh, IN_PLACE, 1, 1.25},
    [FXI_MATH_SIN] = {"sin", fxi_math_sin, HEAVY, 1, 1},
    [FXI_MATH_COS] = {"cos", fxi_math_cos, HEAVY, 1, 1},
    [FXI_MATH_TAN] = {"tan", fxi_math_tan, HEAVY, 1, 1},
    [FXI_MATH_ASIN] = {"asin", fxi_math_asin, HEAVY, 1, 1},
    [FXI_MATH_ACOS] = {"acos", fxi_math_acos, HEAVY, 1, 1},
    [FXI_MATH_ATAN] = {"atan", fxi_math_atan, HEAVY, 1, 1.25},
    [FXI_MATH_ATAN2] = {"atan2", fxi_math_atan2, HEAVY, 1.25, 1.25},
    [FXI_MATH_CBRT] = {"cbrt", fxi_math_cbrt, HEAVY, 1, 1},
    [FXI_MATH_HYPOT] = {"hypot", fxi_math_hypot, HEAVY, 1, 1},
    [FXI_MATH_REM] = {"rem", fxi_math_rem, HEAVY, 0, 0},
    [FXI_MATH_ERF] = {"erf", fxi_math_erf, HEAVY64, 1, 1.25},
    [FXI_MATH_ERFC] = {"erfc", fxi_math_erfc, HEAVY, 1, 2},
    [FXI_MATH_ERF_INV] = {"erf_inv", fxi_math_erf_inv, HEAVY, 1, 2},
    [FXI_MATH_POW] = {"pow", fxi_math_pow, HEAVY, 1, 1.5},
    [FXI_MATH_LGAMMA] = {"lgamma", fxi_math_lgamma, HEAVY, 1, 4.5},
    [FXI_MATH_DIGAMMA] = {"digamma", fxi_math_digamma, HEAVY, 1, 5},
    [FXI_MATH_BESSEL_I0E] = {"bessel_i0e", fxi_math_bessel_i0e, HEAVY, 1, 4},
    [FXI_MATH_BESSEL_I1E] = {"bessel_i1e", fxi_math_bessel_i1e, HEAVY, 1, 4},
    [FXI_MATH_LOGISTIC] = {"logistic", fxi_math_logistic, IN_PLACE, 1, 1},
    [FXI_MATH_RSQRT] = {"rsqrt", fxi_math_rsqrt, IN_PLACE, 1, 1},
};

/* Declares and fills "fx.math.<name>.<bits>.<lanes>"; leaves builder and function of e as they were. */
static LLVMValueRef define(fxi_emit *e, const math_function *f, unsigned bits, const char *name,
                           LLVMTypeRef type) {
    LLVMValueRef function = LLVMAddFunction(e->module, name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMBasicBlockRef caller_block = LLVMGetInsertBlock(e->builder);
    LLVMValueRef caller = e->function;
    e->function = function;
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, function, "entry"));
    fxi_math_code m = fxi_math_begin(e, bits);
    LLVMValueRef b = LLVMCountParams(function) > 1 ? LLVMGetParam(function, 1) : NULL;
    LLVMBuildRet(e->builder, f->emit(&m, LLVMGetParam(function, 0), b));
    LLVMPositionBuilderAtEnd(e->builder, caller_block);
    e->function = caller;
    return function;
}

static LLVMValueRef call_out_of_line(fxi_emit *e, const math_function *f, unsigned bits, LLVMValueRef a,
                                     LLVMValueRef b) {
    char name[64];
    snprintf(name, sizeof name, "fx.math.%s.%u.%u", f->name, bits, e->lanes);
    LLVMTypeRef parameters[] = {LLVMTypeOf(a), LLVMTypeOf(a)};
    unsigned count = b ? 2 : 1;
    LLVMTypeRef type = LLVMFunctionType(parameters[0], parameters, count, 0);
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (!function) function = define(e, f, bits, name, type);
    LLVMValueRef arguments[] = {a, b};
    return LLVMBuildCall2(e->builder, type, function, arguments, count, "");
}

LLVMValueRef fxi_emit_math(fxi_emit *e, fxi_math fn, unsigned bits, LLVMValueRef a, LLVMValueRef b) {
    const math_function *f = &FUNCTIONS[fn];
    if (!f->emit) return NULL;
    if (f->heavy & bits) return call_out_of_line(e, f, bits, a, b);
    fxi_math_code m = fxi_math_begin(e, bits);
    return f->emit(&m, a, b);
}

double fxi_math_bound(fxi_math fn, unsigned bits) {
    return bits == 32 ? FUNCTIONS[fn].bound32 : FUNCTIONS[fn].bound64;
}
