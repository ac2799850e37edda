/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for batches of products, convolutions, gathers, scatters, padding and slices at computed places:
 * where the batch goes depends on which operands have one. */
#include "batch.h"

/* ---- dot_general ---- */

static const fxi_attr_id dot_axes[2][2] = {{FXI_ATTR_LHS_BATCH, FXI_ATTR_LHS_CONTRACT},
                                           {FXI_ATTR_RHS_BATCH, FXI_ATTR_RHS_CONTRACT}};

static int64_t free_size(const fx_node *n, int side, int *free_axes) {
    fx_dims batch = fxi_node_ints(n, dot_axes[side][0]), contract = fxi_node_ints(n, dot_axes[side][1]);
    const fx_shape *shape = &n->operands[side]->shape;
    int64_t size = 1;
    *free_axes = 0;
    for (int i = 0; i < shape->rank; i++) {
        if (fxi_dims_has(batch, i) || fxi_dims_has(contract, i)) continue;
        size *= shape->dims[i];
        (*free_axes)++;
    }
    return size;
}

/* A vector of w and x with the batch in x is the product of x and w: the batch then comes out in front. */
static fx_node *batch_dot_swapped(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    fxi_axes_room room;
    fx_dims kept = fxi_node_ints(n, FXI_ATTR_LHS_CONTRACT);
    fxi_attr attrs[] = {fxi_batch_axes(n, FXI_ATTR_RHS_CONTRACT, false, &room),
                        fxi_attr_ints(FXI_ATTR_RHS_CONTRACT, kept.v, kept.n)};
    attrs[0].id = FXI_ATTR_LHS_CONTRACT;
    fx_node *const operands[] = {x[1].node, x[0].node};
    return fxi_build_like(b->build, n, operands, attrs, 2, NULL);
}

/* Both have a batch: one more batch axis, the first. One has it: one more free axis, moved to the front. */
static fx_node *batch_dot_sides(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    bool both = x[0].batched && x[1].batched;
    fxi_attr attrs[4] = {{0}};
    fxi_axes_room rooms[4];
    size_t count = 0;
    for (int side = 0; side < 2; side++) {
        if (!x[side].batched) continue;
        attrs[count] = fxi_batch_axes(n, dot_axes[side][0], both, &rooms[count]);
        count++;
        attrs[count] = fxi_batch_axes(n, dot_axes[side][1], false, &rooms[count]);
        count++;
    }
    fx_node *const operands[] = {x[0].node, x[1].node};
    fx_node *made = fxi_build_like(b->build, n, operands, attrs, count, NULL);
    if (both) return made;
    int place = (int)fxi_node_ints(n, FXI_ATTR_LHS_BATCH).n;
    if (x[1].batched)
        place += n->operands[0]->shape.rank - place - (int)fxi_node_ints(n, FXI_ATTR_LHS_CONTRACT).n;
    return fxi_batch_move_axis(b->build, made, place, 0);
}

enum { FULL_COLUMNS = 16 };

/* w x with the batch in x: as one product its rows would have to be gathered and the result transposed. So
 * where that is not avoided by swapping and each x has enough columns, the products are done one by one. */
static fx_node *batch_dot(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    if (x[0].batched || !x[1].batched) return batch_dot_sides(b, n, x);
    int left_axes, right_axes;
    free_size(n, 0, &left_axes);
    int64_t columns = free_size(n, 1, &right_axes);
    if (fxi_node_ints(n, FXI_ATTR_LHS_BATCH).n == 0 && (left_axes == 0 || right_axes == 0))
        return batch_dot_swapped(b, n, x);
    if (columns < FULL_COLUMNS) return batch_dot_sides(b, n, x);
    const fxi_batched spread[] = {{fxi_batch_spread(b, x[0]), true}, x[1]};
    return batch_dot_sides(b, n, spread);
}

/* ---- gather, scatter ---- */

