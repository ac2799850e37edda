/* SPDX-License-Identifier: Apache-2.0 */
/* The text of sharded graphs: meshes, attributes of arguments and results, constraints, and which donated
 * argument a result may overwrite. */
#include "support/graph_helpers.h"
#include "stablehlo/write.h"
#include <fluxion.h>
#include <string.h>

static const int64_t crossed[] = {7, 3, 5, 9};
static const fx_mesh counted = {.names = {"data", "model"}, .sizes = {2, 2}},
                     listed = {.names = {"x"}, .sizes = {4}, .devices = {crossed, 4}},
                     other = {.names = {"x", "y"}, .sizes = {4, 1}, .devices = {crossed, 4}};

static void expect_text(fx_graph *g, fx_nodes outputs, const bool *donated, const char *expected) {
    fxi_text text = {0};
    assert_true(fx_graph_finish(g, outputs, FX_MUST));
    assert_true(fxi_stablehlo_text(g, &(fxi_stablehlo_options){.no_locations = true, .donated = donated},
                                   &text, FX_MUST));
    assert_string_equal(text.data, expected);
    fxi_text_free(&text);
    fx_graph_free(g);
}

/* A dimension that is open inside the program is closed where arguments come and results go. */
static void test_whole(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 4, 2)), *s = parameter(g, FX_SHAPE(FX_F32));
    fx_node *y = fx_shard(fx_exp(fx_shard(x, FX_SHARDING(&counted, "data,?", "?"))),
                          FX_SHARDING(&counted, "data,model"));
    const bool donated[] = {true, true};
    expect_text(
        g, FX_NODES(y, s), donated,
        "module @fluxion {\n"
        "  \"sdy.mesh\"() <{mesh = #sdy.mesh<[\"data\"=2, \"model\"=2]>, sym_name = \"mesh0\"}> : () -> ()\n"
        "  func.func public @main(%0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh0, [{\"data\"}, "
        "{}]>}, %1: tensor<f32> {tf.aliasing_output = 1 : i32, sdy.sharding = #sdy.sharding<@mesh0, []>})"
        " -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh0, [{\"data\", \"model\"}, {}]>}, "
        "tensor<f32> {sdy.sharding = #sdy.sharding<@mesh0, []>}) {\n"
        "    %2 = \"sdy.sharding_constraint\"(%0) <{sharding = #sdy.sharding<@mesh0, [{\"data\", ?}, "
        "{?}]>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
        "    %3 = \"stablehlo.exponential\"(%2) : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
        "    %4 = \"sdy.sharding_constraint\"(%3) <{sharding = #sdy.sharding<@mesh0, [{\"data\", "
        "\"model\"}, {}]>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
        "    \"func.return\"(%4, %1) : (tensor<4x2xf32>, tensor<f32>) -> ()\n"
        "  }\n"
        "}\n");
}

/* Devices 3, 5, 7, 9 run partitions 0 to 3. */
static void test_listed_devices(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = fx_shard(parameter(g, FX_SHAPE(FX_S32, 4)), FX_SHARDING(&listed, "x"));
    const bool donated[] = {true};
    expect_text(
        g, FX_NODES(fx_shard(x, FX_SHARDING(&other, "y,x"))), donated,
        "module @fluxion {\n"
        "  \"sdy.mesh\"() <{mesh = #sdy.mesh<[\"x\"=4], device_ids=[2, 0, 1, 3]>, sym_name = \"mesh0\"}> : "
        "() -> ()\n"
        "  \"sdy.mesh\"() <{mesh = #sdy.mesh<[\"x\"=4, \"y\"=1], device_ids=[2, 0, 1, 3]>, sym_name = "
        "\"mesh1\"}> : () -> ()\n"
        "  func.func public @main(%0: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh0, [{\"x\"}]>}) -> "
        "(tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh1, [{\"y\", \"x\"}]>}) {\n"
        "    %1 = \"sdy.sharding_constraint\"(%0) <{sharding = #sdy.sharding<@mesh0, [{\"x\"}]>}> : "
        "(tensor<4xi32>) -> tensor<4xi32>\n"
        "    %2 = \"sdy.sharding_constraint\"(%1) <{sharding = #sdy.sharding<@mesh1, [{\"y\", \"x\"}]>}> : "
        "(tensor<4xi32>) -> tensor<4xi32>\n"
        "    \"func.return\"(%2) : (tensor<4xi32>) -> ()\n"
        "  }\n"
        "}\n");
}

static void test_device_numbers(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *r = fx_replica_id(g), *p = fx_partition_id(g);
    expect_text(g, FX_NODES(r, p), NULL,
                "module @fluxion {\n"
                "  func.func public @main() -> (tensor<ui32>, tensor<ui32>) {\n"
                "    %0 = \"stablehlo.replica_id\"() : () -> tensor<ui32>\n"
                "    %1 = \"stablehlo.partition_id\"() : () -> tensor<ui32>\n"
                "    \"func.return\"(%0, %1) : (tensor<ui32>, tensor<ui32>) -> ()\n"
                "  }\n"
                "}\n");
}

static void test_other_devices(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fxi_text text = {0};
    fx_error err = {.code = FX_OK};
    fx_node *x = fx_shard(parameter(g, FX_SHAPE(FX_S32, 4)), FX_SHARDING(&listed, "x"));
    assert_true(fx_graph_finish(g, FX_NODES(fx_shard(x, FX_SHARDING(&counted, "data"))), FX_MUST));
    assert_false(fxi_stablehlo_text(g, NULL, &text, &err));
    assert_int_equal(err.code, FX_ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "the meshes of a program have the same devices"));
    fxi_text_free(&text);
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_listed_devices),
                                       cmocka_unit_test(test_device_numbers),
                                       cmocka_unit_test(test_other_devices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
