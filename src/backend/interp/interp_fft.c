/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Fourier transforms as they are defined: sums over a whole line per element, in extended
 * precision, with roots of unity that are each computed from their own angle, so that results are
 * correctly rounded but for a few in a thousand. Lines are transformed axis by axis; the last axis comes
 * first forwards and last backwards, where its other half is made from the first. */
#include "interp_internal.h"
#include <math.h>

typedef struct number {
    long double re, im;
} number;

/* Transforms in place n numbers that lie `stride` apart; root[k] = e^(+-2 pi i k / n). */
static void transform_line(number *line, int64_t n, int64_t stride, const number *root, number *room) {
    for (int64_t k = 0; k < n; k++) {
        number sum = {0, 0};
        for (int64_t j = 0, at = 0; j < n; j++) {
            number x = line[j * stride], w = root[at];
            sum.re += x.re * w.re - x.im * w.im;
            sum.im += x.re * w.im + x.im * w.re;
            at = at + k >= n ? at + k - n : at + k;
        }
        room[k] = sum;
    }
    for (int64_t k = 0; k < n; k++) line[k * stride] = room[k];
}

static void make_roots(number *root, int64_t n, bool inverse) {
    const long double pi = 3.141592653589793238462643383279502884L;
    for (int64_t k = 0; k < n; k++) { /* the angle in [-pi, pi] */
        long double angle = 2 * pi * (long double)(k * 2 > n ? k - n : k) / (long double)n;
        root[k] = (number){cosl(angle), inverse ? sinl(angle) : -sinl(angle)};
    }
}

/* All lines along one axis of data with these dimensions. */
static bool transform_axis(number *data, const fx_shape *dims, int axis, bool inverse, fx_error *err) {
    int64_t n = dims->dims[axis], inner = 1, size = fx_shape_size(dims);
    for (int i = axis + 1; i < dims->rank; i++) inner *= dims->dims[i];
    number *root = fxi_alloc_zeroed((size_t)n * 2, sizeof *root);
    if (!root) return fxi_fail_memory(err, "fft");
    make_roots(root, n, inverse);
    for (int64_t line = 0; line < size / n; line++)
        transform_line(data + line / inner * inner * n + line % inner, n, inner, root, root + n);
    fxi_free(root);
    return true;
}

static bool transform_axes(number *data, const fx_shape *dims, size_t axes, bool inverse, fx_error *err) {
    for (size_t i = 0; i < axes; i++)
        FX_TRY(transform_axis(data, dims, dims->rank - (int)axes + (int)i, inverse, err));
    return true;
}

/* Rows of the operand into rows as long as the real side; missing elements are 0. */
static void load_rows(const fx_tensor *x, number *data, int64_t row) {
    int64_t n = x->shape.dims[x->shape.rank - 1], count = fx_shape_size(&x->shape);
    for (int64_t i = 0; i < count; i++) {
        fxi_scalar v = fxi_element_load(x->shape.dtype, x->data, i);
        data[i / n * row + i % n] = (number){v.re, v.im};
    }
}

/* Rows hold the first half of a spectrum: the other one is its mirror image. The imaginary parts of the
 * elements that are their own image count as 0. */
static void complete_rows(number *data, int64_t rows, int64_t n) {
    for (int64_t r = 0; r < rows; r++, data += n) {
        data[0].im = 0;
        if (n % 2 == 0) data[n / 2].im = 0;
        for (int64_t k = n / 2 + 1; k < n; k++) data[k] = (number){data[n - k].re, -data[n - k].im};
    }
}

static void store_rows(const number *data, int64_t row, long double scale, fx_tensor *result) {
    int64_t n = result->shape.dims[result->shape.rank - 1], count = fx_shape_size(&result->shape);
    for (int64_t i = 0; i < count; i++) {
        number v = data[i / n * row + i % n];
        fxi_element_store(result->shape.dtype, result->data, i,
                          (fxi_scalar){.re = (double)(v.re * scale), .im = (double)(v.im * scale)});
    }
}

static bool transform(const fx_node *node, const fx_tensor *x, number *data, const fx_shape *dims,
                      fx_tensor *result, fx_error *err) {
    fxi_fft_kind kind = (fxi_fft_kind)fxi_node_int(node, FXI_ATTR_TRANSFORM);
    fx_dims lengths = fxi_node_attr(node, FXI_ATTR_LENGTHS)->u.ints;
    bool inverse = kind == FXI_FFT_INVERSE || kind == FXI_FFT_INVERSE_REAL;
    int64_t row = dims->dims[dims->rank - 1];
    long double scale = 1;
    load_rows(x, data, row);
    if (kind == FXI_FFT_INVERSE_REAL) {
        for (size_t i = 0; i + 1 < lengths.n; i++)
            FX_TRY(transform_axis(data, dims, dims->rank - (int)lengths.n + (int)i, true, err));
        complete_rows(data, fx_shape_size(dims) / row, row);
        FX_TRY(transform_axis(data, dims, dims->rank - 1, true, err));
    } else {
        FX_TRY(transform_axes(data, dims, lengths.n, inverse, err));
    }
    for (size_t i = 0; inverse && i < lengths.n; i++) scale /= (long double)lengths.v[i];
    store_rows(data, row, scale, result);
    return true;
}

bool fxi_interp_fft(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    fx_dims lengths = fxi_node_attr(node, FXI_ATTR_LENGTHS)->u.ints;
    fx_shape dims = node->shape; /* of the whole spectrum */
    dims.dtype = FX_C128;
    dims.dims[dims.rank - 1] = lengths.v[lengths.n - 1];
    int64_t size = fx_shape_size(&dims);
    if (size == 0) return true;
    if (size < 0) return fxi_fail_memory(err, "fft");
    number *data = fxi_alloc_zeroed((size_t)size, sizeof *data);
    if (!data) return fxi_fail_memory(err, "fft");
    bool ok = transform(node, operands[0], data, &dims, result, err);
    fxi_free(data);
    return ok;
}
