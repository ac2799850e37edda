/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of matrix products: checks and simplifies the shape, chooses a path, gathers the kernels, and runs a
 * batch.
 *
 * Simplifying: batch extents of 1 go away, and a batch of A against one B becomes more rows of A where A's
 * strides allow it, since C is dense. Then: no elements, nothing to do; k = 0, zeros; at most 8 rows or
 * columns, the narrow kernels; else tiles. A batch of small products is cut into at most 64 tasks of whole
 * products, each with workspace of its own; large products follow one another, each spread over the threads.
 * All of this looks at the shape and the dtypes alone. */
#include "gemm_internal.h"

#include <string.h>

#define SMALL_ITEM ((int64_t)1 << 22) /* multiply-adds below which a product of a batch is one task's work */
#define ITEM_TASKS 64
#define ITEM_TASKS_BYTES ((size_t)16 << 20) /* of workspace, beyond which there are fewer tasks, but 8 */

fx_dtype fxi_gemm_compute(fx_dtype result) {
    if (fx_dtype_is_half(result)) return FX_F32;
    if (fx_dtype_is_integer(result)) return fx_dtype_bits(result) == 64 ? FX_S64 : FX_S32;
    return result;
}

static bool check_dtypes(const fxi_gemm_shape *shape, fx_error *err) {
    fx_dtype from = shape->dtype, to = shape->result;
    bool known = fx_dtype_is_integer(from) || fx_dtype_is_half(from) || fx_dtype_is_complex(from) ||
                 from == FX_F32 || from == FX_F64;
    bool result = fx_dtype_is_integer(to) || fx_dtype_is_half(to) || fx_dtype_is_complex(to) ||
                  to == FX_F32 || to == FX_F64;
    bool kind = fx_dtype_is_integer(from) == fx_dtype_is_integer(to) &&
                fx_dtype_is_complex(from) == fx_dtype_is_complex(to);
    bool wide = from == to || fx_dtype_bits(to) > fx_dtype_bits(from) ||
                (fx_dtype_is_integer(from) && fx_dtype_bits(to) == fx_dtype_bits(from));
    if (known && result && kind && wide) return true;
    return fxi_fail(err, FX_ERROR_DTYPE, "matmul: %s operands with a %s result", fx_dtype_name(from),
                    fx_dtype_name(to));
}

/* Sizes in bytes of what is reached must fit into 63 bits, so that nothing below needs to check again. */
static bool check_sizes(const fxi_gemm_shape *s, fx_error *err) {
    int64_t a = 1, b = 1, c = 1;
    bool fits =
        s->batch_rank >= 0 && s->batch_rank <= FXI_GEMM_BATCH_RANK && s->m >= 0 && s->n >= 0 && s->k >= 0;
    for (int i = 0; fits && i < s->batch_rank; i++) fits = fxi_size_mul(c, s->batch[i], &c);
    if (!fits) return fxi_fail(err, FX_ERROR_SHAPE, "matmul: extents or rank of the batch out of range");
    fits = fxi_size_mul(s->m, s->k, &a) && fxi_size_mul(s->k, s->n, &b) && fxi_size_mul(c, s->m, &c) &&
           fxi_size_mul(c, s->n, &c);
    int64_t limit = INT64_MAX / 64;
    if (fits && a < limit && b < limit && c < limit) return true;
    return fxi_fail(err, FX_ERROR_MEMORY, "matmul: sizes beyond 63 bits");
}

static void drop_batch_axis(fxi_gemm_shape *s, int axis) {
    for (int i = axis; i + 1 < s->batch_rank; i++) {
        s->batch[i] = s->batch[i + 1];
        s->a_batch[i] = s->a_batch[i + 1];
        s->b_batch[i] = s->b_batch[i + 1];
    }
    s->batch_rank--;
}

/* Strides along extents of 1 mean nothing: as unit strides they let the best kernels be used. */
static void settle_strides(fxi_gemm_shape *s) {
    if (s->m == 1) s->a_row = 1;
    if (s->k == 1) s->a_col = s->b_row = 1;
    if (s->n == 1) s->b_col = 1;
}

static void simplify(fxi_gemm_shape *s) {
    for (int i = s->batch_rank - 1; i >= 0; i--)
        if (s->batch[i] == 1) drop_batch_axis(s, i);
    while (s->batch_rank > 0) {
        int last = s->batch_rank - 1;
        if (s->b_batch[last] != 0) break;
        int64_t rows = 0;
        bool follows = s->m == 1 || (fxi_size_mul(s->m, s->a_row > 0 ? s->a_row : 0, &rows) && s->a_row > 0 &&
                                     rows == s->a_batch[last]);
        if (!follows) break;
        if (s->m == 1) s->a_row = s->a_batch[last];
        s->m *= s->batch[last];
        s->batch_rank--;
    }
    settle_strides(s);
}

