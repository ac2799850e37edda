/* SPDX-License-Identifier: Apache-2.0 */
/* The adjoint of pooling. A task owns a block of the operand along the first axis with windows and walks all
 * windows that touch it, in row-major order: for a tile of windows the largest key so far and its place are
 * kept side by side, then the source is added where the place lies in the block. Windows across an edge are
 * walked by both blocks, so nobody waits and the order of additions, and with it every bit, is the same for
 * any number of threads. Sums are carried in 64 bits (floats in double) and rounded or wrapped once. */
#include "carrier.h"
#include "ops/ops.h"
#include "window_walk.h"
#include <string.h>

enum { TILE = 512 /* windows */, BLOCK = 1 << 19 /* bytes of sums of a block, roughly */, SLOTS = 64 };

/* Keeps the first of the largest keys: flip 0, or of the smallest: flip all ones. */
typedef void (*select_fn)(int64_t *key, int64_t *place, const void *in_void, int64_t step, int64_t rows,
                          int64_t n, int64_t from, int64_t flip);

typedef struct selection {
    fxi_window_space space;
    const fxi_window_axis *last;
    select_fn select;
    const fxi_carrier_info *form;
    const char *x, *source;
    char *result, *buffers;
    int64_t bytes, flip;
    int axis;                      /* the first with windows */
    int64_t before, row_size;      /* blocks lie in [before][dim of the axis][row_size] */
    int64_t block, blocks, buffer; /* rows of a block, blocks of the axis, bytes of a slot's sums */
    int64_t columns, rows;         /* of a tile */
} selection;

/* ---- keys: integers in the order of the elements, -0 as +0, NaN beyond all ---- */

static inline int64_t float_key(double x, int64_t flip) {
    int64_t bits;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? INT64_MAX : (bits ^ (bits < 0 ? INT64_MAX : 0)) ^ flip;
}
#define SIGNED_KEY(x, flip) ((int64_t)(x) ^ (flip))
#define UNSIGNED_KEY(x, flip) ((int64_t)((uint64_t)(x) ^ (UINT64_C(1) << 63)) ^ (flip))
#define FLOAT_KEY(x, flip) float_key((double)(x), flip)
#define F16_KEY(x, flip) float_key((double)fxi_f16_to_f32(x), flip)
#define BF16_KEY(x, flip) float_key((double)fxi_bf16_to_f32(x), flip)

#define SELECT(name, element, KEY)                                                                           \
    FXI_CLONES static void select_##name(int64_t *key, int64_t *place, const void *in_void, int64_t step,    \
                                         int64_t rows, int64_t n, int64_t from, int64_t flip) {              \
        const element *in = in_void;                                                                         \
        for (int64_t r = 0; r < rows; r++, in += step, from += step, key += n, place += n)                   \
            for (int64_t i = 0; i < n; i++) {                                                                \
                int64_t k = KEY(in[i], flip);                                                                \
                bool wins = (k > key[i]) | (place[i] < 0);                                                   \
                key[i] = wins ? k : key[i];                                                                  \
                place[i] = wins ? from + i : place[i];                                                       \
            }                                                                                                \
    }
SELECT(s8, int8_t, SIGNED_KEY)
SELECT(s16, int16_t, SIGNED_KEY)
SELECT(s32, int32_t, SIGNED_KEY)
SELECT(s64, int64_t, SIGNED_KEY)
SELECT(u8, uint8_t, UNSIGNED_KEY)
SELECT(u16, uint16_t, UNSIGNED_KEY)
SELECT(u32, uint32_t, UNSIGNED_KEY)
SELECT(u64, uint64_t, UNSIGNED_KEY)
SELECT(f16, uint16_t, F16_KEY)
SELECT(bf16, uint16_t, BF16_KEY)
SELECT(f32, float, FLOAT_KEY)
SELECT(f64, double, FLOAT_KEY)

