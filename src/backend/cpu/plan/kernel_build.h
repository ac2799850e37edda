/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that make kernel descriptions share: the builder, which holds one kernel in the making. */
#ifndef FXI_KERNEL_BUILD_H
#define FXI_KERNEL_BUILD_H

#include "step.h"

typedef struct fxi_affine {
    int64_t base, coef[FXI_LOOPS];
} fxi_affine;

typedef struct fxi_access_info {
    fxi_affine at; /* in elements */
    int value;     /* whose memory; -1: an index */
    fx_dtype dtype;
    bool before_core, store;
} fxi_access_info;

typedef struct fxi_builder {
    fxi_plan *plan;
    const fxi_cluster *cluster;
    fxi_loops loops;
    FXI_VEC(fxi_access_info) accesses;
    FXI_VEC(fxi_instr) instrs;
    FXI_VEC(const fx_tensor *) constants;
    FXI_VEC(fxi_store) stores; /* the first is of the cluster's root */
    int partials; /* value that holds the core's partial results, which are combined now; -1: none */
    fxi_affine at_partials; /* where */
    int reduce_value, reduce_index;
    bool arg;
    fxi_reduce_kind kind;
    fx_dtype reduce_dtype;
    /* Of an epilogue (epilogue.c): columns of the product, else 0; the access that sees it; what columns of
     * rectangles are multiples of; whether the kernel moves to the product or the product to the kernel. */
    int64_t columns, grain;
    int seen;
    bool moves_up;
} fxi_builder;

/* ---- kernel_collect.c: accesses and instructions of a cluster ---- */

/* One row of a map; of INDEX accesses the value itself. */
fxi_affine fxi_affine_row(const fxi_index_map *map, int row);
/* Element offset in the dense memory of that shape. */
fxi_affine fxi_affine_linear(const fxi_index_map *map, const fx_shape *shape);
/* Number of an equal access, or of a new one; -1: no memory. */
int fxi_builder_access(fxi_builder *b, const fxi_access_info *info);
const fxi_entry *fxi_builder_entry(const fxi_builder *b, int e);
/* Fills a LOAD, INDEX or CONSTANT. */
bool fxi_builder_leaf(fxi_builder *b, const fxi_entry *e, fxi_instr *out);
/* Notes kind and dtype of the reduction; an arg-reduction adds its position as an instruction. */
bool fxi_builder_core(fxi_builder *b, const fxi_entry *core);
/* Appends what an entry needs, itself last; *last is its instruction. Table: by position in the cluster,
 * -1: not yet. */
bool fxi_builder_collect(fxi_builder *b, int root, int *instr_of, int *last);

/* Of a kernel without a reduction, when the store is known too: half and float8 values that are loaded,
 * selected and stored, but never operated on, become integers: their bits stay, and nothing is converted.
 * `stored`: the instruction that is stored. False: no memory. */
bool fxi_builder_move_bits(fxi_builder *b, int stored);

/* ---- kernel_shape.c: loops, form, tiling ---- */

typedef struct fxi_kernel_shape {
    int inner; /* loop or -1 */
    int outer[FXI_LOOPS], outer_count, reduce[FXI_LOOPS], reduce_count;
    int64_t outer_total, inner_extent, reduce_total;
    fxi_form form;
    /* of a COLUMN: fxi_kernel_head.rows; then a call covers `block` elements of the inner loop at most */
    int rows;
    int64_t block;
} fxi_kernel_shape;

/* Drops loops of one iteration, merges neighbours that every access walks as one. */
void fxi_builder_collapse(fxi_builder *b);
/* Chooses the inner loop by what is contiguous, and with it the form and how many rows of a COLUMN go by
 * together. */
fxi_kernel_shape fxi_kernel_form(const fxi_builder *b);
/* Fills what a ROWS kernel has in its head (lanes must be there) and its instructions. False: the cluster
 * does not suit the form, or no memory. */
bool fxi_rows_arrange(fxi_builder *b, const fxi_kernel_shape *s, fxi_kernel_head *h);
int fxi_kernel_lanes(const fxi_builder *b, const fxi_kernel_shape *s);
int fxi_kernel_unroll(const fxi_builder *b, const fxi_kernel_shape *s, int lanes);
/* Tiles of a reduction's parts; their number. */
int64_t fxi_kernel_tile_parts(const fxi_kernel_shape *s, fxi_tiling *t);
/* Is the reduction long enough to be cut into parts? */
bool fxi_kernel_needs_parts(const fxi_builder *b, const fxi_kernel_shape *s);
/* Whether it makes words of random bits, four vectors of which share their work. */
bool fxi_kernel_has_words(const fxi_builder *b);
/* Tasks that so many elements of a kernel without reductions are worth. */
int64_t fxi_kernel_tasks_wanted(const fxi_builder *b, int64_t elements);
/* Tasks and cache blocks of the step whose kernel was described. */
void fxi_kernel_tiling(const fxi_builder *b, const fxi_kernel_shape *s, fxi_step *step);

#endif
