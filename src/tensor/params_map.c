/* SPDX-License-Identifier: Apache-2.0 */
/* Ordered maps from names to tensors: an array of entries in the order they were added and a hash map of the
 * same entries by name. Entries never move in memory, so names that were given out stay where they are. The
 * same struct serves graph functions with nodes in it, which src/exec fills. Changes first allocate all they
 * need, then happen, so that a failure leaves a map as it was. */
#include "tensor/tensor.h"
#include <string.h>

/* ---- names ---- */

/* Bytes of the sequence that begins with `lead`; 0: none does. */
static size_t utf8_length(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/* The second byte also excludes overlong forms, surrogates and numbers over 0x10FFFF. */
static bool utf8_second(unsigned char lead, unsigned char second) {
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return second >= low && second <= high;
}

size_t fxi_utf8_valid_length(const char *text, size_t bytes) {
    const unsigned char *begin = (const unsigned char *)text, *at = begin, *end = at + bytes;
    while (at < end) {
        uint64_t eight;
        for (; end - at >= 8 && (memcpy(&eight, at, 8), !(eight & UINT64_C(0x8080808080808080)));) at += 8;
        if (at == end) break;
        size_t length = utf8_length(*at);
        if (length == 0 || length > (size_t)(end - at)) break;
        if (length > 1 && !utf8_second(at[0], at[1])) break;
        for (size_t i = 2; i < length; i++)
            if (at[i] < 0x80 || at[i] > 0xBF) return (size_t)(at - begin);
        at += length;
    }
    return (size_t)(at - begin);
}

bool fxi_utf8_is_valid(const char *text, size_t bytes) { return fxi_utf8_valid_length(text, bytes) == bytes; }

const char *fxi_name_fault(const char *name) {
    if (!name) return "is NULL";
    size_t length = strlen(name);
    if (length == 0) return "is empty";
    if (length > FXI_MOST_NAME) return "is longer than 4095 bytes";
    return fxi_utf8_is_valid(name, length) ? NULL : "is not UTF-8";
}

fx_text fx_name(const char *format, ...) {
    fx_text name = {.s = ""};
    if (!format) return name;
    fxi_text text = fxi_text_fixed(name.s, sizeof name.s);
    va_list list;
    va_start(list, format);
    fxi_text_add_list(&text, format, list);
    va_end(list);
    if (text.length >= sizeof name.s) name.s[0] = 0;
    return name;
}

/* ---- entries ---- */

static uint64_t hash_name(const char *name) {
    return fxi_hash_bytes(name, strlen(name), 0);
}

static bool has_name(const void *value, const void *key) {
    return strcmp(((const fxi_param *)value)->name, key) == 0;
}

fxi_param *fxi_names_find(const fxi_names *names, const char *name) {
    return fxi_map_find(&names->by_name, hash_name(name), name, has_name);
}

fxi_param *fxi_names_add(fxi_names *names, const char *name) {
    fxi_param *entry = fxi_names_find(names, name);
    if (entry) return entry;
    size_t length = strlen(name);
    entry = fxi_alloc_zeroed(1, sizeof *entry + length + 1);
    if (!entry) return NULL;
    entry->name = (char *)(entry + 1);
    memcpy(entry->name, name, length + 1);
    entry->hash = hash_name(name);
    entry->index = names->list.count;
    if (!FXI_RESERVE(&names->list, entry->index + 1) || !fxi_map_put(&names->by_name, entry->hash, entry)) {
        fxi_free(entry);
        return NULL;
    }
    names->list.data[names->list.count++] = entry;
    return entry;
}

bool fxi_names_equal(const fxi_names *a, const fxi_names *b) {
    if (a->list.count != b->list.count) return false;
    for (size_t i = 0; i < a->list.count; i++) {
        const fxi_param *x = a->list.data[i], *y = b->list.data[i];
        if (x->hash != y->hash || strcmp(x->name, y->name) != 0) return false;
    }
    return true;
}

static void free_entry(fxi_param *entry) {
    fx_tensor_free(entry->tensor);
    fxi_free(entry->text);
    fxi_free(entry);
}

static bool names_remove(fxi_names *names, const char *name) {
    fxi_param *entry = fxi_names_find(names, name);
    if (!entry) return false;
    fxi_map_remove(&names->by_name, entry->hash, entry);
    names->list.count--;
    for (size_t i = entry->index; i < names->list.count; i++) {
        names->list.data[i] = names->list.data[i + 1];
        names->list.data[i]->index = i;
    }
    free_entry(entry);
    return true;
}

void fxi_names_free(fxi_names *names) {
    for (size_t i = 0; i < names->list.count; i++) free_entry(names->list.data[i]);
    fxi_free(names->list.data);
    fxi_map_free(&names->by_name);
}

/* ---- maps ---- */

fx_params *fx_params_new(fx_error *err) {
    fx_params *params = fxi_alloc_zeroed(1, sizeof *params);
    if (!params) fxi_fail_memory(err, "fx_params_new");
    return params;
}

void fx_params_free(fx_params *params) {
    if (!params) return;
    fxi_names_free(&params->entries);
    fxi_names_free(&params->metadata);
    fxi_arena_free(&params->spans);
    fxi_free(params);
}

static bool copy_into(fx_params *to, const fx_params *from, const char *prefix) {
    for (size_t i = 0; i < from->entries.list.count; i++) {
        const fxi_param *entry = from->entries.list.data[i];
        if (!fxi_text_begins(entry->name, prefix)) continue;
        fxi_param *added = fxi_names_add(&to->entries, entry->name);
        if (!added) return false;
        added->tensor = fx_tensor_ref(entry->tensor);
    }
    for (size_t i = 0; i < from->metadata.list.count; i++) {
        const fxi_param *entry = from->metadata.list.data[i];
        fxi_param *added = fxi_names_add(&to->metadata, entry->name);
        if (!added) return false;
        added->text = fxi_copy_string(entry->text);
        if (!added->text) return false;
    }
    return true;
}

fx_params *fx_params_copy(const fx_params *params, const char *prefix, fx_error *err) {
    if (!params || params->graph) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_copy: %s",
                 params ? "the map holds nodes" : "params is NULL");
        return NULL;
    }
    fx_params *copy = fx_params_new(err);
    if (!copy || copy_into(copy, params, prefix ? prefix : "")) return copy;
    fx_params_free(copy);
    fxi_fail_memory(err, "fx_params_copy");
    return NULL;
}

