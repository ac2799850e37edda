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

/* The config with another option, to be freed. */
static char *add_option(const char *config, const char *option) {
    return cli_join(config, strchr(config, '?') ? "&" : "?", option);
}

/* Plugins are asked not to print where neither the config nor their own variable says how much. */
static char *quiet_config(const char *config) {
    const char *options = strchr(config, '?');
    bool plugin = strncmp(config, "pjrt", 4) == 0;
    bool said = getenv("TF_CPP_MIN_LOG_LEVEL") != NULL;
    if (options && (strstr(options, "?logs=") || strstr(options, "&logs="))) said = true;
    return plugin && !said ? add_option(config, "logs=quiet") : cli_join(config, "", "");
}

fx_backend *cli_open_backend(const cli_settings *settings, const char *config) {
    fx_error err = {.code = FX_OK};
    if (!config) config = getenv("FLUXION_BACKEND");
    if (config && !*config) config = NULL;
    char *whole = NULL;
    if (settings->threads > 0 && (config ? strncmp(config, "cpu", 3) == 0 : has_cpu())) {
        char number[32];
        snprintf(number, sizeof number, "threads=%ld", settings->threads);
        config = whole = add_option(config ? config : "cpu", number);
    } else if (config) {
        config = whole = quiet_config(config);
    }
    fx_backend *backend = fx_backend_open(config, &err);
    if (!backend) cli_fail_error(&err);
    free(whole);
    return backend;
}

static void print_backend(const char *config) {
    fx_error err = {.code = FX_OK};
    char text[1024];
    char *quiet = quiet_config(config);
    fx_backend *backend = fx_backend_open(quiet, &err);
    if (backend) fx_backend_describe(backend, text, sizeof text);
    if (backend && strcmp(text, config) == 0)
        printf("%s\n    works\n", config);
    else
        printf("%s\n    %s%s\n", config,
               backend ? "works: " : "not to be had: ", backend ? text : cli_reason(&err));
    fx_backend_close(backend);
    free(quiet);
}

int cli_backends(const cli_settings *settings) {
    size_t length = fx_backend_list(NULL, 0);
    char *list = cli_alloc(length + 1, 1);
    fx_backend_list(list, length + 1);
    fx_backend *backend = cli_open_backend(settings, NULL);
    printf("fluxion %s, default backend: %s\n", fx_version(), backend ? fx_backend_name(backend) : "none");
    bool opened = backend != NULL;
    fx_backend_close(backend);
    for (char *line = list, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        print_backend(line);
    }
    free(list);
    return opened ? CLI_OK : CLI_FAILED;
}
