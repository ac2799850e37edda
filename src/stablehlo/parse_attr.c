/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: lists and dictionaries. One in progress is a level of p->attr_levels, its entries are the
 * newest of p->entries, so nesting costs no stack. An alias is the attribute that it was defined as; those
 * of locations are kept apart, since they may be used before they are defined and nothing depends on them. */
#include "stablehlo/parse_internal.h"
#include <string.h>

enum { FEW = 16 }; /* names that are compared with one another rather than hashed */

fxi_hlo_attr *fxi_mlir_new_attr(fxi_hlo_parser *p, fxi_hlo_attr_kind kind, fxi_hlo_place place) {
    fxi_hlo_attr *attr = fxi_mlir_new(p, 1, sizeof *attr);
    if (attr) *attr = (fxi_hlo_attr){.kind = kind, .place = place};
    return attr;
}

/* ---- dictionaries ---- */

static bool has_name(const void *value, const void *key) {
    return fxi_hlo_span_equal(((const fxi_hlo_entry *)value)->name, *(const fxi_hlo_span *)key);
}

static uint64_t hash_of(fxi_hlo_span text) {
    return fxi_hash_bytes(text.at, text.length, 0);
}

/* The first entry whose name an earlier one has, among many; n: none. */
static bool find_repeated(fxi_hlo_parser *p, fxi_hlo_entry *entries, size_t n, size_t *repeated) {
    fxi_map seen = {0};
    bool ok = true;
    for (*repeated = 0; *repeated < n; ++*repeated) {
        fxi_hlo_entry *entry = &entries[*repeated];
        uint64_t hash = hash_of(entry->name);
        if (fxi_map_find(&seen, hash, &entry->name, has_name)) break;
        if (!(ok = fxi_map_put(&seen, hash, entry) || fxi_mlir_no_memory(p))) break;
    }
    fxi_map_free(&seen);
    return ok;
}

static bool check_names(fxi_hlo_parser *p, fxi_hlo_entry *entries, size_t n) {
    size_t repeated = n;
    if (n > FEW) FX_TRY(find_repeated(p, entries, n, &repeated));
    for (size_t i = 1; n <= FEW && i < n && repeated == n; i++)
        for (size_t k = 0; k < i; k++)
            if (fxi_hlo_span_equal(entries[i].name, entries[k].name)) repeated = i;
    if (repeated == n) return true;
    return fxi_mlir_error_at(p, entries[repeated].value->place, "the attribute '%.*s' stands twice",
                             FXI_HLO_TEXT(entries[repeated].name));
}

bool fxi_mlir_take_dict(fxi_hlo_parser *p, size_t first, fxi_hlo_dict *dict) {
    size_t n = p->entries.count - first;
    *dict = (fxi_hlo_dict){NULL, 0};
    if (n == 0) return true;
    FX_TRY(check_names(p, FXI_FROM(p->entries, first), n));
    dict->v = fxi_mlir_keep(p, FXI_FROM(p->entries, first), n, sizeof *dict->v);
    dict->n = n;
    p->entries.count = first;
    return dict->v != NULL;
}

bool fxi_mlir_add_entry(fxi_hlo_parser *p, const char *name, const fxi_hlo_attr *value) {
    fxi_hlo_entry entry = {{name, strlen(name)}, value};
    return value && (FXI_PUSH(&p->entries, entry) || fxi_mlir_no_memory(p));
}

/* ---- levels ---- */

static bool open_level(fxi_hlo_parser *p, fxi_hlo_attr *attr, char close) {
    if (p->attr_levels.count >= FXI_HLO_MOST_NESTING)
        return fxi_mlir_error(p, "attributes nest more than %d deep", FXI_HLO_MOST_NESTING);
    fxi_hlo_attr_level level = {.attr = attr, .first = p->entries.count, .close = close};
    return FXI_PUSH(&p->attr_levels, level) || fxi_mlir_no_memory(p);
}

/* A whole attribute in *value, or a new level and NULL. */
static bool begin_value(fxi_hlo_parser *p, fxi_hlo_attr **value) {
    char first = fxi_mlir_peek(p);
    bool open = first == '[' || first == '{' || first == '<'; /* the last: a dialect's, its name left out */
    char close = first == '[' ? ']' : first == '{' ? '}' : '>';
    if (open) {
        fxi_hlo_attr_kind kind = first == '[' ? FXI_HLO_ATTR_LIST : FXI_HLO_ATTR_DICT;
        *value = fxi_mlir_new_attr(p, kind, fxi_mlir_here(p));
        p->at++;
    } else {
        *value = fxi_mlir_read_leaf(p, &open);
    }
    if (!*value || !open) return *value != NULL;
    fxi_hlo_attr *attr = *value;
    *value = NULL;
    return open_level(p, attr, close);
}

static bool close_level(fxi_hlo_parser *p, fxi_hlo_attr **value) {
    fxi_hlo_attr_level level = p->attr_levels.data[--p->attr_levels.count];
    *value = level.attr;
    if (level.attr->kind == FXI_HLO_ATTR_DICT)
        return fxi_mlir_take_dict(p, level.first, &level.attr->u.dict);
    size_t n = p->entries.count - level.first;
    const fxi_hlo_attr **items = fxi_mlir_new(p, n, sizeof *items);
    if (!items) return false;
    for (size_t i = 0; i < n; i++) items[i] = p->entries.data[level.first + i].value;
    level.attr->u.list.v = items;
    level.attr->u.list.n = n;
    p->entries.count = level.first;
    return true;
}

