/* SPDX-License-Identifier: Apache-2.0 */
/* One call: arguments of any form become tensors without allocation, the program is found by their shapes
 * and run.
 *
 * Scalars, vectors and arrays are read in place through a tensor on the stack. The caller's tensors are
 * claimed while the call lasts: readers count upwards, a donation needs the tensor for itself, and both are
 * atomic, so that misuse from several threads is an error and not a race. Donations take effect once every
 * argument was accepted, whatever happens then. */
#include "exec.h"
#include <string.h>

/* Calls with at most this many arguments, as the macros make them, need no allocation for them. */
enum { SMALL = 16 };

/* Room for one argument's tensor and for what is needed to undo the claim on it. */
typedef struct argument {
    fx_tensor view;    /* of a scalar, vector or array: over the caller's memory */
    fx_tensor *tensor; /* &view, or the caller's */
    uint64_t scalar;   /* an integer in its own width */
    bool claimed, donated;
} argument;

static void view_over(argument *a, fx_dtype dtype, const int64_t *dims, size_t rank, const void *data) {
    a->view.shape = fx_shape_make(dtype, dims, rank);
    a->view.bytes = fx_shape_bytes(&a->view.shape);
    a->view.data = (void *)(uintptr_t)data; /* never written: read_only */
    a->view.read_only = true;
    atomic_init(&a->view.references, 1); /* the call's own, never dropped: the struct is no block */
    a->tensor = &a->view;
}

/* Calls that read a tensor count upwards from 0; a donation holds it at -1, alone. */
static bool claim(argument *a, size_t number, fx_error *err) {
    atomic_int *users = &a->tensor->in_use;
    int now = 0;
    if (a->donated) {
        a->claimed = atomic_compare_exchange_strong(users, &now, -1);
        return a->claimed ||
               fxi_fail(err, FX_ERROR_ARGUMENT,
                        "fx_call: donated argument %zu is also another argument or in use by another call",
                        number);
    }
    now = atomic_load(users);
    do {
        if (now < 0)
            return fxi_fail(err, FX_ERROR_ARGUMENT,
                            "fx_call: argument %zu is being donated by another argument or call", number);
    } while (!atomic_compare_exchange_weak(users, &now, now + 1));
    a->claimed = true;
    return true;
}

static bool use_tensor(const fx_arg *arg, size_t number, argument *a, fx_error *err) {
    a->tensor = arg->u.t;
    a->donated = arg->kind == FX_ARG_DONATED;
    if (!a->tensor) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_call: argument %zu is NULL", number);
    FX_TRY(claim(a, number, err));
    if (fx_tensor_is_valid(a->tensor)) return true;
    return fxi_fail(err, FX_ERROR_ARGUMENT,
                    "fx_call: argument %zu was donated to an earlier call and has no contents", number);
}

/* Floats below float32 and integers come in a wider member and are stored in their own width. */
static bool use_scalar(const fx_arg *arg, size_t number, argument *a, fx_error *err) {
    fx_dtype dtype = arg->dtype;
    if (!fx_dtype_is_valid(dtype))
        return fxi_fail(err, FX_ERROR_DTYPE, "fx_call: argument %zu is a scalar of no known dtype", number);
    bool direct = dtype == FX_F32 || dtype == FX_F64 || fx_dtype_is_complex(dtype);
    view_over(a, dtype, NULL, 0, direct ? (const void *)&arg->u : (const void *)&a->scalar);
    if (direct) return true;
    fxi_scalar value = {.i = dtype == FX_BOOL ? arg->u.i != 0 : arg->u.i};
    if (fx_dtype_is_float(dtype)) value = (fxi_scalar){.re = arg->u.f64};
    fxi_element_store(dtype, &a->scalar, 0, value);
    return true;
}

static bool use_array(const fx_host *host, size_t number, argument *a, fx_error *err) {
    view_over(a, host->dtype, host->dims, host->rank, host->data);
    if (!fx_shape_is_valid(&a->view.shape)) {
        const fxi_shape_fault fault = fxi_shape_fault_of(&a->view.shape);
        return fxi_fail(err, fault.code, "fx_call: argument %zu %s", number, fault.text);
    }
    if (!host->data && a->view.bytes > 0)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_call: the data of argument %zu is NULL", number);
    return true;
}

static bool use_argument(const fx_arg *arg, size_t number, argument *a, fx_error *err) {
    switch (arg->kind) {
    case FX_ARG_SCALAR: return use_scalar(arg, number, a, err);
    case FX_ARG_VEC: {
        int64_t n = arg->u.vec.n > INT64_MAX ? -1 : (int64_t)arg->u.vec.n;
        fx_host host = {arg->u.vec.data, arg->u.vec.dtype, &n, 1};
        return use_array(&host, number, a, err);
    }
    case FX_ARG_HOST: return use_array(&arg->u.host, number, a, err);
    case FX_ARG_TENSOR:
    case FX_ARG_DONATED: return use_tensor(arg, number, a, err);
    }
    return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_call: argument %zu is of no known kind", number);
}

