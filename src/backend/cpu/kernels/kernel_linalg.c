/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra: the functions of ops/linalg.h over the pool. They take what memory they need while they
 * run. */
#include "kernels.h"
#include "ops/linalg.h"

static void run_linalg(const fxi_host_call *call) {
    if (!fxi_linalg_run(call->node, call->pool, call->operands, call->results)) *call->failed = true;
}

const fxi_host_kernel fxi_kernel_linalg = {.run = run_linalg};