static const select_fn selects[FX_DTYPE_LIMIT] = {
    [FX_S2] = select_s8,   [FX_S4] = select_s8,     [FX_S8] = select_s8,   [FX_S16] = select_s16,
    [FX_S32] = select_s32, [FX_S64] = select_s64,   [FX_U2] = select_u8,   [FX_U4] = select_u8,
    [FX_U8] = select_u8,   [FX_U16] = select_u16,   [FX_U32] = select_u32, [FX_U64] = select_u64,
    [FX_F16] = select_f16, [FX_BF16] = select_bf16, [FX_F32] = select_f32, [FX_F64] = select_f64,
};

/* ---- a tile of windows ---- */

typedef struct tile_walk {
    const selection *s;
    int64_t columns, key[TILE], place[TILE];
} tile_walk;

static void visit_rows(void *context, int64_t row, int64_t rows, int64_t from, int64_t step) {
    tile_walk *w = context;
    w->s->select(w->key + row * w->columns, w->place + row * w->columns, w->s->x + from * w->s->bytes, step,
                 rows, w->columns, from, w->s->flip);
}

/* Adds the source where the places lie in elements first .. last - 1, whose sums are given. */
static void add_source(const tile_walk *w, const fxi_window_tile *t, void *sums, int64_t first,
                       int64_t last) {
    const selection *s = w->s;
    int64_t at = t->row * s->space.inner + t->column, values[TILE];
    for (int i = 0; i < s->space.rank - 1; i++) at += t->out[i] * s->space.out_strides[i];
    for (int64_t r = 0; r < t->rows; r++)
        s->form->load(s->source + (at + r * s->space.inner) * s->bytes, t->columns, values + r * t->columns);
    bool is_float = s->form->carrier == FXI_CARRY_F64;
    for (int64_t i = 0; i < t->rows * t->columns; i++) {
        if (w->place[i] < first || w->place[i] >= last) continue;
        char *to = (char *)sums + (w->place[i] - first) * (int64_t)sizeof(int64_t);
        if (is_float) {
            double sum, value;
            memcpy(&sum, to, sizeof sum);
            memcpy(&value, &values[i], sizeof value);
            sum += value;
            memcpy(to, &sum, sizeof sum);
        } else {
            uint64_t sum;
            memcpy(&sum, to, sizeof sum);
            sum += (uint64_t)values[i];
            memcpy(to, &sum, sizeof sum);
        }
    }
}

static void run_tile(const selection *s, fxi_window_tile *t, void *sums, int64_t first, int64_t last) {
    tile_walk w = {.s = s, .columns = t->columns};
    for (int64_t i = 0; i < t->rows * t->columns; i++) w.place[i] = -1;
    fxi_window_walk(&s->space, t, visit_rows, &w);
    add_source(&w, t, sums, first, last);
}

/* ---- a block of the operand ---- */

/* All tiles of the windows begin .. end - 1 along the last axis. */
static void run_rows(const selection *s, fxi_window_tile *t, int64_t begin, int64_t end, void *sums,
                     int64_t first, int64_t last) {
    for (t->row = begin; t->row < end; t->row += s->rows) {
        t->rows = fxi_at_most(s->rows, end - t->row);
        for (t->column = 0; t->column < s->space.inner; t->column += s->columns) {
            t->columns = fxi_at_most(s->columns, s->space.inner - t->column);
            run_tile(s, t, sums, first, last);
        }
    }
}

/* Windows begin .. end - 1 of the axis with the blocks, and all of the axes after it. */
static void run_windows(const selection *s, fxi_window_tile *t, int64_t begin, int64_t end, void *sums,
                        int64_t first, int64_t last) {
    int inner = s->space.rank - 1;
    if (s->axis == inner) {
        run_rows(s, t, begin, end, sums, first, last);
        return;
    }
    t->out[s->axis] = begin;
    for (int i = s->axis; i >= s->axis && t->out[s->axis] < end;) {
        run_rows(s, t, 0, s->last->out, sums, first, last);
        for (i = inner - 1; i > s->axis; i--) {
            if (++t->out[i] < s->space.axes[i].out) break;
            t->out[i] = 0;
        }
        if (i == s->axis) t->out[i]++;
    }
}

