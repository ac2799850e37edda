/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of scans and composites for a whole batch: closures in which what depends on the batch has one more
 * axis (batch.h). */
#include "batch.h"

static void build_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    const fxi_batch_body *w = user;
    fxi_build build;
    if (!fxi_build_begin_leaf(&build, w->b->build->name, graph)) return;
    fxi_batch inner = *w->b;
    inner.build = &build;
    inner.values = fxi_alloc_zeroed(w->body->nodes.count + 1, sizeof *inner.values);
    if (!inner.values) {
        fxi_build_refuse(&build, FX_ERROR_MEMORY, "out of memory");
        return;
    }
    for (size_t i = 0; i < n_in; i++)
        inner.values[w->body->parameters.data[i]->id] = (fxi_batched){in[i], w->batched[i]};
    if (fxi_batch_inline(&inner, w->body))
        for (size_t i = 0; i < n_out; i++)
            out[i] = w->output(w, &inner, inner.values[w->body->outputs[i]->id], i);
    fxi_free(inner.values);
}

/* False after refusing. */
static bool list_shapes(const fxi_batch_body *w, fxi_shapes *shapes) {
    for (size_t i = 0; i < w->body->parameters.count; i++) {
        fx_shape shape = w->body->parameters.data[i]->shape;
        if (w->batched[i] && !fxi_batch_shape(w->b, &w->body->parameters.data[i]->shape, &shape))
            return false;
        if (FXI_PUSH(shapes, shape)) continue;
        fxi_build_refuse(w->b->build, FX_ERROR_MEMORY, "out of memory");
        return false;
    }
    return true;
}

fx_graph *fxi_batch_closure(const fxi_batch_body *w) {
    const fxi_build *build = w->b->build;
    fxi_shapes shapes = {0};
    fx_graph *made = NULL;
    if (list_shapes(w, &shapes))
        made = fxi_closure_build(build->graph, build->name, build_body, (void *)w, shapes.data, shapes.count,
                                 w->body->output_count);
    fxi_free(shapes.data);
    return made;
}
