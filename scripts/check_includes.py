#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the include rule: scripts/includes.allow says which folder may include from which, and a header called
*_internal.h belongs to its folder alone. Prints each violation and ends with their number (at most 100) as status."""
import os
import re
import sys

import csource

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]', re.M)
ONE_FOLDER = 'src/backend/cpu'


def allowed_edges(path):
    edges = {}
    for line in csource.read(path).split('\n'):
        line = line.split('#')[0].strip()
        if line:
            folder, _, targets = line.partition(':')
            edges[folder.strip()] = set(targets.split())
    return edges


def folder_of(path):
    folder = os.path.dirname(path)
    if folder == ONE_FOLDER or folder.startswith(ONE_FOLDER + '/'):
        return ONE_FOLDER
    return 'examples' if folder.startswith('examples') else folder


def resolve(root, path, quoted, name):
    """The included file relative to root; None for a system header, '' for a quoted one that is not there."""
    places = ['include'] if not quoted else [os.path.dirname(path), 'src', 'include']
    for place in places:
        candidate = os.path.normpath(os.path.join(place, name))
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return '' if quoted else None


def violations(root):
    edges = allowed_edges(os.path.join(root, 'scripts/includes.allow'))
    for path in csource.files(root, ['include', 'src', 'examples'], ('.c', '.h', '.def')):
        folder = folder_of(path)
        if folder not in edges:
            yield f'{path}: folder {folder} is not in scripts/includes.allow'
            continue
        code = csource.blank(csource.read(os.path.join(root, path)), comments_only=True)
        for bracket, name in INCLUDE.findall(code):
            target = resolve(root, path, bracket == '"', name)
            if target is None:
                continue
            if target == '':
                yield f'{path}: "{name}" is nowhere in src or include'
                continue
            other = folder_of(target)
            if other != folder and other not in edges[folder]:
                yield f'{path}: {folder} may not include {target}'
            elif other != folder and target.endswith('_internal.h'):
                yield f'{path}: {target} is internal to {other}'


if __name__ == '__main__':
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
    found = list(violations(root))
    print('\n'.join(found) if found else 'includes: nothing against the rule')
    sys.exit(min(len(found), 100))
