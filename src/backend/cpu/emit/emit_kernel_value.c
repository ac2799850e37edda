/* SPDX-License-Identifier: Apache-2.0 */
/* Where each instruction of a kernel is placed, the values and addresses it has there, loads and stores
 * (emit_kernel_internal.h). */
#include "emit_kernel_internal.h"

/* ---- placement ---- */

static uint8_t access_depends(const fxi_access *a) {
    return (uint8_t)((a->outer_mask ? ON_OUTER : 0) | (a->reduce_mask ? ON_REDUCE : 0) |
                     (a->inner != FXI_STRIDE_ZERO ? ON_INNER : 0));
}

static place place_of(const fxi_kernel_emitter *x, const fxi_instr *n, uint8_t depends) {
    if (n->epilogue) return AT_END;
    if (x->k->head.form == FXI_FORM_COLUMN && !x->k->head.rows) {
        if (depends & ON_REDUCE) return AT_REDUCE;
        if (depends & ON_INNER) return AT_INNER;
    } else {
        if (depends & ON_INNER) return AT_INNER;
        if (depends & ON_REDUCE) return AT_REDUCE;
    }
    return depends & ON_OUTER ? AT_OUTER : AT_ENTRY;
}

void fxi_kernel_place(fxi_kernel_emitter *x) {
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

fxi_value *fxi_kernel_value(const fxi_kernel_emitter *x, int instr, int u) {
    bool per_vector = (x->depends[instr] & ON_INNER) != 0;
    if (x->wide && !per_vector && x->e->lanes > 1 && x->wide[instr].re) return &x->wide[instr];
    return &x->values[instr * x->k->head.unroll + (per_vector ? u : 0)];
}

/* Address of the access in the innermost block that has been entered, for vector u of the inner loop. */
static LLVMValueRef access_address(const fxi_kernel_emitter *x, int access, place where, int u) {
    const fxi_access *a = &x->k->accesses[access];
    LLVMValueRef at = where == AT_ENTRY ? x->base[access] : x->row[access];
    if (a->reduce_mask) at = x->cell[access];
    if (a->inner == FXI_STRIDE_ZERO) return at;
    LLVMValueRef i = add64(x, x->inner, const64(x, (int64_t)u * x->e->lanes));
    LLVMValueRef unit = const64(x, a->buffer == 0xffff ? 1 : fxi_memory_bytes((fx_dtype)a->dtype));
    if (a->inner > FXI_STRIDE_ONE) unit = param(x, access_param(x, access) + x->layout.access_size - 1);
    return advance(x, a, at, mul64(x, i, unit));
}

static LLVMValueRef element_stride(const fxi_kernel_emitter *x, int access) {
    const fxi_access *a = &x->k->accesses[access];
    if (a->inner == FXI_STRIDE_TWO) return const64(x, 2);
    if (a->inner == FXI_STRIDE_BACK) return const64(x, -1);
    if (a->inner != FXI_STRIDE_ANY) return NULL;
    LLVMValueRef bytes = param(x, access_param(x, access) + x->layout.access_size - 1);
    return LLVMBuildExactSDiv(builder(x), bytes,
                              const64(x, a->buffer == 0xffff ? 1 : fxi_memory_bytes((fx_dtype)a->dtype)), "");
}

/* Row of a transposed tile. */
static LLVMValueRef tile_address(const fxi_kernel_emitter *x, int access) {
    const fxi_access *a = &x->k->accesses[access];
    return advance(x, a, x->scratch[access],
                   mul64(x, x->tile_row, const64(x, fxi_memory_bytes((fx_dtype)a->dtype) * x->e->lanes)));
}

static fxi_value emit_load(const fxi_kernel_emitter *x, const fxi_instr *n, place where, int u) {
    const fxi_access *a = &x->k->accesses[n->access];
    if (a->across)
        return fxi_emit_load(x->e, (fx_dtype)a->dtype, tile_address(x, n->access), x->mask[u], NULL);
    LLVMValueRef at = access_address(x, n->access, where, u);
    if (a->inner == FXI_STRIDE_ZERO) return fxi_emit_load_splat(x->e, (fx_dtype)a->dtype, at);
    return fxi_emit_load(x->e, (fx_dtype)a->dtype, at, x->mask[u], element_stride(x, n->access));
}

static fxi_value emit_index(const fxi_kernel_emitter *x, const fxi_instr *n, place where, int u) {
    const fxi_access *a = &x->k->accesses[n->access];
    LLVMValueRef step =
        a->inner == FXI_STRIDE_ANY ? element_stride(x, n->access) : const64(x, a->inner == FXI_STRIDE_ONE);
    return fxi_emit_iota(x->e, (fx_dtype)n->dtype, access_address(x, n->access, where, u), step);
}

static fxi_value emit_constant(const fxi_kernel_emitter *x, const fxi_instr *n) {
    LLVMValueRef at = const64(x, x->layout.constants + 2 * n->access);
    return fxi_emit_load_splat(x->e, (fx_dtype)n->dtype,
                               LLVMBuildGEP2(builder(x), x->i64, x->params, &at, 1, ""));
}

fxi_value fxi_kernel_emit_instr(const fxi_kernel_emitter *x, int instr, place where, int u) {
    const fxi_instr *n = &x->k->instrs[instr];
    switch (n->kind) {
    case FXI_INSTR_LOAD: return emit_load(x, n, where, u);
    case FXI_INSTR_INDEX: return emit_index(x, n, where, u);
    case FXI_INSTR_CONSTANT: return emit_constant(x, n);
    case FXI_INSTR_RESULT: return fxi_emit_round(x->e, (fx_dtype)x->k->head.reduce_dtype, x->result[u]);
    case FXI_INSTR_INDEX_RESULT: return x->result_index[u];
    default: break;
    }
    fxi_value args[FXI_MAP_OPERANDS] = {{NULL, NULL}};
    for (int k = 0, count = fxi_op_info_of((fx_op)n->element.op)->operands; k < count; k++)
        args[k] = *fxi_kernel_value(x, n->args[k], u);
    return fxi_emit_element(x->e, &n->element, args);
}

void fxi_kernel_use_row(fxi_kernel_emitter *x, int row) {
    const fxi_kernel_head *h = &x->k->head;
    x->values += (row - x->copy) * h->instrs * h->unroll;
    x->cell += (row - x->copy) * h->accesses;
    x->copy = row;
}

/* What rows have in common is emitted for the first of them. */
static bool is_shared(const fxi_kernel_emitter *x, int instr) {
    return x->copy > 0 && !(x->depends[instr] & ON_REDUCE);
}

/* Random words in a row: a group of vectors at once, where key and counter are the same for all of them. */
static bool is_run(const fxi_kernel_emitter *x, int instr) {
    const fxi_instr *n = &x->k->instrs[instr];
    if (n->kind != FXI_INSTR_ELEMENT || !n->run) return false;
    return !((x->depends[n->args[0]] | x->depends[n->args[1]] | x->depends[n->args[2]]) & ON_INNER);
}

bool fxi_kernel_emit_run(const fxi_kernel_emitter *x, int instr, place where, int vectors) {
    const fxi_instr *n = &x->k->instrs[instr];
    if (!is_run(x, instr) || vectors % (int)fxi_emit_philox_group(&n->element) != 0) return false;
    int access = x->k->instrs[n->args[3]].access, group = (int)fxi_emit_philox_group(&n->element);
    fxi_value args[FXI_MAP_OPERANDS] = {{NULL, NULL}};
    for (int k = 0; k < 3; k++) args[k] = *fxi_kernel_value(x, n->args[k], 0);
    for (int u = 0; u < vectors; u += group)
        fxi_emit_philox_run(x->e, &n->element, args, access_address(x, access, where, u),
                            fxi_kernel_value(x, instr, u));
    return true;
}

void fxi_kernel_emit_place(const fxi_kernel_emitter *x, place where) {
    for (int i = 0; i < x->k->head.instrs; i++) {
        if (x->placed[i] != where) continue;
        if (!is_shared(x, i) && fxi_kernel_emit_run(x, i, where, x->k->head.unroll)) continue;
        int vectors = x->depends[i] & ON_INNER ? x->k->head.unroll : 1;
        if (where == AT_END && x->k->head.form == FXI_FORM_ROW) vectors = 1;
        for (int u = 0; u < vectors; u++) {
            fxi_value *value = fxi_kernel_value(x, i, u);
            *value = is_shared(x, i) ? value[-x->copy * x->k->head.instrs * x->k->head.unroll]
                                     : fxi_kernel_emit_instr(x, i, where, u);
        }
    }
}

/* ---- stores ---- */

/* Bypasses the cache: the planner has seen to alignment and asks for it only where nobody reads the result
 * soon. */
static void make_streaming(const fxi_kernel_emitter *x, const fxi_access *a) {
    LLVMValueRef last = LLVMGetLastInstruction(LLVMGetInsertBlock(builder(x)));
    unsigned bytes = x->e->lanes * (unsigned)fx_dtype_bits((fx_dtype)a->dtype) / 8;
    if (!last || !LLVMIsAStoreInst(last) || fx_dtype_is_complex((fx_dtype)a->dtype)) return;
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(x->e->context), 1, 0));
    LLVMMetadataRef node = LLVMMDNodeInContext2(x->e->context, &one, 1);
    LLVMSetMetadata(last, LLVMGetMDKindIDInContext(x->e->context, "nontemporal", 11),
                    LLVMMetadataAsValue(x->e->context, node));
    LLVMSetAlignment(last, bytes > 64 ? 64 : bytes);
}

