/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes that hold no others: numbers, strings, symbols, types, arrays, constants, and those of
 * dialects. The attributes of StableHLO and CHLO are read, `<a = 1, b = [2]>` as a dictionary, a lone word
 * as that word; those of other dialects are kept as text. */
#include "stablehlo/parse_internal.h"
#include <string.h>

static const char *source_end(const fxi_hlo_parser *p) {
    return p->module->source + p->module->source_length;
}

bool fxi_mlir_skip_attr_value(fxi_hlo_parser *p, fxi_hlo_span *text) {
    fxi_hlo_span skipped;
    fxi_mlir_peek(p);
    text->at = p->at;
    for (const char *end = p->at;; end = p->at) {
        char c = fxi_mlir_peek(p);
        if (c == 0) return fxi_mlir_expected(p, "',' or a closing bracket");
        if (strchr(",)]}>", c)) {
            text->length = (size_t)(end - text->at);
            return text->length > 0 || fxi_mlir_expected(p, "an attribute");
        }
        if (strchr("([{<", c))
            FX_TRY(fxi_mlir_skip_balanced(p, &skipped));
        else if (c == '"')
            FX_TRY(fxi_mlir_read_string(p, &skipped));
        else
            p->at++;
    }
}

/* ---- numbers ---- */

/* Whether bits are a number of that integer type, in either meaning where it has no sign. */
static bool fits(fx_dtype dtype, uint64_t bits, bool negative) {
    const fxi_dtype_info *info = fxi_dtype_info_of(dtype);
    int width = info->kind == FXI_KIND_BOOL ? 1 : info->bits;
    uint64_t top = (uint64_t)1 << (width - 1);
    if (negative) return info->kind != FXI_KIND_UNSIGNED ? bits <= top : bits == 0;
    return width == 64 || bits < top << 1;
}

static bool set_int(fxi_hlo_parser *p, fxi_hlo_attr *attr, fxi_hlo_span number) {
    uint64_t bits;
    bool negative, hex;
    fx_dtype dtype = attr->type ? attr->type->shape.dtype : FX_S64;
    const fxi_dtype_info *info = fxi_dtype_info_of(dtype);
    if (!fxi_mlir_number_bits(number, &bits, &negative, &hex))
        return fxi_mlir_error_at(p, attr->place, "the integer does not fit into 64 bits");
    if (info->kind == FXI_KIND_FLOAT && hex && !negative && (info->bits == 64 || bits >> info->bits == 0)) {
        attr->kind = FXI_HLO_ATTR_FLOAT; /* its bit pattern */
        attr->u.f = fxi_element_load(dtype, &bits, 0).re;
        return true;
    }
    if (attr->type && (attr->type->kind != FXI_HLO_SCALAR || info->kind >= FXI_KIND_FLOAT))
        return fxi_mlir_error_at(p, attr->place, "an integer of type %.*s", FXI_HLO_TEXT(attr->type->text));
    if (!fits(dtype, bits, negative))
        return fxi_mlir_error_at(p, attr->place, "the integer does not fit into its type");
    attr->kind = FXI_HLO_ATTR_INT;
    attr->u.i = (int64_t)(negative ? 0 - bits : bits);
    return true;
}

static bool set_float(fxi_hlo_parser *p, fxi_hlo_attr *attr, fxi_hlo_span number) {
    attr->kind = FXI_HLO_ATTR_FLOAT;
    if (attr->type && attr->type->kind == FXI_HLO_SCALAR && !fx_dtype_is_float(attr->type->shape.dtype))
        return fxi_mlir_error_at(p, attr->place, "a fraction of type %.*s", FXI_HLO_TEXT(attr->type->text));
    return fxi_mlir_number_double(number, &attr->u.f) ||
           fxi_mlir_error_at(p, attr->place, "the number is too long or too large");
}

static bool read_number(fxi_hlo_parser *p, fxi_hlo_attr *attr) {
    bool is_float;
    fxi_hlo_span number = {p->at, fxi_mlir_number_length(p->at, source_end(p), &is_float)};
    if (number.length == 0) return fxi_mlir_expected(p, "a number");
    p->at += number.length;
    if (fxi_mlir_eat(p, ":") && !(attr->type = fxi_mlir_read_type(p))) return false;
    return is_float ? set_float(p, attr, number) : set_int(p, attr, number);
}

/* ---- arrays: array<i64: 1, 2> ---- */

