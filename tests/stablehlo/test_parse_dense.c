/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of constants in every form and dtype, lists of integers, numbers against the C library's, and
 * functions with all that may stand in them; all of it again with each allocation failing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stablehlo/parse_internal.h"
#include "support/allocations.h"
#include "tree_text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fxi_hlo_module *parse(const char *text) {
    fx_error err = {0};
    fxi_hlo_module *module = fxi_hlo_parse(text, strlen(text), "t", &err);
    if (!module) fail_msg("%s", err.message);
    return module;
}

/* The attribute `x` of a module that has the text for it. */
static const fxi_hlo_attr *attr_of(fxi_hlo_module **module, const char *text) {
    char source[2048];
    snprintf(source, sizeof source, "module attributes {x = %s} {}", text);
    *module = parse(source);
    return fxi_hlo_find(&(*module)->attrs, "x");
}

typedef struct row {
    const char *text, *bytes; /* in hexadecimal */
    bool splat;
} row;

static const row rows[] = {
    {"dense<[1, -2, 0x7F]> : tensor<3xi8>", "01fe7f", false},
    {"dense<255> : tensor<2xi8>", "ffff", true},
    {"dense<[[1], [2]]> : tensor<2x1xui16>", "01000200", false},
    {"dense<18446744073709551615> : tensor<ui64>", "ffffffffffffffff", false},
    {"dense<-9223372036854775808> : tensor<i64>", "0000000000000080", false},
    {"dense<[true, false, 1]> : tensor<3xi1>", "010001", false},
    {"dense<true> : tensor<2xi1>", "0101", true},
    {"dense<> : tensor<0x2xf32>", "", false},
    {"dense<[]> : tensor<0xi8>", "", false},
    {"dense<[[], []]> : tensor<2x0xi8>", "", false},
    {"dense<5> : tensor<0xi8>", "", true},
    {"dense<1> : tensor<0xui2>", "", true},
    {"dense<1.0> : tensor<f32>", "0000803f", false},
    {"dense<[-0.0, 1.5e0]> : tensor<2xbf16>", "0080c03f", false},
    {"dense<0x7FC1> : tensor<2xbf16>", "c17fc17f", true},
    {"dense<0x7F800001> : tensor<f32>", "0100807f", false},
    {"dense<0xFFF0000000000000> : tensor<f64>", "000000000000f0ff", false},
    {"dense<[1.0, 0x7C00]> : tensor<2xf16>", "003c007c", false},
    {"dense<[1.0, 0x7F, -448.0]> : tensor<3xf8E4M3FN>", "387ffe", false},
    {"dense<(1.0, 0x7FC00000)> : tensor<complex<f32>>", "0000803f0000c07f", false},
    {"dense<[(1.0, -2.0)]> : tensor<1xcomplex<f64>>", "000000000000f03f00000000000000c0", false},
    {"dense<[1, -1, 7]> : tensor<3xi4>", "f107", false},
    {"dense<3> : tensor<5xui2>", "ff03", true},
    {"dense<\"0x0100FFFF\"> : tensor<2xi16>", "0100ffff", false},
    {"dense<\"0xABCD\"> : tensor<3xi16>", "abcdabcdabcd", true},
    {"dense<\"0x0000803F000000C0\"> : tensor<complex<f32>>", "0000803f000000c0", false},
    {"dense<\"0x010F\"> : tensor<2xi4>", "f1", false},
    {"dense<\"0x010001\"> : tensor<3xi1>", "010001", false},
    {"dense<\"0x05\"> : tensor<3xi1>", "010001", false},
    {"dense<\"0xFF01\"> : tensor<9xi1>", "010101010101010101", false},
    {"dense<\"0xFF\"> : tensor<9xi1>", "010101010101010101", true},
    {"dense<\"0x\"> : tensor<0xf32>", "", false},
    {"dense<[ // one, > and \"\n 1, // two\n 2\n]> : tensor<2xi8>", "0102", false},
    {"array<f32: 1.0, -2.0>", "0000803f000000c0", false},
    {"array<f16>", "", false},
};

