# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/nn.txt: layers and activations from their formulas in NumPy's 80-bit floats. Operands are multiples of
1/8, exact in every dtype, so that half types are wrong by their last rounding and float32's error alone."""
import warnings
from fractions import Fraction
import mpmath
import numpy as np
import exact
from activations import ACTIVATIONS, elu
from golden import FLOATS, HALVES, Family

np.seterr(all='ignore')
warnings.simplefilter('ignore')
mpmath.mp.dps = 40
rng = np.random.default_rng(61)
family = Family('nn', 'formulas in 80-bit floats')
INF, NAN = np.inf, np.nan


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
    return array(name, np.round(rng.uniform(-spread, spread, shape) * 8) / 8)


# ---- activations ----

POINTS = [0.0, -0.0, 0.5, -0.5, 1, -1, 2, -2, 3, -3, 0.25, -0.125, 6, -6, 12, -12, 40, -40, NAN, 7]
for name in FLOATS:
    x = array(name, POINTS)
    for op, f in ACTIVATIONS.items():
        family.case('activate', [x], [array(name, f(wide(x)))], activation=op,
                    scale=40.0 if name in HALVES or op == 'selu' else 2.0)
    for op in ('elu_with', 'celu_with'):
        y = elu(wide(x), np.longdouble(1.5), 1.5 if op == 'celu_with' else 1)
        family.case(op, [x], [array(name, y)], alpha=1.5)
    alpha = grid(name, (4, 1))
    m = grid(name, (4, 3))
    family.case('prelu', [m, alpha], [array(name, np.where(wide(m) < 0, wide(m) * wide(alpha), wide(m)))])
    family.case('prelu', [m, array(name, 0.25)], [array(name, np.where(wide(m) < 0, wide(m) / 4, wide(m)))])
    for cap in (5.0, 0.5, 0.0, -1.0):
        y = wide(x) if cap <= 0 else cap * np.tanh(wide(x) / cap)
        family.case('nn_softcap', [x], [array(name, y)], cap=cap)
family.case('relu6', [array('s32', [-3, 0, 5, 6, 9])], [array('s32', [0, 0, 5, 6, 6])])

# ---- products ----


def product(x, w, outputs_first):
    outputs = w.shape[:-1] if outputs_first else w.shape[1:]
    columns = int(np.prod(outputs))
    matrix = wide(w).reshape(columns, w.shape[-1]).T if outputs_first else wide(w).reshape(w.shape[0], columns)
    return (wide(x) @ matrix).reshape(x.shape[:-1] + outputs)


def dense_case(name, batch, inputs, outputs, first, has_bias, activation):
    x = grid(name, batch + (inputs,))
    w = grid(name, outputs + (inputs,) if first else (inputs,) + outputs, 1)
    operands = [x, w]
    y = product(x, w, first)
    scale = float(np.abs(product(abs(x), abs(w), first)).max(initial=0)) + 1
    if has_bias:
        b = grid('f32' if name == 'bf16' and len(batch) == 2 else name, outputs)
        operands.append(b)
        y = y + wide(b)
    y = ACTIVATIONS[activation](y)
    # half types round once: their unit relates to the result; what is before it is float32's
    family.case('nn_dense', operands, [array(name, y)], layout=int(first), activation=activation,
                scale=float(np.abs(y).max(initial=0)) + scale / 2048 if name in HALVES else scale)


for name in FLOATS:
    for batch, inputs, outputs in (((3,), 4, (6,)), ((2, 3), 5, (2, 4)), ((), 4, (2,)), ((3,), 4, ()), ((0,), 3, (2,)),
                                   ((2,), 0, (2,)), ((2, 1), 17, (34,))):
        for first in (False, True):
            for has_bias in (False, True):
                dense_case(name, batch, inputs, outputs, first, has_bias, 'none')
    for activation in ACTIVATIONS:
        dense_case(name, (3,), 4, (6,), activation < 'l', True, activation)
for q, k, flags in ((4, 4, (1, 1, 1)), (6, 2, (0, 1, 0)), (3, 0, (1, 0, 1)), (5, 3, (0, 0, 0))):
    for name in FLOATS:
        x, w = grid(name, (2, 3, 5)), grid(name, (5, q + 2 * k), 1)
        y = product(x, w, False)
        operands, parts = [x, w], []
        for at, (low, high) in enumerate(((0, q), (q, q + k), (q + k, q + 2 * k))):
            part = y[..., low:high]
            if flags[at]:
                operands.append(grid(name, (high - low,)))
                part = part + wide(operands[-1])
            parts.append(array(name, part))
        family.case('nn_qkv_projection', operands, parts, query_dim=q, key_dim=k, biases=flags, scale=32.0)
