/* SPDX-License-Identifier: Apache-2.0 */
/* Constants. A splat is written once; a few elements as lists that people can read: floats in the fewest
 * digits that read back the same bits, what has no digits (NaN, infinities) as its bits; many as one string
 * of hexadecimal bytes, which is exact and quick to read. Never i1 and the packed integers: readers disagree
 * on how many bits of such a string an element has. */
#include "stablehlo/write.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LIST = 64, MOST_DIGITS = 17, FLOAT_TEXT = 48 };

static uint64_t bits_of(fx_dtype dtype, double value) {
    uint64_t bits = 0;
    fxi_element_store(dtype, &bits, 0, (fxi_scalar){.re = value});
    return bits;
}

/* "%e" text less the locale's decimal point: MLIR wants a point, and digits on both sides are what "%.1e"
 * has. */
static void set_point(char *text) {
    char *to = text;
    bool pointed = false;
    for (const char *from = text; *from; from++) {
        bool own = (*from >= '0' && *from <= '9') || *from == '-' || *from == '+' || *from == 'e';
        if (own)
            *to++ = *from;
        else if (!pointed)
            *to++ = '.';
        pointed |= !own;
    }
    *to = 0;
}

static void add_float(fxi_text *text, fx_dtype dtype, double value) {
    uint64_t bits = bits_of(dtype, value);
    char digits[FLOAT_TEXT];
    for (int n = 1; isfinite(value) && n < MOST_DIGITS; n++) {
        snprintf(digits, sizeof digits, "%.*e", n, value);
        if (bits_of(dtype, strtod(digits, NULL)) != bits) continue;
        set_point(digits);
        fxi_text_add(text, "%s", digits);
        return;
    }
    int width = fx_dtype_bits(dtype) / 4;
    fxi_text_add(text, "0x%0*llX", width, (unsigned long long)bits);
}

static void add_element(fxi_text *text, fx_dtype dtype, fxi_scalar value) {
    const fxi_dtype_info *info = fxi_dtype_info_of(dtype);
    switch (info->kind) {
    case FXI_KIND_BOOL: fxi_text_add(text, value.i ? "true" : "false"); break;
    case FXI_KIND_SIGNED: fxi_text_add(text, "%lld", (long long)value.i); break;
    case FXI_KIND_UNSIGNED: fxi_text_add(text, "%llu", (unsigned long long)value.i); break;
    case FXI_KIND_FLOAT: add_float(text, dtype, value.re); break;
    case FXI_KIND_COMPLEX:
        fxi_text_add(text, "(");
        add_float(text, info->real, value.re);
        fxi_text_add(text, ", ");
        add_float(text, info->real, value.im);
        fxi_text_add(text, ")");
        break;
    case FXI_KIND_NONE: break;
    }
}

static bool is_splat(const fx_tensor *t, int64_t count) {
    int bits = fx_dtype_bits(t->shape.dtype);
    if (bits >= 8) {
        size_t bytes = (size_t)bits / 8;
        return count <= 1 || memcmp(t->data, (const char *)t->data + bytes, ((size_t)count - 1) * bytes) == 0;
    }
    int64_t first = fxi_element_load(t->shape.dtype, t->data, 0).i;
    for (int64_t i = 1; i < count; i++)
        if (fxi_element_load(t->shape.dtype, t->data, i).i != first) return false;
    return true;
}

/* Brackets open before the first element of an axis and close after its last. */
static void add_list(fxi_text *text, const fx_tensor *t, int64_t count) {
    int64_t strides[FX_MAX_RANK];
    fxi_shape_strides(&t->shape, strides);
    for (int64_t i = 0; i < count; i++) {
        if (i) fxi_text_add(text, ", ");
        for (int axis = 0; axis < t->shape.rank; axis++)
            if (i % (strides[axis] * t->shape.dims[axis]) == 0) fxi_text_add(text, "[");
        add_element(text, t->shape.dtype, fxi_element_load(t->shape.dtype, t->data, i));
        for (int axis = 0; axis < t->shape.rank; axis++)
            if ((i + 1) % (strides[axis] * t->shape.dims[axis]) == 0) fxi_text_add(text, "]");
    }
}

static void add_bytes(fxi_text *text, const fx_tensor *t) {
    static const char hex[] = "0123456789ABCDEF";
    char piece[512];
    size_t filled = 0;
    fxi_text_add(text, "\"0x");
    for (int64_t i = 0; i < t->bytes; i++) {
        unsigned char byte = ((const unsigned char *)t->data)[i];
        piece[filled++] = hex[byte >> 4];
        piece[filled++] = hex[byte & 15];
        if (filled < sizeof piece) continue;
        fxi_text_add_bytes(text, piece, filled);
        filled = 0;
    }
    fxi_text_add_bytes(text, piece, filled);
    fxi_text_add(text, "\"");
}

void fxi_write_elements(fxi_text *text, const fx_tensor *t) {
    int64_t count = fx_tensor_size(t);
    bool listed = t->shape.dtype == FX_BOOL || fxi_dtype_is_packed(t->shape.dtype);
    fxi_text_add(text, "dense<");
    if (count > 0 && is_splat(t, count))
        add_element(text, t->shape.dtype, fxi_element_load(t->shape.dtype, t->data, 0));
    else if (count > 0 && (listed || count <= LONGEST_LIST))
        add_list(text, t, count);
    else if (count > 0)
        add_bytes(text, t);
    fxi_text_add(text, "> : ");
    fxi_write_type(text, &t->shape);
}

/* Stored and loaded, so that it is one of the dtype's values. */
fxi_write_operand fxi_write_scalar(fxi_writer *w, fx_dtype dtype, fxi_scalar value) {
    const fx_shape shape = fxi_shape_scalar(dtype);
    uint64_t room[2] = {0, 0};
    fxi_element_store(dtype, room, 0, value);
    value = fxi_element_load(dtype, room, 0);
    fxi_write_attr(w, "value", "dense<");
    add_element(&w->attrs, dtype, value);
    fxi_text_add(&w->attrs, "> : ");
    fxi_write_type(&w->attrs, &shape);
    return fxi_write_one(w, "stablehlo.constant", NULL, 0, &shape);
}

void fxi_write_constant(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_attr(w, "value", "%s", "");
    fxi_write_elements(&w->attrs, fxi_node_attr(n, FXI_ATTR_VALUE)->u.tensor);
    fxi_write_node(w, s, n, "stablehlo.constant");
}

void fxi_write_iota(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_attr(w, "iota_dimension", "%lld : i64", (long long)fxi_node_int(n, FXI_ATTR_AXIS));
    fxi_write_node(w, s, n, "stablehlo.iota");
}