static void test_elements(void **state) {
    (void)state;
    int64_t before = allocations_live();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fxi_hlo_module *module;
        const fxi_hlo_attr *attr = attr_of(&module, rows[i].text);
        fx_error err = {0};
        fx_tensor *tensor = fxi_hlo_dense(module, attr, &err);
        if (!tensor) fail_msg("%s: %s", rows[i].text, err.message);
        char bytes[128] = "";
        for (int64_t k = 0; k < tensor->bytes; k++)
            snprintf(bytes + 2 * k, 3, "%02x", ((const unsigned char *)tensor->data)[k]);
        assert_string_equal(bytes, rows[i].bytes);
        if (fxi_hlo_dense_is_splat(attr) != rows[i].splat) fail_msg("%s", rows[i].text);
        fx_tensor *one = fxi_hlo_dense_splat(module, attr, &err);
        assert_true((one != NULL) == rows[i].splat);
        if (one && tensor->bytes > 0) {
            assert_int_equal(one->shape.rank, 0);
            bool packed = fxi_dtype_is_packed(one->shape.dtype);
            if (!packed) assert_memory_equal(one->data, tensor->data, (size_t)one->bytes);
        }
        fx_tensor_free(one);
        fx_tensor_free(tensor);
        fxi_hlo_free(module);
    }
    assert_int_equal(allocations_live(), before);
}

/* A number for many elements costs nothing until a tensor of them is asked for. */
static void test_large_splat(void **state) {
    (void)state;
    fxi_hlo_module *module;
    fx_error err = {0};
    const fxi_hlo_attr *attr = attr_of(&module, "dense<2.0> : tensor<1000000x1000000xf64>");
    assert_null(fxi_hlo_dense(module, attr, &err));
    assert_int_equal(err.code, FX_ERROR_MEMORY);
    fx_tensor *one = fxi_hlo_dense_splat(module, attr, &err);
    assert_true(*(const double *)one->data == 2.0);
    fx_tensor_free(one);
    fxi_hlo_free(module);
    attr = attr_of(&module, "dense<1.0> : tensor<2xf8E3M4>");
    assert_null(fxi_hlo_dense(module, attr, &err));
    assert_int_equal(err.code, FX_ERROR_UNSUPPORTED);
    fxi_hlo_free(module);
}

static void expect_ints(const char *text, const char *expected) {
    fxi_hlo_module *module;
    const fxi_hlo_attr *attr = attr_of(&module, text);
    fxi_text found = tree_attr_text(module, attr);
    assert_string_equal(found.data, expected);
    fxi_text_free(&found);
    fxi_hlo_free(module);
}

static void expect_no_ints(const char *text) {
    fxi_hlo_module *module;
    fxi_arena arena = {0};
    fx_error err = {0};
    fx_dims ints;
    const fxi_hlo_attr *attr = attr_of(&module, text);
    assert_false(fxi_hlo_ints(module, attr, &arena, &ints, &err));
    assert_int_equal(err.code, FX_ERROR_FILE);
    fxi_hlo_free(module);
    fxi_arena_free(&arena);
}

static void test_ints(void **state) {
    (void)state;
    expect_ints("[1, -2]", "[1, -2]");
    expect_ints("[]", "[]");
    expect_ints("array<i32: 3, 4>", "[3, 4]");
    expect_ints("array<i1: true, false>", "[1, 0]");
    expect_ints("dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>", "[1, 2, 3, 4]");
    expect_ints("dense<7> : tensor<3xi64>", "[7, 7, 7]");
    expect_ints("dense<7> : tensor<0xi64>", "[]");
    expect_ints("dense<\"0x0100000002000000\"> : tensor<2xi32>", "[1, 2]");
    expect_no_ints("[1, 2.0]");
    expect_no_ints("dense<1.0> : tensor<2xf32>");
    expect_no_ints("dense<1> : tensor<2000000xi64>");
    expect_no_ints("1");
}

/* ---- numbers ---- */

static void expect_number(const char *text) {
    double found, wanted = strtod(text, NULL);
    assert_true(fxi_mlir_number_double((fxi_hlo_span){text, strlen(text)}, &found));
    if (memcmp(&found, &wanted, sizeof found) != 0) fail_msg("%s: %.17g, not %.17g", text, found, wanted);
}

