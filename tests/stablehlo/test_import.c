/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as text, run on every backend: functions, tuples, loops, branches, reductions and sorts of every form that the
 * reader treats apart, each against what it must print; and what is refused, with its place. */
#include "exec/both.h"
#include "graph/graph.h"
#include <stdio.h>
#include <stdlib.h>

static fx_module *parse(const char *text) {
    fx_error err = {.code = FX_OK};
    fx_module *module = fx_module_parse(text, strlen(text), "test.mlir", &err);
    if (!module) fail_msg("%s", err.message);
    return module;
}

/* Runs the function that a program begins with, which takes nothing, and compares all that it gives. */
static void check_program(void **state, const char *text, const char *wanted) {
    fx_error err = {.code = FX_OK};
    fx_backend *backend = open_named(state);
    fx_module *module = parse(text);
    ptrdiff_t main = fx_module_find(module, NULL);
    assert_true(main >= 0);
    size_t n = fx_module_output_count(module, (size_t)main);
    fx_exec *exec = fx_exec_new_module(backend, module, (size_t)main, &err);
    if (!exec) fail_msg("%s", err.message);
    fx_module_free(module); /* the executable goes on */
    fx_tensor *out[8];
    assert_true(n <= 8);
    if (!fx_exec_call(exec, NULL, 0, out, n, &err)) fail_msg("%s", err.message);
    char got[2000] = "";
    for (size_t i = 0; i < n; i++) {
        strcat(strcat(got, i ? " " : ""), fx_tensor_text(out[i]).s);
        fx_tensor_free(out[i]);
    }
    assert_string_equal(got, wanted);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

typedef struct program {
    const char *text, *wanted;
} program;

static void check_programs(void **state, const program *programs, size_t n) {
    for (size_t i = 0; i < n; i++) check_program(state, programs[i].text, programs[i].wanted);
}

/* ---- functions ---- */

static const program functions[] = {
    {"module @m {\n"
     "  func.func public @main() -> (tensor<i32>, tensor<i32>) {\n"
     "    %c = stablehlo.constant dense<5> : tensor<i32>\n"
     "    %0:2 = call @both(%c) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)\n"
     "    %1 = func.call @twice(%0#1) : (tensor<i32>) -> tensor<i32>\n"
     "    return %0#0, %1 : tensor<i32>, tensor<i32>\n"
     "  }\n"
     "  func.func private @both(%arg0: tensor<i32>) -> (tensor<i32>, tensor<i32>) {\n"
     "    %0 = call @twice(%arg0) : (tensor<i32>) -> tensor<i32>\n"
     "    return %0, %arg0 : tensor<i32>, tensor<i32>\n"
     "  }\n"
     "  func.func private @twice(%arg0: tensor<i32>) -> tensor<i32> {\n"
     "    %0 = stablehlo.add %arg0, %arg0 : tensor<i32>\n"
     "    return %0 : tensor<i32>\n"
     "  }\n"
     "}\n",
     "int32(10) int32(10)"},
    {"func.func @main() -> tensor<i64> {\n"
     "  %0 = stablehlo.constant dense<1> : tensor<i64>\n"
     "  %1 = stablehlo.composite \"my.add_n\" %0 {composite_attributes = {n = 2 : i64}, decomposition = @add_two} :"
     " (tensor<i64>) -> tensor<i64>\n"
     "  return %1 : tensor<i64>\n"
     "}\n"
     "func.func private @add_two(%x: tensor<i64>) -> tensor<i64> {\n"
     "  %0 = stablehlo.constant dense<2> : tensor<i64>\n"
     "  %1 = stablehlo.add %x, %0 : tensor<i64>\n"
     "  return %1 : tensor<i64>\n"
     "}\n",
     "int64(3)"},
    {"func.func @only() -> (tensor<f32>, tensor<i32>) {\n"
     "  %a = stablehlo.constant dense<1.5> : tensor<f32>\n"
     "  %b = stablehlo.constant dense<7> : tensor<i32>\n"
     "  %t = stablehlo.tuple %b : tuple<tensor<i32>>\n"
     "  %u = stablehlo.tuple %a, %t : tuple<tensor<f32>, tuple<tensor<i32>>>\n"
     "  %k = stablehlo.after_all : !stablehlo.token\n"
     "  %v:2 = func.call @pass(%u, %k) : (tuple<tensor<f32>, tuple<tensor<i32>>>, !stablehlo.token) ->"
     " (!stablehlo.token, tuple<tensor<f32>, tuple<tensor<i32>>>)\n"
     "  %0 = stablehlo.get_tuple_element %v#1[0] : (tuple<tensor<f32>, tuple<tensor<i32>>>) -> tensor<f32>\n"
     "  %1 = stablehlo.get_tuple_element %v#1[1] : (tuple<tensor<f32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>\n"
     "  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<i32>>) -> tensor<i32>\n"
     "  return %0, %2 : tensor<f32>, tensor<i32>\n"
     "}\n"
     "func.func private @pass(%u: tuple<tensor<f32>, tuple<tensor<i32>>>, %k: !stablehlo.token) ->"
     " (!stablehlo.token, tuple<tensor<f32>, tuple<tensor<i32>>>) {\n"
     "  return %k, %u : !stablehlo.token, tuple<tensor<f32>, tuple<tensor<i32>>>\n"
     "}\n",
     "float32(1.5) int32(7)"},
};

static void test_functions(void **state) {
    check_programs(state, functions, COUNT_OF(functions));
}

/* ---- loops and branches ---- */

static const program control[] = {
    /* a captured bound and a captured step, names that sibling regions use again, a call in the body */
    {"func.func @main() -> (tensor<i32>, tensor<f32>) {\n"
     "  %n = stablehlo.constant dense<5> : tensor<i32>\n"
     "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
     "  %x = stablehlo.constant dense<1.0> : tensor<f32>\n"
     "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %0:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<f32>\n"
     "   cond {\n"
     "    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    stablehlo.return %1 : tensor<i1>\n"
     "  } do {\n"
     "    %1 = func.call @double(%s) : (tensor<f32>) -> tensor<f32>\n"
     "    %2 = stablehlo.add %i, %one : tensor<i32>\n"
     "    stablehlo.return %2, %1 : tensor<i32>, tensor<f32>\n"
     "  }\n"
     "  return %0#0, %0#1 : tensor<i32>, tensor<f32>\n"
     "}\n"
     "func.func private @double(%x: tensor<f32>) -> tensor<f32> {\n"
     "  %0 = stablehlo.add %x, %x : tensor<f32>\n"
     "  return %0 : tensor<f32>\n"
     "}\n",
     "int32(5) float32(32)"},
    /* branches with captures and several results; an index out of range takes the last */
    {"func.func @main() -> (tensor<i32>, tensor<i32>, tensor<f32>) {\n"
     "  %two = stablehlo.constant dense<2> : tensor<i32>\n"
     "  %far = stablehlo.constant dense<-1> : tensor<i32>\n"
     "  %yes = stablehlo.constant dense<true> : tensor<i1>\n"
     "  %0 = \"stablehlo.case\"(%far) ({\n"
     "    stablehlo.return %two : tensor<i32>\n"
     "  }, {\n"
     "    %1 = stablehlo.multiply %two, %two : tensor<i32>\n"
     "    %2 = stablehlo.add %1, %two : tensor<i32>\n"
     "    stablehlo.return %2 : tensor<i32>\n"
     "  }) : (tensor<i32>) -> tensor<i32>\n"
     "  %3:2 = \"stablehlo.if\"(%yes) ({\n"
     "    %f = stablehlo.constant dense<0.5> : tensor<f32>\n"
     "    stablehlo.return %two, %f : tensor<i32>, tensor<f32>\n"
     "  }, {\n"
     "    %f = stablehlo.constant dense<0.25> : tensor<f32>\n"
     "    stablehlo.return %far, %f : tensor<i32>, tensor<f32>\n"
     "  }) : (tensor<i1>) -> (tensor<i32>, tensor<f32>)\n"
     "  %4:2 = stablehlo.optimization_barrier %3#0, %3#1 : tensor<i32>, tensor<f32>\n"
     "  return %0, %4#0, %4#1 : tensor<i32>, tensor<i32>, tensor<f32>\n"
     "}\n",
     "int32(6) int32(2) float32(0.5)"},
};

static void test_control(void **state) {
    check_programs(state, control, COUNT_OF(control));
}

/* Values that a loop only reads are not carried: %w, and %k, which the condition reads; a loop that changes nothing carries one. */
static const program fixed_states[] = {
    {"func.func @main() -> (tensor<i32>, tensor<3xi32>, tensor<i32>) {\n"
     "  %k = stablehlo.constant dense<4> : tensor<i32>\n"
     "  %w = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n"
     "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %0:4 = stablehlo.while(%n = %k, %i = %zero, %u = %w, %s = %w) : tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>\n"
     "   cond {\n"
     "    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    stablehlo.return %1 : tensor<i1>\n"
     "  } do {\n"
     "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
     "    %1 = stablehlo.add %i, %one : tensor<i32>\n"
     "    %2 = stablehlo.add %s, %u : tensor<3xi32>\n"
     "    stablehlo.return %n, %1, %u, %2 : tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>\n"
     "  }\n"
     "  return %0#1, %0#3, %0#0 : tensor<i32>, tensor<3xi32>, tensor<i32>\n"
     "}\n",
     "int32(4) [3]int32{5, 10, 15} int32(4)"},
    {"func.func @main() -> (tensor<i1>, tensor<i32>) {\n"
     "  %no = stablehlo.constant dense<false> : tensor<i1>\n"
     "  %k = stablehlo.constant dense<4> : tensor<i32>\n"
     "  %0:2 = stablehlo.while(%p = %no, %n = %k) : tensor<i1>, tensor<i32>\n"
     "   cond {\n"
     "    stablehlo.return %p : tensor<i1>\n"
     "  } do {\n"
     "    stablehlo.return %p, %n : tensor<i1>, tensor<i32>\n"
     "  }\n"
     "  return %0#0, %0#1 : tensor<i1>, tensor<i32>\n"
     "}\n",
     "bool(false) int32(4)"},
};

static void test_fixed_states(void **state) {
    static const size_t wanted[] = {2, 1};
    check_programs(state, fixed_states, COUNT_OF(fixed_states));
    for (size_t i = 0; i < COUNT_OF(fixed_states); i++) {
        fx_module *module = parse(fixed_states[i].text);
        fx_graph *graph = fx_graph_new(FX_MUST);
        fx_node *out[3];
        assert_true(fx_module_call(module, 0, graph, NULL, 0, out, fx_module_output_count(module, 0), FX_MUST));
        size_t states = 0;
        for (size_t k = 0; k < graph->nodes.count; k++) states += fxi_node_states(graph->nodes.data[k]);
        assert_int_equal(states, wanted[i]);
        fx_graph_free(graph);
        fx_module_free(module);
    }
}

/* ---- reductions ---- */

#define REDUCE(type, element, values, start, region)                                                         \
    "func.func @main() -> tensor<" element "> {\n"                                                           \
    "  %x = stablehlo.constant dense<" values "> : tensor<" type ">\n"                                       \
    "  %i = stablehlo.constant dense<" start "> : tensor<" element ">\n"                                     \
    "  %0 = \"stablehlo.reduce\"(%x, %i) ({\n"                                                               \
    "  ^bb0(%a: tensor<" element ">, %b: tensor<" element ">):\n" region                                     \
    "    stablehlo.return %r : tensor<" element ">\n"                                                        \
    "  }) {dimensions = array<i64: 0>} : (tensor<" type ">, tensor<" element ">) -> tensor<" element ">\n"   \
    "  return %0 : tensor<" element ">\n"                                                                    \
    "}\n"
#define ONE(op, element) "    %r = stablehlo." op " %a, %b : tensor<" element ">\n"

static const program reductions[] = {
    {REDUCE("3xi32", "i32", "[1, 2, 4]", "0", ONE("add", "i32")), "int32(7)"},
    {REDUCE("3xi32", "i32", "[1, 2, 4]", "10", ONE("add", "i32")), "int32(17)"},
    {REDUCE("3xi32", "i32", "[3, 2, 4]", "2", ONE("multiply", "i32")), "int32(48)"},
    {REDUCE("3xi32", "i32", "[3, 2, 4]", "9", ONE("maximum", "i32")), "int32(9)"},
    {REDUCE("3xf32", "f32", "[3.0, 2.0, 4.0]", "0xFF800000", ONE("maximum", "f32")), "float32(4)"},
    {REDUCE("3xf32", "f32", "[3.0, 2.0, 4.0]", "1.0", ONE("minimum", "f32")), "float32(1)"},
    {REDUCE("3xi8", "i8", "[7, 6, 14]", "-1", ONE("and", "i8")), "int8(6)"},
    {REDUCE("3xi8", "i8", "[1, 6, 8]", "16", ONE("or", "i8")), "int8(31)"},
    {REDUCE("3xi8", "i8", "[7, 6, 14]", "1", ONE("xor", "i8")), "int8(14)"},
    {REDUCE("2xi1", "i1", "[true, false]", "true", ONE("and", "i1")), "bool(false)"},
    {REDUCE("2xi1", "i1", "[true, false]", "false", ONE("or", "i1")), "bool(true)"},
    {REDUCE("2xi1", "i1", "[true, true]", "false", ONE("add", "i1")), "bool(true)"},
    {REDUCE("0xi32", "i32", "[]", "3", ONE("add", "i32")), "int32(3)"},
    /* halves in float32, as JAX writes their sums */
    {REDUCE("3xbf16", "bf16", "[1.0, 2.0, 4.0]", "0.0",
            "    %c = stablehlo.convert %a : (tensor<bf16>) -> tensor<f32>\n"
            "    %d = stablehlo.convert %b : (tensor<bf16>) -> tensor<f32>\n"
            "    %e = stablehlo.add %c, %d : tensor<f32>\n"
            "    %r = stablehlo.convert %e : (tensor<f32>) -> tensor<bf16>\n"),
     "bfloat16(7)"},
    /* not one known operation: the sum of squares' roots is a closure, and so is the last element */
    {REDUCE("3xf64", "f64", "[2.0, 3.0, 6.0]", "0.0",
            "    %c = stablehlo.multiply %a, %a : tensor<f64>\n"
            "    %d = stablehlo.multiply %b, %b : tensor<f64>\n"
            "    %e = stablehlo.add %c, %d : tensor<f64>\n"
            "    %r = stablehlo.sqrt %e : tensor<f64>\n"),
     "float64(7)"},
    {"func.func @main() -> tensor<i32> {\n"
     "  %x = stablehlo.constant dense<[5, 8, 9]> : tensor<3xi32>\n"
     "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %0 = \"stablehlo.reduce\"(%x, %i) ({\n"
     "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
     "    stablehlo.return %b : tensor<i32>\n"
     "  }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<i32>) -> tensor<i32>\n"
     "  return %0 : tensor<i32>\n"
     "}\n",
     "int32(9)"},
    /* two operands at once, the arg-max that JAX writes */
    {"func.func @main() -> (tensor<2xf32>, tensor<2xi32>) {\n"
     "  %x = stablehlo.constant dense<[[1.0, 5.0, 2.0], [7.0, 7.0, 0.0]]> : tensor<2x3xf32>\n"
     "  %n = stablehlo.iota dim = 1 : tensor<2x3xi32>\n"
     "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
     "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %1:2 = stablehlo.reduce(%x init: %low), (%n init: %zero) across dimensions = [1] :"
     " (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)\n"
     "   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {\n"
     "    %2 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "    %3 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "    %4 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    %5 = stablehlo.and %3, %4 : tensor<i1>\n"
     "    %6 = stablehlo.or %2, %5 : tensor<i1>\n"
     "    %7 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<f32>\n"
     "    %8 = stablehlo.select %6, %i, %j : tensor<i1>, tensor<i32>\n"
     "    stablehlo.return %7, %8 : tensor<f32>, tensor<i32>\n"
     "  }\n"
     "  return %1#0, %1#1 : tensor<2xf32>, tensor<2xi32>\n"
     "}\n",
     "[2]float32{5, 7} [2]int32{1, 0}"},
    /* no axes: every element meets the initial value once */
    {"func.func @main() -> tensor<2xi32> {\n"
     "  %x = stablehlo.constant dense<[5, 8]> : tensor<2xi32>\n"
     "  %i = stablehlo.constant dense<3> : tensor<i32>\n"
     "  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [] :"
     " (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>\n"
     "  return %0 : tensor<2xi32>\n"
     "}\n",
     "[2]int32{8, 11}"},
    /* a region in wider types than its operands */
    {"func.func @main() -> tensor<i32> {\n"
     "  %x = stablehlo.constant dense<100> : tensor<3xi8>\n"
     "  %i = stablehlo.constant dense<1> : tensor<i8>\n"
     "  %0 = \"stablehlo.reduce\"(%x, %i) ({\n"
     "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
     "    %r = stablehlo.add %a, %b : tensor<i32>\n"
     "    stablehlo.return %r : tensor<i32>\n"
     "  }) {dimensions = array<i64: 0>} : (tensor<3xi8>, tensor<i8>) -> tensor<i32>\n"
     "  return %0 : tensor<i32>\n"
     "}\n",
     "int32(301)"},
};

static void test_reductions(void **state) {
    check_programs(state, reductions, COUNT_OF(reductions));
}

/* ---- sorts ---- */

#define SORT(type, element, values, region)                                                                  \
    "func.func @main() -> tensor<" type "> {\n"                                                              \
    "  %x = stablehlo.constant dense<" values "> : tensor<" type ">\n"                                       \
    "  %0 = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({\n"                           \
    "  ^bb0(%a: tensor<" element ">, %b: tensor<" element ">):\n" region                                     \
    "    stablehlo.return %r : tensor<i1>\n"                                                                 \
    "  }) : (tensor<" type ">) -> tensor<" type ">\n"                                                        \
    "  return %0 : tensor<" type ">\n"                                                                       \
    "}\n"
#define COMPARE(result, direction, x, y, kind, element)                                                      \
    "    " result " = stablehlo.compare " direction ", " x ", " y ", " kind " : (tensor<" element            \
    ">, tensor<" element ">) -> tensor<i1>\n"
/* What JAX makes of one side: %<to> of %<from>. */
#define CANONICAL(from, to)                                                                                  \
    COMPARE(to "e", "EQ", from, "%zero", "FLOAT", "f32")                                                     \
    "    " to "z = stablehlo.select " to "e, %zero, " from " : tensor<i1>, tensor<f32>\n"                    \
    COMPARE(to "n", "NE", from, from, "FLOAT", "f32")                                                        \
    "    " to " = stablehlo.select " to "n, %nan, " to "z : tensor<i1>, tensor<f32>\n"
#define CONSTANTS                                                                                            \
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"                                              \
    "    %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>\n"
#define FLOATS "[2.0, 0xFFC00000, -0.0, 1.0, 0.0, 0x7FC00000]"

typedef struct sorting {
    program program;
    bool by_key; /* it is a sort by keys, not by a closure */
} sorting;

static const sorting sorts[] = {
    {{SORT("4xi32", "i32", "[3, 1, -2, 1]", COMPARE("%r", "LT", "%a", "%b", "SIGNED", "i32")), "[4]int32{-2, 1, 1, 3}"}, true},
    {{SORT("4xi32", "i32", "[3, 1, -2, 1]", COMPARE("%r", "GT", "%a", "%b", "SIGNED", "i32")), "[4]int32{3, 1, 1, -2}"}, true},
    {{SORT("4xi32", "i32", "[3, 1, -2, 1]", COMPARE("%r", "LT", "%b", "%a", "SIGNED", "i32")), "[4]int32{3, 1, 1, -2}"}, true},
    {{SORT("3xf32", "f32", "[3.0, 1.0, -2.0]", COMPARE("%r", "GT", "%a", "%b", "FLOAT", "f32")), "[3]float32{3, 1, -2}"}, true},
    {{SORT("6xf32", "f32", FLOATS,
           CONSTANTS CANONICAL("%a", "%c") CANONICAL("%b", "%d") COMPARE("%r", "LT", "%c", "%d", "TOTALORDER", "f32")),
      "[6]float32{-0, 0, 1, 2, NaN, NaN}"}, true},
    /* descending, NaN comes first in the total order, which only a closure does */
    {{SORT("6xf32", "f32", FLOATS,
           CONSTANTS CANONICAL("%a", "%c") CANONICAL("%b", "%d") COMPARE("%r", "GT", "%c", "%d", "TOTALORDER", "f32")),
      "[6]float32{NaN, NaN, 2, 1, -0, 0}"}, false},
    /* the total order of bare floats tells the zeros and the NaNs apart */
    {{SORT("6xf32", "f32", "[2.0, 0x7FC00000, 0.0, -0.0, 1.0, 0xFFC00000]", COMPARE("%r", "LT", "%a", "%b", "TOTALORDER", "f32")),
      "[6]float32{NaN, -0, 0, 1, 2, NaN}"}, false},
    /* <= is no strict order, and another element's key is none */
    {{SORT("4xi32", "i32", "[3, 1, -2, 1]",
           "    %c = stablehlo.negate %a : tensor<i32>\n    %d = stablehlo.negate %b : tensor<i32>\n"
           COMPARE("%r", "LT", "%c", "%d", "SIGNED", "i32")),
      "[4]int32{3, 1, 1, -2}"}, false},
};

#define TWO_KEYS(first, second, either)                                                                      \
    "func.func @main() -> (tensor<5xi32>, tensor<5xf32>, tensor<5xi8>) {\n"                                  \
    "  %v = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi8>\n"                                      \
    "  %x = stablehlo.constant dense<[1.0, 2.0, 1.0, 2.0, 1.0]> : tensor<5xf32>\n"                           \
    "  %k = stablehlo.constant dense<[2, 1, 1, 1, 2]> : tensor<5xi32>\n"                                     \
    "  %0:3 = \"stablehlo.sort\"(%k, %x, %v) <{dimension = 0 : i64}> ({\n"                                   \
    "  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<i8>,"             \
    " %f: tensor<i8>):\n" CONSTANTS CANONICAL("%c", "%p") CANONICAL("%d", "%q") first second                 \
    either "    stablehlo.return %r : tensor<i1>\n"                                                          \
    "  }) : (tensor<5xi32>, tensor<5xf32>, tensor<5xi8>) -> (tensor<5xi32>, tensor<5xf32>, tensor<5xi8>)\n"  \
    "  return %0#0, %0#1, %0#2 : tensor<5xi32>, tensor<5xf32>, tensor<5xi8>\n"                               \
    "}\n"

static const sorting by_two[] = {
    {{TWO_KEYS(COMPARE("%1", "LT", "%a", "%b", "SIGNED", "i32") COMPARE("%2", "EQ", "%a", "%b", "SIGNED", "i32"),
               COMPARE("%3", "LT", "%p", "%q", "TOTALORDER", "f32"),
               "    %4 = stablehlo.and %2, %3 : tensor<i1>\n    %r = stablehlo.or %1, %4 : tensor<i1>\n"),
      "[5]int32{1, 1, 1, 2, 2} [5]float32{1, 2, 2, 1, 1} [5]int8{2, 1, 3, 0, 4}"}, true},
    {{TWO_KEYS(COMPARE("%1", "LT", "%p", "%q", "TOTALORDER", "f32") COMPARE("%2", "EQ", "%p", "%q", "TOTALORDER", "f32"),
               COMPARE("%3", "LT", "%a", "%b", "SIGNED", "i32"),
               "    %4 = stablehlo.and %3, %2 : tensor<i1>\n    %r = stablehlo.or %4, %1 : tensor<i1>\n"),
      "[5]int32{1, 2, 2, 1, 1} [5]float32{1, 1, 1, 2, 2} [5]int8{2, 0, 4, 1, 3}"}, true},
    /* one key rises, the other falls */
    {{TWO_KEYS(COMPARE("%1", "GT", "%a", "%b", "SIGNED", "i32") COMPARE("%2", "EQ", "%a", "%b", "SIGNED", "i32"),
               COMPARE("%3", "LT", "%p", "%q", "TOTALORDER", "f32"),
               "    %4 = stablehlo.and %2, %3 : tensor<i1>\n    %r = stablehlo.or %1, %4 : tensor<i1>\n"),
      "[5]int32{2, 2, 1, 1, 1} [5]float32{1, 1, 1, 2, 2} [5]int8{0, 4, 2, 1, 3}"}, false},
};

/* Whether the graph of a program sorts by a closure. */
static bool sorts_by_closure(const char *text) {
    fx_module *module = parse(text);
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_node *out[3];
    assert_true(fx_module_call(module, 0, graph, NULL, 0, out, fx_module_output_count(module, 0), FX_MUST));
    bool found = false;
    for (size_t i = 0; i < graph->nodes.count; i++)
        found = found || (graph->nodes.data[i]->op != FX_OP_RESULT && fxi_node_bodies(graph->nodes.data[i]).n > 0);
    fx_graph_free(graph);
    fx_module_free(module);
    return found;
}

static void test_sorts(void **state) {
    for (size_t i = 0; i < COUNT_OF(sorts); i++) check_program(state, sorts[i].program.text, sorts[i].program.wanted);
    for (size_t i = 0; i < COUNT_OF(by_two); i++) check_program(state, by_two[i].program.text, by_two[i].program.wanted);
}

static void test_fast_sorts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sorts); i++)
        if (sorts_by_closure(sorts[i].program.text) == sorts[i].by_key) fail_msg("sort %zu", i);
    for (size_t i = 0; i < COUNT_OF(by_two); i++)
        if (sorts_by_closure(by_two[i].program.text) == by_two[i].by_key) fail_msg("sort by two %zu", i);
}

