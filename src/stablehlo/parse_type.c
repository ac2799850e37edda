/* SPDX-License-Identifier: Apache-2.0 */
/* Types. A tuple or function type in progress is a level of p->type_levels, its parts are the newest of
 * p->type_items, so nesting costs no stack. Types whose text holds no blank are kept by their text: most
 * types of a program are written many times, and are then one pointer. */
#include "stablehlo/parse_internal.h"
#include <string.h>

typedef struct keyed_type {
    fxi_hlo_span key;
    const fxi_hlo_type *type;
} keyed_type;

static bool has_key(const void *value, const void *key) {
    return fxi_hlo_span_equal(((const keyed_type *)value)->key, *(const fxi_hlo_span *)key);
}

static const fxi_hlo_type *find_type(const fxi_map *map, fxi_hlo_span key, uint64_t hash) {
    const keyed_type *found = fxi_map_find(map, hash, &key, has_key);
    return found ? found->type : NULL;
}

static bool keep_type(fxi_hlo_parser *p, fxi_map *map, fxi_hlo_span key, uint64_t hash,
                      const fxi_hlo_type *type) {
    keyed_type *kept = fxi_mlir_new(p, 1, sizeof *kept);
    if (!kept) return false;
    *kept = (keyed_type){key, type};
    return fxi_map_put(map, hash, kept) || fxi_mlir_no_memory(p);
}

static bool is_equal(const void *value, const void *key) {
    return fxi_hlo_type_equal(value, key);
}

/* The type that stands for all equal ones; for FXI_HLO_OTHER those are of one text. */
const fxi_hlo_type *fxi_mlir_unique_type(fxi_hlo_parser *p, const fxi_hlo_type *type) {
    uint64_t hash = fxi_hash_u64((uint64_t)type->kind * 2 + type->dynamic, 0);
    if (type->kind == FXI_HLO_OTHER) hash = fxi_hash_bytes(type->text.at, type->text.length, hash);
    hash = fxi_hash_bytes(&type->shape, sizeof type->shape, hash);
    hash = fxi_hash_bytes(type->parts, type->n_parts * sizeof *type->parts, hash);
    hash = fxi_hash_bytes(type->results, type->n_results * sizeof *type->results, hash);
    const fxi_hlo_type *found = fxi_map_find(&p->unique, hash, type, is_equal);
    if (found) return found;
    fxi_hlo_type *kept = fxi_mlir_keep(p, type, 1, sizeof *type);
    if (!kept) return NULL;
    return fxi_map_put(&p->unique, hash, kept) ? kept : (fxi_mlir_no_memory(p), NULL);
}

static const fxi_hlo_type *new_type(fxi_hlo_parser *p, fxi_hlo_type_kind kind, const char *begin) {
    const fxi_hlo_type type = {.kind = kind, .text = {begin, (size_t)(p->at - begin)}};
    return fxi_mlir_unique_type(p, &type);
}

const fxi_hlo_type *fxi_mlir_scalar_type(fxi_hlo_parser *p, fx_dtype dtype) {
    const char *name = fxi_dtype_info_of(dtype)->hlo;
    const fxi_hlo_type type = {
        .kind = FXI_HLO_SCALAR, .text = {name, strlen(name)}, .shape = fxi_shape_scalar(dtype)};
    return fxi_mlir_unique_type(p, &type);
}

/* ---- elements ---- */

static fx_dtype dtype_of(fxi_hlo_span word) {
    for (int dtype = 1; dtype < FX_DTYPE_LIMIT; dtype++) {
        const char *name = fxi_dtype_info_of((fx_dtype)dtype)->hlo;
        if (name && fxi_hlo_span_is(word, name)) return (fx_dtype)dtype;
    }
    return fxi_hlo_span_is(word, "index") ? FX_S64 : FX_INVALID_DTYPE;
}

/* Whether MLIR knows such a type although we have none: i7, si32, f8E3M4, tf32. */
static bool is_foreign_element(fxi_hlo_span word) {
    const char *at = word.at, *end = at + word.length;
    if (fxi_hlo_span_is(word, "none")) return true;
    if (at < end && (*at == 's' || *at == 'u')) at++;
    if (end - word.at > 3 && memcmp(word.at, "tf32", 4) == 0) return word.length == 4;
    if (end - at < 2 || (*at != 'i' && *at != 'f')) return false;
    bool is_float = *at == 'f';
    for (at++; at < end; at++)
        if ((*at < '0' || *at > '9') && !(is_float && *at >= 'A' && *at <= 'Z')) return false;
    return true;
}

