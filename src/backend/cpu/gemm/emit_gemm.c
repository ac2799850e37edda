/* SPDX-License-Identifier: Apache-2.0 */
/* The micro-kernel of tiled matrix products: a tile of C held in registers while p runs over one block of
 * the sum.
 *
 * Per step of p it loads one row of the panel of B, broadcasts one element of A per row and does rows *
 * vectors fused multiply-adds. Where 32 registers of 512 bits exist, 14 x 2 vectors use them up: 28 sums,
 * two vectors of B and a broadcast; with 16 registers it is 6 x 2. Complex tiles hold planes of real and
 * imaginary parts and do four multiply-adds. All strides are arguments, so that one kernel serves every size
 * and, with p or i being the unit stride of A, every layout of it. No unrolling: a step is long enough (28
 * cycles) to hide the loop, and the additions that lead from row to row of unpacked A. B is prefetched a
 * given distance ahead, into the next panel where B lies in place. */
#include "emit_gemm.h"

#include <string.h>

#define MAX_ROWS 14
#define MAX_VECTORS 2

enum {
    A_STRIDE,
    B_STRIDE,
    C_STRIDE,
    A_PLANE,
    B_PLANE,
    C_PLANE,
    B_AHEAD,
    DEPTH,
    WIDTH,
    ACCUMULATE,
    RUNS,
    RUN_STEP
}; /* fields of fxi_gemm_tile */

typedef struct micro {
    fxi_emit *e;
    fx_dtype compute;
    bool by_rows;
    unsigned rows, vectors, lanes, planes;
    int64_t bytes;     /* of a component */
    LLVMValueRef mask; /* of the last vector, or NULL */
    LLVMValueRef a_stride, b_stride, a_plane, b_plane, b_ahead;
    LLVMValueRef sums[2][MAX_ROWS][MAX_VECTORS];
} micro;

fxi_gemm_tile_size fxi_gemm_tile_of(fx_dtype compute, bool avx512) {
    static const fxi_gemm_tile_size wide[FX_DTYPE_LIMIT] = {
        [FX_F32] = {14, 2, 16}, [FX_F64] = {14, 2, 8}, [FX_S32] = {12, 2, 16},
        [FX_S64] = {10, 2, 8},  [FX_C64] = {6, 2, 16}, [FX_C128] = {6, 2, 8},
    };
    static const fxi_gemm_tile_size narrow[FX_DTYPE_LIMIT] = {
        [FX_F32] = {6, 2, 8}, [FX_F64] = {6, 2, 4}, [FX_S32] = {5, 2, 8},
        [FX_S64] = {3, 2, 4}, [FX_C64] = {2, 2, 8}, [FX_C128] = {2, 2, 4},
    };
    return avx512 ? wide[compute] : narrow[compute];
}

static LLVMValueRef mask_of(const micro *m, unsigned vector) {
    return vector + 1 == m->vectors ? m->mask : NULL;
}

/* Address of row `row` of C, plane by plane: rows follow each other by additions, in whichever block they
 * are used. */
static LLVMValueRef next_row(const micro *m, LLVMValueRef address) {
    return fxi_gemm_ir_at(m->e, address, fxi_gemm_ir_field(m->e, C_STRIDE));
}

static LLVMValueRef c_plane(const micro *m, unsigned plane) {
    LLVMValueRef c = fxi_gemm_ir_argument(m->e, 2);
    return plane == 0 ? c : fxi_gemm_ir_at(m->e, c, fxi_gemm_ir_field(m->e, C_PLANE));
}

/* Sums start at zero or at C, so that the chain of additions is the same as if the sum were not cut. The
 * loads are masked by whether to accumulate: one instruction each, no second way into the loop, and C
 * brought near for the stores. */
static void start_sums(micro *m) {
    fxi_emit *e = m->e;
    LLVMValueRef set =
        LLVMBuildICmp(e->builder, LLVMIntNE, fxi_gemm_ir_field(e, ACCUMULATE), fxi_gemm_ir_i64(e, 0), "");
    LLVMValueRef all = fxi_gemm_ir_splat(e, set, m->lanes);
    LLVMValueRef last = m->mask == NULL ? all : LLVMBuildAnd(e->builder, all, m->mask, "");
    for (unsigned plane = 0; plane < m->planes; plane++) {
        LLVMValueRef row = c_plane(m, plane);
        for (unsigned i = 0; i < m->rows; i++) {
            for (unsigned j = 0; j < m->vectors; j++) {
                LLVMValueRef at = fxi_gemm_ir_at_const(e, row, (int64_t)(j * m->lanes) * m->bytes);
                LLVMValueRef mask = j + 1 == m->vectors ? last : all;
                m->sums[plane][i][j] = fxi_gemm_ir_load(e, m->compute, m->compute, at, m->lanes, mask);
            }
            if (i + 1 < m->rows) row = next_row(m, row);
        }
    }
}

