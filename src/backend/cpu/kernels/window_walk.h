/* SPDX-License-Identifier: Apache-2.0 */
/* Where windows meet the elements of an operand: axes, merged where nothing happens, and the walk over the
 * places of a tile of windows, row by row. Shared by the kernels of reduce_window and select_and_scatter. */
#ifndef FXI_WINDOW_WALK_H
#define FXI_WINDOW_WALK_H

#include "kernels.h"

typedef struct fxi_window_axis {
    int64_t dim, out, window, stride, base, dilation, low; /* out: windows */
} fxi_window_axis;

/* An operand's axes [axes[0], ..., axes[rank - 1], inner]; inner are elements that windows do not combine. */
typedef struct fxi_window_space {
    int rank;
    int64_t inner;
    fxi_window_axis axes[FX_MAX_RANK + 1];
    int64_t strides[FX_MAX_RANK + 1],
        out_strides[FX_MAX_RANK + 1]; /* of the operand and of the windows, in elements */
} fxi_window_space;

/* Windows of one element, as many as elements. */
bool fxi_window_is_plain(const fxi_window_axis *a);
/* The axes of a node's first operand with these windows; neighbours without windows are merged. Rank is at
 * least 1. */
void fxi_window_find(fxi_window_space *s, const fx_node *node, const fx_shape *windows);
void fxi_window_set_strides(fxi_window_space *s);

/* A tile of windows: rows of them along the last axis, columns of inner, one of each other axis. */
typedef struct fxi_window_tile {
    int64_t row, rows, column, columns, out[FX_MAX_RANK + 1];
} fxi_window_tile;
/* Calls visit for every place of the windows, in row-major order, with the rows of the tile that meet an
 * element there: row .. row + rows - 1 meet elements from, from + step, .... Needs axes that are not dilated
 * (base 1) and not empty. */
typedef void (*fxi_window_visit)(void *context, int64_t row, int64_t rows, int64_t from, int64_t step);
void fxi_window_walk(const fxi_window_space *s, const fxi_window_tile *tile, fxi_window_visit visit,
                     void *context);

static inline int64_t fxi_at_most(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t fxi_at_least(int64_t a, int64_t b) {
    return a > b ? a : b;
}
/* n in blocks, n >= 0, block > 0. */
static inline int64_t fxi_blocks(int64_t n, int64_t block) {
    return n / block + (n % block != 0);
}
/* Floor and ceiling of a quotient, b > 0. */
static inline int64_t fxi_floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}
static inline int64_t fxi_ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b > 0);
}

#endif
