/* SPDX-License-Identifier: Apache-2.0 */
/* What forward and gradient of attention do with blocks of keys and panels of rows: limits, copies into the
 * compute type, products (attention.h). */
#include "attention.h"

#include <math.h>
#include <string.h>

/* ---- limits ---- */

static int64_t read_length(const fxi_attn_at *t, int operand, int64_t most) {
    if (operand < 0) return most;
    int64_t length = ((const int32_t *)t->call->operands[operand])[t->batch];
    return length < 0 ? 0 : fxi_size_min(length, most);
}

/* x + y, where y may be anything and x is small: beyond 2^40 nothing changes any more. */
static int64_t add_far(int64_t x, int64_t y) {
    const int64_t far = INT64_C(1) << 40;
    return x + fxi_size_max(fxi_size_min(y, far), -far);
}

static void find_limits(const fxi_attn_at *t, int64_t query, int64_t *limits) {
    const fxi_attn *a = t->a;
    int64_t first = 0, end = t->key_count;
    int64_t below = t->offset < INT64_MIN + a->window ? INT64_MIN : t->offset - a->window;
    if (a->causal) end = fxi_size_min(end, add_far(query + 1, t->offset));
    if (a->window > 0) first = fxi_size_max(0, add_far(query + 1, below));
    if (query >= t->query_count || end < first) end = first = 0;
    limits[0] = first;
    limits[1] = end;
}

void fxi_attn_begin(fxi_attn_at *t, int64_t batch, int64_t unit, int64_t row, int64_t count) {
    const fxi_attn *a = t->a;
    t->batch = batch;
    t->unit = unit;
    t->row = row;
    t->count = count;
    t->query_count = read_length(t, a->query_lengths, a->queries);
    t->key_count = read_length(t, a->key_lengths, a->keys);
    t->offset = a->has_offset ? a->offset : t->key_count - t->query_count;
    for (int64_t i = 0; i < count; i++) find_limits(t, fxi_attn_query(t, row + i), t->limits[i]);
}

/* Rows without keys limit nothing but what is free of limits. */
void fxi_attn_panel_begin(const fxi_attn_at *t, int64_t from, fxi_attn_panel *p) {
    char *state = p->state;
    *p = (fxi_attn_panel){.row = from, .count = fxi_size_min(t->a->panel, t->count - from), .state = state};
    p->first = p->unbounded_end = INT64_MAX;
    for (int64_t i = from; i < from + p->count; i++) {
        const int64_t *l = t->limits[i];
        if (l[0] < l[1]) p->first = fxi_size_min(p->first, l[0]);
        if (l[0] < l[1]) p->end = fxi_size_max(p->end, l[1]);
        p->unbounded_first = fxi_size_max(p->unbounded_first, l[0]);
        p->unbounded_end = fxi_size_min(p->unbounded_end, l[1]);
    }
    if (p->end == 0) p->first = 0;
}

/* The planes of first and end, from the block's beginning on; lanes without a row see all. */
static void write_limits(const fxi_attn_at *t, const fxi_attn_panel *p, int64_t keys) {
    const fxi_attn *a = t->a;
    char *first = p->state + FXI_ATTN_FIRST * a->block.plane, *end = p->state + FXI_ATTN_END * a->block.plane;
    for (int64_t i = 0; i < a->panel; i++) {
        const int64_t *l = t->limits[p->row + fxi_size_min(i, p->count - 1)];
        int64_t from = fxi_size_min(fxi_size_max(l[0] - keys, 0), FXI_ATTN_KEYS);
        int64_t to = fxi_size_min(fxi_size_max(l[1] - keys, 0), FXI_ATTN_KEYS);
        if (a->bytes == 8) {
            ((int64_t *)(void *)first)[i] = from;
            ((int64_t *)(void *)end)[i] = to;
        } else {
            ((int32_t *)(void *)first)[i] = (int32_t)from;
            ((int32_t *)(void *)end)[i] = (int32_t)to;
        }
    }
}

/* ---- copies ---- */

