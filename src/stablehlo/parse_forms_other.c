/* SPDX-License-Identifier: Apache-2.0 */
/* Pretty forms of constants, of Shardy's computations, and of operations of other dialects, of which only
 * what goes in and comes out is known.
 *     constant {...} dense<...> : T      or      constant() <{value = ...}> {...} : () -> T
 *     manual_computation(%a) in_shardings=[...] manual_axes={...} (%b: T) {...} : (T) -> U */
#include "stablehlo/parse_pretty.h"
#include <string.h>

/* ---- constants ---- */

bool fxi_mlir_read_constant(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    size_t first = p->entries.count;
    bool generic = fxi_mlir_eat(p, "(");
    op->operands = fxi_mlir_new(p, 0, sizeof *op->operands);
    if (!op->operands || (generic && !fxi_mlir_expect(p, ")"))) return false;
    if (generic && fxi_mlir_eat(p, "<")) FX_TRY(fxi_mlir_read_attr_dict(p) && fxi_mlir_expect(p, ">"));
    FX_TRY(fxi_mlir_read_attr_dict(p));
    if (!generic) FX_TRY(fxi_mlir_add_entry(p, "value", fxi_mlir_read_attr(p)));
    FX_TRY(fxi_mlir_take_attrs(p, first, op));
    return (generic ? fxi_mlir_read_signature(p, op, names)
                    : fxi_mlir_read_tail(p, op, names, FXI_HLO_TAIL_VALUE)) &&
           fxi_mlir_finish_operation(p, op);
}

/* ---- computations of Shardy ---- */

static bool resume_computation(fxi_hlo_parser *p) {
    fxi_hlo_frame frame = fxi_mlir_pop_frame(p);
    size_t first = p->entries.count;
    return fxi_mlir_take_regions(p, frame.first_region, frame.op) && fxi_mlir_read_attr_dict(p) &&
           fxi_mlir_take_attrs(p, first, frame.op) && fxi_mlir_read_signature(p, frame.op, frame.names) &&
           fxi_mlir_finish_operation(p, frame.op);
}

/* name=[...] or name={...}, as text. */
static bool read_field(fxi_hlo_parser *p) {
    fxi_hlo_entry entry;
    FX_TRY(fxi_mlir_read_word(p, "a field or '('", &entry.name) && fxi_mlir_expect(p, "="));
    fxi_hlo_attr *text = fxi_mlir_new_attr(p, FXI_HLO_ATTR_OPAQUE, fxi_mlir_here(p));
    entry.value = text;
    return text && fxi_mlir_skip_balanced(p, &text->text) &&
           (FXI_PUSH(&p->entries, entry) || fxi_mlir_no_memory(p));
}

bool fxi_mlir_read_computation(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    static const fxi_hlo_span string_kind = {"string", 6}, name = {"name", 4};
    size_t first = p->operands.count, first_entry = p->entries.count, first_name = p->names.count;
    fxi_hlo_frame frame = {.op = op, .names = names, .resume = resume_computation};
    if (fxi_mlir_eat(p, "<")) FX_TRY(fxi_mlir_read_kind(p, string_kind, name) && fxi_mlir_expect(p, ">"));
    FX_TRY(fxi_mlir_expect(p, "(") && fxi_mlir_read_operands(p) && fxi_mlir_expect(p, ")"));
    while (fxi_mlir_peek(p) != '(') FX_TRY(read_field(p));
    FX_TRY(fxi_mlir_expect(p, "(") && fxi_mlir_take_operands(p, first, op));
    for (bool more = fxi_mlir_peek(p) != ')'; more; more = fxi_mlir_eat(p, ","))
        FX_TRY(fxi_mlir_read_argument(p));
    FX_TRY(fxi_mlir_expect(p, ")") && fxi_mlir_take_names(p, first_name, &frame.arguments));
    return fxi_mlir_take_attrs(p, first_entry, op) && fxi_mlir_push_frame(p, frame) &&
           fxi_mlir_open_region(p, frame.arguments);
}

/* ---- other dialects ---- */

/* Whether a new line begins before what comes next. */
static bool line_ends(fxi_hlo_parser *p) {
    const char *begin = p->at;
    fxi_mlir_peek(p);
    return memchr(begin, '\n', (size_t)(p->at - begin)) != NULL;
}

/* Up to the colon of the types, or to the end of the line where no bracket is open. Operands are values
 * that stand outside of brackets. */
static bool skip_to_types(fxi_hlo_parser *p, bool *colon) {
    fxi_hlo_span skipped;
    for (*colon = false; !line_ends(p);) {
        char c = *p->at;
        if (c == 0 || strchr(")]}", c)) return true;
        if ((*colon = fxi_mlir_eat(p, ":"))) return true;
        if (c == '%')
            FX_TRY(fxi_mlir_read_operand(p));
        else if (strchr("([{<", c))
            FX_TRY(fxi_mlir_skip_balanced(p, &skipped));
        else if (c == '"')
            FX_TRY(fxi_mlir_read_string(p, &skipped));
        else
            p->at += c == '-' && p->at[1] == '>' ? 2 : 1;
    }
    return true;
}

/* Types with commas between, pushed; how many. */
static bool push_types(fxi_hlo_parser *p, size_t *n) {
    size_t first = p->type_items.count;
    do {
        const fxi_hlo_type *type = fxi_mlir_read_type(p);
        if (!type || !FXI_PUSH(&p->type_items, type)) return type && fxi_mlir_no_memory(p);
    } while (fxi_mlir_eat(p, ","));
    *n = p->type_items.count - first;
    return true;
}

/* A function type says all; in `T, U -> V` and `T to V` the last are of the results; a list alone is of the
 * results, if some are named. */
static bool read_unknown_types(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    size_t first = p->type_items.count, n;
    FX_TRY(push_types(p, &n));
    if (fxi_mlir_eat(p, "->") || fxi_mlir_eat_word(p, "to")) FX_TRY(push_types(p, &n));
    const fxi_hlo_type *const *types = FXI_FROM(p->type_items, p->type_items.count - n);
    const fxi_hlo_type *type = p->type_items.data[first];
    p->type_items.count = first;
    if (type->kind == FXI_HLO_FUNCTION)
        return fxi_mlir_bind_results(p, names, type->results, type->n_results, op);
    return fxi_mlir_bind_results(p, names, types, names.n > 0 ? n : 0, op);
}

bool fxi_mlir_read_unknown(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    size_t first = p->operands.count;
    bool colon;
    fxi_hlo_attr *text = fxi_mlir_new_attr(p, FXI_HLO_ATTR_OPAQUE, op->place);
    const char *begin = p->at;
    FX_TRY(text && skip_to_types(p, &colon) && fxi_mlir_take_operands(p, first, op));
    text->text = (fxi_hlo_span){begin, (size_t)(p->at - begin)};
    size_t first_entry = p->entries.count;
    FX_TRY(fxi_mlir_add_entry(p, "text", text) && fxi_mlir_take_attrs(p, first_entry, op));
    if (!colon) return fxi_mlir_bind_results(p, names, NULL, 0, op) && fxi_mlir_finish_operation(p, op);
    return read_unknown_types(p, op, names) && fxi_mlir_finish_operation(p, op);
}
