/* SPDX-License-Identifier: Apache-2.0 */
/* Scatter, with the same bits for any number of threads: every element of the target sees its updates in
 * row-major order. Windows that can be told apart by their starts are either the same or disjoint, so the
 * target is cut into one range of starts per thread; a task reads all starts and works through those of its
 * range in order. Reading is cheap beside combining, and needs no memory: sorting the positions by range
 * first was slower for every size of window. Large windows are cut instead, each task taking one piece of
 * all of them. Windows that may overlap (starts along axes in which they are longer than 1), and small
 * work, run in order on one thread. */
#include "kernel_combine.h"
#include "kernel_window.h"

enum { LINE = 64, BLOCK = 1024, AHEAD = 8, PIECE_BYTES = 1 << 15, SMALL_BYTES = 1 << 15, MOST_RANGES = 64 };
/* Whole rows at 32-bit starts: the longest that are streamed, those that are listed first, rows to fetch
 * ahead. */
enum { STREAM_ROW_BYTES = 16 * LINE, LIST_ROW_BYTES = 2 * LINE, STREAM_AHEAD = 16 };

typedef struct scatter_job {
    fxi_windows w;
    char *to;
    const char *updates;
    int64_t to_bytes, update_bytes; /* of an element */
    fxi_combine_fn combine;
    int64_t range; /* starts of a task */
    int64_t each;  /* positions of a task, where batches are told apart by their positions too; 0: all */
    const fx_node *node;
    const void *x;
    void *result;
} scatter_job;

static bool is_wide(const fx_node *node) {
    return fxi_combine_is_wide((fxi_scatter_kind)fxi_node_int(node, FXI_ATTR_COMBINE), node->shape.dtype);
}

