/* SPDX-License-Identifier: Apache-2.0 */
/* Scatter, with the same bits for any number of threads: every element of the target sees its updates in
 * row-major order. Windows that can be told apart by their starts are either the same or disjoint, so the
 * target is cut into ranges of starts; a counting sort, stable and itself in tasks, deals the positions out to
 * the ranges, and one task works through each range in order. A range is small enough to stay in the cache.
 * Large windows need no sort: each task takes one piece of all of them. Windows that may overlap (starts
 * along axes in which they are longer than 1), and small work, run in order on one thread. */
#include "kernel_combine.h"
#include "kernel_window.h"

enum { BLOCK = 256, AHEAD = 8, LINE = 64, PIECE_BYTES = 1 << 15, SMALL_BYTES = 1 << 15, RANGE_BYTES = 1 << 18, MOST_RANGES = 512 };
enum { BLOCK_POSITIONS = 1 << 13, MOST_BLOCKS = 64 }; /* of the counting sort */

typedef struct pair {
    int64_t own, other;
} pair;

typedef struct scatter_job {
    fxi_windows w;
    char *to;
    const char *updates;
    int64_t to_bytes, update_bytes; /* of an element */
    fxi_combine_fn combine;
    int64_t ranges, range; /* number, and starts in each */
    int64_t blocks, block; /* number, and positions in each */
    int64_t *counts;       /* by block, range: positions; then where they go */
    pair *order;
    const fx_node *node;
    const void *x;
    void *result;
} scatter_job;

typedef struct plan {
    int64_t positions, window, ranges, blocks, block, range;
    bool sorts, wide;
} plan;

/* All from the shapes, so that it is the same when the workspace is sized and when it is used. */
static plan make_plan(const fx_node *node) {
    const fx_shape *x = &node->shape, *indices = &node->operands[1]->shape, *updates = &node->operands[2]->shape;
    int64_t axis = fxi_node_int(node, FXI_ATTR_INDEX_AXIS), total = fx_shape_size(updates);
    plan p = {.positions = 1, .wide = fxi_combine_is_wide((fxi_scatter_kind)fxi_node_int(node, FXI_ATTR_COMBINE), x->dtype)};
    if (total == 0 || fx_shape_size(x) == 0) return (plan){.wide = p.wide};
    for (int i = 0; i < indices->rank; i++)
        if (i != axis) p.positions *= indices->dims[i];
    p.window = total / p.positions;
    int64_t element = fxi_memory_bytes(x->dtype), starts = fx_shape_size(x);
    p.sorts = p.window * element < PIECE_BYTES && (total >= SMALL_BYTES || p.positions > 4 * BLOCK);
    p.ranges = fxi_size_ceil_div(starts, RANGE_BYTES / element);
    if (p.ranges < 8) p.ranges = 8;
    if (p.ranges > MOST_RANGES) p.ranges = MOST_RANGES;
    p.range = fxi_size_ceil_div(starts, p.ranges);
    p.block = fxi_size_ceil_div(p.positions, MOST_BLOCKS);
    if (p.block < BLOCK_POSITIONS) p.block = BLOCK_POSITIONS;
    p.blocks = fxi_size_ceil_div(p.positions, p.block);
    return p;
}

/* Room for: the wide target, counts, order. */
static int64_t wide_bytes(const fx_node *node, const plan *p) {
    return p->wide ? fxi_size_ceil_div(fx_shape_size(&node->shape), 16) * 64 : 0;
}

static int64_t scatter_workspace(const fx_node *node) {
    plan p = make_plan(node);
    int64_t bytes = wide_bytes(node, &p), pairs;
    if (!p.sorts) return bytes;
    if (!fxi_size_mul(p.positions, (int64_t)sizeof(pair), &pairs)) return -1;
    bool fits = fxi_size_add(bytes, pairs, &bytes) && fxi_size_add(bytes, p.blocks * p.ranges * 8, &bytes);
    return fits ? bytes : -1;
}

/* ---- one window ---- */

typedef struct combiner {
    char *to;
    const char *updates;
    const scatter_job *job;
} combiner;

static void combine_run(void *context, int64_t own, int64_t other, int64_t length) {
    const combiner *c = context;
    c->job->combine(c->to + own * c->job->to_bytes, c->updates + other * c->job->update_bytes, length);
}

static void combine_window(const scatter_job *job, int64_t own, int64_t other, int64_t first, int64_t last) {
    combiner c = {job->to + own * job->to_bytes, job->updates + other * job->update_bytes, job};
    if (job->w.rank == 0) combine_run(&c, first, first, last - first);
    else fxi_windows_walk(&job->w, first, last, combine_run, &c);
}

/* Elements first .. last - 1 of all windows, in order. */
static void combine_all(const scatter_job *job, int64_t first, int64_t last) {
    int64_t own[BLOCK], other[BLOCK];
    for (int64_t p = 0; p < job->w.positions; p += BLOCK) {
        int64_t n = job->w.positions - p < BLOCK ? job->w.positions - p : BLOCK;
        fxi_windows_find(&job->w, p, n, false, own, other);
        for (int64_t i = 0; i < n; i++)
            if (own[i] >= 0) combine_window(job, own[i], other[i], first, last);
    }
}

