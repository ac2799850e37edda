/* SPDX-License-Identifier: Apache-2.0 */
/* The description of one generated kernel: what the planner hands to the emitter, free of graph pointers
 * and of sizes. Two groups of operations with equal descriptions share their machine code whatever their
 * extents; extents, strides, offsets and scalar constants are run-time parameters.
 *
 * Forms (t runs over the flattened outer loops, i over the inner loop, r over the flattened reduction loops):
 *   MAP     for t: for i (vector): compute, store
 *   ROW     for t: acc; for r: for i (vector, a reduction loop): compute, accumulate; combine lanes;
 *           epilogue (scalar), store
 *   COLUMN  for t: for i (vector, a parallel loop): acc; for r: compute, accumulate; epilogue (vector), store
 *           or, with head.rows, accumulators in scratch memory, so that what is read along i is read in
 *             long runs:
 *           for t: for i: acc[i]; for r, `rows` at a time: for i: acc[i] += their sum; for i: epilogue, store
 *   ROWS    for t: for each sweep: scalars; for i (vector, along the row): compute, accumulate, store
 *           A RESULT is what an earlier sweep accumulated (args[0], reduced as `element` says: word is the
 *           kind, from the dtype); values wanted by several sweeps are computed again or kept in row buffers.
 *
 * A generated function is  void fx_kernel(char *const *table, const int64_t *params, const fxi_range *range).
 * params, in int64 units (fxi_layout gives the positions):
 *   slots      per buffer: index into table
 *   extents    of the outer loops, outermost first, then of the reduction loops
 *   accesses   each: base, outer strides, reduction strides, inner stride; in bytes (for an INDEX in index
 *              units)
 *   constants  16 bytes each, as in memory
 * Deterministic: the order of accumulation follows from description and ranges alone. */
#ifndef FXI_KERNEL_H
#define FXI_KERNEL_H

#include "../emit/emit_element.h"

#define FXI_MAX_LOOPS 24 /* per kind of loop */

typedef enum fxi_form { FXI_FORM_MAP = 1, FXI_FORM_ROW, FXI_FORM_COLUMN, FXI_FORM_ROWS } fxi_form;

#define FXI_SWEEPS 8      /* of a ROWS: a bit each in a byte */
#define FXI_ROW_BUFFERS 8 /* of a ROWS */
/* Elements that one set of accumulators sums at most: bounds the error. What is longer is summed in chunks,
 * whose sums are added in order; by a ROW's partial kernel they are tasks. A multiple of any iteration. */
#define FXI_ROW_CHUNK 16384

/* What one call of a kernel covers. */
typedef struct fxi_range {
    int64_t outer_first, outer_last;   /* flattened outer indices t */
    int64_t inner_first, inner_last;   /* i; first is a multiple of the lanes */
    int64_t reduce_first, reduce_last; /* flattened reduction indices r */
    int64_t part;                      /* multiplies the store's part stride: where partial results go */
} fxi_range;

typedef enum fxi_step_class {
    FXI_STRIDE_ZERO,
    FXI_STRIDE_ONE,
    FXI_STRIDE_ANY,
    FXI_STRIDE_TWO, /* this and the next of loads only */
    FXI_STRIDE_BACK /* -1 */
} fxi_step_class;

/* An affine function of the loop indices: an address in a buffer, or an index value (iota). All structs of
 * this file are zeroed before filling: they are compared and hashed as bytes. */
typedef struct fxi_access {
    uint32_t outer_mask; /* bit k: outer loop k has a non-zero stride */
    uint32_t reduce_mask;
    uint16_t buffer; /* position in the slots; 0xffff for an INDEX */
    uint8_t dtype;   /* fx_dtype in memory */
    uint8_t inner;   /* fxi_step_class along the inner loop (ONE: dense) */
    uint8_t across;  /* strided along the inner loop but dense along the last outer loop, of a tiled MAP */
    uint8_t pad[3];
} fxi_access;

typedef enum fxi_instr_kind {
    FXI_INSTR_LOAD = 1,    /* from access */
    FXI_INSTR_INDEX,       /* iota: value of access, in dtype */
    FXI_INSTR_CONSTANT,    /* number `access` of the constants */
    FXI_INSTR_ELEMENT,     /* element of args */
    FXI_INSTR_RESULT,      /* the reduction's result, in an epilogue */
    FXI_INSTR_INDEX_RESULT /* of an arg-reduction: the index, in dtype */
} fxi_instr_kind;

typedef struct fxi_instr {
    uint8_t kind;     /* fxi_instr_kind */
    uint8_t epilogue; /* after the reduction */
    uint8_t dtype;    /* of the result */
    uint8_t level;    /* of a ROWS: the first sweep that it can be computed in, of a scalar: before */
    uint16_t access;  /* LOAD, INDEX: access; CONSTANT: constant */
    uint16_t args[FXI_MAP_OPERANDS]; /* earlier instructions */
    /* of a ROWS, of what differs along a row: the sweeps that want it, as bits, and 1 + the buffer that keeps
     * it from the first of them to the last */
    uint8_t sweeps, buffer;
    uint8_t run;      /* PHILOX: its words follow each other along the inner loop, in groups of vectors */
    uint8_t pad;
    fxi_element element;
} fxi_instr;