/* A word, complex<...>, or a type of a dialect. FX_INVALID_DTYPE in *dtype: one that we do not have. */
static bool read_element(fxi_hlo_parser *p, fx_dtype *dtype) {
    fxi_hlo_span text;
    *dtype = FX_INVALID_DTYPE;
    if (fxi_mlir_peek(p) == '!') {
        p->at++;
        fxi_mlir_word(p);
        return *p->at != '<' || fxi_mlir_skip_balanced(p, &text);
    }
    const char *begin = p->at;
    fxi_hlo_span word = fxi_mlir_word(p);
    if (word.length == 0) return fxi_mlir_expected(p, "a type");
    bool is_complex = fxi_hlo_span_is(word, "complex");
    if (is_complex || fxi_hlo_span_is(word, "vector")) {
        if (fxi_mlir_peek(p) != '<') return fxi_mlir_expected(p, "'<'");
        FX_TRY(fxi_mlir_skip_balanced(p, &text));
        if (is_complex && fxi_hlo_span_is(text, "<f32>")) *dtype = FX_C64;
        if (is_complex && fxi_hlo_span_is(text, "<f64>")) *dtype = FX_C128;
        return true;
    }
    *dtype = dtype_of(word);
    if (*dtype != FX_INVALID_DTYPE || is_foreign_element(word)) return true;
    p->at = begin;
    return fxi_mlir_error(p, "unknown type '%.*s'", FXI_HLO_TEXT(word));
}

/* ---- tensors ---- */

/* One `N x` or `? x`; *more is false when an element type stands here instead. */
static bool read_dimension(fxi_hlo_parser *p, fxi_hlo_type *type, bool *more) {
    char c = fxi_mlir_peek(p);
    int64_t dim = 0;
    *more = c == '?' || (c >= '0' && c <= '9');
    if (!*more) return true;
    const char *begin = p->at;
    if (c == '?') p->at++;
    for (; c != '?' && *p->at >= '0' && *p->at <= '9'; p->at++)
        if (!fxi_size_mul(dim, 10, &dim) || !fxi_size_add(dim, *p->at - '0', &dim)) {
            p->at = begin;
            return fxi_mlir_error(p, "a dimension beyond 64 bits");
        }
    if (type->shape.rank == FX_MAX_RANK) {
        p->at = begin;
        return fxi_mlir_error(p, "more than %d dimensions", FX_MAX_RANK);
    }
    type->shape.dims[type->shape.rank++] = dim;
    type->dynamic |= c == '?';
    return fxi_mlir_expect(p, "x");
}

/* After `tensor`. */
static bool read_tensor_parts(fxi_hlo_parser *p, fxi_hlo_type *type) {
    FX_TRY(fxi_mlir_expect(p, "<"));
    bool more = true, unranked = fxi_mlir_eat(p, "*");
    if (unranked) FX_TRY(fxi_mlir_expect(p, "x"));
    while (more && !unranked) FX_TRY(read_dimension(p, type, &more));
    FX_TRY(read_element(p, &type->shape.dtype));
    if (unranked || type->shape.dtype == FX_INVALID_DTYPE) type->kind = FXI_HLO_OTHER;
    if (fxi_mlir_eat(p, ",")) { /* an encoding: bounds of dynamic dimensions, a sparse layout */
        fxi_hlo_span text;
        FX_TRY(fxi_mlir_skip_attr_value(p, &text));
        if (!type->dynamic && (text.length < 10 || memcmp(text.at, "#stablehlo", 10) != 0))
            type->kind = FXI_HLO_OTHER;
    }
    return fxi_mlir_expect(p, ">");
}

static const fxi_hlo_type *read_tensor(fxi_hlo_parser *p, const char *begin) {
    fxi_hlo_type type = {.kind = FXI_HLO_TENSOR};
    fxi_hlo_place place = fxi_mlir_place_of(p, begin);
    if (!read_tensor_parts(p, &type)) return NULL;
    type.text = (fxi_hlo_span){begin, (size_t)(p->at - begin)};
    if (type.kind == FXI_HLO_TENSOR && fx_shape_bytes(&type.shape) < 0) {
        fxi_mlir_error_at(p, place, "the size of the tensor does not fit into 63 bits");
        return NULL;
    }
    return fxi_mlir_unique_type(p, &type);
}

/* ---- types that hold no others ---- */

