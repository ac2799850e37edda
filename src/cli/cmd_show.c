/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion show: a program as the graph that the reader builds of it, in text or drawn, or what a backend
 * makes of it; of a file of tensors their names, shapes and first values. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

/* ---- tensors ---- */

/* Members that cannot be read are named, and the others shown. */
static int show_npz(const char *path, fx_dtype raw) {
    fx_error err = {.code = FX_OK};
    fx_npz *file = fx_npz_open(path, &err);
    int status = file ? CLI_OK : cli_fail_error(&err);
    for (size_t i = 0; i < fx_npz_count(file); i++) {
        fx_tensor *tensor = fx_npz_read(file, i, raw, &err);
        if (tensor)
            printf("%s = %s\n", fx_npz_name(file, i), fx_tensor_text(tensor).s);
        else
            status = cli_fail_error(&err);
        fx_tensor_free(tensor);
        err = (fx_error){.code = FX_OK};
    }
    fx_npz_close(file);
    return status;
}

static int show_tensors(const cli_settings *settings, const char *file) {
    fx_dtype raw = settings->dtype ? fx_dtype_parse(settings->dtype) : FX_INVALID_DTYPE;
    if (settings->dtype && raw == FX_INVALID_DTYPE)
        return cli_usage("show: '%s' is no dtype", settings->dtype);
    if (cli_format_of(file) == CLI_NPZ) return show_npz(file, raw);
    fx_params *map = cli_read_tensors(file, raw);
    for (size_t i = 0; i < fx_params_count(map); i++)
        printf("%s = %s\n", fx_params_name(map, i), fx_tensor_text(fx_params_tensor(map, i)).s);
    fx_params_free(map);
    return map ? CLI_OK : CLI_FAILED;
}

/* ---- programs ---- */

/* The graph's text, to be freed; NULL: a message was printed. */
static char *graph_text(const fx_module *module, size_t function) {
    fx_graph *graph = cli_build_graph(module, function);
    if (!graph) return NULL;
    size_t length = fx_graph_text(graph, NULL, 0);
    char *text = cli_alloc(length + 1, 1);
    fx_graph_text(graph, text, length + 1);
    fx_graph_free(graph);
    return text;
}

static int show_graph(const cli_settings *settings, const fx_module *module, size_t function) {
    char *text = graph_text(module, function);
    bool ok = text != NULL;
    if (ok && settings->dot)
        ok = cli_draw_dot(text, stdout);
    else if (ok && settings->svg)
        ok = cli_draw_svg(text, stdout);
    else if (ok)
        fputs(text, stdout);
    free(text);
    return ok ? CLI_OK : CLI_FAILED;
}

static void print_memory(const fx_program *program) {
    fx_memory m = {.size = sizeof m};
    fx_program_memory(program, &m);
    const struct {
        const char *what;
        int64_t value;
    } rows[] = {{"bytes of inputs", m.parameters},   {"bytes of results", m.outputs},
                {"bytes of constants", m.constants}, {"bytes of workspace of each call", m.workspace},
                {"bytes of machine code", m.code},   {"steps", m.steps},
                {"kernels generated", m.kernels}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("%15lld  %s\n", (long long)rows[i].value, rows[i].what);
}

static void print_program(const fx_program *program) {
    size_t length = fx_program_text(program, NULL, 0);
    char *text = cli_alloc(length + 1, 1);
    fx_program_text(program, text, length + 1);
    fputs(text, stdout);
    free(text);
}

static int show_program(const cli_settings *settings, const fx_module *module, size_t function) {
    fx_error err = {.code = FX_OK};
    size_t n = fx_module_input_count(module, function);
    if (!cli_has_shapes(module, function)) return CLI_FAILED;
    fx_shape *shapes = cli_alloc(n, sizeof *shapes);
    for (size_t i = 0; i < n; i++) {
        shapes[i] = *fx_module_input_shape(module, function, i);
    }
    fx_backend *backend = cli_open_backend(settings, settings->backend);
    fx_exec *exec = backend ? fx_exec_new_module(backend, module, function, &err) : NULL;
    fx_program *program = exec ? fx_exec_program(exec, shapes, n, &err) : NULL;
    if (program && settings->program) print_program(program);
    if (program && settings->memory) print_memory(program);
    if (!program && backend) cli_fail_error(&err);
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
    free(shapes);
    return program ? CLI_OK : CLI_FAILED;
}

int cli_show(const cli_settings *settings) {
    const char *file = settings->files.v[0];
    cli_format format = cli_format_of(file);
    if (format == CLI_NPY || format == CLI_NPZ || format == CLI_SAFETENSORS)
        return show_tensors(settings, file);
    if (settings->dot + settings->svg + (settings->program || settings->memory) > 1)
        return cli_usage("show: --dot, --svg and --program or --memory exclude each other");
    fx_module *module = cli_read_module(file);
    ptrdiff_t function = module ? cli_find_function(module, file, settings->function) : -1;
    int status = CLI_FAILED;
    if (function >= 0)
        status = settings->program || settings->memory ? show_program(settings, module, (size_t)function)
                                                       : show_graph(settings, module, (size_t)function);
    fx_module_free(module);
    return status;
}
