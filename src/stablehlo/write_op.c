/* SPDX-License-Identifier: Apache-2.0 */
/* One operation in MLIR's generic form, piece by piece:
 *   %5:2 = "stablehlo.sort"(%1, %2) <{dimension = 0 : i64}> ({ ... }) : (types) -> (types)
 * loc("model.c":12:0) Attributes are collected in a text of their own first, since they are written before
 * regions and after operands, while emitters know them first. */
#include "stablehlo/write.h"
#include <string.h>

void fxi_write_refuse(fxi_writer *w, const char *format, ...) {
    char message[sizeof w->err->message];
    fxi_text text = fxi_text_fixed(message, sizeof message);
    va_list list;
    va_start(list, format);
    fxi_text_add_list(&text, format, list);
    va_end(list);
    const fx_node *n = w->node;
    if (!w->failed)
        fxi_fail_at(w->err, FX_ERROR_UNSUPPORTED, n ? n->file : NULL, n ? n->line : 0, "%s: %s", w->name,
                    message);
    w->failed = true;
}

void fxi_write_no_memory(fxi_writer *w) {
    if (!w->failed) fxi_fail_memory(w->err, w->name);
    w->failed = true;
}

void fxi_write_type(fxi_text *text, const fx_shape *shape) {
    fxi_text_add(text, "tensor<");
    for (int i = 0; i < shape->rank; i++) fxi_text_add(text, "%lldx", (long long)shape->dims[i]);
    fxi_text_add(text, "%s>", fxi_dtype_info_of(shape->dtype)->hlo);
}

/* ---- attributes ---- */

static void begin_attr(fxi_writer *w, const char *name) {
    fxi_text_add(&w->attrs, "%s%s = ", w->attrs.length ? ", " : "", name);
}

void fxi_write_attr(fxi_writer *w, const char *name, const char *format, ...) {
    begin_attr(w, name);
    va_list list;
    va_start(list, format);
    fxi_text_add_list(&w->attrs, format, list);
    va_end(list);
}

void fxi_write_attr_ints(fxi_writer *w, const char *name, fx_dims v) {
    fxi_write_attr(w, name, "array<i64");
    for (size_t i = 0; i < v.n; i++) fxi_text_add(&w->attrs, "%s%lld", i ? ", " : ": ", (long long)v.v[i]);
    fxi_text_add(&w->attrs, ">");
}

void fxi_write_attr_bools(fxi_writer *w, const char *name, fx_dims v) {
    fxi_write_attr(w, name, "array<i1");
    for (size_t i = 0; i < v.n; i++)
        fxi_text_add(&w->attrs, "%s%s", i ? ", " : ": ", v.v[i] ? "true" : "false");
    fxi_text_add(&w->attrs, ">");
}

void fxi_write_attr_word(fxi_writer *w, const char *name, const char *kind, const char *word) {
    fxi_write_attr(w, name, "#stablehlo<%s %s>", kind, word);
}

void fxi_write_list(fxi_text *text, fx_dims v) {
    fxi_text_add(text, "[");
    for (size_t i = 0; i < v.n; i++) fxi_text_add(text, "%s%lld", i ? ", " : "", (long long)v.v[i]);
    fxi_text_add(text, "]");
}

void fxi_write_attr_table(fxi_writer *w, const char *name, const int64_t *v, size_t rows, size_t columns) {
    fxi_write_attr(w, name, "dense<");
    bool any = rows > 0 && columns > 0;
    if (any) fxi_text_add(&w->attrs, "[");
    for (size_t i = 0; any && i < rows; i++) {
        if (i) fxi_text_add(&w->attrs, ", ");
        fxi_write_list(&w->attrs, (fx_dims){v + i * columns, columns});
    }
    fxi_text_add(&w->attrs, "%s> : tensor<%zux%zuxi64>", any ? "]" : "", rows, columns);
}

void fxi_write_attr_padding(fxi_writer *w, const char *name, fx_dims low, fx_dims high) {
    int64_t rows[2 * FX_MAX_RANK];
    for (size_t i = 0; i < low.n && i < FX_MAX_RANK; i++) {
        rows[2 * i] = low.v[i];
        rows[2 * i + 1] = high.v[i];
    }
    fxi_write_attr_table(w, name, rows, low.n, 2);
}

/* ---- the operation ---- */

static void add_indent(const fxi_writer *w) {
    fxi_text_add(w->text, "%*s", 2 * w->depth, "");
}

static void add_value(fxi_text *text, fxi_write_value v) {
    if (v.result < 0)
        fxi_text_add(text, "%%%lld", (long long)v.number);
    else
        fxi_text_add(text, "%%%lld#%lld", (long long)v.number, (long long)v.result);
}

static void add_values(fxi_text *text, const fxi_write_operand *in, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (i) fxi_text_add(text, ", ");
        add_value(text, in[i].value);
    }
}

fxi_write_value fxi_write_begin(fxi_writer *w, const char *name, const fxi_write_operand *in, size_t n_in,
                                size_t n_out) {
    fxi_write_value first = {-1, n_out > 1 ? 0 : -1};
    add_indent(w);
    if (n_out > 0) first.number = w->next++;
    if (n_out == 1) fxi_text_add(w->text, "%%%lld = ", (long long)first.number);
    if (n_out > 1) fxi_text_add(w->text, "%%%lld:%zu = ", (long long)first.number, n_out);
    fxi_text_add(w->text, "\"%s\"(", name);
    add_values(w->text, in, n_in);
    fxi_text_add(w->text, ")");
    if (w->attrs.failed) fxi_write_no_memory(w);
    if (w->attrs.length > 0) {
        fxi_text_add(w->text, " <{");
        fxi_text_add_bytes(w->text, w->attrs.data, w->attrs.length);
        fxi_text_add(w->text, "}>");
    }
    w->attrs.length = 0;
    return first;
}

