/* SPDX-License-Identifier: Apache-2.0 */
/* Windows combined, in stages.
 *
 * A direct stage combines every element of a window, over several axes at once: a tile of results stays in
 * the first-level cache while each place of the window adds a row of the operand to each row of it. It is
 * what small windows over images with the channels last need: the operand is read from memory once. Where
 * windows overlap along the last axis, all other axes are combined first, into a line of which the windows
 * then share the elements.
 *
 * A tree stage takes one axis: a block of the line, padding included, is doubled in place (pairs, pairs of
 * pairs), so that a window of w costs log2 w combinations and sums have pairwise errors. All of it are
 * shifted combinations of contiguous memory, so that it vectorises however few elements lie side by side;
 * strides are thinned out in the end. Several short lines share a block.
 *
 * Larger windows go axis by axis from the first, through memory of accumulators. Which stages there are, and
 * thereby the order of all sums, depends on the shapes alone. */
#include "kernel_fold.h"
#include "ops/ops.h"
#include "window_walk.h"
#include <string.h>

enum {
    LINE = 16384,  /* bytes of a line, beside its tile */
    TILE = 8192,   /* bytes of a tile of accumulators: with the rows it reads it fits the first-level cache */
    BLOCK = 65536, /* bytes of a tree's block, but for long windows */
    SMALL = 32,    /* places of a window that are combined directly, one after the other */
    SHORT = 16,    /* the same along one axis */
    NARROW = 8,    /* with fewer elements side by side direct stages do not vectorise */
    SLOTS = 64,    /* parts that the tasks of a tree stage are dealt to, each with a buffer */
    GROUP = 65536  /* bytes of results of a direct stage's task, roughly */
};

typedef struct stage {
    fxi_fold fold;
    const char *from;
    char *to, *buffers;
    fxi_fold_fn take;        /* from elements, or from the accumulators of the stage before */
    fxi_fold_store_fn store; /* to elements, or accumulators */
    int64_t from_bytes, to_bytes;
    fxi_window_space space;
    const fxi_window_axis *last;
    bool is_tree;
    int64_t columns, column_blocks, rows, row_blocks, tasks; /* of a tile or block, and how many */
    int64_t group;                                           /* direct: tiles of a task */
    bool has_line;
    fxi_window_space line_space; /* the last axis without windows */
    int64_t lines, span, buffer; /* tree: of a block, its places, bytes of a slot's buffer */
} stage;

/* ---- direct ---- */

/* Whether a line pays, and how many rows of windows fit beside it. */
static bool find_line(stage *s) {
    const fxi_window_axis *a = s->last;
    bool others = false;
    for (int i = 0; i < s->space.rank - 1; i++) others |= s->space.axes[i].window > 1;
    if (!others || a->window == 1 || a->dilation > 1 || a->stride > a->window) return false;
    int64_t places = LINE / (s->columns * s->fold.wide);
    int64_t rows = fxi_at_most(s->rows, (places - a->window) / a->stride + 1);
    if (places < a->window || rows < fxi_at_most(4, a->out)) return false;
    s->rows = rows;
    s->line_space = s->space;
    s->line_space.axes[s->space.rank - 1] = (fxi_window_axis){a->dim, a->dim, 1, 1, 1, 1, 0};
    return true;
}

static bool cut_direct(stage *s) {
    int64_t most = TILE / s->fold.wide;
    s->columns = fxi_at_most(s->space.inner, most);
    s->column_blocks = fxi_blocks(s->space.inner, s->columns);
    s->rows = fxi_at_most(s->last->out, fxi_at_least(1, most / s->columns));
    s->has_line = find_line(s);
    s->row_blocks = fxi_blocks(s->last->out, s->rows);
    s->tasks = s->row_blocks * s->column_blocks;
    for (int i = 0; i < s->space.rank - 1; i++) s->tasks *= s->space.axes[i].out;
    s->group = fxi_at_least(1, GROUP / (s->rows * s->columns * s->fold.wide));
    return true;
}

static fxi_window_tile tile_of(const stage *s, int64_t task) {
    fxi_window_tile t = {0};
    t.column = task % s->column_blocks * s->columns;
    t.columns = fxi_at_most(s->columns, s->space.inner - t.column);
    task /= s->column_blocks;
    t.row = task % s->row_blocks * s->rows;
    t.rows = fxi_at_most(s->rows, s->last->out - t.row);
    task /= s->row_blocks;
    for (int i = s->space.rank - 2; i >= 0; i--) {
        t.out[i] = task % s->space.axes[i].out;
        task /= s->space.axes[i].out;
    }
    return t;
}

typedef struct direct_walk {
    const stage *stage;
    char *tile;
    int64_t columns;
} direct_walk;

