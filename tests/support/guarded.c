/* SPDX-License-Identifier: Apache-2.0 */
/* Guarded memory (guarded.h): whole pages, the first and last without access. */
#define _DEFAULT_SOURCE
#include "support/guarded.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

guarded guarded_new(size_t bytes, guarded_side side) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (bytes + page - 1) / page * page;
    guarded block = {.mapped = inside + 2 * page};
    block.whole = mmap(NULL, block.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block.whole == MAP_FAILED ||
        (inside && mprotect(block.whole + page, inside, PROT_READ | PROT_WRITE) != 0)) {
        perror("guarded memory");
        abort();
    }
    block.data = block.whole + page + (side == GUARDED_END ? inside - bytes : 0);
    memset(block.data, 0xff, bytes);
    return block;
}

void guarded_free(guarded *block) {
    if (block->whole) munmap(block->whole, block->mapped);
    *block = (guarded){0};
}

static void release(void *data, void *user) {
    (void)data;
    guarded_free(user);
    free(user);
}

fx_tensor *guarded_tensor(const fx_shape *shape, const fx_tensor *like, guarded_side side) {
    guarded *block = malloc(sizeof *block);
    if (!block) abort();
    *block = guarded_new((size_t)fx_shape_bytes(shape), side);
    if (like && like->bytes) memcpy(block->data, like->data, (size_t)like->bytes);
    return fx_tensor_wrap(shape, block->data, release, block, FX_MUST);
}
