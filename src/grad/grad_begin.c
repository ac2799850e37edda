/* SPDX-License-Identifier: Apache-2.0 */
/* The first checks of every public function that differentiates. Its nodes come in several lists, so the
 * graph where derivatives are made is the innermost among all of them, and a fault of any is an error of
 * that graph, not of the one that a wrong node belongs to, where nobody would look for it. */
#include "grad_internal.h"

/* The innermost graph of those that belong together with the first node. */
static fx_graph *innermost(const fxi_grad_list *lists, size_t n) {
    fx_graph *graph = NULL;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; lists[k].nodes.v && i < lists[k].nodes.n; i++) {
            fx_node *x = lists[k].nodes.v[i];
            if (!x) continue;
            fx_node *const pair[] = {graph ? &graph->inert : x, x};
            graph = fxi_graph_of(pair, 2);
        }
    return graph;
}

static bool check_node(const fxi_build *b, const fxi_grad_list *list, size_t i) {
    const fx_node *x = list->nodes.v[i];
    if (!x) {
        if (!list->may_be_null) fxi_build_refuse(b, FX_ERROR_ARGUMENT, "%s %zu is NULL", list->what, i);
        return list->may_be_null;
    }
    if (!fxi_node_is_visible(x, b->graph)) {
        fxi_build_refuse(b, FX_ERROR_GRAPH, "%s %zu, %%%lld = %s, belongs to another graph", list->what, i,
                         (long long)x->id, fx_node_op(x));
        return false;
    }
    return x->op != FX_OP_INERT; /* its graph has the error */
}

static bool check_list(const fxi_build *b, const fxi_grad_list *list) {
    if (!list->nodes.n || !list->nodes.v) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, list->nodes.n ? "the %ss are NULL" : "there are no %ss",
                         list->what);
        return false;
    }
    for (size_t i = 0; i < list->nodes.n; i++) FX_TRY(check_node(b, list, i));
    return true;
}

bool fxi_grad_begin(fxi_build *b, const char *name, const fxi_grad_list *lists, size_t n) {
    if (!fxi_build_begin_leaf(b, name, innermost(lists, n))) return false;
    for (size_t k = 0; k < n; k++) FX_TRY(check_list(b, &lists[k]));
    return true;
}

bool fxi_grad_check_loss(const fxi_build *b, const fx_node *loss) {
    if (loss->shape.rank == 0 && fx_dtype_is_float(loss->shape.dtype)) return true;
    fxi_build_refuse(b, FX_ERROR_SHAPE, "the loss is %s instead of a scalar of floats",
                     fx_shape_to_text(&loss->shape).s);
    return false;
}
