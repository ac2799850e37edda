/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials of the vector math, lowest power first. Written by scripts/math/coefficients.py: weighted Remez
 * exchange in 60 digits, coefficients rounded one after the other to the width of use, the later
 * absorbing what that changed. Error: the largest weighted error of the rounded polynomial, in exact terms;
 * the weight makes it relative to the function's value. */
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

/* exp(-r) = 1 - r + r^2 q(r).
 * Error 2^-28.23 on [-0.34692, 0.34692]. */
static const double exp_minus_32[] = {
    0x1.fffffcp-2, -0x1.55549p-3, 0x1.5558ap-5, -0x1.123ac6p-7, 0x1.6a6038p-10,
};

/* exp(-r) = 1 - r + r^2 q(r).
 * Error 2^-57.87 on [-0.34692, 0.34692]. */
static const double exp_minus_64[] = {
    0x1.000000000000ap-1, -0x1.55555555554fcp-3, 0x1.5555555550681p-5, -0x1.111111112723p-7,
    0x1.6c16c1848ae23p-10, -0x1.a01a012de5944p-13, 0x1.a019991cc1b5cp-16, -0x1.71df1cc89743p-19,
    0x1.28ae426ed39e2p-22, -0x1.ad8de3a0f6016p-26,
};

const fxi_poly fxi_poly_exp_minus[2] = {{5, exp_minus_32}, {10, exp_minus_64}};

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

/* log(1+f) = f - f^2/2 + f^3 p(f), sqrt(1/2) <= 1+f < sqrt(2).
 * Error 2^-27.35 on [-0.292893, 0.414214]. */
static const double log_third_32[] = {
    0x1.555554p-2, -0x1.000226p-2, 0x1.99a01ep-3, -0x1.54728ep-3, 0x1.22d8f8p-3, -0x1.0d81cep-3,
    0x1.05601ep-3, -0x1.38cff4p-4,
};

const fxi_poly fxi_poly_log_third[2] = {{8, log_third_32}, {0, NULL}};

/* log(1+f) = 2s + s z R(z), s = f/(2+f), z = s^2, |s| <= 3-2sqrt(2).
 * Error 2^-44.94 on [1.0e-16, 0.0294373]. */
static const double log_atanh_32[] = {
    0x1.555555561e23fp-1, 0x1.999996a9a0f88p-2, 0x1.249411c71c20bp-2, 0x1.c62b229183dfcp-3,
    0x1.9114b5d1331a6p-3,
};

/* log(1+f) = 2s + s z R(z), s = f/(2+f), z = s^2, |s| <= 3-2sqrt(2).
 * Error 2^-59.49 on [1.0e-16, 0.0294373]. */
static const double log_atanh_64[] = {
    0x1.5555555555592p-1, 0x1.999999997ff3p-2, 0x1.24924941df67bp-2, 0x1.c71c521636f47p-3,
    0x1.74663c7e10b59p-3, 0x1.39a1f4d63c8ebp-3, 0x1.2f033ab62eeedp-3,
};

const fxi_poly fxi_poly_log_atanh[2] = {{5, log_atanh_32}, {7, log_atanh_64}};

/* the same series from its third term on: log(1+f) = 2s + 2/3 s z + s z^2 Q(z).
 * Error 2^-66.28 on [1.0e-16, 0.0294373]. */
static const double pow_log_64[] = {
    0x1.9999999999b3p-2, 0x1.2492492457d85p-2, 0x1.c71c722d61088p-3, 0x1.745ce9e5a946cp-3,
    0x1.3b1eeb8f0b5fap-3, 0x1.0f7ff63aa810bp-3, 0x1.0e422c8b09a4ep-3,
};

const fxi_poly fxi_poly_pow_log[2] = {{0, NULL}, {7, pow_log_64}};

/* tanh(x) = x + x^3 p(x^2), |x| <= 0.92.
 * Error 2^-29.31 on [1.0e-16, 0.8464]. */
