#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs as JAX exports them, for the reader of StableHLO, with operands and results: programs/<name>.mlir and the family
`programs`, whose cases name the file.

Each program is written twice: <name>.mlir is lower().as_text(), <name>.export.mlir what jax.export's mlir_module() gives,
which has locations. Results are JAX's own, on the CPU. A result that depends on a convention (the signs of eigenvectors) is
turned into one that does not. `scale` is the largest magnitude among the results that are not integers, times what the program's conditioning asks
for. Needs JAX 0.12 and Python 3.12 or newer."""
import os
import re

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from golden import Family

jax.config.update('jax_enable_x64', True)
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs')
RNG = np.random.default_rng(20261130)
PROGRAMS = []


def program(*operands, slack=1, exports=True, **jit):
    def add(function):
        PROGRAMS.append((function.__name__, function, [np.asarray(o) for o in operands], slack, exports, jit))
        return function
    return add


def f32(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def f64(*shape):
    return RNG.standard_normal(shape)


def positive(n):
    a = f64(n, n)
    return a @ a.T + n * np.eye(n)


# ---- small networks and their gradients ----

@program(f32(4, 6), RNG.integers(0, 3, 4).astype(np.int32), f32(6, 8) * 0.3, f32(8) * 0.1, f32(8, 3) * 0.3, slack=8)
def mlp_step(x, labels, w1, b1, w2):
    def loss(w1, b1, w2):
        logits = jax.nn.relu(x @ w1 + b1) @ w2
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))
    value, grads = jax.value_and_grad(loss, (0, 1, 2))(w1, b1, w2)
    return (value, *[p - 0.1 * g for p, g in zip((w1, b1, w2), grads)])


@program(f32(2, 8, 8, 2), f32(3, 3, 2, 4) * 0.3, slack=8)
def convolution_pool_gradient(x, kernel):
    def loss(kernel):
        y = lax.conv_general_dilated(x, kernel, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
        return jnp.sum(lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') ** 2)
    return jax.value_and_grad(loss)(kernel)


@program(f32(2, 5, 2, 4), f32(2, 5, 2, 4), f32(2, 5, 2, 4), slack=8)
def attention_gradient(q, k, v):
    def attend(q, k, v):
        scores = jnp.einsum('bqhd,bkhd->bhqk', q, k) / 2
        scores = jnp.where(jnp.tri(5, dtype=bool), scores, -jnp.inf)
        return jnp.einsum('bhqk,bkhd->bqhd', jax.nn.softmax(scores), v)
    return jax.value_and_grad(lambda *o: jnp.sum(jnp.sin(attend(*o))), (0, 1, 2))(q, k, v)


@program(f32(6, 2, 3), f32(3, 16) * 0.3, f32(4, 16) * 0.3, slack=8)
def lstm_scan_gradient(inputs, wx, wh):
    def loss(wx, wh):
        def step(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(x @ wx + h @ wh, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h
        zero = jnp.zeros((2, 4), jnp.float32)
        return jnp.sum(lax.scan(step, (zero, zero), inputs)[1] ** 2)
    return jax.value_and_grad(loss, (0, 1))(wx, wh)


@program(f32(3, 4, 8), f32(8), f32(8), slack=8)
def layer_norm_gelu(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    y = (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * gain + bias
    return jax.nn.gelu(y), jax.nn.gelu(y, approximate=False)


@program(f32(4, 5), slack=8, donate_argnums=(0,))
def remat_donated(x):
    def f(x):
        return jnp.sum(jax.checkpoint(lambda y: jnp.sin(jnp.sin(y) * 3))(x))
    return x - jax.grad(f)(x)


# ---- control flow ----

@program(np.int32(7), f32(5), slack=2)
def loops_and_branches(n, x):
    def body(i, carry):
        total, y = carry
        return total + i, lax.cond(i % 2 == 0, lambda v: v * 1.5, lambda v: v - x, y)
    total, y = lax.fori_loop(0, n, body, (jnp.int32(0), x))
    z = lax.switch(n % 3, [jnp.sin, lambda v: v + x[0], jnp.negative], y)
    steps, w = lax.while_loop(lambda s: jnp.max(jnp.abs(s[1])) > 0.01, lambda s: (s[0] + 1, s[1] / 2), (0, x))
    return total, y, z, steps, w


@program(f32(3, 4), f32(3), slack=2)
def vmapped_while(x, limit):
    def one(row, limit):
        return lax.while_loop(lambda r: jnp.sum(r) < limit + 3, lambda r: r + 0.5, row)
    return jax.vmap(one)(x, limit)


# ---- places ----

@program(f32(6, 4), np.array([5, 0, 0, 3], np.int32), f32(4, 4))
def gather_scatter(x, index, updates):
    return (x[index], x.at[index].add(updates), x.at[index, 1].max(updates[:, 0]), x.at[2:4].set(0),
            x.at[np.array([0, 2, 3])].mul(updates[:3]), jnp.take_along_axis(x[:4], index[:, None] % 4, 1))


@program(f32(3, 7), np.int32(2), np.int32(5))
def dynamic_slices(x, i, j):
    return (lax.dynamic_slice(x, (i, j), (2, 3)), lax.dynamic_update_slice(x, x[:2, :2] * 2, (i, j)),
            x[:, ::-2], jnp.pad(x, ((1, 0), (0, 2)), constant_values=7), jnp.roll(x, 2, 1), lax.rev(x, (0,)))


@program(np.array([[3, -1, np.nan, 2, -0.0, 0.0], [5, 5, 1, -np.inf, np.inf, 0]], np.float32))
def sorts(x):
    return (jnp.sort(x), jnp.argsort(x), -jnp.sort(-x, 0), jnp.argmax(x, 1), jnp.argmin(x, 0), *lax.top_k(x[1], 3),
            jnp.median(x[1, :5]), jnp.searchsorted(jnp.sort(x[1]), jnp.float32(4)),
            *lax.sort((x[0].astype(jnp.int32) % 2, jnp.arange(6)), num_keys=2))


@program(f64(4, 6))
def cumulative(x):
    return (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1, reverse=True), lax.cumlogsumexp(x, 1),
            lax.associative_scan(jnp.add, x, axis=1))


# ---- elements ----

@program(np.linspace(-3, 3, 13), np.linspace(0.1, 4, 13), slack=64, exports=False)
def special_functions(x, y):
    return (special.erf(x), special.erfc(x), special.erfinv(x / 4), special.gammaln(y), special.digamma(y), special.i0e(x),
            special.i1e(x), special.gammainc(y, y + 0.5), special.betainc(y, y + 1, jnp.abs(x) / 4), special.polygamma(1, y),
            special.zeta(y + 1.5, y), special.ndtri(jnp.abs(x) / 4 + 0.1), jnp.arctan2(x, y), jnp.expm1(x), jnp.log1p(y),
            jnp.sinc(x), jnp.cbrt(x), jnp.nextafter(x, y), jnp.hypot(x, y), jnp.logaddexp(x, y), jnp.float_power(y, x))


@program(np.array([-7, 7, 5, -128, 127, 0], np.int8), np.array([2, -2, 3, -1, 5, 1], np.int8),
         np.array([1, 2, 255, 17, 128, 7], np.uint32))
def integers(a, b, u):
    return (a // b, a % b, lax.rem(a, b), lax.div(a, b), a ^ b, a << 2, a >> 1, lax.shift_right_logical(a, np.int8(1)),
            lax.population_count(u), lax.clz(u), u.astype(jnp.int8), a.astype(jnp.float16), jnp.bitwise_count(a),
            lax.bitcast_convert_type(u, jnp.float32), lax.bitcast_convert_type(u, jnp.uint8), jnp.clip(a, -3, 3), a ** 2)


@program(f64(3, 4) + 1j * f64(3, 4), slack=8)
def complex_numbers(z):
    return (z * z.conj(), jnp.abs(z), jnp.exp(z), jnp.sqrt(z), jnp.sin(z), z.real, z.imag, jnp.angle(z), jnp.log(z), z @ z.T,
            jnp.fft.fft(z), jnp.fft.irfft(z), jnp.fft.fft2(z), jnp.fft.rfft(z.real))


@program(f32(4, 8), f32(8, 4), RNG.integers(-9, 9, (4, 8)).astype(np.int8), slack=4)
def half_and_integer_products(a, b, i):
    h, g = a.astype(jnp.bfloat16), b.astype(jnp.bfloat16)
    exact = (jnp.round(a * 4) / 4).astype(jnp.bfloat16)
    return (jnp.dot(h, g, preferred_element_type=jnp.float32), lax.dot(i, i.T, preferred_element_type=jnp.int32),
            exact.astype(jnp.float16), lax.reduce_precision(a, 5, 7), jnp.einsum('ij,jk,kl->il', a, b, a))


@program(np.array([1, 2], np.uint32))
def random_bits(key):
    a, b = jax.random.split(key)
    return (jax.random.bits(a, (5,)), jax.random.uniform(b, (3, 2)), jax.random.randint(a, (6,), -10, 10),
            jax.random.permutation(b, 6), jax.random.bits(a, (3,), jnp.uint8), jax.random.uniform(b, (2,), jnp.float64))


@program(np.array([3, 4], np.uint32), slack=256, exports=False)
def random_values(key):
    a, b = jax.random.split(key)
    return jax.random.normal(a, (7,)), jax.random.truncated_normal(b, -1, 1, (4,)), jax.random.gumbel(a, (3,))


@program(np.array([1, 2, 3, 4], np.uint32))
def philox_bits(key):
    return lax.rng_bit_generator(key, (7,), algorithm=lax.RandomAlgorithm.RNG_PHILOX)


# ---- linear algebra, which JAX's CPU exports as calls of LAPACK ----

@program(positive(4), f64(4, 2), f64(5, 3), slack=256)
def decompositions(s, b, a):
    q, r = jnp.linalg.qr(a)
    w, v = jnp.linalg.eigh(s)
    u, d, vh = jnp.linalg.svd(a, full_matrices=False)
    return (jnp.linalg.cholesky(s), q @ r, jnp.abs(r), w, (v * w) @ v.T, d, (u * d) @ vh, jnp.linalg.solve(s, b),
            jnp.linalg.inv(s), jnp.linalg.slogdet(s)[1], lax.linalg.lu(s)[0],
            lax.linalg.triangular_solve(s, b, left_side=True, lower=True), jnp.linalg.lstsq(a, a[:, 0])[0])


@program(np.stack([positive(3), positive(3)]).astype(np.float32), slack=256, exports=False)
def batched_decompositions(s):
    w, v = jnp.linalg.eigh(s)
    return (jnp.linalg.cholesky(s), w, (v * w[:, None, :]) @ v.swapaxes(1, 2), jnp.linalg.svd(s, compute_uv=False),
            jnp.linalg.inv(s), jax.grad(lambda s: jnp.sum(jnp.linalg.slogdet(s)[1]))(s))


# ---- shardings, which one device may ignore ----

@program(f32(4, 6), f32(6, 2), slack=2)
def sharded(x, w):
    mesh = jax.make_mesh((1,), ('x',), axis_types=(AxisType.Auto,))
    y = lax.with_sharding_constraint(x @ w, NamedSharding(mesh, PartitionSpec('x', None)))
    return jnp.tanh(y)


def write(family, name, text, operands, results, slack):
    with open(os.path.join(FOLDER, name + '.mlir'), 'w') as stream:
        stream.write('// SPDX-License-Identifier: Apache-2.0\n// ' + name + ', written by programs.py\n' + text)
    finite = [np.abs(np.asarray(r, np.complex128)) for r in results if r.dtype.kind not in 'biu']
    largest = max([float(np.max(f[np.isfinite(f)], initial=0)) for f in finite] + [1e-3])
    family.case('program', operands, results, file=name, scale=largest * slack)


def main():
    os.makedirs(FOLDER, exist_ok=True)
    family = Family('programs', 'JAX %s' % jax.__version__)
    for name, function, operands, slack, exports, jit in PROGRAMS:
        jitted = jax.jit(function, **jit)
        out = jitted(*[jnp.array(o) for o in operands])
        results = [np.asarray(r) for r in jax.tree_util.tree_leaves(out)]
        write(family, name, jitted.lower(*operands).as_text(), operands, results, slack)
        if exports:
            text = jax.export.export(jitted)(*operands).mlir_module()
            write(family, name + '.export', re.sub('"/[^"]*/', '"', text), operands, results, slack)
    family.write()


main()
