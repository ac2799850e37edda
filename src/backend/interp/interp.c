/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter: evaluates the needed nodes of a graph one after the other, each into a tensor of its
 * own, with no fusion and no reuse, and frees a value after its last use. Compiling lists the needed nodes
 * (those that outputs or log labels depend on) and counts the uses of each; running keeps one array of
 * values and one of remaining uses. Closures are programs of their own, run from within. Nothing is shared
 * between runs, so any number may go on at once. */
#include "backend/interp/interp.h"
#include "interp_internal.h"
#include "ops/ops.h"
#include <fenv.h>
#include <string.h>

typedef struct program {
    const fx_graph *graph;
    struct program ***bodies; /* per node: the programs of its closures; NULL: it has none */
    int64_t *steps; /* ids of the needed nodes, in order */
    size_t step_count;
    uint32_t *uses; /* per node: operands of needed nodes and outputs that it is */
    size_t most_operands;
    int64_t workspace; /* most bytes of intermediate values alive at once */
    int64_t body_workspace; /* of the closure that needs most */
    int replicas;
} program;

typedef struct fxi_interp_run {
    const program *program;
    const fxi_run_args *args;
    fxi_interp_replica *replica; /* NULL: it runs alone */
    fx_tensor **values;   /* per node; NULL: not computed or no longer needed */
    fx_tensor **operands; /* of the node at hand */
    fx_tensor ***more;    /* per node: its further results, terminated; NULL: none */
    uint32_t *uses;       /* per node: uses still to come */
} fxi_interp_run;
typedef fxi_interp_run run;

static const fxi_interp_fn table[FX_OP_COUNT] = {
    [FX_OP_IOTA] = fxi_interp_iota,
    [FX_OP_BITCAST] = fxi_interp_same_bytes,
    [FX_OP_RESHAPE] = fxi_interp_same_bytes,
    [FX_OP_BROADCAST_IN_DIM] = fxi_interp_view,
    [FX_OP_TRANSPOSE] = fxi_interp_view,
    [FX_OP_SLICE] = fxi_interp_view,
    [FX_OP_REVERSE] = fxi_interp_view,
    [FX_OP_CONCATENATE] = fxi_interp_concatenate,
    [FX_OP_REDUCE] = fxi_interp_reduce,
    [FX_OP_ARG_REDUCE] = fxi_interp_arg_reduce,
    [FX_OP_DOT_GENERAL] = fxi_interp_dot_general,
    [FX_OP_CONVOLUTION] = fxi_interp_convolution,
    [FX_OP_CUMULATIVE] = fxi_interp_cumulative,
    [FX_OP_REDUCE_WINDOW] = fxi_interp_reduce_window,
    [FX_OP_SELECT_AND_SCATTER] = fxi_interp_select_and_scatter,
    [FX_OP_BARRIER] = fxi_interp_barrier,
    [FX_OP_ALL_REDUCE] = fxi_interp_collective,
    [FX_OP_ALL_GATHER] = fxi_interp_collective,
    [FX_OP_REDUCE_SCATTER] = fxi_interp_collective,
    [FX_OP_ALL_TO_ALL] = fxi_interp_collective,
    [FX_OP_COLLECTIVE_PERMUTE] = fxi_interp_collective,
    [FX_OP_COLLECTIVE_BROADCAST] = fxi_interp_collective,
    [FX_OP_SHARD] = fxi_interp_collective,
    [FX_OP_REPLICA_ID] = fxi_interp_device_id,
    [FX_OP_PARTITION_ID] = fxi_interp_device_id,
    [FX_OP_PAD] = fxi_interp_pad,
    [FX_OP_DYNAMIC_SLICE] = fxi_interp_dynamic_slice,
    [FX_OP_DYNAMIC_UPDATE_SLICE] = fxi_interp_dynamic_update_slice,
    [FX_OP_GATHER] = fxi_interp_gather,
    [FX_OP_SCATTER] = fxi_interp_scatter,
    [FX_OP_FFT] = fxi_interp_fft,
    [FX_OP_CHOLESKY] = fxi_interp_linalg,
    [FX_OP_TRIANGULAR_SOLVE] = fxi_interp_linalg,
};