/* `name =` or, for a unit attribute, the name alone, which is a whole entry. */
static bool read_key(fxi_hlo_parser *p, bool *whole) {
    fxi_hlo_place place = fxi_mlir_here(p);
    fxi_hlo_span name;
    if (*p->at == '"')
        FX_TRY(fxi_mlir_read_string(p, &name));
    else
        FX_TRY(fxi_mlir_read_word(p, "the name of an attribute", &name));
    p->attr_levels.data[p->attr_levels.count - 1].name = name;
    *whole = !fxi_mlir_eat(p, "=");
    if (!*whole) return true;
    fxi_hlo_entry entry = {name, fxi_mlir_new_attr(p, FXI_HLO_ATTR_UNIT, place)};
    return entry.value && (FXI_PUSH(&p->entries, entry) || fxi_mlir_no_memory(p));
}

/* After an entry or an opening bracket: whether something ends here, the level (then *value is its
 * attribute) or an entry without a value; else the next value is to be read. */
static bool ends_here(fxi_hlo_parser *p, bool *ends, fxi_hlo_attr **value) {
    const fxi_hlo_attr_level *level = &p->attr_levels.data[p->attr_levels.count - 1];
    const char close[] = {level->close, 0};
    bool comma = p->entries.count > level->first && fxi_mlir_eat(p, ",");
    *value = NULL;
    *ends = (!comma || level->close == '>') && fxi_mlir_eat(p, close); /* <a = 1,> may end so */
    if (*ends) return close_level(p, value);
    if (p->entries.count > level->first && !comma)
        return fxi_mlir_expected(p, level->close == ']'   ? "',' or ']'"
                                    : level->close == '}' ? "',' or '}'"
                                                          : "',' or '>'");
    return level->attr->kind == FXI_HLO_ATTR_LIST || read_key(p, ends);
}

const fxi_hlo_attr *fxi_mlir_read_attr(fxi_hlo_parser *p) {
    size_t floor = p->attr_levels.count;
    for (;;) {
        fxi_hlo_attr *value;
        if (!begin_value(p, &value)) return NULL;
        for (bool ends = true; ends;) {
            if (value && p->attr_levels.count == floor) return value;
            if (value) {
                fxi_hlo_entry entry = {p->attr_levels.data[p->attr_levels.count - 1].name, value};
                if (!FXI_PUSH(&p->entries, entry)) return fxi_mlir_no_memory(p), NULL;
            }
            if (!ends_here(p, &ends, &value)) return NULL;
        }
    }
}

bool fxi_mlir_read_attr_dict(fxi_hlo_parser *p) {
    if (fxi_mlir_peek(p) != '{') return true;
    const fxi_hlo_attr *attr = fxi_mlir_read_attr(p);
    if (!attr) return false;
    for (size_t i = 0; i < attr->u.dict.n; i++)
        if (!FXI_PUSH(&p->entries, attr->u.dict.v[i])) return fxi_mlir_no_memory(p);
    return true;
}

/* ---- aliases ---- */

static bool define_location(fxi_hlo_parser *p, fxi_hlo_span name, fxi_hlo_place place) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_OPAQUE, place);
    if (!attr) return false;
    if (fxi_map_find(&p->module->locations_by_name, hash_of(name), &name, has_name))
        return fxi_mlir_error_at(p, place, "#%.*s is defined twice", FXI_HLO_TEXT(name));
    fxi_hlo_entry entry = {name, attr}, *kept = fxi_mlir_keep(p, &entry, 1, sizeof entry);
    return kept && fxi_mlir_skip_location(p, &attr->text) &&
           (fxi_map_put(&p->module->locations_by_name, hash_of(name), kept) || fxi_mlir_no_memory(p));
}

bool fxi_mlir_define_attr(fxi_hlo_parser *p) {
    fxi_hlo_place place = fxi_mlir_here(p);
    fxi_hlo_span name;
    FX_TRY(fxi_mlir_expect(p, "#") && fxi_mlir_read_word(p, "the name of an alias", &name));
    FX_TRY(fxi_mlir_expect(p, "="));
    if (fxi_mlir_next_is_word(p, "loc")) return define_location(p, name, place);
    const fxi_hlo_attr *attr = fxi_mlir_read_attr(p);
    if (!attr) return false;
    if (fxi_map_find(&p->attr_aliases, hash_of(name), &name, has_name))
        return fxi_mlir_error_at(p, place, "#%.*s is defined twice", FXI_HLO_TEXT(name));
    fxi_hlo_entry entry = {name, attr}, *kept = fxi_mlir_keep(p, &entry, 1, sizeof entry);
    return kept && (fxi_map_put(&p->attr_aliases, hash_of(name), kept) || fxi_mlir_no_memory(p));
}

const fxi_hlo_attr *fxi_mlir_find_alias(const fxi_hlo_parser *p, fxi_hlo_span name) {
    const fxi_hlo_entry *entry = fxi_map_find(&p->attr_aliases, hash_of(name), &name, has_name);
    return entry ? entry->value : NULL;
}
