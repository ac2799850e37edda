/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of a MAP that reads across: square tiles are loaded along what is contiguous, transposed in
 * registers into scratch memory, and the rows of the kernel then read from there. */
#include "emit_kernel_internal.h"
#include "emit_tile.h"
#include <string.h>

void fxi_kernel_allocate_tiles(fxi_kernel_emitter *x) {
    for (int i = 0; i < x->k->head.accesses; i++) {
        const fxi_access *a = &x->k->accesses[i];
        if (!a->across) continue;
        LLVMTypeRef tile = LLVMArrayType2(
            x->i8, (uint64_t)(fxi_memory_bytes((fx_dtype)a->dtype) * x->e->lanes * x->e->lanes));
        x->scratch[i] = LLVMBuildAlloca(builder(x), tile, "");
        LLVMSetAlignment(x->scratch[i], 64);
    }
}

/* Loads `lanes` columns, each contiguous along the rows, and stores them as rows. */
static void fill_tile(const fxi_kernel_emitter *x, int access, LLVMValueRef rows_left,
                      LLVMValueRef columns_left) {
    const fxi_access *a = &x->k->accesses[access];
    LLVMTypeRef element =
        LLVMIntTypeInContext(x->e->context, (unsigned)fxi_memory_bytes((fx_dtype)a->dtype) * 8);
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
        LLVMValueRef by = const64(x, (int64_t)r * fxi_memory_bytes((fx_dtype)a->dtype) * x->e->lanes);
        LLVMSetAlignment(LLVMBuildStore(builder(x), vectors[r], advance(x, a, x->scratch[access], by)), 8);
    }
}

/* Addresses of tile row r: from the block's first row along the last outer loop. */
static void enter_tile_row(fxi_kernel_emitter *x, LLVMValueRef *first_row) {
    int last = x->k->head.outer_loops - 1;
    for (int i = 0; i < x->k->head.accesses; i++) {
        const fxi_access *a = &x->k->accesses[i];
        x->row[i] = first_row[i];
        if (a->outer_mask >> last & 1)
            x->row[i] =
                advance(x, a, first_row[i], mul64(x, x->tile_row, param(x, access_param(x, i) + 1 + last)));
    }
}

void fxi_kernel_emit_tiles(fxi_kernel_emitter *x, fxi_flat_loop *outer) {
    LLVMValueRef first = RANGE(x, inner_first), last = RANGE(x, inner_last);
    LLVMValueRef rows = LLVMBuildSub(builder(x), outer->last, outer->first, "");
    for (int k = 0; k < outer->count; k++) outer->index[k] = outer->start[k];
    fxi_kernel_enter_loops(x, outer, false, x->base, x->cell);
    fxi_flat_loop inner = fxi_inner_loop(x->e, first, last, x->e->lanes);
    fxi_loop_begin(x->e, &inner, NULL, 0);
    x->inner = inner.at;
    memcpy(x->row, x->cell, x->k->head.accesses * sizeof *x->row);
    fxi_kernel_set_masks(x, last);
    for (int i = 0; i < x->k->head.accesses; i++)
        if (x->k->accesses[i].across) fill_tile(x, i, rows, LLVMBuildSub(builder(x), last, x->inner, ""));
    fxi_flat_loop row = fxi_inner_loop(x->e, const64(x, 0), rows, 1);
    fxi_loop_begin(x->e, &row, NULL, 0);
    x->tile_row = row.at;
    enter_tile_row(x, x->cell);
    fxi_kernel_emit_place(x, AT_OUTER);
    fxi_kernel_emit_place(x, AT_INNER);
    fxi_kernel_emit_stores(x, AT_INNER, 1);
    fxi_loop_end(x->e, &row, NULL);
    fxi_loop_end(x->e, &inner, NULL);
}
