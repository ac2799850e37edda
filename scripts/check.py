#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One row per habit: each check is a function that returns (summary, violations). Rows with violations print them below
the table, and the status is 1. Checks that need compiled code look into $BUILD (build/release) and fail without it."""
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

import check_includes
import csource

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
BUILD = os.environ.get('BUILD', os.path.join(ROOT, 'build', 'release'))
MAX_LINES, MAX_FILE, MAX_FUNCTION, MAX_WIDTH = 75000, 800, 90, 110
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Werror', '-fsyntax-only']
SOURCE = ('.c', '.h', '.def', '.inc')
TEXT_FOLDERS = ['include', 'src', 'tests', 'bench', 'examples', 'scripts', 'cmake', 'docs', '.ci']


def path_of(name):
    return os.path.join(ROOT, name)


def sources(folders=('include', 'src'), suffixes=SOURCE):
    return {name: csource.read(path_of(name)) for name in csource.files(ROOT, folders, suffixes)}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


# ---- text ----
def includes():
    return 'folders include only what lies below them', list(check_includes.violations(ROOT))


def unique_names():
    places = collections.defaultdict(list)
    for name in csource.files(ROOT, ['src'], SOURCE):
        places[os.path.basename(name)].append(name)
    return f'{len(places)} names', [' and '.join(p) for p in places.values() if len(p) > 1]


def license_lines():
    bad, count = [], 0
    names = list(csource.files(ROOT, TEXT_FOLDERS, SOURCE + ('.py', '.sh', '.cmake', 'CMakeLists.txt', '.cc', '.cpp')))
    for name in names + ['CMakeLists.txt', 'Makefile', 'scripts/check', '.ci/run']:
        if os.path.isfile(path_of(name)):
            count += 1
            if not any('SPDX-License-Identifier: Apache-2.0' in line
                       for line in csource.read(path_of(name)).split('\n')[:2]):
                bad.append(f'{name}: no SPDX line at its top')
    return f'{count} files', bad


def leftovers():
    words = re.compile(r'\b(TO' r'DO|FIX' r'ME|XX' r'X|HA' r'CK)\b|/wo' r'rk/')
    address = re.compile(r'https?://([\w.-]+)')
    hosts = {'www.apache.org', 'llvm.org', 'github.com', 'openxla.org', 'doi.org', 'arxiv.org',
             'www.netlib.org', 'www.unicode.org', 'numpy.org', 'www.w3.org'}
    bad = []
    for name in csource.files(ROOT, TEXT_FOLDERS + ['.'], SOURCE + ('.py', '.sh', '.md', '.cmake', 'Makefile')):
        if name.startswith(('build', 'third_party', '.git' + os.sep)):
            continue
        for number, line in enumerate(csource.read(path_of(name)).split('\n'), 1):
            found = words.search(line)
            if found:
                bad.append(f'{name}:{number}: {found.group()}')
            bad += [f'{name}:{number}: address of {host}' for host in address.findall(line) if host not in hosts]
    return 'no unfinished business, no foreign addresses', sorted(set(bad))


def sizes():
    bad, longest, biggest, over = [], (0, ''), (0, ''), 0
    for name, text in sources().items():
        lines = text.count('\n')
        if not name.endswith('.def'):
            biggest = max(biggest, (lines, name))
            if lines > MAX_FILE:
                bad.append(f'{name}: {lines} lines, the limit is {MAX_FILE}')
        for function, length in csource.functions(text):
            longest = max(longest, (length, f'{function} in {os.path.basename(name)}'))
            over += length > 60
            if length > MAX_FUNCTION:
                bad.append(f'{name}: {function} has {length} lines, the limit is {MAX_FUNCTION}')
    return (f'largest file {biggest[0]} ({os.path.basename(biggest[1])}), function {longest[0]} ({longest[1]}), '
            f'{over} functions over 60'), bad


def width():
    """Tables (.def) are as wide as they are; scripts/width.allow names files that are still to be folded."""
    allow = path_of('scripts/width.allow')
    excused = set(csource.read(allow).split('\n')) if os.path.isfile(allow) else set()
    bad = [f'{name}:{number}: {len(line)} columns' for name, text in sources(suffixes=('.c', '.h', '.inc')).items()
           if name not in excused for number, line in enumerate(text.split('\n'), 1) if len(line) > MAX_WIDTH]
    return f'no line over {MAX_WIDTH} columns, but for {len(excused - {""})} files', bad


def budget():
    lines = sum(csource.code_lines(text) for text in sources().values())
    bad = [] if lines <= MAX_LINES else [f'{lines} lines of code, the budget is {MAX_LINES}']
    return f'{lines} of {MAX_LINES} lines of code in src and include', bad


def error_codes():
    codes = re.findall(r'^\s*(FX_ERROR_\w+)\s*=', csource.read(path_of('include/fluxion/base.h')), re.M)
    used = set()
    for name, text in sources(['src'], ('.c', '.h', '.def')).items():
        if os.path.basename(name) != 'error.c':
            used |= set(re.findall(r'\bFX_ERROR_\w+', csource.blank(text)))
    used |= {'FX_ERROR_MEMORY'} if any('fxi_fail_memory(' in text for text in sources(['src']).values()) else set()
    return f'{len(codes)} codes', [f'{code} is raised nowhere' for code in codes if code not in used]


def builders():
    """Every row of ops.def is made by someone: by the lists below the rows, or by hand."""
    rows = csource.read(path_of('src/graph/ops.def')) if os.path.isfile(path_of('src/graph/ops.def')) else ''
    ids = re.findall(r'^FX_OP\(\s*(\w+)', rows, re.M)
    made = set(re.findall(r'^FX_(?:BUILDER|ROUNDER)\(.*\b(\w+)\)', rows, re.M))
    for name, text in sources(['src/ops', 'src/graph', 'src/grad', 'src/random'], ('.c',)).items():
        if name in ('src/graph/graph.c', 'src/graph/node.c') or not name.startswith(('src/graph/', 'src/ops/element.', 'src/ops/element_')):
            made |= set(re.findall(r'\bFX_OP_(\w+)', csource.blank(text)))
    return f'{len(ids)} operations have a builder', [f'no builder makes FX_OP_{i}' for i in ids if i not in made]


def quiet():
    """Only error.c (for FX_MUST) may print and abort; only alloc.c may call malloc and its kin; only plugin.c
    may set a variable, to silence a plugin's log when asked; the tool may do all."""
    rules = [(re.compile(r'(?<![\w.>])(v?f?printf|puts|perror|abort|exit|_exit|putenv)\s*\('), {'error.c'}),
             (re.compile(r'(?<![\w.>])(setenv)\s*\('), {'plugin.c'}),
             (re.compile(r'(?<![\w.>])(malloc|calloc|realloc|free|strdup|aligned_alloc|posix_memalign)\s*\('), {'alloc.c'})]
    bad = []
    for name, text in sources(['src']).items():
        if name.startswith('src/cli'):
            continue
        for number, line in enumerate(csource.blank(text).split('\n'), 1):
            for rule, homes in rules:
                found = rule.search(line)
                if found and os.path.basename(name) not in homes:
                    bad.append(f'{name}:{number}: calls {found.group(1)}')
    return 'nothing prints, ends the process or goes around the allocator', bad


