# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/loss.txt: losses from their formulas, and their derivatives by jax.grad of the same formulas.

Values come from NumPy's 80-bit floats. Derivatives (vjp=1: the first results are losses, then the derivatives by the
predictions of the sum of losses times an adjoint) come from JAX in float64 and are rounded to the dtype of the case.
CTC is in ctc.py."""
import os
os.environ['JAX_PLATFORMS'] = 'cpu'
import warnings
import jax
jax.config.update('jax_enable_x64', True)
import jax.numpy as jnp
import numpy as np
from fractions import Fraction
import exact
from golden import FLOATS, Family

np.seterr(all='ignore')
warnings.simplefilter('ignore')
rng = np.random.default_rng(66)
family = Family('loss', 'formulas in 80-bit floats, jax.grad of JAX %s' % jax.__version__)
INF, NAN = np.inf, np.nan
STEP = {'f16': 64, 'bf16': 8, 'f32': 64, 'f64': 64}


def number(v):
    if isinstance(v, np.longdouble):
        return Fraction(*v.as_integer_ratio()) if np.isfinite(v) and v != 0 else float(v)
    return v.item() if hasattr(v, 'item') else v


def array(name, values):
    a = np.asarray(values)
    return exact.array(name, [number(v) for v in a.reshape(-1)]).reshape(a.shape)


def wide(a):
    return np.asarray(a).astype(np.longdouble)


def grid(name, shape, spread=4):
    return array(name, np.round(rng.uniform(-spread, spread, shape) * STEP[name]) / STEP[name])


def softplus(x, np):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def log_softmax(z, np):
    d = z - z.max(-1, keepdims=True)
    return d - np.log(np.exp(d).sum(-1, keepdims=True))


def xlog(y, log, np):
    return np.where(y == 0, 0, y * np.where(y == 0, 0, log))


def adaptive(d, near, far, middle, sharpness, np):
    d = np.abs(d)
    base = np.where(d == 0, 1, d)
    share = 1 / (1 + np.exp(-abs(near - far) / sharpness * np.log(base / middle)))
    power = near + (far - near) * share
    if np is jnp:
        power = jax.lax.stop_gradient(power)
    return np.where(d == 0, 0, base ** power)


def huber(d, delta, np):
    d = np.abs(d)
    return np.where(d <= delta, d * d / 2, delta * (d - delta / 2))


def cosine(y, p, np):
    def unit(x):
        n = (x * x).sum(-1, keepdims=True)
        return x / np.sqrt(np.where(n == 0, 1, n))
    return 1 - (unit(y) * unit(p)).sum(-1)


# name: (losses by labels, predictions, attributes and the module, kind of labels)
LOSSES = {
    'mean_squared_error': (lambda y, p, a, np: (y - p) ** 2, 'like'),
    'mean_absolute_error': (lambda y, p, a, np: np.abs(y - p), 'like'),
    'huber': (lambda y, p, a, np: huber(y - p, a['delta'], np), 'like'),
    'adaptive_power': (lambda y, p, a, np: adaptive(y - p, a['near'], a['far'], a['middle'], a['sharpness'], np), 'like'),
    'hinge': (lambda y, p, a, np: np.maximum(1 - y * p, 0), 'sign'),
    'binary_cross_entropy': (lambda y, p, a, np: -(xlog(y, np.log(p), np) + xlog(1 - y, np.log1p(-p), np)), 'share'),
    'binary_cross_entropy_logits':
        (lambda y, z, a, np: y * np.maximum(-z, 0) + (1 - y) * np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))), 'share'),
    'categorical_cross_entropy': (lambda y, p, a, np: -xlog(y, np.log(p), np).sum(-1), 'distribution'),
    'categorical_cross_entropy_logits': (lambda y, z, a, np: -xlog(y, log_softmax(z, np), np).sum(-1), 'distribution'),
    'sparse_categorical_cross_entropy_logits':
        (lambda y, z, a, np: -(smooth(jax.nn.one_hot(y, z.shape[-1], dtype=float) if np is jnp
                                      else (y[..., None] == np.arange(z.shape[-1])).astype(z.dtype),
                                      a, z.shape[-1]) * log_softmax(z, np)).sum(-1), 'class'),
    'kl_divergence': (lambda y, p, a, np: xlog(y, np.log(np.where(y == 0, 1, y)) - np.log(p), np).sum(-1), 'distribution'),
    'kl_divergence_logits':
        (lambda y, z, a, np: xlog(y, np.log(np.where(y == 0, 1, y)) - log_softmax(z, np), np).sum(-1), 'distribution'),
    'euclidean_distance_square': (lambda y, p, a, np: ((y - p) ** 2).sum(-1), 'like'),
    'euclidean_distance': (lambda y, p, a, np: np.sqrt(((y - p) ** 2).sum(-1)), 'like'),
    'cosine_distance': (lambda y, p, a, np: cosine(y, p, np), 'like'),
}
PROBABILITIES = {'binary_cross_entropy', 'categorical_cross_entropy', 'kl_divergence'}
ATTRIBUTES = {'huber': {'delta': 1.5}, 'adaptive_power': {'near': 2.0, 'far': 1.0, 'middle': 1.5, 'sharpness': 0.75}}


def smooth(y, a, classes):
    s = a.get('smoothing', 0.0)
    return y * (1 - s) + s / classes


def smoothed(op, y, a):
    """Labels of the formula; those of integers are smoothed in it."""
    if op.startswith('binary'):
        return smooth(y, a, 2)
    if op.startswith('categorical'):
        return smooth(y, a, y.shape[-1])
    return y


def labels(kind, name, shape):
    if kind == 'class':
        return rng.integers(0, shape[-1], shape[:-1]).astype(np.int32)
    if kind == 'like':
        return grid(name, shape)
    if kind == 'sign':
        return array(name, rng.choice([-1, 1], shape))
    if kind == 'share':
        return array(name, rng.choice([0, 1, 0.25, 0.75], shape))
    eighths = rng.multinomial(8, [1 / shape[-1]] * shape[-1], shape[:-1]) if shape[-1] else np.zeros(shape)
    return array(name, eighths / 8)


def predictions(op, name, shape):
    if op not in PROBABILITIES:
        return grid(name, shape)
    p = rng.integers(1, 63, shape) / 64
    return array(name, p)


def reduced(losses, a, mask, weights):
    """Value and scale of a reduction."""
    counts = np.ones(losses.shape, bool) if mask is None else np.broadcast_to(
        mask.reshape(mask.shape + (1,) * (losses.ndim - mask.ndim)), losses.shape)
    w = np.ones(losses.shape) if weights is None else np.broadcast_to(
        wide(weights).reshape(weights.shape + (1,) * (losses.ndim - weights.ndim)), losses.shape)
    losses = np.where(counts, losses * w, 0)
    r = a.get('reduction', 'mean')
    if r == 'none':
        return losses
    total = losses.sum()
    if r == 'sum':
        return total
    n = np.where(counts, w, 0).sum() if r == 'weighted' else counts.sum()
    if losses.size == 0 and mask is None and (r == 'mean' or weights is None):
        return np.longdouble(NAN)
    return total / n if n else np.longdouble(0)


def case(op, y, p, a, mask=None, weights=None):
    name = {'e': 'f16', 'f': {4: 'f32', 8: 'f64'}.get(p.dtype.itemsize), 'V': 'bf16'}.get(p.dtype.kind) if p.dtype.itemsize > 2 else \
        ('f16' if p.dtype == np.float16 else 'bf16')
    formula, kind = LOSSES[op]
    a = dict(ATTRIBUTES.get(op, {}), **a)
    of = np.asarray(y).reshape(p.shape[:-1]) if kind == 'class' else smoothed(op, wide(y), a)
    losses = formula(of, wide(p), a, np)
    value = reduced(losses, a, mask, weights)
    finite = np.abs(losses[np.isfinite(losses)])
    scale = float(finite.sum() if a.get('reduction') == 'sum' else finite.max(initial=1))
    if weights is not None:
        scale *= float(np.abs(wide(weights)).max(initial=1))
    extra = [v for v in (mask, weights) if v is not None]
    family.case(op, [y, p] + extra, [array(name, value)], scale=max(scale, 1.0), **a)


def derivative(op, name, y, p, a):
    """Losses without reduction and the derivative by the predictions, for an adjoint of each loss."""
    formula, kind = LOSSES[op]
    a = dict(ATTRIBUTES.get(op, {}), **a)
    of = np.asarray(y).reshape(p.shape[:-1]) if kind == 'class' else smoothed(op, np.asarray(y, np.float64), a)
    losses, vjp = jax.vjp(lambda p: formula(of, p, a, jnp), jnp.asarray(np.asarray(p, np.float64)))
    u = grid(name, losses.shape)
    d = np.asarray(vjp(jnp.asarray(np.asarray(u, np.float64)))[0])
    assert np.isfinite(d).all(), op
    family.case('vjp_' + op, [y, p, u], [array(name, d)], scale=float(max(np.abs(d).max(initial=0), 1)), **a)


SHAPES = [(4, 5), (3,), (2, 3, 4), (1, 33), (0, 3)]
for op, (formula, kind) in LOSSES.items():
    for name in FLOATS:
        for shape in SHAPES if name == 'f32' else SHAPES[:2] + SHAPES[4:]:
            y, p = labels(kind, name, shape), predictions(op, name, shape)
            each = shape if kind in ('like', 'sign', 'share') and op not in (
                'euclidean_distance_square', 'euclidean_distance', 'cosine_distance') else shape[:-1]
            for r in ('mean', 'sum', 'none'):
                case(op, y, p, {'reduction': r})
            if kind == 'class' and len(shape) > 1:
                case(op, y[..., None], p, {})
            mask = rng.choice([True, False], each)
            weights = array(name, rng.integers(0, 8, each) / 4)
            for r in ('mean', 'sum', 'none', 'weighted'):
                case(op, y, p, {'reduction': r, 'mask': 1}, mask)
                case(op, y, p, {'reduction': r, 'weights': 1}, None, weights)
                case(op, y, p, {'reduction': r, 'mask': 1, 'weights': 1}, mask, weights)
            if len(each) > 1:
                case(op, y, p, {'mask': 1, 'weights': 1}, mask[(slice(None),) + (0,) * (len(each) - 1)], weights[:, :1])
            case(op, y, p, {'mask': 1}, np.zeros(each, bool))
            if kind in ('share', 'distribution', 'class') and 'kl' not in op:
                case(op, y, p, {'reduction': 'none', 'smoothing': 0.25})
        for shape in ((4, 5), (2, 3, 4)):
            y, p = labels(kind, name, shape), predictions(op, name, shape)
            if kind == 'like':
                y = array(name, wide(y) + 1 / 128) if name != 'bf16' else y
                p = np.where(np.asarray(y) == np.asarray(p), array(name, 7), p)
            if kind == 'sign':
                p = np.where(np.abs(np.asarray(p, float)) == 1, array(name, 7), p)
            if op == 'binary_cross_entropy_logits':
                p = np.where(np.asarray(p, float) == 0, array(name, 7), p)
            if op == 'huber':
                p = np.where(np.abs(np.asarray(p, float) - np.asarray(y, float)) == 1.5, array(name, 7), p)
            derivative(op, name, y, p, {})
            if kind in ('share', 'distribution', 'class') and 'kl' not in op:
                derivative(op, name, y, p, {'smoothing': 0.25})

# ---- extremes: exact values, and derivatives that stay finite ----
for name, least in (('f16', -14), ('bf16', -126), ('f32', -126), ('f64', -1022)):
    def a_(values):
        return array(name, values)
    bottom = least * np.log(np.longdouble(2)) - 1   # log of 0: log(f) - 1
    none = {'reduction': 'none'}
    y, p = a_([1, 0, 1, 0]), a_([0, 1, 1, 0])
    family.case('binary_cross_entropy', [y, p], [array(name, [-bottom, -bottom, 0, 0])], **none)
    big = 2.0 ** -least
    family.case('vjp_binary_cross_entropy', [y, p, a_([1] * 4)], [a_([-big, big, -1, 1])], scale=1.0)
    family.case('categorical_cross_entropy', [a_([[0, 1], [0, 1]]), a_([[1, 0], [0, 1]])], [array(name, [-bottom, 0])], **none)
    z = a_([1000, -1000, INF, -INF, 1000, -1000, INF, -INF, 0])
    y = a_([1, 0, 1, 0, 0, 1, 0, 1, 1])
    family.case('binary_cross_entropy_logits', [y, z],
                [array(name, np.array([0, 0, 0, 0, 1000, 1000, INF, INF, np.log(np.longdouble(2))]))], **none)
    family.case('vjp_binary_cross_entropy_logits', [y, z, a_([1] * 9)], [a_([0, 0, 0, 0, 1, -1, 1, -1, -0.5])], scale=1.0)
    family.case('binary_cross_entropy_logits', [a_([1, 0]), a_([8, -8])], [array(name, np.log1p(np.exp(np.array([-8, -8], np.longdouble))))], **none)
    for labels_ in (np.array([True, False]), np.array([1, 0], np.int8), np.array([1, 0], np.uint64)):
        family.case('binary_cross_entropy_logits', [labels_, a_([2, 2])], [array(name, np.log1p(np.exp(np.array([-2, 2], np.longdouble))))], **none)
        family.case('binary_cross_entropy', [labels_, a_([0.5, 0.5])], [array(name, np.log(np.array([2, 2], np.longdouble)))], **none)
    z = a_([[1000, 0, -1000], [-INF, 0, -INF], [0, 1000, 0], [-INF, 3, 3]])
    two = np.log(np.longdouble(2))
    for dtype in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
        family.case('sparse_categorical_cross_entropy_logits', [np.array([0, 1, 0, 2], dtype), z],
                    [array(name, [0, 0, 1000, two])], **none)
    family.case('sparse_categorical_cross_entropy_logits', [np.array([-1, 3, 5, 1], np.int8), z], [array(name, [NAN, NAN, NAN, two])], **none)
    mask = np.array([False, False, False, True])
    family.case('sparse_categorical_cross_entropy_logits', [np.array([-1, 3, 5, 1], np.int8), z, mask], [array(name, two)], mask=1)
    family.case('categorical_cross_entropy_logits', [a_([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]), z], [array(name, [0, 0, 1000, two])], **none)
    family.case('vjp_sparse_categorical_cross_entropy_logits', [np.array([0, 1, 0, 2], np.int32), z, a_([1] * 4)],
                [a_([[0, 0, 0], [0, 0, 0], [-1, 1, 0], [0, 0.5, -0.5]])], scale=1.0)
    # what a mask hides may be NaN, in values and derivatives
    y, p, mask = a_([1, NAN, 2]), a_([3, 1, NAN]), np.array([True, False, False])
    family.case('mean_squared_error', [y, p, mask], [a_(4)], mask=1)
    family.case('vjp_mean_squared_error', [y, p, mask, a_(1)], [a_([4, 0, 0])], mask=1, reduction='mean')
    p = a_([[1, NAN], [0, 0]])
    family.case('vjp_sparse_categorical_cross_entropy_logits', [np.array([0, 1], np.int32), p, np.array([False, True]), a_(1)],
                [a_([[0, 0], [0.5, -0.5]])], mask=1, reduction='sum')
    # kinks
    zero = a_([0, 0])
    for op in ('mean_absolute_error', 'huber', 'adaptive_power'):
        family.case('vjp_' + op, [zero, zero, a_([1, 1])], [zero], **ATTRIBUTES.get(op, {}))
    family.case('vjp_euclidean_distance', [zero, zero, a_(1)], [zero])
    family.case('vjp_hinge', [a_([1, -1, 1, 1]), a_([1, -1, 2, 0]), a_([1] * 4)], [a_([-0.5, 0.5, 0, -1])])
    family.case('vjp_huber', [a_([0, 0, 0]), a_([1.5, -1.5, 4]), a_([1] * 3)], [a_([1.5, -1.5, 1.5])], delta=1.5)
    family.case('vjp_binary_cross_entropy_logits', [a_([1, 0, 0.25]), a_([0, 0, 0]), a_([1] * 3)], [a_([-0.5, 0.5, 0.25])])
    family.case('cosine_distance', [a_([[0, 0], [1, 1], [1, 0]]), a_([[1, 2], [-2, -2], [3, 0]])], [a_([1, 2, 0])], scale=1.0, **none)

# ---- triplets ----


def pair_distances(x, metric):
    if metric == 'cosine':
        n = np.sqrt((x * x).sum(-1, keepdims=True))
        x = x / np.where(n == 0, 1, n)
        return 1 - x @ x.T
    d = ((x[:, None] - x[None]) ** 2).sum(-1)
    return d if metric == 'square' else np.sqrt(d)


def triplet(y, x, mining, metric, margin):
    """Losses and which count, by plain loops over anchors."""
    n, d = len(y), pair_distances(x, metric)
    losses = np.zeros((n, n, n) if mining == 'all' else n, np.longdouble)
    counts = np.zeros(losses.shape, bool)

    def gap(far, near):
        g = far - near
        return np.log1p(np.exp(g)) if margin < 0 else max(g + (margin or 1), np.longdouble(0))

    for i in range(n):
        positives = [j for j in range(n) if y[j] == y[i] and j != i]
        negatives = [j for j in range(n) if y[j] != y[i]]
        if mining == 'all':
            for j in positives:
                for k in negatives:
                    losses[i, j, k], counts[i, j, k] = gap(d[i, j], d[i, k]), True
        elif positives and negatives:
            far = max(d[i, j] for j in positives)
            beyond = [d[i, k] for k in negatives if d[i, k] > far]
            near = min(d[i, k] for k in negatives)
            if mining == 'semi':
                near = min(beyond) if beyond else max(d[i, k] for k in negatives)
            losses[i], counts[i] = gap(far, near), True
    return losses, counts


for name in FLOATS:
    for n, spread in ((7, 2), (6, 1)):
        x = grid(name, (n, 5), spread)
        y = rng.integers(0, 3, n).astype(np.int32)
        for mining in ('semi', 'hard', 'all'):
            for metric in ('l2', 'square', 'cosine'):
                for margin in (0.0, 0.25, -1.0):
                    losses, counts = triplet(y, wide(x), mining, metric, margin)
                    a = {'mining': mining, 'metric': metric, 'margin': margin, 'scale': max(float(losses.max()), 1.0)}
                    mean = losses.sum() / counts.sum() if counts.any() else np.longdouble(0)
                    family.case('triplet', [y, x], [array(name, mean)], **a)
                    if margin == 0:
                        family.case('triplet', [y[:, None], x], [array(name, losses)], reduction='none', **a)
                        mask = rng.choice([True, False], n)
                        c = counts & mask.reshape((n,) + (1,) * (counts.ndim - 1))
                        mean = losses[c].sum() / c.sum() if c.any() else np.longdouble(0)
                        family.case('triplet', [y, x, mask], [array(name, mean)], mask=1, **a)
family.write()
