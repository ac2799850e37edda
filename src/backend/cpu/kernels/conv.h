/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of convolution share: the plan, and what a run hands around.
 *
 * A convolution is cut into units: some rows and tiles of the result (a strip), of one group. For each, the
 * part of the input under it is copied into a patch [outer taps][rows][width][channels] in the compute
 * dtype, with the padding, the zeros of dilation and the conversion made there, whatever the layouts are.
 * The patch is what an im2col matrix would hold, each element once (or nearly): the rows that a
 * micro-kernel of the matrix products reads are runs of it, some pixels apart. The kernel is packed
 * beforehand into panels, [tap][channel][features of a panel], in the order in which patches are read. The
 * batch is an axis like the spatial ones, with a kernel of 1; axes are reordered and merged so that the
 * last one (along which tiles lie) is long. A tap is one place of the kernel's elements.
 *
 * Small groups (depthwise ones above all) are worked on "lanewise": a lane is a feature, the patch holds
 * for each of a group's channels the lanes of a panel next to each other, features of one group repeating
 * its channel, and plain vector loops take the place of micro-kernels.
 *
 * Large kernels (the adjoint of a result is one, for the gradient of a kernel) do not fit into a patch: it
 * then holds some of the outer taps at a time. Where that leaves few units the outer taps are cut into parts,
 * whose sums are added in the end.
 *
 * All cuts depend on shapes and dtypes alone; each result is one chain of additions over ascending taps and
 * channels, in blocks of channels and outer taps, or one such chain per part. */
#ifndef FXI_CONV_H
#define FXI_CONV_H

#include "../gemm/gemm_internal.h"
#include "kernels.h"

enum {
    FXI_CONV_AXES = FX_MAX_RANK, /* the batch and the spatial ones, at least 2 */
    FXI_CONV_CODES = 12,
    FXI_CONV_TURNED = 120, /* rows of a panel that are turned at a time, of at most so many bytes */
    FXI_CONV_ROW_BYTES = 128,
    FXI_CONV_SLOTS = 64, /* tasks, each with a part of the workspace */
    FXI_CONV_SLACK = 8   /* pixels, or rows of a panel, which transposing moves may overwrite */
};

typedef struct fxi_conv_axis {
    int64_t in, out, kernel, stride, dilation, low, spread; /* spread: distance of the input's elements */
    int64_t x, w, y;                                        /* element strides of input, kernel, result */
    bool reversed;
} fxi_conv_axis;

struct fxi_conv;
typedef struct fxi_conv_lanes {
    const struct fxi_conv *plan;
    int64_t pixels, step, y_step,
        count;           /* of the tile axis; bytes from pixel to pixel; lanes that are stored */
    const int64_t *taps; /* bytes from the patch's pixel to that under each tap */
} fxi_conv_lanes;
typedef void (*fxi_conv_lanes_fn)(const char *patch, const char *kernel, char *y, const fxi_conv_lanes *args);

typedef struct fxi_conv {
    const fxi_target *target;
    fx_dtype from, result, compute;
    bool is_phase;
    int64_t w_start, y_start;                   /* element offsets of a phase's first tap and result */
    int64_t in_bytes, out_bytes, bytes, planes; /* of an element; bytes: of a plane in the compute dtype */
    bool zero, lanewise, direct; /* zero: there is nothing to sum; direct: sums are made in the result */
    int rank;
    fxi_conv_axis axis[FXI_CONV_AXES]; /* the last two: rows and tiles of a strip */
    int64_t taps, outer_taps;
    int64_t groups, channels, features; /* of a group */
    int64_t repeat;                     /* lanewise: features of a group, neighbouring lanes */
    int64_t x_group, x_channel, w_group, w_channel, w_feature, y_group, y_feature; /* element strides */

    /* panels of the kernel */
    int64_t panel_width, panels, panel_bytes;
    bool dense_kernel; /* channels and taps of a feature are neighbours in memory, [channel][some order] */
    int64_t block;     /* channels that a patch holds; the last block may have fewer */
    int64_t tap_block; /* outer taps that a patch holds */
    int64_t parts,
        part_bytes; /* of the outer taps; 1: all in one; bytes of one's sums, which lie as results */

    /* strips */
    int64_t tile_rows, tiles, long_tiles; /* as in fxi_gemm_tiled, along the last axis */
    int64_t rows, strip_tiles, width;     /* most of a strip: rows, tiles, pixels */
    int64_t row_strips, tile_strips, chunk_panels, chunks, patches, units;
    bool explicit_rows,
        interleaved; /* the patch has a row (a pixel) per tap and result, not the span of all */
    bool padded;     /* pixels of the patch lie an odd number of cache lines apart */
    int64_t patch_rows, patch_width, patch_bytes, sums_stride, sums_plane, sums_bytes;
    int64_t slots;
    size_t kernel_bytes, slot_bytes;

    fxi_gemm_micro_fn micro[2][2]; /* [short tile][partial panel] */
    fxi_conv_lanes_fn lanes;
    fxi_gemm_move_fn copy_x, copy_x_any, copy_w, finish, finish_any;
    fxi_gemm_kind copy_x_kind, finish_kind;
    int64_t *tap_offsets; /* lanewise: per channel and tap */
    fxi_code *codes[FXI_CONV_CODES];
    int code_count;
} fxi_conv;

