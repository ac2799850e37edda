# SPDX-License-Identifier: Apache-2.0
"""Weighted minimax polynomials (Remez exchange on a dense Chebyshev grid, in 60 digits) with coefficients
rounded to the width they will be used in. Rounding goes from the first coefficient on: each is rounded, then
the later ones absorb the error that this made, in the sense of least squares. Needs mpmath (gmpy2 makes it several times faster)."""

import mpmath
from mpmath import mp, mpf

mp.dps = 60


def grid(a, b, count):
    """Chebyshev points of [a, b], dense at both ends, where minimax errors peak."""
    a, b = mpf(a), mpf(b)
    return [
        (a + b) / 2 - (b - a) / 2 * mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * count)) for i in range(count)
    ]


def round_to(value, digits):
    """value rounded to a binary significand of `digits` bits, exponent unbounded."""
    value = mpf(value)
    if value == 0:
        return value
    exponent = mpmath.frexp(value)[1]
    return mpmath.ldexp(mpmath.nint(mpmath.ldexp(value, digits - exponent)), exponent - digits)


def solve(points, values, weights, powers):
    """Minimax coefficients c for sum c_k x^powers[k]: the least max |weight * (value - sum)| over the points."""
    n = len(powers)
    reference = [round(i * (len(points) - 1) / n) for i in range(n + 1)]
    best = None
    for _ in range(40):
        matrix = mpmath.matrix(n + 1, n + 1)
        right = mpmath.matrix(n + 1, 1)
        for row, index in enumerate(reference):
            for column, power in enumerate(powers):
                matrix[row, column] = points[index] ** power
            matrix[row, n] = (-1) ** row / weights[index]
            right[row] = values[index]
        solution = mpmath.lu_solve(matrix, right)
        coefficients = [solution[i] for i in range(n)]
        errors = [
            weights[i] * (values[i] - evaluate(points[i], coefficients, powers)) for i in range(len(points))
        ]
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[0]:
            best = (worst, coefficients)
        if worst <= abs(solution[n]) * mpf('1.001'):
            break
        reference = exchange(errors, n + 1)
        if reference is None:
            break
    return best[1], best[0]


def evaluate(x, coefficients, powers):
    """Horner over a fixed stride of powers (powers[k] = powers[0] + k * stride)."""
    stride = powers[1] - powers[0] if len(powers) > 1 else 1
    step = x**stride
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * step + c
    return total * x ** powers[0]


def exchange(errors, count):
    """Indices of `count` alternating extrema with the largest errors, or None where there are too few."""
    runs = []
    for i, e in enumerate(errors):
        if runs and (errors[runs[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    while len(runs) > count:
        if len(runs) == count + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        else:
            k = min(range(len(runs) - 1), key=lambda j: max(abs(errors[runs[j]]), abs(errors[runs[j + 1]])))
            del runs[k : k + 2]
    return runs if len(runs) == count else None


def absorb(delta, k, points, weights, powers):
    """Least-squares changes of coefficients k+1.. that make up for a change `delta` of coefficient k."""
    later = powers[k + 1 :]
    columns = [[w * x**p for x, w in zip(points, weights)] for p in later]
    target = [w * delta * x ** powers[k] for x, w in zip(points, weights)]
    n = len(later)
    normal = mpmath.matrix(n, n)
    right = mpmath.matrix(n, 1)
    for i in range(n):
        right[i] = mpmath.fdot(columns[i], target)
        for j in range(i, n):
            normal[i, j] = normal[j, i] = mpmath.fdot(columns[i], columns[j])
    return mpmath.lu_solve(normal, right)


def fit(function, interval, powers, digits, weight=None):
    """Coefficients for `powers`, rounded to `digits` significand bits (one number, or one per coefficient), and
    the weighted error that they leave."""
    points = grid(interval[0], interval[1], max(160, 24 * len(powers)))
    values = [mpf(function(x)) for x in points]
    weights = [mpf(1) if weight is None else abs(mpf(weight(x))) for x in points]
    digits = list(digits) if isinstance(digits, (list, tuple)) else [digits] * len(powers)
    result, _ = solve(points, values, weights, powers)
    for k in range(len(powers)):
        rounded = round_to(result[k], digits[k])
        delta = result[k] - rounded
        result[k] = rounded
        if k + 1 < len(powers):
            for j, change in enumerate(absorb(delta, k, points, weights, powers)):
                result[k + 1 + j] += change
    errors = [w * (v - evaluate(x, result, powers)) for x, v, w in zip(points, values, weights)]
    return result, max(abs(e) for e in errors)


def split(value, digits):
    """value as a sum of parts with the given significand bits, most significant first."""
    parts = []
    value = mpf(value)
    for d in digits:
        part = round_to(value, d)
        parts.append(part)
        value -= part
    return parts


def c_hex(value):
    """C99 hexadecimal literal of a value that a double holds."""
    as_double = float(value)
    assert mpf(as_double) == value, value
    text = as_double.hex()
    mantissa, exponent = text.split('p')
    mantissa = mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa
    return mantissa + 'p' + exponent
