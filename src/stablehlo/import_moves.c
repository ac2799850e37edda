/* SPDX-License-Identifier: Apache-2.0 */
/* Constants, and operations that only move elements, with the dynamic_ forms whose result types are static:
 * what such an operation's shape operands say must agree with the type that was written, so the type decides
 * and they are not looked at; operands that say more than the type does must be known while importing. */
#include "stablehlo/import_rules.h"

static fx_dims dims_of(const fx_shape *shape) {
    return (fx_dims){shape->dims, (size_t)shape->rank};
}

/* ---- without operands ---- */

/* A number written once stays a scalar that is repeated: no memory, and it folds. */
static bool rule_constant(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)in;
    const fxi_hlo_attr *value = fxi_hlo_attr_of(im, op, "value", FXI_HLO_ATTR_DENSE);
    if (!value) return false;
    const fx_shape *shape = fxi_hlo_result_shape(op, 0);
    bool splat = fxi_hlo_dense_is_splat(value);
    fx_tensor *tensor =
        splat ? fxi_hlo_dense_splat(im->module, value, im->err) : fxi_hlo_dense(im->module, value, im->err);
    if (!tensor) return false;
    out[0] = fx_constant(im->graph, tensor);
    fx_tensor_free(tensor);
    if (splat && shape->rank > 0) out[0] = fxi_hlo_fill(out[0], shape);
    return true;
}

static bool rule_iota(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)in;
    const fx_shape *shape = fxi_hlo_result_shape(op, 0);
    int axis;
    if (!fxi_hlo_attr_axis(im, op, "iota_dimension", shape->rank, &axis)) return false;
    out[0] = fx_iota(im->graph, shape, axis);
    return true;
}

static bool rule_get_dimension_size(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                    fx_node **out) {
    int axis;
    if (!fxi_hlo_attr_axis(im, op, "dimension", fx_node_rank(in[0]), &axis)) return false;
    out[0] = fx_scalar_int(im->graph, FX_S32, fx_node_dim(in[0], axis));
    return true;
}

/* Only to the size that the axis has: all types are static. */
static bool rule_set_dimension_size(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                    fx_node **out) {
    int axis;
    fx_dims size;
    if (!fxi_hlo_attr_axis(im, op, "dimension", fx_node_rank(in[0]), &axis) ||
        !fxi_hlo_known_ints(im, op, in[1], &size))
        return false;
    if (size.n != 1 || size.v[0] != fx_node_dim(in[0], axis))
        return fxi_hlo_unsupported(im, op->place, "set_dimension_size to another size: dynamic dimensions");
    out[0] = in[0];
    return true;
}

/* ---- other dimensions ---- */

static bool rule_broadcast_in_dim(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                  fx_node **out) {
    const fx_shape *shape = fxi_hlo_result_shape(op, 0);
    fxi_hlo_axes axes;
    if (!fxi_hlo_attr_axes(im, op, "broadcast_dimensions", shape->rank, &axes)) return false;
    out[0] = fx_broadcast_in_dim(in[0], dims_of(shape), fxi_hlo_span_of(&axes));
    return true;
}

static bool rule_broadcast(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_dims sizes;
    if (!fxi_hlo_attr_ints(im, op, "broadcast_sizes", &sizes)) return false;
    out[0] = fx_broadcast_prefix(in[0], sizes);
    return true;
}

static bool rule_reshape(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)im;
    out[0] = fx_reshape_with_shape(in[0], fxi_hlo_result_shape(op, 0));
    return true;
}

static bool rule_transpose(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fxi_hlo_axes axes;
    if (!fxi_hlo_attr_axes(im, op, "permutation", fx_node_rank(in[0]), &axes)) return false;
    out[0] = fx_transpose_all_axes(in[0], fxi_hlo_span_of(&axes));
    return true;
}

/* Builders take no axes for all of them; here they are none. */
static bool rule_reverse(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fxi_hlo_axes axes;
    if (!fxi_hlo_attr_axes(im, op, "dimensions", fx_node_rank(in[0]), &axes)) return false;
    out[0] = axes.n ? fx_reverse(in[0], fxi_hlo_span_of(&axes)) : in[0];
    return true;
}

static bool rule_concatenate(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (op->n_operands == 0) return fxi_hlo_wrong(im, op->place, "nothing to concatenate");
    int axis;
    if (!fxi_hlo_attr_axis(im, op, "dimension", fx_node_rank(in[0]), &axis)) return false;
    out[0] = fx_concatenate((fx_nodes){in, op->n_operands}, axis);
    return true;
}

