# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/elementwise.txt: every elementwise operation of one, two and three operands on real dtypes. Functions
come from mpmath with 60 digits, at special values from NumPy and SciPy; integers from Python's; exact floats from fractions
and NumPy. Complex operands are in complex.py, conversions in conversion.py."""
import math
import operator
from fractions import Fraction
import numpy as np
import mpmath
import scipy.special as special
from mpmath import mp
from golden import DTYPES, FLOATS, INTEGERS, Family
from exact import WIDTHS, array, limits, nearest, wrap

mp.dps = 60
np.seterr(all='ignore')
rng = np.random.default_rng(11)
family = Family('elementwise', 'mpmath, NumPy and SciPy')
NAN, INF = math.nan, math.inf

SPECIAL = [0.0, -0.0, 1, -1, INF, -INF, NAN]
PLAIN = [0.5, -0.5, 2, -2, 1e-3, -1e-3, 0.3, -0.3, 0.75, -0.9, 1.5, -1.5, 2.5, -2.5, 3.7, -3.7, 10, -10, 45.5, -45.5]
TINY = {'f16': [2.0 ** -24, -2.0 ** -14], 'bf16': [2.0 ** -133, -2.0 ** -126], 'f32': [2.0 ** -149, -2.0 ** -126],
        'f64': [2.0 ** -1074, -2.0 ** -1022]}
HUGE = {'f16': [65504.0, -65504.0], 'bf16': [3e38, -3e38], 'f32': [3.4028234663852886e38, -3.4028234663852886e38],
        'f64': [1.7976931348623157e308, -1.7976931348623157e308]}


def floats(name, more=()):
    drawn = list(rng.normal(size=8) * 3) + list(rng.normal(size=4) * 30)
    return array(name, SPECIAL + PLAIN + TINY[name] + HUGE[name] + drawn + list(more))


def to_float(value):
    """A real mpmath result as a double; what is not real is NaN."""
    if isinstance(value, mpmath.mpc):
        if value.imag != 0:
            return NAN
        value = value.real
    try:
        return float(value)
    except OverflowError:
        return INF if value > 0 else -INF


def by_mpmath(function, fallback):
    """A function of doubles that asks mpmath at ordinary points and `fallback`, NumPy's or SciPy's, elsewhere."""
    def call(*x):
        if all(math.isfinite(v) and v != 0 for v in x):
            try:
                return to_float(function(*[mpmath.mpf(v) for v in x]))
            except (ZeroDivisionError, ValueError, OverflowError):
                pass
        return float(fallback(*[np.float64(v) for v in x]))
    return call


def erf_inv(x):
    if abs(x) == 1:
        raise ValueError
    return mpmath.erfinv(x) if abs(x) < 1 else mpmath.nan


def scaled_bessel(order):
    return lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(order, x)


def log_gamma(x):
    return mpmath.log(abs(mpmath.gamma(x)))


def digamma(x):
    return NAN if x <= 0 and x == np.floor(x) else special.digamma(x)


FUNCTIONS = {
    'exp': (mpmath.exp, np.exp), 'expm1': (mpmath.expm1, np.expm1), 'exp2': (lambda x: mpmath.power(2, x), np.exp2),
    'log': (mpmath.log, np.log), 'log1p': (mpmath.log1p, np.log1p), 'log2': (lambda x: mpmath.log(x, 2), np.log2),
    'log10': (mpmath.log10, np.log10), 'sqrt': (mpmath.sqrt, np.sqrt), 'rsqrt': (lambda x: 1 / mpmath.sqrt(x), lambda x: 1 / np.sqrt(x)),
    'cbrt': (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), np.cbrt), 'sin': (mpmath.sin, np.sin), 'cos': (mpmath.cos, np.cos),
    'tan': (mpmath.tan, np.tan), 'asin': (mpmath.asin, np.arcsin), 'acos': (mpmath.acos, np.arccos),
    'atan': (mpmath.atan, np.arctan), 'sinh': (mpmath.sinh, np.sinh), 'cosh': (mpmath.cosh, np.cosh),
    'tanh': (mpmath.tanh, np.tanh), 'asinh': (mpmath.asinh, np.arcsinh), 'acosh': (mpmath.acosh, np.arccosh),
    'atanh': (mpmath.atanh, np.arctanh), 'logistic': (lambda x: 1 / (1 + mpmath.exp(-x)), special.expit),
    'erf': (mpmath.erf, special.erf), 'erfc': (mpmath.erfc, special.erfc), 'erf_inv': (erf_inv, special.erfinv),
    'lgamma': (log_gamma, lambda x: special.gammaln(abs(x))), 'digamma': (mpmath.digamma, digamma),
    'bessel_i0e': (scaled_bessel(0), special.i0e), 'bessel_i1e': (scaled_bessel(1), special.i1e),
}
# Where the range of interest is not that of `floats`; and the published trouble spots.
MORE = {'exp': [88.7, -103.9, 709.7, -745.1], 'log1p': [-0.4141892, -0.53, -0.28, 1e-10], 'atanh': [0.4141892, 0.999, -0.999],
        'tanh': [7, 7.5, 7.99, 8, 9, 1e-40, -9.1], 'erf': [3.9004288, 5.9], 'expm1': [1e-8, 1e-7, -1e-8, 1e-42, 88],
        'asin': [0.999, -0.1], 'acos': [0.999, -0.1], 'erfc': [9, 12.5, 26], 'erf_inv': [0.99, -0.99, 0.999999],
        'lgamma': [1e5, 100.5, 171.6, 1e-5, 1 + 1e-4], 'digamma': [1e5, 100.5, 1e-5], 'sin': [1e5, 3e10, math.pi],
        'cos': [1e5, 3e10, math.pi / 2], 'tan': [1e5, math.pi / 2], 'bessel_i0e': [7.9, 700], 'bessel_i1e': [7.9, 700],
        'acosh': [1 + 1e-6, 5.5, 1e5], 'exp2': [127.5, -149, 1023.5, -1074], 'cosh': [88.9, 710], 'sinh': [88.9, 1e-9]}
# Not of interest or not settled: at huge arguments mpmath needs too long, or the bound is of another kind (the zeros of
# lgamma and digamma on the negative axis, see docs/accuracy.md).
ONLY = {'lgamma': lambda v: not -1e300 < v < 0 and v < 1e300, 'digamma': lambda v: not -INF < v <= 0 and v < 1e300,
        'erfc': lambda v: not 30 < v < INF, 'erf': lambda v: abs(v) < 30 or math.isinf(v)}


def functions():
    for name, (exact, fallback) in FUNCTIONS.items():
        f = by_mpmath(exact, fallback)
        for dtype in FLOATS:
            x = floats(dtype, MORE.get(name, ()))
            keep = ONLY.get(name, lambda v: True)
            x = array(dtype, [float(v) for v in x if math.isnan(v) or keep(float(v))])
            if name.startswith('bessel'):
                x = array(dtype, [float(v) for v in x if not 1e4 < abs(float(v)) < INF])
            family.case(name, [x], [array(dtype, [f(float(v)) for v in x])])
        family.case(name, [np.zeros((3, 0), np.float32)], [np.zeros((3, 0), np.float32)])


# ---- exact operations on floats ----

def round_away(v):
    return v if not math.isfinite(v) else math.copysign(math.floor(abs(v) + 0.5) if abs(v) < 2.0 ** 52 else abs(v), v)


def lifted(f):
    return lambda v: v if not math.isfinite(v) else math.copysign(float(f(v)), v)


ROUNDERS = {'ceil': lifted(np.ceil), 'floor': lifted(np.floor), 'round': lifted(np.rint), 'round_away': round_away,
            'trunc': lifted(np.trunc), 'abs': abs, 'neg': lambda v: -v, 'sign': lambda v: v if v != v or v == 0 else math.copysign(1, v),
            'square': lambda v: v * v, 'one_minus': lambda v: 1 - v, 'one_plus': lambda v: 1 + v, 'minus_one': lambda v: v - 1}
ANSWERS = {'is_finite': math.isfinite, 'is_nan': math.isnan, 'is_inf': math.isinf, 'is_zero': lambda v: v == 0,
           'is_positive': lambda v: v > 0, 'is_non_negative': lambda v: v >= 0, 'is_negative': lambda v: v < 0,
           'is_non_positive': lambda v: v <= 0}
TIES = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49, 4.5, 1023.5, -0.2]


def plain_floats():
    for dtype in FLOATS:
        x = floats(dtype, TIES)
        wide = [float(v) for v in x]
        exact = [v for v in wide if abs(v) < 1e150 or not math.isfinite(v)]
        for name, f in ROUNDERS.items():
            v = exact if name == 'square' else wide
            family.case(name, [array(dtype, v)], [array(dtype, [f(w) for w in v])])
        for name, f in ANSWERS.items():
            family.case(name, [x], [np.array([f(v) for v in wide])])
        for e, m in [(8, 7), (5, 10), (4, 3), (3, 1), (11, 52)]:
            out = [reduced(v, e, m, dtype) for v in wide]
            family.case('reduce_precision', [x], [array(dtype, out)], exponent=e, mantissa=m)


OWN = {'f16': (5, 10), 'bf16': (8, 7), 'f32': (8, 23), 'f64': (11, 52)}


def reduced(v, e, m, dtype):
    """v rounded to m mantissa bits, ties to even, where subnormal numbers have the place values of the smallest normal ones;
    with fewer exponent bits than the dtype's own, what is then below the normal range is 0 and what is beyond it infinite."""
    if v == 0 or not math.isfinite(v):
        return v
    exponents, mantissa = OWN[dtype]
    exponent = max(math.frexp(v)[1] - 1, 2 - (1 << (exponents - 1)))
    step = exponent - min(m, mantissa)
    place = Fraction(2) ** step
    size = nearest(abs(Fraction(v)), place) * place
    value = math.copysign(INF if size > Fraction(HUGE['f64'][0]) else float(size), v)
    bias = (1 << (e - 1)) - 1
    if e >= exponents or value == 0:
        return value
    if abs(value) >= 2.0 ** (bias + 1):
        return math.copysign(INF, v)
    return math.copysign(0.0, v) if abs(value) < 2.0 ** (1 - bias) else value


