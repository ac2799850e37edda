/* SPDX-License-Identifier: Apache-2.0 */
/* Operations: results, name, and the generic form that each has,
 *     %0:2 = "name"(%a, %b) <{properties}> ({regions}) {attributes} : (T, T) -> (T, T) loc(...)
 * An operation with regions stays as a frame of p->frames while a region is read; what follows a region is
 * read by the frame's `resume`. So the reader of operations is one loop, whatever the nesting. */
#include "stablehlo/parse_internal.h"
#include <string.h>

/* ---- frames and regions ---- */

bool fxi_mlir_push_frame(fxi_hlo_parser *p, fxi_hlo_frame frame) {
    if (p->frames.count > FXI_HLO_MOST_NESTING)
        return fxi_mlir_error(p, "regions nest more than %d deep", FXI_HLO_MOST_NESTING);
    frame.first_region = p->regions.count;
    return FXI_PUSH(&p->frames, frame) || fxi_mlir_no_memory(p);
}

fxi_hlo_frame fxi_mlir_pop_frame(fxi_hlo_parser *p) {
    return p->frames.data[--p->frames.count];
}

/* ^bb0(%a: T, %b: T): */
static bool read_label(fxi_hlo_parser *p, fxi_hlo_nameds *arguments) {
    size_t first = p->names.count;
    p->at++;
    if (fxi_mlir_word(p).length == 0) return fxi_mlir_expected(p, "the name of a block");
    if (fxi_mlir_eat(p, "(")) {
        for (bool more = fxi_mlir_peek(p) != ')'; more; more = fxi_mlir_eat(p, ","))
            FX_TRY(fxi_mlir_read_argument(p));
        FX_TRY(fxi_mlir_expect(p, ")"));
    }
    return fxi_mlir_expect(p, ":") && fxi_mlir_take_names(p, first, arguments);
}

bool fxi_mlir_open_region(fxi_hlo_parser *p, fxi_hlo_nameds arguments) {
    FX_TRY(fxi_mlir_expect(p, "{"));
    fxi_hlo_frame *frame = fxi_mlir_top(p);
    frame->region = fxi_mlir_new(p, 1, sizeof *frame->region);
    frame->first_op = p->ops.count;
    frame->first_binding = p->bindings.count;
    if (!frame->region) return false;
    if (fxi_mlir_peek(p) == '^') {
        if (arguments.n > 0) return fxi_mlir_error(p, "the region has its arguments already");
        FX_TRY(read_label(p, &arguments));
    }
    return fxi_mlir_bind_arguments(p, arguments, frame->region);
}

static bool is_return(const fxi_hlo_op *op) {
    fxi_hlo_span name = op->name;
    return name.length > 7 && memcmp(name.at + name.length - 7, ".return", 7) == 0;
}

bool fxi_mlir_close_region(fxi_hlo_parser *p) {
    fxi_hlo_frame *frame = fxi_mlir_top(p);
    fxi_hlo_region *region = frame->region;
    region->n_ops = p->ops.count - frame->first_op;
    region->ops = fxi_mlir_keep(p, FXI_FROM(p->ops, frame->first_op), region->n_ops, sizeof *region->ops);
    if (!region->ops) return false;
    bool declaration = region->n_ops == 0 && frame->op && fxi_hlo_span_is(frame->op->name, "func.func");
    if (!declaration && (region->n_ops == 0 || !is_return(region->ops[region->n_ops - 1])))
        return fxi_mlir_error(p, "the region ends without a return");
    p->ops.count = frame->first_op;
    fxi_mlir_close_scope(p, frame->first_binding);
    FX_TRY(fxi_mlir_expect(p, "}"));
    return FXI_PUSH(&p->regions, region) || fxi_mlir_no_memory(p);
}

