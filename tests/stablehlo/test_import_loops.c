/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse mode through loops of programs that were read: those that count, in the form in which exporters
 * write scans and loops of a fixed number of rounds, against differences of their values; the numbers of
 * rounds themselves against what a run counts; and the refusal of loops that end by what they computed. */
#include "support/derivatives.h"
#include "support/run_graph.h"
#include <stdio.h>

#define LESS(result, x, y)                                                                                   \
    "    " result " = stablehlo.compare LT, " x ", " y                                                       \
    ", SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"                                                  \
    "    stablehlo.return " result " : tensor<i1>\n"
#define CONSTANT(name, value) "  " name " = stablehlo.constant dense<" value "> : tensor<i32>\n"
#define HELPERS                                                                                              \
    "func.func private @row(%x: tensor<4x3xf64>, %i: tensor<i32>) -> tensor<3xf64> {\n" CONSTANT(            \
        "%c",                                                                                                \
        "0") "  %0 = stablehlo.dynamic_slice %x, %i, %c, sizes = [1, 3] :"                                   \
             " (tensor<4x3xf64>, tensor<i32>, tensor<i32>) -> tensor<1x3xf64>\n"                             \
             "  %1 = stablehlo.reshape %0 : (tensor<1x3xf64>) -> tensor<3xf64>\n"                            \
             "  return %1 : tensor<3xf64>\n}\n"                                                              \
             "func.func private @put(%x: tensor<4x3xf64>, %r: tensor<3xf64>, %i: tensor<i32>) -> "           \
             "tensor<4x3xf64> {\n" CONSTANT(                                                                 \
                 "%c",                                                                                       \
                 "0") "  %0 = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<3xf64>) -> "               \
                      "tensor<1x3xf64>\n"                                                                    \
                      "  %1 = stablehlo.dynamic_update_slice %x, %0, %i, %c :"                               \
                      " (tensor<4x3xf64>, tensor<1x3xf64>, tensor<i32>, tensor<i32>) -> tensor<4x3xf64>\n"   \
                      "  return %1 : tensor<4x3xf64>\n}\n"
#define ARGUMENTS "func.func public @main(%w: tensor<3x3xf64>, %h: tensor<3xf64>, %xs: tensor<4x3xf64>)"
#define DOT(result, h, w)                                                                                    \
    "    " result " = stablehlo.dot_general " h ", " w ", contracting_dims = [0] x [0] :"                    \
    " (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3xf64>\n"

/* lax.scan: xs and w are carried as they are, h changes, ys is filled row by row, `at` being its number. */
#define SCAN(number, at)                                                                                     \
    ARGUMENTS " -> (tensor<3xf64>, tensor<4x3xf64>) {\n" CONSTANT("%one", "1") CONSTANT("%n", "4") CONSTANT( \
        "%zero",                                                                                             \
        "0") "  %none = stablehlo.constant dense<0.0> : tensor<4x3xf64>\n"                                   \
             "  %0:5 = stablehlo.while(%x = %xs, %v = %w, %i = %zero, %s = %h, %ys = %none) :"               \
             " tensor<4x3xf64>, tensor<3x3xf64>, tensor<i32>, tensor<3xf64>, tensor<4x3xf64>\n"              \
             "   cond {\n" LESS(                                                                             \
                 "%1", "%i",                                                                                 \
                 "%n") "  } do {\n" number "    %1 = func.call @row(%x, " at                                 \
                       ") : (tensor<4x3xf64>, tensor<i32>) -> tensor<3xf64>\n" DOT(                          \
                           "%2", "%s",                                                                       \
                           "%v") "    %3 = stablehlo.add %2, %1 : tensor<3xf64>\n"                           \
                                 "    %4 = stablehlo.tanh %3 : tensor<3xf64>\n"                              \
                                 "    %5 = stablehlo.multiply %4, %s : tensor<3xf64>\n"                      \
                                 "    %6 = func.call @put(%ys, %5, " at ") :"                                \
                                 " (tensor<4x3xf64>, tensor<3xf64>, tensor<i32>) -> tensor<4x3xf64>\n"       \
                                 "    %7 = stablehlo.add %i, %one : tensor<i32>\n"                           \
                                 "    stablehlo.return %x, %v, %7, %4, %6 :"                                 \
                                 " tensor<4x3xf64>, tensor<3x3xf64>, tensor<i32>, tensor<3xf64>, "           \
                                 "tensor<4x3xf64>\n  }\n"                                                    \
                                 "  return %0#3, %0#4 : tensor<3xf64>, tensor<4x3xf64>\n}\n" HELPERS

