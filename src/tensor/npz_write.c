/* SPDX-License-Identifier: Apache-2.0 */
/* Archives of NumPy, written in order and without going back, so that any stream takes them: each member
 * has its sizes and sum of bits in front, for which it is run through twice (once to sum or to deflate it),
 * and the directory comes last. Times are those that NumPy writes, 1980-01-01, so that equal maps give
 * equal bytes. Sizes and places from 2^32 on, and directories of 65535 members, take the ZIP64 form of the
 * zip format (PKWARE's APPNOTE, 4.3 and 4.5). */
#include "tensor/npy.h"
#include <miniz.h>
#include <string.h>

static const char who[] = "fx_npz_save"; /* where memory ends, which callers say anew */

enum {
    STORED = 0,
    DEFLATED = 8,
    VERSION = 20, /* of the format: 2.0 knows deflate, 4.5 ZIP64 */
    VERSION_64 = 45,
    UTF8 = 1 << 11, /* flag: names are UTF-8 */
    DATE = 1 << 5 | 1,
    NARROW = 0xFFFF,
    PROBES = 128 /* of the compressor, its default */
};
static const uint64_t wide = UINT32_MAX;

typedef struct member {
    const fxi_param *entry;
    uint32_t sum;
    uint64_t packed, whole, at;
} member;

typedef struct archive {
    fxi_npy_sink sink;
    void *user;
    uint64_t at; /* bytes written */
    bool deflated;
    member *members;
    size_t count;
} archive;

static bool emit(archive *zip, const void *bytes, uint64_t n, fx_error *err) {
    zip->at += n;
    return zip->sink(zip->user, bytes, (int64_t)n, err);
}

/* ---- records: numbers, low bytes first ---- */

typedef struct record {
    unsigned char bytes[128];
    size_t length;
} record;

static void put(record *r, int width, uint64_t value) {
    for (int i = 0; i < width; i++) r->bytes[r->length++] = (unsigned char)(value >> (8 * i));
}

static uint64_t narrow(uint64_t value) {
    return value < wide ? value : wide;
}

static bool is_wide(const member *m) {
    return m->packed >= wide || m->whole >= wide;
}

/* What local headers and entries of the directory have in common. */
static void put_member(record *r, const archive *zip, const member *m, bool wide_form, size_t extra) {
    put(r, 2, wide_form ? VERSION_64 : VERSION);
    put(r, 2, UTF8);
    put(r, 2, zip->deflated ? DEFLATED : STORED);
    put(r, 2, 0);
    put(r, 2, DATE);
    put(r, 4, m->sum);
    put(r, 4, is_wide(m) ? wide : m->packed);
    put(r, 4, is_wide(m) ? wide : m->whole);
    put(r, 2, strlen(m->entry->name) + 4);
    put(r, 2, extra);
}

static bool write_name(archive *zip, const member *m, fx_error *err) {
    return emit(zip, m->entry->name, strlen(m->entry->name), err) && emit(zip, ".npy", 4, err);
}

static bool write_local(archive *zip, const member *m, fx_error *err) {
    record head = {.length = 0}, extra = {.length = 0};
    if (is_wide(m)) {
        put(&extra, 2, 1);
        put(&extra, 2, 16);
        put(&extra, 8, m->whole);
        put(&extra, 8, m->packed);
    }
    put(&head, 4, 0x04034b50);
    put_member(&head, zip, m, is_wide(m), extra.length);
    return emit(zip, head.bytes, head.length, err) && write_name(zip, m, err) &&
           emit(zip, extra.bytes, extra.length, err);
}

static bool write_entry(archive *zip, const member *m, fx_error *err) {
    record head = {.length = 0}, extra = {.length = 0};
    if (is_wide(m) || m->at >= wide) {
        put(&extra, 2, 1);
        put(&extra, 2, (is_wide(m) ? 16u : 0u) + (m->at >= wide ? 8u : 0u));
        if (is_wide(m)) put(&extra, 8, m->whole), put(&extra, 8, m->packed);
        if (m->at >= wide) put(&extra, 8, m->at);
    }
    put(&head, 4, 0x02014b50);
    put(&head, 2, extra.length > 0 ? VERSION_64 : VERSION);
    put_member(&head, zip, m, extra.length > 0, extra.length);
    put(&head, 2 + 2 + 2, 0); /* no comment, disk 0, no text */
    put(&head, 4, 0);
    put(&head, 4, narrow(m->at));
    return emit(zip, head.bytes, head.length, err) && write_name(zip, m, err) &&
           emit(zip, extra.bytes, extra.length, err);
}

static bool write_end(archive *zip, uint64_t begin, fx_error *err) {
    record r = {.length = 0};
    uint64_t end = zip->at, count = zip->count;
    if (count >= NARROW || begin >= wide || end - begin >= wide) {
        put(&r, 4, 0x06064b50);
        put(&r, 8, 44); /* bytes that follow in this record */
        put(&r, 2, VERSION_64), put(&r, 2, VERSION_64);
        put(&r, 8, 0); /* disk 0 */
        put(&r, 8, count), put(&r, 8, count);
        put(&r, 8, end - begin), put(&r, 8, begin);
        put(&r, 4, 0x07064b50);
        put(&r, 4, 0);
        put(&r, 8, end);
        put(&r, 4, 1); /* disks */
    }
    uint64_t shown = count < NARROW ? count : NARROW;
    put(&r, 4, 0x06054b50);
    put(&r, 4, 0);
    put(&r, 2, shown), put(&r, 2, shown);
    put(&r, 4, narrow(end - begin)), put(&r, 4, narrow(begin));
    put(&r, 2, 0);
    return emit(zip, r.bytes, r.length, err);
}