static const double tanh_32[] = {
    -0x1.55554cp-2, 0x1.110eccp-3, -0x1.b9bb82p-5, 0x1.627c44p-6, -0x1.0d04b4p-7, 0x1.4b8aa4p-9,
    -0x1.c88932p-12,
};

/* tanh(x) = x + x^3 p(x^2), |x| <= 0.92.
 * Error 2^-59.50 on [1.0e-16, 0.8464]. */
static const double tanh_64[] = {
    -0x1.555555555554dp-2, 0x1.1111111110902p-3, -0x1.ba1ba1b9c432ep-5, 0x1.664f4873b55d1p-6,
    -0x1.226e33d2cabbdp-7, 0x1.d6d39bc7df963p-9, -0x1.7da0ee21aecfcp-10, 0x1.354338663fd86p-11,
    -0x1.f478d63b56baep-13, 0x1.91c7f78d166f2p-14, -0x1.392ef8a824951p-15, 0x1.c1a4131e4067ep-17,
    -0x1.0d67c36c5943bp-18, 0x1.ca0dbb73d5f4ap-21, -0x1.8daa6b4b9080ap-24,
};

const fxi_poly fxi_poly_tanh[2] = {{7, tanh_32}, {15, tanh_64}};

/* (e^2r - 1)/2 = r + r^2 q(r), |r| <= ln2/4, error relative to e^2r.
 * Error 2^-28.23 on [-0.17346, 0.17346]. */
static const double half_expm1_32[] = {
    0x1.fffffcp-1, 0x1.55549p-1, 0x1.5558ap-2, 0x1.123ac6p-3, 0x1.6a6038p-5,
};

/* (e^2r - 1)/2 = r + r^2 q(r), |r| <= ln2/4, error relative to e^2r.
 * Error 2^-57.87 on [-0.17346, 0.17346]. */
static const double half_expm1_64[] = {
    0x1.000000000000ap+0, 0x1.55555555554fcp-1, 0x1.5555555550681p-2, 0x1.111111112723p-3,
    0x1.6c16c1848ae23p-5, 0x1.a01a012de5944p-7, 0x1.a019991cc1b5cp-9, 0x1.71df1cc89743p-11,
    0x1.28ae426ed39e2p-13, 0x1.ad8de3a0f6016p-16,
};

const fxi_poly fxi_poly_half_expm1[2] = {{5, half_expm1_32}, {10, half_expm1_64}};

/* cosh(r) = 1 + z c(z), z = r^2, |r| <= ln2/2.
 * Error 2^-33.19 on [1.0e-16, 0.120354]. */
static const double cosh_32[] = {
    0x1p-1, 0x1.5554e4p-5, 0x1.6d5168p-10,
};

/* cosh(r) = 1 + z c(z), z = r^2, |r| <= ln2/2.
 * Error 2^-57.96 on [1.0e-16, 0.120354]. */
static const double cosh_64[] = {
    0x1.000000000000cp-1, 0x1.555555554fddbp-5, 0x1.6c16c18616126p-10, 0x1.a019958773c13p-16,
    0x1.28b12d8d31a6p-22,
};

const fxi_poly fxi_poly_cosh[2] = {{3, cosh_32}, {5, cosh_64}};

/* sinh(r) = r + r z s(z), z = r^2, |r| <= ln2/2.
 * Error 2^-34.15 on [1.0e-16, 0.120354]. */
static const double sinh_32[] = {
    0x1.555556p-3, 0x1.110fep-7, 0x1.a293aep-13,
};

/* sinh(r) = r + r z s(z), z = r^2, |r| <= ln2/2.
 * Error 2^-64.81 on [1.0e-16, 0.120354]. */
static const double sinh_64[] = {
    0x1.5555555555555p-3, 0x1.111111111130dp-7, 0x1.a01a019f1158bp-13, 0x1.71de3e41912b4p-19,
    0x1.ae5670584aabep-26, 0x1.7407786c5759fp-33,
};

const fxi_poly fxi_poly_sinh[2] = {{3, sinh_32}, {6, sinh_64}};

