/* SPDX-License-Identifier: Apache-2.0 */
/* Writing safetensors files. The header lists tensors in the map's order; their elements are laid out by
 * width, widest first, and in the map's order among equals, so that every tensor is aligned to its elements
 * in a mapped file. Elements go from the tensors to the file without a copy. The new file grows under a name
 * of its own beside the old one and takes its place, by renaming, once the disk has it; every failure before
 * that removes it. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "tensor/safetensors.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char who[] = "fx_safetensors_save"; /* where memory ends, which callers say anew */

enum { MOST_WRITE = 1 << 30 /* the system takes less than 2^31 at once */, WIDEST = 8 };

/* ---- the header ---- */

static bool check_tensor(const fxi_param *entry, fx_error *err) {
    fx_dtype dtype = entry->tensor->shape.dtype;
    if (!fx_tensor_is_valid(entry->tensor))
        return fxi_fail(err, FX_ERROR_ARGUMENT, "\"%s\" has no contents", entry->name);
    if (strcmp(entry->name, FXI_METADATA_KEY) == 0)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "the name " FXI_METADATA_KEY " is the format's own");
    if (fxi_file_dtype_name(dtype)) return true;
    int bits = fx_dtype_bits(dtype);
    if (bits < 8)
        return fxi_fail(
            err, FX_ERROR_DTYPE,
            "\"%s\" is %s, which safetensors files do not have; make it [..., %d] and fx_bitcast it "
            "to uint8, and back after loading",
            entry->name, fx_dtype_name(dtype), 8 / bits);
    return fxi_fail(err, FX_ERROR_DTYPE,
                    "\"%s\" is %s, which safetensors files do not have; save fx_real and fx_imag of it",
                    entry->name, fx_dtype_name(dtype));
}

static bool has_width(const fxi_param *entry, int bytes) {
    return fx_dtype_bits(entry->tensor->shape.dtype) == 8 * bytes;
}

/* Where each tensor begins behind the header. */
static bool lay_out(const fx_params *params, int64_t *begin, fx_error *err) {
    int64_t at = 0;
    for (int width = WIDEST; width >= 1; width /= 2)
        for (size_t i = 0; i < params->entries.list.count; i++) {
            const fxi_param *entry = params->entries.list.data[i];
            if (!has_width(entry, width)) continue;
            begin[i] = at;
            if (!fxi_size_add(at, entry->tensor->bytes, &at))
                return fxi_fail(err, FX_ERROR_MEMORY, "more than 2^63 bytes");
        }
    return true;
}

static bool add_tensor(yyjson_mut_doc *doc, yyjson_mut_val *root, const fxi_param *entry, int64_t begin) {
    const fx_shape *shape = &entry->tensor->shape;
    yyjson_mut_val *object = yyjson_mut_obj_add_obj(doc, root, entry->name);
    if (!yyjson_mut_obj_add_str(doc, object, "dtype", fxi_file_dtype_name(shape->dtype))) return false;
    yyjson_mut_val *dims = yyjson_mut_obj_add_arr(doc, object, "shape");
    if (!dims) return false;
    for (int i = 0; i < shape->rank; i++)
        if (!yyjson_mut_arr_add_sint(doc, dims, shape->dims[i])) return false;
    yyjson_mut_val *place = yyjson_mut_obj_add_arr(doc, object, "data_offsets");
    return yyjson_mut_arr_add_sint(doc, place, begin) &&
           yyjson_mut_arr_add_sint(doc, place, begin + entry->tensor->bytes);
}

/* The members of the header; their text stays where it is. */
static bool fill_document(yyjson_mut_doc *doc, const fx_params *params, const int64_t *begin) {
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    if (!root) return false;
    yyjson_mut_doc_set_root(doc, root);
    if (params->metadata.list.count > 0) {
        yyjson_mut_val *metadata = yyjson_mut_obj_add_obj(doc, root, FXI_METADATA_KEY);
        for (size_t i = 0; i < params->metadata.list.count; i++) {
            const fxi_param *entry = params->metadata.list.data[i];
            if (!yyjson_mut_obj_add_str(doc, metadata, entry->name, entry->text)) return false;
        }
    }
    for (size_t i = 0; i < params->entries.list.count; i++)
        if (!add_tensor(doc, root, params->entries.list.data[i], begin[i])) return false;
    return true;
}

/* The header as text of the JSON library's memory; NULL with an error. */
static char *make_header(const fx_params *params, size_t *bytes, fx_error *err) {
    const yyjson_alc memory = fxi_json_memory();
    int64_t *begin = fxi_alloc_zeroed(params->entries.list.count + 1, sizeof *begin);
    yyjson_mut_doc *doc = begin ? yyjson_mut_doc_new(&memory) : NULL;
    char *text = NULL;
    if (!doc)
        fxi_fail_memory(err, who);
    else if (lay_out(params, begin, err)) {
        if (fill_document(doc, params, begin))
            text = yyjson_mut_write_opts(doc, YYJSON_WRITE_NOFLAG, &memory, bytes, NULL);
        if (!text) fxi_fail_memory(err, who);
    }
    yyjson_mut_doc_free(doc);
    fxi_free(begin);
    return text;
}

