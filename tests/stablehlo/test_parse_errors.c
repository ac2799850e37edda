/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are no programs: each is refused with the line and column of what is wrong, the line itself and
 * a caret below it. Then texts of hostile size and depth, which must be refused or read in time that grows
 * with their length alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stablehlo/tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    int line, column;
    const char *message, *text;
} row;

#define IN_F(text) "func.func @f(%a: tensor<2xf32>) {\n  " text "\n  return\n}\n"

static const row structure[] = {
    {1, 1, "expected an operation", ")"},
    {1, 6, "expected ':', but the text ends", "\"f\"()"},
    {2, 1, "expected '}' of the module, but the text ends", "module {\n"},
    {1, 1, "a '}' without its partner", "}"},
    {2, 1, "expected the end of the text", "module {}\nmodule {}"},
    {2, 1, "a second module", "module {\nmodule {}\n}"},
    {2, 1, "a module after operations", "func.func private @f()\nmodule {}"},
    {1, 11, "expected a symbol", "func.func f() {}"},
    {1, 11, "a symbol without a name", "func.func @() {}"},
    {1, 11, "a zero byte in a name", "func.func @\"a\\00\"() {}"},
    {2, 1, "@f is defined twice", "func.func private @f()\nfunc.func private @f()"},
    {1, 30, "a body, but arguments without names", "func.func @f(tensor<2xf32>)  { return }"},
    {1, 17, "the region ends without a return", "func.func @f() {}"},
    {2, 3, "the region ends without a return", "func.func @f(%a: tensor<2xf32>) {\n  }"},
    {4, 1, "expected an operation, but the text ends", "func.func @f() {\n  return\n\n"},
    {3, 3, "an operation after the return", "func.func @f() {\n  return\n  return\n}"},
    {2, 3, "1 values are returned, but @f has 0 results",
     "func.func @f(%a: tensor<2xf32>) {\n  return %a : tensor<2xf32>\n}"},
    {2, 3, "value 0 is of type tensor<2xf32>, but the result of type tensor<f32>",
     "func.func @f(%a: tensor<2xf32>) -> tensor<f32> {\n  return %a : tensor<2xf32>\n}"},
    {2, 3, "func.func in a function", IN_F("func.func private @g()")},
    {1, 1, "a value outside of functions", "\"f\"() : () -> tensor<f32>"},
    {1, 1, "a function without sym_name", "\"func.func\"() ({\n\"func.return\"() : () -> ()\n}) : () -> ()"},
    {3, 1, "a second block", "func.func @f() {\n  return\n^bb1:\n  return\n}"},
    {2, 9, "successors", IN_F("\"f\"() [^bb1] : () -> ()")},
    {1, 9, "a zero byte", "module {\000}"},
    {1, 13, "bytes that are not UTF-8", "// a \xC3\xA9 is, \xC3 not\n"},
    {1, 1, "expected an operation", "\xEF\xBB\xBFmodule {}"},
};

