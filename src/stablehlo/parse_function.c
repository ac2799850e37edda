/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, in both forms:
 *     func.func private @f(%a: T {attributes}, %b: U) -> (V {attributes}) attributes {...} {...}
 *     "func.func"() <{sym_name = "f", function_type = (T, U) -> V, ...}> ({ ^bb0(%a: T, %b: U): ... }) :
 * () -> () */
#include "stablehlo/parse_internal.h"
#include <string.h>

static bool has_name(const void *value, const void *key) {
    return fxi_hlo_span_equal(((const fxi_hlo_function *)value)->name, *(const fxi_hlo_span *)key);
}

bool fxi_mlir_add_function(fxi_hlo_parser *p, fxi_hlo_function *function) {
    uint64_t hash = fxi_hash_bytes(function->name.at, function->name.length, 0);
    fxi_map *by_name = &p->module->functions_by_name;
    if (fxi_map_find(by_name, hash, &function->name, has_name))
        return fxi_mlir_error_at(p, function->place, "@%.*s is defined twice", FXI_HLO_TEXT(function->name));
    function->number = p->functions.count;
    return (fxi_map_put(by_name, hash, function) && FXI_PUSH(&p->functions, function)) ||
           fxi_mlir_no_memory(p);
}

/* What is given back at the end of the body must be what the signature says. */
static bool check_return(fxi_hlo_parser *p, const fxi_hlo_function *function) {
    const fxi_hlo_op *last = function->body->ops[function->body->n_ops - 1];
    if (last->n_operands != function->n_results)
        return fxi_mlir_error_at(p, last->place, "%zu values are returned, but @%.*s has %zu results",
                                 last->n_operands, FXI_HLO_TEXT(function->name), function->n_results);
    for (size_t i = 0; i < function->n_results; i++)
        if (!fxi_hlo_type_equal(last->operands[i]->type, function->results[i]))
            return fxi_mlir_error_at(
                p, last->place, "value %zu is of type %.*s, but the result of type %.*s", i,
                FXI_HLO_TEXT(last->operands[i]->type->text), FXI_HLO_TEXT(function->results[i]->text));
    return true;
}

/* ---- pretty ---- */

/* {attributes} of an argument or result: a dictionary, maybe empty, in *dict. */
static bool read_dict(fxi_hlo_parser *p, fxi_hlo_dict *dict) {
    size_t first = p->entries.count;
    return fxi_mlir_read_attr_dict(p) && fxi_mlir_take_dict(p, first, dict);
}

/* Dictionaries wait as attributes on p->entries, one per argument or result. */
static bool push_dict(fxi_hlo_parser *p) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_DICT, (fxi_hlo_place){0});
    return attr && read_dict(p, &attr->u.dict) && fxi_mlir_add_entry(p, "", attr);
}

static const fxi_hlo_dict *take_dicts(fxi_hlo_parser *p, size_t first) {
    size_t n = p->entries.count - first;
    fxi_hlo_dict *dicts = fxi_mlir_new(p, n, sizeof *dicts);
    for (size_t i = 0; dicts && i < n; i++) dicts[i] = p->entries.data[first + i].value->u.dict;
    p->entries.count = first;
    return dicts;
}

/* %a: T {...} loc(...), or T {...} where there is no body. */
static bool read_argument(fxi_hlo_parser *p, bool *named) {
    fxi_hlo_named argument = {.place = fxi_mlir_here(p), .n = 1};
    *named = *p->at == '%';
    if (*named) FX_TRY(fxi_mlir_read_value_name(p, &argument.name) && fxi_mlir_expect(p, ":"));
    if (!(argument.type = fxi_mlir_read_type(p))) return false;
    FX_TRY(push_dict(p) && fxi_mlir_skip_location(p, &argument.location));
    return FXI_PUSH(&p->names, argument) || fxi_mlir_no_memory(p);
}

static bool read_arguments(fxi_hlo_parser *p, fxi_hlo_function *function, fxi_hlo_nameds *arguments,
                           bool *named) {
    size_t first = p->names.count, first_entry = p->entries.count;
    FX_TRY(fxi_mlir_expect(p, "("));
    *named = true;
    for (bool more = fxi_mlir_peek(p) != ')'; more; more = fxi_mlir_eat(p, ",")) {
        bool this_one;
        FX_TRY(read_argument(p, &this_one));
        *named &= this_one;
    }
    FX_TRY(fxi_mlir_expect(p, ")") && fxi_mlir_take_names(p, first, arguments));
    return (function->argument_attrs = take_dicts(p, first_entry)) != NULL;
}

