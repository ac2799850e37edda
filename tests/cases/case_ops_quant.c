/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for quantize.h. */
#include "cases.h"

#include <fluxion/quantize.h>
#include <string.h>

/* Arguments from `at` on: scheme, ggml_type, scale, zero_point, block_axis, block_size. */
static bool read_quantization(struct eval *eval, struct value *const *at, fx_quantization *q) {
    static const char *const schemes[] = {"linear", "nf4", "ggml"};
    const char *scheme = at[0] ? at[0]->u.s : "ggml";
    *q = (fx_quantization){.scale = at[2] ? at[2]->u.node : NULL,
                           .zero_point = at[3] ? at[3]->u.node : NULL,
                           .block_axis = case_arg_int(at[4], 1),
                           .block_size = case_arg_int(at[5], 0)};
    for (int i = 0; i < 3; i++)
        if (strcmp(scheme, schemes[i]) == 0) q->scheme = (fx_quantization_scheme)i;
    if (at[1]) q->ggml_type = fx_ggml_type_parse(at[1]->u.s);
    if (strcmp(scheme, schemes[q->scheme]) == 0) return true;
    case_eval_fail(eval, "there is no scheme \"%.100s\"", scheme);
    return false;
}

static struct value *call_dense(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_quantization q;
    fx_activation activation = FX_ACTIVATION_NONE;
    if (!read_quantization(eval, args + 2, &q)) return NULL;
    if (args[9] && !fx_activation_parse(args[9]->u.s, &activation))
        return case_eval_fail(eval, "there is no activation \"%.100s\"", args[9]->u.s);
    return case_value_node(eval, fx_nn_quantized_dense(args[0]->u.node, args[1]->u.node, &q,
                                                       case_arg_node(args[8]), activation));
}

static struct value *call_gather(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_quantization q;
    if (!read_quantization(eval, args + 2, &q)) return NULL;
    return case_value_node(eval, fx_nn_quantized_gather(args[0]->u.node, args[1]->u.node, &q));
}

#define QUANTIZATION "s:scheme? s:ggml_type? n:scale? n:zero_point? i:block_axis? i:block_size?"
static const struct op ops[] = {
    {"nn.quantized_dense", "n:x n:w " QUANTIZATION " n:bias? s:activation?", call_dense, {.unary = NULL}},
    {"nn.quantized_gather", "n:table n:indices " QUANTIZATION, call_gather, {.unary = NULL}},
};

const struct op_table case_ops_quant = {ops, sizeof ops / sizeof *ops};
