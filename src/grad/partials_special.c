/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of special functions. What no operation computes, the derivative of digamma, is made of
 * elementwise nodes by a formula that can be differentiated further. */
#include "grad_internal.h"

/* ---- error functions ---- */

static fx_node *gaussian(const fxi_build *b, fx_node *x, double scale) {
    return fx_mul(fxi_grad_number(b, x, scale), fx_exp(fx_neg(fx_mul(x, x))));
}

static const double two_over_root_pi = 1.12837916709551257390;

static fx_node *d_erf(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)y;
    return gaussian(b, x, two_over_root_pi);
}
FXI_UNARY_RULE(erf, d_erf)

static fx_node *d_erfc(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)y;
    return gaussian(b, x, -two_over_root_pi);
}
FXI_UNARY_RULE(erfc, d_erfc)

/* sqrt(pi) / 2 e^(y^2) */
static fx_node *d_erf_inv(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)x;
    return fx_mul(fxi_grad_number(b, y, 0.88622692545275801365), fx_exp(fx_mul(y, y)));
}
FXI_UNARY_RULE(erf_inv, d_erf_inv)

/* ---- gamma function ---- */

static fx_node *d_lgamma(const fxi_build *b, fx_node *x, fx_node *y) {
    (void)b, (void)y;
    return fx_digamma(x);
}
FXI_UNARY_RULE(lgamma, d_lgamma)

/* factor[0] + w (factor[1] + w (factor[2] + ...)) */
static fx_node *polynomial(const fxi_build *b, fx_node *w, const double *factors, int n) {
    fx_node *sum = fxi_grad_number(b, w, factors[n - 1]);
    for (int k = n - 2; k >= 0; k--) sum = fx_add(fx_mul(sum, w), fxi_grad_number(b, w, factors[k]));
    return sum;
}

/* Trigamma of x > 0: the recurrence psi'(x) = 1 / x^2 + psi'(x + 1) up to z = x + 10, then the asymptotic
 * series 1/z + 1/2z^2 + sum of B_2k / z^(2k + 1) (Abramowitz and Stegun 6.4.6 and 6.4.12), whose first term
 * left out is below 6e-17 of the sum. All terms of the recurrence are positive. */
static fx_node *trigamma_positive(const fxi_build *b, fx_node *x) {
    static const double bernoulli[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                       5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};
    enum { STEPS = 10, TERMS = sizeof bernoulli / sizeof *bernoulli };
    fx_node *r = fx_reciprocal(fx_add(x, fxi_grad_number(b, x, STEPS))), *w = fx_mul(r, r);
    fx_node *tail = fx_mul(fx_mul(w, r), polynomial(b, w, bernoulli, TERMS));
    fx_node *sum = fx_add(fx_add(tail, fx_mul(w, fxi_grad_number(b, x, 0.5))), r);
    for (int k = STEPS - 1; k >= 0; k--) {
        fx_node *term = fx_reciprocal(k ? fx_add(x, fxi_grad_number(b, x, k)) : x);
        sum = fx_add(sum, fx_mul(term, term));
    }
    return sum;
}

/* Reflection for x < 0: psi'(x) = pi^2 / sin^2(pi x) - psi'(1 - x), with x reduced to its distance from
 * an integer, which is exact, or to 1/2 where it is not used: a pole there would spoil higher derivatives. */
static fx_node *d_digamma(const fxi_build *b, fx_node *x, fx_node *y) {
    const double pi = 3.14159265358979323846;
    fx_node *is_negative = fx_less(x, fxi_grad_number(b, x, 0));
    fx_node *mirrored = fx_select(is_negative, fx_sub(fxi_grad_number(b, x, 1), x), x);
    fx_node *distance = fx_select(is_negative, fx_sub(x, fx_round(x)), fxi_grad_number(b, x, 0.5));
    fx_node *sine = fx_sin(fx_mul(distance, fxi_grad_number(b, x, pi)));
    fx_node *ratio = fx_div(fxi_grad_number(b, x, pi), sine);
    fx_node *value = trigamma_positive(b, mirrored);
    (void)y;
    return fx_select(is_negative, fx_sub(fx_mul(ratio, ratio), value), value);
}
FXI_UNARY_RULE(digamma, d_digamma)