static const char scan[] = SCAN("", "%i");
static const char scan_backwards[] = SCAN("    %8 = stablehlo.subtract %n, %i : tensor<i32>\n"
                                          "    %9 = stablehlo.subtract %8, %one : tensor<i32>\n",
                                          "%9");

/* lax.fori_loop in lax.fori_loop: each has a counter of rounds and a number that its body reads; constants
 * stand in the regions. */
static const char nested[] = ARGUMENTS " -> (tensor<3xf64>, tensor<4x3xf64>) {\n" CONSTANT("%zero", "0")
    CONSTANT("%one",
             "1") "  %0:4 = stablehlo.while(%v = %w, %i = %zero, %k = %one, %s = %h) :"
                  " tensor<3x3xf64>, tensor<i32>, tensor<i32>, tensor<3xf64>\n"
                  "   cond {\n" CONSTANT("%n", "3") LESS(
                      "%1", "%i",
                      "%n") "  } do {\n"
                            "    %1 = stablehlo.add %k, %one : tensor<i32>\n"
                            "    %2:4 = stablehlo.while(%u = %v, %p = %k, %j = %zero, %t = %s) :"
                            " tensor<3x3xf64>, tensor<i32>, tensor<i32>, tensor<3xf64>\n"
                            "     cond {\n" CONSTANT("%two", "2") LESS("%3", "%j", "%two") "    } do {\n" DOT(
                                "%3", "%t",
                                "%u") "      %4 = stablehlo.sine %3 : tensor<3xf64>\n"
                                      "      %5 = stablehlo.add %p, %j : tensor<i32>\n"
                                      "      %6 = stablehlo.convert %5 : (tensor<i32>) -> tensor<f64>\n"
                                      "      %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f64>) "
                                      "-> tensor<3xf64>\n"
                                      "      %8 = stablehlo.multiply %4, %7 : tensor<3xf64>\n"
                                      "      %9 = stablehlo.add %one, %j : tensor<i32>\n"
                                      "      stablehlo.return %u, %p, %9, %8 : tensor<3x3xf64>, tensor<i32>, "
                                      "tensor<i32>, tensor<3xf64>\n    }\n"
                                      "    %3 = stablehlo.add %i, %one : tensor<i32>\n"
                                      "    stablehlo.return %v, %3, %1, %2#3 : tensor<3x3xf64>, tensor<i32>, "
                                      "tensor<i32>, tensor<3xf64>\n  }\n"
                                      "  return %0#3, %xs : tensor<3xf64>, tensor<4x3xf64>\n}\n";

static fx_module *parse(const char *text) {
    fx_error err = {.code = FX_OK};
    fx_module *module = fx_module_parse(text, strlen(text), "loop.mlir", &err);
    if (!module) fail_msg("%s", err.message);
    return module;
}

static void call_main(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    const fx_module *module = user;
    fx_module_call(module, (size_t)fx_module_find(module, "main"), graph, in, n_in, out, n_out, NULL);
}

static void test_gradients(void **state) {
    (void)state;
    static const char *const texts[] = {scan, scan_backwards, nested};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fx_module *module = parse(texts[i]);
        check_derivatives(&(derivative_case){
            .name = "loop that was read",
            .fn = call_main,
            .user = module,
            .n_in = 3,
            .n_out = 2,
            .in = {RANDOM_F64(1, -0.5, 0.5, 3, 3), RANDOM_F64(2, -1, 1, 3), RANDOM_F64(3, -1, 1, 4, 3)}});
        fx_module_free(module);
    }
}