static void take_rows(void *context, int64_t row, int64_t rows, int64_t from, int64_t step) {
    const direct_walk *w = context;
    const stage *s = w->stage;
    bool dense = step == w->columns;
    s->take(w->tile + row * w->columns * s->fold.wide, w->columns, s->from + from * s->from_bytes, step,
            dense ? 1 : rows, dense ? rows * w->columns : w->columns);
}

/* A tile by way of a line: the places of the last axis that its windows meet. */
static void run_line(const stage *s, const fxi_window_tile *t, char *tile) {
    _Alignas(64) char line[LINE];
    const fxi_window_axis *a = s->last;
    int64_t start = t->row * a->stride - a->low, span = (t->rows - 1) * a->stride + a->window;
    int64_t columns = t->columns, wide = s->fold.wide;
    fxi_window_tile part = *t;
    part.row = fxi_at_least(start, 0);
    part.rows = fxi_at_most(start + span, a->dim) - part.row;
    fxi_fold_clear(&s->fold, line, span * columns);
    direct_walk walk = {s, line + (part.row - start) * columns * wide, columns};
    if (part.rows > 0) fxi_window_walk(&s->line_space, &part, take_rows, &walk);
    s->fold.copy(tile, line, a->stride * columns, t->rows, columns);
    for (int64_t k = 1; k < a->window; k++)
        s->fold.merge(tile, columns, line + k * columns * wide, a->stride * columns, t->rows, columns);
}

static void run_tile(const stage *s, const fxi_window_tile *t, char *tile) {
    if (s->has_line) {
        run_line(s, t, tile);
        return;
    }
    fxi_fold_clear(&s->fold, tile, t->rows * t->columns);
    direct_walk walk = {s, tile, t->columns};
    fxi_window_walk(&s->space, t, take_rows, &walk);
}

