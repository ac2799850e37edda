/* SPDX-License-Identifier: Apache-2.0 */
/* fx_vmap: the function is built once as a closure, for one example, and then inlined for the whole batch
 * (batch.h). The closure itself is not part of the program. */
#include "batch.h"
#include <fluxion/vmap.h>
#include <string.h>

typedef struct vmap {
    fxi_build b;
    fx_nodes inputs;
    const int *in_axes, *out_axes;
    int64_t size;
    fx_shape *shapes; /* of one example, per input */
    int *axes;        /* normalised, -1: none */
} vmap;

static bool refuse(const vmap *v, fx_error_code code, const char *what, size_t i) {
    fxi_build_refuse(&v->b, code, "%s %zu", what, i);
    return false;
}

static bool read_input(vmap *v, size_t i) {
    const fx_shape *shape = &v->inputs.v[i]->shape;
    int axis = v->in_axes ? v->in_axes[i] : 0;
    int64_t normalized;
    v->shapes[i] = *shape;
    v->axes[i] = -1;
    if (axis == FX_NOT_BATCHED) return true;
    if (!fxi_build_axis(&v->b, v->inputs.v[i], axis, &normalized)) return false;
    v->axes[i] = (int)normalized;
    if (v->size >= 0 && v->size != shape->dims[normalized])
        return refuse(v, FX_ERROR_SHAPE, "the batch axes differ in length, at input", i);
    v->size = shape->dims[normalized];
    for (int k = (int)normalized; k + 1 < shape->rank; k++) v->shapes[i].dims[k] = shape->dims[k + 1];
    v->shapes[i].rank--;
    v->shapes[i].dims[v->shapes[i].rank] = 0;
    return true;
}

static bool read_inputs(vmap *v) {
    v->size = -1;
    for (size_t i = 0; i < v->inputs.n; i++)
        if (!read_input(v, i)) return false;
    if (v->size >= 0) return true;
    fxi_build_refuse(&v->b, FX_ERROR_ARGUMENT, "no input has a batch axis");
    return false;
}

/* Values of the body's parameters: inputs, batch first, then captures. */
static void pass_inputs(const vmap *v, const fx_graph *body, fxi_batched *values) {
    for (size_t i = 0; i < v->inputs.n; i++) {
        fx_node *x =
            v->axes[i] > 0 ? fxi_batch_move_axis(&v->b, v->inputs.v[i], v->axes[i], 0) : v->inputs.v[i];
        values[body->parameters.data[i]->id] = (fxi_batched){x, v->axes[i] >= 0};
    }
    for (size_t i = 0; i < body->captures.count; i++)
        values[body->captures.data[i]->inner->id] = (fxi_batched){body->captures.data[i]->outer, false};
    for (size_t i = 0; i < body->copies.count; i++)
        values[body->copies.data[i]->inner->id] = (fxi_batched){body->copies.data[i]->outer, false};
}

/* All nodes but the copies of constants, for which the constants themselves are there. */
static bool inline_all(fxi_batch *batch, const fx_graph *body) {
    bool *wanted = fxi_alloc_zeroed(body->nodes.count + 1, sizeof *wanted);
    for (size_t i = 0; wanted && i < body->nodes.count; i++) wanted[i] = !batch->values[i].node;
    if (!wanted) fxi_build_refuse(batch->build, FX_ERROR_MEMORY, "out of memory");
    bool ok = wanted && fxi_batch_inline_some(batch, body, wanted);
    fxi_free(wanted);
    return ok;
}

static fx_node *place_output(const vmap *v, const fxi_batch *batch, fxi_batched value, size_t i) {
    fx_node *x = fxi_batch_spread(batch, value);
    int64_t axis = 0;
    if (v->out_axes && !fxi_build_axis(&v->b, x, v->out_axes[i], &axis)) return v->b.stop;
    return fxi_batch_move_axis(&v->b, x, 0, (int)axis);
}

static fx_node *run(vmap *v, fx_fn fn, void *user, size_t n_results, fx_node **results) {
    if (!read_inputs(v)) return v->b.stop;
    const fx_graph *body =
        fxi_closure_build(v->b.graph, v->b.name, fn, user, v->shapes, v->inputs.n, n_results);
    if (!body) return v->b.stop;
    fxi_batch batch = {&v->b, v->size, fxi_alloc_zeroed(body->nodes.count, sizeof(fxi_batched))};
    if (!batch.values) return fxi_build_refuse(&v->b, FX_ERROR_MEMORY, "out of memory");
    pass_inputs(v, body, batch.values);
    fx_node *first = v->b.stop;
    if (inline_all(&batch, body))
        for (size_t i = 0; i < n_results; i++) {
            fx_node *x = place_output(v, &batch, batch.values[body->outputs[i]->id], i);
            if (results) results[i] = x;
            if (i == 0) first = x;
        }
    fxi_free(batch.values);
    return first;
}

fx_node *fx_vmap(fx_nodes inputs, const int *in_axes, fx_fn fn, void *user, size_t n_results,
                 const int *out_axes, fx_node **results) {
    vmap v = {.inputs = inputs, .in_axes = in_axes, .out_axes = out_axes};
    fx_node *made;
    if (!fxi_build_begin(&v.b, "fx_vmap", inputs.v, inputs.v ? inputs.n : 0))
        return fxi_build_results(v.b.stop, results, n_results);
    for (size_t i = 0; results && i < n_results; i++) results[i] = v.b.stop;
    if (n_results == 0) return fxi_build_refuse(&v.b, FX_ERROR_ARGUMENT, "the function gives no result");
    v.shapes = fxi_alloc_zeroed(inputs.n, sizeof *v.shapes);
    v.axes = fxi_alloc_zeroed(inputs.n, sizeof *v.axes);
    made = v.shapes && v.axes ? run(&v, fn, user, n_results, results)
                              : fxi_build_refuse(&v.b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(v.shapes);
    fxi_free(v.axes);
    return made;
}
