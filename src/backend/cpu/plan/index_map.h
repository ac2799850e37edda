/* SPDX-License-Identifier: Apache-2.0 */
/* Affine index maps: where in a node an iteration of a loop nest looks. Each axis of the node has one row,
 * an offset plus a coefficient per loop. Transpose, broadcast, slice, reverse and most reshapes are
 * changes of rows, so they cost nothing at run time; a reshape may have to split a loop in two (a common
 * refinement of all shapes in the nest). */
#ifndef FXI_INDEX_MAP_H
#define FXI_INDEX_MAP_H

#include "graph/graph.h"

#define FXI_LOOPS 24

typedef struct fxi_loops {
    int count;
    int64_t extent[FXI_LOOPS];
    bool reduce[FXI_LOOPS]; /* summed over; else a dimension of the result */
    /* what the owner of the nest calls a loop, e.g. fxi_dot_group; kept by splitting */
    uint8_t group[FXI_LOOPS];
} fxi_loops;

typedef struct fxi_index_map {
    int rank; /* rows; a linear map has one: the element offset in row-major order */
    bool linear;
    int64_t offset[FX_MAX_RANK];
    int64_t coef[FX_MAX_RANK][FXI_LOOPS];
} fxi_index_map;

/* A nest and all maps into it, so that splitting a loop changes all of them together. */
typedef struct fxi_nest {
    fxi_loops loops;
    FXI_VEC(fxi_index_map *) maps;
} fxi_nest;

void fxi_nest_free(fxi_nest *nest);
/* Adds a copy of the map, or finds an equal one; its number, or -1: no memory. */
int fxi_nest_add_map(fxi_nest *nest, const fxi_index_map *map);
/* Appends a loop; its number, or -1 when there are too many. */
int fxi_nest_add_loop(fxi_nest *nest, int64_t extent, bool reduce);

/* One loop per axis of the shape that is not 1, in order, and the map that follows them. False: too many
 * loops. */
bool fxi_nest_identity(fxi_nest *nest, const fx_shape *shape, bool reduce, fxi_index_map *map);

/* Map of operand 0 of a MOVE node (not concatenate, not bitcast) from map number `result` of the node.
 * FXI_MAP_LINEAR: only the offset in row-major order could be expressed (a reshape without common
 * refinement): the operand must be in memory. */
typedef enum fxi_map_outcome { FXI_MAP_FAILED, FXI_MAP_ROWS, FXI_MAP_LINEAR } fxi_map_outcome;
fxi_map_outcome fxi_map_operand(fxi_nest *nest, const fx_node *node, int result, fxi_index_map *operand);

/* The one-row form over a dense row-major array of that shape; a linear map is given back as it is. */
void fxi_map_linearize(const fxi_index_map *map, const fx_shape *shape, fxi_index_map *linear);
/* Whether the linear map visits 0, 1, 2, ... as the non-reduction loops run in order and covers them all. */
bool fxi_map_is_dense(const fxi_loops *loops, const fxi_index_map *linear);

#endif
