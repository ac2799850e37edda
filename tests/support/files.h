/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a test: a folder of its own, and whole files. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the folder of this run, /tmp/fluxion_NAME_XXXXXX; false when it cannot be made. */
bool files_open(const char *name);
/* Removes it; false when a test left something in it. */
bool files_close(void);
/* The folder, and the path of a file in it, valid until the next call. */
const char *files_folder(void);
const char *files_path(const char *name);
/* The bytes of a file, for free; the test fails when it cannot be read. */
unsigned char *files_read(const char *path, size_t *size);
void files_write(const char *path, const void *data, size_t size);

#endif
