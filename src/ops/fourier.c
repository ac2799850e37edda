/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of discrete Fourier transforms: the axes go to the end, each is cut or filled up to its length,
 * one node transforms them all, and they go back. */
#include "ops/ops.h"
#include <fluxion/fft.h>
#include <fluxion/indexing.h>

/* What a call asks for: axes, each with the length of the real or complex line, and of what the operand
 * has of it. */
typedef struct request {
    fxi_axis_list axes;
    int64_t lengths[FX_MAX_RANK], elements[FX_MAX_RANK];
} request;

static bool check_lengths(const fxi_build *b, fx_dims lengths) {
    if (lengths.n && !lengths.v) {
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the lengths are NULL");
        return false;
    }
    for (size_t i = 0; i < lengths.n; i++) {
        if (lengths.v[i] >= 0) continue;
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "length %lld is negative", (long long)lengths.v[i]);
        return false;
    }
    return true;
}

/* The axes named, or the last `count` ones. */
static bool take_axes(const fxi_build *b, const fx_node *x, fx_axes axes, size_t count, request *r) {
    if (axes.n > 0) return fxi_build_axes(b, x, axes, &r->axes);
    r->axes.n = count;
    if (count == 0 || count > (size_t)x->shape.rank) {
        fxi_build_refuse(b, FX_ERROR_AXIS, "%zu axes to transform of %s, which has rank %d", count,
                         fx_shape_to_text(&x->shape).s, x->shape.rank);
        return false;
    }
    for (size_t i = 0; i < count; i++) r->axes.v[i] = x->shape.rank - (int64_t)count + (int64_t)i;
    return true;
}

static bool take_lengths(const fxi_build *b, const fx_node *x, fxi_fft_kind kind, fx_dims lengths,
                         request *r) {
    if (lengths.n > 0 && lengths.n != r->axes.n) {
        fxi_build_refuse(b, FX_ERROR_ATTRIBUTE, "%zu lengths for %zu axes", lengths.n, r->axes.n);
        return false;
    }
    for (size_t i = 0; i < r->axes.n; i++) {
        bool halved = kind == FXI_FFT_INVERSE_REAL && i + 1 == r->axes.n;
        int64_t dim = x->shape.dims[r->axes.v[i]];
        if (halved && lengths.n == 0 && dim == 1) {
            fxi_build_refuse(b, FX_ERROR_SHAPE,
                             "axis %lld of %s has one element, which does not tell the length "
                             "of the real side; name the lengths",
                             (long long)r->axes.v[i], fx_shape_to_text(&x->shape).s);
            return false;
        }
        if (halved && lengths.n == 0 && dim > INT64_MAX / 2) {
            fxi_build_refuse(b, FX_ERROR_MEMORY, "the real side of axis %lld does not fit into 63 bits",
                             (long long)r->axes.v[i]);
            return false;
        }
        int64_t length = lengths.n ? lengths.v[i] : halved && dim > 0 ? 2 * (dim - 1) : dim;
        r->lengths[i] = length;
        r->elements[i] = halved && length > 0 ? length / 2 + 1 : length;
    }
    return true;
}

/* Moves the axes to the end, in their order; back_to gets the permutation that undoes it. */
static fx_node *move_to_end(fx_node *x, const request *r, int *back_to) {
    int order[FX_MAX_RANK], n = 0, rank = x->shape.rank;
    uint32_t named = 0;
    for (size_t i = 0; i < r->axes.n; i++) named |= UINT32_C(1) << r->axes.v[i];
    for (int i = 0; i < rank; i++)
        if (!(named >> i & 1)) order[n++] = i;
    for (size_t i = 0; i < r->axes.n; i++) order[n++] = (int)r->axes.v[i];
    for (int i = 0; i < rank; i++) back_to[order[i]] = i;
    return fx_transpose_all_axes(x, (fx_axes){order, (size_t)rank});
}

static fx_node *fit_axis(fx_node *x, int axis, int64_t elements) {
    int64_t dim = x->shape.dims[axis];
    if (elements < dim) return fx_slice_axis(x, axis, 0, elements, 1);
    return elements > dim ? fx_grow_right(x, axis, elements - dim, 0) : x;
}

