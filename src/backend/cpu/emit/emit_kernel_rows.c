/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of ROWS: a row after the other, and over each row one sweep after another (plan/kernel_rows.c).
 *
 * What is the same all along a row is scalar code between the sweeps, spread over the lanes where a sweep
 * reads it. Accumulators are carried in phis and combined as those of a ROW: vectors pairwise, then lanes in
 * a fixed tree; of a long row chunk by chunk, and the totals of chunks in order. Row buffers hold register
 * forms and have room for whole iterations, so that only the memory of tensors needs masks. */
#include "emit_kernel_internal.h"

typedef struct rows {
    fxi_kernel_emitter *x;
    LLVMValueRef first, last; /* of the loop along a row */
    LLVMValueRef buffers[FXI_ROW_BUFFERS];
    bool *along, *spread; /* per instruction: differs along the row; is wanted in all lanes */
} rows;

typedef struct sweep {
    int number, vectors;
    bool values, sums; /* computes, accumulates */
} sweep;

static const fxi_instr *instr_at(const rows *r, int i) {
    return &r->x->k->instrs[i];
}

static bool is_first(const fxi_instr *n, int number) {
    return (n->sweeps & ((2u << number) - 1)) == 1u << number;
}

/* ---- buffers ---- */

static LLVMTypeRef element_of(LLVMTypeRef vector) {
    return LLVMGetTypeKind(vector) == LLVMVectorTypeKind ? LLVMGetElementType(vector) : vector;
}

static void allocate_buffers(rows *r) {
    const fxi_kernel_head *h = &r->x->k->head;
    int64_t widest = 1;
    for (int i = 0; i < h->instrs; i++)
        if (instr_at(r, i)->buffer)
            widest = fxi_size_max(widest, fxi_register_bytes((fx_dtype)instr_at(r, i)->dtype));
    for (int i = 0; i < h->row_buffers; i++) {
        LLVMTypeRef type = LLVMArrayType2(r->x->i8, (uint64_t)widest << h->row_power);
        r->buffers[i] = LLVMBuildAlloca(builder(r->x), type, "");
        LLVMSetAlignment(r->buffers[i], 64);
    }
}

/* Register form in memory: bool is a byte. */
static LLVMTypeRef kept_type(const rows *r, fx_dtype dtype) {
    return dtype == FX_BOOL ? r->x->i8 : element_of(fxi_emit_scalar_type(r->x->e, dtype));
}

/* Where vector u of a value lies; the imaginary parts follow all real ones. */
static LLVMValueRef kept_at(const rows *r, int instr, int u, bool imaginary) {
    const fxi_kernel_emitter *x = r->x;
    const fxi_instr *n = instr_at(r, instr);
    LLVMValueRef at = add64(x, x->inner, const64(x, (int64_t)u * x->e->lanes));
    if (imaginary) at = add64(x, at, const64(x, INT64_C(1) << x->k->head.row_power));
    LLVMTypeRef type = kept_type(r, (fx_dtype)n->dtype);
    return LLVMBuildGEP2(builder(x), type, r->buffers[n->buffer - 1], &at, 1, "");
}

static void keep(const rows *r, int instr, int u) {
    const fxi_kernel_emitter *x = r->x;
    const fxi_value *value = fxi_kernel_value(x, instr, u);
    LLVMTypeRef memory = fxi_emit_vector_of(x->e, kept_type(r, (fx_dtype)instr_at(r, instr)->dtype));
    LLVMValueRef re = value->re;
    if (LLVMTypeOf(re) != memory) re = LLVMBuildZExt(builder(x), re, memory, "");
    LLVMSetAlignment(LLVMBuildStore(builder(x), re, kept_at(r, instr, u, false)), 8);
    if (value->im) LLVMSetAlignment(LLVMBuildStore(builder(x), value->im, kept_at(r, instr, u, true)), 8);
}

