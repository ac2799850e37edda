# SPDX-License-Identifier: Apache-2.0
"""Golden cases of sorting and selecting: NumPy with ml_dtypes. Orders are made by NumPy's stable argsort and lexsort, which
put NaN last and let -0 and +0 keep their order; a descending one sorts negated values."""
import numpy as np
from golden import DTYPES, Family, HALVES, INTEGERS

rng = np.random.default_rng(8)
family = Family('sorting', 'NumPy %s' % np.__version__)
ODD = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, -np.nan]
REAL = ['bool'] + INTEGERS + HALVES + ['f32', 'f64']
ALL = REAL + ['c64', 'c128']
FLOATS = HALVES + ['f32', 'f64']


def data(name, shape, spread=3):
    """Values with repetitions and, in floats, every kind of odd number."""
    dtype, size = DTYPES[name], int(np.prod(shape))
    if name == 'bool':
        return rng.integers(0, 2, shape).astype(bool)
    if name in INTEGERS:
        bits, signed = int(name[1:]), name[0] == 's'
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        ends = [low, high, 0, low, high]
        v = [ends[i] if i < 5 else max(low, min(high, int(rng.integers(-spread, spread + 1)))) for i in rng.integers(0, 9, size)]
        return np.array(v, dtype=np.int64 if signed else np.uint64).astype(dtype).reshape(shape)
    draw = lambda: np.array([ODD[i] if i < len(ODD) else rng.integers(-4, 5) / 4 + rng.integers(0, 2) * 100
                             for i in rng.integers(0, 20, size)]).reshape(shape)
    if name[0] == 'c':
        z = np.empty(shape, dtype)
        z.real, z.imag = draw(), draw()
        return z
    return draw().astype(dtype)


def parts(x, descending):
    """Keys for lexsort, the most important one last."""
    if x.dtype.kind == 'c':
        return [v for k in (x.imag, x.real) for v in parts(k, descending)]
    if x.dtype == np.bool_:
        x = x.astype(np.int8)
    elif x.dtype.kind in 'iu':
        return [~x if descending else x]
    elif x.dtype.kind != 'f':
        x = x.astype(np.int8 if 'int' in x.dtype.name else np.float32)
    return [-x if descending else x]


def order(keys, axis, descending):
    """Indices along the axis; keys from the most important one on."""
    flags = descending if isinstance(descending, list) else [descending] * len(keys)
    lines = [np.moveaxis(k, axis, -1) for k in keys]
    out = np.empty(lines[0].shape, np.int64)
    for at in np.ndindex(out.shape[:-1]):
        columns = [p for k, f in list(zip(lines, flags))[::-1] for p in parts(k[at], f)]
        out[at] = np.lexsort(columns) if out.shape[-1] else []
    return np.moveaxis(out, -1, axis)


def sort_cases():
    for name in ALL:
        for shape, axis in [([11], 0), ([3, 5], 0), ([3, 5], -1), ([2, 3, 4], 1)]:
            for descending in (False, True):
                x = data(name, shape)
                i = order([x], axis, descending)
                family.case('sort', [x], [np.take_along_axis(x, i, axis)], axis=axis, ascending=int(not descending))
    for name in ('f32', 's4', 'c64'):
        for shape, axis in [([0], 0), ([1], 0), ([0, 3], 0), ([0, 3], 1), ([3, 0], 1), ([1, 1, 5], 2), ([5, 1], 1)]:
            x = data(name, shape)
            family.case('sort', [x], [np.take_along_axis(x, order([x], axis, False), axis)], axis=axis, ascending=1)
    for name in ('f32', 'f64', 'bf16', 's32', 'u64', 's8', 'c64'):
        for n in (25, 64, 300):
            x = data(name, [n], 100)
            family.case('sort', [x], [np.take_along_axis(x, order([x], 0, n == 64), 0)], axis=0, ascending=int(n != 64))
    x = np.array([-np.nan, np.nan, -np.inf, np.inf, -1, 1], np.float32)
    family.case('sort', [x], [np.array([-np.inf, -1, 1, np.inf, np.nan, np.nan], np.float32)], axis=0, ascending=1)
    family.case('sort', [x], [np.array([np.inf, 1, -1, -np.inf, np.nan, np.nan], np.float32)], axis=0, ascending=0)


