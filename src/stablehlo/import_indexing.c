/* SPDX-License-Identifier: Apache-2.0 */
/* Slices at computed places, gather and scatter. A scatter of one operand whose region is one of the kinds
 * that the library combines by is that operation; any other is a loop over the windows, in row-major order of
 * the updates: it reads a window, applies the region, and writes the window back where it lies inside as a
 * whole (import_scatter.c). */
#include "stablehlo/import_scatter.h"

static fx_dims dims_of(const fx_shape *shape) {
    return (fx_dims){shape->dims, (size_t)shape->rank};
}

static bool rule_dynamic_slice(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_dims sizes;
    if (op->n_operands == 0) return fxi_hlo_wrong(im, op->place, "no operand");
    if (!fxi_hlo_attr_ints(im, op, "slice_sizes", &sizes) ||
        !fxi_hlo_check_least(im, op, "slice sizes", sizes, 0))
        return false;
    if (sizes.n != (size_t)fx_node_rank(in[0]) || op->n_operands != sizes.n + 1)
        return fxi_hlo_wrong(im, op->place, "%zu sizes and %zu starts for %d axes", sizes.n,
                             op->n_operands - 1, fx_node_rank(in[0]));
    out[0] = sizes.n ? fx_dynamic_slice(in[0], (fx_nodes){in + 1, sizes.n}, sizes) : in[0];
    return true;
}

static bool rule_dynamic_update_slice(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                      fx_node **out) {
    if (op->n_operands < 2 || op->n_operands != (size_t)fx_node_rank(in[0]) + 2)
        return fxi_hlo_wrong(im, op->place, "%zu operands: it takes x, update and a start for each axis of x",
                             op->n_operands);
    out[0] = op->n_operands > 2
                 ? fx_dynamic_update_slice(in[0], in[1], (fx_nodes){in + 2, op->n_operands - 2})
                 : in[1];
    return true;
}

/* ---- gather ---- */

/* offset axes, and batch axes where the two lists agree */
static bool gather(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_dims sizes,
                   fx_node **out) {
    int rank = fx_node_rank(in[0]), indices_rank = fx_node_rank(in[1]);
    const fxi_hlo_attr *how = fxi_hlo_attr_dict(im, op, "dimension_numbers");
    fxi_hlo_axes offset, collapsed, batch, indices_batch, map;
    int64_t index_axis;
    if (!how || !fxi_hlo_entry_axes(im, op, how, "offset_dims", FX_MAX_RANK, &offset) ||
        !fxi_hlo_entry_axes(im, op, how, "collapsed_slice_dims", rank, &collapsed) ||
        !fxi_hlo_entry_axes(im, op, how, "operand_batching_dims", rank, &batch) ||
        !fxi_hlo_entry_axes(im, op, how, "start_indices_batching_dims", indices_rank, &indices_batch) ||
        !fxi_hlo_entry_axes(im, op, how, "start_index_map", rank, &map) ||
        !fxi_hlo_entry_int_or(im, how, "index_vector_dim", 0, &index_axis) ||
        !fxi_hlo_check_least(im, op, "slice sizes", sizes, 0))
        return false;
    if (index_axis < 0 || index_axis > indices_rank)
        return fxi_hlo_wrong(im, op->place, "index_vector_dim %lld of indices of rank %d",
                             (long long)index_axis, indices_rank);
    out[0] = fx_gather_general(in[0], in[1],
                               &(fx_gather_options){.size = sizeof(fx_gather_options),
                                                    .offset_axes = fxi_hlo_span_of(&offset),
                                                    .collapsed_axes = fxi_hlo_span_of(&collapsed),
                                                    .operand_batch_axes = fxi_hlo_span_of(&batch),
                                                    .indices_batch_axes = fxi_hlo_span_of(&indices_batch),
                                                    .start_index_map = fxi_hlo_span_of(&map),
                                                    .index_axis = (int)index_axis,
                                                    .slice_sizes = sizes});
    return true;
}

static bool rule_gather(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_dims sizes;
    return fxi_hlo_attr_ints(im, op, "slice_sizes", &sizes) && gather(im, op, in, sizes, out);
}

static bool rule_dynamic_gather(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_dims sizes;
    return fxi_hlo_known_ints(im, op, in[2], &sizes) && gather(im, op, in, sizes, out);
}

/* x at indices along axis `dim`, of which the first batch_dims axes are those of x too: [x before dim, rest
 * of the indices, x after dim]. */
static bool rule_torch_index_select(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                    fx_node **out) {
    int rank = fx_node_rank(in[0]), indices_rank = fx_node_rank(in[1]), dim;
    int64_t batch;
    if (!fxi_hlo_attr_axis(im, op, "dim", rank, &dim) ||
        !fxi_hlo_attr_int_or(im, op, "batch_dims", 0, &batch))
        return false;
    if (batch < 0 || batch > dim || batch > indices_rank || rank + indices_rank > FX_MAX_RANK)
        return fxi_hlo_wrong(im, op->place, "%lld batch dimensions before dimension %d", (long long)batch,
                             dim);
    int before[FX_MAX_RANK], n_offset = 0, offset[FX_MAX_RANK];
    fx_shape sizes = *fx_node_shape(in[0]);
    for (int i = 0; i < (int)batch; i++) before[i] = i, sizes.dims[i] = 1;
    sizes.dims[dim] = 1;
    for (int i = (int)batch; i < rank; i++)
        if (i != dim) offset[n_offset++] = i < dim ? i : i - 1 + indices_rank - (int)batch;
    out[0] = fx_gather_general(in[0], in[1],
                               &(fx_gather_options){.size = sizeof(fx_gather_options),
                                                    .offset_axes = {offset, (size_t)n_offset},
                                                    .collapsed_axes = {&dim, 1},
                                                    .operand_batch_axes = {before, (size_t)batch},
                                                    .indices_batch_axes = {before, (size_t)batch},
                                                    .start_index_map = {&dim, 1},
                                                    .index_axis = indices_rank,
                                                    .slice_sizes = dims_of(&sizes)});
    return true;
}

