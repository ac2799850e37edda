/* SPDX-License-Identifier: Apache-2.0 */
/* fx.quantized_dense (nn/quantize.c says what it is): products with weights as they lie. Up to 8 rows of x
 * are multiplied by vector code that takes weights apart in registers: what bounds it is the reading of
 * packed weights. More rows go through GEMM, whose packing makes float32 of a part of the weights at a time.
 * Tasks are of sizes fixed by the shapes. */
#include "../gemm/gemm.h"
#include "kernels.h"
#include "quantized.h"
#include <fluxion/quantize.h>
#include <string.h>

/* Bytes of weights that a task of DOT reads; rows and groups of a task of STREAM, and its chunks at most. */
enum { DOT_BYTES = 1 << 16, CHUNK_ROWS = 512, MOST_CHUNKS = 16, TILE_GROUPS = 16, ADDED = 4096 };

/* Of the weights, so that sizes of the workspace need no checks. */
#define MOST_EXTENT (INT64_C(1) << 40)

/* Settings of the composite. */
enum { SCHEME, GGML_TYPE, BLOCK_AXIS, BLOCK_SIZE, FLAGS, TRANSPOSED, SETTINGS };
enum { FLAG_SCALE = 1, FLAG_ZERO = 2 };

typedef struct quantized_state {
    const fxi_quantized_lanes *lanes;
    fxi_gemm *gemm;        /* with more rows than the vector code takes */
    fxi_quantized w;       /* without addresses */
    bool dot;
    int64_t m;             /* rows of x */
    int64_t chunk, chunks; /* STREAM: rows of the matrix summed at a time, and the number of such sums */
    int64_t sums_row;      /* elements of a row of sums */
} quantized_state;

static fxi_quantized_type type_of(int64_t ggml_type) {
    switch (ggml_type) {
    case FX_GGML_Q4_0: return FXI_QUANTIZED_Q4_0;
    case FX_GGML_Q8_0: return FXI_QUANTIZED_Q8_0;
    case FX_GGML_IQ4_NL: return FXI_QUANTIZED_IQ4_NL;
    case FX_GGML_Q2_K: return FXI_QUANTIZED_Q2_K;
    case FX_GGML_Q3_K: return FXI_QUANTIZED_Q3_K;
    case FX_GGML_Q4_K: return FXI_QUANTIZED_Q4_K;
    case FX_GGML_Q5_K: return FXI_QUANTIZED_Q5_K;
    case FX_GGML_Q6_K: return FXI_QUANTIZED_Q6_K;
    default: return FXI_QUANTIZED_LINEAR;
    }
}

/* ---- what is taken ---- */

static fx_dims settings_of(const fx_node *node) {
    return fxi_node_ints(node, FXI_ATTR_SETTINGS);
}

static void describe(const fx_node *node, fxi_quantized *w) {
    const int64_t *s = settings_of(node).v;
    const fx_shape *weights = &node->operands[1]->shape;
    bool ggml = s[SCHEME] == FX_QUANTIZATION_GGML, is_signed = fx_dtype_is_signed(weights->dtype);
    *w = (fxi_quantized){.rows = weights->dims[0], .along = weights->dims[1], .row_bytes = weights->dims[1]};
    w->nf4 = s[SCHEME] == FX_QUANTIZATION_NF4;
    w->bits = is_signed ? FXI_QUANTIZED_S8 : FXI_QUANTIZED_U8;
    if (!ggml) {
        w->down = s[BLOCK_AXIS] == 0;
        w->block_size = s[BLOCK_SIZE];
        w->blocks = w->down ? w->along : fxi_size_ceil_div(w->along, s[BLOCK_SIZE]);
        return;
    }
    fx_ggml_type type = (fx_ggml_type)s[GGML_TYPE];
    w->type = type_of(type);
    w->along = w->row_bytes / fx_ggml_block_bytes(type) * fx_ggml_block_values(type);
}

/* Whether the sum is over what lies in a row of the weights. */
static bool sums_along(const fx_node *node) {
    const int64_t *s = settings_of(node).v;
    return (s[SCHEME] == FX_QUANTIZATION_GGML) != (s[TRANSPOSED] != 0);
}

