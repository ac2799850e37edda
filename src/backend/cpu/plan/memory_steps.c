/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets for very many blocks: in the order of the steps, as an allocator would at run time, each block in
 * the smallest gap that holds it. Placing the largest first (memory.c) packs different sizes better, but
 * compares all blocks that live at the same time, which is quadratic in the length of a chain and its
 * gradient. */
#include "memory.h"
#include <stdlib.h>
#include <string.h>

typedef struct gap {
    int64_t offset, bytes;
} gap;

typedef struct gaps {
    FXI_VEC(gap) list; /* by offset, never touching each other */
    int64_t end;       /* everything from here on is free */
} gaps;

/* First gap at or after an offset. */
static size_t position(const gaps *g, int64_t offset) {
    size_t low = 0, high = g->list.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (g->list.data[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void remove_gap(gaps *g, size_t at) {
    memmove(g->list.data + at, g->list.data + at + 1, (g->list.count - at - 1) * sizeof *g->list.data);
    g->list.count--;
}

static int64_t take(gaps *g, int64_t bytes) {
    size_t best = g->list.count;
    for (size_t i = 0; i < g->list.count; i++)
        if (g->list.data[i].bytes >= bytes &&
            (best == g->list.count || g->list.data[i].bytes < g->list.data[best].bytes))
            best = i;
    if (best < g->list.count) {
        gap *found = &g->list.data[best];
        int64_t offset = found->offset;
        found->offset += bytes;
        found->bytes -= bytes;
        if (found->bytes == 0) remove_gap(g, best);
        return offset;
    }
    int64_t offset = g->end;
    g->end += bytes;
    return offset;
}

/* Gives memory back, joined with its free neighbours. */
static bool give(gaps *g, int64_t offset, int64_t bytes) {
    size_t at = position(g, offset);
    gap *before = at > 0 ? &g->list.data[at - 1] : NULL;
    if (before && before->offset + before->bytes == offset) {
        offset = before->offset;
        bytes += before->bytes;
        remove_gap(g, --at);
    }
    if (at < g->list.count && g->list.data[at].offset == offset + bytes) {
        bytes += g->list.data[at].bytes;
        remove_gap(g, at);
    }
    if (offset + bytes == g->end) {
        g->end = offset;
        return true;
    }
    if (!FXI_RESERVE(&g->list, g->list.count + 1)) return false;
    memmove(g->list.data + at + 1, g->list.data + at, (g->list.count - at) * sizeof *g->list.data);
    g->list.data[at] = (gap){offset, bytes};
    g->list.count++;
    return true;
}

/* Blocks in the order of their first step; the larger before the smaller, then by number. */
static int by_first(const void *a, const void *b) {
    const fxi_block *x = *(const fxi_block *const *)a, *y = *(const fxi_block *const *)b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->value < y->value ? -1 : 1;
}
static int by_last(const void *a, const void *b) {
    const fxi_block *x = *(const fxi_block *const *)a, *y = *(const fxi_block *const *)b;
    if (x->last != y->last) return x->last < y->last ? -1 : 1;
    return x->value < y->value ? -1 : 1;
}

bool fxi_place_by_steps(fxi_block *blocks, size_t count, int64_t *total) {
    fxi_block **begin = fxi_alloc_zeroed(count + 1, sizeof *begin);
    fxi_block **end = fxi_alloc_zeroed(count + 1, sizeof *end);
    gaps g = {.end = 0};
    size_t ended = 0;
    bool ok = begin && end;
    for (size_t i = 0; ok && i < count; i++) begin[i] = end[i] = &blocks[i];
    if (ok) {
        qsort(begin, count, sizeof *begin, by_first);
        qsort(end, count, sizeof *end, by_last);
    }
    for (size_t i = 0; ok && i < count; i++) {
        for (; ok && end[ended]->last < begin[i]->first; ended++)
            ok = end[ended]->bytes == 0 || give(&g, end[ended]->offset, end[ended]->bytes);
        begin[i]->offset = take(&g, begin[i]->bytes);
        if (begin[i]->offset + begin[i]->bytes > *total) *total = begin[i]->offset + begin[i]->bytes;
    }
    fxi_free(g.list.data);
    fxi_free(begin);
    fxi_free(end);
    return ok;
}
