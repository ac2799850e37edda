/* SPDX-License-Identifier: Apache-2.0 */
/* fx.attention: softmax(scores) values, without the scores of more than one block of keys and one panel of
 * rows at a time. A task is some rows of one head (or of the heads that share keys): its queries are turned
 * once, then for each block of keys, panel after panel: scores, their exponentials against the largest score
 * so far, and the sum of values weighted by them, which is scaled down when a larger score turns up. What
 * no row of a panel sees (later keys of a causal order, beyond the window or the lengths) is not touched.
 * The method: Dao et al., FlashAttention, 2022; Milakov and Gimelshein, Online normalizer calculation for
 * softmax, 2018. */
#include "attention.h"

#include <math.h>
#include <string.h>

/* ---- the parts of a slot ---- */

typedef struct room {
    size_t turned, sums, state, scores, terms, keys, values, end;
    int64_t turned_bytes, sums_bytes, state_bytes; /* of a panel */
} room;

static room find_room(const fxi_attn *a) {
    room r = {0};
    int64_t panels = a->chunk_rows / a->panel, keys = a->dtype == a->compute ? a->tile : a->room;
    r.turned_bytes = fxi_attn_round(a->dim, 8) * a->panel * a->bytes;
    r.sums_bytes = a->panel_rows * a->wide_value * a->bytes;
    r.state_bytes = FXI_ATTN_PLANES * a->block.plane;
    r.turned = fxi_attn_place(&r.end, panels * r.turned_bytes);
    r.sums = fxi_attn_place(&r.end, panels * r.sums_bytes);
    r.state = fxi_attn_place(&r.end, panels * r.state_bytes);
    r.scores = fxi_attn_place(&r.end, a->block.term);
    r.terms = fxi_attn_place(&r.end, a->bias.operand >= 0 || a->mask.operand >= 0 ? 2 * a->block.term : 0);
    r.keys = fxi_attn_place(&r.end, keys * a->wide_dim * a->bytes);
    r.values = fxi_attn_place(&r.end, a->dense_values ? 0 : a->room * a->wide_value * a->bytes);
    return r;
}

typedef struct forward {
    const fxi_host_call *call;
    const fxi_attn *a;
    atomic_int *busy;
    char *slots;
} forward;

typedef struct work {
    fxi_attn_at t;
    room r;
    char *slot;
    fxi_attn_panel panels[FXI_ATTN_ROWS];
    int64_t panel_count;
} work;

/* ---- the beginning and the end of a panel ---- */

static void fill(const fxi_attn *a, char *to, double value) {
    for (int64_t i = 0; i < a->panel; i++) {
        if (a->bytes == 4)
            ((float *)(void *)to)[i] = (float)value;
        else
            ((double *)(void *)to)[i] = value;
    }
}

static void begin_panel(work *w, int64_t number) {
    const fxi_attn *a = w->t.a;
    fxi_attn_panel *p = &w->panels[number];
    const fxi_attn_turned queries = {&a->q, a->turn, w->t.call->operands[0], a->dim};
    p->state = w->slot + w->r.state + number * w->r.state_bytes;
    fxi_attn_panel_begin(&w->t, number * a->panel, p);
    fill(a, p->state + FXI_ATTN_MOST * a->block.plane, -INFINITY);
    fill(a, p->state + FXI_ATTN_SUM * a->block.plane, 0);
    if (p->end > 0) fxi_attn_turn(&w->t, p, &queries, w->slot + w->r.turned + number * w->r.turned_bytes);
}

