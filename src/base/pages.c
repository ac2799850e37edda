/* SPDX-License-Identifier: Apache-2.0 */
/* Warm memory blocks by size class. Classes are four per power of two in units of 64 bytes, so at most a
 * quarter of a block is slack, and a block serves only its own class. Each class is a list, newest first:
 * the next taker gets the block whose lines are still in the cache, and the oldest is at the end, where
 * trimming takes it. Which class holds the oldest of all is found by comparing the ends (232 of them),
 * since trimming happens only above the limit, where it costs a call of the allocator anyway.
 *
 *     block from the allocator:  ... | header (64 bytes) | data, capacity bytes ...
 *                                                        ^ 64-byte aligned, from 4 MiB on 2 MiB-aligned
 *
 * Huge pages are asked for from 4 MiB on: they need fewer faults.
 *
 * One lock around a few pointer moves; nothing is allocated or released while it is held. It is a futex
 * lock: one exchange each way when nobody else wants it, and no spinning when somebody does. */
#include "pages.h"
#include "base_internal.h"

enum { UNIT = 64, HEADER = 64, CLASSES = 232 };
#define LARGEST_REQUEST (SIZE_MAX / 8)

typedef struct block {
    struct block *newer, *older; /* in its class while warm; older also links blocks to be released */
    void *whole;                 /* what the allocator gave */
    size_t capacity;
    uint64_t stamp;              /* when it was given back */
    unsigned class;
} block;
_Static_assert(sizeof(block) <= HEADER, "the header must fit in front of the data");

struct fxi_pages {
    _Atomic uint32_t lock;    /* 0 free, 1 held, 2 held and wanted */
    bool closed;
    size_t limit;
    size_t out;               /* blocks not given back */
    uint64_t clock;           /* counts blocks given back */
    _Atomic size_t warm;      /* written under the lock */
    _Atomic uint64_t misses;
    struct { block *newest, *oldest; } classes[CLASSES];
};

static void lock_pages(fxi_pages *pages)
{
    uint32_t value = 0;
    if (atomic_compare_exchange_strong_explicit(&pages->lock, &value, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&pages->lock, 2, memory_order_acquire) != 0)
        fxi_futex_wait(&pages->lock, 2);
}

/* `pages` may be gone once the lock is free; waking an address that nobody waits on does no harm. */
static void unlock_pages(fxi_pages *pages)
{
    if (atomic_exchange_explicit(&pages->lock, 0, memory_order_release) == 2)
        fxi_futex_wake(&pages->lock, 1);
}

/* ---- sizes ---- */

/* Units 1 to 4 are classes 0 to 3. Above, with 2^k <= units - 1 < 2^(k+1), the two bits below the leading
 * one choose among the four classes of that power of two. */
static unsigned class_of(size_t bytes, size_t *capacity)
{
    size_t last = bytes > 0 ? (bytes - 1) / UNIT : 0;
    if (last < 4) {
        *capacity = (last + 1) * UNIT;
        return (unsigned)last;
    }
    unsigned power = 63u - (unsigned)__builtin_clzll(last);
    size_t step = last >> (power - 2); /* 4 to 7 */
    *capacity = ((step + 1) << (power - 2)) * UNIT;
    return 4 * (power - 2) + (unsigned)step;
}

static void *data_of(block *header)
{
    return (char *)header + HEADER;
}

static block *block_of(void *data)
{
    return (block *)(void *)((char *)data - HEADER);
}

/* ---- the allocator's side; never under the lock ---- */

static block *new_block(unsigned class, size_t capacity)
{
    size_t alignment = capacity >= FXI_LARGE_BLOCK ? FXI_HUGE_PAGE : UNIT;
    char *whole = fxi_alloc(capacity + HEADER + alignment);
    if (whole == NULL)
        return NULL;
    size_t offset = HEADER + (alignment - ((uintptr_t)whole + HEADER) % alignment) % alignment;
    block *made = block_of(whole + offset);
    *made = (block){.whole = whole, .capacity = capacity, .class = class};
    if (capacity >= FXI_LARGE_BLOCK)
        fxi_wish_huge_pages(whole + offset, capacity);
    return made;
}

/* Releases a list linked by `older`. */
static void release_blocks(block *list)
{
    while (list != NULL) {
        block *next = list->older;
        FXI_UNPOISON(data_of(list), list->capacity);
        fxi_free(list->whole);
        list = next;
    }
}

/* ---- lists; under the lock ---- */

static void change_warm(fxi_pages *pages, size_t more, size_t less)
{
    size_t warm = atomic_load_explicit(&pages->warm, memory_order_relaxed);
    atomic_store_explicit(&pages->warm, warm + more - less, memory_order_relaxed);
}