def mirror():
    tests = {os.path.basename(name) for name in csource.files(ROOT, ['tests'], ('.c',))}
    names = [name for name in csource.files(ROOT, ['src'], ('.c',)) if not name.startswith('src/cli')]
    without = [name for name in names if 'test_' + os.path.basename(name) not in tests]
    return f'{len(names) - len(without)} of {len(names)} sources have a test file of their name (reported only)', []


# ---- public headers ----
def public_headers():
    return list(csource.files(ROOT, ['include'], ('.h',)))


def header_comments():
    bad, count = [], 0
    for name in public_headers():
        text = csource.read(path_of(name))
        for function, _, offset in csource.declarations(text):
            count += 1
            before = text[:offset].rstrip()
            gap = text[len(before):offset].count('\n')
            rest = text[offset:].split(';', 1)[1].split('\n', 1)[0]
            if not (before.endswith('*/') and gap <= 1) and '/*' not in rest:
                bad.append(f'{name}: {function} has no comment of its own')
    return f'{count - len(bad)} of {count} public functions have their own comment', bad


def first_error(errors):
    lines = errors.strip().splitlines()
    return next((line for line in lines if 'error' in line), lines[0] if lines else 'no message')


def headers_alone():
    compilers = [c for c in (['cc', '-std=c11'], ['c++', '-std=c++17'], ['clang', '-std=c11'], ['clang++', '-std=c++17'])
                 if shutil.which(c[0])]
    bad = [] if len(compilers) > 1 else ['no C++ compiler here']
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for number, name in enumerate(public_headers()):
            short = os.path.relpath(name, 'include')
            for suffix in ('.c', '.cpp'):
                with open(os.path.join(folder, f'{number}{suffix}'), 'w', encoding='utf-8') as stream:
                    stream.write(f'#include <{short}>\n#include <{short}>\n')
            for compiler in compilers:
                path = os.path.join(folder, f'{number}' + ('.cpp' if '++' in compiler[0] else '.c'))
                command = compiler + WARNINGS + ['-I', path_of('include'), path]
                jobs.append((short, compiler, pool.submit(run, command)))
        for short, compiler, job in jobs:
            status, _, errors = job.result()
            if status != 0:
                bad.append(f'{short} alone with {" ".join(compiler)}: {first_error(errors)}')
    return f'{len(public_headers())} headers, {", ".join(c[0] for c in compilers)}', bad