/* ---- scatter ---- */

/* The kind by which the library combines as the region does, -1: none. */
static int kind_of(fxi_hlo_combine combine, fx_dtype dtype) {
    static const int kinds[] = {FX_SCATTER_SUM,
                                FX_SCATTER_PRODUCT,
                                FX_SCATTER_MAX,
                                FX_SCATTER_MIN,
                                -1,
                                -1,
                                -1,
                                -1,
                                FX_SCATTER_UPDATE,
                                -1};
    if (dtype == FX_BOOL && combine == FXI_HLO_COMBINE_AND) return FX_SCATTER_PRODUCT;
    if (dtype == FX_BOOL && combine == FXI_HLO_COMBINE_OR) return FX_SCATTER_SUM;
    if (fx_dtype_is_complex(dtype) && (combine == FXI_HLO_COMBINE_MAX || combine == FXI_HLO_COMBINE_MIN))
        return -1;
    return kinds[combine];
}

static bool read_scatter(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fxi_hlo_scatter *s) {
    const fxi_hlo_attr *how = fxi_hlo_attr_dict(im, op, "scatter_dimension_numbers");
    if (!how) return false;
    s->n = op->n_operands / 2;
    s->x = in, s->indices = in[s->n], s->updates = in + s->n + 1;
    int rank = fx_node_rank(in[0]), indices_rank = fx_node_rank(s->indices);
    int64_t index_axis;
    if (!fxi_hlo_entry_axes(im, op, how, "update_window_dims", fx_node_rank(s->updates[0]), &s->window) ||
        !fxi_hlo_entry_axes(im, op, how, "inserted_window_dims", rank, &s->inserted) ||
        !fxi_hlo_entry_axes(im, op, how, "input_batching_dims", rank, &s->batch) ||
        !fxi_hlo_entry_axes(im, op, how, "scatter_indices_batching_dims", indices_rank, &s->indices_batch) ||
        !fxi_hlo_entry_axes(im, op, how, "scatter_dims_to_operand_dims", rank, &s->map) ||
        !fxi_hlo_entry_int_or(im, how, "index_vector_dim", 0, &index_axis))
        return false;
    if (index_axis < 0 || index_axis > indices_rank)
        return fxi_hlo_wrong(im, op->place, "index_vector_dim %lld of indices of rank %d",
                             (long long)index_axis, indices_rank);
    s->index_axis = (int)index_axis;
    return true;
}

static fx_node *scatter_by_kind(const fxi_hlo_scatter *s, fx_scatter_kind kind) {
    return fx_scatter_general(s->x[0], s->indices, s->updates[0], kind,
                              &(fx_scatter_options){.size = sizeof(fx_scatter_options),
                                                    .window_axes = fxi_hlo_span_of(&s->window),
                                                    .inserted_axes = fxi_hlo_span_of(&s->inserted),
                                                    .operand_batch_axes = fxi_hlo_span_of(&s->batch),
                                                    .indices_batch_axes = fxi_hlo_span_of(&s->indices_batch),
                                                    .index_map = fxi_hlo_span_of(&s->map),
                                                    .index_axis = s->index_axis});
}

static bool rule_scatter(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fxi_hlo_scatter s = {.im = im, .op = op};
    if (op->n_operands < 3 || op->n_operands % 2 == 0 || op->n_results != op->n_operands / 2)
        return fxi_hlo_wrong(im, op->place, "%zu operands and %zu results", op->n_operands, op->n_results);
    if (!read_scatter(im, op, in, &s)) return false;
    fxi_hlo_combine combine = s.n == 1 ? fxi_hlo_region_combine(op->regions[0]) : FXI_HLO_COMBINE_OTHER;
    int kind = kind_of(combine, fx_node_dtype(in[0]));
    out[0] = scatter_by_kind(&s, kind < 0 ? FX_SCATTER_UPDATE : (fx_scatter_kind)kind);
    if (kind >= 0 || fx_graph_error(im->graph, NULL)) return true;
    /* What was built is not used: it checked the axes. */
    return fxi_hlo_scatter_windows(&s, op->regions[0], out);
}

static const fxi_hlo_row rows[] = {
    {"stablehlo.dynamic_gather", 3, 1, 0, rule_dynamic_gather},
    {"stablehlo.dynamic_slice", FXI_HLO_ANY, 1, 0, rule_dynamic_slice},
    {"stablehlo.dynamic_update_slice", FXI_HLO_ANY, 1, 0, rule_dynamic_update_slice},
    {"stablehlo.gather", 2, 1, 0, rule_gather},
    {"stablehlo.scatter", FXI_HLO_ANY, FXI_HLO_ANY, 1, rule_scatter},
    {"stablehlo.torch_index_select", 2, 1, 0, rule_torch_index_select},
};
const fxi_hlo_table fxi_hlo_indexing = FXI_HLO_TABLE(rows);
