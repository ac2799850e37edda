/* SPDX-License-Identifier: Apache-2.0 */
/* Combining blocks of elements by a kind of reduction: what kernels over windows are made of. Accumulators
 * have a form of their own: sums and products of half types are float32; maxima and minima of floats are
 * integers that order as the floats do (a NaN beyond all, -0 < +0), so that combining is one instruction; all
 * else is as in memory. */
#ifndef FXI_KERNEL_FOLD_H
#define FXI_KERNEL_FOLD_H

#include "kernels.h"

/* acc[r * acc_step + i] = acc[...] combined with in[r * in_step + i], r < rows, i < n; steps in elements.
 * `in` may lie ahead of acc in the same memory when rows is 1: elements are read before they are
 * overwritten. */
typedef void (*fxi_fold_fn)(void *acc, int64_t acc_step, const void *in, int64_t in_step, int64_t rows,
                            int64_t n);
/* to[r * n + i] = the element of acc[r * acc_step + i]. */
typedef void (*fxi_fold_store_fn)(void *to, const void *acc, int64_t acc_step, int64_t rows, int64_t n);

typedef struct fxi_fold {
    fxi_fold_fn take;        /* elements of memory into accumulators */
    fxi_fold_fn merge;       /* accumulators into accumulators */
    fxi_fold_store_fn store; /* accumulators to elements */
    fxi_fold_store_fn copy;  /* accumulators to accumulators, dense */
    int64_t wide, bytes;     /* of an accumulator, of an element */
    bool idempotent;         /* an element may be combined twice */
    bool rounds;             /* the order of combination shows in the result */
    unsigned char neutral[16];
} fxi_fold;

/* False when the kind is not defined for the dtype. */
bool fxi_fold_find(fxi_fold *fold, fxi_reduce_kind kind, fx_dtype dtype);
/* Fills `count` accumulators with the neutral value. */
void fxi_fold_clear(const fxi_fold *fold, void *acc, int64_t count);

#endif
