/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of one case: blocks that are freed together, and messages. A case makes a few thousand small
 * objects that all die with it, so nothing is freed alone. */
#include "cases.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 15 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    max_align_t data[];
};

void *arena_alloc(struct arena *arena, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX / 4) / size) return NULL;
    size_t unit = sizeof(max_align_t), bytes = (count * size + unit - 1) / unit * unit;
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block = calloc(1, sizeof *block + room);
        if (!block) return NULL;
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *result = (char *)block->data + block->used;
    block->used += bytes;
    return result;
}

char *arena_text(struct arena *arena, const char *start, size_t n) {
    char *text = arena_alloc(arena, n + 1, 1);
    if (text && n > 0) memcpy(text, start, n);
    return text;
}

void arena_free(struct arena *arena) {
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}

void message_set(struct message *message, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(message->s, sizeof message->s, format, args);
    va_end(args);
}
