# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/shape.txt: operations that move, repeat or count elements, with NumPy, over every dtype and with
dimensions of 0 and 1."""
import numpy as np
from golden import COMPLEX, DTYPES, FLOATS, INTEGERS, Family
from exact import WIDTHS, array

rng = np.random.default_rng(59)
family = Family('shape', 'NumPy')
ALL = list(DTYPES)
turn = 0


def draw(dims, dtype=None):
    """Numbers of the next dtype in turn; elements differ where the dtype has room."""
    global turn
    dtype = dtype or ALL[turn % len(ALL)]
    turn += 1
    n = int(np.prod(dims))
    if dtype in WIDTHS:
        return array(dtype, [int(v) for v in rng.permutation(n)]).reshape(dims)
    if dtype in COMPLEX:
        return (rng.permutation(n) - 1j * np.arange(n)).astype(DTYPES[dtype]).reshape(dims)
    if dtype == 'bool':
        return rng.integers(0, 2, dims).astype(bool)
    return array(dtype, [float(v) - n // 2 for v in rng.permutation(n)]).reshape(dims)


def dims_at_random(low=0, high=4):
    rank = int(rng.integers(low, high + 1))
    return [int(v) for v in rng.choice([0, 1, 2, 3, 4, 5], rank, p=[.04, .16, .25, .25, .2, .1])]


def moves():
    for _ in range(130):
        x = draw(dims_at_random())
        order = [int(v) for v in rng.permutation(x.ndim)]
        family.case('transpose_all_axes', [x], [np.transpose(x, order)], permutation=order)
        axes = [a for a in range(x.ndim) if rng.random() < .5]
        family.case('reverse', [x], [np.flip(x, tuple(axes)) if axes else x], axes=axes)
        starts = [int(rng.integers(0, d + 1)) for d in x.shape]
        limits = [int(rng.integers(s, d + 1)) for s, d in zip(starts, x.shape)]
        strides = [int(rng.integers(1, 4)) for _ in x.shape]
        family.case('slice', [x], [x[tuple(slice(*t) for t in zip(starts, limits, strides))]], starts=starts, limits=limits, strides=strides)
    for dims, to in [([6], [2, 3]), ([2, 3], [6]), ([2, 3], [3, -1]), ([4], [1, 2, 2]), ([], [1, 1]), ([1], []), ([0, 3], [5, 0]), ([0], [0, 7]), ([2, 3, 4], [4, 6]),
                     ([24], [2, 3, 4]), ([5, 1, 3], [15]), ([3, 1, 5], [3, 5])]:
        for _ in range(4):
            x = draw(dims)
            family.case('reshape', [x], [x.reshape(to)], dims=to)


def broadcasts():
    for _ in range(120):
        dims = dims_at_random(0, 4)
        axes = sorted(a for a in range(len(dims)) if rng.random() < .6)
        own = [1 if rng.random() < .25 else dims[a] for a in axes]
        order = [int(v) for v in rng.permutation(len(axes))]
        x = draw([own[i] for i in order])
        mapping = [axes[i] for i in order]
        middle = [1] * len(dims)
        for a, d in zip(axes, own):
            middle[a] = d
        out = np.broadcast_to(np.transpose(x, [order.index(i) for i in range(len(axes))]).reshape(middle), dims)
        family.case('broadcast_in_dim', [x], [out], dims=dims, mapping=mapping)


def joins():
    for n in range(80):
        dims = dims_at_random(1, 3)
        axis = int(rng.integers(0, len(dims)))
        dtype = ALL[n % len(ALL)]
        parts = [draw(dims[:axis] + [int(rng.integers(0, 4))] + dims[axis + 1:], dtype) for _ in range(int(rng.integers(1, 5)))]
        family.case('concatenate', parts, [np.concatenate(parts, axis)], axis=axis)
        same = [draw(dims, dtype) for _ in range(int(rng.integers(1, 4)))]
        family.case('stack', same, [np.stack(same, axis)], axis=axis)
        x = draw(dims[:axis] + [dims[axis] * 2] + dims[axis + 1:], dtype)
        family.case('split', [x], np.split(x, 2, axis), axis=axis)


def counts():
    for dtype in FLOATS + INTEGERS + COMPLEX:
        for dims, axis in [([5], 0), ([3, 4], 0), ([3, 4], 1), ([2, 1, 3], 1), ([0, 3], 1), ([300], 0)]:
            steps = np.broadcast_to(np.arange(dims[axis]).reshape([-1 if a == axis else 1 for a in range(len(dims))]), dims)
            family.case('iota', [], [stored(steps, dtype)], dims=dims, axis=axis, dtype=dtype)


def stored(values, dtype):
    if dtype in COMPLEX:
        return values.astype(DTYPES[dtype])
    return array(dtype, [int(v) for v in values.reshape(-1)]).reshape(values.shape)


def axes():
    for _ in range(25):
        x = draw(dims_at_random(0, 3))
        places = sorted(int(v) for v in rng.permutation(x.ndim + 2)[:2])
        family.case('expand_axes', [x], [np.expand_dims(x, tuple(places))], axes=places)
        y = np.expand_dims(x, tuple(places))
        family.case('squeeze', [y], [x], axes=places)


moves()
broadcasts()
joins()
counts()
axes()
family.write()
