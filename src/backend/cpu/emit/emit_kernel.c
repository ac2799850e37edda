/* SPDX-License-Identifier: Apache-2.0 */
/* From a kernel description (plan/kernel.h) to one function of LLVM IR.
 *
 * The emitter does by hand what IR passes would do: each instruction is placed in the outermost block whose indices it needs
 * (function entry, outer loop, reduction loop, inner loop), so invariants are hoisted and shared by construction. Loops carry
 * their accumulators in phis. Masks replace remainder loops: half the code and half the compile time (measured), and exact
 * extents need none. */
#include "emit_loop.h"
#include "emit_tile.h"
#include <string.h>

/* Indices an instruction depends on, as bits; they decide where it is placed. */
enum { ON_OUTER = 1, ON_REDUCE = 2, ON_INNER = 4 };

typedef enum place { AT_ENTRY, AT_OUTER, AT_REDUCE, AT_INNER, AT_END } place;

typedef struct kernel_emitter {
    fxi_emit *e;
    const fxi_kernel *k;
    fxi_layout layout;
    LLVMTypeRef i64, i8, ptr;
    LLVMValueRef table, params, range;
    LLVMValueRef *base, *row,
        *cell; /* per access: address (or index value) at entry, in the outer loop, in the reduction loop */
    uint8_t *depends, *placed; /* per instruction */
    fxi_value *values;         /* per instruction and vector of the unrolled loop */
    LLVMValueRef inner;        /* index of the first lane */
    LLVMValueRef mask[16];     /* per vector; NULL: all lanes */
    LLVMValueRef *scratch;     /* per access of a tiled kernel that reads across: its transposed tile */
    LLVMValueRef tile_row;     /* row within the tile */
    fxi_value result[16], result_index[16];
} kernel_emitter;

static LLVMBuilderRef builder(const kernel_emitter *x) {
    return x->e->builder;
}
static LLVMValueRef const64(const kernel_emitter *x, int64_t v) {
    return LLVMConstInt(x->i64, (uint64_t)v, 1);
}

static LLVMValueRef add64(const kernel_emitter *x, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildAdd(builder(x), a, b, "");
}
static LLVMValueRef mul64(const kernel_emitter *x, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildMul(builder(x), a, b, "");
}

static LLVMValueRef param(const kernel_emitter *x, int position) {
    LLVMValueRef at = const64(x, position);
    LLVMValueRef address = LLVMBuildGEP2(builder(x), x->i64, x->params, &at, 1, "");
    return LLVMBuildLoad2(builder(x), x->i64, address, "");
}

static LLVMValueRef range_field(const kernel_emitter *x, size_t offset) {
    LLVMValueRef at = const64(x, (int64_t)(offset / sizeof(int64_t)));
    LLVMValueRef address = LLVMBuildGEP2(builder(x), x->i64, x->range, &at, 1, "");
    return LLVMBuildLoad2(builder(x), x->i64, address, "");
}
#define RANGE(x, field) range_field((x), offsetof(fxi_range, field))

/* Address plus bytes; an index access is a plain number. */
static LLVMValueRef advance(const kernel_emitter *x, const fxi_access *a, LLVMValueRef at, LLVMValueRef by) {
    return a->buffer == 0xffff ? add64(x, at, by) : LLVMBuildGEP2(builder(x), x->i8, at, &by, 1, "");
}

static int access_param(const kernel_emitter *x, int access) {
    return x->layout.accesses + access * x->layout.access_size;
}

/* ---- placement ---- */

static uint8_t access_depends(const fxi_access *a) {
    return (uint8_t)((a->outer_mask ? ON_OUTER : 0) | (a->reduce_mask ? ON_REDUCE : 0) |
                     (a->inner != FXI_STRIDE_ZERO ? ON_INNER : 0));
}

