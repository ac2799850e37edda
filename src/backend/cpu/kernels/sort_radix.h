/* SPDX-License-Identifier: Apache-2.0 */
/* Stable sorting of unsigned integers, alone or with an index that goes along. */
#ifndef FXI_SORT_RADIX_H
#define FXI_SORT_RADIX_H

#include "base/pool.h"

typedef enum fxi_record {
    FXI_RECORD_KEY32, /* uint32_t */
    FXI_RECORD_KEY64, /* uint64_t; or a key of 32 bits above an index of 32 */
    FXI_RECORD_PAIR,  /* fxi_key_pair */
    FXI_RECORDS
} fxi_record;
typedef struct fxi_key_pair {
    uint64_t key, index;
} fxi_key_pair;

static inline int64_t fxi_record_bytes(fxi_record record) {
    return record == FXI_RECORD_KEY32 ? 4 : record == FXI_RECORD_KEY64 ? 8 : 16;
}

/* Sorting by bits [low, low + bits) of the key. */
typedef struct fxi_radix {
    fxi_record record;
    int low, bits;
    int64_t count;
    void *records, *spare; /* count records each */
    int64_t *counters;     /* fxi_radix_counters(count) of them */
    fxi_pool *pool;        /* NULL: on the caller alone */
} fxi_radix;

/* Gives the one of `records` and `spare` in which the sorted records are; the other one holds nothing. */
void *fxi_radix_sort(const fxi_radix *radix);
/* Counters that sorting needs, whether with a pool or without. */
int64_t fxi_radix_counters(int64_t count, bool pool);

#endif
