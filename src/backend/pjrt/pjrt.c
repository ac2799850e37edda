/* SPDX-License-Identifier: Apache-2.0 */
/* The PJRT backend's table, and opening: which plugin it is to be.
 *
 * A path names it; so may FLUXION_PJRT_PLUGIN, for "pjrt" alone. Anything else is looked for: with a name
 * ("pjrt:cuda"), among the plugins that have it in their path. Of those that are found, the first that makes
 * a client is used, as a plugin for a device that is not there makes none. */
#include "pjrt.h"
#include "pjrt_internal.h"
#include <stdlib.h>
#include <string.h>

static fxi_pjrt_client *open_plugin(const char *path, const fxi_open_args *args, fx_error *err) {
    fxi_pjrt_options *options = fxi_alloc_zeroed(1, sizeof *options);
    if (!options) {
        fxi_fail_memory(err, "fx_backend_open");
        return NULL;
    }
    fxi_pjrt_client *client = NULL;
    if (fxi_pjrt_options_read(args, options, err)) {
        const fxi_pjrt_plugin *plugin = fxi_pjrt_plugin_load(path, options->quiet, err);
        if (plugin) client = fxi_pjrt_client_new(plugin, options, err);
    }
    fxi_pjrt_options_free(options);
    fxi_free(options);
    return client;
}

static fxi_pjrt_client *open_first(const fxi_pjrt_paths *paths, const fxi_open_args *args, fx_error *err) {
    fx_error error = {.code = FX_OK};
    for (size_t i = 0; i < paths->count; i++) {
        fxi_pjrt_client *client = open_plugin(paths->data[i], args, &error);
        if (client) return client;
        fxi_log(FX_LOG_WARNING, "%s", error.message);
        if (error.code == FX_ERROR_MEMORY) break;
    }
    fxi_fail_copy(err, &error);
    return NULL;
}

static fxi_pjrt_client *open_found(const char *name, const fxi_open_args *args, fx_error *err) {
    fxi_pjrt_paths paths = {0};
    if (!fxi_pjrt_search(name, &paths, err)) return NULL;
    fxi_pjrt_client *client = NULL;
    if (paths.count > 0)
        client = open_first(&paths, args, err);
    else
        fxi_fail(err, FX_ERROR_FILE,
                 "pjrt: no plugin%s%s%s was found; \"pjrt:PATH\" or FLUXION_PJRT_PLUGIN names one, "
                 "scripts/get-pjrt-cpu fetches two for the CPU",
                 name ? " with \"" : "", name ? name : "", name ? "\" in its path" : "");
    fxi_pjrt_paths_free(&paths);
    return client;
}

static bool is_path(const char *text) {
    size_t length = strlen(text);
    return strchr(text, '/') || (length > 3 && strcmp(text + length - 3, ".so") == 0);
}

static void *pjrt_open(const fxi_open_args *args, fx_error *err) {
    const char *given = args->path && *args->path ? args->path : getenv("FLUXION_PJRT_PLUGIN");
    if (given && !*given) given = NULL;
    return given && is_path(given) ? open_plugin(given, args, err) : open_found(given, args, err);
}

static void pjrt_close(void *state) {
    fxi_pjrt_client_free(state);
}

static void pjrt_describe(const void *state, fxi_text *text) {
    const fxi_pjrt_client *c = state;
    const PJRT_Api_Version *version = &c->api->pjrt_api_version;
    fxi_text_add(text, "pjrt: platform %s (%s), %zu device%s, PJRT %d.%d, %s", c->platform, c->version,
                 c->device_count, c->device_count == 1 ? "" : "s", version->major_version,
                 version->minor_version, c->plugin->path);
}

static void pjrt_list(fxi_text *text) {
    fxi_pjrt_paths paths = {0};
    const char *given = getenv("FLUXION_PJRT_PLUGIN");
    if (given && *given) fxi_text_add(text, "pjrt:%s\n", given);
    if (!fxi_pjrt_search(NULL, &paths, NULL)) return;
    for (size_t i = 0; i < paths.count; i++) fxi_text_add(text, "pjrt:%s\n", paths.data[i]);
    fxi_pjrt_paths_free(&paths);
}

const fxi_backend_ops fxi_pjrt_backend = {
    .name = "pjrt",
    .open = pjrt_open,
    .close = pjrt_close,
    .compile = fxi_pjrt_compile,
    .program_free = fxi_pjrt_program_free,
    .run = fxi_pjrt_run,
    .program_memory = fxi_pjrt_program_memory,
    .program_text = fxi_pjrt_program_text,
    .describe = pjrt_describe,
    .list = pjrt_list,
    .prepare = fxi_pjrt_prepare,
    .compile_replicas = fxi_pjrt_compile_replicas,
    .takes_path = true,
    .reads_devices = true,
    .shards = true,
};
