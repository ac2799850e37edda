/* SPDX-License-Identifier: Apache-2.0 */
/* Names of values. A name is looked up in a hash map of those in scope; leaving a region takes its names
 * out again, newest first, so sibling regions may use one name each. Names of enclosing regions stay
 * visible (captures) and, as in MLIR, cannot be given anew. */
#include "stablehlo/parse_internal.h"
#include <string.h>

static bool is_name_byte(char c) {
    return fxi_mlir_is_word_byte(c) || c == '-';
}

bool fxi_mlir_read_value_name(fxi_hlo_parser *p, fxi_hlo_span *name) {
    if (fxi_mlir_peek(p) != '%') return fxi_mlir_expected(p, "a value, %name");
    const char *begin = p->at + 1, *at = begin;
    if (*at >= '0' && *at <= '9')
        while (*at >= '0' && *at <= '9') at++;
    else
        while (is_name_byte(*at)) at++;
    *name = (fxi_hlo_span){begin, (size_t)(at - begin)};
    if (name->length == 0) return fxi_mlir_error(p, "a value without a name");
    p->at = at;
    return true;
}

static bool has_name(const void *value, const void *key) {
    return fxi_hlo_span_equal(((const fxi_hlo_binding *)value)->name, *(const fxi_hlo_span *)key);
}

bool fxi_mlir_read_operand(fxi_hlo_parser *p) {
    fxi_hlo_span name;
    fxi_mlir_peek(p);
    const char *begin = p->at;
    FX_TRY(fxi_mlir_read_value_name(p, &name));
    const fxi_hlo_binding *found =
        fxi_map_find(&p->bindings_by_name, fxi_hash_bytes(name.at, name.length, 0), &name, has_name);
    int64_t index = 0;
    if (*p->at == '#') {
        p->at++;
        FX_TRY(fxi_mlir_read_int(p, &index));
    }
    fxi_hlo_place place = {0};
    if (!found || index < 0 || (uint64_t)index >= found->n) place = fxi_mlir_place_of(p, begin);
    if (!found) return fxi_mlir_error_at(p, place, "%%%.*s is not defined here", FXI_HLO_TEXT(name));
    if (place.line > 0)
        return fxi_mlir_error_at(p, place, "%%%.*s has %zu values", FXI_HLO_TEXT(name), found->n);
    return FXI_PUSH(&p->operands, found->values[index]) || fxi_mlir_no_memory(p);
}

bool fxi_mlir_read_operands(fxi_hlo_parser *p) {
    if (fxi_mlir_peek(p) != '%') return true;
    do FX_TRY(fxi_mlir_read_operand(p));
    while (fxi_mlir_eat(p, ","));
    return true;
}

bool fxi_mlir_take_operands(fxi_hlo_parser *p, size_t first, fxi_hlo_op *op) {
    op->n_operands = p->operands.count - first;
    op->operands = fxi_mlir_keep(p, FXI_FROM(p->operands, first), op->n_operands, sizeof *op->operands);
    p->operands.count = first;
    return op->operands != NULL;
}

/* ---- definitions ---- */

static bool bind(fxi_hlo_parser *p, const fxi_hlo_named *named, fxi_hlo_value *const *values) {
    uint64_t hash = fxi_hash_bytes(named->name.at, named->name.length, 0);
    if (fxi_map_find(&p->bindings_by_name, hash, &named->name, has_name))
        return fxi_mlir_error_at(p, named->place, "%%%.*s is defined already", FXI_HLO_TEXT(named->name));
    fxi_hlo_binding *binding = fxi_mlir_new(p, 1, sizeof *binding);
    if (!binding) return false;
    *binding = (fxi_hlo_binding){named->name, hash, values, named->n};
    if (!FXI_RESERVE(&p->bindings, p->bindings.count + 1) ||
        !fxi_map_put(&p->bindings_by_name, hash, binding))
        return fxi_mlir_no_memory(p);
    p->bindings.data[p->bindings.count++] = binding;
    return true;
}

void fxi_mlir_close_scope(fxi_hlo_parser *p, size_t first_binding) {
    while (p->bindings.count > first_binding) {
        const fxi_hlo_binding *binding = p->bindings.data[--p->bindings.count];
        fxi_map_remove(&p->bindings_by_name, binding->hash, binding);
    }
}

/* Values of these types, numbered on; their names and places come later. */
static fxi_hlo_value **new_values(fxi_hlo_parser *p, size_t n) {
    fxi_hlo_value **values = fxi_mlir_new(p, n, sizeof *values), *made = fxi_mlir_new(p, n, sizeof *made);
    if (!values || !made) return NULL;
    if (n > UINT32_MAX - p->next_id) {
        fxi_mlir_error(p, "more than 2^32 values");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = &made[i];
        made[i].id = p->next_id++;
    }
    return values;
}

bool fxi_mlir_bind_results(fxi_hlo_parser *p, fxi_hlo_nameds names, const fxi_hlo_type *const *types,
                           size_t n, fxi_hlo_op *op) {
    size_t wanted = 0, next = 0;
    for (size_t i = 0; i < names.n; i++) wanted += names.v[i].n;
    if (names.n > 0 && wanted != n)
        return fxi_mlir_error_at(p, names.v->place, "%zu results are named, but the operation has %zu",
                                 wanted, n);
    fxi_hlo_value **values = new_values(p, n);
    if (!values) return false;
    for (size_t i = 0; i < n; i++) {
        values[i]->type = types[i];
        values[i]->place = op->place;
    }
    op->results = values;
    op->n_results = n;
    for (size_t i = 0; i < names.n; i++) {
        FX_TRY(bind(p, &names.v[i], values + next));
        for (size_t k = 0; k < names.v[i].n; k++, next++) {
            values[next]->name = names.v[i].name;
            values[next]->place = names.v[i].place;
        }
    }
    return true;
}

bool fxi_mlir_bind_arguments(fxi_hlo_parser *p, fxi_hlo_nameds names, fxi_hlo_region *region) {
    fxi_hlo_value **values = new_values(p, names.n);
    if (!values) return false;
    region->arguments = values;
    region->n_arguments = names.n;
    for (size_t i = 0; i < names.n; i++) {
        const fxi_hlo_named *named = &names.v[i];
        *values[i] = (fxi_hlo_value){named->type, values[i]->id, named->name, named->location, named->place};
        if (named->name.length > 0) FX_TRY(bind(p, named, values + i)); /* made arguments have none */
    }
    return true;
}

bool fxi_mlir_read_argument(fxi_hlo_parser *p) {
    fxi_hlo_named named = {.place = fxi_mlir_here(p), .n = 1};
    FX_TRY(fxi_mlir_read_value_name(p, &named.name) && fxi_mlir_expect(p, ":"));
    if (!(named.type = fxi_mlir_read_type(p))) return false;
    FX_TRY(fxi_mlir_skip_location(p, &named.location));
    return FXI_PUSH(&p->names, named) || fxi_mlir_no_memory(p);
}

bool fxi_mlir_take_names(fxi_hlo_parser *p, size_t first, fxi_hlo_nameds *names) {
    names->n = p->names.count - first;
    names->v = fxi_mlir_keep(p, FXI_FROM(p->names, first), names->n, sizeof *names->v);
    p->names.count = first;
    return names->v != NULL;
}
