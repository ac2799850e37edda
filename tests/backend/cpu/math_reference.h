/* SPDX-License-Identifier: Apache-2.0 */
/* What the test of the vector math and the tool fluxion-ulp share: a compiled loop over one function,
 * reference values in wider arithmetic, and the distance between the two in units of the last place. */
#ifndef FXI_MATH_REFERENCE_H
#define FXI_MATH_REFERENCE_H

#include "backend/cpu/emit/emit_math.h"
#include "backend/cpu/jit/jit.h"

/* One row of the table of functions. References take and give wider values than the function itself;
 * binary ones are NULL in the unary columns and the other way round. */
typedef struct math_case {
    fxi_math fn;
    const char *name;
    double (*wide1)(double);                          /* for f32 */
    double (*wide2)(double, double);
    long double (*wider1)(long double);               /* for f64 */
    long double (*wider2)(long double, long double);
    double low, high;   /* where results are neither trivial nor out of range */
    double focus;       /* a hard point: samples crowd around it at all distances */
    double smallest[2]; /* for a < 0 and a >= 0: errors of smaller results count in ulp of this; mostly 0 */
} math_case;

/* The entry of `smallest` for an argument. */
static inline double math_smallest(const math_case *c, double a) { return c->smallest[!(a < 0)]; }

extern const math_case math_cases[FXI_MATH_COUNT]; /* indexed by fxi_math */

/* Pseudo-random operands, the same for the same state: a third each any bit pattern, uniform in [low,
 * high], and around `focus` at distances of all sizes; for pow also exponents that reach every size of
 * result. */
void math_point(const math_case *c, unsigned bits, uint64_t *state, double *a, double *b);

/* out[i] = fn(a[i], b[i]) for i < n, n a multiple of `lanes`; arrays of float or double, 64-byte aligned. */
typedef void math_loop(const void *a, const void *b, void *out, int64_t n);

/* Compiles the loop for a target; NULL with an error. The function pointer goes to *loop and lives as long
 * as the code. */
fxi_code *math_loop_compile(fxi_math fn, unsigned bits, unsigned lanes, const fxi_target *target,
                            math_loop **loop, fx_error *err);

/* |got - want| in ulp of the result format at want. Equal infinities and NaN against NaN count 0, other
 * disagreements about NaN and infinities INFINITY; a finite value against an overflow is measured with
 * infinity at 2^(emax + 1). Results below `smallest` are measured in its ulp: near the zeros of lgamma and
 * digamma only the absolute error is small. */
double math_ulp32(float got, double want, double smallest);
double math_ulp64(double got, long double want, double smallest);

#endif