static place place_of(const kernel_emitter *x, const fxi_instr *n, uint8_t depends) {
    if (n->epilogue) return AT_END;
    if (x->k->head.form == FXI_FORM_COLUMN) {
        if (depends & ON_REDUCE) return AT_REDUCE;
        if (depends & ON_INNER) return AT_INNER;
    } else {
        if (depends & ON_INNER) return AT_INNER;
        if (depends & ON_REDUCE) return AT_REDUCE;
    }
    return depends & ON_OUTER ? AT_OUTER : AT_ENTRY;
}

static void place_instrs(kernel_emitter *x) {
    for (int i = 0; i < x->k->head.instrs; i++) {
        const fxi_instr *n = &x->k->instrs[i];
        uint8_t d = 0;
        if (n->kind == FXI_INSTR_LOAD || n->kind == FXI_INSTR_INDEX)
            d = access_depends(&x->k->accesses[n->access]);
        if (n->kind == FXI_INSTR_RESULT || n->kind == FXI_INSTR_INDEX_RESULT)
            d = x->k->head.form == FXI_FORM_COLUMN ? ON_INNER | ON_OUTER : ON_OUTER;
        if (n->kind == FXI_INSTR_ELEMENT)
            for (int k = 0, count = fxi_op_info_of((fx_op)n->element.op)->operands; k < count; k++)
                d |= x->depends[n->args[k]];
        x->depends[i] = d;
        x->placed[i] = (uint8_t)place_of(x, n, d);
    }
}

/* ---- values ---- */

static fxi_value *value_slot(const kernel_emitter *x, int instr, int u) {
    bool per_vector = (x->depends[instr] & ON_INNER) != 0;
    return &x->values[instr * x->k->head.unroll + (per_vector ? u : 0)];
}

static int64_t memory_bytes(const fxi_access *a) {
    int bits = fx_dtype_bits((fx_dtype)a->dtype);
    return bits < 8 ? 1 : bits / 8;
}

/* Address of the access in the innermost block that has been entered, for vector u of the inner loop. */
static LLVMValueRef access_address(const kernel_emitter *x, int access, place where, int u) {
    const fxi_access *a = &x->k->accesses[access];
    LLVMValueRef at = where == AT_ENTRY ? x->base[access] : x->row[access];
    if (a->reduce_mask) at = x->cell[access];
    if (a->inner == FXI_STRIDE_ZERO) return at;
    LLVMValueRef i = add64(x, x->inner, const64(x, (int64_t)u * x->e->lanes));
    LLVMValueRef unit = const64(x, a->buffer == 0xffff ? 1 : memory_bytes(a));
    if (a->inner == FXI_STRIDE_ANY) unit = param(x, access_param(x, access) + x->layout.access_size - 1);
    return advance(x, a, at, mul64(x, i, unit));
}

static LLVMValueRef element_stride(const kernel_emitter *x, int access) {
    const fxi_access *a = &x->k->accesses[access];
    if (a->inner != FXI_STRIDE_ANY) return NULL;
    LLVMValueRef bytes = param(x, access_param(x, access) + x->layout.access_size - 1);
    return LLVMBuildExactSDiv(builder(x), bytes, const64(x, a->buffer == 0xffff ? 1 : memory_bytes(a)), "");
}

/* Row of a transposed tile. */
static LLVMValueRef tile_address(const kernel_emitter *x, int access) {
    const fxi_access *a = &x->k->accesses[access];
    return advance(x, a, x->scratch[access],
                   mul64(x, x->tile_row, const64(x, memory_bytes(a) * x->e->lanes)));
}

static fxi_value emit_load(const kernel_emitter *x, const fxi_instr *n, place where, int u) {
    const fxi_access *a = &x->k->accesses[n->access];
    if (a->across)
        return fxi_emit_load(x->e, (fx_dtype)a->dtype, tile_address(x, n->access), x->mask[u], NULL);
    LLVMValueRef at = access_address(x, n->access, where, u);
    if (a->inner == FXI_STRIDE_ZERO) return fxi_emit_load_splat(x->e, (fx_dtype)a->dtype, at);
    return fxi_emit_load(x->e, (fx_dtype)a->dtype, at, x->mask[u], element_stride(x, n->access));
}