/* ---- what is refused ---- */

typedef struct refusal {
    const char *text;
    fx_error_code code;
    const char *part; /* of the message */
} refusal;

#define BODY(lines) "func.func @main() -> tensor<i32> {\n  %c = stablehlo.constant dense<1> : tensor<i32>\n" lines "}\n"

static const refusal refusals[] = {
    {BODY("  %0 = \"stablehlo.nothing\"(%c) : (tensor<i32>) -> tensor<i32>\n  return %0 : tensor<i32>\n"),
     FX_ERROR_UNSUPPORTED, "test.mlir:3:8: the operation stablehlo.nothing is not supported"},
    {BODY("  %0 = stablehlo.custom_call @nobody(%c) : (tensor<i32>) -> tensor<i32>\n  return %0 : tensor<i32>\n"),
     FX_ERROR_UNSUPPORTED, "test.mlir:3:8: custom_call @nobody is not supported"},
    {BODY("  %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%c) : (tensor<i32>) -> tensor<i32>\n"
          "  return %0 : tensor<i32>\n"),
     FX_ERROR_UNSUPPORTED, "@xla_ffi_python_cpu_callback is not supported: it calls back into Python"},
    {BODY("  %0 = \"stablehlo.add\"(%c, %c) : (tensor<i32>, tensor<i32>) -> tensor<2xi32>\n  return %c : tensor<i32>\n"),
     FX_ERROR_FILE, "the type is written as (int32)[2], but this is (int32)"},
    {BODY("  %0 = \"stablehlo.add\"(%c, %c) : (tensor<i32>, tensor<i32>) -> tensor<?xi32>\n  return %c : tensor<i32>\n"),
     FX_ERROR_UNSUPPORTED, "a dynamic shape, tensor<?xi32>"},
    {BODY("  %0 = \"stablehlo.add\"(%c) : (tensor<i32>) -> tensor<i32>\n  return %0 : tensor<i32>\n"), FX_ERROR_FILE,
     "stablehlo.add has 1 operands instead of 2"},
    {BODY("  %0 = call @main() : () -> tensor<i32>\n  return %0 : tensor<i32>\n"), FX_ERROR_UNSUPPORTED,
     "test.mlir:3:8: the function @main, which calls itself"},
    {BODY("  %0 = call @gone() : () -> tensor<i32>\n  return %0 : tensor<i32>\n"), FX_ERROR_FILE, "there is no function @gone"},
    {BODY("  %0 = call @far() : () -> tensor<i32>\n  return %0 : tensor<i32>\n") "func.func private @far() -> tensor<i32>\n",
     FX_ERROR_UNSUPPORTED, "the function @far without a body"},
    {BODY("  %t = stablehlo.tuple %c : tuple<tensor<i32>>\n"
          "  %0 = \"stablehlo.negate\"(%t) : (tuple<tensor<i32>>) -> tensor<i32>\n  return %0 : tensor<i32>\n"),
     FX_ERROR_FILE, "stablehlo.negate takes and gives tensors, not tuple<tensor<i32>>"},
    {BODY("  %t = stablehlo.constant dense<true> : tensor<i1>\n"
          "  %0 = \"stablehlo.if\"(%t) ({\n    check.expect_eq %c, %c : tensor<i32>\n    stablehlo.return %c : tensor<i32>\n"
          "  }, {\n    stablehlo.return %c : tensor<i32>\n  }) : (tensor<i1>) -> tensor<i32>\n  return %0 : tensor<i32>\n"),
     FX_ERROR_UNSUPPORTED, "test.mlir:5:5: a check inside a region"},
    /* the shapes of a branch differ: the graph's own error, with its place */
    {BODY("  %t = stablehlo.constant dense<true> : tensor<i1>\n  %v = stablehlo.constant dense<1> : tensor<2xi32>\n"
          "  %0 = \"stablehlo.if\"(%t) ({\n    stablehlo.return %v : tensor<2xi32>\n"
          "  }, {\n    stablehlo.return %c : tensor<i32>\n  }) : (tensor<i1>) -> tensor<i32>\n  return %0 : tensor<i32>\n"),
     FX_ERROR_SHAPE, "test.mlir:5:8: "},
    {BODY("  %0:2 = call @two() : () -> (tensor<i32>, tensor<i32>)\n  return %0#0 : tensor<i32>\n")
         "func.func private @two() -> tensor<i32> {\n  %c = stablehlo.constant dense<1> : tensor<i32>\n  return %c : tensor<i32>\n}\n",
     FX_ERROR_FILE, "1 values instead of 2"},
    /* attributes that are missing, of another form, or beyond what there is */
    {BODY("  %0 = \"stablehlo.reduce\"(%c, %c) ({\n  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n    %r = stablehlo.add %a, %b : tensor<i32>\n"
          "    stablehlo.return %r : tensor<i32>\n  }) : (tensor<i32>, tensor<i32>) -> tensor<i32>\n  return %0 : tensor<i32>\n"),
     FX_ERROR_FILE, "test.mlir:3:8: stablehlo.reduce lacks the attribute dimensions"},
    {BODY("  %0 = \"stablehlo.reduce\"(%c, %c) ({\n  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n    %r = stablehlo.add %a, %b : tensor<i32>\n"
          "    stablehlo.return %r : tensor<i32>\n  }) {dimensions = array<i64: 0>} : (tensor<i32>, tensor<i32>) -> tensor<i32>\n"
          "  return %0 : tensor<i32>\n"),
     FX_ERROR_FILE, "axis 0 is not among the 0 there are"},
    {BODY("  %0 = \"stablehlo.reduce\"(%c, %c) ({\n  ^bb0(%a: tensor<i32>):\n    stablehlo.return %a : tensor<i32>\n"
          "  }) {dimensions = array<i64>} : (tensor<i32>, tensor<i32>) -> tensor<i32>\n  return %0 : tensor<i32>\n"),
     FX_ERROR_FILE, "2 operands, 1 results and 1 arguments of the region"},
    {BODY("  %t = stablehlo.tuple %c : tuple<tensor<i32>>\n"
          "  %0 = \"stablehlo.get_tuple_element\"(%t) {index = 1 : i32} : (tuple<tensor<i32>>) -> tensor<i32>\n  return %0 : tensor<i32>\n"),
     FX_ERROR_FILE, "there is no element 1"},
    {BODY("  %v = stablehlo.constant dense<1> : tensor<2xi32>\n  %0 = \"stablehlo.sort\"(%v) <{dimension = 99 : i64}> ({\n"
          "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n    %r = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "    stablehlo.return %r : tensor<i1>\n  }) : (tensor<2xi32>) -> tensor<2xi32>\n  return %c : tensor<i32>\n"),
     FX_ERROR_FILE, "along axis 99"},
    {BODY("  %0 = \"stablehlo.case\"(%c) : (tensor<i32>) -> tensor<i32>\n  return %0 : tensor<i32>\n"), FX_ERROR_FILE,
     "a case without branches"},
    {BODY("  %k = stablehlo.after_all : !stablehlo.token\n  %0 = \"stablehlo.case\"(%k) ({\n    stablehlo.return %c : tensor<i32>\n"
          "  }) : (!stablehlo.token) -> tensor<i32>\n  return %0 : tensor<i32>\n"), FX_ERROR_FILE, "the choice is no tensor"},
    {BODY("  %k = stablehlo.after_all : !stablehlo.token\n  %0 = \"stablehlo.while\"(%k) ({\n  ^bb0(%a: !stablehlo.token):\n"
          "    %t = stablehlo.constant dense<false> : tensor<i1>\n    stablehlo.return %t : tensor<i1>\n  }, {\n"
          "  ^bb0(%a: !stablehlo.token):\n    stablehlo.return %a : !stablehlo.token\n"
          "  }) : (!stablehlo.token) -> !stablehlo.token\n  return %c : tensor<i32>\n"),
     FX_ERROR_UNSUPPORTED, "a loop without tensors"},
    {BODY("  %0 = \"stablehlo.composite\"(%c) {decomposition = \"main\"} : (tensor<i32>) -> tensor<i32>\n  return %0 : tensor<i32>\n"),
     FX_ERROR_FILE, "decomposition is of another form than stablehlo.composite wants"},
    {BODY("  check.expect_eq_const %c, dense<[1, 2]> : tensor<2xi32>\n  return %c : tensor<i32>\n"), FX_ERROR_FILE, "the check compares"},
};

