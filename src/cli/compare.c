/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing tensors as self-checking programs ask for it. Steps of a float type (ulp) are counted on the bits
 * of its elements: sign and magnitude, read as integers, stand in the order of the values, so that the
 * distance of two is the number of values between them. Each part of a complex number counts alone. */
#include "cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits of a float type. */
typedef struct layout {
    fx_dtype dtype;
    int bytes, mantissa;
    uint64_t infinity; /* magnitudes beyond are NaN */
    bool infinite;     /* whether there is one */
} layout;

static const layout layouts[] = {
    {FX_F8E5M2, 1, 2, 0x7c, true},     {FX_F8E4M3FN, 1, 3, 0x7e, false},
    {FX_F16, 2, 10, 0x7c00, true},     {FX_BF16, 2, 7, 0x7f80, true},
    {FX_F32, 4, 23, 0x7f800000, true}, {FX_F64, 8, 52, UINT64_C(0x7ff) << 52, true},
};

static const layout *layout_of(fx_dtype dtype) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].dtype == fx_dtype_real(dtype)) return &layouts[i];
    return NULL;
}

static uint64_t load_bits(const void *data, int64_t index, int bytes) {
    const unsigned char *at = (const unsigned char *)data + index * bytes;
    uint64_t bits = 0;
    for (int i = bytes - 1; i >= 0; i--) bits = bits << 8 | at[i];
    return bits;
}

double cli_float_of(fx_dtype dtype, uint64_t bits) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(bits >> (8 * i));
    fx_shape shape = fx_shape_make(dtype, NULL, 0);
    fx_tensor *one = fx_tensor_copy_from(&shape, bytes, NULL);
    double value = fx_tensor_get(one, 0);
    fx_tensor_free(one);
    return value;
}

/* Steps between two floats; 0 for NaN and NaN, infinite where one alone is NaN or infinite. */
static double steps_between(const layout *l, uint64_t a, uint64_t b) {
    uint64_t sign = UINT64_C(1) << (8 * l->bytes - 1), x = a & (sign - 1), y = b & (sign - 1);
    bool x_nan = x > l->infinity, y_nan = y > l->infinity;
    if (x_nan || y_nan) return x_nan && y_nan ? 0 : INFINITY;
    if (a == b) return 0;
    if (l->infinite && (x == l->infinity || y == l->infinity)) return INFINITY;
    return (a & sign) == (b & sign) ? (double)(x > y ? x - y : y - x) : (double)x + (double)y;
}

static bool within(const layout *l, const fx_check *check, uint64_t a, uint64_t b, double steps) {
    if (check->kind == FX_CHECK_CLOSE)
        return steps >= (double)check->min_ulp && steps <= (double)check->max_ulp;
    if (check->kind == FX_CHECK_EQ || isinf(steps)) return steps == 0;
    return steps == 0 || fabs(cli_float_of(l->dtype, a) - cli_float_of(l->dtype, b)) <= check->tolerance;
}

static void note(cli_difference *d, int64_t index, double steps, bool ok) {
    if (!ok && d->index < 0) d->index = index;
    if (steps <= d->ulp) return;
    d->ulp = steps;
    d->worst = index;
}

static void compare_floats(const layout *l, const void *a, const void *b, int64_t count, int parts,
                           const fx_check *check, cli_difference *d) {
    for (int64_t i = 0; i < count * parts; i++) {
        uint64_t x = load_bits(a, i, l->bytes), y = load_bits(b, i, l->bytes);
        double steps = steps_between(l, x, y);
        note(d, i / parts, steps, within(l, check, x, y, steps));
    }
}

static void compare_integers(const fx_tensor *a, const fx_tensor *b, int64_t count, cli_difference *d) {
    for (int64_t i = 0; i < count; i++) {
        int64_t x = fx_tensor_get_int(a, i), y = fx_tensor_get_int(b, i);
        bool same = x == y && fx_tensor_get(a, i) == fx_tensor_get(b, i);
        note(d, i, same ? 0 : fabs((double)x - (double)y) + (x == y), same);
    }
}