/* ---- looking up ---- */

size_t fx_params_count(const fx_params *params) {
    return params ? params->entries.list.count : 0;
}

const char *fx_params_name(const fx_params *params, size_t i) {
    return i < fx_params_count(params) ? params->entries.list.data[i]->name : NULL;
}

int64_t fx_params_find(const fx_params *params, const char *name) {
    const fxi_param *entry = params && name ? fxi_names_find(&params->entries, name) : NULL;
    return entry ? (int64_t)entry->index : -1;
}

fx_tensor *fx_params_tensor(const fx_params *params, size_t i) {
    return i < fx_params_count(params) ? params->entries.list.data[i]->tensor : NULL;
}

fx_tensor *fx_params_get(const fx_params *params, const char *name, fx_error *err) {
    const char *fault = !params         ? "params is NULL"
                        : !name         ? "name is NULL"
                        : params->graph ? "the map holds nodes"
                                        : NULL;
    if (fault) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_get: %s", fault);
        return NULL;
    }
    const fxi_param *entry = fxi_names_find(&params->entries, name);
    if (!entry) fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_get: there is no \"%s\"", name);
    return entry ? entry->tensor : NULL;
}

/* ---- changing ---- */

bool fx_params_remove(fx_params *params, const char *name) {
    return params && name && names_remove(&params->entries, name);
}

static bool set_tensor(fx_params *params, const char *name, fx_tensor *tensor, fx_error *err) {
    if (!params || !tensor)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_set: %s is NULL", params ? "tensor" : "params");
    const char *fault = fxi_name_fault(name);
    if (fault) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_set: the name %s", fault);
    if (params->graph) return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_set: the map holds nodes");
    if (!fx_tensor_is_valid(tensor))
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_set: the tensor for \"%s\" has no contents", name);
    fxi_param *entry = fxi_names_add(&params->entries, name);
    if (!entry) return fxi_fail_memory(err, "fx_params_set");
    fx_tensor *before = entry->tensor;
    entry->tensor = fx_tensor_ref(tensor);
    fx_tensor_free(before);
    return true;
}

bool fx_params_set(fx_params *params, const char *name, fx_tensor *tensor, fx_error *err) {
    bool ok = set_tensor(params, name, tensor, err);
    fx_tensor_free(tensor);
    return ok;
}

/* ---- metadata ---- */

bool fx_params_set_metadata(fx_params *params, const char *key, const char *value, fx_error *err) {
    if (!params || !key)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_set_metadata: %s is NULL",
                        params ? "key" : "params");
    if (!fxi_utf8_is_valid(key, strlen(key)) || (value && !fxi_utf8_is_valid(value, strlen(value))))
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_params_set_metadata: bytes that are not UTF-8");
    if (!value) {
        names_remove(&params->metadata, key);
        return true;
    }
    char *text = fxi_copy_string(value);
    fxi_param *entry = text ? fxi_names_add(&params->metadata, key) : NULL;
    if (!entry) {
        fxi_free(text);
        return fxi_fail_memory(err, "fx_params_set_metadata");
    }
    fxi_free(entry->text);
    entry->text = text;
    return true;
}

const char *fx_params_metadata(const fx_params *params, const char *key) {
    const fxi_param *entry = params && key ? fxi_names_find(&params->metadata, key) : NULL;
    return entry ? entry->text : NULL;
}

const char *fx_params_metadata_key(const fx_params *params, size_t i) {
    return params && i < params->metadata.list.count ? params->metadata.list.data[i]->name : NULL;
}
