/* SPDX-License-Identifier: Apache-2.0 */
/* The planner's one readable list: fuse, one or more steps per cluster, memory. Values that enter or leave packed (2- and 4-bit
 * integers) are unpacked before and packed after, so that kernels see whole bytes only. */
#include "step.h"
#include "../kernels/kernels.h"
#include <string.h>

int fxi_plan_add_value(fxi_plan *plan, fx_dtype dtype, int64_t elements) {
    int64_t bytes;
    if (!fxi_size_mul(elements, fxi_memory_bytes(dtype), &bytes) || bytes > INT64_MAX - 128) return -1;
    fxi_value_info info = {
        .dtype = dtype, .bytes = bytes, .first = -1, .last = -1, .offset = -1, .output = -1};
    return FXI_PUSH(&plan->values, info) ? (int)plan->values.count - 1 : -1;
}

fxi_step *fxi_plan_add_step(fxi_plan *plan, fxi_step_kind kind, const fx_node *node) {
    fxi_step step;
    memset(&step, 0, sizeof step);
    step.kind = kind;
    step.node = node;
    step.workspace = -1;
    step.written = -1;
    return FXI_PUSH(&plan->steps, step) ? &plan->steps.data[plan->steps.count - 1] : NULL;
}

/* Values 0 .. nodes-1 are the nodes. */
static bool add_node_values(fxi_plan *plan, fx_error *err) {
    for (size_t i = 0; i < plan->graph->nodes.count; i++) {
        const fx_node *n = plan->graph->nodes.data[i];
        if (fxi_plan_add_value(plan, n->shape.dtype, fx_shape_size(&n->shape)) < 0)
            return fxi_fail_memory(err, "program");
        plan->values.data[i].node = n;
    }
    return true;
}

static bool is_packed(fx_dtype dtype) {
    return fx_dtype_bits(dtype) < 8;
}

/* A step that turns value `from` into value `to`. */
static bool add_conversion(fxi_plan *plan, fxi_step_kind kind, const fx_node *node, int from, int to) {
    fxi_step *step = fxi_plan_add_step(plan, kind, node);
    if (!step) return false;
    step->written = to;
    return FXI_PUSH(&step->buffers, from) && FXI_PUSH(&step->buffers, to);
}

/* Parameters of packed dtypes get an unpacked twin, which everybody reads: the node's own value becomes a workspace value and
 * the packed argument is reached by the step through its node. */
static bool unpack_parameters(fxi_plan *plan, fx_error *err) {
    for (size_t i = 0; i < plan->graph->parameters.count; i++) {
        const fx_node *n = plan->graph->parameters.data[i];
        if (!is_packed(n->shape.dtype) || !plan->fusion.live[n->id]) continue;
        if (!add_conversion(plan, FXI_STEP_UNPACK, n, (int)n->id, (int)n->id))
            return fxi_fail_memory(err, "program");
    }
    return true;
}

/* The step and its prepared state; the step owns the state from here on. */
static fxi_step *add_host_step(fxi_plan *plan, const fxi_host_kernel *kernel, const fx_node *n, const fxi_target *target, fx_error *err) {
    fxi_step *step = fxi_plan_add_step(plan, FXI_STEP_HOST, n);
    if (!step) {
        fxi_fail_memory(err, "program");
        return NULL;
    }
    if (!kernel->prepare) return step;
    step->state = kernel->prepare(n, target, err);
    step->release = kernel->release;
    return step->state ? step : NULL;
}

static int64_t host_workspace(const fxi_host_kernel *kernel, const fxi_step *step) {
    if (kernel->state_workspace) return kernel->state_workspace(step->state);
    return kernel->workspace ? kernel->workspace(step->node) : 0;
}

static bool plan_host(fxi_plan *plan, const fx_node *n, const fxi_target *target, fx_error *err) {
    const fxi_host_kernel *kernel = fxi_host_kernel_of(n->op);
    fxi_step *step = add_host_step(plan, kernel, n, target, err);
    if (!step) return false;
    step->written = (int)n->id;
    int64_t bytes = host_workspace(kernel, step);
    int workspace = bytes != 0 ? fxi_plan_add_value(plan, FX_U8, bytes) : -1;
    if (bytes != 0 && workspace < 0) return fxi_fail_memory(err, "program");
    step->workspace = workspace;
    bool ok = true;
    for (uint32_t i = 0; i < n->operand_count; i++)
        ok = ok && FXI_PUSH(&step->buffers, (int)n->operands[i]->id);
    ok = ok && FXI_PUSH(&step->buffers, step->written);
    if (workspace >= 0) ok = ok && FXI_PUSH(&step->buffers, workspace);
    return ok || fxi_fail_memory(err, "program");
}

static bool plan_cluster(fxi_plan *plan, const fxi_cluster *c, const fxi_target *target, fx_error *err) {
    if (c->kind == FXI_CLUSTER_DOT) return fxi_plan_dot(plan, c, target, err);
    if (c->kind == FXI_CLUSTER_KERNEL) return fxi_plan_kernel(plan, c, err);
    if (c->kind == FXI_CLUSTER_HOST) return plan_host(plan, c->root, target, err);
    return add_conversion(plan, FXI_STEP_BITCAST, c->root, (int)c->root->operands[0]->id, (int)c->root->id) ||
           fxi_fail_memory(err, "program");
}

/* Which outputs are a value's own memory; the others are copied (or packed) from it at the end. */
static bool place_outputs(fxi_plan *plan, fx_error *err) {
    for (size_t i = 0; i < plan->graph->output_count; i++) {
        const fx_node *n = plan->graph->outputs[i];
        fxi_value_info *v = &plan->values.data[n->id];
        bool leaf = n->op == FX_OP_PARAMETER || n->op == FX_OP_CONSTANT;
        if (!leaf && v->output < 0 && !is_packed(n->shape.dtype)) {
            v->output = (int)i;
            continue;
        }
        int copy = fxi_plan_add_value(plan, n->shape.dtype, fx_shape_size(&n->shape));
        if (copy < 0) return fxi_fail_memory(err, "program");
        plan->values.data[copy].output = (int)i;
        plan->values.data[copy].node = n;
        if (!add_conversion(plan, is_packed(n->shape.dtype) ? FXI_STEP_PACK : FXI_STEP_COPY, n, (int)n->id,
                            copy))
            return fxi_fail_memory(err, "program");
    }
    return true;
}

bool fxi_plan_make(fxi_plan *plan, const fx_graph *graph, bool unfused, const fxi_target *target,
                   fx_error *err) {
    memset(plan, 0, sizeof *plan);
    plan->graph = graph;
    FX_TRY(fxi_fuse(&plan->fusion, graph, unfused, err));
    FX_TRY(add_node_values(plan, err));
    FX_TRY(unpack_parameters(plan, err));
    for (size_t i = plan->fusion.clusters.count; i-- > 0;)
        FX_TRY(plan_cluster(plan, plan->fusion.clusters.data[i], target, err));
    FX_TRY(place_outputs(plan, err));
    return fxi_plan_memory(plan, !unfused, err);
}

void fxi_plan_free(fxi_plan *plan) {
    for (size_t i = 0; i < plan->steps.count; i++) {
        fxi_step *s = &plan->steps.data[i];
        fxi_free(s->buffers.data);
        fxi_free(s->key);
        fxi_free(s->params);
        fxi_code_free(s->code);
        fxi_gemm_free(s->product);
        if (s->release) s->release(s->state);
    }
    fxi_free(plan->steps.data);
    fxi_free(plan->values.data);
    fxi_fusion_free(&plan->fusion);
    memset(plan, 0, sizeof *plan);
}
