/* SPDX-License-Identifier: Apache-2.0 */
/* Floats to blocks of GGML; layouts as in quantize_blocks.c. What a group of values is divided by is found by
 * a search: for each of some divisors near the plain one (largest magnitude or range by number of steps) the
 * values are rounded, and the scale (and minimum) that then fits best by least squares is taken; the divisor
 * with the smallest sum of squared errors wins. Scales of groups become small integers times the block's, and
 * values are rounded again with what came of that. */
#include "quantize_internal.h"
#include <math.h>
#include <string.h>

enum { VALUES = 256, TRIES = 10 }; /* of a K block; divisors on either side of the plain one */
#define TRY_STEP 0.1 /* from one divisor to the next, in steps of the range */
#define HALF_MOST 65504.0

double fxi_round_even(double x) {
    double low = floor(x), rest = x - low;
    bool up = rest > 0.5 || (rest == 0.5 && fmod(low, 2) != 0);
    return up ? low + 1 : low;
}

static int clamped(double x, int low, int high) {
    double r = fxi_round_even(x);
    return r < low ? low : r > high ? high : (int)r;
}

/* Steps of x / scale, 0 where there is no scale. */
static int steps_of(double x, double scale, int low, int high) {
    return scale != 0 ? clamped(x / scale, low, high) : clamped(0, low, high);
}

/* Writes a number of half precision and gives what was written. */
static double put_half(uint8_t *to, double x) {
    uint16_t bits = fxi_f16_from_f64(x > HALF_MOST ? HALF_MOST : x < -HALF_MOST ? -HALF_MOST : x);
    to[0] = (uint8_t)bits;
    to[1] = (uint8_t)(bits >> 8);
    return (double)fxi_f16_to_f32(bits);
}

/* n values of that many bits into bytes that are zero: runs of bytes, the first field of each lowest. */
static void put_fields(uint8_t *to, const uint8_t *values, int n, int run, int fields, int bits) {
    for (int i = 0; i < n; i++) {
        int field = i / run % fields, byte = i / (run * fields) * run + i % run;
        to[byte] = (uint8_t)(to[byte] | values[i] << bits * field);
    }
}

/* The value of largest magnitude. */
static double extreme(const float *x, int n) {
    double found = 0;
    for (int i = 0; i < n; i++)
        if (fabs((double)x[i]) > fabs(found)) found = (double)x[i];
    return found;
}

/* ---- searches ---- */

/* x is nearly scale q, q being steps from -most to most - 1. */
static double fit_scale(const float *x, int n, int most) {
    double largest = extreme(x, n), best = 0, best_gain = 0;
    for (int t = -TRIES; largest != 0 && t <= TRIES; t++) {
        double inverse = -(most + TRY_STEP * t) / largest, xq = 0, qq = 0;
        for (int i = 0; i < n; i++) {
            int q = clamped(inverse * (double)x[i], -most, most - 1);
            xq += (double)x[i] * q;
            qq += (double)q * q;
        }
        if (qq == 0 || xq * xq / qq <= best_gain) continue; /* the error is the sum of x^2 less this */
        best_gain = xq * xq / qq;
        best = xq / qq;
    }
    return best;
}

typedef struct affine {
    double scale, minimum; /* x is nearly scale q - minimum; neither is negative */
} affine;

/* The best fit to rounded steps; its squared error. */
static double solve(const float *x, const int *q, int n, affine *fit) {
    double sx = 0, sq = 0, sxq = 0, sqq = 0, error = 0;
    for (int i = 0; i < n; i++) {
        sx += (double)x[i];
        sq += q[i];
        sxq += (double)x[i] * q[i];
        sqq += (double)q[i] * q[i];
    }
    double det = n * sqq - sq * sq;
    fit->scale = det > 0 ? (n * sxq - sx * sq) / det : 0;
    fit->minimum = (sq * fit->scale - sx) / n;
    if (fit->minimum < 0) *fit = (affine){sqq > 0 ? sxq / sqq : 0, 0};
    if (fit->scale < 0) return INFINITY;
    for (int i = 0; i < n; i++) {
        double off = fit->scale * q[i] - fit->minimum - (double)x[i];
        error += off * off;
    }
    return error;
}

