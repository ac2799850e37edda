/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of a kernel: which are merged, which is the inner one, how wide and how unrolled it is, and
 * how the work is cut into tasks, all from shapes alone, so that bits do not depend on threads. */
#include "kernel_build.h"
#include <string.h>

enum {
    ROW_STEPS = 512,        /* vectors one accumulator sums at most */
    COLUMN_CHUNK = 256,     /* rows one partial column sum covers, more when there are very many */
    ROWS_LEAST = 16,        /* rows from which on several are read side by side, ... */
    ROWS_BYTES = 4 << 20,   /* ... from memory: what a near cache holds is summed faster in registers */
    TASK_WORK = 1 << 17,    /* weighted element operations worth a task of their own */
    INLINE_WORK = 400000,   /* less than this runs on the caller alone: waking a thread costs more */
    LOOP_TASK_WORK = 1 << 15, /* the same two for the body of a loop, whose threads are awake from the */
    LOOP_INLINE_WORK = 32000, /* round before */
    FEW_TASKS = 8
};

/* ---- loops ---- */

static void remove_loop(fxi_builder *b, int loop) {
    int after = b->loops.count - loop - 1;
    memmove(&b->loops.extent[loop], &b->loops.extent[loop + 1], (size_t)after * sizeof b->loops.extent[0]);
    memmove(&b->loops.reduce[loop], &b->loops.reduce[loop + 1], (size_t)after * sizeof b->loops.reduce[0]);
    for (size_t i = 0; i < b->accesses.count; i++) {
        int64_t *coef = b->accesses.data[i].at.coef;
        memmove(&coef[loop], &coef[loop + 1], (size_t)after * sizeof *coef);
        coef[b->loops.count - 1] = 0;
    }
    b->loops.count--;
}

static bool mergeable(const fxi_builder *b, int p, int q) {
    if (b->loops.reduce[p] != b->loops.reduce[q]) return false;
    if (b->columns && b->accesses.data[b->seen].at.coef[q] * b->loops.extent[q] == b->columns) return false;
    for (size_t i = 0; i < b->accesses.count; i++) {
        const int64_t *coef = b->accesses.data[i].at.coef;
        if (coef[p] != coef[q] * b->loops.extent[q]) return false;
    }
    return true;
}

/* Nothing to sum, or nothing to write, whatever the other axes of that class: one empty loop, since
 * kernels divide flattened indices by the extents. What is read inside depends on that loop, so that no
 * load is hoisted out of it: an empty operand has no first element. */
static void merge_empty(fxi_builder *b, bool reduce) {
    int empty = -1;
    for (int k = 0; k < b->loops.count; k++)
        if (b->loops.reduce[k] == reduce && b->loops.extent[k] == 0) empty = k;
    if (empty < 0) return;
    for (int k = 0; k < b->loops.count; k++)
        if (b->loops.reduce[k] == reduce && k != empty) b->loops.extent[k] = 1;
    for (size_t i = 0; i < b->accesses.count; i++)
        if (!reduce || b->accesses.data[i].before_core) b->accesses.data[i].at.coef[empty] = 1;
}

/* The order of loops of one class among themselves means nothing for values except where a reduction's
 * order of accumulation is fixed by it, which is why only neighbours are merged and nothing is reordered. */
void fxi_builder_collapse(fxi_builder *b) {
    merge_empty(b, true);
    merge_empty(b, false);
    for (int k = b->loops.count - 1; k >= 0; k--)
        if (b->loops.extent[k] == 1) remove_loop(b, k);
    for (int q = b->loops.count - 1; q > 0; q--)
        if (mergeable(b, q - 1, q)) {
            b->loops.extent[q] *= b->loops.extent[q - 1];
            remove_loop(b, q - 1);
        }
}

/* ---- form and inner loop ---- */

static int access_score(int64_t stride) {
    return stride == 1 ? 20 : stride == -1 ? 18 : stride == 2 ? 14 : stride == 0 ? 10 : 4;
}

static int64_t loop_score(const fxi_builder *b, int loop) {
    int64_t score = 0, width = b->loops.extent[loop] < 16 ? b->loops.extent[loop] : 16;
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_access_info *a = &b->accesses.data[i];
        if (a->value < 0) continue;
        if (b->cluster->core >= 0 && !a->before_core) continue;
        score += access_score(a->at.coef[loop]) * (a->store ? 2 : 1);
    }
    return (score ? score : 1) * width;
}