/* ---- bytes ---- */

static bool write_bytes(int descriptor, const void *data, int64_t bytes, fx_error *err) {
    const char *at = data;
    while (bytes > 0) {
        ssize_t done = write(descriptor, at, (size_t)fxi_size_min(bytes, MOST_WRITE));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fxi_fail(err, FX_ERROR_FILE, "%s", strerror(errno));
        at += done;
        bytes -= done;
    }
    return true;
}

/* The length, the text, and spaces up to a multiple of eight. */
static bool write_header(int descriptor, const char *text, size_t bytes, fx_error *err) {
    size_t padded = (bytes + 7) / 8 * 8;
    if (padded > FXI_MOST_HEADER)
        return fxi_fail(err, FX_ERROR_FILE, "a header of %zu bytes; readers take at most %d", padded,
                        FXI_MOST_HEADER);
    unsigned char word[8];
    for (int i = 0; i < 8; i++) word[i] = (unsigned char)((uint64_t)padded >> (8 * i));
    return write_bytes(descriptor, word, 8, err) && write_bytes(descriptor, text, (int64_t)bytes, err) &&
           write_bytes(descriptor, "        ", (int64_t)(padded - bytes), err);
}

static bool write_tensors(int descriptor, const fx_params *params, fx_error *err) {
    for (int width = WIDEST; width >= 1; width /= 2)
        for (size_t i = 0; i < params->entries.list.count; i++) {
            const fxi_param *entry = params->entries.list.data[i];
            if (!has_width(entry, width)) continue;
            FX_TRY(fx_tensor_fetch(entry->tensor, err));
            FX_TRY(write_bytes(descriptor, entry->tensor->data, entry->tensor->bytes, err));
        }
    return true;
}

bool fxi_safetensors_write(int descriptor, const fx_params *params, fx_error *err) {
    for (size_t i = 0; i < params->entries.list.count; i++)
        FX_TRY(check_tensor(params->entries.list.data[i], err));
    size_t bytes = 0;
    char *text = make_header(params, &bytes, err);
    if (!text) return false;
    bool ok = write_header(descriptor, text, bytes, err) && write_tensors(descriptor, params, err);
    fxi_free(text);
    return ok;
}

/* ---- the file ---- */

static bool fail_system(fx_error *err, int number) {
    return fxi_fail(err, FX_ERROR_FILE, "%s", strerror(number));
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
static bool fill_file(int descriptor, const fx_params *params, const struct stat *old, fx_error *err) {
    bool ok = fxi_safetensors_write(descriptor, params, err);
    if (ok && old && fchmod(descriptor, old->st_mode & 0777) != 0) ok = fail_system(err, errno);
    if (ok && fsync(descriptor) != 0) ok = fail_system(err, errno);
    if (close(descriptor) != 0 && ok) ok = fail_system(err, errno);
    return ok;
}

static bool save(const fx_params *params, const char *path, fx_error *err) {
    if (params->graph) return fxi_fail(err, FX_ERROR_ARGUMENT, "the map holds nodes");
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) return fxi_fail(err, FX_ERROR_FILE, "not a plain file");
    fxi_text name = {NULL, 0, 0, false, false};
    int descriptor = open_beside(path, &name, err);
    bool ok = descriptor >= 0 && fill_file(descriptor, params, exists ? &old : NULL, err);
    if (ok && rename(name.data, path) != 0) ok = fail_system(err, errno);
    if (ok)
        sync_folder(path);
    else if (descriptor >= 0)
        unlink(name.data);
    fxi_text_free(&name);
    return ok;
}

/* Under the name of the function that was called. */
static bool save_named(const char *function, const fx_params *params, const char *path, fx_error *err) {
    fx_error why = {.code = FX_OK};
    if (!params || !path)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "%s: %s is NULL", function, params ? "path" : "params");
    return save(params, path, &why) || fxi_file_fail(err, function, path, &why);
}

bool fx_safetensors_save(const fx_params *params, const char *path, fx_error *err) {
    return save_named("fx_safetensors_save", params, path, err);
}

static bool fill_map(fx_params *params, const char *const *names, fx_tensor *const *tensors, size_t n,
                     fx_error *err) {
    if (n > 0 && (!names || !tensors))
        return fxi_fail(err, FX_ERROR_ARGUMENT, "%s is NULL", names ? "tensors" : "names");
    for (size_t i = 0; i < n; i++) {
        if (fx_params_find(params, names[i]) >= 0)
            return fxi_fail(err, FX_ERROR_ARGUMENT, "\"%s\" occurs twice", names[i]);
        FX_TRY(fx_params_set(params, names[i], fx_tensor_ref(tensors[i]), err));
    }
    return true;
}

bool fx_safetensors_save_list(const char *const *names, fx_tensor *const *tensors, size_t n, const char *path,
                              fx_error *err) {
    static const char name[] = "fx_safetensors_save_list";
    fx_error why = {.code = FX_OK};
    fx_params *params = fx_params_new(&why);
    bool ok = params && fill_map(params, names, tensors, n, &why);
    if (!ok)
        fxi_file_fail(err, name, path, &why);
    else
        ok = save_named(name, params, path, err);
    fx_params_free(params);
    return ok;
}
