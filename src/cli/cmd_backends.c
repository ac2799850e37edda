/* SPDX-License-Identifier: Apache-2.0 */
/* fluxion backends: every backend that was built and every plugin that was found, opened, with what it
 * says of itself or why it cannot be had. Also how commands open theirs. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "cli.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

long cli_threads(const cli_settings *settings) {
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    return settings->threads > 0 ? settings->threads : all > 0 ? all : 1;
}

/* Whether the cpu backend was built, which the list then names first. */
static bool has_cpu(void) {
    char first[5] = "";
    fx_backend_list(first, sizeof first);
    return strcmp(first, "cpu\n") == 0;
}

fx_backend *cli_open_backend(const cli_settings *settings, const char *config) {
    fx_error err = {.code = FX_OK};
    if (!config) config = getenv("FLUXION_BACKEND");
    if (config && !*config) config = NULL;
    char *whole = NULL;
    if (settings->threads > 0 && (config ? strncmp(config, "cpu", 3) == 0 : has_cpu())) {
        char number[32];
        snprintf(number, sizeof number, "%ld", settings->threads);
        if (!config) config = "cpu";
        config = whole = cli_join(config, strchr(config, '?') ? "&threads=" : "?threads=", number);
    }
    fx_backend *backend = fx_backend_open(config, &err);
    if (!backend) cli_fail_error(&err);
    free(whole);
    return backend;
}

/* Plugins are asked not to print. */
static void print_backend(const char *config) {
    fx_error err = {.code = FX_OK};
    char text[1024];
    char *quiet = cli_join(config, strncmp(config, "pjrt", 4) == 0 ? "?logs=quiet" : "", "");
    fx_backend *backend = fx_backend_open(quiet, &err);
    if (backend) fx_backend_describe(backend, text, sizeof text);
    if (backend && strcmp(text, config) == 0)
        printf("%s\n    works\n", config);
    else
        printf("%s\n    %s%s\n", config,
               backend ? "works: " : "not to be had: ", backend ? text : err.message);
    fx_backend_close(backend);
    free(quiet);
}

int cli_backends(const cli_settings *settings) {
    (void)settings;
    size_t length = fx_backend_list(NULL, 0);
    char *list = cli_alloc(length + 1, 1);
    fx_backend_list(list, length + 1);
    fx_error err = {.code = FX_OK};
    fx_backend *backend = fx_backend_open(NULL, &err);
    printf("fluxion %s, default backend: %s\n", fx_version(),
           backend ? fx_backend_name(backend) : err.message);
    fx_backend_close(backend);
    for (char *line = list, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        print_backend(line);
    }
    free(list);
    return CLI_OK;
}
