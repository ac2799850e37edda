# SPDX-License-Identifier: Apache-2.0
"""Just enough C to look at our own sources: comments and literals blanked, functions found, declarations listed.

Works on text, without a preprocessor. It relies on this project's style: bodies open with a brace on the line of the
signature or below it, public functions are declared with FX_API, one declaration a statement."""
import os
import re

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
NAME_BEFORE_PARENTHESIS = re.compile(r'([A-Za-z_]\w*)\s*\(')
KEYWORDS = {'if', 'for', 'while', 'switch', 'return', 'sizeof', 'defined', '__attribute__', '_Static_assert'}


def read(path):
    with open(path, encoding='utf-8') as stream:
        return stream.read()


def files(root, folders, suffixes):
    """Paths below the folders, relative to root, in a fixed order."""
    for folder in folders:
        for parent, children, names in os.walk(os.path.join(root, folder)):
            children.sort()
            for name in sorted(names):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(parent, name), root)


def blank(text, comments_only=False):
    """The text with comments (and literals) turned to spaces, of the same length and lines."""
    def one(match):
        token = match.group()
        if token[0] != '/':
            return token if comments_only else token[0] + re.sub(r'[^\n]', '_', token[1:-1]) + token[-1]
        return re.sub(r'[^\n]', ' ', token)
    return TOKEN.sub(one, text)


def code_lines(text):
    """Lines that hold something beside comments."""
    return sum(1 for line in blank(text, comments_only=True).split('\n') if line.strip())


def without_directives(code):
    """Preprocessor lines blanked (offsets stay), and all but the first branch of each conditional, so that braces balance."""
    lines, taken, continued = [], [], False
    for line in code.split('\n'):
        stripped = line.strip()
        if continued or stripped.startswith('#'):
            word = '' if continued else re.match(r'#\s*(\w*)', stripped).group(1)
            if word in ('if', 'ifdef', 'ifndef'):
                taken.append(True)
            elif word in ('else', 'elif') and taken:
                taken[-1] = False
            elif word == 'endif' and taken:
                taken.pop()
            continued = stripped.endswith('\\')
            lines.append(' ' * len(line))
        else:
            lines.append(line if all(taken) else ' ' * len(line))
    return '\n'.join(lines)


def functions(text):
    """(name, number of lines from the signature to the closing brace) of each function body at file level."""
    code = without_directives(blank(text))
    depth, start, name, head, line, found = 0, 0, None, '', 1, []
    base = 0  # depth of an enclosing extern "C"
    for char in code:
        if char == '\n':
            line += 1
        if char == '{':
            if depth == base and re.search(r'extern\s+"_*"\s*$', head):
                base += 1
            elif depth == base:
                match = NAME_BEFORE_PARENTHESIS.search(head)
                is_function = match and re.search(r'\)\s*$', head) and '=' not in head
                name = match.group(1) if is_function else None
                start = line - head.lstrip().count('\n')
            depth += 1
            head = ''
        elif char == '}':
            depth -= 1
            if depth < base:
                base = depth
            elif depth == base and name:
                found.append((name, line - start + 1))
                name = None
            head = ''
        elif char == ';':
            head = ''
        else:
            head += char
    return found


def declarations(text):
    """(name, return type, offset of FX_API in the text) of each public function declared in a header."""
    code = without_directives(blank(text))
    for match in re.finditer(r'\bFX_API\b([^;{(]*?)([A-Za-z_]\w*)\s*\(', code):
        yield match.group(2), ' '.join(match.group(1).split()), match.start()


def variables(text):
    """Names of the variables that a header exports."""
    return re.findall(r'\bextern\s+FX_API\s+[\w\s*]*?(\w+)\s*;', blank(text))