bool fxi_mlir_take_regions(fxi_hlo_parser *p, size_t first, fxi_hlo_op *op) {
    op->n_regions = p->regions.count - first;
    op->regions = fxi_mlir_keep(p, FXI_FROM(p->regions, first), op->n_regions, sizeof *op->regions);
    p->regions.count = first;
    return op->regions != NULL;
}

/* ---- what all operations share ---- */

bool fxi_mlir_take_attrs(fxi_hlo_parser *p, size_t first, fxi_hlo_op *op) {
    for (size_t i = 0; i < op->attrs.n; i++)
        if (!FXI_PUSH(&p->entries, op->attrs.v[i])) return fxi_mlir_no_memory(p);
    return fxi_mlir_take_dict(p, first, &op->attrs);
}

bool fxi_mlir_check_operands(fxi_hlo_parser *p, const fxi_hlo_op *op, const fxi_hlo_type *const *types,
                             size_t n, fxi_hlo_place place) {
    if (n != op->n_operands)
        return fxi_mlir_error_at(p, place, "%zu types for %zu operands", n, op->n_operands);
    for (size_t i = 0; i < n; i++)
        if (!fxi_hlo_type_equal(op->operands[i]->type, types[i]))
            return fxi_mlir_error_at(p, place, "operand %zu is of type %.*s, not %.*s", i,
                                     FXI_HLO_TEXT(op->operands[i]->type->text), FXI_HLO_TEXT(types[i]->text));
    return true;
}

bool fxi_mlir_read_signature(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    FX_TRY(fxi_mlir_expect(p, ":"));
    fxi_hlo_place place = fxi_mlir_here(p);
    const fxi_hlo_type *type = fxi_mlir_read_type(p);
    if (!type) return false;
    if (type->kind != FXI_HLO_FUNCTION) return fxi_mlir_error_at(p, place, "expected a function type");
    return fxi_mlir_check_operands(p, op, type->parts, type->n_parts, place) &&
           fxi_mlir_bind_results(p, names, type->results, type->n_results, op);
}

static bool join_module(fxi_hlo_parser *p, fxi_hlo_op *op) {
    if (fxi_hlo_span_is(op->name, "func.func")) return fxi_mlir_function_of_op(p, op);
    if (op->n_results > 0) return fxi_mlir_error_at(p, op->place, "a value outside of functions");
    return FXI_PUSH(&p->others, op) || fxi_mlir_no_memory(p);
}

bool fxi_mlir_finish_operation(fxi_hlo_parser *p, fxi_hlo_op *op) {
    FX_TRY(fxi_mlir_skip_location(p, &op->location));
    const fxi_hlo_frame *frame = fxi_mlir_top(p);
    if (!frame->region) return join_module(p, op);
    if (p->ops.count > frame->first_op && is_return(p->ops.data[p->ops.count - 1]))
        return fxi_mlir_error_at(p, op->place, "an operation after the return");
    return FXI_PUSH(&p->ops, op) || fxi_mlir_no_memory(p);
}

/* ---- the generic form ---- */

static bool finish_generic(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    size_t first = p->entries.count;
    return fxi_mlir_read_attr_dict(p) && fxi_mlir_take_attrs(p, first, op) &&
           fxi_mlir_read_signature(p, op, names) && fxi_mlir_finish_operation(p, op);
}

static bool resume_generic(fxi_hlo_parser *p) {
    if (fxi_mlir_eat(p, ",")) return fxi_mlir_open_region(p, (fxi_hlo_nameds){0});
    FX_TRY(fxi_mlir_expect(p, ")"));
    fxi_hlo_frame frame = fxi_mlir_pop_frame(p);
    return fxi_mlir_take_regions(p, frame.first_region, frame.op) && finish_generic(p, frame.op, frame.names);
}

