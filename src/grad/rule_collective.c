/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of collectives, for the sum of all devices' losses: the adjoint of a value is what all devices
 * used it say of it. A sum over devices is its own transpose; gather and reduce-scatter are each other's; an
 * exchange goes back the way it came. */
#include "grad_internal.h"
#include <fluxion/mesh.h>
#include <string.h>

static void jvp_same(const fxi_jvp *j) {
    fxi_jvp_linear(j, 1);
}

/* A collective of another kind over the same devices: attributes that both have are n's, the others given. */
static fx_node *over_same_devices(const fxi_build *b, fx_op op, const fx_node *n, fx_node *x,
                                  const fxi_attr *given, size_t n_given) {
    fxi_attr attrs[16];
    size_t count;
    const fxi_attr_id *ids = fxi_op_attrs(op, &count);
    for (size_t i = 0; i < count; i++) {
        attrs[i] = fxi_attr_int(ids[i], 0);
        for (uint32_t k = 0; k < n->attr_count; k++)
            if (n->attrs[k].id == ids[i]) attrs[i] = n->attrs[k];
        for (size_t k = 0; k < n_given; k++)
            if (given[k].id == ids[i]) attrs[i] = given[k];
    }
    return fxi_build_node(b, op, &x, 1, attrs, count, NULL);
}

static bool refuse_kind(const fxi_build *b, const fx_node *n, bool ok) {
    if (!ok)
        fxi_build_refuse(b, FX_ERROR_UNSUPPORTED, "%%%lld = %s at %s:%d has a derivative for sums only",
                         (long long)n->id, fx_node_op(n), n->file ? n->file : "?", n->line);
    return ok;
}

/* ---- all_reduce ---- The largest values share: v / number of devices that have them. */

static bool is_extreme(const fx_node *n) {
    int64_t kind = fxi_node_int(n, FXI_ATTR_KIND);
    return kind == FXI_MAX || kind == FXI_MIN;
}

static fx_node *all_sum(const fxi_build *b, const fx_node *n, fx_node *x) {
    const fxi_attr sum = fxi_attr_int(FXI_ATTR_KIND, FXI_SUM);
    return over_same_devices(b, FX_OP_ALL_REDUCE, n, x, &sum, 1);
}

/* 1 / count where this device has the extreme value, else 0. */
static fx_node *share(const fxi_build *b, fx_node *n) {
    fx_node *has = fx_convert(fx_equal(n->operands[0], n), n->shape.dtype);
    return fx_strong_div(has, all_sum(b, n, has));
}

static void vjp_all_reduce(const fxi_vjp *v) {
    bool sum = fxi_node_int(v->n, FXI_ATTR_KIND) == FXI_SUM;
    if (!refuse_kind(v->b, v->n, sum || is_extreme(v->n))) return;
    fx_node *all = all_sum(v->b, v->n, v->adjoints[0]);
    v->out[0] = sum ? all : fx_strong_mul(all, share(v->b, v->n));
}
static void jvp_all_reduce(const fxi_jvp *j) {
    bool sum = fxi_node_int(j->n, FXI_ATTR_KIND) == FXI_SUM;
    if (!refuse_kind(j->b, j->n, sum || is_extreme(j->n))) return;
    fx_node *own = sum ? j->tangents[0] : fx_strong_mul(j->tangents[0], share(j->b, j->n));
    j->out[0] = all_sum(j->b, j->n, own);
}
const fxi_grad_rule fxi_gradrule_all_reduce = {.vjp = vjp_all_reduce, .jvp = jvp_all_reduce};

/* ---- all_gather, reduce_scatter ---- */

static void vjp_all_gather(const fxi_vjp *v) {
    const fxi_attr sum = fxi_attr_int(FXI_ATTR_KIND, FXI_SUM);
    v->out[0] = over_same_devices(v->b, FX_OP_REDUCE_SCATTER, v->n, v->adjoints[0], &sum, 1);
}
const fxi_grad_rule fxi_gradrule_all_gather = {.vjp = vjp_all_gather, .jvp = jvp_same};

static void vjp_reduce_scatter(const fxi_vjp *v) {
    if (!refuse_kind(v->b, v->n, fxi_node_int(v->n, FXI_ATTR_KIND) == FXI_SUM)) return;
    v->out[0] = over_same_devices(v->b, FX_OP_ALL_GATHER, v->n, v->adjoints[0], NULL, 0);
}
static void jvp_reduce_scatter(const fxi_jvp *j) {
    if (refuse_kind(j->b, j->n, fxi_node_int(j->n, FXI_ATTR_KIND) == FXI_SUM)) jvp_same(j);
}
const fxi_grad_rule fxi_gradrule_reduce_scatter = {.vjp = vjp_reduce_scatter, .jvp = jvp_reduce_scatter};

