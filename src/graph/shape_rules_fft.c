/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rule of the discrete Fourier transforms, StableHLO's fft: they run over the last axes, as many as
 * there are lengths. A real transform keeps the half of its last axis that says all, length / 2 + 1. */
#include "shape_rules.h"

static const char *const expected[FXI_FFT_KINDS] = {
    [FXI_FFT_FORWARD] = "complex64 or complex128",
    [FXI_FFT_INVERSE] = "complex64 or complex128",
    [FXI_FFT_REAL] = "float32 or float64",
    [FXI_FFT_INVERSE_REAL] = "complex64 or complex128",
};

static bool check_operand(const fxi_shape_args *args, fxi_fft_kind kind, fx_error *err) {
    fx_dtype dtype = args->operands[0]->dtype;
    bool ok = kind == FXI_FFT_REAL ? dtype == FX_F32 || dtype == FX_F64 : fx_dtype_is_complex(dtype);
    return ok || fail(args, err, FX_ERROR_DTYPE, "the operand is %s; it must be %s (fx_convert converts)",
                      fx_dtype_name(dtype), expected[kind]);
}

static int64_t half_of(int64_t length) {
    return length == 0 ? 0 : length / 2 + 1;
}

bool shape_fft(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    int64_t kind = int_of(args, FXI_ATTR_TRANSFORM);
    fx_dims lengths = ints_of(args, FXI_ATTR_LENGTHS);
    if (kind < 0 || kind >= FXI_FFT_KINDS)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "there is no kind %lld", (long long)kind);
    FX_TRY(check_operand(args, (fxi_fft_kind)kind, err));
    if (lengths.n == 0 || lengths.n > (size_t)x->rank)
        return fail(args, err, FX_ERROR_AXIS, "%zu axes to transform of %s, which has rank %d", lengths.n,
                    fx_shape_to_text(x).s, x->rank);
    *result = *x;
    for (size_t i = 0; i < lengths.n; i++) {
        int axis = x->rank - (int)lengths.n + (int)i;
        bool halved = kind == FXI_FFT_INVERSE_REAL && i + 1 == lengths.n;
        int64_t wanted = halved && lengths.v[i] >= 0 ? half_of(lengths.v[i]) : lengths.v[i];
        if (wanted != x->dims[axis])
            return fail(args, err, FX_ERROR_SHAPE,
                        "length %lld needs %lld elements along axis %d; %s has %lld", (long long)lengths.v[i],
                        (long long)wanted, axis, dims_of(x).s, (long long)x->dims[axis]);
    }
    int64_t last = lengths.v[lengths.n - 1], *dim = &result->dims[x->rank - 1];
    if (kind == FXI_FFT_REAL) {
        result->dtype = x->dtype == FX_F32 ? FX_C64 : FX_C128;
        *dim = half_of(last);
    } else if (kind == FXI_FFT_INVERSE_REAL) {
        result->dtype = fx_dtype_real(x->dtype);
        *dim = last;
    }
    return true;
}
