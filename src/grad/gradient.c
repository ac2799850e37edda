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

static bool check_list(const fxi_build *b, fx_nodes list, const char *what) {
    if (list.n && list.v) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, list.n ? "the %s are NULL" : "there are no %s", what);
    return false;
}

/* ---- gradient ---- */

fx_node *fx_gradient(fx_node *loss, fx_nodes wrt, fx_node **results) {
    static const char name[] = "fx_gradient";
    fxi_build b, all;
    results_room room;
    if (!fxi_build_begin(&b, name, &loss, 1) || !check_list(&b, wrt, "nodes") ||
        !fxi_build_begin(&all, name, wrt.v, wrt.n) || !take_room(&b, results, wrt.n, &room))
        return b.stop;
    bool ok = loss->shape.rank == 0 && fx_dtype_is_float(loss->shape.dtype);
    if (!ok)
        fxi_build_refuse(&b, FX_ERROR_SHAPE, "the loss is %s instead of a scalar of floats",
                         fx_shape_to_text(&loss->shape).s);
    if (ok) {
        fx_node *one = fxi_grad_seed(&b, loss->shape.dtype);
        ok = fxi_reverse(name, (fx_nodes){&loss, 1}, &one, wrt, room.v);
    }
    return finish(&b, &room, wrt, ok);
}

/* ---- vjp, jvp ---- */

/* One value per node, NULL or of its shape. */
static bool check_values(const fxi_build *b, fx_nodes values, fx_nodes nodes, const char *what) {
    if (values.n != nodes.n || !values.v) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there are %zu %ss for %zu nodes", values.v ? values.n : 0,
                         what, nodes.n);
        return false;
    }
    for (size_t i = 0; i < nodes.n; i++) {
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
    fxi_build b, other;
    results_room room;
    const fx_nodes of_results = reverse ? wrt : outputs;
    if (!fxi_build_begin(&b, name, outputs.v, outputs.v ? outputs.n : 0)) return b.stop;
    if (!check_list(&b, outputs, "outputs") || !check_list(&b, wrt, "nodes") ||
        !fxi_build_begin(&other, name, wrt.v, wrt.n) ||
        !check_values(&b, values, reverse ? outputs : wrt, reverse ? "adjoint" : "tangent") ||
        !take_room(&b, results, of_results.n, &room))
        return b.stop;
    const mode run = reverse ? by_reverse : by_forward;
    return finish(&b, &room, of_results, run(name, outputs, wrt, values, room.v));
}

fx_node *fx_vjp(fx_nodes outputs, fx_nodes adjoints, fx_nodes wrt, fx_node **results) {
    return product("fx_vjp", outputs, wrt, adjoints, true, results);
}

fx_node *fx_jvp(fx_nodes outputs, fx_nodes wrt, fx_nodes tangents, fx_node **results) {
    return product("fx_jvp", outputs, wrt, tangents, false, results);
}
