/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of one query for each head, as when text is written word by word: the keys that it sees are
 * read once, by the kernels of products with few rows, for all heads that share them. Here lanes are keys:
 * the scores of a row lie one after the other, and the rows kernel takes each lane's share of them,
 * [group][lane], as if it were a row of its own; the lanes' sums are brought to the largest score of all in
 * the end. */
#include "attention.h"

#include <math.h>
#include <string.h>

typedef struct line {
    const fxi_attn *a;
    fxi_attn_at t;
    int64_t first, end, base, groups; /* keys; base: a multiple of the lanes */
    /* parts of the slot: queries [row][dim], scores [row][key], a row's terms, coefficients [key][row], sums
     * [row][value dim], copies of values, planes of lanes */
    char *queries, *scores, *terms, *coefficients, *sums, *copy, *state;
    double total[FXI_ATTN_LINE_ROWS], logarithm[FXI_ATTN_LINE_ROWS]; /* sums and logsumexps */
} line;

static int64_t room_of(const fxi_attn *a) {
    return fxi_attn_round(a->keys, fxi_attn_lanes(a->compute)) + fxi_attn_lanes(a->compute);
}

/* With a mask values are looked at, those of a half type in a copy. */
static bool is_copied(const fxi_attn *a) {
    return a->mask.operand >= 0 && a->dtype != a->compute;
}

static size_t lay_out(const fxi_attn *a, line *l, char *slot) {
    size_t end = 0;
    int64_t room = room_of(a) * a->bytes;
    bool terms = a->bias.operand >= 0 || a->mask.operand >= 0;
    l->queries = slot + fxi_attn_place(&end, a->rows * a->dim * a->bytes);
    l->scores = slot + fxi_attn_place(&end, a->rows * room);
    l->terms = slot + fxi_attn_place(&end, terms ? 2 * room : 0);
    l->coefficients = slot + fxi_attn_place(&end, a->rows * room);
    l->sums = slot + fxi_attn_place(&end, a->rows * a->wide_value * a->bytes);
    l->copy = slot + fxi_attn_place(&end, is_copied(a) ? FXI_ATTN_KEYS * a->value_dim * a->bytes : 0);
    l->state = slot + fxi_attn_place(&end, FXI_ATTN_PLANES * a->block.plane);
    return end;
}

size_t fxi_attn_line_bytes(const fxi_attn *a) {
    line l;
    char place = 0;
    return lay_out(a, &l, &place);
}

/* ---- scores ---- */

static const char *load_queries(const line *l, int64_t *stride) {
    const fxi_attn *a = l->a;
    int64_t at = fxi_attn_offset(&a->q, l->t.batch, fxi_attn_head(&l->t, 0), 0);
    const char *from = (const char *)l->t.call->operands[0] + at * a->in_bytes;
    *stride = a->q.head * a->in_bytes;
    if (a->dtype == a->compute) return from;
    const fxi_gemm_move args = {.src_outer = *stride,
                                .src_inner = a->in_bytes,
                                .dst_outer = a->dim * a->bytes,
                                .dst_inner = a->bytes,
                                .outer = a->rows,
                                .inner = a->dim};
    a->widen(from, l->queries, &args);
    *stride = args.dst_outer;
    return l->queries;
}

static const char *rows_at(const line *l, const fxi_attn_rows_of *x, int operand) {
    int64_t at = fxi_attn_offset(x, l->t.batch, l->t.unit, l->first);
    return (const char *)l->t.call->operands[operand] + at * l->a->in_bytes;
}

static void multiply_keys(const line *l) {
    const fxi_attn *a = l->a;
    fxi_gemm_narrow args = {.l_stride = a->k.row * a->in_bytes,
                            .o_stride = room_of(a) * a->bytes,
                            .k = a->dim,
                            .width = l->end - l->first};
    const char *queries = load_queries(l, &args.s_stride);
    a->dot(queries, rows_at(l, &a->k, 1), l->scores + (l->first - l->base) * a->bytes, &args);
}

/* ---- coefficients ---- */

static void write_term(const line *l, const fxi_attn_term *x, int64_t row, char *to) {
    const fxi_attn *a = l->a;
    int64_t at = l->t.batch * x->batch + fxi_attn_head(&l->t, row) * x->head + l->first * x->key;
    const char *from = (const char *)l->t.call->operands[x->operand] + at * x->bytes;
    fxi_gemm_move args = {.src_outer = x->key * x->bytes, .dst_outer = a->bytes, .inner = 1};
    args.outer = l->end - l->first;
    if (!x->move) {
        fxi_attn_write_mask(a, from, &args, to);
        return;
    }
    args.src_inner = args.src_outer;
    args.dst_inner = a->bytes;
    args.inner = args.outer;
    args.outer = 1;
    x->move(from, to, &args);
}

