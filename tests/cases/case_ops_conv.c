/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for convolution.h. Paddings are [[low, high], ...], "same" or "none". */
#include "cases.h"
#include <fluxion/convolution.h>
#include <string.h>

static bool is_pair(const struct value *value) {
    if (value->kind != VALUE_LIST || value->u.list.n != 2) return false;
    struct value *const *v = value->u.list.v;
    return v[0]->kind == VALUE_NUMBER && v[1]->kind == VALUE_NUMBER;
}

static bool take_paddings(struct eval *eval, const struct value *value, fx_pads *pads, bool *same) {
    *pads = (fx_pads){NULL, 0};
    *same = value && value->kind == VALUE_STRING && strcmp(value->u.s, "same") == 0;
    if (!value || value->kind == VALUE_STRING) return true;
    size_t n = value->kind == VALUE_LIST ? value->u.list.n : 0;
    fx_pad_axis *v = arena_alloc(eval->arena, n + 1, sizeof *v);
    bool ok = v && value->kind == VALUE_LIST;
    for (size_t i = 0; ok && i < n; i++) {
        ok = is_pair(value->u.list.v[i]);
        if (!ok) break;
        struct value *const *pair = value->u.list.v[i]->u.list.v;
        v[i] = (fx_pad_axis){pair[0]->u.number.i, pair[1]->u.number.i, 0};
    }
    *pads = (fx_pads){v, n};
    if (!ok) case_eval_fail(eval, "convolution: wants paddings [[low, high], ...]");
    return ok;
}

static struct value *call_convolve(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    fx_conv_options o = {.channels_first = args[2] && strcmp(args[2]->u.s, "first") == 0};
    if (!take_paddings(eval, args[3], &o.paddings, &o.pad_same)) return NULL;
    o.strides = case_arg_axes(eval, args[4]);
    o.dilations = case_arg_axes(eval, args[5]);
    o.channel_groups = case_arg_int(args[6], 1);
    o.batch_groups = case_arg_int(args[7], 1);
    return case_value_node(eval, fx_convolve(args[0]->u.node, args[1]->u.node, &o));
}

static struct value *call_general(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    bool same;
    fx_conv_general_options o = {.axes = {.input_batch = case_arg_int(args[2], 0),
                                          .input_channels = case_arg_int(args[3], 0),
                                          .input_spatial = case_arg_axes(eval, args[4]),
                                          .kernel_input_channels = case_arg_int(args[5], 0),
                                          .kernel_output_channels = case_arg_int(args[6], 0),
                                          .kernel_spatial = case_arg_axes(eval, args[7]),
                                          .output_batch = case_arg_int(args[8], 0),
                                          .output_channels = case_arg_int(args[9], 0),
                                          .output_spatial = case_arg_axes(eval, args[10])}};
    if (args[11]) o.strides = case_arg_dims(eval, args[11]);
    if (!take_paddings(eval, args[12], &o.paddings, &same)) return NULL;
    if (args[13]) o.input_dilations = case_arg_dims(eval, args[13]);
    if (args[14]) o.kernel_dilations = case_arg_dims(eval, args[14]);
    o.channel_groups = case_arg_int(args[15], 1);
    o.batch_groups = case_arg_int(args[16], 1);
    return case_value_node(eval, fx_conv_general(args[0]->u.node, args[1]->u.node, &o));
}

static const struct op ops[] = {
    {"convolve",
     "n:x n:kernel s:channels? v:padding? a:strides? a:dilations? i:channel_group_count? "
     "i:batch_group_count?",
     call_convolve,
     {.unary = NULL}},
    {"conv_general",
     "n:x n:kernel i:input_batch i:input_channels a:input_spatial i:kernel_input_channels "
     "i:kernel_output_channels a:kernel_spatial i:output_batch i:output_channels a:output_spatial a:strides? "
     "v:paddings? a:input_dilations? a:kernel_dilations? i:channel_group_count? i:batch_group_count?",
     call_general,
     {.unary = NULL}},
};

const struct op_table case_ops_conv = {ops, sizeof ops / sizeof *ops};
