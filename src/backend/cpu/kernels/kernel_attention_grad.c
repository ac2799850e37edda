/* SPDX-License-Identifier: Apache-2.0 */
/* fx.attention_grad: coefficients are computed again from the logsumexp, block by block, as in the forward
 * kernel. With P the coefficients, dO the output's adjoint and D the mean of each row's dO output,
 *
 *     dV = P^T dO     dP = dO V^T     dX = P (dP - D)     dS = dX tanh'(..) scale
 *     dK = dS^T Q     dQ = dS K       and dX summed is the adjoint of the bias and of a mask that is added.
 *
 * A task is some blocks of keys of one key head: their adjoints gather in it over all rows that see them,
 * head after head of the group. Adjoints of queries gather over the blocks, in the result itself or, where
 * the keys of a head are cut, in parts that are added in order at the end. Where a bias is shared by examples
 * or heads, one task goes through all of them. So every sum has one order, whoever works on it. */
#include "attention_grad.h"

#include <math.h>
#include <string.h>

/* ---- by element type ---- */

#define DEFINE_BY_DTYPE(bits, element)                                                                       \
    FXI_CLONES static void add_##bits(element *restrict to, const element *restrict from, int64_t n) {       \
        for (int64_t i = 0; i < n; i++) to[i] += from[i];                                                    \
    }                                                                                                        \
    FXI_CLONES static element dot_##bits(const element *restrict x, const element *restrict y, int64_t n) {  \
        element sums[16] = {0}, sum = 0;                                                                     \
        int64_t i = 0;                                                                                       \
        for (; i + 16 <= n; i += 16)                                                                         \
            for (int k = 0; k < 16; k++) sums[k] += x[i + k] * y[i + k];                                     \
        for (; i < n; i++) sum += x[i] * y[i];                                                               \
        for (int half = 8; half > 0; half /= 2)                                                              \
            for (int k = 0; k < half; k++) sums[k] += sums[k + half];                                        \
        return sum + sums[0];                                                                                \
    }                                                                                                        \
    /* A row's logsumexp and mean into its lane. A row without keys gets coefficients exp(x - Inf) = 0. */   \
    static void put_lane_##bits(const fxi_attn_grad *g, char *state, int64_t lane, int64_t at) {             \
        const fxi_attn *a = g->a;                                                                            \
        element total = ((const element *)g->call->operands[a->given + 1])[at];                              \
        element *most = (element *)(void *)(state + FXI_ATTN_MOST * a->block.plane);                         \
        element *mean = (element *)(void *)(state + FXI_ATTN_SUM * a->block.plane);                          \
        most[lane] = total == -(element)INFINITY ? (element)INFINITY : total;                                \
        mean[lane] = ((const element *)(const void *)g->means)[at];                                          \
    }                                                                                                        \
    /* Adjoints of finished scores of keys [first, end), one row, into those of a term. */                   \
    static void add_term_##bits(const char *raw, int64_t panel, char *to, int64_t step, int64_t first,       \
                                int64_t end) {                                                               \
        const element *from = (const element *)(const void *)raw;                                            \
        element *sums = (element *)(void *)to;                                                               \
        for (int64_t key = first; key < end; key++) sums[(key - first) * step] += from[key * panel];         \
    }
DEFINE_BY_DTYPE(32, float)
DEFINE_BY_DTYPE(64, double)

static void add_to(const fxi_attn *a, char *to, const char *from, int64_t n) {
    if (a->bytes == 4)
        add_32((float *)(void *)to, (const float *)(const void *)from, n);
    else
        add_64((double *)(void *)to, (const double *)(const void *)from, n);
}

/* ---- means ---- */

/* A row of the output or its adjoint, in `room` unless it is of the compute type. */
static const void *widen_row(const fxi_attn *a, const void *from, int64_t at, char *room) {
    const fxi_gemm_move args = {
        .src_inner = a->in_bytes, .dst_inner = a->bytes, .outer = 1, .inner = a->value_dim};
    const char *row = (const char *)from + at * a->in_bytes;
    if (a->dtype == a->compute) return row;
    a->widen(row, room, &args);
    return room;
}

/* Of one head: sums of output times adjoint. */
static void work_means(void *context, int64_t task) {
    const fxi_attn_grad *g = context;
    const fxi_attn *a = g->a;
    _Alignas(64) char output[FXI_ATTN_MOST_DIM * sizeof(double)], adjoint[sizeof output];
    for (int64_t i = 0; i < a->queries; i++) {
        int64_t from = fxi_attn_offset(&a->o, task / a->heads, task % a->heads, i);
        int64_t to = task * a->queries + i;
        const void *x = widen_row(a, g->call->operands[a->given], from, output);
        const void *y = widen_row(a, g->call->operands[a->given + 2], from, adjoint);
        if (a->bytes == 4)
            ((float *)(void *)g->means)[to] = dot_32(x, y, a->value_dim);
        else
            ((double *)(void *)g->means)[to] = dot_64(x, y, a->value_dim);
    }
}

