/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for the composites over rows of elements: softmax, masked reductions, deviations and norms,
 * similarities, activations. */
#include "cases.h"

#include <fluxion/activation.h>
#include <fluxion/masked.h>
#include <fluxion/softmax.h>
#include <fluxion/statistics.h>
#include <string.h>

static struct value *call_unary(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.unary(args[0]->u.node));
}

static struct value *call_axes(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.axes(args[0]->u.node, case_arg_axes(eval, args[1])));
}

static struct value *call_masked(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(
        eval, op->call.masked(args[0]->u.node, case_arg_node(args[1]), case_arg_axes(eval, args[2])));
}

static struct value *call_masked_all(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.binary(args[0]->u.node, case_arg_node(args[1])));
}

static struct value *call_masked_and_keep(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    const struct op *reducer = case_op_find(args[2]->u.s);
    if (!reducer || reducer->apply != call_masked) {
        case_eval_fail(eval, "masked_reduce_and_keep(%.100s)", args[2]->u.s);
        eval->unsupported = true;
        return NULL;
    }
    return case_value_node(eval,
                           fx_masked_reduce_and_keep(args[0]->u.node, case_arg_node(args[1]),
                                                     reducer->call.masked, case_arg_axes(eval, args[3])));
}

static struct value *call_epsilon(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_l2_normalize_with_epsilon(args[0]->u.node, args[1]->u.number.f,
                                                              case_arg_axes(eval, args[2])));
}

static struct value *call_similarity(struct eval *eval, const struct op *op, struct value *const *args) {
    fx_node *x = args[0]->u.node, *y = args[1]->u.node;
    int axis = case_arg_int(args[2], 0);
    bool is_cross = strcmp(op->name, "cross_cosine_similarity") == 0;
    return case_value_node(eval, is_cross ? fx_cross_cosine_similarity(x, y, axis, case_arg_int(args[3], 0))
                                          : fx_cosine_similarity(x, y, axis));
}

static struct value *call_leaky(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, args[1] ? fx_leaky_relu_with(args[0]->u.node, args[1]->u.number.f)
                                         : fx_leaky_relu(args[0]->u.node));
}

static struct value *call_hard_sigmoid(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval,
                           fx_hard_sigmoid_with(args[0]->u.node, args[1]->u.number.f, args[2]->u.number.f));
}

static struct value *call_ternary(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.ternary(args[0]->u.node, args[1]->u.node, args[2]->u.node));
}

static struct value *call_activation(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_activation activation;
    if (!fx_activation_parse(args[1]->u.s, &activation))
        return case_eval_fail(eval, "activation: there is no \"%.100s\"", args[1]->u.s);
    return case_value_node(eval, fx_activate(args[0]->u.node, activation));
}

/* clang-format off */
#define ROW(name, signature, function) {name, signature, function, {.unary = NULL}}
#define UNARY(name, builder)      {name, "n:x", call_unary, {.unary = builder}}
#define AXES(name, builder)       {name, "n:x a:axes?", call_axes, {.axes = builder}}
#define REDUCE(name, builder)     {name, "n:x a:axes?", case_op_reduce, {.axes = builder}}
#define MASKED(name, builder)     {name, "n:x n:mask? a:axes?", call_masked, {.masked = builder}}
#define MASKED_ALL(name, builder) {name, "n:x n:mask?", call_masked_all, {.binary = builder}}

static const struct op ops[] = {
    /* softmax */
    AXES("softmax", fx_softmax),
    AXES("log_softmax", fx_log_softmax),
    AXES("backend_softmax", fx_softmax),
    {"masked_softmax", "n:x n:mask? a:axes?", call_masked, {.masked = fx_masked_softmax}},
    {"masked_log_softmax", "n:x n:mask? a:axes?", call_masked, {.masked = fx_masked_log_softmax}},
    REDUCE("logsumexp", fx_logsumexp),

    /* masked reductions */
    MASKED("masked_reduce_sum", fx_masked_reduce_sum),
    MASKED("masked_reduce_mean", fx_masked_reduce_mean),
    MASKED("masked_reduce_max", fx_masked_reduce_max),
    MASKED("masked_reduce_min", fx_masked_reduce_min),
    MASKED_ALL("masked_reduce_all_sum", fx_masked_reduce_all_sum),
    MASKED_ALL("masked_reduce_all_mean", fx_masked_reduce_all_mean),
    MASKED_ALL("masked_reduce_all_max", fx_masked_reduce_all_max),
    MASKED_ALL("masked_reduce_all_min", fx_masked_reduce_all_min),
    ROW("masked_reduce_and_keep", "n:x n:mask? s:reducer a:axes?", call_masked_and_keep),

    /* deviations, norms, similarities */
    REDUCE("reduce_std", fx_reduce_std),
    REDUCE("reduce_skewness", fx_reduce_skewness),
    REDUCE("variance", fx_variance),
    REDUCE("skewness", fx_skewness),
    UNARY("reduce_all_std", fx_reduce_all_std),
    UNARY("reduce_all_skewness", fx_reduce_all_skewness),
    AXES("l1_norm", fx_l1_norm),
    AXES("l2_norm_square", fx_l2_norm_square),
    AXES("l2_norm", fx_l2_norm),
    AXES("l2_normalize", fx_l2_normalize),
    ROW("l2_normalize_with_epsilon", "n:x f:epsilon a:axes?", call_epsilon),
    ROW("cosine_similarity", "n:x n:y i:axis", call_similarity),
    ROW("cross_cosine_similarity", "n:x n:y i:contract_axis i:cross_axis", call_similarity),

    /* activations */
    UNARY("activation.relu", fx_relu),
    ROW("activation.leaky_relu", "n:x f:alpha?", call_leaky),
    UNARY("activation.elu", fx_elu),
    UNARY("activation.selu", fx_selu),
    UNARY("activation.swish", fx_swish),
    UNARY("activation.silu", fx_silu),
    UNARY("activation.hard_sigmoid", fx_hard_sigmoid),
    ROW("activation.hard_sigmoid_with", "n:x f:alpha f:beta", call_hard_sigmoid),
    UNARY("activation.hard_swish", fx_hard_swish),
    {"activation.hard_swish_with", "n:x n:scale n:bias", call_ternary, {.ternary = fx_hard_swish_with}},
    UNARY("activation.gelu", fx_gelu),
    UNARY("activation.gelu_approximate", fx_gelu_approximate),
    UNARY("activation.swi_glu", fx_swi_glu),
    ROW("activation.apply", "n:x s:name", call_activation),
};
/* clang-format on */

const struct op_table case_ops_composite = {ops, sizeof ops / sizeof *ops};
