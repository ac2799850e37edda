/* SPDX-License-Identifier: Apache-2.0 */
/* The k first elements of each line (axis last) in the order of rank: the largest, or smallest, first,
 * equal ones by index.
 *
 * Ranks are keys (sort_key.h), inverted for the largest, so that a lower rank is better. A line is read
 * once: a block whose ranks are all no better than the worst of the k best so far is skipped, which a
 * vectorised loop finds out; the others are collected until a buffer of about 2 k records is full. Then a
 * radix select, linear in the records and stable, keeps k. A line is collected in the order of its indices
 * and everything is stable, so indices are never compared. In the end k records are sorted. Single long
 * lines are cut into chunks, each with its k best, from which those of the line are taken. */
#include "carrier.h"
#include "sort_key.h"
#include "sort_line.h"
#include <string.h>

enum {
    BLOCK = 256,
    STEP = 64,
    SLACK = 32,
    FEW_LINES = 16,
    CHUNK = 1 << 16,
    MOST_CHUNKS = 64,
    MOST_RECORDS = 1 << 24
};
#define MOST_K (INT64_C(1) << 56) /* so that sizes of records fit */

typedef struct top {
    const fx_node *node;
    const char *x;
    void *const *results;
    fxi_lines lines;
    int64_t k, chunks, chunk, capacity, tasks;
    fxi_record record;
    int bits;
    uint64_t flip;
    char *workspace, *best; /* best: [lines][chunks][k] records, with more than one chunk */
    int64_t part, slot;     /* bytes of an array of records, of a task's share of the workspace */
} top;

/* Where records are collected: `count` of them, in arrays of `capacity`. */
typedef struct heap {
    void *records, *spare;
    int64_t count;
} heap;

/* ---- the two kinds of records ---- */

/* collect: the elements [start, end) of a line that may be among the k best. keep: of h->count records the
 * k best. */
