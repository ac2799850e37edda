/* SPDX-License-Identifier: Apache-2.0 */
/* Memory between inaccessible pages: whoever reads or writes one byte outside dies there. A block can lie
 * right against the page after it or right after the page before it, so a test runs with both. */
#ifndef GUARDED_H
#define GUARDED_H

#include "tensor/tensor.h"

typedef enum guarded_side { GUARDED_START, GUARDED_END } guarded_side;

typedef struct guarded {
    char *whole; /* the mapping */
    size_t mapped;
    char *data; /* `bytes` bytes, all 0xFF */
} guarded;

guarded guarded_new(size_t bytes, guarded_side side); /* aborts the test when memory is short */
void guarded_free(guarded *block);

/* A tensor over guarded memory; of `like`'s elements, or of 0xFF bytes when like is NULL. Freed as any
 * tensor. */
fx_tensor *guarded_tensor(const fx_shape *shape, const fx_tensor *like, guarded_side side);

#endif
