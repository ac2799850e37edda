/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of operations as C values. Every form in which a text may write one is taken: a list of numbers
 * is [1, 2], array<i64: 1, 2> or dense<[1, 2]> depending on the operation, the version that wrote it and the
 * syntax. What is missing or of another form is a failure at the attribute's place. */
#include "stablehlo/import.h"
#include <string.h>

static bool missing(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name) {
    return fxi_hlo_wrong(im, op->place, "%.*s lacks the attribute %s", FXI_HLO_TEXT(op->name), name);
}

/* ---- integers ---- */

bool fxi_hlo_read_ints(fxi_hlo_import *im, const fxi_hlo_attr *attr, fx_dims *ints) {
    *ints = (fx_dims){NULL, 0};
    if (!attr) return true;
    if (fxi_hlo_ints(im->module, attr, im->arena, ints, im->err)) return true;
    return fxi_hlo_wrong(im, attr->place, "a list of integers was expected");
}

bool fxi_hlo_attr_ints(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, fx_dims *ints) {
    const fxi_hlo_attr *attr = fxi_hlo_find(&op->attrs, name);
    return attr ? fxi_hlo_read_ints(im, attr, ints) : missing(im, op, name);
}

bool fxi_hlo_attr_ints_or(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, size_t n, int64_t fill,
                          fx_dims *ints) {
    const fxi_hlo_attr *attr = fxi_hlo_find(&op->attrs, name);
    if (attr) {
        FX_TRY(fxi_hlo_read_ints(im, attr, ints));
        if (ints->n == n) return true;
        return fxi_hlo_wrong(im, attr->place, "%s has %zu numbers instead of %zu", name, ints->n, n);
    }
    int64_t *v = fxi_arena_alloc(im->arena, n, sizeof *v);
    if (!v) return fxi_hlo_no_memory(im);
    for (size_t i = 0; i < n; i++) v[i] = fill;
    *ints = (fx_dims){v, n};
    return true;
}

/* The entry of that name in a dictionary attribute; NULL: none. */
static const fxi_hlo_attr *find_entry(const fxi_hlo_attr *dict, const char *name) {
    return dict && dict->kind == FXI_HLO_ATTR_DICT ? fxi_hlo_find(&dict->u.dict, name) : NULL;
}

bool fxi_hlo_entry_ints(fxi_hlo_import *im, const fxi_hlo_attr *dict, const char *name, fx_dims *ints) {
    return fxi_hlo_read_ints(im, find_entry(dict, name), ints);
}

static bool read_int(fxi_hlo_import *im, const fxi_hlo_attr *attr, int64_t *value) {
    if (attr->kind == FXI_HLO_ATTR_INT || attr->kind == FXI_HLO_ATTR_BOOL) {
        *value = attr->u.i;
        return true;
    }
    fx_dims ints;
    FX_TRY(fxi_hlo_read_ints(im, attr, &ints));
    if (ints.n != 1) return fxi_hlo_wrong(im, attr->place, "%zu integers instead of one", ints.n);
    *value = ints.v[0];
    return true;
}

bool fxi_hlo_attr_int(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, int64_t *value) {
    const fxi_hlo_attr *attr = fxi_hlo_find(&op->attrs, name);
    return attr ? read_int(im, attr, value) : missing(im, op, name);
}

bool fxi_hlo_attr_int_or(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, int64_t fallback,
                         int64_t *value) {
    const fxi_hlo_attr *attr = fxi_hlo_find(&op->attrs, name);
    *value = fallback;
    return !attr || read_int(im, attr, value);
}

bool fxi_hlo_entry_int_or(fxi_hlo_import *im, const fxi_hlo_attr *dict, const char *name, int64_t fallback,
                          int64_t *value) {
    const fxi_hlo_attr *attr = find_entry(dict, name);
    *value = fallback;
    return !attr || read_int(im, attr, value);
}

/* ---- others ---- */

bool fxi_hlo_attr_bool_or(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, bool fallback,
                          bool *value) {
    const fxi_hlo_attr *attr = fxi_hlo_find(&op->attrs, name);
    int64_t number = fallback;
    if (attr && attr->kind == FXI_HLO_ATTR_UNIT)
        number = 1;
    else if (attr)
        FX_TRY(read_int(im, attr, &number));
    *value = number != 0;
    return true;
}

bool fxi_hlo_attr_float_or(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, double fallback,
                           double *value) {
    const fxi_hlo_attr *attr = fxi_hlo_find(&op->attrs, name);
    *value = fallback;
    if (!attr) return true;
    if (attr->kind == FXI_HLO_ATTR_FLOAT)
        *value = attr->u.f;
    else if (attr->kind == FXI_HLO_ATTR_INT)
        *value = (double)attr->u.i;
    else
        return fxi_hlo_wrong(im, attr->place, "%s is no number", name);
    return true;
}

bool fxi_hlo_attr_word(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, const char *const *words,
                       size_t n, int fallback, int *number) {
    const fxi_hlo_attr *attr = fxi_hlo_find(&op->attrs, name);
    *number = fallback;
    if (!attr) return fallback >= 0 || missing(im, op, name);
    if (attr->kind == FXI_HLO_ATTR_WORD || attr->kind == FXI_HLO_ATTR_STRING)
        for (size_t i = 0; i < n; i++)
            if (fxi_hlo_span_is(attr->text, words[i])) {
                *number = (int)i;
                return true;
            }
    return fxi_hlo_wrong(im, attr->place, "%s is \"%.*s\"", name, FXI_HLO_TEXT(attr->text));
}

const fxi_hlo_attr *fxi_hlo_attr_of(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name,
                                    fxi_hlo_attr_kind kind) {
    const fxi_hlo_attr *attr = fxi_hlo_find(&op->attrs, name);
    if (attr && attr->kind == kind) return attr;
    if (attr && attr->kind == FXI_HLO_ATTR_OPAQUE) { /* dense_resource<...>, other dialects */
        fxi_hlo_unsupported(im, attr->place, "%s is %.*s", name, FXI_HLO_TEXT(attr->text));
        return NULL;
    }
    if (attr)
        fxi_hlo_wrong(im, attr->place, "%s is of another form than %.*s wants", name,
                      FXI_HLO_TEXT(op->name));
    else
        missing(im, op, name);
    return NULL;
}