static const row values[] = {
    {2, 24, "expected ':'", IN_F("%0 = stablehlo.abs %a, %b : tensor<2xf32>")},
    {2, 22, "%b is not defined here", IN_F("%0 = stablehlo.abs %b : tensor<2xf32>")},
    {2, 22, "%0 is not defined here", IN_F("%0 = stablehlo.abs %0 : tensor<2xf32>")},
    {2, 22, "%a has 1 values", IN_F("%0 = stablehlo.abs %a#1 : tensor<2xf32>")},
    {2, 3, "%a is defined already", IN_F("%a = stablehlo.abs %a : tensor<2xf32>")},
    {1, 32, "%a is defined already", "func.func @f(%a: tensor<f32>,  %a: tensor<f32>) { return }"},
    {2, 3, "2 results are named, but the operation has 1", IN_F("%0:2 = stablehlo.abs %a : tensor<2xf32>")},
    {2, 3, "1 results are named, but the operation has 0", IN_F("%0 = \"f\"() : () -> ()")},
    {2, 3, "%0 has 0 values", IN_F("%0:0 = \"f\"() : () -> ()")},
    {2, 6, "expected an integer", IN_F("%0:x = \"f\"() : () -> ()")},
    {2, 3, "a value without a name", IN_F("% = \"f\"() : () -> ()")},
    {2, 27, "operand 0 is of type tensor<2xf32>, not tensor<3xf32>",
     IN_F("%0 = stablehlo.abs %a : tensor<3xf32>")},
    {2, 35, "operand 1 is of type tensor<2xf32>, not tensor<f32>",
     IN_F("%0 = stablehlo.add %a, %a     : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>")},
    {2, 27, "2 types for 1 operands",
     IN_F("%0 = stablehlo.abs %a : (tensor<2xf32>, tensor<f32>) -> tensor<f32>")},
    {6, 22, "%1 is not defined here",
     IN_F("%0 = \"f\"(%a) ({\n  %1 = stablehlo.abs %a : tensor<2xf32>\n  stablehlo.return\n  }) : "
          "(tensor<2xf32>) -> "
          "tensor<2xf32>\n  %2 = stablehlo.abs %1 : tensor<2xf32>")},
    {6, 1, "expected ')', but the text ends",
     IN_F("%0 = \"f\"(%a) ({\n  %1 = stablehlo.abs %a : tensor<2xf32>")},
};

static const row types[] = {
    {1, 18, "unknown type 'tensr'", "func.func @f(%a: tensr<2xf32>) { return }"},
    {1, 27, "unknown type 'f3x'", "func.func @f(%a: tensor<2xf3x>) { return }"},
    {1, 25, "a dimension beyond 64 bits", "func.func @f(%a: tensor<99999999999999999999xf32>) { return }"},
    {1, 18, "does not fit into 63 bits", "func.func @f(%a: tensor<4294967296x4294967296xf32>) { return }"},
    {1, 57, "more than 16 dimensions",
     "func.func @f(%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) { return }"},
    {1, 26, "expected 'x'", "func.func @f(%a: tensor<2,3xf32>) { return }"},
    {1, 28, "expected '>'", "func.func @f(%a: tensor<f32) { return }"},
    {1, 18, "!t is not defined", "func.func @f(%a: !t) { return }"},
    {2, 1, "!t is defined twice", "!t = f32\n!t = f32"},
    {1, 28, "expected a type", "func.func @f(%a: tuple<f32,>) { return }"},
    {1, 24, "expected '->'", "#a = (tensor<f32>)     f32"},
    {1, 37, "expected ',' or the end of the list", "func.func @f(%a: tuple< tensor<f32> f32>) { return }"},
};

static const row attributes[] = {
    {1, 6, "#b is not defined", "#a = #b"},
    {2, 1, "#a is defined twice", "#a = 1\n#a = 2"},
    {1, 7, "expected an attribute", "#a = [,]"},
    {1, 9, "expected ',' or ']'", "#a = [1 2]"},
    {1, 8, "expected ',' or ']'", "#a = [1;2]"},
    {1, 7, "expected the name of an attribute", "#a = {1}"},
    {1, 14, "the attribute 'x' stands twice", "#a = {x = 1, x, y}"},
    {1, 6, "does not fit into 64 bits", "#a = 18446744073709551616"},
    {1, 6, "does not fit into its type", "#a = 256 : i8"},
    {1, 6, "does not fit into its type", "#a = -1 : ui8"},
    {1, 6, "a fraction of type i8", "#a = 1.5 : i8"},
    {1, 6, "an integer of type f32", "#a = 1 : f32"},
    {1, 6, "too long or too large", "#a = 1.0e999"},
    {1, 6, "a string without its end", "#a = \"abc\n\""},
    {1, 7, "not an escape", "#a = \"\\x\""},
    {1, 17, "expected an integer", "#a = array<i64: 1.5>"},
    {1, 6, "an array of complex<f32>", "#a = array<complex<f32>: 1>"},
    {1, 21, "a bracket without its partner", "#a = affine_map     <(d0"},
    {1, 17, "expected ')'", "#a = #x.y<[1, (2}]>"},
    {1, 26, "an axis stands twice", "#a = #stablehlo.conv<[b, b]x[i, o]->[b, f]>"},
    {1, 22, "an axis is missing", "#a = #stablehlo.conv<[b, f, 1]x[i, o, 0]->[b, f, 0]>"},
    {1, 30, "2 axes, but 3 before", "#a = #stablehlo.conv<[b,f,0]x[i, o]->[b, f]>"},
};

