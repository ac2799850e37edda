#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden files of NumPy's formats, for tests/tensor/test_npy.c.

  npy_files.py write FOLDER    what NumPy writes: npy_NAME.npy for each case below, npz_stored.npz and npz_deflated.npz with
                               all plain ones, npz_stream.npz as written to something that cannot seek
  npy_files.py check FILE...   reads files of ours (the committed npy_ours.npz and npz_ours_deflated.npz) and compares them
                               with what they should hold; run whenever the writers change

Element i of an array, in row-major order, is what `values` says. Needs NumPy 2 and ml_dtypes."""
import io
import os
import sys

import ml_dtypes
import numpy as np

PLAIN = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32', 'float64',
         'complex64', 'complex128']
RAW = ['bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4', 'int2', 'uint2']


def values(name, shape):
    i = np.arange(int(np.prod(shape))).reshape(shape)
    if name == 'bool':
        return i % 3 == 1
    if name in RAW:
        low = 2 if name.startswith('int') else 0
        return ((i % 4) - (low if name.startswith('int') else 0)).astype(getattr(ml_dtypes, name))
    x = i * 3 - (5 if not name.startswith('uint') else 0)
    return (x + 1j * i if name.startswith('complex') else x).astype(name)


def cases():
    for name in PLAIN:
        yield name, values(name, (2, 3))
    yield 'scalar', values('float32', ())
    yield 'empty', values('float64', (2, 0, 3))
    yield 'vector', values('float64', (184,))
    yield 'rank8', values('int32', (1, 2, 1, 3, 1, 2, 1, 1))


def others():
    for name in RAW:
        yield name, values(name, (3, 3))
    for name in ('int16', 'float32', 'complex128'):
        yield 'big_' + name, values(name, (2, 3)).astype(np.dtype(name).newbyteorder('>'))
    yield 'fortran', np.asfortranarray(values('int32', (2, 3, 4)))
    yield 'big_fortran', np.asfortranarray(values('float64', (3, 5)).astype('>f8'))
    yield 'structure', np.zeros(2, dtype=[('a', '<f4'), ('b', '<i2')])
    yield 'objects', np.array([1, 'a'], dtype=object)
    yield 'text', np.array(['a', 'bc'])
    yield 'dates', np.array(['2020-01-01'], dtype='M8[D]')
    yield 'long_double', np.zeros(2, dtype=np.longdouble)


class Stream(io.RawIOBase):
    """Takes bytes in order alone, as a pipe does."""
    def __init__(self, stream):
        self.stream = stream

    def writable(self):
        return True

    def write(self, data):
        return self.stream.write(data)


def write(folder):
    for name, array in list(cases()) + list(others()):
        np.save(os.path.join(folder, f'npy_{name}.npy'), array)
    for version in ((2, 0), (3, 0)):
        with open(os.path.join(folder, f'npy_version{version[0]}.npy'), 'wb') as stream:
            np.lib.format.write_array(stream, values('int32', (2, 3)), version=version)
    np.savez(os.path.join(folder, 'npz_stored.npz'), **dict(cases()))
    np.savez_compressed(os.path.join(folder, 'npz_deflated.npz'), **dict(cases()), long=values('int64', (100, 100)))
    with open(os.path.join(folder, 'npz_stream.npz'), 'wb') as stream:
        np.savez(Stream(stream), a=np.arange(3, dtype='<i4'), b=np.float32(2))


def check(path):
    with np.load(path) as found:
        wanted = dict(cases())
        wanted['long'] = values('int64', (100, 100))
        assert list(found) == list(wanted), list(found)
        for name, array in wanted.items():
            assert found[name].dtype == array.dtype and found[name].shape == array.shape, name
            assert (found[name] == array).all(), name
    print(path, 'holds what it should')


if __name__ == '__main__':
    if sys.argv[1] == 'write':
        write(sys.argv[2])
    else:
        for argument in sys.argv[2:]:
            check(argument)
