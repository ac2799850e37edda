/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a run that looks for the first NaN: a node none of whose operands has one, and whose result
 * has. */
#include "interp_internal.h"

static bool operands_have_nan(const fx_node *node, fx_tensor *const *values) {
    for (uint32_t i = 0; i < node->operand_count; i++)
        if (fxi_tensor_find_nan(values[node->operands[i]->id]) >= 0) return true;
    return false;
}

/* " of 0, -1": the elements that an elementwise node made a NaN of. */
static void add_operands(fxi_text *text, const fx_node *node, fx_tensor *const *values, int64_t at) {
    if (!fxi_op_is_map(node->op)) return;
    for (uint32_t i = 0; i < node->operand_count; i++)
        fxi_text_add(text, "%s%.9g", i ? ", " : " of ", fx_tensor_get(values[node->operands[i]->id], at));
}

bool fxi_interp_check_nan(const fx_node *node, fx_tensor *const *values, fx_tensor *const *more,
                          fx_error *err) {
    size_t number = 0;
    int64_t at = fxi_tensor_find_nan(values[node->id]);
    if (node->operand_count == 0 || node->op == FX_OP_RESULT) return true;
    for (size_t i = 0; at < 0 && more && more[i]; i++) {
        at = fxi_tensor_find_nan(more[i]);
        number = i + 1;
    }
    if (at < 0 || operands_have_nan(node, values)) return true;
    char of[120] = "", in[40] = "";
    fxi_text text = fxi_text_fixed(of, sizeof of);
    add_operands(&text, node, values, at);
    text = fxi_text_fixed(in, sizeof in);
    if (number > 0) fxi_text_add(&text, " of result %zu", number);
    return fxi_fail_at(err, FX_ERROR_NAN, node->file, node->line,
                       "%%%lld = %s makes a NaN%s: element %lld%s of %s", (long long)node->id,
                       fx_node_op(node), of, (long long)at, in, fx_shape_to_text(&node->shape).s);
}