static void store_sums(micro *m) {
    for (unsigned plane = 0; plane < m->planes; plane++) {
        LLVMValueRef row = c_plane(m, plane);
        for (unsigned i = 0; i < m->rows; i++) {
            for (unsigned j = 0; j < m->vectors; j++) {
                LLVMValueRef at = fxi_gemm_ir_at_const(m->e, row, (int64_t)(j * m->lanes) * m->bytes);
                fxi_gemm_ir_store(m->e, m->compute, m->sums[plane][i][j], at, m->lanes, mask_of(m, j));
            }
            if (i + 1 < m->rows) row = next_row(m, row);
        }
    }
}

static LLVMValueRef load_a(const micro *m, LLVMValueRef row, unsigned plane) {
    fxi_emit *e = m->e;
    LLVMValueRef at = plane == 0 ? row : fxi_gemm_ir_at(e, row, m->a_plane);
    LLVMValueRef element = fxi_gemm_ir_load(e, m->compute, m->compute, at, 1, NULL);
    return fxi_gemm_ir_splat(e, element, m->lanes);
}

static void prefetch_b(const micro *m, LLVMValueRef b) {
    fxi_emit *e = m->e;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context), pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMValueRef read = LLVMConstInt(i32, 0, 0), locality = LLVMConstInt(i32, 2, 0),
                 data = LLVMConstInt(i32, 1, 0);
    LLVMValueRef ahead = fxi_gemm_ir_at(e, b, m->b_ahead);
    for (int64_t line = 0; line < (int64_t)(m->vectors * m->lanes) * m->bytes; line += 64) {
        LLVMValueRef args[4] = {fxi_gemm_ir_at_const(e, ahead, line), read, locality, data};
        fxi_emit_intrinsic(e, "llvm.prefetch", pointer, args, 4);
    }
}

/* One step of p. Of a complex product, re += ar br, im += ar bi for all vectors, then re -= ai bi, im += ai
 * br. */
static void multiply(micro *m, LLVMValueRef a_row, LLVMValueRef b) {
    LLVMValueRef row[2][MAX_VECTORS];
    for (unsigned plane = 0; plane < m->planes; plane++) {
        LLVMValueRef base = plane == 0 ? b : fxi_gemm_ir_at(m->e, b, m->b_plane);
        for (unsigned j = 0; j < m->vectors; j++) {
            LLVMValueRef at = fxi_gemm_ir_at_const(m->e, base, (int64_t)(j * m->lanes) * m->bytes);
            row[plane][j] = fxi_gemm_ir_load(m->e, m->compute, m->compute, at, m->lanes, mask_of(m, j));
        }
    }
    for (unsigned i = 0; i < m->rows; i++) {
        for (unsigned part = 0; part < m->planes; part++) {
            LLVMValueRef a = load_a(m, a_row, part);
            for (unsigned plane = 0; plane < m->planes; plane++)
                for (unsigned j = 0; j < m->vectors; j++) {
                    LLVMValueRef *sum = &m->sums[plane][i][j];
                    *sum = fxi_gemm_ir_fma(m->e, a, row[plane ^ part][j], *sum, part == 1 && plane == 0);
                }
        }
        a_row = m->by_rows ? fxi_gemm_ir_at(m->e, a_row, m->a_stride)
                           : fxi_gemm_ir_at_const(m->e, a_row, m->bytes);
    }
}

/* Phis of a loop for all sums; they are the sums from here on. */
static void carry_sums(micro *m, const fxi_gemm_loop *loop, LLVMValueRef phis[2][MAX_ROWS][MAX_VECTORS]) {
    for (unsigned plane = 0; plane < m->planes; plane++)
        for (unsigned i = 0; i < m->rows; i++)
            for (unsigned j = 0; j < m->vectors; j++)
                m->sums[plane][i][j] = fxi_gemm_ir_phi(m->e, loop, m->sums[plane][i][j]);
    memcpy(phis, m->sums, sizeof m->sums);
}

/* The end of the loop's body; the phis are what is left behind it. */
static void hand_on_sums(micro *m, LLVMValueRef phis[2][MAX_ROWS][MAX_VECTORS]) {
    for (unsigned plane = 0; plane < m->planes; plane++)
        for (unsigned i = 0; i < m->rows; i++)
            for (unsigned j = 0; j < m->vectors; j++)
                fxi_gemm_ir_next(m->e, phis[plane][i][j], m->sums[plane][i][j]);
    memcpy(m->sums, phis, sizeof m->sums);
}