static fxi_value emit_index(const kernel_emitter *x, const fxi_instr *n, place where, int u) {
    const fxi_access *a = &x->k->accesses[n->access];
    LLVMValueRef step =
        a->inner == FXI_STRIDE_ANY ? element_stride(x, n->access) : const64(x, a->inner == FXI_STRIDE_ONE);
    return fxi_emit_iota(x->e, (fx_dtype)n->dtype, access_address(x, n->access, where, u), step);
}

static fxi_value emit_constant(const kernel_emitter *x, const fxi_instr *n) {
    LLVMValueRef at = const64(x, x->layout.constants + 2 * n->access);
    return fxi_emit_load_splat(x->e, (fx_dtype)n->dtype,
                               LLVMBuildGEP2(builder(x), x->i64, x->params, &at, 1, ""));
}

static fxi_value emit_instr(const kernel_emitter *x, int instr, place where, int u) {
    const fxi_instr *n = &x->k->instrs[instr];
    switch (n->kind) {
    case FXI_INSTR_LOAD: return emit_load(x, n, where, u);
    case FXI_INSTR_INDEX: return emit_index(x, n, where, u);
    case FXI_INSTR_CONSTANT: return emit_constant(x, n);
    case FXI_INSTR_RESULT: return fxi_emit_round(x->e, (fx_dtype)x->k->head.reduce_dtype, x->result[u]);
    case FXI_INSTR_INDEX_RESULT: return x->result_index[u];
    default: break;
    }
    fxi_value args[3] = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    for (int k = 0, count = fxi_op_info_of((fx_op)n->element.op)->operands; k < count; k++)
        args[k] = *value_slot(x, n->args[k], u);
    return fxi_emit_element(x->e, &n->element, args);
}

static void emit_place(const kernel_emitter *x, place where) {
    for (int i = 0; i < x->k->head.instrs; i++) {
        if (x->placed[i] != where) continue;
        int vectors = x->depends[i] & ON_INNER ? x->k->head.unroll : 1;
        if (where == AT_END && x->k->head.form == FXI_FORM_ROW) vectors = 1;
        for (int u = 0; u < vectors; u++) *value_slot(x, i, u) = emit_instr(x, i, where, u);
    }
}

/* ---- stores ---- */

/* Bypasses the cache: the planner has seen to alignment and asks for it only where nobody reads the result soon. */
static void make_streaming(const kernel_emitter *x, const fxi_access *a) {
    LLVMValueRef last = LLVMGetLastInstruction(LLVMGetInsertBlock(builder(x)));
    unsigned bytes = x->e->lanes * (unsigned)fx_dtype_bits((fx_dtype)a->dtype) / 8;
    if (!last || !LLVMIsAStoreInst(last) || fx_dtype_is_complex((fx_dtype)a->dtype)) return;
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(x->e->context), 1, 0));
    LLVMMetadataRef node = LLVMMDNodeInContext2(x->e->context, &one, 1);
    LLVMSetMetadata(last, LLVMGetMDKindIDInContext(x->e->context, "nontemporal", 11),
                    LLVMMetadataAsValue(x->e->context, node));
    LLVMSetAlignment(last, bytes > 64 ? 64 : bytes);
}

static void emit_stores(const kernel_emitter *x, place where, int vectors) {
    for (int i = 0; i < x->k->head.stores; i++) {
        const fxi_store *s = &x->k->stores[i];
        const fxi_access *a = &x->k->accesses[s->access];
        for (int u = 0; u < vectors; u++) {
            fxi_value v = x->k->head.partial ? x->result[u] : *value_slot(x, s->value, u);
            LLVMValueRef at = access_address(x, s->access, where, u);
            if (x->k->head.partial)
                at = advance(x, a, at, mul64(x, RANGE(x, part), param(x, x->layout.part_stride)));
            fxi_emit_store(x->e, (fx_dtype)a->dtype, at, v, x->mask[u],
                           a->inner == FXI_STRIDE_ZERO ? NULL : element_stride(x, s->access));
            if (x->k->head.stream) make_streaming(x, a);
        }
    }
}