/* Rows of one head that follow each other in a panel, from `i` on. */
static int64_t count_run(const fxi_attn_at *t, const fxi_attn_panel *p, int64_t i) {
    int64_t left = p->count - i, query = fxi_attn_query(t, t->row + p->row + i);
    return fxi_size_min(left, t->a->queries - query);
}

void fxi_attn_turn(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_turned *x, char *to) {
    const fxi_attn *a = t->a;
    fxi_gemm_move args = {.src_outer = a->in_bytes,
                          .src_inner = x->of->row * a->in_bytes,
                          .dst_outer = a->panel * a->bytes,
                          .dst_inner = a->bytes,
                          .outer = x->dim};
    if (p->count < a->panel) memset(to, 0, (size_t)(x->dim * a->panel * a->bytes));
    for (int64_t i = 0; i < p->count; i += args.inner) {
        int64_t row = t->row + p->row + i;
        int64_t at = fxi_attn_offset(x->of, t->batch, fxi_attn_head(t, row), fxi_attn_query(t, row));
        args.inner = count_run(t, p, i);
        x->move((const char *)x->from + at * a->in_bytes, to + i * a->bytes, &args);
    }
}

/* The last rows alone, when a tile would read over the end of the operand. */
static void load_tail(const fxi_attn *a, fxi_attn_part *part, int64_t left, char *to) {
    int64_t row = part->dim * a->bytes;
    part->whole = part->count;
    if (part->count % a->tile == 0 || fxi_attn_round(part->count, a->tile) <= left) return;
    part->whole = part->count / a->tile * a->tile;
    part->tail = to;
    part->tail_stride = row;
    for (int64_t i = part->whole; i < part->count; i++)
        memcpy(to + (i - part->whole) * row, part->at + i * part->stride, (size_t)row);
}

void fxi_attn_load(const fxi_attn_at *t, const fxi_attn_loaded *x, int64_t first, int64_t end, char *to,
                   fxi_attn_part *part) {
    const fxi_attn *a = t->a;
    int64_t head = t->a->merged > 1 ? t->unit : t->unit / a->group;
    const char *from = (const char *)x->from + fxi_attn_offset(x->of, t->batch, head, first) * a->in_bytes;
    *part = (fxi_attn_part){.count = end - first, .dim = x->dim, .wide = x->wide, .finite = -1};
    if (x->in_place) {
        part->at = from;
        part->stride = x->of->row * a->bytes;
        if (x->by_rows) load_tail(a, part, a->keys - first, to);
        return;
    }
    const fxi_gemm_move args = {.src_outer = x->of->row * a->in_bytes,
                                .src_inner = a->in_bytes,
                                .dst_outer = x->wide * a->bytes,
                                .dst_inner = a->bytes,
                                .outer = part->count,
                                .inner = x->dim};
    if (x->wide > x->dim) memset(to, 0, (size_t)(part->count * x->wide * a->bytes));
    a->widen(from, to, &args);
    part->at = to;
    part->stride = args.dst_outer;
    part->whole = part->count;
}

/* ---- products ---- */

void fxi_attn_scores(const fxi_attn *a, const fxi_attn_part *part, const char *turned, int64_t first,
                     int64_t end, char *scores) {
    fxi_gemm_tile args = {.a_stride = part->stride,
                          .b_stride = a->panel * a->bytes,
                          .c_stride = a->block.stride,
                          .b_ahead = 16 * a->panel * a->bytes,
                          .k = part->dim};
    for (int64_t key = first / a->tile * a->tile; key < end; key += a->tile) {
        bool in_tail = key >= part->whole;
        const char *at = in_tail ? part->tail : part->at + key * part->stride;
        if (in_tail) args.a_stride = part->tail_stride;
        a->by_rows[a->panel > a->lanes](at, turned, scores + key * args.c_stride, &args);
    }
}