static void test_numbers(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0.0",
        "-0.0",
        "1.",
        "1.e3",
        "00012.50",
        "9007199254740993.0",
        "1.0e22",
        "1.0e23",
        "4.9e-324",
        "2.4703282292062327e-324",
        "1.7976931348623157e308",
        "0.000000000000000000000000000000000000000000000000000012345678901234567890",
        "123456789012345678901234567890.0",
        "1.0e-400",
        "8.5e+2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) expect_number(texts[i]);
    uint64_t state_of = 1;
    for (int i = 0; i < 100000; i++) {
        char text[64];
        double value;
        state_of = fxi_hash_u64(state_of, 7);
        memcpy(&value, &state_of, sizeof value);
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, "%.*e", i % 18, value);
        double limit = strtod(text, NULL);
        if (strchr(text, '.') && isfinite(limit)) expect_number(text);
        snprintf(text, sizeof text, "%.*f", i % 12 + 1, ldexp((double)(state_of % 100000), -(i % 17)));
        expect_number(text);
    }
    double value;
    assert_false(fxi_mlir_number_double((fxi_hlo_span){"1.0e309", 7}, &value));
}

/* ---- functions, modules, places ---- */

static const char program[] =
    "// before\r\n"
    "#alias = {n = 1 : i32, b = true}\n"
    "!t = tensor<2xf32>\n"
    "module @m attributes {mhlo.num_partitions = 1 : i32, d = #alias, \"quoted name\", s = \"a\\22\\n\"} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%arg0: !t {jax.x, mhlo.y = #mhlo<z>} loc(\"first\"), %arg1: !t loc(#loc2))\n"
    "      -> (tensor<2xf32> {jax.result_info = \"r\"}, !t) attributes {a = [1, [2, #x<(y)>], @f]} {\n"
    "    %0:2 = call @f(%arg0, %arg1) : (!t, !t) -> (!t, !t) loc(#loc)\n"
    "    %1 = sdy.sharding_constraint %0#1 <@mesh, [{\"x\"}]> : !t\n"
    "    %2 = other.op %1 [%arg0] -> %0#0 : !t, !t -> !t\n"
    "    return %0#0, %2 : !t, !t\n"
    "  } loc(#loc)\n"
    "  func.func private @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
    "    return %y, %x : tensor<2xf32>, tensor<2xf32>\n"
    "  }\n"
    "  func.func private @external(tensor<2xf32> {u}, i32) -> !t\n"
    "} loc(#loc)\n"
    "#loc = loc(unknown)\n"
    "#loc2 = loc(\"second\"(#loc))\n";

/* The same, as the generic printer would have it. */
static const char generic_program[] =
    "\"builtin.module\"() <{sym_name = \"m\"}> ({\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  \"func.func\"() <{arg_attrs = [{jax.x, mhlo.y = #mhlo<z>}, {}], function_type = (tensor<2xf32>, "
    "tensor<2xf32>)"
    " -> (tensor<2xf32>, tensor<2xf32>), res_attrs = [{jax.result_info = \"r\"}, {}], sym_name = \"main\", "
    "sym_visibility = \"public\"}> ({\n"
    "  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):\n"
    "    %0:2 = \"func.call\"(%a, %b) <{callee = @f}> : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, "
    "tensor<2xf32>)\n"
    "    %1 = sdy.sharding_constraint %0#1 <@mesh, [{\"x\"}]> : tensor<2xf32>\n"
    "    %2 = other.op %1 [%arg0] -> %0#0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>\n"
    "    \"func.return\"(%0#0, %2) : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
    "  }) {a = [1, [2, #x<(y)>], @f]} : () -> ()\n"
    "  \"func.func\"() <{function_type = (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>), "
    "sym_name = "
    "\"f\", sym_visibility = \"private\"}> ({\n"
    "  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):\n"
    "    \"func.return\"(%b, %a) : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
    "  }) : () -> ()\n"
    "  \"func.func\"() <{arg_attrs = [{u}, {}], function_type = (tensor<2xf32>, i32) -> tensor<2xf32>, "
    "sym_name = "
    "\"external\", sym_visibility = \"private\"}> ({\n  }) : () -> ()\n"
    "}) {mhlo.num_partitions = 1 : i32, d = {n = 1, b = true}, \"quoted name\", s = \"a\\\"\\0A\"} : () -> "
    "()\n";