static const fxi_hlo_type *read_alias_or_dialect(fxi_hlo_parser *p, const char *begin) {
    p->at++;
    fxi_hlo_span name = fxi_mlir_word(p), text;
    if (name.length == 0) {
        fxi_mlir_expected(p, "the name of a type");
        return NULL;
    }
    if (*p->at == '<') return fxi_mlir_skip_balanced(p, &text) ? new_type(p, FXI_HLO_OTHER, begin) : NULL;
    if (fxi_hlo_span_is(name, "stablehlo.token") || fxi_hlo_span_is(name, "mhlo.token"))
        return new_type(p, FXI_HLO_TOKEN, begin);
    if (memchr(name.at, '.', name.length)) return new_type(p, FXI_HLO_OTHER, begin);
    const fxi_hlo_type *type = find_type(&p->type_aliases, name, fxi_hash_bytes(name.at, name.length, 0));
    if (type) return type;
    p->at = begin;
    fxi_mlir_error(p, "!%.*s is not defined", FXI_HLO_TEXT(name));
    return NULL;
}

static const fxi_hlo_type *read_scalar(fxi_hlo_parser *p, const char *begin) {
    fxi_hlo_type type = {.kind = FXI_HLO_SCALAR};
    fx_dtype dtype;
    if (!read_element(p, &dtype)) return NULL;
    type.text = (fxi_hlo_span){begin, (size_t)(p->at - begin)};
    if (dtype == FX_INVALID_DTYPE)
        type.kind = fxi_hlo_span_is(type.text, "none") ? FXI_HLO_NONE : FXI_HLO_OTHER;
    else
        type.shape = fxi_shape_scalar(dtype);
    return fxi_mlir_unique_type(p, &type);
}

static const fxi_hlo_type *read_leaf(fxi_hlo_parser *p) {
    char first = fxi_mlir_peek(p);
    const char *begin = p->at;
    fxi_hlo_span text;
    if (first == '!') return read_alias_or_dialect(p, begin);
    if (fxi_mlir_eat_word(p, "tensor")) return read_tensor(p, begin);
    if (fxi_mlir_eat_word(p, "memref"))
        return fxi_mlir_skip_balanced(p, &text) ? new_type(p, FXI_HLO_OTHER, begin) : NULL;
    return read_scalar(p, begin);
}

/* tensor<...> without blanks and nothing but dimensions and elements: the text; empty: something else. */
static fxi_hlo_span simple_text(const char *at) {
    const char *begin = at;
    if (strncmp(at, "tensor<", 7) != 0) return (fxi_hlo_span){begin, 0};
    for (at += 7; fxi_mlir_is_word_byte(*at) || *at == '?';) at++;
    if (*at == '<' && at - begin > 7 && strncmp(at - 7, "complex", 7) == 0) {
        for (at++; fxi_mlir_is_word_byte(*at);) at++;
        if (*at == '>') at++;
    }
    return (fxi_hlo_span){begin, *at == '>' ? (size_t)(at + 1 - begin) : 0};
}

static const fxi_hlo_type *read_leaf_once(fxi_hlo_parser *p) {
    fxi_mlir_peek(p);
    fxi_hlo_span text = simple_text(p->at);
    if (text.length == 0) return read_leaf(p);
    uint64_t hash = fxi_hash_bytes(text.at, text.length, 0);
    const fxi_hlo_type *type = find_type(&p->types, text, hash);
    if (type) {
        p->at += text.length;
        return type;
    }
    type = read_leaf(p);
    return type && keep_type(p, &p->types, text, hash, type) ? type : NULL;
}

/* ---- tuples and functions ---- */

static bool open_level(fxi_hlo_parser *p, fxi_hlo_type_level level) {
    if (p->type_levels.count >= FXI_HLO_MOST_NESTING)
        return fxi_mlir_error(p, "types nest more than %d deep", FXI_HLO_MOST_NESTING);
    level.first = p->type_items.count;
    return FXI_PUSH(&p->type_levels, level) || fxi_mlir_no_memory(p);
}

/* Whether a tuple or a function type begins here: then its level is open. */
static bool open_if_nested(fxi_hlo_parser *p, bool *opened) {
    fxi_hlo_type_level level = {.kind = FXI_HLO_LEVEL_INPUTS};
    fxi_mlir_peek(p);
    level.begin = p->at;
    *opened = true;
    if (fxi_mlir_eat(p, "(")) return open_level(p, level);
    level.kind = FXI_HLO_LEVEL_TUPLE;
    if (fxi_mlir_eat_word(p, "tuple")) return fxi_mlir_expect(p, "<") && open_level(p, level);
    *opened = false;
    return true;
}

