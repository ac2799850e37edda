/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting along an axis, line by line, by the built-in order of the key operands (sort_key.h).
 *
 * One real operand alone: its keys are sorted and turned back into elements; what keys do not tell apart,
 * zeros of two signs and NaNs, is then written again in the order of the operand. Otherwise records of key
 * and index are sorted, by the last key first; the indices that come out say which elements of every
 * operand go where.
 *
 * Short lines of keys are sorted side by side, by a network (sort_network.h).
 * Many lines are shared among tasks, each with buffers of its own; in long lines the passes over a line
 * are. */
#include "sort_key.h"
#include "sort_line.h"
#include "sort_network.h"
#include <string.h>

enum { LONG = 1 << 17, LONG_ALONE = 1 << 15, FEW_LINES = 16, RANGE = 1 << 15, BLOCK = 256 };
#define MOST_ALONG (INT64_C(1) << 56) /* so that sizes of records fit */

typedef struct sort {
    const fx_node *node;
    const void *const *operands;
    void *const *results;
    fxi_pool *pool;
    fx_dims orders;
    fxi_lines lines;
    int64_t tasks; /* lines are shared among them; 0: the passes over a line are */
    bool keys_only, network; /* network: short lines, sorted side by side */
    fxi_record record;
    char *workspace;
    int64_t part, slot; /* bytes of an array of records, and of a task's share of the workspace */
} sort;

/* One line on its way. */
typedef struct line {
    const sort *s;
    int64_t start; /* in elements */
    fxi_pool *pool;
    char *records, *spare;
    fxi_key_source source; /* the key at hand */
    bool first_key;
} line;
typedef void (*range_fn)(line *l, int64_t start, int64_t count);

/* ---- passes over a line ---- */

typedef struct range_job {
    line *l;
    range_fn run;
} range_job;

static void range_task(void *context, int64_t task) {
    const range_job *job = context;
    int64_t start = task * RANGE;
    job->run(job->l, start, fxi_size_min(RANGE, job->l->s->lines.along - start));
}

static void run_ranges(line *l, range_fn run) {
    int64_t along = l->s->lines.along;
    range_job job = {l, run};
    if (l->pool) fxi_pool_run(l->pool, fxi_size_ceil_div(along, RANGE), range_task, &job);
    else run(l, 0, along);
}

static void load_keys(line *l, int64_t start, int64_t count) {
    if (l->s->record == FXI_RECORD_KEY32)
        fxi_keys_load32(&l->source, start, count, (uint32_t *)(void *)l->records + start);
    else fxi_keys_load64(&l->source, start, count, (uint64_t *)(void *)l->records + start);
}

static void store_keys(line *l, int64_t start, int64_t count) {
    const sort *s = l->s;
    char *first = (char *)s->results[0] + l->start * fxi_memory_bytes(l->source.dtype);
    if (s->record == FXI_RECORD_KEY32)
        fxi_keys_store32(&l->source, first, start, count, (const uint32_t *)(const void *)l->records + start);
    else
        fxi_keys_store64(&l->source, first, start, count, (const uint64_t *)(const void *)l->records + start);
}

/* Records of the first key have the indices 0, 1, ...; those of later keys keep theirs and get the key
 * that belongs to it. */
static void make_packed(line *l, int64_t start, int64_t count) {
    uint64_t *records = (uint64_t *)(void *)l->records;
    if (!l->first_key) {
        const uint32_t *keys = (const uint32_t *)(const void *)l->spare;
        for (int64_t i = start; i < start + count; i++)
            records[i] = (uint64_t)keys[(uint32_t)records[i]] << 32 | (uint32_t)records[i];
        return;
    }
    uint32_t keys[BLOCK];
    for (int64_t done = 0; done < count; done += BLOCK) {
        int64_t at = start + done, n = fxi_size_min(BLOCK, count - done);
        fxi_keys_load32(&l->source, at, n, keys);
        for (int64_t i = 0; i < n; i++) records[at + i] = (uint64_t)keys[i] << 32 | (uint32_t)(at + i);
    }
}

static void make_pairs(line *l, int64_t start, int64_t count) {
    fxi_key_pair *records = (fxi_key_pair *)(void *)l->records;
    const uint64_t *keys = (const uint64_t *)(const void *)l->spare;
    for (int64_t i = start; i < start + count; i++) {
        if (l->first_key) records[i].index = (uint64_t)i;
        records[i].key = keys[records[i].index];
    }
}

