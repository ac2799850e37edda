/* SPDX-License-Identifier: Apache-2.0 */
/* The text of small graphs, whole: module, parameters, constants, places, aliases, and what cannot be said.
 * */
#include "support/graph_helpers.h"
#include "stablehlo/lower.h"
#include "stablehlo/write.h"
#include <string.h>

/* Finishes the graph, compares its text, frees it. */
static void expect_text(fx_graph *g, fx_node *out, const fxi_stablehlo_options *options,
                        const char *expected) {
    fxi_text text = {0};
    assert_true(fx_graph_finish(g, FX_NODES(out), FX_MUST));
    assert_true(fxi_stablehlo_text(g, options, &text, FX_MUST));
    assert_string_equal(text.data, expected);
    fxi_text_free(&text);
    fx_graph_free(g);
}

static void test_module(void **state) {
    (void)state;
    fx_graph *g = fx_graph_new(FX_MUST);
    const fx_shape shape = {.dtype = FX_F32, .rank = 2, .dims = {2, 3}};
    fx_node *x = fx_parameter(g, &shape), *y = fx_parameter(g, &shape);
    fx_node *out = fx_at((fx_sub)(fx_at((fx_exp)(x), "a.c", 3), y), "a\"b.c", 4);
    expect_text(
        g, out, NULL,
        "module @fluxion {\n"
        "  func.func public @main(%0: tensor<2x3xf32>, %1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {\n"
        "    %2 = \"stablehlo.exponential\"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc(\"a.c\":3:0)\n"
        "    %3 = \"stablehlo.subtract\"(%2, %1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"
        " loc(\"a\\22b.c\":4:0)\n"
        "    \"func.return\"(%3) : (tensor<2x3xf32>) -> ()\n"
        "  }\n"
        "}\n");
}

static void test_aliases(void **state) {
    (void)state;
    fx_graph *g = fx_graph_new(FX_MUST);
    const fx_shape shape = {.dtype = FX_S32};
    fx_node *x = fx_parameter(g, &shape), *y = fx_parameter(g, &shape);
    const bool donated[] = {false, true};
    expect_text(g, fx_add(x, y), &(fxi_stablehlo_options){.no_locations = true, .donated = donated},
                "module @fluxion {\n"
                "  func.func public @main(%0: tensor<i32>, %1: tensor<i32> {tf.aliasing_output = 0 : i32})"
                " -> (tensor<i32>) {\n"
                "    %2 = \"stablehlo.add\"(%0, %1) : (tensor<i32>, tensor<i32>) -> tensor<i32>\n"
                "    \"func.return\"(%2) : (tensor<i32>) -> ()\n"
                "  }\n"
                "}\n");
}

static void expect_constant(fx_host host, const char *expected) {
    fxi_text text = {0};
    fx_tensor *t = fx_tensor_from(host, FX_MUST);
    fxi_write_elements(&text, t);
    assert_string_equal(text.data, expected);
    fxi_text_free(&text);
    fx_tensor_free(t);
}

static void test_constants(void **state) {
    (void)state;
    const double f[2][2] = {{0.1, -0.0}, {1.0 / 0.0, 1e300}};
    const float same[] = {2.5F, 2.5F, 2.5F};
    const bool b[] = {true, false, true};
    const int8_t i[] = {-128, 127};
    const uint64_t u[] = {UINT64_MAX, 0};
    expect_constant(FX_HOST(&f[0][0], 2, 2), "dense<[[1.0e-01, -0.0e+00], [0x7FF0000000000000, 1.0e+300]]>"
                                             " : tensor<2x2xf64>");
    expect_constant(FX_HOST(same, 3), "dense<2.5e+00> : tensor<3xf32>");
    expect_constant(FX_HOST(b, 3), "dense<[true, false, true]> : tensor<3xi1>");
    expect_constant(FX_HOST(i, 2), "dense<[-128, 127]> : tensor<2xi8>");
    expect_constant(FX_HOST(u, 1, 2), "dense<[[18446744073709551615, 0]]> : tensor<1x2xui64>");
    expect_constant(FX_HOST(u, 0, 2), "dense<> : tensor<0x2xui64>");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_module),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
