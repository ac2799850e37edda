# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/indices.txt: segments, indices as values, parts by index, counting, growing and shifting, from NumPy. Elements are small integers, which every dtype holds."""
import numpy as np
import exact
from golden import Family

rng = np.random.default_rng(41)
family = Family('indices', 'NumPy')
ALL = ['bool', 's4', 'u8', 's32', 'f16', 'bf16', 'f32', 'f64', 'c64']
turn = 0


def array(name, values):
    a = np.asarray(values)
    return exact.array(name, [v.item() for v in a.reshape(-1)]).reshape(a.shape)


def pick(names, n=3):
    """A few dtypes, others each time."""
    global turn
    turn += 1
    return [names[(turn * 2 + i * 4) % len(names)] for i in range(min(n, len(names)))]


def draw(name, shape):
    if name == 'bool':
        return rng.integers(0, 2, shape).astype(bool)
    return rng.integers(0 if name[0] == 'u' else -7, 8, shape)


def case(op, shapes, compute, names=ALL, several=3, **attributes):
    for name in sorted(set(pick(names, several))):
        values = [draw(name, s) for s in shapes]
        family.case(op, [array(name, v) for v in values], [array(name, compute(*values))], **attributes)


# ---- growing and shifting by values ----
for shape, axis in (((5,), 0), ((2, 4), -1), ((3, 2), 0), ((2, 3, 2), 1), ((0,), 0), ((2, 0), 1)):
    for n in {0, 1, shape[axis], 2}:
        filled = shape[:axis % len(shape)] + (n,) + shape[axis % len(shape) + 1:]
        case('grow_left', [shape], lambda x: np.concatenate([np.full(filled, 1), x], axis), axis=axis, n=n, fill=1)
        case('grow_right', [shape], lambda x: np.concatenate([x, np.full(filled, 1)], axis), axis=axis, n=n, fill=1)
        if n > shape[axis]:
            continue
        for left in (0, 1):
            body = lambda x: np.take(x, range(n if left else 0, shape[axis] - (0 if left else n)), axis)
            both = (lambda x, y: np.concatenate([body(x), y], axis)) if left else (lambda x, y: np.concatenate([y, body(x)], axis))
            case('shift_with_value', [shape, filled], both, axis=axis, n=n, left=left)
            case('shift_with_value', [shape, ()], lambda x, v: both(x, np.broadcast_to(v, filled)), axis=axis, n=n, left=left)
for shape in ((5,), (2, 4), (3, 0)):
    for n in {0, 1, shape[-1]}:
        if n <= shape[-1]:
            case('shift_left', [shape], lambda x: np.concatenate([x[..., n:], np.ones(shape[:-1] + (n,))], -1), n=n, fill=1)
            case('shift_right', [shape], lambda x: np.concatenate([np.ones(shape[:-1] + (n,)), x[..., :shape[-1] - n]], -1), n=n, fill=1)
for rows, columns, k in ((3, 3, 0), (2, 4, 1), (4, 2, -1), (0, 2, 0)):
    case('take_lower_triangular', [(rows, columns)], lambda x: np.tril(x, k), k=k)
    case('take_upper_triangular', [(2, rows, columns)], lambda x: np.triu(x, k), k=k)
for dim in (0, 1, 3):
    case('diagonal_with_value', [()], lambda v: np.diag(np.full(dim, v)), dim=dim)

# ---- segments, put ----
IDS = np.array([1, 0, 3, 1, -1, 1, 4, 0])
for name in ('s32', 'u8', 'f32', 'f64', 'f16', 'bf16'):
    for more in ((), (2,), (0,)):
        for ids_dtype in ('s32', 's8') if more == () else ('s64',):
            x = draw(name, (8,) + more) % 4
            inside = [np.nonzero(IDS == s)[0] for s in range(4)]
            limits = {'s32': (-2 ** 31, 2 ** 31 - 1), 'u8': (0, 255)}.get(name, (-np.inf, np.inf))
            ids = array(ids_dtype, IDS)
            for op, reduce in (('sum', lambda v: v.sum(0)), ('prod', lambda v: v.prod(0)), ('max', lambda v: v.max(0, initial=limits[0])), ('min', lambda v: v.min(0, initial=limits[1]))):
                wide = x.astype(float if name[0] in 'fb' else int)
                family.case('segment_' + op, [array(name, x), ids], [array(name, np.stack([reduce(wide[i]) for i in inside]))], segments=4)
            if name[0] in 'fb':
                mean = np.stack([wide[i].sum(0) / max(len(i), 1) for i in inside])
                family.case('segment_mean', [array(name, x), ids], [array(name, mean)], segments=4)
