/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of x [4] for replicas, one or more for each collective, its derivative and its place in a loop.
 * The user pointer is the number of replicas, a size_t. */
#ifndef REPLICA_PROGRAMS_H
#define REPLICA_PROGRAMS_H

#include <fluxion.h>

#define PROGRAM(name, value)                                                                                 \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,              \
                     void *user) {                                                                           \
        const fx_device_groups all = {.taking_part = (int64_t)*(const size_t *)user};                        \
        const int64_t crossed[] = {2, 0, 1, 3};                                                              \
        const fx_device_groups pairs = {.devices = {crossed, 4}, .size = 2};                                 \
        fx_node *x = in[0];                                                                                  \
        (void)g, (void)n_in, (void)n_out, (void)all, (void)pairs;                                            \
        out[0] = (value);                                                                                    \
    }
PROGRAM(sum, fx_all_reduce_one(x, FX_COLLECTIVE_SUM, NULL))
PROGRAM(sum_in_pairs, fx_all_reduce_one(x, FX_COLLECTIVE_SUM, &pairs))
PROGRAM(largest, fx_all_reduce_one(fx_neg(x), FX_COLLECTIVE_MAX, NULL))
PROGRAM(gather, fx_all_gather(x, 0, &all))
PROGRAM(gather_in_pairs, fx_all_gather(fx_reshape(x, FX_DIMS(2, 2)), 1, &pairs))
PROGRAM(scatter, fx_reduce_scatter(x, FX_COLLECTIVE_SUM, 0, &all))
PROGRAM(scatter_in_pairs, fx_reduce_scatter(x, FX_COLLECTIVE_MAX, 0, &pairs))
PROGRAM(to_all, fx_all_to_all(x, 0, 0, &all))
PROGRAM(to_all_across, fx_all_to_all(fx_reshape(x, FX_DIMS(2, 2)), 0, 1, &pairs))
PROGRAM(shifted, fx_collective_permute(x, FX_DIMS(0, 1), 0))
PROGRAM(spread, fx_collective_broadcast(x, &pairs))
PROGRAM(numbered, fx_add(fx_mul_scalar(x, 0), fx_convert(fx_replica_id(g), FX_F32)))

PROGRAM(slope_of_sum, fx_gradient(fx_reduce_all_sum(fx_square(fx_all_reduce_one(x, FX_COLLECTIVE_SUM, NULL))),
                                  FX_NODES(x), NULL))
PROGRAM(slope_of_gather,
        fx_gradient(fx_reduce_all_sum(fx_square(fx_all_gather(x, 0, &all))), FX_NODES(x), NULL))
PROGRAM(slope_of_scatter,
        fx_gradient(fx_reduce_all_sum(fx_square(fx_reduce_scatter(x, FX_COLLECTIVE_SUM, 0, &all))),
                    FX_NODES(x), NULL))
PROGRAM(slope_of_shift, fx_gradient(fx_reduce_all_sum(fx_square(fx_collective_permute(x, FX_DIMS(0, 1), 0))),
                                    FX_NODES(x), NULL))

PROGRAM(slope_of_spread,
        fx_gradient(fx_reduce_all_sum(fx_square(fx_collective_broadcast(x, &pairs))), FX_NODES(x), NULL))
static void add_all(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_all_reduce_one(in[1], FX_COLLECTIVE_SUM, NULL);
}
PROGRAM(in_loop, fx_for(3, FX_NODES(x), add_all, NULL, NULL))

/* But for `spread` and its slope: XLA's CPU has no collective_broadcast. */
static const struct replica_program {
    const char *name;
    fx_fn fn;
    bool for_two, for_four; /* numbers of replicas for which its groups are made */
} replica_programs[] = {
    {"sum", sum, true, true},
    {"sum in pairs", sum_in_pairs, false, true},
    {"largest", largest, true, true},
    {"gather", gather, true, true},
    {"gather in pairs", gather_in_pairs, false, true},
    {"scatter", scatter, true, true},
    {"scatter in pairs", scatter_in_pairs, false, true},
    {"to all", to_all, true, true},
    {"to all across", to_all_across, false, true},
    {"shifted", shifted, true, true},
    {"numbered", numbered, true, true},
    {"slope of sum", slope_of_sum, true, true},
    {"slope of gather", slope_of_gather, true, true},
    {"slope of scatter", slope_of_scatter, true, true},
    {"slope of shift", slope_of_shift, true, true},
    {"in a loop", in_loop, true, true},
};
enum { REPLICA_PROGRAMS = sizeof replica_programs / sizeof replica_programs[0] };

#endif
