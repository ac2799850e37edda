/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for nn.h. Batch norm goes by the names of the operations that the layers of the base are made of. */
#include "cases.h"
#include <fluxion/nn.h>
#include <string.h>

static struct value *call_dense(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_activation activation = FX_ACTIVATION_NONE;
    const char *layout = args[4] ? args[4]->u.s : "input_outputs";
    if (args[3] && !fx_activation_parse(args[3]->u.s, &activation))
        return case_eval_fail(eval, "nn.dense: there is no activation \"%.100s\"", args[3]->u.s);
    bool last = strcmp(layout, "outputs_input") == 0;
    if (!last && strcmp(layout, "input_outputs") != 0)
        return case_eval_fail(eval, "nn.dense: there is no layout \"%.100s\"", layout);
    return case_value_node(eval,
                           fx_nn_dense(args[0]->u.node, args[1]->u.node, case_arg_node(args[2]),
                                       last ? FX_DENSE_OUTPUTS_INPUT : FX_DENSE_INPUT_OUTPUTS, activation));
}

static struct value *call_layer_norm(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_nn_layer_norm(args[0]->u.node, case_arg_axes(eval, args[1]),
                                                  args[2]->u.number.f, case_arg_node(args[3]),
                                                  case_arg_node(args[4]), case_arg_node(args[5])));
}

static struct value *call_soft_cap(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_nn_softcap(args[0]->u.node, args[1]->u.number.f));
}

static struct value *call_inference(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_nn_batch_norm(args[0]->u.node, args[1]->u.node, args[2]->u.node,
                                                  args[3]->u.node, args[4]->u.node, args[5]->u.number.f,
                                                  case_arg_int(args[6], -1)));
}

static struct value *call_training(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_batch_statistics found;
    fx_node *y = fx_nn_batch_norm_training(args[0]->u.node, args[1]->u.node, args[2]->u.node,
                                           args[3]->u.number.f, case_arg_int(args[4], -1), NULL, &found);
    return case_value_nodes(eval, (fx_node *const[]){y, found.mean, found.variance}, 3);
}

#define ROW(name, signature, function) {name, signature, function, {.unary = NULL}}
static const struct op ops[] = {
    ROW("nn.dense", "n:x n:weight n:bias? s:activation? s:weight_layout?", call_dense),
    ROW("nn.layer_norm", "n:x a:axes f:epsilon n:gamma? n:beta? n:mask?", call_layer_norm),
    ROW("nn.soft_cap", "n:x f:cap", call_soft_cap),
    ROW("internal_batch_norm_for_inference", "n:x n:scale n:offset n:mean n:variance f:epsilon i:axis",
        call_inference),
    ROW("internal_batch_norm_for_training", "n:x n:scale n:offset f:epsilon i:axis", call_training),
};

const struct op_table case_ops_nn = {ops, sizeof ops / sizeof *ops};