fxi_code *fxi_gemm_code_get(const fxi_target *target, const fxi_gemm_kernel *kernel, void **function,
                            fx_error *err) {
    fxi_gemm_kernel key = *kernel;
    memcpy(key.tag, "gemm", sizeof key.tag);
    fxi_code *code = fxi_kernel_get(target, &key, sizeof key, fxi_gemm_emit, &key, err);
    if (code == NULL) return NULL;
    *function = fxi_code_symbol(code, "gemm");
    if (*function != NULL) return code;
    fxi_code_free(code);
    fxi_fail(err, FX_ERROR_INTERNAL, "matmul: a kernel has no entry");
    return NULL;
}

void *fxi_gemm_kernel_get(fxi_gemm *gemm, const fxi_gemm_kernel *kernel, fx_error *err) {
    void *function = NULL;
    if (gemm->code_count == FXI_GEMM_CODES) {
        fxi_fail(err, FX_ERROR_INTERNAL, "matmul: too many kernels");
        return NULL;
    }
    fxi_code *code = fxi_gemm_code_get(gemm->target, kernel, &function, err);
    if (code != NULL) gemm->codes[gemm->code_count++] = code;
    return function;
}

fxi_gemm_kernel fxi_gemm_move_kernel(const fxi_target *target, const fxi_gemm_move_dtypes *dtypes,
                                     int64_t src_outer, int64_t src_inner, bool dst_unit) {
    fx_dtype from = dtypes->from, to = dtypes->to;
    fxi_gemm_kernel kernel = {.kind = FXI_GEMM_MOVE_STRIDED, .from = (uint8_t)from, .to = (uint8_t)to};
    bool masks = target->avx512 || (fx_dtype_bits(from) >= 32 && fx_dtype_bits(to) >= 32);
    if (dst_unit && masks && !fx_dtype_is_complex(from)) {
        if (src_inner == 1)
            kernel.kind = FXI_GEMM_MOVE_ROWS;
        else if (src_outer == 1)
            kernel.kind = FXI_GEMM_MOVE_TRANSPOSE;
    }
    return kernel;
}

fxi_gemm_move_fn fxi_gemm_move_get(fxi_gemm *gemm, fx_dtype from, fx_dtype to, int64_t src_outer,
                                   int64_t src_inner, bool dst_unit, fx_error *err) {
    const fxi_gemm_move_dtypes dtypes = {from, to};
    const fxi_gemm_kernel kernel =
        fxi_gemm_move_kernel(gemm->target, &dtypes, src_outer, src_inner, dst_unit);
    return (fxi_gemm_move_fn)(uintptr_t)fxi_gemm_kernel_get(gemm, &kernel, err);
}

static bool plan_path(fxi_gemm *gemm, fx_error *err) {
    const fxi_gemm_shape *s = &gemm->shape;
    gemm->items = 1;
    for (int i = 0; i < s->batch_rank; i++) gemm->items *= s->batch[i];
    gemm->path = FXI_GEMM_NOTHING;
    if (gemm->items == 0 || s->m == 0 || s->n == 0) return true;
    gemm->path = FXI_GEMM_ZERO;
    if (s->k == 0) return true;
    bool narrow = !s->b_made && fxi_gemm_narrow_fits(gemm);
    gemm->path = narrow ? FXI_GEMM_NARROW : FXI_GEMM_TILED;
    return narrow ? fxi_gemm_narrow_plan_make(gemm, err) : fxi_gemm_tiled_plan(gemm, err);
}

static void plan_batch(fxi_gemm *gemm) {
    const fxi_gemm_shape *s = &gemm->shape;
    gemm->workspace = gemm->item_workspace;
    bool small = s->m < SMALL_ITEM && s->n < SMALL_ITEM && s->k < SMALL_ITEM && s->m * s->n < SMALL_ITEM &&
                 s->m * s->n * s->k < SMALL_ITEM;
    if (gemm->items < 2 || !small || gemm->path < FXI_GEMM_TILED) return;
    int64_t tasks = fxi_size_min(gemm->items, ITEM_TASKS);
    if ((size_t)tasks * gemm->item_workspace > ITEM_TASKS_BYTES) {
        int64_t fitting = (int64_t)(ITEM_TASKS_BYTES / gemm->item_workspace);
        tasks = fxi_size_min(gemm->items, fxi_size_max(fitting, 8));
    }
    gemm->item_chunk = fxi_size_ceil_div(gemm->items, tasks);
    gemm->workspace = (size_t)fxi_size_ceil_div(gemm->items, gemm->item_chunk) * gemm->item_workspace;
}

fxi_gemm *fxi_gemm_new(const fxi_gemm_shape *shape, const fxi_target *target, fx_error *err) {
    if (shape == NULL || target == NULL) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "matmul: shape or target is NULL");
        return NULL;
    }
    if (!check_dtypes(shape, err) || !check_sizes(shape, err)) return NULL;
    fxi_gemm *gemm = fxi_alloc_zeroed(1, sizeof *gemm);
    if (gemm == NULL) {
        fxi_fail_memory(err, "matmul");
        return NULL;
    }
    gemm->shape = *shape;
    gemm->target = target;
    gemm->compute = fxi_gemm_compute(shape->result);
    gemm->in_bytes = fxi_memory_bytes(shape->dtype);
    gemm->out_bytes = fxi_memory_bytes(shape->result);
    gemm->compute_bytes = fxi_memory_bytes(fx_dtype_real(gemm->compute));
    strcpy(gemm->text, "zeros");
    simplify(&gemm->shape);
    if (!plan_path(gemm, err)) {
        fxi_gemm_free(gemm);
        return NULL;
    }
    plan_batch(gemm);
    return gemm;
}