/* ---- a panel of rows and a block of keys ---- */

static int64_t row_place(const fxi_attn_at *t, int64_t row) {
    return (t->batch * t->a->heads + fxi_attn_head(t, row)) * t->a->queries + fxi_attn_query(t, row);
}

/* Lanes without a row are as rows without keys. */
static void write_state(const fxi_attn_grad *g, const fxi_attn_at *t, const fxi_attn_panel *p) {
    const fxi_attn *a = g->a;
    for (int64_t i = 0; i < p->count; i++)
        (a->bytes == 4 ? put_lane_32 : put_lane_64)(g, p->state, i, row_place(t, t->row + p->row + i));
    for (int64_t i = p->count; i < a->panel; i++) {
        char *most = p->state + FXI_ATTN_MOST * a->block.plane, *mean = p->state + a->block.plane;
        if (a->bytes == 4) {
            ((float *)(void *)most)[i] = (float)INFINITY;
            ((float *)(void *)mean)[i] = 0;
        } else {
            ((double *)(void *)most)[i] = (double)INFINITY;
            ((double *)(void *)mean)[i] = 0;
        }
    }
}

/* Adds the adjoints of queries that a panel got from a block. */
static void add_queries(const fxi_attn_work *w, const fxi_attn_panel *p) {
    const fxi_attn *a = w->g->a;
    for (int64_t i = 0; i < p->count; i++) {
        int64_t row = w->t.row + p->row + i;
        int64_t to =
            fxi_attn_offset(&a->q, w->t.batch, fxi_attn_head(&w->t, row), fxi_attn_query(&w->t, row));
        add_to(a, w->queries + to * a->bytes, w->sums + i * a->wide_dim * a->bytes, a->dim);
    }
}

static void add_term(const fxi_attn_work *w, const fxi_attn_panel *p, const fxi_attn_term *x, char *sums,
                     int64_t first, int64_t end) {
    const fxi_attn *a = w->g->a;
    const char *raw = w->scores + a->block.raw;
    for (int64_t i = 0; i < p->count; i++) {
        int64_t row = w->t.row + p->row + i;
        int64_t at = w->t.batch * x->batch + fxi_attn_head(&w->t, row) * x->head +
                     fxi_attn_query(&w->t, row) * x->row + (w->keys + first) * x->key;
        (a->bytes == 4 ? add_term_32 : add_term_64)(raw + i * a->bytes, a->panel, sums + at * a->bytes,
                                                    x->key, first, end);
    }
}

/* Tiles go over the last key: what they find there counts nothing. */
static void clear_behind(const fxi_attn *a, char *scores, int64_t end) {
    size_t bytes = (size_t)(a->tile * a->block.stride);
    memset(scores + end * a->block.stride, 0, bytes);
    memset(scores + a->block.other + end * a->block.stride, 0, bytes);
}

static void work_panel(fxi_attn_work *w, fxi_attn_panel *p) {
    const fxi_attn_grad *g = w->g;
    const fxi_attn *a = g->a;
    int64_t first = fxi_size_max(p->first - w->keys, 0), end = fxi_size_min(p->end - w->keys, w->k.count);
    if (first >= end) return;
    const fxi_attn_turned queries = {&a->q, a->turn, g->call->operands[0], a->dim};
    const fxi_attn_turned adjoints = {&a->o, a->turn_output, g->call->operands[a->given + 2], a->value_dim};
    char *other = w->scores + a->block.other;
    fxi_attn_part q, o;
    write_state(g, &w->t, p);
    fxi_attn_turn(&w->t, p, &queries, w->turned);
    fxi_attn_scores(a, &w->k, w->turned, first, end, w->scores);
    fxi_attn_turn(&w->t, p, &adjoints, w->turned);
    fxi_attn_scores(a, &w->v, w->turned, first, end, other);
    fxi_attn_finish(&w->t, p, w->keys, first, end, w->scores, w->terms);
    if (a->wants_bias) add_term(w, p, &a->bias, g->bias, first, end);
    if (a->wants_mask) add_term(w, p, &a->mask, g->mask, first, end);
    clear_behind(a, w->scores, end);
    fxi_attn_rows_load(&w->t, p, &queries, a->wide_dim, w->query_rows, &q);
    fxi_attn_rows_load(&w->t, p, &adjoints, a->wide_value, w->adjoint_rows, &o);
    fxi_attn_sum s = {other, w->scores, &q, w->keys, first, end, w->dk, true};
    fxi_attn_add_rows(&w->t, p, &s);
    s = (fxi_attn_sum){w->scores, w->scores, &o, w->keys, first, end, w->dv, true};
    fxi_attn_add_rows(&w->t, p, &s);
    s = (fxi_attn_sum){other, w->scores, &w->k, w->keys, first, end, w->sums, false};
    fxi_attn_add(&w->t, p, &s);
    add_queries(w, p);
}

