# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/fft.txt: discrete Fourier transforms by NumPy in extended precision, rounded once."""
import numpy as np
from golden import Family

rng = np.random.default_rng(2)
family = Family('fft', 'NumPy in extended precision')
COMPLEX = {'c64': np.complex64, 'c128': np.complex128}
REAL = {'c64': np.float32, 'c128': np.float64}
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 20, 22, 23, 25, 27, 29, 31, 32, 37, 49, 53, 60, 64, 77,
           97, 100, 121, 127, 128, 143]
PRIMES = [211, 263]  # too long a prime for anything but Bluestein's way


def draw(shape, dtype):
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == 'c':
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def wide(x):
    return x.astype(np.clongdouble if x.dtype.kind == 'c' else np.longdouble)


def result(y, name):
    return y.astype(COMPLEX[name] if y.dtype.kind == 'c' else REAL[name])


def transform(op, x, name, axes=None, lengths=None):
    attributes = {}
    if axes is not None:
        attributes['axes'] = axes
    if lengths is not None:
        attributes['lengths'] = lengths
    inside = axes if axes is not None else range(-len(lengths) if lengths else -1, 0)
    if op.endswith('n') and axes is None and lengths is None:
        inside = range(x.ndim)
    function = getattr(np.fft, op if op.endswith('n') else op + 'n')
    family.case(op, [x], [result(function(wide(x), lengths, list(inside)), name)], **attributes)


def operand(op, shape, name, complete=True):
    if op.startswith('rfft'):
        return draw(shape, REAL[name])
    if op.startswith('irfft') and complete:
        shape = list(shape)
        shape[-1] = shape[-1] // 2 + 1
    return draw(shape, COMPLEX[name])


def one_axis():
    for i, n in enumerate(LENGTHS):
        for name in COMPLEX:
            for k, op in enumerate(['fft', 'ifft', 'rfft', 'irfft']):
                if n > 17 and ((i + k) % 4 if n > 32 else (i + k) % 2) != (name == 'c64'):
                    continue
                transform(op, operand(op, [n], name), name, lengths=[n])
    for n in PRIMES:
        transform('fft', draw([n], np.complex64), 'c64')
        transform('ifft', draw([n], np.complex128), 'c128')
        transform('rfft', draw([n], np.float32), 'c64')
        transform('irfft', draw([n // 2 + 1], np.complex128), 'c128', lengths=[n])


def many_lines():
    for rows in [1, 2, 3, 8, 15, 17, 33]:
        for n in [1, 3, 8]:
            for op in ['fft', 'rfft', 'irfft']:
                transform(op, operand(op, [rows, n], 'c64'), 'c64', lengths=[n])
        transform('ifft', draw([rows, 4], np.complex128), 'c128')
    for inner in [2, 16, 21]:
        for op in ['fftn', 'ifftn', 'rfftn', 'irfftn']:
            transform(op, operand(op, [3, inner, 4], 'c64'), 'c64', axes=[0, 2], lengths=[3, 4])
    for op in ['fftn', 'ifftn']:
        transform(op, draw([3, 2, 17], np.complex64), 'c64', axes=[0, 1])
        transform(op, draw([2, 6, 9], np.complex128), 'c128', axes=[1])


def several_axes():
    for name in COMPLEX:
        for shape in [[4, 6], [3, 5], [7, 1, 2], [2, 2, 2, 3]]:
            for op in ['fftn', 'ifftn', 'rfftn']:
                transform(op, operand(op, shape, name), name)
            transform('irfftn', operand('irfftn', shape, name), name, axes=list(range(len(shape))), lengths=shape)
        for axes in [[0], [1], [2], [2, 0], [1, 0, 2], [-1, -2]]:
            for op in ['fftn', 'ifftn', 'rfftn']:
                transform(op, operand(op, [2, 4, 3], name), name, axes=axes)
            transform('irfftn', operand('irfftn', [4, 3, 2], name, False), name, axes=axes)


def cut_and_filled():
    for n in [1, 2, 3, 6, 7]:
        for op in ['fft', 'ifft', 'rfft', 'irfft']:
            transform(op, operand(op, [2, 5], 'c128', False), 'c128', lengths=[n])
    for lengths in [[2, 8], [5, 3]]:
        for op in ['fft', 'ifft', 'rfft', 'irfft']:
            transform(op, operand(op, [2, 4, 5], 'c64', False), 'c64', lengths=lengths)
        for op in ['fftn', 'ifftn', 'rfftn', 'irfftn']:
            transform(op, operand(op, [4, 4, 5], 'c64', False), 'c64', axes=[2, 0], lengths=lengths)


def empty():
    for shape in [[0, 3], [2, 0, 4]]:
        for name in COMPLEX:
            family.case('fft', [draw(shape, COMPLEX[name])], [draw(shape, COMPLEX[name])])
            half = shape[:-1] + [shape[-1] // 2 + 1]
            family.case('rfft', [draw(shape, REAL[name])], [draw(half, COMPLEX[name])])
            family.case('irfft', [draw(half, COMPLEX[name])], [draw(shape, REAL[name])], lengths=[shape[-1]])
    for shape in [[0], [3, 0]]:  # of length 0: there is nothing to transform
        family.case('fft', [draw(shape, np.complex64)], [draw(shape, np.complex64)])
        family.case('rfft', [draw(shape, np.float32)], [draw(shape, np.complex64)])
        family.case('irfft', [draw(shape, np.complex64)], [draw(shape, np.float32)])


def around():
    for shape in [[1], [2], [5], [4, 3], [0, 2]]:
        x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        for axes in [list(range(len(shape))), [0], [-1]]:
            family.case('fftshift', [x], [np.fft.fftshift(x, axes)], axes=axes)
            family.case('ifftshift', [x], [np.fft.ifftshift(x, axes)], axes=axes)
    for n in [1, 2, 3, 8, 9]:
        for dtype in [np.float32, np.float64]:
            family.case('fftfreq', [], [np.fft.fftfreq(n, 0.25).astype(dtype)], n=n, spacing=0.25, dtype=name_of(dtype))
            family.case('rfftfreq', [], [np.fft.rfftfreq(n, 0.1).astype(dtype)], n=n, spacing=0.1, dtype=name_of(dtype))


def name_of(dtype):
    return 'f32' if dtype == np.float32 else 'f64'


one_axis()
many_lines()
several_axes()
cut_and_filled()
empty()
around()
family.write()
