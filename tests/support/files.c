/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a test, see files.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/files.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64];

bool files_open(const char *name) {
    snprintf(folder, sizeof folder, "/tmp/fluxion_%s_XXXXXX", name);
    return mkdtemp(folder) != NULL;
}

bool files_close(void) {
    return rmdir(folder) == 0;
}

const char *files_folder(void) {
    return folder;
}

const char *files_path(const char *name) {
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

unsigned char *files_read(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s cannot be opened", path);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *data = malloc(*size + 1);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

void files_write(const char *path, const void *data, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}
