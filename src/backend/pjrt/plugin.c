/* SPDX-License-Identifier: Apache-2.0 */
/* Loading of plugins. A plugin is a shared library that exports GetPjrtApi, which gives a struct with the
 * size and version it was built with: the major version must be ours, functions beyond its size are not
 * there, and of those that we cannot do without each must be. Everything else is settled per call, by the
 * sizes of the argument structs.
 *
 * Plugins are loaded with local symbols, so that several of different versions, each with an LLVM of its
 * own, live in one process, and are never unloaded, since they start threads. One list for the whole process
 * keeps them, because a plugin is to be initialised once. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "pjrt_internal.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    pthread_mutex_t mutex;
    fxi_pjrt_plugin *first;
} loaded_plugins = {PTHREAD_MUTEX_INITIALIZER, NULL};

/* ---- is it one? ---- */

#define NEEDED(function)                                                                                     \
    { #function, offsetof(PJRT_Api, function) }
static const struct {
    const char *name;
    size_t offset;
} needed[] = {
    NEEDED(PJRT_Error_Destroy),
    NEEDED(PJRT_Error_Message),
    NEEDED(PJRT_Error_GetCode),
    NEEDED(PJRT_Plugin_Initialize),
    NEEDED(PJRT_Event_Destroy),
    NEEDED(PJRT_Event_Await),
    NEEDED(PJRT_Client_Create),
    NEEDED(PJRT_Client_Destroy),
    NEEDED(PJRT_Client_PlatformName),
    NEEDED(PJRT_Client_PlatformVersion),
    NEEDED(PJRT_Client_AddressableDevices),
    NEEDED(PJRT_Client_Compile),
    NEEDED(PJRT_Client_BufferFromHostBuffer),
    NEEDED(PJRT_DeviceDescription_Id),
    NEEDED(PJRT_Device_GetDescription),
    NEEDED(PJRT_Executable_Destroy),
    NEEDED(PJRT_Executable_NumOutputs),
    NEEDED(PJRT_LoadedExecutable_Destroy),
    NEEDED(PJRT_LoadedExecutable_GetExecutable),
    NEEDED(PJRT_LoadedExecutable_Execute),
    NEEDED(PJRT_Buffer_Destroy),
    NEEDED(PJRT_Buffer_IsDeleted),
    NEEDED(PJRT_Buffer_ToHostBuffer),
    NEEDED(PJRT_Buffer_ReadyEvent),
};

static bool has_function(const PJRT_Api *api, size_t offset) {
    void (*function)(void) = NULL;
    if (api->struct_size < offset + sizeof function) return false;
    memcpy(&function, (const char *)api + offset, sizeof function);
    return function != NULL;
}

static bool check_api(const PJRT_Api *api, const char *path, fx_error *err) {
    if (!api || api->struct_size < offsetof(PJRT_Api, PJRT_Error_Destroy))
        return fxi_fail(err, FX_ERROR_BACKEND, "pjrt: %s: GetPjrtApi gives no interface", path);
    const PJRT_Api_Version *version = &api->pjrt_api_version;
    if (version->major_version != PJRT_API_MAJOR)
        return fxi_fail(err, FX_ERROR_BACKEND, "pjrt: %s speaks PJRT %d.%d; Fluxion speaks %d.%d", path,
                        version->major_version, version->minor_version, PJRT_API_MAJOR, PJRT_API_MINOR);
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!has_function(api, needed[i].offset))
            return fxi_fail(err, FX_ERROR_BACKEND,
                            "pjrt: %s speaks PJRT %d.%d, without %s, which Fluxion (%d.%d) calls", path,
                            version->major_version, version->minor_version, needed[i].name, PJRT_API_MAJOR,
                            PJRT_API_MINOR);
    return true;
}

static bool check_file(const char *path, fx_error *err) {
    struct stat status;
    if (stat(path, &status) != 0) return fxi_fail(err, FX_ERROR_FILE, "pjrt: there is no plugin %s", path);
    if (S_ISDIR(status.st_mode))
        return fxi_fail(err, FX_ERROR_FILE, "pjrt: %s is a folder; a plugin is a shared library", path);
    return true;
}

/* ---- loading ---- */

static const PJRT_Api *open_library(const char *path, fx_error *err) {
    FX_TRY(check_file(path, err));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        fxi_fail(err, FX_ERROR_FILE, "pjrt: %s cannot be loaded: %s", path, reason ? reason : "unknown");
        return NULL;
    }
    const PJRT_Api *(*get)(void) = NULL;
    void *symbol = dlsym(library, "GetPjrtApi");
    memcpy(&get, &symbol, sizeof get);
    if (!get) {
        fxi_fail(err, FX_ERROR_FILE, "pjrt: %s is no PJRT plugin: it has no GetPjrtApi", path);
        return NULL;
    }
    const PJRT_Api *api = get();
    return check_api(api, path, err) ? api : NULL;
}

static fxi_pjrt_plugin *new_plugin(const char *path, fx_error *err) {
    const PJRT_Api *api = open_library(path, err);
    if (!api) return NULL;
    FXI_PJRT_ARGS(PJRT_Plugin_Initialize, args);
    if (!FXI_PJRT_CALL(api, PJRT_Plugin_Initialize, &args, err)) return NULL;
    fxi_pjrt_plugin *plugin = fxi_alloc_zeroed(1, sizeof *plugin);
    char *copy = fxi_copy_string(path);
    if (plugin && copy) {
        *plugin = (fxi_pjrt_plugin){.api = api, .path = copy};
        return plugin;
    }
    fxi_free(plugin);
    fxi_free(copy);
    fxi_fail_memory(err, "fx_backend_open");
    return NULL;
}

/* Under the list's lock. */
static const fxi_pjrt_plugin *find_or_load(const char *path, bool quiet, fx_error *err) {
    for (const fxi_pjrt_plugin *p = loaded_plugins.first; p; p = p->next)
        if (strcmp(p->path, path) == 0) return p;
    if (quiet) (void)setenv("TF_CPP_MIN_LOG_LEVEL", "3", 1); /* which is read when the plugin is loaded */
    fxi_pjrt_plugin *plugin = new_plugin(path, err);
    if (!plugin) return NULL;
    plugin->next = loaded_plugins.first;
    loaded_plugins.first = plugin;
    return plugin;
}

const fxi_pjrt_plugin *fxi_pjrt_plugin_load(const char *path, bool quiet, fx_error *err) {
    fx_error error = {.code = FX_OK};
    /* One name per file, with a slash, so that dlopen does not search. */
    char room[PATH_MAX], *real = realpath(path, room);
    pthread_mutex_lock(&loaded_plugins.mutex);
    const fxi_pjrt_plugin *plugin = find_or_load(real ? real : path, quiet, &error);
    pthread_mutex_unlock(&loaded_plugins.mutex);
    if (!plugin) fxi_fail_copy(err, &error);
    return plugin;
}
