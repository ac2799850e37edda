/* SPDX-License-Identifier: Apache-2.0 */
/* Operations between devices. Groups become those of collective.h, with the channel's number; a combination
 * that the library has no kind for is refused unless every group has one member, whose value then is the
 * result. The number of this device is 0, as a program imported here runs on one device; a module that was
 * written for more is refused there. */
#include "stablehlo/import_rules.h"
#include <fluxion/collective.h>
#include <fluxion/mesh.h>

/* Rows of numbers; the groups' size is the length of a row. */
static bool read_groups(fxi_hlo_import *im, const fxi_hlo_op *op, fx_device_groups *groups) {
    const fxi_hlo_attr *attr = fxi_hlo_find(&op->attrs, "replica_groups");
    const fxi_hlo_attr *channel = fxi_hlo_find(&op->attrs, "channel_handle");
    *groups = (fx_device_groups){.channel = 0};
    if (attr && attr->kind != FXI_HLO_ATTR_DENSE)
        return fxi_hlo_unsupported(im, attr->place, "groups that are not a list of numbers");
    if (attr && (!attr->type || attr->type->kind != FXI_HLO_TENSOR || attr->type->shape.rank != 2))
        return fxi_hlo_wrong(im, attr->place, "replica_groups is no matrix");
    if (attr && !fxi_hlo_read_ints(im, attr, &groups->devices)) return false;
    groups->size = attr && groups->devices.n ? attr->type->shape.dims[1] : 0;
    return (!channel || fxi_hlo_entry_int_or(im, channel, "handle", 0, &groups->channel)) &&
           fxi_hlo_attr_bool_or(im, op, "use_global_device_ids", false, &groups->global_ids);
}

/* Whether nobody exchanges anything: every group is one device. */
static bool is_alone(const fx_device_groups *groups) {
    return groups->size == 1 && groups->devices.n == 1;
}

/* The kind of a region, -1: none. */
static int kind_of(const fxi_hlo_op *op, fx_dtype dtype) {
    static const int kinds[] = {FX_COLLECTIVE_SUM,
                                FX_COLLECTIVE_PRODUCT,
                                FX_COLLECTIVE_MAX,
                                FX_COLLECTIVE_MIN,
                                FX_COLLECTIVE_AND,
                                FX_COLLECTIVE_OR,
                                -1,
                                -1,
                                -1,
                                -1};
    int kind = kinds[fxi_hlo_region_combine(op->regions[0])];
    if (dtype != FX_BOOL) return kind;
    return kind == FX_COLLECTIVE_SUM       ? FX_COLLECTIVE_OR
           : kind == FX_COLLECTIVE_PRODUCT ? FX_COLLECTIVE_AND
                                           : kind;
}

static bool no_kind(fxi_hlo_import *im, const fxi_hlo_op *op) {
    return fxi_hlo_unsupported(im, op->place,
                               "%.*s with a computation that is none of sum, product, maximum, "
                               "minimum, and, or",
                               FXI_HLO_TEXT(op->name));
}

static bool check_results(fxi_hlo_import *im, const fxi_hlo_op *op) {
    if (op->n_operands > 0 && op->n_operands == op->n_results) return true;
    return fxi_hlo_wrong(im, op->place, "%zu operands and %zu results", op->n_operands, op->n_results);
}

static bool rule_all_reduce(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_device_groups groups;
    if (!check_results(im, op) || !read_groups(im, op, &groups)) return false;
    for (size_t i = 0; i < op->n_operands; i++) {
        int kind = kind_of(op, fx_node_dtype(in[i]));
        if (kind < 0 && !is_alone(&groups)) return no_kind(im, op);
        out[i] = kind < 0 ? in[i] : fx_all_reduce_one(in[i], (fx_collective_kind)kind, &groups);
    }
    return true;
}

/* How many devices take part, from the dimensions before and after; 0: cannot be told. */
static int64_t ratio(int64_t more, int64_t less) {
    return less > 0 && more % less == 0 ? more / less : 0;
}

static bool rule_all_gather(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_device_groups groups;
    if (!check_results(im, op) || !read_groups(im, op, &groups)) return false;
    for (size_t i = 0; i < op->n_operands; i++) {
        int axis;
        if (!fxi_hlo_attr_axis(im, op, "all_gather_dim", fx_node_rank(in[i]), &axis)) return false;
        groups.taking_part = ratio(fx_shape_dim(fxi_hlo_result_shape(op, i), axis), fx_node_dim(in[i], axis));
        out[i] = fx_all_gather(in[i], axis, &groups);
    }
    return true;
}

