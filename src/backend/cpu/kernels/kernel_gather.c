/* SPDX-License-Identifier: Apache-2.0 */
/* Gather and dynamic slice. Small windows: a task takes a block of positions, finds all their offsets first,
 * and copies window after window while the next ones are fetched into the cache. Large windows: a task takes
 * a piece of one. Rows that go to a result much larger than the caches are written past them. */
#include "kernel_window.h"
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { BLOCK = 256, AHEAD = 8, TASK_BYTES = 1 << 16, STREAM_BYTES = 1 << 24, LINE = 64 };

typedef struct gather_job {
    fxi_windows w;
    const char *from;
    char *to;
    int64_t element, per_task, pieces; /* windows of a task, or pieces of a window (then one window a task) */
    bool stream;
} gather_job;

typedef struct copier {
    const char *from;
    char *to;
    int64_t element;
} copier;

static void copy_run(void *context, int64_t own, int64_t other, int64_t length) {
    const copier *c = context;
    const char *from = c->from + own * c->element;
    char *to = c->to + other * c->element;
    if (length == 1 && c->element == 4) memcpy(to, from, 4);
    else if (length == 1 && c->element == 8) memcpy(to, from, 8);
    else memcpy(to, from, (size_t)(length * c->element));
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void stream_row(char *to, const char *from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += 32)
        _mm256_stream_si256((__m256i *)(void *)(to + i),
                            _mm256_loadu_si256((const __m256i *)(const void *)(from + i)));
}
static void end_stream(void) { _mm_sfence(); }
#else
static void stream_row(char *to, const char *from, int64_t bytes) { memcpy(to, from, (size_t)bytes); }
static void end_stream(void) {}
#endif

static void fetch(const char *from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += LINE) __builtin_prefetch(from + i);
}

/* Windows that are one run. */
static void copy_rows(const gather_job *job, const int64_t *own, const int64_t *other, int64_t count) {
    int64_t element = job->element, bytes = job->w.run * element, ahead = bytes < 1024 ? bytes : 1024;
    for (int64_t i = 0; i < count; i++) {
        if (i + AHEAD < count) fetch(job->from + own[i + AHEAD] * element, ahead);
        const char *from = job->from + own[i] * element;
        char *to = job->to + other[i] * element;
        if (job->stream) stream_row(to, from, bytes);
        else memcpy(to, from, (size_t)bytes);
    }
}

#define DEFINE_COPY_SINGLE(bits)                                                                             \
    static void copy_single_##bits(const gather_job *job, const int64_t *own, const int64_t *other,          \
                                   int64_t count) {                                                          \
        const uint##bits##_t *from = (const void *)job->from;                                                \
        uint##bits##_t *to = (void *)job->to;                                                                \
        for (int64_t i = 0; i < count; i++) to[other[i]] = from[own[i]];                                     \
    }
DEFINE_COPY_SINGLE(8)
DEFINE_COPY_SINGLE(16)
DEFINE_COPY_SINGLE(32)
DEFINE_COPY_SINGLE(64)

static void copy_block(const gather_job *job, const int64_t *own, const int64_t *other, int64_t count) {
    const fxi_windows *w = &job->w;
    bool single = w->size == 1;
    if (single && job->element == 1) copy_single_8(job, own, other, count);
    else if (single && job->element == 2) copy_single_16(job, own, other, count);
    else if (single && job->element == 4) copy_single_32(job, own, other, count);
    else if (single && job->element == 8) copy_single_64(job, own, other, count);
    else if (w->rank == 0) copy_rows(job, own, other, count);
    else
        for (int64_t i = 0; i < count; i++) {
            copier c = {job->from + own[i] * job->element, job->to + other[i] * job->element, job->element};
            fxi_windows_walk(w, 0, w->size, copy_run, &c);
        }
}

static void gather_task(void *context, int64_t task) {
    const gather_job *job = context;
    int64_t own[BLOCK], other[BLOCK], first = task * job->per_task;
    int64_t last = first + job->per_task < job->w.positions ? first + job->per_task : job->w.positions;
    for (int64_t p = first; p < last; p += BLOCK) {
        int64_t n = last - p < BLOCK ? last - p : BLOCK;
        fxi_windows_find(&job->w, p, n, true, own, other);
        copy_block(job, own, other, n);
    }
    if (job->stream) end_stream();
}

