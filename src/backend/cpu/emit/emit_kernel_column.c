/* SPDX-License-Identifier: Apache-2.0 */
/* COLUMN with its accumulators in scratch memory, which the first-level cache holds.
 *
 * Memory delivers most when a few long runs are read side by side: eight rows of a matrix give 1.4 times
 * what one run gives, and 1.5 times what 512 bytes of each row do (measured, pages of 4 KiB). So `rows`
 * reduction indices go by together; their values are combined pairwise, in a tree, and the result goes
 * into the accumulator once, which makes the traffic of accumulators small. Reduction indices that are
 * left over go one by one. All of this is the same for any number of threads. */
#include "emit_kernel_internal.h"

enum { COMPONENTS = 3 }; /* real part, imaginary part or position */

typedef struct column {
    fxi_kernel_emitter *x;
    LLVMValueRef first, last;         /* of the inner loop */
    LLVMValueRef scratch[COMPONENTS]; /* accumulators: an array per component */
    LLVMTypeRef element[COMPONENTS];  /* in memory */
    int components;
} column;

/* ---- accumulators ---- */

static LLVMTypeRef element_of(LLVMTypeRef vector) {
    return LLVMGetTypeKind(vector) == LLVMVectorTypeKind ? LLVMGetElementType(vector) : vector;
}

static column allocate_accumulators(fxi_kernel_emitter *x) {
    const fxi_kernel_head *h = &x->k->head;
    column c = {.x = x, .first = RANGE(x, inner_first), .last = RANGE(x, inner_last)};
    fxi_kernel_sum sum;
    LLVMValueRef flat[COMPONENTS];
    fxi_kernel_start_sums(x, 1, &sum);
    c.components = fxi_kernel_flatten(x, &sum, 1, flat);
    uint64_t elements = (uint64_t)fxi_column_block((fx_dtype)h->reduce_dtype, h->reduce_arg);
    for (int i = 0; i < c.components; i++) {
        LLVMTypeRef type = element_of(LLVMTypeOf(flat[i]));
        bool bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
        c.element[i] = bits ? x->i8 : type;
        c.scratch[i] = LLVMBuildAlloca(builder(x), LLVMArrayType2(c.element[i], elements), "");
        LLVMSetAlignment(c.scratch[i], 64);
    }
    return c;
}

/* Address of component i of the accumulators of vector u. */
static LLVMValueRef accumulator_at(const column *c, int i, int u) {
    const fxi_kernel_emitter *x = c->x;
    LLVMValueRef at = LLVMBuildSub(builder(x), x->inner, c->first, "");
    at = add64(x, at, const64(x, (int64_t)u * x->e->lanes));
    return LLVMBuildGEP2(builder(x), c->element[i], c->scratch[i], &at, 1, "");
}

static void store_accumulators(const column *c, const fxi_kernel_sum *acc, int u) {
    const fxi_kernel_emitter *x = c->x;
    LLVMValueRef flat[COMPONENTS];
    fxi_kernel_flatten(x, acc, 1, flat);
    for (int i = 0; i < c->components; i++) {
        LLVMTypeRef memory = fxi_emit_vector_of(x->e, c->element[i]);
        LLVMValueRef value = flat[i];
        if (LLVMTypeOf(value) != memory) value = LLVMBuildZExt(builder(x), value, memory, "");
        LLVMSetAlignment(LLVMBuildStore(builder(x), value, accumulator_at(c, i, u)), x->e->lanes);
    }
}

static fxi_kernel_sum load_accumulators(const column *c, int u) {
    const fxi_kernel_emitter *x = c->x;
    fxi_kernel_sum acc;
    LLVMValueRef flat[COMPONENTS];
    fxi_kernel_start_sums(x, 1, &acc);
    fxi_kernel_flatten(x, &acc, 1, flat);
    for (int i = 0; i < c->components; i++) {
        LLVMTypeRef type = LLVMTypeOf(flat[i]), memory = fxi_emit_vector_of(x->e, c->element[i]);
        flat[i] = LLVMBuildLoad2(builder(x), memory, accumulator_at(c, i, u), "");
        LLVMSetAlignment(flat[i], x->e->lanes);
        if (type != memory) flat[i] = LLVMBuildTrunc(builder(x), flat[i], type, "");
    }
    fxi_kernel_unflatten(x, flat, 1, &acc);
    return acc;
}

/* ---- loops ---- */

static fxi_flat_loop begin_inner(column *c) {
    fxi_kernel_emitter *x = c->x;
    fxi_flat_loop inner = fxi_inner_loop(x->e, c->first, c->last, (int64_t)x->e->lanes * x->k->head.unroll);
    fxi_loop_begin(x->e, &inner, NULL, 0);
    x->inner = inner.at;
    fxi_kernel_set_masks(x, c->last);
    return inner;
}

