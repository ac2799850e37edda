/* SPDX-License-Identifier: Apache-2.0 */
/* Floats to quantized tensors on the host: linear and NF4 block by block, GGML by quantize_pack.c. Arithmetic
 * is double, so that nothing but the stored scales is rounded besides the values. */
#include "quantize_internal.h"
#include <math.h>
#include <string.h>

void fx_quantized_free(fx_quantized *quantized) {
    if (!quantized) return;
    fx_tensor_free(quantized->weights);
    fx_tensor_free(quantized->scale);
    fx_tensor_free(quantized->zero_point);
    *quantized = (fx_quantized){0};
}

/* The values with their checked options. */
typedef struct source {
    const fx_tensor *values;
    fx_quantize_options o;
    int64_t rows, columns;
} source;

static double value(const source *s, int64_t i) {
    return fxi_element_load(s->values->shape.dtype, s->values->data, i).re;
}

/* ---- checks ---- */

static bool check_values(const source *s, fx_error *err) {
    const fx_shape *shape = &s->values->shape;
    bool is_float = shape->dtype == FX_F32 || shape->dtype == FX_F64 || fx_dtype_is_half(shape->dtype);
    if (!is_float)
        return fxi_fail(err, FX_ERROR_DTYPE,
                        "fx_quantize_tensor: values are %s: float16, bfloat16, float32 or float64 is wanted",
                        fx_dtype_name(shape->dtype));
    if (shape->rank != 2)
        return fxi_fail(err, FX_ERROR_SHAPE, "fx_quantize_tensor: values %s: a matrix is wanted",
                        fx_shape_to_text(shape).s);
    for (int64_t i = 0; i < s->rows * s->columns; i++)
        if (!isfinite((float)value(s, i)))
            return fxi_fail(err, FX_ERROR_ARGUMENT,
                            "fx_quantize_tensor: value [%lld, %lld] is not finite as float32",
                            (long long)(i / s->columns), (long long)(i % s->columns));
    return true;
}

static bool check_linear(source *s, fx_error *err) {
    fx_quantize_options *o = &s->o;
    if (o->dtype == FX_INVALID_DTYPE) o->dtype = FX_S8;
    bool known = o->dtype == FX_S8 || o->dtype == FX_U8 || o->dtype == FX_S4 || o->dtype == FX_U4;
    if (o->scheme == FX_QUANTIZATION_NF4) o->dtype = FX_U4;
    else if (!known)
        return fxi_fail(err, FX_ERROR_DTYPE,
                        "fx_quantize_tensor: dtype %s: int4, uint4, int8 or uint8 is wanted",
                        fx_dtype_name(o->dtype));
    if (o->block_axis < -2 || o->block_axis > 1)
        return fxi_fail(err, FX_ERROR_AXIS, "fx_quantize_tensor: block_axis %d: 0 or 1 is wanted",
                        o->block_axis);
    if (o->block_size < 0)
        return fxi_fail(err, FX_ERROR_ATTRIBUTE, "fx_quantize_tensor: block_size %lld is negative",
                        (long long)o->block_size);
    if (o->block_axis < 0) o->block_axis += 2;
    int64_t along = o->block_axis ? s->columns : s->rows;
    if (o->block_size == 0 || o->block_size > along) o->block_size = fxi_size_max(along, 1);
    return true;
}

static bool check_ggml(const source *s, fx_error *err) {
    int64_t values = fx_ggml_block_values(s->o.ggml_type);
    if (values == 0)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_quantize_tensor: there is no GGML type %d",
                        (int)s->o.ggml_type);
    if (s->columns % values == 0) return true;
    return fxi_fail(err, FX_ERROR_SHAPE,
                    "fx_quantize_tensor: rows of %lld values are no whole blocks of %s, which have %lld",
                    (long long)s->columns, fx_ggml_type_name(s->o.ggml_type), (long long)values);
}

/* ---- linear and NF4 ---- */

/* Where a block lies: its first element, the step to the next, and how many there are. */
typedef struct span {
    int64_t first, step, n;
} span;

static span find_span(const source *s, int64_t row, int64_t column) {
    bool along = s->o.block_axis == 1;
    int64_t at = (along ? column : row) * s->o.block_size, length = along ? s->columns : s->rows;
    return (span){.first = along ? row * s->columns + at : at * s->columns + column,
                  .step = along ? 1 : s->columns,
                  .n = fxi_size_min(s->o.block_size, length - at)};
}

static void find_range(const source *s, span b, double *low, double *high) {
    *low = *high = value(s, b.first);
    for (int64_t i = 1; i < b.n; i++) {
        double x = value(s, b.first + i * b.step);
        *low = fmin(*low, x);
        *high = fmax(*high, x);
    }
}

static int64_t nearest_nf4(double x) {
    int64_t best = 0;
    for (int64_t i = 1; i < 16; i++)
        if (fabs(x - (double)fxi_nf4_levels[i]) < fabs(x - (double)fxi_nf4_levels[best])) best = i;
    return best;
}

