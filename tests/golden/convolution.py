# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/convolution.txt: convolutions of small integers with the results of JAX.

One case a line, words separated by spaces: the operation, then lists "n v0 v1 ...". For conv: dimensions of x and the
kernel; layouts of input, kernel and output; strides, low, high, input dilations, kernel dilations, reversed; the two
numbers of groups. For transpose: dimensions of x and the kernel; [channels first, transpose kernel, padding (0 valid,
1 same, 2 given)], strides, low, high, dilations. Then the data of x and the kernel, the result's dimensions, the result.
Read in tests/backend/test_convolution.c in the same order."""
import os
import numpy as np
from jax import lax

rng = np.random.default_rng(11)
lines = []


def words(a):
    a = [int(v) for v in np.asarray(a).reshape(-1)]
    return ' '.join(map(str, [len(a)] + a))


def case(op, lists, out):
    out = np.asarray(out)
    lines.append(' '.join([op] + [words(v) for v in lists] + [words(out.shape), words(out)]))


def ints(shape):
    return rng.integers(-3, 4, shape).astype(np.float32)


def pick(least, most, n):
    return [int(v) for v in rng.integers(least, most + 1, n)]


def some(chance, least, most, n, otherwise=1):
    return pick(least, most, n) if rng.random() < chance else [otherwise] * n


def arranged(sizes, axes):
    """Dimensions of an array whose axis axes[i] has sizes[i]."""
    dims = [0] * len(sizes)
    for size, axis in zip(sizes, axes):
        dims[axis] = size
    return dims


def layout(rank):
    usual = [list(range(rank)), [0, rank - 1] + list(range(1, rank - 1)), [rank - 1, rank - 2] + list(range(rank - 2))]
    return usual[int(rng.integers(0, 3))] if rng.random() < 0.5 else [int(v) for v in rng.permutation(rank)]


def convolution(spatial, large):
    rank = spatial + 2
    groups, batch_groups = 1, 1
    draw = rng.random()
    if draw < 0.3:
        groups = int(rng.integers(2, 5))
    elif draw < 0.45:
        batch_groups = int(rng.integers(2, 4))
    per_group = 1 if rng.random() < 0.4 and groups > 1 else int(rng.integers(1, 5))
    out = groups * batch_groups * int(rng.integers(1, 4))
    if large:
        per_group, out = int(rng.integers(1, 20)), groups * batch_groups * int(rng.integers(1, 24))
    batch = batch_groups * int(rng.integers(1, 3))
    most = {0: 1, 1: 17, 2: 7, 3: 4, 4: 3}[spatial]
    dims, kernel = pick(1, most, spatial), pick(1, min(most, 4), spatial)
    strides, dilations = some(0.5, 1, 3, spatial), some(0.4, 1, 3, spatial)
    spread = some(0.4, 1, 3, spatial)
    low, high = some(0.7, -1, 3, spatial, 0), some(0.7, -1, 3, spatial, 0)
    for i in range(spatial):
        if (dims[i] - 1) * spread[i] + 1 + low[i] + high[i] < 0:
            low[i] = high[i] = 0
    reverse = some(0.3, 0, 1, spatial, 0)
    empty = rng.random()
    if empty < 0.02:
        per_group = 0
    elif empty < 0.04:
        batch = 0
    elif empty < 0.06 and spatial:
        dims[0], low[0], high[0] = 0, 2, 3
    elif empty < 0.08:
        out = 0
    axes = [layout(rank) for _ in range(3)]
    x = ints(arranged([batch, per_group * groups] + dims, axes[0]))
    w = ints(arranged([out, per_group] + kernel, axes[1]))
    turned = lax.rev(w, [axes[1][i + 2] for i in range(spatial) if reverse[i]])
    numbers = lax.ConvDimensionNumbers(*[tuple(a) for a in axes])
    y = expected(x, turned, strides, list(zip(low, high)), spread, dilations, numbers, groups, batch_groups)
    case('conv', [x.shape, w.shape] + axes + [strides, low, high, spread, dilations, reverse, [groups, batch_groups], x, w],
         y)


def expected(x, w, strides, pads, spread, dilations, numbers, groups, batch_groups):
    """JAX refuses a batch of 0 with groups and some other empty shapes; the result is then empty or zero."""
    try:
        return lax.conv_general_dilated(x, w, strides, pads, lhs_dilation=spread, rhs_dilation=dilations,
                                        dimension_numbers=numbers, feature_group_count=groups,
                                        batch_group_count=batch_groups, precision='highest')
    except (TypeError, ValueError, ZeroDivisionError, RuntimeError) as error:
        raise SystemExit(f'{x.shape} {w.shape} {strides} {pads} {spread} {dilations} {numbers}: {error}')


def transpose():
    spatial = int(rng.integers(1, 4))
    first, turned, padding = pick(0, 1, 2) + [int(rng.integers(0, 3))]
    strides, dilations = pick(1, 3, spatial), some(0.4, 1, 2, spatial)
    batch, channels, out = pick(1, 3, 3)
    dims, kernel = pick(1, 4 if spatial < 3 else 2, spatial), pick(1, 3, spatial)
    low, high = pick(0, 3, spatial), pick(2, 4, spatial)
    letters = 'DHW'[3 - spatial:]
    if first:
        names, x = ('NC' + letters, 'OI' + letters, 'NC' + letters), ints([batch, channels] + dims)
        w = ints(([channels, out] if turned else [out, channels]) + kernel)
    else:
        names, x = ('N' + letters + 'C', letters + 'IO', 'N' + letters + 'C'), ints([batch] + dims + [channels])
        w = ints(kernel + ([out, channels] if turned else [channels, out]))
    pads = ['VALID', 'SAME', list(zip(low, high))][padding]
    y = lax.conv_transpose(x, w, strides, pads, rhs_dilation=dilations, dimension_numbers=names,
                           transpose_kernel=bool(turned), precision='highest')
    case('transpose', [x.shape, w.shape, [first, turned, padding], strides, low, high, dilations, x, w], y)


for number in range(260):
    convolution([2, 1, 2, 3, 2, 0, 1, 2, 4, 2][number % 10], number % 9 == 3)
for number in range(60):
    transpose()
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'convolution.txt'), 'w') as stream:
    stream.write('\n'.join(lines) + '\n')
