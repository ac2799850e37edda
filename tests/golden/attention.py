# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/attention.txt: attention and its gradients in JAX by the formula below, in float64, of operands that
the case's dtype holds. Where jax.nn.dot_product_attention has the options, the formula is held against it. Rotations come
from NumPy's 80-bit floats. Queries without keys do not occur: JAX gives them the mean of all values."""
import itertools
import jax
import jax.numpy as jnp
import numpy as np
from golden import DTYPES, Family

jax.config.update('jax_enable_x64', True)
rng = np.random.default_rng(61)
family = Family('attention', 'JAX %s in float64, NumPy in 80-bit floats' % jax.__version__)


def formula(q, k, v, bias=None, mask=None, causal=0, offset=None, window=0, softcap=0.0, scale=None, qlen=None, klen=None):
    """[batch, sequence, heads, dim]; mask and bias [batch, heads, queries, keys]."""
    group = q.shape[2] // k.shape[2]
    k, v = jnp.repeat(k, group, 2), jnp.repeat(v, group, 2)
    s = jnp.einsum('bqhd,bkhd->bhqk', q, k) * (scale or q.shape[3] ** -0.5)
    s = softcap * jnp.tanh(s / softcap) if softcap else s
    s = s if bias is None else s + bias
    s = s if mask is None or mask.dtype == bool else s + mask
    rows = q.shape[1] if qlen is None else qlen[:, None, None, None]
    columns = k.shape[1] if klen is None else klen[:, None, None, None]
    shift = columns - rows if offset is None else offset
    i, j = jnp.arange(q.shape[1])[:, None], jnp.arange(k.shape[1])
    seen = (i < rows) & (j < columns) & jnp.ones(s.shape, bool)
    seen = seen & mask if mask is not None and mask.dtype == bool else seen
    seen = seen & (j <= i + shift) if causal else seen
    seen = seen & (j > i + shift - window) if window else seen
    p = jnp.where(seen, jax.nn.softmax(jnp.where(seen, s, -1e300), -1), 0)
    return jnp.einsum('bhqk,bkhd->bqhd', p, v)


def library(q, k, v, bias=None, mask=None, causal=0, offset=None, window=0, softcap=0.0, scale=None, qlen=None, klen=None):
    """None where JAX's function has no such options."""
    start = offset == 0 or (offset is None and q.shape[1] == k.shape[1] and klen is None and qlen is None)
    if softcap or v.shape[3] != q.shape[3] or not (start or not (causal or window)):
        return None
    if mask is not None and mask.dtype != bool:
        return None
    return lambda q, k, v, bias: jax.nn.dot_product_attention(
        q, k, v, bias, mask, scale=scale, is_causal=bool(causal), query_seq_lengths=qlen, key_value_seq_lengths=klen,
        local_window_size=(window - 1, 0 if causal else k.shape[1]) if window else None)


def draw(name, *shape):
    """Values of the dtype, as float64."""
    return (np.round(rng.uniform(-96, 96, shape)) / 64).astype(DTYPES[name]).astype(np.float64)


def first(x, layout):
    return np.asarray(x) if layout else np.asarray(x).transpose(0, 2, 1, 3)