/* sin(r) = r + r z s(z), z = r^2, |r| <= pi/4.
 * Error 2^-27.84 on [1.0e-16, 0.629249]. */
static const double sin_32[] = {
    -0x1.555544p-3, 0x1.1106cap-7, -0x1.991e0ap-13,
};

/* sin(r) = r + r z s(z), z = r^2, |r| <= pi/4.
 * Error 2^-57.73 on [1.0e-16, 0.629249]. */
static const double sin_64[] = {
    -0x1.5555555555547p-3, 0x1.111111110f576p-7, -0x1.a01a019bae1f3p-13, 0x1.71de351f8df68p-19,
    -0x1.ae5e20033d1a4p-26, 0x1.5d7e5b8e77f02p-33,
};

const fxi_poly fxi_poly_sin[2] = {{3, sin_32}, {6, sin_64}};

/* cos(r) = 1 - z/2 + z^2 c(z), z = r^2, |r| <= pi/4.
 * Error 2^-32.73 on [1.0e-16, 0.629249]. */
static const double cos_32[] = {
    0x1.55554ap-5, -0x1.6c0c16p-10, 0x1.99df46p-16,
};

/* cos(r) = 1 - z/2 + z^2 c(z), z = r^2, |r| <= pi/4.
 * Error 2^-63.66 on [1.0e-16, 0.629249]. */
static const double cos_64[] = {
    0x1.5555555555549p-5, -0x1.6c16c16c14bf3p-10, 0x1.a01a019c2ad6bp-16, -0x1.27e4f7aa73f18p-22,
    0x1.1ee9ac0f2e72p-29, -0x1.8f8dfe0bf677dp-37,
};

const fxi_poly fxi_poly_cos[2] = {{3, cos_32}, {6, cos_64}};

/* tan(r) = r + r z t(z), z = r^2, |r| <= pi/4.
 * Error 2^-29.29 on [1.0e-16, 0.629249]. */
static const double tan_32[] = {
    0x1.555562p-2, 0x1.110d12p-3, 0x1.baf30ap-5, 0x1.5bb684p-6, 0x1.684a3ep-7, -0x1.efd2bap-14, 0x1.25af06p-8,
};

/* tan(r) = r + r z t(z), z = r^2, |r| <= pi/4.
 * Error 2^-59.46 on [1.0e-16, 0.629249]. */
static const double tan_64[] = {
    0x1.5555555555561p-2, 0x1.111111111023dp-3, 0x1.ba1ba1baef4c2p-5, 0x1.664f4852f2baep-6,
    0x1.226e3bc919d54p-7, 0x1.d6d2b28917c8p-9, 0x1.7db47e1ab3367p-10, 0x1.349ef689aa24ap-11,
    0x1.00661f9035fdbp-12, 0x1.563c6ac58c8e2p-14, 0x1.28e79652e686dp-14, -0x1.f98a4dc1c6139p-16,
    0x1.b76ad8caaea1ep-15, -0x1.b64fd10dbc873p-16, 0x1.569822445b358p-17,
};

const fxi_poly fxi_poly_tan[2] = {{7, tan_32}, {15, tan_64}};

/* asin(s) = s + s z p(z), z = s^2, |s| <= 1/2.
 * Error 2^-27.62 on [1.0e-16, 0.25]. */
static const double asin_32[] = {
    0x1.5555c8p-3, 0x1.330206p-4, 0x1.747b76p-5, 0x1.8c411p-6, 0x1.5959fcp-5,
};

/* asin(s) = s + s z p(z), z = s^2, |s| <= 1/2.
 * Error 2^-55.90 on [1.0e-16, 0.25]. */
static const double asin_64[] = {
    0x1.5555555555391p-3, 0x1.333333336e69cp-4, 0x1.6db6db4286e15p-5, 0x1.f1c72c3566cd6p-6,
    0x1.6e89f48e8565fp-6, 0x1.1c6bdd557deebp-6, 0x1.c6fe129c2716fp-7, 0x1.8ec0fe78f4a95p-7,
    0x1.abe00b8766d81p-8, 0x1.3fe98d3e6cb34p-6, -0x1.09c21cb1a92f9p-6, 0x1.0567b1e52fe9dp-5,
};

