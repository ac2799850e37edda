# SPDX-License-Identifier: Apache-2.0
"""Reference arithmetic without a floating-point unit: rounding of exact numbers to each float dtype, and integers that wrap
and saturate. Everything is done on Python integers and fractions, so that no hardware rounding hides in a reference."""
from fractions import Fraction
import numpy as np
from golden import DTYPES

# digits of the significand, exponent of the smallest subnormal, largest finite value
FORMATS = {'f8E5M2': (3, -16, 57344.0), 'f8E4M3FN': (4, -9, 448.0), 'f16': (11, -24, 65504.0),
           'bf16': (8, -133, float.fromhex('0x1.fep127')), 'f32': (24, -149, float.fromhex('0x1.fffffep127')),
           'f64': (53, -1074, float.fromhex('0x1.fffffffffffffp1023'))}
WIDTHS = {n: int(n[1:]) for n in ['s2', 's4', 's8', 's16', 's32', 's64', 'u2', 'u4', 'u8', 'u16', 'u32', 'u64']}


def limits(name):
    """Smallest and largest value of an integer dtype."""
    bits = WIDTHS[name]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if name[0] == 's' else (0, (1 << bits) - 1)


def wrap(i, name):
    low, high = limits(name)
    return (int(i) - low) % (high - low + 1) + low


def nearest(x, step):
    """x / step as an integer, ties to even."""
    q = Fraction(x) / step
    low = q.numerator // q.denominator
    rest = q - low
    return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1))


def rounded(x, name):
    """A number (float, int, Fraction; nan and infinities pass) rounded once to a float dtype, as a Python float."""
    if isinstance(x, float) and (x != x or x in (float('inf'), float('-inf'))):
        return x if name != 'f8E4M3FN' else float('nan')
    if x == 0:
        return float(x)
    digits, lowest, largest = FORMATS[name]
    size = abs(Fraction(x))
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    step = Fraction(2) ** max(exponent + 1 - digits, lowest)
    value = nearest(size, step) * step
    if value > Fraction(largest):
        value = float('nan') if name == 'f8E4M3FN' else float('inf')
    return float(value) if x > 0 else -float(value)


def to_integer(x, name):
    """A float as an integer dtype: truncated, saturated, 0 for NaN."""
    low, high = limits(name)
    if x != x:
        return 0
    if x in (float('inf'), float('-inf')):
        return high if x > 0 else low
    return min(max(int(x), low), high)


def array(name, values):
    """An array of a dtype from numbers that are rounded once or wrapped; complex from complex."""
    values = list(values)
    if name in FORMATS:
        with np.errstate(all='ignore'):
            exact = [rounded(v, name) for v in values]
            return np.array(exact, np.float64).astype(np.float32 if name != 'f64' else np.float64).astype(DTYPES[name])
    if name in WIDTHS:
        wide = np.array([wrap(v, name) for v in values], np.int64 if name[0] == 's' else np.uint64)
        return wide.astype(DTYPES[name])
    return np.array(values, DTYPES[name])