/* Operations with several results or with closures. */
static const fxi_interp_many_fn many_table[FX_OP_COUNT] = {
    [FX_OP_WHILE] = fxi_interp_while,
    [FX_OP_IF] = fxi_interp_if,
    [FX_OP_SCAN] = fxi_interp_scan,
    [FX_OP_COMPOSITE] = fxi_interp_composite,
    [FX_OP_CUSTOM_CALL] = fxi_interp_custom_call,
    [FX_OP_SORT] = fxi_interp_sort,
    [FX_OP_SORT_BY] = fxi_interp_sort_by,
    [FX_OP_TOP_K] = fxi_interp_top_k,
    [FX_OP_LU] = fxi_interp_linalg_many,
    [FX_OP_QR] = fxi_interp_linalg_many,
    [FX_OP_EIGH] = fxi_interp_linalg_many,
    [FX_OP_SVD] = fxi_interp_linalg_many,
};

static bool is_given(const fx_node *node) {
    return node->op == FX_OP_PARAMETER || node->op == FX_OP_CONSTANT;
}

static fxi_interp_fn find_function(fx_op op) { return fxi_op_is_map(op) ? fxi_interp_map : table[op]; }

static bool is_known(fx_op op) { return op == FX_OP_RESULT || many_table[op] || find_function(op); }

/* ---- open and close ---- */

static void *interp_open(const fxi_open_args *args, fx_error *err) {
    if (args->count > 0) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_backend_open: interp has no option \"%s\"", args->config[0].key);
        return NULL;
    }
    void *state = fxi_alloc(1); /* there is no state, but NULL would mean failure */
    if (!state) fxi_fail_memory(err, "fx_backend_open");
    return state;
}

static void interp_close(void *state) { fxi_free(state); }

/* ---- compile ---- */

static bool check_node(const program *p, const fx_node *node, fx_error *err) {
    const fx_graph *graph = p->graph;
    if (!is_given(node) && !is_known(node->op))
        return fxi_fail_at(err, FX_ERROR_UNSUPPORTED, node->file, node->line, "interp: no operation \"%s\"",
                           fxi_op_info_of(node->op)->text);
    for (uint32_t k = 0; k < node->operand_count; k++)
        if (node->operands[k]->graph != graph)
            return fxi_fail_at(err, FX_ERROR_INTERNAL, node->file, node->line,
                               "interp: operand %u of %s is of another graph", k,
                               fxi_op_info_of(node->op)->text);
    return fxi_collective_check(node, "interp", p->replicas, err);
}

/* Marks what outputs and logged nodes need by a use count of at least one; operands come before their
 * users, so one pass from the end suffices. */
static bool count_uses(program *p, fx_error *err) {
    const fx_graph *graph = p->graph;
    for (size_t i = 0; i < graph->output_count; i++) p->uses[graph->outputs[i]->id]++;
    for (size_t i = graph->nodes.count; i-- > 0;) {
        const fx_node *node = graph->nodes.data[i];
        if (node->op == FX_OP_INERT || (p->uses[i] == 0 && !node->labels)) continue;
        FX_TRY(check_node(p, node, err));
        for (uint32_t k = 0; k < node->operand_count; k++) p->uses[node->operands[k]->id]++;
        if (node->operand_count > p->most_operands) p->most_operands = node->operand_count;
        p->steps[p->step_count++] = (int64_t)i;
    }
    for (size_t i = 0; i < p->step_count / 2; i++) { /* collected from the end */
        int64_t other = p->steps[i];
        p->steps[i] = p->steps[p->step_count - 1 - i];
        p->steps[p->step_count - 1 - i] = other;
    }
    return true;
}

static void *interp_compile_replicas(void *state, const fx_graph *graph, int replicas, fx_error *err);