def case(name, layout, sizes, given=(), **options):
    batch, heads, groups, queries, keys, dim, value_dim = sizes
    q, k = draw(name, batch, queries, heads, dim), draw(name, batch, keys, groups, dim)
    v, u = draw(name, batch, keys, groups, value_dim), draw(name, batch, queries, heads, value_dim)
    extra = {}
    if 'bias' in given:
        extra['bias'] = draw(name, 1, heads, queries, keys)
    if 'mask' in given:
        extra['mask'] = rng.uniform(size=(batch, 1, queries, keys)) < 0.6
        extra['mask'][..., 0] = True
    if 'added' in given:
        extra['mask'] = draw(name, batch, heads, 1, keys)
    if 'qlen' in given:
        extra['qlen'] = rng.integers(1, queries + 1, batch).astype(np.int32)
    if 'klen' in given:
        extra['klen'] = rng.integers(max(1, keys - 1), keys + 1, batch).astype(np.int32)
    more = list(extra.values())
    run = library(q, k, v, **extra, **options)
    others = {n: x for n, x in extra.items() if n != 'bias'}
    plain = lambda q, k, v, bias: formula(q, k, v, bias, **others, **options)  # noqa: E731
    bias = extra.get('bias')
    y = plain(q, k, v, bias)
    there = np.ones(y.shape, bool) if 'qlen' not in extra else (
        np.arange(queries)[None, :, None, None] < extra['qlen'][:, None, None, None]) & np.ones(y.shape, bool)
    if run:
        assert np.abs(np.where(there, run(q, k, v, bias) - y, 0)).max() < 1e-6, (name, options)  # its scores are float32
    cast = lambda x: np.asarray(x).astype(DTYPES[name]) if np.asarray(x).dtype == np.float64 else np.asarray(x)  # noqa: E731
    operands = [cast(first(x, layout)) for x in (q, k, v)] + [cast(x) for x in more]
    attributes = dict(layout=layout, **{n: 1 for n in given}, **options)
    if 'scale' in attributes:
        attributes['factor'] = attributes.pop('scale')
    family.case('attention', operands, [cast(first(y, layout))], scale=4.0, **attributes)
    wrt = (q, k, v) if bias is None else (q, k, v, bias)
    found = jax.vjp((lambda q, k, v: plain(q, k, v, None)) if bias is None else plain, *wrt)[1](u)
    results = [cast(first(x, layout)) for x in found[:3]] + [cast(x) for x in found[3:]]
    family.case('attention_vjp', operands + [cast(first(u, layout))], results, scale=8.0, **attributes)


SIZES = [(2, 2, 2, 4, 4, 3, 3), (1, 4, 2, 3, 5, 4, 2), (2, 3, 1, 5, 5, 2, 2), (1, 2, 1, 1, 6, 5, 5)]
for name, sizes, layout in itertools.product(['f64', 'f32', 'bf16', 'f16'], SIZES, [0, 1]):
    case(name, layout, sizes)
    case(name, layout, sizes, causal=1)
for name in ['f64', 'f32', 'bf16']:
    for sizes, layout in [(SIZES[0], 0), (SIZES[1], 1), (SIZES[2], 1)]:
        case(name, layout, sizes, ['bias'])
        case(name, layout, sizes, ['mask'])
        case(name, layout, sizes, ['added'], causal=1)
        case(name, layout, sizes, ['klen'])
        case(name, layout, sizes, ['qlen', 'klen'], softcap=1.25)
        case(name, layout, sizes, ['bias', 'mask', 'klen'], scale=0.5, softcap=2.0)
        case(name, layout, sizes, causal=1, window=2)
        case(name, layout, sizes, window=2, offset=0)
        case(name, layout, sizes, ['bias', 'klen'], causal=1, offset=0)


# ---- rotations ----

def rope(x, p, base, first, count, interleaved, linear, divisor):
    """[batch, sequence, dim] and [batch or 1, sequence]"""
    x, p = x.astype(np.longdouble), p.astype(np.longdouble) / linear
    i = np.arange(count // 2, dtype=np.longdouble)
    angle = p[..., None] * np.longdouble(base) ** (-2 * i / (divisor or count))
    at = first + (2 * np.arange(count // 2) if interleaved else np.arange(count // 2))
    other = at + (1 if interleaved else count // 2)
    y = x.copy()
    y[..., at] = x[..., at] * np.cos(angle) - x[..., other] * np.sin(angle)
    y[..., other] = x[..., at] * np.sin(angle) + x[..., other] * np.cos(angle)
    return y


for name, batched in itertools.product(['f64', 'f32', 'bf16', 'f16'], [False, True]):
    for base, first_, count, interleaved, linear, divisor in [
            (10000.0, 0, 8, 0, 1.0, 0.0), (10000.0, 0, 8, 1, 1.0, 0.0), (500.0, 2, 4, 0, 4.0, 0.0), (500.0, 2, 6, 1, 4.0, 10.0)]:
        x = draw(name, 2, 3, 8)
        p = rng.integers(0, 50, (2 if batched else 1, 3)).astype(np.int32)
        y = rope(x, p, base, first_, count, interleaved, linear, divisor).astype(np.float64).astype(DTYPES[name])
        family.case('rope', [x.astype(DTYPES[name]), p if batched else p[0]], [y], base=base, first=first_, count=count,
                    interleaved=interleaved, linear=linear, divisor=divisor, scale=100.0 if name == 'f32' else 3.0)
family.write()
