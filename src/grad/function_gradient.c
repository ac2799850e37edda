/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of functions: the function is run in a closure of its own, so that its inputs are variables of
 * their own whatever is passed for them, even the same node twice; the closure is then inlined. */
#include "grad_internal.h"
#include <fluxion/grad.h>

typedef struct loss_of {
    const char *name;
    fx_fn loss;
    void *user;
} loss_of;

/* Outputs: the loss, then the gradients by the inputs that have one. */
static void differentiate(const loss_of *l, const fxi_build *b, fx_node *const *in, size_t n_in,
                          fx_node **out, fx_node **wrt) {
    size_t n = 0;
    for (size_t i = 0; i < n_in; i++)
        if (fxi_grad_carries(in[i]->shape.dtype)) wrt[n++] = in[i];
    fx_node *one = fxi_grad_seed(b, out[0]->shape.dtype);
    if (n == 0 || !fxi_reverse(l->name, (fx_nodes){out, 1}, &one, (fx_nodes){wrt, n}, out + 1)) return;
    for (size_t i = 0; i < n; i++)
        if (!out[i + 1]) out[i + 1] = fx_zeros(b->graph, &wrt[i]->shape);
}

static void run_loss(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    const loss_of *l = user;
    fxi_build b;
    (void)n_out;
    l->loss(graph, in, n_in, out, 1, l->user);
    if (!out[0] || out[0]->op == FX_OP_INERT || !fxi_build_begin_leaf(&b, l->name, graph)) return;
    if (!fxi_grad_check_loss(&b, out[0])) return;
    fx_node **wrt = fxi_alloc_zeroed(n_in, sizeof *wrt);
    if (wrt)
        differentiate(l, &b, in, n_in, out, wrt);
    else
        fxi_build_refuse(&b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(wrt);
}

static fx_node *run(const fxi_build *b, loss_of *l, fx_nodes inputs, fx_node **gradients, fx_shape *shapes,
                    fx_node **found) {
    size_t n = 1;
    for (size_t i = 0; i < inputs.n; i++) {
        shapes[i] = inputs.v[i]->shape;
        n += fxi_grad_carries(shapes[i].dtype);
    }
    const fx_graph *body = fxi_closure_build(b->graph, b->name, run_loss, l, shapes, inputs.n, n);
    if (!body || !fxi_inline_closure(b, body, inputs.v, found)) return b->stop;
    for (size_t i = 0, next = 1; gradients && i < inputs.n; i++)
        gradients[i] = fxi_grad_carries(shapes[i].dtype) ? found[next++] : NULL;
    return found[0];
}

fx_node *fx_value_and_gradient(fx_fn loss, void *user, fx_nodes inputs, fx_node **gradients) {
    fxi_build b;
    loss_of l = {"fx_value_and_gradient", loss, user};
    bool ok = fxi_build_begin(&b, l.name, inputs.v, inputs.v ? inputs.n : 0);
    for (size_t i = 0; gradients && i < inputs.n; i++) gradients[i] = b.stop;
    if (!ok) return b.stop;
    if (!loss) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the closure is NULL");
    fx_shape *shapes = fxi_alloc_zeroed(inputs.n, sizeof *shapes);
    fx_node **found = fxi_alloc_zeroed(inputs.n + 1, sizeof *found);
    fx_node *made = shapes && found ? run(&b, &l, inputs, gradients, shapes, found)
                                    : fxi_build_refuse(&b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(shapes);
    fxi_free(found);
    return made;
}
