/* SPDX-License-Identifier: Apache-2.0 */
/* Executables: life cycle, options, and the building of one program from the user's graph function. */
#include "exec.h"
#include "passes/passes.h"
#include <string.h>

static bool open_locks(fx_exec *exec, fx_error *err) {
    if (pthread_mutex_init(&exec->build, NULL) != 0) return fxi_fail_memory(err, "fx_exec_new");
    if (fxi_cache_open(&exec->cache, err)) return true;
    pthread_mutex_destroy(&exec->build);
    return false;
}

static fx_exec *new_exec(fx_backend *backend, fxi_function function, bool given, int arity, size_t n_in, size_t n_out, void *user, fx_error *err) {
    if (!backend || !given) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_new: %s is NULL", backend ? "the function" : "the backend");
        return NULL;
    }
    fx_exec *exec = fxi_alloc_zeroed(1, sizeof *exec);
    if (!exec) {
        fxi_fail_memory(err, "fx_exec_new");
        return NULL;
    }
    exec->function = function;
    exec->arity = arity;
    exec->n_in = n_in;
    exec->n_out = n_out;
    exec->user = user;
    if (!open_locks(exec, err)) {
        fxi_free(exec);
        return NULL;
    }
    exec->backend = fxi_backend_ref(backend);
    return exec;
}

#define NEW_EXEC(arity, inputs)                                                             \
    fx_exec *fx_exec_new##arity(fx_backend *backend, fx_fn##arity function, fx_error *err) { \
        fxi_function f = {.f##arity = function};                                            \
        return new_exec(backend, f, function != NULL, arity, inputs, 1, NULL, err);         \
    }
NEW_EXEC(0, 0)
NEW_EXEC(1, 1)
NEW_EXEC(2, 2)
NEW_EXEC(3, 3)
NEW_EXEC(4, 4)
NEW_EXEC(5, 5)
NEW_EXEC(6, 6)

fx_exec *fx_exec_new_fn(fx_backend *backend, fx_fn function, size_t n_in, size_t n_out, void *user, fx_error *err) {
    fxi_function f = {.general = function};
    if (n_out == 0 || n_in > 1u << 20 || n_out > 1u << 20) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_new_fn: %zu inputs and %zu outputs; at least one output, at most %u of each", n_in, n_out, 1u << 20);
        return NULL;
    }
    return new_exec(backend, f, function != NULL, -1, n_in, n_out, user, err);
}

bool fx_exec_configure(fx_exec *exec, const fx_exec_options *options, fx_error *err) {
    if (!exec || !options) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_configure: %s is NULL", exec ? "options" : "exec");
    if (options->max_concurrent < 0 || options->cache_limit < 0) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_configure: a negative limit");
    if (atomic_load(&exec->called)) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_configure: the executable has already been used");
    size_t size = options->size && options->size < sizeof exec->options ? options->size : sizeof exec->options;
    memset(&exec->options, 0, sizeof exec->options);
    memcpy(&exec->options, options, size);
    return true;
}

void fx_exec_free(fx_exec *exec) {
    if (!exec) return;
    fxi_cache_close(&exec->cache);
    pthread_mutex_destroy(&exec->build);
    fx_backend_close(exec->backend);
    fxi_free(exec);
}

/* ---- one program ---- */

static void call_function(const fx_exec *exec, fx_graph *graph, fx_node *const *in, fx_node **out) {
    const fxi_function *f = &exec->function;
    switch (exec->arity) {
    case 0: out[0] = f->f0(graph); break;
    case 1: out[0] = f->f1(in[0]); break;
    case 2: out[0] = f->f2(in[0], in[1]); break;
    case 3: out[0] = f->f3(in[0], in[1], in[2]); break;
    case 4: out[0] = f->f4(in[0], in[1], in[2], in[3]); break;
    case 5: out[0] = f->f5(in[0], in[1], in[2], in[3], in[4]); break;
    case 6: out[0] = f->f6(in[0], in[1], in[2], in[3], in[4], in[5]); break;
    default: f->general(graph, in, exec->n_in, out, exec->n_out, exec->user); break;
    }
}

static bool build_nodes(fx_exec *exec, fx_graph *graph, const fx_shape *shapes, fx_node **nodes, fx_error *err) {
    fx_node **in = nodes, **out = nodes + exec->n_in;
    for (size_t i = 0; i < exec->n_in; i++) in[i] = fx_parameter(graph, &shapes[i]);
    pthread_mutex_lock(&exec->build);
    call_function(exec, graph, in, out);
    pthread_mutex_unlock(&exec->build);
    return fx_graph_finish(graph, (fx_nodes){out, exec->n_out}, err);
}

static fx_graph *build_graph(fx_exec *exec, const fx_shape *shapes, fx_error *err) {
    fx_node **nodes = fxi_alloc_zeroed(exec->n_in + exec->n_out, sizeof *nodes);
    fx_graph *graph = nodes ? fx_graph_new(err) : NULL, *simple = NULL;
    if (!nodes) fxi_fail_memory(err, "fx_exec_call");
    if (graph && build_nodes(exec, graph, shapes, nodes, err)) simple = fxi_passes_run(graph, err);
    fxi_free(nodes);
    fx_graph_free(graph);
    return simple;
}

fx_program *fxi_exec_build(fx_exec *exec, const fx_shape *shapes, size_t n, fx_error *err) {
    (void)n;
    fx_graph *graph = build_graph(exec, shapes, err);
    if (!graph) return NULL;
    fx_program *program = fxi_alloc_zeroed(1, sizeof *program);
    if (!program) fxi_fail_memory(err, "fx_exec_call");
    void *compiled = program ? exec->backend->ops->compile(exec->backend->state, graph, err) : NULL;
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

fx_program *fx_exec_program(fx_exec *exec, const fx_shape *shapes, size_t n, fx_error *err) {
    if (!exec || (n > 0 && !shapes)) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_program: %s is NULL", exec ? "shapes" : "exec");
        return NULL;
    }
    if (n != exec->n_in) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_exec_program: the function takes %zu arguments, got %zu shapes", exec->n_in, n);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (!fx_shape_is_valid(&shapes[i])) {
            fxi_fail(err, FX_ERROR_SHAPE, "fx_exec_program: shape %zu is not valid", i);
            return NULL;
        }
    const fx_shape **list = fxi_alloc_zeroed(n + 1, sizeof *list);
    if (!list) {
        fxi_fail_memory(err, "fx_exec_program");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) list[i] = &shapes[i];
    fx_program *program = fxi_exec_find(exec, list, n, err);
    fxi_free(list);
    return program;
}

bool fx_exec_compile(fx_exec *exec, const fx_shape *shapes, size_t n, fx_error *err) {
    fx_program *program = fx_exec_program(exec, shapes, n, err);
    fx_program_free(program);
    return program != NULL;
}