/* What the program did not take over of a donated tensor goes back; the tensor has no contents from here on.
 */
static void consume(fx_tensor *t) {
    atomic_store(&t->donated, true);
    fxi_tensor_drop(t);
}

/* Ends the claims; `accepted` says that the donations took effect, else only what was taken is gone. */
static void release_arguments(argument *args, size_t n, bool accepted) {
    for (size_t i = 0; i < n; i++) {
        argument *a = &args[i];
        if (!a->claimed) continue;
        if (!a->donated) {
            atomic_fetch_sub(&a->tensor->in_use, 1);
            continue;
        }
        if (accepted || fxi_tensor_is_gone(a->tensor)) consume(a->tensor);
        atomic_store(&a->tensor->in_use, 0);
    }
}

/* ---- max_concurrent ---- */

static void enter(fx_exec *exec) {
    if (exec->options.max_concurrent == 0) return;
    fxi_exec_cache *c = &exec->cache;
    pthread_mutex_lock(&c->mutex);
    while (c->running >= exec->options.max_concurrent) pthread_cond_wait(&c->changed, &c->mutex);
    c->running++;
    pthread_mutex_unlock(&c->mutex);
}

static void leave(fx_exec *exec) {
    if (exec->options.max_concurrent == 0) return;
    fxi_exec_cache *c = &exec->cache;
    pthread_mutex_lock(&c->mutex);
    c->running--;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
}

/* ---- the call ---- */

/* Of all replicas, one after the other. */
typedef struct call_arrays {
    size_t count;
    argument *args;
    const fx_shape **shapes;
    fx_tensor **inputs;
    bool *donated;
    bool late; /* donations take effect with success only */
} call_arrays;

/* Replicas run one program, so they have the same shapes, and what it may overwrite all of them gave. */
static bool list_arguments(const fx_exec *exec, const call_arrays *a, bool *donates, fx_error *err) {
    const size_t n = exec->signature.n_in;
    for (size_t i = 0; i < a->count; i++) {
        a->inputs[i] = a->args[i].tensor;
        a->donated[i] = a->args[i].donated;
        const fx_shape *shape = a->shapes[i] = &a->args[i].tensor->shape;
        if (i < n) continue;
        a->donated[i % n] &= a->donated[i];
        if (!fx_shape_equal(shape, a->shapes[i % n]))
            return fxi_fail(err, FX_ERROR_SHAPE,
                            "fx_call: argument %zu of replica %zu is %s, of replica 0 %s", i % n, i / n,
                            fx_shape_to_text(shape).s, fx_shape_to_text(a->shapes[i % n]).s);
    }
    *donates = false;
    for (size_t i = 0; i < n; i++) *donates |= a->donated[i];
    return true;
}

static bool run_call(fx_exec *exec, const call_arrays *a, fx_tensor **out, fx_error *err) {
    bool any;
    FX_TRY(list_arguments(exec, a, &any, err));
    fx_program *program = fxi_exec_find(exec, a->shapes, err);
    if (!program) return false;
    fxi_run_args run = {.inputs = a->inputs,
                        .donated = any ? a->donated : NULL,
                        .outputs = out,
                        .log = exec->options.log,
                        .log_user = exec->options.log_user};
    if (exec->options.trace_nan) run.donated = NULL;
    enter(exec);
    bool ok = exec->backend->ops->run(program->compiled, &run, err);
    const fxi_signature *s = &exec->signature;
    if (ok && exec->options.trace_nan) ok = fxi_nan_trace(program, &run, s->n_in, s->n_out, err);
    leave(exec);
    fx_program_free(program);
    return ok;
}

/* What lies on a device comes here for a backend that knows none. */
static bool bring_here(const fxi_backend_ops *ops, argument *a, fx_error *err) {
    if (!a->tensor->device || ops->reads_devices) return true;
    return a->donated ? fxi_tensor_settle(a->tensor, err) : fx_tensor_fetch(a->tensor, err);
}

static bool call_with(fx_exec *exec, const fx_arg *args, const call_arrays *a, fx_tensor **out,
                      fx_error *err) {
    size_t n = a->count;
    bool accepted = true;
    for (size_t i = 0; i < n && accepted; i++)
        accepted =
            use_argument(&args[i], i, &a->args[i], err) && bring_here(exec->backend->ops, &a->args[i], err);
    bool ok = accepted && run_call(exec, a, out, err);
    release_arguments(a->args, n, a->late ? ok : accepted);
    return ok;
}

static size_t replicas_of(const fx_exec *exec) {
    return exec->options.replicas > 1 ? (size_t)exec->options.replicas : 1;
}

static size_t argument_count(const fx_exec *exec) {
    return exec->signature.n_in * replicas_of(exec);
}

static bool call_small(fx_exec *exec, const fx_arg *args, fx_tensor **out, bool late, fx_error *err) {
    argument room[SMALL];
    const fx_shape *shapes[SMALL];
    fx_tensor *inputs[SMALL];
    bool donated[SMALL];
    size_t n = argument_count(exec);
    for (size_t i = 0; i < n; i++) room[i] = (argument){.tensor = NULL};
    call_arrays a = {n, room, shapes, inputs, donated, late};
    return call_with(exec, args, &a, out, err);
}

