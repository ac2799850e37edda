/* SPDX-License-Identifier: Apache-2.0 */
/* A whole text: aliases, a module or bare functions, and what may stand around them. The loop of read_text
 * is the only one over operations, whatever is nested in what. */
#include "stablehlo/parse_internal.h"
#include <string.h>

/* ---- the module ---- */

static bool refuse_second(fxi_hlo_parser *p, fxi_hlo_place place) {
    if (p->module_is_open || p->module_is_done)
        return fxi_mlir_error_at(p, place, "a second module: a text holds one");
    if (p->functions.count + p->others.count > 0)
        return fxi_mlir_error_at(p, place, "a module after operations outside of it");
    p->module_is_open = true;
    return true;
}

bool fxi_mlir_read_module(fxi_hlo_parser *p, fxi_hlo_place place) {
    FX_TRY(refuse_second(p, place));
    if (fxi_mlir_peek(p) == '@') FX_TRY(fxi_mlir_read_symbol(p, &p->module->name));
    size_t first = p->entries.count;
    if (fxi_mlir_eat_word(p, "attributes"))
        FX_TRY(fxi_mlir_read_attr_dict(p) && fxi_mlir_take_dict(p, first, &p->module->attrs));
    return fxi_mlir_expect(p, "{");
}

/* "builtin.module"() <{...}> ({ ... }) {...} : () -> () */
bool fxi_mlir_read_generic_module(fxi_hlo_parser *p, fxi_hlo_place place) {
    size_t first = p->entries.count;
    FX_TRY(refuse_second(p, place));
    p->module_is_generic = true;
    FX_TRY(fxi_mlir_expect(p, "(") && fxi_mlir_expect(p, ")"));
    if (fxi_mlir_eat(p, "<")) FX_TRY(fxi_mlir_read_attr_dict(p) && fxi_mlir_expect(p, ">"));
    FX_TRY(fxi_mlir_take_dict(p, first, &p->module->attrs) && fxi_mlir_expect(p, "(") &&
           fxi_mlir_expect(p, "{"));
    if (fxi_mlir_peek(p) != '^') return true;
    p->at++;
    fxi_mlir_word(p);
    return fxi_mlir_expect(p, ":");
}

/* The attributes before and after the region together, without the name. */
static bool close_generic_module(fxi_hlo_parser *p) {
    size_t first = p->entries.count;
    fxi_hlo_module *module = p->module;
    for (size_t i = 0; i < module->attrs.n; i++)
        if (!FXI_PUSH(&p->entries, module->attrs.v[i])) return fxi_mlir_no_memory(p);
    FX_TRY(fxi_mlir_expect(p, ")") && fxi_mlir_read_attr_dict(p) && fxi_mlir_expect(p, ":"));
    if (!fxi_mlir_read_type(p)) return false;
    for (size_t i = p->entries.count; i-- > first;) {
        if (!fxi_hlo_span_is(p->entries.data[i].name, "sym_name")) continue;
        module->name = p->entries.data[i].value->text;
        p->entries.data[i] = p->entries.data[--p->entries.count];
    }
    return fxi_mlir_take_dict(p, first, &module->attrs);
}

static bool close_module(fxi_hlo_parser *p) {
    if (!p->module_is_open) return fxi_mlir_error(p, "a '}' without its partner");
    p->at++;
    p->module_is_open = false;
    p->module_is_done = true;
    if (p->module_is_generic) FX_TRY(close_generic_module(p));
    return fxi_mlir_skip_location(p, NULL);
}

/* ---- the text ---- */

/* {-# ... #-}: resources and other things for other readers. */
static bool skip_metadata(fxi_hlo_parser *p) {
    const char *end = strstr(p->at, "#-}");
    if (!end) return fxi_mlir_error(p, "expected '#-}'");
    p->at = end + 3;
    return true;
}

/* What stands at module level. */
static bool read_outer(fxi_hlo_parser *p, char first) {
    if (first == '#') return fxi_mlir_define_attr(p);
    if (first == '!') return fxi_mlir_define_type(p);
    if (first == '}') return close_module(p);
    if (first == '{' && strncmp(p->at, "{-#", 3) == 0) return skip_metadata(p);
    if (p->module_is_done) return fxi_mlir_error(p, "expected the end of the text after the module");
    return fxi_mlir_read_operation(p);
}

static bool read_text(fxi_hlo_parser *p) {
    for (char first; (first = fxi_mlir_peek(p)) != 0 || p->frames.count > 1;) {
        fxi_hlo_frame *frame = fxi_mlir_top(p);
        if (p->frames.count == 1)
            FX_TRY(read_outer(p, first));
        else if (first == '}')
            FX_TRY(fxi_mlir_close_region(p) && frame->resume(p));
        else if (first == '^')
            return fxi_mlir_error(p, "a second block: a region has one here");
        else
            FX_TRY(fxi_mlir_read_operation(p));
    }
    return !p->module_is_open || fxi_mlir_expected(p, "'}' of the module");
}

