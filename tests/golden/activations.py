# SPDX-License-Identifier: Apache-2.0
"""Formulas of the activations, by name, on arrays of 80-bit floats: for nn.py; mpmath gives erfc to gelu."""
import mpmath
import numpy as np

PI = np.longdouble('3.14159265358979323846')


def clip(x, low=0, high=1):
    return np.minimum(np.maximum(x, low), high)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def gelu(x):
    exact = lambda v: mpmath.mpf(v) / 2 * mpmath.erfc(-mpmath.mpf(v) / mpmath.sqrt(2))
    return np.array([np.longdouble(mpmath.nstr(exact(float(v)), 25)) for v in x.reshape(-1)], np.longdouble).reshape(x.shape)


def elu(x, alpha=1, width=1):
    return np.where(x > 0, x, alpha * np.expm1(x / width))


def halves(f):
    return lambda x: f(*np.split(x, 2, -1))


ACTIVATIONS = {
    'none': lambda x: x,
    'relu': lambda x: np.where(x <= 0, 0, x),
    'sigmoid': logistic,
    'hard_sigmoid': lambda x: clip(x / 5 + np.longdouble(0.5)),
    'leaky_relu': lambda x: np.where(x < 0, np.longdouble('0.3') * x, x),
    'selu': lambda x: np.longdouble('1.0507009873554804934') * elu(x, np.longdouble('1.6732632423543772848')),
    'swish': lambda x: x * logistic(x),
    'hard_swish': lambda x: x * clip(x / 6 + np.longdouble(0.5)),
    'silu': lambda x: x * logistic(x),
    'tanh': np.tanh,
    'gelu': gelu,
    'gelu_approximate': lambda x: x * logistic(2 * np.sqrt(2 / PI) * (x + np.longdouble('0.044715') * x ** 3)),
    'swi_glu': halves(lambda a, b: a * logistic(a) * b),
    'elu': elu,
    'celu': elu,
    'softplus': softplus,
    'log_sigmoid': lambda x: -softplus(-x),
    'mish': lambda x: x * np.tanh(softplus(x)),
    'hard_tanh': lambda x: clip(x, -1),
    'relu6': lambda x: clip(x, 0, 6),
    'softsign': lambda x: x / (1 + np.abs(x)),
    'glu': halves(lambda a, b: a * logistic(b)),
}
