# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/einsum.txt: einsum and the products under other names, from NumPy on 64-bit integers (complex ones on
complex128). Operands are small integers, so that sums are exact in every dtype but the narrow ones, whose results are
rounded or wrapped once. '_' in an equation stands for a space."""
import numpy as np
import exact
from golden import Family

rng = np.random.default_rng(31)
family = Family('einsum', 'NumPy')


def array(name, values):
    a = np.asarray(values)
    return exact.array(name, [v.item() for v in a.reshape(-1)]).reshape(a.shape)


def draw(name, shape, size=4):
    if name in ('c64', 'c128'):
        return rng.integers(-size, size + 1, shape) + 1j * rng.integers(-size, size + 1, shape)
    return rng.integers(0 if name[0] == 'u' else -size, size + 1, shape)


def case(op, name, shapes, compute, **attributes):
    values = [draw(name, s) for s in shapes]
    family.case(op, [array(name, v) for v in values], [array(name, compute(*values))], **attributes)


DIMS = {'i': 3, 'j': 4, 'k': 2, 'l': 5, 'm': 2, 'n': 3, 'a': 2, 'b': 3, 'c': 4, 'd': 2, 'A': 3, 'B': 2, 'z': 1, 'o': 0}
EQUATIONS = [
    # one operand: sums, transposes, diagonals, traces, implicit results
    'i->i', 'i->', 'i', 'ij->ji', 'ji', 'ij->j', 'ij->', 'ijk->kij', 'bca', 'ijk->ki', 'AbBa', 'zij->ij', 'oi->i', 'oi->oi',
    'ii->i', 'ii->', 'ii', 'iij->j', 'iij->ij', 'ijij->ij', 'ijij->', 'iji->j', 'iii->i', 'iii->', 'ijji->', 'iijj->ij',
    'iiii->i', 'ijji->ji',
    # two: products of elements, matrices, vectors, batches, outer products
    'i,i->', 'i,i->i', 'i,i', 'i,j->ij', 'i,j->ji', 'i,j', 'i,j->', 'i,j->i', 'ij,ij->ij', 'ij,ji->ij', 'ij,ji->', 'ij,ij->', 'ij,ij->i',
    'ij,jk->ik', 'ij,jk->ki', 'ij,jk', 'kj,ji', 'ji,jk->ik', 'ij,kj->ik', 'ij,j->i', 'ij,j', 'j,ij->i', 'ij,i->j', 'ij,jk->', 'ij,jk->k',
    'aij,ajk->aik', 'aij,ajk->ika', 'iaj,jak->aik', 'aij,jk->aik', 'ij,ajk->aik', 'aij,aj->ai', 'aij,aij->a', 'abij,abjk->abik',
    'abij,abkj->abik', 'aibj,akbj->abik', 'ab,cd->dbca', 'abc,cd->', 'ab,bc->abc', 'abc,abd->abcd', 'ii,ij->j', 'ii,ii->i', 'ii,jj->ij',
    'iij,jkk->ik', 'ij,->ij', ',ij', ',', ',->', 'z,zi->i', 'io,oj->ij', 'oi,ij->oj', 'ijk,jil->kl', 'aij,bjk->abik', 'ABi,Bi->AB',
    # three and more
    'ij,jk,kl->il', 'ij,jk,kl', 'i,ij,j->', 'i,ij,j', 'i,i,i->i', 'i,j,k->kji', 'ij,ij,ij->', 'ij,jk,ki->', 'ai,bj,ck,ijk->abc',
    'ij,jk,kl,lm->im', 'ij,jk,kl,lm,mn->in', 'ai,aj,ak->ijk', 'ijk,kl,lm->ijm', 'ij,ik,il->jkl', 'ii,ij,jk->k', 'a,ab,b,c->c', ',i,->i',
    'ij,jk,kl,lm,mn,na->ia', 'i,i,i,i,j,j,j,k,k,k->ijk', 'ij,jk,kl,li,a,b,c,d,m->abcdm', 'ab,bc,cd,de,ef,fg,gh,hi,ij,jk->ak',
    # spaces
    '_i_j_,_j_k_->_i_k_', 'ij_->_ji_', '_i__,j',
]
EXTRA = {'e': 3, 'f': 2, 'g': 2, 'h': 3}
ELLIPSES = [
    # equation, shapes
    ('...', [(2, 3)]), ('...->...', [()]), ('...i->i...', [(2, 3, 4)]), ('i...->...', [(2, 3, 4)]), ('i...', [(3, 2)]), ('...ii->...i', [(2, 3, 3)]),
    ('...ii', [(2, 3, 3)]), ('i...i->...i', [(3, 2, 4, 3)]), ('ij...->j...i', [(2, 3)]), ('...ij->...ji', [(2, 1, 3, 4)]),
    ('...ij,...jk->...ik', [(2, 3, 4), (2, 4, 2)]), ('...ij,...jk->...ik', [(5, 2, 3, 4), (2, 4, 2)]), ('...ij,...jk', [(3, 4), (2, 4, 2)]),
    ('...ij,...jk->...ik', [(1, 3, 4), (5, 4, 2)]), ('...ij,...jk->ik...', [(2, 1, 3, 4), (3, 4, 2)]), ('...,...', [(2, 3), (3,)]),
    ('...,...->...', [(2, 1, 3), (4, 1)]), ('...,i->...i', [(2,), (3,)]), ('i...,i...->...', [(3, 2), (3, 2)]), ('...i,...i', [(2, 3), (3,)]),
    ('...i,...j->...ij', [(2, 3), (1, 4)]), ('i,...->...i', [(3,), ()]), ('...ij,jk,...kl->...il', [(2, 3, 4), (4, 2), (1, 2, 3)]),
    ('a...,b...->ab...', [(2, 3), (4, 1)]), ('a...b,b...->a...', [(2, 3, 4), (4, 3)]), ('...a,...a->...', [(0, 3), (1, 3)]),
    ('_..._i,_..._->_..._i', [(2, 3), (2,)]), ('...i,...->i...', [(4, 3), (4,)]), ('b...i,i...->b...', [(2, 3, 4), (4, 1)]),
    ('...ij,...kj,...k->...i', [(2, 3, 4), (5, 4), (2, 5)]),
]


def shapes_of(equation):
    dims = dict(DIMS)
    if 'e' in equation:
        dims.update(EXTRA, a=2, b=2, c=2, i=2, j=2, k=3)
    terms = equation.replace('_', '').split('->')[0].split(',')
    return [tuple(dims[c] for c in t) for t in terms]


def einsum(equation):
    return lambda *v: np.einsum(equation.replace('_', ' '), *v)


def all_cases():
    yield from ((e, shapes_of(e)) for e in EQUATIONS)
    yield from ELLIPSES


for number, (equation, shapes) in enumerate(all_cases()):
    others = ['f64', 's32', 'c64', 'bf16', 'f16', 's64', 'u8', 'c128', 's16', 'u32']
    for name in ['f32', others[number % len(others)], others[(number * 3 + 1) % len(others)]]:
        case('einsum', name, shapes, einsum(equation), eq=equation)
for name in ('s4', 's8', 'u16', 'u64'):
    for equation in ('ij,jk->ik', 'i,i->i', 'ij,jk,kl->il', 'iij->j'):
        case('einsum', name, shapes_of(equation), einsum(equation), eq=equation)

# Repeated letters at any place, with values that tell the axes apart.
for equation, shapes in (('ii', [(3, 3)]), ('iij->ij', [(2, 2, 4)]), ('iij->i', [(2, 2, 4)]), ('iij,j->ij', [(2, 2, 4), (4,)]), ('tiijj->ij', [(2, 3, 3, 2, 2)]),
                         ('ijkj->ki', [(2, 3, 4, 3)]), ('jiki->kj', [(4, 2, 3, 2)])):
    values = [np.arange(np.prod(s)).reshape(s) + len(s) % 2 for s in shapes]
    for name in ('f32', 's32'):
        family.case('einsum', [array(name, v) for v in values], [array(name, np.einsum(equation, *values))], eq=equation)

# A wider chain, in which halves must be rounded once: with the intermediate sums rounded the results differ.
for name in ('bf16', 'f16'):
    for equation, shapes in (('ij,jk,kl->il', [(3, 40), (40, 50), (50, 2)]), ('ij,k->ij', [(4, 5), (300,)]), ('aij,aij->a', [(3, 20, 20)] * 2)):
        case('einsum', name, shapes, einsum(equation), eq=equation)

for name in ('f32', 'f64', 'bf16', 's32', 'u8', 'c64'):
    for pairs in (([(2, 1)], [(0, 0)], (5, 2, 4), (5, 4, 3)), ([(-1, -2)], [(-3, 0)], (5, 2, 4), (5, 4, 3)), ([], [], (4,), (2, 3)),
                  ([(0, 1), (1, 0)], [], (2, 3), (3, 2)), ([], [(0, 0)], (3, 2), (3,)), ([(0, 1)], [(1, 0)], (2, 3), (3, 2))):
        contract, batch, left, right = pairs
        labels = {}
        for n, (l, r) in enumerate(contract + batch):
            labels[0, l % len(left)] = labels[1, r % len(right)] = chr(97 + n)
        def term(side, rank, start):
            return ''.join(labels.get((side, i), chr(start + i)) for i in range(rank))
        x, y = term(0, len(left), 65), term(1, len(right), 75)
        out = ''.join(labels[0, l % len(left)] for l, _ in batch) + ''.join(c for c in x + y if c.isupper())
        case('einsum_axes', name, [left, right], einsum(x + ',' + y + '->' + out), contract=[i for p in contract for i in p],
             batch=[i for p in batch for i in p])
    for xa, ya, left, right in (([1], [0], (2, 3), (3, 4)), ([0, 2], [1, 0], (2, 3, 4), (4, 2, 5)), ([], [], (2,), (3,)), ([-1], [-1], (2, 3), (4, 3)),
                                ([0], [0], (0, 2), (0, 3))):
        case('tensordot', name, [left, right], lambda x, y: np.tensordot(x, y, (xa, ya)), x=xa, y=ya)
    for count, left, right in ((0, (2,), (3,)), (1, (2, 3), (3, 4)), (2, (5, 2, 3), (2, 3, 4)), (2, (2, 3), (2, 3))):
        case('tensordot_count', name, [left, right], lambda x, y: np.tensordot(x, y, count), count=count)
    for left, right in (((2,), (3,)), ((2, 2), (3,)), ((), (3,)), ((), ()), ((0,), (2,))):
        case('outer', name, [left, right], np.outer)
    for left, right in (((2,), (3,)), ((2, 2), (3, 1)), ((2,), (2, 3)), ((), (3,)), ((1, 2, 2), (2, 1, 3)), ((2, 0), (1, 2))):
        case('kron', name, [left, right], np.kron)
    for left, right in (((4,), (4,)), ((2, 3), (6,)), ((), ()), ((0,), (0,)), ((2, 3), (3, 2))):
        case('vdot', name, [left, right], np.vdot)
    for left, right in (((4,), (4,)), ((2, 3), (3,)), ((2, 3), (4, 3)), ((2, 2, 3), (4, 3)), ((), (3,)), ((2, 3), ())):
        case('inner', name, [left, right], np.inner)

family.write()
