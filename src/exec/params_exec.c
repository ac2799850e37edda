/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that take a map of parameters and put results back into it. A call is one of the plan's executable:
 * the inputs, then the map's tensors, those that get new values donated if nobody else holds them. All that
 * can fail comes before the donated memory is given away: room for the map as it will be, and, since a
 * donation takes effect when the run begins, building and compiling. */
#include "params_exec.h"
#include <string.h>

static const char name[] = "fx_params_exec_call";

/* ---- executables ---- */

enum { MOST_VALUES = 1 << 20 }; /* as of an executable */

static bool open_locks(fx_params_exec *exec, fx_error *err) {
    if (pthread_mutex_init(&exec->build, NULL) != 0) return fxi_fail_memory(err, "fx_params_exec_new");
    if (pthread_mutex_init(&exec->mutex, NULL) == 0) return true;
    pthread_mutex_destroy(&exec->build);
    return fxi_fail_memory(err, "fx_params_exec_new");
}

fx_params_exec *fx_params_exec_new(fx_backend *backend, fx_params_fn function, size_t n_in, size_t n_out,
                                   void *user, fx_error *err) {
    if (!backend || !function) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_exec_new: %s is NULL",
                 backend ? "the function" : "the backend");
        return NULL;
    }
    if (n_in > MOST_VALUES || n_out > MOST_VALUES) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_exec_new: %zu inputs and %zu outputs; at most %d of each",
                 n_in, n_out, MOST_VALUES);
        return NULL;
    }
    fx_params_exec *exec = fxi_alloc_zeroed(1, sizeof *exec);
    if (!exec) fxi_fail_memory(err, "fx_params_exec_new");
    if (!exec || !open_locks(exec, err)) {
        fxi_free(exec);
        return NULL;
    }
    exec->function = function;
    exec->n_in = n_in;
    exec->n_out = n_out;
    exec->user = user;
    exec->backend = fxi_backend_ref(backend);
    return exec;
}

void fx_params_exec_free(fx_params_exec *exec) {
    if (!exec) return;
    while (exec->plans) {
        fxi_params_plan *plan = exec->plans;
        exec->plans = plan->next;
        fxi_params_plan_free(plan);
    }
    pthread_mutex_destroy(&exec->build);
    pthread_mutex_destroy(&exec->mutex);
    fx_backend_close(exec->backend);
    fxi_free(exec);
}

bool fx_params_exec_configure(fx_params_exec *exec, const fx_exec_options *options, fx_error *err) {
    if (!exec || !options)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_exec_configure: %s is NULL",
                        exec ? "options" : "exec");
    fx_exec_options wanted;
    FX_TRY(fxi_exec_options_read(&wanted, options, err));
    if (wanted.replicas > 1)
        return fxi_fail(err, FX_ERROR_ARGUMENT,
                        "fx_params_exec_configure: a map of parameters has no replicas; shardings (fx_shard) "
                        "spread it");
    pthread_mutex_lock(&exec->mutex);
    bool late = exec->called;
    if (!late) exec->options = wanted;
    pthread_mutex_unlock(&exec->mutex);
    return !late ||
           fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_exec_configure: the executable has already been used");
}

/* ---- one call ---- */

typedef struct call {
    fx_params_exec *exec;
    fx_params *params;
    size_t n_in, n_entries;
    fx_arg *args;     /* inputs, then entries */
    fx_shape *shapes; /* of them, for a first run */
    fx_tensor **out;  /* results, then new values */
    fx_params *next;  /* the map as it will be, where names change */
    fxi_params_plan *plan;
} call;

static bool check_entries(const fx_params *params, fx_error *err) {
    for (size_t i = 0; i < params->entries.list.count; i++)
        if (!fx_tensor_is_valid(params->entries.list.data[i]->tensor))
            return fxi_fail(err, FX_ERROR_ARGUMENT,
                            "%s: \"%s\" lost its contents to a call that failed or was given away", name,
                            params->entries.list.data[i]->name);
    return true;
}

static bool check_call(const fx_params_exec *exec, const fx_params *params, const fx_arg *args, size_t n,
                       fx_tensor **out, size_t n_out, fx_error *err) {
    const char *missing = !exec               ? "exec"
                          : !params           ? "params"
                          : n > 0 && !args    ? "args"
                          : n_out > 0 && !out ? "out"
                                              : NULL;
    if (missing) return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: %s is NULL", name, missing);
    if (params->graph) return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: the map holds nodes", name);
    if (n != exec->n_in)
        return fxi_fail(err, FX_ERROR_ARGUMENT,
                        "%s: the function takes %zu arguments beside the map, got %zu", name, exec->n_in, n);
    if (n_out != exec->n_out)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: the function has %zu outputs, %zu are asked for", name,
                        exec->n_out, n_out);
    return check_entries(params, err);
}

/* The inputs' shapes are there. */
static bool find_plan(call *c, fx_error *err) {
    for (size_t i = 0; i < c->n_entries; i++)
        c->shapes[c->n_in + i] = c->params->entries.list.data[i]->tensor->shape;
    c->plan = fxi_params_plan_get(c->exec, c->params, c->shapes, err);
    return c->plan != NULL;
}

static bool read_shapes(call *c, const fx_arg *args, fx_error *err) {
    for (size_t i = 0; i < c->n_in; i++) FX_TRY(fxi_arg_shape(&args[i], i, &c->shapes[i], err));
    return true;
}

