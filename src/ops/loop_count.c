/* SPDX-License-Identifier: Apache-2.0 */
/* How many rounds a counted loop takes, read off its closures when it is built. The condition compares a
 * state, an integer scalar, with a constant; the state begins as a constant, and the body adds a constant to
 * it. Then the number follows from the three constants, unless the counter would leave its dtype first.
 * Constants of enclosing graphs are copied into closures (graph.h), so that one look at a node suffices.
 * Distances are taken in 64 unsigned bits, which hold that of any two int64. */
#include "ops/ops.h"

typedef struct counter {
    fx_dtype dtype;
    fxi_direction direction; /* counter <direction> end */
    int64_t first, end, step;
} counter;

/* The number of a constant integer scalar. */
static bool read_number(const fx_node *node, int64_t *number) {
    if (node->op != FX_OP_CONSTANT || node->shape.rank != 0 || !fx_dtype_is_integer(node->shape.dtype))
        return false;
    *number = fx_tensor_get_int(fxi_node_attr(node, FXI_ATTR_VALUE)->u.tensor, 0);
    return node->shape.dtype != FX_U64 || *number >= 0; /* those above 2^63 are left out */
}

/* Which state a parameter is; `states` for any other node. */
static size_t find_state(const fx_graph *body, const fx_node *node, size_t states) {
    size_t i = 0;
    while (i < states && body->parameters.data[i] != node) i++;
    return i;
}

/* The condition: the state that is compared, `states` when it is another condition. */
static size_t read_condition(const fx_graph *condition, size_t states, counter *c) {
    static const fxi_direction mirrored[FXI_DIRECTIONS] = {FXI_EQ, FXI_NE, FXI_GT, FXI_GE, FXI_LT, FXI_LE};
    const fx_node *compare = condition->outputs[0];
    if (compare->op != FX_OP_COMPARE) return states;
    const int64_t direction = fxi_node_int(compare, FXI_ATTR_DIRECTION);
    const size_t left = find_state(condition, compare->operands[0], states);
    c->direction = left < states ? (fxi_direction)direction : mirrored[direction];
    if (!read_number(compare->operands[left < states], &c->end)) return states;
    return left < states ? left : find_state(condition, compare->operands[1], states);
}

/* The body: counter + constant, in either order, or counter - constant. */
static bool read_step(const fx_graph *body, size_t state, counter *c) {
    const fx_node *next = body->outputs[state], *old = body->parameters.data[state];
    if (next->op != FX_OP_ADD && next->op != FX_OP_SUB) return false;
    const bool first = next->operands[0] == old;
    if (!first && (next->op == FX_OP_SUB || next->operands[1] != old)) return false;
    if (!read_number(next->operands[first], &c->step)) return false;
    if (next->op == FX_OP_SUB && c->step == INT64_MIN) return false;
    if (next->op == FX_OP_SUB) c->step = -c->step;
    return true;
}

static bool holds(const counter *c) {
    switch (c->direction) {
    case FXI_EQ: return c->first == c->end;
    case FXI_NE: return c->first != c->end;
    case FXI_LT: return c->first < c->end;
    case FXI_LE: return c->first <= c->end;
    case FXI_GT: return c->first > c->end;
    default: return c->first >= c->end;
    }
}

/* Rounds until the counter, which moves by `step` towards an end `distance` away, is there (NE), at or beyond
 * it (LT, GT) or beyond it (LE, GE), moving by `room` at most. */
static int64_t count_rounds(fxi_direction direction, uint64_t distance, uint64_t step, uint64_t room) {
    uint64_t rounds = distance / step;
    if (direction == FXI_NE && distance % step != 0) return -1;
    const bool one_more = direction == FXI_LE || direction == FXI_GE || distance % step != 0;
    if (rounds >= INT64_MAX) return -1;
    rounds += one_more;
    return rounds <= room / step ? (int64_t)rounds : -1;
}

static int64_t count_of(const counter *c) {
    if (!holds(c)) return 0;
    const bool up = c->step > 0, passes = c->end >= c->first;
    if (c->step == 0 || c->direction == FXI_EQ) return -1;
    if (c->direction == FXI_NE ? up != passes : up != (c->direction == FXI_LT || c->direction == FXI_LE))
        return -1; /* it moves away from the end */
    const uint64_t first = (uint64_t)c->first, end = (uint64_t)c->end, step = (uint64_t)c->step;
    const int64_t high = c->dtype == FX_U64 ? INT64_MAX : fxi_dtype_highest(c->dtype).i;
    const uint64_t low = (uint64_t)fxi_dtype_lowest(c->dtype).i;
    return up ? count_rounds(c->direction, end - first, step, (uint64_t)high - first)
              : count_rounds(c->direction, first - end, 0 - step, first - low);
}

int64_t fxi_loop_count(const fx_graph *condition, const fx_graph *body, fx_node *const *states, size_t n) {
    counter c = {.step = 0};
    const size_t state = condition->output_count == 1 ? read_condition(condition, n, &c) : n;
    if (state >= n || state >= body->output_count) return -1;
    c.dtype = states[state]->shape.dtype;
    return read_number(states[state], &c.first) && read_step(body, state, &c) ? count_of(&c) : -1;
}