static void load_spare(line *l, int64_t start, int64_t count) {
    if (l->s->record == FXI_RECORD_KEY64)
        fxi_keys_load32(&l->source, start, count, (uint32_t *)(void *)l->spare + start);
    else fxi_keys_load64(&l->source, start, count, (uint64_t *)(void *)l->spare + start);
}

static void move_elements(line *l, int64_t start, int64_t count) {
    const sort *s = l->s;
    fxi_permutation p = {.record = s->record, .records = l->records, .stride = s->lines.inner};
    for (uint32_t k = 0; k < s->node->operand_count; k++) {
        p.bytes = fxi_memory_bytes(s->node->operands[k]->shape.dtype);
        p.from = (const char *)s->operands[k] + l->start * p.bytes;
        p.to = (char *)s->results[k] + l->start * p.bytes;
        fxi_permute(&p, start, count);
    }
}

/* ---- a line ---- */

static void sort_records(line *l, int bits) {
    const sort *s = l->s;
    fxi_radix radix = {
        .record = s->record, .bits = bits, .count = s->lines.along, .records = l->records, .spare = l->spare};
    radix.low = s->record == FXI_RECORD_KEY64 && !s->keys_only ? 32 : 0;
    radix.counters = (int64_t *)(void *)((l->records < l->spare ? l->records : l->spare) + 2 * s->part);
    radix.pool = l->pool;
    if (fxi_radix_sort(&radix) == l->records) return;
    char *old = l->records;
    l->records = l->spare;
    l->spare = old;
}

static uint64_t key_at(const line *l, int64_t i) {
    return l->s->record == FXI_RECORD_KEY32 ? ((const uint32_t *)(const void *)l->records)[i]
                                            : ((const uint64_t *)(const void *)l->records)[i];
}