# ---- two floats ----

def larger(a, b, sign):
    if a != a or b != b:
        return NAN
    if a == b:
        return a if math.copysign(1, a) == sign else b
    return max(a, b) if sign > 0 else min(a, b)


def computed(op, dtype):
    """An operation in float32 for float32; in float64 for the others, whose second rounding to a half type changes nothing."""
    kind = np.float32 if dtype == 'f32' else np.float64
    return lambda a, b: float(op(kind(a), kind(b)))


def next_after(a, b, dtype):
    return np.nextafter(array(dtype, [a]), array(dtype, [b]))[0]


def total(v):
    """The key of the total order: the bits of the double, negative ones turned."""
    i = int(np.float64(v).view(np.int64))
    return i if i >= 0 else -(i & (2 ** 63 - 1)) - 1


ORDERS = {'equal': lambda a, b: a == b, 'not_equal': lambda a, b: a != b, 'less': lambda a, b: a < b,
          'less_or_equal': lambda a, b: a <= b, 'greater': lambda a, b: a > b, 'greater_or_equal': lambda a, b: a >= b}
PAIRS = [0.0, -0.0, 1, -1, 3, -2.5, 0.1, 7.75, INF, -INF, NAN]


def pairs(dtype):
    values = [float(v) for v in array(dtype, PAIRS + TINY[dtype][:1] + HUGE[dtype][:1] + list(rng.normal(size=2) * 5))]
    return [(a, b) for a in values for b in values]


