# SPDX-License-Identifier: Apache-2.0
"""A checker that cannot fail is worth nothing: each check of scripts/check is run on a small tree with one planted fault
and has to name it, and on the same tree without it and has to be silent."""
import os
import sys
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'scripts')
sys.path.insert(0, SCRIPTS)
sys.dont_write_bytecode = True
import check  # noqa: E402
import csource  # noqa: E402
import gen_at  # noqa: E402

SPDX = '/* SPDX-License-Identifier: Apache-2.0 */\n'
GOOD = {
    'scripts/includes.allow': 'include/fluxion:\nsrc/base: include/fluxion\nsrc/ops: include/fluxion src/base\n',
    'scripts/state.allow': '',
    'include/fluxion/base.h': SPDX + '#ifndef BASE_H\n#define BASE_H\n#define FX_API\ntypedef enum { FX_OK = 0,\n    FX_ERROR_SHAPE = 1\n} fx_error_code;\n'
                                     '/* Adds. */\nFX_API int fx_add(int a, int b);\n#endif\n',
    'src/base/grow.c': SPDX + '#include <fluxion/base.h>\nint fx_add(int a, int b) {\n    return a + b + FX_ERROR_SHAPE;\n}\n',
    'src/base/base.h': SPDX,
    'src/base/base_internal.h': SPDX,
    'src/ops/ops.h': SPDX + '#include "base/base.h"\n',
}
FAULTS = [
    ('includes', 'src/base/up.c', SPDX + '#include "ops/ops.h"\n'),
    ('includes', 'src/ops/inside.c', SPDX + '#include "base/base_internal.h"\n'),
    ('includes', 'src/ops/lost.c', SPDX + '#include "ops/nowhere.h"\n'),
    ('includes', 'src/other/new.c', SPDX),
    ('unique_names', 'src/ops/grow.c', SPDX),
    ('license_lines', 'src/ops/bare.c', 'int x;\n'),
    ('leftovers', 'src/ops/later.c', SPDX + '/* TO' 'DO: more */\n'),
    ('leftovers', 'src/ops/link.c', SPDX + '/* https:/' '/example.net/page */\n'),
    ('sizes', 'src/ops/long.c', SPDX + '\n' * 801),
    ('sizes', 'src/ops/long_function.c', SPDX + 'void f(void) {\n' + '    g();\n' * 90 + '}\n'),
    ('width', 'src/ops/wide.c', SPDX + '/* ' + 'wide ' * 22 + '*/\n'),
    ('builders', 'src/graph/ops.def', SPDX + 'FX_OP( ADD, "add")\nFX_OP( SUB, "sub")\nFX_BUILDER( 2, add, ADD)\n'),
    ('quiet', 'src/ops/loud.c', SPDX + 'void f(void) {\n    abort();\n}\n'),
    ('quiet', 'src/ops/raw.c', SPDX + 'void *f(void) {\n    return malloc(1);\n}\n'),
    ('header_comments', 'include/fluxion/extra.h', SPDX + '#define FX_API\nint x;\nFX_API int fx_bare(void);\n'),
    ('headers_alone', 'include/fluxion/broken.h', SPDX + 'size_t needs_stddef(void);\n'),
    ('error_codes', 'include/fluxion/base.h', SPDX + 'enum {\n    FX_ERROR_NEVER = 2\n};\n'),
]


class EachCheckCanFail(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.old = check.ROOT
        check.ROOT = self.folder.name
        for name, text in GOOD.items():
            self.write(name, text)

    def tearDown(self):
        check.ROOT = self.old
        self.folder.cleanup()

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text)

    def test_silent_without_a_fault(self):
        for name in sorted({fault[0] for fault in FAULTS}):
            with self.subTest(name):
                self.assertEqual(getattr(check, name)()[1], [])

    def test_budget(self):
        self.write('src/base/many.c', SPDX + 'int x;\n' * (check.MAX_LINES + 1))
        self.assertEqual(len(check.budget()[1]), 1)

    def test_no_build_is_a_fault(self):
        build, check.BUILD = check.BUILD, os.path.join(self.folder.name, 'none')
        try:
            self.assertTrue(check.symbols()[1])
            self.assertTrue(check.writable_state()[1])
        finally:
            check.BUILD = build


def planted(name, path, text):
    def test(self):
        self.write(path, text)
        self.assertTrue(getattr(check, name)()[1], f'{name} does not see {path}')
    return test


for number, fault in enumerate(FAULTS):
    setattr(EachCheckCanFail, f'test_{number:02}_{fault[0]}', planted(*fault))


class CallSites(unittest.TestCase):
    def test_only_functions_that_return_a_node(self):
        long_name = 'fx_' + 'long_' * 10
        with tempfile.TemporaryDirectory() as parent:
            folder = os.path.join(parent, 'fluxion')
            os.mkdir(folder)
            with open(folder + '.h', 'w', encoding='utf-8') as stream:
                stream.write('#include <fluxion/ops.h>\n')
            with open(os.path.join(folder, 'ops.h'), 'w', encoding='utf-8') as stream:
                stream.write('/* FX_API fx_node *fx_no(void); */\nFX_API fx_node *fx_yes(fx_node *a,\n'
                             '    fx_node *b);\nFX_API int fx_number(void);\nFX_API const fx_node *fx_const(void);\n'
                             f'FX_API fx_node *{long_name}(void);\n')
            text = gen_at.render(folder)
        self.assertIn('#define fx_yes(...) fx_at(fx_yes(__VA_ARGS__), __FILE__, __LINE__)\n', text)
        self.assertIn(f'#define {long_name}(...) \\\n    fx_at(', text)
        for name in ('fx_no(', 'fx_number(', 'fx_const('):
            self.assertNotIn('#define ' + name, text)


class Source(unittest.TestCase):
    def test_functions(self):
        text = 'extern "C" {\nstatic int\none(void)\n{\n    if (x) { y(); }\n}\n}\nstruct s { int a; };\n' \
               'int table[] = { 1 };\nvoid two(void) {\n#if A\n    {\n#else\n    {\n#endif\n    }\n}\n'
        self.assertEqual(csource.functions(text), [('one', 5), ('two', 8)])

    def test_comments_and_literals(self):
        self.assertEqual(csource.code_lines('/* a\n b */\nint x; // y\n\nchar *s = "/* no */";\n'), 2)


if __name__ == '__main__':
    unittest.main()