/* ---- addresses per block ---- */

static void enter_function(kernel_emitter *x) {
    for (int i = 0; i < x->k->head.accesses; i++) {
        const fxi_access *a = &x->k->accesses[i];
        LLVMValueRef offset = param(x, access_param(x, i));
        if (a->buffer == 0xffff) {
            x->base[i] = offset;
            continue;
        }
        LLVMValueRef slot = param(x, x->layout.slots + a->buffer);
        LLVMValueRef address = LLVMBuildGEP2(builder(x), x->ptr, x->table, &slot, 1, "");
        x->base[i] = advance(x, a, LLVMBuildLoad2(builder(x), x->ptr, address, ""), offset);
    }
}

/* from[i] plus the strides of the loops in mask times their indices. */
static void enter_loops(kernel_emitter *x, const fxi_flat_loop *loop, bool reduce, LLVMValueRef *from,
                        LLVMValueRef *to) {
    int first = 1 + (reduce ? x->k->head.outer_loops : 0);
    for (int i = 0; i < x->k->head.accesses; i++) {
        const fxi_access *a = &x->k->accesses[i];
        uint32_t mask = reduce ? a->reduce_mask : a->outer_mask;
        LLVMValueRef at = from[i];
        for (int k = 0; k < loop->count; k++)
            if (mask >> k & 1)
                at = advance(x, a, at, mul64(x, loop->index[k], param(x, access_param(x, i) + first + k)));
        to[i] = at;
    }
}

static void set_masks(kernel_emitter *x, LLVMValueRef last) {
    const fxi_kernel_head *h = &x->k->head;
    for (int u = 0; u < h->unroll; u++) {
        x->mask[u] = NULL;
        if (h->exact || x->e->lanes == 1) continue;
        LLVMValueRef left =
            LLVMBuildSub(builder(x), last, add64(x, x->inner, const64(x, (int64_t)u * x->e->lanes)), "");
        x->mask[u] = fxi_emit_lane_mask(x->e, left);
    }
}

/* ---- MAP ---- */

static void emit_map(kernel_emitter *x, fxi_flat_loop *outer) {
    LLVMValueRef first = RANGE(x, inner_first), last = RANGE(x, inner_last);
    fxi_loop_begin(x->e, outer, NULL, 0);
    enter_loops(x, outer, false, x->base, x->row);
    emit_place(x, AT_OUTER);
    fxi_flat_loop inner = fxi_inner_loop(x->e, first, last, (int64_t)x->e->lanes * x->k->head.unroll);
    fxi_loop_begin(x->e, &inner, NULL, 0);
    x->inner = inner.at;
    set_masks(x, last);
    emit_place(x, AT_INNER);
    emit_stores(x, AT_INNER, x->k->head.unroll);
    fxi_loop_end(x->e, &inner, NULL);
    fxi_loop_end(x->e, outer, NULL);
}

/* ---- MAP in tiles ---- */

static void allocate_tiles(kernel_emitter *x) {
    for (int i = 0; i < x->k->head.accesses; i++) {
        const fxi_access *a = &x->k->accesses[i];
        if (!a->across) continue;
        LLVMTypeRef tile = LLVMArrayType2(x->i8, (uint64_t)(memory_bytes(a) * x->e->lanes * x->e->lanes));
        x->scratch[i] = LLVMBuildAlloca(builder(x), tile, "");
        LLVMSetAlignment(x->scratch[i], 64);
    }
}