static bool read_result(fxi_hlo_parser *p, bool with_attributes) {
    const fxi_hlo_type *type = fxi_mlir_read_type(p);
    if (!type || !FXI_PUSH(&p->type_items, type)) return type && fxi_mlir_no_memory(p);
    if (with_attributes) return push_dict(p);
    return fxi_mlir_add_entry(p, "", fxi_mlir_new_attr(p, FXI_HLO_ATTR_DICT, (fxi_hlo_place){0}));
}

/* -> T, -> (T {...}, U), or nothing. */
static bool read_results(fxi_hlo_parser *p, fxi_hlo_function *function) {
    size_t first = p->type_items.count, first_entry = p->entries.count;
    if (fxi_mlir_eat(p, "->")) {
        bool several = fxi_mlir_eat(p, "(");
        if (!several || fxi_mlir_peek(p) != ')') do
                FX_TRY(read_result(p, several));
            while (several && fxi_mlir_eat(p, ","));
        if (several) FX_TRY(fxi_mlir_expect(p, ")"));
    }
    function->n_results = p->type_items.count - first;
    function->results =
        fxi_mlir_keep(p, FXI_FROM(p->type_items, first), function->n_results, sizeof *function->results);
    p->type_items.count = first;
    function->result_attrs = take_dicts(p, first_entry);
    return function->results && function->result_attrs;
}

static bool resume_function(fxi_hlo_parser *p) {
    fxi_hlo_frame frame = fxi_mlir_pop_frame(p);
    fxi_hlo_function *function = frame.function;
    function->body = frame.region;
    function->n_values = p->next_id;
    p->regions.count = frame.first_region;
    return check_return(p, function) && fxi_mlir_skip_location(p, NULL) &&
           fxi_mlir_add_function(p, function);
}

static bool finish_declaration(fxi_hlo_parser *p, fxi_hlo_function *function, fxi_hlo_nameds arguments) {
    size_t first_binding = p->bindings.count;
    function->is_declaration = true;
    function->body = fxi_mlir_new(p, 1, sizeof *function->body);
    FX_TRY(function->body && fxi_mlir_bind_arguments(p, arguments, function->body));
    fxi_mlir_close_scope(p, first_binding);
    function->n_values = p->next_id;
    return fxi_mlir_skip_location(p, NULL) && fxi_mlir_add_function(p, function);
}

bool fxi_mlir_read_function(fxi_hlo_parser *p, fxi_hlo_place place) {
    fxi_hlo_nameds arguments;
    fxi_hlo_function *function = fxi_mlir_new(p, 1, sizeof *function);
    if (!function) return false;
    function->place = place;
    p->next_id = 0;
    function->is_private = fxi_mlir_eat_word(p, "private") || fxi_mlir_eat_word(p, "nested");
    if (!function->is_private) fxi_mlir_eat_word(p, "public");
    bool named;
    FX_TRY(fxi_mlir_read_symbol(p, &function->name) && read_arguments(p, function, &arguments, &named));
    FX_TRY(read_results(p, function));
    if (fxi_mlir_eat_word(p, "attributes")) FX_TRY(read_dict(p, &function->attrs));
    if (fxi_mlir_peek(p) != '{') return finish_declaration(p, function, arguments);
    if (!named) return fxi_mlir_error(p, "a body, but arguments without names");
    fxi_hlo_frame frame = {.function = function, .resume = resume_function};
    return fxi_mlir_push_frame(p, frame) && fxi_mlir_open_region(p, arguments);
}

/* ---- generic ---- */

/* One dictionary per argument or result from a list of them, or empty ones. */
static const fxi_hlo_dict *dicts_of(fxi_hlo_parser *p, const fxi_hlo_attr *list, size_t n) {
    fxi_hlo_dict *dicts = fxi_mlir_new(p, n, sizeof *dicts);
    if (!dicts || !list) return dicts;
    bool ok = list->kind == FXI_HLO_ATTR_LIST && list->u.list.n == n;
    for (size_t i = 0; ok && i < n; i++) {
        ok = list->u.list.v[i]->kind == FXI_HLO_ATTR_DICT;
        if (ok) dicts[i] = list->u.list.v[i]->u.dict;
    }
    if (!ok) fxi_mlir_error_at(p, list->place, "expected %zu dictionaries", n);
    return ok ? dicts : NULL;
}