/* ---- scaled Bessel functions: I0' = I1, I1' = I0 - I1 / x; the scale e^-|x| has derivative 0 at 0 ----
 * These differences lose 2 |x| roundings, so from |x| = 30 on the derivative of the asymptotic series is
 * taken: with u = 1/|x| it is -sum of (k + 1/2) a_k u^(k + 1) / sqrt(2 pi |x|), a_0 = 1 and
 * a_k = a_(k-1) ((2k - 1)^2 - 4 order^2) / 8k (Abramowitz and Stegun 9.7.1); 20 terms leave 1e-17. Each form
 * gets a harmless argument where another counts, for the sake of higher derivatives. */

enum { SERIES_TERMS = 20, SERIES_FROM = 30 };

static fx_node *by_series(const fxi_build *b, fx_node *size, double order) {
    double factors[SERIES_TERMS], a = 1;
    for (int k = 0; k < SERIES_TERMS; k++) {
        if (k > 0) a *= ((2 * k - 1) * (2 * k - 1) - 4 * order * order) / (8 * k);
        factors[k] = -(k + 0.5) * a * 0.39894228040143267794; /* 1 / sqrt(2 pi) */
    }
    fx_node *u = fx_reciprocal(size);
    return fx_mul(fx_mul(fx_rsqrt(size), u), polynomial(b, u, factors, SERIES_TERMS));
}

static fx_node *is_far(const fxi_build *b, fx_node *size) {
    return fx_greater_or_equal(size, fxi_grad_number(b, size, SERIES_FROM));
}

static fx_node *d_bessel_i0e(const fxi_build *b, fx_node *x, fx_node *y) {
    fx_node *size = fx_abs(x), *far = is_far(b, size), *sign = fx_sign(x);
    fx_node *series = by_series(b, fx_select(far, size, fxi_grad_number(b, x, SERIES_FROM)), 0);
    return fx_select(far, fx_mul(sign, series), fx_sub(fx_bessel_i1e(x), fx_mul(sign, y)));
}
FXI_UNARY_RULE(bessel_i0e, d_bessel_i0e)

/* e^-|x| I1(x) / x, for |x| < 1 by its series sum of (x^2/4)^k / (2 k! (k + 1)!), which is below 1e-17 after
 * nine terms. */
static fx_node *i1e_over_x(const fxi_build *b, fx_node *x, fx_node *y) {
    static const double series[] = {1.0 / 2,       1.0 / 4,         1.0 / 24,
                                    1.0 / 288,     1.0 / 5760,      1.0 / 172800,
                                    1.0 / 7257600, 1.0 / 406425600, 1.0 / 29262643200};
    fx_node *one = fxi_grad_number(b, x, 1), *is_near = fx_less(fx_abs(x), one);
    fx_node *small = fx_select(is_near, x, one), *large = fx_select(is_near, one, x);
    fx_node *w = fx_mul(fx_mul(small, small), fxi_grad_number(b, x, 0.25));
    fx_node *near = fx_mul(fx_exp(fx_neg(fx_abs(small))), polynomial(b, w, series, 9));
    return fx_select(is_near, near, fx_div(y, large));
}

static fx_node *d_bessel_i1e(const fxi_build *b, fx_node *x, fx_node *y) {
    fx_node *size = fx_abs(x), *far = is_far(b, size);
    fx_node *series = by_series(b, fx_select(far, size, fxi_grad_number(b, x, SERIES_FROM)), 1);
    fx_node *difference = fx_sub(fx_bessel_i0e(x), fx_mul(fx_sign(x), y));
    return fx_select(far, series, fx_sub(difference, i1e_over_x(b, x, y)));
}
FXI_UNARY_RULE(bessel_i1e, d_bessel_i1e)
