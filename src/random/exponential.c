/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential and Gumbel values and decisions, each a function of one word. They are computed in float64
 * and rounded once: a logarithm of (k + 1/2) 2^-32 is then exact enough at both ends, near 0 as in the
 * tail. */
#include "random_internal.h"

/* The word of a dtype: float64 takes 64 bits. */
static fx_dtype word_of(const fx_shape *shape) {
    return shape->dtype == FX_F64 ? FX_U64 : FX_U32;
}

static fx_node *exponential(fx_node *words) {
    return fx_neg(fx_log(fxi_random_inner(words)));
}

fx_node *fx_random_exponential(fx_node *state, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    if (!fxi_random_begin(&r, "fx_random_exponential", &state, 1, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_floats(&r, shape)) return r.b.stop;
    return fx_convert(exponential(fxi_random_draw(&r, shape, word_of(shape), new_state)), shape->dtype);
}

fx_node *fx_random_gumbel(fx_node *state, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    if (!fxi_random_begin(&r, "fx_random_gumbel", &state, 1, shape, new_state)) return r.b.stop;
    if (!fxi_random_takes_floats(&r, shape)) return r.b.stop;
    fx_node *waiting = exponential(fxi_random_draw(&r, shape, word_of(shape), new_state));
    return fx_convert(fx_neg(fx_log(waiting)), shape->dtype);
}

/* ---- decisions ---- */

/* A word of 64 bits is below p 2^64: exact for every p above 2^-12 in float64, and within 2^-64 else. */
fx_node *fx_random_bernoulli(fx_node *state, fx_node *p, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    fx_node *const operands[] = {state, p};
    if (!fxi_random_begin(&r, "fx_random_bernoulli", operands, 2, shape, new_state)) return r.b.stop;
    if (shape->dtype != FX_BOOL && !fxi_random_takes_numbers(&r, shape)) return r.b.stop;
    fx_node *wide = fxi_random_parameter(&r, "the probability", p, shape);
    if (!wide) return r.b.stop;
    fx_node *limit = fx_convert(fx_mul_scalar(wide, 0x1p64), FX_U64); /* saturates; NaN gives 0 */
    fx_node *always = fx_greater_or_equal(wide, fx_scalar_one(r.b.graph, FX_F64));
    fx_node *below = fx_less(fxi_random_draw(&r, shape, FX_U64, new_state), limit);
    return fx_convert(fx_logical_or(below, always), shape->dtype);
}