/* The recursion ends because closures nest FXI_MAX_NESTING deep at most. */
static bool compile_bodies(program *p, fx_error *err) {
    for (size_t s = 0; s < p->step_count; s++) {
        const fx_node *node = p->graph->nodes.data[p->steps[s]];
        fxi_graphs bodies = fxi_node_bodies(node);
        if (bodies.n == 0) continue;
        program **list = p->bodies[node->id] = fxi_alloc_zeroed(bodies.n, sizeof *list);
        if (!list) return fxi_fail_memory(err, "interp: compile");
        for (size_t i = 0; i < bodies.n; i++) {
            list[i] = interp_compile_replicas(NULL, bodies.v[i], p->replicas, err);
            if (!list[i]) return false;
            if (list[i]->workspace > p->body_workspace) p->body_workspace = list[i]->workspace;
        }
    }
    return true;
}

/* Follows the run's allocations: a value lives from its step to its last use; outputs live on and are not
 * workspace. */
static bool measure_workspace(program *p, fx_error *err) {
    size_t count = p->graph->nodes.count;
    uint32_t *left = fxi_alloc_zeroed(count, sizeof *left);
    if (!left) return fxi_fail_memory(err, "interp: compile");
    if (count) memcpy(left, p->uses, count * sizeof *left);
    for (size_t i = 0; i < p->graph->output_count; i++) left[p->graph->outputs[i]->id] = UINT32_MAX;
    int64_t alive = 0;
    for (size_t s = 0; s < p->step_count; s++) {
        const fx_node *node = p->graph->nodes.data[p->steps[s]];
        if (is_given(node)) left[node->id] = UINT32_MAX;
        if (left[node->id] != UINT32_MAX) alive += fx_shape_bytes(&node->shape);
        if (alive > p->workspace) p->workspace = alive;
        if (left[node->id] == 0) alive -= fx_shape_bytes(&node->shape); /* only logged */
        for (uint32_t k = 0; k < node->operand_count; k++) {
            const fx_node *operand = node->operands[k];
            if (left[operand->id] != UINT32_MAX && --left[operand->id] == 0)
                alive -= fx_shape_bytes(&operand->shape);
        }
    }
    fxi_free(left);
    return true;
}

static void interp_program_free(void *program_void) {
    program *p = program_void;
    if (!p) return;
    for (size_t i = 0; p->bodies && i < p->graph->nodes.count; i++) {
        for (size_t k = 0; p->bodies[i] && k < fxi_node_bodies(p->graph->nodes.data[i]).n; k++)
            interp_program_free(p->bodies[i][k]);
        fxi_free(p->bodies[i]);
    }
    fxi_free(p->bodies);
    fxi_free(p->steps);
    fxi_free(p->uses);
    fxi_free(p);
}

static void *interp_compile_replicas(void *state, const fx_graph *graph, int replicas, fx_error *err) {
    (void)state;
    program *p = fxi_alloc_zeroed(1, sizeof *p);
    if (!p) {
        fxi_fail_memory(err, "interp: compile");
        return NULL;
    }
    p->graph = graph;
    p->replicas = replicas;
    p->steps = fxi_alloc_zeroed(graph->nodes.count, sizeof *p->steps);
    p->uses = fxi_alloc_zeroed(graph->nodes.count, sizeof *p->uses);
    p->bodies = fxi_alloc_zeroed(graph->nodes.count, sizeof *p->bodies);
    if (p->steps && p->uses && p->bodies
            ? count_uses(p, err) && compile_bodies(p, err) && measure_workspace(p, err)
            : fxi_fail_memory(err, "interp: compile"))
        return p;
    interp_program_free(p);
    return NULL;
}

static void *interp_compile(void *state, const fx_graph *graph, fx_error *err) {
    return interp_compile_replicas(state, graph, 1, err);
}

/* ---- run ---- */

static fx_tensor *new_result(const fx_shape *shape, fx_error *err) {
    fx_tensor *result = fxi_tensor_new_from(NULL, shape, err);
    if (result && fxi_dtype_is_packed(shape->dtype)) memset(result->data, 0, (size_t)result->bytes);
    return result;
}

static void free_list(fx_tensor **list) {
    for (size_t i = 0; list && list[i]; i++) fx_tensor_free(list[i]);
    fxi_free(list);
}

/* All results of a node, terminated. */
static fx_tensor **new_results(const fx_node *node, fx_error *err) {
    size_t n = fxi_node_results(node);
    fx_tensor **list = fxi_alloc_zeroed(n + 1, sizeof(fx_tensor *));
    if (!list) fxi_fail_memory(err, "interp: run");
    for (size_t i = 0; list && i < n; i++) {
        list[i] = new_result(fxi_node_result_shape(node, i), err);
        if (list[i]) continue;
        free_list(list);
        return NULL;
    }
    return list;
}

