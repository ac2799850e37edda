/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of constants. The content of dense<...> stays text until a tensor is asked for; the parser
 * walks it once to see that it is well formed. The walk knows the depth of brackets by counters, one per
 * axis.
 *
 * Blobs of booleans come in two encodings, a byte each and, from before 2026, a bit each; the number of
 * bytes tells which. Elements below a byte have a byte each in blobs. */
#include "stablehlo/parse_internal.h"
#include <string.h>

/* ---- one element ---- */

typedef struct reader {
    const fxi_hlo_module *module;
    const fxi_hlo_attr *attr;
    fx_error *err;
    const char *at, *end;
    fx_dtype dtype; /* FX_INVALID_DTYPE: one that we have not, so that numbers are only skipped */
    const fxi_dtype_info *info;
    unsigned char *bytes; /* of a tensor, unpacked; NULL: nothing is stored there */
    int64_t *ints;        /* integers instead */
    int64_t stored;
} reader;

static bool fail(reader *r, const char *what) {
    fxi_hlo_place place = r->attr->place;
    uintptr_t offset = (uintptr_t)r->at - (uintptr_t)r->module->source; /* beyond it: a made text */
    if (offset <= r->module->source_length) place = fxi_hlo_place_at(r->module, offset);
    return fxi_hlo_fail(r->module, place, r->err, "%s", what);
}

static char peek(reader *r) {
    for (; r->at < r->end; r->at++) {
        char c = *r->at;
        if (c == '/' && r->end - r->at > 1 && r->at[1] == '/') {
            const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
            if (!newline) newline = r->end;
            r->at = newline - (newline == r->end);
        } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            return c;
        }
    }
    return 0;
}

static bool eat(reader *r, char sign) {
    if (peek(r) != sign) return false;
    r->at++;
    return true;
}

