/* SPDX-License-Identifier: Apache-2.0 */
/* A function of a module becomes nodes of the caller's graph: fx_module_call, and the same with the values
 * that checks compare as results. The error in the graph is the one that is reported, place and all, so
 * whoever finishes the graph hears it too. */
#include "stablehlo/module.h"
#include "stablehlo/stablehlo.h"

static bool check_count(const char *name, const char *what, size_t got, size_t wanted, fx_error *err) {
    if (got == wanted) return true;
    return fxi_fail(err, FX_ERROR_ARGUMENT, "@%s: %zu %s instead of %zu", name, got, what, wanted);
}

static bool check_function(const fx_module *module, size_t function, const fx_graph *graph, fx_error *err) {
    if (!module || !graph)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_module_call: the %s is NULL",
                        module ? "graph" : "module");
    if (function < module->tree->n_functions) return true;
    return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_module_call: function %zu of %zu", function,
                    module->tree->n_functions);
}

static bool check_inputs(const fxi_module_function *f, fx_graph *graph, fx_node *const *in, fx_error *err) {
    if (f->inputs.n > 0 && !in)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "@%s: the inputs are NULL", f->name);
    for (size_t i = 0; i < f->inputs.n; i++) {
        const fxi_module_port *port = &f->inputs.v[i];
        if (!in[i] || !fxi_node_is_visible(in[i], graph))
            return fxi_fail(err, FX_ERROR_GRAPH, "@%s: input %zu, %s, is %s", f->name, i, port->name,
                            in[i] ? "a node of another graph" : "NULL");
        if (!port->type->dynamic && !fx_shape_equal(&in[i]->shape, &port->type->shape))
            return fxi_fail(err, FX_ERROR_SHAPE, "@%s: input %zu, %s, is %s instead of %s", f->name, i,
                            port->name, fx_shape_to_text(&in[i]->shape).s,
                            fx_shape_to_text(&port->type->shape).s);
    }
    return true;
}

/* Keeps in the graph what the caller is told. */
static bool keep_error(fx_graph *graph, fx_error *err, const fx_error *why) {
    if (graph && !graph->finished) {
        graph->error = *why;
        graph->error_stamped = true;
    }
    return fxi_fail_copy(err, why);
}

/* All of a call but for the list of checks, which is the caller's to free. */
static bool call(fxi_hlo_import *im, const fxi_module_function *f, fx_node *const *in, size_t n_in,
                 fx_node **out) {
    if (fx_graph_error(im->graph, im->err)) return false;
    if (im->graph->finished)
        return fxi_fail(im->err, FX_ERROR_GRAPH, "@%s: the graph is finished", f->name);
    FX_TRY(check_count(f->name, "inputs", n_in, f->inputs.n, im->err));
    FX_TRY(check_inputs(f, im->graph, in, im->err));
    fxi_arena scratch = {0};
    im->arena = &scratch;
    bool ok = fxi_hlo_call(im, f->tree, f->tree->place, in, n_in, out, f->outputs.n);
    fxi_arena_free(&scratch);
    return ok;
}

static void clear(fx_node **out, size_t n) {
    for (size_t i = 0; out && i < n; i++) out[i] = NULL;
}

bool fx_module_call(const fx_module *module, size_t function, fx_graph *graph, fx_node *const *in,
                    size_t n_in, fx_node **out, size_t n_out, fx_error *err) {
    fx_error why = {.code = FX_OK};
    clear(out, n_out);
    if (!check_function(module, function, graph, &why)) return keep_error(graph, err, &why);
    const fxi_module_function *f = &module->functions[function];
    fxi_hlo_import im = {.module = module->tree, .graph = graph, .err = &why};
    bool ok = out || n_out == 0;
    if (!ok) fxi_fail(&why, FX_ERROR_ARGUMENT, "@%s: the outputs are NULL", f->name);
    ok = ok && check_count(f->name, "outputs", n_out, f->outputs.n, &why) && call(&im, f, in, n_in, out);
    fxi_free(im.checks.data);
    if (ok) return true;
    clear(out, n_out);
    return keep_error(graph, err, &why);
}

/* out: what is and what should be, in turn. */
static bool give_checks(const fxi_hlo_import *im, fx_node **out, size_t n_out, fx_error *err) {
    if (im->checks.count != n_out / 2)
        return fxi_fail(err, FX_ERROR_INTERNAL, "%zu checks instead of %zu", im->checks.count, n_out / 2);
    for (size_t i = 0; i < im->checks.count; i++) {
        out[2 * i] = im->checks.data[i].actual;
        out[2 * i + 1] = im->checks.data[i].expected;
    }
    return true;
}

bool fxi_module_call_checks(const fx_module *module, size_t function, fx_graph *graph, fx_node *const *in,
                            size_t n_in, fx_node **out, size_t n_out, fx_error *err) {
    fx_error why = {.code = FX_OK};
    if (!check_function(module, function, graph, &why)) return keep_error(graph, err, &why);
    const fxi_module_function *f = &module->functions[function];
    fx_node **results = fxi_alloc_zeroed(f->outputs.n ? f->outputs.n : 1, sizeof *results);
    if (!results) {
        fxi_fail_memory(&why, "fx_exec_new_checks");
        return keep_error(graph, err, &why);
    }
    fxi_hlo_import im = {.module = module->tree, .graph = graph, .err = &why};
    bool ok = call(&im, f, in, n_in, results) && give_checks(&im, out, n_out, &why);
    fxi_free(results);
    fxi_free(im.checks.data);
    return ok || keep_error(graph, err, &why);
}