const fxi_poly fxi_poly_asin[2] = {{5, asin_32}, {12, asin_64}};

/* atan(t) = t + t z p(z), z = t^2, |t| <= 1.
 * Error 2^-28.50 on [1.0e-16, 1.0]. */
static const double atan_32[] = {
    -0x1.55553ep-2, 0x1.9991ecp-3, -0x1.24211ap-3, 0x1.c0946cp-4, -0x1.5825fp-4, 0x1.da9c18p-5,
    -0x1.fe7cccp-6, 0x1.65514ap-7, -0x1.d5a02ap-10,
};

/* atan(t) = t + t z p(z), z = t^2, |t| <= 1.
 * Error 2^-57.59 on [1.0e-16, 1.0]. */
static const double atan_64[] = {
    -0x1.5555555555526p-2, 0x1.99999999955b5p-3, -0x1.249249237f5c4p-3, 0x1.c71c717fd091dp-4,
    -0x1.745d11ae8932fp-4, 0x1.3b13669b1cefbp-4, -0x1.110e512ebecbep-4, 0x1.e1bba6c73ecdfp-5,
    -0x1.ae5e744e3ffebp-5, 0x1.82dadcc01f738p-5, -0x1.59a40c45922c2p-5, 0x1.2c2e76d0dcde1p-5,
    -0x1.e9fa5e2d6ebf7p-6, 0x1.683d2a87446bep-6, -0x1.c79081635f7ccp-7, 0x1.d7ba2448286dcp-8,
    -0x1.7a3a9dbbfc7aep-9, 0x1.b3fc39e12b498p-11, -0x1.3f378c4fd2befp-13, 0x1.bbefa3e9d85eap-17,
};

const fxi_poly fxi_poly_atan[2] = {{9, atan_32}, {20, atan_64}};

/* a^(-1/3), 1 <= a <= 2.
 * Error 2^-11.95 on [1.0, 2.0]. */
static const double cbrt_32[] = {
    0x1.8ab8ccp+0, -0x1.9eb1eep-1, 0x1.4560a8p-2, -0x1.9912fp-5,
};

/* a^(-1/3), 1 <= a <= 2.
 * Error 2^-14.70 on [1.0, 2.0]. */
static const double cbrt_64[] = {
    0x1.ab85c381f7cb7p+0, -0x1.2c428103c361fp+0, 0x1.6417b58eaa467p-1, -0x1.c51b178665318p-3,
    0x1.d4735770cdebep-6,
};

const fxi_poly fxi_poly_cbrt[2] = {{4, cbrt_32}, {5, cbrt_64}};

/* erf(a) = a + a q(z), z = a^2, a <= 1.
 * Error 2^-30.12 on [1.0e-16, 1.0]. */
static const double erf_32[] = {
    0x1.06eba8p-3, -0x1.812744p-2, 0x1.ce2ea2p-4, -0x1.b82232p-6, 0x1.55e0eep-8, -0x1.b9d556p-11,
    0x1.c8c8bp-14, -0x1.2307bcp-17,
};

/* erf(a) = a + a q(z), z = a^2, a <= 1.
 * Error 2^-56.34 on [1.0e-16, 1.0]. */
static const double erf_64[] = {
    0x1.06eba8214db69p-3, -0x1.812746b0379fdp-2, 0x1.ce2f21a04361p-4, -0x1.b82ce312ab11ap-6,
    0x1.565bcd126ecedp-8, -0x1.c02db4926fb8dp-11, 0x1.f9a33429c7baep-14, -0x1.f4d31e2dcae27p-17,
    0x1.b9ed7a907ad08p-20, -0x1.5f8e9698a1164p-23, 0x1.fc1074addefcap-27, -0x1.453452f94d032p-30,
    0x1.2605f53724b58p-34,
};