def power(a, b):
    if a == 1 or b == 0:
        return 1.0
    if a < 0 and math.isfinite(a) and math.isfinite(b) and b != math.floor(b):
        return NAN
    return by_mpmath(mpmath.power, np.power)(a, b)


def two_floats():
    for dtype in FLOATS:
        p = pairs(dtype)
        x, y = array(dtype, [a for a, _ in p]), array(dtype, [b for _, b in p])
        def run(name, f):
            family.case(name, [x, y], [array(dtype, [f(a, b) for a, b in p])])
        for name, op in [('add', operator.add), ('sub', operator.sub), ('mul', operator.mul), ('div', operator.truediv)]:
            run(name, computed(op, dtype))
        run('strong_mul', lambda a, b: 0.0 if a == 0 else computed(operator.mul, dtype)(a, b))
        run('strong_div', lambda a, b: 0.0 if a == 0 else computed(operator.truediv, dtype)(a, b))
        run('rem', lambda a, b: float(np.fmod(a, b)))
        run('max', lambda a, b: larger(a, b, 1))
        run('min', lambda a, b: larger(a, b, -1))
        run('pow', power)
        run('atan2', by_mpmath(mpmath.atan2, np.arctan2))
        run('hypot', by_mpmath(lambda a, b: mpmath.sqrt(a * a + b * b), np.hypot))
        run('copysign', lambda a, b: math.copysign(a, b) if a == a else NAN)
        family.case('nextafter', [x, y], [np.array([next_after(a, b, dtype) for a, b in p], DTYPES[dtype])])
        for name, f in ORDERS.items():
            family.case(name, [x, y], [np.array([f(a, b) for a, b in p])])
            signed = [(a, b) for a, b in p] + [(-NAN, NAN), (NAN, -NAN), (-NAN, -INF), (INF, -NAN)]
            sx, sy = array(dtype, [a for a, _ in signed]), array(dtype, [b for _, b in signed])
            family.case(name + '_total_order', [sx, sy], [np.array([f(total(float(a)), total(float(b))) for a, b in zip(sx, sy)])])