static bool push_int(fxi_hlo_parser *p, int64_t value) {
    return FXI_PUSH(&p->ints, value) || fxi_mlir_no_memory(p);
}

/* An integer, true or false. */
static bool read_int_or_bool(fxi_hlo_parser *p) {
    int64_t value = 1;
    if (!fxi_mlir_eat_word(p, "true")) {
        if (fxi_mlir_eat_word(p, "false"))
            value = 0;
        else
            FX_TRY(fxi_mlir_read_int(p, &value));
    }
    return push_int(p, value);
}

static bool take_ints(fxi_hlo_parser *p, size_t first, fxi_hlo_attr *attr) {
    attr->kind = FXI_HLO_ATTR_INTS;
    attr->u.ints.n = p->ints.count - first;
    attr->u.ints.v = fxi_mlir_keep(p, FXI_FROM(p->ints, first), attr->u.ints.n, sizeof(int64_t));
    p->ints.count = first;
    return attr->u.ints.v != NULL;
}

/* Floats: the list of a constant whose type is a vector. */
static bool read_float_array(fxi_hlo_parser *p, fxi_hlo_attr *attr, fx_dtype dtype) {
    fxi_hlo_span text = {p->at, 0};
    int64_t n = 0;
    if (fxi_mlir_peek(p) != '>') {
        FX_TRY(fxi_mlir_expect(p, ":"));
        text.at = p->at;
        do {
            bool is_float;
            fxi_mlir_peek(p);
            size_t length = fxi_mlir_number_length(p->at, source_end(p), &is_float);
            if (length == 0) return fxi_mlir_expected(p, "a number");
            p->at += length;
            n++;
        } while (fxi_mlir_eat(p, ","));
        text.length = (size_t)(p->at - text.at);
    }
    char *list = fxi_mlir_new(p, text.length + 2, 1);
    const fxi_hlo_type type = {.kind = FXI_HLO_TENSOR,
                               .shape = fx_shape_make(dtype, &n, 1),
                               .text = {attr->text.at, 5}}; /* array */
    if (!list || !(attr->type = fxi_mlir_unique_type(p, &type))) return false;
    if (text.length > 0) memcpy(list + 1, text.at, text.length);
    list[0] = '[';
    list[text.length + 1] = ']';
    attr->kind = FXI_HLO_ATTR_DENSE;
    attr->text = (fxi_hlo_span){list, text.length + 2};
    return fxi_mlir_check_dense(p->module, attr, p->err);
}

static bool read_array(fxi_hlo_parser *p, fxi_hlo_attr *attr) {
    FX_TRY(fxi_mlir_expect(p, "<"));
    const fxi_hlo_type *type = fxi_mlir_read_type(p);
    if (!type) return false;
    if (type->kind != FXI_HLO_SCALAR || fx_dtype_is_complex(type->shape.dtype))
        return fxi_mlir_error_at(p, attr->place, "an array of %.*s", FXI_HLO_TEXT(type->text));
    if (fx_dtype_is_float(type->shape.dtype))
        return read_float_array(p, attr, type->shape.dtype) && fxi_mlir_expect(p, ">");
    size_t first = p->ints.count;
    for (bool more = fxi_mlir_eat(p, ":"); more; more = fxi_mlir_eat(p, ",")) FX_TRY(read_int_or_bool(p));
    return fxi_mlir_expect(p, ">") && take_ints(p, first, attr);
}

static bool read_pair(fxi_hlo_parser *p) {
    return fxi_mlir_expect(p, "[") && read_int_or_bool(p) && fxi_mlir_expect(p, ",") &&
           read_int_or_bool(p) && fxi_mlir_expect(p, "]");
}

fxi_hlo_attr *fxi_mlir_read_ints(fxi_hlo_parser *p, bool pairs) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_INTS, fxi_mlir_here(p));
    size_t first = p->ints.count;
    if (!attr || !fxi_mlir_expect(p, "[")) return NULL;
    for (bool more = fxi_mlir_peek(p) != ']'; more; more = fxi_mlir_eat(p, ","))
        if (!(pairs ? read_pair(p) : read_int_or_bool(p))) return NULL;
    return fxi_mlir_expect(p, "]") && take_ints(p, first, attr) ? attr : NULL;
}

/* ---- constants: dense<...> : type ---- */

