/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion convert: tensors from one format to another; the whole input is read and checked before anything is
 * written. */
#include "cli.h"
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

int cli_convert(const cli_settings *settings) {
    const char *in = settings->files.v[0], *out = settings->files.v[1];
    cli_format to = cli_format_of(settings->to ? settings->to : out);
    if (to == CLI_NONE)
        return cli_usage("convert: the format of '%s' is not known; --to one",
                         settings->to ? settings->to : out);
    if ((to == CLI_MLIR) != (cli_format_of(in) == CLI_MLIR) && (to == CLI_MLIR || strcmp(in, "-") != 0))
        return cli_usage("convert: programs and tensors are not made of each other");
    return convert_tensors(settings, to);
}
