/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of einsum: einsum_parse.c reads the equation, einsum.c makes the nodes, einsum_order.c
 * says which two terms come next. Axes are labels: small numbers, first those of the letters in the order of
 * ASCII, then those of the ellipsis; a set of labels is a mask. */
#ifndef FXI_EINSUM_INTERNAL_H
#define FXI_EINSUM_INTERNAL_H

#include "ops/ops.h"

enum { FXI_EINSUM_LABELS = 64, FXI_EINSUM_OPERANDS = 64, FXI_EINSUM_EXACT = 8 };

/* An operand or a product of some: which label each axis has. */
typedef struct fxi_einsum_term {
    fx_node *node;
    uint64_t set; /* of labels; valid when no label stands twice */
    int rank;
    uint8_t labels[FX_MAX_RANK];
} fxi_einsum_term;

typedef struct fxi_einsum {
    fxi_build b;
    const char *equation;
    size_t count;
    fxi_einsum_term terms[FXI_EINSUM_OPERANDS];
    fxi_einsum_term output;          /* no node */
    int64_t dims[FXI_EINSUM_LABELS]; /* dimension of each label */
    uint8_t used[FXI_EINSUM_LABELS]; /* axes of operands that have it */
    char letters[FXI_EINSUM_LABELS]; /* '.' for those of the ellipsis */
} fxi_einsum;

/* Fills everything but the sets and nodes of the terms from an equation and operands of one dtype; refuses
 * what does not fit, naming the place in the equation. */
bool fxi_einsum_parse(fxi_einsum *e, fx_nodes operands);

/* Number of elements that a set of labels spans; a double, which cannot overflow. */
double fxi_einsum_size(const fxi_einsum *e, uint64_t set);

/* Number of labels in a set. */
static inline int fxi_einsum_rank(uint64_t set) {
    int n = 0;
    for (; set; set &= set - 1) n++;
    return n;
}

/* The steps of a product of all terms: step i multiplies two terms (operands come first, results after
 * them in order) and keeps these labels. There are count - 1. */
typedef struct fxi_einsum_step {
    int lhs, rhs;
    uint64_t keep;
} fxi_einsum_step;
void fxi_einsum_order(const fxi_einsum *e, fxi_einsum_step *steps);

#endif