/* Attributes of x's side: axes of x are raised; those of the slices too. A batch of x alone is one more
 * axis of every slice, a common batch one more pair of batch axes. */
static size_t index_attrs(const fx_node *n, bool x_batched, bool indices_batched, fxi_attr *attrs,
                          fxi_axes_room *rooms) {
    bool both = x_batched && indices_batched;
    size_t count = 0;
    attrs[count] = fxi_batch_axes(n, FXI_ATTR_WINDOW_AXES, x_batched && !indices_batched, &rooms[count]);
    count++;
    if (x_batched) {
        static const fxi_attr_id of_x[] = {FXI_ATTR_DROPPED_AXES, FXI_ATTR_INDEX_MAP};
        for (int i = 0; i < 2; i++, count++) attrs[count] = fxi_batch_axes(n, of_x[i], false, &rooms[count]);
        attrs[count] = fxi_batch_axes(n, FXI_ATTR_OPERAND_BATCH, both, &rooms[count]);
        count++;
    }
    if (indices_batched) {
        attrs[count] = fxi_batch_axes(n, FXI_ATTR_INDICES_BATCH, both, &rooms[count]);
        count++;
        attrs[count++] = fxi_attr_int(FXI_ATTR_INDEX_AXIS, fxi_node_int(n, FXI_ATTR_INDEX_AXIS) + 1);
    }
    return count;
}

static fx_node *batch_gather(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    fxi_attr attrs[8];
    fxi_axes_room rooms[8];
    size_t count = index_attrs(n, x[0].batched, x[1].batched, attrs, rooms);
    if (x[0].batched) {
        attrs[count] = fxi_batch_numbers(n, FXI_ATTR_SIZES, x[1].batched ? 1 : b->size, &rooms[count]);
        count++;
    }
    fx_node *const operands[] = {x[0].node, x[1].node};
    return fxi_build_like(b->build, n, operands, attrs, count, NULL);
}

static fx_node *batch_scatter(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    fxi_attr attrs[8];
    fxi_axes_room rooms[8];
    size_t count = index_attrs(n, true, x[1].batched, attrs, rooms);
    fx_node *const operands[] = {fxi_batch_spread(b, x[0]), x[1].node, fxi_batch_spread(b, x[2])};
    return fxi_build_like(b->build, n, operands, attrs, count, NULL);
}

/* ---- pad, dynamic slices: as long as only arrays are batched ---- */

static fx_node *batch_pad(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    static const fxi_attr_id ids[] = {FXI_ATTR_LOW, FXI_ATTR_HIGH, FXI_ATTR_INTERIOR};
    fxi_attr attrs[3];
    fxi_axes_room rooms[3];
    /* of values of their own: a mask would read and write everything once more than the scan */
    if (x[1].batched) return fxi_batch_in_scan(b, n, x);
    for (int i = 0; i < 3; i++) attrs[i] = fxi_batch_numbers(n, ids[i], 0, &rooms[i]);
    fx_node *const operands[] = {x[0].node, x[1].node};
    return fxi_build_like(b->build, n, operands, attrs, 3, NULL);
}

/* arrays: how many operands come before the starts. */
static fx_node *batch_dynamic(const fxi_batch *b, const fx_node *n, const fxi_batched *x, uint32_t arrays) {
    fx_node *operands[FX_MAX_RANK + 3];
    fxi_axes_room room;
    /* scalars: there is no start to tell a dtype */
    if (n->operand_count == arrays || n->shape.rank == FX_MAX_RANK) return fxi_batch_in_scan(b, n, x);
    for (uint32_t i = arrays; i < n->operand_count; i++)
        if (x[i].batched) return (arrays == 1 ? fxi_batch_slice_at : fxi_batch_update_at)(b, n, x);
    size_t count = 0;
    for (uint32_t i = 0; i < arrays; i++) operands[count++] = fxi_batch_spread(b, x[i]);
    operands[count++] = fx_scalar_int(b->build->graph, x[arrays].node->shape.dtype, 0);
    for (uint32_t i = arrays; i < n->operand_count && count < FX_MAX_RANK + 3; i++)
        operands[count++] = x[i].node;
    if (arrays == 2) return fxi_build_node(b->build, n->op, operands, count, NULL, 0, NULL);
    const fxi_attr sizes = fxi_batch_numbers(n, FXI_ATTR_SIZES, b->size, &room);
    return fxi_build_node(b->build, n->op, operands, count, &sizes, 1, NULL);
}

