/* SPDX-License-Identifier: Apache-2.0 */
/* Products of arrays: dot, dot_general, convolution and their deprecated relatives. Operands of different
 * dtypes, and results of another dtype, are computed in a dtype that holds all of them; precisions and
 * algorithms only allow less exactness than there is, so they are not looked at. */
#include "stablehlo/import_rules.h"
#include <fluxion/convolution.h>
#include <fluxion/einsum.h>
#include <fluxion/window.h>
#include <string.h>

/* What a product is computed in: its operands' dtype, and the result's where that is asked of the operation
 * (0: the same). */
typedef struct product {
    fx_dtype operands, result;
} product;

static bool same_kind(fx_dtype a, fx_dtype b) {
    return fxi_dtype_info_of(a)->kind == fxi_dtype_info_of(b)->kind;
}

static bool is_whole(fx_dtype dtype) {
    return !fx_dtype_is_float(dtype) && !fx_dtype_is_complex(dtype);
}

/* Of two integers, bool among them, the one of more bits: sums of products are right in its bits whether they
 * count as signed or not, if operands are converted to it at once. */
static fx_dtype wider_whole(fx_dtype a, fx_dtype b) {
    if (a == FX_BOOL || b == FX_BOOL) return a == FX_BOOL ? b : a;
    return fx_dtype_bits(a) >= fx_dtype_bits(b) ? a : b;
}

/* A dtype in which sums of products of both are right: complex after floats after integers. */
static fx_dtype wider(fx_dtype a, fx_dtype b) {
    if (a == b) return a;
    if (is_whole(a) && is_whole(b)) return wider_whole(a, b);
    if (is_whole(a) || is_whole(b)) return is_whole(a) ? b : a;
    if (fx_dtype_is_complex(a) || fx_dtype_is_complex(b))
        return a == FX_C128 || b == FX_C128 || a == FX_F64 || b == FX_F64 ? FX_C128 : FX_C64;
    if (fx_dtype_bits(a) == fx_dtype_bits(b)) return FX_F32; /* of 8 or 16 bits */
    return fx_dtype_bits(a) > fx_dtype_bits(b) ? a : b;
}

static product product_of(fx_dtype lhs, fx_dtype rhs, fx_dtype result) {
    bool stored = fx_dtype_is_float(lhs) && fx_dtype_bits(lhs) == 8;
    if (lhs == rhs && !stored && lhs != FX_BOOL) {
        if (result == lhs) return (product){lhs, lhs};
        if (same_kind(lhs, result) && fx_dtype_bits(result) > fx_dtype_bits(lhs))
            return (product){lhs, result};
    }
    fx_dtype all = wider(wider(lhs, rhs), result);
    if (all == FX_BOOL) all = FX_S32; /* a sum of products of bool is an or of ands: not zero */
    if (fx_dtype_is_float(all) && fx_dtype_bits(all) == 8) all = FX_F32;
    return (product){all, all};
}

static fx_node *dot(fx_node *const *in, const fxi_hlo_axes contract[2], const fxi_hlo_axes batch[2],
                    fx_dtype result) {
    fx_dtype lhs = fx_node_dtype(in[0]), rhs = fx_node_dtype(in[1]);
    product p = product_of(lhs, rhs, result);
    fx_node *sum = fx_dot_general_dtype(fxi_hlo_as(in[0], p.operands), fxi_hlo_span_of(&contract[0]),
                                        fxi_hlo_span_of(&batch[0]), fxi_hlo_as(in[1], p.operands),
                                        fxi_hlo_span_of(&contract[1]), fxi_hlo_span_of(&batch[1]), p.result);
    return fxi_hlo_as(sum, result);
}

