# SPDX-License-Identifier: Apache-2.0
"""Writes files of golden cases; the format is described in README.md beside this file.

    from golden import Family
    family = Family('elementwise', 'what made the values')
    family.case('add', [x, y], [x + y])
    family.case('reduce_sum', [x], [x.sum(1)], axes=[1], scale=abs(x).sum(1).max())
    family.write()

Operands and results are NumPy arrays (or scalars of NumPy and ml_dtypes types; a plain Python number is an error, its dtype
would be a guess). A value is written as the shortest decimal that reads back as itself, or in hexadecimal; runs of equal
values are folded. An attribute is an int, a float, a word, or a list of ints."""
import os
import ml_dtypes
import numpy as np

NAMES = {np.dtype(t): n for t, n in [
    (np.bool_, 'bool'), (np.int8, 's8'), (np.int16, 's16'), (np.int32, 's32'), (np.int64, 's64'), (np.uint8, 'u8'),
    (np.uint16, 'u16'), (np.uint32, 'u32'), (np.uint64, 'u64'), (np.float16, 'f16'), (np.float32, 'f32'),
    (np.float64, 'f64'), (ml_dtypes.bfloat16, 'bf16'), (np.complex64, 'c64'), (np.complex128, 'c128'),
    (ml_dtypes.float8_e5m2, 'f8E5M2'), (ml_dtypes.float8_e4m3fn, 'f8E4M3FN'), (ml_dtypes.int4, 's4'),
    (ml_dtypes.uint4, 'u4'), (ml_dtypes.int2, 's2'), (ml_dtypes.uint2, 'u2')]}
DTYPES = {n: d for d, n in NAMES.items()}
INTEGERS = ['s2', 's4', 's8', 's16', 's32', 's64', 'u2', 'u4', 'u8', 'u16', 'u32', 'u64']
HALVES = ['f16', 'bf16']
FLOATS = HALVES + ['f32', 'f64']
COMPLEX = ['c64', 'c128']


def number(v, dtype):
    f = float(v)
    if f != f:
        return '-nan' if np.signbit(v) else 'nan'
    if f in (np.inf, -np.inf):
        return 'inf' if f > 0 else '-inf'
    if f == int(f) and abs(f) < 1e6:
        return ('-' if np.signbit(f) else '') + str(abs(int(f)))
    for text in (str(v), repr(f)):
        try:
            back = np.asarray(float(text)).astype(np.float32 if dtype.itemsize < 4 else dtype).astype(dtype)
        except ValueError:
            continue
        if back == v:
            return text
    return f.hex()


def element(v, dtype):
    if dtype == np.bool_:
        return str(int(v))
    if dtype.kind == 'c':
        part = np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)
        return number(v.real, part) + '|' + number(v.imag, part)
    if dtype.kind in 'iu' or NAMES[dtype][0] in 'su':
        return str(int(v))
    return number(v, dtype)


def tensor(a):
    if not hasattr(a, 'dtype'):
        raise TypeError('a NumPy array is wanted: %r' % (a,))
    a = np.asarray(a)
    words, last, count = [], None, 0
    for v in [element(v, a.dtype) for v in a.reshape(-1)] + [None]:
        if v is not None and v == last:
            count += 1
            continue
        if last is not None:
            words += [last + '*' + str(count)] if count > 2 else [last] * count
        last, count = v, 1
    return '%s[%s]:%s' % (NAMES[a.dtype], ','.join(map(str, a.shape)), ','.join(words))


def attribute(v):
    if isinstance(v, str):
        return v
    if isinstance(v, (float, np.floating)):
        return repr(float(v))
    if isinstance(v, (int, np.integer)):
        return str(int(v))
    return ','.join(str(int(i)) for i in v)


class Family:
    def __init__(self, name, source):
        self.name, self.lines, self.seen = name, ['# %s: written by %s.py from %s' % (name, name, source)], set()

    def case(self, op, operands, results, **attributes):
        words = [op] + ['%s=%s' % (k, attribute(v)) for k, v in attributes.items()]
        words += [tensor(a) for a in operands] + ['='] + [tensor(a) for a in results]
        line = ' '.join(words)
        if line not in self.seen:
            self.seen.add(line)
            self.lines.append(line)

    def write(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), self.name + '.txt')
        with open(path, 'w') as stream:
            stream.write('\n'.join(self.lines) + '\n')
        print('%s: %d cases, %d bytes' % (self.name, len(self.lines) - 1, os.path.getsize(path)))
