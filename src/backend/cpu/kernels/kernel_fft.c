/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Fourier transforms: one pass per axis, each over all lines along it, cut into tasks of a fixed
 * number of lines. Plans (roots of unity, factors) are made once per program. The first pass reads the
 * operand and writes the result, later ones work in place; only an inverse real transform of several axes
 * needs room for its complex passes. */
#include "../fft/fft_lines.h"
#include "kernels.h"

/* Lines of a task: at least as many as the widest vector has lanes, and about this many elements. */
enum { FEWEST_LINES = 16, TASK_ELEMENTS = 32768 };
/* A line this long fits into no memory; the library's sizes would overflow long after. */
#define LONGEST (INT64_C(1) << 40)

typedef struct pass {
    void *plan;
    int64_t inner, lines, task_lines;
    double scale;
} pass;

typedef struct state {
    const fxi_fft_library *library;
    int passes;
    bool room; /* passes before the last one need memory of their own */
    pass pass[FX_MAX_RANK];
} state;

/* The axes in the order in which they are transformed: the real one first forwards, last backwards. */
static int axis_of_pass(const fx_node *node, int passes, int number) {
    bool last_axis_last = fxi_node_int(node, FXI_ATTR_TRANSFORM) == FXI_FFT_INVERSE_REAL;
    int rank = node->shape.rank;
    return last_axis_last ? rank - passes + number : rank - 1 - number;
}

static bool make_pass(const fx_node *node, state *s, int number) {
    fxi_fft_kind kind = (fxi_fft_kind)fxi_node_int(node, FXI_ATTR_TRANSFORM);
    fx_dims lengths = fxi_node_attr(node, FXI_ATTR_LENGTHS)->u.ints;
    int axis = axis_of_pass(node, s->passes, number), rank = node->shape.rank;
    bool is_last = axis == rank - 1;
    /* The array that the pass works on: complex passes of an inverse real transform see the operand. */
    const fx_shape *shape = kind == FXI_FFT_INVERSE_REAL ? &node->operands[0]->shape : &node->shape;
    const fxi_fft_form form = {.n = lengths.v[axis - (rank - s->passes)],
                               .wide = fx_dtype_real(node->shape.dtype) == FX_F64,
                               .from_real = kind == FXI_FFT_REAL && is_last,
                               .to_real = kind == FXI_FFT_INVERSE_REAL && is_last,
                               .inverse = kind == FXI_FFT_INVERSE || kind == FXI_FFT_INVERSE_REAL};
    pass *p = &s->pass[number];
    *p = (pass){.inner = 1, .lines = 1, .scale = form.inverse ? 1 / (double)form.n : 1};
    for (int i = axis + 1; i < rank; i++) p->inner *= shape->dims[i];
    for (int i = 0; i < rank; i++)
        if (i != axis) p->lines *= shape->dims[i];
    int64_t vectors = TASK_ELEMENTS / FEWEST_LINES / form.n;
    p->task_lines = FEWEST_LINES * (vectors > 1 ? vectors : 1);
    p->plan = form.n <= LONGEST ? s->library->plan(&form) : NULL;
    return p->plan != NULL;
}

static void release_fft(void *state_void) {
    state *s = state_void;
    if (!s) return;
    for (int i = 0; i < s->passes; i++) s->library->release(s->pass[i].plan);
    fxi_free(s);
}

static void *prepare_fft(const fx_node *node, const fxi_target *target, fx_error *err) {
    fx_dims lengths = fxi_node_attr(node, FXI_ATTR_LENGTHS)->u.ints;
    state *s = fxi_alloc_zeroed(1, sizeof *s);
    if (!s) {
        fxi_fail_memory(err, "fft");
        return NULL;
    }
    s->library = target->avx512 ? &fxi_fft_avx512 : &fxi_fft_avx2;
    s->passes = (int)lengths.n;
    s->room = fxi_node_int(node, FXI_ATTR_TRANSFORM) == FXI_FFT_INVERSE_REAL && s->passes > 1;
    bool empty = fx_shape_size(&node->shape) == 0;
    for (int i = 0; i < s->passes && !empty; i++) {
        if (make_pass(node, s, i)) continue;
        fxi_fail_memory(err, "fft");
        release_fft(s);
        return NULL;
    }
    return s;
}

static int64_t fft_workspace(const fx_node *node) {
    fx_dims lengths = fxi_node_attr(node, FXI_ATTR_LENGTHS)->u.ints;
    bool room = fxi_node_int(node, FXI_ATTR_TRANSFORM) == FXI_FFT_INVERSE_REAL && lengths.n > 1;
    return room ? fx_shape_bytes(&node->operands[0]->shape) : 0;
}

typedef struct job {
    const state *state;
    const pass *pass;
    const void *from;
    void *to;
    bool failed; /* written by any task, atomically */
} job;

static void fft_task(void *context, int64_t task) {
    job *j = context;
    int64_t first = task * j->pass->task_lines, last = first + j->pass->task_lines;
    const fxi_fft_lines lines = {.from = j->from,
                                 .to = j->to,
                                 .inner = j->pass->inner,
                                 .first = first,
                                 .last = last < j->pass->lines ? last : j->pass->lines,
                                 .scale = j->pass->scale};
    if (!j->state->library->run(j->pass->plan, &lines)) __atomic_store_n(&j->failed, true, __ATOMIC_RELAXED);
}

static void run_fft(const fxi_host_call *call) {
    const state *s = call->state;
    if (fx_shape_size(&call->node->shape) == 0) return;
    job j = {.state = s, .from = call->operands[0]};
    for (int i = 0; i < s->passes; i++) {
        j.pass = &s->pass[i];
        j.to = s->room && i + 1 < s->passes ? call->workspace : call->result;
        int64_t tasks = j.pass->lines / j.pass->task_lines + (j.pass->lines % j.pass->task_lines != 0);
        fxi_pool_run(call->pool, tasks, fft_task, &j);
        j.from = j.to;
    }
    if (j.failed) *call->failed = true;
}

const fxi_host_kernel fxi_kernel_fft = {
    .run = run_fft, .workspace = fft_workspace, .prepare = prepare_fft, .release = release_fft};