static void work_rows(fxi_attn_work *w, int64_t batch, int64_t unit) {
    const fxi_attn *a = w->g->a;
    for (int64_t row = 0; row < a->rows; row += FXI_ATTN_ROWS) {
        fxi_attn_begin(&w->t, batch, unit, row, fxi_size_min(FXI_ATTN_ROWS, a->rows - row));
        for (int64_t from = 0; from < w->t.count; from += a->panel) {
            fxi_attn_panel p = {.state = w->state};
            fxi_attn_panel_begin(&w->t, from, &p);
            work_panel(w, &p);
        }
    }
}

/* ---- a block of keys ---- */

static void write_keys(const fxi_attn_work *w, const fxi_attn_rows_of *x, int64_t head, int64_t count,
                       int64_t dim, int64_t wide, const char *from, void *result) {
    const fxi_attn *a = w->g->a;
    const fxi_gemm_move args = {.src_outer = wide * a->bytes,
                                .src_inner = a->bytes,
                                .dst_outer = x->row * a->in_bytes,
                                .dst_inner = a->in_bytes,
                                .outer = count,
                                .inner = dim};
    int64_t to = fxi_attn_offset(x, w->t.batch, head, w->keys) * a->in_bytes;
    a->narrow(from, (char *)result + to, &args);
}

static void work_block(fxi_attn_work *w, int64_t batch, int64_t head, int64_t block) {
    const fxi_attn_grad *g = w->g;
    const fxi_attn *a = g->a;
    const fxi_attn_loaded keys = {&a->k, g->call->operands[1], a->dim, a->wide_dim, true, a->dense_keys};
    const fxi_attn_loaded values = {&a->v, g->call->operands[2],  a->value_dim, a->value_dim,
                                    true,  a->dtype == a->compute};
    int64_t units = a->merged > 1 ? 1 : a->group, unit = head * units;
    w->keys = block * FXI_ATTN_KEYS;
    fxi_attn_begin(&w->t, batch, unit, 0, 0);
    int64_t end = fxi_size_min(w->keys + FXI_ATTN_KEYS, a->keys), there = fxi_size_min(end, w->t.key_count);
    memset(w->dk, 0, (size_t)((a->room - FXI_ATTN_SLACK) * a->wide_dim * a->bytes));
    memset(w->dv, 0, (size_t)((a->room - FXI_ATTN_SLACK) * a->wide_value * a->bytes));
    if (there > w->keys) {
        fxi_attn_load(&w->t, &keys, w->keys, there, w->key_rows, &w->k);
        fxi_attn_load(&w->t, &values, w->keys, there, w->value_rows, &w->v);
        for (int64_t i = 0; i < units; i++) work_rows(w, batch, unit + i);
    }
    write_keys(w, &a->k, head, end - w->keys, a->dim, a->wide_dim, w->dk, g->call->results[1]);
    write_keys(w, &a->v, head, end - w->keys, a->value_dim, a->wide_value, w->dv, g->call->results[2]);
}

/* The adjoints of queries of a key head's group begin at zero. */
static void clear_queries(const fxi_attn_work *w, int64_t batch, int64_t head) {
    const fxi_attn *a = w->g->a;
    for (int64_t h = head * a->group; h < (head + 1) * a->group; h++)
        for (int64_t i = 0; i < a->queries; i++)
            memset(w->queries + fxi_attn_offset(&a->q, batch, h, i) * a->bytes, 0,
                   (size_t)(a->dim * a->bytes));
}

static void work_cut(fxi_attn_work *w, int64_t number) {
    const fxi_attn_grad *g = w->g;
    const fxi_attn *a = g->a;
    int64_t keys = number % a->key_cuts, rest = number / a->key_cuts;
    int64_t heads = rest % a->head_cuts, batches = rest / a->head_cuts;
    w->queries = a->parts ? g->parts + keys * g->part_bytes : g->call->results[0];
    int64_t end_batch = fxi_gemm_cut(a->batch, a->batch_cuts, batches + 1);
    int64_t end_head = fxi_gemm_cut(a->key_heads, a->head_cuts, heads + 1);
    int64_t end_block = fxi_gemm_cut(a->block_count, a->key_cuts, keys + 1);
    for (int64_t b = fxi_gemm_cut(a->batch, a->batch_cuts, batches); b < end_batch; b++)
        for (int64_t h = fxi_gemm_cut(a->key_heads, a->head_cuts, heads); h < end_head; h++) {
            clear_queries(w, b, h);
            for (int64_t i = fxi_gemm_cut(a->block_count, a->key_cuts, keys); i < end_block; i++)
                work_block(w, b, h, i);
        }
}

