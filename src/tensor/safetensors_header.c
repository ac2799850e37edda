/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of safetensors files: JSON, read into shapes and places that have been checked. The format asks
 * that the tensors, sorted by their places, fill the space behind the header without gap or overlap; with the
 * sizes that follow from shapes and dtypes that excludes every read outside of the file. The JSON library
 * neither recurses nor allocates more than a multiple of the text. */
#include "tensor/safetensors.h"
#include <stdlib.h>
#include <string.h>

/* ---- dtypes ---- */

static const struct {
    const char *name;
    fx_dtype dtype;
} dtype_names[] = {
    {"BOOL", FX_BOOL},        {"U8", FX_U8},   {"I8", FX_S8},   {"F8_E5M2", FX_F8E5M2},
    {"F8_E4M3", FX_F8E4M3FN}, {"I16", FX_S16}, {"U16", FX_U16}, {"F16", FX_F16},
    {"BF16", FX_BF16},        {"I32", FX_S32}, {"U32", FX_U32}, {"F32", FX_F32},
    {"C64", FX_C64},          {"F64", FX_F64}, {"I64", FX_S64}, {"U64", FX_U64},
};
enum { DTYPE_NAMES = sizeof dtype_names / sizeof *dtype_names };

const char *fxi_file_dtype_name(fx_dtype dtype) {
    for (int i = 0; i < DTYPE_NAMES; i++)
        if (dtype_names[i].dtype == dtype) return dtype_names[i].name;
    return NULL;
}

fx_dtype fxi_file_dtype_of(const char *name) {
    for (int i = 0; i < DTYPE_NAMES; i++)
        if (strcmp(dtype_names[i].name, name) == 0) return dtype_names[i].dtype;
    return FX_INVALID_DTYPE;
}

/* ---- memory of the JSON library ---- */

static void *json_alloc(void *context, size_t bytes) {
    (void)context;
    return fxi_alloc(bytes);
}
static void *json_resize(void *context, void *block, size_t old_bytes, size_t bytes) {
    (void)context, (void)old_bytes;
    return fxi_resize(block, bytes, 1);
}
static void json_free(void *context, void *block) {
    (void)context;
    fxi_free(block);
}

yyjson_alc fxi_json_memory(void) {
    return (yyjson_alc){json_alloc, json_resize, json_free, NULL};
}

/* ---- one tensor ---- */

static bool damaged(fx_error *err, const char *name, const char *what) {
    return fxi_fail(err, FX_ERROR_FILE, "\"%s\": %s", name, what);
}

/* A C string without characters 0 inside; NULL: something else. */
static const char *text_of(yyjson_val *value) {
    const char *text = yyjson_get_str(value);
    return text && strlen(text) == yyjson_get_len(value) ? text : NULL;
}

/* A number from 0 to 2^63 - 1; -1: something else. */
static int64_t size_of(yyjson_val *value) {
    return yyjson_is_uint(value) && yyjson_get_uint(value) <= INT64_MAX ? (int64_t)yyjson_get_uint(value)
                                                                        : -1;
}

/* FX_INVALID_DTYPE with an error when it is none. */
static fx_dtype read_dtype(yyjson_val *value, const char *name, fx_error *err) {
    const char *text = text_of(value);
    fx_dtype dtype = text ? fxi_file_dtype_of(text) : FX_INVALID_DTYPE;
    if (dtype == FX_INVALID_DTYPE)
        fxi_fail(err, FX_ERROR_FILE, "\"%s\": the dtype %s is unknown", name,
                 text ? text : "that is no text");
    return dtype;
}

static bool read_shape(yyjson_val *value, const char *name, fx_shape *shape, fx_error *err) {
    if (!yyjson_is_arr(value)) return damaged(err, name, "the shape is no list");
    if (yyjson_arr_size(value) > FX_MAX_RANK) return damaged(err, name, "more than 16 dimensions");
    yyjson_arr_iter iter = yyjson_arr_iter_with(value);
    int64_t dims[FX_MAX_RANK];
    size_t rank = 0;
    for (yyjson_val *dim; (dim = yyjson_arr_iter_next(&iter)) != NULL; rank++) {
        dims[rank] = size_of(dim);
        if (dims[rank] < 0) return damaged(err, name, "a dimension is no number from 0 to 2^63 - 1");
    }
    *shape = fx_shape_make(shape->dtype, dims, rank);
    return true;
}

static bool read_place(yyjson_val *value, const char *name, fxi_file_tensor *tensor, fx_error *err) {
    if (!yyjson_is_arr(value) || yyjson_arr_size(value) != 2)
        return damaged(err, name, "data_offsets are not two numbers");
    tensor->begin = size_of(yyjson_arr_get(value, 0));
    tensor->end = size_of(yyjson_arr_get(value, 1));
    return (tensor->begin >= 0 && tensor->end >= tensor->begin) ||
           damaged(err, name, "data_offsets are not two numbers in order");
}

typedef struct fields {
    yyjson_val *dtype, *shape, *place;
} fields;

/* Members by name, each at most once; others are let pass, as other readers do. */
static bool find_fields(yyjson_val *object, const char *name, fields *f, fx_error *err) {
    *f = (fields){NULL, NULL, NULL};
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter)) != NULL;) {
        yyjson_val **slot = yyjson_equals_str(key, "dtype")          ? &f->dtype
                            : yyjson_equals_str(key, "shape")        ? &f->shape
                            : yyjson_equals_str(key, "data_offsets") ? &f->place
                                                                     : NULL;
        if (!slot) continue;
        if (*slot) return damaged(err, name, "a member occurs twice");
        *slot = yyjson_obj_iter_get_val(key);
    }
    return (f->dtype && f->shape && f->place) ||
           damaged(err, name, "one of dtype, shape and data_offsets is missing");
}

