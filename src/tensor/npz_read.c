/* SPDX-License-Identifier: Apache-2.0 */
/* Archives of NumPy. The zip library reads the directory, inflates members piece by piece and compares their
 * sums of bits; it takes our memory and our reads, which refuse every place outside of the file. What it
 * leaves to others is checked here: members claim no more than deflate can make of their bytes (1032 to 1, by
 * the longest match of its shortest code), and together no more bytes than the file has, so that a small file
 * cannot ask for much memory or time. */
#include "tensor/npy.h"
#include <miniz.h>
#include <string.h>

static const char who[] = "fx_npz_open"; /* where memory ends, which callers say anew */

enum { MOST_GROWTH = 1032 };

struct fx_npz {
    fxi_file file;
    mz_zip_archive zip; /* read once opened: any thread may, since each member has a state of its own */
    fxi_names names;    /* of the arrays */
    FXI_VEC(mz_uint) members;
};

/* ---- what the zip library is given ---- */

static void *zip_alloc(void *context, size_t count, size_t size) {
    (void)context;
    return fxi_resize(NULL, count, size);
}
static void *zip_resize(void *context, void *block, size_t count, size_t size) {
    (void)context;
    return fxi_resize(block, count, size);
}
static void zip_free(void *context, void *block) {
    (void)context;
    fxi_free(block);
}
static size_t zip_read(void *file, mz_uint64 at, void *to, size_t bytes) {
    if (at > INT64_MAX || bytes > INT64_MAX) return 0;
    return fxi_file_read(file, (int64_t)at, to, (int64_t)bytes, NULL) ? bytes : 0;
}

static bool fail_zip(mz_zip_error error, fx_error *err) {
    if (error == MZ_ZIP_ALLOC_FAILED) return fxi_fail_memory(err, who);
    return fxi_fail(err, FX_ERROR_FILE, "the archive: %s", mz_zip_get_error_string(error));
}

/* ---- the directory ---- */

/* The member's name in new memory; NULL with an error. */
static char *member_name(mz_zip_archive *zip, mz_uint member, fx_error *err) {
    size_t room = mz_zip_reader_get_filename(zip, member, NULL, 0);
    char *name = fxi_alloc(room + 1);
    if (!name) {
        fxi_fail_memory(err, who);
        return NULL;
    }
    mz_zip_reader_get_filename(zip, member, name, (mz_uint)room);
    name[room] = 0;
    size_t length = strlen(name);
    const char *fault = length + 1 != room ? "has a character 0" : NULL;
    if (length > 4 && strcmp(name + length - 4, ".npy") == 0) name[length - 4] = 0;
    if (!fault) fault = fxi_name_fault(name);
    if (!fault) return name;
    fxi_fail(err, FX_ERROR_FILE, "a name %s", fault);
    fxi_free(name);
    return NULL;
}

static bool add_member(fx_npz *file, mz_uint member, fx_error *err) {
    char *name = member_name(&file->zip, member, err);
    if (!name) return false;
    bool ok =
        !fxi_names_find(&file->names, name) || fxi_fail(err, FX_ERROR_FILE, "\"%s\": occurs twice", name);
    if (ok)
        ok = (fxi_names_add(&file->names, name) && FXI_PUSH(&file->members, member)) ||
             fxi_fail_memory(err, who);
    fxi_free(name);
    return ok;
}

/* Adds the member's bytes to those that are spoken for. */
static bool check_member(const mz_zip_archive_file_stat *stat, int64_t bytes, int64_t *spoken,
                         fx_error *err) {
    if (stat->m_is_encrypted || !stat->m_is_supported)
        return fxi_fail(err, FX_ERROR_FILE, "\"%s\": is encrypted or packed in a way that is not known",
                        stat->m_filename);
    if (stat->m_comp_size > (mz_uint64)bytes || stat->m_uncomp_size > INT64_MAX ||
        stat->m_uncomp_size / MOST_GROWTH > stat->m_comp_size ||
        (stat->m_method == 0 && stat->m_comp_size != stat->m_uncomp_size))
        return fxi_fail(err, FX_ERROR_FILE, "\"%s\": its sizes cannot be", stat->m_filename);
    if (!fxi_size_add(*spoken, (int64_t)stat->m_comp_size, spoken) || *spoken > bytes)
        return fxi_fail(err, FX_ERROR_FILE, "\"%s\": shares bytes with another member", stat->m_filename);
    return true;
}

