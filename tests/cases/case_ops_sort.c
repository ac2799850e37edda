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

static const struct op ops[] = {
    {"top_k", "n:x i:k i:axis", call_select, {.unary = NULL}},
    {"bottom_k", "n:x i:k i:axis", call_select, {.unary = NULL}},
    {"top_k_mask", "n:x i:k i:axis", call_mask, {.unary = NULL}},
    {"argsort", "n:x i:axis b:ascending", call_argsort, {.unary = NULL}},
    {"sort", "n:x i:axis b:ascending", call_sort, {.unary = NULL}},
};

const struct op_table case_ops_sort = {ops, sizeof ops / sizeof *ops};