/* After the name. */
static bool read_generic(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    size_t first = p->operands.count, first_entry = p->entries.count;
    FX_TRY(fxi_mlir_expect(p, "(") && fxi_mlir_read_operands(p) && fxi_mlir_expect(p, ")"));
    FX_TRY(fxi_mlir_take_operands(p, first, op));
    if (fxi_mlir_peek(p) == '[') return fxi_mlir_error(p, "successors: a region has one block here");
    if (fxi_mlir_eat(p, "<"))
        FX_TRY(fxi_mlir_read_attr_dict(p) && fxi_mlir_take_attrs(p, first_entry, op) &&
               fxi_mlir_expect(p, ">"));
    if (!fxi_mlir_eat(p, "(")) return finish_generic(p, op, names);
    fxi_hlo_frame frame = {.op = op, .names = names, .resume = resume_generic};
    return fxi_mlir_push_frame(p, frame) && fxi_mlir_open_region(p, (fxi_hlo_nameds){0});
}

/* ---- results and names ---- */

static bool read_result_name(fxi_hlo_parser *p) {
    fxi_hlo_named named = {.place = fxi_mlir_here(p), .n = 1};
    FX_TRY(fxi_mlir_read_value_name(p, &named.name));
    if (fxi_mlir_eat(p, ":")) {
        int64_t n;
        FX_TRY(fxi_mlir_read_int(p, &n));
        if (n < 1 || (uint64_t)n > p->module->source_length)
            return fxi_mlir_error_at(p, named.place, "%%%.*s has %lld values", FXI_HLO_TEXT(named.name),
                                     (long long)n);
        named.n = (size_t)n;
    }
    return FXI_PUSH(&p->names, named) || fxi_mlir_no_memory(p);
}

static bool read_result_names(fxi_hlo_parser *p, fxi_hlo_nameds *names) {
    size_t first = p->names.count;
    *names = (fxi_hlo_nameds){0};
    if (fxi_mlir_peek(p) != '%') return true;
    do FX_TRY(read_result_name(p));
    while (fxi_mlir_eat(p, ","));
    return fxi_mlir_expect(p, "=") && fxi_mlir_take_names(p, first, names);
}

static bool is_outer(fxi_hlo_span name) {
    return fxi_hlo_span_is(name, "module") || fxi_hlo_span_is(name, "builtin.module") ||
           fxi_hlo_span_is(name, "func.func");
}

/* A module or a function: only where such things stand. */
static bool read_outer(fxi_hlo_parser *p, fxi_hlo_span name, fxi_hlo_place place) {
    if (fxi_mlir_top(p)->region) return fxi_mlir_error_at(p, place, "%.*s in a function", FXI_HLO_TEXT(name));
    return fxi_hlo_span_is(name, "func.func") ? fxi_mlir_read_function(p, place)
                                              : fxi_mlir_read_module(p, place);
}

/* "module"() ({...}) and "func.func"() ({...}) are operations like others until they are complete. */
static bool begin_generic(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    FX_TRY(fxi_mlir_read_string(p, &op->name));
    bool module = fxi_hlo_span_is(op->name, "builtin.module");
    if ((module || fxi_hlo_span_is(op->name, "func.func")) && fxi_mlir_top(p)->region)
        return fxi_mlir_error_at(p, op->place, "%.*s in a function", FXI_HLO_TEXT(op->name));
    if (module) return fxi_mlir_read_generic_module(p, op->place);
    if (fxi_hlo_span_is(op->name, "func.func")) p->next_id = 0;
    return read_generic(p, op, names);
}

bool fxi_mlir_read_operation(fxi_hlo_parser *p) {
    fxi_hlo_nameds names;
    FX_TRY(read_result_names(p, &names));
    fxi_hlo_op *op = fxi_mlir_new(p, 1, sizeof *op);
    if (!op) return false;
    op->place = fxi_mlir_here(p);
    if (*p->at == '"') return begin_generic(p, op, names);
    op->name = fxi_mlir_word(p);
    if (op->name.length == 0) return fxi_mlir_expected(p, "an operation");
    if (is_outer(op->name)) return read_outer(p, op->name, op->place);
    return fxi_mlir_read_pretty(p, op, names);
}
