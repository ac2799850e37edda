/* SPDX-License-Identifier: Apache-2.0 */
/* What a module tells of its functions; checks, counted through calls and run; modules as parts of graphs of one's own; wrong
 * arguments; many threads on one module. */
#include "exec/both.h"
#include "graph/graph.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char text[] =
    "#loc1 = loc(\"params['w']\")\n"
    "module @jit_step attributes {mhlo.num_partitions = 1 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%arg0: tensor<2xf32> {tf.aliasing_output = 1 : i32} loc(\"params['w']\"),\n"
    "                         %arg1: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, %x: tensor<0x3xi64>)\n"
    "      -> (tensor<f32> {jax.result_info = \"result[0]\"}, tensor<2xf32>) {\n"
    "    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
    "    %1 = stablehlo.multiply %arg0, %0 : tensor<2xf32>\n"
    "    %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [0] :"
    " (tensor<2xf32>, tensor<f32>) -> tensor<f32>\n"
    "    return %2, %1 : tensor<f32>, tensor<2xf32>\n"
    "  }\n"
    "  func.func private @helper(%arg0: tuple<tensor<f32>, tensor<2xi32>>, %arg1: !stablehlo.token, %arg2: tensor<?xf32>) ->"
    " (!stablehlo.token, tensor<?xf32>) {\n"
    "    return %arg1, %arg2 : !stablehlo.token, tensor<?xf32>\n"
    "  }\n"
    "}\n";

static const char checks[] =
    "func.func public @main() {\n"
    "  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
    "  %b = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf32>\n"
    "  func.call @two(%a) : (tensor<2xf32>) -> ()\n"
    "  check.expect_almost_eq %a, %b, tolerance = 0.5 : tensor<2xf32>\n"
    "  func.call @two(%b) : (tensor<2xf32>) -> ()\n"
    "  stablehlo.custom_call @check.expect_close(%b, %a) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
    "  func.return\n"
    "}\n"
    "func.func private @two(%x: tensor<2xf32>) {\n"
    "  check.expect_eq_const %x, dense<[3.0, 4.0]> : tensor<2xf32>\n"
    "  check.expect_close %x, %x, max_ulp_difference = 7, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>\n"
    "  func.return\n"
    "}\n";

static fx_module *parse(const char *source) {
    fx_error err = {.code = FX_OK};
    fx_module *module = fx_module_parse(source, strlen(source), NULL, &err);
    if (!module) fail_msg("%s", err.message);
    return module;
}

static void test_functions(void **state) {
    (void)state;
    fx_module *m = parse(text);
    assert_int_equal(fx_module_function_count(m), 2);
    assert_string_equal(fx_module_function_name(m, 0), "main");
    assert_string_equal(fx_module_function_name(m, 1), "helper");
    assert_null(fx_module_function_name(m, 2));
    assert_true(fx_module_function_is_public(m, 0) && !fx_module_function_is_public(m, 1));
    assert_int_equal(fx_module_find(m, "helper"), 1);
    assert_int_equal(fx_module_find(m, "main"), 0);
    assert_int_equal(fx_module_find(m, "mai"), -1);
    assert_int_equal(fx_module_find(m, NULL), 0);
    fx_module_free(m);
    m = parse("func.func private @a() { return }\nfunc.func @b() { return }\nfunc.func private @c() { return }\n");
    assert_int_equal(fx_module_find(m, NULL), 1); /* the only public one */
    fx_module_free(m);
    m = parse("func.func @a() { return }\nfunc.func @b() { return }\n");
    assert_int_equal(fx_module_find(m, NULL), -1); /* which? */
    fx_module_free(m);
}