void fxi_gemm_free(fxi_gemm *gemm) {
    if (gemm == NULL) return;
    for (int i = 0; i < gemm->code_count; i++) fxi_code_free(gemm->codes[i]);
    fxi_free(gemm);
}

size_t fxi_gemm_workspace(const fxi_gemm *gemm) {
    return gemm == NULL ? 0 : gemm->workspace;
}

const char *fxi_gemm_text(const fxi_gemm *gemm) {
    return gemm == NULL ? "" : gemm->text;
}

int64_t fxi_gemm_grain(const fxi_gemm *gemm) {
    int64_t widths = gemm->shape.n;
    if (gemm->path == FXI_GEMM_TILED) widths |= gemm->u.tiled.panel_width;
    if (gemm->path == FXI_GEMM_NARROW && !gemm->u.narrow.swapped) widths |= gemm->u.narrow.tile;
    return widths & -widths;
}

int64_t fxi_gemm_tasks(const fxi_gemm *gemm) {
    if (gemm->item_chunk > 0) return fxi_size_ceil_div(gemm->items, gemm->item_chunk);
    if (gemm->path == FXI_GEMM_TILED) return gemm->u.tiled.grid_rows * gemm->u.tiled.grid_columns;
    return gemm->path == FXI_GEMM_NARROW ? gemm->u.narrow.tiles : 1;
}

/* ---- running ---- */

typedef struct batch_run {
    const fxi_gemm *gemm;
    fxi_gemm_item whole;
} batch_run;

static void run_item(const batch_run *run, fxi_pool *pool, int64_t number, char *workspace) {
    const fxi_gemm *gemm = run->gemm;
    const fxi_gemm_shape *s = &gemm->shape;
    int64_t a = 0, b = 0, rest = number;
    for (int i = s->batch_rank - 1; i >= 0; i--) {
        int64_t at = rest % s->batch[i];
        rest /= s->batch[i];
        a += at * s->a_batch[i];
        b += at * s->b_batch[i];
    }
    fxi_gemm_item item = run->whole;
    item.a += a * gemm->in_bytes;
    item.b += b * gemm->in_bytes;
    item.c += number * s->m * s->n * gemm->out_bytes;
    item.workspace = workspace;
    item.row = number * s->m;
    if (gemm->path == FXI_GEMM_NARROW)
        fxi_gemm_narrow_run(gemm, pool, &item);
    else
        fxi_gemm_tiled_run(gemm, pool, &item);
}

static void run_chunk(void *context, int64_t task) {
    const batch_run *run = context;
    const fxi_gemm *gemm = run->gemm;
    char *workspace = run->whole.workspace + (size_t)task * gemm->item_workspace;
    int64_t end = fxi_size_min(gemm->items, (task + 1) * gemm->item_chunk);
    for (int64_t item = task * gemm->item_chunk; item < end; item++) run_item(run, NULL, item, workspace);
}

void fxi_gemm_run_through(const fxi_gemm *gemm, fxi_pool *pool, const void *a, const void *b, void *c,
                          void *workspace, const fxi_gemm_epilogue *epilogue) {
    const fxi_gemm_shape *s = &gemm->shape;
    batch_run run = {gemm, {.a = a, .b = b, .c = c, .workspace = workspace, .epilogue = epilogue}};
    if (workspace == NULL) run.whole.workspace = c; /* nothing is there, but parts have addresses */
    if (gemm->path == FXI_GEMM_NOTHING) return;
    if (gemm->path == FXI_GEMM_ZERO) {
        memset(c, 0, (size_t)(gemm->items * s->m * s->n * gemm->out_bytes));
        fxi_gemm_finish(&run.whole, 0, gemm->items * s->m, 0, s->n);
    } else if (gemm->item_chunk > 0) {
        fxi_gemm_each(pool, fxi_size_ceil_div(gemm->items, gemm->item_chunk), run_chunk, &run);
    } else {
        for (int64_t item = 0; item < gemm->items; item++) run_item(&run, pool, item, run.whole.workspace);
    }
}

void fxi_gemm_run(const fxi_gemm *gemm, fxi_pool *pool, const void *a, const void *b, void *c,
                  void *workspace) {
    fxi_gemm_run_through(gemm, pool, a, b, c, workspace, NULL);
}

void fxi_gemm_run_made(const fxi_gemm *gemm, fxi_pool *pool, const void *a, const fxi_gemm_maker *b, void *c,
                       void *workspace) {
    const fxi_gemm_item item = {.a = a, .maker = b, .c = c, .workspace = workspace};
    if (gemm->path == FXI_GEMM_TILED) fxi_gemm_tiled_run(gemm, pool, &item);
}