static int choose_inner(const fxi_builder *b) {
    int best = -1;
    int64_t best_score = -1;
    for (int k = 0; k < b->loops.count; k++) {
        int64_t score = loop_score(b, k);
        if (score >= best_score) {
            best = k;
            best_score = score;
        }
    }
    return best;
}

/* Weighted operations per iteration. */
static int64_t weight(const fxi_builder *b) {
    int64_t w = 1;
    for (size_t i = 0; i < b->instrs.count; i++) {
        const fxi_instr *n = &b->instrs.data[i];
        bool heavy =
            n->kind == FXI_INSTR_ELEMENT && n->element.op >= FX_OP_EXP && n->element.op <= FX_OP_BESSEL_I1E;
        w += heavy ? 8 : 1;
    }
    return w;
}

/* Bytes that the reduction reads along both the inner loop and its own, roughly. */
static int64_t bytes_read(const fxi_builder *b, const fxi_kernel_shape *s) {
    int64_t widest = 0, total;
    for (size_t i = 0; i < b->accesses.count; i++) {
        const fxi_access_info *a = &b->accesses.data[i];
        bool reduces = false;
        for (int k = 0; k < s->reduce_count; k++) reduces |= a->at.coef[s->reduce[k]] != 0;
        if (!a->store && a->value >= 0 && a->before_core && reduces && a->at.coef[s->inner] != 0)
            widest = fxi_size_max(widest, fxi_memory_bytes(a->dtype));
    }
    bool fits = fxi_size_mul(s->outer_total, s->inner_extent, &total) &&
                fxi_size_mul(total, s->reduce_total, &total) && fxi_size_mul(total, widest, &total);
    return fits ? total : INT64_MAX;
}

/* How many rows go by together: fewer where each is much code; 0: the accumulators stay in registers. */
static void choose_rows(const fxi_builder *b, fxi_kernel_shape *s) {
    int lanes = fxi_kernel_lanes(b, s);
    if (s->form != FXI_FORM_COLUMN || s->reduce_total < ROWS_LEAST || bytes_read(b, s) < ROWS_BYTES ||
        s->inner_extent <= (int64_t)lanes * fxi_kernel_unroll(b, s, lanes))
        return;
    int64_t work = weight(b) + (b->arg ? 6 : 0);
    s->rows = work <= 10 ? 8 : work <= 24 ? 4 : 2;
    s->block = fxi_column_block(b->reduce_dtype, b->arg);
}

/* The innermost loop along the rows of a cluster of rows. */
static int row_loop(const fxi_builder *b) {
    int k = b->loops.count - 1;
    while (k >= 0 && !b->loops.reduce[k]) k--;
    return k;
}

fxi_kernel_shape fxi_kernel_form(const fxi_builder *b) {
    bool rows = b->cluster->rows;
    fxi_kernel_shape s = {.inner = rows ? row_loop(b) : b->columns ? b->loops.count - 1 : choose_inner(b),
                          .outer_total = 1,
                          .inner_extent = 1,
                          .reduce_total = 1};
    bool inner_reduces = s.inner >= 0 && b->loops.reduce[s.inner];
    s.form = b->cluster->core < 0 ? FXI_FORM_MAP : inner_reduces ? FXI_FORM_ROW : FXI_FORM_COLUMN;
    if (rows) s.form = FXI_FORM_ROWS;
    if (s.inner >= 0) s.inner_extent = b->loops.extent[s.inner];
    for (int k = 0; k < b->loops.count; k++) {
        if (k == s.inner) continue;
        if (b->loops.reduce[k]) {
            s.reduce[s.reduce_count++] = k;
            s.reduce_total *= b->loops.extent[k];
        } else {
            s.outer[s.outer_count++] = k;
            s.outer_total *= b->loops.extent[k];
        }
    }
    choose_rows(b, &s);
    return s;
}

static bool is_wide(fx_dtype dtype) {
    return fx_dtype_bits(fx_dtype_real(dtype)) == 64;
}

