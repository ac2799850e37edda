/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra: the functions of ops/linalg.h, which the cpu backend runs too, on the caller's thread.
 * What they compute is tested against reconstructions and other programs, not against each other. */
#include "interp_internal.h"
#include "ops/linalg.h"

static bool run(const fx_node *node, fx_tensor *const *operands, fx_tensor *const *results, fx_error *err) {
    const void *data[2] = {NULL, NULL};
    void *written[3] = {NULL, NULL, NULL};
    for (uint32_t i = 0; i < node->operand_count; i++) data[i] = operands[i]->data;
    for (size_t i = 0; i < fxi_node_results(node); i++) written[i] = results[i]->data;
    return fxi_linalg_run(node, NULL, data, written) || fxi_fail_memory(err, fxi_op_info_of(node->op)->text);
}

bool fxi_interp_linalg(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    return run(node, operands, &result, err);
}

bool fxi_interp_linalg_many(const fxi_interp_call *call, fx_error *err) {
    return run(call->node, call->operands, call->results, err);
}
