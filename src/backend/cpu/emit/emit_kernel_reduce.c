/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of reductions. ROW sums along the inner loop, one fxi_kernel_sum per vector of an iteration,
 * and combines their lanes in a fixed tree; COLUMN keeps a vector of results at a time in registers while
 * the reduction loops go by. Accumulators are carried in phis. */
#include "emit_kernel_internal.h"
#include <string.h>

int fxi_kernel_flatten(const fxi_kernel_emitter *x, const fxi_kernel_sum *acc, int vectors,
                       LLVMValueRef *flat) {
    int n = 0;
    for (int u = 0; u < vectors; u++) {
        flat[n++] = acc[u].value.re;
        if (acc[u].value.im) flat[n++] = acc[u].value.im;
        if (x->k->head.reduce_arg) flat[n++] = acc[u].index.re;
    }
    return n;
}

void fxi_kernel_unflatten(const fxi_kernel_emitter *x, const LLVMValueRef *flat, int vectors,
                          fxi_kernel_sum *acc) {
    bool complex = fx_dtype_is_complex((fx_dtype)x->k->head.reduce_dtype);
    int n = 0;
    for (int u = 0; u < vectors; u++) {
        acc[u].value.re = flat[n++];
        acc[u].value.im = complex ? flat[n++] : NULL;
        acc[u].index = (fxi_value){x->k->head.reduce_arg ? flat[n++] : NULL, NULL};
    }
}

void fxi_kernel_start_sums(const fxi_kernel_emitter *x, int vectors, fxi_kernel_sum *acc) {
    const fxi_kernel_head *h = &x->k->head;
    for (int u = 0; u < vectors; u++) {
        acc[u].value =
            fxi_emit_reduce_neutral(x->e, (fxi_reduce_kind)h->reduce_kind, (fx_dtype)h->reduce_dtype);
        acc[u].index = (fxi_value){fxi_emit_int(x->e, 64, INT64_MAX), NULL};
    }
}

static LLVMValueRef compare(const fxi_kernel_emitter *x, fx_dtype dtype, fxi_direction direction, fxi_value a,
                            fxi_value b) {
    fxi_element c;
    memset(&c, 0, sizeof c);
    c.op = FX_OP_COMPARE;
    c.from = (uint8_t)dtype;
    c.to = FX_BOOL;
    c.word = (uint8_t)direction;
    fxi_value args[2] = {a, b};
    return fxi_emit_element(x->e, &c, args).re;
}

/* Candidate beats best: NaN above all, then by value, then the smaller position. */
static LLVMValueRef beats(const fxi_kernel_emitter *x, const fxi_kernel_sum *candidate,
                          const fxi_kernel_sum *best) {
    fx_dtype dtype = (fx_dtype)x->k->head.reduce_dtype;
    LLVMBuilderRef b = builder(x);
    fxi_direction better = x->k->head.reduce_kind == FXI_MAX ? FXI_GT : FXI_LT;
    LLVMValueRef earlier = compare(x, FX_S64, FXI_LT, candidate->index, best->index);
    LLVMValueRef win = compare(x, dtype, better, candidate->value, best->value);
    LLVMValueRef tie = compare(x, dtype, FXI_EQ, candidate->value, best->value);
    if (fx_dtype_is_float(dtype)) {
        LLVMValueRef nan_c = compare(x, dtype, FXI_NE, candidate->value, candidate->value);
        LLVMValueRef nan_b = compare(x, dtype, FXI_NE, best->value, best->value);
        win = LLVMBuildOr(b, win, LLVMBuildAnd(b, nan_c, LLVMBuildNot(b, nan_b, ""), ""), "");
        tie = LLVMBuildOr(b, tie, LLVMBuildAnd(b, nan_c, nan_b, ""), "");
    }
    return LLVMBuildOr(b, win, LLVMBuildAnd(b, tie, earlier, ""), "");
}

fxi_kernel_sum fxi_kernel_combine(const fxi_kernel_emitter *x, fxi_kernel_sum a, fxi_kernel_sum b) {
    const fxi_kernel_head *h = &x->k->head;
    fxi_kernel_sum out = {{NULL, NULL}, {NULL, NULL}};
    if (!h->reduce_arg) {
        out.value = fxi_emit_reduce_step(x->e, (fxi_reduce_kind)h->reduce_kind, (fx_dtype)h->reduce_dtype,
                                         a.value, b.value);
        return out;
    }
    LLVMValueRef take = beats(x, &b, &a);
    out.value.re = LLVMBuildSelect(builder(x), take, b.value.re, a.value.re, "");
    out.index.re = LLVMBuildSelect(builder(x), take, b.index.re, a.index.re, "");
    return out;
}

