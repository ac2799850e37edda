/* SPDX-License-Identifier: Apache-2.0 */
/* Files as the formats' readers and writers want them. Plain reads, not a mapping: a file that somebody
 * shortens meanwhile gives an error instead of a signal. A new file grows under a name of its own beside the
 * old one and takes its place, by renaming, once the disk has it; every failure before that removes it. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "tensor/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char who[] = "fxi_file"; /* where memory ends, which callers say anew */

enum {
    MOST_AT_ONCE = 1 << 30, /* the system takes less than 2^31 bytes at once */
    LONGEST_PATH = 120      /* of which messages keep the end */
};

bool fxi_file_fail(fx_error *err, const char *function, const char *path, const fx_error *why) {
    if (why->code == FX_ERROR_MEMORY) return fxi_fail_memory(err, function);
    if (!path) return fxi_fail(err, why->code, "%s: %s", function, why->message);
    size_t length = strlen(path), cut = length > LONGEST_PATH ? length - LONGEST_PATH : 0;
    while (((unsigned char)path[cut] & 0xC0) == 0x80) cut++; /* not inside a character */
    return fxi_fail(err, why->code, "%s: %s%s: %s", function, cut ? "..." : "", path + cut, why->message);
}

static bool fail_system(fx_error *err, int number) {
    return fxi_fail(err, FX_ERROR_FILE, "%s", strerror(number));
}

/* ---- reading ---- */

bool fxi_file_open(fxi_file *file, const char *path, fx_error *err) {
    *file = (fxi_file){.descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat status;
    if (file->descriptor < 0) return fail_system(err, errno);
    bool ok = fstat(file->descriptor, &status) == 0 || fail_system(err, errno);
    if (ok && !S_ISREG(status.st_mode)) ok = fxi_fail(err, FX_ERROR_FILE, "not a plain file");
    if (ok) {
        file->bytes = (int64_t)status.st_size;
        file->path = fxi_copy_string(path);
        ok = file->path || fxi_fail_memory(err, who);
    }
    if (!ok) close(file->descriptor);
    return ok;
}

bool fxi_file_over(fxi_file *file, const void *data, size_t size, fx_error *err) {
    if ((!data && size > 0) || size > INT64_MAX)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "data is NULL, or there is too much");
    *file = (fxi_file){.descriptor = -1, .memory = data, .bytes = (int64_t)size};
    return true;
}

void fxi_file_close(fxi_file *file) {
    if (file->descriptor >= 0) close(file->descriptor);
    fxi_free(file->path);
    *file = (fxi_file){.descriptor = -1};
}

static bool read_descriptor(int descriptor, int64_t at, char *to, int64_t bytes, fx_error *err) {
    while (bytes > 0) {
        size_t some = (size_t)fxi_size_min(bytes, MOST_AT_ONCE);
        ssize_t got = pread(descriptor, to, some, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_system(err, errno);
        if (got == 0) return fxi_fail(err, FX_ERROR_FILE, "the file has become shorter");
        to += got;
        at += got;
        bytes -= got;
    }
    return true;
}

bool fxi_file_read(const fxi_file *file, int64_t at, void *to, int64_t bytes, fx_error *err) {
    if (at < 0 || bytes < 0 || at > file->bytes || bytes > file->bytes - at)
        return fxi_fail(err, FX_ERROR_FILE, "it ends too early");
    if (file->descriptor >= 0) return read_descriptor(file->descriptor, at, to, bytes, err);
    if (bytes > 0) memcpy(to, file->memory + at, (size_t)bytes);
    return true;
}

bool fxi_file_are_bools(const fx_tensor *tensor) {
    const unsigned char *data = tensor->data;
    unsigned char all = 0;
    for (int64_t i = 0; i < tensor->bytes; i++) all |= data[i];
    return all <= 1;
}

/* ---- writing ---- */

bool fxi_file_write(int descriptor, const void *data, int64_t bytes, fx_error *err) {
    const char *at = data;
    while (bytes > 0) {
        ssize_t done = write(descriptor, at, (size_t)fxi_size_min(bytes, MOST_AT_ONCE));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fail_system(err, errno);
        at += done;
        bytes -= done;
    }
    return true;
}

/* A new file beside path, its name in *name. -1 with an error. */
static int open_beside(const char *path, fxi_text *name, fx_error *err) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t word = fxi_hash_u64((uint64_t)now.tv_nsec, (uint64_t)now.tv_sec);
    word = fxi_hash_u64((uint64_t)getpid(), fxi_hash_u64((uint64_t)(uintptr_t)name, word));
    for (int attempt = 0; attempt < 100; attempt++) {
        fxi_text_free(name);
        *name = (fxi_text){NULL, 0, 0, false, false};
        word = fxi_hash_u64(word, 1);
        fxi_text_add(name, "%s.%016llx.tmp", path, (unsigned long long)word);
        if (name->failed) {
            fxi_fail_memory(err, who);
            return -1;
        }
        int descriptor = open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) {
            if (descriptor < 0) fail_system(err, errno);
            return descriptor;
        }
    }
    fail_system(err, EEXIST);
    return -1;
}

/* Makes the renaming last; where a folder cannot be given to the disk, that is left to the system. */
static void sync_folder(const char *path) {
    fxi_text folder = {NULL, 0, 0, false, false};
    const char *slash = strrchr(path, '/');
    fxi_text_add_bytes(&folder, path, slash ? (size_t)(slash - path) : 0);
    fxi_text_add(&folder, slash ? "/." : ".");
    int descriptor = folder.failed ? -1 : open(folder.data, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    fxi_text_free(&folder);
}

/* Fills the new file and gives it to the disk; closes it in any case. */
static bool fill_file(int descriptor, fxi_file_fill fill, const void *user, const struct stat *old,
                      fx_error *err) {
    bool ok = fill(descriptor, user, err);
    if (ok && old && fchmod(descriptor, old->st_mode & 0777) != 0) ok = fail_system(err, errno);
    if (ok && fsync(descriptor) != 0) ok = fail_system(err, errno);
    if (close(descriptor) != 0 && ok) ok = fail_system(err, errno);
    return ok;
}

bool fxi_file_replace(const char *path, fxi_file_fill fill, const void *user, fx_error *err) {
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) return fxi_fail(err, FX_ERROR_FILE, "not a plain file");
    fxi_text name = {NULL, 0, 0, false, false};
    int descriptor = open_beside(path, &name, err);
    bool ok = descriptor >= 0 && fill_file(descriptor, fill, user, exists ? &old : NULL, err);
    if (ok && rename(name.data, path) != 0) ok = fail_system(err, errno);
    if (ok)
        sync_folder(path);
    else if (descriptor >= 0)
        unlink(name.data);
    fxi_text_free(&name);
    return ok;
}
