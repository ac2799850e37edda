/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation of a plan into a program, and its run: allocate outputs and one workspace from warm pages,
 * fill the address table, walk the steps. A call allocates nothing else. */
#include "program.h"
#include "ops/ops.h"
#include "plan/kernel.h"
#include <string.h>

/* ---- slots ---- */

static bool constant_slot(fxi_cpu_program *p, const fx_node *n, bool packed, fxi_slot *slot) {
    const fx_tensor *t = fxi_node_attr(n, FXI_ATTR_VALUE)->u.tensor;
    slot->kind = FXI_SLOT_CONSTANT;
    slot->constant = t->data;
    if (packed || fx_dtype_bits(t->shape.dtype) >= 8) return true;
    slot->constant = fxi_alloc_data((size_t)fx_shape_size(&t->shape) + 64);
    if (!slot->constant) return false;
    fxi_unpack(t->shape.dtype, t->data, fx_shape_size(&t->shape), slot->constant);
    return FXI_PUSH(&p->constants, slot->constant);
}

static bool describe_slot(fxi_cpu_program *p, int value, fxi_slot *slot) {
    const fxi_value_info *v = &p->plan.values.data[value];
    *slot = (fxi_slot){.kind = FXI_SLOT_WORKSPACE, .number = v->output, .offset = v->offset};
    if (v->output >= 0)
        slot->kind = FXI_SLOT_OUTPUT;
    else if (v->offset >= 0)
        return true;
    else if (v->node && v->node->op == FX_OP_CONSTANT)
        return constant_slot(p, v->node, v->packed, slot);
    else if (v->node && v->node->op == FX_OP_PARAMETER) {
        slot->kind = FXI_SLOT_INPUT;
        slot->number = (int)fxi_node_int(v->node, FXI_ATTR_INDEX);
    }
    return true;
}

static bool add_slot(fxi_cpu_program *p, int value) {
    if (p->slot_of_value[value] >= 0) return true;
    fxi_slot slot;
    if (!describe_slot(p, value, &slot) || !FXI_PUSH(&p->slots, slot)) return false;
    p->slot_of_value[value] = (int)p->slots.count - 1;
    return true;
}

static void number_buffers(const fxi_cpu_program *p, const fxi_step *s) {
    for (size_t k = 0; k < s->buffers.count && s->kind == FXI_STEP_KERNEL; k++)
        s->params[k] = p->slot_of_value[s->buffers.data[k]];
}

/* Numbers the values that steps (or the log) touch, and rewrites kernels' parameters to those numbers. */
static bool make_slots(fxi_cpu_program *p) {
    fxi_plan *plan = &p->plan;
    p->slot_of_value = fxi_alloc_zeroed(plan->values.count + 1, sizeof *p->slot_of_value);
    if (!p->slot_of_value) return false;
    for (size_t i = 0; i < plan->values.count; i++) p->slot_of_value[i] = -1;
    for (size_t i = 0; i < plan->steps.count; i++) {
        fxi_step *s = &plan->steps.data[i];
        for (size_t k = 0; k < s->buffers.count; k++) {
            if (!add_slot(p, s->buffers.data[k])) return false;
        }
        for (size_t j = 0; j < fxi_step_parts(s); j++) number_buffers(p, fxi_step_part(s, j));
    }
    for (size_t i = 0; i < plan->graph->nodes.count; i++)
        if (plan->graph->nodes.data[i]->labels && fx_shape_size(&plan->graph->nodes.data[i]->shape) > 0 &&
            !add_slot(p, (int)i))
            return false;
    return true;
}

/* The parameter of the output's own number, a loop's state, has its place even in a full list. */
static void add_donor(fxi_donors *donors, int64_t number, int output) {
    if (fxi_donors_have(donors, number)) return;
    if (donors->count < FXI_MOST_DONORS) donors->number[donors->count++] = (int)number;
    else if (number == output) donors->number[FXI_MOST_DONORS - 1] = (int)number;
}

static void add_donors(fxi_cpu_program *p, const fxi_step *s, int step) {
    if (!s->in_place) return;
    const fxi_value_info *to = &p->plan.values.data[s->written];
    for (size_t k = 0; k < s->buffers.count && k < 64 && to->output >= 0 && to->first == step; k++) {
        const fxi_value_info *from = &p->plan.values.data[s->buffers.data[k]];
        if (!(s->in_place >> k & 1) || from->last != step || from->bytes != to->bytes) continue;
        if (!from->node || from->node->op != FX_OP_PARAMETER || from->offset >= 0) continue;
        add_donor(&p->donors[to->output], fxi_node_int(from->node, FXI_ATTR_INDEX), to->output);
    }
}