/* ---- numbers of rounds ---- */

typedef struct counting {
    const char *type, *first, *compare, *step;
    int64_t rounds; /* -1: not known */
} counting;

#define UP "add %i, %s"
static const counting counts[] = {
    {"i32", "0", "LT, %i, %e|5", UP "|1", 5},
    {"i32", "0", "GT, %e, %i|5", "add %s, %i|1", 5},
    {"i32", "0", "LT, %i, %e|5", UP "|2", 3},
    {"i32", "0", "LE, %i, %e|6", UP "|2", 4},
    {"i32", "0", "LE, %i, %e|5", UP "|2", 3},
    {"i64", "3", "NE, %i, %e|9", UP "|3", 2},
    {"i64", "9", "GT, %i, %e|0", UP "|-2", 5},
    {"i64", "9", "GE, %i, %e|0", "subtract %i, %s|3", 4},
    {"i64", "9", "LT, %e, %i|-1", "subtract %i, %s|1", 10},
    {"ui8", "250", "LT, %i, %e|255", UP "|5", 1},
    {"i8", "-128", "LT, %i, %e|127", UP "|51", 5},
    {"i32", "5", "LT, %i, %e|5", UP "|1", 0},
    {"i32", "7", "LT, %i, %e|5", UP "|0", 0},
    {"i32", "5", "EQ, %i, %e|6", UP "|1", 0},
    {"i64", "-9223372036854775808", "LT, %i, %e|-9223372036854775805", UP "|1", 3},
    {"i64", "-9223372036854775808", "LT, %i, %e|9223372036854775806", UP "|9223372036854775807", 2},
    /* it overflows on the way, or never gets there */
    {"i8", "0", "LT, %i, %e|127", UP "|2", -1},
    {"i8", "0", "LE, %i, %e|127", UP "|1", -1},
    {"ui8", "250", "LT, %i, %e|255", UP "|4", -1},
    {"ui8", "3", "GT, %i, %e|0", "subtract %i, %s|2", -1},
    {"i32", "0", "LT, %i, %e|5", UP "|0", -1},
    {"i32", "0", "LT, %i, %e|5", UP "|-1", -1},
    {"i32", "0", "NE, %i, %e|5", UP "|2", -1},
    {"i32", "5", "EQ, %i, %e|5", UP "|1", -1},
    {"i64", "-9223372036854775808", "LT, %i, %e|9223372036854775807", UP "|9223372036854775807", -1},
    {"i64", "-9223372036854775808", "LE, %i, %e|9223372036854775807", UP "|1", -1},
    /* no such step or condition */
    {"i32", "1", "LT, %i, %e|5", "multiply %i, %s|2", -1},
    {"i32", "9", "GT, %i, %e|5", "subtract %s, %i|1", -1},
    {"i32", "1", "LT, %i, %i|5", UP "|1", -1},
    {"f64", "0.0", "LT, %i, %e|5.0", UP "|1.0", -1},
};

static void count_text(const counting *c, char *text, size_t size) {
    const char *t = c->type, *end = strchr(c->compare, '|'), *step = strchr(c->step, '|');
    snprintf(text, size,
             "func.func @main() -> (tensor<%s>, tensor<i64>) {\n"
             "  %%a = stablehlo.constant dense<%s> : tensor<%s>\n  %%e = stablehlo.constant dense<%s> : "
             "tensor<%s>\n"
             "  %%s = stablehlo.constant dense<%s> : tensor<%s>\n  %%z = stablehlo.constant dense<0> : "
             "tensor<i64>\n"
             "  %%0:2 = stablehlo.while(%%i = %%a, %%n = %%z) : tensor<%s>, tensor<i64>\n   cond {\n"
             "    %%1 = stablehlo.compare %.*s : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
             "    stablehlo.return %%1 : tensor<i1>\n  } do {\n    %%one = stablehlo.constant dense<1> : "
             "tensor<i64>\n"
             "    %%1 = stablehlo.%.*s : tensor<%s>\n    %%2 = stablehlo.add %%n, %%one : tensor<i64>\n"
             "    stablehlo.return %%1, %%2 : tensor<%s>, tensor<i64>\n  }\n"
             "  return %%0#0, %%0#1 : tensor<%s>, tensor<i64>\n}\n",
             t, c->first, t, end + 1, t, step + 1, t, t, (int)(end - c->compare), c->compare, t, t,
             (int)(step - c->step), c->step, t, t, t);
}

