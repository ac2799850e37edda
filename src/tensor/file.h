/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers and writers of file formats share: plain files and the caller's memory read at places,
 * files that appear as a whole, messages with the function called and the path. */
#ifndef FXI_FILE_H
#define FXI_FILE_H

#include "tensor/tensor.h"

/* Bytes that are read at places: a plain file, or memory. */
typedef struct fxi_file {
    int descriptor;     /* -1: in memory */
    char *path;         /* for messages; NULL: in memory */
    const char *memory; /* the caller's */
    int64_t bytes;      /* of the whole */
} fxi_file;

/* Opens a plain file; nothing is to be closed after a failure. */
bool fxi_file_open(fxi_file *file, const char *path, fx_error *err);
/* A file in the caller's memory. False: NULL with a size, or more than 2^63 bytes. */
bool fxi_file_over(fxi_file *file, const void *data, size_t size, fx_error *err);
void fxi_file_close(fxi_file *file);
/* Any thread. Whatever place is asked for: bytes outside of the file are an error. */
bool fxi_file_read(const fxi_file *file, int64_t at, void *to, int64_t bytes, fx_error *err);

bool fxi_file_write(int descriptor, const void *data, int64_t bytes, fx_error *err);
typedef bool (*fxi_file_fill)(int descriptor, const void *user, fx_error *err);
/* Makes or replaces a plain file as a whole: `fill` writes a new one beside it, which takes its place once
 * the disk has it. After a failure the old one is untouched and nothing else is there. */
bool fxi_file_replace(const char *path, fxi_file_fill fill, const void *user, fx_error *err);

/* Says what went wrong under the name of the function that was called and the path of the file (NULL: none).
 * All other functions here, and those that only the formats' files see, leave both out of their messages. */
bool fxi_file_fail(fx_error *err, const char *function, const char *path, const fx_error *why);

/* Whether every byte of a bool tensor is 0 or 1. */
bool fxi_file_are_bools(const fx_tensor *tensor);

#endif