HALF = np.full(300, 0.1) + np.arange(300) / 1024
for name in ('f16', 'bf16'):  # sums that halves could not carry
    x = array(name, HALF)
    mean = x.astype(float).reshape(2, 150).mean(1)
    family.case('segment_mean', [x, array('s32', np.arange(300) // 150)], [array(name, mean)], segments=2)
for name in ('f32', 'f64', 'f16', 'bf16'):
    x = array(name, [1, 2, -np.inf, 0.5, 3, -np.inf, 7, 0])
    ids = np.array([0, 0, 1, 2, 2, 1, 5, 2])
    w = x.astype(float)
    e = np.zeros(8)
    for s in range(3):
        i = np.nonzero(ids == s)[0]
        if np.isfinite(w[i]).any():
            e[i] = np.exp(w[i] - w[i].max()) / np.exp(w[i] - w[i].max()).sum()
    family.case('segment_softmax', [x, array('s32', ids)], [array(name, e)], segments=3)
    family.case('ragged2d_softmax', [x[:6], array('s64', ids[:6])], [array(name, np.where(np.arange(6) > 2, np.where(np.arange(6) == 5, 0, np.exp(w[:6] - 3) / (1 + np.exp(-2.5))), e[:6]))], rows=3)
x = array('f32', [1, 2, 5, 4])
for op, want in (('sum', [3, 0, 9]), ('max', [2, -np.inf, 5]), ('min', [1, np.inf, 4])):
    family.case('ragged2d_%s' % op, [x, array('s32', [0, 0, 2, 2])], [array('f32', want)], rows=3)
for shape, axis in (((4,), 0), ((3, 4), -1), ((4, 2), 0), ((2, 4, 3), 1)):
    for name in pick(['s32', 'f32', 'f64', 'u8', 'c64']):
        x, i = draw(name, shape), np.array([0, -1, 3, 9])
        part = np.moveaxis(x, axis, 0)
        v = draw(name, shape[:axis % len(shape)] + (4,) + shape[axis % len(shape) + 1:])
        rows = np.moveaxis(v, axis % len(shape), 0)
        for kind, combine in (('sum', lambda a, b: a + b), ('mul', lambda a, b: a * b), ('update', lambda a, b: b), ('max', np.maximum), ('min', np.minimum)):
            if name == 'c64' and kind in ('max', 'min'):
                continue
            y = part.copy()
            for n, index in enumerate(i):
                if index < 4:
                    y[index] = combine(y[index], rows[n])
            family.case('put', [array(name, x), array('s32', i), array(name, v)], [array(name, np.moveaxis(y, 0, axis))], axis=axis, kind=kind)
        y = part.copy()
        y[[2, 0]] = v.reshape(-1)[0]
        family.case('put', [array(name, x), array('s32', [2, 0]), array(name, v.reshape(-1)[0])], [array(name, np.moveaxis(y, 0, axis))], axis=axis, kind='update')

# ---- indices as values, parts, counting ----
for dims in ([2, 3, 4], [3], [1, 1], [2, 0], [0]):
    grid = np.stack(np.meshgrid(*[np.arange(d) for d in dims], indexing='ij'), -1).reshape(int(np.prod(dims)), len(dims))
    family.case('indices_for_shape', [], [array('s64', grid)], dims=dims)
    size = int(np.prod(dims))
    for name in ('s32', 's8', 'u64', 's64'):
        numbers = np.array([0, size - 1, size // 2, size + 5] + ([-3] if name[0] == 's' else [])).clip(0 if name[0] == 'u' else -3)
        inside = numbers.clip(0, max(size - 1, 0))
        where = np.stack(np.unravel_index(inside, dims), -1) if size else np.zeros((len(numbers), len(dims)), int)
        family.case('unravel_index', [array(name, numbers)], [array(name, where)], dims=dims)
        family.case('ravel_index', [array(name, where)], [array('s64', inside)], dims=dims)
family.case('unravel_index', [array('s32', [[5, 1], [0, 3]])], [array('s32', np.stack(np.unravel_index([[5, 1], [0, 3]], (2, 3)), -1))], dims=[2, 3])
family.case('unravel_index', [np.array(2 ** 64 - 1, np.uint64)], [array('u64', [1, 2])], dims=[2, 3])
family.case('unravel_index', [array('s8', [120])], [array('s8', [[0, 120]])], dims=[200, 200])
wide = [201996, 201996]  # the product does not fit into 32 bits
for name, numbers in (('s64', [0, 40802384015, 201996]), ('s32', [0, 201996, 2 ** 31 - 1])):
    where = np.stack(np.unravel_index(numbers, wide), -1)
    family.case('unravel_index', [array(name, numbers)], [array(name, where)], dims=wide)
    family.case('ravel_index', [array(name, where)], [array('s64', numbers)], dims=wide)
family.case('ravel_index', [array('s32', [[5, -1], [1, 9]])], [array('s64', [3, 5])], dims=[2, 3])
for shape, index in (((3, 4, 5), [2, -1]), ((3, 4), [0]), ((3, 4), [-3, 3]), ((3,), []), ((), []), ((2, 0), [1])):
    at = tuple(index)
    case('part_at', [shape], lambda x: x[at], index=index)
    def updated(x, v):
        x = x.copy()
        x[at] = v
        return x
    case('update_at', [shape, shape[len(index):]], updated, index=index)
    case('update_at', [shape, ()], updated, index=index)
for numbers in ([0, 1, 1, 3, 2, 1, 7, -2], [[4, 4], [0, 9]], np.zeros((0,), int)):
    n = np.asarray(numbers)
    inside = n[(n >= 0) & (n < 5)].reshape(-1)
    for name in ('s32', 's8', 's64'):
        family.case('bincount', [array(name, n)], [array('s32', np.bincount(inside, minlength=5))], length=5)
    for name in ('f32', 'f64', 's32', 'u8', 'c64', 'bf16'):
        w = draw(name, n.shape) % 5
        sums = np.zeros(5, int)
        np.add.at(sums, inside, w[(n >= 0) & (n < 5)].reshape(-1))
        family.case('bincount_weighted', [array('s32', n), array(name, w)], [array(name, sums)], length=5)
family.case('bincount', [array('u8', [0, 255, 3])], [array('s32', [1, 0, 0, 1])], length=4)
family.case('bincount', [array('s32', [0, 0])], [array('s32', [])], length=0)
for name in ('f32', 'f64', 'bf16', 'f16'):
    for bins, low, high in ((5, 0.0, 1.0), (10, -1.0, 1.0), (1, 0.0, 2.0), (7, -0.3, 0.9)):
        x = array(name, np.concatenate([rng.uniform(-1.2, 1.2, 40), [0, 1, -1, 0.5, 0.2, 0.1, 0.9, -0.3, np.inf, -np.inf, np.nan]]))
        w = x.astype(float)
        family.case('histogram', [x], [array('s32', np.histogram(w[np.isfinite(w)], bins, (low, high))[0])], bins=bins, low=low, high=high)
x = rng.integers(-5, 15, (4, 5))
family.case('histogram', [array('s32', x)], [array('s32', np.histogram(x, 4, (0, 10))[0])], bins=4, low=0.0, high=10.0)

# ---- barriers ----
for name in ALL + ['s2', 'u4', 'f8E5M2', 'f8E4M3FN', 'u64', 'c128']:
    shape = pick([(3,), (), (2, 3), (0, 2), (7,)], 1)[0]
    x = array(name, rng.integers(0, 2, shape))
    family.case('optimization_barrier', [x], [x])
    family.case('optimization_barriers', [x, array('s32', [1, 2]), x], [x, array('s32', [1, 2]), x])
    family.case('scheduling_barrier', [x, array('f32', [np.nan]), x], [x])
for name in ('f16', 'bf16', 'f32', 'f64'):
    x = array(name, [np.nan, np.inf, -np.inf, -0.0, 0.0, 5])
    family.case('optimization_barrier', [x], [x])

family.write()