static LLVMValueRef masked(const fxi_kernel_emitter *x, LLVMValueRef mask, LLVMValueRef value,
                           LLVMValueRef otherwise) {
    return mask && value ? LLVMBuildSelect(builder(x), mask, value, otherwise, "") : value;
}

fxi_kernel_sum fxi_kernel_taken(const fxi_kernel_emitter *x, LLVMValueRef mask, int u) {
    const fxi_kernel_head *h = &x->k->head;
    fxi_kernel_sum neutral, in = {*fxi_kernel_value(x, h->reduce_value, u), {NULL, NULL}};
    fxi_kernel_start_sums(x, 1, &neutral);
    in.value.re = masked(x, mask, in.value.re, neutral.value.re);
    in.value.im = masked(x, mask, in.value.im, neutral.value.im);
    if (h->reduce_arg)
        in.index.re = masked(x, mask, fxi_kernel_value(x, h->reduce_index, u)->re, neutral.index.re);
    return in;
}

/* Lower half of the lanes against the upper half, until one is left. */
static fxi_kernel_sum combine_arg_lanes(const fxi_kernel_emitter *x, fxi_kernel_sum acc) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->e->context);
    for (unsigned width = x->e->lanes / 2; width >= 1; width /= 2) {
        LLVMValueRef lanes[64];
        for (unsigned i = 0; i < x->e->lanes; i++) lanes[i] = LLVMConstInt(i32, i < width ? i + width : i, 0);
        LLVMValueRef order = LLVMConstVector(lanes, x->e->lanes);
        fxi_kernel_sum upper = {
            {LLVMBuildShuffleVector(builder(x), acc.value.re, acc.value.re, order, ""), NULL},
            {LLVMBuildShuffleVector(builder(x), acc.index.re, acc.index.re, order, ""), NULL}};
        acc = fxi_kernel_combine(x, acc, upper);
    }
    LLVMValueRef zero = LLVMConstInt(i32, 0, 0);
    acc.index.re = LLVMBuildExtractElement(builder(x), acc.index.re, zero, "");
    acc.value.re = LLVMBuildExtractElement(builder(x), acc.value.re, zero, "");
    return acc;
}

/* int64 positions to the dtype the node asked for. */
static fxi_value index_result(const fxi_kernel_emitter *x, LLVMValueRef index) {
    fx_dtype dtype = FX_S64;
    for (int i = 0; i < x->k->head.instrs; i++)
        if (x->k->instrs[i].kind == FXI_INSTR_INDEX_RESULT) dtype = (fx_dtype)x->k->instrs[i].dtype;
    LLVMTypeRef scalar = fxi_emit_scalar_type(x->e, dtype);
    LLVMTypeRef type = x->e->lanes == 1 ? scalar : fxi_emit_vector_of(x->e, scalar);
    return (fxi_value){LLVMBuildTrunc(builder(x), index, type, ""), NULL};
}

static void end_row(fxi_kernel_emitter *x, fxi_kernel_sum *acc) {
    const fxi_kernel_head *h = &x->k->head;
    for (int width = h->unroll / 2; width >= 1; width /= 2)
        for (int u = 0; u < width; u++) acc[u] = fxi_kernel_combine(x, acc[u], acc[u + width]);
    fxi_kernel_sum total = acc[0];
    if (h->reduce_arg)
        total = combine_arg_lanes(x, acc[0]);
    else
        total.value = fxi_emit_reduce_lanes(x->e, (fxi_reduce_kind)h->reduce_kind, (fx_dtype)h->reduce_dtype,
                                            acc[0].value);
    unsigned lanes = x->e->lanes;
    x->e->lanes = 1;
    x->result[0] = total.value;
    if (h->reduce_arg) x->result_index[0] = index_result(x, total.index.re);
    for (int u = 0; u < h->unroll; u++) x->mask[u] = NULL;
    fxi_kernel_emit_place(x, AT_END);
    fxi_kernel_emit_stores(x, AT_OUTER, 1);
    x->e->lanes = lanes;
}