static void test_ports(void **state) {
    (void)state;
    fx_module *m = parse(text);
    assert_int_equal(fx_module_input_count(m, 0), 3);
    assert_int_equal(fx_module_output_count(m, 0), 2);
    assert_string_equal(fx_shape_to_text(fx_module_input_shape(m, 0, 2)).s, "(int64)[0, 3]");
    assert_string_equal(fx_shape_to_text(fx_module_output_shape(m, 0, 1)).s, "(float32)[2]");
    assert_string_equal(fx_module_input_name(m, 0, 0), "params['w']");
    assert_string_equal(fx_module_input_name(m, 0, 1), "arg1");
    assert_string_equal(fx_module_input_name(m, 0, 2), "x");
    assert_string_equal(fx_module_output_name(m, 0, 0), "result[0]");
    assert_string_equal(fx_module_output_name(m, 0, 1), "out1");
    assert_int_equal(fx_module_input_alias(m, 0, 0), 1);
    assert_int_equal(fx_module_input_alias(m, 0, 1), -1);
    assert_null(fx_module_input_sharding(m, 0, 0));
    assert_non_null(strstr(fx_module_input_sharding(m, 0, 1), "@mesh, [{\"x\"}]"));
    /* a tuple counts with its parts, a token not at all, an open dimension has no shape */
    assert_int_equal(fx_module_input_count(m, 1), 3);
    assert_int_equal(fx_module_output_count(m, 1), 1);
    assert_string_equal(fx_shape_to_text(fx_module_input_shape(m, 1, 1)).s, "(int32)[2]");
    assert_null(fx_module_input_shape(m, 1, 2));
    assert_null(fx_module_output_shape(m, 1, 0));
    assert_null(fx_module_input_shape(m, 0, 3));
    assert_null(fx_module_input_name(m, 2, 0));
    assert_null(fx_module_output_name(m, 0, 2));
    assert_null(fx_module_input_sharding(m, 0, 3));
    assert_int_equal(fx_module_input_alias(m, 0, 3), -1);
    fx_module_free(m);
}