static const row constants[] = {
    {1, 14, "expected '>'", "#a = dense<1 2> : tensor<2xi32>"},
    {1, 13, "expected '>'", "#a = dense<1, 2> : tensor<2xi32>"},
    {1, 19, "more elements than the type has", "#a = dense<[1, 2, 3]> : tensor<2xi32>"},
    {1, 14, "fewer elements than the type has", "#a = dense<[1]> : tensor<2xi32>"},
    {1, 13, "brackets deeper than the type has dimensions", "#a = dense<[[1]]> : tensor<1xi32>"},
    {1, 13, "expected '['", "#a = dense<[1, 2]> : tensor<1x2xi32>"},
    {1, 12, "a constant without elements", "#a = dense<> : tensor<1xi32>"},
    {1, 12, "does not fit into the elements' type", "#a = dense<128> : tensor<2xui4>"},
    {1, 13, "does not fit into the elements' type", "#a = dense<[-129]> : tensor<1xi8>"},
    {1, 12, "a number with a point among integers", "#a = dense<1.0> : tensor<i32>"},
    {1, 12, "an integer where a number with a point is expected", "#a = dense<1> : tensor<f32>"},
    {1, 12, "the bit pattern does not fit", "#a = dense<0x1FFFF> : tensor<f16>"},
    {1, 12, "expected '(' of a complex number", "#a = dense<1.0> : tensor<complex<f32>>"},
    {1, 16, "expected ','", "#a = dense<(1.0)> : tensor<complex<f32>>"},
    {1, 17, "expected hexadecimal digits", "#a = dense<\"0x00g0\"> : tensor<2xi8>"},
    {1, 15, "another number of bytes", "#a = dense<\"0x000000\"> : tensor<2xi8>"},
    {1, 12, "a string where \"0x...\" is expected", "#a = dense<\"text\"> : tensor<2xi8>"},
    {1, 17, "a constant of type i32", "#a = dense<1> : i32"},
    {1, 17, "a constant of type tensor<?xi32>", "#a = dense<1> : tensor<?xi32>"},
};

static const row forms[] = {
    {2, 3, "unknown operation 'stablehlo.foo'", IN_F("stablehlo.foo %a : tensor<2xf32>")},
    {2, 3, "unknown operation 'foo'", IN_F("foo")},
    {2, 39, "expected 'dims'",
     IN_F("%0 = stablehlo.broadcast_in_dim %a, dim = [0] : (tensor<2xf32>) -> tensor<2xf32>")},
    {2, 44, "expected an integer",
     IN_F("%0 = stablehlo.transpose %a, dims     = [a] : (tensor<2xf32>) -> tensor<2xf32>")},
    {2, 32, "expected ':'", IN_F("%0 = stablehlo.slice %a    [0] : (tensor<2xf32>) -> tensor<1xf32>")},
    {2, 48, "expected a format", IN_F("%0 = stablehlo.reduce_precision %a, format = e5 : tensor<2xf32>")},
    {2, 37, "expected a function type", IN_F("%0 = stablehlo.reshape %a       : tensor<2xf32>")},
    {2, 29, "expected a tuple", IN_F("%0 = stablehlo.tuple %a : tensor<2xf32>")},
    {2, 35, "expected a complex tensor", IN_F("%0 = stablehlo.complex %a, %a : tensor<2xf32>")},
    {2, 46, "no commutative operation",
     IN_F("%0 = stablehlo.reduce(%a init: %a) applies stablehlo.subtract across "
          "dimensions = [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>")},
    {2, 35, "operand 0 is of type tensor<2xf32>",
     IN_F("%0 = stablehlo.while(%i = %a) : tensor<f32> cond {")},
    {2, 47, "expected 'do'", IN_F("stablehlo.while() cond { stablehlo.return } {}")},
    {2, 27, "expected a constant", IN_F("%0 = stablehlo.constant 1.0")},
};