#define DEFINE_BY_DTYPE(bits, element, integer, exponential, logarithm_of)                                   \
    /* The beginning of a row: no score yet, and the groups in which each lane has a key. */                 \
    static void begin_lanes_##bits(const line *l, int64_t lanes) {                                           \
        const fxi_attn *a = l->a;                                                                            \
        element *most = (element *)(void *)(l->state + FXI_ATTN_MOST * a->block.plane);                      \
        element *sum = (element *)(void *)(l->state + FXI_ATTN_SUM * a->block.plane);                        \
        integer *first = (integer *)(void *)(l->state + FXI_ATTN_FIRST * a->block.plane);                    \
        integer *end = (integer *)(void *)(l->state + FXI_ATTN_END * a->block.plane);                        \
        for (int64_t i = 0; i < lanes; i++) {                                                                \
            int64_t after = l->end - l->base - i;                                                            \
            most[i] = -(element)INFINITY;                                                                    \
            sum[i] = 0;                                                                                      \
            first[i] = i < l->first - l->base;                                                               \
            end[i] = (integer)(after > 0 ? fxi_size_ceil_div(after, lanes) : 0);                             \
        }                                                                                                    \
    }                                                                                                        \
    /* The lanes' coefficients against the largest score of all, [key][row]; sum and logsumexp. */           \
    static void end_lanes_##bits(line *l, int64_t row, int64_t lanes) {                                      \
        const fxi_attn *a = l->a;                                                                            \
        const element *most = (const element *)(const void *)(l->state + FXI_ATTN_MOST * a->block.plane);    \
        const element *sum = (const element *)(const void *)(l->state + FXI_ATTN_SUM * a->block.plane);      \
        const element *from = (const element *)(const void *)(l->scores + row * room_of(a) * a->bytes);      \
        element *to = (element *)(void *)l->coefficients;                                                    \
        element largest = -(element)INFINITY, total = 0, factor[16];                                         \
        for (int64_t i = 0; i < lanes; i++) largest = most[i] > largest ? most[i] : largest;                 \
        for (int64_t i = 0; i < lanes; i++) {                                                                \
            factor[i] = most[i] == -(element)INFINITY ? 1 : exponential(most[i] - largest);                  \
            total += sum[i] * factor[i];                                                                     \
        }                                                                                                    \
        for (int64_t key = l->first; key < l->end; key++)                                                    \
            to[(key - l->first) * a->rows + row] =                                                           \
                from[key - l->base] * factor[(key - l->base) & (lanes - 1)];                                 \
        l->total[row] = (double)total;                                                                       \
        l->logarithm[row] = total == 0 ? -(double)INFINITY : (double)(largest + logarithm_of(total));        \
    }                                                                                                        \
    /* Key by key, skipping what is not seen. */                                                             \
    static void add_carefully_##bits(const line *l, const char *values, int64_t stride) {                    \
        const fxi_attn *a = l->a;                                                                            \
        const element *c = (const element *)(const void *)l->coefficients;                                   \
        for (int64_t i = 0; i < (l->end - l->first) * a->rows; i++) {                                        \
            const element *value = (const element *)(const void *)(values + i / a->rows * stride);           \
            element *to = (element *)(void *)(l->sums + i % a->rows * a->wide_value * a->bytes);             \
            if (fxi_attn_is_unseen(c[i])) continue;                                                          \
            for (int64_t d = 0; d < a->value_dim; d++) to[d] = fused_##bits(c[i], value[d], to[d]);          \
        }                                                                                                    \
    }                                                                                                        \
    static void divide_##bits(const line *l, int64_t row) {                                                  \
        element *sums = (element *)(void *)(l->sums + row * l->a->wide_value * l->a->bytes);                 \
        element total = (element)l->total[row], by = total == 0 ? 0 : 1 / total;                             \
        for (int64_t d = 0; d < l->a->value_dim; d++) sums[d] *= by;                                         \
    }
#define fused_32 fmaf
#define fused_64 fma
DEFINE_BY_DTYPE(32, float, int32_t, expf, logf)
DEFINE_BY_DTYPE(64, double, int64_t, exp, log)