static void clear_accumulators(column *c) {
    fxi_kernel_sum neutral;
    fxi_flat_loop inner = begin_inner(c);
    fxi_kernel_start_sums(c->x, 1, &neutral);
    for (int u = 0; u < c->x->k->head.unroll; u++) store_accumulators(c, &neutral, u);
    fxi_loop_end(c->x->e, &inner, NULL);
}

/* What is known before the reduction loops holds for every row. */
static void share_values(fxi_kernel_emitter *x, int rows) {
    int count = x->k->head.instrs * x->k->head.unroll;
    for (int r = 1; r < rows; r++)
        for (int i = 0; i < count; i++) x->values[r * count + i] = x->values[i];
}

/* Pairs of rows, pairs of pairs and so on, as soon as both are there. */
static fxi_kernel_sum combine_rows(fxi_kernel_emitter *x, int rows, int u) {
    fxi_kernel_sum pending[8];
    int count = 0;
    for (int r = 0; r < rows; r++) {
        fxi_kernel_use_row(x, r);
        pending[count++] = fxi_kernel_taken(x, NULL, u);
        for (int n = r + 1; n % 2 == 0; n /= 2, count--)
            pending[count - 2] = fxi_kernel_combine(x, pending[count - 2], pending[count - 1]);
    }
    fxi_kernel_use_row(x, 0);
    return pending[0];
}

/* Addresses of row `row` of those that are taken in together. In one reduction loop each is the one before
 * plus a stride that is read once: the code generator's strength reduction then has a quarter of the work
 * (measured). */
static void enter_row(fxi_kernel_emitter *x, fxi_flat_loop *loop, int row) {
    const fxi_kernel_head *h = &x->k->head;
    fxi_kernel_use_row(x, row);
    if (row > 0) fxi_loop_advance(x->e, loop);
    if (row == 0 || loop->count != 1) {
        fxi_kernel_enter_loops(x, loop, true, x->row, x->cell);
        return;
    }
    for (int i = 0; i < h->accesses; i++) {
        const fxi_access *a = &x->k->accesses[i];
        if (row == 1 && a->reduce_mask) x->stride[i] = param(x, access_param(x, i) + 1 + h->outer_loops);
        x->cell[i] = x->cell[i - h->accesses];
        if (a->reduce_mask) x->cell[i] = advance(x, a, x->cell[i], x->stride[i]);
    }
}

/* The reduction loop `loop`, whose step is `rows`. */
static void take_rows(column *c, fxi_flat_loop *loop, int rows) {
    fxi_kernel_emitter *x = c->x;
    fxi_loop_begin(x->e, loop, NULL, 0);
    for (int r = 0; r < rows; r++) {
        enter_row(x, loop, r);
        fxi_kernel_emit_place(x, AT_REDUCE);
    }
    fxi_kernel_use_row(x, 0);
    fxi_flat_loop inner = begin_inner(c);
    for (int r = 0; r < rows; r++) {
        fxi_kernel_use_row(x, r);
        fxi_kernel_emit_place(x, AT_INNER);
    }
    fxi_kernel_use_row(x, 0);
    for (int u = 0; u < x->k->head.unroll; u++) {
        fxi_kernel_sum sum = combine_rows(x, rows, u);
        sum = fxi_kernel_combine(x, load_accumulators(c, u), sum);
        store_accumulators(c, &sum, u);
    }
    fxi_loop_end(x->e, &inner, NULL);
    fxi_loop_end(x->e, loop, NULL);
}

static void finish(column *c) {
    fxi_kernel_sum acc[16];
    fxi_flat_loop inner = begin_inner(c);
    for (int u = 0; u < c->x->k->head.unroll; u++) acc[u] = load_accumulators(c, u);
    fxi_kernel_end_column(c->x, acc);
    fxi_loop_end(c->x->e, &inner, NULL);
}

void fxi_kernel_emit_column_rows(fxi_kernel_emitter *x, fxi_flat_loop *outer, fxi_flat_loop *reduce) {
    int rows = x->k->head.rows;
    column c = allocate_accumulators(x);
    fxi_loop_start(x->e, reduce);
    LLVMValueRef count = LLVMBuildSub(builder(x), reduce->last, reduce->first, "");
    LLVMValueRef whole = LLVMBuildAnd(builder(x), count, const64(x, -(int64_t)rows), "");
    fxi_flat_loop together = *reduce;
    together.step = rows;
    if (!x->k->head.rows_exact) together.last = add64(x, reduce->first, whole);
    fxi_loop_begin(x->e, outer, NULL, 0);
    fxi_kernel_enter_loops(x, outer, false, x->base, x->row);
    fxi_kernel_emit_place(x, AT_OUTER);
    share_values(x, rows);
    clear_accumulators(&c);
    take_rows(&c, &together, rows);
    if (!x->k->head.rows_exact) {
        fxi_flat_loop rest = fxi_loop_after(&together, reduce->last);
        take_rows(&c, &rest, 1);
    }
    finish(&c);
    fxi_loop_end(x->e, outer, NULL);
}