/* Loads `lanes` columns, each contiguous along the rows, and stores them as rows. */
static void fill_tile(const kernel_emitter *x, int access, LLVMValueRef rows_left,
                      LLVMValueRef columns_left) {
    const fxi_access *a = &x->k->accesses[access];
    LLVMTypeRef element = LLVMIntTypeInContext(x->e->context, (unsigned)memory_bytes(a) * 8);
    bool whole = x->k->head.tile == 2;
    LLVMValueRef vectors[64], row_mask = whole ? NULL : fxi_emit_lane_mask(x->e, rows_left);
    LLVMValueRef stride = param(x, access_param(x, access) + x->layout.access_size - 1);
    LLVMValueRef at = advance(x, a, x->row[access], mul64(x, x->inner, stride));
    for (unsigned c = 0; c < x->e->lanes; c++) {
        LLVMValueRef mask = NULL;
        if (!whole) {
            LLVMValueRef there = LLVMBuildICmp(builder(x), LLVMIntSGT, columns_left, const64(x, c), "");
            mask = LLVMBuildAnd(builder(x), row_mask, fxi_emit_splat(x->e, there), "");
        }
        vectors[c] = fxi_emit_masked_load(x->e, element, at, mask);
        at = advance(x, a, at, stride);
    }
    fxi_emit_transpose(x->e, vectors);
    for (unsigned r = 0; r < x->e->lanes; r++) {
        LLVMValueRef by = const64(x, (int64_t)r * memory_bytes(a) * x->e->lanes);
        LLVMSetAlignment(LLVMBuildStore(builder(x), vectors[r], advance(x, a, x->scratch[access], by)), 8);
    }
}

/* Addresses of tile row r: from the block's first row along the last outer loop. */
static void enter_tile_row(kernel_emitter *x, LLVMValueRef *first_row) {
    int last = x->k->head.outer_loops - 1;
    for (int i = 0; i < x->k->head.accesses; i++) {
        const fxi_access *a = &x->k->accesses[i];
        x->row[i] = first_row[i];
        if (a->outer_mask >> last & 1)
            x->row[i] =
                advance(x, a, first_row[i], mul64(x, x->tile_row, param(x, access_param(x, i) + 1 + last)));
    }
}

static void emit_tiles(kernel_emitter *x, fxi_flat_loop *outer) {
    LLVMValueRef first = RANGE(x, inner_first), last = RANGE(x, inner_last);
    LLVMValueRef rows = LLVMBuildSub(builder(x), outer->last, outer->first, "");
    for (int k = 0; k < outer->count; k++) outer->index[k] = outer->start[k];
    enter_loops(x, outer, false, x->base, x->cell);
    fxi_flat_loop inner = fxi_inner_loop(x->e, first, last, x->e->lanes);
    fxi_loop_begin(x->e, &inner, NULL, 0);
    x->inner = inner.at;
    memcpy(x->row, x->cell, x->k->head.accesses * sizeof *x->row);
    set_masks(x, last);
    for (int i = 0; i < x->k->head.accesses; i++)
        if (x->k->accesses[i].across) fill_tile(x, i, rows, LLVMBuildSub(builder(x), last, x->inner, ""));
    fxi_flat_loop row = fxi_inner_loop(x->e, const64(x, 0), rows, 1);
    fxi_loop_begin(x->e, &row, NULL, 0);
    x->tile_row = row.at;
    enter_tile_row(x, x->cell);
    emit_place(x, AT_OUTER);
    emit_place(x, AT_INNER);
    emit_stores(x, AT_INNER, 1);
    fxi_loop_end(x->e, &row, NULL);
    fxi_loop_end(x->e, &inner, NULL);
}

/* ---- reductions ---- */

/* The carried values of one accumulator: value (re, im) and, of an arg-reduction, the position. */
typedef struct accumulator {
    fxi_value value, index;
} accumulator;

static int flatten(const kernel_emitter *x, const accumulator *acc, int vectors, LLVMValueRef *flat) {
    int n = 0;
    for (int u = 0; u < vectors; u++) {
        flat[n++] = acc[u].value.re;
        if (acc[u].value.im) flat[n++] = acc[u].value.im;
        if (x->k->head.reduce_arg) flat[n++] = acc[u].index.re;
    }
    return n;
}

