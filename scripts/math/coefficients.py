# SPDX-License-Identifier: Apache-2.0
"""Writes src/backend/cpu/emit/emit_math_coeffs.c: every polynomial of the vector math, fitted by remez.py.

    python3 scripts/math/coefficients.py > src/backend/cpu/emit/emit_math_coeffs.c

Each row of POLYNOMIALS: name, comment, then for the two precisions (32 and 64) the function of the
polynomial's own variable, its interval, the weight that turns its error into the relative error of the final
result and the number of coefficients (0 leaves the table empty)."""

import sys
from mpmath import mp, mpf
import mpmath
from remez import fit, c_hex

LN2 = mpmath.log(2)
HALF_LN2 = (-LN2 / 2 * mpf('1.001'), LN2 / 2 * mpf('1.001'))
QUARTER_PI = mpmath.pi / 4 * mpf('1.01')
ERFC_K = mpf('3.5')
TINY = mpf(10) ** -16  # in place of 0, where formulas are 0/0
SQRT_HALF = mpmath.sqrt(mpf(1) / 2)


def series(function, order):
    """Taylor coefficient of `function` at 0, for removable singularities at the origin."""
    return mpmath.taylor(function, 0, order)[order]


def exp_q(r):
    return (mpmath.expm1(r) - r) / r**2


def log_q(f):
    return (mpmath.log1p(f) - f) / f**2


def log_s(z):
    s = mpmath.sqrt(z)
    return (2 * mpmath.atanh(s) / s - 2) / z


def odd(function):
    """p with function(x) = x + x^3 p(x^2)."""

    def p(z):
        x = mpmath.sqrt(z)
        return (function(x) - x) / x**3

    return p


def odd_weight(function):
    def w(z):
        x = mpmath.sqrt(z)
        return x**3 / function(x)

    return w


def erfc_r(t):
    a = ERFC_K * (1 + t) / (1 - t)
    return mpmath.exp(a * a) * mpmath.erfc(a) * (1 + 2 * a)


def erf_inv_s(s):
    return mpmath.erfinv(mpmath.sqrt(-mpmath.expm1(-s * s))) / s


def stirling(z):
    x = 1 / mpmath.sqrt(z)
    return (mpmath.loggamma(x) - (x - mpf('0.5')) * mpmath.log(x) + x - mpmath.log(2 * mpmath.pi) / 2) * x


DIGAMMA_ROOT = mpmath.findroot(mpmath.digamma, mpf('1.46'))


def digamma_r(t):
    distance = t + mpf('1.5') - DIGAMMA_ROOT
    return mpmath.digamma(t + mpf('1.5')) / distance


def digamma_series(z):
    x = 1 / mpmath.sqrt(z)
    return (mpmath.log(x) - 1 / (2 * x) - mpmath.digamma(x)) * x**2


def bessel_large(order):
    return lambda v: mpmath.besseli(order, 8 / v) * mpmath.exp(-8 / v) * mpmath.sqrt(8 / v)


def row(name, comment, function, interval, weight, counts, digits=(24, 53)):
    return dict(
        name=name,
        comment=comment,
        function=function,
        interval=interval,
        weight=weight,
        counts=counts,
        digits=digits,
    )


