# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/cumulative.txt: running sums, products, extremes and logsumexp, forwards and backwards, over every
dtype, with NaN, infinities and empty axes. Integers and extremes are exact; sums carry the sum of all magnitudes as scale."""
import math
import numpy as np
from golden import COMPLEX, DTYPES, FLOATS, HALVES, INTEGERS, Family
from exact import WIDTHS, array, limits

np.seterr(all='ignore')
rng = np.random.default_rng(61)
family = Family('cumulative', 'exact arithmetic and NumPy')
FORMS = [([1], 0), ([0], 0), ([9], 0), ([2, 5], 0), ([2, 5], 1), ([3, 0, 2], 1), ([2, 3, 4], 1), ([40], 0), ([3, 1], 1)]
NAN, INF = math.nan, math.inf


def draw(dtype, dims, kind):
    n = int(np.prod(dims))
    if dtype in WIDTHS:
        low, high = limits(dtype)
        return array(dtype, [int(v) for v in rng.integers(max(low, -2 ** 62), min(high, 2 ** 62), n, endpoint=True)]).reshape(dims)
    if dtype in COMPLEX:
        return np.exp(2j * np.pi * rng.random(dims)).astype(DTYPES[dtype])
    values = rng.uniform(0.5, 1.5, n) if kind == 'prod' else rng.normal(size=n) * 4
    return array(dtype, [float(v) for v in values]).reshape(dims)


def running(x, axis, backwards, step):
    """step(so far, next) along the axis, on Python numbers."""
    moved = np.moveaxis(x, axis, -1)
    rows = moved.reshape(-1, moved.shape[-1]) if moved.size else np.zeros((0, moved.shape[-1]), x.dtype)
    number = complex if x.dtype.kind == 'c' else int if x.dtype.kind in 'iu' or 'int' in x.dtype.name else float
    out = []
    for row in rows:
        values, line = [number(v) for v in row], []
        for v in values[::-1] if backwards else values:
            line.append(step(line[-1], v) if line else v)
        out += line[::-1] if backwards else line
    return out, moved.shape, number


def result_of(x, axis, dtype, backwards, step):
    out, dims, number = running(x, axis, backwards, step)
    flat = np.array(out, DTYPES[dtype]) if number is complex else array(dtype, out)
    return np.moveaxis(flat.reshape(dims), -1, axis)


def extreme(sign):
    def step(a, b):
        if a != a or b != b:
            return NAN
        key = lambda v: (v, math.copysign(1, v))
        return max(a, b, key=key) if sign > 0 else min(a, b, key=key)
    return step


def log_sum(a, b):
    if a != a or b != b:
        return NAN
    m = max(a, b)
    return m if math.isinf(m) else m + math.log1p(math.exp(min(a, b) - m)) if min(a, b) > -INF else m


STEPS = {'sum': lambda a, b: a + b, 'prod': lambda a, b: a * b, 'max': extreme(1), 'min': extreme(-1), 'logsumexp': log_sum}


def case(kind, x, axis, dtype, **attributes):
    for backwards in (False, True):
        out = result_of(x, axis, dtype, backwards, STEPS[kind])
        if kind == 'sum' and dtype not in INTEGERS:
            attributes['scale'] = float(np.abs(x.astype(np.complex128)).sum()) or 1.0
        if kind == 'prod' and dtype in FLOATS:
            attributes['ulps'] = 1 if dtype in HALVES else 20
        if kind == 'logsumexp':
            values = np.abs(x.astype(np.float64))
            attributes['scale'] = 1.0 + float(values[np.isfinite(values)].max(initial=0))
        family.case('cum_' + kind + ('_reverse' if backwards else ''), [x], [out], axis=axis, **attributes)


for dtype in FLOATS + INTEGERS + COMPLEX:
    for kind in STEPS:
        if (kind in ('max', 'min') and dtype in COMPLEX) or (kind == 'logsumexp' and dtype not in FLOATS):
            continue
        for dims, axis in FORMS:
            case(kind, draw(dtype, dims, kind), axis, dtype)
for dtype in FLOATS:
    for row in [[1, NAN, 3, 0], [INF, 1, -INF, 2], [-INF, -INF, 0, 1], [-0.0, 0.0, -0.0], [-INF], [3, INF, NAN], [0, -0.0]]:
        for kind in ('sum', 'max', 'min', 'logsumexp'):
            case(kind, array(dtype, row), 0, dtype)
family.write()
