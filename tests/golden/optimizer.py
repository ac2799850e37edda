# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/optimizer.txt: parameters after each of a few steps of every optimizer with every option, from the
formulas of the papers in 80-bit floats, and rates of every schedule. What PyTorch has (SGD, Adam, AdamW, Adamax, RMSProp, cosine
restarts, one cycle, exponential and stepwise decay, clipping by norm) is compared with it while the file is written: TORCH_PYTHON names an interpreter that
has it (/usr/bin/python3 unless given).

A case of `step` has the parameters, then the gradients of each step in turn, as operands; its results are the parameters
after each step."""
import json
import os
import subprocess
import sys
from fractions import Fraction
import numpy as np

TORCH = os.environ.get('TORCH_PYTHON', '/usr/bin/python3')


def torch_main():
    """The other side: reads a list of problems, gives the parameters after each step."""
    import torch
    torch.set_default_dtype(torch.float64)
    answers = []
    for q in json.load(sys.stdin):
        if q['what'] == 'schedule':
            p = torch.nn.Parameter(torch.zeros(1))
            optimizer = torch.optim.SGD([p], lr=q['rate'])
            s = getattr(torch.optim.lr_scheduler, q['class'])(optimizer, **q['options'])
            rates = []
            for _ in range(q['steps']):
                rates.append(optimizer.param_groups[0]['lr'])
                optimizer.step()
                s.step()
            answers.append(rates)
            continue
        p = [torch.nn.Parameter(torch.tensor(v)) for v in q['parameters']]
        if q['what'] == 'clip':
            for v in p:
                v.grad = v.data.clone()
            torch.nn.utils.clip_grad_norm_(p, q['limit'])
            answers.append([v.grad.tolist() for v in p])
            continue
        groups = [{'params': [v], 'weight_decay': q['decay'] if d else 0.0} for v, d in zip(p, q['decays'])]
        optimizer = getattr(torch.optim, q['class'])(groups, **q['options'])
        steps = []
        for gradients in q['gradients']:
            for v, g in zip(p, gradients):
                v.grad = torch.tensor(g)
            optimizer.step()
            steps.append([v.detach().tolist() for v in p])
        answers.append(steps)
    json.dump(answers, sys.stdout)


if '--torch' in sys.argv:
    torch_main()
    sys.exit(0)

import exact  # noqa: E402  (PyTorch's interpreter need not have ml_dtypes)
from golden import Family, NAMES  # noqa: E402

rng = np.random.default_rng(6)
family = Family('optimizer', 'formulas in 80-bit floats, compared with PyTorch where it has them')
STEPS = 5
DEFAULTS = {'sgd': dict(rate=0.01), 'adam': dict(rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
            'adamw': dict(rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8, decay=0.01),
            'adamax': dict(rate=2e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
            'rmsprop': dict(rate=0.01, beta2=0.99, epsilon=1e-8),
            'adafactor': dict(rate=0.01, epsilon=1e-30, exponent=0.8, threshold=1.0, min_factored=128, beta1=0.0),
            'lion': dict(rate=1e-4, beta1=0.9, beta2=0.99),
            'lamb': dict(rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-6)}


def array(name, values):
    a = np.asarray(values, np.longdouble)
    exactly = [Fraction(*v.as_integer_ratio()) if np.isfinite(v) and v != 0 else float(v) for v in a.reshape(-1)]
    return exact.array(name, exactly).reshape(a.shape)


def wide(a):
    return np.asarray(a).astype(np.longdouble)


def rms(x):
    return np.sqrt((x * x).mean())


# ---- the rules, one parameter at a time; s: what is kept, empty at first ----


def adam_direction(g, s, o, t):
    s['m'] = o['beta1'] * s.get('m', 0 * g) + (1 - o['beta1']) * g
    s['v'] = o['beta2'] * s.get('v', 0 * g) + (1 - o['beta2']) * g * g
    return s['m'] / (1 - o['beta1'] ** t) / (np.sqrt(s['v'] / (1 - o['beta2'] ** t)) + o['epsilon'])


def sgd(p, g, s, o, t, decay):
    g, mu = g + decay * p, o.get('momentum', 0)
    if mu:
        s['b'] = mu * s.get('b', 0 * g) + g
        g = g + mu * s['b'] if o.get('nesterov') else s['b']
    return p - o['rate'] * g


def adam(p, g, s, o, t, decay):
    return p - o['rate'] * adam_direction(g + decay * p, s, o, t)


def adamw(p, g, s, o, t, decay):
    return p * (1 - o['rate'] * decay) - o['rate'] * adam_direction(g, s, o, t)


def adamax(p, g, s, o, t, decay):
    g = g + decay * p
    s['m'] = o['beta1'] * s.get('m', 0 * g) + (1 - o['beta1']) * g
    s['u'] = np.maximum(o['beta2'] * s.get('u', 0 * g), np.abs(g) + o['epsilon'])
    return p - o['rate'] / (1 - o['beta1'] ** t) * s['m'] / s['u']


def rmsprop(p, g, s, o, t, decay):
    g = g + decay * p
    s['v'] = v = o['beta2'] * s.get('v', 0 * g) + (1 - o['beta2']) * g * g
    if o.get('centered'):
        s['a'] = o['beta2'] * s.get('a', 0 * g) + (1 - o['beta2']) * g
        v = v - s['a'] ** 2
    d = g / (np.sqrt(v) + o['epsilon'])
    if o.get('momentum'):
        s['b'] = d = o['momentum'] * s.get('b', 0 * g) + d
    return p - o['rate'] * d


def adafactor(p, g, s, o, t, decay):
    beta = 1 - np.longdouble(t) ** -o['exponent']
    square = g * g + o['epsilon']
    if g.ndim > 1 and min(g.shape[-2:]) >= o['min_factored']:
        s['row'] = beta * s.get('row', 0) + (1 - beta) * square.mean(-1)
        s['column'] = beta * s.get('column', 0) + (1 - beta) * square.mean(-2)
        v = s['row'][..., None] * s['column'][..., None, :] / s['row'].mean(-1)[..., None, None]
    else:
        s['v'] = v = beta * s.get('v', 0) + (1 - beta) * square
    u = g / np.sqrt(v)
    u = u / max(1, rms(u) / o['threshold'])
    if o['beta1']:
        s['m'] = u = o['beta1'] * s.get('m', 0) + (1 - o['beta1']) * u
    size = 1 if o.get('absolute') else max(rms(p), 1e-3)
    return p - o['rate'] * decay * p - o['rate'] * size * u


def lion(p, g, s, o, t, decay):
    m = s.get('m', 0 * g)
    d = np.sign(o['beta1'] * m + (1 - o['beta1']) * g)
    s['m'] = o['beta2'] * m + (1 - o['beta2']) * g
    return p - o['rate'] * (d + decay * p)


def lamb(p, g, s, o, t, decay):
    d = adam_direction(g, s, o, t) + decay * p
    size, step = np.sqrt((p * p).sum()), np.sqrt((d * d).sum())
    return p - o['rate'] * (size / step if size and step else 1) * d


RULES = {f.__name__: f for f in (sgd, adam, adamw, adamax, rmsprop, adafactor, lion, lamb)}


def run(kind, name, parameters, gradients, options):
    """Parameters after each step; those of half types are rounded in each, unless a master copy is kept."""
    o = {k: np.longdouble(v) if isinstance(v, float) else v for k, v in dict(DEFAULTS[kind], **options).items()}
    every, decays = o.get('accumulate', 1), o.get('decays', [np.ndim(p) > 1 for p in parameters])
    kept = [{} for _ in parameters]
    master, steps = [wide(p) for p in parameters], []
    sums = [0 * m for m in master]
    for i, gs in enumerate(gradients):
        for k, g in enumerate(gs):
            sums[k] = sums[k] + wide(g)
            if (i + 1) % every:
                continue
            m = RULES[kind](master[k], sums[k] / every, kept[k], o, (i + 1) // every, o.get('decay', 0) if decays[k] else 0)
            master[k], sums[k] = m if o.get('master') else wide(array(name, m)), 0 * m
        steps.append([array(name, m) for m in master])
    return steps


def write(kind, name, parameters, gradients, options):
    steps = run(kind, name, parameters, gradients, options)
    scale = max(float(np.abs(wide(p)).max()) for p in parameters + steps[-1])
    a = {k: v for k, v in options.items()}
    if 'decays' in a:
        a['decays'] = [int(d) for d in a['decays']]
    a = {k: int(v) if isinstance(v, bool) else v for k, v in a.items()}
    family.case('step', parameters + [g for gs in gradients for g in gs], [p for ps in steps for p in ps], kind=kind,
                parameters=len(parameters), scale=scale, **dict(a, **({'ulps': 1} if name in ('bf16', 'f16') else {})))
    return steps


def grid(name, shape, spread=2):
    """Values with few bits, so that every dtype holds them; none near 0, where a sign could tip."""
    v = np.round(rng.uniform(0.1, spread, shape) * 16) / 16
    return array(name, np.maximum(v, 1 / 16) * rng.choice([-1, 1], shape))


OPTIONS = {
    'sgd': [{}, {'momentum': 0.9}, {'momentum': 0.9, 'nesterov': True}, {'decay': 0.125}, {'decay': 0.125, 'decays': [False, True]},
            {'momentum': 0.5, 'decay': 0.25, 'rate': 0.5}],
    'adam': [{}, {'beta1': 0.5, 'beta2': 0.75}, {'epsilon': 0.125}, {'decay': 0.25}, {'rate': 0.5}, {'decay': 0.25, 'decays': [True, True]}],
    'adamw': [{}, {'decay': 0.5, 'rate': 0.25}, {'decay': 0.5, 'decays': [False, True], 'rate': 0.25}],
    'adamax': [{}, {'beta1': 0.5, 'beta2': 0.75}, {'epsilon': 0.125, 'decay': 0.25}],
    'rmsprop': [{}, {'beta2': 0.75}, {'centered': True}, {'momentum': 0.9}, {'momentum': 0.5, 'centered': True, 'decay': 0.25, 'epsilon': 0.125}],
    'adafactor': [{}, {'min_factored': 2}, {'min_factored': 3, 'beta1': 0.5}, {'absolute': True, 'rate': 0.25}, {'threshold': 0.25},
                  {'exponent': 0.5, 'decay': 0.25, 'min_factored': 2}],
    'lion': [{}, {'beta1': 0.5, 'beta2': 0.75, 'rate': 0.25}, {'decay': 0.25, 'rate': 0.25}],
    'lamb': [{}, {'decay': 0.25}, {'rate': 0.25, 'beta1': 0.5}],
}
EXTRAS = [{'accumulate': 2}, {'master': True}, {'master': True, 'accumulate': 2}]
PYTORCH = {'sgd': 'SGD', 'adam': 'Adam', 'adamw': 'AdamW', 'adamax': 'Adamax', 'rmsprop': 'RMSprop'}
questions, wanted = [], []


def ask(kind, parameters, gradients, options, steps):
    o = dict(DEFAULTS[kind], **options)
    t = {'lr': o['rate']}
    if 'beta1' in o:
        t['betas'] = [o['beta1'], o['beta2']]
    elif 'beta2' in o:
        t['alpha'] = o['beta2']
    if 'epsilon' in o:
        t['eps'] = o['epsilon']
    t.update({k: v for k, v in o.items() if k in ('momentum', 'nesterov', 'centered')})
    questions.append({'what': 'step', 'class': PYTORCH[kind], 'options': t, 'decay': o.get('decay', 0.0),
                      'decays': [bool(d) for d in o.get('decays', [np.ndim(p) > 1 for p in parameters])],
                      'parameters': [wide(p).astype(float).tolist() for p in parameters],
                      'gradients': [[wide(g).astype(float).tolist() for g in gs] for gs in gradients]})
    wanted.append([[wide(p) for p in ps] for ps in steps])


for kind, list_ in OPTIONS.items():
    for name in ('f64', 'f32', 'bf16', 'f16'):
        for options in list_ + (EXTRAS if name != 'f64' or kind == 'adam' else []):
            shapes = [(3, 4), (5,)] if not kind == 'adafactor' else [(2, 3, 4), (5,)]
            parameters = [grid(name, s) for s in shapes]
            gradients = [[grid(name, s) for s in shapes] for _ in range(STEPS)]
            steps = write(kind, name, parameters, gradients, options)
            if kind in PYTORCH and name == 'f64' and 'accumulate' not in options and 'master' not in options:
                ask(kind, parameters, gradients, options, steps)
# gradients of half parameters in float32; scalars; zeros
for kind in OPTIONS:
    parameters = [grid('bf16', (3, 2))]
    write(kind, 'bf16', parameters, [[grid('f32', (3, 2))] for _ in range(3)], {'master': True})
    write(kind, 'f32', [grid('f32', ())], [[grid('f32', ())] for _ in range(3)], {})
for kind in ('adam', 'lion', 'lamb', 'adafactor', 'rmsprop'):
    zero = array('f32', np.zeros((2, 3)))
    write(kind, 'f32', [grid('f32', (2, 3))], [[zero], [zero]], {})
write('lamb', 'f32', [array('f32', np.zeros((2, 3)))], [[grid('f32', (2, 3))], [grid('f32', (2, 3))]], {'rate': 0.25})
big = (130, 129)
write('adafactor', 'f32', [grid('f32', big)], [[grid('f32', big)]], {})

# ---- lists ----
for name in ('f64', 'f32', 'bf16', 'f16'):
    g = [grid(name, (3, 4)), grid(name, (5,)), grid(name, ())]
    norm = np.sqrt(sum((wide(v) ** 2).sum() for v in g))
    wide_name = 'f64' if name == 'f64' else 'f32'
    for limit in (1.0, 100.0):
        clipped = [array(name, wide(v) * min(1, limit / norm)) for v in g]
        family.case('clip_norm', g, [array(wide_name, norm)] + clipped, limit=limit, scale=float(norm))
    if name == 'f64':
        questions.append({'what': 'clip', 'parameters': [wide(v).astype(float).tolist() for v in g], 'limit': 1.0})
        wanted.append([[wide(v) / (norm + 1e-6) for v in g]])   # PyTorch adds 1e-6
    family.case('gradients_norm', g, [array(wide_name, norm)])
    family.case('clip', g, [array(name, np.clip(wide(v), -0.5, 0.5)) for v in g], limit=0.5)
    average = [array(wide_name, wide(grid(name, v.shape))) for v in g]
    for step, decay in ((None, 0.75), (3, 0.9375), (1000, 0.9375)):
        d = decay if step is None else min(decay, (1 + step) / (10 + step))
        results = [array(NAMES[a.dtype], d * wide(a) + (1 - d) * wide(v)) for a, v in zip(average, g)]
        family.case('moving_averages', average + g + ([] if step is None else [np.array(step, np.int64)]), results, decay=decay)

# ---- schedules: rates at each step ----


def schedule(op, f, steps, **attributes):
    for dtype in (np.int64, np.int32, np.float32, np.float64):
        n = np.array(steps, dtype)
        name = 'f64' if dtype == np.float64 else 'f32'
        family.case('schedule_' + op, [n], [array(name, [f(max(float(v), 0)) for v in n])], **attributes)


def ask_schedule(cls, rate, options, f, steps):
    questions.append({'what': 'schedule', 'class': cls, 'rate': rate, 'options': options, 'steps': steps})
    wanted.append([np.array([f(float(i)) for i in range(steps)])])


def linear(a, b, x):
    return a * (1 - x) + b * x


def half_cosine(a, b, x):
    return b + (a - b) * (1 + np.cos(np.pi * x)) / 2


STEPS_ = [-2, 0, 1, 2, 3, 5, 7, 9, 10, 11, 14, 15, 20, 29, 30, 31, 70, 71, 150, 100000]
schedule('constant', lambda t: 0.25, STEPS_, rate=0.25)
schedule('linear', lambda t: linear(0.5, 0.125, min(t / 10, 1)), STEPS_, first=0.5, last=0.125, length=10.0)
schedule('polynomial', lambda t: 0.125 + 0.375 * (1 - min(t / 10, 1)) ** 2.5, STEPS_, first=0.5, last=0.125, length=10.0, power=2.5)
schedule('exponential', lambda t: 0.5 * 0.75 ** (t / 3), STEPS_[:-1], rate=0.5, factor=0.75, every=3.0)
schedule('step', lambda t: 0.5 * 0.75 ** np.floor(t / 3), STEPS_[:-1], rate=0.5, factor=0.75, every=3.0)
schedule('piecewise', lambda t: 0.5 if t < 3 else 0.25 if t < 15 else 0.125, STEPS_)
schedule('inverse_sqrt', lambda t: 0.5 * min(t / 10, np.sqrt(10 / max(t, 10))), STEPS_, rate=0.5, warm_up=10.0)
schedule('warm_up', lambda t: 0.5 * min((t + 1) / 10, 1), STEPS_, rate=0.5, length=10.0)
ask_schedule('ExponentialLR', 0.5, {'gamma': 0.75}, lambda t: 0.5 * 0.75 ** t, 12)
ask_schedule('StepLR', 0.5, {'step_size': 3, 'gamma': 0.75}, lambda t: 0.5 * 0.75 ** np.floor(t / 3), 12)
ask_schedule('LinearLR', 0.5, {'start_factor': 1.0, 'end_factor': 0.25, 'total_iters': 10}, lambda t: linear(0.5, 0.125, min(t / 10, 1)), 15)


def cosine(t, rate, period, minimum=0.0, warm_up=0.0, cycles=1, stretch=1.0, shrink=1.0):
    """By walking from period to period."""
    if t < warm_up:
        return rate * t / warm_up
    t, k, top = t - warm_up, 0, rate
    while t >= period:
        t, k, period, top = t - period, k + 1, period * stretch, top * shrink
        if cycles > 0 and k >= cycles:
            return minimum
    return half_cosine(top, minimum, t / period)


NO_END = STEPS_[:-1]
for options, steps in (({}, STEPS_), ({'minimum': 0.125, 'warm_up': 3.0}, STEPS_), ({'cycles': 3, 'minimum': 0.0625}, STEPS_),
                       ({'cycles': -1, 'shrink': 0.5}, NO_END), ({'cycles': 3, 'stretch': 2.0, 'minimum': 0.125}, STEPS_),
                       ({'cycles': -1, 'stretch': 2.0, 'warm_up': 1.0, 'shrink': 0.75}, NO_END), ({'cycles': -1, 'stretch': 1.5}, NO_END),
                       ({'cycles': 2, 'stretch': 0.5}, STEPS_)):
    schedule('cosine', lambda t: cosine(t, 0.5, 10.0, **options), steps, rate=0.5, period=10.0, **options)
ask_schedule('CosineAnnealingWarmRestarts', 0.5, {'T_0': 10, 'eta_min': 0.125}, lambda t: cosine(t, 0.5, 10, 0.125, cycles=-1), 35)
ask_schedule('CosineAnnealingWarmRestarts', 0.5, {'T_0': 10, 'T_mult': 2, 'eta_min': 0.125},
             lambda t: cosine(t, 0.5, 10, 0.125, cycles=-1, stretch=2), 80)


def one_cycle(t, peak, steps, rise=0.3, first_share=1 / 25, last_share=1e-4, linear_=0):
    shape = linear if linear_ else half_cosine
    first, turn = peak * first_share, rise * steps - 1
    if t < turn:
        return shape(first, peak, t / turn)
    return shape(peak, first * last_share, min((t - turn) / (steps - 1 - turn), 1))


for options in ({}, {'rise': 0.5, 'first_share': 0.125, 'last_share': 0.25}, {'linear_': 1}):
    schedule('one_cycle', lambda t: one_cycle(t, 0.5, 20.0, **options), STEPS_, peak=0.5, length=20.0,
             **{k.rstrip('_'): v for k, v in options.items()})
ask_schedule('OneCycleLR', 0.5, {'max_lr': 0.5, 'total_steps': 20}, lambda t: one_cycle(t, 0.5, 20), 20)
ask_schedule('OneCycleLR', 0.5, {'max_lr': 0.5, 'total_steps': 20, 'pct_start': 0.5, 'div_factor': 8, 'final_div_factor': 4,
                                 'anneal_strategy': 'linear'}, lambda t: one_cycle(t, 0.5, 20, 0.5, 0.125, 0.25, 1), 20)

answers = json.loads(subprocess.run([TORCH, os.path.abspath(__file__), '--torch'], input=json.dumps(questions), text=True,
                                    check=True, capture_output=True).stdout)
for q, got, want in zip(questions, answers, wanted):
    flat = got if q['what'] == 'step' else [got]
    for a, b in zip(flat, want):
        for x, y in zip(a if isinstance(b, list) else [a], b if isinstance(b, list) else [b]):
            assert np.allclose(np.array(x), y, rtol=1e-12, atol=1e-14), (q, x, y)
print('%d answers of PyTorch agree' % len(answers))
family.write()
