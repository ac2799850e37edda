/* SPDX-License-Identifier: Apache-2.0 */
/* A graph and what its lowerings make of it, both on the interpreter: two results of one set of inputs. */
#ifndef LOWERED_H
#define LOWERED_H

#include "backend/interp/interp.h"
#include "stablehlo/lower.h"
#include "support/golden.h"
#include "support/graph_helpers.h"
#include "support/random_graph.h"

enum { LOWERED_MOST = 8 }; /* inputs, outputs */

/* outputs[] of a finished graph. */
static inline void run_interp(const fx_graph *graph, fx_tensor *const *inputs, fx_tensor **outputs) {
    fx_error err = {.code = FX_OK};
    if (!fxi_verify(graph, &err)) fail_msg("%s", err.message);
    void *state = fxi_interp_backend.open(&(fxi_open_args){0}, &err);
    void *program = state ? fxi_interp_backend.compile(state, graph, &err) : NULL;
    const fxi_run_args args = {.inputs = inputs, .outputs = outputs};
    if (!program || !fxi_interp_backend.run(program, &args, &err)) fail_msg("%s", err.message);
    fxi_interp_backend.program_free(program);
    fxi_interp_backend.close(state);
}

typedef struct lowered_node {
    fx_node *results[16];
} lowered_node;

static inline void lower_node(const fxi_build *b, const fx_node *n, lowered_node *values, bool *any) {
    const fxi_lowering *row = fxi_lowering_of(n);
    fx_node *operands[LOWERED_MOST], **results = values[n->id].results;
    assert_true(n->operand_count <= LOWERED_MOST);
    for (uint32_t k = 0; k < n->operand_count; k++) operands[k] = values[n->operands[k]->id].results[0];
    if (n->op == FX_OP_RESULT) {
        results[0] = values[n->operands[0]->id].results[fxi_node_int(n, FXI_ATTR_RESULT)];
        return;
    }
    *any |= row != NULL;
    if (row)
        row->build(b, n, operands, results);
    else
        fxi_build_results(fxi_inline_node(b, n, operands), results, fxi_node_results(n))->lowered |= n->lowered;
    assert_no_error(b->graph);
    for (size_t r = 0; r < fxi_node_results(n); r++)
        assert_string_equal(fx_shape_to_text(&results[r]->shape).s, fx_shape_to_text(fxi_node_result_shape(n, r)).s);
}

/* The graph with every node that has a lowering replaced by it, once. */
static inline fx_graph *lower_once(const fx_graph *graph, bool *any) {
    fx_graph *made = new_graph();
    lowered_node *values = test_calloc(graph->nodes.count, sizeof *values);
    fx_node *outputs[LOWERED_MOST];
    const fxi_build b = {"lowered", made, &made->inert};
    fx_error err = {.code = FX_OK};
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const fx_node *n = graph->nodes.data[i];
        if (n->op == FX_OP_PARAMETER)
            values[i].results[0] = parameter(made, n->shape);
        else
            lower_node(&b, n, values, any);
    }
    for (size_t i = 0; i < graph->output_count; i++) outputs[i] = values[graph->outputs[i]->id].results[0];
    if (!fx_graph_finish(made, (fx_nodes){outputs, graph->output_count}, &err)) fail_msg("%s", err.message);
    test_free(values);
    return made;
}

/* The same until nothing is left to lower. */
static inline fx_graph *lower_all(const fx_graph *graph) {
    bool any = false;
    fx_graph *made = lower_once(graph, &any);
    assert_true(any);
    for (int round = 0; any; round++) {
        assert_true(round < FXI_MOST_LOWERINGS);
        any = false;
        fx_graph *next = lower_once(made, &any);
        fx_graph_free(made);
        made = next;
    }
    return made;
}

/* want[] and got[] are the outputs; the graph must have something to lower. */
static inline void run_both(const fx_graph *graph, fx_tensor *const *inputs, fx_tensor **want, fx_tensor **got) {
    fx_graph *lowered = lower_all(graph);
    run_interp(graph, inputs, want);
    run_interp(lowered, inputs, got);
    fx_graph_free(lowered);
}

/* Finishes a graph with these outputs, compares them with what lowering gives, and frees graph and inputs. */
static inline void compare_lowered(fx_graph *graph, fx_nodes outputs, fx_tensor **inputs, golden_tolerance tolerance) {
    const golden_case none = {.file = ""};
    golden_difference difference;
    fx_tensor *want[LOWERED_MOST] = {NULL}, *got[LOWERED_MOST] = {NULL};
    assert_no_error(graph);
    assert_true(fx_graph_finish(graph, outputs, NULL));
    run_both(graph, inputs, want, got);
    for (size_t i = 0; i < outputs.n; i++) {
        if (!golden_equal(&none, got[i], want[i], tolerance, &difference))
            fail_msg("%s, output %zu: %s", fx_node_op(graph->outputs[0]), i, difference.text);
        fx_tensor_free(want[i]);
        fx_tensor_free(got[i]);
    }
    for (size_t i = 0; i < graph->parameters.count; i++) fx_tensor_free(inputs[i]);
    fx_graph_free(graph);
}

#endif
