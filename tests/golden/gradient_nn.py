# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/gradient_nn.txt: vector-Jacobian products of layers and activations by JAX in float64, written from their
formulas. A case is one of the family nn with the adjoints of its results as further operands; the results are those of the
float operands. Values keep off the kinks, but for relu6 at 0 and 6, where ours is 0."""
import os
os.environ['JAX_PLATFORMS'] = 'cpu'
import jax
jax.config.update('jax_enable_x64', True)
import jax.numpy as jnp
import numpy as np
from jax import nn
from golden import Family

rng = np.random.default_rng(67)
family = Family('gradient_nn', 'jax.vjp of JAX %s' % jax.__version__)


def draw(*shape, low=-2.0, high=2.0):
    return rng.uniform(low, high, shape)


def case(word, f, operands, **words):
    floats = [i for i, x in enumerate(operands) if np.asarray(x).dtype.kind == 'f']

    def of_floats(*x):
        full = list(operands)
        for i, v in zip(floats, x):
            full[i] = v
        y = f(*full)
        return tuple(y) if isinstance(y, (list, tuple)) else (y,)

    y, vjp = jax.vjp(of_floats, *[operands[i] for i in floats])
    adjoints = [draw(*np.shape(v)) for v in y]
    found = [np.asarray(d) for d in vjp(tuple(jnp.asarray(u) for u in adjoints))]
    assert all(np.isfinite(d).all() for d in found), word
    family.case(word, operands + adjoints, found, outputs=len(adjoints), **words)


def halves(f):
    return lambda x: f(*jnp.split(x, 2, -1))


ACTIVATIONS = {
    'none': lambda x: x, 'relu': nn.relu, 'sigmoid': nn.sigmoid, 'hard_sigmoid': lambda x: jnp.clip(x / 5 + 0.5, 0, 1),
    'leaky_relu': lambda x: nn.leaky_relu(x, 0.3), 'selu': nn.selu, 'swish': nn.swish,
    'hard_swish': lambda x: x * jnp.clip(x / 6 + 0.5, 0, 1), 'silu': nn.silu, 'tanh': jnp.tanh,
    'gelu': lambda x: nn.gelu(x, approximate=False), 'gelu_approximate': lambda x: x * nn.sigmoid(np.sqrt(8 / np.pi) * (x + 0.044715 * x ** 3)),
    'swi_glu': halves(lambda a, b: nn.swish(a) * b),
    'elu': nn.elu, 'celu': nn.celu, 'softplus': nn.softplus, 'log_sigmoid': nn.log_sigmoid, 'mish': nn.mish,
    'hard_tanh': nn.hard_tanh, 'relu6': nn.relu6, 'softsign': nn.soft_sign, 'glu': nn.glu}
for name, f in ACTIVATIONS.items():
    case('activate', f, [np.concatenate([draw(7), draw(7, low=-8, high=8)])], activation=name)
case('activate', f=lambda x: x * ((x > 0) & (x < 6)), operands=[np.array([0.0, 6.0, -1.0, 3.0])], activation='relu6')
case('elu_with', lambda x: nn.elu(x, 1.5), [draw(6)], alpha=1.5)
case('celu_with', lambda x: nn.celu(x, 1.5), [draw(6)], alpha=1.5)
case('prelu', lambda x, a: jnp.where(x < 0, a * x, x), [draw(4, 3), draw(4, 1)])
case('nn_softcap', lambda x: 1.5 * jnp.tanh(x / 1.5), [draw(6)], cap=1.5)


def dense(first, activation):
    def f(x, w, b=None):
        y = jnp.tensordot(x, w, ((-1,), (-1 if first else 0,)))
        return ACTIVATIONS[activation](y if b is None else y + b)
    return f


for batch, inputs, outputs in (((3,), 4, (6,)), ((2, 3), 5, (2, 4)), ((), 4, (2,)), ((3,), 4, ())):
    for first in (False, True):
        operands = [draw(*batch, inputs), draw(*outputs, inputs) if first else draw(inputs, *outputs)]
        case('nn_dense', dense(first, 'none'), operands, layout=int(first), activation='none')
        case('nn_dense', dense(first, 'gelu'), operands + [draw(*outputs)], layout=int(first), activation='gelu')
for name in ACTIVATIONS:
    case('nn_dense', dense(False, name), [draw(3, 4), draw(4, 6), draw(6)], layout=0, activation=name)


def qkv(flags, q, k):
    def f(x, w, *biases):
        y, biases = x @ w, list(biases)
        parts = jnp.split(y, [q, q + k], -1)
        return [p + biases.pop(0) if has else p for p, has in zip(parts, flags)]
    return f


for q, k, flags in ((4, 4, (1, 1, 1)), (6, 2, (0, 1, 0))):
    operands = [draw(2, 3, 5), draw(5, q + 2 * k)] + [draw(n) for n, has in zip((q, k, k), flags) if has]
    case('nn_qkv_projection', qkv(flags, q, k), operands, query_dim=q, key_dim=k, biases=flags)


def layer_norm(axes, epsilon, parts):
    def f(x, *others):
        others = list(others)
        gamma, beta = [others.pop(0) if has else None for has in parts[:2]]
        over, mask = tuple(axes) or None, others.pop(0) if parts[2] else jnp.ones(x.shape, bool)
        count = jnp.maximum(mask.sum(over, keepdims=True), 1)
        mean = jnp.where(mask, x, 0).sum(over, keepdims=True) / count
        variance = jnp.where(mask, (x - mean) ** 2, 0).sum(over, keepdims=True) / count
        y = jnp.where(mask, (x - mean) / jnp.sqrt(variance + epsilon), 0)
        y = y if gamma is None else y * gamma
        return y if beta is None else y + beta
    return f


def rms_norm(axes, epsilon):
    def f(x, gamma=1):
        return x / jnp.sqrt((x ** 2).mean(tuple(axes) or None, keepdims=True) + epsilon) * gamma
    return f


for shape, axes, gamma, beta in [((4, 5), [-1], (5,), (5,)), ((4, 5), [-1], None, None), ((4, 5), [0], (4, 1), (5,)),
                                 ((2, 2, 3), [-2, -1], (2, 3), (2, 3)), ((2, 3), [], (3,), (2, 3)), ((2, 33), [-1], (33,), (33,))]:
    parts = [int(gamma is not None), int(beta is not None), 0]
    given = [draw(*s) for s in (gamma, beta) if s is not None]
    case('nn_layer_norm', layer_norm(axes, 1e-5, parts), [draw(*shape)] + given, axes=axes, epsilon=1e-5, parts=parts)
    case('nn_rms_norm', rms_norm(axes, 1e-5), [draw(*shape)] + given[:parts[0]], axes=axes, epsilon=1e-5)
mask = np.array([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 1, 1, 1]], bool)
for parts in ([0, 0, 1], [1, 1, 1]):
    case('nn_layer_norm', layer_norm([1], 1e-3, parts), [draw(4, 5)] + [draw(5) for _ in range(2 * parts[0])] + [mask], axes=[1],
         epsilon=1e-3, parts=parts)


def along(b, rank, axis):
    return b.reshape([-1 if i == axis % rank else 1 for i in range(rank)])


def group_norm(groups, axis):
    def f(x, gamma, beta):
        at = axis % x.ndim
        split = x.reshape(x.shape[:at] + (groups, x.shape[at] // groups) + x.shape[at + 1:])
        over = tuple(i for i in range(1, split.ndim) if i != at)
        mean = split.mean(over, keepdims=True)
        variance = ((split - mean) ** 2).mean(over, keepdims=True)
        y = ((split - mean) / jnp.sqrt(variance + 1e-5)).reshape(x.shape)
        return y * along(gamma, x.ndim, at) + along(beta, x.ndim, at)
    return f


for shape, groups, axis in (((2, 4, 3), 2, 1), ((2, 3, 4), 2, -1)):
    case('nn_group_norm', group_norm(groups, axis), [draw(*shape), draw(shape[axis]), draw(shape[axis])], groups=groups, axis=axis,
         epsilon=1e-5)


def batch_norm(axis):
    def f(x, mean, variance, scale=None, offset=None):
        y = (x - along(mean, x.ndim, axis)) / jnp.sqrt(along(variance, x.ndim, axis) + 1e-3)
        return y if scale is None else y * along(scale, x.ndim, axis) + along(offset, x.ndim, axis)
    return f


def batch_norm_training(axis):
    def f(x, scale, offset, running_mean, running_variance):
        over = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
        mean = x.mean(over)
        variance = ((x - along(mean, x.ndim, axis)) ** 2).mean(over)
        stop = jax.lax.stop_gradient
        n = x.size // x.shape[axis]
        return [batch_norm(axis)(x, mean, variance, scale, offset), mean, variance,
                stop(0.75 * running_mean + 0.25 * mean), stop(0.75 * running_variance + 0.25 * n / (n - 1) * variance)]
    return f


for shape, axis in (((5, 3), -1), ((2, 2, 3), 1)):
    c = shape[axis]
    case('nn_batch_norm', batch_norm(axis), [draw(*shape), draw(c), draw(c, low=0.5)], axis=axis, epsilon=1e-3)
    case('nn_batch_norm', batch_norm(axis), [draw(*shape), draw(c), draw(c, low=0.5), draw(c), draw(c)], axis=axis, epsilon=1e-3)
    case('nn_batch_norm_training', batch_norm_training(axis), [draw(*shape), draw(c), draw(c), draw(c), draw(c, low=0.5)],
         axis=axis, epsilon=1e-3, unbiased=1, momentum=0.75)
indices = np.array([[0, 4, 2], [1, 1, 9], [-1, -7, 4]], np.int32)
case('nn_embedding', lambda t, i: t[np.clip(i, 0, 4)], [draw(5, 2), indices])

family.write()
