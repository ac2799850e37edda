/* SPDX-License-Identifier: Apache-2.0 */
/* What gather, scatter and the dynamic slices share. Each moves windows between the operand (x of all four)
 * and a second array that holds the windows: the result of a gather or dynamic slice, the updates of a
 * scatter or update slice. Positions number the windows in row-major order of the indices. All strides and
 * offsets are in elements. */
#ifndef FXI_KERNEL_WINDOW_H
#define FXI_KERNEL_WINDOW_H

#include "kernels.h"

typedef struct fxi_windows {
    int64_t positions; /* number of windows */
    int64_t size;      /* elements of one */
    int64_t run;       /* elements that follow each other in both arrays */
    int rank;          /* axes of a window outside the run */
    /* of these axes: strides in both arrays */
    int64_t dims[FX_MAX_RANK], own[FX_MAX_RANK], other[FX_MAX_RANK];
    bool overlap;      /* two windows may share a part of the operand without being the same */
    /* the starts */
    const void *indices;
    fx_dtype dtype;
    int64_t inner; /* positions that follow each other before the index axis steps */
    int components;
    int64_t limit[FX_MAX_RANK], step[FX_MAX_RANK]; /* of a component: largest start, stride in the operand */
    /* the positions' own axes */
    int batch_rank;
    bool plain; /* position p's window is at p * size, and the operand has no batching axes */
    int64_t batch_dims[FX_MAX_RANK], batch_own[FX_MAX_RANK], batch_other[FX_MAX_RANK];
} fxi_windows;

/* Of a GATHER or SCATTER node; `holder` is the shape of the second array, sizes the window's per operand
 * axis. */
void fxi_windows_plan(fxi_windows *w, const fx_node *node, const fx_shape *holder, const int64_t *sizes,
                      const void *indices);
/* One window of that shape in an operand, the second array dense. */
void fxi_windows_plan_one(fxi_windows *w, const fx_shape *operand, const fx_shape *window);

/* Whether windows are dense in both arrays, and position p's begins at indices[p] * step[0] (an int32) and
 * at p * size. */
static inline bool fxi_windows_are_rows(const fxi_windows *w) {
    return w->plain && w->rank == 0 && w->components == 1 && w->inner == 1 && w->dtype == FX_S32;
}

/* Offsets of `count` windows from position `first` on, in both arrays. Starts out of range are clamped, or
 * give the operand offset -1. */
void fxi_windows_find(const fxi_windows *w, int64_t first, int64_t count, bool clamp, int64_t *own,
                      int64_t *other);

/* Calls fn for the runs that make up elements first .. last - 1 of a window: offsets of a run in both arrays
 * relative to the window's, and its length. */
typedef void (*fxi_run_fn)(void *context, int64_t own, int64_t other, int64_t length);
void fxi_windows_walk(const fxi_windows *w, int64_t first, int64_t last, fxi_run_fn fn, void *context);

/* The value of one index; what uint64 has beyond int64 is as far out. */
int64_t fxi_index_load(fx_dtype dtype, const void *data, int64_t at);

/* Offset of the part of that shape whose starts are the scalars, clamped. */
int64_t fxi_part_offset(const fxi_host_call *call, const fx_shape *part, uint32_t first_start);

/* Copies memory in tasks. */
void fxi_copy_parallel(fxi_pool *pool, void *to, const void *from, int64_t bytes);

#endif
