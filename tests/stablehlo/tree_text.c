/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical text of a tree. Written by recursion: the tests' own texts are not deep. */
#include "tree_text.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 4096 };

typedef struct printer {
    const fxi_hlo_module *module;
    fxi_text text;
    uint32_t numbers[MOST_VALUES], next; /* of values of the function by id, plus one */
} printer;

static void add_span(printer *p, fxi_hlo_span span) {
    fxi_text_add_bytes(&p->text, span.at, span.length);
}

static void add_types(printer *p, const char *sign, const fxi_hlo_type *const *types, size_t n);

static void add_type(printer *p, const fxi_hlo_type *type) {
    switch (type->kind) {
    case FXI_HLO_TENSOR:
    case FXI_HLO_SCALAR:
        for (int i = 0; i < type->shape.rank; i++)
            fxi_text_add(&p->text, "%lldx", (long long)type->shape.dims[i]);
        fxi_text_add(&p->text, "%s%s", fx_dtype_name(type->shape.dtype), type->dynamic ? "?" : "");
        break;
    case FXI_HLO_TUPLE: add_types(p, "tuple", type->parts, type->n_parts); break;
    case FXI_HLO_FUNCTION:
        add_types(p, "function", type->parts, type->n_parts);
        add_types(p, "->", type->results, type->n_results);
        break;
    case FXI_HLO_TOKEN: fxi_text_add(&p->text, "token"); break;
    case FXI_HLO_NONE: fxi_text_add(&p->text, "none"); break;
    case FXI_HLO_OTHER: add_span(p, type->text); break;
    }
}

static void add_types(printer *p, const char *sign, const fxi_hlo_type *const *types, size_t n) {
    fxi_text_add(&p->text, "%s(", sign);
    for (size_t i = 0; i < n; i++) {
        if (i > 0) fxi_text_add(&p->text, ", ");
        add_type(p, types[i]);
    }
    fxi_text_add(&p->text, ")");
}

static void add_attr(printer *p, const fxi_hlo_attr *attr);

static int by_name(const void *a, const void *b) {
    fxi_hlo_span x = ((const fxi_hlo_entry *)a)->name, y = ((const fxi_hlo_entry *)b)->name;
    int order = memcmp(x.at, y.at, x.length < y.length ? x.length : y.length);
    return order ? order : (x.length > y.length) - (x.length < y.length);
}

static void add_dict(printer *p, fxi_hlo_dict dict) {
    fxi_hlo_entry *sorted = malloc((dict.n + 1) * sizeof *sorted);
    if (!sorted) abort();
    if (dict.n > 0) memcpy(sorted, dict.v, dict.n * sizeof *sorted);
    qsort(sorted, dict.n, sizeof *sorted, by_name);
    fxi_text_add(&p->text, "{");
    for (size_t i = 0; i < dict.n; i++) {
        fxi_text_add(&p->text, "%s", i > 0 ? ", " : "");
        add_span(p, sorted[i].name);
        fxi_text_add(&p->text, " = ");
        add_attr(p, sorted[i].value);
    }
    fxi_text_add(&p->text, "}");
    free(sorted);
}

/* Whatever form a list of integers has; false: it is none. */
static bool add_ints(printer *p, const fxi_hlo_attr *attr) {
    fxi_arena arena = {0};
    fx_dims ints;
    bool ok = fxi_hlo_ints(p->module, attr, &arena, &ints, NULL);
    if (ok) {
        fxi_text_add(&p->text, "[");
        for (size_t i = 0; i < ints.n; i++)
            fxi_text_add(&p->text, "%s%lld", i > 0 ? ", " : "", (long long)ints.v[i]);
        fxi_text_add(&p->text, "]");
    }
    fxi_arena_free(&arena);
    return ok;
}

static void add_dense(printer *p, const fxi_hlo_attr *attr) {
    fx_error err = {0};
    if (add_ints(p, attr)) return;
    fx_tensor *tensor = fxi_hlo_dense(p->module, attr, &err);
    fxi_text_add(&p->text, "dense(");
    add_type(p, attr->type);
    if (!tensor) fxi_text_add(&p->text, " %s", err.message);
    for (int64_t i = 0; tensor && i < tensor->bytes; i++)
        fxi_text_add(&p->text, " %02x", ((const unsigned char *)tensor->data)[i]);
    fxi_text_add(&p->text, ")");
    fx_tensor_free(tensor);
}

static void add_list(printer *p, const fxi_hlo_attr *attr) {
    fxi_text_add(&p->text, "[");
    for (size_t i = 0; i < attr->u.list.n; i++) {
        fxi_text_add(&p->text, "%s", i > 0 ? ", " : "");
        add_attr(p, attr->u.list.v[i]);
    }
    fxi_text_add(&p->text, "]");
}

static void add_axes(printer *p, const int64_t *axes, int n) {
    for (int i = 0; i < n; i++) fxi_text_add(&p->text, "%s%lld", i > 0 ? " " : "<", (long long)axes[i]);
    fxi_text_add(&p->text, ">");
}