static void finish_scores(line *l, int64_t row) {
    const fxi_attn *a = l->a;
    int64_t lanes = fxi_attn_lanes(a->compute), room = room_of(a) * a->bytes;
    int64_t skip = (l->first - l->base) * a->bytes;
    fxi_attn_block args = a->block;
    args.stride = lanes * a->bytes;
    args.first = 0;
    args.end = l->groups;
    args.term = room;
    if (a->bias.operand >= 0) write_term(l, &a->bias, row, l->terms + skip);
    if (a->mask.operand >= 0) write_term(l, &a->mask, row, l->terms + room + skip);
    (a->bytes == 4 ? begin_lanes_32 : begin_lanes_64)(l, lanes);
    bool bounded = l->first > l->base || l->end < l->base + l->groups * lanes;
    (bounded ? a->rows_bounded : a->rows_free)(l->scores + row * room, l->state, l->terms, &args);
    (a->bytes == 4 ? end_lanes_32 : end_lanes_64)(l, row, lanes);
}

/* ---- values ---- */

static bool is_masked(const fxi_attn *a) {
    return a->mask.operand >= 0 && a->mask.dtype == FX_BOOL;
}

/* Sums over some of the keys, which go on where those of the keys before ended. With a mask of bool a key may
 * be unseen whose value is not finite; every other limit leaves out keys at the ends. */
static void multiply_some(const line *l) {
    const fxi_attn *a = l->a;
    const fxi_gemm_narrow args = {.l_stride = a->v.row * a->in_bytes,
                                  .o_stride = a->wide_value * a->bytes,
                                  .k = l->end - l->first,
                                  .width = a->value_dim};
    if (is_masked(a)) {
        const fxi_attn_loaded values = {&a->v, l->t.call->operands[2], a->value_dim, a->value_dim,
                                        false, a->dtype == a->compute};
        fxi_attn_part v;
        fxi_attn_load(&l->t, &values, l->first, l->end, l->copy, &v);
        if (!fxi_attn_is_finite(a, &v)) {
            (a->bytes == 4 ? add_carefully_32 : add_carefully_64)(l, v.at, v.stride);
            return;
        }
    }
    a->stream(l->coefficients, rows_at(l, &a->v, 2), l->sums, &args);
}

static void multiply_values(const line *l) {
    const fxi_attn *a = l->a;
    line some = *l;
    memset(l->sums, 0, (size_t)(a->rows * a->wide_value * a->bytes));
    for (; some.first < l->end; some.first = some.end) {
        some.end = fxi_size_min(l->end, some.first + FXI_ATTN_KEYS);
        some.coefficients = l->coefficients + (some.first - l->first) * a->rows * a->bytes;
        multiply_some(&some);
    }
}

/* ---- a key head ---- */

static void write_row(line *l, int64_t row) {
    const fxi_attn *a = l->a;
    const fxi_host_call *call = l->t.call;
    int64_t head = fxi_attn_head(&l->t, row), at = l->t.batch * a->heads + head;
    if (a->bytes == 4)
        ((float *)call->results[1])[at] = (float)l->logarithm[row];
    else
        ((double *)call->results[1])[at] = l->logarithm[row];
    (a->bytes == 4 ? divide_32 : divide_64)(l, row);
    const fxi_gemm_move args = {
        .src_inner = a->bytes, .dst_inner = a->in_bytes, .outer = 1, .inner = a->value_dim};
    int64_t to = fxi_attn_offset(&a->o, l->t.batch, head, 0) * a->in_bytes;
    a->narrow(l->sums + row * a->wide_value * a->bytes, (char *)call->results[0] + to, &args);
}

void fxi_attn_line(const fxi_attn *a, const fxi_host_call *call, int64_t number, char *slot) {
    line l = {.a = a, .t = {.a = a, .call = call}};
    lay_out(a, &l, slot);
    fxi_attn_begin(&l.t, number / a->key_heads, number % a->key_heads, 0, a->rows);
    int64_t lanes = fxi_attn_lanes(a->compute);
    l.first = l.t.limits[0][0];
    l.end = l.t.limits[0][1];
    l.base = l.first / lanes * lanes;
    l.groups = fxi_size_ceil_div(l.end - l.base, lanes);
    for (int64_t i = 0; i < a->rows; i++) l.logarithm[i] = -(double)INFINITY;
    if (l.first < l.end) {
        multiply_keys(&l);
        for (int64_t i = 0; i < a->rows; i++) finish_scores(&l, i);
        multiply_values(&l);
    } else {
        memset(l.sums, 0, (size_t)(a->rows * a->wide_value * a->bytes));
    }
    for (int64_t i = 0; i < a->rows; i++) write_row(&l, i);
}
