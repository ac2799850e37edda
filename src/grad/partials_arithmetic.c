/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of arithmetic. Sums pass adjoints unchanged, so they have functions of their own instead of a
 * partial derivative of ones. */
#include "grad_internal.h"

static fx_node *negated(fx_node *x) {
    return x ? fx_neg(x) : NULL;
}

/* ---- x + y, x - y, -x ---- */

static void vjp_add(const fxi_vjp *v) {
    v->out[0] = v->out[1] = v->adjoints[0];
}
static void jvp_add(const fxi_jvp *j) {
    j->out[0] = fxi_grad_sum(j->tangents[0], j->tangents[1]);
}
const fxi_grad_rule fxi_gradrule_add = {.vjp = vjp_add, .jvp = jvp_add};

static void vjp_sub(const fxi_vjp *v) {
    v->out[0] = v->adjoints[0];
    if (v->wanted[1]) v->out[1] = fx_neg(v->adjoints[0]);
}
static void jvp_sub(const fxi_jvp *j) {
    j->out[0] = fxi_grad_sum(j->tangents[0], negated(j->tangents[1]));
}
const fxi_grad_rule fxi_gradrule_sub = {.vjp = vjp_sub, .jvp = jvp_sub};

static void vjp_neg(const fxi_vjp *v) {
    v->out[0] = fx_neg(v->adjoints[0]);
}
static void jvp_neg(const fxi_jvp *j) {
    j->out[0] = fx_neg(j->tangents[0]);
}
const fxi_grad_rule fxi_gradrule_neg = {.vjp = vjp_neg, .jvp = jvp_neg};

/* ---- x y ---- */

static fx_node *partial_mul(const fxi_build *b, fx_node *n, uint32_t i) {
    (void)b;
    return n->operands[1 - i];
}
const fxi_grad_rule fxi_gradrule_mul = {.partial = partial_mul};
/* strong_mul(v, d) is zero where v is, and its adjoints are strong_mul(u, d) and strong_mul(u, v): a select
 * of v == 0 would lose the second derivative there. */
const fxi_grad_rule fxi_gradrule_strong_mul = {.partial = partial_mul};

/* ---- x / y: v / y and -(v / y) n, one division for both ---- */

static void vjp_div(const fxi_vjp *v) {
    fx_node *quotient = fxi_grad_over(v->adjoints[0], fxi_grad_conj(v->n->operands[1]));
    v->out[0] = quotient;
    if (v->wanted[1]) v->out[1] = fx_neg(fxi_grad_times(quotient, fxi_grad_conj(v->n)));
}
static void jvp_div(const fxi_jvp *j) {
    fx_node *x = j->tangents[0], *y = j->tangents[1], *divisor = j->n->operands[1];
    if (x) x = fxi_grad_over(x, divisor);
    if (y) y = fx_neg(fx_strong_mul(fx_strong_div(y, divisor), j->n));
    j->out[0] = fxi_grad_sum(x, y);
}
const fxi_grad_rule fxi_gradrule_div = {.vjp = vjp_div, .jvp = jvp_div};

/* By the divisor the derivative is zero where the adjoint is and where x is. */
static void vjp_strong_div(const fxi_vjp *v) {
    fx_node *divisor = fxi_grad_conj(v->n->operands[1]);
    v->out[0] = fx_strong_div(v->adjoints[0], divisor);
    if (v->wanted[1])
        v->out[1] = fx_neg(fx_strong_div(fx_strong_mul(v->adjoints[0], fxi_grad_conj(v->n)), divisor));
}
static void jvp_strong_div(const fxi_jvp *j) {
    fx_node *x = j->tangents[0], *y = j->tangents[1], *divisor = j->n->operands[1];
    if (x) x = fx_strong_div(x, divisor);
    if (y) y = fx_neg(fx_strong_div(fx_strong_mul(y, j->n), divisor));
    j->out[0] = fxi_grad_sum(x, y);
}
const fxi_grad_rule fxi_gradrule_strong_div = {.vjp = vjp_strong_div, .jvp = jvp_strong_div};

/* ---- x rem y = x - q y with a whole number q, which rounding makes exact ---- */

static fx_node *quotient_of(fx_node *n) {
    return fx_round(fx_div(fx_sub(n->operands[0], n), n->operands[1]));
}
static void vjp_rem(const fxi_vjp *v) {
    v->out[0] = v->adjoints[0];
    if (v->wanted[1]) v->out[1] = fx_neg(fxi_grad_times(v->adjoints[0], quotient_of(v->n)));
}
static void jvp_rem(const fxi_jvp *j) {
    fx_node *y = j->tangents[1];
    if (y) y = fx_neg(fxi_grad_times(y, quotient_of(j->n)));
    j->out[0] = fxi_grad_sum(j->tangents[0], y);
}
const fxi_grad_rule fxi_gradrule_rem = {.vjp = vjp_rem, .jvp = jvp_rem};

/* ---- conj: linear over the reals ---- */

static void vjp_conj(const fxi_vjp *v) {
    v->out[0] = fxi_grad_conj(v->adjoints[0]);
}
static void jvp_conj(const fxi_jvp *j) {
    j->out[0] = fxi_grad_conj(j->tangents[0]);
}
const fxi_grad_rule fxi_gradrule_conj = {.vjp = vjp_conj, .jvp = jvp_conj};
