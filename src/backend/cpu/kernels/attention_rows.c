/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient's products over rows: rows of a panel as they lie or copied, and sums over them (attention.h).
 */
#include "attention_grad.h"

#include <math.h>
#include <string.h>

static void copy_rows(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_turned *x, int64_t wide,
                      char *to) {
    const fxi_attn *a = t->a;
    fxi_gemm_move args = {.src_outer = x->of->row * a->in_bytes,
                          .src_inner = a->in_bytes,
                          .dst_outer = wide * a->bytes,
                          .dst_inner = a->bytes,
                          .inner = x->dim};
    if (wide > x->dim) memset(to, 0, (size_t)(p->count * wide * a->bytes));
    for (int64_t i = 0; i < p->count; i += args.outer) {
        int64_t row = t->row + p->row + i, query = fxi_attn_query(t, row);
        int64_t from = fxi_attn_offset(x->of, t->batch, fxi_attn_head(t, row), query);
        args.outer = fxi_size_min(p->count - i, a->queries - query);
        a->widen((const char *)x->from + from * a->in_bytes, to + i * args.dst_outer, &args);
    }
}

void fxi_attn_rows_load(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_turned *x, int64_t wide,
                        char *to, fxi_attn_part *rows) {
    const fxi_attn *a = t->a;
    *rows = (fxi_attn_part){.count = p->count, .dim = x->dim, .wide = wide, .finite = -1};
    rows->stride = wide * a->bytes;
    rows->at = to;
    if (a->dtype == a->compute && a->merged == 1 && x->of->row == wide && x->dim == wide) {
        int64_t query = fxi_attn_query(t, t->row + p->row);
        int64_t from = fxi_attn_offset(x->of, t->batch, fxi_attn_head(t, t->row + p->row), query);
        rows->at = (const char *)x->from + from * a->bytes;
        return;
    }
    copy_rows(t, p, x, wide, to);
}

#define DEFINE_CAREFUL(name, element, fused)                                                                 \
    static void name(const fxi_attn *a, const fxi_attn_panel *p, const fxi_attn_sum *s) {                    \
        const element *marks = (const element *)(const void *)s->marks;                                      \
        const element *coefficients = (const element *)(const void *)s->coefficients;                        \
        for (int64_t key = s->first; key < s->end; key++) {                                                  \
            element *to = (element *)(void *)(s->to + key * s->part->wide * a->bytes);                       \
            for (int64_t i = 0; i < p->count; i++) {                                                         \
                element mark = marks[key * a->panel + i];                                                    \
                if (fxi_attn_is_unseen(mark)) continue;                                                      \
                element c = coefficients[key * a->panel + i];                                                \
                const element *row = (const element *)(const void *)(s->part->at + i * s->part->stride);     \
                for (int64_t d = 0; d < s->part->dim; d++) to[d] = fused(c, row[d], to[d]);                  \
            }                                                                                                \
        }                                                                                                    \
    }
DEFINE_CAREFUL(careful_32, float, fmaf)
DEFINE_CAREFUL(careful_64, double, fma)

void fxi_attn_add_rows(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_sum *s) {
    const fxi_attn *a = t->a;
    const fxi_attn_part *rows = s->part;
    bool goes_over = (s->end - s->first) % a->tile != 0; /* keys that no row of the panel sees */
    if ((goes_over || fxi_attn_skips(a, p, s)) && !fxi_attn_is_finite(a, s->part)) {
        (a->bytes == 4 ? careful_32 : careful_64)(a, p, s);
        return;
    }
    fxi_gemm_tile args = {.a_stride = a->block.stride,
                          .b_stride = rows->stride,
                          .c_stride = rows->wide * a->bytes,
                          .b_ahead = 16 * rows->stride,
                          .k = p->count,
                          .accumulate = 1};
    int64_t width = 2 * a->lanes;
    for (int64_t d = 0; d < rows->wide; d += width)
        for (int64_t key = s->first; key < s->end; key += a->tile)
            a->by_rows[d + width <= rows->wide](s->coefficients + key * args.a_stride,
                                                rows->at + d * a->bytes,
                                                s->to + key * args.c_stride + d * a->bytes, &args);
}