static bool read_directory(fx_npz *file, fx_error *err) {
    int64_t spoken = 0;
    mz_uint count = mz_zip_reader_get_num_files(&file->zip);
    for (mz_uint i = 0; i < count; i++) {
        mz_zip_archive_file_stat stat;
        if (!mz_zip_reader_file_stat(&file->zip, i, &stat))
            return fail_zip(mz_zip_get_last_error(&file->zip), err);
        FX_TRY(check_member(&stat, file->file.bytes, &spoken, err));
        if (!stat.m_is_directory) FX_TRY(add_member(file, i, err));
    }
    return true;
}

static bool read_archive(fx_npz *file, fx_error *err) {
    file->zip.m_pAlloc = zip_alloc;
    file->zip.m_pRealloc = zip_resize;
    file->zip.m_pFree = zip_free;
    file->zip.m_pRead = zip_read;
    file->zip.m_pIO_opaque = &file->file;
    if (!mz_zip_reader_init(&file->zip, (mz_uint64)file->file.bytes,
                            MZ_ZIP_FLAG_DO_NOT_SORT_CENTRAL_DIRECTORY))
        return fail_zip(mz_zip_get_last_error(&file->zip), err);
    return read_directory(file, err);
}

/* Closes what it does not take over. */
static fx_npz *open_any(fxi_file *from, fx_error *err) {
    fx_npz *file = fxi_alloc_zeroed(1, sizeof *file);
    if (!file) {
        fxi_fail_memory(err, who);
        fxi_file_close(from);
        return NULL;
    }
    file->file = *from;
    if (read_archive(file, err)) return file;
    fx_npz_close(file);
    return NULL;
}

/* Under the name of the function that was called. */
static fx_npz *open_named(const char *function, const char *path, fx_error *err) {
    fx_error why = {.code = FX_OK};
    if (!path) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "%s: path is NULL", function);
        return NULL;
    }
    fxi_file from;
    fx_npz *file = fxi_file_open(&from, path, &why) ? open_any(&from, &why) : NULL;
    if (!file) fxi_file_fail(err, function, path, &why);
    return file;
}

fx_npz *fx_npz_open(const char *path, fx_error *err) {
    return open_named("fx_npz_open", path, err);
}

fx_npz *fx_npz_open_memory(const void *data, size_t size, fx_error *err) {
    fxi_file from;
    fx_error why = {.code = FX_OK};
    fx_npz *file = fxi_file_over(&from, data, size, &why) ? open_any(&from, &why) : NULL;
    if (!file) fxi_file_fail(err, "fx_npz_open_memory", NULL, &why);
    return file;
}

void fx_npz_close(fx_npz *file) {
    if (!file) return;
    if (file->zip.m_pState) mz_zip_reader_end(&file->zip);
    fxi_names_free(&file->names);
    fxi_free(file->members.data);
    fxi_file_close(&file->file);
    fxi_free(file);
}

/* ---- what is in it ---- */

size_t fx_npz_count(const fx_npz *file) {
    return file ? file->members.count : 0;
}

const char *fx_npz_name(const fx_npz *file, size_t i) {
    return i < fx_npz_count(file) ? file->names.list.data[i]->name : NULL;
}

int64_t fx_npz_find(const fx_npz *file, const char *name) {
    const fxi_param *entry = file && name ? fxi_names_find(&file->names, name) : NULL;
    return entry ? (int64_t)entry->index : -1;
}

