/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for sorting.h. */
#include "cases.h"

#include <fluxion/sorting.h>

static struct value *call_sort(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_sort(args[0]->u.node, case_arg_int(args[1], 0), args[2]->u.b));
}

static const struct op ops[] = {
    {"sort", "n:x i:axis b:ascending", call_sort, {.unary = NULL}},
};

const struct op_table case_ops_sort = {ops, sizeof ops / sizeof *ops};