const fxi_poly fxi_poly_erf[2] = {{8, erf_32}, {13, erf_64}};

/* erf(a) = 1 - exp(-g(a)), error absolute in erf.
 * Error 2^-35.24 on [1.0, 4.0]. */
static const double erf_log_32[] = {
    -0x1.8a4eb4p-13, 0x1.212c0cp+0, 0x1.44356ap-1, 0x1.bc14f8p-4, -0x1.9d0298p-6, 0x1.138bcp-8,
    -0x1.cec0fap-12, 0x1.6bcd7p-16,
};

const fxi_poly fxi_poly_erf_log[2] = {{8, erf_log_32}, {0, NULL}};

/* erfc(a) = exp(-a^2) R(t) / (1 + 2a), t = (a - 3.5)/(a + 3.5).
 * Error 2^-32.60 on [-0.772152, 0.777778]. */
static const double erfc_32[] = {
    0x1.3e0a99a105c15p+0, -0x1.1ebd226747392p-3, -0x1.59e2c8faaf24cp-7, 0x1.8f704f8c907c7p-4,
    -0x1.d7681de1c8733p-4, 0x1.685f49e9917p-4, -0x1.8ff73a6116ec9p-5, 0x1.3914ea98f8a37p-6,
    -0x1.14114faad91f7p-8, -0x1.5a0c7247287e8p-12, 0x1.250d57558271bp-11, -0x1.58200a12c7168p-14,
    -0x1.375a45efa32b8p-15,
};

/* erfc(a) = exp(-a^2) R(t) / (1 + 2a), t = (a - 3.5)/(a + 3.5).
 * Error 2^-56.33 on [-0.772152, 0.777778]. */
static const double erfc_64[] = {
    0x1.3e0a99a0ee914p+0, -0x1.1ebd220ea593cp-3, -0x1.59e2c284b1544p-7, 0x1.8f702ec6b33fbp-4,
    -0x1.d76830c352099p-4, 0x1.686106046cd05p-4, -0x1.8ff5ef76fb347p-5, 0x1.38ec6671b0c2cp-6,
    -0x1.143c4c995460dp-8, -0x1.3cf36af4c3c8bp-12, 0x1.27e662062404dp-11, -0x1.fda8e861228e8p-14,
    -0x1.66e168ace881bp-15, 0x1.9706e7be14a18p-16, 0x1.3861519ac39f9p-19, -0x1.ffe108be26aa7p-19,
    -0x1.6ed7465fcfa15p-25, 0x1.41bbc04530b2cp-21, -0x1.49464db5adca4p-27, -0x1.8c682664c4b52p-24,
    0x1.b6872b007dca9p-30, 0x1.5caeb1a3697a2p-27, -0x1.2f6358dd34c6dp-32,
};

const fxi_poly fxi_poly_erfc[2] = {{13, erfc_32}, {23, erfc_64}};

/* erf_inv(x) = x P(x^2), |x| <= 3/4.
 * Error 2^-29.70 on [1.0e-16, 0.5625]. */
static const double erf_inv_c_32[] = {
    0x1.c5bf89252a962p-1, 0x1.db29bcb2bc84p-3, 0x1.054c8993decb7p-3, 0x1.5f2f78523384ep-4,
    0x1.365591d16080ap-4, -0x1.fe9ecf25e6b28p-6, 0x1.bb87ae73aa7f6p-2, -0x1.1d3fd4109b29ap+0,
    0x1.0f22670523efbp+1, -0x1.105af89f441b4p+1, 0x1.079c9916f1abap+0,
};

const fxi_poly fxi_poly_erf_inv_c[2] = {{11, erf_inv_c_32}, {0, NULL}};

/* erf_inv(x) = s A(s), s = sqrt(-log(1 - x^2)).
 * Error 2^-32.11 on [0.9, 2.3]. */
