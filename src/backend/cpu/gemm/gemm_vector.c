/* SPDX-License-Identifier: Apache-2.0 */
/* Products with at most 8 rows or columns: matrix-vector, vector-matrix and skinny ones.
 *
 * Seen one way for all of them: a small operand S times a large L [k, width], which is read once where it
 * lies (that is the cost, so it runs at the speed of memory); a product with few columns is its transpose.
 * The work is cut, by shape alone, into chunks of k and tiles of the width. STREAM prefers chunks of whole
 * rows, so that each task reads one run of memory; DOT prefers tiles. Chunks leave partial sums in the
 * workspace, [chunk][tile][small], rows an odd number of cache lines apart; they are added in order of k and
 * converted. Where S must be packed it is packed a span of whole chunks at a time, so that the workspace
 * stays small however long the sum is. */
#include "gemm_internal.h"

#include <stdio.h>
#include <string.h>

#define MOST_SMALL 8
#define LEAST_K 16
#define TASK_BYTES ((int64_t)256 << 10) /* of L */
#define MOST_TASKS 32
#define SPAN_BYTES ((int64_t)32 << 20) /* of packed S */
#define STREAM_COLUMNS 8192 /* of outputs that stay in a near cache, over all small rows */

/* The two ways to see a product: L is B, or A transposed. False if L would be too narrow or has no unit
 * stride. */
static bool see(const fxi_gemm_shape *s, bool swapped, fxi_gemm_narrow_plan *v) {
    *v = (fxi_gemm_narrow_plan){.swapped = swapped};
    v->small = swapped ? s->n : s->m;
    v->width = swapped ? s->m : s->n;
    v->s_small = swapped ? s->b_col : s->a_row;
    v->s_k = swapped ? s->b_row : s->a_col;
    v->l_k = swapped ? s->a_col : s->b_row;
    v->l_width = swapped ? s->a_row : s->b_col;
    v->o_small = swapped ? 1 : s->n;
    v->o_width = swapped ? s->n : 1;
    v->dot = v->l_k == 1;
    return v->small <= MOST_SMALL && (v->l_k == 1 || v->l_width == 1);
}

/* The way with the wider L; DOT where they are alike, since its sums are not one long chain. */
static bool choose_way(const fxi_gemm *gemm, fxi_gemm_narrow_plan *v) {
    fxi_gemm_narrow_plan other;
    bool straight = see(&gemm->shape, false, v), swapped = see(&gemm->shape, true, &other);
    bool better = other.width > v->width || (other.width == v->width && other.dot);
    if (swapped && (!straight || better)) *v = other;
    return straight || swapped;
}

bool fxi_gemm_narrow_fits(const fxi_gemm *gemm) {
    fxi_gemm_narrow_plan v;
    if (fx_dtype_is_complex(gemm->compute) || gemm->shape.k < LEAST_K) return false;
    return choose_way(gemm, &v);
}

/* Rows of S that packing writes for DOT: a transposing move fills them up. */
static int64_t packed_rows(const fxi_gemm *gemm, const fxi_gemm_narrow_plan *v) {
    const fxi_gemm_move_dtypes dtypes = {gemm->shape.dtype, gemm->compute};
    if (!v->dot) return v->small;
    bool transposes = fxi_gemm_move_kernel(gemm->target, &dtypes, v->s_small, v->s_k, true).kind ==
                      FXI_GEMM_MOVE_TRANSPOSE;
    return transposes ? MOST_SMALL : v->small;
}

static void cut_work(const fxi_gemm *gemm, fxi_gemm_narrow_plan *v) {
    int64_t k = gemm->shape.k, most = SPAN_BYTES / (packed_rows(gemm, v) * gemm->compute_bytes);
    int64_t spans = v->s_packed ? fxi_size_ceil_div(k, most) : 1, span = fxi_size_ceil_div(k, spans);
    int64_t bytes = span * v->width * gemm->in_bytes;
    int64_t tasks = fxi_size_max(1, fxi_size_min(bytes / TASK_BYTES, MOST_TASKS));
    int64_t least_k = v->dot ? 4096 : 32 * v->small;
    if (v->dot)
        v->tiles = fxi_size_min(tasks, fxi_size_ceil_div(v->width, FXI_GEMM_DOT_COLUMNS));
    else
        v->tiles = fxi_size_ceil_div(v->width, STREAM_COLUMNS / v->small);
    int64_t grain = v->dot ? FXI_GEMM_DOT_COLUMNS : 16;
    v->tile = fxi_size_ceil_div(fxi_size_ceil_div(v->width, v->tiles), grain) * grain;
    v->tiles = fxi_size_ceil_div(v->width, v->tile);
    int64_t chunks = fxi_size_max(1, fxi_size_min(fxi_size_ceil_div(tasks, v->tiles), span / least_k));
    v->k_chunk = fxi_size_ceil_div(fxi_size_ceil_div(span, chunks), 16) * 16;
    v->k_chunks = fxi_size_ceil_div(k, v->k_chunk);
    v->span_chunks = spans > 1 ? fxi_size_ceil_div(span, v->k_chunk) : v->k_chunks;
}

