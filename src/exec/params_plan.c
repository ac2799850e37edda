/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: what a graph function does to a map. How many entries it leaves, and which it replaces, is known
 * only once it has run, but an executable needs to know its outputs beforehand; so the function is run once
 * on a graph that is thrown away. The executable's own runs are checked against what was found.
 *
 * An entry counts as replaced when its node at the end is not the parameter it was at the beginning. Inputs
 * come first among the executable's arguments, and results first among its outputs, so that messages number
 * them as the caller does. */
#include "params_exec.h"
#include "graph/graph.h"
#include <string.h>

/* ---- the user's function ---- */

/* Takes the function for this thread; false when it is this thread's already: the function called itself. */
static bool enter_function(fx_params_exec *exec) {
    pthread_mutex_lock(&exec->mutex);
    bool inside = exec->building && pthread_equal(exec->builder, pthread_self());
    pthread_mutex_unlock(&exec->mutex);
    if (inside) return false;
    pthread_mutex_lock(&exec->build);
    pthread_mutex_lock(&exec->mutex);
    exec->building = true;
    exec->builder = pthread_self();
    pthread_mutex_unlock(&exec->mutex);
    return true;
}

static void leave_function(fx_params_exec *exec) {
    pthread_mutex_lock(&exec->mutex);
    exec->building = false;
    pthread_mutex_unlock(&exec->mutex);
    pthread_mutex_unlock(&exec->build);
}

/* Runs the function on a map of nodes; the map at its end, NULL with the error in the graph. in[]: inputs,
 * then entries. */
static fx_params *run_function(const fxi_params_plan *plan, fx_graph *graph, fx_node *const *in,
                               fx_node **out) {
    fx_params_exec *exec = plan->owner;
    fx_params *nodes = fxi_params_of_nodes(graph, &plan->before, in + exec->n_in);
    if (!nodes) {
        fxi_build_fail(graph, FX_ERROR_MEMORY, "fx_params_exec_call: out of memory");
        return NULL;
    }
    if (!enter_function(exec)) {
        fxi_build_fail(graph, FX_ERROR_ARGUMENT, "fx_params_exec_call: the function calls itself");
        fx_params_free(nodes);
        return NULL;
    }
    exec->function(nodes, in, exec->n_in, out, exec->n_out, exec->user);
    leave_function(exec);
    return nodes;
}

/* The entry before whose value an entry after keeps; -1: it has a new one. */
static int64_t source_of(const fxi_params_plan *plan, const fxi_param *after, fx_node *const *in) {
    const fxi_param *before = fxi_names_find(&plan->before, after->name);
    bool stays = before && after->node == in[plan->owner->n_in + before->index];
    return stays ? (int64_t)before->index : -1;
}

/* ---- the executable's function ---- */

static bool is_as_planned(const fxi_params_plan *plan, const fx_params *nodes, fx_node *const *in) {
    if (!fxi_names_equal(&nodes->entries, &plan->after)) return false;
    for (size_t i = 0; i < plan->after.list.count; i++)
        if (source_of(plan, nodes->entries.list.data[i], in) != plan->source[i]) return false;
    return true;
}

static void build_planned(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    const fxi_params_plan *plan = user;
    fx_params *nodes = run_function(plan, graph, in, out);
    if (!nodes) return;
    if (is_as_planned(plan, nodes, in)) {
        size_t next = plan->owner->n_out;
        for (size_t i = 0; i < plan->after.list.count; i++)
            if (plan->source[i] < 0) out[next++] = nodes->entries.list.data[i]->node;
    } else {
        fxi_build_fail(graph, FX_ERROR_GRAPH,
                       "fx_params_exec_call: the function changes other entries than in its first run");
    }
    fx_params_free(nodes);
    (void)n_in, (void)n_out;
}

/* ---- the first run ---- */

static bool add_names(fxi_names *to, const fxi_names *from) {
    for (size_t i = 0; i < from->list.count; i++)
        if (!fxi_names_add(to, from->list.data[i]->name)) return false;
    return true;
}

static bool note_changes(fxi_params_plan *plan, const fx_params *nodes, fx_node *const *in) {
    size_t n = nodes->entries.list.count;
    plan->source = fxi_alloc_zeroed(n + 1, sizeof *plan->source);
    plan->replaced = fxi_alloc_zeroed(plan->before.list.count + 1, sizeof *plan->replaced);
    if (!plan->source || !plan->replaced || !add_names(&plan->after, &nodes->entries)) return false;
    plan->n_outputs = plan->owner->n_out;
    for (size_t i = 0; i < n; i++) {
        const fxi_param *entry = nodes->entries.list.data[i];
        plan->source[i] = source_of(plan, entry, in);
        if (plan->source[i] >= 0) continue;
        plan->n_outputs++;
        const fxi_param *before = fxi_names_find(&plan->before, entry->name);
        if (before) plan->replaced[before->index] = true;
    }
    plan->same_names = fxi_names_equal(&plan->before, &plan->after);
    return true;
}