static void test_null(void **state) {
    (void)state;
    fx_error err = {.code = FX_OK};
    assert_null(fx_module_parse(NULL, 0, NULL, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "NULL");
    assert_null(fx_module_read(NULL, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "NULL");
    assert_null(fx_module_read("/nonexistent/x.mlir", &err));
    assert_failed(err, FX_ERROR_FILE, "/nonexistent/x.mlir: No such file");
    assert_null(fx_module_read("/", &err));
    assert_failed(err, FX_ERROR_FILE, "/: ");
    fx_module_free(NULL);
    assert_int_equal(fx_module_function_count(NULL), 0);
    assert_null(fx_module_function_name(NULL, 0));
    assert_false(fx_module_function_is_public(NULL, 0));
    assert_int_equal(fx_module_find(NULL, "main"), -1);
    assert_int_equal(fx_module_input_count(NULL, 0), 0);
    assert_int_equal(fx_module_output_count(NULL, 0), 0);
    assert_null(fx_module_input_shape(NULL, 0, 0));
    assert_null(fx_module_output_shape(NULL, 0, 0));
    assert_null(fx_module_input_name(NULL, 0, 0));
    assert_null(fx_module_output_name(NULL, 0, 0));
    assert_int_equal(fx_module_input_alias(NULL, 0, 0), -1);
    assert_null(fx_module_input_sharding(NULL, 0, 0));
    assert_int_equal(fx_module_check_count(NULL, 0), 0);
    fx_check check;
    assert_false(fx_module_check(NULL, 0, 0, &check));
    fx_backend *backend = fx_backend_open("interp", FX_MUST);
    assert_null(fx_exec_new_module(backend, NULL, 0, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "the module is NULL");
    fx_module *m = parse(text);
    assert_null(fx_exec_new_module(NULL, m, 0, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "backend is NULL");
    assert_null(fx_exec_new_module(backend, m, 2, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "there is no function 2");
    assert_null(fx_exec_new_checks(backend, m, 0, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "@main has no checks");
    assert_false(fx_module_check(m, 0, 0, &check));
    fx_module_free(m);
    fx_backend_close(backend);
}

/* ---- checks ---- */

static void test_check_list(void **state) {
    (void)state;
    fx_module *m = parse(checks);
    static const fx_check wanted[] = {
        {.kind = FX_CHECK_EQ, .line = 11},       {.kind = FX_CHECK_CLOSE, .min_ulp = 1, .max_ulp = 7, .line = 12},
        {.kind = FX_CHECK_ALMOST_EQ, .tolerance = 0.5, .line = 5},
        {.kind = FX_CHECK_EQ, .line = 11},       {.kind = FX_CHECK_CLOSE, .min_ulp = 1, .max_ulp = 7, .line = 12},
        {.kind = FX_CHECK_CLOSE, .max_ulp = 3, .line = 7}};
    assert_int_equal(fx_module_check_count(m, 0), COUNT_OF(wanted));
    assert_int_equal(fx_module_check_count(m, 1), 2);
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        fx_check got;
        assert_true(fx_module_check(m, 0, i, &got));
        assert_int_equal(got.kind, wanted[i].kind);
        assert_true(got.tolerance == wanted[i].tolerance);
        assert_int_equal(got.min_ulp, wanted[i].min_ulp);
        assert_int_equal(got.max_ulp, wanted[i].max_ulp);
        assert_int_equal(got.line, wanted[i].line);
    }
    fx_check none;
    assert_false(fx_module_check(m, 0, COUNT_OF(wanted), &none));
    assert_false(fx_module_check(m, 0, 0, NULL));
    fx_module_free(m);
}

/* Functions that call the one before twice: 2^i checks, up to more than can be counted. */
static void test_too_many_checks(void **state) {
    fx_backend *backend = open_named(state);
    enum { FUNCTIONS = 71 };
    static char many[FUNCTIONS * 120 + 200];
    int at = snprintf(many, sizeof many, "func.func @f0() { %%0 = stablehlo.constant dense<1> : tensor<i32>\n"
                                         "check.expect_eq_const %%0, dense<1> : tensor<i32>\nreturn }\n");
    for (int i = 1; i < FUNCTIONS; i++)
        at += snprintf(many + at, sizeof many - (size_t)at,
                       "func.func @f%d() { call @f%d() : () -> () call @f%d() : () -> () return }\n", i, i - 1, i - 1);
    fx_module *m = parse(many);
    assert_int_equal(fx_module_check_count(m, 20), FX_MOST_CHECKS);
    assert_int_equal(fx_module_check_count(m, 21), 2 * FX_MOST_CHECKS);
    assert_true(fx_module_check_count(m, 70) == SIZE_MAX);
    for (size_t i = 21; i < FUNCTIONS; i += 49) {
        fx_error err = {.code = FX_OK};
        assert_null(fx_exec_new_checks(backend, m, i, &err));
        assert_failed(err, FX_ERROR_UNSUPPORTED, "makes more than 1048576 checks");
    }
    fx_check check;
    assert_true(fx_module_check(m, 70, SIZE_MAX / 2, &check));
    fx_module_free(m);
    fx_backend_close(backend);
}

static void test_check_values(void **state) {
    fx_backend *backend = open_named(state);
    fx_module *m = parse(checks);
    fx_exec *exec = fx_exec_new_checks(backend, m, 0, FX_MUST);
    fx_module_free(m);
    static const char *const wanted[] = {"[2]float32{1, 2}",   "[2]float32{3, 4}",   "[2]float32{1, 2}",   "[2]float32{1, 2}",
                                         "[2]float32{1, 2}",   "[2]float32{1, 2.5}", "[2]float32{1, 2.5}", "[2]float32{3, 4}",
                                         "[2]float32{1, 2.5}", "[2]float32{1, 2.5}", "[2]float32{1, 2.5}", "[2]float32{1, 2}"};
    fx_tensor *out[COUNT_OF(wanted)];
    assert_true(fx_exec_call(exec, NULL, 0, out, COUNT_OF(wanted), FX_MUST));
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        assert_text(out[i], wanted[i]);
        fx_tensor_free(out[i]);
    }
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- in a graph of one's own ---- */

static void test_call(void **state) {
    (void)state;
    fx_module *m = parse(text);
    fx_graph *graph = fx_graph_new(FX_MUST), *other = fx_graph_new(FX_MUST);
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 2), FX_SHAPE(FX_F32), FX_SHAPE(FX_S64, 0, 3)};
    fx_node *in[3], *out[2], *foreign = fx_parameter(other, &shapes[1]);
    for (int i = 0; i < 3; i++) in[i] = fx_parameter(graph, &shapes[i]);
    assert_true(fx_module_call(m, 0, graph, in, 3, out, 2, FX_MUST));
    assert_true(fx_module_call(m, 0, graph, in, 3, out, 2, FX_MUST)); /* twice is fine */
    fx_node *gradient[1];
    fx_gradient(out[0], FX_NODES(in[1]), gradient); /* they are nodes like any others */
    fx_error err = {.code = FX_OK};
    if (fx_graph_error(graph, &err)) fail_msg("%s", err.message);
    fx_graph_free(graph);

    static const struct {
        size_t function, n_in, n_out;
        fx_error_code code;
        const char *part;
    } wrong[] = {
        {2, 3, 2, FX_ERROR_ARGUMENT, "function 2 of 2"},
        {0, 2, 2, FX_ERROR_ARGUMENT, "@main: 2 inputs instead of 3"},
        {0, 3, 1, FX_ERROR_ARGUMENT, "@main: 1 outputs instead of 2"},
        {1, 3, 1, FX_ERROR_SHAPE, "@helper: input 0, arg0, is (float32)[2] instead of (float32)"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        graph = fx_graph_new(FX_MUST);
        for (int k = 0; k < 3; k++) in[k] = fx_parameter(graph, &shapes[k]);
        assert_false(fx_module_call(m, wrong[i].function, graph, in, wrong[i].n_in, out, wrong[i].n_out, &err));
        assert_failed(err, wrong[i].code, wrong[i].part);
        assert_false(fx_graph_finish(graph, FX_NODES(in[0]), &err)); /* the graph remembers */
        assert_failed(err, wrong[i].code, wrong[i].part);
        fx_graph_free(graph);
    }
    graph = fx_graph_new(FX_MUST);
    for (int k = 0; k < 3; k++) in[k] = fx_parameter(graph, &shapes[k]);
    in[1] = foreign;
    assert_false(fx_module_call(m, 0, graph, in, 3, out, 2, &err));
    assert_failed(err, FX_ERROR_GRAPH, "input 1, arg1, is a node of another graph");
    assert_false(fx_module_call(m, 0, NULL, in, 3, out, 2, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "the graph is NULL");
    fx_graph_free(graph);
    graph = fx_graph_new(FX_MUST);
    assert_false(fx_module_call(m, 0, graph, NULL, 3, out, 2, &err));
    assert_failed(err, FX_ERROR_ARGUMENT, "the inputs are NULL");
    fx_graph_free(graph);
    graph = fx_graph_new(FX_MUST);
    for (int k = 0; k < 3; k++) in[k] = fx_parameter(graph, &shapes[k]);
    assert_true(fx_graph_finish(graph, FX_NODES(in[0]), FX_MUST));
    assert_false(fx_module_call(m, 0, graph, in, 3, out, 2, &err));
    assert_failed(err, FX_ERROR_GRAPH, "finished");
    fx_graph_free(graph);
    fx_graph_free(other);
    fx_module_free(m);
}

/* An executable takes the shapes that are written, and no others; the place of what is wrong is in the message. */
static void test_exec(void **state) {
    fx_backend *backend = open_named(state);
    fx_module *m = parse(text);
    fx_exec *exec = fx_exec_new_module(backend, m, 0, FX_MUST);
    fx_module_free(m);
    fx_tensor *w = fx_tensor_from(FX_HOST(((float[]){3, 4}), 2), FX_MUST);
    fx_tensor *empty = fx_tensor_new(&FX_SHAPE(FX_S64, 0, 3), FX_MUST), *out[2];
    fx_arg args[] = {FX_ARG(w), FX_ARG(2.0F), FX_ARG(empty)};
    assert_true(fx_exec_call(exec, args, 3, out, 2, FX_MUST));
    assert_text(out[0], "float32(14)");
    assert_text(out[1], "[2]float32{6, 8}");
    fx_tensor_free(out[0]), fx_tensor_free(out[1]);
    fx_error err = {.code = FX_OK};
    args[1] = FX_ARG(w);
    assert_false(fx_exec_call(exec, args, 3, out, 2, &err));
    assert_failed(err, FX_ERROR_SHAPE, "@main: input 1, arg1, is (float32)[2] instead of (float32)");
    fx_tensor_free(w), fx_tensor_free(empty);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- files, threads ---- */

static void test_file(void **state) {
    (void)state;
    char path[] = "/tmp/fluxion-module-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    for (int i = 0; i < 5000; i++) fprintf(file, "// a comment that makes the file longer than one read\n");
    fputs(checks, file);
    fclose(file);
    fx_module *m = fx_module_read(path, FX_MUST);
    fx_check check;
    assert_true(fx_module_check(m, 0, 5, &check));
    assert_int_equal(check.line, 5007);
    fx_module_free(m);
    file = fopen(path, "w");
    fputs("func.func @f( {", file);
    fclose(file);
    fx_error err = {.code = FX_OK};
    assert_null(fx_module_read(path, &err));
    assert_failed(err, FX_ERROR_FILE, path);
    unlink(path);
}

static void *run_many(void *user) {
    fx_module *m = user;
    for (int i = 0; i < 20; i++) {
        fx_graph *graph = fx_graph_new(FX_MUST);
        const fx_shape shapes[] = {FX_SHAPE(FX_F32, 2), FX_SHAPE(FX_F32), FX_SHAPE(FX_S64, 0, 3)};
        fx_node *in[3], *out[2];
        for (int k = 0; k < 3; k++) in[k] = fx_parameter(graph, &shapes[k]);
        bool ok = fx_module_call(m, 0, graph, in, 3, out, 2, NULL);
        fx_graph_free(graph);
        if (!ok) return "failed";
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    fx_module *m = parse(text);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, run_many, m), 0);
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    fx_module_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),   cmocka_unit_test(test_ports), cmocka_unit_test(test_null),
        cmocka_unit_test(test_check_list),  BOTH(test_check_values),      cmocka_unit_test(test_call),
        BOTH(test_exec),                    BOTH(test_too_many_checks), cmocka_unit_test(test_file),  cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