/* The map may hold the only reference to a tensor: then nobody else can see its contents change. */
static void fill_args(call *c, const fx_arg *args) {
    if (c->n_in > 0) memcpy(c->args, args, c->n_in * sizeof *args);
    for (size_t i = 0; i < c->n_entries; i++) {
        fx_tensor *t = c->params->entries.list.data[i]->tensor;
        bool donate = c->plan->replaced[i] && atomic_load(&t->references) == 1;
        c->args[c->n_in + i] = (fx_arg){.kind = donate ? FX_ARG_DONATED : FX_ARG_TENSOR, .u = {.t = t}};
    }
}

static bool make_next(call *c, fx_error *err) {
    if (c->plan->same_names) return true;
    c->next = fx_params_new(err);
    if (!c->next) return false;
    for (size_t i = 0; i < c->plan->after.list.count; i++)
        if (!fxi_names_add(&c->next->entries, c->plan->after.list.data[i]->name))
            return fxi_fail_memory(err, name);
    return true;
}

/* Puts new values into the map; nothing here can fail. */
static void put_back(call *c) {
    const fxi_params_plan *plan = c->plan;
    fxi_names *before = &c->params->entries, *after = c->next ? &c->next->entries : before;
    fx_tensor **value = c->out + c->exec->n_out;
    for (size_t i = 0; i < plan->after.list.count; i++) {
        fxi_param *entry = after->list.data[i];
        if (plan->source[i] < 0) {
            fx_tensor_free(entry->tensor);
            entry->tensor = *value++;
        } else if (c->next) {
            entry->tensor = fx_tensor_ref(before->list.data[plan->source[i]]->tensor);
        }
    }
    if (!c->next) return;
    fxi_names old = *before;
    *before = *after;
    *after = old;
}

static bool run(call *c, const fx_arg *args, fx_tensor **out, fx_error *err) {
    FX_TRY(make_next(c, err));
    fill_args(c, args);
    const fxi_params_plan *plan = c->plan;
    c->out = fxi_alloc_zeroed(plan->n_outputs + 1, sizeof *c->out);
    if (!c->out) return fxi_fail_memory(err, name);
    if (plan->exec) FX_TRY(fxi_exec_call_late(plan->exec, c->args, c->out, err));
    for (size_t i = 0; i < c->exec->n_out; i++) out[i] = c->out[i];
    put_back(c);
    return true;
}

bool fx_params_exec_call(fx_params_exec *exec, fx_params *params, const fx_arg *args, size_t n,
                         fx_tensor **out, size_t n_out, fx_error *err) {
    for (size_t i = 0; out && i < n_out; i++) out[i] = NULL;
    FX_TRY(check_call(exec, params, args, n, out, n_out, err));
    call c = {.exec = exec, .params = params, .n_in = n, .n_entries = params->entries.list.count};
    c.args = fxi_alloc_zeroed(n + c.n_entries + 1, sizeof *c.args);
    c.shapes = fxi_alloc_zeroed(n + c.n_entries + 1, sizeof *c.shapes);
    bool ok = (c.args && c.shapes) || fxi_fail_memory(err, name);
    ok = ok && read_shapes(&c, args, err) && find_plan(&c, err) && run(&c, args, out, err);
    fxi_params_plan_free(c.plan);
    fx_params_free(c.next);
    fxi_free(c.out);
    fxi_free(c.shapes);
    fxi_free(c.args);
    return ok;
}

bool fx_params_exec_call_at(fx_params_exec *exec, fx_params *params, const fx_arg *args, size_t n,
                            fx_tensor **out, size_t n_out, const char *file, int line, fx_error *err) {
    fx_error error; /* as a whole written only on failure, as it is long */
    error.file = NULL;
    if (fx_params_exec_call(exec, params, args, n, out, n_out, &error)) return true;
    return fxi_fail_from(err, &error, file, line);
}

/* ---- programs ---- */

static fx_program *program_of(call *c, const fx_shape *shapes, fx_error *err) {
    if (c->n_in > 0) memcpy(c->shapes, shapes, c->n_in * sizeof *shapes);
    if (!find_plan(c, err)) return NULL;
    if (c->plan->exec) return fx_exec_program(c->plan->exec, c->shapes, c->n_in + c->n_entries, err);
    fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_exec_program: the function computes nothing");
    return NULL;
}

fx_program *fx_params_exec_program(fx_params_exec *exec, const fx_params *params, const fx_shape *shapes,
                                   size_t n, fx_error *err) {
    const char *missing = !exec ? "exec" : !params ? "params" : n > 0 && !shapes ? "shapes" : NULL;
    if (missing || n != exec->n_in || params->graph) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_exec_program: %s%s",
                 missing         ? missing
                 : params->graph ? "the map holds nodes"
                                 : "another number of shapes than the function takes",
                 missing ? " is NULL" : "");
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (!fx_shape_is_valid(&shapes[i])) {
            const fxi_shape_fault fault = fxi_shape_fault_of(&shapes[i]);
            fxi_fail(err, fault.code, "fx_params_exec_program: shape %zu %s", i, fault.text);
            return NULL;
        }
    call c = {.exec = exec, .params = (fx_params *)(uintptr_t)params, .n_in = n};
    c.n_entries = params->entries.list.count;
    c.shapes = fxi_alloc_zeroed(n + c.n_entries + 1, sizeof *c.shapes);
    if (!c.shapes) fxi_fail_memory(err, "fx_params_exec_program");
    fx_program *program = c.shapes ? program_of(&c, shapes, err) : NULL;
    fxi_params_plan_free(c.plan);
    fxi_free(c.shapes);
    return program;
}
