/* SPDX-License-Identifier: Apache-2.0 */
/* A user's operation in the interpreter: its tensors are handed over as they are. */
#include "interp_internal.h"
#include "ops/ops.h"

bool fxi_interp_custom_call(const fxi_interp_call *call, fx_error *err) {
    return fxi_custom_run(call->node, (const fx_tensor *const *)call->operands, call->results, err);
}