static int64_t scatter_workspace(const fx_node *node) {
    return is_wide(node) ? fxi_size_ceil_div(fx_shape_size(&node->shape), 16) * 64 : 0;
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
    if (job->w.rank == 0)
        combine_run(&c, first, first, last - first);
    else
        fxi_windows_walk(&job->w, first, last, combine_run, &c);
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
        if (d < dropped.n && dropped.v[d] == axis)
            d++;
        else if (b < batch.n && batch.v[b] == axis)
            b++;
        else
            strides[window.v[next++]] = x[axis];
    }
    for (size_t i = 0; i < window.n; i++) in_window[window.v[i]] = true;
    for (int64_t i = 0; i < total; i++) {
        int64_t position = 0, inside = 0;
        for (int axis = 0; axis < updates->rank; axis++) {
            if (in_window[axis])
                inside += index[axis] * strides[axis];
            else
                position = position * updates->dims[axis] + index[axis];
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

/* ---- ranges of starts ---- */

static void prefetch(const char *row, int64_t bytes) {
    for (int64_t k = 0; k < bytes && k < 16 * LINE; k += LINE) __builtin_prefetch(row + k);
}

/* Windows of a single element. */
static void combine_elements(const scatter_job *job, const int64_t *own, const int64_t *other, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        job->combine(job->to + own[i] * job->to_bytes, job->updates + other[i] * job->update_bytes, 1);
}

/* The windows that begin in one range. */
static void scan_task(void *context, int64_t task) {
    const scatter_job *job = context;
    const fxi_windows *w = &job->w;
    int64_t own[BLOCK], other[BLOCK], low = task * job->range, bytes = w->run * job->update_bytes;
    int64_t last = job->each ? fxi_size_min((task + 1) * job->each, w->positions) : w->positions;
    for (int64_t p = task * job->each; p < last; p += BLOCK) {
        int64_t count = fxi_size_min(last - p, BLOCK), n = 0;
        fxi_windows_find(w, p, count, false, own, other);
        for (int64_t i = 0; i < count; i++) {
            int64_t from = own[i];
            own[n] = from;
            other[n] = other[i];
            n += from >= low && from - low < job->range;
        }
        if (w->size == 1) combine_elements(job, own, other, n);
        for (int64_t i = 0; w->size > 1 && i < n; i++) {
            if (i + AHEAD < n) prefetch(job->updates + other[i + AHEAD] * job->update_bytes, bytes);
            combine_window(job, own[i], other[i], 0, w->size);
        }
    }
}

/* Rows of one range at 32-bit starts. */
typedef struct row_range {
    const int32_t *starts;
    int64_t first, last;  /* the starts of this range, last not included */
    int64_t bytes, place; /* of an update row, and between rows of the target */
} row_range;

static row_range range_of(const scatter_job *job, int64_t task) {
    int64_t step = job->w.step[0], last = (task + 1) * job->range / step;
    return (row_range){job->w.indices, task * job->range / step, fxi_size_min(last, job->w.limit[0] + 1),
                       job->w.size * job->update_bytes, step * job->to_bytes};
}

/* The same for short whole rows at 32-bit starts. Rows of other ranges are fetched too: a stream comes
 * from memory three times as fast as the same rows with gaps. */
static void stream_task(void *context, int64_t task) {
    const scatter_job *job = context;
    const row_range r = range_of(job, task);
    int64_t positions = job->w.positions;
    const char *row = job->updates;
    for (int64_t p = 0; p < positions; p++, row += r.bytes) {
        if (p + STREAM_AHEAD < positions) prefetch(row + STREAM_AHEAD * r.bytes, r.bytes);
        if (p + AHEAD < positions && r.starts[p + AHEAD] >= r.first && r.starts[p + AHEAD] < r.last)
            prefetch(job->to + r.starts[p + AHEAD] * r.place, r.bytes);
        if (r.starts[p] >= r.first && r.starts[p] < r.last)
            job->combine(job->to + r.starts[p] * r.place, row, job->w.size);
    }
}

/* The same for rows so short that a branch not foreseen costs more than the row: a block's rows are listed
 * first. */
static void list_task(void *context, int64_t task) {
    const scatter_job *job = context;
    const row_range r = range_of(job, task);
    int32_t mine[BLOCK];
    for (int64_t p = 0; p < job->w.positions; p += BLOCK) {
        int64_t count = fxi_size_min(job->w.positions - p, BLOCK), n = 0;
        const int32_t *starts = r.starts + p;
        const char *rows = job->updates + p * r.bytes;
        for (int64_t i = 0; i < count; i++) {
            mine[n] = (int32_t)i;
            n += (starts[i] >= r.first) & (starts[i] < r.last);
        }
        for (int64_t i = 0; i < n; i++) {
            if (i + AHEAD < n) __builtin_prefetch(job->to + starts[mine[i + AHEAD]] * r.place);
            job->combine(job->to + starts[mine[i]] * r.place, rows + mine[i] * r.bytes, job->w.size);
        }
    }
}

/* How many groups leading batching axes make: group g's positions follow each other, and so do its starts. */
static int64_t groups_of(const fx_node *node) {
    fx_dims own = fxi_node_ints(node, FXI_ATTR_OPERAND_BATCH),
            other = fxi_node_ints(node, FXI_ATTR_INDICES_BATCH);
    int64_t groups = 1;
    for (size_t k = 0; k < own.n && own.v[k] == (int64_t)k && other.v[k] == (int64_t)k; k++)
        groups *= node->shape.dims[k];
    return groups;
}

/* The number of ranges may depend on the threads: no result does. */
static void run_ranges(scatter_job *job, fxi_pool *pool) {
    int64_t starts = fx_shape_size(&job->node->shape),
            ranges = fxi_size_min(fxi_pool_threads(pool), MOST_RANGES);
    int64_t bytes = job->w.size * job->update_bytes;
    bool rows = fxi_windows_are_rows(&job->w) && bytes <= STREAM_ROW_BYTES;
    job->range = fxi_size_ceil_div(starts, ranges);
    if (rows) job->range = fxi_size_ceil_div(job->range, job->w.step[0]) * job->w.step[0];
    int64_t groups = groups_of(job->node), of_task = fxi_size_ceil_div(groups, ranges);
    if (groups >= ranges && groups > 1) {
        job->range = of_task * (starts / groups);
        job->each = of_task * (job->w.positions / groups);
    }
    fxi_task task = !rows ? scan_task : ranges > 1 && bytes < LIST_ROW_BYTES ? list_task : stream_task;
    fxi_pool_run(pool, fxi_size_ceil_div(starts, job->range), task, job);
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
    fx_dims window = fxi_node_ints(node, FXI_ATTR_WINDOW_AXES),
            dropped = fxi_node_ints(node, FXI_ATTR_DROPPED_AXES),
            batch = fxi_node_ints(node, FXI_ATTR_OPERAND_BATCH);
    size_t next = 0, d = 0, b = 0; /* both lists increase */
    for (int axis = 0; axis < x->rank; axis++) {
        if (d < dropped.n && dropped.v[d] == axis)
            sizes[axis] = 1, d++;
        else if (b < batch.n && batch.v[b] == axis)
            sizes[axis] = 1, b++;
        else
            sizes[axis] = updates->dims[window.v[next++]];
    }
}

static void combine_updates(scatter_job *job, fxi_pool *pool) {
    const fx_node *node = job->node;
    fx_dims window = fxi_node_ints(node, FXI_ATTR_WINDOW_AXES);
    int64_t leading = node->operands[2]->shape.rank - (int64_t)window.n, row = job->w.size * job->to_bytes;
    bool mixed = window.n > 0 && window.v[0] != leading; /* the window's axes are not the last */
    bool small = fx_shape_size(&node->operands[2]->shape) * job->update_bytes < SMALL_BYTES;
    if (job->w.overlap && mixed)
        combine_in_order(job);
    else if (job->w.overlap || small)
        combine_all(job, 0, job->w.size);
    else if (row < PIECE_BYTES)
        run_ranges(job, pool);
    else
        fxi_pool_run(pool, fxi_size_ceil_div(job->w.size, PIECE_BYTES / job->to_bytes), piece_task, job);
}

static void run_scatter(const fxi_host_call *call) {
    const fx_node *node = call->node;
    fx_dtype dtype = node->shape.dtype;
    fxi_scatter_kind kind = (fxi_scatter_kind)fxi_node_int(node, FXI_ATTR_COMBINE);
    bool wide = is_wide(node);
    int64_t element = fxi_memory_bytes(dtype), size = fx_shape_size(&node->shape), sizes[FX_MAX_RANK];
    scatter_job job = {.to = wide ? call->workspace : call->result,
                       .updates = call->operands[2],
                       .to_bytes = wide ? 4 : element,
                       .update_bytes = element,
                       .combine = fxi_combine_of(kind, dtype),
                       .node = node,
                       .x = call->operands[0],
                       .result = call->result};
    if (wide)
        fxi_pool_run(call->pool, fxi_size_ceil_div(size, CONVERT_ELEMENTS), widen_task, &job);
    else
        fxi_copy_parallel(call->pool, call->result, call->operands[0], size * element);
    if (size > 0 && fx_shape_size(&node->operands[2]->shape) > 0) {
        window_sizes(node, sizes);
        fxi_windows_plan(&job.w, node, &node->operands[2]->shape, sizes, call->operands[1]);
        combine_updates(&job, call->pool);
    }
    if (wide) fxi_pool_run(call->pool, fxi_size_ceil_div(size, CONVERT_ELEMENTS), narrow_task, &job);
}

const fxi_host_kernel fxi_kernel_scatter = {
    .run = run_scatter, .workspace = scatter_workspace, .in_place = true};
