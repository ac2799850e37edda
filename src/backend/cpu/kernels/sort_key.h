/* SPDX-License-Identifier: Apache-2.0 */
/* Order as unsigned integers: a key is an integer whose order is the order wanted of the elements, so that
 * sorting and selecting need to know nothing of dtypes. Numbers that are equal have equal keys (-0 and +0;
 * all NaNs), and NaN has the largest key, all ones: it comes last whether the order is ascending or
 * descending. A complex number has two keys, those of its components. */
#ifndef FXI_SORT_KEY_H
#define FXI_SORT_KEY_H

#include "kernels.h"

/* What the keys of a line come from: every stride-th element of a real dtype. */
typedef struct fxi_key_source {
    /* neither float8 nor complex: a component of the latter is a source with twice the stride */
    fx_dtype dtype;
    const void *first;
    int64_t stride; /* in elements of dtype */
    bool descending;
} fxi_key_source;

/* Bits of a key of an element: those of its memory form. */
static inline int fxi_key_bits(fx_dtype dtype) { return (int)(8 * fxi_memory_bytes(dtype)); }

/* Keys of elements [start, start + count), for dtypes of at most 32 bits. */
void fxi_keys_load32(const fxi_key_source *source, int64_t start, int64_t count, uint32_t *keys);
/* The same for all dtypes. */
void fxi_keys_load64(const fxi_key_source *source, int64_t start, int64_t count, uint64_t *keys);
/* The elements that have these keys, -0 as +0 and every NaN as one NaN, to the places of the source in
 * memory at `first`. */
void fxi_keys_store32(const fxi_key_source *source, void *first, int64_t start, int64_t count,
                      const uint32_t *keys);
void fxi_keys_store64(const fxi_key_source *source, void *first, int64_t start, int64_t count,
                      const uint64_t *keys);

/* Key of zero, and of NaN, in a float dtype: of the only elements that one key does not tell apart. */
uint64_t fxi_key_zero(fx_dtype dtype, bool descending);
uint64_t fxi_key_nan(fx_dtype dtype);

#endif