static bool is_compute_type(const fxi_gemm *gemm, fx_dtype dtype) {
    return dtype == gemm->compute ||
           (fx_dtype_is_integer(dtype) && fx_dtype_bits(dtype) == fx_dtype_bits(gemm->compute));
}

static bool get_kernels(fxi_gemm *gemm, fx_error *err) {
    const fxi_gemm_shape *s = &gemm->shape;
    fxi_gemm_narrow_plan *v = &gemm->u.narrow;
    fxi_gemm_kernel kernel = {.kind = v->dot ? FXI_GEMM_DOT : FXI_GEMM_STREAM,
                              .from = (uint8_t)s->dtype,
                              .to = (uint8_t)gemm->compute,
                              .rows = (uint8_t)v->small};
    v->kernel = (fxi_gemm_narrow_fn)(uintptr_t)fxi_gemm_kernel_get(gemm, &kernel, err);
    if (v->kernel == NULL) return false;
    if (v->s_packed) {
        int64_t outer = v->dot ? v->s_small : v->s_k, inner = v->dot ? v->s_k : v->s_small;
        v->pack_s = fxi_gemm_move_get(gemm, s->dtype, gemm->compute, outer, inner, true, err);
        if (v->pack_s == NULL) return false;
    }
    if (!v->direct) v->finish = fxi_gemm_move_get(gemm, gemm->compute, s->result, 0, 1, v->o_width == 1, err);
    return v->direct || v->finish != NULL;
}

/* Bytes of a row such that rows after one another fall into different sets of the caches. */
static int64_t odd_lines(int64_t bytes) {
    return (fxi_size_ceil_div(bytes, 64) | 1) * 64;
}

bool fxi_gemm_narrow_plan_make(fxi_gemm *gemm, fx_error *err) {
    const fxi_gemm_shape *s = &gemm->shape;
    fxi_gemm_narrow_plan *v = &gemm->u.narrow;
    choose_way(gemm, v);
    bool dense = v->dot ? v->s_k == 1 || s->k == 1 : v->s_k == v->small && (v->small == 1 || v->s_small == 1);
    v->s_packed = !dense || !is_compute_type(gemm, s->dtype);
    cut_work(gemm, v);
    int64_t span = fxi_size_min(v->span_chunks * v->k_chunk, s->k);
    v->direct =
        v->k_chunks == 1 && v->o_width == 1 && is_compute_type(gemm, s->result) && (v->dot || v->small == 1);
    v->s_row_bytes = odd_lines(span * gemm->compute_bytes);
    v->partial_row_bytes = odd_lines(v->tile * gemm->compute_bytes);
    if (v->s_packed && v->dot)
        v->s_bytes = (size_t)(v->s_row_bytes * packed_rows(gemm, v));
    else if (v->s_packed)
        v->s_bytes = (size_t)odd_lines(fxi_size_ceil_div(span, 16) * 16 * v->small * gemm->compute_bytes);
    if (!v->direct) v->partial_bytes = (size_t)(v->k_chunks * v->tiles * v->small * v->partial_row_bytes);
    gemm->item_workspace = v->s_bytes + v->partial_bytes;
    snprintf(gemm->text, sizeof gemm->text, "%s %s x%d in %lldx%lld", v->dot ? "dot" : "stream",
             v->small == 1 ? (v->swapped ? "matvec" : "vecmat") : "skinny", (int)v->small,
             (long long)v->k_chunks, (long long)v->tiles);
    return get_kernels(gemm, err);
}

/* ---- running ---- */

typedef struct narrow_run {
    const fxi_gemm *gemm;
    const fxi_gemm_item *item;
    const char *s, *l;
    char *c, *partial;
    int64_t s_small, s_k; /* bytes: to the next row of S, to the next p */
    int64_t first;        /* chunk of the span at hand, where S begins */
} narrow_run;

/* Elements first .. first + k - 1 of the rows of S. */
static void pack_small(narrow_run *run, const char *from, int64_t first, int64_t k, char *packed) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_narrow_plan *v = &gemm->u.narrow;
    int64_t in = gemm->in_bytes, bytes = gemm->compute_bytes;
    fxi_gemm_move args = {.dst_inner = bytes};
    args.src_outer = (v->dot ? v->s_small : v->s_k) * in;
    args.src_inner = (v->dot ? v->s_k : v->s_small) * in;
    args.outer = v->dot ? v->small : k;
    args.inner = v->dot ? k : v->small;
    args.dst_outer = v->dot ? v->s_row_bytes : v->small * bytes;
    v->pack_s(from + first * v->s_k * in, packed, &args);
    run->s = packed;
    run->s_small = v->dot ? args.dst_outer : bytes;
    run->s_k = v->dot ? bytes : args.dst_outer;
}