/* Batches (fx_vmap) of weights, scales and zero points are not taken; a batch of x has more rows. */
bool fxi_quantized_accepts(const fx_node *node) {
    if (settings_of(node).n != SETTINGS || node->shape.dtype != FX_F32) return false;
    for (uint32_t i = 1; i < node->operand_count; i++)
        if (node->operands[i]->shape.rank != 2) return false;
    fx_dtype dtype = node->operands[1]->shape.dtype;
    if (!fx_dtype_is_integer(dtype) || fx_dtype_bits(dtype) > 8) return false;
    fxi_quantized w;
    describe(node, &w);
    return w.rows >= 2 && w.along >= 2 && w.rows <= MOST_EXTENT && w.along <= MOST_EXTENT;
}

/* ---- the plan ---- */

static bool plan_gemm(quantized_state *s, const fxi_target *target, fx_error *err) {
    fxi_gemm_shape shape = {.dtype = FX_F32, .result = FX_F32, .m = s->m, .a_col = 1, .b_made = true};
    shape.k = s->dot ? s->w.along : s->w.rows;
    shape.n = s->dot ? s->w.rows : s->w.along;
    shape.a_row = shape.k;
    shape.b_row = s->dot ? 1 : s->w.along;
    shape.b_col = s->dot ? s->w.along : 1;
    s->gemm = fxi_gemm_new(&shape, target, err);
    return s->gemm != NULL;
}

static void plan_stream(quantized_state *s) {
    s->chunk = fxi_size_max(CHUNK_ROWS, fxi_size_ceil_div(s->w.rows, MOST_CHUNKS));
    s->chunks = fxi_size_ceil_div(s->w.rows, s->chunk);
    s->sums_row = fxi_size_ceil_div(s->w.along, FXI_QUANTIZED_GROUP) * FXI_QUANTIZED_GROUP;
}

static void release(void *state) {
    quantized_state *s = state;
    if (s) fxi_gemm_free(s->gemm);
    fxi_free(s);
}

static void *prepare(const fx_node *node, const fxi_target *target, fx_error *err) {
    quantized_state *s = fxi_alloc_zeroed(1, sizeof *s);
    if (!s) {
        fxi_fail_memory(err, "quantized product");
        return NULL;
    }
    s->lanes = target->avx512 ? &fxi_quantized_avx512 : &fxi_quantized_avx2;
    describe(node, &s->w);
    s->dot = sums_along(node);
    s->m = 1;
    for (int i = 0; i < node->shape.rank - 1; i++) s->m *= node->shape.dims[i];
    plan_stream(s);
    if (s->m <= FXI_QUANTIZED_MOST || plan_gemm(s, target, err)) return s;
    release(s);
    return NULL;
}

/* Rows of x that the vector code works with, some of them perhaps not there. */
static int rounded(int64_t m) {
    return m <= 1 ? 1 : m <= 4 ? 4 : FXI_QUANTIZED_MOST;
}

/* x with rows up to those of the vector code; then sums of the chunks. */
static int64_t padded_floats(const quantized_state *s) {
    int64_t m = rounded(s->m), across = s->dot ? s->w.along : s->w.rows;
    return m == s->m ? 0 : fxi_size_ceil_div(m * across, 16) * 16;
}

static int64_t workspace(const void *state) {
    const quantized_state *s = state;
    if (s->gemm) return (int64_t)fxi_gemm_workspace(s->gemm);
    int64_t m = rounded(s->m), results = s->dot ? m * s->w.rows : s->chunks * m * s->sums_row;
    bool direct = s->dot && m == s->m;
    return (padded_floats(s) + (direct ? 0 : results)) * (int64_t)sizeof(float);
}

/* ---- few rows ---- */

typedef struct quantized_run {
    const quantized_state *s;
    fxi_quantized_job job; /* y: of chunk 0 */
    int64_t per_task, tiles;
    float *result;
} quantized_run;

static void dot_task(void *context, int64_t task) {
    const quantized_run *run = context;
    int64_t first = task * run->per_task, last = fxi_size_min(first + run->per_task, run->s->w.rows);
    run->s->lanes->dot[run->s->w.type](&run->job, first, last);
}

static void stream_task(void *context, int64_t task) {
    const quantized_run *run = context;
    const quantized_state *s = run->s;
    fxi_quantized_job job = run->job;
    int64_t chunk = task / run->tiles, tile = task % run->tiles, groups = s->sums_row / FXI_QUANTIZED_GROUP;
    int64_t first = chunk * s->chunk, last = fxi_size_min(first + s->chunk, s->w.rows);
    job.y += chunk * job.m * s->sums_row;
    s->lanes->stream[s->w.type](&job, first, last, tile * TILE_GROUPS,
                                fxi_size_min((tile + 1) * TILE_GROUPS, groups));
}

