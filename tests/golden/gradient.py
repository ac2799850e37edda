# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/gradient.txt: vector-Jacobian products of programs of moves, reductions, products,
indexing, sorting, transforms and what is composed of them, by JAX in float64, where its conventions are
Fluxion's (equal elements share the derivative of a reduction's maximum; a sort follows its permutation).
tests/ops/gradient_programs.def has the programs under the same names. Operands of a case: those of the program,
then the adjoint of its result; results: the derivatives by the operands of float or complex dtypes.

JAX's cotangents are without conjugates: for z = x + iy it gives dL/dx - i dL/dy, so adjoints and results are
conjugated."""
import os
os.environ['JAX_PLATFORMS'] = 'cpu'
import jax
jax.config.update('jax_enable_x64', True)
import jax.numpy as jnp
import numpy as np
from jax import lax
from golden import Family

rng = np.random.default_rng(77)
family = Family('gradient', 'jax.vjp of JAX %s' % jax.__version__)
names = set()


def real(*shape, low=-2.0, high=2.0):
    """Distinct values, so that no order is decided by a rounding."""
    n = int(np.prod(shape))
    steps = rng.permutation(max(n, 1))[:n] + rng.uniform(0.2, 0.8, n)
    return (low + (high - low) * steps / max(n, 1)).reshape(shape)


def compl(*shape):
    return real(*shape) + 1j * real(*shape)


def ints(*values, dtype=np.int32):
    return np.array(values, dtype)


def program(name, f, *inputs):
    assert name not in names, name
    names.add(name)
    inputs = [np.asarray(x) for x in inputs]
    smooth = [i for i, x in enumerate(inputs) if x.dtype.kind in 'fc']

    def of_smooth(*x):
        full = list(inputs)
        for i, v in zip(smooth, x):
            full[i] = v
        return f(*full)

    y, vjp = jax.vjp(of_smooth, *[jnp.asarray(inputs[i]) for i in smooth])
    y = np.asarray(y)
    u = compl(*y.shape) if y.dtype.kind == 'c' else real(*y.shape)
    u = np.asarray(u, y.dtype)
    results = [np.conj(np.asarray(d)) for d in vjp(jnp.asarray(np.conj(u)))]
    assert all(np.isfinite(d).all() for d in results), name
    family.case('vjp', inputs + [u], results, program=name)


# ---- moves ----
program('broadcast', lambda x: jnp.broadcast_to(x, (4, 3, 2)), real(3, 1))
program('broadcast_crossed', lambda x: lax.broadcast_in_dim(x.T, (3, 4, 2), (0, 2)), real(2, 3))
program('reshape_transpose', lambda x: jnp.transpose(x.reshape(2, 3, 4), (2, 0, 1)) ** 2, real(6, 4))
program('slice_strided', lambda x: x[1:7:2, ::3] ** 2, real(8, 7))
program('flip', lambda x: jnp.flip(x, 1) * x, real(2, 5))
program('concatenate', lambda x, y: jnp.concatenate([x, y, x * y], 1), real(2, 3), real(2, 3))
program('stack', lambda x, y: jnp.stack([x, y * y], 1), real(3), real(3))
program('roll', lambda x: jnp.roll(x, 2, 1) * x, real(2, 5))
program('tile', lambda x: jnp.tile(x, (2, 3)) ** 2, real(2, 2))
program('repeat', lambda x: jnp.repeat(x, 3, 1) ** 2, real(2, 3))
program('moveaxis', lambda x: jnp.moveaxis(x, 0, 2) ** 2, real(2, 3, 4))
program('tril', lambda x: jnp.tril(x, -1) ** 2, real(4, 4))
program('triu', lambda x: jnp.triu(x, 1) ** 2, real(2, 3, 4))
program('diagonal', lambda x: jnp.diagonal(x, 1) ** 2, real(4, 5))
program('trace', lambda x: jnp.trace(x @ x), real(3, 3))
program('difference', lambda x: jnp.diff(x, axis=1) ** 2, real(2, 5))
program('shift', lambda x: jnp.concatenate([jnp.zeros(2), x[:-2]]) * x, real(6))
program('pad', lambda x, y: lax.pad(x, y, [(1, 2, 0), (0, 1, 2)]) ** 2, real(2, 3), real())
program('pad_negative', lambda x, y: lax.pad(x, y, [(-1, 2, 1), (2, -2, 0)]) ** 2, real(4, 5), real())
program('where', lambda x, y: jnp.where(x > y, x * y, y), real(2, 3), real(2, 3))
program('outer_sum', lambda x, y: x[:, None] + y[None, :] * x[:, None], real(3), real(4))

# ---- reductions ----
program('sum', lambda x: (x * x).sum((0, 2)), real(2, 3, 4))
program('mean', lambda x: (x * x).mean(1), real(3, 4))
program('product', lambda x: x.prod(1), real(3, 4))
program('product_axes', lambda x: x.prod((0, 2)), real(2, 3, 2))
program('max', lambda x: x.max(1), real(3, 5))
program('min_axes', lambda x: x.min((0, 2)), real(2, 3, 4))
program('max_ties', lambda x: x.max(1), np.array([[1., 3, 3, 2], [5, 5, 5, 5], [-1, 0, 0, -2]]))
program('min_ties', lambda x: x.min(), np.array([[1., 0, 3, 0], [5, 0, 5, 5]]))
program('variance', lambda x: x.var(1), real(3, 4))
program('variance_all', lambda x: x.var(), real(2, 3))
program('deviation', lambda x: x.std(1), real(3, 4))
program('median_odd', lambda x: jnp.median(x, 1), real(3, 5))
program('median_even', lambda x: jnp.median(x, 0), real(4, 2))
program('quantile', lambda x: jnp.quantile(x, 0.3, axis=1), real(2, 6))
program('l1_norm', lambda x: abs(x).sum(1, keepdims=True), real(2, 4))
program('l2_norm', lambda x: jnp.sqrt((x * x).sum(1, keepdims=True)), real(3, 4))
program('l2_normalize', lambda x: x / jnp.sqrt((x * x).sum(1, keepdims=True)), real(3, 4))
program('norm_3', lambda x: (abs(x) ** 3).sum(1) ** (1 / 3), real(3, 4))
program('norm_inf', lambda x: abs(x).max(1), real(3, 4))
program('cosine', lambda x, y: (x * y).sum(1,
        keepdims=True) / jnp.sqrt((x * x).sum(1, keepdims=True) * (y * y).sum(1, keepdims=True)), real(3,
        4), real(3, 4))
program('frobenius', lambda x: jnp.sqrt((x * x).sum()), real(3, 4))
program('standardize', lambda x: (x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-3),
        real(3, 5))

# ---- softmax and its relatives ----
program('softmax', lambda x: jax.nn.softmax(x, 1), real(3, 5))
program('softmax_axes', lambda x: jax.nn.softmax(x, (0, 2)), real(2, 3, 2))
program('log_softmax', lambda x: jax.nn.log_softmax(x, 1), real(3, 5))
program('logsumexp', lambda x: jax.nn.logsumexp(x, 1), real(3, 5))
program('logsumexp_infinite', lambda x: jax.nn.logsumexp(x, 1),
        np.array([[1., -np.inf, 2], [-np.inf, 0, -np.inf]]))
program('masked_softmax', lambda x, m: jnp.where(m, jax.nn.softmax(jnp.where(m, x, -1e300), 1), 0), real(2,
        4), np.array([[1, 1, 0, 1], [0, 1, 1, 0]], bool))
program('masked_sum', lambda x, m: jnp.where(m, x * x, 0).sum(1), real(2, 4),
        np.array([[1, 1, 0, 1], [0, 0, 0, 0]], bool))
program('masked_mean', lambda x, m: jnp.where(m, x * x, 0).sum(1) / m.sum(1), real(2, 4),
        np.array([[1, 1, 0, 1], [0, 1, 0, 0]], bool))
program('masked_max', lambda x, m: jnp.where(m, x, -jnp.inf).max(1), real(2, 4),
        np.array([[1, 1, 0, 1], [0, 1, 1, 0]], bool))
program('masked_min', lambda x, m: jnp.where(m, x, jnp.inf).min(1), real(2, 4),
        np.array([[1, 1, 0, 1], [0, 1, 1, 0]], bool))
program('cross_entropy', lambda x, i: -jnp.take_along_axis(jax.nn.log_softmax(x, 1), i, 1), real(4, 5),
        ints([0], [4], [2], [2]))
program('log_add_exp', lambda x, y: jnp.logaddexp(x, y), real(3), real(3))
program('attention', lambda q, k, v: jax.nn.softmax(q @ k.T / 2.0, 1) @ v, real(3, 4), real(5, 4), real(5, 2))

# ---- products ----
program('matmul', lambda x, y: x @ y, real(3, 4), real(4, 2))
program('matmul_batch', lambda x, y: x @ y, real(2, 3, 4), real(2, 4, 2))
program('matmul_broadcast', lambda x, y: x @ y, real(2, 1, 3, 4), real(3, 4, 2))
program('matmul_vector', lambda x, y: x @ y, real(4), real(3, 4, 2))
program('matmul_square', lambda x: x @ x @ x, real(3, 3))
program('dot_transposed', lambda x, y: lax.dot_general(x, y, (((0,), (1,)), ((), ()))), real(3, 4), real(2,
        3))
program('dot_batch_last', lambda x, y: lax.dot_general(x, y, (((0,), (2,)), ((2,), (1,)))), real(4, 3, 2),
        real(5, 2, 4))
program('dot_two_sums', lambda x, y: lax.dot_general(x, y, (((3, 1), (0, 2)), ((), ()))), real(2, 3, 2, 4),
        real(4, 2, 3))
program('einsum_trilinear', lambda x, y, z: jnp.einsum('ij,jk,kl->il', x, y, z), real(2, 3), real(3, 4),
        real(4, 2))
program('einsum_diagonal', lambda x, y: jnp.einsum('ii,ij->j', x, y), real(3, 3), real(3, 2))
program('einsum_attention', lambda x, y: jnp.einsum('bthd,bshd->bhts', x, y), real(2, 3, 2, 2), real(2, 4,
        2, 2))
program('einsum_sum', lambda x: jnp.einsum('ijk->j', x * x), real(2, 3, 2))
program('einsum_hadamard', lambda x, y: jnp.einsum('ij,ij->i', x, y), real(3, 4), real(3, 4))
program('tensordot', lambda x, y: jnp.tensordot(x, y, 2), real(2, 3, 4), real(3, 4, 2))
program('outer', jnp.outer, real(3), real(4))
program('kron', jnp.kron, real(2, 3), real(3, 2))
program('inner', lambda x, y: jnp.inner(x, y), real(2, 4), real(3, 4))
program('vdot', lambda x, y: jnp.vdot(x, y), compl(4), compl(4))
program('matmul_complex', lambda x, y: x @ y, compl(2, 3), compl(3, 2))
program('einsum_complex', lambda x, y: jnp.einsum('bij,bjk->bik', x, jnp.conj(y)), compl(2, 2, 3), compl(2,
        3, 2))
program('quadratic', lambda x, y: x @ (y @ x), real(3), real(3, 3))
program('gram', lambda x: x.T @ x, real(4, 3))

# ---- running values ----
program('cum_sum', lambda x: jnp.cumsum(x * x, 1), real(2, 5))
program('cum_sum_reverse', lambda x: lax.cumsum(x * x, 0, reverse=True), real(5, 2))
program('cum_prod', lambda x: jnp.cumprod(x, 1), real(2, 6))
program('cum_prod_reverse', lambda x: lax.cumprod(x, 1, reverse=True), real(2, 6))
program('cum_max', lambda x: lax.cummax(x, 1), real(2, 9))
program('cum_min_reverse', lambda x: lax.cummin(x, 0, reverse=True), real(9, 2))
program('cum_logsumexp', lambda x: lax.cumlogsumexp(x, 1), real(2, 6))
program('cum_logsumexp_reverse', lambda x: lax.cumlogsumexp(x, 1, reverse=True), real(2, 6))
program('cum_prod_long', lambda x: jnp.cumprod(x), real(37, low=0.8, high=1.2))
program('associative_scan', lambda x, y: lax.associative_scan(lambda a,
        b: (a[0] * b[0], b[0] * a[1] + b[1]), (x, y))[1], real(7), real(7))
program('associative_scan_reverse', lambda x: lax.associative_scan(lambda a, b: a * b, x, reverse=True),
        real(5))
program('reduce_with', lambda x: jnp.prod(1 + x, axis=1) - 1, real(3, 4))

# ---- dynamic slices, gathers ----
program('dynamic_slice', lambda x, i: lax.dynamic_slice(x, (i[0], i[1]), (2, 3)) ** 2, real(4, 5), ints(1, 2))
program('dynamic_slice_clamped', lambda x, i: lax.dynamic_slice(x, (i[0], i[1]), (2, 3)) ** 2, real(4, 5),
        ints(9, 7))
program('dynamic_update_slice', lambda x, y, i: lax.dynamic_update_slice(x, y, (i[0], i[1])) ** 2, real(4,
        5), real(2, 3), ints(1, 2))
program('dynamic_update_slice_clamped', lambda x, y, i: lax.dynamic_update_slice(x, y, (i[0], i[1])) ** 2,
        real(4, 5), real(2, 3), ints(9, 9))
program('take_rows', lambda x, i: jnp.take(x, i, 0) ** 2, real(4, 3), ints(0, 3, 3, 1))
program('take_columns', lambda x, i: jnp.take(x, i, 1) ** 2, real(3, 4), ints([0, 3], [3, 1]))
program('take_negative', lambda x, i: jnp.take(x, i, 0) ** 2, real(4, 3), ints(-1, -4, 2))
program('take_along_axis', lambda x, i: jnp.take_along_axis(x, i, 1) ** 2, real(2, 4), ints([0, 3, 3],
        [2, 1, 2]))
program('gather', lambda x, i: x[i[:, 0], i[:, 1]] ** 2, real(3, 4), ints([0, 1], [2, 3], [0, 1]))
program('gather_slices', lambda x, i: jnp.stack([lax.dynamic_slice(x, (a[0],), (2,)) for a in i]) ** 2,
        real(6), ints([0], [3], [9]))
program('embedding', lambda x, i: jnp.take(x, i, 0).mean(1), real(5, 3), ints([0, 4], [1, 1]))
program('one_hot_product', lambda x, i: jax.nn.one_hot(i, 4, dtype=jnp.float64) @ x, real(4, 2), ints(1, 3,
        0))
program('update_at', lambda x, y: x.at[1, 2].set(y) ** 2, real(3, 4), real())

# ---- scatters ----
program('scatter_sum', lambda x, y, i: x.at[i[:, 0]].add(y) ** 2, real(4), real(5), ints([0], [3], [3], [1],
        [0]))
program('scatter_sum_dropped', lambda x, y, i: x.at[i[:, 0]].add(y, mode='drop') ** 2, real(4), real(3),
        ints([0], [9], [3]))
program('scatter_sum_rows', lambda x, y, i: x.at[i[:, 0]].add(y) ** 2, real(4, 2), real(3, 2), ints([2],
        [2], [0]))
program('scatter_mul', lambda x, y, i: x.at[i[:, 0]].mul(y, unique_indices=True), real(4), real(3),
        ints([2], [3], [0]))
program('scatter_update', lambda x, y, i: x.at[i[:, 0]].set(y, unique_indices=True) ** 2, real(4), real(3),
        ints([2], [3], [0]))
program('segment_sum', lambda x, i: jax.ops.segment_sum(x, i, 3) ** 2, real(5, 2), ints(0, 2, 0, 1, 2))
program('segment_max', lambda x, i: jax.ops.segment_max(x, i, 3), real(6), ints(0, 2, 0, 1, 2, 2))
program('segment_min', lambda x, i: jax.ops.segment_min(x, i, 3), real(6), ints(0, 2, 0, 1, 2, 2))
program('segment_prod', lambda x, i: jnp.stack([jnp.prod(jnp.where(i == k, x, 1.)) for k in range(3)]),
        real(6), ints(0, 2, 0, 1, 2, 2))
program('segment_mean', lambda x, i: jax.ops.segment_sum(x * x, i, 3) / jax.ops.segment_sum(jnp.ones(6), i,
        3), real(6), ints(0, 2, 0, 1, 2, 2))
program('segment_softmax', lambda x, i: jnp.exp(x) / jax.ops.segment_sum(jnp.exp(x), i, 3)[i], real(6),
        ints(0, 2, 0, 1, 2, 2))
program('put_along_axis', lambda x, y, i: jnp.put_along_axis(x, i, y, 1, inplace=False) ** 2, real(2, 4),
        real(2, 2), ints([0, 3], [2, 1]))
program('bincount_weighted', lambda x, i: jnp.bincount(i, x, length=4) ** 2, real(5), ints(0, 3, 3, 1, 0))

# ---- sorting ----
program('sort', lambda x: jnp.sort(x, 1) ** 2, real(2, 5))
program('sort_descending', lambda x: -jnp.sort(-x, 0), real(5, 2))
program('sort_by_key', lambda x, y: lax.sort((x, y), dimension=1, num_keys=1)[1] ** 2, real(2, 5), real(2, 5))
program('sort_two_keys', lambda x, y: lax.sort((jnp.floor(x), y), dimension=0, num_keys=2)[1] ** 2, real(7),
        real(7))
program('argsort', lambda x, y: x[jnp.argsort(y)] * y, real(5), real(5))
program('top_k', lambda x: lax.top_k(x, 3)[0] ** 2, real(2, 6))
program('bottom_k', lambda x: -lax.top_k(-x.T, 2)[0].T, real(6, 2))
program('ranked_sum', lambda x: (jnp.sort(x) * jnp.arange(6.)).sum(), real(6))

# ---- transforms ----
program('fft', lambda x: jnp.fft.fft(x), compl(2, 6))
program('fft_odd', lambda x: jnp.fft.fft(x), compl(5))
program('ifft', lambda x: jnp.fft.ifft(x), compl(2, 4))
program('fft_two', lambda x: jnp.fft.fft2(x), compl(3, 4))
program('rfft_even', lambda x: jnp.fft.rfft(x), real(2, 6))
program('rfft_odd', lambda x: jnp.fft.rfft(x), real(2, 5))
program('rfft_two', lambda x: jnp.fft.rfftn(x), real(3, 4))
program('irfft_even', lambda x: jnp.fft.irfft(x, 6), compl(2, 4))
program('irfft_odd', lambda x: jnp.fft.irfft(x, 5), compl(2, 3))
program('irfft_two', lambda x: jnp.fft.irfftn(x, (3, 4)), compl(3, 3))
program('power_spectrum', lambda x: abs(jnp.fft.rfft(x)) ** 2, real(7))
program('fft_convolution', lambda x, y: jnp.fft.irfft(jnp.fft.rfft(x, 8) * jnp.fft.rfft(y, 8), 8), real(5),
        real(4))
program('fftshift', lambda x: jnp.fft.fftshift(jnp.fft.fft(x)), compl(5))

# ---- loops ----


def cell(w, u):
    def step(carry, x):
        h, s = carry
        i, f, g, o = jnp.split(x @ w + h @ u, 4, -1)
        s = jax.nn.sigmoid(f) * s + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(s)
        return (h, s), h
    return step


def recurrent(xs, w, u, reverse=False):
    zero = jnp.zeros((xs.shape[1], u.shape[0]))
    (_, s), rows = lax.scan(cell(w, u), (zero, zero), xs, reverse=reverse)
    return rows + s


program('recurrent', recurrent, real(5, 2, 3), real(3, 8), real(2, 8))
program('recurrent_reverse', lambda xs, w, u: recurrent(xs, w, u, True), real(5, 2, 3), real(3, 8), real(2, 8))
program('descent', lambda x, y: lax.fori_loop(0, 4, lambda i, x: x - 0.1 * jax.grad(
        lambda x: jnp.sum(jnp.sin(x * y) * x))(x), x), real(3), real(3))
program('branching', lambda x, y: lax.scan(lambda s, x: (lax.cond(jnp.sum(s) < 1, lambda: s * x, lambda: jnp.sin(
        s) * y), None), y, x)[0], real(6, 2), real(2))

assert len(names) >= 120, len(names)
family.write()
