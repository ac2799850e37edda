# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/reduce.txt: reductions of every kind over every dtype, along all kinds of axes, of empty arrays, with
NaN and ties. Sums of floats are rounded from exact fractions, with the sum of the magnitudes as their scale."""
import math
from fractions import Fraction
import numpy as np
from golden import COMPLEX, DTYPES, FLOATS, HALVES, INTEGERS, Family
from exact import WIDTHS, array, limits

np.seterr(all='ignore')
rng = np.random.default_rng(31)
family = Family('reduce', 'exact arithmetic and NumPy')
SHAPES = [([7], [0]), ([3, 4], [0]), ([3, 4], [1]), ([3, 4], [0, 1]), ([2, 3, 5], [1]), ([2, 3, 5], [0, 2]), ([2, 3, 5], [1, 2]), ([33], [0]),
          ([1, 17, 1], [1]), ([4, 1, 3], [1]), ([3, 0], [1]), ([0, 3], [1]), ([0], [0]), ([2, 0, 3], [0, 1])]
NAN, INF = math.nan, math.inf


def draw(dtype, dims):
    n = int(np.prod(dims))
    if dtype == 'bool':
        return rng.integers(0, 4, dims) > 0
    if dtype in WIDTHS:
        low, high = limits(dtype)
        return array(dtype, [int(v) for v in rng.integers(max(low, -2 ** 62), min(high, 2 ** 62), n, endpoint=True)]).reshape(dims)
    if dtype in COMPLEX:
        return (rng.normal(size=dims) + 1j * rng.normal(size=dims)).astype(DTYPES[dtype])
    return array(dtype, [float(v) for v in rng.normal(size=n) * 4]).reshape(dims)


def rows_of(x, axes):
    """The reduced elements of each result element, and the result's dimensions."""
    keep = [a for a in range(x.ndim) if a not in axes]
    moved = np.transpose(x, keep + list(axes))
    dims = [x.shape[a] for a in keep]
    count = int(np.prod([x.shape[a] for a in axes]))
    return moved.reshape(int(np.prod(dims)), count) if moved.size else np.zeros((int(np.prod(dims)), count), x.dtype), dims


def reduced(op, x, axes, dtype, f, result=None, **attributes):
    rows, dims = rows_of(x, axes)
    kind = int if dtype in WIDTHS else bool if dtype == 'bool' else float
    values = [f([kind(v) for v in row]) for row in rows]
    if result == 'bool' or dtype == 'bool':
        out = np.array(values, bool)
    else:
        out = array(result or dtype, values)
    family.case(op, [x], [out.reshape(dims)], axes=axes, **attributes)


def total(row):
    if any(not math.isfinite(v) for v in row):
        return float(np.sum(np.array(row, np.float64)))
    return float(sum((Fraction(v) for v in row), Fraction(0))) if row else 0.0


def product(row):
    return math.prod(row)


def scale_of(x, axes):
    return float(np.abs(x.astype(np.float64)).sum(tuple(axes)).max(initial=0)) or 1.0


def largest(row):
    return NAN if any(v != v for v in row) else max(row, key=lambda v: (v, math.copysign(1, v)), default=-INF)


def smallest(row):
    return NAN if any(v != v for v in row) else min(row, key=lambda v: (v, math.copysign(1, v)), default=INF)


def floats():
    for dtype in FLOATS:
        for dims, axes in SHAPES:
            x = draw(dtype, dims)
            reduced('reduce_sum', x, axes, dtype, total, scale=scale_of(x, axes))
            small = array(dtype, [float(v) for v in rng.uniform(0.5, 1.5, int(np.prod(dims)))]).reshape(dims)
            reduced('reduce_product', small, axes, dtype, product, ulps=1 if dtype in HALVES else 17)
            reduced('reduce_max', x, axes, dtype, largest)
            reduced('reduce_min', x, axes, dtype, smallest)
            reduced('reduce_mean', x, axes, dtype, lambda r: total(r) / len(r) if r else NAN, scale=scale_of(x, axes) / max(1, math.prod(dims[a] for a in axes)))
            if x.size:
                reduced('reduce_variance', x, axes, dtype, variance, ulps=1 if dtype in HALVES else 17)
        special = array(dtype, [1, NAN, 3, INF, -INF, 2, -0.0, 0.0, -0.0, -0.0, 5, -INF, INF, 7, INF]).reshape(5, 3)
        for name, f in [('reduce_sum', total), ('reduce_max', largest), ('reduce_min', smallest)]:
            reduced(name, special, [1], dtype, f)


