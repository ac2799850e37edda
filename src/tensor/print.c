/* SPDX-License-Identifier: Apache-2.0 */
/* Text of tensors: "[2][3]int32{{1, 2, 3}, {4, 5, 6}}". Floats are written with the fewest digits that
 * read back the same value in their dtype: the digits come from printf's %e with growing precision, and
 * are laid out here, so that neither the locale nor the C library's choice of notation shows. The walk
 * over the axes recurses once per axis, at most FX_MAX_RANK deep. */
#include "tensor/tensor.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EDGE 3         /* elements shown at each end of a long axis */
#define LONG_AXIS 8    /* longest axis shown in full */
#define MOST_DIGITS 17 /* enough for any double */

/* ---- floats ---- */

typedef struct decimal {
    char digits[MOST_DIGITS + 1];
    int count;
    int exponent; /* of the first digit */
    bool negative;
} decimal;

/* Takes sign, digits and exponent out of "%e" text; whatever else stands there is the locale's decimal
 * point. */
static decimal parse_decimal(const char *text) {
    decimal d = {.negative = *text == '-'};
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && d.count < MOST_DIGITS) d.digits[d.count++] = *text;
    if (*text == 'e') d.exponent = (int)strtol(text + 1, NULL, 10);
    while (d.count > 1 && d.digits[d.count - 1] == '0') d.count--;
    d.digits[d.count] = 0;
    return d;
}

/* What `text` reads as in a dtype. */
static double read_back(fx_dtype dtype, const char *text) {
    if (dtype == FX_F32) return (double)strtof(text, NULL);
    double value = strtod(text, NULL);
    if (dtype == FX_F64) return value;
    uint16_t room = 0; /* the dtypes left are one or two bytes */
    fxi_element_store(dtype, &room, 0, (fxi_scalar){.re = value});
    return fxi_element_load(dtype, &room, 0).re;
}

static decimal find_shortest(fx_dtype dtype, double value) {
    char text[40];
    for (int digits = 1;; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (digits == MOST_DIGITS || read_back(dtype, text) == value) return parse_decimal(text);
    }
}

/* Plain notation between 1e-5 and 1e16, else d.ddde+XX. */
static void add_decimal(fxi_text *text, const decimal *d) {
    if (d->negative) fxi_text_add(text, "-");
    if (d->exponent < -5 || d->exponent >= 16) {
        fxi_text_add(text, d->count > 1 ? "%c.%se%+03d" : "%c%se%+03d", d->digits[0], d->digits + 1,
                     d->exponent);
    } else if (d->exponent < 0) {
        fxi_text_add(text, "0.%.*s%s", -d->exponent - 1, "0000", d->digits);
    } else {
        int whole = d->exponent + 1; /* digits before the point */
        for (int i = 0; i < whole; i++) fxi_text_add_bytes(text, i < d->count ? &d->digits[i] : "0", 1);
        if (d->count > whole) fxi_text_add(text, ".%s", d->digits + whole);
    }
}

static void add_fixed(fxi_text *text, double value, int precision) {
    char buffer[400]; /* 309 digits, sign, point and at most 60 decimals */
    int length = snprintf(buffer, sizeof buffer, "%.*f", precision > 60 ? 60 : precision, value);
    for (int i = 0; i < length; i++) {
        bool own = (buffer[i] >= '0' && buffer[i] <= '9') || buffer[i] == '-';
        fxi_text_add_bytes(text, own ? &buffer[i] : ".", 1);
    }
}

static void add_float(fxi_text *text, fx_dtype dtype, double value, int precision) {
    if (isnan(value)) {
        fxi_text_add(text, "NaN");
    } else if (isinf(value)) {
        fxi_text_add(text, value < 0 ? "-Inf" : "Inf");
    } else if (precision > 0) {
        add_fixed(text, value, precision);
    } else {
        decimal d = find_shortest(dtype, value);
        add_decimal(text, &d);
    }
}

static void add_element(fxi_text *text, fx_dtype dtype, fxi_scalar value, int precision) {
    const fxi_dtype_info *info = fxi_dtype_info_of(dtype);
    switch (info->kind) {
    case FXI_KIND_BOOL: fxi_text_add(text, value.i ? "true" : "false"); break;
    case FXI_KIND_SIGNED: fxi_text_add(text, "%lld", (long long)value.i); break;
    case FXI_KIND_UNSIGNED: fxi_text_add(text, "%llu", (unsigned long long)value.i); break;
    case FXI_KIND_FLOAT: add_float(text, dtype, value.re, precision); break;
    case FXI_KIND_COMPLEX:
        fxi_text_add(text, "(");
        add_float(text, info->real, value.re, precision);
        if (isnan(value.im) || !signbit(value.im)) fxi_text_add(text, "+");
        add_float(text, info->real, value.im, precision);
        fxi_text_add(text, "i)");
        break;
    case FXI_KIND_NONE: break;
    }
}