static void piece_task(void *context, int64_t task) {
    const scatter_job *job = context;
    int64_t each = PIECE_BYTES / job->to_bytes, first = task * each;
    combine_all(job, first, first + each < job->w.size ? first + each : job->w.size);
}

/* Element after element in the order of the updates, for windows that may overlap and whose axes are not the
 * last of the updates: there the order of the windows is not that of the elements. */
static void combine_in_order(const scatter_job *job) {
    const fx_shape *updates = &job->node->operands[2]->shape;
    fx_dims window = fxi_node_ints(job->node, FXI_ATTR_WINDOW_AXES);
    int64_t index[FX_MAX_RANK] = {0}, strides[FX_MAX_RANK] = {0}, own, other;
    int64_t x[FX_MAX_RANK], total = fx_shape_size(updates);
    bool in_window[FX_MAX_RANK] = {false};
    fx_dims dropped = fxi_node_ints(job->node, FXI_ATTR_DROPPED_AXES),
            batch = fxi_node_ints(job->node, FXI_ATTR_OPERAND_BATCH);
    fxi_shape_strides(&job->node->shape, x);
    size_t next = 0, d = 0, b = 0;
    for (int axis = 0; axis < job->node->shape.rank; axis++) {
        if (d < dropped.n && dropped.v[d] == axis) d++;
        else if (b < batch.n && batch.v[b] == axis) b++;
        else strides[window.v[next++]] = x[axis];
    }
    for (size_t i = 0; i < window.n; i++) in_window[window.v[i]] = true;
    for (int64_t i = 0; i < total; i++) {
        int64_t position = 0, inside = 0;
        for (int axis = 0; axis < updates->rank; axis++) {
            if (in_window[axis]) inside += index[axis] * strides[axis];
            else position = position * updates->dims[axis] + index[axis];
        }
        fxi_windows_find(&job->w, position, 1, false, &own, &other);
        if (own >= 0)
            job->combine(job->to + (own + inside) * job->to_bytes, job->updates + i * job->update_bytes, 1);
        for (int axis = updates->rank - 1; axis >= 0; axis--) {
            if (++index[axis] < updates->dims[axis]) break;
            index[axis] = 0;
        }
    }
}

/* ---- counting sort by range ---- */

static void count_task(void *context, int64_t task) {
    const scatter_job *job = context;
    int64_t own[BLOCK], other[BLOCK], *counts = job->counts + task * job->ranges, first = task * job->block;
    int64_t last = first + job->block < job->w.positions ? first + job->block : job->w.positions;
    for (int64_t r = 0; r < job->ranges; r++) counts[r] = 0;
    for (int64_t p = first; p < last; p += BLOCK) {
        int64_t n = last - p < BLOCK ? last - p : BLOCK;
        fxi_windows_find(&job->w, p, n, false, own, other);
        for (int64_t i = 0; i < n; i++)
            if (own[i] >= 0) counts[own[i] / job->range]++;
    }
}

static void deal_task(void *context, int64_t task) {
    const scatter_job *job = context;
    int64_t own[BLOCK], other[BLOCK], *next = job->counts + task * job->ranges, first = task * job->block;
    int64_t last = first + job->block < job->w.positions ? first + job->block : job->w.positions;
    for (int64_t p = first; p < last; p += BLOCK) {
        int64_t n = last - p < BLOCK ? last - p : BLOCK;
        fxi_windows_find(&job->w, p, n, false, own, other);
        for (int64_t i = 0; i < n; i++)
            if (own[i] >= 0) job->order[next[own[i] / job->range]++] = (pair){own[i], other[i]};
    }
}

/* Counts become first places: by range, inside a range by block. */
static void sum_counts(const scatter_job *job) {
    int64_t sum = 0;
    for (int64_t r = 0; r < job->ranges; r++)
        for (int64_t b = 0; b < job->blocks; b++) {
            int64_t *count = &job->counts[b * job->ranges + r], n = *count;
            *count = sum;
            sum += n;
        }
}

/* After dealing, a block's place in a range is its end: that of the last block ends the range. */
static void range_task(void *context, int64_t task) {
    const scatter_job *job = context;
    const int64_t *ends = job->counts + (job->blocks - 1) * job->ranges;
    int64_t first = task ? ends[task - 1] : 0, last = ends[task], bytes = job->w.run * job->update_bytes;
    for (int64_t i = first; i < last; i++) {
        if (i + AHEAD < last)
            for (int64_t k = 0; k < bytes && k < 16 * LINE; k += LINE)
                __builtin_prefetch(job->updates + job->order[i + AHEAD].other * job->update_bytes + k);
        combine_window(job, job->order[i].own, job->order[i].other, 0, job->w.size);
    }
}