/* First place whose key is not below `key`. */
static int64_t first_not_below(const line *l, uint64_t key) {
    int64_t low = 0, high = l->s->lines.along;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (key_at(l, middle) < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Writes zeros and NaNs again, in the order of the operand. */
static void restore_equals(line *l) {
    const sort *s = l->s;
    if (!fx_dtype_is_float(l->source.dtype)) return;
    uint64_t keys[BLOCK], zero = fxi_key_zero(l->source.dtype, l->source.descending),
                          nan = fxi_key_nan(l->source.dtype);
    int64_t along = s->lines.along, next_zero = first_not_below(l, zero), next_nan = first_not_below(l, nan);
    if (next_nan == along && (next_zero == along || key_at(l, next_zero) != zero)) return;
    int64_t step = s->lines.inner * fxi_memory_bytes(l->source.dtype);
    size_t bytes = (size_t)fxi_memory_bytes(l->source.dtype);
    const char *from = l->source.first;
    char *to = (char *)s->results[0] + l->start * (int64_t)bytes;
    for (int64_t done = 0; done < along; done += BLOCK) {
        int64_t n = fxi_size_min(BLOCK, along - done);
        fxi_keys_load64(&l->source, done, n, keys);
        for (int64_t i = 0; i < n; i++)
            if (keys[i] == zero || keys[i] == nan)
                memcpy(to + step * (keys[i] == zero ? next_zero++ : next_nan++), from + step * (done + i),
                       bytes);
    }
}

/* Sets the source to component `part` of key operand `key`. */
static void set_source(line *l, size_t key, int part) {
    const sort *s = l->s;
    fx_dtype dtype = s->node->operands[key]->shape.dtype, real = fx_dtype_real(dtype);
    int64_t bytes = fxi_memory_bytes(dtype), parts = fx_dtype_is_complex(dtype) ? 2 : 1;
    l->source = (fxi_key_source){
        .dtype = real, .stride = s->lines.inner * parts, .descending = s->orders.v[key] != 0};
    l->source.first = (const char *)s->operands[key] + l->start * bytes + part * fxi_memory_bytes(real);
}

static void sort_by_key(line *l) {
    if (l->s->record == FXI_RECORD_PAIR || !l->first_key) run_ranges(l, load_spare);
    run_ranges(l, l->s->record == FXI_RECORD_PAIR ? make_pairs : make_packed);
    sort_records(l, fxi_key_bits(l->source.dtype));
    l->first_key = false;
}

static void sort_line(line *l) {
    const sort *s = l->s;
    if (s->keys_only) {
        set_source(l, 0, 0);
        run_ranges(l, load_keys);
        sort_records(l, fxi_key_bits(l->source.dtype));
        run_ranges(l, store_keys);
        restore_equals(l);
        return;
    }
    l->first_key = true;
    for (size_t key = s->orders.n; key-- > 0;)
        for (int part = fx_dtype_is_complex(s->node->operands[key]->shape.dtype); part >= 0; part--) {
            set_source(l, key, part);
            sort_by_key(l);
        }
    run_ranges(l, move_elements);
}

/* ---- short lines, as many at once as there are lanes ---- */

static int64_t lanes_of(const sort *s) { return s->record == FXI_RECORD_KEY32 ? FXI_LANES32 : FXI_LANES64; }

/* Working memory of a task: the rows, and then the same keys by lines. */
typedef struct group {
    const sort *s;
    int64_t first, lanes; /* lines */
    bool adjacent;        /* keys of a row lie side by side in the operand */
    char *rows, *lines;
} group;

static line group_line(const group *g, int64_t lane) {
    int64_t bytes = g->s->lines.along * FXI_ROW_BYTES / g->lanes;
    line l = {.s = g->s,
              .start = fxi_line_start(&g->s->lines, g->first + lane),
              .records = g->lines + lane * bytes};
    set_source(&l, 0, 0);
    return l;
}

/* Row i of adjacent lines is a line of its own in memory. */
static line group_row(const group *g, int64_t i) {
    line l = {.s = g->s,
              .start = fxi_line_start(&g->s->lines, g->first) + i * g->s->lines.inner,
              .records = g->rows + i * FXI_ROW_BYTES};
    set_source(&l, 0, 0);
    l.source.stride = 1;
    return l;
}

/* Keys from the operand, or elements to the result: row by row, or all lines at once where they are
 * adjacent, or each. */
static void move_group(const group *g, range_fn move) {
    int64_t along = g->s->lines.along, count = g->adjacent ? along : g->s->lines.inner == 1 ? 1 : g->lanes;
    int64_t elements = g->adjacent ? g->lanes : count == 1 ? g->lanes * along : along;
    for (int64_t i = 0; i < count; i++) {
        line l = g->adjacent ? group_row(g, i) : group_line(g, i);
        move(&l, 0, elements);
    }
}

static void rows_of_lines(const group *g) {
    int64_t along = g->s->lines.along;
    if (g->s->record == FXI_RECORD_KEY32)
        fxi_network_gather32((const uint32_t *)(void *)g->lines, along, (uint32_t *)(void *)g->rows);
    else fxi_network_gather64((const uint64_t *)(void *)g->lines, along, (uint64_t *)(void *)g->rows);
}

static void lines_of_rows(const group *g) {
    int64_t along = g->s->lines.along;
    if (g->s->record == FXI_RECORD_KEY32)
        fxi_network_scatter32((const uint32_t *)(void *)g->rows, along, (uint32_t *)(void *)g->lines);
    else fxi_network_scatter64((const uint64_t *)(void *)g->rows, along, (uint64_t *)(void *)g->lines);
}

static void restore_group(const group *g) {
    line l = group_line(g, 0);
    fx_dtype dtype = l.source.dtype;
    if (!fx_dtype_is_float(dtype)) return;
    uint64_t zero = fxi_key_zero(dtype, l.source.descending), nan = fxi_key_nan(dtype);
    int64_t along = g->s->lines.along;
    uint32_t found =
        g->s->record == FXI_RECORD_KEY32
            ? fxi_network_find32((const uint32_t *)(void *)g->rows, along, (uint32_t)zero, (uint32_t)nan)
            : fxi_network_find64((const uint64_t *)(void *)g->rows, along, zero, nan);
    if (found && g->adjacent) lines_of_rows(g);
    for (int64_t lane = 0; lane < g->lanes; lane++) {
        if (!(found >> lane & 1)) continue;
        l = group_line(g, lane);
        restore_equals(&l);
    }
}

static void sort_group(const sort *s, int64_t slot, int64_t first) {
    group g = {.s = s, .first = first, .lanes = lanes_of(s), .rows = s->workspace + slot * s->slot};
    g.lines = g.rows + s->lines.along * FXI_ROW_BYTES;
    g.adjacent = first % s->lines.inner + g.lanes <= s->lines.inner;
    move_group(&g, load_keys);
    if (!g.adjacent) rows_of_lines(&g);
    if (s->record == FXI_RECORD_KEY32) fxi_network_sort32((uint32_t *)(void *)g.rows, s->lines.along);
    else fxi_network_sort64((uint64_t *)(void *)g.rows, s->lines.along);
    if (!g.adjacent) lines_of_rows(&g);
    move_group(&g, store_keys);
    restore_group(&g);
}

/* ---- the plan ---- */

static fxi_record choose_record(const sort *s) {
    int widest = 0;
    for (size_t key = 0; key < s->orders.n; key++) {
        int bits = fxi_key_bits(fx_dtype_real(s->node->operands[key]->shape.dtype));
        if (bits > widest) widest = bits;
    }
    if (s->keys_only) return widest <= 32 ? FXI_RECORD_KEY32 : FXI_RECORD_KEY64;
    return widest <= 32 && s->lines.along <= UINT32_MAX ? FXI_RECORD_KEY64 : FXI_RECORD_PAIR;
}

static sort plan_sort(const fx_node *node) {
    sort s = {.node = node, .orders = fxi_node_ints(node, FXI_ATTR_ORDERS)};
    s.lines = fxi_lines_of(&node->operands[0]->shape, fxi_node_int(node, FXI_ATTR_AXIS));
    bool long_lines = s.lines.along >= LONG || (s.lines.along >= LONG_ALONE && s.lines.count < FEW_LINES);
    s.tasks = long_lines ? 0 : fxi_line_tasks(&s.lines);
    s.keys_only = node->operand_count == 1 && !fx_dtype_is_complex(node->operands[0]->shape.dtype);
    s.record = choose_record(&s);
    if (s.lines.along > MOST_ALONG) return s;
    s.part = fxi_slot_round(s.lines.along * fxi_record_bytes(s.record));
    s.slot = 2 * s.part + fxi_slot_round(fxi_radix_counters(s.lines.along, long_lines) * 8);
    s.network = s.keys_only && s.tasks && s.lines.along <= FXI_NETWORK_ROWS && s.lines.count >= lanes_of(&s);
    if (s.network) s.slot = fxi_size_max(s.slot, 2 * s.lines.along * FXI_ROW_BYTES);
    return s;
}

static void sort_lines(const sort *s, int64_t slot, int64_t begin, int64_t end, fxi_pool *pool) {
    int64_t i = begin;
    for (; s->network && i + lanes_of(s) <= end; i += lanes_of(s)) sort_group(s, slot, i);
    for (; i < end; i++) {
        line l = {.s = s,
                  .start = fxi_line_start(&s->lines, i),
                  .pool = pool,
                  .records = s->workspace + slot * s->slot};
        l.spare = l.records + s->part;
        sort_line(&l);
    }
}

static void lines_task(void *context, int64_t task) {
    const sort *s = context;
    sort_lines(s, task, fxi_task_start(&s->lines, s->tasks, task),
               fxi_task_start(&s->lines, s->tasks, task + 1), NULL);
}

static void run_sort(const fxi_host_call *call) {
    sort s = plan_sort(call->node);
    s.operands = call->operands;
    s.results = call->results;
    s.pool = call->pool;
    s.workspace = call->workspace;
    if (s.lines.count == 0) return;
    if (s.tasks == 0) sort_lines(&s, 0, 0, s.lines.count, s.pool);
    else fxi_pool_run(s.pool, s.tasks, lines_task, &s);
}

static int64_t sort_workspace(const fx_node *node) {
    sort s = plan_sort(node);
    int64_t bytes;
    if (s.lines.count == 0) return 0;
    return s.slot > 0 && fxi_size_mul(s.slot, s.tasks ? s.tasks : 1, &bytes) ? bytes : -1;
}

const fxi_host_kernel fxi_kernel_sort = {.run = run_sort, .workspace = sort_workspace};