POLYNOMIALS = [
    row(
        'exp',
        'exp(r) = 1 + r + r^2 q(r), |r| <= ln2/2',
        exp_q,
        HALF_LN2,
        lambda r: r**2 / mpmath.exp(r),
        (5, 10),
    ),
    row(
        'exp_minus',
        'exp(-r) = 1 - r + r^2 q(r)',
        lambda r: exp_q(-r),
        HALF_LN2,
        lambda r: r**2 / mpmath.exp(-r),
        (5, 10),
    ),
    row(
        'expm1',
        'the same, error relative to expm1(r)',
        exp_q,
        HALF_LN2,
        lambda r: r**2 / mpmath.expm1(r),
        (6, 11),
    ),
    row(
        'exp2',
        '2^r = 1 + r q(r), |r| <= 1/2',
        lambda r: mpmath.expm1(r * LN2) / r,
        (-mpf('0.5'), mpf('0.5')),
        lambda r: r / 2**r,
        (6, 11),
    ),
    row(
        'log',
        'log(1+f) = f + f^2 q(f), sqrt(1/2) <= 1+f < sqrt(2)',
        log_q,
        (SQRT_HALF - 1, 2 * SQRT_HALF - 1),
        lambda f: f**2 / mpmath.log1p(f),
        (9, 0),
    ),
    row(
        'log_third',
        'log(1+f) = f - f^2/2 + f^3 p(f), sqrt(1/2) <= 1+f < sqrt(2)',
        lambda f: (mpmath.log1p(f) - f + f ** 2 / 2) / f ** 3,
        (SQRT_HALF - 1, 2 * SQRT_HALF - 1),
        lambda f: f ** 3 / mpmath.log1p(f),
        (8, 0),
    ),
    row(
        'log_atanh',
        'log(1+f) = 2s + s z R(z), s = f/(2+f), z = s^2, |s| <= 3-2sqrt(2)',
        log_s,
        (TINY, (3 - 4 * SQRT_HALF) ** 2),
        lambda z: z / 2,
        (5, 7),
        digits=(53, 53),
    ),
    row(
        'pow_log',
        'the same series from its third term on: log(1+f) = 2s + 2/3 s z + s z^2 Q(z)',
        lambda z: (log_s(z) - mpf(2) / 3) / z,
        (TINY, (3 - 4 * SQRT_HALF) ** 2),
        lambda z: z**2 / 2,
        (0, 7),
    ),
    row(
        'tanh',
        'tanh(x) = x + x^3 p(x^2), |x| <= 0.92',
        odd(mpmath.tanh),
        (TINY, mpf('0.92') ** 2),
        odd_weight(mpmath.tanh),
        (7, 15),
    ),
    row(
        'half_expm1',
        '(e^2r - 1)/2 = r + r^2 q(r), |r| <= ln2/4, error relative to e^2r',
        lambda r: exp_q(2 * r) * 2,
        (-LN2 / 4 * mpf('1.001'), LN2 / 4 * mpf('1.001')),
        lambda r: 2 * r**2 / mpmath.exp(2 * r),
        (5, 10),
    ),
    row(
        'cosh',
        'cosh(r) = 1 + z c(z), z = r^2, |r| <= ln2/2',
        lambda z: (mpmath.cosh(mpmath.sqrt(z)) - 1) / z,
        (TINY, HALF_LN2[1] ** 2),
        lambda z: z,
        (3, 5),
    ),
    row(
        'sinh',
        'sinh(r) = r + r z s(z), z = r^2, |r| <= ln2/2',
        odd(mpmath.sinh),
        (TINY, HALF_LN2[1] ** 2),
        odd_weight(mpmath.sinh),
        (3, 6),
    ),
    row(
        'sin',
        'sin(r) = r + r z s(z), z = r^2, |r| <= pi/4',
        odd(mpmath.sin),
        (TINY, QUARTER_PI**2),
        odd_weight(mpmath.sin),
        (3, 6),
    ),
    row(
        'cos',
        'cos(r) = 1 - z/2 + z^2 c(z), z = r^2, |r| <= pi/4',
        lambda z: (mpmath.cos(mpmath.sqrt(z)) - 1 + z / 2) / z**2,
        (TINY, QUARTER_PI**2),
        lambda z: z**2 / mpmath.cos(mpmath.sqrt(z)),
        (3, 6),
    ),
    row(
        'tan',
        'tan(r) = r + r z t(z), z = r^2, |r| <= pi/4',
        odd(mpmath.tan),
        (TINY, QUARTER_PI**2),
        odd_weight(mpmath.tan),
        (7, 15),
    ),
    row(
        'asin',
        'asin(s) = s + s z p(z), z = s^2, |s| <= 1/2',
        odd(mpmath.asin),
        (TINY, mpf('0.25')),
        odd_weight(mpmath.asin),
        (5, 12),
    ),
    row(
        'atan',
        'atan(t) = t + t z p(z), z = t^2, |t| <= 1',
        odd(mpmath.atan),
        (TINY, 1),
        odd_weight(mpmath.atan),
        (9, 20),
    ),
    row(
        'cbrt',
        'a^(-1/3), 1 <= a <= 2',
        lambda a: a ** (-mpf(1) / 3),
        (1, 2),
        lambda a: a ** (mpf(1) / 3),
        (4, 5),
    ),
    row(
        'erf',
        'erf(a) = a + a q(z), z = a^2, a <= 1',
        lambda z: mpmath.erf(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1,
        (TINY, 1),
        lambda z: mpmath.sqrt(z) / mpmath.erf(mpmath.sqrt(z)),
        (8, 13),
    ),
    row(
        'erf_log',
        'erf(a) = 1 - exp(-g(a)), error absolute in erf',
        lambda a: -mpmath.log(mpmath.erfc(a)),
        (1, 4),
        mpmath.erfc,
        (8, 0),
    ),
    row(
        'erfc',
        'erfc(a) = exp(-a^2) R(t) / (1 + 2a), t = (a - 3.5)/(a + 3.5)',
        erfc_r,
        ((mpf('0.45') - ERFC_K) / (mpf('0.45') + ERFC_K), (28 - ERFC_K) / (28 + ERFC_K)),
        None,
        (13, 23),
        digits=(53, 53),
    ),
    row(
        'erf_inv_c',
        'erf_inv(x) = x P(x^2), |x| <= 3/4',
        lambda z: mpmath.erfinv(mpmath.sqrt(z)) / mpmath.sqrt(z),
        (TINY, mpf('0.5625')),
        None,
        (11, 0),
        digits=(53, 53),
    ),
    row(
        'erf_inv_a',
        'erf_inv(x) = s A(s), s = sqrt(-log(1 - x^2))',
        erf_inv_s,
        (mpf('0.9'), mpf('2.3')),
        None,
        (10, 0),
        digits=(53, 53),
    ),
    row(
        'erf_inv_b',
        'erf_inv(x) = s B(s)',
        erf_inv_s,
        (mpf('2.3'), mpf('6.1')),
        None,
        (13, 0),
        digits=(53, 53),
    ),
    row(
        'lgamma',
        'log Gamma(2 + t) = t R(t), |t| <= 1/2',
        lambda t: mpmath.loggamma(2 + t) / t,
        (-mpf('0.5'), mpf('0.5000001')),
        None,
        (0, 18),
    ),
    row(
        'stirling',
        'log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + P(z)/x, z = 1/x^2, x >= 8',
        stirling,
        (mpf(10) ** -12, 1 / mpf(64)),
        None,
        (0, 7),
    ),
    row(
        'digamma',
        'digamma(3/2 + t) = (3/2 + t - root) R(t), |t| <= 1/2',
        digamma_r,
        (-mpf('0.5'), mpf('0.5')),
        None,
        (0, 22),
    ),
    row(
        'digamma_series',
        'digamma(x) = log x - 1/(2x) - z P(z), z = 1/x^2, x >= 8',
        digamma_series,
        (mpf(10) ** -12, 1 / mpf(64)),
        None,
        (0, 7),
    ),
    row(
        'bessel_i0',
        'I0(x) = P(z), z = x^2/4, |x| <= 8',
        lambda z: mpmath.besseli(0, 2 * mpmath.sqrt(z)),
        (TINY, 16),
        lambda z: 1 / mpmath.besseli(0, 2 * mpmath.sqrt(z)),
        (12, 16),
        digits=(53, 53),
    ),
    row(
        'bessel_i1',
        'I1(x) = x/2 P(z)',
        lambda z: mpmath.besseli(1, 2 * mpmath.sqrt(z)) / mpmath.sqrt(z),
        (TINY, 16),
        lambda z: mpmath.sqrt(z) / mpmath.besseli(1, 2 * mpmath.sqrt(z)),
        (11, 15),
        digits=(53, 53),
    ),
    row(
        'bessel_i0_large',
        'e^-x I0(x) = P(v)/sqrt(x), v = 8/x, x >= 8',
        bessel_large(0),
        (mpf(10) ** -6, 1),
        None,
        (9, 22),
        digits=(53, 53),
    ),
    row(
        'bessel_i1_large',
        'e^-x I1(x) = P(v)/sqrt(x), v = 8/x, x >= 8',
        bessel_large(1),
        (mpf(10) ** -6, 1),
        None,
        (9, 22),
        digits=(53, 53),
    ),
]

HEADER = '''/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials of the vector math, lowest power first. Written by scripts/math/coefficients.py: weighted Remez
 * exchange in 60 digits, coefficients rounded one after the other to the width of use, the later
 * absorbing what that changed. Error: the largest weighted error of the rounded polynomial, in exact terms;
 * the weight makes it relative to the function's value. */
#include "emit_math_internal.h"
'''


def emit(spec):
    entries = []
    for width, index in ((32, 0), (64, 1)):
        count = spec['counts'][index]
        if not count:
            entries.append('{0, NULL}')
            continue
        interval = spec['interval']
        powers = list(range(count))
        coefficients, error = fit(spec['function'], interval, powers, spec['digits'][index], spec['weight'])
        bits = float(mpmath.log(error, 2))
        print('%s_%d: %d coefficients, error 2^%.2f' % (spec['name'], width, count, bits), file=sys.stderr)
        print(
            '\n/* %s.\n * Error 2^%.2f on [%s, %s]. */'
            % (
                spec['comment'],
                bits,
                mpmath.nstr(mpf(interval[0]), 6),
                mpmath.nstr(mpf(interval[1]), 6),
            )
        )
        print('static const double %s_%d[] = {' % (spec['name'], width))
        line = '   '
        for c in coefficients:
            text = ' ' + c_hex(c) + ','
            if len(line) + len(text) > 110:
                print(line)
                line = '   '
            line += text
        print(line)
        print('};')
        entries.append('{%d, %s_%d}' % (count, spec['name'], width))
    print('\nconst fxi_poly fxi_poly_%s[2] = {%s};' % (spec['name'], ', '.join(entries)))


if __name__ == '__main__':
    names = sys.argv[1:]
    print(HEADER, end='')
    for spec in POLYNOMIALS:
        if not names or spec['name'] in names:
            emit(spec)