static const double erf_inv_a_32[] = {
    0x1.c5915173c75c2p-1, 0x1.3f1ac637fe506p-9, 0x1.8f7d48d56f556p-9, 0x1.ab18cf3bede32p-7,
    -0x1.e78fcabf08b96p-7, 0x1.5f6ba7cf98b9bp-7, -0x1.5573d2b362d64p-8, 0x1.91b3fd570171bp-10,
    -0x1.ffd2add0d396fp-13, 0x1.0ff527f2a50dp-16,
};

const fxi_poly fxi_poly_erf_inv_a[2] = {{10, erf_inv_a_32}, {0, NULL}};

/* erf_inv(x) = s B(s).
 * Error 2^-30.01 on [2.3, 6.1]. */
static const double erf_inv_b_32[] = {
    0x1.783fabb8c73cdp-1, 0x1.057d8cc16b909p-1, -0x1.82dfc4ca89734p-1, 0x1.587532cd84d69p-1,
    -0x1.89c9ade747ffap-2, 0x1.3456ae4c664a7p-3, -0x1.570e4d5ee044bp-5, 0x1.133eb85b1f911p-7,
    -0x1.3d8e1a28a8537p-10, 0x1.01a0777fcaca9p-13, -0x1.1789d8fad4cb4p-17, 0x1.6cb10a7afd672p-22,
    -0x1.b0ff2099bb242p-28,
};

const fxi_poly fxi_poly_erf_inv_b[2] = {{13, erf_inv_b_32}, {0, NULL}};

/* log Gamma(2 + t) = t R(t), |t| <= 1/2.
 * Error 2^-57.45 on [-0.5, 0.5]. */
static const double lgamma_64[] = {
    0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa7p-2, -0x1.13e001a557544p-4, 0x1.51322ac7d7b54p-6,
    -0x1.e404fc21dd12cp-8, 0x1.7add6eaed3cd1p-9, -0x1.38ac5bfb35e88p-10, 0x1.0b36af061ea9dp-11,
    -0x1.d3fd6b4aa2df7p-13, 0x1.a127effdeb609p-14, -0x1.78d8e1bce837ap-15, 0x1.5804a3c8107fp-16,
    -0x1.3d4e76fddab06p-17, 0x1.2666414fccc91p-18, -0x1.08ee2e866bffep-19, 0x1.eb4816b6bfda4p-21,
    -0x1.3835a371c886bp-21, 0x1.304a67542dabfp-22,
};

const fxi_poly fxi_poly_lgamma[2] = {{0, NULL}, {18, lgamma_64}};

/* log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + P(z)/x, z = 1/x^2, x >= 8.
 * Error 2^-57.59 on [1.0e-12, 0.015625]. */
static const double stirling_64[] = {
    0x1.5555555555555p-4, -0x1.6c16c16c109a4p-9, 0x1.a01a015de1bbcp-11, -0x1.381332183a4f9p-11,
    0x1.b920e9e35e2a9p-11, -0x1.ee6d81db9a184p-10, 0x1.467a8d54dce5cp-8,
};

const fxi_poly fxi_poly_stirling[2] = {{0, NULL}, {7, stirling_64}};

/* digamma(3/2 + t) = (3/2 + t - root) R(t), |t| <= 1/2.
 * Error 2^-53.71 on [-0.5, 0.5]. */
static const double digamma_64[] = {
    0x1.e6f0cbb873617p-1, -0x1.b1cb63005ee9ap-2, 0x1.eca189b8e6b59p-3, -0x1.2feeeb98a74e7p-3,
    0x1.8512e59076025p-4, -0x1.fb44202a7b83p-5, 0x1.4de9a9fe0b769p-5, -0x1.b9f8b10048708p-6,
    0x1.2564773b21b22p-6, -0x1.863568b3db1b9p-7, 0x1.03bfe4daededdp-7, -0x1.5a0628e623446p-8,
    0x1.cd42cb24e6f41p-9, -0x1.3375c826a94b6p-9, 0x1.97e095ab55db7p-10, -0x1.0f60078e5e239p-10,
    0x1.7c687cbf70c62p-11, -0x1.00daeea510a32p-11, 0x1.d4242e75849c6p-13, -0x1.20e21fedb863dp-13,
    0x1.1382e2e265a39p-12, -0x1.810b0abd8ffdap-13,
};

