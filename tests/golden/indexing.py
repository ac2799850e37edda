# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/indexing.txt: padding, dynamic slices, gathers, scatters, masks and moves, over every dtype and every
dtype of indices. What only moves elements is done by JAX or NumPy on the numbers of the elements. Scatters follow the
definition, written out; JAX must agree where it says what happens."""
import numpy as np
from jax import lax
from golden import COMPLEX, DTYPES, FLOATS, INTEGERS, Family
from exact import WIDTHS, array, limits, wrap

rng = np.random.default_rng(7)
family = Family('indexing', 'JAX and NumPy')
ALL = list(DTYPES)
turns = {'data': 0, 'index': 0}


def turn(kind, names):
    turns[kind] += 1
    return names[turns[kind] % len(names)]


def draw(dims, dtype=None):
    dtype = dtype or turn('data', ALL)
    n = int(np.prod(dims))
    values = [int(v) for v in rng.integers(-9, 50, n)]
    if dtype in COMPLEX:
        return (np.array(values) - 1j * rng.integers(0, 9, n)).astype(DTYPES[dtype]).reshape(dims)
    if dtype == 'bool':
        return rng.integers(0, 2, dims).astype(bool)
    return array(dtype, values if dtype in WIDTHS else [float(v) / 4 for v in values]).reshape(dims)


def index_array(values, dtype=None):
    """Indices in the next integer dtype that holds them; below 0 an unsigned one holds a number far out instead."""
    values = np.asarray(values)
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for _ in range(len(INTEGERS)):
        name = dtype or turn('index', INTEGERS)
        first, last = limits(name)
        if high <= last and (first <= low or (name[0] == 'u' and last > high + 8)):
            break
    far = [last, last - 1, last // 2 + 5]
    flat = [int(v) if v >= first else far[-int(v) % 3] for v in values.reshape(-1)]
    return array(name, flat).reshape(values.shape)


def as_int32(indices):
    return np.array([min(max(int(v), -2 ** 31), 2 ** 31 - 1) for v in indices.reshape(-1)], np.int32).reshape(indices.shape)


def moved(op, x, f, operands=(), **attributes):
    """A case in which f moves elements: it is applied to their numbers, 0 being the number of the first further operand."""
    numbers = np.asarray(f((np.arange(x.size, dtype=np.int32) + 1).reshape(x.shape)))
    fill = operands[0].reshape(1) if operands and operands[0].dtype == x.dtype and operands[0].ndim == 0 else np.zeros(1, x.dtype)
    table = np.concatenate([fill, x.reshape(-1)])
    family.case(op, [x, *operands], [table[numbers].astype(x.dtype)], **attributes)


# ---- padding and dynamic slices ----

def pads():
    for _ in range(130):
        rank = int(rng.integers(0, 4))
        x = draw(rng.integers(0, 5, rank))
        interior = rng.integers(0, 3, rank)
        full = [d + max(d - 1, 0) * i for d, i in zip(x.shape, interior)]
        low = [int(rng.integers(-min(2, f), 4)) for f in full]
        high = [int(rng.integers(-min(2, max(f + l, 0)), 4)) if f + l >= 0 else -(f + l) for f, l in zip(full, low)]
        value = draw([], [n for n, d in DTYPES.items() if d == x.dtype][0])
        moved('pad', x, lambda v: lax.pad(v, np.int32(0), list(zip(low, high, map(int, interior)))), [value],
              low=low, high=high, interior=interior)


def clamped(starts, dims, sizes):
    return [np.int32(min(max(int(s), 0), d - n)) for s, d, n in zip(starts, dims, sizes)]


def dynamic():
    for n in range(130):
        rank = int(rng.integers(0, 4))
        x = draw(rng.integers(0, 6, rank))
        sizes = [int(rng.integers(0, d + 1)) for d in x.shape]
        starts = index_array(rng.integers(-4, 9, rank))
        scalars = [starts[i] for i in range(rank)]
        start = clamped(starts, x.shape, sizes)
        if n % 2:
            moved('dynamic_slice', x, lambda v: lax.dynamic_slice(v, start, sizes) if rank else v, scalars, sizes=sizes)
            continue
        update = draw(sizes, [n for n, d in DTYPES.items() if d == x.dtype][0])
        out = x.copy()
        out[tuple(slice(s, s + c) for s, c in zip(start, sizes))] = update
        family.case('dynamic_update_slice', [x, update, *scalars], [out])


def extremes():
    """Starts far outside: the ends of every integer dtype, uint64 beyond int64."""
    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    for name in INTEGERS:
        low, high = limits(name)
        for pair in [(low, 0), (high, 1), (low, high), (high, high), (1, low)]:
            starts = array(name, pair)
            start = clamped(starts, (4, 4), (2, 2))
            family.case('dynamic_slice', [x, starts[0], starts[1]], [x[start[0]:start[0] + 2, start[1]:start[1] + 2]], sizes=[2, 2])
            out = x.copy()
            out[start[0]:start[0] + 2, start[1]:start[1] + 2] = [[-1, -2], [-3, -4]]
            family.case('dynamic_update_slice', [x, np.float32([[-1, -2], [-3, -4]]), starts[0], starts[1]], [out])
        ends = array(name, [low, high, 0, 1, high // 2 + 1])
        rows = [min(max(int(v), 0), 3) for v in ends]
        family.case('gather', [x, ends.reshape(5, 1)], [x[rows]])
        one = np.ones((5, 4), np.float32)
        out = x.copy()
        for v in ends:
            if 0 <= int(v) < 4:
                out[int(v)] += 1
        family.case('scatter_sum', [x, ends.reshape(5, 1), one], [out])
        taken = [min(max(int(v) + (4 if int(v) < 0 else 0), 0), 3) for v in ends]
        family.case('take', [x, ends], [x[taken]], axis=0)


# ---- gather and scatter in their general form ----

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
    index = index_array(index.astype(np.int64))
    holder = len(index_dims) + len(window)
    places = sorted(int(v) for v in rng.permutation(holder)[:len(window)])
    return dims, batch, dropped, window, sizes, mapped, other, index, np.moveaxis(index, -1, axis), axis, places


def with_axis(axes, axis):
    return [a + (a >= axis) for a in axes]


def gathers():
    for _ in range(400):
        dims, batch, dropped, _, sizes, mapped, other, index, at, axis, places = geometry()
        x = draw(dims)
        numbers = lax.GatherDimensionNumbers(tuple(places), tuple(dropped), tuple(mapped), tuple(batch), tuple(other))
        moved('gather_general', x, lambda v: lax.gather(v, as_int32(index), numbers, tuple(sizes), mode='clip'), [at],
              sizes=sizes, offset=places, collapsed=dropped, operand_batch=batch, indices_batch=with_axis(other, axis), map=mapped,
              index_axis=axis)


KINDS = ['sum', 'product', 'max', 'min', 'update']
IN_JAX = {'sum': lax.scatter_add, 'product': lax.scatter_mul, 'max': lax.scatter_max, 'min': lax.scatter_min}


def combined(kind, a, b, dtype):
    """One step, exact: integers wrap, bool sums are or, floats are drawn so that nothing rounds."""
    if kind == 'update':
        return b
    if dtype == 'bool':
        return (a or b) if kind in ('sum', 'max') else (a and b)
    number = complex if dtype in COMPLEX else int if dtype in WIDTHS else float
    a, b = number(a), number(b)
    out = {'sum': lambda: a + b, 'product': lambda: a * b, 'max': lambda: max(a, b), 'min': lambda: min(a, b)}[kind]()
    return array(dtype, [out])[0]


def scatters():
    for n in range(500):
        kind = KINDS[n % 5]
        dtype = 's32' if n % 4 == 0 else turn('data', [d for d in ALL if accepts(kind, d)])
        dims, batch, dropped, window, sizes, mapped, other, index, at, axis, places = geometry()
        x = draw(dims, dtype)
        rest = iter(index.shape[:-1])
        wanted = iter([sizes[a] for a in window])
        shape = [next(wanted) if i in places else next(rest) for i in range(len(places) + index.ndim - 1)]
        updates = draw(shape, dtype)
        if kind == 'product' and dtype not in WIDTHS and dtype != 'bool':  # signs and powers of two never round
            updates = array(dtype, [float(v) for v in rng.choice([1, -1, 2, .5], updates.size)]).reshape(shape) if dtype not in COMPLEX \
                else rng.choice([1, -1, 1j], shape).astype(DTYPES[dtype])
        out = scattered(kind, x, index, updates, places, window, batch, other, mapped, sizes, dtype)
        if dtype == 's32' and kind != 'update':
            numbers = lax.ScatterDimensionNumbers(tuple(places), tuple(dropped), tuple(mapped), tuple(batch), tuple(other))
            assert (np.asarray(IN_JAX[kind](x, as_int32(index), updates, numbers, mode='drop')) == out).all()
        family.case('scatter_general', [x, at, updates], [out], kind=kind, window=places, inserted=dropped,
                    operand_batch=batch, indices_batch=with_axis(other, axis), map=mapped, index_axis=axis)


def accepts(kind, dtype):
    if kind == 'update':
        return True
    return not dtype.startswith('f8') and (dtype not in COMPLEX or kind in ('sum', 'product'))


def scattered(kind, x, index, updates, places, window, batch, other, mapped, sizes, dtype):
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
        out[tuple(start)] = combined(kind, out[tuple(start)], updates[at], dtype)
    return out


# ---- the short forms ----

def short_gathers():
    for dims, index_dims, parts in [([5], [3, 1], 1), ([5, 2], [3, 1], 1), ([5, 2], [2, 3, 2], 2), ([3, 4, 2], [4, 2], 2), ([3, 4], [1], 1), ([4, 3], [], 1), ([3, 2], [0, 1], 1),
                                    ([3, 0], [2, 1], 1)]:
        for _ in range(5):
            x = draw(dims)
            index = index_array(np.stack([rng.integers(0, dims[a], index_dims[:-1]) for a in range(parts)], -1) if index_dims else rng.integers(0, dims[0]))
            places = tuple(index[..., k].astype(int) for k in range(parts)) if index_dims else int(index)
            moved('gather', x, lambda v: v[places], [index])
    for axis in (0, 1, 2):
        for dims in ([4], [2, 2], [], [0]):
            x = draw([3, 4, 5])
            index = rng.integers(-x.shape[axis], x.shape[axis], dims)
            moved('take', x, lambda v: np.take(v, index, axis), [index_array(index, 's8')], axis=axis)
            moved('take', x, lambda v: np.take(v, abs(index) % 3, axis), [index_array(abs(index) % 3)], axis=axis)
    moved('take', draw([0, 3]), lambda v: np.take(v, [0, 2], 1), [np.int32([0, 2])], axis=1)
    moved('take', draw([0]), lambda v: v[:0], [np.int32([])], axis=0)
    moved('gather', draw([0]), lambda v: v[:0], [np.zeros((0, 1), np.int32)])
    for axis in (0, 1):
        for n in (1, 3, 7, 0):
            x = draw([4, 5])
            index = rng.integers(-4, 4, [n, 5] if axis == 0 else [4, n])
            moved('take_along_axis', x, lambda v: np.take_along_axis(v, index, axis), [index_array(index, 's16')], axis=axis)
            values = draw(index.shape, [k for k, d in DTYPES.items() if d == x.dtype][0])
            out = x.copy()
            for at in np.ndindex(*index.shape):
                place = list(at)
                place[axis] = index[at] % x.shape[axis]
                out[tuple(place)] = values[at]
            family.case('put_along_axis', [x, index_array(index, 's32'), values], [out], axis=axis)
    x = draw([4, 5])
    moved('gather_slices', x, lambda v: np.stack([v[s:s + 2] for s in (0, 2, 1)]), [np.int32([[0], [2], [3]][:2] + [[1]])], sliced=[0], sizes=[2])


def short_scatters():
    for name, kind in [('scatter_sum', 'sum'), ('scatter_mul', 'product'), ('scatter_max', 'max'), ('scatter_min', 'min'), ('scatter_update', 'update')]:
        for dtype in ['f32', 's16', 'bf16', 'u4', 'f64']:
            x, index = draw([5, 3], dtype), rng.integers(-1, 6, [7, 1])
            updates = draw([7, 3], dtype)
            if kind == 'product' and dtype not in WIDTHS:
                updates = array(dtype, [float(v) for v in rng.choice([1, -1, 2, .5], 21)]).reshape(7, 3)
            out = scattered(kind, x, index, updates, [1], [1], [], [], [0], [1, 3], dtype)
            family.case(name, [x, index_array(index), updates], [out])
    index, updates = np.int32([[1], [3], [1]]), np.float32([1, 2, 4])
    family.case('scatter', [index, updates], [np.float32([0, 5, 0, 2])], dims=[4], dtype='f32')
    for dtype in ['f32', 's32', 'bf16', 'u8', 'f64', 'c64']:
        x, ids = draw([8, 2], dtype), rng.integers(-1, 5, 8)
        for op, start, step in [('sum', 0, 'sum'), ('prod', 1, 'product'), ('max', None, 'max'), ('min', None, 'min')]:
            if dtype in COMPLEX and start is None:
                continue
            base = start if start is not None else extreme(dtype, op)
            rows = draw([8, 2], dtype) if op != 'prod' or dtype in WIDTHS else (np.sign(x.real) + (x.real == 0)).astype(x.dtype)
            out = np.full((4, 2), np.array(base).astype(DTYPES[dtype]))
            for i, k in enumerate(ids):
                for c in range(2):
                    if 0 <= k < 4:
                        out[k, c] = combined(step, out[k, c], rows[i, c], dtype)
            family.case('segment_' + op, [rows, index_array(ids)], [out], segments=4)
    x, ids = np.float32([[1, 2], [3, 4], [5, 9], [7, 7]]), np.int32([0, 2, 2, 3])
    family.case('segment_mean', [x, ids], [np.float32([[1, 2], [0, 0], [4, 6.5], [7, 7]])], segments=4)


def extreme(dtype, op):
    if dtype in WIDTHS:
        return limits(dtype)[0 if op == 'max' else 1]
    return -np.inf if op == 'max' else np.inf


# ---- masks and moves ----

def masks():
    for rows, columns in [(3, 3), (2, 5), (5, 2), (1, 1), (0, 3)]:
        for k in (-6, -1, 0, 1, 6):
            x = draw([2, rows, columns])
            moved('tril', x, lambda v: np.tril(v, k), k=k)
            moved('triu', x, lambda v: np.triu(v, k), k=k)
            family.case('shaped_lower_triangular', [], [np.tri(rows, columns, k, dtype=bool)], rows=rows, columns=columns, k=k)
            if min(rows, columns) > 0:
                moved('diagonal_of', x, lambda v: np.diagonal(v, k, 1, 2), offset=k, axes=[1, 2])
                y = draw([rows, columns], str(rng.choice(['s32', 'f64', 'c64'])))
                family.case('trace', [y], [np.asarray(np.trace(y, k)).astype(y.dtype)], offset=k, axes=[0, 1])
    for n in (0, 1, 4):
        family.case('lower_triangular', [], [np.tri(n, dtype=bool)], dim=n)
        family.case('upper_triangular', [], [np.tri(n, dtype=bool).T], dim=n)
        family.case('diagonal', [], [np.eye(n, dtype=bool)], dim=n)
    for depth in (0, 1, 5):
        index = rng.integers(-2, 7, [2, 3])
        for dtype in ['f32', 's8', 'bool', 'bf16', 'u2']:
            family.case('one_hot', [index_array(index, 's16')], [(index[..., None] == np.arange(depth)).astype(DTYPES[dtype])], depth=depth, dtype=dtype)


def moves():
    for _ in range(60):
        dims = [int(v) for v in rng.integers(0 if rng.random() < .1 else 1, 5, int(rng.integers(1, 4)))]
        x, axis = draw(dims), int(rng.integers(0, len(dims)))
        n, to = int(rng.integers(-7, 8)), int(rng.integers(0, len(dims)))
        moved('roll', x, lambda v: np.roll(v, n, axis), axis=axis, n=n)
        moved('flip', x, lambda v: np.flip(v, axis), axes=[axis])
        moved('moveaxis', x, lambda v: np.moveaxis(v, axis, to), **{'from': axis, 'to': to})
        counts = [int(v) for v in rng.integers(0 if rng.random() < .1 else 1, 4, int(rng.integers(1, 5)))]
        moved('tile', x, lambda v: np.tile(v, counts), counts=counts)
        moved('repeat', x, lambda v: np.repeat(v, max(n, 0), axis), axis=axis, count=max(n, 0))
        shift(x, axis, min(abs(n), x.shape[axis]), n > 0)
    for dtype in ['f32', 's8', 'u16', 'f64']:
        x = draw([3, 4], dtype)
        for axis in (0, 1):
            d = np.diff(x.astype(np.float64) if dtype in FLOATS else x.astype(np.int64), axis=axis)
            out = array(dtype, [v if dtype in FLOATS else int(v) for v in d.reshape(-1)]).reshape(d.shape)
            family.case('consecutive_difference', [x], [out], axis=axis)
            family.case('consecutive_difference', [x], [np.concatenate([np.take(x, [0], axis), out], axis)], axis=axis, preserve=1)
    a, b, c = draw([2], 'f32'), draw([3], 'f32'), draw([1], 'f32')
    family.case('meshgrid', [a, b, c], np.meshgrid(a, b, c, indexing='ij'))
    family.case('meshgrid', [a], [a])


def shift(x, axis, n, left):
    """The last axis moved, filled with 3 or with the element at the edge."""
    size = x.shape[axis]
    word = 'left' if left else 'right'
    places = np.clip(np.arange(size) + (n if left else -n), 0, size - 1)
    moved('shift', x, lambda v: np.take(v, places, axis) if size else v, axis=axis, direction=word, n=n)
    inside = (np.arange(size) + n < size) if left else (np.arange(size) >= n)
    if x.dtype != bool and 'int2' not in x.dtype.name:
        out = x.copy()
        view = np.moveaxis(out, axis, -1)
        view[...] = np.where(inside, np.moveaxis(np.take(x, places, axis) if size else x, axis, -1), np.array(3).astype(x.dtype))
        family.case('shift_with_scalar', [x], [out], axis=axis, direction=word, n=n, value=3)


pads()
dynamic()
extremes()
gathers()
scatters()
short_gathers()
short_scatters()
masks()
moves()
family.write()