/* Bytes that no text has. */
static bool check_bytes(fxi_hlo_parser *p) {
    const fxi_hlo_module *module = p->module;
    const char *source = module->source, *zero = memchr(source, 0, module->source_length);
    if (module->source_length >= 4 && memcmp(source, "ML\xEFR", 4) == 0)
        return fxi_mlir_error_at(p, (fxi_hlo_place){0},
                                 "MLIR bytecode, which is not read: export the text instead");
    if (zero) return fxi_mlir_error_at(p, fxi_mlir_place_of(p, zero), "a zero byte");
    size_t valid = fxi_utf8_valid_length(source, module->source_length);
    return valid == module->source_length ||
           fxi_mlir_error_at(p, fxi_mlir_place_of(p, source + valid), "bytes that are not UTF-8");
}

/* ---- the tree ---- */

static bool finish(fxi_hlo_parser *p) {
    fxi_hlo_module *module = p->module;
    module->n_functions = p->functions.count;
    module->functions = fxi_mlir_keep(p, p->functions.data, module->n_functions, sizeof *module->functions);
    module->n_others = p->others.count;
    module->others = fxi_mlir_keep(p, p->others.data, module->n_others, sizeof *module->others);
    return module->functions && module->others;
}

static void free_parser(fxi_hlo_parser *p) {
    fxi_map_free(&p->types);
    fxi_map_free(&p->unique);
    fxi_map_free(&p->attr_aliases);
    fxi_map_free(&p->type_aliases);
    fxi_map_free(&p->bindings_by_name);
    fxi_free(p->bindings.data);
    fxi_free(p->frames.data);
    fxi_free(p->ops.data);
    fxi_free(p->regions.data);
    fxi_free(p->operands.data);
    fxi_free(p->names.data);
    fxi_free(p->entries.data);
    fxi_free(p->type_items.data);
    fxi_free(p->type_levels.data);
    fxi_free(p->attr_levels.data);
    fxi_free(p->ints.data);
    fxi_free(p->functions.data);
    fxi_free(p->others.data);
}

/* Stacks are never NULL then, and what is taken off an empty one is at a place. */
static bool begin_stacks(fxi_hlo_parser *p) {
    return (FXI_RESERVE(&p->bindings, 1) && FXI_RESERVE(&p->frames, 1) && FXI_RESERVE(&p->ops, 1) &&
            FXI_RESERVE(&p->regions, 1) && FXI_RESERVE(&p->operands, 1) && FXI_RESERVE(&p->names, 1) &&
            FXI_RESERVE(&p->entries, 1) && FXI_RESERVE(&p->type_items, 1) && FXI_RESERVE(&p->ints, 1)) ||
           fxi_mlir_no_memory(p);
}

static bool read_all(fxi_hlo_parser *p) {
    FX_TRY(begin_stacks(p));
    p->i64 = fxi_mlir_scalar_type(p, FX_S64);
    p->i32 = fxi_mlir_scalar_type(p, FX_S32);
    return p->i64 && p->i32 && check_bytes(p) && fxi_mlir_push_frame(p, (fxi_hlo_frame){0}) &&
           read_text(p) && finish(p);
}

static fxi_hlo_module *new_module(const char *text, size_t length, const char *file, fx_error *err) {
    fxi_hlo_module *module = fxi_alloc_zeroed(1, sizeof *module);
    if (!file) file = "stablehlo";
    if (module) {
        char *source = length < SIZE_MAX ? fxi_arena_alloc(&module->arena, length + 1, 1) : NULL;
        module->source = source;
        module->source_length = length;
        module->file = fxi_arena_copy(&module->arena, file, strlen(file) + 1);
        if (source && length > 0) memcpy(source, text, length);
        if (source && module->file) return module;
    }
    fxi_hlo_free(module);
    fxi_fail_memory(err, file);
    return NULL;
}

fxi_hlo_module *fxi_hlo_parse(const char *text, size_t length, const char *file, fx_error *err) {
    if (!text && length > 0) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "fx_module_parse: NULL for the text");
        return NULL;
    }
    fxi_hlo_parser p = {.module = new_module(text, length, file, err), .err = err, .line = 1};
    if (!p.module) return NULL;
    p.at = p.counted = p.line_begin = p.module->source;
    bool ok = read_all(&p);
    free_parser(&p);
    if (ok) return p.module;
    fxi_hlo_free(p.module);
    return NULL;
}