def quantile_cases():
    for name in FLOATS:
        for shape, axis in [([1], 0), ([2], 0), ([5], 0), ([4, 6], 0), ([4, 6], -1), ([2, 3, 5], 1)]:
            x = rng.normal(size=shape).astype(DTYPES[name])
            wide = x.astype(np.float64)
            scale = float(np.abs(wide).max())
            for q in (0.0, 0.25, 0.3, 0.9, 1.0):
                family.case('quantile', [x], [np.quantile(wide, q, axis=axis).astype(x.dtype)], q=q, axis=axis, scale=scale)
            family.case('median', [x], [np.median(wide, axis=axis).astype(x.dtype)], axis=axis, scale=scale)
        t = DTYPES[name]
        family.case('median', [np.array([1, np.nan, 2], t)], [np.array(np.nan, t)], axis=0)
        family.case('median', [np.zeros([2, 0], t)], [np.full([2], np.nan).astype(t)], axis=1)
        family.case('median', [np.zeros([0, 2], t)], [np.zeros([0], t)], axis=1)
        family.case('median', [np.array([np.inf, -np.inf, np.inf], t)], [np.array(np.inf, t)], axis=0)
        family.case('median', [np.array([np.inf, np.inf], t)], [np.array(np.inf, t)], axis=0)
        family.case('median', [np.array([-np.inf, 1], t)], [np.array(-np.inf, t)], axis=0)
        family.case('quantile', [np.array([-np.inf, 1], t)], [np.array(1, t)], q=1.0, axis=0)
    big = np.array([3e38, 3.2e38], np.float32)
    family.case('median', [big], [np.float32(3.1e38)], axis=0)


def search_cases():
    for name in REAL:
        for n, shape in [(1, [4]), (7, [3, 5]), (8, [6]), (13, []), (0, [3]), (5, [0])]:
            s, v = data(name, [n]), data(name, shape)
            s = s[order([s], 0, False)]
            for right in (0, 1):
                # counted by the definition: those that sorting would put before the value
                less = lambda a, b: (a != a, 0 if a != a else a) < (b != b, 0 if b != b else b)
                found = [sum(1 for a in s.tolist() if (not less(b, a) if right else less(a, b))) for b in v.reshape(-1).tolist()]
                family.case('searchsorted', [s, v], [np.array(found, np.int32).reshape(shape)], right=right)


def unique_cases():
    for name in ALL:
        for shape, size in [([9], 9), ([3, 4], 3), ([6], 10), ([], 2), ([0], 3), ([5], 0)]:
            x = data(name, shape)
            flat = x.reshape(-1)
            flat = flat[order([flat], 0, False)]
            same = lambda a, b: a == b or (a != a and b != b)
            runs = [v for i, v in enumerate(flat) if i == 0 or not same(v, flat[i - 1])]
            fill = np.array(runs[0] if runs else 0).astype(x.dtype) if shape != [6] else np.array(1, x.dtype)
            out = np.array((runs + [fill] * size)[:size], x.dtype)
            operands = [x, fill] if shape == [6] else [x]
            family.case('unique', operands, [out, np.int32(len(runs))], size=size)


def taken(x, i, axis):
    return np.take_along_axis(x, i, axis)


def argsort_cases():
    for name in ALL:
        for shape, axis in [([12], 0), ([3, 5], 0), ([3, 5], -1), ([2, 0], 1)]:
            x = data(name, shape)
            for descending in (False, True):
                i = order([x], axis, descending)
                family.case('argsort', [x], [i.astype(np.int32)], axis=axis, ascending=int(not descending))
        x = data(name, [9])
        for dtype in ('s64', 'u8', 's4'):
            family.case('argsort', [x[:7]], [order([x[:7]], 0, False).astype(np.int8).astype(DTYPES[dtype])], axis=0,
                        ascending=1, dtype=dtype)


