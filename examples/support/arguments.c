/* SPDX-License-Identifier: Apache-2.0 */
/* A name and a value each; numbers must be numbers to the end. */
#include "arguments.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const char *text, long long most, long long *value) {
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *value >= 0 && *value <= most;
}

static bool read_one(arguments *a, const char *name, const char *value) {
    long long number;
    if (strcmp(name, "--data") == 0) {
        a->data = value;
    } else if (strcmp(name, "--svg") == 0) {
        a->svg = value;
    } else if (strcmp(name, "--save") == 0) {
        a->save = value;
    } else if (strcmp(name, "--load") == 0) {
        a->load = value;
    } else if (strcmp(name, "--seed") == 0 && read_number(value, INT64_MAX, &number)) {
        a->seed = (uint64_t)number;
    } else if (strcmp(name, "--epochs") == 0 && read_number(value, 1000000, &number) && number > 0) {
        a->epochs = (int)number;
    } else {
        return false;
    }
    return true;
}

bool arguments_read(arguments *a, int argc, char **argv) {
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && read_one(a, argv[i], argv[i + 1])) continue;
        fprintf(stderr, "usage: %s [--seed N] [--epochs N] [--data FILE] [--svg FILE] [--save FILE]\n",
                argv[0]);
        return false;
    }
    return true;
}
