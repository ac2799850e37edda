/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of attention share: the plan and what a task works with.
 *
 * Scores are kept turned, [key][row]: a row is one query of one head, and a panel of as many rows as a
 * micro-kernel of the matrix products has columns lies in the lanes of vectors. So keys and values are read
 * as they lie, only queries are turned, once; maxima and sums over keys are operations between vectors; and
 * a row's limits are lanes to compare with. A block of FXI_ATTN_KEYS keys is worked on at a time, by all
 * panels of a task, whose scores for it never leave the near cache.
 *
 * Rows of heads that share a key head go into one panel where there are few queries. All cuts follow from
 * the shapes; the keys that a row sees are met in ascending order, in blocks that begin at multiples of
 * FXI_ATTN_KEYS, so a row's bits depend on nothing else.
 *
 * A key that a row does not see gets the coefficient -0: it adds nothing in a product, and where values are
 * not finite the product is done number by number, without those keys (fxi_attn_is_unseen). */
#ifndef FXI_ATTENTION_KERNELS_H
#define FXI_ATTENTION_KERNELS_H

#include "../gemm/gemm_internal.h"
#include "kernels.h"

#include <math.h>
#include <stdatomic.h>

enum {
    FXI_ATTN_KEYS = 128, /* of a block */
    FXI_ATTN_ROWS = 128, /* of a task */
    FXI_ATTN_CODES = 16,
    FXI_ATTN_SLOTS = 64, /* tasks that may run at once, each with a part of the workspace */
    FXI_ATTN_FEW_SLOTS = 16,
    FXI_ATTN_SLACK = 16,     /* keys or rows that tiles and turning moves may go over the end */
    FXI_ATTN_LINE_ROWS = 8,  /* of a line at most, as many as kernels of few rows take */
    FXI_ATTN_MOST_DIM = 1024 /* of a head: what is kept in the caches grows with it */
};
#define FXI_ATTN_SLOTS_BYTES ((size_t)16 << 20)

/* ---- emit_attention.c: what is done to the scores of a panel, vector by vector ---- */

/* What is baked in, the key of the kernel cache. Functions "free" and, if wanted, "bounded" (by
 * FXI_ATTN_FIRST and END). */
typedef struct fxi_attn_rows {
    char tag[4]; /* "attn" */
    uint8_t compute, gradient, softcap, bias, added, masked, raw, bounded;
} fxi_attn_rows;

/* Lanes of a vector of these kernels. */
static inline int64_t fxi_attn_lanes(fx_dtype compute) {
    return compute == FX_F64 ? 8 : 16;
}

/* Planes of a panel's state, each an element of the compute type (or an integer of its size) per row. */
typedef enum fxi_attn_plane {
    FXI_ATTN_MOST,  /* largest score so far; gradient: logsumexp */
    FXI_ATTN_SUM,   /* of exponentials; gradient: sum of output times its adjoint */
    FXI_ATTN_SCALE, /* what earlier sums are to be multiplied with */
    FXI_ATTN_FIRST, /* first key seen, from the block's beginning on */
    FXI_ATTN_END,
    FXI_ATTN_PLANES
} fxi_attn_plane;

/* Argument block, all int64; the order is known to the emitter. */
typedef struct fxi_attn_block {
    int64_t stride;     /* bytes from key to key, in scores and terms */
    int64_t first, end; /* keys */
    int64_t plane;      /* bytes from plane to plane of the state */
    int64_t term;       /* bytes from the bias to the mask (which holds numbers to add, or 0 and 1) */
    int64_t scale, cap, cap_inverse; /* bits of numbers of the compute type */
    int64_t other;                   /* gradient: bytes from the scores to the adjoints of the coefficients */
    int64_t raw; /* gradient, raw: bytes from the scores to the adjoints of the finished scores */
} fxi_attn_block;

/* Forward: scores become coefficients, not yet divided by their sum. Gradient: scores become coefficients,
 * their adjoints those of the products of queries and keys. */
typedef void (*fxi_attn_rows_fn)(void *scores, void *state, const void *terms, const fxi_attn_block *args);

bool fxi_attn_emit(fxi_emit *e, const void *description, fx_error *err); /* an fxi_kernel_build */

/* ---- the plan (attention_plan.c) ---- */

/* An operand or result with a row of numbers for each (batch, head, position): element strides. */
typedef struct fxi_attn_rows_of {
    int64_t batch, head, row;
} fxi_attn_rows_of;