static void refuse(const char *text, size_t length, int line, int column, const char *message) {
    fx_error err = {0};
    char place[64];
    fxi_hlo_module *module = fxi_hlo_parse(text, length, "t.mlir", &err);
    if (module) fail_msg("accepted: %s", text);
    assert_int_equal(err.code, FX_ERROR_FILE);
    snprintf(place, sizeof place, "t.mlir:%d:%d: ", line, column);
    if (strncmp(err.message, place, strlen(place)) != 0 || !strstr(err.message, message))
        fail_msg("%s\nis said of\n%s\nand not\n%s%s", err.message, text, place, message);
}

static void refuse_all(const row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(rows[i].text);
        if (strcmp(rows[i].message, "a zero byte") == 0) length += 2;
        refuse(rows[i].text, length, rows[i].line, rows[i].column, rows[i].message);
    }
}

#define REFUSE(rows) refuse_all(rows, sizeof(rows) / sizeof *(rows))

static void test_structure(void **state) {
    (void)state;
    REFUSE(structure);
    REFUSE(values);
    REFUSE(forms);
}

static void test_parts(void **state) {
    (void)state;
    REFUSE(types);
    REFUSE(attributes);
    REFUSE(constants);
}

/* ---- the message ---- */

static void test_excerpt(void **state) {
    (void)state;
    fx_error err = {0};
    static const char text[] = "module {\r\n\t#a = [\x01\xC3\xA9 1 2]\r\n}";
    assert_null(fxi_hlo_parse(text, strlen(text), "dir/a.mlir", &err));
    assert_string_equal(err.message, "dir/a.mlir:2:8: expected an attribute\n"
                                     "   #a = [??? 1 2]\n"
                                     "         ^");
    char line[400]; /* of a long one, what stands around the place */
    memset(line, ' ', sizeof line);
    line[100] = '?';
    assert_null(fxi_hlo_parse(line, sizeof line, NULL, &err));
    assert_non_null(strstr(err.message, "stablehlo:1:101: expected an operation\n"));
    assert_int_equal(strchr(err.message, '^') - strrchr(err.message, '\n'), 2 + 48 + 1);
    assert_null(fxi_hlo_parse("ML\xEFR\1\2", 6, "b", &err));
    assert_string_equal(err.message, "b: MLIR bytecode, which is not read: export the text instead");
    assert_null(fxi_hlo_parse(NULL, 1, "b", &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fxi_hlo_parse("x", 1, "b", NULL));
    fxi_hlo_module *empty = fxi_hlo_parse(NULL, 0, NULL, &err);
    assert_non_null(empty);
    assert_int_equal(empty->n_functions, 0);
    fxi_hlo_free(empty);
    fxi_hlo_free(NULL);
}

/* Every beginning of a program is refused or, where it is whole, read; none is read past its end. */
static void test_beginnings(void **state) {
    (void)state;
    static const char text[] =
        "#a = {x = [1, 2.5, dense<[true, false]> : tensor<2xi1>], y = #stablehlo<precision HIGH>}\n"
        "module @m attributes {a.b = \"c\\22\"} {\n  func.func @f(%a: tensor<2xf32> {x = #a} loc(\"n\")) -> "
        "(tensor<f32>) "
        "{\n    %c = stablehlo.constant dense<0x7F800000> : tensor<f32>\n"
        "    %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : "
        "(tensor<2xf32>, "
        "tensor<f32>) -> tensor<f32> loc(#loc)\n    return %0 : tensor<f32>\n  }\n}\n#loc = loc(unknown)\n";
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = malloc(length + 1); /* of that size, so that a sanitizer sees more */
        memcpy(copy, text, length);
        fx_error err = {0};
        fxi_hlo_module *module = fxi_hlo_parse(copy, length, "t", &err);
        assert_true((module == NULL) == (err.code == FX_ERROR_FILE));
        if (length + 1 == sizeof text) assert_non_null(module);
        fxi_hlo_free(module);
        free(copy);
    }
}