#define DEFINE_BY_DTYPE(bits, element, logarithm)                                                            \
    FXI_CLONES static void multiply_##bits(element *restrict x, element by, int64_t n) {                     \
        for (int64_t i = 0; i < n; i++) x[i] *= by;                                                          \
    }                                                                                                        \
    /* Whether a factor is not 1. */                                                                         \
    static bool is_scaled_##bits(const element *scale, int64_t n) {                                          \
        for (int64_t i = 0; i < n; i++)                                                                      \
            if (!(scale[i] == 1)) return true;                                                               \
        return false;                                                                                        \
    }                                                                                                        \
    static void rescale_##bits(const fxi_attn *a, const fxi_attn_panel *p, char *sums) {                     \
        const element *scale = (const element *)(const void *)(p->state + FXI_ATTN_SCALE * a->block.plane);  \
        if (!is_scaled_##bits(scale, p->count)) return;                                                      \
        for (int64_t i = 0; i < p->count; i++)                                                               \
            multiply_##bits((element *)(void *)(sums + i * a->wide_value * a->bytes), scale[i],              \
                            a->wide_value);                                                                  \
    }                                                                                                        \
    /* Divides row i by its sum, which is 0 for a row without keys; gives the logsumexp. */                  \
    static element divide_##bits(const fxi_attn *a, const fxi_attn_panel *p, int64_t i, char *sums) {        \
        element sum = ((const element *)(void *)(p->state + FXI_ATTN_SUM * a->block.plane))[i];              \
        element most = ((const element *)(void *)(p->state + FXI_ATTN_MOST * a->block.plane))[i];            \
        multiply_##bits((element *)(void *)sums, sum == 0 ? 0 : 1 / sum, a->wide_value);                     \
        return sum == 0 ? -(element)INFINITY : most + logarithm(sum);                                        \
    }
DEFINE_BY_DTYPE(32, float, logf)
DEFINE_BY_DTYPE(64, double, log)

static void write_row(const work *w, const fxi_attn_panel *p, int64_t i, char *sums) {
    const fxi_attn *a = w->t.a;
    const fxi_host_call *call = w->t.call;
    int64_t row = w->t.row + p->row + i, head = fxi_attn_head(&w->t, row), query = fxi_attn_query(&w->t, row);
    int64_t at = (w->t.batch * a->heads + head) * a->queries + query;
    if (a->bytes == 4)
        ((float *)call->results[1])[at] = divide_32(a, p, i, sums);
    else
        ((double *)call->results[1])[at] = divide_64(a, p, i, sums);
    const fxi_gemm_move args = {
        .src_inner = a->bytes, .dst_inner = a->in_bytes, .outer = 1, .inner = a->value_dim};
    int64_t to = fxi_attn_offset(&a->o, w->t.batch, head, query) * a->in_bytes;
    a->narrow(sums, (char *)call->results[0] + to, &args);
}

static void end_panel(const work *w, int64_t number) {
    const fxi_attn *a = w->t.a;
    const fxi_attn_panel *p = &w->panels[number];
    char *sums = w->slot + w->r.sums + number * w->r.sums_bytes;
    if (!p->started) memset(sums, 0, (size_t)w->r.sums_bytes);
    for (int64_t i = 0; i < p->count; i++) write_row(w, p, i, sums + i * a->wide_value * a->bytes);
}

/* ---- a block of keys ---- */

static void work_panel(work *w, int64_t number, int64_t keys, const fxi_attn_part *k, fxi_attn_part *v) {
    const fxi_attn *a = w->t.a;
    fxi_attn_panel *p = &w->panels[number];
    int64_t first = fxi_size_max(p->first - keys, 0), end = fxi_size_min(p->end - keys, k->count);
    if (first >= end) return;
    char *scores = w->slot + w->r.scores, *sums = w->slot + w->r.sums + number * w->r.sums_bytes;
    fxi_attn_scores(a, k, w->slot + w->r.turned + number * w->r.turned_bytes, first, end, scores);
    fxi_attn_finish(&w->t, p, keys, first, end, scores, w->slot + w->r.terms);
    if (p->started) (a->bytes == 4 ? rescale_32 : rescale_64)(a, p, sums);
    const fxi_attn_sum s = {.coefficients = scores,
                            .marks = scores,
                            .part = v,
                            .keys = keys,
                            .first = first,
                            .end = end,
                            .to = sums,
                            .accumulate = p->started};
    fxi_attn_add(&w->t, p, &s);
    p->started = true;
}

