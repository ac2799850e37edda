/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of collectives, one node each, and what backends with a single device have in common. The groups a
 * caller gives become attributes as StableHLO has them; what is wrong with them is for the shape rules to
 * say. */
#include <fluxion/collective.h>
#include "ops/ops.h"
#include <assert.h>

static_assert((int)FX_COLLECTIVE_SUM == (int)FXI_SUM && (int)FX_COLLECTIVE_OR == (int)FXI_OR,
              "the kinds of a reduction in the same order");

/* Groups that a caller may leave out, with the sizes that follow from others. */
static fx_device_groups filled(const fx_device_groups *given) {
    fx_device_groups groups = {.size = 0};
    if (given) groups = *given;
    if (groups.size == 0) groups.size = (int64_t)groups.devices.n;
    if (groups.taking_part == 0) groups.taking_part = groups.size;
    return groups;
}

/* The node with these attributes before those of its groups, of which its operation carries some. */
static fx_node *make(const fxi_build *b, fx_op op, fx_node *x, const fxi_attr *first, size_t count,
                     const fx_device_groups *given) {
    const fx_device_groups groups = filled(given);
    const fxi_attr all[] = {{.id = FXI_ATTR_GROUPS, .u.ints = groups.devices},
                            fxi_attr_int(FXI_ATTR_GROUP_SIZE, groups.size),
                            fxi_attr_int(FXI_ATTR_CHANNEL, groups.channel),
                            fxi_attr_int(FXI_ATTR_GLOBAL_IDS, groups.global_ids),
                            fxi_attr_int(FXI_ATTR_TAKING_PART, groups.taking_part)};
    fxi_attr attrs[8];
    size_t carried;
    const fxi_attr_id *ids = fxi_op_attrs(op, &carried);
    for (size_t i = 0; i < count; i++) attrs[i] = first[i];
    for (size_t i = count; i < carried; i++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (all[k].id == ids[i]) attrs[i] = all[k];
    return fxi_build_node(b, op, &x, 1, attrs, carried, NULL);
}

static bool is_kind(const fxi_build *b, fx_collective_kind kind) {
    if ((unsigned)kind <= FX_COLLECTIVE_OR) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there is no kind %d", (int)kind);
    return false;
}

static fx_node *all_reduce(const char *name, fx_node *x, fx_collective_kind kind,
                           const fx_device_groups *groups) {
    fxi_build b;
    if (!fxi_build_begin(&b, name, &x, 1) || !is_kind(&b, kind)) return b.stop;
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_KIND, kind);
    return make(&b, FX_OP_ALL_REDUCE, x, &attr, 1, groups);
}

fx_node *fx_all_reduce_one(fx_node *x, fx_collective_kind kind, const fx_device_groups *groups) {
    return all_reduce("fx_all_reduce_one", x, kind, groups);
}

fx_node *fx_all_reduce(fx_nodes operands, fx_collective_kind kind, const fx_device_groups *groups,
                       fx_node **results) {
    static const char name[] = "fx_all_reduce";
    fxi_build b;
    bool fine = fxi_build_begin(&b, name, operands.v, operands.v ? operands.n : 0);
    if (fine && !results) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the list of results is NULL");
    for (size_t i = operands.v ? operands.n : 0; results && i-- > 0;) {
        /* the first last, so that a call stamps them all */
        results[i] = fine ? all_reduce(name, operands.v[i], kind, groups) : b.stop;
        if (fine && results[i] && results[i]->op == FX_OP_INERT) {
            fine = false;
            b.stop = results[i];
            i = operands.n;
        }
    }
    return fine ? results[0] : b.stop;
}

fx_node *fx_all_gather(fx_node *x, int axis, const fx_device_groups *groups) {
    fxi_build b;
    int64_t at;
    if (!fxi_build_begin(&b, "fx_all_gather", &x, 1) || !fxi_build_axis(&b, x, axis, &at)) return b.stop;
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_AXIS, at);
    return make(&b, FX_OP_ALL_GATHER, x, &attr, 1, groups);
}

fx_node *fx_reduce_scatter(fx_node *x, fx_collective_kind kind, int axis, const fx_device_groups *groups) {
    fxi_build b;
    int64_t at;
    if (!fxi_build_begin(&b, "fx_reduce_scatter", &x, 1) || !is_kind(&b, kind) ||
        !fxi_build_axis(&b, x, axis, &at))
        return b.stop;
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_KIND, kind), fxi_attr_int(FXI_ATTR_AXIS, at)};
    return make(&b, FX_OP_REDUCE_SCATTER, x, attrs, 2, groups);
}

fx_node *fx_all_to_all(fx_node *x, int split_axis, int concat_axis, const fx_device_groups *groups) {
    fxi_build b;
    int64_t from, to;
    if (!fxi_build_begin(&b, "fx_all_to_all", &x, 1) || !fxi_build_axis(&b, x, split_axis, &from) ||
        !fxi_build_axis(&b, x, concat_axis, &to))
        return b.stop;
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_SPLIT_AXIS, from),
                              fxi_attr_int(FXI_ATTR_CONCAT_AXIS, to)};
    return make(&b, FX_OP_ALL_TO_ALL, x, attrs, 2, groups);
}

