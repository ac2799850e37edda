/* SPDX-License-Identifier: Apache-2.0 */
/* Custom calls that are no LAPACK: annotations of where values lie, which change nothing on one device;
 * functions of CHLO under their older names; what programs call that were lowered for other devices. Also the
 * annotations of the Shardy dialect that are operations. */
#include "stablehlo/import_householder.h"
#include "stablehlo/import_random.h"
#include <fluxion/control.h>
#include <fluxion/linalg.h>
#include <fluxion/sorting.h>
#include <string.h>

static fxi_hlo_span target_of(const fxi_hlo_op *op) {
    const fxi_hlo_attr *target = fxi_hlo_find(&op->attrs, "call_target_name");
    return target ? target->text : op->name;
}

/* ---- annotations ---- */

static bool rule_identity(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!fx_shape_equal(fx_node_shape(in[0]), fxi_hlo_result_shape(op, 0)))
        return fxi_hlo_unsupported(im, op->place, "%.*s between shapes that differ: several devices",
                                   FXI_HLO_TEXT(target_of(op)));
    out[0] = in[0];
    return true;
}

static bool rule_nothing(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)im, (void)op, (void)in, (void)out;
    return true;
}

/* Memory of any contents. */
static bool rule_allocate(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)in;
    out[0] = fx_zeros(im->graph, fxi_hlo_result_shape(op, 0));
    return true;
}

/* ---- CHLO under other names ---- */

/* mhlo.NAME is chlo.NAME. */
static bool rule_chlo(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fxi_hlo_span target = target_of(op);
    const size_t prefix = strlen("mhlo.");
    return fxi_hlo_as_operation(im, op, "chlo", (fxi_hlo_span){target.at + prefix, target.length - prefix},
                                in, out);
}

static bool rule_topk(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    const fxi_hlo_attr *how = fxi_hlo_attr_dict(im, op, "mhlo.attributes");
    int64_t k, largest;
    if (!how || !fxi_hlo_entry_int_or(im, how, "k", 1, &k) ||
        !fxi_hlo_entry_int_or(im, how, "largest", 1, &largest))
        return false;
    fx_dtype dtype = fxi_hlo_result_shape(op, 1)->dtype;
    out[0] =
        largest ? fxi_hlo_top_k(in[0], k, dtype, &out[1]) : fx_bottom_k_dtype(in[0], k, -1, dtype, &out[1]);
    return true;
}

/* Whether a comparator compares its first two arguments for being greater; *known: whether it can be told. */
static bool takes_largest(fxi_hlo_import *im, const fxi_hlo_op *op, bool *known) {
    const fxi_hlo_attr *called = fxi_hlo_find(&op->attrs, "called_computations");
    *known = false;
    if (!called || called->kind != FXI_HLO_ATTR_LIST || called->u.list.n != 1) return false;
    const fxi_hlo_function *f = fxi_hlo_find_function(im->module, called->u.list.v[0]->text);
    if (!f || f->is_declaration || f->body->n_ops == 0 || f->body->n_arguments < 2) return false;
    const fxi_hlo_op *compare = f->body->ops[0];
    const fxi_hlo_attr *direction = fxi_hlo_find(&compare->attrs, "comparison_direction");
    if (!direction || compare->n_operands != 2 || compare->operands[0] != f->body->arguments[0]) return false;
    bool greater = fxi_hlo_span_is(direction->text, "GT");
    *known = greater || fxi_hlo_span_is(direction->text, "LT");
    return greater;
}

/* Operands x, numbers of its elements, and two initial values; the exact answer is one of the approximate
 * ones. */
static bool rule_approx_top_k(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    const fxi_hlo_attr *how = fxi_hlo_attr_dict(im, op, "mhlo.backend_config");
    int64_t k, axis, aggregate;
    bool known, largest = takes_largest(im, op, &known);
    if (!how || !fxi_hlo_entry_int_or(im, how, "top_k", 1, &k) ||
        !fxi_hlo_entry_int_or(im, how, "reduction_dim", 0, &axis) ||
        !fxi_hlo_entry_int_or(im, how, "aggregate_to_topk", 0, &aggregate))
        return false;
    if (!aggregate || !known)
        return fxi_hlo_unsupported(im, op->place, "ApproxTopK whose %s",
                                   known ? "parts are not joined" : "comparator is not > or <");
    if (axis < 0 || axis >= fx_node_rank(in[0]))
        return fxi_hlo_wrong(im, op->place, "axis %lld of %d", (long long)axis, fx_node_rank(in[0]));
    fx_node *places;
    out[0] = (largest ? fx_top_k_dtype : fx_bottom_k_dtype)(in[0], k, (int)axis, FX_S32, &places);
    out[1] = fx_take_along_axis(in[1], places, (int)axis);
    return true;
}

/* ---- lowered for other devices ---- */

static bool rule_threefry(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!fxi_hlo_check_same(im, op, in, 0)) return false;
    out[0] = in[2], out[1] = in[3];
    fxi_hlo_threefry(in, out);
    return true;
}

