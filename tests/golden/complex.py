# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/complex.txt: operations on complex numbers. Functions come from mpmath with 60 digits at ordinary
points, and from C's functions (Python's cmath) on branch cuts, where the sign of a zero decides."""
import cmath
import math
import numpy as np
import mpmath
from mpmath import mp
from golden import Family
from exact import rounded

mp.dps = 60
np.seterr(all='ignore')
rng = np.random.default_rng(23)
family = Family('complex', 'mpmath and cmath')
REAL = {'c64': 'f32', 'c128': 'f64'}
KIND = {'c64': np.complex64, 'c128': np.complex128}
ULPS = {'c64': 2, 'c128': 7}
PARTS = [0.25, -0.75, 1.5, -2.25, 3.5, 1e-3, -8.0]
CUTS = [complex(x, y) for x in (0.0, -0.0, 0.5, -0.5, 2.0, -2.0, 1.0, -1.0) for y in (0.0, -0.0)] + \
       [complex(x, y) for y in (0.5, -0.5, 2.0, -2.0) for x in (0.0, -0.0)]


def points(dtype, count=24, scale=1.0):
    grid = [complex(a, b) for a in PARTS for b in PARTS]
    drawn = [complex(*(scale * rng.normal(size=2))) for _ in range(count)]
    return [held(z, dtype) for z in grid + drawn]


def held(z, dtype):
    """z with both parts rounded to the dtype, as a Python number."""
    real = REAL[dtype]
    return complex(rounded(float(z.real), real), rounded(float(z.imag), real))


def from_mp(z, dtype):
    z = mpmath.mpc(z)
    return held(complex(float(z.real), float(z.imag)), dtype)


def stack(values, dtype):
    return np.array(values, KIND[dtype])


FUNCTIONS = {'exp': mpmath.exp, 'expm1': mpmath.expm1, 'log': mpmath.log, 'log1p': lambda z: mpmath.log(1 + z), 'sqrt': mpmath.sqrt,
             'rsqrt': lambda z: 1 / mpmath.sqrt(z), 'sin': mpmath.sin, 'cos': mpmath.cos, 'tan': mpmath.tan, 'asin': mpmath.asin,
             'acos': mpmath.acos, 'atan': mpmath.atan, 'sinh': mpmath.sinh, 'cosh': mpmath.cosh, 'tanh': mpmath.tanh,
             'asinh': mpmath.asinh, 'acosh': mpmath.acosh, 'atanh': mpmath.atanh, 'logistic': lambda z: 1 / (1 + mpmath.exp(-z))}


def functions():
    for dtype in KIND:
        for name, f in FUNCTIONS.items():
            z = points(dtype)
            family.case(name, [stack(z, dtype)], [stack([from_mp(f(mpmath.mpc(v)), dtype) for v in z], dtype)], ulps=ULPS[dtype])
            c = getattr(cmath, name, None)
            if c:
                at = [v for v in CUTS if defined(c, v)]
                family.case(name, [stack(at, dtype)], [stack([held(c(v), dtype) for v in at], dtype)], ulps=ULPS[dtype])


def defined(f, z):
    try:
        f(z)
        return True
    except (ValueError, OverflowError, ZeroDivisionError):
        return False


def parts():
    for dtype in KIND:
        real = np.float32 if dtype == 'c64' else np.float64
        z = [held(v, dtype) for v in points(dtype, 8) + CUTS + [complex(math.inf, 1), complex(2, -math.inf), complex(math.nan, -0.0)]]
        x = stack(z, dtype)
        family.case('real', [x], [x.real])
        family.case('imag', [x], [x.imag])
        family.case('conj', [x], [stack([v.conjugate() for v in z], dtype)])
        family.case('neg', [x], [stack([-v for v in z], dtype)])
        family.case('complex', [x.real.copy(), x.imag.copy()], [x])
        family.case('is_nan', [x], [np.isnan(x)])
        family.case('is_inf', [x], [np.isinf(x)])
        family.case('is_zero', [x], [x == 0])
        family.case('abs', [x], [np.array([rounded(abs(v) if math.isfinite(abs(v)) else float(np.hypot(v.real, v.imag)), REAL[dtype]) for v in z], np.float64).astype(real)])
        finite = [v for v in z if cmath.isfinite(v)]
        family.case('sign', [stack(finite, dtype)],
                    [stack([v if v == 0 else from_mp(mpmath.mpc(v) / abs(mpmath.mpc(v)), dtype) for v in finite], dtype)], ulps=ULPS[dtype])


def two():
    for dtype in KIND:
        x, y = points(dtype, 80), points(dtype, 80)
        y = y[7:] + y[:7]
        exact = [(mpmath.mpc(a), mpmath.mpc(b)) for a, b in zip(x, y)]
        sx, sy = stack(x, dtype), stack(y, dtype)
        def run(name, f, ulps):
            family.case(name, [sx, sy], [stack([from_mp(f(a, b), dtype) for a, b in exact], dtype)], ulps=ulps)
        run('add', lambda a, b: a + b, 0)
        run('sub', lambda a, b: a - b, 0)
        run('mul', lambda a, b: a * b, 2)
        run('div', lambda a, b: a / b, ULPS[dtype])
        run('strong_mul', lambda a, b: a * b, 2)
        run('strong_div', lambda a, b: a / b, ULPS[dtype])
        family.case('equal', [sx, np.where(np.arange(len(x)) % 3 == 0, sx, sy)], [(np.arange(len(x)) % 3 == 0) | (sx == sy)])
        family.case('not_equal', [sx, np.where(np.arange(len(x)) % 3 == 0, sx, sy)], [(np.arange(len(x)) % 3 != 0) & (sx != sy)])
        powers(dtype)


def powers(dtype):
    """The exponent of e^(y log x) loses |y log x| ulp; the row's bound is for what is drawn here, below 16."""
    x, y = points(dtype, 40), [held(complex(*(rng.normal(size=2))), dtype) for _ in range(89)]
    family.case('pow', [stack(x, dtype), stack(y[:len(x)], dtype)],
                [stack([from_mp(mpmath.power(mpmath.mpc(a), mpmath.mpc(b)), dtype) for a, b in zip(x, y)], dtype)])
    one = [0j, 1 + 0j, complex(math.inf, 0), complex(math.nan, 0), 2 - 3j, 0j]
    family.case('pow', [stack(one, dtype), stack([0j] * 5 + [2 + 0j], dtype)], [stack([1 + 0j] * 5 + [0j], dtype)])


functions()
parts()
two()
family.write()
