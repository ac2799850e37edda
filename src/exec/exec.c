/* SPDX-License-Identifier: Apache-2.0 */
/* Executables: life cycle, options, and the building of one program from the user's graph function. A
 * program is built in three stages, each with its own unwinding: the function's graph, the rewritten graph
 * that outlives it, the backend's compiled form. Programs are found and kept by exec_cache.c; calls are made
 * by call.c. */
#include "exec.h"
#include "passes/passes.h"
#include <string.h>

/* Far above any real function; keeps sums and lists of pointers from overflowing. */
#define MOST_VALUES ((size_t)1 << 20)
enum { MOST_REPLICAS = 4096 };

static bool open_locks(fx_exec *exec, fx_error *err) {
    if (pthread_mutex_init(&exec->build, NULL) != 0) return fxi_fail_memory(err, "fx_exec_new");
    if (fxi_cache_open(&exec->cache, err)) return true;
    pthread_mutex_destroy(&exec->build);
    return false;
}

static fx_exec *new_exec(fx_backend *backend, const fxi_signature *signature, bool given, fx_error *err) {
    if (!backend || !given) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_new: %s is NULL", backend ? "the function" : "the backend");
        return NULL;
    }
    fx_exec *exec = fxi_alloc_zeroed(1, sizeof *exec);
    if (!exec) {
        fxi_fail_memory(err, "fx_exec_new");
        return NULL;
    }
    exec->signature = *signature;
    atomic_init(&exec->called, false);
    if (!open_locks(exec, err)) {
        fxi_free(exec);
        return NULL;
    }
    exec->backend = fxi_backend_ref(backend);
    return exec;
}

static bool check_counts(const char *name, size_t n_in, size_t n_out, fx_error *err) {
    if (n_out > 0 && n_in <= MOST_VALUES && n_out <= MOST_VALUES) return true;
    return fxi_fail(err, FX_ERROR_ARGUMENT,
                    "%s: %zu inputs and %zu outputs; at least one output, at most %zu of each", name, n_in,
                    n_out, MOST_VALUES);
}