/* An output may be written over a donated input that dies in the step that writes the output and is read
 * there in place. */
static bool find_donors(fxi_cpu_program *p) {
    const fxi_plan *plan = &p->plan;
    p->donors = fxi_alloc_zeroed(plan->graph->output_count + 1, sizeof *p->donors);
    if (!p->donors) return false;
    for (size_t i = 0; i < plan->steps.count; i++)
        for (size_t j = 0; j < fxi_step_parts(&plan->steps.data[i]); j++)
            add_donors(p, fxi_step_part(&plan->steps.data[i], j), (int)i);
    return true;
}

/* ---- closures ---- */

static bool compile_closures(fxi_cpu_program *p, fx_error *err) {
    for (size_t i = 0; i < p->plan.steps.count; i++) {
        fxi_step *s = &p->plan.steps.data[i];
        if (s->kind != FXI_STEP_CONTROL) continue;
        s->control = fxi_control_compile(p->state, s->node, err);
        if (!s->control) return false;
        p->plan.values.data[s->workspace].bytes = fxi_control_workspace(s->control);
    }
    return true;
}

/* ---- code ---- */

typedef struct compile_job {
    fxi_cpu_program *program;
    fx_error *errors; /* one per step */
} compile_job;

static void compile_host(const fxi_step *s, const fxi_target *target, fx_error *err) {
    if (!s->host->compile || s->host->compile(s->state, target, err) || err->code) return;
    fxi_fail(err, FX_ERROR_INTERNAL, "library kernel without code");
}

static bool compile_kernel(const fxi_cpu_program *p, fxi_step *s, fx_error *err) {
    if (s->kind != FXI_STEP_KERNEL) return true;
    s->code = fxi_kernel_get(p->state->plan.target, s->key, s->key_bytes, fxi_emit_kernel, &s->kernel, err);
    if (!s->code) return false;
    void *symbol = fxi_code_symbol(s->code, "fx_kernel");
    memcpy(&s->run, &symbol, sizeof symbol);
    return s->run || fxi_fail(err, FX_ERROR_INTERNAL, "kernel without code");
}

static void compile_step(void *context, int64_t i) {
    compile_job *job = context;
    fxi_step *s = &job->program->plan.steps.data[i];
    fx_error *err = &job->errors[i];
    if (s->kind == FXI_STEP_HOST) compile_host(s, job->program->state->plan.target, err);
    for (size_t j = 0; j < fxi_step_parts(s); j++)
        if (!compile_kernel(job->program, fxi_step_part(s, j), err)) return;
}

static bool compile_steps(fxi_cpu_program *p, fx_error *err) {
    size_t n = p->plan.steps.count;
    compile_job job = {p, fxi_alloc_zeroed(n + 1, sizeof(fx_error))};
    if (!job.errors) return fxi_fail_memory(err, "program");
    fxi_pool_run(p->state->pool, (int64_t)n, compile_step, &job);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) ok = !job.errors[i].code || fxi_fail_copy(err, &job.errors[i]);
    fxi_free(job.errors);
    return ok;
}

static bool same_pointer(const void *value, const void *key) {
    return value == key;
}

/* Distinct kernels, by code, of one step: those that were not seen before. */
static int64_t count_new(fxi_step *s, fxi_map *seen) {
    int64_t kernels = 0;
    for (size_t j = 0; j < fxi_step_parts(s); j++) {
        fxi_code *code = fxi_step_part(s, j)->code;
        uint64_t hash = fxi_hash_u64((uint64_t)(uintptr_t)code, 1);
        if (!code || fxi_map_find(seen, hash, code, same_pointer)) continue;
        kernels += fxi_map_put(seen, hash, code);
    }
    return kernels;
}

static void measure_code(fxi_cpu_program *p) {
    fxi_map seen = {0};
    for (size_t i = 0; i < p->plan.steps.count; i++) {
        fxi_step *s = &p->plan.steps.data[i];
        p->memory.kernels += count_new(s, &seen);
        for (size_t j = 0; j < fxi_step_parts(s); j++)
            if (fxi_step_part(s, j)->code)
                p->memory.code += (int64_t)fxi_code_bytes(fxi_step_part(s, j)->code);
    }
    fxi_map_free(&seen);
}

