/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for control.h: lambdas become closures, evaluated when the builder runs them, in the closure's graph. */
#include "cases.h"

#include <fluxion/control.h>

/* What a closure is run with: which of its lambdas comes next follows from the order in which builders call. */
struct lambdas {
    struct eval *eval;
    struct value *const *lambda; /* in that order */
    size_t next;
};

/* The results of one lambda, a node or a list of nodes, in the closure's graph; what is missing stays NULL. */
static void run_lambda(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    struct lambdas *lambdas = user;
    struct eval *eval = lambdas->eval;
    fx_graph *outside = eval->graph;
    struct value *args[CASE_MAX_ARGS], *result = NULL;
    const struct value *lambda = lambdas->lambda[lambdas->next++];
    if (n_in > CASE_MAX_ARGS) return;
    for (size_t i = 0; i < n_in; i++) args[i] = case_value_node(eval, in[i]);
    eval->graph = body;
    result = case_eval_lambda(eval, lambda, args, n_in);
    eval->graph = outside;
    if (!result) return;
    struct value *one[] = {result}, *const *list = result->kind == VALUE_LIST ? result->u.list.v : one;
    size_t n = result->kind == VALUE_LIST ? result->u.list.n : 1;
    for (size_t i = 0; i < n_out && i < n; i++)
        if (list[i]->kind == VALUE_NODE) out[i] = list[i]->u.node;
}

static struct value *call_while(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    struct lambdas lambdas = {eval, args, 0};
    size_t n = args[2]->u.list.n;
    fx_node *states[CASE_MAX_ARGS], *results[CASE_MAX_ARGS];
    if (n == 0 || n > CASE_MAX_ARGS) return case_eval_fail(eval, "%zu states", n);
    for (size_t i = 0; i < n; i++) {
        if (args[2]->u.list.v[i]->kind != VALUE_NODE) return case_eval_fail(eval, "state %zu is no node", i);
        states[i] = args[2]->u.list.v[i]->u.node;
    }
    fx_while((fx_nodes){states, n}, run_lambda, run_lambda, &lambdas, results);
    return case_value_nodes(eval, results, n);
}

/* The number of results is that of the first branch's list, known from its tree. */
static size_t result_count(const struct value *lambda) {
    const struct tree *body = lambda->u.lambda.tree->first;
    size_t n = 0;
    if (body->kind != TREE_LIST) return 1;
    for (const struct tree *t = body->first; t; t = t->next) n++;
    return n;
}

static struct value *call_if(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    struct lambdas lambdas = {eval, args + 1, 0};
    fx_node *results[CASE_MAX_ARGS];
    size_t n = result_count(args[1]);
    if (n == 0 || n > CASE_MAX_ARGS) return case_eval_fail(eval, "%zu results", n);
    fx_if(args[0]->u.node, run_lambda, run_lambda, n, &lambdas, results);
    return case_value_nodes(eval, results, n);
}

static const struct op ops[] = {
    {"while_", "L:condition L:body v:states*", call_while, {.unary = NULL}},
    {"if_", "n:predicate L:then L:otherwise", call_if, {.unary = NULL}},
};

const struct op_table case_ops_control = {ops, sizeof ops / sizeof *ops};
