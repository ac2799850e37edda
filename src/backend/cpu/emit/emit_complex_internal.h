/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of complex functions share: their list, and short names for f64 formulas. */
#ifndef FXI_EMIT_COMPLEX_INTERNAL_H
#define FXI_EMIT_COMPLEX_INTERNAL_H

#include "emit_ops.h"

#include <math.h>

typedef struct fxi_complex {
    fxi_emit *e;
    bool wide_range; /* operands are true doubles, not widened floats */
} fxi_complex;
/* Operands and result are pairs of f64 vectors. */
typedef fxi_value (*fxi_complex_body)(fxi_complex *c, const fxi_value *x);

/* id, name of the body, operands */
#define FXI_COMPLEX_FUNCTIONS(X)                                                                             \
    X(ABS, abs, 1)                                                                                           \
    X(SIGN, sign, 1)                                                                                         \
    X(EXP, exp, 1)                                                                                           \
    X(EXPM1, expm1, 1)                                                                                       \
    X(LOG, log, 1) X(LOG1P, log1p, 1) X(SQRT, sqrt, 1) X(RSQRT, rsqrt, 1) X(SIN, sin, 1) X(COS, cos, 1)      \
        X(TAN, tan, 1) X(ASIN, asin, 1) X(ACOS, acos, 1) X(ATAN, atan, 1) X(SINH, sinh, 1) X(COSH, cosh, 1)  \
            X(TANH, tanh, 1) X(ASINH, asinh, 1) X(ACOSH, acosh, 1) X(ATANH, atanh, 1)                        \
                X(LOGISTIC, logistic, 1) X(DIV, div, 2) X(POW, pow, 2) X(ATAN2, atan2, 2)
#define X(id, name, operands) fxi_value fxi_complex_##name(fxi_complex *c, const fxi_value *x);
FXI_COMPLEX_FUNCTIONS(X)
#undef X

/* Calls the shared function of an operation, e.g. log inside pow. */
fxi_value fxi_complex_call(fxi_complex *c, fx_op op, const fxi_value *x);

/* ---- f64 formulas ---- */
static inline fxi_ir c_add(fxi_complex *c, fxi_ir a, fxi_ir b) {
    return ir_fadd(c->e, a, b);
}
static inline fxi_ir c_sub(fxi_complex *c, fxi_ir a, fxi_ir b) {
    return ir_fsub(c->e, a, b);
}
static inline fxi_ir c_mul(fxi_complex *c, fxi_ir a, fxi_ir b) {
    return ir_fmul(c->e, a, b);
}
static inline fxi_ir c_div(fxi_complex *c, fxi_ir a, fxi_ir b) {
    return ir_fdiv(c->e, a, b);
}
static inline fxi_ir c_neg(fxi_complex *c, fxi_ir a) {
    return ir_fneg(c->e, a);
}
static inline fxi_ir c_real(fxi_complex *c, double value) {
    return fxi_emit_f64(c->e, value);
}
static inline fxi_ir c_scale(fxi_complex *c, double factor, fxi_ir a) {
    return ir_fmul(c->e, a, fxi_emit_f64(c->e, factor));
}
static inline fxi_ir c_abs(fxi_complex *c, fxi_ir a) {
    return ir_call1(c->e, "llvm.fabs", a);
}
static inline fxi_ir c_sqrt(fxi_complex *c, fxi_ir a) {
    return ir_call1(c->e, "llvm.sqrt", a);
}
static inline fxi_ir c_sign_of(fxi_complex *c, fxi_ir size, fxi_ir sign) {
    return ir_call2(c->e, "llvm.copysign", size, sign);
}
static inline fxi_ir c_math(fxi_complex *c, fxi_math fn, fxi_ir a) {
    return fxi_emit_math(c->e, fn, 64, a, NULL);
}
static inline fxi_ir c_math2(fxi_complex *c, fxi_math fn, fxi_ir a, fxi_ir b) {
    return fxi_emit_math(c->e, fn, 64, a, b);
}
/* a^2 + b^2 */
static inline fxi_ir c_norm(fxi_complex *c, fxi_ir a, fxi_ir b) {
    return c_add(c, c_mul(c, a, a), c_mul(c, b, b));
}
static inline fxi_ir c_less(fxi_complex *c, fxi_ir a, fxi_ir b) {
    return ir_fcmp(c->e, LLVMRealOLT, a, b);
}
static inline fxi_ir c_greater(fxi_complex *c, fxi_ir a, fxi_ir b) {
    return ir_fcmp(c->e, LLVMRealOGT, a, b);
}
static inline fxi_ir c_is(fxi_complex *c, fxi_ir a, double value) {
    return ir_fcmp(c->e, LLVMRealOEQ, a, c_real(c, value));
}
static inline fxi_ir c_is_nan(fxi_complex *c, fxi_ir a) {
    return ir_fcmp(c->e, LLVMRealUNO, a, a);
}
static inline fxi_ir c_select(fxi_complex *c, fxi_ir condition, fxi_ir yes, fxi_ir no) {
    return ir_select(c->e, condition, yes, no);
}
static inline fxi_value c_select_both(fxi_complex *c, fxi_ir condition, fxi_value yes, fxi_value no) {
    return (fxi_value){c_select(c, condition, yes.re, no.re), c_select(c, condition, yes.im, no.im)};
}
static inline fxi_ir c_is_infinite(fxi_complex *c, fxi_ir a) {
    return ir_fcmp(c->e, LLVMRealOEQ, c_abs(c, a), c_real(c, (double)INFINITY));
}
/* sqrt(a^2 + b^2), infinite when one of them is, whatever the other; overflow is guarded against where it
 * can happen. */
fxi_ir fxi_complex_size(fxi_complex *c, fxi_ir a, fxi_ir b);
/* i z and -i z */
static inline fxi_value c_turn_left(fxi_complex *c, fxi_value z) {
    return (fxi_value){c_neg(c, z.im), z.re};
}
static inline fxi_value c_turn_right(fxi_complex *c, fxi_value z) {
    return (fxi_value){z.im, c_neg(c, z.re)};
}

#endif