static fx_node *transform(const char *name, fx_node *x, fxi_fft_kind kind, fx_axes axes, size_t count,
                          fx_dims lengths) {
    fxi_build b;
    request r;
    int back[FX_MAX_RANK];
    if (!fxi_build_begin(&b, name, &x, 1) || !check_lengths(&b, lengths) ||
        !take_axes(&b, x, axes, count, &r) || !take_lengths(&b, x, kind, lengths, &r))
        return b.stop;
    fx_dtype dtype = x->shape.dtype;
    bool real = dtype == FX_F32 || dtype == FX_F64;
    if (kind == FXI_FFT_REAL ? !real : !fx_dtype_is_complex(dtype))
        return fxi_build_refuse(&b, FX_ERROR_DTYPE, "the operand is %s; it must be %s (fx_convert converts)",
                                fx_dtype_name(dtype),
                                kind == FXI_FFT_REAL ? "float32 or float64" : "complex64 or complex128");
    int rank = x->shape.rank;
    fx_node *y = move_to_end(x, &r, back);
    for (size_t i = 0; i < r.axes.n; i++) y = fit_axis(y, rank - (int)r.axes.n + (int)i, r.elements[i]);
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_TRANSFORM, kind),
                              fxi_attr_ints(FXI_ATTR_LENGTHS, r.lengths, r.axes.n)};
    y = fxi_build_node(&b, FX_OP_FFT, &y, 1, attrs, 2, NULL);
    return fx_transpose_all_axes(y, (fx_axes){back, (size_t)rank});
}

static fx_node *over_last(const char *name, fx_node *x, fxi_fft_kind kind, fx_dims lengths) {
    return transform(name, x, kind, (fx_axes){NULL, 0}, lengths.n ? lengths.n : 1, lengths);
}

static fx_node *over_axes(const char *name, fx_node *x, fxi_fft_kind kind, fx_axes axes, fx_dims lengths) {
    return transform(name, x, kind, axes, lengths.n ? lengths.n : x ? (size_t)x->shape.rank : 0, lengths);
}

#define LAST(word, kind)                                                                                     \
    fx_node *fx_##word(fx_node *x, fx_dims lengths) { return over_last("fx_" #word, x, kind, lengths); }
#define AXES(word, kind)                                                                                     \
    fx_node *fx_##word(fx_node *x, fx_axes axes, fx_dims lengths) {                                          \
        return over_axes("fx_" #word, x, kind, axes, lengths);                                               \
    }
LAST(fft, FXI_FFT_FORWARD)
LAST(ifft, FXI_FFT_INVERSE)
LAST(rfft, FXI_FFT_REAL)
LAST(irfft, FXI_FFT_INVERSE_REAL)
LAST(inverse_fft, FXI_FFT_INVERSE)
LAST(real_fft, FXI_FFT_REAL)
LAST(inverse_real_fft, FXI_FFT_INVERSE_REAL)
AXES(fftn, FXI_FFT_FORWARD)
AXES(ifftn, FXI_FFT_INVERSE)
AXES(rfftn, FXI_FFT_REAL)
AXES(irfftn, FXI_FFT_INVERSE_REAL)

/* ---- around them ---- */

static fx_node *shift(const char *name, fx_node *x, fx_axes axes, bool back) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    for (size_t i = 0; i < list.n; i++) {
        int64_t dim = x->shape.dims[list.v[i]];
        x = fx_roll(x, (int)list.v[i], back ? dim - dim / 2 : dim / 2);
    }
    return x;
}

fx_node *fx_fftshift(fx_node *x, fx_axes axes) {
    return shift("fx_fftshift", x, axes, false);
}

fx_node *fx_ifftshift(fx_node *x, fx_axes axes) {
    return shift("fx_ifftshift", x, axes, true);
}

/* Counts 0, 1, ... of which those from `negative` on have n taken off, over n spacing. The steps are exact
 * in float64 and rounded once. */
static fx_node *frequencies(const char *name, fx_graph *graph, int64_t n, int64_t count, int64_t negative,
                            double spacing, fx_dtype dtype) {
    fxi_build b;
    if (!fxi_build_begin_leaf(&b, name, graph)) return b.stop;
    if (!fx_dtype_is_float(dtype))
        return fxi_build_refuse(&b, FX_ERROR_DTYPE, "the dtype is %s; it must be a float",
                                fx_dtype_name(dtype));
    if (n <= 0)
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "n is %lld; it must be positive", (long long)n);
    const fx_shape shape = fx_shape_make(FX_F64, &count, 1);
    fx_node *k = fx_iota(graph, &shape, 0);
    fx_node *wrapped = fx_sub(k, fx_scalar(graph, FX_F64, (double)n));
    k = fx_where(fx_less(k, fx_scalar(graph, FX_F64, (double)negative)), k, wrapped);
    return fx_convert(fx_div(k, fx_scalar(graph, FX_F64, (double)n * spacing)), dtype);
}

fx_node *fx_fftfreq(fx_graph *graph, int64_t n, double spacing, fx_dtype dtype) {
    return frequencies("fx_fftfreq", graph, n, n, n / 2 + n % 2, spacing, dtype);
}

fx_node *fx_rfftfreq(fx_graph *graph, int64_t n, double spacing, fx_dtype dtype) {
    return frequencies("fx_rfftfreq", graph, n, n / 2 + 1, n / 2 + 1, spacing, dtype);
}