/* ---- depth and size ---- */

/* `times` repetitions between two texts. */
static char *repeated(const char *before, const char *middle, size_t times, const char *after) {
    size_t length = strlen(middle), first = strlen(before);
    char *text = malloc(first + times * length + strlen(after) + 1);
    memcpy(text, before, first);
    for (size_t i = 0; i < times; i++) memcpy(text + first + i * length, middle, length);
    strcpy(text + first + times * length, after);
    return text;
}

static void expect_deep(const char *before, const char *middle, const char *after, const char *message) {
    for (size_t times = 900; times < 2000000; times *= 40) {
        char *text = repeated(before, middle, times, after);
        fx_error err = {0};
        fxi_hlo_module *module = fxi_hlo_parse(text, strlen(text), "t", &err);
        assert_null(module); /* no end of them is closed */
        assert_true((strstr(err.message, message) != NULL) == (times > 1000));
        free(text);
    }
}

static void test_depth(void **state) {
    (void)state;
    expect_deep("#a = ", "[", "", "nest more than 1000 deep");
    expect_deep("#a = ", "{a=", "", "nest more than 1000 deep");
    expect_deep("#a = ", "#stablehlo.x<a=", "", "nest more than 1000 deep");
    expect_deep("#a = ", "tuple<", "", "nest more than 1000 deep");
    expect_deep("#a = ", "(", "", "nest more than 1000 deep");
    expect_deep("#a = ", "()->(", "", "nest more than 1000 deep");
    expect_deep("#a = #x.y<", "(", "", "nest more than 1000 deep");
    expect_deep("func.func @f() {", "\"a\"() ({", "", "nest more than 1000 deep");
    expect_deep("func.func @f() {", "stablehlo.while() cond {", "", "nest more than 1000 deep");
}

/* Much of one thing: read or refused while a quadratic algorithm would still run for hours. */
static void test_size(void **state) {
    (void)state;
    static const struct {
        const char *before, *middle, *after;
        bool good;
    } rows[] = {
        {"", "// a comment\n", "module {}", true},
        {"", "#loc = loc(\"x\")\n", "", false},
        {"#a = [", "1,", "1]", true},
        {"#a = dense<[", "1,", "1]> : tensor<2xi32>", false},
        {"#a = \"", "\\\"", "\"", true},
        {"#a = \"", "\\\"", "", false},
        {"#a = {", "a,", "b}", false},
        {"#t = tuple<", "tensor<2xf32>,", "f32>", true},
        {"func.func @f() {\n", "\"a\"() : () -> ()\n", "return\n}", true},
        {"func.func @f(%a: tensor<2xf32>) {\n",
         "\"a\"(%a) ({\"b.return\"() : () -> ()}) : (tensor<2xf32>) -> ()\n", "return\n}", true},
        {"func.func @f() {\n%0:9 = \"a\"() : () -> (", "f32,", "f32)\nreturn\n}", false},
        {"func.func @f(%a: tensor<2xf32>) {\n\"a\"(", "%a,", "%b) : () -> ()\nreturn\n}", false},
        {"{-# ", "x #", "#-}", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = repeated(rows[i].before, rows[i].middle, 200000, rows[i].after);
        fx_error err = {0};
        fxi_hlo_module *module = fxi_hlo_parse(text, strlen(text), "t", &err);
        if ((module != NULL) != rows[i].good) fail_msg("%s...: %s", rows[i].before, err.message);
        fxi_hlo_free(module);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_structure), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_excerpt),   cmocka_unit_test(test_beginnings),
                                       cmocka_unit_test(test_depth),     cmocka_unit_test(test_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
