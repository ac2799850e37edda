# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/gradient_windows.txt: vector-Jacobian products of windows, pools and interpolation by JAX. A case is one
of the family windows with the adjoint of its result as a further operand; the results are those of the other operands.
Everything is a sum of products of small integers but for means, norms and interpolation."""
import jax
jax.config.update('jax_enable_x64', True)
import jax.numpy as jnp
import numpy as np
from jax import lax
from golden import DTYPES, Family

rng = np.random.default_rng(23)
family = Family('gradient_windows', 'JAX')
KINDS = {'sum': (lax.add, 0.), 'max': (lax.max, -np.inf), 'min': (lax.min, np.inf)}


def pick(least, most):
    return int(rng.integers(least, most + 1))


def draw(dtype, dims):
    if dtype in ('c64', 'c128'):
        return (rng.integers(-3, 4, dims) + 1j * rng.integers(-3, 4, dims)).astype(DTYPES[dtype])
    return rng.integers(-9, 10, dims).astype(DTYPES[dtype])


def vjp(function, operands, adjoint):
    """By the conjugates: JAX's transposes are not Hermitian."""
    _, pull = jax.vjp(function, *operands)
    return [np.conj(np.asarray(d)) for d in pull(jnp.conj(adjoint))]


def case(word, function, operands, **words):
    y = np.asarray(function(*operands))
    adjoint = draw({v: k for k, v in DTYPES.items()}[y.dtype], y.shape)
    family.case(word, list(operands) + [adjoint], vjp(function, operands, adjoint), **words)


def geometry(dilated, rank):
    dims, window, strides, base, dilation, low, high = ([] for _ in range(7))
    for _ in range(rank):
        dims.append(pick(2, 7))
        base.append(pick(1, 3) if dilated else 1)
        dilation.append(pick(1, 2) if dilated else 1)
        window.append(pick(1, 3))
        strides.append(pick(1, 3))
        low.append(pick(-1 if dilated else 0, window[-1] - 1))
        high.append(pick(0, window[-1] - 1))
        missing = (window[-1] - 1) * dilation[-1] + 1 - ((dims[-1] - 1) * base[-1] + 1 + low[-1] + high[-1])
        high[-1] += max(0, missing)
    return dims, window, strides, base, dilation, low, high


def windows_of(x, window, strides, base, dilation, low, high, neutral):
    """[windows..., places of a window]: every place of every window, by slices of the padded operand."""
    padded = lax.pad(x, jnp.asarray(neutral, x.dtype), [(l, h, b - 1) for l, h, b in zip(low, high, base)])
    parts = []
    counts = [(n - (w - 1) * d - 1) // s + 1 for n, w, d, s in zip(padded.shape, window, dilation, strides)]
    for place in np.ndindex(*window):
        start = [p * d for p, d in zip(place, dilation)]
        limit = [a + (c - 1) * s + 1 for a, c, s in zip(start, counts, strides)]
        parts.append(lax.slice(padded, start, limit, strides))
    return jnp.stack(parts, -1)


def words_of(kind, window, strides, base, dilation, low, high):
    lists = dict(kind=kind, window=window, strides=strides, base=base, dilation=dilation, low=low, high=high)
    return {k: v for k, v in lists.items() if not (k in ('base', 'dilation') and set(v) <= {1})}


def reduce_windows():
    for n in range(48):
        kind = ['sum', 'max', 'min', 'product'][n % 4]
        dtype = ['f32', 'f64', 'c64'][n // 4 % 3]
        if dtype == 'c64' and kind in ('max', 'min'):
            dtype = 'f64'
        dims, window, strides, base, dilation, low, high = geometry(kind in ('sum', 'product') and n % 3 == 0, pick(1, 3))
        if kind == 'product':
            function = lambda x: jnp.prod(windows_of(x, window, strides, base, dilation, low, high, 1), -1)
        else:
            combine, init = KINDS[kind]
            function = lambda x: lax.reduce_window(x, jnp.asarray(init, x.dtype) if kind != 'sum' else jnp.zeros((), x.dtype),
                                                   combine, window, strides, list(zip(low, high)), base, dilation)
        x = draw(dtype, dims)
        if kind == 'product':
            x = rng.choice([0, 1, 2, -1], dims).astype(DTYPES[dtype])
        case('reduce_window', function, [x], **words_of(kind, window, strides, base, dilation, low, high))


def image(words, rank):
    spatial = [pick(2, 6) for _ in range(rank)]
    window = [pick(1, min(3, n)) for n in spatial]
    strides = [pick(1, 3) for _ in spatial]
    low, high = [pick(0, w - 1) for w in window], [pick(0, w - 1) for w in window]
    words.update(window=window, strides=strides, low=low, high=high)
    return [pick(1, 2)] + spatial + [pick(1, 3)], [1] + window + [1], [1] + strides + [1], [0] + low + [0], [0] + high + [0]


def pools():
    for n in range(40):
        words = {}
        dims, window, strides, low, high = image(words, pick(1, 3))
        pads = list(zip(low, high))
        dtype = ['f32', 'f64'][n % 2]
        sums = lambda x: lax.reduce_window(x, jnp.zeros((), x.dtype), lax.add, window, strides, pads)
        largest = lambda x: lax.reduce_window(x, jnp.asarray(-np.inf, x.dtype), lax.max, window, strides, pads)
        x = draw(dtype, dims)
        case('max_pool', largest, [x], **words)
        case('mean_pool', lambda x: sums(x) / sums(jnp.ones_like(x)), [x], **words)
        if n % 2:
            case('sum_pool', sums, [x], **words)
        if n % 4 == 0:
            x = np.where(x == 0, x.dtype.type(1), x)
            case('lp_pool', lambda x: sums(jnp.abs(x) ** 3) ** (1 / 3), [x], p=3.0, **words)


def interpolations():
    for n in range(16):
        dims, sizes = [pick(1, 5) for _ in range(2)], [pick(1, 7) for _ in range(2)]
        x = draw(['f32', 'f64'][n % 2], dims)
        case('interpolate', lambda x: jax.image.resize(x, sizes, 'linear', antialias=False), [x], sizes=sizes)


reduce_windows()
pools()
interpolations()
family.write()
