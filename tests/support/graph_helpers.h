/* SPDX-License-Identifier: Apache-2.0 */
/* Small helpers for tests that build graphs: a fresh graph with parameters, and assertions on its error. */
#ifndef GRAPH_HELPERS_H
#define GRAPH_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph/graph.h"
#include <fluxion/sugar.h>
#include <string.h>

static inline fx_graph *new_graph(void) {
    fx_graph *graph = fx_graph_new(NULL);
    assert_non_null(graph);
    return graph;
}

static inline fx_node *parameter(fx_graph *graph, fx_shape shape) {
    fx_node *node = fx_parameter(graph, &shape);
    assert_non_null(node);
    assert_int_equal(node->op, FX_OP_PARAMETER);
    return node;
}

/* The graph has this error and no other. */
static inline void assert_error(const fx_graph *graph, fx_error_code code, const char *message) {
    fx_error err = {.code = FX_OK};
    assert_true(fx_graph_error(graph, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, code);
}

static inline void assert_no_error(const fx_graph *graph) {
    fx_error err = {.code = FX_OK};
    if (fx_graph_error(graph, &err)) fail_msg("%s", err.message);
}

/* An error of one call in a graph of its own, which the statement may call g. */
#define ASSERT_REFUSED(code, message, expression)                                                            \
    do {                                                                                                     \
        fx_graph *g = new_graph();                                                                           \
        const fx_node *result = (expression);                                                                \
        assert_error(g, code, message);                                                                      \
        assert_non_null(result);                                                                             \
        assert_string_equal(fx_node_op(result), "inert");                                                    \
        fx_graph_free(g);                                                                                    \
    } while (0)

/* The node, its operation and its shape. */
static inline void assert_node(const fx_node *node, const char *op, const char *shape) {
    if (node && node->op == FX_OP_INERT) fail_msg("%s", node->graph->error.message);
    assert_non_null(node);
    assert_string_equal(fx_node_op(node), op);
    assert_string_equal(fx_shape_to_text(fx_node_shape(node)).s, shape);
}

#endif
