/* SPDX-License-Identifier: Apache-2.0 */
/* Modules from files: the whole text is read, then parsed. Of what is no plain file (a pipe) as much as
 * comes. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "base/base.h"
#include <errno.h>
#include <fcntl.h>
#include <fluxion/stablehlo.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_READ = 1 << 16, MOST_READ = 1 << 30 /* the system takes less than 2^31 at once */ };

typedef FXI_VEC(char) bytes;

/* Appends what is there; *ended at the end of the file. */
static bool read_some(int descriptor, bytes *text, bool *ended, fx_error *err) {
    if (text->count == text->capacity && !FXI_RESERVE(text, text->count + FIRST_READ))
        return fxi_fail_memory(err, "fx_module_read");
    size_t room = text->capacity - text->count;
    ssize_t got = read(descriptor, text->data + text->count, room < MOST_READ ? room : MOST_READ);
    if (got < 0 && errno != EINTR) return fxi_fail(err, FX_ERROR_FILE, "%s", strerror(errno));
    *ended = got == 0;
    text->count += got > 0 ? (size_t)got : 0;
    return true;
}

static bool read_all(const char *path, bytes *text, fx_error *err) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fxi_fail(err, FX_ERROR_FILE, "fx_module_read: %s: %s", path, strerror(errno));
    fx_error why = {.code = FX_OK};
    bool ended = false, ok = true;
    while (ok && !ended) ok = read_some(descriptor, text, &ended, &why);
    close(descriptor);
    return ok || fxi_fail(err, why.code, "fx_module_read: %s: %s", path, why.message);
}

fx_module *fx_module_read(const char *path, fx_error *err) {
    bytes text = {0};
    fx_module *module = NULL;
    if (!path)
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_module_read: the path is NULL");
    else if (read_all(path, &text, err))
        module = fx_module_parse(text.data, text.count, path, err);
    fxi_free(text.data);
    return module;
}
