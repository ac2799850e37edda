/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers: what they refuse, and that nothing is simplified or fused across one. Values are golden cases of the
 * family indices. */
#include "exec/both.h"
#include <fluxion/barrier.h>
#include <stdio.h>

static fx_node *twice_negated(fx_node *x) {
    return fx_neg(fx_optimization_barrier(fx_neg(x)));
}

/* Without the barrier this is x itself, and no kernel at all. */
static void test_ends_fusion(void **state) {
    fx_backend *backend = open_named(state);
    char text[4000];
    fx_exec *exec = fx_exec_new(backend, twice_negated, FX_MUST);
    fx_program *program = fx_exec_program(exec, &FX_SHAPE(FX_F32, 1000), 1, FX_MUST);
    fx_program_text(program, text, sizeof text);
    const char *at = strstr(text, "neg");
    assert_non_null(at);
    assert_non_null(at = strstr(at + 1, "optimization_barrier"));
    assert_non_null(strstr(at + 1, "neg"));
    fx_program_free(program);
    fx_tensor *result = fx_call1(exec, FX_MUST, FX_VEC(float, 1, 2, 3));
    assert_text(result, "[3]float32{1, 2, 3}");
    fx_tensor_free(result);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static void expect(fx_graph *graph, fx_error_code code, const char *message) {
    fx_error err = {.code = FX_OK};
    assert_true(fx_graph_error(graph, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, code);
    fx_graph_free(graph);
}

static void test_refusals(void **state) {
    (void)state;
    fx_node *results[2] = {NULL, NULL};
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_node *x = fx_parameter(graph, &FX_SHAPE(FX_F32, 2));
    fx_optimization_barriers(FX_NODES(x, NULL), results);
    assert_string_equal(fx_node_op(results[0]), "inert");
    assert_string_equal(fx_node_op(results[1]), "inert");
    expect(graph, FX_ERROR_ARGUMENT, "fx_optimization_barriers: operand 1 is NULL");
    graph = fx_graph_new(FX_MUST);
    fx_optimization_barriers(FX_NODES(fx_parameter(graph, &FX_SHAPE(FX_F32, 2))), NULL);
    expect(graph, FX_ERROR_ARGUMENT, "fx_optimization_barriers: the list of results is NULL");
    graph = fx_graph_new(FX_MUST);
    fx_scheduling_barrier(fx_parameter(graph, &FX_SHAPE(FX_F32, 2)), (fx_nodes){NULL, 3});
    expect(graph, FX_ERROR_ARGUMENT, "fx_scheduling_barrier: the nodes are NULL");
    graph = fx_graph_new(FX_MUST);
    fx_scheduling_barrier(fx_parameter(graph, &FX_SHAPE(FX_F32, 2)), FX_NODES(NULL));
    expect(graph, FX_ERROR_ARGUMENT, "fx_scheduling_barrier: operand 1 is NULL");
    assert_null(fx_optimization_barrier(NULL));
    assert_null(fx_optimization_barriers((fx_nodes){NULL, 0}, results));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(test_ends_fusion),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