int fxi_kernel_lanes(const fxi_builder *b, const fxi_kernel_shape *s) {
    if (s->form == FXI_FORM_MAP && s->inner_extent == 1) return 1;
    bool wide = b->cluster->core >= 0 && is_wide(b->reduce_dtype);
    for (size_t i = 0; i < b->instrs.count; i++) wide |= is_wide((fx_dtype)b->instrs.data[i].dtype);
    return wide ? 8 : 16;
}

bool fxi_kernel_has_words(const fxi_builder *b) {
    for (size_t i = 0; i < b->instrs.count; i++)
        if (b->instrs.data[i].kind == FXI_INSTR_ELEMENT && b->instrs.data[i].element.op == FX_OP_PHILOX)
            return true;
    return false;
}

int fxi_kernel_unroll(const fxi_builder *b, const fxi_kernel_shape *s, int lanes) {
    static const struct {
        uint8_t map, row, column;
        size_t instrs;
    } table[] = {{4, 4, 8, 4}, {2, 4, 4, 10}, {1, 2, 2, 24}, {1, 1, 1, SIZE_MAX}};
    size_t row = 0;
    while (b->instrs.count > table[row].instrs) row++;
    int unroll = s->form == FXI_FORM_MAP   ? table[row].map
                 : s->form == FXI_FORM_ROW ? table[row].row
                                           : table[row].column;
    if (fxi_kernel_has_words(b)) unroll = 4;
    while (unroll > 1 && (int64_t)lanes * unroll >= 2 * s->inner_extent) unroll /= 2;
    while (unroll > 1 && b->columns && b->grain % ((int64_t)lanes * unroll) != 0) unroll /= 2;
    return lanes == 1 || b->arg || s->rows ? 1 : unroll;
}

/* ---- tiling ---- */

static bool strided_inner(const fxi_kernel *k) {
    for (int i = 0; i < k->head.accesses; i++)
        if (k->accesses[i].buffer != 0xffff && k->accesses[i].inner == FXI_STRIDE_ANY) return true;
    return false;
}

static int64_t count_tasks(const fxi_tiling *t) {
    return fxi_size_ceil_div(fxi_size_max(t->outer, 1), t->task_outer) *
           fxi_size_ceil_div(fxi_size_max(t->inner, 1), t->task_inner) *
           fxi_size_ceil_div(fxi_size_max(t->reduce, 1), t->task_reduce);
}

/* Length of equal pieces of at most `most` elements, in whole grains. */
static int64_t even_piece(int64_t whole, int64_t most, int64_t grain) {
    int64_t piece = fxi_size_ceil_div(whole, fxi_size_max(fxi_size_ceil_div(whole, most), 1));
    return fxi_size_min(whole, fxi_size_ceil_div(piece, grain) * grain);
}

/* A few tasks are as many as a power of two, so that two or four threads end together. */
static int64_t share_evenly(int64_t whole, int64_t piece) {
    int64_t tasks = 1;
    while (tasks * piece < whole) tasks *= 2;
    return tasks > FEW_TASKS ? piece : fxi_size_ceil_div(whole, tasks);
}

/* Parts of a reduction, each a task; the number of them. */
int64_t fxi_kernel_tile_parts(const fxi_kernel_shape *s, fxi_tiling *t) {
    bool row = s->form == FXI_FORM_ROW;
    t->task_outer = 1;
    if (row) {
        t->task_inner = fxi_size_max(fxi_size_min(s->inner_extent, FXI_ROW_CHUNK), 1);
        t->task_reduce = fxi_size_min(
            s->reduce_total,
            fxi_size_max(fxi_size_min(FXI_ROW_CHUNK / fxi_size_max(s->inner_extent, 1), ROW_STEPS), 1));
    } else {
        int64_t chunk = COLUMN_CHUNK;
        while (chunk * chunk < s->reduce_total) chunk *= 2;
        t->task_reduce = fxi_size_min(s->reduce_total, chunk);
        t->task_inner = s->rows ? even_piece(s->inner_extent, s->block, 16)
                                : fxi_size_max(fxi_size_min(s->inner_extent, 2048), 1);
    }
    t->tasks = count_tasks(t);
    return fxi_size_ceil_div(s->reduce_total, t->task_reduce) *
           (row ? fxi_size_ceil_div(s->inner_extent, t->task_inner) : 1);
}