/* The first result; the others stay in the run's list for the RESULT nodes. */
static fx_tensor *compute_many(run *r, const fx_node *node, fx_error *err) {
    fx_tensor **list = new_results(node, err);
    if (!list) return NULL;
    const fxi_interp_call call = {node, r->operands, list, r};
    if (!many_table[node->op](&call, err)) {
        free_list(list);
        return NULL;
    }
    fx_tensor *first = list[0];
    memmove(list, list + 1, fxi_node_results(node) * sizeof *list);
    r->more[node->id] = list;
    return first;
}

static fx_tensor *compute_node(run *r, const fx_node *node, fx_error *err) {
    if (node->op == FX_OP_RESULT)
        return fx_tensor_ref(r->more[node->operands[0]->id][fxi_node_int(node, FXI_ATTR_RESULT) - 1]);
    for (uint32_t k = 0; k < node->operand_count; k++) r->operands[k] = r->values[node->operands[k]->id];
    if (many_table[node->op]) return compute_many(r, node, err);
    fx_tensor *result = new_result(&node->shape, err);
    if (!result) return NULL;
    bool ok = r->replica && fxi_interp_is_of_replicas(node)
                  ? fxi_interp_exchange(r->replica, node, r->operands, result, err)
                  : find_function(node->op)(node, r->operands, result, err);
    if (ok) return result;
    fx_tensor_free(result);
    return NULL;
}

static void release_value(run *r, const fx_node *node) {
    fx_tensor_free(r->values[node->id]);
    r->values[node->id] = NULL;
    free_list(r->more[node->id]);
    r->more[node->id] = NULL;
}

static void drop_use(run *r, const fx_node *node) {
    if (--r->uses[node->id] == 0) release_value(r, node);
}

static void log_value(const run *r, const fx_node *node, const fx_tensor *value) {
    if (r->replica) fxi_interp_log_begin(r->replica);
    for (const fxi_label *label = node->labels; label; label = label->next)
        r->args->log(label->text, value, node->file, node->line, r->args->log_user);
    if (r->replica) fxi_interp_log_end(r->replica);
}

static bool run_step(run *r, const fx_node *node, fx_error *err) {
    fx_tensor *value;
    if (node->op == FX_OP_PARAMETER) {
        value = fx_tensor_ref(r->args->inputs[fxi_node_int(node, FXI_ATTR_INDEX)]);
    } else if (node->op == FX_OP_CONSTANT) {
        value = fx_tensor_ref(fxi_node_attr(node, FXI_ATTR_VALUE)->u.tensor);
    } else {
        value = compute_node(r, node, err);
    }
    if (!value) return false;
    r->values[node->id] = value;
    if (r->args->trace_nan) FX_TRY(fxi_interp_check_nan(node, r->values, r->more[node->id], err));
    if (r->args->log) log_value(r, node, value);
    for (uint32_t k = 0; k < node->operand_count; k++) drop_use(r, node->operands[k]);
    if (r->uses[node->id] == 0) release_value(r, node); /* only logged */
    return true;
}

/* Hands a computed value over as the output, or a copy when somebody else holds it: an input, a constant,
 * another output. */
static fx_tensor *take_output(run *r, const fx_node *node, fx_error *err) {
    fx_tensor *value = r->values[node->id];
    bool only_use = !is_given(node) && r->uses[node->id] == 1 && atomic_load(&value->references) == 1;
    fx_tensor *output =
        only_use ? fx_tensor_ref(value) : fx_tensor_copy_from(&value->shape, value->data, err);
    drop_use(r, node);
    return output;
}

static bool run_all(run *r, fx_error *err) {
    const fx_graph *graph = r->program->graph;
    for (size_t s = 0; s < r->program->step_count; s++)
        FX_TRY(run_step(r, graph->nodes.data[r->program->steps[s]], err));
    for (size_t i = 0; i < graph->output_count; i++) {
        r->args->outputs[i] = take_output(r, graph->outputs[i], err);
        if (!r->args->outputs[i]) return false;
    }
    return true;
}