/* ---- parts and paddings ---- */

/* Negative limits would count from the end. */
static bool slice(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *x, const fx_dims parts[3],
                  fx_node **out) {
    static const char *const what[] = {"starts", "limits", "strides"};
    for (int i = 0; i < 3; i++) {
        if (parts[i].n != (size_t)fx_node_rank(x))
            return fxi_hlo_wrong(im, op->place, "%zu %s for %d axes", parts[i].n, what[i], fx_node_rank(x));
        if (!fxi_hlo_check_least(im, op, what[i], parts[i], i == 2)) return false;
    }
    out[0] = fx_slice(x, parts[0], parts[1], parts[2]);
    return true;
}

static bool rule_slice(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_dims parts[3];
    return fxi_hlo_attr_ints(im, op, "start_indices", &parts[0]) &&
           fxi_hlo_attr_ints(im, op, "limit_indices", &parts[1]) &&
           fxi_hlo_attr_ints_or(im, op, "strides", parts[0].n, 1, &parts[2]) &&
           slice(im, op, in[0], parts, out);
}

static bool rule_real_dynamic_slice(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                    fx_node **out) {
    fx_dims parts[3];
    return fxi_hlo_known_ints(im, op, in[1], &parts[0]) && fxi_hlo_known_ints(im, op, in[2], &parts[1]) &&
           fxi_hlo_known_ints(im, op, in[3], &parts[2]) && slice(im, op, in[0], parts, out);
}

static bool pad(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, const fx_dims parts[3],
                fx_node **out) {
    size_t rank = (size_t)fx_node_rank(in[0]);
    fx_pad_axis pads[FX_MAX_RANK];
    for (int i = 0; i < 3; i++)
        if (parts[i].n != rank)
            return fxi_hlo_wrong(im, op->place, "%zu paddings for %zu axes", parts[i].n, rank);
    for (size_t i = 0; i < rank; i++) pads[i] = (fx_pad_axis){parts[0].v[i], parts[1].v[i], parts[2].v[i]};
    out[0] = fx_pad(in[0], in[1], (fx_pads){pads, rank});
    return true;
}

static bool rule_pad(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_dims parts[3];
    return fxi_hlo_attr_ints(im, op, "edge_padding_low", &parts[0]) &&
           fxi_hlo_attr_ints(im, op, "edge_padding_high", &parts[1]) &&
           fxi_hlo_attr_ints_or(im, op, "interior_padding", parts[0].n, 0, &parts[2]) &&
           pad(im, op, in, parts, out);
}

static bool rule_dynamic_pad(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_dims parts[3];
    return fxi_hlo_known_ints(im, op, in[2], &parts[0]) && fxi_hlo_known_ints(im, op, in[3], &parts[1]) &&
           fxi_hlo_known_ints(im, op, in[4], &parts[2]) && pad(im, op, in, parts, out);
}

static const fxi_hlo_row rows[] = {
    {"stablehlo.broadcast", 1, 1, 0, rule_broadcast},
    {"stablehlo.broadcast_in_dim", 1, 1, 0, rule_broadcast_in_dim},
    {"stablehlo.concatenate", FXI_HLO_ANY, 1, 0, rule_concatenate},
    {"stablehlo.constant", 0, 1, 0, rule_constant},
    {"stablehlo.dynamic_broadcast_in_dim", 2, 1, 0, rule_broadcast_in_dim},
    {"stablehlo.dynamic_iota", 1, 1, 0, rule_iota},
    {"stablehlo.dynamic_pad", 5, 1, 0, rule_dynamic_pad},
    {"stablehlo.dynamic_reshape", 2, 1, 0, rule_reshape},
    {"stablehlo.get_dimension_size", 1, 1, 0, rule_get_dimension_size},
    {"stablehlo.iota", 0, 1, 0, rule_iota},
    {"stablehlo.pad", 2, 1, 0, rule_pad},
    {"stablehlo.real_dynamic_slice", 4, 1, 0, rule_real_dynamic_slice},
    {"stablehlo.reshape", 1, 1, 0, rule_reshape},
    {"stablehlo.reverse", 1, 1, 0, rule_reverse},
    {"stablehlo.set_dimension_size", 2, 1, 0, rule_set_dimension_size},
    {"stablehlo.slice", 1, 1, 0, rule_slice},
    {"stablehlo.transpose", 1, 1, 0, rule_transpose},
};
const fxi_hlo_table fxi_hlo_moves = FXI_HLO_TABLE(rows);
