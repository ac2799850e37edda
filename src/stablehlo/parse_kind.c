/* SPDX-License-Identifier: Apache-2.0 */
/* Values in pretty forms: what is written in short there becomes the attributes of the generic form. */
#include "stablehlo/parse_pretty.h"
#include <string.h>

/* Names of the generic form are literals of the table; spans of them need not end in a zero. */
static bool add(fxi_hlo_parser *p, fxi_hlo_span name, const fxi_hlo_attr *value) {
    fxi_hlo_entry entry = {name, value};
    return value && (FXI_PUSH(&p->entries, entry) || fxi_mlir_no_memory(p));
}

static bool add_int(fxi_hlo_parser *p, fxi_hlo_span name, const fxi_hlo_type *type, int64_t value,
                    fxi_hlo_place place) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_INT, place);
    if (!attr) return false;
    attr->type = type;
    attr->u.i = value;
    return add(p, name, attr);
}

static bool read_int(fxi_hlo_parser *p, fxi_hlo_span name) {
    fxi_hlo_place place = fxi_mlir_here(p);
    int64_t value;
    return fxi_mlir_read_int(p, &value) && add_int(p, name, p->i64, value, place);
}

static bool read_int32(fxi_hlo_parser *p, fxi_hlo_span name) {
    fxi_hlo_place place = fxi_mlir_here(p);
    int64_t value;
    FX_TRY(fxi_mlir_read_int(p, &value));
    if (value < INT32_MIN || value > INT32_MAX)
        return fxi_mlir_error_at(p, place, "the integer does not fit into 32 bits");
    return add_int(p, name, p->i32, value, place);
}

/* Without its type, which the name implies and a colon after it would belong to the operation. */
static bool read_float(fxi_hlo_parser *p, fxi_hlo_span name) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_FLOAT, fxi_mlir_here(p));
    bool is_float;
    if (!attr) return false;
    const char *end = p->module->source + p->module->source_length;
    fxi_hlo_span text = {p->at, fxi_mlir_number_length(p->at, end, &is_float)};
    if (text.length == 0 || !is_float) return fxi_mlir_expected(p, "a number with a point");
    if (!fxi_mlir_number_double(text, &attr->u.f))
        return fxi_mlir_error(p, "the number is too long or too large");
    p->at += text.length;
    return add(p, name, attr);
}

static fxi_hlo_attr *word_attr(fxi_hlo_parser *p) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_WORD, fxi_mlir_here(p));
    return attr && fxi_mlir_read_word(p, "a word", &attr->text) ? attr : NULL;
}

static bool read_word(fxi_hlo_parser *p, fxi_hlo_span name) {
    return add(p, name, word_attr(p));
}

/* [DEFAULT, HIGHEST] */
static bool read_words(fxi_hlo_parser *p, fxi_hlo_span name) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_LIST, fxi_mlir_here(p));
    const fxi_hlo_attr *words[8];
    size_t n = 0;
    FX_TRY(attr && fxi_mlir_expect(p, "["));
    for (bool more = fxi_mlir_peek(p) != ']'; more; more = fxi_mlir_eat(p, ",")) {
        if (n == sizeof words / sizeof *words) return fxi_mlir_error(p, "too many words");
        if (!(words[n++] = word_attr(p))) return false;
    }
    attr->u.list.v = fxi_mlir_keep(p, words, n, sizeof *words);
    attr->u.list.n = n;
    return attr->u.list.v && fxi_mlir_expect(p, "]") && add(p, name, attr);
}

static bool read_ints(fxi_hlo_parser *p, fxi_hlo_span name) {
    return add(p, name, fxi_mlir_read_ints(p, false));
}

static bool read_any(fxi_hlo_parser *p, fxi_hlo_span name) {
    return add(p, name, fxi_mlir_read_attr(p));
}

static bool read_conv(fxi_hlo_parser *p, fxi_hlo_span name) {
    return add(p, name, fxi_mlir_read_conv(p));
}

static bool read_text_of(fxi_hlo_parser *p, fxi_hlo_span name, fxi_hlo_attr_kind kind,
                         bool (*read)(fxi_hlo_parser *, fxi_hlo_span *)) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, kind, fxi_mlir_here(p));
    return attr && read(p, &attr->text) && add(p, name, attr);
}

static bool read_string(fxi_hlo_parser *p, fxi_hlo_span name) {
    return read_text_of(p, name, FXI_HLO_ATTR_STRING, fxi_mlir_read_string);
}

