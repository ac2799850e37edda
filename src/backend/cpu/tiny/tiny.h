/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over small tensors, compiled whole: every tensor of the closures has at most FXI_TINY_ELEMENTS
 * elements and lives in one vector value, so that a round of the loop is straight-line code in registers
 * and costs no step, no table and no memory. Each operation is one vector operation or a few; moves are
 * shuffles with constant masks. */
#ifndef FXI_TINY_H
#define FXI_TINY_H

#include "../jit/jit.h"
#include "graph/graph.h"

enum {
    FXI_TINY_ELEMENTS = 64, /* of one tensor */
    FXI_TINY_NODES = 256,   /* of all closures */
    FXI_TINY_COST = 3000    /* vector instructions of one round, estimated */
};

/* Lanes of the vector that holds a tensor of this shape: 1 for a single element, else a power of two. */
static inline unsigned fxi_tiny_lanes(const fx_shape *shape) {
    int64_t size = fx_shape_size(shape);
    unsigned lanes = 1;
    while (lanes < size) lanes *= 2;
    return lanes;
}

/* tiny_fit.c: whether a WHILE or SCAN can be compiled so. */
bool fxi_tiny_fits(const fx_node *loop);

/* operands and results as in fxi_control_run; length: of a scan. */
typedef void (*fxi_tiny_fn)(char *const *operands, char *const *results, int64_t length);
/* tiny_loop.c: code shared through the kernel cache; *run is its function. */
fxi_code *fxi_tiny_compile(const fx_node *loop, const fxi_target *target, fxi_tiny_fn *run, fx_error *err);

/* emit_tiny.c: the values of all nodes of a closure, by id; those of the parameters are there already. */
void fxi_emit_tiny(fxi_emit *e, const fx_graph *graph, fxi_value *values);

/* tiny_index.c: which operand element a result element is. */
typedef struct fxi_tiny_index {
    int64_t v[FX_MAX_RANK];
} fxi_tiny_index;
fxi_tiny_index fxi_tiny_unflatten(const fx_shape *shape, int64_t flat);
int64_t fxi_tiny_flatten(const fx_shape *shape, const fxi_tiny_index *index);
/* Of BROADCAST_IN_DIM, RESHAPE, TRANSPOSE, SLICE and REVERSE: the element of the operand. */
int64_t fxi_tiny_moved_from(const fx_node *node, int64_t flat);
/* Element number `step` of those that REDUCE combines into result element flat; their number. */
int64_t fxi_tiny_reduced_from(const fx_node *node, int64_t flat, int64_t step);
int64_t fxi_tiny_reduced(const fx_node *node);
/* Of DOT_GENERAL: elements of both operands that are multiplied in that step for a result element; number
 * of steps. */
void fxi_tiny_multiplied(const fx_node *node, int64_t flat, int64_t step, int64_t *lhs, int64_t *rhs);
int64_t fxi_tiny_contracted(const fx_node *node);

#endif