static void add_attr(printer *p, const fxi_hlo_attr *attr) {
    static const char *const before[] = {
        [FXI_HLO_ATTR_STRING] = "\"", [FXI_HLO_ATTR_SYMBOL] = "@", [FXI_HLO_ATTR_OPAQUE] = "opaque "};
    switch (attr->kind) {
    case FXI_HLO_ATTR_INT: fxi_text_add(&p->text, "%lld", (long long)attr->u.i); break;
    case FXI_HLO_ATTR_FLOAT: fxi_text_add(&p->text, "%.17g", attr->u.f); break;
    case FXI_HLO_ATTR_BOOL: fxi_text_add(&p->text, attr->u.i ? "true" : "false"); break;
    case FXI_HLO_ATTR_UNIT: fxi_text_add(&p->text, "unit"); break;
    case FXI_HLO_ATTR_STRING:
    case FXI_HLO_ATTR_SYMBOL:
    case FXI_HLO_ATTR_OPAQUE: fxi_text_add(&p->text, "%s", before[attr->kind]); /* fall through */
    case FXI_HLO_ATTR_WORD: add_span(p, attr->text); break;
    case FXI_HLO_ATTR_LIST:
        if (!add_ints(p, attr)) add_list(p, attr);
        break;
    case FXI_HLO_ATTR_INTS: add_ints(p, attr); break;
    case FXI_HLO_ATTR_DICT: add_dict(p, attr->u.dict); break;
    case FXI_HLO_ATTR_DENSE: add_dense(p, attr); break;
    case FXI_HLO_ATTR_CONV:
        add_axes(p, attr->u.conv->input, attr->u.conv->rank);
        add_axes(p, attr->u.conv->kernel, attr->u.conv->rank);
        add_axes(p, attr->u.conv->output, attr->u.conv->rank);
        break;
    case FXI_HLO_ATTR_TYPE: add_type(p, attr->u.of); break;
    }
}

/* ---- operations ---- */

static void add_value(printer *p, const fxi_hlo_value *value) {
    if (value->id >= MOST_VALUES) abort();
    if (p->numbers[value->id] == 0) p->numbers[value->id] = ++p->next;
    fxi_text_add(&p->text, "%%%u", p->numbers[value->id] - 1);
}

static void add_values(printer *p, const char *before, fxi_hlo_value *const *values, size_t n, bool typed) {
    fxi_text_add(&p->text, "%s(", before);
    for (size_t i = 0; i < n; i++) {
        fxi_text_add(&p->text, "%s", i > 0 ? ", " : "");
        add_value(p, values[i]);
        if (typed) fxi_text_add(&p->text, ": ");
        if (typed) add_type(p, values[i]->type);
    }
    fxi_text_add(&p->text, ")");
}

static void add_region(printer *p, const fxi_hlo_region *region);

static void add_op(printer *p, const fxi_hlo_op *op) {
    add_values(p, "", op->results, op->n_results, true);
    fxi_text_add(&p->text, " = ");
    add_span(p, op->name);
    add_values(p, "", op->operands, op->n_operands, false);
    add_dict(p, op->attrs);
    fxi_text_add(&p->text, "\n");
    for (size_t i = 0; i < op->n_regions; i++) add_region(p, op->regions[i]);
}

static void add_region(printer *p, const fxi_hlo_region *region) {
    add_values(p, "region ", region->arguments, region->n_arguments, true);
    fxi_text_add(&p->text, "\n");
    for (size_t i = 0; i < region->n_ops; i++) add_op(p, region->ops[i]);
    fxi_text_add(&p->text, "end\n");
}

static void add_function(printer *p, const fxi_hlo_function *function) {
    memset(p->numbers, 0, sizeof p->numbers);
    p->next = 0;
    fxi_text_add(&p->text, "%s%sfunction ", function->is_private ? "private " : "",
                 function->is_declaration ? "declared " : "");
    add_span(p, function->name);
    add_types(p, " ->", function->results, function->n_results);
    add_dict(p, function->attrs);
    for (size_t i = 0; i < function->body->n_arguments; i++) add_dict(p, function->argument_attrs[i]);
    for (size_t i = 0; i < function->n_results; i++) add_dict(p, function->result_attrs[i]);
    fxi_text_add(&p->text, "\n");
    add_region(p, function->body);
}

fxi_text tree_text(const fxi_hlo_module *module) {
    printer *p = calloc(1, sizeof *p);
    if (!p) abort();
    p->module = module;
    fxi_text_add(&p->text, "module ");
    add_span(p, module->name);
    add_dict(p, module->attrs);
    fxi_text_add(&p->text, "\n");
    for (size_t i = 0; i < module->n_others; i++) add_op(p, module->others[i]);
    for (size_t i = 0; i < module->n_functions; i++) add_function(p, module->functions[i]);
    fxi_text text = p->text;
    free(p);
    return text;
}

fxi_text tree_attr_text(const fxi_hlo_module *module, const fxi_hlo_attr *attr) {
    printer *p = calloc(1, sizeof *p);
    if (!p) abort();
    p->module = module;
    add_attr(p, attr);
    fxi_text text = p->text;
    free(p);
    return text;
}