static bool read_symbol(fxi_hlo_parser *p, fxi_hlo_span name) {
    return read_text_of(p, name, FXI_HLO_ATTR_SYMBOL, fxi_mlir_read_symbol);
}

/* A string that is written as a symbol. */
static bool read_target(fxi_hlo_parser *p, fxi_hlo_span name) {
    return read_text_of(p, name, FXI_HLO_ATTR_STRING, fxi_mlir_read_symbol);
}

static bool read_text(fxi_hlo_parser *p, fxi_hlo_span name) {
    return read_text_of(p, name, FXI_HLO_ATTR_OPAQUE, fxi_mlir_skip_balanced);
}

/* ---- values of several attributes ---- */

static bool add_ints(fxi_hlo_parser *p, const char *name, const int64_t *ints, size_t n,
                     fxi_hlo_place place) {
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_INTS, place);
    if (!attr) return false;
    attr->u.ints = (fx_dims){fxi_mlir_keep(p, ints, n, sizeof *ints), n};
    return attr->u.ints.v && fxi_mlir_add_entry(p, name, attr);
}

/* [1:3, 4:8:2] */
static bool read_ranges(fxi_hlo_parser *p, fxi_hlo_span unused) {
    (void)unused;
    static const char *const names[3] = {"start_indices", "limit_indices", "strides"};
    int64_t ranges[3][FX_MAX_RANK];
    size_t n = 0;
    fxi_hlo_place place = fxi_mlir_here(p);
    FX_TRY(fxi_mlir_expect(p, "["));
    for (bool more = fxi_mlir_peek(p) != ']'; more; more = fxi_mlir_eat(p, ","), n++) {
        if (n == FX_MAX_RANK) return fxi_mlir_error(p, "more than %d ranges", FX_MAX_RANK);
        FX_TRY(fxi_mlir_read_int(p, &ranges[0][n]) && fxi_mlir_expect(p, ":") &&
               fxi_mlir_read_int(p, &ranges[1][n]));
        ranges[2][n] = 1;
        if (fxi_mlir_eat(p, ":")) FX_TRY(fxi_mlir_read_int(p, &ranges[2][n]));
    }
    for (int i = 0; i < 3; i++) FX_TRY(add_ints(p, names[i], ranges[i], n, place));
    return fxi_mlir_expect(p, "]");
}

/* [0] x [0] */
static bool read_both_sides(fxi_hlo_parser *p, const char *lhs, const char *rhs) {
    return fxi_mlir_add_entry(p, lhs, fxi_mlir_read_ints(p, false)) && fxi_mlir_expect_word(p, "x") &&
           fxi_mlir_add_entry(p, rhs, fxi_mlir_read_ints(p, false));
}

/* batching_dims = [0] x [0], contracting_dims = [2] x [1] */
static bool read_dots(fxi_hlo_parser *p, fxi_hlo_span unused) {
    (void)unused;
    size_t first = p->entries.count;
    fxi_hlo_attr *attr = fxi_mlir_new_attr(p, FXI_HLO_ATTR_DICT, fxi_mlir_here(p));
    if (!attr) return false;
    if (fxi_mlir_eat_word(p, "batching_dims")) {
        FX_TRY(fxi_mlir_expect(p, "=") &&
               read_both_sides(p, "lhs_batching_dimensions", "rhs_batching_dimensions") &&
               fxi_mlir_expect(p, ","));
    }
    FX_TRY(fxi_mlir_expect_word(p, "contracting_dims") && fxi_mlir_expect(p, "=") &&
           read_both_sides(p, "lhs_contracting_dimensions", "rhs_contracting_dimensions"));
    return fxi_mlir_take_dict(p, first, &attr->u.dict) &&
           fxi_mlir_add_entry(p, "dot_dimension_numbers", attr);
}

/* , precision = [DEFAULT, DEFAULT] and , algorithm = <...>, either or none. */
static bool read_precisions(fxi_hlo_parser *p, fxi_hlo_span unused) {
    (void)unused;
    static const fxi_hlo_span precision = {"precision_config", 16};
    if (!fxi_mlir_eat(p, ",")) return true;
    if (!fxi_mlir_next_is_word(p, "algorithm")) {
        FX_TRY(fxi_mlir_expect_word(p, "precision") && fxi_mlir_expect(p, "=") && read_words(p, precision));
        if (!fxi_mlir_eat(p, ",")) return true;
    }
    FX_TRY(fxi_mlir_expect_word(p, "algorithm") && fxi_mlir_expect(p, "="));
    if (fxi_mlir_peek(p) != '<') return fxi_mlir_expected(p, "'<'");
    return fxi_mlir_add_entry(p, "algorithm", fxi_mlir_read_attr(p));
}