static fxi_value kept(const rows *r, int instr, int u) {
    const fxi_kernel_emitter *x = r->x;
    fx_dtype dtype = (fx_dtype)instr_at(r, instr)->dtype;
    LLVMTypeRef memory = fxi_emit_vector_of(x->e, kept_type(r, dtype));
    fxi_value value = {LLVMBuildLoad2(builder(x), memory, kept_at(r, instr, u, false), ""), NULL};
    LLVMSetAlignment(value.re, 8);
    if (fx_dtype_is_complex(dtype)) {
        value.im = LLVMBuildLoad2(builder(x), memory, kept_at(r, instr, u, true), "");
        LLVMSetAlignment(value.im, 8);
    }
    LLVMTypeRef type = fxi_emit_vector_of(x->e, fxi_emit_scalar_type(x->e, dtype));
    if (type != memory) value.re = LLVMBuildTrunc(builder(x), value.re, type, "");
    return value;
}

/* ---- accumulators ---- */

static bool is_summed(const rows *r, const sweep *s, int instr) {
    const fxi_instr *n = instr_at(r, instr);
    return s->sums && n->kind == FXI_INSTR_RESULT && n->level == s->number + 1;
}

static int sums_of(const rows *r, const sweep *s, const fxi_instr *n) {
    int wanted = fxi_row_sums((fx_dtype)n->dtype, (int)r->x->e->lanes);
    return wanted < s->vectors ? wanted : s->vectors;
}

static fxi_value neutral(const rows *r, const fxi_instr *n) {
    return fxi_emit_reduce_neutral(r->x->e, (fxi_reduce_kind)n->element.word, (fx_dtype)n->dtype);
}

static fxi_value combine(const rows *r, const fxi_instr *n, fxi_value a, fxi_value b) {
    return fxi_emit_reduce_step(r->x->e, (fxi_reduce_kind)n->element.word, (fx_dtype)n->dtype, a, b);
}

static int start_sums(const rows *r, const sweep *s, LLVMValueRef *flat) {
    int count = 0;
    for (int i = 0; i < r->x->k->head.instrs; i++) {
        if (!is_summed(r, s, i)) continue;
        fxi_value zero = neutral(r, instr_at(r, i));
        for (int a = sums_of(r, s, instr_at(r, i)); a > 0; a--) {
            flat[count++] = zero.re;
            if (zero.im) flat[count++] = zero.im;
        }
    }
    return count;
}

/* Lanes that the mask leaves out count as neutral. */
static fxi_value taken(const rows *r, const fxi_instr *n, int u) {
    const fxi_kernel_emitter *x = r->x;
    fxi_value in = *fxi_kernel_value(x, n->args[0], u), none = neutral(r, n);
    if (!x->mask[u]) return in;
    in.re = LLVMBuildSelect(builder(x), x->mask[u], in.re, none.re, "");
    if (in.im) in.im = LLVMBuildSelect(builder(x), x->mask[u], in.im, none.im, "");
    return in;
}

static void take_sums(const rows *r, const sweep *s, LLVMValueRef *flat) {
    for (int i = 0; i < r->x->k->head.instrs; i++) {
        if (!is_summed(r, s, i)) continue;
        const fxi_instr *n = instr_at(r, i);
        int parts = fx_dtype_is_complex((fx_dtype)n->dtype) ? 2 : 1, sums = sums_of(r, s, n);
        for (int u = 0; u < s->vectors; u++) {
            LLVMValueRef *at = flat + u % sums * parts;
            fxi_value acc = {at[0], parts == 2 ? at[1] : NULL};
            acc = combine(r, n, acc, taken(r, n, u));
            at[0] = acc.re;
            if (acc.im) at[1] = acc.im;
        }
        flat += sums * parts;
    }
}

/* Leaves the totals, as scalars, in the values of the RESULT instructions. */
static void end_sums(const rows *r, const sweep *s, const LLVMValueRef *flat) {
    for (int i = 0; i < r->x->k->head.instrs; i++) {
        if (!is_summed(r, s, i)) continue;
        const fxi_instr *n = instr_at(r, i);
        fxi_value acc[64];
        int sums = sums_of(r, s, n);
        for (int a = 0; a < sums; a++) {
            acc[a].re = *flat++;
            acc[a].im = fx_dtype_is_complex((fx_dtype)n->dtype) ? *flat++ : NULL;
        }
        for (int width = sums / 2; width >= 1; width /= 2)
            for (int a = 0; a < width; a++) acc[a] = combine(r, n, acc[a], acc[a + width]);
        *fxi_kernel_value(r->x, i, 0) =
            fxi_emit_reduce_lanes(r->x->e, (fxi_reduce_kind)n->element.word, (fx_dtype)n->dtype, acc[0]);
    }
}