/* ---- members ---- */

/* First run through a member: its size and sum of bits, and what deflate makes of it. */
typedef struct summing {
    member *m;
    tdefl_compressor *deflate; /* NULL: it is stored */
} summing;

static bool sum_bytes(void *user, const void *bytes, int64_t n, fx_error *err) {
    summing *s = user;
    s->m->whole += (uint64_t)n;
    s->m->sum = (uint32_t)mz_crc32(s->m->sum, bytes, (size_t)n);
    if (!s->deflate ||
        tdefl_compress_buffer(s->deflate, bytes, (size_t)n, TDEFL_NO_FLUSH) == TDEFL_STATUS_OKAY)
        return true;
    return fxi_fail_memory(err, who);
}

static mz_bool keep_packed(const void *bytes, int n, void *packed) {
    fxi_text_add_bytes(packed, bytes, (size_t)n);
    return !((fxi_text *)packed)->failed;
}

static bool sum_member(member *m, tdefl_compressor *deflate, fxi_text *packed, fx_error *err) {
    summing s = {m, deflate};
    m->sum = MZ_CRC32_INIT;
    if (deflate && tdefl_init(deflate, keep_packed, packed, PROBES) != TDEFL_STATUS_OKAY)
        return fxi_fail_memory(err, who);
    FX_TRY(fxi_npy_write(m->entry->tensor, sum_bytes, &s, err));
    if (deflate && tdefl_compress_buffer(deflate, NULL, 0, TDEFL_FINISH) != TDEFL_STATUS_DONE)
        return fxi_fail_memory(err, who);
    m->packed = deflate ? packed->length : m->whole;
    return true;
}

static bool write_tensor(void *user, const void *bytes, int64_t n, fx_error *err) {
    return emit(user, bytes, (uint64_t)n, err);
}

static bool write_member(archive *zip, member *m, tdefl_compressor *deflate, fx_error *err) {
    fxi_text packed = {NULL, 0, 0, false, false};
    bool ok = sum_member(m, deflate, &packed, err);
    m->at = zip->at;
    ok = ok && write_local(zip, m, err);
    if (ok)
        ok = deflate ? emit(zip, packed.data, packed.length, err)
                     : fxi_npy_write(m->entry->tensor, write_tensor, zip, err);
    fxi_text_free(&packed);
    return ok;
}

static bool check_entry(const fxi_param *entry, fx_error *err) {
    if (!fx_tensor_is_valid(entry->tensor))
        return fxi_fail(err, FX_ERROR_ARGUMENT, "\"%s\" has no contents", entry->name);
    if (strlen(entry->name) > FXI_MOST_NAME - 4)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "a name is longer than %d bytes", FXI_MOST_NAME - 4);
    return true;
}

static bool write_all(archive *zip, tdefl_compressor *deflate, fx_error *err) {
    for (size_t i = 0; i < zip->count; i++) FX_TRY(check_entry(zip->members[i].entry, err));
    for (size_t i = 0; i < zip->count; i++) FX_TRY(write_member(zip, &zip->members[i], deflate, err));
    uint64_t begin = zip->at;
    for (size_t i = 0; i < zip->count; i++) FX_TRY(write_entry(zip, &zip->members[i], err));
    return write_end(zip, begin, err);
}

bool fxi_npz_write(const fx_params *params, bool deflated, fxi_npy_sink sink, void *user, fx_error *err) {
    if (params->graph) return fxi_fail(err, FX_ERROR_ARGUMENT, "the map holds nodes");
    archive zip = {.sink = sink, .user = user, .deflated = deflated, .count = params->entries.list.count};
    zip.members = fxi_alloc_zeroed(zip.count + 1, sizeof *zip.members);
    tdefl_compressor *deflate = deflated ? fxi_alloc(sizeof *deflate) : NULL;
    bool ok = (zip.members && (deflate || !deflated)) || fxi_fail_memory(err, who);
    if (ok) {
        for (size_t i = 0; i < zip.count; i++) zip.members[i].entry = params->entries.list.data[i];
        ok = write_all(&zip, deflate, err);
    }
    fxi_free(deflate);
    fxi_free(zip.members);
    return ok;
}

/* ---- public ---- */

typedef struct contents {
    const fx_params *params;
    bool deflated;
} contents;

static bool fill_file(int descriptor, const void *user, fx_error *err) {
    const contents *c = user;
    return fxi_npz_write(c->params, c->deflated, fxi_npy_write_file, &descriptor, err);
}

bool fx_npz_save(const fx_params *params, const char *path, bool deflated, fx_error *err) {
    fx_error why = {.code = FX_OK};
    const contents c = {params, deflated};
    if (!params || !path)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_npz_save: %s is NULL", params ? "path" : "params");
    return fxi_file_replace(path, fill_file, &c, &why) || fxi_file_fail(err, "fx_npz_save", path, &why);
}

bool fx_npz_write(const fx_params *params, bool deflated, fx_write_fn write, void *user, fx_error *err) {
    fx_error why = {.code = FX_OK};
    fxi_npy_writer writer = {write, user};
    if (!params || !write)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_npz_write: %s is NULL", params ? "write" : "params");
    return fxi_npz_write(params, deflated, fxi_npy_write_on, &writer, &why) ||
           fxi_file_fail(err, "fx_npz_write", NULL, &why);
}