/* To the '>' that ends the content; what may hide one, a string or a comment, is rare. */
static bool skip_content(fxi_hlo_parser *p) {
    const char *end = source_end(p), *close = memchr(p->at, '>', (size_t)(end - p->at));
    size_t length = close ? (size_t)(close - p->at) : 0;
    if (close && !memchr(p->at, '"', length) && !memchr(p->at, '/', length)) {
        p->at = close;
        return true;
    }
    for (char c; (c = fxi_mlir_peek(p)) != '>';) {
        fxi_hlo_span ignored;
        if (c == 0) return fxi_mlir_expected(p, "'>'");
        if (c == '"')
            FX_TRY(fxi_mlir_read_string(p, &ignored));
        else
            p->at++;
    }
    return true;
}

static bool read_dense(fxi_hlo_parser *p, fxi_hlo_attr *attr) {
    FX_TRY(fxi_mlir_expect(p, "<"));
    fxi_mlir_peek(p);
    const char *begin = p->at;
    FX_TRY(skip_content(p));
    size_t length = (size_t)(p->at - begin);
    while (length > 0 && (unsigned char)begin[length - 1] <= ' ') length--;
    p->at++;
    attr->kind = FXI_HLO_ATTR_DENSE;
    attr->text = (fxi_hlo_span){begin, length};
    FX_TRY(fxi_mlir_expect(p, ":"));
    fxi_hlo_place place = fxi_mlir_here(p);
    if (!(attr->type = fxi_mlir_read_type(p))) return false;
    bool is_tensor = attr->type->kind == FXI_HLO_TENSOR && !attr->type->dynamic;
    if (!is_tensor && attr->type->kind != FXI_HLO_OTHER)
        return fxi_mlir_error_at(p, place, "a constant of type %.*s", FXI_HLO_TEXT(attr->type->text));
    return fxi_mlir_check_dense(p->module, attr, p->err);
}

/* ---- dialects ---- */

static bool is_ours(fxi_hlo_span name, const char **mnemonic) {
    static const char *const dialects[] = {"stablehlo", "chlo", "mhlo"};
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        size_t length = strlen(dialects[i]);
        if (name.length < length || memcmp(name.at, dialects[i], length) != 0) continue;
        *mnemonic = name.at + length + (name.length > length);
        return name.length == length || name.at[length] == '.';
    }
    return false;
}

static bool mnemonic_is(const char *mnemonic, fxi_hlo_span name, const char *wanted) {
    return fxi_hlo_span_is((fxi_hlo_span){mnemonic, (size_t)(name.at + name.length - mnemonic)}, wanted);
}

/* <word> or, without a mnemonic, <word WORD>: the last. False: something else; nothing was read. */
static bool try_word(fxi_hlo_parser *p, fxi_hlo_attr *attr, bool two) {
    const char *begin = p->at++;
    fxi_hlo_span first = fxi_mlir_word(p), word = two ? fxi_mlir_word(p) : first;
    if (first.length > 0 && word.length > 0 && fxi_mlir_eat(p, ">")) {
        attr->kind = FXI_HLO_ATTR_WORD;
        attr->text = word;
        return true;
    }
    p->at = begin;
    return false;
}

static bool begins_dict(fxi_hlo_parser *p) {
    const char *begin = p->at++;
    bool begins = fxi_mlir_peek(p) == '>' || (fxi_mlir_word(p).length > 0 && fxi_mlir_peek(p) == '=');
    p->at = begin;
    return begins;
}

static bool read_dialect(fxi_hlo_parser *p, fxi_hlo_span name, fxi_hlo_attr **attr, bool *open) {
    const char *mnemonic, *begin = name.at - 1;
    if (*p->at == '<' && is_ours(name, &mnemonic)) {
        if (mnemonic_is(mnemonic, name, "conv")) {
            p->at++;
            *attr = fxi_mlir_read_conv(p);
            return *attr && fxi_mlir_expect(p, ">");
        }
        if (try_word(p, *attr, mnemonic == name.at + name.length)) return true;
        if (begins_dict(p)) {
            p->at++;
            (*attr)->kind = FXI_HLO_ATTR_DICT;
            return *open = true;
        }
    }
    fxi_hlo_span skipped;
    if (*p->at == '<') FX_TRY(fxi_mlir_skip_balanced(p, &skipped));
    (*attr)->kind = FXI_HLO_ATTR_OPAQUE;
    (*attr)->text = (fxi_hlo_span){begin, (size_t)(p->at - begin)};
    return true;
}

