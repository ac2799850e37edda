# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/linalg.txt: linear algebra by plain elimination in extended precision, and NumPy for norms.

Factors whose phases are free (eigh, svd) have the operand itself as a result: what is tested is that they multiply back to
it, are orthonormal, and have the values that mpmath finds."""
import mpmath
import numpy as np
from golden import Family

mpmath.mp.dps = 40

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
    if a.size == 0:
        return a
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
            for axes in [list(range(len(shape))), [0]] if name in ('f32', 'c128') else [[-1]]:
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


# ---- factors of several results ----

def lu(a):
    a = a.copy()
    m, n = a.shape
    pivots, permutation = [], np.arange(m, dtype=np.int32)
    for j in range(min(m, n)):
        p = j + int(np.argmax(abs(a[j:, j].real) + abs(a[j:, j].imag)))
        pivots.append(p)
        a[[j, p]], permutation[[j, p]] = a[[p, j]], permutation[[p, j]]
        if a[j, j] != 0:
            a[j + 1:, j] /= a[j, j]
            a[j + 1:, j + 1:] -= np.outer(a[j + 1:, j], a[j, j + 1:])
    return a, np.array(pivots, np.int32), permutation


def householder(a, full):
    """LAPACK's signs: each reflection makes an element real and of the sign opposite to its real part."""
    r = a.copy()
    m, n = a.shape
    q = np.eye(m, dtype=a.dtype)
    for j in range(min(m, n)):
        x = r[j:, j].copy()
        norm = np.sqrt((abs(x) ** 2).sum())
        if (abs(x[1:]) ** 2).sum() == 0 and x[0].imag == 0:
            continue
        beta = -norm if x[0].real > 0 else norm
        tau = (beta - x[0]) / beta
        v = x / (x[0] - beta)
        v[0] = 1
        h = np.eye(m, dtype=a.dtype)
        h[j:, j:] -= tau * np.outer(v, v.conj())
        r = adjoint(h) @ r
        q = q @ h
        r[j + 1:, j] = 0
    k = m if full else min(m, n)
    return q[:, :k], r[:k]


def to_mp(a):
    return mpmath.matrix([[mpmath.mpc(complex(v)) for v in row] for row in a])


def eigenvalues(a, name):
    values = mpmath.eighe(to_mp(a), eigvals_only=True) if len(a) else []
    return np.sort(np.array([float(v.real) for v in values])).astype(REAL[name])


def singular_values(a, name):
    values = mpmath.svd_c(to_mp(a), compute_uv=False) if min(a.shape) else []
    return np.sort(np.array([float(v.real) for v in values]))[::-1].astype(REAL[name])


def identity(n, name):
    return np.eye(n, dtype=DTYPES[name])


SHAPES = [(1, 1), (2, 2), (3, 3), (4, 4), (7, 7), (5, 3), (3, 5), (1, 4), (4, 1), (9, 2)]


def rectangular(name):
    """Matrices of every shape, and awkward ones."""
    for m, n in SHAPES:
        yield draw([m, n], name)
    yield np.zeros([3, 3], DTYPES[name])
    yield np.zeros([4, 2], DTYPES[name])
    yield identity(3, name)
    yield np.array([[0, 2], [3, 0]], DTYPES[name])
    huge = 1e30 if name in ('f32', 'c64') else 1e300
    yield (draw([3, 3], name) * huge).astype(DTYPES[name])
    yield (draw([3, 2], name) / huge).astype(DTYPES[name])


def deficient(name):
    """Matrices of small rank, most of whose factors are a matter of rounding."""
    yield np.ones([4, 3], DTYPES[name])
    yield (draw([4, 1], name) @ draw([1, 4], name)).astype(DTYPES[name])
    yield (draw([6, 2], name) @ draw([2, 5], name)).astype(DTYPES[name])


def lu_and_qr():
    for name in DTYPES:
        for a in deficient(name):
            for full in [0, 1]:
                k = a.shape[0] if full else min(a.shape)
                family.case('qr_product', [a], [a, identity(k, name)], full=full)
        for a in rectangular(name):
            f, pivots, permutation = lu(wide(a))
            family.case('lu', [a], [narrow(f, name), pivots, permutation])
            for full in [0, 1]:
                q, r = householder(wide(a), full)
                family.case('qr', [a], [narrow(q, name), narrow(r, name)], full=full)
        batch = draw([2, 3, 4, 3], name)
        for full in [0, 1]:
            parts = [householder(m, full) for m in wide(batch).reshape(-1, 4, 3)]
            q, r = [np.stack([p[i] for p in parts]) for i in (0, 1)]
            family.case('qr', [batch], [narrow(q.reshape((2, 3) + q.shape[1:]), name),
                                        narrow(r.reshape((2, 3) + r.shape[1:]), name)], full=full)
        f, pivots, permutation = [np.stack(p).reshape((2, 3) + p[0].shape) for p in zip(*[lu(m) for m in wide(batch).reshape(-1, 4, 3)])]
        family.case('lu', [batch], [narrow(f, name), pivots, permutation])
    for m, n in [(0, 3), (3, 0), (0, 0)]:
        a = np.zeros([m, n], np.float32)
        family.case('lu', [a], [a, np.zeros([0], np.int32), np.arange(m, dtype=np.int32)])
        family.case('qr', [a], [np.eye(m, 0 if n == 0 else m, dtype=np.float32), np.zeros([0, n], np.float32)], full=0)
        family.case('qr', [a], [np.eye(m, dtype=np.float32), np.zeros([m, n], np.float32)], full=1)