static bool rule_dot_general(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    static const char *const contracting[] = {"lhs_contracting_dimensions", "rhs_contracting_dimensions"};
    static const char *const batching[] = {"lhs_batching_dimensions", "rhs_batching_dimensions"};
    const fxi_hlo_attr *how = fxi_hlo_attr_dict(im, op, "dot_dimension_numbers");
    fxi_hlo_axes contract[2], batch[2];
    if (!how) return false;
    for (int i = 0; i < 2; i++) {
        int rank = fx_node_rank(in[i]);
        if (!fxi_hlo_entry_axes(im, op, how, contracting[i], rank, &contract[i]) ||
            !fxi_hlo_entry_axes(im, op, how, batching[i], rank, &batch[i]))
            return false;
    }
    out[0] = dot(in, contract, batch, fxi_hlo_result_shape(op, 0)->dtype);
    return true;
}

static bool rule_dot(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    int ranks[] = {fx_node_rank(in[0]), fx_node_rank(in[1])};
    if (ranks[0] < 1 || ranks[0] > 2 || ranks[1] < 1 || ranks[1] > 2)
        return fxi_hlo_wrong(im, op->place, "dot of ranks %d and %d", ranks[0], ranks[1]);
    const fxi_hlo_axes contract[2] = {{{ranks[0] - 1}, 1}, {{0}, 1}}, batch[2] = {{{0}, 0}, {{0}, 0}};
    out[0] = dot(in, contract, batch, fxi_hlo_result_shape(op, 0)->dtype);
    return true;
}

/* ---- convolution ---- */

/* One side's axes as ints: batch (or output) and feature first, the spatial ones behind. */
static bool layout(fxi_hlo_import *im, const fxi_hlo_op *op, const int64_t *axes, int rank,
                   fxi_hlo_axes *to) {
    return fxi_hlo_axes_of(im, op, (fx_dims){axes, (size_t)rank}, rank, to);
}

typedef struct window {
    fx_dims strides, input_dilations, kernel_dilations, reversed;
    fx_pad_axis pads[FX_MAX_RANK];
    int64_t channel_groups, batch_groups;
} window;

static bool read_window(fxi_hlo_import *im, const fxi_hlo_op *op, size_t n, window *w) {
    return fxi_hlo_attr_ints_or(im, op, "window_strides", n, 1, &w->strides) &&
           fxi_hlo_attr_ints_or(im, op, "lhs_dilation", n, 1, &w->input_dilations) &&
           fxi_hlo_attr_ints_or(im, op, "rhs_dilation", n, 1, &w->kernel_dilations) &&
           fxi_hlo_attr_ints_or(im, op, "window_reversal", n, 0, &w->reversed) &&
           fxi_hlo_attr_int_or(im, op, "feature_group_count", 1, &w->channel_groups) &&
           fxi_hlo_attr_int_or(im, op, "batch_group_count", 1, &w->batch_groups);
}

static bool convolve(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, const window *w,
                     const fxi_hlo_conv *axes, fx_node **out) {
    size_t n = (size_t)axes->rank - 2;
    fxi_hlo_axes x, kernel, result;
    if (!layout(im, op, axes->input, axes->rank, &x) || !layout(im, op, axes->kernel, axes->rank, &kernel) ||
        !layout(im, op, axes->output, axes->rank, &result))
        return false;
    if (w->channel_groups < 1 || w->batch_groups < 1)
        return fxi_hlo_wrong(im, op->place, "groups are at least 1");
    fx_dtype dtype = fxi_hlo_result_shape(op, 0)->dtype;
    product p = product_of(fx_node_dtype(in[0]), fx_node_dtype(in[1]), dtype);
    const fx_conv_general_options options = {
        .size = sizeof options,
        .axes = {.input_batch = x.v[0],
                 .input_channels = x.v[1],
                 .input_spatial = {x.v + 2, n},
                 .kernel_input_channels = kernel.v[1],
                 .kernel_output_channels = kernel.v[0],
                 .kernel_spatial = {kernel.v + 2, n},
                 .output_batch = result.v[0],
                 .output_channels = result.v[1],
                 .output_spatial = {result.v + 2, n}},
        .strides = w->strides,
        .paddings = {w->pads, n},
        .input_dilations = w->input_dilations,
        .kernel_dilations = w->kernel_dilations,
        .reversed = w->reversed,
        .channel_groups = w->channel_groups,
        .batch_groups = w->batch_groups,
        .dtype = p.result,
    };
    out[0] = fxi_hlo_as(
        fx_conv_general(fxi_hlo_as(in[0], p.operands), fxi_hlo_as(in[1], p.operands), &options), dtype);
    return true;
}