static bool read_hash(fxi_hlo_parser *p, fxi_hlo_attr **attr, bool *open) {
    fxi_hlo_span name;
    p->at++;
    FX_TRY(fxi_mlir_read_word(p, "the name of an attribute", &name));
    if (*p->at == '<' || memchr(name.at, '.', name.length)) return read_dialect(p, name, attr, open);
    const fxi_hlo_attr *defined = fxi_mlir_find_alias(p, name);
    if (!defined) return fxi_mlir_error_at(p, (*attr)->place, "#%.*s is not defined", FXI_HLO_TEXT(name));
    fxi_hlo_place place = (*attr)->place;
    **attr = *defined;
    (*attr)->place = place;
    return true;
}

/* ---- all of them ---- */

static bool read_opaque(fxi_hlo_parser *p, fxi_hlo_attr *attr) {
    fxi_hlo_span skipped;
    const char *begin = attr->text.at;
    do FX_TRY(fxi_mlir_skip_balanced(p, &skipped));
    while (fxi_mlir_peek(p) == '<');
    attr->kind = FXI_HLO_ATTR_OPAQUE;
    attr->text = (fxi_hlo_span){begin, (size_t)(p->at - begin)};
    if (!fxi_mlir_eat(p, ":")) return true;
    return (attr->type = fxi_mlir_read_type(p)) != NULL;
}

static bool set_bool(fxi_hlo_attr *attr, bool value) {
    attr->kind = FXI_HLO_ATTR_BOOL;
    attr->u.i = value;
    return true;
}

static bool read_type(fxi_hlo_parser *p, fxi_hlo_attr *attr) {
    attr->kind = FXI_HLO_ATTR_TYPE;
    return (attr->u.of = fxi_mlir_read_type(p)) != NULL;
}

static bool read_worded(fxi_hlo_parser *p, fxi_hlo_attr *attr) {
    static const char *const opaque[] = {"loc",    "affine_map", "affine_set", "dense_resource",
                                         "sparse", "opaque",     "distinct",   "strided"};
    attr->text.at = p->at;
    if (fxi_mlir_eat_word(p, "true")) return set_bool(attr, true);
    if (fxi_mlir_eat_word(p, "false")) return set_bool(attr, false);
    if (fxi_mlir_eat_word(p, "dense")) return read_dense(p, attr);
    if (fxi_mlir_eat_word(p, "array")) return read_array(p, attr);
    if (fxi_mlir_eat_word(p, "unit")) return true;
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++)
        if (fxi_mlir_eat_word(p, opaque[i])) return read_opaque(p, attr);
    return read_type(p, attr);
}

/* Of `name = (1)2`, which no type is. */
static bool is_numbered(const char *at) {
    for (at++; *at == ' ';) at++;
    return *at >= '0' && *at <= '9';
}

/* Its type, which nothing here has a meaning for, may follow. */
static bool read_string(fxi_hlo_parser *p, fxi_hlo_attr *attr) {
    attr->kind = FXI_HLO_ATTR_STRING;
    return fxi_mlir_read_string(p, &attr->text) && (!fxi_mlir_eat(p, ":") || fxi_mlir_read_type(p));
}

static bool read_signed(fxi_hlo_parser *p, fxi_hlo_attr **attr, bool *open) {
    char first = *p->at;
    switch (first) {
    case '#': return read_hash(p, attr, open);
    case '"': return read_string(p, *attr);
    case '@': (*attr)->kind = FXI_HLO_ATTR_SYMBOL; return fxi_mlir_read_symbol(p, &(*attr)->text);
    case '(':
        (*attr)->kind = FXI_HLO_ATTR_OPAQUE;
        return is_numbered(p->at) ? fxi_mlir_skip_attr_value(p, &(*attr)->text) : read_type(p, *attr);
    case '!': return read_type(p, *attr);
    default: break;
    }
    if (first == '-' || (first >= '0' && first <= '9')) return read_number(p, *attr);
    if (!fxi_mlir_is_word_byte(first)) return fxi_mlir_expected(p, "an attribute");
    return read_worded(p, *attr);
}

fxi_hlo_attr *fxi_mlir_read_leaf(fxi_hlo_parser *p, bool *open) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_UNIT, fxi_mlir_here(p));
    *open = false;
    return attr && read_signed(p, &attr, open) ? attr : NULL;
}