static void test_refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        fx_module *module = parse(refusals[i].text);
        fx_graph *graph = fx_graph_new(FX_MUST);
        fx_node *out = NULL;
        fx_error err = {.code = FX_OK}, kept = {.code = FX_OK};
        ptrdiff_t main = fx_module_find(module, "main");
        assert_true(main >= 0);
        assert_false(fx_module_call(module, (size_t)main, graph, NULL, 0, &out, 1, &err));
        assert_failed(err, refusals[i].code, refusals[i].part);
        assert_null(out);
        assert_true(fx_graph_error(graph, &kept)); /* as a builder's would be */
        assert_string_equal(kept.message, err.message);
        fx_graph_free(graph);
        fx_module_free(module);
    }
}

/* Functions that call the next one twice: 2^40 operations are not begun. A chain is as deep as it may be, and no deeper. */
static void test_inlining_limits(void **state) {
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        char *text = calloc(1, 200 * 300), *at = text;
        int depth = twice ? 40 : 200;
        for (int i = 0; i < depth; i++) {
            at += sprintf(at, "func.func private @f%d(%%x: tensor<i32>) -> tensor<i32> {\n", i);
            if (i + 1 == depth)
                at += sprintf(at, "  return %%x : tensor<i32>\n}\n");
            else if (twice)
                at += sprintf(at, "  %%0 = call @f%d(%%x) : (tensor<i32>) -> tensor<i32>\n  %%1 = call @f%d(%%0) :"
                                  " (tensor<i32>) -> tensor<i32>\n  return %%1 : tensor<i32>\n}\n", i + 1, i + 1);
            else
                at += sprintf(at, "  %%0 = call @f%d(%%x) : (tensor<i32>) -> tensor<i32>\n  return %%0 : tensor<i32>\n}\n", i + 1);
        }
        fx_module *module = parse(text);
        fx_graph *graph = fx_graph_new(FX_MUST);
        const fx_shape scalar = FX_SHAPE(FX_S32);
        fx_node *x = fx_parameter(graph, &scalar), *out;
        fx_error err = {.code = FX_OK};
        assert_false(fx_module_call(module, 0, graph, &x, 1, &out, 1, &err));
        assert_failed(err, FX_ERROR_UNSUPPORTED, twice ? "more than 4194304 operations and nodes" : "more than 128 deep");
        fx_graph_free(graph);
        fx_module_free(module);
        free(text);
    }
}

