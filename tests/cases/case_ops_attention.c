/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for attention.h. Layouts are "bhsd" or "bshd". */
#include "cases.h"
#include <fluxion/attention.h>
#include <string.h>

static bool take_layout(struct eval *eval, const struct value *value, fx_attention_layout *layout) {
    *layout = strcmp(value->u.s, "bshd") == 0 ? FX_ATTENTION_BSHD : FX_ATTENTION_BHSD;
    if (*layout == FX_ATTENTION_BSHD || strcmp(value->u.s, "bhsd") == 0) return true;
    case_eval_fail(eval, "attention: there is no layout \"%.100s\"", value->u.s);
    return false;
}

static bool is_set(const struct value *value) {
    return value && value->u.b;
}

static double real(const struct value *value) {
    return value ? value->u.number.f : 0;
}

static struct value *call_attention(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_attention_options o = {.scale = real(args[4]),
                              .causal = is_set(args[5]),
                              .mask = case_arg_node(args[6]),
                              .bias = case_arg_node(args[7]),
                              .query_lengths = case_arg_node(args[8]),
                              .key_lengths = case_arg_node(args[9]),
                              .softcap = real(args[10])};
    fx_node *q = args[0]->u.node, *k = args[1]->u.node, *v = args[2]->u.node, *both[2];
    if (!take_layout(eval, args[3], &o.layout)) return NULL;
    if (!is_set(args[11])) return case_value_node(eval, fx_nn_attention(q, k, v, &o, NULL, NULL));
    both[0] = fx_nn_attention(q, k, v, &o, &both[1], NULL);
    return case_value_nodes(eval, both, 2);
}

#define ARGUMENTS                                                                                            \
    "n:query n:key n:value s:layout f:scale? b:causal? n:mask? n:bias? n:query_seq_len? n:kv_seq_len? "      \
    "f:score_soft_cap? b:want_coefficients?"

static const struct op ops[] = {
    {"attention.core", ARGUMENTS, call_attention, {.unary = NULL}},
    {"backend_scaled_dot_product_attention", ARGUMENTS, call_attention, {.unary = NULL}},
};

const struct op_table case_ops_attention = {ops, sizeof ops / sizeof *ops};
