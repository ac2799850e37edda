# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/rows.txt: softmax and its relatives, masked reductions, deviations, norms, similarities and
activations, from their formulas in NumPy's 80-bit floats, mpmath's erfc for gelu. Operands of softmax are multiples of 1/64,
so that differences within a row are exact and the tolerances need not speak of their size."""
import warnings
import numpy as np
import mpmath
from fractions import Fraction
import exact
from golden import FLOATS, Family

np.seterr(all='ignore')
warnings.simplefilter('ignore')
mpmath.mp.dps = 40
rng = np.random.default_rng(21)
family = Family('rows', 'formulas in 80-bit floats, mpmath')
INF, NAN = np.inf, np.nan
SHAPES = [((4, 5), [-1]), ((4, 5), [0]), ((4, 5), []), ((2, 3, 4), [0, 2]), ((2, 3, 4), [1]), ((3, 1), [-1]), ((7,), [0]),
          ((3, 0), [-1]), ((0, 3), [-1]), ((2, 33), [1])]


def number(v):
    """An element as exact.array wants it: long doubles keep their 64 bits as fractions."""
    if isinstance(v, np.longdouble):
        return Fraction(*v.as_integer_ratio()) if np.isfinite(v) and v != 0 else float(v)
    return v.item() if hasattr(v, 'item') else v


def array(name, values):
    a = np.asarray(values)
    return exact.array(name, [number(v) for v in a.reshape(-1)]).reshape(a.shape)


def wide(a):
    return np.asarray(a).astype(np.longdouble)


def axes_of(axes, rank, default=None):
    axes = axes or (list(range(rank)) if default is None else [default])
    return tuple(a % rank for a in axes)


def grid(name, shape, step=64, spread=8):
    """Multiples of 1/step; in bfloat16, which has 8 bits, of 1/8."""
    step = min(step, 8) if name == 'bf16' else step
    return array(name, np.round(rng.uniform(-spread, spread, shape) * step) / step)


SPECIAL = np.array([[1, -INF, 2, -INF], [-INF, -INF, -INF, -INF], [0, 0, 0, 0], [1, INF, 2, 3], [NAN, 1, 2, 3],
                    [-INF, -INF, 5, -INF], [60, -60, 0, 59], [INF, INF, -INF, 0]])
MASK = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [1, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 1], [0, 1, 0, 0],
                 [0, 0, 0, 1]], bool)

# ---- softmax ----


def softmax(x, axes, log):
    m = x.max(axes, keepdims=True, initial=-INF)
    d = x - np.where(m == -INF, 0, m)
    e = np.exp(d)
    s = e.sum(axes, keepdims=True)
    s = np.where(s == 0, 1, s)
    return d - np.log(s) if log else e / s


def logsumexp(x, axes):
    m = x.max(axes, keepdims=True, initial=-INF)
    m = np.where(np.isfinite(m), m, 0)
    return np.log(np.exp(x - m).sum(axes)) + m.reshape(np.exp(x).sum(axes).shape)


for name in FLOATS:
    for shape, axes in SHAPES + [((8, 4), [1])]:
        x = array(name, SPECIAL) if shape == (8, 4) else grid(name, shape)
        over = axes_of(axes, len(shape), -1)
        for op, log in (('softmax', False), ('log_softmax', True)):
            family.case(op, [x], [array(name, softmax(wide(x), over, log))], axes=axes)
        family.case('logsumexp', [x], [array(name, logsumexp(wide(x), axes_of(axes, len(shape))))], axes=axes)
    x = array(name, SPECIAL)
    masks = [(MASK, MASK), (np.array([1, 0, 1, 1, 0, 1, 1, 0], bool),) * 2, (np.array(True), np.array(True)),
             (np.array([[1, 0, 1, 1]], bool), np.array([[1, 0, 1, 1]], bool))]
    for mask, _ in masks:
        full = np.broadcast_to(mask.reshape(mask.shape + (1,) * (2 - mask.ndim)), x.shape)
        y = np.where(full, wide(x), -INF)
        for axes in ([1], [0], []):
            over = axes_of(axes, 2, -1)
            soft, log = np.where(full, softmax(y, over, False), 0), np.where(full, softmax(y, over, True), -INF)
            family.case('masked_softmax', [x, mask], [array(name, soft)], axes=axes)
            family.case('masked_log_softmax', [x, mask], [array(name, log)], axes=axes)

# ---- masked reductions ----


def lowest(name):
    return -INF if name in FLOATS else int(np.iinfo(np.dtype('int%s' % name[1:] if name[0] == 's' else 'uint%s' % name[1:])).min)


def highest(name):
    return INF if name in FLOATS else int(np.iinfo(np.dtype('int%s' % name[1:] if name[0] == 's' else 'uint%s' % name[1:])).max)


def masked_case(name, x, mask, axes):
    full = np.broadcast_to(mask.reshape(mask.shape + (1,) * (x.ndim - mask.ndim)), x.shape)
    over = axes_of(axes, x.ndim)
    exact = wide(x) if name in FLOATS else np.asarray(x).astype(object)
    total = np.where(full, exact, 0).sum(over)
    scale = float(np.where(full & np.isfinite(np.asarray(x, np.float64)), np.abs(np.asarray(x, np.float64)), 0).sum(over).max(initial=0)) if name in FLOATS else 0
    result = (lambda a: array(name, a)) if name in FLOATS else (lambda a: array(name, np.asarray(a, object)))
    extra = {'scale': scale} if scale else {}
    family.case('masked_reduce_sum', [x, mask], [result(total)], axes=axes, **extra)
    high = np.where(full, exact, lowest(name)).max(over, initial=lowest(name))
    low = np.where(full, exact, highest(name)).min(over, initial=highest(name))
    family.case('masked_reduce_max', [x, mask], [result(high)], axes=axes)
    family.case('masked_reduce_min', [x, mask], [result(low)], axes=axes)
    if name in FLOATS:
        count = np.maximum(full.sum(over), 1)
        family.case('masked_reduce_mean', [x, mask], [result(total / count)], axes=axes, **extra)


for name in FLOATS + ['s8', 's32', 'u64']:
    small = rng.integers(0 if name[0] == 'u' else -50, 50, (8, 4))
    for axes in ([1], [0], [], [0, 1]):
        masked_case(name, array(name, small), MASK, axes)
    masked_case(name, array(name, small), MASK[:, 0], [1])
    masked_case(name, array(name, small[:, :0]), MASK[:, :0], [1])
    masked_case(name, array(name, small.reshape(2, 4, 4)), MASK.reshape(2, 4, 4)[:, :, :1], [1])
    if name in FLOATS:
        masked_case(name, array(name, np.where(MASK, small, NAN)), MASK, [1])
    for op, reduce in (('sum', np.sum), ('max', np.max), ('min', np.min)):
        if name in FLOATS or name == 's32':
            x = array(name, small)
            y = reduce(np.where(MASK, wide(x), {'sum': 0, 'max': -INF, 'min': INF}[op]))
            family.case('masked_reduce_all_' + op, [x, MASK], [array(name, np.asarray(y, np.float64))])
for name in FLOATS:
    x = grid(name, (8, 4))
    mean = np.where(MASK, wide(x), 0).sum() / MASK.sum()
    family.case('masked_reduce_all_mean', [x, MASK], [array(name, mean)], scale=8.0)
    kept = np.where(MASK, wide(x), 0).sum(1, keepdims=True) / np.maximum(MASK.sum(1, keepdims=True), 1)
    family.case('masked_reduce_and_keep', [x, MASK], [array(name, kept)], axes=[1], scale=8.0)
    all_kept = np.reshape(mean, (1, 1))
    family.case('masked_reduce_and_keep', [x, MASK], [array(name, all_kept)], axes=[], scale=8.0)

# ---- deviations, norms, similarities ----


def moments(x, over):
    d = x - x.mean(over, keepdims=True)
    return d, (d * d).mean(over, keepdims=True)


for name in FLOATS:
    for shape, axes in SHAPES:
        x, over = grid(name, shape), axes_of(axes, len(shape))
        d, v = moments(wide(x), over)
        flat = v.reshape(wide(x).sum(over).shape)
        family.case('reduce_std', [x], [array(name, np.sqrt(flat))], axes=axes)
        if 1 not in shape:
            unit = d / np.sqrt(v)
            family.case('reduce_skewness', [x], [array(name, (unit ** 3).mean(over))], axes=axes, scale=1.0)
        keep = bool(axes)
        one = np.abs(wide(x)).sum(over, keepdims=keep)
        square = (wide(x) ** 2).sum(over, keepdims=keep)
        family.case('l1_norm', [x], [array(name, one)], axes=axes)
        family.case('l2_norm_square', [x], [array(name, square)], axes=axes)
        family.case('l2_norm', [x], [array(name, np.sqrt(square))], axes=axes)
        if min(shape) > 1:
            x = np.array(x)
            x[(0,) * len(shape) if len(shape) == 1 else 0] = 0
        square = (wide(x) ** 2).sum(over, keepdims=True)
        family.case('l2_normalize', [x], [array(name, wide(x) / np.where(square == 0, 1, np.sqrt(square)))], axes=axes)
        family.case('l2_normalize_with_epsilon', [x], [array(name, wide(x) / (np.sqrt(square) + 0.25))], axes=axes, epsilon=0.25)
    x = array(name, [[NAN, 1, 2], [0, 0, 0], [3, 0, 4]])
    family.case('l2_norm', [x], [array(name, [[NAN], [0], [5]])], axes=[1])
    family.case('reduce_std', [array(name, [[5, 5, 5], [NAN, 1, 1], [INF, 0, 1]])], [array(name, [0, NAN, NAN])], axes=[1])
    family.case('reduce_skewness', [array(name, [[5, 5], [1, 3]])], [array(name, [NAN, 0])], axes=[1], scale=1.0)
    family.case('reduce_all_std', [grid(name, (0, 2))], [array(name, NAN)])
    x = grid(name, (3, 4))
    family.case('reduce_all_skewness', [x], [array(name, ((moments(wide(x), (0, 1))[0] / np.sqrt(moments(wide(x), (0, 1))[1])) ** 3).mean())], scale=1.0)
    for shape, axis in (((4, 5), -1), ((4, 5), 0), ((2, 3, 4), 1), ((3, 0), 1), ((1, 1), 0)):
        x, y = np.array(grid(name, shape)), np.array(grid(name, shape))
        if shape[0] > 2:
            x[1] = 0
        a, b = wide(x), wide(y)
        def length(v):
            s = (v * v).sum(axis, keepdims=True)
            return np.where(s == 0, 1, np.sqrt(s))
        cos = (a * b).sum(axis, keepdims=True) / length(a) / length(b)
        family.case('cosine_similarity', [x, y], [array(name, cos)], axis=axis, scale=1.0)
    for left, right, contract, cross in (((4, 5), (3, 5), 1, 0), ((5, 4), (5, 3), 0, -1), ((2, 4, 5), (2, 3, 5), -1, 1),
                                         ((4, 2, 5), (1, 2, 5), 2, 0)):
        x, y = np.array(grid(name, left)), grid(name, right)
        x[0] = 0 if len(left) == 2 and contract == 1 else x[0]
        a = np.moveaxis(wide(x), [contract, cross], [-1, -2])
        b = np.moveaxis(wide(y), [contract, cross], [-1, -2])
        na, nb = np.sqrt((a * a).sum(-1)), np.sqrt((b * b).sum(-1))
        na, nb = np.where(na == 0, 1, na), np.where(nb == 0, 1, nb)
        cos = np.einsum('...ik,...jk->...ij', a, b) / na[..., :, None] / nb[..., None, :]
        family.case('cross_cosine_similarity', [x, y], [array(name, cos)], contract=contract, cross=cross, scale=1.0)
for name, part in (('c64', 'f32'), ('c128', 'f64')):
    x = array(name, np.round(rng.uniform(-8, 8, (3, 4)) * 8) / 8 + 1j * np.round(rng.uniform(-8, 8, (3, 4)) * 8) / 8)
    w = x.astype(np.clongdouble)
    for axes in ([1], [0], []):
        over, keep = axes_of(axes, 2), bool(axes)
        family.case('l1_norm', [x], [array(part, np.abs(w).sum(over, keepdims=keep))], axes=axes)
        square = (w.real ** 2 + w.imag ** 2).sum(over, keepdims=keep)
        family.case('l2_norm_square', [x], [array(part, square)], axes=axes)
        family.case('l2_norm', [x], [array(part, np.sqrt(square))], axes=axes)

# ---- activations ----

POINTS = [0.0, -0.0, 0.5, -0.5, 1, -1, 2, -2, 3, -3, 0.25, -0.125, 6, -6, 12, -12, 40, -40, NAN]


def clip(x):
    return np.minimum(np.maximum(x, 0), 1)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return float(mpmath.mpf(x) / 2 * mpmath.erfc(-mpmath.mpf(x) / mpmath.sqrt(2)))


ACTIVATIONS = {
    'relu': lambda x: np.where(x <= 0, 0, x), 'leaky_relu': lambda x: np.where(x < 0, np.longdouble('0.3') * x, x),
    'elu': lambda x: np.where(x > 0, x, np.expm1(x)),
    'selu': lambda x: np.longdouble('1.0507009873554804934') * np.where(x > 0, x, np.longdouble('1.6732632423543772848') * np.expm1(x)),
    'swish': lambda x: x * logistic(x), 'silu': lambda x: x * logistic(x),
    'hard_sigmoid': lambda x: clip(x / 5 + np.longdouble(0.5)), 'hard_swish': lambda x: x * clip(x / 6 + np.longdouble(0.5)),
    'gelu': lambda x: np.array([gelu(float(v)) for v in x]),
    'gelu_approximate': lambda x: x * logistic(2 * np.sqrt(2 / np.longdouble('3.14159265358979323846')) * (x + np.longdouble('0.044715') * x ** 3)),
}
for name in FLOATS:
    x = array(name, np.concatenate([POINTS, rng.normal(size=13) * 3]))
    for op, f in ACTIVATIONS.items():
        family.case(op, [x], [array(name, f(wide(x)))])
    family.case('relu', [array(name, [INF, -INF])], [array(name, [INF, 0])])
    family.case('leaky_relu_with', [x], [array(name, np.where(wide(x) < 0, wide(x) / 8, wide(x)))], alpha=0.125)
    family.case('hard_sigmoid_with', [x], [array(name, clip(wide(x) / 4 + np.longdouble(0.25)))], alpha=0.25, beta=0.25)
    line = clip(wide(x) / 4 + np.longdouble(0.5))
    family.case('hard_swish_with', [x, array(name, 0.25), array(name, 0.5)], [array(name, wide(x) * line)])
    for shape in ((2, 6), (3, 0), (4,)):
        x = grid(name, shape)
        a, b = np.split(wide(x), 2, -1)
        family.case('swi_glu', [x], [array(name, a * logistic(a) * b)])
for name in ('s32', 'u8', 's4'):
    x = array(name, [0, 1, 5, 7] + ([-1, -8] if name[0] == 's' else []))
    family.case('relu', [x], [array(name, np.maximum(np.asarray(x).astype(int), 0))])

family.write()
