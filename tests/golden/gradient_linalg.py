# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/gradient_linalg.txt: vector-Jacobian products of linear algebra by JAX in float64 and complex128. A case
has the adjoints of its results as further operands, `outputs` of them; the results are those of the other operands.

JAX's Cholesky factors and eigenvalues are of (a + a^H) / 2, so these cases are too. Of eigenvectors the projector on those from
the second on is taken, which does not depend on their phases; of singular vectors what pinv is made of."""
import jax
jax.config.update('jax_enable_x64', True)
import jax.numpy as jnp
import numpy as np
from jax import lax
from golden import Family

rng = np.random.default_rng(29)
family = Family('gradient_linalg', 'JAX')


def draw(dims, dtype):
    x = rng.uniform(-1, 1, dims)
    return x + 1j * rng.uniform(-1, 1, dims) if dtype == 'c128' else x


def diagonal(a, d):
    """Far from singular, with distinct eigenvalues."""
    return a + np.diag(d * np.arange(1, a.shape[-1] + 1))


def case(word, function, operands, **words):
    """By the conjugates: JAX's transposes are not Hermitian."""
    y, pull = jax.vjp(function, *operands)
    y = y if isinstance(y, tuple) else (y,)
    adjoints = [draw(r.shape, 'c128' if r.dtype == np.complex128 else 'f64') for r in y]
    conjugates = tuple(jnp.conj(u) for u in adjoints)
    wanted = [np.conj(np.asarray(d)) for d in pull(conjugates if len(y) > 1 else conjugates[0])]
    family.case(word, list(operands) + adjoints, wanted, outputs=len(y), **words)


def adjoint(a):
    return jnp.conj(jnp.swapaxes(a, -1, -2))


def cholesky(a, lower):
    l = jnp.linalg.cholesky((a + adjoint(a)) / 2)
    return l if lower else adjoint(l)


def eigh(a):
    w, v = jnp.linalg.eigh((a + adjoint(a)) / 2)
    return w, v[..., :, 1:] @ adjoint(v[..., :, 1:])


def triangular_solve(a, b, words):
    return lax.linalg.triangular_solve(a, b, left_side=not words['right'], lower=not words['upper'],
                                       transpose_a=words['transpose'] > 0, conjugate_a=words['transpose'] > 1,
                                       unit_diagonal=bool(words['unit']))


def factors(dtype):
    for dims in ((1, 1), (3, 3), (2, 3, 3)):
        for lower in (1, 0):
            case('cholesky', lambda a: cholesky(a, lower), [diagonal(draw(dims, dtype), 3)], lower=lower)
        if dims[-1] > 1:
            case('eigh', eigh, [diagonal(draw(dims, dtype), 2)], lower=1)
    for dims in ((3, 3), (4, 2), (2, 4), (2, 3, 2)):
        if dims[-2] >= dims[-1]:  # of wide matrices JAX has no derivative
            case('qr', lambda a: tuple(jnp.linalg.qr(a)), [draw(dims, dtype)])
        case('lu', lambda a: lax.linalg.lu(a)[0], [draw(dims, dtype)])
        case('pinv', jnp.linalg.pinv, [draw(dims, dtype)])
        case('svd', lambda a: jnp.linalg.svd(a, full_matrices=False, compute_uv=False), [draw(dims, dtype)])


def systems(dtype):
    for n in range(24):
        words = dict(right=n % 2, upper=n // 2 % 2, unit=n // 4 % 2, transpose=n // 8)
        b = draw((2, 3) if n % 2 else (3, 2), dtype)
        case('triangular_solve', lambda a, b: triangular_solve(a, b, words), [diagonal(draw((3, 3), dtype), 2), b], **words)
    case('solve', jnp.linalg.solve, [draw((3, 3), dtype), draw((3, 2), dtype)])
    case('solve', jnp.linalg.solve, [draw((2, 3, 3), dtype), draw((2, 3, 2), dtype)])
    case('inverse', jnp.linalg.inv, [draw((3, 3), dtype)])


def numbers(dtype):
    for dims in ((1, 1), (3, 3), (2, 2, 2)):
        case('det', jnp.linalg.det, [draw(dims, dtype)])
        case('slogdet', lambda a: tuple(jnp.linalg.slogdet(a)), [draw(dims, dtype)])
    case('matrix_power', lambda a: jnp.linalg.matrix_power(a, 5), [draw((3, 3), dtype)], n=5)
    case('matrix_power', lambda a: jnp.linalg.matrix_power(a, -2), [draw((3, 3), dtype)], n=-2)
    for kind, order in enumerate(['fro', 1, np.inf, None, 2, 'nuc']):
        if order is not None:
            case('matrix_norm', lambda a: jnp.linalg.norm(a, order, (-2, -1)), [draw((2, 3, 2), dtype)], kind=kind)


for name in ('f64', 'c128'):
    factors(name)
    systems(name)
    numbers(name)
family.write()
