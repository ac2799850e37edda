#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""digits_accuracy.py PROGRAM FLOOR: trains with five seeds, each of which shuffles other digits into the held-out third, and
fails unless the median share that is read right reaches the floor, in percent, and one seed gives the same twice. Then
Ctrl-C: the program must save, end well and go on from the file."""
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile

SEEDS = [1, 2, 3, 4, 5]


def run(program, seed):
    done = subprocess.run([program, '--seed', str(seed)], capture_output=True, text=True)
    found = re.search(r'^held out: (\d+) of (\d+) right$', done.stderr, re.M)
    if done.returncode != 0 or not found:
        sys.exit('%s --seed %d ended with %d:\n%s%s' % (program, seed, done.returncode, done.stdout, done.stderr))
    return 100 * int(found.group(1)) / int(found.group(2)), (done.stdout, found.group(0))


def check_interrupt(program):
    """Stops a long run once it has begun to report, and lets it do the rest of a short one."""
    data = ['--data', os.path.abspath('examples/data/digits.txt')]
    with tempfile.TemporaryDirectory() as folder:
        long = subprocess.Popen([program, '--epochs', '60'] + data, cwd=folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        long.stderr.readline()
        long.send_signal(signal.SIGINT)
        stderr = long.communicate()[1]
        saved = re.search(r'^saved after (\d+) steps; --load (\S+) goes on$', stderr, re.M)
        if long.returncode != 0 or not saved or not os.path.exists(os.path.join(folder, saved.group(2))):
            sys.exit('stopped by SIGINT, it ended with %d and wrote %s:\n%s' % (long.returncode, os.listdir(folder), stderr))
        rest = subprocess.run([program, '--epochs', '60', '--load', saved.group(2), '--svg', 'loss.svg'] + data, cwd=folder,
                              capture_output=True, text=True)
        if rest.returncode != 0 or 'held out' not in rest.stdout or not os.path.exists(os.path.join(folder, 'loss.svg')):
            sys.exit('going on ended with %d:\n%s%s' % (rest.returncode, rest.stdout, rest.stderr))


def main():
    program, floor = sys.argv[1], float(sys.argv[2])
    results = [run(program, seed) for seed in SEEDS]
    shares = [share for share, _ in results]
    median = statistics.median(shares)
    print('held out: %s %%, median %.2f' % (['%.2f' % s for s in shares], median))
    if median < floor:
        sys.exit('the median is below %.1f' % floor)
    if run(program, SEEDS[0])[1] != results[0][1]:
        sys.exit('seed %d gave another result the second time' % SEEDS[0])
    check_interrupt(os.path.abspath(program))


main()
