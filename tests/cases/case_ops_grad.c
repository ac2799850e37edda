/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for grad.h: gradient(loss, [nodes]) gives one result per node; a custom gradient's lambda gets the
 * input and the adjoint of the result. */
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

static struct value *call_stop(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_stop_gradient(args[0]->u.node));
}

struct backward {
    struct eval *eval;
    const struct value *lambda;
};

static void pass_on(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = in[0];
}

/* in: the input, the result, the result's adjoint. */
static void run_backward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const struct backward *b = user;
    fx_graph *outer = b->eval->graph;
    struct value *args[] = {case_value_node(b->eval, in[0]), case_value_node(b->eval, in[2])};
    (void)n_in, (void)n_out;
    b->eval->graph = body;
    const struct value *result = case_eval_lambda(b->eval, b->lambda, args, 2);
    b->eval->graph = outer;
    if (result && result->kind == VALUE_NODE) out[0] = result->u.node;
}

static struct value *call_custom(struct eval *eval, const struct op *op, struct value *const *args) {
    struct backward *b = arena_alloc(eval->arena, 1, sizeof *b); /* backward may run after this call */
    fx_node *result = NULL;
    (void)op;
    if (!b) return case_eval_fail(eval, "no memory");
    *b = (struct backward){eval, args[1]};
    fx_custom_gradient((fx_nodes){&args[0]->u.node, 1}, pass_on, run_backward, b, 1, &result);
    return case_value_node(eval, result);
}

static const struct op ops[] = {
    {"gradient", "n:loss l:wrt", call_gradient, {.unary = NULL}},
    {"stop_gradient", "n:x", call_stop, {.unary = NULL}},
    {"identity_with_custom_gradient", "n:x L:backward", call_custom, {.unary = NULL}},
    {"optimization_barrier", "n:x", call_barrier, {.unary = NULL}},
};

const struct op_table case_ops_grad = {ops, sizeof ops / sizeof *ops};
