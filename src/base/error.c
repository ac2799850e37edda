/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the caller's fx_error. A message is formatted into a local buffer first, because its arguments
 * may point into the very struct that is being filled (a caller that puts its own name in front of a
 * message it got from below). Messages stay one line of valid text: control characters become spaces and
 * a cut never falls inside a UTF-8 sequence. This is the only file that may print or abort, and only for
 * FX_MUST. */
#include "base.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fx_error fx_must;

#define FX_ERROR_ROW(constant, number, name, meaning) \
    static_assert((int)FX_ERROR_##constant == (number), "errors.def and fx_error_code differ: " meaning);
#include "errors.def"
#undef FX_ERROR_ROW

static const char *const code_names[] = {
    [FX_OK] = "ok",
#define FX_ERROR_ROW(constant, number, name, meaning) [number] = (name),
#include "errors.def"
#undef FX_ERROR_ROW
};
static_assert(sizeof code_names / sizeof *code_names == FX_ERROR_FILE + 1,
              "errors.def lacks the newest code");

#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

const char *fx_version(void)
{
    return TEXT(FX_VERSION_MAJOR) "." TEXT(FX_VERSION_MINOR) "." TEXT(FX_VERSION_PATCH);
}

const char *fx_error_name(fx_error_code code)
{
    size_t index = (size_t)code;
    return index < sizeof code_names / sizeof *code_names ? code_names[index] : "unknown";
}

static void die(const fx_error *error)
{
    fprintf(stderr, "fluxion: %s error: %s", fx_error_name(error->code), error->message);
    if (error->file != NULL)
        fprintf(stderr, "   at %s:%d", error->file, error->line);
    fputc('\n', stderr);
    fflush(NULL); /* abort alone would drop what the program has printed so far */
    abort();
}

static void deliver(fx_error *err, const fx_error *error)
{
    if (err == FX_MUST)
        die(error);
    else if (err != NULL && err != error)
        *err = *error;
}

/* Ends a text that did not fit in "...", cut before the first byte of the character that is in the way. */
static void mark_cut(char *message, size_t size)
{
    size_t end = size - sizeof "...";
    while (end > 0 && ((unsigned char)message[end] & 0xC0) == 0x80)
        end--;
    memcpy(message + end, "...", sizeof "...");
}

static void format_message(char *message, size_t size, const char *format, va_list args)
{
    int length = vsnprintf(message, size, format, args);
    if (length < 0)
        snprintf(message, size, "%s", "the message could not be formatted");
    else if ((size_t)length >= size)
        mark_cut(message, size);
    for (char *c = message; *c != '\0'; c++)
        if (((unsigned char)*c < ' ' && strncmp(c, "\n  ", 3) != 0) || *c == 0x7F)
            *c = ' '; /* a line that is shown below the message begins with spaces */
}

static void fail_list(fx_error *err, fx_error_code code, const char *file, int line, const char *format,
                      va_list args)
{
    if (err == NULL)
        return;
    fx_error error = {.code = code, .line = line, .file = file};
    format_message(error.message, sizeof error.message, format, args);
    deliver(err, &error);
}

bool fxi_fail(fx_error *err, fx_error_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_list(err, code, NULL, 0, format, args);
    va_end(args);
    return false;
}

bool fxi_fail_at(fx_error *err, fx_error_code code, const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_list(err, code, file, line, format, args);
    va_end(args);
    return false;
}

bool fxi_fail_memory(fx_error *err, const char *what)
{
    return fxi_fail(err, FX_ERROR_MEMORY, "%s: out of memory", what != NULL ? what : "fluxion");
}

bool fxi_fail_copy(fx_error *err, const fx_error *from)
{
    if (from == NULL)
        return fxi_fail(err, FX_ERROR_INTERNAL, "a failure was handed on without its reason");
    deliver(err, from);
    return false;
}