static void run_block(const selection *s, int64_t task, void *sums) {
    const fxi_window_axis *a = &s->space.axes[s->axis];
    int64_t outer = task / s->blocks, row = task % s->blocks * s->block,
            rows = fxi_at_most(s->block, a->dim - row);
    int64_t first = (outer * a->dim + row) * s->row_size, count = rows * s->row_size;
    int64_t begin = fxi_at_least(0, fxi_ceil_div(row + a->low - (a->window - 1), a->stride));
    int64_t end = fxi_at_most(a->out, fxi_floor_div(row + rows - 1 + a->low, a->stride) + 1);
    fxi_window_tile t = {0};
    if (s->axis > 0) t.out[0] = outer;
    memset(sums, 0, (size_t)count * sizeof(int64_t));
    run_windows(s, &t, begin, end, sums, first, first + count);
    s->form->store(s->result + first * s->bytes, count, sums);
}

static void slot_task(void *context, int64_t slot) {
    const selection *s = context;
    for (int64_t task = slot; task < s->before * s->blocks; task += SLOTS)
        run_block(s, task, s->buffers + slot * s->buffer);
}

/* ---- the kernel ---- */

static bool plan_selection(selection *s, const fx_node *node) {
    *s = (selection){.select = selects[node->shape.dtype], .form = fxi_carrier_of(node->shape.dtype)};
    fxi_window_find(&s->space, node, &node->operands[1]->shape);
    s->last = &s->space.axes[s->space.rank - 1];
    s->bytes = fxi_memory_bytes(node->shape.dtype);
    s->flip = fxi_node_int(node, FXI_ATTR_KIND) == FXI_MIN ? -1 : 0;
    s->axis =
        s->space.rank > 1 && fxi_window_is_plain(&s->space.axes[0]); /* only one plain axis comes first */
    s->before = s->axis > 0 ? s->space.axes[0].dim : 1;
    s->row_size = s->space.strides[s->axis];
    const fxi_window_axis *a = &s->space.axes[s->axis];
    int64_t fitting = BLOCK / (int64_t)sizeof(int64_t) / s->row_size;
    s->block =
        fxi_at_most(a->dim, fxi_at_least(fitting, fxi_at_most(4 * fxi_at_most(a->window, a->dim), a->dim)));
    s->blocks = fxi_blocks(a->dim, s->block);
    s->columns = fxi_at_most(s->space.inner, TILE);
    s->rows = fxi_at_least(1, TILE / s->columns);
    if (__builtin_mul_overflow(s->block, s->row_size * (int64_t)sizeof(int64_t), &s->buffer)) return false;
    s->buffer = (s->buffer + 63) / 64 * 64;
    return s->buffer <= INT64_MAX / (4 * SLOTS);
}

static void run_select_and_scatter(const fxi_host_call *call) {
    selection s;
    if (fx_shape_size(&call->node->shape) == 0 || !plan_selection(&s, call->node)) return;
    const fx_shape *shape = &call->node->shape;
    if (fx_shape_size(&call->node->operands[1]->shape) == 0) { /* no window, along whichever axis */
        memset(call->result, 0, (size_t)(fx_shape_size(shape) * fxi_memory_bytes(shape->dtype)));
        return;
    }
    s.x = call->operands[0];
    s.source = call->operands[1];
    s.result = call->result;
    s.buffers = call->workspace;
    fxi_pool_run(call->pool, fxi_at_most(SLOTS, s.before * s.blocks), slot_task, &s);
}

static int64_t select_and_scatter_workspace(const fx_node *node) {
    selection s;
    if (fx_shape_size(&node->shape) == 0) return 0;
    return plan_selection(&s, node) ? s.buffer * fxi_at_most(SLOTS, s.before * s.blocks) : -1;
}

const fxi_host_kernel fxi_kernel_select_and_scatter = {.run = run_select_and_scatter,
                                                       .workspace = select_and_scatter_workspace};
