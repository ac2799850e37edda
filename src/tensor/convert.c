/* SPDX-License-Identifier: Apache-2.0 */
/* One element of any dtype: load, store and conversion by the rules of the specification (float to integer
 * truncates and saturates, NaN gives 0; integers wrap; floats round once, to nearest even; anything but 0
 * is true).
 *
 * A scalar carries integers exactly in 64 bits and floats in a double, which holds every float dtype
 * exactly; the rounding to a narrow dtype happens in the store. Only integers beyond 53 bits do not fit a
 * double: they are rounded to odd first, so that the second rounding in the store gives the same as a
 * single one (the double has at least two bits more than any target). */
#include "tensor/tensor.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- bits ---- */

/* The value of the low `bits` bits of i, extended to 64 by sign or by zeros. */
static int64_t wrap_integer(int64_t i, int bits, bool is_signed) {
    if (bits >= 64) return i;
    uint64_t mask = (UINT64_C(1) << bits) - 1, low = (uint64_t)i & mask, sign = UINT64_C(1) << (bits - 1);
    return is_signed && (low & sign) ? (int64_t)(low | ~mask) : (int64_t)low;
}

static int64_t load_packed(const void *data, int64_t index, int bits, bool is_signed) {
    int per_byte = 8 / bits;
    unsigned byte = ((const uint8_t *)data)[index / per_byte];
    return wrap_integer((int64_t)(byte >> (index % per_byte * bits)), bits, is_signed);
}

static void store_packed(void *data, int64_t index, int bits, int64_t value) {
    int per_byte = 8 / bits, shift = (int)(index % per_byte) * bits;
    uint8_t *byte = (uint8_t *)data + index / per_byte;
    unsigned mask = ((1u << bits) - 1) << shift;
    *byte = (uint8_t)((*byte & ~mask) | (((unsigned)value << shift) & mask));
}

/* ---- NaN ----
 * Arithmetic quiets a NaN; loading and storing must not, or a value that is only moved, selected or given
 * another sign would change its bits. The floats with 8 exponent bits and the double share the layout, so a
 * NaN is moved between them by its bits. */

static double widen(float value) {
    if (!isnan(value)) return value;
    uint32_t bits;
    double wide;
    memcpy(&bits, &value, sizeof bits);
    uint64_t moved = (uint64_t)(bits >> 31) << 63 | UINT64_C(0x7FF) << 52 | (uint64_t)(bits & 0x7FFFFF) << 29;
    memcpy(&wide, &moved, sizeof wide);
    return wide;
}

/* The bits of a signaling NaN in a narrow format, if it has one with what fits of the payload; else false. */
static bool narrow_signaling(double value, int exponent_bits, int mantissa_bits, uint64_t *narrow) {
    uint64_t bits, quiet = UINT64_C(1) << 51;
    if (!isnan(value)) return false;
    memcpy(&bits, &value, sizeof bits);
    uint64_t payload = (bits & (quiet - 1)) >> (52 - mantissa_bits);
    uint64_t exponent = (UINT64_C(1) << exponent_bits) - 1;
    *narrow = (bits >> 63) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | payload;
    return !(bits & quiet) && payload != 0;
}

static float narrow_to_f32(double value) {
    uint64_t bits;
    if (!narrow_signaling(value, 8, 23, &bits)) return (float)value;
    uint32_t small = (uint32_t)bits;
    float result;
    memcpy(&result, &small, sizeof result);
    return result;
}

/* The bits of a small float, `rounded` unless the value is a signaling NaN. */
static uint64_t keep_signaling(double value, int exponent_bits, int mantissa_bits, uint64_t rounded) {
    uint64_t bits;
    return narrow_signaling(value, exponent_bits, mantissa_bits, &bits) ? bits : rounded;
}

/* ---- load and store ----
 * memcpy is the one portable way to read memory whose declared type is unknown; it compiles to a load. */

static inline double widen_float(float v) { return widen(v); }
static inline double widen_double(double v) { return v; }
static inline float narrow_float(double v) { return narrow_to_f32(v); }
static inline double narrow_double(double v) { return v; }

#define LOAD(type, member)                                                    \
    {                                                                         \
        type v;                                                               \
        memcpy(&v, (const char *)data + index * (int64_t)sizeof v, sizeof v); \
        r.member = v;                                                         \
    }                                                                         \
    break
#define LOAD_SMALL(type, value_of)                                             \
    {                                                                         \
        type v;                                                               \
        memcpy(&v, (const char *)data + index * (int64_t)sizeof v, sizeof v); \
        r.re = widen(value_of(v));                                            \
    }                                                                         \
    break