/* A unit under work. */
typedef struct fxi_conv_unit {
    int64_t patch, group, row, rows, tile, tiles, pixel, pixels, panel, panels;
    int64_t at[FXI_CONV_AXES];        /* indices along the outer axes */
    int64_t part, first_tap, end_tap; /* outer taps of the part */
} fxi_conv_unit;

/* Elements from pixel to pixel of a patch that holds `channels` of them. */
static inline int64_t fxi_conv_pixel(const fxi_conv *c, int64_t channels) {
    if (c->lanewise) return c->panel_width * c->channels;
    return c->padded ? channels + 64 / c->bytes : channels;
}

static inline int64_t fxi_conv_width(const fxi_conv *c, int64_t panel) { /* features of a panel */
    return fxi_size_min(c->panel_width, c->features - panel * c->panel_width);
}

/* conv_axes.c: reads the node. */
void fxi_conv_read(fxi_conv *c, const fx_node *node);
/* Before the axes are ordered: of axis i + 1 only the results at places remainders[i], + spread, ..., where
 * fxi_conv_has_phases. */
void fxi_conv_take_phase(fxi_conv *c, const int64_t *remainders);
/* Whether the results along an axis fall into `spread` sets, each with taps of its own. */
static inline bool fxi_conv_has_phases(const fxi_conv_axis *axis) {
    return axis->spread > 1 && axis->stride == 1;
}
/* Drops, merges and orders the axes; `most` rows of a tile. */
void fxi_conv_order(fxi_conv *c, int64_t most);
/* Element offset along an axis of the input, `at` counted from the start of the padding; false: a zero is
 * there. */
bool fxi_conv_locate(const fxi_conv_axis *axis, int64_t at, int64_t *offset);

/* Element offset in the kernel of a tap, counted row-major over all axes in their order. */
int64_t fxi_conv_tap(const fxi_conv *c, int64_t tap);

/* conv_plan.c; remainders NULL: all results. fxi_conv_free is NULL-safe. */
fxi_conv *fxi_conv_new(const fx_node *node, const fxi_target *target, const int64_t *remainders,
                       fx_error *err);
void fxi_conv_free(fxi_conv *c);
int64_t fxi_conv_workspace(const fxi_conv *c);

/* kernel_convolution.c */
void fxi_conv_run(const fxi_conv *c, const fxi_host_call *call);

/* conv_patch.c: fills the patch with channels [first, first + count) (lanewise: all channels of lanes) of
 * the unit's input under outer taps [tap, tap + taps). */
typedef struct fxi_conv_block {
    int64_t first, count, tap, taps;
} fxi_conv_block;
void fxi_conv_patch(const fxi_conv *c, const fxi_conv_unit *unit, const char *x, const fxi_conv_block *block,
                    char *patch);

/* conv_lanes.c: the loop for a compute dtype; NULL for complex ones. */
fxi_conv_lanes_fn fxi_conv_lanes_of(fx_dtype compute);

static inline int64_t fxi_conv_gcd(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