def call_sites():
    status, out, _ = run([sys.executable, path_of('scripts/gen_at.py'), '--check'])
    return 'at.h is what gen_at.py writes', out.strip().splitlines() if status else []


# ---- compiled code ----
def global_symbols(arguments, path):
    status, out, errors = run(['nm', '--defined-only'] + arguments + [path])
    if status != 0:
        return None, [f'{os.path.relpath(path, ROOT)}: {errors.strip() or "not there"} (make test builds it)']
    return {line.split()[2] for line in out.splitlines() if len(line.split()) == 3}, []


def symbols():
    shared, bad = global_symbols(['-D'], os.path.join(BUILD, 'lib', 'libfluxion.so'))
    static, bad_static = global_symbols(['-g'], os.path.join(BUILD, 'lib', 'libfluxion.a'))
    bad += bad_static
    if bad:
        return 'no build', bad
    declared = set()
    for name in public_headers():
        text = csource.read(path_of(name))
        declared |= {function for function, _, _ in csource.declarations(text)} | set(csource.variables(text))
    for label, have in (('libfluxion.so', shared), ('libfluxion.a', static)):
        bad += [f'{label} exports {name}, which no header declares' for name in sorted(have - declared)]
        bad += [f'{label} lacks {name}, which a header declares' for name in sorted(declared - have)]
    return f'{len(shared)} in libfluxion.so, {len(static)} in libfluxion.a, {len(declared)} declared', bad


def writable_state():
    """Variables in writable sections of our own objects; tables of pointers that only relocation writes do not count."""
    allowed = {line.split(':')[0].strip() for line in csource.read(path_of('scripts/state.allow')).split('\n')
               if ':' in line and not line.startswith('#')}
    objects = [os.path.join(BUILD, name) for name in csource.files(BUILD, ['CMakeFiles/fluxion_objects.dir'], ('.o',))]
    if not objects:
        return 'no build', [f'no objects in {os.path.relpath(BUILD, ROOT)} (make test builds them)']
    _, out, _ = run(['nm', '-f', 'sysv', '--defined-only'] + objects)
    found = set()
    for line in out.splitlines():
        fields = [field.strip() for field in line.split('|')]
        if len(fields) == 7 and fields[3] in ('OBJECT', 'TLS') and re.match(r'\.(data|bss|tdata|tbss)', fields[6]) \
                and not fields[6].startswith('.data.rel.ro'):
            found.add(re.sub(r'\.\d+$', '', fields[0]))
    return f'{len(found)} writable variables', \
        [f'{name} is writable and not in scripts/state.allow' for name in sorted(found - allowed)]


FUSING = re.compile(r'/quantized_avx(2|512)\.c\.o$')


def contraction():
    """A product and a sum round twice on every instruction set; only generated code fuses them, where the emitter says so,
    and kernels whose vectors are written out, FUSING."""
    objects = [os.path.join(BUILD, name) for name in csource.files(BUILD, ['CMakeFiles/fluxion_objects.dir'], ('.o',))]
    if not objects:
        return 'no build', [f'no objects in {os.path.relpath(BUILD, ROOT)} (make test builds them)']
    objects = [path for path in objects if not FUSING.search(path)]
    fused = re.compile(r'\bvfn?m(add|sub)')
    bad = [f'{os.path.basename(path)} has fused products and sums' for path in objects
           if fused.search(run(['objdump', '-d', '--no-show-raw-insn', path])[1])]
    return f'{len(objects)} objects fuse no product with a sum', bad


CHECKS = [includes, unique_names, license_lines, leftovers, sizes, width, budget, error_codes, builders, quiet, mirror,
          header_comments, headers_alone, call_sites, symbols, writable_state,
          contraction]


def main():
    failed = []
    print(f'{"check":<16} {"":<5} what')
    for check in CHECKS:
        summary, bad = check()
        name = check.__name__.replace('_', ' ')
        print(f'{name:<16} {"FAIL" if bad else "ok":<5} {summary}{f"; {len(bad)} violations" if bad else ""}')
        if bad:
            failed.append((name, bad))
    for name, bad in failed:
        print(f'\n{name}:')
        for line in bad[:40]:
            print(f'  {line}')
        if len(bad) > 40:
            print(f'  and {len(bad) - 40} more')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