static void unflatten(const kernel_emitter *x, const LLVMValueRef *flat, int vectors, accumulator *acc) {
    bool complex = fx_dtype_is_complex((fx_dtype)x->k->head.reduce_dtype);
    int n = 0;
    for (int u = 0; u < vectors; u++) {
        acc[u].value.re = flat[n++];
        acc[u].value.im = complex ? flat[n++] : NULL;
        acc[u].index = (fxi_value){x->k->head.reduce_arg ? flat[n++] : NULL, NULL};
    }
}

static void start_accumulators(const kernel_emitter *x, int vectors, accumulator *acc) {
    const fxi_kernel_head *h = &x->k->head;
    for (int u = 0; u < vectors; u++) {
        acc[u].value =
            fxi_emit_reduce_neutral(x->e, (fxi_reduce_kind)h->reduce_kind, (fx_dtype)h->reduce_dtype);
        acc[u].index = (fxi_value){fxi_emit_int(x->e, 64, INT64_MAX), NULL};
    }
}

static LLVMValueRef compare(const kernel_emitter *x, fx_dtype dtype, fxi_direction direction, fxi_value a,
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
static LLVMValueRef beats(const kernel_emitter *x, const accumulator *candidate, const accumulator *best) {
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

static accumulator combine(const kernel_emitter *x, accumulator a, accumulator b) {
    const fxi_kernel_head *h = &x->k->head;
    accumulator out = {{NULL, NULL}, {NULL, NULL}};
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

static LLVMValueRef masked(const kernel_emitter *x, LLVMValueRef mask, LLVMValueRef value,
                           LLVMValueRef otherwise) {
    return mask && value ? LLVMBuildSelect(builder(x), mask, value, otherwise, "") : value;
}

/* acc[u] takes in the reduced value of each vector; masked-off lanes count as neutral. */
static void accumulate(const kernel_emitter *x, int vectors, bool use_mask, accumulator *acc) {
    const fxi_kernel_head *h = &x->k->head;
    accumulator neutral[1];
    start_accumulators(x, 1, neutral);
    for (int u = 0; u < vectors; u++) {
        LLVMValueRef mask = use_mask ? x->mask[u] : NULL;
        accumulator in = {*value_slot(x, h->reduce_value, u), {NULL, NULL}};
        in.value.re = masked(x, mask, in.value.re, neutral->value.re);
        in.value.im = masked(x, mask, in.value.im, neutral->value.im);
        if (h->reduce_arg)
            in.index.re = masked(x, mask, value_slot(x, h->reduce_index, u)->re, neutral->index.re);
        acc[u] = combine(x, acc[u], in);
    }
}

/* Lower half of the lanes against the upper half, until one is left. */
static accumulator combine_arg_lanes(const kernel_emitter *x, accumulator acc) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->e->context);
    for (unsigned width = x->e->lanes / 2; width >= 1; width /= 2) {
        LLVMValueRef lanes[64];
        for (unsigned i = 0; i < x->e->lanes; i++) lanes[i] = LLVMConstInt(i32, i < width ? i + width : i, 0);
        LLVMValueRef order = LLVMConstVector(lanes, x->e->lanes);
        accumulator upper = {
            {LLVMBuildShuffleVector(builder(x), acc.value.re, acc.value.re, order, ""), NULL},
            {LLVMBuildShuffleVector(builder(x), acc.index.re, acc.index.re, order, ""), NULL}};
        acc = combine(x, acc, upper);
    }
    LLVMValueRef zero = LLVMConstInt(i32, 0, 0);
    acc.index.re = LLVMBuildExtractElement(builder(x), acc.index.re, zero, "");
    acc.value.re = LLVMBuildExtractElement(builder(x), acc.value.re, zero, "");
    return acc;
}

/* int64 positions to the dtype the node asked for. */
static fxi_value index_result(const kernel_emitter *x, LLVMValueRef index) {
    fx_dtype dtype = FX_S64;
    for (int i = 0; i < x->k->head.instrs; i++)
        if (x->k->instrs[i].kind == FXI_INSTR_INDEX_RESULT) dtype = (fx_dtype)x->k->instrs[i].dtype;
    LLVMTypeRef scalar = fxi_emit_scalar_type(x->e, dtype);
    LLVMTypeRef type = x->e->lanes == 1 ? scalar : fxi_emit_vector_of(x->e, scalar);
    return (fxi_value){LLVMBuildTrunc(builder(x), index, type, ""), NULL};
}

static void end_row(kernel_emitter *x, accumulator *acc) {
    const fxi_kernel_head *h = &x->k->head;
    for (int width = h->unroll / 2; width >= 1; width /= 2)
        for (int u = 0; u < width; u++) acc[u] = combine(x, acc[u], acc[u + width]);
    accumulator total = acc[0];
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
    emit_place(x, AT_END);
    emit_stores(x, AT_OUTER, 1);
    x->e->lanes = lanes;
}

static void emit_row(kernel_emitter *x, fxi_flat_loop *outer, fxi_flat_loop *reduce) {
    int vectors = x->k->head.unroll;
    accumulator acc[16];
    LLVMValueRef flat[48];
    LLVMValueRef first = RANGE(x, inner_first), last = RANGE(x, inner_last);
    fxi_loop_begin(x->e, outer, NULL, 0);
    enter_loops(x, outer, false, x->base, x->row);
    emit_place(x, AT_OUTER);
    start_accumulators(x, vectors, acc);
    int n = flatten(x, acc, vectors, flat);
    fxi_loop_start(x->e, reduce);
    fxi_loop_begin(x->e, reduce, flat, n);
    enter_loops(x, reduce, true, x->row, x->cell);
    emit_place(x, AT_REDUCE);
    fxi_flat_loop inner = fxi_inner_loop(x->e, first, last, (int64_t)x->e->lanes * vectors);
    fxi_loop_begin(x->e, &inner, flat, n);
    x->inner = inner.at;
    set_masks(x, last);
    emit_place(x, AT_INNER);
    unflatten(x, flat, vectors, acc);
    accumulate(x, vectors, true, acc);
    flatten(x, acc, vectors, flat);
    fxi_loop_end(x->e, &inner, flat);
    fxi_loop_end(x->e, reduce, flat);
    unflatten(x, flat, vectors, acc);
    end_row(x, acc);
    fxi_loop_end(x->e, outer, NULL);
}

static void emit_column(kernel_emitter *x, fxi_flat_loop *outer, fxi_flat_loop *reduce) {
    int vectors = x->k->head.unroll;
    accumulator acc[16];
    LLVMValueRef flat[48];
    LLVMValueRef first = RANGE(x, inner_first), last = RANGE(x, inner_last);
    fxi_loop_begin(x->e, outer, NULL, 0);
    enter_loops(x, outer, false, x->base, x->row);
    emit_place(x, AT_OUTER);
    fxi_flat_loop inner = fxi_inner_loop(x->e, first, last, (int64_t)x->e->lanes * vectors);
    fxi_loop_begin(x->e, &inner, NULL, 0);
    x->inner = inner.at;
    set_masks(x, last);
    emit_place(x, AT_INNER);
    start_accumulators(x, vectors, acc);
    int n = flatten(x, acc, vectors, flat);
    fxi_loop_start(x->e, reduce);
    fxi_loop_begin(x->e, reduce, flat, n);
    enter_loops(x, reduce, true, x->row, x->cell);
    emit_place(x, AT_REDUCE);
    unflatten(x, flat, vectors, acc);
    accumulate(x, vectors, false, acc);
    flatten(x, acc, vectors, flat);
    fxi_loop_end(x->e, reduce, flat);
    unflatten(x, flat, vectors, acc);
    for (int u = 0; u < vectors; u++) {
        x->result[u] = acc[u].value;
        if (x->k->head.reduce_arg) x->result_index[u] = index_result(x, acc[u].index.re);
    }
    emit_place(x, AT_END);
    emit_stores(x, AT_INNER, vectors);
    fxi_loop_end(x->e, &inner, NULL);
    fxi_loop_end(x->e, outer, NULL);
}

/* ---- the function ---- */

static void start_function(kernel_emitter *x) {
    LLVMContextRef c = x->e->context;
    LLVMTypeRef args[3] = {x->ptr, x->ptr, x->ptr};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c), args, 3, 0);
    x->e->function = LLVMAddFunction(x->e->module, "fx_kernel", type);
    LLVMPositionBuilderAtEnd(x->e->builder, LLVMAppendBasicBlockInContext(c, x->e->function, "entry"));
    x->table = LLVMGetParam(x->e->function, 0);
    x->params = LLVMGetParam(x->e->function, 1);
    x->range = LLVMGetParam(x->e->function, 2);
}

