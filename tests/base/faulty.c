/* SPDX-License-Identifier: Apache-2.0 */
/* malloc with counters, usable from any thread. `user` must arrive as it was given, which each call
 * checks. */
#include "faulty.h"

#include <stdatomic.h>
#include <stdlib.h>

#define LARGEST ((size_t)1 << 38) /* sanitizers end the process at requests that are absurd */

static atomic_long allowed = -1, blocks, calls;
static int mark;

static bool may_succeed(size_t bytes, void *user)
{
    if (user != &mark)
        abort();
    atomic_fetch_add(&calls, 1);
    if (bytes == 0 || bytes > LARGEST)
        return false;
    long left = atomic_load(&allowed);
    while (left > 0 && !atomic_compare_exchange_weak(&allowed, &left, left - 1))
        ;
    return left != 0;
}

static void *counted_alloc(size_t bytes, void *user)
{
    void *block = may_succeed(bytes, user) ? malloc(bytes) : NULL;
    if (block != NULL)
        atomic_fetch_add(&blocks, 1);
    return block;
}

static void *counted_resize(void *block, size_t bytes, void *user)
{
    return block != NULL && may_succeed(bytes, user) ? realloc(block, bytes) : NULL;
}

static void counted_release(void *block, void *user)
{
    if (block == NULL || user != &mark)
        abort();
    atomic_fetch_sub(&blocks, 1);
    free(block);
}

void faulty_install(void)
{
    const fx_allocator allocator = {sizeof allocator, counted_alloc, counted_resize, counted_release, &mark};
    if (!fx_set_allocator(&allocator))
        abort();
}

void faulty_fail_after(long count)
{
    atomic_store(&allowed, count);
}

long faulty_blocks(void)
{
    return atomic_load(&blocks);
}

long faulty_calls(void)
{
    return atomic_load(&calls);
}