#define LOAD_PAIR(type)                                                      \
    {                                                                        \
        type v[2];                                                           \
        memcpy(v, (const char *)data + index * (int64_t)sizeof v, sizeof v); \
        r.re = widen_##type(v[0]);                                           \
        r.im = widen_##type(v[1]);                                           \
    }                                                                        \
    break

fxi_scalar fxi_element_load(fx_dtype dtype, const void *data, int64_t index) {
    fxi_scalar r = {0};
    switch (dtype) {
    case FX_BOOL: r.i = ((const uint8_t *)data)[index] != 0; break;
    case FX_S2: r.i = load_packed(data, index, 2, true); break;
    case FX_S4: r.i = load_packed(data, index, 4, true); break;
    case FX_U2: r.i = load_packed(data, index, 2, false); break;
    case FX_U4: r.i = load_packed(data, index, 4, false); break;
    case FX_S8: LOAD(int8_t, i);
    case FX_S16: LOAD(int16_t, i);
    case FX_S32: LOAD(int32_t, i);
    case FX_S64: LOAD(int64_t, i);
    case FX_U8: LOAD(uint8_t, i);
    case FX_U16: LOAD(uint16_t, i);
    case FX_U32: LOAD(uint32_t, i);
    case FX_U64: LOAD(int64_t, i);
    case FX_F8E5M2: LOAD_SMALL(uint8_t, fxi_f8e5m2_to_f32);
    case FX_F8E4M3FN: LOAD_SMALL(uint8_t, fxi_f8e4m3fn_to_f32);
    case FX_F16: LOAD_SMALL(uint16_t, fxi_f16_to_f32);
    case FX_BF16: LOAD_SMALL(uint16_t, fxi_bf16_to_f32);
    case FX_F32: LOAD_SMALL(float, (float));
    case FX_F64: LOAD(double, re);
    case FX_C64: LOAD_PAIR(float);
    case FX_C128: LOAD_PAIR(double);
    case FX_INVALID_DTYPE: break;
    }
    return r;
}

#define STORE(type, value_of)                                           \
    {                                                                   \
        type v = (type)(value_of);                                      \
        memcpy((char *)data + index * (int64_t)sizeof v, &v, sizeof v); \
    }                                                                   \
    break
