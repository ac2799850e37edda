/* SPDX-License-Identifier: Apache-2.0 */
/* Radix sort from the lowest digit up.
 *
 * A pass counts digits and moves each record to its digit's place; it is stable, so the last pass leaves
 * everything sorted. With a pool the records are cut into chunks: each counts its own digits, the sums
 * over digits and then chunks are every chunk's places, and each moves its own records. The result is the
 * same for any number of chunks, so there is one a thread: more of them would write to the same cache
 * lines more often. A pass whose records all have one digit moves nothing. Digits have 11 bits, or 8 when
 * there are few records: clearing and summing the counters then costs as much as a pass. Very few records
 * are sorted by insertion. */
#include "sort_radix.h"
#include <string.h>

enum { WIDE_DIGIT = 11, NARROW_DIGIT = 8, MANY = 4096, FEW = 24, CHUNK = 1 << 16, MOST_CHUNKS = 64 };

typedef struct pass {
    const fxi_radix *radix;
    void *from, *to;
    int64_t *counters; /* [chunks][digits] */
    int64_t chunks, chunk, digits;
    int shift;
} pass;

typedef struct record_ops {
    void (*count)(const void *records, int64_t n, int shift, uint64_t mask, int64_t *counters);
    void (*move)(const void *records, int64_t n, int shift, uint64_t mask, int64_t *places, void *to);
    void (*insert)(void *records, int64_t n, int low, uint64_t mask);
} record_ops;

#define OPS(name, type, KEY)                                                                                 \
    static void count_##name(const void *records, int64_t n, int shift, uint64_t mask, int64_t *counters) {  \
        const type *from = records;                                                                          \
        for (int64_t i = 0; i < n; i++) counters[((uint64_t)KEY(from[i]) >> shift) & mask]++;                \
    }                                                                                                        \
    static void move_##name(const void *records, int64_t n, int shift, uint64_t mask, int64_t *places,       \
                            void *to_void) {                                                                 \
        const type *from = records;                                                                          \
        type *to = to_void;                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            type record = from[i];                                                                           \
            to[places[((uint64_t)KEY(record) >> shift) & mask]++] = record;                                  \
        }                                                                                                    \
    }                                                                                                        \
    static void insert_##name(void *records, int64_t n, int low, uint64_t mask) {                            \
        type *at = records;                                                                                  \
        for (int64_t i = 1; i < n; i++) {                                                                    \
            type record = at[i];                                                                             \
            uint64_t key = ((uint64_t)KEY(record) >> low) & mask;                                            \
            int64_t k = i;                                                                                   \
            for (; k > 0 && (((uint64_t)KEY(at[k - 1]) >> low) & mask) > key; k--) at[k] = at[k - 1];        \
            at[k] = record;                                                                                  \
        }                                                                                                    \
    }
#define SELF(record) (record)
#define PAIR_KEY(record) ((record).key)
OPS(key32, uint32_t, SELF)
OPS(key64, uint64_t, SELF)
OPS(pair, fxi_key_pair, PAIR_KEY)

static const record_ops ops[FXI_RECORDS] = {
    [FXI_RECORD_KEY32] = {count_key32, move_key32, insert_key32},
    [FXI_RECORD_KEY64] = {count_key64, move_key64, insert_key64},
    [FXI_RECORD_PAIR] = {count_pair, move_pair, insert_pair},
};

static int64_t chunks_of(int64_t count, bool pool) {
    int64_t chunks = pool ? count / CHUNK : 1;
    return chunks < 1 ? 1 : chunks > MOST_CHUNKS ? MOST_CHUNKS : chunks;
}

int64_t fxi_radix_counters(int64_t count, bool pool) {
    return chunks_of(count, pool) << (count < MANY ? NARROW_DIGIT : WIDE_DIGIT);
}

static int64_t chunk_count(const pass *p, int64_t chunk) {
    int64_t left = p->radix->count - chunk * p->chunk;
    return left < p->chunk ? left : p->chunk;
}

static const void *chunk_records(const pass *p, int64_t chunk) {
    return (const char *)p->from + chunk * p->chunk * fxi_record_bytes(p->radix->record);
}

static void count_task(void *context, int64_t chunk) {
    const pass *p = context;
    int64_t *counters = p->counters + chunk * p->digits;
    memset(counters, 0, (size_t)p->digits * sizeof *counters);
    ops[p->radix->record].count(chunk_records(p, chunk), chunk_count(p, chunk), p->shift,
                                (uint64_t)p->digits - 1, counters);
}

static void move_task(void *context, int64_t chunk) {
    const pass *p = context;
    ops[p->radix->record].move(chunk_records(p, chunk), chunk_count(p, chunk), p->shift,
                               (uint64_t)p->digits - 1, p->counters + chunk * p->digits, p->to);
}

/* Counts become places. False when all records have one digit. */
static bool sum_counters(const pass *p) {
    int64_t sum = 0;
    for (int64_t digit = 0; digit < p->digits; digit++) {
        int64_t before = sum;
        for (int64_t chunk = 0; chunk < p->chunks; chunk++) {
            int64_t *counter = &p->counters[chunk * p->digits + digit], here = *counter;
            *counter = sum;
            sum += here;
        }
        if (sum - before == p->radix->count) return false;
    }
    return true;
}

static void run_tasks(pass *p, fxi_task task) {
    if (p->radix->pool) fxi_pool_run(p->radix->pool, p->chunks, task, p);
    else task(p, 0);
}

void *fxi_radix_sort(const fxi_radix *radix) {
    uint64_t mask = radix->bits < 64 ? (UINT64_C(1) << radix->bits) - 1 : UINT64_MAX;
    if (radix->count <= FEW) {
        ops[radix->record].insert(radix->records, radix->count, radix->low, mask);
        return radix->records;
    }
    int widest = radix->count < MANY ? NARROW_DIGIT : WIDE_DIGIT,
        passes = (radix->bits + widest - 1) / widest;
    int width = passes ? (radix->bits + passes - 1) / passes : 0;
    pass p = {.radix = radix, .from = radix->records, .to = radix->spare, .counters = radix->counters};
    p.chunks = chunks_of(radix->count, radix->pool != NULL);
    if (radix->pool) p.chunks = fxi_size_min(p.chunks, fxi_pool_threads(radix->pool));
    p.chunk = (radix->count + p.chunks - 1) / p.chunks;
    for (int done = 0; done < radix->bits; done += width) {
        int left = radix->bits - done;
        p.shift = radix->low + done;
        p.digits = INT64_C(1) << (left < width ? left : width);
        run_tasks(&p, count_task);
        if (!sum_counters(&p)) continue;
        run_tasks(&p, move_task);
        void *old = p.from;
        p.from = p.to;
        p.to = old;
    }
    return p.from;
}