#define DEFINE_FINITE(name, integer, infinity)                                                               \
    FXI_CLONES static bool name(const char *at, int64_t n) {                                                 \
        const integer *x = (const integer *)(const void *)at;                                                \
        integer found = 0;                                                                                   \
        for (int64_t i = 0; i < n; i++) found |= (integer)((x[i] & (infinity)) == (infinity));               \
        return found == 0;                                                                                   \
    }
DEFINE_FINITE(is_finite_32, uint32_t, UINT32_C(0x7f800000))
DEFINE_FINITE(is_finite_64, uint64_t, UINT64_C(0x7ff0000000000000))

bool fxi_attn_is_finite(const fxi_attn *a, fxi_attn_part *part) {
    if (part->finite >= 0) return part->finite;
    part->finite = 1;
    bool dense = part->stride == part->dim * a->bytes;
    int64_t rows = dense ? 1 : part->count, n = dense ? part->count * part->dim : part->dim;
    for (int64_t i = 0; i < rows && part->finite; i++) {
        const char *row = part->at + i * part->stride;
        part->finite = a->bytes == 4 ? is_finite_32(row, n) : is_finite_64(row, n);
    }
    return part->finite;
}

/* Key by key and number by number, skipping what is marked: for the sake of blocks with NaN or Inf. The same
 * chain of additions as in the micro-kernels, so that bits do not tell which way was taken. */
#define DEFINE_CAREFUL(name, element, fused)                                                                 \
    static void name(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_sum *s) {                 \
        const fxi_attn *a = t->a;                                                                            \
        for (int64_t i = 0; i < p->count; i++) {                                                             \
            element *to = (element *)(void *)(s->to + i * s->part->wide * a->bytes);                         \
            if (!s->accumulate) memset(to, 0, (size_t)(s->part->wide * a->bytes));                           \
            for (int64_t key = s->first; key < s->end; key++) {                                              \
                int64_t at = key * a->panel + i;                                                             \
                element mark = ((const element *)(const void *)s->marks)[at];                                \
                if (fxi_attn_is_unseen(mark)) continue;                                                      \
                element c = ((const element *)(const void *)s->coefficients)[at];                            \
                const element *row = (const element *)(const void *)(s->part->at + key * s->part->stride);   \
                for (int64_t d = 0; d < s->part->dim; d++) to[d] = fused(c, row[d], to[d]);                  \
            }                                                                                                \
        }                                                                                                    \
    }
DEFINE_CAREFUL(careful_32, float, fmaf)
DEFINE_CAREFUL(careful_64, double, fma)

/* Of rows [i, i + tile) the keys that any of them sees, within [first, end). */
static void narrow(const fxi_attn_at *t, const fxi_attn_panel *p, int64_t i, const fxi_attn_sum *s,
                   int64_t *first, int64_t *end) {
    *first = s->end;
    *end = s->first;
    for (int64_t k = i; k < fxi_size_min(i + t->a->tile, p->count); k++) {
        const int64_t *l = t->limits[p->row + k];
        *first = fxi_size_min(*first, fxi_size_max(l[0] - s->keys, s->first));
        *end = fxi_size_max(*end, fxi_size_min(l[1] - s->keys, s->end));
    }
}

static bool is_bounded(const fxi_attn_panel *p, int64_t first, int64_t end) {
    return p->unbounded_first > first || p->unbounded_end < end;
}

bool fxi_attn_skips(const fxi_attn *a, const fxi_attn_panel *p, const fxi_attn_sum *s) {
    bool masked = a->mask.operand >= 0 && a->mask.dtype == FX_BOOL;
    return masked || is_bounded(p, s->keys + s->first, s->keys + s->end);
}

static void add_tile(const fxi_attn *a, const fxi_attn_sum *s, int64_t row, int64_t first, int64_t end) {
    const fxi_attn_part *part = s->part;
    int64_t width = 2 * a->lanes;
    fxi_gemm_tile args = {.a_stride = a->block.stride,
                          .b_stride = part->stride,
                          .c_stride = part->wide * a->bytes,
                          .b_ahead = 16 * part->stride,
                          .k = end - first,
                          .accumulate = s->accumulate};
    const char *coefficients = s->coefficients + first * a->block.stride + row * a->bytes;
    const char *values = part->at + first * part->stride;
    char *to = s->to + row * args.c_stride;
    for (int64_t d = 0; d < part->wide; d += width) {
        bool two = d + width <= part->wide;
        a->by_units[two](coefficients, values + d * a->bytes, to + d * a->bytes, &args);
    }
}