/* {stride = [1], pad = [[0, 1]], ...} */
static bool read_window(fxi_hlo_parser *p, fxi_hlo_span unused) {
    (void)unused;
    static const char *const fields[][2] = {{"stride", "window_strides"},
                                            {"pad", "padding"},
                                            {"lhs_dilate", "lhs_dilation"},
                                            {"rhs_dilate", "rhs_dilation"},
                                            {"reverse", "window_reversal"}};
    enum { FIELDS = sizeof fields / sizeof *fields };
    FX_TRY(fxi_mlir_expect(p, "{"));
    for (bool more = fxi_mlir_peek(p) != '}'; more; more = fxi_mlir_eat(p, ",")) {
        int i = 0;
        while (i < FIELDS && !fxi_mlir_eat_word(p, fields[i][0])) i++;
        if (i == FIELDS) return fxi_mlir_expected(p, "stride, pad, lhs_dilate, rhs_dilate or reverse");
        FX_TRY(fxi_mlir_expect(p, "=") &&
               fxi_mlir_add_entry(p, fields[i][1], fxi_mlir_read_ints(p, i == 1)));
    }
    return fxi_mlir_expect(p, "}");
}

static bool read_digits(const char **at, const char *end, int64_t *value) {
    const char *begin = *at;
    for (*value = 0; *at < end && **at >= '0' && **at <= '9' && *value < 1000; ++*at)
        *value = *value * 10 + (**at - '0');
    return *at > begin;
}

/* e5m10 */
static bool read_format(fxi_hlo_parser *p, fxi_hlo_span unused) {
    (void)unused;
    static const fxi_hlo_span exponent_bits = {"exponent_bits", 13}, mantissa_bits = {"mantissa_bits", 13};
    fxi_hlo_place place = fxi_mlir_here(p);
    fxi_hlo_span word;
    int64_t exponent, mantissa;
    FX_TRY(fxi_mlir_read_word(p, "a format, e5m10", &word));
    const char *at = word.at + 1, *end = word.at + word.length;
    if (*word.at != 'e' || !read_digits(&at, end, &exponent) || *at++ != 'm' ||
        !read_digits(&at, end, &mantissa) || at != end)
        return fxi_mlir_error_at(p, place, "expected a format, e5m10");
    return add_int(p, exponent_bits, p->i32, exponent, place) &&
           add_int(p, mantissa_bits, p->i32, mantissa, place);
}

/* () where there are no operands. */
static bool read_nothing(fxi_hlo_parser *p, fxi_hlo_span unused) {
    (void)unused;
    return !fxi_mlir_eat(p, "(") || fxi_mlir_expect(p, ")");
}

/* , is_stable = true */
static bool read_stable(fxi_hlo_parser *p, fxi_hlo_span unused) {
    (void)unused;
    if (!fxi_mlir_eat(p, ",")) return true;
    return fxi_mlir_expect_word(p, "is_stable") && fxi_mlir_expect(p, "=") &&
           fxi_mlir_add_entry(p, "is_stable", fxi_mlir_read_attr(p));
}

static const struct {
    const char *name;
    bool (*read)(fxi_hlo_parser *p, fxi_hlo_span attr);
} kinds[] = {{"ints", read_ints},      {"int", read_int},       {"word", read_word},
             {"any", read_any},        {"dots", read_dots},     {"precisions", read_precisions},
             {"words", read_words},    {"ranges", read_ranges}, {"target", read_target},
             {"symbol", read_symbol},  {"string", read_string}, {"float", read_float},
             {"conv", read_conv},      {"window", read_window}, {"format", read_format},
             {"int32", read_int32},    {"stable", read_stable}, {"text", read_text},
             {"nothing", read_nothing}};

bool fxi_mlir_read_kind(fxi_hlo_parser *p, fxi_hlo_span kind, fxi_hlo_span attr) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (fxi_hlo_span_is(kind, kinds[i].name)) return kinds[i].read(p, attr);
    return fxi_mlir_error(p, "no such kind of value: %.*s", FXI_HLO_TEXT(kind));
}