def svd_case(a, name):
    m, n = a.shape
    k = min(m, n)
    for full in [0, 1]:
        family.case('svd', [a], [singular_values(a, name), a, identity(m if full else k, name), identity(n if full else k, name)],
                    full=full)


def eigh_case(a, name):
    for lower in [0, 1]:
        family.case('eigh', [rubbish(a, lower)], [eigenvalues(a, name), a, identity(len(a), name)], lower=lower)


def values():
    for name in DTYPES:
        for a in rectangular(name):
            svd_case(a, name)
        for a in deficient(name):
            svd_case(a, name)
            eigh_case((a @ adjoint(a)).astype(DTYPES[name]), name)
        for a in rectangular(name):
            if a.shape[0] == a.shape[1]:
                eigh_case(((a + adjoint(a)) / 2).astype(DTYPES[name]), name)
        eigh_case(np.diag([3, 1, 2, 1]).astype(DTYPES[name]), name)
        eigh_case(definite([12, 12], name), name)
    for m, n in [(0, 3), (3, 0), (0, 0), (2, 0)]:
        svd_case(np.zeros([m, n], np.float64), 'f64')
    eigh_case(np.zeros([0, 0], np.complex64), 'c64')
    nan = np.float32(np.nan)
    for bad in [nan, np.float32(np.inf)]:
        a = np.array([[1, bad], [bad, 1]], np.float32)
        all_nan = np.full([2, 2], nan)
        family.case('eigh', [a], [np.full([2], nan), all_nan, all_nan], lower=1)
        family.case('svd', [a], [np.full([2], nan), all_nan, all_nan, all_nan], full=0)


# ---- made of factors ----

def systems():
    for name in DTYPES:
        for shape in [[1, 1], [2, 2], [3, 3], [6, 6], [2, 3, 3], [2, 2, 2, 2]]:
            a = diagonal_heavy(shape, name)
            a = a[..., ::-1, :].copy()  # so that rows must be swapped
            b = draw(shape[:-1] + [2], name)
            family.case('solve', [a, b], [narrow(over_batch(solve, wide(a), wide(b)), name)])
            eye = np.broadcast_to(np.eye(shape[-1]), shape)
            family.case('inverse', [a], [narrow(over_batch(solve, wide(a), wide(eye.astype(DTYPES[name]))), name)])
            d = np.array([determinant(m) for m in wide(a).reshape([-1] + shape[-2:])]).reshape(shape[:-2])
            family.case('det', [a], [narrow(d, name)])
            family.case('slogdet', [a], [narrow(d / abs(d), name), np.log(abs(d)).astype(REAL[name])])
            family.case('matrix_power', [a], [narrow(over_batch(solve, wide(a) @ wide(a), wide(eye.astype(DTYPES[name]))), name)], n=-2)
        a, b = diagonal_heavy([3, 3], name), draw([3], name)
        family.case('solve', [a, b], [narrow(solve(wide(a), wide(b)[:, None])[:, 0], name)])
        singular = np.array([[1, 2], [2, 4]], DTYPES[name])
        zero = np.zeros([], DTYPES[name])
        family.case('det', [singular], [zero])
        family.case('slogdet', [singular], [zero, np.full([], -np.inf, REAL[name])])
        family.case('det', [np.zeros([2, 0, 0], DTYPES[name])], [np.ones([2], DTYPES[name])])
        family.case('inverse', [np.zeros([0, 0], DTYPES[name])], [np.zeros([0, 0], DTYPES[name])])
        for m, n in [(3, 3), (5, 3), (3, 5), (4, 1)]:
            a, b = draw([m, n], name), draw([m, 2], name)
            w = wide(a)
            gram = adjoint(w) @ w if m >= n else w @ adjoint(w)
            one = wide(np.eye(len(gram)).astype(DTYPES[name]))
            p = solve(gram, one) @ adjoint(w) if m >= n else adjoint(w) @ solve(gram, one)
            family.case('pinv', [a], [narrow(p, name)])
            family.case('least_squares', [a, b], [narrow(p @ wide(b), name)])
            family.case('matrix_rank', [a], [np.int32(min(m, n))])
        rank1 = np.outer([1, 2, 2], [2, 0, 1]).astype(DTYPES[name])
        family.case('pinv', [rank1], [(rank1.T / 45).astype(DTYPES[name])])
        family.case('matrix_rank', [np.stack([rank1, np.zeros([3, 3], DTYPES[name]), identity(3, name)])],
                    [np.array([1, 0, 3], np.int32)])
        x = draw([4, 3], name)
        s = singular_values(x, 'f64')
        family.case('matrix_norm', [x], [np.asarray(s[0]).astype(REAL[name])], kind=4)
        family.case('matrix_norm', [x], [np.asarray(s.sum()).astype(REAL[name])], kind=5)


factors()
lu_and_qr()
values()
systems()
triangular()
powers()
norms()
family.write()