bool fxi_kernel_needs_parts(const fxi_builder *b, const fxi_kernel_shape *s) {
    if (b->cluster->core < 0 || b->arg) return false;
    if (s->form == FXI_FORM_ROW)
        return s->inner_extent > FXI_ROW_CHUNK || s->reduce_total > ROW_STEPS ||
               s->inner_extent * s->reduce_total > 2 * FXI_ROW_CHUNK;
    return s->reduce_total > 2 * COLUMN_CHUNK;
}

int64_t fxi_kernel_tasks_wanted(const fxi_builder *b, int64_t elements) {
    int64_t work;
    if (!fxi_size_mul(weight(b), elements, &work)) work = INT64_MAX;
    if (work < (b->plan->inner ? LOOP_INLINE_WORK : INLINE_WORK)) return 1;
    return fxi_size_ceil_div(work, b->plan->inner ? LOOP_TASK_WORK : TASK_WORK);
}

void fxi_kernel_tiling(const fxi_builder *b, const fxi_kernel_shape *s, fxi_step *step) {
    const fxi_kernel_head *h = &step->kernel.head;
    fxi_tiling *t = &step->tiling;
    int64_t w = weight(b), grain = (int64_t)h->lanes * h->unroll;
    const int64_t task_work = b->plan->inner ? LOOP_TASK_WORK : TASK_WORK;
    *t = (fxi_tiling){.outer = s->outer_total,
                      .inner = s->inner_extent,
                      .reduce = s->reduce_total,
                      .task_outer = fxi_size_max(s->outer_total, 1),
                      .task_inner = fxi_size_max(s->inner_extent, 1),
                      .task_reduce = fxi_size_max(s->reduce_total, 1),
                      .tasks = 1};
    int64_t per_outer = w * s->inner_extent * (s->form == FXI_FORM_MAP ? 1 : s->reduce_total);
    if (h->partial) {
        fxi_kernel_tile_parts(s, t);
        return;
    }
    if (per_outer * s->outer_total >= (b->plan->inner ? LOOP_INLINE_WORK : INLINE_WORK)) {
        int64_t elements = fxi_size_max(task_work / fxi_size_max(w, 1), 1);
        if (per_outer >= task_work && s->form != FXI_FORM_ROW && s->form != FXI_FORM_ROWS) {
            t->task_outer = 1;
            int64_t columns = s->form == FXI_FORM_MAP
                                  ? elements
                                  : fxi_size_max(elements / fxi_size_max(s->reduce_total, 1), 512);
            if (s->rows) columns = fxi_size_max(columns, fxi_size_min(s->inner_extent / 16, s->block));
            t->task_inner = fxi_size_min(s->inner_extent, fxi_size_ceil_div(columns, grain) * grain);
        } else {
            t->task_outer =
                fxi_size_min(s->outer_total, fxi_size_max(task_work / fxi_size_max(per_outer, 1), 1));
            if (b->plan->inner) t->task_outer = share_evenly(s->outer_total, t->task_outer);
        }
    }
    if (s->rows) t->task_inner = even_piece(s->inner_extent, fxi_size_min(t->task_inner, s->block), grain);
    if (s->form == FXI_FORM_MAP && strided_inner(&step->kernel) &&
        s->outer_count > 0) { /* two-dimensional cache blocks */
        t->block_outer = h->tile ? h->lanes : 16;
        t->block_inner = fxi_size_ceil_div(64, grain) * grain;
        t->run_outer = h->tile ? b->loops.extent[s->outer[s->outer_count - 1]] : s->outer_total;
        t->task_outer =
            fxi_size_min(s->outer_total, fxi_size_ceil_div(fxi_size_max(t->task_outer, 256), t->block_outer) *
                                             t->block_outer);
        t->task_inner = fxi_size_min(t->task_inner, fxi_size_ceil_div(512, t->block_inner) * t->block_inner);
    }
    /* an empty iteration space is one task that does nothing */
    t->task_outer = fxi_size_max(t->task_outer, 1);
    t->task_inner = fxi_size_max(t->task_inner, 1);
    t->tasks = count_tasks(t);
}
