#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden files of the safetensors format, for tests/tensor/test_safetensors.c.

  safetensors_files.py write FOLDER the files that Python's package writes: theirs.safetensors (every dtype that both have,
                                    metadata, an empty tensor, a scalar) and empty.safetensors
  safetensors_files.py check FILE   reads a file of ours with that package and compares it with what it should hold; run on
                                    the committed ours.safetensors whenever the writer changes

Values are bytes: byte i of a tensor is (7 i + 13 times the tensor's number) mod 251, bools mod 2. Needs the package
safetensors (0.8.0 made the files)."""
import ctypes
import json
import os
import struct
import sys

import safetensors

DTYPES = [('bool', 'BOOL', 1), ('uint8', 'U8', 1), ('int8', 'I8', 1), ('float8_e5m2', 'F8_E5M2', 1),
          ('float8_e4m3fn', 'F8_E4M3', 1), ('int16', 'I16', 2), ('uint16', 'U16', 2), ('float16', 'F16', 2),
          ('bfloat16', 'BF16', 2), ('int32', 'I32', 4), ('uint32', 'U32', 4), ('float32', 'F32', 4),
          ('complex64', 'C64', 8), ('float64', 'F64', 8), ('int64', 'I64', 8), ('uint64', 'U64', 8)]
METADATA = {'text': 'quotes " \\ / and\nlines, \u00e9 \u20ac \U0001f600'}


def elements(number, name, width, shape):
    count = width
    for dim in shape:
        count *= dim
    return bytes((7 * i + 13 * number) % (2 if name == 'bool' else 251) for i in range(count))


def tensors():
    """(name, dtype of the package, name in the file, shape, bytes) of each."""
    for number, (name, code, width) in enumerate(DTYPES):
        yield f'group/{name}', name, code, [2, 3], elements(number, name, width, [2, 3])
    yield 'scalar', 'float32', 'F32', [], elements(20, 'float32', 4, [])
    yield 'empty', 'float64', 'F64', [2, 0, 3], b''
    yield 'empty too', 'float32', 'F32', [0], b''
    yield 'name \u00e9 \u20ac " \\', 'uint8', 'U8', [5], elements(21, 'uint8', 1, [5])


def write(folder):
    buffers, given = [], {}
    for name, dtype, _, shape, data in tensors():
        buffers.append(ctypes.create_string_buffer(data, len(data) + 1))
        given[name] = safetensors.TensorSpec(dtype=dtype, shape=shape, data_ptr=ctypes.addressof(buffers[-1]),
                                             data_len=len(data))
    for path, content, metadata in (('theirs', given, METADATA), ('empty', {}, None)):
        with open(os.path.join(folder, path + '.safetensors'), 'wb') as stream:
            stream.write(safetensors.serialize(content, metadata))


def check(path):
    with open(path, 'rb') as stream:
        raw = stream.read()
    wanted = {name: (code, shape, data) for name, _, code, shape, data in tensors()}
    found = {name: (info['dtype'], list(info['shape']), bytes(info['data'])) for name, info in safetensors.deserialize(raw)}
    assert found == wanted, sorted(set(found) ^ set(wanted)) or [n for n in wanted if found[n] != wanted[n]]
    length = struct.unpack('<Q', raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    assert header['__metadata__'] == METADATA, header['__metadata__']
    assert list(header)[1:] == [name for name, *_ in tensors()], 'order'
    assert length % 8 == 0
    for name, info in header.items():
        if name != '__metadata__':
            width = next(width for _, code, width in DTYPES if code == info['dtype'])
            assert info['data_offsets'][0] % width == 0, name
    print(path, 'holds what it should')


if __name__ == '__main__':
    {'write': write, 'check': check}[sys.argv[1]](sys.argv[2])