/* Pivots [..., k]: in step i element i of 0, 1, ..., n - 1 was swapped with element pivots[i]. */
static void swap_round(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_in, (void)n_out;
    fx_node *round = in[0], *order = in[1], *pivots = user;
    fx_shape shape = *fx_node_shape(order), steps = *fx_node_shape(pivots);
    const int last = -1;
    shape.dtype = steps.dtype = FX_S64;
    fx_graph *graph = fx_node_graph(round);
    fx_node *now = fx_equal(fx_iota(graph, &steps, steps.rank - 1), round);
    fx_node *zero = fx_scalar_zero(graph, FX_S32);
    fx_node *pivot = fx_reduce_and_keep(fx_select(now, pivots, zero), fx_reduce_sum, (fx_axes){&last, 1});
    fx_node *place = fx_iota(graph, &shape, shape.rank - 1);
    fx_node *here = fx_equal(place, round), *there = fx_equal(place, fx_convert(pivot, FX_S64));
    fx_node *mine = fx_reduce_and_keep(fx_select(here, order, zero), fx_reduce_sum, (fx_axes){&last, 1});
    fx_node *other = fx_reduce_and_keep(fx_select(there, order, zero), fx_reduce_sum, (fx_axes){&last, 1});
    out[0] = fx_select(here, other, fx_select(there, mine, order));
}

static bool rule_pivots(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    const fx_shape *shape = fxi_hlo_result_shape(op, 0);
    if (shape->rank < 1 || shape->dtype != FX_S32 || fx_node_dtype(in[0]) != FX_S32 ||
        fx_node_rank(in[0]) != shape->rank)
        return fxi_hlo_wrong(im, op->place, "pivots and permutation are int32 of one rank");
    fx_node *order = fx_iota(im->graph, shape, shape->rank - 1);
    fx_for(fx_node_dim(in[0], -1), (fx_nodes){&order, 1}, swap_round, in[0], out);
    return true;
}

static bool is_matrix(fxi_hlo_import *im, const fxi_hlo_op *op, const fx_node *x) {
    return fx_node_rank(x) >= 2 || fxi_hlo_wrong(im, op->place, "an operand of rank %d", fx_node_rank(x));
}

static bool rule_qr(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!is_matrix(im, op, in[0])) return false;
    fxi_hlo_geqrf(in[0], out);
    return true;
}

static bool rule_householder(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!is_matrix(im, op, in[0])) return false;
    if (fx_node_rank(in[1]) + 1 != fx_node_rank(in[0]))
        return fxi_hlo_wrong(im, op->place, "taus of rank %d", fx_node_rank(in[1]));
    out[0] = fxi_hlo_orgqr(in[0], in[1]);
    return true;
}

static bool rule_lu(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)im, (void)op;
    fx_lu(in[0], out);
    return true;
}

static const fxi_hlo_row targets[] = {
    {"AllocateBuffer", 0, 1, 0, rule_allocate},
    {"ApproxTopK", 4, 2, 0, rule_approx_top_k},
    {"LayoutConstraint", 1, 1, 0, rule_identity},
    {"LuDecomposition", 1, 3, 0, rule_lu},
    {"MoveToDevice", 1, 1, 0, rule_identity},
    {"MoveToHost", 1, 1, 0, rule_identity},
    {"ProductOfElementaryHouseholderReflectors", 2, 1, 0, rule_householder},
    {"Qr", 1, 2, 0, rule_qr},
    {"SPMDFullToShardShape", 1, 1, 0, rule_identity},
    {"SPMDShardToFullShape", 1, 1, 0, rule_identity},
    {"Sharding", 1, 1, 0, rule_identity},
    {"annotate_device_placement", 1, 1, 0, rule_identity},
    {"cu_lu_pivots_to_permutation", 1, 1, 0, rule_pivots},
    {"cu_threefry2x32", 4, 2, 0, rule_threefry},
    {"cu_threefry2x32_ffi", 4, 2, 0, rule_threefry},
    {"dce_sink", FXI_HLO_ANY, 0, 0, rule_nothing},
    {"hip_lu_pivots_to_permutation", 1, 1, 0, rule_pivots},
    {"hip_threefry2x32_ffi", 4, 2, 0, rule_threefry},
    {"lu_pivots_to_permutation", 1, 1, 0, rule_pivots},
    {"mhlo.acos", 1, 1, 0, rule_chlo},
    {"mhlo.acosh", 1, 1, 0, rule_chlo},
    {"mhlo.asin", 1, 1, 0, rule_chlo},
    {"mhlo.asinh", 1, 1, 0, rule_chlo},
    {"mhlo.atan", 1, 1, 0, rule_chlo},
    {"mhlo.atanh", 1, 1, 0, rule_chlo},
    {"mhlo.cosh", 1, 1, 0, rule_chlo},
    {"mhlo.erf", 1, 1, 0, rule_chlo},
    {"mhlo.sinh", 1, 1, 0, rule_chlo},
    {"mhlo.tan", 1, 1, 0, rule_chlo},
    {"mhlo.topk", 1, 2, 0, rule_topk},
    {"xla.sdy.FuncResultSharding", 1, 1, 0, rule_identity},
    {"xla.sdy.GlobalToLocalShape", 1, 1, 0, rule_identity},
    {"xla.sdy.LocalToGlobalShape", 1, 1, 0, rule_identity},
    {"xla.sdy.PropagationBarrier", 1, 1, 0, rule_identity},
    {"xla.sdy.Sharding", 1, 1, 0, rule_identity},
    {"xla.sdy.ShardingGroup", 1, 0, 0, rule_nothing},
};
const fxi_hlo_table fxi_hlo_custom = FXI_HLO_TABLE(targets);

static const fxi_hlo_row operations[] = {
    {"sdy.propagation_barrier", 1, 1, 0, rule_identity},
    {"sdy.reshard", 1, 1, 0, rule_identity},
    {"sdy.sharding_constraint", 1, 1, 0, rule_identity},
    {"sdy.sharding_group", 1, 0, 0, rule_nothing},
};
const fxi_hlo_table fxi_hlo_annotations = FXI_HLO_TABLE(operations);