/* ---- arrays ---- */

static bool read_member(void *state, void *to, int64_t bytes, fx_error *err) {
    mz_zip_reader_extract_iter_state *member = state;
    char *at = to;
    while (bytes > 0) {
        size_t got = mz_zip_reader_extract_iter_read(member, at, (size_t)bytes);
        if (got == 0) return fxi_fail(err, FX_ERROR_FILE, "its packed bytes are damaged or too few");
        at += got;
        bytes -= (int64_t)got;
    }
    return true;
}

static fx_tensor *read_array(const fx_npz *file, size_t i, fx_dtype raw, fx_error *err) {
    /* Its last error and the like are the reader's own, so that readers do not meet. */
    mz_zip_archive zip = file->zip;
    mz_zip_archive_file_stat stat;
    mz_uint member = file->members.data[i];
    mz_zip_reader_extract_iter_state *state = NULL;
    if (mz_zip_reader_file_stat(&zip, member, &stat)) state = mz_zip_reader_extract_iter_new(&zip, member, 0);
    if (!state) {
        fail_zip(mz_zip_get_last_error(&zip), err);
        return NULL;
    }
    fxi_npy_source source = {read_member, state, (int64_t)stat.m_uncomp_size};
    fx_tensor *tensor = fxi_npy_read(&source, raw, err);
    char more; /* none comes, but only then deflate sees its end and the sum is compared */
    bool whole = tensor && mz_zip_reader_extract_iter_read(state, &more, 1) == 0;
    whole = mz_zip_reader_extract_iter_free(state) && whole;
    if (!tensor || whole) return tensor;
    fx_tensor_free(tensor);
    fxi_fail(err, FX_ERROR_FILE, "it goes on behind its end, or the sum of its bits is another one");
    return NULL;
}

/* With the array's name in the message. */
static fx_tensor *read_named(const fx_npz *file, size_t i, fx_dtype raw, fx_error *err) {
    fx_error why = {.code = FX_OK};
    fx_tensor *tensor = read_array(file, i, raw, &why);
    if (tensor) return tensor;
    if (why.code == FX_ERROR_MEMORY)
        fxi_fail_memory(err, who);
    else
        fxi_fail(err, why.code, "\"%s\": %s", fx_npz_name(file, i), why.message);
    return NULL;
}

fx_tensor *fx_npz_read(const fx_npz *file, size_t i, fx_dtype raw, fx_error *err) {
    static const char name[] = "fx_npz_read";
    fx_error why = {.code = FX_OK};
    if (!file) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "%s: file is NULL", name);
        return NULL;
    }
    fx_tensor *tensor = NULL;
    if (i < fx_npz_count(file))
        tensor = read_named(file, i, raw, &why);
    else
        fxi_fail(&why, FX_ERROR_ARGUMENT, "there is no array %zu among %zu", i, fx_npz_count(file));
    if (!tensor) fxi_file_fail(err, name, file->file.path, &why);
    return tensor;
}

static bool read_all(const fx_npz *file, fx_params *params, fx_dtype raw, fx_error *err) {
    for (size_t i = 0; i < fx_npz_count(file); i++) {
        fx_tensor *tensor = read_named(file, i, raw, err);
        if (!tensor || !fx_params_set(params, fx_npz_name(file, i), tensor, err)) return false;
    }
    return true;
}

fx_params *fx_npz_load(const char *path, fx_dtype raw, fx_error *err) {
    static const char name[] = "fx_npz_load";
    fx_npz *file = open_named(name, path, err);
    if (!file) return NULL;
    fx_error why = {.code = FX_OK};
    fx_params *params = fx_params_new(&why);
    if (!params || !read_all(file, params, raw, &why)) {
        fxi_file_fail(err, name, path, &why);
        fx_params_free(params);
        params = NULL;
    }
    fx_npz_close(file);
    return params;
}