static void emit_body(kernel_emitter *x) {
    const fxi_kernel_head *h = &x->k->head;
    LLVMValueRef extents[2][FXI_MAX_LOOPS];
    for (int k = 0; k < h->outer_loops; k++) extents[0][k] = param(x, x->layout.extents + k);
    for (int k = 0; k < h->reduce_loops; k++) extents[1][k] = param(x, x->layout.reduce_extents + k);
    allocate_tiles(x);
    enter_function(x);
    memcpy(x->row, x->base, h->accesses * sizeof *x->row);
    emit_place(x, AT_ENTRY);
    fxi_flat_loop outer =
        fxi_nest_loop(x->e, RANGE(x, outer_first), RANGE(x, outer_last), extents[0], h->outer_loops);
    fxi_flat_loop reduce =
        fxi_nest_loop(x->e, RANGE(x, reduce_first), RANGE(x, reduce_last), extents[1], h->reduce_loops);
    fxi_loop_start(x->e, &outer);
    if (h->tile)
        emit_tiles(x, &outer);
    else if (h->form == FXI_FORM_MAP)
        emit_map(x, &outer);
    else if (h->form == FXI_FORM_ROW)
        emit_row(x, &outer, &reduce);
    else
        emit_column(x, &outer, &reduce);
    if (h->stream) fxi_emit_store_fence(x->e);
    LLVMBuildRetVoid(x->e->builder);
}

