/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of attention's gradient share: a run, and what a task works with. */
#ifndef FXI_ATTENTION_GRAD_H
#define FXI_ATTENTION_GRAD_H

#include "attention.h"

typedef struct fxi_attn_grad {
    const fxi_host_call *call;
    const fxi_attn *a;
    atomic_int *busy;
    char *slots, *means; /* means: [batch][heads][queries] */
    char *parts;         /* adjoints of queries, as often as keys are cut */
    int64_t part_bytes;
    char *bias, *mask; /* where their adjoints gather */
} fxi_attn_grad;

typedef struct fxi_attn_work {
    const fxi_attn_grad *g;
    fxi_attn_at t;
    int64_t keys; /* where the block begins */
    fxi_attn_part k, v;
    char *queries; /* where adjoints of queries gather, laid out as queries */
    /* parts of the slot; scores, adjoints and finished ones lie `term` bytes apart */
    char *turned, *scores, *terms, *state, *key_rows, *value_rows, *query_rows, *adjoint_rows;
    char *dk, *dv, *sums;
} fxi_attn_work;

/* attention_grad_plan.c */
void *fxi_attn_grad_prepare(const fx_node *node, const fxi_target *target, fx_error *err);
void fxi_attn_work_begin(fxi_attn_work *w, const fxi_attn_grad *g, char *slot);

/* attention_rows.c: rows of a panel (queries, or adjoints of the output) in vectors of `wide` elements. */
void fxi_attn_rows_load(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_turned *x, int64_t wide,
                        char *to, fxi_attn_part *rows);
/* to[key][dim] += sum over rows of coefficients[key][row] rows[row][dim], the rows being s->part; to has rows
 * of part->wide elements and room for a tile behind the last key. */
void fxi_attn_add_rows(const fxi_attn_at *t, const fxi_attn_panel *p, const fxi_attn_sum *s);

#endif
