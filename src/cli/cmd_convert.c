/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion convert: tensors from one format to another, a program through the library and back to text. The
 * whole input is read and checked, and a text made, before anything is written. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "cli.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Leaves the tensor that is asked for; one alone is called so instead. */
static fx_params *choose(fx_params *map, const char *file, const char *name) {
    fx_error err = {.code = FX_OK};
    fx_tensor *tensor = NULL;
    int64_t at = fx_params_find(map, name);
    if (at >= 0 || fx_params_count(map) == 1)
        tensor = fx_tensor_ref(fx_params_tensor(map, at >= 0 ? (size_t)at : 0));
    if (!tensor) cli_fail("%s: there is no tensor %s", file, name);
    fx_params_free(map);
    map = tensor ? fx_params_new(&err) : NULL;
    if (map && fx_params_set(map, name, tensor, &err)) return map;
    if (tensor) cli_fail_error(&err);
    fx_params_free(map);
    return NULL;
}

static int convert_tensors(const cli_settings *settings, cli_format to) {
    const char *in = settings->files.v[0], *out = settings->files.v[1];
    fx_dtype raw = settings->dtype ? fx_dtype_parse(settings->dtype) : FX_INVALID_DTYPE;
    if (settings->dtype && raw == FX_INVALID_DTYPE)
        return cli_usage("convert: '%s' is no dtype", settings->dtype);
    fx_params *map = cli_read_tensors(in, raw);
    if (map && settings->name) map = choose(map, in, settings->name);
    bool ok = map && cli_write_tensors(map, out, to, settings->deflate);
    fx_params_free(map);
    return ok ? CLI_OK : CLI_FAILED;
}

/* ---- programs ---- */

static bool write_text(const char *out, const char *text, size_t length) {
    bool standard = cli_is_standard(out);
    FILE *stream = standard ? stdout : fopen(out, "wb");
    bool ok = stream && fwrite(text, 1, length, stream) == length;
    if (stream && !standard && fclose(stream) != 0) ok = false;
    return ok || cli_fail("%s: %s", out, strerror(errno)) == CLI_OK;
}

static bool write_graph(const fx_graph *graph, const char *out) {
    fx_error err = {.code = FX_OK};
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    bool ok = memory && fx_stablehlo_write(graph, NULL, cli_write_stream, memory, &err);
    if (memory) ok = fclose(memory) == 0 && ok;
    if (err.code)
        cli_fail_error(&err);
    else if (!ok)
        cli_fail("out of memory");
    ok = ok && write_text(out, text, length);
    free(text);
    return ok;
}

static int convert_program(const cli_settings *settings) {
    const char *in = settings->files.v[0];
    fx_module *module = cli_read_module(in);
    ptrdiff_t function = module ? cli_find_function(module, in, settings->function) : -1;
    fx_graph *graph = function >= 0 ? cli_build_graph(module, (size_t)function) : NULL;
    bool ok = graph && write_graph(graph, settings->files.v[1]);
    fx_graph_free(graph);
    fx_module_free(module);
    return ok ? CLI_OK : CLI_FAILED;
}

int cli_convert(const cli_settings *settings) {
    const char *in = settings->files.v[0], *out = settings->files.v[1];
    cli_format to = cli_format_of(settings->to ? settings->to : out);
    if (to == CLI_NONE)
        return cli_usage("convert: the format of '%s' is not known; --to one",
                         settings->to ? settings->to : out);
    if ((to == CLI_MLIR) != (cli_format_of(in) == CLI_MLIR) && !cli_is_standard(in))
        return cli_usage("convert: programs and tensors are not made of each other");
    return to == CLI_MLIR ? convert_program(settings) : convert_tensors(settings, to);
}
