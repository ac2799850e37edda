/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocation for things that live and die together, such as the nodes of a graph. Blocks form a
 * list, newest first, and double from 4 KiB to 1 MiB, so that small graphs stay small and large ones need
 * few calls of the allocator. A request that would waste much of a block gets one of its own, linked
 * behind the newest, which stays in use. With AddressSanitizer everything not handed out is poisoned and
 * a gap follows each allocation. */
#include "base_internal.h"

#include <string.h>

enum { ALIGNMENT = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct fxi_arena_block {
    struct fxi_arena_block *previous;
    size_t size; /* bytes behind the header */
    size_t used; /* of these, a multiple of ALIGNMENT */
    size_t padding; /* keeps the header a multiple of ALIGNMENT */
};
_Static_assert(sizeof(struct fxi_arena_block) % ALIGNMENT == 0, "what follows the header must be aligned");

static char *block_bytes(struct fxi_arena_block *block)
{
    return (char *)(block + 1);
}

static struct fxi_arena_block *new_block(size_t size)
{
    size_t total;
    if (__builtin_add_overflow(size, sizeof(struct fxi_arena_block), &total))
        return NULL;
    struct fxi_arena_block *block = fxi_alloc(total);
    if (block == NULL)
        return NULL;
    *block = (struct fxi_arena_block){.size = size};
    FXI_POISON(block_bytes(block), size);
    return block;
}

/* As much as was handed out so far, within limits: that doubles the arena. The newest block is no
 * measure, since it may be one of those made for a single request. */
static size_t usual_size(const fxi_arena *arena)
{
    size_t size = arena->bytes < FIRST_BLOCK ? FIRST_BLOCK : arena->bytes;
    size = size > LARGEST_BLOCK ? LARGEST_BLOCK : size & ~(size_t)(ALIGNMENT - 1);
    return size - sizeof(struct fxi_arena_block);
}

/* A block with room for `need` more bytes, or NULL. */
static struct fxi_arena_block *find_room(fxi_arena *arena, size_t need)
{
    struct fxi_arena_block *last = arena->last;
    if (last != NULL && last->size - last->used >= need)
        return last;
    size_t usual = usual_size(arena);
    if (need <= usual / 4) {
        struct fxi_arena_block *block = new_block(usual);
        if (block != NULL) {
            block->previous = last;
            arena->last = block;
        }
        return block;
    }
    struct fxi_arena_block *own = new_block(need);
    if (own == NULL)
        return NULL;
    if (last == NULL) {
        arena->last = own;
    } else {
        own->previous = last->previous;
        last->previous = own;
    }
    return own;
}

void *fxi_arena_alloc(fxi_arena *arena, size_t count, size_t size)
{
    size_t bytes, need;
    if (arena == NULL || __builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes > 0 ? bytes : 1, FXI_RED_ZONE + ALIGNMENT - 1, &need))
        return NULL;
    need &= ~(size_t)(ALIGNMENT - 1);
    struct fxi_arena_block *block = find_room(arena, need);
    if (block == NULL)
        return NULL;
    char *memory = block_bytes(block) + block->used;
    block->used += need;
    arena->bytes += bytes;
    FXI_UNPOISON(memory, bytes);
    memset(memory, 0, bytes);
    return memory;
}

void *fxi_arena_copy(fxi_arena *arena, const void *data, size_t bytes)
{
    void *copy = fxi_arena_alloc(arena, bytes, 1);
    if (copy != NULL && bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

void fxi_arena_free(fxi_arena *arena)
{
    if (arena == NULL)
        return;
    for (struct fxi_arena_block *block = arena->last; block != NULL;) {
        struct fxi_arena_block *previous = block->previous;
        FXI_UNPOISON(block_bytes(block), block->size);
        fxi_free(block);
        block = previous;
    }
    *arena = (fxi_arena){0};
}
