/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for einsum and the products under other names. */
#include "cases.h"

#include <fluxion/einsum.h>

static struct value *call_binary(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.binary(args[0]->u.node, args[1]->u.node));
}

/* The operands are all arguments after the equation. */
static struct value *call_einsum(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_nodes operands = case_arg_nodes(eval, args[1]);
    for (size_t i = 0; i < operands.n; i++)
        if (args[1]->u.list.v[i]->kind != VALUE_NODE)
            return case_eval_fail(eval, "einsum: an operand is no node");
    return case_value_node(eval, fx_einsum(args[0]->u.s, operands));
}

/* Lists of two axes each. */
static bool take_pairs(struct eval *eval, const struct value *value, fx_axis_pairs *pairs) {
    size_t n = value && value->kind == VALUE_LIST ? value->u.list.n : 0;
    fx_axis_pair *v = arena_alloc(eval->arena, n + 1, sizeof *v);
    *pairs = (fx_axis_pairs){v, n};
    for (size_t i = 0; v && i < n; i++) {
        fx_axes axes = {NULL, 0};
        if (value->u.list.v[i]->kind == VALUE_LIST) axes = case_arg_axes(eval, value->u.list.v[i]);
        if (axes.n != 2) return case_eval_fail(eval, "einsum_axes: wants [[lhs, rhs], ...]") != NULL;
        v[i] = (fx_axis_pair){axes.v[0], axes.v[1]};
    }
    return v != NULL;
}

static struct value *call_einsum_axes(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_axis_pairs contract, batch;
    if (!take_pairs(eval, args[2], &contract) || !take_pairs(eval, args[3], &batch)) return NULL;
    return case_value_node(eval, fx_einsum_axes(args[0]->u.node, args[1]->u.node, contract, batch));
}

static struct value *call_tensordot(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_node *x = args[0]->u.node, *y = args[1]->u.node;
    return case_value_node(
        eval, args[3] ? fx_tensordot(x, y, case_arg_axes(eval, args[2]), case_arg_axes(eval, args[3]))
                      : fx_tensordot_count(x, y, case_arg_axes(eval, args[2]).v[0]));
}

#define BINARY(name, builder)                                                                                \
    {                                                                                                        \
        name, "n:x n:y", call_binary, {                                                                      \
            .binary = builder                                                                                \
        }                                                                                                    \
    }
#define ROW(name, signature, function)                                                                       \
    {                                                                                                        \
        name, signature, function, {                                                                         \
            .unary = NULL                                                                                    \
        }                                                                                                    \
    }

static const struct op ops[] = {
    ROW("einsum", "s:equation v:operands*", call_einsum),
    ROW("einsum_axes", "n:lhs n:rhs v:contracting? v:batch?", call_einsum_axes),
    ROW("tensordot", "n:x n:y a:axes a:y_axes?", call_tensordot),
    BINARY("outer", fx_outer),
    BINARY("kron", fx_kron),
    BINARY("vdot", fx_vdot),
    BINARY("inner", fx_inner),
};

const struct op_table case_ops_einsum = {ops, sizeof ops / sizeof *ops};
