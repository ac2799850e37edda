/* SPDX-License-Identifier: Apache-2.0 */
/* Hurwitz's zeta function by the formula of Euler and Maclaurin: with a = q + TERMS,
 *
 *     zeta(x, q) = sum over k < TERMS of (q + k)^-x + a^(1 - x) / (x - 1) + a^-x / 2
 *                  + sum over j = 1 .. CORRECTIONS of B_2j / (2j)! x (x + 1) ... (x + 2j - 2) a^(-x - 2j + 1)
 *
 * Twelve corrections leave an error below 2^-60 of the result for x > 1, q > 0: the next one is at most
 * 2 / (2 pi)^26 (x)_25 a^(-x - 25), and where x is much larger than a the sum has ended before. */
#include "stablehlo/import_zeta.h"
#include <math.h>

enum { TERMS = 10, CORRECTIONS = 12 };

/* B_2j / (2j)! */
static const double bernoulli[CORRECTIONS] = {
    1.0 / 12,
    -1.0 / 720,
    1.0 / 30240,
    -1.0 / 1209600,
    1.0 / 47900160,
    -691.0 / 1307674368000,
    1.0 / 74724249600,
    -3617.0 / 10670622842880000,
    43867.0 / 5109094217170944000,
    -174611.0 / 802857662698291200000.0,
    77683.0 / 14101100039391805440000.0,
    -236364091.0 / 1693824136731743669452800000.0,
};

static fx_node *power(fx_node *base, fx_node *x) {
    return fx_pow(base, fx_neg(x));
}

/* The sum of the corrections over a^-x, innermost first: c_j + (x + 2j - 1)(x + 2j) / a^2 (c_j+1 + ...). */
static fx_node *corrections(fx_node *x, fx_node *a) {
    fx_node *square = fx_square(a), *sum = NULL;
    for (int j = CORRECTIONS; j >= 1; j--) {
        fx_node *c = fx_fill_scalar(fx_node_graph(x), fx_node_shape(x), bernoulli[j - 1]);
        if (sum) {
            fx_node *factor = fx_mul(fx_add_scalar(x, 2 * j - 1), fx_add_scalar(x, 2 * j));
            c = fx_add(c, fx_mul(fx_div(factor, square), sum));
        }
        sum = c;
    }
    return fx_mul(fx_div(x, a), sum);
}

static fx_node *regular(fx_node *x, fx_node *q) {
    fx_node *sum = power(q, x);
    for (int k = 1; k < TERMS; k++) sum = fx_add(sum, power(fx_add_scalar(q, k), x));
    fx_node *a = fx_add_scalar(q, TERMS), *last = power(a, x);
    fx_node *rest = fx_add_scalar(fx_div(a, fx_minus_one(x)), 0.5);
    rest = fx_mul(last, fx_add(rest, corrections(x, a)));
    /* Nothing is left, where factors may be infinite. */
    return fx_select(fx_is_zero(last), sum, fx_add(sum, rest));
}

static fx_node *is_whole(fx_node *x) {
    return fx_equal(x, fx_floor(x));
}

static fx_node *zeta(fx_node *x, fx_node *q) {
    fx_graph *graph = fx_node_graph(x);
    fx_node *nan = fx_scalar(graph, FX_F64, (double)NAN), *infinity = fx_infinity(graph, FX_F64, 1);
    fx_node *even = fx_is_zero(fx_mod_scalar(x, 2)), *not_positive = fx_is_non_positive(q);
    fx_node *result = regular(x, q);
    result = fx_select(fx_less_scalar(x, 1), nan, result);
    result = fx_select(fx_and(not_positive, fx_not(is_whole(x))), nan, result);
    result = fx_select(fx_and(not_positive, is_whole(q)), fx_select(even, infinity, nan), result);
    return fx_select(fx_equal_scalar(x, 1), infinity, result);
}

static fx_node *wide(fx_node *x) {
    return fxi_hlo_as(x, FX_F64);
}

fx_node *fxi_hlo_zeta(fx_node *x, fx_node *q) {
    return fxi_hlo_as(zeta(wide(x), wide(q)), fx_node_dtype(x));
}

fx_node *fxi_hlo_polygamma(fx_node *n, fx_node *x) {
    fx_dtype dtype = fx_node_dtype(x);
    n = wide(n), x = wide(x);
    fx_node *next = fx_one_plus(n), *odd = fx_equal_scalar(fx_mod_scalar(next, 2), 1);
    fx_node *size = fx_mul(fx_exp(fx_lgamma(next)), zeta(next, x));
    fx_node *result = fx_select(odd, fx_neg(size), size);
    result = fx_select(fx_is_zero(n), fx_digamma(x), result);
    fx_node *valid = fx_and(is_whole(n), fx_is_non_negative(n));
    fx_node *nan = fx_scalar(fx_node_graph(x), FX_F64, (double)NAN);
    return fxi_hlo_as(fx_select(valid, result, nan), dtype);
}
