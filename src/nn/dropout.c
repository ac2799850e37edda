/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout. A word of 32 bits per element is compared with a whole number, so no uniform float is made, and
 * the mask is a comparison that the backward pass shares: the compiler makes the words inside the kernels, or
 * keeps the mask as one byte an element. */
#include "nn_internal.h"
#include <fluxion/random.h>
#include <math.h>

/* How many of the 2^32 words drop an element; for 0 < rate < 1 never all and never none of them. */
static uint32_t dropped_words(double rate) {
    double words = nearbyint(ldexp(rate, 32));
    return words < 1 ? 1 : words > 4294967295.0 ? UINT32_MAX : (uint32_t)words;
}

static fx_node *drop(const fxi_build *b, fx_node *x, double rate, fx_node *state, fx_node **new_state) {
    fx_shape words = x->shape;
    words.dtype = FX_U32;
    fx_node *wide = fxi_build_wide(x), *bits = fx_random_bits(state, &words, new_state);
    fx_node *is_kept = fx_greater_or_equal(bits, fx_scalar_int(b->graph, FX_U32, dropped_words(rate)));
    fx_node *scaled = fx_mul(wide, fx_scalar(b->graph, wide->shape.dtype, 1 / (1 - rate)));
    return fx_convert(fx_where(is_kept, scaled, fx_scalar_zero(b->graph, wide->shape.dtype)), x->shape.dtype);
}

static bool begin(fxi_build *b, fx_node *x, double rate, fx_node *state) {
    static const int64_t dims[] = {3};
    if (!fxi_build_begin_roles(b, "fx_nn_dropout", (fx_node *const[]){x, state}, 2,
                               FXI_ROLES("x", "the random state")))
        return false;
    if (!fxi_build_floats(b, x, "dropout", FX_OP_ERF)) return false;
    const fx_shape wanted = {.dtype = FX_U64, .rank = 1, .dims = {dims[0]}};
    if (!fx_shape_equal(&state->shape, &wanted)) {
        fxi_build_refuse(b, FX_ERROR_SHAPE, "the state is %s; a random state is (uint64)[3]",
                         fx_shape_to_text(&state->shape).s);
        return false;
    }
    if (rate >= 0 && rate <= 1) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the rate is %g; it must be within 0 and 1", rate);
    return false;
}

fx_node *fx_nn_dropout(fx_node *x, double rate, fx_node *state, fx_node **new_state) {
    fxi_build b;
    bool ok = begin(&b, x, rate, state);
    if (new_state) *new_state = ok ? state : b.stop;
    if (!ok) return b.stop;
    if (rate == 0) return x;
    if (rate == 1) return fx_zeros_like(x);
    return drop(&b, x, rate, state, new_state);
}
