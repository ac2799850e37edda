# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/gradient_elementwise.txt: derivatives of elementwise operations by mpmath, from closed forms with 60
digits, over the whole range of float32 and float64; each case says how many ulps are granted. Activations follow, by JAX in
float64. tests/ops/gradient_programs.def has the programs under the same names. Operands of a case: those of the program, then
the adjoint of its result; results: the derivatives by the operands."""
import os
os.environ['JAX_PLATFORMS'] = 'cpu'
import jax
jax.config.update('jax_enable_x64', True)
import jax.numpy as jnp
import mpmath as mp
import numpy as np
from golden import Family

mp.mp.dps = 60
rng = np.random.default_rng(5)
family = Family('gradient_elementwise', 'mpmath %s and JAX %s' % (mp.__version__, jax.__version__))


def spread(low, high, n=12):
    return rng.uniform(low, high, n)


def powers(low, high, n=12):
    """Magnitudes from 10^low to 10^high."""
    return 10.0 ** rng.uniform(low, high, n)


def both(x):
    return np.concatenate([x, -x])


def rounded(values, dtype):
    """To the dtype; mpmath's float rounds correctly to float64, which costs at most a thousandth of a float32's ulp."""
    return np.array([float(v) for v in values]).astype(dtype)


def unary(name, derivative, x64, ulps, x32=None):
    for dtype, x in ((np.float64, x64), (np.float32, x64 if x32 is None else x32)):
        x = np.asarray(x).astype(dtype)
        want = rounded([derivative(mp.mpf(float(v))) for v in x], dtype)
        keep = np.isfinite(want) & (np.abs(want) > (1e-300 if dtype == np.float64 else 1e-37))
        assert keep.sum() > 4, name
        family.case('vjp', [x[keep], np.ones_like(x[keep])], [want[keep]], program=name, ulps=ulps)


def binary(name, derivatives, x64, y64, ulps, x32=None, y32=None):
    for dtype, x, y in ((np.float64, x64, y64), (np.float32, x64 if x32 is None else x32, y64 if y32 is None else y32)):
        x, y = np.asarray(x).astype(dtype), np.asarray(y).astype(dtype)
        pairs = [(mp.mpf(float(a)), mp.mpf(float(b))) for a, b in zip(x, y)]
        want = [rounded([d(*p) for p in pairs], dtype) for d in derivatives]
        tiny = 1e-300 if dtype == np.float64 else 1e-37
        keep = np.all([np.isfinite(w) & ((np.abs(w) > tiny) | (w == 0)) for w in want], axis=0)
        assert keep.sum() > 4, name
        family.case('vjp', [x[keep], y[keep], np.ones_like(x[keep])], [w[keep] for w in want], program=name, ulps=ulps)


# ---- exponentials, logarithms, roots: the bound of the function, and a rounding for each further step ----

unary('exp', mp.exp, spread(-600, 600), 1.5, spread(-80, 80))
unary('expm1', mp.exp, spread(-600, 600), 1.5, spread(-80, 80))
unary('exp2', lambda x: mp.log(2) * mp.mpf(2) ** x, spread(-900, 900), 2.5, spread(-120, 120))
unary('log', lambda x: 1 / x, powers(-290, 290), 1, powers(-35, 35))
unary('log1p', lambda x: 1 / (1 + x), np.concatenate([powers(-20, 200), -spread(0, 0.9)]), 8,
      np.concatenate([powers(-9, 30), -spread(0, 0.9)]))
unary('log2', lambda x: 1 / (x * mp.log(2)), powers(-290, 290), 1.5, powers(-35, 35))
unary('log10', lambda x: 1 / (x * mp.log(10)), powers(-290, 290), 1.5, powers(-35, 35))
unary('sqrt', lambda x: 1 / (2 * mp.sqrt(x)), powers(-300, 300), 1.5, powers(-36, 36))
unary('rsqrt', lambda x: -1 / (2 * x * mp.sqrt(x)), powers(-190, 190), 5, powers(-24, 24))
unary('cbrt', lambda x: mp.cbrt(abs(x)) / (3 * abs(x)), both(powers(-300, 300)), 4, both(powers(-36, 36)))
unary('logistic', lambda x: mp.exp(-abs(x)) / (1 + mp.exp(-abs(x))) ** 2, both(spread(0, 600)), 5, both(spread(0, 80)))

# ---- circular and hyperbolic functions ----

unary('sin', mp.cos, both(powers(-10, 5)), 1)
unary('cos', lambda x: -mp.sin(x), both(powers(-10, 5)), 1)
unary('tan', lambda x: mp.sec(x) ** 2, both(spread(0, 1.57)), 5)
unary('asin', lambda x: 1 / mp.sqrt(1 - x * x), np.concatenate([both(spread(0, 0.9)), both(1 - powers(-14, -1))]), 3,
      np.concatenate([both(spread(0, 0.9)), both(1 - powers(-6, -1))]))
unary('acos', lambda x: -1 / mp.sqrt(1 - x * x), np.concatenate([both(spread(0, 0.9)), both(1 - powers(-14, -1))]), 3,
      np.concatenate([both(spread(0, 0.9)), both(1 - powers(-6, -1))]))
unary('atan', lambda x: 1 / (1 + x * x), both(powers(-10, 150)), 2.5, both(powers(-6, 18)))
unary('sinh', mp.cosh, both(spread(0, 600)), 1, both(spread(0, 80)))
unary('cosh', mp.sinh, both(spread(0, 600)), 1, both(spread(0, 80)))
unary('tanh', lambda x: mp.sech(x) ** 2, both(spread(0, 1)), 8)
unary('asinh', lambda x: 1 / mp.sqrt(1 + x * x), both(powers(-10, 300)), 2, both(powers(-6, 36)))
unary('acosh', lambda x: 1 / (mp.sqrt(x - 1) * mp.sqrt(x + 1)), 1 + powers(-12, 300), 4, 1 + powers(-5, 36))
unary('atanh', lambda x: 1 / ((1 - x) * (1 + x)), np.concatenate([both(spread(0, 0.9)), both(1 - powers(-14, -1))]), 3,
      np.concatenate([both(spread(0, 0.9)), both(1 - powers(-6, -1))]))

# ---- special functions: e^(-x^2) has x^2 times the rounding of the square ----

unary('erf', lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x), both(spread(0, 3)), 8)
unary('erfc', lambda x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x), both(spread(0, 3)), 8)
unary('erf_inv', lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(mp.erfinv(x) ** 2), both(spread(0, 0.99)), 16)
unary('lgamma', mp.digamma, np.concatenate([spread(0, 1), spread(2, 30), powers(2, 100)]), 5,
      np.concatenate([spread(0, 1), spread(2, 30), powers(2, 30)]))
unary('digamma', lambda x: mp.psi(1, x), np.concatenate([powers(-20, 2), powers(0, 100), -4 + spread(0.1, 0.9)]), 12,
      np.concatenate([powers(-9, 2), powers(0, 30), -4 + spread(0.1, 0.9)]))


def d_i0e(x):
    return mp.sign(x) * mp.exp(-abs(x)) * (mp.besseli(1, abs(x)) - mp.besseli(0, x))


def d_i1e(x):
    return mp.exp(-abs(x)) * (mp.besseli(0, x) - (1 + 1 / abs(x)) * mp.besseli(1, abs(x)))


unary('bessel_i0e', d_i0e, both(spread(0, 4)), 32)
unary('bessel_i1e', d_i1e, both(spread(0, 1)), 24)
with mp.workdps(400):  # the functions cancel to 1 / x
    unary('bessel_i0e', d_i0e, both(31 * powers(0, 6)), 16)
    unary('bessel_i1e', d_i1e, both(31 * powers(0, 6)), 16)

# ---- two operands ----

binary('div', [lambda x, y: 1 / y, lambda x, y: -x / y / y], both(powers(-40, 40)), both(powers(-40, 40)), 3,
       both(powers(-9, 9)), both(powers(-9, 9)))
binary('pow', [lambda x, y: y * x ** (y - 1), lambda x, y: x ** y * mp.log(x)],
       np.concatenate([spread(0.01, 0.9), spread(1.1, 40)]), spread(-5, 5, 24), 8)  # y - 1 is rounded, times log x
binary('atan2', [lambda y, x: x / (x * x + y * y), lambda y, x: -y / (x * x + y * y)], both(powers(-30, 30)),
       powers(-30, 30, 24), 6, both(powers(-9, 9)), powers(-9, 9, 24))
binary('hypot', [lambda x, y: x / mp.hypot(x, y), lambda x, y: y / mp.hypot(x, y)], both(powers(-30, 30)),
       powers(-30, 30, 24), 2, both(powers(-9, 9)), powers(-9, 9, 24))
binary('log_add_exp', [lambda x, y: 1 / (1 + mp.exp(y - x)), lambda x, y: 1 / (1 + mp.exp(x - y))], spread(-20, 20, 24),
       spread(-20, 20, 24), 64)

# ---- activations ----


def by_jax(name, f, x):
    y, vjp = jax.vjp(f, jnp.asarray(x))
    u = spread(-2, 2, len(x))
    family.case('vjp', [x, u], [np.asarray(vjp(jnp.asarray(u))[0])], program=name, ulps=64)


points = np.concatenate([spread(-8, 8, 24), [0.0, -30.0, 30.0]])
by_jax('softplus', jax.nn.softplus, points)
by_jax('relu', jax.nn.relu, points)
by_jax('elu', jax.nn.elu, points[:-3])
by_jax('selu', jax.nn.selu, points[:-3])
# further left 1 + tanh and the like cancel in JAX
by_jax('silu', jax.nn.silu, spread(-4, 8, 24))
by_jax('gelu', lambda x: jax.nn.gelu(x, approximate=False), spread(-3, 8, 24))
by_jax('gelu_approximate', jax.nn.gelu, spread(-0.5, 8, 24))
family.write()
