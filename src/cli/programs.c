/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: read from files, their functions found by name and built as graphs. */
#include "cli.h"
#include <stdlib.h>

fx_module *cli_read_module(const char *path) {
    fx_error err = {.code = FX_OK};
    size_t size;
    if (!cli_is_standard(path)) {
        fx_module *module = fx_module_read(path, &err);
        if (!module) cli_fail_error(&err);
        return module;
    }
    char *text = cli_read_file(path, &size);
    fx_module *module = text ? fx_module_parse(text, size, "-", &err) : NULL;
    if (text && !module) cli_fail_error(&err);
    free(text);
    return module;
}

ptrdiff_t cli_find_function(const fx_module *module, const char *path, const char *name) {
    ptrdiff_t found = fx_module_find(module, name);
    size_t n = fx_module_function_count(module);
    if (found >= 0) return found;
    if (!name) {
        if (n > 0)
            cli_fail("%s: which function? --function one of the %zu", path, n);
        else
            cli_fail("%s: no function is in it", path);
        return -1;
    }
    const char **names = cli_alloc(n, sizeof *names);
    for (size_t i = 0; i < n; i++) names[i] = fx_module_function_name(module, i);
    const char *near = cli_nearest(name, names, n);
    cli_fail("%s: there is no function @%s%s%s%s", path, name, near ? "; did you mean @" : "",
             near ? near : "", near ? "?" : "");
    free(names);
    return -1;
}

/* Fills the graph with the function's nodes, from its parameters on. An input that is not of one shape is
 * the library's to refuse, with its place: any node stands for it. */
static bool build(const fx_module *module, size_t function, fx_graph *graph, fx_node **in) {
    fx_error err = {.code = FX_OK};
    size_t n_in = fx_module_input_count(module, function), n_out = fx_module_output_count(module, function);
    for (size_t i = 0; i < n_in; i++) {
        const fx_shape *shape = fx_module_input_shape(module, function, i);
        in[i] = fx_parameter(graph, shape ? shape : &FX_SHAPE(FX_F32));
    }
    fx_node **out = cli_alloc(n_out, sizeof(fx_node *));
    bool ok = fx_module_call(module, function, graph, in, n_in, out, n_out, &err) &&
              fx_graph_finish(graph, (fx_nodes){out, n_out}, &err);
    if (!ok) cli_fail_error(&err);
    free(out);
    return ok;
}

fx_graph *cli_build_graph(const fx_module *module, size_t function) {
    fx_error err = {.code = FX_OK};
    fx_graph *graph = fx_graph_new(&err);
    if (!graph) {
        cli_fail_error(&err);
        return NULL;
    }
    fx_node **in = cli_alloc(fx_module_input_count(module, function), sizeof(fx_node *));
    bool ok = build(module, function, graph, in);
    free(in);
    if (ok) return graph;
    fx_graph_free(graph);
    return NULL;
}

bool cli_has_shapes(const fx_module *module, size_t function) {
    for (size_t i = 0; i < fx_module_input_count(module, function); i++) {
        if (fx_module_input_shape(module, function, i)) continue;
        fx_graph_free(cli_build_graph(module, function));
        return false;
    }
    return true;
}
