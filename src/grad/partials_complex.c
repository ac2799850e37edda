/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives between real and complex numbers and between dtypes: these are linear over the reals only, so
 * both modes are given. With <u, v> = Re(conj(u) v), the reverse of each is its adjoint map. */
#include "grad_internal.h"

static bool is_complex(const fx_node *x) {
    return fx_dtype_is_complex(x->shape.dtype);
}

/* re + i im, where NULL is zero; NULL of both. */
static fx_node *complex_of(const fxi_build *b, fx_node *re, fx_node *im) {
    if (!re && !im) return NULL;
    fx_node *zero = fxi_grad_number(b, re ? re : im, 0);
    return fx_complex(re ? re : zero, im ? im : zero);
}

/* ---- re, im, x + iy; a real operand of re and im is its own real part ---- */

static void vjp_real(const fxi_vjp *v) {
    v->out[0] = is_complex(v->n->operands[0]) ? complex_of(v->b, v->adjoints[0], NULL) : v->adjoints[0];
}
static void jvp_real(const fxi_jvp *j) {
    j->out[0] = fx_real(j->tangents[0]);
}
const fxi_grad_rule fxi_gradrule_real = {.vjp = vjp_real, .jvp = jvp_real};

static void vjp_imag(const fxi_vjp *v) {
    if (is_complex(v->n->operands[0])) v->out[0] = complex_of(v->b, NULL, v->adjoints[0]);
}
static void jvp_imag(const fxi_jvp *j) {
    if (is_complex(j->n->operands[0])) j->out[0] = fx_imag(j->tangents[0]);
}
const fxi_grad_rule fxi_gradrule_imag = {.vjp = vjp_imag, .jvp = jvp_imag};

static void vjp_complex(const fxi_vjp *v) {
    if (v->wanted[0]) v->out[0] = fx_real(v->adjoints[0]);
    if (v->wanted[1]) v->out[1] = fx_imag(v->adjoints[0]);
}
static void jvp_complex(const fxi_jvp *j) {
    j->out[0] = complex_of(j->b, j->tangents[0], j->tangents[1]);
}
const fxi_grad_rule fxi_gradrule_complex = {.vjp = vjp_complex, .jvp = jvp_complex};

/* ---- conversions: the adjoint of x -> x + 0i is the real part, which fx_convert takes ---- */

static void vjp_convert(const fxi_vjp *v) {
    double number;
    fx_dtype dtype = fxi_grad_dtype(v->n->operands[0]->shape.dtype);
    if (fxi_grad_splat(v->adjoints[0], &number))
        v->out[0] = fxi_grad_filled(v->adjoints[0], dtype, number);
    else
        v->out[0] = fx_convert(v->adjoints[0], dtype);
}
static void jvp_convert(const fxi_jvp *j) {
    fx_dtype dtype = j->n->shape.dtype;
    if (fxi_grad_carries(dtype)) j->out[0] = fx_convert(j->tangents[0], fxi_grad_dtype(dtype));
}
const fxi_grad_rule fxi_gradrule_convert = {.vjp = vjp_convert, .jvp = jvp_convert};

/* Rounding to fewer bits counts as the identity. */
static void vjp_reduce_precision(const fxi_vjp *v) {
    v->out[0] = v->adjoints[0];
}
static void jvp_reduce_precision(const fxi_jvp *j) {
    j->out[0] = j->tangents[0];
}
const fxi_grad_rule fxi_gradrule_reduce_precision = {.vjp = vjp_reduce_precision,
                                                     .jvp = jvp_reduce_precision};

/* ---- |z|: Re(conj(s) t) with s = z / |z|, 0 at 0; its reverse is v s ---- */

static void vjp_abs(const fxi_vjp *v) {
    fx_node *adjoint = v->adjoints[0], *sign = fx_sign(v->n->operands[0]);
    if (is_complex(sign))
        v->out[0] =
            fx_complex(fxi_grad_times(adjoint, fx_real(sign)), fxi_grad_times(adjoint, fx_imag(sign)));
    else
        v->out[0] = fxi_grad_times(adjoint, sign);
}
/* Re(conj(s) t) */
static fx_node *along(fx_node *s, fx_node *t) {
    return fx_add(fxi_grad_times(fx_real(t), fx_real(s)), fxi_grad_times(fx_imag(t), fx_imag(s)));
}
static void jvp_abs(const fxi_jvp *j) {
    fx_node *sign = fx_sign(j->n->operands[0]), *t = j->tangents[0];
    j->out[0] = is_complex(sign) ? along(sign, t) : fxi_grad_times(t, sign);
}
const fxi_grad_rule fxi_gradrule_abs = {.vjp = vjp_abs, .jvp = jvp_abs};

/* ---- s = z / |z|, real: piecewise constant. Complex: z turns s by the angle Im(conj(s) t) / |z|, so the
 * derivative is r Re(conj(r) t) / |z| with r = i s, which is its own reverse; 0 at 0 ---- */

static fx_node *turn(fx_node *n, fx_node *t) {
    if (!t || !is_complex(n)) return NULL;
    fx_node *r = fx_complex(fx_neg(fx_imag(n)), fx_real(n));
    fx_node *angle = fx_strong_div(along(r, t), fx_abs(n->operands[0]));
    return fx_complex(fx_strong_mul(angle, fx_real(r)), fx_strong_mul(angle, fx_imag(r)));
}
static void vjp_sign(const fxi_vjp *v) {
    v->out[0] = turn(v->n, v->adjoints[0]);
}
static void jvp_sign(const fxi_jvp *j) {
    j->out[0] = turn(j->n, j->tangents[0]);
}
const fxi_grad_rule fxi_gradrule_sign = {.vjp = vjp_sign, .jvp = jvp_sign};