/* q being steps from 0 to most. */
static affine fit_affine(const float *x, int n, int most) {
    double low = 0, high = (double)x[0], best_error = INFINITY;
    int q[32];
    for (int i = 0; i < n; i++) {
        low = fmin(low, (double)x[i]);
        high = fmax(high, (double)x[i]);
    }
    affine best = {0, -low};
    for (int t = -TRIES; high > low && t <= TRIES; t++) {
        affine fit;
        double inverse = (most + TRY_STEP * t) / (high - low);
        for (int i = 0; i < n; i++) q[i] = clamped(inverse * ((double)x[i] - low), 0, most);
        double error = solve(x, q, n, &fit);
        if (error >= best_error) continue;
        best_error = error;
        best = fit;
    }
    return best;
}

static int nearest_level(double x) {
    int best = 0;
    for (int i = 1; i < 16; i++)
        if (fabs(x - fxi_iq4_nl_levels[i]) < fabs(x - fxi_iq4_nl_levels[best])) best = i;
    return best;
}

/* The same for the levels of IQ4_NL, either end of which may meet the largest value. */
static double fit_levels(const float *x, int n) {
    double largest = extreme(x, n), best = 0, best_gain = 0;
    for (int t = -TRIES; largest != 0 && t <= TRIES; t++) {
        double inverse = (fxi_iq4_nl_levels[0] + t) / largest, xq = 0, qq = 0;
        for (int i = 0; i < n; i++) {
            double q = fxi_iq4_nl_levels[nearest_level(inverse * (double)x[i])];
            xq += (double)x[i] * q;
            qq += q * q;
        }
        if (qq == 0 || xq * xq / qq <= best_gain) continue;
        best_gain = xq * xq / qq;
        best = xq / qq;
    }
    return best;
}

/* ---- 32 values ---- */

static void pack_q4_0(const float *x, uint8_t *to) {
    uint8_t q[32];
    double d = put_half(to, extreme(x, 32) / -8);
    for (int i = 0; i < 32; i++) q[i] = (uint8_t)(steps_of((double)x[i], d, -8, 7) + 8);
    put_fields(to + 2, q, 32, 16, 2, 4);
}

static void pack_q8_0(const float *x, uint8_t *to) {
    double d = put_half(to, fabs(extreme(x, 32)) / 127);
    for (int i = 0; i < 32; i++) to[2 + i] = (uint8_t)steps_of((double)x[i], d, -127, 127);
}

static void pack_iq4_nl(const float *x, uint8_t *to) {
    uint8_t q[32];
    double d = put_half(to, fit_levels(x, 32));
    for (int i = 0; i < 32; i++) q[i] = (uint8_t)nearest_level(d != 0 ? (double)x[i] / d : 0);
    put_fields(to + 2, q, 32, 16, 2, 4);
}

/* ---- 256 values, groups with minima ---- */

/* A block: integers of groups, and the steps of its values. */
typedef struct packed {
    uint8_t scale[16], minimum[16], q[VALUES];
} packed;

/* Groups of n values with `most` steps; scales and minima of at most `coarse`. */
static packed pack_affine(const float *x, int n, int most, int coarse, uint8_t *d_at, uint8_t *minimum_at) {
    packed p;
    affine fits[16], largest = {0, 0};
    int groups = VALUES / n;
    for (int g = 0; g < groups; g++) {
        fits[g] = fit_affine(x + g * n, n, most);
        largest.scale = fmax(largest.scale, fits[g].scale);
        largest.minimum = fmax(largest.minimum, fits[g].minimum);
    }
    double d = put_half(d_at, largest.scale / coarse), dmin = put_half(minimum_at, largest.minimum / coarse);
    for (int g = 0; g < groups; g++) {
        p.scale[g] = (uint8_t)steps_of(fits[g].scale, d, 0, coarse);
        p.minimum[g] = (uint8_t)steps_of(fits[g].minimum, dmin, 0, coarse);
        for (int i = g * n; i < (g + 1) * n; i++)
            p.q[i] = (uint8_t)steps_of((double)x[i] + dmin * p.minimum[g], d * p.scale[g], 0, most);
    }
    return p;
}

static void pack_q2_k(const float *x, uint8_t *to) {
    packed p = pack_affine(x, 16, 3, 15, to + 80, to + 82);
    for (int g = 0; g < 16; g++) to[g] = (uint8_t)(p.scale[g] | p.minimum[g] << 4);
    put_fields(to + 16, p.q, VALUES, 32, 4, 2);
}

