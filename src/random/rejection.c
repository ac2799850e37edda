/* SPDX-License-Identifier: Apache-2.0 */
/* Rejection. All elements try together, in rounds of a loop over the whole array for as long as an element
 * was refused, in which the others keep their values. Which words an element sees depends on its place and
 * the number of the attempt alone, never on what became of its neighbours.
 *
 * Attempt a is drawn at the stream's counter + a 2^112: its number stands in the highest 16 bits of the
 * counter, which neither long draws nor small numbers given as the upper half reach.
 *
 * One attempt in ten of the long samplers is refused, so rounds over the whole array would do the work of
 * the first attempt several times over. Large draws with the same parameters everywhere collect the
 * refused elements in an array of a sixth of the size, try there until none is left, and put the values
 * back; should there be more, that happens again. */
#include "random_internal.h"
#include <fluxion/control.h>
#include <fluxion/indexing.h>
#include <fluxion/window.h>

enum {
    ATTEMPT_SHIFT = 48,     /* within the upper half */
    COLLECT_FROM = 1 << 17, /* elements; below, compiling two samplers takes longer than is gained */
    COLLECTED_PART = 6
};

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

/* ---- collected elements ---- */

typedef struct collection {
    rejection j;
    fx_shape values;
    int64_t n, room; /* elements, and how many are collected at a time */
    fx_dtype index;
} collection;

enum { ALL_VALUES, ALL_AGAIN, ALL_STATES };

static void collected_any(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_logical_any(in[ALL_AGAIN], (fx_axes){NULL, 0});
}

static fx_node *update(fx_node *x, fx_node *places, fx_node *values) {
    return fx_scatter_update(x, fx_expand_axes(places, (fx_axes){(const int[]){-1}, 1}), values);
}

/* Places count the refused elements; those beyond the room have place `room`, where nothing is written, as
 * room that stays empty holds the number n, from which nothing is put back. */
static void collect(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    const collection *c = user;
    fxi_random r = *c->j.r;
    (void)n_in, (void)n_out;
    r.b.graph = body;
    r.b.stop = &body->inert;
    const fx_shape all = fx_shape_make(c->index, &c->n, 1), some = fx_shape_make(c->index, &c->room, 1);
    const fx_shape real = fx_shape_make(FX_F64, &c->room, 1);
    fx_node *room = fx_scalar_int(body, c->index, c->room), *end = fx_scalar_int(body, c->index, c->n);
    fx_node *count = fx_cum_sum(fx_convert(in[ALL_AGAIN], c->index), 0);
    fx_node *fits = fx_logical_and(in[ALL_AGAIN], fx_less_or_equal(count, room));
    fx_node *places = fx_select(fits, fx_sub_scalar(count, 1), room);
    r.elements = update(fx_broadcast_to_shape(end, &some), places, fx_iota(body, &all, 0));
    fx_node *used = fx_less(r.elements, end), *elements = r.elements;
    r.elements = fx_convert(elements, FX_U64);
    rejection inner = {&r, c->j.attempt, c->j.user};
    out[ALL_VALUES] = update(in[ALL_VALUES], elements, loop(&inner, 1, fx_zeros(body, &real), used));
    out[ALL_AGAIN] = fx_logical_and(in[ALL_AGAIN], fx_logical_not(fits));
}

static void draw_collected(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                           void *user) {
    collection *c = user;
    fxi_random r = *c->j.r;
    fx_node *states[ALL_STATES], *results[ALL_STATES], *again;
    const fx_dims flat = {&c->n, 1};
    (void)in, (void)n_in, (void)n_out;
    r.b.graph = body;
    r.b.stop = &body->inert;
    fx_node *values = c->j.attempt(&r, c->j.user, &again);
    states[ALL_VALUES] = fx_reshape(values, flat);
    states[ALL_AGAIN] = fx_reshape(again, flat);
    fx_while((fx_nodes){states, ALL_STATES}, collected_any, collect, c, results);
    out[0] = fx_reshape_with_shape(results[ALL_VALUES], &c->values);
}

static void draw_nothing(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    const collection *c = user;
    (void)in, (void)n_in, (void)n_out;
    out[0] = fx_zeros(body, &c->values);
}

fx_node *fxi_random_reject_long(const fxi_random *r, const fx_shape *shape, fx_node *wanted,
                                fxi_random_try *attempt, const void *user) {
    collection c = {.j = {r, attempt, user}, .values = *shape, .n = fx_shape_size(shape)};
    c.values.dtype = FX_F64;
    if (wanted->shape.rank > 0 || c.n < COLLECT_FROM)
        return loop(&c.j, 0, fx_zeros(r->b.graph, &c.values), fx_broadcast_to_shape(wanted, shape));
    c.room = c.n / COLLECTED_PART;
    c.index = fxi_random_holds(FX_S32, c.n) ? FX_S32 : FX_S64;
    return fx_if(wanted, draw_collected, draw_nothing, 1, &c, NULL);
}