static void work_block(work *w, int64_t keys, int64_t end) {
    const fxi_attn *a = w->t.a;
    const fxi_attn_loaded key_rows = {&a->k, w->t.call->operands[1], a->dim, a->dim,
                                      true,  a->dtype == a->compute};
    const fxi_attn_loaded value_rows = {&a->v, w->t.call->operands[2], a->value_dim, a->wide_value,
                                        false, a->dense_values};
    fxi_attn_part k, v;
    fxi_attn_load(&w->t, &key_rows, keys, end, w->slot + w->r.keys, &k);
    fxi_attn_load(&w->t, &value_rows, keys, end, w->slot + w->r.values, &v);
    for (int64_t i = 0; i < w->panel_count; i++) work_panel(w, i, keys, &k, &v);
}

static void work_rows(work *w, int64_t number) {
    const fxi_attn *a = w->t.a;
    int64_t unit = number / a->chunks, row = number % a->chunks * a->chunk_rows, heads = a->heads / a->merged;
    fxi_attn_begin(&w->t, unit / heads, unit % heads, row, fxi_size_min(a->chunk_rows, a->rows - row));
    w->panel_count = fxi_size_ceil_div(w->t.count, a->panel);
    int64_t first = INT64_MAX, end = 0;
    for (int64_t i = 0; i < w->panel_count; i++) {
        begin_panel(w, i);
        if (w->panels[i].end > 0) first = fxi_size_min(first, w->panels[i].first);
        end = fxi_size_max(end, w->panels[i].end);
    }
    for (int64_t keys = first / FXI_ATTN_KEYS * FXI_ATTN_KEYS; keys < end; keys += FXI_ATTN_KEYS)
        work_block(w, keys, fxi_size_min(keys + FXI_ATTN_KEYS, end));
    for (int64_t i = 0; i < w->panel_count; i++) end_panel(w, i);
}

/* As many tasks as slots, so that each finds one. */
static void work_task(void *context, int64_t task) {
    const forward *f = context;
    const fxi_attn *a = f->a;
    work w;
    int64_t slot = fxi_attn_take_slot(f->busy, a->slots), end = fxi_gemm_cut(a->tasks, a->slots, task + 1);
    w.t.a = a;
    w.t.call = f->call;
    w.r = find_room(a);
    w.slot = f->slots + (size_t)slot * a->slot_bytes;
    for (int64_t i = fxi_gemm_cut(a->tasks, a->slots, task); i < end; i++) {
        if (a->line)
            fxi_attn_line(a, f->call, i, w.slot);
        else
            work_rows(&w, i);
    }
    atomic_store_explicit(&f->busy[slot], 0, memory_order_release);
}

static void run_attention(const fxi_host_call *call) {
    const fxi_attn *a = call->state;
    forward f = {.call = call, .a = a, .busy = call->workspace};
    if (a->tasks == 0) return;
    for (int64_t i = 0; i < a->slots; i++) atomic_init(&f.busy[i], 0);
    f.slots = (char *)call->workspace + FXI_ATTN_SLOTS * sizeof(int);
    fxi_pool_run(call->pool, a->slots, work_task, &f);
}

static void *prepare(const fx_node *node, const fxi_target *target, fx_error *err) {
    fxi_attn *a = fxi_attn_plan(node, false, target, err);
    if (a && a->tasks > 0)
        fxi_attn_cut_slots(a, a->tasks, a->line ? fxi_attn_line_bytes(a) : find_room(a).end);
    return a;
}

const fxi_host_kernel fxi_kernel_attention = {.run = run_attention,
                                              .prepare = prepare,
                                              .compile = fxi_attn_compile,
                                              .release = fxi_attn_release,
                                              .state_workspace = fxi_attn_workspace};