#define NEW_EXEC(number)                                                                                     \
    fx_exec *fx_exec_new##number(fx_backend *backend, fx_fn##number function, fx_error *err) {               \
        fxi_signature s = {                                                                                  \
            .function = {.f##number = function}, .form = FXI_FORM_RESULT, .n_in = number, .n_out = 1};       \
        return new_exec(backend, &s, function != NULL, err);                                                 \
    }                                                                                                        \
    fx_exec *fx_exec_new_outputs##number(fx_backend *backend, fx_outputs_fn##number function, size_t n_out,  \
                                         fx_error *err) {                                                    \
        fxi_signature s = {                                                                                  \
            .function = {.o##number = function}, .form = FXI_FORM_OUTPUTS, .n_in = number, .n_out = n_out};  \
        if (!check_counts("fx_exec_new_outputs", number, n_out, err)) return NULL;                           \
        return new_exec(backend, &s, function != NULL, err);                                                 \
    }
NEW_EXEC(0)
NEW_EXEC(1)
NEW_EXEC(2)
NEW_EXEC(3)
NEW_EXEC(4)
NEW_EXEC(5)
NEW_EXEC(6)

fx_exec *fx_exec_new_fn(fx_backend *backend, fx_fn function, size_t n_in, size_t n_out, void *user,
                        fx_error *err) {
    if (!check_counts("fx_exec_new_fn", n_in, n_out, err)) return NULL;
    fxi_signature s = {.function = {.general = function},
                       .form = FXI_FORM_GENERAL,
                       .n_in = n_in,
                       .n_out = n_out,
                       .user = user};
    return new_exec(backend, &s, function != NULL, err);
}

bool fxi_exec_options_read(fx_exec_options *wanted, const fx_exec_options *options, fx_error *err) {
    *wanted = (fx_exec_options){.size = 0};
    size_t size = options->size && options->size < sizeof *wanted ? options->size : sizeof *wanted;
    memcpy(wanted, options, size);
    if (wanted->max_concurrent < 0 || wanted->cache_limit < 0)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_configure: a negative limit");
    if (wanted->replicas < 0 || wanted->replicas > MOST_REPLICAS)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_configure: %d replicas; at most %d",
                        wanted->replicas, MOST_REPLICAS);
    if (wanted->replicas <= 1 || !wanted->trace_nan) return true;
    return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_configure: trace_nan is for programs without replicas");
}

bool fx_exec_configure(fx_exec *exec, const fx_exec_options *options, fx_error *err) {
    if (!exec || !options)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_configure: %s is NULL", exec ? "options" : "exec");
    fx_exec_options wanted;
    FX_TRY(fxi_exec_options_read(&wanted, options, err));
    if (wanted.replicas > 1 && !exec->backend->ops->compile_replicas)
        return fxi_fail(
            err, FX_ERROR_UNSUPPORTED,
            "fx_exec_configure: %d replicas; the backend %s has one device, interp and pjrt can more",
            wanted.replicas, exec->backend->ops->name);
    if (atomic_load(&exec->called))
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_configure: the executable has already been used");
    exec->options = wanted;
    return true;
}

void fx_exec_free(fx_exec *exec) {
    if (!exec) return;
    fxi_cache_close(&exec->cache);
    pthread_mutex_destroy(&exec->build);
    fx_backend_close(exec->backend);
    if (exec->release) exec->release(exec->signature.user);
    fxi_free(exec);
}

/* ---- one program ---- */

static fx_node *call_result(const fxi_function *f, size_t n_in, fx_graph *graph, fx_node *const *in) {
    switch (n_in) {
    case 0: return f->f0(graph);
    case 1: return f->f1(in[0]);
    case 2: return f->f2(in[0], in[1]);
    case 3: return f->f3(in[0], in[1], in[2]);
    case 4: return f->f4(in[0], in[1], in[2], in[3]);
    case 5: return f->f5(in[0], in[1], in[2], in[3], in[4]);
    default: return f->f6(in[0], in[1], in[2], in[3], in[4], in[5]);
    }
}

static void call_outputs(const fxi_function *f, size_t n_in, fx_graph *graph, fx_node *const *in,
                         fx_node **out) {
    switch (n_in) {
    case 0: f->o0(graph, out); break;
    case 1: f->o1(in[0], out); break;
    case 2: f->o2(in[0], in[1], out); break;
    case 3: f->o3(in[0], in[1], in[2], out); break;
    case 4: f->o4(in[0], in[1], in[2], in[3], out); break;
    case 5: f->o5(in[0], in[1], in[2], in[3], in[4], out); break;
    default: f->o6(in[0], in[1], in[2], in[3], in[4], in[5], out); break;
    }
}

static void call_function(const fxi_signature *s, fx_graph *graph, fx_node *const *in, fx_node **out) {
    const fxi_function *f = &s->function;
    switch (s->form) {
    case FXI_FORM_RESULT: out[0] = call_result(f, s->n_in, graph, in); break;
    case FXI_FORM_OUTPUTS: call_outputs(f, s->n_in, graph, in, out); break;
    case FXI_FORM_GENERAL: f->general(graph, in, s->n_in, out, s->n_out, s->user); break;
    }
}

/* Tells the cache who builds, so that a call that the function makes on its own executable is refused, not
 * awaited. */
static void set_building(fxi_exec_cache *cache, bool building) {
    pthread_mutex_lock(&cache->mutex);
    cache->building = building;
    if (building) cache->builder = pthread_self();
    pthread_mutex_unlock(&cache->mutex);
}

static bool build_nodes(fx_exec *exec, fx_graph *graph, const fx_shape *shapes, fx_node **nodes,
                        fx_error *err) {
    const fxi_signature *s = &exec->signature;
    fx_node **in = nodes, **out = nodes + s->n_in;
    for (size_t i = 0; i < s->n_in; i++) in[i] = fx_parameter(graph, &shapes[i]);
    pthread_mutex_lock(&exec->build);
    set_building(&exec->cache, true);
    call_function(s, graph, in, out);
    set_building(&exec->cache, false);
    pthread_mutex_unlock(&exec->build);
    return fx_graph_finish(graph, (fx_nodes){out, s->n_out}, err);
}

fx_graph *fxi_exec_graph(fx_exec *exec, const fx_shape *shapes, fx_error *err) {
    fx_node **nodes = fxi_alloc_zeroed(exec->signature.n_in + exec->signature.n_out, sizeof(fx_node *));
    if (!nodes) {
        fxi_fail_memory(err, "fx_exec_call");
        return NULL;
    }
    fx_graph *graph = fx_graph_new(err);
    bool ok = graph && build_nodes(exec, graph, shapes, nodes, err);
    fxi_free(nodes);
    if (ok) return graph;
    fx_graph_free(graph);
    return NULL;
}

static fx_graph *build_graph(fx_exec *exec, const fx_shape *shapes, fx_error *err) {
    const fx_backend *backend = exec->backend;
    fx_graph *graph = fxi_exec_graph(exec, shapes, err), *plain = NULL, *simple = NULL;
    if (graph)
        plain = fxi_composites_inline(graph, backend->ops->runs, backend->state, backend->ops->shards, err);
    if (plain) simple = fxi_passes_run(plain, err);
    fx_graph_free(plain);
    fx_graph_free(graph);
    return simple;
}

static void *compile(const fx_exec *exec, const fx_graph *graph, fx_error *err) {
    const fx_backend *backend = exec->backend;
    const int replicas = exec->options.replicas;
    return replicas > 1 ? backend->ops->compile_replicas(backend->state, graph, replicas, err)
                        : backend->ops->compile(backend->state, graph, err);
}

fx_program *fxi_exec_build(fx_exec *exec, const fx_shape *shapes, fx_error *err) {
    fx_graph *graph = build_graph(exec, shapes, err);
    if (!graph) return NULL;
    fx_program *program = fxi_alloc_zeroed(1, sizeof *program);
    if (!program) fxi_fail_memory(err, "fx_exec_call");
    void *compiled = program ? compile(exec, graph, err) : NULL;
    if (!compiled) {
        fxi_free(program);
        fx_graph_free(graph);
        return NULL;
    }
    atomic_init(&program->references, 1);
    program->backend = fxi_backend_ref(exec->backend);
    program->graph = graph;
    program->compiled = compiled;
    return program;
}

/* ---- ahead of time ---- */

bool fxi_exec_check_shapes(const char *name, const fx_exec *exec, const fx_shape *shapes, size_t n,
                           fx_error *err) {
    if (!exec || (n > 0 && !shapes))
        return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: %s is NULL", name, exec ? "shapes" : "exec");
    if (n != exec->signature.n_in)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: the function takes %zu arguments, got %zu shapes", name,
                        exec->signature.n_in, n);
    for (size_t i = 0; i < n; i++)
        if (!fx_shape_is_valid(&shapes[i])) {
            const fxi_shape_fault fault = fxi_shape_fault_of(&shapes[i]);
            return fxi_fail(err, fault.code, "%s: shape %zu %s", name, i, fault.text);
        }
    return true;
}

fx_program *fx_exec_program(fx_exec *exec, const fx_shape *shapes, size_t n, fx_error *err) {
    if (!fxi_exec_check_shapes("fx_exec_program", exec, shapes, n, err)) return NULL;
    const fx_shape **list = fxi_alloc_zeroed(n, sizeof(fx_shape *));
    if (!list) {
        fxi_fail_memory(err, "fx_exec_program");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) list[i] = &shapes[i];
    fx_program *program = fxi_exec_find(exec, list, err);
    fxi_free(list);
    return program;
}

bool fx_exec_compile(fx_exec *exec, const fx_shape *shapes, size_t n, fx_error *err) {
    fx_program *program = fx_exec_program(exec, shapes, n, err);
    const fxi_backend_ops *ops = program ? exec->backend->ops : NULL;
    bool ok = ops && (!ops->prepare || ops->prepare(program->compiled, err));
    fx_program_free(program);
    return ok;
}
