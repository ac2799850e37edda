# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/contract.txt: dot_general with every kind of dimension numbers, dot_product and matmul, over every
dtype. Most operands are small integers, whose sums are exact in any order; the others carry the sum of magnitudes as scale."""
import numpy as np
from golden import COMPLEX, DTYPES, FLOATS, INTEGERS, Family
from exact import WIDTHS, array

rng = np.random.default_rng(47)
family = Family('contract', 'NumPy on integers and in float64')
KINDS = FLOATS + INTEGERS + COMPLEX
WIDER = {'s8': ['s16', 's32', 's64'], 'u8': ['u32'], 's4': ['s8', 's32'], 'u2': ['u8'], 's32': ['s64'], 'f16': ['f32', 'f64'], 'bf16': ['f32'], 'f32': ['f64'],
         'c64': ['c128']}


def draw(dtype, dims, whole=True):
    if dtype in COMPLEX:
        parts = [rng.integers(-4, 5, dims) if whole else rng.normal(size=dims) for _ in range(2)]
        return (parts[0] + 1j * parts[1]).astype(DTYPES[dtype])
    if dtype in WIDTHS:
        return array(dtype, [int(v) for v in rng.integers(-2 ** 40, 2 ** 40, int(np.prod(dims)))]).reshape(dims)
    values = rng.integers(-4, 5, dims) if whole else rng.normal(size=dims)
    return array(dtype, [float(v) for v in np.asarray(values).reshape(-1)]).reshape(dims)


def wide(x):
    """Values in a dtype that holds every sum here: Python's integers, float64 or complex128."""
    if x.dtype.kind == 'c':
        return x.astype(np.complex128)
    if x.dtype.kind in 'iu' or x.dtype.name in ('int2', 'int4', 'uint2', 'uint4'):
        return np.array([int(v) for v in x.reshape(-1)], object).reshape(x.shape)
    return x.astype(np.float64)


def product(x, lc, lb, y, rc, rb):
    """The definition: batch axes, then what is left of x, then of y."""
    letters = iter('abcdefghijklmnop')
    a, b = [None] * x.ndim, [None] * y.ndim
    for p, q in list(zip(lb, rb)) + list(zip(lc, rc)):
        a[p] = b[q] = next(letters)
    a = [v or next(letters) for v in a]
    b = [v or next(letters) for v in b]
    out = [a[p] for p in lb] + [v for i, v in enumerate(a) if i not in lb and i not in lc] + \
          [v for i, v in enumerate(b) if i not in rb and i not in rc]
    return np.einsum(x, [ord(v) - 97 for v in a], y, [ord(v) - 97 for v in b], [ord(v) - 97 for v in out]) if x.dtype != object \
        else by_loops(x, a, y, b, out)


def by_loops(x, a, y, b, out):
    size = dict(zip(a, x.shape)) | dict(zip(b, y.shape))
    inner = [v for v in size if v not in out]
    result = np.zeros([size[v] for v in out], object)
    for at in np.ndindex(*result.shape):
        total = 0
        for k in np.ndindex(*[size[v] for v in inner]):
            place = dict(zip(out, at)) | dict(zip(inner, k))
            total += int(x[tuple(place[v] for v in a)]) * int(y[tuple(place[v] for v in b)])
        result[at] = total
    return result


def stored(values, dtype):
    values = np.asarray(values)
    if dtype in COMPLEX:
        return values.astype(DTYPES[dtype])
    return array(dtype, [int(v) if dtype in WIDTHS else float(v) for v in values.reshape(-1)]).reshape(values.shape)


def case(op, x, y, numbers, result, whole, **attributes):
    out = product(wide(x), *numbers[:2], wide(y), *numbers[2:])
    if whole:
        attributes['ulps'] = 0
    else:
        magnitudes = product(abs(wide(x)), *numbers[:2], abs(wide(y)), *numbers[2:])
        attributes['scale'] = float(np.max(magnitudes, initial=0)) or 1.0
    family.case(op, [x, y], [stored(out, result)], **attributes)