void fxi_kernel_emit_store(const fxi_kernel_emitter *x, int i, place where, int vectors) {
    const fxi_store *s = &x->k->stores[i];
    const fxi_access *a = &x->k->accesses[s->access];
    for (int u = 0; u < vectors; u++) {
        fxi_value v = x->k->head.partial ? x->result[u] : *fxi_kernel_value(x, s->value, u);
        LLVMValueRef at = access_address(x, s->access, where, u);
        if (x->k->head.partial)
            at = advance(x, a, at, mul64(x, RANGE(x, part), param(x, x->layout.part_stride)));
        fxi_emit_store(x->e, (fx_dtype)a->dtype, at, v, x->mask[u],
                       a->inner == FXI_STRIDE_ZERO ? NULL : element_stride(x, s->access));
        if (x->k->head.stream) make_streaming(x, a);
    }
}

void fxi_kernel_emit_stores(const fxi_kernel_emitter *x, place where, int vectors) {
    for (int i = 0; i < x->k->head.stores; i++) fxi_kernel_emit_store(x, i, where, vectors);
}

/* ---- addresses per block ---- */

void fxi_kernel_enter(fxi_kernel_emitter *x) {
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

void fxi_kernel_enter_loops(fxi_kernel_emitter *x, const fxi_flat_loop *loop, bool reduce, LLVMValueRef *from,
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

void fxi_kernel_set_masks(fxi_kernel_emitter *x, LLVMValueRef last) {
    const fxi_kernel_head *h = &x->k->head;
    for (int u = 0; u < h->unroll; u++) {
        x->mask[u] = NULL;
        if (h->exact || x->e->lanes == 1) continue;
        LLVMValueRef left =
            LLVMBuildSub(builder(x), last, add64(x, x->inner, const64(x, (int64_t)u * x->e->lanes)), "");
        x->mask[u] = fxi_emit_lane_mask(x->e, left);
    }
}
