/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays and checked sizes. Capacities at least double, so that n pushes move O(n) elements in
 * all. */
#include "base.h"

#include <string.h>

enum { SMALLEST_CAPACITY = 8 };

/* `data` is the address of a T * seen as void **: the pointer is read and written as bytes, because
 * reading it as a void * would break the aliasing rules. */
bool fxi_grow(void **data, size_t *capacity, size_t needed, size_t element_size)
{
    if (needed <= *capacity)
        return true;
    size_t wanted = *capacity <= SIZE_MAX / 2 ? *capacity * 2 : needed;
    if (wanted < SMALLEST_CAPACITY)
        wanted = SMALLEST_CAPACITY;
    if (wanted < needed)
        wanted = needed;
    void *block;
    memcpy(&block, (void *)data, sizeof block);
    block = fxi_resize(block, wanted, element_size);
    if (block == NULL)
        return false;
    memcpy((void *)data, &block, sizeof block);
    *capacity = wanted;
    return true;
}

bool fxi_size_mul(int64_t a, int64_t b, int64_t *product)
{
    return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, product);
}

bool fxi_size_add(int64_t a, int64_t b, int64_t *sum)
{
    return a >= 0 && b >= 0 && !__builtin_add_overflow(a, b, sum);
}
