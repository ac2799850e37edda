/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that emit one kernel share: the emitter's state, small helpers, and the steps that every
 * form is made of.
 *
 * Each instruction has a place, the outermost block whose indices it needs: function entry, outer loop,
 * reduction loop, inner loop, or after the reduction. A form opens its loops, notes their addresses, and
 * emits the instructions of each place where it gets there; so invariants are hoisted and shared by
 * construction. */
#ifndef FXI_EMIT_KERNEL_INTERNAL_H
#define FXI_EMIT_KERNEL_INTERNAL_H

#include "emit_loop.h"

/* Indices an instruction depends on, as bits; they decide where it is placed. */
enum { ON_OUTER = 1, ON_REDUCE = 2, ON_INNER = 4 };

typedef enum place { AT_ENTRY, AT_OUTER, AT_REDUCE, AT_INNER, AT_END } place;

typedef struct fxi_kernel_emitter {
    fxi_emit *e;
    const fxi_kernel *k;
    fxi_layout layout;
    LLVMTypeRef i64, i8, ptr;
    LLVMValueRef table, params, range;
    LLVMValueRef *base, *row,
        *cell; /* per access: address (or index value) at entry, in the outer loop, in the reduction loop */
    uint8_t *depends, *placed; /* per instruction */
    /* per instruction and vector of the unrolled loop, of the row that is being emitted */
    fxi_value *values;
    fxi_value *wide;           /* of ROWS, per instruction: a scalar in all lanes */
    int copy;                  /* that row, of those that are taken in together */
    LLVMValueRef inner;        /* index of the first lane */
    LLVMValueRef mask[16];     /* per vector; NULL: all lanes */
    /* per access: from row to row, of rows in one reduction loop that are taken in together */
    LLVMValueRef *stride;
    LLVMValueRef *scratch;     /* per access of a tiled kernel that reads across: its transposed tile */
    LLVMValueRef tile_row;     /* row within the tile */
    fxi_value result[16], result_index[16];
} fxi_kernel_emitter;

static inline LLVMBuilderRef builder(const fxi_kernel_emitter *x) {
    return x->e->builder;
}
static inline LLVMValueRef const64(const fxi_kernel_emitter *x, int64_t v) {
    return LLVMConstInt(x->i64, (uint64_t)v, 1);
}

static inline LLVMValueRef add64(const fxi_kernel_emitter *x, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildAdd(builder(x), a, b, "");
}
static inline LLVMValueRef mul64(const fxi_kernel_emitter *x, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildMul(builder(x), a, b, "");
}

static inline LLVMValueRef param(const fxi_kernel_emitter *x, int position) {
    LLVMValueRef at = const64(x, position);
    LLVMValueRef address = LLVMBuildGEP2(builder(x), x->i64, x->params, &at, 1, "");
    return LLVMBuildLoad2(builder(x), x->i64, address, "");
}

static inline LLVMValueRef range_field(const fxi_kernel_emitter *x, size_t offset) {
    LLVMValueRef at = const64(x, (int64_t)(offset / sizeof(int64_t)));
    LLVMValueRef address = LLVMBuildGEP2(builder(x), x->i64, x->range, &at, 1, "");
    return LLVMBuildLoad2(builder(x), x->i64, address, "");
}
#define RANGE(x, field) range_field((x), offsetof(fxi_range, field))

/* Address plus bytes; an index access is a plain number. */
static inline LLVMValueRef advance(const fxi_kernel_emitter *x, const fxi_access *a, LLVMValueRef at,
                                   LLVMValueRef by) {
    return a->buffer == 0xffff ? add64(x, at, by) : LLVMBuildGEP2(builder(x), x->i8, at, &by, 1, "");
}

static inline int access_param(const fxi_kernel_emitter *x, int access) {
    return x->layout.accesses + access * x->layout.access_size;
}

/* ---- emit_kernel_value.c ---- */