/* Opens the reduction loops with fresh accumulators in phis; flat holds them, their number is given back. */
static int begin_reduction(fxi_kernel_emitter *x, fxi_flat_loop *reduce, LLVMValueRef *flat) {
    fxi_kernel_sum acc[16];
    fxi_kernel_start_sums(x, x->k->head.unroll, acc);
    int n = fxi_kernel_flatten(x, acc, x->k->head.unroll, flat);
    fxi_loop_start(x->e, reduce);
    fxi_loop_begin(x->e, reduce, flat, n);
    fxi_kernel_enter_loops(x, reduce, true, x->row, x->cell);
    fxi_kernel_emit_place(x, AT_REDUCE);
    return n;
}

/* Takes the reduced values of this iteration into the accumulators. */
static void step_reduction(const fxi_kernel_emitter *x, bool use_mask, LLVMValueRef *flat) {
    fxi_kernel_sum acc[16];
    fxi_kernel_unflatten(x, flat, x->k->head.unroll, acc);
    for (int u = 0; u < x->k->head.unroll; u++)
        acc[u] = fxi_kernel_combine(x, acc[u], fxi_kernel_taken(x, use_mask ? x->mask[u] : NULL, u));
    fxi_kernel_flatten(x, acc, x->k->head.unroll, flat);
}

void fxi_kernel_emit_row(fxi_kernel_emitter *x, fxi_flat_loop *outer, fxi_flat_loop *reduce) {
    int vectors = x->k->head.unroll;
    fxi_kernel_sum acc[16];
    LLVMValueRef flat[48];
    LLVMValueRef first = RANGE(x, inner_first), last = RANGE(x, inner_last);
    fxi_loop_begin(x->e, outer, NULL, 0);
    fxi_kernel_enter_loops(x, outer, false, x->base, x->row);
    fxi_kernel_emit_place(x, AT_OUTER);
    int n = begin_reduction(x, reduce, flat);
    fxi_flat_loop inner = fxi_inner_loop(x->e, first, last, (int64_t)x->e->lanes * vectors);
    fxi_loop_begin(x->e, &inner, flat, n);
    x->inner = inner.at;
    fxi_kernel_set_masks(x, last);
    fxi_kernel_emit_place(x, AT_INNER);
    step_reduction(x, true, flat);
    fxi_loop_end(x->e, &inner, flat);
    fxi_loop_end(x->e, reduce, flat);
    fxi_kernel_unflatten(x, flat, vectors, acc);
    end_row(x, acc);
    fxi_loop_end(x->e, outer, NULL);
}

void fxi_kernel_end_column(fxi_kernel_emitter *x, const fxi_kernel_sum *acc) {
    for (int u = 0; u < x->k->head.unroll; u++) {
        x->result[u] = acc[u].value;
        if (x->k->head.reduce_arg) x->result_index[u] = index_result(x, acc[u].index.re);
    }
    fxi_kernel_emit_place(x, AT_END);
    fxi_kernel_emit_stores(x, AT_INNER, x->k->head.unroll);
}

void fxi_kernel_emit_column(fxi_kernel_emitter *x, fxi_flat_loop *outer, fxi_flat_loop *reduce) {
    int vectors = x->k->head.unroll;
    fxi_kernel_sum acc[16];
    LLVMValueRef flat[48];
    LLVMValueRef first = RANGE(x, inner_first), last = RANGE(x, inner_last);
    fxi_loop_begin(x->e, outer, NULL, 0);
    fxi_kernel_enter_loops(x, outer, false, x->base, x->row);
    fxi_kernel_emit_place(x, AT_OUTER);
    fxi_flat_loop inner = fxi_inner_loop(x->e, first, last, (int64_t)x->e->lanes * vectors);
    fxi_loop_begin(x->e, &inner, NULL, 0);
    x->inner = inner.at;
    fxi_kernel_set_masks(x, last);
    fxi_kernel_emit_place(x, AT_INNER);
    begin_reduction(x, reduce, flat);
    step_reduction(x, false, flat);
    fxi_loop_end(x->e, reduce, flat);
    fxi_kernel_unflatten(x, flat, vectors, acc);
    fxi_kernel_end_column(x, acc);
    fxi_loop_end(x->e, &inner, NULL);
    fxi_loop_end(x->e, outer, NULL);
}