/* ---- nesting ---- */

typedef struct walk {
    fxi_text *text;
    const fx_tensor *tensor;
    fx_format_options options;
    size_t enough; /* stop once the text is this long; the rest would be cut anyway */
    int64_t strides[FX_MAX_RANK];
} walk;

static void add_separator(walk *w, int axis, int64_t i) {
    int rank = w->tensor->shape.rank;
    bool new_line = w->options.row_a_line && axis == rank - 2;
    if (i > 0) fxi_text_add(w->text, new_line ? "," : ", ");
    if (new_line) fxi_text_add(w->text, "\n%*s", 2 * (axis + 1), "");
}

static void add_axis(walk *w, int axis, int64_t offset) {
    const fx_shape *shape = &w->tensor->shape;
    if (axis == shape->rank) {
        add_element(w->text, shape->dtype, fxi_element_load(shape->dtype, w->tensor->data, offset),
                    w->options.precision);
        return;
    }
    int64_t dim = shape->dims[axis];
    bool cut = !w->options.full && dim > LONG_AXIS;
    fxi_text_add(w->text, "{");
    for (int64_t i = 0; i < dim && w->text->length < w->enough && !w->text->failed; i++) {
        add_separator(w, axis, i);
        if (cut && i == EDGE) {
            fxi_text_add(w->text, "...");
            i = dim - EDGE - 1;
        } else {
            add_axis(w, axis + 1, offset + i * w->strides[axis]);
        }
    }
    if (w->options.row_a_line && axis == shape->rank - 2 && dim > 0)
        fxi_text_add(w->text, "\n%*s", 2 * axis, "");
    fxi_text_add(w->text, "}");
}

static void add_tensor(fxi_text *text, const fx_tensor *tensor, const fx_format_options *options,
                       size_t enough) {
    if (!tensor) {
        fxi_text_add(text, "NULL");
        return;
    }
    walk w = {.text = text, .tensor = tensor, .enough = enough};
    if (options) {
        size_t known = options->size && options->size < sizeof *options ? options->size : sizeof *options;
        memcpy(&w.options, options, known);
    }
    const fx_shape *shape = &tensor->shape;
    for (int i = 0; i < shape->rank; i++) fxi_text_add(text, "[%lld]", (long long)shape->dims[i]);
    fxi_text_add(text, "%s", fx_dtype_name(shape->dtype));
    if (!fx_tensor_is_valid(tensor)) {
        fxi_text_add(text, "<donated>");
        return;
    }
    if (!fx_tensor_fetch(tensor, NULL)) {
        fxi_text_add(text, "<lost>");
        return;
    }
    fxi_shape_strides(shape, w.strides);
    if (shape->rank == 0) fxi_text_add(text, "(");
    add_axis(&w, 0, 0);
    if (shape->rank == 0) fxi_text_add(text, ")");
}

void fxi_tensor_add_text(fxi_text *text, const fx_tensor *tensor, const fx_format_options *options) {
    add_tensor(text, tensor, options, SIZE_MAX);
}

/* ---- public ---- */

fx_text fx_tensor_text(const fx_tensor *tensor) {
    fx_text result = {{0}};
    fxi_text text = fxi_text_fixed(result.s, sizeof result.s);
    add_tensor(&text, tensor, NULL, sizeof result.s);
    if (text.length >= sizeof result.s) memcpy(result.s + sizeof result.s - 4, "...", 4);
    return result;
}

size_t fx_tensor_format(const fx_tensor *tensor, char *buffer, size_t size,
                        const fx_format_options *options) {
    fxi_text text = fxi_text_fixed(buffer, buffer ? size : 0);
    fxi_tensor_add_text(&text, tensor, options);
    return text.length;
}

bool fx_tensor_print(const fx_tensor *tensor, FILE *stream, const fx_format_options *options) {
    if (!stream) return false;
    fxi_text text = {0};
    fxi_tensor_add_text(&text, tensor, options);
    fxi_text_add(&text, "\n");
    bool ok = !text.failed && fwrite(text.data, 1, text.length, stream) == text.length;
    fxi_text_free(&text);
    return ok;
}
