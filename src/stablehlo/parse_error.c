/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about a place of the text: file, line and column, the line, a caret below the column. Of a long
 * line a window around the place is shown; bytes that are no printable ASCII become one sign each, so that
 * the caret stands where it should and nothing in a file reaches a terminal unseen. */
#include "stablehlo/tree.h"
#include <string.h>

enum { WINDOW = 72, BEFORE = 48, MESSAGE = 240, FILE_NAME = 100 };

fxi_hlo_place fxi_hlo_place_at(const fxi_hlo_module *module, size_t offset) {
    fxi_hlo_place place = {.line = 1, .offset = offset};
    const char *at = module->source, *end = at + offset;
    for (const char *newline; (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1)
        place.line++;
    place.column = (uint32_t)(end - at) + 1;
    return place;
}

/* The window of the line that holds the place; *caret is where in it the caret goes. */
static size_t excerpt(const fxi_hlo_module *module, size_t offset, char *window, size_t *caret) {
    const char *source = module->source;
    size_t begin = offset, end = offset;
    while (begin > 0 && source[begin - 1] != '\n' && offset - begin < BEFORE) begin--;
    while (end < module->source_length && source[end] != '\n' && end - begin < WINDOW) end++;
    if (end > begin && source[end - 1] == '\r') end--;
    *caret = offset - begin;
    for (size_t i = begin; i < end; i++) {
        char c = source[i];
        window[i - begin] = c == '\t' ? ' ' : c < ' ' || c > '~' ? '?' : c;
    }
    return end - begin;
}

static bool fail(const fxi_hlo_module *module, fxi_hlo_place place, fx_error_code code, fx_error *err,
                 const char *format, va_list args) {
    char message[MESSAGE], window[WINDOW + 1];
    fxi_text text = fxi_text_fixed(message, sizeof message);
    fxi_text_add_list(&text, format, args);
    if (place.line == 0 || place.offset > module->source_length)
        return fxi_fail(err, code, "%.*s: %s", FILE_NAME, module->file, message);
    size_t caret, length = excerpt(module, place.offset, window, &caret);
    return fxi_fail(err, code, "%.*s:%u:%u: %s\n  %.*s\n  %*s", FILE_NAME, module->file, place.line,
                    place.column, message, (int)length, window, (int)caret + 1, "^");
}

bool fxi_hlo_fail(const fxi_hlo_module *module, fxi_hlo_place place, fx_error *err, const char *format,
                  ...) {
    va_list args;
    va_start(args, format);
    fail(module, place, FX_ERROR_FILE, err, format, args);
    va_end(args);
    return false;
}

bool fxi_hlo_refuse(const fxi_hlo_module *module, fxi_hlo_place place, fx_error *err, const char *format,
                    ...) {
    va_list args;
    va_start(args, format);
    fail(module, place, FX_ERROR_UNSUPPORTED, err, format, args);
    va_end(args);
    return false;
}