# ---- integers and bool ----

def divided(a, b, name):
    if b == 0:
        return -1
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def remainder(a, b):
    return a if b == 0 else int(math.copysign(1, a)) * (abs(a) % abs(b)) if a else 0


def integer_power(a, b):
    if b >= 0:
        return pow(a, b, 1 << 128) if abs(a) > 1 else a ** b
    return {1: 1, -1: 1 if b % 2 == 0 else -1}.get(a, 0)


def shifted(a, n, name, kind):
    bits = WIDTHS[name]
    n = n if 0 <= n < bits else bits
    if kind == 'left':
        return a << n
    return a >> n if kind == 'arithmetic' else (a % (1 << bits)) >> n


def arithmetic(a, n, name):
    return shifted(wrap(a, 's' + name[1:]), n, name, 'arithmetic')


def two_integers():
    for name in INTEGERS:
        low, high = limits(name)
        edges = sorted({wrap(v, name) for v in [low, low + 1, -2, -1, 0, 1, 2, 3, 7, high - 1, high, high // 3, 100]})
        p = [(a, b) for a in edges for b in edges]
        x, y = array(name, [a for a, _ in p]), array(name, [b for _, b in p])
        def run(op, f):
            family.case(op, [x, y], [array(name, [f(a, b) for a, b in p])])
        run('add', lambda a, b: a + b)
        run('sub', lambda a, b: a - b)
        run('mul', lambda a, b: a * b)
        run('div', lambda a, b: divided(a, b, name))
        run('rem', remainder)
        run('mod', lambda a, b: a if b == 0 else a % b)
        run('floor_div', lambda a, b: -1 if b == 0 else a // b)
        run('pow', integer_power)
        run('max', max)
        run('min', min)
        run('and', lambda a, b: a & b)
        run('or', lambda a, b: a | b)
        run('xor', lambda a, b: a ^ b)
        run('bitwise_shift_left', lambda a, b: shifted(a, b, name, 'left'))
        run('bitwise_shift_right_arithmetic', lambda a, b: arithmetic(a, b, name))
        run('bitwise_shift_right_logical', lambda a, b: shifted(a, b, name, 'logical'))
        for op, f in ORDERS.items():
            family.case(op, [x, y], [np.array([f(a, b) for a, b in p])])
        one_integer(name, edges)


def one_integer(name, edges):
    x, bits = array(name, edges), WIDTHS[name]
    def run(op, f):
        family.case(op, [x], [array(name, [f(v) for v in edges])])
    run('abs', abs)
    run('neg', lambda v: -v)
    run('sign', lambda v: (v > 0) - (v < 0))
    run('not', lambda v: ~v)
    run('popcount', lambda v: bin(v % (1 << bits)).count('1'))
    run('clz', lambda v: bits - (v % (1 << bits)).bit_length())
    run('square', lambda v: v * v)
    run('one_minus', lambda v: 1 - v)
    for op in ['is_zero', 'is_positive', 'is_negative', 'is_non_positive']:
        family.case(op, [x], [np.array([ANSWERS[op](v) for v in edges])])


def bools():
    x, y = np.array([False, False, True, True]), np.array([False, True, False, True])
    for op, f in [('add', np.logical_or), ('mul', np.logical_and), ('and', np.logical_and), ('or', np.logical_or),
                  ('xor', np.logical_xor), ('max', np.logical_or), ('min', np.logical_and)]:
        family.case(op, [x, y], [f(x, y)])
    for op, f in ORDERS.items():
        family.case(op, [x, y], [np.array([f(bool(a), bool(b)) for a, b in zip(x, y)])])
    family.case('not', [x], [~x])


# ---- three operands ----

def clamped(low, v, high, order):
    if any(w != w for w in (low, v, high)):
        return NAN
    return larger(larger(v, low, 1), high, -1) if order == 'float' else min(max(v, low), high)


def triples():
    for dtype in FLOATS + INTEGERS:
        real = dtype in FLOATS
        values = [0.0, -0.0, 1, -3, 2.5, INF, -INF, NAN] if real else sorted({wrap(v, dtype) for v in [0, 1, -1, *limits(dtype)]})
        t = [(a, b, c) for a in values for b in values for c in values]
        ops = [array(dtype, [v[k] for v in t]) for k in range(3)]
        family.case('clamp', ops, [array(dtype, [clamped(*v, 'float' if real else 'int') for v in t])])
    for dtype in DTYPES:
        n = 37
        if dtype in WIDTHS:
            x, y = [array(dtype, [int(v) for v in rng.integers(-100, 100, n)]) for _ in range(2)]
        else:
            x, y = [rng.normal(size=n).astype(np.float32).astype(DTYPES[dtype]) for _ in range(2)]
        on = rng.integers(0, 2, n).astype(bool)
        family.case('select', [on, x, y], [np.where(on, x, y)])
        family.case('where', [np.array(True), x, y], [x])
        rows, other = x[:36].reshape(9, 4), y[:36].reshape(9, 4)
        family.case('where', [on[:9], rows, other], [np.where(on[:9, None], rows, other)])


# ---- broadcasting ----

def broadcasts():
    for a, b in [([3, 1], [1, 4]), ([], [2, 3]), ([2, 3], []), ([0, 1], [1, 5]), ([0, 3], [1, 3]), ([1, 1], [4, 5]), ([2, 1, 3], [2, 5, 1])]:
        x, y = (rng.integers(-9, 9, d).astype(np.float32) for d in (a, b))
        family.case('add', [x, y], [x + y])
        family.case('less', [x, y], [x < y])
        family.case('max', [x.astype(np.int16), y.astype(np.int16)], [np.maximum(x, y).astype(np.int16)])


functions()
plain_floats()
two_floats()
two_integers()
bools()
triples()
broadcasts()
family.write()