/* `count` results along the width are complete, and all along the small side. */
static void finish_results(const narrow_run *run, int64_t x, int64_t count) {
    const fxi_gemm_narrow_plan *v = &run->gemm->u.narrow;
    if (v->swapped)
        fxi_gemm_finish(run->item, x, count, 0, v->small);
    else
        fxi_gemm_finish(run->item, 0, v->small, x, count);
}

static void multiply_task(void *context, int64_t task) {
    const narrow_run *run = context;
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_narrow_plan *v = &gemm->u.narrow;
    int64_t q = task / v->tiles * v->k_chunk, p = run->first * v->k_chunk + q, x = task % v->tiles * v->tile;
    int64_t bytes = gemm->compute_bytes;
    fxi_gemm_narrow args = {.k = fxi_size_min(v->k_chunk, gemm->shape.k - p),
                            .width = fxi_size_min(v->tile, v->width - x),
                            .s_stride = run->s_small};
    args.l_stride = (v->dot ? v->l_width : v->l_k) * gemm->in_bytes;
    args.o_stride = v->direct ? v->o_small * bytes : v->partial_row_bytes;
    char *partial = run->partial + (run->first * v->tiles + task) * v->small * v->partial_row_bytes;
    char *out = v->direct ? run->c + x * bytes : partial;
    if (!v->dot)
        for (int64_t i = 0; i < v->small; i++)
            memset(out + i * args.o_stride, 0, (size_t)(args.width * bytes));
    v->kernel(run->s + q * run->s_k, run->l + (p * v->l_k + x * v->l_width) * gemm->in_bytes, out, &args);
    if (v->direct) finish_results(run, x, args.width);
}

/* Adds one row of partial sums onto another. */
static void add_row(fx_dtype compute, void *to, const void *from, int64_t count) {
    if (compute == FX_F32) {
        float *sum = to;
        for (int64_t i = 0; i < count; i++) sum[i] += ((const float *)from)[i];
    } else if (compute == FX_F64) {
        double *sum = to;
        for (int64_t i = 0; i < count; i++) sum[i] += ((const double *)from)[i];
    } else if (compute == FX_S32) {
        uint32_t *sum = to;
        for (int64_t i = 0; i < count; i++) sum[i] += ((const uint32_t *)from)[i];
    } else {
        uint64_t *sum = to;
        for (int64_t i = 0; i < count; i++) sum[i] += ((const uint64_t *)from)[i];
    }
}

/* One tile of the results: partial sums in order of k, then conversion. */
static void combine_task(void *context, int64_t tile) {
    const narrow_run *run = context;
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_narrow_plan *v = &gemm->u.narrow;
    int64_t x = tile * v->tile, count = fxi_size_min(v->tile, v->width - x), row = v->partial_row_bytes;
    char *sums = run->partial + tile * v->small * row;
    for (int64_t chunk = 1; chunk < v->k_chunks; chunk++)
        for (int64_t i = 0; i < v->small; i++)
            add_row(gemm->compute, sums + i * row, sums + (chunk * v->tiles * v->small + i) * row, count);
    fxi_gemm_move args = {.src_outer = row,
                          .src_inner = gemm->compute_bytes,
                          .dst_outer = v->o_small * gemm->out_bytes,
                          .dst_inner = v->o_width * gemm->out_bytes,
                          .outer = v->small,
                          .inner = count};
    v->finish(sums, run->c + x * args.dst_inner, &args);
    finish_results(run, x, count);
}

void fxi_gemm_narrow_run(const fxi_gemm *gemm, fxi_pool *pool, const fxi_gemm_item *item) {
    const fxi_gemm_narrow_plan *v = &gemm->u.narrow;
    narrow_run run = {.gemm = gemm, .item = item, .c = item->c};
    run.s = v->swapped ? item->b : item->a;
    run.l = v->swapped ? item->a : item->b;
    run.partial = item->workspace + v->s_bytes;
    run.s_small = v->s_small * gemm->in_bytes;
    run.s_k = v->s_k * gemm->in_bytes;
    const char *s = run.s;
    for (; run.first < v->k_chunks; run.first += v->span_chunks) {
        int64_t chunks = fxi_size_min(v->span_chunks, v->k_chunks - run.first), p = run.first * v->k_chunk;
        if (v->s_packed)
            pack_small(&run, s, p, fxi_size_min(chunks * v->k_chunk, gemm->shape.k - p), item->workspace);
        fxi_gemm_each(pool, chunks * v->tiles, multiply_task, &run);
    }
    if (!v->direct) fxi_gemm_each(pool, v->tiles, combine_task, &run);
}
