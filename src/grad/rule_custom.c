/* SPDX-License-Identifier: Apache-2.0 */
/* A user's operations: derivatives are closures that came with it (custom.h), run where derivatives are
 * built. The struct tells by its size whether it has them. */
#include "grad_internal.h"
#include <stddef.h>

static const fx_custom *custom_of(const fx_node *n) {
    return fxi_node_attr(n, FXI_ATTR_CUSTOM)->u.custom;
}

static void refuse(const fxi_build *b, const fx_node *n, const char *mode, const char *member) {
    fxi_build_refuse(
        b, FX_ERROR_UNSUPPORTED,
        "%%%lld = custom_call at %s:%d has no %s derivative: %s comes without one (fx_custom.%s)",
        (long long)n->id, n->file ? n->file : "?", n->line, mode, custom_of(n)->name, member);
}

/* Inputs, outputs, then values or zeros: one per output or one per input. */
static bool list_inputs(const fxi_build *b, fx_node *n, fx_node *const *values, bool of_outputs,
                        fxi_nodes *in) {
    bool ok = true;
    size_t results = fxi_node_results(n);
    for (uint32_t i = 0; ok && i < n->operand_count; i++) ok = FXI_PUSH(in, n->operands[i]);
    for (size_t i = 0; ok && i < results; i++) ok = FXI_PUSH(in, fxi_node_result(n, i));
    for (size_t i = 0; ok && i < (of_outputs ? results : n->operand_count); i++) {
        const fx_shape *shape = of_outputs ? fxi_node_result_shape(n, i) : &n->operands[i]->shape;
        ok = FXI_PUSH(in, fxi_grad_or_zeros(b, values[i], shape));
    }
    return ok;
}

/* What the closure gave as number i of the inputs or outputs, in the graph where derivatives are built: it
 * may be a node of one that encloses it. */
static fx_node *take(const fxi_build *b, const fx_node *n, fx_node *x, bool reverse, size_t i) {
    const fx_shape *shape = reverse ? &n->operands[i]->shape : fxi_node_result_shape(n, i);
    const char *what = reverse ? "vjp" : "jvp", *of = reverse ? "input" : "output";
    if (!x || !fxi_grad_carries(shape->dtype)) return NULL;
    if (!fxi_node_is_visible(x, b->graph))
        return fxi_build_refuse(b, FX_ERROR_GRAPH,
                                "%s of %s: what it gives for %s %zu belongs to another graph",
                                what, custom_of(n)->name, of, i);
    if (x->op == FX_OP_INERT) return b->stop;
    if (!fx_shape_equal(&x->shape, shape) && !fxi_grad_fits(x, shape))
        return fxi_build_refuse(b, FX_ERROR_SHAPE, "%s of %s: it gives %s for %s %zu instead of %s", what,
                                custom_of(n)->name, fx_shape_to_text(&x->shape).s, of, i,
                                fx_shape_to_text(shape).s);
    x = fxi_graph_capture(b->graph, fx_convert(x, fxi_grad_dtype(shape->dtype)));
    return x ? x : fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
}

static void run(const fxi_build *b, fx_node *n, fx_node *const *values, bool reverse, fx_node **out,
                size_t n_out) {
    const fx_custom *custom = custom_of(n);
    fxi_nodes in = {0};
    if (list_inputs(b, n, values, reverse, &in))
        (reverse ? custom->vjp : custom->jvp)(b->graph, in.data, in.count, out, n_out, custom->user);
    else
        fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < n_out; i++) out[i] = take(b, n, out[i], reverse, i);
    fxi_free(in.data);
}

static void vjp_custom(const fxi_vjp *v) {
    const fx_custom *custom = custom_of(v->n);
    if (custom->size < offsetof(fx_custom, vjp) + sizeof custom->vjp || !custom->vjp)
        refuse(v->b, v->n, "reverse", "vjp");
    else
        run(v->b, v->n, v->adjoints, true, v->out, v->n->operand_count);
}

static void jvp_custom(const fxi_jvp *j) {
    const fx_custom *custom = custom_of(j->n);
    if (custom->size < offsetof(fx_custom, jvp) + sizeof custom->jvp || !custom->jvp)
        refuse(j->b, j->n, "forward", "jvp");
    else
        run(j->b, j->n, j->tangents, false, j->out, fxi_node_results(j->n));
}

const fxi_grad_rule fxi_gradrule_custom_call = {.vjp = vjp_custom, .jvp = jvp_custom};
