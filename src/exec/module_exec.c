/* SPDX-License-Identifier: Apache-2.0 */
/* Executables of functions of StableHLO modules. The graph function is one for all, its user pointer says
 * which function of which module; both are freed with the executable. */
#include "exec/exec.h"
#include "stablehlo/stablehlo.h"

typedef struct part {  /* the user pointer */
    fx_module *module; /* referenced */
    size_t function;
    bool checks;
} part;

static void build(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const part *p = user; /* the graph keeps the error */
    if (p->checks)
        fxi_module_call_checks(p->module, p->function, graph, in, n_in, out, n_out, NULL);
    else
        fx_module_call(p->module, p->function, graph, in, n_in, out, n_out, NULL);
}

static void release(void *user) {
    part *p = user;
    fx_module_free(p->module);
    fxi_free(p);
}

/* How many outputs the executable has; 0 after failing. */
static size_t count_outputs(const char *name, const fx_module *module, size_t function, bool checks,
                            fx_error *err) {
    const char *called = fx_module_function_name(module, function);
    const size_t n_checks = checks ? fx_module_check_count(module, function) : 0;
    const size_t n_out = checks ? 2 * n_checks : fx_module_output_count(module, function);
    if (called && n_out > 0 && n_checks <= FX_MOST_CHECKS) return n_out;
    if (!called)
        fxi_fail(err, FX_ERROR_ARGUMENT, module ? "%s: there is no function %zu" : "%s: the module is NULL",
                 name, function);
    else if (n_checks > FX_MOST_CHECKS) /* functions that call one another twice: 2^n of them */
        fxi_fail(err, FX_ERROR_UNSUPPORTED, "%s: @%s makes more than %d checks", name, called,
                 FX_MOST_CHECKS);
    else
        fxi_fail(err, FX_ERROR_ARGUMENT, "%s: @%s has no %s", name, called, checks ? "checks" : "outputs");
    return 0;
}

static fx_exec *new_exec(const char *name, fx_backend *backend, const fx_module *module, size_t function,
                         bool checks, fx_error *err) {
    const size_t n_out = count_outputs(name, module, function, checks, err);
    if (n_out == 0) return NULL;
    part *p = fxi_alloc(sizeof *p);
    if (!p) {
        fxi_fail_memory(err, name);
        return NULL;
    }
    *p = (part){fxi_module_ref(module), function, checks};
    fx_exec *exec = fx_exec_new_fn(backend, build, fx_module_input_count(module, function), n_out, p, err);
    if (exec)
        exec->release = release;
    else
        release(p);
    return exec;
}

fx_exec *fx_exec_new_module(fx_backend *backend, const fx_module *module, size_t function, fx_error *err) {
    return new_exec("fx_exec_new_module", backend, module, function, false, err);
}

fx_exec *fx_exec_new_checks(fx_backend *backend, const fx_module *module, size_t function, fx_error *err) {
    return new_exec("fx_exec_new_checks", backend, module, function, true, err);
}
