/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for sorting.h. */
#include "cases.h"

#include <fluxion/sorting.h>

static struct value *call_sort(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_sort(args[0]->u.node, case_arg_int(args[1], 0), args[2]->u.b));
}

static struct value *call_select(struct eval *eval, const struct op *op, struct value *const *args) {
    fx_node *out[2], *x = args[0]->u.node;
    int64_t k = args[1]->u.number.i;
    int axis = case_arg_int(args[2], -1);
    out[0] = op->name[0] == 't' ? fx_top_k(x, k, axis, &out[1]) : fx_bottom_k(x, k, axis, &out[1]);
    return case_value_nodes(eval, out, 2);
}

static struct value *call_mask(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_top_k_mask(args[0]->u.node, args[1]->u.number.i, case_arg_int(args[2], -1)));
}

static struct value *call_argsort(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_argsort(args[0]->u.node, case_arg_int(args[1], 0), args[2]->u.b));
}

/* A lambda as a closure. */
struct comparator {
    struct eval *eval;
    const struct value *lambda;
};

static void run_lambda(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const struct comparator *c = user;
    (void)n_out;
    fx_graph *outer = c->eval->graph;
    struct value **args = arena_alloc(c->eval->arena, n_in, sizeof *args);
    for (size_t i = 0; args && i < n_in; i++) args[i] = case_value_node(c->eval, in[i]);
    c->eval->graph = body;
    const struct value *result = args ? case_eval_lambda(c->eval, c->lambda, args, n_in) : NULL;
    c->eval->graph = outer;
    if (result && result->kind == VALUE_NODE) out[0] = result->u.node;
}

static struct value *call_sort_func(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    struct comparator c = {eval, args[0]};
    fx_nodes operands = case_arg_nodes(eval, args[3]);
    fx_node **out = arena_alloc(eval->arena, operands.n + 1, sizeof *out);
    if (!out) return case_eval_fail(eval, "no memory");
    fx_sort_func(run_lambda, &c, case_arg_int(args[1], 0), operands, out);
    return case_value_nodes(eval, out, operands.n);
}

static const struct op ops[] = {
    {"sort_func", "L:comparator i:axis b:stable l:operands*", call_sort_func, {.unary = NULL}},
    {"top_k", "n:x i:k i:axis", call_select, {.unary = NULL}},
    {"bottom_k", "n:x i:k i:axis", call_select, {.unary = NULL}},
    {"top_k_mask", "n:x i:k i:axis", call_mask, {.unary = NULL}},
    {"argsort", "n:x i:axis b:ascending", call_argsort, {.unary = NULL}},
    {"sort", "n:x i:axis b:ascending", call_sort, {.unary = NULL}},
};

const struct op_table case_ops_sort = {ops, sizeof ops / sizeof *ops};
