/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of both modes: checks, then the walk; what nothing depends on gets zeros. */
#include "grad_internal.h"
#include <fluxion/grad.h>

/* Results that came out, in the caller's list or our own. */
typedef struct results_room {
    fx_node **v;
    bool own;
} results_room;

static bool take_room(const fxi_build *b, fx_node **results, size_t n, results_room *room) {
    *room = (results_room){results, results == NULL};
    if (!results) room->v = fxi_alloc_zeroed(n + 1, sizeof *room->v);
    if (!room->v) fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    return room->v != NULL;
}

/* Zeros in the places that stayed empty, the inert node everywhere after a failure; gives the first. */
static fx_node *finish(const fxi_build *b, results_room *room, const fx_nodes like, bool ok) {
    for (size_t i = like.n; i-- > 0;) {
        if (!ok) room->v[i] = b->stop;
        if (!room->v[i]) room->v[i] = fx_zeros(b->graph, &like.v[i]->shape);
    }
    fx_node *first = like.n ? room->v[0] : b->stop;
    if (room->own) fxi_free(room->v);
    return first;
}

/* Every place of the caller's list after a failure. */
static fx_node *fail(const fxi_build *b, fx_node **results, size_t n) {
    for (size_t i = 0; results && i < n; i++) results[i] = b->stop;
    return b->stop;
}

/* ---- gradient ---- */

fx_node *fx_gradient(fx_node *loss, fx_nodes wrt, fx_node **results) {
    static const char name[] = "fx_gradient";
    const fxi_grad_list lists[] = {{{&loss, 1}, "loss", false}, {wrt, "node", false}};
    fxi_build b;
    results_room room;
    if (!fxi_grad_begin(&b, name, lists, 2) || !take_room(&b, results, wrt.n, &room))
        return fail(&b, results, wrt.n);
    bool ok = fxi_grad_check_loss(&b, loss);
    if (ok) {
        fx_node *one = fxi_grad_seed(&b, loss->shape.dtype);
        ok = fxi_reverse(name, (fx_nodes){&loss, 1}, &one, wrt, room.v);
    }
    return finish(&b, &room, wrt, ok);
}

/* ---- vjp, jvp ---- */

/* One value per node, NULL or of its shape. */
static bool check_values(const fxi_build *b, fx_nodes values, fx_nodes nodes, const char *what) {
    if (values.n != nodes.n) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there are %zu %ss for %zu nodes", values.n, what, nodes.n);
        return false;
    }
    for (size_t i = 0; i < nodes.n; i++) {
        if (values.v[i] && !fxi_grad_carries(nodes.v[i]->shape.dtype)) {
            fxi_build_refuse(b, FX_ERROR_DTYPE, "%s %zu is of %s, which has no derivatives: it must be NULL",
                             what, i, fx_shape_to_text(&nodes.v[i]->shape).s);
            return false;
        }
        if (!values.v[i] || fx_shape_equal(&values.v[i]->shape, &nodes.v[i]->shape)) continue;
        fxi_build_refuse(b, FX_ERROR_SHAPE, "%s %zu is %s instead of %s", what, i,
                         fx_shape_to_text(&values.v[i]->shape).s, fx_shape_to_text(&nodes.v[i]->shape).s);
        return false;
    }
    return true;
}

typedef bool (*mode)(const char *name, fx_nodes outputs, fx_nodes wrt, fx_nodes values, fx_node **results);

static bool by_reverse(const char *name, fx_nodes outputs, fx_nodes wrt, fx_nodes values, fx_node **results) {
    return fxi_reverse(name, outputs, values.v, wrt, results);
}

static bool by_forward(const char *name, fx_nodes outputs, fx_nodes wrt, fx_nodes values, fx_node **results) {
    return fxi_forward(name, outputs, wrt, values.v, results);
}

/* Reverse: values belong to the outputs and results to wrt; forward: the other way round. */
static fx_node *product(const char *name, fx_nodes outputs, fx_nodes wrt, fx_nodes values, bool reverse,
                        fx_node **results) {
    const char *what = reverse ? "adjoint" : "tangent";
    const fxi_grad_list lists[] = {{outputs, "output", false}, {wrt, "node", false}, {values, what, true}};
    const fx_nodes of_results = reverse ? wrt : outputs;
    fxi_build b;
    results_room room;
    if (!fxi_grad_begin(&b, name, lists, 3) || !check_values(&b, values, reverse ? outputs : wrt, what) ||
        !take_room(&b, results, of_results.n, &room))
        return fail(&b, results, of_results.n);
    const mode run = reverse ? by_reverse : by_forward;
    return finish(&b, &room, of_results, run(name, outputs, wrt, values, room.v));
}

fx_node *fx_vjp(fx_nodes outputs, fx_nodes adjoints, fx_nodes wrt, fx_node **results) {
    return product("fx_vjp", outputs, wrt, adjoints, true, results);
}

fx_node *fx_jvp(fx_nodes outputs, fx_nodes wrt, fx_nodes tangents, fx_node **results) {
    return product("fx_jvp", outputs, wrt, tangents, false, results);
}
