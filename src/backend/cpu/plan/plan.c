/* SPDX-License-Identifier: Apache-2.0 */
/* The planner's one readable list: fuse, one or more steps per cluster, outputs. Values that enter or
 * leave packed (2- and 4-bit integers) are unpacked before and packed after, so that kernels see whole
 * bytes only, but for those that ask for packed operands. */
#include "epilogue.h"
#include "../kernels/kernels.h"
#include <stdlib.h>
#include <string.h>

int fxi_plan_add_value(fxi_plan *plan, fx_dtype dtype, int64_t elements) {
    int64_t bytes;
    if (!fxi_size_mul(elements, fxi_memory_bytes(dtype), &bytes) || bytes > INT64_MAX - 128) return -1;
    fxi_value_info info = {
        .dtype = dtype, .bytes = bytes, .first = -1, .last = -1, .offset = -1, .output = -1};
    info.written = info.read = info.product = -1;
    return FXI_PUSH(&plan->values, info) ? (int)plan->values.count - 1 : -1;
}

fxi_step *fxi_plan_add_step(fxi_plan *plan, fxi_step_kind kind, const fx_node *node) {
    fxi_step step;
    memset(&step, 0, sizeof step);
    step.kind = kind;
    step.node = node;
    step.cluster = plan->cluster;
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

/* A step that turns value `from` into value `to`. */
static bool add_conversion(fxi_plan *plan, fxi_step_kind kind, const fx_node *node, int from, int to) {
    fxi_step *step = fxi_plan_add_step(plan, kind, node);
    if (!step) return false;
    step->written = to;
    return FXI_PUSH(&step->buffers, from) && FXI_PUSH(&step->buffers, to);
}

static const fxi_host_kernel *kernel_of(const fxi_plan *plan, const fx_node *n) {
    return n->op == FX_OP_COMPOSITE ? fxi_composite_kernel_of(plan->options->composites, n)
                                    : fxi_host_kernel_of(n->op);
}

/* Parameters and constants of packed dtypes whose readers all take them packed stay as they are. In a closure
 * parameters never are packed. */
static void keep_packed(fxi_plan *plan) {
    const fx_graph *g = plan->graph;
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *n = g->nodes.data[i];
        bool leaf = n->op == FX_OP_CONSTANT || (n->op == FX_OP_PARAMETER && !plan->inner);
        plan->values.data[i].packed = leaf && fxi_dtype_is_packed(n->shape.dtype) && !n->labels;
    }
    for (size_t i = 0; i < g->output_count; i++) plan->values.data[g->outputs[i]->id].packed = false;
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *n = g->nodes.data[i];
        for (uint32_t k = 0; k < n->operand_count; k++) {
            if (!plan->values.data[n->operands[k]->id].packed) continue;
            const fxi_host_kernel *kernel = kernel_of(plan, n);
            bool taken = k < 32 && kernel && kernel->takes_packed && kernel->takes_packed(n) >> k & 1;
            if (!taken) plan->values.data[n->operands[k]->id].packed = false;
        }
    }
}

/* Other parameters of packed dtypes get an unpacked twin, which all read: the node's own value becomes a
 * workspace value and the packed argument is reached by the step through its node. */
static bool unpack_parameters(fxi_plan *plan, fx_error *err) {
    for (size_t i = 0; i < plan->graph->parameters.count; i++) {
        const fx_node *n = plan->graph->parameters.data[i];
        if (plan->inner || !fxi_dtype_is_packed(n->shape.dtype) || !plan->fusion.live[n->id]) continue;
        if (plan->values.data[n->id].packed) continue;
        if (!add_conversion(plan, FXI_STEP_UNPACK, n, (int)n->id, (int)n->id))
            return fxi_fail_memory(err, "program");
    }
    return true;
}

/* ---- steps that write several results ---- */

