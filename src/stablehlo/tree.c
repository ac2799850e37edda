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

static bool same_pointers(const fxi_hlo_type *const *a, const fxi_hlo_type *const *b, size_t n) {
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

bool fxi_hlo_type_equal(const fxi_hlo_type *a, const fxi_hlo_type *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || a->dynamic != b->dynamic) return false;
    if (a->kind == FXI_HLO_OTHER) return fxi_hlo_span_equal(a->text, b->text);
    return memcmp(&a->shape, &b->shape, sizeof a->shape) == 0 && a->n_parts == b->n_parts &&
           a->n_results == b->n_results && same_pointers(a->parts, b->parts, a->n_parts) &&
           same_pointers(a->results, b->results, a->n_results);
}

fxi_hlo_span fxi_hlo_location_name(const fxi_hlo_module *module, fxi_hlo_span location) {
    const fxi_hlo_span none = {"", 0};
    for (int hops = 0; hops < 2; hops++) {
        if (location.length > 2 && *location.at == '"') {
            const char *end = memchr(location.at + 1, '"', location.length - 1);
            bool is_file = end && end + 1 < location.at + location.length && end[1] == ':';
            return end && !is_file ? (fxi_hlo_span){location.at + 1, (size_t)(end - location.at - 1)} : none;
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
