/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives on the interpreter's one device, which compiling has made sure of: every group is [0], so what
 * arrives is the operand, except where the device is nobody's target. */
#include "interp_internal.h"
#include "ops/ops.h"
#include <string.h>

bool fxi_interp_collective(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                           fx_error *err) {
    (void)err;
    if (result->bytes == 0) return true;
    if (fxi_collective_is_zero_alone(node))
        memset(result->data, 0, (size_t)result->bytes);
    else
        memcpy(result->data, operands[0]->data, (size_t)result->bytes);
    return true;
}

/* The only device is number 0. */
bool fxi_interp_device_id(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    (void)node, (void)operands, (void)err;
    memset(result->data, 0, (size_t)result->bytes);
    return true;
}
