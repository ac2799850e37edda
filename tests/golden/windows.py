# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/windows.txt: windows of every kind by JAX (integers by JAX in 64 bits, wrapped afterwards), special
values and pools by going through each window's elements in Python, interpolation by numpy.interp. Sums are of small integers,
which every order adds exactly, so nearly all results are exact."""
import itertools
import math
import jax
jax.config.update('jax_enable_x64', True)
import numpy as np
from jax import lax
from jax._src.lax.windowed_reductions import _select_and_scatter_add
from golden import DTYPES, FLOATS, HALVES, INTEGERS, Family
from exact import array, limits, wrap

np.seterr(all='ignore')
rng = np.random.default_rng(17)
family = Family('windows', 'JAX, NumPy and plain loops')
KINDS = {'sum': (lax.add, 0), 'product': (lax.mul, 1), 'max': (lax.max, None), 'min': (lax.min, None),
         'and': (lax.bitwise_and, -1), 'or': (lax.bitwise_or, 0), 'xor': (lax.bitwise_xor, 0)}
NAN, INF = math.nan, math.inf


def pick(least, most):
    return int(rng.integers(least, most + 1))


def geometry(dilated, rank=None):
    dims, window, strides, base, dilation, low, high = ([] for _ in range(7))
    for _ in range(rank or pick(1, 4)):
        plain = rng.random() < .3
        dims.append(pick(1, 5) if len(dims) > 1 else pick(1, 9))
        base.append(pick(1, 3) if dilated and not plain and rng.random() < .3 else 1)
        dilation.append(pick(1, 3) if dilated and not plain and rng.random() < .3 else 1)
        window.append(1 if plain else pick(1, 4))
        strides.append(1 if plain else pick(1, 3))
        low.append(0 if plain or rng.random() < .5 else pick(-1 if dilated else 0, 2))
        high.append(0 if plain or rng.random() < .5 else pick(-1 if dilated else 0, 2))
        missing = (window[-1] - 1) * dilation[-1] + 1 - ((dims[-1] - 1) * base[-1] + 1 + low[-1] + high[-1])
        high[-1] += max(0, missing)
    return dims, window, strides, base, dilation, low, high


def draw(dtype, dims, kind='sum'):
    if dtype == 'bool':
        return rng.random(dims) < .5
    if dtype in ('c64', 'c128'):
        return (rng.integers(-3, 4, dims) + 1j * rng.integers(-3, 4, dims)).astype(DTYPES[dtype])
    if dtype in FLOATS:
        values = rng.choice([1, 2, -1, -2, .5], dims) if kind == 'product' else rng.integers(-9, 10, dims)
        return array(dtype, [float(v) for v in values.reshape(-1)]).reshape(dims)
    least, most = limits(dtype)
    values = rng.integers(max(least, -2 ** 40), min(most, 2 ** 40), int(np.prod(dims)), endpoint=True)
    return array(dtype, [int(v) for v in values]).reshape(dims)


def wide(x, dtype):
    """In a dtype that JAX has, without loss."""
    if dtype in INTEGERS:
        return np.array([int(v) for v in x.reshape(-1)], np.uint64 if dtype == 'u64' else np.int64).reshape(x.shape)
    return x if dtype in ('bool', 'c64', 'c128') else x.astype(np.float64)


def narrow(y, dtype):
    y = np.asarray(y)
    if dtype in INTEGERS:
        return array(dtype, [wrap(int(v), dtype) for v in y.reshape(-1)]).reshape(y.shape)
    if dtype in ('bool', 'c64', 'c128'):
        return y.astype(DTYPES[dtype])
    return array(dtype, [float(v) for v in y.reshape(-1)]).reshape(y.shape)


def neutral(kind, dtype):
    if kind in ('max', 'min'):
        if dtype == 'bool':
            return kind == 'min'
        if dtype in INTEGERS:
            return limits(dtype)[kind == 'min']
        return -INF if kind == 'max' else INF
    return kind == 'and' if dtype == 'bool' else KINDS[kind][1]


def attributes(kind, window, strides, base, dilation, low, high):
    lists = dict(kind=kind, window=window, strides=strides, base=base, dilation=dilation, low=low, high=high)
    return {k: v for k, v in lists.items() if not (k in ('base', 'dilation') and set(v) <= {1})}


def reduce_window(kind, dtype, rank=None):
    dims, window, strides, base, dilation, low, high = geometry(True, rank)
    x = draw(dtype, dims, kind)
    w = wide(x, dtype)
    init = neutral(kind, dtype)
    init = np.asarray(wrap(init, 'u64') if dtype == 'u64' else init, w.dtype)
    y = lax.reduce_window(w, init, KINDS[kind][0], window, strides, list(zip(low, high)), base, dilation)
    family.case('reduce_window', [x], [narrow(y, dtype)], **attributes(kind, window, strides, base, dilation, low, high))


def reduce_windows():
    for dtype in FLOATS + INTEGERS + ['bool', 'c64', 'c128']:
        for kind in KINDS:
            if kind in ('and', 'or', 'xor') and dtype not in INTEGERS + ['bool']:
                continue
            if (kind in ('max', 'min') and dtype[0] == 'c') or (kind in ('sum', 'product') and dtype == 'bool'):
                continue
            for _ in range(8 if dtype == 'f32' else 3):
                reduce_window(kind, dtype)
    for rank in (1, 2, 3, 4, 5, 6):
        for kind in ('sum', 'max'):
            reduce_window(kind, 'f32', rank)


def select_and_scatter():
    for n in range(110):
        dims, window, strides, _, _, low, high = geometry(False)
        kind = 'max' if n % 2 else 'min'
        dtype = (FLOATS + ['f32', 's32', 's8', 's64', 'f32', 's16'])[n % 10]
        x = draw(dtype, dims)
        counts = lax.reduce_window(np.zeros(dims), 0., lax.add, window, strides, list(zip(low, high))).shape
        if 0 in counts or any(v >= w for v, w in zip(low, window)) or any(v >= w for v, w in zip(high, window)):
            continue  # windows without elements: what JAX gives then is not said anywhere
        source = draw(dtype, counts)
        pick_first = lax.ge_p if kind == 'max' else lax.le_p
        y = _select_and_scatter_add(wide(source, dtype).astype(np.float64), wide(x, dtype).astype(np.float64), pick_first,
                                    tuple(window), tuple(strides), tuple(zip(low, high)))
        family.case('select_and_scatter', [x, source], [narrow(np.asarray(y), dtype)], kind=kind, window=window,
                    strides=strides, low=low, high=high)


# ---- windows one by one ----

def elements(x, window, strides, low, high):
    """The list of elements of each window, and the number of windows along each axis."""
    counts = [max(0, (n + l + h - w) // s + 1) for n, w, s, l, h in zip(x.shape, window, strides, low, high)]
    lists = []
    for at in itertools.product(*[range(c) for c in counts]):
        places = [[i * s - l + k for k in range(w) if 0 <= i * s - l + k < n]
                  for i, s, l, w, n in zip(at, strides, low, window, x.shape)]
        lists.append([x[p] for p in itertools.product(*places)])
    return lists, counts


def extreme(values, sign):
    values = [float(v) for v in values]
    if any(v != v for v in values):
        return NAN
    key = lambda v: (v, math.copysign(1, v))
    return (max(values, key=key) if sign > 0 else min(values, key=key)) if values else -sign * INF


def special_values():
    rows = [[NAN, 1, 2, 3], [1, 2, NAN, 3, 0, 0], [INF, 1, -INF, 2], [-0.0, 0.0, -0.0, -0.0], [0.0, -0.0], [-INF, -INF, 1],
            [5e-324, -5e-324, 1e300], [-NAN, 1, 2]]
    for dtype in FLOATS:
        for row in rows:
            for window, stride, low in [(2, 1, 0), (2, 1, 1), (3, 2, 2)]:
                x = array(dtype, row)
                if window > len(row) + low:
                    continue
                lists, counts = elements(x, [window], [stride], [low], [0])
                for kind, sign in [('max', 1), ('min', -1)]:
                    y = array(dtype, [extreme(v, sign) for v in lists])
                    family.case('reduce_window', [x], [y], kind=kind, window=[window], strides=[stride], low=[low], high=[0])
                sums = [float(np.sum(np.asarray(v, np.float64))) if v else 0. for v in lists]
                family.case('reduce_window', [x], [array(dtype, [v + 0.0 for v in sums])], kind='sum', window=[window],
                            strides=[stride], low=[low], high=[0])


def empty():
    for dtype in ('f32', 's8', 'bool', 'c64'):
        for kind in ('sum', 'max', 'and'):
            if (kind == 'sum' and dtype == 'bool') or (kind == 'max' and dtype == 'c64') or (kind == 'and' and dtype[0] in 'fc'):
                continue
            for dims, window, low in [([0], [1], [0]), ([0], [2], [3]), ([0, 2], [1, 2], [2, 0]), ([2, 0], [2, 1], [0, 0])]:
                counts = [n + l - w + 1 if n + l else 0 for n, w, l in zip(dims, window, low)]
                y = np.full(counts, narrow(np.asarray(neutral(kind, dtype)), dtype), DTYPES[dtype])
                family.case('reduce_window', [draw(dtype, dims)], [y], kind=kind, window=window, strides=[1] * len(dims),
                            low=low, high=[0] * len(dims))


# ---- pools ----

def pool_setup():
    spatial = pick(1, 3)
    dims = [pick(2, 7) for _ in range(spatial)]
    window = [pick(1, min(3, n)) for n in dims]
    mode = pick(0, 3)
    strides = [pick(1, 3) for _ in dims]
    low, high, words = [0] * spatial, [0] * spatial, dict(window=window)
    if mode == 0:
        strides = window  # what is left out
    elif mode == 1:
        low, high = [(w - 1) // 2 for w in window], [w // 2 for w in window]
        words['same'] = 1
        if rng.random() < .5:
            strides = [1] * spatial
        else:
            words['strides'] = strides
    else:
        words['strides'] = strides
    if mode == 3:
        low, high = [pick(0, w) for w in window], [pick(0, w) for w in window]
        words.update(low=low, high=high)
    return dims, window, strides, low, high, words


def arrange(dims, window, strides, low, high, form):
    """Lists over all axes of x, whose layout is `form`: last, first or full."""
    if form == 'full':
        return dims, window, strides, low, high, {'full': 1}
    around = (lambda v, o: [o[0], o[1]] + v) if form == 'first' else (lambda v, o: [o[0]] + v + [o[1]])
    extra = {'first': 1} if form == 'first' else {}
    return (around(dims, [pick(1, 2), pick(1, 3)]), around(window, [1, 1]), around(strides, [1, 1]), around(low, [0, 0]),
            around(high, [0, 0]), extra)


def f32(v):
    return np.float32(v)


def mean_of(values, dtype):
    if not values:
        return NAN
    if dtype == 'f64':
        return float(np.float64(sum(float(v) for v in values)) / np.float64(len(values)))
    return float(f32(sum(float(v) for v in values)) / f32(len(values)))


def pools():
    for n in range(120):
        form = ['last', 'first', 'last', 'full'][n % 4]
        dims, window, strides, low, high, words = pool_setup()
        dims, window, strides, low, high, extra = arrange(dims, window, strides, low, high, form)
        words.update(extra)
        dtype = FLOATS[n % 4] if n % 3 else 'f32'
        x = draw(dtype, dims)
        lists, counts = elements(x, window, strides, low, high)
        shaped = lambda values: array(dtype, values).reshape(counts)
        family.case('max_pool', [x], [shaped([extreme(v, 1) for v in lists])], **words)
        family.case('mean_pool', [x], [shaped([mean_of(v, dtype) for v in lists])], **words)
        if n % 2:
            family.case('min_pool', [x], [shaped([extreme(v, -1) for v in lists])], **words)
            family.case('sum_pool', [x], [shaped([float(sum(float(e) for e in v)) for v in lists])], **words)
        if n % 4 == 3:
            continue
        p = [1.0, 2.0, 3.0, 1.5, INF][n % 5]
        norms = [max([abs(float(e)) for e in v], default=0.) if p == INF else sum(abs(float(e)) ** p for e in v) ** (1 / p)
                 for v in lists]
        family.case('lp_pool', [x], [shaped(norms)], p=p, **words)


def concat_pools():
    for n in range(40):
        form = ['last', 'first'][n % 2]
        dims, window, strides, low, high, words = pool_setup()
        dims, window, strides, low, high, extra = arrange(dims, window, strides, low, high, form)
        words.update(extra)
        x = draw(['f32', 'f16', 's8', 's64', 'bool', 'u4'][n % 6], dims)
        padded = np.zeros([d + l + h for d, l, h in zip(dims, low, high)], x.dtype)
        padded[tuple(slice(l, l + d) for l, d in zip(low, dims))] = x
        parts = []
        for place in itertools.product(*[range(w) for w in window]):
            parts.append(padded[tuple(slice(k, padded.shape[i] - window[i] + k + 1, strides[i]) for i, k in enumerate(place))])
        family.case('concat_pool', [x], [np.concatenate(parts, 1 if form == 'first' else -1)], **words)


def adaptive_pools():
    for n in range(40):
        form = ['last', 'first'][n % 2]
        spatial = pick(1, 2)
        dims, sizes = [pick(1, 9) for _ in range(spatial)], [pick(1, 5) for _ in range(spatial)]
        first = 1 if form == 'last' else 2
        shape = [2] + dims + [3] if form == 'last' else [2, 3] + dims
        dtype = FLOATS[n % 4]
        x = draw(dtype, shape)
        out = shape[:first] + sizes + shape[first + spatial:]
        means, most = [], []
        for at in itertools.product(*[range(m) for m in out]):
            bins = [range(i, i + 1) for i in at]
            for k in range(spatial):
                i, m, d = at[first + k], sizes[k], dims[k]
                bins[first + k] = range(i * d // m, -(-(i + 1) * d // m))
            values = [float(x[p]) for p in itertools.product(*bins)]
            means.append(math.fsum(values) / len(values))
            most.append(extreme(values, 1))
        words = dict(sizes=sizes, **({'first': 1} if form == 'first' else {}))
        family.case('adaptive_mean_pool', [x], [array(dtype, means).reshape(out)], scale=9.0, **words)
        family.case('adaptive_max_pool', [x], [array(dtype, most).reshape(out)], **words)


# ---- interpolation ----

def positions(n, m, align, half, nearest):
    i = np.arange(m)
    if align:
        return i * (n - 1) / (m - 1) if m > 1 else i * 0.
    if not half:
        return i * n / m
    return (i + .5) * n / m - (0 if nearest else .5)


def interpolate():
    for n in range(90):
        rank = pick(1, 4)
        dims = [pick(1, 7) for _ in range(rank)]
        sizes = [[-1, d, pick(1, 9), pick(1, 4)][pick(0, 3)] for d in dims]
        nearest, align, half = n % 3 == 0, n % 4 == 1, n % 5 != 2
        if align:
            half = False
        dtype = (['f32', 's8', 'bool', 'f16', 'c64'] if nearest else FLOATS)[n // 3 % (5 if nearest else 4)]
        x = draw(dtype, dims)
        y = x if nearest else x.astype(np.float64)
        for axis, (d, m) in enumerate(zip(dims, sizes)):
            if m < 0 or m == d:
                continue
            at = positions(d, m, align, half, nearest)
            if nearest:
                y = np.take(y, np.clip(np.rint(at) if align else np.floor(at), 0, d - 1).astype(int), axis)
            else:
                y = np.apply_along_axis(lambda line: np.interp(at, np.arange(d), line), axis, y)
        words = dict(sizes=sizes)
        if nearest:
            words['nearest'] = 1
        if align:
            words['align'] = 1
        elif not half:
            words['half'] = -1
        elif n % 2:
            words['half'] = 1
        if not nearest:
            words['scale'] = 9.0
        family.case('interpolate', [x], [y if nearest else narrow(y, dtype)], **words)
    for dtype in FLOATS:  # a weight of 0 takes nothing of an infinite neighbour
        x = array(dtype, [1, INF, 3, NAN])
        family.case('interpolate', [x], [array(dtype, [1, INF, INF, INF, 3, NAN, NAN])], sizes=[7], align=1, scale=9.0)


reduce_windows()
select_and_scatter()
special_values()
empty()
pools()
concat_pools()
adaptive_pools()
interpolate()
family.write()