/* ---- sweeps ---- */

static void emit_values(const rows *r, const sweep *s) {
    for (int i = 0; i < r->x->k->head.instrs; i++) {
        const fxi_instr *n = instr_at(r, i);
        if (!(n->sweeps >> s->number & 1)) continue;
        bool read = n->buffer && (!s->values || !is_first(n, s->number));
        if (!s->values && !read) continue;
        bool whole = !read && fxi_kernel_emit_run(r->x, i, AT_INNER, s->vectors);
        for (int u = 0; u < s->vectors; u++) {
            if (!whole)
                *fxi_kernel_value(r->x, i, u) =
                    read ? kept(r, i, u) : fxi_kernel_emit_instr(r->x, i, AT_INNER, u);
            if (!read && n->buffer) keep(r, i, u);
        }
    }
}

static bool is_row_store(const rows *r, const fxi_store *s) {
    return r->x->k->accesses[s->access].inner != FXI_STRIDE_ZERO;
}

static void emit_row_stores(const rows *r, const sweep *s) {
    for (int i = 0; i < r->x->k->head.stores; i++) {
        const fxi_store *store = &r->x->k->stores[i];
        if (is_row_store(r, store) && instr_at(r, store->value)->level == s->number)
            fxi_kernel_emit_store(r->x, i, AT_INNER, s->vectors);
    }
}

/* From first to last, with accumulators of its own. */
static void emit_range(const rows *r, const sweep *s, LLVMValueRef first, LLVMValueRef last) {
    fxi_kernel_emitter *x = r->x;
    LLVMValueRef flat[FXI_CARRIED];
    int count = start_sums(r, s, flat);
    fxi_flat_loop loop = fxi_inner_loop(x->e, first, last, (int64_t)x->e->lanes * s->vectors);
    fxi_loop_begin(x->e, &loop, flat, count);
    x->inner = loop.at;
    fxi_kernel_set_masks(x, r->last);
    emit_values(r, s);
    if (s->values) emit_row_stores(r, s);
    take_sums(r, s, flat);
    fxi_loop_end(x->e, &loop, flat);
    end_sums(r, s, flat);
}

/* The totals so far, which a loop over chunks carries: neutral at first, or with those of one more chunk. */
static int chunk_totals(const rows *r, const sweep *s, bool first, LLVMValueRef *total) {
    fxi_emit *e = r->x->e;
    unsigned lanes = e->lanes;
    int count = 0;
    e->lanes = 1;
    for (int i = 0; i < r->x->k->head.instrs; i++) {
        if (!is_summed(r, s, i)) continue;
        const fxi_instr *n = instr_at(r, i);
        bool is_complex = fx_dtype_is_complex((fx_dtype)n->dtype);
        fxi_value value = neutral(r, n);
        if (!first)
            value = combine(r, n, (fxi_value){total[count], is_complex ? total[count + 1] : NULL},
                            *fxi_kernel_value(r->x, i, 0));
        total[count++] = value.re;
        if (is_complex) total[count++] = value.im;
    }
    e->lanes = lanes;
    return count;
}

static void keep_totals(const rows *r, const sweep *s, const LLVMValueRef *total) {
    for (int i = 0; i < r->x->k->head.instrs; i++) {
        if (!is_summed(r, s, i)) continue;
        fxi_value *value = fxi_kernel_value(r->x, i, 0);
        value->re = *total++;
        value->im = fx_dtype_is_complex((fx_dtype)instr_at(r, i)->dtype) ? *total++ : NULL;
    }
}

/* Chunks begin anew with their accumulators, as the tasks of a reduction's partial kernel do. */
static void emit_sweep(const rows *r, const sweep *s) {
    fxi_kernel_emitter *x = r->x;
    LLVMValueRef total[FXI_CARRIED];
    int count = s->sums && x->k->head.chunked ? chunk_totals(r, s, true, total) : 0;
    if (count == 0) {
        emit_range(r, s, r->first, r->last);
        return;
    }
    fxi_flat_loop chunks = fxi_inner_loop(x->e, r->first, r->last, FXI_ROW_CHUNK);
    fxi_loop_begin(x->e, &chunks, total, count);
    LLVMValueRef end = add64(x, chunks.at, const64(x, FXI_ROW_CHUNK));
    LLVMValueRef is_past = LLVMBuildICmp(builder(x), LLVMIntSGT, end, r->last, "");
    emit_range(r, s, chunks.at, LLVMBuildSelect(builder(x), is_past, r->last, end, ""));
    chunk_totals(r, s, false, total);
    fxi_loop_end(x->e, &chunks, total);
    keep_totals(r, s, total);
}

