/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of operations that choose among their operands. A derivative is chosen as the value was, not
 * multiplied by 0 or 1, so that an infinite one does not reach what was not chosen. Equal operands share, and
 * where a NaN decides the result it takes the derivative. */
#include "grad_internal.h"

static fx_node *zero_like(const fxi_build *b, const fx_node *x) {
    return fxi_grad_number(b, x, 0);
}

/* The share of operand i of n in a derivative v, for both modes. */
typedef fx_node *(*share_fn)(const fxi_build *b, const fx_node *n, uint32_t i, fx_node *v);

static void vjp_by_share(const fxi_vjp *v, share_fn share) {
    for (uint32_t i = 0; i < v->n->operand_count; i++)
        if (v->wanted[i]) v->out[i] = share(v->b, v->n, i, v->adjoints[0]);
}

static void jvp_by_share(const fxi_jvp *j, share_fn share) {
    for (uint32_t i = 0; i < j->n->operand_count; i++)
        if (j->tangents[i]) j->out[0] = fxi_grad_sum(j->out[0], share(j->b, j->n, i, j->tangents[i]));
}

#define SHARE_RULE(word)                                                                                     \
    static void vjp_##word(const fxi_vjp *v) {                                                               \
        vjp_by_share(v, share_##word);                                                                       \
    }                                                                                                        \
    static void jvp_##word(const fxi_jvp *j) {                                                               \
        jvp_by_share(j, share_##word);                                                                       \
    }                                                                                                        \
    const fxi_grad_rule fxi_gradrule_##word = {.vjp = vjp_##word, .jvp = jvp_##word};

/* ---- max, min ---- */

/* x wins against y by `wins` or as a NaN; a half where they are equal. */
static fx_node *won(const fxi_build *b, const fx_node *n, uint32_t i, fx_node *v,
                    fx_node *(*wins)(fx_node *, fx_node *)) {
    fx_node *x = n->operands[i], *y = n->operands[1 - i];
    fx_node *all = fx_select(fx_or(wins(x, y), fx_not_equal(x, x)), v, zero_like(b, v));
    return fx_select(fx_equal(x, y), fx_mul(v, fxi_grad_number(b, v, 0.5)), all);
}

static fx_node *share_max(const fxi_build *b, const fx_node *n, uint32_t i, fx_node *v) {
    return won(b, n, i, v, fx_greater);
}
SHARE_RULE(max)

static fx_node *share_min(const fxi_build *b, const fx_node *n, uint32_t i, fx_node *v) {
    return won(b, n, i, v, fx_less);
}
SHARE_RULE(min)

/* ---- clamp(low, x, high) = min(max(x, low), high): x passes at its bounds too; none do unless low < high,
 * where the result is high whatever x is ---- */

static fx_node *share_clamp(const fxi_build *b, const fx_node *n, uint32_t i, fx_node *v) {
    fx_node *low = n->operands[0], *x = n->operands[1], *high = n->operands[2];
    fx_node *is_open = fx_less(low, high), *is_below = fx_less(x, low), *is_above = fx_greater(x, high);
    if (i == 0) return fx_select(fx_and(is_below, is_open), v, zero_like(b, v));
    if (i == 2) return fx_select(fx_or(is_above, fx_not(is_open)), v, zero_like(b, v));
    return fx_select(fx_or(fx_or(is_below, is_above), fx_not(is_open)), zero_like(b, v), v);
}
SHARE_RULE(clamp)

/* ---- select(p, x, y) ---- */

static fx_node *where(const fxi_build *b, fx_node *condition, fx_node *x, fx_node *y) {
    if (!x && !y) return NULL;
    fx_node *zero = zero_like(b, x ? x : y);
    return fx_select(condition, x ? x : zero, y ? y : zero);
}

static void vjp_select(const fxi_vjp *v) {
    if (v->wanted[1]) v->out[1] = where(v->b, v->n->operands[0], v->adjoints[0], NULL);
    if (v->wanted[2]) v->out[2] = where(v->b, v->n->operands[0], NULL, v->adjoints[0]);
}
static void jvp_select(const fxi_jvp *j) {
    j->out[0] = where(j->b, j->n->operands[0], j->tangents[1], j->tangents[2]);
}
const fxi_grad_rule fxi_gradrule_select = {.vjp = vjp_select, .jvp = jvp_select};

/* ---- copysign(x, y) = |x| s(y), s never 0 ---- */

static fx_node *partial_copysign(const fxi_build *b, fx_node *n, uint32_t i) {
    if (i == 1) return NULL;
    fx_node *x = n->operands[0];
    return fx_mul(fx_sign(x), fx_copysign(fxi_grad_number(b, x, 1), n->operands[1]));
}
const fxi_grad_rule fxi_gradrule_copysign = {.partial = partial_copysign};

/* ---- nextafter(x, y): x but for its last bit ---- */

static void vjp_nextafter(const fxi_vjp *v) {
    v->out[0] = v->adjoints[0];
}
static void jvp_nextafter(const fxi_jvp *j) {
    j->out[0] = j->tangents[0];
}
const fxi_grad_rule fxi_gradrule_nextafter = {.vjp = vjp_nextafter, .jvp = jvp_nextafter};
