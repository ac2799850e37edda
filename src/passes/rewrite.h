/* SPDX-License-Identifier: Apache-2.0 */
/* The rewriter's state, shared by the passes of this folder. A new graph is built node by node in the old
 * one's order, so one walk does everything: each node is first offered to the rules of its operation, then
 * to folding, then looked up among equal nodes, and only then appended. */
#ifndef FXI_REWRITE_H
#define FXI_REWRITE_H

#include "ops/ops.h"
#include "passes.h"

typedef struct fxi_rewrite {
    fx_graph *graph; /* under construction */
    fxi_map equal;   /* nodes of the new graph by content */
    bool simplify;   /* with rules and folding */
    bool bodies;     /* closures go through all passes; else they stay as they are */
    FXI_VEC(fx_node *) operands; /* of the node at hand */
    uint64_t *fired; /* per rule, or NULL */
    bool failed;     /* no memory */
    int nested;      /* rules that apply rules */
    /* by id in the new graph: how often the nodes that it stands for are read; 0 when it stands for none */
    FXI_VEC(uint32_t) uses;
    FXI_VEC(const fx_node *) sorts; /* of the old graph, in order */
    size_t next_sort;               /* the first of them that the walk has not reached */
} fxi_rewrite;

/* What a node is about to become: operands are nodes of the new graph. */
typedef struct fxi_draft {
    fx_op op;
    fx_node *operands[FXI_MAP_OPERANDS]; /* of ops with at most so many */
    fx_node *const *all;  /* the operands, however many */
    size_t operand_count;
    const fxi_attr *attrs;
    size_t attr_count;
    const fx_shape *shape;
} fxi_draft;
static inline fx_dims fxi_draft_ints(const fxi_draft *d, fxi_attr_id id) {
    for (size_t i = 0; i < d->attr_count; i++)
        if (d->attrs[i].id == id) return d->attrs[i].u.ints;
    return (fx_dims){NULL, 0};
}

/* rewrite.c: a new, finished graph that means the same: nothing unneeded of the old one, equal nodes shared,
 * and what the rules and folding say. fired: how often each rule applied, fxi_rules_count() numbers, is
 * added to it; or NULL. */
fx_graph *fxi_simplify(const fx_graph *graph, uint64_t *fired, fx_error *err);
/* The same without rules and folding. */
fx_graph *fxi_prune(const fx_graph *graph, fx_error *err);
/* Whether a node is needed by no output and no label. False: no memory. */
bool fxi_has_dead_nodes(const fx_graph *graph, bool *dead, fx_error *err);

/* fxi_rewrite_copy of a node that gets other closures. */
bool fxi_rewrite_copy_with(fxi_rewrite *r, const fx_node *n, fxi_graphs bodies, fx_node **map);
/* Simplified, but closures stay as they are. */
fx_graph *fxi_simplify_outside(const fx_graph *graph, fx_error *err);
/* Appends what becomes of a node, whose operands are map[their ids], place and labels included, and enters it
 * into the map. False: no memory. */
bool fxi_rewrite_copy(fxi_rewrite *r, const fx_node *node, fx_node **map);
/* Finishes the new graph with what the outputs of g became. */
bool fxi_rewrite_finish(fxi_rewrite *r, const fx_graph *g, fx_node *const *map, fx_error *err);
void fxi_rewrite_end(fxi_rewrite *r); /* frees all but the graph */

/* cse.c: appends a node, or gives an equal one. NULL: no memory. */
fx_node *fxi_rewrite_add(fxi_rewrite *r, const fxi_draft *draft);

/* rules.c: the node that replaces the draft, or NULL when no rule applies. */
fx_node *fxi_rules_apply(fxi_rewrite *r, const fxi_draft *draft);
size_t fxi_rules_count(void);
const char *fxi_rules_name(size_t rule);

/* rewrite.c: whether only one node reads it, so that it vanishes when that one does not. */
bool fxi_rewrite_is_sole(const fxi_rewrite *r, const fx_node *node);

/* rules_slice.c: rules of rules.c's table. */
fx_node *fxi_rule_slice_slice(fxi_rewrite *r, const fxi_draft *draft);
fx_node *fxi_rule_slice_concatenate(fxi_rewrite *r, const fxi_draft *draft);
fx_node *fxi_rule_slice_pad(fxi_rewrite *r, const fxi_draft *draft);
fx_node *fxi_rule_pad_crop(fxi_rewrite *r, const fxi_draft *draft);

/* rewrite_sort.c: notes a sort of the old graph before the walk. False: no memory. */
bool fxi_rewrite_note_sort(fxi_rewrite *r, const fx_node *node);
/* The sort that `node` should become: a near one that sorts the same by the same keys and carries an index
 * too, as derivatives of sorts do, so that there is one sort instead of two; else node. */
const fx_node *fxi_rewrite_wider_sort(fxi_rewrite *r, const fx_node *node);

/* fold.c: a constant instead of an exact operation on small constants, or NULL. */
fx_node *fxi_fold(fxi_rewrite *r, const fxi_draft *draft);

#endif
