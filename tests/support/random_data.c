/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers (splitmix64) and random tensors. Four styles of elements: moderate numbers, small integers
 * (whose sums and products are exact in every float dtype, so that any order of summation gives the same
 * bits), special values (zeros of both signs, infinities, NaN, the ends of the ranges, subnormals), and
 * numbers of all magnitudes. */
#include "support/random_graph.h"
#include <math.h>

uint64_t random_bits(random_state *r) {
    uint64_t z = r->s += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int random_below(random_state *r, int n) {
    return n > 1 ? (int)((random_bits(r) >> 32) * (uint64_t)n >> 32) : 0;
}

bool random_chance(random_state *r, int percent) {
    return random_below(r, 100) < percent;
}

static double plain_double(random_state *r) {
    return ((double)(random_bits(r) >> 11) * 0x1p-53 - 0.5) * 8.0;
}

static double special_double(random_state *r) {
    static const double specials[] = {0.0,    -0.0,       1.0,      -1.0,    0.5,       -0.5,      2.0,
                                      -2.5,   3.5,        1e-3,     -1e30,   1e-30,     65504.0,   -65519.0,
                                      3e38,   -1.7e308,   0x1p-149, 0x1p-24, -0x1p-133, 0x1p-1074, 88.7,
                                      -104.0, 0x1p24 + 1, 0x1p31,   -0x1p31, 255.0,     127.5,     448.0};
    int n = (int)(sizeof specials / sizeof *specials), i = random_below(r, n + 3);
    if (i < n) return specials[i];
    return i == n ? (double)NAN : i == n + 1 ? (double)INFINITY : -(double)INFINITY;
}

static double wide_double(random_state *r, fx_dtype dtype) {
    int range = fx_dtype_real(dtype) == FX_F64 ? 1070 : dtype == FX_F16 || dtype == FX_F8E4M3FN ? 22 : 145;
    return ldexp(plain_double(r), random_below(r, 2 * range) - range);
}

static double random_double(random_state *r, fx_dtype dtype, random_style style) {
    switch (style) {
    case RANDOM_SMALL_INTEGERS: return random_below(r, 9) - 4;
    case RANDOM_SPECIAL: return random_chance(r, 60) ? special_double(r) : plain_double(r);
    case RANDOM_WIDE: return wide_double(r, dtype);
    default: return plain_double(r);
    }
}

static int64_t random_integer(random_state *r, random_style style) {
    static const int64_t specials[] = {0,     1,      -1,        2,         -2,        7,        8,
                                       31,    32,     63,        64,        127,       -128,     255,
                                       32767, -32768, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    switch (style) {
    case RANDOM_SPECIAL: return specials[random_below(r, (int)(sizeof specials / sizeof *specials))];
    case RANDOM_WIDE: return (int64_t)random_bits(r);
    default: return random_below(r, 9) - 4;
    }
}

fx_tensor *random_tensor(random_state *r, const fx_shape *shape, random_style style) {
    fx_tensor *tensor = fx_tensor_new(shape, FX_MUST);
    fx_dtype dtype = shape->dtype;
    bool is_float = fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype);
    for (int64_t i = 0, n = fx_shape_size(shape); i < n; i++) {
        fxi_scalar v = {0};
        if (is_float) {
            v.re = random_double(r, dtype, style);
            v.im = fx_dtype_is_complex(dtype) ? random_double(r, dtype, style) : 0;
        } else {
            v.i = dtype == FX_BOOL ? random_below(r, 2) : random_integer(r, style);
        }
        fxi_element_store(dtype, tensor->data, i, v);
    }
    return tensor;
}
