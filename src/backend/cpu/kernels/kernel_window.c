/* SPDX-License-Identifier: Apache-2.0 */
/* The geometry of windows (kernel_window.h): which axes belong to what, found once per run of a step, and the
 * offsets of the windows, found block by block. Trailing axes that are dense in both arrays merge into one
 * run, so that the usual cases (rows of a table) move by whole rows. */
#include "kernel_window.h"
#include <string.h>

/* ---- geometry ---- */

static void add_window_axis(fxi_windows *w, int64_t dim, int64_t own, int64_t other) {
    w->size *= dim;
    if (dim == 1) return;
    w->dims[w->rank] = dim;
    w->own[w->rank] = own;
    w->other[w->rank++] = other;
}

static void merge_runs(fxi_windows *w) {
    w->run = 1;
    while (w->rank > 0 && w->own[w->rank - 1] == w->run && w->other[w->rank - 1] == w->run)
        w->run *= w->dims[--w->rank];
}

static void plan_batch(fxi_windows *w, const fx_node *node, const int64_t *own, const int64_t *other,
                       int holder_rank) {
    const fx_shape *indices = &node->operands[1]->shape;
    fx_dims window = fxi_node_ints(node, FXI_ATTR_WINDOW_AXES),
            mine = fxi_node_ints(node, FXI_ATTR_OPERAND_BATCH),
            theirs = fxi_node_ints(node, FXI_ATTR_INDICES_BATCH);
    int64_t index_axis = fxi_node_int(node, FXI_ATTR_INDEX_AXIS);
    w->inner = w->positions = 1;
    for (int axis = 0, to = 0; axis < indices->rank; axis++) {
        if (axis == index_axis) continue;
        if (axis > index_axis) w->inner *= indices->dims[axis];
        w->positions *= indices->dims[axis];
        while (to < holder_rank && fxi_dims_has(window, to)) to++;
        int k = w->batch_rank++;
        w->batch_dims[k] = indices->dims[axis];
        w->batch_own[k] = 0;
        w->batch_other[k] = other[to++];
        for (size_t i = 0; i < theirs.n; i++)
            if (theirs.v[i] == axis) w->batch_own[k] = own[mine.v[i]];
    }
    int64_t expected = w->size;
    w->plain = mine.n == 0;
    for (int k = w->batch_rank - 1; k >= 0; k--) {
        w->plain &= w->batch_dims[k] == 1 || w->batch_other[k] == expected;
        expected *= w->batch_dims[k];
    }
}

void fxi_windows_plan(fxi_windows *w, const fx_node *node, const fx_shape *holder, const int64_t *sizes,
                      const void *indices) {
    const fx_shape *x = &node->operands[0]->shape;
    fx_dims map = fxi_node_ints(node, FXI_ATTR_INDEX_MAP), window = fxi_node_ints(node, FXI_ATTR_WINDOW_AXES),
            dropped = fxi_node_ints(node, FXI_ATTR_DROPPED_AXES),
            batch = fxi_node_ints(node, FXI_ATTR_OPERAND_BATCH);
    int64_t own[FX_MAX_RANK], other[FX_MAX_RANK];
    memset(w, 0, sizeof *w);
    fxi_shape_strides(x, own);
    fxi_shape_strides(holder, other);
    w->size = 1;
    w->indices = indices;
    w->dtype = node->operands[1]->shape.dtype;
    w->components = (int)map.n;
    for (size_t k = 0; k < map.n; k++) {
        w->limit[k] = x->dims[map.v[k]] - sizes[map.v[k]];
        w->step[k] = own[map.v[k]];
        w->overlap |= sizes[map.v[k]] > 1;
    }
    for (int axis = 0, next = 0; axis < x->rank; axis++)
        if (!fxi_dims_has(dropped, axis) && !fxi_dims_has(batch, axis))
            add_window_axis(w, sizes[axis], own[axis], other[window.v[next++]]);
    plan_batch(w, node, own, other, holder->rank);
    merge_runs(w);
}

void fxi_windows_plan_one(fxi_windows *w, const fx_shape *operand, const fx_shape *window) {
    int64_t own[FX_MAX_RANK], other[FX_MAX_RANK];
    memset(w, 0, sizeof *w);
    fxi_shape_strides(operand, own);
    fxi_shape_strides(window, other);
    w->size = w->positions = 1;
    for (int axis = 0; axis < operand->rank; axis++)
        add_window_axis(w, window->dims[axis], own[axis], other[axis]);
    merge_runs(w);
}

/* ---- starts ---- */

int64_t fxi_index_load(fx_dtype dtype, const void *data, int64_t at) {
    switch (dtype) {
    case FX_S32: return ((const int32_t *)data)[at];
    case FX_S64: return ((const int64_t *)data)[at];
    case FX_U64: {
        uint64_t i = ((const uint64_t *)data)[at];
        return i > INT64_MAX ? INT64_MAX : (int64_t)i;
    }
    case FX_U32: return ((const uint32_t *)data)[at];
    case FX_S16: return ((const int16_t *)data)[at];
    case FX_U16: return ((const uint16_t *)data)[at];
    case FX_S2: case FX_S4: case FX_S8: return ((const int8_t *)data)[at];
    default: return ((const uint8_t *)data)[at];
    }
}

static int64_t clamp_start(int64_t start, int64_t limit) {
    return start < 0 ? 0 : start > limit ? limit : start;
}

