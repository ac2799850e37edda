/* SPDX-License-Identifier: Apache-2.0 */
/* Moving work out of loops: what the two files of it share. hoist_find.c decides, hoist.c does it. */
#ifndef FXI_HOIST_H
#define FXI_HOIST_H

#include "rewrite.h"

/* What a node of a loop's body depends on; the greatest of its operands'. */
typedef enum fxi_depends {
    FXI_DEPENDS_NOT,   /* captures and constants: the same in every round */
    FXI_DEPENDS_SLICE, /* slices of stacked inputs: known for all rounds before the first */
    FXI_DEPENDS_STATE  /* states; also what must stay where it is */
} fxi_depends;

/* A closure of a loop, and what of it moves out. By node id. */
typedef struct fxi_hoist {
    const fx_node *loop;
    const fx_graph *body;
    size_t states, inputs;
    int64_t rounds;         /* -1: not known */
    unsigned char *depends; /* fxi_depends */
    bool *moved;            /* computed before the loop */
    bool *kept;             /* needed inside: computed there, or read from what moved */
    bool *solid;            /* a move that is done before the loop and read inside */
    bool *turned;           /* needed inside with its last axis first, which is done before the loop */
    bool any;
} fxi_hoist;
/* Decides for closure number `closure` of a loop. False: no memory; to be freed in any case. */
bool fxi_hoist_find(fxi_hoist *h, const fx_node *loop, size_t closure);
void fxi_hoist_free(fxi_hoist *h);
/* Whether something is computed before the loop and read inside. */
bool fxi_hoist_is_read(const fxi_hoist *h, const fx_node *node);
/* Whether a product of the body reads its right operand with the last axis first. */
bool fxi_hoist_turns(const fxi_hoist *h, const fx_node *node);
/* Whether result `output` of the body needs no round of the loop. */
bool fxi_hoist_is_output(const fxi_hoist *h, size_t output);
/* *made: the graph with all of it moved, NULL when nothing does. */
bool fxi_hoist_graph(const fx_graph *graph, fx_graph **made, fx_error *err);

#endif
