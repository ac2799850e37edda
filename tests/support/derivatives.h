/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of a graph function checked against each other and against differences of its values.
 *
 * For values x, random tangents t and random adjoints u, in float64 or complex128:
 *   jvp t  equals the central difference (f(x + h t) - f(x - h t)) / 2h, extrapolated to h -> 0 (Richardson);
 *   Re<u, jvp t> = Re<vjp u, t>, to rounding;
 *   and with order 2 the same holds of the function (x, u) -> vjp u.
 * All on the interpreter, and vjp on the cpu backend equals that of the interpreter to rounding. */
#ifndef DERIVATIVES_H
#define DERIVATIVES_H

#include <fluxion.h>

enum { DERIVATIVE_TENSORS = 16 };

typedef struct derivative_case {
    const char *name; /* in messages */
    fx_fn fn;
    void *user;
    size_t n_in, n_out;
    fx_tensor *in[DERIVATIVE_TENSORS]; /* freed by the check; integers and bool are not differentiated */
    int order;                         /* 1 or 2; 0 counts as 2 */
    double step;                       /* h; 0: 1e-3. f must be smooth within it */
    double tolerance;                  /* of difference against jvp, relative to the largest value; 0: 1e-6 */
} derivative_case;

/* Fails the test with the case's name and what differs. */
void check_derivatives(const derivative_case *c);

/* vjp in a narrower dtype (float32, float16, bfloat16, complex64) against float64 or complex128, of the same
 * rounded values and adjoints: they differ by at most `ulps` times the dtype's epsilon of the largest value.
 * Differentiated inputs are converted, others stay. Frees the inputs. */
void check_narrow_derivatives(const derivative_case *c, fx_dtype dtype, double ulps);

/* A tensor of values between low and high, the same for the same seed; integers: whole numbers. Complex: both
 * parts. */
fx_tensor *random_values(fx_dtype dtype, fx_dims dims, double low, double high, unsigned seed);
#define RANDOM_F64(seed, low, high, ...)                                                                     \
    random_values(                                                                                           \
        FX_F64,                                                                                              \
        (fx_dims){(const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)}, \
        low, high, seed)

#endif
