#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: run.py PATH/TO/fluxion BACKEND [FILE]

With BACKEND `pjrt` the last path in FILE is the plugin; a file without any means that there is none to be had, which is a
skip too (whoever wrote the file has failed where that is not allowed).

Runs the StableHLO programs below $FLUXION_CONFORMANCE/stablehlo with `fluxion conformance` and holds the outcome against
the lists beside this script: counts.txt, how many functions check themselves; unsupported.txt, what of them the library
does not take, file by file; nearer.txt, elements where the expected value itself is off by rounding. Any other failure,
any construct that is refused and was not, and a line of unsupported.txt without its refusal fail the test.

Without FLUXION_CONFORMANCE it says so and ends with 77, which ctest counts as skipped; with it, a missing folder is a
failure."""
import collections
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ('programs', 'interpret')
SKIPPED = 77
ULPS = 3  # what the programs call close
MANTISSA = {'float16': 10, 'bfloat16': 7, 'float32': 23, 'float64': 52, 'complex64': 23, 'complex128': 52}
DIFFERENCE = re.compile(r'(?:failed: )?(?P<file>[\w./-]+\.mlir):\d+: @\S+: (?P<index>\[[\d, ]*\]) is (?P<dtype>\w+)\((?P<got>.*)\), '
                        r'should be \w+\((?P<wanted>.*)\) \(worst')


def rows(name):
    with open(os.path.join(HERE, name), encoding='utf-8') as file:
        return [line.split('\t') for line in file.read().splitlines() if line and not line.startswith('#')]


def numbers(text):
    """The parts of an element as it is printed: 1.5, or (1.5-2i)."""
    value = complex(text.strip('()').replace('i', 'j').replace('Inf', 'inf').replace('NaN', 'nan'))
    return (value.real, value.imag)


def is_near(dtype, got, wanted, true):
    """Nearer to the true value than the expected one is, or within the ulps of a close check."""
    if math.dist(got, true) <= math.dist(wanted, true):
        return True
    return all(abs(g - t) <= ULPS * 2.0 ** (math.frexp(t)[1] - 1 - MANTISSA[dtype]) for g, t in zip(got, true))


def plugin_of(file):
    with open(file, encoding='utf-8') as paths:
        return (paths.read().split() or [None])[-1]


def run(tool, backend, folder):
    return subprocess.run([tool, 'conformance', folder, '--backend', backend, '--verbose'], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Outcome:
    def __init__(self, root):
        self.root = root + os.sep
        self.passed, self.near, self.told, self.failed = 0, [], [], []
        self.unsupported = collections.Counter()
        self.true = {(file, index): numbers(value) for file, index, value in rows('nearer.txt')}

    def read(self, line):
        line = line.replace(self.root, '')
        if line.startswith('passed: '):
            self.passed += 1
        elif line.startswith('skipped: '):
            self.read_skipped(line)
        elif line.startswith('nearer than expected: '):
            self.told.append(line)  # by the tool itself, which has counted it as passed
        elif not re.fullmatch(r'\d+ passed, \d+ failed, \d+ skipped', line):
            self.read_failure(line)

    def read_skipped(self, line):
        file, reason = re.match(r'skipped: (?:@\S+: )?([\w./-]+\.mlir)(?::\d+:\d+)?: (?:@\S+: )?(.*)', line).groups()
        self.unsupported[file, re.split(r'\s{2,}', reason)[0]] += 1

    def read_failure(self, line):
        match = DIFFERENCE.match(line)
        true = match and self.true.get((match['file'], match['index']))
        if true and is_near(match['dtype'], numbers(match['got']), numbers(match['wanted']), true):
            self.near.append(line)
        else:
            self.failed.append(line)


def compare_unsupported(outcome):
    expected = collections.Counter({(file, reason): int(count) for file, count, reason in rows('unsupported.txt')})
    for key in sorted(set(expected) | set(outcome.unsupported)):
        if expected[key] != outcome.unsupported[key]:
            yield f'{key[0]}: {key[1]}: refused {outcome.unsupported[key]} times, expected are {expected[key]}'


def report(outcome, backend):
    reasons = collections.Counter()
    for (_, reason), count in outcome.unsupported.items():
        reasons[re.sub(r'tensor<[\dx]*', 'tensor<', reason)] += count
    for line in outcome.near + outcome.told:
        print('right, but not what is expected:', line)
    for reason, count in sorted(reasons.items()):
        print(f'unsupported, {count}: {reason}')
    print(f'{backend}: {outcome.passed + len(outcome.near)} passed, {len(outcome.near)} of them by nearer.txt, '
          f'{len(outcome.told)} by their value in float64, '
          f'{len(outcome.failed)} failed, {sum(outcome.unsupported.values())} unsupported')


def main():
    tool, backend = sys.argv[1:3]
    folder = os.environ.get('FLUXION_CONFORMANCE')
    if not folder:
        print(f'Skipped: FLUXION_CONFORMANCE names no folder, so no StableHLO programs are run on {backend}.')
        return SKIPPED
    root = os.path.join(folder, 'stablehlo')
    if not os.path.isdir(root):
        print(f'FLUXION_CONFORMANCE is set, but there is no {root}')
        return 1
    if backend == 'pjrt':
        plugin = plugin_of(sys.argv[3])
        if not plugin:
            print('Skipped: no plugin is to be had, so no StableHLO programs are run on one.')
            return SKIPPED
        backend = 'pjrt:' + plugin
    outcome = Outcome(root)
    for folder in FOLDERS:
        for line in run(tool, backend, os.path.join(root, folder)).stdout.splitlines():
            outcome.read(line)
    report(outcome, backend)
    problems = outcome.failed + list(compare_unsupported(outcome))
    total = outcome.passed + len(outcome.near) + len(outcome.failed) + sum(outcome.unsupported.values())
    expected = int(rows('counts.txt')[0][0])
    if total != expected:
        problems.append(f'{total} functions instead of {expected}')
    for problem in problems:
        print('FAILED:', problem)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
