/* SPDX-License-Identifier: Apache-2.0 */
/* The value of one node of a graph without parameters, computed by the interpreter; for tests of what
 * composites mean. Finishes and frees the graph. */
#ifndef RUN_GRAPH_H
#define RUN_GRAPH_H

#include "support/graph_helpers.h"
#include "backend/interp/interp.h"

static inline fx_tensor *run_graph(fx_graph *graph, fx_node *node) {
    fx_error err = {.code = FX_OK};
    if (!fx_graph_finish(graph, FX_NODES(node), &err)) fail_msg("%s", err.message);
    if (!fxi_verify(graph, &err)) fail_msg("%s", err.message);
    void *state = fxi_interp_backend.open(&(fxi_open_args){0}, &err);
    void *program = state ? fxi_interp_backend.compile(state, graph, &err) : NULL;
    fx_tensor *result = NULL;
    const fxi_run_args args = {.outputs = &result};
    if (!program || !fxi_interp_backend.run(program, &args, &err)) fail_msg("%s", err.message);
    fxi_interp_backend.program_free(program);
    fxi_interp_backend.close(state);
    fx_graph_free(graph);
    return result;
}

/* The whole text of the value. */
static inline void assert_value(fx_graph *graph, fx_node *node, const char *wanted) {
    fx_tensor *value = run_graph(graph, node);
    char text[2000];
    const fx_format_options full = {.size = sizeof full, .full = true};
    fx_tensor_format(value, text, sizeof text, &full);
    fx_tensor_free(value);
    assert_string_equal(text, wanted);
}

#endif
