/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials of the vector math, lowest power first. Written by scripts/math/coefficients.py: weighted Remez exchange in
 * 60 digits, coefficients rounded one after the other to the width of use with a new fit after each. Error: the largest
 * weighted error of the rounded polynomial, evaluated exactly; the weight makes it relative to the function's value. */
#include "emit_math_internal.h"

/* exp(r) = 1 + r + r^2 q(r), |r| <= ln2/2.
 * Error 2^-28.23 on [-0.34692, 0.34692]. */
static const double exp_32[] = {
    0x1.fffffcp-2, 0x1.55549p-3, 0x1.5558ap-5, 0x1.123ac6p-7, 0x1.6a6038p-10,
};

/* exp(r) = 1 + r + r^2 q(r), |r| <= ln2/2.
 * Error 2^-57.87 on [-0.34692, 0.34692]. */
static const double exp_64[] = {
    0x1.000000000000ap-1, 0x1.55555555554fcp-3, 0x1.5555555550681p-5, 0x1.111111112723p-7,
    0x1.6c16c1848ae23p-10, 0x1.a01a012de5944p-13, 0x1.a019991cc1b5cp-16, 0x1.71df1cc89743p-19,
    0x1.28ae426ed39e2p-22, 0x1.ad8de3a0f6016p-26,
};

const fxi_poly fxi_poly_exp[2] = {{5, exp_32}, {10, exp_64}};

/* the same, error relative to expm1(r).
 * Error 2^-30.97 on [-0.34692, 0.34692]. */
static const double expm1_32[] = {
    0x1p-1, 0x1.555554p-3, 0x1.5554fp-5, 0x1.111306p-7, 0x1.6d4388p-10, 0x1.9e0cb8p-13,
};

/* the same, error relative to expm1(r).
 * Error 2^-61.52 on [-0.34692, 0.34692]. */
static const double expm1_64[] = {
    0x1p-1, 0x1.5555555555559p-3, 0x1.555555555554dp-5, 0x1.111111110f64bp-7, 0x1.6c16c16c1aaf2p-10,
    0x1.a01a01b00a5d2p-13, 0x1.a01a018e1839ap-16, 0x1.71ddf7f7e6ec3p-19, 0x1.27e513169819ep-22,
    0x1.af5f5eb1b1658p-26, 0x1.1f1a892c4b58dp-29,
};

const fxi_poly fxi_poly_expm1[2] = {{6, expm1_32}, {11, expm1_64}};

/* 2^r = 1 + r q(r), |r| <= 1/2.
 * Error 2^-28.04 on [-0.5, 0.5]. */
static const double exp2_32[] = {
    0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af76p-5, 0x1.3b30ap-7, 0x1.5f0b84p-10, 0x1.3fa23p-13,
};

/* 2^r = 1 + r q(r), |r| <= 1/2.
 * Error 2^-57.38 on [-0.5, 0.5]. */
static const double exp2_64[] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5a4p-3, 0x1.c6b08d704a122p-5, 0x1.3b2ab6fba01b3p-7,
    0x1.5d87fe78a11e1p-10, 0x1.4309130ebe483p-13, 0x1.ffcbfc58ee7dp-17, 0x1.62bfc7d8dd65dp-20,
    0x1.b525409312087p-24, 0x1.e61af1bfbcab2p-28, 0x1.e944f50aaf5ep-32,
};

const fxi_poly fxi_poly_exp2[2] = {{6, exp2_32}, {11, exp2_64}};

/* log(1+f) = f + f^2 q(f), sqrt(1/2) <= 1+f < sqrt(2).
 * Error 2^-27.83 on [-0.292893, 0.414214]. */
static const double log_32[] = {
    -0x1.fffff8p-2, 0x1.55555p-2, -0x1.000432p-2, 0x1.99a41ap-3, -0x1.5425c8p-3, 0x1.226e02p-3,
    -0x1.0f3f72p-3, 0x1.086074p-3, -0x1.384774p-4,
};

const fxi_poly fxi_poly_log[2] = {{9, log_32}, {0, NULL}};

/* log(1+f) = 2s + s z R(z), s = f/(2+f), z = s^2, |s| <= 3-2sqrt(2).
 * Error 2^-59.49 on [1.0e-20, 0.0294373]. */
static const double log_atanh_64[] = {
    0x1.5555555555592p-1, 0x1.999999997ff3p-2, 0x1.24924941df67bp-2, 0x1.c71c521636f47p-3,
    0x1.74663c7e10b59p-3, 0x1.39a1f4d63c8ebp-3, 0x1.2f033ab62eeedp-3,
};

const fxi_poly fxi_poly_log_atanh[2] = {{0, NULL}, {7, log_atanh_64}};

/* tanh(x) = x + x^3 p(x^2), |x| <= 1.04.
 * Error 2^-26.92 on [1.0e-16, 1.0816]. */
static const double tanh_32[] = {
    -0x1.55552ep-2, 0x1.11099cp-3, -0x1.b92392p-5, 0x1.5e8194p-6, -0x1.ff211p-8, 0x1.1ed9ap-9,
    -0x1.547cfap-12,
};

/* tanh(x) = x + x^3 p(x^2), |x| <= 1.04.
 * Error 2^-58.13 on [1.0e-16, 1.0816]. */
static const double tanh_64[] = {
    -0x1.5555555555542p-2, 0x1.11111111100c7p-3, -0x1.ba1ba1b98050ep-5, 0x1.664f486b210c8p-6,
    -0x1.226e3336505fp-7, 0x1.d6d38ea0433afp-9, -0x1.7da0a0349d501p-10, 0x1.3542c867dab5cp-11,
    -0x1.f4890587ba1c8p-13, 0x1.926024b94cff4p-14, -0x1.3bf94e039d47bp-15, 0x1.d2284bf8f1b3fp-17,
    -0x1.2d75bb9413b4dp-18, 0x1.349406ffff334p-20, -0x1.acaf1ce46dce4p-23, 0x1.26ccaeef1cb07p-26,
};

const fxi_poly fxi_poly_tanh[2] = {{7, tanh_32}, {16, tanh_64}};
