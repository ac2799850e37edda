/* SPDX-License-Identifier: Apache-2.0 */
/* The rewriter's state, shared by the passes of this folder. A new graph is built node by node in the old one's order, so one
 * walk does everything: each node is first offered to the rules of its operation, then to folding, then looked up among equal
 * nodes, and only then appended. */
#ifndef FXI_REWRITE_H
#define FXI_REWRITE_H

#include "ops/ops.h"
#include "passes.h"

typedef struct fxi_rewrite {
    fx_graph *graph;    /* under construction */
    fxi_map equal;      /* nodes of the new graph by content */
    uint64_t *fired;    /* per rule, or NULL */
    bool failed;        /* no memory */
} fxi_rewrite;

/* What a node is about to become: operands are nodes of the new graph. */
typedef struct fxi_draft {
    fx_op op;
    fx_node *operands[3];      /* of ops with at most three */
    fx_node *const *all;       /* the operands, however many */
    size_t operand_count;
    const fxi_attr *attrs;
    size_t attr_count;
    const fx_shape *shape;
} fxi_draft;

/* Appends a node, or gives an equal one (cse.c). NULL: no memory. */
fx_node *fxi_rewrite_add(fxi_rewrite *r, const fxi_draft *draft);

/* rules.c: the node that replaces the draft, or NULL when no rule applies. */
fx_node *fxi_rules_apply(fxi_rewrite *r, const fxi_draft *draft);
size_t fxi_rules_count(void);
const char *fxi_rules_name(size_t rule);

/* fold.c: a constant instead of an exact operation on small constants, or NULL. */
fx_node *fxi_fold(fxi_rewrite *r, const fxi_draft *draft);

#endif