static void test_counts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char text[2000], wanted[40];
        count_text(&counts[i], text, sizeof text);
        fx_module *module = parse(text);
        fx_graph *graph = new_graph();
        fx_node *out[2];
        assert_true(fx_module_call(module, 0, graph, NULL, 0, out, 2, NULL));
        const fx_node *loop = out[0];
        assert_int_equal(loop->op, FX_OP_WHILE);
        if (fxi_node_int(loop, FXI_ATTR_TRIPS) != counts[i].rounds)
            fail_msg("%lld rounds of:\n%s", (long long)fxi_node_int(loop, FXI_ATTR_TRIPS), text);
        snprintf(wanted, sizeof wanted, "int64(%lld)", (long long)counts[i].rounds);
        if (counts[i].rounds >= 0)
            assert_value(graph, out[1], wanted);
        else
            fx_graph_free(graph);
        fx_module_free(module);
    }
}

/* ---- refused ---- */

/* The end is an argument, or the counter's first value, or a second condition ends the loop. */
#define OPEN(first, end, condition)                                                                          \
    "func.func @main(%x: tensor<f64>, %k: tensor<i32>) -> tensor<f64> {\n" CONSTANT("%zero", "0")            \
        CONSTANT("%five", "5") CONSTANT(                                                                     \
            "%one",                                                                                          \
            "1") "  %0:2 = stablehlo.while(%i = " first ", %s = %x) : tensor<i32>, tensor<f64>\n   cond {\n" \
                 "    %1 = stablehlo.compare LT, %i, " end                                                   \
                 ", SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" condition "  } do {\n"              \
                 "    %1 = stablehlo.sine %s : tensor<f64>\n    %2 = stablehlo.add %i, %one : tensor<i32>\n" \
                 "    stablehlo.return %2, %1 : tensor<i32>, tensor<f64>\n  }\n  return %0#1 : "             \
                 "tensor<f64>\n}\n"
#define ALONE "    stablehlo.return %1 : tensor<i1>\n"
#define SECOND                                                                                               \
    "    %2 = stablehlo.compare GT, %s, %x, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"              \
    "    %3 = stablehlo.and %1, %2 : tensor<i1>\n    stablehlo.return %3 : tensor<i1>\n"

static void test_refused(void **state) {
    (void)state;
    static const char *const texts[] = {OPEN("%zero", "%k", ALONE), OPEN("%k", "%five", ALONE),
                                        OPEN("%zero", "%five", SECOND)};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fx_module *module = parse(texts[i]);
        fx_graph *graph = new_graph();
        fx_node *in[] = {fx_parameter(graph, &FX_SHAPE(FX_F64)), fx_parameter(graph, &FX_SHAPE(FX_S32))},
                *out;
        assert_true(fx_module_call(module, 0, graph, in, 2, &out, 1, NULL));
        fx_gradient(out, FX_NODES(in[0]), NULL);
        fx_error err = {.code = FX_OK};
        assert_true(fx_graph_error(graph, &err));
        assert_int_equal(err.code, FX_ERROR_UNSUPPORTED);
        assert_non_null(strstr(err.message, "while at loop.mlir:5 has no reverse derivative"));
        assert_non_null(strstr(err.message, "let its exporter write the gradient"));
        fx_graph_free(graph);
        fx_module_free(module);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