#define TOP(name, type, key_type, load, MAKE, KEY)                                                           \
    static void keep_##name(const top *t, heap *h) {                                                         \
        type *records = h->records, *spare = h->spare;                                                       \
        int64_t kept = 0, left = h->count, counters[256];                                                    \
        if (h->count <= t->k) return;                                                                        \
        for (int shift = t->bits - 8; shift >= 0 && kept + left > t->k; shift -= 8) {                        \
            memset(counters, 0, sizeof counters);                                                            \
            for (int64_t i = kept; i < kept + left; i++) counters[(KEY(records[i]) >> shift) & 255]++;       \
            key_type digit = 0;                                                                              \
            for (int64_t sum = kept; sum + counters[digit] < t->k; digit++) sum += counters[digit];          \
            int64_t end = kept + left, same = 0;                                                             \
            for (int64_t i = kept; i < end; i++) {                                                           \
                key_type d = (KEY(records[i]) >> shift) & 255;                                               \
                if (d < digit) records[kept++] = records[i];                                                 \
                else if (d == digit) spare[same++] = records[i];                                             \
            }                                                                                                \
            left = same;                                                                                     \
            memcpy(records + kept, spare, (size_t)same * sizeof *spare);                                     \
        }                                                                                                    \
        h->count = t->k;                                                                                     \
    }                                                                                                        \
    static key_type worst_##name(const heap *h) {                                                            \
        const type *records = h->records;                                                                    \
        key_type worst = 0;                                                                                  \
        for (int64_t i = 0; i < h->count; i++)                                                               \
            if (KEY(records[i]) > worst) worst = KEY(records[i]);                                            \
        return worst;                                                                                        \
    }                                                                                                        \
    FXI_CLONES static bool any_##name(const key_type *keys, key_type flip, key_type worst) {                 \
        key_type any = 0;                                                                                    \
        for (int i = 0; i < STEP; i++) any |= (key_type)((keys[i] ^ flip) < worst ? 1 : 0);                  \
        return any != 0;                                                                                     \
    }                                                                                                        \
    static void add_##name(const top *t, heap *h, const key_type *keys, int64_t n, int64_t at,               \
                           key_type worst, bool all) {                                                       \
        type *next = (type *)h->records + h->count;                                                          \
        const key_type flip = (key_type)t->flip;                                                             \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            key_type key = keys[i] ^ flip;                                                                   \
            *next = (type)MAKE(key, at + i);                                                                 \
            next += all || key < worst;                                                                      \
        }                                                                                                    \
        h->count = next - (type *)h->records;                                                                \
    }                                                                                                        \
    static void collect_##name(const top *t, const fxi_key_source *source, int64_t start, int64_t end,       \
                               heap *h) {                                                                    \
        key_type keys[BLOCK], worst = 0;                                                                     \
        bool all = true;                                                                                     \
        for (int64_t at = start; at < end; at += BLOCK) {                                                    \
            int64_t n = fxi_size_min(BLOCK, end - at);                                                       \
            load(source, at, n, keys);                                                                       \
            for (int64_t i = 0; i < n; i += STEP) {                                                          \
                int64_t m = fxi_size_min(STEP, n - i);                                                       \
                if (!all && m == STEP && !any_##name(keys + i, (key_type)t->flip, worst)) continue;          \
                add_##name(t, h, keys + i, m, at + i, worst, all);                                           \
                if (h->count + STEP < t->capacity) continue;                                                 \
                keep_##name(t, h);                                                                           \
                worst = worst_##name(h);                                                                     \
                all = h->count < t->k;                                                                       \
            }                                                                                                \
        }                                                                                                    \
        keep_##name(t, h);                                                                                   \
    }
#define PACKED(key, index) ((uint64_t)(key) << 32 | (uint32_t)(index))
#define PACKED_KEY(record) ((uint32_t)((record) >> 32))
#define PAIR(key, index) {(key), (uint64_t)(index)}
#define PAIR_KEY(record) ((record).key)
TOP(packed, uint64_t, uint32_t, fxi_keys_load32, PACKED, PACKED_KEY)
TOP(pair, fxi_key_pair, uint64_t, fxi_keys_load64, PAIR, PAIR_KEY)

static void collect(const top *t, int64_t line, int64_t start, int64_t end, heap *h) {
    fx_dtype dtype = t->node->operands[0]->shape.dtype;
    fxi_key_source source = {.dtype = dtype, .stride = 1};
    source.first = t->x + line * t->lines.along * fxi_memory_bytes(dtype);
    if (t->record == FXI_RECORD_PAIR) collect_pair(t, &source, start, end, h);
    else collect_packed(t, &source, start, end, h);
}

static void keep(const top *t, heap *h) {
    if (t->record == FXI_RECORD_PAIR) keep_pair(t, h);
    else keep_packed(t, h);
}

/* ---- a line ---- */

static heap heap_of(const top *t, int64_t slot) {
    char *memory = t->workspace + slot * t->slot;
    return (heap){memory, memory + t->part, 0};
}

static void write_line(const top *t, int64_t line, heap *h, int64_t slot, fxi_pool *pool) {
    fxi_radix radix = {.record = t->record,
                       .bits = t->bits,
                       .count = t->k,
                       .records = h->records,
                       .spare = h->spare,
                       .pool = pool};
    radix.low = t->record == FXI_RECORD_PAIR ? 0 : 32;
    radix.counters = (int64_t *)(void *)(t->workspace + slot * t->slot + 2 * t->part);
    const void *sorted = fxi_radix_sort(&radix);
    int64_t bytes = fxi_memory_bytes(t->node->operands[0]->shape.dtype);
    fxi_permutation p = {.record = t->record, .records = sorted, .bytes = bytes, .stride = 1};
    p.from = t->x + line * t->lines.along * bytes;
    p.to = (char *)t->results[0] + line * t->k * bytes;
    fxi_permute(&p, 0, t->k);
    bool wide = fxi_node_attr(t->node, FXI_ATTR_DTYPE)->u.dtype == FX_S64;
    for (int64_t i = 0; i < t->k; i++) {
        uint64_t index = t->record == FXI_RECORD_PAIR ? ((const fxi_key_pair *)sorted)[i].index
                                                      : (uint32_t)((const uint64_t *)sorted)[i];
        if (wide) ((int64_t *)t->results[1])[line * t->k + i] = (int64_t)index;
        else ((int32_t *)t->results[1])[line * t->k + i] = (int32_t)index;
    }
}

static void top_line(const top *t, int64_t line, int64_t slot, fxi_pool *pool) {
    heap h = heap_of(t, slot);
    collect(t, line, 0, t->lines.along, &h);
    write_line(t, line, &h, slot, pool);
}

static void lines_task(void *context, int64_t task) {
    const top *t = context;
    int64_t end = fxi_task_start(&t->lines, t->tasks, task + 1);
    for (int64_t line = fxi_task_start(&t->lines, t->tasks, task); line < end; line++)
        top_line(t, line, task, NULL);
}

static void chunk_task(void *context, int64_t task) {
    const top *t = context;
    int64_t line = task / t->chunks, start = task % t->chunks * t->chunk, end = start + t->chunk;
    heap h = heap_of(t, task);
    collect(t, line, start, fxi_size_min(end, t->lines.along), &h);
    size_t bytes = (size_t)(t->k * fxi_record_bytes(t->record));
    memcpy(t->best + task * (int64_t)bytes, h.records, bytes);
}

/* The k best of the chunks' k best, which already stand one after the other; what chunk_task used is free
 * again. */
static void combine_task(void *context, int64_t line) {
    const top *t = context;
    int64_t count = t->chunks * t->k;
    heap h = heap_of(t, line * t->chunks);
    h.spare = h.records; /* with the memory of the line's other chunks it has room for as many */
    h.records = t->best + line * count * fxi_record_bytes(t->record);
    h.count = count;
    keep(t, &h);
    write_line(t, line, &h, line * t->chunks, NULL);
}

/* ---- the plan ---- */

static void plan_chunks(top *t) {
    t->chunks = 1;
    if (t->lines.count < FEW_LINES)
        t->chunks =
            fxi_size_max(1, fxi_size_min(MOST_CHUNKS, t->lines.along / fxi_size_max(CHUNK, 4 * t->k)));
    t->chunk = fxi_size_ceil_div(t->lines.along, t->chunks);
    t->tasks = t->chunks > 1 ? t->lines.count * t->chunks : fxi_line_tasks(&t->lines);
    if (t->chunks == 1 && t->tasks * t->capacity > MOST_RECORDS)
        t->tasks = fxi_size_min(t->tasks, 1 + MOST_RECORDS / t->capacity);
}

/* A chunk has at least k elements: there are at most along / (4 k) of them. */
static top plan_top(const fx_node *node) {
    const fx_shape *shape = &node->operands[0]->shape;
    top t = {
        .node = node, .lines = fxi_lines_of(shape, shape->rank - 1), .k = fxi_node_int(node, FXI_ATTR_K)};
    t.bits = fxi_key_bits(shape->dtype);
    t.record = t.bits <= 32 && t.lines.along <= UINT32_MAX ? FXI_RECORD_KEY64 : FXI_RECORD_PAIR;
    t.flip = fxi_node_int(node, FXI_ATTR_SMALLEST) ? 0 : fxi_key_nan(shape->dtype);
    if (t.lines.count == 0 || t.k == 0) return t;
    if (t.k > MOST_K) return t;
    t.capacity = t.k + fxi_size_max(t.k, SLACK) + STEP;
    plan_chunks(&t);
    t.part = fxi_slot_round(t.capacity * fxi_record_bytes(t.record));
    t.slot = 2 * t.part + fxi_slot_round(fxi_radix_counters(t.k, true) * 8);
    return t;
}

static void run_top_k(const fxi_host_call *call) {
    top t = plan_top(call->node);
    t.x = call->operands[0];
    t.results = call->results;
    t.workspace = call->workspace;
    if (t.lines.count == 0 || t.k == 0) return;
    if (t.chunks > 1) {
        t.best = t.workspace + t.tasks * t.slot;
        fxi_pool_run(call->pool, t.tasks, chunk_task, &t);
        fxi_pool_run(call->pool, t.lines.count, combine_task, &t);
    } else if (t.tasks == 1) {
        for (int64_t line = 0; line < t.lines.count; line++) top_line(&t, line, 0, call->pool);
    } else {
        fxi_pool_run(call->pool, t.tasks, lines_task, &t);
    }
}

static int64_t top_k_workspace(const fx_node *node) {
    top t = plan_top(node);
    int64_t slots, best = 0;
    if (t.lines.count == 0 || t.k == 0) return 0;
    if (t.chunks > 1) best = t.tasks * t.k * fxi_record_bytes(t.record);
    return t.slot > 0 && fxi_size_mul(t.slot, t.tasks, &slots) && fxi_size_add(slots, best, &slots) ? slots
                                                                                                    : -1;
}

const fxi_host_kernel fxi_kernel_top_k = {.run = run_top_k, .workspace = top_k_workspace};