static bool is_own_attr(fxi_hlo_span name) {
    static const char *const own[] = {"sym_name", "function_type", "sym_visibility", "arg_attrs",
                                      "res_attrs"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (fxi_hlo_span_is(name, own[i])) return true;
    return false;
}

static bool keep_other_attrs(fxi_hlo_parser *p, const fxi_hlo_op *op, fxi_hlo_function *function) {
    size_t first = p->entries.count;
    for (size_t i = 0; i < op->attrs.n; i++)
        if (!is_own_attr(op->attrs.v[i].name) && !FXI_PUSH(&p->entries, op->attrs.v[i]))
            return fxi_mlir_no_memory(p);
    return fxi_mlir_take_dict(p, first, &function->attrs);
}

static bool set_signature(fxi_hlo_parser *p, const fxi_hlo_op *op, fxi_hlo_function *function,
                          const fxi_hlo_type *type) {
    function->results = type->results;
    function->n_results = type->n_results;
    function->argument_attrs = dicts_of(p, fxi_hlo_find(&op->attrs, "arg_attrs"), type->n_parts);
    if (!function->argument_attrs) return false;
    function->result_attrs = dicts_of(p, fxi_hlo_find(&op->attrs, "res_attrs"), type->n_results);
    return function->result_attrs && keep_other_attrs(p, op, function);
}

/* Without a body the arguments are values all the same. */
static bool set_no_body(fxi_hlo_parser *p, fxi_hlo_function *function, const fxi_hlo_type *type) {
    fxi_hlo_named *arguments = fxi_mlir_new(p, type->n_parts, sizeof *arguments);
    if (!arguments) return false;
    for (size_t i = 0; i < type->n_parts; i++)
        arguments[i] = (fxi_hlo_named){.type = type->parts[i], .place = function->place};
    return finish_declaration(p, function, (fxi_hlo_nameds){arguments, type->n_parts});
}

static bool set_body(fxi_hlo_parser *p, const fxi_hlo_op *op, fxi_hlo_function *function,
                     const fxi_hlo_type *type) {
    function->body = op->regions[0];
    if (function->body->n_ops == 0) return set_no_body(p, function, type);
    bool ok = function->body->n_arguments == type->n_parts;
    for (size_t i = 0; ok && i < type->n_parts; i++)
        ok = fxi_hlo_type_equal(function->body->arguments[i]->type, type->parts[i]);
    if (!ok)
        return fxi_mlir_error_at(p, op->place, "the arguments of the body are not those of function_type");
    function->n_values = p->next_id;
    return check_return(p, function) && fxi_mlir_add_function(p, function);
}

bool fxi_mlir_function_of_op(fxi_hlo_parser *p, fxi_hlo_op *op) {
    const fxi_hlo_attr *name = fxi_hlo_find(&op->attrs, "sym_name");
    const fxi_hlo_attr *signature = fxi_hlo_find(&op->attrs, "function_type");
    const fxi_hlo_attr *visibility = fxi_hlo_find(&op->attrs, "sym_visibility");
    if (!name || name->kind != FXI_HLO_ATTR_STRING || name->text.length == 0 ||
        memchr(name->text.at, 0, name->text.length) || !signature || signature->kind != FXI_HLO_ATTR_TYPE ||
        signature->u.of->kind != FXI_HLO_FUNCTION || op->n_regions > 1)
        return fxi_mlir_error_at(p, op->place, "a function without sym_name or function_type");
    fxi_hlo_function *function = fxi_mlir_new(p, 1, sizeof *function);
    if (!function) return false;
    function->name = name->text;
    function->place = op->place;
    function->is_private = visibility && !fxi_hlo_span_is(visibility->text, "public");
    FX_TRY(set_signature(p, op, function, signature->u.of));
    if (op->n_regions == 1) return set_body(p, op, function, signature->u.of);
    return fxi_mlir_error_at(p, op->place, "a function without its region");
}