static bool run_prepared(run *r, fx_error *err) {
    size_t count = r->program->graph->nodes.count, outputs = r->program->graph->output_count;
    if (!r->values || !r->operands || !r->more || !r->uses) return fxi_fail_memory(err, "interp: run");
    if (count) memcpy(r->uses, r->program->uses, count * sizeof *r->uses);
    fenv_t saved; /* the caller's rounding mode or flush-to-zero must not change results */
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    bool ok = run_all(r, err);
    fesetenv(&saved);
    for (size_t i = 0; i < count; i++) release_value(r, r->program->graph->nodes.data[i]);
    for (size_t i = 0; !ok && i < outputs; i++) {
        fx_tensor_free(r->args->outputs[i]);
        r->args->outputs[i] = NULL;
    }
    return ok;
}

bool fxi_interp_run_replica(const void *program_void, const fxi_run_args *args, fxi_interp_replica *replica,
                            fx_error *err) {
    const program *p = program_void;
    size_t count = p->graph->nodes.count;
    run r = {.program = p, .args = args, .replica = replica};
    r.values = fxi_alloc_zeroed(count, sizeof *r.values);
    r.operands = fxi_alloc_zeroed(p->most_operands, sizeof *r.operands);
    r.more = fxi_alloc_zeroed(count, sizeof *r.more);
    r.uses = fxi_alloc_zeroed(count, sizeof *r.uses);
    bool ok = run_prepared(&r, err);
    fxi_free(r.values);
    fxi_free(r.operands);
    fxi_free(r.more);
    fxi_free(r.uses);
    return ok;
}

bool fxi_interp_run_body(const fxi_interp_call *call, size_t body, fx_tensor *const *inputs, fx_tensor **outputs,
                         fx_error *err) {
    const fxi_run_args *outer = call->run->args;
    const fxi_run_args args = {.inputs = inputs, .outputs = outputs, .log = outer->log, .log_user = outer->log_user,
                               .trace_nan = outer->trace_nan};
    return fxi_interp_run_replica(call->run->program->bodies[call->node->id][body], &args, call->run->replica, err);
}

static bool interp_run(void *program_void, const fxi_run_args *args, fx_error *err) {
    const program *p = program_void;
    if (p->replicas == 1) return fxi_interp_run_replica(p, args, NULL, err);
    const fxi_interp_team_args team = {.program = p, .replicas = (size_t)p->replicas, .args = args,
                                       .n_in = p->graph->parameters.count, .n_out = p->graph->output_count};
    return fxi_interp_run_team(&team, err);
}

/* ---- queries ---- */

static void interp_program_memory(const void *program_void, fx_memory *memory) {
    const program *p = program_void;
    const fx_graph *graph = p->graph;
    size_t size = memory->size;
    *memory = (fx_memory){.size = size, .workspace = p->workspace + p->body_workspace, .steps = (int64_t)p->step_count};
    for (size_t i = 0; i < graph->parameters.count; i++)
        memory->parameters += fx_shape_bytes(&graph->parameters.data[i]->shape);
    for (size_t i = 0; i < graph->output_count; i++)
        memory->outputs += fx_shape_bytes(&graph->outputs[i]->shape);
    for (size_t s = 0; s < p->step_count; s++) {
        const fx_node *node = graph->nodes.data[p->steps[s]];
        if (node->op == FX_OP_CONSTANT) memory->constants += fx_shape_bytes(&node->shape);
    }
}

static void interp_program_text(const void *program_void, fxi_text *text) {
    const program *p = program_void;
    for (size_t s = 0; s < p->step_count; s++) {
        fxi_node_add_text(text, p->graph->nodes.data[p->steps[s]]);
        fxi_text_add(text, "\n");
    }
}

const fxi_backend_ops fxi_interp_backend = {
    .name = "interp",
    .open = interp_open,
    .close = interp_close,
    .compile = interp_compile,
    .compile_replicas = interp_compile_replicas,
    .program_free = interp_program_free,
    .run = interp_run,
    .program_memory = interp_program_memory,
    .program_text = interp_program_text,
};