static void measure(fxi_cpu_program *p) {
    const fx_graph *g = p->plan.graph;
    fx_memory *m = &p->memory;
    for (size_t i = 0; i < g->parameters.count; i++)
        m->parameters += fx_shape_bytes(&g->parameters.data[i]->shape);
    for (size_t i = 0; i < g->output_count; i++) m->outputs += fx_shape_bytes(&g->outputs[i]->shape);
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.data[i]->op == FX_OP_CONSTANT && p->plan.fusion.live[i])
            m->constants += fx_shape_bytes(&g->nodes.data[i]->shape);
    m->workspace = p->plan.workspace;
    m->steps = (int64_t)p->plan.steps.count;
    measure_code(p);
    for (size_t i = 0; i < p->plan.steps.count; i++) {
        const fxi_control *c = p->plan.steps.data[i].control;
        if (c && c->code) {
            m->code += (int64_t)fxi_code_bytes(c->code);
            m->kernels++;
        }
        for (size_t k = 0; c && k < c->body_count; k++) {
            m->constants += c->bodies[k]->memory.constants;
            m->code += c->bodies[k]->memory.code;
            m->kernels += c->bodies[k]->memory.kernels;
        }
    }
}

static bool check_devices(const fx_graph *graph, fx_error *err) {
    for (size_t i = 0; i < graph->nodes.count; i++)
        FX_TRY(fxi_collective_check_alone(graph->nodes.data[i], "cpu", err));
    return true;
}

fxi_cpu_program *fxi_program_compile(fxi_cpu_state *state, const fx_graph *graph, const fxi_inner *inner,
                                     fx_error *err) {
    fxi_cpu_program *p = fxi_alloc_zeroed(1, sizeof *p);
    if (!p) {
        fxi_fail_memory(err, "program");
        return NULL;
    }
    p->state = state;
    bool ok = check_devices(graph, err) &&
              fxi_plan_make(&p->plan, graph, &state->plan, inner, err) &&
              compile_closures(p, err) && fxi_plan_memory(&p->plan, !state->plan.unfused, err);
    if (ok && (!make_slots(p) || !find_donors(p))) ok = fxi_fail_memory(err, "program");
    ok = ok && compile_steps(p, err);
    if (!ok) {
        fxi_program_free(p);
        return NULL;
    }
    measure(p);
    return p;
}

void fxi_program_free(fxi_cpu_program *p) {
    if (!p) return;
    for (size_t i = 0; i < p->plan.steps.count; i++) fxi_control_free(p->plan.steps.data[i].control);
    fxi_plan_free(&p->plan);
    for (size_t i = 0; i < p->constants.count; i++) fxi_free_aligned(p->constants.data[i]);
    fxi_free(p->constants.data);
    fxi_free(p->slots.data);
    fxi_free(p->slot_of_value);
    fxi_free(p->donors);
    fxi_free(p);
}

/* ---- a call ---- */

/* Moves a donated input's memory into a new tensor; NULL when it is not ours to move. */
static fx_tensor *take_over(fx_tensor *from, const fx_shape *shape, fx_error *err) {
    if (from->read_only || !from->data || from->bytes != fx_shape_bytes(shape)) return NULL;
    fx_tensor *t = fxi_tensor_over(shape, from->data, from->release, from->user, from->padded, err);
    if (!t) return NULL;
    from->data = NULL;
    from->release = NULL;
    return t;
}

static bool make_outputs(fxi_cpu_program *p, const fxi_run_args *args, char **inputs, fx_error *err) {
    const fx_graph *g = p->plan.graph;
    for (size_t i = 0; i < g->output_count; i++) {
        const fx_shape *shape = &g->outputs[i]->shape;
        const fxi_donors *donors = &p->donors[i];
        for (int k = 0; args->donated && k < donors->count && !args->outputs[i]; k++) {
            int donor = donors->number[k];
            if (args->donated[donor] && args->inputs[donor]->data == inputs[donor])
                args->outputs[i] = take_over(args->inputs[donor], shape, NULL);
        }
        if (args->outputs[i]) continue;
        fx_tensor *made = args->outputs[i] = fxi_tensor_new_from(p->state->pages, shape, err);
        if (!made) return false;
        if (p->state->poison && made->bytes) memset(made->data, 0xff, (size_t)made->bytes);
    }
    return true;
}

static char *slot_address(const fxi_slot *s, char *const *inputs, char *const *outputs, char *workspace) {
    switch (s->kind) {
    case FXI_SLOT_CONSTANT: return s->constant;
    case FXI_SLOT_INPUT: return inputs[s->number];
    case FXI_SLOT_OUTPUT: return outputs[s->number];
    default: return workspace + s->offset;
    }
}