/* Regions that are no closures, since they map scalars, nest as deep as the stack surely bears, and no deeper. */
static void test_nesting_limit(void **state) {
    (void)state;
    for (int depth = 100; depth <= 300; depth += 200) {
        char *text = calloc(1, 200 * 300), *at = text;
        at += sprintf(at, "func.func @main(%%x: tensor<i32>) -> tensor<i32> {\n");
        for (int i = 0; i < depth; i++)
            at += sprintf(at, "%%r%d = \"stablehlo.map\"(%%x) ({\n^bb0(%%a%d: tensor<i32>):\n", i, i);
        for (int i = depth - 1; i >= 0; i--)
            at += sprintf(at, "stablehlo.return %%a%d : tensor<i32>\n}) {dimensions = array<i64>} : (tensor<i32>) -> tensor<i32>\n", i);
        sprintf(at, "return %%r0 : tensor<i32>\n}\n");
        fx_module *module = parse(text);
        fx_graph *graph = fx_graph_new(FX_MUST);
        const fx_shape scalar = FX_SHAPE(FX_S32);
        fx_node *x = fx_parameter(graph, &scalar), *out;
        fx_error err = {.code = FX_OK};
        assert_int_equal(fx_module_call(module, 0, graph, &x, 1, &out, 1, &err), depth == 100);
        if (depth > 100) assert_failed(err, FX_ERROR_UNSUPPORTED, "nested over 192 deep");
        fx_graph_free(graph);
        fx_module_free(module);
        free(text);
    }
}

