/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of .npy files: a Python dictionary literal with the keys descr, fortran_order and shape. NumPy
 * reads it with Python's own parser of literals; here only what a header can hold is understood: one
 * dictionary of three members, strings without escapes, True and False, and a tuple of numbers. Everything
 * else, and so every nesting, is refused at its first character. */
#include "tensor/npy.h"
#include <string.h>

/* ---- dtypes ---- */

/* Elements as NumPy's kind and size name them, and as it has no name for (raw). */
static const struct {
    const char *code;
    fx_dtype dtype;
} codes[] = {
    {"b1", FX_BOOL}, {"i1", FX_S8},  {"i2", FX_S16}, {"i4", FX_S32},   {"i8", FX_S64},
    {"u1", FX_U8},   {"u2", FX_U16}, {"u4", FX_U32}, {"u8", FX_U64},   {"f2", FX_F16},
    {"f4", FX_F32},  {"f8", FX_F64}, {"c8", FX_C64}, {"c16", FX_C128},
};
enum { CODES = sizeof codes / sizeof *codes };

static const char *code_of(fx_dtype dtype) {
    for (int i = 0; i < CODES; i++)
        if (codes[i].dtype == dtype) return codes[i].code;
    return fx_dtype_bits(dtype) == 16 ? "V2" : "V1";
}

/* Bytes of an element in a file: packed integers lie one to a byte. */
static int file_width(fx_dtype dtype) {
    int bits = fx_dtype_bits(dtype);
    return bits < 8 ? 1 : bits / 8;
}

static fx_dtype dtype_of_code(const char *code) {
    for (int i = 0; i < CODES; i++)
        if (strcmp(codes[i].code, code) == 0) return codes[i].dtype;
    for (int d = 0; d < FX_DTYPE_LIMIT; d++)
        if (fx_dtype_is_valid((fx_dtype)d) && strcmp(fx_dtype_name((fx_dtype)d), code) == 0)
            return (fx_dtype)d;
    return strcmp(code, "?") == 0 ? FX_BOOL : strcmp(code, "f1") == 0 ? FX_F8E5M2 : FX_INVALID_DTYPE;
}

static bool fail_dtype(const char *descr, fx_error *err) {
    const char *kind = strspn(descr, "<>|=") == 0 ? descr : descr + 1;
    const char *what = *kind == 'O'                   ? "objects of Python"
                       : *kind == 'S' || *kind == 'U' ? "text"
                       : *kind == 'M' || *kind == 'm' ? "dates or times"
                       : *kind == 'V'                 ? "raw bytes"
                                                      : "unknown here";
    return fxi_fail(err, FX_ERROR_FILE, "its elements are '%s': %s", descr, what);
}

/* Raw elements of one or two bytes are what the caller says. */
static bool raw_dtype(const char *descr, int width, fx_dtype raw, fx_dtype *dtype, fx_error *err) {
    if (!fx_dtype_is_valid(raw))
        return fxi_fail(err, FX_ERROR_FILE, "its elements are '%s', raw bytes: say whether they are %s",
                        descr, width == 2 ? "bfloat16" : "float8 or packed integers, and which");
    if (file_width(raw) != width)
        return fxi_fail(err, FX_ERROR_FILE, "its elements are '%s', which cannot be %s", descr,
                        fx_dtype_name(raw));
    *dtype = raw;
    return true;
}

static bool read_dtype(const char *descr, fx_dtype raw, fxi_npy_header *header, fx_error *err) {
    char order = strspn(descr, "<>|=") > 0 ? descr[0] : '=';
    const char *code = descr[0] == order ? descr + 1 : descr;
    header->swapped = order == '>';
    bool one = strcmp(code, "V1") == 0;
    if (one || strcmp(code, "V2") == 0) return raw_dtype(descr, one ? 1 : 2, raw, &header->shape.dtype, err);
    header->shape.dtype = dtype_of_code(code);
    return header->shape.dtype != FX_INVALID_DTYPE || fail_dtype(descr, err);
}

/* ---- the literal ---- */

enum { LONGEST_STRING = 64 };

typedef struct reader {
    const char *at, *begin, *end;
    fx_error *err;
} reader;

static bool fail_literal(reader *r, const char *wanted) {
    return fxi_fail(r->err, FX_ERROR_FILE, "the header at character %lld: %s was expected",
                    (long long)(r->at - r->begin), wanted);
}