/* As many tasks as slots, so that each finds one. */
static void work_task(void *context, int64_t task) {
    const fxi_attn_grad *g = context;
    const fxi_attn *a = g->a;
    fxi_attn_work w;
    int64_t slot = fxi_attn_take_slot(g->busy, a->slots), end = fxi_gemm_cut(a->tasks, a->slots, task + 1);
    fxi_attn_work_begin(&w, g, g->slots + (size_t)slot * a->slot_bytes);
    for (int64_t i = fxi_gemm_cut(a->tasks, a->slots, task); i < end; i++) work_cut(&w, i);
    atomic_store_explicit(&g->busy[slot], 0, memory_order_release);
}

/* ---- the ends of sums ---- */

enum { FINISHED = 4096 }; /* elements of a task */

static void narrow_row(const fxi_attn *a, const char *from, char *to, int64_t n) {
    const fxi_gemm_move args = {.src_inner = a->bytes, .dst_inner = a->in_bytes, .outer = 1, .inner = n};
    a->narrow(from, to, &args);
}

static void finish_queries(void *context, int64_t task) {
    const fxi_attn_grad *g = context;
    const fxi_attn *a = g->a;
    int64_t first = task * FINISHED, n = fxi_size_min(FINISHED, g->part_bytes / a->bytes - first);
    char *sum = g->parts + first * a->bytes;
    for (int64_t i = 1; i < a->key_cuts; i++) add_to(a, sum, sum + i * g->part_bytes, n);
    narrow_row(a, sum, (char *)g->call->results[0] + first * a->in_bytes, n);
}

static void clear_results(const fxi_host_call *call) {
    for (size_t i = 0; i < fxi_node_results(call->node); i++) {
        const fx_shape *s = fxi_node_result_shape(call->node, i);
        int64_t bytes = fx_shape_size(s) * fxi_memory_bytes(s->dtype);
        if (bytes) memset(call->results[i], 0, (size_t)bytes);
    }
}

/* Where the adjoint of a bias or mask gathers: the result, or the workspace at *at when it is a half type. */
static char *begin_term(const fxi_attn_grad *g, const fxi_attn_term *x, size_t bytes, void *result,
                        char **at) {
    char *sums = *at;
    if (x->dtype == g->a->compute) return result;
    memset(sums, 0, bytes);
    *at += bytes;
    return sums;
}

static void end_term(const fxi_attn_grad *g, const fxi_attn_term *x, const char *sums, void *result) {
    int64_t count = fx_shape_size(&g->call->node->operands[x->operand]->shape);
    if (x->dtype != g->a->compute) narrow_row(g->a, sums, result, count);
}

static void run_gradient(const fxi_host_call *call) {
    const fxi_attn *a = call->state;
    fxi_attn_grad g = {.call = call, .a = a, .busy = call->workspace};
    if (a->tasks == 0 || a->wants_bias || a->wants_mask) clear_results(call);
    if (a->tasks == 0) return;
    for (int64_t i = 0; i < a->slots; i++) atomic_init(&g.busy[i], 0);
    void *bias = a->wants_bias ? call->results[3] : NULL;
    void *mask = a->wants_mask ? call->results[a->mask_result] : NULL;
    char *at = (char *)call->workspace + FXI_ATTN_SLOTS * sizeof(int);
    g.slots = at;
    g.means = at += (size_t)a->slots * a->slot_bytes;
    g.parts = at += a->means_bytes;
    at += a->parts_bytes;
    g.part_bytes = fx_shape_size(&call->node->shape) * a->bytes;
    if (bias) g.bias = begin_term(&g, &a->bias, a->bias_bytes, bias, &at);
    if (mask) g.mask = begin_term(&g, &a->mask, a->mask_bytes, mask, &at);
    fxi_pool_run(call->pool, a->batch * a->heads, work_means, &g);
    fxi_pool_run(call->pool, a->slots, work_task, &g);
    if (a->parts)
        fxi_pool_run(call->pool, fxi_size_ceil_div(g.part_bytes / a->bytes, FINISHED), finish_queries, &g);
    if (bias) end_term(&g, &a->bias, g.bias, bias);
    if (mask) end_term(&g, &a->mask, g.mask, mask);
}

const fxi_host_kernel fxi_kernel_attention_grad = {.run = run_gradient,
                                                   .prepare = fxi_attn_grad_prepare,
                                                   .compile = fxi_attn_compile,
                                                   .release = fxi_attn_release,
                                                   .state_workspace = fxi_attn_workspace};
