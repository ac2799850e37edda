# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/quantize.txt: blocks of GGML taken apart by the package gguf, linear and NF4 matrices and ONNX's
quantization of activations by NumPy."""
import ml_dtypes
import numpy as np
from gguf.constants import GGMLQuantizationType
from gguf.quants import dequantize
from golden import Family

rng = np.random.default_rng(6)
family = Family('quantize', 'gguf and NumPy')
# bytes, values, places of half-precision numbers
TYPES = {'q4_0': (18, 32, [0]), 'q8_0': (34, 32, [0]), 'iq4_nl': (18, 32, [0]), 'q2_k': (84, 256, [80, 82]),
         'q3_k': (110, 256, [108]), 'q4_k': (144, 256, [0, 2]), 'q5_k': (176, 256, [0, 2]), 'q6_k': (210, 256, [208])}


def blocks(name, rows, count):
    size, _, places = TYPES[name]
    w = rng.integers(0, 256, (rows, count, size), np.uint8)
    for at in places:
        w[:, :, at:at + 2] = rng.normal(0, 0.1, (rows, count, 1)).astype(np.float16).view(np.uint8).reshape(rows, count, 2)
    return w.reshape(rows, count * size)


for name in TYPES:
    for rows, count in [(1, 1), (2, 3)]:
        w = blocks(name, rows, count)
        family.case('dequantize', [w], [dequantize(w, GGMLQuantizationType[name.upper()])], type=name)

NF4 = np.array([-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                -0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725,
                0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023,
                1], np.float32)


def spread(s, axis, size, shape):
    return np.repeat(s, size, axis)[:shape[0], :shape[1]]


for dtype in [np.int8, np.uint8, ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, np.int16, np.int32]:
    for axis, size, shape in [(1, 3, (2, 7)), (1, 4, (3, 8)), (0, 2, (5, 4)), (0, 8, (3, 2))]:
        low, high = {'int4': (-8, 8), 'uint4': (0, 16), 'int2': (-2, 2), 'uint8': (0, 256)}.get(
            np.dtype(dtype).name, (-128, 128))
        q = rng.integers(low, high, shape).astype(dtype)
        blocks_shape = list(shape)
        blocks_shape[axis] = -(-shape[axis] // size)
        scale, zero = (rng.normal(0, 1, blocks_shape).astype(np.float32) for _ in range(2))
        wide = q.astype(np.float32) * spread(scale, axis, size, shape)
        family.case('dequantize', [q, scale], [wide], scheme='linear', axis=axis, size=size)
        family.case('dequantize', [q, scale, zero], [wide + spread(zero, axis, size, shape)], scheme='linear', axis=axis,
                    size=size)
        if np.dtype(dtype).name in ('int4', 'uint4'):
            levels = NF4[q.astype(np.int32) & 15] * spread(scale, axis, size, shape)
            family.case('dequantize', [q, scale], [levels], scheme='nf4', axis=axis, size=size)


def saturate(x, dtype):
    info = ml_dtypes.iinfo(dtype)
    return np.clip(np.nan_to_num(x, nan=0, posinf=1e9, neginf=-1e9), int(info.min), int(info.max)).astype(np.int32).astype(dtype)


def quantize(x, scale, zero, dtype):
    wide = np.float64 if x.dtype == np.float64 else np.float32
    steps = np.rint(x.astype(wide) / scale.astype(wide)) + (0 if zero is None else zero.astype(wide))
    return saturate(steps, dtype)


ties = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, -128.5, 300, -300, np.inf, -np.inf, np.nan, 0, -0.0])
for x, scale in [(np.array([0.050018310546875, -0.050018310546875], np.float16), np.float16(0.0999755859375)),
                 (ties.astype(np.float32), np.float32(1)), (ties, np.float64(0.5)), (ties.astype(np.float16), np.float16(2)),
                 (ties.astype(ml_dtypes.bfloat16), np.asarray(0.5, ml_dtypes.bfloat16)),
                 (rng.normal(0, 40, 40).astype(np.float32), np.float32(0.37))]:
    for dtype, zero in [(np.int8, 3), (np.uint8, 127), (np.int16, -7), (np.uint16, 40000), (ml_dtypes.int4, 1), (ml_dtypes.uint4, 8)]:
        for z in [None, np.asarray(zero).astype(dtype)]:
            operands = [x, np.asarray(scale)] + ([] if z is None else [z])
            family.case('quantize_linear', operands, [quantize(x, np.asarray(scale), z, dtype)],
                        dtype=('s' if np.dtype(dtype).name[0] == 'i' else 'u') + np.dtype(dtype).name.lstrip('uint'))

for q, zero in [(np.array([-128, -1, 0, 5, 127], np.int8), np.int8(-3)), (np.array([0, 9, 255], np.uint8), np.uint8(128)),
                (np.array([0, 15], ml_dtypes.uint4), np.asarray(8, ml_dtypes.uint4))]:
    for scale in [np.float32(0.37), np.float16(0.1), np.float64(-3.5)]:
        wide = np.float64 if scale.dtype == np.float64 else np.float32
        steps = q.astype(wide)
        family.case('dequantize_linear', [q, np.asarray(scale)], [(steps * wide(scale)).astype(scale.dtype)])
        family.case('dequantize_linear', [q, np.asarray(scale), np.asarray(zero)],
                    [((steps - wide(zero)) * wide(scale)).astype(scale.dtype)])

for x in [[-127, 128, 0.5], [-253, 257], [0, 0], [1, 2, 3, 4], [-1, -2.5], [1e-40, 0], [3.4e38, 0], rng.normal(1, 2, 33)]:
    x = np.array(x, np.float32)
    low, high = min(x.min(), np.float32(0)), max(x.max(), np.float32(0))
    scale = np.float32((high - low) / np.float32(255))
    scale = scale if scale != 0 else np.float32(1)
    zero = saturate(np.rint(-low / scale), np.uint8)
    family.case('quantize_dynamic', [x], [quantize(x, scale, np.asarray(zero), np.uint8), np.asarray(scale), np.asarray(zero)])
family.write()