cli_difference cli_compare(const fx_tensor *got, const fx_tensor *wanted, const fx_check *check) {
    cli_difference d = {.index = -1, .worst = -1};
    if (!got || !wanted || !fx_shape_equal(fx_tensor_shape(got), fx_tensor_shape(wanted))) return d;
    d.comparable = true;
    fx_dtype dtype = fx_tensor_dtype(got);
    const layout *l = layout_of(dtype);
    int64_t count = fx_tensor_size(got);
    if (l)
        compare_floats(l, fx_tensor_data(got), fx_tensor_data(wanted), count,
                       fx_dtype_is_complex(dtype) ? 2 : 1, check, &d);
    else if (!fx_tensor_equal(got, wanted))
        compare_integers(got, wanted, count, &d);
    return d;
}

double cli_step(const fx_tensor *tensor) {
    const layout *l = layout_of(fx_tensor_dtype(tensor));
    int64_t parts = fx_dtype_is_complex(fx_tensor_dtype(tensor)) ? 2 : 1;
    double most = 0;
    for (int64_t i = 0; l && i < fx_tensor_size(tensor) * parts; i++) {
        double x = fabs(cli_float_of(l->dtype, load_bits(fx_tensor_data(tensor), i, l->bytes)));
        if (x > most && isfinite(x)) most = x;
    }
    return most > 0 ? ldexp(1, ilogb(most) - l->mantissa) : 0;
}

double cli_most_steps(const fx_tensor *a, const fx_tensor *b) {
    const layout *l = layout_of(fx_tensor_dtype(b));
    int64_t parts = fx_dtype_is_complex(fx_tensor_dtype(b)) ? 2 : 1;
    double most = 0, step = cli_step(b);
    for (int64_t i = 0; l && i < fx_tensor_size(b) * parts; i++) {
        uint64_t x = load_bits(fx_tensor_data(a), i, l->bytes), y = load_bits(fx_tensor_data(b), i, l->bytes);
        double steps = steps_between(l, x, y);
        if (isinf(steps)) return steps;
        if (steps > 0) most = fmax(most, fabs(cli_float_of(l->dtype, x) - cli_float_of(l->dtype, y)));
    }
    return most == 0 ? 0 : step > 0 ? most / step : INFINITY;
}

bool cli_is_nearer(const fx_tensor *got, const fx_tensor *wanted, const fx_tensor *exact,
                   const fx_check *check) {
    enum { ROUNDINGS = 8 }; /* of the largest element: what was expected is not another function's */
    const layout *l = layout_of(fx_tensor_dtype(got));
    fx_dtype dtype = fx_tensor_dtype(exact);
    if (!l || l->dtype == FX_F64 || fx_dtype_real(dtype) != FX_F64 ||
        !fx_shape_equal_dims(fx_tensor_shape(got), fx_tensor_shape(exact)))
        return false;
    const void *a = fx_tensor_data(got), *b = fx_tensor_data(wanted);
    const double *values = fx_tensor_data(exact);
    double most = ROUNDINGS * cli_step(wanted);
    for (int64_t i = 0; i < fx_tensor_size(got) * (fx_dtype_is_complex(dtype) ? 2 : 1); i++) {
        uint64_t x = load_bits(a, i, l->bytes), y = load_bits(b, i, l->bytes);
        if (within(l, check, x, y, steps_between(l, x, y))) continue;
        double ours = fabs(cli_float_of(l->dtype, x) - values[i]);
        double theirs = fabs(cli_float_of(l->dtype, y) - values[i]);
        if (!(ours <= theirs && theirs <= most)) return false;
    }
    return true;
}

void cli_print_index(FILE *stream, const fx_shape *shape, int64_t index) {
    int64_t at[FX_MAX_RANK];
    for (int i = shape->rank - 1; i >= 0; i--) {
        at[i] = index % shape->dims[i];
        index /= shape->dims[i];
    }
    fputc('[', stream);
    for (int i = 0; i < shape->rank; i++) fprintf(stream, "%s%lld", i ? ", " : "", (long long)at[i]);
    fputc(']', stream);
}

/* A scalar over the element's own memory; packed ones have none. */
fx_text cli_element_text(const fx_tensor *tensor, int64_t index) {
    fx_shape shape = fx_shape_make(fx_tensor_dtype(tensor), NULL, 0);
    int64_t bytes = fx_dtype_bits(shape.dtype) / 8;
    if (bytes == 0) {
        fx_text text;
        snprintf(text.s, sizeof text.s, "%lld", (long long)fx_tensor_get_int(tensor, index));
        return text;
    }
    fx_tensor *one = fx_tensor_copy_from(&shape, (const char *)fx_tensor_data(tensor) + index * bytes, NULL);
    fx_text text = fx_tensor_text(one);
    fx_tensor_free(one);
    return text;
}