def numbers_at_random():
    batch, contract = int(rng.integers(0, 3)), int(rng.integers(0, 3))
    left, right = int(rng.integers(0, 3)), int(rng.integers(0, 3))
    shared = [int(v) for v in rng.choice([0, 1, 2, 3, 5], batch + contract, p=[.04, .16, .3, .3, .2])]
    order = [list(map(int, rng.permutation(batch + contract + n))) for n in (left, right)]
    dims = [[0] * (batch + contract + n) for n in (left, right)]
    axes = []
    for d, o in zip(dims, order):
        for i, a in enumerate(o):
            d[a] = shared[i] if i < batch + contract else int(rng.choice([0, 1, 2, 3, 4], p=[.03, .17, .3, .3, .2]))
        axes += [o[batch:batch + contract], o[:batch]]
    return dims, [axes[0], axes[1], axes[2], axes[3]]


def generals():
    for n in range(420):
        dims, numbers = numbers_at_random()
        dtype = KINDS[n % len(KINDS)]
        whole = dtype in WIDTHS or n % 3 > 0
        x, y = draw(dtype, dims[0], whole), draw(dtype, dims[1], whole)
        result = str(rng.choice(WIDER[dtype])) if dtype in WIDER and n % 2 else dtype
        words = {k: v for k, v in zip(['lhs_contract', 'lhs_batch', 'rhs_contract', 'rhs_batch'], numbers) if v}
        if result != dtype:
            words['dtype'] = result
        case('dot_general', x, y, numbers, result, whole, **words)


def matrices():
    """Sizes around the blocks of a matrix product, plain and transposed; and the forms of dot_product and matmul."""
    for dtype in ['f32', 'f64', 'bf16', 'f16', 's8', 's32', 'c64']:
        for m, n, k in [(1, 1, 1), (1, 7, 17), (7, 1, 16), (5, 17, 3), (17, 5, 33), (16, 16, 16), (3, 33, 9)]:
            for lt in (0, 1):
                for rt in (0, 1):
                    x, y = draw(dtype, [k, m] if lt else [m, k]), draw(dtype, [n, k] if rt else [k, n])
                    if dtype in ('s8', 's32'):
                        x, y = (x.astype(np.int64) % 9 - 4).astype(x.dtype), (y.astype(np.int64) % 9 - 4).astype(y.dtype)
                    numbers = [[1 - lt], [], [rt], []]
                    case('dot_general', x, y, numbers, dtype, True, lhs_contract=numbers[0], rhs_contract=numbers[2])
    for dtype in KINDS:
        for a, b in [([5], [5]), ([3, 5], [5]), ([3, 5], [5, 2]), ([0], [0]), ([3, 0], [0, 4]), ([10, 0], [0]), ([0, 2], [2, 3])]:
            case('dot_product', draw(dtype, a), draw(dtype, b), [[len(a) - 1], [], [0], []], dtype, True)
        for a, b in [([3], [3]), ([2, 3], [3]), ([3], [3, 2]), ([2, 3], [3, 4]), ([5, 2, 3], [3, 4]), ([2, 3], [5, 3, 4]), ([1, 2, 3], [5, 3, 4]),
                     ([5, 1, 2, 3], [4, 3, 2]), ([2, 0], [0, 3]), ([0, 2, 3], [3, 1]), ([5, 2, 3], [3])]:
            x, y = draw(dtype, a), draw(dtype, b)
            p, q = wide(x), wide(y)
            out = np.matmul(p, q) if p.dtype != object else matmul_of_integers(p, q)
            family.case('matmul', [x, y], [stored(out, dtype)], ulps=0)


def matmul_of_integers(p, q):
    a, b = (p[None, :] if p.ndim == 1 else p), (q[:, None] if q.ndim == 1 else q)
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = np.broadcast_to(a, lead + a.shape[-2:]), np.broadcast_to(b, lead + b.shape[-2:])
    out = np.zeros(lead + (a.shape[-2], b.shape[-1]), object)
    for at in np.ndindex(*out.shape):
        out[at] = sum(int(v) * int(w) for v, w in zip(a[at[:-1]], b[at[:-2] + (slice(None), at[-1])]))
    out = out[..., 0] if q.ndim == 1 else out
    return (out[..., 0] if q.ndim == 1 else out[..., 0, :]) if p.ndim == 1 else out


generals()
matrices()
family.write()
