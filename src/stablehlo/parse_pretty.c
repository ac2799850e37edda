/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an operation in its pretty form by the row of the table: item after item, then attributes and
 * types. */
#include "stablehlo/parse_pretty.h"
#include <string.h>

/* ---- the table ---- */

static int compare(fxi_hlo_span name, const char *row) {
    size_t length = strlen(row);
    int order = memcmp(name.at, row, name.length < length ? name.length : length);
    return order ? order : (name.length > length) - (name.length < length);
}

static const fxi_hlo_form *find_form(fxi_hlo_span name) {
    size_t low = 0, high = fxi_mlir_n_forms;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare(name, fxi_mlir_forms[middle].name);
        if (order == 0) return &fxi_mlir_forms[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* The form that operations of MHLO have is that of StableHLO's namesake. */
static const fxi_hlo_form *find_namesake(fxi_hlo_span name) {
    char other[64] = "stablehlo";
    if (name.length < 5 || name.length > 50 || memcmp(name.at, "mhlo.", 5) != 0) return NULL;
    memcpy(other + 9, name.at + 4, name.length - 4);
    return find_form((fxi_hlo_span){other, name.length + 5});
}

/* What may be written without its dialect. */
static void complete_name(fxi_hlo_span *name) {
    static const char *const shorts[][2] = {{"call", "func.call"}, {"return", "func.return"}};
    for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++)
        if (fxi_hlo_span_is(*name, shorts[i][0])) *name = (fxi_hlo_span){shorts[i][1], strlen(shorts[i][1])};
}

/* ---- items ---- */

static bool item_is(fxi_hlo_span item, const char *text) {
    return fxi_hlo_span_is(item, text);
}

static bool read_operands_before_commas(fxi_hlo_parser *p) {
    while (fxi_mlir_peek(p) == '%') FX_TRY(fxi_mlir_read_operand(p) && fxi_mlir_expect(p, ","));
    return true;
}

/* word=kind:attr or a part of that. */
static bool read_value(fxi_hlo_parser *p, fxi_hlo_span item) {
    char word[32];
    const char *end = item.at + item.length, *sign = memchr(item.at, '=', item.length);
    if (sign) {
        size_t length = (size_t)(sign - item.at);
        memcpy(word, item.at, length);
        word[length] = 0;
        FX_TRY(fxi_mlir_expect_word(p, word) && fxi_mlir_expect(p, "="));
        item = (fxi_hlo_span){sign + 1, (size_t)(end - sign - 1)};
    }
    const char *colon = memchr(item.at, ':', item.length);
    fxi_hlo_span kind = {item.at, colon ? (size_t)(colon - item.at) : item.length};
    fxi_hlo_span attr = {colon ? colon + 1 : end, colon ? (size_t)(end - colon - 1) : 0};
    return fxi_mlir_read_kind(p, kind, attr);
}

static bool read_item(fxi_hlo_parser *p, fxi_hlo_span item) {
    if (item_is(item, "$")) return fxi_mlir_read_operand(p);
    if (item_is(item, "$*")) return fxi_mlir_read_operands(p);
    if (item_is(item, "$+")) return read_operands_before_commas(p);
    if (item_is(item, "attrs")) return fxi_mlir_read_attr_dict(p);
    if (fxi_mlir_is_word_byte(*item.at)) return read_value(p, item);
    const char sign[] = {*item.at, 0};
    return fxi_mlir_expect(p, sign);
}

static bool read_items(fxi_hlo_parser *p, const char *items) {
    while (*items) {
        fxi_hlo_span item = {items, strcspn(items, " ")};
        items += item.length;
        if (*items == ' ') items++;
        if (!item_is(item, "?,"))
            FX_TRY(read_item(p, item));
        else if (!fxi_mlir_eat(p, ","))
            return true;
    }
    return true;
}

static bool read_form(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names, const fxi_hlo_form *form) {
    size_t first = p->operands.count, first_entry = p->entries.count;
    FX_TRY(read_items(p, form->items) && fxi_mlir_take_operands(p, first, op));
    if (form->tail == FXI_HLO_TAIL_REGIONS && fxi_mlir_peek(p) == '(')
        return fxi_mlir_take_attrs(p, first_entry, op) && fxi_mlir_read_regions(p, op, names);
    return fxi_mlir_read_attr_dict(p) && fxi_mlir_take_attrs(p, first_entry, op) &&
           fxi_mlir_read_tail(p, op, names, form->tail) && fxi_mlir_finish_operation(p, op);
}

bool fxi_mlir_read_pretty(fxi_hlo_parser *p, fxi_hlo_op *op, fxi_hlo_nameds names) {
    complete_name(&op->name);
    const fxi_hlo_form *form = find_form(op->name);
    if (!form) form = find_namesake(op->name);
    if (form) return form->read ? form->read(p, op, names) : read_form(p, op, names, form);
    const char *begin = op->name.at;
    bool ours = op->name.length > 10 && memcmp(begin, "stablehlo.", 10) == 0;
    if (ours || !memchr(begin, '.', op->name.length))
        return fxi_mlir_error_at(p, op->place, "unknown operation '%.*s'", FXI_HLO_TEXT(op->name));
    return fxi_mlir_read_unknown(p, op, names);
}