static void run_sorted(scatter_job *job, fxi_pool *pool) {
    fxi_pool_run(pool, job->blocks, count_task, job);
    sum_counts(job);
    fxi_pool_run(pool, job->blocks, deal_task, job);
    fxi_pool_run(pool, job->ranges, range_task, job);
}

/* ---- half types: into float32 and back ---- */

enum { CONVERT_ELEMENTS = 1 << 14 };

static void widen_task(void *context, int64_t task) {
    const scatter_job *job = context;
    const uint16_t *from = job->x;
    float *to = (void *)job->to;
    int64_t n = fx_shape_size(&job->node->shape), last = (task + 1) * CONVERT_ELEMENTS;
    bool f16 = job->node->shape.dtype == FX_F16;
    for (int64_t i = task * CONVERT_ELEMENTS; i < last && i < n; i++)
        to[i] = f16 ? fxi_f16_to_f32(from[i]) : fxi_bf16_to_f32(from[i]);
}

static void narrow_task(void *context, int64_t task) {
    const scatter_job *job = context;
    const float *from = (const void *)job->to;
    uint16_t *to = job->result;
    int64_t n = fx_shape_size(&job->node->shape), last = (task + 1) * CONVERT_ELEMENTS;
    bool f16 = job->node->shape.dtype == FX_F16;
    for (int64_t i = task * CONVERT_ELEMENTS; i < last && i < n; i++)
        to[i] = f16 ? fxi_f16_from_f64((double)from[i]) : fxi_bf16_from_f64((double)from[i]);
}

/* ---- all together ---- */

static void window_sizes(const fx_node *node, int64_t *sizes) {
    const fx_shape *x = &node->shape, *updates = &node->operands[2]->shape;
    fx_dims window = fxi_node_ints(node, FXI_ATTR_WINDOW_AXES), dropped = fxi_node_ints(node, FXI_ATTR_DROPPED_AXES),
            batch = fxi_node_ints(node, FXI_ATTR_OPERAND_BATCH);
    size_t next = 0, d = 0, b = 0; /* both lists increase */
    for (int axis = 0; axis < x->rank; axis++) {
        if (d < dropped.n && dropped.v[d] == axis) sizes[axis] = 1, d++;
        else if (b < batch.n && batch.v[b] == axis) sizes[axis] = 1, b++;
        else sizes[axis] = updates->dims[window.v[next++]];
    }
}

static void combine_updates(scatter_job *job, const plan *p, fxi_pool *pool) {
    fx_dims window = fxi_node_ints(job->node, FXI_ATTR_WINDOW_AXES);
    int64_t leading = job->node->operands[2]->shape.rank - (int64_t)window.n;
    bool mixed = window.n > 0 && window.v[0] != leading; /* the window's axes are not the last */
    bool large = !p->sorts && job->w.size * job->to_bytes > PIECE_BYTES;
    if (job->w.overlap && mixed) combine_in_order(job);
    else if (job->w.overlap || !(p->sorts || large)) combine_all(job, 0, job->w.size);
    else if (p->sorts) run_sorted(job, pool);
    else fxi_pool_run(pool, fxi_size_ceil_div(job->w.size, PIECE_BYTES / job->to_bytes), piece_task, job);
}

static void run_scatter(const fxi_host_call *call) {
    const fx_node *node = call->node;
    fx_dtype dtype = node->shape.dtype;
    fxi_scatter_kind kind = (fxi_scatter_kind)fxi_node_int(node, FXI_ATTR_COMBINE);
    plan p = make_plan(node);
    int64_t element = fxi_memory_bytes(dtype), size = fx_shape_size(&node->shape), sizes[FX_MAX_RANK];
    scatter_job job = {.to = p.wide ? call->workspace : call->result, .updates = call->operands[2],
                       .to_bytes = p.wide ? 4 : element, .update_bytes = element,
                       .combine = fxi_combine_of(kind, dtype), .ranges = p.ranges, .range = p.range,
                       .blocks = p.blocks, .block = p.block, .node = node, .x = call->operands[0], .result = call->result};
    if (p.sorts) {
        job.order = (void *)((char *)call->workspace + wide_bytes(node, &p));
        job.counts = (void *)(job.order + p.positions);
    }
    if (p.wide) fxi_pool_run(call->pool, fxi_size_ceil_div(size, CONVERT_ELEMENTS), widen_task, &job);
    else fxi_copy_parallel(call->pool, call->result, call->operands[0], size * element);
    if (p.positions > 0) {
        window_sizes(node, sizes);
        fxi_windows_plan(&job.w, node, &node->operands[2]->shape, sizes, call->operands[1]);
        combine_updates(&job, &p, call->pool);
    }
    if (p.wide) fxi_pool_run(call->pool, fxi_size_ceil_div(size, CONVERT_ELEMENTS), narrow_task, &job);
}

const fxi_host_kernel fxi_kernel_scatter = {.run = run_scatter, .workspace = scatter_workspace};