x, w = array('s32', [[1, -2, 3]]), array('s32', [[1, 2], [3, 4], [-5, 6]])
family.case('nn_dense', [x, w, array('s32', [1, 1])], [array('s32', [[-19, 13]])], layout=0, activation='none')
family.case('nn_dense', [x, w, array('s32', [1, 1])], [array('s32', [[0, 13]])], layout=0, activation='relu')
x, w = array('c64', [[1 + 1j, 2]]), array('c64', [[1j, 1], [1, 1 - 1j]])
family.case('nn_dense', [x, w], [array('c64', [[1 + 1j, 3 - 1j]])], layout=0, activation='none')

# ---- norms ----


def moments(x, over, mask=None):
    if mask is None:
        mean = x.mean(over, keepdims=True)
        return mean, ((x - mean) ** 2).mean(over, keepdims=True)
    count = np.maximum(mask.sum(over, keepdims=True), 1)
    mean = np.where(mask, x, 0).sum(over, keepdims=True) / count
    return mean, np.where(mask, (x - mean) ** 2, 0).sum(over, keepdims=True) / count


def layer_norm(x, over, epsilon, mask=None):
    mean, variance = moments(x, over, mask)
    y = (x - mean) / np.sqrt(variance + np.longdouble(epsilon))
    return y if mask is None else np.where(mask, y, 0)


def parameters(y, name, shapes):
    operands = []
    for at, shape in enumerate(shapes):
        if shape is None:
            continue
        operands.append(grid(name, shape))
        y = y * wide(operands[-1]) if at == 0 else y + wide(operands[-1])
    return operands, y


def bound(y):
    return float(np.abs(np.asarray(y, np.float64)[np.isfinite(np.asarray(y, np.float64))]).max(initial=0)) + 4


NORMS = [((4, 5), [-1], (5,), (5,)), ((4, 5), [-1], None, (5,)), ((4, 5), [0], (4, 1), None), ((3,), [0], (3,), (3,)),
         ((2, 2, 3), [-2, -1], (2, 3), (2, 3)), ((2, 3, 4), [1], (3, 1), (3, 1)), ((2, 3), [], (3,), (2, 3)),
         ((2, 33), [-1], (33,), ()), ((0, 3), [-1], (3,), None), ((3, 1), [-1], (1,), (1,))]
for name in FLOATS:
    for shape, axes, gamma, beta in NORMS:
        x = grid(name, shape)
        over = tuple(axes) or tuple(range(len(shape)))
        wider = 'f32' if name == 'f16' and len(axes) == 2 else name
        for epsilon in (1e-5, 0.5):
            operands, y = parameters(layer_norm(wide(x), over, epsilon), wider, (gamma, beta))
            family.case('nn_layer_norm', [x] + operands, [array(name, y)], axes=axes, epsilon=epsilon,
                        parts=[int(gamma is not None), int(beta is not None), 0], scale=bound(y))
            square = (wide(x) ** 2).mean(over, keepdims=True) + np.longdouble(epsilon)
            operands, y = parameters(wide(x) / np.sqrt(square), name, (gamma,))
            family.case('nn_rms_norm', [x] + operands, [array(name, y)], axes=axes, epsilon=epsilon, scale=bound(y))
    x = np.array(grid(name, (4, 6)))
    mask = rng.integers(0, 2, (4, 6)).astype(bool)
    mask[2], mask[3] = False, True
    x[~mask] = NAN if name != 'bf16' else x[~mask]
    for gamma, beta in ((None, None), ((6,), (6,))):
        operands, y = parameters(layer_norm(wide(x), (1,), 1e-3, mask), name, (gamma, beta))
        family.case('nn_layer_norm', [x] + operands + [mask], [array(name, y)], axes=[1], epsilon=1e-3,
                    parts=[int(gamma is not None), int(beta is not None), 1], scale=bound(y))
    y = layer_norm(wide(grid(name, (2, 3))), (1,), 1e-3)
    row = np.array([True, False])
    x = grid(name, (2, 3))
    family.case('nn_layer_norm', [x, row], [array(name, np.where(row[:, None], layer_norm(wide(x), (1,), 1e-3), 0))],
                axes=[1], epsilon=1e-3, parts=[0, 0, 1], scale=4.0)
# V20 and V21 of large values with a small spread, and of constants
for rows in ([[40000, 40001, 40002, 40003], [80000, 80001, 80002, 80003]],
             np.array([[mean + i * 1e-3 for i in range(16)] for mean in (0, 100, 1000, 10000)])):
    for name in ('f32', 'f64'):
        x = array(name, rows)
        family.case('nn_layer_norm', [x], [array(name, layer_norm(wide(x), (1,), 1e-5))], axes=[-1], epsilon=1e-5,
                    parts=[0, 0, 0], scale=bound(rows) * 256)