def many_cases():
    for name in ALL:
        keys, values = data(name, [4, 6], 1), data(rng.choice(ALL), [4, 6])
        for axis in (0, 1):
            for descending in (False, True):
                i = order([keys], axis, descending)
                family.case('sort_by_key', [keys, values], [taken(values, i, axis)], axis=axis, ascending=int(not descending))
        xs = [data(name, [17], 1), data(rng.choice(ALL), [17], 1), data('s32', [17])]
        for keys in (1, 2, 3):
            for descending in (False, True):
                i = order(xs[:keys], 0, descending)
                family.case('sort_many', xs, [taken(x, i, 0) for x in xs], axis=0, num_keys=keys, ascending=int(not descending))
    payload = [np.arange(8).astype(DTYPES[t]) for t in ('f8E5M2', 'f8E4M3FN')]
    x = data('u8', [8])
    family.case('sort_many', [x] + payload, [taken(v, order([x], 0, False), 0) for v in [x] + payload], axis=0, num_keys=1, ascending=1)


def select_cases():
    for name in REAL:
        for shape, axis, ks in [([1], 0, [1]), ([13], 0, [1, 4, 13]), ([4, 6], 1, [2]), ([4, 6], 0, [3]), ([2, 5, 3], 1, [2]), ([0, 3], 1, [2])]:
            x = data(name, shape)
            # NaN first for the largest: what sorts last in the ascending order, but equal elements by index
            flipped = np.flip(x, axis)
            n = x.shape[axis]
            down = n - 1 - np.flip(order([flipped], axis, False), axis)
            up = order([x], axis, False)
            for k in ks:
                cut = lambda i: np.take(i, range(k), axis)
                family.case('top_k', [x], [taken(x, cut(down), axis), cut(down).astype(np.int32)], k=k, axis=axis)
                family.case('bottom_k', [x], [taken(x, cut(up), axis), cut(up).astype(np.int32)], k=k, axis=axis)
                mask = np.zeros(shape, bool)
                np.put_along_axis(mask, cut(down), True, axis)
                family.case('top_k_mask', [x], [mask], k=k, axis=axis)
        x = data(name, [5])
        family.case('top_k', [x], [taken(x, 4 - np.flip(order([np.flip(x)], 0, False)), 0)[:2],
                                   (4 - np.flip(order([np.flip(x)], 0, False)))[:2]], k=2, axis=0, dtype='s64')
    for name in ('f32', 's64', 'bf16', 'u8'):
        x = data(name, [2, 700], 100)
        down = 699 - np.flip(order([np.flip(x, 1)], 1, False), 1)
        up = order([x], 1, False)
        for k in (5, 40, 300):
            family.case('top_k', [x], [taken(x, down[:, :k], 1), down[:, :k].astype(np.int32)], k=k, axis=1)
            family.case('bottom_k', [x], [taken(x, up[:, :k], 1), up[:, :k].astype(np.int32)], k=k, axis=1)


def func_cases():
    """Comparators by name; cases_sorting.c has the same ones."""
    whole = lambda name, shape: rng.integers(-9, 10, shape).astype(DTYPES[name])
    for name in ('f32', 'f64', 's32', 's8', 'bf16'):
        for shape, axis in [([1], 0), ([2], 0), ([40], 0), ([5, 9], 0), ([5, 9], 1), ([2, 7, 3], 1), ([0, 3], 0), ([3, 0], 1)]:
            x, y = whole(name, shape), whole('s16', shape)
            wide = x.astype(np.float64)
            keys = {'abs': [np.abs(wide)], 'descending': [-wide], 'sum': [wide + y], 'second': [y.astype(np.float64), -wide],
                    'captured': [np.abs(wide - 2)], 'never': [np.zeros(shape)], 'arrays': [wide]}
            for kind, by in keys.items():
                i = order(by, axis, False)
                family.case('sort_func', [x, y], [taken(x, i, axis), taken(y, i, axis)], axis=axis, kind=kind)
    x, y = whole('s32', [700]), whole('s16', [700])
    i = order([np.abs(x.astype(np.float64))], 0, False)
    family.case('sort_func', [x, y], [taken(x, i, 0), taken(y, i, 0)], axis=0, kind='abs')


sort_cases()
func_cases()
argsort_cases()
many_cases()
select_cases()
quantile_cases()
search_cases()
unique_cases()
family.write()
