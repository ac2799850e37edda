/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for random.h: the programs' functions give the new state first, then the values. */
#include "cases.h"
#include <fluxion/random.h>

typedef fx_node *draw_fn(fx_node *state, const fx_shape *shape, fx_node **new_state);

static struct value *state_and_values(struct eval *eval, fx_node *state, fx_node *values) {
    return case_value_nodes(eval, (fx_node *[]){state, values}, 2);
}

static struct value *draw(struct eval *eval, struct value *const *args, draw_fn *fn) {
    const fx_shape shape = case_arg_shape(eval, args[1], args[2]);
    fx_node *state = NULL, *values = fn(args[0]->u.node, &shape, &state);
    return state_and_values(eval, state, values);
}

#define DRAW(word, fn)                                                                                       \
    static struct value *call_##word(struct eval *eval, const struct op *op, struct value *const *args) {    \
        (void)op;                                                                                            \
        return draw(eval, args, fn);                                                                         \
    }
DRAW(bits, fx_random_bits)
DRAW(uniform, fx_random_uniform)
DRAW(normal, fx_random_normal)

static struct value *call_seed(struct eval *eval, const struct op *op, struct value *const *args) {
    (void)op;
    return case_value_node(eval, fx_random_state(eval->graph, (uint64_t)args[0]->u.number.i));
}

static struct value *call_int_n(struct eval *eval, const struct op *op, struct value *const *args) {
    const fx_shape shape = case_arg_shape(eval, args[2], args[3]);
    fx_node *n = args[1]->u.node, *zero = fx_scalar_zero(fx_node_graph(n), fx_node_dtype(n)), *state = NULL;
    (void)op;
    fx_node *values = fx_random_int_between(args[0]->u.node, zero, n, &shape, &state);
    return state_and_values(eval, state, values);
}

static const struct op ops[] = {
    {"rng_state_from_seed", "i:seed", call_seed, {.unary = NULL}},
    {"rng_bit_generator", "n:state d:dtype a:dims", call_bits, {.unary = NULL}},
    {"random_uniform", "n:state d:dtype a:dims", call_uniform, {.unary = NULL}},
    {"random_normal", "n:state d:dtype a:dims", call_normal, {.unary = NULL}},
    {"random_int_n", "n:state n:limit d:dtype a:dims", call_int_n, {.unary = NULL}},
};

const struct op_table case_ops_random = {ops, sizeof ops / sizeof *ops};
