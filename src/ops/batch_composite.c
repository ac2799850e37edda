/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of composites: the closures are inlined for the whole batch into closures of a composite of the
 * same name, so that its derivative stays its own. What has no batch stays without; in the backward
 * closure its adjoint is the sum over the batch. All results have the batch. */
#include "batch.h"

typedef struct batched_body {
    const fxi_batch *b;
    const fx_graph *body;
    const bool *batched; /* per parameter of the body */
    size_t summed;       /* that many outputs are adjoints of parameters, which must be as these */
} batched_body;

static fx_node *output(const batched_body *w, const fxi_batch *inner, fxi_batched value, size_t i) {
    if (i >= w->summed || w->batched[i]) return fxi_batch_spread(inner, value);
    const fx_node *parameter = w->body->parameters.data[i];
    if (fx_dtype_is_float(parameter->shape.dtype) || fx_dtype_is_complex(parameter->shape.dtype))
        return fx_reduce_sum(fxi_batch_spread(inner, value), (fx_axes){(const int[]){0}, 1});
    return fx_zeros(inner->build->graph, &parameter->shape);
}

static void build_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    const batched_body *w = user;
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
            out[i] = output(w, &inner, inner.values[w->body->outputs[i]->id], i);
    fxi_free(inner.values);
}

/* False after refusing. */
static bool list_shapes(const batched_body *w, fxi_shapes *shapes) {
    bool ok = true;
    for (size_t i = 0; ok && i < w->body->parameters.count; i++) {
        fx_shape shape = w->body->parameters.data[i]->shape;
        if (w->batched[i]) {
            if (shape.rank == FX_MAX_RANK) {
                fxi_build_refuse(w->b->build, FX_ERROR_SHAPE,
                                 "a batch axis would exceed the highest rank, %d", FX_MAX_RANK);
                return false;
            }
            for (int k = shape.rank++; k > 0; k--) shape.dims[k] = shape.dims[k - 1];
            shape.dims[0] = w->b->size;
        }
        ok = FXI_PUSH(shapes, shape);
    }
    if (!ok) fxi_build_refuse(w->b->build, FX_ERROR_MEMORY, "out of memory");
    return ok;
}

static fx_graph *batch_body(const batched_body *w) {
    const fxi_build *build = w->b->build;
    fxi_shapes shapes = {0};
    fx_graph *made = NULL;
    if (list_shapes(w, &shapes))
        made = fxi_closure_build(build->graph, build->name, build_body, (void *)w, shapes.data, shapes.count,
                                 w->body->output_count);
    fxi_free(shapes.data);
    return made;
}

static fx_node *remake(const fxi_batch *b, const fx_node *n, const fxi_batched *x, fx_graph **made,
                       bool *marks, fx_node **operands) {
    fxi_graphs bodies = fxi_node_bodies(n);
    size_t inputs = (size_t)fxi_node_int(n, FXI_ATTR_INPUTS), outputs = bodies.v[0]->output_count;
    size_t first = bodies.v[0]->parameters.count; /* of the operands that the backward closure captured */
    for (uint32_t i = 0; i < n->operand_count; i++) {
        operands[i] = x[i].node;
        marks[i] = x[i].batched;
    }
    made[0] = batch_body(&(batched_body){b, bodies.v[0], marks, 0});
    if (!made[0]) return b->build->stop;
    for (size_t i = 0; i < 2 * outputs; i++) marks[inputs + i] = true;
    for (size_t i = first; i < n->operand_count; i++) marks[inputs + 2 * outputs + i - first] = x[i].batched;
    if (bodies.n == 2) made[1] = batch_body(&(batched_body){b, bodies.v[1], marks, inputs});
    if (bodies.n == 2 && !made[1]) return b->build->stop;
    const fxi_attr attr = fxi_attr_graphs(FXI_ATTR_BODIES, made, bodies.n);
    return fxi_build_like(b->build, n, operands, &attr, 1, NULL);
}

fx_node *fxi_batch_composite(const fxi_batch *b, const fx_node *n, const fxi_batched *operands) {
    fx_graph *made[2] = {NULL, NULL};
    fxi_arena arena = {0};
    size_t count = n->operand_count + 2 * fxi_node_results(n);
    bool *marks = fxi_arena_alloc(&arena, count, sizeof *marks);
    fx_node **list = fxi_arena_alloc(&arena, count, sizeof *list);
    fx_node *result = marks && list ? remake(b, n, operands, made, marks, list)
                                    : fxi_build_refuse(b->build, FX_ERROR_MEMORY, "out of memory");
    fxi_arena_free(&arena);
    return result;
}