/* Some results of one row: the sum of the chunks, in order. */
static void add_task(void *context, int64_t task) {
    const quantized_run *run = context;
    const quantized_state *s = run->s;
    int64_t pieces = fxi_size_ceil_div(s->w.along, ADDED), row = task / pieces, at = task % pieces * ADDED;
    int64_t n = fxi_size_min(ADDED, s->w.along - at), step = run->job.m * s->sums_row;
    float *restrict to = run->result + row * s->w.along + at;
    const float *from = run->job.y + row * s->sums_row + at;
    memcpy(to, from, (size_t)n * sizeof *to);
    for (int64_t c = 1; c < s->chunks; c++)
        for (int64_t i = 0; i < n; i++) to[i] += from[c * step + i];
}

static void run_dot(const fxi_host_call *call, quantized_run *run) {
    const quantized_state *s = run->s;
    int64_t rows = DOT_BYTES / s->w.row_bytes / 4 * 4;
    run->per_task = fxi_size_max(rows, 4);
    fxi_pool_run(call->pool, fxi_size_ceil_div(s->w.rows, run->per_task), dot_task, run);
    if (run->job.y != run->result)
        memcpy(run->result, run->job.y, (size_t)(s->m * s->w.rows) * sizeof(float));
}

static void run_stream(const fxi_host_call *call, quantized_run *run) {
    const quantized_state *s = run->s;
    run->tiles = fxi_size_ceil_div(s->sums_row, TILE_GROUPS * FXI_QUANTIZED_GROUP);
    run->job.y_row = s->sums_row;
    fxi_pool_run(call->pool, s->chunks * run->tiles, stream_task, run);
    fxi_pool_run(call->pool, s->m * fxi_size_ceil_div(s->w.along, ADDED), add_task, run);
}

static void run_few(const fxi_host_call *call, const quantized_state *s, const fxi_quantized *w) {
    quantized_run run = {.s = s, .result = call->result};
    int64_t across = s->dot ? w->along : w->rows, padded = padded_floats(s);
    float *space = call->workspace;
    run.job = (fxi_quantized_job){
        .w = w, .x = call->operands[0], .x_row = across, .y_row = w->rows, .m = rounded(s->m)};
    if (padded) {
        memcpy(space, run.job.x, (size_t)(s->m * across) * sizeof *space);
        memset(space + s->m * across, 0, (size_t)(padded - s->m * across) * sizeof *space);
        run.job.x = space;
        space += padded;
    }
    run.job.y = s->dot && run.job.m == s->m ? run.result : space;
    if (s->dot)
        run_dot(call, &run);
    else
        run_stream(call, &run);
}

/* ---- many rows ---- */

typedef struct made {
    const fxi_quantized *w;
    void (*store)(const fxi_quantized *w, int64_t row, int64_t at, int64_t count, float *to);
} made;

static void make(const void *context, int64_t line, int64_t at, int64_t count, float *to) {
    const made *m = context;
    m->store(m->w, line, at, count, to);
}

static void run_quantized(const fxi_host_call *call) {
    const quantized_state *s = call->state;
    const int64_t *settings = settings_of(call->node).v;
    fxi_quantized w = s->w;
    if (fx_shape_size(&call->node->shape) == 0) return;
    w.weights = call->operands[1];
    if (call->packed & 2) {
        w.bits = w.bits == FXI_QUANTIZED_S8 ? FXI_QUANTIZED_S4 : FXI_QUANTIZED_U4;
        w.row_bytes = w.along / 2;
    }
    if (settings[FLAGS] & FLAG_SCALE) w.scale = call->operands[2];
    if (settings[FLAGS] & FLAG_ZERO) w.zero = call->operands[3];
    if (!s->gemm) {
        run_few(call, s, &w);
        return;
    }
    const made context = {&w, s->lanes->store[w.type]};
    const fxi_gemm_maker maker = {make, &context, !s->dot};
    fxi_gemm_run_made(s->gemm, call->pool, call->operands[0], &maker, call->result, call->workspace);
}

/* Two to a byte, if rows begin with bytes. */
static uint32_t takes_packed(const fx_node *node) {
    const fx_shape *weights = &node->operands[1]->shape;
    return fx_dtype_bits(weights->dtype) == 4 && weights->dims[1] % 2 == 0 ? 2 : 0;
}

const fxi_host_kernel fxi_kernel_quantized = {.run = run_quantized,
                                              .prepare = prepare,
                                              .release = release,
                                              .state_workspace = workspace,
                                              .takes_packed = takes_packed};
