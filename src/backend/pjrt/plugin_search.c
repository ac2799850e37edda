/* SPDX-License-Identifier: Apache-2.0 */
/* Where plugins are looked for when no path is given: folders of shared libraries, the Python packages that
 * bring plugins (found by their places, without running Python), and what scripts/get-pjrt-cpu fetched. A
 * folder is a pattern of glob(3) in which only our own letters are special. */
#define _POSIX_C_SOURCE 200809L
#include "pjrt_internal.h"
#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef struct search {
    const char *name; /* NULL: any */
    fxi_pjrt_paths *paths;
    bool failed; /* no memory */
} search;

static void add_path(search *s, const char *path, size_t base) {
    if (s->paths->count == MOST || (s->name && !strstr(path + base, s->name))) return;
    for (size_t i = 0; i < s->paths->count; i++)
        if (strcmp(s->paths->data[i], path) == 0) return;
    char *copy = fxi_copy_string(path);
    if (copy && FXI_PUSH(s->paths, copy)) return;
    fxi_free(copy);
    s->failed = true;
}

/* `base` bytes of the pattern belong to the folder, where no name is looked for. */
static void add_matches(search *s, const char *pattern, size_t base) {
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) add_path(s, found.gl_pathv[i], base);
    globfree(&found);
}

static void add_literal(fxi_text *text, const char *path, size_t length) {
    for (size_t i = 0; i < length; i++) fxi_text_add(text, strchr("*?[\\", path[i]) ? "\\%c" : "%c", path[i]);
}

/* `inside` holds patterns, each ended by a blank. */
static void search_folder(search *s, const char *folder, size_t length, const char *below,
                          const char *inside) {
    while (*inside && !s->failed) {
        size_t size = strcspn(inside, " ");
        fxi_text pattern = {0};
        add_literal(&pattern, folder, length);
        fxi_text_add(&pattern, "%s/%.*s", below, (int)size, inside);
        if (!pattern.failed) add_matches(s, pattern.data, length);
        s->failed |= pattern.failed;
        fxi_text_free(&pattern);
        inside += size + (inside[size] == ' ');
    }
}

static const char libraries[] = "*.so";
static const char packages[] = "jax_plugins/*/*.so xla_plugins/*/*.so libtpu/libtpu.so *pjrt*/*.so";

/* Below what an environment variable names, or else a folder of the home. */
static void search_variable(search *s, const char *variable, const char *at_home, const char *below,
                            const char *inside) {
    const char *value = getenv(variable), *home = getenv("HOME");
    fxi_text path = {0};
    if (value && *value)
        fxi_text_add(&path, "%s", value);
    else if (at_home && home && *home)
        fxi_text_add(&path, "%s/%s", home, at_home);
    if (path.length > 0 && !path.failed) search_folder(s, path.data, path.length, below, inside);
    s->failed |= path.failed;
    fxi_text_free(&path);
}

static void search_python_path(search *s) {
    const char *at = getenv("PYTHONPATH");
    while (at && *at && !s->failed) {
        size_t length = strcspn(at, ":");
        if (length > 0) search_folder(s, at, length, "", packages);
        at += length + (at[length] == ':');
    }
}

static void search_packages(search *s) {
    static const char *const places[] = {
        "/usr/local/lib/python3*/dist-packages", "/usr/local/lib/python3*/site-packages",
        "/usr/lib/python3*/dist-packages", "/usr/lib/python3*/site-packages"};
    search_variable(s, "VIRTUAL_ENV", NULL, "/lib/python3*/site-packages", packages);
    search_variable(s, "CONDA_PREFIX", NULL, "/lib/python3*/site-packages", packages);
    search_python_path(s);
    search_variable(s, "PYTHONUSERBASE", ".local", "/lib/python3*/site-packages", packages);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        search_folder(s, "", 0, places[i], packages);
}

bool fxi_pjrt_search(const char *name, fxi_pjrt_paths *paths, fx_error *err) {
    search s = {.name = name, .paths = paths};
    search_variable(&s, "XDG_DATA_HOME", ".local/share", "/fluxion/pjrt", libraries);
    search_folder(&s, "/usr/local/lib/fluxion/pjrt", 27, "", libraries);
    search_folder(&s, "/usr/lib/fluxion/pjrt", 21, "", libraries);
    search_packages(&s);
    if (getenv("FLUXION_CACHE"))
        search_variable(&s, "FLUXION_CACHE", NULL, "/pjrt/*", packages);
    else
        search_variable(&s, "XDG_CACHE_HOME", ".cache", "/fluxion/pjrt/*", packages);
    if (!s.failed) return true;
    fxi_pjrt_paths_free(paths);
    return fxi_fail_memory(err, "fx_backend_open");
}

void fxi_pjrt_paths_free(fxi_pjrt_paths *paths) {
    for (size_t i = 0; i < paths->count; i++) fxi_free(paths->data[i]);
    fxi_free(paths->data);
    *paths = (fxi_pjrt_paths){0};
}
