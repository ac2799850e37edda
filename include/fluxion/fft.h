/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Fourier transforms. What ops.h says of dtypes, axes, errors and results holds here.
 *
 * Along one axis of length n: forwards X[k] = sum x[j] e^(-2 pi i j k / n), backwards x[j] = 1/n sum X[k]
 * e^(2 pi i j k / n); along several axes one after the other. Any length, primes too, costs O(n log n).
 * Complex functions take complex64 and complex128; real ones float32 and float64, whose spectrum is of the
 * complex dtype of that precision. Other dtypes are an error: fx_convert converts. A dimension of 0 gives an
 * empty result. Errors are bounded by 8 eps log2(n) times the root mean square of the result.
 *
 * lengths: FX_DIMS() means the axis or axes as they are; else one length per transformed axis, to which x is
 * cut, or filled up with zeros at its end, first. A negative length is an error, and so is having fewer axes
 * than lengths. */
#ifndef FLUXION_FFT_H
#define FLUXION_FFT_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- over the last axes: as many as there are lengths, the last one without ---- */

/* Forwards, complex to complex: fx_fft({1, 2, 3, 4}) = {10, -2+2i, -2, -2-2i}. */
FX_API fx_node *fx_fft(fx_node *x, fx_dims lengths);
/* Backwards, divided by the lengths; undoes fx_fft. */
FX_API fx_node *fx_ifft(fx_node *x, fx_dims lengths);
/* Forwards from real x: elements 0 .. n/2 of the last axis, since the others are their conjugates. Other
 * transformed axes are complete. */
FX_API fx_node *fx_rfft(fx_node *x, fx_dims lengths);
/* Undoes fx_rfft: the real result's last axis has lengths' last length n, of which n/2 + 1 elements of x are
 * used; without lengths n = 2 (dim - 1), and a dimension of 1 is an error. The imaginary parts of element 0
 * and, for even n, n/2 count as 0. */
FX_API fx_node *fx_irfft(fx_node *x, fx_dims lengths);
/* fx_ifft under its other name. */
FX_API fx_node *fx_inverse_fft(fx_node *x, fx_dims lengths);
/* fx_rfft under its other name. */
FX_API fx_node *fx_real_fft(fx_node *x, fx_dims lengths);
/* fx_irfft under its other name. */
FX_API fx_node *fx_inverse_real_fft(fx_node *x, fx_dims lengths);

/* ---- over any axes: FX_AXES() means the last ones, as many as there are lengths, all without; else one
 * length per axis. The last axis named is the one that real transforms halve. ---- */

/* fx_fft over the named axes. */
FX_API fx_node *fx_fftn(fx_node *x, fx_axes axes, fx_dims lengths);
/* fx_ifft over the named axes. */
FX_API fx_node *fx_ifftn(fx_node *x, fx_axes axes, fx_dims lengths);
/* fx_rfft over the named axes. */
FX_API fx_node *fx_rfftn(fx_node *x, fx_axes axes, fx_dims lengths);
/* fx_irfft over the named axes. */
FX_API fx_node *fx_irfftn(fx_node *x, fx_axes axes, fx_dims lengths);

/* ---- around them ---- */

/* Spectra with frequency 0 in the middle: each named axis (FX_AXES(): all) moved by dim / 2 places. Any
 * dtype. */
FX_API fx_node *fx_fftshift(fx_node *x, fx_axes axes);
/* Undoes fx_fftshift, for odd dimensions too. Any dtype. */
FX_API fx_node *fx_ifftshift(fx_node *x, fx_axes axes);
/* The frequency of each of n elements of a spectrum, {0, 1, ..., -2, -1} / (n spacing). Floats; an error
 * unless n is positive. */
FX_API fx_node *fx_fftfreq(fx_graph *graph, int64_t n, double spacing, fx_dtype dtype);
/* The same for fx_rfft: n/2 + 1 elements {0, 1, ...} / (n spacing). */
FX_API fx_node *fx_rfftfreq(fx_graph *graph, int64_t n, double spacing, fx_dtype dtype);

#ifdef __cplusplus
}
#endif
#endif