static bool eat_word(reader *r, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

static size_t element_bytes(const reader *r) {
    return r->info->bits < 8 ? 1 : (size_t)r->info->bits / 8;
}

/* Whether an integer is in the range of the dtype; without sign in MLIR both readings are. */
static bool in_range(const reader *r, uint64_t bits, bool negative) {
    int width = r->info->kind == FXI_KIND_BOOL ? 1 : r->info->bits;
    uint64_t top = (uint64_t)1 << (width - 1);
    if (negative) return r->info->kind == FXI_KIND_UNSIGNED ? bits == 0 : bits <= top;
    return width == 64 || bits < top << 1;
}

static bool read_int(reader *r, fxi_hlo_span text, fxi_scalar *value) {
    uint64_t bits;
    bool negative, hex;
    if (!fxi_mlir_number_bits(text, &bits, &negative, &hex) || !in_range(r, bits, negative))
        return fail(r, "the integer does not fit into the elements' type");
    value->i = (int64_t)(negative ? 0 - bits : bits);
    if (r->info->kind == FXI_KIND_BOOL) value->i = bits != 0;
    if (r->info->kind == FXI_KIND_UNSIGNED || r->info->bits == 64) return true;
    int unused = 64 - (r->info->kind == FXI_KIND_BOOL ? 8 : r->info->bits); /* 255 : i8 is -1 */
    value->i = (int64_t)((uint64_t)value->i << unused) >> unused;
    return true;
}

/* A float, or the pattern of its bits in hexadecimal; part is its dtype. */
static bool read_float(reader *r, fxi_hlo_span text, bool is_float, fx_dtype part, double *value) {
    const fxi_dtype_info *info = fxi_dtype_info_of(part);
    uint64_t bits;
    bool negative, hex;
    if (is_float) {
        if (!r->bytes) return true; /* only looked at */
        return fxi_mlir_number_double(text, value) || fail(r, "the number is too long or too large");
    }
    if (!fxi_mlir_number_bits(text, &bits, &negative, &hex) ||
        (hex && info->bits < 64 && bits >> info->bits))
        return fail(r, "the bit pattern does not fit into the elements' type");
    if (!hex || negative) return fail(r, "an integer where a number with a point is expected");
    *value = fxi_element_load(part, &bits, 0).re;
    return true;
}

/* A number without brackets around it. */
static bool read_number(reader *r, double *real, fxi_scalar *value) {
    bool is_float;
    peek(r);
    fxi_hlo_span text = {r->at, fxi_mlir_number_length(r->at, r->end, &is_float)};
    if (text.length == 0) return fail(r, "expected a number");
    bool integers = r->info->kind < FXI_KIND_FLOAT;
    if (integers && is_float) return fail(r, "a number with a point among integers");
    bool ok =
        integers ? read_int(r, text, value) : read_float(r, text, is_float, fx_dtype_real(r->dtype), real);
    r->at += text.length;
    return ok;
}

static bool read_scalar(reader *r, fxi_scalar *value) {
    *value = (fxi_scalar){0};
    if (r->info->kind == FXI_KIND_COMPLEX) {
        if (!eat(r, '(')) return fail(r, "expected '(' of a complex number");
        return read_number(r, &value->re, value) && (eat(r, ',') || fail(r, "expected ','")) &&
               read_number(r, &value->im, value) && (eat(r, ')') || fail(r, "expected ')'"));
    }
    if (r->info->kind == FXI_KIND_BOOL) {
        peek(r);
        value->i = 1;
        if (eat_word(r, "true")) return true;
        value->i = 0;
        if (eat_word(r, "false")) return true;
    }
    return read_number(r, &value->re, value);
}

/* The pattern of a float is stored as it is: a NaN keeps its payload. */
static bool store_pattern(reader *r) {
    bool is_float, negative, hex;
    uint64_t bits = 0;
    fxi_hlo_span text = {r->at, fxi_mlir_number_length(r->at, r->end, &is_float)};
    if (text.length == 0 || !fxi_mlir_number_bits(text, &bits, &negative, &hex) ||
        (r->info->bits < 64 && bits >> r->info->bits))
        return fail(r, "the bit pattern does not fit into the elements' type");
    size_t bytes = element_bytes(r);
    for (size_t i = 0; i < bytes; i++)
        r->bytes[(size_t)r->stored * bytes + i] = (unsigned char)(bits >> (8 * i));
    r->stored++;
    r->at += text.length;
    return true;
}

static bool read_element(reader *r) {
    fxi_scalar value;
    bool pattern = peek(r) == '0' && r->end - r->at > 2 && r->at[1] == 'x';
    if (pattern && r->bytes && r->info->kind == FXI_KIND_FLOAT) return store_pattern(r);
    FX_TRY(read_scalar(r, &value));
    fx_dtype whole = r->info->bits < 8 ? FX_S8 : r->dtype;
    if (r->bytes) fxi_element_store(whole, r->bytes, r->stored, value);
    if (r->ints) r->ints[r->stored] = value.i;
    r->stored++;
    return true;
}

/* ---- nested lists ---- */

/* Counters of the open brackets: how many items each has so far. */
typedef struct depth {
    const fx_shape *shape;
    int64_t seen[FX_MAX_RANK];
    int open;
} depth;

/* An item begins: its list must have room for it. */
static bool count_item(reader *r, depth *d) {
    if (d->seen[d->open - 1] == d->shape->dims[d->open - 1])
        return fail(r, "more elements than the type has");
    d->seen[d->open - 1]++;
    return true;
}

static bool open_list(reader *r, depth *d) {
    if (d->open == d->shape->rank) return fail(r, "brackets deeper than the type has dimensions");
    if (d->open > 0) FX_TRY(count_item(r, d));
    r->at++;
    d->seen[d->open++] = 0;
    return true;
}

/* Closes what ends here and eats the comma that must stand before another item. */
static bool close_lists(reader *r, depth *d) {
    while (d->open > 0 && eat(r, ']')) {
        d->open--;
        if (d->seen[d->open] != d->shape->dims[d->open]) {
            r->at--;
            return fail(r, "fewer elements than the type has");
        }
    }
    if (d->open == 0) return true;
    return eat(r, ',') || fail(r, "expected ',' or ']'");
}

static bool read_lists(reader *r) {
    depth d = {.shape = &r->attr->type->shape};
    do {
        if (peek(r) == '[') {
            FX_TRY(open_list(r, &d));
            if (peek(r) == ']') FX_TRY(close_lists(r, &d));
            continue;
        }
        if (d.open < d.shape->rank) return fail(r, "expected '['");
        FX_TRY(count_item(r, &d) && read_element(r) && close_lists(r, &d));
    } while (d.open > 0);
    return peek(r) == 0 || fail(r, "expected '>'");
}

/* ---- blobs: "0x..." ---- */

/* The value of a hexadecimal digit, plus one; 0: it is none. */
static const unsigned char digit_of[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};

static bool check_digits(reader *r) {
    const unsigned char *at = (const unsigned char *)r->at,
                        *end = (const unsigned char *)r->end - 1; /* quote */
    int others = 0;
    for (; at < end; at++) others |= digit_of[*at] == 0;
    while (others && digit_of[(unsigned char)*r->at]) r->at++;
    return !others || fail(r, "expected hexadecimal digits");
}

static void decode(const char *digits, size_t bytes, unsigned char *out) {
    const unsigned char *at = (const unsigned char *)digits;
    for (size_t i = 0; i < bytes; i++, at += 2)
        out[i] = (unsigned char)((digit_of[at[0]] - 1) << 4 | (digit_of[at[1]] - 1));
}

/* What the elements of a blob are, by its length; 0: neither. */
static int64_t blob_bits(const reader *r, int64_t bytes, int64_t count) {
    int64_t width = (int64_t)element_bytes(r);
    if (bytes == width * count) return width * 8;
    if (r->info->kind == FXI_KIND_BOOL && bytes == count / 8 + (count % 8 != 0)) return 1;
    return 0;
}

/* Behind the opening quote and 0x. True with r->stored == 1: the blob is one element, which is meant for
 * all. */
static bool read_blob(reader *r, int64_t count) {
    if (r->end - r->at < 4 || r->end[-1] != '"' || memcmp(r->at, "\"0x", 3) != 0)
        return fail(r, "a string where \"0x...\" is expected");
    r->at += 3;
    FX_TRY(check_digits(r));
    int64_t digits = r->end - 1 - r->at, bytes = digits / 2, bits = blob_bits(r, bytes, count);
    bool splat = bits == 0 && bytes == (int64_t)element_bytes(r);
    if (digits % 2 || (bits == 0 && !splat))
        return fail(r, "the blob has another number of bytes than the type");
    r->stored = splat ? 1 : count;
    if (!r->bytes) return true;
    if (bits == 1) {
        for (int64_t i = 0; i < count; i++) {
            unsigned char byte;
            decode(r->at + i / 8 * 2, 1, &byte);
            r->bytes[i] = byte >> (i % 8) & 1;
        }
        return true;
    }
    decode(r->at, (size_t)bytes, r->bytes);
    for (int64_t i = 0; r->info->kind == FXI_KIND_BOOL && i < bytes; i++) r->bytes[i] = r->bytes[i] != 0;
    return true;
}

/* ---- all of them ---- */

static reader reader_of(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fx_error *err) {
    reader r = {.module = module, .attr = attr, .err = err, .at = attr->text.at};
    r.end = r.at + attr->text.length;
    r.dtype = attr->type->kind == FXI_HLO_TENSOR ? attr->type->shape.dtype : FX_INVALID_DTYPE;
    r.info = fxi_dtype_info_of(r.dtype);
    return r;
}

bool fxi_hlo_dense_is_splat(const fxi_hlo_attr *attr) {
    if (attr->kind != FXI_HLO_ATTR_DENSE || attr->type->kind != FXI_HLO_TENSOR) return false;
    fxi_hlo_span text = attr->text;
    if (text.length == 0) return false;
    if (*text.at == '"') {
        int bits = fxi_dtype_info_of(attr->type->shape.dtype)->bits;
        size_t digits = bits < 8 ? 2 : (size_t)bits / 4;
        return text.length == digits + 4 && fx_shape_size(&attr->type->shape) > 1 &&
               !(attr->type->shape.dtype == FX_BOOL && fx_shape_size(&attr->type->shape) <= 8);
    }
    return *text.at != '[' && attr->type->shape.rank > 0;
}

/* Whatever form it has: r->stored elements, one of a splat. */
static bool read_content(reader *r) {
    int64_t count = fx_shape_size(&r->attr->type->shape);
    char first = peek(r);
    if (first == 0) return count == 0 || fail(r, "a constant without elements");
    if (first == '"') return read_blob(r, count);
    if (first == '[') return read_lists(r);
    return read_element(r) && (peek(r) == 0 || fail(r, "expected '>'"));
}

bool fxi_mlir_check_dense(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fx_error *err) {
    reader r = reader_of(module, attr, err);
    return r.dtype == FX_INVALID_DTYPE || read_content(&r);
}

/* The elements as bytes of whole ones, one or all of them, given to a tensor. */
static bool fill(reader *r, fx_tensor *tensor, bool splat) {
    int64_t count = fx_shape_size(&tensor->shape);
    bool packed = fxi_dtype_is_packed(r->dtype), own = packed || count == 0; /* one number for none, too */
    size_t width = element_bytes(r);
    unsigned char *bytes = own ? fxi_alloc(count == 0 ? width : (size_t)count) : tensor->data;
    if (!bytes) return fxi_fail_memory(r->err, "fx_module_parse");
    r->bytes = bytes;
    bool ok = read_content(r);
    for (int64_t i = 1; ok && splat && i < count; i++) memcpy(bytes + (size_t)i * width, bytes, width);
    if (ok && packed && count > 0) fxi_pack(r->dtype, bytes, count, tensor->data);
    if (own) fxi_free(bytes);
    return ok;
}

static fx_tensor *read_tensor(const fxi_hlo_module *module, const fxi_hlo_attr *attr, const fx_shape *shape,
                              fx_error *err) {
    reader r = reader_of(module, attr, err);
    fx_tensor *tensor = fx_tensor_new(shape, err);
    if (!tensor || fill(&r, tensor, fxi_hlo_dense_is_splat(attr))) return tensor;
    fx_tensor_free(tensor);
    return NULL;
}

static bool check_kind(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fx_error *err) {
    if (attr->kind != FXI_HLO_ATTR_DENSE)
        return fxi_hlo_fail(module, attr->place, err, "expected dense<...>");
    return attr->type->kind == FXI_HLO_TENSOR ||
           fxi_hlo_refuse(module, attr->place, err, "a constant of type %.*s",
                          FXI_HLO_TEXT(attr->type->text));
}

fx_tensor *fxi_hlo_dense(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fx_error *err) {
    if (!check_kind(module, attr, err)) return NULL;
    if (fxi_hlo_dense_is_splat(attr) && fx_shape_bytes(&attr->type->shape) > FXI_HLO_MOST_SPLAT) {
        fxi_fail(err, FX_ERROR_MEMORY, "%s:%u: a constant of %lld bytes that is one number", module->file,
                 attr->place.line, (long long)fx_shape_bytes(&attr->type->shape));
        return NULL;
    }
    return read_tensor(module, attr, &attr->type->shape, err);
}

fx_tensor *fxi_hlo_dense_splat(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fx_error *err) {
    if (!check_kind(module, attr, err)) return NULL;
    if (!fxi_hlo_dense_is_splat(attr)) {
        fxi_hlo_fail(module, attr->place, err, "a constant that is more than one number");
        return NULL;
    }
    fx_shape shape = fxi_shape_scalar(attr->type->shape.dtype);
    return read_tensor(module, attr, &shape, err);
}

/* ---- lists of integers ---- */

enum { MOST_INTS = 1 << 20 };

static bool ints_of_list(const fxi_hlo_module *module, const fxi_hlo_attr *attr, int64_t *ints,
                         fx_error *err) {
    for (size_t i = 0; i < attr->u.list.n; i++) {
        const fxi_hlo_attr *item = attr->u.list.v[i];
        if (item->kind != FXI_HLO_ATTR_INT && item->kind != FXI_HLO_ATTR_BOOL)
            return fxi_hlo_fail(module, item->place, err, "expected an integer");
        ints[i] = item->u.i;
    }
    return true;
}

static bool ints_of_dense(const fxi_hlo_module *module, const fxi_hlo_attr *attr, int64_t *ints,
                          int64_t count, fx_error *err) {
    reader r = reader_of(module, attr, err);
    r.ints = ints;
    if (peek(&r) == '"') { /* a blob: through a tensor */
        fx_tensor *tensor = fxi_hlo_dense(module, attr, err);
        for (int64_t i = 0; tensor && i < count; i++)
            ints[i] = fxi_element_load(tensor->shape.dtype, tensor->data, i).i;
        fx_tensor_free(tensor);
        return tensor != NULL;
    }
    FX_TRY(read_content(&r));
    for (int64_t i = 1; r.stored == 1 && i < count; i++) ints[i] = ints[0];
    return true;
}

bool fxi_hlo_ints(const fxi_hlo_module *module, const fxi_hlo_attr *attr, fxi_arena *arena, fx_dims *ints,
                  fx_error *err) {
    bool list = attr->kind == FXI_HLO_ATTR_LIST, dense = attr->kind == FXI_HLO_ATTR_DENSE;
    if (attr->kind == FXI_HLO_ATTR_INTS) {
        *ints = attr->u.ints;
        return true;
    }
    dense = dense && attr->type->kind == FXI_HLO_TENSOR &&
            fxi_dtype_info_of(attr->type->shape.dtype)->kind < FXI_KIND_FLOAT;
    if (!list && !dense) return fxi_hlo_fail(module, attr->place, err, "expected a list of integers");
    int64_t count = list ? (int64_t)attr->u.list.n : fx_shape_size(&attr->type->shape);
    if (count > MOST_INTS) return fxi_hlo_fail(module, attr->place, err, "more than %d integers", MOST_INTS);
    int64_t *v =
        fxi_arena_alloc(arena, (size_t)count + 1, sizeof *v); /* a splat stores one, also for none */
    if (!v) return fxi_fail_memory(err, module->file);
    *ints = (fx_dims){v, (size_t)count};
    return list ? ints_of_list(module, attr, v, err) : ints_of_dense(module, attr, v, count, err);
}