/* Reductions within the combinations of reductions: each level is built for every step of the one around it. */
static void test_combining_limit(void **state) {
    (void)state;
    char *text = calloc(1, 400 * 64), *at = text;
    const int depth = 30;
    at += sprintf(at, "func.func @main(%%v: tensor<1048576xf32>, %%x: tensor<f32>) -> tensor<f32> {\n");
    for (int i = 0; i < depth; i++)
        at += sprintf(at, "%%r%d = \"stablehlo.reduce\"(%%v, %%x) ({\n^bb0(%%a%d: tensor<f32>, %%b%d: tensor<f32>):\n", i, i, i);
    at += sprintf(at, "%%r%d = stablehlo.subtract %%a%d, %%b%d : tensor<f32>\n", depth, depth - 1, depth - 1);
    for (int i = depth - 1; i >= 0; i--)
        at += sprintf(at, "%%s%d = stablehlo.add %%r%d, %%a%d : tensor<f32>\nstablehlo.return %%s%d : tensor<f32>\n"
                          "}) {dimensions = array<i64: 0>} : (tensor<1048576xf32>, tensor<f32>) -> tensor<f32>\n", i, i + 1, i, i);
    sprintf(at, "return %%r0 : tensor<f32>\n}\n");
    fx_module *module = parse(text);
    fx_graph *graph = fx_graph_new(FX_MUST);
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 1048576), FX_SHAPE(FX_F32)};
    fx_node *in[] = {fx_parameter(graph, &shapes[0]), fx_parameter(graph, &shapes[1])}, *out;
    fx_error err = {.code = FX_OK};
    assert_false(fx_module_call(module, 0, graph, in, 2, &out, 1, &err));
    assert_failed(err, FX_ERROR_UNSUPPORTED, "nodes that combines elements");
    fx_graph_free(graph);
    fx_module_free(module);
    free(text);
}

/* A node knows the line of the text that made it, in closures too. */
static void test_places(void **state) {
    (void)state;
    fx_module *module = parse(control[0].text);
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_node *out[2];
    assert_true(fx_module_call(module, (size_t)fx_module_find(module, "main"), graph, NULL, 0, out, 2, FX_MUST));
    assert_string_equal(fx_node_file(out[0]), "test.mlir");
    assert_int_equal(fx_node_line(out[0]), 6);
    bool found = false;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const fxi_graphs bodies = fxi_node_bodies(graph->nodes.data[i]);
        for (size_t b = 0; b < bodies.n; b++)
            for (size_t k = 0; k < bodies.v[b]->nodes.count; k++)
                found = found || fx_node_line(bodies.v[b]->nodes.data[k]) == 18; /* the addition in @double */
    }
    assert_true(found);
    fx_graph_free(graph);
    fx_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(test_functions),
        BOTH(test_control),
        BOTH(test_fixed_states),
        BOTH(test_reductions),
        BOTH(test_sorts),
        cmocka_unit_test(test_fast_sorts),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_inlining_limits),
        cmocka_unit_test(test_nesting_limit),
        cmocka_unit_test(test_combining_limit),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
