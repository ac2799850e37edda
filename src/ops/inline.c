/* SPDX-License-Identifier: Apache-2.0 */
/* Inlining: the nodes of a finished closure as nodes of the graph that is being built. Values are listed by
 * the ids of the closure's nodes; those that are there already, its parameters at least, are used as they
 * are, so a caller can take a part of a closure, or give some of its nodes other values. Vectorization
 * (batch.c) does the same with one more axis. */
#include "ops/ops.h"

/* Numbers that the library made stay its own: derivatives know their values (fxi_grad_splat). */
static bool stays_hidden(const fx_node *n) {
    if (!n->hidden) return false;
    return n->op == FX_OP_CONSTANT || n->op == FX_OP_BROADCAST_IN_DIM || n->op == FX_OP_RESHAPE;
}

fx_node *fxi_inline_node(const fxi_build *b, const fx_node *n, fx_node *const *operands) {
    fx_node *made =
        n->op == FX_OP_RESULT
            ? fxi_node_result(operands[0], (size_t)fxi_node_int(n, FXI_ATTR_RESULT))
            : fxi_build_node(b, n->op, operands, n->operand_count, n->attrs, n->attr_count, &n->shape);
    if (made && made->op != FX_OP_INERT && !made->file) {
        made->file = n->file;
        made->line = n->line;
        made->hidden = stays_hidden(n);
    }
    return made;
}

static bool inline_one(const fxi_build *b, const fx_node *n, fx_node **values, fx_node **operands) {
    if (n->op == FX_OP_PARAMETER) {
        fxi_build_refuse(b, FX_ERROR_INTERNAL, "a closure's input is not given");
        return false;
    }
    for (uint32_t i = 0; i < n->operand_count; i++) {
        operands[i] = values[n->operands[i]->id];
        if (operands[i]) continue;
        fxi_build_refuse(b, FX_ERROR_INTERNAL, "a closure's %%%lld is used without a value",
                         (long long)n->operands[i]->id);
        return false;
    }
    values[n->id] = fxi_inline_node(b, n, operands);
    return values[n->id] && values[n->id]->op != FX_OP_INERT;
}

void fxi_inline_mark(const fx_graph *body, bool *wanted) {
    for (size_t i = body->nodes.count; i-- > 0;) {
        const fx_node *n = body->nodes.data[i];
        for (uint32_t k = 0; wanted[i] && k < n->operand_count; k++) wanted[n->operands[k]->id] = true;
    }
}

bool fxi_inline(const fxi_build *b, const fx_graph *body, const bool *wanted, fx_node **values) {
    FXI_VEC(fx_node *) operands = {0};
    bool ok = true;
    for (size_t i = 0; i < body->nodes.count && ok; i++) {
        const fx_node *n = body->nodes.data[i];
        if (values[i] || (wanted && !wanted[i])) continue;
        ok = FXI_RESERVE(&operands, n->operand_count + 1u);
        if (!ok) fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
        ok = ok && inline_one(b, n, values, operands.data);
    }
    fxi_free(operands.data);
    return ok;
}

bool fxi_inline_closure(const fxi_build *b, const fx_graph *body, fx_node *const *inputs, fx_node **outputs) {
    fx_node **values = fxi_alloc_zeroed(body->nodes.count + 1, sizeof *values);
    if (!values) {
        fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
        return false;
    }
    size_t given = body->parameters.count - body->captures.count;
    for (size_t i = 0; i < given; i++) values[body->parameters.data[i]->id] = inputs[i];
    for (size_t i = 0; i < body->captures.count; i++)
        values[body->captures.data[i]->inner->id] = body->captures.data[i]->outer;
    for (size_t i = 0; i < body->copies.count; i++)
        values[body->copies.data[i]->inner->id] = body->copies.data[i]->outer;
    bool ok = fxi_inline(b, body, NULL, values);
    for (size_t i = 0; ok && i < body->output_count; i++) outputs[i] = values[body->outputs[i]->id];
    fxi_free(values);
    return ok;
}