/* The parts of the newest level as an array that stays. */
static bool take_items(fxi_hlo_parser *p, const fxi_hlo_type *const **items, size_t *n) {
    size_t first = p->type_levels.data[p->type_levels.count - 1].first;
    *n = p->type_items.count - first;
    *items = fxi_mlir_keep(p, FXI_FROM(p->type_items, first), *n, sizeof **items);
    p->type_items.count = first;
    return *items != NULL;
}

/* The inputs are complete: what follows the arrow. */
static bool begin_results(fxi_hlo_parser *p) {
    const fxi_hlo_type *const *inputs;
    size_t n;
    FX_TRY(take_items(p, &inputs, &n) && fxi_mlir_expect(p, "->"));
    fxi_hlo_type_level *level = &p->type_levels.data[p->type_levels.count - 1];
    level->inputs = inputs;
    level->n_inputs = n;
    level->kind = fxi_mlir_eat(p, "(") ? FXI_HLO_LEVEL_RESULTS : FXI_HLO_LEVEL_RESULT;
    return true;
}

static const fxi_hlo_type *close_level(fxi_hlo_parser *p) {
    const fxi_hlo_type *const *items;
    size_t n;
    if (!take_items(p, &items, &n)) return NULL;
    fxi_hlo_type_level level = p->type_levels.data[--p->type_levels.count];
    fxi_hlo_type type = {.kind = FXI_HLO_TUPLE, .parts = items, .n_parts = n};
    if (level.kind != FXI_HLO_LEVEL_TUPLE)
        type = (fxi_hlo_type){.kind = FXI_HLO_FUNCTION,
                              .parts = level.inputs,
                              .n_parts = level.n_inputs,
                              .results = items,
                              .n_results = n};
    type.text = (fxi_hlo_span){level.begin, (size_t)(p->at - level.begin)};
    return fxi_mlir_unique_type(p, &type);
}

/* After a part or an opening bracket: whether the newest level ends here; then its type is in *type, or,
 * with NULL there, the results of a function type begin. */
static bool ends_here(fxi_hlo_parser *p, bool *ends, const fxi_hlo_type **type) {
    const fxi_hlo_type_level *level = &p->type_levels.data[p->type_levels.count - 1];
    bool empty = p->type_items.count == level->first, single = level->kind == FXI_HLO_LEVEL_RESULT;
    const char *close = level->kind == FXI_HLO_LEVEL_TUPLE ? ">" : ")";
    *type = NULL;
    *ends = single ? !empty : fxi_mlir_eat(p, close);
    if (!*ends) return empty || fxi_mlir_eat(p, ",") || fxi_mlir_expected(p, "',' or the end of the list");
    if (level->kind == FXI_HLO_LEVEL_INPUTS) return begin_results(p);
    *type = close_level(p);
    return *type != NULL;
}

const fxi_hlo_type *fxi_mlir_read_type(fxi_hlo_parser *p) {
    size_t floor = p->type_levels.count;
    for (;;) {
        bool opened;
        const fxi_hlo_type *type = NULL;
        if (!open_if_nested(p, &opened)) return NULL;
        if (!opened && !(type = read_leaf_once(p))) return NULL;
        for (bool ends = true; ends;) {
            if (type && p->type_levels.count == floor) return type;
            if (type && !FXI_PUSH(&p->type_items, type)) return fxi_mlir_no_memory(p), NULL;
            if (!ends_here(p, &ends, &type)) return NULL;
        }
    }
}

bool fxi_mlir_define_type(fxi_hlo_parser *p) {
    fxi_hlo_place place = fxi_mlir_here(p);
    FX_TRY(fxi_mlir_expect(p, "!"));
    fxi_hlo_span name;
    FX_TRY(fxi_mlir_read_word(p, "the name of a type", &name) && fxi_mlir_expect(p, "="));
    const fxi_hlo_type *type = fxi_mlir_read_type(p);
    if (!type) return false;
    uint64_t hash = fxi_hash_bytes(name.at, name.length, 0);
    if (find_type(&p->type_aliases, name, hash))
        return fxi_mlir_error_at(p, place, "!%.*s is defined twice", FXI_HLO_TEXT(name));
    return keep_type(p, &p->type_aliases, name, hash, type);
}
