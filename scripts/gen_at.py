#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes include/fluxion/at.h, the call-site macros: one for each public function that returns a node.

  gen_at.py           writes the file if it changes
  gen_at.py --check   says whether it is up to date, and ends with status 1 if not"""
import os
import re
import sys

import csource

NOT_WRAPPED = {'fx_at'}  # what the macros call
HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* Call sites: each builder notes the file and line that called it, so that every later message about a node
 * can name it. Written by scripts/gen_at.py from the declarations in the other headers; included last by
 * fluxion.h. A macro of a function's own name is not expanded again, and only before a parenthesis, so the
 * functions themselves stay reachable: (fx_add)(a, b) is a plain call. Define FX_NO_CALL_SITES to leave all
 * of this out. */
#ifndef FLUXION_AT_H
#define FLUXION_AT_H

#include <fluxion/graph.h>

#ifndef FX_NO_CALL_SITES
"""
TAIL = """
#endif /* FX_NO_CALL_SITES */

#endif
"""


def headers(folder):
    """The headers that fluxion.h includes, in its order."""
    return re.findall(r'^#include <fluxion/(\w+\.h)>', csource.read(folder + '.h'), re.M)


def builders(folder):
    """(header, names) for each header that declares a function giving a node."""
    for header in headers(folder):
        path = os.path.join(folder, header)
        if header == 'at.h' or not os.path.isfile(path):
            continue
        names = [name for name, result, _ in csource.declarations(csource.read(path))
                 if result == 'fx_node *' and name not in NOT_WRAPPED]
        if names:
            yield header, names


def macro(name):
    line = f'#define {name}(...) fx_at({name}(__VA_ARGS__), __FILE__, __LINE__)'
    return line if len(line) <= 110 else line.replace('(...) ', '(...) \\\n    ', 1)


def render(folder):
    lines = [HEAD]
    for header, names in builders(folder):
        lines.append(f'/* {header} */')
        lines += [macro(name) for name in names]
    return '\n'.join(lines) + TAIL


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'include', 'fluxion')
    path = os.path.join(folder, 'at.h')
    wanted = render(folder)
    current = csource.read(path) if os.path.isfile(path) else ''
    if '--check' in sys.argv[1:]:
        if current != wanted:
            print('include/fluxion/at.h is out of date: run scripts/gen_at.py')
            return 1
    elif current != wanted:
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(wanted)
    return 0


if __name__ == '__main__':
    sys.exit(main())