void fxi_attn_add(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_sum *s) {
    const fxi_attn *a = t->a;
    bool bounded = is_bounded(p, s->keys + s->first, s->keys + s->end);
    if (fxi_attn_skips(a, p, s) && !fxi_attn_is_finite(a, s->part)) {
        (a->bytes == 4 ? careful_32 : careful_64)(t, p, s);
        return;
    }
    for (int64_t i = 0; i < p->count; i += a->tile) {
        int64_t first = s->first, end = s->end;
        if (bounded) narrow(t, p, i, s, &first, &end);
        if (first < end)
            add_tile(a, s, i, first, end);
        else if (!s->accumulate)
            memset(s->to + i * s->part->wide * a->bytes, 0, (size_t)(a->tile * s->part->wide * a->bytes));
    }
}

/* ---- scores to coefficients ---- */

void fxi_attn_write_mask(const fxi_attn *a, const char *from, const fxi_gemm_move *move, char *to) {
    for (int64_t key = 0; key < move->outer; key++)
        for (int64_t i = 0; i < move->inner; i++) {
            bool seen = from[key * move->src_outer + i * move->src_inner] != 0;
            char *at = to + key * move->dst_outer + i * move->dst_inner;
            if (a->bytes == 4)
                *(float *)(void *)at = seen;
            else
                *(double *)(void *)at = seen;
        }
}

static void write_term(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_term *x, int64_t keys,
                       int64_t count, char *to) {
    const fxi_attn *a = t->a;
    fxi_gemm_move args = {.src_outer = x->key * x->bytes,
                          .src_inner = x->row * x->bytes,
                          .dst_outer = a->block.stride,
                          .dst_inner = a->bytes,
                          .outer = count};
    for (int64_t i = 0; i < p->count; i += args.inner) {
        int64_t row = t->row + p->row + i, query = fxi_attn_query(t, row);
        int64_t at = t->batch * x->batch + fxi_attn_head(t, row) * x->head + query * x->row + keys * x->key;
        const char *from = (const char *)t->call->operands[x->operand] + at * x->bytes;
        args.inner = count_run(t, p, i);
        if (x->move)
            x->move(from, to + i * a->bytes, &args);
        else
            fxi_attn_write_mask(a, from, &args, to + i * a->bytes);
    }
}

void fxi_attn_finish(const fxi_attn_at *t, const fxi_attn_panel *p, int64_t keys, int64_t first, int64_t end,
                     char *scores, char *terms) {
    const fxi_attn *a = t->a;
    fxi_attn_block args = a->block;
    args.first = first;
    args.end = end;
    char *term = terms + first * a->block.stride;
    if (a->bias.operand >= 0) write_term(t, p, &a->bias, keys + first, end - first, term);
    if (a->mask.operand >= 0) write_term(t, p, &a->mask, keys + first, end - first, term + a->block.term);
    bool bounded = is_bounded(p, keys + first, keys + end);
    if (bounded) write_limits(t, p, keys);
    fxi_attn_rows_fn run = bounded ? a->rows_bounded : a->rows_free;
    int64_t step = fxi_attn_lanes(a->compute) * a->bytes, panel = fxi_size_min(p->count, a->panel) * a->bytes;
    for (int64_t lane = 0; lane < panel; lane += step)
        run(scores + lane, p->state + lane, terms + lane, &args);
}

/* ---- slots ---- */

int64_t fxi_attn_take_slot(atomic_int *busy, int64_t slots) {
    for (int64_t slot = 0;; slot = slot + 1 < slots ? slot + 1 : 0)
        if (atomic_exchange_explicit(&busy[slot], 1, memory_order_acquire) == 0) return slot;
}