static bool log_values(const fxi_cpu_program *p, const fxi_run_args *args, char *const *table,
                       fx_error *err) {
    const fx_graph *g = p->plan.graph;
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *n = g->nodes.data[i];
        if (!n->labels) continue;
        fx_tensor *t = fxi_tensor_new_from(p->state->pages, &n->shape, err);
        if (!t) return false;
        int slot = p->slot_of_value[i];
        bool packed = fxi_dtype_is_packed(n->shape.dtype);
        if (packed && slot >= 0)
            fxi_pack(n->shape.dtype, table[slot], fx_shape_size(&n->shape), t->data);
        else if (slot >= 0 && t->bytes)
            memcpy(t->data, table[slot], (size_t)t->bytes);
        for (const fxi_label *label = n->labels; label; label = label->next)
            args->log(label->text, t, n->file, n->line, args->log_user);
        fx_tensor_free(t);
    }
    return true;
}

/* ---- debug=poison: memory that holds nothing reads as 0xFF, NaN in every float dtype ---- */

static bool lives_on(const fxi_cpu_program *p, const fxi_value_info *v, int step) {
    for (size_t i = 0; i < p->plan.values.count; i++) {
        const fxi_value_info *other = &p->plan.values.data[i];
        if (other->offset < 0 || other->first > step || other->last <= step) continue;
        if (other->offset < v->offset + v->bytes && v->offset < other->offset + other->bytes) return true;
    }
    return false;
}

static void poison_dead(const fxi_cpu_program *p, int step, char *workspace) {
    for (size_t i = 0; i < p->plan.values.count; i++) {
        const fxi_value_info *v = &p->plan.values.data[i];
        if (v->offset >= 0 && v->last == step && !lives_on(p, v, step))
            memset(workspace + v->offset, 0xff, (size_t)v->bytes);
    }
}

static bool run_steps(fxi_cpu_program *p, const fxi_run_args *args, char **table, char *workspace,
                      fx_error *err) {
    if (p->state->poison) memset(workspace, 0xff, (size_t)p->plan.workspace);
    for (size_t i = 0; i < p->plan.steps.count; i++) {
        FX_TRY(fxi_step_run(p, &p->plan.steps.data[i], table, args, err));
        if (p->state->poison) poison_dead(p, (int)i, workspace);
    }
    return !args->log || log_values(p, args, table, err);
}

static void drop_outputs(const fxi_cpu_program *p, const fxi_run_args *args) {
    for (size_t i = 0; i < p->plan.graph->output_count; i++) {
        fx_tensor_free(args->outputs[i]);
        args->outputs[i] = NULL;
    }
}

static void fill_table(const fxi_cpu_program *p, char *const *inputs, char *const *outputs, char *workspace,
                       char **table) {
    for (size_t i = 0; i < p->slots.count; i++)
        table[i] = slot_address(&p->slots.data[i], inputs, outputs, workspace);
}

/* Of `addresses` pointers, with room for one more. */
static int64_t table_bytes(size_t addresses) {
    return fxi_size_lines((int64_t)((addresses + 1) * sizeof(char *)));
}

bool fxi_program_run(fxi_cpu_program *p, const fxi_run_args *args, fx_error *err) {
    size_t inputs = p->plan.graph->parameters.count, outputs = p->plan.graph->output_count;
    size_t head = (size_t)table_bytes(inputs + outputs + p->slots.count);
    char *block = fxi_pages_take(p->state->pages, head + (size_t)p->plan.workspace + 64);
    if (!block) return fxi_fail_memory(err, "workspace");
    char **input = (char **)(void *)block, **output = input + inputs, **table = output + outputs;
    char *workspace = block + head;
    for (size_t i = 0; i < inputs; i++) input[i] = args->inputs[i]->data;
    bool ok = make_outputs(p, args, input, err);
    if (ok) {
        for (size_t i = 0; i < outputs; i++) output[i] = args->outputs[i]->data;
        fill_table(p, input, output, workspace, table);
        ok = run_steps(p, args, table, workspace, err);
    }
    fxi_pages_give(p->state->pages, block);
    if (!ok) drop_outputs(p, args);
    return ok;
}

/* ---- as a closure ---- */

int64_t fxi_program_inner_bytes(const fxi_cpu_program *p) {
    return table_bytes(p->slots.count) + fxi_size_lines(p->plan.workspace) + 64;
}

bool fxi_program_run_inner(fxi_cpu_program *p, char *const *inputs, char *const *outputs, char *workspace,
                           const fxi_run_args *args, fx_error *err) {
    char **table = (char **)(void *)workspace;
    char *rest = workspace + table_bytes(p->slots.count);
    fill_table(p, inputs, outputs, rest, table);
    return run_steps(p, args, table, rest, err);
}