typedef struct fxi_attn_term {
    int operand; /* -1: not given */
    fx_dtype dtype;
    int64_t bytes;                 /* of an element */
    int64_t batch, head, row, key; /* element strides, 0 where the dimension is 1 */
    fxi_gemm_move_fn move;         /* to the compute type; NULL: a mask of bool */
} fxi_attn_term;

typedef struct fxi_attn {
    fx_dtype dtype, compute;
    int64_t in_bytes, bytes; /* of an element of dtype and compute */
    int64_t batch, heads, key_heads, group, queries, keys, dim, value_dim;
    bool causal, has_offset;
    int64_t offset, window;
    fxi_attn_rows_of q, k, v, o;
    fxi_attn_term bias, mask;
    bool wants_bias, wants_mask;    /* their adjoints */
    int mask_result;                /* that of the mask */
    int given;                      /* operands of fx.attention */
    int query_lengths, key_lengths; /* operands, -1: not given */

    /* rows of a unit (the heads of `merged` ones, one after the other), and how they are cut */
    int64_t merged, units, rows, chunk_rows, chunks, tasks, slots;
    /* gradient: tasks are batch_cuts x head_cuts x key_cuts, the last in blocks of keys; parts: adjoints of
     * queries, one for each of key_cuts, where the result itself does not do */
    int64_t batch_cuts, head_cuts, key_cuts, block_count;
    bool parts;
    size_t means_bytes, parts_bytes, bias_bytes, mask_bytes; /* before the slots */
    int64_t tile, lanes, panel, panel_rows;                  /* panel_rows: room of a panel, whole tiles */
    int64_t wide_dim, wide_value;                            /* rounded up to lanes */
    int64_t room;                                            /* keys that buffers for a block have room for */
    bool dense_keys, dense_values;                           /* whole vectors of them may be read in place */

    fxi_attn_block block; /* with what is the same everywhere */
    fxi_attn_rows form;
    fxi_attn_rows_fn rows_free, rows_bounded;
    fxi_gemm_micro_fn by_rows[2], by_units[2]; /* left operand [i][p] or [p][i]; of one vector and of two */
    fxi_gemm_move_fn turn, turn_output;        /* rows of queries, of the output's adjoint, to [dim][row] */
    fxi_gemm_move_fn widen, narrow;            /* rows of dtype to compute, and back */
    fxi_code *codes[FXI_ATTN_CODES];
    int code_count;
    bool line;                      /* one query and few rows: attention_line.c */
    fxi_gemm_narrow_fn dot, stream; /* of a line: keys times queries, coefficients times values */
    size_t slot_bytes, workspace;
} fxi_attn;

/* A part of a slot, 64-byte aligned, at *end, which moves on. */
static inline size_t fxi_attn_place(size_t *end, int64_t bytes) {
    size_t at = *end;
    *end += (size_t)fxi_size_lines(bytes) + 64;
    return at;
}
/* How many tasks share the workspace, given what each needs and how many parts of the work there are. */
void fxi_attn_cut_slots(fxi_attn *a, int64_t parts, size_t slot_bytes);

/* A plan of fx.attention or fx.attention_grad; NULL after an error. */
fxi_attn *fxi_attn_plan(const fx_node *node, bool gradient, const fxi_target *target, fx_error *err);
/* Its kernels: an fxi_host_kernel.compile. */
bool fxi_attn_compile(void *state, const fxi_target *target, fx_error *err);
/* The others of an fxi_host_kernel. */
void fxi_attn_release(void *state);
int64_t fxi_attn_workspace(const void *state);
void fxi_attn_free(fxi_attn *a);            /* NULL-safe */
bool fxi_attn_accepts(const fx_node *node); /* both */

/* Whether a coefficient is that of a key that is not seen. A NaN may have that sign too. */
static inline bool fxi_attn_is_unseen(double coefficient) {
    return coefficient == 0 && signbit(coefficient);
}

/* ---- blocks and panels (attention_block.c) ---- */

/* Some rows of keys or values in the compute type. */
typedef struct fxi_attn_part {
    const char *at;
    int64_t stride;   /* bytes */
    const char *tail; /* the rows from `whole` on, fewer than a tile, with room for one */
    int64_t tail_stride, whole, count, dim, wide;
    int finite; /* 1 yes, 0 no, -1 not looked yet */
} fxi_attn_part;

