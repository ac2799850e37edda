/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for grad.h: gradient(loss, [nodes]) gives one result per node. */
#include "cases.h"
#include <fluxion/barrier.h>
#include <fluxion/grad.h>

static struct value *call_gradient(struct eval *eval, const struct op *op, struct value *const *args) {
    fx_nodes wrt = case_arg_nodes(eval, args[1]);
    fx_node **out = arena_alloc(eval->arena, wrt.n + 1, sizeof *out);
    (void)op;
    if (!out) return case_eval_fail(eval, "no memory");
    fx_gradient(args[0]->u.node, wrt, out);
    return case_value_nodes(eval, out, wrt.n);
}

static struct value *call_barrier(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_optimization_barrier(args[0]->u.node));
}

static const struct op ops[] = {
    {"gradient", "n:loss l:wrt", call_gradient, {.unary = NULL}},
    {"optimization_barrier", "n:x", call_barrier, {.unary = NULL}},
};

const struct op_table case_ops_grad = {ops, sizeof ops / sizeof *ops};
