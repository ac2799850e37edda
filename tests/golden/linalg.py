# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/linalg.txt: linear algebra by plain elimination in extended precision, and NumPy for norms.

Factors whose signs are free (qr, eigh, svd) have the operand itself as their result: what is tested is that they multiply
back to it, are orthonormal and have the wanted values."""
import numpy as np
from golden import Family

rng = np.random.default_rng(4)
family = Family('linalg', 'elimination in extended precision, and NumPy')
DTYPES = {'f32': np.float32, 'f64': np.float64, 'c64': np.complex64, 'c128': np.complex128}
REAL = {'f32': np.float32, 'f64': np.float64, 'c64': np.float32, 'c128': np.float64}


def draw(shape, name):
    x = rng.standard_normal(shape)
    if name[0] == 'c':
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(DTYPES[name])


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


def wide(a):
    return a.astype(np.clongdouble if a.dtype.kind == 'c' else np.longdouble)


def narrow(a, name):
    return a.astype(DTYPES[name] if a.dtype.kind == 'c' or name[0] == 'f' else REAL[name])


def over_batch(function, *arrays):
    """The function of each matrix, stacked."""
    batch = arrays[0].shape[:-2]
    flat = [a.reshape((-1,) + a.shape[-2:]) for a in arrays]
    parts = [function(*m) for m in zip(*flat)]
    if not parts:
        return None
    return np.stack(parts).reshape(batch + parts[0].shape)


def cholesky(a):
    l = np.zeros_like(a)
    for j in range(len(a)):
        l[j, j] = np.sqrt((a[j, j] - (l[j, :j] * l[j, :j].conj()).sum()).real)
        for i in range(j + 1, len(a)):
            l[i, j] = (a[i, j] - (l[i, :j] * l[j, :j].conj()).sum()) / l[j, j]
    return l


def solve(a, b):
    """Gauss with the largest pivots."""
    a, b = a.copy(), b.copy()
    n = len(a)
    for j in range(n):
        p = j + int(np.argmax(abs(a[j:, j])))
        a[[j, p]], b[[j, p]] = a[[p, j]], b[[p, j]]
        for i in range(j + 1, n):
            f = a[i, j] / a[j, j]
            a[i] -= f * a[j]
            b[i] -= f * b[j]
    x = np.zeros_like(b)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1:] @ x[i + 1:]) / a[i, i]
    return x


def determinant(a):
    a, d = a.copy(), a.dtype.type(1)
    for j in range(len(a)):
        p = j + int(np.argmax(abs(a[j:, j])))
        if p != j:
            a[[j, p]] = a[[p, j]]
            d = -d
        d = d * a[j, j]
        for i in range(j + 1, len(a)):
            a[i] = a[i] - a[i, j] / a[j, j] * a[j]
    return d


def definite(shape, name):
    g = draw(shape, name)
    return (g @ adjoint(g) + shape[-1] * np.eye(shape[-1])).astype(DTYPES[name])


def diagonal_heavy(shape, name):
    return (draw(shape, name) + (shape[-1] + 1) * np.eye(shape[-1])).astype(DTYPES[name])


def rubbish(a, lower):
    """a with NaN in the triangle that is not read."""
    a = a.copy()
    for m in a.reshape((-1,) + a.shape[-2:]):
        m[np.triu_indices(a.shape[-1], 1) if lower else np.tril_indices(a.shape[-1], -1)] = np.nan
    return a


def factors():
    for name in DTYPES:
        for shape in [[1, 1], [2, 2], [3, 3], [5, 5], [9, 9], [3, 2, 2], [2, 2, 4, 4]] + ([[35, 35]] if name == 'f32' else []):
            a = definite(shape, name)
            l = over_batch(cholesky, wide(a))
            family.case('cholesky', [rubbish(a, True)], [narrow(l, name)], lower=1)
            family.case('cholesky', [rubbish(a, False)], [narrow(adjoint(l), name)], lower=0)
            b = draw(shape[:-1] + [2], name)
            x = over_batch(solve, wide(a), wide(b))
            for lower in [1, 0]:
                factor = over_batch(cholesky, wide(a)) if lower else adjoint(over_batch(cholesky, wide(a)))
                family.case('cholesky_solve', [narrow(factor, name), b], [narrow(x, name)], lower=lower)
        for shape in [[0, 0], [2, 0, 0], [0, 3, 3]]:
            family.case('cholesky', [draw(shape, name)], [draw(shape, name)], lower=1)
    two = np.array([[1, 2], [2, 1]], np.float32)  # not definite
    nan = np.float32(np.nan)
    family.case('cholesky', [two], [np.array([[nan, 0], [nan, nan]], np.float32)], lower=1)
    family.case('cholesky', [two], [np.array([[nan, nan], [0, nan]], np.float32)], lower=0)
    family.case('cholesky', [np.stack([two, 4 * np.eye(2, dtype=np.float32)])],
                [np.stack([np.array([[nan, 0], [nan, nan]], np.float32), 2 * np.eye(2, dtype=np.float32)])], lower=1)
    family.case('cholesky', [np.zeros([1, 1], np.float32)], [np.full([1, 1], nan)], lower=1)
    family.case('cholesky', [np.array([[4 + 3j]], np.complex64)], [np.array([[2]], np.complex64)], lower=1)


def triangular():
    for name in DTYPES:
        for n, m in [(1, 1), (2, 3), (4, 1), (6, 5)] + ([(37, 3), (3, 140)] if name == 'f32' else []):
            for right in [0, 1]:
                for upper in [0, 1]:
                    for unit in [0, 1]:
                        for transpose in [0, 1, 2]:
                            triangular_case(name, n, m, right, upper, unit, transpose)
        for shape, m in [([3, 4, 4], 2), ([2, 2, 3, 3], 1)]:
            a = diagonal_heavy(shape, name)
            b = draw(shape[:-1] + [m], name)
            x = over_batch(solve, wide(np.tril(a)), wide(b))
            family.case('triangular_solve', [rubbish(a, True), b], [narrow(x, name)])
        for a_shape, b_shape in [([0, 0], [0, 3]), ([3, 3], [3, 0]), ([0, 2, 2], [0, 2, 1])]:
            family.case('triangular_solve', [draw(a_shape, name), draw(b_shape, name)], [draw(b_shape, name)])
    a = np.array([[0.0, 5], [1, 1]], np.float32)
    family.case('triangular_solve', [a, np.array([[1.0], [0]], np.float32)],
                [np.array([[np.inf], [-np.inf]], np.float32)])


def triangular_case(name, n, m, right, upper, unit, transpose):
    if n > 4 and (right + upper + unit + transpose) % 2:
        return
    a = diagonal_heavy([n, n], name) if not unit else (draw([n, n], name) / (2 * n)).astype(DTYPES[name])
    b = draw([m, n] if right else [n, m], name)
    given = rubbish(a, not upper)
    t = np.triu(wide(a)) if upper else np.tril(wide(a))
    if unit:
        given[np.diag_indices(n)] = np.nan
        t[np.diag_indices(n)] = 1
    t = [t, t.T, adjoint(t)][transpose]
    x = solve(t.T, wide(b).T).T if right else solve(t, wide(b))
    family.case('triangular_solve', [given, b], [narrow(x, name)], right=right, upper=upper, unit=unit, transpose=transpose)


def powers():
    for a in [np.array([[1, 1], [1, 0]], np.int32), np.array([[[2, 1], [0, 3]], [[1, 0], [5, 1]]], np.int64),
              np.array([[1, 1], [1, 0]], np.complex64), np.array([[0.5, 1], [1, -2]], np.float64)]:
        for n in [0, 1, 2, 3, 5, 8]:
            family.case('matrix_power', [a], [np.linalg.matrix_power(a, n)], n=n)


def norms():
    for name in DTYPES:
        for shape in [[4], [3, 5], [2, 3, 4]]:
            x = draw(shape, name)
            x.reshape(-1)[0] = 0
            for axes in [list(range(len(shape))), [0], [-1]]:
                for order in [2.0, 1.0, np.inf, -np.inf, 0.0, 3.0, -1.0, 0.5]:
                    size = abs(wide(x))
                    axis = tuple(axes)
                    with np.errstate(divide='ignore'):
                        if order in (np.inf, -np.inf):
                            y = (size.max if order > 0 else size.min)(axis)
                        elif order == 0:
                            y = (size != 0).sum(axis)
                        else:
                            y = (size ** np.longdouble(order)).sum(axis) ** (1 / np.longdouble(order))
                    family.case('norm', [x], [np.asarray(y).astype(REAL[name])], order=order, axes=axes)
        for shape in [[3, 5], [2, 3, 4], [2, 0, 3]]:
            x = draw(shape, name)
            size = abs(wide(x))
            for kind, y in [(0, np.sqrt((size * size).sum((-1, -2)))), (1, size.sum(-2).max(-1, initial=0)),
                            (2, size.sum(-1).max(-1, initial=0)), (3, size.max((-1, -2), initial=0))]:
                family.case('matrix_norm', [x], [np.asarray(y).astype(REAL[name])], kind=kind)


factors()
triangular()
powers()
norms()
family.write()
