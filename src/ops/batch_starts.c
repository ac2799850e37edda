/* SPDX-License-Identifier: Apache-2.0 */
/* Batches in which places differ from example to example: slices at places of their own are one gather,
 * updates at such places one scatter. The starts of an example are a row of indices [batch, rank of x]. A
 * gather brings starts into range as a slice does; a scatter drops what does not fit, so that for updates it
 * is done here. */
#include "batch.h"
#include <fluxion/indexing.h>

/* Constants in every element. */
static fx_node *filled(const fxi_batch *b, fx_node *scalar, const fx_shape *dims) {
    return fxi_build_broadcast(b->build, scalar, dims, (fx_dims){NULL, 0});
}

/* The start brought into 0 .. last, in its own dtype, which may hold no number as large. */
static fx_node *in_range(const fxi_batch *b, fx_node *start, int64_t last) {
    fx_dtype dtype = start->shape.dtype;
    bool is_signed = fx_dtype_is_signed(dtype);
    int digits = fx_dtype_bits(dtype) - is_signed;
    if (digits >= 63 || last < INT64_C(1) << digits) {
        fx_node *most = filled(b, fx_scalar_int(b->build->graph, dtype, last), &start->shape);
        fx_node *const operands[] = {start, most};
        start = fxi_build_node(b->build, FX_OP_MIN, operands, 2, NULL, 0, NULL);
    }
    if (!is_signed) return start;
    fx_node *const operands[] = {start, filled(b, fx_scalar_int(b->build->graph, dtype, 0), &start->shape)};
    return fxi_build_node(b->build, FX_OP_MAX, operands, 2, NULL, 0, NULL);
}

/* [batch, axes]; last: the largest start of each axis, NULL: as they are. */
static fx_node *starts_of(const fxi_batch *b, const fxi_batched *starts, int axes, const int64_t *last) {
    fx_node *columns[FX_MAX_RANK];
    const fxi_attr axis = fxi_attr_int(FXI_ATTR_AXIS, 1);
    for (int i = 0; i < axes; i++) {
        const fx_shape column = {.dtype = starts[i].node->shape.dtype, .rank = 2, .dims = {b->size, 1}};
        fx_node *start = fxi_batch_spread(b, starts[i]);
        columns[i] = fxi_build_node(b->build, FX_OP_RESHAPE, &start, 1, NULL, 0, &column);
        if (last && columns[i]->op != FX_OP_INERT) columns[i] = in_range(b, columns[i], last[i]);
    }
    if (axes == 1) return columns[0];
    return fxi_build_node(b->build, FX_OP_CONCATENATE, columns, (size_t)axes, &axis, 1, NULL);
}

/* from, from + 1, ...; `count` of them. */
static fxi_attr consecutive(fxi_attr_id id, int64_t from, int count, fxi_axes_room *room) {
    for (int i = 0; i < count; i++) room->v[i] = from + i;
    return fxi_attr_ints(id, room->v, (size_t)count);
}

fx_node *fxi_batch_slice_at(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    fxi_axes_room rooms[3];
    static const int64_t zero[1] = {0};
    int rank = n->shape.rank;
    size_t common = x[0].batched;
    fx_dims sizes = fxi_node_ints(n, FXI_ATTR_SIZES);
    const fxi_attr attrs[] = {
        common ? fxi_batch_numbers(n, FXI_ATTR_SIZES, 1, &rooms[0])
               : fxi_attr_ints(FXI_ATTR_SIZES, sizes.v, sizes.n),
        consecutive(FXI_ATTR_WINDOW_AXES, 1, rank, &rooms[1]),
        fxi_attr_ints(FXI_ATTR_DROPPED_AXES, NULL, 0),
        fxi_attr_ints(FXI_ATTR_OPERAND_BATCH, zero, common),
        fxi_attr_ints(FXI_ATTR_INDICES_BATCH, zero, common),
        consecutive(FXI_ATTR_INDEX_MAP, (int64_t)common, rank, &rooms[2]),
        fxi_attr_int(FXI_ATTR_INDEX_AXIS, 1)};
    fx_node *const operands[] = {x[0].node, starts_of(b, x + 1, rank, NULL)};
    return fxi_build_node(b->build, FX_OP_GATHER, operands, 2, attrs, 7, NULL);
}

fx_node *fxi_batch_update_at(const fxi_batch *b, const fx_node *n, const fxi_batched *x) {
    fxi_axes_room rooms[2];
    static const int64_t zero[1] = {0};
    int64_t last[FX_MAX_RANK];
    int rank = n->shape.rank;
    for (int i = 0; i < rank; i++) last[i] = n->shape.dims[i] - n->operands[1]->shape.dims[i];
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_COMBINE, FX_SCATTER_UPDATE),
                              consecutive(FXI_ATTR_WINDOW_AXES, 1, rank, &rooms[0]),
                              fxi_attr_ints(FXI_ATTR_DROPPED_AXES, NULL, 0),
                              fxi_attr_ints(FXI_ATTR_OPERAND_BATCH, zero, 1),
                              fxi_attr_ints(FXI_ATTR_INDICES_BATCH, zero, 1),
                              consecutive(FXI_ATTR_INDEX_MAP, 1, rank, &rooms[1]),
                              fxi_attr_int(FXI_ATTR_INDEX_AXIS, 1)};
    fx_node *const operands[] = {fxi_batch_spread(b, x[0]), starts_of(b, x + 2, rank, last),
                                 fxi_batch_spread(b, x[1])};
    return fxi_build_node(b->build, FX_OP_SCATTER, operands, 3, attrs, 7, NULL);
}
