/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of Fourier transforms: linear, and their transposes are transforms.
 *
 * With N the product of the lengths, the adjoint of the forward transform F is F^H = N times the inverse,
 * that of the inverse is F / N. A real transform keeps elements 0 .. n/2 of its last axis, of which those
 * strictly between stand for themselves and their conjugates: the inverse real transform counts them twice,
 * and so does its adjoint; the adjoint of the real transform, which counts every kept element once, is N
 * times the inverse real transform with those halved. Transforms stay IEEE: an adjoint of 0 hides no NaN. */
#include "grad_internal.h"
#include <fluxion/fft.h>

static double elements(fx_dims lengths) {
    double n = 1;
    for (size_t i = 0; i < lengths.n; i++) n *= (double)lengths.v[i];
    return n;
}

static fx_node *scaled(const fxi_build *b, fx_node *x, double factor) {
    return fx_mul(x, fx_scalar(b->graph, x->shape.dtype, factor));
}

/* A half spectrum times `ends` at elements 0 and n/2 (of an even n) of the last axis, `between` elsewhere. */
static fx_node *weighted(const fxi_build *b, fx_node *x, int64_t length, double ends, double between) {
    const int64_t last = x->shape.rank - 1, count = x->shape.dims[last];
    const fx_shape shape = fx_shape_make(FX_S64, &count, 1);
    fx_dtype real = fx_dtype_real(x->shape.dtype);
    fx_node *k = fx_iota(b->graph, &shape, 0);
    fx_node *is_end = fx_is_zero(k);
    if (length % 2 == 0)
        is_end = fx_logical_or(is_end, fx_equal(k, fx_scalar_int(b->graph, FX_S64, length / 2)));
    fx_node *weight = fx_where(is_end, fx_scalar(b->graph, real, ends), fx_scalar(b->graph, real, between));
    weight = fx_convert(weight, x->shape.dtype);
    return fx_mul(x, fxi_build_broadcast(b, weight, &x->shape, (fx_dims){&last, 1}));
}

static void vjp_fft(const fxi_vjp *v) {
    fx_dims lengths = fxi_node_ints(v->n, FXI_ATTR_LENGTHS);
    fx_node *u = v->adjoints[0];
    double n = elements(lengths);
    int64_t length = lengths.v[lengths.n - 1];
    if (fx_shape_size(&u->shape) == 0) return;
    switch (fxi_node_int(v->n, FXI_ATTR_TRANSFORM)) {
    case FXI_FFT_FORWARD: v->out[0] = scaled(v->b, fx_ifft(u, lengths), n); break;
    case FXI_FFT_INVERSE: v->out[0] = scaled(v->b, fx_fft(u, lengths), 1 / n); break;
    case FXI_FFT_REAL: v->out[0] = fx_irfft(weighted(v->b, u, length, n, n / 2), lengths); break;
    default: v->out[0] = weighted(v->b, fx_rfft(u, lengths), length, 1 / n, 2 / n);
    }
}
static void jvp_fft(const fxi_jvp *j) {
    fxi_jvp_linear(j, 1);
}
const fxi_grad_rule fxi_gradrule_fft = {.vjp = vjp_fft, .jvp = jvp_fft};