def variance(row):
    mean = sum((Fraction(v) for v in row), Fraction(0)) / len(row)
    return float(sum(((Fraction(v) - mean) ** 2 for v in row), Fraction(0)) / len(row))


def integers():
    for dtype in INTEGERS:
        low, high = limits(dtype)
        for dims, axes in SHAPES:
            x = draw(dtype, dims)
            reduced('reduce_sum', x, axes, dtype, sum)
            reduced('reduce_product', x, axes, dtype, product)
            reduced('reduce_max', x, axes, dtype, lambda r: max(r, default=low))
            reduced('reduce_min', x, axes, dtype, lambda r: min(r, default=high))
            reduced('reduce_bitwise_and', x, axes, dtype, lambda r: fold(r, lambda a, b: a & b, -1))
            reduced('reduce_bitwise_or', x, axes, dtype, lambda r: fold(r, lambda a, b: a | b, 0))
            reduced('reduce_bitwise_xor', x, axes, dtype, lambda r: fold(r, lambda a, b: a ^ b, 0))


def fold(row, f, start):
    for v in row:
        start = f(start, v)
    return start


def bools():
    for dims, axes in SHAPES:
        x = draw('bool', dims)
        for name, f in [('reduce_and', all), ('reduce_or', any), ('reduce_xor', lambda r: sum(r) % 2 == 1), ('reduce_max', any), ('reduce_min', all),
                        ('logical_all', all), ('logical_any', any)]:
            reduced(name, x, axes, 'bool', f)
        for dtype in ['s8', 'f32', 'bf16', 'u2']:
            y = draw(dtype, dims)
            reduced('logical_any', y, axes, dtype, lambda r: any(v != 0 for v in r), 'bool')
            reduced('logical_all', y, axes, dtype, lambda r: all(v != 0 for v in r), 'bool')
    reduced('logical_any', array('f32', [0, -0.0, NAN, 0]).reshape(2, 2), [1], 'f32', lambda r: any(v != 0 for v in r), 'bool')


def complexes():
    for dtype in COMPLEX:
        for dims, axes in SHAPES:
            x = draw(dtype, dims)
            family.case('reduce_sum', [x], [x.astype(np.complex128).sum(tuple(axes)).astype(x.dtype)], axes=axes, scale=float(np.abs(x).sum(tuple(axes)).max(initial=0)) or 1.0)
            unit = (x / np.maximum(np.abs(x), 1e-3)).astype(x.dtype)
            family.case('reduce_product', [unit], [unit.astype(np.complex128).prod(tuple(axes)).astype(x.dtype)], axes=axes)


def arg(row, sign):
    for i, v in enumerate(row):
        if v != v:
            return i
    best = 0
    for i, v in enumerate(row):
        if sign * (v - row[best]) > 0 or (v == INF * sign and row[best] != v):
            best = i
    return best


def arguments():
    for dtype in FLOATS + INTEGERS + ['bool']:
        for dims, axis in [([7], 0), ([3, 5], 0), ([3, 5], 1), ([2, 3, 4], 1), ([1], 0), ([5, 1], 1), ([0, 3], 1), ([2, 19], 1)]:
            x = draw(dtype, dims)
            if dtype in FLOATS:
                x = array(dtype, [float(v) for v in rng.integers(-2, 3, int(np.prod(dims)))]).reshape(dims)
            index(x, axis, dtype)
    for dtype in FLOATS:
        for row in [[3, NAN, 1, 5], [NAN, 1, 2], [1, 2, NAN], [INF, NAN, -INF], [-1, -2, NAN], [-0.0, 0.0], [0.0, -0.0], [-INF, -INF], [INF, INF, 1]]:
            index(array(dtype, row), 0, dtype)
        for n in range(1, 34):
            index(array(dtype, [NAN] * n), 0, dtype)
        for n in range(3, 18):
            index(array(dtype, [1, NAN, 3] + [0] * (n - 3)), 0, dtype)


def index(x, axis, dtype):
    rows, dims = rows_of(x, [axis])
    for name, sign in [('arg_max', 1), ('arg_min', -1)]:
        values = [arg([float(v) if dtype in FLOATS else int(v) for v in row], sign) for row in rows]
        result = rng.choice(['s32', 's64', 's32', 'u8', 's16'])
        family.case(name, [x], [array(result, values).reshape(dims)], axis=axis, **({} if result == 's32' else {'dtype': str(result)}))


floats()
integers()
bools()
complexes()
arguments()
family.write()
