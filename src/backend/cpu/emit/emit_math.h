/* SPDX-License-Identifier: Apache-2.0 */
/* The project's own vector math: f32 and f64, as polynomials and table-free reductions emitted into IR. */
#ifndef FXI_EMIT_MATH_H
#define FXI_EMIT_MATH_H

#include "emit.h"

/* name, operands, bound in ulp for f32, bound in ulp for f64 (tested; see docs/accuracy.md) */
#define FXI_MATH_FUNCTIONS(X) \
    X(EXP, 1) X(EXPM1, 1) X(EXP2, 1) X(LOG, 1) X(LOG1P, 1) X(LOG2, 1) X(LOG10, 1) X(SIN, 1) X(COS, 1) \
    X(TAN, 1) \
    X(ASIN, 1) X(ACOS, 1) X(ATAN, 1) X(SINH, 1) X(COSH, 1) X(TANH, 1) X(ASINH, 1) X(ACOSH, 1) X(ATANH, 1) \
    X(LOGISTIC, 1) X(CBRT, 1) X(RSQRT, 1) X(ERF, 1) X(ERFC, 1) X(ERF_INV, 1) X(LGAMMA, 1) X(DIGAMMA, 1) \
    X(BESSEL_I0E, 1) X(BESSEL_I1E, 1) X(POW, 2) X(ATAN2, 2) X(HYPOT, 2) X(REM, 2)

typedef enum fxi_math {
#define X(id, operands) FXI_MATH_##id,
    FXI_MATH_FUNCTIONS(X)
#undef X
    FXI_MATH_COUNT
} fxi_math;

/* Emits fn on vectors (or scalars when lanes is 1) of f32 or f64 (`bits` 32 or 64); b is NULL for unary
 * functions. REM is C fmod. Heavy functions become one internal function per module, called from each use. */
LLVMValueRef fxi_emit_math(fxi_emit *e, fxi_math fn, unsigned bits, LLVMValueRef a, LLVMValueRef b);

/* Stated bound in ulp of fn at that width, for tests and documentation. */
double fxi_math_bound(fxi_math fn, unsigned bits);

#endif