/* The dimension numbers, for operands of their rank. */
static const fxi_hlo_attr *conv_axes(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in) {
    const fxi_hlo_attr *how = fxi_hlo_attr_of(im, op, "dimension_numbers", FXI_HLO_ATTR_CONV);
    if (!how) return NULL;
    int rank = how->u.conv->rank;
    if (rank >= 2 && rank == fx_node_rank(in[0]) && rank == fx_node_rank(in[1])) return how;
    fxi_hlo_wrong(im, op->place, "dimension numbers for rank %d, operands of ranks %d and %d", rank,
                  fx_node_rank(in[0]), fx_node_rank(in[1]));
    return NULL;
}

static bool rule_convolution(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    window w;
    const fxi_hlo_attr *how = conv_axes(im, op, in);
    if (!how) return false;
    size_t n = (size_t)how->u.conv->rank - 2;
    return read_window(im, op, n, &w) && fxi_hlo_attr_pads(im, op, n, w.pads) &&
           convolve(im, op, in, &w, how->u.conv, out);
}

static bool rule_dynamic_conv(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    window w;
    fx_dims pads;
    const fxi_hlo_attr *how = conv_axes(im, op, in);
    if (!how || !fxi_hlo_known_ints(im, op, in[2], &pads)) return false;
    size_t n = (size_t)how->u.conv->rank - 2;
    if (pads.n != 2 * n) return fxi_hlo_wrong(im, op->place, "%zu paddings for %zu axes", pads.n, n);
    for (size_t i = 0; i < n; i++)
        w.pads[i] = (fx_pad_axis){.start = pads.v[2 * i], .end = pads.v[2 * i + 1]};
    return read_window(im, op, n, &w) && convolve(im, op, in, &w, how->u.conv, out);
}

/* ---- einsum ---- */

static bool rule_einsum(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    const fxi_hlo_attr *config = fxi_hlo_attr_of(im, op, "einsum_config", FXI_HLO_ATTR_STRING);
    if (!config) return false;
    char *equation = fxi_arena_alloc(im->arena, config->text.length + 1, 1);
    if (!equation) return fxi_hlo_no_memory(im);
    memcpy(equation, config->text.at, config->text.length);
    out[0] = fx_einsum(equation, (fx_nodes){in, op->n_operands});
    return true;
}

/* ---- ragged_dot ---- */

/* Rows of lhs fall into groups along one of its axes, one after the other, as group_sizes says; each row is
 * multiplied by the matrix of its group, and rows behind the last group give 0. All products are summed with
 * a mask [..., groups] over lhs: lhs' [b, row, group, k] = lhs [b, row, k] where the row is of the group. */
typedef struct ragged {
    fxi_hlo_axes contract[2], batch[2], row, group;
} ragged;

static bool read_ragged(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, ragged *r) {
    const fxi_hlo_attr *how = fxi_hlo_attr_dict(im, op, "ragged_dot_dimension_numbers");
    int lhs = fx_node_rank(in[0]), rhs = fx_node_rank(in[1]);
    return how && fxi_hlo_entry_axes(im, op, how, "lhs_contracting_dimensions", lhs, &r->contract[0]) &&
           fxi_hlo_entry_axes(im, op, how, "rhs_contracting_dimensions", rhs, &r->contract[1]) &&
           fxi_hlo_entry_axes(im, op, how, "lhs_batching_dimensions", lhs, &r->batch[0]) &&
           fxi_hlo_entry_axes(im, op, how, "rhs_batching_dimensions", rhs, &r->batch[1]) &&
           fxi_hlo_entry_axes(im, op, how, "lhs_ragged_dimensions", lhs, &r->row) &&
           fxi_hlo_entry_axes(im, op, how, "rhs_group_dimensions", rhs, &r->group);
}