/* Results and new entries are checked as outputs here, so that their faults are found before any call. */
static bool finish_first_run(fx_graph *graph, const fxi_params_plan *plan, const fx_params *nodes,
                             fx_node *const *results, fx_error *err) {
    size_t n = plan->owner->n_out, count = nodes->entries.list.count;
    fx_node **outputs = fxi_alloc_zeroed(n + count + 1, sizeof *outputs);
    if (!outputs) return fxi_fail_memory(err, "fx_params_exec_call");
    if (n > 0) memcpy(outputs, results, n * sizeof *outputs);
    for (size_t i = 0; i < count; i++) outputs[n + i] = nodes->entries.list.data[i]->node;
    bool ok = n + count > 0 ? fx_graph_finish(graph, (fx_nodes){outputs, n + count}, err)
                            : !fx_graph_error(graph, err);
    fxi_free(outputs);
    return ok;
}

static bool first_run_in(fxi_params_plan *plan, fx_graph *graph, const fx_shape *shapes, fx_node **nodes,
                         fx_error *err) {
    size_t n_in = plan->owner->n_in + plan->before.list.count;
    fx_node **out = nodes + n_in;
    for (size_t i = 0; i < n_in; i++) nodes[i] = fx_parameter(graph, &shapes[i]);
    fx_params *map = run_function(plan, graph, nodes, out);
    if (!map) {
        fx_graph_error(graph, err);
        return false;
    }
    bool ok = finish_first_run(graph, plan, map, out, err);
    if (ok && !note_changes(plan, map, nodes)) ok = fxi_fail_memory(err, "fx_params_exec_call");
    fx_params_free(map);
    return ok;
}

static bool first_run(fxi_params_plan *plan, const fx_shape *shapes, fx_error *err) {
    size_t n = plan->owner->n_in + plan->before.list.count + plan->owner->n_out;
    fx_graph *graph = fx_graph_new(err);
    if (!graph) return false;
    fx_node **nodes = fxi_alloc_zeroed(n + 1, sizeof *nodes);
    bool ok =
        nodes ? first_run_in(plan, graph, shapes, nodes, err) : fxi_fail_memory(err, "fx_params_exec_call");
    fxi_free(nodes);
    fx_graph_free(graph);
    return ok;
}

static bool open_exec(fxi_params_plan *plan, fx_error *err) {
    if (plan->n_outputs == 0) return true;
    fx_params_exec *owner = plan->owner;
    plan->exec = fx_exec_new_fn(owner->backend, build_planned, owner->n_in + plan->before.list.count,
                                plan->n_outputs, plan, err);
    return plan->exec && fx_exec_configure(plan->exec, &owner->options, err);
}

static fxi_params_plan *new_plan(fx_params_exec *exec, const fx_params *params, const fx_shape *shapes,
                                 fx_error *err) {
    fxi_params_plan *plan = fxi_alloc_zeroed(1, sizeof *plan);
    if (!plan) {
        fxi_fail_memory(err, "fx_params_exec_call");
        return NULL;
    }
    plan->owner = exec;
    plan->references = 1;
    bool ok = add_names(&plan->before, &params->entries) || fxi_fail_memory(err, "fx_params_exec_call");
    if (ok && first_run(plan, shapes, err) && open_exec(plan, err)) return plan;
    fxi_params_plan_free(plan);
    return NULL;
}

/* ---- the list ---- */

void fxi_params_plan_free(fxi_params_plan *plan) {
    if (!plan) return;
    pthread_mutex_lock(&plan->owner->mutex);
    bool last = --plan->references == 0;
    pthread_mutex_unlock(&plan->owner->mutex);
    if (!last) return;
    fx_exec_free(plan->exec);
    fxi_names_free(&plan->before);
    fxi_names_free(&plan->after);
    fxi_free(plan->source);
    fxi_free(plan->replaced);
    fxi_free(plan);
}

/* The plan for these names, now the first of the list and with one more reference; NULL: there is none. */
static fxi_params_plan *find_plan(fx_params_exec *exec, const fx_params *params) {
    for (fxi_params_plan **at = &exec->plans; *at; at = &(*at)->next) {
        fxi_params_plan *plan = *at;
        if (!fxi_names_equal(&plan->before, &params->entries)) continue;
        *at = plan->next;
        plan->next = exec->plans;
        exec->plans = plan;
        plan->references++;
        return plan;
    }
    return NULL;
}

/* Puts a plan first; what falls off the end of the list, to be freed, or NULL. */
static fxi_params_plan *put_first(fx_params_exec *exec, fxi_params_plan *plan) {
    plan->references++;
    plan->next = exec->plans;
    exec->plans = plan;
    fxi_params_plan **at = &exec->plans;
    for (int i = 0; i < FXI_MOST_PLANS && *at; i++) at = &(*at)->next;
    fxi_params_plan *dropped = *at;
    *at = NULL;
    return dropped;
}

fxi_params_plan *fxi_params_plan_get(fx_params_exec *exec, const fx_params *params, const fx_shape *shapes,
                                     fx_error *err) {
    pthread_mutex_lock(&exec->mutex);
    exec->called = true;
    fxi_params_plan *plan = find_plan(exec, params);
    pthread_mutex_unlock(&exec->mutex);
    if (plan) return plan;
    fxi_params_plan *made = new_plan(exec, params, shapes, err);
    if (!made) return NULL;
    pthread_mutex_lock(&exec->mutex);
    plan = find_plan(exec, params); /* another thread's, made meanwhile */
    fxi_params_plan *dropped = plan ? made : put_first(exec, made);
    pthread_mutex_unlock(&exec->mutex);
    fxi_params_plan_free(dropped);
    return plan ? plan : made;
}