static bool call_large(fx_exec *exec, const fx_arg *args, fx_tensor **out, bool late, fx_error *err) {
    size_t n = argument_count(exec); /* at most 2^32 */
    char *room = fxi_alloc_zeroed(n, sizeof(argument) + 2 * sizeof(void *) + sizeof(bool));
    if (!room) return fxi_fail_memory(err, "fx_call");
    call_arrays a = {.count = n, .args = (argument *)(void *)room, .late = late};
    a.shapes = (const fx_shape **)(void *)(room + n * sizeof(argument));
    a.inputs = (fx_tensor **)(void *)(a.shapes + n);
    a.donated = (bool *)(void *)(a.inputs + n);
    bool ok = call_with(exec, args, &a, out, err);
    fxi_free(room);
    return ok;
}

static bool call(fx_exec *exec, const fx_arg *args, fx_tensor **out, bool late, fx_error *err) {
    bool small = argument_count(exec) <= SMALL;
    return small ? call_small(exec, args, out, late, err) : call_large(exec, args, out, late, err);
}

bool fxi_exec_call_late(fx_exec *exec, const fx_arg *args, fx_tensor **out, fx_error *err) {
    return call(exec, args, out, true, err);
}

bool fxi_arg_shape(const fx_arg *arg, size_t number, fx_shape *shape, fx_error *err) {
    argument a = {.tensor = NULL};
    if (arg->kind != FX_ARG_TENSOR && arg->kind != FX_ARG_DONATED) {
        FX_TRY(use_argument(arg, number, &a, err));
        *shape = a.view.shape;
        return true;
    }
    if (!arg->u.t) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_call: argument %zu is NULL", number);
    *shape = arg->u.t->shape;
    return true;
}

/* ---- the public forms ---- */

static bool check_call(const fx_exec *exec, const fx_arg *args, size_t n, fx_tensor **out, size_t n_out,
                       fx_error *err) {
    for (size_t i = 0; out && i < n_out; i++) out[i] = NULL;
    if (exec && out && (n == 0 || args)) return true;
    return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_call: %s is NULL", !exec ? "exec" : !out ? "out" : "args");
}

bool fx_exec_call_replicas(fx_exec *exec, const fx_arg *args, size_t n, fx_tensor **out, size_t n_out,
                           fx_error *err) {
    FX_TRY(check_call(exec, args, n, out, n_out, err));
    const fxi_signature *s = &exec->signature;
    const size_t replicas = replicas_of(exec);
    if (n != s->n_in * replicas)
        return fxi_fail(
            err, FX_ERROR_ARGUMENT,
            "fx_exec_call_replicas: the function takes %zu arguments in each of %zu replicas, got %zu",
            s->n_in, replicas, n);
    if (n_out != s->n_out * replicas)
        return fxi_fail(
            err, FX_ERROR_ARGUMENT,
            "fx_exec_call_replicas: the function has %zu outputs in each of %zu replicas, %zu are "
            "asked for",
            s->n_out, replicas, n_out);
    return call(exec, args, out, false, err);
}

bool fx_exec_call(fx_exec *exec, const fx_arg *args, size_t n, fx_tensor **out, size_t n_out, fx_error *err) {
    FX_TRY(check_call(exec, args, n, out, n_out, err));
    const fxi_signature *s = &exec->signature;
    if (replicas_of(exec) > 1)
        return fxi_fail(err, FX_ERROR_ARGUMENT,
                        "fx_call: the executable runs as %zu replicas; fx_exec_call_replicas calls them all",
                        replicas_of(exec));
    if (n != s->n_in)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_call: the function takes %zu arguments, got %zu", s->n_in,
                        n);
    if (n_out != s->n_out)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_call: the function has %zu outputs, %zu are asked for",
                        s->n_out, n_out);
    return call(exec, args, out, false, err);
}

bool fxi_fail_from(fx_error *err, fx_error *from, const char *file, int line) {
    if (!from->file) {
        from->file = fxi_intern_file(file);
        from->line = from->file ? line : 0;
    }
    return fxi_fail_copy(err, from);
}

bool fx_exec_call_at(fx_exec *exec, const fx_arg *args, size_t n, fx_tensor **out, size_t n_out,
                     const char *file, int line, fx_error *err) {
    fx_error error; /* as a whole written only on failure, as it is long */
    error.file = NULL;
    if (fx_exec_call(exec, args, n, out, n_out, &error)) return true;
    return fxi_fail_from(err, &error, file, line);
}

fx_tensor *fx_exec_call1(fx_exec *exec, const fx_arg *args, size_t n, fx_error *err) {
    fx_tensor *out = NULL;
    return fx_exec_call(exec, args, n, &out, 1, err) ? out : NULL;
}

fx_arg fx_donate(fx_tensor *tensor) {
    return (fx_arg){.kind = FX_ARG_DONATED, .u = {.t = tensor}};
}