static bool read_tensor(yyjson_val *value, const char *name, fxi_file_tensor *tensor, fx_error *err) {
    fields f;
    if (!yyjson_is_obj(value)) return damaged(err, name, "is no object");
    FX_TRY(find_fields(value, name, &f, err));
    *tensor = (fxi_file_tensor){.begin = 0};
    tensor->shape.dtype = read_dtype(f.dtype, name, err);
    if (tensor->shape.dtype == FX_INVALID_DTYPE) return false;
    FX_TRY(read_shape(f.shape, name, &tensor->shape, err));
    FX_TRY(read_place(f.place, name, tensor, err));
    int64_t bytes = fx_shape_bytes(&tensor->shape);
    return (bytes >= 0 && bytes == tensor->end - tensor->begin) ||
           damaged(err, name, "shape and data_offsets give different sizes");
}

/* ---- the whole ---- */

/* The new entry of that name; NULL with an error when it is no name, or is there already. */
static fxi_param *add_name(fxi_names *names, const char *name, fx_error *err) {
    size_t before = names->list.count;
    fxi_param *entry = fxi_names_add(names, name);
    if (!entry)
        fxi_fail_memory(err, "fx_safetensors_open");
    else if (names->list.count == before)
        damaged(err, name, "occurs twice");
    return entry && names->list.count > before ? entry : NULL;
}

static bool read_metadata(fx_params *names, yyjson_val *object, fx_error *err) {
    if (!yyjson_is_obj(object)) return damaged(err, FXI_METADATA_KEY, "is no object");
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter)) != NULL;) {
        const char *name = text_of(key), *text = text_of(yyjson_obj_iter_get_val(key));
        if (!name || !text) return damaged(err, FXI_METADATA_KEY, "is not text by text, or has characters 0");
        fxi_param *entry = add_name(&names->metadata, name, err);
        if (!entry) return false;
        entry->text = fxi_copy_string(text);
        if (!entry->text) return fxi_fail_memory(err, "fx_safetensors_open");
    }
    return true;
}

static bool add_tensor(fxi_file_header *header, yyjson_val *key, fx_error *err) {
    const char *name = text_of(key), *fault = name ? fxi_name_fault(name) : "has a character 0";
    if (fault) return fxi_fail(err, FX_ERROR_FILE, "a name %s", fault);
    fxi_file_tensor tensor;
    FX_TRY(read_tensor(yyjson_obj_iter_get_val(key), name, &tensor, err));
    if (!add_name(&header->names->entries, name, err)) return false;
    return FXI_PUSH(&header->tensors, tensor) || fxi_fail_memory(err, "fx_safetensors_open");
}

static int by_place(const void *a, const void *b) {
    const fxi_file_tensor *x = *(fxi_file_tensor *const *)a, *y = *(fxi_file_tensor *const *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static bool check_places(const fxi_file_header *header, int64_t data_bytes, fx_error *err) {
    size_t n = header->tensors.count;
    fxi_file_tensor **sorted = fxi_alloc_zeroed(n + 1, sizeof *sorted);
    if (!sorted) return fxi_fail_memory(err, "fx_safetensors_open");
    for (size_t i = 0; i < n; i++) sorted[i] = &header->tensors.data[i];
    qsort(sorted, n, sizeof *sorted, by_place);
    int64_t end = 0;
    size_t i = 0;
    for (; i < n && sorted[i]->begin == end; i++) end = sorted[i]->end;
    bool filled = i == n && end == data_bytes;
    if (i < n)
        damaged(err, header->names->entries.list.data[sorted[i] - header->tensors.data]->name,
                sorted[i]->begin < end ? "overlaps another tensor" : "has a gap before it");
    else if (!filled)
        fxi_fail(err, FX_ERROR_FILE, "the tensors have %lld bytes, the file has %lld", (long long)end,
                 (long long)data_bytes);
    fxi_free(sorted);
    return filled;
}

static bool read_members(fxi_file_header *header, yyjson_val *root, fx_error *err) {
    if (!yyjson_is_obj(root)) return fxi_fail(err, FX_ERROR_FILE, "the header is no object");
    bool seen = false;
    yyjson_obj_iter iter = yyjson_obj_iter_with(root);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter)) != NULL;) {
        if (!yyjson_equals_str(key, FXI_METADATA_KEY)) {
            FX_TRY(add_tensor(header, key, err));
            continue;
        }
        if (seen) return damaged(err, FXI_METADATA_KEY, "occurs twice");
        seen = true;
        FX_TRY(read_metadata(header->names, yyjson_obj_iter_get_val(key), err));
    }
    return true;
}

bool fxi_file_header_parse(fxi_file_header *header, char *json, size_t bytes, int64_t data_bytes,
                           fx_error *err) {
    *header = (fxi_file_header){.names = fx_params_new(err)};
    if (!header->names) return false;
    if (bytes == 0 || json[0] != '{') return fxi_fail(err, FX_ERROR_FILE, "the header does not begin with {");
    const yyjson_alc memory = fxi_json_memory();
    yyjson_read_err fault;
    yyjson_doc *doc = yyjson_read_opts(json, bytes, YYJSON_READ_INSITU, &memory, &fault);
    if (!doc && fault.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
        return fxi_fail_memory(err, "fx_safetensors_open");
    if (!doc) return fxi_fail(err, FX_ERROR_FILE, "the header at byte %zu: %s", fault.pos + 8, fault.msg);
    bool ok = read_members(header, yyjson_doc_get_root(doc), err) && check_places(header, data_bytes, err);
    yyjson_doc_free(doc);
    return ok;
}

void fxi_file_header_free(fxi_file_header *header) {
    fx_params_free(header->names);
    fxi_free(header->tensors.data);
}