static fx_node *batch_dynamic_slice(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    return batch_dynamic(b, n, x, 1);
}

static fx_node *batch_dynamic_update(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    return batch_dynamic(b, n, x, 2);
}

/* ---- convolution ---- */

/* The axes of a layout raised, the batch as the first of the spatial ones. */
static fxi_attr spatial_batch(const fx_node *n, fxi_attr_id id, fxi_axes_room *room) {
    fx_dims layout = fxi_node_ints(n, id);
    room->v[0] = layout.v[0] + 1;
    room->v[1] = layout.v[1] + 1;
    room->v[2] = 0;
    for (size_t i = 2; i < layout.n; i++) room->v[i + 1] = layout.v[i] + 1;
    return fxi_attr_ints(id, room->v, layout.n + 1);
}

/* Of x alone the batch is one more spatial axis, along which the kernel has one element. Kernels of their
 * own go through the scan: as groups of features side by side they were never faster, and up to 1.7 times
 * slower. */
static fx_node *batch_convolution(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    static const fxi_attr_id layouts[] = {FXI_ATTR_INPUT_LAYOUT, FXI_ATTR_KERNEL_LAYOUT,
                                          FXI_ATTR_OUTPUT_LAYOUT};
    static const struct {
        fxi_attr_id id;
        int64_t of_batch;
    } lists[] = {{FXI_ATTR_STRIDES, 1},        {FXI_ATTR_LOW, 0},             {FXI_ATTR_HIGH, 0},
                 {FXI_ATTR_INPUT_DILATION, 1}, {FXI_ATTR_KERNEL_DILATION, 1}, {FXI_ATTR_REVERSED, 0}};
    fxi_attr attrs[9];
    fxi_axes_room rooms[9];
    fx_shape kernel = {.dtype = x[1].node->shape.dtype, .rank = n->shape.rank + 1, .dims = {1}};
    if (x[1].batched || n->shape.rank == FX_MAX_RANK) return fxi_batch_in_scan(b, n, x);
    for (int i = 0; i < 3; i++) attrs[i] = spatial_batch(n, layouts[i], &rooms[i]);
    for (int i = 0; i < 6; i++)
        attrs[i + 3] = fxi_batch_numbers(n, lists[i].id, lists[i].of_batch, &rooms[i + 3]);
    for (int i = 0; i < n->shape.rank; i++) kernel.dims[i + 1] = x[1].node->shape.dims[i];
    fx_node *const operands[] = {
        x[0].node, fxi_build_node(b->build, FX_OP_RESHAPE, &x[1].node, 1, NULL, 0, &kernel)};
    return fxi_build_like(b->build, n, operands, attrs, 9, NULL);
}

fxi_batch_rule fxi_batch_rule_of(fx_op op) {
    static const fxi_batch_rule rules[FX_OP_COUNT] = {
        [FX_OP_DOT_GENERAL] = batch_dot,
        [FX_OP_CONVOLUTION] = batch_convolution,
        [FX_OP_GATHER] = batch_gather,
        [FX_OP_SCATTER] = batch_scatter,
        [FX_OP_PAD] = batch_pad,
        [FX_OP_DYNAMIC_SLICE] = batch_dynamic_slice,
        [FX_OP_DYNAMIC_UPDATE_SLICE] = batch_dynamic_update,
        [FX_OP_COMPOSITE] = fxi_batch_composite,
    };
    return rules[op];
}