/* Decides the place of each instruction. */
void fxi_kernel_place(fxi_kernel_emitter *x);
/* Where the value of an instruction is kept, for vector u of the inner loop. */
fxi_value *fxi_kernel_value(const fxi_kernel_emitter *x, int instr, int u);
void fxi_kernel_emit_place(const fxi_kernel_emitter *x, place where);
/* Turns to the values and addresses of another row. */
void fxi_kernel_use_row(fxi_kernel_emitter *x, int row);
/* The code of one instruction; of operands, those values that fxi_kernel_value gives. */
fxi_value fxi_kernel_emit_instr(const fxi_kernel_emitter *x, int instr, place where, int u);
/* The same for all vectors at once, of an instruction whose random words follow each other; false: it is
 * none, or the vectors are no whole groups. */
bool fxi_kernel_emit_run(const fxi_kernel_emitter *x, int instr, place where, int vectors);
/* Store number i, of `vectors` vectors. */
void fxi_kernel_emit_store(const fxi_kernel_emitter *x, int i, place where, int vectors);
/* Stores every result, `vectors` of them; the addresses are those of the block `where`. */
void fxi_kernel_emit_stores(const fxi_kernel_emitter *x, place where, int vectors);
/* Addresses at the entry of the function. */
void fxi_kernel_enter(fxi_kernel_emitter *x);
/* from[i] plus the strides of the (outer or reduction) loops times their indices. */
void fxi_kernel_enter_loops(fxi_kernel_emitter *x, const fxi_flat_loop *loop, bool reduce, LLVMValueRef *from,
                            LLVMValueRef *to);
/* Masks of the vectors at x->inner, none beyond `last`. */
void fxi_kernel_set_masks(fxi_kernel_emitter *x, LLVMValueRef last);

/* ---- emit_kernel_tile.c: MAP in tiles ---- */

/* Scratch of the loads that read across; at the entry of the function. */
void fxi_kernel_allocate_tiles(fxi_kernel_emitter *x);
void fxi_kernel_emit_tiles(fxi_kernel_emitter *x, fxi_flat_loop *outer);

/* ---- emit_kernel_reduce.c ---- */

void fxi_kernel_emit_row(fxi_kernel_emitter *x, fxi_flat_loop *outer, fxi_flat_loop *reduce);
void fxi_kernel_emit_column(fxi_kernel_emitter *x, fxi_flat_loop *outer, fxi_flat_loop *reduce);

/* The carried values of one accumulator: value (re, im) and, of an arg-reduction, the position. */
typedef struct fxi_kernel_sum {
    fxi_value value, index;
} fxi_kernel_sum;

/* Accumulators as a list of plain values, two per accumulator at most, and back; the length of the list. */
int fxi_kernel_flatten(const fxi_kernel_emitter *x, const fxi_kernel_sum *acc, int vectors,
                       LLVMValueRef *flat);
void fxi_kernel_unflatten(const fxi_kernel_emitter *x, const LLVMValueRef *flat, int vectors,
                          fxi_kernel_sum *acc);
void fxi_kernel_start_sums(const fxi_kernel_emitter *x, int vectors, fxi_kernel_sum *acc);
/* What vector u of this iteration brings; masked-off lanes count as neutral. */
fxi_kernel_sum fxi_kernel_taken(const fxi_kernel_emitter *x, LLVMValueRef mask, int u);
fxi_kernel_sum fxi_kernel_combine(const fxi_kernel_emitter *x, fxi_kernel_sum a, fxi_kernel_sum b);
/* Makes the accumulators the results of a COLUMN, finishes and stores them. */
void fxi_kernel_end_column(fxi_kernel_emitter *x, const fxi_kernel_sum *acc);

/* ---- emit_kernel_rows.c: ROWS; false: no memory ---- */

bool fxi_kernel_emit_rows(fxi_kernel_emitter *x, fxi_flat_loop *outer, fxi_arena *arena);

/* ---- emit_kernel_column.c: COLUMN with accumulators in memory ---- */

void fxi_kernel_emit_column_rows(fxi_kernel_emitter *x, fxi_flat_loop *outer, fxi_flat_loop *reduce);

#endif
