/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the scan's reverse rule share. The plan:
 *
 *   pair     a closure that holds one round and its reverse: the body, inlined, and the adjoints of its
 *            inputs given those of its outputs. It is no part of the program; it is taken apart:
 *   split    (scan_split.c) the pair's nodes that depend on adjoints are the body of the reverse scan. What
 *            these read of the rest, the residuals, is stacked by the forward scan, or computed again from
 *            what is at hand where that costs less than reading it.
 *   sums     (scan_sums.c) adjoints of captured values are sums over the rounds. A product's sum is one
 *            product of stacked operands, outside.
 *   forward  the scan again with the residuals as further stacked results; the pass that merges scans runs it
 *            in place of the original.
 *   reverse  the scan in the other direction. */
#ifndef FXI_SCAN_RULE_H
#define FXI_SCAN_RULE_H

#include "grad_internal.h"

/* One summand of a captured value's adjoint: chain(sum over the rounds of core), where the chain leads from
 * `root` down to `core` through operations of one operand that may as well be done after the sum. */
typedef struct fxi_scan_term {
    size_t parameter; /* of the body */
    fx_node *root, *core;
    bool outside;
} fxi_scan_term;

typedef enum fxi_scan_how {
    FXI_SCAN_NOT_AT_HAND, /* in the reverse scan */
    FXI_SCAN_GIVEN,       /* a slice, a captured value, an adjoint */
    FXI_SCAN_STACKED,
    FXI_SCAN_AGAIN,  /* computed in the reverse scan */
    FXI_SCAN_BEFORE, /* the same in all rounds: computed outside */
} fxi_scan_how;

enum { FXI_SCAN_VARYING = 1, FXI_SCAN_ADJOINT = 2 };

typedef struct fxi_scan {
    const fxi_vjp *v;
    fxi_arena arena; /* all lists */
    const fx_node *n;
    fx_graph *body;
    size_t states, inputs, parameters, outputs;
    int64_t length;
    bool backwards;
    bool *wanted;  /* per parameter of the body: its adjoint is asked for in a round */
    bool *carried; /* per state: its adjoint goes from round to round */
    /* the pair */
    fx_graph *pair;
    size_t body_end;    /* nodes from here on were made by derivatives */
    fx_node **value;    /* per output of the body */
    fx_node **incoming; /* per output of the body: the parameter with its adjoint, NULL: none */
    fx_node **found;    /* per parameter of the body: its adjoint, NULL: zero */
    /* the sums */
    FXI_VEC(fxi_scan_term) terms;
    bool *late; /* per parameter of the body, of slices: the adjoint is made outside too */
    bool *row;  /* by id of the pair: an adjoint that the reverse scan stacks */
    /* the split, by id of the pair */
    unsigned char *depends;
    unsigned char *how;
    bool *used; /* in the reverse scan */
    bool *kept; /* stacked for use outside */
    /* arrays with all rounds, or values that are the same in all, in the outer graph */
    fx_node **stack;
} fxi_scan;

/* scan_reverse.c: the rule. */
void fxi_scan_vjp(const fxi_vjp *v);
/* Zeroed memory of the arena; NULL after refusing. */
void *fxi_scan_room(fxi_scan *s, size_t count, size_t size);
/* Decides which sums are made outside. False after refusing. */
bool fxi_scan_find_sums(fxi_scan *s);
/* The sum of a term that is made outside, when the stacks are there. */
fx_node *fxi_scan_sum(const fxi_scan *s, const fxi_scan_term *term);
/* The adjoints of all slices of an input that are made outside, when the stacks are there. */
fx_node *fxi_scan_late(fxi_scan *s, size_t parameter);
/* Fills depends. */
bool fxi_scan_mark(fxi_scan *s);
/* Decides what is stacked. False after refusing. */
bool fxi_scan_split(fxi_scan *s);

#endif