static bool has(const fxi_hlo_axes *axes, int axis) {
    for (size_t i = 0; i < axes->n; i++)
        if (axes->v[i] == axis) return true;
    return false;
}

/* Bool [rows, groups]: whether the row lies in the group. */
static fx_node *members(fx_node *sizes, int64_t rows) {
    const int64_t dims[] = {rows, fx_node_dim(sizes, 0)};
    const int along = 1;
    fx_graph *graph = fx_node_graph(sizes);
    fx_dims both = {dims, 2};
    fx_shape shape = fx_shape_make(fx_node_dtype(sizes), dims, 2);
    fx_node *ends = fx_broadcast_in_dim(fx_cum_sum(sizes, 0), both, (fx_axes){&along, 1});
    fx_node *starts = fx_sub(ends, fx_broadcast_in_dim(sizes, both, (fx_axes){&along, 1}));
    fx_node *row = fx_iota(graph, &shape, 0);
    return fx_and(fx_less_or_equal(starts, row), fx_less(row, ends));
}

static bool rule_ragged_dot(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    ragged r;
    if (!read_ragged(im, op, in, &r)) return false;
    int rank = fx_node_rank(in[0]);
    if (r.row.n != 1 || r.group.n != 1 || fx_node_rank(in[2]) != 1 || rank >= FX_MAX_RANK ||
        has(&r.contract[0], r.row.v[0]) || has(&r.batch[0], r.row.v[0]))
        return fxi_hlo_unsupported(im, op->place, "a ragged_dot that is not ragged along rows of lhs");
    fx_shape wide = *fx_node_shape(in[0]);
    int axes[FX_MAX_RANK];
    for (int i = 0; i < rank; i++) axes[i] = i;
    wide.dims[wide.rank++] = fx_node_dim(in[2], 0);
    fx_dims dims = {wide.dims, (size_t)wide.rank};
    fx_node *lhs = fx_broadcast_in_dim(in[0], dims, (fx_axes){axes, (size_t)rank});
    fx_node *mask = members(in[2], fx_node_dim(in[0], r.row.v[0]));
    mask = fx_broadcast_in_dim(mask, dims, (fx_axes){(const int[]){r.row.v[0], rank}, 2});
    lhs = fx_select(mask, lhs, fx_scalar_zero(im->graph, wide.dtype));
    if (r.contract[0].n >= FX_MAX_RANK) return fxi_hlo_wrong(im, op->place, "too many axes");
    r.contract[0].v[r.contract[0].n++] = rank;
    if (r.contract[1].n >= FX_MAX_RANK) return fxi_hlo_wrong(im, op->place, "too many axes");
    r.contract[1].v[r.contract[1].n++] = r.group.v[0];
    out[0] = dot((fx_node *const[]){lhs, in[1]}, r.contract, r.batch, fxi_hlo_result_shape(op, 0)->dtype);
    return true;
}

static const fxi_hlo_row rows[] = {
    {"chlo.ragged_dot", 3, 1, 0, rule_ragged_dot},
    {"stablehlo.convolution", 2, 1, 0, rule_convolution},
    {"stablehlo.dot", 2, 1, 0, rule_dot},
    {"stablehlo.dot_general", 2, 1, 0, rule_dot_general},
    {"stablehlo.dynamic_conv", 3, 1, 0, rule_dynamic_conv},
    {"stablehlo.einsum", 2, 1, 0, rule_einsum},
    {"stablehlo.unary_einsum", 1, 1, 0, rule_einsum},
};
const fxi_hlo_table fxi_hlo_contractions = FXI_HLO_TABLE(rows);
