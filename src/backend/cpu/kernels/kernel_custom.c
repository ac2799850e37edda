/* SPDX-License-Identifier: Apache-2.0 */
/* A user's operation: tensors are put around the memory of operands and results, without a copy but for
 * packed dtypes, which this backend keeps a byte each and the user sees packed. */
#include "kernels.h"
#include "ops/ops.h"

static fx_tensor *wrap(const fx_shape *shape, void *memory, bool filled, fx_error *err) {
    if (!fxi_dtype_is_packed(shape->dtype)) return fxi_tensor_over(shape, memory, NULL, NULL, false, err);
    fx_tensor *t = fx_tensor_new(shape, err);
    if (t && filled) fxi_pack(shape->dtype, memory, fx_shape_size(shape), t->data);
    return t;
}

typedef struct custom_call {
    const fxi_host_call *call;
    size_t inputs, outputs;
    fx_tensor **tensors; /* inputs, then outputs */
} custom_call;

static bool wrap_all(custom_call *c) {
    const fx_node *n = c->call->node;
    for (size_t i = 0; i < c->inputs; i++) {
        c->tensors[i] =
            wrap(&n->operands[i]->shape, (void *)(uintptr_t)c->call->operands[i], true, c->call->err);
        if (!c->tensors[i]) return false;
    }
    for (size_t i = 0; i < c->outputs; i++) {
        c->tensors[c->inputs + i] =
            wrap(fxi_node_result_shape(n, i), c->call->results[i], false, c->call->err);
        if (!c->tensors[c->inputs + i]) return false;
    }
    return true;
}

static void unpack_results(const custom_call *c) {
    for (size_t i = 0; i < c->outputs; i++) {
        const fx_tensor *t = c->tensors[c->inputs + i];
        if (fxi_dtype_is_packed(t->shape.dtype))
            fxi_unpack(t->shape.dtype, t->data, fx_shape_size(&t->shape), c->call->results[i]);
    }
}

static void run_custom(const fxi_host_call *call) {
    custom_call c = {call, call->node->operand_count, fxi_node_results(call->node), NULL};
    c.tensors = fxi_alloc_zeroed(c.inputs + c.outputs, sizeof *c.tensors);
    bool ok =
        c.tensors && wrap_all(&c) &&
        fxi_custom_run(call->node, (const fx_tensor *const *)c.tensors, c.tensors + c.inputs, call->err);
    if (ok) unpack_results(&c);
    *call->failed = !ok;
    for (size_t i = 0; c.tensors && i < c.inputs + c.outputs; i++) fx_tensor_free(c.tensors[i]);
    fxi_free(c.tensors);
}

const fxi_host_kernel fxi_kernel_custom_call = {.run = run_custom};