const fxi_poly fxi_poly_digamma[2] = {{0, NULL}, {22, digamma_64}};

/* digamma(x) = log x - 1/(2x) - z P(z), z = 1/x^2, x >= 8.
 * Error 2^-56.67 on [1.0e-12, 0.015625]. */
static const double digamma_series_64[] = {
    0x1.5555555555555p-4, -0x1.111111110a8d6p-7, 0x1.041040cb5a70bp-8, -0x1.1110b8014f916p-8,
    0x1.f039f4a509d27p-8, -0x1.5339623a8555cp-6, 0x1.0524e22fdc1p-4,
};

const fxi_poly fxi_poly_digamma_series[2] = {{0, NULL}, {7, digamma_series_64}};

/* I0(x) = P(z), z = x^2/4, |x| <= 8.
 * Error 2^-36.96 on [1.0e-16, 16.0]. */
static const double bessel_i0_32[] = {
    0x1.ffffffffef74dp-1, 0x1.00000001108a8p+0, 0x1.ffffffd623479p-3, 0x1.c71c74183d917p-6,
    0x1.c71c5208d370dp-10, 0x1.23465abf0fcb6p-14, 0x1.02df87ac4a26fp-19, 0x1.52925359da9cap-25,
    0x1.4f12fcb8b3128p-31, 0x1.1a38cda081a66p-37, 0x1.f973784e42a66p-45, 0x1.4409022e27175p-50,
};

/* I0(x) = P(z), z = x^2/4, |x| <= 8.
 * Error 2^-59.47 on [1.0e-16, 16.0]. */
static const double bessel_i0_64[] = {
    0x1p+0, 0x1p+0, 0x1.ffffffffffffcp-3, 0x1.c71c71c71c7b9p-6, 0x1.c71c71c71b4bp-10, 0x1.23456789be2adp-14,
    0x1.02e85c073505bp-19, 0x1.522a44199b569p-25, 0x1.522a418fb2323p-31, 0x1.0b31500cccb34p-37,
    0x1.55ff8130d6caep-44, 0x1.69e4343516f5fp-51, 0x1.40b27758de0dp-58, 0x1.f2361d4838976p-66,
    0x1.11a14c50bc81cp-73, 0x1.1b72408d0fa3ap-80,
};

const fxi_poly fxi_poly_bessel_i0[2] = {{12, bessel_i0_32}, {16, bessel_i0_64}};

/* I1(x) = x/2 P(z).
 * Error 2^-33.96 on [1.0e-16, 16.0]. */
static const double bessel_i1_32[] = {
    0x1.0000000042286p+0, 0x1.ffffffe7a07fep-2, 0x1.555556b6055edp-4, 0x1.c71c547e2aad8p-8,
    0x1.6c17f16793ffep-12, 0x1.844ebac396fd7p-17, 0x1.2845b6ca4be0ep-22, 0x1.4ede6079d9b8ap-28,
    0x1.3e83d1011f739p-34, 0x1.36bcc5c774d4bp-41, 0x1.c2e1bb37b852p-47,
};

/* I1(x) = x/2 P(z).
 * Error 2^-56.30 on [1.0e-16, 16.0]. */
static const double bessel_i1_64[] = {
    0x1p+0, 0x1.ffffffffffffbp-2, 0x1.55555555555e9p-4, 0x1.c71c71c71afd1p-8, 0x1.6c16c16c33bb7p-12,
    0x1.845c8a0a48e7p-17, 0x1.27e4fb9db1a9bp-22, 0x1.522a410b39085p-28, 0x1.2c97806e80028p-34,
    0x1.ab7ef55508c17p-41, 0x1.f19eb6c5ef897p-48, 0x1.e0e4c6e867ea1p-55, 0x1.9591fabf48ecap-62,
    0x1.da4640aaf1078p-70, 0x1.0cb932e086ac7p-76,
};

