/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of a range, without bias: of the 2^64 values of a word x, as many as there is a multiple of the
 * range's length for are shared out by floor(x length / 2^64); the others, whose low half of the product
 * is below 2^64 mod length, are drawn again (Lemire: Fast random integer generation in an interval, 2019).
 * Fewer than one word in 2^32 is for ranges shorter than 2^32, and none for powers of two. */
#include "random_internal.h"

/* Length and refused low halves, uint64 with the dimensions of the limits. */
typedef struct range {
    const fx_shape *shape;
    fx_node *length, *refused;
    bool is_short; /* length < 2^32 */
} range;

static fx_node *low_half(fx_node *x) {
    return fx_bitwise_and(x, fx_scalar_int(x->graph, FX_U64, UINT32_MAX));
}
static fx_node *high_half(fx_node *x) {
    return fx_bitwise_shift_right_logical(x, fx_scalar_int(x->graph, FX_U64, 32));
}

/* The upper 64 bits of x y, by halves; y is below 2^32 when it is short. */
static fx_node *high_product(fx_node *x, fx_node *y, bool is_short) {
    fx_node *x0 = low_half(x), *x1 = high_half(x);
    if (is_short) return high_half(fx_add(fx_mul(x1, y), high_half(fx_mul(x0, y))));
    fx_node *y0 = low_half(y), *y1 = high_half(y);
    fx_node *left = fx_mul(x1, y0), *right = fx_mul(x0, y1);
    fx_node *middle = fx_add(fx_add(high_half(fx_mul(x0, y0)), low_half(left)), low_half(right));
    fx_node *sides = fx_add(high_half(left), high_half(right));
    return fx_add(fx_add(fx_mul(x1, y1), sides), high_half(middle));
}

static fx_node *try_word(const fxi_random *r, const void *user, fx_node **again) {
    const range *g = user;
    fx_node *x = fxi_random_words(r, g->shape, FX_U64);
    *again = fx_less(fx_mul(x, g->length), g->refused);
    return high_product(x, g->length, g->is_short);
}

static fx_node *finish(const fxi_random *r, const range *g, fx_node *lo, bool always, fx_node **new_state) {
    fx_node *again;
    fx_node *offset = always ? try_word(r, g, &again) : fxi_random_reject(r, try_word, g);
    if (new_state) *new_state = fxi_random_advance(r, fx_shape_size(g->shape), FX_U64);
    return fx_convert(fx_add(offset, lo), g->shape->dtype);
}

static bool takes_integers(const fxi_random *r, const fx_shape *shape) {
    if (fx_dtype_is_integer(shape->dtype) || shape->dtype == FX_BOOL) return true;
    fxi_build_refuse(&r->b, FX_ERROR_DTYPE, "%s is not accepted; integers and bool are",
                     fx_dtype_name(shape->dtype));
    return false;
}

/* The extreme values of a dtype; of uint64 those that an int64 holds. */
static void extremes(fx_dtype dtype, int64_t *least, int64_t *most) {
    int bits = dtype == FX_BOOL ? 1 : fx_dtype_bits(dtype);
    if (!fx_dtype_is_signed(dtype)) {
        *least = 0;
        *most = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
        return;
    }
    *most = INT64_MAX >> (64 - bits);
    *least = -*most - 1;
}

bool fxi_random_holds(fx_dtype dtype, int64_t value) {
    int64_t least, most;
    extremes(dtype, &least, &most);
    return value >= least && value <= most;
}

fx_node *fx_random_int(fx_node *state, int64_t lo, int64_t hi, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    if (!fxi_random_begin(&r, "fx_random_int", &state, 1, shape, new_state)) return r.b.stop;
    if (!takes_integers(&r, shape)) return r.b.stop;
    if (lo >= hi)
        return fxi_build_refuse(&r.b, FX_ERROR_ARGUMENT, "the range [%lld, %lld) is empty", (long long)lo,
                                (long long)hi);
    if (!fxi_random_holds(shape->dtype, lo) || !fxi_random_holds(shape->dtype, hi - 1))
        return fxi_build_refuse(&r.b, FX_ERROR_ARGUMENT, "the range [%lld, %lld) does not fit %s",
                                (long long)lo, (long long)hi, fx_dtype_name(shape->dtype));
    uint64_t length = (uint64_t)hi - (uint64_t)lo, refused = (0 - length) % length;
    range g = {shape, fx_scalar_int(r.b.graph, FX_U64, (int64_t)length),
               fx_scalar_int(r.b.graph, FX_U64, (int64_t)refused), length <= UINT32_MAX};
    return finish(&r, &g, fx_scalar_int(r.b.graph, FX_U64, lo), refused == 0, new_state);
}

fx_node *fx_random_int_between(fx_node *state, fx_node *lo, fx_node *hi, const fx_shape *shape,
                               fx_node **new_state) {
    fxi_random r;
    fx_node *const operands[] = {state, lo, hi};
    if (!fxi_random_begin(&r, "fx_random_int_between", operands, 3, shape, new_state)) return r.b.stop;
    if (!takes_integers(&r, shape)) return r.b.stop;
    if (!fx_dtype_is_integer(lo->shape.dtype) || lo->shape.dtype != hi->shape.dtype)
        return fxi_build_refuse(&r.b, FX_ERROR_DTYPE,
                                "the limits are %s and %s instead of two integers of one dtype",
                                fx_dtype_name(lo->shape.dtype), fx_dtype_name(hi->shape.dtype));
    if (!fxi_random_fits(&r, "the lower limit", lo, shape)) return r.b.stop;
    if (!fxi_random_fits(&r, "the upper limit", hi, shape)) return r.b.stop;
    fx_node *one = fx_scalar_int(r.b.graph, FX_U64, 1), *empty = fx_greater_or_equal(lo, hi);
    fx_node *lo_bits = fx_convert(lo, FX_U64), *length = fx_sub(fx_convert(hi, FX_U64), lo_bits);
    range g = {shape, fx_select(empty, one, length), NULL, fx_dtype_bits(lo->shape.dtype) <= 32};
    g.refused = fx_rem(fx_neg(g.length), g.length);
    return finish(&r, &g, lo_bits, false, new_state);
}
