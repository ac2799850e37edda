/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of complex functions where XLA loses what the sign of a zero says, so that it takes the wrong side
 * of a branch cut. They are computed in the first quadrant (or the upper half plane), whose values are right,
 * and carried to the others by their symmetries: f(conj z) = conj f(z), and f(-z) = -f(z) of odd functions.
 * Sines and cosines are made of their real parts, each near its exact value. */
#include "lower_family.h"

bool fxi_lower_when_complex(const fx_node *node) {
    return fx_dtype_is_complex(node->operands[0]->shape.dtype);
}

/* ---- by symmetry ---- */

/* f of re + i |im|, or |re| + i |im|, in StableHLO's own way. */
static fx_node *first_value(const fxi_build *b, const fx_node *node, fx_node *re, fx_node *im) {
    fx_node *z = fx_complex(re, fx_abs(im));
    return fxi_lower_as_it_is(fxi_build_like(b, node, &z, NULL, 0, NULL));
}

/* The imaginary part has the sign of z's, or the opposite one. */
static bool give_mirrored(const fxi_build *b, const fx_node *node, fx_node *z, bool opposite,
                          fx_node **results) {
    fx_node *im = fx_imag(z), *w = first_value(b, node, fx_real(z), im), *sign = opposite ? fx_neg(im) : im;
    return fxi_lower_give(results, fx_complex(fx_real(w), fx_copysign(fx_imag(w), sign)));
}

bool fxi_lower_mirrored(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                        fx_node **results) {
    return give_mirrored(b, node, operands[0], false, results);
}

bool fxi_lower_mirrored_down(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                             fx_node **results) {
    return give_mirrored(b, node, operands[0], true, results);
}

bool fxi_lower_odd(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    fx_node *re = fx_real(operands[0]), *im = fx_imag(operands[0]);
    fx_node *w = first_value(b, node, fx_abs(re), im);
    return fxi_lower_give(results, fx_complex(fx_copysign(fx_real(w), re), fx_copysign(fx_imag(w), im)));
}

/* ---- by real functions ---- */

/* A zero factor wins over an infinite one, which only stands for a large number. */
static fx_node *product(fx_node *periodic, fx_node *growing) {
    return fx_select(fx_is_zero(periodic), periodic, fx_mul(periodic, growing));
}

/* sin(x + iy) = sin x cosh y + i cos x sinh y */
bool fxi_lower_sin_complex(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                           fx_node **results) {
    (void)b, (void)node;
    fx_node *x = fx_real(operands[0]), *y = fx_imag(operands[0]);
    fx_node *im = fx_mul(fx_cos(x), fx_sinh(y));
    return fxi_lower_give(results, fx_complex(product(fx_sin(x), fx_cosh(y)), im));
}

/* cos x cosh y - i sin x sinh y */
bool fxi_lower_cos_complex(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                           fx_node **results) {
    (void)b, (void)node;
    fx_node *x = fx_real(operands[0]), *y = fx_imag(operands[0]);
    fx_node *im = fx_neg(product(fx_sin(x), fx_sinh(y)));
    return fxi_lower_give(results, fx_complex(fx_mul(fx_cos(x), fx_cosh(y)), im));
}

/* sinh(x + iy) = sinh x cos y + i cosh x sin y */
bool fxi_lower_sinh_complex(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                            fx_node **results) {
    (void)b, (void)node;
    fx_node *x = fx_real(operands[0]), *y = fx_imag(operands[0]);
    fx_node *im = product(fx_sin(y), fx_cosh(x));
    return fxi_lower_give(results, fx_complex(fx_mul(fx_cos(y), fx_sinh(x)), im));
}

/* cosh x cos y + i sinh x sin y */
bool fxi_lower_cosh_complex(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                            fx_node **results) {
    (void)b, (void)node;
    fx_node *x = fx_real(operands[0]), *y = fx_imag(operands[0]);
    fx_node *im = product(fx_sin(y), fx_sinh(x));
    return fxi_lower_give(results, fx_complex(fx_mul(fx_cos(y), fx_cosh(x)), im));
}

/* ---- conversions ---- */

bool fxi_lower_when_convert_differs(const fx_node *node) {
    fx_dtype from = node->operands[0]->shape.dtype, to = node->shape.dtype;
    if (to == FX_BOOL) return fx_dtype_is_complex(from);
    return to == FX_BF16 && (from == FX_F64 || from == FX_C128);
}

/* A complex number is true by either part; bfloat16 is rounded once, not by way of float32, but for its
 * subnormal numbers, which reduce_precision would make zero. */
bool fxi_lower_convert(const fxi_build *b, const fx_node *node, fx_node *const *operands, fx_node **results) {
    (void)b;
    fx_node *x = operands[0];
    if (node->shape.dtype == FX_BOOL) return fxi_lower_give(results, fx_not(fx_is_zero(x)));
    x = fx_real(x);
    fx_node *rounded = fx_convert(fx_convert(fx_reduce_precision(x, 8, 7), FX_F32), FX_BF16);
    fx_node *is_subnormal = fx_less(fx_abs(x), fxi_lower_number(x, 0x1p-126));
    fx_node *plain = fxi_lower_as_it_is(fx_convert(x, FX_BF16));
    return fxi_lower_give(results, fx_select(is_subnormal, plain, rounded));
}
