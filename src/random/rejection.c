/* SPDX-License-Identifier: Apache-2.0 */
/* Rejection. All elements try together, in rounds of a loop over the whole array for as long as an element
 * was refused, in which the others keep their values. Which words an element sees depends on its place and
 * the number of the attempt alone, never on what became of its neighbours.
 *
 * Attempt a is drawn at the stream's counter + a 2^112: its number stands in the highest 16 bits of the
 * counter, which neither long draws nor small numbers given as the upper half reach. */
#include "random_internal.h"
#include <fluxion/control.h>

enum { ATTEMPT_SHIFT = 48 }; /* within the upper half */

typedef struct rejection {
    const fxi_random *r;
    fxi_random_try *attempt;
    const void *user;
} rejection;

enum { ATTEMPT, VALUES, AGAIN, STATES };

static void refused_any(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_logical_any(in[AGAIN], (fx_axes){NULL, 0});
}

static void try_again(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    const rejection *j = user;
    fxi_random r = *j->r;
    fx_node *again = NULL;
    (void)n_in, (void)n_out;
    r.b.graph = body;
    r.b.stop = &body->inert;
    fx_node *high = fx_bitwise_shift_left(in[ATTEMPT], fx_scalar_int(body, FX_U64, ATTEMPT_SHIFT));
    r.high = fx_add(r.high, high);
    fx_node *values = j->attempt(&r, j->user, &again);
    out[ATTEMPT] = fx_add(in[ATTEMPT], fx_scalar_int(body, FX_U64, 1));
    out[VALUES] = fx_select(in[AGAIN], values, in[VALUES]);
    out[AGAIN] = fx_logical_and(in[AGAIN], again);
}

/* From attempt number `first` on. */
static fx_node *loop(rejection *j, uint64_t first, fx_node *values, fx_node *again) {
    fx_node *states[STATES], *results[STATES];
    states[ATTEMPT] = fx_scalar_int(j->r->b.graph, FX_U64, (int64_t)first);
    states[VALUES] = values;
    states[AGAIN] = again;
    fx_while((fx_nodes){states, STATES}, refused_any, try_again, j, results);
    return results[VALUES];
}

fx_node *fxi_random_reject(const fxi_random *r, fxi_random_try *attempt, const void *user) {
    rejection j = {r, attempt, user};
    fx_node *again, *values = attempt(r, user, &again);
    return loop(&j, 1, values, again);
}

fx_node *fxi_random_reject_long(const fxi_random *r, const fx_shape *shape, fx_node *wanted,
                                fxi_random_try *attempt, const void *user) {
    rejection j = {r, attempt, user};
    fx_shape values = *shape;
    values.dtype = FX_F64;
    fx_node *again = fx_broadcast_to_shape(wanted, shape);
    return loop(&j, 0, fx_zeros(r->b.graph, &values), again);
}
