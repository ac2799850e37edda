/* SPDX-License-Identifier: Apache-2.0 */
/* Builds text piece by piece. A growing text doubles its block; after a failed allocation it keeps what
 * it has, stays terminated and takes nothing more, so callers check `failed` once at the end. A fixed
 * text counts everything and keeps what fits, as snprintf does. */
#include "base.h"

#include <stdio.h>
#include <string.h>

fxi_text fxi_text_fixed(char *buffer, size_t size)
{
    if (buffer == NULL)
        size = 0;
    if (size > 0)
        buffer[0] = '\0';
    return (fxi_text){.data = buffer, .capacity = size, .fixed = true};
}

static size_t room_in(const fxi_text *text)
{
    return text->length < text->capacity ? text->capacity - text->length : 0;
}

/* Makes room for `more` bytes and the terminator. A fixed text has the room that it has. */
static bool make_room(fxi_text *text, size_t more)
{
    if (text->fixed)
        return true;
    size_t needed;
    if (!text->failed && !__builtin_add_overflow(text->length, more, &needed) &&
        !__builtin_add_overflow(needed, 1, &needed) &&
        fxi_grow((void **)&text->data, &text->capacity, needed, 1))
        return true;
    text->failed = true;
    return false;
}

void fxi_text_add_bytes(fxi_text *text, const char *bytes, size_t count)
{
    if (text == NULL || !make_room(text, count))
        return;
    size_t room = room_in(text);
    if (room > 0) {
        size_t kept = count < room ? count : room - 1;
        if (kept > 0)
            memcpy(text->data + text->length, bytes, kept);
        text->data[text->length + kept] = '\0';
    }
    text->length += count;
}

void fxi_text_add_list(fxi_text *text, const char *format, va_list args)
{
    if (text == NULL || text->failed)
        return;
    va_list again;
    va_copy(again, args);
    size_t room = room_in(text);
    int length = vsnprintf(room > 0 ? text->data + text->length : NULL, room, format, args);
    if (length < 0) {
        text->failed = true;
    } else if (text->fixed || (size_t)length < room) {
        text->length += (size_t)length;
    } else if (make_room(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    if (text->failed && text->length < text->capacity)
        text->data[text->length] = '\0'; /* the first attempt left the start of a piece behind */
    va_end(again);
}

void fxi_text_add(fxi_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fxi_text_add_list(text, format, args);
    va_end(args);
}

void fxi_text_free(fxi_text *text)
{
    if (text == NULL || text->fixed)
        return;
    fxi_free(text->data);
    *text = (fxi_text){0};
}
