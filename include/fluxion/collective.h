/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives: operations in which several devices that run one program at the same time exchange values, as
 * StableHLO defines them. What ops.h says of axes, errors and results holds here.
 *
 * Devices are numbered from 0. The option `replicas` of an executable (exec.h) says how many run the program;
 * fx_replica_id (mesh.h) is a device's own number. Where one runs it, its only group is [0]: every collective
 * gives x back, at no cost on cpu, except a permute that sends nothing. Groups that need other devices build
 * anywhere; a program that has them is refused when it is compiled for fewer. */
#ifndef FLUXION_COLLECTIVE_H
#define FLUXION_COLLECTIVE_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which devices work together. Groups have no device in common, and all devices are in a group: the list has
 * every number from 0 on. Zero-initialised, and NULL: one group of all devices. */
typedef struct fx_device_groups {
    fx_dims devices;  /* the groups one after the other; none: one group of all devices, in order */
    int64_t size;     /* members of each group; 0: all devices listed are one group */
    int64_t channel;  /* 0: the numbers are those of replicas, and each partition of the program works by
                         itself; above: an all_to_all or broadcast of partitions, within each replica; other
                         operations of replicas, joining all their partitions */
    bool global_ids;  /* numbers are those of all devices, replica * partitions + partition; with a channel */
    int64_t taking_part; /* how many devices a group joins; 0: `size`. To be told when the list is empty, or
                            when partitions join too */
} fx_device_groups;

typedef enum fx_collective_kind {
    FX_COLLECTIVE_SUM = 0, /* numbers, complex */
    FX_COLLECTIVE_PRODUCT,
    FX_COLLECTIVE_MAX, /* NaN wins; numbers, bool */
    FX_COLLECTIVE_MIN,
    FX_COLLECTIVE_AND, /* bitwise of integers; integers, bool */
    FX_COLLECTIVE_OR
} fx_collective_kind;

/* Element by element, the values that all devices of a group have for x, combined; each of them gets the
 * result. A group shorter than the others ends in -1. The order of combination is the backend's. */
FX_API fx_node *fx_all_reduce_one(fx_node *x, fx_collective_kind kind, const fx_device_groups *groups);
/* fx_all_reduce_one of several operands of any shapes, put into results[] (the caller's array). Gives the
 * first. After an error all results are the inert node. */
FX_API fx_node *fx_all_reduce(fx_nodes operands, fx_collective_kind kind, const fx_device_groups *groups,
                              fx_node **results);
/* The values that the devices of a group have for x, one after the other along an axis in the order of the
 * group: that dimension times the number that take part. Any dtype. */
FX_API fx_node *fx_all_gather(fx_node *x, int axis, const fx_device_groups *groups);
/* fx_all_reduce_one, of which the device at place i of its group keeps part i along an axis, which is cut
 * into as many equal parts as devices take part. An error when it cannot be. */
FX_API fx_node *fx_reduce_scatter(fx_node *x, fx_collective_kind kind, int axis,
                                  const fx_device_groups *groups);
/* x cut along split_axis into as many equal parts as a group has devices, part i sent to the device at place
 * i; what arrives lies one after the other along concat_axis, in the order of the senders. The axes may be
 * one and the same. Any dtype; an error when the axis cannot be cut so. */
FX_API fx_node *fx_all_to_all(fx_node *x, int split_axis, int concat_axis, const fx_device_groups *groups);
/* x of another device: pairs lists source and target, source and target. A device that is no target gets
 * zeros (false). No device is a source, or a target, twice. channel 0: of replicas; above: of partitions,
 * within each replica. Any dtype. */
FX_API fx_node *fx_collective_permute(fx_node *x, fx_dims pairs, int64_t channel);
/* x of the first device in each group, to all of the group. Here groups need not have every device; one that
 * is in none gets zeros. Groups may end in -1; global_ids and taking_part are not looked at. Any dtype. */
FX_API fx_node *fx_collective_broadcast(fx_node *x, const fx_device_groups *groups);

#ifdef __cplusplus
}
#endif
#endif