static void put_six_bits(uint8_t *to, const uint8_t *scales, const uint8_t *minima) {
    for (int i = 0; i < 2; i++) {
        const uint8_t *v = i ? minima : scales;
        for (int k = 0; k < 4; k++) {
            to[4 * i + k] = (uint8_t)(v[k] | v[4 + k] >> 4 << 6);
            to[8 + k] = (uint8_t)(to[8 + k] | (v[4 + k] & 15) << 4 * i);
        }
    }
}

static void pack_q4_k(const float *x, uint8_t *to) {
    packed p = pack_affine(x, 32, 15, 63, to, to + 2);
    put_six_bits(to + 4, p.scale, p.minimum);
    put_fields(to + 16, p.q, VALUES, 32, 2, 4);
}

/* The bits of q from `bits` on, and those below. */
static void split(const uint8_t *q, int bits, uint8_t *low, uint8_t *high) {
    for (int i = 0; i < VALUES; i++) {
        low[i] = (uint8_t)(q[i] & ((1 << bits) - 1));
        high[i] = (uint8_t)(q[i] >> bits);
    }
}

static void pack_q5_k(const float *x, uint8_t *to) {
    uint8_t low[VALUES], high[VALUES];
    packed p = pack_affine(x, 32, 31, 63, to, to + 2);
    put_six_bits(to + 4, p.scale, p.minimum);
    split(p.q, 4, low, high);
    put_fields(to + 48, low, VALUES, 32, 2, 4);
    put_fields(to + 16, high, VALUES, 32, 8, 1);
}

/* ---- 256 values, signed groups of 16 ---- */

/* Steps from -most to most - 1, given less -most; scales from -coarse to coarse - 1, less nothing. */
static packed pack_signed(const float *x, int most, int coarse, uint8_t *d_at) {
    packed p;
    float fits[16];
    for (int g = 0; g < 16; g++) fits[g] = (float)fit_scale(x + g * 16, 16, most);
    double d = put_half(d_at, extreme(fits, 16) / -coarse);
    for (int g = 0; g < 16; g++) {
        int scale = steps_of((double)fits[g], d, -coarse, coarse - 1);
        p.scale[g] = (uint8_t)scale;
        for (int i = g * 16; i < (g + 1) * 16; i++)
            p.q[i] = (uint8_t)(steps_of((double)x[i], d * scale, -most, most - 1) + most);
    }
    return p;
}

static void pack_q3_k(const float *x, uint8_t *to) {
    uint8_t low[VALUES], high[VALUES];
    packed p = pack_signed(x, 4, 32, to + 108);
    split(p.q, 2, low, high);
    put_fields(to + 32, low, VALUES, 32, 4, 2);
    put_fields(to, high, VALUES, 32, 8, 1);
    for (int g = 0; g < 16; g++) {
        int scale = (p.scale[g] + 32) & 63; /* of 6 bits, from 0 on */
        low[g] = (uint8_t)(scale & 15);
        high[g] = (uint8_t)(scale >> 4);
    }
    put_fields(to + 96, low, 16, 8, 2, 4);
    put_fields(to + 104, high, 16, 4, 4, 2);
}

static void pack_q6_k(const float *x, uint8_t *to) {
    uint8_t low[VALUES], high[VALUES];
    packed p = pack_signed(x, 32, 128, to + 208);
    split(p.q, 4, low, high);
    put_fields(to, low, VALUES, 64, 2, 4);
    put_fields(to + 128, high, VALUES, 32, 4, 2);
    memcpy(to + 192, p.scale, 16);
}

fxi_block_pack fxi_block_pack_of(fx_ggml_type type) {
    switch (type) {
    case FX_GGML_Q4_0: return pack_q4_0;
    case FX_GGML_Q8_0: return pack_q8_0;
    case FX_GGML_IQ4_NL: return pack_iq4_nl;
    case FX_GGML_Q2_K: return pack_q2_k;
    case FX_GGML_Q3_K: return pack_q3_k;
    case FX_GGML_Q4_K: return pack_q4_k;
    case FX_GGML_Q5_K: return pack_q5_k;
    case FX_GGML_Q6_K: return pack_q6_k;
    default: return NULL;
    }
}