static void expect_span(fxi_hlo_span found, const char *expected) {
    if (!fxi_hlo_span_is(found, expected)) fail_msg("%.*s, not %s", FXI_HLO_TEXT(found), expected);
}

static void test_program(void **state) {
    (void)state;
    fxi_hlo_module *module = parse(program), *other = parse(generic_program);
    fxi_text text = tree_text(module), same = tree_text(other);
    assert_string_equal(text.data, same.data);
    fxi_text_free(&text);
    fxi_text_free(&same);
    fxi_hlo_free(other);

    expect_span(module->name, "m");
    assert_int_equal(module->n_others, 1);
    assert_int_equal(module->n_functions, 3);
    const fxi_hlo_function *f = module->functions[0];
    assert_ptr_equal(fxi_hlo_find_function(module, (fxi_hlo_span){"main", 4}), f);
    assert_null(fxi_hlo_find_function(module, (fxi_hlo_span){"mai", 3}));
    assert_false(f->is_private);
    assert_true(module->functions[2]->is_private && module->functions[2]->is_declaration);
    assert_int_equal(module->functions[2]->body->n_arguments, 2);
    assert_int_equal(f->n_values, 6);
    assert_int_equal(f->place.line, 6);
    assert_int_equal(f->place.column, 3);
    const fxi_hlo_op *call = f->body->ops[0];
    assert_int_equal(call->place.line, 8);
    assert_int_equal(call->place.column, 12);
    expect_span(call->name, "func.call");
    expect_span(call->results[1]->name, "0");
    expect_span(fxi_hlo_location_name(module, f->body->arguments[0]->location), "first");
    expect_span(fxi_hlo_location_name(module, f->body->arguments[1]->location), "second");
    expect_span(fxi_hlo_location_name(module, call->location), "");
    expect_span(fxi_hlo_location_name(module, (fxi_hlo_span){"\"a.c\":1:2", 9}), "");
    assert_ptr_equal(call->results[0]->type, f->body->arguments[0]->type);
    fxi_hlo_free(module);
}

/* ---- a lack of memory ---- */

static bool read_all(fx_error *err) {
    fxi_hlo_module *module = fxi_hlo_parse(program, strlen(program), "t", err);
    if (!module) return false;
    fxi_hlo_free(module);
    static const char text[] =
        "#a = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q = [dense<[1, -1]> : "
        "tensor<2xi4>, array<f32: 1.0, 2.0>], r = \"\\22\"}\nmodule attributes {x = #a} {}";
    module = fxi_hlo_parse(text, strlen(text), "t", err);
    if (!module) return false;
    const fxi_hlo_attr *a = fxi_hlo_find(&module->attrs, "x"), *q = fxi_hlo_find(&a->u.dict, "q");
    fxi_arena arena = {0};
    fx_dims ints;
    fx_tensor *tensor = fxi_hlo_dense(module, q->u.list.v[0], err);
    bool ok = tensor && fxi_hlo_ints(module, q->u.list.v[0], &arena, &ints, err);
    fx_tensor_free(tensor);
    fxi_arena_free(&arena);
    fxi_hlo_free(module);
    return ok;
}

static void test_memory(void **state) {
    (void)state;
    int64_t before = allocations_live(), failures = 0;
    for (int64_t n = 0;; n++) {
        fx_error err = {0};
        allocations_fail(n, n % 2);
        bool ok = read_all(&err), failed = allocations_failed();
        allocations_fail(-1, false);
        assert_int_equal(allocations_live(), before);
        if (!ok) assert_int_equal(err.code, FX_ERROR_MEMORY);
        assert_true(ok || failed);
        failures += !ok;
        if (!failed) break;
    }
    assert_true(failures > 20);
}

int main(void) {
    if (!allocations_install()) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elements), cmocka_unit_test(test_large_splat),
                                       cmocka_unit_test(test_ints),     cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_program),  cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