static int compare_results(const fx_node *a, const fx_node *b) {
    int64_t left[] = {a->operands[0]->id, fxi_node_int(a, FXI_ATTR_RESULT), a->id};
    int64_t right[] = {b->operands[0]->id, fxi_node_int(b, FXI_ATTR_RESULT), b->id};
    for (int i = 0; i < 3; i++)
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int by_result(const void *a, const void *b) {
    return compare_results(*(const fx_node *const *)a, *(const fx_node *const *)b);
}

/* All live RESULT nodes, by operand and number. */
static bool list_results(fxi_plan *plan, fx_error *err) {
    const fx_graph *g = plan->graph;
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.data[i]->op == FX_OP_RESULT && plan->fusion.live[i] &&
            !FXI_PUSH(&plan->results, g->nodes.data[i]))
            return fxi_fail_memory(err, "program");
    if (plan->results.count)
        qsort(plan->results.data, plan->results.count, sizeof *plan->results.data, by_result);
    return true;
}

static bool stands_for(const fxi_plan *plan, size_t at, const fx_node *n, int64_t number) {
    if (at >= plan->results.count) return false;
    const fx_node *r = plan->results.data[at];
    return r->operands[0] == n && fxi_node_int(r, FXI_ATTR_RESULT) == number;
}

/* Place in the list of the first RESULT node for a result of n; stands_for says whether there is one. */
static size_t find_result(const fxi_plan *plan, const fx_node *n, int64_t number) {
    size_t first = 0, last = plan->results.count;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        const fx_node *r = plan->results.data[middle];
        int64_t of = r->operands[0]->id, k = fxi_node_int(r, FXI_ATTR_RESULT);
        if (of < n->id || (of == n->id && k < number))
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* The value that result `number` is written to: a temporary when nobody wants it. -1: no memory. */
static int result_value(fxi_plan *plan, const fx_node *n, size_t number) {
    if (number == 0) return (int)n->id;
    size_t at = find_result(plan, n, (int64_t)number);
    if (stands_for(plan, at, n, (int64_t)number)) return (int)plan->results.data[at]->id;
    const fx_shape *shape = fxi_node_result_shape(n, number);
    return fxi_plan_add_value(plan, shape->dtype, fx_shape_size(shape));
}

/* Operands, results (a temporary for one that nobody wants), workspace. */
static bool add_whole_buffers(fxi_plan *plan, size_t step_number, int64_t workspace_bytes) {
    const fx_node *n = plan->steps.data[step_number].node;
    bool ok = true;
    plan->steps.data[step_number].reads = n->operand_count;
    plan->steps.data[step_number].written = (int)n->id;
    for (uint32_t i = 0; i < n->operand_count; i++)
        ok = ok && FXI_PUSH(&plan->steps.data[step_number].buffers, (int)n->operands[i]->id);
    for (size_t i = 0; ok && i < fxi_node_results(n); i++) {
        int value = result_value(plan, n, i);
        ok = value >= 0 && FXI_PUSH(&plan->steps.data[step_number].buffers, value);
    }
    if (!ok || workspace_bytes == 0) return ok;
    int workspace = fxi_plan_add_value(plan, FX_U8, workspace_bytes);
    plan->steps.data[step_number].workspace = workspace;
    return workspace >= 0 && FXI_PUSH(&plan->steps.data[step_number].buffers, workspace);
}

/* RESULT nodes that stand for the same result as another: equal nodes are not always shared. */
static bool copy_twins(fxi_plan *plan, const fx_node *n) {
    for (size_t i = 1; i < fxi_node_results(n); i++) {
        size_t first = find_result(plan, n, (int64_t)i);
        for (size_t at = first + 1; stands_for(plan, at, n, (int64_t)i); at++) {
            const fx_node *from = plan->results.data[first], *to = plan->results.data[at];
            if (!add_conversion(plan, FXI_STEP_COPY, to, (int)from->id, (int)to->id)) return false;
        }
    }
    return true;
}

/* The step and its prepared state; the step owns the state from here on. */
static fxi_step *add_host_step(fxi_plan *plan, const fxi_host_kernel *kernel, const fx_node *n,
                               fx_error *err) {
    fxi_step *step = fxi_plan_add_step(plan, FXI_STEP_HOST, n);
    if (!step) {
        fxi_fail_memory(err, "program");
        return NULL;
    }
    step->host = kernel;
    if (!kernel->prepare) return step;
    step->state = kernel->prepare(n, plan->options->target, err);
    step->release = kernel->release;
    return step->state ? step : NULL;
}

static int64_t host_workspace(const fxi_host_kernel *kernel, const fxi_step *step) {
    if (kernel->state_workspace) return kernel->state_workspace(step->state);
    return kernel->workspace ? kernel->workspace(step->node) : 0;
}

/* Whether operand 0 is no other operand too: then a kernel that allows it may write over it. */
static bool has_own_first(const fx_node *n) {
    for (uint32_t i = 1; i < n->operand_count; i++)
        if (n->operands[i] == n->operands[0]) return false;
    return n->operand_count > 0;
}

static bool plan_host(fxi_plan *plan, const fx_node *n, fx_error *err) {
    const fxi_host_kernel *kernel = kernel_of(plan, n);
    if (!kernel)
        return fxi_fail_at(err, FX_ERROR_INTERNAL, n->file, n->line, "composite without a kernel");
    size_t number = plan->steps.count;
    fxi_step *step = add_host_step(plan, kernel, n, err);
    if (!step) return false;
    step->in_place = kernel->in_place && has_own_first(n);
    for (uint32_t k = 0; k < n->operand_count && k < 32; k++)
        if (plan->values.data[n->operands[k]->id].packed) step->packed |= UINT32_C(1) << k;
    return (add_whole_buffers(plan, number, host_workspace(kernel, step)) && copy_twins(plan, n)) ||
           fxi_fail_memory(err, "program");
}

/* Its workspace gets its size when the closures are compiled. */
static bool plan_control(fxi_plan *plan, const fx_node *n, fx_error *err) {
    size_t number = plan->steps.count;
    return (fxi_plan_add_step(plan, FXI_STEP_CONTROL, n) && add_whole_buffers(plan, number, 1) &&
            copy_twins(plan, n)) ||
           fxi_fail_memory(err, "program");
}

static bool plan_cluster(fxi_plan *plan, const fxi_cluster *c, fx_error *err) {
    if (c->kind == FXI_CLUSTER_DOT) return fxi_plan_dot(plan, c, plan->options->target, err);
    if (c->kind == FXI_CLUSTER_KERNEL) return fxi_plan_kernel(plan, c, err);
    if (c->kind == FXI_CLUSTER_HOST) return plan_host(plan, c->root, err);
    if (c->kind == FXI_CLUSTER_CONTROL) return plan_control(plan, c->root, err);
    return add_conversion(plan, FXI_STEP_BITCAST, c->root, (int)c->root->operands[0]->id, (int)c->root->id) ||
           fxi_fail_memory(err, "program");
}

size_t fxi_plan_shared(const fx_graph *body, size_t states, size_t k) {
    const fx_node *n = body->outputs[k];
    if (n->op == FX_OP_PARAMETER || n->op == FX_OP_CONSTANT) return k;
    for (size_t i = states; i < k; i++)
        if (body->outputs[i] == n) return k; /* rows of two stacks */
    for (size_t i = 0; i < k && i < states; i++)
        if (body->outputs[i] == n) return i;
    return k;
}

size_t fxi_plan_awaited(const fx_graph *body, size_t states, size_t k) {
    const fx_node *n = body->outputs[k];
    if (k < states || n->op != FX_OP_PARAMETER) return states;
    size_t state = (size_t)fxi_node_int(n, FXI_ATTR_INDEX);
    if (state >= states) return states;
    const fx_node *next = body->outputs[state];
    if (next->op == FX_OP_PARAMETER || next->op == FX_OP_CONSTANT) return states;
    if (fxi_plan_shared(body, states, state) != state) return states;
    for (size_t i = states; i < body->output_count; i++)
        if (body->outputs[i] == next || (i < k && body->outputs[i] == n)) return states;
    return state;
}

/* Which outputs are a value's own memory; the others are copied (or packed) from it at the end. */
static bool place_outputs(fxi_plan *plan, fx_error *err) {
    for (size_t i = 0; i < plan->graph->output_count; i++) {
        const fx_node *n = plan->graph->outputs[i];
        fxi_value_info *v = &plan->values.data[n->id];
        bool leaf = n->op == FX_OP_PARAMETER || n->op == FX_OP_CONSTANT;
        bool packed = !plan->inner && fxi_dtype_is_packed(n->shape.dtype);
        if (!leaf && v->output < 0 && !packed) {
            v->output = (int)i;
            continue;
        }
        if (plan->inner && (fxi_plan_shared(plan->graph, plan->states, i) != i ||
                            fxi_plan_awaited(plan->graph, plan->states, i) != plan->states))
            continue;
        int copy = fxi_plan_add_value(plan, n->shape.dtype, fx_shape_size(&n->shape));
        if (copy < 0) return fxi_fail_memory(err, "program");
        plan->values.data[copy].output = (int)i;
        plan->values.data[copy].node = n;
        if (!add_conversion(plan, packed ? FXI_STEP_PACK : FXI_STEP_COPY, n, (int)n->id, copy))
            return fxi_fail_memory(err, "program");
    }
    return true;
}

/* Fuses until all clusters of rows suit their kernels; each round takes some apart, the last one all. */
static bool fuse(fxi_plan *plan, fx_error *err) {
    enum { ROUNDS = 8 };
    size_t n = plan->graph->nodes.count;
    bool *apart = fxi_alloc_zeroed(n + 1, sizeof *apart), done = false, ok = true;
    if (!apart) return fxi_fail_memory(err, "fusion");
    for (int round = 0; ok && !done; round++) {
        if (round == ROUNDS) memset(apart, true, n);
        fxi_fusion_free(&plan->fusion);
        ok = fxi_fuse(&plan->fusion, plan->graph, plan->options->unfused, apart, err);
        done = ok && fxi_plan_check_rows(plan, apart);
    }
    plan->fusion.apart = NULL;
    fxi_free(apart);
    return ok;
}

bool fxi_plan_make(fxi_plan *plan, const fx_graph *graph, const fxi_plan_options *options,
                   const fxi_inner *inner, fx_error *err) {
    memset(plan, 0, sizeof *plan);
    plan->graph = graph;
    plan->options = options;
    plan->inner = inner != NULL;
    plan->cluster = -1;
    plan->states = inner ? inner->states : 0;
    FX_TRY(fuse(plan, err));
    FX_TRY(list_results(plan, err));
    FX_TRY(add_node_values(plan, err));
    keep_packed(plan);
    FX_TRY(unpack_parameters(plan, err));
    if (!fxi_epilogue_count_readers(plan)) return fxi_fail_memory(err, "program");
    for (size_t i = plan->fusion.clusters.count, first = 0; i-- > 0; first = plan->steps.count) {
        plan->cluster = (int)i;
        FX_TRY(plan_cluster(plan, plan->fusion.clusters.data[i], err));
        fxi_epilogue_note(plan, first);
    }
    plan->cluster = -1;
    fxi_epilogue_close(plan);
    return place_outputs(plan, err);
}

static void free_part(fxi_step *s) {
    fxi_free(s->buffers.data);
    fxi_free(s->key);
    fxi_free(s->params);
    fxi_code_free(s->code);
    fxi_gemm_free(s->product);
    if (s->release) s->release(s->state);
}

void fxi_step_free(fxi_step *s) {
    for (size_t i = 0; i < s->epilogues.count; i++) free_part(&s->epilogues.data[i]);
    fxi_free(s->epilogues.data);
    free_part(s);
}

void fxi_plan_free(fxi_plan *plan) {
    for (size_t i = 0; i < plan->steps.count; i++) fxi_step_free(&plan->steps.data[i]);
    fxi_free(plan->steps.data);
    fxi_free(plan->values.data);
    fxi_free(plan->results.data);
    fxi_fusion_free(&plan->fusion);
    memset(plan, 0, sizeof *plan);
}
