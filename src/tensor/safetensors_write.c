/* SPDX-License-Identifier: Apache-2.0 */
/* Writing safetensors files. The header lists tensors in the map's order; their elements are laid out by
 * width, widest first, and in the map's order among equals, so that every tensor is aligned to its elements
 * in a mapped file. Elements go from the tensors to the file without a copy. */
#include "tensor/safetensors.h"
#include <string.h>

static const char who[] = "fx_safetensors_save"; /* where memory ends, which callers say anew */

enum { WIDEST = 8 };

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

/* The length, the text, and spaces up to a multiple of eight. */
static bool write_header(int descriptor, const char *text, size_t bytes, fx_error *err) {
    size_t padded = (bytes + 7) / 8 * 8;
    if (padded > FXI_MOST_HEADER)
        return fxi_fail(err, FX_ERROR_FILE, "a header of %zu bytes; readers take at most %d", padded,
                        FXI_MOST_HEADER);
    unsigned char word[8];
    for (int i = 0; i < 8; i++) word[i] = (unsigned char)((uint64_t)padded >> (8 * i));
    return fxi_file_write(descriptor, word, 8, err) &&
           fxi_file_write(descriptor, text, (int64_t)bytes, err) &&
           fxi_file_write(descriptor, "        ", (int64_t)(padded - bytes), err);
}

static bool write_tensors(int descriptor, const fx_params *params, fx_error *err) {
    for (int width = WIDEST; width >= 1; width /= 2)
        for (size_t i = 0; i < params->entries.list.count; i++) {
            const fxi_param *entry = params->entries.list.data[i];
            if (!has_width(entry, width)) continue;
            FX_TRY(fx_tensor_fetch(entry->tensor, err));
            FX_TRY(fxi_file_write(descriptor, entry->tensor->data, entry->tensor->bytes, err));
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

static bool fill_file(int descriptor, const void *params, fx_error *err) {
    return fxi_safetensors_write(descriptor, params, err);
}

static bool save(const fx_params *params, const char *path, fx_error *err) {
    if (params->graph) return fxi_fail(err, FX_ERROR_ARGUMENT, "the map holds nodes");
    return fxi_file_replace(path, fill_file, params, err);
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