fx_node *fx_collective_permute(fx_node *x, fx_dims pairs, int64_t channel) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_collective_permute", &x, 1)) return b.stop;
    const fxi_attr attr = {.id = FXI_ATTR_PAIRS, .u.ints = pairs};
    return make(&b, FX_OP_COLLECTIVE_PERMUTE, x, &attr, 1, &(fx_device_groups){.channel = channel});
}

fx_node *fx_collective_broadcast(fx_node *x, const fx_device_groups *groups) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_collective_broadcast", &x, 1)) return b.stop;
    return make(&b, FX_OP_COLLECTIVE_BROADCAST, x, NULL, 0, groups);
}

/* ---- on one device ---- */

static bool refuse_device(const fx_node *node, const char *backend, int64_t device, int64_t replicas,
                          fx_error *err) {
    const char *op = fxi_op_info_of(node->op)->text;
    if (replicas == 1)
        return fxi_fail_at(err, FX_ERROR_UNSUPPORTED, node->file, node->line,
                           "%s: %s names device %lld; this backend has one device, number 0", backend, op,
                           (long long)device);
    return fxi_fail_at(err, FX_ERROR_UNSUPPORTED, node->file, node->line,
                       "%s: %s names device %lld; the program runs as %lld replicas", backend, op,
                       (long long)device, (long long)replicas);
}

static bool refuse_number(const fx_node *node, const char *backend, int64_t number, int64_t replicas,
                          fx_error *err) {
    const char *op = fxi_op_info_of(node->op)->text;
    if (replicas == 1)
        return fxi_fail_at(err, FX_ERROR_UNSUPPORTED, node->file, node->line,
                           "%s: %s is of %lld devices; this backend has one", backend, op, (long long)number);
    return fxi_fail_at(err, FX_ERROR_UNSUPPORTED, node->file, node->line,
                       "%s: %s is of %lld devices; the program runs as %lld replicas", backend, op,
                       (long long)number, (long long)replicas);
}

static bool check_listed(const fx_node *node, const char *backend, fx_dims list, int64_t replicas,
                         fx_error *err) {
    for (size_t k = 0; k < list.n; k++)
        if (list.v[k] >= replicas) return refuse_device(node, backend, list.v[k], replicas, err);
    return true;
}

/* All replicas are in groups, but for a broadcast's. */
static bool check_complete(const fx_node *node, const char *backend, fx_dims groups, int64_t replicas,
                           fx_error *err) {
    int64_t listed = 0;
    for (size_t k = 0; k < groups.n; k++) listed += groups.v[k] >= 0;
    if (groups.n == 0 || listed == replicas || node->op == FX_OP_COLLECTIVE_BROADCAST) return true;
    return refuse_number(node, backend, listed, replicas, err);
}

bool fxi_collective_of_partitions(const fx_node *node) {
    return (node->op == FX_OP_ALL_TO_ALL || node->op == FX_OP_COLLECTIVE_PERMUTE ||
            node->op == FX_OP_COLLECTIVE_BROADCAST) &&
           fxi_node_int(node, FXI_ATTR_CHANNEL) > 0;
}

bool fxi_collective_check(const fx_node *node, const char *backend, int64_t replicas, fx_error *err) {
    if (fxi_op_info_of(node->op)->op_class != FXI_CLASS_COLLECTIVE || node->op == FX_OP_SHARD) return true;
    if (fxi_collective_of_partitions(node)) replicas = 1;
    if (node->op == FX_OP_COLLECTIVE_PERMUTE)
        return check_listed(node, backend, fxi_node_ints(node, FXI_ATTR_PAIRS), replicas, err);
    const fx_dims groups = fxi_node_ints(node, FXI_ATTR_GROUPS);
    FX_TRY(check_listed(node, backend, groups, replicas, err) &&
           check_complete(node, backend, groups, replicas, err));
    if (node->op == FX_OP_ALL_REDUCE || node->op == FX_OP_COLLECTIVE_BROADCAST) return true;
    const int64_t taking_part = fxi_node_int(node, FXI_ATTR_TAKING_PART);
    const int64_t wanted = groups.n ? fxi_node_int(node, FXI_ATTR_GROUP_SIZE) : replicas;
    return taking_part == wanted || refuse_number(node, backend, taking_part, replicas, err);
}

bool fxi_collective_check_alone(const fx_node *node, const char *backend, fx_error *err) {
    return fxi_collective_check(node, backend, 1, err);
}

bool fxi_collective_is_zero_alone(const fx_node *node) {
    return node->op == FX_OP_COLLECTIVE_PERMUTE && fxi_node_ints(node, FXI_ATTR_PAIRS).n == 0;
}