/* MLIR's escapes are a backslash and two hexadecimal digits. */
void fxi_write_quoted(fxi_text *text, const char *value) {
    for (const char *c = value; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        bool plain = byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
        fxi_text_add(text, plain ? "%c" : "\\%02X", byte);
    }
}

static void add_place(fxi_writer *w) {
    const fx_node *n = w->node;
    if (w->options->no_locations || !n || !n->file) return;
    fxi_text_add(w->text, " loc(\"");
    fxi_write_quoted(w->text, n->file);
    fxi_text_add(w->text, "\":%d:0)", n->line > 0 ? n->line : 0);
}

void fxi_write_end(fxi_writer *w, const fxi_write_operand *in, size_t n_in, const fx_shape *const *out,
                   size_t n_out) {
    fxi_text_add(w->text, " : (");
    for (size_t i = 0; i < n_in; i++) {
        if (i) fxi_text_add(w->text, ", ");
        fxi_write_type(w->text, &in[i].shape);
    }
    fxi_text_add(w->text, n_out == 1 ? ") -> " : ") -> (");
    for (size_t i = 0; i < n_out; i++) {
        if (i) fxi_text_add(w->text, ", ");
        fxi_write_type(w->text, out[i]);
    }
    if (n_out != 1) fxi_text_add(w->text, ")");
    add_place(w);
    fxi_text_add(w->text, "\n");
}

/* ---- regions ---- */

void fxi_write_region_begin(fxi_writer *w, bool first, const fx_shape *const *shapes, size_t n,
                            fxi_write_operand *arguments) {
    fxi_text_add(w->text, first ? " ({\n" : ", {\n");
    if (n > 0) {
        add_indent(w);
        fxi_text_add(w->text, "^bb0(");
    }
    for (size_t i = 0; i < n; i++) {
        arguments[i] = (fxi_write_operand){{w->next++, -1}, *shapes[i]};
        fxi_text_add(w->text, "%s%%%lld: ", i ? ", " : "", (long long)arguments[i].value.number);
        fxi_write_type(w->text, shapes[i]);
    }
    if (n > 0) fxi_text_add(w->text, "):\n");
    w->depth++;
}

void fxi_write_region_end(fxi_writer *w, const fxi_write_operand *results, size_t n) {
    const fx_node *node = w->node;
    w->node = NULL;
    fxi_write_begin(w, "stablehlo.return", results, n, 0);
    fxi_write_end(w, results, n, NULL, 0);
    w->node = node;
    w->depth--;
    add_indent(w);
    fxi_text_add(w->text, "}");
}

void fxi_write_regions_end(fxi_writer *w) {
    fxi_text_add(w->text, ")");
}

/* ---- short forms ---- */

fxi_write_operand fxi_write_one(fxi_writer *w, const char *name, const fxi_write_operand *in, size_t n_in,
                                const fx_shape *out) {
    fxi_write_operand made = {fxi_write_begin(w, name, in, n_in, 1), *out};
    fxi_write_end(w, in, n_in, &out, 1);
    return made;
}

fxi_write_operand fxi_write_two(fxi_writer *w, const char *name, fxi_write_operand a, fxi_write_operand b) {
    const fxi_write_operand in[] = {a, b};
    return fxi_write_one(w, name, in, 2, &a.shape);
}

fxi_write_operand fxi_write_compare(fxi_writer *w, fxi_direction direction, fxi_write_operand a,
                                    fxi_write_operand b) {
    fx_shape out = a.shape;
    out.dtype = FX_BOOL;
    fxi_write_compare_attrs(w, direction, a.shape.dtype, false);
    const fxi_write_operand in[] = {a, b};
    return fxi_write_one(w, "stablehlo.compare", in, 2, &out);
}

/* ---- nodes ---- */

fxi_write_operand fxi_write_operand_of(const fxi_write_scope *s, const fx_node *n) {
    return (fxi_write_operand){s->values[n->id], n->shape};
}

fxi_write_operand *fxi_write_operands(fxi_writer *w, const fxi_write_scope *s, const fx_node *n) {
    fxi_write_operand *list = fxi_alloc_zeroed(n->operand_count + 1u, sizeof *list);
    if (!list) fxi_write_no_memory(w);
    for (uint32_t i = 0; list && i < n->operand_count; i++) list[i] = fxi_write_operand_of(s, n->operands[i]);
    return list;
}

const fx_shape **fxi_write_results(fxi_writer *w, const fx_node *n) {
    const fx_shape **list = fxi_alloc_zeroed(fxi_node_results(n), sizeof *list);
    if (!list) fxi_write_no_memory(w);
    for (size_t i = 0; list && i < fxi_node_results(n); i++) list[i] = fxi_node_result_shape(n, i);
    return list;
}

void fxi_write_node(fxi_writer *w, fxi_write_scope *s, const fx_node *n, const char *name) {
    fxi_write_operand *in = fxi_write_operands(w, s, n);
    const fx_shape **out = fxi_write_results(w, n);
    if (in && out) {
        s->values[n->id] = fxi_write_begin(w, name, in, n->operand_count, fxi_node_results(n));
        fxi_write_end(w, in, n->operand_count, out, fxi_node_results(n));
    }
    fxi_free(in);
    fxi_free((void *)out);
}

void fxi_write_name(fx_op op, char name[FXI_WRITE_NAME]) {
    const char *hlo = fxi_op_info_of(op)->hlo;
    fxi_text text = fxi_text_fixed(name, FXI_WRITE_NAME);
    fxi_text_add(&text, "%s%s", strchr(hlo, '.') ? "" : "stablehlo.", hlo);
}