/* Sums over p from a and b on; gives the b behind them. */
static LLVMValueRef emit_loop(micro *m, LLVMValueRef first_a, LLVMValueRef first_b) {
    fxi_emit *e = m->e;
    LLVMValueRef phis[2][MAX_ROWS][MAX_VECTORS];
    LLVMValueRef step = m->by_rows ? fxi_gemm_ir_i64(e, m->bytes) : m->a_stride;
    fxi_gemm_loop loop = fxi_gemm_ir_begin(e, fxi_gemm_ir_i64(e, 0), fxi_gemm_ir_field(e, DEPTH));
    LLVMValueRef a = fxi_gemm_ir_phi(e, &loop, first_a);
    LLVMValueRef b = fxi_gemm_ir_phi(e, &loop, first_b);
    carry_sums(m, &loop, phis);
    prefetch_b(m, b);
    multiply(m, a, b);
    fxi_gemm_ir_next(e, a, fxi_gemm_ir_at(e, a, step));
    fxi_gemm_ir_next(e, b, fxi_gemm_ir_at(e, b, m->b_stride));
    hand_on_sums(m, phis);
    fxi_gemm_ir_end(e, &loop, 1);
    return b;
}

/* Run after run of A, b going on. */
static void emit_runs(micro *m) {
    fxi_emit *e = m->e;
    LLVMValueRef phis[2][MAX_ROWS][MAX_VECTORS], step = fxi_gemm_ir_field(e, RUN_STEP);
    fxi_gemm_loop loop = fxi_gemm_ir_begin(e, fxi_gemm_ir_i64(e, 0), fxi_gemm_ir_field(e, RUNS));
    LLVMValueRef a = fxi_gemm_ir_phi(e, &loop, fxi_gemm_ir_argument(e, 0));
    LLVMValueRef b = fxi_gemm_ir_phi(e, &loop, fxi_gemm_ir_argument(e, 1));
    carry_sums(m, &loop, phis);
    LLVMValueRef next_b = emit_loop(m, a, b);
    fxi_gemm_ir_next(e, a, fxi_gemm_ir_at(e, a, step));
    fxi_gemm_ir_next(e, b, next_b);
    hand_on_sums(m, phis);
    fxi_gemm_ir_end(e, &loop, 1);
}

void fxi_gemm_emit_micro(fxi_emit *e, const fxi_gemm_kernel *kernel) {
    fx_dtype compute = (fx_dtype)kernel->to;
    micro m = {.e = e, .compute = compute, .by_rows = kernel->kind != FXI_GEMM_MICRO_UNIT};
    m.rows = kernel->rows;
    m.vectors = kernel->vectors;
    m.planes = fx_dtype_is_complex(compute) ? 2 : 1;
    m.bytes = fxi_gemm_ir_component(compute);
    fxi_gemm_ir_function(e, 4);
    m.lanes = fxi_gemm_ir_lanes(e, compute);
    m.a_stride = fxi_gemm_ir_field(e, A_STRIDE);
    m.b_stride = fxi_gemm_ir_field(e, B_STRIDE);
    m.a_plane = fxi_gemm_ir_field(e, A_PLANE);
    m.b_plane = fxi_gemm_ir_field(e, B_PLANE);
    m.b_ahead = fxi_gemm_ir_field(e, B_AHEAD);
    if (kernel->masked) {
        LLVMValueRef last =
            fxi_gemm_ir_add(e, fxi_gemm_ir_field(e, WIDTH), -(int64_t)((m.vectors - 1) * m.lanes));
        m.mask = fxi_gemm_ir_mask(e, last, m.lanes);
    }
    start_sums(&m);
    if (kernel->kind == FXI_GEMM_MICRO_RUNS)
        emit_runs(&m);
    else
        emit_loop(&m, fxi_gemm_ir_argument(e, 0), fxi_gemm_ir_argument(e, 1));
    store_sums(&m);
    LLVMBuildRetVoid(e->builder);
}

bool fxi_gemm_emit(fxi_emit *e, const void *description, fx_error *err) {
    const fxi_gemm_kernel *kernel = description;
    switch ((fxi_gemm_kind)kernel->kind) {
    case FXI_GEMM_MICRO_UNIT:
    case FXI_GEMM_MICRO_ROWS:
    case FXI_GEMM_MICRO_RUNS: fxi_gemm_emit_micro(e, kernel); return true;
    case FXI_GEMM_MOVE_ROWS:
    case FXI_GEMM_MOVE_TRANSPOSE:
    case FXI_GEMM_MOVE_STRIDED: fxi_gemm_emit_move(e, kernel); return true;
    case FXI_GEMM_STREAM: fxi_gemm_emit_stream(e, kernel); return true;
    case FXI_GEMM_DOT: fxi_gemm_emit_dot(e, kernel); return true;
    }
    return fxi_fail(err, FX_ERROR_INTERNAL, "matmul: unknown kind of kernel %d", (int)kernel->kind);
}
