/* SPDX-License-Identifier: Apache-2.0 */
/* Words, signs, strings and brackets. Lines are counted only when a place is asked for, from the last one
 * on, so each byte is looked at once for that and whole blobs are passed by memchr. */
#include "stablehlo/parse_internal.h"
#include <string.h>

void fxi_mlir_skip_comment(fxi_hlo_parser *p) {
    const char *end = p->module->source + p->module->source_length;
    const char *newline = memchr(p->at, '\n', (size_t)(end - p->at));
    p->at = newline ? newline : end;
}

static uint32_t saturated(size_t n) {
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

fxi_hlo_place fxi_mlir_place_of(fxi_hlo_parser *p, const char *at) {
    if (at < p->counted) return fxi_hlo_place_at(p->module, (size_t)(at - p->module->source));
    for (const char *newline; (newline = memchr(p->counted, '\n', (size_t)(at - p->counted))) != NULL;) {
        p->line += p->line < UINT32_MAX;
        p->line_begin = p->counted = newline + 1;
    }
    p->counted = at;
    return (fxi_hlo_place){p->line, saturated((size_t)(at - p->line_begin) + 1),
                           (size_t)(at - p->module->source)};
}

fxi_hlo_place fxi_mlir_here(fxi_hlo_parser *p) {
    fxi_mlir_peek(p);
    return fxi_mlir_place_of(p, p->at);
}

bool fxi_mlir_error_at(fxi_hlo_parser *p, fxi_hlo_place place, const char *format, ...) {
    char message[256];
    fxi_text text = fxi_text_fixed(message, sizeof message);
    va_list args;
    va_start(args, format);
    fxi_text_add_list(&text, format, args);
    va_end(args);
    return fxi_hlo_fail(p->module, place, p->err, "%s", message);
}

bool fxi_mlir_error(fxi_hlo_parser *p, const char *format, ...) {
    char message[256];
    fxi_text text = fxi_text_fixed(message, sizeof message);
    va_list args;
    va_start(args, format);
    fxi_text_add_list(&text, format, args);
    va_end(args);
    return fxi_hlo_fail(p->module, fxi_mlir_here(p), p->err, "%s", message);
}

bool fxi_mlir_expected(fxi_hlo_parser *p, const char *what) {
    if (fxi_mlir_peek(p) == 0) return fxi_mlir_error(p, "expected %s, but the text ends", what);
    return fxi_mlir_error(p, "expected %s", what);
}

bool fxi_mlir_no_memory(fxi_hlo_parser *p) {
    return fxi_fail_memory(p->err, p->module->file);
}

void *fxi_mlir_new(fxi_hlo_parser *p, size_t count, size_t size) {
    void *memory = fxi_arena_alloc(&p->module->arena, count, size);
    if (!memory) fxi_mlir_no_memory(p);
    return memory;
}

void *fxi_mlir_keep(fxi_hlo_parser *p, const void *items, size_t count, size_t size) {
    void *memory = fxi_mlir_new(p, count, size);
    if (memory && count > 0) memcpy(memory, items, count * size);
    return memory;
}

bool fxi_mlir_eat(fxi_hlo_parser *p, const char *sign) {
    fxi_mlir_peek(p);
    size_t length = strlen(sign);
    if (strncmp(p->at, sign, length) != 0) return false;
    p->at += length;
    return true;
}

static bool expected_text(fxi_hlo_parser *p, const char *quoted) {
    char what[48];
    fxi_text text = fxi_text_fixed(what, sizeof what);
    fxi_text_add(&text, "'%s'", quoted);
    return fxi_mlir_expected(p, what);
}

bool fxi_mlir_expect(fxi_hlo_parser *p, const char *sign) {
    if (fxi_mlir_eat(p, sign)) return true;
    return expected_text(p, sign);
}

bool fxi_mlir_next_is_word(fxi_hlo_parser *p, const char *word) {
    fxi_mlir_peek(p);
    size_t length = strlen(word);
    return strncmp(p->at, word, length) == 0 && !fxi_mlir_is_word_byte(p->at[length]);
}

bool fxi_mlir_eat_word(fxi_hlo_parser *p, const char *word) {
    if (!fxi_mlir_next_is_word(p, word)) return false;
    p->at += strlen(word);
    return true;
}

bool fxi_mlir_expect_word(fxi_hlo_parser *p, const char *word) {
    if (fxi_mlir_eat_word(p, word)) return true;
    return expected_text(p, word);
}

fxi_hlo_span fxi_mlir_word(fxi_hlo_parser *p) {
    char first = fxi_mlir_peek(p);
    const char *begin = p->at;
    if (!fxi_mlir_is_word_byte(first) || (first >= '0' && first <= '9') || first == '.' || first == '$')
        return (fxi_hlo_span){begin, 0};
    while (fxi_mlir_is_word_byte(*p->at)) p->at++;
    return (fxi_hlo_span){begin, (size_t)(p->at - begin)};
}

bool fxi_mlir_read_word(fxi_hlo_parser *p, const char *what, fxi_hlo_span *word) {
    *word = fxi_mlir_word(p);
    return word->length > 0 || fxi_mlir_expected(p, what);
}

bool fxi_mlir_read_int(fxi_hlo_parser *p, int64_t *value) {
    fxi_mlir_peek(p);
    bool is_float, negative, hex;
    uint64_t bits;
    const char *end = p->module->source + p->module->source_length;
    fxi_hlo_span text = {p->at, fxi_mlir_number_length(p->at, end, &is_float)};
    if (text.length == 0 || is_float) return fxi_mlir_expected(p, "an integer");
    uint64_t most = (uint64_t)INT64_MAX;
    if (!fxi_mlir_number_bits(text, &bits, &negative, &hex) || bits > most + negative)
        return fxi_mlir_error(p, "the integer %.*s does not fit into 64 bits", FXI_HLO_TEXT(text));
    *value = (int64_t)(negative ? 0 - bits : bits);
    p->at += text.length;
    return true;
}

/* ---- strings ---- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that an escape stands for, and how many bytes it has; 0: it is none. */
static size_t escape(const char *at, char *byte) {
    static const char plain[] = "nt\\\"", means[] = "\n\t\\\"";
    const char *found = at[1] ? strchr(plain, at[1]) : NULL;
    if (found) {
        *byte = means[found - plain];
        return 2;
    }
    int high = hex_digit(at[1]), low = high < 0 ? -1 : hex_digit(at[2]);
    *byte = (char)(high * 16 + low);
    return low < 0 ? 0 : 3;
}

static bool undo_escapes(fxi_hlo_parser *p, const char *begin, const char *end, fxi_hlo_span *text) {
    char *copy = fxi_mlir_new(p, (size_t)(end - begin), 1);
    if (!copy) return false;
    size_t n = 0;
    for (const char *at = begin; at < end;) {
        if (*at != '\\') {
            copy[n++] = *at++;
            continue;
        }
        size_t length = escape(at, &copy[n]);
        if (length == 0)
            return fxi_mlir_error_at(p, fxi_mlir_place_of(p, at),
                                     "not an escape: \\n, \\t, \\\\, \\\" or two "
                                     "hexadecimal digits");
        n++;
        at += length;
    }
    *text = (fxi_hlo_span){copy, n};
    return true;
}

bool fxi_mlir_read_string(fxi_hlo_parser *p, fxi_hlo_span *text) {
    if (fxi_mlir_peek(p) != '"') return fxi_mlir_expected(p, "a string");
    const char *end = p->module->source + p->module->source_length, *begin = p->at + 1, *quote = begin;
    bool escapes = false;
    for (;;) {
        const char *next = memchr(quote, '"', (size_t)(end - quote));
        size_t length = (size_t)((next ? next : end) - quote);
        const char *newline = memchr(quote, '\n', length), *slash;
        if (!next || newline) return fxi_mlir_error(p, "a string without its end");
        for (slash = quote;
             (slash = memchr(slash, '\\', (size_t)(next - slash))) != NULL && slash + 1 < next;)
            slash += 2, escapes = true;
        quote = next;
        if (!slash) break;
        escapes = true; /* the quote is escaped */
        quote++;
    }
    p->at = quote + 1;
    if (escapes) return undo_escapes(p, begin, quote, text);
    *text = (fxi_hlo_span){begin, (size_t)(quote - begin)};
    return true;
}

static bool read_simple_symbol(fxi_hlo_parser *p, fxi_hlo_span *name) {
    const char *sign = p->at;
    if (!fxi_mlir_eat(p, "@")) return fxi_mlir_expected(p, "a symbol, @name");
    if (*p->at == '"') {
        FX_TRY(fxi_mlir_read_string(p, name));
    } else {
        const char *begin = p->at;
        while (fxi_mlir_is_word_byte(*p->at) || *p->at == '-') p->at++;
        *name = (fxi_hlo_span){begin, (size_t)(p->at - begin)};
    }
    if (name->length == 0 || memchr(name->at, 0, name->length)) {
        p->at = sign;
        return fxi_mlir_error(p, name->length ? "a zero byte in a name" : "a symbol without a name");
    }
    return true;
}

bool fxi_mlir_read_symbol(fxi_hlo_parser *p, fxi_hlo_span *name) {
    do FX_TRY(read_simple_symbol(p, name));
    while (fxi_mlir_eat(p, "::"));
    return true;
}

/* ---- what is not looked into ---- */

static char closer(char open) {
    return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : open == '<' ? '>' : 0;
}

/* A byte of skipped text: opens, closes or neither. `->` and `>=` close nothing, `<=` opens nothing, and an
 * angle counts as one only where its partner could be next. */
static bool skip_byte(fxi_hlo_parser *p, char *open, size_t *depth) {
    char c = *p->at, close = closer(c);
    p->at++;
    if (c == '-' && *p->at == '>') {
        p->at++;
    } else if (close && !(c == '<' && *p->at == '=')) {
        if (*depth == FXI_HLO_MOST_NESTING) return fxi_mlir_error(p, "brackets nest more than 1000 deep");
        open[(*depth)++] = close;
    } else if (c == open[*depth - 1]) {
        (*depth)--;
    } else if (c == ')' || c == ']' || c == '}') {
        p->at--;
        return fxi_mlir_error(p, "expected '%c'", open[*depth - 1]);
    }
    return true;
}

bool fxi_mlir_skip_balanced(fxi_hlo_parser *p, fxi_hlo_span *text) {
    char open[FXI_HLO_MOST_NESTING];
    size_t depth = 0;
    fxi_hlo_span ignored;
    fxi_hlo_place place = fxi_mlir_here(p);
    const char *begin = p->at;
    if (!(open[depth++] = closer(*p->at))) return fxi_mlir_expected(p, "a bracket");
    p->at++;
    while (depth > 0) {
        char c = fxi_mlir_peek(p);
        if (c == 0) return fxi_mlir_error_at(p, place, "a bracket without its partner");
        FX_TRY(c == '"' ? fxi_mlir_read_string(p, &ignored) : skip_byte(p, open, &depth));
    }
    *text = (fxi_hlo_span){begin, (size_t)(p->at - begin)};
    return true;
}

bool fxi_mlir_skip_location(fxi_hlo_parser *p, fxi_hlo_span *location) {
    if (!fxi_mlir_eat_word(p, "loc")) return true;
    fxi_hlo_span text;
    if (fxi_mlir_peek(p) != '(') return fxi_mlir_expected(p, "'('");
    FX_TRY(fxi_mlir_skip_balanced(p, &text));
    if (location) *location = (fxi_hlo_span){text.at + 1, text.length - 2};
    return true;
}