static void skip_space(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

/* Whether `c` comes next, which is then taken. */
static bool take(reader *r, char c) {
    skip_space(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool take_word(reader *r, const char *word) {
    skip_space(r);
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

/* Python 2 may write u before the quote. */
static bool read_string(reader *r, char text[LONGEST_STRING]) {
    char quote = 0;
    skip_space(r);
    if (r->end - r->at > 1 && *r->at == 'u' && (r->at[1] == '\'' || r->at[1] == '"')) r->at++;
    if (take(r, '\''))
        quote = '\'';
    else if (take(r, '"'))
        quote = '"';
    else
        return fail_literal(r, "a string");
    size_t n = 0;
    for (; r->at < r->end && *r->at != quote; r->at++) {
        if (n + 1 == LONGEST_STRING || *r->at == '\\' || *r->at == '\n' || *r->at == 0)
            return fail_literal(r, "a short string without escapes");
        text[n++] = *r->at;
    }
    text[n] = 0;
    return take(r, quote) || fail_literal(r, "the end of a string");
}

/* Decimal digits; the L of Python 2 may follow. */
static bool read_dim(reader *r, int64_t *dim) {
    skip_space(r);
    const char *first = r->at;
    *dim = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (!fxi_size_mul(*dim, 10, dim) || !fxi_size_add(*dim, *r->at - '0', dim))
            return fail_literal(r, "a number below 2^63");
    if (r->at == first || (*first == '0' && r->at > first + 1)) return fail_literal(r, "a dimension");
    take_word(r, "L");
    return true;
}

/* A tuple: of one number only with a comma. */
static bool read_shape(reader *r, fx_shape *shape) {
    int64_t dims[FX_MAX_RANK];
    size_t rank = 0;
    bool comma = true;
    if (!take(r, '(')) return fail_literal(r, "( before the dimensions");
    while (!take(r, ')')) {
        if (!comma) return fail_literal(r, "a comma or )");
        if (rank == FX_MAX_RANK) return fxi_fail(r->err, FX_ERROR_FILE, "more than 16 dimensions");
        FX_TRY(read_dim(r, &dims[rank++]));
        comma = take(r, ',');
    }
    if (rank == 1 && !comma) return fail_literal(r, "a comma behind the only dimension");
    *shape = fx_shape_make(shape->dtype, dims, rank);
    return true;
}

static bool read_bool(reader *r, bool *value) {
    *value = take_word(r, "True");
    return *value || take_word(r, "False") || fail_literal(r, "True or False");
}

enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };

static int key_of(const char *key) {
    return strcmp(key, "descr") == 0           ? DESCR
           : strcmp(key, "fortran_order") == 0 ? ORDER
           : strcmp(key, "shape") == 0         ? SHAPE
                                               : 0;
}

static bool read_descr(reader *r, char descr[LONGEST_STRING]) {
    skip_space(r);
    if (r->at < r->end && (*r->at == '[' || *r->at == '('))
        return fxi_fail(r->err, FX_ERROR_FILE, "its elements are structures");
    return read_string(r, descr);
}

/* The members in any order, each once. */
static bool read_literal(reader *r, char descr[LONGEST_STRING], fxi_npy_header *header) {
    int seen = 0;
    bool comma = true;
    if (!take(r, '{')) return fail_literal(r, "{");
    while (!take(r, '}')) {
        char name[LONGEST_STRING];
        if (!comma) return fail_literal(r, "a comma or }");
        FX_TRY(read_string(r, name));
        int key = key_of(name);
        if (key == 0 || (seen & key))
            return fxi_fail(r->err, FX_ERROR_FILE, "the header's key '%s' is unknown or occurs twice", name);
        seen |= key;
        if (!take(r, ':')) return fail_literal(r, ":");
        FX_TRY(key == DESCR   ? read_descr(r, descr)
               : key == ORDER ? read_bool(r, &header->fortran)
                              : read_shape(r, &header->shape));
        comma = take(r, ',');
    }
    if (seen != ALL) return fxi_fail(r->err, FX_ERROR_FILE, "the header lacks descr, fortran_order or shape");
    skip_space(r);
    return r->at == r->end || fail_literal(r, "the end");
}

bool fxi_npy_header_parse(fxi_npy_header *header, const char *text, size_t bytes, fx_dtype raw,
                          fx_error *err) {
    reader r = {text, text, text + bytes, err};
    char descr[LONGEST_STRING];
    *header = (fxi_npy_header){.shape = fxi_shape_scalar(FX_U8)};
    FX_TRY(read_literal(&r, descr, header) && read_dtype(descr, raw, header, err));
    int64_t size = fx_shape_size(&header->shape);
    if (!fx_shape_is_valid(&header->shape) || size < 0 ||
        !fxi_size_mul(size, file_width(header->shape.dtype), &header->bytes))
        return fxi_fail(err, FX_ERROR_FILE, "its shape has more than 2^63 bytes");
    return true;
}

/* ---- writing ---- */

void fxi_npy_header_add(fxi_text *text, const fx_shape *shape) {
    enum { LEAD = 10, ALIGNMENT = 64 };
    char buffer[512]; /* 16 dimensions of 19 digits and what is around them */
    fxi_text literal = fxi_text_fixed(buffer, sizeof buffer);
    const char *order = file_width(shape->dtype) > 1 || code_of(shape->dtype)[0] == 'V' ? "<" : "|";
    fxi_text_add(&literal, "{'descr': '%s%s', 'fortran_order': False, 'shape': (", order,
                 code_of(shape->dtype));
    for (int i = 0; i < shape->rank; i++)
        fxi_text_add(&literal, "%s%lld", i ? ", " : "", (long long)shape->dims[i]);
    fxi_text_add(&literal, shape->rank == 1 ? ",), }" : "), }");
    while ((LEAD + literal.length + 1) % ALIGNMENT != 0) fxi_text_add(&literal, " ");
    fxi_text_add(&literal, "\n");
    const char lead[LEAD] = {
        '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(literal.length & 0xFF), (char)(literal.length >> 8)};
    fxi_text_add_bytes(text, lead, LEAD);
    fxi_text_add_bytes(text, buffer, literal.length);
}