const fxi_poly fxi_poly_bessel_i1[2] = {{11, bessel_i1_32}, {15, bessel_i1_64}};

/* e^-x I0(x) = P(v)/sqrt(x), v = 8/x, x >= 8.
 * Error 2^-34.67 on [1.0e-6, 1.0]. */
static const double bessel_i0_large_32[] = {
    0x1.9884533ca234bp-2, 0x1.9884687f788afp-8, 0x1.cb777e7828374p-12, 0x1.e662aa2ec1741p-15,
    0x1.e722a55a38f4ap-18, 0x1.5f2af151c943cp-17, -0x1.f31236dca12b3p-18, 0x1.1693181f31a0dp-18,
    -0x1.38f469753cbb2p-26,
};

/* e^-x I0(x) = P(v)/sqrt(x), v = 8/x, x >= 8.
 * Error 2^-54.25 on [1.0e-6, 1.0]. */
static const double bessel_i0_large_64[] = {
    0x1.9884533d4365p-2, 0x1.9884533d4e32dp-8, 0x1.cb94dd36c6eb8p-12, 0x1.debbe9e5595eep-15,
    0x1.6e17f60a84ebp-17, 0x1.95e548f5694cbp-19, -0x1.58e26ad689b2ep-19, 0x1.0fbd4f1bc0991p-15,
    -0x1.c8a7d445feebcp-13, 0x1.2299c26d98e8bp-10, -0x1.19aee43d10bfdp-8, 0x1.a5208cc6d2e4fp-7,
    -0x1.e896e7508a102p-6, 0x1.b8a27496e798fp-5, -0x1.33fa9814886dfp-4, 0x1.4afe683dc4724p-4,
    -0x1.0da498c03ea12p-4, 0x1.4586fed4344adp-5, -0x1.18ccb8f57a492p-6, 0x1.458accf8d3146p-8,
    -0x1.c375202a27e3ap-11, 0x1.184d281b7fd89p-14,
};

const fxi_poly fxi_poly_bessel_i0_large[2] = {{9, bessel_i0_large_32}, {22, bessel_i0_large_64}};

/* e^-x I1(x) = P(v)/sqrt(x), v = 8/x, x >= 8.
 * Error 2^-34.61 on [1.0e-6, 1.0]. */
static const double bessel_i1_large_32[] = {
    0x1.9884533deb678p-2, -0x1.326343eff034ap-6, -0x1.7eececdf8fa83p-11, -0x1.5306fea0976adp-14,
    -0x1.5a9407e935a7p-17, -0x1.73decda37fed8p-17, 0x1.db0e7fe8e958dp-18, -0x1.03909b3c94d0dp-18,
    -0x1.8fc92ce56c358p-23,
};

/* e^-x I1(x) = P(v)/sqrt(x), v = 8/x, x >= 8.
 * Error 2^-54.19 on [1.0e-6, 1.0]. */
static const double bessel_i1_large_64[] = {
    0x1.9884533d43651p-2, -0x1.32633e6df532cp-6, -0x1.7efc0dd221495p-11, -0x1.4f1cf9c312f12p-14,
    -0x1.d6cf2a16865f5p-17, -0x1.e8f30398ea6a1p-19, 0x1.4b80ce4d06357p-19, -0x1.149fe49f4257cp-15,
    0x1.cfb95431bda3dp-13, -0x1.26b05d28831c5p-10, 0x1.1d1905343e1f3p-8, -0x1.a938baa80bffdp-7,
    0x1.ebea4aed7e72ep-6, -0x1.ba152b1d2a607p-5, 0x1.33ae05b96d689p-4, -0x1.48f52b4812ebp-4,
    0x1.0a44ddd42804fp-4, -0x1.3ee1486175091p-5, 0x1.104267ff22531p-6, -0x1.376e9ac33e4ffp-8,
    0x1.a8158a5878d82p-11, -0x1.0082d847cba99p-14,
};

const fxi_poly fxi_poly_bessel_i1_large[2] = {{9, bessel_i1_large_32}, {22, bessel_i1_large_64}};
