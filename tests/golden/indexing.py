# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/indexing.txt: calls of the indexing primitives on small integers with the results of JAX.

One case a line, words separated by spaces: operation, then lists "n v0 v1 ...": dimensions of x, of the indices and of
the second operand, then the attributes, then the data, then the result's dimensions and data. What a list is for each
operation is said where it is written, and read in tests/backend/test_indexing.c in the same order."""
import os
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax

rng = np.random.default_rng(7)
lines = []


def words(a):
    a = [int(v) for v in np.asarray(a).reshape(-1)]
    return ' '.join(map(str, [len(a)] + a))


def case(op, lists, out):
    out = np.asarray(out)
    lines.append(' '.join([op] + [words(v) for v in lists] + [words(out.shape), words(out)]))


def ints(shape, lo=1, hi=50):
    return rng.integers(lo, hi, shape).astype(np.int32)


def pads():
    for _ in range(120):
        rank = int(rng.integers(0, 4))
        x = ints(rng.integers(0, 5, rank))
        interior = rng.integers(0, 3, rank)
        full = [d + max(d - 1, 0) * i for d, i in zip(x.shape, interior)]
        low = [int(rng.integers(-min(2, f), 4)) for f in full]
        high = [int(rng.integers(-min(2, max(f + l, 0)), 4)) if f + l >= 0 else -(f + l) for f, l in zip(full, low)]
        value = np.int32(-7)
        out = lax.pad(x, value, list(zip(low, high, map(int, interior))))
        case('pad', [x.shape, low, high, interior, x], out)


def dynamic():
    for _ in range(80):
        rank = int(rng.integers(0, 4))
        x = ints(rng.integers(0, 6, rank))
        sizes = [int(rng.integers(0, d + 1)) for d in x.shape]
        starts = rng.integers(-4, 9, rank).astype(np.int32)
        start = [np.int32(np.clip(s, 0, d - n)) for s, d, n in zip(starts, x.shape, sizes)]
        case('dynamic_slice', [x.shape, sizes, starts, x], lax.dynamic_slice(x, start, sizes) if rank else x)
        update = ints(sizes, 100, 200)
        case('dynamic_update_slice', [x.shape, sizes, starts, x, update],
             lax.dynamic_update_slice(x, update, start) if rank else update)


def geometry():
    """A random operand shape with axes dealt to batching, dropped and window, and indices for it."""
    rank = int(rng.integers(1, 5))
    dims = [int(rng.integers(1, 5)) for _ in range(rank)]
    roles = rng.integers(0, 4, rank)          # 0 batch, 1 dropped, 2 and 3 window
    batch = [a for a in range(rank) if roles[a] == 0][:2]
    dropped = [a for a in range(rank) if roles[a] == 1]
    window = [a for a in range(rank) if a not in batch and a not in dropped]
    sizes = [1 if a not in window else int(rng.integers(1, dims[a] + 1)) for a in range(rank)]
    mapped = [a for a in range(rank) if a not in batch and (a in dropped or sizes[a] < dims[a] or rng.random() < .3)]
    mapped = [int(a) for a in rng.permutation(mapped)]
    free = [int(rng.integers(0 if rng.random() < .05 else 1, 5)) for _ in range(int(rng.integers(0, 3)))]
    order = [int(v) for v in rng.permutation(len(batch) + len(free))]
    index_dims = [(([dims[a] for a in batch]) + free)[v] for v in order]
    other = [order.index(i) for i in range(len(batch))]
    index = np.stack([rng.integers(-2, dims[a] + 2, index_dims) for a in mapped], -1) if mapped else \
        np.zeros(index_dims + [0])
    axis = int(rng.integers(0, len(index_dims) + 1))
    moved = np.moveaxis(index, -1, axis).astype(np.int32)
    holder = len(index_dims) + len(window)
    places = sorted(int(v) for v in rng.permutation(holder)[:len(window)])
    return dims, batch, dropped, window, sizes, mapped, other, index.astype(np.int32), moved, axis, places


def with_axis(axes, axis):
    return [a + (a >= axis) for a in axes]


def gathers():
    for _ in range(400):
        dims, batch, dropped, _, sizes, mapped, other, index, moved, axis, places = geometry()
        x = ints(dims)
        numbers = lax.GatherDimensionNumbers(tuple(places), tuple(dropped), tuple(mapped), tuple(batch), tuple(other))
        out = lax.gather(x, index, numbers, tuple(sizes), mode='clip')
        case('gather', [dims, moved.shape, sizes, places, dropped, batch, with_axis(other, axis), mapped, [axis], x, moved], out)


def scatters():
    kinds = [lax.scatter_add, lax.scatter_mul, lax.scatter_max, lax.scatter_min, None]
    for n in range(500):
        kind = n % 5
        dims, batch, dropped, window, sizes, mapped, other, index, moved, axis, places = geometry()
        x = ints(dims)
        rest = iter(index.shape[:-1])
        wanted = iter([sizes[a] for a in window])
        shape = [next(wanted) if i in places else next(rest) for i in range(len(places) + index.ndim - 1)]
        updates = ints(shape, -3, 60)
        numbers = lax.ScatterDimensionNumbers(tuple(places), tuple(dropped), tuple(mapped), tuple(batch), tuple(other))
        if kinds[kind]:
            out = kinds[kind](x, index, updates, numbers, mode='drop')
        else:
            out = update(x, index, updates, places, window, batch, other, mapped, sizes)
        case('scatter', [[kind], dims, moved.shape, shape, places, dropped, batch, with_axis(other, axis), mapped,
                         [axis], x, moved, updates], out)


def update(x, index, updates, places, window, batch, other, mapped, sizes):
    """Replacing in row-major order, written out: JAX does not say which update stays."""
    out = x.copy()
    for at in np.ndindex(*updates.shape):
        b = [at[i] for i in range(len(at)) if i not in places]
        start = [0] * x.ndim
        for k, a in enumerate(mapped):
            start[a] = int(index[tuple(b) + (k,)])
        for a, o in zip(batch, other):
            start[a] = b[o]
        if any(s < 0 or s + n > d for s, n, d in zip(start, sizes, x.shape)):
            continue
        for place, a in zip(places, window):
            start[a] += at[place]
        out[tuple(start)] = updates[at]
    return out


pads()
dynamic()
gathers()
scatters()
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'indexing.txt'), 'w') as stream:
    stream.write('\n'.join(lines) + '\n')