/* ---- scalars ---- */

static void spread(const rows *r, int instr) {
    const fxi_value *value = fxi_kernel_value(r->x, instr, 0);
    r->x->wide[instr].re = fxi_emit_splat(r->x->e, value->re);
    r->x->wide[instr].im = value->im ? fxi_emit_splat(r->x->e, value->im) : NULL;
}

/* What is the same all along a row and has this level; at the entry: all along everything. */
static void emit_scalars(const rows *r, int level, place where) {
    fxi_kernel_emitter *x = r->x;
    unsigned lanes = x->e->lanes;
    for (int u = 0; u < x->k->head.unroll; u++) x->mask[u] = NULL;
    for (int i = 0; i < x->k->head.instrs; i++) {
        const fxi_instr *n = instr_at(r, i);
        if (r->along[i] || n->level != level || (x->depends[i] == 0) != (where == AT_ENTRY)) continue;
        fxi_value *value = fxi_kernel_value(x, i, 0);
        x->e->lanes = 1;
        *value = n->kind == FXI_INSTR_RESULT ? fxi_emit_round(x->e, (fx_dtype)n->dtype, *value)
                                             : fxi_kernel_emit_instr(x, i, where, 0);
        x->e->lanes = lanes;
        if (r->spread[i]) spread(r, i);
    }
}

static void emit_scalar_stores(const rows *r) {
    unsigned lanes = r->x->e->lanes;
    r->x->e->lanes = 1;
    r->x->mask[0] = NULL;
    for (int i = 0; i < r->x->k->head.stores; i++)
        if (!is_row_store(r, &r->x->k->stores[i])) fxi_kernel_emit_store(r->x, i, AT_OUTER, 1);
    r->x->e->lanes = lanes;
}

/* ---- the kernel ---- */

static void find_users(rows *r) {
    const fxi_kernel_head *h = &r->x->k->head;
    for (int i = 0; i < h->instrs; i++) {
        const fxi_instr *n = instr_at(r, i);
        r->along[i] = n->sweeps != 0;
        bool result = n->kind == FXI_INSTR_RESULT;
        for (int k = 0, count = fxi_instr_operands(n); k < count; k++)
            r->spread[n->args[k]] |= r->along[i] || result;
    }
    for (int i = 0; i < h->stores; i++)
        if (is_row_store(r, &r->x->k->stores[i])) r->spread[r->x->k->stores[i].value] = true;
}

static void emit_row(const rows *r) {
    const fxi_kernel_head *h = &r->x->k->head;
    for (int k = 0; k < h->sweeps; k++) {
        emit_scalars(r, k, AT_OUTER);
        if (h->values[k]) emit_sweep(r, &(sweep){k, h->values[k], .values = true, .sums = h->sums[k] == 0});
        if (h->sums[k]) emit_sweep(r, &(sweep){k, h->sums[k], .values = false, .sums = true});
    }
    emit_scalar_stores(r);
}

bool fxi_kernel_emit_rows(fxi_kernel_emitter *x, fxi_flat_loop *outer, fxi_arena *arena) {
    rows r = {.x = x, .first = RANGE(x, inner_first), .last = RANGE(x, inner_last)};
    size_t n = x->k->head.instrs;
    r.along = fxi_arena_alloc(arena, n + 1, sizeof *r.along);
    r.spread = fxi_arena_alloc(arena, n + 1, sizeof *r.spread);
    x->wide = fxi_arena_alloc(arena, n + 1, sizeof *x->wide);
    if (!r.along || !r.spread || !x->wide) return false;
    find_users(&r);
    allocate_buffers(&r);
    emit_scalars(&r, 0, AT_ENTRY);
    fxi_loop_begin(x->e, outer, NULL, 0);
    fxi_kernel_enter_loops(x, outer, false, x->base, x->row);
    emit_row(&r);
    fxi_loop_end(x->e, outer, NULL);
    return true;
}