#define STORE_PAIR(type)                                               \
    {                                                                  \
        type v[2] = {narrow_##type(value.re), narrow_##type(value.im)}; \
        memcpy((char *)data + index * (int64_t)sizeof v, v, sizeof v); \
    }                                                                  \
    break

void fxi_element_store(fx_dtype dtype, void *data, int64_t index, fxi_scalar value) {
    switch (dtype) {
    case FX_BOOL: ((uint8_t *)data)[index] = value.i != 0; break;
    case FX_S2:
    case FX_U2: store_packed(data, index, 2, value.i); break;
    case FX_S4:
    case FX_U4: store_packed(data, index, 4, value.i); break;
    case FX_S8:
    case FX_U8: STORE(uint8_t, value.i & UINT8_MAX);
    case FX_S16:
    case FX_U16: STORE(uint16_t, value.i & UINT16_MAX);
    case FX_S32:
    case FX_U32: STORE(uint32_t, value.i & UINT32_MAX);
    case FX_S64:
    case FX_U64: STORE(int64_t, value.i);
    case FX_F8E5M2: STORE(uint8_t, keep_signaling(value.re, 5, 2, fxi_f8e5m2_from_f64(value.re)));
    case FX_F8E4M3FN: STORE(uint8_t, fxi_f8e4m3fn_from_f64(value.re));
    case FX_F16: STORE(uint16_t, keep_signaling(value.re, 5, 10, fxi_f16_from_f64(value.re)));
    case FX_BF16: STORE(uint16_t, keep_signaling(value.re, 8, 7, fxi_bf16_from_f64(value.re)));
    case FX_F32: STORE(float, narrow_to_f32(value.re));
    case FX_F64: STORE(double, value.re);
    case FX_C64: STORE_PAIR(float);
    case FX_C128: STORE_PAIR(double);
    case FX_INVALID_DTYPE: break;
    }
}

/* ---- conversion ---- */

/* Truncates toward zero and saturates to the range of an integer dtype; NaN gives 0. */
static int64_t integer_from_double(double x, int bits, bool is_signed) {
    if (isnan(x)) return 0;
    double limit = ldexp(1.0, is_signed ? bits - 1 : bits); /* exact: first value above the range */
    if (!is_signed) {
        if (x <= 0) return 0;
        if (x >= limit) return bits == 64 ? -1 : (int64_t)((UINT64_C(1) << bits) - 1);
        return (int64_t)(uint64_t)x;
    }
    int64_t highest = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
    if (x >= limit) return highest;
    if (x < -limit) return -highest - 1;
    return (int64_t)x;
}

/* An integer as a double for a float dtype: exact where 53 bits suffice, else rounded to odd for narrow
 * targets. */
static double double_from_integer(int64_t i, bool is_signed, fx_dtype to_real) {
    bool negative = is_signed && i < 0;
    uint64_t magnitude = negative ? 0 - (uint64_t)i : (uint64_t)i;
    if (to_real != FX_F64 && magnitude >> 53) {
        int drop = 0;
        while (magnitude >> drop >> 53) drop++;
        uint64_t kept = magnitude >> drop << drop;
        magnitude = kept == magnitude ? kept : kept | (UINT64_C(1) << drop);
    }
    double d = (double)magnitude;
    return negative ? -d : d;
}

fxi_scalar fxi_scalar_convert(fxi_scalar value, fx_dtype from, fx_dtype to) {
    const fxi_dtype_info *source = fxi_dtype_info_of(from), *target = fxi_dtype_info_of(to);
    bool from_float = source->kind == FXI_KIND_FLOAT || source->kind == FXI_KIND_COMPLEX;
    fxi_scalar r = {0};
    switch (target->kind) {
    case FXI_KIND_BOOL: r.i = from_float ? value.re != 0 || value.im != 0 : value.i != 0; break;
    case FXI_KIND_SIGNED:
    case FXI_KIND_UNSIGNED: {
        bool is_signed = target->kind == FXI_KIND_SIGNED;
        r.i = from_float ? integer_from_double(value.re, target->bits, is_signed)
                         : wrap_integer(value.i, target->bits, is_signed);
        break;
    }
    case FXI_KIND_FLOAT:
    case FXI_KIND_COMPLEX:
        r.re = from_float ? value.re
                          : double_from_integer(value.i, source->kind == FXI_KIND_SIGNED, target->real);
        r.im = target->kind == FXI_KIND_COMPLEX && source->kind == FXI_KIND_COMPLEX ? value.im : 0;
        break;
    case FXI_KIND_NONE: break;
    }
    return r;
}

fxi_scalar fxi_dtype_lowest(fx_dtype dtype) {
    const fxi_dtype_info *info = fxi_dtype_info_of(dtype);
    fxi_scalar r = {0};
    if (info->kind == FXI_KIND_SIGNED) r.i = (int64_t)(~UINT64_C(0) << (info->bits - 1));
    if (info->kind == FXI_KIND_FLOAT) r.re = dtype == FX_F8E4M3FN ? -448.0 : -(double)INFINITY;
    return r;
}

fxi_scalar fxi_dtype_highest(fx_dtype dtype) {
    const fxi_dtype_info *info = fxi_dtype_info_of(dtype);
    fxi_scalar r = {0};
    if (info->kind == FXI_KIND_BOOL) r.i = 1;
    if (info->kind == FXI_KIND_SIGNED) r.i = (int64_t)((UINT64_C(1) << (info->bits - 1)) - 1);
    if (info->kind == FXI_KIND_UNSIGNED) r.i = (int64_t)(~UINT64_C(0) >> (64 - info->bits));
    if (info->kind == FXI_KIND_FLOAT) r.re = dtype == FX_F8E4M3FN ? 448.0 : (double)INFINITY;
    return r;
}

/* ---- packed dtypes ---- */

void fxi_unpack(fx_dtype dtype, const void *packed, int64_t count, void *bytes) {
    int bits = fx_dtype_bits(dtype);
    bool is_signed = fx_dtype_is_signed(dtype);
    if (bits != 2 && bits != 4) return;
    for (int64_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)((uint64_t)load_packed(packed, i, bits, is_signed) & 0xff);
}

void fxi_pack(fx_dtype dtype, const void *bytes, int64_t count, void *packed) {
    int bits = fx_dtype_bits(dtype);
    if ((bits != 2 && bits != 4) || count <= 0) return;
    memset(packed, 0, (size_t)((count - 1) / (8 / bits) + 1));
    for (int64_t i = 0; i < count; i++) store_packed(packed, i, bits, ((const uint8_t *)bytes)[i]);
}
