/* SPDX-License-Identifier: Apache-2.0 */
/* Special functions that C's library does not have, for one element, in extended precision. Plain
 * convergent methods are chosen over fitted polynomials: they are slow, short and can be checked by
 * reading, which is what a reference needs.
 *
 *   erf_inv     Winitzki's closed approximation (error 2e-3), then Halley steps: each cubes the error
 *   digamma     recurrence up to x >= 16, asymptotic series there; reflection below 0; around its positive
 *               root the difference to the root in factored form, because the sum would cancel
 *   bessel i0e, i1e   power series (all terms positive) below 32, asymptotic series from there
 * Measured against 60-digit arithmetic: below 1e-18 relative except digamma next to its negative roots
 * (1e-18 absolute). */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* lgammal_r */
#endif
#include "element_internal.h"
#include <math.h>

#define PI 3.14159265358979323846264338327950288L
#define SQRT_PI 1.77245385090551602729816748334114518L

/* ---- logarithm of gamma ---- */

/* C's own function keeps the sign in a variable that all threads share. */
long double fxi_element_lgamma(long double x) {
    int sign;
    return lgammal_r(x, &sign);
}

/* ---- inverse error function ---- */

static long double guess_erf_inv(long double x) {
    long double size = fabsl(x);
    if (size < 1e-4L) return x * (SQRT_PI / 2); /* first term of the series: no loss of tiny x */
    const long double a = 0.147L;
    long double log_term = logl((1 - size) * (1 + size)), t = 2 / (PI * a) + log_term / 2;
    return copysignl(sqrtl(sqrtl(t * t - log_term / a) - t), x);
}

long double fxi_element_erf_inv(long double x) {
    if (isnan(x) || x == 0) return x;
    if (fabsl(x) >= 1) return fabsl(x) > 1 ? (long double)NAN : copysignl((long double)INFINITY, x);
    long double size = fabsl(x), y = fabsl(guess_erf_inv(x));
    for (int step = 0; step < 4; step++) {
        /* In the tail 1 - |x| is exact and erfc keeps the relative accuracy that erf has lost. */
        long double excess = size < 0.5L ? erfl(y) - size : (1 - size) - erfcl(y);
        long double newton = excess * (SQRT_PI / 2) * expl(y * y);
        y -= newton / (1 + y * newton);
    }
    return copysignl(y, x);
}

/* ---- digamma ---- */

#define FAR 16 /* from here seven terms of the asymptotic series are exact to 1e-19 */
/* B(2k) / (2k) for k = 1 .. */
static const long double bernoulli[] = {
    1 / 12.0L, -1 / 120.0L,     1 / 252.0L,       -1 / 240.0L,       1 / 132.0L,     -691 / 32760.0L,
    1 / 12.0L, -3617 / 8160.0L, 43867 / 14364.0L, -174611 / 6600.0L, 77683 / 276.0L,
};
#define BERNOULLI_TERMS (int)(sizeof bernoulli / sizeof *bernoulli)

static long double digamma_far(long double x) {
    long double square = 1 / (x * x), power = square, sum = 0;
    for (int k = 0; k < BERNOULLI_TERMS; k++) {
        sum += bernoulli[k] * power;
        power *= square;
    }
    return logl(x) - 0.5L / x - sum;
}

/* psi(x) - psi(root), with every term a multiple of x - root. */
static long double digamma_near_root(long double x) {
    const long double root = 0xbb16c31ab5f1fb70p-63L,
                      rest = 9.016312093258695918614428e-20L; /* root + rest */
    long double d = (x - root) - rest, sum = 0;
    for (int k = 0; k < FAR; k++) sum += d / ((x + k) * (root + k));
    long double far = root + FAR, logarithm = log1pl(d / far), power = 1;
    sum += logarithm + 0.5L * d / ((x + FAR) * far);
    for (int k = 0; k < BERNOULLI_TERMS; k++) {
        power /= far * far;
        sum -= bernoulli[k] * power * expm1l(-2 * (k + 1) * logarithm);
    }
    return sum;
}

long double fxi_element_digamma(long double x) {
    if (isnan(x) || x == (long double)INFINITY) return x;
    if (x <= 0 && (isinf(x) || x == floorl(x))) return (long double)NAN;
    if (x < 0) {
        long double fraction = x - nearbyintl(x);
        return fxi_element_digamma(1 - x) - PI / tanl(PI * fraction); /* one level: 1 - x > 1 */
    }
    if (x > 1 && x < 2) return digamma_near_root(x);
    long double sum = 0;
    for (; x < FAR; x += 1) sum -= 1 / x;
    return sum + digamma_far(x);
}

/* ---- modified Bessel functions of order 0 and 1, scaled ---- */

#define SERIES_LIMIT 32 /* beyond, the asymptotic series reaches e^-2x < 1e-27 before it diverges */

static long double bessel_series(long double x, int order) {
    long double quarter = x * x / 4, term = order ? x / 2 : 1, sum = term;
    for (int k = 1; term > sum * 1e-22L; k++) {
        term *= quarter / ((long double)k * (k + order));
        sum += term;
    }
    return sum * expl(-x);
}

static long double bessel_far(long double x, int order) {
    long double mu = order ? 4 : 0, term = 1, sum = 1;
    for (int k = 1; k <= 40 && fabsl(term) > 1e-22L; k++) {
        long double odd = 2 * k - 1;
        term *= (odd * odd - mu) / (8 * x * k);
        sum += term;
    }
    return sum / sqrtl(2 * PI * x);
}

static long double bessel_scaled(long double x, int order) {
    if (isnan(x)) return x;
    if (isinf(x)) return 0;
    return x < SERIES_LIMIT ? bessel_series(x, order) : bessel_far(x, order);
}

long double fxi_element_bessel_i0e(long double x) { return bessel_scaled(fabsl(x), 0); }

long double fxi_element_bessel_i1e(long double x) { return copysignl(bessel_scaled(fabsl(x), 1), x); }
