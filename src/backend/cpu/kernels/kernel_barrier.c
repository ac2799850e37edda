/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier as a step: being no generated code it ends fusion on both sides, its operands order it after what
 * makes them, and the copy gives what follows a value of its own. */
#include "kernel_window.h"
#include "kernels.h"

static void run_barrier(const fxi_host_call *call) {
    const fx_shape *shape = &call->node->shape;
    fxi_copy_parallel(call->pool, call->result, call->operands[0],
                      fx_shape_size(shape) * fxi_memory_bytes(shape->dtype));
}

const fxi_host_kernel fxi_kernel_barrier = {.run = run_barrier};
