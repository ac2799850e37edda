/* SPDX-License-Identifier: Apache-2.0 */
/* From a kernel description (plan/kernel.h) to one function of LLVM IR.
 *
 * The emitter does by hand what IR passes would do: emit_kernel_value.c places each instruction in the
 * outermost block whose indices it needs; here, in emit_kernel_tile.c and in emit_kernel_reduce.c are the
 * loops of the forms. Masks replace remainder loops: half the code and half the compile time (measured),
 * and exact extents need none. */
#include "emit_kernel_internal.h"
#include <string.h>

/* ---- MAP ---- */

static void emit_map(fxi_kernel_emitter *x, fxi_flat_loop *outer) {
    LLVMValueRef first = RANGE(x, inner_first), last = RANGE(x, inner_last);
    fxi_loop_begin(x->e, outer, NULL, 0);
    fxi_kernel_enter_loops(x, outer, false, x->base, x->row);
    fxi_kernel_emit_place(x, AT_OUTER);
    fxi_flat_loop inner = fxi_inner_loop(x->e, first, last, (int64_t)x->e->lanes * x->k->head.unroll);
    fxi_loop_begin(x->e, &inner, NULL, 0);
    x->inner = inner.at;
    fxi_kernel_set_masks(x, last);
    fxi_kernel_emit_place(x, AT_INNER);
    fxi_kernel_emit_stores(x, AT_INNER, x->k->head.unroll);
    fxi_loop_end(x->e, &inner, NULL);
    fxi_loop_end(x->e, outer, NULL);
}

/* ---- the function ---- */

static void start_function(fxi_kernel_emitter *x) {
    LLVMContextRef c = x->e->context;
    LLVMTypeRef args[3] = {x->ptr, x->ptr, x->ptr};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c), args, 3, 0);
    x->e->function = LLVMAddFunction(x->e->module, "fx_kernel", type);
    LLVMPositionBuilderAtEnd(x->e->builder, LLVMAppendBasicBlockInContext(c, x->e->function, "entry"));
    x->table = LLVMGetParam(x->e->function, 0);
    x->params = LLVMGetParam(x->e->function, 1);
    x->range = LLVMGetParam(x->e->function, 2);
}

/* False: no memory. */
static bool emit_body(fxi_kernel_emitter *x, fxi_arena *arena) {
    const fxi_kernel_head *h = &x->k->head;
    LLVMValueRef extents[2][FXI_MAX_LOOPS];
    for (int k = 0; k < h->outer_loops; k++) extents[0][k] = param(x, x->layout.extents + k);
    for (int k = 0; k < h->reduce_loops; k++) extents[1][k] = param(x, x->layout.reduce_extents + k);
    fxi_kernel_allocate_tiles(x);
    fxi_kernel_enter(x);
    memcpy(x->row, x->base, h->accesses * sizeof *x->row);
    if (h->form != FXI_FORM_ROWS) fxi_kernel_emit_place(x, AT_ENTRY);
    fxi_flat_loop outer =
        fxi_nest_loop(x->e, RANGE(x, outer_first), RANGE(x, outer_last), extents[0], h->outer_loops);
    fxi_flat_loop reduce =
        fxi_nest_loop(x->e, RANGE(x, reduce_first), RANGE(x, reduce_last), extents[1], h->reduce_loops);
    fxi_loop_start(x->e, &outer);
    bool ok = true;
    if (h->form == FXI_FORM_ROWS)
        ok = fxi_kernel_emit_rows(x, &outer, arena);
    else if (h->tile)
        fxi_kernel_emit_tiles(x, &outer);
    else if (h->form == FXI_FORM_MAP)
        emit_map(x, &outer);
    else if (h->form == FXI_FORM_ROW)
        fxi_kernel_emit_row(x, &outer, &reduce);
    else if (h->rows)
        fxi_kernel_emit_column_rows(x, &outer, &reduce);
    else
        fxi_kernel_emit_column(x, &outer, &reduce);
    if (h->stream) fxi_emit_store_fence(x->e);
    LLVMBuildRetVoid(x->e->builder);
    return ok;
}

bool fxi_emit_kernel(fxi_emit *e, const void *description, fx_error *err) {
    const fxi_kernel *k = description;
    fxi_kernel_emitter x = {.e = e, .k = k, .layout = fxi_kernel_layout(&k->head)};
    fxi_arena arena = {0};
    size_t rows = k->head.rows ? k->head.rows : 1, n = k->head.instrs, a = k->head.accesses;
    x.depends = fxi_arena_alloc(&arena, n + 1, 1);
    x.placed = fxi_arena_alloc(&arena, n + 1, 1);
    x.values = fxi_arena_alloc(&arena, (n * rows + 1) * k->head.unroll, sizeof *x.values);
    x.base = fxi_arena_alloc(&arena, a + 1, sizeof *x.base);
    x.row = fxi_arena_alloc(&arena, a + 1, sizeof *x.row);
    x.cell = fxi_arena_alloc(&arena, a * rows + 1, sizeof *x.cell);
    x.stride = fxi_arena_alloc(&arena, a + 1, sizeof *x.stride);
    x.scratch = fxi_arena_alloc(&arena, a + 1, sizeof *x.scratch);
    bool ok = x.stride && x.scratch && x.depends && x.placed && x.values && x.base && x.row && x.cell;
    if (ok) {
        e->lanes = k->head.lanes;
        x.i64 = LLVMInt64TypeInContext(e->context);
        x.i8 = LLVMInt8TypeInContext(e->context);
        x.ptr = LLVMPointerTypeInContext(e->context, 0);
        fxi_kernel_place(&x);
        start_function(&x);
        ok = emit_body(&x, &arena);
    }
    fxi_arena_free(&arena);
    return ok || fxi_fail_memory(err, "kernel");
}
