/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that asks the system for memory. Everything goes through three function pointers that a
 * caller may replace once, before first use, so reading them needs no atomics. Aligned blocks are cut out
 * of a larger block whose address is stored in front of them: that works with any allocator that gives
 * 16-byte alignment, and costs only address space where the block is large. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base_internal.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

static void *system_alloc(size_t bytes, void *user)
{
    (void)user;
    return malloc(bytes);
}

static void *system_resize(void *block, size_t bytes, void *user)
{
    (void)user;
    return realloc(block, bytes);
}

static void system_release(void *block, void *user)
{
    (void)user;
    free(block);
}

static fx_allocator allocator = {sizeof(fx_allocator), system_alloc, system_resize, system_release, NULL};

bool fx_set_allocator(const fx_allocator *replacement)
{
    if (replacement == NULL || replacement->size != sizeof *replacement || replacement->alloc == NULL ||
        replacement->resize == NULL || replacement->release == NULL)
        return false;
    allocator = *replacement;
    return true;
}

void *fxi_alloc(size_t bytes)
{
    if (bytes > PTRDIFF_MAX)
        return NULL;
    return allocator.alloc(bytes > 0 ? bytes : 1, allocator.user);
}

void *fxi_alloc_zeroed(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    /* Fresh pages come zeroed, so calloc leaves large blocks untouched. */
    if (allocator.alloc == system_alloc && bytes > 0)
        return bytes <= PTRDIFF_MAX ? calloc(1, bytes) : NULL;
    void *block = fxi_alloc(bytes);
    if (block != NULL)
        memset(block, 0, bytes);
    return block;
}

void *fxi_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    if (block == NULL)
        return fxi_alloc(bytes);
    return allocator.resize(block, bytes > 0 ? bytes : 1, allocator.user);
}

void fxi_free(void *block)
{
    if (block != NULL)
        allocator.release(block, allocator.user);
}

void *fxi_alloc_aligned(size_t bytes, size_t alignment)
{
    size_t total;
    if (alignment < 16 || (alignment & (alignment - 1)) != 0 ||
        __builtin_add_overflow(bytes, alignment + sizeof(void *), &total))
        return NULL;
    char *whole = fxi_alloc(total);
    if (whole == NULL)
        return NULL;
    size_t room = sizeof(void *);
    size_t offset = room + (alignment - ((uintptr_t)whole + room) % alignment) % alignment;
    memcpy(whole + offset - room, &whole, sizeof whole);
    return whole + offset;
}

void fxi_wish_huge_pages(void *block, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    (void)madvise(block, bytes / FXI_HUGE_PAGE * FXI_HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

void *fxi_alloc_data(size_t bytes)
{
    if (bytes < FXI_LARGE_BLOCK)
        return fxi_alloc_aligned(bytes, 64);
    void *block = fxi_alloc_aligned(bytes, FXI_HUGE_PAGE);
    if (block != NULL)
        fxi_wish_huge_pages(block, bytes);
    return block;
}

void fxi_free_aligned(void *block)
{
    if (block == NULL)
        return;
    void *whole;
    memcpy(&whole, (char *)block - sizeof whole, sizeof whole);
    fxi_free(whole);
}

char *fxi_copy_string(const char *text)
{
    if (text == NULL)
        return NULL;
    size_t bytes = strlen(text) + 1;
    char *copy = fxi_alloc(bytes);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}