static block *pop_newest(fxi_pages *pages, unsigned class)
{
    block *taken = pages->classes[class].newest;
    if (taken == NULL)
        return NULL;
    pages->classes[class].newest = taken->older;
    if (taken->older != NULL)
        taken->older->newer = NULL;
    else
        pages->classes[class].oldest = NULL;
    change_warm(pages, 0, taken->capacity);
    return taken;
}

static void push_newest(fxi_pages *pages, block *given)
{
    block *next = pages->classes[given->class].newest;
    given->stamp = pages->clock++;
    given->newer = NULL;
    given->older = next;
    pages->classes[given->class].newest = given;
    if (next != NULL)
        next->newer = given;
    else
        pages->classes[given->class].oldest = given;
    change_warm(pages, given->capacity, 0);
}

static block *pop_oldest(fxi_pages *pages)
{
    block *oldest = NULL;
    for (unsigned class = 0; class < CLASSES; class++) {
        block *candidate = pages->classes[class].oldest;
        if (candidate != NULL && (oldest == NULL || candidate->stamp < oldest->stamp))
            oldest = candidate;
    }
    if (oldest == NULL)
        return NULL;
    pages->classes[oldest->class].oldest = oldest->newer;
    if (oldest->newer != NULL)
        oldest->newer->older = NULL;
    else
        pages->classes[oldest->class].newest = NULL;
    change_warm(pages, 0, oldest->capacity);
    return oldest;
}

/* Takes out the oldest blocks until at most `limit` bytes are warm; returns them linked by `older`. */
static block *trim(fxi_pages *pages, size_t limit)
{
    block *list = NULL;
    while (atomic_load_explicit(&pages->warm, memory_order_relaxed) > limit) {
        block *oldest = pop_oldest(pages);
        if (oldest == NULL)
            break;
        oldest->older = list;
        list = oldest;
    }
    return list;
}

/* ---- the interface ---- */

fxi_pages *fxi_pages_new(size_t limit, fx_error *err)
{
    fxi_pages *pages = fxi_alloc_zeroed(1, sizeof *pages);
    if (pages == NULL) {
        fxi_fail_memory(err, "memory cache");
        return NULL;
    }
    pages->limit = limit;
    return pages;
}

void fxi_pages_close(fxi_pages *pages)
{
    if (pages == NULL)
        return;
    lock_pages(pages);
    pages->closed = true;
    block *list = trim(pages, 0);
    bool last = pages->out == 0;
    unlock_pages(pages);
    release_blocks(list);
    if (last)
        fxi_free(pages);
}

/* A block from the allocator. When it has none left, the warm blocks of other classes are given up for it. */
static block *take_fresh(fxi_pages *pages, unsigned class, size_t capacity)
{
    block *fresh = new_block(class, capacity);
    if (fresh != NULL)
        return fresh;
    lock_pages(pages);
    block *list = trim(pages, 0);
    unlock_pages(pages);
    if (list == NULL)
        return NULL;
    release_blocks(list);
    return new_block(class, capacity);
}

void *fxi_pages_take(fxi_pages *pages, size_t bytes)
{
    if (pages == NULL || bytes > LARGEST_REQUEST)
        return NULL;
    size_t capacity;
    unsigned class = class_of(bytes, &capacity);
    lock_pages(pages);
    block *taken = pop_newest(pages, class);
    pages->out++;
    unlock_pages(pages);
    if (taken != NULL) {
        FXI_UNPOISON(data_of(taken), capacity);
        return data_of(taken);
    }
    atomic_fetch_add_explicit(&pages->misses, 1, memory_order_relaxed);
    taken = take_fresh(pages, class, capacity);
    if (taken != NULL)
        return data_of(taken);
    lock_pages(pages);
    pages->out--;
    unlock_pages(pages);
    return NULL;
}

void fxi_pages_give(fxi_pages *pages, void *data)
{
    if (pages == NULL || data == NULL)
        return;
    block *given = block_of(data), *list = given;
    given->older = NULL;
    FXI_POISON(data, given->capacity);
    lock_pages(pages);
    if (!pages->closed && given->capacity <= pages->limit) {
        push_newest(pages, given);
        list = trim(pages, pages->limit);
    }
    pages->out--;
    bool last = pages->closed && pages->out == 0;
    unlock_pages(pages);
    release_blocks(list);
    if (last)
        fxi_free(pages);
}

size_t fxi_pages_warm(const fxi_pages *pages)
{
    return pages != NULL ? atomic_load_explicit(&pages->warm, memory_order_relaxed) : 0;
}

uint64_t fxi_pages_misses(const fxi_pages *pages)
{
    return pages != NULL ? atomic_load_explicit(&pages->misses, memory_order_relaxed) : 0;
}