/* Rows of accumulators to where they belong; `step` is their distance. */
static void store_rows(const stage *s, char *to, const char *acc, int64_t step, int64_t rows,
                       int64_t columns) {
    if (columns == s->space.inner) {
        s->store(to, acc, step, rows, columns);
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        s->store(to + r * s->space.inner * s->to_bytes, acc + r * step * s->fold.wide, 0, 1, columns);
}

static void direct_task(void *context, int64_t task) {
    const stage *s = context;
    _Alignas(64) char tile[TILE];
    for (int64_t k = task * s->group, end = fxi_at_most(k + s->group, s->tasks); k < end; k++) {
        fxi_window_tile t = tile_of(s, k);
        run_tile(s, &t, tile);
        int64_t to = t.row * s->space.inner + t.column;
        for (int i = 0; i < s->space.rank - 1; i++) to += t.out[i] * s->space.out_strides[i];
        store_rows(s, s->to + to * s->to_bytes, tile, t.columns, t.rows, t.columns);
    }
}

/* ---- tree ---- */

/* The axis is the last; those before it are lines. A block has twice the places of its window at least, so
 * that what neighbouring blocks both compute stays below half. */
static bool cut_tree(stage *s) {
    const fxi_window_axis *a = s->last;
    int64_t all = 1, size, reach = (a->window - 1) * a->dilation, block = BLOCK / s->fold.wide;
    for (int i = 0; i < s->space.rank - 1; i++) all *= s->space.axes[i].out;
    s->columns = fxi_at_most(s->space.inner, fxi_at_least(NARROW, block / fxi_at_most(2 * reach + 1, block)));
    s->column_blocks = fxi_blocks(s->space.inner, s->columns);
    s->rows = fxi_at_least(fxi_blocks(reach, a->stride) + 1, block / s->columns / a->stride);
    s->rows = fxi_at_most(a->out, s->rows);
    s->row_blocks = fxi_blocks(a->out, s->rows);
    if (__builtin_mul_overflow(s->rows - 1, a->stride, &s->span) ||
        __builtin_add_overflow(s->span, reach + 1, &s->span) ||
        __builtin_mul_overflow(s->span, s->columns, &size))
        return false;
    bool is_whole = s->row_blocks * s->column_blocks == 1;
    s->lines = is_whole ? fxi_at_most(all, fxi_at_least(1, block / size)) : 1;
    int64_t copies = s->fold.idempotent ? 1 : 2;
    if (__builtin_mul_overflow(size, s->lines * copies * s->fold.wide, &s->buffer) ||
        s->buffer > INT64_MAX / (4 * SLOTS))
        return false;
    s->buffer = (s->buffer + 63) / 64 * 64;
    s->tasks = fxi_blocks(all, s->lines) * s->row_blocks * s->column_blocks;
    return true;
}

/* Combines, at every position of a buffer of n accumulators, the w that begin there `step` apart; the last
 * ones, which reach beyond it, hold no result. Gives the place of the results. */
static char *combine_tree(const stage *s, char *line, int64_t n, int64_t columns) {
    int64_t window = s->last->window, step = s->last->dilation * columns, wide = s->fold.wide, have = 1;
    if (s->fold.idempotent) {
        for (; have <= window / 2; have *= 2)
            if (n > have * step) s->fold.merge(line, 0, line + have * step * wide, 0, 1, n - have * step);
        int64_t rest = (window - have) * step;
        if (rest > 0 && n > rest) s->fold.merge(line, 0, line + rest * wide, 0, 1, n - rest);
        return line;
    }
    char *sum = line + n * wide;
    memcpy(sum, line, (size_t)(n * wide));
    for (int bit = 62 - __builtin_clzll((unsigned long long)window); bit >= 0; bit--) {
        if (n > have * step) s->fold.merge(sum, 0, sum + have * step * wide, 0, 1, n - have * step);
        have *= 2;
        if (!(window >> bit & 1)) continue;
        if (n > have * step) s->fold.merge(sum, 0, line + have * step * wide, 0, 1, n - have * step);
        have++;
    }
    return sum;
}

/* Elements of a line into a block whose first place is `start`. */
static void fill_line(const stage *s, char *line, const char *from, int64_t start, int64_t columns) {
    const fxi_window_axis *a = s->last;
    int64_t first = fxi_at_least(0, fxi_ceil_div(start, a->base));
    int64_t last = fxi_at_most(a->dim, fxi_ceil_div(start + s->span, a->base));
    if (first >= last) return;
    line += (first * a->base - start) * columns * s->fold.wide;
    from += first * s->space.inner * s->from_bytes;
    bool dense = a->base == 1 && columns == s->space.inner;
    s->take(line, a->base * columns, from, s->space.inner, dense ? 1 : last - first,
            dense ? (last - first) * columns : columns);
}

static void tree_block(const stage *s, int64_t task, char *buffer) {
    const fxi_window_axis *a = s->last;
    int64_t inner = s->space.inner, column = task % s->column_blocks * s->columns;
    int64_t columns = fxi_at_most(s->columns, inner - column), size = s->span * columns;
    task /= s->column_blocks;
    int64_t row = task % s->row_blocks * s->rows, rows = fxi_at_most(s->rows, a->out - row);
    int64_t line = task / s->row_blocks * s->lines, all = 1;
    for (int i = 0; i < s->space.rank - 1; i++) all *= s->space.axes[i].out;
    int64_t lines = fxi_at_most(s->lines, all - line);
    fxi_fold_clear(&s->fold, buffer, lines * size);
    for (int64_t l = 0; l < lines; l++)
        fill_line(s, buffer + l * size * s->fold.wide,
                  s->from + ((line + l) * a->dim * inner + column) * s->from_bytes, row * a->stride - a->low,
                  columns);
    const char *results = combine_tree(s, buffer, lines * size, columns);
    for (int64_t l = 0; l < lines; l++)
        store_rows(s, s->to + (((line + l) * a->out + row) * inner + column) * s->to_bytes,
                   results + l * size * s->fold.wide, a->stride * columns, rows, columns);
}

static void tree_task(void *context, int64_t slot) {
    const stage *s = context;
    for (int64_t task = slot; task < s->tasks; task += SLOTS)
        tree_block(s, task, s->buffers + slot * s->buffer);
}

/* ---- the plan ---- */

typedef struct plan {
    int count;
    stage stages[FX_MAX_RANK];
    int64_t between[2]; /* bytes of accumulators before stages 1, 3, ... and 2, 4, ... */
    int64_t buffers;    /* bytes of the slots of a tree */
} plan;

/* Whether all windows are small enough for one direct stage. */
static bool fits_direct(const fxi_window_space *space) {
    int64_t places = 1;
    for (int i = 0; i < space->rank; i++) {
        places *= fxi_at_most(space->axes[i].window, SMALL + 1);
        if (space->axes[i].base > 1 || places > SMALL) return false;
    }
    return space->inner >= NARROW || places == 1;
}

/* One axis is direct where its windows are short or do not overlap, but for sums: long ones are made of
 * pairs. */
static bool needs_tree(const stage *s) {
    const fxi_window_axis *a = s->last;
    bool apart = a->window <= a->stride || a->out == 1;
    bool few = fxi_at_most(a->window, a->dim) <= SHORT || (!s->fold.rounds && apart);
    return a->base > 1 || s->space.inner < NARROW || !few;
}

static bool add_stage(plan *p, const fxi_fold *fold, const fxi_window_space *space, bool single) {
    stage *s = &p->stages[p->count];
    bool first = p->count == 0;
    *s = (stage){.fold = *fold, .space = *space, .store = fold->store, .to_bytes = fold->bytes};
    s->last = &s->space.axes[space->rank - 1];
    s->take = first ? fold->take : fold->merge;
    s->from_bytes = first ? fold->bytes : fold->wide;
    s->is_tree = !single && needs_tree(s);
    if (!(s->is_tree ? cut_tree(s) : cut_direct(s))) return false;
    if (s->is_tree) p->buffers = fxi_at_least(p->buffers, s->buffer * fxi_at_most(SLOTS, s->tasks));
    p->count++;
    return true;
}

/* The last stage so far gives accumulators instead of elements to the next one. */
static bool link_stages(plan *p) {
    stage *s = &p->stages[p->count - 1];
    int64_t bytes = s->fold.wide, *between = &p->between[(p->count - 1) % 2];
    s->to_bytes = bytes;
    s->store = s->fold.copy;
    for (int i = 0; i < s->space.rank; i++)
        if (__builtin_mul_overflow(bytes, s->space.axes[i].out, &bytes)) return false;
    if (__builtin_mul_overflow(bytes, s->space.inner, &bytes) || bytes > INT64_MAX / 8) return false;
    *between = fxi_at_least(*between, (bytes + 63) / 64 * 64);
    return true;
}

/* Axis by axis: those before the current one have become windows, those after it belong to inner. */
static bool plan_axes(plan *p, const fxi_fold *fold, const fxi_window_space *space) {
    int64_t before = 1;
    for (int i = 0; i < space->rank; before *= space->axes[i++].out) {
        if (fxi_window_is_plain(&space->axes[i])) continue;
        fxi_window_space one = {.rank = 2, .inner = space->strides[i]};
        one.axes[0] = (fxi_window_axis){before, before, 1, 1, 1, 1, 0};
        one.axes[1] = space->axes[i];
        fxi_window_set_strides(&one);
        if ((p->count > 0 && !link_stages(p)) || !add_stage(p, fold, &one, false)) return false;
    }
    return true;
}

static bool make_plan(plan *p, const fx_node *node) {
    fxi_fold fold;
    fxi_window_space space = {0};
    p->count = 0;
    p->between[0] = p->between[1] = p->buffers = 0;
    if (!fxi_fold_find(&fold, (fxi_reduce_kind)fxi_node_int(node, FXI_ATTR_KIND), node->shape.dtype))
        return false;
    fxi_window_find(&space, node, &node->shape);
    return fits_direct(&space) ? add_stage(p, &fold, &space, true) : plan_axes(p, &fold, &space);
}

/* ---- the kernel ---- */

/* Windows over an empty operand: neutral values alone. */
static void fill_neutral(const fxi_host_call *call, int64_t count) {
    fxi_fold fold;
    _Alignas(64) char tile[TILE];
    if (!fxi_fold_find(&fold, (fxi_reduce_kind)fxi_node_int(call->node, FXI_ATTR_KIND),
                       call->node->shape.dtype))
        return;
    int64_t most = TILE / fold.wide;
    fxi_fold_clear(&fold, tile, most);
    for (int64_t i = 0; i < count; i += most)
        fold.store((char *)call->result + i * fold.bytes, tile, 0, 1, fxi_at_most(most, count - i));
}

static void run_reduce_window(const fxi_host_call *call) {
    plan p;
    int64_t count = fx_shape_size(&call->node->shape);
    bool is_empty = fx_shape_size(&call->node->operands[0]->shape) == 0;
    if (is_empty) fill_neutral(call, count);
    if (count == 0 || is_empty || !make_plan(&p, call->node)) return;
    char *between[2] = {call->workspace, (char *)call->workspace + p.between[0]};
    for (int i = 0; i < p.count; i++) {
        stage *s = &p.stages[i];
        s->from = i == 0 ? call->operands[0] : between[(i - 1) % 2];
        s->to = i == p.count - 1 ? call->result : between[i % 2];
        s->buffers = (char *)call->workspace + p.between[0] + p.between[1];
        if (s->is_tree)
            fxi_pool_run(call->pool, fxi_at_most(SLOTS, s->tasks), tree_task, s);
        else
            fxi_pool_run(call->pool, fxi_blocks(s->tasks, s->group), direct_task, s);
    }
}

static int64_t reduce_window_workspace(const fx_node *node) {
    plan p;
    if (fx_shape_size(&node->shape) == 0 || fx_shape_size(&node->operands[0]->shape) == 0) return 0;
    return make_plan(&p, node) ? p.between[0] + p.between[1] + p.buffers : -1;
}

const fxi_host_kernel fxi_kernel_reduce_window = {.run = run_reduce_window,
                                                  .workspace = reduce_window_workspace};