/* The scale of a block, stored as float32 once; the zero point is what the lowest integer must give. */
static void find_scale(const source *s, double low, double high, float *scale, float *zero) {
    double first = (double)fxi_dtype_lowest(s->o.dtype).i, last = (double)fxi_dtype_highest(s->o.dtype).i;
    double largest = fmax(fabs(low), fabs(high));
    *zero = 0;
    if (s->o.scheme == FX_QUANTIZATION_NF4) {
        *scale = (float)largest;
    } else if (s->o.asymmetric) {
        *scale = (float)((high - low) / (last - first));
        *zero = (float)(low - first * (double)*scale);
    } else {
        *scale = (float)((first < 0 ? largest : fmax(high, 0)) / last);
    }
}

static void write_block(const source *s, span b, float scale, float zero, fx_tensor *weights) {
    double first = (double)fxi_dtype_lowest(s->o.dtype).i, last = (double)fxi_dtype_highest(s->o.dtype).i;
    double inverse = scale != 0 ? 1 / (double)scale : 0;
    for (int64_t i = 0; i < b.n; i++) {
        double x = (value(s, b.first + i * b.step) - (double)zero) * inverse;
        int64_t q = s->o.scheme == FX_QUANTIZATION_NF4 ? nearest_nf4(x)
                                                       : (int64_t)fmax(first, fmin(last, fxi_round_even(x)));
        fxi_element_store(s->o.dtype, weights->data, b.first + i * b.step, (fxi_scalar){.i = q});
    }
}

static bool quantize_scaled(const source *s, fx_quantized *out, fx_error *err) {
    fx_shape weights = {.dtype = s->o.dtype, .rank = 2, .dims = {s->rows, s->columns}}, scales = weights;
    int axis = s->o.block_axis;
    scales.dtype = FX_F32;
    scales.dims[axis] = fxi_size_ceil_div(scales.dims[axis], s->o.block_size);
    out->weights = fx_tensor_new(&weights, err);
    out->scale = out->weights ? fx_tensor_new(&scales, err) : NULL;
    if (!out->scale) return false;
    bool zeros = s->o.asymmetric && s->o.scheme == FX_QUANTIZATION_LINEAR;
    if (zeros && !(out->zero_point = fx_tensor_new(&scales, err))) return false;
    float *scale = out->scale->data, *zero = zeros ? out->zero_point->data : NULL;
    for (int64_t i = 0; i < fx_shape_size(&scales); i++) {
        span b = find_span(s, i / scales.dims[1], i % scales.dims[1]);
        double low, high;
        float own;
        find_range(s, b, &low, &high);
        find_scale(s, low, high, &scale[i], zero ? &zero[i] : &own);
        write_block(s, b, scale[i], zero ? zero[i] : 0, out->weights);
    }
    return true;
}

/* ---- GGML ---- */

static bool quantize_ggml(const source *s, fx_quantized *out, fx_error *err) {
    enum { MOST = 256 };
    int64_t n = fx_ggml_block_values(s->o.ggml_type), bytes = fx_ggml_block_bytes(s->o.ggml_type);
    int64_t blocks = s->rows * s->columns / n;
    fx_shape shape = {.dtype = FX_U8, .rank = 2, .dims = {s->rows, s->columns / n * bytes}};
    fxi_block_pack pack = fxi_block_pack_of(s->o.ggml_type);
    out->weights = fx_tensor_new(&shape, err);
    if (!out->weights) return false;
    for (int64_t b = 0; b < blocks; b++) {
        float x[MOST];
        for (int64_t i = 0; i < n; i++) x[i] = (float)value(s, b * n + i);
        pack(x, (uint8_t *)out->weights->data + b * bytes); /* which is zeroed */
    }
    return true;
}

bool fx_quantize_tensor(const fx_tensor *values, const fx_quantize_options *options, fx_quantized *out,
                        fx_error *err) {
    if (out) *out = (fx_quantized){0};
    if (!values || !options || !out || !fx_tensor_is_valid(values))
        return fxi_fail(err, FX_ERROR_ARGUMENT,
                        "fx_quantize_tensor: values, options or out is NULL, or the values were donated");
    source s = {.values = values, .rows = values->shape.dims[0], .columns = values->shape.dims[1]};
    memcpy(&s.o, options, options->size && options->size < sizeof s.o ? options->size : sizeof s.o);
    bool ggml = s.o.scheme == FX_QUANTIZATION_GGML;
    if ((unsigned)s.o.scheme > FX_QUANTIZATION_GGML)
        return fxi_fail(err, FX_ERROR_ARGUMENT, "fx_quantize_tensor: there is no quantization scheme %d",
                        (int)s.o.scheme);
    FX_TRY(fx_tensor_fetch(values, err));
    bool ok = check_values(&s, err) && (ggml ? check_ggml(&s, err) : check_linear(&s, err));
    ok = ok && (ggml ? quantize_ggml(&s, out, err) : quantize_scaled(&s, out, err));
    if (!ok) fx_quantized_free(out);
    return ok;
}