/* ---- exchanges ---- */

static void vjp_all_to_all(const fxi_vjp *v) {
    const fxi_attr swapped[] = {fxi_attr_int(FXI_ATTR_SPLIT_AXIS, fxi_node_int(v->n, FXI_ATTR_CONCAT_AXIS)),
                                fxi_attr_int(FXI_ATTR_CONCAT_AXIS, fxi_node_int(v->n, FXI_ATTR_SPLIT_AXIS))};
    v->out[0] = fxi_build_like(v->b, v->n, v->adjoints, swapped, 2, NULL);
}
const fxi_grad_rule fxi_gradrule_all_to_all = {.vjp = vjp_all_to_all, .jvp = jvp_same};

static void vjp_permute(const fxi_vjp *v) {
    const fx_dims pairs = fxi_node_ints(v->n, FXI_ATTR_PAIRS);
    int64_t *back = fxi_alloc_zeroed(pairs.n + 1, sizeof *back);
    if (!back) {
        fxi_build_refuse(v->b, FX_ERROR_MEMORY, "out of memory");
        return;
    }
    for (size_t i = 0; i + 1 < pairs.n; i += 2) back[i] = pairs.v[i + 1], back[i + 1] = pairs.v[i];
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_PAIRS, back, pairs.n);
    v->out[0] = fxi_build_like(v->b, v->n, v->adjoints, &attr, 1, NULL);
    fxi_free(back);
}
const fxi_grad_rule fxi_gradrule_collective_permute = {.vjp = vjp_permute, .jvp = jvp_same};

/* An adjoint lies on the mesh as its value does. */
static void vjp_shard(const fxi_vjp *v) {
    v->out[0] = fxi_build_like(v->b, v->n, v->adjoints, NULL, 0, NULL);
}
const fxi_grad_rule fxi_gradrule_shard = {.vjp = vjp_shard, .jvp = jvp_same};

/* ---- collective_broadcast ---- The first device of a group gets what all of it say, the others nothing. */

/* Whether this device is the first of its group: a bool scalar. */
static fx_node *is_first(const fxi_vjp *v) {
    const fx_dims groups = fxi_node_ints(v->n, FXI_ATTR_GROUPS);
    fx_node *id = fx_convert(fx_replica_id(v->b->graph), FX_S64);
    if (groups.n == 0) return fx_equal(id, fx_scalar_zero(v->b->graph, FX_S64));
    const size_t size = (size_t)fxi_node_int(v->n, FXI_ATTR_GROUP_SIZE), count = groups.n / size;
    int64_t *first = fxi_alloc_zeroed(count, sizeof *first);
    if (!first) return fxi_build_refuse(v->b, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) first[i] = groups.v[i * size];
    const int64_t dims[] = {(int64_t)count};
    fx_node *list = fx_constant_host(v->b->graph, (fx_host){first, FX_S64, dims, 1});
    fxi_free(first);
    return fx_reduce_all_or(fx_equal(list, id));
}

/* all_reduce wants every device in a group, and knows no groups of partitions. */
static bool is_like_a_sum(const fx_node *n) {
    const fx_dims groups = fxi_node_ints(n, FXI_ATTR_GROUPS);
    int64_t most = -1, listed = 0;
    for (size_t i = 0; i < groups.n; i++) {
        if (groups.v[i] > most) most = groups.v[i];
        listed += groups.v[i] >= 0;
    }
    return listed == most + 1 && fxi_node_int(n, FXI_ATTR_CHANNEL) == 0;
}

static void vjp_broadcast(const fxi_vjp *v) {
    if (!is_like_a_sum(v->n)) {
        fxi_build_refuse(v->b, FX_ERROR_UNSUPPORTED,
                         "%%%lld = %s at %s:%d has an adjoint only when its groups are of replicas and have "
                         "them all",
                         (long long)v->n->id, fx_node_op(v->n), v->n->file ? v->n->file : "?", v->n->line);
        return;
    }
    fx_node *sum = all_sum(v->b, v->n, v->adjoints[0]);
    v->out[0] = fx_select(is_first(v), sum, fx_zeros_like(sum));
}
const fxi_grad_rule fxi_gradrule_collective_broadcast = {.vjp = vjp_broadcast, .jvp = jvp_same};
