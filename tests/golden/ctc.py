# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/ctc.txt: connectionist temporal classification, values and derivatives by the logits, by going through
every alignment of every sequence in 80-bit floats; a larger case by the forward and backward algorithm of PyTorch, in the
interpreter that TORCH_PYTHON names (/usr/bin/python3 unless given)."""
import itertools
import json
import os
import subprocess
import sys
import numpy as np

TORCH = os.environ.get('TORCH_PYTHON', '/usr/bin/python3')
if '--torch' in sys.argv:
    import torch
    q = json.load(sys.stdin)
    z = torch.tensor(q['z'], dtype=torch.float64, requires_grad=True)
    losses = torch.nn.functional.ctc_loss(z.log_softmax(-1).transpose(0, 1), torch.tensor(q['labels']), torch.tensor(q['frames']),
                                          torch.tensor(q['counts']), blank=q['blank'], reduction='none')
    (losses * torch.tensor(q['u'])).sum().backward()
    json.dump([losses.detach().tolist(), z.grad.tolist()], sys.stdout)
    sys.exit(0)

from fractions import Fraction  # noqa: E402
import exact  # noqa: E402
from golden import FLOATS, Family  # noqa: E402

rng = np.random.default_rng(16)
family = Family('ctc', 'every alignment in 80-bit floats; PyTorch')
STEP = {'f16': 64, 'bf16': 8, 'f32': 64, 'f64': 64}


def array(name, values):
    a = np.asarray(values, np.longdouble)
    return exact.array(name, [Fraction(*v.as_integer_ratio()) if np.isfinite(v) and v != 0 else float(v) for v in a.reshape(-1)]).reshape(a.shape)


def collapse(path, blank):
    return [c for i, c in enumerate(path) if c != blank and (i == 0 or path[i - 1] != c)]


def one(z, labels, frames, blank):
    """Loss and derivative of one sequence [frames, C]."""
    e = np.exp(z - z.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    total, share = np.longdouble(0), np.zeros_like(p)
    for path in itertools.product(range(z.shape[1]), repeat=frames):
        if collapse(path, blank) != list(labels):
            continue
        weight = np.prod([p[t, c] for t, c in enumerate(path)]) if frames else np.longdouble(1)
        total += weight
        for t, c in enumerate(path):
            share[t, c] += weight
    d = np.zeros_like(p)
    if total > 0:
        d[:frames] = p[:frames] - share[:frames] / total
    return -np.log(total) if total > 0 else np.longdouble(np.inf), d


def both(name, labels, z, counts=None, frames=None, blank=0):
    n, t, _ = z.shape
    lengths = counts if counts is not None else [labels.shape[1]] * n
    spans = frames if frames is not None else [t] * n
    results = [one(np.asarray(z[i]).astype(np.longdouble), labels[i][:lengths[i]], int(spans[i]), blank) for i in range(n)]
    losses, d = np.array([r[0] for r in results]), np.array([r[1] for r in results])
    extra = [v for v in (counts, frames) if v is not None]
    a = {'blank': blank, 'counts': int(counts is not None), 'frames': int(frames is not None)}
    scale = float(max(losses[np.isfinite(losses)].max(initial=1), 1))
    family.case('ctc', [labels, z] + extra, [array(name, losses)], reduction='none', scale=scale, **a)
    if np.isfinite(losses).all():
        family.case('ctc', [labels, z] + extra, [array(name, losses.mean())], scale=scale, **a)
    u = array(name, rng.integers(1, 8, n) / 4)
    family.case('vjp_ctc', [labels, z] + extra + [u], [array(name, d * np.asarray(u).astype(np.longdouble)[:, None, None])],
                scale=2.0, **a)


for name in FLOATS:
    def grid(*shape):
        return array(name, np.round(rng.uniform(-3, 3, shape) * STEP[name]) / STEP[name])
    i32 = lambda *v: np.array(v, np.int32)  # noqa: E731
    both(name, i32([1, 2]), grid(1, 4, 3))
    both(name, i32([1, 1], [2, 1], [3, 3]), grid(3, 4, 4))
    both(name, i32([1, 2, 1], [2, 2, 1]), grid(2, 5, 3))
    both(name, i32([0, 1], [1, 0]), grid(2, 4, 3), blank=2)
    both(name, i32([1, 2], [1, -1], [-7, 99], [2, 2]), grid(4, 4, 3), counts=i32(2, 1, 0, 2))
    both(name, i32([1, 2], [2, 1], [1, 1]), grid(3, 4, 3), frames=i32(4, 2, 3))
    both(name, i32([1, 2], [2, 1], [1, 1], [1, 2]), grid(4, 4, 3), counts=i32(2, 0, 1, 1), frames=i32(2, 3, 1, 4))
    both(name, i32([1, 1], [1, 2]), grid(2, 2, 3))                                    # too few frames for two equal labels
    both(name, i32([1, 2, 1]), grid(1, 2, 3))
    both(name, np.zeros((2, 0), np.int32), grid(2, 3, 2))
    both(name, np.zeros((1, 0), np.int32), grid(1, 0, 2))
    both(name, np.array([[1, 2]], np.uint8), grid(1, 3, 3), counts=np.array([1], np.int64), frames=np.array([2], np.int16))
    z = grid(1, 3, 3)
    nan = array(name, [np.nan])
    base = {'reduction': 'none', 'blank': 0}
    family.case('ctc', [i32([0, 1]), z], [nan], counts=0, frames=0, **base)
    family.case('ctc', [i32([1, 3]), z], [nan], counts=0, frames=0, **base)
    family.case('ctc', [i32([1, 2]), z, i32(3)], [nan], counts=1, frames=0, **base)
    family.case('ctc', [i32([1, 2]), z, i32(-1)], [nan], counts=0, frames=1, **base)

n, t, c, length = 4, 40, 12, 9
labels = rng.integers(1, c, (n, length)).astype(np.int32)
z = np.round(rng.uniform(-3, 3, (n, t, c)) * 64) / 64
counts, frames, u = np.array([9, 5, 1, 7], np.int32), np.array([40, 31, 8, 20], np.int32), np.array([1.0, 0.5, 2.0, 1.0])
q = {'z': z.tolist(), 'labels': labels.tolist(), 'counts': counts.tolist(), 'frames': frames.tolist(), 'u': u.tolist(), 'blank': 0}
losses, d = json.loads(subprocess.run([TORCH, os.path.abspath(__file__), '--torch'], input=json.dumps(q), text=True, check=True,
                                      capture_output=True).stdout)
for name in ('f32', 'f64'):
    a = {'blank': 0, 'counts': 1, 'frames': 1}
    x = array(name, z)
    family.case('ctc', [labels, x, counts, frames], [array(name, losses)], reduction='none', **a)
    family.case('vjp_ctc', [labels, x, counts, frames, array(name, u)], [array(name, d)], scale=float(max(losses)), **a)  # both sides are differences of such logarithms
family.write()