for name in FLOATS:
    for length in (1, 2, 3, 7, 16, 100, 255, 256, 300):
        x = array(name, np.full((1, length), 1234.0))
        family.case('nn_layer_norm', [x], [array(name, np.zeros((1, length)))], axes=[-1], epsilon=1e-5, parts=[0, 0, 0])


def by_groups(x, groups, axis, epsilon):
    axis %= x.ndim
    split = x.reshape(x.shape[:axis] + (groups, x.shape[axis] // max(groups, 1)) + x.shape[axis + 1:])
    over = tuple(i for i in range(1, split.ndim) if i != axis)
    return layer_norm(split, over, epsilon).reshape(x.shape)


def along(b, rank, axis):
    return wide(b).reshape([-1 if i == axis % rank else 1 for i in range(rank)])


for name in FLOATS:
    for shape, groups, axis in (((2, 4, 3), 2, 1), ((2, 6), 3, 1), ((2, 3, 2, 4), 4, -1), ((2, 4, 5), 1, 1), ((1, 6, 2), 6, 1)):
        x, g, b = grid(name, shape), grid(name, (shape[axis],)), grid(name, (shape[axis],))
        y = by_groups(wide(x), groups, axis, 1e-5)
        z = y * along(g, x.ndim, axis) + along(b, x.ndim, axis)
        family.case('nn_group_norm', [x], [array(name, y)], groups=groups, axis=axis, epsilon=1e-5, scale=8.0)
        family.case('nn_group_norm', [x, g, b], [array(name, z)], groups=groups, axis=axis, epsilon=1e-5, scale=bound(z))
        y = by_groups(wide(x), shape[axis], axis, 1e-3)
        if shape[1:] != (6,):
            family.case('nn_instance_norm', [x], [array(name, y)], axis=axis, epsilon=1e-3, scale=8.0)
    for shape, axis in (((5, 3), -1), ((2, 2, 3), 1), ((4, 2, 2, 3), -1), ((1, 3), 1)):
        x, c = grid(name, shape), (shape[axis],)
        s, o, rm, rv = grid(name, c), grid(name, c), grid(name, c), array(name, np.abs(grid('f64', c)) + 0.25)
        over = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
        y = (wide(x) - along(rm, x.ndim, axis)) / np.sqrt(along(rv, x.ndim, axis) + np.longdouble(1e-3))
        family.case('nn_batch_norm', [x, rm, rv], [array(name, y)], axis=axis, epsilon=1e-3, scale=bound(y) * 2)
        y = y * along(s, x.ndim, axis) + along(o, x.ndim, axis)
        family.case('nn_batch_norm', [x, rm, rv, s, o], [array(name, y)], axis=axis, epsilon=1e-3, scale=bound(y) * 2)
        mean, variance = moments(wide(x), over)
        y = (wide(x) - mean) / np.sqrt(variance + np.longdouble(1e-3)) * along(s, x.ndim, axis) + along(o, x.ndim, axis)
        stats = 'f32' if name in HALVES else name
        flat = [array(stats, mean.reshape(c)), array(stats, variance.reshape(c))]
        for unbiased in (0, 1):
            n = x.size // shape[axis]
            factor = n / np.longdouble(n - 1) if unbiased and n > 1 else 1
            updated = [array(name, np.longdouble(0.75) * wide(rm) + np.longdouble(0.25) * mean.reshape(c)),
                       array(name, np.longdouble(0.75) * wide(rv) + np.longdouble(0.25) * factor * variance.reshape(c))]
            family.case('nn_batch_norm_training', [x, s, o, rm, rv], [array(name, y)] + flat + updated, axis=axis, epsilon=1e-3,
                        unbiased=unbiased, momentum=0.75, scale=bound(y))
    x = array(name, np.full((6, 2), 1234.0))
    zero, mean = array(name, np.zeros((6, 2))), array('f32' if name in HALVES else name, wide(x)[0])
    family.case('nn_batch_norm_training', [x], [zero, mean, array('f32' if name in HALVES else name, [0, 0])], axis=-1, epsilon=1e-5)
    family.case('nn_batch_norm', [x, array(name, wide(x)[0]), array(name, [0, 0])], [zero], axis=-1, epsilon=1e-5)

# ---- embedding: indices outside count as the nearest ----

for name in FLOATS + ['s32', 'c64']:
    table = np.asarray(grid('f64', (5, 2, 3)))
    table = array(name, table.astype(int) if name == 's32' else table)
    for kind in ('s32', 'u8', 's64'):
        indices = np.array([[0, 4, 2], [1, 1, 9]])
        indices = array(kind, indices - (3 if kind != 'u8' else 0))
        at = np.clip(np.asarray(indices).astype(int), 0, 4)
        family.case('nn_embedding', [table, indices], [np.asarray(table)[at]])

family.write()