/* Where a start lies after what other components gave, -1 outside. */
static int64_t advance(int64_t own, int64_t start, int64_t limit, int64_t step, bool clamp) {
    if (clamp) start = clamp_start(start, limit);
    return own < 0 || start < 0 || start > limit ? -1 : own + start * step;
}

/* Adds one component of `count` indices to their offsets, a stretch at a time that lies in one piece. */
static void add_component(const fxi_windows *w, int64_t first, int64_t count, int k, bool clamp,
                          int64_t *own) {
    int64_t limit = w->limit[k], step = w->step[k], block = first / w->inner, rest = first % w->inner;
    for (int64_t i = 0; i < count; block++, rest = 0) {
        int64_t n = fxi_size_min(w->inner - rest, count - i);
        int64_t at = (block * w->components + k) * w->inner + rest;
        if (w->dtype == FX_S32) {
            const int32_t *starts = (const int32_t *)w->indices + at;
            for (int64_t j = 0; j < n; j++) own[i + j] = advance(own[i + j], starts[j], limit, step, clamp);
        } else {
            for (int64_t j = 0; j < n; j++)
                own[i + j] =
                    advance(own[i + j], fxi_index_load(w->dtype, w->indices, at + j), limit, step, clamp);
        }
        i += n;
    }
}

/* Offsets of the positions' own axes, line after line of the last one. */
static void add_batch(const fxi_windows *w, int64_t first, int64_t count, int64_t *own, int64_t *other) {
    int64_t index[FX_MAX_RANK], left = first, at = 0, to = 0;
    int last = w->batch_rank - 1;
    for (int k = last; k >= 0; k--) {
        index[k] = left % w->batch_dims[k];
        left /= w->batch_dims[k];
        at += index[k] * w->batch_own[k];
        to += index[k] * w->batch_other[k];
    }
    for (int64_t i = 0; i < count;) {
        int64_t n = last < 0 ? 1 : fxi_size_min(w->batch_dims[last] - index[last], count - i);
        int64_t own_step = last < 0 ? 0 : w->batch_own[last], step = last < 0 ? 0 : w->batch_other[last];
        for (int64_t j = 0; j < n; j++) {
            own[i + j] = at + j * own_step;
            other[i + j] = to + j * step;
        }
        i += n;
        if (last < 0) continue;
        index[last] += n - 1;
        at += (n - 1) * own_step;
        to += (n - 1) * step;
        for (int k = last; k >= 0; k--) {
            at += w->batch_own[k];
            to += w->batch_other[k];
            if (++index[k] < w->batch_dims[k]) break;
            at -= w->batch_own[k] * w->batch_dims[k];
            to -= w->batch_other[k] * w->batch_dims[k];
            index[k] = 0;
        }
    }
}

void fxi_windows_find(const fxi_windows *w, int64_t first, int64_t count, bool clamp, int64_t *own,
                      int64_t *other) {
    if (w->plain) {
        for (int64_t i = 0; i < count; i++) {
            own[i] = 0;
            other[i] = (first + i) * w->size;
        }
    } else {
        add_batch(w, first, count, own, other);
    }
    for (int k = 0; k < w->components; k++) add_component(w, first, count, k, clamp, own);
}

int64_t fxi_part_offset(const fxi_host_call *call, const fx_shape *part, uint32_t first_start) {
    const fx_shape *x = &call->node->operands[0]->shape;
    int64_t strides[FX_MAX_RANK], offset = 0;
    fxi_shape_strides(x, strides);
    for (int axis = 0; axis < x->rank; axis++) {
        uint32_t k = first_start + (uint32_t)axis;
        int64_t start = fxi_index_load(call->node->operands[k]->shape.dtype, call->operands[k], 0);
        offset += clamp_start(start, x->dims[axis] - part->dims[axis]) * strides[axis];
    }
    return offset;
}

/* ---- walking ---- */

void fxi_windows_walk(const fxi_windows *w, int64_t first, int64_t last, fxi_run_fn fn, void *context) {
    int64_t index[FX_MAX_RANK], own = 0, other = 0, left = first / w->run, skip = first % w->run;
    for (int axis = w->rank - 1; axis >= 0; axis--) {
        index[axis] = left % w->dims[axis];
        left /= w->dims[axis];
        own += index[axis] * w->own[axis];
        other += index[axis] * w->other[axis];
    }
    while (first < last) {
        int64_t length = w->run - skip < last - first ? w->run - skip : last - first;
        fn(context, own + skip, other + skip, length);
        first += length;
        skip = 0;
        for (int axis = w->rank - 1; axis >= 0; axis--) {
            own += w->own[axis];
            other += w->other[axis];
            if (++index[axis] < w->dims[axis]) break;
            own -= w->own[axis] * w->dims[axis];
            other -= w->other[axis] * w->dims[axis];
            index[axis] = 0;
        }
    }
}

/* ---- plain copies ---- */

enum { COPY_BYTES = 1 << 19 };

typedef struct copy_job {
    char *to;
    const char *from;
    int64_t bytes;
} copy_job;

static void copy_task(void *context, int64_t task) {
    const copy_job *job = context;
    int64_t at = task * COPY_BYTES, n = job->bytes - at < COPY_BYTES ? job->bytes - at : COPY_BYTES;
    memcpy(job->to + at, job->from + at, (size_t)n);
}

void fxi_copy_parallel(fxi_pool *pool, void *to, const void *from, int64_t bytes) {
    copy_job job = {to, from, bytes};
    if (to != from) fxi_pool_run(pool, bytes / COPY_BYTES + (bytes % COPY_BYTES != 0), copy_task, &job);
}
