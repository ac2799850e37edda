# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/conversion.txt: every dtype converted to every other, from exact arithmetic; and bitcasts from NumPy."""
import math
import numpy as np
from golden import COMPLEX, DTYPES, NAMES, Family
from exact import FORMATS, WIDTHS, array, limits, rounded, to_integer

family = Family('conversion', 'exact arithmetic and NumPy')
rng = np.random.default_rng(5)
INF, NAN = math.inf, math.nan
# Ties and neighbours of ties for the half types and float8; ends of the integers; values of published faults.
REALS = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 0.999, 1.48259, -1.76206, 3.7, -3.7, 7.5, 127.5, 128, -128.5, -129, 255.5,
         256, 32767.5, -32768.5, 65504, 65519.996, 65520, 57344, 61440, 448, 464, 464.1, 480, 2.0 ** 31, -2.0 ** 31, 2.0 ** 31 - 1,
         2.0 ** 32, 2.0 ** 53 + 2, 2.0 ** 63, -2.0 ** 63, 2.0 ** 64, 1e30, 1e300, 1 + 2.0 ** -8, 1 + 2.0 ** -7 + 2.0 ** -8,
         1 + 2.0 ** -8 + 2.0 ** -30, 1 + 2.0 ** -11, 1 + 2.0 ** -24, 1 + 2.0 ** -24 + 2.0 ** -50, 2.0 ** -24, 2.0 ** -25,
         2.0 ** -25 * (1 + 2.0 ** -30), 2.0 ** -133, 2.0 ** -134, 1.5 * 2.0 ** -134, 2.0 ** -149, 2.0 ** -150, 1e-45, 2.0 ** -16,
         2.0 ** -17, 2.0 ** -9, 2.0 ** -10, 1.5 * 2.0 ** -10, INF, -INF, NAN]
WHOLE = [0, 1, -1, 2, 3, 7, 100, 127, 128, 255, 256, 449, 465, 32767, 65503, 65519, 65520, 2 ** 24 + 1, 2 ** 31 - 1, 2 ** 53 + 1, 2 ** 62 + 2 ** 38 + 1,
         2 ** 63 - 1, 2 ** 64 - 1, -2 ** 63, -2 ** 31, -300]


def values_of(name):
    """Distinct values of a dtype as Python numbers that it holds."""
    if name == 'bool':
        return [False, True]
    if name in WIDTHS:
        low, high = limits(name)
        return list(dict.fromkeys([v for v in WHOLE if low <= v <= high] + [low, high]))
    if name in FORMATS:
        held = [rounded(float(v), name) for v in REALS]
        return list({(v if v == v else 'nan', math.copysign(1, v)): v for v in held}.values())
    real = 'f32' if name == 'c64' else 'f64'
    return [complex(v, w) for v, w in zip(values_of(real), [2.0, 0.0, -0.0] * 40)] + [complex(0, 3), complex(0, 0)]


def converted(v, to):
    if to == 'bool':
        return bool(v != 0)
    if to in COMPLEX:
        real = 'f32' if to == 'c64' else 'f64'
        return complex(rounded(v.real, real), rounded(v.imag, real)) if isinstance(v, complex) else complex(rounded(v, real), 0)
    if isinstance(v, complex):
        v = v.real
    if to in WIDTHS:
        return to_integer(v, to) if isinstance(v, float) else int(v)
    return rounded(v if isinstance(v, float) else int(v), to)


for source in DTYPES:
    values = values_of(source)
    for target in DTYPES:
        family.case('convert', [array(source, values)], [array(target, [converted(v, target) for v in values])], dtype=target)

# The same ten values at every place of a vector, whole and cut: bodies and remainders of a loop must agree.
ten = [1.48259, 1.79334, -1.76206, 0.0971, -1.09999, -3.12108, 2.93178, -0.07595, -1.12773, -8.64211]
for n in range(1, 41):
    values = [rounded(ten[i % 10], 'f32') for i in range(n)]
    family.case('convert', [array('f32', values)], [array('u16', [converted(v, 'u16') for v in values])], dtype='u16')

WIDE = [n for n in DTYPES if n not in ('bool', 'c64', 'c128', 's2', 'u2', 's4', 'u4')]
SAFE = {'f16': (1.0, 2.5, -0.125, 65504.0), 'bf16': (1.0, 2.5, -0.125, 3e38), 'f32': (1.0, -0.1, 3e38, 1e-45), 'f64': (1.0, -0.1, 3e300, 5e-324),
        'f8E5M2': (1.0, -0.25, 57344.0, 2.0 ** -16), 'f8E4M3FN': (1.0, -0.25, 448.0, 2.0 ** -9)}
for source in WIDE:
    x = array(source, SAFE[source]) if source in SAFE else array(source, [0, 1, -1, 77])
    for target in WIDE:
        a, b = x.dtype.itemsize, DTYPES[target].itemsize
        if a == b:
            y = x.view(DTYPES[target])
        elif a > b:
            y = x.reshape(2, 2, 1).view(DTYPES[target])
        elif 4 * a % b == 0 and b // a <= 4:
            y = x.reshape(-1, b // a).view(DTYPES[target]).reshape(-1)
        else:
            continue
        operand = x if a == b else x.reshape(2, 2) if a > b else x.reshape(-1, b // a)
        wide = np.asarray(y)
        if wide.dtype.kind in 'fV' or NAMES[wide.dtype][0] in 'bf':
            if not np.isfinite(wide.astype(np.float64)).all():
                continue
        family.case('bitcast', [operand], [wide], dtype=target)
family.write()