bool fxi_emit_kernel(fxi_emit *e, const void *description, fx_error *err) {
    const fxi_kernel *k = description;
    kernel_emitter x = {.e = e, .k = k, .layout = fxi_kernel_layout(&k->head)};
    fxi_arena arena = {0};
    size_t n = k->head.instrs, a = k->head.accesses;
    x.depends = fxi_arena_alloc(&arena, n + 1, 1);
    x.placed = fxi_arena_alloc(&arena, n + 1, 1);
    x.values = fxi_arena_alloc(&arena, (n + 1) * k->head.unroll, sizeof *x.values);
    x.base = fxi_arena_alloc(&arena, a + 1, sizeof *x.base);
    x.row = fxi_arena_alloc(&arena, a + 1, sizeof *x.row);
    x.cell = fxi_arena_alloc(&arena, a + 1, sizeof *x.cell);
    x.scratch = fxi_arena_alloc(&arena, a + 1, sizeof *x.scratch);
    bool ok = x.scratch && x.depends && x.placed && x.values && x.base && x.row && x.cell;
    if (ok) {
        e->lanes = k->head.lanes;
        x.i64 = LLVMInt64TypeInContext(e->context);
        x.i8 = LLVMInt8TypeInContext(e->context);
        x.ptr = LLVMPointerTypeInContext(e->context, 0);
        place_instrs(&x);
        start_function(&x);
        emit_body(&x);
    }
    fxi_arena_free(&arena);
    return ok || fxi_fail_memory(err, "kernel");
}