static bool rule_reduce_scatter(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_device_groups groups;
    int axis;
    if (!read_groups(im, op, &groups) ||
        !fxi_hlo_attr_axis(im, op, "scatter_dimension", fx_node_rank(in[0]), &axis))
        return false;
    int kind = kind_of(op, fx_node_dtype(in[0]));
    if (kind < 0 && !is_alone(&groups)) return no_kind(im, op);
    groups.taking_part = ratio(fx_node_dim(in[0], axis), fx_shape_dim(fxi_hlo_result_shape(op, 0), axis));
    out[0] = kind < 0 ? in[0] : fx_reduce_scatter(in[0], (fx_collective_kind)kind, axis, &groups);
    return true;
}

static bool rule_all_to_all(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_device_groups groups;
    if (!check_results(im, op) || !read_groups(im, op, &groups) ||
        !fxi_hlo_attr_int_or(im, op, "split_count", 0, &groups.taking_part))
        return false;
    for (size_t i = 0; i < op->n_operands; i++) {
        int split, concat, rank = fx_node_rank(in[i]);
        if (!fxi_hlo_attr_axis(im, op, "split_dimension", rank, &split) ||
            !fxi_hlo_attr_axis(im, op, "concat_dimension", rank, &concat))
            return false;
        out[i] = fx_all_to_all(in[i], split, concat, &groups);
    }
    return true;
}

static bool rule_collective_permute(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                    fx_node **out) {
    fx_dims pairs;
    int64_t channel = 0;
    const fxi_hlo_attr *handle = fxi_hlo_find(&op->attrs, "channel_handle");
    if (!check_results(im, op) || !fxi_hlo_attr_ints(im, op, "source_target_pairs", &pairs) ||
        (handle && !fxi_hlo_entry_int_or(im, handle, "handle", 0, &channel)))
        return false;
    for (size_t i = 0; i < op->n_operands; i++) out[i] = fx_collective_permute(in[i], pairs, channel);
    return true;
}

static bool rule_collective_broadcast(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                      fx_node **out) {
    fx_device_groups groups;
    if (!check_results(im, op) || !read_groups(im, op, &groups)) return false;
    for (size_t i = 0; i < op->n_operands; i++) out[i] = fx_collective_broadcast(in[i], &groups);
    return true;
}

static bool rule_cross_replica_sum(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                   fx_node **out) {
    fx_device_groups groups;
    if (!read_groups(im, op, &groups)) return false;
    out[0] = fx_all_reduce_one(in[0], FX_COLLECTIVE_SUM, &groups);
    return true;
}

/* ---- this device ---- */

/* Programs run as one partition, whose number is 0. */
static bool rule_partition_id(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    const fxi_hlo_attr *count = fxi_hlo_find(&im->module->attrs, "mhlo.num_partitions");
    (void)in;
    if (count && count->kind == FXI_HLO_ATTR_INT && count->u.i > 1)
        return fxi_hlo_unsupported(im, op->place, "%.*s in a module for %lld devices", FXI_HLO_TEXT(op->name),
                                   (long long)count->u.i);
    out[0] = fx_partition_id(im->graph);
    return true;
}

/* However many replicas the module is for: the executable's option says how many run. */
static bool rule_replica_id(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)op, (void)in;
    out[0] = fx_replica_id(im->graph);
    return true;
}

static const fxi_hlo_row rows[] = {
    {"stablehlo.all_gather", FXI_HLO_ANY, FXI_HLO_ANY, 0, rule_all_gather},
    {"stablehlo.all_reduce", FXI_HLO_ANY, FXI_HLO_ANY, 1, rule_all_reduce},
    {"stablehlo.all_to_all", FXI_HLO_ANY, FXI_HLO_ANY, 0, rule_all_to_all},
    {"stablehlo.collective_broadcast", FXI_HLO_ANY, FXI_HLO_ANY, 0, rule_collective_broadcast},
    {"stablehlo.collective_permute", FXI_HLO_ANY, FXI_HLO_ANY, 0, rule_collective_permute},
    {"stablehlo.cross-replica-sum", 1, 1, 0, rule_cross_replica_sum},
    {"stablehlo.partition_id", 0, 1, 0, rule_partition_id},
    {"stablehlo.reduce_scatter", 1, 1, 1, rule_reduce_scatter},
    {"stablehlo.replica_id", 0, 1, 0, rule_replica_id},
};
const fxi_hlo_table fxi_hlo_collectives = FXI_HLO_TABLE(rows);