/* One piece of a window at given offsets. */
static void copy_piece(const gather_job *job, int64_t piece, int64_t own, int64_t other) {
    copier c = {job->from + own * job->element, job->to + other * job->element, job->element};
    int64_t each = TASK_BYTES / job->element, first = piece * each;
    fxi_windows_walk(&job->w, first, first + each < job->w.size ? first + each : job->w.size, copy_run, &c);
}

static void piece_task(void *context, int64_t task) {
    const gather_job *job = context;
    int64_t own, other;
    fxi_windows_find(&job->w, task / job->pieces, 1, true, &own, &other);
    copy_piece(job, task % job->pieces, own, other);
}

static void run_gather(const fxi_host_call *call) {
    const fx_node *node = call->node;
    gather_job job = {
        .from = call->operands[0], .to = call->result, .element = fxi_memory_bytes(node->shape.dtype)};
    int64_t total = fx_shape_size(&node->shape);
    if (total == 0) return;
    fxi_windows_plan(&job.w, node, &node->shape, fxi_node_ints(node, FXI_ATTR_SIZES).v, call->operands[1]);
    int64_t bytes = job.w.size * job.element;
    if (bytes >= 2 * TASK_BYTES) {
        int64_t each = TASK_BYTES / job.element;
        job.pieces = job.w.size / each + (job.w.size % each != 0);
        fxi_pool_run(call->pool, job.w.positions * job.pieces, piece_task, &job);
        return;
    }
    job.stream = job.w.rank == 0 && bytes % 32 == 0 && job.w.plain && total * job.element >= STREAM_BYTES &&
                 (uintptr_t)call->result % 32 == 0;
    job.per_task = 4 * TASK_BYTES / bytes;
    fxi_pool_run(call->pool, job.w.positions / job.per_task + (job.w.positions % job.per_task != 0),
                 gather_task, &job);
}

const fxi_host_kernel fxi_kernel_gather = {.run = run_gather};

/* ---- dynamic slices: one window, whose pieces are copied in tasks ---- */

typedef struct slice_job {
    gather_job g;
    bool back; /* from the dense array into the operand's layout */
} slice_job;

static void copy_run_back(void *context, int64_t own, int64_t other, int64_t length) {
    const copier *c = context;
    memcpy(c->to + own * c->element, c->from + other * c->element, (size_t)(length * c->element));
}

static void slice_task(void *context, int64_t task) {
    const slice_job *job = context;
    copier c = {job->g.from, job->g.to, job->g.element};
    int64_t each = TASK_BYTES / c.element, first = task * each, size = job->g.w.size;
    fxi_windows_walk(&job->g.w, first, first + each < size ? first + each : size,
                     job->back ? copy_run_back : copy_run, &c);
}

static void run_slice_job(const fxi_host_call *call, slice_job *job, const fx_shape *part) {
    fxi_windows_plan_one(&job->g.w, &call->node->operands[0]->shape, part);
    int64_t each = TASK_BYTES / job->g.element, size = job->g.w.size;
    fxi_pool_run(call->pool, size / each + (size % each != 0), slice_task, job);
}

static void run_dynamic_slice(const fxi_host_call *call) {
    const fx_shape *part = &call->node->shape;
    if (fx_shape_size(part) == 0) return;
    int64_t element = fxi_memory_bytes(part->dtype);
    const char *from = (const char *)call->operands[0] + fxi_part_offset(call, part, 1) * element;
    slice_job job = {{.from = from, .to = call->result, .element = element}, false};
    run_slice_job(call, &job, part);
}

static void run_dynamic_update_slice(const fxi_host_call *call) {
    const fx_shape *part = &call->node->operands[1]->shape;
    int64_t element = fxi_memory_bytes(part->dtype), size = fx_shape_size(&call->node->shape);
    fxi_copy_parallel(call->pool, call->result, call->operands[0], size * element);
    if (fx_shape_size(part) == 0) return;
    char *to = (char *)call->result + fxi_part_offset(call, part, 2) * element;
    slice_job job = {{.from = call->operands[1], .to = to, .element = element}, true};
    run_slice_job(call, &job, part);
}

const fxi_host_kernel fxi_kernel_dynamic_slice = {.run = run_dynamic_slice};
const fxi_host_kernel fxi_kernel_dynamic_update_slice = {.run = run_dynamic_update_slice, .in_place = true};