/* How many args of a ROWS's instruction are read: a RESULT's is what it reduces. */
static inline int fxi_instr_operands(const fxi_instr *n) {
    if (n->kind == FXI_INSTR_RESULT) return 1;
    return n->kind == FXI_INSTR_ELEMENT ? fxi_op_info_of((fx_op)n->element.op)->operands : 0;
}

typedef struct fxi_store {
    uint16_t
        value; /* instruction; in ROW and COLUMN without `partial` an epilogue one (RESULT itself is one) */
    uint16_t access;
} fxi_store;

typedef struct fxi_kernel_head {
    uint8_t form;   /* fxi_form */
    uint8_t lanes;  /* 16, or 8 when the widest dtype has 64 bits */
    uint8_t unroll; /* vectors per inner iteration: independent accumulators in ROW */
    uint8_t exact;  /* every inner range is a multiple of lanes * unroll: no masks */
    uint8_t
        partial; /* stores the raw accumulator (in accumulator dtype) plus part * part stride: no epilogue */
    uint8_t reduce_kind;  /* fxi_reduce_kind; for arg: FXI_MAX or FXI_MIN */
    uint8_t reduce_arg;   /* arg-reduction: carries (value, index): ties and NaN: the first wins */
    uint8_t reduce_dtype; /* dtype of the reduced values; halves accumulate in f32 */
    uint8_t stream;       /* non-temporal stores (dense ones), fenced at the end of the call */
    uint8_t outer_loops, reduce_loops; /* counts of flattened loops */
    uint8_t
        /* of a MAP: one call covers at most `lanes` rows t of one run of the last outer loop, and loads
         * marked `across` go through a transposed tile in scratch memory; 2: every tile is whole (needs
         * exact) */
        tile;
    uint16_t reduce_value; /* instruction that is reduced */
    uint16_t reduce_index; /* of an arg-reduction: INDEX instruction (int64) of the position along the axis */
    uint16_t buffers, accesses, constants, instrs, stores;
    /* of a COLUMN: reduction indices taken in together, a power of two; 0: accumulators in registers */
    uint8_t rows;
    uint8_t rows_exact; /* every range of the reduction is a multiple of them */
    /* of a ROWS: counts, elements of a buffer as a power of two, and per sweep: vectors per iteration, and of
     * the loop that accumulates from buffers after the values' own loop (0: they share one) */
    uint8_t sweeps, row_buffers, row_power, sums[FXI_SWEEPS], values[FXI_SWEEPS];
    uint8_t chunked; /* of a ROWS: rows are longer than FXI_ROW_CHUNK */
} fxi_kernel_head;
_Static_assert(sizeof(fxi_kernel_head) % _Alignof(fxi_access) == 0,
               "the arrays of a key follow without gaps");

/* head, then the arrays, in this order and without gaps in the key. */
typedef struct fxi_kernel {
    fxi_kernel_head head;
    const fxi_access *accesses;
    const fxi_instr *instrs;
    const fxi_store *stores;
} fxi_kernel;

/* Positions in params, in int64 units. */
typedef struct fxi_layout {
    int slots, extents, reduce_extents, accesses, access_size, constants, part_stride, count;
} fxi_layout;
static inline fxi_layout fxi_kernel_layout(const fxi_kernel_head *h) {
    fxi_layout l = {0};
    l.extents = h->buffers;
    l.reduce_extents = l.extents + h->outer_loops;
    l.part_stride = l.reduce_extents + h->reduce_loops; /* bytes per part of the partial store */
    l.accesses = l.part_stride + 1;
    l.access_size =
        1 + h->outer_loops + h->reduce_loops + 1; /* base, outer strides, reduction strides, inner stride */
    l.constants = l.accesses + h->accesses * l.access_size;
    l.count = l.constants + 2 * h->constants;
    return l;
}

typedef void (*fxi_kernel_fn)(char *const *table, const int64_t *params, const fxi_range *range);

/* emit_kernel.c: an fxi_kernel_build (jit.h) whose description is an fxi_kernel; the function is
 * "fx_kernel". */
bool fxi_emit_kernel(fxi_emit *e, const void *description, fx_error *err);

/* Accumulator dtype: float32 for halves, else the dtype itself. */
static inline fx_dtype fxi_accumulator(fx_dtype dtype) {
    return dtype == FX_F16 || dtype == FX_BF16 ? FX_F32 : dtype;
}

/* Accumulators per result and lane position of an ordered reduction: 64 elements (32 of 64-bit dtypes) go by
 * before one is used again, whatever the lanes, as in a ROW that does nothing else. */
static inline int fxi_row_sums(fx_dtype reduced, int lanes) {
    return (fx_dtype_bits(fx_dtype_real(reduced)) == 64 ? 32 : 64) / lanes;
}

/* Elements of the inner loop that one call of a COLUMN with `rows` covers at most: their accumulators take
 * half of a usual first-level cache (in registers, small floats have four bytes). A power of two. */
static inline int64_t fxi_column_block(fx_dtype reduced, bool arg) {
    int64_t element = fxi_size_max(fxi_memory_bytes(reduced), 4) + (arg ? 8 : 0), block = 1;
    while (2 * block * element <= 16384) block *= 2;
    return block;
}

#endif
