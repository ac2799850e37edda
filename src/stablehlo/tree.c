/* SPDX-License-Identifier: Apache-2.0 */
/* Looking things up in a tree. Dictionaries are short and searched from the front. */
#include "stablehlo/tree.h"
#include <string.h>

bool fxi_hlo_span_is(fxi_hlo_span span, const char *text) {
    size_t length = strlen(text);
    return span.length == length && (length == 0 || memcmp(span.at, text, length) == 0);
}

bool fxi_hlo_span_equal(fxi_hlo_span a, fxi_hlo_span b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

const fxi_hlo_attr *fxi_hlo_find(const fxi_hlo_dict *dict, const char *name) {
    for (size_t i = 0; i < dict->n; i++)
        if (fxi_hlo_span_is(dict->v[i].name, name)) return dict->v[i].value;
    return NULL;
}

static bool is_function(const void *value, const void *key) {
    return fxi_hlo_span_equal(((const fxi_hlo_function *)value)->name, *(const fxi_hlo_span *)key);
}

static bool is_entry(const void *value, const void *key) {
    return fxi_hlo_span_equal(((const fxi_hlo_entry *)value)->name, *(const fxi_hlo_span *)key);
}

const fxi_hlo_function *fxi_hlo_find_function(const fxi_hlo_module *module, fxi_hlo_span name) {
    uint64_t hash = fxi_hash_bytes(name.at, name.length, 0);
    return fxi_map_find(&module->functions_by_name, hash, &name, is_function);
}

static bool same_words(fxi_hlo_span a, fxi_hlo_span b) {
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a.length && (unsigned char)a.at[i] <= ' ') i++;
        while (k < b.length && (unsigned char)b.at[k] <= ' ') k++;
        if (i == a.length || k == b.length) return i == a.length && k == b.length;
        if (a.at[i++] != b.at[k++]) return false;
    }
}

/* Of one type alone; what it is made of is compared by the caller. */
static bool same_level(const fxi_hlo_type *a, const fxi_hlo_type *b) {
    if (a->kind != b->kind || a->n_parts != b->n_parts || a->n_results != b->n_results) return false;
    if (a->kind == FXI_HLO_TENSOR || a->kind == FXI_HLO_SCALAR)
        return a->dynamic == b->dynamic && memcmp(&a->shape, &b->shape, sizeof a->shape) == 0;
    return a->kind != FXI_HLO_OTHER || same_words(a->text, b->text);
}

bool fxi_hlo_type_equal(const fxi_hlo_type *a, const fxi_hlo_type *b) {
    if (a == b) return true;
    if (!a || !b || !same_level(a, b)) return false;
    /* Types nest, within the limit of the parser, so the walk goes by the texts where there are parts. */
    return a->n_parts + a->n_results == 0 || same_words(a->text, b->text);
}

fxi_hlo_span fxi_hlo_location_name(const fxi_hlo_module *module, fxi_hlo_span location) {
    const fxi_hlo_span none = {"", 0};
    for (int hops = 0; hops < 2; hops++) {
        if (location.length > 2 && *location.at == '"') {
            const char *end = memchr(location.at + 1, '"', location.length - 1);
            return end ? (fxi_hlo_span){location.at + 1, (size_t)(end - location.at - 1)} : none;
        }
        if (location.length < 2 || *location.at != '#') return none;
        fxi_hlo_span alias = {location.at + 1, location.length - 1};
        uint64_t hash = fxi_hash_bytes(alias.at, alias.length, 0);
        const fxi_hlo_entry *found = fxi_map_find(&module->locations_by_name, hash, &alias, is_entry);
        location = found ? found->value->text : none;
    }
    return none;
}

void fxi_hlo_free(fxi_hlo_module *module) {
    if (!module) return;
    fxi_map_free(&module->functions_by_name);
    fxi_map_free(&module->locations_by_name);
    fxi_arena_free(&module->arena);
    fxi_free(module);
}