/* Up to a.panel rows of a task. */
typedef struct fxi_attn_panel {
    int64_t row, count;                     /* in the unit */
    int64_t first, end;                     /* keys that any row sees */
    int64_t unbounded_first, unbounded_end; /* keys that all see */
    bool started;
    char *state; /* planes */
} fxi_attn_panel;

/* What a task is about, beside the plan. */
typedef struct fxi_attn_at {
    const fxi_attn *a;
    const fxi_host_call *call;
    int64_t batch, unit; /* unit: number of the head, or of the key head where heads are merged */
    int64_t query_count, key_count, offset; /* by the lengths */
    int64_t row, count;                     /* rows of the task */
    int64_t limits[FXI_ATTN_ROWS][2];       /* keys that each row sees */
} fxi_attn_at;

/* Head and query of a row. */
static inline int64_t fxi_attn_head(const fxi_attn_at *t, int64_t row) {
    return t->a->merged > 1 ? t->unit * t->a->merged + row / t->a->queries : t->unit;
}
static inline int64_t fxi_attn_query(const fxi_attn_at *t, int64_t row) {
    return t->a->merged > 1 ? row % t->a->queries : row;
}
static inline int64_t fxi_attn_offset(const fxi_attn_rows_of *x, int64_t batch, int64_t head, int64_t row) {
    return batch * x->batch + head * x->head + row * x->row;
}
static inline int64_t fxi_attn_round(int64_t n, int64_t to) {
    return fxi_size_ceil_div(n, to) * to;
}

void fxi_attn_begin(fxi_attn_at *t, int64_t batch, int64_t unit, int64_t row, int64_t count);
/* The panel of rows from t->row + from on, with its limits. */
void fxi_attn_panel_begin(const fxi_attn_at *t, int64_t from, fxi_attn_panel *p);
/* Rows (of queries, or an adjoint) of a panel, turned: [dim][panel], zeros beyond its rows. */
typedef struct fxi_attn_turned {
    const fxi_attn_rows_of *of;
    fxi_gemm_move_fn move;
    const void *from;
    int64_t dim;
} fxi_attn_turned;
void fxi_attn_turn(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_turned *x, char *to);
/* Keys [first, end) of keys or values, in the compute type: in place where that goes, else in `to`, which has
 * room for rows of `wide` elements and a tile more. */
typedef struct fxi_attn_loaded {
    const fxi_attn_rows_of *of;
    const void *from;
    int64_t dim, wide;
    bool by_rows;  /* tiles of whole rows are read */
    bool in_place; /* the operand's rows are read as they lie */
} fxi_attn_loaded;
void fxi_attn_load(const fxi_attn_at *t, const fxi_attn_loaded *x, int64_t first, int64_t end, char *to,
                   fxi_attn_part *part);

/* Products of keys [first, end) of a part with a turned panel: [key][panel]. */
void fxi_attn_scores(const fxi_attn *a, const fxi_attn_part *part, const char *turned, int64_t first,
                     int64_t end, char *scores);
/* Runs the rows kernel over keys [first, end) of the block at `keys`, where bias and mask are. */
void fxi_attn_finish(const fxi_attn_at *t, const fxi_attn_panel *p, int64_t keys, int64_t first, int64_t end,
                     char *scores, char *terms);

/* to[row][dim] = (or +=) sum over keys [first, end) of coefficients[key][row] part[key][dim]. */
typedef struct fxi_attn_sum {
    const char *coefficients, *marks; /* [key][panel]; marks say what to skip: fxi_attn_is_unseen */
    fxi_attn_part *part;
    int64_t keys, first, end; /* keys: the block's place */
    char *to;                 /* rows of part->wide elements */
    bool accumulate;
} fxi_attn_sum;
void fxi_attn_add(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_sum *s);
/* Whether some row may not see some of the keys. */
bool fxi_attn_skips(const fxi_attn *a, const fxi_attn_panel *p, const fxi_attn_sum *s);
bool fxi_attn_is_finite(const fxi_attn *a, fxi_attn_part *part);

/* A mask of bool as 0 and 1: outer goes along keys, inner along rows. */
void fxi_attn_write_mask(const fxi_attn *a, const char *from, const fxi_gemm_move *move, char *to);

/* attention_line.c: a key head of a batch, and the workspace it takes. */
void fxi_attn_line(const fxi_attn *a, const fxi_host_call *call, int64_t number, char *slot);
size_t fxi_attn_line_bytes(const fxi_attn *a);

/* Some slot that is free; there are as many as tasks that run at once. */
int64_t fxi_attn_take_slot(atomic_int *busy, int64_t slots);

#endif
