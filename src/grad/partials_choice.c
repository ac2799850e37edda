/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of operations that choose among their operands: constants, chosen by comparisons. Equal
 * operands share, and where a NaN decides the result it takes the derivative. */
#include "grad_internal.h"

/* 1 where the condition holds, else 0. */
static fx_node *indicator(fx_node *condition, fx_dtype dtype) {
    return fx_convert(condition, dtype);
}

/* ---- max, min ---- */

/* x wins against y by `wins` or as a NaN; a half where they are equal. */
static fx_node *won(const fxi_build *b, fx_node *x, fx_node *y, fx_node *(*wins)(fx_node *, fx_node *)) {
    fx_node *all = indicator(fx_or(wins(x, y), fx_not_equal(x, x)), x->shape.dtype);
    return fx_select(fx_equal(x, y), fxi_grad_number(b, x, 0.5), all);
}

static fx_node *partial_max(const fxi_build *b, fx_node *n, uint32_t i) {
    return won(b, n->operands[i], n->operands[1 - i], fx_greater);
}
const fxi_grad_rule fxi_gradrule_max = {.partial = partial_max};

static fx_node *partial_min(const fxi_build *b, fx_node *n, uint32_t i) {
    return won(b, n->operands[i], n->operands[1 - i], fx_less);
}
const fxi_grad_rule fxi_gradrule_min = {.partial = partial_min};

/* ---- clamp(low, x, high) = min(max(x, low), high): x passes at its bounds too; none do unless low < high,
 * where the result is high whatever x is ---- */

static fx_node *partial_clamp(const fxi_build *b, fx_node *n, uint32_t i) {
    fx_node *low = n->operands[0], *x = n->operands[1], *high = n->operands[2];
    fx_node *is_open = fx_less(low, high), *is_below = fx_less(x, low), *is_above = fx_greater(x, high);
    (void)b;
    if (i == 0) return indicator(fx_and(is_below, is_open), n->shape.dtype);
    if (i == 2) return indicator(fx_or(is_above, fx_not(is_open)), n->shape.dtype);
    return indicator(fx_and(fx_not(fx_or(is_below, is_above)), is_open), n->shape.dtype);
}
const fxi_grad_rule fxi_gradrule_clamp = {.partial = partial_clamp};

/* ---- select(p, x, y) ---- */

static fx_node *where(const fxi_build *b, fx_node *condition, fx_node *x, fx_node *y) {
    if (!x && !y) return NULL;
    fx_node *zero = fxi_grad_number(b, x ? x : y, 0);
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
