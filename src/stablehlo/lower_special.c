/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of functions by their Chebyshev series, summed by Clenshaw's recurrence. The coefficients are
 * those of 50-digit arithmetic: projections on the Chebyshev polynomials at 64 nodes. float32 takes so many
 * terms that the rest is below half an ulp. e^-|x| I0(x): a series in |x| / 4 - 1 up to 8, one in 16 / |x| -
 * 1 over sqrt(|x|) beyond; within 8 ulp. */
#include "lower_family.h"

typedef struct series {
    const double *coefficients;
    int terms, terms_of_float32;
} series;

static const double i0e_near[] = {
    0.3383976372047380425, -0.30468267234319839868, 0.17162090152220877535, -0.094901097048047644421,
    0.049305284239670708488, -0.023737414805899468816, 0.010546460394594998318,
    -0.0043243099950505759443, 0.0016394756169413357984, -0.00057637557453858236588,
    0.00018850288509584165573, -0.00005754195010082103704, 0.000016448448070728897089,
    -4.4167383584587505636e-6, 1.1173875391201037182e-6, -2.6707938539406117339e-7,
    6.0469950225419189493e-8, -1.3000250099862480421e-8, 2.6598237246823866503e-9,
    -5.1897956016352629067e-10, 9.6758090353732369122e-11, -1.7268262914415557072e-11,
    2.9550526631296398346e-12, -4.8564467831119294609e-13, 7.6761854986049356169e-14,
    -1.1685332877993451681e-14, 1.7153912855551330306e-15, -2.4312798465479546936e-16,
    3.3307945188222380978e-17, -4.4153416464793393795e-18,
};
static const double i0e_far[] = {
    0.4022452055070544158, 0.0033691164782556940899, 0.000068897583469168239843, 2.891370520834756483e-6,
    2.0489185894690637418e-7, 2.2666689904981780646e-8, 3.3962320257083863452e-9,
    4.9406023882249695891e-10, 1.1889147107846438342e-11, -3.1499165279632413645e-11,
    -1.3215811840447713119e-11, -1.7941785315068061178e-12, 7.1801244513836662337e-13,
    3.8527783827421427011e-13, 1.5400862175214098269e-14, -4.1505693472872220866e-14,
    -9.5548466988283076487e-15, 3.8116806693526224207e-15, 1.7725601330565263836e-15,
    -3.4254856196772191346e-16, -2.8276239805165834849e-16, 3.4612228676974610931e-17,
    4.465621420296759999e-17, -4.8305044859441820713e-18, -7.2331804878747539546e-18,
    9.9214754121736985989e-19,
};

static fx_node *sum_series(const series *s, fx_node *t) {
    int terms = t->shape.dtype == FX_F64 ? s->terms : s->terms_of_float32;
    fx_node *twice = fx_add(t, t), *last = fxi_lower_number(t, 0), *sum = fxi_lower_number(t, 0);
    for (int k = terms - 1; k > 0; k--) {
        fx_node *next = fx_add(fx_sub(fx_mul(twice, sum), last), fxi_lower_number(t, s->coefficients[k]));
        last = sum;
        sum = next;
    }
    return fx_add(fx_sub(fx_mul(t, sum), last), fxi_lower_number(t, s->coefficients[0]));
}

bool fxi_lower_bessel_i0e(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                          fx_node **results) {
    (void)b, (void)node;
    static const series near = {i0e_near, 30, 19}, far = {i0e_far, 26, 7};
    fx_node *size = fx_abs(operands[0]), *one = fxi_lower_number(size, 1), *limit = fxi_lower_number(size, 8);
    fx_node *t = fx_sub(fx_mul(fx_min(size, limit), fxi_lower_number(size, 0.25)), one);
    fx_node *u = fx_sub(fx_div(fxi_lower_number(size, 16), fx_max(size, limit)), one);
    fx_node *beyond = fx_div(sum_series(&far, u), fx_sqrt(size));
    return fxi_lower_give(results, fx_select(fx_less_or_equal(size, limit), sum_series(&near, t), beyond));
}
