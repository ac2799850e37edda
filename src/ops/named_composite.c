/* SPDX-License-Identifier: Apache-2.0 */
/* Composites as nodes: closures under a name. A backend that knows the name may run a kernel of its own;
 * for any other the passes inline the first closure. The second, if there is one, is the derivative in
 * reverse mode. */
#include "ops/ops.h"
#include <string.h>

typedef struct backward {
    const fxi_composite *c;
    size_t inputs;
} backward;

/* The user's closure; an adjoint that it leaves out is zero. */
static void run_backward(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    const backward *w = user;
    w->c->backward(graph, in, n_in, out, n_out, w->c->user);
    for (size_t i = 0; i < n_out; i++)
        if (!out[i]) out[i] = fx_zeros(graph, &in[i]->shape);
}

static bool list_shapes(fx_nodes inputs, const fx_graph *forward, fxi_shapes *shapes) {
    bool ok = true;
    for (size_t i = 0; ok && i < inputs.n; i++) ok = FXI_PUSH(shapes, inputs.v[i]->shape);
    for (size_t i = 0; ok && forward && i < 2 * forward->output_count; i++)
        ok = FXI_PUSH(shapes, forward->outputs[i % forward->output_count]->shape);
    return ok;
}

static fx_graph *build(const fxi_build *b, const fxi_composite *c, fx_nodes inputs, const fx_graph *forward,
                       size_t n_out) {
    fxi_shapes shapes = {0};
    backward w = {c, inputs.n};
    fx_graph *made = NULL;
    if (!list_shapes(inputs, forward, &shapes))
        fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    else
        made = fxi_closure_build(b->graph, b->name, forward ? run_backward : c->forward,
                                 forward ? (void *)&w : c->user, shapes.data, shapes.count, n_out);
    fxi_free(shapes.data);
    return made;
}

static fx_node *make(const fxi_build *b, const fxi_composite *c, fx_nodes inputs, fx_graph *const *bodies,
                     size_t n_bodies) {
    fxi_nodes operands = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < inputs.n; i++) ok = FXI_PUSH(&operands, inputs.v[i]);
    for (size_t k = 0; k < n_bodies; k++)
        for (size_t i = 0; ok && i < bodies[k]->captures.count; i++)
            ok = FXI_PUSH(&operands, bodies[k]->captures.data[i]->outer);
    fxi_attr attrs[] = {{.id = FXI_ATTR_NAME},
                        fxi_attr_ints(FXI_ATTR_SETTINGS, c->settings, c->n_settings),
                        fxi_attr_int(FXI_ATTR_INPUTS, (int64_t)inputs.n),
                        fxi_attr_graphs(FXI_ATTR_BODIES, bodies, n_bodies)};
    attrs[0].u.text = c->name;
    fx_node *made = ok ? fxi_build_node(b, FX_OP_COMPOSITE, operands.data, operands.count, attrs, 4, NULL)
                       : fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(operands.data);
    return made;
}

fx_node *fxi_build_composite(const fxi_build *b, const fxi_composite *c, fx_nodes inputs, size_t n_results) {
    fx_graph *bodies[2] = {build(b, c, inputs, NULL, n_results), NULL};
    if (bodies[0] && c->backward) bodies[1] = build(b, c, inputs, bodies[0], inputs.n);
    if (!bodies[0] || (c->backward && !bodies[1])) return b->stop;
    return make(b, c, inputs, bodies, c->backward ? 2 : 1);
}

int64_t fxi_bits_of_double(double value) {
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double fxi_double_of_bits(int64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
